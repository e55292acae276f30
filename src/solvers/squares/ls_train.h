/* Training by regularised least squares on class indicators: the kernel and the ridge of the
 * parameters, the shorter of the two routes of ls_solve.h. */
#ifndef PT_SOLVERS_SQUARES_LS_TRAIN_H
#define PT_SOLVERS_SQUARES_LS_TRAIN_H

#include "base/plan.h"
#include "kernels/expansion.h"
#include "solvers/squares/ls_solve.h"

/* What one solve with m right-hand sides takes. */
pt_status pt_ls_plan(const pt_rows *rows, const pt_params *params, int64_t m, pt_plan *plan,
                     pt_error *err);

/* The kernel of the parameters, checked against the rows that it will meet. */
pt_status pt_ls_kernel(pt_kernel *kernel, const pt_rows *rows, const pt_params *params,
                       pt_error *err);

/* Solves for the indicators of ls->k classes by the shorter route. `parts` <- an expansion with
 * those outputs; its coefficients are the caller's to free or to hand on. */
pt_status pt_ls_train(pt_expansion_parts *parts, const pt_ls_problem *ls, const pt_params *params,
                      pt_type type, const pt_task *task, pt_warnings *warnings, pt_error *err);

#endif
