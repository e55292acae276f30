/* Labels of any kind as numbers to regress on, and least squares on them: for rank-ls. */
#ifndef PT_VALIDATE_SQUARES_RANK_TARGETS_H
#define PT_VALIDATE_SQUARES_RANK_TARGETS_H

#include "machine/machine.h"
#include "validate/squares/ls_holdout.h"

/* Y (n x k, column-major) <- the targets of the labels, whole numbers:
 *
 *   set                     +1 for a class of the set, -1 for another
 *   class, ranking, pairs   classes below r - classes above r in the partial order that the label
 *                           is: of a full ranking the rank, centred; the best class has k - 1, the
 *                           last 1 - k, classes that tie have the same. What follows from pairs
 *                           counts as if it was said. A class of which the label says nothing
 *                           stands in the middle, at 0.
 *
 * Sums of whole numbers are exact: classes that stand equally high on average have the same mean to
 * the last bit, in whatever order it was summed up, and stay tied. */
pt_status pt_rank_targets(double *Y, const pt_labels *labels, pt_error *err);

/* mean (k) <- the means of the targets by weight. */
void pt_rank_means(double *mean, const double *Y, const pt_problem *problem);

/* Held-out scores of rank-ls at points of a search (a pt_ls_auto_fn). */
pt_status pt_rank_holdout(const pt_problem *problem, const pt_params *params,
                          const pt_ls_point *points, int64_t n_points,
                          const pt_partitions *partitions, pt_holdout_fn take, void *context,
                          const pt_task *task, pt_error *err);

#endif
