/* elm: the extreme learning machine (Huang et al. 2012), a comparator of HNR (Table 4).
 *
 *     h(x) in R^m, the outputs of m random nodes ,   f(x) = B^T h(x) ,
 *     B minimises sum_i w_i ||B^T h(x_i) - y_i||^2 + ridge ||B||^2
 *
 * The nodes are drawn once (hidden_layer.c) and B is regularised least squares: what is trained is
 * oneLSM with the linear kernel on the rows h(x_i). So routes, labelbooks, decision rules, held-out
 * scores in closed form and the automatic ridge are oneLSM's; m < n is its primal, m >= n its dual,
 * whose coefficients A become B = H^T A.
 *
 *   H   n x m   row-major: h(x_i), dense
 *
 * Time O(n m d + n m^2 + m^3/3) for m < n; memory n m of the rows' type and m^2/2 doubles. */
#include "machine/machine.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "machines/squares/hidden_layer.h"
#include "machines/squares/vector_machine.h"
#include "store/pack.h"
#include "validate/auto.h"
#include "validate/squares/ls_machine.h"
#include "validate/validate.h"

typedef struct elm {
    pt_machine base;
    pt_hidden_layer layer;
    pt_machine *inner; /* oneLSM on hidden outputs */
} elm;

/* The parameters of the machine behind the nodes. */
static pt_status inner_params(pt_params **out, const pt_params *params, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *inner = NULL;
    PT_TRY(pt_params_copy(&inner, params, err));
    PT_TRY(pt_params_set(inner, "kernel", "linear", err));
    *out = pt_keep(&inner);
    return PT_OK;
}

static pt_status elm_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                          pt_plan *plan, pt_error *err)
{
    (void)task;
    const int64_t hidden = pt_params_integer(params, PT_P_HIDDEN);
    const double n = (double)problem->rows.n;
    const double d = (double)problem->rows.d;
    const double size = (double)pt_type_size(problem->rows.type);
    const pt_rows behind = {.n = problem->rows.n,
                            .d = hidden,
                            .type = problem->rows.type,
                            .dense = plan, /* dense rows; they are not looked at */
                            .stride = hidden};
    PT_FREED_BY(pt_params_free_at) pt_params *inner = NULL;
    pt_plan solve = {0};
    PT_TRY(inner_params(&inner, params, err));
    PT_TRY(pt_ls_plan(&behind, inner, pt_labels_n_classes(problem->labels), &solve, err));
    plan->bytes = solve.bytes + (double)hidden * size * (n + 2 * d);
    plan->flops = solve.flops + n * d * (double)hidden;
    snprintf(plan->route, sizeof plan->route, "%lld hidden nodes, %.100s", (long long)hidden,
             solve.route);
    return PT_OK;
}

/* ---- the problem behind the nodes ------------------------------------------------------------ */

/* Zero-initialise; free it always. */
typedef struct behind {
    pt_hidden_layer layer;
    pt_rows_owned H;
    pt_problem problem;
    pt_params *params;
} behind;

static void behind_free(behind *b)
{
    pt_hidden_layer_free(&b->layer);
    pt_rows_owned_free(&b->H);
    pt_params_free(b->params);
}

static pt_status behind_init(behind *b, const pt_problem *problem, const pt_params *params,
                             const pt_task *task, pt_error *err)
{
    const pt_rows *rows = &problem->rows;
    const double bytes = (double)rows->n * (double)pt_params_integer(params, PT_P_HIDDEN) *
                         (double)pt_type_size(rows->type);
    if (bytes > (double)pt_task_memory(task))
        return pt_fail(err, PT_EMEMORY,
                       "the outputs of the hidden nodes need %s; raise `memory`, or use fewer "
                       "nodes with `hidden`",
                       PT_SHOW_BYTES(bytes));
    PT_TRY(inner_params(&b->params, params, err));
    PT_TRY(pt_hidden_layer_draw(&b->layer, rows->d, rows->type, params, task, err));
    PT_TRY(pt_hidden_layer_apply(&b->layer, rows, &b->H, task, err));
    b->problem = *problem;
    b->problem.rows = b->H.rows;
    return PT_OK;
}

/* ---- training -------------------------------------------------------------------------------- */

