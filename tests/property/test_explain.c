/* Explanations of single decisions: parts of linear machines add up to the margin; other parts are
 * what replacing a column costs; kept rows are those of slow kernel values; paths of trees. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "data/dataset.h"
#include "model/model.h"

static pt_report *explanation(const pt_model *model, const pt_dataset *data, const char *options,
                              int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    pt_params *params = small_params(options);
    pt_task *task = small_task(threads);
    small_must(pt_model_explain(&report, model, data, params, task, &err), &err, options);
    pt_task_free(task);
    pt_params_free(params);
    return report;
}

static void expect_near(double a, double b, double tolerance, const char *what, int64_t i)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s, row %lld: %.15g is not %.15g", what, (long long)i, a, b);
}

/* First, second and margin are those of the scores. */
static void expect_margins(const pt_report *why, const pt_prediction *p, int64_t k,
                           const char *what)
{
    for (int64_t i = 0; i < pt_report_integer(why, "n_examples"); i++) {
        const double *scores = pt_prediction_scores(p) + i * k;
        const int64_t first = small_argmax(scores, k);
        const int64_t second = pt_report_integer_at(why, "second", i, 0, 0);
        assert_int_equal(pt_report_integer_at(why, "first", i, 0, 0), first);
        assert_int_not_equal(first, second);
        for (int64_t r = 0; r < k; r++)
            assert_true(r == first || scores[r] <= scores[second]);
        expect_near(pt_report_number_at(why, "margin", i, 0, 0), scores[first] - scores[second], 0,
                    what, i);
    }
}

static const char TABLE[] = "x,color,y,side,class\n"
                            "1,red,20,l,a\n2,blue,,r,b\n3,green,40,l,c\n1.5,red,30,r,b\n"
                            "2.5,blue,15,l,a\n0,green,20,r,c\n1,red,,l,a\n4,red,25,l,b\n"
                            "3,blue,20,r,a\n2,green,0,r,c\n1,blue,10,l,b\n2,red,30,r,c\n";

static pt_dataset *table(void)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    small_must(pt_dataset_read_memory(&data, TABLE, sizeof TABLE - 1, "t.csv", NULL, NULL, &err),
               &err, "table");
    return data;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void test_explain__linear_parts_add_up(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=softmax", "machine=spoc,kernel=linear", "machine=onelsm,kernel=linear,ridge=0.5",
        "machine=vo-lssvm,kernel=linear,ridge=0.5,bias=yes,labelbook=mincorr",
        "machine=constraint,method=online"};
    pt_dataset *data = table();
    for (int m = 0; m < 10; m++) {
        char options[160];
        snprintf(options, sizeof options, "%s,precision=double,missing=indicator,calibrate=no",
                 MACHINES[m / 2]);
        pt_model *model = small_train(data, options, 1);
        pt_prediction *p = small_predict(model, data, 1);
        pt_report *why = explanation(model, data, m % 2 ? "reasons=2" : "reasons=100", 1);
        const int64_t parts = pt_report_find(why, "part_value")->length[1];
        assert_string_equal(pt_report_text(why, "method"), "coefficients");
        assert_int_equal(parts, m % 2 ? 2 : pt_report_length(why, "term"));
        expect_margins(why, p, 3, options);
        for (int64_t i = 0; i < data->n; i++) {
            double sum = pt_report_number_at(why, "intercept", i, 0, 0) +
                         pt_report_number_at(why, "rest", i, 0, 0);
            double last = INFINITY;
            for (int64_t t = 0; t < parts; t++) {
                const double part = pt_report_number_at(why, "part_value", i, t, 0);
                assert_true(fabs(part) <= last);
                assert_true(part == 0 || pt_report_integer_at(why, "part_term", i, t, 0) >= 0);
                last = fabs(part);
                sum += part;
            }
            expect_near(sum, pt_report_number_at(why, "margin", i, 0, 0), 1e-10, options, i);
            if (m % 2 == 0)
                expect_near(pt_report_number_at(why, "rest", i, 0, 0), 0, 1e-12, options, i);
        }
        pt_report_free(why);
        pt_prediction_free(p);
        pt_model_free(model);
    }
    pt_dataset_free(data);
}

