/* Least squares with the matrix P o K: the products with it, and the border of a free bias.
 *
 * P o K is never multiplied out: with beta spread over the columns of the classes,
 * A = diag(beta) E,
 *
 *     ((P o K) beta)_i = sum_c Q[y_i, c] (K A)_ic ,
 *
 * so that a product with it costs a product of K with k columns, as oneLSM's does.
 *
 * Border (HNR, vo-LSSVM with bias: [[0, Y^T], [Y, H]] [b; beta] = [0; 1]). Only the inner products
 * u = M b of the bias with the label vectors matter, and they are the range of Q: u = V z. Given an
 * approximate factor H ~ L L^T the system is corrected by block elimination: with D = H^-1 r,
 * X = H^-1 E V, S = V^T E^T X,
 *
 *     dz = S^-1 V^T E^T (beta + D) ,   dbeta = D - X dz ,
 *
 * and refinement does the rest. S is positive definite if every class has a row. */
#include "solvers/squares/ls_coupling.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "linalg/linalg.h"

/* ---- tiles ----------------------------------------------------------------------------------- */

#define DEFINE_COUPLE(T, suffix)                                                                   \
    static void couple_##suffix(int64_t m, int64_t n, T *block, int64_t ld,                        \
                                const int32_t *class_row, const int32_t *class_column, const T *Q, \
                                int64_t k, T offset)                                               \
    {                                                                                              \
        for (int64_t j = 0; j < n; j++) {                                                          \
            const T *q = Q + class_column[j] * k;                                                  \
            T *column = block + j * ld;                                                            \
            for (int64_t i = 0; i < m; i++)                                                        \
                column[i] = q[class_row[i]] * (column[i] + offset);                                \
        }                                                                                          \
    }

DEFINE_COUPLE(float, f32)
DEFINE_COUPLE(double, f64)

void pt_ls_couple_block(pt_type type, int64_t m, int64_t n, void *block, int64_t ld,
                        const int32_t *class_row, const int32_t *class_column, const void *Q,
                        int64_t k, double offset)
{
    if (type == PT_F32)
        couple_f32(m, n, block, ld, class_row, class_column, Q, k, (float)offset);
    else
        couple_f64(m, n, block, ld, class_row, class_column, Q, k, offset);
}

pt_status pt_ls_narrow_products(void **out, pt_type type, const double *Q, int64_t k, pt_error *err)
{
    void *made = pt_alloc(k * k, pt_type_size(type), "label vectors", err);
    if (!made)
        return PT_ENOMEM;
    for (int64_t i = 0; i < k * k; i++)
        if (type == PT_F32)
            ((float *)made)[i] = (float)Q[i];
        else
            ((double *)made)[i] = Q[i];
    *out = made;
    return PT_OK;
}

typedef struct coupling_tiles {
    pt_tiles *K;
    const int32_t *class32;
    const void *Q;
    int64_t k;
    double offset;
} coupling_tiles;

static pt_status couple_tile(void *context, int64_t t, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const coupling_tiles *c = context;
    int64_t I = 0;
    int64_t J = 0;
    pt_tiles_place(c->K, t, &I, &J);
    pt_ls_couple_block(c->K->type, pt_tile_rows(c->K, I), pt_tile_rows(c->K, J),
                       pt_tile_at(c->K, I, J), c->K->nb, c->class32 + I * c->K->nb,
                       c->class32 + J * c->K->nb, c->Q, c->k, c->offset);
    return PT_OK;
}

pt_status pt_ls_couple_tiles(const pt_ls_coupling *coupling, const int64_t *class_of, int64_t k,
                             pt_tiles *K, const pt_task *task, pt_error *err)
{
    PT_SCRATCH void *Q = NULL;
    PT_SCRATCH int32_t *class32 = NULL;
    PT_TRY(PT_NEW(class32, K->n, "classes", err));
    PT_TRY(pt_ls_narrow_products(&Q, K->type, coupling->Q, k, err));
    for (int64_t i = 0; i < K->n; i++)
        class32[i] = (int32_t)class_of[i];
    coupling_tiles c = {K, class32, Q, k, coupling->offset};
    return pt_parallel_for(task, pt_tiles_count(K), couple_tile, &c, err);
}

/* ---- products -------------------------------------------------------------------------------- */

void pt_ls_coupled_free(pt_ls_coupled *c)
{
    pt_free(c->spread);
    pt_free(c->product);
    pt_free(c->sum);
    pt_free(c->constant);
    pt_free(c->X);
    pt_free(c->S);
    pt_free(c->dz);
}

pt_status pt_ls_coupled_init(pt_ls_coupled *c, const pt_ls_coupling *coupling,
                             const int64_t *class_of, int64_t n, int64_t k, double *z,
                             pt_error *err)
{
    const int64_t rank = coupling->V ? coupling->rank : 0;
    *c = (pt_ls_coupled){
        .coupling = coupling, .class_of = class_of, .n = n, .k = k, .z = rank > 0 ? z : NULL};
    c->spread = pt_alloc(k, (size_t)n * sizeof(double), "coefficients by class", err);
    c->product = pt_alloc(k, (size_t)n * sizeof(double), "coefficients by class", err);
    c->sum = pt_alloc(k, sizeof(double), "sums by class", err);
    c->constant = pt_alloc(k, sizeof(double), "sums by class", err);
    pt_status status = c->spread && c->product && c->sum && c->constant ? PT_OK : PT_ENOMEM;
    if (status == PT_OK && rank > 0) {
        c->X = pt_alloc(rank, (size_t)n * sizeof(double), "the border", err);
        c->S = pt_alloc(rank * rank, sizeof(double), "the border", err);
        c->dz = pt_alloc(rank, sizeof(double), "the border", err);
        status = c->X && c->S && c->dz ? PT_OK : PT_ENOMEM;
    }
    if (status != PT_OK) {
        pt_ls_coupled_free(c);
        *c = (pt_ls_coupled){0};
    }
    return status;
}

