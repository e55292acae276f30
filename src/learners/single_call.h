/* One call of a learner for all columns of a code (ASS sections 3 and 5): the column is an
 * attribute of the instance.
 *
 * Examples are (x, s) on the side M(y, s), for every row and every column in which its class takes
 * part. What comes out is a learner like any other, with an output for each column: learner.c calls
 * these where columns ask for it (pt_columns.single_call). */
#ifndef PT_LEARNERS_SINGLE_CALL_H
#define PT_LEARNERS_SINGLE_CALL_H

#include "learners/learner.h"

/* The plan of the learner on the pairs, which are made for it where the memory allows them. */
pt_status pt_single_call_plan(const pt_learner_ops *learner, const pt_rows *rows,
                              const pt_columns *columns, const pt_params *params,
                              const pt_task *task, pt_plan *plan, pt_error *err);
/* Trains it on the pairs. */
pt_status pt_single_call_fit(pt_learner *m, const pt_rows *rows, const pt_columns *columns,
                             const pt_params *params, const pt_task *task, pt_warnings *warnings,
                             pt_error *err);
/* Its outputs for all columns, and those after some rounds. */
pt_status pt_single_call_outputs(const pt_learner *m, const pt_rows *rows, double *outputs,
                                 const pt_task *task, pt_error *err);
pt_status pt_single_call_staged(const pt_learner *m, const pt_rows *rows, const int64_t *rounds,
                                int64_t n_rounds, pt_staged_fn take, void *context,
                                const pt_task *task, pt_error *err);

/* The one column that the pairs are in; its rows are not known. */
pt_columns pt_single_call_sides(void);
/* Of rows of d features: how many those of the examples have, and how many examples there are. */
int64_t pt_single_call_width(const pt_learner_ops *learner, int64_t d, int64_t ell);
int64_t pt_single_call_examples(const pt_columns *columns);

#endif
