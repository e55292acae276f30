/* BrownBoost: Freund, An adaptive version of the boost by majority algorithm (2001).
 *
 * Boosting with a time that runs out. With c the total time, s what is left of it and r_i the
 * margin y_i sum alpha h(x_i) of example i, a round
 *
 *     gives example i the weight exp(-(r_i + s)^2 / c) ,
 *     finds a weak hypothesis h of values +-1 for these weights,
 *     finds alpha and the time t that it takes (below): the sum of the potentials
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
 * A column ends when its time is up, or when no hypothesis has an edge.
 *
 * How far a round goes (pt_brown_solve). In units of sqrt(c), c the total time: example i is at
 * u_i = rho_i + left, its potential is erfc(u_i), its weight exp(-u_i^2). A weak hypothesis moves
 * it to
 *
 *     u_i(alpha, t) = rho_i + alpha b_i + left - t ,   b_i = y_i h(x_i) ,
 *
 * and the two numbers follow dt/dalpha = gamma, the weighted mean of b at the point that is
 * reached. Along that path the sum of the potentials does not change:
 *
 *     E(alpha, t) = sum_i w_i erfc(u_i(alpha, t)) - sum_i w_i erfc(u_i(0, 0)) = 0 .
 *
 * It ends at its first point with gamma = 0 (the hypothesis has nothing left to say), or where the
 * time is used up, t = left. E rises with t, so that it gives t for any alpha, with no differential
 * equation to be integrated; and |gamma| <= 1, so that from a known point of the path t(alpha) lies
 * between t -+ (alpha's distance). What is left is one equation in alpha, gamma = 0 or E(alpha,
 * left) = 0, solved by Newton steps that bisection keeps within what is known:
 *
 *     A = sum w e, B = sum w b e, C = sum w u e, D = sum w b u e, Q = sum w b^2 u e, e = exp(-u^2)
 *     gamma = B / A ,   dE/dt = 2/sqrt(pi) A ,   dE/dalpha = -2/sqrt(pi) B
 *     dgamma/dalpha along the path = (-2Q + 2 D gamma - gamma (-2D + 2 C gamma)) / A
 *
 * Freund stops at gamma = nu, a small number of the user's; here nu is 0. The path may have further
 * points with gamma = 0 behind the first: steps that grow from 0 find one of them, and where they
 * leave one out time has still advanced and both equations hold. */
#include "learners/learner.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/alloc.h"
#include "kernels/loops.h"
#include "learners/boosting/boost.h"
#include "learners/boosting/boost_loops.h"
#include "learners/boosting/brown_step.h"

static const double SLOPE = 1.1283791670955126; /* 2 / sqrt(pi) */
static const double LEAST_ERROR = 1e-12;

enum { PASSES = 400 }; /* far more than ever needed: bisection alone takes 100 for each unknown */

typedef struct solve {
    const pt_brown *problem;
    double start; /* the sum of the potentials */
    double low;   /* gamma > 0 and time left up to here ... */
    double low_time;
    double high;      /* ... and not here; infinite: not known */
    pt_brown_sums at; /* of the last point */
    int64_t passes;
} solve;

/* ---- sums ------------------------------------------------------------------------------------ */

static double add_lanes(const double *lane)
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

void pt_brown_at(const pt_brown *problem, double alpha, double time, pt_brown_sums *sums)
{
    const pt_boost_loops *loops = pt_boost_loops_chosen();
    const pt_loops *exponentials = pt_loops_of(pt_isa_chosen(), PT_F64);
    double u[PT_BROWN_PIECE];
    double e[PT_BROWN_PIECE];
    double lanes[6 * PT_BOOST_LANES] = {0};
    for (int64_t from = 0; from < problem->n; from += PT_BROWN_PIECE) {
        const int64_t rest = problem->n - from;
        const int64_t count = rest < PT_BROWN_PIECE ? rest : PT_BROWN_PIECE;
        const double *w = problem->weight ? problem->weight + from : NULL;
        loops->places(problem->rho + from, problem->b + from, count, problem->left - time, alpha, u,
                      e);
        exponentials->exp(e, count, -1);
        loops->sums(u, e, problem->b + from, w, count, lanes);
    }
    sums->potential = add_lanes(lanes);
    sums->A = add_lanes(lanes + 1 * PT_BOOST_LANES);
    sums->B = add_lanes(lanes + 2 * PT_BOOST_LANES);
    sums->C = add_lanes(lanes + 3 * PT_BOOST_LANES);
    sums->D = add_lanes(lanes + 4 * PT_BOOST_LANES);
    sums->Q = add_lanes(lanes + 5 * PT_BOOST_LANES);
}

