/* What columns of numbers that a program gives say of the rows: weights, groups, folds, times. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dense_table.h"
#include "data/dataset.h"

static pt_status fail_shape(const pt_dataset *data, const char *role, const char *wanted,
                            const pt_dense *values, pt_error *err)
{
    return pt_fail(err, PT_EINVAL, "'%s' has %lld x %lld values; %s for %lld examples is wanted",
                   role, (long long)values->n_rows, (long long)values->n_columns, wanted,
                   (long long)data->n);
}

static pt_status set_weights(pt_dataset *data, const pt_dense *values, pt_error *err)
{
    PT_SCRATCH double *weights = NULL;
    PT_TRY(PT_NEW(weights, data->n, "weights", err));
    for (int64_t i = 0; i < data->n; i++) {
        weights[i] = pt_dense_at(values, i, 0);
        if (!(weights[i] >= 0) || isinf(weights[i]))
            return pt_fail(err, PT_EINVAL,
                           "the weight of example %lld is %g; weights are finite and not negative",
                           (long long)i + 1, weights[i]);
    }
    pt_free(data->weights);
    data->weights = pt_keep(&weights);
    return PT_OK;
}

/* *out (columns x n, column after column), the caller's to free, <- whole numbers. */
static pt_status whole_columns(int64_t **out, const pt_dense *values, const char *what,
                               pt_error *err)
{
    const int64_t n = values->n_rows;
    PT_SCRATCH int64_t *number =
        pt_alloc(values->n_columns, (size_t)n * sizeof *number, "groups of rows", err);
    if (!number)
        return PT_ENOMEM;
    for (int64_t r = 0; r < values->n_columns; r++)
        for (int64_t i = 0; i < n; i++)
            if (!pt_dense_whole_at(values, i, r, &number[r * n + i]))
                return pt_fail(err, PT_EINVAL, "the %s of example %lld is %g, no whole number",
                               what, (long long)i + 1, pt_dense_at(values, i, r));
    *out = pt_keep(&number);
    return PT_OK;
}

static pt_status set_groups(pt_dataset *data, const pt_dense *values, pt_error *err)
{
    int64_t *group = NULL;
    PT_TRY(whole_columns(&group, values, "group", err));
    pt_free(data->group);
    data->group = group;
    return PT_OK;
}

static pt_status set_folds(pt_dataset *data, const pt_dense *values, pt_error *err)
{
    int64_t *fold = NULL;
    PT_TRY(whole_columns(&fold, values, "fold", err));
    pt_free(data->fold);
    data->fold = fold;
    data->fold_columns = values->n_columns;
    return PT_OK;
}

static pt_status set_times(pt_dataset *data, const pt_dense *values, pt_error *err)
{
    PT_SCRATCH double *time = NULL;
    PT_TRY(PT_NEW(time, data->n, "times of rows", err));
    for (int64_t i = 0; i < data->n; i++) {
        time[i] = pt_dense_at(values, i, 0);
        if (!isfinite(time[i]))
            return pt_fail(err, PT_EINVAL, "the time of example %lld is %g, no finite number",
                           (long long)i + 1, time[i]);
    }
    pt_free(data->time);
    data->time = pt_keep(&time);
    return PT_OK;
}

/* Nothing is left of a role. */
static void drop(pt_dataset *data, const char *role)
{
    if (strcmp(role, "weight") == 0) {
        pt_free(data->weights);
        data->weights = NULL;
    } else if (strcmp(role, "group") == 0) {
        pt_free(data->group);
        data->group = NULL;
    } else if (strcmp(role, "time") == 0) {
        pt_free(data->time);
        data->time = NULL;
    } else {
        pt_free(data->fold);
        data->fold = NULL;
        data->fold_columns = 0;
    }
}

pt_status pt_dataset_set_role(pt_dataset *data, const char *role, const pt_dense *values,
                              pt_error *err)
{
    static const struct {
        const char *name;
        pt_status (*set)(pt_dataset *data, const pt_dense *values, pt_error *err);
        int64_t most_columns;
        const char *wanted;
    } ROLES[] = {{"weight", set_weights, 1, "one column"},
                 {"group", set_groups, 1, "one column"},
                 {"fold", set_folds, INT64_MAX, "a column for each repetition"},
                 {"time", set_times, 1, "one column"}};
    pt_dense table;
    for (size_t r = 0; role && r < sizeof ROLES / sizeof *ROLES; r++) {
        if (strcmp(role, ROLES[r].name) != 0)
            continue;
        if (!values) {
            drop(data, role);
            return PT_OK;
        }
        PT_TRY(pt_dense_open(&table, values, err));
        if (table.n_rows != data->n || table.n_columns < 1 ||
            table.n_columns > ROLES[r].most_columns)
            return fail_shape(data, role, ROLES[r].wanted, &table, err);
        return ROLES[r].set(data, &table, err);
    }
    return pt_fail(err, PT_EINVAL,
                   "there is no role '%.40s'; rows have weight, group, fold and time",
                   role ? role : "");
}
