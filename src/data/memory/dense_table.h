/* A program's table of numbers: what is wrong with it, and its cells. */
#ifndef PT_DATA_MEMORY_DENSE_TABLE_H
#define PT_DATA_MEMORY_DENSE_TABLE_H

#include <stdbool.h>

#include "base/error.h"

/* *out <- the table with the strides that two zeros stand for, after a look at all that can be
 * wrong but for the cells. */
pt_status pt_dense_settle(pt_dense *out, const pt_dense *given, pt_error *err);

/* Cell (i, j). */
double pt_dense_cell(const pt_dense *dense, int64_t i, int64_t j);
/* The same as a whole number, to the last digit; false: it is none. */
bool pt_dense_whole_cell(const pt_dense *dense, int64_t i, int64_t j, int64_t *value);

#endif
