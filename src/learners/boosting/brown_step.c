/* One round of BrownBoost: Freund, An adaptive version of the boost by majority algorithm (2001).
 *
 * In units of sqrt(c), c the total time: example i is at u_i = rho_i + left, its potential is
 * erfc(u_i), its weight exp(-u_i^2). A weak hypothesis moves it to
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
#include "learners/boosting/brown_step.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/loops.h"

static const double SLOPE = 1.1283791670955126; /* 2 / sqrt(pi) */

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
    const pt_brown_loops *loops = pt_brown_loops_chosen();
    const pt_loops *exponentials = pt_loops_of(pt_isa_chosen(), PT_F64);
    double u[PT_BROWN_PIECE];
    double e[PT_BROWN_PIECE];
    double lanes[6 * PT_BROWN_LANES] = {0};
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
    sums->A = add_lanes(lanes + 1 * PT_BROWN_LANES);
    sums->B = add_lanes(lanes + 2 * PT_BROWN_LANES);
    sums->C = add_lanes(lanes + 3 * PT_BROWN_LANES);
    sums->D = add_lanes(lanes + 4 * PT_BROWN_LANES);
    sums->Q = add_lanes(lanes + 5 * PT_BROWN_LANES);
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
