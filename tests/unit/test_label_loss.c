/* Losses by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/other_labels.h"
#include "metrics/label_judge.h"

static void expect_loss(const pt_labels *labels, const double *scores, double loss)
{
    assert_true(fabs(pt_label_loss(labels, 0, scores) - loss) < 1e-15);
}

static pt_labels *labels_of(pt_label_kind kind, const int64_t *item, const int64_t *rank,
                            int64_t count)
{
    static other_items o;
    memset(&o, 0, sizeof o);
    for (int64_t c = 0; c < count; c++)
        other_put(&o, item[c], rank ? rank[c] : 0);
    other_end(&o);
    return other_labels(&o, kind, 4);
}

static void test_label_loss__sets_count_classes_on_the_wrong_side(void **state)
{
    (void)state;
    pt_labels *labels = labels_of(PT_LABEL_SET, (const int64_t[]){0, 2}, NULL, 2);
    expect_loss(labels, (const double[]){1, -1, 1, -1}, 0);
    expect_loss(labels, (const double[]){1, 1, 1, -1}, 0.25);
    expect_loss(labels, (const double[]){0, 0, 1, -1}, 0.25); /* 0 is not in the set */
    expect_loss(labels, (const double[]){-1, 1, -1, 1}, 1);
    pt_labels_free(labels);
    pt_labels *empty = labels_of(PT_LABEL_SET, NULL, NULL, 0);
    expect_loss(empty, (const double[]){-1, 0, -1, 2}, 0.25);
    pt_labels_free(empty);
}

static void test_label_loss__rankings_count_pairs_of_different_ranks(void **state)
{
    (void)state;
    /* 3 before 0 and 1, which tie; 2 is not ranked: two pairs */
    pt_labels *labels =
        labels_of(PT_LABEL_RANKING, (const int64_t[]){3, 0, 1}, (const int64_t[]){1, 2, 2}, 3);
    expect_loss(labels, (const double[]){1, 2, 9, 3}, 0);
    expect_loss(labels, (const double[]){4, 2, 9, 3}, 0.5);
    expect_loss(labels, (const double[]){4, 4, 9, 3}, 1);
    expect_loss(labels, (const double[]){3, 2, 9, 3}, 0.5); /* a tie: the lower index is first */
    pt_labels_free(labels);
}

static void test_label_loss__pairs_and_classes(void **state)
{
    (void)state;
    pt_labels *pairs = labels_of(PT_LABEL_PAIRS, (const int64_t[]){0, 1, 2, 1, 2, 3}, NULL, 6);
    expect_loss(pairs, (const double[]){2, 1, 3, 0}, 0);
    expect_loss(pairs, (const double[]){0, 1, 3, 2}, 1.0 / 3);
    pt_labels_free(pairs);
    pt_labels *none = labels_of(PT_LABEL_PAIRS, NULL, NULL, 0);
    expect_loss(none, (const double[]){0, 0, 0, 0}, 0);
    pt_labels_free(none);
    int64_t class_of[1] = {2};
    pt_labels *classes = labels_of(PT_LABEL_SET, NULL, NULL, 0);
    pt_labels one = *classes;
    one.kind = PT_LABEL_CLASS;
    one.class_of = class_of;
    expect_loss(&one, (const double[]){0, 1, 2, 2}, 0);
    expect_loss(&one, (const double[]){0, 2, 2, 2}, 1);
    pt_labels_free(classes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_loss__sets_count_classes_on_the_wrong_side),
        cmocka_unit_test(test_label_loss__rankings_count_pairs_of_different_ranks),
        cmocka_unit_test(test_label_loss__pairs_and_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
