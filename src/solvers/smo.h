/* The quadratic program of the support vector machine:
 *
 *     min  1/2 a^T Q a - 1^T a ,   0 <= a_i <= u_i ,   y^T a = 0 (with a bias) ,
 *     Q_ij = y_i y_j K_ij
 *
 * f(x) = sum_i a_i y_i k(x_i, x) + bias. */
#ifndef PT_SOLVERS_SMO_H
#define PT_SOLVERS_SMO_H

#include "kernels/kernel_store.h"

typedef struct pt_smo_problem {
    pt_kernel_store *store; /* K of all rows */
    int64_t n;
    const int64_t *row;  /* n: the rows of the store that take part */
    const int8_t *y;     /* n: +1 or -1 */
    const double *bound; /* n: u */
    bool bias;
    double eps;    /* stops where no pair violates optimality by more (LIBSVM's rule) */
    int64_t limit; /* or after so many steps; 0: enough as a rule */
} pt_smo_problem;

typedef struct pt_smo_result {
    double bias;      /* 0 without one */
    double objective; /* 1/2 a^T Q a - 1^T a */
    int64_t steps;
    bool converged;
} pt_smo_result;

/* a (n): where to begin, feasible, and the solution. */
pt_status pt_smo_solve(const pt_smo_problem *problem, double *a, pt_smo_result *result,
                       const pt_task *task, pt_error *err);

#endif
