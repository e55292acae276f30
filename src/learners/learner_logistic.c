/* Logistic regression: every column of a code is a vector in R^d.
 *
 *     min_w  penalty(w) + sum_i C weight_i log(1 + exp(-y_i w.x_i)) ,
 *     penalty(w) = 1/2 ||w||^2  (--penalty l2)   or   ||w||_1  (--penalty l1)
 *
 * As LIBLINEAR's (-s 0 and -s 6), the bias is the weight of a feature that is 1 in every row and is
 * penalised with the others; a column with one side only has a finite solution by that.
 *
 * The loss of ASS is log(1 + e^-2z): w.x are the log-odds of a column, and the output is half of
 * them, f(x) = w.x / 2. Else codes with zeros, which count L(0), would decode differently.
 *
 * Columns that most rows take part in are solved in step with each other, several in one register
 * (logistic.h), threads share the rows. Columns with few rows, as those of all pairs, are
 * solved each on a copy of its rows, and with absolute weights (logistic_l1.h) every column
 * is solved for itself; threads share the columns. */
#include "learners/learner.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "solvers/linear/logistic.h"
#include "solvers/linear/logistic_l1.h"

enum {
    BATCH = 4 * PT_LANES, /* columns solved at once: what they need is limited by it */
    L1_STEPS = 300        /* the limit of steps of a column with --penalty l1 */
};

static const double MOST_ROWS = 0.4; /* columns are solved together where they have this share */

typedef struct logistic {
    pt_expansion_learner base;
    int64_t steps; /* of Newton, over all columns */
} logistic;

/* ---- training -------------------------------------------------------------------------------- */

typedef struct logistic_work {
    const pt_rows *rows;
    pt_lane_rows lanes;      /* of all rows; not where columns are alone */
    pt_l1_columns by_column; /* of lanes, for l1 */
    const pt_columns *columns;
    const pt_task *task;
    bool bias;
    bool l1;
    double C;
    double eps;
    uint64_t seed;
    double *w;       /* (d + 1) x ell column-major: log-odds; first those that it begins with */
    bool started;    /*   where there are such */
    double *reached; /* ell: the violations, where they are not what was asked */
    int64_t *steps;  /* ell */
    atomic_llong done;
} logistic_work;

/* Of columns that are solved together, in step or by as many workers. */
static double turn_of(logistic_work *t, int64_t together)
{
    return pt_task_turn(t->task, together, t->columns->ell - atomic_load(&t->done));
}

static double *weights_of(const logistic_work *t, int64_t s)
{
    return t->w + s * (t->rows->d + 1);
}

static void keep_result(logistic_work *t, int64_t s, bool converged, double violation,
                        int64_t steps)
{
    t->reached[s] = converged ? 0 : violation;
    t->steps[s] = steps;
}

/* ---- columns together ------------------------------------------------------------------------ */

/* Columns first .. first + count. */
static pt_status solve_batch(logistic_work *t, int64_t first, int64_t count, pt_error *err)
{
    const pt_columns *c = t->columns;
    const int64_t size = (t->lanes.d + 1) * PT_LANES;
    pt_logistic_result result[BATCH];
    int8_t *sign = pt_alloc(c->groups * count, 1, "signs", err);
    double *V =
        pt_alloc_zero(pt_logistic_blocks(count, PT_LANES) * size, sizeof *V, "weights", err);
    pt_status status = sign && V ? PT_OK : PT_ENOMEM;
    for (int64_t s = 0; t->started && s < count && status == PT_OK; s++)
        pt_lane_rows_gather(&t->lanes, V + s / PT_LANES * size, PT_LANES, (int)(s % PT_LANES),
                            weights_of(t, first + s));
    for (int64_t g = 0; g < c->groups && status == PT_OK; g++)
        for (int64_t s = 0; s < count; s++)
            sign[g * count + s] = (int8_t)pt_columns_sign(c, g, first + s);
    const pt_logistic problem = {.rows = &t->lanes,
                                 .ell = count,
                                 .width = PT_LANES,
                                 .group_of = c->group_of,
                                 .groups = c->groups,
                                 .sign = sign,
                                 .weight = c->weight,
                                 .C = t->C,
                                 .eps = t->eps,
                                 .turn = turn_of(t, count),
                                 .started = t->started};
    if (status == PT_OK)
        status = pt_logistic_solve(&problem, V, result, t->task, err);
    atomic_fetch_add(&t->done, count);
    for (int64_t s = 0; s < count && status == PT_OK; s++) {
        pt_lane_rows_spread(&t->lanes, V + s / PT_LANES * size, PT_LANES, (int)(s % PT_LANES),
                            weights_of(t, first + s));
        keep_result(t, first + s, result[s].converged, result[s].violation, result[s].steps);
    }
    pt_free(V);
    pt_free(sign);
    return status;
}

