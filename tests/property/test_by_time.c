/* Rows with times: what is held out is predicted by a machine that was trained on what is before
 * it. References cut the times and train by the public calls alone, on views of the rows. */
/* labels: heavy */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "../support/validation.h"
#include "base/random.h"
#include "data/dataset.h"
#include "machine/training.h"
#include "metrics/label_judge.h"
#include "validate/auto.h"

enum { N = 120, K = 3, TIMES = 24 };

/* Clouds that move on: the past is not the future. Some rows have the same time. */
typedef struct moving {
    double x[2 * N];
    int64_t y[N];
    double time[N];
} moving;

static void moving_init(moving *m, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int i = 0; i < N; i++) {
        const int64_t t = i < TIMES ? i : pt_random_below(&random, TIMES);
        m->y[i] = pt_random_below(&random, K);
        m->time[i] = 18000.5 + 0.25 * (double)(t * t);
        m->x[2 * i] =
            cos(2.1 * (double)m->y[i] + 0.1 * (double)t) + 0.6 * pt_random_normal(&random);
        m->x[2 * i + 1] =
            sin(2.1 * (double)m->y[i] + 0.1 * (double)t) + 0.6 * pt_random_normal(&random);
    }
}

static void set_time(pt_dataset *data, const double *time, int64_t n)
{
    pt_error err = PT_ERROR_INIT;
    const pt_dense dense = {PT_F64, time, n, 1, 1, 1};
    small_must(pt_dataset_set_role(data, "time", &dense, &err), &err, "time");
}

/* The rows order[0] .. order[n-1] (NULL: as they are). */
static pt_dataset *moving_data(const moving *m, const int64_t *order, bool timed)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    moving own = *m;
    for (int i = 0; order && i < N; i++) {
        own.x[2 * i] = m->x[2 * order[i]];
        own.x[2 * i + 1] = m->x[2 * order[i] + 1];
        own.y[i] = m->y[order[i]];
        own.time[i] = m->time[order[i]];
    }
    small_must(dataset_from_f64(&data, own.x, N, 2, 2, &err), &err, "data");
    small_must(dataset_set_numbers(data, own.y, &err), &err, "classes");
    if (timed)
        set_time(data, own.time, N);
    return data;
}

/* fold <- the definition for so many folds: from each run to the next the change of time that is
 * nearest to an equal share of the rows that are left. Returns how many folds there are. */
static int64_t cut(int64_t *fold, const double *time, int64_t n, int64_t folds)
{
    double change[N];
    int64_t times = 0;
    for (int64_t i = 0; i < n; i++) { /* different times, ascending */
        int64_t at = 0;
        while (at < times && change[at] < time[i])
            at++;
        if (at < times && change[at] == time[i])
            continue;
        for (int64_t b = times; b > at; b--)
            change[b] = change[b - 1];
        change[at] = time[i];
        times++;
    }
    folds = folds < times - 1 ? folds : times - 1;
    for (int64_t i = 0; i < n; i++)
        fold[i] = folds - 1;
    int64_t first = 0; /* time of the run */
    for (int64_t r = 0; r < folds; r++) {
        double left = 0;
        double best = INFINITY;
        int64_t end = 0;
        for (int64_t i = 0; i < n; i++)
            left += time[i] >= change[first];
        for (int64_t e = first + 1; e <= times - (folds - r); e++) {
            double rows = 0;
            for (int64_t i = 0; i < n; i++)
                rows += time[i] >= change[first] && time[i] < change[e];
            const double off = fabs(rows - left / (double)(folds - r + 1));
            if (off < best) {
                best = off;
                end = e;
            }
        }
        for (int64_t i = 0; i < n; i++)
            if (time[i] >= change[first] && time[i] < change[end])
                fold[i] = r - 1;
        first = end;
    }
    return folds;
}

static const char *const MACHINES[] = {"machine=onelsm,sigma=1,ridge=0.1,precision=double",
                                       "machine=onelsm,kernel=linear,ridge=0.1,precision=double",
                                       "machine=vo-lssvm,sigma=1,ridge=0.1,precision=double",
                                       "machine=ls-ova,sigma=1,ridge=0.1,precision=double",
                                       "machine=tree,depth=3",
                                       "machine=code,learner=linear-svm,code=ovo,precision=double",
                                       "machine=adaboost-mo,rounds=10",
                                       "machine=softmax,precision=double,eps=1e-9",
                                       "machine=spoc,sigma=1,C=1,precision=double,gap=1e-7"};

