/* The search for stumps from inside: its inner loops, compiled for every instruction set, what the
 * sides of a stump are worth, and what its files share. */
#ifndef PT_TREES_STUMP_LOOPS_H
#define PT_TREES_STUMP_LOOPS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/isa.h"
#include "trees/stump_search.h"

enum {
    PT_STUMP_LANES = 8,    /* columns are looked at so many at a time */
    PT_STUMP_SLOTS = 4,    /* the numbers of a row come in multiples of it */
    PT_STUMP_PIECE = 32,   /* of which so many are added together */
    PT_STUMP_ROWS = 64,    /* rows are gone through so many at a time */
    PT_STUMP_FEATURES = 16 /* features whose sums are formed together, at most */
};

/* Rows that are gone through together, ascending. Of all pairs they are of one group. */
typedef struct pt_stump_block {
    int64_t count;
    int64_t group; /* of all its rows; -1: of several */
    int64_t row[PT_STUMP_ROWS];
} pt_stump_block;

/* The branches that the rows of a block take in a piece of their slots: bit s of a row's word is
 * that of slot s of the piece. Rows with neither bit are IN. */
typedef struct pt_stump_sides {
    uint32_t out[PT_STUMP_ROWS];
    uint32_t missing[PT_STUMP_ROWS];
    bool any_missing;
} pt_stump_sides;

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
    double *mask[2]; /* groups x stride: of the first and of the second sum */
    uint8_t *way;    /* groups */
    int32_t *list;   /* groups x stride: slots of the sum that is not a vector */
    int32_t *listed; /* groups: how many */
    bool lists;      /* some are more than one slot, or of the second sum */
} pt_stump_numbers;

/* A block of rows, and where their bins of some features are: the sums of these features lie one
 * after the other, bins `step` apart, the second sum of a bin `second` further. What a row needs
 * lies together, in units of SLOTS numbers. */
typedef struct pt_stump_tile {
    pt_stump_block block;
    int64_t features;
    uint32_t at[PT_STUMP_ROWS][PT_STUMP_FEATURES];
    uint32_t start[PT_STUMP_FEATURES]; /* the first bins */
    double *hist;
    int64_t step;
    int64_t second;
    double number[PT_STUMP_PIECE]; /* of a row */
} pt_stump_tile;

/* The best cut of LANES columns. Bins are `step` apart, the second sum of a bin `second` further.
 * Cuts from low to high (NULL: all) count; that after the last bin always does. Many bins are gone
 * through piece by piece, bins from .. to - 1, first all by `sum` and then all by `scan`: so that
 * who looks at the task in between need not wait. */
