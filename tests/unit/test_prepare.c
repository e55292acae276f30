/* Preparation: nominal columns, missing values, scaling, matching of columns, files. The references
 * are formulas written out for single cells. */
/* labels: threads */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/from_memory.h"
#include "base/alloc.h"
#include "base/random.h"
#include "base/task.h"
#include "data/prepare/prepare.h"
#include "store/pack.h"

/* ---- building data sets ---- */

static pt_dataset *dense(int64_t n, int64_t d, const double *values)
{
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(dataset_from_f64(&data, values, n, d, d, &err), PT_OK);
    return data;
}

static pt_column *column(pt_dataset *data, int64_t j)
{
    pt_error err = PT_ERROR_INIT;
    if (!data->columns)
        data->columns = pt_alloc_zero(data->d, sizeof *data->columns, "columns", &err);
    return &data->columns[j];
}

/* Names separated by blanks, one for each column. */
static void name_columns(pt_dataset *data, const char *names)
{
    pt_error err = PT_ERROR_INIT;
    for (int64_t j = 0; j < data->d; j++) {
        const size_t length = strcspn(names, " ");
        column(data, j)->name = pt_alloc_text_n(names, length, &err);
        names += length + (names[length] != '\0');
    }
}

static void set_levels(pt_dataset *data, int64_t j, const char *levels)
{
    pt_error err = PT_ERROR_INIT;
    column(data, j)->nominal = true;
    while (*levels) {
        const size_t length = strcspn(levels, " ");
        pt_texts_add_n(&column(data, j)->levels, levels, length, &err);
        levels += length + (levels[length] != '\0');
    }
}

static pt_prepare *fit_as(const pt_dataset *data, const char *options, bool raw)
{
    pt_params *params = NULL;
    pt_prepare *prepare = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_parse(params, options, &err), PT_OK);
    if (pt_prepare_fit(&prepare, data, params, raw, NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    pt_params_free(params);
    return prepare;
}

static pt_prepare *fit(const pt_dataset *data, const char *options)
{
    return fit_as(data, options, false);
}

static void fit_fails(pt_dataset *data, const char *options, bool raw, pt_status expected,
                      const char *part)
{
    pt_params *params = NULL;
    pt_prepare *prepare = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_parse(params, options, &err), PT_OK);
    assert_int_equal(pt_prepare_fit(&prepare, data, params, raw, NULL, &err), expected);
    if (!strstr(err.text, part))
        fail_msg("'%s' is not in: %s", part, err.text);
    assert_null(prepare);
    pt_params_free(params);
    pt_dataset_free(data);
}

