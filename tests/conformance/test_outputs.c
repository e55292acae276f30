/* What the parts of models say of examples: of every machine of the registry, and every learner
 * under several codes. Outputs are what the decoder gets, which is done here by hand; stages are
 * predictions after so many rounds, bit by bit; who has neither says what there is instead. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "decoders/decoder.h"
#include "learners/learner.h"
#include "machine/machine.h"
#include "model/model.h"
#include "params/params_table.h"
#include "polytomy/experimental.h"

enum { N = 90, ON = 70, D = 3, K = 4, ROUNDS = 7, MOST_STAGES = 16 };

static pt_dataset *rows(int64_t n, uint64_t seed, bool sparse)
{
    small s = small_clouds(n, D, K, seed);
    for (int64_t c = 0; sparse && c < n * D; c++)
        s.x[c] = c % 4 == 1 ? 0 : s.x[c];
    pt_dataset *data = sparse ? small_sparse_dataset(&s) : small_dataset(&s);
    small_free(&s);
    return data;
}

static pt_report *outputs_of(const pt_model *model, const pt_dataset *data, const int64_t *rounds,
                             int64_t n_stages, const char *what)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    pt_task *task = small_task(2);
    small_must(pt_model_outputs(&report, model, data, rounds, n_stages, task, &err), &err, what);
    pt_task_free(task);
    return report;
}

static const double *numbers(const pt_report *report, const char *name)
{
    const pt_item *item = pt_report_find(report, name);
    assert_non_null(item);
    assert_int_equal(item->type, PT_F64);
    return item->values;
}

static void expect_bits(const void *found, const void *expected, int64_t count, const char *what,
                        const char *options)
{
    if (memcmp(found, expected, (size_t)count * sizeof(double)) != 0)
        fail_msg("%s: other %s", options, what);
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* Stages out of `all` rounds: the first and the last, and some between; or without the last. */
static int64_t list_stages(int64_t *rounds, int64_t all, bool last)
{
    int64_t n = 0;
    for (int64_t t = 0; t < all + last && n < MOST_STAGES; t++)
        if (t < 3 || t % 3 == 0 || t >= all - 1)
            rounds[n++] = t;
    return n;
}

