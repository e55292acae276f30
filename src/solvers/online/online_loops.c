/* The loops of online learners: the choice of the instruction set. */
#include "solvers/online/online_loops.h"

#include "base/isa.h"

PT_ISA_DECLARE(pt_online_loops, pt_online_loops);

static const pt_online_loops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_online_loops);

const pt_online_loops *pt_online_loops_chosen(void)
{
    return tables[pt_isa_level_chosen()];
}
