/* Tasks: what a caller decides about how work is done, and how it learns of progress. */
#include "base/task.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/host.h"
#include "base/team.h"
#include "base/text.h"

/* Callbacks cost what the caller makes of them: between two of one stage lie PAUSE seconds. Where
 * nothing new is known for BEAT seconds, what was said last is said again: whoever cancels from the
 * callback must not wait. */
static const double PAUSE = 0.03;
static const double BEAT = 0.03;

struct pt_task {
    int threads;
    int64_t memory;
    double deadline;      /* on pt_seconds, 0: none */
    _Atomic double early; /* the same of those that end with what they have */
    atomic_bool ended_early;
    double whole_deadline; /* while there is work that can be left out: those of all work */
    double whole_early;
    pt_progress_fn progress;
    void *progress_user;
    pt_message_fn message;
    void *message_user;
    double pause; /* PAUSE, except in tests */
    struct {
        const char *_Atomic stage;
        _Atomic double done;
        _Atomic double total;
        _Atomic double when; /* the callback was called */
    } last;
    pthread_t owner; /* who made it; see on_callers_thread */
    atomic_bool cancelled;
    atomic_int whole; /* parts of these many larger pieces of work are running: they keep quiet */
    const char *_Atomic speaker; /* while they run: the stage that the outermost of them tells of */
    const char *part_stage;      /* NULL: no part; see pt_task_begin_part */
    double part;
    double parts;
    double told; /* what was told of the stage */
    struct {
        const char *name; /* NULL: no step; see pt_task_begin_step */
        double from;
        double to;
        const char *stage; /* of the step: the one that runs */
        double done;       /* its share, when last heard of */
        double begun;      /* of the step, when this stage began */
        double reached;
    } step;
};

pt_status pt_task_new(pt_task **out, pt_error *err)
{
    pt_task *task = pt_alloc_zero(1, sizeof *task, "a task", err);
    if (!task)
        return PT_ENOMEM;
    atomic_init(&task->cancelled, false);
    atomic_init(&task->ended_early, false);
    atomic_init(&task->whole, 0);
    atomic_init(&task->speaker, (const char *)NULL);
    task->pause = PAUSE;
    atomic_init(&task->last.stage, "working");
    atomic_init(&task->last.total, 1);
    task->owner = pthread_self();
    *out = task;
    return PT_OK;
}

void pt_task_free(pt_task *task)
{
    pt_free(task);
}

void pt_task_set_threads(pt_task *task, int threads)
{
    task->threads = threads;
}

void pt_task_set_memory(pt_task *task, int64_t bytes)
{
    task->memory = bytes;
}

void pt_task_set_time_limit(pt_task *task, double seconds)
{
    task->deadline = seconds > 0 ? pt_seconds() + seconds : 0;
}

void pt_task_on_progress(pt_task *task, pt_progress_fn progress, void *user)
{
    task->progress = progress;
    task->progress_user = user;
    task->last.when = pt_seconds();
    task->owner = pthread_self();
}

void pt_task_on_message(pt_task *task, pt_message_fn message, void *user)
{
    task->message = message;
    task->message_user = user;
    task->owner = pthread_self();
}

void pt_task_cancel(pt_task *task)
{
    atomic_store(&task->cancelled, true);
}

int pt_task_threads(const pt_task *task)
{
    if (pt_team_is_never())
        return 1;
    if (task && task->threads > 0)
        return task->threads;
    return pt_host_threads();
}

int64_t pt_task_memory(const pt_task *task)
{
    if (task && task->memory > 0)
        return task->memory;
    const int64_t bytes = pt_host_memory() / 5 * 4;
    return bytes > 0 ? bytes : 1;
}

bool pt_task_limited(const pt_task *task)
{
    return task && task->memory > 0;
}

bool pt_task_may_use(const pt_task *task, double bytes)
{
    static const double FEW_BYTES = (double)((int64_t)64 << 20);
    return (!pt_task_limited(task) && bytes <= FEW_BYTES) || bytes <= (double)pt_task_memory(task);
}

bool pt_task_stopping(const pt_task *task)
{
    pt_task_beat(task);
    return task && (atomic_load_explicit(&task->cancelled, memory_order_relaxed) ||
                    (task->deadline > 0 && pt_seconds() > task->deadline));
}

bool pt_task_is_cancelled(const pt_task *task)
{
    return task && atomic_load(&task->cancelled);
}

double pt_task_seconds_left(const pt_task *task)
{
    return task && task->deadline > 0 ? fmax(task->deadline - pt_seconds(), 0) : INFINITY;
}

void pt_task_end_early_after(const pt_task *task, double seconds)
{
    pt_task *own = (pt_task *)task;
    if (!own)
        return;
    own->early = isfinite(seconds) ? pt_seconds() + seconds : 0;
    atomic_store(&own->ended_early, false);
}

bool pt_task_ends_early(const pt_task *task)
{
    return pt_task_turn_ends(task, 0);
}

