/* softmax: multinomial logistic regression, one problem for all classes.
 *
 *     p_r(x) = exp(w_r.x) / sum_q exp(w_q.x) ,
 *     min_W  penalty(W) - sum_i C weight_i log p_{y_i}(x_i) ,
 *     penalty(W) = 1/2 ||W||^2  (--penalty l2)   or   ||W||_1  (--penalty l1)
 *
 * The bias is the weight of a feature that is 1 in every row and is penalised with the others. The
 * scores are w_r.x, the logarithms of the probabilities up to a term that all classes share:
 * without calibration (temperature 1) the probabilities of a model are p(x).
 *
 * With squares this is Newton's method on all classes at once (logistic.h), threads share
 * rows and features; with absolute values it goes class by class on one thread
 * (solvers/linear/softmax_l1.h). Where rows validate, the weights are those after the iteration
 * with the smallest log loss on these, and no more than --patience iterations come after it. */
#include "machine/machine.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/expansion.h"
#include "kernels/kernel_params.h"
#include "solvers/linear/logistic.h"
#include "solvers/linear/softmax_l1.h"
#include "solvers/linear/softmax_valid.h"
#include "store/pack.h"

enum { L1_ROUNDS = 1000 }; /* the limit of rounds over the classes with --penalty l1 */

typedef struct softmax {
    pt_expansion_machine base;
    int64_t steps;
} softmax;

static bool penalty_is_l1(const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_PENALTY), "l1") == 0;
}

/* ---- training -------------------------------------------------------------------------------- */

typedef struct softmax_work {
    const pt_problem *problem;
    const pt_task *task;
    int64_t k;
    int64_t d;
    bool bias;
    double C;
    double eps;
    uint64_t seed;
    pt_lane_rows lanes;
    double *w; /* (d + 1) x k column-major: where it begins, where `started`; the solution */
    bool started;
    int64_t steps;
    bool converged;
    double violation;
    pt_softmax_valid valid; /* where rows validate */
    double *now;            /* as w: after an iteration, for these */
} softmax_work;

/* ---- rows that validate ---------------------------------------------------------------------- */

static pt_status begin_to_look(softmax_work *t, int64_t patience, pt_error *err)
{
    const pt_valid_rows *valid = t->problem->valid;
    size_t bytes = 0;
    if (!valid)
        return PT_OK;
    t->valid = (pt_softmax_valid){.rows = valid->rows,
                                  .class_of = valid->class_of,
                                  .weight = valid->weight,
                                  .k = t->k,
                                  .patience = patience};
    if (!pt_size_mul((size_t)(t->d + 1), sizeof(double), &bytes))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    t->now = pt_alloc(t->k, bytes, "weights", err);
    return t->now ? pt_softmax_valid_init(&t->valid, err) : PT_ENOMEM;
}

static pt_status look_l2(void *context, const double *V, int64_t steps, bool *end, pt_error *err)
{
    softmax_work *t = context;
    const int64_t size = (t->lanes.d + 1) * PT_LANES;
    for (int64_t r = 0; r < t->k; r++)
        pt_lane_rows_spread(&t->lanes, V + r / PT_LANES * size, PT_LANES, (int)(r % PT_LANES),
                            t->now + r * (t->d + 1));
    return pt_softmax_valid_look(&t->valid, t->now, steps, end, t->task, err);
}

static pt_status look_l1(void *context, const double *W, int64_t steps, bool *end, pt_error *err)
{
    softmax_work *t = context;
    for (int64_t r = 0; r < t->k; r++)
        pt_lane_rows_spread(&t->lanes, W + r * (t->lanes.d + 1), 1, 0, t->now + r * (t->d + 1));
    return pt_softmax_valid_look(&t->valid, t->now, steps, end, t->task, err);
}

/* The weights of the best iteration, where there was one. */
static void keep_best(softmax_work *t)
{
    if (t->valid.best == 0)
        return;
    memcpy(t->w, t->valid.W, (size_t)((t->d + 1) * t->k) * sizeof *t->w);
    t->steps = t->valid.steps;
}

/* ---- solvers --------------------------------------------------------------------------------- */