/* Batches of about the same size. */
static pt_status solve_together(logistic_work *t, pt_error *err)
{
    const int64_t ell = t->columns->ell;
    const int64_t batches = (ell + BATCH - 1) / BATCH;
    const int64_t blocks = (ell + batches * PT_LANES - 1) / (batches * PT_LANES);
    pt_status status = PT_OK;
    for (int64_t first = 0; first < ell && status == PT_OK; first += blocks * PT_LANES) {
        const int64_t left = ell - first;
        if (batches > 1) {
            pt_task_begin_whole(t->task);
            pt_task_progress_whole(t->task, "training", (double)first, (double)ell);
        }
        status = solve_batch(t, first, left < blocks * PT_LANES ? left : blocks * PT_LANES, err);
        if (batches > 1)
            pt_task_end_whole(t->task);
    }
    return status;
}

/* ---- a column for itself --------------------------------------------------------------------- */

/* The rows that take part, as a problem of two groups. Zero-initialise; free it always. */
typedef struct column {
    int64_t n;
    int64_t *chosen; /* NULL: all rows */
    int64_t *side;   /* n: 0 or 1 */
    double *weight;  /* n */
    pt_rows_owned copy;
    pt_lane_rows lanes;
} column;

static void free_column(column *c)
{
    pt_lane_rows_free(&c->lanes);
    pt_rows_owned_free(&c->copy);
    pt_free(c->weight);
    pt_free(c->side);
    pt_free(c->chosen);
}

static pt_status make_column(column *c, const logistic_work *t, int64_t s, pt_error *err)
{
    const pt_columns *from = t->columns;
    c->chosen = pt_alloc(from->n, sizeof *c->chosen, "a column", err);
    c->side = pt_alloc(from->n, sizeof *c->side, "a column", err);
    c->weight = pt_alloc(from->n, sizeof *c->weight, "a column", err);
    if (!c->chosen || !c->side || !c->weight)
        return PT_ENOMEM;
    for (int64_t i = 0; i < from->n; i++) {
        const int sign = pt_columns_sign(from, from->group_of[i], s);
        if (sign == 0)
            continue;
        c->chosen[c->n] = i;
        c->side[c->n] = sign > 0;
        c->weight[c->n++] = pt_weight(t->columns->weight, i);
    }
    const bool all = c->n == from->n;
    if (!all)
        PT_TRY(pt_rows_select(&c->copy, t->rows, c->chosen, c->n, t->task, err));
    return pt_lane_rows_init(&c->lanes, all ? t->rows : &c->copy.rows, t->bias, t->task, err);
}

static pt_status solve_l2(logistic_work *t, int64_t s, const column *c, pt_error *err)
{
    static const int8_t sign[2] = {-1, 1};
    pt_logistic_result result = {0};
    PT_SCRATCH double *V = pt_alloc(c->lanes.d + 1, sizeof *V, "weights", err);
    const pt_logistic problem = {.rows = &c->lanes,
                                 .ell = 1,
                                 .width = 1,
                                 .group_of = c->side,
                                 .groups = 2,
                                 .sign = sign,
                                 .weight = c->weight,
                                 .C = t->C,
                                 .eps = t->eps,
                                 .turn = turn_of(t, pt_parallel_workers(t->task, t->columns->ell)),
                                 .started = t->started};
    if (!V)
        return PT_ENOMEM;
    if (t->started)
        pt_lane_rows_gather(&c->lanes, V, 1, 0, weights_of(t, s));
    PT_TRY(pt_logistic_solve(&problem, V, &result, t->task, err));
    pt_lane_rows_spread(&c->lanes, V, 1, 0, weights_of(t, s));
    keep_result(t, s, result.converged, result.violation, result.steps);
    return PT_OK;
}

