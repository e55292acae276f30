/* The end of softmax by rows that are not learned from: their log loss after each iteration. */
#ifndef PT_SOLVERS_LINEAR_SOFTMAX_VALID_H
#define PT_SOLVERS_LINEAR_SOFTMAX_VALID_H

#include "base/task.h"
#include "data/rows.h"

/* Zero-initialise; free it always. */
typedef struct pt_softmax_valid {
    const pt_rows *rows;
    const int64_t *class_of;
    const double *weight; /* NULL: all 1 */
    int64_t k;
    int64_t patience; /* it ends so many iterations after the best one */
    int64_t seen;     /* iterations */
    int64_t best;     /* which of them was: from 1 on; 0: there was none */
    int64_t steps;    /* that were taken until then */
    double least;     /* the loss after it */
    bool ended;       /* by patience */
    double *W;        /* (d + 1) x k, column-major, the bias last: after it */
    double *part;     /* a sum for each piece of the rows */
} pt_softmax_valid;

/* What is above `seen` is given. */
pt_status pt_softmax_valid_init(pt_softmax_valid *valid, pt_error *err);
void pt_softmax_valid_free(pt_softmax_valid *valid);

/* An iteration more has led to W, as above, with so many steps in all. *end <- whether it was the
 * last one. The same bits for any number of threads. */
pt_status pt_softmax_valid_look(pt_softmax_valid *valid, const double *W, int64_t steps, bool *end,
                                const pt_task *task, pt_error *err);

#endif
