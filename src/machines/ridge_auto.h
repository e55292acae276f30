/* Automatic parameters of machines without closed-form held-out scores. */
#ifndef PT_MACHINES_RIDGE_AUTO_H
#define PT_MACHINES_RIDGE_AUTO_H

#include "machines/machine.h"

/* Replaces "auto" of kernel and sigma by what oneLSM would choose (ls_auto.h), then "auto" of ridge
 * by the value in 2^-10 .. 2^4 with the fewest held-out errors of the machine itself in five folds
 * of at most 500 rows (a stratified sample). Ties go to the larger ridge. */
pt_status pt_ridge_resolve(const pt_machine_ops *ops, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_texts *warnings, pt_error *err);

#endif
