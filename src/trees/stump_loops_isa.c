/* The loops of stump_loops.h for one instruction set (PT_ISA).
 *
 * Vectors lie across columns: a row adds its numbers for all columns to the bin that its cell is
 * in. Numbers of a row stay in registers while the features of a tile are gone through, so widths
 * are constants: pieces of 32 slots, then what is left in one. */
#include "trees/stump_loops.h"

#include <math.h>

enum { LANES = PT_STUMP_LANES, PIECE = PT_STUMP_PIECE };

/* ---- sums of bins ---------------------------------------------------------------------------- */

static void place(const uint8_t *bin, pt_stump_tile *t)
{
    const uint32_t step = (uint32_t)(t->step / PT_STUMP_SLOTS);
    for (int64_t j = 0; j < t->block.count; j++)
        for (int64_t f = 0; f < t->features; f++)
            t->at[j][f] = t->start[f] + step * bin[j * t->features + f];
}

static inline double *place_of(const pt_stump_tile *t, int64_t j, int64_t f)
{
    return t->hist + (int64_t)t->at[j][f] * PT_STUMP_SLOTS;
}

/* The row that comes a tile later is on its way meanwhile. */
static inline void fetch_next(const pt_stump_numbers *x, int64_t row, int64_t from, int width)
{
    const int64_t next = row + PT_STUMP_ROWS < x->n ? row + PT_STUMP_ROWS : row;
    for (int s = 0; s < width; s += LANES)
        __builtin_prefetch(x->first + next * x->stride + from + s, 1);
}

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
            add_row_##W(place_of(t, j, f) + to, v);                                                \
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
            double *h = place_of(t, j, f);                                                         \
            add_row_##W(h + to, v);                                                                \
            h[slot] += number;                                                                     \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void add_##W(const pt_stump_numbers *x, pt_stump_tile *t, int64_t from)                 \
    {                                                                                              \
        for (int64_t j = 0; j < t->block.count; j++) {                                             \
            const int64_t g = x->group_of[t->block.row[j]];                                        \
            const int64_t at = t->block.row[j] * x->stride;                                        \
            fetch_next(x, t->block.row[j], from, W);                                               \
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
    for (int64_t j = 0; j < t->block.count; j++) {
        const int64_t g = x->group_of[t->block.row[j]];
        const double *w =
            (x->way[g] == PT_STUMP_FIRST ? x->second : x->first) + t->block.row[j] * x->stride;
        const int64_t to = x->way[g] == PT_STUMP_FIRST ? t->second : 0;
        if (x->way[g] == PT_STUMP_SECOND && x->listed[g] == 1)
            continue; /* it went with the vector */
        for (int32_t p = 0; p < x->listed[g]; p++) {
            const int64_t slot = x->list[g * x->stride + p];
            for (int64_t f = 0; f < t->features; f++)
                place_of(t, j, f)[to + slot] += w[slot];
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
    if (x->lists)
        add_lists(x, t);
}

/* ---- gains ----------------------------------------------------------------------------------- */

/* Copies, so that the lanes can stay in registers. */
static inline void copy_lanes(double to[2][LANES], double from[2][LANES])
{
    memcpy(to, from, 2 * LANES * sizeof(double));
}

static void sum_bins(pt_stump_scan *c)
{
    double all[2][LANES];
    copy_lanes(all, c->all);
    for (int64_t k = c->from; k < c->to; k++)
        for (int s = 0; s < LANES; s++) {
            all[0][s] += c->hist[k * c->step + s];
            all[1][s] += c->hist[k * c->step + c->second + s];
        }
    copy_lanes(c->all, all);
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
    for (int s = 0; s < LANES && c.from == 0; s++) {
        const double *missing = c.hist + c.bins * c.step + s;
        c.gain[s] = -INFINITY;
        c.at[s] = -1;
        c.missing_gain[s] =
            pt_stump_worth(rule, missing[0], missing[c.second], c.all[0][s] + missing[0]);
    }
    if (below && c.from == 0)
        take_better(&c, rule, below, -1, c.reached[0], c.reached[1], lowest, highest);
    double a[LANES];
    double b[LANES];
    memcpy(a, c.reached[0], sizeof a);
    memcpy(b, c.reached[1], sizeof b);
    const int64_t end = c.to < c.bins ? c.to : c.bins - 1;
    for (int64_t k = c.from; k < end; k++) {
        for (int s = 0; s < LANES; s++) {
            a[s] += c.hist[k * c.step + s];
            b[s] += c.hist[k * c.step + c.second + s];
        }
        take_better(&c, rule, below, k, a, b, low, high);
    }
    memcpy(c.reached[0], a, sizeof a);
    memcpy(c.reached[1], b, sizeof b);
    if (c.to == c.bins)
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

/* ---- a test for all columns ------------------------------------------------------------------ */

static inline void add_gains(int rule, bool below, const double a[LANES], const double b[LANES],
                             double all[2][LANES], double *restrict gains)
{
    for (int s = 0; s < LANES; s++)
        gains[s] += pt_stump_cut_gain(rule, below, a[s], b[s], all[0][s], all[1][s]);
}

static inline void scan_all_columns(pt_stump_scan *c, double *restrict gains, int rule, bool below)
{
    double in[2][LANES];
    double all[2][LANES];
    copy_lanes(in, c->reached);
    copy_lanes(all, c->all);
    if (c->from == 0)
        add_gains(rule, below, in[0], in[1], all, gains);
    for (int64_t k = c->from; k < c->to; k++) {
        for (int s = 0; s < LANES; s++) {
            in[0][s] += c->hist[k * c->step + s];
            in[1][s] += c->hist[k * c->step + c->second + s];
        }
        add_gains(rule, below, in[0], in[1], all, gains + (k + 1) * LANES);
    }
    copy_lanes(c->reached, in);
    if (c->to < c->bins)
        return;
    const double *missing = c->hist + c->bins * c->step;
    double *to = gains + (c->bins + 1) * LANES;
    for (int s = 0; s < LANES; s++)
        to[s] += pt_stump_worth(rule, missing[s], missing[c->second + s], all[0][s] + missing[s]);
}

static void shared_discrete(pt_stump_scan *c, double *gains)
{
    if (c->below)
        scan_all_columns(c, gains, PT_STUMP_DISCRETE, true);
    else
        scan_all_columns(c, gains, PT_STUMP_DISCRETE, false);
}

static void shared_confidence(pt_stump_scan *c, double *gains)
{
    scan_all_columns(c, gains, PT_STUMP_CONFIDENCE, false);
}

static void shared_newton(pt_stump_scan *c, double *gains)
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

/* ---- new numbers ----------------------------------------------------------------------------- */

#define FOUR_BITS(s) (int64_t)1 << (s), (int64_t)2 << (s), (int64_t)4 << (s), (int64_t)8 << (s)
/* As wide as the numbers: a shift by s is not made a vector of. */
static const int64_t bits[PIECE] = {FOUR_BITS(0),  FOUR_BITS(4),  FOUR_BITS(8),  FOUR_BITS(12),
                                    FOUR_BITS(16), FOUR_BITS(20), FOUR_BITS(24), FOUR_BITS(28)};

/* x *= the factor of the branch that bit s of the words tells. Both factors are read before one is
 * chosen, so that loops become vectors. */
#define DEFINE_MULTIPLY(W)                                                                         \
    static inline void multiply_two_##W(int64_t is_out, const double *restrict in,                 \
                                        const double *restrict out, double *restrict x)            \
    {                                                                                              \
        for (int s = 0; s < W; s++) {                                                              \
            const double a = in[s];                                                                \
            const double b = out[s];                                                               \
            x[s] *= (is_out & bits[s]) != 0 ? b : a;                                               \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static inline void multiply_three_##W(int64_t is_out, int64_t is_missing,                      \
                                          const double *restrict in, const double *restrict out,   \
                                          const double *restrict missing, double *restrict x)      \
    {                                                                                              \
        for (int s = 0; s < W; s++) {                                                              \
            const double a = in[s];                                                                \
            const double b = out[s];                                                               \
            const double c = missing[s];                                                           \
            const double side = (is_out & bits[s]) != 0 ? b : a;                                   \
            x[s] *= (is_missing & bits[s]) != 0 ? c : side;                                        \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void multiply_##W(const pt_stump_block *block, int64_t stride, const int64_t *group_of, \
                             const pt_stump_sides *sides, const double *factors, double *number)   \
    {                                                                                              \
        for (int64_t j = 0; j < block->count; j++) {                                               \
            const double *in = factors + group_of[block->row[j]] * PT_BRANCHES * stride;           \
            double *x = number + block->row[j] * stride;                                           \
            if (sides->any_missing)                                                                \
                multiply_three_##W(sides->out[j], sides->missing[j], in, in + stride,              \
                                   in + 2 * stride, x);                                            \
            else                                                                                   \
                multiply_two_##W(sides->out[j], in, in + stride, x);                               \
        }                                                                                          \
    }

DEFINE_MULTIPLY(4)
DEFINE_MULTIPLY(8)
DEFINE_MULTIPLY(12)
DEFINE_MULTIPLY(16)
DEFINE_MULTIPLY(20)
DEFINE_MULTIPLY(24)
DEFINE_MULTIPLY(28)
DEFINE_MULTIPLY(32)

static void multiply(const pt_stump_block *block, int64_t stride, int64_t width,
                     const int64_t *group_of, const pt_stump_sides *sides, const double *factors,
                     double *number)
{
    static void (*const of_width[])(const pt_stump_block *, int64_t, const int64_t *,
                                    const pt_stump_sides *, const double *, double *) = {
        NULL,        multiply_4,  multiply_8,  multiply_12, multiply_16,
        multiply_20, multiply_24, multiply_28, multiply_32};
    of_width[width / PT_STUMP_SLOTS](block, stride, group_of, sides, factors, number);
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

enum { OCTETS = PIECE / 8, ROWS = PT_STUMP_ROWS };

/* Bits of 8 slots of all rows: a byte a row, so that a vector has many rows. */
static inline void mark_out(const pt_stump_cut *c, int64_t rows, uint8_t bit, uint8_t *restrict out)
{
    const uint8_t first = (uint8_t)(c->last + 1); /* that is not IN */
    for (int64_t j = 0; j < rows; j++)
        out[j] |= c->bin[j] >= first ? bit : 0;
}

static inline void mark_missing(const pt_stump_cut *c, int64_t rows, uint8_t bit,
                                uint8_t *restrict out, uint8_t *restrict missing)
{
    const uint8_t none = (uint8_t)c->none;
    for (int64_t j = 0; j < rows; j++) {
        const uint8_t here = c->bin[j] == none ? bit : 0;
        missing[j] |= here;
        out[j] &= (uint8_t)~here;
    }
}

static inline void join_octets(uint8_t octet[OCTETS][ROWS], uint32_t *restrict word)
{
    for (int64_t j = 0; j < ROWS; j++)
        word[j] = octet[0][j] | (uint32_t)octet[1][j] << 8 | (uint32_t)octet[2][j] << 16 |
                  (uint32_t)octet[3][j] << 24;
}

static void sides(const pt_stump_cut *cut, int64_t count, pt_stump_sides *s)
{
    uint8_t out[OCTETS][ROWS] = {{0}};
    uint8_t missing[OCTETS][ROWS] = {{0}};
    s->any_missing = false;
    for (int q = 0; q < PIECE; q++) {
        const pt_stump_cut c = cut[q];
        const uint8_t bit = (uint8_t)(1 << q % 8);
        if (!c.bin)
            continue;
        if (c.last < UINT8_MAX && count == ROWS) /* a constant is faster */
            mark_out(&c, ROWS, bit, out[q / 8]);
        else if (c.last < UINT8_MAX)
            mark_out(&c, count, bit, out[q / 8]);
        if (c.none >= 0) {
            s->any_missing = true;
            mark_missing(&c, count, bit, out[q / 8], missing[q / 8]);
        }
    }
    join_octets(out, s->out);
    if (s->any_missing)
        join_octets(missing, s->missing);
}

#define NAME_OF(isa) pt_stump_loops_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_stump_loops NAME(PT_ISA);
const pt_stump_loops NAME(PT_ISA) = {
    place,
    add,
    sum_bins,
    {scan_discrete, scan_confidence, scan_newton},
    {shared_discrete, shared_confidence, shared_newton},
    {gain_discrete, gain_confidence, gain_newton},
    multiply,
    multiply_rows,
    sides,
};
