/* labels: threads heavy */
/* Training that begins with a model. Boosting goes on to the very bytes that it would have come to;
 * what minimises or maximises comes to the same end, by the same measure, in fewer steps; online
 * learners make the epochs that were left. What does not fit is refused, and nothing that holds
 * rows out begins with a model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>

#include "../support/mend.h"
#include "../support/predictions.h"
#include "../support/share.h"
#include "../support/small_problem.h"
#include "base/random.h"
#include "learners/learner.h"
#include "params/params_table.h"
#include "polytomy/experimental.h"

typedef struct options {
    char text[400];
} options;

/* ---- training -------------------------------------------------------------------------------- */

static pt_status try_start(pt_model **out, const pt_dataset *data, const pt_model *start,
                           const char *text, int threads, pt_error *err)
{
    pt_params *params = small_params(text);
    pt_task *task = small_task(threads);
    small_must(pt_params_set_start(params, start, err), err, "a start");
    const pt_status status = pt_model_train(out, data, params, task, err);
    pt_task_free(task);
    pt_params_free(params);
    return status;
}

static pt_model *train_from(const pt_dataset *data, const pt_model *start, const char *text,
                            int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    small_must(try_start(&model, data, start, text, threads, &err), &err, text);
    return model;
}

/* The model as its file has it. */
static pt_model *reload(const pt_model *model)
{
    pt_error err = PT_ERROR_INIT;
    void *bytes = NULL;
    size_t size = 0;
    pt_model *again = NULL;
    small_must(pt_model_save_memory(&bytes, &size, model, &err), &err, "save");
    small_must(pt_model_load_memory(&again, bytes, size, NULL, &err), &err, "load");
    pt_bytes_free(bytes);
    return again;
}

/* Every array of the machine, to the bit. */
static void expect_same_machine(const pt_model *a, const pt_model *b, const char *what)
{
    pt_error err = PT_ERROR_INIT;
    pt_model_parts of_a = {0};
    pt_model_parts of_b = {0};
    small_must(pt_model_parts_make(&of_a, a, &err), &err, what);
    small_must(pt_model_parts_make(&of_b, b, &err), &err, what);
    assert_int_equal(of_a.machine.count, of_b.machine.count);
    for (int64_t i = 0; i < of_a.machine.count; i++) {
        const pt_array *x = &of_a.machine.arrays[i];
        const pt_array *y = &of_b.machine.arrays[i];
        assert_string_equal(x->name, y->name);
        if (x->rows != y->rows || x->columns != y->columns)
            fail_msg("%s: %s is %lld x %lld and %lld x %lld", what, x->name, (long long)x->rows,
                     (long long)x->columns, (long long)y->rows, (long long)y->columns);
        const size_t size = x->integer ? sizeof(int64_t) : x->bytes ? 1 : pt_type_size(x->type);
        if (memcmp(x->value, y->value, (size_t)(x->rows * x->columns) * size) != 0)
            fail_msg("%s: %s differs", what, x->name);
    }
    pt_model_parts_free(&of_a);
    pt_model_parts_free(&of_b);
}

/* A number of the model's metadata; NaN: there is none. */
static double said(const pt_model *model, const char *name)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    small_must(pt_model_report(&report, model, &err), &err, "report");
    json_t *root = json_loads(pt_report_text(report, "metadata"), 0, NULL);
    assert_non_null(root);
    const json_t *value = json_object_get(root, name);
    const double number = json_is_number(value) ? json_number_value(value) : NAN;
    json_decref(root);
    pt_report_free(report);
    return number;
}

static bool says_start(const pt_model *model, const char *name)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    small_must(pt_model_report(&report, model, &err), &err, "report");
    json_t *root = json_loads(pt_report_text(report, "metadata"), 0, NULL);
    const char *text = json_string_value(json_object_get(root, "start"));
    const bool same = name ? text && strcmp(text, name) == 0 : !text;
    json_decref(root);
    pt_report_free(report);
    return same;
}

/* ---- data ------------------------------------------------------------------------------------ */

static pt_dataset *clouds(int64_t n, int64_t d, int64_t k, uint64_t seed, bool sparse)
{
    small s = small_clouds(n, d, k, seed);
    for (int64_t at = 0; at < n * d; at++) { /* ties, and zeros: features that few rows have */
        s.x[at] = rint(4 * s.x[at]) / 4;
        if (sparse && (at * 7 + at / d) % 5 != 0 && at % d != 0)
            s.x[at] = 0;
    }
    pt_dataset *data = sparse ? small_sparse_dataset(&s) : small_dataset(&s);
    small_free(&s);
    return data;
}

/* Numbers, names and missing cells, with weights. */
static pt_dataset *table(int64_t n, uint64_t seed)
{
    static const char *const COLOURS[] = {"red", "green", "blue", "", "black"};
    static char text[40000];
    pt_random random;
    pt_random_init(&random, seed, 1, 0);
    size_t used = (size_t)snprintf(text, sizeof text, "x,colour,y,weight,class\n");
    for (int64_t i = 0; i < n; i++) {
        const int64_t r = i % 3;
        const int c = (int)((r + (int64_t)pt_random_below(&random, 3)) % 5);
        char y[32] = "";
        if (pt_random_below(&random, 6) > 0)
            snprintf(y, sizeof y, "%g", (double)r + 0.5 * (double)pt_random_below(&random, 7));
        used += (size_t)snprintf(text + used, sizeof text - used, "%g,%s,%s,%g,%c\n",
                                 (double)(r * r) + 0.25 * (double)pt_random_below(&random, 20),
                                 COLOURS[c], y, 0.5 + 0.5 * (double)pt_random_below(&random, 4),
                                 (char)('a' + r));
    }
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_params *params = small_params("weight=weight");
    small_must(pt_dataset_read_memory(&data, text, used, "table.csv", params, NULL, &err), &err,
               "a table");
    pt_params_free(params);
    return data;
}

/* ---- boosting -------------------------------------------------------------------------------- */

enum { ROUNDS = 14 };

static const char *const WAYS[] = {
    "",
    "bins=0",
    "boost=discrete",
    "boost=discrete,bins=0,min-leaf=3",
    "depth=2",
    "depth=3,bins=8",
    "depth=2,boost=discrete",
    "stop-share=0.3,patience=3",
    "min-leaf-weight=4",
    "boost=discrete,polarity=below",
    "depth=2,stop-share=0.25",
};
enum { N_WAYS = sizeof WAYS / sizeof *WAYS };

/* Whether the learner, or the machine, uses all that a way sets. */
static bool uses_all(const char *parameters, const char *way)
{
    while (*way) {
        if (!pt_word_listed(parameters, ',', way, strcspn(way, "=")))
            return false;
        way += strcspn(way, ",");
        way += *way == ',';
    }
    return true;
}

/* From a third of the rounds, by memory and by file, on other numbers of threads. */
static void expect_goes_on(const pt_dataset *data, const char *text)
{
    options all;
    options some;
    snprintf(all.text, sizeof all.text, "%s,rounds=%d", text, ROUNDS);
    snprintf(some.text, sizeof some.text, "%s,rounds=%d", text, ROUNDS / 3);
    pt_model *whole = small_train(data, all.text, 1);
    pt_model *part = small_train(data, some.text, 2);
    pt_model *loaded = reload(part);
    pt_model *from_part = train_from(data, part, all.text, 2);
    pt_model *from_file = train_from(data, loaded, "rounds=14", 1); /* the rest is inherited */
    expect_same_machine(whole, from_part, text);
    expect_same_machine(whole, from_file, text);
    assert_true(says_start(from_part, "model") && says_start(whole, NULL));
    pt_model *same = train_from(data, whole, all.text, 1); /* nothing is left to be added */
    expect_same_machine(whole, same, text);
    pt_model_free(same);
    pt_model_free(from_file);
    pt_model_free(from_part);
    pt_model_free(loaded);
    pt_model_free(part);
    pt_model_free(whole);
}

