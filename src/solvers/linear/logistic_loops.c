/* The loops of logistic regression: the choice of the instruction set. */
#include "solvers/linear/logistic_loops.h"

#include "base/isa.h"

PT_ISA_DECLARE(pt_logistic_loops, pt_logistic_loops);

static const pt_logistic_loops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_logistic_loops);

const pt_logistic_loops *pt_logistic_loops_chosen(void)
{
    return tables[pt_isa_level_chosen()];
}
