/* labels: heavy */
/* Whoever cancels from the progress callback does not wait: every machine, every learner and every
 * stage calls it at least ten times a second, and returns at once after it has asked to stop. Time
 * is the processor's time of this process, which a busy machine does not lengthen; problems grow
 * until they take long enough that a silent loop would show.
 *
 *     test_cancel            tall problems that take a seventh of a second, two threads
 *     test_cancel whole      of a second; wide ones, many classes, fixed parameters; and one thread
 *     test_cancel whole WORD only of what has the word in its name
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "learners/learner.h"
#include "machine/machine.h"
#include "polytomy/experimental.h"

/* Seconds of a thread that may pass in silence. A tenth is what is promised, and what one sees;
 * the rest is for builds and machines that are slower, and for memory that others use, too. */
static const double PROMISED = 0.1;
static const double ALLOWED = 0.3;
static bool whole;
static const char *only = "";
static double long_enough = 0.15; /* a problem */

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- what is watched ------------------------------------------------------------------------- */

typedef struct watch {
    pt_task *task;
    double begun;
    double last;      /* sign of life */
    double silence;   /* the longest */
    char stage[80];   /* that ended it */
    double cancel_at; /* so long after it began; 0: not at all */
    double cancelled; /* when */
} watch;

static void hear(watch *w, const char *stage)
{
    const double now = processor_seconds();
    if (now - w->last > w->silence) {
        w->silence = now - w->last;
        snprintf(w->stage, sizeof w->stage, "%s", stage);
    }
    w->last = now;
}

static void on_progress(const char *stage, double done, double total, void *user)
{
    watch *w = user;
    (void)done;
    (void)total;
    hear(w, stage);
    if (w->cancel_at > 0 && w->cancelled == 0 && w->last - w->begun >= w->cancel_at) {
        w->cancelled = w->last;
        pt_task_cancel(w->task);
    }
}

/* One call of the library; `context` is the job's own. */
typedef pt_status (*job_fn)(void *context, pt_task *task, pt_error *err);

static watch run(job_fn job, void *context, int threads, double cancel_at)
{
    watch w = {.task = small_task(threads), .cancel_at = cancel_at};
    pt_error err = PT_ERROR_INIT;
    pt_task_on_progress(w.task, on_progress, &w);
    w.begun = w.last = processor_seconds();
    const pt_status status = job(context, w.task, &err);
    if (w.cancelled == 0)
        small_must(status, &err, "job");
    else if (status != PT_OK) /* it may have been done all but done */
        assert_int_equal(status, PT_ECANCELLED);
    hear(&w, "(the end)");
    pt_task_free(w.task);
    return w;
}

static double worst_of_all; /* seconds of a thread */

static void expect_short(const watch *w, const char *name, const char *what, int threads)
{
    const double each = w->silence / threads;
    if (each > worst_of_all)
        worst_of_all = each;
    if (each > PROMISED / 2)
        print_message("%s, %s, threads %d: silent for %.3f s before '%s'\n", name, what, threads,
                      each, w->stage);
    if (each > ALLOWED)
        fail_msg("%s, %s, threads %d: silent for %.3f s before '%s'", name, what, threads, each,
                 w->stage);
}

static void expect_lively(const char *name, job_fn job, void *context)
{
    if (!strstr(name, only))
        return;
    for (int threads = whole ? 1 : 2; threads <= 2; threads++) {
        const watch alone = run(job, context, threads, 0);
        expect_short(&alone, name, "left alone", threads);
        const double all = alone.last - alone.begun;
        for (int part = whole ? 0 : 1; part < 2; part++) { /* golden section: any two moments */
            const watch w = run(job, context, threads, (part ? 0.618 : 0.236) * all);
            expect_short(&w, name, "cancelled", threads);
        }
        print_message("%-40s threads %d: %5.2f s, silent at most %.3f s\n", name, threads, all,
                      alone.silence / threads);
    }
}

/* ---- problems -------------------------------------------------------------------------------- */

