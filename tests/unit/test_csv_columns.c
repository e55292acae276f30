/* CSV: columns are judged by their cells, and read so at prediction. */
#include "base/json.h"
#include "data/dataset.h"
#include "reader_helpers.h"

enum { ROWS = 60 };

/* ROWS rows of one feature and a label; cell i of the feature is made by `make`. */
typedef void (*make_fn)(char *out, size_t room, int i);

static char table_text[ROWS * 120];

static const char *table_of(const char *head, make_fn make)
{
    size_t used = (size_t)snprintf(table_text, sizeof table_text, "%s", head);
    for (int i = 0; i < ROWS; i++) {
        char own[100];
        make(own, sizeof own, i);
        used += (size_t)snprintf(table_text + used, sizeof table_text - used, "%d.5;%s;%c\n", i % 7,
                                 own, "xyz"[i % 3]);
    }
    return table_text;
}

static pt_dataset *read_column(make_fn make, const pt_read_options *options)
{
    return read_with(table_of("a;b;class\n", make), options);
}

static void number_or(char *out, size_t room, int i, const char *word, int every)
{
    if (i % every == 0)
        snprintf(out, room, "%s", word);
    else
        snprintf(out, room, "%d.25", i);
}

static void make_null(char *out, size_t room, int i)
{
    number_or(out, room, i, "null", 4);
}

static void make_dash(char *out, size_t room, int i)
{
    number_or(out, room, i, "-", 4);
}

static void make_unknown(char *out, size_t room, int i)
{
    number_or(out, room, i, "unknown", 4);
}

static void make_units(char *out, size_t room, int i)
{
    snprintf(out, room, i % 15 == 7 ? "not seen" : i % 2 ? "%d.5 bar" : "%d kPa", i);
}

static void make_few_numbers(char *out, size_t room, int i)
{
    snprintf(out, room, i % 5 ? "word %c" : "%d", i % 5 ? 'a' + i % 7 : i);
}

static void make_bar(char *out, size_t room, int i)
{
    snprintf(out, room, i % 6 ? "%d.5 bar" : "-999", i);
}

static void make_months(char *out, size_t room, int i)
{
    static const char *const MONTHS[] = {"Jan", "Apr", "Oct"};
    snprintf(out, room, "%02d-%s-2023", i % 28 + 1, MONTHS[i % 3]);
}

static void make_codes(char *out, size_t room, int i)
{
    snprintf(out, room, i % 4 ? "%d" : "A%d", i % 20);
}

static void make_comma(char *out, size_t room, int i)
{
    snprintf(out, room, "\"%d,5\"", i);
}

static void make_european(char *out, size_t room, int i)
{
    snprintf(out, room, "%d.%03d,5", i + 1, i);
}

static void make_thousands(char *out, size_t room, int i)
{
    snprintf(out, room, i % 2 ? "%d,%03d" : "%d", i, i * 7);
}

static void make_price(char *out, size_t room, int i)
{
    snprintf(out, room, "$%d.30", i);
}

static void make_percent(char *out, size_t room, int i)
{
    snprintf(out, room, "%d%%", i);
}

static void make_iso(char *out, size_t room, int i)
{
    snprintf(out, room, "2024-01-%02dT%02d:30:00Z", i % 28 + 1, i % 24);
}

static void make_slashes(char *out, size_t room, int i)
{
    snprintf(out, room, "%02d/%02d/2024", i % 12 + 1, i % 5 + 1);
}

static void make_slashes_sure(char *out, size_t room, int i)
{
    snprintf(out, room, "%02d/%02d/2024", i % 28 + 1, i % 5 + 1);
}

static void make_time(char *out, size_t room, int i)
{
    snprintf(out, room, "%02d:45", i % 24);
}

static void make_yes(char *out, size_t room, int i)
{
    snprintf(out, room, "%s", i % 3 ? "Yes" : "no");
}

static void make_name(char *out, size_t room, int i)
{
    snprintf(out, room, "U%06d", 7 * i);
}

static void make_number(char *out, size_t room, int i)
{
    snprintf(out, room, "%d", 1000 + i);
}

