/* Remarks of trainings: counted once each, whoever noted them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "validate/remarks.h"

enum { TRAININGS = 40, MOST_WORKERS = 7 };

/* Every third training has rows that are wrong, and says so of two columns; some have a weight at
 * its bound, from training 4 on, some of these say it first. */
static void train(pt_warnings *said, int64_t i)
{
    if (i % 8 == 4)
        assert_int_equal(pt_warn(said, NULL, PT_KIND_NUMERIC, "weight %d", (int)i), PT_OK);
    for (int column = 0; i % 3 == 2 && column < 2; column++)
        assert_int_equal(pt_warn(said, NULL, PT_KIND_CONVERGENCE, "%d row%s wrong in `%-s`", (int)i,
                                 i == 2 ? " is" : "s are", column ? "b" : "a"),
                         PT_OK);
}

static void test_remarks__are_told_once_whoever_noted_them(void **state)
{
    (void)state;
    for (int workers = 1; workers <= MOST_WORKERS; workers++) {
        pt_remarks of[MOST_WORKERS] = {{0}};
        pt_remarks all = {0};
        pt_warnings told = {0};
        for (int64_t i = 0; i < TRAININGS; i++) {
            pt_warnings said = {0};
            train(&said, i);
            assert_int_equal(pt_remarks_note(&of[i * i % workers], i, &said, NULL), PT_OK);
            pt_warnings_free(&said);
        }
        for (int w = workers - 1; w >= 0; w--) {
            assert_int_equal(pt_remarks_take(&all, &of[w], NULL), PT_OK);
            assert_int_equal(of[w].count, 0);
            pt_remarks_free(&of[w]);
        }
        assert_int_equal(pt_remarks_tell(&told, &all, NULL), PT_OK);
        assert_int_equal(told.count, 2);
        assert_string_equal(told.items[0], "in 13 of 40 trainings: 2 row is wrong in `a`");
        assert_int_equal(told.kinds[0], PT_KIND_CONVERGENCE);
        assert_string_equal(told.items[1], "in 5 of 40 trainings: weight 4");
        assert_int_equal(told.kinds[1], PT_KIND_NUMERIC);
        pt_warnings_free(&told);
        pt_remarks_free(&all);
    }
}

static void test_remarks__none(void **state)
{
    (void)state;
    const pt_warnings nothing = {0};
    pt_remarks all = {0};
    pt_warnings told = {0};
    assert_int_equal(pt_remarks_note(&all, 0, &nothing, NULL), PT_OK);
    assert_int_equal(pt_remarks_tell(&told, &all, NULL), PT_OK);
    assert_null(all.list);
    assert_null(told.items);
    pt_remarks_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remarks__are_told_once_whoever_noted_them),
        cmocka_unit_test(test_remarks__none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
