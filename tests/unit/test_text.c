/* Texts: lists, patterns, numbers as people write them. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/text.h"

static void test_text__patterns(void **state)
{
    (void)state;
    const struct {
        const char *text, *pattern;
        bool matches;
    } cases[] = {
        {"color", "color", true},
        {"color", "col*", true},
        {"color", "*r", true},
        {"color", "c?l?r", true},
        {"color", "c?l", false},
        {"color", "", false},
        {"color", "a,b,c*", true},
        {"color", "a,,b", false},
        {"color", "*", true},
        {"", "*", true},
        {"", "?", false},
        {"aab", "*ab", true},
        {"aaaaaaab", "*a*a*b", true},
        {"label_1", "label_*", true},
        {"x", "xy", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(pt_text_matches(cases[i].text, cases[i].pattern), cases[i].matches);
}

static void test_text__sizes_in_units_that_fit(void **state)
{
    (void)state;
    const struct {
        double bytes;
        const char *shown;
    } cases[] = {{0, "0 B"},         {1, "1 B"},           {999, "999 B"},     {1000, "1.0 kB"},
                 {1024, "1.0 kB"},   {999949, "999.9 kB"}, {999951, "1.0 MB"}, {60e6, "60.0 MB"},
                 {1.25e9, "1.2 GB"}, {7e15, "7.0 PB"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char shown[PT_BYTES_SHOWN];
        assert_string_equal(pt_bytes_show(cases[i].bytes, shown), cases[i].shown);
    }
}

static void test_text__lists_change_hands(void **state)
{
    (void)state;
    const int64_t before = pt_alloc_live();
    pt_error err = PT_ERROR_INIT;
    pt_texts a = {0};
    pt_texts b = {0};
    for (int i = 0; i < 500; i++) {
        assert_int_equal(pt_texts_add(&a, &err, "text %d", i), PT_OK);
        assert_int_equal(pt_texts_add(&b, &err, "%*d", 10 * i, i), PT_OK);
    }
    assert_int_equal(pt_texts_set(&a, 7, "seven", &err), PT_OK);
    assert_true(pt_texts_take_letters(&a, &b) >= 500 * sizeof(char *));
    assert_int_equal(pt_texts_add_taken(&a, NULL, b.items[3], &err), PT_OK);
    pt_texts_free(&b);
    assert_int_equal(pt_texts_add(&a, &err, "the last"), PT_OK);
    assert_string_equal(a.items[7], "seven");
    assert_string_equal(a.items[499], "text 499");
    assert_int_equal(strtol(a.items[500], NULL, 10), 3);
    assert_int_equal(strlen(a.items[500]), 30);
    assert_string_equal(pt_texts_get(&a, 501), "the last");
    assert_null(pt_texts_get(&a, 502));
    pt_texts_free(&a);
    assert_int_equal(pt_alloc_live(), before);
}

static void test_text__reals(void **state)
{
    (void)state;
    double value = 0;
    assert_true(pt_text_to_real("2^-4", &value) && value == 0.0625);
    assert_true(pt_text_to_real("1e-3", &value) && value == 1e-3);
    assert_true(pt_text_to_real("-7", &value) && value == -7);
    const char *const wrong[] = {"",   " 1", "\t1",   "\n1", "1 ",  "1x",
                                 "2^", "^2", "2^3^4", "1,5", "2^ 3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(pt_text_to_real(wrong[i], &value));
}

static void test_text__reals_of_many_digits(void **state)
{
    (void)state;
    double value = 0;
    assert_true(pt_text_to_real("0.1000000000000000055511151231257827021181583404541015625000000000"
                                "000000000000000000000000000000000000000000000000000000000000",
                                &value));
    assert_true(value == 0.1);
}

/* A comma as decimal point in the program's locale changes nothing. */
static void test_text__reals_do_not_follow_the_locale(void **state)
{
    (void)state;
    double value = 0;
    const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
    bool found = false;
    for (size_t i = 0; i < 3 && !found; i++)
        found = setlocale(LC_ALL, names[i]) != NULL;
    char text[PT_REAL_ROOM];
    pt_real_to_text(-0.1, text);
    const bool good = pt_text_to_real("1.5", &value) && value == 1.5;
    setlocale(LC_ALL, "C");
    assert_true(good);
    assert_string_equal(text, "-0.1");
}

