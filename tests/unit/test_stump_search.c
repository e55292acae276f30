/* The search for stumps against all cuts and all subsets, one after the other. */
/* labels: threads heavy */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/share.h"
#include "base/alloc.h"
#include "base/isa.h"
#include "base/random.h"
#include "base/task.h"
#include "polytomy/polytomy.h"
#include "trees/stump_search.h"

enum { N = 240, D = 7, GROUPS = 5, MOST = 40, STRIDE_MOST = 40 };
enum { OVA, DENSE, SPARSE, PAIRS, KINDS };

typedef struct instance {
    double x[N * D];
    int64_t levels[D];
    int64_t group_of[N];
    int8_t sign[GROUPS * MOST];
    pt_rows rows;
    pt_feature_table table;
    pt_stump_columns columns;
    pt_stump_layout layout;
    double first[N * STRIDE_MOST];
    double second[N * STRIDE_MOST];
} instance;

static void fill_rows(instance *in, pt_random *random)
{
    const int64_t levels[D] = {0, 0, 4, 0, 6, 0, 2};
    memcpy(in->levels, levels, sizeof levels);
    for (int64_t i = 0; i < N; i++) {
        double *row = in->x + i * D;
        in->group_of[i] = pt_random_below(random, GROUPS);
        const double shift = (double)in->group_of[i];
        row[0] = floor(3 * pt_random_uniform(random) + shift);
        row[1] = pt_random_normal(random) + 0.5 * shift;
        row[2] = (double)((in->group_of[i] + pt_random_below(random, 3)) % 4);
        row[3] = 1;
        row[4] = pt_random_below(random, 2) ? (double)((2 * in->group_of[i]) % 6)
                                            : (double)pt_random_below(random, 6);
        row[5] = pt_random_below(random, 3) ? pt_random_normal(random) - shift : NAN;
        row[6] = (double)pt_random_below(random, 2);
        for (int64_t f = 0; f < D; f++)
            if (f != 3 && pt_random_below(random, 12) == 0)
                row[f] = NAN;
    }
    in->rows = (pt_rows){
        .n = N, .d = D, .type = PT_F64, .dense = in->x, .stride = D, .levels = in->levels};
}

static void fill_code(instance *in, int kind, pt_random *random)
{
    const int64_t ell = kind == OVA ? GROUPS : kind == DENSE ? 12 : kind == SPARSE ? 35 : 10;
    in->columns = (pt_stump_columns){GROUPS, ell, kind == PAIRS, kind == PAIRS ? NULL : in->sign,
                                     in->group_of};
    for (int64_t g = 0; g < GROUPS; g++)
        for (int64_t s = 0; s < ell; s++)
            in->sign[g * ell + s] = (int8_t)(kind == OVA     ? (g == s ? 1 : -1)
                                             : kind == DENSE ? 2 * pt_random_below(random, 2) - 1
                                                             : pt_random_below(random, 3) - 1);
    in->layout = pt_stump_columns_layout(&in->columns);
}

/* Numbers in [0, 1) for the slots that take part, some of them 0. */
static void fill_numbers(instance *in, pt_random *random)
{
    memset(in->first, 0, sizeof in->first);
    memset(in->second, 0, sizeof in->second);
    for (int64_t i = 0; i < N; i++)
        for (int64_t q = 0; q < in->layout.width; q++) {
            int sign = 0;
            pt_stump_column(&in->columns, in->group_of[i], q, &sign);
            const int64_t at = i * in->layout.stride + q;
            if (sign == 0 || pt_random_below(random, 9) == 0)
                continue;
            in->first[at] = pt_random_uniform(random);
            in->second[at] = in->first[at] * (sign + pt_random_normal(random));
        }
}

static instance *make(int kind, int64_t bins, uint64_t seed)
{
    instance *in = calloc(1, sizeof *in);
    pt_random random;
    pt_error err = PT_ERROR_INIT;
    pt_random_init(&random, seed, PT_RANDOM_TEST, (uint64_t)kind);
    fill_rows(in, &random);
    fill_code(in, kind, &random);
    fill_numbers(in, &random);
    assert_int_equal(pt_feature_table_init(&in->table, &in->rows, bins, NULL, &err), PT_OK);
    return in;
}

static void drop(instance *in)
{
    pt_feature_table_free(&in->table);
    free(in);
}

/* ---- the slow search ---------------------------------------------------------------------------
 */

/* The slot of row i that is column s; -1: it takes no part. */
static int64_t slot_of(const instance *in, int64_t i, int64_t s, int *sign)
{
    for (int64_t q = 0; q < in->layout.width; q++)
        if (pt_stump_column(&in->columns, in->group_of[i], q, sign) == s && *sign != 0)
            return q;
    *sign = 0;
    return -1;
}

