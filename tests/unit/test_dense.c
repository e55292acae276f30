/* BLAS runs on the calling thread alone, whatever OpenMP is set to, and the setting stays. */
/* needs: openmp */
#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/task.h"
#include "linalg/linalg.h"

enum { N = 700 };

static float *filled(int64_t seed)
{
    float *A = malloc(sizeof(float) * N * N);
    assert_non_null(A);
    pt_random random;
    pt_random_init(&random, (uint64_t)seed, PT_RANDOM_TEST, 0);
    for (int64_t e = 0; e < (int64_t)N * N; e++)
        A[e] = (float)(pt_random_uniform(&random) - 0.5);
    return A;
}

/* Every operation once, outside of a parallel region. */
static void use_blas(const float *A, float *C)
{
    const pt_backend *ops = pt_la_backend();
    ops->gemm(PT_F32, 'n', 't', N, N, N, 1, A, N, A, N, 0, C, N);
    for (int64_t i = 0; i < N; i++)
        C[i * (N + 1)] += 1;
    assert_true(ops->potrf(PT_F32, N, C, N) == 0);
    ops->trtri(PT_F32, N, C, N);
    ops->lauum(PT_F32, N, C, N);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void test_blas__runs_on_the_calling_thread(void **state)
{
    (void)state;
    float *A = filled(1);
    float *first = filled(2);
    float *second = filled(2);
    omp_set_num_threads(1);
    use_blas(A, first);
    omp_set_num_threads(4);
    const double process = cpu_seconds();
    const double thread = thread_seconds();
    for (int r = 0; r < 5; r++) {
        memcpy(second, A, sizeof(float) * N * N);
        use_blas(A, second);
    }
    const double others = cpu_seconds() - process - (thread_seconds() - thread);
    assert_true(others < 0.2 * (thread_seconds() - thread)); /* nobody else worked */
    assert_int_equal(omp_get_max_threads(), 4);
    for (int64_t j = 0; j < N; j++)
        assert_memory_equal(first + j * (N + 1), second + j * (N + 1),
                            sizeof(float) * (size_t)(N - j));
    free(A);
    free(first);
    free(second);
}

static void test_dense__cholesky_and_solve(void **state)
{
    (void)state;
    double A[] = {4, 2, 99, 5}; /* (4 2; 2 5), what is above the diagonal does not count */
    double B[] = {8, 9, 4, 2};
    assert_true(pt_la_dense_cholesky(PT_F64, 2, A, 2));
    pt_la_dense_cholesky_solve(PT_F64, 2, 2, A, 2, B, 2);
    const double expected[] = {1.375, 1.25, 1, 0};
    for (int e = 0; e < 4; e++)
        assert_true(B[e] - expected[e] < 1e-15 && expected[e] - B[e] < 1e-15);
    double rows[] = {8, 4, 9, 2}; /* the same right-hand sides as rows */
    assert_int_equal(pt_la_long_solve_rows(PT_F64, 2, 2, A, 2, rows, 2, NULL, NULL), PT_OK);
    for (int e = 0; e < 4; e++)
        assert_true(fabs(rows[e] - expected[e % 2 * 2 + e / 2]) < 1e-15);
    float F[] = {1, 2, 0, 1};
    assert_false(pt_la_dense_cholesky(PT_F32, 2, F, 2));
    assert_true(pt_la_dense_cholesky(PT_F32, 0, F, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blas__runs_on_the_calling_thread),
        cmocka_unit_test(test_dense__cholesky_and_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
