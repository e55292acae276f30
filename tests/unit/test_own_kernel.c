/* A kernel that a program brings: the Gaussian kernel once more, against the library's, under every
 * machine and learner that takes kernels; the intersection of histograms against a precomputed
 * matrix; what callbacks are given, what becomes of their errors, the file. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/mend.h"
#include "../support/other_labels.h"
#include "base/alloc.h"
#include "kernels/gram.h"
#include "kernels/kernel_params.h"
#include "kernels/kernel_segments.h"
#include "kernels/kernel_store.h"
#include "kernels/own_kernel.h"
#include "learners/learner.h"
#include "machine/machine.h"
#include "model/model.h"
#include "params/params_table.h"

enum { N = 60, D = 3, K = 4 };
static const double SIGMA = 1.5;

/* ---- the kernels -----------------------------------------------------------------------------
 */

/* What the callbacks are told to do, and what they saw. */
typedef struct script {
    atomic_int calls;
    atomic_int most;    /* values of a call */
    atomic_bool sparse; /* saw sparse rows */
    int fail_at;        /* the call that fails, from 1; 0: none */
    pt_status fail_with;
    const char *fail_text;
    double bad_value; /* NAN: a value of that call; 0: none */
    pt_task *cancel;  /* by that call */
} script;

static double cell(const pt_rows_view *rows, int64_t i, int64_t j)
{
    if (rows->dense)
        return rows->dense[i * rows->stride + j];
    for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p++)
        if (rows->index[p] == j)
            return rows->value[p];
    return 0;
}

/* The same number for sparse and dense rows. */
static double gauss(const pt_rows_view *a, int64_t i, const pt_rows_view *b, int64_t j)
{
    double sum = 0;
    for (int64_t f = 0; f < a->n_columns; f++) {
        const double step = cell(a, i, f) - cell(b, j, f);
        sum += step * step;
    }
    return exp(-sum / (2 * SIGMA * SIGMA));
}

static double common(const pt_rows_view *a, int64_t i, const pt_rows_view *b, int64_t j)
{
    double sum = 0;
    for (int64_t f = 0; f < a->n_columns; f++)
        sum += fmin(cell(a, i, f), cell(b, j, f));
    return sum;
}

typedef double (*value_fn)(const pt_rows_view *a, int64_t i, const pt_rows_view *b, int64_t j);

static pt_status block_of(value_fn k, const pt_rows_view *a, const pt_rows_view *b, double *block,
                          int64_t ld, script *s, pt_error *err)
{
    const int call = atomic_fetch_add(&s->calls, 1) + 1;
    const int values = (int)(a->n_rows * b->n_rows);
    int most = atomic_load(&s->most);
    while (values > most && !atomic_compare_exchange_weak(&s->most, &most, values))
        ;
    if (!a->dense != !b->dense || ld < b->n_rows || a->n_columns != b->n_columns)
        return (pt_status)99;
    if (!a->dense)
        atomic_store(&s->sparse, true);
    if (call == s->fail_at && s->cancel)
        pt_task_cancel(s->cancel);
    if (call == s->fail_at && s->fail_with != PT_OK) {
        if (s->fail_text)
            snprintf(err->text, sizeof err->text, "%s", s->fail_text);
        return s->fail_with;
    }
    for (int64_t i = 0; i < a->n_rows; i++)
        for (int64_t j = 0; j < b->n_rows; j++)
            block[i * ld + j] = k(a, i, b, j);
    if (call == s->fail_at && s->bad_value != 0)
        block[(a->n_rows - 1) * ld + b->n_rows - 1] = s->bad_value;
    return PT_OK;
}

static pt_status gauss_values(const pt_rows_view *a, const pt_rows_view *b, double *block,
                              int64_t ld, void *user, pt_error *err)
{
    return block_of(gauss, a, b, block, ld, user, err);
}

static pt_status common_values(const pt_rows_view *a, const pt_rows_view *b, double *block,
                               int64_t ld, void *user, pt_error *err)
{
    return block_of(common, a, b, block, ld, user, err);
}

static pt_status ones(const pt_rows_view *rows, double *value, void *user, pt_error *err)
{
    script *s = user;
    if (atomic_fetch_add(&s->calls, 1) + 1 == s->fail_at) {
        if (s->fail_text)
            snprintf(err->text, sizeof err->text, "%s", s->fail_text);
        if (s->fail_with != PT_OK)
            return s->fail_with;
    }
    for (int64_t i = 0; i < rows->n_rows; i++)
        value[i] = 1;
    return PT_OK;
}

static pt_kernel_callbacks gauss_kernel(script *s)
{
    return (pt_kernel_callbacks){.size = sizeof(pt_kernel_callbacks),
                                 .name = "my-gauss",
                                 .takes_sparse = 1,
                                 .psd = 1,
                                 .user = s,
                                 .values = gauss_values};
}

static pt_params *params_with(const pt_kernel_callbacks *kernel, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(options);
    small_must(pt_params_set_kernel(params, kernel, &err), &err, "kernel");
    return params;
}

static pt_model *train_with(const pt_dataset *data, const pt_params *params, int threads,
                            const char *what)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_task *task = small_task(threads);
    small_must(pt_model_train(&model, data, params, task, &err), &err, what);
    pt_task_free(task);
    return model;
}

static pt_dataset *clouds(uint64_t seed, bool sparse)
{
    small s = small_clouds(N, D, K, seed);
    for (int64_t c = 0; c < N * D; c += 4) /* there are zeros to leave out */
        s.x[c] = 0;
    pt_dataset *data = sparse ? small_sparse_dataset(&s) : small_dataset(&s);
    small_free(&s);
    return data;
}

static void same_scores(const pt_prediction *a, const pt_prediction *b, int64_t cells,
                        const char *what)
{
    if (memcmp(pt_prediction_scores(a), pt_prediction_scores(b), (size_t)cells * sizeof(double)) !=
        0)
        fail_msg("%s: other scores", what);
}

/* ---- as the library's Gaussian kernel ---------------------------------------------------------
 */

static bool takes(const char *list, const char *name)
{
    return pt_word_listed(list, ',', name, strlen(name));
}

