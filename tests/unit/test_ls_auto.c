/* When a sample tells two points apart: the errors of both are on the same rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machines/ls_auto.h"

enum { N = 1000 };

/* `shared` rows wrong for both, then `more` for the point alone, `fewer` for the best alone. */
static bool worse(int shared, int more, int fewer)
{
    float point[N] = {0};
    float best[N] = {0};
    for (int i = 0; i < shared + more; i++)
        point[i] = 1;
    for (int i = 0; i < shared; i++)
        best[i] = 1;
    for (int i = shared + more; i < shared + more + fewer; i++)
        best[i] = 1;
    return pt_ls_worse(point, best, N);
}

static void test_ls_auto__differences_are_judged_by_disagreements(void **state)
{
    (void)state;
    assert_false(worse(0, 0, 0));
    assert_false(worse(100, 0, 0));
    assert_false(worse(100, 1, 0)); /* 1 <= sqrt(1) */
    assert_true(worse(100, 2, 0));
    assert_false(worse(100, 15, 10)); /* 5 <= sqrt(25) */
    assert_true(worse(100, 16, 10));  /* 6 > sqrt(26) */
    assert_true(worse(500, 16, 10));  /* errors that both make do not count */
    assert_false(worse(100, 10, 16)); /* fewer errors */
}

/* Losses of half the size: the difference and its standard error shrink alike. */
static void test_ls_auto__losses_count_by_their_size(void **state)
{
    (void)state;
    float point[N] = {0};
    float best[N] = {0};
    for (int i = 0; i < 26; i++)
        (i < 16 ? point : best)[i] = 0.5F;
    assert_true(pt_ls_worse(point, best, N)); /* 3 > sqrt(26 / 4) */
    best[30] = 0.5F;
    assert_false(pt_ls_worse(point, best, N)); /* 2.5 <= sqrt(27 / 4) */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ls_auto__differences_are_judged_by_disagreements),
        cmocka_unit_test(test_ls_auto__losses_count_by_their_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
