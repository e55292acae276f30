/* Rows as solvers of linear machines read them: again and again, one at a time, in any order. */
#ifndef PT_SOLVERS_LINEAR_LINEAR_ROWS_H
#define PT_SOLVERS_LINEAR_LINEAR_ROWS_H

#include <stdbool.h>

#include "base/task.h"
#include "data/rows.h"

/* Dense rows as they are; sparse rows, and dense ones that are mostly zeros, without the zeros and
 * with short indices: what has to come from memory is what such solvers wait for. */
typedef struct pt_linear_rows {
    int64_t n;
    int64_t d;
    pt_type type;
    bool bias;            /* there is one more feature, 1 in every row */
    const void *dense;    /* or NULL; it is borrowed */
    int64_t stride;       /* of dense, in elements */
    const int64_t *start; /* n + 1 */
    const int32_t *index; /* places of features, from 0 */
    const int32_t *order; /* d: the feature at a place; NULL: its own. Frequent features come
                           * first, so that what w has for them stays in the nearest cache */
    const void *value;
    const double *square; /* n: ||x_i||^2, with the feature of the bias */
} pt_linear_rows;

/* Refuses features that are so large that their squares overflow. Free it always;
 * zero-initialise. */
pt_status pt_linear_rows_init(pt_linear_rows *out, const pt_rows *rows, bool bias,
                              const pt_task *task, pt_error *err);
void pt_linear_rows_free(pt_linear_rows *rows);

/* What it will hold, in bytes, at most. */
double pt_linear_rows_bytes(const pt_rows *rows);

#endif
