/* A joint kernel J in place of P o K (HNR section 7.2).
 *
 * To the solver the n x n matrix J((x_i, y_i), (x_j, y_j)) is a precomputed kernel with one class:
 * P is all ones. To the trained machine the k n columns of a new row are inputs of a linear
 * function: class r has the coefficients beta in block r and none elsewhere.
 *
 * Held out: with C = (J + gamma W^-1)^-1 and beta = C 1 the coefficients without a fold F are
 * v_R = beta_R - C_RF (C_FF)^-1 beta_F and v_F = 0 (vo_holdout_point.c), and the scores of row i of
 * F are sum_j v_j J((x_i, r), (x_j, y_j)). One factorisation for each point, n^2 k for each
 * partition. All in double. */
#include "machines/squares/joint.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel.h"
#include "linalg/linalg.h"

/* ---- the data -------------------------------------------------------------------------------- */

static double value_at(const pt_rows *rows, int64_t i, int64_t column)
{
    return pt_rows_value(rows, rows->dense, i * rows->stride + column);
}

static pt_status check_shape(const pt_problem *problem, pt_error *err)
{
    const pt_rows *rows = &problem->rows;
    const int64_t k = pt_labels_n_classes(problem->labels);
    if (rows->dense && rows->d == k * rows->n)
        return PT_OK;
    return pt_fail(
        err, PT_EFORMAT,
        "a joint kernel of %lld rows and %lld classes needs %lld dense columns (a column "
        "for each row, for each class), not %lld",
        (long long)rows->n, (long long)k, (long long)(k * rows->n), (long long)rows->d);
}

static pt_status check_symmetric(const pt_rows *J, pt_error *err)
{
    for (int64_t i = 0; i < J->n; i++)
        for (int64_t j = 0; j < i; j++) {
            const double a = value_at(J, i, j);
            const double b = value_at(J, j, i);
            if (fabs(a - b) > 1e-6 * (fabs(a) + fabs(b)))
                return pt_fail(err, PT_EFORMAT,
                               "the joint kernel is not symmetric: row %lld has %g for row %lld "
                               "in the block of its class, the other way round it is %g",
                               (long long)i + 1, a, (long long)j + 1, b);
        }
    return PT_OK;
}

pt_status pt_joint_matrix(pt_rows_owned *out, const pt_problem *problem, pt_error *err)
{
    PT_TRY(check_shape(problem, err));
    const pt_rows *rows = &problem->rows;
    const int64_t n = rows->n;
    const size_t size = pt_type_size(rows->type);
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned made = {0};
    made.value = pt_alloc(n, (size_t)n * size, "a joint kernel", err);
    if (!made.value)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = i * rows->stride + problem->labels->class_of[i] * n;
        memcpy((char *)made.value + (size_t)(i * n) * size,
               (const char *)rows->dense + (size_t)from * size, (size_t)n * size);
    }
    made.rows = (pt_rows){.n = n, .d = n, .type = rows->type, .dense = made.value, .stride = n};
    PT_TRY(check_symmetric(&made.rows, err));
    *out = made;
    memset(&made, 0, sizeof made); /* handed out */
    return PT_OK;
}

pt_status pt_joint_check_params(const pt_params *params, pt_error *err)
{
    static const pt_param_id unused[] = {PT_P_LABEL_KERNEL, PT_P_LABEL_SIGMA, PT_P_LABEL_DEGREE,
                                         PT_P_LABEL_COEF0,  PT_P_BIAS,        PT_P_BIAS_RULE};
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        if (pt_params_set_by_user(params, unused[i]))
            return pt_fail(err, PT_EINVAL, "`%s` is not used with `kernel=joint`",
                           pt_param_name(unused[i]));
    if (pt_params_set_by_user(params, PT_P_LABELBOOK) &&
        strcmp(pt_params_text(params, PT_P_LABELBOOK), "indicator") != 0)
        return pt_fail(err, PT_EINVAL,
                       "`labelbook` is not used with `kernel=joint`: it knows the classes itself");
    if (strcmp(pt_params_text(params, PT_P_DECODE), "inner") != 0)
        return pt_fail(err, PT_EINVAL,
                       "`kernel=joint` gives one score for each class; leave `decode` out");
    return PT_OK;
}

pt_status pt_joint_settle(pt_params *params, pt_error *err)
{
    PT_TRY(pt_joint_check_params(params, err));
    return pt_params_set(params, "labelbook", "indicator", err);
}

