/* Comparisons: the 5x2cv F test and McNemar's test against loops over the public API, the
 * degenerate cases, threads, and work that was stopped and goes on. */
/* labels: threads heavy */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/share.h"
#include "../support/small_problem.h"
#include "about/entries.h"
#include "base/alloc.h"
#include "base/significance.h"
#include "base/task.h"
#include "data/dataset.h"
#include "data/split.h"

enum { N = 61, K = 3, TEST_N = 400 }; /* odd: the halves differ in size */

static pt_dataset *clouds_of(int64_t n, uint64_t seed)
{
    small cloud = small_clouds(n, 3, K, seed);
    pt_dataset *data = small_dataset(&cloud);
    small_free(&cloud);
    return data;
}

static pt_dataset *clouds(uint64_t seed)
{
    return clouds_of(N, seed);
}

/* Two machines, or two sets of parameters of one. */
typedef struct entrants {
    pt_params *params[2];
} entrants;

static entrants enter(const char *a, const char *b, const char *common_text)
{
    pt_error err = PT_ERROR_INIT;
    entrants e = {{NULL, NULL}};
    const char *const machines[] = {a, b};
    pt_params *common = small_params(common_text);
    small_must(pt_params_for_machines(e.params, common, machines, 2, &err), &err, a);
    pt_params_free(common);
    return e;
}

static void leave(entrants *e)
{
    pt_params_free(e->params[0]);
    pt_params_free(e->params[1]);
}

static pt_report *compare(const pt_dataset *data, const entrants *e, int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *c = NULL;
    pt_task *task = small_task(threads);
    small_must(pt_compare(&c, data, NULL, (const pt_params *const *)e->params, 2, task, &err), &err,
               "comparison");
    pt_task_free(task);
    return c;
}

/* Trains with parameters chosen on `train`, counts the errors on `test`; right may be NULL. */
static int64_t count_wrong(const pt_dataset *train, const pt_dataset *test, const pt_params *params,
                           bool *right)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *search = NULL;
    pt_params *best = NULL;
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    int64_t wrong = 0;
    if (*pt_params_get(params, "grid")) {
        small_must(
            pt_cross_validate(&search, &best, train, &(const pt_params *){params}, 1, NULL, &err),
            &err, "search");
    }
    small_must(pt_model_train(&model, train, best ? best : params, NULL, &err), &err, "train");
    small_must(pt_model_predict(&prediction, model, test, -1, NULL, &err), &err, "predict");
    for (int64_t i = 0; i < pt_dataset_n_examples(test); i++) {
        const bool good = strcmp(pt_model_class_name(model, pt_prediction_labels(prediction)[i]),
                                 pt_dataset_class_name(test, pt_dataset_class(test, i))) == 0;
        wrong += !good;
        if (right)
            right[i] = good;
    }
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_params_free(best);
    pt_report_free(search);
    return wrong;
}

static pt_dataset *half_of(const pt_dataset *data, const int64_t *half, int64_t which)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *part = NULL;
    int64_t rows[N];
    int64_t m = 0;
    for (int64_t i = 0; i < N; i++)
        if (half[i] == which)
            rows[m++] = i;
    small_must(pt_dataset_subset(&part, data, rows, m, NULL, &err), &err, "half");
    return part;
}

