/* ARFF: every rule of the format, on small texts. */
#include "data/dataset.h"
#include "reader_helpers.h"

#define HEAD \
    "@relation r\n@attribute a numeric\n@attribute b {u, v}\n@attribute class {x,y,z}\n@data\n"

static pt_dataset *read_text(const char *text)
{
    const pt_read_options options = defaults("t.arff");
    return read_with(text, &options);
}

static void refused(const char *text, int64_t line, int64_t column, const char *word)
{
    const pt_read_options options = defaults("t.arff");
    refused_with(text, &options, line, column, word);
}

static void test_arff__header_and_dense_rows(void **state)
{
    (void)state;
    pt_dataset *data = read_text(
        "% a comment\r\n\r\n@RELATION 'my data'\r\n@Attribute 'sepal length' REAL % in cm\r\n"
        "@attribute i INTEGER\n@ATTRIBUTE \"col \\\"q\\\"\" {red,'light blue', \"it\\'s\"}\n"
        "@attribute s string\n@attribute class{x,y,z}\n@DATA\r\n"
        "5.1, 3 ,'light blue', foo,x\r\n% no row\n  % no row\n\n-1e3,4,red,'ba, r',y % note\n"
        "?,?,?,?,x\n.5\t1\t\"it's\"\tfoo\tx");
    assert_int_equal(data->n, 4);
    assert_int_equal(data->d, 4);
    assert_string_equal(data->columns[0].name, "sepal length");
    assert_string_equal(data->columns[2].name, "col \"q\"");
    assert_string_equal(data->label_name, "class");
    assert_false(data->columns[0].nominal);
    assert_true(data->columns[2].nominal && data->columns[3].nominal);
    assert_int_equal(data->columns[2].levels.count, 3); /* as declared, in that order */
    assert_string_equal(data->columns[2].levels.items[0], "red");
    assert_string_equal(data->columns[2].levels.items[2], "it's");
    assert_int_equal(data->columns[3].levels.count, 2); /* as they occur */
    assert_true(cell(data, 0, 0) == 5.1 && cell(data, 1, 0) == -1000 && cell(data, 3, 0) == 0.5);
    assert_string_equal(level(data, 0, 2), "light blue");
    assert_string_equal(level(data, 3, 2), "it's");
    assert_string_equal(level(data, 1, 3), "ba, r");
    assert_string_equal(level(data, 3, 3), "foo");
    for (int64_t j = 0; j < 4; j++)
        assert_true(isnan(cell(data, 2, j)));
    assert_int_equal(pt_labels_n_classes(data->labels), 2); /* z does not occur */
    assert_string_equal(class_text(data, 1), "y");
    pt_dataset_free(data);
}

static void test_arff__sparse_numbers_stay_sparse(void **state)
{
    (void)state;
    pt_dataset *data = read_text("@relation r\n@attribute a numeric\n@attribute b real\n"
                                 "@attribute class {x,y}\n@attribute c integer\n@data\n"
                                 "{0 1.5, 3 -2}\n{2 y}\n{ }\n{1 7 , 2 'y' , 3 1} % note\n");
    assert_true(pt_dataset_is_sparse(data));
    assert_int_equal(data->n, 4);
    assert_int_equal(data->d, 3);
    static const int64_t START[] = {0, 2, 2, 2, 4};
    static const int64_t INDEX[] = {0, 2, 1, 2};
    static const double VALUE[] = {1.5, -2, 7, 1};
    assert_memory_equal(data->start, START, sizeof START);
    assert_memory_equal(data->index, INDEX, sizeof INDEX);
    assert_memory_equal(data->value, VALUE, sizeof VALUE);
    assert_string_equal(class_text(data, 0), "x"); /* absent: the first declared value */
    assert_string_equal(class_text(data, 1), "y");
    assert_string_equal(class_text(data, 2), "x");
    assert_string_equal(class_text(data, 3), "y");
    pt_dataset_free(data);
    data = read_text("@attribute a numeric\n@attribute class {x,y}\n@data\n{0 1,1 y}\n{1 y}\n");
    assert_int_equal(pt_labels_n_classes(data->labels), 1); /* x is absent nowhere */
    pt_dataset_free(data);
}

/* {0, 1} are numbers there; of other values the first is what is left out. */
static void test_arff__sparse_rows_with_nominal_stay_sparse(void **state)
{
    (void)state;
    pt_dataset *data = read_text(HEAD "{0 2, 1 v, 2 z}\n{}\n{1 ?}\n{1 u}\n");
    assert_true(pt_dataset_is_sparse(data));
    assert_int_equal(data->start[4], 4);
    assert_true(pt_dataset_n_levels(data, 1) == 2 && pt_dataset_n_levels(data, 0) == 0);
    assert_true(data->index[1] == 1 && ((double *)data->value)[1] == 1); /* v, the second */
    assert_true(data->index[2] == 1 && isnan(((double *)data->value)[2]));
    assert_true(((double *)data->value)[3] == 0);
    pt_dataset_free(data);
    data = read_text("@attribute w {0, 1}\n@attribute o {1,0}\n@attribute class {x,y}\n@data\n"
                     "{0 1, 2 y}\n{1 0}\n");
    assert_true(pt_dataset_is_sparse(data));
    assert_true(pt_dataset_n_levels(data, 0) == 0 && pt_dataset_n_levels(data, 1) == 2);
    assert_true(((double *)data->value)[0] == 1 && ((double *)data->value)[1] == 1);
    pt_dataset_free(data);
    refused(HEAD "{0 2}\n1,u,x\n", 7, 1, "the first row is sparse");
    refused(HEAD "{0 2, 0 3}\n", 6, 7, "does not ascend");
    refused(HEAD "{0 2, 3 3}\n", 6, 7, "not a column number");
    refused(HEAD "{0 2, -1 3}\n", 6, 7, "not a column number");
    refused(HEAD "{0 2, 1\n", 6, 8, "empty");
    refused(HEAD "{0 2\n", 6, 5, "comma or a closing brace");
    refused(HEAD "{0 '2'1 v}\n", 6, 7, "comma or a closing brace");
    refused(HEAD "{0 2}, {5}\n", 6, 6, "weights");
    refused("@attribute a numeric\n@attribute s string\n@attribute class {x}\n@data\n{0 1}\n", 0, 0,
            "'s' is a string");
}

