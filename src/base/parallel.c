/* pt_parallel_for over OpenMP: the only file with a pragma. */
#include "base/parallel.h"

#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "base/host.h"

/* Asked for more threads than it can make, OpenMP ends the program. Nothing is gained beyond a few
 * per processor, and no result depends on their number. */
static int most_threads(void)
{
    const int processors = pt_host_processors();
    return processors > 8 ? 2 * processors : 16;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int pt_parallel_workers(const pt_task *task, int64_t n)
{
    if (omp_in_parallel())
        return 1;
    const int threads = smaller(pt_task_threads(task), most_threads());
    return n < threads ? (n > 0 ? (int)n : 1) : threads;
}

static pt_status serial_for(const pt_task *task, const char *stage, int64_t n, pt_parallel_fn body,
                            void *context, pt_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        PT_TRY(pt_task_check(task, err));
        PT_TRY(body(context, i, 0, err));
        if (stage)
            pt_task_progress(task, stage, (double)(i + 1), (double)n);
    }
    return PT_OK;
}

/* The lowest failing index wins. An index below a failed one may still be running, or about to be:
 * indices are handed out in ascending order, so every lower index has begun and will report. */
typedef struct failure {
    int64_t index;
    pt_status status;
    pt_error error;
} failure;

static void failure_keep(failure *kept, int64_t index, pt_status status, const pt_error *error)
{
    if (kept->status == PT_OK || index < kept->index) {
        kept->index = index;
        kept->status = status;
        kept->error = *error;
    }
}

/* Threads of gcc's OpenMP that wait spin for milliseconds, unless there are more of them than
 * processors. Where others use the machine too, they keep the processor from those they wait for:
 * short loops on two processors took ten times as long as on one thread. So where workers would
 * take all processors there is one thread more, which finds nothing to do. */
static int team_of(int workers)
{
    return workers == pt_host_processors() ? workers + 1 : workers;
}

static pt_status run_loop(const pt_task *task, int workers, const char *stage, int64_t n,
                          pt_parallel_fn body, void *context, pt_error *err)
{
    if (workers == 1)
        return serial_for(task, stage, n, body, context, err);

    failure first;
    memset(&first, 0, sizeof first);
    atomic_bool stop = false;
    atomic_int_fast64_t next = 0;
    atomic_int_fast64_t finished = 0;

#pragma omp parallel num_threads(team_of(workers)) shared(first, stop, next, finished)
    {
        const int worker = omp_get_thread_num();
        while (worker < workers && !atomic_load_explicit(&stop, memory_order_relaxed)) {
            const int64_t i = atomic_fetch_add(&next, 1);
            if (i >= n)
                break;
            pt_error own;
            memset(&own, 0, sizeof own);
            pt_status status = pt_task_check(task, &own);
            if (status == PT_OK)
                status = body(context, i, worker, &own);
            if (status != PT_OK) {
#pragma omp critical(pt_parallel_failure)
                failure_keep(&first, i, status, &own);
                atomic_store(&stop, true);
            }
            const int64_t done = atomic_fetch_add(&finished, 1) + 1;
            if (stage && worker == 0)
                pt_task_progress(task, stage, (double)done, (double)n);
        }
    }
    if (first.status != PT_OK && err)
        *err = first.error;
    if (first.status == PT_OK && stage) /* the last index may have been another worker's */
        pt_task_progress(task, stage, (double)n, (double)n);
    return first.status;
}

pt_status pt_parallel_for_stage(const pt_task *task, const char *stage, int64_t n,
                                pt_parallel_fn body, void *context, pt_error *err)
{
    return run_loop(task, pt_parallel_workers(task, n), stage, n, body, context, err);
}

pt_status pt_parallel_for(const pt_task *task, int64_t n, pt_parallel_fn body, void *context,
                          pt_error *err)
{
    return pt_parallel_for_stage(task, NULL, n, body, context, err);
}

pt_status pt_parallel_for_at_most(const pt_task *task, int most, int64_t n, pt_parallel_fn body,
                                  void *context, pt_error *err)
{
    const int workers = smaller(pt_parallel_workers(task, n), most);
    return run_loop(task, workers > 1 ? workers : 1, NULL, n, body, context, err);
}

/* The setting belongs to the calling thread: no other thread of the program sees the change. */
int pt_parallel_alone_begin(void)
{
    const int before = omp_get_max_threads();
    if (before != 1)
        omp_set_num_threads(1);
    return before;
}

void pt_parallel_alone_end(int before)
{
    if (before != 1)
        omp_set_num_threads(before);
}
