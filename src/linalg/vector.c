/* Vectors: what machines need beside matrices. */
#include "base/parallel.h"
#include "linalg/linalg.h"

#include <cblas.h> /* last: it brings in complex.h, which makes a macro of I */

void pt_la_axpy(pt_type type, int64_t n, double alpha, const void *x, void *y)
{
    enum { PIECE = 1 << 30 }; /* BLAS counts in int */
    const int before = pt_parallel_alone_begin();
    for (int64_t i = 0; i < n; i += PIECE) {
        const int count = (int)(n - i < PIECE ? n - i : PIECE);
        if (type == PT_F32)
            cblas_saxpy(count, (float)alpha, (const float *)x + i, 1, (float *)y + i, 1);
        else
            cblas_daxpy(count, alpha, (const double *)x + i, 1, (double *)y + i, 1);
    }
    pt_parallel_alone_end(before);
}