/* Every machine and learner of the registries that takes "kernel"; the test runs over each. */
typedef struct ways {
    char way[64][120];
    int count;
} ways;

static ways all_ways(void)
{
    ways w = {.count = 0};
    for (int i = 0; pt_machines[i]; i++) {
        const char *used = pt_machines[i]->parameters;
        const char *name = pt_machines[i]->name;
        if (!takes(used, "kernel"))
            continue;
        if (!takes(used, "learner")) {
            snprintf(w.way[w.count++], sizeof w.way[0], "machine=%s%s%s%s", name,
                     takes(used, "ridge") ? ",ridge=0.5" : ",C=2",
                     takes(used, "gap") ? ",gap=1e-9" : "", takes(used, "eps") ? ",eps=1e-9" : "");
            continue;
        }
        for (int l = 0; pt_learners[l]; l++) {
            const pt_learner_ops *learner = pt_learners[l];
            static const char *const codes[] = {",code=ova", ",code=ovo", ",code=dense",
                                                ",code=ova,single-call=yes"};
            const bool coded = strcmp(name, "code") == 0;
            for (int c = 0; takes(learner->parameters, "kernel") && c < (coded ? 4 : 1); c++)
                snprintf(w.way[w.count++], sizeof w.way[0], "machine=%s%s,learner=%s%s%s", name,
                         coded ? codes[c] : "", learner->name,
                         takes(learner->parameters, "ridge") ? ",ridge=0.5" : ",C=2",
                         takes(learner->parameters, "eps") ? ",eps=1e-9" : "");
        }
    }
    assert_true(w.count >= 18 && w.count < 64);
    return w;
}

static void compare_scores(const char *way, const char *precision, const pt_dataset *data,
                           const pt_dataset *fresh, const pt_kernel_callbacks *kernel)
{
    char options[240];
    const double tolerance = strcmp(precision, "double") == 0 ? 1e-6 : 2e-3;
    snprintf(options, sizeof options, "%s,precision=%s,scale=none,calibrate=no", way, precision);
    pt_params *own = params_with(kernel, options);
    snprintf(options, sizeof options, "%s,precision=%s,scale=none,calibrate=no,kernel=rbf,sigma=%g",
             way, precision, SIGMA);
    pt_params *known = small_params(options);
    pt_model *a = train_with(data, own, 1, way);
    pt_model *b = train_with(data, known, 1, way);
    pt_prediction *of_a = small_predict(a, fresh, 1);
    pt_prediction *of_b = small_predict(b, fresh, 1);
    const double *scores = pt_prediction_scores(of_a);
    const double *expected = pt_prediction_scores(of_b);
    const int64_t cells = N * pt_model_n_classes(a);
    for (int64_t c = 0; c < cells; c++)
        if (!(fabs(scores[c] - expected[c]) <= tolerance * (1 + fabs(expected[c]))))
            fail_msg("%s: score %d is %.9g, not %.9g", options, (int)c, scores[c], expected[c]);
    assert_string_equal(pt_model_param(a, "kernel"), "my-gauss");
    pt_prediction_free(of_a);
    pt_prediction_free(of_b);
    pt_model_free(a);
    pt_model_free(b);
    pt_params_free(own);
    pt_params_free(known);
}

static void test_own_kernel__gauss_is_the_librarys(void **state)
{
    (void)state;
    script s = {0};
    const pt_kernel_callbacks kernel = gauss_kernel(&s);
    pt_kernel_callbacks with_diagonal = kernel;
    with_diagonal.diagonal = ones;
    const ways w = all_ways();
    pt_dataset *data = clouds(1, false);
    pt_dataset *fresh = clouds(2, false);
    for (int i = 0; i < w.count; i++) {
        compare_scores(w.way[i], "double", data, fresh, &kernel);
        compare_scores(w.way[i], "float", data, fresh, &with_diagonal);
    }
    assert_false(atomic_load(&s.sparse));
    pt_dataset_free(data);
    pt_dataset_free(fresh);
}

