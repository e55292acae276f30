/* Order between the indices of a parallel loop. */
/* labels: threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/flow.h"
#include "base/parallel.h"
#include "base/task.h"

enum { INDICES = 3000 };

typedef struct chain {
    pt_flow *flow;
    int64_t value[INDICES]; /* not atomic: the flow must order it */
    int64_t fails;
} chain;

/* value[i] = value[i-1] + 1, each index after the one before */
static pt_status chain_body(void *context, int64_t i, int worker, pt_error *err)
{
    (void)worker;
    chain *c = context;
    if (i == c->fails) {
        pt_flow_fail(c->flow, i, PT_ENUMERIC);
        return pt_fail(err, PT_ENUMERIC, "index %lld", (long long)i);
    }
    if (i > 0) {
        const pt_status status = pt_flow_wait(c->flow, i, i - 1, 1, err);
        if (status != PT_OK)
            return pt_flow_fail(c->flow, i, status);
    }
    c->value[i] = i > 0 ? c->value[i - 1] + 1 : 1;
    pt_flow_post(c->flow, i, 1);
    return PT_OK;
}

static pt_status run_chain(chain *c, int threads, int64_t fails, pt_error *err)
{
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, threads);
    memset(c, 0, sizeof *c);
    c->fails = fails;
    assert_int_equal(pt_flow_new(&c->flow, INDICES, task, NULL), PT_OK);
    const pt_status status = pt_parallel_for(task, INDICES, chain_body, c, err);
    pt_flow_free(c->flow);
    pt_task_free(task);
    return status;
}

static void test_flow__later_indices_see_earlier_ones(void **state)
{
    (void)state;
    static chain c;
    for (int threads = 1; threads <= 4; threads++) {
        assert_int_equal(run_chain(&c, threads, -1, NULL), PT_OK);
        assert_true(c.value[INDICES - 1] == INDICES);
    }
}

static void test_flow__a_failure_releases_those_behind_and_is_reported(void **state)
{
    (void)state;
    static chain c;
    for (int threads = 1; threads <= 4; threads++) {
        pt_error err = {0};
        assert_int_equal(run_chain(&c, threads, 1000, &err), PT_ENUMERIC);
        assert_string_equal(err.text, "index 1000");
        assert_true(c.value[999] == 1000 && c.value[1000] == 0);
    }
}

static void test_flow__waiting_ends_when_the_task_is_cancelled(void **state)
{
    (void)state;
    pt_task *task = NULL;
    pt_flow *flow = NULL;
    pt_error err = {0};
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    assert_int_equal(pt_flow_new(&flow, 1, task, NULL), PT_OK);
    pt_task_cancel(task);
    assert_int_equal(pt_flow_wait(flow, 5, 0, 1, &err), PT_ECANCELLED);
    pt_flow_free(flow);
    pt_task_free(task);
}

static void test_flow__failed_allocation(void **state)
{
    (void)state;
    pt_flow *flow = NULL;
    pt_alloc_fail_from(1);
    assert_int_equal(pt_flow_new(&flow, 3, NULL, NULL), PT_ENOMEM);
    pt_alloc_fail_from(0);
    assert_int_equal(pt_flow_new(&flow, INT64_MAX, NULL, NULL), PT_EINVAL);
    assert_null(flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow__later_indices_see_earlier_ones),
        cmocka_unit_test(test_flow__a_failure_releases_those_behind_and_is_reported),
        cmocka_unit_test(test_flow__waiting_ends_when_the_task_is_cancelled),
        cmocka_unit_test(test_flow__failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
