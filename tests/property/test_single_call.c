/* labels: threads */
/* --single-call: any learner, called once for all columns of a code, is the same learner on the
 * examples (x, s) written out by hand, with the column as a nominal attribute. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/predictions.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "base/task.h"
#include "codes/code.h"
#include "data/dataset.h"
#include "learners/single_call.h"
#include "machines/codes/machine_code.h"
#include "model/model.h"
#include "params/params_table.h"

enum { D = 3, K = 4 };

static const char *const CODES[] = {"ova", "ovo", "sparse", "dense"};
enum { N_CODES = sizeof CODES / sizeof *CODES };

static const char WISH[] = "kernel=rbf,sigma=1,ridge=0.3,C=2,eps=1e-11,gap=1e-11,precision=double,"
                           "rounds=7,draws=20";

/* "code=...,learner=..." and those of the wish that they use. */
static void options_for(char text[600], const pt_learner_ops *learner, const char *code,
                        const char *wish)
{
    snprintf(text, 600, "scale=none,merge=no,calibrate=no,code=%s,learner=%s", code, learner->name);
    const pt_code_family *family = pt_code_family_find(code);
    for (const char *at = wish; *at;) {
        char item[60];
        const size_t length = strcspn(at, ",");
        snprintf(item, sizeof item, "%.*s", (int)length, at);
        char name[60];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(item, "="), item);
        const bool kernel = pt_param_group_of((pt_param_id)pt_param_find(name)) == PT_GROUP_KERNEL;
        const char *wanted = kernel ? "kernel" : name;
        const size_t used = strlen(text);
        if (pt_word_listed(learner->parameters, ',', wanted, strlen(wanted)) ||
            pt_word_listed(family->parameters, ',', wanted, strlen(wanted)))
            snprintf(text + used, 600 - used, ",%s", item);
        at += length + (at[length] == ',');
    }
}

static const pt_code *code_of(const pt_model *model)
{
    return &((const pt_code_machine *)model->machine)->code;
}

/* The outputs (n x ell) of a model: free() them. */
static double *outputs_of(const pt_model *model, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_prepared prepared;
    small_must(pt_prepare_apply(model->prepare, data, pt_model_type(model), &prepared, NULL, &err),
               &err, "preparation");
    double *f = calloc((size_t)(prepared.rows.n * code_of(model)->ell) + 1, sizeof *f);
    small_must(model->machine->ops->outputs(model->machine, &prepared.rows, f, NULL, &err), &err,
               "outputs");
    pt_prepared_free(&prepared);
    return f;
}

enum { LEVELS = 5 };

static void make_nominal(pt_dataset *data, int64_t j, int64_t levels)
{
    pt_error err = PT_ERROR_INIT;
    if (!data->columns)
        data->columns = pt_alloc_zero(data->d, sizeof *data->columns, "columns", &err);
    data->columns[j].nominal = true;
    for (int64_t c = 0; c < levels; c++)
        small_must(pt_texts_add(&data->columns[j].levels, &err, "level %lld", (long long)c), &err,
                   "levels");
}

/* ---- by hand ----------------------------------------------------------------------------------
 */

/* Rows (x, s); the last column is nominal, with the columns of the code as its levels. All pairs,
 * or those that take part in `code`, whose sides become classes: 0 for +, 1 for -, as all pairs of
 * two classes have it. */
static pt_dataset *written_out(const small *s, const pt_code *code, bool taking_part, bool nominal)
{
    pt_error err = PT_ERROR_INIT;
    const int64_t most = s->n * code->ell;
    double *x = calloc((size_t)(most * (s->d + 1)), sizeof *x);
    double *weight = calloc((size_t)most, sizeof *weight);
    int64_t *y = calloc((size_t)most, sizeof *y);
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t c = 0; c < code->ell; c++) {
            const int sign = taking_part ? pt_code_entry(code, s->y[i], c) : 1;
            if (sign == 0)
                continue;
            memcpy(x + n * (s->d + 1), s->x + i * s->d, (size_t)s->d * sizeof *x);
            x[n * (s->d + 1) + s->d] = (double)c;
            weight[n] = s->weight ? s->weight[i] : 1;
            y[n++] = sign > 0 ? 0 : 1;
        }
    pt_dataset *data = NULL;
    small_must(dataset_from_f64(&data, x, n, s->d + 1, s->d + 1, &err), &err, "data set");
    make_nominal(data, s->d, code->ell);
    if (nominal)
        make_nominal(data, 0, LEVELS);
    if (taking_part) {
        small_must(dataset_set_numbers(data, y, &err), &err, "labels");
        if (s->weight)
            small_must(dataset_set_weights(data, weight, &err), &err, "weights");
    }
    free(x);
    free(y);
    free(weight);
    return data;
}

