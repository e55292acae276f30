/* Every item of every kind of report is in docs/reports.md, by its name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
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
    small_must(pt_model_evaluate(&report, model, data, prediction, NULL, &err), &err, "evaluate");
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
    small_must(pt_prediction_report(&report, prediction, &err), &err, "prediction");
    expect_named(report);
    small_must(pt_params_report(&report, params, &err), &err, "parameters");
    expect_named(report);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports__of_data_models_and_predictions),
        cmocka_unit_test(test_reports__of_searches_and_comparisons),
        cmocka_unit_test(test_reports__tables_of_what_there_is),
    };
    return cmocka_run_group_tests(tests, read_page, free_page);
}
