/* Vector-output regularised least squares, HNR section 4.
 *
 * Given rows x_i with label vectors y_i (or a kernel Q on the labels) and weights w_i, find
 * f(x) = sum_j beta_j y_j kappa(x_j, x) that minimises
 *
 *     sum_i w_i ||f(x_i) - y_i||^2 + gamma R ,
 *     vo-RLS(beta)  R = sum_j beta_j^2 / w_j            (G + gamma W^-1)  beta = d
 *     vo-RLS(f)     R = ||f||^2 = beta^T (P o K) beta   (G + gamma P o K) beta = d
 *
 *     G = P o (K W K) ,   d_j = sum_i w_i P_ij K_ij ,   P_ij = y_i . y_j = Q[class i, class j] .
 *
 * G is positive semidefinite for every symmetric K, so that kernels which are not (sigmoid) do no
 * harm to vo-RLS(beta). A labelbook of another scale scales G, P o K and d alike: it leaves beta of
 * vo-RLS(f) as it is.
 *
 * Not as printed: HNR has the elementwise square (x_j^T x_k)^2 in G where the expansion of the sum
 * gives the matrix product K K; with the square the gradient of the objective does not vanish
 * (test_vo_rls__printed_matrix_leaves_a_gradient). HNR has no weights: dividing beta_j^2 by w_j
 * makes weight 2 the example twice, which share its coefficient.
 *
 * In terms of S = W^1/2 K W^1/2 and beta = W^1/2 u the weights are gone but for the targets:
 *
 *     (P o (S S) + gamma I) u = d'   or   (P o (S S + gamma S)) u = d' ,   d' = (P o S) w^1/2 .
 *
 * S S is summed from panels of columns of S (pt_la_rank_update), so that K is never held. P is 0
 * between the parts of the label space (vo_parts.h; for indicators every class is one): rows are
 * sorted by part and there is a system for each; the panels still run over all rows.
 *
 * Condition numbers are squared here, hence all is double, and vo-RLS(f) is singular (and
 * consistent) where examples are repeated. So a factor is taken of the matrix with a shift of its
 * diagonal that rounding asks for, relative to the trace, and the solution is refined against the
 * objective itself:
 *
 *     V = rows of u in the columns of their classes     n x k
 *     F = S V ,  T = W^1/2 E - F ,  Z = S T             outputs, what they miss, and back
 *     r_i = sum_c Q[class i, c] (Z - gamma F)_ic        half the negative gradient, vo-RLS(f)
 *           sum_c Q[class i, c] Z_ic - gamma u_i        vo-RLS(beta)
 *
 *   n, k    rows, classes           m      rows of one part
 *   N       m x m  lower tiles, double; holds its factor afterwards
 *   B       m x PANEL  column-major: columns of S
 *
 * Time: n m^2 + m^3/3 for each part, n^2 (d + k) for each step of refinement. Memory: the
 * factors of all parts, half of the sum of m^2. */
#include "machine/machine.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "kernels/gram.h"
#include "kernels/kernel_params.h"
#include "linalg/linalg.h"
#include "machine/subproblem.h"
#include "machines/squares/vector_machine.h"
#include "machines/squares/vo_parts.h"
#include "solvers/squares/ls_solve.h"

enum {
    PANEL = 512,      /* columns of S at a time */
    PANEL_ROWS = 256, /* rows of a panel that one worker computes */
    MAX_REFINEMENTS = 40
};
static const double RESIDUAL_GOAL = 1e-13;   /* relative, in each part */
static const double STALLED = 0.5;           /* a step that removes less than half is the last */
static const double NEARLY_SINGULAR = 1e-6;  /* a residual that is worth a warning */
static const double SHIFT = 8 * DBL_EPSILON; /* of the trace: what rounding may take away */
static const double LARGEST_SHIFT = 1e-10;   /* of the trace: what needs more is indefinite */
static const double SHIFT_GROWTH = 1e3;

/* What is penalised: the size of the coefficients, or that of the function. */
typedef enum vo_rls_norm { NORM_BETA = 0, NORM_F = 1 } vo_rls_norm;