/* The table with column j of row i at what stands for no knowledge of it. */
static pt_dataset *replaced(const pt_dataset *data, int64_t i, int64_t j)
{
    pt_dataset *copy = table();
    double cells = 0;
    double sum = 0;
    int64_t count[3] = {0};
    for (int64_t r = 0; r < data->n; r++) {
        const double x = pt_dataset_dense_cell(data, r, j);
        cells += !isnan(x);
        sum += isnan(x) ? 0 : x;
        if (pt_is_nominal(data, j))
            count[(int64_t)x]++;
    }
    int64_t most = 0; /* the first of several in the order of training: by their names */
    for (int64_t v = 1; v < 3 && pt_is_nominal(data, j); v++) {
        const char *a = pt_texts_get(&data->columns[j].levels, v);
        const char *b = pt_texts_get(&data->columns[j].levels, most);
        if (count[v] > count[most] || (count[v] == count[most] && a && strcmp(a, b) < 0))
            most = v;
    }
    const double fill = pt_is_nominal(data, j) ? (double)most : sum / cells;
    if (copy->type == PT_F32)
        ((float *)copy->value)[i * data->d + j] = (float)fill;
    else
        ((double *)copy->value)[i * data->d + j] = fill;
    return copy;
}

static void test_explain__other_parts_are_of_replaced_columns(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"machine=onelsm,kernel=rbf,sigma=1,ridge=0.5",
                                           "machine=tree,missing=mean",
                                           "machine=tree",
                                           "machine=code,code=ova,learner=logitboost,rounds=5",
                                           "machine=code,code=ovo,learner=svm,kernel=rbf,sigma=1",
                                           "machine=code,code=ova,learner=logistic"};
    pt_dataset *data = table();
    for (int m = 0; m < 6; m++) {
        char options[160];
        snprintf(options, sizeof options, "%s,precision=double,calibrate=no,merge=no", MACHINES[m]);
        pt_model *model = small_train(data, options, 1);
        pt_prediction *p = small_predict(model, data, 1);
        pt_report *why = explanation(model, data, "reasons=100", 1);
        assert_string_equal(pt_report_text(why, "method"), "replacement");
        assert_int_equal(pt_report_length(why, "term"), 4);
        assert_null(pt_report_find(why, "rest"));
        expect_margins(why, p, 3, options);
        for (int64_t i = 0; i < data->n; i++) {
            const int64_t a = pt_report_integer_at(why, "first", i, 0, 0);
            const int64_t b = pt_report_integer_at(why, "second", i, 0, 0);
            double part[4] = {0};
            for (int64_t t = 0; t < 4; t++)
                if (pt_report_integer_at(why, "part_term", i, t, 0) >= 0)
                    part[pt_report_integer_at(why, "part_term", i, t, 0)] =
                        pt_report_number_at(why, "part_value", i, t, 0);
            for (int64_t j = 0; j < 4; j++) {
                pt_dataset *other = replaced(data, i, j);
                pt_prediction *q = small_predict(model, other, 1);
                const double *scores = pt_prediction_scores(q) + i * 3;
                expect_near(part[j],
                            pt_report_number_at(why, "margin", i, 0, 0) - (scores[a] - scores[b]),
                            1e-6, options, i); /* means that were added up in another order */
                pt_prediction_free(q);
                pt_dataset_free(other);
            }
        }
        pt_report_free(why);
        pt_prediction_free(p);
        pt_model_free(model);
    }
    pt_dataset_free(data);
}

