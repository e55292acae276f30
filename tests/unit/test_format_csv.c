/* CSV and TSV: every rule of the format, on small texts. */
#include "data/dataset.h"
#include "reader_helpers.h"

static pt_dataset *read_text(const char *text)
{
    const pt_read_options options = defaults("t.csv");
    return read_with(text, &options);
}

static void refused(const char *text, int64_t line, int64_t column, const char *word)
{
    const pt_read_options options = defaults("t.csv");
    refused_with(text, &options, line, column, word);
}

static pt_texts names_of(const char *const *names, int64_t count)
{
    pt_texts texts = {NULL, 0, 0};
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(pt_texts_add_n(&texts, names[i], strlen(names[i]), NULL), PT_OK);
    return texts;
}

static void test_csv__header_numbers_and_labels(void **state)
{
    (void)state;
    pt_dataset *data = read_text("a,b,class\n1,2.5,x\n-3e2,.5,y\n+4,5.,x\n");
    assert_int_equal(data->n, 3);
    assert_int_equal(data->d, 2);
    assert_int_equal(data->type, PT_F64);
    assert_string_equal(data->columns[0].name, "a");
    assert_string_equal(data->columns[1].name, "b");
    assert_string_equal(data->label_name, "class");
    assert_string_equal(data->source, "t.csv");
    assert_true(cell(data, 0, 0) == 1 && cell(data, 0, 1) == 2.5);
    assert_true(cell(data, 1, 0) == -300 && cell(data, 1, 1) == 0.5);
    assert_true(cell(data, 2, 0) == 4 && cell(data, 2, 1) == 5);
    assert_string_equal(class_text(data, 0), "x");
    assert_string_equal(class_text(data, 1), "y");
    assert_string_equal(class_text(data, 2), "x");
    assert_int_equal(data->warnings.count, 0);
    pt_dataset_free(data);
}

static void test_csv__header_auto(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t n;
    } CASES[] = {
        {"a,b,c\n1,2,x\n", 1},     /* a column of numbers follows */
        {"a,b,c\nu,v,x\n", 2},     /* nothing says that it is a header */
        {"a,b,Class\nu,v,x\n", 1}, /* a label's name */
        {"a,b,Y\nu,v,x\n", 1},         {"a,,class\nu,v,x\n", 1}, /* a name is missing */
        {",a,class\nu,v,x\n", 1},                                /* as R and pandas write */
        {"y,n,y\nn,y,n\n", 2},         /* yes and no, not a label's name */
        {"u,,v\nu,w,x\n", 2},          /* a missing cell, and no sign of a header */
        {",u,v\n1,w,x\n2,w,x\n", 3},   /* numbers below an empty cell are no sign */
        {"a,1,class\nu,v,x\n", 2},     /* a number */
        {"a,b,c\n?,2,x\nNA,3,y\n", 2}, /* missing cells do not make texts */
        {"1,2,x\n3,4,y\n", 2},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        pt_dataset *data = read_text(CASES[i].text);
        if (data->n != CASES[i].n)
            fail_msg("case %zu: %lld rows", i, (long long)data->n);
        pt_dataset_free(data);
    }
}

static void test_csv__header_with_a_name_twice_is_no_data(void **state)
{
    (void)state;
    refused("a,a,class\nu,v,x\n", 1, -1, "two columns are called 'a'");
    refused("a,a,c\n1,2,x\n", 1, -1, "two columns are called 'a'");
}

static void test_csv__header_in_doubt_is_pointed_out(void **state)
{
    (void)state;
    pt_dataset *data = read_text("color,form,kind\nred,round,x\nblue,flat,z\n");
    assert_int_equal(data->n, 3);
    assert_true(warned(data, "the first line was taken as data; say `header=yes`"));
    pt_dataset_free(data);
    data = read_text("1,2,x\n3,4,z\n");
    assert_int_equal(data->warnings.count, 0);
    pt_dataset_free(data);
    pt_read_options options = defaults("t.csv");
    options.header = "no";
    data = read_with("color,form,kind\nred,round,x\n", &options);
    assert_int_equal(data->warnings.count, 0);
    pt_dataset_free(data);
}

