/* Dense random codes (ASS): every entry +1 or -1 with equal chances, ceil(10 log2 k) columns. */
#include "codes/code.h"

#include "codes/code_random.h"

static pt_status dense_make(pt_code *code, const pt_params *params, const pt_task *task,
                            pt_texts *warnings, pt_error *err)
{
    return pt_code_draw(code, false, params, task, warnings, err);
}

const pt_code_family pt_code_dense = {
    .name = "dense",
    .summary = "random signs: ceil(10 log2 k) columns, the best of many draws",
    .parameters = "columns,draws,paper",
    .make = dense_make};
