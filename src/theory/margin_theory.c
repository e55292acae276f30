/* Norms, margins and bounds of machines with a vector for each class: see margin_theory.h. */
#include "theory/margin_theory.h"

#include <math.h>
#include <stdbool.h>

#include "base/alloc.h"

static const double DELTA = 0.05;

void pt_margin_theory_free(pt_margin_theory *theory)
{
    if (!theory)
        return;
    pt_free(theory->class_norm);
    pt_free(theory->class_bound);
    pt_free(theory->patterns);
    pt_free(theory);
}

static void free_at(pt_margin_theory **address)
{
    pt_margin_theory_free(*address);
}

/* (130 R^2 / m) (weight log(4 e m) log(4 m) + log(2 (2m)^K / delta)), weight for D, K nodes */
static double ddag_bound(const pt_margin_theory *t, double weight, double nodes)
{
    const double m = (double)t->m;
    return 130 * t->radius * t->radius / m *
           (weight * (log(4 * m) + 1) * log(4 * m) + log(2 / DELTA) + nodes * log(2 * m));
}

static void find_margins(pt_margin_theory *t, const double *product, const double *least)
{
    const int64_t k = t->k;
    t->least_margin = INFINITY;
    t->least_gamma = INFINITY;
    t->gamma_sum = 0;
    for (int64_t r = 0; r < k; r++)
        for (int64_t s = r + 1; s < k; s++) {
            const double mu = fmin(least[r * k + s], least[s * k + r]);
            if (isinf(mu))
                continue; /* no examples */
            const double square =
                product[r * k + r] + product[s * k + s] - product[r * k + s] - product[s * k + r];
            const double gamma = square > 0 ? mu / sqrt(square) : 0;
            t->least_margin = fmin(t->least_margin, mu);
            t->gamma_sum += 1 / (gamma * gamma);
            if (gamma < t->least_gamma) {
                t->least_gamma = gamma;
                t->closest[0] = r;
                t->closest[1] = s;
            }
        }
}

/* Where an example is not right, nothing follows. */
static void find_bounds(pt_margin_theory *t)
{
    const double k = (double)t->k;
    const double scale = 1 / (t->least_margin * t->least_margin);
    const double square = t->norm * t->norm;
    const bool right = t->least_margin > 0 && isfinite(t->least_margin);
    t->gamma_sum = right ? t->gamma_sum : NAN;
    t->bound = right ? ddag_bound(t, k * square * scale, k * (k - 1) / 2) : NAN;
    for (int64_t r = 0; r < t->k; r++) {
        const double own = t->class_norm[r] * t->class_norm[r];
        t->class_bound[r] = right ? ddag_bound(t, (k * own + square) * scale, k - 1) : NAN;
    }
}

pt_status pt_margin_theory_new(pt_margin_theory **out, int64_t k, int64_t m, const double *product,
                               const double *least, double radius, pt_error *err)
{
    PT_FREED_BY(free_at) pt_margin_theory *t = NULL;
    PT_TRY(PT_NEW_ZERO(t, 1, "margins", err));
    PT_TRY(PT_NEW(t->class_norm, k, "margins", err));
    PT_TRY(PT_NEW(t->class_bound, k, "margins", err));
    PT_TRY(PT_NEW_ZERO(t->patterns, k, "margins", err));
    t->k = k;
    t->m = m;
    t->radius = radius;
    double square = 0;
    for (int64_t r = 0; r < k; r++) {
        t->class_norm[r] = sqrt(fmax(product[r * k + r], 0));
        square += t->class_norm[r] * t->class_norm[r];
    }
    t->norm = sqrt(square);
    find_margins(t, product, least);
    find_bounds(t);
    *out = pt_keep(&t);
    return PT_OK;
}

/* ---- functions over pairs (HRZ section 4) ---------------------------------------------------- */

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