static void test_csv__row_names_are_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t d;
    } CASES[] = {
        {",a,class\n1,5,x\n2,6,z\n", 1},
        {"\"\",\"a\",\"class\"\n\"7\",5,\"x\"\n\"3\",6,\"z\"\n", 1}, /* rows of a sample */
        {",a,class\nanna,5,x\nbert,6,z\n", 1},
        {",a,class\n1,5,x\n1,6,z\n", 2},     /* a value twice */
        {",a,class\n1.5,5,x\n2.5,6,z\n", 2}, /* fractions number nothing */
        {",a,class\n1,5,x\n,6,z\n", 2},      /* a missing cell */
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        pt_dataset *data = read_text(CASES[i].text);
        if (data->d != CASES[i].d)
            fail_msg("case %zu: %lld columns", i, (long long)data->d);
        assert_int_equal(warned(data, "the first column has no name and is left out"),
                         data->d == 1);
        assert_string_equal(data->columns[0].name, data->d == 1 ? "a" : "column 1");
        assert_string_equal(class_text(data, 1), "z");
        pt_dataset_free(data);
    }
    pt_read_options options = defaults("t.csv");
    options.label = "1";
    pt_dataset *data = read_with(",a,b\nu,5,6\nv,6,7\n", &options);
    assert_int_equal(data->d, 2);
    assert_string_equal(class_text(data, 1), "v");
    pt_dataset_free(data);
}

static void test_csv__row_names_in_prediction(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"a", "b"};
    pt_texts names = names_of(NAMES, 2);
    pt_read_options options = defaults("t.csv");
    options.label_optional = true;
    options.features = &names;
    options.n_features = 2;
    pt_dataset *data = read_with(",a,b\n4,5,6\n4,5,6\n", &options); /* whatever they are */
    assert_int_equal(data->d, 2);
    assert_null(data->labels);
    pt_dataset_free(data);
    pt_texts_free(&names);
    static const char *const KEPT[] = {"column 1", "a"};
    names = names_of(KEPT, 2);
    data = read_with(",a\n4,5\n7,5\n", &options);
    assert_int_equal(data->d, 2);
    assert_string_equal(data->columns[0].name, "column 1");
    pt_dataset_free(data);
    pt_texts_free(&names);
}

static void test_csv__header_forced(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.header = "yes";
    pt_dataset *data = read_with("1,,class\n1,2,x\n", &options);
    assert_int_equal(data->n, 1);
    assert_string_equal(data->columns[0].name, "1");
    assert_null(data->columns[1].name);
    pt_dataset_free(data);
    refused_with("a,a,c\n1,2,x\n", &options, 1, -1, "two columns are called 'a'");
    options.header = "no";
    data = read_with("a,b,class\nu,v,x\n", &options);
    assert_int_equal(data->n, 2);
    assert_null(data->columns[0].name);
    assert_null(data->label_name);
    pt_dataset_free(data);
}

static void test_csv__quotes(void **state)
{
    (void)state;
    pt_dataset *data = read_text("\"a, b\",\"c\"\"d\",class\n\"1.5\",\"x, \"\"y\"\"\n z\",\"p\"\n"
                                 " 2 , \"q\" , r \n\"3\",\"\"\"\",\" s \"\n");
    assert_int_equal(data->n, 3);
    assert_string_equal(data->columns[0].name, "a, b");
    assert_string_equal(data->columns[1].name, "c\"d");
    assert_true(cell(data, 0, 0) == 1.5 && cell(data, 1, 0) == 2 && cell(data, 2, 0) == 3);
    assert_string_equal(level(data, 0, 1), "x, \"y\"\n z");
    assert_string_equal(level(data, 1, 1), "q");
    assert_string_equal(level(data, 2, 1), "\"");
    assert_string_equal(class_text(data, 0), "p");
    assert_string_equal(class_text(data, 1), "r");
    assert_string_equal(class_text(data, 2), " s ");
    pt_dataset_free(data);
    refused("a,class\n\"1,x\n2,y\n", 2, 1, "never closed");
    refused("a,class\n1,x\n\"2\"3,y\n", 3, 4, "closing quote");
    refused("a,class\n1,x\n2\"3,y\n", 3, 2, "inside a cell");
}