/* sum[branch] of column s, by the branches of a stump; rows[branch]: how many. */
static void slow_sums(const instance *in, pt_stump_rule rule, const pt_stump *stump, int64_t s,
                      double sum[PT_BRANCHES][2], int64_t rows[PT_BRANCHES])
{
    memset(sum, 0, PT_BRANCHES * sizeof *sum);
    memset(rows, 0, PT_BRANCHES * sizeof *rows);
    for (int64_t i = 0; i < N; i++) {
        int sign = 0;
        const int64_t q = slot_of(in, i, s, &sign);
        const int branch = pt_test_branch(&in->table, &stump->test, i);
        if (q < 0)
            continue;
        const int64_t at = i * in->layout.stride + q;
        rows[branch]++;
        if (rule == PT_STUMP_NEWTON) {
            sum[branch][0] += in->first[at];
            sum[branch][1] += in->second[at];
        } else {
            sum[branch][sign < 0] += in->first[at];
        }
    }
}

static double slow_gain(pt_stump_rule rule, bool below, double sum[PT_BRANCHES][2])
{
    double gain = 0;
    for (int b = 0; b < PT_BRANCHES; b++) {
        const double p = sum[b][0];
        const double q = sum[b][1];
        const double turned = b == PT_BRANCH_OUT ? -1 : 1;
        if (rule == PT_STUMP_NEWTON)
            gain += p > 0 ? q * q / p : 0;
        else if (rule == PT_STUMP_CONFIDENCE)
            gain -= sqrt(p * q);
        else
            gain += below && b != PT_BRANCH_MISSING ? turned * (p - q) : fabs(p - q);
    }
    return gain;
}

/* What the rows of a branch weigh by themselves, in column s or, -1, in all. */
static double slow_weight(const instance *in, const double *weight, const pt_stump *stump,
                          int64_t s, int branch)
{
    double sum = 0;
    for (int64_t i = 0; i < N; i++) {
        int sign = 0;
        if ((s < 0 || slot_of(in, i, s, &sign) >= 0) &&
            pt_test_branch(&in->table, &stump->test, i) == branch)
            sum += weight ? weight[i] : 1;
    }
    return sum;
}

typedef struct slow_search {
    const instance *in;
    pt_stump_options options;
    int64_t column; /* -1: all */
    double best;
} slow_search;

static void try_stump(slow_search *slow, const pt_stump *stump, bool free_size)
{
    double gain = 0;
    int64_t all[PT_BRANCHES] = {0};
    for (int64_t i = 0; i < N; i++)
        all[pt_test_branch(&slow->in->table, &stump->test, i)]++;
    for (int64_t s = 0; s < slow->in->columns.ell; s++) {
        double sum[PT_BRANCHES][2];
        int64_t rows[PT_BRANCHES];
        if (slow->column >= 0 && s != slow->column)
            continue;
        slow_sums(slow->in, slow->options.rule, stump, s, sum, rows);
        if (slow->column < 0)
            memcpy(rows, all, sizeof rows);
        if (!free_size && (rows[PT_BRANCH_IN] < slow->options.min_leaf ||
                           rows[PT_BRANCH_OUT] < slow->options.min_leaf))
            return;
        for (int b = PT_BRANCH_IN; b <= PT_BRANCH_OUT && slow->options.min_weight > 0; b++)
            if (!free_size && slow_weight(slow->in, slow->options.weight, stump, slow->column, b) <
                                  slow->options.min_weight)
                return;
        gain += slow_gain(slow->options.rule, slow->options.below, sum);
    }
    slow->best = gain > slow->best ? gain : slow->best;
}

static double slow_best(const instance *in, const pt_stump_options *options, int64_t column)
{
    slow_search slow = {in, *options, column, -INFINITY};
    for (int64_t f = 0; f < D; f++) {
        const pt_feature *feature = &in->table.feature[f];
        if (feature->levels > 0 && options->below)
            continue;
        for (int64_t b = options->below ? -1 : 0; b < feature->bins && feature->levels == 0; b++) {
            const pt_stump stump = {.test = {.feature = f, .bin = b}};
            try_stump(&slow, &stump, options->below || b == feature->bins - 1);
        }
        for (uint64_t set = 0; feature->levels > 0 && set < (uint64_t)1 << feature->levels; set++) {
            const pt_stump stump = {.test = {.feature = f, .bin = -1, .set = &set}};
            try_stump(&slow, &stump, set == ((uint64_t)1 << feature->levels) - 1);
        }
    }
    return slow.best;
}

/* ---- the tests ---------------------------------------------------------------------------------
 */

