/* What splits are judged by: how mixed the two sides are, the smaller the better. Of a side with
 * weights w_r of its classes and W = sum_r w_r,
 *
 *   entropy   W ln W - sum_r w_r ln w_r
 *   gini      W - sum_r w_r^2 / W
 *   sqrt      sum_r sqrt(w_r (W - w_r))          (Kearns and Mansour's, 2 sqrt(w+ w-) of two)
 *   squares   -(sum w z)^2 / sum w               (regression: the squared error, less sum w z^2)
 *
 * Each is concave in the weights, so that no split makes the sum over its sides larger. */
#ifndef PT_TREES_IMPURITY_H
#define PT_TREES_IMPURITY_H

#include <stdint.h>

#include "base/isa.h"

typedef enum pt_criterion {
    PT_CRITERION_ENTROPY,
    PT_CRITERION_GINI,
    PT_CRITERION_SQRT,
    PT_CRITERION_SQUARES, /* its two sums are w and w z */
    PT_CRITERIA
} pt_criterion;

enum { PT_JUDGED = 64 }; /* splits that are judged together: a column each */

/* value[j] <- that of both sides of split j < count (rounded up to whole vectors, at most
 * PT_JUDGED). The side that it takes in has the sums left[c * PT_JUDGED + j] + add[c], c < sums;
 * the other side has the rest of total[c]. */
typedef void (*pt_judge_fn)(const double *left, const double *add, const double *total,
                            int64_t sums, int64_t count, double *value);

typedef struct pt_impurity_loops {
    pt_judge_fn judge[PT_CRITERIA];
} pt_impurity_loops;

PT_ISA_CHOSEN(pt_impurity_loops, pt_impurity_loops, pt_impurity_loops_chosen)

#endif
