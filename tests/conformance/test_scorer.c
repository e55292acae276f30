/* labels: threads heavy */
/* A row has the same scores, to the last bit, alone, among others, on any number of threads and in
 * a scorer: for every machine of the registry, with every kernel, learner, code and decoder that it
 * takes, in float32 and double, dense and sparse. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/share.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "codes/code.h"
#include "decoders/decoder.h"
#include "kernels/kernel.h"
#include "kernels/loops.h"
#include "learners/learner.h"
#include "machine/machine.h"
#include "params/params_table.h"

/* Training rows fill two panels of centres and a part of a third; rows to score no whole block. */
enum { N = 140, D = 7, K = 5, ON = 139, MOST_K = 16 };

/* A third of the cells is 0; all are floats, so that a row of floats is the same row. */
static small rows_of(int64_t n, int64_t d, uint64_t seed)
{
    small s = small_clouds(n, d, K, seed);
    for (int64_t c = 0; c < n * d; c++)
        s.x[c] = (c * 7 + (int64_t)seed) % 3 == 0 ? 0 : (double)(float)s.x[c];
    return s;
}

/* The label cells of an example of class y, for machines that take no classes. */
static void set_labels(pt_dataset *data, const small *s, const char *kind)
{
    enum { LONGEST = 40 };
    char(*text)[LONGEST] = calloc((size_t)s->n, sizeof *text);
    const char **cell = calloc((size_t)s->n, sizeof *cell);
    pt_error err = PT_ERROR_INIT;
    for (int64_t i = 0; i < s->n; i++) {
        const int a = (int)s->y[i];
        const bool set = strcmp(kind, "set") == 0;
        snprintf(text[i], LONGEST,
                 set && i % 3 ? "c%d"
                 : set        ? "c%d;c%d"
                              : "c%d>c%d>c%d",
                 a, (a + 1) % K, (a + 2) % K);
        cell[i] = text[i];
    }
    small_must(pt_dataset_set_label_cells(data, kind, cell, &err), &err, kind);
    free(text);
    free(cell);
}

static void expect_bits(const char *what, const char *text, int64_t row, const double *found,
                        const double *expected, int64_t k)
{
    if (memcmp(found, expected, (size_t)k * sizeof *found) != 0)
        for (int64_t r = 0; r < k; r++)
            if (memcmp(&found[r], &expected[r], sizeof *found) != 0)
                fail_msg("%s: %s, row %d, class %d: %.17g, not %.17g", text, what, (int)row, (int)r,
                         found[r], expected[r]);
}

/* Rows first .. first + n of `s`, as the data set of a form. */
static pt_dataset *some_rows(const small *s, int64_t first, int64_t n, bool sparse)
{
    small some = *s;
    some.n = n;
    some.x = s->x + first * s->d;
    some.y = NULL;
    return sparse ? small_sparse_dataset(&some) : small_dataset(&some);
}

static void expect_batches(const pt_model *model, const small *on, bool sparse, const char *text,
                           const pt_prediction *all)
{
    static const int64_t SIZES[] = {1, 2, 5, 64, 71};
    const int64_t k = pt_model_n_classes(model);
    for (size_t b = 0; b < sizeof SIZES / sizeof *SIZES; b++)
        for (int64_t first = 0; first < on->n; first += SIZES[b]) {
            const int64_t n = on->n - first < SIZES[b] ? on->n - first : SIZES[b];
            pt_dataset *data = some_rows(on, first, n, sparse);
            pt_prediction *some = small_predict(model, data, b % 2 ? 3 : 1);
            for (int64_t i = 0; i < n; i++)
                expect_bits("a batch", text, first + i, pt_prediction_scores(some) + i * k,
                            pt_prediction_scores(all) + (first + i) * k, k);
            pt_prediction_free(some);
            pt_dataset_free(data);
        }
}

