/* Texts in JSON: every text without zero bytes comes back, UTF-8 or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/random.h"

static void check_text(const char *text)
{
    pt_error err = PT_ERROR_INIT;
    json_t *value = pt_json_text(text, &err);
    assert_non_null(value);
    char *dumped = json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    json_t *loaded = json_loads(dumped, JSON_DECODE_ANY, NULL);
    free(dumped);
    assert_non_null(loaded);
    char *back = NULL;
    assert_int_equal(pt_json_get_text(loaded, "it", &back, &err), PT_OK);
    assert_string_equal(back, text);
    pt_free(back);
    json_decref(loaded);
}

static void test_json_text__comes_back(void **state)
{
    (void)state;
    const char *texts[] = {"",
                           "plain",
                           "\"quoted\" \\ \n\t\x01\x7f",
                           "\xc3\xa9",
                           "caf\xe9",
                           "\xff",
                           "\xed\xa0\x80" /* half of a surrogate pair */,
                           "\xf0\x9f\x8c\xb3",
                           "\xc3",
                           "{\"bytes\": \"61\"}"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        check_text(texts[t]);
    pt_random random;
    pt_random_init(&random, 1, PT_RANDOM_TEST, 0);
    for (int i = 0; i < 2000; i++) {
        char text[12] = "";
        const int64_t length = pt_random_below(&random, 11);
        for (int64_t c = 0; c < length; c++)
            text[c] = (char)(1 + pt_random_below(&random, 255));
        check_text(text);
    }
}

static void test_json_text__utf8_stays_readable(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    json_t *value = pt_json_text("caf\xc3\xa9", &err);
    assert_string_equal(json_string_value(value), "caf\xc3\xa9");
    json_decref(value);
}

static void test_json_texts__lists_and_what_is_none(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_texts texts = {NULL, 0, 0};
    assert_int_equal(pt_texts_add(&texts, &err, "a"), PT_OK);
    assert_int_equal(pt_texts_add(&texts, &err, "\xff"), PT_OK);
    json_t *array = pt_json_texts(&texts, &err);
    pt_texts back = {NULL, 0, 0};
    assert_int_equal(pt_json_get_texts(array, "it", &back, &err), PT_OK);
    assert_int_equal(back.count, 2);
    assert_string_equal(back.items[0], "a");
    assert_string_equal(back.items[1], "\xff");
    pt_texts_free(&back);
    pt_texts_free(&texts);
    json_array_append_new(array, json_integer(3));
    assert_int_equal(pt_json_get_texts(array, "names", &back, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "names"));
    json_decref(array);
    assert_int_equal(pt_json_get_texts(NULL, "names", &back, &err), PT_EFORMAT);
    char *text = NULL;
    assert_int_equal(pt_json_get_text(NULL, "a name", &text, &err), PT_EFORMAT);
    assert_null(text);
}

static void test_json_texts__no_memory_leaves_nothing(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_texts texts = {NULL, 0, 0};
    assert_int_equal(pt_texts_add(&texts, &err, "\xff"), PT_OK);
    const int64_t before = pt_alloc_live();
    json_t *array = NULL;
    for (int64_t number = 1; !array; number++) {
        pt_alloc_fail_from(number);
        array = pt_json_texts(&texts, &err);
        assert_true(array || err.code == PT_ENOMEM);
    }
    pt_texts back = {NULL, 0, 0};
    pt_status status = PT_ENOMEM;
    for (int64_t number = 1; status != PT_OK; number++) {
        pt_alloc_fail_from(number);
        status = pt_json_get_texts(array, "it", &back, &err);
        assert_true(status == PT_OK || status == PT_ENOMEM);
    }
    pt_alloc_fail_from(0);
    pt_texts_free(&back);
    json_decref(array);
    assert_int_equal(pt_alloc_live(), before);
    pt_texts_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_text__comes_back),
        cmocka_unit_test(test_json_text__utf8_stays_readable),
        cmocka_unit_test(test_json_texts__lists_and_what_is_none),
        cmocka_unit_test(test_json_texts__no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