double pt_task_turn(const pt_task *task, int64_t together, int64_t left)
{
    const double now = pt_seconds();
    const double share = together < left ? (double)together / (double)left : 1;
    const double early = task ? task->early : 0;
    return early > 0 ? now + share * (early - now) : 0;
}

bool pt_task_turn_ends(const pt_task *task, double turn)
{
    const double early = task ? task->early : 0;
    if (early == 0 || pt_seconds() <= (turn > 0 ? turn : early))
        return false;
    atomic_store(&((pt_task *)task)->ended_early, true);
    return true;
}

bool pt_task_ended_early(const pt_task *task)
{
    return task && atomic_load(&task->ended_early);
}

bool pt_task_begin_optional(const pt_task *task, double share)
{
    pt_task *own = (pt_task *)task;
    if (!own || own->early == 0)
        return false;
    const double now = pt_seconds();
    own->whole_deadline = own->deadline;
    own->whole_early = own->early;
    own->deadline = now + share * (own->early - now);
    own->early = 0;
    return true;
}

void pt_task_end_optional(const pt_task *task, bool left_out)
{
    pt_task *own = (pt_task *)task;
    own->deadline = own->whole_deadline;
    own->early = own->whole_early;
    if (left_out)
        atomic_store(&own->ended_early, true);
}

pt_status pt_task_check(const pt_task *task, pt_error *err)
{
    if (!pt_task_stopping(task))
        return PT_OK;
    if (atomic_load(&task->cancelled))
        return pt_fail(err, PT_ECANCELLED, "stopped on request");
    return pt_fail(err, PT_ETIME, "the time limit is reached; raise `time` or use less data");
}

static const size_t PIECE = (size_t)1 << 23; /* bytes between two looks; fewer are worth none */

pt_status pt_task_clear(const pt_task *task, void *bytes, size_t size, pt_error *err)
{
    for (size_t from = 0; from < size; from += PIECE) {
        memset((char *)bytes + from, 0, size - from < PIECE ? size - from : PIECE);
        PT_TRY(size < PIECE ? PT_OK : pt_task_check(task, err));
    }
    return PT_OK;
}

pt_status pt_task_touch(const pt_task *task, void *bytes, size_t size, pt_error *err)
{
    static const size_t PAGE = 4096; /* or more: then some are touched again */
    for (size_t at = 0; at < size; at += PAGE) {
        ((volatile char *)bytes)[at] = 0;
        if (at % PIECE == PIECE - PAGE)
            PT_TRY(pt_task_check(task, err));
    }
    return PT_OK;
}

pt_status pt_task_copy(const pt_task *task, void *to, const void *from, size_t size, pt_error *err)
{
    for (size_t at = 0; at < size; at += PIECE) {
        memcpy((char *)to + at, (const char *)from + at, size - at < PIECE ? size - at : PIECE);
        PT_TRY(size < PIECE ? PT_OK : pt_task_check(task, err));
    }
    return PT_OK;
}

/* Callbacks happen on the thread that called the library: outside of parallel loops that is whoever
 * runs this; a loop's worker 0 is the thread that began it. The owner's own thread is the caller
 * even if the program has called us from inside a parallel region of its own. */
static bool on_callers_thread(const pt_task *task)
{
    return pt_team_member() == 0 || pthread_equal(task->owner, pthread_self());
}

bool pt_task_is_heard(const pt_task *task)
{
    return task && task->progress;
}

void pt_task_hear_all(pt_task *task)
{
    task->pause = 0;
}

/* The one call of the callback. A stage that begins or ends is told at once. */
static void deliver(pt_task *task, const char *stage, double done, double total)
{
    const double now = pt_seconds();
    const bool begins = strcmp(atomic_load(&task->last.stage), stage) != 0;
    const bool ends = done >= total && atomic_load(&task->last.done) < total;
    atomic_store(&task->last.stage, stage);
    atomic_store(&task->last.done, done);
    atomic_store(&task->last.total, total);
    if (!begins && !ends && now - atomic_load(&task->last.when) < task->pause)
        return;
    atomic_store(&task->last.when, now);
    task->progress(stage, done, total, task->progress_user);
}

void pt_task_beat(const pt_task *task)
{
    if (!task || !task->progress || task->pause == 0 ||
        pt_seconds() - atomic_load(&task->last.when) < BEAT || !on_callers_thread(task))
        return;
    deliver((pt_task *)task, atomic_load(&task->last.stage), atomic_load(&task->last.done),
            atomic_load(&task->last.total));
}

void pt_task_enter(const pt_task *task, const char *stage)
{
    if (!task || !task->progress || atomic_load(&task->whole) > 0 || task->step.name ||
        task->part_stage || !on_callers_thread(task))
        return;
    pt_task *own = (pt_task *)task;
    atomic_store(&own->last.stage, stage);
    atomic_store(&own->last.done, 0);
    atomic_store(&own->last.total, 1);
    atomic_store(&own->last.when, pt_seconds());
}

