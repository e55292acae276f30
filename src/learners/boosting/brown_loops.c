/* The loops of BrownBoost's step: the choice of the instruction set. */
#include "learners/boosting/brown_loops.h"

#include <stddef.h>

#include "base/isa.h"

PT_ISA_DECLARE(pt_brown_loops, pt_brown_loops);

static const pt_brown_loops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_brown_loops);

const pt_brown_loops *pt_brown_loops_chosen(void)
{
    return tables[pt_isa_level_chosen()];
}
