/* Machines with a joint kernel of inputs and outputs in place of P o K (HNR section 7.2).
 *
 * Row i of the data has k blocks of n columns, classes in sorted order: block r, column j is
 * J((x_i, r), (x_j, y_j)). Training uses block y_i, a symmetric n x n matrix; the score of class r
 * is sum_j beta_j J((x, r), (x_j, y_j)). */
#ifndef PT_MACHINES_SQUARES_JOINT_H
#define PT_MACHINES_SQUARES_JOINT_H

#include "machines/squares/vector_machine.h"
#include "validate/squares/ls_holdout.h"

/* The n x n matrix J((x_i, y_i), (x_j, y_j)) as rows of a precomputed kernel; refuses data that
 * cannot be a joint kernel. */
pt_status pt_joint_matrix(pt_rows_owned *out, const pt_problem *problem, pt_error *err);

/* Refuses what makes no sense beside a joint kernel: label vectors, a bias, decoders of outputs. */
pt_status pt_joint_check_params(const pt_params *params, pt_error *err);

/* The same, then the labelbook that stands for it: one score for each class, as indicators have. */
pt_status pt_joint_settle(pt_params *params, pt_error *err);

/* Gives a machine its coefficients, one for each row. */
pt_status pt_joint_set_beta(pt_vector_machine *m, const pt_problem *problem,
                            const pt_kernel *kernel, const double *beta, pt_error *err);

/* beta (n) <- (J + ridge W^-1)^-1 1, to a relative residual of 1e-10. */
pt_status pt_joint_solve(const pt_problem *problem, double ridge, double *beta, const pt_task *task,
                         pt_warnings *warnings, pt_error *err);

/* Held-out scores of the machine with these coefficients, in closed form and in double. */
pt_status pt_joint_holdout(const pt_problem *problem, const pt_ls_point *points, int64_t n_points,
                           const pt_partitions *partitions, pt_holdout_fn take, void *context,
                           const pt_task *task, pt_error *err);

/* Bytes that pt_joint_solve holds. */
double pt_joint_bytes(const pt_rows *rows, int64_t k);

#endif
