/* Codes that are written down: one against all, all pairs, and those that a rule makes. */
#include "codes/code.h"

#include <string.h>

/* One against all: a column for each class, +1 for it and -1 for the others (ASS). rho = 2. */
static pt_status ova_make(pt_code *code, const pt_params *params, const pt_task *task,
                          pt_warnings *warnings, pt_error *err)
{
    (void)params;
    (void)task;
    (void)warnings;
    const int64_t k = code->k;
    PT_TRY(pt_code_alloc(code, k, err));
    memset(code->M, -1, (size_t)(k * k));
    for (int64_t r = 0; r < k; r++)
        code->M[r * k + r] = 1;
    return PT_OK;
}

const pt_code_family pt_code_ova = {.name = "ova",
                                    .summary = "one against all: a column for each class",
                                    .parameters = "",
                                    .make = ova_make};

/* All pairs: a column for each pair of classes (ASS). rho = (C(k,2) - 1)/2 + 1. */
static pt_status ovo_make(pt_code *code, const pt_params *params, const pt_task *task,
                          pt_warnings *warnings, pt_error *err)
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

/* The complete code (ASS): every way to divide the classes in two, 2^(k-1) - 1 columns; rho is
 * 2^(k-2). Class 1 is +1 everywhere, so that no column is the opposite of another; column s gives
 * class r (from 1) the sign + where bit r-1 of s is set, and s = all ones, which divides nothing,
 * is left out. */
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
                               pt_warnings *warnings, pt_error *err)
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

/* The ordinal code: classes have an order, and column s asks whether a class comes behind the s-th;
 * k - 1 columns, and classes that are further apart in the order are so in the code: rho = 1, and
 * classes r and c are |r - c| apart. */
static pt_status ordinal_make(pt_code *code, const pt_params *params, const pt_task *task,
                              pt_warnings *warnings, pt_error *err)
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

/* Hadamard codes: the rows of Sylvester's matrix of order n = 2^m >= k, H_rs = (-1)^(bits that r
 * and s share), without its first column, which is constant. Every two rows differ in n/2 of the
 * n-1 columns, so that rho = n/2.
 *
 * There is one for every k: with the smallest n, rows 0, 1, 2, 4, ..., n/2 are among the first k.
 * They tell all bits of a column's number, so that no two columns are equal, and none is constant;
 * row 0 is all +1, so that no two are opposite. */
static int parity(int64_t x)
{
    int odd = 0;
    for (; x; x &= x - 1)
        odd = !odd;
    return odd;
}

static pt_status hadamard_make(pt_code *code, const pt_params *params, const pt_task *task,
                               pt_warnings *warnings, pt_error *err)
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
