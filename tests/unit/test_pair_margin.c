/* Hard margins over pairs: the largest margin where the pairs can all hold, and a proof where they
 * cannot; inner products of pairs without their vectors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../support/kesler_reference.h"
#include "base/alloc.h"
#include "data/labels/label_pairs.h"
#include "solvers/dual/pair_solvers.h"

typedef struct stage {
    pt_linear_rows rows;
    pt_kernel_store *store;
    pt_pair_space space;
} stage;

static void stage_init(stage *s, const pt_problem *problem, bool by_kernel, bool bias)
{
    pt_error err = PT_ERROR_INIT;
    memset(s, 0, sizeof *s);
    const pt_kernel linear = {.ops = pt_kernel_find("linear"), .sigma = 1, .coef0 = 0, .degree = 1};
    const int64_t k = pt_label_pairs_n_classes(problem->labels, PT_PAIRS_THRESHOLD);
    if (by_kernel)
        small_must(pt_kernel_store_open(&s->store, &problem->rows, &linear, NULL, 1e9, NULL, &err),
                   &err, "store");
    else
        small_must(pt_linear_rows_init(&s->rows, &problem->rows, false, NULL, &err), &err, "rows");
    small_must(pt_pair_space_init(&s->space, by_kernel ? NULL : &s->rows, s->store, k, bias, &err),
               &err, "space");
}

static void stage_free(stage *s)
{
    pt_pair_space_free(&s->space);
    pt_kernel_store_close(s->store);
    pt_linear_rows_free(&s->rows);
}

static pt_margin_result margin_of(const pt_problem *problem, stage *s)
{
    pt_error err = PT_ERROR_INIT;
    pt_margin_result result = {0};
    pt_label_pair_lists laid;
    small_must(pt_label_pairs_lay_out(&laid, problem->labels, PT_PAIRS_THRESHOLD,
                                      s->store ? 0 : INFINITY, NULL, &err),
               &err, "pairs");
    const pt_pair_problem pairs = {.pairs = &laid.lists};
    small_must(pt_pair_margin(&pairs, &s->space, 1000, &result, NULL, NULL, &err), &err, "margin");
    pt_label_pair_lists_free(&laid);
    return result;
}

static void result_free(pt_margin_result *result)
{
    pt_free(result->support);
    pt_free(result->tau);
}

/* Every product of two pairs, dense, sparse and by kernel values, is that of the vectors. */
static void test_pair_margin__products_are_those_of_the_vectors(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    for (int c = 0; c < 24; c++) {
        const bool bias = c / 4 % 2;
        labelled l = labelled_rows(LABEL_KINDS[c % 4], 7, 5, 4, 1, (uint64_t)c + 1);
        const pt_problem problem = labelled_problem(&l, c / 8 == 1, false);
        kesler q = kesler_new(&l, PT_PAIRS_THRESHOLD, bias, false, 1);
        stage s;
        stage_init(&s, &problem, c / 8 == 2, bias);
        pt_label_pair pairs[64];
        pt_label_pair others[64];
        int64_t list[] = {0, 1, 2, 3, 4, 5, 6};
        double product[7];
        int64_t a = 0;
        for (int64_t i = 0; i < l.n; i++) {
            const int64_t count = pt_label_pairs_of(l.labels, i, PT_PAIRS_THRESHOLD, pairs);
            small_must(pt_pair_space_products(&s.space, i, list, 7, product, NULL, &err), &err, "");
            assert_true(fabs(product[i] - s.space.square[i]) < 1e-12);
            for (int64_t p = 0; p < count; p++, a++) {
                int64_t b = 0;
                for (int64_t j = 0; j < l.n; j++) {
                    const int64_t m = pt_label_pairs_of(l.labels, j, PT_PAIRS_THRESHOLD, others);
                    for (int64_t o = 0; o < m; o++, b++)
                        assert_true(fabs(pt_pair_product(pairs[p], others[o], product[j]) -
                                         kesler_dot(q.vector + a * q.size, q.vector + b * q.size,
                                                    q.size)) < 1e-12);
                }
            }
        }
        assert_int_equal(a, q.m);
        stage_free(&s);
        kesler_free(&q);
        labelled_free(&l);
    }
}

