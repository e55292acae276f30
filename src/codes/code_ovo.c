/* All pairs: a column for each pair of classes (ASS). rho = (C(k,2) - 1)/2 + 1. */
#include "codes/code.h"

static pt_status ovo_make(pt_code *code, const pt_params *params, const pt_task *task,
                          pt_texts *warnings, pt_error *err)
{
    (void)params;
    (void)task;
    (void)warnings;
    return pt_code_init_pairs(code, code->k, err);
}

const pt_code_family pt_code_ovo = {.name = "ovo",
                                    .summary = "all pairs: a column for each pair of classes",
                                    .parameters = "",
                                    .zeros = true,
                                    .make = ovo_make};
