/* A learner that a program brings: what it is given, what becomes of its errors, who frees its
 * states, the file; searched, compared and decoded as the library's own. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "losses/loss.h"
#include "model/model.h"
#include "params/callbacks.h"
#include "params/params_table.h"

enum { N = 60, D = 3, K = 4 };

/* ---- nearest mean: f(x) is how much nearer the mean of the side +1 is -------------------------
 */

typedef struct mean {
    int64_t d;
    double plus[D];
    double minus[D];
} mean;

/* What the callbacks are told to do, and what they saw. */
typedef struct script {
    atomic_int living; /* states that are there */
    atomic_int fits;
    int fail_column; /* -1: none */
    pt_status fail_with;
    const char *fail_text;
    bool no_state;
    double bad_output; /* 0: none */
    bool unsteady_save;
    atomic_bool saw_weight;
    atomic_int fewest_rows;
} script;

static double value_at(const pt_rows_view *rows, int64_t i, int64_t j)
{
    if (rows->dense)
        return rows->dense[i * rows->stride + j];
    for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p++)
        if (rows->index[p] == j)
            return rows->value[p];
    return 0;
}

static pt_status mean_fit(void **state, const pt_rows_view *rows, const int8_t *side,
                          const double *weight, int64_t column, void *user, pt_error *err)
{
    script *s = user;
    atomic_fetch_add(&s->fits, 1);
    if (column == s->fail_column) {
        if (s->fail_text)
            snprintf(err->text, sizeof err->text, "%s", s->fail_text);
        return s->fail_with;
    }
    if (s->no_state)
        return PT_OK;
    atomic_store(&s->saw_weight, weight != NULL);
    if (rows->n_rows < atomic_load(&s->fewest_rows)) /* one thread where that is looked at */
        atomic_store(&s->fewest_rows, (int)rows->n_rows);
    mean *m = calloc(1, sizeof *m);
    double total[2] = {0, 0};
    m->d = rows->n_columns;
    for (int64_t i = 0; i < rows->n_rows; i++) {
        const double w = weight ? weight[i] : 1;
        total[side[i] > 0] += w;
        for (int64_t j = 0; j < m->d; j++)
            (side[i] > 0 ? m->plus : m->minus)[j] += w * value_at(rows, i, j);
    }
    for (int64_t j = 0; j < m->d; j++) {
        m->plus[j] /= fmax(total[1], 1e-9);
        m->minus[j] /= fmax(total[0], 1e-9);
    }
    atomic_fetch_add(&s->living, 1);
    *state = m;
    return PT_OK;
}

static pt_status mean_outputs(const void *state, const pt_rows_view *rows, double *outputs,
                              void *user, pt_error *err)
{
    (void)err;
    const mean *m = state;
    const script *s = user;
    for (int64_t i = 0; i < rows->n_rows; i++) {
        outputs[i] = 0;
        for (int64_t j = 0; j < m->d; j++) {
            const double x = value_at(rows, i, j);
            outputs[i] +=
                (x - m->minus[j]) * (x - m->minus[j]) - (x - m->plus[j]) * (x - m->plus[j]);
        }
    }
    if (s->bad_output != 0)
        outputs[0] = s->bad_output;
    return PT_OK;
}

static void mean_free(void *state, void *user)
{
    atomic_fetch_sub(&((script *)user)->living, 1);
    free(state);
}

static size_t mean_save(const void *state, void *bytes, size_t capacity, void *user)
{
    const script *s = user;
    if (capacity >= sizeof(mean))
        memcpy(bytes, state, sizeof(mean));
    return sizeof(mean) - (s->unsteady_save && capacity > 0);
}

static pt_status mean_load(void **state, const void *bytes, size_t size, int64_t n_columns,
                           void *user, pt_error *err)
{
    script *s = user;
    mean *m = calloc(1, sizeof *m);
    if (size == sizeof *m)
        memcpy(m, bytes, size);
    if (size != sizeof *m || m->d != n_columns) {
        free(m);
        snprintf(err->text, sizeof err->text, "these bytes are no mean");
        return PT_EFORMAT;
    }
    atomic_fetch_add(&s->living, 1);
    *state = m;
    return PT_OK;
}

static script script_new(void)
{
    script s = {.fail_column = -1, .fewest_rows = N};
    return s;
}

