/* Remarks of trainings: counted once each, whoever noted them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/alloc.h"
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
        for (int64_t at = 0; at < TRAININGS; at++) {
            const int64_t i = workers % 2 ? at : at * 27 % TRAININGS; /* in any order */
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
        assert_int_equal(pt_remarks_tell(&told, &all, "", NULL), PT_OK);
        assert_int_equal(told.count, 2);
        assert_string_equal(told.items[0], "in 13 of 40 trainings: 2 row is wrong in `a`");
        assert_int_equal(told.kinds[0], PT_KIND_CONVERGENCE);
        assert_string_equal(told.items[1], "in 5 of 40 trainings: weight 4");
        assert_int_equal(told.kinds[1], PT_KIND_NUMERIC);
        pt_warnings_free(&told);
        pt_remarks_free(&all);
    }
}

static pt_status note_one(pt_remarks *remarks, int64_t training, const char *words, bool other)
{
    PT_FREED_BY(pt_warnings_free) pt_warnings said = {0};
    if (other)
        assert_int_equal(pt_warn(&said, NULL, PT_KIND_NUMERIC, "other: %s", words), PT_OK);
    else
        assert_int_equal(pt_warn(&said, NULL, PT_KIND_NUMERIC, "one: %s", words), PT_OK);
    return pt_remarks_note(remarks, training, &said, NULL);
}

/* Places 0 and 1 of one list are points 1 and 4 of the whole, those of the other 0 and 3; each has
 * three trainings. */
static void test_remarks__trainings_of_some_points_take_their_place_in_the_whole(void **state)
{
    (void)state;
    static const int64_t NUMBER[2][2] = {{1, 4}, {0, 3}};
    pt_remarks some[2] = {{0}};
    pt_remarks all = {0};
    pt_warnings told = {0};
    assert_int_equal(note_one(&some[0], 0, "of 3", false), PT_OK);
    assert_int_equal(note_one(&some[0], 5, "of 14", false), PT_OK);
    assert_int_equal(note_one(&some[0], 4, "of 13", true), PT_OK);
    assert_int_equal(note_one(&some[1], 2, "of 2", false), PT_OK);
    assert_int_equal(note_one(&some[1], 3, "of 9", true), PT_OK);
    for (int s = 0; s < 2; s++) {
        pt_remarks_renumber(&some[s], 3, NUMBER[s]);
        assert_int_equal(pt_remarks_take(&all, &some[s], NULL), PT_OK);
        pt_remarks_free(&some[s]);
    }
    assert_int_equal(pt_remarks_tell(&told, &all, " of nested folds", NULL), PT_OK);
    assert_int_equal(told.count, 2);
    assert_string_equal(told.items[0], "in 3 of 5 trainings of nested folds: one: of 2");
    assert_string_equal(told.items[1], "in 2 of 5 trainings of nested folds: other: of 9");
    pt_warnings_free(&told);
    pt_remarks_free(&all);
}

static void test_remarks__none(void **state)
{
    (void)state;
    const pt_warnings nothing = {0};
    pt_remarks all = {0};
    pt_warnings told = {0};
    assert_int_equal(pt_remarks_note(&all, 0, &nothing, NULL), PT_OK);
    assert_int_equal(pt_remarks_tell(&told, &all, "", NULL), PT_OK);
    assert_null(all.list);
    assert_null(told.items);
    pt_remarks_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remarks__are_told_once_whoever_noted_them),
        cmocka_unit_test(test_remarks__trainings_of_some_points_take_their_place_in_the_whole),
        cmocka_unit_test(test_remarks__none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