static void expect_all_go_on(const pt_dataset *data, bool sparse)
{
    static const char *const CODES[] = {"ova", "ovo", "sparse,draws=20"};
    options o;
    for (int way = 0; way < N_WAYS; way++) {
        for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
            for (int q = 0; q < 6 && (*learner)->rounds; q++) {
                if (!uses_all((*learner)->parameters, WAYS[way]) || !test_in_share())
                    continue;
                snprintf(o.text, sizeof o.text,
                         "calibrate=no,code=%s,learner=%s,single-call=%s%s%s", CODES[q / 2],
                         (*learner)->name, q % 2 ? "yes" : "no", *WAYS[way] ? "," : "", WAYS[way]);
                expect_goes_on(data, o.text);
            }
        for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
            const bool by_learner = pt_word_listed((*ops)->parameters, ',', "learner", 7);
            if (!(*ops)->warm || by_learner || !uses_all((*ops)->parameters, "rounds") ||
                !uses_all((*ops)->parameters, WAYS[way]) || !test_in_share())
                continue;
            snprintf(o.text, sizeof o.text, "calibrate=no,machine=%s%s%s", (*ops)->name,
                     *WAYS[way] ? "," : "", WAYS[way]);
            expect_goes_on(data, o.text);
        }
    }
    (void)sparse;
}

static void test_start__boosting_goes_on_to_the_same_bytes(void **state)
{
    (void)state;
    pt_dataset *dense = clouds(90, 4, 4, 1, false);
    pt_dataset *sparse = clouds(120, 12, 3, 2, true);
    pt_dataset *mixed = table(110, 3);
    expect_all_go_on(dense, false);
    expect_all_go_on(sparse, true);
    expect_all_go_on(mixed, false);
    pt_dataset_free(mixed);
    pt_dataset_free(sparse);
    pt_dataset_free(dense);
}

/* Trees whose nodes are searched by several threads, and subtrees that are put aside. */
static void test_start__large_trees_go_on_to_the_same_bytes(void **state)
{
    (void)state;
    pt_dataset *data = clouds(3000, 100, 3, 5, false);
    expect_goes_on(data, "calibrate=no,code=ova,learner=adaboost,depth=6");
    pt_dataset_free(data);
}

/* Rounds count those of the start; other rows are not gone on with, nor other weights. */
static void test_start__boosting_refuses_other_rows(void **state)
{
    (void)state;
    static const char *const OPTIONS[] = {
        "code=ova,learner=adaboost,rounds=6", "code=ova,learner=logitboost,depth=2,rounds=6",
        "code=ovo,learner=brownboost,rounds=6", "machine=adaboost-mh,rounds=6"};
    pt_error err = PT_ERROR_INIT;
    pt_model *none = NULL;
    pt_dataset *data = clouds(90, 4, 4, 1, false);
    pt_dataset *other = clouds(90, 4, 4, 7, false);
    for (size_t q = 0; q < sizeof OPTIONS / sizeof *OPTIONS; q++) {
        pt_model *start = small_train(data, OPTIONS[q], 1);
        assert_int_equal(try_start(&none, other, start, "rounds=9", 1, &err), PT_EINVAL);
        assert_string_equal(err.param, "start");
        assert_int_equal(try_start(&none, data, start, "rounds=5", 1, &err), PT_EINVAL);
        assert_string_equal(err.param, "rounds");
        assert_int_equal(try_start(&none, data, start, "rounds=9,class-weight=balanced", 1, &err),
                         PT_EINVAL);
        assert_string_equal(err.param, "class-weight");
        pt_model_free(start);
    }
    pt_dataset_free(other);
    pt_dataset_free(data);
}

/* ---- logistic regression --------------------------------------------------------------------- */

/* From the solution for one C to that for another: the same, by the same measure, in fewer steps;
 * from a solution to itself in `at_once`. */
static void expect_same_optimum(const pt_dataset *data, const char *machine, double from, double to,
                                double at_once)
{
    options first;
    options second;
    snprintf(first.text, sizeof first.text, "%s,C=%g,eps=1e-9,precision=double,calibrate=no",
             machine, from);
    snprintf(second.text, sizeof second.text, "%s,C=%g,eps=1e-9,precision=double,calibrate=no",
             machine, to);
    pt_model *start = small_train(data, first.text, 1);
    pt_model *cold = small_train(data, second.text, 1);
    pt_model *warm = train_from(data, start, second.text, 1);
    pt_model *again = train_from(data, start, second.text, 2);
    pt_model *still = train_from(data, cold, second.text, 1);
    expect_same_machine(warm, again, second.text);
    pt_prediction *a = small_predict(cold, data, 1);
    pt_prediction *b = small_predict(warm, data, 1);
    const int64_t cells = pt_prediction_n_examples(a) * pt_model_n_classes(cold);
    const double distance = small_distance(pt_prediction_scores(a), pt_prediction_scores(b), cells);
    if (!(distance < 1e-5 * (1 + to)))
        fail_msg("%s: scores differ by %g", second.text, distance);
    if (!(said(warm, "steps") < said(cold, "steps")))
        fail_msg("%s: %g steps from nothing, %g from a start", second.text, said(cold, "steps"),
                 said(warm, "steps"));
    if (!(said(still, "steps") <= at_once))
        fail_msg("%s: %g steps from the solution", second.text, said(still, "steps"));
    pt_prediction_free(b);
    pt_prediction_free(a);
    pt_model_free(still);
    pt_model_free(again);
    pt_model_free(warm);
    pt_model_free(cold);
    pt_model_free(start);
}

static void test_start__logistic_regression_comes_to_the_same_end(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"machine=softmax", "machine=softmax,bias=no",
                                           "code=ova,learner=logistic", "code=ovo,learner=logistic",
                                           "code=ova,learner=logistic,single-call=yes"};
    for (int sparse = 0; sparse < 2; sparse++) {
        pt_dataset *data = clouds(150, 6, 4, 11, sparse);
        for (size_t q = 0; q < sizeof MACHINES / sizeof *MACHINES; q++) {
            expect_same_optimum(data, MACHINES[q], 1, 2, 0);
            expect_same_optimum(data, MACHINES[q], 3, 0.7, 0);
        }
        pt_dataset_free(data);
    }
}

/* With absolute weights, too; the classes of softmax have their measure from a first round. Of
 * three classes the solution is one: of four what all have in common may lie between two. */
static void test_start__absolute_weights_come_to_the_same_end(void **state)
{
    (void)state;
    enum { CLASSES = 3 };
    static const struct {
        const char *machine;
        double at_once;
    } CASES[] = {{"machine=softmax,penalty=l1", 2 * CLASSES},
                 {"machine=softmax,penalty=l1,bias=no", 2 * CLASSES},
                 {"code=ova,learner=logistic,penalty=l1", 0},
                 {"code=ovo,learner=logistic,penalty=l1", 0},
                 {"code=sparse,draws=20,learner=logistic,penalty=l1,bias=no", 0}};
    for (int sparse = 0; sparse < 2; sparse++) {
        pt_dataset *data = clouds(150, 6, CLASSES, 11, sparse);
        for (size_t q = 0; q < sizeof CASES / sizeof *CASES; q++) {
            expect_same_optimum(data, CASES[q].machine, 1, 1.2, CASES[q].at_once);
            expect_same_optimum(data, CASES[q].machine, 3, 2.5, CASES[q].at_once);
        }
        pt_dataset_free(data);
    }
}