static pt_status solve_l2(softmax_work *t, pt_error *err)
{
    const int64_t size = (t->lanes.d + 1) * PT_LANES;
    pt_logistic_result result = {0};
    size_t block = 0;
    if (!pt_size_mul((size_t)size, sizeof(double), &block))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    double *V = pt_alloc_zero(pt_logistic_blocks(t->k, PT_LANES), block, "weights", err);
    for (int64_t r = 0; V && r < t->k && t->started; r++)
        pt_lane_rows_gather(&t->lanes, V + r / PT_LANES * size, PT_LANES, (int)(r % PT_LANES),
                            t->w + r * (t->d + 1));
    const pt_logistic problem = {.rows = &t->lanes,
                                 .ell = t->k,
                                 .width = PT_LANES,
                                 .group_of = t->problem->labels->class_of,
                                 .groups = t->k,
                                 .weight = t->problem->weight,
                                 .C = t->C,
                                 .eps = t->eps,
                                 .started = t->started,
                                 .look = t->now ? look_l2 : NULL,
                                 .context = t};
    const pt_status status = V ? pt_logistic_solve(&problem, V, &result, t->task, err) : PT_ENOMEM;
    for (int64_t r = 0; r < t->k && status == PT_OK; r++)
        pt_lane_rows_spread(&t->lanes, V + r / PT_LANES * size, PT_LANES, (int)(r % PT_LANES),
                            t->w + r * (t->d + 1));
    t->steps = result.steps;
    t->converged = result.converged;
    t->violation = result.violation;
    pt_free(V);
    return status;
}

/* Divided by C where that is above 1, as in solvers/linear/logistic.c. */
static pt_status solve_l1(softmax_work *t, pt_error *err)
{
    const int64_t n = t->problem->rows.n;
    const int64_t m = t->lanes.d + 1;
    pt_l1_columns columns = {0};
    pt_softmax_l1_result result = {0};
    size_t bytes = 0;
    if (!pt_size_mul((size_t)m, sizeof(double), &bytes))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    double *W = pt_alloc(t->k, bytes, "weights", err);
    double *start = t->started ? pt_alloc(t->k, bytes, "weights", err) : NULL;
    double *cost = W && (start || !t->started) ? pt_alloc(n, sizeof *cost, "weights", err) : NULL;
    pt_status status = cost ? pt_l1_columns_init(&columns, &t->lanes, t->task, err) : PT_ENOMEM;
    for (int64_t r = 0; r < t->k && t->started && status == PT_OK; r++)
        pt_lane_rows_gather(&t->lanes, start + r * m, 1, 0, t->w + r * (t->d + 1));
    for (int64_t i = 0; i < n && status == PT_OK; i++)
        cost[i] = (t->C > 1 ? 1 : t->C) * (t->problem->weight ? t->problem->weight[i] : 1);
    const pt_softmax_l1 problem = {.columns = &columns,
                                   .k = t->k,
                                   .class_of = t->problem->labels->class_of,
                                   .cost = cost,
                                   .reg = t->C > 1 ? 1 / t->C : 1,
                                   .eps = t->eps,
                                   .limit = L1_ROUNDS,
                                   .seed = t->seed,
                                   .start = start,
                                   .look = t->now ? look_l1 : NULL,
                                   .context = t};
    if (status == PT_OK)
        status = pt_softmax_l1_solve(&problem, W, &result, t->task, err);
    for (int64_t r = 0; r < t->k && status == PT_OK; r++)
        pt_lane_rows_spread(&t->lanes, W + r * m, 1, 0, t->w + r * (t->d + 1));
    t->steps = result.steps;
    t->converged = result.converged;
    t->violation = result.violation;
    pt_l1_columns_free(&columns);
    pt_free(cost);
    pt_free(start);
    pt_free(W);
    return status;
}

static void work_free(softmax_work *t)
{
    pt_lane_rows_free(&t->lanes);
    pt_softmax_valid_free(&t->valid);
    pt_free(t->now);
    pt_free(t->w);
}

static pt_status take_start(softmax_work *t, const softmax *from, pt_error *err)
{
    t->started = true;
    return pt_expansion_give_linear(&from->base.expansion, t->d, t->k, 1, t->w, err);
}

