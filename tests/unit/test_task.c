/* Tasks: defaults without one, cancellation, the time limit, callbacks only on the owner's thread.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/task.h"

static void test_task__none_has_defaults(void **state)
{
    (void)state;
    assert_true(pt_task_threads(NULL) >= 1);
    assert_true(pt_task_memory(NULL) > (1 << 20));
    assert_int_equal(pt_task_check(NULL, NULL), PT_OK);
    pt_task_progress(NULL, "nothing", 1, 2);
    pt_task_say(NULL, PT_INFO, "nobody hears %d", 1);
}

static void test_task__keeps_what_is_set(void **state)
{
    (void)state;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, 3);
    pt_task_set_memory(task, 12345);
    assert_int_equal(pt_task_threads(task), 3);
    assert_int_equal(pt_task_memory(task), 12345);
    pt_task_set_threads(task, 0);
    assert_true(pt_task_threads(task) >= 1);
    pt_task_free(task);
    pt_task_free(NULL);
}

static void test_task__cancelled_stays_cancelled(void **state)
{
    (void)state;
    pt_task *task = NULL;
    pt_error err;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    assert_int_equal(pt_task_check(task, &err), PT_OK);
    pt_task_cancel(task);
    assert_int_equal(pt_task_check(task, &err), PT_ECANCELLED);
    assert_true(pt_task_stopping(task));
    pt_task_free(task);
}

static void test_task__time_runs_out(void **state)
{
    (void)state;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_time_limit(task, 0.02);
    assert_int_equal(pt_task_check(task, NULL), PT_OK);
    nanosleep(&(struct timespec){.tv_nsec = 60 * 1000 * 1000}, NULL);
    assert_int_equal(pt_task_check(task, NULL), PT_ELIMIT);
    pt_task_set_time_limit(task, 0);
    assert_int_equal(pt_task_check(task, NULL), PT_OK);
    pt_task_free(task);
}

static void count(const char *stage, double done, double total, void *user)
{
    (void)stage;
    (void)done;
    (void)total;
    ++*(int *)user;
}

static void *report(void *task)
{
    pt_task_progress(task, "elsewhere", 1, 2);
    return NULL;
}

static void test_task__only_the_owner_reports(void **state)
{
    (void)state;
    int calls = 0;
    pthread_t other;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_on_progress(task, count, &calls);
    pt_task_progress(task, "here", 1, 2);
    assert_int_equal(calls, 1);
    assert_int_equal(pthread_create(&other, NULL, report, task), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(calls, 1);
    pt_task_free(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task__none_has_defaults),
        cmocka_unit_test(test_task__keeps_what_is_set),
        cmocka_unit_test(test_task__cancelled_stays_cancelled),
        cmocka_unit_test(test_task__time_runs_out),
        cmocka_unit_test(test_task__only_the_owner_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