typedef struct vo_rls {
    const pt_task *task;
    const char *name;
    vo_rls_norm norm;
    double gamma;
    pt_kernel kernel;
    const pt_label_space *space;
    pt_problem problem;   /* its rows sorted by part */
    pt_subproblem sorted; /* the memory behind it, where there are several */
    pt_vo_parts parts;
    pt_tiles **factor; /* parts.count */
    pt_gram *gram;     /* of all rows, double */
    double *root;      /* n: w^1/2 */
    double *u;         /* n */
    double *r;         /* n: the residual, then the correction */
    double *V, *F;     /* n x k, column-major */
} vo_rls;

/* ---- parts ----------------------------------------------------------------------------------- */

static pt_status sort_by_part(vo_rls *w, const pt_problem *problem, pt_error *err)
{
    const int64_t n = problem->rows.n;
    pt_status status = pt_vo_parts_init(&w->parts, w->space, problem->labels->class_of, n, err);
    w->problem = *problem;
    if (status == PT_OK && w->parts.count > 1) {
        status = pt_subproblem_init(&w->sorted, problem, w->parts.order, n,
                                    pt_kernel_is_row(&w->kernel), w->task, err);
        w->problem = w->sorted.problem;
    }
    return status;
}

/* ---- N = P o (S S) + gamma (I or P o S) ------------------------------------------------------ */

/* One part while its matrix is built. */
typedef struct tile_builder {
    const vo_rls *w;
    int64_t low; /* its rows are low .. low + m - 1 */
    int64_t m;
    int64_t from; /* the panel's columns */
    int64_t width;
    double *B;
    pt_tiles *N;
    char *scratch;
    size_t scratch_bytes; /* a worker */
} tile_builder;

/* block <- S for rows i0 .. and columns j0 .. of the sorted rows */
static pt_status block_of_S(const vo_rls *w, int64_t i0, int64_t rows, int64_t j0, int64_t columns,
                            double *block, int64_t ld, void *scratch, pt_error *err)
{
    PT_TRY(pt_gram_block(w->gram, i0, rows, w->gram, j0, columns, block, ld, scratch, err));
    pt_kernel_map(&w->kernel, PT_F64, rows, columns, block, ld);
    for (int64_t j = 0; j < columns && w->problem.weight; j++)
        for (int64_t i = 0; i < rows; i++)
            block[i + j * ld] *= w->root[i0 + i] * w->root[j0 + j];
    return PT_OK;
}

static pt_status panel_body(void *context, int64_t index, int worker, pt_error *err)
{
    const tile_builder *b = context;
    const int64_t i0 = index * PANEL_ROWS;
    const int64_t rows = b->m - i0 < PANEL_ROWS ? b->m - i0 : PANEL_ROWS;
    return block_of_S(b->w, b->low + i0, rows, b->from, b->width, b->B + i0, b->m,
                      b->scratch + (size_t)worker * b->scratch_bytes, err);
}

/* N <- S_{c,.} S_{.,c} for the rows c of the part, panel by panel. */
static pt_status sum_products(tile_builder *b, pt_error *err)
{
    const vo_rls *w = b->w;
    const int64_t n = w->problem.rows.n;
    const int64_t blocks = (b->m + PANEL_ROWS - 1) / PANEL_ROWS;
    const int64_t widest = pt_lesser(PANEL, n);
    b->scratch_bytes = pt_gram_scratch(w->gram, w->gram, pt_lesser(PANEL_ROWS, b->m), widest);
    b->B = pt_alloc(b->m, (size_t)widest * sizeof(double), "columns of a kernel matrix", err);
    b->scratch = pt_alloc(pt_parallel_workers(w->task, blocks), b->scratch_bytes,
                          "work space for kernel blocks", err);
    pt_status status = b->B && b->scratch ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = pt_task_clear(w->task, b->N->value, (size_t)pt_tiles_bytes(b->m, PT_F64), err);
    for (b->from = 0; b->from < n && status == PT_OK; b->from += PANEL) {
        b->width = n - b->from < PANEL ? n - b->from : PANEL;
        status = pt_parallel_for(w->task, blocks, panel_body, b, err);
        if (status == PT_OK)
            status = pt_la_rank_update(b->N, b->B, b->width, b->m, w->task, err);
        pt_task_progress(w->task, "kernel products", (double)(b->from + b->width), (double)n);
    }
    pt_free(b->scratch);
    pt_free(b->B);
    b->scratch = NULL;
    b->B = NULL;
    return status;
}

