/* The solvers of the support vector machine over pairs (pair_row.h): linear, with a kernel, and
 * without errors. */
#ifndef PT_SOLVERS_DUAL_PAIR_SOLVERS_H
#define PT_SOLVERS_DUAL_PAIR_SOLVERS_H

#include "solvers/dual/pair_space.h"

/* ---- linear, by its dual with v kept: pair_descent.c ----------------------------------------- */

/* Bytes that it takes beside the rows and the V that comes out, as a rule: for the plan. k
 * functions, `pairs` of all examples together. */
double pt_pair_descent_bytes(int64_t n, int64_t d, int64_t k, double pairs);

/* `rows` are without a bias; with `bias` there is one more feature, 1 in every row. V ((d + 1) x k,
 * column-major, k that of the pairs) <- v_r in the order of the features and its bias or
 * 0; scaled where that is what the primal value belongs to. `stage` is for progress, NULL: none.
 * The same bytes for any number of threads. */
pt_status pt_pair_descent(const pt_pair_problem *problem, const pt_linear_rows *rows, bool bias,
                          uint64_t seed, double *V, pt_pair_result *result, const char *stage,
                          const pt_task *task, pt_error *err);

/* ---- with a kernel: pair_kernel.c ------------------------------------------------------------ */

/* Bytes beside the space. k functions, `pairs` of all examples together. */
double pt_pair_kernel_bytes(int64_t n, int64_t k, double pairs);

/* A space with a store. support (result->patterns, ascending) and tau (patterns x k, row-major) are
 * the caller's to free. PT_ENUMERIC if the kernel is seen not to be positive semidefinite. `stage`
 * is for progress, NULL: none. The same bytes for any number of threads. */
pt_status pt_pair_kernel(const pt_pair_problem *problem, pt_pair_space *space, int64_t **support,
                         double **tau, pt_pair_result *result, const char *stage,
                         const pt_task *task, pt_error *err);

/* ---- the largest margin: pair_margin.c ---------------------------------------------------------
 *
 * Without errors,
 *
 *     min  1/2 sum_r ||v_r||^2   with   v_a . x_i - v_b . x_i >= 1   for every pair (a, b) of i ,
 *
 * or that there are none. */

typedef struct pt_margin_result {
    bool separable;
    double most;   /* no functions have a larger margin: 1 / ||v||, or what proves that none do */
    double margin; /* the one that was reached: the least z / ||v|| */
    double square; /* ||v||^2, v scaled so that the least z is 1 */
    double scale;  /* what v in the space is to be multiplied by for that */
    int64_t steps; /* of the active set */
    int64_t pairs; /* with a multiplier */
    int64_t patterns; /* examples of these */
    int64_t *support; /* patterns: those examples, ascending; the caller frees it, and */
    double *tau;      /* patterns x k, row-major: v_r = sum tau_r phi(x) */
} pt_margin_result;

/* Bytes beside the space, for `pairs` with a multiplier. */
double pt_pair_margin_bytes(int64_t n, int64_t k, double pairs);

/* Of the problem bound (0: left out) and pairs are looked at; `most_pairs` may have a
 * multiplier at one time, PT_ELIMIT beyond. support and tau are given where it is separable.
 * `stage` is for progress, NULL: none. The same bytes for any number of threads. */
pt_status pt_pair_margin(const pt_pair_problem *problem, pt_pair_space *space, int64_t most_pairs,
                         pt_margin_result *result, const char *stage, const pt_task *task,
                         pt_error *err);

#endif