/* Sets, rankings and pairs. */
static void test_own_kernel__labels_of_other_kinds(void **state)
{
    (void)state;
    script s = {0};
    const pt_kernel_callbacks kernel = gauss_kernel(&s);
    static const struct {
        pt_label_kind kind;
        const char *way;
    } cases[] = {{PT_LABEL_SET, "machine=relevance,learner=svm,C=2,eps=1e-9"},
                 {PT_LABEL_SET, "machine=powerset,ridge=0.5"},
                 {PT_LABEL_SET, "machine=rank-ls,ridge=0.5"},
                 {PT_LABEL_RANKING, "machine=rank-ls,ridge=0.5"},
                 {PT_LABEL_RANKING, "machine=constraint,C=2,gap=1e-9"},
                 {PT_LABEL_PAIRS, "machine=constraint,C=2,gap=1e-9"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        small x = small_clouds(N, D, K, 5);
        pt_dataset *data = small_dataset(&x);
        pt_labels_free(data->labels);
        data->labels = other_random(cases[c].kind, &x, K, 3);
        compare_scores(cases[c].way, "double", data, data, &kernel);
        pt_dataset_free(data);
        small_free(&x);
    }
}

/* Searches, in closed form and by training; a ridge that is chosen; probabilities. */
static void test_own_kernel__searches_are_the_librarys(void **state)
{
    (void)state;
    script s = {0};
    pt_error err = PT_ERROR_INIT;
    const pt_kernel_callbacks kernel = gauss_kernel(&s);
    static const char *const cases[] = {
        "machine=onelsm,grid={ridge=0.01,0.1,1}", "machine=vo-lssvm,grid={ridge=0.1,1}",
        "machine=suykens,grid={ridge=0.1,1}",     "machine=code,learner=ls,grid={ridge=0.1,1}",
        "machine=spoc,gap=1e-7,grid={C=1,4}",     "machine=code,code=ovo,learner=svm,grid={C=1,4}",
        "machine=vo-svm,gap=1e-7,grid={C=1,10}"};
    pt_dataset *data = clouds(1, false);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pt_report *search[2] = {NULL, NULL};
        char options[200];
        snprintf(options, sizeof options, "%s,folds=4,precision=double", cases[c]);
        pt_params *own = params_with(&kernel, options);
        snprintf(options, sizeof options, "%s,folds=4,precision=double,kernel=rbf,sigma=%g",
                 cases[c], SIGMA);
        pt_params *known = small_params(options);
        small_must(
            pt_cross_validate(&search[0], NULL, data, &(const pt_params *){own}, 1, NULL, &err),
            &err, cases[c]);
        small_must(
            pt_cross_validate(&search[1], NULL, data, &(const pt_params *){known}, 1, NULL, &err),
            &err, cases[c]);
        assert_int_equal(pt_report_integer(search[0], "n_points"), c == 0 ? 3 : 2);
        for (int64_t p = 0; p < pt_report_integer(search[0], "n_points"); p++)
            assert_float_equal(pt_report_number_at(search[0], "errors", p, 0, 0),
                               pt_report_number_at(search[1], "errors", p, 0, 0), 1e-9);
        assert_string_equal(pt_report_text(search[0], "method"),
                            pt_report_text(search[1], "method"));
        pt_report_free(search[0]);
        pt_report_free(search[1]);
        pt_params_free(own);
        pt_params_free(known);
    }

    pt_params *own = params_with(&kernel, "machine=onelsm,precision=double");
    char text[80];
    snprintf(text, sizeof text, "machine=onelsm,precision=double,kernel=rbf,sigma=%g", SIGMA);
    pt_params *known = small_params(text);
    pt_model *a = train_with(data, own, 1, "automatic");
    pt_model *b = train_with(data, known, 1, "automatic");
    assert_string_equal(pt_model_param(a, "ridge"), pt_model_param(b, "ridge"));
    assert_false(pt_model_uses(a, "sigma"));
    assert_true(pt_model_uses(a, "kernel"));
    pt_prediction *of_a = small_predict(a, data, 1);
    pt_prediction *of_b = small_predict(b, data, 1);
    double proba[2][N * K];
    small_must(pt_prediction_proba(of_a, proba[0], &err), &err, "probabilities");
    small_must(pt_prediction_proba(of_b, proba[1], &err), &err, "probabilities");
    assert_true(small_distance(proba[0], proba[1], N * K) < 1e-6);
    pt_prediction_free(of_a);
    pt_prediction_free(of_b);
    pt_model_free(a);
    pt_model_free(b);
    pt_params_free(own);
    pt_params_free(known);
    pt_dataset_free(data);
}

/* One axis of a grid like others: beside the library's, whose sigma is its own. */
static void test_own_kernel__grids_of_kernels(void **state)
{
    (void)state;
    script s = {0};
    pt_error err = PT_ERROR_INIT;
    const pt_kernel_callbacks kernel = gauss_kernel(&s);
    pt_dataset *data = clouds(1, false);
    pt_params *params = params_with(&kernel, "machine=onelsm,folds=3,precision=double,"
                                             "grid={kernel=rbf,my-gauss,linear,ridge=0.1,1}");
    pt_report *search = NULL;
    pt_params *best = NULL;
    small_must(pt_cross_validate(&search, &best, data, &(const pt_params *){params}, 1, NULL, &err),
               &err, "kernels");
    assert_int_equal(pt_report_integer(search, "n_points"), 6);
    pt_params *alone =
        params_with(&kernel, "machine=onelsm,folds=3,precision=double,grid={ridge=0.1,1}");
    pt_report *by_itself = NULL;
    small_must(
        pt_cross_validate(&by_itself, NULL, data, &(const pt_params *){alone}, 1, NULL, &err), &err,
        "alone");
    for (int64_t p = 0; p < 2; p++)
        assert_true(pt_report_number_at(search, "errors", 2 + p, 0, 0) ==
                    pt_report_number_at(by_itself, "errors", p, 0, 0));
    pt_report_free(by_itself);
    pt_report_free(search);
    pt_params_free(alone);
    pt_params_free(params);
    pt_model *model = train_with(data, best, 1, "the best");
    pt_model_free(model);
    pt_params_free(best);
    pt_dataset_free(data);
}

/* Side by side: each machine takes the kernel in common, or its own. */
static void test_own_kernel__comparisons(void **state)
{
    (void)state;
    script s = {0};
    pt_error err = PT_ERROR_INIT;
    const pt_kernel_callbacks kernel = gauss_kernel(&s);
    pt_dataset *data = clouds(1, false);
    pt_params *common_ones = params_with(&kernel, "ridge=1,calibrate=no");
    const char *const machines[] = {"onelsm", "onelsm:kernel=rbf,sigma=1",
                                    "suykens:kernel=my-gauss", "softmax"};
    pt_params *each[4];
    pt_report *comparison = NULL;
    small_must(pt_params_for_machines(each, common_ones, machines, 4, &err), &err, "machines");
    assert_string_equal(pt_params_get(each[0], "kernel"), "my-gauss");
    assert_string_equal(pt_params_get(each[1], "kernel"), "rbf");
    assert_string_equal(pt_params_get(each[2], "kernel"), "my-gauss");
    assert_false(pt_params_is_set(each[3], "kernel"));
    small_must(pt_compare(&comparison, data, NULL, (const pt_params *const *)each, 3, NULL, &err),
               &err, "comparison");
    pt_report_free(comparison);
    for (int i = 0; i < 4; i++)
        pt_params_free(each[i]);
    pt_params_free(common_ones);
    pt_dataset_free(data);
}

/* ---- the intersection of histograms, against its matrix --------------------------------------
 */

static pt_dataset *histograms(small *s, double *K_of)
{
    *s = small_clouds(N, 6, K, 8);
    for (int64_t c = 0; c < N * 6; c++)
        s->x[c] = floor(fmax(0, 3 + 2 * s->x[c]));
    const pt_rows_view view = {.n_rows = N, .n_columns = 6, .dense = s->x, .stride = 6};
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            K_of[i * N + j] = common(&view, i, &view, j);
    return small_dataset(s);
}

