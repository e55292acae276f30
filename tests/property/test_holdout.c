/* Closed-form held-out scores equal training again without the fold: every route, kernel, weight.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/from_memory.h"
#include "../support/reports.h"
#include "../support/validation.h"
#include "base/random.h"
#include "base/task.h"
#include "machine/training.h"

/* Gaussian clouds around k centres, d columns; a problem that is neither trivial nor hopeless. */
static pt_dataset *clouds(int64_t n, int64_t d, int64_t k, bool weights, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    double *x = malloc((size_t)(n * d) * sizeof *x);
    int64_t *y = malloc((size_t)n * sizeof *y);
    double *w = malloc((size_t)n * sizeof *w);
    assert_non_null(x);
    assert_non_null(y);
    assert_non_null(w);
    for (int64_t i = 0; i < n; i++) {
        y[i] = i % k;
        w[i] = 0.25 + 2 * pt_random_uniform(&random);
        for (int64_t j = 0; j < d; j++)
            x[i * d + j] = pt_random_normal(&random) + 1.5 * (double)(j % k == y[i]);
    }
    pt_dataset *data = NULL;
    assert_int_equal(dataset_from_f64(&data, x, n, d, d, NULL), PT_OK);
    assert_int_equal(dataset_set_numbers(data, y, NULL), PT_OK);
    if (weights)
        assert_int_equal(dataset_set_weights(data, w, NULL), PT_OK);
    free(x);
    free(y);
    free(w);
    return data;
}

typedef struct kept {
    int64_t size; /* n * k */
    int64_t partitions;
    double *scores; /* points x partitions x size */
} kept;

static pt_status keep(void *context, int64_t point, int64_t partition, const double *scores,
                      pt_error *err)
{
    (void)err;
    kept *k = context;
    assert_non_null(scores);
    memcpy(k->scores + (point * k->partitions + partition) * k->size, scores,
           (size_t)k->size * sizeof(double));
    return PT_OK;
}

static void run(const pt_training *t, const pt_partitions *partitions, bool closed,
                const pt_task *task, kept *out)
{
    pt_error err = PT_ERROR_INIT;
    const pt_params *point = t->params;
    out->size = t->problem.rows.n * pt_labels_n_classes(t->problem.labels);
    out->partitions = partitions->count;
    out->scores = malloc((size_t)(out->size * partitions->count) * sizeof(double));
    assert_non_null(out->scores);
    pt_status status =
        closed ? held_out_scores(t->ops, &t->problem, &point, 1, partitions, keep, out, task, &err)
               : held_out_by_training(t->ops, &t->problem, &point, 1, partitions, keep, out, task,
                                      &err);
    if (status != PT_OK)
        fail_msg("%s", err.text);
}

static double largest_difference(const kept *a, const kept *b)
{
    double worst = 0;
    for (int64_t i = 0; i < a->size * a->partitions; i++)
        worst = fmax(worst, fabs(a->scores[i] - b->scores[i]));
    return worst;
}

static void compare(const pt_dataset *data, const char *params_text, double tolerance)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_training t;
    pt_fold_set folds;
    kept closed = {0, 0, NULL};
    kept brute = {0, 0, NULL};
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    if (pt_params_parse(params, params_text, &err) != PT_OK)
        fail_msg("%s", err.text);
    if (pt_training_init(&t, data, params, NULL, &err) != PT_OK)
        fail_msg("%s: %s", params_text, err.text);
    assert_int_equal(pt_fold_set_init(&folds, &t.problem, t.params, &err), PT_OK);
    run(&t, &folds.partitions, true, NULL, &closed);
    run(&t, &folds.partitions, false, NULL, &brute);
    const double difference = largest_difference(&closed, &brute);
    if (!(difference <= tolerance))
        fail_msg("%s: closed form and brute force differ by %g", params_text, difference);
    free(closed.scores);
    free(brute.scores);
    pt_fold_set_free(&folds);
    pt_training_free(&t);
    pt_params_free(params);
}

/* Narrow to wide kernels, small to large ridges, both routes (one partition, several, one row). */
static const char *const how[] = {"folds=5", "folds=10,repeat=3", "loo=yes", "folds=40",
                                  "folds=7,stratify=no"};

