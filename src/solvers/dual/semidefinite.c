/* Tests of kernel values by a Cholesky factor. */
#include "solvers/dual/semidefinite.h"

#include <string.h>

#include "linalg/linalg.h"

/* Rounding of a kernel value, in float32 or in a file, relative to sqrt(A_ii A_jj). Times the size
 * of the matrix: the most by which it moves an eigenvalue. */
static const double ROUNDING = 1e-6;

bool pt_may_be_indefinite(const pt_kernel *kernel)
{
    return !kernel || !kernel->ops->psd ||
           (strstr(kernel->ops->parameters, "coef0") && kernel->coef0 < 0);
}

bool pt_is_semidefinite(double *A, int64_t m)
{
    for (int64_t i = 0; i < m; i++) {
        const double own = A[i * m + i];
        A[i * m + i] = own > 0 ? own * (1 + ROUNDING * (double)m) : 1; /* a row of zeros */
    }
    return m == 0 || pt_la_dense_cholesky(PT_F64, m, A, m);
}

pt_status pt_refuse_indefinite(pt_error *err)
{
    return pt_fail(err, PT_ENUMERIC,
                   "the kernel is not positive semidefinite: a matrix of its values has a negative "
                   "eigenvalue, and the solution would not be the best; choose another --kernel "
                   "or, where it is precomputed, add to its diagonal");
}