/* With a grid, and with what is chosen automatically. */
static void test_comparison__is_a_loop_over_halves(void **state)
{
    (void)state;
    static const char *const HOW[] = {"folds=4,grid={ridge=0.1:3.2,sigma=0.5,2}", "folds=4"};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(3);
    for (size_t h = 0; h < 2; h++) {
        entrants e = enter("onelsm", "onelsm:kernel=linear", HOW[h]);
        pt_report *c = compare(data, &e, 2);
        double squares = 0;
        double variances = 0;
        for (int64_t i = 0; i < 5; i++) {
            int64_t half[N];
            double p[2];
            small_must(pt_folds(half, N, data->labels->class_of, K, 2, true, 1, 1000000 + i, &err),
                       &err, "halves");
            for (int64_t j = 0; j < 2; j++) {
                pt_dataset *train = half_of(data, half, 1 - j);
                pt_dataset *test = half_of(data, half, j);
                double error[2];
                for (int m = 0; m < 2; m++) {
                    error[m] = (double)count_wrong(train, test, e.params[m], NULL) /
                               (double)pt_dataset_n_examples(test);
                    assert_true(pt_report_number_at(c, "errors", m, i, j) == error[m]);
                }
                p[j] = error[0] - error[1];
                assert_true(fabs(pt_report_number_at(c, "difference", 0, i, j) - p[j]) < 1e-15);
                pt_dataset_free(train);
                pt_dataset_free(test);
            }
            const double mean = (p[0] + p[1]) / 2;
            squares += p[0] * p[0] + p[1] * p[1];
            variances += (p[0] - mean) * (p[0] - mean) + (p[1] - mean) * (p[1] - mean);
        }
        const double f = squares / (2 * variances);
        assert_true(fabs(pt_report_number_at(c, "f", 0, 0, 0) - f) < 1e-12 * f);
        assert_int_equal(pt_report_integer_at(c, "pair_first", 0, 0, 0), 0);
        assert_int_equal(pt_report_integer_at(c, "pair_second", 0, 0, 0), 1);
        assert_true(pt_report_number_at(c, "p_value", 0, 0, 0) ==
                    pt_f_tail(pt_report_number_at(c, "f", 0, 0, 0), 10, 5));
        assert_non_null(strstr(pt_report_text_at(c, "chosen", 0, 2, 1), "ridge="));
        assert_non_null(strstr(pt_report_text_at(c, "chosen", 0, 2, 1), "sigma="));
        assert_null(strstr(pt_report_text_at(c, "chosen", 1, 2, 1), "sigma="));
        pt_report_free(c);
        leave(&e);
    }
    pt_dataset_free(data);
}

/* Every machine of the registry against oneLSM: results do not depend on threads. */
static void test_comparison__every_machine_can_be_compared(void **state)
{
    (void)state;
    pt_dataset *data = clouds(5);
    for (int64_t i = 0; i < pt_registry_count("machines"); i++) {
        if (!test_in_share())
            continue;
        entrants e = enter(pt_registry_name("machines", i), "onelsm:ridge=0.25,sigma=2", "folds=3");
        pt_report *one = compare(data, &e, 1);
        pt_report *three = compare(data, &e, 3);
        assert_int_equal(pt_report_integer(one, "n_machines"), 2);
        assert_int_equal(pt_report_integer(one, "n_computed"), 20);
        for (int64_t t = 0; t < 10; t++) {
            assert_true(pt_report_number_at(one, "errors", 0, t / 2, t % 2) ==
                        pt_report_number_at(three, "errors", 0, t / 2, t % 2));
            assert_string_equal(pt_report_text_at(one, "chosen", 0, t / 2, t % 2),
                                pt_report_text_at(three, "chosen", 0, t / 2, t % 2));
        }
        pt_report_free(three);
        pt_report_free(one);
        leave(&e);
    }
    pt_dataset_free(data);
}

/* 40 rows here and 20 rows there, far apart. */
static pt_dataset *two_heaps(void)
{
    small s = small_clouds(60, 2, 3, 8);
    for (int64_t i = 0; i < 60; i++) {
        s.y[i] = i % 3 == 0;
        s.x[2 * i] = 0.01 * (double)i + 100 * (double)s.y[i];
    }
    pt_dataset *data = small_dataset(&s);
    small_free(&s);
    return data;
}

static void test_comparison__degenerate_differences(void **state)
{
    (void)state;
    pt_dataset *data = two_heaps();
    entrants e = enter("onelsm:ridge=1", "onelsm:ridge=2", "sigma=0.5"); /* both are always right */
    pt_report *c = compare(data, &e, 1);
    assert_true(pt_report_number_at(c, "f", 0, 0, 0) == 0);
    assert_true(pt_report_number_at(c, "p_value", 0, 0, 0) == 1);
    pt_report_free(c);
    leave(&e);
    /* So wide a kernel sees one heap: the larger class wins, a third of each half is wrong. */
    e = enter("onelsm:sigma=0.5,ridge=1", "onelsm:sigma=1e6,ridge=1000", "folds=3");
    c = compare(data, &e, 1);
    assert_true(pt_report_number_at(c, "error", 0, 0, 0) == 0);
    assert_true(fabs(pt_report_number_at(c, "error", 1, 0, 0) - 1.0 / 3) < 1e-12);
    assert_true(isinf(pt_report_number_at(c, "f", 0, 0, 0)));
    assert_true(pt_report_number_at(c, "p_value", 0, 0, 0) == 0);
    assert_true(isnan(pt_report_number_at(c, "f", 1, 0, 0)));
    assert_true(isnan(pt_report_number_at(c, "errors", 0, 5, 0)));
    assert_null(pt_report_text_at(c, "chosen", 0, 0, 2));
    pt_report_free(c);
    leave(&e);
    pt_dataset_free(data);
}

