/* Regularised least squares on class indicators, HNR eq. (24) and Proposition 2.
 *
 * Given n rows x_i of classes y_i, weights w_i and a ridge gamma,
 *
 *     minimise  sum_i w_i ||f(x_i) - e_{y_i}||^2 + gamma ||f||^2 ,   e_r a unit vector of R^k,
 *
 * or any other targets in the rows of E:
 *
 *   dual    f(x) = A^T kappa_x,  (K + gamma W^-1) A = E       one n x n factor, k right-hand sides
 *   primal  f(x) = V^T x,        (X^T W X + gamma I) V = X^T W E    linear kernel, d x d
 *
 * Dual, in float32: the factor L L^T = K + gamma W^-1 is float32, tiles of the lower triangle; A is
 * then refined in double (iterative refinement): R = E - (K + gamma W^-1) A with K recomputed by
 * blocks in double from the rows, A <- A + (L L^T)^-1 R, until every column has ||R_s|| <= 1e-10
 * ||E_s||. K is never stored in double. Where the residual does not fall, conjugate gradients go on
 * with the same factor for a preconditioner, which needs no more memory. Where float32 has no
 * factor at all, it is that of a matrix with more on its diagonal, as much as float32 rounds away.
 * Only where the ridge is so small beside that rounding that thousands of steps would be needed,
 * the factor is in double; that is known, and planned, before anything is computed.
 *
 *   n, d, k   rows, columns, classes
 *   K         n x n    lower tiles; holds L afterwards
 *   A, R      n x k    column-major, double
 *   D         n x k    column-major, the factor's type: correction
 *
 * Time n^3/3 + O(n^2 (d + k)) for each refinement step; memory n^2/2 of the factor's type. */
#include "solvers/squares/ls_solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/text.h"
#include "kernels/gram.h"
#include "kernels/kernel_store.h"
#include "kernels/own_kernel.h"
#include "linalg/linalg.h"
#include "solvers/squares/conjugate.h"

static const double RESIDUAL_GOAL = 1e-10;  /* relative, each column */
static const double STALLED = 0.5;          /* a step that removes less than half gives up */
static const double SLOW = 0.1;             /* the same where conjugate gradients go on */
static const double NEARLY_SINGULAR = 1e-6; /* a residual in double that is worth a warning */
enum { MAX_REFINEMENTS = 40 };
static const double ROUNDINGS = 8; /* units in the last place, of an element of the factor */
/* Steps of conjugate gradients: a kernel value costs as much as so many columns. */
enum { STEP_WIDTH = 30, FEWEST_STEPS = 60 };
static const double STEPS = 15; /* to the goal, of a condition number of 1; measured: 15 to 20 */

bool pt_ls_is_primal(const pt_kernel *kernel, const pt_rows *rows)
{
    return kernel->ops->linear && rows->d < rows->n;
}

pt_status pt_ls_check_precomputed(const pt_rows *rows, pt_error *err)
{
    if (!rows->dense || rows->n != rows->d)
        return pt_fail(err, PT_EFORMAT,
                       "a precomputed kernel needs a dense square matrix, not %lld rows of %lld "
                       "columns",
                       (long long)rows->n, (long long)rows->d);
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t j = 0; j < i; j++) {
            const double a = pt_rows_value(rows, rows->dense, i * rows->stride + j);
            const double b = pt_rows_value(rows, rows->dense, j * rows->stride + i);
            if (fabs(a - b) > 1e-6 * (fabs(a) + fabs(b)))
                return pt_fail(
                    err, PT_EFORMAT,
                    "the precomputed kernel is not symmetric: row %lld, column %lld holds "
                    "%g, the other way round %g",
                    (long long)i + 1, (long long)j + 1, a, b);
        }
    return PT_OK;
}

