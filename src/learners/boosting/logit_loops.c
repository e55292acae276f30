/* The loops of LogitBoost: the choice of the instruction set. */
#include "learners/boosting/logit_loops.h"

#include <stddef.h>

#include "base/isa.h"

PT_ISA_DECLARE(pt_logit_loops, pt_logit_loops);

static const pt_logit_loops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_logit_loops);

const pt_logit_loops *pt_logit_loops_chosen(void)
{
    return tables[pt_isa_level_chosen()];
}
