/* The loops of decoders: the choice of the instruction set. */
#include "decoders/decode_loops.h"

#include "base/isa.h"

PT_ISA_DECLARE(pt_decode_loops, pt_decode_loops);

static const pt_decode_loops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_decode_loops);

const pt_decode_loops *pt_decode_loops_chosen(void)
{
    return tables[pt_isa_level_chosen()];
}
