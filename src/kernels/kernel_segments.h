/* Kernel values of rows in groups, segment by segment, for solvers that train all pairs of groups.
 *
 * A segment is k(x_i, .) for the rows of one group. The one of a row's own group is read by every
 * pair that the group is in, and shared by all of them; the one of another group is read by a
 * single pair, and held by the worker that trains it until it goes on to the next. Each is computed
 * when it is first asked for and, where the memory that is given suffices, once. */
#ifndef PT_KERNELS_KERNEL_SEGMENTS_H
#define PT_KERNELS_KERNEL_SEGMENTS_H

#include "kernels/grouped_rows.h"

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
/* The rows of the pair are numbered through, those of p first. The values of k(x_row, .) with group
 * p (side 0) or q (side 1) stay for the next PT_SEGMENTS_STAY - 1 calls of this worker. */
enum { PT_SEGMENTS_STAY = 64 };
const void *pt_kernel_segments_get(pt_kernel_segments *s, int worker, int64_t row, int side);

#endif