double pt_ls_dual_bytes(int64_t n, int64_t d, int64_t k, pt_type type)
{
    const double tiles = (double)pt_tiles_bytes(n, type);
    const double vectors = (double)n * (double)k * 3 * sizeof(double); /* A, R, D */
    const double packed = (double)n * (double)d * (double)pt_type_size(type);
    const double directions = type == PT_F32 ? pt_conjugate_bytes(n, k) : 0;
    return tiles + vectors + packed + directions;
}

double pt_ls_primal_bytes(int64_t stored, int64_t n, int64_t d, int64_t k)
{
    return (double)pt_tiles_bytes(d, PT_F64) + 16.0 * (double)stored + 8.0 * (double)n +
           16.0 * (double)d * (double)k;
}

pt_status pt_ls_inverse_weights(double **out, const double *weight, int64_t n, pt_error *err)
{
    *out = NULL;
    if (!weight)
        return PT_OK;
    double *inverse = pt_alloc(n, sizeof(double), "weights", err);
    if (!inverse)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        inverse[i] = 1 / weight[i];
    *out = inverse;
    return PT_OK;
}

/* The arrays of one dual solve. */
typedef struct dual {
    const pt_ls_problem *problem;
    const pt_ls_coupling *coupling; /* NULL: K itself, with k right-hand sides */
    const pt_kernel *kernel;
    double ridge;
    int64_t ell;            /* right-hand sides: k, or 1 with a coupling */
    double *inverse_weight; /* n, or NULL */
    double *A;              /* n x ell, the caller's */
    double *R;              /* n x ell residual */
    void *D;                /* n x ell right-hand side and correction, the factor's type */
    double *norm;           /* ell: norms of the right-hand sides; 1 for one that is 0 */
    pt_ls_coupled coupled;  /* what a coupling needs beside that */
    pt_gram *gram;          /* the rows for products in double */
    pt_tiles *L;            /* the factor */
    bool gradients;         /* conjugate gradients may go on where refinement gives up, */
    int64_t most_steps;     /*   for so many steps */
    double residual;        /* the last that was computed, relative */

    /* a program's kernel whose values are held, as one that is precomputed */
    pt_kernel_store *values; /* NULL: they are not */
    pt_rows_owned wide;
    pt_rows rows;
    pt_ls_problem held;
    pt_kernel read;
} dual;

static void dual_free(dual *work)
{
    pt_ls_coupled_free(&work->coupled);
    pt_free(work->inverse_weight);
    pt_free(work->R);
    pt_free(work->D);
    pt_free(work->norm);
    pt_gram_free(work->gram);
    pt_tiles_free(work->L);
    pt_kernel_store_close(work->values);
    pt_rows_owned_free(&work->wide);
}

static void fill_norms(dual *work)
{
    const pt_ls_problem *problem = work->problem;
    const int64_t n = problem->rows->n;
    for (int64_t i = 0; i < n && !problem->targets; i++)
        work->norm[work->coupling ? 0 : problem->class_of[i]] += 1;
    for (int64_t s = 0; s < work->ell; s++) {
        for (int64_t i = 0; i < n && problem->targets; i++)
            work->norm[s] += problem->targets[s * n + i] * problem->targets[s * n + i];
        work->norm[s] = work->norm[s] > 0 ? sqrt(work->norm[s]) : 1;
    }
}

static pt_status dual_init(dual *work, const pt_ls_problem *problem, const pt_ls_coupling *coupling,
                           const pt_kernel *kernel, double ridge, double *A, double *z,
                           pt_error *err)
{
    const size_t column = (size_t)problem->rows->n * sizeof(double);
    *work = (dual){.problem = problem,
                   .coupling = coupling,
                   .kernel = kernel,
                   .ridge = ridge,
                   .ell = coupling ? 1 : problem->k,
                   .A = A};
    PT_TRY(pt_ls_inverse_weights(&work->inverse_weight, problem->weight, problem->rows->n, err));
    work->R = pt_alloc(work->ell, column, "a residual", err);
    work->D = pt_alloc(work->ell, column, "right-hand sides", err);
    work->norm = pt_alloc_zero(work->ell, sizeof(double), "norms", err);
    if (!work->R || !work->D || !work->norm)
        return PT_ENOMEM;
    if (coupling)
        PT_TRY(pt_ls_coupled_init(&work->coupled, coupling, problem->class_of, problem->rows->n,
                                  problem->k, z, err));
    fill_norms(work);
    return PT_OK;
}

