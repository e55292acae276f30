/* The public face of codes: a coding matrix with its figures, as a report. */
#include <string.h>

#include "base/alloc.h"
#include "codes/code.h"
#include "params/params_table.h"
#include "report/report.h"

typedef struct coding {
    pt_code code;
    pt_code_measure measure;
    pt_texts names; /* of the classes, where a file has them */
    pt_warnings warnings;
} coding;

static void coding_free(coding *c)
{
    pt_warnings_free(&c->warnings);
    pt_texts_free(&c->names);
    pt_code_free(&c->code);
}

/* Parameters of codes that this family does not use; NULL: a code in a file or an array. */
static pt_status check_params(const pt_code_family *family, const pt_params *params, pt_error *err)
{
    static const pt_param_id of_codes[] = {PT_P_COLUMNS, PT_P_DRAWS, PT_P_PAPER};
    for (size_t i = 0; i < sizeof of_codes / sizeof *of_codes; i++) {
        const char *name = pt_param_table[of_codes[i]].name;
        if (pt_params_set_by_user(params, of_codes[i]) &&
            !(family && pt_word_listed(family->parameters, ',', name, strlen(name))))
            return pt_fail(err, PT_EINVAL, "`%s` is not used by the code %s", name,
                           family                               ? family->name
                           : pt_params_array(params, PT_P_CODE) ? "of an array"
                                                                : "of a file");
    }
    return PT_OK;
}

pt_status pt_code_add(pt_report *report, const pt_code *code, const char *column,
                      const pt_task *task, pt_error *err)
{
    int8_t *sign = NULL;
    PT_TRY(pt_report_room(
        report, PT_TABLE("code", PT_I8, "class", code->k, column, code->ell, NULL), &sign, err));
    for (int64_t r = 0; r < code->k; r++)
        for (int64_t s = 0; s < code->ell; s++) {
            PT_TRY(pt_task_check_row(task, s, 1, err));
            sign[r * code->ell + s] = (int8_t)pt_code_entry(code, r, s);
        }
    return PT_OK;
}

static pt_status report_coding(pt_report **out, coding *c, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    const pt_code_measure *measure = &c->measure;
    PT_TRY(pt_code_measure_of(&c->measure, &c->code, task, err));
    PT_TRY(pt_report_new(&report, "code", err));
    PT_TRY(pt_report_add_integer(report, "n_classes", c->code.k, err));
    PT_TRY(pt_report_add_integer(report, "n_columns", c->code.ell, err));
    if (c->names.count > 0)
        PT_TRY(pt_report_add_texts(report, "class", "class", &c->names, err));
    PT_TRY(pt_code_add(report, &c->code, "column", task, err));
    PT_TRY(pt_report_add_number(report, "rho", measure->rho, err));
    PT_TRY(pt_report_add_integer(report, "row_separation", measure->row_separation, err));
    PT_TRY(pt_report_add_integer(report, "column_separation", measure->column_separation, err));
    PT_TRY(pt_report_add_integer(report, "n_equal", measure->n_equal, err));
    PT_TRY(pt_report_add_integer(report, "n_opposite", measure->n_opposite, err));
    PT_TRY(pt_report_add_number(report, "zero_share", measure->zero_share, err));
    PT_TRY(pt_report_add_number(report, "least_balance", measure->least_balance, err));
    PT_TRY(pt_report_add_number(report, "mean_balance", measure->mean_balance, err));
    PT_TRY(pt_report_add_warnings(report, &c->warnings, err));
    *out = pt_keep(&report);
    return PT_OK;
}

static pt_status read_coding(coding *c, const pt_params *params, int64_t n_classes,
                             const pt_task *task, pt_error *err)
{
    const char *path = pt_params_array(params, PT_P_CODE) ? "" : pt_params_text(params, PT_P_CODE);
    PT_TRY(pt_code_of(&c->code, &c->names, params, NULL, task, &c->warnings, err));
    if (n_classes != 0 && n_classes != c->code.k)
        return pt_fail_at(err, PT_EINVAL, path, 0, 0, "the code has %lld classes, not %lld",
                          (long long)c->code.k, (long long)n_classes);
    return PT_OK;
}

pt_status pt_coding_make(pt_report **out, int64_t n_classes, const pt_params *params, pt_task *task,
                         pt_error *err)
{
    PT_FREED_BY(coding_free) coding c = {.names = {0}};
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_TRY(params ? pt_params_copy(&own, params, err) : pt_params_new(&own, err));
    const char *name = pt_params_text(own, PT_P_CODE);
    const pt_code_family *family = pt_code_family_find(name);
    PT_TRY(check_params(family, own, err));
    PT_TRY(family ? pt_code_init(&c.code, own, n_classes, NULL, task, &c.warnings, err)
                  : read_coding(&c, own, n_classes, task, err));
    return report_coding(out, &c, task, err);
}
