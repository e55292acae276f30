/* Logistic regression with squared weights, many linear functions of the same rows at once. With
 * z = w.x_i (a bias is the weight of a feature that is 1 in every row and is penalised with the
 * others) either ell problems that share the rows,
 *
 *     min_w  1/2 ||w||^2 + C sum_i c_i log(1 + exp(-y_i z_i)) ,   y_i in {-1, 0, +1}, 0: left out
 *
 * or one problem, the multinomial one ("softmax") with a vector for each class,
 *
 *     min_W  1/2 ||W||^2 + C sum_i c_i ( log sum_r exp(z_ir) - z_{i,y_i} ) . */
#ifndef PT_SOLVERS_LINEAR_LOGISTIC_H
#define PT_SOLVERS_LINEAR_LOGISTIC_H

#include "solvers/linear/lane_rows.h"

/* V after a step of softmax, `steps` in all; *end <- whether it was the last one. */
typedef pt_status (*pt_logistic_look_fn)(void *context, const double *V, int64_t steps, bool *end,
                                         pt_error *err);

typedef struct pt_logistic {
    const pt_lane_rows *rows;
    int64_t ell;             /* vectors */
    int width;               /* of a block of them: PT_LANES, or 1 where ell is 1 */
    const int64_t *group_of; /* n; softmax: the class, below ell */
    int64_t groups;
    const int8_t *sign;   /* groups x ell: y of a group's rows; NULL: softmax */
    const double *weight; /* n: c > 0; NULL: all 1 */
    double C;
    double eps;    /* stops where ||gradient|| <= eps share ||gradient at 0||; share is that of the
                    * smaller side of a column, 1 for softmax */
    int64_t limit; /* or after so many Newton steps; 0: enough as a rule */
    double turn;   /* or at this moment (base/task.h) */
    bool started;  /* V is where it begins, as far as that is below 0; else it begins at 0 */
    pt_logistic_look_fn look; /* softmax: called after each Newton step; NULL: nobody looks */
    void *context;
} pt_logistic;

typedef struct pt_logistic_result {
    double value;     /* what is minimised */
    double violation; /* ||gradient|| / (share ||gradient at 0||) */
    int64_t steps;    /* of Newton */
    bool converged;
} pt_logistic_result;

/* ceil(ell / width) blocks of (d + 1) x width numbers (lane_rows.h), in a row. */
int64_t pt_logistic_blocks(int64_t ell, int width);

/* V <- the solution. results: ell, or 1 for softmax. The same bytes however many threads there are,
 * and for every column whatever other columns are solved with it.
 *
 * Time: two products with the rows for each step of conjugate gradients; memory: see
 * pt_logistic_bytes. */
pt_status pt_logistic_solve(const pt_logistic *problem, double *V, pt_logistic_result *results,
                            const pt_task *task, pt_error *err);

/* What it will hold beside the rows and V. */
double pt_logistic_bytes(int64_t n, int64_t d, int64_t ell, int width);

#endif
