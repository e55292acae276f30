/* AdaBoost on trees for all columns of a code. Weights, votes and stopping are those of stumps
 * (boost_vote.h, boost_rows.h); the weak hypothesis of a round and column is a tree of --depth
 * tests, grown under the weights D of the column by the criterion that belongs to the exponential
 * loss, sum over leaves of sqrt(W+ W-) (Kearns and Mansour; ASS section 2):
 *
 *   confidence   leaf: h = ln((W+ + c) / (W- + c)) / 2,   f += h,        D <- D e^(-M h) / Z
 *   discrete     leaf: h = sign of W+ - W-,               f += alpha h,  D <- D e^(-alpha M h) / Z
 *
 * A column whose best tree is a single leaf, or does not lower the loss, is done: its trees from
 * then on are single leaves that say 0.
 *
 *   D        n x width    weights; a slot for each column, or for each opponent of all pairs
 *   tree     ell          of the round
 *
 * Columns grow in parallel, each on one thread; a single one uses all of them. A round costs
 * O(n d depth) for each column, rows that take no part not counted. */
#include "learners/boosting/boost_trees.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "learners/boosting/boost_columns.h"
#include "learners/boosting/boost_rows.h"
#include "learners/boosting/boost_vote.h"
#include "learners/boosting/boosted.h"
#include "trees/grow.h"

typedef struct tree_booster {
    const pt_task *task;
    pt_boost_rows rows;
    pt_feature_table table;
    pt_grow_groups groups;
    pt_grow_problem problem; /* that of a column, its classes and weights apart */
    bool confidence;
    int64_t ell;
    int64_t width;
    double *D;
    double *c;      /* ell: half the smallest weight at first */
    double *alpha;  /* ell: discrete, of the round */
    bool *done;     /* ell */
    pt_grown *tree; /* ell */
    int64_t *class; /* workers x groups: the class of each group in the column, -1: none */
    int64_t *slot;  /* workers x groups: where its weights are */
} tree_booster;

static void drop_trees(tree_booster *b)
{
    for (int64_t s = 0; b->tree && s < b->ell; s++)
        pt_grown_free(&b->tree[s]);
}

