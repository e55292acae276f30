/* Logistic regression with absolute weights, one linear function:
 *
 *     min_w  reg ||w||_1 + sum_i c_i log(1 + exp(-y_i (z_i + o_i))) ,   z = X w
 *
 * where a bias is the weight of a feature that is 1 in every row and is penalised with the others.
 * The offsets o are what other functions contribute: the multinomial problem as a function of one
 * class alone is such a problem, with o_i = -log sum over the other classes of e^z. */
#ifndef PT_SOLVERS_LINEAR_LOGISTIC_L1_H
#define PT_SOLVERS_LINEAR_LOGISTIC_L1_H

#include "solvers/linear/lane_rows.h"

/* Columns of the rows, side by side; borrowed where the rows are sparse. */
typedef struct pt_l1_columns {
    int64_t n;
    int64_t d; /* features that some row has */
    bool bias;
    pt_type type;
    const int64_t *start; /* d + 1; NULL: dense */
    const int32_t *row;
    const void *value; /* dense: d x n */
    void *owned;
} pt_l1_columns;

/* Zero-initialise; free it always. The rows must stay. */
pt_status pt_l1_columns_init(pt_l1_columns *out, const pt_lane_rows *rows, const pt_task *task,
                             pt_error *err);
void pt_l1_columns_free(pt_l1_columns *columns);
/* What it and one pt_logistic_l1_descend hold, in bytes. */
double pt_l1_columns_bytes(const pt_rows *rows);
double pt_logistic_l1_bytes(int64_t n, int64_t d);
/* z (n) += X w. What is in lost (n) gets lost; any: n numbers that do not count. */
pt_status pt_l1_columns_times(const pt_l1_columns *columns, const double *w, double *z,
                              const double *any, double *lost, const pt_task *task, pt_error *err);

typedef struct pt_logistic_l1 {
    const pt_l1_columns *columns;
    const double *y;      /* n: +1, -1, or 0: left out */
    const double *cost;   /* n: c >= 0 */
    const double *offset; /* n; NULL: 0 */
    double reg;
    double goal;   /* stops where the violations sum up to this, ... */
    double eps;    /* ... or to this share of what they are at first; ... */
    int64_t limit; /* ... or after so many outer steps */
    double turn;   /* ... or at this moment (base/task.h) */
    uint64_t seed; /* of the order of the features */
    uint64_t stream;
    const double *start; /* weights, as w, to go to at once if that is better; NULL: none */
} pt_logistic_l1;

typedef struct pt_logistic_l1_result {
    double value;     /* what is minimised */
    double first;     /* violation at first: sum_j of how far 0 is from the slopes along w_j */
    double violation; /* and at the end, where it was measured last */
    int64_t steps;
    bool converged;
} pt_logistic_l1_result;

/* w (d + 1 of the columns, the bias last) and z (n) are where it begins and where it ends. One
 * thread. Time: O(stored values) for a sweep, and for a start. */
pt_status pt_logistic_l1_descend(const pt_logistic_l1 *problem, double *w, double *z,
                                 pt_logistic_l1_result *result, const pt_task *task, pt_error *err);

#endif
