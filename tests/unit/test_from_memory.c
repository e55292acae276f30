/* Data sets from a program's own arrays: layouts, borrowed or copied; names, levels, classes; views
 * of rows; cells read back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/from_memory.h"
#include "../support/predictions.h"
#include "base/task.h"
#include "data/dataset.h"

enum { N = 60, D = 5, K = 3 };

/* The cells of `s` in another layout: cell (i, j) at base + i * row + j * column. */
static double *laid_out(const small *s, int64_t base, int64_t row, int64_t column, int64_t room)
{
    double *x = malloc((size_t)room * sizeof *x);
    for (int64_t c = 0; c < room; c++)
        x[c] = 1e300; /* what is between the cells must not be looked at */
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->d; j++)
            x[base + i * row + j * column] = s->x[i * s->d + j];
    return x;
}

static pt_dataset *with_classes(const pt_dense *table, pt_hold hold, const int64_t *y)
{
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    small_must(pt_dataset_from_dense(&data, table, hold, &err), &err, "table");
    small_must(pt_dataset_set_classes(data, PT_I64, y, NULL, 0, &err), &err, "classes");
    return data;
}

static void test_dense__layouts_and_holds_give_the_same_bits(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=onelsm,sigma=1,ridge=0.1",
        "machine=softmax,scale=standard,missing=indicator",
        "machine=tree", /* raw rows */
        "machine=code,code=ovo,merge=no",
    };
    static const struct {
        int64_t base, row, column, room;
    } LAYOUTS[] = {
        {0, D, 1, (int64_t)N * D},               /* row-major */
        {3, D + 4, 1, (int64_t)N * (D + 4) + 3}, /* with gaps */
        {0, 1, N, (int64_t)N * D},               /* column-major */
        {0, 2, 2 * N, 2 * (int64_t)N * D},       /* every other row of it */
        {(N - 1) * D, -D, 1, (int64_t)N * D},    /* backwards */
        {(N - 1) + (D - 1) * N, -1, -N, (int64_t)N * D},
    };
    small s = small_clouds(N, D, K, 5);
    s.x[7] = NAN;
    for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
        pt_dataset *plain = small_dataset(&s);
        pt_model *model = small_train(plain, MACHINES[m], 2);
        pt_prediction *expected = small_predict(model, plain, 2);
        for (size_t l = 0; l < sizeof LAYOUTS / sizeof *LAYOUTS; l++)
            for (int hold = 0; hold < 2; hold++) {
                double *x = laid_out(&s, LAYOUTS[l].base, LAYOUTS[l].row, LAYOUTS[l].column,
                                     LAYOUTS[l].room);
                const pt_dense table = {PT_F64, x + LAYOUTS[l].base, N,
                                        D,      LAYOUTS[l].row,      LAYOUTS[l].column};
                pt_dataset *data = with_classes(&table, (pt_hold)hold, s.y);
                pt_model *same = small_train(data, MACHINES[m], 2);
                pt_prediction *got = small_predict(same, data, 2);
                expect_same_bits(expected, got, N, K, MACHINES[m]);
                pt_prediction_free(got);
                got = small_predict(model, data, 1);
                expect_same_bits(expected, got, N, K, MACHINES[m]);
                assert_int_equal(pt_dataset_count_missing(data, NULL), 1);
                pt_prediction_free(got);
                pt_model_free(same);
                pt_dataset_free(data);
                free(x);
            }
        pt_prediction_free(expected);
        pt_model_free(model);
        pt_dataset_free(plain);
    }
    small_free(&s);
}

