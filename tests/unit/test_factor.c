/* Tiled factor, solve, inverse and square against plain loops in double, and against themselves on
 * another number of threads. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/task.h"
#include "linalg/linalg.h"

static const int64_t ORDERS[] = {1, 2, 31, 511, 513, 1025, 1600};
enum { N_ORDERS = sizeof ORDERS / sizeof *ORDERS, ELL = 5 };

static void put(pt_tiles *tiles, int64_t i, int64_t j, double value)
{
    const int64_t at = i % tiles->nb + j % tiles->nb * tiles->nb;
    void *tile = pt_tile_at(tiles, i / tiles->nb, j / tiles->nb);
    if (tiles->type == PT_F32)
        ((float *)tile)[at] = (float)value;
    else
        ((double *)tile)[at] = value;
}

/* A matrix that is well conditioned: random symmetric, of norm about 2, plus 4 I. */
static pt_tiles *matrix_new(int64_t n, pt_type type)
{
    pt_tiles *K = NULL;
    assert_int_equal(pt_tiles_new(&K, n, type, NULL), PT_OK);
    memset(K->value, 0xff, (size_t)pt_tiles_bytes(n, type)); /* NaN outside of the triangle */
    pt_random random;
    pt_random_init(&random, 5, PT_RANDOM_TEST, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            put(K, i, j,
                (pt_random_uniform(&random) - 0.5) * 4 / sqrt((double)n) + (i == j ? 4 : 0));
    return K;
}

static pt_tiles *tiles_copy(const pt_tiles *tiles)
{
    pt_tiles *copy = NULL;
    assert_int_equal(pt_tiles_new(&copy, tiles->n, tiles->type, NULL), PT_OK);
    memcpy(copy->value, tiles->value, (size_t)pt_tiles_bytes(tiles->n, tiles->type));
    return copy;
}

static double lower(const pt_tiles *L, int64_t i, int64_t j)
{
    return i >= j ? pt_tiles_get(L, i, j) : 0;
}

static double tolerance(pt_type type)
{
    return type == PT_F32 ? 2e-5 : 1e-12;
}

/* Rows and columns that are looked at: all of small matrices, some around the edges of tiles. */
static int64_t next_checked(int64_t i, int64_t n)
{
    return n < 100 || i % 64 < 1 ? i + 1 : (i / 64 + 1) * 64 - (i % 64 < 63 ? 1 : 0);
}

static void test_cholesky__product_of_the_factor_is_the_matrix(void **state)
{
    (void)state;
    for (int type = PT_F32; type <= PT_F64; type++)
        for (int o = 0; o < N_ORDERS; o++) {
            const int64_t n = ORDERS[o];
            pt_tiles *K = matrix_new(n, (pt_type)type);
            pt_tiles *L = tiles_copy(K);
            assert_int_equal(pt_la_cholesky(L, NULL, NULL, NULL), PT_OK);
            for (int64_t i = 0; i < n; i = next_checked(i, n))
                for (int64_t j = 0; j <= i; j = next_checked(j, n)) {
                    double sum = 0;
                    for (int64_t p = 0; p <= j; p++)
                        sum += lower(L, i, p) * lower(L, j, p);
                    assert_true(fabs(sum - pt_tiles_get(K, i, j)) < tolerance((pt_type)type));
                }
            pt_tiles_free(K);
            pt_tiles_free(L);
        }
}

static void test_cholesky_solve__residual_is_small(void **state)
{
    (void)state;
    for (int o = 0; o < N_ORDERS; o++) {
        const int64_t n = ORDERS[o];
        const int64_t ldb = n + 3;
        pt_tiles *K = matrix_new(n, PT_F64);
        pt_tiles *L = tiles_copy(K);
        double *B = malloc((size_t)(ldb * ELL) * sizeof *B);
        for (int64_t e = 0; e < ldb * ELL; e++)
            B[e] = (double)(e % 17) - 8;
        assert_int_equal(pt_la_cholesky(L, NULL, NULL, NULL), PT_OK);
        assert_int_equal(pt_la_cholesky_solve(L, B, ELL, ldb, NULL, NULL), PT_OK);
        for (int64_t s = 0; s < ELL; s++)
            for (int64_t i = 0; i < n; i = next_checked(i, n)) {
                double sum = 0;
                for (int64_t j = 0; j < n; j++)
                    sum += pt_tiles_get(K, i, j) * B[j + s * ldb];
                assert_true(fabs(sum - ((double)((i + s * ldb) % 17) - 8)) < 1e-10);
            }
        for (int64_t s = 0; s < ELL; s++) /* between the columns nothing is touched */
            for (int64_t i = n; i < ldb; i++)
                assert_true(B[i + s * ldb] == (double)((i + s * ldb) % 17) - 8);
        free(B);
        pt_tiles_free(K);
        pt_tiles_free(L);
    }
}

static void test_invert_factor__times_the_factor_is_one(void **state)
{
    (void)state;
    for (int type = PT_F32; type <= PT_F64; type++)
        for (int o = 0; o < N_ORDERS; o++) {
            const int64_t n = ORDERS[o];
            pt_tiles *L = matrix_new(n, (pt_type)type);
            assert_int_equal(pt_la_cholesky(L, NULL, NULL, NULL), PT_OK);
            pt_tiles *Z = tiles_copy(L);
            assert_int_equal(pt_la_invert_factor(Z, NULL, NULL), PT_OK);
            for (int64_t i = 0; i < n; i = next_checked(i, n))
                for (int64_t j = 0; j <= i; j = next_checked(j, n)) {
                    double sum = 0;
                    for (int64_t p = j; p <= i; p++)
                        sum += lower(L, i, p) * lower(Z, p, j);
                    assert_true(fabs(sum - (i == j)) < tolerance((pt_type)type));
                }
            pt_tiles_free(L);
            pt_tiles_free(Z);
        }
}

static void test_factor_square__is_the_transpose_times_itself(void **state)
{
    (void)state;
    for (int type = PT_F32; type <= PT_F64; type++)
        for (int o = 0; o < N_ORDERS; o++) {
            const int64_t n = ORDERS[o];
            pt_tiles *Z = matrix_new(n, (pt_type)type);
            pt_tiles *C = tiles_copy(Z);
            assert_int_equal(pt_la_factor_square(C, NULL, NULL), PT_OK);
            for (int64_t i = 0; i < n; i = next_checked(i, n))
                for (int64_t j = 0; j <= i; j = next_checked(j, n)) {
                    double sum = 0;
                    for (int64_t p = i; p < n; p++)
                        sum += lower(Z, p, i) * lower(Z, p, j);
                    assert_true(fabs(sum - pt_tiles_get(C, i, j)) < 10 * tolerance((pt_type)type));
                }
            pt_tiles_free(Z);
            pt_tiles_free(C);
        }
}

/* The lower triangle as a number of its bytes; outside of it nothing is promised. */
static bool triangles_equal(const pt_tiles *a, const pt_tiles *b)
{
    for (int64_t j = 0; j < a->n; j++)
        for (int64_t i = j; i < a->n; i++) {
            const double x = pt_tiles_get(a, i, j);
            const double y = pt_tiles_get(b, i, j);
            if (memcmp(&x, &y, sizeof x) != 0)
                return false;
        }
    return true;
}

static void test_factor__bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { N = 2500 };
    pt_tiles *step[3][3]; /* threads, operation */
    float *solved[3];
    const int threads[3] = {1, 2, 5};
    for (int t = 0; t < 3; t++) {
        pt_task *task = NULL;
        assert_int_equal(pt_task_new(&task, NULL), PT_OK);
        pt_task_set_threads(task, threads[t]);
        pt_tiles *K = matrix_new(N, PT_F32);
        assert_int_equal(pt_la_cholesky(K, NULL, task, NULL), PT_OK);
        step[t][0] = tiles_copy(K);
        solved[t] = malloc((size_t)N * ELL * sizeof(float));
        for (int64_t e = 0; e < (int64_t)N * ELL; e++)
            solved[t][e] = (float)(e % 11) - 5;
        assert_int_equal(pt_la_cholesky_solve(K, solved[t], ELL, N, task, NULL), PT_OK);
        assert_int_equal(pt_la_invert_factor(K, task, NULL), PT_OK);
        step[t][1] = tiles_copy(K);
        assert_int_equal(pt_la_factor_square(K, task, NULL), PT_OK);
        step[t][2] = K;
        pt_task_free(task);
    }
    for (int t = 1; t < 3; t++) {
        for (int s = 0; s < 3; s++)
            assert_true(triangles_equal(step[0][s], step[t][s]));
        assert_memory_equal(solved[0], solved[t], (size_t)N * ELL * sizeof(float));
    }
    for (int t = 0; t < 3; t++) {
        for (int s = 0; s < 3; s++)
            pt_tiles_free(step[t][s]);
        free(solved[t]);
    }
}

