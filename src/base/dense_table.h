/* Tables of numbers as a program hands them over (pt_dense): any type, any strides. */
#ifndef PT_BASE_DENSE_TABLE_H
#define PT_BASE_DENSE_TABLE_H

#include <math.h>
#include <stdbool.h>

#include "base/error.h"

/* *table <- what was given, with strides that count; refuses what cannot be addressed. The values
 * are not looked at. */
pt_status pt_dense_open(pt_dense *table, const pt_dense *given, pt_error *err);
/* A cell of such a table. */
static inline double pt_dense_at(const pt_dense *table, int64_t i, int64_t j)
{
    const int64_t at = i * table->row_stride + j * table->column_stride;
    switch (table->type) {
    case PT_F64:
        return ((const double *)table->values)[at];
    case PT_F32:
        return (double)((const float *)table->values)[at];
    case PT_I64:
        return (double)((const int64_t *)table->values)[at];
    case PT_I32:
        return (double)((const int32_t *)table->values)[at];
    case PT_I8:
        return (double)((const int8_t *)table->values)[at];
    case PT_TEXT:
        break;
    }
    return NAN;
}
/* The same as a whole number, to the last digit; false: it is none. */
bool pt_dense_whole_at(const pt_dense *table, int64_t i, int64_t j, int64_t *value);

#endif
