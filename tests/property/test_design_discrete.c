/* labels: threads */
/* Discrete codes against all codes there are, and on problems that are hard by construction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/hard_designs.h"
#include "../support/slow_design.h"
#include "base/task.h"
#include "codes/design/discrete.h"
#include "polytomy/polytomy.h"

static const struct {
    pt_design_entries entries;
    int n_values;
    int8_t values[3];
} ENTRIES[] = {{PT_ENTRIES_SIGN, 2, {-1, 1, 0}},
               {PT_ENTRIES_TERNARY, 3, {-1, 0, 1}},
               {PT_ENTRIES_BIT, 2, {0, 1, 0}}};
enum { N_ENTRIES = 3 };

static void expect_allowed(const int8_t *M, int64_t cells, int kind)
{
    for (int64_t c = 0; c < cells; c++) {
        bool allowed = false;
        for (int j = 0; j < ENTRIES[kind].n_values; j++)
            allowed = allowed || M[c] == ENTRIES[kind].values[j];
        assert_true(allowed);
    }
}

static pt_discrete_result design(int8_t *M, const pt_design_data *data,
                                 const pt_discrete_options *options)
{
    pt_discrete_result result = {0};
    pt_error err = PT_ERROR_INIT;
    const pt_status status = pt_design_discrete(M, data, options, &result, NULL, &err);
    if (status != PT_OK)
        fail_msg("%s", err.text);
    assert_float_equal(result.error, slow_error(data, M), 1e-12);
    assert_true(result.bound <= result.error + 1e-12);
    return result;
}

/* ---- whole codes ----------------------------------------------------------------------------- */

static void test_error__is_that_of_the_paper(void **state)
{
    (void)state;
    static slow_outputs o;
    pt_random random;
    pt_random_init(&random, 1, PT_RANDOM_TEST, 0);
    for (int drawn = 0; drawn < 200; drawn++) {
        int8_t M[40];
        double error = -1;
        slow_draw(&o, 30, 5, 8, drawn % 2, drawn % 3 == 0, &random);
        for (int64_t c = 0; c < 40; c++)
            M[c] = (int8_t)(pt_random_below(&random, 3) - 1);
        assert_int_equal(pt_discrete_error(&error, &o.data, M, NULL), PT_OK);
        assert_float_equal(error, slow_error(&o.data, M), 1e-13);
    }
}

static void test_exact__is_the_best_of_all_codes(void **state)
{
    (void)state;
    static slow_outputs o;
    static const int64_t shape[][2] = {{2, 1}, {2, 3}, {2, 5}, {3, 1}, {3, 2},
                                       {3, 3}, {4, 2}, {5, 2}, {9, 1}};
    pt_random random;
    pt_random_init(&random, 2, PT_RANDOM_TEST, 0);
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
        for (int drawn = 0; drawn < 16; drawn++) {
            int8_t M[32];
            const int64_t k = shape[s][0];
            const int64_t ell = shape[s][1];
            const int kind = k * ell > 9 ? 2 * (drawn % 2) : drawn % N_ENTRIES;
            slow_draw(&o, 4 + pt_random_below(&random, 30), k, ell, drawn % 4, drawn / 2 % 2,
                      &random);
            const pt_discrete_options options = {
                .search = PT_SEARCH_EXACT, .entries = ENTRIES[kind].entries, .starts = 1};
            const pt_discrete_result result = design(M, &o.data, &options);
            assert_true(result.proven);
            assert_float_equal(result.bound, result.error, 1e-12);
            expect_allowed(M, k * ell, kind);
            assert_float_equal(
                result.error,
                slow_best(&o.data, NULL, 0, ENTRIES[kind].values, ENTRIES[kind].n_values), 1e-10);
        }
}

