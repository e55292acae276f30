/* Data sets from memory, their public face, subsets, the embedded sets. */
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
#include "data/dataset.h"

static const double VALUES[] = {1, 2, 3, 99, 4, NAN, 6, 99, 7, 8, 9, 99}; /* 3 x 3, stride 4 */
static const int64_t START[] = {0, 2, 2, 5};
static const int64_t INDEX[] = {0, 3, 1, 2, 3};
static const double CELLS[] = {1, -2, 3, NAN, 5};

static pt_dataset *dense(void)
{
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(dataset_from_f64(&data, VALUES, 3, 3, 4, &err), PT_OK);
    return data;
}

static pt_dataset *sparse(void)
{
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(dataset_from_csr(&data, START, INDEX, CELLS, 3, 4, &err), PT_OK);
    return data;
}

/* Names for all columns, levels for the first, labels, weights. */
static void dress(pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    const char *labels[] = {"b", NULL, "a"};
    const double weights[] = {1, 0, 2.5};
    assert_int_equal(pt_dataset_set_label_cells(data, "class", labels, &err), PT_OK);
    assert_int_equal(dataset_set_weights(data, weights, &err), PT_OK);
    data->label_name = pt_alloc_text("class", &err);
    data->columns = pt_alloc_zero(data->d, sizeof *data->columns, "columns", &err);
    for (int64_t j = 0; j < data->d; j++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", (int)j);
        data->columns[j].name = pt_alloc_text(name, &err);
    }
    data->columns[0].nominal = true;
    assert_int_equal(pt_texts_add(&data->columns[0].levels, &err, "low"), PT_OK);
    assert_int_equal(pt_warn(&data->warnings, &err, PT_KIND_DATA, "a remark"), PT_OK);
}

static void test_dataset__dense_copies_rows_without_the_gap(void **state)
{
    (void)state;
    pt_dataset *data = dense();
    assert_int_equal(pt_dataset_n_examples(data), 3);
    assert_int_equal(pt_dataset_n_features(data), 3);
    assert_int_equal(pt_dataset_n_classes(data), 0);
    assert_false(pt_dataset_is_sparse(data));
    assert_null(pt_dataset_feature_name(data, 0));
    assert_null(pt_dataset_class_name(data, 0));
    assert_int_equal(pt_dataset_class(data, 0), -1);
    assert_true(pt_dataset_has_missing(data));
    assert_string_equal(data->source, "memory");
    const double *value = data->value;
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 3; j++)
            assert_memory_equal(&value[i * 3 + j], &VALUES[i * 4 + j], sizeof *value);
    pt_dataset_free(data);
}

static void test_dataset__floats_stay_floats(void **state)
{
    (void)state;
    const float values[] = {0.1f, 2, 3, 4};
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(dataset_from_f32(&data, values, 2, 2, 2, &err), PT_OK);
    assert_int_equal(data->type, PT_F32);
    assert_memory_equal(data->value, values, sizeof values);
    assert_false(pt_dataset_has_missing(data));
    pt_dataset_free(data);
}

static void test_dataset__sparse_is_copied(void **state)
{
    (void)state;
    pt_dataset *data = sparse();
    assert_true(pt_dataset_is_sparse(data));
    assert_true(pt_dataset_has_missing(data));
    assert_memory_equal(data->start, START, sizeof START);
    assert_memory_equal(data->index, INDEX, sizeof INDEX);
    assert_memory_equal(data->value, CELLS, sizeof CELLS);
    pt_dataset_free(data);
}

static void test_dataset__empty_ones_are_possible(void **state)
{
    (void)state;
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(dataset_from_f64(&data, NULL, 0, 3, 3, &err), PT_OK);
    assert_int_equal(pt_dataset_n_examples(data), 0);
    assert_false(pt_dataset_has_missing(data));
    pt_dataset_free(data);
    const int64_t start[] = {0};
    assert_int_equal(dataset_from_csr(&data, start, NULL, NULL, 0, 3, &err), PT_OK);
    pt_dataset_free(data);
    pt_dataset_free(NULL);
}

