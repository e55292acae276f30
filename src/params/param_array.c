/* Arrays in the place of files: what they are made of is copied and checked; rows find their
 * classes. */
#include "params/param_array.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dense_table.h"
#include "base/file.h"
#include "params/params_table.h"

static const char PREFIX[] = "array:";
static const double ROUNDING = 1e-9; /* relative, of entries that are to be equal */

/* ---- the object ------------------------------------------------------------------------------ */

static pt_status array_alloc(pt_param_array **out, int64_t rows, int64_t columns, pt_error *err)
{
    PT_FREED_BY(pt_param_array_free_at) pt_param_array *made = NULL;
    PT_TRY(PT_NEW_ZERO(made, 1, "an array", err));
    atomic_init(&made->holders, 1);
    made->rows = rows;
    made->columns = columns;
    PT_TRY(PT_NEW(made->value, rows * columns, "an array", err)); /* fits: pt_dense_open */
    *out = pt_keep(&made);
    return PT_OK;
}

pt_param_array *pt_param_array_share(pt_param_array *array)
{
    if (array)
        atomic_fetch_add(&array->holders, 1);
    return array;
}

void pt_param_array_free(pt_param_array *array)
{
    if (!array || atomic_fetch_sub(&array->holders, 1) > 1)
        return;
    pt_texts_free(&array->classes);
    pt_free(array->value);
    pt_free(array);
}

static void write_text(pt_param_array *array)
{
    const size_t bytes = (size_t)(array->rows * array->columns) * sizeof *array->value;
    snprintf(array->text, sizeof array->text, "%s%" PRId64 "x%" PRId64 ":%016" PRIx64, PREFIX,
             array->rows, array->columns, pt_checksum(array->value, bytes));
}

pt_status pt_param_array_named(pt_param_array **out, const pt_param_array *array,
                               const pt_texts *classes, pt_error *err)
{
    PT_FREED_BY(pt_param_array_free_at) pt_param_array *made = NULL;
    PT_TRY(array_alloc(&made, array->rows, array->columns, err));
    memcpy(made->value, array->value,
           (size_t)(array->rows * array->columns) * sizeof *array->value);
    memcpy(made->text, array->text, sizeof made->text);
    PT_TRY(pt_texts_copy(&made->classes, classes, err));
    *out = pt_keep(&made);
    return PT_OK;
}

/* ---- what may be in it ----------------------------------------------------------------------- */

/* Says what is wrong with an entry, whose row and column count from 1. */
static pt_status fail_entry(pt_param_id id, int64_t row, int64_t column, double value,
                            const char *rule, pt_error *err)
{
    return pt_fail(err, PT_EINVAL, "`%s`: row %lld, column %lld is %.9g; %s (both count from 1)",
                   pt_param_table[id].name, (long long)row + 1, (long long)column + 1, value, rule);
}

static pt_status fail_shape(pt_param_id id, const pt_dense *table, const char *rule, pt_error *err)
{
    return pt_fail(err, PT_EINVAL, "`%s`: an array of %lld x %lld; %s", pt_param_table[id].name,
                   (long long)table->n_rows, (long long)table->n_columns, rule);
}

static pt_status check_shape(pt_param_id id, const pt_dense *table, pt_error *err)
{
    const int64_t n = table->n_rows;
    const int64_t m = table->n_columns;
    if (id == PT_P_CODE)
        return n >= 2 && m >= 1
                   ? PT_OK
                   : fail_shape(id, table, "a code has a row for each of two classes or more", err);
    if (id == PT_P_CLASS_WEIGHT)
        return n >= 1 && m >= 1 && (n == 1 || m == 1)
                   ? PT_OK
                   : fail_shape(id, table, "weights are one row or one column", err);
    if (id == PT_P_COSTS)
        return n >= 1 && (m == n || m == n + 1)
                   ? PT_OK
                   : fail_shape(id, table,
                                "there is a row and a column for each class, and in decisions "
                                "perhaps one more column, of rejecting",
                                err);
    return n >= 1 && n == m
               ? PT_OK
               : fail_shape(id, table, "there is a row and a column for each class", err);
}