static void test_dense__every_type_of_numbers(void **state)
{
    (void)state;
    static const double F64[] = {1, -2, 3, 4, 5, -6};
    static const float F32[] = {1, -2, 3, 4, 5, -6};
    static const int64_t I64[] = {1, -2, 3, 4, 5, -6};
    static const int32_t I32[] = {1, -2, 3, 4, 5, -6};
    static const int8_t I8[] = {1, -2, 3, 4, 5, -6};
    const struct {
        pt_type type;
        const void *values;
        bool lent;
    } TABLES[] = {{PT_F64, F64, true},
                  {PT_F32, F32, true},
                  {PT_I64, I64, false},
                  {PT_I32, I32, false},
                  {PT_I8, I8, false}};
    for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++)
        for (int hold = 0; hold < 2; hold++) {
            const pt_dense table = {
                .type = TABLES[t].type, .values = TABLES[t].values, .n_rows = 2, .n_columns = 3};
            pt_dataset *data = NULL;
            pt_error err = PT_ERROR_INIT;
            double cells[6];
            small_must(pt_dataset_from_dense(&data, &table, (pt_hold)hold, &err), &err, "table");
            small_must(pt_dataset_cells(data, 0, 2, cells, &err), &err, "cells");
            assert_memory_equal(cells, F64, sizeof F64);
            assert_int_equal(data->value == TABLES[t].values, hold == PT_BORROW && TABLES[t].lent);
            assert_int_equal(pt_dataset_cells(data, 1, 2, cells, &err), PT_EINVAL);
            pt_dataset_free(data);
        }
}

static void test_dense__what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const double x[] = {1, 2, INFINITY, 4};
    static const pt_dense WRONG[] = {
        {PT_TEXT, x, 2, 1, 0, 0},
        {PT_F64, x, -1, 1, 0, 0},
        {PT_F64, x, 1, -1, 0, 0},
        {PT_F64, NULL, 1, 1, 0, 0},
        {PT_F64, x, INT64_MAX, 3, 0, 1},
        {PT_F64, x, 3, 1, INT64_MIN, 1},
        {PT_F64, x, 1, 2, 1, INT64_MAX / 2},
    };
    for (size_t w = 0; w < sizeof WRONG / sizeof *WRONG; w++)
        for (int hold = 0; hold < 2; hold++) {
            pt_dataset *data = NULL;
            pt_error err = PT_ERROR_INIT;
            assert_int_equal(pt_dataset_from_dense(&data, &WRONG[w], (pt_hold)hold, &err),
                             PT_EINVAL);
            assert_null(data);
        }
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    const pt_dense columns = {PT_F64, x, 2, 2, 1, 2};
    assert_int_equal(pt_dataset_from_dense(&data, &columns, PT_BORROW, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "example 1, feature 2"));
}

static void test_sparse__types_and_holds(void **state)
{
    (void)state;
    static const int64_t start64[] = {0, 2, 2, 4};
    static const int32_t start32[] = {0, 2, 2, 4};
    static const int64_t index64[] = {0, 3, 1, 2};
    static const int32_t index32[] = {0, 3, 1, 2};
    static const double f64[] = {1, 2, NAN, -4};
    static const float f32[] = {1, 2, NAN, -4};
    static const double expected[] = {1, 0, 0, 2, 0, 0, 0, 0, 0, NAN, -4, 0};
    for (int form = 0; form < 8; form++) {
        const bool wide = form & 1;
        const bool wide_index = form & 2;
        const pt_hold hold = form & 4 ? PT_BORROW : PT_COPY;
        const pt_sparse rows = {.type = wide ? PT_F64 : PT_F32,
                                .index_type = wide_index ? PT_I64 : PT_I32,
                                .start = wide_index ? (const void *)start64 : start32,
                                .index = wide_index ? (const void *)index64 : index32,
                                .values = wide ? (const void *)f64 : f32,
                                .n_rows = 3,
                                .n_columns = 4};
        pt_dataset *data = NULL;
        pt_error err = PT_ERROR_INIT;
        double cells[12];
        small_must(pt_dataset_from_sparse(&data, &rows, hold, &err), &err, "sparse rows");
        small_must(pt_dataset_cells(data, 0, 3, cells, &err), &err, "cells");
        for (int c = 0; c < 12; c++)
            assert_true(cells[c] == expected[c] || (isnan(cells[c]) && isnan(expected[c])));
        assert_int_equal(data->value == rows.values, hold == PT_BORROW);
        assert_int_equal(data->index == rows.index, hold == PT_BORROW && wide_index);
        pt_dataset_free(data);
    }
}