void pt_brown_weights(const pt_brown *problem, double *D)
{
    for (int64_t i = 0; i < problem->n; i++) {
        const double u = problem->rho[i] + problem->left;
        D[i] = u * u;
    }
    pt_loops_of(pt_isa_chosen(), PT_F64)->exp(D, problem->n, -1);
    for (int64_t i = 0; i < problem->n && problem->weight; i++)
        D[i] *= problem->weight[i];
}

static void look(solve *s, double alpha, double time)
{
    pt_brown_at(s->problem, alpha, time, &s->at);
    s->passes++;
}

static double gamma_of(const pt_brown_sums *at)
{
    return at->A > 0 ? at->B / at->A : 0;
}

/* ---- the path -------------------------------------------------------------------------------- */

/* t(alpha), from a guess: E = 0, and E rises with t. The sums are those of a point closer to it
 * than would matter for the next step in alpha, whose own error is of the order of gamma^2. */
static double time_of(solve *s, double alpha, double guess)
{
    double from = s->low_time - (alpha - s->low);
    double to = s->low_time + (alpha - s->low);
    double time = guess > from && guess < to ? guess : from + (to - from) / 2;
    while (s->passes < PASSES) {
        look(s, alpha, time);
        const double E = s->at.potential - s->start;
        const double gamma = gamma_of(&s->at);
        const double step = -E / (SLOPE * s->at.A);
        if (fabs(step) <= 1e-2 * gamma * gamma + 1e-14)
            return time + step;
        if (E > 0)
            to = time;
        else
            from = time;
        if (to - from <= 1e-15 * (1 + fabs(time)))
            break;
        time = time + step > from && time + step < to ? time + step : from + (to - from) / 2;
    }
    return time;
}

/* dgamma/dalpha along the path. */
static double gamma_slope(const pt_brown_sums *at)
{
    const double gamma = gamma_of(at);
    return (-2 * at->Q + 2 * at->D * gamma - gamma * (-2 * at->D + 2 * at->C * gamma)) / at->A;
}

/* The next alpha within low .. high; where high is not known, at most twice as far and one more. */
static double next_alpha(const solve *s, double proposed)
{
    const double furthest = isinf(s->high) ? 2 * s->low + 1 : s->high;
    if (proposed > s->low && proposed < furthest)
        return proposed;
    return isinf(s->high) ? furthest : s->low + (s->high - s->low) / 2;
}

/* E(alpha, left) = 0 between low, where it is positive, and high. */
static pt_brown_move use_up_time(solve *s)
{
    const double left = s->problem->left;
    double alpha = s->low + (s->high - s->low) / 2;
    while (s->passes < PASSES) {
        look(s, alpha, left);
        const double E = s->at.potential - s->start;
        if (E > 0)
            s->low = alpha;
        else
            s->high = alpha;
        if (fabs(E) <= 1e-13 * s->start || s->high - s->low <= 1e-15 * (1 + alpha))
            break;
        alpha = next_alpha(s, alpha + E / (SLOPE * s->at.B));
    }
    return (pt_brown_move){alpha, left, s->passes};
}

pt_brown_move pt_brown_solve(const pt_brown *problem)
{
    solve s = {.problem = problem, .high = INFINITY};
    look(&s, 0, 0);
    s.start = s.at.potential;
    double gamma = gamma_of(&s.at);
    if (!(gamma > 0))
        return (pt_brown_move){0, 0, s.passes};
    double alpha = 0;
    double time = 0;
    while (s.passes < PASSES) {
        const double slope = gamma_slope(&s.at);
        const double next = next_alpha(&s, slope < 0 ? alpha - gamma / slope : NAN);
        const double move = next - alpha;
        time = time_of(&s, next, time + move * (gamma + slope * move / 2));
        alpha = next;
        gamma = gamma_of(&s.at);
        if (time >= problem->left) {
            s.high = alpha;
            return use_up_time(&s);
        }
        if (gamma > 0) {
            s.low = alpha;
            s.low_time = time;
        } else {
            s.high = alpha;
        }
        if (fabs(gamma) <= 1e-10 || s.high - s.low <= 1e-14 * (1 + alpha))
            break;
    }
    return (pt_brown_move){alpha, time, s.passes};
}

