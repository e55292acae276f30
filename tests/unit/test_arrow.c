/* Tables by the Arrow C data interface, built by hand: types, nulls, offsets, dictionaries, roles
 * of columns, what is refused, and who releases. */
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
#include "data/dataset.h"

enum { ROWS = 4, MOST = 16 };

/* A table whose parts live in the struct; releases are counted. */
typedef struct batch {
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct ArrowSchema child_schema[MOST];
    struct ArrowArray child_array[MOST];
    struct ArrowSchema value_schema[MOST]; /* of dictionaries */
    struct ArrowArray value_array[MOST];
    struct ArrowSchema *schemas[MOST];
    struct ArrowArray *arrays[MOST];
    const void *buffers[2 * MOST][5];
    int64_t n_buffers;
    int schema_releases;
    int array_releases;
} batch;

static void release_schema(struct ArrowSchema *schema)
{
    ((batch *)schema->private_data)->schema_releases++;
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    ((batch *)array->private_data)->array_releases++;
    array->release = NULL;
}

static void begin(batch *b, int64_t rows)
{
    memset(b, 0, sizeof *b);
    b->schema = (struct ArrowSchema){
        .format = "+s", .children = b->schemas, .release = release_schema, .private_data = b};
    b->array = (struct ArrowArray){
        .length = rows, .children = b->arrays, .release = release_array, .private_data = b};
}

static void fill(struct ArrowSchema *schema, struct ArrowArray *array, batch *b, const char *name,
                 const char *format, int64_t length, const void *valid, const void *values,
                 const void *letters)
{
    const void **buffers = b->buffers[b->n_buffers++];
    buffers[0] = valid;
    buffers[1] = values;
    buffers[2] = letters;
    *schema = (struct ArrowSchema){.format = format, .name = name};
    *array = (struct ArrowArray){.length = length,
                                 .null_count = valid ? -1 : 0,
                                 .n_buffers = letters  ? 3
                                              : values ? 2
                                                       : 0,
                                 .buffers = buffers};
}

static int64_t add(batch *b, const char *name, const char *format, const void *valid,
                   const void *values, const void *letters)
{
    const int64_t j = b->schema.n_children++;
    b->array.n_children++;
    b->schemas[j] = &b->child_schema[j];
    b->arrays[j] = &b->child_array[j];
    fill(b->schemas[j], b->arrays[j], b, name, format, b->array.length, valid, values, letters);
    return j;
}

static void add_values(batch *b, int64_t j, const char *format, int64_t length, const void *valid,
                       const void *values, const void *letters)
{
    fill(&b->value_schema[j], &b->value_array[j], b, NULL, format, length, valid, values, letters);
    b->child_schema[j].dictionary = &b->value_schema[j];
    b->child_array[j].dictionary = &b->value_array[j];
}

static pt_dataset *take(batch *b, const char *options)
{
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(options);
    small_must(pt_dataset_from_arrow(&data, &b->schema, &b->array, params, &err), &err, options);
    assert_int_equal(b->schema_releases, 1);
    assert_int_equal(b->array_releases, 1);
    assert_null(b->schema.release);
    assert_null(b->array.release);
    pt_params_free(params);
    return data;
}