/* The rows h(x_i) of the dual are not needed any more: B = H^T A. */
static pt_status collapse(pt_expansion *e, const pt_task *task, pt_error *err)
{
    if (e->linear)
        return PT_OK;
    pt_expansion whole = {0};
    pt_expansion_parts parts = {.kernel = e->kernel,
                                .type = e->type,
                                .m = e->m,
                                .n_coef = e->rows.rows.d,
                                .linear = true,
                                .task = task};
    PT_TRY(pt_expansion_collapse(&parts.coef, &e->rows.rows, e->coef, e->column, e->m, task, err));
    PT_TRY(pt_expansion_take(&whole, &parts, err));
    pt_expansion_free(e);
    *e = whole;
    return PT_OK;
}

static void elm_free(pt_machine *machine)
{
    elm *m = (elm *)machine;
    pt_hidden_layer_free(&m->layer);
    pt_machine_free(m->inner);
}

static pt_status elm_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                         const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    elm *m = (elm *)machine;
    PT_FREED_BY(behind_free) behind b = {0};
    PT_TRY(behind_init(&b, problem, params, task, err));
    PT_TRY(
        pt_machine_fit(&m->inner, &pt_machine_onelsm, &b.problem, b.params, task, warnings, err));
    PT_TRY(collapse(&((pt_vector_machine *)m->inner)->expansion, task, err));
    m->layer = b.layer;
    b.layer = (pt_hidden_layer){0};
    return PT_OK;
}

static pt_status elm_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                             pt_warnings *warnings, pt_error *err)
{
    (void)warnings;
    if (!pt_params_is_auto(params, PT_P_RIDGE))
        return PT_OK;
    PT_FREED_BY(behind_free) behind b = {0};
    PT_TRY(behind_init(&b, problem, params, task, err));
    PT_TRY(pt_auto_by_guide(pt_ls_guide(&b.problem, b.params), b.params, &b.problem, task, err));
    return pt_params_set_real(params, PT_P_RIDGE, pt_params_real(b.params, PT_P_RIDGE), err);
}

/* ---- scores ---------------------------------------------------------------------------------- */

enum { ROWS_AT_ONCE = 4096 };

static pt_status elm_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                            const pt_task *task, pt_error *err)
{
    const elm *m = (const elm *)machine;
    const int64_t k = ((const pt_vector_machine *)m->inner)->space.k;
    for (int64_t first = 0; first < rows->n; first += ROWS_AT_ONCE) {
        const int64_t left = rows->n - first;
        const pt_rows some = pt_rows_range(rows, first, left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE);
        PT_FREED_BY(pt_rows_owned_free) pt_rows_owned H = {0};
        PT_TRY(pt_hidden_layer_apply(&m->layer, &some, &H, task, err));
        PT_TRY(m->inner->ops->scores(m->inner, &H.rows, scores + first * k, task, err));
    }
    return PT_OK;
}

static pt_machine_parts elm_parts(const pt_machine *machine)
{
    return pt_machine_parts_of(((const elm *)machine)->inner);
}

/* ---- the file ------------------------------------------------------------
 *
 * The arrays of oneLSM, and those of the nodes: node_rows (hidden x d) and node_offset. */

static pt_status elm_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const elm *m = (const elm *)machine;
    const pt_rows *nodes = &m->layer.nodes.rows;
    PT_TRY(m->inner->ops->save(m->inner, pack, err));
    pt_pack_add(pack, "node_rows", nodes->type, nodes->n, nodes->d, nodes->dense);
    pt_pack_add(pack, "node_offset", PT_F64, nodes->n, 1, m->layer.offset);
    return PT_OK;
}

static pt_status load_layer(elm *m, const pt_pack *pack, int64_t n_inputs, const pt_params *params,
                            pt_error *err)
{
    const pt_array *nodes = pt_pack_find(pack, "node_rows");
    const pt_array *offset = pt_pack_find(pack, "node_offset");
    const pt_type type = pt_params_type(params);
    if (!pt_array_is_real(nodes, type) || !pt_array_is_real(offset, PT_F64) || nodes->rows < 1 ||
        nodes->columns != n_inputs || offset->rows != nodes->rows || offset->columns != 1)
        return pt_fail(err, PT_EFORMAT, "the model's hidden nodes do not fit its columns");
    const pt_rows rows = {
        .n = nodes->rows, .d = n_inputs, .type = type, .dense = nodes->value, .stride = n_inputs};
    return pt_hidden_layer_from(&m->layer, &rows, offset->value, params, err);
}

