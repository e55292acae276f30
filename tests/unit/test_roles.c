/* Names that are nearly those of columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/read/roles.h"

static const char *meant(const char *wanted, const char *const *names)
{
    pt_near_name near = {0};
    for (; *names; names++)
        pt_near_name_try(&near, wanted, *names);
    return pt_near_name_of(&near, wanted);
}

static void test_roles__a_name_is_near_where_little_differs(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"",       "Condition",  "Flow [l/min]", "x12", "x13",
                                        "Remark", "temp north", "temp south",   "y",   NULL};
    static const char *const CASES[][2] = {{"condition", "Condition"},
                                           {" Condition ", "Condition"},
                                           {"Conditon", "Condition"},
                                           {"Codnition", "Condition"},
                                           {"Remarks", "Remark"},
                                           {"flow", "Flow [l/min]"},
                                           {"X13", "x13"},
                                           {"x14", NULL},
                                           {"x1", NULL},
                                           {"temp", NULL},
                                           {"x", NULL},
                                           {"Zebra", NULL},
                                           {"", NULL}};
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        const char *found = meant(CASES[c][0], NAMES);
        if (CASES[c][1])
            assert_string_equal(found, CASES[c][1]);
        else
            assert_null(found);
    }
}

/* The one that differs by capitals alone goes before the one that is as near by letters. */
static void test_roles__capitals_are_nearer_than_letters(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"sites", "SITE", NULL};
    assert_string_equal(meant("site", NAMES), "SITE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roles__a_name_is_near_where_little_differs),
        cmocka_unit_test(test_roles__capitals_are_nearer_than_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