static void make_phrase(char *out, size_t room, int i)
{
    snprintf(out, room, "they said it %d times", i);
}

static void make_nothing(char *out, size_t room, int i)
{
    snprintf(out, room, "%s", i % 2 ? "" : "NA");
}

static void make_late(char *out, size_t room, int i)
{
    snprintf(out, room, i < 50 ? "%d" : "\"%d,5\"", i);
}

static const pt_judged *judged_b(const pt_dataset *data)
{
    return pt_judged_at(&data->judged, 2);
}

static void test_columns__words_for_missing_leave_numbers(void **state)
{
    (void)state;
    static const make_fn MAKERS[] = {make_null, make_dash, make_unknown};
    const pt_read_options options = defaults("t.csv");
    for (size_t m = 0; m < sizeof MAKERS / sizeof *MAKERS; m++) {
        pt_dataset *data = read_column(MAKERS[m], &options);
        assert_int_equal(data->d, 2);
        assert_false(data->columns[1].nominal);
        assert_true(isnan(cell(data, 4, 1)) && cell(data, 5, 1) == 5.25);
        assert_int_equal(pt_dataset_count_missing(data, NULL), ROWS / 4);
        assert_int_equal(warned(data, "15 are not and count as missing: 'unknown' (15), first in "
                                      "line 2; name such words with `na=+"),
                         m == 2);
        assert_int_equal(warned(data, "column 'b': 15 cells with a word for nothing"), m == 1);
        pt_dataset_free(data);
    }
}

static void test_columns__numbers_among_codes_are_codes(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    pt_dataset *data = read_column(make_codes, &options);
    assert_true(data->columns[1].nominal);
    assert_int_equal(data->columns[1].levels.count, 20);
    assert_true(warned(data, "column 'b' is read as nominal: 45 of its cells are numbers, but 15 "
                             "are not: 'A0' (3)"));
    pt_dataset_free(data);
    options.types = "b=number";
    data = read_column(make_codes, &options);
    assert_false(data->columns[1].nominal);
    assert_int_equal(pt_dataset_count_missing(data, NULL), 15);
    pt_dataset_free(data);
    options.types = "b=nominal";
    data = read_column(make_null, &options);
    assert_true(data->columns[1].nominal);
    pt_dataset_free(data);
}

static void test_columns__several_units_are_told_beside_words(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    pt_dataset *data = read_column(make_units, &options);
    assert_true(data->columns[1].nominal);
    assert_true(warned(data, "its cells are numbers with different units, such as 'kPa' and "
                             "'bar'; convert them to one"));
    pt_dataset_free(data);
    options.types = "b=number";
    refused_with(table_of("a;b;class\n", make_units), &options, 0, 0, "convert them to one");
}

/* 12 of 60 cells fit; one of four would be enough. */
static void test_columns__types_that_lose_most_cells_are_refused(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.types = "b=number";
    refused_with(table_of("a;b;class\n", make_few_numbers), &options, 0, 0,
                 "12 of the cells of column 'b' are a number, but 48 are not, and would be lost");
    pt_dataset *data = read_column(make_codes, &options);
    assert_true(warned(data, "column 'b' is read as numbers: 45 of its cells are numbers"));
    pt_dataset_free(data);
}

static void test_columns__numbers_of_na_are_gone_before_units_are_counted(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.na = "+pending,+-999";
    pt_dataset *data = read_column(make_bar, &options);
    assert_int_equal(pt_dataset_count_missing(data, NULL), 10);
    assert_string_equal(data->judged.items[0].unit, "bar");
    assert_false(warned(data, "have none"));
    assert_true(warned(data, "`na`: no cell is 'pending'"));
    pt_dataset_free(data);
    options.na = "";
    data = read_column(make_bar, &options);
    assert_true(warned(data, "50 cells have the unit 'bar' and 10 have none"));
    pt_dataset_free(data);
}

