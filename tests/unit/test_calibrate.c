/* Temperature, mixing and the figures of probabilities against their definitions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/random.h"
#include "decoders/decoder.h"
#include "model/calibrate.h"
#include "model/model.h"

enum { N = 4000, K = 4 };

static double scores[N * K];
static int64_t truth[N];

/* Scores whose probabilities at temperature `t` and mixing `e` are exactly the distribution that
 * truth is drawn from. */
static void draw(int n, double t, double e)
{
    pt_random random;
    pt_random_init(&random, 17, PT_RANDOM_TEST, 0);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int r = 0; r < K; r++) {
            scores[i * K + r] = pt_random_normal(&random);
            sum += exp(t * scores[i * K + r]);
        }
        double left = pt_random_uniform(&random) * sum;
        truth[i] = 0;
        while (truth[i] < K - 1 && (left -= exp(t * scores[i * K + truth[i]])) > 0)
            truth[i]++;
        if (pt_random_uniform(&random) < e)
            truth[i] = pt_random_below(&random, K);
    }
}

static pt_calibration fitted(int64_t n, const double *weight, bool given)
{
    pt_error err;
    pt_calibration calibration = {1, 0, given};
    const pt_held_out_scores held_out = {
        .scores = scores, .class_of = truth, .weight = weight, .n = n, .k = K, .given = given};
    small_must(pt_calibrate(&calibration, &held_out, &err), &err, "calibrate");
    return calibration;
}

static pt_reliability collect(double temperature, double mixing)
{
    const pt_calibration calibration = {temperature, mixing, false};
    pt_reliability reliability = {0};
    for (int i = 0; i < N; i++) {
        double p[K];
        pt_class_probabilities(&calibration, scores + i * K, K, p);
        pt_reliability_add(&reliability, p, K, pt_decode_argmax(scores + i * K, K), truth[i], 1);
    }
    return reliability;
}

/* Both numbers are found again, in any unit of the scores. */
static void test_calibrate__finds_temperature_and_mixing(void **state)
{
    (void)state;
    draw(N, 2.5, 0.1);
    const pt_calibration c = fitted(N, NULL, false);
    assert_true(fabs(c.temperature - 2.5) < 0.25);
    assert_true(fabs(c.mixing - 0.1) < 0.03);
    for (int i = 0; i < N * K; i++)
        scores[i] *= 1e6;
    const pt_calibration scaled = fitted(N, NULL, false);
    assert_true(fabs(scaled.temperature * 1e6 / c.temperature - 1) < 1e-4);
    assert_true(fabs(scaled.mixing - c.mixing) < 1e-5);
    draw(N, 2.5, 0);
    assert_true(fitted(N, NULL, false).mixing < 0.01);
}

/* ---- a slow reference ------------------------------------------------------------------------ */

/* The sum that is minimised, as its comment has it, without shifts or shortcuts. */
static double smoothed_loss(int64_t n, const double *weight, bool given, double t, double e)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++)
        total += weight ? weight[i] : 1;
    const double d = 1 / (total + 2);
    double loss = 0;
    for (int64_t i = 0; i < n; i++) {
        double q[K];
        double sum = 0;
        int64_t beside = truth[i] == 0 ? 1 : 0;
        for (int r = 0; r < K; r++) {
            const double s = scores[i * K + r];
            q[r] = given ? pow(s, t) : exp(t * s);
            sum += q[r];
            if (r != truth[i] && s > scores[i * K + beside])
                beside = r;
        }
        loss -= (weight ? weight[i] : 1) * ((1 - d) * log((1 - e) * q[truth[i]] / sum + e / K) +
                                            d * log((1 - e) * q[beside] / sum + e / K));
    }
    return loss;
}

/* No point of a fine grid over both numbers is better than what was found. */
static void expect_minimum(int64_t n, const double *weight, bool given)
{
    const pt_calibration c = fitted(n, weight, given);
    double total = 0;
    for (int64_t i = 0; i < n; i++)
        total += weight ? weight[i] : 1;
    const double least = 1 / (total + 2);
    const double found = smoothed_loss(n, weight, given, c.temperature, c.mixing);
    if (!isfinite(found) || c.mixing < least || c.mixing > 1)
        fail_msg("loss %g, temperature %g, mixing %g", found, c.temperature, c.mixing);
    for (double t = 0.01; t < 200; t *= 1.03)
        for (double e = least; e < 1; e = e < 0.5 ? 1.2 * e : e + 0.05)
            assert_true(smoothed_loss(n, weight, given, t, e) >= found - 1e-6 * fabs(found));
}

