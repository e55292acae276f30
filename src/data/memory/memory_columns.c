/* Names and levels of columns that a program gives. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/dataset.h"
#include "data/read/intern.h"

/* The columns of a data set, which has none as long as all are numbers without names. */
static pt_status need_columns(pt_dataset *data, pt_error *err)
{
    return data->columns ? PT_OK : PT_NEW_ZERO(data->columns, data->d, "columns", err);
}

/* Names that differ, where they are names. */
static pt_status check_names(const char *const *names, int64_t count, pt_error *err)
{
    PT_FREED_BY(pt_intern_free) pt_intern seen = {0};
    for (int64_t j = 0; j < count; j++) {
        const int64_t before = seen.texts.count;
        int64_t number = 0;
        if (!names[j] || !*names[j])
            continue;
        PT_TRY(pt_intern_add(&seen, names[j], strlen(names[j]), &number, err));
        if (seen.texts.count == before)
            return pt_fail(err, PT_EINVAL,
                           "two columns are called '%.60s', the second is number %lld (from 0)",
                           names[j], (long long)j);
    }
    return PT_OK;
}

pt_status pt_dataset_set_names(pt_dataset *data, const char *const *names, pt_error *err)
{
    if (names)
        PT_TRY(check_names(names, data->d, err));
    else if (!data->columns)
        return PT_OK;
    PT_TRY(need_columns(data, err));
    PT_SCRATCH char **copy = NULL;
    PT_TRY(PT_NEW_ZERO(copy, data->d, "names of columns", err));
    pt_status status = PT_OK;
    for (int64_t j = 0; j < data->d && names && status == PT_OK; j++)
        if (names[j] && *names[j])
            status = (copy[j] = pt_alloc_text(names[j], err)) ? PT_OK : PT_ENOMEM;
    for (int64_t j = 0; j < data->d; j++) {
        char **name = &data->columns[j].name;
        if (status == PT_OK) {
            char *before = *name;
            *name = copy[j];
            copy[j] = before;
        }
        pt_free(copy[j]);
    }
    return status;
}

/* ---- levels ---------------------------------------------------------------------------------- */

static pt_status take_levels(pt_texts *levels, const char *const *from, int64_t count,
                             pt_error *err)
{
    PT_FREED_BY(pt_intern_free) pt_intern seen = {0};
    for (int64_t l = 0; l < count; l++) {
        int64_t number = -1;
        if (!from || !from[l])
            return pt_fail(err, PT_EINVAL, "level %lld (from 0) is NULL", (long long)l);
        PT_TRY(pt_intern_add(&seen, from[l], strlen(from[l]), &number, err));
        if (number != l)
            return pt_fail(err, PT_EINVAL, "two levels are called '%.60s'", from[l]);
    }
    *levels = seen.texts;
    seen.texts = (pt_texts){0};
    return PT_OK;
}

static pt_status fail_level(int64_t i, int64_t feature, double x, int64_t count, pt_error *err)
{
    return pt_fail(err, PT_EINVAL,
                   "row %lld, column %lld: %g is not the number of a level, 0 to %lld, nor missing "
                   "(all count from 0)",
                   (long long)i, (long long)feature, x, (long long)count - 1);
}

static bool is_level(double x, int64_t count)
{
    return isnan(x) || (x >= 0 && x < (double)count && x == floor(x));
}

static pt_status check_cells(const pt_dataset *data, int64_t feature, int64_t count, pt_error *err)
{
    for (int64_t i = 0; i < data->n; i++) {
        if (!data->start) {
            const double x = pt_dataset_dense_cell(data, i, feature);
            if (!is_level(x, count))
                return fail_level(i, feature, x, count, err);
            continue;
        }
        for (int64_t at = data->start[i]; at < data->start[i + 1]; at++)
            if (data->index[at] == feature && !is_level(pt_dataset_cell(data, at), count))
                return fail_level(i, feature, pt_dataset_cell(data, at), count, err);
    }
    return PT_OK;
}

static pt_status write_codes(pt_dataset *data, int64_t feature, const int32_t *codes, int64_t count,
                             pt_error *err)
{
    static const int64_t MOST_OF_F32 = 1 << 24; /* whole numbers that a float can tell apart */
    if (data->start)
        return pt_fail(err, PT_EINVAL,
                       "sparse data take no codes of levels; give the numbers as its cells");
    if (data->type == PT_F32 && count > MOST_OF_F32)
        return pt_fail(err, PT_EINVAL, "%lld levels are too many for cells in float32",
                       (long long)count);
    for (int64_t i = 0; i < data->n; i++)
        if (codes[i] < -1 || codes[i] >= count)
            return fail_level(i, feature, codes[i], count, err);
    PT_TRY(pt_dataset_own(data, err));
    for (int64_t i = 0; i < data->n; i++) {
        const int64_t at = pt_dataset_place(data, i, feature);
        const double x = codes[i] < 0 ? NAN : (double)codes[i];
        if (data->type == PT_F32)
            ((float *)data->value)[at] = (float)x;
        else
            ((double *)data->value)[at] = x;
    }
    return PT_OK;
}

pt_status pt_dataset_set_levels(pt_dataset *data, int64_t feature, const int32_t *codes,
                                const char *const *levels, int64_t n_levels, pt_error *err)
{
    PT_FREED_BY(pt_texts_free) pt_texts taken = {0};
    if (feature < 0 || feature >= data->d)
        return pt_fail(err, PT_EINVAL, "there is no column %lld of %lld (from 0)",
                       (long long)feature, (long long)data->d);
    const bool none = !levels && n_levels == 0;
    if (none && codes)
        return pt_fail(err, PT_EINVAL, "codes of levels without levels");
    PT_TRY(take_levels(&taken, levels, n_levels, err));
    PT_TRY(need_columns(data, err));
    if (!none)
        PT_TRY(codes ? write_codes(data, feature, codes, n_levels, err)
                     : check_cells(data, feature, n_levels, err));
    pt_column *column = &data->columns[feature];
    const pt_texts before = column->levels;
    column->levels = taken;
    column->nominal = !none;
    column->text = false;
    taken = before;
    return PT_OK;
}

const char *pt_dataset_level_name(const pt_dataset *data, int64_t feature, int64_t level)
{
    return level < pt_dataset_n_levels(data, feature)
               ? pt_texts_get(&data->columns[feature].levels, level)
               : NULL;
}