static void test_own_kernel__intersection_is_its_matrix(void **state)
{
    (void)state;
    static const char *const cases[] = {"machine=onelsm,ridge=1",
                                        "machine=vo-lssvm,ridge=1",
                                        "machine=spoc,C=0.1,gap=1e-8",
                                        "machine=ww,C=0.1,gap=1e-8",
                                        "machine=vo-svm,C=1,gap=1e-8",
                                        "machine=code,code=ovo,learner=svm,C=0.1,eps=1e-8",
                                        "machine=constraint,C=0.1,gap=1e-8",
                                        "machine=code,code=ovo,learner=ls,ridge=1"};
    static double values[N * N];
    small s;
    pt_dataset *data = histograms(&s, values);
    small matrix = {N, N, K, values, s.y, NULL};
    pt_dataset *square = small_dataset(&matrix);
    script seen = {0};
    pt_kernel_callbacks kernel = gauss_kernel(&seen);
    kernel.name = "intersection";
    kernel.values = common_values;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char options[160];
        snprintf(options, sizeof options, "%s,scale=none,calibrate=no,precision=double", cases[c]);
        pt_params *own = params_with(&kernel, options);
        snprintf(options, sizeof options, "%s,kernel=precomputed,calibrate=no,precision=double",
                 cases[c]);
        pt_params *given = small_params(options);
        pt_model *a = train_with(data, own, 1, cases[c]);
        pt_model *b = train_with(square, given, 1, cases[c]);
        pt_prediction *of_a = small_predict(a, data, 1);
        pt_prediction *of_b = small_predict(b, square, 1);
        for (int64_t i = 0; i < N * K; i++)
            if (!(fabs(pt_prediction_scores(of_a)[i] - pt_prediction_scores(of_b)[i]) < 1e-4))
                fail_msg("%s: %g, not %g", cases[c], pt_prediction_scores(of_a)[i],
                         pt_prediction_scores(of_b)[i]);
        pt_prediction_free(of_a);
        pt_prediction_free(of_b);
        pt_model_free(a);
        pt_model_free(b);
        pt_params_free(own);
        pt_params_free(given);
    }
    pt_dataset_free(square);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- rows, threads, batches ------------------------------------------------------------------
 */

/* Sparse and dense rows, one thread and three: the same scores, by every machine; a model takes
 * rows of the other form. */
static void test_own_kernel__threads_and_sparse_rows_agree(void **state)
{
    (void)state;
    script s = {0};
    const pt_kernel_callbacks kernel = gauss_kernel(&s);
    const ways w = all_ways();
    pt_dataset *data = clouds(1, false);
    pt_dataset *sparse = clouds(1, true);
    for (int i = 0; i < w.count; i++) {
        char options[200];
        snprintf(options, sizeof options, "%s,scale=none", w.way[i]);
        pt_params *params = params_with(&kernel, options);
        pt_model *model[3] = {train_with(data, params, 1, options),
                              train_with(data, params, 3, options),
                              train_with(sparse, params, 2, options)};
        pt_prediction *first = small_predict(model[0], data, 1);
        for (int m = 0; m < 3; m++)
            for (int form = 0; form < 2; form++) {
                pt_prediction *other = small_predict(model[m], form ? sparse : data, 1 + m);
                same_scores(first, other, N * pt_model_n_classes(model[0]), options);
                pt_prediction_free(other);
            }
        void *bytes[2];
        size_t size[2];
        pt_error err = PT_ERROR_INIT;
        for (int m = 0; m < 2; m++)
            small_must(pt_model_save_memory(&bytes[m], &size[m], model[m], &err), &err, "save");
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        for (int m = 0; m < 2; m++)
            pt_bytes_free(bytes[m]);
        pt_prediction_free(first);
        for (int m = 0; m < 3; m++)
            pt_model_free(model[m]);
        pt_params_free(params);
    }
    assert_true(atomic_load(&s.sparse));
    pt_dataset_free(data);
    pt_dataset_free(sparse);
}

/* A kernel that takes no sparse rows gets none. */
static void test_own_kernel__sparse_rows_are_refused_or_filled(void **state)
{
    (void)state;
    script s = {0};
    pt_error err = PT_ERROR_INIT;
    pt_kernel_callbacks kernel = gauss_kernel(&s);
    kernel.takes_sparse = 0;
    pt_dataset *data = clouds(1, false);
    pt_dataset *sparse = clouds(1, true);
    pt_params *params = params_with(&kernel, "machine=onelsm,ridge=1,scale=none");
    pt_model *model = NULL;
    assert_int_equal(pt_model_train(&model, sparse, params, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "'my-gauss' does not take sparse"));
    assert_int_equal(atomic_load(&s.calls), 0);
    model = train_with(data, params, 1, "dense");
    pt_prediction *a = small_predict(model, data, 1);
    pt_prediction *b = small_predict(model, sparse, 1);
    same_scores(a, b, N * K, "filled");
    assert_false(atomic_load(&s.sparse));
    pt_prediction_free(a);
    pt_prediction_free(b);
    pt_model_free(model);

    /* A file may have sparse rows all the same. */
    void *bytes = NULL;
    size_t size = 0;
    const pt_kernel_callbacks takes_all = gauss_kernel(&s);
    pt_params *others = params_with(&takes_all, "machine=onelsm,ridge=1,scale=none");
    model = train_with(sparse, others, 1, "sparse");
    small_must(pt_model_save_memory(&bytes, &size, model, &err), &err, "save");
    pt_model_free(model);
    assert_int_equal(pt_model_load_memory(&model, bytes, size, params, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "sparse"));
    pt_bytes_free(bytes);
    pt_params_free(others);
    pt_params_free(params);
    pt_dataset_free(data);
    pt_dataset_free(sparse);
}

