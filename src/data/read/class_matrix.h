/* A matrix with a row and a column for each class, from a CSV file. */
#ifndef PT_DATA_READ_CLASS_MATRIX_H
#define PT_DATA_READ_CLASS_MATRIX_H

#include "base/task.h"
#include "base/text.h"

/* *out <- k x k, row-major, in the order of `classes`; the caller frees it. The file has k lines of
 * k numbers in that order; or, with class names in any order, a first line of them, or a first cell
 * of every line, or both. Every fault is told with its line. */
pt_status pt_class_matrix_read(double **out, const char *path, const pt_texts *classes,
                               const pt_task *task, pt_error *err);

#endif