static void test_columns__months_by_name_need_no_order(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    char words[PT_JUDGED_WORDS];
    pt_dataset *data = read_column(make_months, &options);
    assert_string_equal(pt_judged_words(&data->judged.items[0], words), "date, weekday");
    pt_judged_columns back = {0};
    json_t *json = pt_judged_to_json(&data->judged, NULL);
    assert_int_equal(pt_judged_from_json(&back, json, NULL), PT_OK);
    assert_true(back.items[0].any_order);
    json_decref(json);
    pt_judged_free(&back);
    pt_dataset_free(data);
    options.types = "b=dmy"; /* whoever says an order sees it */
    data = read_column(make_months, &options);
    assert_string_equal(pt_judged_words(&data->judged.items[0], words), "date (d/m/y), weekday");
    pt_dataset_free(data);
}

static void test_columns__na_replaces_the_words(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.na = "unknown,none";
    pt_dataset *data = read_column(make_unknown, &options);
    assert_int_equal(pt_dataset_count_missing(data, NULL), 15);
    assert_string_equal(data->judged.na, "unknown,none");
    pt_dataset_free(data);
    data = read_column(make_null, &options); /* null is a text now, and there is one of it */
    assert_true(warned(data, "'null' (15)"));
    pt_dataset_free(data);
}

static void test_columns__styles_of_numbers(void **state)
{
    (void)state;
    static const struct {
        make_fn make;
        pt_column_kind kind;
        char decimal;
        int64_t row;
        double value;
    } CASES[] = {
        {make_comma, PT_COLUMN_NUMBER, ',', 7, 7.5},
        {make_european, PT_COLUMN_NUMBER, ',', 7, 8007.5},
        {make_thousands, PT_COLUMN_NUMBER, '.', 7, 7049},
        {make_price, PT_COLUMN_CURRENCY, '.', 7, 7.3},
        {make_percent, PT_COLUMN_PERCENT, '.', 7, 7},
        {make_late, PT_COLUMN_NUMBER, ',', 57, 57.5}, /* behind the rows that were looked at */
    };
    const pt_read_options options = defaults("t.csv");
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        pt_dataset *data = read_column(CASES[c].make, &options);
        assert_int_equal(data->d, 2);
        assert_false(data->columns[1].nominal);
        assert_true(cell(data, CASES[c].row, 1) == CASES[c].value);
        assert_non_null(judged_b(data));
        assert_int_equal(judged_b(data)->kind, CASES[c].kind);
        assert_int_equal(judged_b(data)->style.decimal, CASES[c].decimal);
        assert_int_equal(pt_dataset_count_missing(data, NULL), 0);
        pt_dataset_free(data);
    }
}

static void test_columns__a_lone_1_234_is_doubted(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    const char *text = "a,class\n\"1,234\",x\n\"2,345\",y\n";
    pt_dataset *data = read_with(text, &options);
    assert_true(cell(data, 0, 0) == 1234);
    assert_true(warned(data, "`decimal=comma`"));
    pt_dataset_free(data);
    options.decimal = "comma";
    data = read_with(text, &options);
    assert_true(cell(data, 0, 0) == 1.234);
    assert_false(warned(data, "`decimal"));
    pt_dataset_free(data);
    options.decimal = "auto"; /* another column settles it */
    data = read_with("a,b,class\n\"1,234\",\"0,5\",x\n\"2,345\",\"0,25\",y\n", &options);
    assert_true(cell(data, 0, 0) == 1.234);
    assert_false(warned(data, "`decimal"));
    pt_dataset_free(data);
    data = read_with("a,b,class\n1.234,\"0,5\",x\n2.345,\"0,25\",y\n", &options);
    assert_true(cell(data, 0, 0) == 1234);
    pt_dataset_free(data);
    data = read_with("a,b,class\n1.234,\"0,5\",x\n2.34,\"0,25\",y\n", &options);
    assert_true(cell(data, 0, 0) == 1.234);
    pt_dataset_free(data);
}

