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
    expect_fault("x,ant,bee,cat\nant,1,2,3\ncat,7,8,9\n", 0, "class 'bee' is missing: no line");
    expect_fault("ant,1,2,3\ncat,7,8,9\n", 0, "class 'bee' is missing: no line");
    expect_fault("x,ant,cat\nant,1,3\nbee,4,6\ncat,7,9\n", 1, "class 'bee' is missing: no col");
    expect_fault("ant,cat\n1,3\n4,6\n7,9\n", 1, "class 'bee' is missing: no column");
    expect_fault("x,bee,cat\nbee,1,3\ncat,7,9\n", 0, "class 'ant' is missing: no line");
    expect_fault("x,ant,bee,cat\nant,1,2,3\ndog,4,5,6\n", 3, "2 lines below the names, for 3");
    expect_fault("x,ant,bee,cat,dog\nant,1,2,3,4\nbee,4,5,6,7\ncat,7,8,9,1\n", 1, "5 cells");
}

/* ---- costs, with a column of rejecting ------------------------------------------------------- */

static pt_status read_costs(const char *text, const pt_texts *classes, double **out,
                            int64_t *columns, pt_error *err)
{
    char path[] = "/tmp/polytomy_costs_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    const ssize_t length = (ssize_t)strlen(text);
    assert_int_equal(write(file, text, (size_t)length), length);
    close(file);
    const pt_status status = pt_class_costs_read(out, columns, path, classes, NULL, err);
    unlink(path);
    return status;
}

static void expect_costs(const char *text, const pt_texts *classes, int64_t expected_columns,
                         const double *expected)
{
    pt_error err = PT_ERROR_INIT;
    double *costs = NULL;
    int64_t columns = 0;
    if (read_costs(text, classes, &costs, &columns, &err) != PT_OK)
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(columns, expected_columns);
    for (int64_t i = 0; i < classes->count * columns; i++)
        if (costs[i] != expected[i])
            fail_msg("%s: entry %d is %g", text, (int)i, costs[i]);
    pt_free(costs);
}

static void test_class_costs__every_layout(void **state)
{
    (void)state;
    const double plain[9] = {0, 2, 3, 4, 0, 6, 7, 8, 0};
    const double wide[12] = {0, 2, 3, .5, 4, 0, 6, .25, 7, 8, 0, 1};
    expect_costs("0,2,3\n4,0,6\n7,8,0\n", &CLASSES, 3, plain);
    expect_costs("cat,ant,bee\n0,7,8\n3,0,2\n6,4,0\n", &CLASSES, 3, plain);
    expect_costs("cat,0,7,8\nant,3,0,2\nbee,6,4,0\n", &CLASSES, 3, plain);
    expect_costs(",cat,bee,ant\nant,3,2,0\nbee,6,0,4\ncat,0,8,7\n", &CLASSES, 3, plain);
    expect_costs("0,2,3,.5\n4,0,6,.25\n7,8,0,1\n", &CLASSES, 4, wide);
    expect_costs("ant,bee,cat,reject\n0,2,3,.5\n4,0,6,.25\n7,8,0,1\n", &CLASSES, 4, wide);
    expect_costs("cat,ant,bee,reject\n0,7,8,1\n3,0,2,.5\n6,4,0,.25\n", &CLASSES, 4, wide);
    expect_costs("cat,0,7,8,1\nant,3,0,2,.5\nbee,6,4,0,.25\n", &CLASSES, 4, wide);
    expect_costs(",cat,ant,bee,reject\ncat,0,7,8,1\nant,3,0,2,.5\nbee,6,4,0,.25\n", &CLASSES, 4,
                 wide);
    /* a class that is named so */
    static char *odd[] = {"accept", "reject"};
    const pt_texts of_odd = {odd, 2, NULL};
    expect_costs(",accept,reject\naccept,0,3\nreject,2,0\n", &of_odd, 2, (double[]){0, 3, 2, 0});
    expect_costs(",accept,reject,reject\naccept,0,3,.5\nreject,2,0,.5\n", &of_odd, 3,
                 (double[]){0, 3, .5, 2, 0, .5});
    /* names that are numbers: a first line tells them from costs */
    static char *digits[] = {"0", "1"};
    const pt_texts two = {digits, 2, NULL};
    expect_costs("0,1,reject\n0,1,.1\n1,0,.1\n", &two, 3, (double[]){0, 1, .1, 1, 0, .1});
    expect_costs("1,0,2\n0,3,0\n", &two, 2, (double[]){0, 3, 2, 0}); /* names in front: 1, 0 */
    expect_costs("0,5,.1\n5,0,.1\n", &two, 3, (double[]){0, 5, .1, 5, 0, .1});
}

