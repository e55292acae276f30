/* The loops of spoc_loops.h for one instruction set (PT_ISA). Elementwise, so that a compiler makes
 * vectors of them; sums and maxima keep LANES partial ones that are joined in a fixed order.
 *
 * The reduced problem is solved by repeated averaging: from a set S that contains the support,
 * theta = (sum_S D - C) / |S|, and those of S that are not above theta leave it, until none does.
 * Every theta is a lower bound, so none leaves that ought to stay, and the end is exact. As masks
 * over all classes that is faster than sorting, or than the selection of simplex_row.c. That of
 * WW goes by fixing, as box_row.c tells. */
#include "solvers/spoc_loops.h"

#include <math.h>
#include <stdbool.h>

enum {
    LANES = 8,
    ROWS = 4,
    FEW = 32 /* one class of so many changed: they are taken one by one */
};

/* ---- the whole gradient ------------------------------------------------------------------------
 */

/* ROWS rows at once, so that G is read and written once for them; the rest one by one. */
#define DEFINE_UPDATE(T, S, name)                                                          \
    static void add_four_##name(const void *const *row, const double *coef, int64_t width, \
                                S *restrict G)                                             \
    {                                                                                      \
        const T *restrict r0 = row[0];                                                     \
        const T *restrict r1 = row[1];                                                     \
        const T *restrict r2 = row[2];                                                     \
        const T *restrict r3 = row[3];                                                     \
        const S c0 = (S)coef[0];                                                           \
        const S c1 = (S)coef[1];                                                           \
        const S c2 = (S)coef[2];                                                           \
        const S c3 = (S)coef[3];                                                           \
        for (int64_t i = 0; i < width; i++)                                                \
            G[i] += (c0 * (S)r0[i] + c1 * (S)r1[i]) + (c2 * (S)r2[i] + c3 * (S)r3[i]);     \
    }                                                                                      \
    static void add_one_##name(const T *restrict row, S c, int64_t width, S *restrict G)   \
    {                                                                                      \
        for (int64_t i = 0; i < width; i++)                                                \
            G[i] += c * (S)row[i];                                                         \
    }                                                                                      \
    static void update_##name(const void *const *row, const double *coef, int64_t count,   \
                              int64_t width, void *G)                                      \
    {                                                                                      \
        int64_t c = 0;                                                                     \
        for (; c + ROWS <= count; c += ROWS)                                               \
            add_four_##name(row + c, coef + c, width, G);                                  \
        for (; c < count; c++)                                                             \
            add_one_##name(row[c], (S)coef[c], width, G);                                  \
    }

DEFINE_UPDATE(float, float, f32_f32)
DEFINE_UPDATE(float, double, f32_f64)
DEFINE_UPDATE(double, double, f64_f64)

#define DEFINE_MAX(S, suffix)                                                     \
    static void max_##suffix(const S *restrict G, int64_t k, S *restrict largest) \
    {                                                                             \
        for (int64_t i = 0; i < PT_SPOC_CHUNK; i++)                               \
            largest[i] = G[i];                                                    \
        for (int64_t r = 1; r < k; r++) {                                         \
            const S *restrict row = G + r * PT_SPOC_CHUNK;                        \
            for (int64_t i = 0; i < PT_SPOC_CHUNK; i++)                           \
                largest[i] = row[i] > largest[i] ? row[i] : largest[i];           \
        }                                                                         \
    }

DEFINE_MAX(float, f32)
DEFINE_MAX(double, f64)

#define DEFINE_EXCESS(S, suffix)                                                       \
    static void excess_##suffix(const S *restrict G, int64_t k, const S *restrict own, \
                                S *restrict largest, S *restrict sum)                  \
    {                                                                                  \
        for (int64_t i = 0; i < PT_SPOC_CHUNK; i++) {                                  \
            largest[i] = own[i];                                                       \
            sum[i] = 0;                                                                \
        }                                                                              \
        for (int64_t r = 0; r < k; r++) {                                              \
            const S *restrict row = G + r * PT_SPOC_CHUNK;                             \
            for (int64_t i = 0; i < PT_SPOC_CHUNK; i++) {                              \
                largest[i] = row[i] > largest[i] ? row[i] : largest[i];                \
                sum[i] += row[i] > own[i] ? row[i] - own[i] : 0;                       \
            }                                                                          \
        }                                                                              \
    }

DEFINE_EXCESS(float, f32)
DEFINE_EXCESS(double, f64)

#define DEFINE_LEAP(S, suffix)                                                             \
    static void leap_##suffix(S *restrict G, S *restrict past, double step, int64_t count) \
    {                                                                                      \
        for (int64_t c = 0; c < count; c++) {                                              \
            const S now = G[c];                                                            \
            G[c] = now + (S)step * (now - past[c]);                                        \
            past[c] = now;                                                                 \
        }                                                                                  \
    }

DEFINE_LEAP(float, f32)
DEFINE_LEAP(double, f64)