static void test_columns__dates_become_their_parts(void **state)
{
    (void)state;
    const pt_read_options options = defaults("t.csv");
    pt_dataset *data = read_column(make_iso, &options);
    assert_int_equal(data->d, 4);
    assert_string_equal(data->columns[1].name, "b days");
    assert_string_equal(data->columns[2].name, "b weekday");
    assert_string_equal(data->columns[3].name, "b hour");
    assert_true(fabs(cell(data, 1, 1) - 19724.0625) < 1e-9); /* 2024-01-02T01:30, a Tuesday */
    assert_true(cell(data, 1, 2) == 2 && cell(data, 1, 3) == 1.5);
    assert_true(cell(data, 1, 0) == 1.5);
    assert_int_equal(judged_b(data)->feature, 1);
    assert_int_equal(pt_dataset_n_notes(data), 1);
    assert_string_equal(pt_dataset_note(data, 0), "date (y-m-d), weekday, hour: 'b'");
    pt_dataset_free(data);
    data = read_column(make_time, &options);
    assert_int_equal(data->d, 2);
    assert_string_equal(data->columns[1].name, "b hour");
    assert_true(cell(data, 3, 1) == 3.75);
    pt_dataset_free(data);
}

static void test_columns__order_of_dates(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    pt_dataset *data = read_column(make_slashes_sure, &options);
    assert_int_equal(judged_b(data)->order, PT_DATE_DMY);
    assert_false(warned(data, "`types"));
    pt_dataset_free(data);
    data = read_column(make_slashes, &options);
    assert_int_equal(judged_b(data)->order, PT_DATE_MDY);
    assert_true(warned(data, "say `types=b=dmy` if the day does"));
    pt_dataset_free(data);
    options.types = "b=dmy";
    data = read_column(make_slashes, &options);
    assert_int_equal(judged_b(data)->order, PT_DATE_DMY);
    assert_false(warned(data, "`types"));
    pt_dataset_free(data);
}

static void test_columns__truths_are_one_column(void **state)
{
    (void)state;
    const pt_read_options options = defaults("t.csv");
    pt_dataset *data = read_column(make_yes, &options);
    assert_false(data->columns[1].nominal);
    assert_int_equal(judged_b(data)->kind, PT_COLUMN_BOOLEAN);
    assert_true(cell(data, 0, 1) == 0 && cell(data, 1, 1) == 1);
    pt_dataset_free(data);
}

static void test_columns__what_is_left_out(void **state)
{
    (void)state;
    static const struct {
        make_fn make;
        pt_column_kind kind;
        const char *word;
    } CASES[] = {
        {make_name, PT_COLUMN_IDENTIFIER, "column 'b' is left out: it seems to name or number"},
        {make_number, PT_COLUMN_IDENTIFIER, "`types=b=number` keeps it"},
        {make_phrase, PT_COLUMN_TEXT, "column 'b' is left out: it is free text"},
        {make_nothing, PT_COLUMN_EMPTY, "column 'b' is left out: every cell is missing"},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        pt_read_options options = defaults("t.csv");
        pt_dataset *data = read_column(CASES[c].make, &options);
        assert_int_equal(data->d, 1);
        assert_string_equal(data->columns[0].name, "a");
        assert_true(cell(data, 9, 0) == 2.5);
        assert_int_equal(judged_b(data)->kind, CASES[c].kind);
        assert_true(warned(data, CASES[c].word));
        pt_dataset_free(data);
        options.types = "b=nominal";
        data = read_column(CASES[c].make, &options);
        assert_int_equal(data->d, 2);
        assert_true(data->columns[1].nominal);
        pt_dataset_free(data);
    }
}

