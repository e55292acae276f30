/* Nested folds: pairs of folds meet once each; no fold has a say in what is chosen without it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/labelled_rows.h"
#include "validate/auto.h"
#include "validate/folds.h"
#include "validate/squares/ls_machine.h"

static void test_fold_pairs__each_two_folds_meet_once(void **state)
{
    (void)state;
    for (int64_t F = 3; F <= 13; F++) {
        const int64_t rounds = F - (F % 2 == 0);
        int met[13][13] = {{0}};
        for (int64_t t = 0; t < rounds; t++)
            for (int64_t a = 0; a < F; a++) {
                const int64_t b = pt_fold_partner(F, t, a);
                assert_true(b >= 0 && b < F);
                assert_int_equal(pt_fold_partner(F, t, b), a);
                met[a][b]++;
            }
        for (int64_t a = 0; a < F; a++)
            for (int64_t b = 0; b < F; b++)
                assert_int_equal(met[a][b], a == b ? F % 2 : 1);
    }
}

static void test_fold_pairs__a_round_puts_two_folds_into_one(void **state)
{
    (void)state;
    enum { ROWS = 25, FOLDS = 5 };
    pt_error err = PT_ERROR_INIT;
    pt_fold_pairs pairs = {0};
    int64_t fold[ROWS];
    for (int64_t i = 0; i < ROWS; i++)
        fold[i] = i * 7 % FOLDS;
    const int64_t *const folds[] = {fold};
    const pt_partitions outer = {1, FOLDS, folds, false};
    small_must(pt_fold_pairs_init(&pairs, &outer, NULL, ROWS, &err), &err, "pairs");
    assert_int_equal(pairs.partitions.count, FOLDS);
    assert_int_equal(pairs.partitions.n_folds, 3);
    for (int64_t t = 0; t < pairs.partitions.count; t++)
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t j = 0; j < ROWS; j++) {
                const bool together = pairs.partitions.fold[t][i] == pairs.partitions.fold[t][j];
                const bool meet =
                    fold[i] == fold[j] || pt_fold_partner(FOLDS, t, fold[i]) == fold[j];
                assert_int_equal(together, meet);
            }
    pt_fold_pairs_free(&pairs);
}

enum { N = 90, K = 3, OUTER = 6 };

/* What is chosen without each fold; with `broken` >= 0 the labels of that fold are all wrong. */
static void choose(double sigma[OUTER], double ridge[OUTER], int64_t broken)
{
    pt_error err = PT_ERROR_INIT;
    labelled l = labelled_rows(PT_LABEL_CLASS, N, 4, K, 0.6, 3);
    const pt_problem problem = labelled_problem(&l, false, false);
    pt_params *params = small_params("machine=onelsm");
    pt_params *chosen[OUTER] = {NULL};
    int64_t fold[N];
    for (int64_t i = 0; i < N; i++) {
        fold[i] = i * 5 % OUTER;
        if (fold[i] == broken)
            l.labels->class_of[i] = (l.labels->class_of[i] + 1 + i % 2) % K;
    }
    const int64_t *const folds[] = {fold};
    const pt_partitions outer = {1, OUTER, folds, false};
    small_must(pt_auto_without_folds(pt_ls_guide(&problem, params), chosen, params, &problem,
                                     &outer, NULL, &err),
               &err, "nested");
    for (int64_t f = 0; f < OUTER; f++) {
        sigma[f] = pt_params_real(chosen[f], PT_P_SIGMA);
        ridge[f] = pt_params_real(chosen[f], PT_P_RIDGE);
        pt_params_free(chosen[f]);
    }
    pt_params_free(params);
    labelled_free(&l);
}

static void test_nested__the_labels_of_a_fold_do_not_choose_for_it(void **state)
{
    (void)state;
    double sigma[OUTER];
    double ridge[OUTER];
    int64_t others_changed = 0;
    choose(sigma, ridge, -1);
    for (int64_t broken = 0; broken < OUTER; broken++) {
        double sigma_now[OUTER];
        double ridge_now[OUTER];
        choose(sigma_now, ridge_now, broken);
        assert_true(sigma_now[broken] == sigma[broken]);
        assert_true(ridge_now[broken] == ridge[broken]);
        for (int64_t f = 0; f < OUTER; f++)
            others_changed += sigma_now[f] != sigma[f] || ridge_now[f] != ridge[f];
    }
    assert_true(others_changed > OUTER); /* for the others they do */
}

/* Labels without any sense: nested folds must not find some, on the average. Parameters that were
 * chosen on the same rows do. */
static void test_nested__noise_stays_noise(void **state)
{
    (void)state;
    enum { DRAWS = 12 };
    double nested = 0;
    double same_rows = 0;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        small s = small_clouds(60, 3, 2, seed);
        pt_random random;
        pt_random_init(&random, seed, PT_RANDOM_TEST, 5);
        for (int64_t i = s.n - 1; i > 0; i--) {
            const int64_t j = pt_random_below(&random, i + 1);
            const int64_t y = s.y[i];
            s.y[i] = s.y[j];
            s.y[j] = y;
        }
        pt_error err = PT_ERROR_INIT;
        pt_dataset *data = small_dataset(&s);
        pt_params *params = small_params("machine=onelsm,kernel=rbf");
        pt_report *search = NULL;
        small_must(
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, "search");
        assert_false(isnan(pt_report_number(search, "nested_error")));
        assert_true(pt_report_number_at(search, "nested_errors", 0, 0, 0) ==
                    pt_report_number(search, "nested_error"));
        nested += pt_report_number(search, "nested_error") / DRAWS;
        same_rows += pt_report_number_at(search, "error", 0, 0, 0) / DRAWS;
        pt_report_free(search);
        pt_params_free(params);
        pt_dataset_free(data);
        small_free(&s);
    }
    assert_true(nested > 0.46);
    assert_true(same_rows < nested - 0.05);
}

