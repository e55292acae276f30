/* How a call runs: threads, memory, time, progress, cancellation, messages. A task is read by many
 * threads and changed by none but its owner, the cancel flag apart. Every function takes NULL. */
#ifndef PT_BASE_TASK_H
#define PT_BASE_TASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/warnings.h"

/* The group "run" of parameters, one by one (pt_task_set_params). */
void pt_task_set_threads(pt_task *task, int threads);       /* 0: OMP_NUM_THREADS, or all */
void pt_task_set_memory(pt_task *task, int64_t bytes);      /* 0: 80 percent of the free */
void pt_task_set_time_limit(pt_task *task, double seconds); /* 0: none; counts from here */

int pt_task_threads(const pt_task *task);    /* at least 1 */
int64_t pt_task_memory(const pt_task *task); /* bytes that may be used, at least 1 */
bool pt_task_limited(const pt_task *task);   /* whether somebody said how many */
/* Whether so many bytes may be used. Where nobody set a limit, up to 64 MB are granted unasked: to
 * ask the system how much is free takes a hundred times as long as to score a row. */
bool pt_task_may_use(const pt_task *task, double bytes);

/* PT_OK, or PT_ECANCELLED / PT_ETIME with the text in err. Cheap (a look at the clock):
 * call it once per tile, at least twenty times a second. On the caller's thread these also beat. */
pt_status pt_task_check(const pt_task *task, pt_error *err);
/* The same at item i of a loop of short steps: once in a thousand. */
static inline pt_status pt_task_check_at(const pt_task *task, int64_t i, pt_error *err)
{
    return i % 1024 == 0 ? pt_task_check(task, err) : PT_OK;
}
/* The same at row i of a loop over rows of `width` cells: about once in so many cells. */
enum { PT_TASK_CELLS = 1 << 15 };
static inline pt_status pt_task_check_row(const pt_task *task, int64_t i, int64_t width,
                                          pt_error *err)
{
    const int64_t rows = width < 1               ? PT_TASK_CELLS
                         : width < PT_TASK_CELLS ? PT_TASK_CELLS / width
                                                 : 1;
    return i % rows == 0 ? pt_task_check(task, err) : PT_OK;
}
/* The same of a loop whose steps have different numbers of cells; *seen, 0 at first, counts them.
 */
static inline pt_status pt_task_check_cells(const pt_task *task, int64_t cells, int64_t *seen,
                                            pt_error *err)
{
    *seen += cells + 1;
    if (*seen < PT_TASK_CELLS)
        return PT_OK;
    *seen = 0;
    return pt_task_check(task, err);
}
bool pt_task_stopping(const pt_task *task);
bool pt_task_is_cancelled(const pt_task *task);
/* bytes <- 0, in pieces: the first touch of some gigabytes takes a second. */
pt_status pt_task_clear(const pt_task *task, void *bytes, size_t size, pt_error *err);
/* Touches memory whose contents do not count yet, likewise: before it is filled in leaps. */
pt_status pt_task_touch(const pt_task *task, void *bytes, size_t size, pt_error *err);
/* to <- from, likewise. */
pt_status pt_task_copy(const pt_task *task, void *to, const void *from, size_t size, pt_error *err);
/* Calls the progress callback where it has not been called for 0.03 seconds, with what
 * it was told last: whoever cancels by it must not wait. On other threads than the caller's it does
 * nothing. */
void pt_task_beat(const pt_task *task);

/* Time that ends before the limit does, for a machine that need not be finished: solvers that have
 * one at every step ask pt_task_ends_early and, where it is true, end with what they have. INFINITY
 * takes it back. Called outside of parallel loops. */
void pt_task_end_early_after(const pt_task *task, double seconds);
bool pt_task_ends_early(const pt_task *task);
bool pt_task_ended_early(const pt_task *task); /* whether one was told so since */
/* One of the pieces of such work that begins while `left` of them are not done, `together` at a
 * time, ends with its turn, so that those after it have as long. 0: the turn of all. */
double pt_task_turn(const pt_task *task, int64_t together, int64_t left);
bool pt_task_turn_ends(const pt_task *task, double turn);

/* Work that such a machine can do without gets this share of its time, and fails with PT_ETIME
 * where that does not suffice; nothing in it ends early. False: nobody is to end early, and it is
 * as other work is. `left_out`: it was begun in vain, and the machine is not finished. Called
 * outside of parallel loops; such work does not nest. */
bool pt_task_begin_optional(const pt_task *task, double share);
void pt_task_end_optional(const pt_task *task, bool left_out);

/* Progress of `stage`, text that lasts; only the thread that called the library reports, others are
 * ignored. A stage's begin and end are told at once, what is between some thirty times a second. */
void pt_task_progress(const pt_task *task, const char *stage, double done, double total);
/* A call of the library begins whose first stage this is: what pt_task_beat tells until more is
 * known. Nothing where the call is part of another. */
void pt_task_enter(const pt_task *task, const char *stage);
/* Work that consists of many pieces, each with stages of its own, reports itself: between begin and
 * end pt_task_progress is silent and pt_task_progress_whole speaks. Where such work is a piece of
 * such work, the stage that was told of first, right after begin, is the one that is told of. */
void pt_task_begin_whole(const pt_task *task);
void pt_task_end_whole(const pt_task *task);
void pt_task_progress_whole(const pt_task *task, const char *stage, double done, double total);
/* Part `part` of `parts` of something larger still: what happens in it is told as its share of
 * `stage`, and never goes back. Called outside of parallel loops; parts do not nest. */
void pt_task_begin_part(const pt_task *task, const char *stage, int64_t part, int64_t parts);
void pt_task_end_part(const pt_task *task);
/* A step of something that has several, each with stages of its own: it is told under its own name
 * as the share from .. to of the whole, and never goes back. The last ends with a name of NULL.
 * Called outside of parallel loops; steps do not nest. */
void pt_task_begin_step(const pt_task *task, const char *name, double from, double to);
void pt_task_say(const pt_task *task, pt_level level, pt_kind kind, const char *format, ...)
    PT_PRINTF(4, 5);

/* The checkpoint of work that came to its end could not be written, for this reason: a warning, and
 * the work is done. Where there is no task, it is the work's error. */
pt_status pt_task_lost(pt_task *task, const char *path, const pt_error *why, pt_error *err);

bool pt_task_is_heard(const pt_task *task); /* somebody wants progress */
void pt_task_hear_all(pt_task *task);       /* for tests: all progress, and no beats */

double pt_seconds(void); /* a monotonic clock */

#endif