static void tree_booster_free(tree_booster *b)
{
    drop_trees(b);
    pt_free(b->slot);
    pt_free(b->class);
    pt_free(b->tree);
    pt_free(b->done);
    pt_free(b->alpha);
    pt_free(b->c);
    pt_free(b->D);
    pt_grow_groups_free(&b->groups);
    pt_feature_table_free(&b->table);
    pt_boost_rows_free(&b->rows);
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Class and slot of each group in column s; class 1 is +, 0 is -. */
static void put_column(const tree_booster *b, int64_t s, int64_t *class, int64_t *slot)
{
    const pt_columns *columns = &b->rows.train.columns;
    int64_t p = 0;
    int64_t q = 0;
    if (columns->pairs)
        pt_pairs_at(columns->groups, s, &p, &q);
    for (int64_t g = 0; g < columns->groups; g++) {
        const int sign = columns->pairs ? (g == p) - (g == q) : pt_columns_sign(columns, g, s);
        class[g] = sign == 0 ? -1 : sign > 0;
        slot[g] = !columns->pairs ? s : g == p ? q : p;
    }
}

/* D <- the weights of the rows, divided by their sum in the column. */
static void begin_column(tree_booster *b, int64_t s, const int64_t *class, const int64_t *slot)
{
    const double *weight = b->rows.train.columns.weight;
    double sum = 0;
    double least = INFINITY;
    for (int64_t g = 0; g < b->groups.count; g++)
        for (int64_t at = b->groups.start[g]; class[g] >= 0 && at < b->groups.start[g + 1]; at++) {
            const double w = weight ? weight[b->groups.row[at]] : 1;
            sum += w;
            least = w < least ? w : least;
        }
    for (int64_t g = 0; g < b->groups.count; g++)
        for (int64_t at = b->groups.start[g]; class[g] >= 0 && at < b->groups.start[g + 1]; at++) {
            const int64_t i = b->groups.row[at];
            b->D[i * b->width + slot[g]] = (weight ? weight[i] : 1) / sum;
        }
    b->done[s] = !(sum > 0);
    b->c[s] = b->done[s] ? 0 : pt_boost_smoothing(least, sum);
}

static pt_status take_memory(tree_booster *b, pt_error *err)
{
    const pt_columns *columns = &b->rows.train.columns;
    const int64_t workers = pt_parallel_workers(b->task, b->ell);
    const size_t a_row = (size_t)b->width * sizeof(double);
    const size_t a_worker = (size_t)columns->groups * sizeof(int64_t);
    b->D = pt_alloc(columns->n, a_row, "weights of boosting", err);
    b->c = pt_alloc(b->ell, sizeof *b->c, "columns", err);
    b->alpha = pt_alloc(b->ell, sizeof *b->alpha, "columns", err);
    b->done = pt_alloc(b->ell, sizeof *b->done, "columns", err);
    b->tree = pt_alloc_zero(b->ell, sizeof *b->tree, "trees", err);
    b->class = pt_alloc(workers, a_worker, "columns", err);
    b->slot = pt_alloc(workers, a_worker, "columns", err);
    return b->D && b->c && b->alpha && b->done && b->tree && b->class && b->slot ? PT_OK
                                                                                 : PT_ENOMEM;
}

static pt_status tree_booster_init(tree_booster *b, const pt_rows *rows, const pt_columns *columns,
                                   const pt_params *params, pt_texts *warnings, pt_error *err)
{
    b->confidence = strcmp(pt_params_text(params, PT_P_BOOST), "confidence") == 0;
    b->ell = columns->ell;
    b->width = columns->pairs ? columns->groups : columns->ell;
    pt_status status = pt_boost_rows_init(
        &b->rows, rows, columns, pt_params_real(params, PT_P_STOP_SHARE),
        pt_params_integer(params, PT_P_PATIENCE), (uint64_t)pt_params_integer(params, PT_P_SEED),
        &pt_loss_exp, warnings, err);
    const pt_columns *c = &b->rows.train.columns;
    if (status == PT_OK)
        status = pt_feature_table_init(&b->table, &b->rows.train.rows,
                                       pt_params_integer(params, PT_P_BINS), b->task, err);
    if (status == PT_OK)
        status = pt_grow_groups_init(&b->groups, c->group_of, c->n, c->groups, err);
    if (status == PT_OK)
        status = take_memory(b, err);
    for (int64_t s = 0; s < b->ell && status == PT_OK; s++) {
        put_column(b, s, b->class, b->slot);
        begin_column(b, s, b->class, b->slot);
    }
    b->problem = (pt_grow_problem){.table = &b->table,
                                   .group_of = c->group_of,
                                   .groups = &b->groups,
                                   .k = 2,
                                   .weight = b->D,
                                   .weight_stride = b->width,
                                   .criterion = PT_CRITERION_SQRT,
                                   .depth = pt_boost_depth(params),
                                   .min_leaf = pt_params_integer(params, PT_P_MIN_LEAF),
                                   .min_weight = pt_params_real(params, PT_P_MIN_LEAF_WEIGHT),
                                   .by_mass = true,
                                   .mass = c->weight};
    return status;
}

/* ---- votes ----------------------------------------------------------------------------------- */

/* Sign times alpha. */
static void leaf_sign(const double *sum, int64_t sums, const void *context, double *value)
{
    (void)sums;
    *value = pt_boost_sign((const double[2]){sum[1], sum[0]}) * *(const double *)context;
}

/* The rows of a leaf, by class: D times what is given. */
static void reweigh(tree_booster *b, const pt_grown *tree, const pt_grown_node *leaf,
                    const double factor[2], const int64_t *class, const int64_t *slot)
{
    const int64_t *group_of = b->problem.group_of;
    for (int64_t at = leaf->first; at < leaf->first + leaf->count; at++) {
        const int64_t i = tree->row[at];
        b->D[i * b->width + slot[group_of[i]]] *= factor[class[group_of[i]]];
    }
}

/* New weights; false: the tree has nothing to say. */
static bool vote_confidence(tree_booster *b, int64_t s, const int64_t *class, const int64_t *slot)
{
    const pt_grown *tree = &b->tree[s];
    double Z = 0;
    double all = 0;
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        const double *sum = tree->sum + id * tree->sums;
        double h = 0;
        if (tree->node[id].feature >= 0)
            continue;
        pt_leaf_half_log(sum, 2, &b->c[s], &h);
        Z += sum[1] * exp(-h) + sum[0] * exp(h);
        all += sum[0] + sum[1];
    }
    if (!pt_boost_falls(Z, all))
        return false;
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        double h = 0;
        if (tree->node[id].feature >= 0)
            continue;
        pt_leaf_half_log(tree->sum + id * tree->sums, 2, &b->c[s], &h);
        reweigh(b, tree, &tree->node[id], (const double[2]){exp(h) / Z, exp(-h) / Z}, class, slot);
    }
    return true;
}

