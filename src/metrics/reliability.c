/* How true probabilities are: three figures, the smaller the better.
 *
 *     log loss            mean of -log p_y, y the true class
 *     Brier score         mean over rows of sum_r (p_r - [r = y])^2, between 0 and 2
 *     calibration error   sum_b (n_b / n) | share that is right in b - mean probability in b |,
 *                         the predictions sorted by their probability into BINS equal bins of [0,1]
 *
 * Of sets every pair of a row and a class is asked by itself: -log of the probability of what is
 * true, its square distance from 1, and bins over all pairs.
 *
 * Intervals are the estimate plus and minus 1.96 standard errors, cut at 0: of a mean the usual
 * one; of the calibration error that of the sum over bins with the sign that each was seen with.
 * Where probabilities are right, the calibration error of n rows is not 0 but of the order of
 * sqrt(BINS / n), and its interval tells of that. */
#include "metrics/reliability.h"

#include <float.h>
#include <math.h>

static const double NORMAL_QUANTILE = 1.959964;

static pt_estimate around(double value, double variance)
{
    const double away = NORMAL_QUANTILE * sqrt(fmax(variance, 0));
    return (pt_estimate){value, fmax(value - away, 0), value + away};
}

static void mean_add(pt_weighted_mean *m, double value, double weight)
{
    m->weight += weight;
    m->sum += weight * value;
    m->squares += weight * weight;
    m->cross += weight * weight * value;
    m->spread += weight * weight * value * value;
}

/* Of sum w v: sum w^2 (v - mean)^2. */
static double variance_of_sum(const pt_weighted_mean *m)
{
    const double mean = m->sum / m->weight;
    return m->spread - 2 * mean * m->cross + mean * mean * m->squares;
}

static pt_estimate mean_of(const pt_weighted_mean *m)
{
    if (!(m->weight > 0))
        return (pt_estimate){NAN, NAN, NAN};
    return around(m->sum / m->weight, variance_of_sum(m) / (m->weight * m->weight));
}

static void add_to_bin(pt_reliability *reliability, double p, bool right, double weight)
{
    const int64_t bin = (int64_t)fmin(PT_RELIABILITY_BINS - 1, p * PT_RELIABILITY_BINS);
    mean_add(&reliability->excess[bin], (right ? 1 : 0) - p, weight);
}

/* Models that were written before there was a floor say 0 now and then. */
static double log_loss_of(double p)
{
    return -log(fmax(p, DBL_MIN));
}

void pt_reliability_add(pt_reliability *reliability, const double *p, int64_t k, int64_t predicted,
                        int64_t truth, double weight)
{
    add_to_bin(reliability, p[predicted], truth == predicted, weight);
    if (truth >= k)
        return;
    double brier = 0;
    for (int64_t r = 0; r < k; r++) {
        const double away = p[r] - (r == truth ? 1 : 0);
        brier += away * away;
    }
    mean_add(&reliability->brier, brier, weight);
    mean_add(&reliability->log_loss, log_loss_of(p[truth]), weight);
}

void pt_reliability_add_member(pt_reliability *reliability, double p, bool member, double weight)
{
    const double of_truth = member ? p : 1 - p;
    add_to_bin(reliability, p, member, weight);
    mean_add(&reliability->brier, (1 - of_truth) * (1 - of_truth), weight);
    mean_add(&reliability->log_loss, log_loss_of(of_truth), weight);
}

pt_estimate pt_reliability_error(const pt_reliability *reliability)
{
    double weight = 0;
    double error = 0;
    double variance = 0;
    for (int b = 0; b < PT_RELIABILITY_BINS; b++) {
        const pt_weighted_mean *bin = &reliability->excess[b];
        if (bin->weight > 0) {
            weight += bin->weight;
            error += fabs(bin->sum);
            variance += variance_of_sum(bin);
        }
    }
    if (!(weight > 0))
        return (pt_estimate){NAN, NAN, NAN};
    return around(error / weight, variance / (weight * weight));
}

pt_estimate pt_reliability_log_loss(const pt_reliability *reliability)
{
    return mean_of(&reliability->log_loss);
}

pt_estimate pt_reliability_brier(const pt_reliability *reliability)
{
    return mean_of(&reliability->brier);
}