static void expect_stages(const pt_model *model, const pt_dataset *data, int64_t all, bool last,
                          const char *options)
{
    int64_t rounds[MOST_STAGES];
    const int64_t n_stages = list_stages(rounds, all, last);
    pt_report *report = outputs_of(model, data, rounds, n_stages, options);
    pt_report *plain = outputs_of(model, data, NULL, 0, options);
    const int64_t n = pt_dataset_n_examples(data);
    const int64_t k = pt_model_n_classes(model);
    const pt_item *scores = pt_report_find(report, "stage_scores");
    const pt_item *labels = pt_report_find(report, "stage_labels");
    assert_int_equal(scores->length[0], n_stages);
    assert_int_equal(scores->length[1], n);
    assert_int_equal(scores->length[2], k);
    for (int64_t t = 0; t < n_stages; t++) {
        pt_error err = PT_ERROR_INIT;
        pt_prediction *p = NULL;
        small_must(pt_model_predict(&p, model, data, rounds[t], NULL, &err), &err, options);
        assert_int_equal(pt_report_integer_at(report, "stage_rounds", t, 0, 0), rounds[t]);
        expect_bits((const double *)scores->values + t * n * k, pt_prediction_scores(p), n * k,
                    "scores", options);
        expect_bits((const int64_t *)labels->values + t * n, pt_prediction_labels(p), n, "labels",
                    options);
        pt_prediction_free(p);
    }
    expect_bits(numbers(report, "outputs"), numbers(plain, "outputs"),
                n * pt_report_integer(plain, "n_columns"), "outputs beside stages", options);
    assert_null(pt_report_find(plain, "stage_scores"));
    pt_report_free(report);
    pt_report_free(plain);
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* Decoded as the machine does, by what the report has: the scores of the prediction. */
static void expect_decoded(const pt_model *model, const pt_dataset *data, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = outputs_of(model, data, NULL, 0, options);
    const pt_item *code = pt_report_find(report, "code");
    const double *f = numbers(report, "outputs");
    pt_prediction *p = small_predict(model, data, 1);
    const int64_t n = pt_dataset_n_examples(data);
    const int64_t k = pt_model_n_classes(model);
    const int64_t ell = code->length[1];
    int64_t n_columns = 0;
    const double *designed = pt_model_designed_rows(model, &n_columns);
    const pt_code_decoder *decoder = pt_machine_parts_of(model->machine).decoder;
    pt_code signs = {0};
    double *scores = calloc((size_t)(n * k), sizeof *scores);
    assert_non_null(scores);
    assert_int_equal(code->length[0], k);
    if (decoder) {
        small_must(pt_code_from(&signs, k, ell, code->values, &err), &err, options);
        signs.pairs = pt_machine_parts_of(model->machine).code->pairs;
        small_must(pt_decode_code(decoder, &signs, n, f, scores, NULL, &err), &err, options);
        expect_bits(scores, pt_prediction_scores(p), n * k, "scores of outputs", options);
    } else {
        assert_non_null(designed);
        assert_int_equal(n_columns, ell);
        for (int64_t i = 0; i < n; i++)
            for (int64_t r = 0; r < k; r++)
                for (int64_t s = 0; s < ell; s++)
                    scores[i * k + r] += designed[r * ell + s] * f[i * ell + s];
        if (small_distance(scores, pt_prediction_scores(p), n * k) > 1e-9)
            fail_msg("%s: the designed rows give other scores", options);
    }
    pt_code_free(&signs);
    pt_prediction_free(p);
    pt_report_free(report);
    free(scores);
}

/* What the model says of its outputs and stages. */
static void check_model(const char *options, bool sparse)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *train = rows(N, 3, sparse);
    pt_dataset *data = rows(ON, 4, sparse);
    pt_model *model = small_train(train, options, 1);
    const char *machine = pt_model_param(model, "machine");
    const int64_t all = pt_model_rounds(model);
    pt_report *report = NULL;
    const int64_t one[] = {1};
    if (!pt_machine_find(machine)->outputs) {
        assert_int_equal(pt_model_outputs(&report, model, data, NULL, 0, NULL, &err),
                         PT_ENOSUPPORT);
        if (!strstr(err.text, machine) || !strstr(err.text, "pt_model_predict"))
            fail_msg("%s", err.text);
        assert_true(!strstr(err.text, "pt_model_trees") ==
                    !pt_machine_parts_of(model->machine).forest);
    } else {
        expect_decoded(model, data, options);
    }
    if (all > 0) {
        expect_stages(model, data, all, true, options);
        expect_stages(model, data, all, false, options);
    } else {
        assert_int_equal(pt_model_outputs(&report, model, data, one, 1, NULL, &err), PT_ENOSUPPORT);
    }
    assert_null(report);
    pt_model_free(model);
    pt_dataset_free(train);
    pt_dataset_free(data);
}

static bool lists(const char *parameters, const char *name)
{
    return pt_word_listed(parameters, ',', name, strlen(name));
}

static void test_outputs__of_every_machine(void **state)
{
    (void)state;
    int64_t with = 0;
    int64_t without = 0;
    for (int64_t m = 0; pt_machines[m]; m++) {
        char options[120];
        const pt_machine_ops *ops = pt_machines[m];
        if (!(ops->label_kinds & 1u << PT_LABEL_CLASS))
            continue;
        snprintf(options, sizeof options, "machine=%s%s%s", ops->name,
                 pt_machine_uses(ops, NULL, "rounds") ? ",rounds=7" : "",
                 lists(ops->parameters, "ridge") && pt_machine_uses(ops, NULL, "ridge")
                     ? ",ridge=0.1"
                     : "");
        check_model(options, false);
        with += ops->outputs != NULL;
        without += ops->outputs == NULL;
    }
    assert_true(with >= 6 && without >= 10);
}

static void test_outputs__of_every_learner(void **state)
{
    (void)state;
    static const char *const CODES[] = {"ova", "ovo", "dense"};
    int64_t staged = 0;
    for (int64_t l = 0; pt_learners[l]; l++)
        for (size_t c = 0; c < sizeof CODES / sizeof *CODES; c++) {
            char options[160];
            const pt_learner_ops *ops = pt_learners[l];
            const char *rounds = lists(ops->parameters, "rounds") ? ",rounds=7" : "";
            snprintf(options, sizeof options, "code=%s,learner=%s%s", CODES[c], ops->name, rounds);
            check_model(options, false);
            if (ops->capabilities & PT_LEARNS_SPARSE)
                check_model(options, true);
            staged += *rounds != '\0';
            if (!*rounds)
                continue;
            snprintf(options, sizeof options, "code=%s,learner=%s%s,single-call", CODES[c],
                     ops->name, rounds);
            check_model(options, false);
            snprintf(options, sizeof options, "code=%s,learner=%s%s,depth=3,decode=inner", CODES[c],
                     ops->name, rounds);
            check_model(options, false);
        }
    assert_int_equal(staged, 3 * 3);
    check_model("machine=adaboost-mo,code=dense,rounds=7,boost=discrete", false);
    check_model("machine=adaboost-mh,rounds=7,boost=discrete", false);
    check_model("machine=class-tree,learner=adaboost,rounds=7", false);
    check_model("machine=designed,learner=adaboost,rounds=7", false);
    check_model("machine=ls-ovo,ridge=0.1,decode=coupling", false);
}

