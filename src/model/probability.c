/* Probabilities from scores s: with the temperature t and the mixing e of a calibration,
 *
 *     p_r = (1 - e) exp(t s_r) / sum_q exp(t s_q) + e / k ,
 *
 * a function of the scores that keeps their order, so that the prediction is the class of largest
 * probability. Where scores are probabilities already (pairwise coupling), s_r is their logarithm:
 * with t = 1 and e = 0 they are left as they are.
 *
 * The temperature says how much a difference of scores is worth; the mixing, how often rows are
 * wrong for reasons that their scores do not know. Whatever they are, no probability is 0 or 1:
 * n rows that are all right leave room for one that is not, with the probability 1/(n + 2)
 * (Laplace's rule of succession), so that e is never below it.
 *
 * Of sets each class is in it by itself, with p = (1 - e) / (1 + exp(-t s)) + e / 2. */
#include "model/probability.h"

#include <math.h>

#include "decoders/decoder.h"
#include "decoders/label_judge.h"

double pt_least_mixing(double n)
{
    return 1 / (n + 2);
}

pt_calibration pt_uncalibrated(double n, bool given)
{
    return (pt_calibration){1, pt_least_mixing(n), given};
}

/* Shifted by the largest score, whose class has exp(0) = 1: the first largest probability is the
 * first largest score, underflow or not. */
static void softmax(const pt_calibration *c, const double *s, int64_t k, double top, double *p)
{
    double sum = 0;
    for (int64_t r = 0; r < k; r++) {
        const double e = exp(c->temperature * (c->given ? log(s[r] / top) : s[r] - top));
        /* a score below the largest must not round up to a tie with it */
        p[r] = s[r] < top && e >= 1 ? nextafter(1, 0) : e;
        sum += p[r];
    }
    for (int64_t r = 0; r < k; r++)
        p[r] /= sum;
}

void pt_class_probabilities(const pt_calibration *calibration, const double *scores, int64_t k,
                            double *p)
{
    const pt_calibration *c = calibration;
    const int64_t best = pt_decode_argmax(scores, k);
    if (c->given && c->temperature == 1)
        for (int64_t r = 0; r < k; r++)
            p[r] = scores[r];
    else
        softmax(c, scores, k, scores[best], p);
    for (int64_t r = 0; r < k && c->mixing > 0; r++)
        p[r] = (1 - c->mixing) * p[r] + c->mixing / (double)k;
    /* nor may the divisions make a tie */
    for (int64_t r = 0; r < best; r++)
        if (p[r] >= p[best])
            p[r] = nextafter(p[best], 0);
}

double pt_member_probability(const pt_calibration *calibration, double score)
{
    const double q = 1 / (1 + exp(-calibration->temperature * score));
    const double p = (1 - calibration->mixing) * q + calibration->mixing / 2;
    return pt_score_in_set(score) ? fmax(p, nextafter(0.5, 1)) : fmin(p, 0.5);
}
