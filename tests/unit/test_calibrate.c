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
#include "model/model.h"
#include "validate/probability/calibrate.h"

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

static const double *class_rows; /* NULL: not looked at */

static pt_calibration fitted(int64_t n, const double *weight, bool given)
{
    pt_error err = PT_ERROR_INIT;
    pt_calibration calibration = {1, 1, 0, 0, 0, given, NULL};
    const pt_held_out_scores held_out = {.scores = scores,
                                         .class_of = truth,
                                         .weight = weight,
                                         .class_rows = class_rows,
                                         .n = n,
                                         .k = K,
                                         .given = given};
    small_must(pt_calibrate(&calibration, &held_out, &err), &err, "calibrate");
    static pt_said kept[K]; /* until the next call */
    for (int r = 0; r < K && calibration.said; r++)
        kept[r] = calibration.said[r];
    const bool said = calibration.said != NULL;
    pt_calibration_free(&calibration);
    calibration.said = said ? kept : NULL;
    return calibration;
}

static pt_reliability collect(const pt_calibration *calibration)
{
    pt_reliability reliability = {0};
    for (int i = 0; i < N; i++) {
        double p[K];
        pt_class_probabilities(calibration, class_rows, scores + i * K, K, p);
        pt_reliability_add(&reliability, p, K, pt_first_largest(scores + i * K, K), truth[i], 1);
    }
    return reliability;
}

/* What the truth was drawn from is found again, in any unit of the scores. */
static void test_calibrate__finds_temperature_and_mixing(void **state)
{
    (void)state;
    draw(N, 2.5, 0.1);
    const pt_calibration c = fitted(N, NULL, false);
    assert_true(fabs(c.temperature - 2.5) < 0.4);
    assert_true(fabs(c.power - 1) < 0.2);
    assert_true(fabs(c.mixing - 0.1) < 0.05);
    const pt_reliability as_drawn = collect(&(pt_calibration){2.5, 1, 0, 0.1, 0, false, NULL});
    const pt_reliability as_fitted = collect(&c);
    assert_true(pt_reliability_log_loss(&as_fitted).value <
                pt_reliability_log_loss(&as_drawn).value + 1e-3);
    for (int i = 0; i < N * K; i++)
        scores[i] *= 1e6;
    const pt_calibration scaled = fitted(N, NULL, false);
    assert_true(fabs(scaled.temperature * pow(1e6, scaled.power) / c.temperature - 1) < 1e-3);
    assert_true(fabs(scaled.mixing - c.mixing) < 1e-4);
    draw(N, 2.5, 0);
    assert_true(fitted(N, NULL, false).mixing < 0.02);
}

/* ---- a slow reference ------------------------------------------------------------------------ */

/* What is minimised, as its comment has it, without shifts or shortcuts. */
static double smoothed_loss(int64_t n, const double *weight, const pt_calibration *c)
{
    double total = 0;
    double unit = 0;
    for (int64_t i = 0; i < n; i++) {
        total += weight ? weight[i] : 1;
        const double *s = scores + i * K;
        const double top = s[pt_first_largest(s, K)];
        for (int r = 0; r < K; r++)
            unit += (weight ? weight[i] : 1) * (c->given ? log(top) - log(s[r]) : top - s[r]) / K;
    }
    unit /= total;
    const double d = 1 / (total + 2);
    double loss = pow(log(c->power) / 0.5, 2) / 2 +
                  pow((log(c->temperature * pow(unit, c->power)) - 2) / 2, 2) / 2;
    for (int64_t i = 0; i < n; i++) {
        const double *s = scores + i * K;
        const int64_t first = pt_first_largest(s, K);
        double q[K];
        double base[K];
        double sum = 0;
        double base_sum = 0;
        int64_t beside = truth[i] == 0 ? 1 : 0;
        for (int r = 0; r < K; r++) {
            const double gap = c->given ? log(s[first]) - log(s[r]) : s[first] - s[r];
            base[r] = class_rows && class_rows[r] < class_rows[first]
                          ? pow((class_rows[r] + 1) / (class_rows[first] + 1), c->frequency)
                          : 1;
            q[r] = base[r] * exp(-c->temperature * pow(gap, c->power));
            sum += q[r];
            base_sum += base[r];
            if (r != truth[i] && s[r] > s[beside])
                beside = r;
        }
        const int64_t asked[2] = {truth[i], beside};
        for (int j = 0; j < 2; j++) {
            const int64_t r = asked[j];
            const double p =
                (1 - c->mixing - d) * q[r] / sum + c->mixing * base[r] / base_sum + d / K;
            loss -= (weight ? weight[i] : 1) * (j ? d : 1 - d) * log(p);
        }
    }
    return loss;
}

