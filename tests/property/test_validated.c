/* Rows that only validate: nothing of the machine is learned from them; they choose what held-out
 * rows would choose, end boosting where held-out rows would, and calibrate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "data/split.h"
#include "model/model.h"
#include "polytomy/experimental.h"

enum { N = 160, K = 3, D = 3 };

/* All rows, those of `list`, and the others. */
typedef struct parted {
    pt_dataset *all;
    pt_dataset *train;
    pt_dataset *valid;
} parted;

static void take(pt_dataset **out, const pt_dataset *all, const bool *in, bool wanted)
{
    int64_t rows[N];
    int64_t m = 0;
    pt_error err = PT_ERROR_INIT;
    for (int64_t i = 0; i < N; i++)
        if (in[i] == wanted)
            rows[m++] = i;
    small_must(pt_dataset_rows(out, all, rows, m, &err), &err, "rows");
}

static parted part(uint64_t seed, const bool *in)
{
    parted p = {NULL, NULL, NULL};
    small s = small_clouds(N, D, K, seed);
    p.all = small_dataset(&s);
    take(&p.train, p.all, in, false);
    take(&p.valid, p.all, in, true);
    small_free(&s);
    return p;
}

static const char *const KINDS[] = {"class", "set", "ranking"};
static const char *const CELLS[][K] = {
    {"a", "b", "c"}, {"a;b", "b", "c;a"}, {"a>b>c", "b>c>a", "c>a>b"}};

/* The same with labels of KINDS[kind]. */
static parted part_of_kind(int kind, uint64_t seed, const bool *in)
{
    pt_error err = PT_ERROR_INIT;
    const char *cells[N];
    parted p = part(seed, in);
    for (int64_t i = 0; i < N; i++)
        cells[i] = CELLS[kind][i % K];
    small_must(pt_dataset_set_label_cells(p.all, KINDS[kind], cells, &err), &err, "labels");
    pt_dataset_free(p.train);
    pt_dataset_free(p.valid);
    take(&p.train, p.all, in, false);
    take(&p.valid, p.all, in, true);
    return p;
}

static void parted_free(parted *p)
{
    pt_dataset_free(p->valid);
    pt_dataset_free(p->train);
    pt_dataset_free(p->all);
}

static pt_model *validated(const parted *p, const char *words)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_params *params = small_params(words);
    small_must(pt_model_train_validated(&model, p->train, p->valid, params, NULL, &err), &err,
               words);
    pt_params_free(params);
    return model;
}

static pt_model *plain(const pt_dataset *data, const char *words)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_params *params = small_params(words);
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, words);
    pt_params_free(params);
    return model;
}

/* The scores of both on all rows, to the bit. */
static void expect_same(const pt_model *a, const pt_model *b, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *x = NULL;
    pt_prediction *y = NULL;
    small_must(pt_model_predict(&x, a, data, -1, NULL, &err), &err, "predict");
    small_must(pt_model_predict(&y, b, data, -1, NULL, &err), &err, "predict");
    assert_memory_equal(pt_prediction_scores(x), pt_prediction_scores(y), N * K * sizeof(double));
    pt_prediction_free(x);
    pt_prediction_free(y);
}

static void every_fourth(bool *in)
{
    for (int64_t i = 0; i < N; i++)
        in[i] = i % 4 == 1;
}

static void test_validated__the_machine_is_that_of_the_other_rows(void **state)
{
    (void)state;
    static const char *const WORDS[] = {
        "machine=onelsm,sigma=1,ridge=0.1,threads=1", "machine=tree", "machine=constraint",
        "machine=spoc,sigma=1", "machine=class-tree,learner=logistic"};
    bool in[N];
    every_fourth(in);
    parted p = part(5, in);
    for (size_t w = 0; w < sizeof WORDS / sizeof *WORDS; w++) {
        pt_model *a = validated(&p, WORDS[w]);
        pt_model *b = plain(p.train, WORDS[w]);
        expect_same(a, b, p.all);
        pt_report *about = NULL;
        assert_int_equal(pt_model_report(&about, a, NULL), PT_OK);
        assert_int_equal(pt_report_integer(about, "n_examples"), N - N / 4);
        assert_int_equal(pt_report_integer(about, "n_valid"), N / 4);
        assert_int_equal(pt_report_integer(about, "held_out_rows"), N / 4);
        pt_report_free(about);
        pt_model_free(a);
        pt_model_free(b);
    }
    parted_free(&p);
}