static void test_comparison__says_what_it_cannot_do(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_report *c = NULL;
    pt_dataset *data = clouds(6);
    entrants e = enter("onelsm:kernel=precomputed", "onelsm:ridge=1", "folds=3");
    const pt_params *const *params = (const pt_params *const *)e.params;
    assert_int_equal(pt_compare(&c, data, NULL, params, 2, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "precomputed"));
    assert_int_equal(pt_compare(&c, data, NULL, params, 1, NULL, &err), PT_EINVAL);
    pt_dataset_free(data);
    small s = small_clouds(3, 2, 2, 1);
    data = small_dataset(&s);
    leave(&e);
    e = enter("onelsm:ridge=2", "onelsm:ridge=1", "folds=3");
    params = (const pt_params *const *)e.params;
    assert_int_equal(pt_compare(&c, data, NULL, params, 2, NULL, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "cannot be halved"));
    pt_dataset_free(data);
    small_free(&s);
    leave(&e);
    assert_null(c);
}

/* ---- McNemar --------------------------------------------------------------------------------- */

static void test_mcnemar__counts_what_models_predict(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(3);
    pt_dataset *test = clouds_of(TEST_N, 3);
    static const struct {
        const char *a;
        const char *b;
        const char *common;
        int exact;
    } CASES[] = {{"onelsm:sigma=2,ridge=0.1", "onelsm:sigma=2,ridge=0.2", "folds=4", 1},
                 {"onelsm:sigma=0.2", "onelsm:kernel=linear", "folds=4,grid={ridge=0.1:3.2}", 0}};
    for (size_t i = 0; i < 2; i++) {
        static bool right[2][TEST_N];
        int64_t count[2][2] = {{0, 0}, {0, 0}};
        pt_report *m = NULL;
        entrants e = enter(CASES[i].a, CASES[i].b, CASES[i].common);
        small_must(pt_compare(&m, data, test, (const pt_params *const *)e.params, 2, NULL, &err),
                   &err, "mcnemar");
        for (int a = 0; a < 2; a++)
            assert_true(pt_report_number_at(m, "error", a, 0, 0) ==
                        (double)count_wrong(data, test, e.params[a], right[a]) / TEST_N);
        for (int r = 0; r < TEST_N; r++)
            count[right[0][r]][right[1][r]]++;
        assert_int_equal(pt_report_integer_at(m, "both_wrong", 0, 0, 0), count[0][0]);
        assert_int_equal(pt_report_integer_at(m, "second_only", 0, 0, 0), count[0][1]);
        assert_int_equal(pt_report_integer_at(m, "first_only", 0, 0, 0), count[1][0]);
        assert_int_equal(pt_report_integer_at(m, "both_right", 0, 0, 0), count[1][1]);
        const double apart = (double)(count[1][0] + count[0][1]);
        const double excess = fmax(fabs((double)(count[1][0] - count[0][1])) - 1, 0);
        assert_int_equal(pt_report_integer_at(m, "exact", 0, 0, 0), CASES[i].exact);
        assert_int_equal(pt_report_integer_at(m, "exact", 0, 0, 0), apart < 25);
        if (CASES[i].exact) {
            assert_true(isnan(pt_report_number_at(m, "statistic", 0, 0, 0)));
            assert_true(pt_report_number_at(m, "p_value", 0, 0, 0) ==
                        pt_binomial_two_sided(count[1][0], count[1][0] + count[0][1]));
        } else {
            assert_true(fabs(pt_report_number_at(m, "statistic", 0, 0, 0) -
                             excess * excess / apart) < 1e-12);
            assert_true(pt_report_number_at(m, "p_value", 0, 0, 0) ==
                        pt_chi_square_tail(pt_report_number_at(m, "statistic", 0, 0, 0), 1));
        }
        assert_int_equal(pt_report_integer(m, "n_examples"), TEST_N);
        pt_report_free(m);
        leave(&e);
    }
    pt_dataset_free(test);
    pt_dataset_free(data);
}

