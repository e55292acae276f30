/* Machine `constraint`, --method svm: the support vector machine over the pairs of the labels.
 *
 *     min  1/2 sum_r ||v_r||^2 + C sum_i w_i sum_{(a, b) of i} max(0, 1 - (v_a - v_b) . x_i)
 *
 * On labels of kind class the pairs of class y are (y, r) for all r != y: it is machine `ww`
 * (Weston and Watkins with margin 1), and its solvers are that machine's, eta_ir the alpha of
 * (y_i, r). Those of other labels are solvers/dual/pair_solvers.c and, with a kernel,
 * pair_kernel.c, v_r = sum_i tau_ir phi(x_i). A bias is the weight of a feature that is 1 in every
 * row, and counts in ||v_r||: one more feature of the rows, or 1 more in every kernel value. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "machine/machine.h"
#include "machines/svm/constraint.h"
#include "machines/svm/multiclass_svm.h"
#include "solvers/dual/pair_solvers.h"
#include "solvers/squares/ls_solve.h"

enum { LEAST_ROWS = 64 }; /* kernel rows that there must be room for */
/* Of the memory that the plan leaves: pairs that take more are not laid out. */
static const double PAIRS_SHARE = 0.25;

static bool is_classes(const pt_problem *problem)
{
    return problem->labels->kind == PT_LABEL_CLASS;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static double pairs_of(const pt_problem *problem, unsigned how)
{
    double pairs = 0;
    for (int64_t i = 0; i < problem->rows.n; i++)
        pairs += (double)pt_label_pairs_count(problem->labels, i, how);
    return pairs;
}

static double linear_bytes(const pt_problem *problem, unsigned how)
{
    const pt_rows *rows = &problem->rows;
    const int64_t k = pt_label_pairs_n_classes(problem->labels, how);
    if (!is_classes(problem))
        return pt_linear_rows_bytes(rows) +
               pt_pair_descent_bytes(rows->n, rows->d, k, pairs_of(problem, how));
    /* the rows with a feature more, as they are and as the solver reads them */
    const double size = (double)pt_type_size(rows->type);
    const double more = ((double)pt_rows_stored(rows) + (double)rows->n) *
                            (size + (rows->dense ? 0 : (double)sizeof(int64_t))) +
                        8 * (double)rows->n;
    return more + pt_linear_rows_bytes(rows) + (size + 4) * (double)rows->n +
           pt_spoc_linear_bytes(rows->n, rows->d + 1, k) + 8 * (double)(rows->d + 1) * (double)k;
}

static double least_values(const pt_rows *rows)
{
    return LEAST_ROWS * (double)rows->n * (double)pt_type_size(rows->type);
}

/* Over pairs, beside the kernel values: the solver, a copy of the rows for the kernel, that of the
 * model. */
static double beside_values(const pt_problem *problem, unsigned how)
{
    const pt_rows *rows = &problem->rows;
    const int64_t k = pt_label_pairs_n_classes(problem->labels, how);
    return pt_pair_kernel_bytes(rows->n, k, pairs_of(problem, how)) +
           pt_pair_space_bytes(rows->n, 0, k) +
           2 * (double)pt_rows_stored(rows) *
               ((double)pt_type_size(rows->type) + (rows->dense ? 0 : 8)) +
           16 * (double)rows->n * (double)k;
}

double pt_constraint_kernel_bytes(const pt_problem *problem, unsigned how)
{
    return beside_values(problem, how) + least_values(&problem->rows);
}

double pt_constraint_svm_bytes(const pt_problem *problem, unsigned how, bool by_kernel)
{
    return !by_kernel            ? linear_bytes(problem, how)
           : is_classes(problem) ? pt_multiclass_svm_kernel_bytes(problem)
                                 : pt_constraint_kernel_bytes(problem, how);
}

pt_status pt_constraint_lay_out(pt_label_pair_lists *pairs, const pt_constraint_training *t,
                                double bytes, pt_error *err)
{
    const double left = (double)pt_task_memory(t->task) - bytes;
    return pt_label_pairs_lay_out(pairs, t->problem->labels, t->how, PAIRS_SHARE * left, t->task,
                                  err);
}

/* ---- the methods ----------------------------------------------------------------------------- */

static pt_status solve_linear(pt_constraint_training *t, const pt_pair_problem *pairs,
                              pt_pair_result *result, pt_error *err)
{
    const uint64_t seed = (uint64_t)pt_params_integer(t->params, PT_P_SEED);
    PT_FREED_BY(pt_linear_rows_free) pt_linear_rows rows = {0};
    PT_TRY(pt_linear_rows_init(&rows, &t->problem->rows, false, t->task, err));
    return pt_pair_descent(pairs, &rows, t->bias, seed, t->W, result, "training", t->task, err);
}

static pt_status solve_classes_linear(pt_constraint_training *t, const pt_spoc *spoc,
                                      pt_sparse_rows *eta, pt_spoc_result *result, pt_error *err)
{
    const uint64_t seed = (uint64_t)pt_params_integer(t->params, PT_P_SEED);
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned more = {0};
    PT_FREED_BY(pt_linear_rows_free) pt_linear_rows rows = {0};
    if (t->bias)
        PT_TRY(pt_rows_append_one(&more, &t->problem->rows, t->task, err));
    PT_TRY(
        pt_linear_rows_init(&rows, t->bias ? &more.rows : &t->problem->rows, false, t->task, err));
    PT_SCRATCH double *M = pt_alloc(t->k, (size_t)rows.d * sizeof *M, "weights", err);
    if (!M)
        return PT_ENOMEM;
    PT_TRY(pt_spoc_linear_solve(spoc, &rows, seed, eta, M, result, "training", t->task, err));
    for (int64_t r = 0; r < t->k; r++) /* whose last row is the bias, where there is one */
        memcpy(t->W + r * (t->d + 1), M + r * rows.d, (size_t)rows.d * sizeof *M);
    return PT_OK;
}

pt_status pt_constraint_store(pt_kernel_store **store, const pt_constraint_training *t,
                              pt_error *err)
{
    const pt_rows *rows = &t->problem->rows;
    const bool given = pt_kernel_is_row(&t->kernel);
    const double memory = (double)pt_task_memory(t->task) - beside_values(t->problem, t->how);
    const double whole = pt_kernel_store_bytes(rows->n, rows->type);
    const double held = whole <= memory / 2 ? whole : fmax(memory / 2, least_values(rows));
    if (given)
        PT_TRY(pt_ls_check_precomputed(rows, err));
    return pt_kernel_store_open(store, rows, &t->kernel, NULL, given ? 0 : held, t->task, err);
}

static pt_status solve_kernel(pt_constraint_training *t, const pt_pair_problem *pairs,
                              pt_pair_result *result, pt_error *err)
{
    PT_FREED_BY(pt_kernel_store_close_at) pt_kernel_store *store = NULL;
    PT_FREED_BY(pt_pair_space_free) pt_pair_space space = {0};
    PT_TRY(pt_constraint_store(&store, t, err));
    PT_TRY(pt_pair_space_init(&space, NULL, store, t->k, t->bias, err));
    PT_TRY(pt_pair_kernel(pairs, &space, &t->support, &t->tau, result, "training", t->task, err));
    t->patterns = result->patterns;
    return PT_OK;
}

static pt_status solve_classes_kernel(pt_constraint_training *t, pt_spoc spoc, pt_sparse_rows *eta,
                                      pt_spoc_result *result, pt_error *err)
{
    const pt_rows *rows = &t->problem->rows;
    const bool given = pt_kernel_is_row(&t->kernel);
    pt_kernel kernel = t->kernel;
    kernel.shift = t->bias && !given ? 1 : 0; /* values that the rows hold are not copied for it */
    spoc.shift = t->bias && given ? 1 : 0;
    spoc.kernel = &kernel;
    if (given)
        PT_TRY(pt_ls_check_precomputed(rows, err));
    if (t->start)
        PT_TRY(pt_multiclass_svm_begin_at(
            eta, &spoc, t->start, pt_params_real(t->start_params, PT_P_C), t->problem, err));
    PT_TRY(pt_multiclass_svm_give_kernel(&spoc, t->problem, &kernel, t->task, err));
    const pt_status status = pt_spoc_solve(&spoc, eta, result, "training", t->task, err);
    pt_kernel_store_close(spoc.store);
    PT_TRY(status);
    return pt_spoc_patterns(&spoc, eta, &t->support, &t->tau, &t->patterns, err);
}

static pt_status solve_classes(pt_constraint_training *t, const pt_pair_problem *pairs,
                               pt_pair_result *result, pt_error *err)
{
    PT_FREED_BY(pt_sparse_rows_free) pt_sparse_rows eta = {0};
    pt_spoc_result solved = {0};
    const pt_spoc spoc = {.kind = PT_WESTON_WATKINS,
                          .n = t->problem->rows.n,
                          .k = t->k,
                          .class_of = t->problem->labels->class_of,
                          .bound = pairs->bound,
                          .gap = pairs->gap};
    PT_TRY(pt_sparse_rows_init(&eta, spoc.n, t->task, err));
    PT_TRY(t->by_kernel ? solve_classes_kernel(t, spoc, &eta, &solved, err)
                        : solve_classes_linear(t, &spoc, &eta, &solved, err));
    *result = (pt_pair_result){.value = solved.value,
                               .gap = solved.gap,
                               .visits = solved.steps,
                               .converged = solved.converged};
    const double sum = pt_pair_count(&eta, result); /* value = sum eta - 1/2 sum_r ||v_r||^2 */
    result->square = fmax(2 * (sum - solved.value), 0);
    result->patterns = solved.patterns;
    return PT_OK;
}

static pt_status tell(pt_constraint_training *t, const pt_pair_result *result, double gap,
                      pt_error *err)
{
    pt_constraint_tell(t, "support_pairs", result->pairs);
    pt_constraint_tell(t, "support_patterns", result->patterns);
    pt_constraint_tell_real(t, "primal", result->value + result->gap);
    pt_constraint_tell_real(t, "dual", result->value);
    pt_constraint_tell_real(t, "relative_gap",
                            result->gap > 0 ? result->gap / result->value : result->gap);
    if (result->converged || pt_task_ended_early(t->task))
        return PT_OK;
    return pt_warn_gap(t->warnings, "constraint", result->gap / result->value, gap,
                       t->problem->rows.type, err);
}

pt_status pt_constraint_svm(pt_constraint_training *t, pt_error *err)
{
    const int64_t n = t->problem->rows.n;
    const double C = pt_params_real(t->params, PT_P_C);
    const double beside = pt_constraint_svm_bytes(t->problem, t->how, t->by_kernel);
    pt_pair_result result = {0};
    if (t->start && !(t->by_kernel && is_classes(t->problem)))
        return pt_constraint_refuse_start(t, err);
    PT_FREED_BY(pt_label_pair_lists_free) pt_label_pair_lists laid = {0};
    PT_SCRATCH double *bound = pt_alloc(n, sizeof(double), "bounds", err);
    if (!bound)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        bound[i] = C * pt_weight(t->problem->weight, i);
    const pt_pair_problem pairs = {
        .pairs = &laid.lists, .bound = bound, .gap = pt_params_real(t->params, PT_P_GAP)};
    if (!is_classes(t->problem))
        PT_TRY(pt_constraint_lay_out(&laid, t, beside, err));
    PT_TRY(is_classes(t->problem) ? solve_classes(t, &pairs, &result, err)
           : t->by_kernel         ? solve_kernel(t, &pairs, &result, err)
                                  : solve_linear(t, &pairs, &result, err));
    t->square = result.square;
    return tell(t, &result, pairs.gap, err);
}
