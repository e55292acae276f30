/* What files beside the data, or arrays in their place, give: a kernel on the labels, costs of
 * confusion, a code; and a code that is drawn once for all folds and points of a search. */
#include <string.h>

#include "base/alloc.h"
#include "codes/code.h"
#include "data/read/class_file.h"
#include "machine/training.h"
#include "metrics/metric_rules.h"
#include "params/params_table.h"

/* ---- a kernel on the labels ------------------------------------------------------------------ */

static pt_status read_label_kernel(pt_training *t, const pt_dataset *data, const pt_task *task,
                                   pt_error *err)
{
    if (!pt_label_kernel_is_file(t->params))
        return PT_OK;
    return pt_class_matrix_of(&t->label_gram, t->params, PT_P_LABEL_KERNEL, &data->labels->classes,
                              task, err);
}

/* ---- costs ----------------------------------------------------------------------------------- */

bool pt_costs_is_file(const pt_machine_ops *ops, const pt_params *params)
{
    return pt_word_listed(ops->parameters, ',', "costs", strlen("costs")) &&
           strcmp(pt_params_text(params, PT_P_COSTS), "none") != 0;
}

pt_status pt_training_costs(double **out, const pt_machine_ops *ops, const pt_params *params,
                            const pt_texts *classes, const pt_task *task, pt_error *err)
{
    return pt_costs_is_file(ops, params) ? pt_costs_of(out, params, classes, task, err) : PT_OK;
}

/* ---- a code for all folds -------------------------------------------------------------------- */

bool pt_code_is_file(const pt_machine_ops *ops, const pt_params *params)
{
    return pt_word_listed(ops->parameters, ',', "code", strlen("code")) &&
           !pt_code_family_find(pt_params_text(params, PT_P_CODE));
}

/* A file that is not there is more often a name that is not known. */
static pt_status tell_codes(const char *name, pt_error *err)
{
    char known[200] = "";
    for (int64_t i = 0; pt_code_families[i]; i++) {
        (void)strncat(known, i ? ", " : "", sizeof known - strlen(known) - 1);
        (void)strncat(known, pt_code_families[i]->name, sizeof known - strlen(known) - 1);
    }
    return pt_fail(err, PT_EINVAL,
                   "`code`: '" PT_SHOWN
                   "' is neither a code nor a file that can be read; codes: %s",
                   name, known);
}

/* Whether many codes are drawn: once is enough for all folds and points of a search. */
static bool code_is_drawn(const pt_machine_ops *ops, const pt_params *params)
{
    const pt_code_family *family = pt_code_family_find(pt_params_text(params, PT_P_CODE));
    return pt_word_listed(ops->parameters, ',', "code", strlen("code")) && family &&
           pt_word_listed(family->parameters, ',', "draws", strlen("draws"));
}

static pt_status make_code(pt_training *t, const pt_dataset *data, const pt_task *task,
                           pt_error *err)
{
    const char *name = pt_params_text(t->params, PT_P_CODE);
    const pt_texts *classes = &data->labels->classes;
    const bool file = pt_code_is_file(t->ops, t->params);
    if (!file && !code_is_drawn(t->ops, t->params))
        return PT_OK;
    t->code = pt_alloc_zero(1, sizeof *t->code, "a code", err);
    if (!t->code)
        return PT_ENOMEM;
    if (!file)
        return pt_code_init(t->code, t->params, classes->count, NULL, task, &t->warnings, err);
    const pt_status status = pt_code_of(t->code, NULL, t->params, classes, task, &t->warnings, err);
    t->code->recipe = pt_code_recipe(t->params, classes->count);
    return status == PT_EIO ? tell_codes(name, err) : status;
}

pt_status pt_training_read_files(pt_training *t, const pt_dataset *used, const pt_task *task,
                                 pt_error *err)
{
    PT_TRY(read_label_kernel(t, used, task, err));
    PT_TRY(pt_training_costs(&t->costs, t->ops, t->params, &used->labels->classes, task, err));
    return make_code(t, used, task, err);
}
