/* Copies of rows: some of them, turned on their side, in double, or with a feature more; rows in
 * files. */
#include "data/rows.h"

#include <string.h>

#include "base/alloc.h"
#include "base/task.h"
#include "store/pack.h"

void pt_rows_owned_free(pt_rows_owned *owned)
{
    pt_free(owned->value);
    pt_free(owned->start);
    pt_free(owned->index);
    memset(owned, 0, sizeof *owned);
}

static int64_t row_number(const int64_t *order, int64_t i)
{
    return order ? order[i] : i;
}

static pt_status select_dense(pt_rows_owned *out, const pt_rows *rows, const int64_t *order,
                              int64_t m, const pt_task *task, pt_error *err)
{
    const size_t size = pt_type_size(rows->type);
    const size_t row_bytes = (size_t)rows->d * size;
    char *value = pt_alloc(m, row_bytes ? row_bytes : 1, "a copy of the rows", err);
    if (!value)
        return PT_ENOMEM;
    out->value = value;
    const char *from = rows->dense;
    for (int64_t i = 0; i < m; i++) {
        PT_TRY(pt_task_check_row(task, i, rows->d, err));
        memcpy(value + (size_t)i * row_bytes,
               from + (size_t)row_number(order, i) * (size_t)rows->stride * size, row_bytes);
    }
    out->rows =
        (pt_rows){.n = m, .d = rows->d, .type = rows->type, .dense = value, .stride = rows->d};
    out->rows.levels = rows->levels;
    return PT_OK;
}

/* Room for n sparse rows of d features with so many values in all. */
static pt_status sparse_init(pt_rows_owned *out, int64_t n, int64_t d, int64_t stored, pt_type type,
                             pt_error *err)
{
    out->start = pt_alloc(n + 1, sizeof(int64_t), "a copy of the rows", err);
    out->index = pt_alloc(stored, sizeof(int64_t), "a copy of the rows", err);
    out->value = pt_alloc(stored, pt_type_size(type), "a copy of the rows", err);
    if (!out->start || !out->index || !out->value)
        return PT_ENOMEM;
    out->rows = (pt_rows){.n = n,
                          .d = d,
                          .type = type,
                          .start = out->start,
                          .index = out->index,
                          .value = out->value};
    return PT_OK;
}

/* Copies a sparse row to a place; returns the place behind it. */
static int64_t copy_sparse(pt_rows_owned *out, int64_t place, const pt_rows *rows, int64_t row)
{
    const size_t size = pt_type_size(rows->type);
    const int64_t first = rows->start[row];
    const int64_t count = rows->start[row + 1] - first;
    memcpy(out->index + place, rows->index + first, (size_t)count * sizeof(int64_t));
    memcpy((char *)out->value + (size_t)place * size,
           (const char *)rows->value + (size_t)first * size, (size_t)count * size);
    return place + count;
}

static pt_status select_sparse(pt_rows_owned *out, const pt_rows *rows, const int64_t *order,
                               int64_t m, const pt_task *task, pt_error *err)
{
    int64_t stored = 0;
    for (int64_t i = 0; i < m; i++) {
        const int64_t row = row_number(order, i);
        stored += rows->start[row + 1] - rows->start[row];
    }
    PT_TRY(sparse_init(out, m, rows->d, stored, rows->type, err));
    int64_t place = 0;
    int64_t seen = 0;
    for (int64_t i = 0; i < m; i++) {
        out->start[i] = place;
        place = copy_sparse(out, place, rows, row_number(order, i));
        PT_TRY(pt_task_check_cells(task, place - out->start[i], &seen, err));
    }
    out->start[m] = place;
    out->rows.levels = rows->levels;
    return PT_OK;
}

/* The result of filling `out`, which is freed where that failed. */
static pt_status filled(pt_rows_owned *out, pt_status status)
{
    if (status != PT_OK)
        pt_rows_owned_free(out);
    return status;
}

