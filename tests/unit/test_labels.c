/* Labels: the order of class names, numbering, subsets, and what happens when memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "data/labels/labels.h"

enum { LONG_ENOUGH = 32 };

static pt_labels *labels_of(const char *const *text, int64_t n)
{
    size_t *length = calloc((size_t)n + 1, sizeof *length);
    for (int64_t i = 0; i < n; i++)
        length[i] = text[i] ? strlen(text[i]) : 0;
    pt_error err = PT_ERROR_INIT;
    pt_labels *labels = NULL;
    assert_int_equal(pt_labels_from_texts(&labels, n, text, length, &err), PT_OK);
    free(length);
    return labels;
}

static void assert_classes(const pt_labels *labels, const char *const *expected, int64_t k)
{
    assert_int_equal(pt_labels_n_classes(labels), k);
    for (int64_t r = 0; r < k; r++)
        assert_string_equal(labels->classes.items[r], expected[r]);
}

static void test_labels__sorted_numerically_if_all_integers(void **state)
{
    (void)state;
    const char *text[] = {"10",
                          "9",
                          "-3",
                          "10",
                          "123456789012345678901234567890",
                          "-99999999999999999999",
                          "0",
                          "12345678901234567890123456789"};
    const char *sorted[] = {
        "-99999999999999999999",         "-3", "0", "9", "10", "12345678901234567890123456789",
        "123456789012345678901234567890"};
    pt_labels *labels = labels_of(text, 8);
    assert_classes(labels, sorted, 7);
    for (int64_t i = 0; i < 8; i++)
        assert_string_equal(sorted[labels->class_of[i]], text[i]);
    pt_labels_free(labels);
}

static void test_labels__sorted_by_bytes_otherwise(void **state)
{
    (void)state;
    const char *text[] = {"10", "9", "b", "B", "\xc3\xa9", "-", "+", "1e3", "1 "};
    const char *sorted[] = {"+", "-", "1 ", "10", "1e3", "9", "B", "b", "\xc3\xa9"};
    pt_labels *labels = labels_of(text, 9);
    assert_classes(labels, sorted, 9);
    pt_labels_free(labels);
}

static void test_labels__equal_values_are_different_classes_in_a_total_order(void **state)
{
    (void)state;
    const char *text[] = {"1", "01", "+1", "0", "-0", "+0", "-1", "-01", "00"};
    const char *sorted[] = {"-01", "-1", "+0", "-0", "0", "00", "+1", "01", "1"};
    pt_labels *labels = labels_of(text, 9);
    assert_classes(labels, sorted, 9);
    pt_labels_free(labels);
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < 9; b++) {
            const int order = pt_class_compare(sorted[a], sorted[b], 1);
            assert_int_equal((order > 0) - (order < 0), (a > b) - (a < b));
        }
}

/* Random names, short and long, of few different characters: sorted as the definition says. */
static void check_random_names(const char *alphabet, int64_t signs, int all_integers)
{
    enum { N = 400 };
    char(*name)[LONG_ENOUGH] = calloc(N, sizeof *name);
    const char *text[N];
    pt_random random;
    pt_random_init(&random, 11, PT_RANDOM_TEST, 0);
    for (int i = 0; i < N; i++) {
        const char *sign[] = {"", "-", "+"};
        int64_t at = snprintf(name[i], LONG_ENOUGH, "%s", sign[pt_random_below(&random, signs)]);
        for (int64_t left = 1 + pt_random_below(&random, LONG_ENOUGH - 3); left > 0; left--)
            name[i][at++] = alphabet[pt_random_below(&random, (int64_t)strlen(alphabet))];
        text[i] = name[i];
    }
    pt_labels *labels = labels_of(text, N);
    for (int64_t r = 1; r < pt_labels_n_classes(labels); r++)
        assert_true(pt_class_compare(labels->classes.items[r - 1], labels->classes.items[r],
                                     all_integers) < 0);
    for (int i = 0; i < N; i++)
        assert_string_equal(labels->classes.items[labels->class_of[i]], text[i]);
    pt_labels_free(labels);
    free(name);
}

