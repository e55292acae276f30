/* A shift is added to every value of every kernel of the registry. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/kernel.h"

static void test_kernel_shift__is_added_to_every_value(void **state)
{
    (void)state;
    for (int c = 0; pt_kernels[c]; c++) {
        const pt_kernel kernel = {.ops = pt_kernels[c], .sigma = 1.5, .coef0 = 0.25, .degree = 3};
        pt_kernel twin = kernel;
        twin.shift = 1;
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
        cmocka_unit_test(test_kernel_shift__is_added_to_every_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
