/* Which points need double: narrow kernels, wide kernels with a small ridge, large weights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "validate/squares/ls_holdout.h"

enum { N = 50 };

/* Squared distances of points on a line, one apart. */
static pt_tiles *distances(void)
{
    pt_error err = PT_ERROR_INIT;
    pt_tiles *base = NULL;
    assert_int_equal(pt_tiles_new(&base, N, PT_F32, &err), PT_OK);
    float *tile = base->value;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            tile[j * base->nb + i] = (float)((i - j) * (i - j));
    return base;
}

static void test_ls_precision__points_that_float_cannot_do(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_tiles *base = distances();
    const pt_kernel_ops *rbf = pt_kernel_find("rbf");
    const pt_ls_point points[] = {
        {{rbf, 1, 0, 1, 0}, 1, false, 0},        /* fine */
        {{rbf, 0.0766, 0, 1, 0}, 1, false, 0},   /* 1 / (2 sigma^2) = 85.2: neighbours underflow */
        {{rbf, 0.0768, 0, 1, 0}, 1, false, 0},   /* 84.8 */
        {{rbf, 1e4, 0, 1, 0}, 5.1e-4, false, 0}, /* n / ridge = 0.98e5 */
        {{rbf, 1e4, 0, 1, 0}, 4.9e-4, false, 0}, /* 1.02e5 */
        {{rbf, 0.1, 0, 1, 0}, 4.9e-4, false, 0}, /* nearly the identity */
        {{rbf, 0.1, 0, 1, 0}, 4.9e-4, false, 1}, /* K + 1 is not */
    };
    const bool expected[] = {false, true, false, false, true, false, true};
    bool need[7];
    assert_int_equal(pt_ls_need_double(need, base, points, 7, 1, NULL, &err), PT_OK);
    for (int i = 0; i < 7; i++)
        assert_int_equal(need[i], expected[i]);
    assert_int_equal(pt_ls_need_double(need, base, points, 7, 0.5, NULL, &err), PT_OK);
    assert_true(need[3]); /* a weight of 2 halves the shift of its row */
    pt_tiles_free(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ls_precision__points_that_float_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