static void test_dataset__wrong_arguments_are_refused(void **state)
{
    (void)state;
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(dataset_from_f64(&data, VALUES, -1, 3, 3, &err), PT_EINVAL);
    assert_int_equal(dataset_from_f64(&data, NULL, 3, 3, 3, &err), PT_EINVAL);
    assert_int_not_equal(dataset_from_f64(&data, VALUES, INT64_MAX, 3, 3, &err), PT_OK);
    assert_int_not_equal(dataset_from_f64(&data, VALUES, 3, INT64_MAX / 4, INT64_MAX / 4, &err),
                         PT_OK);
    const double infinite[] = {1, 2, -INFINITY, 4};
    assert_int_equal(dataset_from_f64(&data, infinite, 2, 2, 2, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "example 2, feature 1"));
    assert_null(data);
}

static void test_dataset__wrong_compressed_rows_are_refused(void **state)
{
    (void)state;
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    const int64_t start_late[] = {1, 2, 2, 5};
    const int64_t start_back[] = {0, 2, 1, 5};
    const int64_t index_twice[] = {0, 0, 1, 2, 3};
    const int64_t index_back[] = {3, 0, 1, 2, 3};
    const int64_t index_wide[] = {0, 4, 1, 2, 3};
    const int64_t index_negative[] = {-1, 3, 1, 2, 3};
    const double infinite[] = {1, 2, 3, INFINITY, 5};
    assert_int_equal(dataset_from_csr(&data, start_late, INDEX, CELLS, 3, 4, &err), PT_EINVAL);
    assert_int_equal(dataset_from_csr(&data, start_back, INDEX, CELLS, 3, 4, &err), PT_EINVAL);
    assert_int_equal(dataset_from_csr(&data, START, index_twice, CELLS, 3, 4, &err), PT_EINVAL);
    assert_int_equal(dataset_from_csr(&data, START, index_back, CELLS, 3, 4, &err), PT_EINVAL);
    assert_int_equal(dataset_from_csr(&data, START, index_wide, CELLS, 3, 4, &err), PT_EINVAL);
    assert_int_equal(dataset_from_csr(&data, START, index_negative, CELLS, 3, 4, &err), PT_EINVAL);
    assert_int_equal(dataset_from_csr(&data, START, NULL, CELLS, 3, 4, &err), PT_EINVAL);
    assert_int_equal(dataset_from_csr(&data, NULL, INDEX, CELLS, 3, 4, &err), PT_EINVAL);
    assert_int_equal(dataset_from_csr(&data, START, INDEX, infinite, 3, 4, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "example 3, feature 3"));
    assert_null(data);
}

static void test_dataset__labels_can_be_set_replaced_and_removed(void **state)
{
    (void)state;
    pt_dataset *data = dense();
    pt_error err = PT_ERROR_INIT;
    const char *texts[] = {"pear", "", "apple"};
    assert_int_equal(pt_dataset_set_label_cells(data, "class", texts, &err), PT_OK);
    assert_int_equal(pt_dataset_n_classes(data), 2);
    assert_string_equal(pt_dataset_class_name(data, 0), "apple");
    assert_int_equal(pt_dataset_class(data, 0), 1);
    assert_int_equal(pt_dataset_class(data, 1), -1);
    assert_int_equal(pt_dataset_class(data, 2), 0);
    assert_int_equal(pt_dataset_class(data, 3), -1);
    assert_int_equal(pt_dataset_class(data, -1), -1);

    const int64_t numbers[] = {10, INT64_MIN, 9};
    assert_int_equal(dataset_set_numbers(data, numbers, &err), PT_OK);
    assert_int_equal(pt_dataset_n_classes(data), 3);
    assert_string_equal(pt_dataset_class_name(data, 0), "-9223372036854775808");
    assert_string_equal(pt_dataset_class_name(data, 1), "9");
    assert_int_equal(pt_dataset_class(data, 0), 2);
    assert_null(pt_dataset_class_name(data, 3));

    assert_int_equal(pt_dataset_set_label_cells(data, "class", NULL, &err), PT_OK);
    assert_int_equal(pt_dataset_n_classes(data), 0);
    pt_dataset_free(data);
}

static void test_dataset__weights_are_finite_and_not_negative(void **state)
{
    (void)state;
    pt_dataset *data = dense();
    pt_error err = PT_ERROR_INIT;
    const double good[] = {0, 1, 1e300};
    const double wrong[][3] = {{1, -1, 1}, {1, NAN, 1}, {1, INFINITY, 1}};
    assert_int_equal(dataset_set_weights(data, good, &err), PT_OK);
    for (int w = 0; w < 3; w++) {
        assert_int_equal(dataset_set_weights(data, wrong[w], &err), PT_EINVAL);
        assert_non_null(strstr(err.text, "example 2"));
    }
    assert_memory_equal(data->weights, good, sizeof good); /* the old ones are still there */
    assert_int_equal(dataset_set_weights(data, NULL, &err), PT_OK);
    assert_null(data->weights);
    pt_dataset_free(data);
}

