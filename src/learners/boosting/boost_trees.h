/* AdaBoost on trees of several tests: --depth other than 1. */
#ifndef PT_LEARNERS_BOOSTING_BOOST_TREES_H
#define PT_LEARNERS_BOOSTING_BOOST_TREES_H

#include "learners/learner.h"

/* A pt_boosted of the table entry `ops`. Parameters: rounds, depth, min-leaf, bins, boost,
 * stop-share, patience. */
pt_status pt_boost_trees_fit(pt_learner **out, const pt_learner_ops *ops, const pt_rows *rows,
                             const pt_columns *columns, const pt_params *params,
                             const pt_task *task, pt_texts *warnings, pt_error *err);
void pt_boost_trees_plan(const pt_rows *rows, const pt_columns *columns, const pt_params *params,
                         const pt_task *task, pt_plan *plan);

#endif
