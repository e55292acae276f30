/* Numbers in text: the scanner against strtod, bit for bit; the formatter against the scanner. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "data/read/number.h"

/* Millions of cases where it is fast, fewer under sanitizers. */
#ifdef NDEBUG
enum { SCALE = 100 };
#else
enum { SCALE = 4 };
#endif

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The scanner, the quick scanner and strtod must agree on `text`, which a newline follows. */
static void check(char *text, size_t length)
{
    text[length] = '\0';
    char *strtod_end = NULL;
    const double expected = strtod(text, &strtod_end);
    const char *next = NULL;
    double got = 0;
    const pt_number kind = pt_number_scan(text, text + length, &next, &got);
    const bool same = kind != PT_NUMBER_NONE && bits_of(got) == bits_of(expected) &&
                      next == strtod_end &&
                      (kind == PT_NUMBER_NOT_FINITE) == (bool)!isfinite(expected);
    if (!same)
        fail_msg("'%s': strtod %a, scanner %a (kind %d)", text, expected, got, kind);
    text[length] = '\n';
    if (pt_number_quick(text, text + length + 1, &next, &got) &&
        (bits_of(got) != bits_of(expected) || next != strtod_end))
        fail_msg("'%s': strtod %a, quick scanner %a", text, expected, got);
}

static void check_text(const char *text)
{
    char copy[1200];
    const size_t length = strlen(text);
    assert_true(length < sizeof copy);
    memcpy(copy, text, length + 1);
    check(copy, length);
}

static void test_scan__hard_cases_equal_strtod(void **state)
{
    (void)state;
    static const char *const CASES[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "-0.0",
        "00000",
        ".5",
        "5.",
        "-.5e1",
        "1e5",
        "1E+5",
        "1e-5",
        "1e",
        "1e+",
        "1e-",
        "1.5ex",
        "12abc",
        "1..2",
        "1.2.3",
        "123456789012345678901234567890",
        "0.1",
        "0.2",
        "0.3",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992",
        "9007199254740991",
        "9007199254740993e-3",
        "18446744073709551615",
        "18446744073709551616",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e308",
        "1e309",
        "-1e400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "2.225073858507201e-308",
        "1e-400",
        "0e400",
        "0e-400",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000000000000000000000000000000000000000000",
        "8.5",
        "0.5",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "1.000000000000000333066907387546962127089500427246093750000000000001",
        "9214843084008499",
        "0.500000000000000166533453693773481063544750213623046875",
        "30078505129381147446200",
        "1448997445238699",
        "6.035e23",
        "8.41e21",
        "9.5e-23",
        "3.5844466002796428e+298",
        "7.2057594037927933e+16",
        "5e-324",
        "1e64",
        "1e65",
        "1e-64",
        "1e-65",
        "123456789e-64",
        "9999999999999999999e64",
        "inf",
        "INF",
        "-inf",
        "Infinity",
        "infinit",
        "nan",
        "NaN",
        "-nan",
        "nan(",
        "nan(12a_)",
        "nan(-)",
        "1_000",
        "1,5",
        "1 ",
        "89255.0e-22",
        "104110013277974872254e-225",
        "2.47032822920623272e-324"};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *text = CASES[i];
        char *end = NULL;
        const double expected = strtod(text, &end);
        const char *next = NULL;
        double got = 0;
        const pt_number kind = pt_number_scan(text, text + strlen(text), &next, &got);
        assert_true(kind != PT_NUMBER_NONE);
        if (isnan(expected))
            assert_true(isnan(got));
        else if (bits_of(got) != bits_of(expected))
            fail_msg("'%s': strtod %a, scanner %a", text, expected, got);
        assert_ptr_equal(next, end);
    }
}

static void test_scan__what_is_no_number(void **state)
{
    (void)state;
    static const char *const CASES[] = {"",   "-",  "+",   ".",   "-.", "e5",  ".e5", "abc",
                                        "in", "na", "--1", "+-1", " 1", "'1'", "\n"};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *next = NULL;
        double value = 0;
        const char *text = CASES[i];
        assert_int_equal(pt_number_scan(text, text + strlen(text), &next, &value), PT_NUMBER_NONE);
    }
    double value = 0;
    assert_int_equal(pt_number_parse(" 2.5\t", 5, &value), PT_NUMBER_FINITE);
    assert_true(value == 2.5);
    assert_int_equal(pt_number_parse("2.5 x", 5, &value), PT_NUMBER_NONE);
    assert_int_equal(pt_number_parse("0x10", 4, &value), PT_NUMBER_NONE);
    assert_int_equal(pt_number_parse("  ", 2, &value), PT_NUMBER_NONE);
    assert_int_equal(pt_number_parse("1e400", 5, &value), PT_NUMBER_NOT_FINITE);
}

