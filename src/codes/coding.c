/* The public face of codes: a coding matrix with its figures. */
#include <string.h>

#include "base/alloc.h"
#include "codes/code.h"
#include "params/params_table.h"

struct pt_coding {
    pt_code code;
    pt_code_measure measure;
    pt_texts names; /* of the classes, where a file has them */
    pt_texts warnings;
};

void pt_coding_free(pt_coding *coding)
{
    if (!coding)
        return;
    pt_texts_free(&coding->warnings);
    pt_texts_free(&coding->names);
    pt_code_free(&coding->code);
    pt_free(coding);
}

/* Parameters of codes that this family does not use. */
static pt_status check_params(const pt_code_family *family, const pt_params *params, pt_error *err)
{
    static const pt_param_id of_codes[] = {PT_P_COLUMNS, PT_P_DRAWS, PT_P_PAPER};
    for (size_t i = 0; i < sizeof of_codes / sizeof *of_codes; i++) {
        const char *name = pt_param_table[of_codes[i]].name;
        if (pt_params_set_by_user(params, of_codes[i]) &&
            !pt_word_listed(family->parameters, ',', name, strlen(name)))
            return pt_fail(err, PT_EINVAL, "--%s is not used by the code %s", name, family->name);
    }
    return PT_OK;
}

static void free_at(pt_coding **address)
{
    pt_coding_free(*address);
}

pt_status pt_coding_make(pt_coding **out, const char *family, int64_t n_classes,
                         const pt_params *params, pt_task *task, pt_error *err)
{
    const pt_code_family *found = family ? pt_code_family_find(family) : NULL;
    PT_FREED_BY(free_at) pt_coding *coding = NULL;
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    if (!found)
        return pt_fail(err, PT_EINVAL, "there is no code '" PT_SHOWN "'", family ? family : "");
    PT_TRY(PT_NEW_ZERO(coding, 1, "a code", err));
    PT_TRY(params ? pt_params_copy(&own, params, err) : pt_params_new(&own, err));
    PT_TRY(check_params(found, own, err));
    PT_TRY(pt_params_set(own, "code", found->name, err));
    PT_TRY(pt_code_init(&coding->code, own, n_classes, NULL, task, &coding->warnings, err));
    PT_TRY(pt_code_measure_of(&coding->measure, &coding->code, task, err));
    *out = pt_keep(&coding);
    return PT_OK;
}

pt_status pt_coding_read(pt_coding **out, const char *path, pt_task *task, pt_error *err)
{
    PT_FREED_BY(free_at) pt_coding *coding = NULL;
    PT_TRY(PT_NEW_ZERO(coding, 1, "a code", err));
    PT_TRY(pt_code_read(&coding->code, &coding->names, path, NULL, task, &coding->warnings, err));
    PT_TRY(pt_code_measure_of(&coding->measure, &coding->code, task, err));
    *out = pt_keep(&coding);
    return PT_OK;
}

int64_t pt_coding_n_classes(const pt_coding *coding)
{
    return coding->code.k;
}

int64_t pt_coding_n_columns(const pt_coding *coding)
{
    return coding->code.ell;
}

const char *pt_coding_class_name(const pt_coding *coding, int64_t class_index)
{
    return pt_texts_get(&coding->names, class_index);
}

static bool in_range(int64_t i, int64_t n)
{
    return i >= 0 && i < n;
}

int pt_coding_entry(const pt_coding *coding, int64_t class_index, int64_t column)
{
    const pt_code *code = &coding->code;
    return in_range(class_index, code->k) && in_range(column, code->ell)
               ? pt_code_entry(code, class_index, column)
               : 0;
}

int64_t pt_coding_count(const pt_coding *coding, int64_t column, int sign)
{
    return in_range(column, coding->code.ell) ? pt_code_count(&coding->code, column, sign) : 0;
}

double pt_coding_rho(const pt_coding *coding)
{
    return coding->measure.rho;
}

int64_t pt_coding_row_separation(const pt_coding *coding)
{
    return coding->measure.row_separation;
}

int64_t pt_coding_column_separation(const pt_coding *coding)
{
    return coding->measure.column_separation;
}

int64_t pt_coding_n_equal(const pt_coding *coding)
{
    return coding->measure.n_equal;
}

int64_t pt_coding_n_opposite(const pt_coding *coding)
{
    return coding->measure.n_opposite;
}

double pt_coding_zero_share(const pt_coding *coding)
{
    return coding->measure.zero_share;
}

double pt_coding_least_balance(const pt_coding *coding)
{
    return coding->measure.least_balance;
}

double pt_coding_mean_balance(const pt_coding *coding)
{
    return coding->measure.mean_balance;
}

int64_t pt_coding_n_warnings(const pt_coding *coding)
{
    return coding->warnings.count;
}

const char *pt_coding_warning(const pt_coding *coding, int64_t index)
{
    return pt_texts_get(&coding->warnings, index);
}