static void test_csv__line_ends_and_byte_order_mark(void **state)
{
    (void)state;
    pt_dataset *data = read_text("\xef\xbb\xbf"
                                 "a,class\r\n1,x\r\n\r\n   \r\n2,\"y\"\r\n\r\n");
    assert_int_equal(data->n, 2);
    assert_string_equal(data->columns[0].name, "a");
    assert_string_equal(class_text(data, 1), "y");
    pt_dataset_free(data);
    data = read_text("\n\n1,x\r\n2,y");
    assert_int_equal(data->n, 2);
    assert_string_equal(class_text(data, 1), "y");
    pt_dataset_free(data);
    data = read_text("1,2,\"a\nb\"\n3,4,\"c\r\nd\"");
    assert_string_equal(class_text(data, 0), "a\nb");
    assert_string_equal(class_text(data, 1), "c\r\nd");
    pt_dataset_free(data);
    refused("1,x\r2,y\r", 1, 4, "CR alone");
    refused("\xff\xfe"
            "a",
            1, 1, "UTF-16");
}

static void test_csv__missing_cells(void **state)
{
    (void)state;
    pt_dataset *data = read_text("a,b,class\n,u,x\n?,?,x\nNA,NA,x\nNaN,,x\nnan,nan,y\n"
                                 "\"\",\"?\",x\n1,v,x\n");
    assert_int_equal(data->n, 7);
    assert_false(data->columns[0].nominal);
    assert_true(data->columns[1].nominal);
    for (int64_t i = 0; i < 6; i++) {
        assert_true(isnan(cell(data, i, 0)));
        assert_true(i == 0 || isnan(cell(data, i, 1)));
    }
    assert_int_equal(data->columns[1].levels.count, 2);
    assert_true(pt_dataset_has_missing(data));
    pt_dataset_free(data);
    data = read_text("a,b,class\n,1,x\n,2,y\n"); /* a column without any value is numeric */
    assert_false(data->columns[0].nominal);
    pt_dataset_free(data);
}

static void test_csv__not_finite(void **state)
{
    (void)state;
    refused("a,b,class\n1,2,x\n3,inf,y\n4,1e400,x\n", 3, 3, "'inf' is not a finite number");
    refused("a,b,class\n1,2,x\n-1e400,3,y\n", 3, 1, "-1e400");
    refused("a,b,class\n1,2,x\n INF ,3,y\n", 3, 2, "'INF'");
    pt_dataset *data = read_text("a,class\nu,x\ninf,y\n1e400,x\n"); /* texts among texts */
    assert_true(data->columns[0].nominal);
    assert_string_equal(level(data, 1, 0), "inf");
    pt_dataset_free(data);
    data = read_text("a,class\n1e-400,x\n-0,y\n");
    assert_true(cell(data, 0, 0) == 0);
    assert_true(signbit(cell(data, 1, 0)));
    pt_dataset_free(data);
}

static void test_csv__nominal_levels_in_order_of_rows(void **state)
{
    (void)state;
    pt_dataset *data = read_text("a,b,class\n1,z,x\n2,a,x\nq,z,x\n1,m,x\n1.0,a,x\n");
    assert_true(data->columns[0].nominal); /* found late: read a second time */
    assert_int_equal(data->columns[0].levels.count, 4);
    assert_string_equal(data->columns[0].levels.items[0], "1");
    assert_string_equal(data->columns[0].levels.items[1], "2");
    assert_string_equal(data->columns[0].levels.items[2], "q");
    assert_string_equal(data->columns[0].levels.items[3], "1.0");
    assert_string_equal(level(data, 3, 0), "1");
    assert_string_equal(data->columns[1].levels.items[0], "z");
    assert_string_equal(data->columns[1].levels.items[1], "a");
    assert_string_equal(data->columns[1].levels.items[2], "m");
    assert_string_equal(level(data, 4, 1), "a");
    pt_dataset_free(data);
}

