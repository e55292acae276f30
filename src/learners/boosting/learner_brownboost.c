/* BrownBoost: Freund, An adaptive version of the boost by majority algorithm (2001).
 *
 * Boosting with a time that runs out. With c the total time, s what is left of it and r_i the
 * margin y_i sum alpha h(x_i) of example i, a round
 *
 *     gives example i the weight exp(-(r_i + s)^2 / c) ,
 *     finds a weak hypothesis h of values +-1 for these weights,
 *     finds alpha and the time t that it takes (brown_step.c): the sum of the potentials
 *         1 - erf((r_i + s) / sqrt(c)) does not change, and h has no edge left or the time is up.
 *
 * Examples far on the wrong side have little weight: they are given up, where AdaBoost runs after
 * them. At the end (s = 0) the mean of 1 - erf(r_i / sqrt(c)) is what it was at the beginning,
 * 1 - erf(sqrt(c)) = e. A wrong example has a potential of 1 or more, so that at most a share e of
 * the training examples is wrong, and about e/2 where outputs are sure (a potential of 2). With erf
 * as in C: erf(x) = 2/sqrt(pi) int_0^x exp(-v^2) dv.
 *
 *   --noise   e of a column with as many examples on either side. Where a share m < 1/2 of them is
 *             on the smaller side, e = 2 m noise: one class against 25 others is 4 percent of the
 *             examples, and e = 0.1 would allow to give up all of it
 *   margin    r / sqrt(c), as everything here in units of sqrt(c), so that columns compare
 *   output    2/sqrt(pi) sum alpha h / sqrt(c)
 *   loss      the sigmoid loss, 1/(1 + e^2z) = (1 - tanh z)/2: what BrownBoost makes small is
 *             (1 - erf(r/sqrt(c)))/2, and tanh(2 x/sqrt(pi)) has erf's slope at 0 and is within
 *             0.04 of it everywhere, so that loss-based decoding uses the learner's own loss
 *
 * A column ends when its time is up, or when no hypothesis has an edge. */
#include "learners/learner.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "learners/boosting/boost_columns.h"
#include "learners/boosting/brown_step.h"

static const double TO_OUTPUT = 1.1283791670955126; /* 2 / sqrt(pi) */
static const double LEAST_ERROR = 1e-12;

typedef struct brown {
    double noise;
    double *left; /* ell: time, in units of sqrt(c), which is sqrt(c) at first */
} brown;

/* ---- a column -------------------------------------------------------------------------------- */

/* e of the column; all examples on one side: as if there were as many on the other. */
static double error_of(const pt_boost_column *c, double noise)
{
    double sum[2] = {0, 0};
    for (int64_t j = 0; j < c->n; j++)
        sum[c->y[j] > 0] += c->weight ? c->weight[j] : 1;
    const double share = fmin(sum[0], sum[1]) / (sum[0] + sum[1]);
    return fmax(share > 0 ? 2 * share * noise : noise, LEAST_ERROR);
}

static pt_brown problem_of(const brown *b, const pt_boost_column *c)
{
    return (pt_brown){
        .n = c->n, .rho = c->margin, .b = c->work, .weight = c->weight, .left = b->left[c->s]};
}

static void step(void *context, const pt_boost_column *c, double *scale, bool *done)
{
    brown *b = context;
    if (!c->h) {
        b->left[c->s] = pt_brown_width(error_of(c, b->noise));
        const pt_brown problem = problem_of(b, c);
        pt_brown_weights(&problem, c->first);
        return;
    }
    for (int64_t j = 0; j < c->n; j++)
        c->work[j] = c->y[j] * c->h[j];
    pt_brown problem = problem_of(b, c);
    const pt_brown_move move = pt_brown_solve(&problem);
    for (int64_t j = 0; j < c->n; j++)
        c->margin[j] += move.alpha * c->work[j];
    b->left[c->s] = move.time < problem.left ? problem.left - move.time : 0;
    problem.left = b->left[c->s];
    pt_brown_weights(&problem, c->first);
    *scale = TO_OUTPUT * move.alpha;
    *done = move.alpha == 0 || problem.left == 0;
}

/* Columns that ended for want of a hypothesis are not helped by more rounds. */
static pt_status warn_unfinished(int64_t count, int64_t ell, const pt_params *params,
                                 pt_texts *warnings, pt_error *err)
{
    if (count == 0 || pt_params_real(params, PT_P_STOP_SHARE) > 0)
        return PT_OK;
    return pt_texts_add(warnings, err,
                        "%lld of %lld columns did not come to their end in %lld rounds; raise "
                        "--rounds, or --noise, now %g",
                        (long long)count, (long long)ell,
                        (long long)pt_params_integer(params, PT_P_ROUNDS),
                        pt_params_real(params, PT_P_NOISE));
}

/* ---- the table entry ------------------------------------------------------------------------- */

static pt_status brownboost_plan(const pt_rows *rows, const pt_columns *columns,
                                 const pt_params *params, const pt_task *task, pt_plan *plan,
                                 pt_error *err)
{
    (void)err;
    pt_boost_columns_plan(rows, columns, PT_STUMP_DISCRETE, params, task, plan);
    snprintf(plan->route, sizeof plan->route, "%lld columns, BrownBoost by %s",
             (long long)columns->ell, pt_boost_depth(params) == 1 ? "stumps" : "trees");
    return PT_OK;
}

static pt_status brownboost_fit(pt_learner **out, const pt_rows *rows, const pt_columns *columns,
                                const pt_params *params, const pt_task *task, pt_texts *warnings,
                                pt_error *err)
{
    pt_boosted *m = NULL;
    int64_t unfinished = 0;
    brown b = {.noise = pt_params_real(params, PT_P_NOISE),
               .left = pt_alloc_zero(columns->ell, sizeof *b.left, "times", err)};
    if (!b.left)
        return PT_ENOMEM;
    const pt_boost_rule rule = {
        .rule = PT_STUMP_DISCRETE, .loss = &pt_loss_sigmoid, .step = step, .context = &b};
    pt_status status = pt_boosted_new(&m, &pt_learner_brownboost, rows, columns->ell, err);
    if (status == PT_OK)
        status =
            pt_boost_columns_fit(m, rows, columns, &rule, params, &unfinished, task, warnings, err);
    if (status == PT_OK)
        status = warn_unfinished(unfinished, columns->ell, params, warnings, err);
    pt_free(b.left);
    if (status != PT_OK) {
        pt_boosted_free(m ? &m->base : NULL);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

static pt_status brownboost_load(pt_learner **out, const pt_pack *pack, int64_t n_inputs,
                                 const pt_columns *columns, const pt_params *params, int64_t *used,
                                 pt_error *err)
{
    (void)params;
    return pt_boosted_load(out, &pt_learner_brownboost, pack, n_inputs, columns->ell, used, err);
}

const pt_learner_ops pt_learner_brownboost = {
    .name = "brownboost",
    .summary = "boosting that gives up examples it takes for noise: sigmoid loss",
    .parameters = "rounds,depth,min-leaf,min-leaf-weight,bins,stop-share,patience,noise,class-"
                  "weight,precision",
    .loss = &pt_loss_sigmoid,
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_RAW | PT_LEARNS_UNTIL_TOLD,
    .plan = brownboost_plan,
    .fit = brownboost_fit,
    .outputs = pt_boosted_outputs,
    .free = pt_boosted_free,
    .save = pt_boosted_save,
    .load = brownboost_load,
    .rounds = pt_boosted_rounds,
    .staged = pt_boosted_staged,
    .figures = pt_boosted_figures,
    .forest = pt_boosted_forest,
};
