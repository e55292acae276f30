/* Codes from files: every layout, every fault with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "codes/code.h"

static char *words[] = {"ant", "bee", "cat"};
static const pt_texts ANIMALS = {words, 3, NULL};
static char *signs[] = {"-1", "0", "1"};
static const pt_texts SIGNS = {signs, 3, NULL};

static pt_status read_text(const char *text, const pt_texts *classes, pt_code *code,
                           pt_texts *names, pt_warnings *warnings, pt_error *err)
{
    return pt_code_read_memory(code, names, text, strlen(text), "code.csv", classes, NULL, warnings,
                               err);
}

static void expect_code(const char *text, const pt_texts *classes, int64_t ell, const int8_t *want)
{
    pt_error err = PT_ERROR_INIT;
    pt_code code = {0};
    pt_warnings warnings = {0};
    if (read_text(text, classes, &code, NULL, &warnings, &err) != PT_OK)
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(code.k, 3);
    assert_int_equal(code.ell, ell);
    assert_memory_equal(code.M, want, (size_t)(3 * ell));
    assert_int_equal(warnings.count, 0);
    pt_warnings_free(&warnings);
    pt_code_free(&code);
}

static void test_code_file__every_layout(void **state)
{
    (void)state;
    static const int8_t want[] = {1, 0, -1, 1, 0, -1};
    expect_code("1,0\n-1,1\n0,-1\n", &ANIMALS, 2, want);
    expect_code("\n+1, 0\r\n-1.0,1e0\r\n\r\n0,-1", &ANIMALS, 2, want);
    expect_code("first,second\n1,0\n-1,1\n0,-1\n", &ANIMALS, 2, want);
    expect_code("ant,1,0\nbee,-1,1\ncat,0,-1\n", &ANIMALS, 2, want);
    expect_code("cat,0,-1\nant,1,0\n\"bee\",-1,1\n", &ANIMALS, 2, want);
    expect_code("class,1,2\ncat,0,-1\nant,1,0\nbee,-1,1\n", &ANIMALS, 2, want);
    expect_code("1,0\n-1,1\n0,-1\n", NULL, 2, want);
}

/* Classes that are called like signs: a header tells. */
static void test_code_file__names_that_look_like_signs(void **state)
{
    (void)state;
    static const int8_t named[] = {1, 1, -1, -1, -1, 1};
    static const int8_t plain[] = {1, -1, 0, 1, -1, -1};
    static const int8_t other[] = {1, 1, -1, 1, 0, -1};
    pt_code code = {0};
    pt_error err = {0};
    expect_code("class,x,y\n1,-1,1\n0,-1,-1\n-1,1,1\n", &SIGNS, 2, named);
    expect_code("x,y\n1,-1\n0,1\n-1,-1\n", &SIGNS, 2, plain);
    expect_code("1,1\n-1,1\n0,-1\n", NULL, 2, other);
    assert_int_equal(read_text("1,-1\n0,1\n-1,-1\n", &SIGNS, &code, NULL, NULL, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "signs or the names of classes"));
}

static void test_code_file__names_are_kept(void **state)
{
    (void)state;
    pt_code code = {0};
    pt_texts names = {NULL, 0, 0};
    assert_int_equal(read_text("dog,1\ncow,-1\n", NULL, &code, &names, NULL, NULL), PT_OK);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.items[0], "dog");
    assert_string_equal(names.items[1], "cow");
    assert_int_equal(code.M[0], 1);
    pt_texts_free(&names);
    pt_code_free(&code);
}

static void expect_fault(const char *text, const pt_texts *classes, int64_t line,
                         const char *expected)
{
    pt_error err = PT_ERROR_INIT;
    pt_code code = {0};
    const int64_t live = pt_alloc_live();
    assert_int_equal(read_text(text, classes, &code, NULL, NULL, &err), PT_EFORMAT);
    if (!strstr(err.text, expected) || err.line != line)
        fail_msg("%s: line %lld: %s", text, (long long)err.line, err.text);
    assert_null(code.M);
    assert_int_equal(pt_alloc_live(), live);
}

