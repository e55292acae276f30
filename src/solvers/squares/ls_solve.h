/* Regularised least squares on class indicators, or on any targets: the solves behind oneLSM and
 * its kin. */
#ifndef PT_SOLVERS_SQUARES_LS_SOLVE_H
#define PT_SOLVERS_SQUARES_LS_SOLVE_H

#include <stdbool.h>

#include "base/task.h"
#include "base/text.h"
#include "data/rows.h"
#include "kernels/kernel.h"
#include "linalg/tiles.h"
#include "solvers/squares/ls_coupling.h"

/* What is solved. weight is NULL (all 1) or n positive numbers. The right-hand sides E are those of
 * the class indicators, or n x k numbers of any kind, column-major: `targets`. */
typedef struct pt_ls_problem {
    const pt_rows *rows;
    const int64_t *class_of; /* n classes in 0..k-1; NULL with targets */
    int64_t k;
    const double *weight;
    const double *targets; /* NULL: the indicators of class_of */
} pt_ls_problem;

/* E_ir. */
static inline double pt_ls_target(const pt_ls_problem *problem, int64_t i, int64_t r)
{
    return problem->targets ? problem->targets[r * problem->rows->n + i]
                            : (double)(problem->class_of[i] == r);
}

/* Whether the primal is the smaller system: a linear kernel and fewer columns than rows. */
bool pt_ls_is_primal(const pt_kernel *kernel, const pt_rows *rows);

/* Refuses rows that cannot be a precomputed kernel: it is a dense, square, symmetric matrix. */
pt_status pt_ls_check_precomputed(const pt_rows *rows, pt_error *err);

/* Whether a float32 factor of K + ridge I would be too coarse even for conjugate gradients to
 * mend, so that the shorter way is one in double. */
bool pt_ls_needs_double(const pt_rows *rows, const pt_kernel *kernel, int64_t k, double ridge);

/* A (n x k, column-major, double) <- (K + ridge W^-1)^-1 E, HNR eq. (24), to a relative residual of
 * 1e-10. `type` is the type of the factor; where a float32 factor does not do, double is used
 * and a warning says so; another tells of a matrix that is singular for double too. */
pt_status pt_ls_solve_dual(const pt_ls_problem *problem, const pt_kernel *kernel, double ridge,
                           pt_type type, double *A, const pt_task *task, pt_warnings *warnings,
                           pt_error *err);

/* How a solve ended. */
typedef struct pt_ls_report {
    bool doubled;    /* a float32 factor is too coarse, double was used */
    double residual; /* relative, where even double did not reach 1e-10; else 0 */
    int64_t bad_row; /* from 0, where the matrix is not positive definite (PT_ENUMERIC) */
} pt_ls_report;

/* Adds what a user should know of it to the warnings; `matrix` is what the ridge was added to. */
pt_status pt_ls_explain(const pt_ls_report *report, const char *matrix, double ridge,
                        pt_warnings *warnings, pt_error *err);

/* beta (n) <- (P o K + ridge W^-1)^-1 1 in the same way, P_ij = Q[y_i, y_j] as the coupling says;
 * z (its rank): the bias where it is free (ls_coupling.h), else NULL. PT_ENUMERIC has no text. */
pt_status pt_ls_solve_coupled(const pt_ls_problem *problem, const pt_ls_coupling *coupling,
                              const pt_kernel *kernel, double ridge, pt_type type, double *beta,
                              double *z, pt_ls_report *report, const pt_task *task, pt_error *err);

/* coef (d x k, column-major, double) <- (X^T W X + ridge I)^-1 X^T W E, HNR Proposition 2. Always
 * in double: the condition number of X is squared here, and d is small. */
pt_status pt_ls_solve_primal(const pt_ls_problem *problem, double ridge, double *coef,
                             const pt_task *task, pt_error *err);

/* X^T W X in double, lower tiles. The caller frees it. */
pt_status pt_ls_primal_gram(pt_tiles **out, const pt_ls_problem *problem, const pt_task *task,
                            pt_error *err);
/* G <- the factor of G + ridge I; PT_ENUMERIC if that is not positive definite. */
pt_status pt_ls_primal_factor(pt_tiles *G, double ridge, const pt_task *task, pt_error *err);

/* B (d x k, column-major) <- X^T W E over rows first .. last-1. */
pt_status pt_ls_moments(const pt_ls_problem *problem, int64_t first, int64_t last, double *B,
                        const pt_task *task, pt_error *err);

/* The problem with its rows sorted by key[i] in 0..n_keys-1. Zero-initialise; free it always. */
typedef struct pt_ls_ordered {
    pt_ls_problem problem;
    pt_rows_owned rows;
    int64_t *order; /* new position -> old row */
    int64_t *class_of;
    double *weight;
    double *targets;
} pt_ls_ordered;

pt_status pt_ls_ordered_init(pt_ls_ordered *o, const pt_ls_problem *problem, const int64_t *key,
                             int64_t n_keys, const pt_task *task, pt_error *err);
void pt_ls_ordered_free(pt_ls_ordered *o);

/* Bytes that the solves hold beside the rows. */
double pt_ls_dual_bytes(int64_t n, int64_t d, int64_t k, pt_type type);
double pt_ls_primal_bytes(int64_t stored, int64_t n, int64_t d, int64_t k);

/* 1 / weight_i for every row, NULL where there are no weights. The caller frees it. */
pt_status pt_ls_inverse_weights(double **out, const double *weight, int64_t n, pt_error *err);

#endif