static void test_sparse__unsorted_and_repeated_indices_have_a_place(void **state)
{
    (void)state;
    static const int32_t start[] = {0, 2, 4};
    static const double x[] = {1, 2, 3, 4};
    static const struct {
        int32_t index[4];
        const char *says;
    } WRONG[] = {
        {{0, 1, 2, 2}, "row 1: index[3] is column 2, as the one before"},
        {{0, 1, 2, 1}, "row 1: index[3] is column 1, below the one before"},
        {{0, 4, 2, 3}, "row 0: index[1] is column 4"},
        {{-1, 1, 2, 3}, "row 0: index[0] is column -1"},
    };
    for (size_t w = 0; w < sizeof WRONG / sizeof *WRONG; w++) {
        const pt_sparse rows = {PT_F64, PT_I32, start, WRONG[w].index, x, 2, 4};
        pt_dataset *data = NULL;
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(pt_dataset_from_sparse(&data, &rows, PT_BORROW, &err), PT_EINVAL);
        if (!strstr(err.text, WRONG[w].says))
            fail_msg("'%s' does not say '%s'", err.text, WRONG[w].says);
    }
    const pt_sparse wrong_type = {PT_I64, PT_I32, start, WRONG[0].index, x, 2, 4};
    const pt_sparse wrong_index = {PT_F64, PT_F32, start, WRONG[0].index, x, 2, 4};
    pt_dataset *data = NULL;
    assert_int_equal(pt_dataset_from_sparse(&data, &wrong_type, PT_COPY, NULL), PT_EINVAL);
    assert_int_equal(pt_dataset_from_sparse(&data, &wrong_index, PT_COPY, NULL), PT_EINVAL);
}

/* A view trains and predicts as the rows themselves would. */
static void test_rows__are_a_view_of_dense_cells(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, D, K, 6);
    pt_dataset *all[] = {small_dataset(&s), small_sparse_dataset(&s)};
    int64_t rows[N / 2];
    small half = {
        N / 2, D, K, calloc((size_t)(N / 2) * D, sizeof(double)), calloc(N / 2, sizeof(int64_t)),
        NULL};
    for (int64_t i = 0; i < N / 2; i++) {
        rows[i] = (7 * i + 3) % N;
        memcpy(half.x + i * D, s.x + rows[i] * D, D * sizeof(double));
        half.y[i] = s.y[rows[i]];
    }
    pt_dataset *alone = small_dataset(&half);
    for (int form = 0; form < 2; form++) {
        pt_dataset *view = NULL;
        pt_dataset *narrower = NULL;
        small_must(pt_dataset_rows(&view, all[form], rows, N / 2, &err), &err, "rows");
        if (form == 0)
            assert_true(view->value == all[0]->value);
        pt_model *expected =
            small_train(alone, "machine=onelsm,kernel=rbf,sigma=1,ridge=0.1,scale=none", 1);
        pt_model *got =
            small_train(view, "machine=onelsm,kernel=rbf,sigma=1,ridge=0.1,scale=none", 1);
        pt_prediction *a = small_predict(expected, alone, 1);
        pt_prediction *b = small_predict(got, view, 1);
        if (form == 0)
            expect_same_bits(a, b, N / 2, K, "a view");
        else /* sums over sparse rows have another order */
            assert_true(small_distance(pt_prediction_scores(a), pt_prediction_scores(b),
                                       (int64_t)(N / 2) * K) < 1e-4);
        pt_prediction_free(a);
        pt_prediction_free(b);
        pt_model_free(expected);
        pt_model_free(got);
        const int64_t of_view[] = {2, 2, 0};
        double cells[3 * D];
        small_must(pt_dataset_rows(&narrower, view, of_view, 3, &err), &err, "rows of rows");
        small_must(pt_dataset_cells(narrower, 0, 3, cells, &err), &err, "cells");
        for (int64_t i = 0; i < 3; i++)
            assert_memory_equal(cells + i * D, half.x + of_view[i] * D, D * sizeof(double));
        assert_int_equal(pt_dataset_class(narrower, 2), pt_dataset_class(view, 0));
        pt_dataset_free(narrower);
        pt_dataset_free(view);
    }
    const int64_t out_of_range[] = {0, N};
    pt_dataset *none = NULL;
    assert_int_equal(pt_dataset_rows(&none, all[0], out_of_range, 2, &err), PT_EINVAL);
    assert_int_equal(pt_dataset_rows(&none, all[0], NULL, 2, &err), PT_EINVAL);
    pt_dataset_free(alone);
    pt_dataset_free(all[0]);
    pt_dataset_free(all[1]);
    small_free(&half);
    small_free(&s);
}

