#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/code_reference.h"
#include "base/math.h"

/* Columns come in the order (0,1), (0,2), ..., (k-2,k-1); both directions agree. */
static void test_pairs__columns_are_numbered_in_order(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 40; k++) {
        int64_t s = 0;
        for (int64_t p = 0; p < k; p++)
            for (int64_t q = p + 1; q < k; q++, s++) {
                int64_t a = -1;
                int64_t b = -1;
                pt_pairs_at(k, s, &a, &b);
                assert_int_equal(a, p);
                assert_int_equal(b, q);
                assert_int_equal(pt_pairs_column(k, p, q), s);
            }
        assert_int_equal(pt_pairs_count(k), s);
    }
}

/* As a code, and for its outputs: what is said for r over q is minus what is said for q over r. */
static void test_pairs__matrix_of_three_classes(void **state)
{
    (void)state;
    const double want[9] = {1, 1, 0, -1, 0, 1, 0, -1, -1};
    const double f[3] = {1, 2, 3}; /* 0 over 1, 0 over 2, 1 over 2 */
    double M[9];
    pt_code code = {0};
    reference_pairs(3, M);
    assert_int_equal(pt_code_init_pairs(&code, 3, NULL), PT_OK);
    for (int i = 0; i < 9; i++) {
        assert_true(M[i] == want[i]);
        assert_int_equal(pt_code_entry(&code, i / 3, i % 3), (int)want[i]);
    }
    pt_code_free(&code);
    assert_true(pt_pairs_between(f, 3, 0, 2) == 2 && pt_pairs_between(f, 3, 2, 0) == -2);
    assert_true(pt_pairs_between(f, 3, 1, 2) == 3 && pt_pairs_between(f, 3, 1, 0) == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs__columns_are_numbered_in_order),
        cmocka_unit_test(test_pairs__matrix_of_three_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