/* ---- training -------------------------------------------------------------------------------- */

double pt_joint_bytes(const pt_rows *rows, int64_t k)
{
    const double n = (double)rows->n;
    return n * n * (double)pt_type_size(rows->type) +
           pt_ls_dual_bytes(rows->n, rows->n, 1, rows->type) + 8 * n * (double)(k * (k + 2));
}

pt_status pt_joint_solve(const pt_problem *problem, double ridge, double *beta, const pt_task *task,
                         pt_warnings *warnings, pt_error *err)
{
    static const double one[] = {1};
    const pt_ls_coupling coupling = {.Q = one};
    const pt_kernel kernel = {.ops = pt_kernel_find("precomputed")};
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned J = {0};
    PT_SCRATCH int64_t *same = NULL;
    pt_ls_report report = {0};
    PT_TRY(pt_joint_matrix(&J, problem, err));
    PT_TRY(PT_NEW_ZERO(same, problem->rows.n, "classes", err));
    const pt_ls_problem ls = {&J.rows, same, 1, problem->weight, NULL};
    const pt_status status = pt_ls_solve_coupled(&ls, &coupling, &kernel, ridge, problem->rows.type,
                                                 beta, NULL, &report, task, err);
    if (status == PT_ENUMERIC)
        return pt_fail(err, PT_ENUMERIC,
                       "J + ridge I is not positive definite at row %lld; raise `ridge`, now %g",
                       (long long)report.bad_row + 1, ridge);
    PT_TRY(status);
    return pt_ls_explain(&report, "J", ridge, warnings, err);
}

pt_status pt_joint_set_beta(pt_vector_machine *m, const pt_problem *problem,
                            const pt_kernel *kernel, const double *beta, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    pt_expansion_parts parts = {.kernel = *kernel,
                                .type = problem->rows.type,
                                .m = k,
                                .n_coef = k * n,
                                .linear = true,
                                .coef = pt_alloc(k * n, sizeof(double), "coefficients", err),
                                .column = pt_alloc(k * n, sizeof(int64_t), "coefficients", err)};
    if (!parts.coef || !parts.column) {
        pt_free(parts.coef);
        pt_free(parts.column);
        return PT_ENOMEM;
    }
    for (int64_t r = 0; r < k; r++)
        for (int64_t j = 0; j < n; j++) {
            parts.coef[r * n + j] = beta[j];
            parts.column[r * n + j] = r;
        }
    return pt_expansion_take(&m->expansion, &parts, err);
}

/* ---- held-out scores ------------------------------------------------------------------------- */

typedef struct held_out {
    const pt_problem *problem;
    const pt_rows *J;
    int64_t n;
    int64_t k;
    double *C;       /* n x n, whole */
    double *beta;    /* n */
    double *v;       /* n */
    double *small;   /* n x n: C_FF */
    double *right;   /* n: beta_F, then t */
    int64_t *member; /* n: the fold */
    double *scores;  /* n x k */
} held_out;

/* C and beta for a ridge; PT_ENUMERIC: not positive definite. */
static pt_status invert(held_out *h, double ridge, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_tiles_free_at) pt_tiles *tiles = NULL;
    PT_SCRATCH double *inverse_weight = NULL;
    int64_t bad_row = 0;
    PT_TRY(pt_tiles_new(&tiles, h->n, PT_F64, err));
    PT_TRY(pt_ls_inverse_weights(&inverse_weight, h->problem->weight, h->n, err));
    for (int64_t i = 0; i < h->n; i++) {
        PT_TRY(pt_task_check_row(task, i, h->n, err));
        for (int64_t j = 0; j <= i; j++) {
            double *tile = pt_tile_at(tiles, i / tiles->nb, j / tiles->nb);
            tile[j % tiles->nb * tiles->nb + i % tiles->nb] = value_at(h->J, i, j);
        }
    }
    pt_tiles_add_diagonal(tiles, ridge, inverse_weight);
    PT_TRY(pt_la_cholesky(tiles, &bad_row, task, err));
    PT_TRY(pt_la_invert_factor(tiles, task, err));
    PT_TRY(pt_la_factor_square(tiles, task, err));
    for (int64_t i = 0; i < h->n; i++) {
        PT_TRY(pt_task_check_row(task, i, h->n, err));
        h->beta[i] = 0;
        for (int64_t j = 0; j < h->n; j++) {
            h->C[i * h->n + j] = pt_tiles_get(tiles, i, j);
            h->beta[i] += h->C[i * h->n + j];
        }
    }
    return PT_OK;
}

