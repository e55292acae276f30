/* Online learning of which other rows choose the epoch. */
#ifndef PT_SOLVERS_ONLINE_ONLINE_VALID_H
#define PT_SOLVERS_ONLINE_ONLINE_VALID_H

#include "solvers/online/online_epochs.h"

typedef struct pt_online_valid {
    pt_online_problem asked; /* rows, weight, and labels or sides: the rest counts for nothing */
    int64_t patience;        /* training ends so many epochs after the best one */
} pt_online_valid;

/* Epochs of `problem`, of which there is a number; out ((d + 1) x w->k, as pt_online_result has it)
 * <- the functions after the one with the smallest loss on the rows that validate, the first of
 * equal ones. The loss is the sum of weight (1 - z)_+, z = v_a . x - v_b . x of all pairs of a
 * label, or y v_s . x of all sides. The result is that of the epochs up to this one; w has made all
 * of them. On one thread. */
pt_status pt_online_train_to_best(pt_online_weights *w, const pt_online_problem *problem,
                                  const pt_online_valid *valid, double *out,
                                  pt_online_epochs *result, const pt_task *task, pt_error *err);

#endif