/* Values are held, in a cache, or asked for anew, as memory allows: the same scores. */
static void test_own_kernel__memory_changes_no_score(void **state)
{
    (void)state;
    enum { MANY = 600 };
    static const struct {
        const char *way;
        double bytes;
    } cases[] = {{"machine=onelsm,ridge=0.1", 3.4e6},
                 {"machine=onelsm,ridge=0.1,precision=double", 3.4e6},
                 {"machine=spoc,C=1", 1.5e6},
                 {"machine=constraint,C=1", 1.5e6},
                 {"machine=code,code=ova,learner=svm,C=1", 1.5e6}};
    pt_error err = PT_ERROR_INIT;
    small x = small_clouds(MANY, D, K, 4);
    pt_dataset *data = small_dataset(&x);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int calls[2];
        pt_prediction *of[2];
        for (int scarce = 0; scarce < 2; scarce++) {
            script s = {0};
            char options[120];
            const pt_kernel_callbacks kernel = gauss_kernel(&s);
            snprintf(options, sizeof options, "%s,calibrate=no", cases[c].way);
            pt_params *params = params_with(&kernel, options);
            pt_task *task = small_task(1);
            pt_model *model = NULL;
            if (scarce)
                small_must(pt_task_set(task, "memory", cases[c].bytes, &err), &err, "memory");
            small_must(pt_model_train(&model, data, params, task, &err), &err, cases[c].way);
            calls[scarce] = atomic_load(&s.calls);
            of[scarce] = small_predict(model, data, 1);
            pt_model_free(model);
            pt_task_free(task);
            pt_params_free(params);
        }
        assert_true(calls[1] > calls[0]);
        same_scores(of[0], of[1], MANY * K, cases[c].way);
        pt_prediction_free(of[0]);
        pt_prediction_free(of[1]);
    }
    pt_dataset_free(data);
    small_free(&x);
}

/* Alone, among others, by a scorer. */
static void test_own_kernel__a_row_has_the_same_bits_in_any_company(void **state)
{
    (void)state;
    static const char *const cases[] = {"machine=onelsm,ridge=1", "machine=spoc,C=1",
                                        "machine=code,code=ovo,learner=svm,C=1",
                                        "machine=code,code=ova,learner=svm,C=1"};
    script s = {0};
    pt_error err = PT_ERROR_INIT;
    const pt_kernel_callbacks kernel = gauss_kernel(&s);
    small x = small_clouds(300, D, K, 4);
    pt_dataset *data = small_dataset(&x);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pt_params *params = params_with(&kernel, cases[c]);
        pt_model *model = train_with(data, params, 2, cases[c]);
        pt_prediction *all = small_predict(model, data, 2);
        pt_scorer *scorer = NULL;
        small_must(pt_scorer_new(&scorer, model, NULL, &err), &err, "scorer");
        for (int64_t i = 0; i < 300; i += 7) {
            double scores[K];
            small_must(pt_scorer_f64(scorer, x.x + i * D, scores, NULL, NULL, &err), &err, "score");
            assert_memory_equal(scores, pt_prediction_scores(all) + i * K, sizeof scores);
            pt_dataset *row = NULL;
            small_must(pt_dataset_rows(&row, data, &i, 1, &err), &err, "row");
            pt_prediction *one = small_predict(model, row, 1);
            assert_memory_equal(pt_prediction_scores(one), scores, sizeof scores);
            pt_prediction_free(one);
            pt_dataset_free(row);
        }
        pt_scorer_free(scorer);
        pt_prediction_free(all);
        pt_model_free(model);
        pt_params_free(params);
    }
    assert_true(atomic_load(&s.most) <= PT_OWN_VALUES);
    pt_dataset_free(data);
    small_free(&x);
}

/* ---- blocks, tiles, stores -------------------------------------------------------------------
 */

