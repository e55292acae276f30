/* Folds and samples: sizes, coverage, and that they come from the seed alone. */
#include <math.h>
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

/* ---- blocks ---------------------------------------------------------------------------------- */

enum { ROWS = 240, BLOCKS = 48, PARTS = 5, CLASSES = 4 };

/* Blocks of one row to about ten, here and there, numbered as a caller would; a class of rows that
 * have none. */
static void make_blocks(pt_blocks *blocks, int64_t *group, int64_t *class_of, uint64_t seed)
{
    pt_random random;
    pt_error err = PT_ERROR_INIT;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t a = pt_random_below(&random, BLOCKS);
        const int64_t b = pt_random_below(&random, BLOCKS);
        const int64_t block = i < BLOCKS ? i : a < b ? a : b;
        group[i] = 5 * block - 30;
        class_of[i] = (block + pt_random_below(&random, 2)) % (CLASSES + 1) - 1;
    }
    const pt_ties ties = {group, NULL, NULL};
    assert_int_equal(pt_blocks_init(blocks, &ties, ROWS, &err), PT_OK);
    assert_int_equal(blocks->count, BLOCKS);
}

/* The sum over folds and classes of (rows_fr)^2 / n_r; class -1 is one. */
static double unevenness(const int64_t *fold, const int64_t *class_of)
{
    double rows[PARTS][CLASSES + 1] = {{0}};
    double all[CLASSES + 1] = {0};
    double sum = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        rows[fold[i]][class_of[i] + 1]++;
        all[class_of[i] + 1]++;
    }
    for (int f = 0; f < PARTS; f++)
        for (int r = 0; r <= CLASSES; r++)
            sum += all[r] > 0 ? rows[f][r] * rows[f][r] / all[r] : 0;
    return sum;
}

static void test_block_folds__whole_and_more_even_than_by_chance(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
        int64_t group[ROWS];
        int64_t class_of[ROWS];
        int64_t fold[ROWS];
        int64_t again[ROWS];
        int64_t other[ROWS];
        make_blocks(&blocks, group, class_of, seed);
        assert_int_equal(
            pt_block_folds(fold, ROWS, class_of, CLASSES, &blocks, PARTS, true, seed, 3, &err),
            PT_OK);
        int64_t of_block[BLOCKS];
        int64_t size[PARTS] = {0};
        for (int64_t i = 0; i < ROWS; i++) {
            of_block[blocks.of[i]] = fold[i];
            size[fold[i]]++;
        }
        for (int64_t i = 0; i < ROWS; i++)
            assert_int_equal(fold[i], of_block[blocks.of[i]]);
        for (int f = 0; f < PARTS; f++)
            assert_true(size[f] > 0);
        pt_random random;
        pt_random_init(&random, seed, PT_RANDOM_TEST, 1);
        for (int draw = 0; draw < 100; draw++) {
            int64_t chance[ROWS];
            for (int64_t b = 0; b < BLOCKS; b++)
                of_block[b] = pt_random_below(&random, PARTS);
            for (int64_t i = 0; i < ROWS; i++)
                chance[i] = of_block[blocks.of[i]];
            assert_true(unevenness(fold, class_of) < unevenness(chance, class_of));
        }
        /* from seed and repeat alone, and plain folds of nearly one size */
        assert_int_equal(
            pt_block_folds(again, ROWS, class_of, CLASSES, &blocks, PARTS, true, seed, 3, &err),
            PT_OK);
        assert_memory_equal(fold, again, sizeof fold);
        assert_int_equal(
            pt_block_folds(other, ROWS, class_of, CLASSES, &blocks, PARTS, true, seed, 4, &err),
            PT_OK);
        assert_memory_not_equal(fold, other, sizeof fold);
        assert_int_equal(pt_block_folds(other, ROWS, NULL, 0, &blocks, PARTS, false, seed, 0, &err),
                         PT_OK);
        memset(size, 0, sizeof size);
        for (int64_t i = 0; i < ROWS; i++)
            size[other[i]]++;
        for (int f = 0; f < PARTS; f++)
            assert_true(size[f] >= ROWS / PARTS - 1 && size[f] <= ROWS / PARTS + 1);
    }
}

