/* pt_parallel_for over a team of threads. */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/flow.h"
#include "base/host.h"
#include "base/team.h"

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
    if (!pt_team_is_free())
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

typedef struct loop {
    const pt_task *task;
    int workers;
    const char *stage; /* NULL: no progress */
    int64_t n;
    pt_parallel_fn body;
    void *context;
    failure first; /* under the lock */
    atomic_bool stop;
    atomic_int_fast64_t next;
    atomic_int_fast64_t finished;
    atomic_int left; /* workers that will take no index any more */
} loop;

static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;

static void run_index(loop *l, int64_t i, int worker)
{
    pt_error own = PT_ERROR_INIT;
    memset(&own, 0, sizeof own);
    pt_status status = pt_task_check(l->task, &own);
    if (status == PT_OK)
        status = l->body(l->context, i, worker, &own);
    if (status != PT_OK) {
        pthread_mutex_lock(&failure_lock);
        failure_keep(&l->first, i, status, &own);
        pthread_mutex_unlock(&failure_lock);
        atomic_store(&l->stop, true);
    }
    const int64_t done = atomic_fetch_add(&l->finished, 1) + 1;
    if (l->stage && worker == 0)
        pt_task_progress(l->task, l->stage, (double)done, (double)l->n);
}

/* The caller's thread has nothing left to do, others have: its callback is called all the same. */
static void wait_for_others(loop *l, int workers)
{
    for (int64_t looks = 0; atomic_load(&l->left) < workers; looks++) {
        pt_task_beat(l->task);
        pt_flow_wait_a_little(looks);
    }
}

static void work(void *context, int worker, int size)
{
    loop *l = context;
    if (worker >= l->workers)
        return;
    while (!atomic_load_explicit(&l->stop, memory_order_relaxed)) {
        const int64_t i = atomic_fetch_add(&l->next, 1);
        if (i >= l->n)
            break;
        run_index(l, i, worker);
    }
    atomic_fetch_add(&l->left, 1);
    if (worker == 0 && pt_task_is_heard(l->task))
        wait_for_others(l, smaller(l->workers, size));
}

static pt_status run_loop(const pt_task *task, int workers, const char *stage, int64_t n,
                          pt_parallel_fn body, void *context, pt_error *err)
{
    if (workers == 1)
        return serial_for(task, stage, n, body, context, err);

    loop l = {
        .task = task, .workers = workers, .stage = stage, .n = n, .body = body, .context = context};
    pt_team_run(team_of(workers), work, &l);
    if (l.first.status != PT_OK)
        pt_error_copy(err, &l.first.error);
    if (l.first.status == PT_OK && stage) /* the last index may have been another worker's */
        pt_task_progress(task, stage, (double)n, (double)n);
    return l.first.status;
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

int pt_parallel_alone_begin(void)
{
    return pt_team_alone_begin();
}

void pt_parallel_alone_end(int before)
{
    pt_team_alone_end(before);
}