static void test_csv__nominal_by_pattern(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.nominal = "co*,3";
    pt_dataset *data = read_with("code,b,c,class\n7,1,2,x\n8,2,3,y\n", &options);
    assert_true(data->columns[0].nominal);
    assert_false(data->columns[1].nominal);
    assert_true(data->columns[2].nominal);
    assert_string_equal(level(data, 1, 0), "8");
    pt_dataset_free(data);
    options.nominal = "all";
    data = read_with("code,b,c,class\n7,1,2,x\n8,2,inf,y\n", &options);
    assert_true(data->columns[0].nominal && data->columns[1].nominal && data->columns[2].nominal);
    assert_string_equal(level(data, 1, 2), "inf");
    pt_dataset_free(data);
}

static void test_csv__a_typing_error_is_named(void **state)
{
    (void)state;
    char text[4000];
    size_t used = (size_t)snprintf(text, sizeof text, "a,b,class\n");
    for (int i = 0; i < 120; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s,%d,x\n",
                                 i == 77 ? "1o4" : "104", i % 7);
    pt_dataset *data = read_text(text);
    assert_false(data->columns[0].nominal);
    assert_true(isnan(cell(data, 77, 0)) && cell(data, 78, 0) == 104);
    assert_true(warned(data, "column 'a' is read as numbers: 119 of its cells are numbers, and 1 "
                             "is not and counts as missing: '1o4' (1), first in line 79"));
    pt_dataset_free(data);
}

static void test_csv__which_column_is_the_label(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    pt_dataset *data = read_text("Target,b,c\n1,2,3\n");
    assert_string_equal(data->label_name, "Target");
    assert_string_equal(class_text(data, 0), "1");
    pt_dataset_free(data);
    data = read_text("a,b,c\n1,2,3\n");
    assert_string_equal(data->label_name, "c");
    pt_dataset_free(data);
    options.label = "b";
    data = read_with("a,b,class\n1,2.0,3\n", &options);
    assert_string_equal(class_text(data, 0), "2.0");
    assert_string_equal(data->columns[1].name, "class");
    pt_dataset_free(data);
    options.label = "1";
    data = read_with("7,b,c\n8,d,e\n", &options);
    assert_string_equal(class_text(data, 1), "8");
    assert_int_equal(data->d, 2);
    pt_dataset_free(data);
    options.label = "none";
    data = read_with("a,b,class\n1,2,3\n", &options);
    assert_null(data->labels);
    assert_int_equal(data->d, 3);
    pt_dataset_free(data);
    options.label = "zz";
    refused_with("a,b,class\n1,2,3\n", &options, 0, 0,
                 "no column 'zz'; the columns are a, b, class");
    refused_with("1,2,3\n", &options, 0, 0, "has no names");
    options.label = "9";
    refused_with("a,b,class\n1,2,3\n", &options, 0, 0, "no column 9; the file has 3");
    options.label = "l*";
    options.labels_said = true;
    refused_with("l1,l2,class\n1,2,3\n", &options, 0, 0, "several columns match");
    options.labels_said = false;
    refused_with("l1,l2,class\n1,2,3\n", &options, 2, 3, "neither 0 nor 1");
    options.label = "cl*";
    data = read_with("l1,l2,class\n1,2,3\n", &options);
    assert_string_equal(class_text(data, 0), "3");
    pt_dataset_free(data);
}

static void test_csv__labels_are_texts(void **state)
{
    (void)state;
    pt_dataset *data = read_text("a,class\n1, 1.0\n2,1 \n3,na\n");
    assert_string_equal(class_text(data, 0), "1.0");
    assert_string_equal(class_text(data, 1), "1");
    assert_string_equal(class_text(data, 2), "na");
    pt_dataset_free(data);
    refused("a,class\n1,x\n2, \n", 3, 4, "label is missing; fill it in or remove the row");
    refused("a,class,b\n1,x,1\n2,,1\n", 3, 3, "label is missing");
}

static void test_csv__ignored_and_weight_columns(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.ignore = "id,no*";
    options.weight = "w";
    pt_dataset *data =
        read_with("id,a,w,note,class\nq1,1,0.5,\"x,\"\"y\",u\nq2,2,0,z,v\n", &options);
    assert_int_equal(data->d, 1);
    assert_string_equal(data->columns[0].name, "a");
    assert_true(data->weights[0] == 0.5 && data->weights[1] == 0);
    pt_dataset_free(data);
    refused_with("id,a,w,note,class\nq1,1,-1,x,u\n", &options, 2, 6, "weight");
    refused_with("id,a,w,note,class\nq1,1,inf,x,u\n", &options, 2, 6, "weight");
    refused_with("id,a,w,note,class\nq1,1,,x,u\n", &options, 2, 6, "weight");
    options.weight = "class";
    refused_with("id,a,w,note,class\nq1,1,1,x,u\n", &options, 0, 0, "is the label");
    options.weight = "";
    options.ignore = "*";
    refused_with("id,a,w,note,class\nq1,1,1,x,u\n", &options, -1, -1, "no column is left");
}

