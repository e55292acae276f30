/* Every item of every kind of report is in docs/reports.md, by its name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "base/warnings.h"
#include "polytomy/experimental.h"

#ifndef PT_SOURCE_DIR
#define PT_SOURCE_DIR "." /* compiled by hand, run in the root of the tree */
#endif

static char *page;

static int read_page(void **state)
{
    (void)state;
    FILE *file = fopen(PT_SOURCE_DIR "/docs/reports.md", "r");
    assert_non_null(file);
    page = calloc(1 << 17, 1);
    assert_non_null(page);
    assert_true(fread(page, 1, (1 << 17) - 1, file) > 1000);
    fclose(file);
    return 0;
}

static int free_page(void **state)
{
    (void)state;
    free(page);
    return 0;
}

/* What the arrays have beside the sections of the file, "m.coef". Frees the report. */
static void expect_named_arrays(const pt_dataset *data, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    pt_model *model = small_train(data, options, 1);
    int64_t found = 0;
    small_must(pt_model_arrays(&report, model, &err), &err, "arrays");
    for (int64_t i = 0; i < pt_report_n_items(report); i++) {
        char quoted[80];
        const pt_item *item = pt_report_item(report, i);
        snprintf(quoted, sizeof quoted, "`%s`", item->name);
        if (!strchr(item->name, '.') && !strstr(page, quoted))
            fail_msg("the array '%s' is not in docs/reports.md", item->name);
        found += strcmp(item->name, "coefficient") == 0 || strcmp(item->name, "gain") == 0;
    }
    assert_int_equal(found, 1);
    pt_report_free(report);
    pt_model_free(model);
}

/* Frees the report. */
static void expect_named(pt_report *report)
{
    assert_true(pt_report_n_items(report) > 0);
    for (int64_t i = 0; i < pt_report_n_items(report); i++) {
        char quoted[80];
        const pt_item *item = pt_report_item(report, i);
        snprintf(quoted, sizeof quoted, "`%s`", item->name);
        if (!strstr(page, quoted))
            fail_msg("the item '%s' of a report '%s' is not in docs/reports.md", item->name,
                     pt_report_kind(report));
        for (int64_t j = 0; j < i; j++)
            assert_string_not_equal(pt_report_item(report, j)->name, item->name);
        for (int a = 0; a < item->n_axes; a++)
            assert_non_null(item->axis[a]);
    }
    pt_report_free(report);
}

static void expect_named_explanation(const pt_dataset *data, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    pt_model *model = small_train(data, options, 1);
    small_must(pt_model_explain(&report, model, data, NULL, NULL, &err), &err, "explanation");
    expect_named(report);
    pt_model_free(model);
}

