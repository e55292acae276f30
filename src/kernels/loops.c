/* The tables of loops, by instruction set. */
#include "kernels/loops.h"

PT_ISA_DECLARE(pt_isa, pt_isa);

const pt_isa *const pt_isas[PT_ISA_LEVELS + 1] = PT_ISA_TABLE(pt_isa);

bool pt_isa_runs(const pt_isa *isa)
{
    for (int level = 0; level < PT_ISA_LEVELS; level++)
        if (pt_isas[level] == isa)
            return pt_isa_level_runs((pt_isa_level)level);
    return false;
}

const pt_isa *pt_isa_chosen(void)
{
    return pt_isas[pt_isa_level_chosen()];
}

void pt_isa_force(const pt_isa *isa)
{
    for (int level = 0; level < PT_ISA_LEVELS; level++)
        if (pt_isas[level] == isa)
            pt_isa_level_force((pt_isa_level)level);
}

const pt_loops *pt_loops_of(const pt_isa *isa, pt_type type)
{
    return type == PT_F32 ? &isa->f32 : &isa->f64;
}