static void refuse(batch *b, const char *options, pt_status status, const char *says)
{
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(options);
    assert_int_equal(pt_dataset_from_arrow(&data, &b->schema, &b->array, params, &err), status);
    if (!strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
    assert_null(data);
    assert_int_equal(b->schema_releases + b->array_releases, 0); /* still the caller's */
    pt_params_free(params);
}

static void expect_column(const pt_dataset *data, int64_t feature, const double *expected)
{
    const int64_t d = pt_dataset_n_features(data);
    double *cells = malloc((size_t)(ROWS * d) * sizeof *cells);
    assert_int_equal(pt_dataset_cells(data, 0, ROWS, cells, NULL), PT_OK);
    for (int i = 0; i < ROWS; i++) {
        const double x = cells[i * d + feature];
        if (x != expected[i] && !(isnan(x) && isnan(expected[i])))
            fail_msg("row %d of feature %d: %.17g, not %.17g", i, (int)feature, x, expected[i]);
    }
    free(cells);
}

static const int32_t OFFSETS[] = {0, 2, 3, 5, 6}; /* ab, c, de, f */
static const char LETTERS[] = "abcdef";
static const unsigned char THIRD_IS_NULL[] = {0x0b};

static void test_arrow__numbers_of_all_widths(void **state)
{
    (void)state;
    static const int8_t i8[] = {-1, 2, 3, 4};
    static const uint8_t u8[] = {255, 2, 3, 4};
    static const int16_t i16[] = {-300, 2, 3, 4};
    static const uint16_t u16[] = {65535, 2, 3, 4};
    static const int32_t i32[] = {-70000, 2, 3, 4};
    static const uint32_t u32[] = {4294967295U, 2, 3, 4};
    static const int64_t i64[] = {INT64_C(-5000000000), 2, 3, 4};
    static const uint64_t u64[] = {UINT64_C(1) << 63, 2, 3, 4};
    static const uint16_t f16[] = {0x3c00, 0xc000, 0x7bff, 0x0001};
    static const float f32[] = {0.5F, 2, 3, 4};
    static const double f64[] = {0.1, 2, NAN, 4};
    static const unsigned char bits[] = {0x05};
    const struct {
        const char *format;
        const void *values;
        double expected[ROWS];
    } COLUMNS[] = {
        {"c", i8, {-1, 2, 3, 4}},
        {"C", u8, {255, 2, 3, 4}},
        {"s", i16, {-300, 2, 3, 4}},
        {"S", u16, {65535, 2, 3, 4}},
        {"i", i32, {-70000, 2, 3, 4}},
        {"I", u32, {4294967295.0, 2, 3, 4}},
        {"l", i64, {-5e9, 2, 3, 4}},
        {"L", u64, {0x1p63, 2, 3, 4}},
        {"e", f16, {1, -2, 65504, 0x1p-24}},
        {"f", f32, {0.5, 2, 3, 4}},
        {"g", f64, {0.1, 2, NAN, 4}},
        {"b", bits, {1, 0, 1, 0}},
        {"n", NULL, {NAN, NAN, NAN, NAN}},
    };
    enum { COUNT = sizeof COLUMNS / sizeof *COLUMNS };
    batch b;
    begin(&b, ROWS);
    for (int c = 0; c < COUNT; c++)
        add(&b, NULL, COLUMNS[c].format, NULL, COLUMNS[c].values, NULL);
    pt_dataset *data = take(&b, "label=none");
    assert_int_equal(pt_dataset_n_features(data), COUNT);
    for (int c = 0; c < COUNT; c++)
        expect_column(data, c, COLUMNS[c].expected);
    assert_null(pt_dataset_feature_name(data, 0));
    pt_dataset_free(data);
}

static void test_arrow__texts_dictionaries_and_nulls(void **state)
{
    (void)state;
    static const int64_t large[] = {0, 2, 3, 5, 6};
    static const char far_away[] = "..a text of more than twelve";
    static const int8_t codes[] = {1, 0, 1, 1};
    static const int64_t more_codes[] = {2, 1, 0, 2};
    static const int32_t colours[] = {0, 3, 7}; /* red, blue */
    static const double values[] = {0.5, 1.5, 2.5};
    struct view {
        int32_t length;
        char letters[12];
    } views[ROWS] = {{2, "NA"}, {0, ""}, {26, ""}, {2, "NA"}};
    const int32_t place[] = {0, 2};
    memcpy(views[2].letters, "a te", 4);
    memcpy(views[2].letters + 4, place, sizeof place);
    batch b;
    begin(&b, ROWS);
    add(&b, "u", "u", THIRD_IS_NULL, OFFSETS, LETTERS);
    add(&b, "U", "U", NULL, large, LETTERS);
    const int64_t v = add(&b, "vu", "vu", NULL, views, far_away);
    static const int64_t sizes[] = {sizeof far_away};
    b.child_array[v].n_buffers = 4;
    b.child_array[v].buffers[3] = sizes;
    const int64_t c = add(&b, "coded", "c", THIRD_IS_NULL, codes, NULL);
    add_values(&b, c, "u", 2, NULL, colours, "redblue");
    const int64_t m = add(&b, "numbers", "l", NULL, more_codes, NULL);
    add_values(&b, m, "g", 3, NULL, values, NULL);
    pt_dataset *data = take(&b, "label=none");
    expect_column(data, 0, (const double[]){0, 1, NAN, 2});
    assert_string_equal(pt_dataset_level_name(data, 0, 2), "f");
    expect_column(data, 1, (const double[]){0, 1, 2, 3});
    expect_column(data, 2, (const double[]){0, 1, 2, 0});
    assert_string_equal(pt_dataset_level_name(data, 2, 0), "NA");
    assert_string_equal(pt_dataset_level_name(data, 2, 1), "");
    assert_string_equal(pt_dataset_level_name(data, 2, 2), far_away + 2);
    expect_column(data, 3, (const double[]){1, 0, NAN, 1});
    assert_string_equal(pt_dataset_level_name(data, 3, 0), "red");
    expect_column(data, 4, (const double[]){2.5, 1.5, 0.5, 2.5});
    assert_int_equal(pt_dataset_n_levels(data, 4), 0);
    assert_string_equal(pt_dataset_feature_name(data, 3), "coded");
    pt_dataset_free(data);
}

static void test_arrow__offsets_of_table_and_columns_add_up(void **state)
{
    (void)state;
    static const double x[] = {-1, -2, -3, 1, 2, 3, 4};
    static const unsigned char valid[] = {0x5f}; /* all but number 5 */
    batch b;
    begin(&b, ROWS);
    b.array.offset = 2;
    add(&b, "x", "g", valid, x, NULL);
    b.child_array[0].offset = 1;
    b.child_array[0].length = ROWS + 2;
    pt_dataset *data = take(&b, "label=none");
    expect_column(data, 0, (const double[]){1, 2, NAN, 4});
    pt_dataset_free(data);
}

static void test_arrow__dates_are_days(void **state)
{
    (void)state;
    static const int32_t days[] = {0, 1, -1, 20000};
    static const int64_t milli[] = {0, 86400000, -43200000, 1};
    static const int64_t nano[] = {0, INT64_C(86400000000000), INT64_C(43200000000000), 0};
    static const int32_t seconds[] = {0, 43200, 86399, 21600};
    batch b;
    begin(&b, ROWS);
    add(&b, "d", "tdD", NULL, days, NULL);
    add(&b, "m", "tdm", NULL, milli, NULL);
    add(&b, "n", "tsn:Europe/Berlin", NULL, nano, NULL);
    add(&b, "t", "tts", NULL, seconds, NULL);
    pt_dataset *data = take(&b, "label=none");
    expect_column(data, 0, (const double[]){0, 1, -1, 20000});
    expect_column(data, 1, (const double[]){0, 1, -0.5, 1 / 86400000.0});
    expect_column(data, 2, (const double[]){0, 1, 0.5, 0});
    expect_column(data, 3, (const double[]){0, 0.5, 86399 / 86400.0, 0.25});
    pt_dataset_free(data);
}

static void test_arrow__columns_have_roles_as_in_files(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4};
    static const int64_t number[] = {10, 9, 10, 9};
    static const unsigned char bits[] = {0x05};
    batch b;
    begin(&b, ROWS);
    add(&b, "x", "g", NULL, x, NULL);
    add(&b, "id", "+l", NULL, NULL, NULL); /* a type that is not read, and not looked at */
    add(&b, "w", "g", NULL, x, NULL);
    add(&b, "n", "l", NULL, number, NULL);
    add(&b, "class", "u", THIRD_IS_NULL, OFFSETS, LETTERS);
    pt_dataset *data = take(&b, "ignore=id,weight=w,nominal=n");
    assert_int_equal(pt_dataset_n_features(data), 2);
    assert_int_equal(pt_dataset_n_classes(data), 3);
    assert_string_equal(pt_dataset_class_name(data, pt_dataset_class(data, 0)), "ab");
    assert_int_equal(pt_dataset_class(data, 2), -1);
    assert_string_equal(data->label_name, "class");
    assert_memory_equal(data->weights, x, sizeof x);
    expect_column(data, 1, (const double[]){0, 1, 0, 1});
    assert_string_equal(pt_dataset_level_name(data, 1, 0), "10");
    pt_dataset_free(data);

    begin(&b, ROWS); /* integers as classes, and truth values */
    add(&b, "x", "g", NULL, x, NULL);
    add(&b, "y", "l", NULL, number, NULL);
    data = take(&b, "label=y");
    assert_string_equal(pt_dataset_class_name(data, 0), "9");
    pt_dataset_free(data);
    begin(&b, ROWS);
    add(&b, "x", "g", NULL, x, NULL);
    add(&b, "y", "b", NULL, bits, NULL);
    data = take(&b, "");
    assert_string_equal(pt_dataset_class_name(data, pt_dataset_class(data, 0)), "true");
    pt_dataset_free(data);

    begin(&b, ROWS); /* several label columns */
    add(&b, "x", "g", NULL, x, NULL);
    add(&b, "label_a", "b", NULL, bits, NULL);
    add(&b, "label_b", "b", NULL, bits, NULL);
    data = take(&b, "label=label_*");
    assert_string_equal(pt_dataset_label_kind(data), "set");
    const int64_t *items = NULL;
    assert_int_equal(pt_dataset_label_items(data, 0, &items, NULL), 2);
    assert_int_equal(pt_dataset_label_items(data, 1, &items, NULL), 0);
    pt_dataset_free(data);

    begin(&b, ROWS); /* cells that are sets */
    add(&b, "x", "g", NULL, x, NULL);
    static const int32_t cells[] = {0, 3, 4, 4, 7};
    add(&b, "y", "u", NULL, cells, "a;bbb;c");
    data = take(&b, "label=y,labels=set");
    assert_int_equal(pt_dataset_label_items(data, 0, &items, NULL), 2);
    pt_dataset_free(data);
}