static void expect_scorer(const pt_model *model, const small *on, const char *text,
                          const pt_prediction *all)
{
    const int64_t k = pt_model_n_classes(model);
    const bool ranks = strcmp(pt_model_label_kind(model), "ranking") == 0;
    double *proba = calloc((size_t)(on->n * k), sizeof *proba);
    float *narrow = calloc((size_t)on->d, sizeof *narrow);
    int64_t *index = calloc((size_t)on->d, sizeof *index);
    double *value = calloc((size_t)on->d, sizeof *value);
    pt_scorer *scorer = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_true(k <= MOST_K);
    small_must(pt_scorer_new(&scorer, model, NULL, &err), &err, text);
    if (!ranks)
        small_must(pt_prediction_proba(all, proba, &err), &err, text);
    for (int64_t i = 0; i < on->n; i++) {
        const double *row = on->x + i * on->d;
        const double *expected = pt_prediction_scores(all) + i * k;
        double scores[MOST_K];
        double likely[MOST_K];
        int64_t label = -1;
        int64_t count = 0;
        for (int64_t j = 0; j < on->d; j++) {
            narrow[j] = (float)row[j];
            if (row[j] != 0) {
                index[count] = j;
                value[count++] = row[j];
            }
        }
        small_must(pt_scorer_f64(scorer, row, scores, ranks ? NULL : likely, &label, &err), &err,
                   text);
        expect_bits("a row of doubles", text, i, scores, expected, k);
        assert_int_equal(label, pt_prediction_labels(all)[i]);
        if (!ranks)
            expect_bits("probabilities", text, i, likely, proba + i * k, k);
        small_must(pt_scorer_f32(scorer, narrow, scores, NULL, NULL, &err), &err, text);
        expect_bits("a row of floats", text, i, scores, expected, k);
        small_must(pt_scorer_sparse(scorer, count, index, value, scores, NULL, NULL, &err), &err,
                   text);
        expect_bits("a sparse row", text, i, scores, expected, k);
    }
    const int64_t before = pt_alloc_count(); /* all rows once more: all has been had */
    for (int64_t i = 0; i < on->n; i++)
        small_must(pt_scorer_f64(scorer, on->x + i * on->d, NULL, NULL, NULL, &err), &err, text);
    if (pt_alloc_count() != before)
        fail_msg("%s: %d allocations for %d rows", text, (int)(pt_alloc_count() - before),
                 (int)on->n);
    if (ranks)
        assert_int_equal(pt_scorer_f64(scorer, on->x, NULL, proba, NULL, &err), PT_ENOSUPPORT);
    pt_scorer_free(scorer);
    free(proba);
    free(narrow);
    free(index);
    free(value);
}

/* Whether the machine takes the options; then all ways must agree. */
static bool agree(const pt_dataset *train, const small *on, bool sparse, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    const pt_status status = small_try_train(&model, train, text, 1, &err);
    if (status == PT_EINVAL || status == PT_ENOSUPPORT || status == PT_ENUMERIC)
        return false;
    small_must(status, &err, text);
    pt_dataset *data = some_rows(on, 0, on->n, sparse);
    pt_prediction *all = small_predict(model, data, 1);
    expect_batches(model, on, sparse, text, all);
    expect_scorer(model, on, text, all);
    pt_prediction_free(all);
    pt_dataset_free(data);
    pt_model_free(model);
    return true;
}

static const char *const KERNELS[] = {
    "kernel=linear",
    "kernel=rbf,sigma=1",
    "kernel=rbf,sigma=0.1", /* faint rows, which are scored again in double */
    "kernel=laplacian,sigma=2",
    "kernel=poly,sigma=2,degree=2,coef0=1",
    "kernel=sigmoid,sigma=4,coef0=0",
};
enum { N_KERNELS = sizeof KERNELS / sizeof *KERNELS };

static const char *const FORMS[] = {"precision=float", "precision=double"};

/* Machines say what kind of labels they take: the first of these. */
static pt_dataset *training_rows(const pt_machine_ops *ops, const small *s, bool sparse)
{
    pt_dataset *data = sparse ? small_sparse_dataset(s) : small_dataset(s);
    if (ops->label_kinds & 1U << PT_LABEL_CLASS)
        return data;
    set_labels(data, s, ops->label_kinds & 1U << PT_LABEL_SET ? "set" : "ranking");
    return data;
}

static void test_scorer__every_machine_and_kernel(void **state)
{
    (void)state;
    small s = rows_of(N, D, 1);
    small on = rows_of(ON, D, 2);
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int sparse = 0; sparse < 2; sparse++) {
            pt_dataset *train = training_rows(*ops, &s, sparse != 0);
            const bool layer = strstr((*ops)->parameters, "hidden") != NULL;
            int agreed = 0;
            char text[300];
            for (int form = 0; form < 2; form++) {
                snprintf(text, sizeof text, "machine=%s,%s%s", (*ops)->name, FORMS[form],
                         layer ? ",hidden=70" : "");
                agreed += (form == 0 || test_in_share()) && agree(train, &on, sparse != 0, text);
                for (int q = 0; q < N_KERNELS; q++) {
                    const bool ridge = strstr((*ops)->parameters, "ridge") != NULL;
                    snprintf(text, sizeof text, "machine=%s,calibrate=no,%s,%s%s%s", (*ops)->name,
                             FORMS[form], KERNELS[q], ridge ? ",ridge=0.5" : "",
                             layer ? ",hidden=70" : "");
                    agreed += test_in_share() && agree(train, &on, sparse != 0, text);
                }
            }
            if (agreed == 0 && (!sparse || (*ops)->capabilities & PT_CAN_SPARSE))
                fail_msg("%s was never trained (%s)", (*ops)->name, text);
            pt_dataset_free(train);
        }
    small_free(&s);
    small_free(&on);
}

