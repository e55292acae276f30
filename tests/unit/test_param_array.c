/* Parameters from arrays in memory: all is as with files of the same numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/from_memory.h"
#include "../support/predictions.h"
#include "../support/reports.h"
#include "polytomy/experimental.h"

enum { N = 60, D = 3, K = 4 };

static const double COSTS[K * K] = {0, 1, 2.5, 1, 3, 0, 1, 1, 0.125, 1, 0, 4, 1, 1, 1, 0};
static const double GRAM[K * K] = {2, 1, 0, 0.5, 1, 2, 0, 0.25, 0, 0, 1, 0, 0.5, 0.25, 0, 1.5};
static const double CODE[K * 5] = {1, 1,  0, -1, 1, -1, 1,  1,  0, 1,
                                   0, -1, 1, 1,  1, -1, -1, -1, 1, -1};
static const double WEIGHT[K] = {1, 2, 0.1, 3};

static pt_dense table(const double *values, int64_t n, int64_t m)
{
    return (pt_dense){.type = PT_F64, .values = values, .n_rows = n, .n_columns = m};
}

static pt_dense costs(void)
{
    return table(COSTS, K, K);
}

static void set_array(pt_params *params, const char *name, pt_dense array)
{
    pt_error err = PT_ERROR_INIT;
    small_must(pt_params_set_array(params, name, &array, &err), &err, name);
}

/* The numbers as a CSV file, with all their digits. */
static void write_csv(const char *path, pt_dense array)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int64_t i = 0; i < array.n_rows; i++)
        for (int64_t j = 0; j < array.n_columns; j++)
            fprintf(file, "%.17g%c", ((const double *)array.values)[i * array.n_columns + j],
                    j + 1 < array.n_columns ? ',' : '\n');
    assert_int_equal(fclose(file), 0);
}

static pt_dataset *clouds(uint64_t seed)
{
    small s = small_clouds(N, D, K, seed);
    pt_dataset *data = small_dataset(&s);
    small_free(&s);
    return data;
}

static pt_model *train(const pt_dataset *data, const pt_params *params)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, "train");
    return model;
}

/* ---- the parameter --------------------------------------------------------------------------- */

static void test_array__is_a_value_that_texts_take_off(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params("machine=spoc");
    pt_params *copy = NULL;
    char text[80];
    set_array(params, "costs", costs());
    assert_true(pt_params_is_set(params, "costs"));
    snprintf(text, sizeof text, "%s", pt_params_get(params, "costs"));
    assert_int_equal(strncmp(text, "array:4x4:", strlen("array:4x4:")), 0);
    small_must(pt_params_copy(&copy, params, &err), &err, "copy");
    assert_string_equal(pt_params_get(copy, "costs"), text);
    small_must(pt_params_parse(params, "C=2,machine=ww", &err), &err, "others");
    assert_string_equal(pt_params_get(params, "costs"), text);
    small_must(pt_params_set(params, "costs", text, &err), &err, "its own text");
    pt_dataset *data = clouds(1);
    pt_model_free(train(data, params)); /* it is still there */
    small_must(pt_params_set(params, "costs", "none", &err), &err, "none");
    assert_string_equal(pt_params_get(params, "costs"), "none");
    small_must(pt_params_set(params, "costs", text, &err), &err, "the name alone");
    pt_model *model = NULL;
    assert_int_equal(pt_model_train(&model, data, params, NULL, &err), PT_EINVAL);
    assert_string_equal(err.param, "costs");
    pt_params_free(params);
    pt_model_free(train(data, copy)); /* the copy has its own */
    pt_params_free(copy);
    pt_dataset_free(data);
}

static const char *text_of(pt_params *params, const char *name, pt_dense array)
{
    set_array(params, name, array);
    return pt_params_get(params, name);
}

