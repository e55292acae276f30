/* Errors: texts are filled, cut at their capacity; a caller may give none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/text.h"

static void test_error__says_what_and_where(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_fail_at(&err, PT_EFORMAT, "a.csv", 3, 7, "cell '%s' is wrong", "x"),
                     PT_EFORMAT);
    assert_int_equal(err.code, PT_EFORMAT);
    assert_string_equal(err.text, "cell 'x' is wrong");
    assert_string_equal(err.file, "a.csv");
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 7);

    assert_int_equal(pt_fail(&err, PT_EINVAL, "%d", 1), PT_EINVAL); /* forgets the place */
    assert_string_equal(err.file, "");
    assert_int_equal(err.line, 0);
}

static void test_error__may_be_left_out(void **state)
{
    (void)state;
    assert_int_equal(pt_fail(NULL, PT_EIO, "nobody reads this"), PT_EIO);
    assert_int_equal(pt_fail_memory(NULL, "a matrix", 8), PT_ENOMEM);
}

static void test_error__long_texts_are_cut(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    char text[4 * PT_ERROR_TEXT];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    pt_fail_at(&err, PT_EIO, text, 1, 1, "%s", text);
    assert_int_equal(strlen(err.text), PT_ERROR_TEXT - 1);
    assert_int_equal(strlen(err.file), PT_ERROR_FILE - 1);
}

static void fails_with(const char *text, const char *param, const pt_error *err)
{
    assert_string_equal(err->text, text);
    assert_string_equal(err->param, param);
}

/* Backquotes are those of the library's sentences, whatever users call their files and classes. */
static void test_error__names_of_users_are_no_parameters(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_fail(&err, PT_EINVAL, "class '%s' is unknown; raise `%s`, or set `calibrate=no`", "`time`",
            "ridge");
    fails_with("class ''time'' is unknown; raise `ridge`, or set `calibrate=no`", "ridge", &err);
    pt_fail(&err, PT_EINVAL, "file '%.40s': %lld rows", "`ridge`", 3LL);
    fails_with("file ''ridge'': 3 rows", "", &err);
    pt_fail(&err, PT_EINVAL, "`labels=%.*s` is read", 3, "a`=b");
    fails_with("`labels=a'=` is read", "labels", &err);
    pt_fail(&err, PT_EINVAL, "use %-sfewer rows", "`precision=single`, ");
    fails_with("use `precision=single`, fewer rows", "precision", &err);
    pt_error outer = PT_ERROR_INIT;
    pt_fail(&outer, PT_EINVAL, "column %d: %-.20s", 2, err.text); /* cut between backquotes */
    fails_with("column 2: use `precision=singl", "precision", &outer);
}

static void test_error__text_may_be_built_from_itself(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_fail(&err, PT_EIO, "disk full");
    pt_fail(&err, PT_EIO, "model not saved: %s", err.text);
    assert_string_equal(err.text, "model not saved: disk full");
}

static void test_error__cut_texts_stay_utf8(void **state)
{
    (void)state;
    const char *characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\xb3"};
    for (int c = 0; c < 3; c++)
        for (size_t shift = 0; shift < 4; shift++) {
            char text[2 * PT_ERROR_TEXT] = "";
            const size_t size = strlen(characters[c]);
            memset(text, '.', shift);
            for (size_t at = shift; at + size < sizeof text; at += size)
                memcpy(text + at, characters[c], size + 1);
            pt_error err = PT_ERROR_INIT;
            pt_fail(&err, PT_EIO, "%s", text);
            const size_t length = strlen(err.text);
            assert_int_equal((length - shift) % size, 0);   /* whole characters only, */
            assert_true(length + size > PT_ERROR_TEXT - 1); /* and as many as there is room for */
            assert_memory_equal(err.text, text, length);
        }
    pt_error err = PT_ERROR_INIT; /* bytes that are not UTF-8 do no harm */
    char garbage[2 * PT_ERROR_TEXT];
    memset(garbage, 0x80, sizeof garbage - 1);
    garbage[sizeof garbage - 1] = '\0';
    pt_fail(&err, PT_EIO, "%s", garbage);
    assert_true(pt_text_is_utf8(err.text) && strlen(err.text) >= PT_ERROR_TEXT - 2);
    pt_fail(&err, PT_EINVAL, "raise `ridge`, or set `calibrate=no`: %.4s", "caf\xc3\xa9");
    assert_string_equal(err.text, "raise `ridge`, or set `calibrate=no`: caf"); /* not half of it */
    assert_string_equal(err.param, "ridge");
    pt_fail(&err, PT_EINVAL, "class 'caf\xe9'"); /* Latin-1 */
    assert_string_equal(err.text, "class 'caf\xc3\xa9'");
    assert_string_equal(err.param, "");
}

