/* What boosting learns, whatever the rule: a forest, round by round a tree for each column of the
 * code. Outputs, stages, files and figures are the same for all of them. */
#ifndef PT_LEARNERS_BOOSTING_BOOSTED_H
#define PT_LEARNERS_BOOSTING_BOOSTED_H

#include "learners/learner.h"
#include "trees/forest.h"

/* f_s(x) is the sum of trees s, s + ell, s + 2 ell, ...: of a column that is done, single leaves
 * that say 0. */
typedef struct pt_boosted {
    pt_learner base;
    pt_forest forest; /* of width 1 */
    int64_t ell;
} pt_boosted;

/* Without trees; rows: how many features they have, and their levels. */
pt_status pt_boosted_init(pt_boosted *m, const pt_rows *rows, int64_t ell, pt_error *err);

/* The trees of another one, on rows with the same features and for as many columns. */
pt_status pt_boosted_take(pt_boosted *m, const pt_learner *from, pt_error *err);

/* For a learner's table entry. */
pt_status pt_boosted_load(pt_learner *learner, const pt_pack *pack, int64_t n_inputs,
                          const pt_columns *columns, const pt_params *params, int64_t *used,
                          const pt_task *task, pt_error *err);
pt_status pt_boosted_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                             const pt_task *task, pt_error *err);
void pt_boosted_free(pt_learner *learner);
pt_status pt_boosted_save(const pt_learner *learner, pt_pack *pack, pt_error *err);
int64_t pt_boosted_rounds(const pt_learner *learner);
pt_status pt_boosted_staged(const pt_learner *learner, const pt_rows *rows, const int64_t *rounds,
                            int64_t n_rounds, pt_staged_fn take, void *context, const pt_task *task,
                            pt_error *err);
const pt_forest *pt_boosted_forest(const pt_learner *learner);
/* Rounds, and tests: nodes that are kept. */
int64_t pt_boosted_figures(const pt_learner *learner, pt_figure *figures);

#endif
