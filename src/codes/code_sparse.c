/* Sparse random codes (ASS): an entry is 0 with probability 1/2, +1 and -1 with 1/4 each,
 * ceil(15 log2 k) columns. */
#include "codes/code.h"

#include "codes/code_random.h"

static pt_status sparse_make(pt_code *code, const pt_params *params, const pt_task *task,
                             pt_texts *warnings, pt_error *err)
{
    return pt_code_draw(code, true, params, task, warnings, err);
}

const pt_code_family pt_code_sparse = {
    .name = "sparse",
    .summary = "random signs and as many zeros: ceil(15 log2 k) columns, the best of many draws",
    .parameters = "columns,draws,paper",
    .zeros = true,
    .make = sparse_make};
