/* Kernel values on demand: the whole matrix and the cache against blocks of pt_gram. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/parallel.h"
#include "base/random.h"
#include "base/task.h"
#include "kernels/kernel_store.h"

enum { N = 700, D = 5 };

static float value[N * D];
static const double MUCH = 1e12;

static int fill_rows(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 20, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < (int64_t)N * D; i++)
        value[i] = (float)(2 * pt_random_uniform(&random) - 1);
    memcpy(value + 7 * D, value + 3 * D, D * sizeof(float)); /* two rows are the same */
    return 0;
}

static pt_rows all_rows(void)
{
    return (pt_rows){.n = N, .d = D, .type = PT_F32, .dense = value, .stride = D};
}

static pt_kernel rbf(void)
{
    return (pt_kernel){pt_kernel_find("rbf"), 0.8, 0, 1, 0};
}

/* By their threads; a store looks at its task for as long as there is one. */
static pt_task *task_of[4];

static int free_tasks(void **state)
{
    (void)state;
    for (int threads = 0; threads < 4; threads++)
        pt_task_free(task_of[threads]);
    return 0;
}

static pt_kernel_store *opened(const pt_kernel *kernel, double bytes, int threads)
{
    const pt_rows rows = all_rows();
    pt_kernel_store *store = NULL;
    pt_task **task = &task_of[threads];
    if (!*task) {
        assert_int_equal(pt_task_new(task, NULL), PT_OK);
        pt_task_set_threads(*task, threads);
    }
    assert_int_equal(pt_kernel_store_open(&store, &rows, kernel, NULL, bytes, *task, NULL), PT_OK);
    return store;
}

static double distance_value(int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t f = 0; f < D; f++) {
        const double d = (double)value[i * D + f] - (double)value[j * D + f];
        sum += d * d;
    }
    return exp(-sum / (2 * 0.8 * 0.8));
}

static void *buffer_for(const pt_kernel_store *store, int64_t count)
{
    void *buffer = NULL;
    const size_t bytes = pt_kernel_store_buffer(store, count);
    assert_int_equal(posix_memalign(&buffer, 64, bytes + 64), 0);
    return buffer;
}

static void test_store__whole_matrix_is_right_symmetric_and_computed_once(void **state)
{
    (void)state;
    const pt_kernel kernel = rbf();
    pt_kernel_store *store = opened(&kernel, MUCH, 2);
    assert_true(pt_kernel_store_whole(store));
    const int64_t index[2] = {3, 600};
    const void *row[2];
    assert_int_equal(pt_kernel_store_rows(store, index, 2, NULL, row, NULL, NULL), PT_OK);
    for (int64_t j = 0; j < N; j++) {
        const void *other = NULL;
        assert_int_equal(pt_kernel_store_rows(store, &j, 1, NULL, &other, NULL, NULL), PT_OK);
        for (int r = 0; r < 2; r++) {
            const float k = ((const float *)row[r])[j];
            assert_float_equal(k, distance_value(index[r], j), 2e-6);
            assert_memory_equal(&k, (const float *)other + index[r], sizeof k);
        }
    }
    assert_float_equal(pt_kernel_store_diagonal(store)[5], 1, 0);
    /* half of the matrix, and no more than a strip beside the diagonal twice */
    assert_true(pt_kernel_store_computed(store) <= (int64_t)N * (N + 64) / 2);
    pt_kernel_store_close(store);
}

static void test_store__bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    const pt_kernel kernel = rbf();
    pt_kernel_store *one = opened(&kernel, MUCH, 1);
    pt_kernel_store *three = opened(&kernel, MUCH, 3);
    for (int64_t i = 0; i < N; i++) {
        const void *a = NULL;
        const void *b = NULL;
        assert_int_equal(pt_kernel_store_rows(one, &i, 1, NULL, &a, NULL, NULL), PT_OK);
        assert_int_equal(pt_kernel_store_rows(three, &i, 1, NULL, &b, NULL, NULL), PT_OK);
        assert_memory_equal(a, b, N * sizeof(float));
    }
    pt_kernel_store_close(one);
    pt_kernel_store_close(three);
}