static void test_calibrate__agrees_with_a_grid(void **state)
{
    (void)state;
    static double weight[N];
    draw(60, 2.5, 0.1);
    expect_minimum(60, NULL, false);
    for (int i = 0; i < 60; i++)
        weight[i] = 1 + i % 4;
    expect_minimum(60, weight, false);
    draw(40, 1, 0);
    expect_minimum(40, NULL, false);
    for (int i = 0; i < 40; i++) { /* probabilities in place of scores */
        double sum = 0;
        for (int r = 0; r < K; r++)
            sum += scores[i * K + r] = exp(scores[i * K + r]);
        for (int r = 0; r < K; r++)
            scores[i * K + r] /= sum;
    }
    expect_minimum(40, NULL, true);
}

/* Every row is right by a margin: without a prior the temperature has no bound. */
static void test_calibrate__separable_scores_have_a_modest_temperature(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        truth[i] = i % K;
        for (int r = 0; r < K; r++)
            scores[i * K + r] = r == truth[i] ? 1 + 0.01 * i : 0.1 * r;
    }
    expect_minimum(50, NULL, false);
    const pt_calibration c = fitted(50, NULL, false);
    double p[K];
    pt_class_probabilities(&c, scores, K, p);
    assert_true(p[0] > 0.8 && p[0] < 0.995);
    for (int r = 0; r < K; r++)
        assert_true(p[r] > 1 / (K * 52.5));
    assert_true(c.temperature < 20);
}

/* A row of weight 3 is three rows. */
static void test_calibrate__whole_weights_count_rows(void **state)
{
    (void)state;
    static double weight[N];
    draw(100, 2, 0.1);
    for (int i = 0; i < 100; i++)
        weight[i] = 1 + i % 3;
    const pt_calibration weighted = fitted(100, weight, false);
    static double few[100 * K];
    static int64_t of[100];
    memcpy(few, scores, sizeof few);
    memcpy(of, truth, sizeof of);
    int64_t n = 0;
    for (int i = 0; i < 100; i++)
        for (int copy = 0; copy < 1 + i % 3; copy++) {
            truth[n] = of[i];
            memcpy(scores + n++ * K, few + i * K, K * sizeof *few);
        }
    const pt_calibration repeated = fitted(n, NULL, false);
    assert_true(fabs(weighted.temperature / repeated.temperature - 1) < 1e-4);
    assert_true(fabs(weighted.mixing - repeated.mixing) < 1e-5);
    /* other weights have no unit */
    const double halves[] = {0.5, 0.5, 0.5, 0.5};
    const double tiny[] = {1e-9, 1e-9, 3e-9};
    assert_true(fabs(pt_effective_rows(halves, 4) - 4) < 1e-12);
    assert_true(fabs(pt_effective_rows(tiny, 3) - 25.0 / 11) < 1e-12);
}

/* Ties at 0 that the last bit settles: a temperature in their unit would not be a number. */
static void test_calibrate__is_finite_for_the_smallest_scores(void **state)
{
    (void)state;
    for (int power = -1074; power <= -1000; power++) {
        for (int i = 0; i < 100; i++) {
            truth[i] = i % 3;
            for (int r = 0; r < K; r++)
                scores[i * K + r] = r == 1 ? ldexp(1, power) : 0;
        }
        const pt_calibration c = fitted(100, NULL, false);
        assert_true(isfinite(c.temperature) && c.temperature > 0);
        assert_true(c.mixing >= 0 && c.mixing <= 1);
    }
}

/* ---- figures --------------------------------------------------------------------------------- */

static void test_reliability__error_tells_true_from_false(void **state)
{
    (void)state;
    draw(N, 2.5, 0);
    const pt_reliability fits = collect(2.5, 0);
    const pt_reliability bold = collect(10, 0);
    const pt_reliability shy = collect(0.3, 0);
    assert_true(pt_reliability_error(&fits).value < 0.03);
    assert_true(pt_reliability_error(&bold).low > 0.1);
    assert_true(pt_reliability_error(&shy).low > 0.1);
}

/* Two predictions of probability 0.75 (one right), one of 0.5 (right), and one of 0.5 whose class
 * has no probability: wrong, but not in the log loss. */
