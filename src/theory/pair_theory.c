/* Bounds over pairs: see pair_theory.h. */
#include "theory/pair_theory.h"

#include <math.h>

static const double DELTA = 0.05;

/* Theorem 4.1, for functions of d features. Its count of functions grows with d up to d = 2 m k;
 * what it says beyond that is less, and no bound (Sauer's lemma asks for as many points as
 * features). */
static double vc_bound(const pt_pair_theory *t)
{
    const double m = (double)t->m;
    const double k = (double)t->k;
    if (!(t->d <= 2 * m * k))
        return NAN;
    const double functions = k * t->d * (log(2 * m * k / t->d) + 1);
    return (double)t->wrong / m + sqrt(4 * (functions - log(DELTA / 4)) / m) + 1 / m;
}

/* Theorem 4.4, for the examples divided by R: both logarithms are then above 0, as g <= sqrt(2). */
static double margin_bound(const pt_pair_theory *t)
{
    const double m = (double)t->m;
    const double g = t->margin / t->radius;
    const double ratio = 256 / (g * g);
    if (!(g > 0) || !(ratio < m))
        return NAN;
    return 2 * (double)t->most_pairs / m *
           (ratio * (log(m * g / 32) + 1) * log(32 * m / (g * g)) + log(4 / DELTA));
}

void pt_pair_theory_complete(pt_pair_theory *t, double least)
{
    t->margin = t->norm > 0 && isfinite(least) ? least / t->norm : NAN;
    t->vc_bound = vc_bound(t);
    t->margin_bound = margin_bound(t);
    t->mistake_bound = t->margin > 0 ? 2 * (t->radius / t->margin) * (t->radius / t->margin) : NAN;
}
