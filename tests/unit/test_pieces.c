/* Dense operations in pieces say what one call says, and hear who cancels.
 *
 * What they are compared with is one call of BLAS for the whole, or the product that a factor or a
 * solution must give back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/task.h"
#include "linalg/linalg.h"

/* Above the order at which triangles are one piece; a square product of it is some pieces one
 * behind the other. */
enum { N = 1111, ROOM = N + 3, FEW = 5 };
/* Products of these are cut in all directions, rows at 4096 and columns between. */
enum { TALL = 4200, WIDE = 620, DEEP = 500 };

static void *filled(pt_type type, int64_t cells, uint64_t seed)
{
    void *A = malloc((size_t)cells * pt_type_size(type));
    assert_non_null(A);
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int64_t e = 0; e < cells; e++) {
        const double x = pt_random_uniform(&random) - 0.5;
        if (type == PT_F32)
            ((float *)A)[e] = (float)x;
        else
            ((double *)A)[e] = x;
    }
    return A;
}

static double value(pt_type type, const void *A, int64_t place)
{
    return type == PT_F32 ? (double)((const float *)A)[place] : ((const double *)A)[place];
}

static double rounding(pt_type type)
{
    return type == PT_F32 ? 1e-4 : 1e-12; /* of sums of 1111 products below 1/4 */
}

/* m x n of leading dimension ld, or its lower triangle; elsewhere nothing has changed. */
static void expect_close(pt_type type, int64_t m, int64_t n, bool lower, const void *found,
                         const void *expected, int64_t ld)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < ld; i++) {
            const double x = value(type, found, i + j * ld);
            const double y = value(type, expected, i + j * ld);
            if (i < m && (!lower || i >= j))
                assert_true(fabs(x - y) <= rounding(type) * (1 + fabs(y)));
            else
                assert_true(x == y);
        }
}

static void *copy_of(pt_type type, const void *A, int64_t cells)
{
    void *copy = malloc((size_t)cells * pt_type_size(type));
    assert_non_null(copy);
    memcpy(copy, A, (size_t)cells * pt_type_size(type));
    return copy;
}

static void expect_gemm(pt_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                        double beta)
{
    const int64_t lda = (trans_a == 't' ? k : m) + 3;
    const int64_t ldb = (trans_b == 't' ? n : k) + 2;
    const int64_t ldc = m + 1;
    void *A = filled(type, lda * (trans_a == 't' ? m : k) + 1, 1);
    void *B = filled(type, ldb * (trans_b == 't' ? k : n) + 1, 2);
    void *C = filled(type, ldc * n + 1, 3);
    void *expected = copy_of(type, C, ldc * n + 1);
    pt_la_gemm(type, trans_a, trans_b, m, n, k, -0.5, A, lda, B, ldb, beta, expected, ldc);
    assert_int_equal(pt_la_long_gemm(type, trans_a, trans_b, m, n, k, -0.5, A, lda, B, ldb, beta, C,
                                     ldc, NULL, NULL),
                     PT_OK);
    expect_close(type, m, n, false, C, expected, ldc);
    free(A);
    free(B);
    free(C);
    free(expected);
}

static void test_pieces__are_the_product(void **state)
{
    (void)state;
    for (int type = 0; type < 2; type++)
        for (int t = 0; t < 4; t++)
            expect_gemm(type ? PT_F64 : PT_F32, "nt"[t % 2], "nt"[t / 2], TALL, WIDE, DEEP,
                        t ? 1 : 0.25);
    expect_gemm(PT_F64, 'n', 'n', N, N, N, 0);
    expect_gemm(PT_F64, 't', 'n', FEW, TALL, TALL, 0);
    expect_gemm(PT_F64, 'n', 't', TALL, FEW, TALL, 1);
    expect_gemm(PT_F64, 'n', 'n', TALL, TALL, 1, 1);
    expect_gemm(PT_F64, 'n', 'n', TALL, TALL, 0, 0.5); /* C is scaled, however little is added */
    expect_gemm(PT_F64, 'n', 'n', 0, N, N, 0);
}

