/* LIBSVM and svmlight text: every rule of the format, on small texts. */
#include "reader_helpers.h"

static pt_dataset *read_text(const char *text)
{
    const pt_read_options options = defaults("t.svm");
    return read_with(text, &options);
}

static void refused(const char *text, int64_t line, int64_t column, const char *word)
{
    const pt_read_options options = defaults("t.svm");
    refused_with(text, &options, line, column, word);
}

/* Row i as text: "0:1.5 3:2", indices from 0. */
static const char *row_text(const pt_dataset *data, int64_t i)
{
    static char text[400];
    size_t used = 0;
    text[0] = '\0';
    for (int64_t at = data->start[i]; at < data->start[i + 1]; at++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld:%g", used ? " " : "",
                                 (long long)data->index[at], ((const double *)data->value)[at]);
    return text;
}

static void test_libsvm__rows_and_labels(void **state)
{
    (void)state;
    pt_dataset *data = read_text("+1 1:0.5 3:-2e1\n-1 2:1\t4:7 \r\n+1\n2 4:0 5:1e-3");
    assert_int_equal(data->n, 4);
    assert_int_equal(data->d, 5);
    assert_true(pt_dataset_is_sparse(data));
    assert_string_equal(row_text(data, 0), "0:0.5 2:-20");
    assert_string_equal(row_text(data, 1), "1:1 3:7");
    assert_string_equal(row_text(data, 2), "");
    assert_string_equal(row_text(data, 3), "3:0 4:0.001"); /* a zero that is written is kept */
    assert_string_equal(class_text(data, 0), "+1");
    assert_string_equal(class_text(data, 1), "-1");
    assert_string_equal(class_text(data, 2), "+1");
    assert_string_equal(class_text(data, 3), "2");
    pt_dataset_free(data);
}

static void test_libsvm__comments_blank_lines_and_qid(void **state)
{
    (void)state;
    pt_dataset *data = read_text("# a: comment: with colons\n\na qid:3 1:1 # b:1 2:2\n"
                                 "  # 1:1\n\t\nb 1:2#3:4\n \r\n# end");
    assert_int_equal(data->n, 2);
    assert_int_equal(data->d, 1);
    assert_string_equal(row_text(data, 0), "0:1");
    assert_string_equal(row_text(data, 1), "0:2");
    assert_string_equal(class_text(data, 1), "b");
    assert_true(warned(data, "qid"));
    pt_dataset_free(data);
}

static void test_libsvm__first_index(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.svm");
    options.index_base = 0;
    pt_dataset *data = read_with("a 0:1 2:3\n", &options);
    assert_int_equal(data->d, 3);
    assert_string_equal(row_text(data, 0), "0:1 2:3");
    pt_dataset_free(data);
    refused("a 1:1\nb 0:1 2:3\n", 2, 3, "`index-base=0`");
}

static void test_libsvm__indices_ascend(void **state)
{
    (void)state;
    refused("a 1:1\nb 3:1 2:3\n", 2, 7, "must ascend");
    refused("a 1:1\nb 3:1 3:3\n", 2, 7, "only once");
    refused("a 4:1\nb -1:1\n", 2, 3, "not index:value");
}

static void test_libsvm__large_indices(void **state)
{
    (void)state;
    pt_dataset *data = read_text("a 1:1 3000000000:2\nb 1099511627776:1\n");
    assert_true(data->d == (int64_t)1 << 40);
    assert_string_equal(row_text(data, 0), "0:1 2999999999:2");
    pt_dataset_free(data);
    refused("a 1099511627777:1\n", 1, 3, "2^40");
    refused("a 99999999999999999999:1\n", 1, 3, "too large");
}

static void test_libsvm__values_are_finite_numbers(void **state)
{
    (void)state;
    refused("a 1:nan\n", 1, 3, "not a finite number");
    refused("a 1:1 2:-inf\n", 1, 7, "not a finite number");
    refused("a 1:1e400\n", 1, 3, "not a finite number");
    refused("a 1:\n", 1, 3, "no number behind its colon");
    refused("a 1: 2\n", 1, 3, "no number behind its colon");
    refused("a 1:2x\n", 1, 3, "not index:value");
    refused("a 1:2:3\n", 1, 3, "not index:value");
    refused("a x:2\n", 1, 3, "not index:value");
    refused("a 12\n", 1, 3, "not index:value");
}