/* The same numbers have the same text, whatever they are made of, and others another one. */
static void test_array__takes_any_type_and_strides(void **state)
{
    (void)state;
    static const int8_t SMALL[3 * 4] = {0, 1, 2, 9, 3, 0, 4, 9, 5, 6, 0, 9};
    double f64[9];
    float f32[9];
    int64_t i64[9];
    int32_t i32[9];
    double across[9];
    double backwards[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int8_t value = SMALL[i * 4 + j];
            f64[i * 3 + j] = value;
            f32[i * 3 + j] = value;
            i64[i * 3 + j] = value;
            i32[i * 3 + j] = value;
            across[j * 3 + i] = value;
            backwards[8 - (i * 3 + j)] = value;
        }
    const pt_dense same[] = {{PT_I8, SMALL, 3, 3, 4, 1},   {PT_F32, f32, 3, 3, 0, 0},
                             {PT_I64, i64, 3, 3, 0, 0},    {PT_I32, i32, 3, 3, 3, 1},
                             {PT_F64, across, 3, 3, 1, 3}, {PT_F64, backwards + 8, 3, 3, -3, -1}};
    pt_params *params = small_params("");
    char first[80];
    snprintf(first, sizeof first, "%s", text_of(params, "costs", table(f64, 3, 3)));
    for (size_t s = 0; s < sizeof same / sizeof *same; s++)
        assert_string_equal(text_of(params, "costs", same[s]), first);
    assert_string_not_equal(text_of(params, "costs", table(across, 3, 3)), first);
    f64[1] += 1e-12;
    assert_string_not_equal(text_of(params, "costs", table(f64, 3, 3)), first);
    char row[80];
    snprintf(row, sizeof row, "%s", text_of(params, "class-weight", table(WEIGHT, 1, K)));
    assert_string_equal(text_of(params, "class-weight", table(WEIGHT, K, 1)), row);
    pt_params_free(params);
}

static void expect_refused(const char *name, const pt_dense *array, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params("machine=spoc,costs=a.csv");
    assert_int_equal(pt_params_set_array(params, name, array, &err), PT_EINVAL);
    if (!strstr(err.text, text))
        fail_msg("'%s' is not in: %s", text, err.text);
    if (strcmp(name, "nonsense") != 0)
        assert_string_equal(err.param, name);
    assert_string_equal(pt_params_get(params, "costs"), "a.csv"); /* as it was */
    assert_int_equal(pt_params_set_array(params, name, array, NULL), PT_EINVAL);
    pt_params_free(params);
}

static void expect_entry_refused(const char *name, int64_t n, int64_t m, const double *numbers,
                                 const char *text)
{
    const pt_dense array = table(numbers, n, m);
    expect_refused(name, &array, text);
}

static void test_array__wrong_ones_are_refused_with_the_place(void **state)
{
    (void)state;
    const pt_dense good = costs();
    const pt_dense text = {PT_TEXT, COSTS, K, K, 0, 0};
    expect_refused("nonsense", &good, "nonsense");
    expect_refused("sigma", &good, "costs, label-kernel, code and class-weight");
    expect_refused("costs", NULL, "no array");
    expect_refused("costs", &text, "type 5");
    expect_entry_refused("costs", 3, 2, COSTS, "3 x 2");
    expect_entry_refused("costs", 2, 4, COSTS, "2 x 4");
    expect_entry_refused("costs", 2, 3, (double[]){0, 1, 1, 1, 0, -1}, "row 2, column 3 is -1;");
    expect_entry_refused("costs", 0, 0, COSTS, "0 x 0");
    expect_entry_refused("costs", 2, 2, (double[]){0, 1, -1, 0}, "row 2, column 1 is -1;");
    expect_entry_refused("costs", 2, 2, (double[]){0, 1, 1, 0.5}, "row 2, column 2 is 0.5;");
    expect_entry_refused("costs", 2, 2, (double[]){0, NAN, 1, 0}, "row 1, column 2 is nan;");
    expect_entry_refused("label-kernel", 3, 2, COSTS, "3 x 2");
    expect_entry_refused("label-kernel", 2, 2, (double[]){1, 0, 0, INFINITY}, "row 2, column 2");
    expect_entry_refused("label-kernel", 2, 2, (double[]){1, 0.5, 0.25, 1}, "row 2, column 1");
    expect_entry_refused("code", 1, 4, CODE, "1 x 4");
    expect_entry_refused("code", 2, 0, CODE, "2 x 0");
    expect_entry_refused("code", 2, 2, (double[]){1, -1, 0.5, 1}, "row 2, column 1 is 0.5;");
    expect_entry_refused("class-weight", 2, 2, WEIGHT, "2 x 2");
    expect_entry_refused("class-weight", 1, 2, (double[]){1, 0}, "row 1, column 2 is 0;");
    expect_entry_refused("class-weight", 2, 1, (double[]){1, -1}, "row 2, column 1 is -1;");
}

/* ---- models ---------------------------------------------------------------------------------- */