/* Cross-validation is training on the past: errors of folds, and the very scores. */
static void test_times__folds_are_trained_on_the_past(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    moving m;
    moving_init(&m, 2);
    pt_dataset *data = moving_data(&m, NULL, true);
    pt_dataset *plain = moving_data(&m, NULL, false);
    for (size_t q = 0; q < sizeof MACHINES / sizeof *MACHINES; q++) {
        char options[256];
        int64_t fold[N];
        pt_report *search = NULL;
        snprintf(options, sizeof options, "%s,scale=none,folds=%d,calibrate=no,merge=no",
                 MACHINES[q], 3 + (int)q % 4);
        pt_params *params = small_params(options);
        const int64_t folds = cut(fold, m.time, N, 3 + (int)q % 4);
        small_must(
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, options);
        assert_int_equal(pt_report_integer(search, "n_folds"), folds);
        assert_int_equal(pt_report_integer(search, "n_times"), TIMES);
        assert_int_equal(pt_report_integer(search, "n_repeats"), 1);
        const double tolerance = strstr(options, "spoc") ? 1e-2 : q < 4 ? 1e-8 : 0;
        int64_t wrong_in_all = 0;
        int64_t held_in_all = 0;
        for (int64_t f = 0; f < folds; f++) {
            int64_t in[N];
            int64_t out[N];
            int64_t n_in = 0;
            int64_t n_out = 0;
            int64_t wrong = 0;
            for (int64_t i = 0; i < N; i++)
                if (fold[i] == f)
                    out[n_out++] = i;
                else if (fold[i] < f)
                    in[n_in++] = i;
            pt_dataset *train = NULL;
            pt_dataset *test = NULL;
            pt_model *model = NULL;
            pt_prediction *prediction = NULL;
            small_must(pt_dataset_view(&train, plain, in, n_in, NULL, &err), &err, "train");
            small_must(pt_dataset_view(&test, plain, out, n_out, NULL, &err), &err, "test");
            small_must(pt_model_train(&model, train, params, NULL, &err), &err, options);
            small_must(pt_model_predict(&prediction, model, test, -1, NULL, &err), &err, options);
            for (int64_t a = 0; a < n_out; a++) {
                wrong += pt_prediction_labels(prediction)[a] != pt_dataset_class(test, a);
                for (int64_t r = 0; r < K; r++) {
                    const double x = pt_report_number_at(search, "scores", 0, out[a], r);
                    const double y = pt_prediction_scores(prediction)[a * K + r];
                    if (!(fabs(x - y) <= tolerance * fmax(1, fabs(y))))
                        fail_msg("%s: fold %lld, row %lld: %.17g is not %.17g", options,
                                 (long long)f, (long long)out[a], x, y);
                }
            }
            assert_int_equal(pt_report_integer_at(search, "fold_rows", 0, f, 0), n_out);
            assert_true(fabs(pt_report_number_at(search, "fold_errors", 0, 0, f) -
                             (double)wrong / (double)n_out) < 1e-12);
            wrong_in_all += wrong;
            held_in_all += n_out;
            pt_prediction_free(prediction);
            pt_model_free(model);
            pt_dataset_free(test);
            pt_dataset_free(train);
        }
        assert_true(held_in_all < N);
        assert_true(fabs(pt_report_number_at(search, "error", 0, 0, 0) -
                         (double)wrong_in_all / (double)held_in_all) < 1e-12);
        for (int64_t i = 0; i < N; i++)
            assert_int_equal(isnan(pt_report_number_at(search, "scores", 0, i, 0)) != 0,
                             fold[i] == PT_NEVER_HELD);
        pt_report_free(search);
        pt_params_free(params);
    }
    pt_dataset_free(plain);
    pt_dataset_free(data);
}

/* The order of the rows in the file says nothing, nor do seeds. */
static void test_times__neither_the_order_of_rows_nor_the_seed_counts(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    moving m;
    int64_t order[N];
    moving_init(&m, 3);
    for (int64_t i = 0; i < N; i++)
        order[i] = i * 77 % N;
    double error[2];
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        pt_dataset *data = moving_data(&m, shuffled ? order : NULL, true);
        pt_params *params = small_params(shuffled ? "sigma=1,ridge=0.1,folds=6,seed=9"
                                                  : "sigma=1,ridge=0.1,folds=6,seed=1");
        pt_report *search = NULL;
        small_must(
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, "cv");
        error[shuffled] = pt_report_number_at(search, "error", 0, 0, 0);
        pt_report_free(search);
        pt_params_free(params);
        pt_dataset_free(data);
    }
    assert_true(error[0] == error[1]);
}