/* A start that is of no use, being worse than nothing, does not spoil the end. */
static void test_start__a_bad_start_does_no_harm(void **state)
{
    (void)state;
    small s = small_clouds(150, 5, 3, 21);
    pt_dataset *data = small_dataset(&s);
    for (int64_t i = 0; i < s.n; i++)
        s.y[i] = (s.y[i] + 1) % 3; /* the same classes, on other rows */
    pt_dataset *turned = small_dataset(&s);
    static const char *const MACHINES[] = {"machine=softmax,eps=1e-8,C=100",
                                           "code=ova,learner=logistic,eps=1e-8,C=100",
                                           "machine=softmax,penalty=l1,eps=1e-8,C=100",
                                           "code=ova,learner=logistic,penalty=l1,eps=1e-8,C=100",
                                           "machine=spoc,sigma=2,gap=1e-6",
                                           "machine=vo-svm,sigma=2,gap=1e-6"};
    for (size_t q = 0; q < sizeof MACHINES / sizeof *MACHINES; q++) {
        pt_model *start = small_train(turned, MACHINES[q], 1);
        pt_model *cold = small_train(data, MACHINES[q], 1);
        pt_model *warm = train_from(data, start, MACHINES[q], 1);
        pt_prediction *a = small_predict(cold, data, 1);
        pt_prediction *b = small_predict(warm, data, 1);
        assert_true(small_distance(pt_prediction_scores(a), pt_prediction_scores(b),
                                   pt_prediction_n_examples(a) * 3) < 0.05);
        pt_prediction_free(b);
        pt_prediction_free(a);
        pt_model_free(warm);
        pt_model_free(cold);
        pt_model_free(start);
    }
    pt_dataset_free(turned);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static double distance_of(const pt_model *a, const pt_model *b, const pt_dataset *data)
{
    pt_prediction *x = small_predict(a, data, 1);
    pt_prediction *y = small_predict(b, data, 1);
    const double distance = small_distance(pt_prediction_scores(x), pt_prediction_scores(y),
                                           pt_prediction_n_examples(x) * pt_model_n_classes(a));
    pt_prediction_free(y);
    pt_prediction_free(x);
    return distance;
}

static void test_start__epochs_go_on(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        double close; /* 0: to the bit */
    } CASES[] = {
        {"machine=constraint,method=online,update=perceptron", 0},
        {"machine=constraint,method=online,update=pa,violated=worst,C=0.5", 0},
        {"machine=constraint,method=online,update=perceptron,bias=no,violated=spread", 0},
        {"machine=constraint,method=online,update=balanced-winnow,scale=none", 1e-9},
        {"code=ova,learner=perceptron,update=perceptron", 0},
        {"code=ovo,learner=perceptron,update=pa,C=2", 0},
        {"code=ova,learner=winnow", 1e-9},
    };
    pt_dataset *data = clouds(120, 5, 3, 31, false);
    for (size_t q = 0; q < sizeof CASES / sizeof *CASES; q++) {
        options few;
        options all;
        snprintf(few.text, sizeof few.text, "%s,epochs=3", CASES[q].machine);
        snprintf(all.text, sizeof all.text, "%s,epochs=7", CASES[q].machine);
        pt_model *part = small_train(data, few.text, 1);
        pt_model *whole = small_train(data, all.text, 1);
        pt_model *loaded = reload(part);
        pt_model *on = train_from(data, loaded, "epochs=7", 1);
        if (CASES[q].close == 0)
            expect_same_machine(whole, on, all.text);
        else
            assert_true(distance_of(whole, on, data) <= CASES[q].close);
        pt_error err = PT_ERROR_INIT;
        pt_model *none = NULL;
        assert_int_equal(try_start(&none, data, part, "epochs=2", 1, &err), PT_EINVAL);
        assert_string_equal(err.param, "epochs");
        pt_model_free(on);
        pt_model_free(loaded);
        pt_model_free(whole);
        pt_model_free(part);
    }
    pt_dataset_free(data);
}

/* Winnow of features that are not negative; and sets, whose threshold is in all functions. */
static void test_start__epochs_of_winnow_and_of_sets(void **state)
{
    (void)state;
    static const char CELLS[] = "x,y,z,label\n1,0,2,a;b\n0,1,1,b\n3,0,0,a\n0,2,1,b;c\n1,1,0,\n"
                                "0,0,3,c\n2,0,1,a;c\n0,3,0,b\n1,0,1,a\n0,1,2,c\n";
    static const char CLASSES[] = "x,y,z,label\n1,0,2,a\n0,1,1,b\n3,0,0,a\n0,2,1,b\n1,1,0,c\n"
                                  "0,0,3,c\n2,0,1,a\n0,3,0,b\n1,0,1,a\n0,1,2,c\n";
    pt_error err = PT_ERROR_INIT;
    pt_model *none = NULL;
    pt_params *params = small_params("labels=set");
    pt_dataset *sets = NULL;
    pt_dataset *classes = NULL;
    small_must(pt_dataset_read_memory(&sets, CELLS, sizeof CELLS - 1, "s.csv", params, NULL, &err),
               &err, "sets");
    small_must(
        pt_dataset_read_memory(&classes, CLASSES, sizeof CLASSES - 1, "c.csv", NULL, NULL, &err),
        &err, "classes");
    static const char *const OPTIONS[] = {
        "machine=constraint,method=online,update=winnow,scale=none,epochs=",
        "machine=constraint,method=online,update=perceptron,scale=none,epochs="};
    for (int q = 0; q < 2; q++) {
        options few;
        options all;
        snprintf(few.text, sizeof few.text, "%s2", OPTIONS[q]);
        snprintf(all.text, sizeof all.text, "%s9", OPTIONS[q]);
        const pt_dataset *data = q == 0 ? classes : sets;
        pt_model *part = small_train(data, few.text, 1);
        pt_model *whole = small_train(data, all.text, 1);
        pt_model *on = train_from(data, part, all.text, 1);
        if (q == 0)
            expect_same_machine(whole, on, all.text);
        assert_true(distance_of(whole, on, data) < 1e-9);
        pt_model_free(on);
        pt_model_free(whole);
        pt_model_free(part);
    }
    pt_model *winnow =
        small_train(sets, "machine=constraint,method=online,update=winnow,scale=none,epochs=2", 1);
    assert_int_equal(try_start(&none, sets, winnow, "epochs=4", 1, &err), PT_EINVAL);
    assert_string_equal(err.param, "start");
    pt_model_free(winnow);
    pt_dataset_free(classes);
    pt_dataset_free(sets);
    pt_params_free(params);
}

/* What is averaged begins with the mean of before; without a further epoch that is what is left. */
static void test_start__averages_begin_with_the_mean(void **state)
{
    (void)state;
    pt_dataset *data = clouds(120, 5, 3, 31, false);
    static const char *const OPTIONS[] = {"machine=constraint,method=online,update=averaged",
                                          "code=ova,learner=perceptron,update=averaged"};
    for (int q = 0; q < 2; q++) {
        options five;
        snprintf(five.text, sizeof five.text, "%s,epochs=5", OPTIONS[q]);
        pt_model *start = small_train(data, five.text, 1);
        pt_model *same = train_from(data, start, five.text, 1);
        pt_model *more = train_from(data, start, "epochs=6", 1);
        expect_same_machine(start, same, five.text);
        assert_true(distance_of(start, more, data) > 0);
        pt_model_free(more);
        pt_model_free(same);
        pt_model_free(start);
    }
    pt_dataset_free(data);
}

/* ---- dual solvers ---------------------------------------------------------------------------- */

/* Both end within the gap that is asked for, so that their values differ by less; the solution of
 * the problem itself is a start that is an end. */