static void test_code_file__every_fault_has_its_line(void **state)
{
    (void)state;
    expect_fault("", &ANIMALS, 0, "0 rows of signs");
    expect_fault("1,-1\n", NULL, 1, "1 rows of signs");
    expect_fault("1,0\n-1\n0,-1\n", &ANIMALS, 2, "1 cells; the first row has 2");
    expect_fault("1,0\n-1,2\n0,-1\n", &ANIMALS, 2, "'2' in column 2 is not -1, 0 or 1");
    expect_fault("1,0\n-1,\n0,-1\n", &ANIMALS, 2, "'' in column 2");
    expect_fault("1,0\n-1,nan\n0,-1\n", &ANIMALS, 2, "'nan' in column 2");
    expect_fault("1,0\n\n-1,1\n", &ANIMALS, 3, "2 rows for 3 classes");
    expect_fault("1,0\n-1,1\n0,-1\n1,1\n", &ANIMALS, 4, "more rows than the 3 classes");
    expect_fault("ant,1,0\nbee,-1,1\ndog,0,-1\n", &ANIMALS, 3, "no class 'dog'");
    expect_fault("ant,1,0\nbee,-1,1\nbee,0,-1\n", &ANIMALS, 3, "'bee' is named twice");
    expect_fault("cow,1,0\ndog,-1,1\ncow,0,-1\n", NULL, 3, "'cow' is named twice");
    expect_fault("ant\nbee\ncat\n", &ANIMALS, 2, "no signs");
    expect_fault("class\nant\nbee\n", NULL, 2, "no signs");
    expect_fault("1,0\n0,0\n-1,1\n", &ANIMALS, 2, "only zeros");
    expect_fault("1,-1\n-1,1\n1,-1\n", &ANIMALS, 3, "that of line 1 again");
    expect_fault("cat,1,-1\nbee,-1,1\nant,1,-1\n", &ANIMALS, 3, "that of line 1 again");
    expect_fault("1,1\n-1,1\n0,1\n", &ANIMALS, 0, "column 2 has no -1");
    expect_fault("1,0\n-1,-1\n0,-1\n", &ANIMALS, 0, "column 2 has no 1");
}

static void test_code_file__columns_that_come_again_are_told(void **state)
{
    (void)state;
    pt_code code = {0};
    pt_warnings warnings = {0};
    assert_int_equal(
        read_text("1,0,0,-1\n-1,1,1,1\n0,-1,-1,0\n", &ANIMALS, &code, NULL, &warnings, NULL),
        PT_OK);
    assert_int_equal(warnings.count, 1);
    assert_non_null(strstr(warnings.items[0],
                           "2 of 4 columns teach nothing new; column 3 is equal to column 2"));
    pt_warnings_free(&warnings);
    pt_code_free(&code);
}

static void test_code_file__out_of_memory(void **state)
{
    (void)state;
    pt_status status = PT_ENOMEM;
    for (int64_t number = 1; status == PT_ENOMEM; number++) {
        pt_code code = {0};
        pt_texts names = {NULL, 0, 0};
        const int64_t live = pt_alloc_live();
        pt_alloc_fail_from(number);
        status = read_text("dog,1,0\ncow,-1,1\ncat,0,-1\n", NULL, &code, &names, NULL, NULL);
        pt_alloc_fail_from(0);
        pt_texts_free(&names);
        pt_code_free(&code);
        assert_int_equal(pt_alloc_live(), live);
    }
    assert_int_equal(status, PT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code_file__every_layout),
        cmocka_unit_test(test_code_file__names_that_look_like_signs),
        cmocka_unit_test(test_code_file__names_are_kept),
        cmocka_unit_test(test_code_file__every_fault_has_its_line),
        cmocka_unit_test(test_code_file__columns_that_come_again_are_told),
        cmocka_unit_test(test_code_file__out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
