/* The multiclass support vector machine of Crammer and Singer (CS section 5), by its dual, with
 * kernels:
 *
 *     min   1/2 sum_r ||M_r||^2 + sum_i C_i xi_i ,   xi_i = max_r (b_ir + f_ir) - f_i,y_i ,
 *     max  -1/2 sum_ij K_ij tau_i . tau_j - sum_i tau_i . b_i ,
 *          tau_i <= C_i 1_{y_i} ,   tau_i . 1 = 0 ,
 *
 * f_ir = M_r . phi(x_i) = sum_j tau_jr K_ij, b_ir the cost of taking class y_i for r, b_i,y_i = 0.
 * In place of tau there is eta = C 1_y - tau >= 0, whose rows sum up to C_i: sparse, and the class
 * y_i alone for every example that is no support pattern. CS has beta = 1/C, and its tau is ours
 * divided by C.
 *
 * And its sibling, the machine of Weston and Watkins (WW), which adds up what CS takes the largest
 * of:
 *
 *     xi_i = sum_{r != y_i} max(0, b_ir + f_ir - f_i,y_i) ;
 *     tau_ir = -eta_ir ,   0 <= eta_ir <= C_i ,   r != y_i ;    tau_i,y_i = sum_{r != y_i} eta_ir .
 *
 * Here eta has no entry for y_i, and none at all for an example that is no support pattern. */
#ifndef PT_SOLVERS_DUAL_SPOC_H
#define PT_SOLVERS_DUAL_SPOC_H

#include "kernels/kernel_store.h"
#include "solvers/dual/sparse_rows.h"
#include "solvers/linear/linear_rows.h"

/* Up to so many examples a store of all is what is wanted. */
enum { PT_SPOC_ALL = 2048 };

typedef enum pt_spoc_kind { PT_CRAMMER_SINGER, PT_WESTON_WATKINS } pt_spoc_kind;

/* What the solution leaves between classes. */
typedef struct pt_spoc_margins {
    double *least; /* k x k, row y: least f_iy - f_ir of the examples of class y; INFINITY: none */
    double *product; /* k x k: M_r . M_s */
    double radius;   /* the largest ||phi(x_i)|| */
} pt_spoc_margins;

typedef struct pt_spoc {
    pt_spoc_kind kind;
    /* K: a store of n x n values; or, where it is NULL, the kernel on n rows, of which only those
     * that matter are ever held, in `bytes`. */
    pt_kernel_store *store;
    const pt_rows *rows;
    const pt_kernel *kernel; /* NULL beside a store: not known to be positive semidefinite */
    double shift;            /* >= 0, beside a store: added to every kernel value */
    int64_t n;
    int64_t k;
    const int64_t *class_of; /* n */
    const double *bound;     /* n: C_i >= 0; 0 leaves an example out */
    const double *costs; /* k x k, row y: b of the examples of class y; NULL: 1 off the diagonal */
    /* In place of costs: example_costs[number[i] * k + r] is b_ir, 0 where r is the class of i,
     * elsewhere any number; number NULL: the rows in order. NULL: there are none. */
    const double *example_costs;
    const int64_t *number;
    double gap;               /* stops at a duality gap of this times the dual value */
    int64_t limit;            /* or after so many reduced problems; 0: enough as a rule */
    double bytes;             /* for copies of kernel values among the examples that still move */
    pt_spoc_margins *margins; /* filled in at the end; NULL: not wanted */
} pt_spoc;

typedef struct pt_spoc_result {
    double value;     /* of the dual */
    double gap;       /* the primal less the dual value */
    int64_t steps;    /* reduced problems that were solved */
    int64_t rounds;   /* updates of the whole gradient */
    int64_t patterns; /* support patterns: examples with tau_i != 0 */
    bool converged;   /* gap <= asked * value */
} pt_spoc_result;

/* Bytes that the solver takes beside the store, the copies and eta, at most: for the plan. */
double pt_spoc_bytes(int64_t n, int64_t k);

/* eta (n rows): where to begin, and the solution. CS: a row without entries begins at y_i; others
 * are scaled to the sum C_i. WW: entries above C_i become C_i. So the solution for one C is a start
 * for another, a better one after pt_spoc_carry. PT_ENUMERIC if K is seen not to be positive
 * semidefinite. `stage` is for progress, NULL: none. The same bytes for any number of threads. */
pt_status pt_spoc_solve(const pt_spoc *problem, pt_sparse_rows *eta, pt_spoc_result *result,
                        const char *stage, const pt_task *task, pt_error *err);

/* Takes the solution for the bounds `before` to where that of the problem's bounds will be near. */
void pt_spoc_carry(const pt_spoc *problem, const double *before, pt_sparse_rows *eta);

/* Whether example i of class y is a support pattern: tau_i != 0. */
static inline bool pt_spoc_is_support(const pt_sparse_rows *eta, int64_t i, int64_t y)
{
    const int64_t count = eta->count[i];
    return count > 1 || (count == 1 && pt_sparse_row(eta, i)->column != y);
}

/* tau (k) <- that of example i. */
void pt_spoc_tau(const pt_spoc *problem, const pt_sparse_rows *eta, int64_t i, double *tau);
/* support (patterns, ascending) and tau (patterns x k, row-major) <- those of eta; the caller frees
 * them. */
pt_status pt_spoc_patterns(const pt_spoc *problem, const pt_sparse_rows *eta, int64_t **support,
                           double **tau, int64_t *patterns, pt_error *err);

/* ---- linear ------------------------------------------------------------------------------------
 *
 * k(x, z) = x . z, by M itself in place of kernel values. */

/* Bytes that it takes beside the rows and the M that comes out, as a rule: for the plan. */
double pt_spoc_linear_bytes(int64_t n, int64_t d, int64_t k);

/* `rows` have no bias; store, rows and kernel of the problem are not looked at, and its limit is of
 * visits. eta as in pt_spoc_solve. M (d x k, column-major) <- M_r in the order of the features,
 * scaled where that is what the primal value belongs to. `stage` is for progress, NULL: none. The
 * same bytes for any number of threads.
 *
 * Time: O(values of a row) for each class that is looked at in a visit. */
pt_status pt_spoc_linear_solve(const pt_spoc *problem, const pt_linear_rows *rows, uint64_t seed,
                               pt_sparse_rows *eta, double *M, pt_spoc_result *result,
                               const char *stage, const pt_task *task, pt_error *err);

#endif