static void test_names__are_kept_and_differ(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(12, 3, 2, 7);
    pt_dataset *data = small_dataset(&s);
    static const char *const NAMES[] = {"a,b", "", "NA"};
    static const char *const TWICE[] = {"a", "b", "a"};
    small_must(pt_dataset_set_names(data, NULL, &err), &err, "no names yet");
    small_must(pt_dataset_set_names(data, NAMES, &err), &err, "names");
    assert_string_equal(pt_dataset_feature_name(data, 0), "a,b");
    assert_null(pt_dataset_feature_name(data, 1));
    assert_int_equal(pt_dataset_set_names(data, TWICE, &err), PT_EINVAL);
    assert_string_equal(pt_dataset_feature_name(data, 2), "NA");
    pt_model *model = small_train(data, "machine=softmax", 1);
    pt_report *about = NULL;
    small_must(pt_model_report(&about, model, &err), &err, "report");
    assert_int_equal(pt_report_integer(about, "n_features"), 3);
    assert_null(pt_report_find(about, "feature")); /* not all of them have names */
    pt_report_free(about);
    pt_model_free(model);
    static const char *const ALL[] = {"a,b", "?", "NA"};
    small_must(pt_dataset_set_names(data, ALL, &err), &err, "names");
    model = small_train(data, "machine=softmax", 1);
    small_must(pt_model_report(&about, model, &err), &err, "report");
    assert_int_equal(pt_report_length(about, "feature"), 3);
    assert_string_equal(pt_report_text_at(about, "feature", 2, 0, 0), "NA");
    pt_report_free(about);
    pt_model_free(model);
    small_must(pt_dataset_set_names(data, NULL, &err), &err, "no names");
    assert_null(pt_dataset_feature_name(data, 0));
    pt_dataset_free(data);
    small_free(&s);
}

static void test_levels__any_text_is_one(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const char *const LEVELS[] = {"NA", "?", "", "red"};
    static const float given[] = {0, 1, 2, 5, 3, 6, NAN, 7};
    static const int32_t codes[] = {0, 2, 3, -1};
    static const int32_t wrong[] = {0, 2, 4, -1};
    const pt_dense table = {.type = PT_F32, .values = given, .n_rows = 4, .n_columns = 2};
    pt_dataset *data = NULL;
    double cells[8];
    small_must(pt_dataset_from_dense(&data, &table, PT_BORROW, &err), &err, "table");
    assert_int_equal(pt_dataset_set_levels(data, 1, NULL, LEVELS, 4, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "row 1, column 1: 5"));
    assert_int_equal(pt_dataset_n_levels(data, 1), 0);
    small_must(pt_dataset_set_levels(data, 0, NULL, LEVELS, 4, &err), &err, "cells are numbers");
    assert_true(data->value == given); /* still looked at where they are */
    assert_int_equal(pt_dataset_n_levels(data, 0), 4);
    assert_string_equal(pt_dataset_level_name(data, 0, 0), "NA");
    assert_string_equal(pt_dataset_level_name(data, 0, 2), "");
    assert_null(pt_dataset_level_name(data, 0, 4));
    assert_null(pt_dataset_level_name(data, 1, 0));
    assert_int_equal(pt_dataset_set_levels(data, 1, wrong, LEVELS, 4, &err), PT_EINVAL);
    small_must(pt_dataset_set_levels(data, 1, codes, LEVELS, 4, &err), &err, "codes");
    assert_true(given[1] == 1); /* the program's rows are its own */
    small_must(pt_dataset_cells(data, 0, 4, cells, &err), &err, "cells");
    for (int i = 0; i < 4; i++)
        assert_true(codes[i] < 0 ? isnan(cells[2 * i + 1]) : cells[2 * i + 1] == codes[i]);
    static const char *const TWICE[] = {"a", "a"};
    assert_int_equal(pt_dataset_set_levels(data, 0, NULL, TWICE, 2, &err), PT_EINVAL);
    assert_int_equal(pt_dataset_set_levels(data, 2, NULL, LEVELS, 4, &err), PT_EINVAL);
    assert_int_equal(pt_dataset_set_levels(data, 0, codes, NULL, 0, &err), PT_EINVAL);
    small_must(pt_dataset_set_levels(data, 0, NULL, NULL, 0, &err), &err, "numbers again");
    assert_int_equal(pt_dataset_n_levels(data, 0), 0);
    pt_dataset_free(data);
}

