/* The tables of small triangles, by instruction set. */
#include "linalg/cpu/small_triangle.h"

#include <stddef.h>

#include "base/isa.h"

PT_ISA_DECLARE(pt_small_ops, pt_small);

static const pt_small_ops *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_small);

const pt_small_ops *pt_small_chosen(void)
{
    return tables[pt_isa_level_chosen()];
}
