/* Labels of every kind in files: cells, several columns, LIBSVM tokens; what is refused and where;
 * files for prediction; writing and reading again. */
#include "../support/from_memory.h"
#include "data/dataset.h"
#include "reader_helpers.h"

#include "data/labels/label_cells.h"
#include "data/read/write.h"

/* The label of example i as it would stand in a cell, in the order of the classes. */
static const char *label_of(const pt_dataset *data, int64_t i)
{
    static char text[4096];
    const pt_labels *labels = data->labels;
    size_t used = 0;
    text[0] = '\0';
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++) {
        const bool first = at == labels->start[i];
        const bool tie = !first && labels->rank && labels->rank[at] == labels->rank[at - 1];
        const bool second = labels->kind == PT_LABEL_PAIRS && (at - labels->start[i]) % 2 == 1;
        const char *between = labels->kind == PT_LABEL_RANKING ? (tie ? "=" : ">")
                              : second                         ? ">"
                                                               : ";";
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", first ? "" : between,
                                 labels->classes.items[labels->item[at]]);
    }
    return text;
}

static pt_read_options of_kind(const char *source, const char *kind)
{
    pt_read_options options = defaults(source);
    options.labels = kind;
    options.labels_said = true;
    return options;
}

static void assert_labels(const pt_dataset *data, pt_label_kind kind, const char *const *expected)
{
    assert_non_null(data->labels);
    assert_int_equal(data->labels->kind, kind);
    assert_int_equal(data->labels->n, data->n);
    for (int64_t i = 0; i < data->n; i++)
        assert_string_equal(label_of(data, i), expected[i]);
}

static void assert_classes(const pt_dataset *data, const char *expected)
{
    char text[256] = "";
    for (int64_t r = 0; r < pt_labels_n_classes(data->labels); r++) {
        strncat(text, r ? " " : "", sizeof text - strlen(text) - 1);
        strncat(text, data->labels->classes.items[r], sizeof text - strlen(text) - 1);
    }
    assert_string_equal(text, expected);
}

/* ---- cells ---- */

static void test_label_cells__sets(void **state)
{
    (void)state;
    const pt_read_options options = of_kind("t.csv", "set");
    pt_dataset *data =
        read_with("x,tags,y\n1,a,b;a\n2,b,\n3,a,c\n4,b,\" a ; c\"\n5,a,\"\"\n", &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"a;b", "", "c", "a;c", ""});
    assert_classes(data, "a b c");
    assert_int_equal(data->d, 2); /* tags is a feature */
    assert_string_equal(data->label_name, "y");
    pt_dataset_free(data);
}

static void test_label_cells__numbers_sort_as_numbers(void **state)
{
    (void)state;
    const pt_read_options options = of_kind("t.csv", "set");
    pt_dataset *data = read_with("x,class\n1,10;9\n2,2\n", &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"9;10", "2"});
    assert_classes(data, "2 9 10");
    pt_dataset_free(data);
}

static void test_label_cells__rankings_with_ties(void **state)
{
    (void)state;
    const pt_read_options options = of_kind("t.csv", "ranking");
    pt_dataset *data = read_with("x,class\n1,c>a>b\n2,b=a>d\n3,c\n4, d > b = a = c \n", &options);
    assert_labels(data, PT_LABEL_RANKING, (const char *const[]){"c>a>b", "a=b>d", "c", "d>a=b=c"});
    assert_classes(data, "a b c d");
    pt_dataset_free(data);
}

static void test_label_cells__pairs_and_chains(void **state)
{
    (void)state;
    const pt_read_options options = of_kind("t.csv", "pairs");
    pt_dataset *data = read_with("x,class\n1,a>c;a>b\n2,b>c>a\n3,a>b;c>d;a>b\n", &options);
    assert_labels(data, PT_LABEL_PAIRS, (const char *const[]){"a>b;a>c", "b>c;c>a", "a>b;c>d"});
    pt_dataset_free(data);
}

