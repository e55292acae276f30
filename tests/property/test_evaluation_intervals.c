/* Intervals of evaluations of labels of every kind: they hold the figure, whole groups are drawn,
 * and what parameters say of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/from_memory.h"
#include "../support/labelled_rows.h"
#include "../support/small_problem.h"
#include "data/dataset.h"
#include "metrics/label_metrics.h"

enum { N = 60, D = 3, K = 4, CLONES = 3 };

static pt_dataset *random_data(pt_label_kind kind, uint64_t seed)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    labelled l = labelled_rows(kind, N, D, K, 0.8, seed);
    small_must(dataset_from_f64(&data, l.x, l.n, l.d, l.d, &err), &err, "data");
    data->labels = l.labels;
    l.labels = NULL;
    labelled_free(&l);
    return data;
}

/* Every row so many times; with groups, those of a row are one. */
static pt_dataset *clones_of(const pt_dataset *data, bool grouped)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *clones = NULL;
    int64_t rows[CLONES * N];
    int64_t group[CLONES * N];
    for (int64_t i = 0; i < (int64_t)CLONES * N; i++) {
        rows[i] = i / CLONES;
        group[i] = 5 * (i / CLONES) - 7;
    }
    small_must(pt_dataset_subset(&clones, data, rows, (int64_t)CLONES * N, NULL, &err), &err,
               "clones");
    const pt_dense values = {PT_I64, group, (int64_t)CLONES * N, 1, 1, 1};
    if (grouped)
        small_must(pt_dataset_set_role(clones, "group", &values, &err), &err, "groups");
    return clones;
}

static pt_report *evaluate(const pt_model *model, const pt_dataset *data, const char *options,
                           int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    pt_params *params = small_params(options);
    pt_task *task = small_task(threads);
    small_must(pt_model_evaluate(&report, model, data, NULL, params, task, &err), &err, options);
    pt_task_free(task);
    pt_params_free(params);
    return report;
}

static double bound(const pt_report *report, const char *figure, int which)
{
    char name[64];
    snprintf(name, sizeof name, "%s_interval", figure);
    return pt_report_number_at(report, name, which, 0, 0);
}

static double width(const pt_report *report, const char *figure)
{
    return bound(report, figure, 1) - bound(report, figure, 0);
}

static pt_model *train(const pt_dataset *data)
{
    const bool by_class = data->labels->kind == PT_LABEL_CLASS;
    return small_train(data,
                       by_class ? "machine=onelsm,sigma=2,ridge=1" : "machine=rank-ls,ridge=1", 1);
}

/* A percentile interval may leave out a figure that draws seldom reach, at an end of its range. */
static void assert_holds(const pt_report *report, const char *figure)
{
    const double value = pt_report_number(report, figure);
    const double low = bound(report, figure, 0);
    const double high = bound(report, figure, 1);
    if (!(low <= high && low <= value + 0.05 && value <= high + 0.05))
        fail_msg("%s: %g is not in [%g, %g]", figure, value, low, high);
}

static void test_intervals__hold_every_figure(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < sizeof LABEL_KINDS / sizeof *LABEL_KINDS; kind++) {
        pt_dataset *data = random_data(LABEL_KINDS[kind], 3);
        pt_dataset *test = random_data(LABEL_KINDS[kind], 4);
        pt_dataset *groups = clones_of(test, true);
        pt_model *model = train(data);
        const pt_dataset *of[] = {test, groups};
        for (int g = 0; g < 2; g++) {
            pt_report *report = evaluate(model, of[g], "", 1);
            assert_int_equal(pt_report_integer(report, "n_draws"), 1000);
            assert_holds(report, "error");
            for (int64_t m = 0; m < pt_report_length(report, "metric"); m++)
                assert_holds(report, pt_report_text_at(report, "metric", m, 0, 0));
            if (pt_report_find(report, "log_loss")) {
                assert_holds(report, "log_loss");
                assert_holds(report, "brier");
                assert_holds(report, "calibration_error");
            }
            if (pt_report_find(report, "expected_error"))
                assert_holds(report, "expected_error");
            pt_report_free(report);
        }
        pt_model_free(model);
        pt_dataset_free(groups);
        pt_dataset_free(test);
        pt_dataset_free(data);
    }
}