/* v from support and tau, k (d + 1) numbers. */
static void form(const labelled *l, const pt_margin_result *result, int64_t k, bool bias, double *v)
{
    for (int64_t c = 0; c < result->patterns; c++)
        for (int64_t r = 0; r < k; r++)
            for (int64_t f = 0; f <= l->d; f++)
                v[r * (l->d + 1) + f] += result->tau[c * k + r] *
                                         (f < l->d ? l->x[result->support[c] * l->d + f] : bias);
}

/* The slow machine with a huge C finds the same length; all pairs hold with at least 1. */
static void test_pair_margin__is_the_largest(void **state)
{
    (void)state;
    for (int c = 0; c < 24; c++) {
        const bool bias = c / 4 % 2;
        labelled l = labelled_rows(LABEL_KINDS[c % 4], 12, 14, 3, 0, (uint64_t)c + 11);
        const pt_problem problem = labelled_problem(&l, c / 8 == 1, false);
        stage s;
        stage_init(&s, &problem, c / 8 == 2, bias);
        pt_margin_result result = margin_of(&problem, &s);
        kesler q = kesler_new(&l, PT_PAIRS_THRESHOLD, bias, false, 1e4);
        assert_true(result.separable);
        kesler_solve(&q, 1e-9);
        if (!(fabs(result.square - 2 * q.dual) <= 1e-8 * result.square))
            fail_msg("case %d: %.15g, not %.15g", c, result.square, 2 * q.dual);
        assert_true(fabs(result.margin * sqrt(result.square) - 1) < 1e-9);
        assert_true(result.margin <= result.most * (1 + 1e-9));
        assert_true(result.margin >= result.most * (1 - 1e-6));
        double *v = calloc((size_t)q.size, sizeof *v);
        form(&l, &result, q.k, bias, v);
        assert_true(fabs(kesler_dot(v, v, q.size) - result.square) <= 1e-9 * result.square);
        for (int64_t p = 0; p < q.m; p++)
            assert_true(kesler_dot(q.vector + p * q.size, v, q.size) >= 1 - 1e-9);
        free(v);
        kesler_free(&q);
        result_free(&result);
        stage_free(&s);
        labelled_free(&l);
    }
}

/* Rows that know nothing of each other, as with a narrow kernel: every pair is active, and they
 * enter many at a time. */
static void test_pair_margin__pairs_enter_together(void **state)
{
    (void)state;
    enum { ROWS = 100, CLASSES = 4 };
    for (int by_kernel = 0; by_kernel < 2; by_kernel++) {
        labelled l = labelled_rows(PT_LABEL_CLASS, ROWS, ROWS, CLASSES, 0, 5);
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t f = 0; f < ROWS; f++)
                l.x[i * ROWS + f] = i == f;
        const pt_problem problem = labelled_problem(&l, false, false);
        stage s;
        stage_init(&s, &problem, by_kernel, false);
        pt_margin_result result = margin_of(&problem, &s);
        assert_true(result.separable);
        assert_int_equal(result.pairs, ROWS * (CLASSES - 1));
        if (result.steps > result.pairs / 8)
            fail_msg("%lld steps for %lld pairs", (long long)result.steps, (long long)result.pairs);
        /* v_own - v_other = 1 with the least length: 1 - 1/k and -1/k in each row's direction */
        assert_true(fabs(result.square - ROWS * (1 - 1.0 / CLASSES)) < 1e-9 * ROWS);
        result_free(&result);
        stage_free(&s);
        labelled_free(&l);
    }
}

/* Pivoting over all pairs finds what the active set finds, from nothing: rows that know little of
 * each other, of which nearly every pair is active. */