/* What a model says of itself, with one text in place of another; free() it. */
static char *metadata(const pt_model *model, const char *old, const char *new)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    small_must(pt_model_report(&report, model, &err), &err, "report");
    const char *said = pt_report_text(report, "metadata");
    const char *at = strstr(said, old);
    assert_non_null(at);
    const size_t room = strlen(said) + strlen(new) + 1;
    char *text = calloc(room, 1);
    assert_non_null(text);
    snprintf(text, room, "%.*s%s%s", (int)(at - said), said, new, at + strlen(old));
    pt_report_free(report);
    return text;
}

/* Every array of both, bit by bit, and what they say but for the name. */
static void expect_same_models(const pt_model *a, const char *a_name, const pt_model *b,
                               const char *b_name)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *one = NULL;
    pt_report *other = NULL;
    small_must(pt_model_arrays(&one, a, &err), &err, "arrays");
    small_must(pt_model_arrays(&other, b, &err), &err, "arrays");
    assert_int_equal(pt_report_n_items(one), pt_report_n_items(other));
    for (int64_t i = 0; i < pt_report_n_items(one); i++) {
        static const size_t SIZE[] = {4, 8, 8, 4, 1};
        const pt_item *x = pt_report_item(one, i);
        const pt_item *y = pt_report_item(other, i);
        size_t count = 1;
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->type, y->type);
        assert_int_equal(x->n_axes, y->n_axes);
        for (int axis = 0; axis < x->n_axes; axis++) {
            assert_int_equal(x->length[axis], y->length[axis]);
            count *= (size_t)x->length[axis];
        }
        if (x->type != PT_TEXT)
            assert_memory_equal(x->values, y->values, count * SIZE[x->type]);
    }
    pt_report_free(one);
    pt_report_free(other);
    char *mine = metadata(a, a_name, "NAME");
    char *yours = metadata(b, b_name, "NAME");
    assert_string_equal(mine, yours);
    free(mine);
    free(yours);
}

static void expect_as_file(const char *options, const char *name, pt_dense array)
{
    static const char FILE_NAME[] = "test_param_array.csv";
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(7);
    pt_params *by_array = small_params(options);
    pt_params *by_file = small_params(options);
    write_csv(FILE_NAME, array);
    set_array(by_array, name, array);
    small_must(pt_params_set(by_file, name, FILE_NAME, &err), &err, "file");
    pt_model *a = train(data, by_array);
    pt_model *b = train(data, by_file);
    expect_same_models(a, pt_params_get(by_array, name), b, FILE_NAME);
    assert_string_equal(pt_model_param(a, name), pt_params_get(by_array, name));
    pt_model_free(a);
    pt_model_free(b);
    pt_params_free(by_array);
    pt_params_free(by_file);
    pt_dataset_free(data);
    unlink(FILE_NAME);
}

static void test_array__models_are_those_of_the_file(void **state)
{
    (void)state;
    expect_as_file("machine=spoc,kernel=rbf,sigma=1,threads=1", "costs", costs());
    expect_as_file("machine=spoc", "costs", costs());
    expect_as_file("machine=ww,kernel=linear", "costs", costs());
    expect_as_file("machine=designed,learner=linear-svm", "costs", costs());
    expect_as_file("machine=designed,learner=ls,design-kernel=rbf,code=ova,sigma=1,ridge=0.1",
                   "costs", costs());
    expect_as_file("machine=onelsm,sigma=1,ridge=0.1", "label-kernel", table(GRAM, K, K));
    expect_as_file("machine=vo-lssvm,sigma=1", "label-kernel", table(GRAM, K, K));
    expect_as_file("learner=svm,sigma=1", "code", table(CODE, K, 5));
    expect_as_file("learner=ls", "code", table(CODE, K, 5));
    expect_as_file("machine=designed,learner=ls", "code", table(CODE, K, 5));
    expect_as_file("machine=adaboost-mo,rounds=5", "code", table(CODE, K, 5));
}

