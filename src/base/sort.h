/* Sorting that can be stopped: of millions of items qsort takes a second and does not look up. */
#ifndef PT_BASE_SORT_H
#define PT_BASE_SORT_H

#include "base/task.h"

/* Sorts n items of `size` bytes. Memory: as much again. `what` names it in errors. The order of
 * equal items does not depend on threads. After a failure they are in any order, some lost. */
pt_status pt_sort(void *items, int64_t n, size_t size, int (*compare)(const void *, const void *),
                  const char *what, const pt_task *task, pt_error *err);

#endif
