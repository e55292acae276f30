/* What the machines of regularised least squares share: their problem, the points of a search. */
#ifndef PT_VALIDATE_SQUARES_LS_MACHINE_H
#define PT_VALIDATE_SQUARES_LS_MACHINE_H

#include "machine/machine.h"
#include "solvers/squares/ls_train.h"
#include "validate/squares/ls_holdout.h"

/* The problem with its own classes. */
pt_ls_problem pt_ls_problem_of(const pt_problem *problem);

/* The points of a search; the caller frees them. */
pt_status pt_ls_points(pt_ls_point **out, const pt_problem *problem, const pt_params *const *points,
                       int64_t n_points, pt_error *err);

/* The ridge that resolved parameters name: --ridge, or 1 / --C. */
double pt_ls_ridge(const pt_params *params);

/* The guide (machine.h) of oneLSM and others with its decisions; where labels are not classes, of
 * rank-ls (rank_targets.h). */
pt_ls_auto_fn pt_ls_guide(const pt_problem *problem, const pt_params *params);

/* The `holdout` of a machine whose held-out scores are these: the points' kernels and ridges are
 * made of their parameters. */
pt_status pt_ls_holdout_by(pt_ls_auto_fn holdout, const pt_problem *problem,
                           const pt_params *const *points, int64_t n_points,
                           const pt_partitions *partitions, pt_holdout_fn take, void *context,
                           const pt_task *task, pt_error *err);

#endif