/* The very bytes of the model that names the classes. */
static void test_array__class_weights_are_those_of_the_text(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"machine=onelsm,sigma=1,ridge=0.1", "machine=tree",
                                           "machine=softmax", "learner=svm"};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(8);
    for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
        pt_params *by_array = small_params(MACHINES[m]);
        pt_params *by_text = small_params(MACHINES[m]);
        void *bytes[2] = {NULL, NULL};
        size_t size[2] = {0, 0};
        set_array(by_array, "class-weight", table(WEIGHT, K, 1));
        small_must(pt_params_set(by_text, "class-weight", "0=1,1=2,2=0.1,3=3", &err), &err, "text");
        pt_model *a = train(data, by_array);
        pt_model *b = train(data, by_text);
        small_must(pt_model_save_memory(&bytes[0], &size[0], a, &err), &err, "save");
        small_must(pt_model_save_memory(&bytes[1], &size[1], b, &err), &err, "save");
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        for (int i = 0; i < 2; i++)
            pt_bytes_free(bytes[i]);
        pt_model_free(a);
        pt_model_free(b);
        pt_params_free(by_array);
        pt_params_free(by_text);
    }
    pt_dataset_free(data);
}

/* A name that no text can say. */
static void test_array__class_weights_of_any_names(void **state)
{
    (void)state;
    static const char *const NAMES[K] = {"a,b=3", "c", "d", "e"};
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, D, K, 9);
    pt_dataset *data = small_dataset(&s);
    pt_dataset *weighted = small_dataset(&s);
    double *weight = calloc(N, sizeof *weight);
    assert_non_null(weight);
    for (int i = 0; i < N; i++)
        weight[i] = WEIGHT[s.y[i]];
    small_must(dataset_set_weights(weighted, weight, &err), &err, "weights");
    small_must(pt_dataset_set_classes(data, PT_I64, s.y, NAMES, K, &err), &err, "names");
    pt_params *params = small_params("machine=onelsm,sigma=1,ridge=0.1,calibrate=no,merge=no");
    pt_model *plain = train(weighted, params);
    set_array(params, "class-weight", table(WEIGHT, 1, K));
    pt_model *model = train(data, params);
    pt_prediction *p = small_predict(model, data, 1);
    pt_prediction *q = small_predict(plain, data, 1);
    expect_same_bits(p, q, N, K, "weights");
    assert_string_equal(pt_model_param(model, "class-weight"),
                        pt_params_get(params, "class-weight"));
    pt_prediction_free(p);
    pt_prediction_free(q);
    pt_model_free(plain);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(weighted);
    pt_dataset_free(data);
    free(weight);
    small_free(&s);
}

/* Rows of classes that nobody has are left out, with their columns. */
static void test_array__of_classes_without_rows(void **state)
{
    (void)state;
    enum { MISSING = 1 };
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(10);
    pt_dataset *some = NULL;
    int64_t rows[N];
    int64_t n = 0;
    double smaller[(K - 1) * (K - 1)];
    int64_t at = 0;
    for (int64_t i = 0; i < N; i++)
        if (pt_dataset_class(data, i) != MISSING)
            rows[n++] = i;
    for (int i = 0; i < K * K; i++)
        if (i / K != MISSING && i % K != MISSING)
            smaller[at++] = COSTS[i];
    small_must(pt_dataset_rows(&some, data, rows, n, &err), &err, "rows");
    assert_int_equal(pt_dataset_n_classes(some), K);
    pt_params *params = small_params("machine=spoc,sigma=1,merge=no"); /* rows in their order */
    set_array(params, "costs", costs());
    pt_model *model = train(some, params);
    assert_int_equal(pt_model_n_classes(model), K - 1);

    small s = small_clouds(N, D, K, 10);
    int64_t *y = calloc((size_t)n, sizeof *y);
    double *x = calloc((size_t)(n * D), sizeof *x);
    assert_true(y && x);
    for (int64_t i = 0; i < n; i++) {
        y[i] = s.y[rows[i]];
        memcpy(x + i * D, s.x + rows[i] * D, D * sizeof *x);
    }
    pt_dataset *alone = NULL;
    small_must(dataset_from_f64(&alone, x, n, D, D, &err), &err, "data");
    small_must(dataset_set_numbers(alone, y, &err), &err, "labels");
    pt_model *other = NULL;
    assert_int_equal(pt_model_train(&other, alone, params, NULL, &err), PT_EINVAL);
    assert_string_equal(err.param, "costs");
    assert_non_null(strstr(err.text, "4 classes, and there are 3"));
    set_array(params, "costs", table(smaller, K - 1, K - 1));
    other = train(alone, params);
    pt_prediction *p = small_predict(model, data, 1);
    pt_prediction *q = small_predict(other, data, 1);
    expect_same_bits(p, q, N, K - 1, "costs of three classes");
    pt_prediction_free(p);
    pt_prediction_free(q);
    pt_model_free(model);
    pt_model_free(other);
    pt_params_free(params);
    pt_dataset_free(alone);
    pt_dataset_free(some);
    pt_dataset_free(data);
    free(x);
    free(y);
    small_free(&s);
}

