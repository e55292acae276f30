/* The only parallelism of the library. Results must not depend on which worker runs which index:
 * index i writes to places that belong to i. Sums over indices are formed afterwards, in order. */
#ifndef PT_BASE_PARALLEL_H
#define PT_BASE_PARALLEL_H

#include "base/task.h"

/* The work of index i. `worker` < pt_parallel_workers() chooses scratch space. */
typedef pt_status (*pt_parallel_fn)(void *context, int64_t i, int worker, pt_error *err);

/* How many workers a loop over n indices uses: size scratch by it. 1 inside a parallel loop. */
int pt_parallel_workers(const pt_task *task, int64_t n);

/* Runs body for 0 <= i < n, dynamically scheduled; serial inside another parallel loop. Where
 * several indices fail, the error is that of the lowest index that failed; after a failure or a
 * cancellation no new index is begun. */
pt_status pt_parallel_for(const pt_task *task, int64_t n, pt_parallel_fn body, void *context,
                          pt_error *err);

/* The same, reporting i of n as progress of `stage` (NULL: none). */
pt_status pt_parallel_for_stage(const pt_task *task, const char *stage, int64_t n,
                                pt_parallel_fn body, void *context, pt_error *err);

/* The same on at most `most` workers: where memory, not processors, is the limit. With one worker
 * the body runs outside of any parallel loop, and its own loops have all threads. */
pt_status pt_parallel_for_at_most(const pt_task *task, int most, int64_t n, pt_parallel_fn body,
                                  void *context, pt_error *err);

/* Between these two, libraries that use OpenMP themselves (BLAS) run on the calling thread alone;
 * inside a parallel loop they do so anyway. Returns what `end` needs to put things back. */
int pt_parallel_alone_begin(void);
void pt_parallel_alone_end(int before);

#endif
