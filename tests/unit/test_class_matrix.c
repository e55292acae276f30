/* A matrix by class names from a file: every layout, every fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "data/read/class_file.h"

static char *names[] = {"ant", "bee", "cat"};
static const pt_texts CLASSES = {names, 3, NULL};

static pt_status read_text(const char *text, double **out, pt_error *err)
{
    char path[] = "/tmp/polytomy_matrix_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    const ssize_t length = (ssize_t)strlen(text);
    assert_int_equal(write(file, text, (size_t)length), length);
    close(file);
    const pt_status status = pt_class_matrix_read(out, path, &CLASSES, NULL, err);
    unlink(path);
    return status;
}

static void expect_matrix(const char *text, const double *expected)
{
    pt_error err = PT_ERROR_INIT;
    double *Q = NULL;
    if (read_text(text, &Q, &err) != PT_OK)
        fail_msg("%s: %s", text, err.text);
    for (int i = 0; i < 9; i++)
        if (Q[i] != expected[i])
            fail_msg("%s: entry %d is %g", text, i, Q[i]);
    pt_free(Q);
}

static void test_class_matrix__every_layout(void **state)
{
    (void)state;
    const double plain[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    expect_matrix("1,2,3\n4,5,6\n7,8,9\n", plain);
    expect_matrix("\n1, 2,3\r\n4,5,6\r\n7,8,9", plain);
    expect_matrix("ant,bee,cat\n1,2,3\n4,5,6\n7,8,9\n", plain);
    expect_matrix("cat,ant,bee\n9,7,8\n3,1,2\n6,4,5\n", plain);
    expect_matrix("cat,9,7,8\nant,3,1,2\nbee,6,4,5\n", plain);
    expect_matrix(",cat,\"bee\",ant\nant,3,2,1\nbee,6,5,4\ncat,9,8,7\n", plain);
}

static void expect_fault(const char *text, int64_t line, const char *words)
{
    pt_error err = PT_ERROR_INIT;
    double *Q = NULL;
    assert_int_equal(read_text(text, &Q, &err), PT_EFORMAT);
    if (!strstr(err.text, words) || err.line != line)
        fail_msg("line %lld: %s", (long long)err.line, err.text);
    assert_null(Q);
}

static void test_class_matrix__every_fault_has_its_line(void **state)
{
    (void)state;
    expect_fault("1,2,3\n4,5\n7,8,9\n", 2, "2 cells");
    expect_fault("1,2,3,4,5\n", 1, "5 cells");
    expect_fault("1,2,3\n4,x,6\n7,8,9\n", 2, "'x' is not a number");
    expect_fault("1,2,3\n4,,6\n7,8,9\n", 2, "is not a number");
    expect_fault("1,2,3\n4,nan,6\n7,8,9\n", 2, "is not a number");
    expect_fault("ant,bee,dog\n1,2,3\n4,5,6\n7,8,9\n", 1, "no class 'dog'");
    expect_fault("ant,bee,bee\n1,2,3\n4,5,6\n7,8,9\n", 1, "'bee' is named twice");
    expect_fault("1,2,3\n4,5,6\n", 2, "2 lines");
    expect_fault("a,b,c\n1,2,3\n4,5,6\n7,8,9\n1,2,3\n", 5, "more lines");
    expect_fault("", 0, "0 lines");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_matrix__every_layout),
        cmocka_unit_test(test_class_matrix__every_fault_has_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
