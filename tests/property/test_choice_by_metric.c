/* Automatic sigma and ridge by the metric that was asked for: losses of rows, figures of all rows,
 * what is chosen, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/random.h"
#include "data/dataset.h"
#include "machine/training.h"
#include "metrics/label_judge.h"
#include "metrics/label_metrics.h"
#include "validate/auto.h"
#include "validate/choice_loss.h"

enum { N = 120, K = 3 };

static const double COSTS[K * K] = {0, 1, 4, 2, 0, 1, 8, 1, 0};

static pt_params *params_of(const char *options, const char *metric)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(options);
    if (metric)
        small_must(pt_params_set(params, "metric", metric, &err), &err, metric);
    if (metric && strcmp(metric, "cost") == 0) {
        const pt_dense costs = {PT_F64, COSTS, K, K, K, 1};
        small_must(pt_params_set_array(params, "costs", &costs, &err), &err, "costs");
    }
    return params;
}

/* Two rare classes that overlap with a frequent one. */
static pt_dataset *rare(uint64_t seed)
{
    small s = small_clouds(N, 2, K, seed);
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 9);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < 2; j++)
            s.x[i * 2 + j] = 0.9 * s.x[i * 2 + j] + 1.2 * pt_random_normal(&random);
    pt_dataset *data = small_dataset(&s);
    for (int64_t i = 0; i < N; i++)
        if (i % 4 > 0)
            data->labels->class_of[i] = 0;
    small_free(&s);
    return data;
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* The sum of losses orders predictions as the metric does: it is a line in it. */
static void test_choice_loss__is_a_line_in_the_metric(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"balanced-error", "balanced-accuracy", "cost",
                                        "top-k-accuracy", "macro-f1",          "mcc",
                                        "kappa"};
    pt_dataset *data = rare(3);
    const pt_labels *labels = data->labels;
    pt_random random;
    pt_random_init(&random, 8, PT_RANDOM_TEST, 3);
    for (size_t m = 0; m < sizeof NAMES / sizeof *NAMES; m++) {
        pt_error err = PT_ERROR_INIT;
        pt_params *params = params_of("top-k=2", NAMES[m]);
        pt_choice_loss loss = {0};
        small_must(pt_choice_loss_init(&loss, params, labels, NULL, &err), &err, NAMES[m]);
        double x[4];
        double y[4];
        for (int t = 0; t < 4; t++) {
            double scores[N * K];
            float of_row[N];
            int64_t counts[3 * K];
            pt_tally tally;
            const pt_metric_rules rules = {2, COSTS};
            assert_int_equal(pt_tally_init(&tally, labels, K, ~0u, &rules, NULL), PT_OK);
            y[t] = 0;
            for (int64_t i = 0; i < N; i++) {
                for (int64_t r = 0; r < K; r++)
                    scores[i * K + r] =
                        pt_random_uniform(&random) + (r == labels->class_of[i] ? 0.1 * t : 0);
                pt_tally_add(&tally, i, scores + i * K);
                of_row[i] = (float)pt_choice_loss_row(&loss, labels, i, scores + i * K);
                y[t] += (double)of_row[i];
            }
            if (loss.by_figure)
                y[t] = pt_choice_loss_of(&loss, labels->class_of, of_row, N, K, counts);
            assert_true(y[t] >= 0 && y[t] <= N);
            x[t] = pt_tally_metric(&tally, (pt_metric)pt_metric_find(NAMES[m]));
            pt_tally_free(&tally);
        }
        const double slope = (y[1] - y[0]) / (x[1] - x[0]);
        assert_true(pt_metric_larger_is_better((pt_metric)pt_metric_find(NAMES[m])) ? slope < 0
                                                                                    : slope > 0);
        for (int t = 2; t < 4; t++)
            assert_true(fabs(y[0] + slope * (x[t] - x[0]) - y[t]) < 1e-4);
        pt_choice_loss_free(&loss);
        pt_params_free(params);
    }
    pt_dataset_free(data);
}

static void test_choice_loss__else_is_the_loss_of_labels(void **state)
{
    (void)state;
    static const char *const NAMES[] = {NULL, "error", "log-loss", "auc-ovo", "micro-f1"};
    pt_dataset *data = rare(4);
    for (size_t m = 0; m < sizeof NAMES / sizeof *NAMES; m++) {
        pt_error err = PT_ERROR_INIT;
        pt_params *params = params_of("", NAMES[m]);
        pt_choice_loss loss = {0};
        small_must(pt_choice_loss_init(&loss, params, data->labels, NULL, &err), &err, "loss");
        assert_false(loss.asked);
        const double scores[K] = {0, 2, 1};
        for (int64_t i = 0; i < N; i++)
            assert_true(pt_choice_loss_row(&loss, data->labels, i, scores) ==
                        pt_label_loss(data->labels, i, scores));
        pt_choice_loss_free(&loss);
        pt_params_free(params);
    }
    pt_dataset_free(data);
}