static void test_block_folds__rows_that_are_never_held_out(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    const int64_t given[8] = {7, -1, 7, 0, -5, -1, -5, 0};
    const int64_t group[8] = {1, 1, 1, 1, 2, 2, 2, 2};
    const int64_t dense[8] = {2, -1, 2, 1, 0, -1, 0, 1};
    const pt_ties ties = {group, given, NULL};
    int64_t fold[8];
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    assert_int_equal(pt_blocks_init(&blocks, &ties, 8, &err), PT_OK);
    assert_int_equal(blocks.count, 3);
    assert_true(blocks.folds);
    assert_memory_equal(blocks.of, dense, sizeof dense);
    assert_int_equal(pt_block_folds(fold, 8, NULL, 0, &blocks, 2, false, 1, 0, &err), PT_OK);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(fold[i] == PT_NEVER_HELD, given[i] == PT_NEVER_HELD);
        for (int o = 0; o < 8; o++)
            assert_true(given[i] != given[o] || fold[i] == fold[o]);
    }
    pt_blocks_free(&blocks); /* of one fold, groups are what is left */
    const int64_t single[8] = {3, 3, 3, 3, 3, 3, 3, 3};
    const pt_ties grouped = {group, single, NULL};
    assert_int_equal(pt_blocks_init(&blocks, &grouped, 8, &err), PT_OK);
    assert_int_equal(blocks.count, 2);
    assert_false(blocks.folds);
    pt_blocks_free(&blocks); /* and else rows */
    const pt_ties alone = {NULL, single, NULL};
    assert_int_equal(pt_blocks_init(&blocks, &alone, 8, &err), PT_OK);
    assert_null(blocks.of);
    assert_int_equal(blocks.count, 8);
}