/* The set {c, c + 1}; c before c + 1 before c + 2. */
static void put_items(pt_dataset *data, const small *s, pt_label_kind kind)
{
    enum { ROOM = 8 };
    pt_error err = PT_ERROR_INIT;
    const int64_t each = kind == PT_LABEL_SET ? 2 : 3;
    char *text = calloc((size_t)s->k, ROOM);
    const char **classes = calloc((size_t)s->k, sizeof *classes);
    int64_t *start = calloc((size_t)s->n + 1, sizeof *start);
    int64_t *items = calloc((size_t)(s->n * each), sizeof *items);
    int64_t *ranks = calloc((size_t)(s->n * each), sizeof *ranks);
    assert_true(text && classes && start && items && ranks);
    for (int64_t c = 0; c < s->k; c++) {
        snprintf(text + c * ROOM, ROOM, "c%04d", (int)c);
        classes[c] = text + c * ROOM;
    }
    for (int64_t i = 0; i < s->n; i++) {
        start[i + 1] = start[i] + each;
        for (int64_t j = 0; j < each; j++) {
            items[start[i] + j] = (s->y[i] + j) % s->k;
            ranks[start[i] + j] = j;
        }
    }
    small_must(pt_dataset_set_label_items(data, pt_label_kind_name(kind), classes, s->k, start,
                                          items, kind == PT_LABEL_SET ? NULL : ranks, &err),
               &err, "labels");
    free(text);
    free(classes);
    free(start);
    free(items);
    free(ranks);
}

/* Rows of 16 numbers in 12 classes; of 2000 numbers; in 150 classes. */
typedef struct shape {
    const char *name;
    int64_t n; /* to begin with */
    int64_t d;
    int64_t k;
} shape;
static const shape TALL = {"", 500, 16, 12};
static const shape WIDE = {" wide", 120, 2000, 12};
static const shape MANY = {" many", 600, 16, 150};

/* With labels of the first of the kinds. */
static pt_dataset *labelled_clouds(int64_t n, const shape *of, unsigned kinds)
{
    small s = small_clouds(n, of->d, of->k, 5);
    pt_dataset *data = small_dataset(&s);
    if (!(kinds & (1u << PT_LABEL_CLASS)))
        put_items(data, &s, kinds & (1u << PT_LABEL_SET) ? PT_LABEL_SET : PT_LABEL_RANKING);
    small_free(&s);
    return data;
}

typedef struct problem {
    pt_dataset *data;
    pt_params *params;
    pt_model *model;
} problem;

static pt_status train(void *context, pt_task *task, pt_error *err)
{
    problem *p = context;
    pt_model_free(p->model);
    p->model = NULL;
    return pt_model_train(&p->model, p->data, p->params, task, err);
}

static pt_status predict(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_prediction *prediction = NULL;
    const pt_status status = pt_model_predict(&prediction, p->model, p->data, -1, task, err);
    pt_prediction_free(prediction);
    return status;
}

static pt_status search(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_report *found = NULL;
    const pt_params *params = p->params;
    const pt_status status = pt_cross_validate(&found, NULL, p->data, &params, 1, task, err);
    pt_report_free(found);
    return status;
}

static pt_status judge(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_report *judgement = NULL;
    const pt_status status = pt_dataset_judge(&judgement, p->data, task, err);
    pt_report_free(judgement);
    return status;
}

static void problem_free(problem *p)
{
    pt_model_free(p->model);
    pt_params_free(p->params);
    pt_dataset_free(p->data);
}

static double seconds_of(job_fn job, problem *p, const char *what)
{
    pt_error err = PT_ERROR_INIT;
    pt_task *task = small_task(1);
    const double begun = processor_seconds();
    small_must(job(p, task, &err), &err, what);
    pt_task_free(task);
    return processor_seconds() - begun;
}

/* Doubles the rows until `job` takes long enough, or there are `most` of them. */
static problem grow(job_fn job, const char *options, const shape *of, unsigned kinds, int64_t most)
{
    for (int64_t n = of->n;; n *= 2) {
        problem p = {labelled_clouds(n, of, kinds), small_params(options), NULL};
        if (seconds_of(job, &p, options) >= long_enough || 2 * n > most)
            return p;
        problem_free(&p);
    }
}

/* The same for a model's predictions. */
static void grow_predictions(problem *p, const shape *of, unsigned kinds)
{
    for (int64_t n = 8 * of->n; seconds_of(predict, p, "predictions") < long_enough; n *= 4) {
        if (n * of->d > 20000000)
            return;
        pt_dataset_free(p->data);
        p->data = labelled_clouds(n, of, kinds);
    }
}

static void expect_training(const char *name, const char *options, const shape *of, unsigned kinds)
{
    if (!strstr(name, only))
        return;
    problem p = grow(train, options, of, kinds, 64000);
    char what[160];
    snprintf(what, sizeof what, "%s%s", name, of->name);
    expect_lively(what, train, &p);
    if (!p.model) /* the last one was cancelled */
        (void)seconds_of(train, &p, options);
    grow_predictions(&p, of, kinds);
    snprintf(what, sizeof what, "%s%s predicts", name, of->name);
    expect_lively(what, predict, &p);
    problem_free(&p);
}