static void test_libsvm__labels(void **state)
{
    (void)state;
    refused("a 1:1\n1,3 1:1\n", 2, 1, "several labels");
    refused("a 1:1\n1:1 2:2\n", 2, 1, "has no label");
    refused("a 1:1\n 1:1 2:2\n", 2, 2, "has no label");
    pt_read_options options = defaults("t.svm");
    options.label_optional = true;
    options.n_features = 7;
    pt_dataset *data = read_with("1:1 2:2\nb 1:1\n", &options);
    assert_int_equal(data->n, 2);
    assert_int_equal(data->d, 7); /* as wide as the model */
    assert_int_equal(data->labels->class_of[0], -1);
    assert_string_equal(class_text(data, 1), "b");
    pt_dataset_free(data);
    data = read_with("1:1 9:2\n", &options);
    assert_null(data->labels);
    assert_int_equal(data->d, 9);
    pt_dataset_free(data);
    options = defaults("t.svm");
    options.label = "none";
    data = read_with("a 1:1 2:2\nb 1:1\n", &options);
    assert_null(data->labels);
    pt_dataset_free(data);
    options.label = "class";
    refused_with("a 1:1\n", &options, 0, 0, "`label` does not apply");
    options.label = "";
    options.nominal = "all";
    refused_with("a 1:1\n", &options, 0, 0, "`nominal` does not apply");
}

static void test_libsvm__row_numbers_of_a_precomputed_kernel(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.svm");
    refused_with("a 0:1 1:5\n", &options, 1, 3, "has index 0");
    options.row_numbers = true;
    pt_dataset *data = read_with("# K\na 0:1 1:5 2:6\n\nb 0:2 2:7\n", &options);
    assert_false(pt_dataset_is_sparse(data)); /* kernel matrices are dense */
    assert_int_equal(data->d, 2);
    assert_true(cell(data, 0, 1) == 6 && cell(data, 1, 0) == 0 && cell(data, 1, 1) == 7);
    pt_dataset_free(data);
    refused_with("a 0:1 1:5 2:6\nb 0:3 2:7\n", &options, 2, 3, "not the number of this row");
    refused_with("a 1:1 0:1\n", &options, 1, 7, "has index 0");
    refused_with("a 0:x 1:1\n", &options, 1, 3, "no number");
    options.label_optional = true; /* new rows: any number will do */
    data = read_with("a 0:9 1:5 2:6\nb 0:-1 2:7\n", &options);
    assert_int_equal(data->n, 2);
    assert_int_equal(data->d, 2);
    pt_dataset_free(data);
}

static void test_libsvm__nothing_to_read(void **state)
{
    (void)state;
    refused("", -1, -1, "empty");
    refused("# only\n\n", -1, -1, "no example");
    refused("a\nb\n", -1, -1, "no line has a feature");
}

static void test_libsvm__found_by_contents(void **state)
{
    (void)state;
    const pt_read_options options = defaults("noname");
    pt_dataset *data = read_with("# c\n\n3 1:1 7:2 # x\n4 2:1\n", &options);
    assert_true(pt_dataset_is_sparse(data));
    pt_dataset_free(data);
    data = read_with("3,1:1\n4,2:1\n", &options);
    assert_false(pt_dataset_is_sparse(data));
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libsvm__rows_and_labels),
        cmocka_unit_test(test_libsvm__comments_blank_lines_and_qid),
        cmocka_unit_test(test_libsvm__first_index),
        cmocka_unit_test(test_libsvm__indices_ascend),
        cmocka_unit_test(test_libsvm__large_indices),
        cmocka_unit_test(test_libsvm__values_are_finite_numbers),
        cmocka_unit_test(test_libsvm__labels),
        cmocka_unit_test(test_libsvm__row_numbers_of_a_precomputed_kernel),
        cmocka_unit_test(test_libsvm__nothing_to_read),
        cmocka_unit_test(test_libsvm__found_by_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
