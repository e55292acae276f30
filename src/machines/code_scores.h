/* Machines that have a code (pt_machine_ops.code_parts): outputs block after block, and scores. */
#ifndef PT_MACHINES_CODE_SCORES_H
#define PT_MACHINES_CODE_SCORES_H

#include "machines/machine.h"

/* Takes the outputs of rows first .. first+n: n x ell row-major, valid during the call. */
typedef pt_status (*pt_outputs_fn)(void *context, int64_t first, int64_t n, const double *outputs,
                                   pt_error *err);

/* Hands over the outputs of all rows, in order, so many at a time that they stay within some
 * megabytes. */
pt_status pt_code_outputs(const pt_machine *machine, const pt_rows *rows, pt_outputs_fn take,
                          void *context, const pt_task *task, pt_error *err);

/* For the tables of such machines: scores (n x k) are the outputs, decoded. */
pt_status pt_code_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                         const pt_task *task, pt_error *err);

#endif
