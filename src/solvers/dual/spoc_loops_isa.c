/* The loops of spoc_loops.h for one instruction set (PT_ISA). Elementwise, so that a compiler makes
 * vectors of them; sums and maxima keep LANES partial ones that are joined in a fixed order.
 *
 * The reduced problem is solved by repeated averaging: from a set S that contains the support,
 * theta = (sum_S D - C) / |S|, and those of S that are not above theta leave it, until none does.
 * Every theta is a lower bound, so none leaves that ought to stay, and the end is exact. As masks
 * over all classes that is faster than sorting, or than the selection of simplex_row.c. That of
 * WW goes by fixing, as box_row.c tells. */
#include "solvers/dual/spoc_loops.h"

#include <math.h>
#include <stdbool.h>

enum {
    LANES = 8,
    ROWS = 4,
    FEW = 32 /* one class of so many changed: they are taken one by one */
};

/* ---- the whole gradient ---------------------------------------------------------------------- */

#define T float
#define S float
#define NAME(f) f##_f32_f32
#include "solvers/dual/spoc_update_body.h"
#undef NAME
#define NAME(f) f##_f32
#include "solvers/dual/spoc_look_body.h"
#undef S
#undef NAME

#define S double
#define NAME(f) f##_f32_f64
#include "solvers/dual/spoc_update_body.h"
#undef T
#undef NAME

#define T double
#define NAME(f) f##_f64_f64
#include "solvers/dual/spoc_update_body.h"
#undef NAME
#define NAME(f) f##_f64
#include "solvers/dual/spoc_look_body.h"

/* ---- the reduced problem -----------------------------------------------------------------------
 *
 * Vectors are written as such (the vector types of gcc and clang): a compiler makes none of loops
 * whose sums have conditions. */

typedef double lanes_t __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));
typedef int64_t mask_t __attribute__((vector_size(LANES * sizeof(int64_t)), aligned(8), may_alias));

#define ALWAYS static inline __attribute__((always_inline)) /* for the ld that it is called with */
#define AT(place) (*(lanes_t *)(place))
#define GET(place) (*(const lanes_t *)(place))
#define WHERE(mask, x) ((lanes_t)((mask) & (mask_t)(x))) /* 0 where it is not */
#define SUM_OF(v) \
    ((((v)[0] + (v)[1]) + ((v)[2] + (v)[3])) + (((v)[4] + (v)[5]) + ((v)[6] + (v)[7])))

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

ALWAYS double largest_of(const double *restrict x, int64_t ld)
{
    lanes_t top = GET(x);
    for (int64_t r = LANES; r < ld; r += LANES) {
        const mask_t above = (mask_t)(GET(x + r) > top);
        top = (lanes_t)((above & (mask_t)GET(x + r)) | (~above & (mask_t)top));
    }
    return larger(larger(larger(top[0], top[1]), larger(top[2], top[3])),
                  larger(larger(top[4], top[5]), larger(top[6], top[7])));
}

/* count, sum <- of the E above a threshold. */
ALWAYS void sum_above(const double *restrict E, int64_t ld, double threshold, double *count,
                      double *sum)
{
    mask_t counts = {0};
    lanes_t sums = {0};
    for (int64_t r = 0; r < ld; r += LANES) {
        const mask_t above = (mask_t)(GET(E + r) > threshold);
        counts -= above;
        sums += WHERE(above, GET(E + r));
    }
    *count = (double)SUM_OF(counts);
    *sum = SUM_OF(sums);
}

/* E <- D less its largest, for D = eta + (g - max g) step. */
ALWAYS void shifted_D(const pt_spoc_block *b, int64_t ld, int64_t p, double *restrict E)
{
    const double *restrict g = b->g + p * ld;
    const double *restrict eta = b->eta + p * ld;
    const double largest = largest_of(g, ld);
    const double step = b->step[p];
    for (int64_t r = 0; r < ld; r += LANES)
        AT(E + r) = GET(eta + r) + (GET(g + r) - largest) * step;
    const double top = largest_of(E, ld);
    for (int64_t r = 0; r < ld; r += LANES)
        AT(E + r) -= top;
}