/* Semicolons are in the cells, so they do not separate them. */
static void test_label_cells__the_separator_is_not_taken_from_labels(void **state)
{
    (void)state;
    pt_read_options options = of_kind("t.csv", "set");
    pt_dataset *data = read_with("1,2;3\n4,3\n", &options);
    assert_int_equal(data->n, 2);
    assert_int_equal(data->d, 1);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"2;3", "3"});
    pt_dataset_free(data);
    data = read_with("x\tclass\n1\ta;b\n", &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"a;b"});
    pt_dataset_free(data);
    data = read_with("x;class\n1;\"a;b\"\n", &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"a;b"});
    pt_dataset_free(data);
}

/* ... unless the names of the columns say so: then sets stand in quotes, commas in numbers. */
static void test_label_cells__semicolons_separate_where_the_header_has_them(void **state)
{
    (void)state;
    static const char *const WITH[] = {"a;b", "a", ""};
    static const char *const TWO[] = {"a;b", "a;c", "b;c"};
    static const char *const NUMBERS[] = {"2;3", "1;2", "1;3"};
    static const struct {
        const char *text;
        int64_t d;
        int64_t n;
        const char *const *labels;
    } CASES[] = {
        {"x;y;class\n1,5;2,5;\"a;b\"\n2,5;3,5;a\n1,5;2,5;\n", 2, 3, WITH},
        {"clinic\nx;y;class\n1,5;2,5;\"a;b\"\n2,5;3,5;a\n1,5;2,5;\n", 2, 3, WITH},
        {"x,y,class\n1,2,a;b\n2,3,a;c\n3,4,b;c\n", 2, 3, TWO}, /* two in every row */
        {"1,2,a;b\n2,3,a;c\n3,4,b;c\n", 2, 3, TWO},
        {"1,2;3\n2,1;2\n3,1;3\n", 1, 3, NUMBERS}, /* not 1,2 and 3 */
        {"x\ty\tclass\n1,5\t2,5\ta;b\n2,5\t3,5\ta;c\n", 2, 2, TWO},
        {"1,5\t2,5\ta;b\n2,5\t3,5\ta;c\n", 2, 2, TWO},
    };
    pt_read_options options = of_kind("t.csv", "set");
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        pt_dataset *data = read_with(CASES[c].text, &options);
        assert_int_equal(data->n, CASES[c].n);
        assert_int_equal(data->d, CASES[c].d);
        assert_labels(data, PT_LABEL_SET, CASES[c].labels);
        pt_dataset_free(data);
    }
}

static void test_label_cells__what_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        const char *text;
        int64_t line;
        int64_t column;
        const char *word;
    } CASES[] = {
        {"set", "x,class\n1,a\n2,b;a;b\n3,b;a;b\n", 3, 3, "names a class twice: 'b'"},
        {"set", "x,class\n1,a;;b\n", 2, 5, "name of a class is missing"},
        {"set", "x,class\n1,a;\n", 2, 5, "name of a class is missing"},
        {"set", "x,class\n1,\"a;\"\n", 2, 6, "name of a class is missing"},
        {"ranking", "x,class\n1,a>b>a\n", 2, 3, "ranks a class twice: 'a'"},
        {"ranking", "x,class\n1,a>b;c\n", 2, 6, "a ranking has > between"},
        {"ranking", "x,class\n1,a>>c\n", 2, 5, "name of a class is missing"},
        {"ranking", "x,class\n1,a=b\n2,\n", 3, 3, "label is missing"},
        {"pairs", "x,class\n1,a>b;b>c;c>a\n", 2, 3, "goes in a circle"},
        {"pairs", "x,class\n1,a>b\n2,a>a\n", 3, 3, "before itself: 'a'"},
        {"pairs", "x,class\n1,a>b;c\n", 2, 7, "stands alone"},
        {"pairs", "x,class\n1,a>b=c\n", 2, 6, "no ties"},
        {"pairs", "x,class\n1,\n", 2, 3, "label is missing"},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        const pt_read_options options = of_kind("t.csv", CASES[c].kind);
        refused_with(CASES[c].text, &options, CASES[c].line, CASES[c].column, CASES[c].word);
    }
}