/* The error and the calibration are those of the machine on the rows that validate. */
static void test_validated__held_out_error_is_that_of_the_rows(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    bool in[N];
    every_fourth(in);
    parted p = part(6, in);
    pt_model *model = validated(&p, "machine=onelsm,sigma=0.7,ridge=0.01");
    pt_report *about = NULL;
    pt_report *e = NULL;
    assert_int_equal(pt_model_report(&about, model, NULL), PT_OK);
    small_must(pt_model_evaluate(&e, model, p.valid, NULL, NULL, NULL, &err), &err, "evaluate");
    assert_float_equal(pt_report_number(about, "held_out_error"), pt_report_number(e, "error"),
                       1e-12);
    pt_report_free(e);
    pt_report_free(about);
    pt_model_free(model);
    parted_free(&p);
}

/* As folds of the caller would, of which one is held out and the rest is never. */
static void test_validated__automatic_parameters_are_chosen_by_the_rows(void **state)
{
    (void)state;
    static const char *const WORDS[] = {
        "machine=onelsm,scale=none,merge=no,calibrate=no",
        "machine=vo-svm,scale=none,merge=no,calibrate=no",
        "machine=code,code=ova,learner=ls,scale=none,merge=no,calibrate=no"};
    pt_error err = PT_ERROR_INIT;
    bool in[N];
    int64_t fold[N];
    int chosen_otherwise = 0;
    for (uint64_t seed = 1; seed < 4; seed++) {
        for (int64_t i = 0; i < N; i++)
            in[i] = i >= N - 40; /* behind the others, as they stand in the joint problem */
        parted p = part(seed, in);
        for (int64_t i = 0; i < N; i++)
            fold[i] = in[i] ? 0 : -1;
        const pt_dense column = {PT_I64, fold, N, 1, 1, 1};
        small_must(pt_dataset_set_role(p.all, "fold", &column, &err), &err, "folds");
        for (size_t w = 0; w < sizeof WORDS / sizeof *WORDS; w++) {
            pt_model *a = validated(&p, WORDS[w]);
            pt_model *b = plain(p.all, WORDS[w]);
            pt_model *alone = plain(p.train, WORDS[w]);
            const char *names[] = {"sigma", "ridge", "C"};
            for (int q = 0; q < 3; q++) {
                const char *was = pt_model_param(b, names[q]);
                if (was && strcmp(was, "auto") != 0)
                    assert_string_equal(pt_model_param(a, names[q]), was);
                if (was && strcmp(was, pt_model_param(alone, names[q])) != 0)
                    chosen_otherwise++;
            }
            pt_model_free(a);
            pt_model_free(b);
            pt_model_free(alone);
        }
        parted_free(&p);
    }
    assert_true(chosen_otherwise > 0); /* or nothing was tested */
}

/* With `stop-share` boosting holds out a sample; trained on the rest and validated by the sample it
 * is the same machine. */
static void test_validated__boosting_ends_as_by_held_out_rows(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=adaboost-mo,code=ova,rounds=60",
        "machine=adaboost-mh,rounds=60",
        "machine=code,code=ova,learner=adaboost,rounds=60",
        "machine=code,code=ovo,learner=logitboost,rounds=60",
        "machine=code,code=ova,learner=adaboost,depth=3,rounds=40",
        "machine=code,code=ova,learner=brownboost,rounds=60"};
    pt_error err = PT_ERROR_INIT;
    int ended = 0;
    for (uint64_t seed = 1; seed < 4; seed++) {
        int64_t rows[N];
        int64_t class_of[N];
        bool in[N] = {false};
        const int64_t held = N / 4;
        for (int64_t i = 0; i < N; i++)
            class_of[i] = i % K;
        small_must(pt_sample(rows, held, N, class_of, K, 1, &err), &err, "sample");
        for (int64_t h = 0; h < held; h++)
            in[rows[h]] = true;
        parted p = part(seed, in);
        for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
            char by_share[200];
            char by_rows[200];
            snprintf(by_share, sizeof by_share,
                     "%s,stop-share=0.25,patience=7,merge=no,calibrate=no", MACHINES[m]);
            snprintf(by_rows, sizeof by_rows, "%s,patience=7,merge=no,calibrate=no", MACHINES[m]);
            pt_model *a = validated(&p, by_rows);
            pt_model *b = plain(p.all, by_share);
            expect_same(a, b, p.all);
            pt_report *about = NULL;
            assert_int_equal(pt_model_report(&about, a, NULL), PT_OK);
            ended += pt_report_integer(about, "n_rounds") < 40;
            pt_report_free(about);
            pt_model_free(a);
            pt_model_free(b);
        }
        parted_free(&p);
    }
    assert_true(ended > 5); /* or patience was never at its end */
}

