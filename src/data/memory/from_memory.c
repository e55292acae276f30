/* Data sets from a program's own rows, dense and sparse: copied, or looked at where they are. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dense_table.h"
#include "base/math.h"
#include "data/dataset.h"

/* ---- values ---------------------------------------------------------------------------------- */

static pt_status fail_infinite(int64_t row, int64_t feature, pt_error *err)
{
    return pt_fail(err, PT_EINVAL,
                   "example %lld, feature %lld: the value is infinite; give a number, or NaN for a "
                   "missing one (both count from 1)",
                   (long long)row + 1, (long long)feature + 1);
}

static pt_status check_finite(const pt_dataset *data, pt_error *err)
{
    for (int64_t i = 0; i < data->n; i++) {
        const int64_t cells = data->start ? data->start[i + 1] - data->start[i] : data->d;
        for (int64_t c = 0; c < cells; c++) {
            const int64_t at = data->start ? data->start[i] + c : pt_dataset_place(data, i, c);
            if (isinf(pt_dataset_cell(data, at)))
                return fail_infinite(i, data->start ? data->index[at] : c, err);
        }
    }
    return PT_OK;
}

/* ---- dense rows ------------------------------------------------------------------------------ */

/* Row-major, each row by itself. */
static pt_status copy_table(pt_dataset *data, const pt_dense *dense, pt_error *err)
{
    const size_t size = pt_type_size(data->type);
    data->value = pt_alloc(data->n, (size_t)data->d * size, "a data set", err);
    if (!data->value)
        return PT_ENOMEM;
    const bool same = data->type == dense->type && dense->column_stride == 1 && data->d > 0;
    for (int64_t i = 0; i < data->n && same; i++)
        memcpy((char *)data->value + (size_t)(i * data->d) * size,
               (const char *)dense->values + i * dense->row_stride * (ptrdiff_t)size,
               (size_t)data->d * size);
    for (int64_t i = 0; i < data->n && !same; i++)
        for (int64_t j = 0; j < data->d; j++) {
            const double x = pt_dense_at(dense, i, j);
            if (data->type == PT_F32)
                ((float *)data->value)[i * data->d + j] = (float)x;
            else
                ((double *)data->value)[i * data->d + j] = x;
        }
    return PT_OK;
}

pt_status pt_dataset_from_dense(pt_dataset **out, const pt_dense *given, pt_hold hold,
                                pt_error *err)
{
    pt_dense dense;
    PT_TRY(pt_dense_open(&dense, given, err));
    const bool is_float = dense.type == PT_F64 || dense.type == PT_F32;
    const pt_type type = dense.type == PT_F32 || dense.type == PT_I8 ? PT_F32 : PT_F64;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_dataset_shell(&data, dense.n_rows, dense.n_columns, type, "memory", err));
    if (hold == PT_BORROW && is_float) {
        data->value = (void *)dense.values;
        data->value_lent = true;
        data->row_stride = dense.row_stride;
        data->column_stride = dense.column_stride;
    } else {
        PT_TRY(copy_table(data, &dense, err));
    }
    PT_TRY(check_finite(data, err));
    *out = pt_keep(&data);
    return PT_OK;
}

/* ---- sparse rows ----------------------------------------------------------------------------- */

static int64_t whole(pt_type type, const void *values, int64_t at)
{
    return type == PT_I64 ? ((const int64_t *)values)[at] : ((const int32_t *)values)[at];
}

