/* Parameters as a report: what they say, and what that means to the machine that they name. */
#include "about/parameters.h"
#include "base/alloc.h"
#include "machine/machine.h"
#include "params/params_table.h"
#include "report/report.h"

static pt_status add_values(pt_report *report, const pt_params *params, pt_error *err)
{
    PT_SCRATCH const char **name = NULL;
    PT_SCRATCH const char **value = NULL;
    int8_t *is_set = NULL;
    PT_TRY(PT_NEW(name, PT_N_PARAMS, "parameters", err));
    PT_TRY(PT_NEW(value, PT_N_PARAMS, "parameters", err));
    for (int64_t i = 0; i < PT_N_PARAMS; i++) {
        name[i] = pt_param_name(i);
        value[i] = pt_params_get(params, name[i]);
    }
    PT_TRY(pt_report_copy(report, PT_LIST("name", PT_TEXT, "name", PT_N_PARAMS, name), err));
    PT_TRY(pt_report_copy(report, PT_LIST("value", PT_TEXT, "name", PT_N_PARAMS, value), err));
    PT_TRY(
        pt_report_room(report, PT_LIST("is_set", PT_I8, "name", PT_N_PARAMS, NULL), &is_set, err));
    for (int64_t i = 0; i < PT_N_PARAMS; i++)
        is_set[i] = (int8_t)pt_params_is_set(params, name[i]);
    return PT_OK;
}

/* What the machine uses, what it has where nothing is set, and which choices it takes. */
static pt_status add_machine(pt_report *report, const pt_machine_ops *ops, const pt_params *params,
                             pt_error *err)
{
    const char *standard[PT_N_PARAMS];
    int8_t *uses = NULL;
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_FREED_BY(pt_choices_free) pt_choices choices = {0};
    PT_TRY(pt_machine_defaults(&own, ops, params, err));
    PT_TRY(pt_choices_init(&choices, ops, params, err));
    for (int id = 0; id < PT_N_PARAMS; id++)
        standard[id] = pt_params_text(own, (pt_param_id)id);
    PT_TRY(pt_report_room(report, PT_LIST("uses", PT_I8, "name", PT_N_PARAMS, NULL), &uses, err));
    for (int id = 0; id < PT_N_PARAMS; id++)
        uses[id] = pt_machine_counts(ops, params, (pt_param_id)id);
    PT_TRY(pt_report_copy(report, PT_LIST("default", PT_TEXT, "name", PT_N_PARAMS, standard), err));
    return pt_choices_add(report, &choices, err);
}

pt_status pt_params_report(pt_report **out, const pt_params *params, pt_error *err)
{
    const pt_machine_ops *ops = pt_machine_find(pt_params_text(params, PT_P_MACHINE));
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_TRY(pt_report_new(&report, "parameters", err));
    PT_TRY(add_values(report, params, err));
    PT_TRY(add_machine(report, ops, params, err));
    PT_TRY(pt_report_add_warnings(report, pt_params_warnings(params), err));
    *out = pt_keep(&report);
    return PT_OK;
}