static void test_columns__the_only_feature_is_kept(void **state)
{
    (void)state;
    char text[ROWS * 20];
    size_t used = (size_t)snprintf(text, sizeof text, "a,class\n");
    for (int i = 0; i < ROWS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%c\n", i, "xy"[i % 2]);
    const pt_read_options options = defaults("t.csv");
    pt_dataset *data = read_with(text, &options);
    assert_int_equal(data->d, 1);
    assert_true(warned(data, "no other feature is left"));
    pt_dataset_free(data);
}

/* What a model's training file was, the next file is. */
static void test_columns__prediction_obeys(void **state)
{
    (void)state;
    char *inputs[] = {"a", "d days"};
    const bool numeric[] = {true, true};
    const pt_texts features = {.items = inputs, .count = 2};
    pt_judged items[] = {
        {.column = 1, .name = "id", .kind = PT_COLUMN_IDENTIFIER, .style = {'.', 0}},
        {.column = 2, .name = "a", .kind = PT_COLUMN_NUMBER, .style = {',', 0}},
        {.column = 3,
         .name = "d",
         .kind = PT_COLUMN_DATE,
         .style = {'.', 0},
         .order = PT_DATE_MDY,
         .parts = PT_PART_DAYS},
    };
    const pt_judged_columns judged = {.n_columns = 4, .items = items, .count = 3};
    pt_read_options options = defaults("t.csv");
    options.label_optional = true;
    options.features = &features;
    options.numeric_features = numeric;
    options.n_features = 2;
    options.label_column = 4;
    options.judged = &judged;
    static const char *const TEXTS[] = {
        "id;a;d;class\n5;1,500;03/04/2024;x\n",
        "d;a;id\n03/04/2024;1,5;7\n",
        "d;a\n03/04/2024;1,5\n",
        "5;1,5;03/04/2024;x\n", /* without names, all that training had */
        "5;1,5;03/04/2024\n",
    };
    for (size_t t = 0; t < sizeof TEXTS / sizeof *TEXTS; t++) {
        options.separator = "semicolon";
        pt_dataset *data = read_with(TEXTS[t], &options);
        assert_int_equal(data->d, 2);
        const int64_t a = t == 1 || t == 2;
        assert_true(cell(data, 0, a) == 1.5);
        assert_true(cell(data, 0, 1 - a) == 19786); /* in March */
        assert_int_equal(data->warnings.count, 0);
        pt_dataset_free(data);
    }
    pt_dataset *data = read_with("a;d\n1,5;soon\n-;03/04/2024\n", &options);
    assert_true(isnan(cell(data, 0, 1)) && isnan(cell(data, 1, 0)));
    assert_true(warned(data, "column 'd': 1 cell cannot be read as in training"));
    pt_dataset_free(data);
    refused_with("a;d\n1.5;03/04/2024\n", &options, 2, 1,
                 "'1.5' is not a number with a decimal comma");
}

static void test_dialect__what_stands_above_and_between(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *word; /* of a warning; NULL: none is needed */
    } CASES[] = {
        {"sep=;\r\na;b;class\r\n1;2.5;x\r\n2;3.5;y\r\n", NULL},
        {"# made in 2024\na,b,class\n1,2.5,x\n2,3.5,y\n", "1 line above the table begins with #"},
        {"a|b|class\n1|2.5|x\n2|3.5|y\n", "separated by '|'"},
        {"a b  class\n1   2.5 x \n2 3.5 y\n", "separated by spaces"},
        {"My report\n\na,b,class\n1,2.5,x\n2,3.5,y\n", "the table begins in line 3"},
        {"My report,,\n,,\na,b,class\n1,2.5,x\n2,3.5,y\n", "the table begins in line 3"},
        {"a,b,class\n[cm],[kg],\n1,2.5,x\n2,3.5,y\n", "line 2 is skipped"},
        {"a,b,class\n1,2.5,x\na,b,class\n2,3.5,y\n", "the header stands 1 more time"},
        {"a,b,class\n1,2.5,x\n2,3.5,y\n,,\n,,\n", "2 rows with nothing but separators"},
        {"a,b,class,\n1,2.5,x,\n2,3.5,y,\n", NULL},
        {"a,b,kind,\n1,2.5,x,\n2,3.5,y,\n", NULL},
        {"\"a\" \"b\" \"class\"\n\"1\" 1 2.5 \"x\"\n\"2\" 2 3.5 \"y\"\n",
         "no name and is left out"},
        {"0,1,2\n1,2.5,x\n2,3.5,y\n", NULL},
        {",0,1,2\n0,1,2.5,x\n1,2,3.5,y\n", "no name and is left out"},
        {"0,1,class\n1,2.5,x\n2,3.5,y\n", NULL},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        const pt_read_options options = defaults("t.csv");
        pt_dataset *data = read_with(CASES[c].text, &options);
        if (data->n != 2 || data->d != 2)
            fail_msg("case %zu: %lld rows, %lld columns", c, (long long)data->n,
                     (long long)data->d);
        assert_true(cell(data, 0, 0) == 1 && cell(data, 0, 1) == 2.5);
        assert_true(cell(data, 1, 0) == 2 && cell(data, 1, 1) == 3.5);
        assert_string_equal(class_text(data, 1), "y");
        if (CASES[c].word && !warned(data, CASES[c].word))
            fail_msg("case %zu: no warning", c);
        pt_dataset_free(data);
    }
}