/* Whether "a,b,c" has `name`. */
static bool listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* All shapes, and where parameters are chosen the work that nothing but the training is. */
static void expect_shapes(const char *name, const char *options, const char *parameters,
                          unsigned kinds)
{
    expect_training(name, options, &TALL, kinds);
    if (!whole)
        return;
    expect_training(name, options, &WIDE, kinds);
    expect_training(name, options, &MANY, kinds);
    char fixed[200];
    char title[200];
    snprintf(fixed, sizeof fixed, "%s,calibrate=no%s%s", options,
             listed(parameters, "ridge") ? ",ridge=1"
             : listed(parameters, "C")   ? ",C=1"
                                         : "",
             listed(parameters, "kernel") && !listed(parameters, "hidden") ? ",kernel=rbf,sigma=1"
                                                                           : "");
    snprintf(title, sizeof title, "%s fixed", name);
    expect_training(title, fixed, &TALL, kinds);
}

static void test_cancel__machines_are_never_silent(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        char options[80];
        snprintf(options, sizeof options, "machine=%s", (*ops)->name);
        expect_shapes((*ops)->name, options, (*ops)->parameters, (*ops)->label_kinds);
    }
}

static void test_cancel__learners_are_never_silent(void **state)
{
    (void)state;
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++) {
        char options[80];
        snprintf(options, sizeof options, "machine=code,code=ova,learner=%s", (*learner)->name);
        expect_shapes(options + 13, options, (*learner)->parameters, 1u << PT_LABEL_CLASS);
    }
}

static void test_cancel__searches_are_never_silent(void **state)
{
    (void)state;
    static const char *const SEARCHES[] = {
        "machine=onelsm,grid={sigma=0.5,1,2,ridge=0.1,1}",
        "machine=code,code=ovo,learner=svm,grid={C=1,10}",
        "machine=tree,grid={depth=2,4,8}",
        "machine=spoc,kernel=linear,grid={C=0.1,1}",
    };
    for (size_t i = 0; i < sizeof SEARCHES / sizeof *SEARCHES; i++) {
        if (!strstr(SEARCHES[i], only))
            continue;
        problem p = grow(search, SEARCHES[i], &TALL, 1u << PT_LABEL_CLASS, 16000);
        char name[120];
        snprintf(name, sizeof name, "cv %s", SEARCHES[i] + 8);
        expect_lively(name, search, &p);
        problem_free(&p);
    }
}

typedef struct text {
    char *bytes;
    size_t size;
    const char *name;
} text;

static pt_status read_text(void *context, pt_task *task, pt_error *err)
{
    const text *t = context;
    pt_dataset *data = NULL;
    const pt_status status =
        pt_dataset_read_memory(&data, t->bytes, t->size, t->name, NULL, task, err);
    pt_dataset_free(data);
    return status;
}

static void append(text *t, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(t->bytes + t->size, room - t->size, format, args);
    va_end(args);
    assert_true(length >= 0 && t->size + (size_t)length < room);
    t->size += (size_t)length;
}

/* A table of numbers and levels, in the words of a format. */
static text make_text(const char *name, int64_t n)
{
    const size_t room = (size_t)(n + 20) * 100;
    const bool svm = strstr(name, ".svm") != NULL;
    text t = {malloc(room), 0, name};
    assert_non_null(t.bytes);
    if (strstr(name, ".csv"))
        append(&t, room, "a,b,c,d,level,class\n");
    if (strstr(name, ".arff"))
        append(&t, room,
               "@relation r\n@attribute a numeric\n@attribute b numeric\n"
               "@attribute c numeric\n@attribute d numeric\n"
               "@attribute level {l0,l1,l2,l3,l4,l5,l6}\n@attribute class {u,v,w}\n@data\n");
    for (int64_t i = 0; i < n; i++) {
        const long long v = (long long)(i * 7919 % 1000003);
        if (svm)
            append(&t, room, "%d 1:%lld 3:0.%lld 17:%lld\n", (int)(v % 3), v, v, v % 1009);
        else
            append(&t, room, "%lld.%lld,%lld,0.%lld,-%lld,l%d,%c\n", v, v % 97, v * 31 % 1009, v,
                   v % 100, (int)(v % 7), "uvw"[v % 3]);
    }
    return t;
}