/* N_IJ <- P_IJ o (N_IJ + gamma S_IJ); without S for vo-RLS(beta). */
static pt_status finish_tile(void *context, int64_t index, int worker, pt_error *err)
{
    const tile_builder *b = context;
    const vo_rls *w = b->w;
    const int64_t nb = b->N->nb;
    int64_t I = 0;
    int64_t J = 0;
    pt_tiles_place(b->N, index, &I, &J);
    const int64_t rows = pt_tile_rows(b->N, I);
    const int64_t columns = pt_tile_rows(b->N, J);
    double *tile = pt_tile_at(b->N, I, J);
    char *scratch = b->scratch + (size_t)worker * b->scratch_bytes;
    void *block = scratch;
    const double *S = block;
    if (w->norm == NORM_F)
        PT_TRY(block_of_S(w, b->low + I * nb, rows, b->low + J * nb, columns, block, nb,
                          scratch + pt_arena_need(nb * nb, sizeof(double)), err));
    const int64_t *class_of = w->problem.labels->class_of + b->low;
    for (int64_t j = 0; j < columns; j++) {
        const double *Q = w->space->Q + class_of[J * nb + j] * w->space->k;
        for (int64_t i = I == J ? j : 0; i < rows; i++) {
            const double s = w->norm == NORM_F ? w->gamma * S[i + j * nb] : 0;
            tile[i + j * nb] = Q[class_of[I * nb + i]] * (tile[i + j * nb] + s);
        }
    }
    return PT_OK;
}

static pt_status finish_tiles(tile_builder *b, pt_error *err)
{
    const vo_rls *w = b->w;
    const int64_t nb = b->N->nb;
    const int64_t count = pt_tiles_count(b->N);
    b->scratch_bytes = w->norm == NORM_F ? pt_arena_need(nb * nb, sizeof(double)) +
                                               pt_gram_scratch(w->gram, w->gram, nb, nb)
                                         : 0;
    b->scratch = pt_alloc(pt_parallel_workers(w->task, count), b->scratch_bytes,
                          "work space for kernel blocks", err);
    pt_status status = b->scratch ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = pt_parallel_for(w->task, count, finish_tile, b, err);
    pt_free(b->scratch);
    b->scratch = NULL;
    return status;
}

static double trace_of(const pt_tiles *N)
{
    double sum = 0;
    for (int64_t i = 0; i < N->n; i++)
        sum += pt_tiles_get(N, i, i);
    return sum;
}

/* ---- its factor ------------------------------------------------------------------------------ */

/* N <- the factor of the matrix, its diagonal shifted by at least `relative` times the trace. */
static pt_status build_and_factor(tile_builder *b, double relative, int64_t *bad_row, pt_error *err)
{
    const vo_rls *w = b->w;
    PT_TRY(sum_products(b, err));
    PT_TRY(finish_tiles(b, err));
    const double shift = relative * trace_of(b->N);
    pt_tiles_add_diagonal(b->N, w->norm == NORM_BETA ? fmax(w->gamma, shift) : shift, NULL);
    return pt_la_cholesky(b->N, bad_row, w->task, err);
}

static pt_status refuse_matrix(const vo_rls *w, int64_t bad_row, pt_error *err)
{
    if (w->norm == NORM_BETA) /* P o (S S) is positive semidefinite whatever the kernel is */
        return pt_fail(err, PT_ENUMERIC,
                       "%s: G + ridge I is not positive definite at row %lld: kernel values are "
                       "too large for double; scale the data, or raise `ridge`, now %g",
                       w->name, (long long)bad_row + 1, w->gamma);
    return pt_fail(
        err, PT_ENUMERIC,
        "%s: G + ridge P o K is not positive definite at row %lld: the kernel %s is not positive "
        "semidefinite on these rows; choose another `kernel`, or vo-rls, which takes any",
        w->name, (long long)bad_row + 1, w->kernel.ops->name);
}