/* ---- automatic parameters -------------------------------------------------------------------- */

typedef struct loss_sum {
    const pt_training *t;
    const int64_t *fold;
    double sum;
    int64_t rows;
} loss_sum;

static pt_status add_loss(void *context, int64_t point, int64_t partition, const double *scores,
                          pt_error *err)
{
    (void)point;
    (void)partition;
    (void)err;
    loss_sum *l = context;
    assert_non_null(scores);
    for (int64_t i = 0; i < N; i++)
        if (l->fold[i] >= 0) {
            l->sum += pt_label_loss(l->t->problem.labels, i, scores + i * K);
            l->rows++;
        }
    return PT_OK;
}

/* What was chosen in closed form has the loss that five folds by time give by training. */
static void test_times__choice_is_by_the_past(void **state)
{
    (void)state;
    static const char *const OPTIONS[] = {"machine=onelsm,precision=double,merge=no",
                                          "machine=vo-lssvm,precision=double,merge=no",
                                          "machine=onelsm,kernel=linear,precision=double,merge=no"};
    pt_error err = PT_ERROR_INIT;
    moving m;
    moving_init(&m, 5);
    pt_dataset *data = moving_data(&m, NULL, true);
    for (size_t q = 0; q < sizeof OPTIONS / sizeof *OPTIONS; q++) {
        pt_training t = {0};
        int64_t fold[N];
        pt_params *params = small_params(OPTIONS[q]);
        small_must(pt_training_init(&t, data, params, NULL, &err), &err, OPTIONS[q]);
        small_must(pt_training_resolve(&t, NULL, &err), &err, OPTIONS[q]);
        const int64_t folds = cut(fold, t.problem.ties.time, N, 5);
        const pt_partitions past = {1, folds, &(const int64_t *){fold}, true};
        loss_sum l = {.t = &t, .fold = fold};
        small_must(held_out_by_training(t.ops, &t.problem, &(const pt_params *){t.params}, 1, &past,
                                        add_loss, &l, NULL, &err),
                   &err, OPTIONS[q]);
        assert_int_equal(t.chosen.rows, l.rows);
        assert_true(fabs(t.chosen.loss - l.sum / (double)l.rows) < 1e-9);
        pt_training_free(&t);
        pt_params_free(params);
    }
    pt_dataset_free(data);
}

/* Nested folds: parameters are chosen on the past of a fold alone. */
static void test_times__nested_folds_choose_on_the_past(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    moving m;
    int64_t fold[N];
    moving_init(&m, 6);
    pt_dataset *data = moving_data(&m, NULL, true);
    pt_params *params = small_params("machine=onelsm,folds=4,nested=yes,precision=double,merge=no,"
                                     "scale=none");
    pt_report *search = NULL;
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, "cv");
    const int64_t folds = cut(fold, m.time, N, 4);
    int64_t wrong = 0;
    int64_t held = 0;
    for (int64_t f = 0; f < folds; f++) {
        int64_t rows[2][N];
        int64_t n[2] = {0, 0};
        pt_dataset *part[2] = {NULL, NULL};
        pt_model *model = NULL;
        pt_prediction *prediction = NULL;
        pt_params *plain =
            small_params("machine=onelsm,precision=double,merge=no,scale=none,calibrate=no");
        for (int64_t i = 0; i < N; i++)
            if (fold[i] <= f)
                rows[fold[i] == f][n[fold[i] == f]++] = i;
        for (int p = 0; p < 2; p++)
            small_must(pt_dataset_view(&part[p], data, rows[p], n[p], NULL, &err), &err, "part");
        small_must(pt_model_train(&model, part[0], plain, NULL, &err), &err, "train");
        small_must(pt_model_predict(&prediction, model, part[1], -1, NULL, &err), &err, "predict");
        for (int64_t a = 0; a < n[1]; a++)
            wrong += pt_prediction_labels(prediction)[a] != pt_dataset_class(part[1], a);
        held += n[1];
        pt_prediction_free(prediction);
        pt_model_free(model);
        pt_dataset_free(part[0]);
        pt_dataset_free(part[1]);
        pt_params_free(plain);
    }
    assert_true(fabs(pt_report_number(search, "nested_error") - (double)wrong / (double)held) <
                1e-12);
    pt_report_free(search);
    pt_params_free(params);
    pt_dataset_free(data);
}