/* ---- searches, comparisons, designs ---------------------------------------------------------- */

/* Errors, then what is best, of a search with costs; *best is yours. */
static pt_status search(pt_report **out, pt_params **best, const pt_dataset *data,
                        const pt_params *common, pt_error *err)
{
    static const char *const MACHINES[] = {"spoc", "ww"};
    pt_params *params[2] = {NULL, NULL};
    const pt_status status = pt_params_for_machines(params, common, MACHINES, 2, err);
    const pt_params *const *both = (const pt_params *const *)params;
    pt_status searched =
        status == PT_OK ? pt_cross_validate(out, best, data, both, 2, NULL, err) : status;
    for (int m = 0; m < 2; m++)
        pt_params_free(params[m]);
    return searched;
}

static void expect_search_as_file(const char *options)
{
    static const char FILE_NAME[] = "test_param_search.csv";
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(11);
    pt_params *by_array = small_params(options);
    pt_params *by_file = small_params(options);
    pt_report *a[2] = {NULL, NULL};
    pt_report *b[2] = {NULL, NULL};
    pt_params *a_best[2] = {NULL, NULL};
    pt_params *b_best[2] = {NULL, NULL};
    write_csv(FILE_NAME, costs());
    set_array(by_array, "costs", costs());
    small_must(pt_params_set(by_file, "costs", FILE_NAME, &err), &err, "file");
    small_must(search(a, a_best, data, by_array, &err), &err, "search");
    small_must(search(b, b_best, data, by_file, &err), &err, "search");
    for (int m = 0; m < 2; m++) {
        for (int64_t p = 0; p < 2; p++)
            assert_true(pt_report_number_at(a[m], "error", p, 0, 0) ==
                        pt_report_number_at(b[m], "error", p, 0, 0));
        assert_memory_equal(scores_of(a[m], 0), scores_of(b[m], 0), N * K * sizeof(double));
        pt_model *one = train(data, a_best[m]);
        pt_model *other = train(data, b_best[m]);
        expect_same_models(one, pt_params_get(by_array, "costs"), other, FILE_NAME);
        pt_model_free(one);
        pt_model_free(other);
        pt_report_free(a[m]);
        pt_report_free(b[m]);
        pt_params_free(a_best[m]);
        pt_params_free(b_best[m]);
    }
    pt_params_free(by_array);
    pt_params_free(by_file);
    pt_dataset_free(data);
    unlink(FILE_NAME);
}

static void test_array__searches_are_those_of_the_file(void **state)
{
    (void)state;
    expect_search_as_file("sigma=1,folds=3,grid={C=0.5,2}");
    expect_search_as_file("sigma=1,folds=2,scale-per-fold,nested,grid={C=0.5,2}");
}

/* A checkpoint is of these numbers and no others, whichever parameter they are of. */
static void expect_own_checkpoint(const char *options, const char *name, pt_dense array,
                                  pt_dense other)
{
    static const char CHECKPOINT[] = "test_param_array.checkpoint";
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(12);
    pt_params *params = small_params(options);
    pt_report *report = NULL;
    set_array(params, name, array);
    small_must(pt_params_set(params, "resume", CHECKPOINT, &err), &err, "resume");
    const pt_params *const one[] = {params};
    small_must(pt_cross_validate(&report, NULL, data, one, 1, NULL, &err), &err, "search");
    pt_report_free(report);
    small_must(pt_cross_validate(&report, NULL, data, one, 1, NULL, &err), &err, "again");
    pt_report_free(report);
    report = NULL;
    set_array(params, name, other);
    assert_int_equal(pt_cross_validate(&report, NULL, data, one, 1, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, name));
    pt_params_free(params);
    pt_dataset_free(data);
    unlink(CHECKPOINT);
}