/* The share of the smaller side, by weight; 1 where there is one side only. */
static double smaller_share(const double *y, const double *cost, int64_t n)
{
    double side[2] = {0, 0};
    for (int64_t i = 0; i < n; i++)
        if (y[i] != 0)
            side[y[i] > 0] += cost[i];
    const double least = fmin(side[0], side[1]);
    return least > 0 ? least / (side[0] + side[1]) : 1;
}

/* y and cost of rows; divided by C where that is above 1, as in solvers/linear/logistic.c. */
static pt_status solve_l1(logistic_work *t, int64_t s, const pt_lane_rows *lanes,
                          const pt_l1_columns *columns, const double *y, double *cost,
                          pt_error *err)
{
    const int64_t n = columns->n;
    double *w = pt_alloc_zero(columns->d + 1, sizeof *w, "weights", err);
    double *z = pt_alloc_zero(n, sizeof *z, "outputs", err);
    double *start = t->started ? pt_alloc(columns->d + 1, sizeof *start, "weights", err) : NULL;
    pt_logistic_l1_result result = {0};
    pt_status status = w && z && (start || !t->started) ? PT_OK : PT_ENOMEM;
    if (start)
        pt_lane_rows_gather(lanes, start, 1, 0, weights_of(t, s));
    for (int64_t i = 0; i < n; i++)
        cost[i] *= t->C > 1 ? 1 : t->C;
    const double share = smaller_share(y, cost, n);
    const pt_logistic_l1 problem = {.columns = columns,
                                    .y = y,
                                    .cost = cost,
                                    .reg = t->C > 1 ? 1 / t->C : 1,
                                    .eps = t->eps * share,
                                    .limit = L1_STEPS,
                                    .turn =
                                        turn_of(t, pt_parallel_workers(t->task, t->columns->ell)),
                                    .seed = t->seed,
                                    .stream = (uint64_t)s,
                                    .start = start};
    if (status == PT_OK)
        status = pt_logistic_l1_descend(&problem, w, z, &result, t->task, err);
    if (status == PT_OK) {
        pt_lane_rows_spread(lanes, w, 1, 0, weights_of(t, s));
        keep_result(t, s, result.converged,
                    result.first > 0 ? result.violation / (share * result.first) : 0, result.steps);
    }
    pt_free(start);
    pt_free(z);
    pt_free(w);
    return status;
}

/* On all rows, or on a copy of those that take part. */
static pt_status solve_l1_shared(logistic_work *t, int64_t s, pt_error *err)
{
    const pt_columns *c = t->columns;
    PT_SCRATCH double *y = pt_alloc(c->n, sizeof *y, "a column", err);
    PT_SCRATCH double *cost = pt_alloc(c->n, sizeof *cost, "a column", err);
    if (!y || !cost)
        return PT_ENOMEM;
    for (int64_t i = 0; i < c->n; i++) {
        y[i] = pt_columns_sign(c, c->group_of[i], s);
        cost[i] = pt_weight(t->columns->weight, i);
    }
    return solve_l1(t, s, &t->lanes, &t->by_column, y, cost, err);
}

static pt_status solve_l1_alone(logistic_work *t, int64_t s, column *c, pt_error *err)
{
    PT_FREED_BY(pt_l1_columns_free) pt_l1_columns columns = {0};
    PT_SCRATCH double *y = pt_alloc(c->n, sizeof *y, "a column", err);
    if (!y)
        return PT_ENOMEM;
    PT_TRY(pt_l1_columns_init(&columns, &c->lanes, t->task, err));
    for (int64_t i = 0; i < c->n; i++)
        y[i] = c->side[i] ? 1 : -1;
    return solve_l1(t, s, &c->lanes, &columns, y, c->weight, err);
}