/* D <- R in the factor's type. */
static void narrow(pt_type type, int64_t count, const double *from, void *to)
{
    if (type == PT_F64) {
        memcpy(to, from, (size_t)count * sizeof(double));
        return;
    }
    float *single = to;
    for (int64_t i = 0; i < count; i++)
        single[i] = (float)from[i];
}

/* A <- A + D. */
static void add_correction(pt_type type, int64_t count, const void *D, double *A)
{
    for (int64_t i = 0; i < count; i++)
        A[i] += type == PT_F32 ? (double)((const float *)D)[i] : ((const double *)D)[i];
}

/* R <- the right-hand sides: the residual of A = 0. */
static void start_from_zero(dual *work)
{
    const pt_ls_problem *problem = work->problem;
    const int64_t n = problem->rows->n;
    memset(work->A, 0, (size_t)(n * work->ell) * sizeof *work->A);
    if (problem->targets) {
        memcpy(work->R, problem->targets, (size_t)(n * work->ell) * sizeof *work->R);
        return;
    }
    memset(work->R, 0, (size_t)(n * work->ell) * sizeof *work->R);
    for (int64_t i = 0; i < n; i++)
        work->R[(work->coupling ? 0 : problem->class_of[i]) * n + i] = 1;
    if (work->coupling)
        pt_ls_coupled_reset(&work->coupled);
}

/* out <- H X without its ridge: K X, or (P o K) X. */
static pt_status multiply(dual *work, const double *X, double *out, const pt_task *task,
                          pt_error *err)
{
    const int64_t n = work->problem->rows->n;
    if (!work->coupling)
        return pt_gram_apply_symmetric(work->gram, work->kernel, X, n, work->ell, out, task, err);
    pt_ls_coupled *c = &work->coupled;
    pt_ls_coupled_spread(c, X);
    PT_TRY(pt_gram_apply_symmetric(work->gram, work->kernel, c->spread, n, work->problem->k,
                                   c->product, task, err));
    pt_ls_coupled_gather(c, out);
    return PT_OK;
}

static double shift_of(const dual *work, int64_t i)
{
    return work->ridge * pt_weight(work->inverse_weight, i);
}

/* R <- right-hand sides - H A; the largest ||R_s|| relative to theirs is returned. */
static pt_status residual(dual *work, double *worst, const pt_task *task, pt_error *err)
{
    const int64_t n = work->problem->rows->n;
    PT_TRY(multiply(work, work->A, work->R, task, err));
    *worst = work->coupling ? pt_ls_coupled_imbalance(&work->coupled, work->A) : 0;
    for (int64_t s = 0; s < work->ell; s++) {
        double *R = work->R + s * n;
        const double *A = work->A + s * n;
        double square = 0;
        for (int64_t i = 0; i < n; i++) {
            const double right = work->coupling ? 1 : pt_ls_target(work->problem, i, s);
            R[i] = right - R[i] - shift_of(work, i) * A[i];
            square += R[i] * R[i];
        }
        const double relative = sqrt(square) / work->norm[s];
        if (!(relative <= *worst)) /* a NaN wins */
            *worst = relative;
    }
    return PT_OK;
}

/* D <- (L L^T)^-1 R. */
static pt_status solve_factored(dual *work, const double *R, const pt_task *task, pt_error *err)
{
    const int64_t n = work->problem->rows->n;
    narrow(work->L->type, n * work->ell, R, work->D);
    return pt_la_cholesky_solve(work->L, work->D, work->ell, n, task, err);
}

