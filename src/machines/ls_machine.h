/* What the machines of regularised least squares share: their plan, their training, the points of a
 * search. */
#ifndef PT_MACHINES_LS_MACHINE_H
#define PT_MACHINES_LS_MACHINE_H

#include "kernels/expansion.h"
#include "machines/ls_holdout.h"
#include "machines/machine.h"

/* The problem with its own classes. */
pt_ls_problem pt_ls_problem_of(const pt_problem *problem);

/* What one solve with m right-hand sides takes. */
pt_status pt_ls_plan(const pt_problem *problem, const pt_params *params, int64_t m, pt_plan *plan,
                     pt_error *err);

/* The kernel of the parameters, checked against the rows that it will meet. */
pt_status pt_ls_kernel(pt_kernel *kernel, const pt_rows *rows, const pt_params *params,
                       pt_error *err);

/* Solves for the indicators of ls->k classes by the shorter route. `parts` <- an expansion with
 * those outputs; its coefficients are the caller's to free or to hand on. */
pt_status pt_ls_train(pt_expansion_parts *parts, const pt_ls_problem *ls, const pt_params *params,
                      pt_type type, const pt_task *task, pt_texts *warnings, pt_error *err);

/* The points of a search; the caller frees them. */
pt_status pt_ls_points(pt_ls_point **out, const pt_problem *problem, const pt_params *const *points,
                       int64_t n_points, pt_error *err);

#endif