static void test_dataset__warnings_are_shown(void **state)
{
    (void)state;
    pt_dataset *data = dense();
    dress(data);
    assert_int_equal(pt_dataset_n_warnings(data), 1);
    assert_string_equal(pt_dataset_warning(data, 0), "a remark");
    assert_null(pt_dataset_warning(data, 1));
    assert_string_equal(pt_dataset_feature_name(data, 2), "c2");
    assert_null(pt_dataset_feature_name(data, 3));
    assert_null(pt_dataset_feature_name(data, -1));
    pt_dataset_free(data);
}

static void test_subset__takes_rows_with_everything_that_is_theirs(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    const int64_t rows[] = {2, 0, 2, 1};
    pt_dataset *data = dense();
    dress(data);
    pt_dataset *subset = NULL;
    assert_int_equal(pt_dataset_subset(&subset, data, rows, 4, NULL, &err), PT_OK);
    assert_int_equal(subset->n, 4);
    for (int64_t i = 0; i < 4; i++) {
        assert_memory_equal((const double *)subset->value + i * 3,
                            (const double *)data->value + rows[i] * 3, 3 * sizeof(double));
        assert_int_equal(pt_dataset_class(subset, i), pt_dataset_class(data, rows[i]));
        assert_true(subset->weights[i] == data->weights[rows[i]]);
    }
    assert_int_equal(pt_dataset_n_classes(subset), 2);
    assert_string_equal(subset->label_name, "class");
    assert_string_equal(subset->columns[1].name, "c1");
    assert_true(subset->columns[0].nominal);
    assert_string_equal(subset->columns[0].levels.items[0], "low");
    pt_dataset_free(subset);
    const int64_t outside[] = {0, 3};
    subset = NULL;
    assert_int_equal(pt_dataset_subset(&subset, data, outside, 2, NULL, &err), PT_EINVAL);
    assert_null(subset);
    pt_dataset_free(data);
}

static void test_subset__of_sparse_rows(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    const int64_t rows[] = {2, 1, 0};
    pt_dataset *data = sparse();
    pt_dataset *subset = NULL;
    assert_int_equal(pt_dataset_subset(&subset, data, rows, 3, NULL, &err), PT_OK);
    const int64_t start[] = {0, 3, 3, 5};
    const int64_t index[] = {1, 2, 3, 0, 3};
    const double value[] = {3, NAN, 5, 1, -2};
    assert_memory_equal(subset->start, start, sizeof start);
    assert_memory_equal(subset->index, index, sizeof index);
    assert_true(((double *)subset->value)[0] == value[0]);
    assert_true(isnan(((double *)subset->value)[1]));
    assert_memory_equal((double *)subset->value + 2, value + 2, 3 * sizeof(double));
    pt_dataset_free(subset);
    assert_int_equal(pt_dataset_subset(&subset, data, rows, 0, NULL, &err), PT_OK);
    assert_int_equal(subset->n, 0);
    pt_dataset_free(subset);
    pt_dataset_free(data);
}

static pt_status build_all(pt_dataset **data, pt_dataset **subset, bool is_sparse, pt_error *err)
{
    const char *labels[] = {"b", NULL, "a"};
    const int64_t numbers[] = {3, 2, 1};
    const double weights[] = {1, 2, 3};
    const int64_t rows[] = {1, 2};
    pt_status status = is_sparse ? dataset_from_csr(data, START, INDEX, CELLS, 3, 4, err)
                                 : dataset_from_f64(data, VALUES, 3, 3, 4, err);
    if (status == PT_OK)
        status = pt_dataset_set_label_cells(*data, "class", labels, err);
    if (status == PT_OK)
        status = dataset_set_numbers(*data, numbers, err);
    if (status == PT_OK)
        status = dataset_set_weights(*data, weights, err);
    if (status == PT_OK)
        status = pt_dataset_subset(subset, *data, rows, 2, NULL, err);
    return status;
}