/* A class that training has not seen is wrong for all; a row without a label does not count. */
static void test_mcnemar__rows_that_are_odd(void **state)
{
    (void)state;
    static const double X[] = {0, 0.1, 5, 5.1, 0, 5, 5, 1};
    static const char *const LABELS[] = {"a", "a", "b", "b", "a", "b", "z", NULL};
    pt_error err = PT_ERROR_INIT;
    pt_report *m = NULL;
    pt_dataset *data = NULL;
    pt_dataset *test = NULL;
    small_must(dataset_from_f64(&data, X, 4, 1, 1, &err), &err, "train");
    small_must(pt_dataset_set_label_cells(data, "class", LABELS, &err), &err, "labels");
    small_must(dataset_from_f64(&test, X + 4, 4, 1, 1, &err), &err, "test");
    small_must(pt_dataset_set_label_cells(test, "class", LABELS + 4, &err), &err, "labels");
    entrants e = enter("onelsm:ridge=1", "onelsm:ridge=2", "sigma=1");
    small_must(pt_compare(&m, data, test, (const pt_params *const *)e.params, 2, NULL, &err), &err,
               "mcnemar");
    assert_int_equal(pt_report_integer(m, "n_examples"), 3);
    assert_int_equal(pt_report_integer_at(m, "both_right", 0, 0, 0), 2);
    assert_int_equal(pt_report_integer_at(m, "both_wrong", 0, 0, 0), 1);
    assert_true(pt_report_number_at(m, "p_value", 0, 0, 0) == 1);
    assert_string_equal(pt_report_text_at(m, "chosen", 0, 0, 0), "");
    pt_report_free(m);
    leave(&e);
    pt_dataset_free(test);
    pt_dataset_free(data);
}

/* ---- stopped, and gone on -------------------------------------------------------------------- */

static char folder[] = "/tmp/polytomy_compare_XXXXXX";
static char file[64];

typedef struct stopper {
    pt_task *task;
    double after;
    double last;
} stopper;

static void on_progress(const char *stage, double done, double total, void *user)
{
    stopper *s = user;
    assert_string_equal(stage, "comparing");
    assert_true(done >= s->last); /* never back */
    assert_true(total == 20);
    s->last = done;
    if (s->after > 0 && done >= s->after)
        pt_task_cancel(s->task);
}

/* Time that is up in the third replication leaves a test of two: F(4, 2). */
static void run_out(const char *stage, double done, double total, void *user)
{
    (void)stage;
    stopper *s = user;
    if (done >= s->after * total)
        pt_task_set_time_limit(s->task, 1e-9);
}

static void test_comparison__time_that_is_up_leaves_what_is_done(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(5);
    entrants e = enter("onelsm", "onelsm:kernel=linear", "ridge=1,sigma=1");
    pt_report *all = compare(data, &e, 1);
    pt_report *c = NULL;
    pt_task *task = small_task(1);
    stopper s = {.task = task, .after = 0.5};
    pt_task_on_progress(task, run_out, &s);
    pt_task_hear_all(task);
    small_must(pt_compare(&c, data, NULL, (const pt_params *const *)e.params, 2, task, &err), &err,
               "comparison");
    assert_int_equal(pt_report_integer(all, "n_replications"), 5);
    assert_int_equal(pt_report_integer(c, "n_replications"), 2);
    assert_int_equal(pt_report_length(c, "warning"), pt_report_length(all, "warning") + 1);
    double sum = 0;
    double squares = 0;
    double variances = 0;
    for (int64_t i = 0; i < 2; i++) {
        double p[2];
        for (int64_t j = 0; j < 2; j++) {
            sum += pt_report_number_at(all, "errors", 0, i, j) / 4;
            p[j] = pt_report_number_at(all, "difference", 0, i, j);
            assert_true(pt_report_number_at(c, "errors", 0, i, j) ==
                        pt_report_number_at(all, "errors", 0, i, j));
            squares += p[j] * p[j];
        }
        variances += (p[0] - p[1]) * (p[0] - p[1]) / 2;
    }
    assert_true(fabs(pt_report_number_at(c, "error", 0, 0, 0) - sum) < 1e-15);
    assert_true(isnan(pt_report_number_at(c, "errors", 0, 2, 0)));
    assert_null(pt_report_text_at(c, "chosen", 0, 2, 0));
    assert_true(variances > 0);
    assert_true(fabs(pt_report_number_at(c, "f", 0, 0, 0) - squares / (2 * variances)) < 1e-12);
    assert_true(fabs(pt_report_number_at(c, "p_value", 0, 0, 0) -
                     pt_f_tail(squares / (2 * variances), 4, 2)) < 1e-12);
    pt_report_free(c);
    c = NULL;
    s.after = 0; /* and none is an error */
    pt_task_set_time_limit(task, 0);
    assert_int_equal(pt_compare(&c, data, NULL, (const pt_params *const *)e.params, 2, task, &err),
                     PT_ETIME);
    pt_report_free(all);
    pt_task_free(task);
    leave(&e);
    pt_dataset_free(data);
}