static void test_holdout__dual_equals_brute_force(void **state)
{
    (void)state;
    const char *const kernels[] = {
        "kernel=rbf,sigma=0.05,ridge=0.01",
        "kernel=rbf,sigma=0.5,ridge=0.1",
        "kernel=rbf,sigma=20,ridge=1",
        "kernel=laplacian,sigma=2,ridge=0.5",
        "kernel=poly,sigma=2,degree=3,ridge=0.3",
    };
    pt_dataset *data = clouds(120, 4, 3, false, 1);
    for (size_t h = 0; h < sizeof how / sizeof *how; h++)
        for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
            char text[256];
            snprintf(text, sizeof text, "precision=double,%s,%s", kernels[i], how[h]);
            compare(data, text, 1e-8);
        }
    pt_dataset_free(data);
}

static void test_holdout__weights_enter_alike(void **state)
{
    (void)state;
    pt_dataset *data = clouds(90, 3, 3, true, 2);
    for (size_t h = 0; h < sizeof how / sizeof *how; h++) {
        char text[256];
        snprintf(text, sizeof text, "precision=double,kernel=rbf,sigma=1,ridge=0.2,%s", how[h]);
        compare(data, text, 1e-8);
        snprintf(text, sizeof text,
                 "precision=double,kernel=linear,ridge=0.2,class-weight=balanced,%s", how[h]);
        compare(data, text, 1e-8);
    }
    pt_dataset_free(data);
}

static void test_holdout__primal_equals_brute_force(void **state)
{
    (void)state;
    pt_dataset *data = clouds(130, 6, 4, false, 3);
    const char *const ridges[] = {"1e-3", "0.1", "10"};
    for (size_t h = 0; h < sizeof how / sizeof *how; h++)
        for (size_t r = 0; r < 3; r++) {
            char text[256];
            snprintf(text, sizeof text, "precision=double,kernel=linear,ridge=%s,%s", ridges[r],
                     how[h]);
            compare(data, text, 1e-8);
        }
    pt_dataset_free(data);
}

static void test_holdout__wide_data_uses_the_dual(void **state)
{
    (void)state;
    pt_dataset *data = clouds(40, 60, 3, false, 4);
    compare(data, "precision=double,kernel=linear,ridge=0.5,folds=5", 1e-8);
    compare(data, "precision=double,kernel=linear,ridge=0.5,loo=yes", 1e-8);
    pt_dataset_free(data);
}

static void test_holdout__float_is_close(void **state)
{
    (void)state;
    pt_dataset *data = clouds(120, 4, 3, false, 5);
    for (size_t h = 0; h < sizeof how / sizeof *how; h++) {
        char text[256];
        snprintf(text, sizeof text, "kernel=rbf,sigma=0.7,ridge=0.1,%s", how[h]);
        compare(data, text, 2e-4);
    }
    pt_dataset_free(data);
}

/* With a kernel so narrow that every held-out output underflows to nearly nothing, no label may
 * leak into its own prediction: on random labels the error must be near chance. */
static void test_holdout__no_label_leaks_through_rounding(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 6, PT_RANDOM_TEST, 0);
    enum { N = 300, D = 5, K = 4 };
    double x[N * D];
    int64_t y[N];
    for (int i = 0; i < N * D; i++)
        x[i] = pt_random_uniform(&random);
    for (int i = 0; i < N; i++)
        y[i] = pt_random_below(&random, K);
    const char *const narrow[] = {"folds=10,sigma=0.03", "loo=yes,sigma=0.03",
                                  "folds=10,repeat=2,sigma=0.05", "loo=yes,sigma=0.1"};
    for (size_t i = 0; i < 8; i++) {
        pt_error err = PT_ERROR_INIT;
        pt_dataset *data = NULL;
        pt_params *params = NULL;
        pt_report *search = NULL;
        char text[128];
        snprintf(text, sizeof text, "machine=%s,kernel=rbf,ridge=0.0625,scale=none,%s",
                 i < 4 ? "onelsm" : "vo-lssvm", narrow[i % 4]);
        assert_int_equal(dataset_from_f64(&data, x, N, D, D, &err), PT_OK);
        assert_int_equal(dataset_set_numbers(data, y, &err), PT_OK);
        assert_int_equal(pt_params_new(&params, &err), PT_OK);
        assert_int_equal(pt_params_parse(params, text, &err), PT_OK);
        if (pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err) !=
            PT_OK)
            fail_msg("%s", err.text);
        assert_true(pt_report_number_at(search, "error", 0, 0, 0) > 0.65); /* chance is 0.75 */
        pt_report_free(search);
        pt_params_free(params);
        pt_dataset_free(data);
    }
}