static void expect_same_dual(const pt_dataset *data, const pt_dataset *before, const char *machine,
                             double from, double to)
{
    enum { GAP = 4 }; /* 1e-GAP */
    options first;
    options second;
    snprintf(first.text, sizeof first.text, "%s,C=%g,gap=1e-%d,calibrate=no", machine, from, GAP);
    snprintf(second.text, sizeof second.text, "%s,C=%g,gap=1e-%d,calibrate=no", machine, to, GAP);
    const double gap = pow(10, -GAP);
    pt_model *trained = small_train(before, first.text, 1);
    pt_model *start = reload(trained);
    pt_model *cold = small_train(data, second.text, 1);
    pt_model *warm = train_from(data, start, second.text, 1);
    pt_model *again = train_from(data, trained, second.text, 2);
    pt_model *still = train_from(data, cold, second.text, 1);
    expect_same_machine(warm, again, second.text);
    const double value = said(cold, "dual");
    assert_true(said(warm, "relative_gap") <= gap && said(cold, "relative_gap") <= gap);
    if (!(fabs(said(warm, "dual") - value) <= gap * value))
        fail_msg("%s: dual %.9g, and %.9g from a start", second.text, value, said(warm, "dual"));
    assert_true(said(still, "dual") >= value * (1 - 1e-9));
    pt_model_free(still);
    pt_model_free(again);
    pt_model_free(warm);
    pt_model_free(cold);
    pt_model_free(start);
    pt_model_free(trained);
}

static void test_start__duals_end_within_their_gap(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"machine=spoc,kernel=rbf,sigma=1",
                                           "machine=ww,kernel=rbf,sigma=1",
                                           "machine=ww,kernel=poly,degree=2,sigma=2",
                                           "machine=constraint,kernel=rbf,sigma=1",
                                           "machine=constraint,kernel=rbf,sigma=1,bias=no",
                                           "machine=spoc,kernel=laplacian,sigma=2,precision=double",
                                           "machine=spoc,kernel=rbf,sigma=1,merge=no"};
    for (int sparse = 0; sparse < 2; sparse++) {
        pt_dataset *data = clouds(160, 5, 4, 41, sparse);
        /* all rows but some, and some of them twice: what is new has nothing, what is twice too
         * much */
        int64_t rows[160];
        for (int64_t i = 0; i < 160; i++)
            rows[i] = i % 9 == 0 ? (i + 1) % 160 : i;
        pt_dataset *most = NULL;
        pt_error err = PT_ERROR_INIT;
        small_must(pt_dataset_rows(&most, data, rows, 160, &err), &err, "rows");
        for (size_t q = 0; q < sizeof MACHINES / sizeof *MACHINES; q++) {
            expect_same_dual(data, data, MACHINES[q], 1, 2);
            expect_same_dual(data, data, MACHINES[q], 4, 0.5);
            options scaled; /* so that rows are the same numbers in both */
            snprintf(scaled.text, sizeof scaled.text, "%s,scale=none", MACHINES[q]);
            expect_same_dual(data, most, scaled.text, 1, 3);
        }
        pt_dataset_free(most);
        pt_dataset_free(data);
    }
}

/* More rows than a store of all is for: the working set grows from the start. */
static void test_start__growing_sets_end_within_their_gap(void **state)
{
    (void)state;
    pt_dataset *data = clouds(2600, 3, 3, 43, false);
    expect_same_dual(data, data, "machine=spoc,sigma=1", 1, 2);
    expect_same_dual(data, data, "machine=ww,sigma=1", 1, 2);
    pt_dataset_free(data);
}

/* Of 130 rows each ninth is replaced by the next. */
static pt_dataset *most_rows(const pt_dataset *data)
{
    int64_t rows[130];
    pt_dataset *most = NULL;
    pt_error err = PT_ERROR_INIT;
    for (int64_t i = 0; i < 130; i++)
        rows[i] = i % 9 == 0 ? (i + 1) % 130 : i;
    small_must(pt_dataset_rows(&most, data, rows, 130, &err), &err, "rows");
    return most;
}

/* Columns by SMO: the objective is not reported, but both violate optimality by eps at most, so
 * that their outputs are close; single rows more or less do no harm. */
static void test_start__columns_of_smo_come_to_the_same_end(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "code=ovo,learner=svm,kernel=rbf,sigma=1",
        "code=ova,learner=svm,kernel=rbf,sigma=1",
        "code=sparse,draws=20,learner=svm,kernel=rbf,sigma=1",
        "code=ova,learner=svm,kernel=rbf,sigma=1,bias=no",
        "code=ovo,learner=svm,kernel=laplacian,sigma=2,merge=no",
        "code=ova,learner=svm,kernel=rbf,sigma=1,single-call=yes"};
    static const double STEPS[][2] = {{1, 2}, {4, 0.5}, {1, 1}};
    for (int sparse = 0; sparse < 2; sparse++) {
        pt_dataset *data = clouds(130, 5, 4, 45, sparse);
        pt_dataset *most = most_rows(data);
        for (size_t q = 0; q < 3 * sizeof MACHINES / sizeof *MACHINES; q++) {
            options first;
            options second;
            const char *machine = MACHINES[q / 3];
            snprintf(first.text, sizeof first.text,
                     "%s,precision=double,scale=none,calibrate=no,eps=1e-7,C=%g", machine,
                     STEPS[q % 3][0]);
            snprintf(second.text, sizeof second.text,
                     "%s,precision=double,scale=none,calibrate=no,eps=1e-7,C=%g", machine,
                     STEPS[q % 3][1]);
            pt_model *trained = small_train(q % 3 == 2 ? most : data, first.text, 1);
            pt_model *start = reload(trained);
            pt_model *cold = small_train(data, second.text, 1);
            pt_model *warm = train_from(data, start, second.text, 1);
            pt_model *again = train_from(data, trained, second.text, 2);
            expect_same_machine(warm, again, second.text);
            const double distance = distance_of(cold, warm, data);
            if (!(distance < 1e-4))
                fail_msg("%s: scores differ by %g", second.text, distance);
            pt_model_free(again);
            pt_model_free(warm);
            pt_model_free(cold);
            pt_model_free(start);
            pt_model_free(trained);
        }
        pt_dataset_free(most);
        pt_dataset_free(data);
    }
}

/* The box QP of vo-svm: it ends close to where it ends from nothing, from another C, from other
 * rows and from the end itself (test_vo_svm.c counts the moves). */
static void test_start__coefficients_of_vo_svm_come_to_the_same_end(void **state)
{
    (void)state;
    static const char *const CASES[] = {"",
                                        ",labelbook=indicator",
                                        ",labelbook=mincorr,label-kernel=rbf,label-sigma=2",
                                        ",kernel=laplacian,merge=no",
                                        ",bias=yes,bias-rule=penalised",
                                        ",bias=yes,labelbook=mincorr",
                                        ",bias=yes,bias-rule=mean,labelbook=alignment"};
    static const double STEPS[][2] = {{1, 2}, {4, 0.5}, {1, 1}};
    for (int sparse = 0; sparse < 2; sparse++) {
        pt_dataset *data = clouds(130, 5, 4, 47, sparse);
        pt_dataset *most = most_rows(data);
        for (size_t q = 0; q < 3 * sizeof CASES / sizeof *CASES; q++) {
            options first;
            options second;
            const char *machine = CASES[q / 3];
            snprintf(first.text, sizeof first.text,
                     "machine=vo-svm,sigma=1,precision=double,scale=none,gap=1e-8,calibrate=no,"
                     "kernel=rbf%s,C=%g",
                     machine, STEPS[q % 3][0]);
            snprintf(second.text, sizeof second.text,
                     "machine=vo-svm,sigma=1,precision=double,scale=none,gap=1e-8,calibrate=no,"
                     "kernel=rbf%s,C=%g",
                     machine, STEPS[q % 3][1]);
            pt_model *trained = small_train(q % 3 == 2 ? most : data, first.text, 1);
            pt_model *start = reload(trained);
            pt_model *cold = small_train(data, second.text, 1);
            pt_model *warm = train_from(data, start, second.text, 1);
            pt_model *again = train_from(data, trained, second.text, 2);
            pt_model *still = train_from(data, cold, second.text, 1);
            const double distance = distance_of(cold, again, data);
            if (!(distance < 1e-3))
                fail_msg("%s: scores differ by %g", second.text, distance);
            expect_same_machine(warm, again, second.text);
            assert_true(distance_of(cold, still, data) < 1e-3);
            pt_model_free(still);
            pt_model_free(again);
            pt_model_free(warm);
            pt_model_free(cold);
            pt_model_free(start);
            pt_model_free(trained);
        }
        pt_dataset_free(most);
        pt_dataset_free(data);
    }
}