/* nominal: the first feature has numbers of levels. */
static void expect_as_written_out(const small *s, const small *on, const pt_learner_ops *learner,
                                  const char *code, bool nominal)
{
    char text[600];
    char single[660];
    options_for(text, learner, code, WISH);
    snprintf(single, sizeof single, "%s,single-call=yes", text);
    pt_dataset *train = small_dataset(s);
    pt_dataset *test = small_dataset(on);
    if (nominal) {
        make_nominal(train, 0, LEVELS);
        make_nominal(test, 0, LEVELS);
    }
    pt_model *model = small_train(train, single, 2);
    const pt_code *M = code_of(model);

    char by_hand[600];
    options_for(by_hand, learner, "ovo", WISH); /* one column */
    pt_dataset *examples = written_out(s, M, true, nominal);
    pt_dataset *asked = written_out(on, M, false, nominal);
    pt_model *reference = small_train(examples, by_hand, 1);
    assert_int_equal(code_of(reference)->ell, 1);

    double *a = outputs_of(model, test);
    double *b = outputs_of(reference, asked);
    const double apart = small_distance(a, b, on->n * M->ell);
    if (!(apart < 1e-5))
        fail_msg("%s: %g apart", single, apart);
    free(a);
    free(b);
    pt_model_free(reference);
    pt_model_free(model);
    pt_dataset_free(asked);
    pt_dataset_free(examples);
    pt_dataset_free(test);
    pt_dataset_free(train);
}

static void test_single_call__is_the_learner_on_examples_written_out(void **state)
{
    (void)state;
    small on = small_clouds(11, D, K, 4);
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int c = 0; c < N_CODES; c++)
            for (int weighted = 0; weighted < 2; weighted++) {
                small s = small_clouds(44, D, K, 3);
                if (weighted) {
                    if (!((*learner)->capabilities & PT_LEARNS_WEIGHTS)) {
                        small_free(&s);
                        continue;
                    }
                    s.weight = calloc((size_t)s.n, sizeof *s.weight);
                    for (int64_t i = 0; i < s.n; i++)
                        s.weight[i] = 0.5 + (double)(i % 5) / 4;
                }
                expect_as_written_out(&s, &on, *learner, CODES[c], false);
                small_free(&s);
            }
    small_free(&on);
}

/* Level numbers in the first feature, and missing cells in the others. */
static void make_raw(small *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        s->x[i * s->d] = (double)((i * 7 + s->y[i]) % LEVELS);
        if (i % 4 == 1)
            s->x[i * s->d + 1 + i % 2] = NAN;
        if (i % 11 == 3)
            s->x[i * s->d] = NAN;
    }
}

static void test_single_call__raw_rows_with_levels_and_missing_cells(void **state)
{
    (void)state;
    small s = small_clouds(60, D, K, 13);
    small on = small_clouds(17, D, K, 14);
    make_raw(&s);
    make_raw(&on);
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int c = 0; c < N_CODES && (*learner)->capabilities & PT_LEARNS_RAW; c++)
            expect_as_written_out(&s, &on, *learner, CODES[c], true);
    small_free(&s);
    small_free(&on);
}

/* ---- rows, threads, files ---------------------------------------------------------------------
 */

static void test_single_call__sparse_rows_are_dense_rows(void **state)
{
    (void)state;
    small s = small_clouds(40, D, K, 5);
    for (int64_t i = 0; i < 40 * D; i += 3)
        s.x[i] = 0;
    pt_dataset *dense = small_dataset(&s);
    pt_dataset *sparse = small_sparse_dataset(&s);
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int c = 0; c < N_CODES && (*learner)->capabilities & PT_LEARNS_SPARSE; c++) {
            char text[600];
            char single[660];
            options_for(text, *learner, CODES[c], WISH);
            snprintf(single, sizeof single, "%s,single-call=yes", text);
            double *a = small_scores(dense, single, dense);
            double *b = small_scores(sparse, single, sparse);
            if (!(small_distance(a, b, 40 * K) < 1e-5))
                fail_msg("%s: %g apart", single, small_distance(a, b, 40 * K));
            free(a);
            free(b);
        }
    pt_dataset_free(dense);
    pt_dataset_free(sparse);
    small_free(&s);
}

static void test_single_call__threads_and_files_agree(void **state)
{
    (void)state;
    small s = small_clouds(40, D, K, 6);
    small on = small_clouds(23, D, K, 7);
    pt_dataset *train = small_dataset(&s);
    pt_dataset *test = small_dataset(&on);
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int c = 0; c < N_CODES; c++) {
            char text[600];
            char single[660];
            options_for(text, *learner, CODES[c],
                        "kernel=rbf,sigma=1,ridge=0.3,C=2,rounds=7,draws=20");
            snprintf(single, sizeof single, "%s,single-call=yes", text);
            expect_repeatable(train, test, on.n, K, single);
        }
    pt_dataset_free(train);
    pt_dataset_free(test);
    small_free(&s);
    small_free(&on);
}

