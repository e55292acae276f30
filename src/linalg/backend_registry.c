/* The backends, and the one in use: the first of the list. */
#include "linalg/linalg.h"

extern const pt_backend pt_backend_cpu;

const pt_backend *const pt_backends[] = {
    &pt_backend_cpu,
    NULL,
};

const pt_backend *pt_la_backend(void)
{
    return pt_backends[0];
}
