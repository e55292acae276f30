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
#include "learners/learner.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "learners/boosting/boost_columns.h"
#include "learners/boosting/boost_stumps.h"
#include "learners/boosting/boost_trees.h"
#include "learners/boosting/boost_vote.h"
#include "learners/boosting/boosted.h"

typedef struct booster {
    pt_boost_stumps stumps;
    bool confidence;
    bool below;
    double *c;           /* ell: half the smallest weight at first */
    bool *done;          /* ell */
    pt_stump *stump;     /* ell */
    pt_boost_vote *vote; /* ell */
} booster;

static void booster_free(booster *b)
{
    pt_free(b->vote);
    pt_free(b->stump);
    pt_free(b->done);
    pt_free(b->c);
    pt_boost_stumps_free(&b->stumps);
}

/* ---- the beginning --------------------------------------------------------------------------- */

/* Weights, not yet divided by their sums; sum and c of each column. */
static void put_weights(booster *b, double *sum)
{
    const pt_columns *c = &b->stumps.rows.train.columns;
    const pt_stump_layout *layout = &b->stumps.layout;
    for (int64_t s = 0; s < c->ell; s++) {
        sum[s] = 0;
        b->c[s] = 0;
    }
    for (int64_t i = 0; i < c->n; i++) {
        const double w = c->weight ? c->weight[i] : 1;
        for (int64_t q = 0; q < layout->width; q++) {
            int sign = 0;
            const int64_t s = pt_stump_column(&b->stumps.columns, c->group_of[i], q, &sign);
            if (sign == 0)
                continue;
            b->stumps.D[i * layout->stride + q] = w;
            sum[s] += w;
            b->c[s] = b->c[s] == 0 || w < b->c[s] ? w : b->c[s];
        }
    }
}

static void divide_weights(booster *b, const double *sum)
{
    const pt_columns *c = &b->stumps.rows.train.columns;
    const pt_stump_layout *layout = &b->stumps.layout;
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t q = 0; q < layout->width; q++) {
            int sign = 0;
            const int64_t s = pt_stump_column(&b->stumps.columns, c->group_of[i], q, &sign);
            if (sign != 0)
                b->stumps.D[i * layout->stride + q] /= sum[s];
        }
    for (int64_t s = 0; s < c->ell; s++) {
        b->done[s] = !(sum[s] > 0);
        b->c[s] = b->done[s] ? 0 : pt_boost_smoothing(b->c[s], sum[s]);
    }
}

static pt_status begin_weights(booster *b, pt_error *err)
{
    double *sum = pt_alloc(b->stumps.columns.ell, sizeof *sum, "weights", err);
    if (!sum)
        return PT_ENOMEM;
    put_weights(b, sum);
    divide_weights(b, sum);
    pt_free(sum);
    return PT_OK;
}

static pt_status booster_init(booster *b, const pt_rows *rows, const pt_columns *columns,
                              const pt_params *params, const pt_task *task, pt_texts *warnings,
                              pt_error *err)
{
    const int64_t ell = columns->ell;
    b->confidence = strcmp(pt_params_text(params, PT_P_BOOST), "confidence") == 0;
    b->below = strcmp(pt_params_text(params, PT_P_POLARITY), "below") == 0;
    const pt_stump_options options = {
        .rule = b->confidence ? PT_STUMP_CONFIDENCE : PT_STUMP_DISCRETE, .below = b->below};
    PT_TRY(pt_boost_stumps_init(&b->stumps, rows, columns, options, params, task, warnings, err));
    b->c = pt_alloc(ell, sizeof *b->c, "columns", err);
    b->done = pt_alloc(ell, sizeof *b->done, "columns", err);
    b->stump = pt_alloc(ell, sizeof *b->stump, "stumps", err);
    b->vote = pt_alloc(ell, sizeof *b->vote, "stumps", err);
    return b->c && b->done && b->stump && b->vote ? begin_weights(b, err) : PT_ENOMEM;
}

/* ---- a round --------------------------------------------------------------------------------- */