static pt_status factor_part(vo_rls *w, int64_t part, pt_error *err)
{
    tile_builder b = {
        .w = w, .low = w->parts.first[part], .m = w->parts.first[part + 1] - w->parts.first[part]};
    pt_status status = pt_tiles_new(&w->factor[part], b.m, PT_F64, err);
    if (status != PT_OK)
        return status;
    b.N = w->factor[part];
    int64_t bad_row = 0;
    status = PT_ENUMERIC;
    for (double relative = SHIFT; status == PT_ENUMERIC && relative < LARGEST_SHIFT;
         relative *= SHIFT_GROWTH)
        status = build_and_factor(&b, relative, &bad_row, err);
    if (status == PT_ENUMERIC)
        status = refuse_matrix(w, w->parts.order[b.low + bad_row], err);
    return status;
}

/* ---- the gradient, and the solution ---------------------------------------------------------- */

/* X <- S Y, both n x k; Y is spoiled. */
static pt_status apply_S(const vo_rls *w, double *Y, double *X, pt_error *err)
{
    const int64_t n = w->problem.rows.n;
    const int64_t k = w->space->k;
    for (int64_t c = 0; c < k && w->problem.weight; c++)
        for (int64_t i = 0; i < n; i++)
            Y[i + c * n] *= w->root[i];
    const pt_status status = pt_gram_apply_symmetric(w->gram, &w->kernel, Y, n, k, X, w->task, err);
    for (int64_t c = 0; c < k && w->problem.weight && status == PT_OK; c++)
        for (int64_t i = 0; i < n; i++)
            X[i + c * n] *= w->root[i];
    return status;
}

/* r_i <- factor * sum_c Q[class i, c] X_ic, added to what is there */
static pt_status add_label_products(vo_rls *w, double factor, const double *X, pt_error *err)
{
    const int64_t n = w->problem.rows.n;
    const int64_t k = w->space->k;
    for (int64_t i = 0; i < n; i++) {
        PT_TRY(pt_task_check_row(w->task, i, k, err));
        const double *Q = w->space->Q + w->problem.labels->class_of[i] * k;
        double sum = 0;
        for (int64_t c = 0; c < k; c++)
            sum += Q[c] * X[i + c * n];
        w->r[i] += factor * sum;
    }
    return PT_OK;
}

/* r <- half the negative gradient of the objective at u. */
static pt_status gradient(vo_rls *w, pt_error *err)
{
    const int64_t n = w->problem.rows.n;
    const size_t bytes = (size_t)(n * w->space->k) * sizeof(double);
    const int64_t *class_of = w->problem.labels->class_of;
    memset(w->V, 0, bytes);
    for (int64_t i = 0; i < n; i++)
        w->V[i + class_of[i] * n] = w->u[i];
    PT_TRY(apply_S(w, w->V, w->F, err));
    for (int64_t i = 0; i < n; i++)
        w->r[i] = w->norm == NORM_BETA ? -w->gamma * w->u[i] : 0;
    if (w->norm == NORM_F)
        PT_TRY(add_label_products(w, -w->gamma, w->F, err));

    for (int64_t i = 0; i < n * w->space->k; i++)
        w->F[i] = -w->F[i];
    for (int64_t i = 0; i < n; i++) /* T = W^1/2 E - F */
        w->F[i + class_of[i] * n] += w->root[i];
    PT_TRY(apply_S(w, w->F, w->V, err));
    return add_label_products(w, 1, w->V, err);
}

static double part_norm(const vo_rls *w, int64_t p)
{
    double square = 0;
    for (int64_t i = w->parts.first[p]; i < w->parts.first[p + 1]; i++)
        square += w->r[i] * w->r[i];
    return sqrt(square);
}

/* u <- u + N^-1 r */
static pt_status correct(vo_rls *w, pt_error *err)
{
    for (int64_t p = 0; p < w->parts.count; p++)
        PT_TRY(pt_la_cholesky_solve(w->factor[p], w->r + w->parts.first[p], 1, w->factor[p]->n,
                                    w->task, err));
    for (int64_t i = 0; i < w->problem.rows.n; i++)
        w->u[i] += w->r[i];
    return PT_OK;
}

