/* The version, stated once in the public header. */
#include "polytomy/polytomy.h"

const char *pt_version(void)
{
    return PT_VERSION_STRING;
}