/* Scores are the same bytes on one thread and on two. */
static void test_holdout__threads_do_not_matter(void **state)
{
    (void)state;
    pt_dataset *data = clouds(700, 5, 4, false, 7);
    const char *const routes[] = {"folds=10", "folds=10,repeat=3", "loo=yes"};
    const char *const machines[] = {"onelsm", "vo-lssvm", "vo-lssvm,labelbook=indicator"};
    for (size_t h = 0; h < 9; h++) {
        pt_error err = PT_ERROR_INIT;
        pt_report *searches[2] = {NULL, NULL};
        for (int threads = 1; threads <= 2; threads++) {
            pt_params *params = NULL;
            pt_task *task = NULL;
            char text[160];
            snprintf(text, sizeof text, "machine=%s,kernel=rbf,grid={ridge=0.1:0.8,sigma=1,2},%s",
                     machines[h / 3], routes[h % 3]);
            assert_int_equal(pt_params_new(&params, &err), PT_OK);
            if (pt_params_parse(params, text, &err) != PT_OK)
                fail_msg("%s", err.text);
            assert_int_equal(pt_task_new(&task, &err), PT_OK);
            pt_task_set_threads(task, threads);
            if (pt_cross_validate(&searches[threads - 1], NULL, data, &(const pt_params *){params},
                                  1, task, &err) != PT_OK)
                fail_msg("%s", err.text);
            pt_task_free(task);
            pt_params_free(params);
        }
        assert_int_equal(pt_report_integer(searches[0], "n_points"), 8);
        assert_int_equal(pt_report_integer(searches[0], "n_examples"), 700);
        assert_int_equal(pt_report_integer(searches[0], "n_classes"), 4);
        assert_int_equal(pt_report_integer(searches[0], "best"),
                         pt_report_integer(searches[1], "best"));
        for (int64_t r = 0; r < pt_report_integer(searches[0], "n_repeats"); r++)
            assert_memory_equal(scores_of(searches[0], r), scores_of(searches[1], r),
                                700 * 4 * sizeof(double));
        pt_report_free(searches[0]);
        pt_report_free(searches[1]);
    }
    pt_dataset_free(data);
}

/* Memory for some workers but not for one a thread: the same scores, and no worker without its
 * scratch. Memory for none: refused, with the option that helps. */
static void test_holdout__memory_limits_the_workers(void **state)
{
    (void)state;
    pt_dataset *data = clouds(900, 3, 3, false, 8);
    const char *const options = "kernel=rbf,folds=10,grid={ridge=0.1:12.8,sigma=1}";
    const int64_t megabytes[] = {0, 6, 9, 11, 13, 1}; /* a worker takes 3.2, distances 2.6 */
    pt_report *whole = NULL;
    for (size_t m = 0; m < sizeof megabytes / sizeof *megabytes; m++) {
        pt_error err = PT_ERROR_INIT;
        pt_params *params = NULL;
        pt_task *task = NULL;
        pt_report *search = NULL;
        assert_int_equal(pt_params_new(&params, &err), PT_OK);
        assert_int_equal(pt_params_parse(params, options, &err), PT_OK);
        assert_int_equal(pt_task_new(&task, &err), PT_OK);
        pt_task_set_threads(task, 4);
        pt_task_set_memory(task, megabytes[m] * 1000000);
        const pt_status status =
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, task, &err);
        if (megabytes[m] == 1) {
            assert_int_equal(status, PT_EMEMORY);
            assert_non_null(strstr(err.text, "`memory"));
        } else if (status != PT_OK) {
            fail_msg("%s", err.text);
        } else if (!whole) {
            whole = search;
            search = NULL;
        } else {
            assert_int_equal(pt_report_integer(search, "best"), pt_report_integer(whole, "best"));
            assert_memory_equal(scores_of(search, 0), scores_of(whole, 0),
                                900 * 3 * sizeof(double));
        }
        pt_report_free(search);
        pt_task_free(task);
        pt_params_free(params);
    }
    pt_report_free(whole);
    pt_dataset_free(data);
}