/* Kernel values in place of rows: those of a model are known by their numbers, and it goes to the
 * same ends as one that has the rows. */
static void test_start__precomputed_kernels_begin_like_others(void **state)
{
    (void)state;
    enum { N = 90 };
    static const char *const DUALS[] = {"machine=spoc", "machine=ww", "machine=constraint",
                                        "machine=constraint,bias=no"};
    static const char *const OTHERS[] = {"code=ovo,learner=svm,eps=1e-7",
                                         "code=ova,learner=svm,eps=1e-7", "machine=vo-svm,gap=1e-8",
                                         "machine=vo-svm,gap=1e-8,labelbook=indicator"};
    static double K[N * N];
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, 4, 3, 49);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            double sum = 0;
            for (int64_t f = 0; f < s.d; f++)
                sum += pow(s.x[i * s.d + f] - s.x[j * s.d + f], 2);
            K[i * N + j] = exp(-sum / 2);
        }
    pt_dataset *data = NULL;
    small_must(pt_dataset_from_dense(&data, &(pt_dense){PT_F64, K, N, N, N, 1}, PT_COPY, &err),
               &err, "kernel values");
    small_must(dataset_set_numbers(data, s.y, &err), &err, "classes");
    for (size_t q = 0; q < sizeof DUALS / sizeof *DUALS; q++) {
        options o;
        snprintf(o.text, sizeof o.text, "%s,kernel=precomputed", DUALS[q]);
        expect_same_dual(data, data, o.text, 1, 2);
        expect_same_dual(data, data, o.text, 4, 0.5);
    }
    for (size_t q = 0; q < sizeof OTHERS / sizeof *OTHERS; q++) {
        options o;
        snprintf(o.text, sizeof o.text, "%s,kernel=precomputed,precision=double,C=1", OTHERS[q]);
        pt_model *start = small_train(data, o.text, 1);
        snprintf(o.text, sizeof o.text, "%s,kernel=precomputed,precision=double,C=2", OTHERS[q]);
        pt_model *cold = small_train(data, o.text, 1);
        pt_model *loaded = reload(start);
        pt_model *warm = train_from(data, loaded, "C=2", 1);
        pt_model *still = train_from(data, cold, "C=2", 1);
        assert_true(distance_of(cold, warm, data) < 1e-4);
        assert_true(distance_of(cold, still, data) < 1e-4);
        pt_model_free(still);
        pt_model_free(warm);
        pt_model_free(loaded);
        pt_model_free(cold);
        pt_model_free(start);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- what is the same, what is refused ------------------------------------------------------- */

/* The start reaches the machine alone: what calibrates and what chooses has held rows out. */
static void test_start__held_out_rows_do_not_meet_it(void **state)
{
    (void)state;
    static const char *const FIGURES[] = {"temperature", "floor",  "power",
                                          "frequency",   "mixing", "calibration_error"};
    pt_dataset *data = clouds(120, 4, 3, 51, false);
    static const char *const OPTIONS[] = {"code=ova,learner=adaboost,rounds=9",
                                          "code=ovo,learner=logitboost,decode=coupling,rounds=9",
                                          "machine=adaboost-mo,rounds=9"};
    for (size_t q = 0; q < sizeof OPTIONS / sizeof *OPTIONS; q++) {
        options less;
        snprintf(less.text, sizeof less.text, "%s,rounds=4", OPTIONS[q]);
        pt_params *params = NULL;
        (void)params;
        char *last = strstr(less.text, "rounds=9,");
        assert_non_null(last);
        memmove(last, last + strlen("rounds=9,"), strlen(last + strlen("rounds=9,")) + 1);
        pt_model *start = small_train(data, less.text, 1);
        pt_model *cold = small_train(data, OPTIONS[q], 1);
        pt_model *warm = train_from(data, start, OPTIONS[q], 1);
        expect_same_machine(cold, warm, OPTIONS[q]);
        for (size_t f = 0; f < sizeof FIGURES / sizeof *FIGURES; f++)
            assert_true(said(cold, FIGURES[f]) == said(warm, FIGURES[f]));
        pt_prediction *a = small_predict(cold, data, 1);
        pt_prediction *b = small_predict(warm, data, 1);
        expect_same_bits(a, b, 120, 3, OPTIONS[q]);
        pt_prediction_free(b);
        pt_prediction_free(a);
        pt_model_free(warm);
        pt_model_free(cold);
        pt_model_free(start);
    }
    pt_dataset_free(data);
}

/* What is not set is as in the model, chosen values with it; columns are prepared as it does. */
static void test_start__the_rest_is_inherited(void **state)
{
    (void)state;
    pt_dataset *data = clouds(100, 4, 3, 61, false);
    pt_dataset *more = clouds(130, 4, 3, 62, false);
    pt_model *start = small_train(data, "machine=spoc,precision=double,scale=standard,seed=7", 1);
    pt_model *loaded = reload(start);
    pt_model *warm = train_from(more, loaded, "C=3", 1);
    static const char *const SAME[] = {"machine", "sigma", "kernel", "precision", "scale", "seed"};
    for (size_t q = 0; q < sizeof SAME / sizeof *SAME; q++)
        assert_string_equal(pt_model_param(warm, SAME[q]), pt_model_param(loaded, SAME[q]));
    assert_string_equal(pt_model_param(warm, "C"), "3");
    assert_string_equal(pt_model_param(warm, "start"), "none"); /* the model needs it no more */
    pt_error err = PT_ERROR_INIT;
    pt_model_parts a = {0};
    pt_model_parts b = {0};
    small_must(pt_model_parts_make(&a, warm, &err), &err, "parts");
    small_must(pt_model_parts_make(&b, loaded, &err), &err, "parts");
    const pt_array *x = pt_pack_find(&a.prepare, "numbers");
    const pt_array *y = pt_pack_find(&b.prepare, "numbers");
    assert_non_null(x);
    assert_int_equal(x->rows * x->columns, y->rows * y->columns);
    assert_memory_equal(x->value, y->value, (size_t)(x->rows * x->columns) * sizeof(double));
    pt_model_parts_free(&b);
    pt_model_parts_free(&a);
    pt_model_free(warm);
    pt_model_free(loaded);
    pt_model_free(start);
    pt_dataset_free(more);
    pt_dataset_free(data);
}

static void expect_refused(const pt_dataset *data, const pt_model *start, const char *text,
                           const char *param, const char *word)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *none = NULL;
    if (try_start(&none, data, start, text, 1, &err) != PT_EINVAL || none)
        fail_msg("not refused: %s (%s)", text, err.text);
    assert_string_equal(err.param, param);
    if (!strstr(err.text, word))
        fail_msg("%s: '%s' does not say %s", text, err.text, word);
}

/* Trained from the start (NULL: none) with these parameters, which are freed. */
static pt_model *train_params(const pt_dataset *data, const pt_model *start, pt_params *params)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_task *task = small_task(1);
    small_must(pt_params_set_start(params, start, &err), &err, "a start");
    small_must(pt_model_train(&model, data, params, task, &err), &err, "train");
    pt_task_free(task);
    pt_params_free(params);
    return model;
}

