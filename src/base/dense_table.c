/* Tables of numbers that a program hands over. */
#include "base/dense_table.h"

#include <math.h>

#include "base/math.h"

/* Whether every cell has a place that can be addressed. */
static bool is_addressable(const pt_dense *table)
{
    static const double MOST = 0x1p62;
    const double size = (double)pt_type_size(table->type);
    const double rows = (double)table->n_rows * fmax(fabs((double)table->row_stride), 1);
    const double columns = (double)table->n_columns * fmax(fabs((double)table->column_stride), 1);
    return (rows + columns) * size < MOST &&
           (double)table->n_rows * (double)table->n_columns * sizeof(double) < MOST;
}

pt_status pt_dense_open(pt_dense *table, const pt_dense *given, pt_error *err)
{
    pt_dense own = *given;
    if (own.row_stride == 0 && own.column_stride == 0) {
        own.row_stride = own.n_columns;
        own.column_stride = 1;
    }
    if (own.type < PT_F32 || own.type > PT_I8)
        return pt_fail(err, PT_EINVAL, "a table is made of numbers: type %d is none",
                       (int)own.type);
    if (own.n_rows < 0 || own.n_columns < 0)
        return pt_fail(err, PT_EINVAL, "a table of %lld rows and %lld columns",
                       (long long)own.n_rows, (long long)own.n_columns);
    if (!own.values && own.n_rows > 0 && own.n_columns > 0)
        return pt_fail(err, PT_EINVAL, "the values are NULL");
    if (!is_addressable(&own))
        return pt_fail(err, PT_EINVAL,
                       "%lld rows of %lld columns, strides %lld and %lld: they cannot be addressed",
                       (long long)own.n_rows, (long long)own.n_columns, (long long)own.row_stride,
                       (long long)own.column_stride);
    *table = own;
    return PT_OK;
}

bool pt_dense_whole_at(const pt_dense *table, int64_t i, int64_t j, int64_t *value)
{
    static const double MOST = 0x1p63;
    if (table->type == PT_I64) {
        *value = ((const int64_t *)table->values)[i * table->row_stride + j * table->column_stride];
        return true;
    }
    const double x = pt_dense_at(table, i, j);
    if (!(x >= -MOST && x < MOST) || x != floor(x))
        return false;
    *value = (int64_t)x;
    return true;
}
