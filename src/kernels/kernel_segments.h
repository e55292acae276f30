/* Kernel values of rows in groups, segment by segment, for solvers that train all pairs of groups.
 *
 * A segment is k(x_i, .) for the rows of one group. The one of a row's own group is read by every
 * pair that the group is in, and shared by all of them; the one of another group is read by a
 * single pair, and held by the worker that trains it until it goes on to the next. Each is computed
 * when it is first asked for and, where the memory that is given suffices, once. */
#ifndef PT_KERNELS_KERNEL_SEGMENTS_H
#define PT_KERNELS_KERNEL_SEGMENTS_H

#include "base/task.h"
#include "kernels/kernel.h"

/* ---- rows in groups: grouped_rows.c ------------------------------------------------------------
 *
 * Rows in groups (classes), made ready for kernel values of one row against all rows of a group: a
 * segment. Solvers that touch few rows of few blocks ask for these, where whole blocks by GEMM
 * would mostly be values that nobody reads. */

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
pt_status pt_grouped_rows_segment(const pt_grouped_rows *g, int64_t i, int64_t group, void *segment,
                                  void *scratch, pt_error *err);

/* ---- segments that are held: kernel_segments.c ----------------------------------------------- */

typedef struct pt_kernel_segments pt_kernel_segments;

/* `bytes` is what the values may take; a few segments for each worker are held whatever it says.
 * `rows` must stay. */
pt_status pt_kernel_segments_open(pt_kernel_segments **out, const pt_grouped_rows *rows,
                                  double bytes, int workers, pt_error *err);
void pt_kernel_segments_close(pt_kernel_segments *s);
/* Bytes that hold all that pairs of these groups may ask for. */
double pt_kernel_segments_bytes(const int64_t *first, int64_t groups, pt_type type, int workers);
/* ... and those that are held in any case. */
double pt_kernel_segments_least(const int64_t *first, int64_t groups, pt_type type, int workers);

/* ... and beside any values: where they are. */
double pt_kernel_segments_lists(const int64_t *first, int64_t groups, int workers);

/* For tests and plans: segments computed so far; bytes that are set aside for values. */
int64_t pt_kernel_segments_computed(const pt_kernel_segments *s);
double pt_kernel_segments_held(const pt_kernel_segments *s);

/* The worker goes on to the pair of groups p and q, and lets go of what the last one held. */
void pt_kernel_segments_begin(pt_kernel_segments *s, int worker, int64_t p, int64_t q);
/* The rows of the pair are numbered through, those of p first. *segment <- the values of
 * k(x_row, .) with group p (side 0) or q (side 1); they stay for the next PT_SEGMENTS_STAY - 1
 * calls of this worker. */
enum { PT_SEGMENTS_STAY = 64 };
pt_status pt_kernel_segments_get(pt_kernel_segments *s, int worker, int64_t row, int side,
                                 const void **segment, pt_error *err);

#endif
