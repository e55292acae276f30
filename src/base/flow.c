/* Counters that later indices of a parallel loop wait for. A waiter looks often at first, since
 * most waits are short, then gives its processor away: on a shared machine the one it waits for may
 * need it. */
#include "base/flow.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "base/alloc.h"

enum { LOOKS_BEFORE_YIELD = 200, LOOKS_BEFORE_SLEEP = 2000 };
static const long SLEEP_NANOSECONDS = 50000;

struct pt_flow {
    const pt_task *task;
    atomic_int_fast64_t lowest_failed;
    atomic_int_fast64_t counter[]; /* one a slot */
};

pt_status pt_flow_new(pt_flow **out, int64_t slots, const pt_task *task, pt_error *err)
{
    size_t bytes = 0;
    if (slots < 0 || !pt_size_mul((size_t)slots, sizeof(atomic_int_fast64_t), &bytes) ||
        bytes > (size_t)INT64_MAX - sizeof(pt_flow))
        return pt_fail(err, PT_EINVAL, "%lld counters cannot be addressed", (long long)slots);
    pt_flow *flow =
        pt_alloc((int64_t)(sizeof *flow + bytes), 1, "the order of a parallel loop", err);
    if (!flow)
        return PT_ENOMEM;
    flow->task = task;
    atomic_init(&flow->lowest_failed, INT64_MAX);
    for (int64_t i = 0; i < slots; i++)
        atomic_init(&flow->counter[i], 0);
    *out = flow;
    return PT_OK;
}

void pt_flow_free(pt_flow *flow)
{
    pt_free(flow);
}

void pt_flow_wait_a_little(int64_t looks)
{
    const struct timespec nap = {0, SLEEP_NANOSECONDS};
    if (looks > LOOKS_BEFORE_SLEEP)
        nanosleep(&nap, NULL);
    else if (looks > LOOKS_BEFORE_YIELD)
        sched_yield();
}

pt_status pt_flow_wait(pt_flow *flow, int64_t index, int64_t slot, int64_t value, pt_error *err)
{
    PT_TRY(pt_task_check(flow->task, err)); /* a wait goes before some work, and there are many */
    for (int64_t looks = 0;; looks++) {
        if (atomic_load_explicit(&flow->counter[slot], memory_order_acquire) >= value)
            return PT_OK;
        if (atomic_load_explicit(&flow->lowest_failed, memory_order_relaxed) < index)
            return pt_fail(err, PT_ECANCELLED, "stopped: an earlier part failed");
        if (looks > LOOKS_BEFORE_YIELD) {
            const pt_status status = pt_task_check(flow->task, err);
            if (status != PT_OK)
                return status;
        }
        pt_flow_wait_a_little(looks);
    }
}

void pt_flow_post(pt_flow *flow, int64_t slot, int64_t value)
{
    atomic_store_explicit(&flow->counter[slot], value, memory_order_release);
}

pt_status pt_flow_fail(pt_flow *flow, int64_t index, pt_status status)
{
    int_fast64_t known = atomic_load(&flow->lowest_failed);
    while (index < known && !atomic_compare_exchange_weak(&flow->lowest_failed, &known, index))
        ;
    return status;
}
