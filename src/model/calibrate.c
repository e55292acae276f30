/* Probabilities: the softmax of scores times one temperature, so that their argmax is always the
 * prediction.
 *
 *     minimise over t > 0   -sum_i log( exp(t s_{i,y_i}) / sum_r exp(t s_ir) ) ,
 *
 * a convex function of t. The minimum is found by bisection on its derivative, which is monotone:
 *
 *     sum_i ( sum_r p_ir s_ir - s_{i,y_i} ) .
 *
 * Of sets, every class by itself is in it with probability 1 / (1 + exp(-t s)): above 1/2 for the
 * classes that are predicted, s > 0. Over all rows and classes, with y = 1 in the set and -1
 * outside,
 *
 *     minimise over t > 0   sum log(1 + exp(-t y s)) ,     slope  -sum y s / (1 + exp(t y s)) .
 *
 * Pairwise coupling gives probabilities as scores; those are left as they are.
 *
 * The scores are held out (leave-one-out where that is had in closed form, else by folds), so that
 * t is not fitted to training scores.
 *
 * The calibration error compares what is said with what is true: predictions are sorted by their
 * probability into BINS equal bins of [0, 1], and
 *
 *     error = sum_b (n_b / n) | share that is right in b - mean probability in b | . */
#include <float.h>
#include <math.h>

#include "decoders/decoder.h"
#include "model/model.h"

/* The derivative at temperature t; scores are shifted by their largest for safety. */
static double slope(const double *scores, const int64_t *class_of, int64_t n, int64_t k, double t)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *s = scores + i * k;
        double top = s[0];
        for (int64_t r = 1; r < k; r++)
            top = fmax(top, s[r]);
        double weight = 0;
        double mean = 0;
        for (int64_t r = 0; r < k; r++) {
            const double e = exp(t * (s[r] - top));
            weight += e;
            mean += e * s[r];
        }
        total += mean / weight - s[class_of[i]];
    }
    return total;
}

/* How far the scores of a row lie apart, on average. */
static double spread(const double *scores, int64_t n, int64_t k)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        double top = scores[i * k];
        double bottom = top;
        for (int64_t r = 1; r < k; r++) {
            top = fmax(top, scores[i * k + r]);
            bottom = fmin(bottom, scores[i * k + r]);
        }
        total += top - bottom;
    }
    return total / (double)n;
}

typedef struct fitting {
    const double *scores;
    const int64_t *class_of; /* NULL: labels are sets */
    const pt_labels *sets;
    int64_t n;
    int64_t k;
} fitting;

/* The same of sets. */
static double sets_slope(const fitting *f, double t)
{
    double total = 0;
    for (int64_t i = 0; i < f->n; i++) {
        int64_t at = f->sets->start[i];
        for (int64_t r = 0; r < f->k; r++) {
            const bool member = at < f->sets->start[i + 1] && f->sets->item[at] == r;
            const double ys = (member ? 1 : -1) * f->scores[i * f->k + r];
            at += member;
            total -= ys / (1 + exp(t * ys));
        }
    }
    return total;
}

/* How far scores lie from 0, on average. */
static double mean_size(const double *scores, int64_t count)
{
    double total = 0;
    for (int64_t c = 0; c < count; c++)
        total += fabs(scores[c]);
    return total / (double)count;
}

static double find_temperature(const fitting *f, double unit)
{
    /* In units of the spread; these ends are never reached by data that says anything. Where every
     * held-out row is right, t runs to the upper end: a certain softmax. Scores that are apart by
     * less than a number can be divided by, as where ties at 0 were settled by the last bit, say
     * nothing. */
    if (!isfinite(unit) || !(unit > 1e3 / DBL_MAX))
        return 1;
    double low = log(1e-3 / unit);
    double high = log(1e3 / unit);
    for (int step = 0; step < 40; step++) {
        const double middle = (low + high) / 2;
        const double t = exp(middle);
        const double down =
            f->class_of ? slope(f->scores, f->class_of, f->n, f->k, t) : sets_slope(f, t);
        if (down < 0)
            low = middle;
        else
            high = middle;
    }
    return exp((low + high) / 2);
}

double pt_calibrate(const double *scores, const int64_t *class_of, int64_t n, int64_t k)
{
    const fitting f = {scores, class_of, NULL, n, k};
    return find_temperature(&f, spread(scores, n, k));
}

double pt_calibrate_sets(const double *scores, const pt_labels *sets)
{
    const int64_t k = pt_labels_n_classes(sets);
    const fitting f = {scores, NULL, sets, sets->n, k};
    return find_temperature(&f, mean_size(scores, sets->n * k));
}

/* ---- is it true? ----------------------------------------------------------------------------- */

void pt_reliability_add(pt_reliability *reliability, const double *scores, int64_t k,
                        double temperature, int64_t truth)
{
    const int64_t best = pt_decode_argmax(scores, k);
    const bool given = temperature == PT_SCORES_ARE_PROBABILITIES;
    double sum = 0;
    for (int64_t r = 0; r < k && !given; r++)
        sum += exp(temperature * (scores[r] - scores[best]));
    const double confidence = given ? scores[best] : 1 / sum;
    const int64_t bin = (int64_t)fmin(PT_RELIABILITY_BINS - 1, confidence * PT_RELIABILITY_BINS);
    reliability->count[bin]++;
    reliability->right[bin] += truth == best;
    reliability->confidence[bin] += confidence;
    /* a class that the model does not know has no probability: as if it were impossible */
    if (truth >= k)
        reliability->log_loss = INFINITY;
    else
        reliability->log_loss +=
            given ? -log(scores[truth]) : log(sum) - temperature * (scores[truth] - scores[best]);
}

void pt_reliability_add_member(pt_reliability *reliability, double score, double temperature,
                               bool member)
{
    const double p = 1 / (1 + exp(-temperature * score));
    const int64_t bin = (int64_t)fmin(PT_RELIABILITY_BINS - 1, p * PT_RELIABILITY_BINS);
    reliability->count[bin]++;
    reliability->right[bin] += member;
    reliability->confidence[bin] += p;
    /* log(1 + exp(-x)) without overflow; infinite where -INFINITY is a member */
    const double x = (member ? 1 : -1) * temperature * score;
    reliability->log_loss += fmax(-x, 0) + log1p(exp(-fabs(x)));
}

static int64_t reliability_count(const pt_reliability *reliability)
{
    int64_t n = 0;
    for (int b = 0; b < PT_RELIABILITY_BINS; b++)
        n += reliability->count[b];
    return n;
}

double pt_reliability_error(const pt_reliability *reliability)
{
    double error = 0;
    for (int b = 0; b < PT_RELIABILITY_BINS; b++)
        error += fabs((double)reliability->right[b] - reliability->confidence[b]);
    return error / (double)reliability_count(reliability);
}

double pt_reliability_log_loss(const pt_reliability *reliability)
{
    return reliability->log_loss / (double)reliability_count(reliability);
}
