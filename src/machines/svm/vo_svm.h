/* vo-SVM (HNR): its quadratic program, with or without a bias. Shared by training and held-out
 * scores. */
#ifndef PT_MACHINES_SVM_VO_SVM_H
#define PT_MACHINES_SVM_VO_SVM_H

#include "codes/vectors/label_space.h"
#include "machine/machine.h"
#include "solvers/dual/box_qp.h"

typedef enum pt_vo_bias {
    PT_VO_NO_BIAS,
    PT_VO_EXACT,    /* the multiplier of Y^T beta = 0 (Szedmak) */
    PT_VO_MEAN,     /* the same beta; the bias is a mean over support vectors (HNR) */
    PT_VO_PENALISED /* the kernel K + 1 */
} pt_vo_bias;

typedef struct pt_vo_svm {
    double C;
    double gap;
    pt_vo_bias bias;
} pt_vo_svm;

/* From resolved parameters; refuses --bias-rule without --bias. */
pt_status pt_vo_svm_read(pt_vo_svm *svm, const pt_params *params, pt_error *err);

/* Refuses label vectors with which a bias alone meets every constraint: some b has M b > 0. */
pt_status pt_vo_svm_check_bias(const pt_vo_svm *svm, const pt_label_space *space, pt_error *err);

typedef struct pt_vo_svm_result {
    pt_box_result qp;
    double off; /* an exact bias: ||Y^T beta|| relative to sum_i beta_i ||y_i||; 0 is feasible */
} pt_vo_svm_result;

/* u_i = C w_i */
void pt_vo_svm_bounds(const pt_vo_svm *svm, int64_t n, const double *weight, double *u);

/* Solves qp, whose groups are classes and whose p, shift and gap are set here. beta (n): the start
 * and the solution. c (groups): the bias on the class outputs, 0 on entry or that of a problem
 * nearby; with PT_VO_MEAN it is that of PT_VO_EXACT, and the mean is up to the caller. PT_ENUMERIC
 * where a class has no example with u_i > 0 and a bias alone meets every constraint of the others.
 */
pt_status pt_vo_svm_solve(const pt_vo_svm *svm, pt_box_qp qp, double *beta, double *c,
                          pt_vo_svm_result *result, const char *stage, const pt_task *task,
                          pt_error *err);

/* A coefficient at its bound begins at the new one; the others begin where they are, as far as they
 * may. */
double pt_vo_svm_carry(double beta, double before, double bound);

/* Warns of an end away from the solution: `value`, `gap` and `off` of all parts together. */
pt_status pt_vo_svm_warn(const pt_vo_svm *svm, double value, double gap, double off, pt_type type,
                         pt_warnings *warnings, pt_error *err);

/* The bias of PT_VO_MEAN (HNR), on class outputs: the mean of y_i - f(x_i) over support vectors.
 * Adds the term of one of `count`, of class `own`, whose class outputs are g (k). */
void pt_vo_svm_add_to_mean(double *mean, const double *g, int64_t own, int64_t k, int64_t count);

/* ---- held-out scores: vo_svm_holdout.c ------------------------------------------------------- */

/* The holdout of pt_machine_ops. Results do not depend on the number of threads. */
pt_status pt_vo_svm_holdout(const pt_problem *problem, const pt_params *const *points,
                            int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                            void *context, const pt_task *task, pt_error *err);

/* Whether it serves: the label vectors are the same for every fold, and a Gram matrix of all rows
 * is not beyond any memory. */
bool pt_vo_svm_holdout_serves(const pt_problem *problem, const pt_params *point);

#endif