static bool vote_discrete(tree_booster *b, int64_t s, const int64_t *class, const int64_t *slot)
{
    const pt_grown *tree = &b->tree[s];
    double wrong = 0;
    double all = 0;
    double e = 0;
    double right = 1;
    double mistaken = 1;
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        const double *sum = tree->sum + id * tree->sums;
        if (tree->node[id].feature >= 0)
            continue;
        wrong += sum[1] >= sum[0] ? sum[0] : sum[1];
        all += sum[0] + sum[1];
    }
    if (!pt_boost_alpha(wrong, all, b->c[s], &e, &b->alpha[s], &right, &mistaken))
        return false;
    for (int64_t id = 0; id < tree->n_nodes; id++) {
        const double *sum = tree->sum + id * tree->sums;
        const bool plus = sum[1] >= sum[0];
        if (tree->node[id].feature < 0)
            reweigh(b, tree, &tree->node[id],
                    (const double[2]){plus ? mistaken : right, plus ? right : mistaken}, class,
                    slot);
    }
    return true;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static pt_status grow_column(void *context, int64_t s, int worker, pt_error *err)
{
    tree_booster *b = context;
    const int64_t groups = b->groups.count;
    int64_t *class = b->class + worker * groups;
    int64_t *slot = b->slot + worker * groups;
    if (b->done[s])
        return PT_OK;
    put_column(b, s, class, slot);
    pt_grow_problem problem = b->problem;
    problem.class_of_group = class;
    problem.slot_of_group = slot;
    PT_TRY(pt_grow(&b->tree[s], &problem, b->task, err));
    b->done[s] = b->tree[s].n_nodes == 1 || !(b->confidence ? vote_confidence(b, s, class, slot)
                                                            : vote_discrete(b, s, class, slot));
    pt_grown_drop_rows(&b->tree[s]);
    return PT_OK;
}

static pt_status plant(const tree_booster *b, pt_forest *forest, pt_error *err)
{
    pt_status status = PT_OK;
    for (int64_t s = 0; s < b->ell && status == PT_OK; s++) {
        const double nothing = 0;
        int64_t leaf = 0;
        if (!b->done[s]) {
            status = b->confidence
                         ? pt_grown_plant(&b->tree[s], forest, pt_leaf_half_log, &b->c[s], err)
                         : pt_grown_plant(&b->tree[s], forest, leaf_sign, &b->alpha[s], err);
            continue;
        }
        status = pt_forest_add_leaf(forest, &nothing, &leaf, err);
        if (status == PT_OK)
            status = pt_forest_add_tree(forest, leaf, err);
    }
    return status;
}

