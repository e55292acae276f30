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

#endif