static void test_array__checkpoints_tell_arrays_apart(void **state)
{
    (void)state;
    double other[K * K];
    double code[K * 5];
    memcpy(other, COSTS, sizeof other);
    other[1] = 7;
    expect_own_checkpoint("machine=spoc,sigma=1,folds=2", "costs", costs(), table(other, K, K));
    memcpy(other, GRAM, sizeof other);
    other[0] = 3;
    expect_own_checkpoint("machine=onelsm,sigma=1,ridge=1,folds=2", "label-kernel",
                          table(GRAM, K, K), table(other, K, K));
    memcpy(code, CODE, sizeof code);
    code[2] = 1;
    expect_own_checkpoint("learner=ls,sigma=1,ridge=1,folds=2", "code", table(CODE, K, 5),
                          table(code, K, 5));
    memcpy(other, WEIGHT, sizeof WEIGHT);
    other[2] = 7;
    expect_own_checkpoint("machine=onelsm,sigma=1,ridge=1,folds=2", "class-weight",
                          table(WEIGHT, K, 1), table(other, K, 1));
}

/* Halves that lack a class take its row and column out of the array. */
static void test_array__serves_comparisons_plans_and_limits_of_time(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, D, K, 13);
    for (int i = 0; i < N; i++) /* class 3 has a single row */
        s.y[i] = i == 5 ? 3 : i % 3;
    pt_dataset *data = small_dataset(&s);
    pt_params *common = small_params("sigma=1,C=1");
    pt_params *params[2] = {NULL, NULL};
    const char *const machines[] = {"spoc", "ww"};
    pt_report *report = NULL;
    set_array(common, "costs", costs());
    small_must(pt_params_for_machines(params, common, machines, 2, &err), &err, "machines");
    const pt_params *const *both = (const pt_params *const *)params;
    small_must(pt_compare(&report, data, NULL, both, 2, NULL, &err), &err, "compare");
    assert_int_equal(pt_report_integer(report, "n_machines"), 2);
    pt_report_free(report);
    small_must(pt_compare(&report, data, data, both, 2, NULL, &err), &err, "test");
    pt_report_free(report);
    small_must(pt_model_plan(&report, data, params[0], NULL, &err), &err, "plan");
    assert_true(pt_report_number(report, "bytes") > 0);
    pt_report_free(report);
    pt_task *task = small_task(1);
    pt_task_set_time_limit(task, 60);
    pt_model *model = NULL;
    small_must(pt_model_train(&model, data, params[0], task, &err), &err, "in time");
    pt_model *without = train(data, params[0]);
    expect_same_models(model, "array:", without, "array:");
    pt_model_free(without);
    pt_model_free(model);
    pt_task_free(task);
    for (int m = 0; m < 2; m++)
        pt_params_free(params[m]);
    pt_params_free(common);
    pt_dataset_free(data);
    small_free(&s);
}

/* What is not used is refused, as it is of files. */
static void test_array__is_refused_where_nobody_uses_it(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(14);
    pt_params *params = small_params("machine=onelsm,sigma=1,ridge=1");
    pt_model *model = NULL;
    set_array(params, "costs", costs());
    assert_int_equal(pt_model_train(&model, data, params, NULL, &err), PT_EINVAL);
    pt_params *all[1] = {NULL};
    const char *const machines[] = {"onelsm"};
    assert_int_equal(pt_params_for_machines(all, params, machines, 1, &err), PT_EINVAL);
    pt_params_free(params);
    /* what is symmetric, but no kernel */
    double flat[K * K];
    for (int i = 0; i < K * K; i++)
        flat[i] = i / K != i % K;
    params = small_params("machine=onelsm,sigma=1,ridge=1");
    set_array(params, "label-kernel", table(flat, K, K));
    assert_int_equal(pt_model_train(&model, data, params, NULL, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "not positive semidefinite"));
    pt_params_free(params);
    pt_dataset_free(data);
}