/* The same table by way of CSV text and by way of codes gives the same model. */
static void test_levels__train_as_a_file_would(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const char CSV[] = "c,x,y\nred,1,a\nblue,2,b\nred,3,a\n,4,b\nblue,5,a\nred,0,b\n";
    static const double cells[] = {0, 1, 1, 2, 0, 3, NAN, 4, 1, 5, 0, 0};
    static const char *const NAMES[] = {"c", "x"};
    static const char *const LEVELS[] = {"red", "blue"};
    static const char *const CLASSES[] = {"b", "a"};
    static const int8_t y[] = {1, 0, 1, 0, 1, 0};
    const pt_dense table = {.type = PT_F64, .values = cells, .n_rows = 6, .n_columns = 2};
    pt_dataset *read = NULL;
    pt_dataset *made = NULL;
    small_must(pt_dataset_read_memory(&read, CSV, sizeof CSV - 1, "x.csv", NULL, NULL, &err), &err,
               "CSV");
    small_must(pt_dataset_from_dense(&made, &table, PT_BORROW, &err), &err, "table");
    small_must(pt_dataset_set_names(made, NAMES, &err), &err, "names");
    small_must(pt_dataset_set_levels(made, 0, NULL, LEVELS, 2, &err), &err, "levels");
    small_must(pt_dataset_set_classes(made, PT_I8, y, CLASSES, 2, &err), &err, "classes");
    static const char *const MACHINES[] = {"machine=softmax", "machine=tree"};
    for (int m = 0; m < 2; m++) {
        pt_model *a = small_train(read, MACHINES[m], 1);
        pt_model *b = small_train(made, MACHINES[m], 1);
        pt_prediction *p = small_predict(a, read, 1);
        pt_prediction *q = small_predict(b, made, 1);
        expect_same_bits(p, q, 6, 2, MACHINES[m]);
        assert_string_equal(pt_model_class_name(b, 0), "a");
        pt_prediction_free(p);
        pt_prediction_free(q);
        pt_model_free(a);
        pt_model_free(b);
    }
    pt_dataset_free(read);
    pt_dataset_free(made);
}