/* The first of the smallest losses, where nobody looks further than `patience` behind it. */
static int best_of(const double *loss, int count, int patience)
{
    int best = 0;
    for (int t = 1; t < count && t - best <= patience; t++)
        if (loss[t] < loss[best])
            best = t;
    return best;
}

/* The mean over rows and columns of the loss of a model's outputs, as they are before decoding. */
static double hinge_on(const pt_model *model, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *outputs = NULL;
    double sum = 0;
    small_must(pt_model_outputs(&outputs, model, data, NULL, 0, NULL, &err), &err, "outputs");
    for (int64_t i = 0; i < pt_dataset_n_examples(data); i++)
        for (int64_t s = 0; s < K; s++) {
            const double side =
                pt_report_number_at(outputs, "code", pt_dataset_class(data, i), s, 0);
            const double z = side * pt_report_number_at(outputs, "outputs", i, s, 0);
            sum += fabs(side) > 0 && z < 1 ? 1 - z : 0;
        }
    pt_report_free(outputs);
    return sum / (double)pt_dataset_n_examples(data);
}

/* Online learners keep the weights after one of their epochs: the best on these rows. */
static void test_validated__of_all_epochs_the_best_is_kept(void **state)
{
    (void)state;
    enum { EPOCHS = 12 };
    static const char *const LEARNERS[] = {"perceptron,update=perceptron", "perceptron",
                                           "perceptron,update=pa", "winnow"};
    static const char *const CODES[] = {"ova", "ovo"};
    bool in[N];
    int earlier = 0;
    int ended = 0;
    every_fourth(in);
    for (uint64_t seed = 1; seed < 3; seed++) {
        parted p = part(seed, in);
        for (int l = 0; l < 8; l++) {
            double loss[EPOCHS];
            pt_model *one[EPOCHS];
            char each[200];
            char words[240];
            snprintf(each, sizeof each,
                     "machine=code,precision=double,merge=no,calibrate=no,code=%s,learner=%s",
                     CODES[l % 2], LEARNERS[l / 2]);
            for (int e = 0; e < EPOCHS; e++) {
                snprintf(words, sizeof words, "%s,epochs=%d", each, e + 1);
                one[e] = plain(p.train, words);
                loss[e] = hinge_on(one[e], p.valid);
            }
            for (int patience = 1; patience <= EPOCHS; patience += 1 + patience / 2) {
                const int best = best_of(loss, EPOCHS, patience);
                snprintf(words, sizeof words, "%s,epochs=%d,patience=%d", each, (int)EPOCHS,
                         patience);
                pt_model *kept = validated(&p, words);
                assert_float_equal(hinge_on(kept, p.valid), loss[best], 1e-9);
                expect_same(kept, one[best], p.all);
                earlier += loss[best] < loss[EPOCHS - 1] - 1e-6;
                ended += best != best_of(loss, EPOCHS, EPOCHS);
                pt_model_free(kept);
            }
            for (int e = 0; e < EPOCHS; e++)
                pt_model_free(one[e]);
        }
        parted_free(&p);
    }
    assert_true(earlier > 3); /* or the last was always the best */
    assert_true(ended > 3);   /* or patience was never at its end */
}

/* The loss of the pairs of one row: of the scores before and after, and of a threshold of 0. */
static double pairs_loss(int kind, int64_t i, const double *f)
{
    static const int ORDER[K][K] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}; /* as in CELLS */
    static const bool SET[K][K] = {{true, true, false}, {false, true, false}, {true, false, true}};
    double loss = 0;
    for (int a = 0; a < K; a++)
        for (int b = 0; b < K; b++) {
            const bool wanted = kind == 0   ? a == i % K && b != a
                                : kind == 1 ? SET[i % K][a] && !SET[i % K][b]
                                            : a < b;
            const int *order = ORDER[kind == 2 ? i % K : 0];
            if (wanted)
                loss += fmax(0, 1 - (f[order[a]] - f[order[b]]));
        }
    for (int a = 0; a < K && kind == 1; a++)
        loss += fmax(0, 1 - (SET[i % K][a] ? f[a] : -f[a]));
    return loss;
}

static double pairs_on(int kind, const pt_model *model, const pt_dataset *data, const bool *in)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *p = NULL;
    double sum = 0;
    small_must(pt_model_predict(&p, model, data, -1, NULL, &err), &err, "predict");
    for (int64_t i = 0, at = 0; i < N; i++)
        if (in[i])
            sum += pairs_loss(kind, i, pt_prediction_scores(p) + at++ * K);
    pt_prediction_free(p);
    return sum;
}

static int64_t figure(const pt_model *model, const char *name)
{
    char key[60];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(pt_model_metadata(model), key);
    assert_non_null(at);
    return strtoll(at + strlen(key), NULL, 10);
}

