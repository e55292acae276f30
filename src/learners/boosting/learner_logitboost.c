/* LogitBoost: Friedman, Hastie and Tibshirani, Additive logistic regression (2000), algorithm 3.
 *
 * Newton steps for the logistic loss of every column, f half the log-odds:
 *
 *     loss       sum_i log(1 + e^(-2 z_i)) ,   z_i = y_i f(x_i)
 *     p_i        1 / (1 + e^(-2 f(x_i))) ,   y*_i = (1 + y_i) / 2
 *     weight     w = p (1 - p)
 *     response   t = (y* - p) / w: 1/p for y = 1, -1/(1 - p) for y = -1
 *
 * h is the stump, or the regression tree, of the least weighted squares of t, and f <- f + h/2.
 *
 * Not as printed. The response of an example that is all but certainly wrong is huge, and the paper
 * cuts it off at 4 (it names 2 to 4). That takes from the slope w t as well: where one side has
 * less than a fifth of the examples, as one class against the others has, the slopes no longer
 * cancel for any p, and f runs away. Here the weight is raised instead, w = max(p (1 - p),
 * |y* - p|/4): the response is at most 4, the slope y* - p is what it is. (A test trains a column
 * of 3 percent.)
 *
 * A Newton step may overshoot, and the loss rise. Then h/4, h/8, ... are tried, so that the loss of
 * a column never rises; where 20 halvings do not help, rounding is all that is left, and the column
 * is done.
 *
 *   margin    z of the examples of a column; the loss of each column is remembered
 *
 * Time of a round: the search for stumps, and one exponential for each example and column. */
#include "learners/learner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/loops.h"
#include "learners/boosting/boost.h"
#include "learners/boosting/boost_loops.h"

enum { HALVINGS = 20 };

/* ---- a column -------------------------------------------------------------------------------- */

static double weighted_losses(const double *margin, const double *e, const double *weight,
                              int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += weight[i] * ((margin[i] < 0 ? -2 * margin[i] : 0) + log1p(e[i]));
    return sum;
}

/* Without weights one logarithm does for a whole lane of factors. */
static double plain_losses(const double *margin, const double *e, int64_t count)
{
    double linear[PT_BOOST_LANES] = {0};
    double product[PT_BOOST_LANES];
    double sum = 0;
    for (int lane = 0; lane < PT_BOOST_LANES; lane++)
        product[lane] = 1;
    pt_boost_loops_chosen()->losses(margin, e, count, linear, product);
    for (int lane = 0; lane < PT_BOOST_LANES; lane++)
        sum += linear[lane] + log(product[lane]);
    return sum;
}

/* to <- margins after a step of that scale; returns their loss. Where `respond`, the numbers of the
 * next round as well. */
static double move(const pt_boost_column *c, double scale, double *to, bool respond)
{
    const pt_boost_loops *loops = pt_boost_loops_chosen();
    const pt_loops *exponentials = pt_loops_of(pt_isa_chosen(), PT_F64);
    double e[PT_LOGIT_PIECE];
    double loss = 0;
    for (int64_t from = 0; from < c->n; from += PT_LOGIT_PIECE) {
        const int64_t rest = c->n - from;
        const int64_t count = rest < PT_LOGIT_PIECE ? rest : PT_LOGIT_PIECE;
        const double *h = (c->h ? c->h : c->y) + from; /* before the first round scale is 0 */
        const double *weight = c->weight ? c->weight + from : NULL;
        loops->move(c->margin + from, c->y + from, h, count, scale, to + from, e);
        exponentials->exp(e, count, -2);
        loss += weight ? weighted_losses(to + from, e, weight, count)
                       : plain_losses(to + from, e, count);
        if (respond)
            loops->respond(to + from, e, c->y + from, weight, count, c->first + from,
                           c->second + from);
    }
    return loss;
}

/* As pt_margin_rule wants it; context: the losses of the columns. */
static void newton_step(void *context, const pt_boost_column *c, double *scale, bool *done)
{
    double *least = (double *)context + c->s;
    if (!c->h) {
        *least = move(c, 0, c->work, true);
        return;
    }
    double loss = 0;
    *scale = 0.5;
    for (int halving = 0; halving <= HALVINGS; halving++, *scale /= 2) {
        loss = move(c, *scale, c->work, true);
        if (loss <= *least)
            break;
    }
    if (!(loss <= *least)) {
        *scale = 0;
        *done = true;
        return;
    }
    *least = loss;
    memcpy(c->margin, c->work, (size_t)c->n * sizeof *c->margin);
}

/* ---- the table entry ------------------------------------------------------------------------- */

static pt_boost_rule logit_rule(pt_margin_rule *margins)
{
    return (pt_boost_rule){.stumps = PT_STUMP_NEWTON,
                           .criterion = PT_CRITERION_SQUARES,
                           .loss = &pt_loss_logistic,
                           .begin = pt_margin_rule_begin,
                           .step = pt_margin_rule_step,
                           .context = margins};
}

static pt_status logitboost_plan(const pt_rows *rows, const pt_columns *columns,
                                 const pt_params *params, const pt_task *task, pt_plan *plan,
                                 pt_error *err)
{
    (void)err;
    const pt_boost_rule rule = logit_rule(NULL);
    const pt_boost_weak weak = pt_boost_weak_of(params);
    pt_boost_plan(rows, columns, &rule, weak, params, task, plan);
    snprintf(plan->route, sizeof plan->route, "%lld columns, Newton steps by %s",
             (long long)columns->ell, weak == PT_WEAK_STUMPS ? "stumps" : "regression trees");
    return PT_OK;
}

static pt_status logitboost_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                                const pt_params *params, const pt_task *task, pt_warnings *warnings,
                                pt_error *err)
{
    PT_SCRATCH double *loss = pt_alloc_zero(columns->ell, sizeof *loss, "losses", err);
    if (!loss)
        return PT_ENOMEM;
    PT_FREED_BY(pt_margin_rule_free)
    pt_margin_rule margins = {.move = newton_step, .context = loss};
    const pt_boost_rule rule = logit_rule(&margins);
    return pt_boost_fit(learner, rows, columns, &rule, params, NULL, task, warnings, err);
}

const pt_learner_ops pt_learner_logitboost = {
    .name = "logitboost",
    .summary = "boosting by Newton steps of stumps or small trees: logistic loss",
    .parameters =
        "rounds,depth,min-leaf,min-leaf-weight,bins,stop-share,patience,class-weight,precision",
    .loss = &pt_loss_logistic,
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_RAW | PT_LEARNS_UNTIL_TOLD,
    .size = sizeof(pt_boosted),
    .plan = logitboost_plan,
    .fit = logitboost_fit,
    .outputs = pt_boosted_outputs,
    .free = pt_boosted_free,
    .save = pt_boosted_save,
    .load = pt_boosted_load,
    .rounds = pt_boosted_rounds,
    .staged = pt_boosted_staged,
    .figures = pt_boosted_figures,
    .forest = pt_boosted_forest,
};