/* ---- several columns ---- */

static void test_label_columns__a_set_from_columns_of_0_and_1(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.label = "label_*";
    pt_dataset *data = read_with("label_b,x,label_a,z\n1,5,0,7\n1.0,6,1,8\n0,7,0,9\n", &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"label_b", "label_a;label_b", ""});
    assert_int_equal(data->d, 2);
    assert_string_equal(data->columns[0].name, "x");
    assert_string_equal(data->columns[1].name, "z");
    assert_int_equal(data->label_columns.count, 2);
    assert_int_equal(data->label_columns.column[1], 3);
    assert_null(data->label_name);
    pt_dataset_free(data);
    options.labels = "set"; /* the same when it is said */
    options.labels_said = true;
    options.ignore = "label_c"; /* left out, though the pattern matches */
    data = read_with("label_b,x,label_a,label_c\n1,5,0,z\n", &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"label_b"});
    assert_int_equal(data->label_columns.count, 2);
    pt_dataset_free(data);
}

static void test_label_columns__no_names_no_matter(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.label = "2,3";
    pt_dataset *data = read_with("5,0,1\n6,1,1\n", &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"3", "2;3"});
    assert_int_equal(data->d, 1);
    pt_dataset_free(data);
}

static void test_label_columns__rankings_from_columns_of_ranks(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.ranks = "L*";
    pt_dataset *data = read_with("A1,L1,L2,L3\n1,2,1,3\n2,1,1,\n3,,7,\n", &options);
    assert_labels(data, PT_LABEL_RANKING, (const char *const[]){"L2>L1>L3", "L1=L2", "L2"});
    assert_int_equal(data->d, 1);
    pt_dataset_free(data);
}

static void test_label_columns__what_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    pt_read_options sets = defaults("t.csv");
    sets.label = "l_*";
    refused_with("x,l_a,l_b\n1,0,1\n1,1,2\n", &sets, 3, 5, "'2' is neither 0 nor 1");
    refused_with("x,l_a,l_b\n1,0,1\n1,,1\n", &sets, 3, 3, "neither 0 nor 1");
    refused_with("x,l_a,l_b\n1,yes,1\n", &sets, 2, 3, "'yes' is neither 0 nor 1");
    sets.weight = "l_a";
    refused_with("x,l_a,l_b\n1,0,1\n", &sets, 0, 0, "is the label");
    pt_read_options ranks = defaults("t.csv");
    ranks.ranks = "L*";
    refused_with("x,L1,L2\n1,0,1\n", &ranks, 2, 3, "'0' is not a rank");
    refused_with("x,L1,L2\n1,1.5,1\n", &ranks, 2, 3, "'1.5' is not a rank");
    refused_with("x,L1,L2\n1,1,-1\n", &ranks, 2, 5, "'-1' is not a rank");
    refused_with("x,L1,L2\n1,1,1e300\n", &ranks, 2, 5, "is not a rank");
    refused_with("x,L1,L2\n1,2,1\n1,,\n", &ranks, 3, 1, "no class is ranked");
    refused_with("x,L1,M2\n1,2,1\n", &ranks, 0, 0, "only column 'L1' matches");
    refused_with("x,M1,M2\n1,2,1\n", &ranks, 0, 0, "there is no column 'L*'");
    ranks.label = "x";
    refused_with("x,L1,L2\n1,2,1\n", &ranks, 0, 0, "`label` and `ranks`");
    ranks.label = "";
    ranks.labels = "set";
    ranks.labels_said = true;
    refused_with("x,L1,L2\n1,2,1\n", &ranks, 0, 0, "`ranks` is for `labels=ranking`");
    pt_read_options pairs = of_kind("t.csv", "pairs");
    pairs.label = "L*";
    refused_with("x,L1,L2\n1,2,1\n", &pairs, 0, 0, "several columns match");
}

