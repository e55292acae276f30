/* Machine `constraint`, --method hard: the functions with the largest margin over all pairs,
 *
 *     min  sum_r ||v_r||^2   with   (v_a - v_b) . x_i >= 1   for all pairs (a, b) of all i ,
 *
 * where there are any; else it is said that there are none, with what proves it. Weights of
 * examples change nothing. The solver is solvers/dual/pair_margin.c. */
#include <math.h>

#include "base/alloc.h"
#include "machines/svm/constraint.h"
#include "solvers/dual/pair_solvers.h"

static const double PASSES = 500; /* guessed */

/* Pairs that may have a multiplier at one time: those that are independent, as far as there is
 * memory for them. */
static int64_t most_pairs(const pt_problem *problem, int64_t k, bool by_kernel, double bytes)
{
    const double of_rows = (double)(k - 1) * (double)problem->rows.n;
    const double independent =
        by_kernel ? of_rows : fmin((double)k * (double)(problem->rows.d + 1), of_rows);
    return (int64_t)fmin(independent, sqrt(fmax(bytes, 0) / 16)) + 1;
}

double pt_constraint_hard_bytes(const pt_problem *problem, unsigned how)
{
    const pt_rows *rows = &problem->rows;
    const int64_t k = pt_label_pairs_n_classes(problem->labels, how);
    return pt_linear_rows_bytes(rows) + pt_pair_space_bytes(rows->n, rows->d, k) +
           pt_pair_margin_bytes(rows->n, k, 0);
}

/* Nobody knows before how many pairs decide: of a wide kernel a few, of a narrow one all. The time
 * is that of the passes over kernel values, after which pair_margin.c looks for another way; the
 * memory, that of a factor of all pairs, where there is none, and of the one that it grew from. */
void pt_constraint_hard_factor(const pt_problem *problem, unsigned how, const pt_task *task,
                               pt_plan *plan)
{
    const int64_t k = pt_label_pairs_n_classes(problem->labels, how);
    const double left = (double)pt_task_memory(task) - plan->bytes;
    const double pairs = (double)most_pairs(problem, k, true, left);
    plan->flops += PASSES * (double)problem->rows.n * (double)problem->rows.n * (double)k;
    plan->cache = 10 * pairs * pairs;
}

static pt_status solve_linear(pt_constraint_training *t, const pt_pair_problem *pairs, int64_t most,
                              pt_margin_result *result, pt_error *err)
{
    PT_FREED_BY(pt_linear_rows_free) pt_linear_rows rows = {0};
    PT_FREED_BY(pt_pair_space_free) pt_pair_space space = {0};
    PT_TRY(pt_linear_rows_init(&rows, &t->problem->rows, false, t->task, err));
    PT_TRY(pt_pair_space_init(&space, &rows, NULL, t->k, t->bias, err));
    PT_TRY(pt_pair_margin(pairs, &space, most, result, "training", t->task, err));
    if (result->separable)
        pt_class_weights_write(&space.weights, space.bias, result->scale, t->d + 1, t->W);
    return PT_OK;
}

static pt_status solve_kernel(pt_constraint_training *t, const pt_pair_problem *pairs, int64_t most,
                              pt_margin_result *result, pt_error *err)
{
    PT_FREED_BY(pt_kernel_store_close_at) pt_kernel_store *store = NULL;
    PT_FREED_BY(pt_pair_space_free) pt_pair_space space = {0};
    PT_TRY(pt_constraint_store(&store, t, err));
    PT_TRY(pt_pair_space_init(&space, NULL, store, t->k, t->bias, err));
    PT_TRY(pt_pair_margin(pairs, &space, most, result, "training", t->task, err));
    if (result->separable) {
        t->support = pt_keep(&result->support);
        t->tau = pt_keep(&result->tau);
        t->patterns = result->patterns;
        t->square = result->square;
    }
    return PT_OK;
}

static void result_free(pt_margin_result *result)
{
    pt_free(result->support);
    pt_free(result->tau);
}

pt_status pt_constraint_hard(pt_constraint_training *t, pt_error *err)
{
    const double beside = pt_constraint_hard_bytes(t->problem, t->how);
    const int64_t most =
        most_pairs(t->problem, t->k, t->by_kernel, (double)pt_task_memory(t->task) - beside);
    PT_FREED_BY(result_free) pt_margin_result result = {0};
    PT_FREED_BY(pt_label_pair_lists_free) pt_label_pair_lists laid = {0};
    const pt_pair_problem pairs = {.pairs = &laid.lists};
    PT_TRY(pt_constraint_lay_out(&laid, t, beside, err));
    PT_TRY(t->by_kernel ? solve_kernel(t, &pairs, most, &result, err)
                        : solve_linear(t, &pairs, most, &result, err));
    if (!result.separable)
        return pt_fail(
            err, PT_ENUMERIC,
            "`method=hard`: not separable: some pairs of the labels contradict each other, no "
            "functions have all of them right with a margin above %.2g; use `method=svm`",
            result.most);
    pt_constraint_tell(t, "support_pairs", result.pairs);
    pt_constraint_tell(t, "support_patterns", result.patterns);
    pt_constraint_tell(t, "steps", result.steps);
    return PT_OK;
}