static void test_arrow__columns_say_how_rows_are_held_out(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4};
    static const int8_t codes[] = {0, 1, 0, 1};
    static const int8_t folds[] = {7, -1, 7, 3};
    static const int32_t days[] = {4, 1, -1, 20000};
    static const int32_t dates[] = {0, 10, 20, 30, 40};
    static const int32_t groups[] = {0, 1, 2, 3, 4};
    batch b;
    begin(&b, ROWS);
    add(&b, "x", "g", NULL, x, NULL);
    add(&b, "f1", "c", NULL, folds, NULL);
    add(&b, "f2", "u", THIRD_IS_NULL, OFFSETS, LETTERS);
    add(&b, "d", "tdD", NULL, days, NULL);
    add(&b, "y", "c", NULL, codes, NULL);
    pt_dataset *data = take(&b, "label=y,fold=f*,time-column=d");
    assert_int_equal(data->d, 1);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(data->fold[i], folds[i]);
        assert_int_equal(data->fold[ROWS + i], i == 2 ? -1 : i - (i > 2)); /* names as they come */
        assert_true(data->time[i] == days[i]);
    }
    assert_int_equal(data->fold_columns, 2);
    pt_dataset_free(data);

    begin(&b, ROWS);
    add(&b, "x", "g", NULL, x, NULL);
    add(&b, "g", "u", THIRD_IS_NULL, groups, "ppqr");
    add(&b, "y", "c", NULL, codes, NULL);
    data = take(&b, "label=y,group=g");
    for (int i = 0; i < ROWS; i++) /* three groups, one of them of the row that has none */
        for (int o = 0; o < i; o++)
            assert_true((data->group[i] == data->group[o]) == (o == 0 && i == 1));
    pt_dataset_free(data);

    begin(&b, ROWS);
    add(&b, "x", "g", NULL, x, NULL);
    add(&b, "d", "u", NULL, dates, "2021-03-012021-03-031970-01-022021-03-02");
    add(&b, "y", "c", NULL, codes, NULL);
    data = take(&b, "label=y,time-column=d");
    assert_true(data->time[2] == 1);
    assert_true(data->time[1] == data->time[0] + 2 && data->time[3] == data->time[0] + 1);
    pt_dataset_free(data);

    begin(&b, ROWS);
    add(&b, "x", "g", NULL, x, NULL);
    add(&b, "d", "tdD", THIRD_IS_NULL, days, NULL);
    add(&b, "t", "u", NULL, OFFSETS, LETTERS);
    add(&b, "y", "c", NULL, codes, NULL);
    refuse(&b, "label=y,time-column=d", PT_EFORMAT, "row 3: the time is missing");
    refuse(&b, "label=y,time-column=t", PT_EFORMAT, "row 1: the time");
    refuse(&b, "label=y,group=t,fold=t", PT_EINVAL, "`group`, too");
    refuse(&b, "label=y,group=z", PT_EINVAL, "there is no column 'z'");
    refuse(&b, "label=y,group=y", PT_EINVAL, "is the label");
}

