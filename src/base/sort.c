/* Runs of a fixed length are sorted by qsort, then merged two by two, from one of two arrays into
 * the other; between runs, and as often inside a merge, the task is asked. Runs and merges do not
 * depend on threads, and so neither does the result. */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"

enum { RUN = 1 << 15 };

typedef struct sort_work {
    char *from;
    char *to;
    int64_t n;
    size_t size;
    int64_t width; /* of the runs that are merged */
    int (*compare)(const void *, const void *);
    const pt_task *task;
} sort_work;

static pt_status sort_run(void *context, int64_t r, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const sort_work *w = context;
    const int64_t begin = r * RUN;
    qsort(w->from + (size_t)begin * w->size, (size_t)pt_lesser(RUN, w->n - begin), w->size,
          w->compare);
    return PT_OK;
}

static pt_status merge_pair(void *context, int64_t pair, int worker, pt_error *err)
{
    (void)worker;
    const sort_work *w = context;
    const size_t size = w->size;
    const int64_t begin = 2 * pair * w->width;
    const int64_t middle = pt_lesser(begin + w->width, w->n);
    const int64_t end = pt_lesser(middle + w->width, w->n);
    const char *a = w->from + (size_t)begin * size;
    const char *const a_end = w->from + (size_t)middle * size;
    const char *b = a_end;
    const char *const b_end = w->from + (size_t)end * size;
    char *out = w->to + (size_t)begin * size;
    for (int64_t i = begin; i < end; i++, out += size) {
        if ((i - begin) % RUN == 0)
            PT_TRY(pt_task_check(w->task, err));
        const bool first = b == b_end || (a < a_end && w->compare(a, b) <= 0);
        memcpy(out, first ? a : b, size);
        *(first ? &a : &b) += size;
    }
    return PT_OK;
}

pt_status pt_sort(void *items, int64_t n, size_t size, int (*compare)(const void *, const void *),
                  const char *what, const pt_task *task, pt_error *err)
{
    sort_work w = {.from = items, .n = n, .size = size, .compare = compare, .task = task};
    PT_TRY(pt_parallel_for(task, (n + RUN - 1) / RUN, sort_run, &w, err));
    if (n <= RUN)
        return PT_OK;
    PT_SCRATCH char *room = pt_alloc(n, size, what, err);
    if (!room)
        return PT_ENOMEM;
    w.to = room;
    for (w.width = RUN; w.width < n; w.width *= 2) {
        const int64_t pairs = (n + 2 * w.width - 1) / (2 * w.width);
        PT_TRY(pt_parallel_for(task, pairs, merge_pair, &w, err));
        char *merged = w.to;
        w.to = w.from;
        w.from = merged;
    }
    if (w.from != items)
        memcpy(items, w.from, (size_t)n * size);
    return PT_OK;
}
