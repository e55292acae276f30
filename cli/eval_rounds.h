/* What polytomy eval says of models that were learned by rounds. */
#ifndef EVAL_ROUNDS_H
#define EVAL_ROUNDS_H

#include "cli.h"

/* Follows the evaluation through the rounds of --stages, or some twenty up to `last`, which is
 * -1 for all. Returns an exit code. */
int eval_rounds_follow(const cli_context *context, const pt_model *model, const pt_dataset *data,
                       int64_t last, pt_evaluation *evaluation);
/* Nothing where there are no rounds. */
void eval_rounds_print(const pt_model *model, const pt_evaluation *evaluation);
json_t *eval_rounds_json(const pt_model *model, const pt_evaluation *evaluation);

#endif