/* A <- A + (L L^T)^-1 R; with a free bias the bordered system is corrected. */
static pt_status correct(dual *work, const pt_task *task, pt_error *err)
{
    PT_TRY(solve_factored(work, work->R, task, err));
    add_correction(work->L->type, work->problem->rows->n * work->ell, work->D, work->A);
    if (work->coupling)
        pt_ls_coupled_balance(&work->coupled, work->A);
    return PT_OK;
}

/* Iterative refinement; *converged says whether the goal was reached. A step multiplies the
 * residual by a factor that two residuals show; where the next one is foreseen a hundred times
 * below the goal it is not computed: it would cost as much as the step itself. */
static pt_status refine(dual *work, bool *converged, const pt_task *task, pt_error *err)
{
    double previous = INFINITY;
    const double slow = work->gradients ? SLOW : STALLED;
    *converged = false;
    for (int step = 0; step < MAX_REFINEMENTS; step++) {
        double worst = 0;
        PT_TRY(residual(work, &worst, task, err));
        work->residual = worst;
        pt_task_say(task, PT_DEBUG, PT_KIND_PROGRESS, "refinement step %d: relative residual %.2e",
                    step, worst);
        *converged = worst <= RESIDUAL_GOAL;
        if (*converged || !(worst <= slow * previous))
            return PT_OK;
        PT_TRY(correct(work, task, err));
        *converged = isfinite(previous) && worst * (worst / previous) <= 0.01 * RESIDUAL_GOAL;
        if (*converged)
            return PT_OK;
        previous = worst;
    }
    return PT_OK;
}

/* ---- conjugate gradients --------------------------------------------------------------------- */

static pt_status conjugate_multiply(void *user, const double *X, double *out, const pt_task *task,
                                    pt_error *err)
{
    dual *work = user;
    const int64_t n = work->problem->rows->n;
    PT_TRY(multiply(work, X, out, task, err));
    for (int64_t s = 0; s < work->ell; s++)
        for (int64_t i = 0; i < n; i++)
            out[s * n + i] += shift_of(work, i) * X[s * n + i];
    return PT_OK;
}

static pt_status conjugate_precondition(void *user, const double *R, double *out,
                                        const pt_task *task, pt_error *err)
{
    dual *work = user;
    const int64_t count = work->problem->rows->n * work->ell;
    PT_TRY(solve_factored(work, R, task, err));
    memset(out, 0, (size_t)count * sizeof *out);
    add_correction(work->L->type, count, work->D, out);
    return PT_OK;
}

/* A step costs n^2 (d + k) or so, a factor in double n^3 / 3. */
static int64_t most_steps(const pt_rows *rows, int64_t k)
{
    const int64_t width = (rows->dense ? rows->d : 0) + k;
    const int64_t worth = rows->n / (3 * (width + STEP_WIDTH));
    return worth > FEWEST_STEPS ? worth : FEWEST_STEPS;
}

static pt_status conjugate(dual *work, bool *converged, const pt_task *task, pt_error *err)
{
    const pt_conjugate_system system = {.n = work->problem->rows->n,
                                        .ell = work->ell,
                                        .norm = work->norm,
                                        .goal = RESIDUAL_GOAL,
                                        .most = work->most_steps,
                                        .multiply = conjugate_multiply,
                                        .precondition = conjugate_precondition,
                                        .user = work};
    if (!(work->residual < 1)) /* what refinement left is no better */
        start_from_zero(work);
    PT_TRY(pt_conjugate_solve(&system, work->A, work->R, &work->residual, task, err));
    *converged = work->residual <= RESIDUAL_GOAL;
    return PT_OK;
}

/* ---- the factor ------------------------------------------------------------------------------ */

/* What float32 takes from the eigenvalues of H by rounding: the norm of n x n independent errors,
 * each a few units in the last place of the largest diagonal element of K. */