typedef struct pt_stump_scan {
    const double *hist;
    int64_t bins;
    int64_t from;
    int64_t to;
    int64_t step;
    int64_t second;
    const int64_t *low; /* LANES, or NULL */
    const int64_t *high;
    bool below;
    double gain[PT_STUMP_LANES]; /* the missing branch apart */
    int64_t at[PT_STUMP_LANES];
    double in[2][PT_STUMP_LANES];
    double all[2][PT_STUMP_LANES];     /* 0 at first: sums of the bins */
    double reached[2][PT_STUMP_LANES]; /* 0 at first: of the bins before `from` */
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
    void (*sum)(pt_stump_scan *scan);     /* all += the bins of the piece */
    void (*scan[3])(pt_stump_scan *scan); /* by rule */
    /* gains[(b + 1) * LANES + lane] += gains of the cut after bin b, -1 <= b < bins; the last row
     * of gains, number bins + 1, += that of the missing branch. */
    void (*scan_shared[3])(pt_stump_scan *scan, double *gains);
    /* Of sums of stride columns each (first, then second, a stride further): lanes += gains of the
     * sides `in` and `all` less `in`. */
    void (*gain[3])(const double *in, const double *all, int64_t stride, double *lanes);
    /* number[row][slot] *= factor[branch][slot] for all rows of the block, and `width` slots of a
     * piece; factors and numbers are those of its first. */
    void (*multiply)(const pt_stump_block *block, int64_t stride, int64_t width,
                     const int64_t *group_of, const pt_stump_sides *sides, const double *factors,
                     double *number);
    /* The same where all slots of a row take one branch. */
    void (*multiply_rows)(const pt_stump_block *block, int64_t stride, const int64_t *group_of,
                          const uint8_t *branch, const double *factors, double *number);
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

/* ---- what the files of the search share ------------------------------------------------------ */

/* A worker's own. */
typedef struct pt_stump_worker {
    pt_stump_tile tile;
    double *hist;       /* of the features of a task, one after the other: bins + 1 steps each */
    double *group_hist; /* all pairs: the same of one group, by slots */
    double *gains;      /* shared: (most bins + 2) x LANES */
    pt_stump *best;     /* ell; shared: 1 */
    uint64_t *sets;     /* ell x words */
    double *sums;       /* shared: IN, all but missing, missing: 3 steps */
    double *side;       /* nominal: 3 steps: IN, all and a trial */
    pt_scored_level *level; /* the levels of a feature */
    uint64_t *set;          /* words */
    pt_arena arena;
} pt_stump_worker;

/* Examples, and what they weigh by themselves. */
typedef struct pt_stump_amount {
    double rows;
    double weight;
} pt_stump_amount;

struct pt_stump_search {
    const pt_feature_table *table;
    pt_stump_columns columns;
    pt_stump_options options;
    pt_stump_layout layout;
    const pt_stump_loops *loops;
    int64_t column_stride;    /* ell, rounded up */
    int64_t step;             /* of a bin: 2 x column_stride, and some */
    int64_t group_step;       /* of a bin of group_hist; 0: no pairs */
    pt_stump_numbers numbers; /* how they reach the sums; the numbers themselves come later */

    int64_t *order;       /* pairs: rows by group; NULL: as they are */
    int64_t *block_start; /* pairs: where in that order a block begins, n_blocks + 1 */
    int64_t n_blocks;

    int64_t *feature_start; /* n_tasks + 1: features whose sums are formed together */
    int64_t n_tasks;
    uint8_t **by_row; /* of a task: bins of its features row by row, in the order of the search:
                         n x features; NULL where they are listed or wide */
    uint8_t *bins;    /* where by_row points */
    int64_t most_bins;
    int64_t words;
    bool any_listed; /* features */
    double *total;   /* step: sums of all rows, for listed features */

    int64_t *low; /* min_leaf > 1 or min_weight > 0: d x column_stride, cuts that may be made;
                     else NULL */
    int64_t *high;
    int64_t *low_shared; /* d */
    int64_t *high_shared;
    pt_arena ranges;                /* which has these */
    pt_stump_amount **level_amount; /* d: levels x groups of a nominal feature, else NULL */

    int workers;
    pt_stump_worker *worker;
    uint64_t *sets; /* ell x words: of the stumps that were found */
    pt_arena arena;
};

/* One search: what it is on. */
typedef struct pt_stump_round {
    pt_stump_search *search;
    pt_stump_numbers numbers;
    bool shared;
    double *changing; /* the numbers, where they are multiplied first; else NULL */
    const double *factors;
    const pt_stump *last; /* by which they are */
    bool fused;           /* rows are changed when they are read, not beforehand */
    const pt_task *task;
} pt_stump_round;

static inline int64_t pt_stump_feature_room(const pt_stump_search *s, const pt_feature *feature)
{
    return (feature->bins + 1) * s->step;
}

/* Sums of bins (stump_sums.c): worker->hist <- those of the features of a task; search->total. */
void pt_stump_sum_task(const pt_stump_round *x, pt_stump_worker *w, int64_t task);
/* The same of one feature. */
void pt_stump_sum_feature(const pt_stump_round *x, pt_stump_worker *w, int64_t feature);
void pt_stump_sum_rows(const pt_stump_round *x);
/* All numbers, where they change before they are read. */
pt_status pt_stump_change(pt_stump_round *x, pt_error *err);

/* What is best (stump_best.c). worker->best <- the better of itself and feature f. Fails only where
 * the task is stopped. */
pt_status pt_stump_try_feature(const pt_stump_round *x, pt_stump_worker *w, int64_t f,
                               const double *hist, pt_error *err);
/* stump <- the best of what the workers found, sums <- those of its branches where it is shared. */
void pt_stump_take_best(const pt_stump_round *x, pt_stump *stump, double *sums);
/* Which cuts and levels leave enough examples, where somebody asks. */
pt_status pt_stump_counts_init(pt_stump_search *search, const pt_task *task, pt_error *err);
void pt_stump_counts_free(pt_stump_search *search);

#endif
