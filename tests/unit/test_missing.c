/* Words for missing cells: the list of --na. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "data/judge/judge_cells.h"

static bool missing(const char *na, const char *text)
{
    return pt_is_missing_word(na, text, strlen(text));
}

static void test_missing__a_plus_before_any_word_adds_the_list(void **state)
{
    (void)state;
    static const char *const ADDING[] = {"+pending,-999", "+pending,+-999", "pending,+-999"};
    for (int l = 0; l < 3; l++) {
        assert_true(pt_na_adds(ADDING[l]));
        assert_true(missing(ADDING[l], "pending") && missing(ADDING[l], "-999"));
        assert_true(missing(ADDING[l], "NA") && missing(ADDING[l], ""));
        assert_false(missing(ADDING[l], "+-999") || missing(ADDING[l], "+pending"));
        assert_true(pt_is_gap_word(ADDING[l], "-", 1));
    }
    assert_false(pt_na_adds("pending,-999") || pt_na_adds("") || pt_na_adds(NULL));
    assert_false(missing("pending,-999", "NA") || pt_is_gap_word("pending", "-", 1));
}

static void test_missing__a_plus_alone_is_a_word(void **state)
{
    (void)state;
    assert_false(pt_na_adds("+") || pt_na_adds("-,+") || pt_na_adds("+,-"));
    assert_true(missing("-,+", "+") && missing("+,-", "-"));
    assert_true(pt_na_adds("++") && missing("++", "+"));
    assert_false(missing("-,+", "NA"));
}

static void test_missing__words_that_are_met_are_noted(void **state)
{
    (void)state;
    static const char LIST[] = "+a,,+-9,b";
    uint64_t seen = 0;
    size_t length = 0;
    const char *at = LIST;
    static const char *const WORDS[] = {"a", "", "-9", "b"};
    for (int w = 0; w < 4; w++) {
        const char *word = pt_na_next(&at, &length);
        assert_int_equal(length, strlen(WORDS[w]));
        assert_memory_equal(word, WORDS[w], length);
    }
    assert_null(pt_na_next(&at, &length));
    pt_na_note(LIST, "b", 1, &seen);
    pt_na_note(LIST, "-9", 2, &seen);
    pt_na_note(LIST, "+-9", 3, &seen);
    pt_na_note(LIST, "NA", 2, &seen);
    assert_int_equal(seen, 1 << 3 | 1 << 2);
}

/* A word is missing in the joined list where it is in either; the usual ones as in the first. */
static void test_missing__a_list_beside_that_of_a_model(void **state)
{
    (void)state;
    static const struct {
        const char *own;
        const char *more;
        const char *joined;
        bool usual;
    } CASES[] = {
        {"+n.b.,999", "+lost", "+n.b.,999,+lost", true},
        {"n.b.,+999", "lost,+gone", "n.b.,+999,+lost,+gone", true},
        {"n.b.,999", "+lost,x", "n.b.,999,lost,x", false},
        {"n.b.", "++", "n.b.,+", false},
        {"+n.b.", "++", "+n.b.,++", true},
        {"+n.b.", "+++5", "+n.b.,+++5", true},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        pt_error err = PT_ERROR_INIT;
        char *joined = NULL;
        assert_int_equal(pt_na_join(&joined, CASES[c].own, CASES[c].more, &err), PT_OK);
        assert_string_equal(joined, CASES[c].joined);
        const char *lists[] = {CASES[c].own, CASES[c].more};
        for (int l = 0; l < 2; l++) {
            size_t length = 0;
            for (const char *at = lists[l], *word; (word = pt_na_next(&at, &length));)
                assert_true(pt_is_named_missing(joined, word, length));
        }
        assert_int_equal(missing(joined, "NA"), CASES[c].usual);
        assert_false(missing(joined, "+lost") || missing(joined, "one"));
        pt_free(joined);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing__a_list_beside_that_of_a_model),
        cmocka_unit_test(test_missing__a_plus_before_any_word_adds_the_list),
        cmocka_unit_test(test_missing__a_plus_alone_is_a_word),
        cmocka_unit_test(test_missing__words_that_are_met_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