static void expect_costs_fault(const char *text, int64_t line, const char *words)
{
    pt_error err = PT_ERROR_INIT;
    double *costs = NULL;
    int64_t columns = 0;
    assert_int_equal(read_costs(text, &CLASSES, &costs, &columns, &err), PT_EFORMAT);
    if (!strstr(err.text, words) || err.line != line)
        fail_msg("%s: line %d: %s", text, (int)err.line, err.text);
    assert_null(costs);
}

static void test_class_costs__faults(void **state)
{
    (void)state;
    expect_costs_fault("", 0, "0 lines for 3 classes");
    expect_costs_fault("0,1,1\n1,0,1\n", 2, "2 lines for 3 classes");
    expect_costs_fault("0,1\n1,0\n1,1\n", 1, "a column for rejecting may follow");
    expect_costs_fault("a,0,1,1,1,1\nb,1,0,1,1,1\nc,1,1,0,1,1\n", 1, "6 cells");
    expect_costs_fault("0,1,1\n1,0,1,1\n1,1,0\n", 2, "4 cells");
    expect_costs_fault("ant,bee,dog,reject\n0,1,1,1\n1,0,1,1\n1,1,0,1\n", 1, "no class 'dog'");
    expect_costs_fault("ant,bee,bee,reject\n0,1,1,1\n1,0,1,1\n1,1,0,1\n", 1, "named twice");
    expect_costs_fault("0,1,1,x\n1,0,1,1\n1,1,0,1\n", 1, "'x' is not a number");
    expect_costs_fault("0,1,-1\n1,0,1\n1,1,0\n", 0, "class 'ant' for 'cat' is -1");
    expect_costs_fault("0,1,1\n1,2,1\n1,1,0\n", 0, "class 'bee' for 'bee' is 2");
    expect_costs_fault("0,1,1,-2\n1,0,1,1\n1,1,0,1\n", 0, "'(rejected)' is -2");
    expect_costs_fault("ant,bee,cat,dog\n0,1,1,1\n1,0,1,1\n1,1,0,1\n", 1,
                       "no class 'dog'; if the column is the cost of rejecting, name it 'reject'");
    expect_costs_fault(",ant,bee,cat,dog\nant,0,1,1,1\nbee,1,0,1,1\ncat,1,1,0,1\n", 1,
                       "no class 'dog'; if");
    expect_costs_fault(",ant,bee,dog\nant,0,1,1\nbee,1,0,1\ncat,1,1,0\n", 1, "no class 'dog'");
    expect_costs_fault(",ant,cat,reject\nant,0,1,1\nbee,1,1,1\ncat,1,0,1\n", 1,
                       "class 'bee' is missing: no column");
    expect_costs_fault(",ant,bee,cat,reject\nant,0,1,1,1\ncat,1,1,0,1\n", 0,
                       "class 'bee' is missing: no line");
    expect_costs_fault("0,1,nan\n1,0,1\n1,1,0\n", 1, "'nan' is not a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_matrix__every_layout),
        cmocka_unit_test(test_class_matrix__every_fault_has_its_line),
        cmocka_unit_test(test_class_costs__every_layout),
        cmocka_unit_test(test_class_costs__faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