static void test_dialect__options(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.separator = "pipe";
    options.comment = "%%";
    pt_dataset *data =
        read_with("%% a \"remark\na,1|class\n1|x\n%% and \"another\n2|y\n", &options);
    assert_int_equal(data->n, 2);
    assert_string_equal(data->columns[0].name, "a,1");
    pt_dataset_free(data);
    options.separator = "half";
    refused_with("a,class\n1,x\n", &options, 0, 0, "`sep` 'half'");
    options = defaults("t.csv");
    options.skip_unlabelled = true;
    data = read_with("a,w,class\n1,9,x\n2,8,\n3,7,y\n", &options);
    assert_int_equal(data->n, 2);
    assert_true(cell(data, 1, 0) == 3);
    assert_true(warned(data, "1 row without label is left out"));
    pt_dataset_free(data);
    options = defaults("t.csv");
    options.types = "a=colour";
    refused_with("a,class\n1,x\n", &options, 0, 0, "no kind of columns");
    options.types = "z=number";
    refused_with("a,class\n1,x\n", &options, 0, 0, "there is no column 'z'");
    options.types = "number";
    refused_with("a,class\n1,x\n", &options, 0, 0, "COLUMN=KIND");
    options = defaults("t.csv");
    options.label = "class,skip-unlabelled"; /* as pt_params_parse reads label=class,... */
    refused_with("a,class\n1,x\n", &options, 0, 0,
                 "no column 'skip-unlabelled', the columns are a, class; if the parameter is "
                 "meant, write `skip-unlabelled=yes`");
}

/* A copy of table_text with rows that have no label, behind its `row`-th line and behind the last.
 */
static const char *with_unlabelled(int row)
{
    static char text[2 * sizeof table_text];
    static const char ODD[] = "Anzahl: 60;checked;\n1.5;about 5;\nsoon;later;\n-;inf;\n?;?;\n";
    const char *at = table_text;
    for (int r = 0; r <= row; r++)
        at = strchr(at, '\n') + 1;
    snprintf(text, sizeof text, "%.*s%s%s%s%s%s", (int)(at - table_text), table_text, ODD, at, ODD,
             ODD, ODD);
    return text;
}

static char *judged_text(const pt_dataset *data)
{
    json_t *json = pt_judged_to_json(&data->judged, NULL);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text;
}

