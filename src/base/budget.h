/* Memory that a piece of work may hold, counted while it grows. Threads may take from one budget at
 * once. Where it is NULL nobody counts. */
#ifndef PT_BASE_BUDGET_H
#define PT_BASE_BUDGET_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct pt_budget {
    int64_t limit; /* bytes */
    atomic_int_fast64_t used;
} pt_budget;

/* PT_EMEMORY where that is too much, and nothing is taken; `what` (plural) is for the text. */
pt_status pt_budget_take(pt_budget *budget, size_t bytes, const char *what, pt_error *err);
void pt_budget_give(pt_budget *budget, size_t bytes);
int64_t pt_budget_used(const pt_budget *budget);

#endif