/* Why an entry may not be what it is; NULL: it may. */
static const char *breach(pt_param_id id, const pt_dense *table, int64_t row, int64_t column)
{
    const double value = pt_dense_at(table, row, column);
    if (!isfinite(value))
        return "entries are numbers";
    if (id == PT_P_CODE && value != -1 && value != 0 && value != 1)
        return "entries of a code are -1, 0 and 1";
    if (id == PT_P_CLASS_WEIGHT && !(value > 0))
        return "weights of classes are positive";
    if (id == PT_P_COSTS && (row == column ? value != 0 : value < 0))
        return "costs are 0 on the diagonal and nowhere negative";
    if (id != PT_P_LABEL_KERNEL || column >= row)
        return NULL;
    const double other = pt_dense_at(table, column, row);
    return fabs(value - other) > ROUNDING * (fabs(value) + fabs(other))
               ? "a kernel on labels is symmetric"
               : NULL;
}

static bool takes_arrays(pt_param_id id)
{
    return id == PT_P_COSTS || id == PT_P_LABEL_KERNEL || id == PT_P_CODE ||
           id == PT_P_CLASS_WEIGHT;
}

pt_status pt_param_array_new(pt_param_array **out, pt_param_id id, const pt_dense *given,
                             pt_error *err)
{
    PT_FREED_BY(pt_param_array_free_at) pt_param_array *made = NULL;
    const char *name = pt_param_table[id].name;
    pt_dense table;
    pt_error own = PT_ERROR_INIT;
    if (!takes_arrays(id))
        return pt_fail(err, PT_EINVAL,
                       "`%s` does not take an array; costs, label-kernel, code and class-weight do",
                       name);
    if (!given)
        return pt_fail(err, PT_EINVAL, "`%s`: there is no array", name);
    if (pt_dense_open(&table, given, &own) != PT_OK)
        return pt_fail(err, PT_EINVAL, "`%s`: %s", name, own.text);
    PT_TRY(check_shape(id, &table, err));
    const bool row = id == PT_P_CLASS_WEIGHT && table.n_rows == 1;
    PT_TRY(
        array_alloc(&made, row ? table.n_columns : table.n_rows, row ? 1 : table.n_columns, err));
    for (int64_t i = 0; i < table.n_rows; i++)
        for (int64_t j = 0; j < table.n_columns; j++) {
            const double value = pt_dense_at(&table, i, j);
            const char *rule = breach(id, &table, i, j);
            if (rule)
                return fail_entry(id, i, j, value, rule, err);
            made->value[i * table.n_columns + j] = value;
        }
    write_text(made);
    *out = pt_keep(&made);
    return PT_OK;
}

/* ---- by classes ------------------------------------------------------------------------------ */

/* The classes mostly come in the order of the rows: each is looked for behind the one before. */
static pt_status find_rows(const pt_param_array *array, const char *name, const pt_texts *classes,
                           int64_t *place, pt_error *err)
{
    const pt_texts *known = &array->classes;
    for (int64_t r = 0, next = 0; r < classes->count; r++, next = place[r - 1] + 1) {
        int64_t tried = 0;
        while (tried < known->count &&
               strcmp(known->items[(next + tried) % known->count], classes->items[r]) != 0)
            tried++;
        if (tried == known->count)
            return pt_fail(err, PT_EINVAL,
                           "`%s`: the array was for other data; it has nothing for the class "
                           "'" PT_SHOWN "'",
                           name, classes->items[r]);
        place[r] = (next + tried) % known->count;
    }
    return PT_OK;
}

pt_status pt_params_array_rows(const pt_params *params, pt_param_id id, const pt_texts *classes,
                               int64_t **place, pt_error *err)
{
    const pt_param_array *array = pt_params_array(params, id);
    const char *name = pt_param_table[id].name;
    const int64_t k = classes ? classes->count : array->rows;
    PT_SCRATCH int64_t *rows = NULL;
    if (array->classes.count == 0 && array->rows != k)
        return pt_fail(err, PT_EINVAL, "`%s`: the array is for %lld classes, and there are %lld",
                       name, (long long)array->rows, (long long)k);
    PT_TRY(PT_NEW(rows, k, "rows of an array", err));
    for (int64_t r = 0; r < k; r++)
        rows[r] = r;
    if (array->classes.count > 0 && classes)
        PT_TRY(find_rows(array, name, classes, rows, err));
    *place = pt_keep(&rows);
    return PT_OK;
}

pt_status pt_params_array_is_here(const pt_params *params, pt_param_id id, pt_error *err)
{
    const char *text = pt_params_text(params, id);
    if (pt_params_array(params, id) || strncmp(text, PREFIX, strlen(PREFIX)) != 0)
        return PT_OK;
    return pt_fail(err, PT_EINVAL,
                   "`%s` was an array in memory, '" PT_SHOWN "', of which the name alone is left; "
                   "set it again",
                   pt_param_table[id].name, text);
}