/* Names of files, which may be any bytes, and messages in buffers of any size. */
static void test_error__cut_places_and_messages_stay_utf8(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 3; shift++) {
        pt_error err = PT_ERROR_INIT;
        char path[2 * PT_ERROR_FILE] = "..";
        for (size_t at = shift; at + 3 < sizeof path; at += 3)
            memcpy(path + at, "\xe2\x82\xac", 4);
        pt_fail_at(&err, PT_EFORMAT, path, 3, 7, "class 'caf\xc3\xa9'");
        assert_true(pt_text_is_utf8(err.file) && strlen(err.file) >= PT_ERROR_FILE - 3);
        assert_memory_equal(err.file, path, strlen(err.file));
        for (size_t size = 1; size <= PT_ERROR_MESSAGE; size++) {
            char message[PT_ERROR_MESSAGE];
            assert_ptr_equal(pt_error_message(&err, message, size), message);
            assert_true(pt_text_is_utf8(message) && strlen(message) < size);
        }
    }
    pt_error err = PT_ERROR_INIT;
    char message[PT_ERROR_MESSAGE] = "kept";
    pt_fail_at(&err, PT_EIO, "caf\xe9.csv", 0, 0, "no such file"); /* Latin-1 */
    assert_string_equal(err.file, "caf\xc3\xa9.csv");
    pt_error_message(&err, message, 0);
    assert_string_equal(message, "kept");
    assert_string_equal(pt_error_message(&err, message, 5), "caf"); /* not half of the last */
    assert_string_equal(pt_error_message(&err, message, sizeof message),
                        "caf\xc3\xa9.csv: no such file");
}

static void test_error__place_may_be_passed_on(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_fail_at(&err, PT_EFORMAT, "a.csv", 3, 7, "wrong");
    pt_fail_at(&err, PT_EFORMAT, err.file, err.line, err.column, "more: %s", err.text);
    assert_string_equal(err.file, "a.csv");
    assert_string_equal(err.text, "more: wrong");
    assert_int_equal(err.column, 7);
}

static void test_status__every_code_has_its_name(void **state)
{
    (void)state;
#define CHECK_NAME(name, value, text)                 \
    assert_string_equal(pt_status_name(name), #name); \
    assert_int_equal(name, value);
    PT_STATUS_LIST(CHECK_NAME)
#undef CHECK_NAME
    assert_string_equal(pt_status_name((pt_status)12345), "PT_UNKNOWN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error__says_what_and_where),
        cmocka_unit_test(test_error__may_be_left_out),
        cmocka_unit_test(test_error__long_texts_are_cut),
        cmocka_unit_test(test_error__names_of_users_are_no_parameters),
        cmocka_unit_test(test_error__text_may_be_built_from_itself),
        cmocka_unit_test(test_error__cut_texts_stay_utf8),
        cmocka_unit_test(test_error__cut_places_and_messages_stay_utf8),
        cmocka_unit_test(test_error__place_may_be_passed_on),
        cmocka_unit_test(test_status__every_code_has_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