/* The vote of every column that is not done; returns how many there are. */
static int64_t take_votes(booster *b)
{
    int64_t active = 0;
    for (int64_t s = 0; s < b->stumps.columns.ell; s++) {
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

/* Weights of a column that is done stay. */
static void put_factors(booster *b)
{
    const int64_t ell = b->stumps.columns.ell;
    for (int branch = 0; branch < PT_BRANCHES; branch++)
        for (int64_t s = 0; s < ell; s++) {
            b->stumps.plus[branch * ell + s] = b->done[s] ? 1 : b->vote[s].plus[branch];
            b->stumps.minus[branch * ell + s] = b->done[s] ? 1 : b->vote[s].minus[branch];
        }
    pt_boost_stumps_put_factors(&b->stumps);
}

/* The trees of a round; of a column that is done, one that says 0. */
static pt_status plant(const booster *b, pt_forest *forest, pt_error *err)
{
    const double nothing[PT_BRANCHES] = {0};
    for (int64_t s = 0; s < b->stumps.columns.ell; s++)
        PT_TRY(pt_stump_plant(&b->stumps.table, &b->stump[s],
                              b->done[s] ? nothing : b->vote[s].value, forest, err));
    return PT_OK;
}

/* The stumps of round t, under the weights that the round before leaves. */
static pt_status find_stumps(booster *b, int64_t t, const pt_task *task, pt_error *err)
{
    if (t == 0)
        return pt_stump_search_each(b->stumps.search, b->stumps.D, NULL, b->stump, task, err);
    put_factors(b);
    return pt_stump_search_next(b->stumps.search, b->stumps.factors, b->stumps.D, b->stump, task,
                                err);
}

static pt_status boost(booster *b, pt_boosted *m, int64_t rounds, const pt_task *task,
                       pt_error *err)
{
    pt_status status = PT_OK;
    bool stop = false;
    for (int64_t t = 0; t < rounds && !stop && status == PT_OK; t++) {
        if (t > 0 && pt_task_ends_early(task))
            break;
        pt_task_progress(task, "boosting", (double)t, (double)rounds);
        status = pt_task_check(task, err);
        if (status == PT_OK)
            status = find_stumps(b, t, task, err);
        if (status != PT_OK || take_votes(b) == 0)
            break;
        const int64_t first = m->forest.n_trees;
        status = plant(b, &m->forest, err);
        if (status == PT_OK)
            status = pt_boost_rows_round(&b->stumps.rows, &m->forest, first, m->forest.n_trees,
                                         &stop, task, err);
    }
    if (status == PT_OK)
        pt_forest_truncate(&m->forest, pt_boost_rows_best(&b->stumps.rows) * m->ell);
    return status;
}

/* ---- the learner ----------------------------------------------------------------------------- */

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
    enum {
        A_TREE = 3 * sizeof(double) + sizeof(pt_node) + 2 * sizeof(int64_t),
        A_COLUMN = sizeof(pt_stump) + sizeof(pt_boost_vote) + 3 * sizeof(double)
    };
    if (pt_boost_depth(params) != 1) {
        pt_boost_trees_plan(rows, columns, params, task, plan);
        return check(params, err);
    }
    char of[40];
    snprintf(of, sizeof of, "%lld columns", (long long)columns->ell);
    pt_boost_stumps_plan(rows, columns, params, of, task, plan);
    const double rounds = (double)pt_params_integer(params, PT_P_ROUNDS);
    plan->bytes += (2 * A_TREE * rounds + A_COLUMN) * (double)columns->ell;
    return check(params, err);
}

static pt_status adaboost_fit(pt_learner **out, const pt_rows *rows, const pt_columns *columns,
                              const pt_params *params, const pt_task *task, pt_texts *warnings,
                              pt_error *err)
{
    booster b = {0};
    pt_boosted *m = NULL;
    pt_status status = check(params, err);
    if (status == PT_OK && pt_boost_depth(params) != 1)
        return pt_boost_trees_fit(out, &pt_learner_adaboost, rows, columns, params, task, warnings,
                                  err);
    if (status == PT_OK)
        status = pt_boosted_new(&m, &pt_learner_adaboost, rows, columns->ell, err);
    if (status == PT_OK)
        status = booster_init(&b, rows, columns, params, task, warnings, err);
    if (status == PT_OK)
        status = boost(&b, m, pt_params_integer(params, PT_P_ROUNDS), task, err);
    booster_free(&b);
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
    .parameters = "rounds,depth,min-leaf,min-leaf-weight,bins,boost,polarity,stop-share,patience,"
                  "class-weight,"
                  "precision",
    .loss = &pt_loss_exp,
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_RAW | PT_LEARNS_UNTIL_TOLD,
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