static void test_reliability__by_hand(void **state)
{
    (void)state;
    const double sure[2] = {0.75, 0.25};
    const double even[2] = {0.5, 0.5};
    pt_reliability r = {0};
    assert_true(isnan(pt_reliability_error(&r).value) && isnan(pt_reliability_brier(&r).low));
    pt_reliability_add(&r, sure, 2, 0, 0, 1);
    pt_reliability_add(&r, sure, 2, 0, 1, 1);
    pt_reliability_add(&r, even, 2, 0, 0, 1);
    pt_reliability_add(&r, even, 2, 0, 2, 1);
    assert_true(fabs(pt_reliability_error(&r).value - (0.5 + 0) / 4) < 1e-14);
    const double losses[3] = {-log(0.75), -log(0.25), -log(0.5)};
    const double mean = (losses[0] + losses[1] + losses[2]) / 3;
    double variance = 0;
    for (int i = 0; i < 3; i++)
        variance += (losses[i] - mean) * (losses[i] - mean) / 9;
    const pt_estimate loss = pt_reliability_log_loss(&r);
    assert_true(fabs(loss.value - mean) < 1e-14);
    assert_true(fabs(loss.high - mean - 1.959964 * sqrt(variance)) < 1e-6);
    assert_true(fabs(loss.low - mean + 1.959964 * sqrt(variance)) < 1e-6);
    assert_true(fabs(pt_reliability_brier(&r).value - (0.125 + 1.125 + 0.5) / 3) < 1e-14);
}

/* The intervals of 95 percent have the true value in about 95 of 100 samples. */
static void test_reliability__intervals_cover(void **state)
{
    (void)state;
    int covered = 0;
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 0);
    const double expected = -0.8 * log(0.7) - 0.2 * log(0.3);
    for (int sample = 0; sample < 1000; sample++) {
        pt_reliability r = {0};
        const double p[2] = {0.7, 0.3};
        for (int i = 0; i < 200; i++)
            pt_reliability_add(&r, p, 2, 0, pt_random_uniform(&random) < 0.8 ? 0 : 1, 1);
        const pt_estimate loss = pt_reliability_log_loss(&r);
        const pt_estimate error = pt_reliability_error(&r);
        covered += loss.low <= expected && expected <= loss.high;
        covered += error.low <= 0.1 && 0.1 <= error.high;
    }
    assert_true(covered > 2 * 920 && covered < 2 * 980);
}

static void test_calibrate__flat_scores_are_no_trouble(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * K; i++)
        scores[i] = 3;
    truth[0] = 0;
    truth[1] = 2;
    const pt_calibration c = fitted(2, NULL, false);
    assert_true(c.temperature == 1 && c.mixing == 0); /* as it was */
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
    assert_true(folds->calibration.temperature != 1);
    assert_true(loo->calibration.temperature == folds->calibration.temperature);
    assert_true(loo->held_out.error.value == folds->held_out.error.value);
    assert_string_equal(folds->held_out.how, "5 folds");
    pt_model_free(loo);
    pt_model_free(folds);
    pt_dataset_free(data);
    small_free(&cloud);
}

/* Above some hundred rows a part of them is held out, by machines trained on the others. */
static void test_calibrate__holds_out_enough_rows(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        const char *options;
        const char *how;
        int64_t rows;
    } cases[] = {
        {400, "machine=softmax", "5 folds", 400},
        {1000, "machine=softmax", "3 of 5 folds", 600},
        {3000, "machine=softmax", "1 of 6 folds", 500},
        {20000, "machine=softmax", "1 of 10 folds", 2000},
        {1000, "machine=onelsm,kernel=linear,ridge=1", "leave-one-out", 1000},
        {6000, "machine=onelsm,kernel=linear,ridge=1", "1 of 10 folds", 600},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        small cloud = small_clouds(cases[c].n, 2, 4, 6);
        pt_dataset *data = small_dataset(&cloud);
        pt_model *model = train(cases[c].options, data);
        assert_string_equal(model->held_out.how, cases[c].how);
        assert_int_equal(model->held_out.rows, cases[c].rows);
        assert_true(model->held_out.error.value < 0.15);
        pt_model_free(model);
        pt_dataset_free(data);
        small_free(&cloud);
    }
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
        assert_true(with->held_out.rows == 90 && with->calibration.temperature != 1);
        assert_true(without->held_out.rows == 0 && without->calibration.temperature == 1);
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
        cmocka_unit_test(test_calibrate__finds_temperature_and_mixing),
        cmocka_unit_test(test_calibrate__agrees_with_a_grid),
        cmocka_unit_test(test_calibrate__separable_scores_have_a_modest_temperature),
        cmocka_unit_test(test_calibrate__whole_weights_count_rows),
        cmocka_unit_test(test_calibrate__is_finite_for_the_smallest_scores),
        cmocka_unit_test(test_reliability__error_tells_true_from_false),
        cmocka_unit_test(test_reliability__by_hand),
        cmocka_unit_test(test_reliability__intervals_cover),
        cmocka_unit_test(test_calibrate__flat_scores_are_no_trouble),
        cmocka_unit_test(test_calibrate__a_few_folds_whatever_the_search_had),
        cmocka_unit_test(test_calibrate__holds_out_enough_rows),
        cmocka_unit_test(test_calibrate__may_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
