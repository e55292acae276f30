/* Probabilities: the softmax of scores times one temperature, so that their argmax is always the
 * prediction.
 *
 *     minimise over t > 0   -sum_i log( exp(t s_{i,y_i}) / sum_r exp(t s_ir) ) ,
 *
 * a convex function of t. The minimum is found by bisection on its derivative, which is monotone:
 *
 *     sum_i ( sum_r p_ir s_ir - s_{i,y_i} ) .
 *
 * The scores are held out (leave-one-out, in closed form), so that t is not fitted to training
 * scores. */
#include <float.h>
#include <math.h>

#include "model/model.h"

/* The derivative at log-temperature u; scores are shifted by their largest for safety. */
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

double pt_calibrate(const double *scores, const int64_t *class_of, int64_t n, int64_t k)
{
    /* Scores of a least-squares machine are of order 1; these ends are never reached by data that
     * says anything. Where every held-out row is right, t runs to the upper end: a certain softmax.
     */
    double low = log(1e-3);
    double high = log(1e3);
    for (int step = 0; step < 40; step++) {
        const double middle = (low + high) / 2;
        if (slope(scores, class_of, n, k, exp(middle)) < 0)
            low = middle;
        else
            high = middle;
    }
    return exp((low + high) / 2);
}
