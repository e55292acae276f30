/* Trees as they are kept: stumps, trees and boosted sums of either, for one output or for several.
 *
 *   tree      a root and the nodes below it; a node has a split and three branches
 *   split     of a number: x <= cut; of a level: whether it is in a set
 *   branch    PT_BRANCH_IN: the split holds; PT_BRANCH_OUT: it does not; PT_BRANCH_MISSING: the
 *             cell is missing, or its level was never seen. A tree that sends missing cells to one
 *             of the sides has the same child twice
 *   leaf      `width` values: one of a binary tree, one for each column of a code where a test is
 *             shared by all of them (AdaBoost.MO), one for each class of a multiclass tree
 *
 * Learners of ell columns that grow a tree for each keep them round by round: tree t is of column
 * t % ell, its width is 1. */
#ifndef PT_TREES_FOREST_H
#define PT_TREES_FOREST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/task.h"
#include "base/text.h"
#include "data/rows.h"
#include "store/pack.h"

enum { PT_BRANCH_IN = 0, PT_BRANCH_OUT = 1, PT_BRANCH_MISSING = 2, PT_BRANCHES = 3 };

typedef struct pt_split {
    int64_t feature;
    double cut;  /* of a number */
    int64_t set; /* of levels: where its words begin in pt_forest.words; -1: a number */
} pt_split;

/* A child >= 0 is a node, -1 - c is leaf c. */
typedef struct pt_node {
    pt_split split;
    int64_t child[PT_BRANCHES];
} pt_node;

/* Zero-initialise, then pt_forest_init; free it always. */
typedef struct pt_forest {
    int64_t d;       /* features */
    int64_t *levels; /* d, a copy: levels of a nominal feature, 0: numeric */
    int64_t width;
    int64_t n_trees;
    int64_t *root; /* n_trees, as a child */
    int64_t n_nodes;
    pt_node *node;
    double *gain;  /* n_nodes: by how much each split lowered the criterion that it was found by */
    bool no_gains; /* nobody knows: some are of a file without them */
    int64_t n_leaves;
    double *value; /* n_leaves x width */
    int64_t n_words;
    uint64_t *words; /* sets of levels: level v is bit v % 64 of word v / 64 */
    int64_t tree_room, node_room, gain_room, leaf_room, word_room;
} pt_forest;

/* levels as in pt_rows, NULL: all numeric. */
pt_status pt_forest_init(pt_forest *forest, int64_t d, const int64_t *levels, int64_t width,
                         pt_error *err);
void pt_forest_free(pt_forest *forest);
/* A copy of the trees of another one into a forest without any. PT_EINVAL where the two have other
 * features, levels or widths. */
pt_status pt_forest_take_trees(pt_forest *forest, const pt_forest *from, pt_error *err);

/* Words of a set of that many levels, and whether a level is in one. */
static inline int64_t pt_forest_set_words(int64_t levels)
{
    return (levels + 63) / 64;
}
static inline bool pt_forest_in_set(const uint64_t *words, int64_t level)
{
    return words[level / 64] >> (level % 64) & 1;
}

/* Room in *block for `more` objects after the first `count`; *room, what there is, grows by half,
 * so that adding one costs a constant. */
pt_status pt_forest_room(void **block, int64_t *room, int64_t count, int64_t more, size_t size,
                         pt_error *err);

/* Grow it. A leaf's values, which are finite, are copied; *child is what stands for it. Children
 * come before their node, and a node before its tree. `in` has pt_forest_set_words(levels) words
 * and is NULL for a number; a cut is finite (DBL_MAX: whatever is not missing). A node's gain is 0
 * until somebody says it, finite and not negative. */
pt_status pt_forest_add_leaf(pt_forest *forest, const double *value, int64_t *child, pt_error *err);
pt_status pt_forest_add_node(pt_forest *forest, int64_t feature, double cut, const uint64_t *in,
                             const int64_t child[PT_BRANCHES], int64_t *node, pt_error *err);
pt_status pt_forest_add_tree(pt_forest *forest, int64_t root, pt_error *err);
static inline void pt_forest_set_gain(pt_forest *forest, int64_t node, double gain)
{
    forest->gain[node] = gain;
}
/* Keeps the first n_trees trees. */
void pt_forest_truncate(pt_forest *forest, int64_t n_trees);

/* The branch that a cell takes: a number, or the number of a level; NaN is missing, and so is a
 * number that no level has. */
int pt_forest_branch(const pt_forest *forest, const pt_split *split, double x);
/* The branch that row i takes at a split. */
int pt_forest_way(const pt_forest *forest, const pt_split *split, const pt_rows *rows, int64_t i);
/* The leaf that row i comes to. */
int64_t pt_forest_leaf(const pt_forest *forest, int64_t tree, const pt_rows *rows, int64_t i);

/* outputs (rows.n x ell) += scale * what trees first .. last-1 say. width 1: tree t adds to column
 * t % ell; width ell: every tree adds to all columns. In parallel over blocks of rows; the order of
 * every sum is that of the trees. */
pt_status pt_forest_add(const pt_forest *forest, int64_t first, int64_t last, double scale,
                        const pt_rows *rows, int64_t ell, double *outputs, const pt_task *task,
                        pt_error *err);

/* Takes the outputs after rounds[which] rounds: rows.n x ell row-major, valid during the call. The
 * rounds that are asked for ascend, and are taken in that order. */
typedef pt_status (*pt_staged_fn)(void *context, int64_t which, const double *outputs,
                                  pt_error *err);
/* The outputs as they stood after rounds[0] < rounds[1] < ... of boosting; a round is a tree for
 * each column, or one of all columns (width ell). Each adds to the one before: all of them cost as
 * much as the last alone. */
pt_status pt_forest_staged(const pt_forest *forest, const pt_rows *rows, int64_t ell,
                           const int64_t *rounds, int64_t n_rounds, pt_staged_fn take,
                           void *context, const pt_task *task, pt_error *err);

/* Arrays are lent, or made and kept by the pack. */
pt_status pt_forest_save(const pt_forest *forest, pt_pack *pack, pt_error *err);
/* From arrays that may be hostile: features, children, sets and sizes are checked, trees end.
 * *used <- how many arrays it is made of. */
pt_status pt_forest_load(pt_forest *forest, const pt_pack *pack, int64_t d, int64_t width,
                         int64_t *used, const pt_task *task, pt_error *err);

#endif
