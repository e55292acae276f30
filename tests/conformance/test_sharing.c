/* labels: threads */
/* One model and one data set in the hands of many threads: some predict, evaluate, read figures,
 * save and load, others train on the same data at the same time. Nobody locks anything; everybody
 * gets what a program with one thread gets. TSan looks on. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "model/model.h"
#include "polytomy/experimental.h"

static const char *const MACHINES[] = {
    "machine=onelsm,sigma=1,ridge=0.1",
    "machine=softmax",
    "machine=tree",
    "machine=code,code=ovo,learner=svm,sigma=1",
    "machine=adaboost-mo,code=ova,rounds=10",
    "machine=spoc,kernel=rbf,sigma=1",
};
enum { N_MACHINES = sizeof MACHINES / sizeof *MACHINES, READERS = 3, TRAINERS = 2, ROUNDS = 3 };

typedef struct shared {
    const char *options;
    const pt_dataset *data;
    const pt_model *model;
    pt_task *task; /* of the readers: one for all of them */
    size_t bytes;
    const double *scores;
    double error;
    double training_error;
} shared;

/* What a thread found wrong; NULL: nothing. cmocka belongs to the main thread. */
static const char *look_at(const pt_model *model, const shared *s)
{
    const char *name = pt_model_class_name(model, pt_model_n_classes(model) - 1);
    if (!name || strcmp(name, pt_dataset_class_name(s->data, pt_dataset_n_classes(s->data) - 1)))
        return "another class";
    if (!pt_model_metadata(model) || !pt_model_param(model, "machine") ||
        strcmp(pt_model_label_kind(model), "class") != 0)
        return "no figures";
    pt_report *report = NULL;
    if (pt_model_report(&report, model, NULL) != PT_OK)
        return "no report";
    const bool same = pt_report_number(report, "training_error") == s->training_error &&
                      pt_model_rounds(model) == pt_model_rounds(s->model);
    pt_report_free(report);
    if (!same)
        return "another figure";
    return NULL;
}

static const char *predict_and_evaluate(const pt_model *model, const shared *s)
{
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    const char *wrong = NULL;
    if (pt_model_predict(&prediction, model, s->data, -1, s->task, NULL) != PT_OK)
        return "no prediction";
    if (memcmp(pt_prediction_scores(prediction), s->scores, s->bytes) != 0)
        wrong = "other scores";
    else if (pt_model_evaluate(&evaluation, model, s->data, prediction, NULL, s->task, NULL) !=
                 PT_OK ||
             pt_evaluate_columns(evaluation, model, s->data, s->task, NULL) != PT_OK)
        wrong = "no evaluation";
    else if (pt_report_number(evaluation, "error") != s->error)
        wrong = "another error";
    pt_report_free(evaluation);
    pt_prediction_free(prediction);
    return wrong;
}

/* The last stage of a pass over the rounds is the whole. */
static const char *look_at_stages(const shared *s)
{
    const int64_t all = pt_model_rounds(s->model);
    const int64_t rounds[2] = {0, all};
    pt_report *report = NULL;
    if (all == 0)
        return NULL;
    if (pt_model_outputs(&report, s->model, s->data, rounds, 2, s->task, NULL) != PT_OK)
        return "no stages";
    const char *scores = pt_report_find(report, "stage_scores")->values;
    const char *wrong = memcmp(scores + s->bytes, s->scores, s->bytes) ? "other stages" : NULL;
    pt_report_free(report);
    return wrong;
}

static const char *save_and_load(const shared *s)
{
    char path[] = "/tmp/polytomy_sharing_XXXXXX";
    const int file = mkstemp(path);
    if (file < 0)
        return "no file";
    close(file);
    pt_model *model = NULL;
    const char *wrong = NULL;
    if (pt_model_save(s->model, path, NULL) != PT_OK ||
        pt_model_load(&model, path, NULL, NULL) != PT_OK)
        wrong = "not saved";
    else
        wrong = predict_and_evaluate(model, s);
    pt_model_free(model);
    unlink(path);
    return wrong;
}

static void *read_model(void *context)
{
    const shared *s = context;
    const char *wrong = NULL;
    for (int round = 0; round < ROUNDS && !wrong; round++) {
        wrong = look_at(s->model, s);
        if (!wrong)
            wrong = predict_and_evaluate(s->model, s);
        if (!wrong)
            wrong = look_at_stages(s);
        if (!wrong)
            wrong = save_and_load(s);
    }
    return (void *)wrong;
}