/* ---- prediction ---- */

static pt_read_options for_model(const char *source, const char *kind, const pt_texts *features,
                                 const pt_label_columns *columns)
{
    pt_read_options options = defaults(source);
    options.labels = kind;
    options.label_optional = true;
    options.features = features;
    options.n_features = features->count;
    options.label_columns = columns;
    return options;
}

static void test_label_columns__prediction_with_and_without_them(void **state)
{
    (void)state;
    char *inputs[] = {"x", "z"};
    char *names[] = {"l_b", "l_a"};
    int64_t numbers[] = {1, 3};
    const pt_texts features = {inputs, 2, NULL};
    const pt_label_columns columns = {2, numbers, {names, 2, NULL}};
    const pt_read_options options = for_model("t.csv", "set", &features, &columns);
    pt_dataset *data = read_with("z,l_a,x,l_b\n1,1,2,0\n", &options);
    assert_int_equal(data->d, 2);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"l_a"});
    pt_dataset_free(data);

    data = read_with("x,z\n1,2\n", &options);
    assert_int_equal(data->d, 2);
    assert_null(data->labels);
    pt_dataset_free(data);

    data = read_with("x,l_b,z\n1,0,2\n", &options); /* one of two: no label, and no feature */
    assert_int_equal(data->d, 2);
    assert_null(data->labels);
    assert_true(warned(data, "1 of the 2 label columns"));
    pt_dataset_free(data);

    data = read_with("0,5,1,6\n1,7,1,8\n", &options); /* no names: where they were */
    assert_int_equal(data->d, 2);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"l_a", "l_a;l_b"});
    assert_true(cell(data, 1, 1) == 8);
    pt_dataset_free(data);

    data = read_with("5,6\n7,8\n", &options);
    assert_int_equal(data->d, 2);
    assert_null(data->labels);
    pt_dataset_free(data);

    data = read_with("x,z,l_a,l_b\n1,2,,\n3,4,?,NA\n", &options); /* nothing is known */
    assert_null(data->labels);
    pt_dataset_free(data);
    data = read_with("x,z,l_a,l_b\n1,2,1,\n3,4,?,NA\n", &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"l_a", ""});
    assert_true(warned(data, "3 cells of the label columns are missing"));
    pt_dataset_free(data);
}

static void test_label_cells__prediction_with_and_without_them(void **state)
{
    (void)state;
    char *inputs[] = {"x"};
    const pt_texts features = {inputs, 1, NULL};
    pt_read_options options = for_model("t.csv", "set", &features, NULL);
    options.label = "tags";
    options.na = "?";
    pt_dataset *data = read_with("x,tags\n1,a;b\n2,\n3,?\n", &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"a;b", "", ""});
    assert_true(warned(data, "1 label is missing and counts as an empty set"));
    pt_dataset_free(data);
    data = read_with("x\n1\n", &options);
    assert_null(data->labels);
    pt_dataset_free(data);
    data = read_with("x,tags\n1,\n2,?\n", &options);
    assert_null(data->labels);
    pt_dataset_free(data);
    options.labels = "ranking";
    data = read_with("x,tags\n1,b>a\n2,\n", &options);
    assert_labels(data, PT_LABEL_RANKING, (const char *const[]){"b>a", ""});
    assert_false(pt_labels_has(data->labels, 1));
    pt_dataset_free(data);
}

/* ---- LIBSVM ---- */

static void test_label_libsvm__sets_may_be_empty(void **state)
{
    (void)state;
    const pt_read_options options = of_kind("t.svm", "set");
    pt_dataset *data = read_with("3,10,1 1:1 2:1\n 2:5\n10 1:1 # c\n1:1\n", &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"1;3;10", "", "10", ""});
    assert_classes(data, "1 3 10");
    pt_dataset_free(data);
}

