/* One decision tree for all classes: what codes of binary trees are compared with (ASS section 2
 * names C4.5 and CART).
 *
 * Splits are judged by --criterion over the weights of all classes, and a leaf with weights w_r of
 * k classes has the shares
 *
 *     S_r = (w_r + c/k) / (W + c),    W = sum_r w_r ,
 *
 * as if one example more had been spread over all classes; c is its weight, 1 or that of the
 * lightest example (trees/grow.h). A leaf of a few rows says little of how sure it is, and the
 * nodes above it say more: its scores are the logarithms of the means of the shares on the path to
 * it that hierarchical shrinkage makes (trees/grown.c). --shrink auto is AUTO_ROWS rows, at most
 * AUTO_SHARE of those that a class has in the mean: most predictions stay as they are, and classes
 * of a few rows are not lost. */
#include "machine/machine.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "learners/learner_tree.h"
#include "trees/grow.h"

typedef struct tree_machine {
    pt_machine base;
    pt_forest forest; /* one tree of width k */
} tree_machine;

static void tree_free(pt_machine *machine)
{
    tree_machine *m = (tree_machine *)machine;
    pt_forest_free(&m->forest);
}

/* ---- training -------------------------------------------------------------------------------- */

static pt_status tree_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                           pt_plan *plan, pt_error *err)
{
    (void)task;
    (void)err;
    const pt_rows *rows = &problem->rows;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const int64_t bins = pt_params_integer(params, PT_P_BINS);
    const double leaves = (double)rows->n / 4; /* one leaf for four rows is already a bad tree */
    plan->bytes = pt_feature_table_bytes(rows, bins) + pt_grow_bytes(rows, bins, k, 1) +
                  leaves * (8 * (double)k + 2 * sizeof(pt_node));
    plan->flops = 200.0 * (double)rows->n * (double)rows->d; /* some ten levels */
    snprintf(plan->route, sizeof plan->route, "one tree, %s",
             bins > 1 ? "features in bins" : "exact");
    return PT_OK;
}

/* In rows: lambda of trees/grown.c is that many examples of weight c. */
static double rows_to_shrink_by(const pt_params *params, const pt_problem *problem, double c)
{
    static const double AUTO_ROWS = 25;
    static const double AUTO_SHARE = 0.1;
    if (!pt_params_is_auto(params, PT_P_SHRINK))
        return pt_params_real(params, PT_P_SHRINK);
    double rows = 0;
    for (int64_t i = 0; i < problem->rows.n; i++)
        rows += problem->weight ? problem->weight[i] / c : 1;
    const double k = (double)pt_labels_n_classes(problem->labels);
    return fmin(AUTO_ROWS, AUTO_SHARE * rows / k);
}

static pt_status grow(tree_machine *m, const pt_problem *problem, const pt_params *params,
                      const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_feature_table_free) pt_feature_table table = {0};
    PT_FREED_BY(pt_grown_free) pt_grown tree = {0};
    PT_TRY(pt_feature_table_init(&table, &problem->rows, pt_params_integer(params, PT_P_BINS), task,
                                 err));
    const pt_grow_problem growing = {.table = &table,
                                     .group_of = problem->labels->class_of,
                                     .k = pt_labels_n_classes(problem->labels),
                                     .weight = problem->weight,
                                     .criterion = pt_tree_criterion(params),
                                     .depth = pt_tree_depth(params),
                                     .min_leaf = pt_params_integer(params, PT_P_MIN_LEAF),
                                     .min_weight = pt_params_real(params, PT_P_MIN_LEAF_WEIGHT)};
    PT_TRY(pt_grow(&tree, &growing, task, err));
    PT_TRY(pt_grown_prune(&tree, pt_params_real(params, PT_P_PRUNE), err));
    const double one_more = pt_leaf_one_more(problem->weight, problem->rows.n);
    PT_TRY(pt_grown_shrink(&tree, one_more * rows_to_shrink_by(params, problem, one_more), one_more,
                           err));
    return pt_grown_plant(&tree, &m->forest, pt_leaf_logs, NULL, err);
}

static pt_status tree_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                          const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    (void)warnings;
    tree_machine *m = (tree_machine *)machine;
    PT_TRY(pt_forest_init(&m->forest, problem->rows.d, problem->rows.levels,
                          pt_labels_n_classes(problem->labels), err));
    return grow(m, problem, params, task, err);
}

/* ---- scores, the file, the table entry ------------------------------------------------------- */

static pt_status tree_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                             const pt_task *task, pt_error *err)
{
    const tree_machine *m = (const tree_machine *)machine;
    const int64_t k = m->forest.width;
    for (int64_t i = 0; i < rows->n * k; i++)
        scores[i] = 0;
    return pt_forest_add(&m->forest, 0, 1, 1, rows, k, scores, task, err);
}

static pt_status tree_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    PT_TRY(pt_pack_begin(pack, err));
    return pt_forest_save(&((const tree_machine *)machine)->forest, pack, err);
}

static pt_status tree_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                           int64_t n_classes, const pt_params *params, int64_t *used,
                           const pt_task *task, pt_error *err)
{
    (void)params;
    tree_machine *m = (tree_machine *)machine;
    PT_TRY(pt_forest_load(&m->forest, pack, n_inputs, n_classes, used, task, err));
    if (*used != pack->count || m->forest.n_trees != 1)
        return pt_fail(err, PT_EFORMAT, "the model is not one tree");
    return PT_OK;
}

static pt_status tree_describe(const pt_machine *machine, const pt_texts *classes,
                               pt_description *description, pt_error *err)
{
    (void)classes;
    (void)err;
    pt_describe_count(description, "leaves", ((const tree_machine *)machine)->forest.n_leaves);
    return PT_OK;
}

static pt_machine_parts tree_parts(const pt_machine *machine)
{
    return (pt_machine_parts){.forest = &((const tree_machine *)machine)->forest, .shares = true};
}

const pt_machine_ops pt_machine_tree = {
    .name = "tree",
    .summary = "one decision tree for all classes",
    .parameters =
        "criterion,depth,min-leaf,min-leaf-weight,bins,prune,shrink,class-weight,precision",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_RAW,
    .size = sizeof(tree_machine),
    .plan = tree_plan,
    .fit = tree_fit,
    .scores = tree_scores,
    .free = tree_free,
    .save = tree_save,
    .load = tree_load,
    .parts = tree_parts,
    .describe = tree_describe,
};