/* The threshold for E, whose largest is 0. Those above -total can be in the support. */
ALWAYS double threshold_of(const double *E, int64_t ld, double total, double *count)
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

ALWAYS void best_eta(const pt_spoc_block *b, int64_t ld, int64_t p, double *restrict next)
{
    double count = 0;
    if (b->step[p] == 0) {
        all_to_largest(b, p, next);
        return;
    }
    shifted_D(b, ld, p, next);
    const double total = b->total[p];
    const double theta = threshold_of(next, ld, total, &count);
    const lanes_t all = {total, total, total, total, total, total, total, total};
    for (int64_t r = 0; r < ld; r += LANES) {
        const lanes_t above = GET(next + r) - theta;
        /* where one has it all, rounding must not leave a rest */
        AT(next + r) = WHERE((mask_t)(GET(next + r) > theta), count == 1 ? all : above);
    }
}

/* change <- that of tau, and eta <- next; returns what the objective rises by, and how many classes
 * changed. */
ALWAYS double move(const pt_spoc_block *b, int64_t ld, int64_t p, const double *restrict next,
                   double *restrict change, int64_t *changed)
{
    const double *restrict g = b->g + p * ld;
    double *restrict eta = b->eta + p * ld;
    lanes_t slope = {0};
    lanes_t square = {0};
    mask_t counts = {0};
    for (int64_t r = 0; r < ld; r += LANES) {
        const lanes_t d = GET(eta + r) - GET(next + r);
        const mask_t moved = (mask_t)(d != 0);
        AT(change + r) = d;
        AT(eta + r) = GET(next + r);
        slope += WHERE(moved, d * GET(g + r)); /* g is -1e300 beyond k */
        square += d * d;
        counts -= moved;
    }
    *changed = SUM_OF(counts);
    return -(SUM_OF(slope) + 0.5 * b->curve[p] * SUM_OF(square));
}

/* g_q += K_pq change for every q of the block. */
ALWAYS void spread(const pt_spoc_block *b, int64_t ld, int64_t p, const double *restrict change)
{
    const double *restrict K = b->K + p * PT_BLOCK;
    double *restrict g = b->g;
    const int64_t count = b->count;
    for (int64_t q = 0; q < count; q++, g += ld)
        for (int64_t r = 0; r < ld; r += LANES)
            AT(g + r) += K[q] * GET(change + r);
}

/* The same for the few classes of many that changed. */
static void spread_few(const pt_spoc_block *b, int64_t p, const double *change)
{
    for (int64_t r = 0; r < b->k; r++) {
        if (change[r] == 0)
            continue;
        for (int64_t q = 0; q < b->count; q++)
            b->g[q * b->ld + r] += b->K[p * PT_BLOCK + q] * change[r];
    }
}

/* ---- that of Weston and Watkins -------------------------------------------------------------- */

static const double NOTHING = -1e300; /* D of what stays at 0 */

/* Every step of box_row.c, as masks. What is free between lo and hi: */
ALWAYS double shift_of_free(const double *restrict D, int64_t ld, double bound, double lo,
                            double hi)
{
    const lanes_t bounds = {bound, bound, bound, bound, bound, bound, bound, bound};
    mask_t count = {0};
    lanes_t sum = {0};
    for (int64_t r = 0; r < ld; r += LANES) {
        const lanes_t here = GET(D + r);
        const mask_t full = (mask_t)(here - bound >= hi);
        const mask_t is_free = (mask_t)(here > lo) & ~full;
        count -= is_free;
        sum += WHERE(full, bounds) + WHERE(is_free, here);
    }
    return SUM_OF(sum) / (double)(1 + SUM_OF(count));
}