static void test_intervals__draw_whole_groups(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < sizeof LABEL_KINDS / sizeof *LABEL_KINDS; kind++) {
        pt_dataset *data = random_data(LABEL_KINDS[kind], 5);
        pt_dataset *test = random_data(LABEL_KINDS[kind], 6);
        pt_dataset *groups = clones_of(test, true);
        pt_dataset *clones = clones_of(test, false);
        pt_model *model = train(data);
        pt_report *plain = evaluate(model, test, "intervals=300", 1);
        pt_report *grouped = evaluate(model, groups, "intervals=300", 2);
        pt_report *many = evaluate(model, clones, "intervals=300", 1);
        const pt_label_kind k = LABEL_KINDS[kind];
        for (int m = 0; pt_metric_name((pt_metric)m); m++) {
            const char *name = pt_metric_name((pt_metric)m);
            const bool probabilities = m == PT_METRIC_LOG_LOSS || m == PT_METRIC_BRIER;
            if (!pt_report_find(plain, name))
                continue;
            if (pt_metric_is_share((pt_metric)m, k) || probabilities) {
                /* of rows by themselves exact, or by standard errors: nearly the same */
                assert_true(width(grouped, name) > 0.6 * width(plain, name));
                assert_true(width(grouped, name) < 1.3 * width(plain, name) + 0.01);
            } else {
                assert_true(fabs(bound(grouped, name, 0) - bound(plain, name, 0)) < 1e-9);
                assert_true(fabs(bound(grouped, name, 1) - bound(plain, name, 1)) < 1e-9);
            }
            assert_true(width(grouped, name) == 0 ||
                        width(grouped, name) > 1.2 * width(many, name));
        }
        if (pt_report_find(plain, "calibration_error")) {
            const double of_rows = width(plain, "calibration_error");
            assert_true(width(grouped, "calibration_error") > 0.6 * of_rows);
            assert_true(width(grouped, "calibration_error") < 1.5 * of_rows);
        }
        pt_report_free(many);
        pt_report_free(grouped);
        pt_report_free(plain);
        pt_model_free(model);
        pt_dataset_free(clones);
        pt_dataset_free(groups);
        pt_dataset_free(test);
        pt_dataset_free(data);
    }
}

static void test_intervals__are_as_many_draws_as_asked_for(void **state)
{
    (void)state;
    pt_dataset *data = random_data(PT_LABEL_CLASS, 7);
    pt_dataset *groups = clones_of(data, true);
    pt_model *model = train(data);
    pt_report *none = evaluate(model, data, "intervals=0", 1);
    assert_int_equal(pt_report_integer(none, "n_draws"), 0);
    assert_true(width(none, "error") > 0); /* it is exact */
    assert_true(width(none, "log_loss") > 0);
    assert_null(pt_report_find(none, "mcc_interval"));
    assert_null(pt_report_find(none, "expected_error_interval"));
    pt_report *of_groups = evaluate(model, groups, "intervals=0", 1);
    assert_null(pt_report_find(of_groups, "error_interval")); /* rows do not stand for themselves */
    assert_null(pt_report_find(of_groups, "log_loss_interval"));
    pt_report *one = evaluate(model, data, "intervals=200,seed=3", 1);
    pt_report *two = evaluate(model, data, "intervals=200,seed=3", 2);
    pt_report *other = evaluate(model, data, "intervals=200,seed=4", 2);
    assert_int_equal(pt_report_integer(one, "n_draws"), 200);
    for (int b = 0; b < 2; b++)
        assert_true(bound(one, "mcc", b) == bound(two, "mcc", b) &&
                    bound(one, "auc_ovo", b) == bound(two, "auc_ovo", b));
    assert_true(bound(one, "mcc", 0) != bound(other, "mcc", 0) ||
                bound(one, "mcc", 1) != bound(other, "mcc", 1));
    pt_report_free(other);
    pt_report_free(two);
    pt_report_free(one);
    pt_report_free(of_groups);
    pt_report_free(none);
    pt_model_free(model);
    pt_dataset_free(groups);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals__hold_every_figure),
        cmocka_unit_test(test_intervals__draw_whole_groups),
        cmocka_unit_test(test_intervals__are_as_many_draws_as_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