/* From u = 0, where r = d'. The best u is kept: the last step may have been one too many. */
static pt_status solve(vo_rls *w, double *beta, double *residual, pt_error *err)
{
    const int64_t n = w->problem.rows.n;
    double *scale = pt_alloc(w->parts.count, sizeof(double), "norms", err);
    pt_status status = scale ? PT_OK : PT_ENOMEM;
    memset(w->u, 0, (size_t)n * sizeof(double));
    *residual = INFINITY;
    for (int step = 0; step < MAX_REFINEMENTS && status == PT_OK; step++) {
        status = gradient(w, err);
        double worst = 0;
        for (int64_t p = 0; p < w->parts.count && status == PT_OK; p++) {
            const double size = part_norm(w, p);
            if (step == 0)
                scale[p] = size > 0 ? size : 1;
            if (!(size / scale[p] <= worst)) /* a NaN wins */
                worst = size / scale[p];
        }
        pt_task_say(w->task, PT_DEBUG, PT_KIND_PROGRESS,
                    "refinement step %d: relative gradient %.2e", step, worst);
        if (status != PT_OK || !(worst < *residual))
            break;
        const bool last = worst <= RESIDUAL_GOAL || worst > STALLED * *residual;
        *residual = worst;
        for (int64_t i = 0; i < n; i++)
            beta[w->parts.order[i]] = w->root[i] * w->u[i];
        if (last)
            break;
        status = correct(w, err);
    }
    pt_free(scale);
    if (status == PT_OK && !isfinite(*residual))
        status = pt_fail(err, PT_ENUMERIC,
                         "%s: kernel values are too large for double; scale the data", w->name);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void vo_rls_free(vo_rls *w)
{
    for (int64_t p = 0; w->factor && p < w->parts.count; p++)
        pt_tiles_free(w->factor[p]);
    pt_free(w->factor);
    pt_gram_free(w->gram);
    pt_free(w->root);
    pt_free(w->u);
    pt_free(w->r);
    pt_free(w->V);
    pt_free(w->F);
    pt_subproblem_free(&w->sorted);
    pt_vo_parts_free(&w->parts);
}

static pt_status vo_rls_init(vo_rls *w, const pt_problem *problem, const pt_params *params,
                             pt_error *err)
{
    const int64_t n = problem->rows.n;
    PT_TRY(pt_kernel_from_params(&w->kernel, params, err));
    if (pt_kernel_is_row(&w->kernel))
        PT_TRY(pt_ls_check_precomputed(&problem->rows, err));
    PT_TRY(sort_by_part(w, problem, err));
    PT_TRY(pt_gram_new(&w->gram, &w->problem.rows, w->kernel.ops, PT_F64, w->task, err));
    w->factor = pt_alloc_zero(w->parts.count, sizeof(pt_tiles *), "parts", err);
    w->root = pt_alloc(n, sizeof(double), "weights", err);
    w->u = pt_alloc(n, sizeof(double), "coefficients", err);
    w->r = pt_alloc(n, sizeof(double), "a residual", err);
    w->V = pt_alloc(w->space->k, (size_t)n * sizeof(double), "outputs", err);
    w->F = pt_alloc(w->space->k, (size_t)n * sizeof(double), "outputs", err);
    if (!w->factor || !w->root || !w->u || !w->r || !w->V || !w->F)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        w->root[i] = w->problem.weight ? sqrt(w->problem.weight[i]) : 1;
    return PT_OK;
}

/* beta (n) <- the coefficients */
static pt_status vo_rls_solve(vo_rls *w, const pt_problem *problem, const pt_params *params,
                              double *beta, pt_warnings *warnings, pt_error *err)
{
    double residual = 0;
    PT_TRY(vo_rls_init(w, problem, params, err));
    for (int64_t p = 0; p < w->parts.count; p++)
        PT_TRY(factor_part(w, p, err));
    PT_TRY(solve(w, beta, &residual, err));
    if (residual > NEARLY_SINGULAR)
        PT_TRY(pt_warn(warnings, err, PT_KIND_NUMERIC,
                       "%s: the system is nearly singular: the relative gradient is %.1e; raise "
                       "`ridge`, now %g",
                       w->name, residual, w->gamma));
    return PT_OK;
}

/* Both machines: which it is says what is penalised. */
static pt_status vo_rls_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                            const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    pt_vector_machine *m = (pt_vector_machine *)machine;
    PT_TRY(pt_vector_machine_init(m, problem, params, true, err));
    PT_FREED_BY(vo_rls_free)
    vo_rls w = {.task = task,
                .name = machine->ops->name,
                .norm = machine->ops == &pt_machine_vo_rls_f ? NORM_F : NORM_BETA,
                .gamma = pt_params_real(params, PT_P_RIDGE),
                .space = &m->space};
    PT_SCRATCH double *beta = NULL;
    PT_TRY(PT_NEW(beta, problem->rows.n, "coefficients", err));
    PT_TRY(vo_rls_solve(&w, problem, params, beta, warnings, err));
    return pt_vector_machine_set_beta(m, problem, &w.kernel, beta, NULL, task, err);
}