pt_status pt_rows_select(pt_rows_owned *out, const pt_rows *rows, const int64_t *order, int64_t m,
                         const pt_task *task, pt_error *err)
{
    memset(out, 0, sizeof *out);
    const int64_t count = order ? m : rows->n;
    return filled(out, rows->dense ? select_dense(out, rows, order, count, task, err)
                                   : select_sparse(out, rows, order, count, task, err));
}

static void set_one(pt_type type, void *value, int64_t place)
{
    if (type == PT_F32)
        ((float *)value)[place] = 1;
    else
        ((double *)value)[place] = 1;
}

static pt_status append_dense(pt_rows_owned *out, const pt_rows *rows, const pt_task *task,
                              pt_error *err)
{
    const size_t size = pt_type_size(rows->type);
    const int64_t d = rows->d + 1;
    char *value = pt_alloc(rows->n, (size_t)d * size, "a copy of the rows", err);
    if (!value)
        return PT_ENOMEM;
    out->value = value;
    for (int64_t i = 0; i < rows->n; i++) {
        PT_TRY(pt_task_check_row(task, i, d, err));
        memcpy(value + (size_t)(i * d) * size,
               (const char *)rows->dense + (size_t)(i * rows->stride) * size,
               (size_t)rows->d * size);
        set_one(rows->type, value, i * d + rows->d);
    }
    out->rows = (pt_rows){.n = rows->n, .d = d, .type = rows->type, .dense = value, .stride = d};
    return PT_OK;
}

static pt_status append_sparse(pt_rows_owned *out, const pt_rows *rows, const pt_task *task,
                               pt_error *err)
{
    const int64_t stored = pt_rows_stored(rows) + rows->n;
    PT_TRY(sparse_init(out, rows->n, rows->d + 1, stored, rows->type, err));
    int64_t place = 0;
    int64_t seen = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        PT_TRY(pt_task_check_cells(task, i > 0 ? place - out->start[i - 1] : 0, &seen, err));
        out->start[i] = place;
        place = copy_sparse(out, place, rows, i);
        out->index[place] = rows->d;
        set_one(rows->type, out->value, place++);
    }
    out->start[rows->n] = place;
    return PT_OK;
}

pt_status pt_rows_append_one(pt_rows_owned *out, const pt_rows *rows, const pt_task *task,
                             pt_error *err)
{
    memset(out, 0, sizeof *out);
    return filled(out, rows->dense ? append_dense(out, rows, task, err)
                                   : append_sparse(out, rows, task, err));
}

pt_status pt_rows_take_columns(pt_rows_owned *owned, const int64_t *order, int64_t m,
                               const pt_task *task, pt_error *err)
{
    const size_t size = pt_type_size(owned->rows.type);
    const int64_t d = owned->rows.d;
    PT_SCRATCH char *old = pt_alloc(d, size, "a row", err);
    if (!old)
        return PT_ENOMEM;
    for (int64_t i = 0; i < owned->rows.n; i++) { /* a shorter row never overtakes those to come */
        PT_TRY(pt_task_check_row(task, i, d, err));
        memcpy(old, (char *)owned->value + (size_t)(i * d) * size, (size_t)d * size);
        char *row = (char *)owned->value + (size_t)(i * m) * size;
        for (int64_t j = 0; j < m; j++)
            memcpy(row + (size_t)j * size, old + (size_t)order[j] * size, size);
    }
    owned->rows.d = m;
    owned->rows.stride = m;
    return PT_OK;
}

pt_status pt_rows_take_block_columns(pt_rows_owned *owned, const int64_t *order, int64_t m,
                                     int64_t block, const pt_task *task, pt_error *err)
{
    const int64_t blocks = owned->rows.d / block;
    PT_SCRATCH int64_t *columns = pt_alloc(blocks * m, sizeof(int64_t), "columns", err);
    if (!columns)
        return PT_ENOMEM;
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t j = 0; j < m; j++)
            columns[b * m + j] = b * block + order[j];
    return pt_rows_take_columns(owned, columns, blocks * m, task, err);
}