static pt_status train_column(void *context, int64_t s, int worker, pt_error *err)
{
    (void)worker;
    logistic_work *t = context;
    column c = {0};
    pt_status status = PT_OK;
    if (t->by_column.n > 0) {
        status = solve_l1_shared(t, s, err);
    } else {
        status = make_column(&c, t, s, err);
        if (status == PT_OK)
            status = t->l1 ? solve_l1_alone(t, s, &c, err) : solve_l2(t, s, &c, err);
    }
    free_column(&c);
    const long long done = atomic_fetch_add(&t->done, 1) + 1;
    pt_task_progress_whole(t->task, "training", (double)done, (double)t->columns->ell);
    return status;
}

static pt_status solve_each(logistic_work *t, pt_error *err)
{
    pt_task_begin_whole(t->task);
    const pt_status status = pt_parallel_for(t->task, t->columns->ell, train_column, t, err);
    pt_task_end_whole(t->task);
    return status;
}

/* ---- all columns ----------------------------------------------------------------------------- */

static int64_t columns_of_group(const pt_columns *c, int64_t g)
{
    int64_t count = 0;
    for (int64_t s = 0; s < c->ell && !c->pairs; s++)
        count += c->sign[g * c->ell + s] != 0;
    return c->pairs ? c->groups - 1 : count;
}

/* The share of pairs (row, column) that take part. */
static double share_of_rows(const pt_columns *c)
{
    int64_t group = -1;
    int64_t columns = 0;
    double part = 0;
    for (int64_t i = 0; i < c->n; i++) {
        if (c->group_of[i] != group)
            columns = columns_of_group(c, c->group_of[i]);
        group = c->group_of[i];
        part += (double)columns;
    }
    return part / ((double)c->n * (double)c->ell);
}

/* Whether columns are solved in step: a single one has nothing to share registers with. */
static bool are_together(const pt_columns *c)
{
    return c->ell > 1 && share_of_rows(c) >= MOST_ROWS;
}

static void work_free(logistic_work *t)
{
    pt_l1_columns_free(&t->by_column);
    pt_lane_rows_free(&t->lanes);
    pt_free(t->steps);
    pt_free(t->reached);
    pt_free(t->w);
}

static bool penalty_is_l1(const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_PENALTY), "l1") == 0;
}

static pt_status logistic_plan(const pt_rows *rows, const pt_columns *columns,
                               const pt_params *params, const pt_task *task, pt_plan *plan,
                               pt_error *err)
{
    (void)err;
    const bool l1 = penalty_is_l1(params);
    const int64_t ell = columns->ell;
    const double n = (double)rows->n;
    const double d = (double)rows->d;
    const bool together = are_together(columns);
    const double copies = together && !l1 ? 1 : pt_parallel_workers(task, ell);
    const double matrix = pt_lane_rows_bytes(rows) + (l1 ? pt_l1_columns_bytes(rows) : 0);
    const double work =
        l1         ? 24 * n + 16 * d + pt_logistic_l1_bytes(rows->n, rows->d)
        : together ? pt_logistic_bytes(rows->n, rows->d, ell < BATCH ? ell : BATCH, PT_LANES)
                   : 24 * n + pt_logistic_bytes(rows->n, rows->d, 1, 1);
    const double own_rows = /* a column's copy of its rows, at most all of them */
        together ? 0
                 : (double)pt_rows_stored(rows) *
                       (double)(pt_type_size(rows->type) + (rows->dense ? 0 : sizeof(int64_t)));
    plan->bytes = 24 * d * (double)ell + (together ? matrix : 0) +
                  copies * (work + own_rows + (together ? 0 : matrix));
    plan->flops = 200.0 * (double)pt_rows_stored(rows) * (double)ell; /* some fifty products */
    snprintf(plan->route, sizeof plan->route, "%lld columns, %s%s", (long long)ell,
             l1 ? "coordinate descent on Newton's models" : "Newton's method",
             together && !l1 ? ", in step" : "");
    return PT_OK;
}

/* Half of the log-odds are its outputs. */
static pt_status take_start(logistic_work *t, const logistic *from, pt_error *err)
{
    t->started = true;
    return pt_expansion_give_linear(&from->base.outputs, t->rows->d, t->columns->ell, 2, t->w, err);
}

