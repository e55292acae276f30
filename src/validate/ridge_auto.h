/* Automatic parameters of machines without closed-form held-out scores. */
#ifndef PT_VALIDATE_RIDGE_AUTO_H
#define PT_VALIDATE_RIDGE_AUTO_H

#include "machine/machine.h"

enum { PT_AUTO_SAMPLE = 500 };

/* *out, which the caller frees, <- the parameters with the sigma and ridge that oneLSM would
 * choose: where others begin. */
pt_status pt_auto_start(pt_params **out, const pt_params *params, const pt_problem *problem,
                        const pt_task *task, pt_error *err);

/* Replaces "auto" of kernel, sigma and ridge. Candidates are scored by the held-out errors of the
 * machine itself in five folds of at most 500 rows (a stratified sample): sigma around the one that
 * oneLSM would choose there, ridge in 2^-10 .. 2^4. Ties go to the larger sigma, then to the larger
 * ridge. */
pt_status pt_ridge_resolve(const pt_machine_ops *ops, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_texts *warnings, pt_error *err);

/* The same with the held-out loss of what was chosen. */
pt_status pt_auto_resolve(const pt_machine_ops *ops, bool ridge, pt_params *params,
                          const pt_problem *problem, pt_chosen *chosen, const pt_task *task,
                          pt_error *err);

/* The same for machines that have no ridge. */
pt_status pt_sigma_resolve(const pt_machine_ops *ops, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_texts *warnings, pt_error *err);

/* What choosing parameters costs a machine, roughly, in multiplications as its plan counts them; 0
 * where there is nothing to choose. */
pt_status pt_auto_flops(double *flops, const pt_machine_ops *ops, const pt_params *params,
                        const pt_problem *problem, const pt_task *task, pt_error *err);

#endif