/* ---- planning -------------------------------------------------------------------------------- */

/* Bytes and multiplications of the systems. */
static void plan_systems(pt_plan *plan, const pt_vo_parts *parts, double n, int threads)
{
    for (int64_t p = 0; p < parts->count; p++) {
        const int64_t rows = parts->first[p + 1] - parts->first[p];
        const double m = (double)rows;
        plan->bytes += (double)pt_tiles_bytes(rows, PT_F64);
        plan->flops += n * m * m + m * m * m / 3;
    }
    const double tile = (double)pt_tile_size(parts->largest);
    const double panel = (double)parts->largest * PANEL;
    plan->bytes += fmax(panel, (double)threads * tile * tile) * sizeof(double);
    snprintf(plan->route, sizeof plan->route, "%lld system%s of order %lld in double",
             (long long)parts->count, parts->count == 1 ? "" : "s, the largest",
             (long long)parts->largest);
}

static void plan_rows(pt_plan *plan, const pt_rows *rows, const pt_kernel_ops *kernel, double k,
                      bool sorted)
{
    const double n = (double)rows->n;
    plan->flops += 2 * n * n * ((double)rows->d + k);
    plan->bytes += n * (2 * k + 4) * sizeof(double); /* V, F; beta, u, r, root */
    plan->bytes += (double)pt_gram_bytes(rows, kernel->base, PT_F64);
    if (sorted)
        plan->bytes += (double)pt_rows_stored(rows) *
                       (double)(pt_type_size(rows->type) + (rows->dense ? 0 : sizeof(int64_t)));
}

static pt_status vo_rls_plan(const pt_problem *problem, const pt_params *params,
                             const pt_task *task, pt_plan *plan, pt_error *err)
{
    const pt_rows *rows = &problem->rows;
    const pt_kernel_ops *kernel = pt_kernel_named(params, !rows->dense);
    if (!kernel)
        return pt_fail(err, PT_EINVAL, "unknown kernel");
    PT_FREED_BY(pt_label_space_free) pt_label_space space = {0};
    PT_FREED_BY(pt_vo_parts_free) pt_vo_parts parts = {0};
    PT_TRY(pt_problem_label_space(&space, problem, params, err));
    PT_TRY(pt_vo_parts_init(&parts, &space, problem->labels->class_of, rows->n, err));
    plan_systems(plan, &parts, (double)rows->n, pt_task_threads(task));
    plan_rows(plan, rows, kernel, (double)space.k, parts.count > 1);
    return PT_OK;
}

/* ---- the table entries ----------------------------------------------------------------------- */

#define PARAMETERS                                                                           \
    "ridge,labelbook,label-kernel,label-sigma,label-degree,label-coef0,decode,class-weight," \
    "precision,auto-rows,kernel"

const pt_machine_ops pt_machine_vo_rls = {
    .name = "vo-rls",
    .summary = "least squares on label vectors, small coefficients (HNR)",
    .parameters = PARAMETERS,
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE,
    .takes = pt_vector_machine_takes,
    .size = sizeof(pt_vector_machine),
    .plan = vo_rls_plan,
    .fit = vo_rls_fit,
    .scores = pt_vector_machine_scores,
    .free = pt_vector_machine_free,
    .parts = pt_vector_machine_parts,
    .save = pt_vector_machine_save,
    .load = pt_vector_machine_load,
};

const pt_machine_ops pt_machine_vo_rls_f = {
    .name = "vo-rls-f",
    .summary = "least squares on label vectors, a small function (HNR)",
    .parameters = PARAMETERS,
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE,
    .takes = pt_vector_machine_takes,
    .size = sizeof(pt_vector_machine),
    .plan = vo_rls_plan,
    .fit = vo_rls_fit,
    .scores = pt_vector_machine_scores,
    .free = pt_vector_machine_free,
    .parts = pt_vector_machine_parts,
    .save = pt_vector_machine_save,
    .load = pt_vector_machine_load,
};