static void test_pair_margin__pivoting_finds_the_same(void **state)
{
    (void)state;
    enum { ROWS = 60, CLASSES = 5, PAIRS = ROWS * (CLASSES - 1) };
    labelled l = labelled_rows(PT_LABEL_CLASS, ROWS, ROWS, CLASSES, 0, 11);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t f = 0; f < ROWS; f++)
            l.x[i * ROWS + f] = 0.1 * l.x[i * ROWS + f] + (i == f);
    const pt_problem problem = labelled_problem(&l, false, false);
    stage s;
    pt_error err = PT_ERROR_INIT;
    stage_init(&s, &problem, true, true);
    pt_margin_result result = margin_of(&problem, &s);
    assert_true(result.separable);
    pt_label_pair pair[PAIRS];
    int64_t owner[PAIRS];
    double alpha[PAIRS] = {0};
    const pt_pair_all all = {PAIRS, pair, owner, alpha};
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t count =
            pt_label_pairs_of(problem.labels, i, PT_PAIRS_THRESHOLD, pair + i * (CLASSES - 1));
        assert_int_equal(count, CLASSES - 1);
        for (int64_t c = 0; c < count; c++)
            owner[i * (CLASSES - 1) + c] = i;
    }
    bool solved = false;
    small_must(pt_pair_pivot(&all, &s.space, 1000, &solved, NULL, &err), &err, "pivoting");
    assert_true(solved);
    double sum = 0; /* of alpha: ||v||^2 where z = 1 */
    int64_t active = 0;
    for (int64_t c = 0; c < PAIRS; c++) {
        sum += alpha[c];
        active += alpha[c] > 0;
    }
    assert_true(fabs(sum - result.square) < 1e-7 * sum);
    assert_int_equal(active, result.pairs);
    assert_in_range(active, PAIRS / 2, PAIRS - 1); /* not all of them: some have to leave */
    /* Too few passes are said. */
    memset(alpha, 0, sizeof alpha);
    small_must(pt_pair_pivot(&all, &s.space, 2, &solved, NULL, &err), &err, "pivoting");
    assert_false(solved);
    result_free(&result);
    stage_free(&s);
    labelled_free(&l);
}

/* Two rows that say the opposite of each other; and a row that nothing can tell. */
static void test_pair_margin__a_contradiction_is_proved(void **state)
{
    (void)state;
    for (int c = 0; c < 12; c++) {
        labelled l = labelled_rows(PT_LABEL_CLASS, 30, 20, 3, 0, (uint64_t)c + 31);
        const pt_problem problem = labelled_problem(&l, false, false);
        memcpy(l.x + 7 * l.d, l.x + 3 * l.d, (size_t)l.d * sizeof *l.x);
        l.labels->class_of[7] = (l.labels->class_of[3] + 1) % 3;
        if (c % 2) /* without a bias a row of zeros is nobody's */
            memset(l.x, 0, (size_t)(8 * l.d) * sizeof *l.x);
        stage s;
        stage_init(&s, &problem, c / 2 % 2, c % 2 == 0);
        pt_margin_result result = margin_of(&problem, &s);
        assert_false(result.separable);
        assert_true(result.most < 1e-6);
        assert_null(result.support);
        stage_free(&s);
        labelled_free(&l);
    }
}

/* Where the slow machine has errors whatever its C, there is no margin; where it has none there is:
 * problems on both sides of the number of rows that so many functions can take. */
static void test_pair_margin__says_when_there_is_none(void **state)
{
    (void)state;
    int told[2] = {0, 0};
    for (int c = 0; c < 60; c++) {
        labelled l = labelled_rows(LABEL_KINDS[c % 4], 4 + c / 4, 4, 3, 3, (uint64_t)c + 51);
        const pt_problem problem = labelled_problem(&l, false, false);
        stage s;
        stage_init(&s, &problem, false, true);
        pt_margin_result result = margin_of(&problem, &s);
        told[result.separable]++;
        kesler q = kesler_new(&l, PT_PAIRS_THRESHOLD, true, false, 1e4);
        /* Separable: v has all pairs right, which proves itself. Else: whatever a hundred
         * sweeps of the perceptron do, some pair is wrong. */
        double *v = calloc((size_t)q.size, sizeof *v);
        int64_t wrong = 0;
        if (result.separable)
            form(&l, &result, q.k, true, v);
        for (int sweep = 0; sweep < 3000; sweep++) {
            wrong = 0;
            for (int64_t p = 0; p < q.m; p++)
                if (kesler_dot(q.vector + p * q.size, v, q.size) <= 0) {
                    for (int64_t f = 0; f < q.size; f++)
                        v[f] += q.vector[p * q.size + f];
                    wrong++;
                }
            if (wrong == 0)
                break;
        }
        assert_int_equal(wrong > 0, !result.separable);
        free(v);
        kesler_free(&q);
        result_free(&result);
        stage_free(&s);
        labelled_free(&l);
    }
    assert_true(told[0] > 5 && told[1] > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair_margin__products_are_those_of_the_vectors),
        cmocka_unit_test(test_pair_margin__is_the_largest),
        cmocka_unit_test(test_pair_margin__pairs_enter_together),
        cmocka_unit_test(test_pair_margin__pivoting_finds_the_same),
        cmocka_unit_test(test_pair_margin__a_contradiction_is_proved),
        cmocka_unit_test(test_pair_margin__says_when_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
