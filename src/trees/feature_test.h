/* What every search for splits finds: a test of one feature of a table, in bins. And sets of
 * levels, and the order in which they are tried. */
#ifndef PT_TREES_FEATURE_TEST_H
#define PT_TREES_FEATURE_TEST_H

#include "trees/feature_table.h"
#include "trees/forest.h"

typedef struct pt_test {
    int64_t feature;     /* -1: there is none, and all rows are IN */
    int64_t bin;         /* of a number: bins up to this one are IN; -1: none is */
    int64_t next;        /* where bins behind it are empty: the first that is not */
    const uint64_t *set; /* of levels: those that are IN, lent by the search; NULL: a number */
} pt_test;

static inline int pt_test_branch_of(const pt_feature *feature, const pt_test *test, int64_t bin)
{
    if (bin == feature->bins)
        return PT_BRANCH_MISSING;
    const bool in = test->set ? pt_forest_in_set(test->set, bin) : bin <= test->bin;
    return in ? PT_BRANCH_IN : PT_BRANCH_OUT;
}

/* The branch of row i. */
int pt_test_branch(const pt_feature_table *table, const pt_test *test, int64_t i);
/* branch (count) <- those of some rows, which ascend; row NULL: of the first ones. */
void pt_test_branches(const pt_feature_table *table, const pt_test *test, const int64_t *row,
                      int64_t count, uint8_t *branch);
/* Whether no row is left out between ascending ones. */
static inline bool pt_rows_adjoin(const int64_t *row, int64_t count)
{
    return !row || row[count - 1] - row[0] == count - 1;
}

/* The cut of the test of a number: the middle between the two bins; -DBL_MAX where nothing is IN,
 * DBL_MAX where everything is. */
double pt_test_cut(const pt_feature_table *table, const pt_test *test);

/* *test <- that of a node of a forest, its set lent by the forest; false: the table has no such
 * test, since it is of other rows. Tests between bins that are not neighbours are not found. */
bool pt_test_of_split(pt_test *test, const pt_feature_table *table, const pt_forest *forest,
                      const pt_split *split);

/* A level, for putting them in order: the highest score first, then the lowest number. */
typedef struct pt_scored_level {
    double score;
    int64_t level;
} pt_scored_level;

void pt_levels_sort(pt_scored_level *level, int64_t count);

static inline void pt_set_put(uint64_t *set, int64_t level, bool in)
{
    const uint64_t bit = (uint64_t)1 << (level % 64);
    set[level / 64] = in ? set[level / 64] | bit : set[level / 64] & ~bit;
}

#endif