/* No point of a grid over all four numbers is better than what was found, nor any of many near it.
 */
static void expect_minimum(int64_t n, const double *weight, bool given)
{
    const pt_calibration c = fitted(n, weight, given);
    const double found = smoothed_loss(n, weight, &c);
    if (!isfinite(found) || c.mixing < 0 || c.mixing + c.floor > 1)
        fail_msg("loss %g, temperature %g, mixing %g", found, c.temperature, c.mixing);
    const double bar = found - 1e-4 * fabs(found);
    for (double t = 0.02; t < 100; t *= 1.5)
        for (double h = 0.2; h < 6; h *= 1.5)
            for (double a = 0; a <= (class_rows ? 1 : 0); a += 0.25)
                for (double e = 0; e < 0.99; e += e < 0.1 ? 0.02 : 0.1) {
                    const pt_calibration other = {t, h, a, e, c.floor, given, NULL};
                    assert_true(smoothed_loss(n, weight, &other) >= bar);
                }
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 0);
    for (int round = 0; round < 2000; round++) {
        const double size = pow(10, -3 * pt_random_uniform(&random));
        const pt_calibration other = {
            c.temperature * exp(size * pt_random_normal(&random)),
            c.power * exp(size * pt_random_normal(&random)),
            class_rows ? fmin(fmax(c.frequency + size * pt_random_normal(&random), 0), 1) : 0,
            fmin(fmax(c.mixing + size * pt_random_normal(&random), 0), 1 - c.floor),
            c.floor,
            given,
            NULL};
        assert_true(smoothed_loss(n, weight, &other) >= bar);
    }
}

static void test_calibrate__agrees_with_a_grid(void **state)
{
    (void)state;
    static double weight[N];
    static const double rare[K] = {30, 10, 3, 0};
    draw(60, 2.5, 0.1);
    expect_minimum(60, NULL, false);
    for (int i = 0; i < 60; i++)
        weight[i] = 1 + i % 4;
    expect_minimum(60, weight, false);
    draw(40, 0.3, 0); /* scores that say little */
    expect_minimum(40, NULL, false);
    class_rows = rare;
    for (int i = 0; i < 40; i++)
        truth[i] = i % 8 < 5 ? 0 : i % 8 < 7 ? 1 : 2;
    expect_minimum(40, NULL, false);
    assert_true(fitted(40, NULL, false).frequency > 0);
    class_rows = NULL;
    for (int i = 0; i < 40; i++) { /* probabilities in place of scores */
        double sum = 0;
        for (int r = 0; r < K; r++)
            sum += scores[i * K + r] = exp(scores[i * K + r]);
        for (int r = 0; r < K; r++)
            scores[i * K + r] /= sum;
    }
    expect_minimum(40, NULL, true);
}

/* Of many rows the search begins with a few: what it ends with is the minimum over all, also where
 * neighbouring rows are alike. */
static void test_calibrate__many_rows_agree_with_a_grid(void **state)
{
    (void)state;
    enum { MANY = 1200 };
    draw(MANY, 2.5, 0.1);
    for (int i = 0; i < MANY; i++) /* the second half is wrong more often, and sure of itself */
        for (int r = 0; r < K && i >= MANY / 2; r++)
            scores[i * K + r] *= 3;
    expect_minimum(MANY, NULL, false);
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
    pt_class_probabilities(&c, NULL, scores, K, p);
    assert_true(p[0] > 0.8 && p[0] < 0.995);
    for (int r = 0; r < K; r++)
        assert_true(p[r] > 1 / (K * 52.5));
    assert_true(c.temperature < 20);
}

/* Where class 0 is predicted it is right, where another one is, half of the rows, whatever the
 * scores: one temperature and one mixing cannot say both. */
