/* The ordinal code: classes have an order, and column s asks whether a class comes behind the s-th;
 * k - 1 columns, and classes that are further apart in the order are so in the code: rho = 1, and
 * classes r and c are |r - c| apart. */
#include "codes/code.h"

static pt_status ordinal_make(pt_code *code, const pt_params *params, const pt_task *task,
                              pt_texts *warnings, pt_error *err)
{
    (void)params;
    (void)task;
    (void)warnings;
    const int64_t ell = code->k - 1;
    pt_status status = pt_code_alloc(code, ell, err);
    for (int64_t r = 0; r < code->k && status == PT_OK; r++)
        for (int64_t s = 0; s < ell; s++)
            code->M[r * ell + s] = r > s ? 1 : -1;
    return status;
}

const pt_code_family pt_code_ordinal = {
    .name = "ordinal",
    .summary = "classes in their order: a column asks whether a class comes behind another, k-1",
    .parameters = "",
    .make = ordinal_make};