/* What is not of the nodes is oneLSM's. */
static pt_status elm_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                          int64_t n_classes, const pt_params *params, int64_t *used,
                          const pt_task *task, pt_error *err)
{
    elm *m = (elm *)machine;
    PT_FREED_BY(pt_params_free_at) pt_params *inner = NULL;
    PT_TRY(load_layer(m, pack, n_inputs, params, err));
    PT_TRY(inner_params(&inner, params, err));
    m->inner = pt_machine_new(&pt_machine_onelsm, err);
    if (!m->inner)
        return PT_ENOMEM;
    PT_TRY(pt_machine_onelsm.load(m->inner, pack, m->layer.nodes.rows.n, n_classes, inner, used,
                                  task, err));
    *used += 2;
    return PT_OK;
}

/* ---- held-out scores ---------------------------------------------------------------------------
 *
 * The nodes do not depend on the rows, so that oneLSM's held-out scores behind them are exact.
 * Points with the same nodes share H. */

static bool same_nodes(const pt_params *a, const pt_params *b)
{
    return pt_params_integer(a, PT_P_HIDDEN) == pt_params_integer(b, PT_P_HIDDEN) &&
           pt_params_integer(a, PT_P_SEED) == pt_params_integer(b, PT_P_SEED) &&
           strcmp(pt_params_text(a, PT_P_ACTIVATION), pt_params_text(b, PT_P_ACTIVATION)) == 0;
}

/* Points with the same nodes. */
typedef struct group {
    int64_t *number;
    pt_params **points; /* with the parameters of oneLSM */
    int64_t count;
} group;

static void group_clear(group *g)
{
    for (int64_t i = 0; i < g->count; i++)
        pt_params_free(g->points[i]);
    g->count = 0;
}

static pt_status group_holdout(const pt_problem *problem, const group *g,
                               const pt_partitions *partitions, pt_point_numbers *renumbered,
                               const pt_task *task, pt_error *err)
{
    PT_FREED_BY(behind_free) behind b = {0};
    PT_TRY(behind_init(&b, problem, g->points[0], task, err));
    return pt_machine_onelsm.holdout(&b.problem, (const pt_params *const *)g->points, g->count,
                                     partitions, pt_take_numbered, renumbered, task, err);
}

/* The points not yet done that have the nodes of `first`. */
static pt_status group_collect(group *g, const pt_params *const *points, int64_t n_points,
                               int64_t first, bool *done, pt_error *err)
{
    for (int64_t i = first; i < n_points; i++) {
        if (done[i] || !same_nodes(points[i], points[first]))
            continue;
        PT_TRY(inner_params(&g->points[g->count], points[i], err));
        g->number[g->count++] = i;
        done[i] = true;
    }
    return PT_OK;
}

static pt_status elm_holdout(const pt_problem *problem, const pt_params *const *points,
                             int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                             void *context, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_FREED_BY(group_clear) group g = {0};
    bool *done = NULL;
    PT_TRY(PT_ARENA(&arena, "grid points", err, PT_PIECE(g.number, n_points),
                    PT_PIECE(g.points, n_points), PT_PIECE(done, n_points)));
    memset(done, 0, (size_t)n_points * sizeof *done);
    for (int64_t first = 0; first < n_points; first++) {
        if (done[first])
            continue;
        pt_point_numbers renumbered = {take, context, 0, g.number};
        group_clear(&g);
        PT_TRY(group_collect(&g, points, n_points, first, done, err));
        PT_TRY(group_holdout(problem, &g, partitions, &renumbered, task, err));
    }
    return PT_OK;
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_elm = {
    .name = "elm",
    .summary = "extreme learning machine: random nodes, then least squares (HNR's comparator)",
    .parameters = "hidden,activation,ridge,labelbook,label-kernel,label-sigma,label-degree,"
                  "label-coef0,decode,class-weight,precision,auto-rows",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT,
    .takes = pt_vector_machine_takes,
    .size = sizeof(elm),
    .plan = elm_plan,
    .fit = elm_fit,
    .scores = elm_scores,
    .free = elm_free,
    .parts = elm_parts,
    .save = elm_save,
    .load = elm_load,
    .resolve = elm_resolve,
    .holdout = elm_holdout,
};
