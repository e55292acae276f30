/* The linear support vector machine over pairs (pair_row.h): all its pairs together. Descent over
 * one example after the other needs very many sweeps where examples are alike and C is large; this
 * goes far in few passes over them, once descent has found which pairs count. */
#ifndef PT_SOLVERS_DUAL_PAIR_CLIMB_H
#define PT_SOLVERS_DUAL_PAIR_CLIMB_H

#include "base/task.h"
#include "solvers/dual/class_weights.h"
#include "solvers/dual/pair_row.h"

/* What it works on: alpha (bound_i >= 0 of problem) and v, bias that belong to it. */
typedef struct pt_pair_state {
    const pt_pair_problem *problem;
    const pt_class_loops *loops;
    const pt_class_weights *weights; /* v */
    double *bias;                    /* k */
    double one;                      /* the feature of the bias: 1 or 0 */
    pt_sparse_rows *alpha;
} pt_pair_state;

/* Bytes that it takes for `listed` pairs. */
double pt_pair_climb_bytes(int64_t d, int64_t k, double listed);

/* The dual value rises by *gain >= 0, by conjugate gradients over the pairs that have an entry;
 * *passes: how often all examples that have some were gone over. alpha stays within its bounds. */
pt_status pt_pair_climb(const pt_pair_state *state, double *gain, int64_t *passes,
                        const pt_task *task, pt_error *err);

#endif
