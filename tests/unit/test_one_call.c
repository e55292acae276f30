/* Ring 0: a file is trained on, predicted and evaluated by one call each, as the steps would. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "polytomy/polytomy.h"

static const char DATA[] = "one_call.csv";
static const char MODEL[] = "one_call.model";
static const char OUT[] = "one_call.out";

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static int clean(void **state)
{
    (void)state;
    unlink(DATA);
    unlink(MODEL);
    unlink(OUT);
    return 0;
}

static void test_one_call__classes(void **state)
{
    (void)state;
    char text[256];
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    write_text(DATA, "x,y,class\n0,0,\"a,1\"\n0,1,\"a,1\"\n0.1,0,\"a,1\"\n9,9,b\n9,8,b\n8,9,b\n");
    small_must(pt_train_file(DATA, "sigma=2,ridge=0.1", MODEL, &err), &err, "train");
    small_must(pt_predict_file(MODEL, DATA, NULL, OUT, &err), &err, "predict");
    read_text(OUT, text, sizeof text);
    assert_string_equal(text, "\"a,1\"\n\"a,1\"\n\"a,1\"\nb\nb\nb\n");
    small_must(pt_evaluate_file(&report, MODEL, DATA, "threads=1", &err), &err, "evaluate");
    assert_true(pt_report_number(report, "error") == 0);
    assert_int_equal(pt_report_integer(report, "n_examples"), 6);
    assert_int_equal(pt_report_integer_at(report, "confusion", 1, 1, 0), 3);
    pt_report_free(report);
}

static void test_one_call__sets_and_orders(void **state)
{
    (void)state;
    char text[256];
    pt_error err = PT_ERROR_INIT;
    write_text(DATA, "x,tags\n0,p;q\n0.1,p;q\n9,q\n9.1,q\n0.2,p;q\n8.9,q\n");
    small_must(pt_train_file(DATA, "label=tags,labels=set,sigma=2,ridge=0.1", MODEL, &err), &err,
               "train");
    small_must(pt_predict_file(MODEL, DATA, NULL, OUT, &err), &err, "predict");
    read_text(OUT, text, sizeof text);
    assert_string_equal(text, "p;q\np;q\nq\nq\np;q\nq\n");
    write_text(DATA, "x,order\n0,p>q\n0.1,p>q\n9,q>p\n9.1,q>p\n0.2,p>q\n8.9,q>p\n");
    small_must(pt_train_file(DATA, "label=order,labels=ranking,sigma=2,ridge=0.1", MODEL, &err),
               &err, "train");
    small_must(pt_predict_file(MODEL, DATA, NULL, OUT, &err), &err, "predict");
    read_text(OUT, text, sizeof text);
    assert_string_equal(text, "p>q\np>q\nq>p\nq>p\np>q\nq>p\n");
}

static void test_one_call__failures_leave_nothing(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    write_text(DATA, "x,y,class\n0,0,a\n0,1,a\n9,9,b\n9,8,b\n");
    assert_int_equal(pt_train_file("not there.csv", NULL, MODEL, &err), PT_EIO);
    assert_int_equal(pt_train_file(DATA, "sigma=-1", MODEL, &err), PT_EINVAL);
    assert_int_equal(access(MODEL, F_OK), -1);
    small_must(pt_train_file(DATA, "sigma=2,ridge=0.1", MODEL, &err), &err, "train");
    write_text(DATA, "x,class\n0,a\n");
    assert_int_not_equal(pt_predict_file(MODEL, DATA, NULL, OUT, &err), PT_OK); /* no column y */
    assert_int_equal(access(OUT, F_OK), -1);
    assert_int_not_equal(pt_evaluate_file(&report, MODEL, DATA, NULL, &err), PT_OK);
    assert_null(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_one_call__classes, clean),
        cmocka_unit_test_teardown(test_one_call__sets_and_orders, clean),
        cmocka_unit_test_teardown(test_one_call__failures_leave_nothing, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