/* What a model was given in memory is there where it is lent; a file has only its name. */
static void test_start__arrays_come_with_the_model(void **state)
{
    (void)state;
    static double costs[] = {0, 3, 1, 1, 0, 2, 4, 1, 0};
    static double code[] = {1, -1, -1, -1, 1, 0, -1, -1, 1};
    static const struct {
        const char *param, *machine;
        double *values;
    } CASES[] = {{"costs", "machine=spoc,sigma=1,calibrate=no", costs},
                 {"code", "learner=logistic,calibrate=no", code}};
    pt_dataset *data = clouds(80, 4, 3, 65, false);
    for (size_t q = 0; q < sizeof CASES / sizeof *CASES; q++) {
        pt_error err = PT_ERROR_INIT;
        pt_model *start = NULL;
        pt_model *none = NULL;
        const pt_dense array = {.n_rows = 3,
                                .n_columns = 3,
                                .type = PT_F64,
                                .values = CASES[q].values,
                                .row_stride = 3,
                                .column_stride = 1};
        pt_params *params = small_params(CASES[q].machine);
        small_must(pt_params_set_array(params, CASES[q].param, &array, &err), &err, "an array");
        small_must(pt_model_train(&start, data, params, NULL, &err), &err, "train");
        small_must(pt_params_set(params, "C", "2", &err), &err, "C");
        pt_model *given = train_params(data, start, params);
        pt_model *inherited = train_params(data, start, small_params("C=2"));
        expect_same_machine(given, inherited, CASES[q].param);
        assert_string_equal(pt_model_param(inherited, CASES[q].param),
                            pt_model_param(start, CASES[q].param));
        pt_model *loaded = reload(start);
        assert_int_equal(try_start(&none, data, loaded, "C=2", 1, &err), PT_EINVAL);
        assert_string_equal(err.param, CASES[q].param);
        pt_model_free(loaded);
        pt_model_free(inherited);
        pt_model_free(given);
        pt_model_free(start);
    }
    pt_dataset_free(data);
}

/* A Gaussian kernel; it counts its calls. */
static pt_status gauss(const pt_rows_view *a, const pt_rows_view *b, double *block, int64_t ld,
                       void *user, pt_error *err)
{
    (void)err;
    ++*(int *)user;
    for (int64_t i = 0; i < a->n_rows; i++)
        for (int64_t j = 0; j < b->n_rows; j++) {
            double sum = 0;
            for (int64_t c = 0; c < a->n_columns; c++) {
                const double gap = a->dense[i * a->stride + c] - b->dense[j * b->stride + c];
                sum += gap * gap;
            }
            block[i * ld + j] = exp(-sum);
        }
    return PT_OK;
}

static pt_params *with_gauss(const char *text, int *calls)
{
    pt_error err = PT_ERROR_INIT;
    const pt_kernel_callbacks mine = {
        .size = sizeof mine, .name = "mine", .psd = 1, .user = calls, .values = gauss};
    pt_params *params = small_params(text);
    small_must(pt_params_set_kernel(params, &mine, &err), &err, "a kernel");
    return params;
}

/* So is its kernel, where the program does not bring another. */
static void test_start__a_kernel_of_the_program_comes_with_the_model(void **state)
{
    (void)state;
    int calls = 0;
    int others = 0;
    pt_dataset *data = clouds(80, 4, 3, 66, false);
    pt_model *start = train_params(data, NULL, with_gauss("machine=spoc,calibrate=no", &calls));
    calls = 0;
    pt_model *inherited = train_params(data, start, small_params("C=2"));
    assert_true(calls > 0);
    calls = 0;
    pt_model *given = train_params(data, start, with_gauss("C=2", &others));
    assert_true(calls == 0 && others > 0);
    expect_same_machine(given, inherited, "a kernel");
    expect_refused(data, start, "kernel=rbf", "kernel", "mine");
    pt_model_free(given);
    pt_model_free(inherited);
    pt_model_free(start);
    pt_dataset_free(data);
}

/* Whether probabilities are fitted is as in the model, too, and may differ. */
static void test_start__calibration_is_as_in_the_model(void **state)
{
    (void)state;
    pt_dataset *data = clouds(60, 3, 3, 67, false);
    pt_model *start = small_train(data, "machine=softmax,calibrate=no", 1);
    pt_model *same = train_from(data, start, "C=2", 1);
    pt_model *other = train_from(data, start, "C=2,calibrate=yes", 1);
    assert_string_equal(pt_model_param(same, "calibrate"), "no");
    assert_string_equal(pt_model_param(other, "calibrate"), "yes");
    assert_true(said(same, "temperature") == 1 && said(other, "temperature") != 1);
    pt_model_free(other);
    pt_model_free(same);
    pt_model_free(start);
    pt_dataset_free(data);
}

/* Every machine and every learner begins with a model of its own, or says that it cannot, and names
 * some that can. */
static void expect_begins_or_refuses(const pt_dataset *data, const char *text, bool can)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *about = NULL;
    pt_params *params = small_params(text);
    small_must(pt_params_report(&about, params, &err), &err, text);
    assert_int_equal(pt_report_integer_at(about, "uses", PT_P_START, 0, 0), can);
    pt_report_free(about);
    pt_params_free(params);
    pt_model *warm = NULL;
    pt_model *trained = small_train(data, text, 1);
    pt_model *start = reload(trained);
    const pt_status status = try_start(&warm, data, start, "", 1, &err);
    if (can) {
        small_must(status, &err, text);
        pt_prediction *x = small_predict(warm, data, 1);
        expect_sound(x, pt_dataset_n_examples(data), pt_dataset_n_classes(data), text);
        pt_prediction_free(x);
    } else {
        assert_int_equal(status, PT_EINVAL);
        assert_string_equal(err.param, "start");
        assert_non_null(strstr(err.text, "softmax"));
    }
    pt_model_free(warm);
    pt_model_free(start);
    pt_model_free(trained);
}

/* The tables say the same. */
static void expect_listed(const char *table, const char *name, bool can)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    small_must(pt_catalogue(&report, table, &err), &err, table);
    int64_t i = 0;
    while (strcmp(pt_report_text_at(report, "name", i, 0, 0), name) != 0)
        i++;
    assert_int_equal(pt_report_integer_at(report, "start", i, 0, 0), can);
    assert_int_equal(pt_report_integer_at(report, "uses", i, PT_P_START, 0), can);
    pt_report_free(report);
}

static void test_start__every_machine_begins_or_refuses(void **state)
{
    (void)state;
    pt_dataset *data = clouds(60, 3, 3, 71, false);
    pt_error err = PT_ERROR_INIT;
    options o;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        if (!((*ops)->label_kinds & 1u << PT_LABEL_CLASS))
            continue;
        expect_listed("machines", (*ops)->name, (*ops)->warm);
        const bool by_learner = pt_word_listed((*ops)->parameters, ',', "learner", 7);
        const bool kernel = strcmp((*ops)->name, "constraint") == 0;
        snprintf(o.text, sizeof o.text, "machine=%s%s", (*ops)->name, kernel ? ":kernel=rbf" : "");
        if (!by_learner || !(*ops)->warm)
            expect_begins_or_refuses(data, o.text, (*ops)->warm);
    }
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++) {
        snprintf(o.text, sizeof o.text, "code=ova,learner=%s", (*learner)->name);
        expect_begins_or_refuses(data, o.text, (*learner)->warm);
        expect_listed("learners", (*learner)->name, (*learner)->warm);
    }
    (void)err;
    pt_dataset_free(data);
}

