/* The linear support vector machine, one column of a code:
 *
 *     min_w  P(w) = 1/2 ||w||^2 + sum_i u_i (1 - y_i w.x_i)_+
 *
 * and its dual  max_a  D(a) = sum_i a_i - 1/2 ||sum_i a_i y_i x_i||^2 ,  0 <= a_i <= u_i . With a
 * bias every row has one more feature, 1, whose weight is part of ||w||. */
#ifndef PT_SOLVERS_LINEAR_LINEAR_SVM_H
#define PT_SOLVERS_LINEAR_LINEAR_SVM_H

#include "solvers/linear/linear_rows.h"

typedef struct pt_linear_svm {
    const pt_linear_rows *rows;
    int64_t n;
    const int64_t *row;  /* n: the rows that take part */
    const int8_t *y;     /* n: +1 or -1 */
    const double *bound; /* n: u > 0 */
    double gap;          /* stops where P - D <= gap D */
    int64_t limit;       /* or after so many passes over all rows; 0: enough as a rule */
    double turn;         /* or at this moment (base/task.h) */
    uint64_t seed;       /* of the order of the rows */
    uint64_t column;     /* columns with one seed have orders of their own */
} pt_linear_svm;

typedef struct pt_linear_svm_result {
    double value;   /* D(a) */
    double gap;     /* P(w) - D(a) for the w and a that came out */
    int64_t visits; /* of one row each */
    bool converged;
} pt_linear_svm_result;

/* a (n) and w (d + 1, the bias last) <- the solution; the same bytes however many threads there
 * are: it uses one. Time: O(values of the rows) for a pass; memory 16 n bytes beside a and w. */
pt_status pt_linear_svm_solve(const pt_linear_svm *problem, double *a, double *w,
                              pt_linear_svm_result *result, const pt_task *task, pt_error *err);

#endif