/* ---- the reduced problem -----------------------------------------------------------------------
 */

static inline double sum_lanes(const double *x)
{
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double largest_of(const double *restrict x, int64_t ld)
{
    double lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = x[l];
    for (int64_t r = LANES; r < ld; r += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] = x[r + l] > lane[l] ? x[r + l] : lane[l];
    return larger(larger(larger(lane[0], lane[1]), larger(lane[2], lane[3])),
                  larger(larger(lane[4], lane[5]), larger(lane[6], lane[7])));
}

/* count, sum <- of the E above a threshold. */
static inline void sum_above(const double *restrict E, int64_t ld, double threshold, double *count,
                             double *sum)
{
    double lane_count[LANES] = {0};
    double lane_sum[LANES] = {0};
    for (int64_t r = 0; r < ld; r += LANES)
        for (int l = 0; l < LANES; l++) {
            const bool above = E[r + l] > threshold;
            lane_count[l] += above ? 1.0 : 0.0;
            lane_sum[l] += above ? E[r + l] : 0.0;
        }
    *count = sum_lanes(lane_count);
    *sum = sum_lanes(lane_sum);
}

/* E <- D less its largest, for D = eta + (g - max g) step. */
static void shifted_D(const pt_spoc_block *b, int64_t p, double *restrict E)
{
    const double *restrict g = b->g + p * b->ld;
    const double *restrict eta = b->eta + p * b->ld;
    const double largest = largest_of(g, b->ld);
    const double step = b->step[p];
    for (int64_t r = 0; r < b->ld; r++)
        E[r] = eta[r] + (g[r] - largest) * step;
    const double top = largest_of(E, b->ld);
    for (int64_t r = 0; r < b->ld; r++)
        E[r] -= top;
}

/* The threshold for E, whose largest is 0. Those above -total can be in the support. */
static double threshold_of(const double *E, int64_t ld, double total, double *count)
{
    double sum = 0;
    double theta = -total;
    double before = 0;
    sum_above(E, ld, theta, count, &sum);
    do {
        before = *count;
        theta = (sum - total) / before;
        sum_above(E, ld, theta, count, &sum);
    } while (*count<before && * count> 0);
    return theta;
}

/* The first of the largest g takes all: where K_pp = 0 nothing but g counts. */
static void all_to_largest(const pt_spoc_block *b, int64_t p, double *next)
{
    const double *g = b->g + p * b->ld;
    int64_t first = 0;
    for (int64_t r = 0; r < b->ld; r++) {
        first = g[r] > g[first] ? r : first;
        next[r] = 0;
    }
    next[first] = b->total[p];
}

static void best_eta(const pt_spoc_block *b, int64_t p, double *restrict next)
{
    double count = 0;
    if (b->step[p] == 0) {
        all_to_largest(b, p, next);
        return;
    }
    shifted_D(b, p, next);
    const double total = b->total[p];
    const double theta = threshold_of(next, b->ld, total, &count);
    if (count == 1) { /* rounding must not leave a rest */
        for (int64_t r = 0; r < b->ld; r++)
            next[r] = next[r] > theta ? total : 0;
        return;
    }
    for (int64_t r = 0; r < b->ld; r++)
        next[r] = next[r] > theta ? next[r] - theta : 0;
}

/* change <- that of tau, and eta <- next; returns what the objective rises by. */
static double move(const pt_spoc_block *b, int64_t p, const double *restrict next,
                   double *restrict change)
{
    const double *restrict g = b->g + p * b->ld;
    double *restrict eta = b->eta + p * b->ld;
    double slope[LANES] = {0};
    double square[LANES] = {0};
    for (int64_t r = 0; r < b->ld; r += LANES)
        for (int l = 0; l < LANES; l++) {
            const double d = eta[r + l] - next[r + l];
            change[r + l] = d;
            eta[r + l] = next[r + l];
            slope[l] += d != 0 ? d * g[r + l] : 0; /* g is -1e300 beyond k */
            square[l] += d * d;
        }
    return -(sum_lanes(slope) + 0.5 * b->curve[p] * sum_lanes(square));
}

static int64_t count_changed(const double *restrict x, int64_t ld)
{
    double lane[LANES] = {0};
    for (int64_t r = 0; r < ld; r += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += x[r + l] != 0 ? 1.0 : 0.0;
    return (int64_t)sum_lanes(lane);
}

/* g_q += K_pq change for every q of the block. */
static void spread(const pt_spoc_block *b, int64_t p, const double *restrict change)
{
    for (int64_t q = 0; q < b->count; q++) {
        const double c = b->K[p * PT_SPOC_BLOCK + q];
        double *restrict g = b->g + q * b->ld;
        for (int64_t r = 0; r < b->ld; r++)
            g[r] += c * change[r];
    }
}

/* The same for the few classes of many that changed. */
static void spread_few(const pt_spoc_block *b, int64_t p, const double *change)
{
    for (int64_t r = 0; r < b->k; r++) {
        if (change[r] == 0)
            continue;
        for (int64_t q = 0; q < b->count; q++)
            b->g[q * b->ld + r] += b->K[p * PT_SPOC_BLOCK + q] * change[r];
    }
}

/* ---- that of Weston and Watkins ----------------------------------------------------------------
 */

static const double NOTHING = -1e300; /* D of what stays at 0 */

/* Every step of box_row.c, as masks. What is free between lo and hi: */
static inline double shift_of_free(const double *restrict D, int64_t ld, double bound, double lo,
                                   double hi)
{
    double count[LANES] = {0};
    double sum[LANES] = {0};
    for (int64_t r = 0; r < ld; r += LANES)
        for (int l = 0; l < LANES; l++) {
            const bool above = D[r + l] > lo;
            const bool full = D[r + l] - bound >= hi;
            count[l] += above && !full ? 1.0 : 0.0;
            sum[l] += full ? bound : above ? D[r + l] : 0.0;
        }
    return sum_lanes(sum) / (1 + sum_lanes(count));
}

/* By how much what is free rises above its bound less that by which it falls below 0 at s. */
static inline double lean_of_free(const double *restrict D, int64_t ld, double bound, double lo,
                                  double hi, double s)
{
    double below[LANES] = {0};
    double above[LANES] = {0};
    for (int64_t r = 0; r < ld; r += LANES)
        for (int l = 0; l < LANES; l++) {
            const bool is_free = D[r + l] > lo && D[r + l] - bound < hi;
            const double e = D[r + l] - s;
            below[l] += is_free && e < 0 ? -e : 0.0;
            above[l] += is_free && e > bound ? e - bound : 0.0;
        }
    return sum_lanes(above) - sum_lanes(below);
}

static double shift_of(const double *D, int64_t ld, int64_t k, double bound)
{
    double lo = 0;
    double hi = bound * (double)k;
    for (;;) {
        const double s = shift_of_free(D, ld, bound, lo, hi);
        const double lean = lean_of_free(D, ld, bound, lo, hi, s);
        if (lean == 0)
            return s;
        if (lean < 0)
            lo = s;
        else
            hi = s;
    }
}

/* next <- D = eta + sum of eta + (g - g_y) step; where K_pp = 0 nothing but g counts. */
static void unclipped(const pt_spoc_block *b, int64_t p, double *restrict next)
{
    const double *restrict g = b->g + p * b->ld;
    const double *restrict eta = b->eta + p * b->ld;
    const int64_t y = b->own[p];
    const double g_y = g[y];
    const double eta_y = eta[y];
    const double step = b->step[p];
    if (step == 0)
        for (int64_t r = 0; r < b->ld; r++)
            next[r] = g[r] > g_y ? 2 * b->total[p] * (double)b->k : 0;
    else
        for (int64_t r = 0; r < b->ld; r++)
            next[r] = (eta[r] - eta_y) + (g[r] - g_y) * step;
    next[y] = NOTHING;
}

static void best_boxes(const pt_spoc_block *b, int64_t p, double *restrict next)
{
    const double bound = b->total[p];
    double sum[LANES] = {0};
    unclipped(b, p, next);
    const double s = shift_of(next, b->ld, b->k, bound);
    for (int64_t r = 0; r < b->ld; r += LANES)
        for (int l = 0; l < LANES; l++) {
            const double e = next[r + l] - s;
            next[r + l] = e > 0 ? e < bound ? e : bound : 0;
            sum[l] += next[r + l];
        }
    next[b->own[p]] = -sum_lanes(sum);
}

/* ---- a block -----------------------------------------------------------------------------------
 */

typedef void (*best_fn)(const pt_spoc_block *b, int64_t p, double *restrict next);

static inline double sweep_by(const pt_spoc_block *b, best_fn best)
{
    double *restrict next = b->work;
    double *restrict change = b->work + b->ld;
    double rise = 0;
    for (int64_t p = 0; p < b->count; p++) {
        best(b, p, next);
        rise += move(b, p, next, change);
        const int64_t changed = count_changed(change, b->ld);
        if (changed * FEW >= b->ld)
            spread(b, p, change);
        else if (changed > 0)
            spread_few(b, p, change);
    }
    return rise;
}

static double sweep(const pt_spoc_block *b)
{
    return sweep_by(b, best_eta);
}

static double sweep_boxes(const pt_spoc_block *b)
{
    return sweep_by(b, best_boxes);
}

#define NAME_OF(isa) pt_spoc_loops_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_spoc_loops NAME(PT_ISA);
const pt_spoc_loops NAME(PT_ISA) = {update_f32_f32, update_f32_f64, update_f64_f64, max_f32,
                                    max_f64,        excess_f32,     excess_f64,     leap_f32,
                                    leap_f64,       sweep,          sweep_boxes};
