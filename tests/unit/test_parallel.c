/* pt_parallel_for: every index once, the error of the lowest index, cancellation, progress,
 * nesting. */
/* labels: threads */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/task.h"
#include "base/team.h"

enum { N = 1000, THREADS = 4 };

typedef struct loop {
    const pt_task *task;
    int visits[N];            /* index i writes to visits[i] only */
    int64_t scratch[THREADS]; /* worker w writes to scratch[w] only */
    int64_t fail_from;        /* this index and every third above it fail */
    pt_task *cancel;          /* cancelled by index 10 */
} loop;

static pt_task *four_threads(void)
{
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, THREADS);
    return task;
}

static pt_status visit(void *context, int64_t i, int worker, pt_error *err)
{
    loop *l = context;
    l->visits[i]++;
    l->scratch[worker]++;
    if (l->cancel && i == 10)
        pt_task_cancel(l->cancel);
    if (i >= l->fail_from && (i - l->fail_from) % 3 == 0)
        return pt_fail(err, PT_ENUMERIC, "index %lld", (long long)i);
    return PT_OK;
}

static void test_parallel__visits_every_index_once(void **state)
{
    (void)state;
    pt_task *task = four_threads();
    loop l = {.fail_from = N};
    assert_int_equal(pt_parallel_for(task, N, visit, &l, NULL), PT_OK);

    int64_t sum = 0;
    for (int i = 0; i < N; i++)
        assert_int_equal(l.visits[i], 1);
    for (int w = 0; w < pt_parallel_workers(task, N); w++)
        sum += l.scratch[w];
    assert_int_equal(sum, N);
    pt_task_free(task);
}

static void test_parallel__nothing_to_do_is_fine(void **state)
{
    (void)state;
    loop l = {.fail_from = 0};
    assert_int_equal(pt_parallel_for(NULL, 0, visit, &l, NULL), PT_OK);
    assert_int_equal(l.visits[0], 0);
}

static void test_parallel__error_is_that_of_the_lowest_index(void **state)
{
    (void)state;
    pt_task *task = four_threads();
    for (int round = 0; round < 50; round++) {
        loop l = {.fail_from = 17 + round};
        pt_error err = {0};
        char expected[32];
        snprintf(expected, sizeof expected, "index %d", 17 + round);
        assert_int_equal(pt_parallel_for(task, N, visit, &l, &err), PT_ENUMERIC);
        assert_string_equal(err.text, expected);
        for (int i = 0; i < 17 + round; i++) /* those before it were all begun */
            assert_int_equal(l.visits[i], 1);
    }
    pt_task_free(task);
}

static void test_parallel__cancellation_begins_no_new_index(void **state)
{
    (void)state;
    pt_task *task = four_threads();
    loop l = {.fail_from = N, .cancel = task};
    pt_error err = {0};
    assert_int_equal(pt_parallel_for(task, N, visit, &l, &err), PT_ECANCELLED);
    int64_t visited = 0;
    for (int i = 0; i < N; i++)
        visited += l.visits[i];
    assert_true(visited < N);
    assert_true(err.text[0] != 0);
    pt_task_free(task);
}

typedef struct endless {
    pt_task *task;
    double limit; /* seconds after which another thread cancels, 0: never */
} endless;

static void *cancel_later(void *context)
{
    const endless *e = context;
    nanosleep(&(struct timespec){.tv_nsec = (long)(e->limit * 1e9)}, NULL);
    pt_task_cancel(e->task);
    return NULL;
}

static pt_status wait_a_little(void *context, int64_t i, int worker, pt_error *err)
{
    (void)context;
    (void)i;
    (void)worker;
    (void)err;
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    return PT_OK;
}

/* A loop that would take hours ends within a second of being asked from another thread. */
static void test_parallel__cancelled_from_another_thread_within_a_second(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS; threads += THREADS - 1) {
        pt_task *task = four_threads();
        pt_task_set_threads(task, threads);
        endless e = {task, 0.05};
        pthread_t other;
        pt_error err = {0};
        const double begin = pt_seconds();
        assert_int_equal(pthread_create(&other, NULL, cancel_later, &e), 0);
        assert_int_equal(pt_parallel_for(task, INT64_MAX / 2, wait_a_little, NULL, &err),
                         PT_ECANCELLED);
        assert_true(pt_seconds() - begin < 1.05);
        assert_int_equal(err.code, PT_ECANCELLED);
        assert_int_equal(pthread_join(other, NULL), 0);
        pt_task_free(task);
    }
}

static void test_parallel__time_limit_ends_it(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS; threads += THREADS - 1) {
        pt_task *task = four_threads();
        pt_task_set_threads(task, threads);
        pt_error err = {0};
        const double begin = pt_seconds();
        pt_task_set_time_limit(task, 0.05);
        assert_int_equal(pt_parallel_for(task, INT64_MAX / 2, wait_a_little, NULL, &err), PT_ETIME);
        assert_true(pt_seconds() - begin >= 0.05 && pt_seconds() - begin < 1.05);
        pt_task_free(task);
    }
}

/* The lowest failing index is the slowest, and fails last. */
static pt_status fail_slowly(void *context, int64_t i, int worker, pt_error *err)
{
    (void)context;
    (void)worker;
    if (i == 3)
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    return i >= 3 ? pt_fail(err, PT_ENUMERIC, "index %d", (int)i) : PT_OK;
}