static double rounding(int64_t n, double diagonal)
{
    return ROUNDINGS * FLT_EPSILON * sqrt((double)n) * diagonal;
}

static double square(const pt_rows *rows, int64_t i)
{
    double sum = 0;
    const int64_t first = rows->dense ? i * rows->stride : rows->start[i];
    const int64_t last = rows->dense ? first + rows->d : rows->start[i + 1];
    for (int64_t p = first; p < last; p++) {
        const double v = pt_rows_value(rows, rows->dense ? rows->dense : rows->value, p);
        sum += v * v;
    }
    return sum;
}

/* max_i k(x_i, x_i); of a program's kernel 1, a guess: where it is too small float32 is tried in
 * vain, which is noticed. */
static double largest_own_value(const pt_rows *rows, const pt_kernel *kernel)
{
    double largest = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        /* 0: the distance of a row to itself */
        double v = kernel->ops->base == PT_BASE_OWN ? 1 : 0;
        if (kernel->ops->base == PT_BASE_ROW && rows->dense && i < rows->d)
            v = pt_rows_value(rows, rows->dense, i * rows->stride + i);
        else if (kernel->ops->base == PT_BASE_DOT)
            v = square(rows, i);
        pt_kernel_map(kernel, PT_F64, 1, 1, &v, 1);
        largest = fmax(largest, fabs(v));
    }
    return largest;
}

/* The matrix that float32 can factor has `rounding` more on its diagonal, so that the condition
 * number of the preconditioned one is at most 1 + rounding / ridge, and the steps grow with its
 * root. */
bool pt_ls_needs_double(const pt_rows *rows, const pt_kernel *kernel, int64_t k, double ridge)
{
    const double lost = rounding(rows->n, largest_own_value(rows, kernel));
    return STEPS * sqrt(1 + lost / ridge) > (double)most_steps(rows, k);
}

static double largest_diagonal(const pt_tiles *H)
{
    double largest = 0;
    for (int64_t i = 0; i < H->n; i++) {
        const int64_t J = i / H->nb;
        const int64_t place = (i % H->nb) * (H->nb + 1);
        const void *tile = pt_tile_at(H, J, J);
        const double v = H->type == PT_F32 ? (double)((const float *)tile)[place]
                                           : ((const double *)tile)[place];
        largest = fmax(largest, v);
    }
    return largest;
}

/* H = K + gamma W^-1, or P o K + gamma W^-1, = L L^T in tiles of `type`; `roundings` times what
 * float32 rounds away is added to the diagonal. */
static pt_status factor(dual *work, pt_type type, double roundings, int64_t *bad_row,
                        const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_gram_free_at) pt_gram *gram = NULL;
    pt_tiles_free(work->L);
    work->L = NULL;
    PT_TRY(pt_tiles_new(&work->L, work->problem->rows->n, type, err));
    pt_tiles *H = work->L;
    PT_TRY(pt_gram_new(&gram, work->problem->rows, work->kernel->ops, type, task, err));
    PT_TRY(pt_gram_tiles(gram, work->kernel, H, task, err));
    pt_gram_free(pt_keep(&gram)); /* its copy of the rows, before the factor */
    if (work->coupling)
        PT_TRY(pt_ls_couple_tiles(work->coupling, work->problem->class_of, work->problem->k, H,
                                  task, err));
    const double more = roundings > 0 ? roundings * rounding(H->n, largest_diagonal(H)) : 0;
    pt_tiles_add_diagonal(H, work->ridge, work->inverse_weight);
    pt_tiles_add_diagonal(H, more, NULL);
    return pt_la_cholesky(H, bad_row, task, err);
}

/* Factor, solve, refine. *done is false where float32 did not do and double should be tried;
 * PT_ENUMERIC where double did not do either. */
