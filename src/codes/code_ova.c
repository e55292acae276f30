/* One against all: a column for each class, +1 for it and -1 for the others (ASS). rho = 2. */
#include "codes/code_ova.h"

#include <string.h>

#include "base/alloc.h"

static pt_status ova_make(pt_code *code, const pt_params *params, const pt_task *task,
                          pt_error *err)
{
    (void)params;
    (void)task;
    const int64_t k = code->k;
    code->ell = k;
    code->M = pt_alloc(k, (size_t)k, "a code", err);
    if (!code->M)
        return PT_ENOMEM;
    memset(code->M, -1, (size_t)(k * k));
    for (int64_t r = 0; r < k; r++)
        code->M[r * k + r] = 1;
    return PT_OK;
}

const pt_code_family pt_code_ova = {.name = "ova",
                                    .summary = "one against all: a column for each class",
                                    .parameters = "",
                                    .make = ova_make};
