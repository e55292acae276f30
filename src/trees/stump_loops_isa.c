/* The loops of stump_loops.h for one instruction set (PT_ISA).
 *
 * Vectors lie across columns: a row adds its numbers for all columns to the bin that its cell is
 * in. Numbers of a row stay in registers while the features of a tile are gone through, so widths
 * are constants: pieces of 32 slots, then what is left in one. */
#include "trees/stump_loops.h"

#include <math.h>

#include "trees/stump_worth.h"

enum { LANES = PT_STUMP_LANES, PIECE = 32 };

/* ---- sums of bins ------------------------------------------------------------------------------
 */

/* h += v. Of long rows a loop is made vectors of. */
#define DEFINE_LONG(W)                                                           \
    static inline void add_row_##W(double *restrict h, const double *restrict v) \
    {                                                                            \
        for (int s = 0; s < W; s++)                                              \
            h[s] += v[s];                                                        \
    }

/* Short loops are unrolled first, and become vectors where all is read before any is written. */
#define DEFINE_SHORT(W)                                                          \
    static inline void add_row_##W(double *restrict h, const double *restrict v) \
    {                                                                            \
        double sum[W];                                                           \
        for (int s = 0; s < W; s++)                                              \
            sum[s] = h[s] + v[s];                                                \
        for (int s = 0; s < W; s++)                                              \
            h[s] = sum[s];                                                       \
    }

/* Where the numbers of a row are meanwhile: registers, or memory that vectors are read from. */
#define IN_REGISTERS(W) double v[W]
#define IN_MEMORY(W) double *v = t->number

/* The numbers of row j to the sum that is `to` further, and `number` to slot `slot`: where a single
 * slot is on the side of the few it goes with the vector. */
