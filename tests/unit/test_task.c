/* Tasks: defaults without one, cancellation, the time limit, callbacks on the caller's thread.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/parallel.h"
#include "base/task.h"
#include "base/team.h"
#include "base/text.h"

static void test_task__none_has_defaults(void **state)
{
    (void)state;
    assert_true(pt_task_threads(NULL) >= 1);
    assert_true(pt_task_memory(NULL) > (1 << 20));
    assert_int_equal(pt_task_check(NULL, NULL), PT_OK);
    pt_task_progress(NULL, "nothing", 1, 2);
    pt_task_say(NULL, PT_INFO, PT_KIND_DATA, "nobody hears %d", 1);
}

static void test_task__keeps_what_is_set(void **state)
{
    (void)state;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, 3);
    pt_task_set_memory(task, 12345);
    assert_int_equal(pt_task_threads(task), pt_team_is_never() ? 1 : 3);
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
    pt_error err = PT_ERROR_INIT;
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
    assert_int_equal(pt_task_check(task, NULL), PT_ETIME);
    pt_task_set_time_limit(task, 0);
    assert_int_equal(pt_task_check(task, NULL), PT_OK);
    pt_task_free(task);
}

typedef struct heard {
    int progress;
    int messages;
    pthread_t thread; /* of the last call */
} heard;

static void hear_progress(const char *stage, double done, double total, void *user)
{
    heard *h = user;
    assert_string_equal(stage, "work");
    assert_true(done == 1 && total == 2);
    h->progress++;
    h->thread = pthread_self();
}

static void hear_message(pt_level level, const char *kind, const char *text, void *user)
{
    heard *h = user;
    assert_int_equal(level, PT_WARNING);
    assert_string_equal(kind, "data");
    assert_string_equal(text, "2 columns");
    h->messages++;
    h->thread = pthread_self();
}

static pt_status report(void *task, int64_t i, int worker, pt_error *err)
{
    (void)i;
    (void)worker;
    (void)err;
    pt_task_progress(task, "work", 1, 2);
    pt_task_say(task, PT_WARNING, PT_KIND_DATA, "%d columns", 2);
    return PT_OK;
}

/* Workers other than the caller's own thread are not heard. */
static void test_task__callbacks_come_on_the_callers_thread(void **state)
{
    (void)state;
    heard h;
    memset(&h, 0, sizeof h);
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, 4);
    pt_task_on_progress(task, hear_progress, &h);
    pt_task_hear_all(task);
    pt_task_on_message(task, hear_message, &h);
    report(task, 0, 0, NULL);
    assert_int_equal(h.progress, 1);
    assert_int_equal(h.messages, 1);
    for (int round = 0; round < 20; round++) {
        h.thread = pthread_self();
        assert_int_equal(pt_parallel_for(task, 50, report, task, NULL), PT_OK);
        assert_true(pthread_equal(h.thread, pthread_self()));
    }
    assert_true(h.progress == h.messages && h.progress <= 1 + 20 * 50);
    pt_task_free(task);
}

static void hear_utf8(pt_level level, const char *kind, const char *text, void *user)
{
    (void)level;
    (void)kind;
    assert_true(pt_text_is_utf8(text));
    *(size_t *)user = strlen(text);
}

/* Messages, whatever names bring in, and wherever they are cut. */
static void test_task__messages_are_utf8(void **state)
{
    (void)state;
    size_t length = 0;
    char name[4000] = "";
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_on_message(task, hear_utf8, &length);
    for (size_t at = 0; at + 2 < sizeof name; at += 2)
        memcpy(name + at, "\xc3\xa9", 3);
    for (size_t shift = 0; shift < 2; shift++) {
        pt_task_say(task, PT_WARNING, PT_KIND_DATA, "%s%s", shift ? "." : "", name);
        assert_true(length >= 1000);
    }
    pt_task_say(task, PT_WARNING, PT_KIND_DATA, "caf\xe9.csv"); /* Latin-1 */
    assert_int_equal(length, strlen("caf\xc3\xa9.csv"));
    pt_task_free(task);
}

static void *run_loop(void *task)
{
    assert_int_equal(pt_parallel_for(task, 1, report, task, NULL), PT_OK);
    return NULL;
}

/* A task may be made on one thread and used on another: that one is the caller then. */
static void test_task__another_thread_may_be_the_caller(void **state)
{
    (void)state;
    heard h;
    memset(&h, 0, sizeof h);
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_on_progress(task, hear_progress, &h);
    pt_task_hear_all(task);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, run_loop, task), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(h.progress, 1);
    pt_task_free(task);
}

