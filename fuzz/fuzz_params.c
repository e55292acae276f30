/* Fuzzing parameters: any text is refused with a reason, or taken. What is taken reads back: every
 * text that was set can be set again and gives the same value, and NaN stands for auto and unset
 * alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "params/params.h"
#include "params/params_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void demand(bool condition)
{
    if (!condition)
        abort();
}

static bool is_number(pt_param_id id)
{
    const char *type = pt_param_type((int64_t)id);
    return strcmp(type, "real") == 0 || strcmp(type, "integer") == 0 || strcmp(type, "size") == 0;
}

static void check_taken(const pt_params *params)
{
    pt_params *again = NULL;
    demand(pt_params_copy(&again, params, NULL) == PT_OK);
    for (int id = 0; id < PT_N_PARAMS; id++) {
        if (!pt_params_set_by_user(params, (pt_param_id)id))
            continue;
        const char *text = pt_params_text(params, (pt_param_id)id);
        demand(pt_params_set(again, pt_param_name(id), text, NULL) == PT_OK);
        demand(strcmp(pt_params_text(again, (pt_param_id)id), text) == 0);
        const double value = pt_params_real(params, (pt_param_id)id);
        if (!is_number((pt_param_id)id))
            continue;
        demand(isnan(value) == pt_params_is_auto(params, (pt_param_id)id));
        demand(isnan(value) || value == pt_params_real(again, (pt_param_id)id));
        demand(isnan(value) || isfinite(value));
    }
    pt_params_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const int64_t live = pt_alloc_live();
    pt_error err = {.code = PT_OK};
    pt_params *params = NULL;
    char *text = pt_alloc_text_n((const char *)bytes, size, &err);
    demand(text && pt_params_new(&params, &err) == PT_OK);
    const pt_status status = pt_params_parse(params, text, &err);
    demand(status == PT_OK || (status == PT_EINVAL && err.code == PT_EINVAL && err.text[0]));
    check_taken(params);
    pt_params_free(params);
    pt_free(text);
    demand(pt_alloc_live() == live);
    return 0;
}
