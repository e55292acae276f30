/* The loops of box_loops.h for one instruction set (PT_ISA). Elementwise, so that a compiler makes
 * vectors of them; sums keep LANES partial sums that are added in a fixed order. */
#include "solvers/dual/box_loops.h"

#include <math.h>

enum {
    LANES = 8,
    ROWS = 8,    /* rows that are added together: G is read and written once for all of them */
    PIECE = 1024 /* entries of G that stay in the first-level cache meanwhile */
};

#define T float
#define NAME(f) f##_f32
#include "solvers/dual/box_update_body.h"
#undef T
#undef NAME

#define T double
#define NAME(f) f##_f64
#include "solvers/dual/box_update_body.h"

/* Where b would go, less where it is. */
static inline double best_move(double b, double G, double u, double step)
{
    double to = b - G * step;
    to = to > 0 ? to : 0;
    to = to < u ? to : u;
    return to - b;
}

static void gains(const pt_box_vars *v, double *restrict gain)
{
    const double *restrict b = v->b;
    const double *restrict G = v->G;
    const double *restrict u = v->u;
    const double *restrict curve = v->curve;
    const double *restrict step = v->step;
    for (int64_t i = 0; i < v->n; i++) {
        const double d = best_move(b[i], G[i], u[i], step[i]);
        gain[i] = -d * (G[i] + 0.5 * curve[i] * d);
    }
}

typedef struct lanes {
    double gap[LANES];
    double slope[LANES];
    double linear[LANES];
    double margin[LANES];
} lanes;

static inline void add_lane(lanes *sum, int lane, double b, double G, double u, double p)
{
    const double up = G > 0 ? G : 0;
    const double h = p > 0 ? G / p + 1 : -1;
    const double margin = u > 0 ? h : INFINITY;
    sum->gap[lane] += b * up + (u - b) * (up - G);
    sum->slope[lane] += b * G;
    sum->linear[lane] += b * p;
    sum->margin[lane] = margin < sum->margin[lane] ? margin : sum->margin[lane];
}

static void sums(const pt_box_vars *v, const double *p, pt_box_sums *out)
{
    lanes sum = {.margin = {0}};
    for (int lane = 0; lane < LANES; lane++)
        sum.margin[lane] = INFINITY;
    int64_t i = 0;
    for (; i + LANES <= v->n; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            add_lane(&sum, lane, v->b[i + lane], v->G[i + lane], v->u[i + lane],
                     p ? p[i + lane] : 1);
    for (int lane = 0; i < v->n; i++, lane++)
        add_lane(&sum, lane, v->b[i], v->G[i], v->u[i], p ? p[i] : 1);
    *out = (pt_box_sums){0, 0, 0, INFINITY};
    for (int lane = 0; lane < LANES; lane++) {
        out->gap += sum.gap[lane];
        out->slope += sum.slope[lane];
        out->linear += sum.linear[lane];
        out->margin = sum.margin[lane] < out->margin ? sum.margin[lane] : out->margin;
    }
}

static double sweep(const pt_box_vars *v, const double *H, int64_t ld)
{
    double fall = 0;
    double *restrict G = v->G;
    for (int64_t i = 0; i < v->n; i++) {
        const double d = best_move(v->b[i], G[i], v->u[i], v->step[i]);
        if (d == 0)
            continue;
        fall -= d * (G[i] + 0.5 * v->curve[i] * d);
        v->b[i] += d;
        const double *restrict row = H + i * ld;
        for (int64_t j = 0; j < ld; j++) /* to ld, a multiple of LANES: G has as many */
            G[j] += d * row[j];
    }
    return fall;
}

const pt_box_loops PT_ISA_OWN(pt_box_loops) = {update_f32, update_f64, gains, sums, sweep};