static pt_status logistic_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                              const pt_params *params, const pt_task *task, pt_warnings *warnings,
                              pt_error *err)
{
    logistic *m = (logistic *)learner;
    const int64_t ell = columns->ell;
    const bool together = are_together(columns);
    PT_FREED_BY(work_free)
    logistic_work t = {.rows = rows,
                       .columns = columns,
                       .task = task,
                       .bias = pt_params_flag(params, PT_P_BIAS),
                       .l1 = penalty_is_l1(params),
                       .C = pt_params_real(params, PT_P_C),
                       .eps = pt_params_real(params, PT_P_EPS),
                       .seed = (uint64_t)pt_params_integer(params, PT_P_SEED)};
    atomic_init(&t.done, 0);
    size_t bytes = 0;
    if (!pt_size_mul((size_t)(rows->d + 1), sizeof(double), &bytes))
        return pt_fail_memory(err, "coefficients", SIZE_MAX);
    t.w = pt_alloc(ell, bytes, "coefficients", err);
    PT_TRY(t.w ? PT_OK : PT_ENOMEM);
    PT_TRY(PT_NEW(t.reached, ell, "a list", err));
    PT_TRY(PT_NEW(t.steps, ell, "a list", err));
    if (columns->start)
        PT_TRY(take_start(&t, (const logistic *)columns->start->learner, err));
    if (together)
        PT_TRY(pt_lane_rows_init(&t.lanes, rows, t.bias, task, err));
    if (together && t.l1)
        PT_TRY(pt_l1_columns_init(&t.by_column, &t.lanes, t.task, err));
    PT_TRY(together && !t.l1 ? solve_together(&t, err) : solve_each(&t, err));
    if (!pt_task_ended_early(task))
        PT_TRY(pt_columns_warn(t.reached, ell, "steps", "eps", t.eps, warnings, err));
    for (int64_t s = 0; s < ell; s++)
        m->steps += t.steps[s];
    /* half of the log-odds become the outputs */
    return pt_expansion_take_linear(&m->base.outputs, rows->type, rows->d, ell, t.w, 0.5, t.bias,
                                    task, err);
}

/* ---- the file, the table entry -----------------------------------------------------------------
 *
 * The arrays of an expansion, and how many steps there were: steps (1 x 1). */

static pt_status logistic_save(const pt_learner *learner, pt_pack *pack, pt_error *err)
{
    PT_TRY(pt_expansion_learner_save(learner, pack, err));
    pt_pack_add_integers(pack, "steps", 1, &((const logistic *)learner)->steps);
    return PT_OK;
}

static pt_status logistic_load(pt_learner *learner, const pt_pack *pack, int64_t n_inputs,
                               const pt_columns *columns, const pt_params *params, int64_t *used,
                               const pt_task *task, pt_error *err)
{
    logistic *m = (logistic *)learner;
    const pt_expansion *outputs = &m->base.outputs;
    const pt_array *steps = pt_pack_find(pack, "steps");
    if (!pt_array_is_index(steps, INT64_MAX) || steps->rows != 1)
        return pt_fail(err, PT_EFORMAT, "the model does not say how many steps it took");
    m->steps = *(const int64_t *)steps->value;
    PT_TRY(pt_expansion_learner_load(learner, pack, n_inputs, columns, params, used, task, err));
    if (!outputs->linear || outputs->column)
        return pt_fail(err, PT_EFORMAT, "the model's weights are not those of a linear function");
    ++*used;
    return PT_OK;
}

static int64_t logistic_figures(const pt_learner *learner, pt_figure *figures)
{
    const logistic *m = (const logistic *)learner;
    figures[0] = (pt_figure){"steps", m->steps};
    figures[1] = (pt_figure){"weights", pt_expansion_weights(&m->base.outputs)};
    return 2;
}

const pt_learner_ops pt_learner_logistic = {
    .name = "logistic",
    .summary = "logistic regression, linear, with squared or absolute weights: logistic loss",
    .parameters = "C,eps,bias,penalty,class-weight,precision",
    .warm = "C,eps,class-weight",
    .loss = &pt_loss_logistic,
    .defaults = "bias=yes,kernel=linear",
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_UNTIL_TOLD,
    .size = sizeof(logistic),
    .plan = logistic_plan,
    .fit = logistic_fit,
    .outputs = pt_expansion_learner_outputs,
    .free = pt_expansion_learner_free,
    .save = logistic_save,
    .load = logistic_load,
    .figures = logistic_figures,
};