static void test_arrow__what_is_wrong_is_said(void **state)
{
    (void)state;
    static const double x[] = {1, 2, INFINITY, 4};
    static const int8_t codes[] = {1, 0, 2, 1};
    static const int32_t back[] = {0, 2, 1, 5, 6};
    static const int32_t colours[] = {0, 3, 7};
    batch b;
    begin(&b, ROWS);
    add(&b, "x", "g", NULL, x, NULL);
    refuse(&b, "label=none", PT_EINVAL, "row 3, column 1 ('x')");
    begin(&b, ROWS);
    add(&b, "x", "d:10,2", NULL, x, NULL);
    refuse(&b, "label=none", PT_ENOSUPPORT, "'d:10,2'");
    begin(&b, ROWS);
    add(&b, "x", "g", NULL, x, NULL);
    refuse(&b, "label=none,types=x=nominal", PT_EINVAL, "`types`");
    refuse(&b, "label=z", PT_EINVAL, "'z'");
    b.child_array[0].length = ROWS - 1;
    refuse(&b, "label=none", PT_EINVAL, "fewer rows");
    b.child_array[0].length = ROWS;
    b.child_array[0].n_buffers = 1;
    refuse(&b, "label=none", PT_EINVAL, "buffers are missing");
    b.child_array[0].n_buffers = 2;
    b.child_array[0].buffers[1] = NULL;
    refuse(&b, "label=none", PT_EINVAL, "NULL");
    b.schema.format = "g";
    refuse(&b, "label=none", PT_EINVAL, "not a table");
    begin(&b, ROWS);
    add(&b, "s", "u", NULL, back, LETTERS);
    refuse(&b, "label=none", PT_EINVAL, "do not ascend");
    begin(&b, ROWS);
    add(&b, "s", "u", NULL, OFFSETS, "ab\0def");
    refuse(&b, "label=none", PT_EFORMAT, "zero");
    begin(&b, ROWS);
    const int64_t c = add(&b, "s", "c", NULL, codes, NULL);
    add_values(&b, c, "u", 2, NULL, colours, "redblue");
    refuse(&b, "label=none", PT_EINVAL, "row 3 names element 2 of a dictionary of 2");
    begin(&b, ROWS);
    add(&b, "s", "u", NULL, OFFSETS, LETTERS);
    add(&b, "i", "c", NULL, codes, NULL);
    add(&b, "y", "c", NULL, codes, NULL);
    refuse(&b, "label=y,weight=s", PT_EFORMAT, "numbers are needed");
    b.schema.n_children = 1;
    refuse(&b, "", PT_EINVAL, "columns");
    pt_dataset *data = NULL;
    b.schema.release = NULL;
    assert_int_equal(pt_dataset_from_arrow(&data, &b.schema, &b.array, NULL, NULL), PT_EINVAL);
    assert_int_equal(pt_dataset_from_arrow(&data, NULL, NULL, NULL, NULL), PT_EINVAL);
}