static pt_status solve_in(dual *work, pt_type type, bool *done, int64_t *bad_row,
                          const pt_task *task, pt_error *err)
{
    bool exact = true;
    *done = false;
    work->gradients = type == PT_F32 && !work->coupled.z; /* a border is not positive */
    work->residual = INFINITY;
    pt_status status = factor(work, type, 0, bad_row, task, err);
    if (status == PT_ENUMERIC && work->gradients) {
        exact = false;
        status = factor(work, type, 1, bad_row, task, err);
    }
    if (status == PT_ENUMERIC && type == PT_F32)
        return PT_OK;
    PT_TRY(status);
    if (!work->gram)
        PT_TRY(pt_gram_new(&work->gram, work->problem->rows, work->kernel->ops, PT_F64, task, err));
    if (exact) {
        start_from_zero(work);
        if (work->coupling)
            PT_TRY(pt_ls_coupled_border(&work->coupled, work->L, task, err));
        PT_TRY(correct(work, task, err));
        PT_TRY(refine(work, done, task, err));
    }
    return *done || !work->gradients ? PT_OK : conjugate(work, done, task, err);
}

/* A value of a program's kernel may take long, and the factor and every residual would ask for it
 * anew: where there is room all are held in double. The bits are the same. */
static pt_status hold_values(dual *work, pt_type type, const pt_task *task, pt_error *err)
{
    static const int64_t FIRST = 0;
    const pt_kernel_callbacks *own = work->kernel->ops->own;
    const int64_t n = work->problem->rows->n;
    const double bytes = pt_kernel_store_bytes(n, PT_F64) + (double)pt_tiles_bytes(n, PT_F64);
    const void *values = NULL;
    pt_rows seen;
    if (!own || bytes > (double)pt_task_memory(task))
        return PT_OK;
    PT_TRY(pt_own_rows(&seen, &work->wide, own, work->problem->rows, !work->problem->rows->dense,
                       task, err));
    PT_TRY(pt_kernel_store_open(&work->values, &seen, work->kernel, NULL, INFINITY, task, err));
    PT_TRY(pt_kernel_store_rows(work->values, &FIRST, 1, NULL, &values, task, err));
    work->rows = (pt_rows){.n = n,
                           .d = n,
                           .type = PT_F64,
                           .dense = values,
                           .stride = pt_kernel_store_leading(n, PT_F64)};
    for (int64_t i = 0; i < n && type == PT_F32; i++)
        PT_TRY(pt_own_check_narrow(own, (const double *)values + i * work->rows.stride, n, err));
    work->held = *work->problem;
    work->held.rows = &work->rows;
    work->problem = &work->held;
    work->read = (pt_kernel){.ops = &pt_kernel_precomputed};
    work->kernel = &work->read;
    return PT_OK;
}

/* In the type asked for, and in double where that is too coarse. */
static pt_status solve_dual(dual *work, pt_type type, pt_ls_report *report, const pt_task *task,
                            pt_error *err)
{
    bool done = false;
    const bool coarse = type == PT_F32 && pt_ls_needs_double(work->problem->rows, work->kernel,
                                                             work->problem->k, work->ridge);
    *report = (pt_ls_report){0};
    work->most_steps = most_steps(work->problem->rows, work->problem->k);
    PT_TRY(hold_values(work, type, task, err));
    pt_status status = PT_OK;
    if (!coarse)
        status = solve_in(work, type, &done, &report->bad_row, task, err);
    if (status == PT_OK && !done && type == PT_F32) {
        const double bytes = (double)pt_tiles_bytes(work->problem->rows->n, PT_F64);
        if (bytes > (double)pt_task_memory(task))
            return pt_fail(err, PT_EMEMORY,
                           "a float32 factor is too coarse here and one in double needs %s; raise "
                           "`memory` or `ridge`, now %g",
                           PT_SHOW_BYTES(bytes), work->ridge);
        report->doubled = true;
        status = solve_in(work, PT_F64, &done, &report->bad_row, task, err);
    }
    report->residual = done ? 0 : work->residual;
    return status;
}

