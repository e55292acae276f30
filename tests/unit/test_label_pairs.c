/* Labels of every kind from items, their pairs (HRZ Table 1), and scores that are right or wrong
 * about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "data/labels/label_pairs.h"
#include "metrics/label_judge.h"

enum { ROOM = 64 };

static pt_texts names_of(const char *const *name, int64_t count)
{
    pt_texts names = {NULL, 0, 0};
    for (int64_t c = 0; c < count; c++)
        assert_int_equal(pt_texts_add_n(&names, name[c], strlen(name[c]), NULL), PT_OK);
    return names;
}

static pt_status items(pt_labels **out, pt_label_kind kind, int64_t n, const int64_t *start,
                       const int64_t *item, const int64_t *rank, int64_t *bad, pt_error *err)
{
    static const char *const NAMES[] = {"d", "a", "c", "b"}; /* 0 -> 3, 1 -> 0, 2 -> 2, 3 -> 1 */
    pt_texts names = names_of(NAMES, 4);
    const pt_status status =
        pt_labels_from_items(out, kind, n, start, item, rank, &names, bad, err);
    pt_texts_free(&names);
    return status;
}

/* "ab ac": the pairs of example i, classes as letters from a, the threshold of four classes as e.
 */
static void assert_pairs(const pt_labels *labels, int64_t i, unsigned how, const char *expected)
{
    pt_label_pair pairs[ROOM];
    char text[3 * ROOM + 1] = "";
    const int64_t count = pt_label_pairs_of(labels, i, how, pairs);
    assert_int_equal(count, pt_label_pairs_count(labels, i, how));
    assert_true(count <= pt_label_pairs_most(labels, how));
    for (int64_t c = 0; c < count; c++) {
        const char pair[4] = {(char)('a' + pairs[c].before), (char)('a' + pairs[c].after),
                              c + 1 < count ? ' ' : '\0', '\0'};
        (void)strncat(text, pair, sizeof text - strlen(text) - 1);
    }
    assert_string_equal(text, expected);
}

static void test_label_pairs__of_sets(void **state)
{
    (void)state;
    const int64_t start[] = {0, 2, 2, 6};
    const int64_t item[] = {2, 1, 0, 1, 2, 3}; /* {a, c}, {}, all */
    pt_labels *labels = NULL;
    assert_int_equal(items(&labels, PT_LABEL_SET, 3, start, item, NULL, NULL, NULL), PT_OK);
    assert_pairs(labels, 0, 0, "ab ad cb cd");
    assert_pairs(labels, 0, PT_PAIRS_THRESHOLD, "ae ab ad ce cb cd eb ed");
    assert_pairs(labels, 1, 0, "");
    assert_pairs(labels, 1, PT_PAIRS_THRESHOLD, "ea eb ec ed");
    assert_pairs(labels, 2, 0, "");
    assert_pairs(labels, 2, PT_PAIRS_THRESHOLD, "ae be ce de");
    assert_int_equal(pt_label_pairs_n_classes(labels, PT_PAIRS_THRESHOLD), 5);
    assert_int_equal(pt_label_pairs_n_classes(labels, 0), 4);
    pt_labels_free(labels);
}

static void test_label_pairs__of_rankings(void **state)
{
    (void)state;
    const int64_t start[] = {0, 4, 7, 7};
    const int64_t item[] = {0, 1, 2, 3, 1, 2, 3};
    const int64_t rank[] = {4, 1, 2, 3, 7, 7, -2}; /* a > c > b > d; b > {a, c}; nothing */
    pt_labels *labels = NULL;
    assert_int_equal(items(&labels, PT_LABEL_RANKING, 3, start, item, rank, NULL, NULL), PT_OK);
    assert_pairs(labels, 0, 0, "ac cb bd");
    assert_pairs(labels, 0, PT_PAIRS_CLOSED, "ac ab ad cb cd bd");
    assert_pairs(labels, 1, 0, "ba bc");
    assert_pairs(labels, 1, PT_PAIRS_CLOSED, "ba bc");
    assert_pairs(labels, 2, 0, "");
    assert_true(pt_labels_has(labels, 1));
    assert_false(pt_labels_has(labels, 2));
    pt_labels_free(labels);
}

static void test_label_pairs__as_given_without_repetition(void **state)
{
    (void)state;
    const int64_t start[] = {0, 8};
    const int64_t item[] = {1, 3, 3, 0, 1, 3, 2, 0}; /* a b, b d, a b, c d */
    pt_labels *labels = NULL;
    assert_int_equal(items(&labels, PT_LABEL_PAIRS, 1, start, item, NULL, NULL, NULL), PT_OK);
    assert_pairs(labels, 0, 0, "ab bd cd");
    pt_labels_free(labels);
}

static void test_label_pairs__of_classes(void **state)
{
    (void)state;
    const char *text[] = {"b", "a", "c", ""};
    const size_t length[] = {1, 1, 1, 0};
    pt_labels *labels = NULL;
    assert_int_equal(pt_labels_from_texts(&labels, 4, text, length, NULL), PT_OK);
    assert_pairs(labels, 0, 0, "ba bc");
    assert_pairs(labels, 3, 0, "");
    pt_labels_free(labels);
}

