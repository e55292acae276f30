/* The loops of SMO: the choice of the instruction set. */
#include "solvers/smo/smo_loops.h"

#include "base/isa.h"

PT_ISA_DECLARE(pt_smo_tables, pt_smo_tables);

static const pt_smo_tables *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_smo_tables);

const pt_smo_loops *pt_smo_loops_chosen(pt_type rows, pt_type v)
{
    const pt_smo_tables *chosen = tables[pt_isa_level_chosen()];
    return rows == PT_F64 ? &chosen->f64 : v == PT_F64 ? &chosen->mixed : &chosen->f32;
}

int64_t pt_smo_padded(int64_t n)
{
    return (n + PT_SMO_LANES - 1) / PT_SMO_LANES * PT_SMO_LANES;
}
