/* Labels that may be in another column, or of another kind: a warning, and none where all is well.
 */
#include "reader_helpers.h"

typedef void (*label_fn)(char *out, size_t room, int i);

static pt_dataset *read_labels(label_fn label, int rows, const pt_read_options *options)
{
    static char text[20000];
    size_t used = (size_t)snprintf(text, sizeof text, "a,class\n");
    for (int i = 0; i < rows; i++) {
        char own[64];
        label(own, sizeof own, i);
        used += (size_t)snprintf(text + used, sizeof text - used, "%d.5,%s\n", i % 7, own);
    }
    return read_with(text, options);
}

static void real_numbers(char *out, size_t room, int i)
{
    snprintf(out, room, "%d.%d", i % 11, i % 3);
}

static void halves(char *out, size_t room, int i)
{
    snprintf(out, room, "%.1f", 0.5 * (i % 6));
}

static void names(char *out, size_t room, int i)
{
    snprintf(out, room, "u%d", i % 70);
}

static void digits(char *out, size_t room, int i)
{
    snprintf(out, room, "%d.0", i % 10);
}

static void sets(char *out, size_t room, int i)
{
    static const char *const SETS[] = {"a", "b", "c", "a;b", "a;c", "b;c", "a;b;c"};
    snprintf(out, room, "%s", SETS[i % 7]);
}

static void rankings(char *out, size_t room, int i)
{
    static const char *const RANKINGS[] = {"a>b>c", "a>c>b", "b>a>c", "c>a>b", "c>b>a"};
    snprintf(out, room, "%s", RANKINGS[i % 5]);
}

static void pairs(char *out, size_t room, int i)
{
    static const char *const PAIRS[] = {"a>b;c>d", "a>c;b>d", "a>d;b>c", "d>a;c>b", "c>a;b>d"};
    snprintf(out, room, "%s", PAIRS[i % 5]);
}

static void phrases(char *out, size_t room, int i)
{
    static const char *const PHRASES[] = {"ham; boiled", "ham; raw", "spam"};
    snprintf(out, room, "%s", PHRASES[i % 3]);
}

static void cases(char *out, size_t room, int i)
{
    snprintf(out, room, "%s%d", i % 2 ? "k" : "K", i % 3);
}

static void unknown(char *out, size_t room, int i)
{
    snprintf(out, room, "%s", i % 5 ? "x" : "NA");
}

static void test_label_doubts__where_there_is_reason(void **state)
{
    (void)state;
    static const struct {
        label_fn label;
        int rows;
        const char *word; /* NULL: no doubt */
    } CASES[] = {
        {real_numbers, 100, "33 classes in 100 rows, and they are real numbers such as"},
        {halves, 100, NULL}, /* grades */
        {digits, 100, NULL}, /* as pandas writes integers */
        {names, 100, "70 classes in 100 rows: is `label` the right column?"},
        {names, 16, NULL}, /* too few to say */
        {sets, 100, "look like sets: say `labels=set`"},
        {rankings, 100, "look like rankings: say `labels=ranking`"},
        {pairs, 100, "look like pairs: say `labels=pairs`"},
        {phrases, 100, NULL},
        {cases, 100, "3 classes (such as 'k0') differ from another in capitals or blanks alone"},
        {unknown, 100, "'NA' is a class; say `na=+NA`"},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        pt_read_options options = defaults("t.csv");
        pt_dataset *data = read_labels(CASES[c].label, CASES[c].rows, &options);
        if (data->warnings.count != (CASES[c].word != NULL) ||
            (CASES[c].word && !warned(data, CASES[c].word)))
            fail_msg("case %zu: %lld warnings, %s", c, (long long)data->warnings.count,
                     data->warnings.count ? data->warnings.items[0] : "");
        pt_dataset_free(data);
        options.label_optional = true; /* a file for prediction is not doubted */
        data = read_labels(CASES[c].label, CASES[c].rows, &options);
        assert_int_equal(data->warnings.count, 0);
        pt_dataset_free(data);
    }
    pt_read_options options = defaults("t.csv");
    options.labels_said = true; /* whoever says class means it */
    pt_dataset *data = read_labels(rankings, 100, &options);
    assert_int_equal(data->warnings.count, 0);
    pt_dataset_free(data);
    const pt_read_options libsvm = defaults("t.svm");
    char text[4000];
    size_t used = 0;
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d.25 1:%d\n", i, i);
    data = read_with(text, &libsvm);
    assert_true(warned(data, "40 classes in 40 rows, and they are real numbers"));
    pt_dataset_free(data);
}

static void test_label_doubts__an_empty_set_names_its_option(void **state)
{
    (void)state;
    const pt_read_options options = defaults("t.csv");
    refused_with("x,tags\n1,\n2,a;b\n", &options, 2, 3, "say `labels=set`");
}

/* Three ranks in three columns, whose last is read as the label; in one row of the other file two
 * are equal. */
