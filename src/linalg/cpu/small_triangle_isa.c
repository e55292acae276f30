/* X L^T = B for a small triangle, some rows of B at a time, so that they stay in registers and in
 * the first cache:  x_j = (b_j - sum_{k<j} l_jk x_k) / l_jj,  x_j and b_j columns.
 * PT_ISA names the instruction set that this file is being compiled for. */
#include "linalg/cpu/small_triangle.h"

#include <string.h>

#define ROWS_BYTES 256 /* of a column: some vectors of any width */

#define DEFINE_TRSM(T, suffix)                                                            \
    enum { ROWS_##suffix = ROWS_BYTES / sizeof(T) };                                      \
                                                                                          \
    static void solve_rows_##suffix(int64_t n, const T *L, int64_t ldl, const T *inverse, \
                                    T(*x)[ROWS_##suffix])                                 \
    {                                                                                     \
        for (int64_t j = 0; j < n; j++) {                                                 \
            T sum[ROWS_##suffix];                                                         \
            memcpy(sum, x[j], sizeof sum);                                                \
            for (int64_t k = 0; k < j; k++)                                               \
                for (int r = 0; r < ROWS_##suffix; r++)                                   \
                    sum[r] -= L[j + k * ldl] * x[k][r];                                   \
            for (int r = 0; r < ROWS_##suffix; r++)                                       \
                x[j][r] = sum[r] * inverse[j];                                            \
        }                                                                                 \
    }                                                                                     \
                                                                                          \
    static void trsm_##suffix(int64_t m, int64_t n, const void *triangle, int64_t ldl,    \
                              void *block, int64_t ldb)                                   \
    {                                                                                     \
        const T *L = triangle;                                                            \
        T inverse[PT_SMALL_TRIANGLE];                                                     \
        T x[PT_SMALL_TRIANGLE][ROWS_##suffix] = {{0}};                                    \
        for (int64_t j = 0; j < n; j++)                                                   \
            inverse[j] = 1 / L[j + j * ldl];                                              \
        for (int64_t i = 0; i < m; i += ROWS_##suffix) {                                  \
            T *B = (T *)block + i;                                                        \
            const int64_t rows = m - i < ROWS_##suffix ? m - i : ROWS_##suffix;           \
            for (int64_t j = 0; j < n; j++)                                               \
                memcpy(x[j], B + j * ldb, (size_t)rows * sizeof(T));                      \
            solve_rows_##suffix(n, L, ldl, inverse, x);                                   \
            for (int64_t j = 0; j < n; j++)                                               \
                memcpy(B + j * ldb, x[j], (size_t)rows * sizeof(T));                      \
        }                                                                                 \
    }

DEFINE_TRSM(float, f32)
DEFINE_TRSM(double, f64)

#define NAME_OF(isa) pt_small_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_small_ops NAME(PT_ISA);
const pt_small_ops NAME(PT_ISA) = {trsm_f32, trsm_f64};
