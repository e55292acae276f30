/* AdaBoost on decision stumps for all columns of a code (ASS section 2; the rules are in
 * boost_vote.h, the search for stumps in trees/stump_search.h).
 *
 *     D_1(i, s) = w_i / sum of w over the rows of column s
 *     round t:  the best stump h of each column under D_t,  f_s += its values,  D_t -> D_{t+1}
 *
 * Discrete stumps have the smallest error e, confidence-rated ones the smallest Z. f minimises
 * the sum of e^(-M f): the loss is the exponential. A column that cannot learn any more is done,
 * and its trees from then on are single leaves that say 0; boosting ends where all are.
 *
 *   D        n x stride  weights; columns, or opponents where the code is all pairs
 *   factors  groups x PT_BRANCHES x stride  what D of a row of the group is multiplied by
 *
 * Features are binned once for all columns and rounds. A round takes one pass over D for new
 * weights and one pass for each few features: O(n d ell / vector). In exact tables (--bins 0)
 * everything is the textbook's to the bit, with the sums in the order that stump_search.h says; in
 * a histogram the same is true of the bins, so that both are equal where a bin is a value. */
#include "learners/learner_adaboost.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "learners/boost_columns.h"
#include "learners/boost_rows.h"
#include "learners/boost_trees.h"
#include "learners/boost_vote.h"
#include "learners/boosted.h"
#include "trees/stump_search.h"

typedef struct boosting {
    pt_boost_rows rows;
    pt_feature_table table;
    pt_stump_columns columns;
    pt_stump_layout layout;
    pt_stump_search *search;
    bool confidence;
    bool below;
    double *D;
    double *factors;
    double *c;           /* ell: half the smallest weight at first */
    bool *done;          /* ell */
    pt_stump *stump;     /* ell */
    pt_boost_vote *vote; /* ell */
} boosting;

static void boosting_free(boosting *b)
{
    pt_free(b->vote);
    pt_free(b->stump);
    pt_free(b->done);
    pt_free(b->c);
    pt_free(b->factors);
    pt_free(b->D);
    pt_stump_search_free(b->search);
    pt_feature_table_free(&b->table);
    pt_boost_rows_free(&b->rows);
}

/* ---- the beginning -----------------------------------------------------------------------------
 */

/* Weights, not yet divided by their sums; sum and c of each column. */
static void put_weights(boosting *b, double *sum)
{
    const pt_columns *c = &b->rows.train.columns;
    memset(b->D, 0, (size_t)(c->n * b->layout.stride) * sizeof *b->D);
    for (int64_t s = 0; s < c->ell; s++) {
        sum[s] = 0;
        b->c[s] = 0;
    }
    for (int64_t i = 0; i < c->n; i++) {
        const double w = c->weight ? c->weight[i] : 1;
        for (int64_t q = 0; q < b->layout.width; q++) {
            int sign = 0;
            const int64_t s = pt_stump_column(&b->columns, c->group_of[i], q, &sign);
            if (sign == 0)
                continue;
            b->D[i * b->layout.stride + q] = w;
            sum[s] += w;
            b->c[s] = b->c[s] == 0 || w < b->c[s] ? w : b->c[s];
        }
    }
}

static void divide_weights(boosting *b, const double *sum)
{
    const pt_columns *c = &b->rows.train.columns;
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t q = 0; q < b->layout.width; q++) {
            int sign = 0;
            const int64_t s = pt_stump_column(&b->columns, c->group_of[i], q, &sign);
            if (sign != 0)
                b->D[i * b->layout.stride + q] /= sum[s];
        }
    for (int64_t s = 0; s < c->ell; s++) {
        b->done[s] = !(sum[s] > 0);
        b->c[s] = b->done[s] ? 0 : b->c[s] / (2 * sum[s]);
    }
}

static pt_status begin_weights(boosting *b, pt_error *err)
{
    double *sum = pt_alloc(b->columns.ell, sizeof *sum, "weights", err);
    if (!sum)
        return PT_ENOMEM;
    put_weights(b, sum);
    divide_weights(b, sum);
    pt_free(sum);
    return PT_OK;
}

static pt_status take_memory(boosting *b, pt_error *err)
{
    const int64_t n = b->rows.train.columns.n;
    const int64_t ell = b->columns.ell;
    const int64_t stride = b->layout.stride;
    b->D = pt_alloc(n, sizeof(double) * (size_t)stride, "weights of boosting", err);
    b->factors = pt_alloc(b->columns.groups * PT_BRANCHES, sizeof(double) * (size_t)stride,
                          "weights of boosting", err);
    b->c = pt_alloc(ell, sizeof *b->c, "columns", err);
    b->done = pt_alloc(ell, sizeof *b->done, "columns", err);
    b->stump = pt_alloc(ell, sizeof *b->stump, "stumps", err);
    b->vote = pt_alloc(ell, sizeof *b->vote, "stumps", err);
    return b->D && b->factors && b->c && b->done && b->stump && b->vote ? PT_OK : PT_ENOMEM;
}