static pt_learner_callbacks mean_learner(script *s)
{
    return (pt_learner_callbacks){.size = sizeof(pt_learner_callbacks),
                                  .name = "nearest-mean",
                                  .loss = "square",
                                  .takes_sparse = 1,
                                  .takes_weights = 1,
                                  .user = s,
                                  .fit = mean_fit,
                                  .outputs = mean_outputs,
                                  .free_state = mean_free,
                                  .save = mean_save,
                                  .load = mean_load};
}

static pt_params *params_with(const pt_learner_callbacks *learner, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(options);
    small_must(pt_params_set_learner(params, learner, &err), &err, "learner");
    return params;
}

static pt_dataset *clouds(uint64_t seed, bool sparse)
{
    small s = small_clouds(N, D, K, seed);
    pt_dataset *data = sparse ? small_sparse_dataset(&s) : small_dataset(&s);
    small_free(&s);
    return data;
}

/* ---- tests -------------------------------------------------------------------------------------
 */

/* Every code and decoder, one thread and two, file or not, dense or sparse: the same scores; and
 * every state is freed. */
static void test_custom__threads_files_and_sparse_rows_agree(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "code=ova,scale=none", "code=ovo,scale=none", "code=dense,scale=none,decode=hamming",
        "code=sparse,scale=none,decode=exp", "code=ovo,scale=none,decode=inner"};
    script s = script_new();
    const pt_learner_callbacks learner = mean_learner(&s);
    pt_dataset *data = clouds(1, false);
    pt_dataset *sparse = clouds(1, true);
    for (int q = 0; q < 5; q++) {
        pt_error err = PT_ERROR_INIT;
        char path[] = "/tmp/polytomy_custom_XXXXXX";
        close(mkstemp(path));
        pt_params *params = params_with(&learner, kinds[q]);
        pt_model *model[4] = {NULL};
        pt_prediction *prediction[4];
        for (int i = 0; i < 3; i++) {
            pt_task *task = small_task(1 + i % 2);
            small_must(pt_model_train(&model[i], i < 2 ? data : sparse, params, task, &err), &err,
                       kinds[q]);
            pt_task_free(task);
        }
        assert_string_equal(pt_model_param(model[0], "learner"), "nearest-mean");
        small_must(pt_model_save(model[0], path, &err), &err, "save");
        small_must(pt_model_load(&model[3], path, params, &err), &err, "load");
        for (int i = 0; i < 4; i++)
            prediction[i] = small_predict(model[i], i == 2 ? sparse : data, 1 + i % 2);
        for (int i = 1; i < 4; i++)
            assert_memory_equal(pt_prediction_scores(prediction[0]),
                                pt_prediction_scores(prediction[i]), N * K * sizeof(double));
        for (int i = 0; i < 4; i++) {
            pt_prediction_free(prediction[i]);
            pt_model_free(model[i]);
        }
        pt_params_free(params);
        unlink(path);
    }
    assert_int_equal(atomic_load(&s.living), 0);
    pt_dataset_free(data);
    pt_dataset_free(sparse);
}

/* A column sees the rows of its classes; weights reach the learner. */
static void test_custom__is_given_the_rows_of_its_column(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    script s = script_new();
    const pt_learner_callbacks learner = mean_learner(&s);
    pt_dataset *data = clouds(1, false);
    pt_model *model = NULL;
    pt_params *params = params_with(&learner, "code=ovo,folds=2");
    pt_task *task = small_task(1);
    small_must(pt_model_train(&model, data, params, task, &err), &err, "pairs");
    assert_true(s.fewest_rows < N / 2 + 1); /* two of four classes, without a fold */
    assert_false(s.saw_weight);
    pt_model_free(model);
    small_must(pt_params_set(params, "class-weight", "balanced", &err), &err, "weights");
    small_must(pt_model_train(&model, data, params, task, &err), &err, "weights");
    assert_true(s.saw_weight);
    pt_model_free(model);
    pt_task_free(task);
    pt_params_free(params);
    pt_dataset_free(data);
}

static void expect_error(const pt_learner_callbacks *learner, pt_status status, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(1, false);
    pt_params *params = params_with(learner, "code=ova");
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    pt_status got = pt_model_train(&model, data, params, NULL, &err);
    if (got == PT_OK)
        got = pt_model_predict(&prediction, model, data, -1, NULL, &err);
    assert_int_equal(got, status);
    if (!strstr(err.text, text) || !strstr(err.text, "nearest-mean"))
        fail_msg("'%s' does not say '%s'", err.text, text);
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(data);
}