/* The same of constraint classification, whatever the labels are. */
static void test_validated__constraint_keeps_the_best_of_its_epochs(void **state)
{
    (void)state;
    enum { EPOCHS = 10 };
    static const char *const UPDATES[] = {"perceptron", "averaged", "pa", "balanced-winnow"};
    bool in[N];
    int ended = 0;
    every_fourth(in);
    for (int kind = 0; kind < 3; kind++) {
        parted p = part_of_kind(kind, 4, in);
        for (int u = 0; u < 4; u++) {
            double loss[EPOCHS];
            pt_model *one[EPOCHS];
            char each[200];
            char words[240];
            snprintf(each, sizeof each,
                     "machine=constraint,method=online,precision=double,merge=no,calibrate=no,"
                     "update=%s",
                     UPDATES[u]);
            for (int e = 0; e < EPOCHS; e++) {
                snprintf(words, sizeof words, "%s,epochs=%d", each, e + 1);
                one[e] = plain(p.train, words);
                loss[e] = pairs_on(kind, one[e], p.valid, in);
            }
            for (int patience = 1; patience <= EPOCHS; patience += 1 + patience / 2) {
                const int best = best_of(loss, EPOCHS, patience);
                snprintf(words, sizeof words, "%s,epochs=%d,patience=%d", each, (int)EPOCHS,
                         patience);
                pt_model *kept = validated(&p, words);
                expect_same(kept, one[best], p.all);
                assert_int_equal(figure(kept, "epochs_made"), best + 1);
                assert_int_equal(figure(kept, "mistakes"), figure(one[best], "mistakes"));
                assert_int_equal(figure(kept, "moves"), figure(one[best], "moves"));
                ended += best != best_of(loss, EPOCHS, EPOCHS);
                pt_model_free(kept);
            }
            for (int e = 0; e < EPOCHS; e++)
                pt_model_free(one[e]);
        }
        parted_free(&p);
    }
    assert_true(ended > 3);
}