static void test_labels__random_names_are_in_order(void **state)
{
    (void)state;
    check_random_names("01", 3, 1);
    check_random_names("0123456789", 2, 1);
    check_random_names("ab", 1, 0);
    check_random_names("a\xff\x01", 3, 0);
}

static void test_labels__none_is_minus_one(void **state)
{
    (void)state;
    const char *text[] = {NULL, "a", "", "b"};
    pt_labels *labels = labels_of(text, 4);
    assert_int_equal(labels->class_of[0], -1);
    assert_int_equal(labels->class_of[1], 0);
    assert_int_equal(labels->class_of[2], -1);
    assert_int_equal(labels->class_of[3], 1);
    pt_labels_free(labels);
}

static void test_labels__zero_byte_is_refused_with_its_row(void **state)
{
    (void)state;
    const char *text[] = {"a", "a\0b"};
    const size_t length[] = {1, 3};
    pt_labels *labels = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_labels_from_texts(&labels, 2, text, length, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "example 2"));
    assert_null(labels);
}

static void test_labels__one_example_one_class(void **state)
{
    (void)state;
    const char *text[] = {"only"};
    pt_labels *labels = labels_of(text, 1);
    assert_classes(labels, text, 1);
    assert_int_equal(labels->class_of[0], 0);
    pt_labels_free(labels);
    labels = labels_of(text, 0);
    assert_classes(labels, NULL, 0);
    pt_labels_free(labels);
}

static void test_labels__many_classes(void **state)
{
    (void)state;
    enum { K = 5000, N = 3 * K };
    char(*name)[LONG_ENOUGH] = calloc(N, sizeof *name);
    const char **text = calloc(N, sizeof *text);
    for (int i = 0; i < N; i++) { /* 7919 is prime to 5000: all classes, in a mixed order */
        snprintf(name[i], sizeof name[i], "%d", (int)(7919L * i % K) - K / 2);
        text[i] = name[i];
    }
    pt_labels *labels = labels_of(text, N);
    assert_int_equal(pt_labels_n_classes(labels), K);
    for (int r = 0; r < K; r++)
        assert_int_equal(strtol(labels->classes.items[r], NULL, 10), r - K / 2);
    for (int i = 0; i < N; i++)
        assert_string_equal(labels->classes.items[labels->class_of[i]], text[i]);
    pt_labels_free(labels);
    free(text);
    free(name);
}

static void test_labels__codes_are_renumbered_and_empty_classes_kept(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_texts names = {NULL, 0, 0};
    const char *name[] = {"c", "a", "unused", "b", "a"};
    for (int i = 0; i < 5; i++)
        assert_int_equal(pt_texts_add(&names, &err, "%s", name[i]), PT_OK);
    const int64_t code[] = {0, 3, -1, 1, 4};
    pt_labels *labels = NULL;
    assert_int_equal(pt_labels_from_codes(&labels, 5, code, &names, &err), PT_OK);
    const char *sorted[] = {"a", "b", "c", "unused"};
    assert_classes(labels, sorted, 4);
    const int64_t expected[] = {2, 1, -1, 0, 0};
    assert_memory_equal(labels->class_of, expected, sizeof expected);
    pt_labels_free(labels);

    const int64_t outside[] = {0, 5};
    assert_int_equal(pt_labels_from_codes(&labels, 2, outside, &names, &err), PT_EINVAL);
    pt_texts_free(&names);
}

static void test_labels__subset_keeps_all_classes(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    const char *text[] = {"b", "a", NULL, "c"};
    const char *sorted[] = {"a", "b", "c"};
    pt_labels *labels = labels_of(text, 4);
    const int64_t rows[] = {2, 0, 0};
    pt_labels *subset = NULL;
    assert_int_equal(pt_labels_subset(&subset, labels, rows, 3, &err), PT_OK);
    assert_classes(subset, sorted, 3);
    const int64_t expected[] = {-1, 1, 1};
    assert_memory_equal(subset->class_of, expected, sizeof expected);
    pt_labels_free(subset);
    const int64_t outside[] = {4};
    assert_int_equal(pt_labels_subset(&subset, labels, outside, 1, &err), PT_EINVAL);
    pt_labels_free(labels);
}

