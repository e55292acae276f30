/* G + B B^T on tiles against a plain loop, for any number of threads. */
/* labels: threads */
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

static pt_task *task_with(int threads)
{
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, threads);
    return task;
}

/* n x width, with rows of leftovers below: ldb = n + 3. */
static void *random_panel(int64_t n, int64_t width, pt_type type, uint64_t seed)
{
    const int64_t count = (n + 3) * width;
    void *B = calloc((size_t)count, pt_type_size(type));
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < count; i++) {
        const double value = pt_random_uniform(&random) - 0.5;
        if (type == PT_F32)
            ((float *)B)[i] = (float)value;
        else
            ((double *)B)[i] = value;
    }
    return B;
}

static double value_at(const void *B, pt_type type, int64_t i)
{
    return type == PT_F32 ? (double)((const float *)B)[i] : ((const double *)B)[i];
}

/* Two panels, one after the other. */
static pt_tiles *updated(int64_t n, int64_t width, pt_type type, void *const *B, int threads)
{
    pt_tiles *G = NULL;
    pt_task *task = task_with(threads);
    assert_int_equal(pt_tiles_new(&G, n, type, NULL), PT_OK);
    memset(G->value, 0, (size_t)pt_tiles_bytes(n, type));
    pt_tiles_add_diagonal(G, 2, NULL);
    for (int p = 0; p < 2; p++)
        assert_int_equal(pt_la_rank_update(G, B[p], width, n + 3, task, NULL), PT_OK);
    pt_task_free(task);
    return G;
}

static void expect_update(int64_t n, int64_t width, pt_type type)
{
    void *B[2] = {random_panel(n, width, type, 1), random_panel(n, width, type, 2)};
    pt_tiles *G = updated(n, width, type, B, 1);
    pt_tiles *again = updated(n, width, type, B, 3);
    const double tolerance = (type == PT_F32 ? 1e-6 : 1e-15) * (double)(width + 4);
    for (int64_t i = 0; i < n; i += 1 + i / 40)
        for (int64_t j = 0; j <= i; j += 1 + j / 40) {
            double want = i == j ? 2 : 0;
            for (int p = 0; p < 2; p++)
                for (int64_t c = 0; c < width; c++)
                    want += value_at(B[p], type, i + c * (n + 3)) *
                            value_at(B[p], type, j + c * (n + 3));
            if (!(fabs(pt_tiles_get(G, i, j) - want) <= tolerance))
                fail_msg("order %lld, (%lld, %lld): %g, not %g", (long long)n, (long long)i,
                         (long long)j, pt_tiles_get(G, i, j), want);
        }
    assert_memory_equal(G->value, again->value, (size_t)pt_tiles_bytes(n, type));
    pt_tiles_free(G);
    pt_tiles_free(again);
    free(B[0]);
    free(B[1]);
}

static void test_rank_update__adds_the_product(void **state)
{
    (void)state;
    const int64_t orders[] = {1, 2, 47, 769, 1601};
    for (int i = 0; i < 5; i++)
        for (int64_t width = 0; width <= 60; width += 20) {
            expect_update(orders[i], width, PT_F32);
            expect_update(orders[i], width, PT_F64);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rank_update__adds_the_product)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