/* ---- training -------------------------------------------------------------------------------- */

/* Calibration is by the last rows: the held-out error is that of the machine without them. */
static void test_times__the_last_rows_calibrate(void **state)
{
    (void)state;
    enum { MANY = 4200 }; /* enough for an eighth to be held out at once */
    pt_error err = PT_ERROR_INIT;
    static const char *const OPTIONS[] = {"machine=onelsm,kernel=linear,ridge=0.1,precision=double",
                                          "machine=tree,depth=3"};
    static double x[2 * MANY];
    static int64_t y[MANY];
    static double time[MANY];
    static int64_t rows[MANY];
    pt_random random;
    pt_random_init(&random, 7, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < MANY; i++) {
        y[i] = pt_random_below(&random, K);
        time[i] = (double)(i * 7 % MANY);
        x[2 * i] = cos(2.1 * (double)y[i] + time[i] / 2000) + 0.8 * pt_random_normal(&random);
        x[2 * i + 1] = sin(2.1 * (double)y[i] + time[i] / 2000) + 0.8 * pt_random_normal(&random);
    }
    pt_dataset *data = NULL;
    small_must(dataset_from_f64(&data, x, MANY, 2, 2, &err), &err, "data");
    small_must(dataset_set_numbers(data, y, &err), &err, "classes");
    for (size_t q = 0; q < sizeof OPTIONS / sizeof *OPTIONS; q++) {
        char options[256];
        pt_model *model = NULL;
        pt_report *found = NULL;
        pt_model *past = NULL;
        pt_prediction *prediction = NULL;
        pt_dataset *part[2] = {NULL, NULL};
        snprintf(options, sizeof options, "%s,scale=none,merge=no", OPTIONS[q]);
        pt_params *params = small_params(options);
        set_time(data, time, MANY);
        small_must(pt_model_train(&model, data, params, NULL, &err), &err, options);
        small_must(pt_model_report(&found, model, &err), &err, options);
        const int64_t held = pt_report_integer(found, "held_out_rows");
        assert_int_equal(held, MANY / 8);
        small_must(pt_dataset_set_role(data, "time", NULL, &err), &err, "no time");
        for (int p = 0; p < 2; p++) { /* different times: the last of them are held out */
            int64_t n = 0;
            for (int64_t i = 0; i < MANY; i++)
                if ((time[i] >= (double)(MANY - held)) == (p == 1))
                    rows[n++] = i;
            small_must(pt_dataset_subset(&part[p], data, rows, n, NULL, &err), &err, "part");
        }
        small_must(pt_params_set(params, "calibrate", "no", &err), &err, "calibrate");
        small_must(pt_model_train(&past, part[0], params, NULL, &err), &err, options);
        small_must(pt_model_predict(&prediction, past, part[1], -1, NULL, &err), &err, options);
        double wrong = 0;
        for (int64_t a = 0; a < held; a++)
            wrong += pt_prediction_labels(prediction)[a] != pt_dataset_class(part[1], a);
        if (fabs(pt_report_number(found, "held_out_error") - wrong / (double)held) > 1e-12)
            fail_msg("%s: %.17g of %lld rows, not %.17g", options,
                     pt_report_number(found, "held_out_error"), (long long)held,
                     wrong / (double)held);
        pt_prediction_free(prediction);
        pt_dataset_free(part[0]);
        pt_dataset_free(part[1]);
        pt_model_free(past);
        pt_report_free(found);
        pt_model_free(model);
        pt_params_free(params);
    }
    pt_dataset_free(data);
}

/* ---- few times ------------------------------------------------------------------------------- */

static void test_times__few_times_are_few_folds(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    moving m;
    moving_init(&m, 9);
    for (int64_t times = 2; times <= 4; times++) {
        for (int64_t i = 0; i < N; i++)
            m.time[i] = (double)(i * 7 % N % times);
        pt_dataset *data = moving_data(&m, NULL, true);
        pt_report *search = NULL;
        /* inside, the first fold is chosen for on rows of one time */
        pt_params *params = small_params("machine=onelsm,nested=yes");
        small_must(
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, "cv");
        assert_int_equal(pt_report_integer(search, "n_folds"), times - 1);
        assert_false(isnan(pt_report_number(search, "nested_error")));
        bool warned = false;
        for (int64_t w = 0; w < pt_report_length(search, "warning"); w++)
            warned = warned || strstr(pt_report_text_at(search, "warning", w, 0, 0), "times only");
        assert_true(warned);
        pt_report_free(search);
        pt_params_free(params);
        pt_dataset_free(data);
    }
}

