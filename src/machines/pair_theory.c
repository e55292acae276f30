/* Bounds over pairs: see pair_theory.h. */
#include "machines/pair_theory.h"

#include <math.h>

static const double DELTA = 0.05;

/* Theorem 4.1, for functions of d features. */
static double vc_bound(const pt_pair_theory *t)
{
    const double m = (double)t->m;
    const double k = (double)t->k;
    if (!isfinite(t->d) || t->m == 0)
        return NAN;
    const double functions = k * t->d * (log(2 * m * k / t->d) + 1);
    return (double)t->wrong / m + sqrt(4 * (functions - log(DELTA / 4)) / m) + 1 / m;
}

/* Theorem 4.4 */
static double margin_bound(const pt_pair_theory *t)
{
    const double m = (double)t->m;
    const double g = t->margin;
    const double ratio = 256 * t->radius * t->radius / (g * g);
    if (!(g > 0) || !(ratio < m))
        return NAN;
    return 2 * (double)t->most_pairs / m *
           (ratio * (log(m * g / (32 * t->radius * t->radius)) + 1) * log(32 * m / (g * g)) +
            log(4 / DELTA));
}

void pt_pair_theory_complete(pt_pair_theory *t, double least)
{
    t->margin = t->norm > 0 && isfinite(least) ? least / t->norm : NAN;
    t->vc_bound = vc_bound(t);
    t->margin_bound = margin_bound(t);
    t->mistake_bound = t->margin > 0 ? 2 * (t->radius / t->margin) * (t->radius / t->margin) : NAN;
}
