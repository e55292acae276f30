/* K(a, b) A as predictions form it: new rows meet centres, whose values meet coefficients. */
#ifndef TESTS_SUPPORT_CENTRE_PRODUCT_H
#define TESTS_SUPPORT_CENTRE_PRODUCT_H

#include "base/alloc.h"
#include "kernels/centres.h"
#include "kernels/gram_rows.h"

typedef struct product_of {
    pt_type type;
    const void *A; /* column-major */
    int64_t lda;
    int64_t m; /* rows of out */
    int64_t ell;
    void *out; /* m x ell column-major */
} product_of;

static void product_coefficients(const void *of, int64_t i, int64_t from, int64_t count,
                                 double *row)
{
    const product_of *p = of;
    for (int64_t s = 0; s < count; s++)
        row[s] = pt_real_get(p->type, p->A, i + (from + s) * p->lda);
}

static void product_take(void *context, int64_t group, int64_t row, int64_t n, const void *sums,
                         int64_t ld)
{
    const product_of *p = context;
    (void)group;
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < p->ell; s++)
            pt_real_set(p->type, p->out, row + i + s * p->m,
                        pt_real_get(p->type, sums, i * ld + s));
}

static inline pt_status centre_product(const pt_rows *a, const pt_rows *b, const pt_kernel *kernel,
                                       pt_type type, const void *A, int64_t lda, int64_t ell,
                                       void *out, const pt_task *task, pt_error *err)
{
    product_of p = {type, A, lda, a->n, ell, out};
    const int64_t first[] = {0, b->n};
    pt_centres *centres = NULL;
    void *coef = NULL;
    pt_status status = pt_centres_new(&centres, b, NULL, kernel->ops, type, task, err);
    if (status == PT_OK)
        status = pt_coefficients_lay(&coef, b->n, ell, type, product_coefficients, &p, NULL, err);
    const pt_centre_sums sums = {centres, kernel, ell, 1, first, coef};
    if (status == PT_OK)
        status = pt_centre_sums_of(&sums, a, product_take, &p, task, err);
    pt_free(coef);
    pt_centres_free(centres);
    return status;
}

#endif