static void test_classes__are_codes_with_names(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const char *const NAMES[] = {"NA", "unused", "", "10", "9"};
    static const int32_t code[] = {0, 2, -1, 4, 3, 0};
    static const int32_t wrong[] = {0, 2, -2, 4, 3, 0};
    static const int8_t plain[] = {-1, 1, -1, 1, 1, 7};
    static const double x[] = {0, 1, 2, 3, 4, 5};
    pt_dataset *data = NULL;
    small_must(dataset_from_f64(&data, x, 6, 1, 1, &err), &err, "data");
    small_must(pt_dataset_set_classes(data, PT_I32, code, NAMES, 5, &err), &err, "classes");
    assert_int_equal(pt_dataset_n_classes(data), 4); /* one has no row */
    assert_string_equal(pt_dataset_class_name(data, 0), "");
    assert_string_equal(pt_dataset_class_name(data, pt_dataset_class(data, 0)), "NA");
    assert_string_equal(pt_dataset_class_name(data, pt_dataset_class(data, 3)), "9");
    assert_int_equal(pt_dataset_class(data, 2), -1);
    pt_model *model = small_train(data, "machine=onelsm,sigma=1,ridge=0.1", 1);
    void *bytes = NULL;
    size_t size = 0;
    pt_model *loaded = NULL;
    small_must(pt_model_save_memory(&bytes, &size, model, &err), &err, "save");
    small_must(pt_model_load_memory(&loaded, bytes, size, NULL, &err), &err, "load");
    assert_string_equal(pt_model_class_name(loaded, 0), "");
    assert_string_equal(pt_model_class_name(loaded, 3), "NA");
    pt_bytes_free(bytes);
    pt_model_free(loaded);
    pt_model_free(model);
    assert_int_equal(pt_dataset_set_classes(data, PT_I32, wrong, NAMES, 5, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "example 3: there is no class -2;"));
    assert_int_equal(pt_dataset_set_classes(data, PT_F64, x, NAMES, 5, &err), PT_EINVAL);
    static const char *const TWICE[] = {"a", "a"};
    assert_int_equal(pt_dataset_set_classes(data, PT_I32, code, TWICE, 2, &err), PT_EINVAL);
    assert_int_equal(pt_dataset_n_classes(data), 4);
    small_must(pt_dataset_set_classes(data, PT_I8, plain, NULL, 0, &err), &err, "numbers");
    assert_int_equal(pt_dataset_n_classes(data), 3);
    assert_string_equal(pt_dataset_class_name(data, 0), "-1");
    small_must(pt_dataset_set_classes(data, PT_I8, NULL, NULL, 0, &err), &err, "none");
    assert_null(pt_dataset_label_kind(data));
    pt_dataset_free(data);
}

static void test_label_items__of_classes(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const char *const NAMES[] = {"b", "", "a"};
    static const int64_t start[] = {0, 1, 1, 2};
    static const int64_t many[] = {0, 2, 2, 2};
    static const int64_t items[] = {0, 1};
    static const int64_t wrong[] = {0, 3};
    static const double x[] = {0, 1, 2};
    pt_dataset *data = NULL;
    small_must(dataset_from_f64(&data, x, 3, 1, 1, &err), &err, "data");
    small_must(pt_dataset_set_label_items(data, "class", NAMES, 3, start, items, NULL, &err), &err,
               "items");
    assert_string_equal(pt_dataset_class_name(data, pt_dataset_class(data, 0)), "b");
    assert_int_equal(pt_dataset_class(data, 1), -1);
    assert_string_equal(pt_dataset_class_name(data, pt_dataset_class(data, 2)), "");
    assert_int_equal(pt_dataset_set_label_items(data, "class", NAMES, 3, many, items, NULL, &err),
                     PT_EFORMAT);
    assert_int_equal(pt_dataset_set_label_items(data, "class", NAMES, 3, start, wrong, NULL, &err),
                     PT_EINVAL);
    assert_int_equal(pt_dataset_set_label_items(data, "class", NAMES, 3, start, items, items, &err),
                     PT_EINVAL);
    static const double weight[] = {1, 0.5, 2};
    assert_null(data->weights);
    small_must(dataset_set_weights(data, weight, &err), &err, "weights");
    assert_memory_equal(data->weights, weight, sizeof weight);
    pt_dataset_free(data);
}

