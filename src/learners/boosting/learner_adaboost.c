/* AdaBoost for all columns of a code (Freund and Schapire 1997; confidence-rated: Schapire and
 * Singer 1999; ASS section 2), by stumps, by trees, and by tests that all columns share
 * (AdaBoost.MO and AdaBoost.MH, ASS section 5).
 *
 *     D_1(i, s) = w_i / sum of w over the rows of column s (of a shared test: and over all columns)
 *     round t:  the best hypothesis h under D_t (boost.c),   f += what h says,   D_t -> D_{t+1}
 *
 * A hypothesis has branches, or leaves, b with the weights W+ and W- of the examples there on the
 * plus side and on the minus side; a shared test has a branch for each column and side of the test.
 *
 *   discrete     h_b = sign of W+ - W-, + where they are equal, 0 on a branch without weight;
 *                e = what is on the other side / all;   alpha = ln((1 - e) / e) / 2,   f += alpha h
 *                D <- D / (2 (1 - e)) where h is right, D / (2 e) where it is wrong: the textbook's
 *                D e^(-alpha M h) / Z, since Z = 2 sqrt(e (1 - e))
 *                e = 0: alpha as of e = c, and D stays
 *   confidence   h_b = ln((W+ + c) / (W- + c)) / 2,   f += h
 *                D <- D e^(-M h) / Z,   Z = sum_b W+ e^-h + W- e^h
 *
 * Discrete stumps have the smallest e, confidence-rated ones the smallest Z; trees grow by sum over
 * leaves of sqrt(W+ W-) (Kearns and Mansour), which belongs to the same loss: f minimises the sum
 * of e^(-M f). --polarity below: + on the branch IN and - on OUT, whatever the weights.
 *
 * c is half the smallest weight that an example has at first, when all weights sum to 1: 1/(2n)
 * where all are equal. (n itself would tell an example of weight 2 from the example twice.) It is
 * never below 2^-53, since 0 would make h infinite: a sum of weights does not see less.
 *
 * Nothing can be learned where 1 - 2e, or 1 - Z, is no more than rounding errors: then the column
 * is done. Weights are not multiplied here but by the next search for stumps, while it reads them
 * (boost.c, trees/stump_loops_isa.c: multiply()); with trees reweigh() does it. */
#include "learners/learner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "learners/boosting/boost.h"

static const double EDGE = 1e-10;    /* of 1 - 2e: rounding errors of sums over many examples */
static const double FALL = 1e-13;    /* of 1 - Z, which is about (1 - 2e)^2 / 2 */
static const double LEAST = 0x1p-53; /* of c */

/* ---- votes ----------------------------------------------------------------------------------- */

/* The branches of a hypothesis: their weights, and what is said and done there. */
typedef struct ballot {
    int64_t count;
    const double (*W)[2]; /* W+, W- */
    double *value;        /* what is added to f */
    double *plus;         /* what weights of the plus side are multiplied by */
    double *minus;
    double alpha; /* discrete */
    double e;     /* discrete: as it was, 0 too */
} ballot;

/* The sign of branch b. */
static int sign_of(const double W[2], int64_t b, bool below)
{
    if (below && b != PT_BRANCH_MISSING)
        return b == PT_BRANCH_IN ? 1 : -1;
    if (W[0] + W[1] <= 0)
        return 0;
    return W[0] >= W[1] ? 1 : -1;
}

/* False: e is 1/2, and nothing can be learned. */
static bool vote_discrete(ballot *v, bool below, double c)
{
    double wrong = 0;
    double all = 0;
    for (int64_t b = 0; b < v->count; b++) {
        wrong += v->W[b][sign_of(v->W[b], b, below) > 0];
        all += v->W[b][0] + v->W[b][1];
    }
    if (!(all > 0) || 1 - 2 * (wrong / all) <= EDGE)
        return false;
    const double e = wrong / all;
    const double limited = e > 0 ? e : c;
    const double right = e > 0 ? 1 / (2 * (1 - e)) : 1;
    const double mistaken = e > 0 ? 1 / (2 * e) : 1;
    v->e = e;
    v->alpha = 0.5 * log((1 - limited) / limited);
    for (int64_t b = 0; b < v->count; b++) {
        const int sign = sign_of(v->W[b], b, below);
        v->value[b] = sign * v->alpha;
        v->plus[b] = sign > 0 ? right : mistaken;
        v->minus[b] = sign > 0 ? mistaken : right;
    }
    return true;
}