/* Branch and bound that is stopped says what it knows: a bound below the best error. */
static void test_exact__bounds_hold_where_it_is_stopped(void **state)
{
    (void)state;
    static slow_outputs o;
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 0);
    int64_t unproven = 0;
    for (int drawn = 0; drawn < 40; drawn++) {
        int8_t M[12];
        slow_draw(&o, 40, 3, 4, 0, drawn % 2, &random);
        const double best = slow_best(&o.data, NULL, 0, ENTRIES[0].values, 2);
        pt_discrete_options options = {
            .search = PT_SEARCH_EXACT, .starts = 1, .nodes = 1 + drawn % 10};
        const pt_discrete_result stopped = design(M, &o.data, &options);
        assert_true(stopped.bound <= best + 1e-12);
        assert_true(stopped.error >= best - 1e-12);
        assert_true(stopped.nodes <= options.nodes);
        if (stopped.proven)
            assert_float_equal(stopped.error, best, 1e-12);
        unproven += !stopped.proven;
    }
    assert_true(unproven > 10);
}

static void test_exact__too_many_entries_are_refused(void **state)
{
    (void)state;
    static slow_outputs o;
    static int8_t M[40 * 7];
    pt_random random;
    pt_random_init(&random, 4, PT_RANDOM_TEST, 0);
    slow_draw(&o, 50, 40, 7, 0, 0, &random);
    pt_discrete_result result;
    pt_error err = PT_ERROR_INIT;
    const pt_discrete_options options = {.search = PT_SEARCH_EXACT};
    assert_int_equal(pt_design_discrete(M, &o.data, &options, &result, NULL, &err), PT_ELIMIT);
    assert_non_null(strstr(err.text, "local"));
}

/* No single entry of what the local search finds can be changed for the better, and it is no worse
 * than where it started. */
static void test_local__no_entry_helps_and_a_start_is_kept(void **state)
{
    (void)state;
    static slow_outputs o;
    pt_random random;
    pt_random_init(&random, 5, PT_RANDOM_TEST, 0);
    for (int drawn = 0; drawn < 60; drawn++) {
        int8_t M[60];
        int8_t start[60];
        const int kind = drawn % N_ENTRIES;
        const int64_t k = 3 + drawn % 4;
        const int64_t ell = 2 + drawn % 9;
        slow_draw(&o, 60, k, ell, drawn / 3 % 4, drawn % 2, &random);
        for (int64_t c = 0; c < k * ell; c++)
            start[c] = ENTRIES[kind].values[pt_random_below(&random, ENTRIES[kind].n_values)];
        const double before = slow_error(&o.data, start);
        const pt_discrete_options options = {.search = PT_SEARCH_LOCAL,
                                             .entries = ENTRIES[kind].entries,
                                             .start = start,
                                             .starts = 1,
                                             .seed = (uint64_t)drawn};
        const pt_discrete_result result = design(M, &o.data, &options);
        assert_true(result.error <= before + 1e-12);
        assert_true(!result.proven || result.error < 1e-12);
        expect_allowed(M, k * ell, kind);
        for (int64_t c = 0; c < k * ell; c++)
            for (int j = 0; j < ENTRIES[kind].n_values; j++) {
                const int8_t entry = M[c];
                M[c] = ENTRIES[kind].values[j];
                assert_true(slow_error(&o.data, M) >= result.error - 1e-9);
                M[c] = entry;
            }
    }
}

/* The default search finds the best code of most small problems, and more starts find no less. */
static void test_local__is_often_the_best(void **state)
{
    (void)state;
    static slow_outputs o;
    pt_random random;
    pt_random_init(&random, 6, PT_RANDOM_TEST, 0);
    int64_t found = 0;
    for (int drawn = 0; drawn < 50; drawn++) {
        int8_t M[12];
        slow_draw(&o, 50, 3, 4, 0, 0, &random);
        pt_discrete_options options = {.search = PT_SEARCH_LOCAL, .starts = 2};
        const pt_discrete_result few = design(M, &o.data, &options);
        options.starts = 0;
        const pt_discrete_result many = design(M, &o.data, &options);
        assert_true(many.error <= few.error + 1e-12);
        found += many.error < slow_best(&o.data, NULL, 0, ENTRIES[0].values, 2) + 1e-9;
    }
    assert_true(found >= 45);
}