/* Of machines that can, those parameters with which they cannot: reports say it before. */
static void test_start__parameters_that_keep_too_little_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool can;
        bool trains; /* on rows like these */
    } CASES[] = {
        {"machine=spoc", true, true},
        {"machine=spoc,kernel=linear", false, true},
        {"machine=spoc,kernel=precomputed", true, false},
        {"machine=ww,kernel=linear", false, true},
        {"machine=ww,kernel=poly", true, true},
        {"machine=vo-svm,kernel=linear", false, true},
        {"machine=vo-svm,kernel=precomputed", true, false},
        {"machine=vo-svm,kernel=joint", false, false},
        {"machine=constraint", false, true},
        {"machine=constraint,kernel=linear", false, true},
        {"machine=constraint,kernel=rbf", true, true},
        {"machine=constraint,method=hard", false, true},
        {"machine=constraint,method=hard,kernel=rbf,sigma=0.1", false, true},
        {"machine=constraint,method=online", true, true},
        {"code=ova,learner=svm", true, true},
        {"code=ova,learner=svm,kernel=linear", false, true},
        {"code=ovo,learner=svm,kernel=linear", false, true},
        {"code=ovo,learner=svm,kernel=precomputed", true, false},
        {"code=ova,learner=logistic,penalty=l1", true, true},
        {"machine=softmax,penalty=l1", true, true},
    };
    static const double SEPARATE[][2] = {{0, 0}, {0, 1}, {5, 0}, {5, 1}, {0, 7}, {1, 7}};
    static const int64_t CLASS_OF[] = {0, 0, 1, 1, 2, 2};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    small_must(
        pt_dataset_from_dense(&data, &(pt_dense){PT_F64, SEPARATE, 6, 2, 2, 1}, PT_COPY, &err),
        &err, "rows");
    small_must(dataset_set_numbers(data, CLASS_OF, &err), &err, "classes");
    for (size_t q = 0; q < sizeof CASES / sizeof *CASES; q++) {
        pt_report *about = NULL;
        pt_params *params = small_params(CASES[q].text);
        small_must(pt_params_report(&about, params, &err), &err, CASES[q].text);
        if (pt_report_integer_at(about, "uses", PT_P_START, 0, 0) != CASES[q].can)
            fail_msg("%s: `start`", CASES[q].text);
        pt_report_free(about);
        pt_params_free(params);
        if (!CASES[q].trains)
            continue;
        pt_model *warm = NULL;
        options o;
        snprintf(o.text, sizeof o.text, "%s,calibrate=no", CASES[q].text);
        pt_model *start = small_train(data, o.text, 1);
        const pt_status status = try_start(&warm, data, start, "", 1, &err);
        if ((status == PT_OK) != CASES[q].can)
            fail_msg("%s: %s", CASES[q].text, err.text);
        if (!CASES[q].can &&
            (status != PT_EINVAL || strcmp(err.param, "start") != 0 || !strstr(err.text, "can")))
            fail_msg("%s: %s", CASES[q].text, err.text);
        pt_model_free(warm);
        pt_model_free(start);
    }
    pt_dataset_free(data);
}

static void test_start__what_differs_is_named(void **state)
{
    (void)state;
    pt_dataset *data = clouds(80, 4, 3, 81, false);
    pt_dataset *sparse = clouds(80, 4, 3, 81, true);
    pt_dataset *wider = clouds(80, 5, 3, 81, false);
    pt_dataset *four = clouds(80, 4, 4, 81, false);
    pt_model *softmax = small_train(data, "machine=softmax", 1);
    pt_model *spoc = small_train(data, "machine=spoc,sigma=1", 1);
    pt_model *linear = small_train(data, "machine=spoc,kernel=linear", 1);
    pt_model *ova = small_train(data, "code=ova,learner=logistic", 1);
    pt_model *pairs = small_train(data, "machine=constraint", 1);
    pt_model *absolute = small_train(data, "machine=softmax,penalty=l1", 1);
    pt_model *hard = small_train(data, "machine=constraint,method=hard,kernel=rbf,sigma=0.1", 1);
    pt_model *counts = small_train(sparse, "machine=softmax", 1);
    expect_refused(data, softmax, "machine=spoc", "machine", "softmax");
    expect_refused(data, softmax, "bias=no", "bias", "C,eps");
    expect_refused(data, softmax, "scale=standard", "scale", "range");
    expect_refused(data, spoc, "sigma=2", "sigma", "2");
    expect_refused(data, spoc, "kernel=poly", "kernel", "rbf");
    expect_refused(data, ova, "code=ovo", "code", "ova");
    expect_refused(data, ova, "learner=perceptron", "learner", "logistic");
    expect_refused(data, linear, "C=2", "start", "kernel");
    expect_refused(data, pairs, "C=2", "start", "online");
    expect_refused(data, hard, "", "start", "method=hard");
    expect_refused(data, absolute, "penalty=l2", "penalty", "l1");
    pt_model *columns = small_train(data, "code=ova,learner=svm,kernel=linear", 1);
    expect_refused(data, columns, "C=2", "start", "kernel");
    pt_model_free(columns);
    columns = small_train(data, "code=ovo,learner=svm,kernel=linear", 1);
    expect_refused(data, columns, "C=2", "start", "kernel");
    pt_model_free(columns);
    expect_refused(wider, softmax, "", "start", "5");
    expect_refused(four, softmax, "", "start", "4");
    expect_refused(sparse, softmax, "", "start", "sparse");
    expect_refused(data, counts, "", "start", "sparse");
    /* the same number of classes and of columns, with other names */
    pt_error err = PT_ERROR_INIT;
    int64_t *number = calloc(80, sizeof *number);
    for (int64_t i = 0; i < 80; i++)
        number[i] = 5 + pt_dataset_class(data, i);
    small_must(dataset_set_numbers(data, number, &err), &err, "labels");
    expect_refused(data, softmax, "", "start", "'5'");
    static const char *const NAMES[] = {"a", "b", "c", "d"};
    static const char *const OTHERS[] = {"a", "b", "c", "e"};
    small_must(pt_dataset_set_names(data, NAMES, &err), &err, "names");
    pt_model *named = small_train(data, "machine=softmax", 1);
    small_must(pt_dataset_set_names(data, OTHERS, &err), &err, "names");
    pt_model *none = NULL;
    assert_int_not_equal(try_start(&none, data, named, "", 1, &err), PT_OK);
    assert_non_null(strstr(err.text, "'d'"));
    free(number);
    pt_model *const models[] = {named, softmax, spoc, linear, ova, pairs, absolute, counts, hard};
    for (size_t q = 0; q < sizeof models / sizeof *models; q++)
        pt_model_free(models[q]);
    pt_dataset_free(four);
    pt_dataset_free(wider);
    pt_dataset_free(sparse);
    pt_dataset_free(data);
}

/* Searches and comparisons hold rows out, which the model may have seen. */
static void test_start__searches_and_comparisons_refuse_it(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_report *report[2] = {NULL, NULL};
    pt_dataset *data = clouds(60, 3, 3, 91, false);
    pt_model *model = small_train(data, "machine=softmax", 1);
    pt_params *with = small_params("machine=softmax");
    pt_params *file = small_params("machine=softmax,start=some.model");
    pt_params *without = small_params("machine=softmax,C=2");
    small_must(pt_params_set_start(with, model, &err), &err, "a start");
    pt_params *copy = NULL;
    small_must(pt_params_copy(&copy, with, &err), &err, "a copy");
    const pt_params *const pairs[][2] = {{without, with}, {file, without}, {copy, without}};
    for (int q = 0; q < 3; q++) {
        assert_int_equal(pt_cross_validate(report, NULL, data, pairs[q], 2, NULL, &err), PT_EINVAL);
        assert_string_equal(err.param, "start");
        assert_int_equal(pt_compare(report, data, NULL, pairs[q], 2, NULL, &err), PT_EINVAL);
        assert_string_equal(err.param, "start");
        assert_int_equal(pt_compare(report, data, data, pairs[q], 2, NULL, &err), PT_EINVAL);
        assert_string_equal(err.param, "start");
    }
    assert_string_equal(pt_params_get(with, "start"), "model");
    assert_true(pt_params_is_set(with, "start"));
    small_must(pt_params_set_start(with, NULL, &err), &err, "no start");
    assert_string_equal(pt_params_get(with, "start"), "none");
    assert_false(pt_params_is_set(with, "start"));
    small_must(pt_params_set(copy, "start", "none", &err), &err, "no start");
    const pt_params *const free_again[2] = {with, copy};
    small_must(pt_cross_validate(report, NULL, data, free_again, 2, NULL, &err), &err, "search");
    pt_report_free(report[0]);
    pt_report_free(report[1]);
    pt_online *online = NULL; /* nor does a stream, which has checkpoints */
    assert_int_equal(pt_online_new(&online, file, &err), PT_EINVAL);
    assert_string_equal(err.param, "start");
    pt_params_free(copy);
    pt_params_free(without);
    pt_params_free(file);
    pt_params_free(with);
    pt_model_free(model);
    pt_dataset_free(data);
}