pt_status pt_ls_explain(const pt_ls_report *report, const char *matrix, double ridge,
                        pt_warnings *warnings, pt_error *err)
{
    if (report->doubled)
        PT_TRY(pt_warn(warnings, err, PT_KIND_NUMERIC,
                       "a float32 factor was too coarse for ridge %g; used double", ridge));
    if (report->residual > NEARLY_SINGULAR)
        PT_TRY(pt_warn(
            warnings, err, PT_KIND_NUMERIC,
            "%s + ridge I is nearly singular: the relative residual is %.1e; raise `ridge`, now %g",
            matrix, report->residual, ridge));
    return PT_OK;
}

pt_status pt_ls_solve_dual(const pt_ls_problem *problem, const pt_kernel *kernel, double ridge,
                           pt_type type, double *A, const pt_task *task, pt_warnings *warnings,
                           pt_error *err)
{
    PT_FREED_BY(dual_free) dual work = {0};
    pt_ls_report report;
    PT_TRY(dual_init(&work, problem, NULL, kernel, ridge, A, NULL, err));
    const pt_status status = solve_dual(&work, type, &report, task, err);
    if (status == PT_ENUMERIC)
        return pt_fail(err, PT_ENUMERIC,
                       "K + ridge I is not positive definite at row %lld; raise `ridge`, now %g",
                       (long long)report.bad_row + 1, ridge);
    PT_TRY(status);
    return pt_ls_explain(&report, "K", ridge, warnings, err);
}

pt_status pt_ls_solve_coupled(const pt_ls_problem *problem, const pt_ls_coupling *coupling,
                              const pt_kernel *kernel, double ridge, pt_type type, double *beta,
                              double *z, pt_ls_report *report, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(dual_free) dual work = {0};
    PT_TRY(dual_init(&work, problem, coupling, kernel, ridge, beta, z, err));
    return solve_dual(&work, type, report, task, err);
}

/* column += w x_i */
static void add_row(const pt_rows *rows, int64_t i, double w, double *column)
{
    if (rows->dense)
        for (int64_t j = 0; j < rows->d; j++)
            column[j] += w * pt_rows_value(rows, rows->dense, i * rows->stride + j);
    else
        for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p++)
            column[rows->index[p]] += w * pt_rows_value(rows, rows->value, p);
}

/* B_{., r} += w_i E_ir x_i for the rows asked for; of indicators one r counts. */
pt_status pt_ls_moments(const pt_ls_problem *problem, int64_t first, int64_t last, double *B,
                        const pt_task *task, pt_error *err)
{
    const pt_rows *rows = problem->rows;
    const int64_t width = pt_rows_width(rows) * (problem->targets ? problem->k : 1);
    memset(B, 0, (size_t)(rows->d * problem->k) * sizeof *B);
    for (int64_t i = first; i < last; i++) {
        PT_TRY(pt_task_check_row(task, i, width, err));
        const double w = problem->weight ? problem->weight[i] : 1;
        if (!problem->targets) {
            add_row(rows, i, w, B + problem->class_of[i] * rows->d);
            continue;
        }
        for (int64_t r = 0; r < problem->k; r++)
            add_row(rows, i, w * pt_ls_target(problem, i, r), B + r * rows->d);
    }
    return PT_OK;
}

pt_status pt_ls_primal_gram(pt_tiles **out, const pt_ls_problem *problem, const pt_task *task,
                            pt_error *err)
{
    const pt_rows *rows = problem->rows;
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned turned = {0};
    PT_FREED_BY(pt_gram_free_at) pt_gram *gram = NULL;
    PT_FREED_BY(pt_tiles_free_at) pt_tiles *G = NULL;
    PT_SCRATCH double *root = NULL;
    if (problem->weight)
        PT_TRY(PT_NEW(root, rows->n, "weights", err));
    for (int64_t i = 0; root && i < rows->n; i++)
        root[i] = sqrt(problem->weight[i]);
    PT_TRY(pt_rows_transpose(&turned, rows, root, task, err));
    PT_TRY(pt_gram_new(&gram, &turned.rows, &pt_kernel_linear, PT_F64, task, err));
    PT_TRY(pt_tiles_new(&G, rows->d, PT_F64, err));
    PT_TRY(pt_gram_tiles(gram, NULL, G, task, err));
    *out = pt_keep(&G);
    return PT_OK;
}