static void test_cancel__reading_is_never_silent(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"rows.csv", "rows.arff", "rows.svm"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (!strstr(NAMES[i], only))
            continue;
        text t = make_text(NAMES[i], whole ? 4000000 : 400000);
        expect_lively(NAMES[i], read_text, &t);
        free(t.bytes);
    }
}

static void test_cancel__judging_is_never_silent(void **state)
{
    (void)state;
    if (!strstr("judgement", only))
        return;
    problem p = {labelled_clouds(whole ? 500000 : 100000, &TALL, 1u << PT_LABEL_CLASS), NULL, NULL};
    expect_lively("judgement", judge, &p);
    problem_free(&p);
}

/* ---- figures --------------------------------------------------------------------------------- */

static pt_status evaluate(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    pt_status status = pt_model_predict(&prediction, p->model, p->data, -1, task, err);
    if (status == PT_OK)
        status = pt_model_evaluate(&evaluation, p->model, p->data, prediction, task, err);
    if (status == PT_OK)
        status = pt_evaluate_columns(evaluation, p->model, p->data, task, err);
    pt_report_free(evaluation);
    pt_prediction_free(prediction);
    return status;
}

static void test_cancel__evaluations_are_never_silent(void **state)
{
    (void)state;
    if (!strstr("evaluation", only))
        return;
    problem p = {labelled_clouds(whole ? 200000 : 50000, &TALL, 1u << PT_LABEL_CLASS),
                 small_params("machine=code,code=ovo,learner=tree,calibrate=no"), NULL};
    pt_error err = PT_ERROR_INIT;
    small_must(train(&p, NULL, &err), &err, "training");
    expect_lively("evaluation", evaluate, &p);
    problem_free(&p);
}

/* ---- stages, and rows that are learned online ------------------------------------------------ */

static pt_status look_at_stages(void *context, pt_task *task, pt_error *err)
{
    enum { STAGES = 30 };
    const problem *p = context;
    int64_t rounds[STAGES];
    pt_report *report = NULL;
    for (int64_t t = 0; t < STAGES; t++)
        rounds[t] = t;
    const pt_status status =
        pt_model_outputs(&report, p->model, p->data, rounds, STAGES, task, err);
    pt_report_free(report);
    return status;
}

static void test_cancel__stages_are_never_silent(void **state)
{
    (void)state;
    if (!strstr("stages", only))
        return;
    problem p = {labelled_clouds(1000, &TALL, 1u << PT_LABEL_CLASS),
                 small_params("code=dense,learner=adaboost,rounds=30,calibrate=no"), NULL};
    pt_error err = PT_ERROR_INIT;
    small_must(train(&p, NULL, &err), &err, "training");
    pt_dataset_free(p.data);
    p.data = labelled_clouds(whole ? 200000 : 40000, &TALL, 1u << PT_LABEL_CLASS);
    expect_lively("stages", look_at_stages, &p);
    problem_free(&p);
}

static pt_status learn_online(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_online *online = NULL;
    pt_status status = pt_online_new(&online, p->params, err);
    if (status == PT_OK)
        status = pt_online_learn(online, p->data, task, err);
    pt_online_free(online);
    return status;
}

static void test_cancel__online_learning_is_never_silent(void **state)
{
    (void)state;
    if (!strstr("online", only))
        return;
    problem p = {labelled_clouds(whole ? 1000000 : 200000, &TALL, 1u << PT_LABEL_CLASS), NULL,
                 NULL};
    expect_lively("online", learn_online, &p);
    problem_free(&p);
}

static void test_cancel__the_worst_is_as_promised(void **state)
{
    (void)state;
    print_message("the longest silence: %.3f s\n", worst_of_all);
    assert_true(worst_of_all < ALLOWED);
}

int main(int argc, char **argv)
{
    whole = argc > 1 && strcmp(argv[1], "whole") == 0;
    only = argc > 2 ? argv[2] : only;
    long_enough = whole ? 1 : long_enough;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 77; /* their time is not ours */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return 77;
#endif
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel__machines_are_never_silent),
        cmocka_unit_test(test_cancel__learners_are_never_silent),
        cmocka_unit_test(test_cancel__searches_are_never_silent),
        cmocka_unit_test(test_cancel__reading_is_never_silent),
        cmocka_unit_test(test_cancel__judging_is_never_silent),
        cmocka_unit_test(test_cancel__evaluations_are_never_silent),
        cmocka_unit_test(test_cancel__stages_are_never_silent),
        cmocka_unit_test(test_cancel__online_learning_is_never_silent),
        cmocka_unit_test(test_cancel__the_worst_is_as_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