static pt_prepared apply(const pt_prepare *prepare, const pt_dataset *data)
{
    pt_prepared prepared;
    pt_error err = PT_ERROR_INIT;
    if (pt_prepare_apply(prepare, data, PT_F64, &prepared, NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    return prepared;
}

/* An output of a dense or sparse result. */
static double at(const pt_prepared *prepared, int64_t i, int64_t j)
{
    const pt_rows *rows = &prepared->rows;
    if (rows->dense)
        return rows->type == PT_F32 ? (double)((const float *)rows->dense)[i * rows->stride + j]
                                    : ((const double *)rows->dense)[i * rows->stride + j];
    for (int64_t c = rows->start[i]; c < rows->start[i + 1]; c++)
        if (rows->index[c] == j)
            return rows->type == PT_F32 ? (double)((const float *)rows->value)[c]
                                        : ((const double *)rows->value)[c];
    return 0;
}

static void assert_rows(const pt_prepared *prepared, int64_t n, int64_t d, const double *expected)
{
    assert_int_equal(prepared->rows.n, n);
    assert_int_equal(prepared->rows.d, d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++)
            if (!(fabs(at(prepared, i, j) - expected[i * d + j]) <= 1e-12) &&
                !(isnan(at(prepared, i, j)) && isnan(expected[i * d + j])))
                fail_msg("row %d, column %d: %.17g, expected %.17g", (int)i, (int)j,
                         at(prepared, i, j), expected[i * d + j]);
}

/* Fits and applies to the same data, checks the numbers, frees everything. */
static void check_self(pt_dataset *data, const char *options, int64_t d, const double *expected)
{
    pt_prepare *prepare = fit(data, options);
    pt_prepared prepared = apply(prepare, data);
    assert_int_equal(pt_prepare_n_outputs(prepare), d);
    assert_rows(&prepared, data->n, d, expected);
    assert_int_equal(prepared.warnings.count, 0);
    pt_prepared_free(&prepared);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void check_apply_fails(const pt_prepare *prepare, pt_dataset *data, pt_status expected,
                              const char *part)
{
    pt_prepared prepared;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_prepare_apply(prepare, data, PT_F64, &prepared, NULL, &err), expected);
    if (!strstr(err.text, part))
        fail_msg("'%s' is not in: %s", part, err.text);
    pt_dataset_free(data);
}

/* ---- scaling ---- */

static void test_scale__range_maps_to_minus_one_and_one(void **state)
{
    (void)state;
    const double x[] = {0, 10, 5, 4, 10, 5, 1, 30, 5};
    check_self(dense(3, 3, x), "", 3, (const double[]){-1, -1, 0, 1, -1, 0, -0.5, 1, 0});
}

static void test_scale__standard_has_mean_zero_and_variance_one(void **state)
{
    (void)state;
    const double x[] = {1, 7, 2, 7, 3, 7, 6, 7};
    const double sd = sqrt((4 + 1 + 0 + 9) / 4.0);
    check_self(dense(4, 2, x), "scale=standard", 2,
               (const double[]){-2 / sd, 0, -1 / sd, 0, 0, 0, 3 / sd, 0});
}

static void test_scale__none_changes_nothing(void **state)
{
    (void)state;
    const double x[] = {1e-300, 5, -7.25, 5};
    check_self(dense(2, 2, x), "scale=none", 2, x);
}

static void test_scale__precomputed_kernel_is_left_alone(void **state)
{
    (void)state;
    const double x[] = {4, 1, 1, 9};
    check_self(dense(2, 2, x), "kernel=precomputed", 2, x);
}

static void test_scale__constant_column_is_zero_for_other_data_too(void **state)
{
    (void)state;
    const char *scales[] = {"scale=range", "scale=standard"};
    for (int s = 0; s < 2; s++) {
        pt_dataset *data = dense(3, 1, (const double[]){5, 5, 5});
        pt_dataset *other = dense(1, 1, (const double[]){1e200});
        pt_prepare *prepare = fit(data, scales[s]);
        pt_prepared prepared = apply(prepare, other);
        assert_rows(&prepared, 1, 1, (const double[]){0});
        pt_prepared_free(&prepared);
        pt_prepare_free(prepare);
        pt_dataset_free(data);
        pt_dataset_free(other);
    }
}

static void test_scale__huge_and_tiny_ranges(void **state)
{
    (void)state;
    const double x[] = {-1.7e308, 1e-310, 1.7e308, 3e-310, 0, 2e-310};
    for (int standard = 0; standard < 2; standard++) {
        pt_dataset *data = dense(3, 2, x);
        pt_prepare *prepare = fit(data, standard ? "scale=standard" : "scale=range");
        pt_prepared prepared = apply(prepare, data);
        const double top = standard ? sqrt(1.5) : 1;
        assert_true(fabs(at(&prepared, 0, 0) + top) < 1e-9);
        assert_true(fabs(at(&prepared, 1, 0) - top) < 1e-9);
        assert_true(fabs(at(&prepared, 2, 0)) < 1e-9);
        for (int i = 0; i < 3; i++)
            assert_true(isfinite(at(&prepared, i, 1)));
        assert_true(at(&prepared, 1, 1) > at(&prepared, 0, 1));
        pt_prepared_free(&prepared);
        pt_prepare_free(prepare);
        pt_dataset_free(data);
    }
}

static void test_scale__mean_of_huge_values_does_not_overflow(void **state)
{
    (void)state;
    const double x[] = {1.5e308, 1.5e308, 1.2e308, NAN};
    pt_dataset *data = dense(4, 1, x);
    pt_prepare *prepare = fit(data, "scale=none");
    pt_prepared prepared = apply(prepare, data);
    assert_true(fabs(at(&prepared, 3, 0) / 1.4e308 - 1) < 1e-12);
    pt_prepared_free(&prepared);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_scale__what_float_cannot_hold_is_an_error_with_its_place(void **state)
{
    (void)state;
    pt_dataset *data = dense(2, 2, (const double[]){1, 2, 3, 1e39});
    pt_prepare *prepare = fit(data, "scale=none");
    pt_prepared prepared;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_prepare_apply(prepare, data, PT_F32, &prepared, NULL, &err), PT_ENUMERIC);
    assert_non_null(strstr(err.text, "example 2, column 2"));
    assert_int_equal(pt_prepare_apply(prepare, data, PT_F64, &prepared, NULL, &err), PT_OK);
    pt_prepared_free(&prepared);
    pt_prepare_free(prepare);
    pt_dataset_free(data);

    data = dense(2, 1, (const double[]){0, 1e-200});
    prepare = fit(data, "");
    check_apply_fails(prepare, dense(1, 1, (const double[]){1e200}), PT_ENUMERIC, "example 1");
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

/* ---- types and threads ---- */

/* All combinations of input and output type give the double result, rounded once. */
static void test_apply__types_and_threads_agree(void **state)
{
    (void)state;
    enum { N = 1500, D = 7 };
    double *x = malloc(N * D * sizeof *x);
    float *x32 = malloc(N * D * sizeof *x32);
    pt_random random;
    pt_random_init(&random, 4, PT_RANDOM_TEST, 0);
    for (int c = 0; c < N * D; c++) {
        x32[c] = (float)(100 * pt_random_normal(&random));
        if (pt_random_below(&random, 50) == 0)
            x32[c] = NAN;
        x[c] = (double)x32[c];
    }
    pt_dataset *data[2] = {NULL, NULL};
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(dataset_from_f64(&data[1], x, N, D, D, &err), PT_OK);
    assert_int_equal(dataset_from_f32(&data[0], x32, N, D, D, &err), PT_OK);
    const char *options[] = {"", "missing=indicator,scale=standard"}; /* plain and general route */
    for (int o = 0; o < 2; o++) {
        pt_prepare *prepare = fit(data[1], options[o]);
        pt_prepared reference = apply(prepare, data[1]);
        for (int form = 0; form < 8; form++) {
            pt_task *task = NULL;
            assert_int_equal(pt_task_new(&task, &err), PT_OK);
            pt_task_set_threads(task, form / 4 + 1);
            pt_prepared prepared;
            const pt_type type = form % 2 ? PT_F64 : PT_F32;
            assert_int_equal(
                pt_prepare_apply(prepare, data[form / 2 % 2], type, &prepared, task, &err), PT_OK);
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j < prepared.rows.d; j++) {
                    const double y = at(&reference, i, j);
                    assert_true(at(&prepared, i, j) == (type == PT_F32 ? (double)(float)y : y));
                }
            pt_prepared_free(&prepared);
            pt_task_free(task);
        }
        pt_prepared_free(&reference);
        pt_prepare_free(prepare);
    }
    pt_dataset_free(data[0]);
    pt_dataset_free(data[1]);
    free(x);
    free(x32);
}

/* ---- missing values ---- */

static void test_missing__mean_fills_then_scales(void **state)
{
    (void)state;
    const double x[] = {0, NAN, 6};
    check_self(dense(3, 1, x), "scale=none", 1, (const double[]){0, 3, 6});
    check_self(dense(3, 1, x), "", 1, (const double[]){-1, 0, 1});
    const double sd = sqrt((9 + 0 + 9) / 3.0); /* of the filled column */
    check_self(dense(3, 1, x), "scale=standard", 1, (const double[]){-3 / sd, 0, 3 / sd});
}

static void test_missing__zero_widens_the_range(void **state)
{
    (void)state;
    const double x[] = {2, NAN, 4};
    check_self(dense(3, 1, x), "missing=zero,scale=none", 1, (const double[]){2, 0, 4});
    check_self(dense(3, 1, x), "missing=zero", 1, (const double[]){0, -1, 1});
    const double sd = sqrt((0 + 4 + 4) / 3.0);
    check_self(dense(3, 1, x), "missing=zero,scale=standard", 1,
               (const double[]){0, -2 / sd, 2 / sd});
}

static void test_missing__indicator_only_where_training_had_some(void **state)
{
    (void)state;
    const double x[] = {2, 1, NAN, 3, 4, 5};
    pt_dataset *data = dense(3, 2, x);
    pt_prepare *prepare = fit(data, "missing=indicator,scale=none");
    pt_prepared prepared = apply(prepare, data);
    assert_rows(&prepared, 3, 3, (const double[]){2, 1, 0, 3, 3, 1, 4, 5, 0});
    pt_prepared_free(&prepared);

    pt_dataset *other = dense(1, 2, (const double[]){NAN, NAN}); /* column 2: filled the same way */
    prepared = apply(prepare, other);
    assert_rows(&prepared, 1, 3, (const double[]){3, 3, 1});
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_missing__error_names_row_and_column(void **state)
{
    (void)state;
    pt_dataset *data = dense(3, 2, (const double[]){1, 2, 3, NAN, NAN, 6});
    pt_params *params = NULL;
    pt_prepare *prepare = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_set(params, "missing", "error", &err), PT_OK);
    assert_int_equal(pt_prepare_fit(&prepare, data, params, false, NULL, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "example 2, column 2"));
    name_columns(data, "height weight");
    assert_int_equal(pt_prepare_fit(&prepare, data, params, false, NULL, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "example 2, column 'weight'"));
    assert_null(prepare);
    pt_params_free(params);
    pt_dataset_free(data);

    data = dense(2, 2, (const double[]){1, 2, 3, 4});
    prepare = fit(data, "missing=error");
    check_apply_fails(prepare, dense(2, 2, (const double[]){1, 2, NAN, 4}), PT_EFORMAT,
                      "example 2, column 1");
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_missing__all_missing_column_is_zero(void **state)
{
    (void)state;
    const double x[] = {NAN, 1, NAN, 2};
    const char *options[] = {"scale=none", "scale=range", "scale=standard", "missing=zero"};
    for (int o = 0; o < 4; o++) {
        pt_dataset *data = dense(2, 2, x);
        pt_prepare *prepare = fit(data, options[o]);
        pt_prepared prepared = apply(prepare, data);
        assert_true(at(&prepared, 0, 0) == 0 && at(&prepared, 1, 0) == 0);
        pt_prepared_free(&prepared);
        pt_dataset *other = dense(1, 2, (const double[]){77, 1});
        prepared = apply(prepare, other);
        assert_true(at(&prepared, 0, 0) == 0);
        pt_prepared_free(&prepared);
        pt_dataset_free(other);
        pt_prepare_free(prepare);
        pt_dataset_free(data);
    }
}

/* ---- nominal columns ---- */

static pt_dataset *colors(int64_t n, const double *x, const char *levels)
{
    pt_dataset *data = dense(n, 2, x);
    name_columns(data, "color size");
    set_levels(data, 0, levels);
    return data;
}

static void test_nominal__one_output_per_level_that_occurs(void **state)
{
    (void)state;
    const double x[] = {3, 1, 0, 3, 2, 1};
    check_self(colors(3, x, "red unused blue green"), "", 4,
               (const double[]){0, 0, 1, -1, 1, 0, 0, 1, 0, 1, 0, -1});
}

/* Two levels are one column, of 0 and 1; a declared one that no row has keeps its place. */
static void test_nominal__two_levels_are_one_column(void **state)
{
    (void)state;
    const double x[] = {2, 1, 0, 3, 2, 1};
    check_self(colors(3, x, "red unused blue"), "", 2, (const double[]){1, -1, 0, 1, 1, -1});
    const double one[] = {0, 1, 0, 3, 0, 1};
    check_self(colors(3, one, "no yes"), "", 2, (const double[]){0, -1, 0, 1, 0, -1});
    pt_dataset *data = colors(3, one, "no yes");
    pt_prepare *prepare = fit(data, "");
    pt_dataset *other = colors(3, (const double[]){0, 1, 1, 1, 2, 1}, "maybe yes no");
    pt_prepared prepared = apply(prepare, other);
    assert_rows(&prepared, 3, 2, (const double[]){0.5, -1, 1, -1, 0, -1});
    assert_int_equal(prepared.warnings.count, 1);
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

/* As it comes out of a file; frees the other. */
static pt_prepare *reloaded(pt_prepare *prepare)
{
    pt_pack pack = {0};
    pt_prepare *back = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_prepare_save(prepare, &pack, &err), PT_OK);
    if (pt_prepare_load(&back, &pack, &err) != PT_OK)
        fail_msg("%s", err.text);
    pt_pack_free(&pack);
    pt_prepare_free(prepare);
    return back;
}

/* The rarest levels become one, of equals the last; what training never saw goes there, too. */
static void test_nominal__rare_levels_are_grouped(void **state)
{
    (void)state;
    const double x[] = {0, 0, 1, 0, 2, 0, 2, 0, 3, 0, 1, 0, 4, 0, NAN, 0};
    pt_dataset *data = colors(8, x, "a b c d (others)");
    pt_prepare *fitted = fit(data, "max-levels=4,scale=none");
    pt_warnings remarks = {0};
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_prepare_remarks(fitted, &remarks, &err), PT_OK);
    assert_non_null(strstr(remarks.items[0], "column 'color': more than 4 levels"));
    pt_warnings_free(&remarks);
    pt_prepare *prepare = reloaded(fitted);
    pt_prepared prepared = apply(prepare, data);
    /* a, b, c, the rest; b and c are the most frequent, a missing cell is the first of them */
    assert_rows(&prepared, 8, 5,
                (const double[]){1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,
                                 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0});
    pt_prepared_free(&prepared);
    pt_dataset *other = colors(2, (const double[]){0, 0, 1, 0}, "new c");
    prepared = apply(prepare, other);
    assert_rows(&prepared, 2, 5, (const double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
    assert_int_equal(prepared.warnings.count, 0);
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    pt_prepare_free(prepare);
    prepare = fit(data, "max-levels=5");
    assert_int_equal(pt_prepare_n_outputs(prepare), 6);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

/* Words of a text are counted in 2^bits columns, wherever they stand and however they are cased:
 * the roots of their shares, in models of before their counts. */
static void test_text__words_are_counted(void **state)
{
    (void)state;
    pt_dataset *data = colors(3, (const double[]){0, 1, 1, 2, NAN, 3}, "a b");
    pt_texts_free(&column(data, 0)->levels);
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_texts_add(&column(data, 0)->levels, &err, "Good, good room!"), PT_OK);
    assert_int_equal(pt_texts_add(&column(data, 0)->levels, &err, "no room"), PT_OK);
    column(data, 0)->text = true;
    pt_prepare *fitted = fit(data, "text-bits=6,scale=none");
    pt_prepare *prepare = reloaded(fitted);
    const char *old = "{\"version\": 4, \"sparse\": false, \"missing\": \"mean\", \"scale\": "
                      "\"none\", \"features\": 2, \"names\": [\"color\", \"size\"], \"fill\": "
                      "[0.0, 0.0], \"center\": [0.0, 0.0], \"factor\": [1.0, 1.0], \"flagged\": "
                      "[], \"nominal\": [], \"text\": [{\"at\": 0, \"bits\": 6}]}";
    pt_prepare *before = NULL; /* counts, as all models had them */
    assert_int_equal(pt_prepare_load_json(&before, old, &err), PT_OK);
    assert_int_equal(pt_prepare_n_outputs(prepare), 65);
    pt_prepared prepared = apply(prepare, data);
    pt_prepared counted = apply(before, data);
    size_t at_word = 0;
    const int64_t good = pt_hash_next_word(6, "GOOD", &at_word);
    at_word = 0;
    const int64_t room = pt_hash_next_word(6, "room", &at_word);
    assert_true(good != room);
    assert_true(at(&counted, 0, good) == 2 && at(&counted, 0, room) == 1);
    assert_true(at(&counted, 1, good) == 0 && at(&counted, 1, room) == 1);
    assert_true(fabs(at(&prepared, 0, good) - sqrt(2. / 3)) < 1e-6);
    assert_true(fabs(at(&prepared, 0, room) - sqrt(1. / 3)) < 1e-6);
    assert_true(at(&prepared, 1, good) == 0 && fabs(at(&prepared, 1, room) - sqrt(.5)) < 1e-6);
    for (int64_t j = 0; j < 64; j++)
        assert_true(at(&prepared, 2, j) == 0); /* a missing cell has no words */
    assert_true(at(&prepared, 2, 64) == 3);
    pt_prepare *usual = fit(data, "scale=none");
    assert_int_equal(pt_prepare_n_outputs(usual), (1 << 16) + 1);
    pt_prepare_free(usual);
    pt_prepared_free(&prepared);
    pt_prepared_free(&counted);
    pt_prepare_free(prepare);
    pt_prepare_free(before);
    pt_dataset_free(data);
}

/* Models of before have two columns for two levels, as they were trained. */
static void test_nominal__two_levels_of_an_old_model_are_two_columns(void **state)
{
    (void)state;
    pt_prepare *prepare = NULL;
    pt_error err = PT_ERROR_INIT;
    const char *old = "{\"version\": 1, \"sparse\": false, \"missing\": \"mean\", \"scale\": "
                      "\"none\", \"features\": 2, \"names\": [\"color\", \"size\"], \"fill\": "
                      "[0.0, 0.0], \"center\": [0.0, 0.0], \"factor\": [1.0, 1.0], \"flagged\": "
                      "[], \"nominal\": [{\"at\": 0, \"levels\": [\"a\", \"b\"]}]}";
    assert_int_equal(pt_prepare_load_json(&prepare, old, &err), PT_OK);
    pt_dataset *data = colors(2, (const double[]){0, 7, 1, 8}, "b a");
    for (int saved = 0; saved < 2; saved++) { /* and stay so when they are saved again */
        pt_prepared prepared = apply(prepare, data);
        assert_rows(&prepared, 2, 3, (const double[]){0, 1, 7, 1, 0, 8});
        pt_prepared_free(&prepared);
        prepare = reloaded(prepare);
    }
    pt_dataset_free(data);
    pt_prepare_free(prepare);
}

static void test_nominal__unseen_levels_are_zeros_and_counted(void **state)
{
    (void)state;
    pt_dataset *data = colors(4, (const double[]){0, 1, 1, 3, 0, 1, 2, 1}, "red blue pink");
    pt_prepare *prepare = fit(data, "");
    /* other numbers for the same texts, and two new ones */
    pt_dataset *other =
        colors(5, (const double[]){0, 1, 1, 1, 2, 1, 3, 1, 0, 1}, "green blue red black");
    pt_prepared prepared = apply(prepare, other);
    assert_rows(&prepared, 5, 4,
                (const double[]){0, 0, 0, -1, 0, 1, 0, -1, 1, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1});
    assert_int_equal(prepared.warnings.count, 1);
    assert_string_equal(
        prepared.warnings.items[0],
        "column 'color': 3 cells have levels that training never saw, such as 'green'");
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_nominal__missing_is_most_frequent_zero_or_flagged(void **state)
{
    (void)state;
    const double x[] = {1, 0, 0, 0, 1, 0, NAN, 0, 0, 0};
    check_self(colors(5, x, "a b"), "", 2, /* a tie: the first level */
               (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 0, 0});
    check_self(colors(5, x, "a b"), "missing=zero", 2, /* neither of them */
               (const double[]){1, 0, 0, 0, 1, 0, 0.5, 0, 0, 0});
    check_self(colors(5, x, "a b"), "missing=indicator", 3,
               (const double[]){1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0});
    const double y[] = {1, 0, 2, 0, 0, 0, NAN, 0, 0, 0};
    check_self(colors(5, y, "a b c"), "", 4,
               (const double[]){0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
    check_self(colors(5, y, "a b c"), "missing=zero", 4,
               (const double[]){0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0});
}

static void test_nominal__numbers_find_levels_by_their_text(void **state)
{
    (void)state;
    pt_dataset *data = colors(3, (const double[]){0, 0, 1, 0, 2, 0}, "1 2.5 x");
    pt_prepare *prepare = fit(data, "scale=none");
    pt_dataset *other = dense(4, 2, (const double[]){2.5, 0, 1, 0, 3, 0, NAN, 0});
    name_columns(other, "color size");
    pt_prepared prepared = apply(prepare, other);
    assert_rows(&prepared, 4, 4, (const double[]){0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0});
    assert_int_equal(prepared.warnings.count, 1);
    assert_non_null(
        strstr(prepared.warnings.items[0], "column 'color': 1 cell has a level that training"));
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_nominal__float_numbers_find_decimal_levels(void **state)
{
    (void)state;
    pt_dataset *data = colors(2, (const double[]){0, 0, 1, 0}, "0.1 0.2");
    pt_prepare *prepare = fit(data, "scale=none");
    pt_dataset *other = NULL;
    pt_error err = PT_ERROR_INIT;
    const float x[] = {0.2f, 0};
    assert_int_equal(dataset_from_f32(&other, x, 1, 2, 2, &err), PT_OK);
    pt_prepared prepared = apply(prepare, other);
    assert_rows(&prepared, 1, 2, (const double[]){1, 0});
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_nominal__texts_in_a_numeric_column_are_read_or_refused(void **state)
{
    (void)state;
    pt_dataset *data = dense(2, 2, (const double[]){0, 0, 10, 0});
    name_columns(data, "color size");
    pt_prepare *prepare = fit(data, "scale=none");
    pt_dataset *other = colors(3, (const double[]){1, 0, 0, 0, NAN, 0}, "7 2.5 bad");
    pt_prepared prepared = apply(prepare, other);
    assert_rows(&prepared, 3, 2, (const double[]){2.5, 0, 7, 0, 5, 0});
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    check_apply_fails(prepare, colors(2, (const double[]){0, 0, 2, 0}, "7 2.5 bad"), PT_EFORMAT,
                      "example 2, column 'color': 'bad' is not a number");
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_nominal__too_many_levels_for_the_memory(void **state)
{
    (void)state;
    enum { N = 3000 };
    double *x = calloc(N, sizeof *x);
    for (int i = 0; i < N; i++)
        x[i] = i;
    pt_dataset *data = dense(N, 1, x);
    name_columns(data, "id");
    column(data, 0)->nominal = true;
    pt_error err = PT_ERROR_INIT;
    for (int i = 0; i < N; i++)
        assert_int_equal(pt_texts_add(&column(data, 0)->levels, &err, "id%d", i), PT_OK);
    pt_prepare *prepare = fit(data, "max-levels=0");
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_memory(task, 1000000);
    pt_prepared prepared;
    assert_int_equal(pt_prepare_apply(prepare, data, PT_F32, &prepared, task, &err), PT_EMEMORY);
    assert_non_null(strstr(err.text, "need 36.1 MB"));
    assert_non_null(strstr(err.text, "column 'id' alone has 3000 levels"));
    pt_task_free(task);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
    free(x);
}

/* ---- matching ---- */

static void test_match__by_name_in_any_order_with_extra_columns(void **state)
{
    (void)state;
    pt_dataset *data = dense(1, 2, (const double[]){1, 2});
    name_columns(data, "a b");
    pt_prepare *prepare = fit(data, "scale=none");
    pt_dataset *other = dense(1, 6, (const double[]){9, 2, 8, 1, 7, 6});
    name_columns(other, "u b v a w x");
    pt_prepared prepared = apply(prepare, other);
    assert_rows(&prepared, 1, 2, (const double[]){1, 2});
    assert_int_equal(prepared.warnings.count, 1);
    assert_string_equal(prepared.warnings.items[0],
                        "4 columns that training did not have are ignored: 'u', 'v', 'w', ...");
    pt_prepared_free(&prepared);
    pt_dataset_free(other);

    other = dense(1, 2, (const double[]){1, 2});
    name_columns(other, "a c");
    check_apply_fails(prepare, other, PT_EFORMAT, "column 'b' is missing");
    other = dense(1, 3, (const double[]){1, 2, 3});
    name_columns(other, "a b a");
    check_apply_fails(prepare, other, PT_EFORMAT, "two columns are called 'a'");
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_match__by_position_without_names(void **state)
{
    (void)state;
    pt_dataset *data = dense(1, 2, (const double[]){1, 2});
    name_columns(data, "a b");
    pt_prepare *prepare = fit(data, "scale=none");
    pt_dataset *other = dense(1, 2, (const double[]){5, 6});
    pt_prepared prepared = apply(prepare, other);
    assert_rows(&prepared, 1, 2, (const double[]){5, 6});
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    check_apply_fails(prepare, dense(1, 3, (const double[]){1, 2, 3}), PT_EFORMAT,
                      "3 feature columns, but the model was trained with 2");
    check_apply_fails(prepare, dense(1, 1, (const double[]){1}), PT_EFORMAT, "1 feature column");
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_match__a_name_twice_in_training_means_by_position(void **state)
{
    (void)state;
    pt_dataset *data = dense(1, 2, (const double[]){1, 2});
    name_columns(data, "a a");
    pt_prepare *prepare = fit(data, "scale=none");
    pt_prepared prepared = apply(prepare, data);
    assert_rows(&prepared, 1, 2, (const double[]){1, 2});
    pt_prepared_free(&prepared);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

/* ---- sparse data ---- */

static pt_dataset *sparse(int64_t n, int64_t d, const double *cells)
{
    int64_t start[16] = {0};
    int64_t index[64];
    double value[64];
    int64_t next = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++)
            if (cells[i * d + j] != 0) {
                index[next] = j;
                value[next++] = cells[i * d + j];
            }
        start[i + 1] = next;
    }
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(dataset_from_csr(&data, start, index, value, n, d, &err), PT_OK);
    return data;
}

static void test_sparse__unscaled_stays_as_it_is(void **state)
{
    (void)state;
    const double x[] = {0, 3, 0, 1, 0, 0, 0, 0, -2};
    pt_dataset *data = sparse(3, 3, x);
    pt_prepare *prepare = fit(data, "");
    pt_prepared prepared = apply(prepare, data);
    assert_null(prepared.rows.dense);
    assert_rows(&prepared, 3, 3, x);
    assert_int_equal(prepared.rows.start[3], 3);
    pt_prepared_free(&prepared);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_sparse__scaling_is_a_factor(void **state)
{
    (void)state;
    const double x[] = {0, 4, 0, 1, 0, 0, 0, 2, -8};
    check_self(sparse(3, 3, x), "scale=range", 3, (const double[]){0, 1, 0, 1, 0, 0, 0, 0.5, -1});
    const double s0 = sqrt(1 / 3.0 - 1 / 9.0);
    const double s1 = sqrt(20 / 3.0 - 4);
    const double s2 = sqrt(64 / 3.0 - 64 / 9.0);
    check_self(sparse(3, 3, x), "scale=standard", 3,
               (const double[]){0, 4 / s1, 0, 1 / s0, 0, 0, 0, 2 / s1, -8 / s2});
}

static void test_sparse__missing_cells(void **state)
{
    (void)state;
    const double x[] = {NAN, 5, 1, NAN, 2, 0, 0, NAN};
    check_self(sparse(4, 2, x), "", 2, /* means of the cells that are there, zeros too */
               (const double[]){1, 5, 1, 2.5, 2, 0, 0, 2.5});
}

/* Sparse rows keep levels: what is left out is the first, of this file. */
static pt_dataset *sparse_levels(int64_t n, const double *x, const char *two, const char *many)
{
    pt_dataset *data = sparse(n, 3, x);
    name_columns(data, "flag color size");
    set_levels(data, 0, two);
    set_levels(data, 1, many);
    return data;
}

static void test_nominal__sparse_rows_stay_sparse(void **state)
{
    (void)state;
    const double x[] = {1, 0, 5, 0, 2, 0, NAN, 1, 3, 0, 0, 0};
    pt_dataset *data = sparse_levels(4, x, "no yes", "red green blue");
    pt_prepare *fitted = fit(data, "");
    pt_prepare *prepare = reloaded(fitted);
    pt_prepared prepared = apply(prepare, data);
    assert_null(prepared.rows.dense);
    /* flag, (color, which has outputs behind), size, red, green, blue */
    assert_rows(&prepared, 4, 6, (const double[]){1, 0, 5, 1, 0, 0, 0, 0, 0, 0, 0, 1,
                                                  0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0, 0});
    assert_int_equal(prepared.rows.start[4], 7);
    pt_prepared_free(&prepared);

    /* another first level, a new one, an order of columns; rows leave out 'yes' and 'green' */
    pt_dataset *other = sparse(3, 3, (const double[]){0, 0, 0, 9, 1, 1, 0, 2, 2});
    name_columns(other, "size flag color");
    set_levels(other, 1, "yes no maybe");
    set_levels(other, 2, "green red black");
    prepared = apply(prepare, other);
    assert_rows(&prepared, 3, 6,
                (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 9, 1, 0, 0, 0.5, 0, 0, 0, 0, 0});
    for (int64_t i = 0; i < 3; i++)
        for (int64_t c = prepared.rows.start[i] + 1; c < prepared.rows.start[i + 1]; c++)
            assert_true(prepared.rows.index[c] > prepared.rows.index[c - 1]);
    assert_int_equal(prepared.warnings.count, 1);
    assert_string_equal(
        prepared.warnings.items[0],
        "column 'flag', column 'color': 2 cells have levels that training never saw");
    pt_prepared_free(&prepared);
    pt_dataset_free(other);

    /* a table with names instead */
    other = dense(2, 3, (const double[]){1, 0, 4, 0, 1, 6});
    name_columns(other, "flag color size");
    set_levels(other, 0, "no yes");
    set_levels(other, 1, "blue red");
    prepared = apply(prepare, other);
    assert_rows(&prepared, 2, 6, (const double[]){1, 0, 4, 0, 0, 1, 0, 0, 6, 1, 0, 0});
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_sparse__features_beyond_training_are_dropped_and_counted(void **state)
{
    (void)state;
    pt_dataset *data = sparse(2, 2, (const double[]){1, 0, 0, 2});
    pt_prepare *prepare = fit(data, "");
    pt_dataset *wide = sparse(2, 4, (const double[]){1, 0, 3, 4, 0, 2, 0, 5});
    pt_prepared prepared = apply(prepare, wide);
    assert_rows(&prepared, 2, 2, (const double[]){1, 0, 0, 2});
    assert_int_equal(prepared.warnings.count, 1);
    assert_string_equal(prepared.warnings.items[0],
                        "2 features beyond the 2 of training are left out (3 cells)");
    pt_prepared_free(&prepared);
    pt_dataset_free(wide);

    pt_dataset *narrow = sparse(1, 1, (const double[]){7});
    prepared = apply(prepare, narrow);
    assert_rows(&prepared, 1, 2, (const double[]){7, 0});
    assert_int_equal(prepared.warnings.count, 0);
    pt_prepared_free(&prepared);
    pt_dataset_free(narrow);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_sparse__indicator_columns_follow_the_features(void **state)
{
    (void)state;
    pt_dataset *data = sparse(2, 3, (const double[]){1, NAN, 0, 0, 4, 2});
    pt_prepare *prepare = fit(data, "missing=indicator");
    assert_int_equal(pt_prepare_n_inputs(prepare), 3);
    assert_int_equal(pt_prepare_n_outputs(prepare), 4);
    pt_dataset *other = sparse(2, 3, (const double[]){NAN, NAN, 1, 0, 1, NAN});
    pt_prepared prepared = apply(prepare, other);
    assert_rows(&prepared, 2, 4, (const double[]){0, 4, 1, 1, 0, 1, 0, 0});
    for (int64_t i = 0; i < 2; i++)
        for (int64_t c = prepared.rows.start[i] + 1; c < prepared.rows.start[i + 1]; c++)
            assert_true(prepared.rows.index[c] > prepared.rows.index[c - 1]);
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_sparse__names_in_another_order_are_sorted_again(void **state)
{
    (void)state;
    pt_dataset *data = sparse(1, 3, (const double[]){1, 2, 3});
    name_columns(data, "a b c");
    pt_prepare *prepare = fit(data, "");
    pt_dataset *other = sparse(1, 4, (const double[]){3, 9, 2, 1});
    name_columns(other, "c x b a");
    pt_prepared prepared = apply(prepare, other);
    assert_rows(&prepared, 1, 3, (const double[]){1, 2, 3});
    assert_int_equal(prepared.warnings.count, 1);
    for (int64_t c = 0; c < 3; c++)
        assert_int_equal(prepared.rows.index[c], c);
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_sparse__and_dense_meet(void **state)
{
    (void)state;
    const double x[] = {0, 4, 2, 0};
    pt_dataset *full = dense(2, 2, x);
    pt_dataset *thin = sparse(2, 2, x);
    pt_prepare *from_full = fit(full, "");
    pt_prepare *from_thin = fit(thin, "");
    pt_prepared prepared = apply(from_full, thin);
    assert_non_null(prepared.rows.dense);
    assert_rows(&prepared, 2, 2, (const double[]){-1, 1, 1, -1});
    pt_prepared_free(&prepared);
    prepared = apply(from_thin, full);
    assert_null(prepared.rows.dense);
    assert_rows(&prepared, 2, 2, x);
    assert_int_equal(prepared.rows.start[2], 2);
    pt_prepared_free(&prepared);
    pt_prepare_free(from_full);
    pt_prepare_free(from_thin);
    pt_dataset_free(full);
    pt_dataset_free(thin);
}

static void test_sparse__a_vast_number_of_features_costs_nothing(void **state)
{
    (void)state;
    const int64_t start[] = {0, 1};
    const int64_t index[] = {(int64_t)1 << 40};
    const double value[] = {3};
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(dataset_from_csr(&data, start, index, value, 1, ((int64_t)1 << 40) + 1, &err),
                     PT_OK);
    const char *options[] = {"", "scale=range"};
    for (int o = 0; o < 2; o++) {
        pt_prepare *prepare = fit(data, options[o]);
        pt_prepared prepared = apply(prepare, data);
        assert_int_equal(prepared.rows.index[0], (int64_t)1 << 40);
        pt_prepared_free(&prepared);
        pt_prepare_free(prepare);
    }
    pt_dataset_free(data);
}

/* ---- raw rows ---- */

/* Fits raw, applies to the same data and to the text of itself; levels: d, or NULL. */
static void check_raw(pt_dataset *data, const char *options, int64_t d, const int64_t *levels,
                      const double *expected)
{
    pt_prepare *prepare = fit_as(data, options, true);
    const pt_type types[] = {PT_F32, PT_F64};
    for (int t = 0; t < 2; t++) {
        pt_prepared prepared;
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(pt_prepare_apply(prepare, data, types[t], &prepared, NULL, &err), PT_OK);
        assert_int_equal(pt_prepare_n_outputs(prepare), d);
        assert_rows(&prepared, data->n, d, expected);
        assert_int_equal(prepared.warnings.count, 0);
        if (levels) {
            assert_non_null(prepared.rows.levels);
            assert_memory_equal(prepared.rows.levels, levels, (size_t)d * sizeof *levels);
        } else {
            assert_null(prepared.rows.levels);
        }
        pt_prepared_free(&prepared);
    }
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

/* Numbers of the levels that occur, not scaled; NaN where a cell is missing. */
static void test_raw__nominal_columns_stay_one_column(void **state)
{
    (void)state;
    const double x[] = {2, 1, 0, 3, NAN, 1, 2, NAN};
    check_raw(colors(4, x, "red unused blue"), "missing=keep", 2, (const int64_t[]){2, 0},
              (const double[]){1, 1, 0, 3, NAN, 1, 1, NAN});
    check_raw(dense(2, 2, (const double[]){1, NAN, 7, 1048576}), "missing=keep", 2, NULL,
              (const double[]){1, NAN, 7, 1048576}); /* the plain route, scale=auto: none */
    check_raw(dense(3, 1, (const double[]){2, NAN, 6}), "missing=keep,scale=range", 1, NULL,
              (const double[]){-1, NAN, 1});
}

/* Trees get names of many levels as columns of 0 and 1; of two levels as a number. */
static void test_raw__sparse_rows_spread_levels(void **state)
{
    (void)state;
    const double x[] = {1, 0, 5, 0, 2, 0, NAN, 1, 3};
    check_raw(sparse_levels(3, x, "no yes", "red green blue"), "missing=keep", 6, NULL,
              (const double[]){1, 0, 5, 1, 0, 0, 0, 0, 0, 0, 0, 1, NAN, 0, 3, 0, 1, 0});
}

static void test_raw__other_ways_with_missing_cells(void **state)
{
    (void)state;
    const double x[] = {1, 4, 0, NAN, 1, 6, NAN, 2};
    check_raw(colors(4, x, "a b"), "missing=mean", 2, (const int64_t[]){2, 0},
              (const double[]){1, 4, 0, 4, 1, 6, 1, 2});
    check_raw(colors(4, x, "a b"), "missing=zero", 2, (const int64_t[]){2, 0},
              (const double[]){1, 4, 0, 0, 1, 6, NAN, 2}); /* no level at all */
    check_raw(colors(4, x, "a b"), "missing=indicator", 4, (const int64_t[]){2, 0, 0, 0},
              (const double[]){1, 4, 0, 0, 0, 4, 0, 1, 1, 6, 0, 0, 1, 2, 1, 0});
    fit_fails(colors(4, x, "a b"), "missing=error", true, PT_EFORMAT, "`missing=keep`, mean");
    fit_fails(colors(4, x, "a b"), "missing=keep", false, PT_EINVAL, "`missing=keep`: a number");
}

/* Every column of rows is told by the input that it comes from. */
static void test_output__says_where_a_column_comes_from(void **state)
{
    (void)state;
    const double x[] = {1, 4, 0, NAN, 1, 6, NAN, 2};
    pt_dataset *data = colors(4, x, "a b");
    pt_prepare *raw = fit_as(data, "missing=indicator,scale=range", true);
    pt_prepare *hot = fit_as(data, "missing=mean,scale=none", false);
    const pt_output color = pt_prepare_output(raw, 0);
    const pt_output size = pt_prepare_output(raw, 1);
    const pt_output gap = pt_prepare_output(raw, 3);
    const pt_output level = pt_prepare_output(hot, 0);
    assert_string_equal(color.name, "color");
    assert_string_equal(color.levels->items[1], "b");
    assert_null(size.levels);
    assert_true(size.input == 1 && size.center == 4 && size.factor == 0.5); /* 2 .. 6 */
    assert_true(gap.input == 1 && gap.indicator && !size.indicator);
    assert_string_equal(level.level, "b");
    assert_true(level.input == 0 && !level.levels && !level.may_be_missing);
    pt_prepare_free(raw);
    pt_prepare_free(hot);
    pt_dataset_free(data);
}

static void test_raw__unseen_levels_are_missing_and_counted(void **state)
{
    (void)state;
    pt_dataset *data = colors(3, (const double[]){0, 1, 1, 3, 0, 1}, "red blue");
    const char *ways[] = {"missing=keep", "missing=mean", "missing=error"};
    for (int w = 0; w < 3; w++) {
        pt_prepare *prepare = fit_as(data, ways[w], true);
        pt_dataset *other = colors(3, (const double[]){0, 1, 1, 1, 2, 1}, "green blue red");
        pt_prepared prepared = apply(prepare, other);
        assert_rows(&prepared, 3, 2, (const double[]){NAN, 1, 1, 1, 0, 1});
        assert_int_equal(prepared.warnings.count, 1);
        assert_string_equal(prepared.warnings.items[0],
                            "column 'color': 1 cell has a level that training never saw: 'green'");
        pt_prepared_free(&prepared);
        pt_dataset_free(other);
        pt_prepare_free(prepare);
    }
    pt_dataset_free(data);
}

/* The kind of a column is guessed from its file: numbers where there were names, and back. */
static void test_raw__kinds_of_columns_may_differ_in_new_data(void **state)
{
    (void)state;
    pt_dataset *data = colors(3, (const double[]){0, 0, 1, 0, 2, 0}, "1 2.5 x");
    pt_prepare *prepare = fit_as(data, "missing=keep", true);
    pt_dataset *other = dense(4, 2, (const double[]){2.5, 0, 1, 0, 3, 0, NAN, 0});
    name_columns(other, "color size");
    pt_prepared prepared = apply(prepare, other);
    assert_rows(&prepared, 4, 2, (const double[]){1, 0, 0, 0, NAN, 0, NAN, 0});
    assert_int_equal(prepared.warnings.count, 1); /* of 3; the missing cell is none */
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    pt_prepare_free(prepare);
    pt_dataset_free(data);

    data = dense(2, 2, (const double[]){0, 0, 10, 0});
    name_columns(data, "color size");
    prepare = fit_as(data, "missing=keep", true);
    other = colors(3, (const double[]){1, 0, 0, 0, NAN, 0}, "7 2.5 bad");
    prepared = apply(prepare, other);
    assert_rows(&prepared, 3, 2, (const double[]){2.5, 0, 7, 0, NAN, 0});
    assert_null(prepared.rows.levels);
    pt_prepared_free(&prepared);
    pt_dataset_free(other);
    check_apply_fails(prepare, colors(1, (const double[]){2, 0}, "7 2.5 bad"), PT_EFORMAT,
                      "'bad' is not a number");
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_raw__a_column_without_values_is_missing_everywhere(void **state)
{
    (void)state;
    check_raw(colors(2, (const double[]){NAN, 1, NAN, NAN}, "a b"), "missing=keep", 2,
              (const int64_t[]){0, 0}, (const double[]){NAN, 1, NAN, NAN});
    check_raw(dense(2, 2, (const double[]){NAN, 1, NAN, 2}), "missing=keep", 2, NULL,
              (const double[]){NAN, 1, NAN, 2});
}

static void test_raw__sparse_rows_keep_missing_cells(void **state)
{
    (void)state;
    const double x[] = {NAN, 5, 1, NAN, 2, 0, 0, NAN};
    check_raw(sparse(4, 2, x), "missing=keep", 2, NULL, x);
    check_raw(sparse(4, 2, x), "missing=keep,scale=range", 2, NULL,
              (const double[]){NAN, 1, 0.5, NAN, 1, 0, 0, NAN});
    check_raw(sparse(4, 2, x), "missing=mean", 2, NULL, /* as rows that are not raw */
              (const double[]){1, 5, 1, 2.5, 2, 0, 0, 2.5});
    pt_dataset *data = sparse(4, 2, x); /* dense rows for a sparse model, and back */
    pt_dataset *other = dense(4, 2, x);
    pt_prepare *prepare = fit_as(data, "missing=keep", true);
    pt_prepared prepared = apply(prepare, other);
    assert_null(prepared.rows.dense);
    assert_rows(&prepared, 4, 2, x);
    pt_prepared_free(&prepared);
    pt_prepare_free(prepare);
    prepare = fit_as(other, "missing=keep", true);
    prepared = apply(prepare, data);
    assert_rows(&prepared, 4, 2, x);
    pt_prepared_free(&prepared);
    pt_prepare_free(prepare);
    pt_dataset_free(other);
    pt_dataset_free(data);
}

static void test_raw__what_float_cannot_hold_is_refused_beside_kept_cells(void **state)
{
    (void)state;
    pt_dataset *data = dense(2, 2, (const double[]){1, NAN, 3, 1e39});
    pt_prepare *prepare = fit_as(data, "missing=keep", true);
    pt_prepared prepared;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_prepare_apply(prepare, data, PT_F32, &prepared, NULL, &err), PT_ENUMERIC);
    assert_non_null(strstr(err.text, "example 2, column 2"));
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

static void test_raw__other_programs_do_not_know_names(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = colors(2, (const double[]){0, 1, 1, 2}, "a b");
    pt_prepare *prepare = fit_as(data, "missing=keep", true);
    assert_int_equal(pt_prepare_only_scales(prepare, "LIBSVM", &err), PT_ENOSUPPORT);
    assert_string_equal(err.text, "column 'color' holds names, which LIBSVM does not know");
    pt_prepare_free(prepare);
    pt_dataset_free(data);
}

/* ---- files ---- */

static bool same_packs(const pt_pack *a, const pt_pack *b)
{
    bool same = a->count == b->count;
    for (int64_t i = 0; i < a->count && same; i++) {
        const pt_array *x = &a->arrays[i];
        const pt_array *y = &b->arrays[i];
        same = strcmp(x->name, y->name) == 0 && x->rows == y->rows && x->bytes == y->bytes &&
               memcmp(x->value, y->value, (size_t)x->rows * (x->bytes ? 1 : 8)) == 0;
    }
    return same;
}

static void check_round_trip(pt_dataset *data, const char *options, bool raw)
{
    pt_prepare *prepare = fit_as(data, options, raw);
    pt_prepare *back = NULL;
    pt_pack pack = {0};
    pt_pack again = {0};
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_prepare_save(prepare, &pack, &err), PT_OK);
    if (pt_prepare_load(&back, &pack, &err) != PT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(pt_prepare_save(back, &again, &err), PT_OK);
    assert_true(same_packs(&pack, &again));
    pt_prepared a = apply(prepare, data);
    pt_prepared b = apply(back, data);
    assert_int_equal(a.rows.d, b.rows.d);
    for (int64_t i = 0; i < a.rows.n; i++)
        for (int64_t j = 0; j < a.rows.d; j++) {
            const double x = at(&a, i, j);
            const double y = at(&b, i, j);
            assert_memory_equal(&x, &y, sizeof x);
        }
    assert_int_equal(a.rows.levels == NULL, b.rows.levels == NULL);
    if (a.rows.levels)
        assert_memory_equal(a.rows.levels, b.rows.levels, (size_t)a.rows.d * sizeof(int64_t));
    pt_prepared_free(&a);
    pt_prepared_free(&b);
    pt_pack_free(&pack);
    pt_pack_free(&again);
    pt_prepare_free(prepare);
    pt_prepare_free(back);
}

static void test_file__keeps_every_bit(void **state)
{
    (void)state;
    const double x[] = {0.1, 1.0 / 3, NAN, 1e-310, 0, 1.7e308, NAN,  -1.7e308, 1, 3.141592653589793,
                        2,   -0.0,    5,   NAN,    7, 1.0 / 7, 1e22, 1};
    pt_dataset *data = dense(3, 6, x);
    pt_dataset *mixed = dense(3, 6, x);
    name_columns(mixed, "a b \xff\xfe \xc3\xa9 \" f");
    set_levels(mixed, 5, "\xe9t\xe9 b c");
    ((double *)mixed->value)[5] = 0; /* levels */
    ((double *)mixed->value)[11] = 1;
    pt_dataset *thin = sparse(2, 3, (const double[]){0.1, NAN, 0, 0, 4, 1.0 / 3});
    const char *options[] = {"", "scale=standard,missing=indicator", "scale=none,missing=zero",
                             "scale=range,missing=indicator"};
    for (int o = 0; o < 4; o++) {
        for (int raw = 0; raw < 2; raw++) {
            check_round_trip(data, options[o], raw);
            check_round_trip(mixed, options[o], raw);
            check_round_trip(thin, options[o], raw);
        }
    }
    check_round_trip(data, "missing=keep", true);
    check_round_trip(mixed, "missing=keep", true);
    check_round_trip(thin, "missing=keep", true);
    pt_dataset_free(data);
    pt_dataset_free(mixed);
    pt_dataset_free(thin);
}

/* Whether the pack is a preparation, which is then applied. */
static bool loads(const pt_pack *pack, const pt_dataset *data)
{
    pt_prepare *prepare = NULL;
    pt_prepared prepared;
    pt_error err = PT_ERROR_INIT;
    if (pt_prepare_load(&prepare, pack, &err) != PT_OK) {
        assert_null(prepare);
        return false;
    }
    if (pt_prepare_apply(prepare, data, PT_F64, &prepared, NULL, &err) == PT_OK)
        pt_prepared_free(&prepared);
    pt_prepare_free(prepare);
    return true;
}

static pt_array *array_of(const pt_pack *pack, const char *name)
{
    return (pt_array *)pt_pack_find(pack, name);
}

/* Integer `at` of an array as another: the preparation must be refused. */
static void refuse_integer(const pt_pack *pack, const pt_dataset *data, const char *name,
                           int64_t at, int64_t value)
{
    int64_t *there = (int64_t *)array_of(pack, name)->value + at;
    const int64_t good = *there;
    *there = value;
    if (loads(pack, data))
        fail_msg("%s[%d] = %lld is accepted", name, (int)at, (long long)value);
    *there = good;
}

/* Three columns: levels of which the last stands for others, a number with an indicator, a text. In
 * the head: features, sparse, raw, two outputs for two levels, sparse rows, missing, scale, bits
 * and signs of a hash; fields: columns, numbers of levels (-1: none), others, indicators, bits. */
static void test_file__hostile_arrays_are_refused(void **state)
{
    (void)state;
    pt_dataset *data = dense(4, 3, (const double[]){0, NAN, 0, 1, 2, 1, 2, 3, 0, 3, 1, 1});
    name_columns(data, "a b c");
    set_levels(data, 0, "w x y z");
    set_levels(data, 2, "so-it-is no-it-is");
    column(data, 2)->text = true;
    pt_prepare *prepare = fit(data, "max-levels=3,missing=indicator,scale=none,text-bits=5");
    pt_pack pack = {0};
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_prepare_save(prepare, &pack, &err), PT_OK);
    pt_prepare_free(prepare);
    assert_true(loads(&pack, data));
    const int64_t live = pt_alloc_live();
    static const int64_t HEAD_WRONG[][2] = {
        {0, 0},  {0, 2},         {0, 4}, {0, -1}, {0, INT64_MAX}, {1, 1}, {1, 2},
        {1, -1}, {2, 1},         {3, 1}, {4, 2},  {5, 4},         {5, 5}, {5, -1},
        {6, 3},  {6, INT64_MIN}, {7, 1}, {7, 32}, {8, 2}};
    for (size_t i = 0; i < sizeof HEAD_WRONG / sizeof *HEAD_WRONG; i++)
        refuse_integer(&pack, data, "head", HEAD_WRONG[i][0], HEAD_WRONG[i][1]);
    static const int64_t FIELD_WRONG[][2] = {
        {0, 1},  {0, -1},        {2, INT64_MAX}, {3, -1}, {3, 0},   {3, 1},   {3, 2},
        {3, -2}, {3, INT64_MAX}, {4, 0},         {4, 2},  {6, 2},   {6, -1},  {7, 1},
        {9, -1}, {10, 2},        {11, 1},        {12, 5}, {14, 32}, {14, -1}, {14, INT64_MIN}};
    for (size_t i = 0; i < sizeof FIELD_WRONG / sizeof *FIELD_WRONG; i++)
        refuse_integer(&pack, data, "fields", FIELD_WRONG[i][0], FIELD_WRONG[i][1]);
    /* lists that are cut, of another kind, or not there */
    for (int64_t i = 0; i < pack.count; i++) {
        pt_array *array = &pack.arrays[i];
        const pt_array good = *array;
        array->rows--;
        assert_false(loads(&pack, data));
        *array = good;
        array->integer = !array->integer;
        array->bytes = false;
        assert_false(loads(&pack, data));
        *array = good;
        array->name[0] = 'X';
        assert_false(loads(&pack, data));
        *array = good;
    }
    double *number = array_of(&pack, "numbers")->value;
    for (int i = 0; i < 9; i++) {
        const double good = number[i];
        number[i] = i % 2 ? NAN : INFINITY;
        assert_false(loads(&pack, data));
        number[i] = good;
    }
    char *levels = array_of(&pack, "levels")->value;
    const char good = levels[0];
    levels[0] = levels[2]; /* the first level is the second */
    assert_false(loads(&pack, data));
    levels[0] = good;
    assert_true(loads(&pack, data));
    assert_int_equal(pt_alloc_live(), live);
    pt_pack_free(&pack);
    pt_dataset_free(data);
}

/* Any integer changed to any of these, in all kinds of preparations: refused, or applied safely. */
static void test_file__any_changed_integer_does_no_harm(void **state)
{
    (void)state;
    static const int64_t VALUE[] = {-2, -1, 0, 1, 2, 3, 5, 30, 31, 64, INT64_MAX, INT64_MIN};
    pt_dataset *mixed = dense(3, 2, (const double[]){0, NAN, 1, 2, 2, 3});
    set_levels(mixed, 0, "x y z");
    pt_dataset *thin = sparse(2, 3, (const double[]){0.1, NAN, 0, 0, 4, 1.0 / 3});
    pt_dataset *const data[] = {mixed, thin};
    for (int c = 0; c < 4; c++) {
        pt_prepare *prepare = fit_as(data[c % 2], "missing=indicator", c / 2);
        pt_pack pack = {0};
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(pt_prepare_save(prepare, &pack, &err), PT_OK);
        pt_prepare_free(prepare);
        for (int64_t i = 0; i < 2; i++)
            for (int64_t at_value = 0; at_value < pack.arrays[i].rows; at_value++)
                for (size_t v = 0; v < sizeof VALUE / sizeof *VALUE; v++) {
                    int64_t *there = (int64_t *)pack.arrays[i].value + at_value;
                    const int64_t good = *there;
                    *there = VALUE[v];
                    (void)loads(&pack, data[c % 2]);
                    *there = good;
                }
        pt_pack_free(&pack);
    }
    pt_dataset_free(mixed);
    pt_dataset_free(thin);
}

/* ---- JSON of old files ---- */

static const char GOOD_DENSE[] =
    "{\"version\":1,\"sparse\":false,\"missing\":\"mean\",\"scale\":\"range\",\"features\":2,"
    "\"names\":[\"a\",\"b\"],\"fill\":[0.5,1],\"center\":[0,0],\"factor\":[1,1],\"flagged\":[0],"
    "\"nominal\":[{\"at\":1,\"levels\":[\"x\",\"y\"]}]}";
static const char GOOD_SPARSE[] =
    "{\"version\":1,\"sparse\":true,\"missing\":\"mean\",\"scale\":\"range\",\"features\":9,"
    "\"column\":[3,5],\"fill\":[0.5,1],\"center\":[0,0],\"factor\":[1,1],\"flagged\":[],"
    "\"nominal\":[]}";

static const char GOOD_RAW[] =
    "{\"version\":2,\"raw\":true,\"sparse\":false,\"missing\":\"keep\",\"scale\":\"none\","
    "\"features\":2,\"fill\":[0.5,1],\"center\":[0,0],\"factor\":[1,1],\"flagged\":[],"
    "\"nominal\":[{\"at\":1,\"levels\":[\"x\",\"y\"]}]}";

/* What version 4 has beside them. */
static const char GOOD_WORDS[] =
    "{\"version\":4,\"sparse\":false,\"missing\":\"mean\",\"scale\":\"none\",\"features\":2,"
    "\"sparse_rows\":true,\"fill\":[0,1],\"center\":[0,0],\"factor\":[1,1],\"flagged\":[],"
    "\"nominal\":[{\"at\":1,\"levels\":[\"x\",\"y\"],\"rest\":true}],"
    "\"text\":[{\"at\":0,\"bits\":3}]}";

/* `text` with the first `from` replaced by `to`, or fails the test. */
static const char GOOD_HASHED[] =
    "{\"version\":3,\"hash_bits\":4,\"hash_signs\":true,\"sparse\":true,\"missing\":\"error\","
    "\"scale\":\"none\",\"features\":16,\"column\":[],\"fill\":[],\"center\":[],\"factor\":[],"
    "\"flagged\":[],\"nominal\":[]}";

static char *changed(const char *text, const char *from, const char *to)
{
    const char *where = strstr(text, from);
    assert_non_null(where);
    const size_t room = strlen(text) + strlen(to) + 1;
    char *result = malloc(room);
    snprintf(result, room, "%.*s%s%s", (int)(where - text), text, to, where + strlen(from));
    return result;
}

static void test_json__hostile_text_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *from, *to;
    } cases[] = {
        {GOOD_DENSE, "\"version\":1", "\"version\":2"},
        {GOOD_DENSE, "\"version\":1", "\"version\":\"1\""},
        {GOOD_DENSE, "false", "0"},
        {GOOD_DENSE, "\"mean\"", "\"average\""},
        {GOOD_DENSE, "\"mean\"", "7"},
        {GOOD_DENSE, "\"features\":2", "\"features\":-1"},
        {GOOD_DENSE, "\"features\":2", "\"features\":3"},
        {GOOD_DENSE, "\"features\":2", "\"features\":9223372036854775807"},
        {GOOD_DENSE, "\"features\":2", "\"features\":2.0"},
        {GOOD_DENSE, "[\"a\",\"b\"]", "[\"a\"]"},
        {GOOD_DENSE, "[\"a\",\"b\"]", "[\"a\",7]"},
        {GOOD_DENSE, "[\"a\",\"b\"]", "[\"a\",{\"bytes\":\"zz\"}]"},
        {GOOD_DENSE, "[\"a\",\"b\"]", "[\"a\",{\"bytes\":\"0061\"}]"},
        {GOOD_DENSE, "[\"a\",\"b\"]", "[\"a\",{\"bytes\":\"616\"}]"},
        {GOOD_DENSE, "[0.5,1]", "[0.5]"},
        {GOOD_DENSE, "[0.5,1]", "[0.5,2]"},
        {GOOD_DENSE, "[0.5,1]", "[0.5,0.5]"},
        {GOOD_DENSE, "[0.5,1]", "[0.5,-2]"},
        {GOOD_DENSE, "[0.5,1]", "[0.5,1e999]"},
        {GOOD_DENSE, "[0.5,1]", "[null,1]"},
        {GOOD_DENSE, "\"factor\":[1,1]", "\"factor\":[1,-1]"},
        {GOOD_DENSE, "\"factor\":[1,1]", "\"factor\":{}"},
        {GOOD_DENSE, "\"flagged\":[0]", "\"flagged\":[2]"},
        {GOOD_DENSE, "\"flagged\":[0]", "\"flagged\":[-1]"},
        {GOOD_DENSE, "\"flagged\":[0]", "\"flagged\":0"},
        {GOOD_DENSE, "\"at\":1", "\"at\":2"},
        {GOOD_DENSE, "\"at\":1", "\"at\":18446744073709551615"},
        {GOOD_DENSE, "[\"x\",\"y\"]", "[\"x\",\"x\"]"},
        {GOOD_DENSE, "[\"x\",\"y\"]", "\"x\""},
        {GOOD_DENSE, "{\"at\"", "{\"at\":1,\"levels\":[\"z\",\"w\"]},{\"at\""},
        {GOOD_DENSE, "\"missing\"", "\"sparse\":true,\"missing\""},
        {GOOD_DENSE, "]}]}", "]}]"},
        {GOOD_DENSE, "\"mean\"", "\"keep\""},
        {GOOD_DENSE, "\"version\":1", "\"version\":1,\"raw\":true"},
        {GOOD_RAW, "\"version\":2", "\"version\":1"},
        {GOOD_RAW, "\"version\":2", "\"version\":3"},
        {GOOD_RAW, "\"raw\":true", "\"raw\":false"},
        {GOOD_RAW, "\"raw\":true", "\"raw\":1"},
        {GOOD_RAW, "\"raw\":true,", ""},
        {GOOD_RAW, "[0.5,1]", "[0.5,2]"},
        {GOOD_RAW, "\"sparse\":false", "\"sparse\":true,\"column\":[0,1]"},
        {GOOD_HASHED, "\"version\":3", "\"version\":1"},
        {GOOD_HASHED, "\"version\":3", "\"version\":2"},
        {GOOD_HASHED, "\"version\":3", "\"version\":4"},
        {GOOD_HASHED, "\"hash_bits\":4", "\"hash_bits\":0"},
        {GOOD_HASHED, "\"hash_bits\":4", "\"hash_bits\":3"},
        {GOOD_HASHED, "\"hash_bits\":4", "\"hash_bits\":31"},
        {GOOD_HASHED, "\"hash_bits\":4", "\"hash_bits\":68"},
        {GOOD_HASHED, "\"hash_bits\":4", "\"hash_bits\":-60"},
        {GOOD_HASHED, "\"hash_bits\":4", "\"hash_bits\":4.0"},
        {GOOD_HASHED, "\"hash_bits\":4,", ""},
        {GOOD_HASHED, "\"hash_signs\":true,", ""},
        {GOOD_HASHED, "\"hash_signs\":true", "\"hash_signs\":1"},
        {GOOD_HASHED, "\"features\":16", "\"features\":17"},
        {GOOD_HASHED, "\"sparse\":true", "\"sparse\":false"},
        {GOOD_HASHED, "\"sparse\":true", "\"sparse\":true,\"raw\":true"},
        {GOOD_HASHED, "\"error\"", "\"mean\""},
        {GOOD_HASHED, "\"none\"", "\"range\""},
        {GOOD_HASHED, "\"column\":[],\"fill\":[],\"center\":[],\"factor\":[]",
         "\"column\":[1],\"fill\":[0],\"center\":[0],\"factor\":[1]"},
        {GOOD_WORDS, "\"version\":4", "\"version\":1"},
        {GOOD_WORDS, "\"bits\":3", "\"bits\":0"},
        {GOOD_WORDS, "\"bits\":3", "\"bits\":31"},
        {GOOD_WORDS, "\"at\":0", "\"at\":1"},
        {GOOD_WORDS, "\"flagged\":[]", "\"flagged\":[0]"},
        {GOOD_WORDS, "[\"x\",\"y\"]", "[]"},
        {GOOD_WORDS, "\"sparse_rows\":true", "\"sparse_rows\":true,\"raw\":true"},
        {GOOD_WORDS, ",\"text\":[{\"at\":0,\"bits\":3}]", ""},
        {GOOD_SPARSE, "[3,5]", "[5,3]"},
        {GOOD_SPARSE, "[3,5]", "[3,3]"},
        {GOOD_SPARSE, "[3,5]", "[3,9]"},
        {GOOD_SPARSE, "[3,5]", "[-3,5]"},
        {GOOD_SPARSE, "[3,5]", "[3]"},
        {GOOD_SPARSE, "\"center\":[0,0]", "\"center\":[0,1]"},
        {GOOD_SPARSE, "\"nominal\":[]", "\"nominal\":[{\"at\":0,\"levels\":[\"x\"]}]"},
        {GOOD_SPARSE, "\"features\":9", "\"features\":9007199254740993"},
    };
    pt_error err = PT_ERROR_INIT;
    pt_prepare *prepare = NULL;
    assert_int_equal(pt_prepare_load_json(&prepare, GOOD_DENSE, &err), PT_OK);
    assert_int_equal(pt_prepare_n_outputs(prepare), 4);
    pt_prepare_free(prepare);
    assert_int_equal(pt_prepare_load_json(&prepare, GOOD_SPARSE, &err), PT_OK);
    pt_prepare_free(prepare);
    assert_int_equal(pt_prepare_load_json(&prepare, GOOD_RAW, &err), PT_OK);
    assert_int_equal(pt_prepare_n_outputs(prepare), 2);
    pt_prepare_free(prepare);
    assert_int_equal(pt_prepare_load_json(&prepare, GOOD_HASHED, &err), PT_OK);
    assert_int_equal(pt_prepare_n_outputs(prepare), 16);
    pt_prepare_free(prepare);
    assert_int_equal(pt_prepare_load_json(&prepare, GOOD_WORDS, &err), PT_OK);
    assert_int_equal(pt_prepare_n_outputs(prepare), 9);
    pt_prepare_free(prepare);

    const int64_t before = pt_alloc_live();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char *text = changed(cases[c].text, cases[c].from, cases[c].to);
        prepare = NULL;
        if (pt_prepare_load_json(&prepare, text, &err) == PT_OK)
            fail_msg("accepted: %s", text);
        assert_null(prepare);
        free(text);
    }
    for (size_t cut = 0; cut < strlen(GOOD_DENSE); cut++) {
        char *text = strdup(GOOD_DENSE);
        text[cut] = '\0';
        assert_int_not_equal(pt_prepare_load_json(&prepare, text, &err), PT_OK);
        free(text);
    }
    char *deep = malloc(200001);
    memset(deep, '[', 200000);
    deep[200000] = '\0';
    assert_int_not_equal(pt_prepare_load_json(&prepare, deep, &err), PT_OK);
    free(deep);
    assert_int_equal(pt_alloc_live(), before);
}

/* Any single byte changed: refused, or something that can be applied without harm. */
static void test_json__any_changed_byte_does_no_harm(void **state)
{
    (void)state;
    pt_dataset *data = dense(2, 2, (const double[]){1, 0, NAN, 1});
    const char bytes[] = "0123456789-[]{},:\"ex\x01\xff";
    const char *good[] = {GOOD_DENSE, GOOD_SPARSE, GOOD_RAW, GOOD_HASHED, GOOD_WORDS};
    for (int g = 0; g < 5; g++)
        for (size_t at_byte = 0; at_byte < strlen(good[g]); at_byte++)
            for (size_t b = 0; b < sizeof bytes - 1; b++) {
                char text[512];
                snprintf(text, sizeof text, "%s", good[g]);
                text[at_byte] = bytes[b];
                pt_prepare *prepare = NULL;
                pt_prepared prepared;
                pt_error err = PT_ERROR_INIT;
                if (pt_prepare_load_json(&prepare, text, &err) != PT_OK)
                    continue;
                if (pt_prepare_apply(prepare, data, PT_F64, &prepared, NULL, &err) == PT_OK)
                    pt_prepared_free(&prepared);
                pt_prepare_free(prepare);
            }
    pt_dataset_free(data);
}

/* ---- wrong data, no memory ---- */

static void test_fit__nothing_to_learn_from(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_prepare *prepare = NULL;
    pt_dataset *data = dense(0, 2, NULL);
    assert_int_equal(pt_prepare_fit(&prepare, data, NULL, false, NULL, &err), PT_EFORMAT);
    pt_dataset_free(data);
    data = dense(2, 0, NULL);
    assert_int_equal(pt_prepare_fit(&prepare, data, NULL, false, NULL, &err), PT_EFORMAT);
    pt_dataset_free(data);
    data = dense(1, 1, (const double[]){NAN});
    set_levels(data, 0, "a b"); /* no level occurs: no output */
    assert_int_equal(pt_prepare_fit(&prepare, data, NULL, false, NULL, &err), PT_EFORMAT);
    pt_dataset_free(data);
    data = dense(1, 2, (const double[]){1, 2});
    ((double *)data->value)[1] = INFINITY;
    assert_int_equal(pt_prepare_fit(&prepare, data, NULL, false, NULL, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "example 1, column 2: the value is infinite"));
    pt_dataset_free(data);
    assert_null(prepare);
}

static void test_fit__one_example(void **state)
{
    (void)state;
    check_self(dense(1, 2, (const double[]){3, 4}), "", 2, (const double[]){0, 0});
    check_self(dense(1, 2, (const double[]){3, 4}), "scale=standard", 2, (const double[]){0, 0});
    check_self(dense(1, 1, (const double[]){3}), "scale=none", 1, (const double[]){3});
}

static void no_memory_sweep_as(const pt_dataset *data, const pt_dataset *other, bool raw)
{
    const int64_t before = pt_alloc_live();
    bool done = false;
    for (int64_t number = 1; !done; number++) {
        pt_prepare *prepare = NULL;
        pt_prepare *back = NULL;
        pt_pack pack = {0};
        pt_prepared prepared;
        memset(&prepared, 0, sizeof prepared);
        pt_error err = PT_ERROR_INIT;
        pt_alloc_fail_from(number);
        pt_status status = pt_prepare_fit(&prepare, data, NULL, raw, NULL, &err);
        if (status == PT_OK)
            status = pt_prepare_save(prepare, &pack, &err);
        if (status == PT_OK)
            status = pt_prepare_load(&back, &pack, &err);
        if (status == PT_OK)
            status = pt_prepare_apply(back, other, PT_F32, &prepared, NULL, &err);
        pt_alloc_fail_from(0);
        done = status == PT_OK;
        if (!done) {
            assert_int_equal(status, PT_ENOMEM);
            assert_int_equal(err.code, PT_ENOMEM);
            assert_null(prepared.storage);
        }
        pt_prepared_free(&prepared);
        pt_pack_free(&pack);
        pt_prepare_free(prepare);
        pt_prepare_free(back);
        assert_int_equal(pt_alloc_live(), before);
        assert_true(number < 1000);
    }
}

static void no_memory_sweep(const pt_dataset *data, const pt_dataset *other)
{
    no_memory_sweep_as(data, other, false);
    no_memory_sweep_as(data, other, true);
}

static void test_prepare__no_memory_leaves_nothing(void **state)
{
    (void)state;
    pt_dataset *data = colors(3, (const double[]){0, 1, 1, NAN, NAN, 3}, "1 \xe9");
    pt_dataset *other = dense(3, 3, (const double[]){0, 1, 0, 0, 1, 2, NAN, 3, 1});
    name_columns(other, "size color extra");
    no_memory_sweep(data, other); /* numbers for levels */
    set_levels(other, 1, "x \xe9");
    ((double *)other->value)[7] = 0;
    no_memory_sweep(data, other); /* levels for levels, one of them unseen */
    no_memory_sweep(data, data);
    pt_dataset_free(data);
    pt_dataset_free(other);

    data = dense(2, 2, (const double[]){1, 2, NAN, 3});
    no_memory_sweep(data, data); /* plain */
    pt_dataset_free(data);

    data = sparse(2, 3, (const double[]){1, 0, NAN, 4, 5, 6});
    other = sparse(1, 4, (const double[]){1, 2, 3, 4});
    no_memory_sweep(data, other);
    pt_dataset_free(data);
    pt_dataset_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale__range_maps_to_minus_one_and_one),
        cmocka_unit_test(test_scale__standard_has_mean_zero_and_variance_one),
        cmocka_unit_test(test_scale__none_changes_nothing),
        cmocka_unit_test(test_scale__precomputed_kernel_is_left_alone),
        cmocka_unit_test(test_scale__constant_column_is_zero_for_other_data_too),
        cmocka_unit_test(test_scale__huge_and_tiny_ranges),
        cmocka_unit_test(test_scale__mean_of_huge_values_does_not_overflow),
        cmocka_unit_test(test_scale__what_float_cannot_hold_is_an_error_with_its_place),
        cmocka_unit_test(test_apply__types_and_threads_agree),
        cmocka_unit_test(test_missing__mean_fills_then_scales),
        cmocka_unit_test(test_missing__zero_widens_the_range),
        cmocka_unit_test(test_missing__indicator_only_where_training_had_some),
        cmocka_unit_test(test_missing__error_names_row_and_column),
        cmocka_unit_test(test_missing__all_missing_column_is_zero),
        cmocka_unit_test(test_nominal__one_output_per_level_that_occurs),
        cmocka_unit_test(test_nominal__unseen_levels_are_zeros_and_counted),
        cmocka_unit_test(test_nominal__missing_is_most_frequent_zero_or_flagged),
        cmocka_unit_test(test_nominal__numbers_find_levels_by_their_text),
        cmocka_unit_test(test_nominal__rare_levels_are_grouped),
        cmocka_unit_test(test_text__words_are_counted),
        cmocka_unit_test(test_nominal__two_levels_are_one_column),
        cmocka_unit_test(test_nominal__two_levels_of_an_old_model_are_two_columns),
        cmocka_unit_test(test_nominal__sparse_rows_stay_sparse),
        cmocka_unit_test(test_raw__sparse_rows_spread_levels),
        cmocka_unit_test(test_nominal__float_numbers_find_decimal_levels),
        cmocka_unit_test(test_nominal__texts_in_a_numeric_column_are_read_or_refused),
        cmocka_unit_test(test_nominal__too_many_levels_for_the_memory),
        cmocka_unit_test(test_match__by_name_in_any_order_with_extra_columns),
        cmocka_unit_test(test_match__by_position_without_names),
        cmocka_unit_test(test_match__a_name_twice_in_training_means_by_position),
        cmocka_unit_test(test_sparse__unscaled_stays_as_it_is),
        cmocka_unit_test(test_sparse__scaling_is_a_factor),
        cmocka_unit_test(test_sparse__missing_cells),
        cmocka_unit_test(test_sparse__features_beyond_training_are_dropped_and_counted),
        cmocka_unit_test(test_sparse__indicator_columns_follow_the_features),
        cmocka_unit_test(test_sparse__names_in_another_order_are_sorted_again),
        cmocka_unit_test(test_sparse__and_dense_meet),
        cmocka_unit_test(test_sparse__a_vast_number_of_features_costs_nothing),
        cmocka_unit_test(test_raw__nominal_columns_stay_one_column),
        cmocka_unit_test(test_raw__other_ways_with_missing_cells),
        cmocka_unit_test(test_output__says_where_a_column_comes_from),
        cmocka_unit_test(test_raw__unseen_levels_are_missing_and_counted),
        cmocka_unit_test(test_raw__kinds_of_columns_may_differ_in_new_data),
        cmocka_unit_test(test_raw__a_column_without_values_is_missing_everywhere),
        cmocka_unit_test(test_raw__sparse_rows_keep_missing_cells),
        cmocka_unit_test(test_raw__what_float_cannot_hold_is_refused_beside_kept_cells),
        cmocka_unit_test(test_raw__other_programs_do_not_know_names),
        cmocka_unit_test(test_file__keeps_every_bit),
        cmocka_unit_test(test_file__hostile_arrays_are_refused),
        cmocka_unit_test(test_file__any_changed_integer_does_no_harm),
        cmocka_unit_test(test_json__hostile_text_is_refused),
        cmocka_unit_test(test_json__any_changed_byte_does_no_harm),
        cmocka_unit_test(test_fit__nothing_to_learn_from),
        cmocka_unit_test(test_fit__one_example),
        cmocka_unit_test(test_prepare__no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
