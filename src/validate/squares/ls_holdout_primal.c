/* Exact held-out outputs of the linear least-squares machine through its d x d system.
 *
 * With G = X^T W X + gamma I, F a held-out fold and R the rest, Woodbury's identity on G - X_F^T
 * W_F X_F gives
 *
 *     f_F = (I - H W_F)^-1 X_F G^-1 X_R^T W_R E_R ,    H = X_F G^-1 X_F^T .
 *
 * X_R^T W_R E_R is the sum of the moments B_F' = X_F'^T W_F' E_F' of the other folds, never the
 * total minus the own (see ls_holdout.c); rows that are never held out are a block of their own
 * there. For leave-one-out the rows are cut into blocks: outside
 * the block of row i the moments serve, inside it the other rows enter one by one through H:
 *
 *     f_i = ( x_i^T G^-1 B_outside + sum_{j in block, j != i} H_ij w_j e_{y_j} ) / (1 - H_ii w_i) .
 *
 *   G    d x d      X^T W X, computed once; L the factor of G + gamma I; lower tiles, double
 *   B    blocks x d x k   moments, column-major each
 *   P    d x m      G^-1 X_F^T for one block F of m rows
 *
 * Time n d^2 once, d^3/3 for each ridge and d^2 m + d m^2 + m^3/3 for each fold of m; all in
 * double. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/text.h"
#include "linalg/linalg.h"
#include "validate/squares/ls_holdout.h"

enum { LOO_BLOCKS = 64 };

/* Rows sorted by block, and what one block needs. */
typedef struct blocks {
    const pt_ls_problem *problem; /* in block order */
    int64_t count;
    int64_t held; /* blocks that are held out: the first ones */
    int64_t largest;
    const int64_t *first; /* count + 1 */
    const int64_t *order; /* our position -> the caller's row */
    bool loo;
    double *B;      /* count x d x k */
    double *others; /* d x k: sum of the other blocks' moments */
    double *X;      /* d x m: the block's rows, column-major */
    double *P;      /* d x m: G^-1 X_F^T */
    double *H;      /* m x m */
    double *right;  /* m x k */
    double *scores; /* n x k row-major */
} blocks;

static void blocks_free(blocks *b)
{
    pt_free(b->B);
    pt_free(b->others);
    pt_free(b->X);
    pt_free(b->P);
    pt_free(b->H);
    pt_free(b->right);
    pt_free(b->scores);
}

/* The factor and the transposed rows behind it are there at the same time. */
static pt_status check_budget(const blocks *b, const pt_task *task, pt_error *err)
{
    const pt_rows *rows = b->problem->rows;
    const double d = (double)rows->d;
    const double k = (double)b->problem->k;
    const double m = (double)b->largest;
    const double need =
        8 * ((double)(b->count + 1) * d * k + 2 * m * d + m * m + m * k + (double)rows->n * k) +
        pt_ls_primal_bytes(pt_rows_stored(rows), rows->n, rows->d, 0);
    const double budget = (double)pt_task_memory(task);
    if (need <= budget)
        return PT_OK;
    return pt_fail(err, PT_EMEMORY,
                   "held-out scores need %s and %s may be used; raise `memory` or use fewer folds",
                   PT_SHOW_BYTES(need), PT_SHOW_BYTES(budget));
}

static pt_status blocks_init(blocks *b, const pt_task *task, pt_error *err)
{
    const pt_status enough = check_budget(b, task, err);
    if (enough != PT_OK)
        return enough;
    const int64_t n = b->problem->rows->n;
    const int64_t d = b->problem->rows->d;
    const int64_t k = b->problem->k;
    const size_t column = (size_t)d * sizeof(double);
    b->B = pt_alloc(b->count * k, column, "moments of the folds", err);
    b->others = pt_alloc(k, column, "moments of the folds", err);
    b->X = pt_alloc(b->largest, column, "a fold's rows", err);
    b->P = pt_alloc(b->largest, column, "a fold's rows", err);
    b->H = pt_alloc(b->largest, (size_t)b->largest * sizeof(double), "a fold's matrix", err);
    b->right = pt_alloc(k, (size_t)b->largest * sizeof(double), "a fold's outputs", err);
    b->scores = pt_alloc_zero(n, (size_t)k * sizeof(double), "held-out scores", err);
    if (!b->B || !b->others || !b->X || !b->P || !b->H || !b->right || !b->scores)
        return PT_ENOMEM;
    /* a product with few terms would touch all of it in one call */
    PT_TRY(pt_task_touch(task, b->H, (size_t)(b->largest * b->largest) * sizeof(double), err));
    for (int64_t f = 0; f < b->count; f++)
        PT_TRY(
            pt_ls_moments(b->problem, b->first[f], b->first[f + 1], b->B + f * d * k, task, err));
    return PT_OK;
}

