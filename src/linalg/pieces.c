/* Dense operations of any size, in pieces: who cancels must not wait for a product that takes
 * seconds. A look at the task follows each piece. The pieces depend on the sizes alone, so that
 * results do too; what is small enough is one piece, the same call as without.
 *
 * Products are cut in all three directions, into blocks at which BLAS is as fast as on the whole.
 * Triangles are halved until their diagonal blocks are one piece, which leaves products:
 *
 *   factor   L11 L11^T = A11; L21 = A21 L11^-T; L22 L22^T = A22 - L21 L21^T
 *   solve    X1 = L11^-1 B1, X2 = L22^-1 (B2 - L21 X1); with L^T from below
 *   rows     the same of B on the left: X1 = B1 L11^-T, X2 = (B2 - X1 L21^T) L22^-T */
#include <math.h>

#include "base/math.h"
#include "linalg/linalg.h"

/* Multiplications of a piece: 20 to 60 milliseconds of a processor, in single precision half of
 * it. */
static const double MOST = 0x1p30;
/* Less takes less time than a look is worth: whoever has many of these looks by himself. */
static const double FEW = 0x1p22;
/* A number that is read or written takes as long as so many multiplications. */
enum { TOUCH = 32 };
/* Of a block of C, and what BLAS sums at a time: blocks with long sides and this depth lose 2 to 6
 * percent to the whole, cubes of as many multiplications 20. */
enum { ROWS = 4096, DEPTH = 384 };
/* Columns of a block are a multiple of it: whole vectors, whole cache lines. */
enum { STEP = 64 };
/* Where triangles are one piece. */
enum { SIDE = 1024 };

static void *at(pt_type type, const void *base, int64_t place)
{
    return (char *)base + place * (int64_t)pt_type_size(type);
}

/* ---- products -------------------------------------------------------------------------------- */

static double cost(int64_t m, int64_t n, int64_t k)
{
    const double touched = (double)m * (double)k + (double)k * (double)n + (double)m * (double)n;
    return (double)m * (double)n * (double)k + TOUCH * touched;
}

/* Equal parts of which none is larger. */
static int64_t part_of(int64_t total, int64_t most)
{
    const int64_t parts = total > most ? (total + most - 1) / most : 1;
    return pt_lesser(pt_round_up((total + parts - 1) / parts, STEP), most);
}

/* How many columns go into a piece of so many rows and at least DEPTH. */
static int64_t columns_of(int64_t m)
{
    const double left = MOST - (double)TOUCH * (double)m * DEPTH;
    const double columns = left / ((double)m * DEPTH + (double)TOUCH * (double)(m + DEPTH));
    return columns < STEP ? STEP : (int64_t)columns / STEP * STEP;
}

/* How much of k goes into a piece whose block of C is m x n. */
static int64_t depth_of(int64_t m, int64_t n)
{
    const double block = (double)m * (double)n;
    const double depth = (MOST - TOUCH * block) / (block + TOUCH * (double)(m + n));
    return depth < DEPTH ? DEPTH : (int64_t)depth / DEPTH * DEPTH;
}