static double number_at(pt_type type, const void *values, int64_t i)
{
    return type == PT_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

/* Every road to a value gives the callback's, rounded to the type; large blocks are cut. */
static void test_own_kernel__every_road_has_the_same_values(void **state)
{
    (void)state;
    enum { MANY = 700 };
    pt_error err = PT_ERROR_INIT;
    small x = small_clouds(MANY, D, K, 6);
    float narrow[MANY * D];
    for (int64_t c = 0; c < MANY * D; c++) {
        narrow[c] = (float)x.x[c];
        x.x[c] = (double)narrow[c];
    }
    for (int form = 0; form < 4; form++) {
        const pt_type type = form & 1 ? PT_F64 : PT_F32; /* of blocks */
        const bool wide = form & 2;                      /* rows in double */
        script s = {0};
        pt_kernel_callbacks callbacks = gauss_kernel(&s);
        callbacks.diagonal = form & 1 ? ones : NULL;
        pt_params *params = params_with(&callbacks, "");
        pt_kernel kernel;
        small_must(pt_kernel_from_params(&kernel, params, &err), &err, "kernel");
        assert_int_equal(kernel.ops->base, PT_BASE_OWN);
        kernel.shift = 0.5;
        const pt_rows rows = {.n = MANY,
                              .d = D,
                              .type = wide ? PT_F64 : PT_F32,
                              .dense = wide ? (const void *)x.x : narrow,
                              .stride = D};
        const pt_rows_view view = {.n_rows = MANY, .n_columns = D, .dense = x.x, .stride = D};
        pt_gram *gram = NULL;
        pt_tiles *tiles = NULL;
        small_must(pt_gram_new(&gram, &rows, kernel.ops, type, NULL, &err), &err, "gram");
        small_must(pt_tiles_new(&tiles, MANY, type, &err), &err, "tiles");
        small_must(pt_gram_tiles(gram, &kernel, tiles, NULL, &err), &err, "tiles");
        double diagonal[MANY];
        small_must(pt_kernel_diagonal(gram, &kernel, diagonal, &err), &err, "diagonal");
        for (int64_t i = 0; i < MANY; i++) {
            assert_true(diagonal[i] == 1.5);
            for (int64_t j = 0; j <= i; j += 1 + i / 9) {
                const double k = gauss(&view, i, &view, j);
                const double expected = type == PT_F32 ? (double)((float)k + 0.5f) : k + 0.5;
                assert_true(pt_tiles_get(tiles, i, j) == expected);
            }
        }
        assert_true(atomic_load(&s.most) <= PT_OWN_VALUES);
        assert_true(atomic_load(&s.most) > PT_OWN_VALUES / 2);
        pt_tiles_free(tiles);
        pt_gram_free(gram);

        /* Stores, whole and not, of the type of the rows; and segments. */
        for (int whole = 0; whole < 2; whole++) {
            pt_kernel_store *store = NULL;
            const double bytes = whole ? 1e9 : 40.0 * MANY * 8;
            small_must(pt_kernel_store_open(&store, &rows, &kernel, NULL, bytes, NULL, &err), &err,
                       "store");
            assert_int_equal(pt_kernel_store_whole(store), whole);
            const int64_t index[] = {3, 699, 20};
            const void *row[3];
            void *buffer = pt_alloc((int64_t)pt_kernel_store_buffer(store, 3), 1, "test", &err);
            small_must(pt_kernel_store_rows(store, index, 3, buffer, row, NULL, &err), &err,
                       "rows");
            for (int r = 0; r < 3; r++)
                for (int64_t j = 0; j < MANY; j++) {
                    const double k = gauss(&view, index[r], &view, j);
                    assert_true(number_at(rows.type, row[r], j) ==
                                (wide ? k + 0.5 : (double)((float)k + 0.5f)));
                }
            pt_free(buffer);
            pt_kernel_store_close(store);
        }
        const int64_t first[] = {0, 300, MANY};
        int64_t order[MANY];
        for (int64_t i = 0; i < MANY; i++)
            order[i] = MANY - 1 - i;
        pt_grouped_rows *grouped = NULL;
        small_must(pt_grouped_rows_new(&grouped, &rows, order, first, 2, &kernel, NULL, &err), &err,
                   "groups");
        void *segment = pt_alloc(pt_segment_width(MANY, PT_F64), sizeof(double), "test", &err);
        void *scratch = pt_alloc((int64_t)pt_grouped_rows_scratch(grouped), 1, "test", &err);
        small_must(pt_grouped_rows_segment(grouped, 5, 1, segment, scratch, &err), &err, "segment");
        for (int64_t j = 300; j < MANY; j++) {
            const double k = gauss(&view, order[5], &view, order[j]);
            assert_true(number_at(rows.type, segment, j - 300) ==
                        (wide ? k + 0.5 : (double)((float)k + 0.5f)));
        }
        pt_free(scratch);
        pt_free(segment);
        pt_grouped_rows_free(grouped);
        pt_params_free(params);
    }
    small_free(&x);
}

/* ---- errors ----------------------------------------------------------------------------------
 */

/* Trains, saves, loads and predicts. */
static pt_status journey(const pt_dataset *data, const pt_params *params, pt_task *task,
                         pt_error *err)
{
    pt_model *model = NULL;
    pt_model *loaded = NULL;
    pt_prediction *prediction = NULL;
    void *bytes = NULL;
    size_t size = 0;
    pt_status status = pt_model_train(&model, data, params, task, err);
    if (status == PT_OK)
        status = pt_model_save_memory(&bytes, &size, model, err);
    if (status == PT_OK)
        status = pt_model_load_memory(&loaded, bytes, size, params, err);
    if (status == PT_OK)
        status = pt_model_predict(&prediction, loaded, data, -1, task, err);
    pt_prediction_free(prediction);
    pt_bytes_free(bytes);
    pt_model_free(loaded);
    pt_model_free(model);
    return status;
}

/* Whichever call fails, the words arrive and nothing stays behind. */
static void test_own_kernel__errors_of_any_call_are_passed_on(void **state)
{
    (void)state;
    const ways w = all_ways();
    pt_dataset *data = clouds(1, false);
    for (int i = 0; i < w.count; i++) {
        script s = {0};
        pt_kernel_callbacks kernel = gauss_kernel(&s);
        char options[200];
        kernel.diagonal = ones;
        snprintf(options, sizeof options, "%s,folds=3", w.way[i]);
        pt_params *params = params_with(&kernel, options);
        const int64_t live = pt_alloc_live();
        pt_error err = PT_ERROR_INIT;
        pt_task *task = small_task(1);
        small_must(journey(data, params, task, &err), &err, options);
        const int calls = atomic_load(&s.calls);
        assert_true(calls > 1);
        for (int n = 1; n <= calls; n += 1 + n / 5 + calls / 100) {
            atomic_store(&s.calls, 0);
            s.fail_at = n;
            s.fail_with = PT_EIO;
            s.fail_text = n % 2 ? "the dog ate it" : NULL;
            if (journey(data, params, task, &err) != PT_EIO)
                fail_msg("%s: call %d of %d: %s", options, n, calls, err.text);
            if (!strstr(err.text, "kernel 'my-gauss': ") ||
                !strstr(err.text, n % 2 ? ": the dog ate it" : " failed"))
                fail_msg("%s: call %d says '%s'", options, n, err.text);
        }
        pt_task_free(task);
        assert_int_equal(pt_alloc_live(), live);
        pt_params_free(params);
    }
    pt_dataset_free(data);
}

static void expect(const char *options, script *s, pt_status status, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(1, false);
    const pt_kernel_callbacks kernel = gauss_kernel(s);
    pt_params *params = params_with(&kernel, options);
    for (int threads = 1; threads < 4; threads += 2) {
        pt_task *task = small_task(threads);
        atomic_store(&s->calls, 0);
        s->cancel = status == PT_ECANCELLED ? task : NULL;
        assert_int_equal(journey(data, params, task, &err), status);
        if (!strstr(err.text, text))
            fail_msg("%s: '%s' does not say '%s'", options, err.text, text);
        pt_task_free(task);
    }
    pt_params_free(params);
    pt_dataset_free(data);
}

static void test_own_kernel__values_that_are_no_numbers(void **state)
{
    (void)state;
    static const char *const cases[] = {"machine=onelsm,ridge=1", "machine=vo-rls,ridge=1",
                                        "machine=spoc,C=1", "machine=code,code=ovo,learner=svm,C=1",
                                        "machine=vo-svm,C=1"};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        expect(cases[c], &(script){.fail_at = 1, .bad_value = NAN}, PT_EINVAL,
               "kernel 'my-gauss': a value is nan");
        expect(cases[c], &(script){.fail_at = 1, .bad_value = INFINITY}, PT_EINVAL,
               "kernel 'my-gauss': a value is inf");
        expect(cases[c], &(script){.fail_at = 1, .fail_with = (pt_status)77}, PT_EINVAL,
               "kernel 'my-gauss': values returned 77, no pt_status");
        expect(cases[c],
               &(script){.fail_at = 1, .fail_with = PT_ENUMERIC, .fail_text = "no answer"},
               PT_EINVAL, "kernel 'my-gauss': no answer");
        expect(cases[c], &(script){.fail_at = 1}, PT_ECANCELLED, "");
    }
    expect("machine=onelsm,ridge=1", &(script){.fail_at = 1, .bad_value = 1e39}, PT_EINVAL,
           "too large for float32; use `precision=double`");
}