static pt_status softmax_fit(pt_machine *machine, const pt_problem *problem,
                             const pt_params *params, const pt_task *task, pt_warnings *warnings,
                             pt_error *err)
{
    softmax *m = (softmax *)machine;
    PT_FREED_BY(work_free)
    softmax_work t = {.problem = problem,
                      .task = task,
                      .k = pt_labels_n_classes(problem->labels),
                      .d = problem->rows.d,
                      .bias = pt_params_flag(params, PT_P_BIAS),
                      .C = pt_params_real(params, PT_P_C),
                      .eps = pt_params_real(params, PT_P_EPS),
                      .seed = (uint64_t)pt_params_integer(params, PT_P_SEED)};
    size_t bytes = 0;
    if (!pt_size_mul((size_t)(t.d + 1), sizeof(double), &bytes))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    t.w = pt_alloc(t.k, bytes, "weights", err);
    if (!t.w)
        return PT_ENOMEM;
    if (problem->start)
        PT_TRY(take_start(&t, (const softmax *)problem->start->machine, err));
    PT_TRY(pt_lane_rows_init(&t.lanes, &problem->rows, t.bias, task, err));
    PT_TRY(begin_to_look(&t, pt_params_integer(params, PT_P_PATIENCE), err));
    PT_TRY(penalty_is_l1(params) ? solve_l1(&t, err) : solve_l2(&t, err));
    keep_best(&t);
    if (!t.converged && !t.valid.ended && !pt_task_ended_early(task))
        PT_TRY(pt_warn(warnings, err, PT_KIND_CONVERGENCE,
                       "softmax reached the limit of steps before `eps=%g`, at %.2g; scale the "
                       "data or lower `C`",
                       t.eps, t.violation));
    m->steps = t.steps;
    return pt_expansion_take_linear(&m->base.expansion, problem->rows.type, t.d, t.k, t.w, 1,
                                    t.bias, task, err);
}

static pt_status softmax_plan(const pt_problem *problem, const pt_params *params,
                              const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)task;
    (void)err;
    const pt_rows *rows = &problem->rows;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const double weights = 8 * (double)rows->d * (double)k;
    const bool l1 = penalty_is_l1(params);
    plan->bytes = pt_lane_rows_bytes(rows) + (l1 ? 4 : 3) * weights + /* a start, too */
                  (l1 ? pt_l1_columns_bytes(rows) + pt_logistic_l1_bytes(rows->n, rows->d) +
                            16 * (double)rows->n * ((double)k + 2)
                      : pt_logistic_bytes(rows->n, rows->d, k, PT_LANES));
    plan->flops = 400.0 * (double)pt_rows_stored(rows) * (double)k; /* some hundred products */
    snprintf(plan->route, sizeof plan->route, "%lld classes, %s", (long long)k,
             l1 ? "coordinate descent on Newton's models, class by class" : "Newton's method");
    return PT_OK;
}

/* ---- the file, the table entry -----------------------------------------------------------------
 *
 * The arrays of an expansion, and how many steps there were: steps (1 x 1). */

static pt_status softmax_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    PT_TRY(pt_expansion_machine_save(machine, pack, err));
    pt_pack_add_integers(pack, "steps", 1, &((const softmax *)machine)->steps);
    return PT_OK;
}

static pt_status softmax_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                              int64_t n_classes, const pt_params *params, int64_t *used,
                              const pt_task *task, pt_error *err)
{
    softmax *m = (softmax *)machine;
    const pt_expansion *e = &m->base.expansion;
    const pt_array *steps = pt_pack_find(pack, "steps");
    if (!pt_array_is_index(steps, INT64_MAX) || steps->rows != 1)
        return pt_fail(err, PT_EFORMAT, "the model does not say how many steps it took");
    m->steps = *(const int64_t *)steps->value;
    /* an expansion reads the kernel's name, of which softmax has none */
    PT_FREED_BY(pt_params_free_at) pt_params *linear = NULL;
    PT_TRY(pt_params_copy(&linear, params, err));
    PT_TRY(pt_params_set(linear, "kernel", "linear", err));
    PT_TRY(pt_expansion_machine_load(machine, pack, n_inputs, n_classes, linear, used, task, err));
    *used = e->linear && !e->column ? *used + 1 : 0; /* others it has not */
    return PT_OK;
}

static pt_status softmax_describe(const pt_machine *machine, const pt_texts *classes,
                                  pt_description *description, pt_error *err)
{
    (void)classes;
    (void)err;
    const softmax *m = (const softmax *)machine;
    pt_describe_count(description, "steps", m->steps);
    pt_describe_count(description, "weights", pt_expansion_weights(&m->base.expansion));
    return PT_OK;
}

const pt_machine_ops pt_machine_softmax = {
    .name = "softmax",
    .summary = "multinomial logistic regression, linear, with squared or absolute weights",
    .parameters = "C,eps,patience,bias,penalty,class-weight,precision",
    .warm = "C,eps,patience,class-weight",
    .defaults = "bias=yes",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_END_EARLY | PT_CAN_VALID,
    .size = sizeof(softmax),
    .plan = softmax_plan,
    .fit = softmax_fit,
    .scores = pt_expansion_machine_scores,
    .free = pt_expansion_machine_free,
    .save = softmax_save,
    .load = softmax_load,
    .describe = softmax_describe,
};
