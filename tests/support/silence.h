/* How long a call of the library is silent, and how soon it returns after it was asked to stop.
 * Time is the processor's, of this process and of the calling thread: a busy machine does not
 * lengthen it. Include after cmocka.h.
 *
 * POLYTOMY_TEST_WHERE=1 in the environment prints where the calling thread is while it is silent:
 * addresses for addr2line -f -e PROGRAM. */
#ifndef PT_TESTS_SILENCE_H
#define PT_TESTS_SILENCE_H

#include <execinfo.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "share.h"
#include "small_problem.h"

/* Seconds of a thread that may pass in silence. A tenth is what is promised, and what one sees;
 * the rest is for builds and machines that are slower, and for memory that others use, too. */
#define SILENCE_PROMISED 0.1
#define SILENCE_ALLOWED 0.3

/* What main() decides. */
static struct {
    bool whole;          /* larger problems, and one thread beside two */
    const char *only;    /* jobs with this in their name */
    double longest_run;  /* seconds: a longer run is asked to stop then */
    double worst_of_all; /* seconds of a thread */
    char worst_name[200];
} silence = {false, "", 1e9, 0, ""};

static inline double seconds_on(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct watch {
    pt_task *task;
    int threads;
    double begun;
    double last; /* sign of life, on the clock of the process */
    double last_own;
    double silence;   /* the longest, of a thread */
    char stage[80];   /* that ended it */
    double cancel_at; /* so long after it began */
    bool cancelled;
} watch;

static watch *volatile watched;

static inline double silent_for(const watch *w)
{
    const double all = (seconds_on(CLOCK_PROCESS_CPUTIME_ID) - w->last) / w->threads;
    const double own = seconds_on(CLOCK_THREAD_CPUTIME_ID) - w->last_own;
    return own > all ? own : all;
}

static inline void hear(watch *w, const char *stage)
{
    const double now = silent_for(w);
    if (now > w->silence) {
        w->silence = now;
        snprintf(w->stage, sizeof w->stage, "%s", stage);
    }
    w->last = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
    w->last_own = seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

static inline void on_progress(const char *stage, double done, double total, void *user)
{
    watch *w = user;
    (void)done;
    (void)total;
    hear(w, stage);
    if (!w->cancelled && w->last - w->begun >= w->cancel_at) {
        w->cancelled = true;
        pt_task_cancel(w->task);
    }
}

/* Only for whoever looks for a silent loop: what it calls may be used by no signal handler. */
static inline void print_where(int number)
{
    void *address[40];
    (void)number;
    if (!watched || silent_for(watched) < SILENCE_PROMISED / 2)
        return;
    const int depth = backtrace(address, 40);
    backtrace_symbols_fd(address, depth, STDERR_FILENO);
    fprintf(stderr, "silent for %.3f s\n\n", silent_for(watched));
}

static inline void begin_watch(watch *w)
{
    static bool asked;
    if (!asked && getenv("POLYTOMY_TEST_WHERE")) {
        const struct itimerval tick = {{0, 20000}, {0, 20000}};
        signal(SIGPROF, print_where);
        setitimer(ITIMER_PROF, &tick, NULL);
    }
    asked = true;
    w->begun = w->last = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
    w->last_own = seconds_on(CLOCK_THREAD_CPUTIME_ID);
    watched = w;
}

/* One call of the library; `context` is the job's own. */
typedef pt_status (*job_fn)(void *context, pt_task *task, pt_error *err);

static inline watch run_watched(job_fn job, void *context, int threads, double cancel_at)
{
    watch w = {.task = small_task(threads), .threads = threads, .cancel_at = cancel_at};
    pt_error err = PT_ERROR_INIT;
    pt_task_on_progress(w.task, on_progress, &w);
    begin_watch(&w);
    const pt_status status = job(context, w.task, &err);
    hear(&w, "(the end)");
    watched = NULL;
    if (!w.cancelled)
        small_must(status, &err, "job");
    else if (status != PT_OK) /* it may have been done all but done */
        assert_int_equal(status, PT_ECANCELLED);
    pt_task_free(w.task);
    w.task = NULL;
    return w;
}

static inline void expect_short(const watch *w, const char *name, const char *what)
{
    if (w->silence > silence.worst_of_all) {
        silence.worst_of_all = w->silence;
        snprintf(silence.worst_name, sizeof silence.worst_name, "%s", name);
    }
    if (w->silence > SILENCE_PROMISED / 2)
        print_message("%s, %s, threads %d: silent for %.3f s before '%s'\n", name, what, w->threads,
                      w->silence, w->stage);
}

/* Left alone, and asked to stop at moments of the golden section. */
static inline void expect_lively(const char *name, job_fn job, void *context)
{
    if (!strstr(name, silence.only))
        return;
    const watch alone = run_watched(job, context, silence.whole ? 1 : 2, silence.longest_run);
    const double all = alone.last - alone.begun;
    expect_short(&alone, name, "left alone");
    double most = alone.silence;
    for (int threads = silence.whole ? 1 : 2; threads <= 2; threads++) {
        const watch w = run_watched(job, context, threads, (threads == 2 ? 0.618 : 0.236) * all);
        expect_short(&w, name, "cancelled");
        most = w.silence > most ? w.silence : most;
    }
    print_message("%-60s %5.2f s%s silent at most %.3f s\n", name, all, alone.cancelled ? "+" : " ",
                  most);
}

/* Of an unwatched call on one thread, which stops after longest_run; *ended: before that. */
static inline double seconds_of(job_fn job, void *context, const char *what, bool *ended)
{
    watch w = {.task = small_task(1), .threads = 1, .cancel_at = silence.longest_run};
    pt_error err = PT_ERROR_INIT;
    pt_task_on_progress(w.task, on_progress, &w);
    w.begun = w.last = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
    const pt_status status = job(context, w.task, &err);
    if (!w.cancelled)
        small_must(status, &err, what);
    pt_task_free(w.task);
    *ended = status == PT_OK;
    return seconds_on(CLOCK_PROCESS_CPUTIME_ID) - w.begun;
}

/* What main() begins with: [whole [WORD]]. */
static inline void silence_begin(int argc, char **argv)
{
    silence.whole = argc > 1 && strcmp(argv[1], "whole") == 0;
    silence.only = argc > 2 ? argv[2] : "";
    silence.longest_run = silence.whole ? 6 : test_share() > 1 ? 0.5 : silence.longest_run;
}

/* The time of sanitizers is not ours. */
static inline bool silence_measured(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return false;
#endif
#endif
    return true;
}

/* The last test. */
static inline void test_silence__is_as_short_as_promised(void **state)
{
    (void)state;
    print_message("the longest silence: %.3f s (%s)\n", silence.worst_of_all, silence.worst_name);
    assert_true(silence.worst_of_all < SILENCE_ALLOWED);
}

#endif