/* Memory that cannot be had leaves the table with its owner, and nothing behind. */
static void test_arrow__out_of_memory(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4};
    static const int8_t codes[] = {1, 0, 1, 1};
    static const int32_t colours[] = {0, 3, 7};
    static const int32_t groups[] = {0, 1, 2, 3, 4};
    const int64_t before = pt_alloc_live();
    for (int64_t number = 1;; number++) {
        batch b;
        begin(&b, ROWS);
        add(&b, "x", "g", NULL, x, NULL);
        const int64_t c = add(&b, "c", "c", NULL, codes, NULL);
        add_values(&b, c, "u", 2, NULL, colours, "redblue");
        add(&b, "w", "g", NULL, x, NULL);
        add(&b, "g", "u", NULL, groups, "pqrr");
        add(&b, "f", "c", NULL, codes, NULL);
        add(&b, "t", "g", NULL, x, NULL);
        add(&b, "class", "u", NULL, OFFSETS, LETTERS);
        pt_params *params = small_params("weight=w,group=g,fold=f,time-column=t");
        pt_dataset *data = NULL;
        pt_error err = PT_ERROR_INIT;
        pt_alloc_fail_from(number);
        const pt_status status = pt_dataset_from_arrow(&data, &b.schema, &b.array, params, &err);
        pt_alloc_fail_from(0);
        pt_params_free(params);
        if (status == PT_OK) {
            pt_dataset_free(data);
            assert_true(number > 10);
            break;
        }
        assert_int_equal(status, PT_ENOMEM);
        assert_int_equal(b.schema_releases + b.array_releases, 0);
    }
    assert_int_equal(pt_alloc_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrow__numbers_of_all_widths),
        cmocka_unit_test(test_arrow__texts_dictionaries_and_nulls),
        cmocka_unit_test(test_arrow__offsets_of_table_and_columns_add_up),
        cmocka_unit_test(test_arrow__dates_are_days),
        cmocka_unit_test(test_arrow__columns_have_roles_as_in_files),
        cmocka_unit_test(test_arrow__columns_say_how_rows_are_held_out),
        cmocka_unit_test(test_arrow__what_is_wrong_is_said),
        cmocka_unit_test(test_arrow__out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
