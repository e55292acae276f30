/* Grows one tree for weighted examples: binary margin trees, trees of several classes, regression
 * trees of boosting. What grew keeps the sums of every node, so that it can be pruned, and planted
 * in a forest with leaves of any kind. */
#ifndef PT_TREES_GROW_H
#define PT_TREES_GROW_H

#include "trees/feature_table.h"
#include "trees/forest.h"
#include "trees/impurity.h"

/* Row numbers sorted by groups: those of group g are row[start[g]] .. row[start[g + 1] - 1].
 * Zero-initialise; free it always. */
typedef struct pt_grow_groups {
    int64_t count;
    int64_t *start; /* count + 1 */
    int64_t *row;   /* n */
} pt_grow_groups;

pt_status pt_grow_groups_init(pt_grow_groups *groups, const int64_t *group_of, int64_t n,
                              int64_t count, pt_error *err);
void pt_grow_groups_free(pt_grow_groups *groups);

/* Row i of the table takes part where class_of_group[group_of[i]] >= 0, and that is its class. */
typedef struct pt_grow_problem {
    const pt_feature_table *table;
    const int64_t *group_of;       /* of each row of the table; NULL: all are in group 0 */
    const int64_t *class_of_group; /* NULL: a group is a class */
    const pt_grow_groups *groups;  /* rows by groups, so that only those that take part are looked
                                      at; NULL: all are */
    int64_t k;                     /* classes; of a regression any */
    const double *weight;          /* of each row of the table, not negative; NULL: 1 */
    int64_t weight_stride; /* row i has weight[i * weight_stride + slot of its group] where */
    const int64_t *slot_of_group; /*   this is not NULL; else weight[i] */
    const double *target;         /* of each row, with PT_CRITERION_SQUARES; else NULL */
    pt_criterion criterion;
    int64_t depth;      /* tests from the root to a leaf at most; 0: no limit */
    int64_t min_leaf;   /* rows of a leaf at least */
    double min_weight;  /* what they weigh at least; of regressions by `mass` only */
    bool by_mass;       /* which is not `weight` then, */
    const double *mass; /*   but this, of each row of the table; NULL: 1 */
} pt_grow_problem;

typedef struct pt_grown_node {
    int64_t feature; /* -1: a leaf */
    double cut;
    int64_t set;                /* where its words begin; -1: a number */
    int64_t child[PT_BRANCHES]; /* nodes, larger than this one; two of them are the same */
    int64_t first;              /* its rows: row[first] .. row[first + count - 1] */
    int64_t count;
    double gain; /* by how much its split lowered the criterion; of a known tree 0 */
} pt_grown_node;

/* Zero-initialise; free it always. Node 0 is the root. */
typedef struct pt_grown {
    int64_t sums; /* kept of each node: weights of the k classes; w and w z of a regression */
    int64_t n_nodes;
    pt_grown_node *node;
    double *sum; /* n_nodes x sums */
    int64_t n_words;
    uint64_t *words;
    int64_t n_rows;
    int32_t *row; /* those that take part, by leaves */
    int64_t node_room, sum_room, word_room;
} pt_grown;

/* In parallel over the features of large nodes and over small subtrees; the same tree for any
 * number of threads. At least one row must take part.
 * Time: O(n d) a level, times the classes that a node has where its values are all distinct. */
pt_status pt_grow(pt_grown *tree, const pt_grow_problem *problem, const pt_task *task,
                  pt_error *err);
void pt_grown_free(pt_grown *tree);
/* A tree that a forest has, of a problem that it grew on: its leaves, with the sums and rows that
 * growing would have given them, to the bit, in the same order. What is between the root and them
 * is left out: it is not for planting. False in *fits: some leaf gets no row, so that it did not
 * grow on these. rows: those of the table. */
pt_status pt_grow_known(pt_grown *tree, const pt_grow_problem *problem, const pt_forest *forest,
                        int64_t number, const pt_rows *rows, bool *fits, const pt_task *task,
                        pt_error *err);
/* Frees the list of rows: what is kept for planting later. */
void pt_grown_drop_rows(pt_grown *tree);
/* Bytes that growing takes beside the table, as if each of `workers` grew one at the same time. */
double pt_grow_bytes(const pt_rows *rows, int64_t bins, int64_t sums, int workers);

/* Cost-complexity pruning (CART, chapter 3): the smallest of the prunings with the least
 *     R(T) + alpha |leaves of T|,     R(T) the share of the weight that its leaves get wrong,
 * a leaf being wrong about all but its heaviest class. alpha 0: nothing is pruned. */
pt_status pt_grown_prune(pt_grown *tree, double alpha, pt_error *err);
int64_t pt_grown_leaves(const pt_grown *tree);

/* The sums of a node become the shares of the classes there, (w_r + c/k) / (W + c), drawn towards
 * those of the nodes above it the more the lighter they are: hierarchical shrinkage by lambda >= 0,
 * a weight. 0: the shares themselves. c > 0; not for regressions, and not to be pruned again. */
pt_status pt_grown_shrink(pt_grown *tree, double lambda, double c, pt_error *err);

/* What a leaf says: value (width of the forest) from the sums of its node. */
typedef void (*pt_leaf_fn)(const double *sum, int64_t sums, const void *context, double *value);

/* The weight of one example more, for leaves that are corrected by it: that of the lightest of n
 * examples, 1 where weight is NULL. So the unit of weights does not matter, and an example of
 * weight 2 among others of weight 1 is still the example twice. */
double pt_leaf_one_more(const double *weight, int64_t n);

/* ln((w+ + c) / (w- + c)) / 2, context: c, a double. Class 1 is +, class 0 is -. */
void pt_leaf_half_log(const double *sum, int64_t sums, const void *context, double *value);
/* (w+ - w-) / (w+ + w-); no context. */
void pt_leaf_difference(const double *sum, int64_t sums, const void *context, double *value);
/* ln of each sum, which is above 0; no context. */
void pt_leaf_logs(const double *sum, int64_t sums, const void *context, double *value);
/* The first of the sums, which somebody has put what is said in place of; no context. */
void pt_leaf_first(const double *sum, int64_t sums, const void *context, double *value);
/* sum w z / (sum w + c), context: c, a double. */
void pt_leaf_mean(const double *sum, int64_t sums, const void *context, double *value);

/* Adds it to a forest as one more tree. */
pt_status pt_grown_plant(const pt_grown *tree, pt_forest *forest, pt_leaf_fn leaf,
                         const void *context, pt_error *err);
/* f[i * stride] += scale * what the leaf of row i says, for rows that take part. Leaves of one
 * value only. */
void pt_grown_add(const pt_grown *tree, pt_leaf_fn leaf, const void *context, double scale,
                  double *f, int64_t stride);

#endif