static void test_scorer__every_learner_code_and_decoder(void **state)
{
    (void)state;
    small s = rows_of(N, D, 3);
    small on = rows_of(ON, D, 4);
    for (int sparse = 0; sparse < 2; sparse++) {
        pt_dataset *train = sparse ? small_sparse_dataset(&s) : small_dataset(&s);
        for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++) {
            static const char *const CODES[] = {"ova", "ovo", "dense", "sparse"};
            int agreed = 0;
            char text[300];
            for (size_t c = 0; c < sizeof CODES / sizeof *CODES; c++)
                for (int form = 0; form < 3; form++) {
                    snprintf(text, sizeof text, "machine=code,calibrate=no,learner=%s,code=%s,%s",
                             (*learner)->name, CODES[c],
                             form < 2 ? FORMS[form] : "single-call=yes");
                    agreed += ((c == 0 && form == 0) || test_in_share()) &&
                              agree(train, &on, sparse != 0, text);
                }
            if (agreed == 0 && (!sparse || (*learner)->capabilities & PT_LEARNS_SPARSE))
                fail_msg("learner %s was never trained", (*learner)->name);
        }
        for (const pt_decoder *const *decoder = pt_decoders; *decoder && !sparse; decoder++) {
            char text[200];
            int agreed = 0;
            for (int code = 0; code < 2; code++) {
                snprintf(text, sizeof text,
                         "machine=code,learner=ls,calibrate=no,code=%s,decode=%s",
                         code ? "ova" : "ovo", (*decoder)->name);
                agreed += agree(train, &on, false, text);
            }
            snprintf(text, sizeof text, "machine=onelsm,sigma=1,ridge=0.1,decode=%s",
                     (*decoder)->name);
            agreed += agree(train, &on, false, text);
            assert_true(agreed > 0);
        }
        pt_dataset_free(train);
    }
    small_free(&s);
    small_free(&on);
}

/* Rows that are kernel values, for machines whose centres are in groups and for others. */
static void test_scorer__precomputed_kernels(void **state)
{
    (void)state;
    small s = rows_of(N, N, 5);
    small on = rows_of(ON, N, 6);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j <= i; j++)
            s.x[i * N + j] = s.x[j * N + i] = i == j ? 20 : s.x[j * N + i] / 20;
    pt_dataset *train = small_dataset(&s);
    assert_true(agree(train, &on, false, "machine=onelsm,kernel=precomputed,ridge=1"));
    assert_true(agree(train, &on, false, "machine=code,code=ovo,kernel=precomputed"));
    pt_dataset_free(train);
    small_free(&s);
    small_free(&on);
}