/* ---- what is chosen -------------------------------------------------------------------------- */

/* The value of a metric of the held-out scores with the parameters that are chosen by another. */
static double chosen_by(const pt_dataset *data, const char *machine, const char *by,
                        const char *judged)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = params_of(machine, by);
    pt_training training = {0};
    small_must(pt_training_init(&training, data, params, NULL, &err), &err, machine);
    small_must(pt_training_resolve(&training, NULL, &err), &err, machine);
    pt_params *fixed = NULL;
    small_must(pt_params_copy(&fixed, training.params, &err), &err, "parameters");
    small_must(pt_params_set(fixed, "loo", "yes", &err), &err, "folds");
    small_must(pt_params_set(fixed, "metric", judged, &err), &err, judged);
    pt_report *search = NULL;
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){fixed}, 1, NULL, &err),
               &err, judged);
    const double value = pt_report_number_at(search, "value", 0, 0, 0);
    pt_report_free(search);
    pt_params_free(fixed);
    pt_training_free(&training);
    pt_params_free(params);
    return value;
}

/* By leave-one-out the point that is chosen by a metric is the best by it of those that were seen:
 * no worse than what errors choose. */
static void test_resolve__is_best_by_the_metric(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"balanced-accuracy", "macro-f1", "mcc", "kappa"};
    int better = 0;
    for (uint64_t seed = 1; seed < 5; seed++) {
        pt_dataset *data = rare(seed);
        for (size_t m = 0; m < sizeof NAMES / sizeof *NAMES; m++) {
            const double own = chosen_by(data, "machine=onelsm,merge=no", NAMES[m], NAMES[m]);
            const double other = chosen_by(data, "machine=onelsm,merge=no", NULL, NAMES[m]);
            assert_true(own >= other - 1e-12);
            better += own > other + 1e-9;
        }
        pt_dataset_free(data);
    }
    assert_true(better > 0);
}

static void test_resolve__by_training_takes_metrics(void **state)
{
    (void)state;
    pt_dataset *data = rare(2);
    const double own = chosen_by(data, "machine=spoc,kernel=rbf,merge=no", "balanced-accuracy",
                                 "balanced-accuracy");
    assert_true(own > 1.0 / K);
    pt_dataset_free(data);
}

static void test_resolve__tells_of_no_errors_then(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = rare(2);
    for (int asked = 0; asked < 2; asked++) {
        pt_params *params = params_of("machine=onelsm", asked ? "mcc" : NULL);
        pt_training training = {0};
        small_must(pt_training_init(&training, data, params, NULL, &err), &err, "training");
        small_must(pt_training_resolve(&training, NULL, &err), &err, "training");
        assert_int_equal(training.chosen.rows, asked ? 0 : N);
        pt_training_free(&training);
        pt_params_free(params);
    }
    pt_dataset_free(data);
}

static void test_resolve__refuses_what_has_no_meaning(void **state)
{
    (void)state;
    static const char *const BAD[][2] = {{"metric=cost", "needs `costs`"},
                                         {"metric=top-k-accuracy,top-k=3", "always right"},
                                         {"metric=hamming-loss", "have no such metric"}};
    pt_dataset *data = rare(2);
    for (size_t b = 0; b < sizeof BAD / sizeof *BAD; b++) {
        pt_error err = PT_ERROR_INIT;
        pt_params *params = small_params(BAD[b][0]);
        pt_model *model = NULL;
        assert_int_equal(pt_model_train(&model, data, params, NULL, &err), PT_EINVAL);
        assert_non_null(strstr(err.text, BAD[b][1]));
        pt_params_free(params);
    }
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice_loss__is_a_line_in_the_metric),
        cmocka_unit_test(test_choice_loss__else_is_the_loss_of_labels),
        cmocka_unit_test(test_resolve__is_best_by_the_metric),
        cmocka_unit_test(test_resolve__by_training_takes_metrics),
        cmocka_unit_test(test_resolve__tells_of_no_errors_then),
        cmocka_unit_test(test_resolve__refuses_what_has_no_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
