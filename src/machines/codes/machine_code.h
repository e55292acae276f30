/* The composed machine. */
#ifndef PT_MACHINES_CODES_MACHINE_CODE_H
#define PT_MACHINES_CODES_MACHINE_CODE_H

#include "decoders/decoder.h"
#include "learners/learner.h"
#include "machine/machine.h"
#include "machines/codes/code_votes.h"

typedef struct pt_code_machine {
    pt_machine base;
    pt_code code;
    double *signs; /* k x ell: the code as the file has it; NULL for all pairs */
    bool orders;   /* learned from labels that are no classes (order_columns.h) */
    pt_learner *learner;
    pt_code_decoder decoder;
    pt_code_votes votes; /* of AdaBoost in a single call */
    const pt_loss *loss; /* what the learner minimises */
} pt_code_machine;

/* For machines that have one inside. What the learner and the code that are named do not use is
 * refused, but for the parameters in `beside` ("a,b"); a kernel's own are checked with the kernel.
 */
pt_status pt_code_check_params(const pt_params *params, const char *beside, pt_error *err);
/* Sets what the learner has other defaults for, "name=value,...", and was not set. */
pt_status pt_learner_settle(pt_params *params, pt_error *err);
/* What the columns need: the learner's defaults, and numbers in place of "auto". */
pt_status pt_code_resolve_columns(pt_params *params, const pt_problem *problem, const pt_task *task,
                                  pt_texts *warnings, pt_error *err);

#endif
