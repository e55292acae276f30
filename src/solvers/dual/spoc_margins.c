/* SPOC: margins between classes, from the gradient of all examples. */
#include <math.h>
#include <string.h>

#include "solvers/dual/spoc_solver.h"

enum { CHUNK = PT_SPOC_CHUNK };

void pt_spoc_note_margins(const pt_spoc *p, const pt_sparse_rows *eta, const double *exact,
                          const double *diagonal, double *tau)
{
    const int64_t k = p->k;
    double *least = p->margins->least;
    double *product = p->margins->product;
    double radius = 0;
    memset(product, 0, (size_t)(k * k) * sizeof *product);
    for (int64_t c = 0; c < k * k; c++)
        least[c] = INFINITY;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t y = p->class_of[i];
        const double *g = exact + (i / CHUNK) * k * CHUNK + i % CHUNK;
        const double own = g[y * CHUNK];
        radius = fmax(radius, sqrt(diagonal[i]));
        for (int64_t r = 0; r < k; r++) {
            const double f = g[r * CHUNK] - pt_spoc_cost(p, i, r);
            least[y * k + r] = fmin(least[y * k + r], own - f);
        }
        if (!pt_spoc_is_support(eta, i, y))
            continue;
        pt_spoc_tau(p, eta, i, tau); /* M_r . M_s = sum_i tau_ir f_is */
        for (int64_t r = 0; r < k; r++)
            for (int64_t s = 0; s < k && tau[r] != 0; s++)
                product[r * k + s] += tau[r] * (g[s * CHUNK] - pt_spoc_cost(p, i, s));
    }
    p->margins->radius = radius;
}