static pt_status transpose_dense(pt_rows_owned *out, const pt_rows *rows, const double *scale,
                                 const pt_task *task, pt_error *err)
{
    const int64_t n = rows->n;
    const int64_t d = rows->d;
    double *value = pt_alloc(d, (size_t)n * sizeof(double), "the transposed rows", err);
    if (!value)
        return PT_ENOMEM;
    out->value = value;
    enum { BLOCK = 32 }; /* both sides of a block fit the first cache */
    PT_TRY(pt_task_touch(task, value, (size_t)(d * n) * sizeof *value, err));
    for (int64_t i0 = 0; i0 < n; i0 += BLOCK) {
        PT_TRY(pt_task_check_row(task, i0 / BLOCK, BLOCK * d, err));
        for (int64_t j0 = 0; j0 < d; j0 += BLOCK)
            for (int64_t j = j0; j < j0 + BLOCK && j < d; j++)
                for (int64_t i = i0; i < i0 + BLOCK && i < n; i++)
                    value[j * n + i] = pt_rows_value(rows, rows->dense, i * rows->stride + j) *
                                       (scale ? scale[i] : 1);
    }
    out->rows = (pt_rows){.n = d, .d = n, .type = PT_F64, .dense = value, .stride = n};
    return PT_OK;
}

static pt_status transpose_sparse(pt_rows_owned *out, const pt_rows *rows, const double *scale,
                                  const pt_task *task, pt_error *err)
{
    const int64_t stored = pt_rows_stored(rows);
    out->start = pt_alloc_zero(rows->d + 2, sizeof(int64_t), "the transposed rows", err);
    out->index = pt_alloc(stored, sizeof(int64_t), "the transposed rows", err);
    out->value = pt_alloc(stored, sizeof(double), "the transposed rows", err);
    if (!out->start || !out->index || !out->value)
        return PT_ENOMEM;
    double *value = out->value;
    PT_TRY(pt_task_touch(task, out->index, (size_t)stored * sizeof *out->index, err));
    PT_TRY(pt_task_touch(task, value, (size_t)stored * sizeof *value, err));
    /* start[j + 1] is where column j is being filled; afterwards it is where column j ends. */
    int64_t *fill = out->start + 1;
    for (int64_t p = rows->start[0]; p < rows->start[rows->n]; p++) {
        PT_TRY(pt_task_check_row(task, p, 1, err));
        fill[rows->index[p] + 1]++;
    }
    for (int64_t j = 0; j < rows->d; j++)
        fill[j + 1] += fill[j];
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p++) {
            PT_TRY(pt_task_check_row(task, p, 1, err));
            const int64_t place = fill[rows->index[p]]++;
            out->index[place] = i;
            value[place] = pt_rows_value(rows, rows->value, p) * (scale ? scale[i] : 1);
        }
    out->rows = (pt_rows){.n = rows->d,
                          .d = rows->n,
                          .type = PT_F64,
                          .start = out->start,
                          .index = out->index,
                          .value = value};
    return PT_OK;
}

pt_status pt_rows_transpose(pt_rows_owned *out, const pt_rows *rows, const double *scale,
                            const pt_task *task, pt_error *err)
{
    memset(out, 0, sizeof *out);
    return filled(out, rows->dense ? transpose_dense(out, rows, scale, task, err)
                                   : transpose_sparse(out, rows, scale, task, err));
}

static pt_status widen_dense(pt_rows_owned *out, const pt_rows *rows, const pt_task *task,
                             pt_error *err)
{
    double *value = pt_alloc(pt_rows_stored(rows), sizeof(double), "a copy of the rows", err);
    if (!value)
        return PT_ENOMEM;
    out->value = value;
    for (int64_t i = 0; i < rows->n; i++) {
        PT_TRY(pt_task_check_row(task, i, rows->d, err));
        for (int64_t j = 0; j < rows->d; j++)
            value[i * rows->d + j] = pt_rows_value(rows, rows->dense, i * rows->stride + j);
    }
    out->rows.dense = value;
    out->rows.stride = rows->d;
    return PT_OK;
}