static void test_label_libsvm__other_kinds(void **state)
{
    (void)state;
    pt_read_options options = of_kind("t.svm", "ranking");
    pt_dataset *data = read_with("b>a=c 1:1\na>b 2:1\n", &options);
    assert_labels(data, PT_LABEL_RANKING, (const char *const[]){"b>a=c", "a>b"});
    pt_dataset_free(data);
    options.labels = "pairs";
    data = read_with("b>a,b>c 1:1\na>b 2:1\n", &options);
    assert_labels(data, PT_LABEL_PAIRS, (const char *const[]){"b>a;b>c", "a>b"});
    pt_dataset_free(data);
}

static void test_label_libsvm__what_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    pt_read_options options = of_kind("t.svm", "class");
    refused_with("1 1:1\n1,2 1:1\n", &options, 2, 1, "say `labels=set`");
    options.labels = "set";
    refused_with("1 1:1\n1,2,1 1:1\n", &options, 2, 1, "names a class twice: '1'");
    refused_with("1 1:1\n1,,2 1:1\n", &options, 2, 3, "name of a class is missing");
    refused_with("1 1:1\n1;2 1:1\n", &options, 2, 2, "have , between them here, not ;");
    options.labels = "ranking";
    refused_with("1>2;3 1:1\n", &options, 1, 4, "a ranking has > between");
    refused_with("1>2 1:1\n1:1\n", &options, 2, 1, "the line has no label");
    refused_with("1>2,3 1:1\n", &options, 1, 4, "a ranking has > between");
    options.labels = "pairs";
    refused_with("1>2 1:1\n1>2,2>1 1:1\n", &options, 2, 1, "goes in a circle");
    refused_with("1>2;1>3 1:1\n", &options, 1, 4, "have , between them here, not ;");
    options.ranks = "L*";
    refused_with("1>2 1:1\n", &options, 0, 0, "`ranks` does not apply");
}

/* ---- ARFF ---- */

static void test_label_arff__columns_of_a_set(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.arff");
    options.label = "t_*";
    const char *head = "@relation r\n@attribute x numeric\n@attribute t_a {0,1}\n"
                       "@attribute t_b {1,0}\n@attribute t_c numeric\n@data\n";
    char text[512];
    snprintf(text, sizeof text, "%s5,1,0,0\n6,0,1,1\n", head);
    pt_dataset *data = read_with(text, &options);
    assert_int_equal(data->d, 1);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"t_a", "t_b;t_c"});
    pt_dataset_free(data);
    /* what a sparse row leaves out is the first value that is declared, or 0 */
    snprintf(text, sizeof text, "%s{0 5, 1 1}\n{0 6, 2 0, 3 1}\n", head);
    data = read_with(text, &options);
    assert_non_null(data->start);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"t_a;t_b", "t_c"});
    pt_dataset_free(data);
    snprintf(text, sizeof text, "%s5,1,0,2\n", head);
    refused_with(text, &options, 7, 7, "'2' is neither 0 nor 1");
    snprintf(text, sizeof text, "%s5,1,?,1\n", head);
    refused_with(text, &options, 7, 5, "neither 0 nor 1");
}