static void near(double a, double b)
{
    if (fabs(a - b) > 1e-9 * (1 + fabs(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

static pt_stump_search *search_of(const instance *in, const pt_stump_options *options,
                                  const pt_task *task)
{
    pt_stump_search *search = NULL;
    pt_error err = PT_ERROR_INIT;
    if (pt_stump_search_new(&search, &in->table, &in->columns, options, task, &err) != PT_OK)
        fail_msg("%s", err.text);
    return search;
}

/* sure: whether the best is found in any case. Subsets are cuts of one order of the levels, and
 * where sides must have a size the best of those may be another. */
static void expect_best(const instance *in, const pt_stump_options *options, bool sure)
{
    pt_stump stump[MOST];
    pt_error err = PT_ERROR_INIT;
    pt_stump_search *search = search_of(in, options, NULL);
    assert_int_equal(pt_stump_search_each(search, in->first, in->second, stump, NULL, &err), PT_OK);
    for (int64_t s = 0; s < in->columns.ell; s++) {
        double sum[PT_BRANCHES][2];
        int64_t rows[PT_BRANCHES];
        const double best = slow_best(in, options, s);
        if (sure)
            near(stump[s].gain, best);
        assert_true(stump[s].gain <= best + 1e-9 * (1 + fabs(best)));
        slow_sums(in, options->rule, &stump[s], s, sum, rows);
        near(stump[s].gain, slow_gain(options->rule, options->below, sum));
        for (int b = 0; b < PT_BRANCHES; b++)
            for (int c = 0; c < 2; c++)
                near(stump[s].sum[b][c], sum[b][c]);
    }
    pt_stump_search_free(search);
}

/* Levels become numbers. */
static void make_numeric(instance *in, int64_t bins)
{
    pt_error err = PT_ERROR_INIT;
    memset(in->levels, 0, sizeof in->levels);
    pt_feature_table_free(&in->table);
    assert_int_equal(pt_feature_table_init(&in->table, &in->rows, bins, NULL, &err), PT_OK);
}

static void test_stump_search__best_of_each_column(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int rule = 0; rule < 3; rule++)
            for (int64_t bins = 0; bins < 20; bins += 10) {
                if (!test_in_share())
                    continue;
                const pt_stump_options options = {
                    .rule = (pt_stump_rule)rule, .below = false, .min_leaf = 1};
                instance *in = make(kind, bins, 3 + (uint64_t)rule);
                expect_best(in, &options, true);
                drop(in);
            }
}

static void test_stump_search__min_leaf(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int rule = 0; rule < 3; rule++) {
            if (!test_in_share())
                continue;
            const pt_stump_options options = {
                .rule = (pt_stump_rule)rule, .below = false, .min_leaf = 20};
            instance *in = make(kind, 10, 3 + (uint64_t)rule);
            expect_best(in, &options, false);
            make_numeric(in, 10);
            expect_best(in, &options, true);
            drop(in);
        }
}

static void test_stump_search__polarity_below(void **state)
{
    (void)state;
    const pt_stump_options options = {.rule = PT_STUMP_DISCRETE, .below = true, .min_leaf = 1};
    for (int kind = 0; kind < KINDS; kind++) {
        instance *in = make(kind, 0, 11);
        expect_best(in, &options, true);
        drop(in);
    }
}

/* Nominal features are searched greedily: without them the shared test is the best there is, with
 * them it is what its branches say, and no worse than any test of a numeric feature. */
static void expect_shared(instance *in, const pt_stump_options *options, bool nominal)
{
    pt_stump stump;
    double sums[MOST * PT_BRANCHES * 2];
    pt_error err = PT_ERROR_INIT;
    pt_stump_search *search = search_of(in, options, NULL);
    assert_int_equal(
        pt_stump_search_shared(search, in->first, in->second, &stump, sums, NULL, &err), PT_OK);
    double gain = 0;
    for (int64_t s = 0; s < in->columns.ell; s++) {
        double sum[PT_BRANCHES][2];
        int64_t rows[PT_BRANCHES];
        slow_sums(in, options->rule, &stump, s, sum, rows);
        for (int b = 0; b < PT_BRANCHES; b++)
            for (int c = 0; c < 2; c++)
                near(sums[(s * PT_BRANCHES + b) * 2 + c], sum[b][c]);
        gain += slow_gain(options->rule, options->below, sum);
    }
    near(stump.gain, gain);
    const double best = slow_best(in, options, -1);
    if (nominal)
        assert_true(stump.gain <= best + 1e-9 * (1 + fabs(best)));
    else
        near(stump.gain, best);
    pt_stump_search_free(search);
}

/* The weights of the search are those of boosting; the least weight is one of examples. */
static void test_stump_search__min_weight(void **state)
{
    (void)state;
    double weight[N];
    for (int64_t i = 0; i < N; i++)
        weight[i] = (double)(1 + i * 7 % 5);
    for (int kind = 0; kind < KINDS; kind++)
        for (int rule = 0; rule < 3; rule++)
            for (int64_t bins = 0; bins < 20; bins += 10) {
                if (!test_in_share())
                    continue;
                const pt_stump_options options = {.rule = (pt_stump_rule)rule,
                                                  .min_leaf = bins > 0 ? 8 : 1,
                                                  .min_weight = 60,
                                                  .weight = kind % 2 ? weight : NULL};
                instance *in = make(kind, bins, 3 + (uint64_t)rule);
                expect_best(in, &options, false);
                expect_shared(in, &options, true);
                make_numeric(in, bins);
                expect_best(in, &options, true);
                expect_shared(in, &options, false);
                drop(in);
            }
}

static void test_stump_search__one_test_for_all_columns(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int rule = 0; rule < 3; rule++)
            for (int64_t min_leaf = 1; min_leaf < 40; min_leaf += 19)
                for (int below = 0; below < (rule == PT_STUMP_DISCRETE ? 2 : 1); below++) {
                    if (!test_in_share())
                        continue;
                    const pt_stump_options options = {
                        .rule = (pt_stump_rule)rule, .below = below, .min_leaf = min_leaf};
                    instance *in = make(kind, 16, 5);
                    expect_shared(in, &options, true);
                    make_numeric(in, 16);
                    expect_shared(in, &options, false);
                    drop(in);
                }
}

/* A single level against the rest is where the greedy search begins. */
static void test_stump_search__shared_subset_beats_single_levels(void **state)
{
    (void)state;
    for (int rule = 0; rule < 3; rule++) {
        const pt_stump_options options = {
            .rule = (pt_stump_rule)rule, .below = false, .min_leaf = 1};
        instance *in = make(DENSE, 16, 21);
        pt_stump stump;
        double sums[MOST * PT_BRANCHES * 2];
        pt_error err = PT_ERROR_INIT;
        pt_stump_search *search = search_of(in, &options, NULL);
        assert_int_equal(
            pt_stump_search_shared(search, in->first, in->second, &stump, sums, NULL, &err), PT_OK);
        slow_search slow = {in, options, -1, -INFINITY};
        for (int64_t f = 0; f < D; f++)
            for (int64_t v = 0; v < in->levels[f]; v++) {
                const uint64_t set = (uint64_t)1 << v;
                const pt_stump single = {.test = {.feature = f, .bin = -1, .set = &set}};
                try_stump(&slow, &single, false);
            }
        assert_true(stump.gain >= slow.best - 1e-9);
        pt_stump_search_free(search);
        drop(in);
    }
}

/* ---- one feature of many levels, one against all -----------------------------------------------
 */

typedef struct many_levels {
    int64_t levels;
    int64_t groups;
    double *x;         /* 4 rows a level on average, the first have many */
    int64_t *group_of; /* of each row */
    int8_t *sign;
    double *first;
    pt_rows rows;
    pt_feature_table table;
    pt_stump_columns columns;
    pt_stump_layout layout;
} many_levels;

static void make_many(many_levels *in, int64_t levels, int64_t groups)
{
    pt_random random;
    pt_error err = PT_ERROR_INIT;
    const int64_t n = 4 * levels;
    *in = (many_levels){.levels = levels, .groups = groups};
    in->x = calloc((size_t)n, sizeof *in->x);
    in->group_of = calloc((size_t)n, sizeof *in->group_of);
    in->sign = calloc((size_t)(groups * groups), 1);
    pt_random_init(&random, 17, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < n; i++) {
        in->x[i] = floor((double)levels * pow(pt_random_uniform(&random), 3));
        in->group_of[i] = pt_random_below(&random, groups);
    }
    for (int64_t g = 0; g < groups; g++)
        for (int64_t s = 0; s < groups; s++)
            in->sign[g * groups + s] = g == s ? 1 : -1;
    in->rows = (pt_rows){
        .n = n, .d = 1, .type = PT_F64, .dense = in->x, .stride = 1, .levels = &in->levels};
    in->columns = (pt_stump_columns){groups, groups, false, in->sign, in->group_of};
    in->layout = pt_stump_columns_layout(&in->columns);
    in->first = calloc((size_t)(n * in->layout.stride), sizeof *in->first);
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < groups; s++)
            in->first[i * in->layout.stride + s] = pt_random_uniform(&random);
    assert_int_equal(pt_feature_table_init(&in->table, &in->rows, 256, NULL, &err), PT_OK);
}

