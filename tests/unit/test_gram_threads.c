/* Gram matrices on 1, 2 and 5 threads: the same bytes. */
/* labels: threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/centre_product.h"
#include "base/alloc.h"
#include "base/random.h"
#include "base/task.h"
#include "kernels/gram.h"

enum { N = 1100, D = 9, ELL = 4 };

static float value[N * D];
static int64_t start[N + 1];
static int64_t feature[N * D];

static int fill_rows(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 10, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        start[i + 1] = (i + 1) * D;
        for (int64_t f = 0; f < D; f++) {
            value[i * D + f] = (float)(2 * pt_random_uniform(&random) - 1);
            feature[i * D + f] = f;
        }
    }
    return 0;
}

static pt_rows dense_rows(void)
{
    return (pt_rows){.n = N, .d = D, .type = PT_F32, .dense = value, .stride = D};
}

static pt_rows sparse_rows(void)
{
    return (pt_rows){
        .n = N, .d = D, .type = PT_F32, .start = start, .index = feature, .value = value};
}

static void test_gram__bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        pt_rows rows = form & 1 ? sparse_rows() : dense_rows();
        const pt_kernel kernel = {pt_kernel_find(form & 2 ? "laplacian" : "rbf"), 1.5, 0, 1, 0};
        float *out[3][2];
        pt_tiles *tiles[3];
        const int threads[3] = {1, 2, 5};
        float *A = malloc((size_t)N * ELL * sizeof *A);
        for (int64_t e = 0; e < (int64_t)N * ELL; e++)
            A[e] = (float)((e * 37) % 101) / 50 - 1;
        for (int t = 0; t < 3; t++) {
            pt_task *task = NULL;
            pt_gram *gram = NULL;
            assert_int_equal(pt_task_new(&task, NULL), PT_OK);
            pt_task_set_threads(task, threads[t]);
            assert_int_equal(pt_gram_new(&gram, &rows, kernel.ops, PT_F32, task, NULL), PT_OK);
            assert_int_equal(pt_tiles_new(&tiles[t], N, PT_F32, NULL), PT_OK);
            assert_int_equal(pt_gram_tiles(gram, &kernel, tiles[t], task, NULL), PT_OK);
            for (int w = 0; w < 2; w++)
                out[t][w] = malloc((size_t)N * ELL * sizeof(float));
            assert_int_equal(
                centre_product(&rows, &rows, &kernel, PT_F32, A, N, ELL, out[t][0], task, NULL),
                PT_OK);
            assert_int_equal(
                pt_gram_apply_symmetric(gram, &kernel, A, N, ELL, out[t][1], task, NULL), PT_OK);
            pt_gram_free(gram);
            pt_task_free(task);
        }
        for (int t = 1; t < 3; t++) {
            assert_memory_equal(tiles[0]->value, tiles[t]->value,
                                (size_t)pt_tiles_bytes(N, PT_F32));
            for (int w = 0; w < 2; w++)
                assert_memory_equal(out[0][w], out[t][w], (size_t)N * ELL * sizeof(float));
        }
        for (int t = 0; t < 3; t++) {
            pt_tiles_free(tiles[t]);
            for (int w = 0; w < 2; w++)
                free(out[t][w]);
        }
        free(A);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gram__bytes_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, fill_rows, NULL);
}