/* Many features and many outputs: more than the loops take at a time. */
static void test_scorer__wide_rows(void **state)
{
    (void)state;
    enum { WIDE = 300 };
    small s = rows_of(N, WIDE, 7);
    small on = rows_of(ON, WIDE, 8);
    pt_dataset *train = small_dataset(&s);
    assert_true(agree(train, &on, false, "machine=onelsm,sigma=9,ridge=0.1"));
    assert_true(agree(train, &on, false, "machine=onelsm,sigma=9,ridge=1e-7"));
    assert_true(agree(train, &on, false, "machine=code,code=dense,columns=70,learner=linear-svm"));
    assert_true(agree(train, &on, false, "machine=code,code=dense,columns=70,learner=svm"));
    pt_dataset_free(train);
    small_free(&s);
    small_free(&on);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const char TABLE[] = "size,colour,kind,weight,label\n"
                            "1.5,red,a,2,x\n2.5,blue,b,,y\n1.25,red,c,3,x\n2.75,green,a,1,y\n"
                            "1,red,b,2.5,x\n3,blue,c,1.5,y\n0.5,?,a,2,z\n0.25,green,b,1,z\n"
                            "0.75,blue,c,,z\n1.75,red,a,4,x\n2,green,b,2,y\n0.1,blue,a,1,z\n";
static const char FRESH[] = "size,colour,kind,weight,label\n"
                            "1,red,a,2,x\n2,violet,b,,x\n0.5,?,c,3,x\n3,green,a,1,x\n,blue,b,2,x\n";

static void expect_table(const char *options)
{
    static const char *const COLOUR[] = {"red", "violet", NULL, "green", "blue"};
    static const char *const KIND[] = {"a", "b", "c", "a", "b"};
    const double size[] = {1, 2, 0.5, 3, NAN};
    const double weight[] = {2, NAN, 3, 1, 2};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *train = NULL;
    pt_dataset *fresh = NULL;
    pt_scorer *scorer = NULL;
    small_must(
        pt_dataset_read_memory(&train, TABLE, sizeof TABLE - 1, "table.csv", NULL, NULL, &err),
        &err, "a table");
    small_must(
        pt_dataset_read_memory(&fresh, FRESH, sizeof FRESH - 1, "fresh.csv", NULL, NULL, &err),
        &err, "rows");
    pt_model *model = small_train(train, options, 1);
    pt_prediction *all = small_predict(model, fresh, 1);
    small_must(pt_scorer_new(&scorer, model, NULL, &err), &err, options);
    const int64_t k = pt_model_n_classes(model);
    assert_int_equal(pt_scorer_level(scorer, 0, "red"), -1);
    if (!strstr(options, "max-levels")) /* there it is one of the rest */
        assert_int_equal(pt_scorer_level(scorer, 1, "violet"), -1);
    for (int64_t i = 0; i < 5; i++) {
        double scores[MOST_K];
        const double row[] = {size[i],
                              COLOUR[i] ? (double)pt_scorer_level(scorer, 1, COLOUR[i]) : NAN,
                              (double)pt_scorer_level(scorer, 2, KIND[i]), weight[i]};
        small_must(pt_scorer_f64(scorer, row, scores, NULL, NULL, &err), &err, options);
        expect_bits("a row of a table", options, i, scores, pt_prediction_scores(all) + i * k, k);
    }
    pt_scorer_free(scorer);
    pt_prediction_free(all);
    pt_model_free(model);
    pt_dataset_free(fresh);
    pt_dataset_free(train);
}

static void test_scorer__tables_with_levels_and_missing_cells(void **state)
{
    (void)state;
    expect_table("machine=tree");
    expect_table("machine=adaboost-mo,rounds=5");
    expect_table("machine=softmax,missing=mean");
    expect_table("machine=softmax,missing=indicator");
    expect_table("machine=onelsm,sigma=1,ridge=0.1,missing=zero,scale=standard");
    expect_table("machine=onelsm,sigma=1,ridge=0.1,max-levels=2");
}

static void test_scorer__refuses_in_words(void **state)
{
    (void)state;
    small s = rows_of(N, D, 9);
    pt_dataset *train = small_dataset(&s);
    pt_model *model = small_train(train, "machine=softmax,missing=error", 1);
    pt_scorer *scorer = NULL;
    pt_error err = PT_ERROR_INIT;
    double scores[MOST_K] = {7};
    const double value[] = {1, NAN};
    const int64_t twice[] = {2, 2};
    const int64_t below[] = {-1, 2};
    const int64_t fine[] = {2, 90};
    small_must(pt_scorer_new(&scorer, model, NULL, &err), &err, "a scorer");
    assert_int_equal(pt_scorer_sparse(scorer, 2, twice, value, scores, NULL, NULL, &err),
                     PT_EINVAL);
    assert_non_null(strstr(err.text, "ascend"));
    assert_int_equal(pt_scorer_sparse(scorer, 2, below, value, scores, NULL, NULL, &err),
                     PT_EINVAL);
    assert_int_equal(pt_scorer_sparse(scorer, -1, NULL, NULL, scores, NULL, NULL, &err), PT_EINVAL);
    s.x[3] = NAN;
    assert_int_equal(pt_scorer_f64(scorer, s.x, scores, NULL, NULL, &err), PT_EFORMAT);
    s.x[3] = INFINITY;
    assert_int_equal(pt_scorer_f64(scorer, s.x, scores, NULL, NULL, &err), PT_ENUMERIC);
    assert_non_null(strstr(err.text, "is infinite"));
    s.x[3] = 1e39;
    assert_int_equal(pt_scorer_f64(scorer, s.x, scores, NULL, NULL, &err), PT_ENUMERIC);
    assert_non_null(strstr(err.text, "is too large"));
    assert_true(scores[0] == 7);
    /* column 90 is none of training's: its cell does not matter */
    assert_int_equal(pt_scorer_sparse(scorer, 2, fine, value, scores, NULL, NULL, &err), PT_OK);
    pt_scorer_free(scorer);
    pt_scorer_free(NULL);
    pt_model_free(model);
    pt_dataset_free(train);
    small_free(&s);
}

/* ---- several at once ------------------------------------------------------------------------- */

typedef struct asker {
    const pt_model *model;
    const small *on;
    const double *expected;
    int64_t wrong;
} asker;

static void *ask(void *context)
{
    asker *a = context;
    pt_scorer *scorer = NULL;
    double scores[MOST_K];
    a->wrong = pt_scorer_new(&scorer, a->model, NULL, NULL) != PT_OK;
    for (int round = 0; round < 3 && a->wrong == 0; round++)
        for (int64_t i = 0; i < a->on->n; i++)
            a->wrong +=
                pt_scorer_f64(scorer, a->on->x + i * a->on->d, scores, NULL, NULL, NULL) != PT_OK ||
                memcmp(scores, a->expected + i * K, K * sizeof *scores) != 0;
    pt_scorer_free(scorer);
    return NULL;
}

static void test_scorer__several_share_a_model(void **state)
{
    enum { THREADS = 4 };
    static const char *const MACHINES[] = {
        "machine=onelsm,sigma=1,ridge=0.1", "machine=softmax", "machine=tree",
        "machine=code,code=ovo,learner=svm,kernel=rbf,sigma=1", "machine=adaboost-mo,rounds=5"};
    (void)state;
    small s = rows_of(N, D, 10);
    small on = rows_of(ON, D, 11);
    pt_dataset *train = small_dataset(&s);
    pt_dataset *data = some_rows(&on, 0, ON, false);
    for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
        pt_model *model = small_train(train, MACHINES[m], 1);
        pt_prediction *all = small_predict(model, data, 1);
        pthread_t thread[THREADS];
        asker a[THREADS];
        for (int t = 0; t < THREADS; t++) {
            a[t] = (asker){model, &on, pt_prediction_scores(all), 0};
            assert_int_equal(pthread_create(&thread[t], NULL, ask, &a[t]), 0);
        }
        for (int t = 0; t < THREADS; t++)
            pthread_join(thread[t], NULL);
        for (int t = 0; t < THREADS; t++)
            assert_int_equal(a[t].wrong, 0);
        pt_prediction_free(all);
        pt_model_free(model);
    }
    pt_dataset_free(data);
    pt_dataset_free(train);
    small_free(&s);
    small_free(&on);
}