static void test_custom__errors_are_passed_on(void **state)
{
    (void)state;
    script s = script_new();
    const pt_learner_callbacks learner = mean_learner(&s);
    s.fail_column = 2;
    s.fail_with = PT_EIO;
    s.fail_text = "the dog ate it";
    expect_error(&learner, PT_EIO, "column 3: the dog ate it");
    s.fail_text = NULL;
    expect_error(&learner, PT_EIO, "column 3: fit failed");
    s.fail_with = (pt_status)77;
    expect_error(&learner, PT_EINVAL, "77");
    s = script_new();
    s.no_state = true;
    expect_error(&learner, PT_EINVAL, "no state");
    s = script_new();
    s.bad_output = NAN;
    expect_error(&learner, PT_ENUMERIC, "nan");
    s.bad_output = INFINITY;
    expect_error(&learner, PT_ENUMERIC, "inf");
    assert_int_equal(atomic_load(&s.living), 0);
}

static void test_custom__files_and_their_errors(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    script s = script_new();
    pt_learner_callbacks learner = mean_learner(&s);
    char path[] = "/tmp/polytomy_custom_XXXXXX";
    close(mkstemp(path));
    pt_dataset *data = clouds(1, false);
    pt_model *model = NULL;
    pt_model *loaded = NULL;
    pt_params *params = params_with(&learner, "code=ova");
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, "train");
    small_must(pt_model_save(model, path, &err), &err, "save");

    assert_int_equal(pt_model_load(&loaded, path, NULL, &err), PT_ENOSUPPORT);
    assert_non_null(strstr(err.text, "nearest-mean"));
    pt_learner_callbacks other = learner;
    other.name = "another";
    pt_params *others = params_with(&other, "code=ova");
    assert_int_equal(pt_model_load(&loaded, path, others, &err), PT_ENOSUPPORT);
    pt_params_free(others);

    const int living = atomic_load(&s.living);
    s.unsteady_save = true;
    assert_int_equal(pt_model_save(model, path, &err), PT_EINVAL);
    assert_int_equal(atomic_load(&s.living), living);
    pt_model_free(model);
    pt_params_free(params);

    learner.save = NULL;
    learner.load = NULL;
    params = params_with(&learner, "code=ova");
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, "train");
    assert_int_equal(pt_model_save(model, path, &err), PT_ENOSUPPORT);
    assert_non_null(strstr(err.text, "save"));
    assert_int_equal(pt_model_load(&loaded, path, params, &err), PT_ENOSUPPORT);
    pt_model_free(model);
    pt_params_free(params);

    /* A model of the library's own loads all the same. */
    model = small_train(data, "code=ova,learner=ls,ridge=1,sigma=1", 1);
    small_must(pt_model_save(model, path, &err), &err, "save");
    learner = mean_learner(&s);
    params = params_with(&learner, "code=ova");
    small_must(pt_model_load(&loaded, path, params, &err), &err, "load");
    pt_params_free(params);
    assert_string_equal(pt_model_param(loaded, "learner"), "ls");
    pt_model_free(loaded);
    pt_model_free(model);
    pt_dataset_free(data);
    unlink(path);
    assert_int_equal(atomic_load(&s.living), 0);
}

static void refuse(const pt_learner_callbacks *learner, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params("");
    assert_int_not_equal(pt_params_set_learner(params, learner, &err), PT_OK);
    if (!strstr(err.text, text))
        fail_msg("'%s' does not say '%s'", err.text, text);
    assert_false(pt_params_is_set(params, "learner"));
    pt_params_free(params);
}