/* What the caller put into C counts for nothing where beta is 0, not even a NaN. */
static void test_pieces__forget_what_they_replace(void **state)
{
    (void)state;
    double *A = filled(PT_F64, (int64_t)ROOM * ROOM, 1);
    double *C = filled(PT_F64, (int64_t)ROOM * ROOM, 2);
    for (int64_t e = 0; e < (int64_t)ROOM * ROOM; e++)
        C[e] = NAN;
    assert_int_equal(
        pt_la_long_gemm(PT_F64, 'n', 'n', N, N, N, 1, A, ROOM, A, ROOM, 0, C, ROOM, NULL, NULL),
        PT_OK);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++)
            assert_true(isfinite(C[i + j * ROOM]));
    assert_int_equal(pt_la_long_syrk(PT_F64, 't', N, N, 1, A, ROOM, 0, C, ROOM, NULL, NULL), PT_OK);
    free(A);
    free(C);
}

static void expect_syrk(pt_type type, char trans, int64_t n, int64_t k)
{
    const int64_t lda = (trans == 't' ? k : n) + 2;
    const int64_t ldc = n + 1;
    void *A = filled(type, lda * (trans == 't' ? n : k), 1);
    void *C = filled(type, ldc * n, 2);
    void *expected = copy_of(type, C, ldc * n);
    pt_la_backend()->syrk(type, trans, n, k, 2, A, lda, -1, expected, ldc);
    assert_int_equal(pt_la_long_syrk(type, trans, n, k, 2, A, lda, -1, C, ldc, NULL, NULL), PT_OK);
    expect_close(type, n, n, true, C, expected, ldc);
    free(A);
    free(C);
    free(expected);
}

static void test_pieces__are_the_symmetric_product(void **state)
{
    (void)state;
    for (int type = 0; type < 2; type++)
        for (int t = 0; t < 2; t++) {
            expect_syrk(type ? PT_F64 : PT_F32, "nt"[t], N, N);
            expect_syrk(type ? PT_F64 : PT_F32, "nt"[t], 3 * WIDE, DEEP); /* several blocks */
            expect_syrk(type ? PT_F64 : PT_F32, "nt"[t], FEW, TALL);
        }
    expect_syrk(PT_F64, 'n', 3 * WIDE, 0);
}

/* A symmetric matrix with a large diagonal, ROOM apart; its upper triangle is no number. */
static double *definite(int64_t n)
{
    double *K = filled(PT_F64, n * ROOM, 4);
    for (int64_t j = 0; j < n; j++) {
        K[j + j * ROOM] = (double)n;
        for (int64_t i = 0; i < j; i++)
            K[i + j * ROOM] = NAN;
    }
    return K;
}

static double entry(const double *K, int64_t i, int64_t j)
{
    return i >= j ? K[i + j * ROOM] : K[j + i * ROOM];
}

static void test_pieces__factor_and_solve(void **state)
{
    (void)state;
    double *K = definite(N);
    double *L = copy_of(PT_F64, K, (int64_t)N * ROOM);
    double *B = filled(PT_F64, (int64_t)FEW * ROOM, 5);
    double *X = copy_of(PT_F64, B, (int64_t)FEW * ROOM);
    double *rows = filled(PT_F64, (int64_t)N * FEW, 6); /* FEW x N */
    assert_int_equal(pt_la_long_cholesky(PT_F64, N, L, ROOM, NULL, NULL), PT_OK);
    assert_int_equal(pt_la_long_solve(PT_F64, N, FEW, L, ROOM, X, ROOM, NULL, NULL), PT_OK);
    for (int64_t a = 0; a < FEW; a++)
        for (int64_t i = 0; i < N; i++)
            rows[a + i * FEW] = B[i + a * ROOM];
    assert_int_equal(pt_la_long_solve_rows(PT_F64, N, FEW, L, ROOM, rows, FEW, NULL, NULL), PT_OK);
    for (int64_t a = 0; a < FEW; a++)
        for (int64_t i = 0; i < N; i++) {
            double product = 0;
            for (int64_t j = 0; j < N; j++)
                product += entry(K, i, j) * X[j + a * ROOM];
            assert_true(fabs(product - B[i + a * ROOM]) < 1e-12);
            assert_true(fabs(rows[a + i * FEW] - X[i + a * ROOM]) < 1e-14);
        }
    free(K);
    free(L);
    free(B);
    free(X);
    free(rows);
}

