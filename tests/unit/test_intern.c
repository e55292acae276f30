/* Numbered texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "data/intern.h"

static void test_intern__numbers_follow_first_appearance(void **state)
{
    (void)state;
    enum { DIFFERENT = 20000 };
    pt_intern intern;
    memset(&intern, 0, sizeof intern);
    pt_error err;
    for (int i = 0; i < 3 * DIFFERENT; i++) {
        char text[16];
        const int length = snprintf(text, sizeof text, "t%d", i % DIFFERENT);
        int64_t number = -1;
        assert_int_equal(pt_intern_add(&intern, text, (size_t)length, &number, &err), PT_OK);
        assert_int_equal(number, i % DIFFERENT);
    }
    assert_int_equal(intern.texts.count, DIFFERENT);
    assert_int_equal(pt_intern_find(&intern, "t777", 4), 777);
    assert_int_equal(pt_intern_find(&intern, "t777", 3), 77); /* the length counts */
    assert_int_equal(pt_intern_find(&intern, "t20000", 6), -1);
    assert_int_equal(pt_intern_find(&intern, "", 0), -1);
    pt_intern_free(&intern);
}

static void test_intern__prefixes_and_the_empty_text_differ(void **state)
{
    (void)state;
    pt_intern intern;
    memset(&intern, 0, sizeof intern);
    pt_error err;
    const char *texts[] = {"abc", "ab", "", "abcd", "a"};
    for (int64_t i = 0; i < 5; i++) {
        int64_t number = -1;
        assert_int_equal(pt_intern_find(&intern, texts[i], strlen(texts[i])), -1);
        assert_int_equal(pt_intern_add(&intern, texts[i], strlen(texts[i]), &number, &err), PT_OK);
        assert_int_equal(number, i);
    }
    for (int64_t i = 0; i < 5; i++)
        assert_int_equal(pt_intern_find(&intern, texts[i], strlen(texts[i])), i);
    pt_intern_free(&intern);
}

static void test_intern__fill_refuses_a_text_twice(void **state)
{
    (void)state;
    pt_error err;
    pt_texts texts = {NULL, 0, 0};
    const char *text[] = {"x", "y", "x"};
    for (int i = 0; i < 3; i++)
        assert_int_equal(pt_texts_add(&texts, &err, "%s", text[i]), PT_OK);
    pt_intern intern;
    memset(&intern, 0, sizeof intern);
    assert_int_equal(pt_intern_fill(&intern, &texts, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "'x' is listed twice"));
    pt_intern_free(&intern);
    texts.count = 2;
    assert_int_equal(pt_intern_fill(&intern, &texts, &err), PT_OK);
    assert_int_equal(pt_intern_find(&intern, "y", 1), 1);
    pt_intern_free(&intern);
    texts.count = 3;
    pt_texts_free(&texts);
}

/* A failed addition changes nothing: the next one works. */
static void test_intern__survives_a_failed_addition(void **state)
{
    (void)state;
    const int64_t before = pt_alloc_live();
    pt_intern intern;
    memset(&intern, 0, sizeof intern);
    pt_error err;
    for (int i = 0; i < 200; i++) {
        char text[16];
        const size_t length = (size_t)snprintf(text, sizeof text, "%d", i);
        int64_t number = -1;
        bool done = false;
        for (int64_t fail = 1; !done; fail++) {
            pt_alloc_fail_from(fail);
            const pt_status status = pt_intern_add(&intern, text, length, &number, &err);
            pt_alloc_fail_from(0);
            done = status == PT_OK;
            assert_true(done || status == PT_ENOMEM);
        }
        assert_int_equal(number, i);
    }
    assert_int_equal(pt_intern_find(&intern, "123", 3), 123);
    pt_intern_free(&intern);
    assert_int_equal(pt_alloc_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intern__numbers_follow_first_appearance),
        cmocka_unit_test(test_intern__prefixes_and_the_empty_text_differ),
        cmocka_unit_test(test_intern__fill_refuses_a_text_twice),
        cmocka_unit_test(test_intern__survives_a_failed_addition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
