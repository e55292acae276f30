/* Probabilities from scores s of k classes, of which c is the first largest:
 *
 *     b_r = min(1, ((n_r + 1) / (n_c + 1))^a)
 *     q_r = b_r exp(-t (s_c - s_r)^h)
 *     p_r = (1 - e - f) q_r / sum q + e b_r / sum b + f / k
 *
 * with t = t_c and e = e_c, if these differ with the class that is predicted: one class against
 * all others may be learned far better than another, and a class of a few rows is often predicted
 * too surely.
 *
 *   t   temperature: what a difference of scores is worth
 *   h   power: with 1 q is the softmax of t s; votes and sums of many trees say less, or more, by
 *       twice the difference than twice as much
 *   a   frequency: how much classes that had fewer rows than c, n_r < n_c, are held back
 *   e   mixing: how often rows are wrong for reasons that their scores do not know
 *   f   floor
 *
 * No class has more than c, whatever these are: the prediction is the class of largest probability.
 * Where scores are probabilities already (pairwise coupling), s_r is their logarithm: with t = h =
 * 1 and a = e = f = 0 they are left as they are.
 *
 * No probability is 0 or 1: n rows that are all right leave room for one that is not, with the
 * probability 1/(n + 2) (Laplace's rule of succession), and that is f.
 *
 * Of sets each class is in it by itself, with p = (1 - f) / (1 + exp(-t s)) + f / 2. */
#include "validate/probability/probability.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "decoders/decoder.h"
#include "metrics/label_judge.h"

double pt_least_floor(double n)
{
    return 1 / (n + 2);
}

pt_calibration pt_uncalibrated(double n, bool given)
{
    return (pt_calibration){1, 1, 0, 0, pt_least_floor(n), given, NULL};
}

pt_status pt_calibration_copy(pt_calibration *out, const pt_calibration *calibration, int64_t k,
                              pt_error *err)
{
    pt_said *said = NULL;
    if (calibration->said) {
        said = pt_alloc(k, sizeof *said, "a calibration", err);
        if (!said)
            return PT_ENOMEM;
        memcpy(said, calibration->said, (size_t)k * sizeof *said);
    }
    *out = *calibration;
    out->said = said;
    return PT_OK;
}

void pt_calibration_free(pt_calibration *calibration)
{
    pt_free(calibration->said);
    calibration->said = NULL;
}

/* b of class r, `best` being the first. */
static double base_of(const pt_calibration *c, const double *class_rows, int64_t r, int64_t best)
{
    return c->frequency > 0
               ? pow(fmin((class_rows[r] + 1) / (class_rows[best] + 1), 1), c->frequency)
               : 1;
}

/* p <- q / sum q. Shifted by the largest score, whose class has exp(0) = 1: the first largest
 * probability is the first largest score, underflow or not. */
static void scale_scores(const pt_calibration *c, const double *class_rows, const double *s,
                         int64_t k, int64_t best, double *p)
{
    const double top = s[best];
    const double t = c->temperature * (c->said ? c->said[best].worth : 1);
    double sum = 0;
    for (int64_t r = 0; r < k; r++) {
        const double gap = c->given ? log(top / s[r]) : top - s[r];
        const double worth = c->power == 1 ? gap : pow(gap, c->power);
        const double q = base_of(c, class_rows, r, best) * exp(-(t * worth));
        /* a score below the largest must not round up to a tie with it */
        p[r] = s[r] < top && q >= 1 ? nextafter(1, 0) : q;
        sum += p[r];
    }
    for (int64_t r = 0; r < k; r++)
        p[r] /= sum;
}

void pt_class_probabilities(const pt_calibration *calibration, const double *class_rows,
                            const double *scores, int64_t k, double *p)
{
    const pt_calibration *c = calibration;
    const int64_t best = pt_first_largest(scores, k);
    const double mixing = c->said ? c->said[best].mixing : c->mixing;
    if (c->given && c->temperature == 1 && c->power == 1 && c->frequency == 0 && !c->said)
        for (int64_t r = 0; r < k; r++)
            p[r] = scores[r];
    else
        scale_scores(c, class_rows, scores, k, best, p);
    const double rest = fmax(1 - mixing - c->floor, 0); /* of rounding errors, no sign */
    double sum = 0;
    for (int64_t r = 0; r < k && rest < 1; r++)
        sum += base_of(c, class_rows, r, best);
    for (int64_t r = 0; r < k && rest < 1; r++)
        p[r] = rest * p[r] + mixing * base_of(c, class_rows, r, best) / sum + c->floor / (double)k;
    /* nor may the divisions make a tie, or another order */
    for (int64_t r = 0; r < k; r++)
        if (r < best ? p[r] >= p[best] : p[r] > p[best])
            p[r] = r < best ? nextafter(p[best], 0) : p[best];
}

double pt_member_probability(const pt_calibration *calibration, double score)
{
    const double q = 1 / (1 + exp(-calibration->temperature * score));
    const double p = (1 - calibration->floor) * q + calibration->floor / 2;
    return pt_score_in_set(score) ? fmax(p, nextafter(0.5, 1)) : fmin(p, 0.5);
}
