/* Outputs of the columns of a code on the very examples they are learned from, made by machines
 * that have not seen these: what is designed on them does not mistake memory for knowledge. */
#ifndef PT_VALIDATE_CROSS_FIT_H
#define PT_VALIDATE_CROSS_FIT_H

#include "machine/machine.h"

/* fold[i] <- the fold of example i, stratified; -1 for the only example of its class, without which
 * no machine knows that class. *n_folds: at most as many as there are examples in the largest
 * class; 0 where every class has one. Not stratified where labels are no classes. Rows that are
 * tied together (data/ties.h) have one fold, and -1 only where they are never held out. */
pt_status pt_cross_fit_folds(int64_t *fold, int64_t *n_folds, const pt_problem *problem,
                             uint64_t seed, pt_error *err);

/* H (n x ell, row-major) <- the outputs of a machine that learns the columns of the problem's code,
 * each example's by the one that was trained without its fold. Rows with fold -1 are left as they
 * are. */
pt_status pt_cross_fit(double *H, int64_t ell, const pt_machine_ops *ops, const pt_problem *problem,
                       const pt_params *params, const int64_t *fold, int64_t n_folds,
                       const pt_task *task, pt_error *err);

#endif
