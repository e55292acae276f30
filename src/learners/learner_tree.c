/* Decision trees as margin learners (ASS section 2): a tree for each column of a code, on the rows
 * that take part in it. What splits are judged by is tied to a loss, and so are the leaves:
 *
 *   --criterion   tree               loss          a leaf with weights w+ and w- says
 *   entropy       C4.5               logistic      ln((w+ + c) / (w- + c)) / 2
 *   gini          CART               square        (w+ - w-) / (w+ + w-)
 *   sqrt          Kearns, Mansour    exponential   ln((w+ + c) / (w- + c)) / 2
 *
 * The value of a leaf is what minimises the loss there: ln(p+/p-)/2 and p+ - p-. The first is
 * infinite where a leaf is pure; Laplace's correction, one example more on either side, keeps it
 * finite and lets large leaves be surer than small ones. c is the weight of that example: 1, or
 * that of the lightest one (trees/grow.h).
 *
 * Features are sorted into bins once for all columns (trees/feature_table.h). Columns grow in
 * parallel, each on one thread; a single column uses all of them (trees/grow.h). */
#include "learners/learner_tree.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "learners/boosting/boosted.h"
#include "trees/grow.h"

/* ---- parameters ------------------------------------------------------------------------------ */

pt_criterion pt_tree_criterion(const pt_params *params)
{
    const char *name = pt_params_text(params, PT_P_CRITERION);
    return strcmp(name, "gini") == 0   ? PT_CRITERION_GINI
           : strcmp(name, "sqrt") == 0 ? PT_CRITERION_SQRT
                                       : PT_CRITERION_ENTROPY;
}

int64_t pt_tree_depth(const pt_params *params)
{
    return pt_params_is_auto(params, PT_P_DEPTH) ? 0 : pt_params_integer(params, PT_P_DEPTH);
}

static const pt_loss *tree_loss(const pt_params *params)
{
    static const pt_loss *const losses[] = {[PT_CRITERION_ENTROPY] = &pt_loss_logistic,
                                            [PT_CRITERION_GINI] = &pt_loss_square,
                                            [PT_CRITERION_SQRT] = &pt_loss_exp};
    return losses[pt_tree_criterion(params)];
}

/* ---- training -------------------------------------------------------------------------------- */

typedef struct tree_work {
    const pt_columns *columns;
    const pt_task *task;
    pt_feature_table table;
    pt_grow_groups groups;
    pt_grow_problem problem; /* that of a column, its classes apart */
    double prune;
    int64_t *class_of_group; /* groups, for each column: 1 is +, 0 is -, -1 takes no part */
    pt_grown *tree;          /* of each column */
    atomic_llong done;
} tree_work;

static pt_status grow_column(void *context, int64_t s, int worker, pt_error *err)
{
    (void)worker;
    tree_work *t = context;
    const pt_columns *columns = t->columns;
    int64_t *class_of_group = t->class_of_group + s * columns->groups;
    pt_grow_problem problem = t->problem;
    for (int64_t g = 0; g < columns->groups; g++) {
        const int sign = pt_columns_sign(columns, g, s);
        class_of_group[g] = sign == 0 ? -1 : sign > 0;
    }
    problem.class_of_group = class_of_group;
    pt_status status = pt_grow(&t->tree[s], &problem, t->task, err);
    if (status == PT_OK)
        status = pt_grown_prune(&t->tree[s], t->prune, err);
    pt_grown_drop_rows(&t->tree[s]);
    const long long done = atomic_fetch_add(&t->done, 1) + 1;
    pt_task_progress(t->task, "training", (double)done, (double)columns->ell);
    return status;
}

static pt_status grow_columns(tree_work *t, pt_error *err)
{
    const int64_t ell = t->columns->ell;
    size_t cells = 0;
    if (!pt_size_mul((size_t)ell, (size_t)t->columns->groups, &cells) || cells > INT64_MAX)
        return pt_fail(err, PT_ELIMIT, "the code is too large");
    t->tree = pt_alloc_zero(ell, sizeof *t->tree, "trees", err);
    t->class_of_group = pt_alloc((int64_t)cells, sizeof *t->class_of_group, "trees", err);
    if (!t->tree || !t->class_of_group)
        return PT_ENOMEM;
    if (ell == 1) /* outside of a parallel loop, so that it may have its own */
        return grow_column(t, 0, 0, err);
    return pt_parallel_for(t->task, ell, grow_column, t, err);
}