/* Every digit up to hundreds of them, and texts far longer than any double needs. */
static void test_scan__long_texts(void **state)
{
    (void)state;
    enum { LONG = 100000 };
    char *text = malloc(LONG + 64);
    pt_random random;
    pt_random_init(&random, 5, PT_RANDOM_TEST, 1);
    for (int round = 0; round < 40; round++) {
        const size_t length = round < 30 ? 20 + 30 * (size_t)round : LONG;
        for (size_t i = 0; i < length; i++)
            text[i] = (char)('0' + (round % 3 == 2 ? 0 : pt_random_below(&random, 10)));
        if (round % 3 == 2)
            text[length - 1] = '1'; /* zeros and a 1 at the very end */
        text[round % 2] = '.';
        const int tail =
            snprintf(text + length, 64, "e%d", (int)pt_random_below(&random, 700) - 350);
        check(text, length + (size_t)tail);
    }
    /* halfway between two doubles, and a digit far behind that decides */
    const char *half = "1.00000000000000011102230246251565404236316680908203125";
    for (int last = 0; last < 2; last++) {
        size_t length = strlen(half);
        memcpy(text, half, length);
        memset(text + length, '0', 2000);
        length += 2000;
        text[length++] = (char)('0' + last);
        check(text, length);
    }
    free(text);
}

static size_t put_u64(char *out, uint64_t number)
{
    char reversed[20];
    size_t n = 0;
    do {
        reversed[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    for (size_t i = 0; i < n; i++)
        out[i] = reversed[n - 1 - i];
    return n;
}

/* Decimals as files have them: random digits, random place of the point, sometimes an exponent. */
static void test_scan__random_decimals_equal_strtod(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 11, PT_RANDOM_TEST, 2);
    char text[64];
    for (int64_t i = 0; i < 70000 * (int64_t)SCALE; i++) {
        const uint32_t shape = pt_random_u32(&random);
        const uint64_t digits = pt_random_u64(&random) >> (shape % 64);
        size_t used = 0;
        if (shape & 0x100)
            text[used++] = shape & 0x200 ? '-' : '+';
        char number[24];
        const size_t n = put_u64(number, digits);
        const size_t point = (shape >> 10) % (n + 2); /* n, n + 1: none */
        for (size_t j = 0; j < n; j++) {
            if (j == point)
                text[used++] = '.';
            text[used++] = number[j];
        }
        if (shape & 0x80000000u) {
            const int range = shape & 0x40000000u ? 30 : 345;
            const int exponent = (int)((shape >> 16) & 0x3fff) % (2 * range) - range;
            text[used++] = 'e';
            if (exponent < 0)
                text[used++] = '-';
            used += put_u64(text + used, (uint64_t)abs(exponent));
        }
        check(text, used);
    }
}

/* Doubles of random bits with 17 digits and fewer, and their neighbours' midpoints nearly. */
static void test_scan__random_doubles_equal_strtod(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 12, PT_RANDOM_TEST, 3);
    char text[64];
    for (int64_t i = 0; i < 30000 * (int64_t)SCALE; i++) {
        uint64_t bits = pt_random_u64(&random);
        if (i % 2) /* near 1, where data live */
            bits = (bits & 0x800fffffffffffffu) | (uint64_t)(1023 - 40 + bits % 80) << 52;
        double value = 0;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        const int digits = 15 + (int)(i % 6);
        const int used = snprintf(text, sizeof text, "%.*e", digits, value);
        check(text, (size_t)used);
    }
}

/* The table of powers, checked by the rounding of w * 10^q against strtod at the worst places: w
 * around powers of two and ten. */
static void test_scale__every_power(void **state)
{
    (void)state;
    for (int64_t q = -64; q <= 64; q++)
        for (int shift = 0; shift < 64; shift++)
            for (int64_t step = -2; step <= 2; step++) {
                const uint64_t w = ((uint64_t)1 << shift) + (uint64_t)step;
                double value = 0;
                if (w == 0 || w > UINT64_MAX - 2 || !pt_number_scale(w, q, &value))
                    continue;
                char text[64];
                snprintf(text, sizeof text, "%" PRIu64 "e%" PRId64, w, q);
                if (value != strtod(text, NULL))
                    fail_msg("%s: %a instead of %a", text, value, strtod(text, NULL));
            }
    double value = 0;
    assert_false(pt_number_scale(1, 65, &value));
    assert_false(pt_number_scale(1, -65, &value));
}