static void test_csv__missing_labels(void **state)
{
    (void)state;
    static const char *const MISSING[] = {"", "none", "-", "\"none\""};
    pt_read_options options = defaults("t.csv");
    options.na = "none,-";
    for (size_t i = 0; i < sizeof MISSING / sizeof *MISSING; i++) {
        char text[64];
        snprintf(text, sizeof text, "a,class\n1,x\n2,%s\n", MISSING[i]);
        options.label_optional = false;
        refused_with(text, &options, 3, 3, "label is missing; fill it in or remove the row");
        options.label_optional = true;
        pt_dataset *data = read_with(text, &options);
        assert_int_equal(data->labels->class_of[0], 0);
        assert_int_equal(data->labels->class_of[1], -1);
        assert_int_equal(data->labels->classes.count, 1);
        pt_dataset_free(data);
    }
}

/* A class may be called NA; --na is for those who mean nothing by it. */
static void test_csv__words_are_labels(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"?", "NA", "NaN", "-", "null", "None"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        char text[64];
        snprintf(text, sizeof text, "a,class\n1,x\n2,%s\n", WORDS[i]);
        pt_dataset *data = read_text(text);
        assert_string_equal(class_text(data, 1), WORDS[i]);
        pt_dataset_free(data);
    }
}

static void test_csv__decimal_commas(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "a;b;class\n5,1;3,5;x\n4,9;3;z\n",
        "5,1;3,5;x\n4,9;3;z\n", /* without a header */
        "a\tb\tclass\n5,1\t3,5\tx\n4,9\t3\tz\n",
        "a,b,class\n\"5,1\",\"3,5\",x\n\"4,9\",3,z\n",
    };
    pt_dataset *data = NULL;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        data = read_text(TEXTS[i]);
        assert_int_equal(data->d, 2);
        assert_true(cell(data, 0, 0) == 5.1 && cell(data, 0, 1) == 3.5);
        assert_true(cell(data, 1, 0) == 4.9 && cell(data, 1, 1) == 3);
        assert_int_equal(data->judged.count, 2);
        assert_int_equal(data->judged.items[1].style.decimal, ',');
        pt_dataset_free(data);
    }
    data = read_text("1,2;3,x\n4,5;6,z\n"); /* semicolons within cells */
    assert_int_equal(data->d, 2);
    assert_string_equal(level(data, 1, 1), "5;6");
    pt_dataset_free(data);
}

static void test_csv__ragged_rows(void **state)
{
    (void)state;
    refused("a,b,class\n1,2,x\n1,2\n", 3, 4, "the row has 2 cells, 3 are expected");
    refused("a,b,class\n1,2,x\n1,2,3,4,5\n", 3, 6, "the row has 5 cells, 3 are expected");
    refused("a,b,class\n1,2,x\nz\n", 3, 2, "the row has 1 cell, 3 are expected");
    refused("a,b,class\n1,2,x\n1,2,\n", 3, 5, "label is missing");
}

static void test_csv__other_separators(void **state)
{
    (void)state;
    pt_dataset *data = read_text("a;b;class\n1;2;x\n");
    assert_int_equal(data->d, 2);
    assert_true(warned(data, "semicolons"));
    pt_dataset_free(data);
    pt_read_options options = defaults("t.csv");
    options.source = "t.csv";
    pt_error err = PT_ERROR_INIT;
    const char *tabs = "a\tb c\tclass\n1\t\"2\tz\"\tx\n";
    assert_int_equal(pt_read_bytes(&data, tabs, strlen(tabs), "tsv", &options, &err), PT_OK);
    assert_int_equal(data->d, 2);
    assert_string_equal(data->columns[1].name, "b c");
    assert_string_equal(level(data, 0, 1), "2\tz");
    pt_dataset_free(data);
}

