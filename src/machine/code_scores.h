/* Machines that have a code (pt_machine_ops.outputs): outputs block after block, after all
 * rounds or some, and scores. */
#ifndef PT_MACHINE_CODE_SCORES_H
#define PT_MACHINE_CODE_SCORES_H

#include "machine/machine.h"

/* Takes the outputs of rows first .. first+n: n x ell row-major, valid during the call. */
typedef pt_status (*pt_outputs_fn)(void *context, int64_t first, int64_t n, const double *outputs,
                                   pt_error *err);

/* Hands over the outputs of all rows, in order, so many at a time that they stay within some
 * megabytes. */
pt_status pt_code_outputs(const pt_machine *machine, const pt_rows *rows, pt_outputs_fn take,
                          void *context, const pt_task *task, pt_error *err);

/* Takes the outputs of rows first .. first+n after rounds[which] rounds. */
typedef pt_status (*pt_staged_outputs_fn)(void *context, int64_t which, int64_t first, int64_t n,
                                          const double *outputs, pt_error *err);

/* The same of a machine that learned by rounds, after some of them: rounds ascend, each at most as
 * many as there are. Of every block all stages, in order. */
pt_status pt_code_staged(const pt_machine *machine, const pt_rows *rows, const int64_t *rounds,
                         int64_t n_rounds, pt_staged_outputs_fn take, void *context,
                         const pt_task *task, pt_error *err);

/* How many rounds the machine learned by; 0: not by rounds. */
int64_t pt_code_rounds(const pt_machine *machine);

/* The scores after so many rounds. */
pt_status pt_code_scores_after(const pt_machine *machine, int64_t rounds, const pt_rows *rows,
                               double *scores, const pt_task *task, pt_error *err);

/* For the tables of such machines: scores (n x k) are the outputs, decoded. */
pt_status pt_code_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                         const pt_task *task, pt_error *err);

#endif
