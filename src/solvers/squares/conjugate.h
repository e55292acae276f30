/* Conjugate gradients for several right-hand sides of one positive definite system. */
#ifndef PT_SOLVERS_SQUARES_CONJUGATE_H
#define PT_SOLVERS_SQUARES_CONJUGATE_H

#include <stdint.h>

#include "base/task.h"

/* All matrices are n x ell, column-major, double. */
typedef struct pt_conjugate_system {
    int64_t n;
    int64_t ell;
    const double *norm; /* ell: of the right-hand sides, positive */
    double goal;        /* relative residual of every column */
    int64_t most;       /* steps */
    /* out <- H X */
    pt_status (*multiply)(void *user, const double *X, double *out, const pt_task *task,
                          pt_error *err);
    /* out <- M^-1 R, where M is positive definite and near H */
    pt_status (*precondition)(void *user, const double *R, double *out, const pt_task *task,
                              pt_error *err);
    void *user;
} pt_conjugate_system;

/* X, R: a start and its residual on entry (0 and the right-hand sides, or better), the solution
 * and its residual on exit. *worst is the
 * largest relative residual: it may be above the goal, where `most` steps do not reach it. */
pt_status pt_conjugate_solve(const pt_conjugate_system *system, double *X, double *R, double *worst,
                             const pt_task *task, pt_error *err);

/* Bytes that it holds beside X and R. */
double pt_conjugate_bytes(int64_t n, int64_t ell);

#endif
