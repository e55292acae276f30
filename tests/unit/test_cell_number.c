/* Numbers as people write them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/judge/judge_cells.h"

#define POUND "\xc2\xa3"
#define EURO "\xe2\x82\xac"

static void test_styled__value_by_decimal_sign(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double point; /* NaN: no number */
        double comma;
    } CASES[] = {
        {"12", 12, 12},
        {"1.5", 1.5, NAN},
        {"1,5", NAN, 1.5},
        {"1,234", 1234, 1.234},
        {"1.234", 1.234, 1234},
        {"0,123", NAN, 0.123},
        {"-1.234,5", NAN, -1234.5},
        {"1,234.5", 1234.5, NAN},
        {"1,234,567", 1234567, NAN},
        {"1.234.567", NAN, 1234567},
        {"12,34,567.5", 1234567.5, NAN},
        {"1 234", 1234, 1234},
        {"1 234,5", NAN, 1234.5},
        {"1\xc2\xa0"
         "234",
         1234, 1234},
        {"1\xe2\x80\xaf"
         "234",
         1234, 1234},
        {"1'234.50", 1234.5, NAN},
        {"$12.30", 12.3, NAN},
        {" $ (12.30)", -12.3, NAN},
        {" $ -   ", 0, 0},
        {"-   \xe2\x82\xac", 0, 0},
        {"1\xc2\xbd", NAN, NAN},
        {"-$12.30", -12.3, NAN},
        {"$-12.30", -12.3, NAN},
        {"$1.5M", 1500000, NAN},
        {"-$20k", -20000, -20000},
        {EURO "1,5 bn", NAN, 1500000000},
        {"Rs. 620", 620, 620},
        {"\xe2\x80\x93"
         "1.5",
         -1.5, NAN}, /* an en dash */
        {"($1,234.50)", -1234.5, NAN},
        {"12,30 " EURO, NAN, 12.3},
        {EURO " 12", 12, 12},
        {POUND "5", 5, 5},
        {"USD 5", 5, 5},
        {"5 CHF", 5, 5},
        {"45%", 45, 45},
        {"45 %", 45, 45},
        {"-4,5%", NAN, -4.5},
        {"12.30-", -12.3, NAN},
        {"1,5e3", NAN, 1500},
        {".5", 0.5, NAN},
        {",5", NAN, 0.5},
        {"1,23,4", NAN, NAN},
        {"1,2345,678", NAN, NAN},
        {"0,123,456", NAN, NAN},
        {"1.2.3", NAN, NAN},
        {"192.168.0.1", NAN, NAN},
        {"12 34", NAN, NAN},
        {"a5", NAN, NAN},
        {"5a", NAN, NAN},
        {"", NAN, NAN},
        {"-", NAN, NAN},
        {"$", NAN, NAN},
        {"%", NAN, NAN},
        {"--5", NAN, NAN},
        {"5e", NAN, NAN},
        {"2024-01-02", NAN, NAN},
        {"1e999", NAN, NAN},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *text = CASES[i].text;
        const double wanted[2] = {CASES[i].point, CASES[i].comma};
        for (int s = 0; s < 2; s++) {
            double value = NAN;
            const bool is = pt_number_styled(text, strlen(text), ".,"[s], "", &value);
            if (is != !isnan(wanted[s]) || (is && value != wanted[s]))
                fail_msg("%s with %c: %d %g", text, ".,"[s], is, value);
        }
    }
}

static void test_signs__what_a_text_is_sure_of(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *signs; /* p c: sure; e: either comma, o: either point; then the thousands */
    } CASES[] = {
        {"12", ""},          {"1.5", "p"},      {"1,5", "c"},      {"1,234", "e"},
        {"1.234", "o"},      {"0.234", "p"},    {"0,234", "c"},    {"1234,567", "c"},
        {"1,234,567", "p,"}, {"1.234,5", "c."}, {"1,234.5", "p,"}, {"1 234", " "},
        {"1'234.5", "p'"},   {"$1,234", "e$"},  {"12,3%", "c%"},   {"12%", "%"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        pt_number_signs s;
        char found[16] = "";
        assert_true(pt_number_signs_of(CASES[i].text, strlen(CASES[i].text), &s));
        const char thousands[2] = {s.thousands, '\0'};
        snprintf(found, sizeof found, "%s%s%s%s%s%s%s", s.point ? "p" : "", s.comma ? "c" : "",
                 s.either_comma ? "e" : "", s.either_point ? "o" : "", thousands,
                 s.currency ? "$" : "", s.percent ? "%" : "");
        if (strcmp(found, CASES[i].signs) != 0)
            fail_msg("%s: %s", CASES[i].text, found);
    }
}

static void test_styled__one_unit_and_no_other(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *unit;
        double value; /* NaN: no number */
    } CASES[] = {
        {"12.3 kg", "kg", 12.3},
        {"12.3kg", "kg", 12.3},
        {"-5 km/h", "km/h", -5},
        {"7", "kg", 7},
        {"1e3 m2", "m2", 1000},
        {"1,234.5 eV", "eV", 1234.5},
        {"5 \xc2\xb0"
         "C",
         "\xc2\xb0"
         "C",
         5},
        {"12 kg", "", NAN},
        {"12 lb", "kg", NAN},
        {"12 Dec 2024", "Dec", NAN},
        {"$5", "kg", NAN},
        {"$5", "", 5},
        {"5 USD", "$", 5},
        {"5 EUR", "$", NAN},
        {"kg", "kg", NAN},
        {"5 kg 3", "kg", NAN},
        {"5 kilogramspersecond", "kilogramspersecond", NAN},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double value = 0;
        const bool is =
            pt_number_styled(CASES[i].text, strlen(CASES[i].text), '.', CASES[i].unit, &value);
        if (is != !isnan(CASES[i].value) || (is && value != CASES[i].value))
            fail_msg("'%s' in '%s'", CASES[i].text, CASES[i].unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styled__one_unit_and_no_other),
        cmocka_unit_test(test_styled__value_by_decimal_sign),
        cmocka_unit_test(test_signs__what_a_text_is_sure_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
