/* labels: heavy */
/* Whoever cancels from the progress callback does not wait: every machine and every learner calls
 * it at least ten times a second, while it is trained and while it predicts, and returns at once
 * after it was asked to stop. Problems grow until they take long enough that a silent loop would
 * show. test_cancel_stages.c is about everything else.
 *
 *     test_cancel            tall problems that take a seventh of a second, two threads
 *     test_cancel whole      of a second; wide, sparse, with many classes, all kinds of labels,
 *                            fixed parameters; and one thread
 *     test_cancel whole WORD only of what has the word in its name
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/clouds.h"
#include "../support/share.h"
#include "../support/silence.h"
#include "learners/learner.h"
#include "machine/machine.h"

static double long_enough = 0.15; /* a problem */

static const shape TALL = {"", 500, 16, 12, 0};
static const shape WIDE = {" wide", 120, 2000, 12, 0};
static const shape MANY = {" many", 600, 16, 150, 0};
static const shape SPARSE = {" sparse", 500, 5000, 12, 25};

typedef struct problem {
    pt_dataset *data;
    pt_params *params;
    pt_model *model;
} problem;

/* The model stays as it was where there is no other. */
static pt_status train(void *context, pt_task *task, pt_error *err)
{
    problem *p = context;
    pt_model *model = NULL;
    const pt_status status = pt_model_train(&model, p->data, p->params, task, err);
    if (status == PT_OK) {
        pt_model_free(p->model);
        p->model = model;
    }
    return status;
}

static pt_status predict(void *context, pt_task *task, pt_error *err)
{
    const problem *p = context;
    pt_prediction *prediction = NULL;
    const pt_status status = pt_model_predict(&prediction, p->model, p->data, -1, task, err);
    pt_prediction_free(prediction);
    return status;
}

static void problem_free(problem *p)
{
    pt_model_free(p->model);
    pt_params_free(p->params);
    pt_dataset_free(p->data);
}

/* More rows until training takes long enough; so few that it ends. */
static problem grow(const char *options, const shape *of, pt_label_kind kind)
{
    const int64_t most_cells = silence.whole ? 20000000 : 5000000;
    const int64_t width = of->k + (of->stored ? of->stored : of->d);
    for (int64_t n = of->n;;) {
        problem p = {clouds(n, of, kind), small_params(options), NULL};
        bool ended = false;
        const double seconds = seconds_of(train, &p, options, &ended);
        const int64_t times = seconds < long_enough / 16 ? 4 : 2;
        if (!ended || seconds >= long_enough || times * n * width > most_cells)
            return p;
        problem_free(&p);
        n *= times;
    }
}

/* The same for a model's predictions. */
static void grow_predictions(problem *p, const shape *of, pt_label_kind kind)
{
    const int64_t most_cells = silence.whole ? 50000000 : 8000000;
    const int64_t width = of->k + (of->stored ? of->stored : of->d);
    bool ended = true;
    for (int64_t n = 4 * of->n; seconds_of(predict, p, "predictions", &ended) < long_enough;
         n *= 4) {
        if (n * width > most_cells)
            return;
        pt_dataset_free(p->data);
        p->data = clouds(n, of, kind);
    }
}

static void expect_training(const char *name, const char *options, const shape *of,
                            pt_label_kind kind)
{
    char what[160];
    snprintf(what, sizeof what, "%s%s%s%s", name, of->name, kind == PT_LABEL_CLASS ? "" : " ",
             kind == PT_LABEL_CLASS ? "" : pt_label_kind_name(kind));
    if (!strstr(what, silence.only))
        return;
    problem p = grow(options, of, kind);
    expect_lively(what, train, &p);
    strncat(what, " predicts", sizeof what - strlen(what) - 1);
    if (p.model && test_in_share()) {
        grow_predictions(&p, of, kind);
        expect_lively(what, predict, &p);
    }
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

/* With nothing to choose: training is all there is. */
static void expect_fixed(const char *name, const char *options, const char *parameters,
                         const char *kernel, pt_label_kind kind)
{
    char fixed[200];
    char title[200];
    snprintf(fixed, sizeof fixed, "%s,calibrate=no%s%s", options,
             listed(parameters, "ridge") ? ",ridge=1"
             : listed(parameters, "C")   ? ",C=1"
                                         : "",
             kernel);
    snprintf(title, sizeof title, "%s fixed%s", name, kernel);
    expect_training(title, fixed, &TALL, kind);
}

static void expect_shapes(const char *name, const char *options, const char *parameters,
                          unsigned kinds)
{
    const bool classes = kinds & 1u << PT_LABEL_CLASS;
    pt_label_kind first = classes ? PT_LABEL_CLASS : PT_LABEL_SET;
    expect_training(name, options, &TALL, first);
    if (!silence.whole)
        return;
    for (pt_label_kind kind = PT_LABEL_SET; kind <= PT_LABEL_PAIRS; kind++)
        if (kinds & 1u << kind)
            expect_training(name, options, &TALL, kind);
    expect_training(name, options, &WIDE, first);
    expect_training(name, options, &MANY, first);
    expect_training(name, options, &SPARSE, first);
    if (listed(parameters, "kernel")) {
        expect_fixed(name, options, parameters, ",kernel=rbf,sigma=1", first);
        expect_fixed(name, options, parameters, ",kernel=linear", first);
    } else {
        expect_fixed(name, options, parameters, "", first);
    }
}

static void test_cancel__machines_are_never_silent(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        char options[80];
        if (!test_in_share_of(2))
            continue;
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

int main(int argc, char **argv)
{
    silence_begin(argc, argv);
    long_enough = silence.whole ? 1 : long_enough;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel__machines_are_never_silent),
        cmocka_unit_test(test_cancel__learners_are_never_silent),
        cmocka_unit_test(test_silence__is_as_short_as_promised),
    };
    return silence_measured() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