static void test_dataset__no_memory_leaves_nothing(void **state)
{
    (void)state;
    const int64_t before = pt_alloc_live();
    for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
        bool done = false;
        for (int64_t number = 1; !done; number++) {
            pt_dataset *data = NULL;
            pt_dataset *subset = NULL;
            pt_error err = PT_ERROR_INIT;
            pt_alloc_fail_from(number);
            const pt_status status = build_all(&data, &subset, is_sparse, &err);
            pt_alloc_fail_from(0);
            done = status == PT_OK;
            assert_true(done || (status == PT_ENOMEM && err.code == PT_ENOMEM && !subset));
            pt_dataset_free(data);
            pt_dataset_free(subset);
            assert_int_equal(pt_alloc_live(), before);
            assert_true(number < 1000);
        }
    }
    /* a subset with columns and levels */
    pt_dataset *data = dense();
    dress(data);
    const int64_t with_data = pt_alloc_live();
    const int64_t rows[] = {1, 2};
    pt_dataset *subset = NULL;
    for (int64_t number = 1; !subset; number++) {
        pt_error err = PT_ERROR_INIT;
        pt_alloc_fail_from(number);
        const pt_status status = pt_dataset_subset(&subset, data, rows, 2, NULL, &err);
        pt_alloc_fail_from(0);
        assert_true(status == PT_OK || (status == PT_ENOMEM && pt_alloc_live() == with_data));
    }
    pt_dataset_free(subset);
    pt_dataset_free(data);
    assert_int_equal(pt_alloc_live(), before);
}

/* ---- the embedded sets ---- */

static pt_dataset *embedded(const char *name)
{
    char path[1024];
    const char *slash = strstr(__FILE__, "tests/unit/");
    assert_non_null(slash);
    snprintf(path, sizeof path, "%.*sdata/%s.csv", (int)(slash - __FILE__), __FILE__, name);
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    if (pt_dataset_read(&data, path, NULL, NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    return data;
}

static int64_t class_size(const pt_dataset *data, int64_t r)
{
    int64_t size = 0;
    for (int64_t i = 0; i < data->n; i++)
        size += pt_dataset_class(data, i) == r;
    return size;
}

static void check_embedded(const char *name, int64_t n, int64_t d, int64_t k,
                           const char *const *classes, const int64_t *sizes)
{
    pt_dataset *data = embedded(name);
    assert_int_equal(data->n, n);
    assert_int_equal(data->d, d);
    assert_int_equal(pt_dataset_n_classes(data), k);
    assert_string_equal(data->label_name, "class");
    assert_false(pt_dataset_has_missing(data));
    for (int64_t r = 0; r < k; r++) {
        assert_string_equal(pt_dataset_class_name(data, r), classes[r]);
        assert_int_equal(class_size(data, r), sizes[r]);
    }
    pt_dataset_free(data);
}

static void test_embedded__sets_are_what_their_table_says(void **state)
{
    (void)state;
    check_embedded("iris", 150, 4, 3, (const char *[]){"setosa", "versicolor", "virginica"},
                   (const int64_t[]){50, 50, 50});
    check_embedded("wine", 178, 13, 3, (const char *[]){"cultivar_1", "cultivar_2", "cultivar_3"},
                   (const int64_t[]){59, 71, 48});
    check_embedded("digits", 1797, 64, 10,
                   (const char *[]){"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
                   (const int64_t[]){178, 182, 177, 183, 181, 182, 181, 179, 174, 180});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dataset__dense_copies_rows_without_the_gap),
        cmocka_unit_test(test_dataset__floats_stay_floats),
        cmocka_unit_test(test_dataset__sparse_is_copied),
        cmocka_unit_test(test_dataset__empty_ones_are_possible),
        cmocka_unit_test(test_dataset__wrong_arguments_are_refused),
        cmocka_unit_test(test_dataset__wrong_compressed_rows_are_refused),
        cmocka_unit_test(test_dataset__labels_can_be_set_replaced_and_removed),
        cmocka_unit_test(test_dataset__weights_are_finite_and_not_negative),
        cmocka_unit_test(test_dataset__warnings_are_shown),
        cmocka_unit_test(test_subset__takes_rows_with_everything_that_is_theirs),
        cmocka_unit_test(test_subset__of_sparse_rows),
        cmocka_unit_test(test_dataset__no_memory_leaves_nothing),
        cmocka_unit_test(test_embedded__sets_are_what_their_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
