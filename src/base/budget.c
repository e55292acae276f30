/* Budgets of memory: one counter. */
#include "base/budget.h"

#include "base/text.h"

pt_status pt_budget_take(pt_budget *budget, size_t bytes, const char *what, pt_error *err)
{
    if (!budget)
        return PT_OK;
    int_fast64_t used = atomic_load(&budget->used);
    do {
        if (used > budget->limit || bytes > (uint64_t)(budget->limit - used)) {
            char shown[PT_BYTES_SHOWN];
            return pt_fail(err, PT_EMEMORY,
                           "%s need more than the %s of memory that may be used; raise `memory` or "
                           "use less data",
                           what, pt_bytes_show((double)budget->limit, shown));
        }
    } while (!atomic_compare_exchange_weak(&budget->used, &used, used + (int_fast64_t)bytes));
    return PT_OK;
}

void pt_budget_give(pt_budget *budget, size_t bytes)
{
    if (budget)
        atomic_fetch_sub(&budget->used, (int_fast64_t)bytes);
}

int64_t pt_budget_used(const pt_budget *budget)
{
    return budget ? atomic_load(&((pt_budget *)budget)->used) : 0;
}
