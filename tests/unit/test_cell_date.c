/* Dates and times as people write them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/judge/judge_cells.h"

enum { YMD = 1, DMY = 2, MDY = 4, ANY = 7, MD = 8 };

static void test_date__forms_and_days(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int orders; /* -1: no date */
        double days;
        pt_date_order order;
    } CASES[] = {
        {"1970-01-01", YMD, 0, PT_DATE_YMD},
        {"2024-02-29", YMD, 19782, PT_DATE_YMD},
        {"2023-02-29", -1, 0, PT_DATE_YMD},
        {"2024/2/29", YMD, 19782, PT_DATE_YMD},
        {"29.02.2024", DMY, 19782, PT_DATE_DMY},
        {"29.02.2024 6:00 p.m.", DMY, 19782.75, PT_DATE_DMY},
        {"29.02.2024 18h00", DMY, 19782.75, PT_DATE_DMY},
        {"29.02.2024 6:00 p.m", -1, 0, PT_DATE_DMY},
        {"20240229", YMD, 19782, PT_DATE_YMD},
        {"29022024", DMY, 19782, PT_DATE_DMY},
        {"02292024", MDY, 19782, PT_DATE_MDY},
        {"20101012", YMD, 14894, PT_DATE_YMD}, /* not the 20th of October of 1012 */
        {"2/29/2024", MDY, 19782, PT_DATE_MDY},
        {"03/04/2024", DMY | MDY, 19816, PT_DATE_DMY},
        {"03/04/2024", DMY | MDY, 19786, PT_DATE_MDY},
        {"31/12/99", DMY, 10956, PT_DATE_DMY},
        {"2024-01", ANY, 19723, PT_DATE_YMD},
        {"1/2024", ANY, 19723, PT_DATE_DMY},
        {"29 Feb 2024", ANY, 19782, PT_DATE_YMD},
        {"29-Feb-24", ANY, 19782, PT_DATE_YMD},
        {"February 29, 2024", ANY, 19782, PT_DATE_YMD},
        {"Thu, 29 Feb 2024", ANY, 19782, PT_DATE_YMD},
        {"Feb 29th 2024", ANY, 19782, PT_DATE_YMD},
        {"29th February 2024", ANY, 19782, PT_DATE_YMD},
        {"Sept 1 2024", ANY, 19967, PT_DATE_YMD},
        {"Mar 1, 2024", ANY, 19783, PT_DATE_YMD}, /* not a mardi */
        {"mar. 5 mars 2024", ANY, 19787, PT_DATE_YMD},
        {"2024-02-29T12:00:00Z", YMD, 19782.5, PT_DATE_YMD},
        {"2024-02-29 06:00", YMD, 19782.25, PT_DATE_YMD},
        {"2024-02-29T18:00:00.000+02:00", YMD, 19782.75, PT_DATE_YMD},
        {"2024-02-29 18:00:00 CET", YMD, 19782.75, PT_DATE_YMD},
        {"2/29/2024 6:00 PM", MDY, 19782.75, PT_DATE_MDY},
        {"29. Februar 2024", ANY, 19782, PT_DATE_YMD},
        {"Donnerstag, 29. Feb. 2024", ANY, 19782, PT_DATE_YMD},
        {"1. M\xc3\xa4rz 2024", ANY, 19783, PT_DATE_YMD},
        {"1. M\xe4rz 2024", ANY, 19783, PT_DATE_YMD}, /* Latin-1 */
        {"29 f\xc3\xa9vrier 2024", ANY, 19782, PT_DATE_YMD},
        {"1er ao\xc3\xbbt 2024", ANY, 19936, PT_DATE_YMD},
        {"29 de febrero de 2024", ANY, 19782, PT_DATE_YMD},
        {"1 jui 2024", -1, 0, PT_DATE_YMD}, /* juin or juillet */
        {"29 fever 2024", ANY, 19782, PT_DATE_YMD},
        {"29 foo 2024", -1, 0, PT_DATE_YMD},
        {"03.04.05", ANY, 12876, PT_DATE_DMY},
        {"20240229T1200Z", YMD, 19782.5, PT_DATE_YMD},
        {"20240229T060000", YMD, 19782.25, PT_DATE_YMD},
        {"20240230", -1, 0, PT_DATE_YMD},
        {"2024/02/29 6:00:00 PM GMT+1", YMD, 19782.75, PT_DATE_YMD},
        {"2024-02-29 18:00 UTC-03:30", YMD, 19782.75, PT_DATE_YMD},
        {"12:00", 0, 0.5, PT_DATE_YMD},
        {"12:00 am", 0, 0, PT_DATE_YMD},
        {"06:00:00", 0, 0.25, PT_DATE_YMD},
        {"36:00:00", 0, 1.5, PT_DATE_YMD},
        {"2024-02-29 12:00:00.5 +0000 UTC", YMD, 19782.5 + 0.5 / 86400, PT_DATE_YMD},
        {"3 days 06:00:00", 0, 3.25, PT_DATE_YMD},
        {"1 day, 12:00:00", 0, 1.5, PT_DATE_YMD},
        {"3 days", -1, 0, PT_DATE_YMD},
        {"[29/Feb/2024:12:00:00 +0000]", ANY, 19782.5, PT_DATE_YMD},
        {"29FEB2024:06:00:00", ANY, 19782.25, PT_DATE_YMD},
        {"29-FEB-24 06.00.00.000000 PM", ANY, 19782.75, PT_DATE_YMD},
        {"Thu Feb 29 12:00:00 CET 2024", ANY, 19782.5, PT_DATE_YMD},
        {"Thu Feb 29 12:00:00 2024", ANY, 19782.5, PT_DATE_YMD},
        {"Thu Feb 29 12:00:00 CET 20244", -1, 0, PT_DATE_YMD},
        {"20240229120000", ANY, 19782.5, PT_DATE_YMD},
        {"202402291200", ANY, 19782.5, PT_DATE_YMD},
        {"20240229126000", -1, 0, PT_DATE_YMD},
        {"30240229120000", -1, 0, PT_DATE_YMD},
        {"2024\xe5\xb9\xb4"
         "2\xe6\x9c\x88"
         "29\xe6\x97\xa5",
         ANY, 19782, PT_DATE_YMD},
        {"2024\xeb\x85\x84 2\xec\x9b\x94 29\xec\x9d\xbc", ANY, 19782, PT_DATE_YMD},
        {"donderdag 29 februari 2024", ANY, 19782, PT_DATE_YMD},
        {"1 mrt 2024", ANY, 19783, PT_DATE_YMD},
        {"1 maj 2024", ANY, 19844, PT_DATE_YMD},
        {"1.2", -1, 0, PT_DATE_YMD},
        {"1.2.3", -1, 0, PT_DATE_YMD},
        {"12", -1, 0, PT_DATE_YMD},
        {"13/13/2024", -1, 0, PT_DATE_YMD},
        {"555-12-3456", -1, 0, PT_DATE_YMD},
        {"555-1234", -1, 0, PT_DATE_YMD},
        {"12:60", -1, 0, PT_DATE_YMD},
        {"2024-01-02x", -1, 0, PT_DATE_YMD},
        {"2024-01-02 25:00", -1, 0, PT_DATE_YMD},
        {"maybe", -1, 0, PT_DATE_YMD},
        {"2024 Feb", ANY, 19754, PT_DATE_YMD},
        {"2024-Feb", ANY, 19754, PT_DATE_YMD},
        {"Jul-23", ANY | MD, 19539, PT_DATE_YMD},
        {"Jul-23", ANY | MD, 11161, PT_DATE_MD},
        {"Jul-45", ANY, 27575, PT_DATE_DMY},
        {"Jul'23", ANY, 19539, PT_DATE_YMD},
        {"JUL23", ANY, 19539, PT_DATE_YMD},
        {"JUL5", -1, 0, PT_DATE_YMD},
        {"Jul-5", MD, 11143, PT_DATE_MD},
        {"May 5th", MD, 11082, PT_DATE_MD},
        {"29-Feb", MD, 11016, PT_DATE_MD},
        {"30-Feb", -1, 0, PT_DATE_YMD},
        {"98-Jul", YMD, 10408, PT_DATE_YMD},
        {"29. Februar", MD, 11016, PT_DATE_MD},
        {"Feb 29 12:00:00", MD, 11016.5, PT_DATE_MD},
        {"29 Feb 12:00", MD, 11016.5, PT_DATE_MD},
        {"3 set", -1, 0, PT_DATE_YMD},
        {"5 out", -1, 0, PT_DATE_YMD},
        {"2024 Q2", ANY, 19814, PT_DATE_YMD},
        {"2024-Q2", ANY, 19814, PT_DATE_MDY},
        {"2024q4", ANY, 19997, PT_DATE_YMD},
        {"Q1 2024", ANY, 19723, PT_DATE_YMD},
        {"Q3-24", ANY, 19905, PT_DATE_YMD},
        {"3Q24", ANY, 19905, PT_DATE_YMD},
        {"Q5 2024", -1, 0, PT_DATE_YMD},
        {"Q10", -1, 0, PT_DATE_YMD},
        {"Q1", -1, 0, PT_DATE_YMD},
        {"2024-H2", ANY, 19905, PT_DATE_YMD},
        {"H1 2024", ANY, 19723, PT_DATE_YMD},
        {"H1-23", -1, 0, PT_DATE_YMD},
        {"2024M07", ANY, 19905, PT_DATE_YMD},
        {"2000m2", -1, 0, PT_DATE_YMD},
        {"2024-W01", ANY, 19723, PT_DATE_YMD},
        {"2023W52", ANY, 19716, PT_DATE_YMD},
        {"2021-W01", ANY, 18631, PT_DATE_YMD},
        {"2020-W53-7", ANY, 18630, PT_DATE_YMD},
        {"KW 14/2024", ANY, 19814, PT_DATE_YMD},
        {"2024-W54", -1, 0, PT_DATE_YMD},
        {"2024-W01-8", -1, 0, PT_DATE_YMD},
        {"1899-W10", -1, 0, PT_DATE_YMD},
        {"202402", YMD, 19754, PT_DATE_YMD},
        {"202413", -1, 0, PT_DATE_YMD},
        {"123401", -1, 0, PT_DATE_YMD},
        {"", -1, 0, PT_DATE_YMD},
        {"192.168.10.12", -1, 0, PT_DATE_YMD},
        {"10.0.1", -1, 0, PT_DATE_YMD},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *text = CASES[i].text;
        pt_date_forms forms = {0};
        double days = NAN;
        const bool is = pt_date_forms_of(text, strlen(text), &forms);
        if (is != (CASES[i].orders >= 0) || (is && forms.orders != CASES[i].orders))
            fail_msg("'%s': %d, orders %d", text, is, forms.orders);
        if (!is)
            continue;
        if (!pt_date_parse(text, strlen(text), CASES[i].order, CASES[i].orders == 0, &days) ||
            fabs(days - CASES[i].days) > 1e-9)
            fail_msg("'%s': %.9g days", text, days);
    }
}

static void test_date__parts(void **state)
{
    (void)state;
    assert_true(pt_date_part(0.25, PT_PART_DAYS, false) == 0.25);
    assert_true(pt_date_part(0, PT_PART_WEEKDAY, false) == 4); /* a Thursday */
    assert_true(pt_date_part(19782.75, PT_PART_WEEKDAY, false) == 4);
    assert_true(pt_date_part(-1, PT_PART_WEEKDAY, false) == 3);
    assert_true(pt_date_part(-4, PT_PART_WEEKDAY, false) == 7);
    assert_true(pt_date_part(19782.5729166666666, PT_PART_HOUR, false) == 13.75);
    assert_true(pt_date_part(1.5, PT_PART_HOUR, true) == 36);
    assert_true(isnan(pt_date_part(NAN, PT_PART_WEEKDAY, false)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_date__forms_and_days),
        cmocka_unit_test(test_date__parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