static void drop_many(many_levels *in)
{
    pt_feature_table_free(&in->table);
    free(in->first);
    free(in->sign);
    free(in->group_of);
    free(in->x);
}

/* Gain of a set, and how many rows it has. */
static double many_gain(const many_levels *in, pt_stump_rule rule, const uint64_t *set,
                        int64_t *rows)
{
    double gain = 0;
    for (int64_t s = 0; s < in->groups; s++) {
        double sum[PT_BRANCHES][2] = {{0}};
        *rows = 0;
        for (int64_t i = 0; i < in->rows.n; i++) {
            const int64_t v = (int64_t)in->x[i];
            const bool is_in = set[v / 64] >> (v % 64) & 1;
            sum[is_in ? PT_BRANCH_IN : PT_BRANCH_OUT][in->group_of[i] != s] +=
                in->first[i * in->layout.stride + s];
            *rows += is_in;
        }
        gain += slow_gain(rule, false, sum);
    }
    return gain;
}

/* Sums that follow the moves leave a set whose gain is what its rows say, with enough rows on both
 * sides, and that no move of one level makes better. */
static void test_stump_search__no_level_is_left_to_move(void **state)
{
    (void)state;
    enum { LEVELS = 150, WORDS = 3 };
    for (int rule = 0; rule < 2; rule++)
        for (int64_t min_leaf = 1; min_leaf < 100; min_leaf += 89) {
            const pt_stump_options options = {
                .rule = (pt_stump_rule)rule, .below = false, .min_leaf = min_leaf};
            many_levels in;
            pt_stump stump;
            pt_stump_search *search = NULL;
            double sums[6 * PT_BRANCHES * 2];
            pt_error err = PT_ERROR_INIT;
            int64_t rows = 0;
            make_many(&in, LEVELS, 6);
            assert_int_equal(
                pt_stump_search_new(&search, &in.table, &in.columns, &options, NULL, &err), PT_OK);
            assert_int_equal(
                pt_stump_search_shared(search, in.first, NULL, &stump, sums, NULL, &err), PT_OK);
            near(stump.gain, many_gain(&in, options.rule, stump.test.set, &rows));
            assert_in_range(rows, min_leaf, in.rows.n - min_leaf);
            uint64_t set[WORDS];
            memcpy(set, stump.test.set, sizeof set);
            for (int64_t v = 0; v < LEVELS; v++) {
                set[v / 64] ^= (uint64_t)1 << (v % 64);
                const double moved = many_gain(&in, options.rule, set, &rows);
                if (rows >= min_leaf && in.rows.n - rows >= min_leaf)
                    assert_true(moved <= stump.gain + 1e-9);
                set[v / 64] ^= (uint64_t)1 << (v % 64);
            }
            pt_stump_search_free(search);
            drop_many(&in);
        }
}

