/* What words and JSON about the trees of a model have in common. Shared by model_trees*.c only. */
#ifndef PT_MODEL_TREE_VIEW_H
#define PT_MODEL_TREE_VIEW_H

#include "model/model.h"
#include "trees/forest.h"

typedef struct pt_tree_view {
    const pt_model *model;
    const pt_forest *forest;
    bool shares;         /* leaves are logarithms of shares of classes */
    const pt_code *code; /* whose columns the leaves add to; NULL with shares */
    int64_t ell;         /* outputs that a tree of width 1 takes turns in; 1: single call too */
} pt_tree_view;

/* forest is NULL where the model is not made of trees. */
pt_tree_view pt_tree_view_of(const pt_model *model);

/* Test `feature` of the forest: a column of rows; one beyond them is the column of the code as an
 * attribute (--single-call). */
bool pt_tree_view_is_column(const pt_tree_view *view, int64_t feature);

/* A walk over one tree, a node before what is below it. */
typedef struct pt_tree_step {
    int64_t child;  /* as in pt_forest */
    int64_t depth;  /* tests above it */
    int64_t parent; /* node, -1: it is the root */
    int branch;     /* of that node, the first of those that lead here */
} pt_tree_step;

typedef struct pt_tree_walk {
    const pt_forest *forest;
    pt_tree_step *stack;
    int64_t count, room;
    int64_t steps; /* made so far */
} pt_tree_walk;

/* Zero-initialise; end it always. */
pt_status pt_tree_walk_begin(pt_tree_walk *walk, const pt_forest *forest, int64_t tree,
                             pt_error *err);
/* *step <- the next; its child is INT64_MIN at the end. A forest from a file whose branches meet
 * again, so that a walk would not end in time, is refused. */
pt_status pt_tree_walk_next(pt_tree_walk *walk, pt_tree_step *step, pt_error *err);
void pt_tree_walk_end(pt_tree_walk *walk);

pt_status pt_trees_as_words(const pt_tree_view *view, int64_t most_lines, char **text,
                            bool *shortened, pt_error *err);
pt_status pt_trees_as_json(const pt_tree_view *view, char **text, pt_error *err);

#endif
