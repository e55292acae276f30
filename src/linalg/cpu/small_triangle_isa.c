/* Small triangles.
 *
 *   X L^T = B   x_j = (b_j - sum_{k<j} l_jk x_k) / l_jj, from the first column on
 *   X L = B     x_j = (b_j - sum_{k>j} l_kj x_k) / l_jj, from the last column on
 *   A = L L^T   l_j = a_j / sqrt(a_jj), then a_c -= l_j l_cj for c > j
 *
 * with x_j, b_j, l_j, a_j columns. Some rows of B are solved at a time, so that they stay in
 * registers and in the first cache; the factor is made in an array of the full size, so that its
 * loops have a fixed length. PT_ISA names the instruction set that this file is being compiled
 * for. */
#include "linalg/cpu/small_triangle.h"

#include <math.h>
#include <string.h>

#define ROWS_BYTES 256 /* of a column: some vectors of any width */

#define DEFINE_SMALL(T, suffix, root)                                                           \
    enum { ROWS_##suffix = ROWS_BYTES / sizeof(T) };                                            \
                                                                                                \
    static void solve_transposed_##suffix(int64_t n, const T *L, int64_t ldl, const T *inverse, \
                                          T(*x)[ROWS_##suffix])                                 \
    {                                                                                           \
        for (int64_t j = 0; j < n; j++) {                                                       \
            T sum[ROWS_##suffix];                                                               \
            memcpy(sum, x[j], sizeof sum);                                                      \
            for (int64_t k = 0; k < j; k++)                                                     \
                for (int r = 0; r < ROWS_##suffix; r++)                                         \
                    sum[r] -= L[j + k * ldl] * x[k][r];                                         \
            for (int r = 0; r < ROWS_##suffix; r++)                                             \
                x[j][r] = sum[r] * inverse[j];                                                  \
        }                                                                                       \
    }                                                                                           \
                                                                                                \
    static void solve_plain_##suffix(int64_t n, const T *L, int64_t ldl, const T *inverse,      \
                                     T(*x)[ROWS_##suffix])                                      \
    {                                                                                           \
        for (int64_t j = n - 1; j >= 0; j--) {                                                  \
            T sum[ROWS_##suffix];                                                               \
            memcpy(sum, x[j], sizeof sum);                                                      \
            for (int64_t k = j + 1; k < n; k++)                                                 \
                for (int r = 0; r < ROWS_##suffix; r++)                                         \
                    sum[r] -= L[k + j * ldl] * x[k][r];                                         \
            for (int r = 0; r < ROWS_##suffix; r++)                                             \
                x[j][r] = sum[r] * inverse[j];                                                  \
        }                                                                                       \
    }                                                                                           \
                                                                                                \
    static void trsm_##suffix(int64_t m, int64_t n, bool transposed, const void *triangle,      \
                              int64_t ldl, void *block, int64_t ldb)                            \
    {                                                                                           \
        const T *L = triangle;                                                                  \
        T inverse[PT_SMALL_TRIANGLE];                                                           \
        T x[PT_SMALL_TRIANGLE][ROWS_##suffix] = {{0}};                                          \
        for (int64_t j = 0; j < n; j++)                                                         \
            inverse[j] = 1 / L[j + j * ldl];                                                    \
        for (int64_t i = 0; i < m; i += ROWS_##suffix) {                                        \
            T *B = (T *)block + i;                                                              \
            const int64_t rows = m - i < ROWS_##suffix ? m - i : ROWS_##suffix;                 \
            for (int64_t j = 0; j < n; j++)                                                     \
                memcpy(x[j], B + j * ldb, (size_t)rows * sizeof(T));                            \
            if (transposed)                                                                     \
                solve_transposed_##suffix(n, L, ldl, inverse, x);                               \
            else                                                                                \
                solve_plain_##suffix(n, L, ldl, inverse, x);                                    \
            for (int64_t j = 0; j < n; j++)                                                     \
                memcpy(B + j * ldb, x[j], (size_t)rows * sizeof(T));                            \
        }                                                                                       \
    }                                                                                           \
                                                                                                \
    static int64_t potrf_##suffix(int64_t n, void *block, int64_t lda)                          \
    {                                                                                           \
        T *A = block;                                                                           \
        T a[PT_SMALL_TRIANGLE][PT_SMALL_TRIANGLE] = {{0}};                                      \
        for (int64_t j = 0; j < n; j++)                                                         \
            memcpy(&a[j][j], A + j * (lda + 1), (size_t)(n - j) * sizeof(T));                   \
        for (int64_t j = 0; j < n; j++) {                                                       \
            const T pivot = root(a[j][j]);                                                      \
            if (!(pivot > 0) || isinf(pivot))                                                   \
                return j + 1;                                                                   \
            const T inverse = 1 / pivot;                                                        \
            for (int r = 0; r < PT_SMALL_TRIANGLE; r++)                                         \
                a[j][r] *= inverse;                                                             \
            a[j][j] = pivot;                                                                    \
            for (int64_t c = j + 1; c < n; c++) {                                               \
                const T l = a[j][c];                                                            \
                for (int r = 0; r < PT_SMALL_TRIANGLE; r++)                                     \
                    a[c][r] -= l * a[j][r];                                                     \
            }                                                                                   \
        }                                                                                       \
        for (int64_t j = 0; j < n; j++)                                                         \
            memcpy(A + j * (lda + 1), &a[j][j], (size_t)(n - j) * sizeof(T));                   \
        return 0;                                                                               \
    }

DEFINE_SMALL(float, f32, sqrtf)
DEFINE_SMALL(double, f64, sqrt)

#define NAME_OF(isa) pt_small_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_small_ops NAME(PT_ISA);
const pt_small_ops NAME(PT_ISA) = {trsm_f32, trsm_f64, potrf_f32, potrf_f64};