static pt_status boosting_init(boosting *b, const pt_rows *rows, const pt_columns *columns,
                               const pt_params *params, const pt_task *task, pt_error *err)
{
    b->confidence = strcmp(pt_params_text(params, PT_P_BOOST), "confidence") == 0;
    b->below = strcmp(pt_params_text(params, PT_P_POLARITY), "below") == 0;
    pt_status status =
        pt_boost_rows_init(&b->rows, rows, columns, pt_params_real(params, PT_P_STOP_SHARE),
                           pt_params_integer(params, PT_P_PATIENCE),
                           (uint64_t)pt_params_integer(params, PT_P_SEED), &pt_loss_exp, err);
    if (status == PT_OK)
        status = pt_feature_table_init(&b->table, &b->rows.train.rows,
                                       pt_params_integer(params, PT_P_BINS), task, err);
    const pt_columns *c = &b->rows.train.columns;
    b->columns = (pt_stump_columns){c->groups, c->ell, c->pairs, c->sign, c->group_of};
    b->layout = pt_stump_columns_layout(&b->columns);
    const pt_stump_options options = {b->confidence ? PT_STUMP_CONFIDENCE : PT_STUMP_DISCRETE,
                                      b->below, pt_params_integer(params, PT_P_MIN_LEAF)};
    if (status == PT_OK)
        status = pt_stump_search_new(&b->search, &b->table, &b->columns, &options, task, err);
    if (status == PT_OK)
        status = take_memory(b, err);
    return status == PT_OK ? begin_weights(b, err) : status;
}

/* ---- a round -----------------------------------------------------------------------------------
 */

/* The vote of every column that is not done; returns how many there are. */
static int64_t take_votes(boosting *b)
{
    int64_t active = 0;
    for (int64_t s = 0; s < b->columns.ell; s++) {
        const pt_stump *stump = &b->stump[s];
        if (!b->done[s])
            b->done[s] =
                stump->feature < 0 ||
                !(b->confidence
                      ? pt_boost_vote_confidence(&b->vote[s], stump->sum, b->c[s])
                      : pt_boost_vote_discrete(&b->vote[s], stump->sum, b->below, b->c[s]));
        if (b->done[s])
            b->stump[s] = (pt_stump){.feature = -1};
        active += !b->done[s];
    }
    return active;
}

static void put_factors(boosting *b)
{
    const int64_t stride = b->layout.stride;
    for (int64_t g = 0; g < b->columns.groups; g++)
        for (int branch = 0; branch < PT_BRANCHES; branch++) {
            double *factor = b->factors + (g * PT_BRANCHES + branch) * stride;
            for (int64_t q = 0; q < stride; q++) {
                int sign = 0;
                const int64_t s =
                    q < b->layout.width ? pt_stump_column(&b->columns, g, q, &sign) : -1;
                factor[q] = sign == 0 || b->done[s] ? 1
                            : sign > 0              ? b->vote[s].plus[branch]
                                                    : b->vote[s].minus[branch];
            }
        }
}

/* The trees of a round; of a column that is done, one that says 0. */
static pt_status plant(const boosting *b, pt_forest *forest, pt_error *err)
{
    const double nothing[PT_BRANCHES] = {0};
    pt_status status = PT_OK;
    for (int64_t s = 0; s < b->columns.ell && status == PT_OK; s++)
        status = pt_stump_plant(&b->table, &b->stump[s], b->done[s] ? nothing : b->vote[s].value,
                                forest, err);
    return status;
}

/* The stumps of round t, under the weights that the round before leaves. */
static pt_status find_stumps(boosting *b, int64_t t, const pt_task *task, pt_error *err)
{
    if (t == 0)
        return pt_stump_search_each(b->search, b->D, NULL, b->stump, task, err);
    put_factors(b);
    return pt_stump_search_next(b->search, b->factors, b->D, b->stump, task, err);
}

static pt_status boost(boosting *b, pt_boosted *m, int64_t rounds, const pt_task *task,
                       pt_error *err)
{
    pt_status status = PT_OK;
    bool stop = false;
    for (int64_t t = 0; t < rounds && !stop && status == PT_OK; t++) {
        pt_task_progress(task, "boosting", (double)t, (double)rounds);
        status = pt_task_check(task, err);
        if (status == PT_OK)
            status = find_stumps(b, t, task, err);
        if (status != PT_OK || take_votes(b) == 0)
            break;
        const int64_t first = m->forest.n_trees;
        status = plant(b, &m->forest, err);
        if (status == PT_OK)
            status = pt_boost_rows_round(&b->rows, &m->forest, first, m->forest.n_trees, &stop,
                                         task, err);
    }
    if (status == PT_OK)
        pt_forest_truncate(&m->forest, pt_boost_rows_best(&b->rows) * m->ell);
    return status;
}

