/* Brute force: the same bytes for any number of threads and any memory, the error of the lowest
 * fold, no answer where the numbers allow none, points with and without a closed form in one
 * search, cancellation; one training for all numbers of rounds. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "../support/validation.h"
#include "base/alloc.h"
#include "base/task.h"
#include "machine/training.h"
#include "metrics/label_judge.h"

/* ---- a machine whose every step is known ------------------------------------------------------
 * Its scores: class of the nearest training row in the first column. Ridge below 1: no answer. */

typedef struct nearest {
    pt_machine base;
    int64_t n;
    int64_t k;
    double *x;
    int64_t *y;
} nearest;

static atomic_int fits;
static pt_task *cancel_at_fit; /* cancelled in the tenth */

static pt_status nearest_fit(pt_machine *machine, const pt_problem *problem,
                             const pt_params *params, const pt_task *task, pt_warnings *warnings,
                             pt_error *err)
{
    (void)task;
    (void)warnings;
    const int count = atomic_fetch_add(&fits, 1) + 1;
    if (cancel_at_fit && count == 10)
        pt_task_cancel(cancel_at_fit);
    const double ridge = pt_params_real(params, PT_P_RIDGE);
    if (ridge < 1)
        return pt_fail(err, PT_ENUMERIC, "too small");
    if (ridge > 100)
        return pt_fail(err, PT_EINVAL, "ridge %g", ridge);
    nearest *m = (nearest *)machine;
    m->n = problem->rows.n;
    m->k = pt_labels_n_classes(problem->labels);
    m->x = pt_alloc(m->n, sizeof(double), "rows", err);
    m->y = pt_alloc(m->n, sizeof(int64_t), "labels", err);
    if (!m->x || !m->y)
        return PT_ENOMEM;
    for (int64_t i = 0; i < m->n; i++) {
        m->x[i] = pt_rows_value(&problem->rows, problem->rows.dense, i * problem->rows.stride);
        m->y[i] = problem->labels->class_of[i];
    }
    return PT_OK;
}

static pt_status nearest_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                                const pt_task *task, pt_error *err)
{
    (void)task;
    (void)err;
    const nearest *m = (const nearest *)machine;
    for (int64_t i = 0; i < rows->n; i++) {
        const double x = pt_rows_value(rows, rows->dense, i * rows->stride);
        for (int64_t r = 0; r < m->k; r++)
            scores[i * m->k + r] = -INFINITY;
        for (int64_t t = 0; t < m->n; t++)
            scores[i * m->k + m->y[t]] = fmax(scores[i * m->k + m->y[t]], -fabs(x - m->x[t]));
    }
    return PT_OK;
}

static void nearest_free(pt_machine *machine)
{
    nearest *m = (nearest *)machine;
    pt_free(m->x);
    pt_free(m->y);
}

/* About a megabyte, so that memory can decide on the workers. */
static pt_status nearest_plan(const pt_problem *problem, const pt_params *params,
                              const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)params;
    (void)task;
    (void)err;
    plan->bytes = 1e6 + (double)problem->rows.n;
    return PT_OK;
}

/* A "closed form" that hands over one number everywhere: seen where it was used. */
static pt_status constant_holdout(const pt_problem *problem, const pt_params *const *points,
                                  int64_t n_points, const pt_partitions *partitions,
                                  pt_holdout_fn take, void *context, const pt_task *task,
                                  pt_error *err)
{
    (void)points;
    (void)task;
    const int64_t cells = problem->rows.n * pt_labels_n_classes(problem->labels);
    double *scores = malloc((size_t)cells * sizeof *scores);
    for (int64_t i = 0; i < cells; i++)
        scores[i] = 7;
    pt_status status = PT_OK;
    for (int64_t i = 0; i < n_points * partitions->count && status == PT_OK; i++)
        status = take(context, i / partitions->count, i % partitions->count, scores, err);
    free(scores);
    return status;
}

static bool exact_from_8(const pt_problem *problem, const pt_params *point)
{
    (void)problem;
    return pt_params_real(point, PT_P_RIDGE) >= 8;
}

static const pt_machine_ops NEAREST = {.name = "nearest",
                                       .parameters = "ridge",
                                       .size = sizeof(nearest),
                                       .plan = nearest_plan,
                                       .fit = nearest_fit,
                                       .scores = nearest_scores,
                                       .free = nearest_free};
static const pt_machine_ops MIXED = {.name = "mixed",
                                     .parameters = "ridge",
                                     .size = sizeof(nearest),
                                     .fit = nearest_fit,
                                     .scores = nearest_scores,
                                     .free = nearest_free,
                                     .holdout = constant_holdout,
                                     .holdout_exact = exact_from_8,
                                     .holdout_method = "out of the hat"};