static void test_label_arff__ranks_and_cells(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.arff");
    options.ranks = "L*";
    const char *head = "@relation r\n@attribute x numeric\n@attribute L1 numeric\n"
                       "@attribute L2 numeric\n@data\n";
    char text[512];
    snprintf(text, sizeof text, "%s5,2,1\n6,?,4\n", head);
    pt_dataset *data = read_with(text, &options);
    assert_labels(data, PT_LABEL_RANKING, (const char *const[]){"L2>L1", "L2"});
    pt_dataset_free(data);
    snprintf(text, sizeof text, "%s5,2,1\n6,?,?\n", head);
    refused_with(text, &options, 7, 1, "no class is ranked");
    snprintf(text, sizeof text, "%s{0 5, 1 2, 2 1}\n", head);
    refused_with(text, &options, 0, 0, "no rank");
    options = of_kind("t.arff", "set");
    data = read_with("@relation r\n@attribute x numeric\n@attribute y string\n@data\n"
                     "1,'b;a'\n2,''\n3,c\n",
                     &options);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"a;b", "", "c"});
    pt_dataset_free(data);
    refused_with("@relation r\n@attribute x numeric\n@attribute y string\n@data\n1,'b;a;b'\n",
                 &options, 5, 4, "names a class twice");
    const char *orders = "@relation r\n@attribute x numeric\n@attribute y string\n@data\n"
                         "1,'b>a=c'\n2,c>b\n";
    options = of_kind("t.arff", "ranking");
    data = read_with(orders, &options);
    assert_labels(data, PT_LABEL_RANKING, (const char *const[]){"b>a=c", "c>b"});
    pt_dataset_free(data);
    refused_with("@relation r\n@attribute x numeric\n@attribute y string\n@data\n1,''\n", &options,
                 5, 3, "label is missing");
    options = of_kind("t.arff", "pairs");
    data = read_with("@relation r\n@attribute x numeric\n@attribute y {'b>a;b>c','c>b'}\n@data\n"
                     "{0 1}\n{1 c>b}\n",
                     &options);
    assert_labels(data, PT_LABEL_PAIRS, (const char *const[]){"b>a;b>c", "c>b"});
    pt_dataset_free(data);
}

/* ---- writing and reading again ---- */

typedef struct memory {
    char *bytes;
    size_t size;
} memory;

static pt_status keep(void *context, const char *bytes, size_t size, pt_error *err)
{
    (void)err;
    memory *m = context;
    m->bytes = realloc(m->bytes, m->size + size + 1);
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
    return PT_OK;
}

static const pt_format *format_of(const char *name)
{
    for (int i = 0; pt_formats[i]; i++)
        if (strcmp(pt_formats[i]->name, name) == 0)
            return pt_formats[i];
    fail();
    return NULL;
}

static void assert_round_trip(const pt_dataset *data, const char *format,
                              const pt_read_options *options)
{
    memory m = {NULL, 0};
    pt_error err = {0};
    assert_int_equal(pt_format_write(format_of(format), data, keep, &m, NULL, &err), PT_OK);
    pt_dataset *again = read_bytes(m.bytes, m.size, options);
    assert_int_equal(again->n, data->n);
    assert_int_equal(again->d, data->d);
    assert_int_equal(again->labels->kind, data->labels->kind);
    for (int64_t i = 0; i < data->n; i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "%s", label_of(data, i));
        assert_string_equal(label_of(again, i), expected);
    }
    pt_dataset_free(again);
    free(m.bytes);
}

static void test_label_files__round_trips(void **state)
{
    (void)state;
    static const char *const KINDS[] = {"set", "ranking", "pairs"};
    static const char *const TEXTS[] = {"x,class\n1,b;a\n2,\n3,c\n", "x,class\n1,b>a=c\n2,a>b\n",
                                        "x,class\n1,b>a;b>c\n2,a>b\n"};
    for (int k = 0; k < 3; k++) {
        const pt_read_options from = of_kind("t.csv", KINDS[k]);
        const pt_read_options svm = of_kind("t.svm", KINDS[k]);
        const pt_read_options tsv = of_kind("t.tsv", KINDS[k]);
        pt_dataset *data = read_with(TEXTS[k], &from);
        assert_round_trip(data, "csv", &from);
        assert_round_trip(data, "tsv", &tsv);
        assert_round_trip(data, "libsvm", &svm);
        pt_dataset_free(data);
    }
    pt_read_options sets = defaults("t.csv");
    sets.label = "l_*";
    pt_dataset *data = read_with("x,l_a,l_b,l_c\n1,0,1,0\n2,0,0,0\n3,1,1,0\n", &sets);
    assert_round_trip(data, "csv", &sets); /* several columns stay so, with the class nobody has */
    const pt_read_options svm = of_kind("t.svm", "set");
    assert_round_trip(data, "libsvm", &svm);
    pt_dataset_free(data);
    pt_read_options ranks = defaults("t.csv");
    ranks.ranks = "L*";
    data = read_with("x,L1,L2,L3\n1,2,1,1\n2,1,,2\n", &ranks);
    assert_round_trip(data, "csv", &ranks);
    pt_dataset_free(data);
}