/* More pairs than a block holds: the same outputs as of one row after the other. */
static void test_single_call__outputs_by_blocks(void **state)
{
    (void)state;
    enum { N = 240, CLASSES = 12 };
    small s = small_clouds(36, D, CLASSES, 8);
    small on = small_clouds(N, D, CLASSES, 9);
    pt_dataset *train = small_dataset(&s);
    pt_dataset *test = small_dataset(&on);
    pt_model *model = small_train(
        train, "code=dense,columns=100,draws=1,learner=ls,ridge=0.3,kernel=linear,single-call=yes",
        1);
    double *all = outputs_of(model, test);
    for (int64_t i = 0; i < N; i += 17) {
        const small one = {1, D, CLASSES, on.x + i * D, NULL, NULL};
        pt_dataset *row = small_dataset(&one);
        double *f = outputs_of(model, row);
        assert_true(small_distance(f, all + i * 100, 100) < 1e-6);
        free(f);
        pt_dataset_free(row);
    }
    free(all);
    pt_model_free(model);
    pt_dataset_free(test);
    pt_dataset_free(train);
    small_free(&on);
    small_free(&s);
}

/* ---- plans and refusals -----------------------------------------------------------------------
 */

static void test_single_call__the_plan_counts_the_examples(void **state)
{
    (void)state;
    enum { N = 4000 };
    small s = small_clouds(N, D, K, 10);
    const pt_columns pairs = {.n = N, .group_of = s.y, .groups = K, .ell = 6, .pairs = true};
    const int8_t signs[K * 2] = {1, 0, -1, 0, 0, 1, 0, -1};
    const pt_columns few = {.n = N, .group_of = s.y, .groups = K, .ell = 2, .sign = signs};
    assert_int_equal(pt_single_call_examples(&pairs), 3 * N);
    assert_int_equal(pt_single_call_examples(&few), N);

    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = small_dataset(&s);
    pt_params *params = small_params("code=ovo,learner=linear-svm,single-call=yes");
    pt_task *task = small_task(1);
    pt_model *model = NULL;
    /* 3 N examples of D + 6 floats */
    pt_task_set_memory(task, 3 * N * (D + 6) * (int64_t)sizeof(float));
    assert_int_equal(pt_model_train(&model, data, params, task, &err), PT_EMEMORY);
    assert_null(model);
    pt_task_set_memory(task, 64 << 20);
    small_must(pt_model_train(&model, data, params, task, &err), &err, "enough memory");
    pt_model_free(model);
    pt_task_free(task);
    pt_params_free(params);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_single_call__what_cannot_be_is_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(12, 12, 3, 11);
    for (int64_t i = 0; i < 12; i++)
        s.x[i * 12 + i] = 9;
    pt_dataset *data = small_dataset(&s);
    pt_model *model = NULL;
    assert_int_equal(small_try_train(&model, data,
                                     "code=ova,learner=svm,kernel=precomputed,single-call=yes", 1,
                                     &err),
                     PT_EINVAL);
    assert_non_null(strstr(err.text, "precomputed"));
    assert_int_equal(small_try_train(&model, data, "machine=onelsm,single-call=yes", 1, &err),
                     PT_EINVAL);
    assert_non_null(strstr(err.text, "single-call"));
    model = small_train(data, "code=ovo,learner=svm,kernel=linear,single-call=yes", 1);
    assert_int_equal(pt_model_export(model, "/dev/null", "libsvm", NULL, NULL, &err),
                     PT_ENOSUPPORT);
    assert_non_null(strstr(err.text, "single call"));
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* The closed form of least squares is that of columns learned apart. */
static void test_single_call__is_held_out_by_brute_force(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(30, D, 3, 12);
    pt_dataset *data = small_dataset(&s);
    static const char *const METHODS[] = {"closed form", "brute force"};
    for (int single = 0; single < 2; single++) {
        pt_report *search = NULL;
        pt_params *params = small_params("code=ova,learner=ls,kernel=rbf,sigma=1,ridge=0.1,"
                                         "folds=3");
        small_must(pt_params_set(params, "single-call", single ? "yes" : "no", &err), &err, "set");
        small_must(
            pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, "search");
        assert_string_equal(pt_report_text(search, "method"), METHODS[single]);
        pt_report_free(search);
        pt_params_free(params);
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_call__is_the_learner_on_examples_written_out),
        cmocka_unit_test(test_single_call__raw_rows_with_levels_and_missing_cells),
        cmocka_unit_test(test_single_call__sparse_rows_are_dense_rows),
        cmocka_unit_test(test_single_call__threads_and_files_agree),
        cmocka_unit_test(test_single_call__outputs_by_blocks),
        cmocka_unit_test(test_single_call__the_plan_counts_the_examples),
        cmocka_unit_test(test_single_call__what_cannot_be_is_refused),
        cmocka_unit_test(test_single_call__is_held_out_by_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
