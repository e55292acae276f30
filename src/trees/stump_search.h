/* The best stump of every column of a code, or the one test that is best for all columns together.
 *
 * A stump asks one question of one feature and has a branch for either answer and one for missing
 * cells (forest.h). What it is judged by are two sums of each branch and column:
 *
 *   rule         numbers of the rows            sums of a branch               the best has
 *   DISCRETE     first: D >= 0               + = sum of D on the plus side,  max sum |(+) - (-)|
 *   CONFIDENCE   first: D >= 0               - = that on the minus side      min sum sqrt((+)(-))
 *   NEWTON       first: w >= 0, second: w z  sum of w, sum of w z            max sum (wz)^2 / w
 *
 * each of the outer sums over the three branches, and of a shared test over the columns too.
 * `gain` is that number; of CONFIDENCE its negative. Ties: the lowest feature, then the lowest cut.
 *
 * Numbers of the rows are n x stride, row-major, as pt_stump_layout says. Of a code the slots of a
 * row are its columns; a row that takes no part in a column has 0 there. Of all pairs of groups
 * a row has one slot for each group, its opponent, since it takes part in no other column: slot q
 * of a row of group g is the column of the pair (g, q), slot g itself is 0. Slots from `width` to
 * `stride` are 0.
 *
 *     pt_stump_search *search;
 *     pt_stump_search_new(&search, &table, &columns, &options, task, err);
 *     const pt_stump_layout layout = pt_stump_columns_layout(&columns);
 *     ... first, second: n x layout.stride ...
 *     every round:
 *         pt_stump_search_each(search, first, second, stump, task, err);   stump: ell
 *         values of the branches from stump[s].sum -> pt_stump_plant(...)  into a forest
 *         change the numbers, or leave that to pt_stump_search_next
 *
 * The order of sums, which makes results the same on any number of threads, in exact tables and in
 * histograms with a bin for each value, and equal to the textbook's:
 *   a bin        its rows in their order, from 0, for + and - apart (NEWTON of all pairs: the rows
 *                of the first group, plus those of the second)
 *   of a listed feature (feature_table.h) the common bin: all rows in their order, less the other
 *                bins; 0 where that is below 1e-14 of all
 *   the IN side  its bins in their order, from 0; all bins but that of missing cells: likewise
 *   the OUT side all bins less the IN side, and 0 where that is negative of what cannot be
 *   a gain       (IN + OUT) + missing, rounded to 40 bits before and after the last sum, so that
 *                equal gains are equal whatever the order of the examples
 *   over columns columns s, s + 8, s + 16, ... first, then ((0+1)+(2+3)) + ((4+5)+(6+7)) of these
 *
 * Nominal features. For one column levels are ordered by (+ - -)/(+ + -), or z, and cut, the higher
 * ones are IN: the best subset is among those, since all three rules are convex in the sums of
 * a side. Levels without weight in the column join the heavier side. A shared test begins with the
 * best level against the rest and moves single levels, in their order, as long as that gains, in at
 * most 64 passes over them: the best subset for many columns is not found by any order of the
 * levels.
 *
 * min_leaf: examples of the column on either side, whatever their weight in the search, and
 * min_weight: what they weigh by themselves; of a shared test, of all rows. Subsets that leave too
 * few are passed over in the order above. The missing branch may have
 * fewer, and so may the test that asks only whether the cell is missing; it is a constant where
 * none is. */
#ifndef PT_TREES_STUMP_SEARCH_H
#define PT_TREES_STUMP_SEARCH_H

#include "trees/feature_test.h"

typedef enum pt_stump_rule {
    PT_STUMP_DISCRETE = 0,
    PT_STUMP_CONFIDENCE = 1,
    PT_STUMP_NEWTON = 2
} pt_stump_rule;

/* As pt_columns of a learner. */
typedef struct pt_stump_columns {
    int64_t groups;
    int64_t ell;
    bool pairs;              /* all pairs of groups: sign is NULL */
    const int8_t *sign;      /* groups x ell */
    const int64_t *group_of; /* n */
} pt_stump_columns;