/* ---- decoded by hand ------------------------------------------------------------------------- */

static double hinge(double z)
{
    return fmax(0, 1 - z);
}

static double square(double z)
{
    return (1 - z) * (1 - z);
}

static double exponential(double z)
{
    return exp(-z);
}

static double hamming(double z)
{
    return (1 - (z > 0) + (z < 0)) / 2.0;
}

static double inner(double z)
{
    return -z;
}

/* The class whose row loses least, by the formulas of docs/decoders.md. */
static void test_outputs__are_decoded_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *decode;
        double (*loss)(double);
    } RULES[] = {{"hinge", hinge},
                 {"square", square},
                 {"exp", exponential},
                 {"hamming", hamming},
                 {"inner", inner}};
    static const char *const LEARNERS[] = {"learner=linear-svm", "learner=adaboost,rounds=9"};
    pt_dataset *train = rows(N, 5, false);
    pt_dataset *data = rows(ON, 6, false);
    for (size_t u = 0; u < sizeof RULES / sizeof *RULES; u++)
        for (size_t l = 0; l < 2; l++) {
            char options[120];
            int64_t told_apart = 0;
            snprintf(options, sizeof options, "code=dense,decode=%s,%s", RULES[u].decode,
                     LEARNERS[l]);
            pt_model *model = small_train(train, options, 1);
            pt_prediction *p = small_predict(model, data, 1);
            pt_report *report = outputs_of(model, data, NULL, 0, options);
            const int64_t ell = pt_report_integer(report, "n_columns");
            for (int64_t i = 0; i < ON; i++) {
                double least = INFINITY;
                double next = INFINITY;
                int64_t best = -1;
                for (int64_t r = 0; r < K; r++) {
                    double lost = 0;
                    for (int64_t s = 0; s < ell; s++)
                        lost +=
                            RULES[u].loss((double)pt_report_integer_at(report, "code", r, s, 0) *
                                          pt_report_number_at(report, "outputs", i, s, 0));
                    next = fmin(next, fmax(lost, least));
                    best = lost < least ? r : best;
                    least = fmin(least, lost);
                }
                told_apart += next > least + 1e-9;
                if (next > least + 1e-9 && pt_prediction_labels(p)[i] != best)
                    fail_msg("%s: example %d", options, (int)i);
            }
            assert_true(told_apart > ON / 2);
            pt_report_free(report);
            pt_prediction_free(p);
            pt_model_free(model);
        }
    pt_dataset_free(train);
    pt_dataset_free(data);
}

/* ---- many rows, remarks, limits -------------------------------------------------------------- */

/* Rows that are prepared a part at a time. */
static void test_outputs__of_many_rows(void **state)
{
    (void)state;
    enum { MANY = 1500000 }; /* three columns in float32: more than 16 MB */
    pt_error err = PT_ERROR_INIT;
    pt_dataset *train = rows(N, 7, false);
    pt_dataset *few = rows(ON, 8, false);
    pt_dataset *many = NULL;
    int64_t *which = calloc(MANY, sizeof *which);
    assert_non_null(which);
    for (int64_t i = 0; i < MANY; i++)
        which[i] = i % ON;
    small_must(pt_dataset_rows(&many, few, which, MANY, &err), &err, "rows");
    pt_model *model = small_train(train, "code=ova,learner=adaboost,rounds=3", 1);
    const int64_t rounds[] = {2};
    pt_report *of_few = outputs_of(model, few, rounds, 1, "few");
    pt_report *of_many = outputs_of(model, many, rounds, 1, "many");
    const int64_t ell = pt_report_integer(of_few, "n_columns");
    for (int64_t i = 0; i < MANY; i++) {
        expect_bits(numbers(of_many, "outputs") + i * ell,
                    numbers(of_few, "outputs") + which[i] * ell, ell, "outputs", "many rows");
        expect_bits(numbers(of_many, "stage_scores") + i * K,
                    numbers(of_few, "stage_scores") + which[i] * K, K, "scores", "many rows");
    }
    pt_report_free(of_few);
    pt_report_free(of_many);
    pt_model_free(model);
    pt_dataset_free(many);
    pt_dataset_free(few);
    pt_dataset_free(train);
    free(which);
}

