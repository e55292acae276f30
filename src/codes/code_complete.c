/* The complete code (ASS): every way to divide the classes in two, 2^(k-1) - 1 columns; rho is
 * 2^(k-2). Class 1 is +1 everywhere, so that no column is the opposite of another; column s gives
 * class r (from 1) the sign + where bit r-1 of s is set, and s = all ones, which divides nothing,
 * is left out. */
#include "codes/code.h"

enum { MOST_CLASSES = 16 };

static pt_status refuse(int64_t k, pt_error *err)
{
    const long long most = (1LL << (MOST_CLASSES - 1)) - 1;
    const char *instead = "take --code dense, or fewer classes";
    if (k < 64)
        return pt_fail(err, PT_ELIMIT,
                       "the complete code of %lld classes has %lld columns; the limit is %lld, "
                       "of %d classes; %s",
                       (long long)k, (1LL << (k - 1)) - 1, most, MOST_CLASSES, instead);
    return pt_fail(err, PT_ELIMIT,
                   "the complete code of %lld classes has 2^%lld - 1 columns; the limit is %lld, "
                   "of %d classes; %s",
                   (long long)k, (long long)k - 1, most, MOST_CLASSES, instead);
}

static pt_status complete_make(pt_code *code, const pt_params *params, const pt_task *task,
                               pt_texts *warnings, pt_error *err)
{
    (void)params;
    (void)task;
    (void)warnings;
    const int64_t k = code->k;
    if (k > MOST_CLASSES)
        return refuse(k, err);
    const int64_t ell = ((int64_t)1 << (k - 1)) - 1;
    pt_status status = pt_code_alloc(code, ell, err);
    for (int64_t r = 0; r < k && status == PT_OK; r++)
        for (int64_t s = 0; s < ell; s++)
            code->M[r * ell + s] = r == 0 || s >> (r - 1) & 1 ? 1 : -1;
    return status;
}

const pt_code_family pt_code_complete = {
    .name = "complete",
    .summary = "every division of the classes in two: 2^(k-1) - 1 columns, at most 16 classes",
    .parameters = "",
    .make = complete_make};