/* Rows that begin where the last one ended, columns ascending and in range. */
static pt_status check_sparse(const pt_sparse *s, pt_error *err)
{
    if (s->type != PT_F64 && s->type != PT_F32)
        return pt_fail(err, PT_EINVAL, "values of sparse rows are PT_F64 or PT_F32, not type %d",
                       (int)s->type);
    if (s->index_type != PT_I64 && s->index_type != PT_I32)
        return pt_fail(err, PT_EINVAL, "indices of sparse rows are PT_I64 or PT_I32, not type %d",
                       (int)s->index_type);
    if (s->n_rows < 0 || s->n_columns < 0 || !s->start || whole(s->index_type, s->start, 0) != 0)
        return pt_fail(err, PT_EINVAL,
                       "%lld rows of %lld columns; neither may be negative, and start[0] is 0",
                       (long long)s->n_rows, (long long)s->n_columns);
    for (int64_t i = 0; i < s->n_rows; i++)
        if (whole(s->index_type, s->start, i + 1) < whole(s->index_type, s->start, i))
            return pt_fail(err, PT_EINVAL, "start[%lld] is below start[%lld]", (long long)i + 1,
                           (long long)i);
    if (whole(s->index_type, s->start, s->n_rows) > 0 && (!s->index || !s->values))
        return pt_fail(err, PT_EINVAL, "the indices or the values are NULL");
    for (int64_t i = 0; i < s->n_rows; i++) {
        const int64_t begin = whole(s->index_type, s->start, i);
        const int64_t end = whole(s->index_type, s->start, i + 1);
        for (int64_t at = begin, last = -1; at < end; at++) {
            const int64_t column = whole(s->index_type, s->index, at);
            if (column < 0 || column >= s->n_columns)
                return pt_fail(err, PT_EINVAL,
                               "row %lld: index[%lld] is column %lld, which is not in 0..%lld (all "
                               "count from 0)",
                               (long long)i, (long long)at, (long long)column,
                               (long long)s->n_columns - 1);
            if (column <= last)
                return pt_fail(err, PT_EINVAL,
                               "row %lld: index[%lld] is column %lld, %s; sort the indices and add "
                               "up those that are there twice (all count from 0)",
                               (long long)i, (long long)at, (long long)column,
                               column == last ? "as the one before" : "below the one before");
            last = column;
        }
    }
    return PT_OK;
}

static pt_status copy_whole(int64_t **out, pt_type type, const void *from, int64_t count,
                            pt_error *err)
{
    PT_TRY(PT_NEW(*out, count, "a data set", err));
    for (int64_t at = 0; at < count; at++)
        (*out)[at] = whole(type, from, at);
    return PT_OK;
}

pt_status pt_dataset_from_sparse(pt_dataset **out, const pt_sparse *sparse, pt_hold hold,
                                 pt_error *err)
{
    PT_TRY(check_sparse(sparse, err));
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_dataset_shell(&data, sparse->n_rows, sparse->n_columns, sparse->type, "memory", err));
    const int64_t count = whole(sparse->index_type, sparse->start, sparse->n_rows);
    /* what says that a data set is sparse is a start that is there, whose cells may be none */
    if (hold == PT_BORROW && sparse->index_type == PT_I64) {
        data->start = (int64_t *)sparse->start;
        data->index = (int64_t *)sparse->index;
        data->index_lent = true;
    } else {
        PT_TRY(copy_whole(&data->start, sparse->index_type, sparse->start, data->n + 1, err));
        PT_TRY(copy_whole(&data->index, sparse->index_type, sparse->index, count, err));
    }
    if (hold == PT_BORROW) {
        data->value = (void *)sparse->values;
        data->value_lent = true;
    } else {
        const size_t size = pt_type_size(data->type);
        data->value = pt_alloc(count, size, "a data set", err);
        if (!data->value)
            return PT_ENOMEM;
        if (count > 0)
            memcpy(data->value, sparse->values, (size_t)count * size);
    }
    PT_TRY(check_finite(data, err));
    *out = pt_keep(&data);
    return PT_OK;
}

/* ---- rows and cells -------------------------------------------------------------------------- */

pt_status pt_dataset_rows(pt_dataset **out, const pt_dataset *data, const int64_t *rows, int64_t n,
                          pt_error *err)
{
    if (n < 0 || (n > 0 && !rows))
        return pt_fail(err, PT_EINVAL, "%lld rows are asked for, or they are NULL", (long long)n);
    return pt_dataset_view(out, data, rows, n, NULL, err);
}

pt_status pt_dataset_cells(const pt_dataset *data, int64_t first, int64_t n, double *cells,
                           pt_error *err)
{
    if (first < 0 || n < 0 || first > data->n - n)
        return pt_fail(err, PT_EINVAL, "rows %lld to %lld of %lld are asked for (from 0)",
                       (long long)first, (long long)(first + n - 1), (long long)data->n);
    for (int64_t i = 0; i < n; i++) {
        double *row = cells + i * data->d;
        if (!data->start) {
            for (int64_t j = 0; j < data->d; j++)
                row[j] = pt_dataset_dense_cell(data, first + i, j);
            continue;
        }
        memset(row, 0, (size_t)data->d * sizeof *row);
        for (int64_t at = data->start[first + i]; at < data->start[first + i + 1]; at++)
            row[data->index[at]] = pt_dataset_cell(data, at);
    }
    return PT_OK;
}