static void test_labels__subset_of_rankings(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    int64_t start[] = {0, 2, 2, 5};
    int64_t item[] = {1, 0, 2, 0, 1};
    int64_t rank[] = {0, 1, 0, 0, 1};
    pt_labels labels = {PT_LABEL_RANKING, 3, {NULL, 0, 0}, NULL, start, item, rank};
    const int64_t rows[] = {2, 1, 0};
    pt_labels *subset = NULL;
    assert_int_equal(pt_labels_subset(&subset, &labels, rows, 3, &err), PT_OK);
    const int64_t expected_start[] = {0, 3, 3, 5};
    const int64_t expected_item[] = {2, 0, 1, 1, 0};
    const int64_t expected_rank[] = {0, 0, 1, 0, 1};
    assert_memory_equal(subset->start, expected_start, sizeof expected_start);
    assert_memory_equal(subset->item, expected_item, sizeof expected_item);
    assert_memory_equal(subset->rank, expected_rank, sizeof expected_rank);
    pt_labels_free(subset);
}

static void test_labels__kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(pt_label_kind_name(PT_LABEL_CLASS), "class");
    assert_string_equal(pt_label_kind_name(PT_LABEL_SET), "set");
    assert_string_equal(pt_label_kind_name(PT_LABEL_RANKING), "ranking");
    assert_string_equal(pt_label_kind_name(PT_LABEL_PAIRS), "pairs");
}

static void test_labels__no_memory_leaves_nothing(void **state)
{
    (void)state;
    const char *text[40];
    size_t length[40];
    char name[40][LONG_ENOUGH];
    for (int i = 0; i < 40; i++) {
        length[i] = (size_t)snprintf(name[i], sizeof name[i], "class %d", i % 20);
        text[i] = name[i];
    }
    const int64_t rows[] = {3, 1};
    const int64_t before = pt_alloc_live();
    bool done = false;
    for (int64_t number = 1; !done; number++) {
        pt_error err = PT_ERROR_INIT;
        pt_labels *labels = NULL;
        pt_labels *subset = NULL;
        pt_alloc_fail_from(number);
        pt_status status = pt_labels_from_texts(&labels, 40, text, length, &err);
        if (status == PT_OK)
            status = pt_labels_subset(&subset, labels, rows, 2, &err);
        pt_alloc_fail_from(0);
        done = status == PT_OK;
        if (!done) {
            assert_int_equal(status, PT_ENOMEM);
            assert_int_equal(err.code, PT_ENOMEM);
            assert_null(subset);
        }
        pt_labels_free(labels);
        pt_labels_free(subset);
        assert_int_equal(pt_alloc_live(), before);
        assert_true(number < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels__sorted_numerically_if_all_integers),
        cmocka_unit_test(test_labels__sorted_by_bytes_otherwise),
        cmocka_unit_test(test_labels__equal_values_are_different_classes_in_a_total_order),
        cmocka_unit_test(test_labels__random_names_are_in_order),
        cmocka_unit_test(test_labels__none_is_minus_one),
        cmocka_unit_test(test_labels__zero_byte_is_refused_with_its_row),
        cmocka_unit_test(test_labels__one_example_one_class),
        cmocka_unit_test(test_labels__many_classes),
        cmocka_unit_test(test_labels__codes_are_renumbered_and_empty_classes_kept),
        cmocka_unit_test(test_labels__subset_keeps_all_classes),
        cmocka_unit_test(test_labels__subset_of_rankings),
        cmocka_unit_test(test_labels__kinds_have_names),
        cmocka_unit_test(test_labels__no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
