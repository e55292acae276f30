/* The search for stumps from inside: what its files share. */
#ifndef PT_TREES_STUMP_PARTS_H
#define PT_TREES_STUMP_PARTS_H

#include "base/alloc.h"
#include "trees/stump_loops.h"
#include "trees/stump_search.h"

/* A worker's own. */
typedef struct pt_stump_worker {
    pt_stump_tile tile;
    double *hist;       /* of the features of a block: (bins + 1) x 2 x column_stride each */
    double *group_hist; /* all pairs: the same of one group, by slots */
    double *gains;      /* shared: (most bins + 2) x LANES */
    pt_stump *best;     /* ell; shared: 1 */
    uint64_t *sets;     /* ell x words */
    double *sums;       /* shared: IN, all but missing, missing: 3 x 2 x column_stride */
    double *side;       /* nominal: 3 x 2 x column_stride, IN, all and a trial */
    struct pt_stump_level *level; /* the levels of a feature */
    uint64_t *set;                /* words */
    pt_stump_sides *sides;        /* of the pieces of the rows' slots */
    pt_arena arena;
} pt_stump_worker;

typedef struct pt_stump_level {
    double score;
    int64_t level;
} pt_stump_level;

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
    int64_t column_stride; /* ell, rounded up */
    int64_t step;          /* of a bin: 2 x column_stride, and some */
    int64_t group_step;    /* of a bin of group_hist; 0: no pairs */

    double *mask[2]; /* groups x stride, see pt_stump_numbers */
    uint8_t *way;
    int32_t *list;
    int32_t *listed;
    bool lists;

    int64_t *order;       /* pairs: rows by group, NULL: as they are */
    int64_t *group_start; /* groups + 1 */
    int64_t *block_start; /* groups + 1: blocks of rows before those of a group */
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

static inline int64_t pt_stump_feature_room(const pt_stump_search *s, const pt_feature *feature)
{
    return (feature->bins + 1) * s->step;
}

static inline int64_t pt_stump_group_room(const pt_stump_search *s, const pt_feature *feature)
{
    return (feature->bins + 1) * s->group_step;
}

static inline bool pt_stump_is_listed(const pt_stump_search *s, int64_t f)
{
    return s->table->feature[f].row != NULL;
}

/* The sums of the branches of a test, from those of its IN side, of all known cells and of missing
 * ones; the second sum is so much further. */
static inline void pt_stump_put_sums(pt_stump_rule rule, const double *in, const double *all,
                                     int64_t second, const double *missing, int64_t missing_second,
                                     double sum[PT_BRANCHES][2])
{
    for (int c = 0; c < 2; c++) {
        const double out = all[c * second] - in[c * second];
        sum[PT_BRANCH_IN][c] = in[c * second];
        sum[PT_BRANCH_OUT][c] = c == 1 && rule == PT_STUMP_NEWTON ? out : pt_positive(out);
        sum[PT_BRANCH_MISSING][c] = missing[c * missing_second];
    }
}

/* Which cuts and levels leave enough examples, where somebody asks. */
pt_status pt_stump_counts_init(pt_stump_search *search, const pt_task *task, pt_error *err);
void pt_stump_counts_free(pt_stump_search *search);

/* The best subset of the levels of feature f for a column; stump->in is set in worker->set. */
void pt_stump_best_subset(const pt_stump_search *s, pt_stump_worker *w, const double *hist,
                          int64_t f, int64_t column, pt_stump *stump);
/* The same for all columns: gain and set, and the sums of the IN side in worker->side. Fails only
 * where the task is stopped. */
pt_status pt_stump_shared_subset(const pt_stump_search *search, pt_stump_worker *w,
                                 const double *hist, int64_t f, pt_stump *stump,
                                 const pt_task *task, pt_error *err);
/* The sum over columns, in its order. */
double pt_stump_sum_lanes(const double *lanes);

#endif
