/* The loops of the search for stumps: the choice of the instruction set. */
#include "trees/stump_loops.h"

#include "base/isa.h"

PT_ISA_DECLARE(pt_stump_loops, pt_stump_loops);

static const pt_stump_loops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_stump_loops);

const pt_stump_loops *pt_stump_loops_chosen(void)
{
    return tables[pt_isa_level_chosen()];
}
