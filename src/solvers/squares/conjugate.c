/* Preconditioned conjugate gradients (Hestenes and Stiefel) for several right-hand sides of one
 * positive definite system H X = B, given products with H and a solver M^-1 of a system near it.
 *
 *     z = M^-1 r,   p = z + (r.z / r'.z') p,   a = r.z / p.H p,   x <- x + a p,   r <- r - a H p
 *
 * Columns are systems of their own that share the products; one that has reached the goal stays as
 * it is. Where M^-1 H has its eigenvalues in [1 - e, 1 + e], a step divides the residual by about
 * 2 / e, and where some are far away, each of them costs a step: M may be quite wrong in a few
 * directions, which iterative refinement does not forgive.
 *
 *   X, R, P, Z   n x ell   solution, residual, direction, M^-1 R and then H P
 *   rho          ell       r.z of the step before; 0: the column is done
 *
 * A step costs one product and one solve; memory 2 n ell. */
#include "solvers/squares/conjugate.h"

#include <math.h>

#include "base/alloc.h"

double pt_conjugate_bytes(int64_t n, int64_t ell)
{
    return 2.0 * (double)n * (double)ell * sizeof(double);
}

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double worst_residual(const pt_conjugate_system *s, const double *R)
{
    double worst = 0;
    for (int64_t c = 0; c < s->ell; c++) {
        const double relative = sqrt(dot(s->n, R + c * s->n, R + c * s->n)) / s->norm[c];
        if (!(relative <= worst)) /* a NaN wins */
            worst = relative;
    }
    return worst;
}

/* p <- z + (r.z / rho) p, and rho <- r.z, for every column that is not done. */
static void turn(const pt_conjugate_system *s, const double *R, const double *Z, double *P,
                 double *rho, bool first)
{
    const int64_t n = s->n;
    for (int64_t c = 0; c < s->ell; c++) {
        const double *r = R + c * n;
        const double *z = Z + c * n;
        double *p = P + c * n;
        const bool done = sqrt(dot(n, r, r)) <= s->goal * s->norm[c];
        const double now = done ? 0 : dot(n, r, z);
        const double share = first || rho[c] == 0 ? 0 : now / rho[c];
        for (int64_t i = 0; i < n; i++)
            p[i] = done ? 0 : z[i] + share * p[i];
        rho[c] = now;
    }
}

/* x <- x + a p, r <- r - a H p. */
static void advance(const pt_conjugate_system *s, const double *P, const double *HP,
                    const double *rho, double *X, double *R)
{
    const int64_t n = s->n;
    for (int64_t c = 0; c < s->ell; c++) {
        const double curvature = dot(n, P + c * n, HP + c * n);
        const double a = curvature > 0 ? rho[c] / curvature : 0;
        for (int64_t i = c * n; i < (c + 1) * n; i++) {
            X[i] += a * P[i];
            R[i] -= a * HP[i];
        }
    }
}

pt_status pt_conjugate_solve(const pt_conjugate_system *s, double *X, double *R, double *worst,
                             const pt_task *task, pt_error *err)
{
    const size_t column = (size_t)s->n * sizeof(double);
    PT_SCRATCH double *P = pt_alloc_zero(s->ell, column, "directions", err);
    PT_SCRATCH double *Z = pt_alloc(s->ell, column, "corrections", err);
    PT_SCRATCH double *rho = pt_alloc_zero(s->ell, sizeof(double), "products", err);
    if (!P || !Z || !rho)
        return PT_ENOMEM;
    *worst = worst_residual(s, R);
    for (int64_t step = 0; step<s->most && * worst> s->goal; step++) {
        PT_TRY(s->precondition(s->user, R, Z, task, err));
        turn(s, R, Z, P, rho, step == 0);
        PT_TRY(s->multiply(s->user, P, Z, task, err));
        advance(s, P, Z, rho, X, R);
        *worst = worst_residual(s, R);
        pt_task_say(task, PT_DEBUG, PT_KIND_PROGRESS,
                    "conjugate gradients, step %lld: relative residual %.2e", (long long)step + 1,
                    *worst);
    }
    return PT_OK;
}
