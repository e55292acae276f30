/* What the dual solvers share: see dual_parts.h.
 *
 * The largest of many come by a heap of those chosen so far with the least on top: one comparison
 * for almost all of them. Matrices of kernel values are tested by a Cholesky factor. */
#include "solvers/dual/dual_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/math.h"
#include "linalg/linalg.h"

/* ---- the end --------------------------------------------------------------------------------- */

static const double SAID = 0.5; /* a gap is told once it has fallen by this */

void pt_dual_end_restart(pt_dual_end *end)
{
    end->best_gap = INFINITY;
    end->best_value = -INFINITY;
    end->still = 0;
}

bool pt_dual_within(const pt_dual_end *end, double asked)
{
    return end->gap <= asked * end->value || end->gap == 0;
}

bool pt_dual_reached(const pt_dual_end *end)
{
    return pt_dual_within(end, end->asked);
}

bool pt_dual_stalled(pt_dual_end *end, double fall, double rise, int most)
{
    const bool better = end->gap < (1 - fall) * end->best_gap ||
                        end->value > end->best_value + rise * fabs(end->best_value);
    end->still = better ? 0 : end->still + 1;
    end->best_gap = fmin(end->best_gap, end->gap);
    end->best_value = fmax(end->best_value, end->value);
    return end->still >= most;
}

double pt_dual_relative_gap(const pt_dual_end *end)
{
    return end->value > 0 ? end->gap / end->value : INFINITY;
}

double pt_dual_progress(double now, double asked)
{
    const double way = log(1 / asked); /* from a gap of 1 */
    const double done = now > 0 ? log(1 / now) : way;
    return way > 0 ? fmin(fmax(done / way, 0), 1) : 1;
}

bool pt_dual_is_news(pt_dual_end *end, bool always)
{
    const double now = pt_dual_relative_gap(end);
    if (!always && !(now < SAID * end->said))
        return false;
    end->said = now;
    return true;
}

pt_status pt_dual_check(const pt_dual_end *end, pt_error *err)
{
    if (isfinite(end->value))
        return PT_OK;
    return pt_fail(err, PT_ENUMERIC,
                   "the solution is too large to compute; lower `C` or scale the data");
}

/* ---- the largest ----------------------------------------------------------------------------- */

static void sift_down(const double *value, int64_t *heap, int64_t count, int64_t at)
{
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && value[heap[child + 1]] < value[heap[child]])
            child++;
        if (value[heap[at]] <= value[heap[child]])
            return;
        const int64_t swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

enum { FEW = 64 };

/* By insertion where they are few. */
static void sort_ascending(int64_t *item, int64_t count)
{
    if (count > FEW) {
        qsort(item, (size_t)count, sizeof *item, pt_ascending_integers);
        return;
    }
    for (int64_t i = 1; i < count; i++) {
        const int64_t x = item[i];
        int64_t at = i;
        for (; at > 0 && item[at - 1] > x; at--)
            item[at] = item[at - 1];
        item[at] = x;
    }
}

int64_t pt_choose_largest(const double *value, int64_t n, int64_t most, int64_t *chosen)
{
    int64_t i = 0;
    int64_t count = 0;
    for (; i < n && count < most; i++)
        if (value[i] > 0)
            chosen[count++] = i;
    for (int64_t at = count / 2 - 1; at >= 0; at--)
        sift_down(value, chosen, count, at);
    double least = count == most ? value[chosen[0]] : 0;
    for (; i < n; i++)
        if (value[i] > least) {
            chosen[0] = i;
            sift_down(value, chosen, count, 0);
            least = value[chosen[0]];
        }
    sort_ascending(chosen, count);
    return count;
}

/* ---- positive semidefinite ------------------------------------------------------------------- */

/* Rounding of a kernel value, in float32 or in a file, relative to sqrt(A_ii A_jj). Times the size
 * of the matrix: the most by which it moves an eigenvalue. */
static const double ROUNDING = 1e-6;

bool pt_may_be_indefinite(const pt_kernel *kernel)
{
    return !kernel || !kernel->ops->psd ||
           (strstr(kernel->ops->parameters, "coef0") && kernel->coef0 < 0);
}

pt_status pt_check_own_value(double own, double curve, pt_error *err)
{
    if (curve >= 0 && isfinite(curve))
        return PT_OK;
    return pt_fail(err, PT_ENUMERIC,
                   "the kernel is not positive semidefinite: k(x, x) = %.3g for a row; choose "
                   "another `kernel`",
                   own);
}

pt_status pt_refuse_pair_value(pt_error *err)
{
    return pt_fail(err, PT_ENUMERIC,
                   "the kernel is not positive semidefinite: |k(x, z)|^2 > k(x, x) k(z, z) for two "
                   "rows; choose another `kernel`");
}

pt_status pt_check_semidefinite(double *A, int64_t m, pt_error *err)
{
    for (int64_t i = 0; i < m; i++) {
        const double own = A[i * m + i];
        A[i * m + i] = own > 0 ? own * (1 + ROUNDING * (double)m) : 1; /* a row of zeros */
    }
    if (m == 0 || pt_la_dense_cholesky(PT_F64, m, A, m))
        return PT_OK;
    return pt_fail(err, PT_ENUMERIC,
                   "the kernel is not positive semidefinite: a matrix of its values has a negative "
                   "eigenvalue, and the solution would not be the best; choose another `kernel` "
                   "or, where it is precomputed, add to its diagonal");
}
