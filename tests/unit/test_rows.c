/* Copies of rows: in double, with a feature more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/rows.h"

static void test_rows__widened_rows_are_the_same_numbers(void **state)
{
    (void)state;
    const float dense[] = {1, 2, -9, 0.1f, 4, -9}; /* a stride of 3 */
    const pt_rows full = {.n = 2, .d = 2, .type = PT_F32, .dense = dense, .stride = 3};
    pt_rows_owned wide;
    assert_int_equal(pt_rows_widen(&wide, &full, NULL, NULL), PT_OK);
    const double *value = wide.rows.dense;
    assert_true(wide.rows.type == PT_F64 && wide.rows.n == 2 && wide.rows.stride == 2);
    assert_true(value[0] == 1 && value[1] == 2 && value[2] == (double)0.1f && value[3] == 4);
    pt_rows_owned_free(&wide);

    const int64_t start[] = {0, 1, 1, 3};
    const int64_t index[] = {4, 0, 2};
    const float values[] = {7, 0.1f, 3};
    const pt_rows all = {
        .n = 3, .d = 5, .type = PT_F32, .start = start, .index = index, .value = values};
    const pt_rows some = pt_rows_range(&all, 1, 2); /* begins within another's values */
    assert_int_equal(pt_rows_widen(&wide, &some, NULL, NULL), PT_OK);
    value = wide.rows.value;
    assert_true(!wide.rows.dense && wide.rows.n == 2 && wide.rows.d == 5);
    assert_true(wide.rows.start[0] == 0 && wide.rows.start[1] == 0 && wide.rows.start[2] == 2);
    assert_true(wide.rows.index[0] == 0 && wide.rows.index[1] == 2);
    assert_true(value[0] == (double)0.1f && value[1] == 3);
    pt_rows_owned_free(&wide);
}

/* Raw rows know their levels, sparse ones too. */
static void test_rows__selected_rows_keep_their_levels(void **state)
{
    (void)state;
    static const int64_t START[] = {0, 1, 2}, INDEX[] = {0, 1}, LEVELS[] = {3, 0}, ORDER[] = {1};
    static const double VALUE[] = {2, 5};
    pt_rows rows = {.n = 2, .d = 2, .type = PT_F64, .dense = VALUE, .stride = 0, .levels = LEVELS};
    for (int sparse = 0; sparse < 2; sparse++) {
        pt_error err = PT_ERROR_INIT;
        pt_rows_owned some = {0};
        if (sparse)
            rows = (pt_rows){.n = 2,
                             .d = 2,
                             .type = PT_F64,
                             .start = START,
                             .index = INDEX,
                             .value = VALUE,
                             .levels = LEVELS};
        assert_int_equal(pt_rows_select(&some, &rows, ORDER, 1, NULL, &err), PT_OK);
        assert_ptr_equal(some.rows.levels, LEVELS);
        pt_rows_owned_free(&some);
    }
}

static void test_rows__one_more_feature_is_one(void **state)
{
    (void)state;
    const float dense[] = {1, 2, -9, 0.1f, 4, -9}; /* a stride of 3 */
    const pt_rows full = {.n = 2, .d = 2, .type = PT_F32, .dense = dense, .stride = 3};
    pt_rows_owned more;
    assert_int_equal(pt_rows_append_one(&more, &full, NULL, NULL), PT_OK);
    const float *value = more.rows.dense;
    assert_true(more.rows.type == PT_F32 && more.rows.n == 2 && more.rows.d == 3);
    for (int64_t i = 0; i < 2; i++)
        for (int64_t f = 0; f < 3; f++)
            assert_true(value[i * more.rows.stride + f] == (f == 2 ? 1 : dense[3 * i + f]));
    pt_rows_owned_free(&more);

    const int64_t start[] = {0, 1, 1, 3};
    const int64_t index[] = {4, 0, 2};
    const double values[] = {7, 0.1, 3};
    const pt_rows all = {
        .n = 3, .d = 5, .type = PT_F64, .start = start, .index = index, .value = values};
    const pt_rows some = pt_rows_range(&all, 1, 2); /* begins within another's values */
    assert_int_equal(pt_rows_append_one(&more, &some, NULL, NULL), PT_OK);
    const double *wide = more.rows.value;
    assert_true(!more.rows.dense && more.rows.n == 2 && more.rows.d == 6);
    assert_true(more.rows.start[0] == 0 && more.rows.start[1] == 1 && more.rows.start[2] == 4);
    assert_true(more.rows.index[0] == 5 && wide[0] == 1);
    assert_true(more.rows.index[1] == 0 && wide[1] == 0.1);
    assert_true(more.rows.index[2] == 2 && wide[2] == 3);
    assert_true(more.rows.index[3] == 5 && wide[3] == 1);
    pt_rows_owned_free(&more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows__widened_rows_are_the_same_numbers),
        cmocka_unit_test(test_rows__one_more_feature_is_one),
        cmocka_unit_test(test_rows__selected_rows_keep_their_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