/* Rows without label that are left out have no say in what a column is: all is as without them. */
static void test_columns__unlabelled_rows_do_not_count(void **state)
{
    (void)state;
    static const make_fn MAKERS[] = {make_number, make_comma,  make_codes,   make_price,
                                     make_iso,    make_name,   make_unknown, make_percent,
                                     make_units,  make_phrase, make_late,    make_yes,
                                     make_time,   make_null,   make_slashes, make_thousands};
    pt_read_options options = defaults("t.csv");
    options.skip_unlabelled = true;
    for (size_t m = 0; m < sizeof MAKERS / sizeof *MAKERS; m++)
        for (int row = 25; row <= ROWS; row += 35) {
            pt_dataset *plain = read_column(MAKERS[m], &options);
            pt_dataset *data = read_with(with_unlabelled(row), &options);
            assert_int_equal(data->n, plain->n);
            assert_int_equal(data->d, plain->d);
            if (data->warnings.count != plain->warnings.count + 1)
                fail_msg("maker %zu, row %d: %lld warnings, %s", m, row,
                         (long long)data->warnings.count, data->warnings.items[0]);
            assert_true(warned(data, "20 rows without label are left out"));
            for (int64_t j = 0; j < plain->d; j++) {
                assert_string_equal(data->columns[j].name, plain->columns[j].name);
                assert_int_equal(data->columns[j].nominal, plain->columns[j].nominal);
                for (int64_t i = 0; i < plain->n; i++)
                    if (plain->columns[j].nominal)
                        assert_string_equal(level(data, i, j), level(plain, i, j));
                    else
                        assert_true(cell(data, i, j) == cell(plain, i, j) ||
                                    (isnan(cell(data, i, j)) && isnan(cell(plain, i, j))));
            }
            char *expected = judged_text(plain);
            char *found = judged_text(data);
            assert_string_equal(found, expected);
            free(expected);
            free(found);
            pt_dataset_free(plain);
            pt_dataset_free(data);
        }
}

static void test_header__a_count_above_whole_numbers_is_doubted(void **state)
{
    (void)state;
    const pt_read_options options = defaults("t.csv");
    pt_dataset *data = read_with("1,2,3\n3,1,2\n2,1,3\n", &options);
    assert_int_equal(data->n, 3);
    assert_true(warned(data, "the first line counts the columns"));
    pt_dataset_free(data);
    data = read_with("0,1,2,3,4,5\n9,8,0,0,70,1\n3,1,0,0,55,2\n", &options);
    assert_int_equal(data->n, 2);
    assert_string_equal(data->columns[4].name, "4");
    pt_dataset_free(data);
}

/* Every allocation of a judgement may fail: no leak, and nothing is read by half. */
static void test_columns__no_memory(void **state)
{
    (void)state;
    static const make_fn MAKERS[] = {make_codes, make_late, make_iso, make_name, make_unknown};
    const pt_read_options options = defaults("t.csv");
    for (size_t m = 0; m < sizeof MAKERS / sizeof *MAKERS; m++) {
        const char *text = table_of("a;b;class\n", MAKERS[m]);
        const int64_t live = pt_alloc_live();
        pt_status status = PT_ENOMEM;
        for (int64_t k = 1; status != PT_OK; k++) {
            pt_dataset *data = NULL;
            pt_error err = {0};
            pt_alloc_fail_from(k);
            status = read_copy(&data, text, strlen(text), &options, &err);
            pt_alloc_fail_from(0);
            assert_true(status == PT_OK || (status == PT_ENOMEM && !data));
            pt_dataset_free(data);
            assert_int_equal(pt_alloc_live(), live);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns__words_for_missing_leave_numbers),
        cmocka_unit_test(test_columns__numbers_among_codes_are_codes),
        cmocka_unit_test(test_columns__na_replaces_the_words),
        cmocka_unit_test(test_columns__several_units_are_told_beside_words),
        cmocka_unit_test(test_columns__types_that_lose_most_cells_are_refused),
        cmocka_unit_test(test_columns__numbers_of_na_are_gone_before_units_are_counted),
        cmocka_unit_test(test_columns__months_by_name_need_no_order),
        cmocka_unit_test(test_columns__styles_of_numbers),
        cmocka_unit_test(test_columns__a_lone_1_234_is_doubted),
        cmocka_unit_test(test_columns__dates_become_their_parts),
        cmocka_unit_test(test_columns__order_of_dates),
        cmocka_unit_test(test_columns__truths_are_one_column),
        cmocka_unit_test(test_columns__what_is_left_out),
        cmocka_unit_test(test_columns__the_only_feature_is_kept),
        cmocka_unit_test(test_columns__prediction_obeys),
        cmocka_unit_test(test_dialect__what_stands_above_and_between),
        cmocka_unit_test(test_dialect__options),
        cmocka_unit_test(test_columns__unlabelled_rows_do_not_count),
        cmocka_unit_test(test_columns__no_memory),
        cmocka_unit_test(test_header__a_count_above_whole_numbers_is_doubted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
