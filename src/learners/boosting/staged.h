/* What was learned round by round, as it stood after some of the rounds. */
#ifndef PT_LEARNERS_BOOSTING_STAGED_H
#define PT_LEARNERS_BOOSTING_STAGED_H

#include <stdint.h>

#include "base/error.h"

/* Takes the outputs after rounds[which] rounds: rows.n x ell row-major, valid during the call. The
 * rounds that are asked for ascend, and are taken in that order. */
typedef pt_status (*pt_staged_fn)(void *context, int64_t which, const double *outputs,
                                  pt_error *err);

#endif
