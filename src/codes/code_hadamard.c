/* Hadamard codes: the rows of Sylvester's matrix of order n = 2^m >= k, H_rs = (-1)^(bits that r
 * and s share), without its first column, which is constant. Every two rows differ in n/2 of the
 * n-1 columns, so that rho = n/2.
 *
 * There is one for every k: with the smallest n, rows 0, 1, 2, 4, ..., n/2 are among the first k.
 * They tell all bits of a column's number, so that no two columns are equal, and none is constant;
 * row 0 is all +1, so that no two are opposite. */
#include "codes/code.h"

static int parity(int64_t x)
{
    int odd = 0;
    for (; x; x &= x - 1)
        odd = !odd;
    return odd;
}

static pt_status hadamard_make(pt_code *code, const pt_params *params, const pt_task *task,
                               pt_texts *warnings, pt_error *err)
{
    (void)params;
    (void)task;
    (void)warnings;
    int64_t order = 2;
    while (order < code->k)
        order *= 2;
    const int64_t ell = order - 1;
    pt_status status = pt_code_alloc(code, ell, err);
    for (int64_t r = 0; r < code->k && status == PT_OK; r++)
        for (int64_t s = 0; s < ell; s++)
            code->M[r * ell + s] = parity(r & (s + 1)) ? -1 : 1;
    return status;
}

const pt_code_family pt_code_hadamard = {
    .name = "hadamard",
    .summary = "every two classes differ in n/2 of n-1 columns, n the power of 2 from k on",
    .parameters = "",
    .make = hadamard_make};
