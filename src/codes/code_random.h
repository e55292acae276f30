/* Random codes (ASS): the best of many draws. */
#ifndef PT_CODES_CODE_RANDOM_H
#define PT_CODES_CODE_RANDOM_H

#include "codes/code.h"

/* From the parameters columns, draws, paper and seed; the same code for any number of threads. */
pt_status pt_code_draw(pt_code *code, bool sparse, const pt_params *params, const pt_task *task,
                       pt_texts *warnings, pt_error *err);

#endif