static void test_arff__wrong_cells(void **state)
{
    (void)state;
    refused(HEAD "1,u,x\n2,w,x\n", 7, 3, "'w' is not one of the declared values");
    refused(HEAD "1,u,q\n", 6, 5, "'q' is not one of the declared values");
    refused(HEAD "abc,u,x\n", 6, 1, "'abc' is not a finite number");
    refused(HEAD "inf,u,x\n", 6, 1, "not a finite number");
    refused(HEAD "1e400,u,x\n", 6, 1, "not a finite number");
    refused(HEAD "1,,x\n", 6, 3, "write ? for a missing value");
    refused(HEAD "1,u\n", 6, 4, "the row has 2 cells, 3 are expected");
    refused(HEAD "1,u,x,4\n", 6, 7, "more cells than the 3 attributes");
    refused(HEAD "1,u,x,{5}\n", 6, 7, "weights of rows are not read");
    refused(HEAD "1,u,?\n", 6, 5, "label is missing");
    refused(HEAD "1,'u,x\n", 6, 3, "not closed");
    refused(HEAD "1,'u'u,x\n", 6, 6, "closing quote");
}

static void test_arff__wrong_headers(void **state)
{
    (void)state;
    refused("@relation r\n@attribute d date 'yyyy'\n@data\n1\n", 2, 14, "turn dates into numbers");
    refused("@relation r\n@attribute d relational\n@data\n1\n", 2, 14, "not read");
    refused("@relation r\n@attribute d float\n@data\n1\n", 2, 14, "'float' is not a type");
    refused("@relation r\n@attribute d\n@data\n1\n", 2, 13, "not a type");
    refused("@relation r\n@attribute\n@data\n1\n", 2, 11, "no name");
    refused("@relation r\n@attribute d {a,b\n@data\n1\n", 2, 14, "never closed");
    refused("@relation r\n@attribute d {a,b,a}\n@data\n1\n", 2, 19, "declared twice");
    refused("@relation r\n@attribute d {}\n@data\n1\n", 2, 14, "no values");
    refused("@relation r\n@attribute d numeric 7\n@data\n1\n", 2, 22, "follows the type");
    refused("@relation r\nwhat\n", 2, 1, "'what' stands where");
    refused("@relation r\n@attribute d numeric\n", 3, 1, "ends before @data");
    refused("@relation r\n@data\n1\n", -1, -1, "no @attribute");
    refused(HEAD "% none\n\n", 6, 1, "no row follows");
    refused("@attribute a numeric\n@attribute a numeric\n@data\n1,2\n", -1, -1, "two columns");
}

static void test_arff__options(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.arff");
    options.label = "b";
    options.nominal = "a";
    pt_dataset *data = read_with(HEAD "1,u,x\n1.0,v,y\n", &options);
    assert_string_equal(data->label_name, "b");
    assert_string_equal(class_text(data, 1), "v");
    assert_true(data->columns[0].nominal);
    assert_string_equal(level(data, 1, 0), "1.0");
    assert_string_equal(data->columns[1].levels.items[2], "z");
    pt_dataset_free(data);
    options = defaults("t.arff");
    options.weight = "a";
    data = read_with(HEAD "0.5,u,x\n2,v,y\n", &options);
    assert_true(data->weights[0] == 0.5 && data->weights[1] == 2);
    pt_dataset_free(data);
    refused_with(HEAD "-1,u,x\n", &options, 6, 1, "weight");
    options = defaults("t.arff");
    options.ignore = "b";
    data = read_with(HEAD "0.5,u,x\n2,v,y\n", &options);
    assert_int_equal(data->d, 1);
    pt_dataset_free(data);
    options = defaults("t.arff");
    options.label_optional = true;
    data = read_with(HEAD "0.5,u,?\n2,v,y\n", &options);
    assert_int_equal(data->labels->class_of[0], -1);
    pt_dataset_free(data);
}

static void test_arff__found_by_contents(void **state)
{
    (void)state;
    const pt_read_options options = defaults("noname");
    pt_dataset *data = read_with("% c\n\n" HEAD "1,u,x\n", &options);
    assert_int_equal(data->d, 2);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arff__header_and_dense_rows),
        cmocka_unit_test(test_arff__sparse_numbers_stay_sparse),
        cmocka_unit_test(test_arff__sparse_rows_with_nominal_stay_sparse),
        cmocka_unit_test(test_arff__wrong_cells),
        cmocka_unit_test(test_arff__wrong_headers),
        cmocka_unit_test(test_arff__options),
        cmocka_unit_test(test_arff__found_by_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