static void test_custom__what_cannot_be_used_is_refused(void **state)
{
    (void)state;
    script s = script_new();
    const pt_learner_callbacks good = mean_learner(&s);
    pt_learner_callbacks bad = good;
    refuse(NULL, "no learner");
    bad.size = 3;
    refuse(&bad, "sizeof");
    struct {
        pt_learner_callbacks known;
        void *unknown;
    } longer = {good, NULL};
    longer.known.size = sizeof longer;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = params_with(&longer.known, ""); /* zeros at the end are fine */
    longer.unknown = &s;
    refuse(&longer.known, "does not know");
    bad = good;
    bad.name = "";
    refuse(&bad, "name");
    bad.name = "a,b";
    refuse(&bad, "name");
    bad.name = "svm";
    refuse(&bad, "of that name");
    bad = good;
    bad.fit = NULL;
    refuse(&bad, "lacks");
    bad = good;
    bad.load = NULL;
    refuse(&bad, "only one");

    bad = good;
    bad.loss = "regret";
    refuse(&bad, "'regret'; losses: hinge|exp|");
    bad.loss = "hamming"; /* nothing minimises it */
    refuse(&bad, "'hamming'");

    /* Parameters that it does not use, data that it does not take. */
    static const struct {
        const char *options;
        const char *text;
    } unused[] = {{"sigma=1", "sigma"},
                  {"C=2", "C"},
                  {"precision=double", "precision"},
                  {"auto-rows=100", "auto-rows"}};
    pt_dataset *data = clouds(1, false);
    pt_dataset *sparse = clouds(1, true);
    pt_model *model = NULL;
    for (int i = 0; i < 4; i++) {
        pt_params *with = params_with(&good, unused[i].options);
        assert_int_equal(pt_model_train(&model, data, with, NULL, &err), PT_EINVAL);
        assert_non_null(strstr(err.text, unused[i].text));
        pt_params_free(with);
    }
    bad = good;
    bad.takes_sparse = 0;
    bad.takes_weights = 0;
    pt_params *plain = params_with(&bad, "");
    assert_int_equal(pt_model_train(&model, sparse, plain, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "sparse"));
    double weight[N];
    for (int i = 0; i < N; i++)
        weight[i] = 1 + i % 2;
    small_must(dataset_set_weights(data, weight, &err), &err, "weights");
    assert_int_equal(pt_model_train(&model, data, plain, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "weights"));
    pt_params_free(plain);
    pt_dataset_free(sparse);
    pt_dataset_free(data);

    /* Another learner takes it off. */
    small_must(pt_params_set(params, "learner", "ls", &err), &err, "ls");
    assert_string_equal(pt_params_get(params, "learner"), "ls");
    assert_int_not_equal(pt_params_set(params, "learner", "nothing", &err), PT_OK);
    pt_params_free(params);
    assert_int_equal(atomic_load(&s.living), 0);
}

/* Every loss but that of Hamming. */
static void test_custom__losses_are_those_there_are(void **state)
{
    (void)state;
    size_t length = 0;
    for (int i = 0; pt_losses[i]; i++) {
        const char *name = pt_losses[i]->name;
        const bool listed = pt_word_listed(pt_callbacks_losses, '|', name, strlen(name));
        assert_int_equal(listed, pt_losses[i] != &pt_loss_hamming);
        length += listed ? strlen(name) + 1 : 0;
    }
    assert_int_equal(strlen(pt_callbacks_losses) + 1, length);
}

/* A library whose struct has grown, programs of before, in between and after. */
static void test_custom__its_struct_may_grow(void **state)
{
    (void)state;
    typedef struct grown {
        pt_learner_callbacks first;
        void *second;
        void *third;
    } grown;
    pt_error err = {0};
    script s = script_new();
    const size_t sizes[] = {offsetof(grown, second), offsetof(grown, third), sizeof(grown)};
    for (int i = 0; i < 3; i++) {
        grown own;
        memset(&own, 0xff, sizeof own);
        grown all = {mean_learner(&s), &s, &s};
        void *given = malloc(sizes[i]); /* not a byte more may be read */
        memcpy(given, &all, sizes[i]);
        small_must(pt_callbacks_read("learner", &own, sizeof own, given, sizes[i], sizes[0], &err),
                   &err, "read");
        assert_memory_equal(&own.first, &all.first, sizeof own.first);
        assert_ptr_equal(own.second, i >= 1 ? &s : NULL);
        assert_ptr_equal(own.third, i >= 2 ? &s : NULL);
        assert_int_equal(
            pt_callbacks_read("learner", &own, sizeof own, given, sizes[0] - 1, sizes[0], &err),
            PT_EINVAL);
        free(given);
    }
    /* What a program of version 0.1 has: ten members, none of which may be missing. */
    pt_learner_callbacks learner = mean_learner(&s);
    learner.size = offsetof(pt_learner_callbacks, load) + sizeof learner.load;
    pt_params_free(params_with(&learner, "code=ova"));
    learner.size--;
    refuse(&learner, "sizeof");
}