static void *train_another(void *context)
{
    const shared *s = context;
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    if (small_try_train(&model, s->data, s->options, 2, &err) != PT_OK)
        return "no training";
    const char *wrong = look_at(model, s);
    if (!wrong)
        wrong = predict_and_evaluate(model, s);
    pt_model_free(model);
    return (void *)wrong;
}

static void expect_sharing(const char *options)
{
    small from = small_clouds(200, 5, 4, 21);
    pt_dataset *data = small_dataset(&from);
    pt_model *model = small_train(data, options, 1);
    pt_prediction *prediction = small_predict(model, data, 1);
    pt_report *evaluation = NULL;
    pt_error err = PT_ERROR_INIT;
    small_must(pt_model_evaluate(&evaluation, model, data, prediction, NULL, NULL, &err), &err,
               options);
    pt_report *figures = NULL;
    small_must(pt_model_report(&figures, model, &err), &err, options);
    shared s = {.options = options,
                .data = data,
                .model = model,
                .task = small_task(2),
                .bytes = (size_t)(from.n * from.k) * sizeof(double),
                .scores = pt_prediction_scores(prediction),
                .error = pt_report_number(evaluation, "error"),
                .training_error = pt_report_number(figures, "training_error")};

    pthread_t thread[READERS + TRAINERS];
    for (int t = 0; t < READERS + TRAINERS; t++)
        assert_int_equal(
            pthread_create(&thread[t], NULL, t < READERS ? read_model : train_another, &s), 0);
    for (int t = 0; t < READERS + TRAINERS; t++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(thread[t], &wrong), 0);
        if (wrong)
            fail_msg("%s: %s", options, (const char *)wrong);
    }
    pt_task_free(s.task);
    pt_report_free(figures);
    pt_report_free(evaluation);
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&from);
}

static void test_sharing__one_model_many_threads(void **state)
{
    (void)state;
    for (int m = 0; m < N_MACHINES; m++)
        expect_sharing(MACHINES[m]);
}

/* Parameters with an array, which all copies hold. */
typedef struct costly {
    const pt_dataset *data;
    const pt_params *params;
    double error;
} costly;

static void *train_with_costs(void *context)
{
    const costly *c = context;
    const char *wrong = NULL;
    for (int round = 0; round < ROUNDS && !wrong; round++) {
        pt_params *copy = NULL;
        pt_model *model = NULL;
        pt_report *report = NULL;
        if (pt_params_copy(&copy, c->params, NULL) != PT_OK ||
            pt_model_train(&model, c->data, round % 2 ? copy : c->params, NULL, NULL) != PT_OK ||
            pt_model_report(&report, model, NULL) != PT_OK)
            wrong = "no model";
        else if (pt_report_number(report, "training_error") != c->error)
            wrong = "another model";
        pt_report_free(report);
        pt_model_free(model);
        pt_params_free(copy);
    }
    return (void *)wrong;
}

static void test_sharing__parameters_with_an_array(void **state)
{
    (void)state;
    static const double COSTS[] = {0, 5, 1, 1, 0, 1, 1, 2, 0};
    const pt_dense array = {PT_F64, COSTS, 3, 3, 0, 0};
    pt_error err = PT_ERROR_INIT;
    small from = small_clouds(60, 3, 3, 22);
    pt_dataset *data = small_dataset(&from);
    pt_params *params = small_params("machine=spoc,sigma=1,threads=1");
    small_must(pt_params_set_array(params, "costs", &array, &err), &err, "costs");
    pt_model *model = NULL;
    pt_report *report = NULL;
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, "train");
    small_must(pt_model_report(&report, model, &err), &err, "report");
    costly c = {data, params, pt_report_number(report, "training_error")};
    pthread_t thread[READERS];
    for (int t = 0; t < READERS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, train_with_costs, &c), 0);
    for (int t = 0; t < READERS; t++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(thread[t], &wrong), 0);
        if (wrong)
            fail_msg("%s", (const char *)wrong);
    }
    pt_report_free(report);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(data);
    small_free(&from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sharing__one_model_many_threads),
        cmocka_unit_test(test_sharing__parameters_with_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