/* ---- the learner -------------------------------------------------------------------------------
 */

static pt_status check(const pt_params *params, pt_error *err)
{
    if (strcmp(pt_params_text(params, PT_P_POLARITY), "below") == 0 &&
        (strcmp(pt_params_text(params, PT_P_BOOST), "discrete") != 0 ||
         pt_boost_depth(params) != 1))
        return pt_fail(err, PT_EINVAL,
                       "--polarity below is of discrete stumps: --boost discrete, --depth 1");
    return PT_OK;
}

static pt_status adaboost_plan(const pt_rows *rows, const pt_columns *columns,
                               const pt_params *params, const pt_task *task, pt_plan *plan,
                               pt_error *err)
{
    enum { A_TREE = 3 * sizeof(double) + sizeof(pt_node) + 2 * sizeof(int64_t) };
    if (pt_boost_depth(params) != 1) {
        pt_boost_trees_plan(rows, columns, params, task, plan);
        return check(params, err);
    }
    const int64_t bins = pt_params_integer(params, PT_P_BINS);
    const double rounds = (double)pt_params_integer(params, PT_P_ROUNDS);
    const double share = pt_params_real(params, PT_P_STOP_SHARE);
    const pt_stump_columns c = {columns->groups, columns->ell, columns->pairs, NULL, NULL};
    const pt_stump_layout layout = pt_stump_columns_layout(&c);
    const double cells = (double)rows->n * (double)layout.stride;
    plan->bytes = pt_feature_table_bytes(rows, bins) + pt_boost_rows_bytes(rows, columns, share) +
                  pt_stump_search_bytes(&c, rows->d, bins > 1 ? bins : rows->n,
                                        pt_parallel_workers(task, rows->d)) +
                  sizeof(double) * cells + 2 * A_TREE * rounds * (double)columns->ell;
    plan->flops = rounds * cells * (double)(rows->d + 2);
    snprintf(plan->route, sizeof plan->route, "%lld columns, %s stumps, %s",
             (long long)columns->ell, pt_params_text(params, PT_P_BOOST),
             bins > 1 ? "histograms" : "exact");
    return check(params, err);
}

static pt_status adaboost_fit(pt_learner **out, const pt_rows *rows, const pt_columns *columns,
                              const pt_params *params, const pt_task *task, pt_texts *warnings,
                              pt_error *err)
{
    (void)warnings;
    boosting b = {0};
    pt_boosted *m = NULL;
    pt_status status = check(params, err);
    if (status == PT_OK && pt_boost_depth(params) != 1)
        return pt_boost_trees_fit(out, &pt_learner_adaboost, rows, columns, params, task, err);
    if (status == PT_OK)
        status = pt_boosted_new(&m, &pt_learner_adaboost, rows, columns->ell, err);
    if (status == PT_OK)
        status = boosting_init(&b, rows, columns, params, task, err);
    if (status == PT_OK)
        status = boost(&b, m, pt_params_integer(params, PT_P_ROUNDS), task, err);
    boosting_free(&b);
    if (status != PT_OK) {
        pt_boosted_free(m ? &m->base : NULL);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

static pt_status adaboost_load(pt_learner **out, const pt_pack *pack, int64_t n_inputs,
                               const pt_columns *columns, const pt_params *params, int64_t *used,
                               pt_error *err)
{
    (void)params;
    return pt_boosted_load(out, &pt_learner_adaboost, pack, n_inputs, columns->ell, used, err);
}

const pt_learner_ops pt_learner_adaboost = {
    .name = "adaboost",
    .summary = "AdaBoost on decision stumps, discrete or confidence-rated; numbers, names and "
               "missing cells as they are",
    .parameters = "rounds,depth,min-leaf,bins,boost,polarity,stop-share,patience,class-weight,"
                  "precision",
    .loss = &pt_loss_exp,
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_RAW,
    .plan = adaboost_plan,
    .fit = adaboost_fit,
    .outputs = pt_boosted_outputs,
    .free = pt_boosted_free,
    .save = pt_boosted_save,
    .load = adaboost_load,
    .rounds = pt_boosted_rounds,
    .staged = pt_boosted_staged,
    .figures = pt_boosted_figures,
    .forest = pt_boosted_forest,
};