void pt_ls_coupled_reset(pt_ls_coupled *c)
{
    for (int64_t s = 0; c->z && s < c->coupling->rank; s++)
        c->z[s] = 0;
}

static void sum_by_class(pt_ls_coupled *c, const double *beta)
{
    memset(c->sum, 0, (size_t)c->k * sizeof *c->sum);
    for (int64_t i = 0; i < c->n; i++)
        c->sum[c->class_of[i]] += beta[i];
}

void pt_ls_coupled_spread(pt_ls_coupled *c, const double *beta)
{
    memset(c->spread, 0, (size_t)(c->n * c->k) * sizeof *c->spread);
    for (int64_t i = 0; i < c->n; i++)
        c->spread[c->class_of[i] * c->n + i] = beta[i];
    sum_by_class(c, beta);
}

/* u_r = (V z)_r. */
static double bias_of_class(const pt_ls_coupled *c, int64_t r)
{
    double u = 0;
    for (int64_t s = 0; c->z && s < c->coupling->rank; s++)
        u += c->coupling->V[s * c->k + r] * c->z[s];
    return u;
}

void pt_ls_coupled_gather(pt_ls_coupled *c, double *R)
{
    const double *Q = c->coupling->Q;
    for (int64_t r = 0; r < c->k; r++) { /* what is the same for all rows of a class */
        c->constant[r] = bias_of_class(c, r);
        for (int64_t s = 0; s < c->k; s++)
            c->constant[r] += c->coupling->offset * Q[r * c->k + s] * c->sum[s];
    }
    for (int64_t i = 0; i < c->n; i++) {
        const double *q = Q + c->class_of[i] * c->k;
        double sum = c->constant[c->class_of[i]];
        for (int64_t s = 0; s < c->k; s++)
            sum += q[s] * c->product[s * c->n + i];
        R[i] = sum;
    }
}

/* ---- the border ------------------------------------------------------------------------------ */

/* X <- E V, in the factor's type where that is float. */
static void fill_border(const pt_ls_coupled *c, pt_type type, void *X)
{
    for (int64_t s = 0; s < c->coupling->rank; s++)
        for (int64_t i = 0; i < c->n; i++) {
            const double v = c->coupling->V[s * c->k + c->class_of[i]];
            if (type == PT_F32)
                ((float *)X)[s * c->n + i] = (float)v;
            else
                ((double *)X)[s * c->n + i] = v;
        }
}

/* out (rank) <- V^T E^T beta. */
static void project(pt_ls_coupled *c, const double *beta, double *out)
{
    sum_by_class(c, beta);
    for (int64_t s = 0; s < c->coupling->rank; s++) {
        out[s] = 0;
        for (int64_t r = 0; r < c->k; r++)
            out[s] += c->coupling->V[s * c->k + r] * c->sum[r];
    }
}

pt_status pt_ls_coupled_border(pt_ls_coupled *c, const pt_tiles *L, const pt_task *task,
                               pt_error *err)
{
    if (!c->z)
        return PT_OK;
    const int64_t rank = c->coupling->rank;
    fill_border(c, L->type, c->X);
    PT_TRY(pt_la_cholesky_solve(L, c->X, rank, c->n, task, err));
    if (L->type == PT_F32) /* widened in place, from the end */
        for (int64_t i = rank * c->n - 1; i >= 0; i--)
            c->X[i] = (double)((const float *)(const void *)c->X)[i];
    for (int64_t s = 0; s < rank; s++)
        project(c, c->X + s * c->n, c->S + s * rank);
    if (!pt_la_dense_cholesky(PT_F64, rank, c->S, rank))
        return pt_fail(err, PT_ENUMERIC, "the border of the bias is singular");
    return PT_OK;
}

void pt_ls_coupled_balance(pt_ls_coupled *c, double *beta)
{
    if (!c->z)
        return;
    const int64_t rank = c->coupling->rank;
    project(c, beta, c->dz);
    pt_la_dense_cholesky_solve(PT_F64, rank, 1, c->S, rank, c->dz, rank);
    for (int64_t s = 0; s < rank; s++) {
        c->z[s] += c->dz[s];
        for (int64_t i = 0; i < c->n; i++)
            beta[i] -= c->dz[s] * c->X[s * c->n + i];
    }
}

double pt_ls_coupled_imbalance(pt_ls_coupled *c, const double *beta)
{
    if (!c->z)
        return 0;
    double worst = 0;
    double total = 0;
    project(c, beta, c->dz);
    for (int64_t s = 0; s < c->coupling->rank; s++)
        worst = fmax(worst, fabs(c->dz[s]));
    for (int64_t i = 0; i < c->n; i++)
        total += fabs(beta[i]);
    return total > 0 ? worst / total : 0;
}