/* The search among the levels of one feature takes far longer than the millisecond it has. */
static void test_stump_search__levels_can_be_interrupted(void **state)
{
    (void)state;
    const pt_stump_options options = {.rule = PT_STUMP_CONFIDENCE, .below = false, .min_leaf = 2};
    many_levels in;
    pt_error err = PT_ERROR_INIT;
    make_many(&in, 5000, 60);
    for (int shared = 0; shared < 2; shared++) {
        pt_stump_search *search = NULL;
        pt_stump stump[60];
        static double sums[60 * PT_BRANCHES * 2];
        pt_task *task = NULL;
        assert_int_equal(pt_stump_search_new(&search, &in.table, &in.columns, &options, NULL, &err),
                         PT_OK);
        assert_int_equal(pt_task_new(&task, &err), PT_OK);
        pt_task_set_time_limit(task, 0.001);
        const pt_status status =
            shared ? pt_stump_search_shared(search, in.first, NULL, stump, sums, task, &err)
                   : pt_stump_search_each(search, in.first, NULL, stump, task, &err);
        assert_int_equal(status, PT_ETIME);
        pt_task_free(task);
        pt_stump_search_free(search);
    }
    drop_many(&in);
}

static void expect_equal(const pt_stump *a, const pt_stump *b, int64_t words)
{
    assert_int_equal(a->test.feature, b->test.feature);
    assert_int_equal(a->test.bin, b->test.bin);
    assert_true(a->gain == b->gain);
    assert_memory_equal(a->sum, b->sum, sizeof a->sum);
    assert_int_equal(a->test.set != NULL, b->test.set != NULL);
    if (a->test.set)
        assert_memory_equal(a->test.set, b->test.set, (size_t)words * sizeof *a->test.set);
}

static void run_both(const instance *a, const instance *b, pt_stump_rule rule, const pt_task *ta,
                     const pt_task *tb)
{
    const pt_stump_options options = {.rule = rule, .below = false, .min_leaf = 1};
    pt_stump stump[2][MOST];
    double sums[2][MOST * PT_BRANCHES * 2];
    pt_error err = PT_ERROR_INIT;
    pt_stump_search *x = search_of(a, &options, ta);
    pt_stump_search *y = search_of(b, &options, tb);
    assert_int_equal(pt_stump_search_each(x, a->first, a->second, stump[0], ta, &err), PT_OK);
    assert_int_equal(pt_stump_search_each(y, b->first, b->second, stump[1], tb, &err), PT_OK);
    for (int64_t s = 0; s < a->columns.ell; s++)
        expect_equal(&stump[0][s], &stump[1][s], 1);
    assert_int_equal(pt_stump_search_shared(x, a->first, a->second, stump[0], sums[0], ta, &err),
                     PT_OK);
    assert_int_equal(pt_stump_search_shared(y, b->first, b->second, stump[1], sums[1], tb, &err),
                     PT_OK);
    expect_equal(stump[0], stump[1], 1);
    assert_memory_equal(sums[0], sums[1],
                        (size_t)(a->columns.ell * PT_BRANCHES * 2) * sizeof(double));
    pt_stump_search_free(x);
    pt_stump_search_free(y);
}