pt_status pt_la_long_gemm(pt_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                          double alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                          double beta, void *C, int64_t ldc, const pt_task *task, pt_error *err)
{
    const double all = cost(m, n, k);
    if (all <= MOST) {
        pt_la_gemm(type, trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
        return all < FEW ? PT_OK : pt_task_check(task, err);
    }
    const int64_t rows = part_of(m, ROWS);
    const int64_t columns = part_of(n, columns_of(rows));
    const int64_t depth = depth_of(rows, columns);
    for (int64_t j = 0; j < n; j += columns)
        for (int64_t i = 0; i < m; i += rows)
            for (int64_t p = 0; p < k; p += depth) {
                pt_la_gemm(type, trans_a, trans_b, pt_lesser(rows, m - i),
                           pt_lesser(columns, n - j), pt_lesser(depth, k - p), alpha,
                           at(type, A, trans_a == 't' ? p + i * lda : i + p * lda), lda,
                           at(type, B, trans_b == 't' ? j + p * ldb : p + j * ldb), ldb,
                           p == 0 ? beta : 1, at(type, C, i + j * ldc), ldc);
                PT_TRY(pt_task_check(task, err));
            }
    return PT_OK;
}

/* The largest order of a square of which half counts, for a piece of DEPTH. */
static int64_t square_of(void)
{
    const double b = (double)TOUCH * DEPTH; /* (DEPTH + TOUCH) / 2 n^2 + b n = MOST */
    const double a = (double)(DEPTH + TOUCH) / 2;
    return (int64_t)((sqrt(b * b + 4 * a * MOST) - b) / (2 * a));
}

/* A block on the diagonal, half of which counts. */
static pt_status square_block(pt_type type, char trans, int64_t n, int64_t k, double alpha,
                              const void *A, int64_t lda, double beta, void *C, int64_t ldc,
                              const pt_task *task, pt_error *err)
{
    const int64_t depth = cost(n, n, k) / 2 <= MOST ? pt_greater(k, 1) : depth_of(n, (n + 1) / 2);
    int64_t p = 0;
    do { /* once even for k = 0, which scales C by beta */
        pt_la_backend()->syrk(type, trans, n, pt_lesser(depth, k - p), alpha,
                              at(type, A, trans == 't' ? p : p * lda), lda, p == 0 ? beta : 1, C,
                              ldc);
        PT_TRY(pt_task_check(task, err));
        p += depth;
    } while (p < k);
    return PT_OK;
}

pt_status pt_la_long_syrk(pt_type type, char trans, int64_t n, int64_t k, double alpha,
                          const void *A, int64_t lda, double beta, void *C, int64_t ldc,
                          const pt_task *task, pt_error *err)
{
    const int64_t side = cost(n, n, k) / 2 <= MOST ? pt_greater(n, 1) : part_of(n, square_of());
    for (int64_t j = 0; j < n; j += side) {
        const int64_t columns = pt_lesser(side, n - j);
        const int64_t below = j + columns;
        const void *A_j = at(type, A, trans == 't' ? j * lda : j);
        const void *A_below = at(type, A, trans == 't' ? below * lda : below);
        PT_TRY(square_block(type, trans, columns, k, alpha, A_j, lda, beta,
                            at(type, C, j + j * ldc), ldc, task, err));
        if (below < n)
            PT_TRY(pt_la_long_gemm(type, trans, trans == 't' ? 'n' : 't', n - below, columns, k,
                                   alpha, A_below, lda, A_j, lda, beta,
                                   at(type, C, below + j * ldc), ldc, task, err));
    }
    return PT_OK;
}

/* ---- triangles ------------------------------------------------------------------------------- */

static int64_t half_of(int64_t n)
{
    return (n / 2 + STEP - 1) / STEP * STEP;
}

/* How many right-hand sides go into a piece with a triangle of order n. */
static int64_t sides_of(int64_t n)
{
    const double sides = MOST / ((double)n * (double)n / 2 + TOUCH * (double)n);
    return sides < STEP ? STEP : sides > (double)INT32_MAX ? INT32_MAX : (int64_t)sides;
}

pt_status pt_la_long_trsm(pt_type type, bool transposed, int64_t n, int64_t m, const void *L,
                          int64_t ldl, void *B, int64_t ldb, const pt_task *task, pt_error *err)
{
    if (n <= SIDE) {
        const int64_t some = sides_of(n);
        for (int64_t j = 0; j < m; j += some) {
            pt_la_backend()->trsm(type, 'l', transposed ? 't' : 'n', n, pt_lesser(some, m - j), 1,
                                  L, ldl, at(type, B, j * ldb), ldb);
            PT_TRY(pt_task_check(task, err));
        }
        return PT_OK;
    }
    const int64_t h = half_of(n);
    const void *L21 = at(type, L, h);
    const void *L22 = at(type, L, h + h * ldl);
    void *B2 = at(type, B, h);
    if (transposed) {
        PT_TRY(pt_la_long_trsm(type, true, n - h, m, L22, ldl, B2, ldb, task, err));
        PT_TRY(pt_la_long_gemm(type, 't', 'n', h, m, n - h, -1, L21, ldl, B2, ldb, 1, B, ldb, task,
                               err));
        return pt_la_long_trsm(type, true, h, m, L, ldl, B, ldb, task, err);
    }
    PT_TRY(pt_la_long_trsm(type, false, h, m, L, ldl, B, ldb, task, err));
    PT_TRY(
        pt_la_long_gemm(type, 'n', 'n', n - h, m, h, -1, L21, ldl, B, ldb, 1, B2, ldb, task, err));
    return pt_la_long_trsm(type, false, n - h, m, L22, ldl, B2, ldb, task, err);
}

/* B <- B L^-1 or, transposed, B L^-T; B is m x n. */
static pt_status solve_right(pt_type type, bool transposed, int64_t n, int64_t m, const void *L,
                             int64_t ldl, void *B, int64_t ldb, const pt_task *task, pt_error *err)
{
    if (n <= SIDE) {
        const int64_t some = sides_of(n);
        for (int64_t i = 0; i < m; i += some) {
            pt_la_backend()->trsm(type, 'r', transposed ? 't' : 'n', pt_lesser(some, m - i), n, 1,
                                  L, ldl, at(type, B, i), ldb);
            PT_TRY(pt_task_check(task, err));
        }
        return PT_OK;
    }
    const int64_t h = half_of(n);
    const void *L21 = at(type, L, h);
    const void *L22 = at(type, L, h + h * ldl);
    void *B2 = at(type, B, h * ldb);
    if (transposed) {
        PT_TRY(solve_right(type, true, h, m, L, ldl, B, ldb, task, err));
        PT_TRY(pt_la_long_gemm(type, 'n', 't', m, n - h, h, -1, B, ldb, L21, ldl, 1, B2, ldb, task,
                               err));
        return solve_right(type, true, n - h, m, L22, ldl, B2, ldb, task, err);
    }
    PT_TRY(solve_right(type, false, n - h, m, L22, ldl, B2, ldb, task, err));
    PT_TRY(
        pt_la_long_gemm(type, 'n', 'n', m, h, n - h, -1, B2, ldb, L21, ldl, 1, B, ldb, task, err));
    return solve_right(type, false, h, m, L, ldl, B, ldb, task, err);
}

pt_status pt_la_long_cholesky(pt_type type, int64_t n, void *A, int64_t lda, const pt_task *task,
                              pt_error *err)
{
    if (n <= SIDE) {
        if (!pt_la_dense_cholesky(type, n, A, lda))
            return pt_fail(err, PT_ENUMERIC, "the matrix is not positive definite");
        return pt_task_check(task, err);
    }
    const int64_t h = half_of(n);
    void *A21 = at(type, A, h);
    void *A22 = at(type, A, h + h * lda);
    PT_TRY(pt_la_long_cholesky(type, h, A, lda, task, err));
    PT_TRY(solve_right(type, true, h, n - h, A, lda, A21, lda, task, err));
    PT_TRY(pt_la_long_syrk(type, 'n', n - h, h, -1, A21, lda, 1, A22, lda, task, err));
    return pt_la_long_cholesky(type, n - h, A22, lda, task, err);
}

pt_status pt_la_long_solve(pt_type type, int64_t n, int64_t m, const void *L, int64_t ldl, void *B,
                           int64_t ldb, const pt_task *task, pt_error *err)
{
    if (n <= 0)
        return PT_OK;
    PT_TRY(pt_la_long_trsm(type, false, n, m, L, ldl, B, ldb, task, err));
    return pt_la_long_trsm(type, true, n, m, L, ldl, B, ldb, task, err);
}

pt_status pt_la_long_solve_rows(pt_type type, int64_t n, int64_t m, const void *L, int64_t ldl,
                                void *B, int64_t ldb, const pt_task *task, pt_error *err)
{
    if (n <= 0)
        return PT_OK;
    PT_TRY(solve_right(type, true, n, m, L, ldl, B, ldb, task, err));
    return solve_right(type, false, n, m, L, ldl, B, ldb, task, err);
}