/* A row of the cache must not depend on the rows that were asked for with it. */
static void test_store__cached_rows_are_right_in_any_company(void **state)
{
    (void)state;
    const char *const names[] = {"rbf", "linear", "laplacian"};
    for (int c = 0; c < 3; c++) {
        const pt_kernel kernel = {pt_kernel_find(names[c]), 0.8, 0, 1, 0};
        pt_kernel_store *store = opened(&kernel, 40.0 * N * sizeof(float), 1);
        pt_kernel_store *whole = opened(&kernel, MUCH, 1);
        assert_false(pt_kernel_store_whole(store));
        void *buffer = buffer_for(store, 50);
        void *single = buffer_for(store, 1);
        int64_t index[50];
        const void *row[50];
        for (int64_t r = 0; r < 50; r++)
            index[r] = (r * 13 + 5) % N;
        assert_int_equal(pt_kernel_store_rows(store, index, 50, buffer, row, NULL, NULL), PT_OK);
        for (int64_t r = 0; r < 50; r++) {
            const void *alone = NULL;
            const void *exact = NULL;
            assert_int_equal(pt_kernel_store_rows(store, &index[r], 1, single, &alone, NULL, NULL),
                             PT_OK);
            assert_memory_equal(row[r], alone, N * sizeof(float));
            assert_int_equal(pt_kernel_store_rows(whole, &index[r], 1, NULL, &exact, NULL, NULL),
                             PT_OK);
            for (int64_t j = 0; j < N; j++)
                assert_float_equal(((const float *)exact)[j], ((const float *)alone)[j], 3e-6);
        }
        free(single);
        free(buffer);
        pt_kernel_store_close(whole);
        pt_kernel_store_close(store);
    }
}

/* Nor on its place among them: in double, with a rest that loops of matrix products have ways of
 * their own for. */
static void test_store__cached_rows_have_the_same_bits_in_any_place(void **state)
{
    (void)state;
    enum { ROWS = 523, WIDTH = 64, PLACES = 16 };
    pt_random random;
    pt_random_init(&random, 21, PT_RANDOM_TEST, 0);
    double *x = malloc(sizeof(double) * ROWS * WIDTH);
    for (int64_t i = 0; i < (int64_t)ROWS * WIDTH; i++)
        x[i] = 2 * pt_random_uniform(&random) - 1;
    const pt_rows rows = {.n = ROWS, .d = WIDTH, .type = PT_F64, .dense = x, .stride = WIDTH};
    const pt_kernel kernel = {pt_kernel_find("linear"), 1, 0, 1, 0};
    double first[ROWS];
    for (int64_t place = 0; place < PLACES; place++) {
        pt_kernel_store *store = NULL;
        const double bytes = 40.0 * ROWS * sizeof(double);
        assert_int_equal(pt_kernel_store_open(&store, &rows, &kernel, NULL, bytes, NULL, NULL),
                         PT_OK);
        assert_false(pt_kernel_store_whole(store));
        int64_t index[PLACES];
        const void *row[PLACES];
        void *buffer = buffer_for(store, PLACES);
        for (int64_t r = 0; r < PLACES; r++)
            index[r] = r == place ? 5 : 100 + 7 * r;
        assert_int_equal(pt_kernel_store_rows(store, index, PLACES, buffer, row, NULL, NULL),
                         PT_OK);
        if (place == 0)
            memcpy(first, row[0], sizeof first);
        assert_memory_equal(first, row[place], sizeof first);
        free(buffer);
        pt_kernel_store_close(store);
    }
    free(x);
}