static pt_status grow_round(tree_booster *b, pt_error *err)
{
    drop_trees(b);
    if (b->ell == 1) /* outside of a parallel loop, so that it may have its own */
        return grow_column(b, 0, 0, err);
    return pt_parallel_for(b->task, b->ell, grow_column, b, err);
}

static int64_t active(const tree_booster *b)
{
    int64_t count = 0;
    for (int64_t s = 0; s < b->ell; s++)
        count += !b->done[s];
    return count;
}

static pt_status boost(tree_booster *b, pt_boosted *m, int64_t rounds, pt_error *err)
{
    pt_status status = PT_OK;
    bool stop = false;
    for (int64_t t = 0; t < rounds && !stop && status == PT_OK; t++) {
        if (t > 0 && pt_task_ends_early(b->task))
            break;
        pt_task_progress(b->task, "boosting", (double)t, (double)rounds);
        status = pt_task_check(b->task, err);
        if (status == PT_OK)
            status = grow_round(b, err);
        if (status != PT_OK || active(b) == 0)
            break;
        const int64_t first = m->forest.n_trees;
        status = plant(b, &m->forest, err);
        if (status == PT_OK)
            status = pt_boost_rows_round(&b->rows, &m->forest, first, m->forest.n_trees, &stop,
                                         b->task, err);
    }
    if (status == PT_OK)
        pt_forest_truncate(&m->forest, pt_boost_rows_best(&b->rows) * m->ell);
    return status;
}

/* ---- what is called -------------------------------------------------------------------------- */

pt_status pt_boost_trees_fit(pt_learner **out, const pt_learner_ops *ops, const pt_rows *rows,
                             const pt_columns *columns, const pt_params *params,
                             const pt_task *task, pt_texts *warnings, pt_error *err)
{
    tree_booster b = {.task = task};
    pt_boosted *m = NULL;
    pt_status status = pt_boosted_new(&m, ops, rows, columns->ell, err);
    if (status == PT_OK)
        status = tree_booster_init(&b, rows, columns, params, warnings, err);
    if (status == PT_OK)
        status = boost(&b, m, pt_params_integer(params, PT_P_ROUNDS), err);
    tree_booster_free(&b);
    if (status != PT_OK) {
        pt_boosted_free(m ? &m->base : NULL);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

void pt_boost_trees_plan(const pt_rows *rows, const pt_columns *columns, const pt_params *params,
                         const pt_task *task, pt_plan *plan)
{
    const int64_t bins = pt_params_integer(params, PT_P_BINS);
    const int64_t depth = pt_boost_depth(params);
    const double n = (double)rows->n;
    const double rounds = (double)pt_params_integer(params, PT_P_ROUNDS);
    const double width = (double)(columns->pairs ? columns->groups : columns->ell);
    /* rows that take part, in all columns; one leaf for four of them is already a bad tree */
    const double most = (columns->pairs ? n * (double)(columns->groups - 1) : n * width) / 4;
    double leaves = depth > 0 && depth < 40 ? ldexp((double)columns->ell, (int)depth) : most;
    leaves = leaves < most ? leaves : most;
    plan->bytes = pt_feature_table_bytes(rows, bins) +
                  pt_boost_rows_bytes(rows, columns, pt_params_real(params, PT_P_STOP_SHARE)) +
                  pt_grow_bytes(rows, bins, 2, pt_parallel_workers(task, columns->ell)) +
                  sizeof(double) * n * width + sizeof(int64_t) * n + 100 * leaves +
                  2 * rounds * leaves * (sizeof(pt_node) + 2 * sizeof(double));
    plan->flops = 20 * rounds * 4 * most * (double)rows->d * (double)(depth > 0 ? depth : 10);
    snprintf(plan->route, sizeof plan->route, "%lld columns, %s trees, %s", (long long)columns->ell,
             pt_params_text(params, PT_P_BOOST), bins > 1 ? "histograms" : "exact");
}
