/* Quadratic programs in a box, with a matrix of kernel values weighted by groups:
 *
 *     min  1/2 b^T H b - p^T b ,   0 <= b_i <= u_i ,   H_ij = Q[c_i, c_j] (K_ij + shift)
 *
 * c_i is the group of variable i. H is positive semidefinite. Its dual is the hinge-loss problem
 *     min  1/2 ||w||^2 + sum_i u_i max(0, p_i - h_i) ,   h = H b
 * and the difference of the two values, the duality gap, tells how far from the solution b is. */
#ifndef PT_SOLVERS_DUAL_BOX_QP_H
#define PT_SOLVERS_DUAL_BOX_QP_H

#include "kernels/kernel_store.h"

typedef struct pt_box_qp {
    /* K: rows first .. first+n of a store that is shared with other problems; or, where store is
     * NULL, the kernel on n rows, of which only those that matter are ever held, in `bytes`. */
    pt_kernel_store *store;
    int64_t first;
    const pt_rows *rows;
    const pt_kernel *kernel; /* NULL beside a store: not known to be positive semidefinite */
    double bytes;
    int64_t n;
    int64_t groups;             /* group g: variables group_start[g] .. group_start[g + 1] */
    const int64_t *group_start; /* groups + 1, from 0 to n */
    const double *Q;            /* groups x groups, symmetric, positive semidefinite */
    double shift;               /* >= 0 */
    const double *p;            /* n; NULL: all 1 */
    const double *u;            /* n, >= 0; 0 leaves a variable out */
    double gap;                 /* stops at a duality gap of this times the value */
    int64_t limit;              /* or after so many moves of a variable; 0: enough as a rule */
    double turn;                /* or at this moment (base/task.h) */
} pt_box_qp;

typedef struct pt_box_result {
    double value;   /* p^T b - 1/2 b^T H b */
    double gap;     /* the duality gap */
    int64_t moves;  /* of one variable each */
    bool converged; /* gap <= asked * value */
} pt_box_result;

/* b (n): where to begin, kept within the bounds, and the solution. PT_ENUMERIC if H is seen not to
 * be positive semidefinite. `stage` is for progress, NULL: none. The same bytes for any number of
 * threads. */
pt_status pt_box_qp_solve(const pt_box_qp *qp, double *b, pt_box_result *result, const char *stage,
                          const pt_task *task, pt_error *err);

/* ---- inside of it ---------------------------------------------------------------------------- */

/* pt_box_qp_solve for a problem with a store, from a b within the bounds. Where stage is NULL it
 * reports no progress. */
pt_status pt_box_descent(const pt_box_qp *qp, double *b, pt_box_result *result, const char *stage,
                         const pt_task *task, pt_error *err);

/* The group of each variable, H_ii and 1 / H_ii from k(x_i, x_i). */
pt_status pt_box_curves(const pt_box_qp *qp, const double *diagonal, int64_t *group, double *curve,
                        double *step, pt_error *err);

/* Moves of a variable after which it is enough. */
int64_t pt_box_limit(const pt_box_qp *qp);

#endif
