/* Parameters as a report: their names, values and who has set them. */
#include "base/alloc.h"
#include "params/params.h"
#include "report/report.h"

pt_status pt_params_report(pt_report **out, const pt_params *params, pt_error *err)
{
    PT_SCRATCH const char **name = NULL;
    PT_SCRATCH const char **value = NULL;
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    int8_t *is_set = NULL;
    PT_TRY(PT_NEW(name, PT_N_PARAMS, "parameters", err));
    PT_TRY(PT_NEW(value, PT_N_PARAMS, "parameters", err));
    PT_TRY(pt_report_new(&report, "parameters", err));
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
    PT_TRY(pt_report_add_warnings(report, pt_params_warnings(params), err));
    *out = pt_keep(&report);
    return PT_OK;
}