static void refuse(const pt_kernel_callbacks *kernel, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params("");
    assert_int_not_equal(pt_params_set_kernel(params, kernel, &err), PT_OK);
    if (!strstr(err.text, text))
        fail_msg("'%s' does not say '%s'", err.text, text);
    assert_false(pt_params_is_set(params, "kernel"));
    pt_params_free(params);
}

static void test_own_kernel__what_cannot_be_used_is_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    script s = {0};
    const pt_kernel_callbacks good = gauss_kernel(&s);
    pt_kernel_callbacks bad = good;
    refuse(NULL, "no kernel");
    bad.size = 3;
    refuse(&bad, "sizeof(pt_kernel_callbacks)");
    bad.size = offsetof(pt_kernel_callbacks, diagonal) + sizeof bad.diagonal - 1;
    refuse(&bad, "sizeof(pt_kernel_callbacks)");
    struct {
        pt_kernel_callbacks known;
        void *unknown;
    } longer = {good, NULL};
    longer.known.size = sizeof longer;
    pt_params *params = params_with(&longer.known, ""); /* zeros at the end are fine */
    longer.unknown = &s;
    refuse(&longer.known, "does not know");
    bad = good;
    bad.name = "a,b";
    refuse(&bad, "a kernel's name");
    bad.name = NULL;
    refuse(&bad, "a kernel's name");
    bad.name = "auto";
    refuse(&bad, "of that name");
    for (int k = 0; pt_kernels[k]; k++) {
        bad.name = pt_kernels[k]->name;
        refuse(&bad, "of that name");
    }
    bad = good;
    bad.values = NULL;
    refuse(&bad, "lacks values");

    /* Parameters that it does not use, machines that take no kernel. */
    static const struct {
        const char *options;
        const char *text;
    } unused[] = {{"sigma=1", "my-gauss does not use `sigma`"},
                  {"rbf-gamma=1", "rbf-gamma"},
                  {"degree=2", "degree"},
                  {"coef0=1", "coef0"},
                  {"machine=tree", "kernel"},
                  {"machine=code,learner=tree", "kernel"},
                  {"machine=constraint,method=online", "linear; leave out `kernel=my-gauss`"}};
    pt_dataset *data = clouds(1, false);
    pt_model *model = NULL;
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        pt_params *with = params_with(&good, unused[i].options);
        assert_int_equal(pt_model_train(&model, data, with, NULL, &err), PT_EINVAL);
        if (!strstr(err.text, unused[i].text))
            fail_msg("%s: %s", unused[i].options, err.text);
        pt_params_free(with);
    }

    /* Another kernel takes it off; sigma=auto is no setting. */
    assert_string_equal(pt_params_get(params, "kernel"), "my-gauss");
    small_must(pt_params_set(params, "kernel", "rbf", &err), &err, "rbf");
    small_must(pt_params_parse(params, "machine=onelsm,ridge=1,sigma=1", &err), &err, "rbf");
    model = train_with(data, params, 1, "rbf");
    assert_int_equal(atomic_load(&s.calls), 0);
    pt_model_free(model);
    assert_int_not_equal(pt_params_set(params, "kernel", "nothing", &err), PT_OK);
    pt_params_free(params);
    pt_dataset_free(data);
}

/* Not positive semidefinite, and said so. */
static pt_status minus_values(const pt_rows_view *a, const pt_rows_view *b, double *block,
                              int64_t ld, void *user, pt_error *err)
{
    PT_TRY(gauss_values(a, b, block, ld, user, err));
    for (int64_t i = 0; i < a->n_rows; i++)
        for (int64_t j = 0; j < b->n_rows; j++)
            block[i * ld + j] = -block[i * ld + j];
    return PT_OK;
}

static void test_own_kernel__indefinite_ones_are_told_of(void **state)
{
    (void)state;
    static const char *const cases[] = {"machine=onelsm,ridge=0.1", "machine=spoc,C=1",
                                        "machine=vo-svm,C=1"};
    pt_dataset *data = clouds(1, false);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        script s = {0};
        pt_error err = PT_ERROR_INIT;
        pt_kernel_callbacks kernel = gauss_kernel(&s);
        kernel.values = minus_values;
        kernel.psd = 0;
        pt_params *params = params_with(&kernel, cases[c]);
        pt_model *model = NULL;
        if (pt_model_train(&model, data, params, NULL, &err) != PT_ENUMERIC ||
            !strstr(err.text, "positive"))
            fail_msg("%s: %s", cases[c], err.text);
        pt_params_free(params);
    }
    pt_dataset_free(data);
}

/* ---- the file --------------------------------------------------------------------------------
 */