/* Of sparse rows a column that is not there has no part, the others are left out. */
static void test_explain__of_sparse_rows(void **state)
{
    (void)state;
    small s = small_clouds(40, 6, 3, 7);
    for (int64_t c = 0; c < s.n * s.d; c++)
        s.x[c] = c % 3 ? 0 : s.x[c];
    pt_dataset *data = small_sparse_dataset(&s);
    pt_model *model =
        small_train(data, "machine=onelsm,kernel=rbf,sigma=1,ridge=0.5,precision=double", 1);
    pt_report *why = explanation(model, data, "reasons=6", 1);
    for (int64_t i = 0; i < s.n; i++)
        for (int64_t t = 0; t < 6; t++) {
            const int64_t j = pt_report_integer_at(why, "part_term", i, t, 0);
            if (j < 0)
                continue;
            const int64_t a = pt_report_integer_at(why, "first", i, 0, 0);
            const int64_t b = pt_report_integer_at(why, "second", i, 0, 0);
            const double kept = s.x[i * s.d + j];
            assert_true(kept != 0);
            s.x[i * s.d + j] = 0;
            pt_dataset *other = small_sparse_dataset(&s);
            pt_prediction *q = small_predict(model, other, 1);
            const double *scores = pt_prediction_scores(q) + i * 3;
            expect_near(pt_report_number_at(why, "part_value", i, t, 0),
                        pt_report_number_at(why, "margin", i, 0, 0) - (scores[a] - scores[b]),
                        1e-12, "sparse", i);
            s.x[i * s.d + j] = kept;
            pt_prediction_free(q);
            pt_dataset_free(other);
        }
    pt_report_free(why);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* So many columns that they are replaced in several pieces. */
static void test_explain__of_wide_rows(void **state)
{
    (void)state;
    enum { WIDE = 2500, N = 12 };
    small s = small_clouds(N, WIDE, 3, 7);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(
        data, "machine=onelsm,kernel=rbf,sigma=50,ridge=0.5,precision=double,scale=none", 1);
    pt_report *why = explanation(model, data, "reasons=2500", 1);
    for (int64_t t = 0; t < WIDE; t += 83) {
        const int64_t j = pt_report_integer_at(why, "part_term", 2, t, 0);
        const int64_t a = pt_report_integer_at(why, "first", 2, 0, 0);
        const int64_t b = pt_report_integer_at(why, "second", 2, 0, 0);
        double mean = 0;
        assert_true(j >= 0);
        for (int64_t i = 0; i < N; i++)
            mean += s.x[i * WIDE + j] / N;
        const double kept = s.x[2 * WIDE + j];
        s.x[2 * WIDE + j] = mean;
        pt_dataset *other = small_dataset(&s);
        pt_prediction *q = small_predict(model, other, 1);
        const double *scores = pt_prediction_scores(q) + 6;
        expect_near(pt_report_number_at(why, "part_value", 2, t, 0),
                    pt_report_number_at(why, "margin", 2, 0, 0) - (scores[a] - scores[b]), 1e-10,
                    "wide", t);
        s.x[2 * WIDE + j] = kept;
        pt_prediction_free(q);
        pt_dataset_free(other);
    }
    pt_report_free(why);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- kept rows ------------------------------------------------------------------------------- */

/* Training rows explained: the nearest is the row itself, and what all rows add is the margin. */
static void test_explain__rows_that_are_kept(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=onelsm,kernel=rbf,sigma=1,ridge=0.5,scale=none",
        "machine=spoc,kernel=rbf,sigma=1,scale=none",
        "machine=vo-svm,kernel=rbf,sigma=1,scale=none",
        "machine=vo-lssvm,kernel=rbf,sigma=1,ridge=0.5,scale=none,labelbook=consistency"};
    small s = small_clouds(30, 3, 3, 7);
    pt_dataset *data = small_dataset(&s);
    for (int m = 0; m < 4; m++) {
        char options[160];
        snprintf(options, sizeof options, "%s,precision=double,calibrate=no,merge=no", MACHINES[m]);
        pt_model *model = small_train(data, options, 1);
        pt_report *why = explanation(model, data, "reasons=30", 1);
        const int64_t n = pt_report_integer(why, "n_kept");
        assert_true(n > 0 && n <= 30);
        pt_report *arrays = NULL;
        pt_error err = PT_ERROR_INIT;
        small_must(pt_model_arrays(&arrays, model, &err), &err, "arrays");
        for (int64_t i = 0; i < s.n; i++) {
            double sum = 0;
            double last = INFINITY;
            for (int64_t r = 0; r < n; r++) {
                const int64_t row = pt_report_integer_at(why, "near", i, r, 0);
                const double kernel = pt_report_number_at(why, "near_kernel", i, r, 0);
                double distance = 0;
                for (int64_t j = 0; j < 3; j++) {
                    const double z = pt_report_number_at(arrays, "m.rows", row, j, 0);
                    distance += (s.x[i * 3 + j] - z) * (s.x[i * 3 + j] - z);
                }
                expect_near(kernel, exp(-distance / 2), 1e-9, options, i);
                assert_true(kernel <= last);
                last = kernel;
                sum += pt_report_number_at(why, "support_part", i, r, 0);
            }
            expect_near(sum, pt_report_number_at(why, "margin", i, 0, 0), 1e-9, options, i);
        }
        pt_report_free(arrays);
        pt_report_free(why);
        pt_model_free(model);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void test_explain__path_of_a_tree(void **state)
{
    (void)state;
    static const char ROWS[] = "x,y,class\n0,0,a\n1,0,a\n5,0,b\n6,0,b\n5,9,c\n6,9,c\n";
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    small_must(pt_dataset_read_memory(&data, ROWS, sizeof ROWS - 1, "t.csv", NULL, NULL, &err),
               &err, "rows");
    pt_model *model = small_train(data, "machine=tree,criterion=gini", 1);
    pt_report *why = explanation(model, data, "reasons=2", 1);
    pt_report *trees = NULL;
    small_must(pt_model_trees(&trees, model, "words", 0, &err), &err, "trees");
    assert_int_equal(pt_report_length(why, "path"), 6);
    for (int64_t i = 0; i < 6; i++) {
        const char *text = pt_report_text(trees, "text");
        const char *at = pt_report_text_at(why, "path", i, 0, 0);
        while (*at) { /* each test of the path is one of the tree's */
            char test[60];
            const size_t length = strcspn(at, ",");
            snprintf(test, sizeof test, "%.*s", (int)length, at);
            assert_non_null(strstr(text, test));
            at += length;
            at += strspn(at, ", ");
        }
    }
    assert_string_equal(pt_report_text_at(why, "path", 0, 0, 0),
                        pt_report_text_at(why, "path", 1, 0, 0));
    assert_string_not_equal(pt_report_text_at(why, "path", 2, 0, 0),
                            pt_report_text_at(why, "path", 4, 0, 0));
    pt_report_free(trees);
    pt_report_free(why);
    pt_model_free(model);
    pt_dataset_free(data);
}

/* ---- how it runs ----------------------------------------------------------------------------- */

static void test_explain__threads_change_nothing_and_no_class_is_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(60, 5, 4, 9);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=onelsm,kernel=rbf,sigma=1,ridge=0.1", 1);
    pt_report *one = explanation(model, data, "reasons=3", 1);
    pt_report *two = explanation(model, data, "reasons=3", 2);
    char *a = NULL;
    char *b = NULL;
    small_must(pt_report_json(&a, one, &err), &err, "json");
    small_must(pt_report_json(&b, two, &err), &err, "json");
    assert_string_equal(a, b);
    pt_bytes_free(a);
    pt_bytes_free(b);
    pt_report_free(one);
    pt_report_free(two);
    pt_task *task = small_task(1);
    pt_task_cancel(task);
    one = NULL;
    assert_int_equal(pt_model_explain(&one, model, data, NULL, task, &err), PT_ECANCELLED);
    assert_null(one);
    pt_task_free(task);
    const int64_t k = model->classes.count;
    model->classes.count = 1; /* training refuses it, but files may say anything */
    assert_int_equal(pt_model_explain(&one, model, data, NULL, NULL, &err), PT_ENOSUPPORT);
    assert_null(one);
    model->classes.count = k;
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_explain__linear_parts_add_up),
        cmocka_unit_test(test_explain__other_parts_are_of_replaced_columns),
        cmocka_unit_test(test_explain__of_sparse_rows),
        cmocka_unit_test(test_explain__of_wide_rows),
        cmocka_unit_test(test_explain__rows_that_are_kept),
        cmocka_unit_test(test_explain__path_of_a_tree),
        cmocka_unit_test(test_explain__threads_change_nothing_and_no_class_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