static void test_stump_search__same_bits_for_any_threads_and_instruction_set(void **state)
{
    (void)state;
    pt_task *task = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_threads(task, 3);
    const pt_isa_level before = pt_isa_level_chosen();
    for (int kind = 0; kind < KINDS; kind++)
        for (int rule = 0; rule < 3; rule++) {
            instance *in = make(kind, 32, 9);
            run_both(in, in, (pt_stump_rule)rule, NULL, task);
            drop(in);
        }
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        const pt_stump_options options = {
            .rule = PT_STUMP_CONFIDENCE, .below = false, .min_leaf = 1};
        pt_stump stump[2][MOST];
        if (!pt_isa_level_runs((pt_isa_level)level))
            continue;
        instance *in = make(SPARSE, 32, 9);
        pt_isa_level_force(PT_ISA_BASE);
        pt_stump_search *x = search_of(in, &options, NULL);
        pt_isa_level_force((pt_isa_level)level);
        pt_stump_search *y = search_of(in, &options, NULL);
        assert_int_equal(pt_stump_search_each(x, in->first, NULL, stump[0], NULL, &err), PT_OK);
        assert_int_equal(pt_stump_search_each(y, in->first, NULL, stump[1], NULL, &err), PT_OK);
        for (int64_t s = 0; s < in->columns.ell; s++)
            expect_equal(&stump[0][s], &stump[1][s], 1);
        pt_stump_search_free(x);
        pt_stump_search_free(y);
        drop(in);
    }
    pt_isa_level_force(before);
    pt_task_free(task);
}

/* A table of the same rows with few values: exact and histogram are one. */
static void test_stump_search__exact_and_histogram_agree(void **state)
{
    (void)state;
    for (int rule = 0; rule < 3; rule++) {
        instance *exact = make(DENSE, 0, 4);
        instance *histogram = make(DENSE, 256, 4); /* 240 rows: no column has more values */
        run_both(exact, histogram, (pt_stump_rule)rule, NULL, NULL);
        drop(exact);
        drop(histogram);
    }
}

/* ---- listed features of sparse rows ------------------------------------------------------------
 */

typedef struct sparse_rows {
    int64_t start[N + 1];
    int64_t index[N * D];
    double value[N * D];
    pt_rows rows;
} sparse_rows;

/* Most cells become 0, but for two features; numbers become such that sums are exact. */
static void thin_out(instance *in, sparse_rows *sparse, int64_t bins, uint64_t seed)
{
    pt_random random;
    pt_error err = PT_ERROR_INIT;
    int64_t stored = 0;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 1);
    for (int64_t i = 0; i < N; i++)
        for (int64_t f = 0; f < D; f++) {
            double *x = &in->x[i * D + f];
            *x = f > 1 && pt_random_below(&random, 20) > 0 ? 0 : *x;
            sparse->start[i] = f == 0 ? stored : sparse->start[i];
            if (*x == 0 && pt_random_below(&random, 50) > 0)
                continue; /* some of the cells are 0 and stored */
            sparse->index[stored] = f;
            sparse->value[stored++] = *x;
        }
    sparse->start[N] = stored;
    for (int64_t i = 0; i < N * in->layout.stride; i++) {
        in->first[i] = floor(1024 * in->first[i]) / 1024;
        in->second[i] = floor(1024 * in->second[i]) / 1024;
    }
    sparse->rows = (pt_rows){.n = N,
                             .d = D,
                             .type = PT_F64,
                             .start = sparse->start,
                             .index = sparse->index,
                             .value = sparse->value,
                             .levels = in->levels};
    pt_feature_table_free(&in->table);
    assert_int_equal(pt_feature_table_init(&in->table, &in->rows, bins, NULL, &err), PT_OK);
}