double pt_brown_width(double error)
{
    double low = 0;
    double high = 27; /* erfc is 0 there */
    for (int step = 0; step < 200; step++) {
        const double middle = low + (high - low) / 2;
        if (erfc(middle) > error)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

/* ---- a column -------------------------------------------------------------------------------- */

typedef struct brown {
    double noise;
    double *left; /* ell: time, in units of sqrt(c), which is sqrt(c) at first */
} brown;

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

static void brown_move(void *context, const pt_boost_column *c, double *scale, bool *done)
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
    *scale = SLOPE * move.alpha;
    *done = move.alpha == 0 || problem.left == 0;
}

/* ---- the table entry ------------------------------------------------------------------------- */

static pt_boost_rule brown_rule(pt_margin_rule *margins)
{
    return (pt_boost_rule){.stumps = PT_STUMP_DISCRETE,
                           .criterion = PT_CRITERION_GINI,
                           .loss = &pt_loss_sigmoid,
                           .begin = pt_margin_rule_begin,
                           .step = pt_margin_rule_step,
                           .context = margins};
}

static pt_status brownboost_plan(const pt_rows *rows, const pt_columns *columns,
                                 const pt_params *params, const pt_task *task, pt_plan *plan,
                                 pt_error *err)
{
    (void)err;
    const pt_boost_rule rule = brown_rule(NULL);
    const pt_boost_weak weak = pt_boost_weak_of(params);
    pt_boost_plan(rows, columns, &rule, weak, params, task, plan);
    snprintf(plan->route, sizeof plan->route, "%lld columns, BrownBoost by %s",
             (long long)columns->ell, weak == PT_WEAK_STUMPS ? "stumps" : "trees");
    return PT_OK;
}

/* Columns that ended for want of a hypothesis are not helped by more rounds. */
static pt_status brownboost_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                                const pt_params *params, const pt_task *task, pt_warnings *warnings,
                                pt_error *err)
{
    int64_t unfinished = 0;
    PT_SCRATCH double *left = pt_alloc_zero(columns->ell, sizeof *left, "times", err);
    if (!left)
        return PT_ENOMEM;
    brown b = {.noise = pt_params_real(params, PT_P_NOISE), .left = left};
    PT_FREED_BY(pt_margin_rule_free)
    pt_margin_rule margins = {.move = brown_move, .context = &b};
    const pt_boost_rule rule = brown_rule(&margins);
    PT_TRY(pt_boost_fit(learner, rows, columns, &rule, params, &unfinished, task, warnings, err));
    if (unfinished == 0 || columns->valid || pt_params_real(params, PT_P_STOP_SHARE) > 0)
        return PT_OK;
    return pt_warn(warnings, err, PT_KIND_CONVERGENCE,
                   "%lld of %lld columns did not come to their end in %lld rounds; raise `rounds`, "
                   "or `noise`, now %g",
                   (long long)unfinished, (long long)columns->ell,
                   (long long)pt_params_integer(params, PT_P_ROUNDS), b.noise);
}

const pt_learner_ops pt_learner_brownboost = {
    .name = "brownboost",
    .summary = "boosting that gives up examples it takes for noise: sigmoid loss",
    .parameters = "rounds,depth,min-leaf,min-leaf-weight,bins,stop-share,patience,noise,class-"
                  "weight,precision",
    .warm = "rounds,patience",
    .loss = &pt_loss_sigmoid,
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_RAW | PT_LEARNS_UNTIL_TOLD,
    .size = sizeof(pt_boosted),
    .plan = brownboost_plan,
    .fit = brownboost_fit,
    .outputs = pt_boosted_outputs,
    .free = pt_boosted_free,
    .save = pt_boosted_save,
    .load = pt_boosted_load,
    .rounds = pt_boosted_rounds,
    .staged = pt_boosted_staged,
    .figures = pt_boosted_figures,
    .forest = pt_boosted_forest,
};
