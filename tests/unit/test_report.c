/* Reports: named figures and tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "report/report.h"

static void free_int(void *object)
{
    pt_free(object);
}

static pt_report *make(void)
{
    static const int64_t COUNTS[] = {5, 1, 0, 7};
    static const float SHORT[] = {0.5F, NAN};
    const char *const names[] = {"no", "yes, \"sure\""};
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    double *recall = NULL;
    assert_int_equal(pt_report_new(&report, "evaluation", &err), PT_OK);
    assert_int_equal(pt_report_add_number(report, "error", 0.25, &err), PT_OK);
    assert_int_equal(pt_report_add_integer(report, "examples", INT64_MAX, &err), PT_OK);
    assert_int_equal(pt_report_add_text(report, "labels", "class", &err), PT_OK);
    assert_int_equal(pt_report_add_text(report, "nothing", NULL, &err), PT_OK);
    assert_int_equal(pt_report_copy(report, PT_LIST("class", PT_TEXT, "class", 2, names), &err),
                     PT_OK);
    assert_int_equal(
        pt_report_lend(report, PT_TABLE("confusion", PT_I64, "class", 2, "predicted", 2, COUNTS),
                       &err),
        PT_OK);
    assert_int_equal(
        pt_report_room(report, PT_LIST("recall", PT_F64, "class", 2, NULL), &recall, &err), PT_OK);
    recall[0] = 1;
    recall[1] = INFINITY;
    assert_int_equal(pt_report_copy(report, PT_LIST("weight", PT_F32, "class", 2, SHORT), &err),
                     PT_OK);
    return report;
}

static void test_report__items_are_found_by_name(void **state)
{
    (void)state;
    pt_report *report = make();
    assert_string_equal(pt_report_kind(report), "evaluation");
    assert_int_equal(pt_report_n_items(report), 7);
    assert_true(pt_report_number(report, "error") == 0.25);
    assert_string_equal(pt_report_text(report, "labels"), "class");
    assert_string_equal(pt_report_text_at(report, "class", 1, 0, 0), "yes, \"sure\"");
    assert_true(pt_report_number_at(report, "confusion", 1, 1, 0) == 7);
    assert_true(pt_report_number_at(report, "confusion", 0, 1, 0) == 1);
    assert_true(pt_report_number_at(report, "weight", 0, 0, 0) == 0.5);
    const pt_item *item = pt_report_find(report, "confusion");
    assert_non_null(item);
    assert_int_equal(item->n_axes, 2);
    assert_int_equal(item->length[1], 2);
    assert_string_equal(item->axis[1], "predicted");
    assert_ptr_equal(pt_report_item(report, 4), item);
    pt_report_free(report);
}

static void test_report__what_is_not_there_is_nothing(void **state)
{
    (void)state;
    pt_report *report = make();
    assert_null(pt_report_find(report, "nothing"));
    assert_true(isnan(pt_report_number(report, "nothing")));
    assert_true(isnan(pt_report_number(report, "labels")));
    assert_null(pt_report_text(report, "error"));
    assert_null(pt_report_item(report, 7));
    assert_null(pt_report_item(report, -1));
    assert_true(isnan(pt_report_number_at(report, "confusion", 2, 0, 0)));
    assert_true(isnan(pt_report_number_at(report, "confusion", 0, -1, 0)));
    assert_true(isnan(pt_report_number_at(report, "confusion", 0, 0, 1)));
    assert_null(pt_report_text_at(report, "class", 2, 0, 0));
    pt_report_free(report);
    pt_report_free(NULL);
}

static void test_report__json_has_every_item(void **state)
{
    (void)state;
    static const char TEXT[] = "{\n"
                               "  \"error\": 0.25,\n"
                               "  \"examples\": 9223372036854775807,\n"
                               "  \"labels\": \"class\",\n"
                               "  \"class\": [\n    \"no\",\n    \"yes, \\\"sure\\\"\"\n  ],\n"
                               "  \"confusion\": [\n    [\n      5,\n      1\n    ],\n"
                               "    [\n      0,\n      7\n    ]\n  ],\n"
                               "  \"recall\": [\n    1.0,\n    null\n  ],\n"
                               "  \"weight\": [\n    0.5,\n    null\n  ]\n}";
    pt_report *report = make();
    char *json = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_report_json(&json, report, &err), PT_OK);
    assert_string_equal(json, TEXT);
    pt_bytes_free(json);
    pt_report_free(report);
}

static void test_report__owns_what_it_lends_from(void **state)
{
    (void)state;
    const int64_t before = pt_alloc_live();
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    assert_int_equal(pt_report_new(&report, "search", &err), PT_OK);
    double *object = pt_alloc(2, sizeof *object, "an object", &err);
    assert_non_null(object);
    object[0] = 3;
    object[1] = 4;
    pt_report_own(report, object, free_int);
    assert_int_equal(pt_report_lend(report, PT_LIST("errors", PT_F64, "point", 2, object), &err),
                     PT_OK);
    assert_true(pt_report_number_at(report, "errors", 1, 0, 0) == 4);
    assert_ptr_equal(pt_report_object(report, "search"), object);
    assert_null(pt_report_object(report, "evaluation"));
    pt_report_free(report);
    assert_int_equal(pt_alloc_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report__items_are_found_by_name),
        cmocka_unit_test(test_report__what_is_not_there_is_nothing),
        cmocka_unit_test(test_report__json_has_every_item),
        cmocka_unit_test(test_report__owns_what_it_lends_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