/* What fits into one piece is one call. */
static void test_pieces__small_ones_are_not_cut(void **state)
{
    (void)state;
    enum { M = 300 };
    double *A = filled(PT_F64, (int64_t)M * M, 1);
    double *C = filled(PT_F64, (int64_t)M * M, 2);
    double *expected = copy_of(PT_F64, C, (int64_t)M * M);
    pt_la_gemm(PT_F64, 'n', 't', M, M, M, 1, A, M, A, M, 1, expected, M);
    assert_int_equal(pt_la_long_gemm(PT_F64, 'n', 't', M, M, M, 1, A, M, A, M, 1, C, M, NULL, NULL),
                     PT_OK);
    assert_memory_equal(C, expected, sizeof(double) * M * M);
    pt_la_backend()->syrk(PT_F64, 't', M, M, 1, A, M, 0, expected, M);
    assert_int_equal(pt_la_long_syrk(PT_F64, 't', M, M, 1, A, M, 0, C, M, NULL, NULL), PT_OK);
    assert_memory_equal(C, expected, sizeof(double) * M * M);
    free(A);
    free(C);
    free(expected);
}

static void test_pieces__not_definite(void **state)
{
    (void)state;
    static const int64_t BAD[] = {0, N / 2, N - 1}; /* in either half */
    for (int b = 0; b < 3; b++) {
        pt_error err = PT_ERROR_INIT;
        double *K = definite(N);
        K[BAD[b] * (ROOM + 1)] = -1;
        assert_int_equal(pt_la_long_cholesky(PT_F64, N, K, ROOM, NULL, &err), PT_ENUMERIC);
        assert_non_null(strstr(err.text, "positive definite"));
        free(K);
    }
}

static void test_pieces__nothing_is_done(void **state)
{
    (void)state;
    double one = 4;
    assert_int_equal(pt_la_long_cholesky(PT_F64, 0, &one, 1, NULL, NULL), PT_OK);
    assert_int_equal(pt_la_long_solve(PT_F64, 0, 1, &one, 1, &one, 1, NULL, NULL), PT_OK);
    assert_int_equal(pt_la_long_solve(PT_F64, 1, 0, &one, 1, &one, 1, NULL, NULL), PT_OK);
    assert_int_equal(pt_la_long_solve_rows(PT_F64, 0, 1, &one, 1, &one, 1, NULL, NULL), PT_OK);
    assert_int_equal(pt_la_long_syrk(PT_F64, 'n', 0, 1, 1, &one, 1, 0, &one, 1, NULL, NULL), PT_OK);
    assert_true(one == 4);
}

/* Once asked to stop, each returns before it has begun a second piece: the end is as it was. */
static void test_pieces__hear_who_cancels(void **state)
{
    (void)state;
    pt_task *task = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    double *A = filled(PT_F64, (int64_t)TALL * DEEP, 1);
    double *C = filled(PT_F64, (int64_t)TALL * TALL, 2);
    double *K = definite(N);
    const int64_t end = (int64_t)TALL * WIDE - 1;
    const double before = C[end];
    const double square_end = C[(int64_t)TALL * TALL - 1];
    pt_task_cancel(task);
    assert_int_equal(pt_la_long_gemm(PT_F64, 'n', 't', TALL, WIDE, DEEP, 1, A, TALL, A, TALL, 1, C,
                                     TALL, task, &err),
                     PT_ECANCELLED);
    assert_true(C[end] == before);
    assert_int_equal(pt_la_long_syrk(PT_F64, 'n', TALL, DEEP, 1, A, TALL, 1, C, TALL, task, &err),
                     PT_ECANCELLED);
    assert_true(C[(int64_t)TALL * TALL - 1] == square_end);
    assert_int_equal(pt_la_long_cholesky(PT_F64, N, K, ROOM, task, &err), PT_ECANCELLED);
    assert_true(K[(int64_t)(N - 1) * (ROOM + 1)] == N);
    assert_int_equal(pt_la_long_solve(PT_F64, N, FEW, K, ROOM, C, ROOM, task, &err), PT_ECANCELLED);
    assert_int_equal(pt_la_long_solve_rows(PT_F64, N, FEW, K, ROOM, C, ROOM, task, &err),
                     PT_ECANCELLED);
    pt_task_free(task);
    free(A);
    free(C);
    free(K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces__are_the_product),
        cmocka_unit_test(test_pieces__forget_what_they_replace),
        cmocka_unit_test(test_pieces__are_the_symmetric_product),
        cmocka_unit_test(test_pieces__factor_and_solve),
        cmocka_unit_test(test_pieces__small_ones_are_not_cut),
        cmocka_unit_test(test_pieces__not_definite),
        cmocka_unit_test(test_pieces__nothing_is_done),
        cmocka_unit_test(test_pieces__hear_who_cancels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