static void test_text__reals_read_back_as_the_same_bits(void **state)
{
    (void)state;
    const double values[] = {0.1, 1.0 / 3, -DBL_MAX, DBL_TRUE_MIN, 1e22, 0, -INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[PT_REAL_ROOM];
        double back = 0;
        pt_real_to_text(values[i], text);
        assert_true(pt_text_to_real(text, &back) && back == values[i]);
    }
    char text[PT_REAL_ROOM];
    double back = 0;
    pt_real_to_text(NAN, text);
    assert_true(pt_text_to_real(text, &back) && isnan(back));
}

static void test_text__integers(void **state)
{
    (void)state;
    int64_t value = 0;
    assert_true(pt_text_to_integer("-12", &value) && value == -12);
    assert_true(pt_text_to_integer("9223372036854775807", &value) && value == INT64_MAX);
    const char *const wrong[] = {"",     " 1",  "\t1", "\v1", "1.0", "9223372036854775808",
                                 "0x10", "1e3", "-",   "+"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(pt_text_to_integer(wrong[i], &value));
}

static void test_texts__own_what_they_hold(void **state)
{
    (void)state;
    pt_texts texts = {0};
    pt_texts copy = {0};
    for (int i = 0; i < 100; i++)
        assert_int_equal(pt_texts_add(&texts, NULL, "number %d", i), PT_OK);
    assert_int_equal(pt_texts_copy(&copy, &texts, NULL), PT_OK);
    pt_texts_free(&texts);
    assert_int_equal(copy.count, 100);
    assert_string_equal(pt_texts_get(&copy, 99), "number 99");
    assert_null(pt_texts_get(&copy, 100));
    assert_null(pt_texts_get(&copy, -1));
    pt_texts_free(&copy);
}

static void test_texts__failed_copy_leaves_nothing(void **state)
{
    (void)state;
    pt_texts texts = {0};
    for (int i = 0; i < 20; i++)
        assert_int_equal(pt_texts_add(&texts, NULL, "number %d", i), PT_OK);
    const int64_t live = pt_alloc_live();
    for (int64_t number = 1;; number++) {
        pt_texts copy = {0};
        pt_alloc_fail_from(number);
        pt_status status = pt_texts_copy(&copy, &texts, NULL);
        pt_alloc_fail_from(0);
        if (status == PT_OK) {
            assert_true(number > 4); /* items and letters, some times */
            pt_texts_free(&copy);
            break;
        }
        assert_int_equal(status, PT_ENOMEM);
        assert_int_equal(pt_alloc_live(), live);
    }
    pt_texts_free(&texts);
}

static void test_text__what_is_utf8(void **state)
{
    (void)state;
    static const char *const good[] = {"",
                                       "a",
                                       "caf\xc3\xa9",
                                       "\xe2\x82\xac",
                                       "\xed\x9f\xbf",
                                       "\xef\xbf\xbd",
                                       "\xf0\x9f\x98\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\xe9",         "caf\xe9",          "\x80",
                                      "\xc3",         "\xc0\x80",         "\xe0\x80\x80",
                                      "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xe2\x82",
                                      "\xe2\x82 ",    "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80",
                                      "\xff\xfe",     "\xf0\x9f\x98"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(pt_text_is_utf8(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(pt_text_is_utf8(bad[i]));
}

static void format(char *out, size_t size, const char *format, ...) PT_PRINTF(3, 4);
static void format(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pt_text_format(out, size, format, args);
    va_end(args);
}

/* Without backquotes it is what snprintf writes, wherever it is cut. */
#define assert_as_printed(...)                            \
    for (size_t size = 1; size <= sizeof given; size++) { \
        memset(given, 'x', sizeof given);                 \
        format(given, size, __VA_ARGS__);                 \
        snprintf(wanted, size, __VA_ARGS__);              \
        assert_string_equal(given, wanted);               \
    }

static void test_text__the_same_letters_in_windows_1252(void **state)
{
    (void)state;
    static const struct {
        const char *utf8;
        const char *windows;
    } SAME[] = {{"Gr\xc3\xb6\xc3\x9f"
                 "e",
                 "Gr\xf6\xdf"
                 "e"},
                {"\xc2\xb5g/l", "\xb5g/l"},
                {"Preis \xe2\x82\xac", "Preis \x80"},
                {"\xc5\xb8", "\x9f"}};
    for (size_t s = 0; s < sizeof SAME / sizeof *SAME; s++) {
        assert_true(pt_text_recoded(SAME[s].utf8, SAME[s].windows));
        assert_true(pt_text_recoded(SAME[s].windows, SAME[s].utf8));
        assert_false(pt_text_recoded(SAME[s].utf8, SAME[s].utf8)); /* nothing is recoded */
        assert_false(pt_text_recoded(SAME[s].windows, SAME[s].windows));
        for (size_t t = 0; t < sizeof SAME / sizeof *SAME; t++)
            assert_true(s == t || !pt_text_recoded(SAME[s].utf8, SAME[t].windows));
    }
    assert_false(pt_text_recoded("", "") || pt_text_recoded("a", "a"));
    assert_false(pt_text_recoded("\xc3\xb6", "\xf6x") || pt_text_recoded("\xc3\xb6x", "\xf6"));
    assert_false(pt_text_recoded("\xf6", "")); /* of two that end at once both are UTF-8 */
}

static void test_format__is_that_of_snprintf(void **state)
{
    (void)state;
    char given[80];
    char wanted[80];
    assert_as_printed("%s", "");
    assert_as_printed("no conversion, 100%% sure");
    assert_as_printed("%d %lld %zu %u %x %llu %ld|", -1, -5LL, (size_t)7, 8u, 255u, 9ULL, -10L);
    assert_as_printed("%g %.3g %.2e %.1f %c|", 1e100, 1.0 / 3, 12345.678, 2.25, 'q');
    assert_as_printed("%s %.3s %.*s %5s|", "one", "three", 2, "four", "ab");
    assert_as_printed("%s",
                      "a text that is longer than there is room for it, in all of the sizes!!");
    assert_as_printed("%.*g %016llx|", 4, 1.0 / 3, 0x1234ULL);
}

static void test_format__backquotes_are_ours(void **state)
{
    (void)state;
    char text[80];
    format(text, sizeof text, "`%s` is ours, %s is not, %-s is", "C", "`C`", "`C`");
    assert_string_equal(text, "`C` is ours, 'C' is not, `C` is");
    format(text, 8, "%s%s", "````", "````````");
    assert_string_equal(text, "'''''''");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__the_same_letters_in_windows_1252),
        cmocka_unit_test(test_format__is_that_of_snprintf),
        cmocka_unit_test(test_format__backquotes_are_ours),
        cmocka_unit_test(test_text__what_is_utf8),
        cmocka_unit_test(test_text__patterns),
        cmocka_unit_test(test_text__sizes_in_units_that_fit),
        cmocka_unit_test(test_text__lists_change_hands),
        cmocka_unit_test(test_text__reals),
        cmocka_unit_test(test_text__reals_of_many_digits),
        cmocka_unit_test(test_text__reals_do_not_follow_the_locale),
        cmocka_unit_test(test_text__reals_read_back_as_the_same_bits),
        cmocka_unit_test(test_text__integers),
        cmocka_unit_test(test_texts__own_what_they_hold),
        cmocka_unit_test(test_texts__failed_copy_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
