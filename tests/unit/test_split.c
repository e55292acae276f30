/* Folds and samples: sizes, coverage, and that they come from the seed alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "data/split.h"

/* Largest minus smallest fold size among examples of class r (-2: all). */
static int64_t spread(const int64_t *fold, const int64_t *class_of, int64_t n, int64_t n_folds,
                      int64_t r)
{
    int64_t *size = calloc((size_t)n_folds, sizeof *size);
    for (int64_t i = 0; i < n; i++) {
        assert_true(fold[i] >= 0 && fold[i] < n_folds);
        if (r == -2 || class_of[i] == r)
            size[fold[i]]++;
    }
    int64_t least = size[0];
    int64_t most = size[0];
    for (int64_t f = 1; f < n_folds; f++) {
        least = size[f] < least ? size[f] : least;
        most = size[f] > most ? size[f] : most;
    }
    free(size);
    return most - least;
}

static void check_stratified(int64_t n, int64_t k, int64_t n_folds, uint64_t seed)
{
    int64_t *class_of = calloc((size_t)n, sizeof *class_of);
    int64_t *fold = calloc((size_t)n, sizeof *fold);
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < n; i++) { /* uneven classes, some without label */
        const int64_t a = pt_random_below(&random, k + 1);
        class_of[i] = pt_random_below(&random, a + 1) - 1;
    }
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_folds(fold, n, class_of, k, n_folds, true, seed, 0, &err), PT_OK);
    assert_true(spread(fold, class_of, n, n_folds, -2) <= 1);
    for (int64_t r = -1; r < k; r++)
        assert_true(spread(fold, class_of, n, n_folds, r) <= 1);
    free(class_of);
    free(fold);
}

static void test_folds__stratified_sizes_differ_by_one(void **state)
{
    (void)state;
    check_stratified(150, 3, 10, 1);
    check_stratified(157, 7, 10, 2);
    check_stratified(1001, 40, 3, 3);
    check_stratified(64, 60, 64, 4);
    check_stratified(2, 1, 2, 5);
    check_stratified(3000, 5000, 10, 6);
}

static void test_folds__plain_sizes_differ_by_one(void **state)
{
    (void)state;
    int64_t fold[103];
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_folds(fold, 103, NULL, 0, 10, false, 1, 0, &err), PT_OK);
    assert_true(spread(fold, NULL, 103, 10, -2) <= 1);
}

static void test_folds__come_from_seed_and_repeat_alone(void **state)
{
    (void)state;
    int64_t class_of[100];
    for (int i = 0; i < 100; i++)
        class_of[i] = i % 4;
    pt_error err = PT_ERROR_INIT;
    for (int stratified = 0; stratified < 2; stratified++) {
        int64_t a[100];
        int64_t b[100];
        assert_int_equal(pt_folds(a, 100, class_of, 4, 5, stratified, 7, 2, &err), PT_OK);
        assert_int_equal(pt_folds(b, 100, class_of, 4, 5, stratified, 7, 2, &err), PT_OK);
        assert_memory_equal(a, b, sizeof a);
        assert_int_equal(pt_folds(b, 100, class_of, 4, 5, stratified, 7, 3, &err), PT_OK);
        assert_memory_not_equal(a, b, sizeof a);
        assert_int_equal(pt_folds(b, 100, class_of, 4, 5, stratified, 8, 2, &err), PT_OK);
        assert_memory_not_equal(a, b, sizeof a);
    }
}

/* Two examples share a fold as often as chance says: (10 - 1) / (100 - 1) for tenfold of 100. */
static void test_folds__pairs_meet_by_chance(void **state)
{
    (void)state;
    enum { REPEATS = 4000 };
    int64_t fold[100];
    pt_error err = PT_ERROR_INIT;
    int together = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        assert_int_equal(pt_folds(fold, 100, NULL, 0, 10, false, 1, repeat, &err), PT_OK);
        together += fold[17] == fold[42];
    }
    assert_true(together > 0.075 * REPEATS && together < 0.107 * REPEATS); /* 0.0909, 3.5 sd */
}