static void test_cholesky__names_the_bad_row(void **state)
{
    (void)state;
    const int64_t bad[] = {0, 3, 600, 1299};
    for (int threads = 1; threads <= 2; threads++)
        for (int b = 0; b < 4; b++)
            for (int nan = 0; nan < 2; nan++) {
                pt_task *task = NULL;
                assert_int_equal(pt_task_new(&task, NULL), PT_OK);
                pt_task_set_threads(task, threads);
                pt_tiles *K = matrix_new(1300, PT_F32);
                put(K, bad[b], bad[b], nan ? NAN : -1);
                int64_t row = -1;
                pt_error err = {0};
                assert_int_equal(pt_la_cholesky(K, &row, task, &err), PT_ENUMERIC);
                assert_true(nan ? row <= bad[b] : row == bad[b]);
                assert_int_equal(err.code, PT_ENUMERIC);
                pt_tiles_free(K);
                pt_task_free(task);
            }
}

typedef struct watch {
    pt_task *task;
    int calls;
    double last;
    double total;
    bool ascending;
    int cancel_at;
} watch;

static void watch_progress(const char *stage, double done, double total, void *user)
{
    watch *w = user;
    (void)stage;
    w->ascending = w->ascending && done >= w->last;
    w->last = done;
    w->total = total;
    if (++w->calls == w->cancel_at)
        pt_task_cancel(w->task);
}

