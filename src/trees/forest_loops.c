/* The loops of sums over trees: the choice of the instruction set. */
#include "trees/forest_loops.h"

#include <stddef.h>

#include "base/isa.h"

PT_ISA_DECLARE(pt_forest_loops, pt_forest_loops);

static const pt_forest_loops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_forest_loops);

const pt_forest_loops *pt_forest_loops_chosen(void)
{
    return tables[pt_isa_level_chosen()];
}
