/* The inner loops of the search for stumps, compiled for every instruction set, and what they take
 * in: what the sides of a stump are worth. */
#ifndef PT_TREES_STUMP_LOOPS_H
#define PT_TREES_STUMP_LOOPS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/isa.h"
#include "trees/stump_search.h"

enum {
    PT_STUMP_LANES = 8,    /* columns are looked at so many at a time */
    PT_STUMP_SLOTS = 4,    /* the numbers of a row come in multiples of it */
    PT_STUMP_FEATURES = 16 /* features whose sums are formed together, at most */
};

/* How the numbers of a group's rows reach the two sums of a bin. */
typedef enum pt_stump_way {
    PT_STUMP_BOTH = 0,  /* both as vectors */
    PT_STUMP_FIRST = 1, /* the first as a vector, the second for the slots of a list */
    PT_STUMP_SECOND = 2 /* the other way round */
} pt_stump_way;

/* The numbers of the rows. Sides are told apart by masks of 0 and 1; adding 0 changes no sum, so
 * that a list of the few slots on one side gives the same bits as a vector. */
typedef struct pt_stump_numbers {
    int64_t n;
    const double *first;  /* n x stride */
    const double *second; /* the same array where the rule has sides */
    int64_t stride;
    const int64_t *group_of;
    const double *mask[2]; /* groups x stride: of the first and of the second sum */
    const uint8_t *way;    /* groups */
    const int32_t *list;   /* groups x stride: slots of the sum that is not a vector */
    const int32_t *listed; /* groups: how many */
    bool lists;            /* some are more than one slot, or of the second sum */
} pt_stump_numbers;

/* Some rows, and where their bins of some features are: bins of a feature are `step` apart, the
 * second sum is `second` further. What a row needs lies together, in units of SLOTS numbers from
 * hist[0] on. */
typedef struct pt_stump_tile {
    int64_t count;
    int64_t row[PT_STUMP_ROWS];
    int64_t features;
    uint32_t at[PT_STUMP_ROWS][PT_STUMP_FEATURES];
    double *hist[PT_STUMP_FEATURES];   /* the first bins */
    uint32_t start[PT_STUMP_FEATURES]; /* the same from hist[0] on */
    int64_t step;
    int64_t second;
    double number[32]; /* of a row, at most as many as are added together */
} pt_stump_tile;

/* The best cut of LANES columns. Bins are `step` apart, the second sum of a bin `second` further.
 * Cuts from low to high (NULL: all) count; that after the last bin always does. */
typedef struct pt_stump_scan {
    const double *hist;
    int64_t bins;
    int64_t step;
    int64_t second;
    const int64_t *low; /* LANES, or NULL */
    const int64_t *high;
    bool below;
    double gain[PT_STUMP_LANES]; /* the missing branch apart */
    int64_t at[PT_STUMP_LANES];
    double in[2][PT_STUMP_LANES];
    double all[2][PT_STUMP_LANES];
    double missing_gain[PT_STUMP_LANES];
} pt_stump_scan;

/* Rows are IN where their bin is at most `last`, MISSING where it is `none`, OUT elsewhere. */
typedef struct pt_stump_cut {
    const uint8_t *bin; /* NULL: all rows are IN */
    int64_t last;
    int64_t none; /* -1: no cell is missing */
} pt_stump_cut;

typedef struct pt_stump_loops {
    /* at of all rows <- where the bins (count x features) of the features are. */
    void (*place)(const uint8_t *bin, pt_stump_tile *tile);
    void (*add)(const pt_stump_numbers *numbers, pt_stump_tile *tile);
    void (*scan[3])(pt_stump_scan *scan); /* by rule */
    /* gains[(b + 1) * LANES + lane] += gains of the cut after bin b, -1 <= b < bins; the last row
     * of gains, number bins + 1, += that of the missing branch. */
    void (*scan_shared[3])(const pt_stump_scan *scan, double *gains);
    /* Of sums of stride columns each (first, then second, a stride further): lanes += gains of the
     * sides `in` and `all` less `in`. */
    void (*gain[3])(const double *in, const double *all, int64_t stride, double *lanes);
    void (*multiply)(const pt_stump_block *block, int64_t stride, const int64_t *group_of,
                     const pt_stump_sides *sides, const double *factors, double *number);
    void (*multiply_rows)(const pt_stump_block *block, int64_t stride, const int64_t *group_of,
                          const uint8_t *branch, const double *factors, double *number);
    /* branch[j] <- bin[j] <= last ? IN : bin[j] == none ? MISSING : OUT */
    void (*branches)(const uint8_t *bin, int64_t count, int64_t last, int64_t none,
                     uint8_t *branch);
    /* The same as bits, for the slots of a piece. */
    void (*sides)(const pt_stump_cut *cut, int64_t count, pt_stump_sides *sides);
} pt_stump_loops;

PT_ISA_CHOSEN(pt_stump_loops, pt_stump_loops, pt_stump_loops_chosen)

/* ---- what the sides of a stump are worth under each rule ------------------------------------- */

/* Below this share of a column's weight a side counts as empty under NEWTON: its sums are rounding
 * errors of the column's. */
#define PT_STUMP_NOTHING 1e-12

/* To 40 bits: gains that are equal but for rounding errors of their sums are equal, so that ties
 * are ties whatever the order in which examples come. */
static inline double pt_stump_rounded(double gain)
{
    int64_t bits = 0;
    memcpy(&bits, &gain, sizeof bits);
    bits = (bits + 0x1000) & ~(int64_t)0x1fff;
    memcpy(&gain, &bits, sizeof bits);
    return gain;
}

static inline double pt_positive(double x)
{
    return x > 0 ? x : 0;
}

/* What a side with sums a and b is worth; `whole` is the first sum of all sides. */
static inline double pt_stump_worth(int rule, double a, double b, double whole)
{
    if (rule == PT_STUMP_DISCRETE)
        return fabs(a - b);
    if (rule == PT_STUMP_CONFIDENCE)
        return -sqrt(pt_positive(a) * pt_positive(b));
    const bool some = a > PT_STUMP_NOTHING * whole;
    return some ? b * b / (some ? a : 1) : 0;
}

/* The gain of a cut with sums `in`, of `all`. */
static inline double pt_stump_cut_gain(int rule, bool below, double in_a, double in_b, double all_a,
                                       double all_b)
{
    if (below)
        return (in_a - in_b) - ((all_a - in_a) - (all_b - in_b));
    return pt_stump_worth(rule, in_a, in_b, all_a) +
           pt_stump_worth(rule, all_a - in_a, all_b - in_b, all_a);
}

#endif