/* ---- what was handed over -------------------------------------------------------------------- */

enum { N = 60, K = 3, POINTS = 5, REPEATS = 3 };

typedef struct taken {
    double scores[POINTS][REPEATS][N * K];
    int calls[POINTS][REPEATS]; /* -1: no answer */
} taken;

static pt_status take(void *context, int64_t point, int64_t partition, const double *scores,
                      pt_error *err)
{
    (void)err;
    taken *t = context;
    t->calls[point][partition] += scores ? 1 : -1;
    if (scores)
        memcpy(t->scores[point][partition], scores, sizeof t->scores[point][partition]);
    return PT_OK;
}

typedef struct setting {
    pt_training training;
    pt_fold_set folds;
    pt_params *points[POINTS];
} setting;

static setting setting_new(const double ridges[POINTS])
{
    pt_error err = PT_ERROR_INIT;
    setting s;
    memset(&s, 0, sizeof s);
    small cloud = small_clouds(N, 2, K, 11);
    pt_dataset *data = small_dataset(&cloud);
    pt_params *params = small_params("precision=double,folds=5,repeat=3,sigma=1");
    small_must(pt_training_init(&s.training, data, params, NULL, &err), &err, "training");
    s.training.kept = data; /* freed with it: the labels stay */
    small_must(pt_fold_set_init(&s.folds, &s.training.problem, params, &err), &err, "folds");
    for (int p = 0; p < POINTS; p++) {
        small_must(pt_params_copy(&s.points[p], params, &err), &err, "point");
        small_must(pt_params_set_real(s.points[p], PT_P_RIDGE, ridges[p], &err), &err, "ridge");
    }
    pt_params_free(params);
    small_free(&cloud);
    return s;
}

static void setting_free(setting *s)
{
    for (int p = 0; p < POINTS; p++)
        pt_params_free(s->points[p]);
    pt_fold_set_free(&s->folds);
    pt_training_free(&s->training);
}