/* Searched over codes, beside another machine; PT_ENUMERIC is no answer, not an end. */
static void test_custom__searches_and_comparisons(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    script s = script_new();
    const pt_learner_callbacks learner = mean_learner(&s);
    pt_dataset *data = clouds(1, false);
    pt_params *params = params_with(&learner, "grid={code=ova,ovo,dense},folds=3");
    pt_report *search = NULL;
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, "search");
    assert_int_equal(pt_report_integer(search, "n_points"), 3);
    for (int64_t p = 0; p < 3; p++)
        assert_true(pt_report_number_at(search, "errors", p, 0, 0) < 0.75); /* better than chance */
    pt_report_free(search);

    s.fail_column = 5; /* all pairs and dense codes have it, one against all does not */
    s.fail_with = PT_ENUMERIC;
    small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, "search");
    assert_int_equal(pt_report_integer(search, "best"), 0);
    pt_report_free(search);
    pt_params_free(params);

    s = script_new();
    params = params_with(&learner, "ridge=1,sigma=1");
    const char *const machines[] = {"code:code=ova", "code:learner=ls,code=ova", "onelsm"};
    pt_params *each[3];
    small_must(pt_params_for_machines(each, params, machines, 3, &err), &err, "machines");
    assert_string_equal(pt_params_get(each[0], "learner"), "nearest-mean");
    assert_string_equal(pt_params_get(each[1], "learner"), "ls");
    assert_false(pt_params_is_set(each[0], "sigma"));
    pt_report *comparison = NULL;
    small_must(pt_compare(&comparison, data, NULL, (const pt_params *const *)each, 3, NULL, &err),
               &err, "comparison");
    pt_report_free(comparison);
    for (int i = 0; i < 3; i++)
        pt_params_free(each[i]);
    pt_params_free(params);
    pt_dataset_free(data);
    assert_int_equal(atomic_load(&s.living), 0);
}

static pt_report *search_with(pt_params **best, const pt_dataset *data, pt_params *params,
                              const char *what)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *search = NULL;
    small_must(pt_cross_validate(&search, best, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, what);
    pt_params_free(params);
    return search;
}

