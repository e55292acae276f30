/* The composed machine. */
#ifndef PT_MACHINES_MACHINE_CODE_H
#define PT_MACHINES_MACHINE_CODE_H

#include "decoders/decoder.h"
#include "learners/learner.h"
#include "machines/code_votes.h"
#include "machines/machine.h"

typedef struct pt_code_machine {
    pt_machine base;
    pt_code code;
    double *signs; /* k x ell: the code as the file has it; NULL for all pairs */
    pt_learner *learner;
    pt_code_decoder decoder;
    pt_code_votes votes; /* of AdaBoost in a single call */
    const pt_loss *loss; /* what the learner minimises */
} pt_code_machine;

extern const pt_machine_ops pt_machine_code;

#endif
