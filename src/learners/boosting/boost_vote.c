/* Votes of weak hypotheses and new weights (boost_vote.h). */
#include "learners/boosting/boost_vote.h"

#include <math.h>

static const double EDGE = 1e-10;    /* of 1 - 2e: rounding errors of sums over many examples */
static const double FALL = 1e-13;    /* of 1 - Z, which is about (1 - 2e)^2 / 2 */
static const double LEAST = 0x1p-53; /* of c: a sum of weights does not see less */

double pt_boost_smoothing(double least, double sum)
{
    const double c = least / (2 * sum);
    return c > LEAST ? c : LEAST;
}

int pt_boost_sign(const double sum[2])
{
    if (sum[0] + sum[1] <= 0)
        return 0;
    return sum[0] >= sum[1] ? 1 : -1;
}

double pt_boost_half_log(const double sum[2], double c)
{
    return 0.5 * log((sum[0] + c) / (sum[1] + c));
}

bool pt_boost_falls(double Z, double all)
{
    return all > 0 && all - Z > FALL * all;
}

bool pt_boost_alpha(double wrong, double all, double c, double *e, double *alpha, double *right,
                    double *mistaken)
{
    if (!(all > 0) || 1 - 2 * (wrong / all) <= EDGE)
        return false;
    const double share = wrong / all;
    const double limited = share > 0 ? share : c;
    *e = share;
    *alpha = 0.5 * log((1 - limited) / limited);
    *right = share > 0 ? 1 / (2 * (1 - share)) : 1;
    *mistaken = share > 0 ? 1 / (2 * share) : 1;
    return true;
}

/* The sign that branch b has. */
static int sign_of(const double sum[PT_BRANCHES][2], int b, bool below)
{
    if (below && b != PT_BRANCH_MISSING)
        return b == PT_BRANCH_IN ? 1 : -1;
    return pt_boost_sign(sum[b]);
}

bool pt_boost_vote_discrete(pt_boost_vote *vote, const double sum[PT_BRANCHES][2], bool below,
                            double c)
{
    double wrong = 0;
    double all = 0;
    double right = 1;
    double mistaken = 1;
    for (int b = 0; b < PT_BRANCHES; b++) {
        wrong += sum[b][sign_of(sum, b, below) > 0];
        all += sum[b][0] + sum[b][1];
    }
    if (!pt_boost_alpha(wrong, all, c, &vote->e, &vote->alpha, &right, &mistaken))
        return false;
    for (int b = 0; b < PT_BRANCHES; b++) {
        const int sign = sign_of(sum, b, below);
        vote->value[b] = sign * vote->alpha;
        vote->plus[b] = sign > 0 ? right : mistaken;
        vote->minus[b] = sign > 0 ? mistaken : right;
    }
    return true;
}

bool pt_boost_vote_confidence(pt_boost_vote *vote, const double sum[PT_BRANCHES][2], double c)
{
    double Z = 0;
    double all = 0;
    for (int b = 0; b < PT_BRANCHES; b++) {
        vote->value[b] = pt_boost_half_log(sum[b], c);
        vote->plus[b] = exp(-vote->value[b]);
        vote->minus[b] = exp(vote->value[b]);
        Z += sum[b][0] * vote->plus[b] + sum[b][1] * vote->minus[b];
        all += sum[b][0] + sum[b][1];
    }
    if (!pt_boost_falls(Z, all))
        return false;
    for (int b = 0; b < PT_BRANCHES; b++) {
        vote->plus[b] /= Z;
        vote->minus[b] /= Z;
    }
    return true;
}