/* Predictions a part at a time have the bits of rows that are predicted together. */
static void test_predict__parts_have_the_bits_of_the_whole(void **state)
{
    (void)state;
    enum { MANY = 40000, WIDE = 260 };
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(200, WIDE, K, 8);
    small big = {MANY, WIDE, K, malloc((size_t)MANY * WIDE * sizeof(double)), NULL, NULL};
    for (int64_t c = 0; c < (int64_t)MANY * WIDE; c++)
        big.x[c] = s.x[(c * 7 + c / 1000) % (200 * WIDE)];
    pt_dataset *train = small_dataset(&s);
    const pt_dense table = {.type = PT_F64, .values = big.x, .n_rows = MANY, .n_columns = WIDE};
    pt_dataset *data = NULL;
    small_must(pt_dataset_from_dense(&data, &table, PT_BORROW, &err), &err, "table");
    pt_model *model = small_train(train, "machine=onelsm,sigma=9,ridge=0.1", 2);
    pt_prediction *all = small_predict(model, data, 2);
    pt_task *task = small_task(2);
    pt_task_set_memory(task, (int64_t)MANY * WIDE * 8 + (26 << 20)); /* hardly more than the data */
    pt_prediction *parts = NULL;
    small_must(pt_model_predict(&parts, model, data, -1, task, &err), &err, "in little memory");
    expect_same_bits(all, parts, MANY, K, "parts");
    pt_prediction_free(all);
    pt_prediction_free(parts);
    pt_task_free(task);
    pt_model_free(model);
    pt_dataset_free(data);
    pt_dataset_free(train);
    small_free(&big);
    small_free(&s);
}

/* ---- roles of rows --------------------------------------------------------------------------- */

static pt_dataset *six_rows(void)
{
    static const double x[6] = {1, 2, 3, 4, 5, 6};
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    small_must(dataset_from_f64(&data, x, 6, 1, 1, &err), &err, "rows");
    return data;
}

/* Any type and strides; whole numbers to the last digit; copied. */
static void test_role__numbers_of_any_type(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = six_rows();
    int64_t big[12] = {INT64_MAX, 0, INT64_MIN, 1, 9007199254740993, 2, 3, 3, 4, 4, 5, 5};
    const int8_t tiny[6] = {-1, 0, 1, -1, 0, 1};
    const float half[6] = {2, 2, -3, -3, 0, 0};
    const int32_t columns[2][6] = {{0, 1, 0, 1, 0, 1}, {-1, 2, 2, 3, 3, 3}};
    const double weight[6] = {1, 0, 2.5, 1, 1, 1};
    pt_dense table = {PT_I64, big, 6, 1, 2, 1}; /* every other number */
    small_must(pt_dataset_set_role(data, "group", &table, &err), &err, "int64");
    big[0] = 0;
    assert_true(data->group[0] == INT64_MAX && data->group[1] == INT64_MIN);
    assert_true(data->group[2] == 9007199254740993 && data->group[5] == 5);
    table = (pt_dense){PT_F32, half + 5, 6, 1, -1, 1}; /* backwards */
    small_must(pt_dataset_set_role(data, "group", &table, &err), &err, "float");
    assert_true(data->group[0] == 0 && data->group[5] == 2);
    table = (pt_dense){PT_I8, tiny, 6, 1, 0, 0};
    small_must(pt_dataset_set_role(data, "fold", &table, &err), &err, "int8");
    assert_int_equal(data->fold_columns, 1);
    table = (pt_dense){PT_I32, columns, 6, 2, 1, 6};
    small_must(pt_dataset_set_role(data, "fold", &table, &err), &err, "two columns");
    assert_int_equal(data->fold_columns, 2);
    table = (pt_dense){PT_F64, weight, 6, 1, 1, 1};
    small_must(pt_dataset_set_role(data, "weight", &table, &err), &err, "weights");
    /* they come along */
    const int64_t rows[4] = {5, 0, 0, 2};
    for (int view = 0; view < 2; view++) {
        pt_dataset *some = NULL;
        small_must(view ? pt_dataset_rows(&some, data, rows, 4, &err)
                        : pt_dataset_subset(&some, data, rows, 4, NULL, &err),
                   &err, "rows");
        for (int64_t i = 0; i < 4; i++) {
            assert_int_equal(some->group[i], data->group[rows[i]]);
            assert_int_equal(some->fold[i], columns[0][rows[i]]);
            assert_int_equal(some->fold[4 + i], columns[1][rows[i]]);
            assert_true(some->weights[i] == weight[rows[i]]);
        }
        pt_dataset_free(some);
    }
    static const char *const names[] = {"weight", "group", "fold"};
    for (int r = 0; r < 3; r++)
        small_must(pt_dataset_set_role(data, names[r], NULL, &err), &err, names[r]);
    assert_true(!data->group && !data->fold && data->fold_columns == 0 && !data->weights);
    pt_dataset_free(data);
}