static void test_factor__tells_progress_and_can_be_stopped(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++)
        for (int stop = 0; stop < 2; stop++) {
            pt_task *task = NULL;
            assert_int_equal(pt_task_new(&task, NULL), PT_OK);
            pt_task_set_threads(task, threads);
            watch w = {.task = task, .ascending = true, .cancel_at = stop ? 2 : 0};
            pt_task_on_progress(task, watch_progress, &w);
            pt_task_hear_all(task);
            pt_tiles *K = matrix_new(1300, PT_F32);
            pt_error err = {0};
            const pt_status status = pt_la_cholesky(K, NULL, task, &err);
            if (stop &&
                w.calls >= 2) { /* two threads may have begun all tiles before the second call */
                assert_true(status == PT_ECANCELLED || (threads > 1 && status == PT_OK));
            } else {
                assert_int_equal(status, PT_OK);
                assert_true(threads > 1 || w.last == w.total);
            }
            assert_true(w.ascending);
            pt_tiles_free(K);
            pt_task_free(task);
        }
}

static void test_factor__failed_allocation_is_reported(void **state)
{
    (void)state;
    pt_tiles *K = matrix_new(40, PT_F32);
    pt_error err = {0};
    const int64_t live = pt_alloc_live();
    pt_alloc_fail_from(1);
    assert_int_equal(pt_la_cholesky(K, NULL, NULL, &err), PT_ENOMEM);
    assert_int_equal(pt_la_invert_factor(K, NULL, &err), PT_ENOMEM);
    assert_int_equal(pt_la_factor_square(K, NULL, &err), PT_ENOMEM);
    float B[40] = {0};
    assert_int_equal(pt_la_cholesky_solve(K, B, 1, 40, NULL, &err), PT_ENOMEM);
    pt_alloc_fail_from(0);
    assert_true(pt_alloc_live() == live);
    pt_tiles_free(K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky__product_of_the_factor_is_the_matrix),
        cmocka_unit_test(test_cholesky_solve__residual_is_small),
        cmocka_unit_test(test_invert_factor__times_the_factor_is_one),
        cmocka_unit_test(test_factor_square__is_the_transpose_times_itself),
        cmocka_unit_test(test_factor__bytes_do_not_depend_on_threads),
        cmocka_unit_test(test_cholesky__names_the_bad_row),
        cmocka_unit_test(test_factor__tells_progress_and_can_be_stopped),
        cmocka_unit_test(test_factor__failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
