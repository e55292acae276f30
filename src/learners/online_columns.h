/* Columns of a code learned online: what the learners perceptron and winnow share. */
#ifndef PT_LEARNERS_ONLINE_COLUMNS_H
#define PT_LEARNERS_ONLINE_COLUMNS_H

#include "learners/learner.h"
#include "solvers/online/online_update.h"

pt_status pt_online_columns_plan(const pt_online_rule *rule, const pt_rows *rows,
                                 const pt_columns *columns, const pt_params *params, pt_plan *plan);
/* Trains columns by a rule; the learner has `ops`. */
pt_status pt_online_columns_fit(pt_learner **out, const pt_learner_ops *ops,
                                const pt_online_rule *rule, const pt_rows *rows,
                                const pt_columns *columns, const pt_params *params,
                                const pt_task *task, pt_texts *warnings, pt_error *err);

/* The rest of a table entry. */
pt_status pt_online_columns_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                                    const pt_task *task, pt_error *err);
void pt_online_columns_free(pt_learner *learner);
pt_status pt_online_columns_save(const pt_learner *learner, pt_pack *pack, pt_error *err);
pt_status pt_online_columns_load(pt_learner **out, const pt_learner_ops *ops, const pt_pack *pack,
                                 int64_t n_inputs, const pt_columns *columns,
                                 const pt_params *params, int64_t *used, pt_error *err);

#endif
