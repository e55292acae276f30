/* The multinomial logistic regression ("softmax") with absolute weights:
 *
 *     min_W  reg ||W||_1 + sum_i c_i ( log sum_r exp(z_ir) - z_{i,y_i} ) ,   z_i = W^T x_i
 *
 * with a vector for each of k classes; a bias is the weight of a feature that is 1 in every row. */
#ifndef PT_SOLVERS_LINEAR_SOFTMAX_L1_H
#define PT_SOLVERS_LINEAR_SOFTMAX_L1_H

#include "solvers/linear/logistic_l1.h"

/* W after a round, with so many steps in all; *end <- whether it was the last one. */
typedef pt_status (*pt_softmax_l1_look_fn)(void *context, const double *W, int64_t steps, bool *end,
                                           pt_error *err);

typedef struct pt_softmax_l1 {
    const pt_l1_columns *columns;
    int64_t k;
    const int64_t *class_of; /* n */
    const double *cost;      /* n: c > 0 */
    double reg;
    double eps;    /* stops where the violations of a round over the classes sum up to this share of
                    * those of the first, ... */
    int64_t limit; /* ... or after so many rounds */
    uint64_t seed;
    const double *start; /* as W: where it goes on after the first round, from which it has its
                          * measure, if that is better; NULL: nowhere */
    pt_softmax_l1_look_fn look; /* called after each round; NULL: nobody looks */
    void *context;
} pt_softmax_l1;

typedef struct pt_softmax_l1_result {
    double violation; /* in shares of the first round's */
    int64_t steps;    /* of single classes */
    bool converged;
} pt_softmax_l1_result;

/* W <- k vectors of d + 1 numbers (of the columns, the bias last). One thread. Memory: 16 n k bytes
 * beside W. */
pt_status pt_softmax_l1_solve(const pt_softmax_l1 *problem, double *W, pt_softmax_l1_result *result,
                              const pt_task *task, pt_error *err);

#endif
