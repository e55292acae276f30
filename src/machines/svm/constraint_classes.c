/* Machine `constraint`, --method svm, where labels are classes: the pairs of class y are (y, r) for
 * all r != y, so that the problem is that of Weston and Watkins,
 *
 *     min  1/2 sum_r ||v_r||^2 + sum_i C_i sum_{r != y_i} max(0, 1 - (v_{y_i} - v_r) . x_i) ,
 *
 * and machine ww's solvers are what is called: spoc_linear.c, and spoc.c by kernel
 * values. alpha of the pair (y_i, r) is their eta_ir. These know of no bias: it is one more feature
 * of the rows, or 1 more in every kernel value (pt_kernel.shift).
 *
 * Values of a kernel that the rows hold are not copied for that 1: there, with a bias, it is the
 * solver of all pairs that is called (solvers/dual/pair_kernel.c). */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/expansion.h"
#include "machines/svm/constraint.h"
#include "machines/svm/multiclass_svm.h"
#include "solvers/dual/spoc.h"
#include "solvers/squares/ls_solve.h"

bool pt_constraint_is_classes(const pt_problem *problem, const pt_kernel_ops *kernel, bool bias)
{
    const bool given = kernel && kernel->base == PT_BASE_ROW;
    return problem->labels->kind == PT_LABEL_CLASS && !(given && bias);
}

/* Linear: the rows with a feature more, as they are and as the solver reads them. */
double pt_constraint_classes_bytes(const pt_problem *problem, const pt_kernel_ops *kernel)
{
    const pt_rows *rows = &problem->rows;
    const int64_t k = pt_labels_n_classes(problem->labels);
    if (kernel && !kernel->linear)
        return pt_multiclass_svm_kernel_bytes(problem);
    const double size = (double)pt_type_size(rows->type);
    const double more = ((double)pt_rows_stored(rows) + (double)rows->n) *
                            (size + (rows->dense ? 0 : (double)sizeof(int64_t))) +
                        8 * (double)rows->n;
    return more + pt_linear_rows_bytes(rows) + (size + 4) * (double)rows->n +
           pt_spoc_linear_bytes(rows->n, rows->d + 1, k) + 8 * (double)(rows->d + 1) * (double)k;
}

/* ---- linear ---------------------------------------------------------------------------------- */

/* W <- M, whose last row is the bias where there is one. */
static void take_weights(const pt_constraint_training *t, const double *M)
{
    const int64_t d = t->d + t->bias;
    for (int64_t r = 0; r < t->k; r++)
        memcpy(t->W + r * (t->d + 1), M + r * d, (size_t)d * sizeof *M);
}

static pt_status solve_linear(pt_constraint_training *t, const pt_spoc *spoc, pt_sparse_rows *eta,
                              pt_spoc_result *result, pt_error *err)
{
    const uint64_t seed = (uint64_t)pt_params_integer(t->params, PT_P_SEED);
    pt_rows_owned more = {0};
    pt_linear_rows rows = {0};
    double *M = NULL;
    pt_status status = t->bias ? pt_rows_append_one(&more, &t->problem->rows, err) : PT_OK;
    if (status == PT_OK)
        status = pt_linear_rows_init(&rows, t->bias ? &more.rows : &t->problem->rows, false,
                                     t->task, err);
    if (status == PT_OK) {
        M = pt_alloc(t->k, (size_t)rows.d * sizeof *M, "weights", err);
        status = M ? PT_OK : PT_ENOMEM;
    }
    if (status == PT_OK)
        status = pt_spoc_linear_solve(spoc, &rows, seed, eta, M, result, "training", t->task, err);
    if (status == PT_OK)
        take_weights(t, M);
    pt_free(M);
    pt_linear_rows_free(&rows);
    pt_rows_owned_free(&more);
    return status;
}

/* ---- by kernel values ------------------------------------------------------------------------ */

