/* Which of many have most: how solvers choose the block that they work on next. */
#ifndef PT_SOLVERS_DUAL_CHOOSE_LARGEST_H
#define PT_SOLVERS_DUAL_CHOOSE_LARGEST_H

#include <stdint.h>

/* chosen <- the places of the largest values among those above 0, at most `most` (> 0), ascending;
 * which of equals is the same each time, not always the first. Returns how many. */
int64_t pt_choose_largest(const double *value, int64_t n, int64_t most, int64_t *chosen);

#endif
