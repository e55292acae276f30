/* Attribute efficiency (Littlestone 1988): mistakes of Winnow grow with log d where few of d
 * features matter, those of the perceptron with d. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/winnow_target.h"

enum { ROWS = 4000, SEEDS = 5 };
static const double ALPHA = 1.5; /* the default of --alpha */

static double mean_mistakes(pt_update update, int64_t d, double *late)
{
    int64_t sum = 0;
    int64_t sum_late = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        int64_t last = 0;
        const int64_t mistakes = winnow_mistakes(update, ALPHA, d, ROWS, seed, &last);
        assert_true(mistakes > 0 && mistakes < ROWS);
        sum += mistakes;
        sum_late += last;
    }
    *late = (double)sum_late / SEEDS;
    return (double)sum / SEEDS;
}

/* a + b log d with a >= 0 at most doubles from d = 100 to 10,000; b d grows by much more. */
static void check_growth(pt_update update)
{
    double late = 0;
    const double few = mean_mistakes(update, 100, &late);
    const double many = mean_mistakes(update, 10000, &late);
    assert_true(many > few); /* irrelevant features are not free */
    assert_true(many <= 2 * few);
    assert_true(late < 0.01 * ROWS / 4); /* it has learned by then */
}

static void test_winnow__mistakes_grow_with_the_logarithm(void **state)
{
    (void)state;
    check_growth(PT_UPDATE_WINNOW);
}

static void test_balanced_winnow__mistakes_grow_with_the_logarithm(void **state)
{
    (void)state;
    check_growth(PT_UPDATE_BALANCED);
}

static void test_perceptron__mistakes_grow_faster(void **state)
{
    (void)state;
    double late = 0;
    const double few = mean_mistakes(PT_UPDATE_PERCEPTRON, 100, &late);
    const double many = mean_mistakes(PT_UPDATE_PERCEPTRON, 10000, &late);
    assert_true(many > 4 * few);        /* log d would double them */
    assert_true(late > 0.1 * ROWS / 4); /* and it is still at it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winnow__mistakes_grow_with_the_logarithm),
        cmocka_unit_test(test_balanced_winnow__mistakes_grow_with_the_logarithm),
        cmocka_unit_test(test_perceptron__mistakes_grow_faster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