/* t->support and t->tau <- those of eta. */
static pt_status take_tau(pt_constraint_training *t, const pt_spoc *spoc, const pt_sparse_rows *eta,
                          pt_error *err)
{
    int64_t count = 0;
    for (int64_t i = 0; i < spoc->n; i++)
        count += pt_spoc_is_support(eta, i, spoc->class_of[i]);
    t->support = pt_alloc(count, sizeof *t->support, "examples", err);
    t->tau = pt_alloc(count, (size_t)spoc->k * sizeof *t->tau, "coefficients", err);
    if (!t->support || !t->tau)
        return PT_ENOMEM;
    t->patterns = 0;
    for (int64_t i = 0; i < spoc->n; i++)
        if (pt_spoc_is_support(eta, i, spoc->class_of[i])) {
            pt_spoc_tau(spoc, eta, i, t->tau + t->patterns * spoc->k);
            t->support[t->patterns++] = i;
        }
    return PT_OK;
}

/* The base of example i and itself: x . x, a distance of 0, or what the row has for it. */
static double own_base(const pt_rows *rows, pt_kernel_base base, int64_t i)
{
    const int64_t first = rows->dense ? i * rows->stride : rows->start[i];
    const int64_t last = rows->dense ? first + rows->d : rows->start[i + 1];
    double square = 0;
    if (base == PT_BASE_ROW)
        return pt_rows_value(rows, rows->dense, first + i);
    for (int64_t p = first; p < last && base == PT_BASE_DOT; p++) {
        const double x = pt_rows_value(rows, rows->dense ? rows->dense : rows->value, p);
        square += x * x;
    }
    return square;
}

/* The largest ||phi(x_i)||. */
static double radius_of(const pt_rows *rows, const pt_kernel *kernel)
{
    double most = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        double square = own_base(rows, kernel->ops->base, i);
        pt_kernel_map(kernel, PT_F64, 1, 1, &square, 1);
        most = fmax(most, square);
    }
    return sqrt(most);
}

static pt_status solve_kernel(pt_constraint_training *t, const pt_spoc *spoc, pt_sparse_rows *eta,
                              pt_spoc_result *result, pt_error *err)
{
    pt_kernel kernel = t->kernel;
    kernel.shift = t->bias ? 1 : 0;
    pt_spoc own = *spoc;
    own.kernel = &kernel;
    pt_status status =
        pt_kernel_is_row(&kernel) ? pt_ls_check_precomputed(&t->problem->rows, err) : PT_OK;
    if (status == PT_OK)
        status = pt_multiclass_svm_give_kernel(&own, t->problem, &kernel, t->task, err);
    if (status == PT_OK)
        status = pt_spoc_solve(&own, eta, result, "training", t->task, err);
    pt_kernel_store_close(own.store);
    if (status == PT_OK)
        status = take_tau(t, spoc, eta, err);
    if (status == PT_OK)
        t->radius = radius_of(&t->problem->rows, &kernel);
    return status;
}

/* ---- the method ------------------------------------------------------------------------------ */

/* What the pairs are by eta. value = sum eta - 1/2 sum_r ||v_r||^2. */
static void write_result(const pt_spoc *spoc, const pt_sparse_rows *eta, const pt_spoc_result *from,
                         pt_pair_result *result)
{
    double sum = 0;
    *result = (pt_pair_result){.value = from->value,
                               .gap = from->gap,
                               .visits = from->steps,
                               .patterns = from->patterns,
                               .converged = from->converged};
    for (int64_t i = 0; i < spoc->n; i++) {
        const pt_entry *row = pt_sparse_row(eta, i);
        for (int64_t c = 0; c < eta->count[i]; c++) {
            sum += row[c].value;
            result->pairs += row[c].value > 0;
        }
    }
    result->square = fmax(2 * (sum - from->value), 0);
}

pt_status pt_constraint_classes(pt_constraint_training *t, const pt_pair_problem *pairs,
                                pt_pair_result *result, pt_error *err)
{
    pt_sparse_rows eta = {0};
    pt_spoc_result from = {0};
    const pt_spoc spoc = {.kind = PT_WESTON_WATKINS,
                          .n = t->problem->rows.n,
                          .k = t->k,
                          .class_of = t->problem->labels->class_of,
                          .bound = pairs->bound,
                          .gap = pairs->gap,
                          .limit = pairs->limit};
    pt_status status = pt_sparse_rows_init(&eta, spoc.n, err);
    if (status == PT_OK)
        status = t->by_kernel ? solve_kernel(t, &spoc, &eta, &from, err)
                              : solve_linear(t, &spoc, &eta, &from, err);
    if (status == PT_OK)
        write_result(&spoc, &eta, &from, result);
    t->square = result->square;
    pt_sparse_rows_free(&eta);
    return status;
}