/* False: Z does not fall. */
static bool vote_confidence(ballot *v, double c)
{
    double Z = 0;
    double all = 0;
    for (int64_t b = 0; b < v->count; b++) {
        v->value[b] = 0.5 * log((v->W[b][0] + c) / (v->W[b][1] + c));
        v->plus[b] = exp(-v->value[b]);
        v->minus[b] = exp(v->value[b]);
        Z += v->W[b][0] * v->plus[b] + v->W[b][1] * v->minus[b];
        all += v->W[b][0] + v->W[b][1];
    }
    if (!(all > 0 && all - Z > FALL * all))
        return false;
    for (int64_t b = 0; b < v->count; b++) {
        v->plus[b] /= Z;
        v->minus[b] /= Z;
    }
    return true;
}

static bool vote(const pt_booster *b, ballot *v, double c)
{
    return b->rule->stumps == PT_STUMP_CONFIDENCE ? vote_confidence(v, c)
                                                  : vote_discrete(v, b->rule->below, c);
}

/* ---- the rule -------------------------------------------------------------------------------- */

static pt_status begin(pt_booster *b, pt_error *err)
{
    pt_adaboost *a = b->rule->context;
    const pt_columns *columns = &b->rows.train.columns;
    PT_SCRATCH double *sum = pt_alloc_zero(b->votes, sizeof *sum, "weights", err);
    a->c = pt_alloc(b->votes, sizeof *a->c, "weights", err);
    if (!sum || !a->c)
        return PT_ENOMEM;
    for (int64_t v = 0; v < b->votes; v++)
        a->c[v] = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < columns->n; i++) {
            const double w = pt_weight(columns->weight, i);
            for (int64_t q = 0; q < b->layout.width; q++) {
                int sign = 0;
                const int64_t s = pt_stump_column(&b->columns, columns->group_of[i], q, &sign);
                const int64_t v = b->weak == PT_WEAK_SHARED ? 0 : s;
                if (sign == 0)
                    continue;
                if (pass == 1) {
                    b->D[i * b->layout.stride + q] = w / sum[v];
                    continue;
                }
                sum[v] += w;
                a->c[v] = w < a->c[v] ? w : a->c[v];
            }
        }
    for (int64_t v = 0; v < b->votes; v++) {
        b->done[v] = !(sum[v] > 0);
        a->c[v] = b->done[v] ? 0 : fmax(a->c[v] / (2 * sum[v]), LEAST);
    }
    return PT_OK;
}

/* D of the rows of a leaf, by their class. */
static void reweigh(pt_booster *b, const pt_grown *tree, const pt_grown_node *leaf,
                    const pt_boost_room *room, double plus, double minus)
{
    for (int64_t at = leaf->first; at < leaf->first + leaf->count; at++) {
        const int64_t i = tree->row[at];
        const int64_t g = b->columns.group_of[i];
        b->D[i * b->layout.stride + room->slot[g]] *= room->class[g] ? plus : minus;
    }
}

/* A tree that is a single leaf has nothing to say. */
static pt_status step_tree(pt_booster *b, int64_t s, int worker, pt_error *err)
{
    const pt_adaboost *a = b->rule->context;
    pt_grown *tree = &b->tree[s];
    PT_SCRATCH double *room = pt_alloc(tree->n_nodes, 5 * sizeof *room, "votes", err);
    if (!room)
        return PT_ENOMEM;
    double(*W)[2] = (double(*)[2])room;
    ballot leaves = {.W = (const double(*)[2])W,
                     .value = room + 2 * tree->n_nodes,
                     .plus = room + 3 * tree->n_nodes,
                     .minus = room + 4 * tree->n_nodes};
    for (int64_t id = 0; id < tree->n_nodes; id++)
        if (tree->node[id].feature < 0) {
            W[leaves.count][0] = tree->sum[id * tree->sums + 1];
            W[leaves.count++][1] = tree->sum[id * tree->sums];
        }
    b->adds[s] = leaves.count > 1 && vote(b, &leaves, a->c[s]);
    for (int64_t id = 0, leaf = 0; b->adds[s] && id < tree->n_nodes; id++)
        if (tree->node[id].feature < 0) {
            reweigh(b, tree, &tree->node[id], &b->room[worker], leaves.plus[leaf],
                    leaves.minus[leaf]);
            tree->sum[id * tree->sums] = leaves.value[leaf++];
        }
    return PT_OK;
}

