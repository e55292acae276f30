/* Order between the indices of one parallel loop: an index posts what it has done, a later one
 * waits for it. No barriers are needed, and no deadlock can happen as long as an index waits for
 * lower ones only: indices are begun in ascending order, so the lowest that runs never waits. */
#ifndef PT_BASE_FLOW_H
#define PT_BASE_FLOW_H

#include "base/task.h"

typedef struct pt_flow pt_flow;

/* `slots` counters, all 0. `task` is asked for cancellation while waiting. */
pt_status pt_flow_new(pt_flow **out, int64_t slots, const pt_task *task, pt_error *err);
void pt_flow_free(pt_flow *flow);

/* Called by index `index`: returns once `slot` has reached `value`. Fails where the task is stopped
 * or a lower index has failed; the loop then reports that index's error. */
pt_status pt_flow_wait(pt_flow *flow, int64_t index, int64_t slot, int64_t value, pt_error *err);

/* Whatever the index wrote before is seen by those that waited for it. */
void pt_flow_post(pt_flow *flow, int64_t slot, int64_t value);

/* One turn of a wait that has looked so often: spins, then yields, then sleeps. */
void pt_flow_wait_a_little(int64_t looks);

/* Releases the waiters above `index`, which cannot be finished; returns `status`. */
pt_status pt_flow_fail(pt_flow *flow, int64_t index, pt_status status);

#endif
