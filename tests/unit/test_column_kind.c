/* What readers decided about columns: kept as JSON and back, hostile texts refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "data/judge/column_kind.h"

static void add(pt_judged_columns *columns, pt_judged judged, const char *name)
{
    assert_int_equal(pt_judged_add(columns, &judged, name, NULL), PT_OK);
}

static void test_judged__comes_back_from_json(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_judged_columns columns = {.n_columns = 9};
    columns.na = pt_alloc_text("-,none", &err);
    const pt_number_style point = {'.', 0};
    const pt_number_style comma = {',', '.'};
    add(&columns, (pt_judged){.column = 1, .kind = PT_COLUMN_IDENTIFIER, .style = point}, "id");
    add(&columns, (pt_judged){.column = 4, .kind = PT_COLUMN_CURRENCY, .style = comma}, NULL);
    add(&columns,
        (pt_judged){.column = 7,
                    .kind = PT_COLUMN_DATE,
                    .style = point,
                    .order = PT_DATE_DMY,
                    .parts = PT_PART_DAYS | PT_PART_HOUR},
        "d\xfcr"); /* not UTF-8 */
    json_t *json = pt_judged_to_json(&columns, &err);
    assert_non_null(json);
    pt_judged_columns back;
    assert_int_equal(pt_judged_from_json(&back, json, &err), PT_OK);
    json_decref(json);
    assert_int_equal(back.n_columns, 9);
    assert_string_equal(back.na, "-,none");
    assert_int_equal(back.count, 3);
    for (int64_t i = 0; i < 3; i++) {
        const pt_judged *a = &columns.items[i];
        const pt_judged *b = &back.items[i];
        assert_true(a->column == b->column && a->kind == b->kind && a->order == b->order &&
                    a->parts == b->parts && a->style.decimal == b->style.decimal &&
                    a->style.thousands == b->style.thousands);
        assert_true(!a->name == !b->name && (!a->name || strcmp(a->name, b->name) == 0));
        assert_ptr_equal(pt_judged_at(&back, a->column), b);
    }
    assert_null(pt_judged_at(&back, 2));
    assert_ptr_equal(pt_judged_named(&back, "id"), &back.items[0]);
    assert_int_equal(pt_judged_features(&back.items[0]), 0);
    assert_int_equal(pt_judged_features(&back.items[1]), 1);
    assert_int_equal(pt_judged_features(&back.items[2]), 2);
    pt_judged_free(&columns);
    pt_judged_free(&back);
}

static void test_judged__parts_of_the_first_files(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_judged_columns columns;
    json_t *json = json_loads("{\"columns\": 2, \"listed\": [{\"column\": 1, \"kind\": \"date\", "
                              "\"order\": \"ymd\", \"parts\": 5}]}",
                              0, NULL);
    assert_int_equal(pt_judged_from_json(&columns, json, &err), PT_OK);
    assert_int_equal(columns.items[0].parts, PT_PART_DAYS | PT_PART_HOUR);
    pt_judged_free(&columns);
    json_decref(json);
}

static void test_judged__hostile_json_is_refused(void **state)
{
    (void)state;
    static const char *const HOSTILE[] = {
        "3",
        "{}",
        "{\"columns\": 0, \"listed\": []}",
        "{\"columns\": 4e9, \"listed\": []}",
        "{\"columns\": 3}",
        "{\"columns\": 3, \"listed\": [3]}",
        "{\"columns\": 3, \"na\": 3, \"listed\": []}",
        "{\"columns\": 3, \"listed\": [{\"column\": 4, \"kind\": \"number\"}]}",
        "{\"columns\": 3, \"listed\": [{\"column\": 0, \"kind\": \"number\"}]}",
        "{\"columns\": 3, \"listed\": [{\"column\": 1, \"kind\": \"odd\"}]}",
        "{\"columns\": 3, \"listed\": [{\"column\": 1, \"kind\": \"number\", \"decimal\": \"x\"}]}",
        "{\"columns\": 3, \"listed\": [{\"column\": 1, \"kind\": \"number\", \"decimal\": \"\"}]}",
        "{\"columns\": 3, \"listed\": [{\"column\": 1, \"kind\": \"number\", \"thousands\": "
        "\".\"}]}",
        "{\"columns\": 3, \"listed\": [{\"column\": 1, \"kind\": \"date\", \"parts\": 1}]}",
        "{\"columns\": 3, \"listed\": [{\"column\": 1, \"kind\": \"date\", \"order\": \"ymd\", "
        "\"parts\": 8}]}",
        "{\"columns\": 3, \"listed\": [{\"column\": 1, \"kind\": \"date\", \"order\": \"ymd\", "
        "\"parts\": []}]}",
        "{\"columns\": 3, \"listed\": [{\"column\": 1, \"kind\": \"date\", \"order\": \"ymd\", "
        "\"parts\": [\"days\", \"minute\"]}]}",
        "{\"columns\": 3, \"listed\": [{\"column\": 2, \"kind\": \"text\"}, {\"column\": 2, "
        "\"kind\": \"text\"}]}",
    };
    for (size_t i = 0; i < sizeof HOSTILE / sizeof *HOSTILE; i++) {
        const int64_t live = pt_alloc_live();
        pt_error err = PT_ERROR_INIT;
        pt_judged_columns columns;
        json_t *json = json_loads(HOSTILE[i], JSON_DECODE_ANY, NULL);
        assert_non_null(json);
        if (pt_judged_from_json(&columns, json, &err) == PT_OK)
            fail_msg("taken: %s", HOSTILE[i]);
        json_decref(json);
        assert_int_equal(pt_alloc_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judged__comes_back_from_json),
        cmocka_unit_test(test_judged__parts_of_the_first_files),
        cmocka_unit_test(test_judged__hostile_json_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