static void hear_share(const char *stage, double done, double total, void *user)
{
    double *last = user;
    assert_string_equal(stage, "all");
    assert_true(total == 4);
    assert_true(done >= *last);
    *last = done;
}

static void hear_done(const char *stage, double done, double total, void *user)
{
    (void)stage;
    (void)total;
    *(double *)user = done;
}

/* A machine that tells of its columns keeps quiet where it is trained for a fold. */
static void test_task__the_outermost_speaks(void **state)
{
    (void)state;
    pt_task *task = NULL;
    double last = -1;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_on_progress(task, hear_done, &last);
    pt_task_hear_all(task);
    pt_task_begin_whole(task);
    pt_task_progress_whole(task, "folds", 3, 4);
    assert_true(last == 3);
    pt_task_begin_whole(task);
    pt_task_progress_whole(task, "columns", 1, 10);
    assert_true(last == 3);
    pt_task_end_whole(task);
    pt_task_progress_whole(task, "folds", 4, 4);
    assert_true(last == 4);
    pt_task_end_whole(task);
    pt_task_begin_whole(task);
    pt_task_progress_whole(task, "columns", 1, 10);
    assert_true(last == 1);
    pt_task_end_whole(task);
    pt_task_free(task);
}

/* What happens in a part is its share of the whole, and never goes back. */
static void test_task__parts_are_shares(void **state)
{
    (void)state;
    double last = 0;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_on_progress(task, hear_share, &last);
    pt_task_hear_all(task);
    for (int64_t part = 0; part < 4; part++) {
        pt_task_begin_part(task, "all", part, 4);
        assert_true(last == (double)part);
        pt_task_progress(task, "a detail", 1, 2); /* not heard */
        assert_true(last == (double)part);
        pt_task_begin_whole(task);
        pt_task_progress_whole(task, "search", 1, 2);
        assert_true(last == (double)part + 0.5);
        pt_task_progress_whole(task, "another search", 0, 10); /* would go back */
        assert_true(last == (double)part + 0.5);
        pt_task_end_whole(task);
        pt_task_end_part(task);
        assert_true(last == (double)part + 1);
    }
    pt_task_begin_part(NULL, "all", 0, 1);
    pt_task_end_part(NULL);
    pt_task_free(task);
}

static void hear_step(const char *stage, double done, double total, void *user)
{
    double *last = user;
    assert_string_equal(stage, *last < 0.5 && done < 0.5 ? "first" : "second");
    assert_true(total == 1);
    assert_true(done >= *last && done <= 1);
    *last = done;
}

/* Stages come and go, again and again; the whole never goes back, nor is it done too early. */
static void test_task__steps_never_go_back(void **state)
{
    (void)state;
    pt_task *task = NULL;
    double last = 0;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_on_progress(task, hear_step, &last);
    pt_task_hear_all(task);
    pt_task_begin_step(task, "first", 0, 0.5);
    for (int again = 0; again < 3; again++)
        for (int i = 0; i <= 10; i++) {
            pt_task_progress(task, again == 1 ? "other" : "one", i, 10);
            assert_true(last < 0.5);
        }
    assert_true(last > 0.45);
    pt_task_begin_step(task, "second", 0.5, 1);
    assert_true(last == 0.5);
    pt_task_begin_part(task, "part", 0, 2);
    pt_task_progress_whole(task, "one", 1, 2);
    pt_task_end_part(task);
    assert_true(last > 0.5 && last < 1);
    pt_task_begin_step(task, NULL, 0, 0);
    pt_task_begin_step(NULL, "none", 0, 1);
    pt_task_on_progress(task, hear_done, &last);
    pt_task_hear_all(task);
    pt_task_progress(task, "one", 3, 10); /* as ever */
    assert_true(last == 3);
    pt_task_free(task);
}

/* Pieces that end with their turns share what is left of the time; nobody is told to end where
 * nobody asked for it. */
