/* Temperature and calibration error against their definitions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/random.h"
#include "model/model.h"

enum { N = 4000, K = 4 };

static double scores[N * K];
static int64_t truth[N];

/* Scores whose softmax at temperature `t` is exactly the distribution that truth is drawn from. */
static void draw(double t)
{
    pt_random random;
    pt_random_init(&random, 17, PT_RANDOM_TEST, 0);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int r = 0; r < K; r++) {
            scores[i * K + r] = pt_random_normal(&random);
            sum += exp(t * scores[i * K + r]);
        }
        double left = pt_random_uniform(&random) * sum;
        truth[i] = 0;
        while (truth[i] < K - 1 && (left -= exp(t * scores[i * K + truth[i]])) > 0)
            truth[i]++;
    }
}

static pt_reliability collect(double temperature)
{
    pt_reliability reliability = {0};
    for (int i = 0; i < N; i++)
        pt_reliability_add(&reliability, scores + i * K, K, temperature, truth[i]);
    return reliability;
}

/* The temperature is found again, in any unit of the scores, and no other has a smaller loss. */
static void test_calibrate__finds_the_temperature(void **state)
{
    (void)state;
    draw(2.5);
    const double t = pt_calibrate(scores, truth, N, K);
    assert_true(fabs(t - 2.5) < 0.15);
    const pt_reliability best = collect(t);
    for (double other = 0.9; other < 1.11; other += 0.2) {
        const pt_reliability there = collect(other * t);
        assert_true(pt_reliability_log_loss(&there) > pt_reliability_log_loss(&best));
    }
    for (int i = 0; i < N * K; i++)
        scores[i] *= 1e6;
    assert_true(fabs(pt_calibrate(scores, truth, N, K) * 1e6 / t - 1) < 1e-6);
}

/* Ties at 0 that the last bit settles: a temperature in their unit would not be a number. */
static void test_calibrate__is_finite_for_the_smallest_scores(void **state)
{
    (void)state;
    for (int power = -1074; power <= -1000; power++) {
        for (int i = 0; i < N; i++) {
            truth[i] = i % 3;
            for (int r = 0; r < K; r++)
                scores[i * K + r] = r == 1 ? ldexp(1, power) : 0;
        }
        const double t = pt_calibrate(scores, truth, N, K);
        assert_true(isfinite(t) && t > 0);
    }
}

static void test_calibrate__error_tells_true_from_false(void **state)
{
    (void)state;
    draw(2.5);
    const pt_reliability fits = collect(2.5);
    const pt_reliability bold = collect(10);
    const pt_reliability shy = collect(0.3);
    assert_true(pt_reliability_error(&fits) < 0.03);
    assert_true(pt_reliability_error(&bold) > 0.1);
    assert_true(pt_reliability_error(&shy) > 0.1);
}

/* Two predictions of probability 1/(1+e^-1) = 0.731 (one right), one of 0.5 (right). */
static void test_calibrate__error_by_hand(void **state)
{
    (void)state;
    const double sure[2] = {1, 0};
    const double even[2] = {0, 0};
    const double p = 1 / (1 + exp(-1));
    pt_reliability r = {0};
    pt_reliability_add(&r, sure, 2, 1, 0);
    pt_reliability_add(&r, sure, 2, 1, 1);
    pt_reliability_add(&r, even, 2, 1, 0);
    assert_true(fabs(pt_reliability_error(&r) - ((2 * p - 1) + 0.5) / 3) < 1e-14);
    assert_true(fabs(pt_reliability_log_loss(&r) + (log(p) + log(1 - p) + log(0.5)) / 3) < 1e-14);
}

static void test_calibrate__flat_scores_are_no_trouble(void **state)
{
    (void)state;
    const double flat[6] = {3, 3, 3, 3, 3, 3};
    const int64_t of[2] = {0, 2};
    assert_true(pt_calibrate(flat, of, 2, 3) == 1);
}

static pt_model *train(const char *options, const pt_dataset *data)
{
    pt_error err;
    pt_model *model = NULL;
    pt_params *params = small_params(options);
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, options);
    pt_params_free(params);
    return model;
}

/* Without a closed form there are a few folds, also where a search asked for leave-one-out. */
static void test_calibrate__a_few_folds_whatever_the_search_had(void **state)
{
    (void)state;
    small cloud = small_clouds(60, 2, 3, 6);
    pt_dataset *data = small_dataset(&cloud);
    pt_model *folds = train("machine=vo-rls,ridge=0.1,sigma=1", data);
    pt_model *loo = train("machine=vo-rls,ridge=0.1,sigma=1,loo=yes", data);
    assert_true(folds->temperature != 1);
    assert_true(loo->temperature == folds->temperature);
    assert_true(loo->calibration_error == folds->calibration_error);
    pt_model_free(loo);
    pt_model_free(folds);
    pt_dataset_free(data);
    small_free(&cloud);
}

/* Labels and scores do not depend on it; the scale is 1, and nothing is said of it. */
static void test_calibrate__may_be_left_out(void **state)
{
    (void)state;
    const char *const machines[] = {"sigma=1,ridge=0.1", "machine=vo-rls,ridge=0.1,sigma=1",
                                    "machine=code,learner=svm,sigma=1"};
    small cloud = small_clouds(90, 2, 3, 6);
    pt_dataset *data = small_dataset(&cloud);
    for (int m = 0; m < 3; m++) {
        char options[200];
        snprintf(options, sizeof options, "%s,calibrate=no", machines[m]);
        pt_model *with = train(machines[m], data);
        pt_model *without = train(options, data);
        assert_true(isfinite(with->calibration_error) && with->temperature != 1);
        assert_true(isnan(without->calibration_error) && without->temperature == 1);
        assert_null(strstr(pt_model_metadata(without), "calibration_error"));
        pt_prediction *a = small_predict(with, data, 1);
        pt_prediction *b = small_predict(without, data, 1);
        assert_memory_equal(pt_prediction_labels(a), pt_prediction_labels(b), 90 * sizeof(int64_t));
        assert_memory_equal(pt_prediction_scores(a), pt_prediction_scores(b),
                            90 * 3 * sizeof(double));
        pt_prediction_free(b);
        pt_prediction_free(a);
        pt_model_free(without);
        pt_model_free(with);
    }
    pt_dataset_free(data);
    small_free(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calibrate__finds_the_temperature),
        cmocka_unit_test(test_calibrate__is_finite_for_the_smallest_scores),
        cmocka_unit_test(test_calibrate__error_tells_true_from_false),
        cmocka_unit_test(test_calibrate__error_by_hand),
        cmocka_unit_test(test_calibrate__flat_scores_are_no_trouble),
        cmocka_unit_test(test_calibrate__a_few_folds_whatever_the_search_had),
        cmocka_unit_test(test_calibrate__may_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