void pt_task_begin_whole(const pt_task *task)
{
    if (task)
        atomic_fetch_add(&((pt_task *)task)->whole, 1);
}

void pt_task_end_whole(const pt_task *task)
{
    if (task && atomic_fetch_sub(&((pt_task *)task)->whole, 1) == 1)
        atomic_store(&((pt_task *)task)->speaker, (const char *)NULL);
}

void pt_task_progress(const pt_task *task, const char *stage, double done, double total)
{
    if (task && atomic_load_explicit(&task->whole, memory_order_relaxed) == 0)
        pt_task_progress_whole(task, stage, done, total);
}

void pt_task_begin_part(const pt_task *task, const char *stage, int64_t part, int64_t parts)
{
    pt_task *own = (pt_task *)task;
    if (!own)
        return;
    pt_task_begin_whole(own);
    own->part_stage = stage;
    own->part = (double)part;
    own->parts = (double)parts;
    own->told = (double)part;
    pt_task_progress_whole(own, stage, 0, 1);
}

void pt_task_end_part(const pt_task *task)
{
    pt_task *own = (pt_task *)task;
    if (!own)
        return;
    pt_task_progress_whole(own, own->part_stage, 1, 1);
    own->part_stage = NULL;
    pt_task_end_whole(own);
}

void pt_task_begin_step(const pt_task *task, const char *name, double from, double to)
{
    pt_task *own = (pt_task *)task;
    if (!own)
        return;
    own->step.name = name;
    own->step.from = from;
    own->step.to = to;
    own->step.stage = NULL;
    own->step.done = own->step.begun = own->step.reached = 0;
    if (name && own->progress)
        deliver(own, name, from, 1);
}

/* Nobody knows how many stages a step will have: each gets most of what the ones before have left,
 * and little where it only makes ready for the next. */
static double share_of_stage(const char *stage)
{
    static const char *const READY[] = {"kernel matrix", "kernel values", "sorting features",
                                        "hidden layer"};
    for (size_t i = 0; i < sizeof READY / sizeof *READY; i++)
        if (strcmp(stage, READY[i]) == 0)
            return 0.1;
    return 0.9;
}

static void tell(pt_task *task, const char *stage, double done, double total)
{
    static const double AGAIN = 0.5; /* so far back: the stage has begun again */
    if (!task->step.name) {
        deliver(task, stage, done, total);
        return;
    }
    const double share = total > 0 && done < total ? fmax(done / total, 0) : 1;
    if (!task->step.stage || strcmp(task->step.stage, stage) != 0 ||
        share < task->step.done - AGAIN) {
        task->step.begun = task->step.reached;
        task->step.stage = stage;
    }
    task->step.done = share;
    const double reached =
        task->step.begun + (1 - task->step.begun) * share_of_stage(stage) * share;
    task->step.reached = fmax(task->step.reached, reached);
    deliver(task, task->step.name,
            task->step.from + (task->step.to - task->step.from) * task->step.reached, 1);
}

/* The share of the part that runs; only the caller's thread comes here. */
static void progress_part(pt_task *task, double done, double total)
{
    const double share = total > 0 && done < total ? done / total : 1;
    if (task->part + share < task->told)
        return;
    task->told = task->part + share;
    tell(task, task->part_stage, task->told, task->parts);
}

/* Larger pieces of work that run inside of one another: the first that spoke goes on. */
static bool may_speak(pt_task *task, const char *stage)
{
    const char *first = NULL;
    return atomic_load_explicit(&task->whole, memory_order_relaxed) == 0 ||
           atomic_compare_exchange_strong(&task->speaker, &first, stage) ||
           strcmp(first, stage) == 0;
}

void pt_task_progress_whole(const pt_task *task, const char *stage, double done, double total)
{
    if (!task || !task->progress || !on_callers_thread(task))
        return;
    if (task->part_stage)
        progress_part((pt_task *)task, done, total);
    else if (may_speak((pt_task *)task, stage))
        tell((pt_task *)task, stage, done, total);
}

void pt_task_say(const pt_task *task, pt_level level, pt_kind kind, const char *format, ...)
{
    if (!task || !task->message || !on_callers_thread(task))
        return;
    char text[1024];
    char shown[sizeof text];
    va_list args;
    va_start(args, format);
    pt_text_format(text, sizeof text, format, args);
    va_end(args);
    pt_text_to_utf8(shown, sizeof shown, text);
    task->message(level, pt_kind_name(kind), shown, task->message_user);
}

double pt_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

pt_status pt_task_lost(pt_task *task, const char *path, const pt_error *why, pt_error *err)
{
    if (!task) {
        if (err)
            pt_error_copy(err, why);
        return why->code;
    }
    pt_task_say(task, PT_WARNING, PT_KIND_UNSAVED,
                "'%.200s' is not written (%-.200s): the result stands, but another run starts over",
                path, why->text);
    return PT_OK;
}
