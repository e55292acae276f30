/* Warnings: texts with kinds, in a list that grows, in reports, and through copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/warnings.h"
#include "report/report.h"

static void fill(pt_warnings *w, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(
            pt_warn(w, NULL, i % 2 ? PT_KIND_LIMIT : PT_KIND_DATA, "number %lld", (long long)i),
            PT_OK);
}

static void test_warnings__keep_texts_and_kinds(void **state)
{
    (void)state;
    pt_warnings w = {0};
    fill(&w, 100);
    assert_int_equal(w.count, 100);
    for (int64_t i = 0; i < w.count; i++) {
        char text[32];
        snprintf(text, sizeof text, "number %lld", (long long)i);
        assert_string_equal(pt_warnings_get(&w, i), text);
        assert_int_equal(w.kinds[i], i % 2 ? PT_KIND_LIMIT : PT_KIND_DATA);
    }
    assert_null(pt_warnings_get(&w, -1));
    assert_null(pt_warnings_get(&w, 100));
    pt_warnings_free(&w);
    assert_int_equal(w.count, 0);
}

/* add has all of them, add_new those whose text is not there; kinds come along. */
static void test_warnings__join(void **state)
{
    (void)state;
    pt_warnings a = {0};
    pt_warnings b = {0};
    fill(&a, 3);
    fill(&b, 5);
    assert_int_equal(pt_warnings_add_new(&a, &b, NULL), PT_OK);
    assert_int_equal(a.count, 5);
    assert_string_equal(a.items[3], "number 3");
    assert_int_equal(a.kinds[3], PT_KIND_LIMIT);
    assert_int_equal(pt_warnings_add(&a, &b, NULL), PT_OK);
    assert_int_equal(a.count, 10);
    assert_string_equal(a.items[9], "number 4");
    pt_warnings_free(&a);
    pt_warnings_free(&b);
}

/* Whatever names and cells bring in, and wherever they are cut. */
static void test_warnings__are_utf8(void **state)
{
    (void)state;
    pt_warnings w = {0};
    char name[2 * PT_WARNING_ROOM] = "x";
    for (size_t at = 1; at + 2 < sizeof name; at += 2)
        memcpy(name + at, "\xc3\xa9", 3);
    assert_int_equal(pt_warn(&w, NULL, PT_KIND_DATA, "column '%.40s'", name), PT_OK);
    assert_int_equal(strlen(w.items[0]), strlen("column ''") + 39); /* x, and 19 whole ones */
    assert_int_equal(pt_warn(&w, NULL, PT_KIND_DATA, "%s", name), PT_OK);
    assert_int_equal(strlen(w.items[1]), PT_WARNING_ROOM - 1);
    assert_int_equal(pt_warn(&w, NULL, PT_KIND_DATA, "..%s", name + 1), PT_OK);
    assert_int_equal(strlen(w.items[2]), PT_WARNING_ROOM - 2); /* not half of the last */
    for (int64_t i = 0; i < w.count; i++)
        assert_true(pt_text_is_utf8(w.items[i]));
    assert_int_equal(pt_warn(&w, NULL, PT_KIND_DATA, "column 'temp\xe9rature'"), PT_OK);
    assert_string_equal(w.items[3], "column 'temp\xc3\xa9rature'"); /* Latin-1 */
    pt_warnings_free(&w);
}

static void test_warnings__kinds_are_different_words(void **state)
{
    (void)state;
    for (int i = 0; i <= PT_KIND_PROGRESS; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(pt_kind_name((pt_kind)i), pt_kind_name((pt_kind)j));
    assert_string_equal(pt_kind_name(PT_KIND_CONVERGENCE), "convergence");
}

static void test_warnings__stand_in_reports(void **state)
{
    (void)state;
    pt_warnings w = {0};
    pt_report *report = NULL;
    fill(&w, 2);
    assert_int_equal(pt_report_new(&report, "data", NULL), PT_OK);
    assert_int_equal(pt_report_add_warnings(report, &w, NULL), PT_OK);
    pt_warnings_free(&w); /* copied */
    const pt_item *kinds = pt_report_find(report, "warning_kind");
    assert_non_null(kinds);
    assert_string_equal(kinds->axis[0], "warning");
    assert_int_equal(pt_report_length(report, "warning_kind"), 2);
    assert_string_equal(pt_report_text_at(report, "warning", 1, 0, 0), "number 1");
    assert_string_equal(pt_report_text_at(report, "warning_kind", 1, 0, 0), "limit");
    pt_report_free(report);
}

/* Whichever allocation fails, the list stays whole and nothing is lost. */
static void test_warnings__without_memory(void **state)
{
    (void)state;
    for (int64_t number = 1; number <= 20; number++) {
        pt_warnings w = {0};
        const int64_t before = pt_alloc_live();
        pt_alloc_fail_from(number);
        pt_status status = PT_OK;
        int64_t told = 0;
        while (status == PT_OK && told < 9)
            if ((status = pt_warn(&w, NULL, PT_KIND_NUMERIC, "w")) == PT_OK)
                told++;
        pt_alloc_fail_from(0);
        assert_int_equal(w.count, told);
        for (int64_t i = 0; i < told; i++)
            assert_string_equal(w.items[i], "w");
        assert_int_equal(pt_warn(&w, NULL, PT_KIND_DATA, "after"), PT_OK);
        assert_string_equal(w.items[told], "after");
        pt_warnings_free(&w);
        assert_int_equal(pt_alloc_live(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warnings__keep_texts_and_kinds),
        cmocka_unit_test(test_warnings__join),
        cmocka_unit_test(test_warnings__are_utf8),
        cmocka_unit_test(test_warnings__kinds_are_different_words),
        cmocka_unit_test(test_warnings__stand_in_reports),
        cmocka_unit_test(test_warnings__without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
