/* The loops of SPOC: the choice of the instruction set. */
#include "solvers/dual/spoc_loops.h"

#include "base/isa.h"

PT_ISA_DECLARE(pt_spoc_loops, pt_spoc_loops);

static const pt_spoc_loops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_spoc_loops);

const pt_spoc_loops *pt_spoc_loops_chosen(void)
{
    return tables[pt_isa_level_chosen()];
}
