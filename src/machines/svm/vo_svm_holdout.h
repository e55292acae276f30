/* Held-out scores of vo-SVM for many points at once. */
#ifndef PT_MACHINES_SVM_VO_SVM_HOLDOUT_H
#define PT_MACHINES_SVM_VO_SVM_HOLDOUT_H

#include "machine/machine.h"

/* The holdout of pt_machine_ops. Results do not depend on the number of threads. */
pt_status pt_vo_svm_holdout(const pt_problem *problem, const pt_params *const *points,
                            int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                            void *context, const pt_task *task, pt_error *err);

/* Whether it serves: the label vectors are the same for every fold, and a Gram matrix of all rows
 * is not beyond any memory. */
bool pt_vo_svm_holdout_serves(const pt_problem *problem, const pt_params *point);

#endif