static pt_status step(pt_booster *b, int64_t v, int worker, pt_error *err)
{
    const pt_adaboost *a = b->rule->context;
    if (b->tree) {
        PT_TRY(step_tree(b, v, worker, err));
    } else {
        const bool shared = b->weak == PT_WEAK_SHARED;
        const int64_t first = v * PT_BRANCHES;
        ballot branches = {.count = PT_BRANCHES * (shared ? b->columns.ell : 1),
                           .W = shared ? (const double(*)[2])b->sums
                                       : (const double(*)[2])b->stump[v].sum,
                           .value = b->value + first,
                           .plus = b->plus + first,
                           .minus = b->minus + first};
        b->adds[v] = vote(b, &branches, a->c[v]);
        if (b->adds[v] && a->alpha) {
            a->alpha[b->round] = branches.alpha;
            a->error[b->round] = branches.e;
        }
    }
    b->done[v] = !b->adds[v];
    return PT_OK;
}

pt_boost_rule pt_adaboost_rule(pt_adaboost *a, const pt_params *params)
{
    const bool confidence = strcmp(pt_params_text(params, PT_P_BOOST), "confidence") == 0;
    return (pt_boost_rule){.stumps = confidence ? PT_STUMP_CONFIDENCE : PT_STUMP_DISCRETE,
                           .below = strcmp(pt_params_text(params, PT_P_POLARITY), "below") == 0,
                           .criterion = PT_CRITERION_SQRT,
                           .loss = &pt_loss_exp,
                           .reweighs = true,
                           .begin = begin,
                           .step = step,
                           .context = a};
}

void pt_adaboost_free(pt_adaboost *a)
{
    pt_free(a->c);
    a->c = NULL;
}

/* ---- the learner ----------------------------------------------------------------------------- */

static pt_status check(const pt_params *params, pt_error *err)
{
    if (strcmp(pt_params_text(params, PT_P_POLARITY), "below") == 0 &&
        (strcmp(pt_params_text(params, PT_P_BOOST), "discrete") != 0 ||
         pt_boost_weak_of(params) != PT_WEAK_STUMPS))
        return pt_fail(err, PT_EINVAL,
                       "--polarity below is of discrete stumps: --boost discrete, --depth 1");
    return PT_OK;
}

static pt_status adaboost_plan(const pt_rows *rows, const pt_columns *columns,
                               const pt_params *params, const pt_task *task, pt_plan *plan,
                               pt_error *err)
{
    pt_adaboost a = {0};
    const pt_boost_rule rule = pt_adaboost_rule(&a, params);
    const pt_boost_weak weak = pt_boost_weak_of(params);
    pt_boost_plan(rows, columns, &rule, weak, params, task, plan);
    snprintf(plan->route, sizeof plan->route, "%lld columns, %s %s, %s", (long long)columns->ell,
             pt_params_text(params, PT_P_BOOST), weak == PT_WEAK_TREES ? "trees" : "stumps",
             pt_params_integer(params, PT_P_BINS) > 1 ? "histograms" : "exact");
    return check(params, err);
}

static pt_status adaboost_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                              const pt_params *params, const pt_task *task, pt_warnings *warnings,
                              pt_error *err)
{
    PT_FREED_BY(pt_adaboost_free) pt_adaboost a = {0};
    const pt_boost_rule rule = pt_adaboost_rule(&a, params);
    PT_TRY(check(params, err));
    return pt_boost_fit(learner, rows, columns, &rule, params, NULL, task, warnings, err);
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
    .size = sizeof(pt_boosted),
    .plan = adaboost_plan,
    .fit = adaboost_fit,
    .outputs = pt_boosted_outputs,
    .free = pt_boosted_free,
    .save = pt_boosted_save,
    .load = pt_boosted_load,
    .rounds = pt_boosted_rounds,
    .staged = pt_boosted_staged,
    .figures = pt_boosted_figures,
    .forest = pt_boosted_forest,
};