static void test_label_files__names_that_would_read_as_something_else(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.label = "l*";
    pt_dataset *data = read_with("x,\"l;a\",\"l>b\"\n1,0,1\n", &options);
    assert_round_trip(data, "csv", &options); /* columns may be called so */
    memory m = {NULL, 0};
    pt_error err = {0};
    assert_int_equal(pt_format_write(format_of("libsvm"), data, keep, &m, NULL, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "'l;a'"));
    err = (pt_error){0};
    pt_label_columns_free(&data->label_columns);
    assert_int_equal(pt_format_write(format_of("csv"), data, keep, &m, NULL, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "'l;a'"));
    pt_dataset_free(data);
    free(m.bytes);
}

/* ---- from memory ---- */

static void test_label_memory__cells_and_items(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3};
    pt_dataset *data = NULL;
    pt_error err = {0};
    assert_int_equal(dataset_from_f64(&data, values, 3, 1, 1, &err), PT_OK);
    const int64_t *items = NULL;
    const int64_t *ranks = NULL;
    assert_int_equal(pt_dataset_label_items(data, 0, &items, &ranks), 0);

    const char *cells[] = {"b=a>c", NULL, "c"};
    assert_int_equal(pt_dataset_set_label_cells(data, "ranking", cells, &err), PT_OK);
    assert_string_equal(pt_dataset_label_kind(data), "ranking");
    assert_int_equal(pt_dataset_n_label_columns(data), 0);
    assert_int_equal(pt_dataset_label_items(data, 0, &items, &ranks), 3);
    assert_int_equal(items[0], 0);
    assert_int_equal(items[2], 2);
    assert_true(ranks[0] == ranks[1] && ranks[1] < ranks[2]);
    assert_int_equal(pt_dataset_label_items(data, 1, &items, &ranks), 0);
    assert_null(items);
    assert_int_equal(pt_dataset_label_items(data, 3, &items, NULL), 0);
    cells[1] = "a>>b";
    assert_int_equal(pt_dataset_set_label_cells(data, "ranking", cells, &err), PT_EFORMAT);
    assert_int_equal(pt_dataset_set_label_cells(data, "heap", cells, &err), PT_EINVAL);
    assert_string_equal(label_of(data, 0), "a=b>c"); /* as before */

    const char *names[] = {"z", "y"};
    const int64_t start[] = {0, 2, 2, 3};
    const int64_t set[] = {0, 1, 0};
    assert_int_equal(pt_dataset_set_label_items(data, "set", names, 2, start, set, NULL, &err),
                     PT_OK);
    assert_labels(data, PT_LABEL_SET, (const char *const[]){"y;z", "", "z"});
    const int64_t twice[] = {0, 0, 0};
    assert_int_equal(pt_dataset_set_label_items(data, "set", names, 2, start, twice, NULL, &err),
                     PT_EFORMAT);
    assert_non_null(strstr(err.text, "example 1"));
    const int64_t beyond[] = {0, 2, 0};
    assert_int_equal(pt_dataset_set_label_items(data, "set", names, 2, start, beyond, NULL, &err),
                     PT_EINVAL);
    assert_int_equal(pt_dataset_set_label_items(data, "pairs", names, 2, start, set, NULL, &err),
                     PT_EINVAL); /* half a pair */
    assert_int_equal(pt_dataset_set_label_items(data, "class", names, 2, start, set, NULL, &err),
                     PT_EFORMAT); /* two classes of one example */
    const char *same[] = {"z", "z"};
    assert_int_equal(pt_dataset_set_label_items(data, "set", same, 2, start, set, NULL, &err),
                     PT_EINVAL);
    const int64_t down[] = {0, 2, 1, 3};
    assert_int_equal(pt_dataset_set_label_items(data, "set", names, 2, down, set, NULL, &err),
                     PT_EINVAL);
    assert_int_equal(pt_dataset_set_label_cells(data, "set", NULL, &err), PT_OK);
    assert_null(pt_dataset_label_kind(data));
    pt_dataset_free(data);
}

