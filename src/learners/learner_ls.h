/* Regularised least squares, with kernels. */
#ifndef PT_LEARNERS_LEARNER_LS_H
#define PT_LEARNERS_LEARNER_LS_H

#include "learners/learner.h"
#include "learners/pair_expansion.h"

/* All pairs of groups, as the learner trains them; columns->pairs. Also the machine ls-ovo. */
pt_status pt_ls_fit_pairs(pt_pair_expansion *pairs, const pt_rows *rows, const pt_columns *columns,
                          const pt_params *params, const pt_task *task, pt_warnings *warnings,
                          pt_error *err);

#endif
