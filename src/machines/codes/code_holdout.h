/* Held-out scores and automatic parameters of codes that least squares learns. */
#ifndef PT_MACHINES_CODES_CODE_HOLDOUT_H
#define PT_MACHINES_CODES_CODE_HOLDOUT_H

#include "machine/machine.h"

/* Whether the held-out scores have a closed form: the learner is ls, and no class is left out of a
 * column. */
bool pt_code_holdout_exact(const pt_problem *problem, const pt_params *point);

/* Those of such points, as pt_machine_ops.holdout. */
pt_status pt_code_holdout(const pt_problem *problem, const pt_params *const *points,
                          int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                          void *context, const pt_task *task, pt_error *err);

/* Replaces "auto" of kernel, sigma and ridge for the learner ls: by the leave-one-out errors of the
 * decoded code where there is a closed form, else by those of oneLSM. */
pt_status pt_code_ls_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                             pt_texts *warnings, pt_error *err);

/* What it goes by, where there is a closed form; NULL elsewhere. */
pt_ls_auto_fn pt_code_guide(const pt_problem *problem, const pt_params *params);

#endif