static void test_reports__of_data_models_and_predictions(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(60, 2, 3, 5);
    pt_dataset *data = small_dataset(&s);
    pt_model *model =
        small_train(data, "machine=code,code=ova,learner=adaboost,rounds=4,threads=1", 1);
    pt_prediction *prediction = small_predict(model, data, 1);
    pt_params *params = small_params("folds=3");
    pt_report *report = NULL;
    const int64_t rounds[] = {1, 4};
    small_must(pt_model_evaluate(&report, model, data, prediction, NULL, NULL, &err), &err,
               "evaluate");
    small_must(pt_evaluate_columns(report, model, data, NULL, &err), &err, "columns");
    small_must(pt_evaluate_rounds(report, model, data, rounds, 2, NULL, &err), &err, "rounds");
    expect_named(report);
    small_must(pt_dataset_report(&report, data, &err), &err, "data");
    expect_named(report);
    small_must(pt_dataset_judge(&report, data, NULL, &err), &err, "judgement");
    expect_named(report);
    small_must(pt_model_report(&report, model, &err), &err, "model");
    expect_named(report);
    small_must(pt_model_outputs(&report, model, data, rounds, 2, NULL, &err), &err, "outputs");
    expect_named(report);
    small_must(pt_model_trees(&report, model, "json", 0, &err), &err, "trees");
    expect_named(report);
    small_must(pt_model_importance(&report, model, data, NULL, NULL, &err), &err, "importance");
    expect_named(report);
    expect_named_explanation(data, "machine=softmax");
    expect_named_explanation(data, "machine=onelsm,kernel=rbf,sigma=1,ridge=1");
    expect_named_explanation(data, "machine=tree");
    small_must(pt_prediction_report(&report, prediction, &err), &err, "prediction");
    expect_named(report);
    small_must(pt_params_report(&report, params, &err), &err, "parameters");
    expect_named(report);
    pt_dataset *read = NULL;
    small_must(
        pt_dataset_read_places(&read, &report, PT_SOURCE_DIR "/data/iris.csv", NULL, NULL, &err),
        &err, "places");
    assert_int_equal(pt_report_integer_at(report, "line", 149, 0, 0), 151);
    expect_named(report);
    pt_dataset_free(read);
    small_must(pt_split_file(&read, &report, PT_SOURCE_DIR "/data/iris.csv", 0.2, "/dev/null",
                             "/dev/null", NULL, NULL, &err),
               &err, "split");
    expect_named(report);
    pt_dataset_free(read);
    pt_model *iris = NULL;
    pt_prediction_stream *stream = NULL;
    const pt_prediction *part = NULL;
    small_must(pt_dataset_read(&read, PT_SOURCE_DIR "/data/iris.csv", NULL, NULL, &err), &err,
               "iris");
    iris = small_train(read, "machine=tree", 1);
    small_must(pt_prediction_stream_open(&stream, iris, PT_SOURCE_DIR "/data/iris.csv", NULL, -1,
                                         NULL, &err),
               &err, "stream");
    small_must(pt_prediction_stream_keep(stream, "class", &err), &err, "keep");
    small_must(pt_prediction_stream_next(stream, &part, &err), &err, "part");
    small_must(pt_prediction_stream_report(&report, stream, &err), &err, "stream");
    assert_string_equal(pt_report_text_at(report, "kept", 149, 0, 0), "virginica");
    expect_named(report);
    pt_prediction_stream_close(stream);
    pt_model_free(iris);
    pt_dataset_free(read);
    expect_named_arrays(data, "machine=softmax");
    expect_named_arrays(data, "machine=tree");
    pt_params_free(params);
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_reports__of_searches_and_comparisons(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(60, 2, 3, 6);
    pt_dataset *data = small_dataset(&s);
    pt_params *common = small_params("folds=3,metric=log-loss");
    const char *const machines[] = {"onelsm:ridge=0.1", "tree"};
    pt_params *params[2] = {NULL, NULL};
    pt_report *reports[2] = {NULL, NULL};
    small_must(pt_params_for_machines(params, common, machines, 2, &err), &err, "machines");
    const pt_params *const *both = (const pt_params *const *)params;
    small_must(pt_cross_validate(reports, NULL, data, both, 2, NULL, &err), &err, "cv");
    expect_named(reports[0]);
    expect_named(reports[1]);
    small_must(pt_compare(reports, data, NULL, both, 2, NULL, &err), &err, "compare");
    expect_named(reports[0]);
    small_must(pt_compare(reports, data, data, both, 2, NULL, &err), &err, "test");
    expect_named(reports[0]);
    small_must(pt_coding_make(reports, 5, NULL, NULL, &err), &err, "code");
    expect_named(reports[0]);
    for (int m = 0; m < 2; m++)
        pt_params_free(params[m]);
    pt_params_free(common);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_reports__tables_of_what_there_is(void **state)
{
    (void)state;
    static const char *const TABLES[] = {"parameters", "machines",   "kernels",      "codes",
                                         "learners",   "labelbooks", "decoders",     "formats",
                                         "synth",      "backends",   "model-formats"};
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++) {
        small_must(pt_catalogue(&report, TABLES[t], &err), &err, TABLES[t]);
        assert_true(pt_report_length(report, "name") > 0);
        expect_named(report);
    }
    report = NULL;
    assert_int_equal(pt_catalogue(&report, "nonsense", &err), PT_EINVAL);
    assert_int_equal(pt_catalogue(&report, NULL, NULL), PT_EINVAL);
    assert_null(report);
}

/* The report has a warning of this kind. Frees it. */
static void expect_kind(pt_report *report, const char *kind)
{
    bool there = false;
    for (int64_t i = 0; i < pt_report_length(report, "warning"); i++)
        there = there || strcmp(pt_report_text_at(report, "warning_kind", i, 0, 0), kind) == 0;
    if (!there)
        fail_msg("no warning of kind '%s' in a report '%s'; the first: %s", kind,
                 pt_report_kind(report), pt_report_text_at(report, "warning", 0, 0, 0));
    assert_int_equal(pt_report_length(report, "warning_kind"), pt_report_length(report, "warning"));
    pt_report_free(report);
}

static void expect_kind_of_model(const pt_dataset *data, const char *options, const char *kind)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    pt_model *model = small_train(data, options, 1);
    small_must(pt_model_report(&report, model, &err), &err, options);
    expect_kind(report, kind);
    pt_model_free(model);
}

/* What happened says which kind it is. (test_checkpoint.c has "unsaved".) */
static void test_warnings__have_kinds(void **state)
{
    (void)state;
    static const char CSV[] = "a;b;c\n1;2;x\n2;1;y\n3;5;x\n4;7;y\n5;1;x\n6;2;z\n";
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    pt_dataset *read = NULL;
    small s = small_clouds(60, 2, 3, 5);
    pt_dataset *data = small_dataset(&s);
    pt_params *params = small_params("sigma=1,sigma=2,ridge=1,folds=3");
    const pt_params *one = params;
    small_must(pt_params_report(&report, params, &err), &err, "parameters");
    expect_kind(report, "parameters");
    small_must(pt_dataset_read_memory(&read, CSV, sizeof CSV - 1, "x.csv", NULL, NULL, &err), &err,
               "data");
    small_must(pt_dataset_report(&report, read, &err), &err, "data");
    expect_kind(report, "data");
    small_must(pt_cross_validate(&report, NULL, read, &one, 1, NULL, &err), &err, "search");
    expect_kind(report, "classes");
    expect_kind_of_model(data, "code=ova,learner=brownboost,rounds=1,calibrate=no", "convergence");
    expect_kind_of_model(data, "kernel=rbf,sigma=100,ridge=1e-8,calibrate=no", "numeric");
    pt_model *model = small_train(data, "sigma=1,ridge=1", 1);
    small_must(pt_model_evaluate(&report, model, data, NULL, NULL, NULL, &err), &err, "evaluate");
    expect_kind(report, "optimism");
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(read);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_warnings__kinds_are_on_the_page(void **state)
{
    (void)state;
    for (int kind = 0; kind <= PT_KIND_PROGRESS; kind++) {
        char quoted[40];
        snprintf(quoted, sizeof quoted, "`%s`", pt_kind_name((pt_kind)kind));
        if (!strstr(page, quoted))
            fail_msg("the kind %s is not in docs/reports.md", quoted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warnings__have_kinds),
        cmocka_unit_test(test_warnings__kinds_are_on_the_page),
        cmocka_unit_test(test_reports__of_data_models_and_predictions),
        cmocka_unit_test(test_reports__of_searches_and_comparisons),
        cmocka_unit_test(test_reports__tables_of_what_there_is),
    };
    return cmocka_run_group_tests(tests, read_page, free_page);
}