static void test_store__rows_used_last_are_kept(void **state)
{
    (void)state;
    const pt_kernel kernel = rbf();
    pt_kernel_store *store = opened(&kernel, 20.5 * 704 * sizeof(float), 1); /* 20 rows */
    void *buffer = buffer_for(store, 16);
    int64_t index[16];
    const void *row[16];
    for (int64_t r = 0; r < 16; r++)
        index[r] = r;
    assert_int_equal(pt_kernel_store_rows(store, index, 16, buffer, row, NULL, NULL), PT_OK);
    const int64_t before = pt_kernel_store_computed(store);
    assert_int_equal(pt_kernel_store_rows(store, index, 16, buffer, row, NULL, NULL), PT_OK);
    assert_int_equal(pt_kernel_store_computed(store), before);
    for (int64_t other = 100; other < 110; other++) /* 6 of the first rows have to go */
        assert_int_equal(pt_kernel_store_rows(store, &other, 1, buffer, row, NULL, NULL), PT_OK);
    assert_int_equal(pt_kernel_store_computed(store), before + 10 * N);
    assert_int_equal(pt_kernel_store_rows(store, &index[15], 1, buffer, row, NULL, NULL), PT_OK);
    assert_int_equal(pt_kernel_store_computed(store), before + 10 * N);
    assert_int_equal(pt_kernel_store_rows(store, &index[0], 1, buffer, row, NULL, NULL), PT_OK);
    assert_int_equal(pt_kernel_store_computed(store), before + 11 * N);
    free(buffer);
    pt_kernel_store_close(store);
}

typedef struct sharing {
    pt_kernel_store *store;
    pt_kernel_store *whole;
    void *buffer[8];
    bool right[64];
} sharing;

static pt_status read_shared(void *context, int64_t i, int worker, pt_error *err)
{
    sharing *s = context;
    int64_t index[5];
    const void *row[5];
    for (int64_t r = 0; r < 5; r++)
        index[r] = (i * 7 + r * 31) % N;
    pt_status status = pt_kernel_store_rows(s->store, index, 5, s->buffer[worker], row, NULL, err);
    s->right[i] = status == PT_OK;
    for (int64_t r = 0; r < 5 && status == PT_OK; r++) {
        const void *exact = NULL;
        status = pt_kernel_store_rows(s->whole, &index[r], 1, NULL, &exact, NULL, err);
        for (int64_t j = 0; j < N; j++)
            s->right[i] &=
                fabs((double)((const float *)exact)[j] - (double)((const float *)row[r])[j]) < 3e-6;
    }
    return status;
}

static void test_store__threads_share_a_cache(void **state)
{
    (void)state;
    const pt_kernel kernel = rbf();
    sharing s = {.store = opened(&kernel, 10.0 * N * sizeof(float), 1),
                 .whole = opened(&kernel, MUCH, 1)};
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, 4);
    for (int w = 0; w < 8; w++)
        s.buffer[w] = buffer_for(s.store, 5);
    assert_int_equal(pt_parallel_for(task, 64, read_shared, &s, NULL), PT_OK);
    for (int i = 0; i < 64; i++)
        assert_true(s.right[i]);
    for (int w = 0; w < 8; w++)
        free(s.buffer[w]);
    pt_task_free(task);
    pt_kernel_store_close(s.store);
    pt_kernel_store_close(s.whole);
}

static void test_store__precomputed_rows_are_read_in_place(void **state)
{
    (void)state;
    double K[9] = {2, 1, 0, 1, 3, -1, 0, -1, 4};
    const pt_rows rows = {.n = 3, .d = 3, .type = PT_F64, .dense = K, .stride = 3};
    const pt_kernel kernel = {.ops = pt_kernel_find("precomputed")};
    pt_kernel_store *store = NULL;
    assert_int_equal(pt_kernel_store_open(&store, &rows, &kernel, NULL, 0, NULL, NULL), PT_OK);
    const int64_t index = 1;
    const void *row = NULL;
    assert_int_equal(pt_kernel_store_rows(store, &index, 1, NULL, &row, NULL, NULL), PT_OK);
    assert_ptr_equal(row, K + 3);
    assert_float_equal(pt_kernel_store_diagonal(store)[2], 4, 0);
    assert_int_equal(pt_kernel_store_computed(store), 0);
    pt_kernel_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store__whole_matrix_is_right_symmetric_and_computed_once),
        cmocka_unit_test(test_store__bytes_do_not_depend_on_threads),
        cmocka_unit_test(test_store__cached_rows_are_right_in_any_company),
        cmocka_unit_test(test_store__cached_rows_have_the_same_bits_in_any_place),
        cmocka_unit_test(test_store__rows_used_last_are_kept),
        cmocka_unit_test(test_store__threads_share_a_cache),
        cmocka_unit_test(test_store__precomputed_rows_are_read_in_place),
    };
    return cmocka_run_group_tests(tests, fill_rows, free_tasks);
}