typedef struct pt_stump_options {
    pt_stump_rule rule;
    bool below; /* DISCRETE, numeric features only: + at or below the cut, - above, never turned
                   round; any cut counts, those that have all cells on one side too */
    int64_t min_leaf;
    double threads_from;  /* numbers added in a search that are worth a second thread */
    double min_weight;    /* what either side of a test weighs at least, */
    const double *weight; /*   n: by these weights of examples; NULL: 1 */
} pt_stump_options;

/* About two milliseconds: what boosting asks for, whose threads meet in every round. */
#define PT_STUMP_THREADS_FROM 0x1p24

typedef struct pt_stump_layout {
    int64_t width;
    int64_t stride;
    bool pairs;
} pt_stump_layout;

typedef struct pt_stump {
    pt_test test; /* its set is lent until the next call or the end of the search */
    double gain;
    double sum[PT_BRANCHES][2]; /* +, - or w, wz; not of a shared test */
} pt_stump;

typedef struct pt_stump_search pt_stump_search;

/* Table and columns are lent until pt_stump_search_free. */
pt_status pt_stump_search_new(pt_stump_search **out, const pt_feature_table *table,
                              const pt_stump_columns *columns, const pt_stump_options *options,
                              const pt_task *task, pt_error *err);
void pt_stump_search_free(pt_stump_search *search);
/* Bytes of a search in a table of these rows (bins: as pt_feature_table_init), at most, for plans.
 * Signs and groups of rows are not looked at. counted: with min_leaf or min_weight. */
double pt_stump_search_bytes(const pt_stump_columns *columns, const pt_rows *rows, int64_t bins,
                             bool counted, int threads);

/* What rows will need before there is a search. */
pt_stump_layout pt_stump_columns_layout(const pt_stump_columns *columns);
/* The column of slot q of rows of group g, -1: none; *sign: the side they are on, 0: neither. */
int64_t pt_stump_column(const pt_stump_columns *columns, int64_t g, int64_t q, int *sign);

/* stump: ell. second: of NEWTON; other rules do not look at it. Time: O(n d ell / vector), in
 * parallel over features. */
pt_status pt_stump_search_each(pt_stump_search *search, const double *first, const double *second,
                               pt_stump *stump, const pt_task *task, pt_error *err);
/* One test for all columns; sums: ell x PT_BRANCHES x 2. */
pt_status pt_stump_search_shared(pt_stump_search *search, const double *first, const double *second,
                                 pt_stump *stump, double *sums, const pt_task *task, pt_error *err);
/* Either after a round of boosting: numbers are first multiplied by the factors of the branches
 * that rows take by the stumps as they stand, and read while they are still in the cache. The
 * factors of a row are PT_BRANCHES x stride, those of its group: at factors + group x PT_BRANCHES x
 * stride. A column without a stump has all rows IN. sums NULL: the best of each column. */
pt_status pt_stump_search_next(pt_stump_search *search, const double *factors, double *first,
                               pt_stump *stump, double *sums, const pt_task *task, pt_error *err);

/* A round that was made before, without a search: its tests are known. First the numbers are
 * changed by the stumps before, as pt_stump_search_next does (shared: one test of all columns);
 * then stump[].sum, or `sums` of a shared test, of the tests that are given (feature -1: none)
 * become what the search had found, to the bit. Time: O(n ell) each. */
pt_status pt_stump_search_change(pt_stump_search *search, const double *factors, double *first,
                                 const pt_stump *stump, bool shared, const pt_task *task,
                                 pt_error *err);
pt_status pt_stump_search_known(pt_stump_search *search, const double *first, const double *second,
                                pt_stump *stump, double *sums, const pt_task *task, pt_error *err);

/* The stump as a tree at the end of a forest: value is PT_BRANCHES x forest->width. A feature of
 * -1: a tree that is one leaf, the IN value. */
pt_status pt_stump_plant(const pt_feature_table *table, const pt_stump *stump, const double *value,
                         pt_forest *forest, pt_error *err);

#endif