static void test_local__threads_keep_every_entry(void **state)
{
    (void)state;
    static slow_outputs o;
    int8_t M[2][60];
    pt_random random;
    pt_random_init(&random, 7, PT_RANDOM_TEST, 0);
    slow_draw(&o, 200, 6, 10, 2, 1, &random);
    for (int threads = 1; threads <= 2; threads++) {
        pt_task *task = NULL;
        pt_discrete_result result;
        assert_int_equal(pt_task_new(&task, NULL), PT_OK);
        pt_task_set_threads(task, threads);
        const pt_discrete_options options = {.search = PT_SEARCH_LOCAL, .seed = 3};
        assert_int_equal(pt_design_discrete(M[threads - 1], &o.data, &options, &result, task, NULL),
                         PT_OK);
        pt_task_free(task);
    }
    assert_memory_equal(M[0], M[1], 60);
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The next column given earlier ones, which stay. */
static void test_exact__the_next_column_is_the_best_one(void **state)
{
    (void)state;
    static slow_outputs o;
    pt_random random;
    pt_random_init(&random, 8, PT_RANDOM_TEST, 0);
    for (int drawn = 0; drawn < 60; drawn++) {
        int8_t M[36];
        int8_t given[36];
        const int kind = drawn % N_ENTRIES;
        const int64_t k = 2 + drawn % (kind == 1 ? 6 : 8);
        const int64_t ell = 2 + drawn % 3;
        slow_draw(&o, 5 + pt_random_below(&random, 60), k, ell, drawn / 3 % 4, drawn % 2, &random);
        for (int64_t c = 0; c < k * ell; c++)
            M[c] = ENTRIES[kind].values[pt_random_below(&random, ENTRIES[kind].n_values)];
        memcpy(given, M, sizeof M);
        const pt_discrete_options options = {.search =
                                                 drawn % 2 ? PT_SEARCH_EXACT : PT_SEARCH_GREEDY,
                                             .entries = ENTRIES[kind].entries,
                                             .fixed = ell - 1,
                                             .starts = 1};
        const pt_discrete_result result = design(M, &o.data, &options);
        assert_float_equal(
            result.error,
            slow_best(&o.data, given, ell - 1, ENTRIES[kind].values, ENTRIES[kind].n_values),
            1e-10);
        for (int64_t r = 0; r < k; r++)
            assert_memory_equal(M + r * ell, given + r * ell, (size_t)(ell - 1));
    }
}

/* Each column of a greedy code is the best that there is after those before it. */
static void test_greedy__every_column_is_the_best_next_one(void **state)
{
    (void)state;
    static slow_outputs o;
    static slow_outputs some;
    pt_random random;
    pt_random_init(&random, 9, PT_RANDOM_TEST, 0);
    for (int drawn = 0; drawn < 20; drawn++) {
        const int64_t k = 3 + drawn % 4;
        const int64_t ell = 4;
        int8_t M[24];
        slow_draw(&o, 50, k, ell, 0, drawn % 2, &random);
        const pt_discrete_options options = {.search = PT_SEARCH_GREEDY};
        (void)design(M, &o.data, &options);
        for (int64_t first = 1; first <= ell; first++) { /* the first columns alone */
            int8_t part[24];
            some.data = o.data;
            some.data.ell = first;
            some.data.H = some.H;
            for (int64_t i = 0; i < o.data.m; i++)
                for (int64_t t = 0; t < first; t++)
                    some.H[i * first + t] = o.H[i * ell + t];
            for (int64_t r = 0; r < k; r++)
                memcpy(part + r * first, M + r * ell, (size_t)first);
            assert_float_equal(slow_error(&some.data, part),
                               slow_best(&some.data, part, first - 1, ENTRIES[0].values, 2), 1e-10);
        }
    }
}

static void test_column__each_one_is_that_of_theorem_1(void **state)
{
    (void)state;
    static slow_outputs o;
    pt_random random;
    pt_random_init(&random, 10, PT_RANDOM_TEST, 0);
    int8_t M[30];
    int8_t u[5];
    slow_draw(&o, 60, 5, 6, 1, 1, &random);
    pt_discrete_options options = {.search = PT_SEARCH_COLUMN};
    (void)design(M, &o.data, &options);
    for (int64_t t = 0; t < 6; t++) {
        assert_int_equal(pt_design_first_column(&o.data, t, u, NULL, NULL), PT_OK);
        for (int64_t r = 0; r < 5; r++)
            assert_int_equal(M[r * 6 + t], u[r]);
    }
    options.entries = PT_ENTRIES_TERNARY;
    pt_discrete_result result;
    assert_int_equal(pt_design_discrete(M, &o.data, &options, &result, NULL, NULL), PT_EINVAL);
}

/* ---- problems that are hard ------------------------------------------------------------------ */

/* CS Theorem 2: the fewest mistakes are the smallest vertex cover, with bits and with signs. */
static void test_exact__finds_the_smallest_vertex_cover(void **state)
{
    (void)state;
    static hard_cover cover;
    pt_random random;
    pt_random_init(&random, 11, PT_RANDOM_TEST, 0);
    for (int drawn = 0; drawn < 24; drawn++) {
        int8_t M[2 * (2 * HARD_VERTICES + 1)];
        const int64_t n = 2 + drawn % 5;
        const hard_graph graph = hard_graph_draw(n, 0.3 + 0.1 * (drawn % 6), &random);
        hard_cover_of(&cover, &graph);
        const double expected = (double)hard_vertex_cover(&graph) / (double)cover.data.m;
        for (int kind = 0; kind < N_ENTRIES; kind += 2) {
            const pt_discrete_options options = {.search = PT_SEARCH_EXACT,
                                                 .entries = ENTRIES[kind].entries};
            const pt_discrete_result result = design(M, &cover.data, &options);
            assert_true(result.proven);
            assert_float_equal(result.error, expected, 1e-12);
        }
    }
}

/* The reduction itself, against all codes with entries 0 and 1, where these are few. */
static void test_cover__all_codes_agree_with_all_sets(void **state)
{
    (void)state;
    static hard_cover cover;
    pt_random random;
    pt_random_init(&random, 12, PT_RANDOM_TEST, 0);
    for (int drawn = 0; drawn < 6; drawn++) {
        const int64_t n = 2 + drawn % 2;
        const hard_graph graph = hard_graph_draw(n, 0.4 + 0.2 * (drawn % 4), &random);
        hard_cover_of(&cover, &graph);
        assert_float_equal(slow_best(&cover.data, NULL, 0, ENTRIES[2].values, 2),
                           (double)hard_vertex_cover(&graph) / (double)cover.data.m, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error__is_that_of_the_paper),
        cmocka_unit_test(test_exact__is_the_best_of_all_codes),
        cmocka_unit_test(test_exact__bounds_hold_where_it_is_stopped),
        cmocka_unit_test(test_exact__too_many_entries_are_refused),
        cmocka_unit_test(test_local__no_entry_helps_and_a_start_is_kept),
        cmocka_unit_test(test_local__is_often_the_best),
        cmocka_unit_test(test_local__threads_keep_every_entry),
        cmocka_unit_test(test_exact__the_next_column_is_the_best_one),
        cmocka_unit_test(test_greedy__every_column_is_the_best_next_one),
        cmocka_unit_test(test_column__each_one_is_that_of_theorem_1),
        cmocka_unit_test(test_exact__finds_the_smallest_vertex_cover),
        cmocka_unit_test(test_cover__all_codes_agree_with_all_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