static void test_validated__is_in_the_file_and_the_same_with_threads(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    bool in[N];
    every_fourth(in);
    parted p = part(8, in);
    void *bytes[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    pt_model *loaded = NULL;
    pt_report *about = NULL;
    for (int t = 0; t < 2; t++) {
        pt_task *task = NULL;
        pt_model *model = NULL;
        pt_params *params = small_params("machine=code,code=ova,learner=adaboost,patience=4");
        small_must(pt_task_new(&task, &err), &err, "task");
        small_must(pt_task_set(task, "threads", t ? 3 : 1, &err), &err, "threads");
        small_must(pt_model_train_validated(&model, p.train, p.valid, params, task, &err), &err,
                   "train");
        small_must(pt_model_save_memory(&bytes[t], &size[t], model, &err), &err, "save");
        pt_model_free(model);
        pt_params_free(params);
        pt_task_free(task);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    small_must(pt_model_load_memory(&loaded, bytes[0], size[0], NULL, &err), &err, "load");
    assert_int_equal(pt_model_report(&about, loaded, NULL), PT_OK);
    assert_int_equal(pt_report_integer(about, "n_valid"), N / 4);
    assert_string_equal(pt_model_param(loaded, "patience"), "4");
    pt_report_free(about);
    pt_model_free(loaded);
    pt_bytes_free(bytes[0]);
    pt_bytes_free(bytes[1]);
    parted_free(&p);
}

static void test_validated__of_sets_and_rankings(void **state)
{
    (void)state;
    bool in[N];
    every_fourth(in);
    for (int kind = 1; kind < 3; kind++) {
        parted p = part_of_kind(kind, 9, in);
        pt_model *a = validated(&p, "machine=rank-ls");
        pt_model *b = NULL;
        char words[200];
        snprintf(words, sizeof words, "machine=rank-ls,sigma=%s,ridge=%s",
                 pt_model_param(a, "sigma"), pt_model_param(a, "ridge"));
        b = plain(p.train, words);
        expect_same(a, b, p.all);
        pt_model_free(a);
        pt_model_free(b);
        parted_free(&p);
    }
}

static void refuse(const parted *p, const char *words, pt_status status, const char *says)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_params *params = small_params(words);
    assert_int_equal(pt_model_train_validated(&model, p->train, p->valid, params, NULL, &err),
                     status);
    if (!strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
    assert_null(model);
    pt_params_free(params);
}

static void test_validated__what_cannot_be_is_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    bool in[N];
    every_fourth(in);
    parted p = part(3, in);
    refuse(&p, "machine=code,learner=adaboost,stop-share=0.2", PT_EINVAL, "stop-share");
    refuse(&p, "machine=relevance,learner=adaboost,patience=3", PT_EINVAL, "");
    refuse(&p, "machine=class-tree,learner=adaboost,patience=3", PT_EINVAL, "patience");
    refuse(&p, "machine=code,learner=adaboost,single-call=yes,patience=3", PT_EINVAL, "patience");
    refuse(&p, "machine=class-tree,learner=perceptron,patience=3", PT_EINVAL, "patience");
    refuse(&p, "machine=code,learner=perceptron,single-call=yes,patience=3", PT_EINVAL, "patience");
    refuse(&p, "machine=code,learner=winnow,epochs=0,patience=3", PT_EINVAL, "`epochs=0`");
    refuse(&p, "machine=code,learner=logistic,patience=3", PT_EINVAL, "patience");
    refuse(&p, "machine=constraint,method=online,epochs=0,patience=3", PT_EINVAL, "`epochs=0`");
    refuse(&p, "machine=constraint,method=svm,patience=3", PT_EINVAL, "patience");
    refuse(&p, "machine=onelsm,kernel=precomputed", PT_ENOSUPPORT, "precomputed");
    static const char *const OTHER[] = {"x", "y"};
    int64_t code[N] = {0};
    for (int64_t i = 0; i < N / 4; i++)
        code[i] = i % 2;
    small_must(pt_dataset_set_classes(p.valid, PT_I64, code, OTHER, 2, &err), &err, "classes");
    refuse(&p, "machine=tree", PT_EFORMAT, "classes that the rows to train on do not have");
    small_must(pt_dataset_set_classes(p.valid, PT_I64, NULL, NULL, 0, &err), &err, "no labels");
    refuse(&p, "machine=tree", PT_EFORMAT, "no labels to validate by");
    parted_free(&p);

    p = part(3, in);
    int64_t group[N];
    for (int64_t i = 0; i < N; i++)
        group[i] = i / 2;
    const pt_dense column = {PT_I64, group, N - N / 4, 1, 1, 1};
    small_must(pt_dataset_set_role(p.train, "group", &column, &err), &err, "groups");
    refuse(&p, "machine=tree", PT_EINVAL, "groups hold nothing out");
    small_must(pt_dataset_set_role(p.train, "group", NULL, &err), &err, "groups");
    pt_dataset_free(p.valid);
    small s = small_clouds(40, D + 1, K, 4);
    p.valid = small_dataset(&s);
    small_free(&s);
    refuse(&p, "machine=tree", PT_EFORMAT, "");
    parted_free(&p);
}

static void test_validated__survives_the_end_of_memory(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"machine=onelsm,threads=1", "machine=softmax,threads=1",
                                        "machine=softmax,penalty=l1,threads=1",
                                        "machine=constraint,method=online,threads=1",
                                        "machine=code,learner=winnow,threads=1"};
    pt_error err = PT_ERROR_INIT;
    bool in[N];
    every_fourth(in);
    parted p = part(3, in);
    for (size_t w = 0; w < sizeof WORDS / sizeof *WORDS; w++) {
        pt_params *params = small_params(WORDS[w]);
        pt_status status = PT_ENOMEM;
        int64_t failed = 0;
        for (int64_t at = 1; at < 20000 && status != PT_OK; at += 1 + (w == 0 ? at / 20 : 0)) {
            pt_model *model = NULL;
            pt_alloc_fail_from(at);
            status = pt_model_train_validated(&model, p.train, p.valid, params, NULL, &err);
            pt_alloc_fail_from(0);
            pt_model_free(model);
            assert_true(status == PT_OK || status == PT_ENOMEM);
            failed += status != PT_OK;
        }
        assert_int_equal(status, PT_OK);
        assert_true(failed > 20);
        pt_params_free(params);
    }
    parted_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_validated__the_machine_is_that_of_the_other_rows),
        cmocka_unit_test(test_validated__held_out_error_is_that_of_the_rows),
        cmocka_unit_test(test_validated__automatic_parameters_are_chosen_by_the_rows),
        cmocka_unit_test(test_validated__boosting_ends_as_by_held_out_rows),
        cmocka_unit_test(test_validated__of_all_epochs_the_best_is_kept),
        cmocka_unit_test(test_validated__constraint_keeps_the_best_of_its_epochs),
        cmocka_unit_test(test_validated__is_in_the_file_and_the_same_with_threads),
        cmocka_unit_test(test_validated__of_sets_and_rankings),
        cmocka_unit_test(test_validated__what_cannot_be_is_refused),
        cmocka_unit_test(test_validated__survives_the_end_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