/* One value of an axis like others, wherever it stands: rows of all points are in double then. */
static void test_custom__grids_of_learners(void **state)
{
    (void)state;
    static const char *const GRIDS[] = {"grid={learner=nearest-mean,logistic,ls}",
                                        "grid={learner=logistic,nearest-mean,ls}",
                                        "learner=ls,grid={learner=logistic,nearest-mean}"};
    static const char COMMON[] = "code=ova,folds=3,kernel=linear";
    pt_error err = PT_ERROR_INIT;
    script s = script_new();
    const pt_learner_callbacks learner = mean_learner(&s);
    pt_dataset *data = clouds(1, false);
    pt_report *own = search_with(NULL, data, params_with(&learner, "code=ova,folds=3"), "alone");
    const double error = pt_report_number_at(own, "errors", 0, 0, 0);
    pt_report *known = search_with(
        NULL, data, small_params("code=ova,folds=3,learner=logistic,precision=double"), "logistic");
    for (size_t g = 0; g < sizeof GRIDS / sizeof *GRIDS; g++) {
        pt_params *best = NULL;
        pt_params *params = params_with(&learner, "code=ova,folds=3");
        small_must(pt_params_parse(params, GRIDS[g], &err), &err, "grid");
        pt_report *search = search_with(&best, data, params, GRIDS[g]);
        const int64_t mine = g == 0 ? 0 : 1;
        assert_true(pt_report_number_at(search, "errors", mine, 0, 0) == error);
        assert_true(pt_report_number_at(search, "errors", 1 - mine, 0, 0) ==
                    pt_report_number_at(known, "errors", 0, 0, 0));
        pt_model *model = NULL;
        small_must(pt_model_train(&model, data, best, NULL, &err), &err, "the best");
        pt_model_free(model);
        pt_params_free(best);
        pt_report_free(search);
    }
    pt_report_free(known);
    pt_report_free(own);

    static const char *const machines[] = {"code:code=ova", "code:code=ovo"};
    pt_params *each[2] = {NULL, NULL};
    pt_report *searches[2] = {NULL, NULL};
    pt_params *params = params_with(&learner, "folds=3,nested=yes");
    small_must(pt_params_parse(params, "learner=ls,grid={learner=nearest-mean,logistic}", &err),
               &err, "grid");
    small_must(pt_params_for_machines(each, params, machines, 2, &err), &err, "machines");
    small_must(
        pt_cross_validate(searches, NULL, data, (const pt_params *const *)each, 2, NULL, &err),
        &err, "searches");
    assert_true(pt_report_number_at(searches[0], "errors", 0, 0, 0) == error);
    for (int m = 0; m < 2; m++) {
        pt_report_free(searches[m]);
        pt_params_free(each[m]);
    }
    pt_params_free(params);

    /* without the program that has it; and with a learner that gets raw rows */
    static const char *const REFUSED[] = {"grid={learner=nearest-mean,logistic}",
                                          "grid={learner=nearest-mean,adaboost}"};
    for (int q = 0; q < 2; q++) {
        pt_report *none = NULL;
        params = q == 0 ? small_params(COMMON) : params_with(&learner, "code=ova,folds=3");
        small_must(pt_params_parse(params, REFUSED[q], &err), &err, "grid");
        assert_int_equal(
            pt_cross_validate(&none, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            PT_EINVAL);
        assert_non_null(strstr(err.text, q == 0 ? "nearest-mean" : "nominal"));
        pt_params_free(params);
    }
    pt_dataset_free(data);
    assert_int_equal(atomic_load(&s.living), 0);
}

/* Nothing of it says how to go on: refused, and named. */
static void test_custom__training_does_not_begin_with_it(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    script s = script_new();
    const pt_learner_callbacks learner = mean_learner(&s);
    pt_dataset *data = clouds(1, false);
    pt_params *params = params_with(&learner, "code=ova");
    pt_model *start = NULL;
    pt_model *none = NULL;
    pt_report *about = NULL;
    small_must(pt_model_train(&start, data, params, NULL, &err), &err, "train");
    small_must(pt_params_report(&about, params, &err), &err, "report");
    for (int64_t i = 0; i < pt_report_length(about, "name"); i++)
        if (strcmp(pt_report_text_at(about, "name", i, 0, 0), "start") == 0)
            assert_int_equal(pt_report_integer_at(about, "uses", i, 0, 0), 0);
    small_must(pt_params_set_start(params, start, &err), &err, "start");
    assert_int_equal(pt_model_train(&none, data, params, NULL, &err), PT_EINVAL);
    assert_string_equal(err.param, "start");
    assert_non_null(strstr(err.text, "learner nearest-mean cannot begin with a model"));
    pt_report_free(about);
    pt_model_free(start);
    pt_params_free(params);
    pt_dataset_free(data);
    assert_int_equal(atomic_load(&s.living), 0);
}

/* The caller's struct and texts may change once it is set. */
static void test_custom__its_texts_are_copied(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    script s = script_new();
    char name[] = "nearest-mean";
    char loss[] = "square";
    pt_learner_callbacks learner = mean_learner(&s);
    learner.name = name;
    learner.loss = loss;
    pt_params *params = params_with(&learner, "code=ova,decode=loss");
    memset(name, 'x', strlen(name));
    memset(loss, 'x', strlen(loss));
    pt_dataset *data = clouds(3, false);
    pt_model *model = NULL;
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, "train");
    assert_non_null(strstr(pt_model_metadata(model), "square"));
    pt_model_free(model);
    pt_dataset_free(data);
    pt_params_free(params);
    assert_int_equal(atomic_load(&s.living), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_custom__threads_files_and_sparse_rows_agree),
        cmocka_unit_test(test_custom__is_given_the_rows_of_its_column),
        cmocka_unit_test(test_custom__errors_are_passed_on),
        cmocka_unit_test(test_custom__files_and_their_errors),
        cmocka_unit_test(test_custom__what_cannot_be_used_is_refused),
        cmocka_unit_test(test_custom__losses_are_those_there_are),
        cmocka_unit_test(test_custom__its_struct_may_grow),
        cmocka_unit_test(test_custom__searches_and_comparisons),
        cmocka_unit_test(test_custom__grids_of_learners),
        cmocka_unit_test(test_custom__training_does_not_begin_with_it),
        cmocka_unit_test(test_custom__its_texts_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
