/* Filling the caller's pt_error. */
#ifndef PT_BASE_ERROR_H
#define PT_BASE_ERROR_H

#include <stdbool.h>

#include "polytomy/polytomy.h"

#if defined(__GNUC__)
#define PT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PT_PRINTF(fmt, args)
#endif

/* Both return `status`, so that a failure is one statement: return pt_fail(err, PT_EINVAL, "...").
 */
pt_status pt_fail(pt_error *err, pt_status status, const char *format, ...) PT_PRINTF(3, 4);
pt_status pt_fail_at(pt_error *err, pt_status status, const char *file, int64_t line,
                     int64_t column, const char *format, ...) PT_PRINTF(6, 7);

#ifdef __clang_analyzer__
/* Static analysis sees one file at a time; without this it follows paths on which a failure is
 * PT_OK.
 */
#define pt_fail(err, status, ...) ((void)pt_fail(err, status, __VA_ARGS__), (status))
#define pt_fail_at(err, status, ...) ((void)pt_fail_at(err, status, __VA_ARGS__), (status))
#endif

/* One of time, memory or size. */
static inline bool pt_is_limit(pt_status status)
{
    return status == PT_ETIME || status == PT_EMEMORY || status == PT_ELIMIT;
}

/* Memory could not be had; `what` names what it was for. */
pt_status pt_fail_memory(pt_error *err, const char *what, size_t bytes);

/* *err <- *from, an error of our own that is handed out; nobody may want it. */
void pt_error_copy(pt_error *err, const pt_error *from);

/* Ends the function with what a call returned, unless that is PT_OK. What the function owns frees
 * itself (PT_SCRATCH, PT_FREED_BY in base/alloc.h); where it does not, `status` is carried to the
 * end. */
#define PT_TRY(call)                       \
    do {                                   \
        const pt_status pt_tried = (call); \
        if (pt_tried != PT_OK)             \
            return pt_tried;               \
    } while (0)

#endif