static pt_status copy_rows(const pt_rows *rows, int64_t first, int64_t m, double *X,
                           const pt_task *task, pt_error *err)
{
    PT_TRY(pt_task_clear(task, X, (size_t)(m * rows->d) * sizeof *X, err));
    for (int64_t a = 0; a < m; a++) {
        PT_TRY(pt_task_check_row(task, a, pt_rows_width(rows), err));
        double *x = X + a * rows->d;
        if (rows->dense)
            for (int64_t j = 0; j < rows->d; j++)
                x[j] = pt_rows_value(rows, rows->dense, (first + a) * rows->stride + j);
        else
            for (int64_t p = rows->start[first + a]; p < rows->start[first + a + 1]; p++)
                x[rows->index[p]] = pt_rows_value(rows, rows->value, p);
    }
    return PT_OK;
}

static pt_status sum_other_blocks(blocks *b, int64_t block, const pt_task *task, pt_error *err)
{
    const int64_t count = b->problem->rows->d * b->problem->k;
    memset(b->others, 0, (size_t)count * sizeof(double));
    for (int64_t f = 0; f < b->count; f++) {
        PT_TRY(pt_task_check_row(task, f, count, err));
        if (f != block)
            pt_la_axpy(PT_F64, count, 1, b->B + f * count, b->others);
    }
    return PT_OK;
}

/* I - H W_F is made symmetric by W_F^1/2 on both sides; f = W^-1/2 (I - W^1/2 H W^1/2)^-1 W^1/2
 * right. *fine <- false where rounding leaves no such matrix. */
static pt_status finish_fold(blocks *b, int64_t first, int64_t m, bool *fine, const pt_task *task,
                             pt_error *err)
{
    const int64_t k = b->problem->k;
    for (int64_t c = 0; c < m; c++) {
        PT_TRY(pt_task_check_row(task, c, 4 * m, err)); /* roots take their time */
        for (int64_t a = 0; a < m; a++)
            b->H[c * m + a] = (double)(a == c) - sqrt(pt_weight(b->problem->weight, first + a)) *
                                                     b->H[c * m + a] *
                                                     sqrt(pt_weight(b->problem->weight, first + c));
    }
    for (int64_t r = 0; r < k; r++)
        for (int64_t a = 0; a < m; a++)
            b->right[r * m + a] *= sqrt(pt_weight(b->problem->weight, first + a));
    const pt_status factored = pt_la_long_cholesky(PT_F64, m, b->H, m, task, err);
    *fine = factored != PT_ENUMERIC;
    if (factored != PT_OK)
        return *fine ? factored : PT_OK;
    PT_TRY(pt_la_long_solve(PT_F64, m, k, b->H, m, b->right, m, task, err));
    for (int64_t a = 0; a < m; a++)
        for (int64_t r = 0; r < k; r++)
            b->scores[b->order[first + a] * k + r] =
                b->right[r * m + a] / sqrt(pt_weight(b->problem->weight, first + a));
    return PT_OK;
}

/* row += share E_i. */
static void add_target(const pt_ls_problem *problem, int64_t i, double share, double *row)
{
    if (!problem->targets) {
        row[problem->class_of[i]] += share;
        return;
    }
    for (int64_t r = 0; r < problem->k; r++)
        row[r] += share * pt_ls_target(problem, i, r);
}

/* Leave-one-out inside a block: the block's other rows enter through H. */
static pt_status finish_loo(blocks *b, int64_t first, int64_t m, bool *fine, const pt_task *task,
                            pt_error *err)
{
    const int64_t k = b->problem->k;
    for (int64_t a = 0; a < m; a++) {
        PT_TRY(pt_task_check_row(task, a, b->problem->targets ? m * k : m, err));
        double *row = b->scores + b->order[first + a] * k;
        for (int64_t r = 0; r < k; r++)
            row[r] = b->right[r * m + a];
        for (int64_t c = 0; c < m; c++)
            if (c != a)
                add_target(b->problem, first + c,
                           b->H[c * m + a] * pt_weight(b->problem->weight, first + c), row);
        const double left = 1 - b->H[a * m + a] * pt_weight(b->problem->weight, first + a);
        *fine = left > 0;
        if (!*fine)
            return PT_OK;
        for (int64_t r = 0; r < k; r++)
            row[r] /= left;
    }
    return PT_OK;
}

