/* One against all: a column for each class, +1 for it and -1 for the others (ASS). rho = 2. */
#include "codes/code.h"

#include <string.h>

static pt_status ova_make(pt_code *code, const pt_params *params, const pt_task *task,
                          pt_texts *warnings, pt_error *err)
{
    (void)params;
    (void)task;
    (void)warnings;
    const int64_t k = code->k;
    pt_status status = pt_code_alloc(code, k, err);
    if (status != PT_OK)
        return status;
    memset(code->M, -1, (size_t)(k * k));
    for (int64_t r = 0; r < k; r++)
        code->M[r * k + r] = 1;
    return PT_OK;
}

const pt_code_family pt_code_ova = {.name = "ova",
                                    .summary = "one against all: a column for each class",
                                    .parameters = "",
                                    .make = ova_make};
