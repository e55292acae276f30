/* The range of a symmetric positive semidefinite k x k matrix, by Gram-Schmidt on its columns: the
 * longest that is left is next, every column is made orthogonal twice. Time O(k^2 rank). */
#include "codes/vectors/label_range.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/linalg.h"

/* What is left of a column is 0 but for rounding below this, relative to the longest. */
static const double RANK_TOLERANCE = 1e-10;
/* The part of the ones outside of the range, in squares, relative to their own, that is none. */
static const double ONES_TOLERANCE = 1e-12;

void pt_label_range_free(pt_label_range *range)
{
    pt_free(range->V);
    memset(range, 0, sizeof *range);
}

static double dot(const double *a, const double *b, int64_t k)
{
    double sum = 0;
    for (int64_t r = 0; r < k; r++)
        sum += a[r] * b[r];
    return sum;
}

/* x <- x - V V^T x for the first `count` columns of V. */
static void remove_range(const double *V, int64_t count, double *x, int64_t k)
{
    for (int64_t s = 0; s < count; s++) {
        const double along = dot(V + s * k, x, k);
        for (int64_t r = 0; r < k; r++)
            x[r] -= along * V[s * k + r];
    }
}

/* The longest column of `left`; its norm. */
static int64_t longest_column(const double *left, int64_t k, double *norm)
{
    int64_t longest = 0;
    *norm = -1;
    for (int64_t c = 0; c < k; c++) {
        const double square = dot(left + c * k, left + c * k, k);
        if (square > *norm) {
            *norm = square;
            longest = c;
        }
    }
    *norm = sqrt(fmax(0, *norm));
    return longest;
}

pt_status pt_label_range_init(pt_label_range *range, const double *Q, int64_t k, pt_error *err)
{
    pt_label_range made = {.k = k, .V = pt_alloc(k * k, sizeof(double), "label vectors", err)};
    double *left = pt_alloc(k * k, sizeof(double), "label vectors", err);
    if (!made.V || !left) {
        pt_free(left);
        pt_free(made.V);
        return PT_ENOMEM;
    }
    memcpy(left, Q, (size_t)(k * k) * sizeof *left);
    double most = 0;
    while (made.rank < k) {
        double norm = 0;
        const double *next = left + longest_column(left, k, &norm) * k;
        most = fmax(most, norm);
        if (!(norm > RANK_TOLERANCE * most))
            break;
        double *v = made.V + made.rank * k;
        for (int64_t r = 0; r < k; r++)
            v[r] = next[r] / norm;
        remove_range(made.V, made.rank, v, k);
        norm = sqrt(dot(v, v, k));
        for (int64_t r = 0; r < k; r++)
            v[r] /= norm;
        made.rank++;
        for (int64_t c = 0; c < k; c++)
            remove_range(v, 1, left + c * k, k);
    }
    pt_free(left);
    *range = made;
    return PT_OK;
}

bool pt_label_range_has_ones(const pt_label_range *range)
{
    double inside = 0; /* ||V V^T 1||^2 */
    for (int64_t s = 0; s < range->rank; s++) {
        double along = 0;
        for (int64_t r = 0; r < range->k; r++)
            along += range->V[s * range->k + r];
        inside += along * along;
    }
    return (double)range->k - inside <= ONES_TOLERANCE * (double)range->k;
}

/* c = V (V^T Q V)^-1 z. */
pt_status pt_label_range_preimage(const pt_label_range *range, const double *Q, const double *z,
                                  double *c, pt_error *err)
{
    const int64_t k = range->k;
    const int64_t rank = range->rank;
    PT_SCRATCH double *QV = pt_alloc(k * rank + 1, sizeof(double), "a bias", err);
    PT_SCRATCH double *S = pt_alloc(rank * rank + 1, sizeof(double), "a bias", err);
    PT_SCRATCH double *y = pt_alloc(rank + 1, sizeof(double), "a bias", err);
    if (!QV || !S || !y)
        return PT_ENOMEM;
    if (rank > 0) {
        memcpy(y, z, (size_t)rank * sizeof *y);
        pt_la_gemm(PT_F64, 'n', 'n', k, rank, k, 1, Q, k, range->V, k, 0, QV, k);
        pt_la_gemm(PT_F64, 't', 'n', rank, rank, k, 1, range->V, k, QV, k, 0, S, rank);
        if (!pt_la_dense_cholesky(PT_F64, rank, S, rank))
            return pt_fail(
                err, PT_ENUMERIC,
                "the label vectors are too nearly dependent for a bias; use another `labelbook`");
    }
    if (rank > 0)
        pt_la_dense_cholesky_solve(PT_F64, rank, 1, S, rank, y, rank);
    for (int64_t r = 0; r < k; r++) {
        c[r] = 0;
        for (int64_t s = 0; s < rank; s++)
            c[r] += range->V[s * k + r] * y[s];
    }
    return PT_OK;
}
