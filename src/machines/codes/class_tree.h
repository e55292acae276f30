/* A tree of classes: each inner node splits its classes in two, by a column that is learned, until
 * every class is alone (CS sections 3 and 8 name trees as a use of their Theorem 1).
 *
 * The tree is a code: a column for each of the k - 1 inner nodes, in which the classes of the node
 * are at + or at -, and all others take no part. */
#ifndef PT_MACHINES_CODES_CLASS_TREE_H
#define PT_MACHINES_CODES_CLASS_TREE_H

#include "machine/machine.h"

/* Grows it with the learner of the parameters. A node of three or more classes
 *
 *     tries several splits: all of them up to four classes, else two halves of the classes in their
 *     order and random halves, and takes the best column for what one of them has learned;
 *     learns that column, and takes the best one for what it learned then, until it stays;
 *     keeps the column that, learned, has the smallest expected error (CS eq. (1)).
 *
 * The best column is that of Theorem 1 (discrete.h). Outputs are those of machines that
 * have not seen the row, with --design-folds 0 those on rows that were learned. All nodes of a
 * level are learned at once. *code: zero; freed by the caller. */
pt_status pt_class_tree_grow(pt_code *code, const pt_problem *problem, const pt_params *params,
                             const pt_task *task, pt_error *err);

/* *text <- the tree in words, ((a | b) | c), which the caller frees: at a node the classes at +
 * come first. Of a tree that was grown. */
pt_status pt_class_tree_words(char **text, const pt_code *tree, const pt_texts *names,
                              pt_error *err);

/* The tree that halves the classes in their order, for plans. */
pt_status pt_class_tree_halves(pt_code *code, int64_t k, pt_error *err);

/* How many columns are learned at once where the tree is grown, at most. */
int64_t pt_class_tree_most_columns(int64_t k);

#endif
