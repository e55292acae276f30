/* The support vector machine over pairs (pair_row.h) with a kernel. */
#ifndef PT_SOLVERS_DUAL_PAIR_KERNEL_H
#define PT_SOLVERS_DUAL_PAIR_KERNEL_H

#include "solvers/dual/pair_space.h"

/* Bytes beside the space. k functions, `pairs` of all examples together. */
double pt_pair_kernel_bytes(int64_t n, int64_t k, double pairs);

/* A space with a store. support (result->patterns, ascending) and tau (patterns x k, row-major) are
 * the caller's to free. PT_ENUMERIC if the kernel is seen not to be positive semidefinite. `stage`
 * is for progress, NULL: none. The same bytes for any number of threads. */
pt_status pt_pair_kernel(const pt_pair_problem *problem, pt_pair_space *space, int64_t **support,
                         double **tau, pt_pair_result *result, const char *stage,
                         const pt_task *task, pt_error *err);

#endif