/* Trials and the closed form: nearly the same choices, so nearly the same errors. */
static void test_nested__trials_agree_with_the_closed_form(void **state)
{
    (void)state;
    static const char *const WAYS[] = {"machine=onelsm,nested=yes,scale=none",
                                       "machine=onelsm,nested=yes,scale=none,scale-per-fold=yes"};
    double error[2];
    small s = small_clouds(120, 3, 3, 4);
    pt_dataset *data = small_dataset(&s);
    for (int way = 0; way < 2; way++) {
        pt_error err = PT_ERROR_INIT;
        pt_params *params = small_params(WAYS[way]);
        pt_report *search = NULL;
        small_must(
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, "search");
        error[way] = pt_report_number(search, "nested_error");
        pt_report_free(search);
        pt_params_free(params);
    }
    assert_true(fabs(error[0] - error[1]) <= 0.05);
    pt_dataset_free(data);
    small_free(&s);
}

static pt_report *searched(const pt_dataset *data, const char *with)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(with);
    pt_report *search = NULL;
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, with);
    pt_params_free(params);
    return search;
}

/* With a grid of one point nothing is chosen, and nested folds find what folds find. The first
 * class has `rows` rows. Where it has one, the machines of its fold never saw it, and their
 * calibrations have a class less: probabilities are about the same. */
static void expect_plain(const char *metric, int64_t rows, int repeats, double tolerance)
{
    char with[160];
    small s = small_clouds(90, 3, 3, 7);
    for (int64_t i = 0, rare = 0; i < s.n; i++)
        if (s.y[i] == 0 && rare++ >= rows)
            s.y[i] = 1;
    pt_dataset *data = small_dataset(&s);
    snprintf(with, sizeof with,
             "machine=onelsm,sigma=1,grid=ridge=1,nested=yes,scale=none,folds=4,repeat=%d,"
             "metric=%s",
             repeats, metric);
    pt_report *search = searched(data, with);
    const double nested = pt_report_number(search, "nested_value");
    const double plain = pt_report_number_at(search, "value", 0, 0, 0);
    if (!(fabs(nested - plain) <= tolerance))
        fail_msg("%s: %.17g in place of %.17g", with, nested, plain);
    for (int r = 0; r < repeats; r++)
        assert_true(fabs(pt_report_number_at(search, "nested_values", r, 0, 0) -
                         pt_report_number_at(search, "values", 0, r, 0)) <= tolerance);
    pt_report_free(search);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_nested__metrics_where_nothing_is_chosen(void **state)
{
    (void)state;
    static const char *const OF_CLASSES[] = {"balanced-error", "macro-f1", "mcc", "kappa",
                                             "violated-pairs"};
    for (int repeats = 1; repeats <= 2; repeats++)
        for (size_t m = 0; m < sizeof OF_CLASSES / sizeof *OF_CLASSES; m++) {
            expect_plain(OF_CLASSES[m], 1, repeats, 1e-12);
            expect_plain(OF_CLASSES[m], 20, repeats, 1e-12);
        }
    expect_plain("log-loss", 20, 2, 1e-6);
    expect_plain("brier", 20, 2, 1e-6);
    expect_plain("auc-ovr", 20, 2, 2e-3); /* the last digits of probabilities break ties */
    expect_plain("auc-ovo", 20, 2, 2e-3);
    expect_plain("log-loss", 1, 1, 0.02);
    expect_plain("brier", 1, 1, 0.005);
}

/* Of classes micro F1 is the share of right rows: in closed form, and by trials. */
static void test_nested__a_metric_goes_with_the_error(void **state)
{
    (void)state;
    static const char *const WAYS[] = {
        "machine=onelsm,nested=yes,scale=none,metric=micro-f1,repeat=2",
        "machine=onelsm,nested=yes,scale=none,scale-per-fold=yes,metric=micro-f1",
        "machine=onelsm,nested=yes,scale=none,metric=error"};
    small s = small_clouds(120, 3, 3, 4);
    pt_dataset *data = small_dataset(&s);
    for (int way = 0; way < 3; way++) {
        pt_report *search = searched(data, WAYS[way]);
        const double error = pt_report_number(search, "nested_error");
        const double value = pt_report_number(search, "nested_value");
        assert_true(fabs(value - (way < 2 ? 1 - error : error)) < 1e-12);
        pt_report_free(search);
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_pairs__each_two_folds_meet_once),
        cmocka_unit_test(test_fold_pairs__a_round_puts_two_folds_into_one),
        cmocka_unit_test(test_nested__the_labels_of_a_fold_do_not_choose_for_it),
        cmocka_unit_test(test_nested__noise_stays_noise),
        cmocka_unit_test(test_nested__trials_agree_with_the_closed_form),
        cmocka_unit_test(test_nested__metrics_where_nothing_is_chosen),
        cmocka_unit_test(test_nested__a_metric_goes_with_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
