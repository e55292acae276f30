/* Which instruction set judges splits. */
#include "trees/impurity.h"

#include "base/isa.h"

PT_ISA_DECLARE(pt_impurity_loops, pt_impurity_loops);

static const pt_impurity_loops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_impurity_loops);

const pt_impurity_loops *pt_impurity_loops_chosen(void)
{
    return tables[pt_isa_level_chosen()];
}