static void test_calibrate__classes_are_trusted_as_they_deserve(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 5, PT_RANDOM_TEST, 0);
    for (int i = 0; i < N; i++) {
        for (int r = 0; r < K; r++)
            scores[i * K + r] = pt_random_normal(&random);
        const int64_t first = pt_first_largest(scores + i * K, K);
        truth[i] = first == 0 || i % 2 ? first : (first + 1) % K;
    }
    const pt_calibration c = fitted(N, NULL, false);
    double said[2] = {0, 0};
    double rows[2] = {0, 0};
    for (int i = 0; i < N; i++) {
        double p[K];
        pt_class_probabilities(&c, NULL, scores + i * K, K, p);
        const int64_t first = pt_first_largest(scores + i * K, K);
        said[first > 0] += p[first];
        rows[first > 0]++;
    }
    assert_true(said[0] / rows[0] > 0.85);
    assert_true(fabs(said[1] / rows[1] - 0.5) < 0.05);
}

/* A class that is never predicted has what all have in common, and few rows change little. */
static void test_calibrate__few_rows_of_a_class_change_little(void **state)
{
    (void)state;
    draw(200, 2.5, 0.1);
    for (int i = 0; i < 200; i++) {
        scores[i * K + K - 1] = -10;
        truth[i] = truth[i] == K - 1 ? pt_first_largest(scores + i * K, K) : truth[i];
    }
    const pt_calibration c = fitted(200, NULL, false);
    assert_non_null(c.said);
    assert_true(c.said[K - 1].worth == 1 && c.said[K - 1].mixing == c.mixing);
    for (int r = 0; r < K; r++)
        assert_true(c.said[r].worth > 0.5 && c.said[r].worth < 2 &&
                    fabs(c.said[r].mixing - c.mixing) < 0.2);
}

/* A class that no row of training had: last, whatever the machine makes of it. */
static void test_probability__absent_classes_come_last(void **state)
{
    (void)state;
    const double rows[K] = {5, 0, 9, 2};
    double s[K] = {-3, -1, 2, -4};
    pt_lower_absent(s, rows, K, false);
    assert_true(s[1] < -4 && s[0] == -3 && s[2] == 2 && s[3] == -4);
    double tied[K] = {1, 7, 1, 1};
    pt_lower_absent(tied, rows, K, false);
    assert_true(tied[1] < 1);
    double p[K] = {0.2, 0.4, 0.3, 0.1};
    pt_lower_absent(p, rows, K, true);
    assert_true(p[1] < p[3] && p[1] > 0 && fabs(p[0] + p[1] + p[2] + p[3] - 1) < 1e-15);
    double alone[K] = {0.2, 0.4, 0.3, 0.1};
    pt_lower_absent(alone, NULL, K, true);
    assert_true(alone[1] == 0.4);
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
    assert_true(fabs(weighted.temperature / repeated.temperature - 1) < 1e-3);
    assert_true(fabs(weighted.mixing - repeated.mixing) < 1e-3);
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
    const pt_reliability fits = collect(&(pt_calibration){2.5, 1, 0, 0, 0, false, NULL});
    const pt_reliability bold = collect(&(pt_calibration){10, 1, 0, 0, 0, false, NULL});
    const pt_reliability shy = collect(&(pt_calibration){0.3, 1, 0, 0, 0, false, NULL});
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
    assert_true(c.temperature == 1 && c.mixing == 0 && c.floor == 0); /* as it was */
}

static pt_model *train(const char *options, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
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
    assert_string_equal(folds->held_out.how, "10 folds");
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
        {400, "machine=softmax", "10 folds", 400},
        {2000, "machine=softmax", "3 of 10 folds", 600},
        {7000, "machine=softmax", "1 of 10 folds", 700},
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
        cmocka_unit_test(test_calibrate__many_rows_agree_with_a_grid),
        cmocka_unit_test(test_calibrate__separable_scores_have_a_modest_temperature),
        cmocka_unit_test(test_calibrate__classes_are_trusted_as_they_deserve),
        cmocka_unit_test(test_calibrate__few_rows_of_a_class_change_little),
        cmocka_unit_test(test_probability__absent_classes_come_last),
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
