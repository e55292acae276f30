/* The system of vo-LSSVM, part by part. */
#ifndef PT_MACHINES_SQUARES_VO_SOLVE_H
#define PT_MACHINES_SQUARES_VO_SOLVE_H

#include "codes/vectors/label_space.h"
#include "kernels/kernel.h"
#include "machine/machine.h"

typedef enum pt_bias_rule {
    PT_BIAS_NONE,
    PT_BIAS_EXACT,    /* free: the bordered system */
    PT_BIAS_PENALISED /* regularised as the rest: the kernel K + 1 */
} pt_bias_rule;

/* beta (n) <- the solution of (P o K + ridge W^-1) beta = 1, P_ij = Q[y_i, y_j], with the bias
 * asked for; c (k) <- the bias on the class outputs. To a relative residual of 1e-10. */
pt_status pt_vo_solve(const pt_problem *problem, const pt_label_space *space,
                      const pt_kernel *kernel, double ridge, pt_bias_rule rule, double *beta,
                      double *c, const pt_task *task, pt_warnings *warnings, pt_error *err);

/* Refuses an exact bias that would make the machine a constant (HNR; pt_label_range_has_ones). */
pt_status pt_vo_check_bias(const pt_label_space *space, const pt_labels *labels, pt_error *err);

/* The same for the classes that have rows: where one has none, as in a fold, label vectors that sum
 * to 0 are independent. PT_ENUMERIC: no fault of the parameters, but these rows have no answer. */
pt_status pt_vo_check_bias_rows(const pt_label_space *space, const pt_labels *labels,
                                pt_error *err);

/* Bytes and multiplications, and how many parts there are. */
pt_status pt_vo_solve_plan(const pt_problem *problem, const pt_label_space *space,
                           pt_bias_rule rule, pt_plan *plan, pt_error *err);

#endif