/* A file that is no model, or not there, is what it is for pt_model_load. */
static void test_start__files_are_loaded_like_any(void **state)
{
    (void)state;
    static const char PATH[] = "test_start_file.model";
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_dataset *data = clouds(60, 3, 3, 92, false);
    assert_int_equal(small_try_train(&model, data, "start=not_there.model", 1, &err), PT_EIO);
    FILE *stream = fopen(PATH, "w");
    fputs("this is no model\n", stream);
    fclose(stream);
    options o;
    snprintf(o.text, sizeof o.text, "start=./%s,C=2", PATH);
    assert_int_equal(small_try_train(&model, data, o.text, 1, &err), PT_EFORMAT);
    pt_model *start = small_train(data, "machine=softmax", 1);
    small_must(pt_model_save(start, PATH, &err), &err, "save");
    model = small_train(data, o.text, 1);
    assert_true(says_start(model, PATH)); /* without the way to it */
    assert_string_equal(pt_model_param(model, "machine"), "softmax");
    pt_model *again = reload(model);
    assert_true(says_start(again, PATH));
    pt_report *plan = NULL;
    pt_params *params = small_params(o.text);
    small_must(pt_model_plan(&plan, data, params, NULL, &err), &err, "plan");
    assert_string_equal(pt_report_text(plan, "machine"), "softmax");
    pt_report_free(plan);
    pt_params_free(params);
    remove(PATH);
    pt_model_free(again);
    pt_model_free(model);
    pt_model_free(start);
    pt_dataset_free(data);
}

/* With little time the start is what there is to begin with, and all of it stays. */
static void test_start__time_cuts_what_is_added(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(3000, 20, 4, 93, false);
    pt_model *start = small_train(data, "code=ova,learner=adaboost,rounds=20,calibrate=no", 2);
    pt_params *params = small_params("rounds=1000000,calibrate=no");
    pt_task *task = small_task(2);
    pt_model *model = NULL;
    small_must(pt_params_set_start(params, start, &err), &err, "a start");
    small_must(pt_task_set(task, "time", 1, &err), &err, "time");
    small_must(pt_model_train(&model, data, params, task, &err), &err, "train");
    assert_true(pt_model_rounds(model) >= 20 && pt_model_rounds(model) < 1000000);
    pt_prediction *a = NULL;
    small_must(pt_model_predict(&a, model, data, 20, NULL, &err), &err, "predict");
    pt_prediction *b = small_predict(start, data, 1);
    expect_same_bits(a, b, 3000, 4, "the first rounds");
    pt_prediction_free(b);
    pt_prediction_free(a);
    pt_model_free(model);
    pt_task_free(task);
    pt_params_free(params);
    pt_model_free(start);
    pt_dataset_free(data);
}

/* Models whose bytes were changed under right checksums: what loads may be begun with, to a model
 * or to an error. */
static void test_start__hostile_models_do_no_harm(void **state)
{
    (void)state;
    static const char *const OPTIONS[] = {
        "machine=softmax",
        "machine=spoc,sigma=1",
        "code=ova,learner=adaboost,rounds=4",
        "code=ovo,learner=logitboost,rounds=4,depth=2",
        "machine=adaboost-mh,rounds=4,boost=discrete",
        "code=ova,learner=winnow,epochs=1",
        "machine=constraint,method=online,epochs=1",
        "code=ovo,learner=svm,sigma=1",
        "code=ova,learner=svm,sigma=1",
        "machine=vo-svm,sigma=1",
        "machine=softmax,penalty=l1",
    };
    pt_dataset *dense = clouds(40, 3, 3, 95, false);
    pt_dataset *mixed = table(40, 3);
    int64_t begun = 0;
    for (size_t q = 0; q < sizeof OPTIONS / sizeof *OPTIONS; q++) {
        const pt_dataset *data = q % 2 ? dense : mixed;
        if (q >= 5)
            data = dense;
        options o;
        snprintf(o.text, sizeof o.text, "calibrate=no,%s", OPTIONS[q]);
        pt_error err = PT_ERROR_INIT;
        pt_model *model = small_train(data, o.text, 1);
        void *bytes = NULL;
        size_t size = 0;
        small_must(pt_model_save_memory(&bytes, &size, model, &err), &err, "save");
        unsigned char *copy = malloc(size);
        for (size_t at = 64; at < size; at += 1 + size / 600) {
            if (!test_in_share())
                continue;
            memcpy(copy, bytes, size);
            copy[at] ^= (unsigned char)(1 + at % 255);
            mend_checksums(copy, size);
            pt_model *start = NULL;
            pt_model *warm = NULL;
            if (pt_model_load_memory(&start, copy, size, NULL, &err) != PT_OK)
                continue;
            const pt_status status = try_start(&warm, data, start,
                                               q < 2 || q > 6 ? "C=2"
                                               : q < 5        ? "rounds=6"
                                                              : "epochs=2",
                                               1, &err);
            begun += status == PT_OK;
            assert_true((status == PT_OK) == (warm != NULL));
            pt_model_free(warm);
            pt_model_free(start);
        }
        free(copy);
        pt_bytes_free(bytes);
        pt_model_free(model);
    }
    assert_true(begun > 0);
    pt_dataset_free(mixed);
    pt_dataset_free(dense);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start__boosting_goes_on_to_the_same_bytes),
        cmocka_unit_test(test_start__large_trees_go_on_to_the_same_bytes),
        cmocka_unit_test(test_start__boosting_refuses_other_rows),
        cmocka_unit_test(test_start__logistic_regression_comes_to_the_same_end),
        cmocka_unit_test(test_start__absolute_weights_come_to_the_same_end),
        cmocka_unit_test(test_start__a_bad_start_does_no_harm),
        cmocka_unit_test(test_start__epochs_go_on),
        cmocka_unit_test(test_start__epochs_of_winnow_and_of_sets),
        cmocka_unit_test(test_start__averages_begin_with_the_mean),
        cmocka_unit_test(test_start__duals_end_within_their_gap),
        cmocka_unit_test(test_start__growing_sets_end_within_their_gap),
        cmocka_unit_test(test_start__columns_of_smo_come_to_the_same_end),
        cmocka_unit_test(test_start__coefficients_of_vo_svm_come_to_the_same_end),
        cmocka_unit_test(test_start__precomputed_kernels_begin_like_others),
        cmocka_unit_test(test_start__held_out_rows_do_not_meet_it),
        cmocka_unit_test(test_start__the_rest_is_inherited),
        cmocka_unit_test(test_start__arrays_come_with_the_model),
        cmocka_unit_test(test_start__a_kernel_of_the_program_comes_with_the_model),
        cmocka_unit_test(test_start__calibration_is_as_in_the_model),
        cmocka_unit_test(test_start__every_machine_begins_or_refuses),
        cmocka_unit_test(test_start__parameters_that_keep_too_little_are_told),
        cmocka_unit_test(test_start__what_differs_is_named),
        cmocka_unit_test(test_start__searches_and_comparisons_refuse_it),
        cmocka_unit_test(test_start__files_are_loaded_like_any),
        cmocka_unit_test(test_start__time_cuts_what_is_added),
        cmocka_unit_test(test_start__hostile_models_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