static void test_outputs__what_cannot_be_asked_for(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = rows(N, 9, false);
    pt_model *model = small_train(data, "code=ova,learner=adaboost,rounds=5", 1);
    static const struct {
        int64_t n;
        int64_t rounds[2];
    } WRONG[] = {{2, {1, 1}}, {2, {3, 2}}, {1, {6}}, {1, {-1}}, {-1, {0}}};
    pt_report *report = NULL;
    for (size_t w = 0; w < sizeof WRONG / sizeof *WRONG; w++)
        assert_int_equal(
            pt_model_outputs(&report, model, data, WRONG[w].rounds, WRONG[w].n, NULL, &err),
            PT_EINVAL);
    assert_int_equal(pt_model_outputs(&report, model, data, NULL, 1, NULL, &err), PT_EINVAL);
    const int64_t all[] = {0, 1, 2, 3, 4, 5};
    pt_task *task = small_task(1);
    pt_task_set_memory(task, 20000);
    assert_int_equal(pt_model_outputs(&report, model, data, all, 6, task, &err), PT_EMEMORY);
    assert_string_equal(err.param, "memory");
    small_must(pt_model_outputs(&report, model, data, all, 1, task, &err), &err, "one stage");
    pt_report_free(report);
    report = NULL;
    pt_task_cancel(task);
    assert_int_equal(pt_model_outputs(&report, model, data, all, 1, task, &err), PT_ECANCELLED);
    assert_null(report);
    pt_task_free(task);
    pt_model_free(model);
    pt_dataset_free(data);
}

/* No rows, and rows that the preparation has something to say about. */
static void test_outputs__remarks_are_those_of_predictions(void **state)
{
    (void)state;
    static const char TRAIN[] = "x,colour,class\n1,red,a\n2,blue,b\n1.5,red,a\n3,blue,b\n";
    static const char ROWS[] = "x,colour,class\n,red,a\n2,green,b\n";
    pt_error err = PT_ERROR_INIT;
    pt_dataset *train = NULL;
    pt_dataset *data = NULL;
    pt_dataset *none = NULL;
    small_must(pt_dataset_read_memory(&train, TRAIN, sizeof TRAIN - 1, "x.csv", NULL, NULL, &err),
               &err, "train");
    small_must(pt_dataset_read_memory(&data, ROWS, sizeof ROWS - 1, "y.csv", NULL, NULL, &err),
               &err, "rows");
    small_must(pt_dataset_rows(&none, data, NULL, 0, &err), &err, "none");
    pt_model *model = small_train(train, "code=ova,learner=ls,sigma=1,ridge=1,calibrate=no", 1);
    pt_prediction *p = small_predict(model, data, 1);
    pt_report *report = outputs_of(model, data, NULL, 0, "remarks");
    assert_true(pt_prediction_n_warnings(p) > 0);
    assert_int_equal(pt_report_length(report, "warning"), pt_prediction_n_warnings(p));
    for (int64_t w = 0; w < pt_prediction_n_warnings(p); w++)
        assert_string_equal(pt_report_text_at(report, "warning", w, 0, 0),
                            pt_prediction_warning(p, w));
    assert_string_equal(pt_report_text_at(report, "class", 1, 0, 0), "b");
    pt_report_free(report);
    report = outputs_of(model, none, NULL, 0, "none");
    assert_int_equal(pt_report_length(report, "outputs"), 0);
    pt_report_free(report);
    pt_prediction_free(p);
    pt_model_free(model);
    pt_dataset_free(none);
    pt_dataset_free(data);
    pt_dataset_free(train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs__of_every_machine),
        cmocka_unit_test(test_outputs__of_every_learner),
        cmocka_unit_test(test_outputs__are_decoded_by_hand),
        cmocka_unit_test(test_outputs__of_many_rows),
        cmocka_unit_test(test_outputs__what_cannot_be_asked_for),
        cmocka_unit_test(test_outputs__remarks_are_those_of_predictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
