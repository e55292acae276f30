/* See learner_tree.c. */
#ifndef PT_LEARNERS_LEARNER_TREE_H
#define PT_LEARNERS_LEARNER_TREE_H

#include "learners/learner.h"
#include "trees/impurity.h"

/* That of --criterion. */
pt_criterion pt_tree_criterion(const pt_params *params);
/* --depth, 0 where it is auto. */
int64_t pt_tree_depth(const pt_params *params);

#endif
