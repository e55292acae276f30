/* The loops of linear solvers: the choice of the instruction set. */
#include "solvers/linear/linear_loops.h"

#include "base/isa.h"

PT_ISA_DECLARE(pt_linear_tables, pt_linear_tables);

static const pt_linear_tables *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_linear_tables);

const pt_linear_loops *pt_linear_loops_for(const pt_linear_rows *rows)
{
    return &tables[pt_isa_level_chosen()]->loops[rows->dense ? 0 : 1][rows->type];
}