/* By how much what is free rises above its bound less that by which it falls below 0 at s. */
ALWAYS double lean_of_free(const double *restrict D, int64_t ld, double bound, double lo, double hi,
                           double s)
{
    lanes_t below = {0};
    lanes_t above = {0};
    for (int64_t r = 0; r < ld; r += LANES) {
        const lanes_t here = GET(D + r);
        const mask_t is_free = (mask_t)(here > lo) & (mask_t)(here - bound < hi);
        const lanes_t e = here - s;
        below -= WHERE(is_free & (mask_t)(e < 0), e);
        above += WHERE(is_free & (mask_t)(e > bound), e - bound);
    }
    return SUM_OF(above) - SUM_OF(below);
}

ALWAYS double shift_of(const double *D, int64_t ld, int64_t k, double bound)
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
ALWAYS void unclipped(const pt_spoc_block *b, int64_t ld, int64_t p, double *restrict next)
{
    const double *restrict g = b->g + p * ld;
    const double *restrict eta = b->eta + p * ld;
    const int64_t y = b->own[p];
    const double g_y = g[y];
    const double eta_y = eta[y];
    const double step = b->step[p];
    if (step == 0)
        for (int64_t r = 0; r < ld; r++)
            next[r] = g[r] > g_y ? 2 * b->total[p] * (double)b->k : 0;
    else
        for (int64_t r = 0; r < ld; r += LANES)
            AT(next + r) = (GET(eta + r) - eta_y) + (GET(g + r) - g_y) * step;
    next[y] = NOTHING;
}

ALWAYS void best_boxes(const pt_spoc_block *b, int64_t ld, int64_t p, double *restrict next)
{
    const double bound = b->total[p];
    const lanes_t bounds = {bound, bound, bound, bound, bound, bound, bound, bound};
    lanes_t sum = {0};
    unclipped(b, ld, p, next);
    const double s = shift_of(next, ld, b->k, bound);
    for (int64_t r = 0; r < ld; r += LANES) {
        const lanes_t e = GET(next + r) - s;
        const mask_t inside = (mask_t)(e > 0) & (mask_t)(e < bound);
        const lanes_t clipped = WHERE(inside, e) + WHERE((mask_t)(e >= bound), bounds);
        AT(next + r) = clipped;
        sum += clipped;
    }
    next[b->own[p]] = -SUM_OF(sum);
}

/* ---- a block --------------------------------------------------------------------------------- */

typedef void (*best_fn)(const pt_spoc_block *b, int64_t ld, int64_t p, double *restrict next);

ALWAYS double sweep_by(const pt_spoc_block *b, int64_t ld, best_fn best)
{
    double *restrict next = b->work;
    double *restrict change = b->work + ld;
    double rise = 0;
    for (int64_t p = 0; p < b->count; p++) {
        int64_t changed = 0;
        best(b, ld, p, next);
        rise += move(b, ld, p, next, change, &changed);
        if (changed * FEW >= ld)
            spread(b, ld, p, change);
        else if (changed > 0)
            spread_few(b, p, change);
    }
    return rise;
}

/* Of up to 32 classes the compiler knows the number of vectors. */
ALWAYS double sweep_known(const pt_spoc_block *b, best_fn best)
{
    switch (b->ld) {
    case LANES:
        return sweep_by(b, LANES, best);
    case 2 * LANES:
        return sweep_by(b, 2 * LANES, best);
    case 3 * LANES:
        return sweep_by(b, 3 * LANES, best);
    case 4 * LANES:
        return sweep_by(b, 4 * LANES, best);
    default:
        return sweep_by(b, b->ld, best);
    }
}

static double sweep(const pt_spoc_block *b)
{
    return sweep_known(b, best_eta);
}

static double sweep_boxes(const pt_spoc_block *b)
{
    return sweep_known(b, best_boxes);
}

const pt_spoc_loops PT_ISA_OWN(pt_spoc_loops) = {
    update_f32_f32, update_f32_f64, update_f64_f64, max_f32, max_f64,    excess_f32,
    excess_f64,     leap_f32,       leap_f64,       sweep,   sweep_boxes};
