/* Rows in groups (classes), made ready for kernel values of one row against all rows of a group: a
 * segment. Solvers that touch few rows of few blocks ask for these, where whole blocks by GEMM
 * would mostly be values that nobody reads. */
#ifndef PT_KERNELS_GROUPED_ROWS_H
#define PT_KERNELS_GROUPED_ROWS_H

#include "base/task.h"
#include "kernels/kernel.h"

typedef struct pt_grouped_rows pt_grouped_rows;

/* Rows are numbered anew: group after group, row i is row order[i] of `rows`, and group g has those
 * from first[g] to first[g + 1]. What `rows` points at must stay, order and first are copied.
 * Values are of the type of the rows. */
pt_status pt_grouped_rows_new(pt_grouped_rows **out, const pt_rows *rows, const int64_t *order,
                              const int64_t *first, int64_t groups, const pt_kernel *kernel,
                              const pt_task *task, pt_error *err);
void pt_grouped_rows_free(pt_grouped_rows *g);
/* Bytes that pt_grouped_rows_new will hold (an upper bound): for the plan. */
double pt_grouped_rows_bytes(const pt_rows *rows, int64_t groups, const pt_kernel_ops *kernel);

pt_type pt_grouped_rows_type(const pt_grouped_rows *g);
int64_t pt_grouped_rows_groups(const pt_grouped_rows *g);
const int64_t *pt_grouped_rows_first(const pt_grouped_rows *g);   /* groups + 1 */
const double *pt_grouped_rows_diagonal(const pt_grouped_rows *g); /* k(x_i, x_i) */

/* Values that a segment of a group of so many rows is written with: a multiple of 16, and what lies
 * behind the rows is finite. */
int64_t pt_segment_width(int64_t count, pt_type type);

/* Bytes of scratch that one worker needs. */
size_t pt_grouped_rows_scratch(const pt_grouped_rows *g);
/* segment (pt_segment_width values, 64-byte aligned) <- k(x_i, .) for the rows of the group. It
 * depends on nothing but the rows: neither on what was asked before nor on who asks. */
void pt_grouped_rows_segment(const pt_grouped_rows *g, int64_t i, int64_t group, void *segment,
                             void *scratch);

#endif