static void test_parallel__the_lowest_index_may_fail_last(void **state)
{
    (void)state;
    pt_task *task = four_threads();
    pt_error err = {0};
    assert_int_equal(pt_parallel_for(task, 100, fail_slowly, NULL, &err), PT_ENUMERIC);
    assert_string_equal(err.text, "index 3");
    pt_task_free(task);
}

/* Where there is a thread more than workers, it takes no index: scratch would be too small. */
static void test_parallel__workers_are_those_that_were_told(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++) {
        pt_task *task = four_threads();
        pt_task_set_threads(task, threads);
        loop l = {.fail_from = N};
        assert_int_equal(pt_parallel_for(task, N, visit, &l, NULL), PT_OK);
        int64_t sum = 0;
        for (int w = 0; w < threads; w++)
            sum += l.scratch[w];
        assert_int_equal(sum, N);
        pt_task_free(task);
    }
}

static void test_parallel__a_vast_number_of_threads_is_cut(void **state)
{
    (void)state;
    pt_task *task = four_threads();
    pt_task_set_threads(task, 1 << 20);
    const int workers = pt_parallel_workers(task, INT64_MAX);
    assert_true(pt_team_is_never() ? workers == 1 : workers >= 16 && workers < 1 << 16);
    pt_task_free(task);
}

typedef struct outer {
    const pt_task *task;
    int64_t sums[20];
} outer;

static pt_status add(void *context, int64_t i, int worker, pt_error *err)
{
    (void)err;
    assert_int_equal(worker, 0); /* inside another loop there is one worker */
    *(int64_t *)context += i;
    return PT_OK;
}

static pt_status loop_inside(void *context, int64_t i, int worker, pt_error *err)
{
    outer *o = context;
    (void)worker;
    assert_int_equal(pt_parallel_workers(o->task, 100), 1);
    return pt_parallel_for(o->task, 100, add, &o->sums[i], err);
}

static void test_parallel__inner_loop_is_serial(void **state)
{
    (void)state;
    pt_task *task = four_threads();
    outer o = {.task = task};
    assert_int_equal(pt_parallel_for(task, 20, loop_inside, &o, NULL), PT_OK);
    for (int i = 0; i < 20; i++)
        assert_int_equal(o.sums[i], 4950);
    pt_task_free(task);
}

typedef struct progress {
    double last;
    int calls;
} progress;

static void watch(const char *stage, double done, double total, void *user)
{
    progress *p = user;
    assert_string_equal(stage, "visiting");
    assert_true(done >= p->last && done <= total);
    p->last = done;
    p->calls++;
}

static void test_parallel__progress_never_goes_back(void **state)
{
    (void)state;
    pt_task *task = four_threads();
    for (int threads = 1; threads <= THREADS; threads += THREADS - 1) {
        progress p = {0};
        loop l = {.fail_from = N};
        pt_task_set_threads(task, threads);
        pt_task_on_progress(task, watch, &p);
        pt_task_enter(task, "visiting");
        assert_int_equal(pt_parallel_for_stage(task, "visiting", N, visit, &l, NULL), PT_OK);
        assert_true(p.calls > 0 && p.last == N);
    }
    pt_task_free(task);
}

typedef struct lasting {
    atomic_int calls;
} lasting;

static void count_calls(const char *stage, double done, double total, void *user)
{
    lasting *l = user;
    (void)stage;
    (void)done;
    (void)total;
    atomic_fetch_add(&l->calls, 1);
}

/* Worker 0 ends at once; the others go on until the callback has been called a few times. */
static pt_status outlast(void *context, int64_t i, int worker, pt_error *err)
{
    lasting *l = context;
    (void)i;
    (void)err;
    while (worker > 0 && atomic_load(&l->calls) < 5)
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    return PT_OK;
}

/* The caller's thread waits for the others with its ears open. */
static void test_parallel__the_caller_is_called_while_others_work(void **state)
{
    (void)state;
    if (pt_team_is_never())
        skip();
    pt_task *task = four_threads();
    lasting l = {.calls = 0};
    pt_task_on_progress(task, count_calls, &l);
    assert_int_equal(pt_parallel_for(task, 2 * THREADS, outlast, &l, NULL), PT_OK);
    pt_task_free(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parallel__visits_every_index_once),
        cmocka_unit_test(test_parallel__nothing_to_do_is_fine),
        cmocka_unit_test(test_parallel__error_is_that_of_the_lowest_index),
        cmocka_unit_test(test_parallel__cancellation_begins_no_new_index),
        cmocka_unit_test(test_parallel__cancelled_from_another_thread_within_a_second),
        cmocka_unit_test(test_parallel__time_limit_ends_it),
        cmocka_unit_test(test_parallel__the_lowest_index_may_fail_last),
        cmocka_unit_test(test_parallel__workers_are_those_that_were_told),
        cmocka_unit_test(test_parallel__a_vast_number_of_threads_is_cut),
        cmocka_unit_test(test_parallel__inner_loop_is_serial),
        cmocka_unit_test(test_parallel__progress_never_goes_back),
        cmocka_unit_test(test_parallel__the_caller_is_called_while_others_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
