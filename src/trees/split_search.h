/* The best split of a node: over all features, cuts, sets of levels, sides for missing cells. */
#ifndef PT_TREES_SPLIT_SEARCH_H
#define PT_TREES_SPLIT_SEARCH_H

#include <stdbool.h>

#include "trees/feature_test.h"
#include "trees/impurity.h"

/* An example in a node. */
typedef struct pt_node_example {
    int32_t row;   /* of the table */
    int32_t class; /* 0 of a regression */
    double w;
    double wz; /* of a regression */
} pt_node_example;

/* What all nodes of a tree have in common. */
typedef struct pt_split_rules {
    const pt_feature_table *table;
    pt_criterion criterion;
    pt_judge_fn judge;
    int64_t sums;        /* kept of a node: k, or 2 of a regression */
    int64_t min_leaf;    /* rows */
    double min_weight;   /* and what they weigh: the sums of classes, or */
    bool by_mass;        /*   another weight of rows, */
    const double *mass;  /*   this one; NULL: 1 */
    int64_t most_bins;   /* of a feature, that of missing cells included */
    int64_t most_levels; /* of a nominal feature */
    int64_t *offset;     /* d + 1: where the cells of a feature begin in a histogram */
} pt_split_rules;

pt_status pt_split_rules_init(pt_split_rules *rules, const pt_feature_table *table,
                              pt_criterion criterion, int64_t k, int64_t min_leaf, pt_error *err);
void pt_split_rules_free(pt_split_rules *rules);

/* A node that is to be split. Its histogram: for each feature and bin the sums and the number of
 * rows, one after the other; NULL: there is none, rows are put in order instead. */
typedef struct pt_split_node {
    const pt_node_example *entry;
    int64_t m;
    const double *total; /* sums */
    const double *cells; /* offset[d] numbers */
} pt_split_node;

/* A split that was found. The words of its set lie in the scratch space. */
typedef struct pt_found {
    double value; /* INFINITY: none was found */
    double gap;   /* between the sides of a cut, as a share of the feature's bins; of sets 0 */
    pt_test test;
    bool missing_in; /* where missing cells go */
    bool whole;      /* known cells are in, missing ones out: both sides of the test */
} pt_found;

typedef struct pt_split_scratch pt_split_scratch;

/* For nodes of at most n rows. */
pt_status pt_split_scratch_new(pt_split_scratch **out, const pt_split_rules *rules, int64_t n,
                               pt_error *err);
void pt_split_scratch_free(pt_split_scratch *scratch);
double pt_split_scratch_bytes(int64_t n, int64_t most_bins, int64_t most_levels, int64_t sums);

/* Before the first feature of a node. */
void pt_split_begin(pt_split_scratch *scratch, const pt_split_rules *rules,
                    const pt_split_node *node);
/* The best split of one more feature, against those before. Equal ones: that with the widest gap,
 * then that of the lowest feature, in whatever order they come. */
void pt_split_search(pt_split_scratch *scratch, int64_t feature);
const pt_found *pt_split_found(const pt_split_scratch *scratch);
/* Whether a is to be preferred. */
bool pt_split_better(const pt_found *a, const pt_found *b);

/* Histograms, of `count` features from `first` on: cells <- those of m entries; cells -= others. A
 * few features together are filled faster than one after the other: PT_FILLED of them. */
enum { PT_FILLED = 4 };
void pt_cells_fill(const pt_split_rules *rules, const pt_node_example *entry, int64_t m,
                   int64_t first, int64_t count, double *cells);
void pt_cells_subtract(const pt_split_rules *rules, int64_t first, int64_t count, double *cells,
                       const double *others);

#endif
