/* Pairwise coupling as a machine uses it: its slope, and scores that are probabilities. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/random.h"
#include "validate/coupling_slope.h"

static double minus_log_likelihood(const double *z, int64_t count, double extra, double t)
{
    double sum = log1p(exp(2 * t * extra));
    for (int64_t i = 0; i < count; i++)
        sum += log1p(exp(-2 * t * z[i]));
    return sum;
}

/* Margins drawn from the model with slope t: it is found again, and none near it is likelier. */
static void test_coupling__slope_is_the_most_likely(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static double z[COUNT];
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 0);
    for (double truth = 0.01; truth < 200; truth *= 8) {
        double size = 0;
        for (int i = 0; i < COUNT; i++) {
            const double f = pt_random_normal(&random) / truth;
            const double p = 1 / (1 + exp(-2 * truth * f));
            z[i] = pt_random_uniform(&random) < p ? f : -f;
            size += fabs(z[i]) / COUNT;
        }
        const double t = pt_coupling_slope(z, COUNT);
        assert_true(fabs(t / truth - 1) < 0.05);
        const double best = minus_log_likelihood(z, COUNT, size, t);
        assert_true(minus_log_likelihood(z, COUNT, size, 1.01 * t) > best);
        assert_true(minus_log_likelihood(z, COUNT, size, 0.99 * t) > best);
    }
}

static void test_coupling__slope_stays_finite(void **state)
{
    (void)state;
    const double right[4] = {1, 2, 3, 4};
    const double wrong[4] = {-1, -2, -3, -4};
    const double nothing[2] = {0, 0};
    assert_true(pt_coupling_slope(right, 4) > 0.1 && pt_coupling_slope(right, 4) < 10);
    assert_true(pt_coupling_slope(wrong, 4) > 0 && pt_coupling_slope(wrong, 4) < 1e-3);
    assert_true(pt_coupling_slope(nothing, 2) == 1);
    assert_true(pt_coupling_slope(nothing, 0) == 1);
}

/* Prediction, scores and probabilities agree; without calibration the scores are the probabilities,
 * but for what the number of rows mixes with them. */
static void test_coupling__scores_are_probabilities(void **state)
{
    (void)state;
    enum { K = 4 };
    static const char *const machines[] = {
        "machine=ls-ovo,sigma=2,ridge=0.1,decode=coupling",
        "machine=code,code=ovo,learner=svm,sigma=2,decode=coupling"};
    small s = small_clouds(80, 3, K, 7);
    small other = small_clouds(50, 3, K, 8);
    pt_dataset *train = small_dataset(&s);
    pt_dataset *on = small_dataset(&other);
    for (int q = 0; q < 4; q++) {
        pt_error err = PT_ERROR_INIT;
        pt_model *model = NULL;
        pt_prediction *prediction = NULL;
        double proba[50 * K];
        char options[200];
        snprintf(options, sizeof options, "%s,calibrate=%s", machines[q / 2], q % 2 ? "yes" : "no");
        small_must(small_try_train(&model, train, options, 1, &err), &err, options);
        assert_true(strtod(pt_model_param(model, "coupling-slope"), NULL) > 0);
        small_must(pt_model_predict(&prediction, model, on, -1, NULL, &err), &err, "predict");
        small_must(pt_prediction_proba(prediction, proba, &err), &err, "proba");
        const double *scores = pt_prediction_scores(prediction);
        for (int64_t i = 0; i < 50; i++) {
            double sum = 0;
            for (int r = 0; r < K; r++)
                sum += proba[i * K + r];
            assert_true(fabs(sum - 1) < 1e-14);
            assert_int_equal(pt_prediction_labels(prediction)[i], small_argmax(proba + i * K, K));
        }
        for (int c = 0; c < 50 * K && q % 2 == 0; c++)
            assert_true(fabs(proba[c] - (scores[c] * 81 / 82 + 1.0 / (82 * K))) < 1e-15);
        pt_prediction_free(prediction);
        pt_model_free(model);
    }
    pt_dataset_free(train);
    pt_dataset_free(on);
    small_free(&s);
    small_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coupling__slope_is_the_most_likely),
        cmocka_unit_test(test_coupling__slope_stays_finite),
        cmocka_unit_test(test_coupling__scores_are_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