static pt_status plant_columns(const tree_work *t, pt_forest *forest, pt_error *err)
{
    const bool gini = t->problem.criterion == PT_CRITERION_GINI;
    const double one_more = pt_leaf_one_more(t->columns->weight, t->columns->n);
    for (int64_t s = 0; s < t->columns->ell; s++)
        PT_TRY(pt_grown_plant(&t->tree[s], forest, gini ? pt_leaf_difference : pt_leaf_half_log,
                              &one_more, err));
    return PT_OK;
}

static void work_free(tree_work *t)
{
    for (int64_t s = 0; t->tree && s < t->columns->ell; s++)
        pt_grown_free(&t->tree[s]);
    pt_free(t->class_of_group);
    pt_free(t->tree);
    pt_grow_groups_free(&t->groups);
    pt_feature_table_free(&t->table);
}

static pt_status tree_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                          const pt_params *params, const pt_task *task, pt_warnings *warnings,
                          pt_error *err)
{
    (void)warnings;
    pt_boosted *m = (pt_boosted *)learner;
    PT_FREED_BY(work_free)
    tree_work t = {.columns = columns,
                   .task = task,
                   .problem = {.table = &t.table,
                               .group_of = columns->group_of,
                               .groups = &t.groups,
                               .k = 2,
                               .weight = columns->weight,
                               .criterion = pt_tree_criterion(params),
                               .depth = pt_tree_depth(params),
                               .min_leaf = pt_params_integer(params, PT_P_MIN_LEAF),
                               .min_weight = pt_params_real(params, PT_P_MIN_LEAF_WEIGHT)},
                   .prune = pt_params_real(params, PT_P_PRUNE)};
    atomic_init(&t.done, 0);
    PT_TRY(pt_feature_table_init(&t.table, rows, pt_params_integer(params, PT_P_BINS), task, err));
    PT_TRY(pt_grow_groups_init(&t.groups, columns->group_of, columns->n, columns->groups, err));
    PT_TRY(pt_boosted_init(m, rows, columns->ell, err));
    PT_TRY(grow_columns(&t, err));
    return plant_columns(&t, &m->forest, err);
}

static pt_status tree_plan(const pt_rows *rows, const pt_columns *columns, const pt_params *params,
                           const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)err;
    enum { A_NODE = 120 }; /* bytes of a test with its leaf, growing and planted */
    const int64_t bins = pt_params_integer(params, PT_P_BINS);
    const double n = (double)rows->n;
    const double ell = (double)columns->ell;
    /* rows that take part, in all columns; no tree has more leaves */
    const double rows_of_all = columns->pairs ? n * (double)(columns->groups - 1) : n * ell;
    plan->bytes = pt_feature_table_bytes(rows, bins) + sizeof(int64_t) * n +
                  pt_grow_bytes(rows, bins, 2, pt_parallel_workers(task, columns->ell)) +
                  2 * A_NODE * rows_of_all / 4; /* one leaf for four rows is already a bad tree */
    plan->flops = 20 * rows_of_all * (double)rows->d;
    snprintf(plan->route, sizeof plan->route, "%lld trees, %s", (long long)columns->ell,
             bins > 1 ? "features in bins" : "exact");
    return PT_OK;
}

/* ---- the file, the table entry --------------------------------------------------------------- */

static int64_t tree_figures(const pt_learner *learner, pt_figure *figures)
{
    figures[0] = (pt_figure){"leaves", ((const pt_boosted *)learner)->forest.n_leaves};
    return 1;
}

const pt_learner_ops pt_learner_tree = {
    .name = "tree",
    .summary = "decision trees: the loss of --criterion (entropy logistic, gini square, sqrt exp)",
    .parameters = "criterion,depth,min-leaf,min-leaf-weight,bins,prune,class-weight,precision",
    .loss = &pt_loss_logistic,
    .loss_of = tree_loss,
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_RAW,
    .size = sizeof(pt_boosted),
    .plan = tree_plan,
    .fit = tree_fit,
    .outputs = pt_boosted_outputs,
    .free = pt_boosted_free,
    .save = pt_boosted_save,
    .load = pt_boosted_load,
    .figures = tree_figures,
    .forest = pt_boosted_forest,
};