static void test_block_sample__whole_blocks_up_to_a_number(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    int64_t rows[ROWS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
        int64_t group[ROWS];
        int64_t class_of[ROWS];
        make_blocks(&blocks, group, class_of, seed);
        for (int64_t most = 0; most < ROWS; most += 17) {
            int64_t m = most;
            bool taken[BLOCKS] = {false};
            int64_t counted = 0;
            assert_int_equal(pt_block_sample(rows, &m, ROWS, &blocks, seed, &err), PT_OK);
            assert_true(m <= most && m > most - 20); /* there are small blocks */
            for (int64_t a = 0; a < m; a++)
                taken[blocks.of[rows[a]]] = true;
            for (int64_t i = 0; i < ROWS; i++)
                counted += taken[blocks.of[i]];
            assert_int_equal(counted, m);
        }
    }
    const int64_t halves[6] = {0, 0, 0, 1, 1, 1}; /* the least that there is */
    const pt_ties ties = {halves, NULL, NULL};
    PT_FREED_BY(pt_blocks_free) pt_blocks two = {0};
    int64_t m = 1;
    assert_int_equal(pt_blocks_init(&two, &ties, 6, &err), PT_OK);
    assert_int_equal(pt_block_sample(rows, &m, 6, &two, 1, &err), PT_OK);
    assert_int_equal(m, 3);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* The definition, word by word. size: rows of each time, in their order; run <- of each. */
static void cut_slowly(int64_t *run, const int64_t *size, int64_t times, int64_t n, int64_t n_folds)
{
    int64_t first = 0;
    int64_t begin = 0;
    for (int64_t r = 0; r <= n_folds; r++) {
        const int64_t left = n_folds - r; /* runs behind this one */
        const double wanted = (double)(n - begin) / (double)(left + 1);
        int64_t best = times;
        double least = INFINITY;
        int64_t rows = 0;
        for (int64_t end = first + 1; end <= times - left; end++) {
            rows += size[end - 1];
            if (fabs((double)rows - wanted) < least) {
                least = fabs((double)rows - wanted);
                best = end;
            }
        }
        for (best = left == 0 ? times : best; first < best; first++) {
            run[first] = r;
            begin += size[first];
        }
    }
}

static void test_block_folds__by_time_are_cut_where_the_definition_says(void **state)
{
    (void)state;
    enum { TIMES = 30 };
    pt_error err = PT_ERROR_INIT;
    pt_random random;
    pt_random_init(&random, 4, PT_RANDOM_TEST, 0);
    for (int problem = 0; problem < 400; problem++) {
        PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
        const int64_t times = 2 + pt_random_below(&random, TIMES - 1);
        const int64_t n_folds = 1 + pt_random_below(&random, times - 1);
        int64_t size[TIMES] = {0};
        int64_t run[TIMES];
        double time[ROWS];
        int64_t fold[ROWS];
        for (int64_t i = 0; i < ROWS; i++) { /* every time has a row; some have very many */
            const int64_t a = pt_random_below(&random, times);
            const int64_t t = i < times ? i : problem % 2 ? a : a * a / times;
            time[(i * 77) % ROWS] = 1e9 - 0.5 * (double)(times - t);
            size[t]++;
        }
        const pt_ties ties = {NULL, NULL, time};
        assert_int_equal(pt_blocks_init(&blocks, &ties, ROWS, &err), PT_OK);
        assert_true(blocks.past);
        assert_int_equal(blocks.count, times);
        assert_int_equal(pt_blocks_most_folds(&blocks), times - 1);
        assert_int_equal(pt_block_folds(fold, ROWS, NULL, 0, &blocks, n_folds, false, 1, 0, &err),
                         PT_OK);
        cut_slowly(run, size, times, ROWS, n_folds);
        for (int64_t i = 0; i < ROWS; i++) {
            const int64_t expected = run[blocks.of[i]];
            assert_int_equal(fold[i], expected == 0 ? PT_NEVER_HELD : expected - 1);
        }
        assert_int_equal(pt_block_folds(fold, ROWS, NULL, 0, &blocks, times, false, 1, 0, &err),
                         PT_EINVAL);
    }
}

/* Rows of one time have no order; -0 is 0. */
static void test_blocks__of_one_time_are_rows(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    const double same[4] = {0, -0.0, 0, 0};
    const pt_ties ties = {NULL, NULL, same};
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    assert_false(pt_ties_are_past(&ties, 4));
    assert_int_equal(pt_blocks_init(&blocks, &ties, 4, &err), PT_OK);
    assert_null(blocks.of);
    assert_false(blocks.past);
    assert_int_equal(blocks.count, 4);
}

static void test_block_sample__by_time_takes_the_last(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    const double time[8] = {3, 1, 2, 3, 1, 2, 2, 4}; /* 2 rows of 1, 3 of 2, 2 of 3, 1 of 4 */
    const pt_ties ties = {NULL, NULL, time};
    const int64_t taken[9] = {0, 1, 1, 3, 3, 3, 6, 6, 6}; /* of at most so many */
    const double from[9] = {5, 4, 4, 3, 3, 3, 2, 2, 2};
    int64_t rows[8];
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    assert_int_equal(pt_blocks_init(&blocks, &ties, 8, &err), PT_OK);
    for (int64_t most = 0; most <= 8; most++) {
        int64_t m = most;
        assert_int_equal(pt_block_sample(rows, &m, 8, &blocks, 1, &err), PT_OK);
        assert_int_equal(m, taken[most]);
        for (int64_t a = 0; a < m; a++)
            assert_true(time[rows[a]] >= from[most] && (a == 0 || rows[a] > rows[a - 1]));
    }
    const double heavy[4] = {1, 2, 2, 2}; /* the last time is more than is wanted */
    const pt_ties late = {NULL, NULL, heavy};
    int64_t m = 1;
    pt_blocks_free(&blocks);
    assert_int_equal(pt_blocks_init(&blocks, &late, 4, &err), PT_OK);
    assert_int_equal(pt_block_sample(rows, &m, 4, &blocks, 1, &err), PT_OK);
    assert_int_equal(m, 3);
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
        cmocka_unit_test(test_block_folds__whole_and_more_even_than_by_chance),
        cmocka_unit_test(test_block_folds__rows_that_are_never_held_out),
        cmocka_unit_test(test_block_folds__by_time_are_cut_where_the_definition_says),
        cmocka_unit_test(test_blocks__of_one_time_are_rows),
        cmocka_unit_test(test_block_sample__by_time_takes_the_last),
        cmocka_unit_test(test_block_sample__whole_blocks_up_to_a_number),
        cmocka_unit_test(test_split__no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