static pt_status widen_sparse(pt_rows_owned *out, const pt_rows *rows, const pt_task *task,
                              pt_error *err)
{
    const int64_t first = rows->start[0];
    const int64_t stored = pt_rows_stored(rows);
    double *value = pt_alloc(stored, sizeof(double), "a copy of the rows", err);
    out->start = pt_alloc(rows->n + 1, sizeof(int64_t), "a copy of the rows", err);
    out->index = pt_alloc(stored, sizeof(int64_t), "a copy of the rows", err);
    out->value = value;
    if (!value || !out->start || !out->index)
        return PT_ENOMEM;
    for (int64_t i = 0; i <= rows->n; i++)
        out->start[i] = rows->start[i] - first;
    for (int64_t c = 0; c < stored; c++) {
        PT_TRY(pt_task_check_row(task, c, 1, err));
        out->index[c] = rows->index[first + c];
        value[c] = pt_rows_value(rows, rows->value, first + c);
    }
    out->rows.start = out->start;
    out->rows.index = out->index;
    out->rows.value = value;
    return PT_OK;
}

pt_status pt_rows_widen(pt_rows_owned *out, const pt_rows *rows, const pt_task *task, pt_error *err)
{
    memset(out, 0, sizeof *out);
    out->rows = (pt_rows){.n = rows->n, .d = rows->d, .type = PT_F64, .levels = rows->levels};
    return filled(out, rows->dense ? widen_dense(out, rows, task, err)
                                   : widen_sparse(out, rows, task, err));
}

/* ---- in files -------------------------------------------------------------------------------- */

void pt_pack_add_rows(pt_pack *pack, const pt_rows *rows)
{
    if (rows->dense) {
        pt_pack_add(pack, "rows", rows->type, rows->n, rows->d, rows->dense);
        return;
    }
    const int64_t stored = pt_rows_stored(rows);
    pt_pack_add_integers(pack, "start", rows->n + 1, rows->start);
    pt_pack_add_integers(pack, "index", stored, rows->index);
    pt_pack_add(pack, "value", rows->type, stored, 1, rows->value);
}

/* Row starts ascend from 0 to the number of stored values; indices ascend within a row. */
static bool valid_sparse(const pt_array *start, const pt_array *index, const pt_array *value,
                         int64_t n, int64_t d)
{
    if (!start || !index || !start->integer || !index->integer || start->columns != 1 ||
        index->columns != 1 || value->columns != 1 || start->rows != n + 1 ||
        index->rows != value->rows)
        return false;
    const int64_t *at = start->value;
    const int64_t *feature = index->value;
    if (at[0] != 0 || at[n] != index->rows)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (at[i + 1] < at[i] || at[i + 1] > index->rows)
            return false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = at[i]; p < at[i + 1]; p++)
            if (feature[p] < 0 || feature[p] >= d || (p > at[i] && feature[p] <= feature[p - 1]))
                return false;
    return true;
}

pt_status pt_pack_find_rows(pt_rows *rows, const pt_pack *pack, pt_error *err)
{
    const pt_array *dense = pt_pack_find(pack, "rows");
    const pt_array *value = pt_pack_find(pack, "value");
    const pt_array *start = pt_pack_find(pack, "start");
    const pt_array *index = pt_pack_find(pack, "index");
    bool fits = false;
    if (dense) {
        fits = pt_array_is_real(dense, rows->type) && dense->rows == rows->n &&
               dense->columns == rows->d;
        rows->dense = dense->value;
        rows->stride = rows->d;
    } else if (value) {
        fits = pt_array_is_real(value, rows->type) &&
               valid_sparse(start, index, value, rows->n, rows->d);
        rows->start = start ? start->value : NULL;
        rows->index = index ? index->value : NULL;
        rows->value = value->value;
    }
    return fits ? PT_OK : pt_fail(err, PT_EFORMAT, "the model's rows do not fit its other parts");
}
