/* The twin of every kernel of the registry: 1 more, on the same base. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/kernel_plus_one.h"

static void test_kernel_plus_one__adds_one_to_every_kernel(void **state)
{
    (void)state;
    for (int c = 0; pt_kernels[c]; c++) {
        const pt_kernel kernel = {pt_kernels[c], 1.5, 0.25, 3};
        const pt_kernel twin = pt_kernel_plus_one(&kernel);
        if (pt_kernels[c]->base == PT_BASE_ROW) {
            assert_null(twin.ops);
            continue;
        }
        assert_non_null(twin.ops);
        assert_int_equal(twin.ops->base, kernel.ops->base);
        assert_int_equal(twin.ops->psd, kernel.ops->psd);
        assert_string_equal(twin.ops->parameters, kernel.ops->parameters);
        assert_false(twin.ops->linear);
        double wide[2][7];
        float narrow[2][7];
        for (int p = 0; p < 7; p++) {
            wide[0][p] = wide[1][p] = 0.3 * p;
            narrow[0][p] = narrow[1][p] = 0.3f * (float)p;
        }
        pt_kernel_map(&kernel, PT_F64, 7, 1, wide[0], 7);
        pt_kernel_map(&twin, PT_F64, 7, 1, wide[1], 7);
        pt_kernel_map(&kernel, PT_F32, 7, 1, narrow[0], 7);
        pt_kernel_map(&twin, PT_F32, 7, 1, narrow[1], 7);
        for (int p = 0; p < 7; p++) {
            assert_true(wide[1][p] == wide[0][p] + 1);
            assert_true(narrow[1][p] == narrow[0][p] + 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel_plus_one__adds_one_to_every_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