/* vo-LSSVM: one system, or one for each class; narrow and wide; a bias in the kernel. */
static void test_holdout__vo_lssvm_equals_brute_force(void **state)
{
    (void)state;
    const char *const points[] = {
        "kernel=rbf,sigma=0.05,ridge=0.01,labelbook=mincorr",
        "kernel=rbf,sigma=0.5,ridge=0.1",
        "kernel=rbf,sigma=20,ridge=1,labelbook=indicator",
        "kernel=laplacian,sigma=2,C=2,labelbook=consistency,decode=nearest",
        "kernel=poly,sigma=2,degree=3,ridge=0.3,label-kernel=rbf,label-sigma=2",
        "kernel=rbf,sigma=1,ridge=0.1,bias=yes,bias-rule=penalised",
        "kernel=linear,ridge=0.1,labelbook=indicator,bias=yes,bias-rule=penalised",
    };
    pt_dataset *data = clouds(120, 4, 3, false, 21);
    pt_dataset *four = clouds(90, 4, 4, true, 22); /* +-1 falls apart */
    for (size_t h = 0; h < sizeof how / sizeof *how; h++)
        for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
            char text[256];
            snprintf(text, sizeof text, "machine=vo-lssvm,precision=double,%s,%s", points[i],
                     how[h]);
            compare(data, text, 1e-8);
            compare(four, text, 1e-8);
        }
    compare(data, "machine=vo-lssvm,kernel=rbf,sigma=0.7,ridge=0.1,folds=10", 2e-4);
    compare(data, "machine=vo-lssvm,kernel=rbf,sigma=0.7,ridge=0.1,folds=10,repeat=5", 2e-4);
    compare(data, "machine=vo-lssvm,kernel=rbf,sigma=0.7,ridge=0.1,loo=yes", 2e-4);
    /* No closed form: trained again, and the same by definition. */
    compare(data, "machine=vo-lssvm,kernel=rbf,sigma=1,ridge=1,labelbook=fisher,folds=5", 0);
    compare(data, "machine=vo-lssvm,kernel=rbf,sigma=1,ridge=1,labelbook=mincorr,bias=yes,folds=5",
            0);
    pt_dataset_free(data);
    pt_dataset_free(four);
}

static void flip_and_compare(const char *text, int64_t row)
{
    pt_error err = PT_ERROR_INIT;
    kept before = {0, 0, NULL};
    kept after = {0, 0, NULL};
    pt_params *params = NULL;
    pt_training t;
    pt_fold_set folds;
    pt_dataset *data = clouds(90, 3, 3, false, 23);
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    if (pt_params_parse(params, text, &err) != PT_OK ||
        pt_training_init(&t, data, params, NULL, &err) != PT_OK)
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(pt_fold_set_init(&folds, &t.problem, t.params, &err), PT_OK);
    run(&t, &folds.partitions, true, NULL, &before);
    ((int64_t *)t.problem.labels->class_of)[row] = (t.problem.labels->class_of[row] + 1) % 3;
    run(&t, &folds.partitions, true, NULL, &after);
    for (int64_t r = 0; r < 3; r++) {
        const double change = fabs(before.scores[row * 3 + r] - after.scores[row * 3 + r]);
        const double size = fabs(before.scores[row * 3 + r]);
        if (!(change <= 1e-9 * size + 1e-300))
            fail_msg("%s: the score of class %d goes from %g by %g", text, (int)r, size, change);
    }
    assert_true(largest_difference(&before, &after) > 0); /* others do see it */
    free(before.scores);
    free(after.scores);
    pt_fold_set_free(&folds);
    pt_training_free(&t);
    pt_params_free(params);
    pt_dataset_free(data);
}