static void test_folds__wrong_use_is_refused(void **state)
{
    (void)state;
    int64_t fold[3];
    const int64_t class_of[3] = {0, 1, 2};
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_folds(fold, 3, NULL, 0, 4, false, 1, 0, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "4 folds of 3 examples"));
    assert_int_equal(pt_folds(fold, 3, NULL, 0, 1, false, 1, 0, &err), PT_EINVAL);
    assert_int_equal(pt_folds(fold, 3, NULL, 0, 2, true, 1, 0, &err), PT_EINVAL);
    assert_int_equal(pt_folds(fold, 3, class_of, 2, 2, true, 1, 0, &err), PT_EINVAL);
    assert_int_equal(pt_sample(fold, 4, 3, NULL, 0, 1, &err), PT_EINVAL);
    assert_int_equal(pt_sample(fold, -1, 3, NULL, 0, 1, &err), PT_EINVAL);
}

static void test_sample__ascending_distinct_and_proportional(void **state)
{
    (void)state;
    enum { N = 1000, K = 7 };
    int64_t class_of[N];
    int64_t size[K] = {0};
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 0);
    for (int i = 0; i < N; i++) {
        class_of[i] = pt_random_below(&random, 1 + pt_random_below(&random, K));
        size[class_of[i]]++;
    }
    pt_error err = PT_ERROR_INIT;
    for (int64_t m = 0; m <= N; m += 37) {
        int64_t rows[N];
        int64_t taken[K] = {0};
        assert_int_equal(pt_sample(rows, m, N, class_of, K, (uint64_t)m, &err), PT_OK);
        for (int64_t i = 0; i < m; i++) {
            assert_true(rows[i] >= 0 && rows[i] < N && (i == 0 || rows[i] > rows[i - 1]));
            taken[class_of[rows[i]]]++;
        }
        for (int r = 0; r < K; r++) {
            assert_true(taken[r] * N > size[r] * m - N);
            assert_true(taken[r] * N < size[r] * m + N);
        }
    }
}

static void test_sample__every_example_has_the_same_chance(void **state)
{
    (void)state;
    enum { DRAWS = 3000 };
    const int64_t class_of[10] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 2};
    int count[10] = {0};
    pt_error err = PT_ERROR_INIT;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        int64_t rows[3];
        assert_int_equal(pt_sample(rows, 3, 10, class_of, 3, seed, &err), PT_OK);
        for (int i = 0; i < 3; i++)
            count[rows[i]]++;
    }
    for (int i = 0; i < 10; i++)
        assert_true(count[i] > 0.265 * DRAWS && count[i] < 0.335 * DRAWS); /* 0.3, 4 sd */
}

static void test_sample__all_and_nothing(void **state)
{
    (void)state;
    int64_t rows[5];
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_sample(rows, 5, 5, NULL, 0, 9, &err), PT_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(rows[i], i);
    assert_int_equal(pt_sample(rows, 0, 0, NULL, 0, 9, &err), PT_OK);
}

static void test_split__no_memory_leaves_nothing(void **state)
{
    (void)state;
    int64_t fold[6];
    const int64_t class_of[6] = {0, 1, 0, 1, 0, 1};
    const int64_t before = pt_alloc_live();
    pt_error err = PT_ERROR_INIT;
    for (int64_t number = 1; number <= 2; number++) {
        pt_alloc_fail_from(number);
        assert_int_equal(pt_folds(fold, 6, class_of, 2, 2, true, 1, 0, &err), PT_ENOMEM);
        pt_alloc_fail_from(number);
        assert_int_equal(pt_sample(fold, 3, 6, class_of, 2, 1, &err), PT_ENOMEM);
        pt_alloc_fail_from(0);
        assert_int_equal(pt_alloc_live(), before);
    }
    assert_int_equal(pt_folds(fold, 6, class_of, 2, 2, true, 1, 0, &err), PT_OK);
    assert_int_equal(pt_alloc_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds__stratified_sizes_differ_by_one),
        cmocka_unit_test(test_folds__plain_sizes_differ_by_one),
        cmocka_unit_test(test_folds__come_from_seed_and_repeat_alone),
        cmocka_unit_test(test_folds__pairs_meet_by_chance),
        cmocka_unit_test(test_folds__wrong_use_is_refused),
        cmocka_unit_test(test_sample__ascending_distinct_and_proportional),
        cmocka_unit_test(test_sample__every_example_has_the_same_chance),
        cmocka_unit_test(test_sample__all_and_nothing),
        cmocka_unit_test(test_split__no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