#define DEFINE_ADD(W, NUMBERS)                                                                     \
    static inline void add_one_##W(pt_stump_tile *t, int64_t j, const double *restrict w,          \
                                   const double *restrict mask, int64_t to)                        \
    {                                                                                              \
        NUMBERS(W);                                                                                \
        for (int s = 0; s < W; s++)                                                                \
            v[s] = w[s] * mask[s];                                                                 \
        for (int64_t f = 0; f < t->features; f++)                                                  \
            add_row_##W(t->hist[f] + t->bin[f][j] * t->step + to, v);                              \
    }                                                                                              \
                                                                                                   \
    static inline void add_with_##W(pt_stump_tile *t, int64_t j, const double *restrict w,         \
                                    const double *restrict mask, int64_t to, int64_t slot,         \
                                    double number)                                                 \
    {                                                                                              \
        NUMBERS(W);                                                                                \
        for (int s = 0; s < W; s++)                                                                \
            v[s] = w[s] * mask[s];                                                                 \
        for (int64_t f = 0; f < t->features; f++) {                                                \
            double *h = t->hist[f] + t->bin[f][j] * t->step;                                       \
            add_row_##W(h + to, v);                                                                \
            h[slot] += number;                                                                     \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void add_##W(const pt_stump_numbers *x, pt_stump_tile *t, int64_t from)                 \
    {                                                                                              \
        for (int64_t j = 0; j < t->count; j++) {                                                   \
            const int64_t g = x->group_of[t->row[j]];                                              \
            const int64_t at = t->row[j] * x->stride;                                              \
            const double *mask[2] = {x->mask[0] + g * x->stride + from,                            \
                                     x->mask[1] + g * x->stride + from};                           \
            const int64_t slot = x->list[g * x->stride];                                           \
            if (x->way[g] == PT_STUMP_SECOND && x->listed[g] == 1 && from == 0) {                  \
                add_with_##W(t, j, x->second + at, mask[1], t->second, slot, x->first[at + slot]); \
                continue;                                                                          \
            }                                                                                      \
            if (x->way[g] != PT_STUMP_SECOND)                                                      \
                add_one_##W(t, j, x->first + at + from, mask[0], from);                            \
            if (x->way[g] != PT_STUMP_FIRST)                                                       \
                add_one_##W(t, j, x->second + at + from, mask[1], t->second + from);               \
        }                                                                                          \
    }

DEFINE_SHORT(4)
DEFINE_SHORT(8)
DEFINE_SHORT(16)
DEFINE_LONG(20)
DEFINE_LONG(24)
DEFINE_LONG(28)
DEFINE_LONG(32)

/* A vector and half of one. */
static inline void add_row_12(double *restrict h, const double *restrict v)
{
    add_row_8(h, v);
    add_row_4(h + 8, v + 8);
}

DEFINE_ADD(4, IN_MEMORY)
DEFINE_ADD(8, IN_MEMORY)
DEFINE_ADD(12, IN_MEMORY)
DEFINE_ADD(16, IN_MEMORY)
DEFINE_ADD(20, IN_REGISTERS)
DEFINE_ADD(24, IN_REGISTERS)
DEFINE_ADD(28, IN_REGISTERS)
DEFINE_ADD(32, IN_REGISTERS)

/* The slots that are on the side of the few. */
static void add_lists(const pt_stump_numbers *x, const pt_stump_tile *t)
{
    for (int64_t j = 0; j < t->count; j++) {
        const int64_t g = x->group_of[t->row[j]];
        const double *w =
            (x->way[g] == PT_STUMP_FIRST ? x->second : x->first) + t->row[j] * x->stride;
        const int64_t to = x->way[g] == PT_STUMP_FIRST ? t->second : 0;
        if (x->way[g] == PT_STUMP_SECOND && x->listed[g] == 1)
            continue; /* it went with the vector */
        for (int32_t p = 0; p < x->listed[g]; p++) {
            const int64_t slot = x->list[g * x->stride + p];
            for (int64_t f = 0; f < t->features; f++)
                t->hist[f][t->bin[f][j] * t->step + to + slot] += w[slot];
        }
    }
}

static void add(const pt_stump_numbers *x, pt_stump_tile *t)
{
    static void (*const rest[])(const pt_stump_numbers *, pt_stump_tile *, int64_t) = {
        NULL, add_4, add_8, add_12, add_16, add_20, add_24, add_28};
    int64_t from = 0;
    for (; from + PIECE <= x->stride; from += PIECE)
        add_32(x, t, from);
    if (from < x->stride)
        rest[(x->stride - from) / PT_STUMP_SLOTS](x, t, from);
    add_lists(x, t);
}

/* ---- gains -------------------------------------------------------------------------------------
 */

static inline void sum_bins(const pt_stump_scan *c, double a[LANES], double b[LANES])
{
    for (int s = 0; s < LANES; s++)
        a[s] = b[s] = 0;
    for (int64_t k = 0; k < c->bins; k++)
        for (int s = 0; s < LANES; s++) {
            a[s] += c->hist[k * c->step + s];
            b[s] += c->hist[k * c->step + c->second + s];
        }
}

/* The cut after bin k has sums a, b: takes the columns where it is better. */
static inline void take_better(pt_stump_scan *c, int rule, bool below, int64_t k,
                               const double a[LANES], const double b[LANES], const int64_t *low,
                               const int64_t *high)
{
    for (int s = 0; s < LANES; s++) {
        const double gain = pt_stump_rounded(
            pt_stump_cut_gain(rule, below, a[s], b[s], c->all[0][s], c->all[1][s]));
        const bool better = gain > c->gain[s] && k >= low[s] && k <= high[s];
        c->gain[s] = better ? gain : c->gain[s];
        c->at[s] = better ? k : c->at[s];
        c->in[0][s] = better ? a[s] : c->in[0][s];
        c->in[1][s] = better ? b[s] : c->in[1][s];
    }
}

static inline void scan_cuts(pt_stump_scan *out, int rule, bool below)
{
    static const int64_t lowest[LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
    static const int64_t highest[LANES] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX,
                                           INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    pt_stump_scan c = *out; /* its own, so that the lanes can stay in registers */
    const int64_t *low = c.low && !below ? c.low : lowest;
    const int64_t *high = c.low && !below ? c.high : highest;
    double a[LANES] = {0};
    double b[LANES] = {0};
    sum_bins(&c, c.all[0], c.all[1]);
    for (int s = 0; s < LANES; s++) {
        const double *missing = c.hist + c.bins * c.step + s;
        c.gain[s] = -INFINITY;
        c.at[s] = -1;
        c.missing_gain[s] =
            pt_stump_worth(rule, missing[0], missing[c.second], c.all[0][s] + missing[0]);
    }
    if (below)
        take_better(&c, rule, below, -1, a, b, lowest, highest);
    for (int64_t k = 0; k + 1 < c.bins; k++) {
        for (int s = 0; s < LANES; s++) {
            a[s] += c.hist[k * c.step + s];
            b[s] += c.hist[k * c.step + c.second + s];
        }
        take_better(&c, rule, below, k, a, b, low, high);
    }
    take_better(&c, rule, below, c.bins - 1, c.all[0], c.all[1], lowest, highest);
    *out = c;
}

static void scan_discrete(pt_stump_scan *c)
{
    if (c->below)
        scan_cuts(c, PT_STUMP_DISCRETE, true);
    else
        scan_cuts(c, PT_STUMP_DISCRETE, false);
}

static void scan_confidence(pt_stump_scan *c)
{
    scan_cuts(c, PT_STUMP_CONFIDENCE, false);
}

static void scan_newton(pt_stump_scan *c)
{
    scan_cuts(c, PT_STUMP_NEWTON, false);
}

/* ---- a test for all columns --------------------------------------------------------------------
 */

static inline void add_gains(int rule, bool below, const double a[LANES], const double b[LANES],
                             double all[2][LANES], double *restrict gains)
{
    for (int s = 0; s < LANES; s++)
        gains[s] += pt_stump_cut_gain(rule, below, a[s], b[s], all[0][s], all[1][s]);
}

static inline void scan_all_columns(const pt_stump_scan *c, double *restrict gains, int rule,
                                    bool below)
{
    double a[LANES] = {0};
    double b[LANES] = {0};
    double all[2][LANES];
    sum_bins(c, all[0], all[1]);
    add_gains(rule, below, a, b, all, gains);
    for (int64_t k = 0; k < c->bins; k++) {
        for (int s = 0; s < LANES; s++) {
            a[s] += c->hist[k * c->step + s];
            b[s] += c->hist[k * c->step + c->second + s];
        }
        add_gains(rule, below, a, b, all, gains + (k + 1) * LANES);
    }
    const double *missing = c->hist + c->bins * c->step;
    double *to = gains + (c->bins + 1) * LANES;
    for (int s = 0; s < LANES; s++)
        to[s] += pt_stump_worth(rule, missing[s], missing[c->second + s], all[0][s] + missing[s]);
}

static void shared_discrete(const pt_stump_scan *c, double *gains)
{
    if (c->below)
        scan_all_columns(c, gains, PT_STUMP_DISCRETE, true);
    else
        scan_all_columns(c, gains, PT_STUMP_DISCRETE, false);
}

static void shared_confidence(const pt_stump_scan *c, double *gains)
{
    scan_all_columns(c, gains, PT_STUMP_CONFIDENCE, false);
}

static void shared_newton(const pt_stump_scan *c, double *gains)
{
    scan_all_columns(c, gains, PT_STUMP_NEWTON, false);
}

#define DEFINE_GAIN(name, rule)                                                                 \
    static void gain_##name(const double *in, const double *all, int64_t stride, double *lanes) \
    {                                                                                           \
        for (int64_t from = 0; from < stride; from += LANES)                                    \
            for (int s = 0; s < LANES; s++)                                                     \
                lanes[s] += pt_stump_cut_gain(rule, false, in[from + s], in[stride + from + s], \
                                              all[from + s], all[stride + from + s]);           \
    }

DEFINE_GAIN(discrete, PT_STUMP_DISCRETE)
DEFINE_GAIN(confidence, PT_STUMP_CONFIDENCE)
DEFINE_GAIN(newton, PT_STUMP_NEWTON)

/* ---- new numbers -------------------------------------------------------------------------------
 */

/* x *= the factor of the branch. Codes as wide as the numbers make masks of them; `count` is not
 * a constant, since a short loop that is unrolled is not made vectors of. */
static inline void multiply_piece(const uint8_t *restrict branch, const double *restrict in,
                                  const double *restrict out, const double *restrict missing,
                                  double *restrict x, int64_t count)
{
    int64_t code[PIECE];
    for (int64_t s = 0; s < count; s++)
        code[s] = branch[s];
    for (int64_t s = 0; s < count; s++) {
        const double a = in[s];
        const double b = out[s];
        const double c = missing[s];
        const double side = code[s] == PT_BRANCH_IN ? a : b;
        x[s] *= code[s] == PT_BRANCH_MISSING ? c : side;
    }
}

static void multiply(const pt_stump_block *block, int64_t stride, const int64_t *group_of,
                     const uint8_t *branch, const double *factors, double *number)
{
    for (int64_t j = 0; j < block->count; j++) {
        const double *in = factors + group_of[block->row[j]] * PT_BRANCHES * stride;
        const uint8_t *b = branch + j * stride;
        double *x = number + block->row[j] * stride;
        for (int64_t s = 0; s < stride; s += PIECE)
            multiply_piece(b + s, in + s, in + stride + s, in + 2 * stride + s, x + s,
                           stride - s < PIECE ? stride - s : PIECE);
    }
}

static void multiply_rows(const pt_stump_block *block, int64_t stride, const int64_t *group_of,
                          const uint8_t *branch, const double *factors, double *number)
{
    for (int64_t j = 0; j < block->count; j++) {
        const double *restrict factor =
            factors + (group_of[block->row[j]] * PT_BRANCHES + branch[j]) * stride;
        double *restrict x = number + block->row[j] * stride;
        for (int64_t s = 0; s < stride; s++)
            x[s] *= factor[s];
    }
}

static void branches(const uint8_t *bin, int64_t count, int64_t last, int64_t missing,
                     uint8_t *branch, int64_t stride)
{
    uint8_t b[PT_STUMP_ROWS];
    const int16_t in = (int16_t)last;
    const int16_t none = (int16_t)missing;
    for (int64_t j = 0; j < count; j++)
        b[j] = (uint8_t)(bin[j] <= in     ? PT_BRANCH_IN
                         : bin[j] == none ? PT_BRANCH_MISSING
                                          : PT_BRANCH_OUT);
    for (int64_t j = 0; j < count; j++)
        branch[j * stride] = b[j];
}

#define NAME_OF(isa) pt_stump_loops_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_stump_loops NAME(PT_ISA);
const pt_stump_loops NAME(PT_ISA) = {
    add,
    {scan_discrete, scan_confidence, scan_newton},
    {shared_discrete, shared_confidence, shared_newton},
    {gain_discrete, gain_confidence, gain_newton},
    multiply,
    multiply_rows,
    branches,
};
