/* The backends; small dense helpers: the backend's operations on whole column-major matrices, and
 * what machines need of vectors. */
#include "base/math.h"
#include "base/parallel.h"
#include "linalg/linalg.h"

#include <cblas.h> /* last: it brings in complex.h, which makes a macro of I */

extern const pt_backend pt_backend_cpu;

const pt_backend *const pt_backends[] = {
    &pt_backend_cpu,
    NULL,
};

/* The one in use: the first of the list. */
const pt_backend *pt_la_backend(void)
{
    return pt_backends[0];
}

void pt_la_gemm(pt_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                double alpha, const void *A, int64_t lda, const void *B, int64_t ldb, double beta,
                void *C, int64_t ldc)
{
    pt_la_backend()->gemm(type, trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

bool pt_la_dense_cholesky(pt_type type, int64_t n, void *A, int64_t lda)
{
    return n <= 0 || pt_la_backend()->potrf(type, n, A, lda) == 0;
}

void pt_la_dense_cholesky_solve(pt_type type, int64_t n, int64_t m, const void *L, int64_t ldl,
                                void *B, int64_t ldb)
{
    if (n <= 0 || m <= 0)
        return;
    pt_la_backend()->trsm(type, 'l', 'n', n, m, 1, L, ldl, B, ldb);
    pt_la_backend()->trsm(type, 'l', 't', n, m, 1, L, ldl, B, ldb);
}

void pt_la_describe(char *text, size_t capacity)
{
    pt_la_backend()->describe(text, capacity);
}

void pt_la_axpy(pt_type type, int64_t n, double alpha, const void *x, void *y)
{
    enum { PIECE = 1 << 30 }; /* BLAS counts in int */
    const int before = pt_parallel_alone_begin();
    for (int64_t i = 0; i < n; i += PIECE) {
        const int count = (int)pt_lesser(n - i, PIECE);
        if (type == PT_F32)
            cblas_saxpy(count, (float)alpha, (const float *)x + i, 1, (float *)y + i, 1);
        else
            cblas_daxpy(count, alpha, (const double *)x + i, 1, (double *)y + i, 1);
    }
    pt_parallel_alone_end(before);
}