static void test_array__costs_design_a_code_for_a_model(void **state)
{
    (void)state;
    static const char FILE_NAME[] = "test_param_design.csv";
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(15);
    pt_params *params = small_params("learner=linear-svm");
    pt_params *by_array = small_params("design-C=1");
    pt_params *by_file = small_params("design-C=1");
    pt_model *a = NULL;
    pt_model *b = NULL;
    pt_model *loaded = NULL;
    void *bytes = NULL;
    size_t size = 0;
    write_csv(FILE_NAME, costs());
    set_array(params, "code", table(CODE, K, 5));
    set_array(params, "class-weight", table(WEIGHT, K, 1));
    set_array(by_array, "costs", costs());
    small_must(pt_params_set(by_file, "costs", FILE_NAME, &err), &err, "file");
    pt_model *model = train(data, params);
    small_must(pt_model_save_memory(&bytes, &size, model, &err), &err, "save");
    small_must(pt_model_load_memory(&loaded, bytes, size, NULL, &err), &err, "load");
    assert_string_equal(pt_model_param(loaded, "code"), pt_params_get(params, "code"));
    small_must(pt_model_design(&a, model, data, by_array, NULL, &err), &err, "design");
    small_must(pt_model_design(&b, loaded, data, by_file, NULL, &err), &err, "design");
    expect_same_models(a, pt_params_get(by_array, "costs"), b, FILE_NAME);
    pt_bytes_free(bytes);
    pt_model_free(a);
    pt_model_free(b);
    pt_model_free(loaded);
    pt_model_free(model);
    pt_params_free(params);
    pt_params_free(by_array);
    pt_params_free(by_file);
    pt_dataset_free(data);
    unlink(FILE_NAME);
}

/* ---- codes to look at ------------------------------------------------------------------------ */

static void expect_code_refused(int64_t k, const double *signs, int64_t ell, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params("");
    pt_report *report = NULL;
    set_array(params, "code", table(signs, k, ell));
    assert_int_equal(pt_coding_make(&report, 0, params, NULL, &err), PT_EINVAL);
    assert_string_equal(err.param, "code");
    if (!strstr(err.text, text))
        fail_msg("'%s' is not in: %s", text, err.text);
    pt_params_free(params);
}

static void test_array__codes_are_measured_and_checked(void **state)
{
    (void)state;
    static const char FILE_NAME[] = "test_param_code.csv";
    pt_error err = PT_ERROR_INIT;
    pt_params *by_array = small_params("");
    pt_params *by_file = small_params("");
    pt_report *a = NULL;
    pt_report *b = NULL;
    char *mine = NULL;
    char *yours = NULL;
    write_csv(FILE_NAME, table(CODE, K, 5));
    set_array(by_array, "code", table(CODE, K, 5));
    small_must(pt_params_set(by_file, "code", FILE_NAME, &err), &err, "file");
    small_must(pt_coding_make(&a, K, by_array, NULL, &err), &err, "code");
    small_must(pt_coding_make(&b, 0, by_file, NULL, &err), &err, "code");
    small_must(pt_report_json(&mine, a, &err), &err, "JSON");
    small_must(pt_report_json(&yours, b, &err), &err, "JSON");
    assert_string_equal(mine, yours);
    pt_bytes_free(mine);
    pt_bytes_free(yours);
    pt_report_free(a);
    pt_report_free(b);
    assert_int_equal(pt_coding_make(&a, K + 1, by_array, NULL, &err), PT_EINVAL);
    small_must(pt_params_set(by_array, "columns", "7", &err), &err, "columns");
    assert_int_equal(pt_coding_make(&a, K, by_array, NULL, &err), PT_EINVAL);
    pt_params_free(by_array);
    pt_params_free(by_file);
    unlink(FILE_NAME);
    expect_code_refused(3, (double[]){1, -1, 0, 0, -1, 1}, 2, "row 2 has only zeros");
    expect_code_refused(3, (double[]){1, -1, -1, 1, 1, -1}, 2, "row 3 is that of row 1 again");
    expect_code_refused(2, (double[]){1, 1, -1, 1}, 2, "column 2 (from 1) has no -1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array__is_a_value_that_texts_take_off),
        cmocka_unit_test(test_array__takes_any_type_and_strides),
        cmocka_unit_test(test_array__wrong_ones_are_refused_with_the_place),
        cmocka_unit_test(test_array__models_are_those_of_the_file),
        cmocka_unit_test(test_array__class_weights_are_those_of_the_text),
        cmocka_unit_test(test_array__class_weights_of_any_names),
        cmocka_unit_test(test_array__of_classes_without_rows),
        cmocka_unit_test(test_array__searches_are_those_of_the_file),
        cmocka_unit_test(test_array__checkpoints_tell_arrays_apart),
        cmocka_unit_test(test_array__serves_comparisons_plans_and_limits_of_time),
        cmocka_unit_test(test_array__is_refused_where_nobody_uses_it),
        cmocka_unit_test(test_array__costs_design_a_code_for_a_model),
        cmocka_unit_test(test_array__codes_are_measured_and_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