static pt_status run(const setting *s, const pt_machine_ops *ops, const pt_task *task, taken *out,
                     pt_error *err)
{
    memset(out, 0, sizeof *out);
    return held_out_scores(ops, &s->training.problem, (const pt_params *const *)s->points, POINTS,
                           &s->folds.partitions, take, out, task, err);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_brute_force__threads_and_memory_do_not_matter(void **state)
{
    (void)state;
    static taken one;
    static taken other;
    static const double ridges[POINTS] = {1, 0.5, 2, 4, 8};
    pt_error err = PT_ERROR_INIT;
    setting s = setting_new(ridges);
    pt_task *task = small_task(1);
    small_must(run(&s, &NEAREST, task, &one, &err), &err, "one thread");
    for (int p = 0; p < POINTS; p++)
        for (int r = 0; r < REPEATS; r++)
            assert_int_equal(one.calls[p][r], ridges[p] < 1 ? -1 : 1);
    pt_task_free(task);
    for (int round = 0; round < 4; round++) {
        task = small_task(4);
        pt_task_set_memory(task, round == 0 ? 0 : round * 1200000); /* for one worker, two, three */
        small_must(run(&s, &NEAREST, task, &other, &err), &err, "four threads");
        assert_memory_equal(&one, &other, sizeof one);
        pt_task_free(task);
    }
    task = small_task(4);
    pt_task_set_memory(task, 900000);
    assert_int_equal(run(&s, &NEAREST, task, &other, &err), PT_EMEMORY);
    assert_non_null(strstr(err.text, "`memory"));
    pt_task_free(task);
    setting_free(&s);
}

static void test_brute_force__error_is_that_of_the_lowest_point(void **state)
{
    (void)state;
    static taken t;
    static const double ridges[POINTS] = {1, 0.5, 200, 300, 400};
    setting s = setting_new(ridges);
    for (int round = 0; round < 20; round++) {
        pt_error err = PT_ERROR_INIT;
        pt_task *task = small_task(1 + round % 4);
        const int64_t live = pt_alloc_live();
        assert_int_equal(run(&s, &NEAREST, task, &t, &err), PT_EINVAL);
        assert_string_equal(err.text, "ridge 200");
        assert_int_equal(pt_alloc_live(), live);
        pt_task_free(task);
    }
    setting_free(&s);
}

static void test_brute_force__serves_points_without_a_closed_form(void **state)
{
    (void)state;
    static taken mixed;
    static taken plain;
    static const double ridges[POINTS] = {1, 8, 2, 16, 0.5};
    pt_error err = PT_ERROR_INIT;
    char text[96];
    setting s = setting_new(ridges);
    small_must(run(&s, &MIXED, NULL, &mixed, &err), &err, "mixed");
    small_must(run(&s, &NEAREST, NULL, &plain, &err), &err, "plain");
    for (int p = 0; p < POINTS; p++) {
        assert_int_equal(mixed.calls[p][0], ridges[p] < 1 ? -1 : 1);
        if (ridges[p] >= 8)
            assert_true(mixed.scores[p][2][5] == 7);
        else
            assert_memory_equal(mixed.scores[p], plain.scores[p], sizeof plain.scores[p]);
    }
    const pt_params *const *points = (const pt_params *const *)s.points;
    pt_holdout_method(text, sizeof text, &MIXED, &s.training.problem, points, POINTS);
    assert_string_equal(text, "out of the hat at 2 of 5 points, brute force at the others");
    pt_holdout_method(text, sizeof text, &MIXED, &s.training.problem, points + 1, 1);
    assert_string_equal(text, "out of the hat");
    pt_holdout_method(text, sizeof text, &MIXED, &s.training.problem, points, 1);
    assert_string_equal(text, "brute force");
    pt_holdout_method(text, sizeof text, &NEAREST, &s.training.problem, points, POINTS);
    assert_string_equal(text, "brute force");
    setting_free(&s);
}

static void test_brute_force__stops_when_asked(void **state)
{
    (void)state;
    static taken t;
    static const double ridges[POINTS] = {1, 2, 3, 4, 5};
    pt_error err = PT_ERROR_INIT;
    setting s = setting_new(ridges);
    pt_task *task = small_task(2);
    const int64_t live = pt_alloc_live();
    cancel_at_fit = task;
    atomic_store(&fits, 0);
    assert_int_equal(run(&s, &NEAREST, task, &t, &err), PT_ECANCELLED);
    cancel_at_fit = NULL;
    assert_true(atomic_load(&fits) <= 12);
    assert_int_equal(pt_alloc_live(), live);
    pt_task_free(task);
    setting_free(&s);
}

/* ---- progress -------------------------------------------------------------------------------- */

typedef struct seen {
    double last;
    double total;
    int calls;
} seen;

static void on_progress(const char *stage, double done, double total, void *user)
{
    seen *s = user;
    assert_string_equal(stage, "cross-validating");
    assert_true(done >= s->last);
    s->last = done;
    s->total = total;
    s->calls++;
}

static void test_brute_force__progress_counts_folds(void **state)
{
    (void)state;
    static taken t;
    static const double ridges[POINTS] = {1, 2, 3, 4, 5};
    pt_error err = PT_ERROR_INIT;
    setting s = setting_new(ridges);
    for (int threads = 1; threads <= 3; threads++) {
        seen progress = {0, 0, 0};
        pt_task *task = small_task(threads);
        pt_task_on_progress(task, on_progress, &progress);
        pt_task_hear_all(task);
        small_must(run(&s, &NEAREST, task, &t, &err), &err, "progress");
        assert_true(progress.last == POINTS * REPEATS * 5);
        assert_true(progress.total == POINTS * REPEATS * 5);
        assert_true(progress.calls >= (threads == 1 ? POINTS * REPEATS * 5 : 1));
        pt_task_free(task);
    }
    setting_free(&s);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Points of `base` that differ in rounds, and one that differs in more; the progress tells how many
 * machines are trained. */
static void expect_stages(const char *base, const char *other, int trainings)
{
    static const char *const rounds[POINTS] = {"rounds=4", "rounds=9", "rounds=1", "rounds=6", ""};
    static taken together;
    static taken alone;
    pt_error err = PT_ERROR_INIT;
    small cloud = small_clouds(N, 2, K, 11);
    pt_dataset *data = small_dataset(&cloud);
    pt_params *points[POINTS];
    pt_training training = {0};
    pt_fold_set folds = {0};
    for (int p = 0; p < POINTS; p++) {
        char text[200];
        snprintf(text, sizeof text, "%s,folds=5,%s", base, p + 1 < POINTS ? rounds[p] : other);
        points[p] = small_params(text);
    }
    small_must(pt_training_init(&training, data, points[0], NULL, &err), &err, "training");
    small_must(pt_fold_set_init(&folds, &training.problem, points[0], &err), &err, "folds");
    seen progress = {0, 0, 0};
    pt_task *task = small_task(2);
    pt_task_on_progress(task, on_progress, &progress);
    pt_task_hear_all(task);
    memset(&together, 0, sizeof together);
    small_must(held_out_scores(training.ops, &training.problem, (const pt_params *const *)points,
                               POINTS, &folds.partitions, take, &together, task, &err),
               &err, base);
    assert_true(progress.total == trainings * 5);
    for (int p = 0; p < POINTS; p++) {
        const pt_params *point = points[p];
        memset(&alone, 0, sizeof alone);
        small_must(held_out_scores(training.ops, &training.problem, &point, 1, &folds.partitions,
                                   take, &alone, NULL, &err),
                   &err, base);
        assert_int_equal(together.calls[p][0], 1);
        assert_memory_equal(together.scores[p], alone.scores[0], sizeof alone.scores[0]);
    }
    pt_task_free(task);
    pt_fold_set_free(&folds);
    pt_training_free(&training);
    for (int p = 0; p < POINTS; p++)
        pt_params_free(points[p]);
    pt_dataset_free(data);
    small_free(&cloud);
}

static void test_brute_force__fewer_rounds_need_no_training(void **state)
{
    (void)state;
    expect_stages("machine=code,code=ova,learner=adaboost,decode=exp", "rounds=9,min-leaf=3", 2);
    expect_stages("machine=code,code=ovo,learner=logitboost,decode=logistic", "rounds=3", 1);
    expect_stages("machine=code,code=ova,learner=brownboost,decode=hamming", "rounds=3", 1);
    expect_stages("machine=code,code=ova,learner=adaboost,depth=2,decode=exp", "rounds=12", 1);
    expect_stages("machine=adaboost-mo,code=ovo,decode=exp", "rounds=12", 1);
    expect_stages("machine=code,code=ova,learner=adaboost,decode=exp,stop-share=0.3", "rounds=3",
                  POINTS);
}

/* What cannot win is left, and the winner is the one that it would be without a race. */
static void test_brute_force__a_race_has_the_same_winner(void **state)
{
    (void)state;
    static taken all;
    static taken raced;
    static const double ridges[POINTS] = {1, 1e-6, 1e3, 0.1, 1e6};
    pt_error err = PT_ERROR_INIT;
    setting s = setting_new(ridges);
    const pt_labels *labels = s.training.problem.labels;
    for (int p = 0; p < POINTS; p++)
        small_must(pt_params_set(s.points[p], "kernel", "rbf", &err), &err, "kernel");
    const pt_partitions once = {1, s.folds.partitions.n_folds, s.folds.partitions.fold, false};
    pt_validation asked = {.ops = &pt_machine_onelsm,
                           .problem = &s.training.problem,
                           .points = (const pt_params *const *)s.points,
                           .n_points = POINTS,
                           .partitions = &once,
                           .take = take,
                           .context = &all};
    small_must(pt_validate_by_training(&asked, NULL, &err), &err, "all");
    double loss[POINTS] = {0};
    double least = INFINITY;
    for (int p = 0; p < POINTS; p++) {
        for (int64_t i = 0; i < labels->n; i++)
            loss[p] += pt_label_loss(labels, i, all.scores[p][0] + i * K);
        least = fmin(least, loss[p]);
    }
    asked.context = &raced;
    asked.race = true;
    asked.least = INFINITY;
    for (int threads = 1; threads <= 3; threads += 2) {
        pt_task *task = small_task(threads);
        memset(&raced, 0, sizeof raced);
        small_must(pt_validate_by_training(&asked, task, &err), &err, "a race");
        for (int p = 0; p < POINTS; p++)
            if (raced.calls[p][0] == 1)
                assert_memory_equal(raced.scores[p][0], all.scores[p][0], sizeof all.scores[p][0]);
            else
                assert_true(loss[p] > least);
        pt_task_free(task);
    }
    asked.least = -1; /* less than any point can have */
    memset(&raced, 0, sizeof raced);
    small_must(pt_validate_by_training(&asked, NULL, &err), &err, "lost");
    for (int p = 0; p < POINTS; p++)
        assert_int_equal(raced.calls[p][0], -1);
    setting_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force__threads_and_memory_do_not_matter),
        cmocka_unit_test(test_brute_force__error_is_that_of_the_lowest_point),
        cmocka_unit_test(test_brute_force__serves_points_without_a_closed_form),
        cmocka_unit_test(test_brute_force__stops_when_asked),
        cmocka_unit_test(test_brute_force__progress_counts_folds),
        cmocka_unit_test(test_brute_force__fewer_rounds_need_no_training),
        cmocka_unit_test(test_brute_force__a_race_has_the_same_winner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
