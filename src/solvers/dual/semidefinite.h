/* Whether matrices of kernel values are positive semidefinite: a quadratic program with one that is
 * not has no single best answer. */
#ifndef PT_SOLVERS_DUAL_SEMIDEFINITE_H
#define PT_SOLVERS_DUAL_SEMIDEFINITE_H

#include <stdbool.h>

#include "kernels/kernel.h"

/* Whether a kernel (NULL: one that is not known) may turn out not to be positive semidefinite, but
 * for rounding. */
bool pt_may_be_indefinite(const pt_kernel *kernel);

/* Whether a symmetric m x m matrix is positive semidefinite but for rounding, which is relative to
 * sqrt(A_ii A_jj). Overwrites it. */
bool pt_is_semidefinite(double *A, int64_t m);

/* PT_ENUMERIC, with a text that says what to do. */
pt_status pt_refuse_indefinite(pt_error *err);

#endif
