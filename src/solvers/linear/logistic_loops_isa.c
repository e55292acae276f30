/* The loops of logistic_loops.h for one instruction set (PT_ISA). Elementwise, so that a compiler
 * makes vectors of them without reordering a sum. */
#include "solvers/linear/logistic_loops.h"

#include "solvers/linear/lane_rows.h"

/* ---- log(1 + u) -------------------------------------------------------------------------------
 *
 * For 0 <= u <= 1: log(1 + u) = 2 artanh(s), s = u / (2 + u) <= 1/3, and
 * artanh(s) = s (1 + s^2/3 + s^4/5 + ...): what is left out after TERMS is below 2^-53 of it. */
enum { TERMS = 16 };

static void log1p_all(const double *u, int64_t count, double *result)
{
    for (int64_t i = 0; i < count; i++) {
        const double s = u[i] / (2 + u[i]);
        const double t = s * s;
        double sum = 1.0 / (2 * TERMS + 1);
        for (int k = TERMS - 1; k >= 0; k--)
            sum = sum * t + 1.0 / (2 * k + 1);
        result[i] = 2 * s * sum;
    }
}

/* A width that the compiler knows. */
#define BY_WIDTH(call)             \
    if (width == PT_LANES) {       \
        enum { LANES = PT_LANES }; \
        call;                      \
    } else {                       \
        enum { LANES = 1 };        \
        call;                      \
    }

#define EACH(body)                                 \
    for (int64_t i = 0; i < rows; i++)             \
        for (int lane = 0; lane < LANES; lane++) { \
            const int64_t at = i * LANES + lane;   \
            body                                   \
        }

static void margins(int64_t rows, int width, const double *restrict y, const double *restrict z,
                    const double *restrict step, const double *restrict t, double *restrict margin,
                    double *restrict shrunk)
{
    BY_WIDTH(EACH({
        const double m = y[at] * (z[at] + step[lane] * t[at]);
        margin[at] = m;
        shrunk[at] = m < 0 ? m : -m;
    }))
}

static void soften(int64_t rows, int width, const double *restrict y, const double *restrict cost,
                   const double *restrict margin, const double *restrict e,
                   const double *restrict l, double *restrict slope, double *restrict curve,
                   double *restrict loss)
{
    BY_WIDTH(EACH({
        const double c = cost[i];
        const double m = margin[at];
        const double part = 1 / (1 + e[at]);
        const double s = m < 0 ? part : e[at] * part;
        slope[at] = -c * y[at] * s;
        curve[at] = c * y[at] * y[at] * (e[at] * part * part);
        loss[lane] += c * y[at] * y[at] * ((m < 0 ? -m : 0) + l[at]);
    }))
}

static void bend(int64_t rows, int width, const double *restrict curve, const double *restrict q,
                 double *restrict u, double *restrict product)
{
    BY_WIDTH(EACH({
        u[at] = curve[at] * q[at];
        product[lane] += u[at] * q[at];
    }))
}

static void add(int64_t rows, int width, const double *restrict factor, const double *restrict x,
                double *restrict y)
{
    BY_WIDTH(EACH({ y[at] += factor[lane] * x[at]; }))
}

static void direct(int64_t rows, int width, const double *restrict beta, const double *restrict r,
                   const double *restrict N, double *restrict p, double *restrict square)
{
    BY_WIDTH(EACH({
        p[at] = r[at] * N[at] + beta[lane] * p[at];
        square[lane] += p[at] * p[at];
    }))
}

static void follow(int64_t rows, int width, const double *restrict alpha, double ridge,
                   const double *restrict p, const double *restrict Hp, const double *restrict N,
                   double *restrict to, double *restrict r, double *restrict rr,
                   double *restrict rz)
{
    BY_WIDTH(EACH({
        to[at] += alpha[lane] * p[at];
        r[at] -= alpha[lane] * (Hp[at] + ridge * p[at]);
        rr[lane] += r[at] * r[at];
        rz[lane] += r[at] * r[at] * N[at];
    }))
}

/* The part of X^T curve X's diagonal that preconditions: all of it makes more steps than none where
 * columns are of one scale, and this little is enough where they are not. */
static const double DIAGONAL = 0.01;

static void begin(int64_t rows, int width, const double *restrict step, double ridge,
                  double *restrict w, double *restrict g, double *restrict N, double *restrict to,
                  double *restrict r, double *restrict p, double *restrict gg, double *restrict rp,
                  double *restrict ww)
{
    BY_WIDTH(EACH({
        w[at] += step[lane] * to[at];
        g[at] += ridge * w[at];
        N[at] = 1 / (ridge + DIAGONAL * N[at]);
        to[at] = 0;
        r[at] = -g[at];
        p[at] = r[at] * N[at];
        gg[lane] += g[at] * g[at];
        rp[lane] += r[at] * p[at];
        ww[lane] += w[at] * w[at];
    }))
}

static void slopes(int64_t rows, int width, const double *restrict g, const double *restrict w,
                   const double *restrict to, double *restrict gt, double *restrict wt,
                   double *restrict tt)
{
    BY_WIDTH(EACH({
        gt[lane] += g[at] * to[at];
        wt[lane] += w[at] * to[at];
        tt[lane] += to[at] * to[at];
    }))
}

static double bend_classes(int64_t blocks, int64_t stride, double c, const double *restrict p,
                           const double *restrict q, double *restrict u)
{
    double part[PT_LANES] = {0};
    double mean = 0;
    double product = 0;
    for (int64_t b = 0; b < blocks; b++)
        for (int lane = 0; lane < PT_LANES; lane++)
            part[lane] += p[b * stride + lane] * q[b * stride + lane];
    for (int lane = 0; lane < PT_LANES; lane++) {
        mean += part[lane];
        part[lane] = 0;
    }
    for (int64_t b = 0; b < blocks; b++)
        for (int lane = 0; lane < PT_LANES; lane++) {
            const int64_t at = b * stride + lane;
            u[at] = c * p[at] * (q[at] - mean);
            part[lane] += u[at] * q[at];
        }
    for (int lane = 0; lane < PT_LANES; lane++)
        product += part[lane];
    return product;
}

const pt_logistic_loops PT_ISA_OWN(pt_logistic_loops) = {
    log1p_all, margins, soften, bend, direct, follow, begin, slopes, bend_classes, add};