static void test_own_kernel__files_copies_and_exports(void **state)
{
    (void)state;
    static const char *const cases[] = {"machine=onelsm,ridge=1", "machine=spoc,C=1",
                                        "machine=code,code=ovo,learner=svm,C=1,decode=vote",
                                        "machine=class-tree,learner=svm,C=1"};
    pt_error err = PT_ERROR_INIT;
    script s = {0};
    char path[] = "/tmp/polytomy_own_XXXXXX";
    close(mkstemp(path));
    pt_dataset *data = clouds(1, false);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char name[] = "my-gauss";
        pt_kernel_callbacks kernel = gauss_kernel(&s);
        kernel.name = name;
        pt_params *params = params_with(&kernel, cases[c]);
        memset(name, 'x', strlen(name)); /* it was copied */
        pt_model *model = train_with(data, params, 1, cases[c]);
        pt_model *loaded = NULL;
        pt_model *copy = NULL;
        pt_report *arrays = NULL;
        small_must(pt_model_save(model, path, &err), &err, "save");
        small_must(pt_model_load(&loaded, path, params, &err), &err, "load");
        small_must(pt_model_copy(&copy, loaded, &err), &err, "copy");
        small_must(pt_model_arrays(&arrays, copy, &err), &err, "arrays");
        assert_true(pt_report_n_items(arrays) > 3);
        assert_true(c == 3 || pt_report_find(arrays, "m.rows"));
        pt_report_free(arrays);
        pt_params_free(params); /* models hold the kernel themselves */
        pt_prediction *of[3] = {small_predict(model, data, 1), small_predict(loaded, data, 2),
                                NULL};
        pt_model_free(loaded);
        of[2] = small_predict(copy, data, 1);
        same_scores(of[0], of[1], N * K, cases[c]);
        same_scores(of[0], of[2], N * K, cases[c]);
        for (int i = 0; i < 3; i++)
            pt_prediction_free(of[i]);
        pt_model_free(copy);

        assert_int_equal(pt_model_load(&loaded, path, NULL, &err), PT_ENOSUPPORT);
        assert_non_null(strstr(err.text, "no kernel 'my-gauss'"));
        kernel.name = "another";
        pt_params *others = params_with(&kernel, "");
        assert_int_equal(pt_model_load(&loaded, path, others, &err), PT_ENOSUPPORT);
        pt_params_free(others);
        if (c == 2)
            assert_int_equal(pt_model_export(model, path, "libsvm", data, NULL, &err),
                             PT_ENOSUPPORT);
        pt_model_free(model);
    }
    /* A model of the library's own loads all the same. */
    const pt_kernel_callbacks kernel = gauss_kernel(&s);
    pt_params *params = params_with(&kernel, "");
    pt_model *model = small_train(data, "machine=onelsm,ridge=1,sigma=1", 1);
    pt_model *loaded = NULL;
    small_must(pt_model_save(model, path, &err), &err, "save");
    small_must(pt_model_load(&loaded, path, params, &err), &err, "load");
    assert_string_equal(pt_model_param(loaded, "kernel"), "rbf");
    pt_params_free(params);
    pt_model_free(loaded);
    pt_model_free(model);
    pt_dataset_free(data);
    unlink(path);
}

/* The file's name of a kernel becomes another of as many letters. */
static void rename_kernel(unsigned char *bytes, size_t size, const char *from, const char *to)
{
    static const char KEY[] = "\"kernel\"";
    const size_t key = sizeof KEY - 1;
    const size_t length = strlen(from);
    assert_int_equal(strlen(to), length);
    for (size_t at = 0; at + key + 4 + length <= size; at++)
        for (size_t gap = 2; gap < 5 && memcmp(bytes + at, KEY, key) == 0; gap++)
            if (memcmp(bytes + at + key + gap, from, length) == 0)
                memcpy(bytes + at + key + gap, to, length);
    mend_checksums(bytes, size);
}

/* A file that names the kernel, of a machine that has never seen it; and one that is damaged. */
static void test_own_kernel__hostile_files(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *from;
        pt_status status;
    } cases[] = {{"machine=onelsm,ridge=1,kernel=linear", "linear", PT_EFORMAT}, /* no rows */
                 {"machine=spoc,C=1,kernel=linear", "linear", PT_EFORMAT},
                 {"machine=code,code=ovo,learner=svm,C=1,kernel=linear", "linear", PT_EFORMAT},
                 {"machine=softmax", "xxxxxx", PT_OK}};
    pt_error err = PT_ERROR_INIT;
    script s = {0};
    pt_kernel_callbacks kernel = gauss_kernel(&s);
    kernel.name = "gauss6";
    pt_params *params = params_with(&kernel, "machine=onelsm,ridge=1");
    pt_dataset *data = clouds(1, false);
    void *bytes = NULL;
    size_t size = 0;
    pt_model *loaded = NULL;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pt_model *model = small_train(data, cases[c].options, 1);
        small_must(pt_model_save_memory(&bytes, &size, model, &err), &err, "save");
        rename_kernel(bytes, size, cases[c].from, "gauss6");
        const pt_status status = pt_model_load_memory(&loaded, bytes, size, params, &err);
        if (status != cases[c].status)
            fail_msg("%s: %s", cases[c].options, err.text);
        if (status == PT_OK)
            pt_model_free(loaded);
        pt_bytes_free(bytes);
        pt_model_free(model);
    }

    pt_model *model = train_with(data, params, 1, "onelsm");
    small_must(pt_model_save_memory(&bytes, &size, model, &err), &err, "save");
    unsigned char *changed = malloc(size);
    for (size_t at = 0; at < size; at += 5) {
        pt_prediction *prediction = NULL;
        memcpy(changed, bytes, size);
        changed[at] ^= (unsigned char)(1 + at % 255);
        mend_checksums(changed, size);
        if (pt_model_load_memory(&loaded, changed, size, params, &err) != PT_OK)
            continue;
        if (pt_model_predict(&prediction, loaded, data, -1, NULL, &err) == PT_OK)
            pt_prediction_free(prediction);
        pt_model_free(loaded);
    }
    free(changed);
    pt_bytes_free(bytes);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_kernel__gauss_is_the_librarys),
        cmocka_unit_test(test_own_kernel__labels_of_other_kinds),
        cmocka_unit_test(test_own_kernel__searches_are_the_librarys),
        cmocka_unit_test(test_own_kernel__grids_of_kernels),
        cmocka_unit_test(test_own_kernel__comparisons),
        cmocka_unit_test(test_own_kernel__intersection_is_its_matrix),
        cmocka_unit_test(test_own_kernel__threads_and_sparse_rows_agree),
        cmocka_unit_test(test_own_kernel__sparse_rows_are_refused_or_filled),
        cmocka_unit_test(test_own_kernel__memory_changes_no_score),
        cmocka_unit_test(test_own_kernel__a_row_has_the_same_bits_in_any_company),
        cmocka_unit_test(test_own_kernel__every_road_has_the_same_values),
        cmocka_unit_test(test_own_kernel__errors_of_any_call_are_passed_on),
        cmocka_unit_test(test_own_kernel__values_that_are_no_numbers),
        cmocka_unit_test(test_own_kernel__what_cannot_be_used_is_refused),
        cmocka_unit_test(test_own_kernel__indefinite_ones_are_told_of),
        cmocka_unit_test(test_own_kernel__files_copies_and_exports),
        cmocka_unit_test(test_own_kernel__hostile_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