/* The stumps of both, their branches, and those of the round after. */
static void expect_same_rounds(instance *a, instance *b, const pt_stump_options *options,
                               const pt_task *task)
{
    static double factors[GROUPS * PT_BRANCHES * STRIDE_MOST];
    pt_stump stump[2][MOST];
    double sums[2][MOST * PT_BRANCHES * 2];
    pt_error err = PT_ERROR_INIT;
    instance *of[2] = {a, b};
    pt_stump_search *search[2];
    const bool newton = options->rule == PT_STUMP_NEWTON;
    for (int64_t j = 0; j < GROUPS * PT_BRANCHES * STRIDE_MOST; j++)
        factors[j] = j % 3 == 0 ? 0.5 : j % 3;
    for (int shared = 0; shared < 2; shared++)
        for (int round = 0; round < (newton ? 1 : 3); round++)
            for (int j = 0; j < 2; j++) {
                if (round == 0)
                    search[j] = search_of(of[j], options, task);
                pt_status status =
                    round > 0 ? pt_stump_search_next(search[j], factors, of[j]->first, stump[j],
                                                     shared ? sums[j] : NULL, task, &err)
                    : shared  ? pt_stump_search_shared(search[j], of[j]->first, of[j]->second,
                                                       stump[j], sums[j], task, &err)
                              : pt_stump_search_each(search[j], of[j]->first, of[j]->second,
                                                     stump[j], task, &err);
                assert_int_equal(status, PT_OK);
                if (j == 0)
                    continue;
                for (int64_t s = 0; s < (shared ? 1 : a->columns.ell); s++)
                    expect_equal(&stump[0][s], &stump[1][s], 1);
                if (shared)
                    assert_memory_equal(sums[0], sums[1],
                                        (size_t)(a->columns.ell * PT_BRANCHES * 2) *
                                            sizeof(double));
                assert_memory_equal(a->first, b->first, sizeof a->first);
                if (round == (newton ? 0 : 2)) {
                    pt_stump_search_free(search[0]);
                    pt_stump_search_free(search[1]);
                }
            }
}

/* The same bins as numbers of 32 bits, as features with more than 256 of them have. */
static void widen(instance *in, uint32_t *wide)
{
    for (int64_t f = 0; f < D; f++, wide += N) {
        pt_feature *feature = &in->table.feature[f];
        assert_non_null(feature->bin);
        for (int64_t i = 0; i < N; i++)
            wide[i] = feature->bin[i];
        feature->wide = wide;
        feature->bin = NULL;
    }
}

static void test_stump_search__wide_bins_are_as_narrow_ones(void **state)
{
    (void)state;
    static uint32_t room[D * N];
    for (int kind = 0; kind < KINDS; kind++)
        for (int rule = 0; rule < 3; rule++) {
            instance *narrow = make(kind, 0, 17);
            instance *wide = make(kind, 0, 17);
            widen(wide, room);
            run_both(narrow, wide, (pt_stump_rule)rule, NULL, NULL);
            drop(narrow);
            drop(wide);
        }
}

static void test_stump_search__listed_features_are_those_of_the_full_table(void **state)
{
    (void)state;
    static sparse_rows sparse;
    pt_task *task = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_threads(task, 3);
    for (int kind = 0; kind < KINDS; kind++)
        for (int rule = 0; rule < 3; rule++)
            for (int64_t min_leaf = 1; min_leaf < 5; min_leaf += 3)
                for (int64_t bins = 0; bins < 20; bins += 10) {
                    const pt_stump_options options = {
                        .rule = (pt_stump_rule)rule, .below = false, .min_leaf = min_leaf};
                    instance *full = make(kind, bins, 31);
                    instance *listed = make(kind, bins, 31);
                    thin_out(full, &sparse, bins, 5);
                    thin_out(listed, &sparse, bins, 5);
                    pt_feature_table_free(&listed->table);
                    assert_int_equal(pt_feature_table_init_listed(&listed->table, &sparse.rows,
                                                                  bins, task, &err),
                                     PT_OK);
                    int64_t lists = 0;
                    for (int64_t f = 0; f < D; f++) {
                        lists += listed->table.feature[f].row != NULL;
                        for (int64_t i = 0; i < N; i++)
                            assert_int_equal(pt_feature_bin(&listed->table.feature[f], i),
                                             pt_feature_bin(&full->table.feature[f], i));
                    }
                    assert_in_range(lists, 3, D - 1); /* some of either kind */
                    expect_same_rounds(full, listed, &options, task);
                    drop(full);
                    drop(listed);
                }
    pt_task_free(task);
}

/* All pairs by slots give what the same code written out gives, to the bit where sides are summed
 * apart. */
static void test_stump_search__pairs_are_a_code(void **state)
{
    (void)state;
    for (int rule = 0; rule < 2; rule++) {
        instance *pairs = make(PAIRS, 32, 8);
        instance *written = make(PAIRS, 32, 8);
        int64_t s = 0;
        written->columns.pairs = false;
        written->columns.sign = written->sign;
        memset(written->sign, 0, sizeof written->sign);
        for (int64_t p = 0; p < GROUPS; p++)
            for (int64_t q = p + 1; q < GROUPS; q++, s++) {
                written->sign[p * written->columns.ell + s] = 1;
                written->sign[q * written->columns.ell + s] = -1;
            }
        written->layout = pt_stump_columns_layout(&written->columns);
        memset(written->first, 0, sizeof written->first);
        for (int64_t i = 0; i < N; i++)
            for (int64_t q = 0; q < GROUPS; q++) {
                int sign = 0;
                const int64_t column =
                    pt_stump_column(&pairs->columns, pairs->group_of[i], q, &sign);
                if (column >= 0)
                    written->first[i * written->layout.stride + column] =
                        pairs->first[i * pairs->layout.stride + q];
            }
        run_both(pairs, written, (pt_stump_rule)rule, NULL, NULL);
        drop(pairs);
        drop(written);
    }
}