static void test_csv__sets_and_ranks_are_pointed_out(void **state)
{
    (void)state;
    pt_dataset *data = read_text("a,label_x,label_y\n1,0,1\n2,1,1\n");
    assert_true(warned(data, "say `label=label_*`"));
    pt_dataset_free(data);
    data = read_text("A1,L1,L2,L3\n1,2,1,3\n");
    assert_true(warned(data, "say `ranks=L*`"));
    pt_dataset_free(data);
}

static void test_csv__prediction_without_labels(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"a", "b"};
    pt_texts names = names_of(NAMES, 2);
    pt_read_options options = defaults("t.csv");
    options.label_optional = true;
    options.features = &names;
    options.n_features = 2;

    pt_dataset *data = read_with("a,b\n1,2\n3,4\n", &options); /* by name: no label */
    assert_null(data->labels);
    assert_int_equal(data->d, 2);
    pt_dataset_free(data);
    data = read_with("b,a,extra\n1,2,5\n3,4,6\n", &options); /* an unknown column is a feature */
    assert_null(data->labels);
    assert_int_equal(data->d, 3);
    pt_dataset_free(data);
    data = read_with("b,class,a\n1,u,5\n3,,6\n", &options);
    assert_string_equal(class_text(data, 0), "u");
    assert_int_equal(data->labels->class_of[1], -1);
    pt_dataset_free(data);
    options.label = "kind";
    data = read_with("b,kind,a\n1,u,5\n", &options);
    assert_string_equal(class_text(data, 0), "u");
    pt_dataset_free(data);
    data = read_with("b,a\n1,5\n", &options);
    assert_null(data->labels);
    pt_dataset_free(data);
    options.label = "";
    data = read_with("1,2\n3,4\n", &options); /* without names: by the number of columns */
    assert_null(data->labels);
    pt_dataset_free(data);
    data = read_with("1,2,u\n3,4,v\n", &options);
    assert_string_equal(class_text(data, 1), "v");
    pt_dataset_free(data);
    pt_texts_free(&names);

    static const char *const Y_NAMES[] = {"y", "b"}; /* a feature may have a label's name */
    names = names_of(Y_NAMES, 2);
    data = read_with("y,b\n1,2\n", &options);
    assert_null(data->labels);
    assert_int_equal(data->d, 2);
    pt_dataset_free(data);
    pt_texts_free(&names);
}

static void test_csv__prediction_needs_numbers_where_the_model_does(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"a", "b"};
    static const bool NUMERIC[] = {false, true};
    pt_texts names = names_of(NAMES, 2);
    pt_read_options options = defaults("t.csv");
    options.label_optional = true;
    options.features = &names;
    options.n_features = 2;
    options.numeric_features = NUMERIC;
    pt_dataset *data = read_with("b,a\n1,u\n3,4\n", &options);
    assert_false(data->columns[0].nominal);
    assert_true(data->columns[1].nominal);
    pt_dataset_free(data);
    refused_with("b,a\n1,2\nq,4\n", &options, 3, 1, "'q' is not a number");
    refused_with("7,8\n9,q\n", &options, 2, 3, "'q' is not a number"); /* by position */
    data = read_with("extra,b\nu,1\n", &options); /* columns that the model does not have */
    assert_true(data->columns[0].nominal);
    pt_dataset_free(data);
    pt_texts_free(&names);

    static const char *const NONE[] = {"", ""}; /* a model without names, a file with them */
    names = names_of(NONE, 2);
    data = read_with("p,q,r\n1,2,u\n", &options);
    assert_int_equal(data->d, 2);
    assert_string_equal(class_text(data, 0), "u");
    pt_dataset_free(data);
    pt_texts_free(&names);
}