/* Equal rows of different times are different rows. */
static void test_times__rows_of_different_times_are_not_merged(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const double x[] = {1, 1, 1, 1, 2, 2};
    static const int64_t y[] = {0, 0, 0, 0, 1, 1};
    static const double time[] = {4, 4, 5, 4, 4, -0.0};
    static const int64_t rows[] = {0, 1, 2, 3, 4, 5};
    pt_dataset *data = NULL;
    small_must(dataset_from_f64(&data, x, 6, 1, 1, &err), &err, "data");
    small_must(dataset_set_numbers(data, y, &err), &err, "classes");
    for (int timed = 0; timed < 2; timed++) {
        pt_dataset *merged = NULL;
        if (timed)
            set_time(data, time, 6);
        small_must(pt_dataset_merge(&merged, NULL, data, rows, 6, true, NULL, &err), &err, "merge");
        assert_int_equal(pt_dataset_n_examples(merged), timed ? 4 : 2);
        for (int64_t i = 0; i < merged->n && timed; i++)
            assert_true(merged->time[i] == 4 || merged->time[i] == 5 || merged->time[i] == 0);
        pt_dataset_free(merged);
    }
    pt_dataset_free(data);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refused(const pt_dataset *data, const char *options, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *search = NULL;
    pt_params *params = small_params(options);
    const pt_status status =
        pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err);
    if (status == PT_OK || !strstr(err.text, text))
        fail_msg("%s: %s, not '%s'", options, status == PT_OK ? "done" : err.text, text);
    assert_null(search);
    pt_params_free(params);
}

static void test_times__what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    moving m;
    int64_t tie[N];
    double time[N];
    moving_init(&m, 10);
    pt_dataset *data = moving_data(&m, NULL, true);
    expect_refused(data, "loo=yes", "`loo`");
    expect_refused(data, "repeat=2", "`repeat`");
    expect_refused(data, "stratify=no", "`stratify`");
    expect_refused(data, "folds=24", "24 times");
    pt_report *comparison = NULL;
    pt_params *params[2] = {small_params("machine=tree"), small_params("machine=onelsm")};
    assert_int_equal(
        pt_compare(&comparison, data, NULL, (const pt_params *const *)params, 2, NULL, &err),
        PT_EINVAL);
    assert_non_null(strstr(err.text, "test set"));
    small_must(pt_compare(&comparison, data, data, (const pt_params *const *)params, 2, NULL, &err),
               &err, "with a test set");
    pt_report_free(comparison);
    pt_params_free(params[0]);
    pt_params_free(params[1]);

    for (int i = 0; i < N; i++)
        tie[i] = i % 4;
    small_must(dataset_set_ties(data, "group", tie, 1, &err), &err, "groups");
    expect_refused(data, "sigma=1,ridge=1", "times and groups");
    small_must(dataset_set_ties(data, "group", NULL, 1, &err), &err, "no groups");
    small_must(dataset_set_ties(data, "fold", tie, 1, &err), &err, "folds");
    expect_refused(data, "sigma=1,ridge=1", "times and folds");
    small_must(dataset_set_ties(data, "fold", NULL, 1, &err), &err, "no folds");
    for (int i = 0; i < N; i++)
        time[i] = 7;
    set_time(data, time, N);
    expect_refused(data, "sigma=1,ridge=1", "all of one time");
    const pt_dense dense = {PT_F64, time, N, 1, 1, 1};
    time[3] = NAN;
    assert_int_equal(pt_dataset_set_role(data, "time", &dense, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "example 4"));
    time[3] = INFINITY;
    assert_int_equal(pt_dataset_set_role(data, "time", &dense, &err), PT_EINVAL);
    small_must(pt_dataset_set_role(data, "time", NULL, &err), &err, "no times");
    assert_null(data->time);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times__folds_are_trained_on_the_past),
        cmocka_unit_test(test_times__neither_the_order_of_rows_nor_the_seed_counts),
        cmocka_unit_test(test_times__choice_is_by_the_past),
        cmocka_unit_test(test_times__nested_folds_choose_on_the_past),
        cmocka_unit_test(test_times__the_last_rows_calibrate),
        cmocka_unit_test(test_times__few_times_are_few_folds),
        cmocka_unit_test(test_times__rows_of_different_times_are_not_merged),
        cmocka_unit_test(test_times__what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
