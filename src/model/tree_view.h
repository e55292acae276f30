/* What words and JSON about the trees of a model have in common (model_trees.c). */
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

/* Test `feature` of the forest as the data file calls it: a column of rows; one beyond them, whose
 * input is -1, is the column of the code as an attribute (--single-call). */
pt_output pt_tree_view_output(const pt_tree_view *view, int64_t feature);
/* A cut in the units of the file. */
double pt_tree_view_cut(const pt_tree_view *view, const pt_split *split);
/* Whether each column has trees of its own. */
bool pt_tree_view_by_column(const pt_tree_view *view);

/* One tree as a list, a node before what is below it. */
typedef struct pt_tree_step {
    int64_t child;  /* as in pt_forest */
    int64_t depth;  /* tests above it */
    int64_t parent; /* node, -1: it is the root */
    int branch;     /* of that node, the first of those that lead here */
} pt_tree_step;

typedef struct pt_tree_steps {
    int64_t count;
    pt_tree_step *step;
    pt_tree_step *ahead; /* still to come, the next one last */
    int64_t room, ahead_room;
} pt_tree_steps;

/* Zero-initialise; use it for any number of trees; free it always. A forest from a file whose
 * branches meet again, so that the list would not end in time, is refused. */
pt_status pt_tree_steps_of(pt_tree_steps *steps, const pt_forest *forest, int64_t tree,
                           pt_error *err);
void pt_tree_steps_free(pt_tree_steps *steps);

/* Adds `splits` and, where it is known, `gain` over `feature`, the columns of the data, to a
 * report; nothing where the model has no trees. */
pt_status pt_report_add_gains(pt_report *report, const pt_model *model, pt_error *err);

/* Adds the tests that row i passes on its way to a leaf of tree 0: "a <= 1, color in {red}". */
pt_status pt_tree_path_add(pt_texts *paths, const pt_tree_view *view, const pt_rows *rows,
                           int64_t i, pt_error *err);

pt_status pt_trees_as_words(const pt_tree_view *view, int64_t most_lines, char **text,
                            bool *shortened, pt_error *err);

#endif