/* What is wrong is refused, and what was there stays. */
static void test_role__wrong_values_are_refused(void **state)
{
    (void)state;
    static const double half[6] = {0, 1, 0.5, 1, 0, 1};
    static const double missing[6] = {0, 1, 0, 1, 0, NAN};
    static const double huge[6] = {0, 1, 1e300, 1, 0, 1};
    static const double minus[6] = {1, 1, 1, -1, 1, 1};
    static const struct {
        const char *role;
        pt_dense table;
        const char *text;
    } CASES[] = {
        {"group", {PT_F64, half, 6, 1, 1, 1}, "example 3 is 0.5, no whole number"},
        {"fold", {PT_F64, missing, 6, 1, 1, 1}, "example 6 is nan, no whole number"},
        {"fold", {PT_F64, huge, 6, 1, 1, 1}, "example 3 is 1e+300"},
        {"weight", {PT_F64, minus, 6, 1, 1, 1}, "weight of example 4 is -1"},
        {"weight", {PT_F64, missing, 6, 1, 1, 1}, "weight of example 6"},
        {"weight", {PT_F64, half, 3, 2, 2, 1}, "3 x 2 values"},
        {"group", {PT_F64, half, 6, 2, 0, 1}, "one column for 6 examples"},
        {"fold", {PT_F64, half, 5, 1, 1, 1}, "a column for each repetition for 6 examples"},
        {"group", {PT_F64, NULL, 6, 1, 1, 1}, "the values are NULL"},
        {"group", {PT_TEXT, half, 6, 1, 1, 1}, "made of numbers"},
        {"label", {PT_F64, half, 6, 1, 1, 1}, "no role 'label'"},
    };
    const int64_t good[6] = {1, 1, 2, 2, 3, 3};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = six_rows();
    small_must(dataset_set_ties(data, "group", good, 1, &err), &err, "groups");
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        assert_int_equal(pt_dataset_set_role(data, CASES[c].role, &CASES[c].table, &err),
                         PT_EINVAL);
        if (!strstr(err.text, CASES[c].text))
            fail_msg("'%s' in place of '%s'", err.text, CASES[c].text);
        assert_memory_equal(data->group, good, sizeof good);
    }
    assert_int_equal(pt_dataset_set_role(data, NULL, NULL, &err), PT_EINVAL);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_role__numbers_of_any_type),
        cmocka_unit_test(test_role__wrong_values_are_refused),
        cmocka_unit_test(test_dense__layouts_and_holds_give_the_same_bits),
        cmocka_unit_test(test_dense__every_type_of_numbers),
        cmocka_unit_test(test_dense__what_cannot_be_is_refused),
        cmocka_unit_test(test_sparse__types_and_holds),
        cmocka_unit_test(test_sparse__unsorted_and_repeated_indices_have_a_place),
        cmocka_unit_test(test_rows__are_a_view_of_dense_cells),
        cmocka_unit_test(test_names__are_kept_and_differ),
        cmocka_unit_test(test_levels__any_text_is_one),
        cmocka_unit_test(test_levels__train_as_a_file_would),
        cmocka_unit_test(test_classes__are_codes_with_names),
        cmocka_unit_test(test_label_items__of_classes),
        cmocka_unit_test(test_predict__parts_have_the_bits_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
