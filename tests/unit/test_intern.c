/* Numbered texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "data/read/intern.h"

static void test_intern__numbers_follow_first_appearance(void **state)
{
    (void)state;
    enum { DIFFERENT = 20000 };
    pt_intern intern;
    memset(&intern, 0, sizeof intern);
    pt_error err = PT_ERROR_INIT;
    for (int i = 0; i < 3 * DIFFERENT; i++) {
        char text[16];
        const int length = snprintf(text, sizeof text, "t%d", i % DIFFERENT);
        int64_t number = -1;
        assert_int_equal(pt_intern_add(&intern, text, (size_t)length, &number, &err), PT_OK);
        assert_int_equal(number, i % DIFFERENT);
    }
    assert_int_equal(intern.texts.count, DIFFERENT);
    assert_int_equal(pt_intern_find(&intern, "t777", 4), 777);
    assert_int_equal(pt_intern_find(&intern, "t777", 3), 77); /* the length counts */
    assert_int_equal(pt_intern_find(&intern, "t20000", 6), -1);
    assert_int_equal(pt_intern_find(&intern, "", 0), -1);
    pt_intern_free(&intern);
}

static void test_intern__prefixes_and_the_empty_text_differ(void **state)
{
    (void)state;
    pt_intern intern;
    memset(&intern, 0, sizeof intern);
    pt_error err = PT_ERROR_INIT;
    const char *texts[] = {"abc", "ab", "", "abcd", "a"};
    for (int64_t i = 0; i < 5; i++) {
        int64_t number = -1;
        assert_int_equal(pt_intern_find(&intern, texts[i], strlen(texts[i])), -1);
        assert_int_equal(pt_intern_add(&intern, texts[i], strlen(texts[i]), &number, &err), PT_OK);
        assert_int_equal(number, i);
    }
    for (int64_t i = 0; i < 5; i++)
        assert_int_equal(pt_intern_find(&intern, texts[i], strlen(texts[i])), i);
    pt_intern_free(&intern);
}

static void test_intern__fill_refuses_a_text_twice(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_texts texts = {NULL, 0, 0};
    const char *text[] = {"x", "y", "x"};
    for (int i = 0; i < 3; i++)
        assert_int_equal(pt_texts_add(&texts, &err, "%s", text[i]), PT_OK);
    pt_intern intern;
    memset(&intern, 0, sizeof intern);
    assert_int_equal(pt_intern_fill(&intern, &texts, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "'x' is listed twice"));
    pt_intern_free(&intern);
    texts.count = 2;
    assert_int_equal(pt_intern_fill(&intern, &texts, &err), PT_OK);
    assert_int_equal(pt_intern_find(&intern, "y", 1), 1);
    pt_intern_free(&intern);
    texts.count = 3;
    pt_texts_free(&texts);
}

/* A failed addition changes nothing: the next one works. */
static void test_intern__survives_a_failed_addition(void **state)
{
    (void)state;
    const int64_t before = pt_alloc_live();
    pt_intern intern;
    memset(&intern, 0, sizeof intern);
    pt_error err = PT_ERROR_INIT;
    for (int i = 0; i < 200; i++) {
        char text[16];
        const size_t length = (size_t)snprintf(text, sizeof text, "%d", i);
        int64_t number = -1;
        bool done = false;
        for (int64_t fail = 1; !done; fail++) {
            pt_alloc_fail_from(fail);
            const pt_status status = pt_intern_add(&intern, text, length, &number, &err);
            pt_alloc_fail_from(0);
            done = status == PT_OK;
            assert_true(done || status == PT_ENOMEM);
        }
        assert_int_equal(number, i);
    }
    assert_int_equal(pt_intern_find(&intern, "123", 3), 123);
    pt_intern_free(&intern);
    assert_int_equal(pt_alloc_live(), before);
}

/* What a worker of a reader holds: all of it is taken from the budget, in few blocks. */
static void test_dictionary__a_text_takes_less_than_40_bytes_beside_its_letters(void **state)
{
    (void)state;
    enum { DIFFERENT = 300000 };
    const int64_t before = pt_alloc_live();
    pt_budget budget = {.limit = INT64_MAX};
    pt_dictionary dictionary;
    memset(&dictionary, 0, sizeof dictionary);
    dictionary.words.budget = &budget;
    pt_error err = PT_ERROR_INIT;
    int64_t letters = 0;
    for (int i = 0; i < DIFFERENT; i++) {
        char text[16];
        const int length = snprintf(text, sizeof text, "u%d", i);
        int64_t number = -1;
        letters += length;
        assert_int_equal(
            pt_dictionary_add(&dictionary, text, (size_t)length, 10 * i, &number, &err), PT_OK);
        assert_int_equal(number, i);
        const int64_t beside = pt_budget_used(&budget) - letters;
        if (i >= 1000)
            assert_true(beside < (int64_t)40 * (i + 1));
    }
    assert_true(pt_alloc_live() - before < 40);
    pt_dictionary_free(&dictionary);
    assert_int_equal(pt_budget_used(&budget), 0);
    assert_int_equal(pt_alloc_live(), before);
}

