/* Machine `constraint`, --method svm: the support vector machine over the pairs of the labels.
 *
 *     min  1/2 sum_r ||v_r||^2 + C sum_i w_i sum_{(a, b) of i} max(0, 1 - (v_a - v_b) . x_i)
 *
 * On labels of kind class it is machine `ww` (Weston and Watkins with margin 1), and its solver is
 * that machine's (constraint_classes.c). A bias is the weight of a feature that is 1 in every row,
 * and counts in ||v_r||. The solver of other labels is solvers/dual/pair_descent.c; with a kernel
 * solvers/dual/pair_kernel.c, v_r = sum_i tau_ir phi(x_i). */
#include "base/alloc.h"
#include "machine/unfinished.h"
#include "machines/svm/constraint.h"
#include "solvers/dual/pair_solvers.h"

/* Of the memory that the plan leaves: pairs that take more are not laid out. */
static const double PAIRS_SHARE = 0.25;

double pt_constraint_svm_bytes(const pt_problem *problem, unsigned how)
{
    const pt_rows *rows = &problem->rows;
    const int64_t k = pt_label_pairs_n_classes(problem->labels, how);
    double pairs = 0;
    for (int64_t i = 0; i < rows->n; i++)
        pairs += (double)pt_label_pairs_count(problem->labels, i, how);
    return pt_linear_rows_bytes(rows) + pt_pair_descent_bytes(rows->n, rows->d, k, pairs);
}

pt_status pt_constraint_lay_out(pt_label_pair_lists *pairs, const pt_constraint_training *t,
                                double bytes, pt_error *err)
{
    const double left = (double)pt_task_memory(t->task) - bytes;
    return pt_label_pairs_lay_out(pairs, t->problem->labels, t->how, PAIRS_SHARE * left, err);
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

static pt_status solve_linear(pt_constraint_training *t, const pt_pair_problem *pairs,
                              pt_pair_result *result, pt_error *err)
{
    PT_FREED_BY(pt_linear_rows_free) pt_linear_rows rows = {0};
    PT_TRY(pt_linear_rows_init(&rows, &t->problem->rows, false, t->task, err));
    return pt_pair_descent(pairs, &rows, t->bias, (uint64_t)pt_params_integer(t->params, PT_P_SEED),
                           t->W, result, "training", t->task, err);
}

static pt_status solve_kernel(pt_constraint_training *t, const pt_pair_problem *pairs,
                              pt_pair_result *result, pt_error *err)
{
    pt_constraint_values values = {0};
    pt_status status = pt_constraint_values_open(&values, t, err);
    if (status == PT_OK)
        status = pt_pair_kernel(pairs, &values.space, &t->support, &t->tau, result, "training",
                                t->task, err);
    pt_constraint_values_close(&values);
    t->patterns = result->patterns;
    t->square = result->square;
    return status;
}

pt_status pt_constraint_svm(pt_constraint_training *t, pt_error *err)
{
    const int64_t n = t->problem->rows.n;
    const double C = pt_params_real(t->params, PT_P_C);
    const bool classes = pt_constraint_is_classes(t->problem, t->kernel.ops, t->bias);
    pt_pair_result result = {0};
    PT_FREED_BY(pt_label_pair_lists_free) pt_label_pair_lists laid = {0};
    PT_SCRATCH double *bound = pt_alloc(n, sizeof(double), "bounds", err);
    if (!bound)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        bound[i] = C * (t->problem->weight ? t->problem->weight[i] : 1);
    const pt_pair_problem pairs = {
        .pairs = &laid.lists, .bound = bound, .gap = pt_params_real(t->params, PT_P_GAP)};
    if (!classes)
        PT_TRY(pt_constraint_lay_out(&laid, t,
                                     t->by_kernel ? pt_constraint_kernel_bytes(t->problem, t->how)
                                                  : pt_constraint_svm_bytes(t->problem, t->how),
                                     err));
    PT_TRY(classes        ? pt_constraint_classes(t, &pairs, &result, err)
           : t->by_kernel ? solve_kernel(t, &pairs, &result, err)
                          : solve_linear(t, &pairs, &result, err));
    return tell(t, &result, pairs.gap, err);
}