static void test_comparison__goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    static const double AFTER[] = {0.5, 3.4, 12, 19.2};
    pt_dataset *data = clouds(7);
    entrants e = enter("onelsm", "onelsm:kernel=linear", "folds=3,grid={ridge=0.1:3.2,sigma=1,2}");
    const pt_params *const *params = (const pt_params *const *)e.params;
    pt_report *whole = compare(data, &e, 2);
    pt_error err = PT_ERROR_INIT;
    small_must(pt_params_set(e.params[0], "resume", file, &err), &err, "resume");
    for (size_t i = 0; i < sizeof AFTER / sizeof *AFTER; i++) {
        pt_report *c = NULL;
        stopper s = {small_task(1), AFTER[i], 0};
        unlink(file);
        pt_task_on_progress(s.task, on_progress, &s);
        pt_task_hear_all(s.task);
        assert_int_equal(pt_compare(&c, data, NULL, params, 2, s.task, &err), PT_ECANCELLED);
        assert_non_null(strstr(err.text, file));
        pt_task_free(s.task);
        s = (stopper){small_task(1), 0, 0};
        pt_task_on_progress(s.task, on_progress, &s);
        pt_task_hear_all(s.task);
        small_must(pt_compare(&c, data, NULL, params, 2, s.task, &err), &err, "resumed");
        assert_true(s.last == 20);
        assert_true(pt_report_integer(c, "n_computed") >= 20 - (int64_t)AFTER[i]);
        assert_true(pt_report_integer(c, "n_computed") <= 21 - (int64_t)AFTER[i]);
        assert_true(i == 0 || pt_report_integer(c, "n_computed") < 20);
        for (int64_t m = 0; m < 2; m++)
            for (int64_t t = 0; t < 10; t++) {
                assert_true(pt_report_number_at(c, "errors", m, t / 2, t % 2) ==
                            pt_report_number_at(whole, "errors", m, t / 2, t % 2));
                assert_string_equal(pt_report_text_at(c, "chosen", m, t / 2, t % 2),
                                    pt_report_text_at(whole, "chosen", m, t / 2, t % 2));
            }
        pt_report_free(c);
        pt_task_free(s.task);
    }
    pt_report_free(whole);
    leave(&e);
    pt_dataset_free(data);
}

/* Every allocation fails in turn: PT_ENOMEM, and nothing leaks. */
static void test_comparison__memory_that_cannot_be_had(void **state)
{
    (void)state;
    pt_dataset *data = clouds(9);
    entrants e = enter("onelsm:kernel=linear", "onelsm:sigma=1", "folds=2,grid={ridge=0.1,1}");
    const pt_params *const *params = (const pt_params *const *)e.params;
    pt_task *task = small_task(1);
    pt_report_free(compare(data, &e, 1));
    const int64_t live = pt_alloc_live();
    for (int64_t number = 1; number < 100000; number += test_share() * (1 + number / 20)) {
        pt_error err = PT_ERROR_INIT;
        pt_report *c = NULL;
        pt_report *m = NULL;
        pt_alloc_fail_from(number);
        pt_status status = pt_compare(&c, data, NULL, params, 2, task, &err);
        if (status == PT_OK)
            status = pt_compare(&m, data, data, params, 2, task, &err);
        const bool over = pt_alloc_count() < number;
        pt_alloc_fail_from(0);
        assert_true(status == PT_OK || status == PT_ENOMEM);
        pt_report_free(m);
        pt_report_free(c);
        assert_int_equal(pt_alloc_live(), live);
        if (over)
            break;
    }
    pt_task_free(task);
    leave(&e);
    pt_dataset_free(data);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/compare", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comparison__is_a_loop_over_halves),
        cmocka_unit_test(test_comparison__every_machine_can_be_compared),
        cmocka_unit_test(test_comparison__degenerate_differences),
        cmocka_unit_test(test_comparison__says_what_it_cannot_do),
        cmocka_unit_test(test_mcnemar__counts_what_models_predict),
        cmocka_unit_test(test_mcnemar__rows_that_are_odd),
        cmocka_unit_test(test_comparison__time_that_is_up_leaves_what_is_done),
        cmocka_unit_test(test_comparison__goes_on_where_it_was_stopped),
        cmocka_unit_test(test_comparison__memory_that_cannot_be_had),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