/* ---- without memory -------------------------------------------------------------------------- */

static void test_scorer__survives_failed_allocations(void **state)
{
    (void)state;
    small s = rows_of(30, D, 12);
    pt_dataset *train = small_dataset(&s);
    pt_model *model = small_train(train, "machine=code,code=ovo,kernel=rbf,sigma=0.1", 1);
    const int64_t live = pt_alloc_live();
    for (int64_t number = 1;; number++) {
        pt_error err = PT_ERROR_INIT;
        pt_scorer *scorer = NULL;
        double scores[MOST_K];
        pt_alloc_fail_from(number);
        pt_status status = pt_scorer_new(&scorer, model, NULL, &err);
        if (status == PT_OK)
            status = pt_scorer_f64(scorer, s.x, scores, NULL, NULL, &err);
        pt_alloc_fail_from(0);
        if (scorer) /* it serves on */
            assert_int_equal(pt_scorer_f64(scorer, s.x, scores, NULL, NULL, &err), PT_OK);
        pt_scorer_free(scorer);
        assert_true(pt_alloc_live() == live);
        assert_true(status == PT_OK || status == PT_ENOMEM);
        if (status == PT_OK)
            break;
        assert_true(number < 200);
    }
    pt_model_free(model);
    pt_dataset_free(train);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scorer__every_machine_and_kernel),
        cmocka_unit_test(test_scorer__precomputed_kernels),
        cmocka_unit_test(test_scorer__wide_rows),
    };
    const struct CMUnitTest once[] = {
        cmocka_unit_test(test_scorer__every_learner_code_and_decoder),
        cmocka_unit_test(test_scorer__tables_with_levels_and_missing_cells),
        cmocka_unit_test(test_scorer__refuses_in_words),
        cmocka_unit_test(test_scorer__several_share_a_model),
        cmocka_unit_test(test_scorer__survives_failed_allocations),
    };
    int failed = cmocka_run_group_tests(once, NULL, NULL);
    /* every instruction set has sums of its own, and must keep their order */
    for (int level = 0; level < PT_ISA_LEVELS; level++)
        if (pt_isas[level] && pt_isa_runs(pt_isas[level])) {
            pt_isa_force(pt_isas[level]);
            failed += cmocka_run_group_tests_name(pt_isas[level]->name, tests, NULL, NULL);
        }
    return failed;
}
