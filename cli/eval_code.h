/* What polytomy eval says of the columns of a code. */
#ifndef EVAL_CODE_H
#define EVAL_CODE_H

#include "cli.h"

/* Nothing where the evaluation has no columns; all columns with `all`, else the worst. */
void eval_code_print(const pt_evaluation *evaluation, bool all);
json_t *eval_code_json(const pt_evaluation *evaluation);

#endif