/* Numbers are multiplied by the factors of the branches, and trees follow the stumps. */
static void test_stump_search__factors_and_trees(void **state)
{
    (void)state;
    static uint32_t room[D * N];
    for (int run = 0; run < 2 * KINDS; run++) {
        const pt_stump_options options = {
            .rule = PT_STUMP_CONFIDENCE, .below = false, .min_leaf = 1};
        instance *in = make(run % KINDS, 16, 13);
        if (run >= KINDS)
            widen(in, room);
        const int64_t stride = in->layout.stride;
        pt_stump stump[MOST];
        pt_error err = PT_ERROR_INIT;
        pt_forest forest = {0};
        pt_stump_search *search = search_of(in, &options, NULL);
        assert_int_equal(pt_stump_search_each(search, in->first, NULL, stump, NULL, &err), PT_OK);
        stump[1].test.feature = -1;
        static double factors[GROUPS * PT_BRANCHES * STRIDE_MOST];
        static double number[N * STRIDE_MOST];
        for (int64_t j = 0; j < GROUPS * PT_BRANCHES * stride; j++)
            factors[j] = 1 + (double)(j % 17);
        for (int64_t j = 0; j < N * stride; j++)
            number[j] = 1;
        pt_stump next[MOST];
        memcpy(next, stump, sizeof next);
        assert_int_equal(pt_stump_search_next(search, factors, number, next, NULL, NULL, &err),
                         PT_OK);
        assert_int_equal(pt_stump_search_each(search, in->first, NULL, stump, NULL, &err), PT_OK);
        stump[1].test.feature = -1; /* whose sets the search had lent again */
        for (int64_t i = 0; i < N; i++)
            for (int64_t q = 0; q < in->layout.width; q++) {
                int sign = 0;
                const int64_t s = pt_stump_column(&in->columns, in->group_of[i], q, &sign);
                const int branch = s < 0 ? 0 : pt_test_branch(&in->table, &stump[s].test, i);
                assert_true(number[i * stride + q] ==
                            factors[(in->group_of[i] * PT_BRANCHES + branch) * stride + q]);
            }
        const double value[PT_BRANCHES] = {1, 2, 3};
        assert_int_equal(pt_forest_init(&forest, D, in->levels, 1, &err), PT_OK);
        for (int64_t s = 0; s < in->columns.ell; s++)
            assert_int_equal(pt_stump_plant(&in->table, &stump[s], value, &forest, &err), PT_OK);
        for (int64_t s = 0; s < in->columns.ell; s++)
            for (int64_t i = 0; i < N; i++)
                assert_true(forest.value[pt_forest_leaf(&forest, s, &in->rows, i)] ==
                            value[pt_test_branch(&in->table, &stump[s].test, i)]);
        pt_forest_free(&forest);
        pt_stump_search_free(search);
        drop(in);
    }
}

static void test_stump_search__survives_failing_allocations(void **state)
{
    (void)state;
    const pt_stump_options options = {.rule = PT_STUMP_DISCRETE, .below = false, .min_leaf = 3};
    instance *in = make(PAIRS, 16, 2);
    const int64_t live = pt_alloc_live();
    for (int64_t at = 1; at < 25; at++) {
        pt_stump_search *search = NULL;
        pt_error err = PT_ERROR_INIT;
        pt_alloc_fail_from(at);
        const pt_status status =
            pt_stump_search_new(&search, &in->table, &in->columns, &options, NULL, &err);
        pt_alloc_fail_from(0);
        assert_true(status == PT_OK || status == PT_ENOMEM);
        pt_stump_search_free(search);
        assert_int_equal(pt_alloc_live(), live);
    }
    drop(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stump_search__best_of_each_column),
        cmocka_unit_test(test_stump_search__min_leaf),
        cmocka_unit_test(test_stump_search__min_weight),
        cmocka_unit_test(test_stump_search__polarity_below),
        cmocka_unit_test(test_stump_search__one_test_for_all_columns),
        cmocka_unit_test(test_stump_search__shared_subset_beats_single_levels),
        cmocka_unit_test(test_stump_search__no_level_is_left_to_move),
        cmocka_unit_test(test_stump_search__levels_can_be_interrupted),
        cmocka_unit_test(test_stump_search__same_bits_for_any_threads_and_instruction_set),
        cmocka_unit_test(test_stump_search__exact_and_histogram_agree),
        cmocka_unit_test(test_stump_search__wide_bins_are_as_narrow_ones),
        cmocka_unit_test(test_stump_search__listed_features_are_those_of_the_full_table),
        cmocka_unit_test(test_stump_search__pairs_are_a_code),
        cmocka_unit_test(test_stump_search__factors_and_trees),
        cmocka_unit_test(test_stump_search__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
