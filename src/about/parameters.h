/* Parameters as machines have them: their choices. */
#ifndef PT_ABOUT_PARAMETERS_H
#define PT_ABOUT_PARAMETERS_H

#include "machine/machine.h"
#include "report/report.h"

/* The choices of every parameter: those of parameter p are word[p * most ...], NULL behind the
 * last. Zero-initialise; free it always. */
typedef struct pt_choices {
    pt_texts texts;
    const char **word; /* PT_N_PARAMS x most */
    int64_t most;
} pt_choices;

/* All that the table has; with a machine (NULL: none) those that it takes as `params` stand. */
pt_status pt_choices_init(pt_choices *choices, const pt_machine_ops *ops, const pt_params *params,
                          pt_error *err);
void pt_choices_free(pt_choices *choices);
/* As the item "choices" (name x choice), copied. */
pt_status pt_choices_add(pt_report *report, const pt_choices *choices, pt_error *err);

#endif
