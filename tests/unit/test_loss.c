/* Margin losses: values by hand, L(0), what ASS asks of them, and large arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "losses/loss.h"

static void expect(const pt_loss *loss, double z, double want)
{
    const double got = loss->value(z);
    if (!(fabs(got - want) <= 1e-15 * fabs(want)))
        fail_msg("%s(%g) is %.17g, not %.17g", loss->name, z, got, want);
}

static void test_loss__values(void **state)
{
    (void)state;
    expect(&pt_loss_hinge, 0.25, 0.75);
    expect(&pt_loss_hinge, 3, 0);
    expect(&pt_loss_exp, -2, 7.3890560989306502272);
    expect(&pt_loss_square, 3, 4);
    expect(&pt_loss_logistic, 1, 0.12692801104297249644);
    expect(&pt_loss_logistic, -1, 2.12692801104297249644);
    expect(&pt_loss_sigmoid, 1, 0.11920292202211755594);
    expect(&pt_loss_sigmoid, -1, 0.88079707797788244406);
    expect(&pt_loss_hamming, 2, 0);
    expect(&pt_loss_hamming, -2, 1);
}

/* L(0) is what the table says, and (L(z) + L(-z))/2 >= L(0) > 0: what ASS's theorems need. */
static void test_loss__theorems_may_be_used(void **state)
{
    (void)state;
    for (const pt_loss *const *loss = pt_losses; *loss; loss++) {
        assert_true((*loss)->value(0) == (*loss)->at_zero && (*loss)->at_zero > 0);
        assert_ptr_equal(pt_loss_find((*loss)->name), *loss);
        for (double z = 0.01; z < 20; z *= 1.3)
            assert_true(((*loss)->value(z) + (*loss)->value(-z)) / 2 >=
                        (*loss)->at_zero * (1 - 1e-15));
    }
    assert_null(pt_loss_find("none"));
}

static void test_loss__large_arguments(void **state)
{
    (void)state;
    for (const pt_loss *const *loss = pt_losses; *loss; loss++)
        for (double z = 1; z < 1e150; z *= 7) {
            assert_false(isnan((*loss)->value(z)) || isnan((*loss)->value(-z)));
            assert_true((*loss)->value(-z) > 0 && (*loss)->value(z) >= 0);
        }
    expect(&pt_loss_logistic, -400, 800);
    expect(&pt_loss_logistic, 400, 0);
    expect(&pt_loss_logistic, 20, 4.248354255291588995e-18);
    expect(&pt_loss_sigmoid, 20, 4.248354255291588977e-18);
    expect(&pt_loss_sigmoid, -400, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss__values),
        cmocka_unit_test(test_loss__theorems_may_be_used),
        cmocka_unit_test(test_loss__large_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