/* Another label of a held-out row changes the scores of others, never its own. */
static void test_holdout__a_row_does_not_see_its_own_label(void **state)
{
    (void)state;
    const char *const points[] = {
        "machine=onelsm,kernel=rbf,sigma=0.1,ridge=0.1",
        "machine=onelsm,kernel=rbf,sigma=1,ridge=0.1",
        "machine=vo-lssvm,kernel=rbf,sigma=0.1,ridge=0.1,labelbook=mincorr",
        "machine=vo-lssvm,kernel=rbf,sigma=1,ridge=0.1,labelbook=mincorr",
        "machine=vo-lssvm,kernel=rbf,sigma=1,ridge=0.1,labelbook=indicator",
        "machine=vo-lssvm,kernel=rbf,sigma=3,ridge=0.1,bias=yes,bias-rule=penalised",
    };
    const char *const routes[] = {"folds=10", "folds=3,repeat=2", "loo=yes"};
    for (size_t h = 0; h < 3; h++)
        for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
            char text[256];
            snprintf(text, sizeof text, "precision=double,scale=none,%s,%s", points[i], routes[h]);
            flip_and_compare(text, 0);
            flip_and_compare(text, 47);
        }
}

/* Rows 0 and 30 are the only ones of class 3. Without them a machine knows nothing of it, and has
 * it at the end; where they are left, its scores are as they are. */
static void test_holdout__a_class_that_a_fold_takes_away_comes_last(void **state)
{
    (void)state;
    static const char *const machines[] = {
        "machine=onelsm,kernel=rbf,sigma=1,ridge=0.1,precision=double,folds=3",
        "machine=vo-rls,kernel=rbf,sigma=1,ridge=0.1,precision=double,folds=3",
        "machine=code,learner=svm,kernel=rbf,sigma=1,precision=double,folds=3"};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        pt_error err = PT_ERROR_INIT;
        pt_params *params = NULL;
        pt_training t = {0};
        pt_fold_set folds;
        kept lowered = {0, 0, NULL};
        kept brute = {0, 0, NULL};
        pt_dataset *data = clouds(60, 2, 4, false, 5);
        assert_int_equal(pt_params_new(&params, &err), PT_OK);
        if (pt_params_parse(params, machines[m], &err) != PT_OK ||
            pt_training_init(&t, data, params, NULL, &err) != PT_OK)
            fail_msg("%s: %s", machines[m], err.text);
        int64_t *class_of = (int64_t *)t.problem.labels->class_of;
        for (int64_t i = 0; i < 60; i++)
            class_of[i] = i % 30 == 0 ? 3 : i % 3;
        assert_int_equal(pt_fold_set_init(&folds, &t.problem, t.params, &err), PT_OK);
        folds.fold[30] = folds.fold[0];
        run(&t, &folds.partitions, true, NULL, &lowered);
        run(&t, &folds.partitions, false, NULL, &brute);
        for (int64_t i = 0; i < 60; i++) {
            const double *scores = lowered.scores + i * 4;
            const bool taken = folds.fold[i] == folds.fold[0];
            for (int r = 0; r < 3; r++) {
                assert_true(!taken || scores[3] < scores[r]);
                assert_true(fabs(scores[r] - brute.scores[i * 4 + r]) < 1e-6);
            }
            assert_true(taken || fabs(scores[3] - brute.scores[i * 4 + 3]) < 1e-6);
        }
        free(lowered.scores);
        free(brute.scores);
        pt_fold_set_free(&folds);
        pt_training_free(&t);
        pt_params_free(params);
        pt_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holdout__dual_equals_brute_force),
        cmocka_unit_test(test_holdout__weights_enter_alike),
        cmocka_unit_test(test_holdout__primal_equals_brute_force),
        cmocka_unit_test(test_holdout__wide_data_uses_the_dual),
        cmocka_unit_test(test_holdout__float_is_close),
        cmocka_unit_test(test_holdout__vo_lssvm_equals_brute_force),
        cmocka_unit_test(test_holdout__a_class_that_a_fold_takes_away_comes_last),
        cmocka_unit_test(test_holdout__a_row_does_not_see_its_own_label),
        cmocka_unit_test(test_holdout__no_label_leaks_through_rounding),
        cmocka_unit_test(test_holdout__threads_do_not_matter),
        cmocka_unit_test(test_holdout__memory_limits_the_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