static void test_dictionary__the_budget_is_the_end(void **state)
{
    (void)state;
    const int64_t before = pt_alloc_live();
    pt_budget budget = {.limit = 100000};
    pt_dictionary dictionary;
    memset(&dictionary, 0, sizeof dictionary);
    dictionary.words.budget = &budget;
    pt_error err = PT_ERROR_INIT;
    pt_status status = PT_OK;
    int64_t kept = 0;
    for (; status == PT_OK; kept++) {
        char text[16];
        const int length = snprintf(text, sizeof text, "%d", (int)kept);
        int64_t number = -1;
        status = pt_dictionary_add(&dictionary, text, (size_t)length, kept, &number, &err);
        assert_true(pt_budget_used(&budget) <= budget.limit);
    }
    assert_int_equal(status, PT_EMEMORY);
    assert_non_null(strstr(err.text, "more than the 100.0 kB of memory that may be used"));
    assert_true(kept > 100000 / 50);
    pt_dictionary_free(&dictionary);
    assert_int_equal(pt_budget_used(&budget), 0);
    assert_int_equal(pt_alloc_live(), before);
}

/* Words of parts that met each others' words: against the order of all meetings. */
static void merge_and_compare(int n_parts, int n_words, int n_met, pt_budget *budget)
{
    pt_error err = PT_ERROR_INIT;
    pt_dictionary parts[5];
    uint32_t *map[5] = {NULL};
    memset(parts, 0, sizeof parts);
    pt_intern expected;
    pt_intern merged;
    memset(&expected, 0, sizeof expected);
    memset(&merged, 0, sizeof merged);
    unsigned draw = 12345;
    int64_t numbers[3000];
    int64_t own[3000];
    int part_of[3000];
    for (int p = 0; p < n_parts; p++)
        parts[p].words.budget = budget;
    for (int i = 0; i < n_met; i++) {
        char text[16];
        draw = draw * 1103515245U + 12345U;
        const int length = snprintf(text, sizeof text, "w%u", (draw >> 8) % (unsigned)n_words);
        part_of[i] = (i / 37) % n_parts;
        pt_dictionary *part = &parts[part_of[i]];
        assert_int_equal(pt_intern_add(&expected, text, (size_t)length, &numbers[i], &err), PT_OK);
        assert_int_equal(
            pt_dictionary_add(part, text, (size_t)length, 1000000007LL * i, &own[i], &err), PT_OK);
    }
    int64_t *first = NULL;
    assert_int_equal(pt_dictionary_merge(&merged, parts, n_parts, 1, map, &first, &err), PT_OK);
    assert_int_equal(merged.texts.count, expected.texts.count);
    for (int64_t i = 0; i < expected.texts.count; i++)
        assert_string_equal(merged.texts.items[i], expected.texts.items[i]);
    int64_t seen = 0;
    for (int i = 0; i < n_met; i++) {
        const uint32_t *of_part = map[part_of[i]];
        assert_int_equal(of_part ? (int64_t)of_part[own[i]] : own[i], numbers[i]);
        if (numbers[i] == seen)
            assert_int_equal(first[seen++], 1000000007LL * i);
    }
    for (int p = 0; p < n_parts; p++) {
        pt_dictionary_free(&parts[p]);
        pt_free(map[p]);
    }
    pt_budget_give(budget, (size_t)pt_budget_used(budget)); /* of `first` */
    merged.budget = NULL;
    pt_free(first);
    pt_intern_free(&merged);
    pt_intern_free(&expected);
}

static void test_dictionary__merged_in_the_order_of_the_file(void **state)
{
    (void)state;
    const int64_t before = pt_alloc_live();
    pt_budget budget = {.limit = INT64_MAX};
    for (int n_parts = 1; n_parts <= 5; n_parts++) {
        merge_and_compare(n_parts, 50, 400, NULL);
        merge_and_compare(n_parts, 2500, 3000, &budget);
        merge_and_compare(n_parts, 5, 30, NULL); /* one part has it all */
    }
    assert_int_equal(pt_alloc_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intern__numbers_follow_first_appearance),
        cmocka_unit_test(test_intern__prefixes_and_the_empty_text_differ),
        cmocka_unit_test(test_intern__fill_refuses_a_text_twice),
        cmocka_unit_test(test_intern__survives_a_failed_addition),
        cmocka_unit_test(test_dictionary__a_text_takes_less_than_40_bytes_beside_its_letters),
        cmocka_unit_test(test_dictionary__the_budget_is_the_end),
        cmocka_unit_test(test_dictionary__merged_in_the_order_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