/* All blocks of one point, given the factor of G. */
static pt_status run_blocks(blocks *b, const pt_tiles *L, bool *fine, const pt_task *task,
                            pt_error *err)
{
    const int64_t d = b->problem->rows->d;
    const int64_t k = b->problem->k;
    *fine = true;
    for (int64_t f = 0; f < b->held && *fine; f++) {
        const int64_t first = b->first[f];
        const int64_t m = b->first[f + 1] - first;
        if (m == 0)
            continue;
        PT_TRY(copy_rows(b->problem->rows, first, m, b->X, task, err));
        memcpy(b->P, b->X, (size_t)(d * m) * sizeof(double));
        PT_TRY(pt_la_cholesky_solve(L, b->P, m, d, task, err));
        PT_TRY(sum_other_blocks(b, f, task, err));
        PT_TRY(
            pt_la_long_gemm(PT_F64, 't', 'n', m, m, d, 1, b->X, d, b->P, d, 0, b->H, m, task, err));
        PT_TRY(pt_la_long_gemm(PT_F64, 't', 'n', m, k, d, 1, b->P, d, b->others, d, 0, b->right, m,
                               task, err));
        PT_TRY(b->loo ? finish_loo(b, first, m, fine, task, err)
                      : finish_fold(b, first, m, fine, task, err));
    }
    return PT_OK;
}

/* One partition of one point, given the factor of G. */
static pt_status run_partition(const pt_ls_problem *problem, const pt_tiles *L,
                               const pt_partitions *partitions, int64_t point, int64_t partition,
                               pt_holdout_fn take, void *context, const pt_task *task,
                               pt_error *err)
{
    const int64_t n = problem->rows->n;
    const bool loo = partitions->n_folds == n;
    pt_ls_ordered ordered = {0};
    blocks b = {0};
    int64_t *first = NULL;
    int64_t *key = NULL;
    bool fine = true;
    pt_status status = PT_ENOMEM;

    b.loo = loo;
    b.held = loo ? (n < LOO_BLOCKS ? n : LOO_BLOCKS) : partitions->n_folds;
    b.count = b.held;
    for (int64_t i = 0; i < n && !loo; i++)
        if (!pt_is_held(partitions, partition, i))
            b.count = b.held + 1;
    first = pt_alloc_zero(b.count + 1, sizeof(int64_t), "folds", err);
    key = pt_alloc(n, sizeof(int64_t), "folds", err);
    if (!first || !key)
        goto done;
    for (int64_t i = 0; i < n; i++) {
        key[i] = loo ? i * b.count / n : pt_fold_or_rest(partitions, partition, i);
        first[key[i] + 1]++;
    }
    for (int64_t f = 0; f < b.count; f++) {
        b.largest = f < b.held && first[f + 1] > b.largest ? first[f + 1] : b.largest;
        first[f + 1] += first[f];
    }
    status = pt_ls_ordered_init(&ordered, problem, key, b.count, task, err);
    if (status != PT_OK)
        goto done;
    b.problem = &ordered.problem;
    b.first = first;
    b.order = ordered.order;
    status = blocks_init(&b, task, err);
    if (status == PT_OK)
        status = run_blocks(&b, L, &fine, task, err);
    if (status == PT_OK)
        status = take(context, point, partition, fine ? b.scores : NULL, err);

done:
    blocks_free(&b);
    pt_ls_ordered_free(&ordered);
    pt_free(key);
    pt_free(first);
    return status;
}

/* All partitions of one point. L is room for the factor of G + ridge I. */
static pt_status run_point(const pt_ls_problem *problem, const pt_tiles *G, pt_tiles *L,
                           double ridge, const pt_partitions *partitions, int64_t point,
                           pt_holdout_fn take, void *context, const pt_task *task, pt_error *err)
{
    memcpy(L->value, G->value, (size_t)pt_tiles_bytes(G->n, PT_F64));
    const pt_status factored = pt_ls_primal_factor(L, ridge, task, err);
    if (factored != PT_OK && factored != PT_ENUMERIC)
        return factored;
    for (int64_t p = 0; p < partitions->count; p++)
        PT_TRY(factored == PT_OK
                   ? run_partition(problem, L, partitions, point, p, take, context, task, err)
                   : take(context, point, p, NULL, err));
    return PT_OK;
}

pt_status pt_ls_holdout_primal(const pt_ls_problem *problem, const double *ridges, int64_t n_points,
                               const pt_partitions *partitions, pt_holdout_fn take, void *context,
                               const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_tiles_free_at) pt_tiles *G = NULL;
    PT_FREED_BY(pt_tiles_free_at) pt_tiles *L = NULL;
    pt_task_begin_whole(task);
    pt_status status = pt_ls_primal_gram(&G, problem, task, err);
    if (status == PT_OK)
        status = pt_tiles_new(&L, G->n, PT_F64, err);
    for (int64_t point = 0; point < n_points && status == PT_OK; point++) {
        status =
            run_point(problem, G, L, ridges[point], partitions, point, take, context, task, err);
        pt_task_progress_whole(task, "cross-validating", (double)(point + 1), (double)n_points);
    }
    pt_task_end_whole(task);
    return status;
}