static void test_task__turns_share_the_time(void **state)
{
    (void)state;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    assert_true(pt_task_turn(task, 1, 4) == 0);
    assert_false(pt_task_turn_ends(task, 1));
    pt_task_end_early_after(task, 1000);
    const double begin = pt_seconds();
    const double first = pt_task_turn(task, 1, 4);
    const double last = pt_task_turn(task, 1, 1);
    assert_true(first > begin && first <= begin + 0.25 * (last - begin) + 1);
    assert_true(pt_task_turn(task, 2, 4) > first + 200);
    assert_true(pt_task_turn(task, 8, 4) <= last + 1e-3);
    assert_false(pt_task_turn_ends(task, first));
    assert_false(pt_task_ended_early(task));
    assert_true(pt_task_turn_ends(task, begin - 1)); /* its turn is over, not that of all */
    assert_true(pt_task_ended_early(task));
    assert_false(pt_task_turn_ends(task, 0));
    pt_task_end_early_after(task, -1);
    assert_true(pt_task_turn_ends(task, pt_task_turn(task, 1, 4)));
    assert_true(pt_task_turn(NULL, 1, 4) == 0);
    assert_false(pt_task_turn_ends(NULL, 1));
    pt_task_free(task);
}

typedef struct pulse {
    int calls;
    double done;
    char stage[20];
} pulse;

static void feel(const char *stage, double done, double total, void *user)
{
    pulse *p = user;
    assert_true(total > 0);
    snprintf(p->stage, sizeof p->stage, "%s", stage);
    p->done = done;
    p->calls++;
}

/* A million reports cost some tens of calls a second; the begin and the end of a stage are always
 * among them. */
static void test_task__progress_is_told_now_and_then(void **state)
{
    (void)state;
    pt_task *task = NULL;
    pulse p = {0};
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_on_progress(task, feel, &p);
    const double begin = pt_seconds();
    for (int i = 0; i < 1000000; i++) {
        pt_task_progress(task, "one", i, 1000000);
        if (i == 0)
            assert_string_equal(p.stage, "one");
    }
    const double spent = pt_seconds() - begin;
    assert_true(p.calls <= 1 + spent / 0.03);
    pt_task_progress(task, "one", 1000000, 1000000);
    assert_true(p.done == 1000000);
    pt_task_progress(task, "two", 1, 3);
    assert_string_equal(p.stage, "two");
    pt_task_free(task);
}

/* Where only questions are asked, what was told last is told again. */
static void test_task__questions_are_signs_of_life(void **state)
{
    (void)state;
    pt_task *task = NULL;
    pulse p = {0};
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_on_progress(task, feel, &p);
    pt_task_enter(task, "reading");
    assert_int_equal(p.calls, 0);
    while (p.calls == 0)
        assert_int_equal(pt_task_check(task, NULL), PT_OK);
    assert_string_equal(p.stage, "reading");
    pt_task_progress(task, "one", 2, 5);
    const int before = p.calls;
    while (p.calls == before)
        assert_false(pt_task_stopping(task));
    assert_string_equal(p.stage, "one");
    assert_true(p.done == 2);
    pt_task_begin_step(task, "step", 0, 1); /* a call inside of another has no stage of its own */
    pt_task_enter(task, "reading");
    pt_task_progress(task, "one", 3, 5);
    assert_string_equal(p.stage, "step");
    pt_task_free(task);
}

/* The callback may stop the very question that called it. */
static void stop_it(const char *stage, double done, double total, void *user)
{
    (void)stage;
    (void)done;
    (void)total;
    pt_task_cancel(user);
}

static void test_task__a_callback_cancels_at_once(void **state)
{
    (void)state;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_on_progress(task, stop_it, task);
    nanosleep(&(struct timespec){.tv_nsec = 60 * 1000 * 1000}, NULL);
    assert_int_equal(pt_task_check(task, NULL), PT_ECANCELLED);
    pt_task_free(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task__none_has_defaults),
        cmocka_unit_test(test_task__keeps_what_is_set),
        cmocka_unit_test(test_task__cancelled_stays_cancelled),
        cmocka_unit_test(test_task__time_runs_out),
        cmocka_unit_test(test_task__callbacks_come_on_the_callers_thread),
        cmocka_unit_test(test_task__messages_are_utf8),
        cmocka_unit_test(test_task__another_thread_may_be_the_caller),
        cmocka_unit_test(test_task__the_outermost_speaks),
        cmocka_unit_test(test_task__parts_are_shares),
        cmocka_unit_test(test_task__steps_never_go_back),
        cmocka_unit_test(test_task__turns_share_the_time),
        cmocka_unit_test(test_task__progress_is_told_now_and_then),
        cmocka_unit_test(test_task__questions_are_signs_of_life),
        cmocka_unit_test(test_task__a_callback_cancels_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