pt_status pt_ls_primal_factor(pt_tiles *G, double ridge, const pt_task *task, pt_error *err)
{
    int64_t bad_row = 0;
    pt_tiles_add_diagonal(G, ridge, NULL);
    pt_status status = pt_la_cholesky(G, &bad_row, task, err);
    if (status == PT_ENUMERIC)
        status = pt_fail(
            err, PT_ENUMERIC,
            "X^T X + ridge I is not positive definite at column %lld; raise `ridge`, now %g",
            (long long)bad_row + 1, ridge);
    return status;
}

pt_status pt_ls_solve_primal(const pt_ls_problem *problem, double ridge, double *coef,
                             const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_tiles_free_at) pt_tiles *G = NULL;
    PT_TRY(pt_ls_primal_gram(&G, problem, task, err));
    PT_TRY(pt_ls_primal_factor(G, ridge, task, err));
    PT_TRY(pt_ls_moments(problem, 0, problem->rows->n, coef, task, err));
    return pt_la_cholesky_solve(G, coef, problem->k, problem->rows->d, task, err);
}

/* Stable: a counting sort. */
static pt_status order_rows(int64_t *order, int64_t n, const int64_t *key, int64_t n_keys,
                            pt_error *err)
{
    int64_t *start = pt_alloc_zero(n_keys + 1, sizeof(int64_t), "an order", err);
    if (!start)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        start[key[i] + 1]++;
    for (int64_t v = 0; v < n_keys; v++)
        start[v + 1] += start[v];
    for (int64_t i = 0; i < n; i++)
        order[start[key[i]]++] = i;
    pt_free(start);
    return PT_OK;
}

void pt_ls_ordered_free(pt_ls_ordered *o)
{
    pt_rows_owned_free(&o->rows);
    pt_free(o->order);
    pt_free(o->class_of);
    pt_free(o->weight);
    pt_free(o->targets);
}

pt_status pt_ls_ordered_init(pt_ls_ordered *o, const pt_ls_problem *problem, const int64_t *key,
                             int64_t n_keys, const pt_task *task, pt_error *err)
{
    const int64_t n = problem->rows->n;
    memset(o, 0, sizeof *o);
    o->order = pt_alloc(n, sizeof(int64_t), "an order", err);
    if (problem->targets)
        o->targets = pt_alloc(problem->k, (size_t)n * sizeof(double), "targets", err);
    else
        o->class_of = pt_alloc(n, sizeof(int64_t), "classes", err);
    if (!o->order || !(o->class_of || o->targets))
        return PT_ENOMEM;
    if (problem->weight) {
        o->weight = pt_alloc(n, sizeof(double), "weights", err);
        if (!o->weight)
            return PT_ENOMEM;
    }
    PT_TRY(order_rows(o->order, n, key, n_keys, err));
    PT_TRY(pt_rows_select(&o->rows, problem->rows, o->order, n, task, err));
    for (int64_t i = 0; i < n; i++) {
        if (o->class_of)
            o->class_of[i] = problem->class_of[o->order[i]];
        if (problem->weight)
            o->weight[i] = problem->weight[o->order[i]];
        for (int64_t r = 0; problem->targets && o->targets && r < problem->k; r++)
            o->targets[r * n + i] = problem->targets[r * n + o->order[i]];
    }
    o->problem = (pt_ls_problem){&o->rows.rows, o->class_of, problem->k, o->weight, o->targets};
    return PT_OK;
}
