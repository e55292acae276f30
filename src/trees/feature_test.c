/* Tests of binned features (feature_test.h): which branch rows take, where a cut is. */
#include "trees/feature_test.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

int pt_test_branch(const pt_feature_table *table, const pt_test *test, int64_t i)
{
    if (test->feature < 0)
        return PT_BRANCH_IN;
    const pt_feature *feature = &table->feature[test->feature];
    return pt_test_branch_of(feature, test, pt_feature_bin(feature, i));
}

void pt_test_branches(const pt_feature_table *table, const pt_test *test, const int64_t *row,
                      int64_t count, uint8_t *branch)
{
    if (test->feature < 0) {
        memset(branch, PT_BRANCH_IN, (size_t)count);
        return;
    }
    const pt_feature *feature = &table->feature[test->feature];
    if (feature->row) { /* both the list and the rows ascend */
        const uint8_t common = (uint8_t)pt_test_branch_of(feature, test, feature->common);
        int64_t at = row ? pt_feature_place(feature, row[0]) : 0;
        for (int64_t j = 0; j < count; j++) {
            const int64_t i = row ? row[j] : j;
            while (at < feature->listed && feature->row[at] < i)
                at++;
            const bool listed = at < feature->listed && feature->row[at] == i;
            branch[j] =
                listed ? (uint8_t)pt_test_branch_of(feature, test, pt_feature_listed(feature, at))
                       : common;
        }
    } else if (feature->bin && !test->set && pt_rows_adjoin(row, count)) {
        const uint8_t *bin = feature->bin + (row ? row[0] : 0);
        const int16_t in = (int16_t)test->bin; /* narrow numbers, so that vectors hold many */
        const int16_t missing = (int16_t)feature->bins;
        for (int64_t j = 0; j < count; j++)
            branch[j] = (uint8_t)(bin[j] <= in        ? PT_BRANCH_IN
                                  : bin[j] == missing ? PT_BRANCH_MISSING
                                                      : PT_BRANCH_OUT);
    } else {
        for (int64_t j = 0; j < count; j++)
            branch[j] = (uint8_t)pt_test_branch_of(feature, test,
                                                   pt_feature_listed(feature, row ? row[j] : j));
    }
}

double pt_test_cut(const pt_feature_table *table, const pt_test *test)
{
    const pt_feature *feature = &table->feature[test->feature];
    if (test->bin < 0)
        return -DBL_MAX;
    if (test->bin >= feature->bins - 1)
        return DBL_MAX;
    const double *cut = feature->cut;
    return test->next > test->bin + 1 ? cut[test->bin] / 2 + cut[test->next - 1] / 2
                                      : cut[test->bin];
}

bool pt_test_of_split(pt_test *test, const pt_feature_table *table, const pt_forest *forest,
                      const pt_split *split)
{
    if (split->feature < 0 || split->feature >= table->d)
        return false;
    const pt_feature *feature = &table->feature[split->feature];
    *test = (pt_test){.feature = split->feature};
    if (split->set >= 0 || feature->levels > 0) {
        test->bin = -1;
        test->set = split->set >= 0 ? forest->words + split->set : NULL;
        return split->set >= 0 && feature->levels == forest->levels[split->feature];
    }
    int64_t low = 0; /* the first cut that is not below */
    int64_t high = feature->bins - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (feature->cut[middle] < split->cut)
            low = middle + 1;
        else
            high = middle;
    }
    test->bin = split->cut == -DBL_MAX ? -1 : low;
    return pt_test_cut(table, test) == split->cut;
}

static int by_score(const void *x, const void *y)
{
    const pt_scored_level *a = x;
    const pt_scored_level *b = y;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->level > b->level) - (a->level < b->level);
}

void pt_levels_sort(pt_scored_level *level, int64_t count)
{
    qsort(level, (size_t)count, sizeof *level, by_score);
}
