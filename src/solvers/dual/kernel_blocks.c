/* What the solvers by kernel values share: see kernel_blocks.h.
 *
 * The largest of many come by a heap of those chosen so far with the least on top: one comparison
 * for almost all of them. Matrices of kernel values are tested by a Cholesky factor. */
#include "solvers/dual/kernel_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "linalg/linalg.h"

enum { ROWS = PT_KERNEL_BLOCK_ROWS, COLUMNS = PT_KERNEL_BLOCK_COLUMNS, FEW = 64 };

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

/* ---- all rows with some ---------------------------------------------------------------------- */

typedef struct blocks {
    pt_gram *gram; /* of all rows */
    pt_gram *some; /* and of those */
    const pt_kernel *kernel;
    pt_type type;
    int64_t n;
    int64_t n_some;
    void (*add)(void *context, const pt_kernel_block *block);
    void *context;
    char *scratch; /* of every worker */
    size_t scratch_bytes;
    size_t block_bytes;
} blocks;

static pt_status rows_body(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)err;
    const blocks *b = context;
    const int64_t first = piece * ROWS;
    const int64_t height = b->n - first < ROWS ? b->n - first : ROWS;
    char *values = b->scratch + (size_t)worker * b->scratch_bytes;
    for (int64_t at = 0; at < b->n_some; at += COLUMNS) {
        const int64_t columns = b->n_some - at < COLUMNS ? b->n_some - at : COLUMNS;
        pt_gram_block(b->gram, first, height, b->some, at, columns, values, height,
                      values + b->block_bytes);
        pt_kernel_map(b->kernel, b->type, height, columns, values, height);
        b->add(b->context, &(pt_kernel_block){first, height, at, columns, values});
    }
    return PT_OK;
}

pt_status pt_kernel_blocks(pt_gram *gram, const pt_rows *rows, const pt_kernel *kernel,
                           const int64_t *some, int64_t n_some,
                           void (*add)(void *context, const pt_kernel_block *block), void *context,
                           const pt_task *task, pt_error *err)
{
    const int64_t pieces = (rows->n + ROWS - 1) / ROWS;
    blocks b = {.gram = gram,
                .kernel = kernel,
                .type = rows->type,
                .n = rows->n,
                .n_some = n_some,
                .add = add,
                .context = context};
    if (n_some == 0)
        return PT_OK;
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned chosen = {0};
    PT_TRY(pt_rows_select(&chosen, rows, some, n_some, err));
    PT_TRY(pt_gram_new_like(&b.some, &chosen.rows, gram, task, err));
    b.block_bytes = pt_arena_need(ROWS * COLUMNS, pt_type_size(rows->type));
    b.scratch_bytes = b.block_bytes + pt_gram_scratch(gram, b.some, ROWS, COLUMNS);
    b.scratch = pt_alloc(pt_parallel_workers(task, pieces), b.scratch_bytes,
                         "work space for a gradient", err);
    const pt_status status =
        b.scratch ? pt_parallel_for(task, pieces, rows_body, &b, err) : PT_ENOMEM;
    pt_free(b.scratch);
    pt_gram_free(b.some);
    return status;
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
                   "the kernel is not positive semidefinite: k(x, x) = %.3g for a row; "
                   "choose another --kernel",
                   own);
}

pt_status pt_refuse_pair_value(pt_error *err)
{
    return pt_fail(err, PT_ENUMERIC,
                   "the kernel is not positive semidefinite: |k(x, z)|^2 > k(x, x) "
                   "k(z, z) for two rows; choose another --kernel");
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
                   "eigenvalue, and the solution would not be the best; choose another --kernel "
                   "or, where it is precomputed, add to its diagonal");
}