/* The fallback is rare, else the scanner is slow: at most one case in 1000. */
static void test_scale__is_nearly_always_sure(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 14, PT_RANDOM_TEST, 4);
    int unsure = 0;
    for (int i = 0; i < 100000; i++) {
        double value = 0;
        const uint64_t w = pt_random_u64(&random) | 1;
        unsure += !pt_number_scale(w, pt_random_below(&random, 129) - 64, &value);
    }
    assert_true(unsure < 100);
}

/* Eight and four bytes at once against one digit after the other, for digits mixed with others. */
static void test_digits__at_once_are_as_one_by_one(void **state)
{
    (void)state;
    static const char BYTES[] = "0189/:. \n-e\x80\xff\x76";
    const int count = (int)sizeof BYTES; /* the zero byte too */
    pt_random random;
    pt_random_init(&random, 15, PT_RANDOM_TEST, 6);
    for (int i = 0; i < 4000 * SCALE; i++) {
        char text[9];
        for (int j = 0; j < 8; j++)
            text[j] = BYTES[pt_random_below(&random, pt_random_below(&random, 3) ? 4 : count)];
        text[8] = '\n';
        uint64_t expected = 0;
        int digits = 0;
        while (text[digits] >= '0' && text[digits] <= '9')
            expected = 10 * expected + (uint64_t)(text[digits++] - '0');
        uint64_t number = 7;
        assert_int_equal(pt_digits8(text, &number), digits);
        assert_true(number == expected);
        double value = -1;
        assert_int_equal(pt_digits3(text, &value), digits <= 3 ? digits : 0);
        if (digits >= 1 && digits <= 3)
            assert_true(value == (double)expected);
    }
}

static void check_format(double value)
{
    char text[PT_NUMBER_ROOM];
    const int length = pt_number_format(value, text);
    assert_int_equal(length, strlen(text));
    double back = 0;
    const pt_number kind = pt_number_parse(text, (size_t)length, &back);
    if (kind != PT_NUMBER_FINITE || bits_of(back) != bits_of(value) ||
        bits_of(strtod(text, NULL)) != bits_of(value))
        fail_msg("%a is written '%s'", value, text);
}

static void test_format__reads_as_the_same_bits(void **state)
{
    (void)state;
    static const double CASES[] = {
        0.0,        -0.0,  1,      -1,       0.1,     0.5,         1.0 / 3,  1e22,
        1e23,       1e300, 1e-300, DBL_MAX,  DBL_MIN, DBL_EPSILON, 4.9e-324, 0x1p53,
        0x1p53 + 2, 1e15,  1e16,   123456.7, 1e-5,    1e-6,        0.00012,  12345678901234567.0};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        check_format(CASES[i]);
        check_format(-CASES[i]);
    }
    pt_random random;
    pt_random_init(&random, 13, PT_RANDOM_TEST, 5);
    for (int64_t i = 0; i < 4000 * (int64_t)SCALE; i++) {
        uint64_t bits = pt_random_u64(&random);
        double value = 0;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            check_format(value);
        check_format((double)(int64_t)(bits >> (bits % 64)) / pt_powers_of_ten[bits % 12]);
    }
}

static void test_format__is_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } CASES[] = {{0, "0"},         {-0.0, "-0"},
                 {1, "1"},         {0.1, "0.1"},
                 {-2.25, "-2.25"}, {1e22, "1e22"},
                 {255, "255"},     {0.001, "0.001"},
                 {3e-7, "3e-7"},   {1e300, "1e300"},
                 {1e16, "1e16"},   {5.1, "5.1"},
                 {4.35, "4.35"},   {1.0 / 3, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[PT_NUMBER_ROOM];
        pt_number_format(CASES[i].value, text);
        if (CASES[i].value == 1e16)
            assert_true(strlen(text) <= 17);
        else
            assert_string_equal(text, CASES[i].text);
    }
    check_text("1e16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan__hard_cases_equal_strtod),
        cmocka_unit_test(test_scan__what_is_no_number),
        cmocka_unit_test(test_scan__long_texts),
        cmocka_unit_test(test_scan__random_decimals_equal_strtod),
        cmocka_unit_test(test_scan__random_doubles_equal_strtod),
        cmocka_unit_test(test_digits__at_once_are_as_one_by_one),
        cmocka_unit_test(test_scale__every_power),
        cmocka_unit_test(test_scale__is_nearly_always_sure),
        cmocka_unit_test(test_format__reads_as_the_same_bits),
        cmocka_unit_test(test_format__is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