/* ---- memory ---- */

static void test_label_files__no_memory_leaves_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        const char *kind;
        const char *label;
        const char *ranks;
        const char *text;
    } CASES[] = {
        {"t.csv", "set", "", "", "x,class\n1,b;a\n2,\n3,c\n"},
        {"t.csv", "ranking", "", "", "x,class\n1,b>a=c\n2,a>b\n"},
        {"t.csv", "pairs", "", "", "x,class\n1,b>a;b>c\n2,a>b\n"},
        {"t.csv", "set", "l_*", "", "x,l_a,l_b\n1,0,1\n"},
        {"t.csv", "ranking", "", "L*", "x,L1,L2\n1,2,1\n"},
        {"t.svm", "set", "", "", "1,2 1:1\n2 2:1\n"},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        pt_read_options options = of_kind(CASES[c].source, CASES[c].kind);
        options.label = CASES[c].label;
        options.ranks = CASES[c].ranks;
        const int64_t live = pt_alloc_live();
        pt_status status = PT_ENOMEM;
        for (int64_t at = 1; status != PT_OK; at++) {
            pt_dataset *data = NULL;
            pt_error err = {0};
            pt_alloc_fail_from(at);
            status =
                pt_read_bytes(&data, CASES[c].text, strlen(CASES[c].text), "auto", &options, &err);
            pt_alloc_fail_from(0);
            assert_true(status == PT_OK || status == PT_ENOMEM);
            pt_dataset_free(data);
            assert_int_equal(pt_alloc_live(), live);
            assert_true(at < 10000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_cells__sets),
        cmocka_unit_test(test_label_cells__numbers_sort_as_numbers),
        cmocka_unit_test(test_label_cells__rankings_with_ties),
        cmocka_unit_test(test_label_cells__pairs_and_chains),
        cmocka_unit_test(test_label_cells__the_separator_is_not_taken_from_labels),
        cmocka_unit_test(test_label_cells__semicolons_separate_where_the_header_has_them),
        cmocka_unit_test(test_label_cells__what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(test_label_columns__a_set_from_columns_of_0_and_1),
        cmocka_unit_test(test_label_columns__no_names_no_matter),
        cmocka_unit_test(test_label_columns__rankings_from_columns_of_ranks),
        cmocka_unit_test(test_label_columns__what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(test_label_columns__prediction_with_and_without_them),
        cmocka_unit_test(test_label_cells__prediction_with_and_without_them),
        cmocka_unit_test(test_label_libsvm__sets_may_be_empty),
        cmocka_unit_test(test_label_libsvm__other_kinds),
        cmocka_unit_test(test_label_libsvm__what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(test_label_arff__columns_of_a_set),
        cmocka_unit_test(test_label_arff__ranks_and_cells),
        cmocka_unit_test(test_label_files__round_trips),
        cmocka_unit_test(test_label_files__names_that_would_read_as_something_else),
        cmocka_unit_test(test_label_memory__cells_and_items),
        cmocka_unit_test(test_label_files__no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
