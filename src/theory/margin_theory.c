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
    pt_margin_theory *t = pt_alloc_zero(1, sizeof *t, "margins", err);
    if (!t)
        return PT_ENOMEM;
    t->class_norm = pt_alloc(k, sizeof(double), "margins", err);
    t->class_bound = pt_alloc(k, sizeof(double), "margins", err);
    t->patterns = pt_alloc_zero(k, sizeof(int64_t), "margins", err);
    if (!t->class_norm || !t->class_bound || !t->patterns) {
        pt_margin_theory_free(t);
        return PT_ENOMEM;
    }
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
    *out = t;
    return PT_OK;
}