static void test_csv__prediction_without_names_finds_the_label_where_it_was(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.label_optional = true;
    options.n_features = 2;
    static const struct {
        int64_t known; /* column of the label in training */
        const char *label;
    } CASES[] = {{0, "w"}, {1, "u"}, {2, "v"}, {3, "w"}, {4, "w"}, {INT64_MAX, "w"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        options.label_column = CASES[i].known;
        pt_dataset *data = read_with("1,2,3\nu,v,w\n", &options);
        assert_string_equal(class_text(data, 1), CASES[i].label);
        pt_dataset_free(data);
    }
    options.label_column = 1;
    pt_dataset *data = read_with("1,2\n3,4\n", &options); /* no label there */
    assert_null(data->labels);
    assert_int_equal(pt_dataset_label_column(data), 0);
    pt_dataset_free(data);
    options.ignore = "2";
    data = read_with("u,id,2,3\nv,id,5,6\n", &options); /* what is ignored does not count */
    assert_string_equal(class_text(data, 1), "v");
    assert_int_equal(pt_dataset_label_column(data), 1);
    assert_int_equal(data->d, 2);
    pt_dataset_free(data);
}

static void test_csv__patterns_that_mean_no_column(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.ignore = "a,idd*";
    refused_with("id,a,b,class\n1,2,3,x\n", &options, 0, 0,
                 "`ignore`: there is no column 'idd*'; the columns are id, a, b, class");
    options.ignore = "id,9";
    refused_with("id,a,b,class\n1,2,3,x\n", &options, 0, 0, "`ignore`: there is no column 9");
    options.ignore = "";
    options.nominal = "z";
    refused_with("id,a,b,class\n1,2,3,x\n", &options, 0, 0, "`nominal`: there is no column 'z'");
    options.label_optional = true; /* prediction: the column may be left out */
    pt_dataset *data = read_with("id,a,b,class\n1,2,3,x\n", &options);
    pt_dataset_free(data);
}

static void test_csv__what_is_no_table(void **state)
{
    (void)state;
    refused("", 1, 1, "empty");
    refused("\n \n\r\n", -1, -1, "empty");
    refused("a,b,class\n", -1, -1, "no row");
    refused("abc\n", -1, -1, "no column is left");
    pt_read_options options = defaults("t.csv");
    pt_dataset *data = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_read_bytes(&data, "a,b\0\n1,2\n", 10, "csv", &options, &err), PT_EFORMAT);
    assert_int_equal(err.column, 4);
    data =
        read_text("1,2\n"); /* one row is a data set; whether it can be learned is not asked here */
    assert_int_equal(data->n, 1);
    pt_dataset_free(data);
    options.labels = "heap";
    assert_int_equal(pt_read_bytes(&data, "1,x\n", 4, "csv", &options, &err), PT_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv__header_numbers_and_labels),
        cmocka_unit_test(test_csv__header_auto),
        cmocka_unit_test(test_csv__header_with_a_name_twice_is_no_data),
        cmocka_unit_test(test_csv__header_in_doubt_is_pointed_out),
        cmocka_unit_test(test_csv__row_names_are_left_out),
        cmocka_unit_test(test_csv__row_names_in_prediction),
        cmocka_unit_test(test_csv__header_forced),
        cmocka_unit_test(test_csv__quotes),
        cmocka_unit_test(test_csv__line_ends_and_byte_order_mark),
        cmocka_unit_test(test_csv__missing_cells),
        cmocka_unit_test(test_csv__not_finite),
        cmocka_unit_test(test_csv__nominal_levels_in_order_of_rows),
        cmocka_unit_test(test_csv__nominal_by_pattern),
        cmocka_unit_test(test_csv__a_typing_error_is_named),
        cmocka_unit_test(test_csv__which_column_is_the_label),
        cmocka_unit_test(test_csv__labels_are_texts),
        cmocka_unit_test(test_csv__ignored_and_weight_columns),
        cmocka_unit_test(test_csv__missing_labels),
        cmocka_unit_test(test_csv__words_are_labels),
        cmocka_unit_test(test_csv__decimal_commas),
        cmocka_unit_test(test_csv__ragged_rows),
        cmocka_unit_test(test_csv__other_separators),
        cmocka_unit_test(test_csv__sets_and_ranks_are_pointed_out),
        cmocka_unit_test(test_csv__prediction_without_labels),
        cmocka_unit_test(test_csv__prediction_needs_numbers_where_the_model_does),
        cmocka_unit_test(test_csv__prediction_without_names_finds_the_label_where_it_was),
        cmocka_unit_test(test_csv__patterns_that_mean_no_column),
        cmocka_unit_test(test_csv__what_is_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