/* A set of which commas were thought to part the classes, and names that differ in capitals. */
static void test_label_doubts__sets_of_other_signs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *word; /* NULL: no doubt */
    } CASES[] = {
        {"x;tags\n1;a, b\n2;b\n3;a\n4;\n", "1 class such as 'a, b' seems to hold several"},
        {"x;tags\n1;a, b\n2;b, c\n3;c, a\n4;\n", "3 classes such as 'a, b' seem to hold several"},
        {"x;tags\n1;a|b\n2;b|a\n3;a\n4;\n", "2 classes such as 'a|b' seem"},
        {"x;tags\n1;\"sour, cold\"\n2;\"hot, dry;wet\"\n3;wet\n4;\n", NULL}, /* names */
        {"x;tags\n1;\"a;b\"\n2;B\n3;a\n4;\n", "1 class (such as 'b') differs from another in"},
        {"x;tags\n1;\"a;b\"\n2;b\n3;a\n4;\n", NULL},
        {"x,tag_a,tag_b,\"tag_a/tag_b\"\n1,0,1,0\n2,1,1,0\n3,0,0,1\n", NULL}, /* columns */
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        pt_read_options options = defaults("t.csv");
        options.labels = "set";
        options.labels_said = true;
        options.separator = CASES[c].text[1] == ';' ? "semicolon" : "comma";
        options.label = CASES[c].text[1] == ';' ? "tags" : "tag_*";
        pt_dataset *data = read_with(CASES[c].text, &options);
        if (data->warnings.count != (CASES[c].word != NULL) ||
            (CASES[c].word && !warned(data, CASES[c].word)))
            fail_msg("case %zu: %lld warnings, %s", c, (long long)data->warnings.count,
                     data->warnings.count ? data->warnings.items[0] : "");
        pt_dataset_free(data);
        options.label_optional = true;
        data = read_with(CASES[c].text, &options);
        assert_int_equal(data->warnings.count, 0);
        pt_dataset_free(data);
    }
}

static void test_label_doubts__columns_of_ranks(void **state)
{
    (void)state;
    static const char *const ORDER[] = {"1,2,3", "3,1,2", "2,3,1", "2,1,3"};
    for (int spoiled = 0; spoiled < 2; spoiled++) {
        const pt_read_options options = defaults("t.csv");
        char text[2000] = "x,ra,rb,rc\n";
        size_t used = strlen(text);
        for (int i = 0; i < 40; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%d.5,%s\n", i * 7 % 11,
                                     spoiled && i == 31 ? "1,1,3" : ORDER[i % 4]);
        pt_dataset *data = read_with(text, &options);
        assert_int_equal(warned(data, "with `ranks`"), !spoiled);
        pt_dataset_free(data);
    }
}

/* 60 rows of a class and one of another, or `few` of it. */
static bool doubts_class(const char *common, const char *rare, int few, const char *words)
{
    const pt_read_options options = defaults("t.csv");
    char text[6000] = "x,class\n";
    size_t used = strlen(text);
    for (int i = 0; i < 60; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d.5,%s\n%d.5,other kind\n",
                                 i % 11, common, i % 7);
    for (int i = 0; i < few; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d.5,%s\n", i, rare);
    pt_dataset *data = read_with(text, &options);
    const bool doubted = warned(data, words);
    pt_dataset_free(data);
    return doubted;
}

static void test_label_doubts__classes_that_are_misspelled(void **state)
{
    (void)state;
    static const char *const MISSPELLED[][2] = {{"worn", "wron"},         {"worn", "wor n"},
                                                {"leaking", "leakng"},    {"setosa", "setosas"},
                                                {"low risk", "low rusk"}, {"worn", "warn"}};
    static const char *const OTHERS[][2] = {
        {"type1", "type2"}, {"grade a", "grade b"}, {"cat", "cot"},         {"male", "female"},
        {"boat", "goat"},   {"a-part", "a.part"},   {"worn", "torn apart"}, {"worn-1", "worn-"}};
    for (size_t c = 0; c < sizeof MISSPELLED / sizeof *MISSPELLED; c++) {
        char words[80];
        snprintf(words, sizeof words, "is it '%s', which has 60, misspelled?", MISSPELLED[c][0]);
        const bool blank = strchr(MISSPELLED[c][1], ' ') && !strchr(MISSPELLED[c][0], ' ');
        assert_int_equal(doubts_class(MISSPELLED[c][0], MISSPELLED[c][1], 1, words), !blank);
    }
    for (size_t c = 0; c < sizeof OTHERS / sizeof *OTHERS; c++)
        assert_false(doubts_class(OTHERS[c][0], OTHERS[c][1], 1, "misspelled"));
    assert_true(doubts_class("worn", "wron", 3, "misspelled"));
    assert_false(doubts_class("worn", "wron", 4, "misspelled"));
}

static void test_label_doubts__classes_of_one_row(void **state)
{
    (void)state;
    assert_true(doubts_class("worn", "pending", 1, "1 class has one row ('pending')"));
    assert_false(doubts_class("worn", "pending", 2, "one row"));
    assert_false(doubts_class("worn", "wron", 1, "has one row ("));
    assert_false(doubts_class("worn", "Total", 1, "has one row ("));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_doubts__where_there_is_reason),
        cmocka_unit_test(test_label_doubts__an_empty_set_names_its_option),
        cmocka_unit_test(test_label_doubts__sets_of_other_signs),
        cmocka_unit_test(test_label_doubts__columns_of_ranks),
        cmocka_unit_test(test_label_doubts__classes_that_are_misspelled),
        cmocka_unit_test(test_label_doubts__classes_of_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