static void test_label_pairs__contradictions_are_refused_with_the_example(void **state)
{
    (void)state;
    const int64_t start[] = {0, 0, 4};
    const int64_t six[] = {0, 0, 6};
    static const struct {
        pt_label_kind kind;
        int64_t item[6];
        int64_t length;
        const char *says;
    } CASES[] = {
        {PT_LABEL_SET, {1, 2, 3, 2}, 4, "names a class twice: 'c'"},
        {PT_LABEL_RANKING, {1, 2, 3, 1}, 4, "ranks a class twice: 'a'"},
        {PT_LABEL_PAIRS, {1, 2, 3, 3}, 4, "before itself: 'b'"},
        {PT_LABEL_PAIRS, {1, 2, 2, 1}, 4, "in a circle"},
        {PT_LABEL_PAIRS, {1, 2, 2, 3, 3, 1}, 6, "in a circle"},
    };
    const int64_t rank[] = {1, 2, 3, 4};
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        pt_error err = {0};
        int64_t bad = -1;
        pt_labels *labels = NULL;
        assert_int_equal(items(&labels, CASES[c].kind, 2, CASES[c].length == 6 ? six : start,
                               CASES[c].item, CASES[c].kind == PT_LABEL_RANKING ? rank : NULL, &bad,
                               &err),
                         PT_EFORMAT);
        assert_int_equal(bad, 1);
        assert_non_null(strstr(err.text, CASES[c].says));
        assert_null(strstr(err.text, "example"));
        assert_int_equal(items(&labels, CASES[c].kind, 2, CASES[c].length == 6 ? six : start,
                               CASES[c].item, CASES[c].kind == PT_LABEL_RANKING ? rank : NULL, NULL,
                               &err),
                         PT_EFORMAT);
        assert_non_null(strstr(err.text, CASES[c].says));
        assert_non_null(strstr(err.text, "example 2"));
    }
}

/* Against the definition: every pair that follows from the label holds in the order of scores. */
static void test_label_judge__consistent_where_every_pair_holds(void **state)
{
    (void)state;
    enum { TRIES = 4000 };
    pt_random random;
    pt_random_init(&random, 7, PT_RANDOM_TEST, 0);
    int64_t seen[2] = {0, 0};
    for (int t = 0; t < TRIES; t++) {
        const pt_label_kind kind = (pt_label_kind)(1 + t % 2);
        int64_t item[4];
        int64_t rank[4];
        int64_t start[2] = {0, 0};
        for (int64_t r = 0; r < 4; r++)
            if (pt_random_below(&random, 3) > 0) {
                rank[start[1]] = pt_random_below(&random, 3);
                item[start[1]++] = r;
            }
        double scores[4];
        for (int64_t r = 0; r < 4; r++)
            scores[r] = (double)pt_random_below(&random, 4) - 1;
        pt_labels *labels = NULL;
        assert_int_equal(items(&labels, kind, 1, start, item,
                               kind == PT_LABEL_RANKING ? rank : NULL, NULL, NULL),
                         PT_OK);
        pt_label_pair pairs[ROOM];
        const int64_t count = pt_label_pairs_of(labels, 0, PT_PAIRS_CLOSED, pairs);
        bool all = true;
        for (int64_t c = 0; c < count; c++) {
            const double before = scores[pairs[c].before];
            const double after = scores[pairs[c].after];
            all = all && (before > after || (before == after && pairs[c].before < pairs[c].after));
        }
        assert_int_equal(pt_label_is_consistent(labels, 0, scores), all);
        seen[all]++;
        pt_labels_free(labels);
    }
    assert_true(seen[0] > TRIES / 10 && seen[1] > TRIES / 10);
}

static void test_label_judge__a_set_is_what_is_above_0(void **state)
{
    (void)state;
    const int64_t start[] = {0, 2, 2};
    const int64_t item[] = {1, 2}; /* {a, c}, {} */
    pt_labels *labels = NULL;
    assert_int_equal(items(&labels, PT_LABEL_SET, 2, start, item, NULL, NULL, NULL), PT_OK);
    const double right[] = {0.5, -1, 2, 0};
    const double ordered[] = {0.5, -1, 2, 0.1}; /* in order, but d is in the set */
    const double none[] = {0, -1, -2, -3};
    assert_true(pt_label_is_right(labels, 0, right));
    assert_false(pt_label_is_right(labels, 0, ordered));
    assert_true(pt_label_is_consistent(labels, 0, ordered));
    assert_true(pt_label_is_right(labels, 1, none));
    assert_false(pt_label_is_right(labels, 1, right));
    pt_labels_free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_pairs__of_sets),
        cmocka_unit_test(test_label_pairs__of_rankings),
        cmocka_unit_test(test_label_pairs__as_given_without_repetition),
        cmocka_unit_test(test_label_pairs__of_classes),
        cmocka_unit_test(test_label_pairs__contradictions_are_refused_with_the_example),
        cmocka_unit_test(test_label_judge__consistent_where_every_pair_holds),
        cmocka_unit_test(test_label_judge__a_set_is_what_is_above_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