/* v <- the coefficients without the m members of a fold. */
static pt_status leave_out(held_out *h, int64_t m, const pt_task *task, pt_error *err)
{
    for (int64_t a = 0; a < m; a++) {
        PT_TRY(pt_task_check_row(task, a, m, err));
        h->right[a] = h->beta[h->member[a]];
        for (int64_t b = 0; b < m; b++)
            h->small[b * m + a] = h->C[h->member[a] * h->n + h->member[b]];
    }
    const pt_status factored = pt_la_long_cholesky(PT_F64, m, h->small, m, task, err);
    if (factored == PT_ENUMERIC)
        return pt_fail(err, PT_ENUMERIC, "the matrix of a fold is not positive definite");
    PT_TRY(factored);
    PT_TRY(pt_la_long_solve(PT_F64, m, 1, h->small, m, h->right, m, task, err));
    memcpy(h->v, h->beta, (size_t)h->n * sizeof *h->v);
    for (int64_t a = 0; a < m; a++) {
        PT_TRY(pt_task_check_row(task, a, h->n, err));
        for (int64_t j = 0; j < h->n; j++)
            h->v[j] -= h->C[h->member[a] * h->n + j] * h->right[a];
    }
    for (int64_t a = 0; a < m; a++)
        h->v[h->member[a]] = 0;
    return PT_OK;
}

static pt_status score_members(held_out *h, int64_t m, const pt_task *task, pt_error *err)
{
    for (int64_t a = 0; a < m; a++)
        for (int64_t r = 0; r < h->k; r++) {
            PT_TRY(pt_task_check_row(task, r, h->n, err));
            double sum = 0;
            for (int64_t j = 0; j < h->n; j++)
                sum += h->v[j] * value_at(&h->problem->rows, h->member[a], r * h->n + j);
            h->scores[h->member[a] * h->k + r] = sum;
        }
    return PT_OK;
}

static pt_status run_partition(held_out *h, const int64_t *fold, int64_t n_folds,
                               const pt_task *task, pt_error *err)
{
    for (int64_t f = 0; f < n_folds; f++) {
        int64_t m = 0;
        for (int64_t i = 0; i < h->n; i++)
            if (fold[i] == f)
                h->member[m++] = i;
        PT_TRY(pt_task_check(task, err));
        if (m > 0)
            PT_TRY(leave_out(h, m, task, err));
        PT_TRY(score_members(h, m, task, err));
    }
    return PT_OK;
}

static pt_status run_point(held_out *h, const pt_ls_point *points, int64_t point,
                           const pt_partitions *partitions, pt_holdout_fn take, void *context,
                           const pt_task *task, pt_error *err)
{
    pt_status found = invert(h, points[point].ridge, task, err);
    for (int64_t q = 0; q < partitions->count; q++) {
        if (found == PT_OK)
            found = run_partition(h, partitions->fold[q], partitions->n_folds, task, err);
        if (found != PT_OK && found != PT_ENUMERIC)
            return found;
        PT_TRY(take(context, point, q, found == PT_OK ? h->scores : NULL, err));
    }
    return PT_OK;
}

pt_status pt_joint_holdout(const pt_problem *problem, const pt_ls_point *points, int64_t n_points,
                           const pt_partitions *partitions, pt_holdout_fn take, void *context,
                           const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned J = {0};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    held_out h = {.problem = problem,
                  .J = &J.rows,
                  .n = problem->rows.n,
                  .k = pt_labels_n_classes(problem->labels)};
    const double n = (double)h.n;
    PT_TRY(pt_ls_check_budget(24 * n * n, (double)pt_task_memory(task), err));
    PT_TRY(pt_joint_matrix(&J, problem, err));
    PT_TRY(PT_ARENA(&arena, "held-out scores", err, PT_PIECE(h.C, h.n * h.n), PT_PIECE(h.beta, h.n),
                    PT_PIECE(h.v, h.n), PT_PIECE(h.small, h.n * h.n), PT_PIECE(h.right, h.n),
                    PT_PIECE(h.member, h.n), PT_PIECE(h.scores, h.n * h.k)));
    memset(h.scores, 0, (size_t)(h.n * h.k) * sizeof *h.scores);
    for (int64_t i = 0; i < n_points; i++)
        PT_TRY(run_point(&h, points, i, partitions, take, context, task, err));
    return PT_OK;
}
