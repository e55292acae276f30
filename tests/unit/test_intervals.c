/* Intervals by draws of rows, against draws that copy rows; groups; how often they hold. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/math.h"
#include "base/random.h"
#include "metrics/intervals.h"
#include "metrics/label_metrics.h"

enum { N = 24, K = 3, MOST = 4 * N, DRAWS = 60, FIGURES = 1 + PT_N_DRAWN };

/* Rows with classes and probabilities; the part of the only quotient is whether they are wrong. */
typedef struct problem {
    int64_t n;
    int64_t truth[MOST];
    int64_t said[MOST];
    int64_t group[MOST];
    double p[MOST * K];
    double wrong[MOST];
    double one[MOST];
    pt_auc auc;
} problem;

static void add_row(problem *q, const double *p, int64_t truth, int64_t group)
{
    const int64_t i = q->n++;
    memcpy(q->p + i * K, p, K * sizeof *p);
    q->truth[i] = truth;
    q->said[i] = p[0] >= p[1] && p[0] >= p[2] ? 0 : p[1] >= p[2] ? 1 : 2;
    q->group[i] = group;
    q->wrong[i] = q->said[i] != truth;
    q->one[i] = 1;
}

static problem random_problem(uint64_t seed, bool ties)
{
    problem q = {0};
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        double p[K];
        const int64_t truth = i < K ? i : pt_random_below(&random, K);
        for (int64_t r = 0; r < K; r++)
            p[r] = (ties ? (double)pt_random_below(&random, 3) : pt_random_uniform(&random)) +
                   (r == truth ? 0.5 : 0);
        add_row(&q, p, truth, i);
    }
    return q;
}

/* Every row so many times, in a group of its own. */
static problem cloned(const problem *of, int times)
{
    problem q = {0};
    for (int64_t i = 0; i < of->n; i++)
        for (int c = 0; c < times; c++)
            add_row(&q, of->p + i * K, of->truth[i], i);
    return q;
}

static void draw(pt_interval *interval, problem *q, bool grouped, int64_t n_groups, int64_t draws,
                 int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_task *task = small_task(threads);
    small_must(pt_auc_init(&q->auc, q->p, q->truth, q->n, K, task, &err), &err, "areas");
    const pt_drawn_rows rows = {.n = q->n,
                                .n_groups = n_groups,
                                .group = grouped ? q->group : NULL,
                                .n_ratios = 1,
                                .part = q->wrong,
                                .whole = q->one,
                                .k = K,
                                .truth = q->truth,
                                .said = q->said,
                                .auc = &q->auc};
    small_must(pt_draw_intervals(interval, &rows, draws, 7, task, &err), &err, "draws");
    pt_auc_free(&q->auc);
    pt_task_free(task);
}

static void assert_same(const pt_interval *a, const pt_interval *b, double tolerance)
{
    for (int f = 0; f < FIGURES; f++)
        if (!(fabs(a[f].low - b[f].low) <= tolerance && fabs(a[f].high - b[f].high) <= tolerance))
            fail_msg("figure %d: [%.17g, %.17g] is not [%.17g, %.17g]", f, a[f].low, a[f].high,
                     b[f].low, b[f].high);
}

/* ---- against copies of rows ------------------------------------------------------------------ */

/* The figures of the rows that draw number b takes, as rows of their own. */
static void figures_of_copy(double *figure, const problem *q, int64_t b)
{
    static const pt_metric METRICS[FIGURES] = {
        PT_METRIC_ERROR,  PT_METRIC_MACRO_F1, PT_METRIC_BALANCED_ACCURACY,
        PT_METRIC_MCC,    PT_METRIC_KAPPA,    PT_METRIC_AUC_OVR,
        PT_METRIC_AUC_OVO};
    pt_random random;
    pt_random_init(&random, 7, PT_RANDOM_DRAWS, (uint64_t)b);
    int64_t code[N];
    double scores[N * K];
    for (int64_t i = 0; i < N; i++) {
        const int64_t row = pt_random_below(&random, N);
        code[i] = q->truth[row];
        for (int64_t r = 0; r < K; r++)
            scores[i * K + r] = log(q->p[row * K + r]);
    }
    pt_texts names = {NULL, 0, 0};
    for (int64_t r = 0; r < K; r++)
        assert_int_equal(pt_texts_add(&names, NULL, "%c", (char)('a' + r)), PT_OK);
    pt_labels *labels = NULL;
    assert_int_equal(pt_labels_from_codes(&labels, N, code, &names, NULL), PT_OK);
    pt_tally tally;
    assert_int_equal(pt_tally_init(&tally, labels, K, ~0u, NULL, NULL), PT_OK);
    for (int64_t i = 0; i < N; i++)
        pt_tally_add(&tally, i, scores + i * K);
    assert_int_equal(pt_tally_finish(&tally, NULL, NULL), PT_OK);
    for (int f = 0; f < FIGURES; f++)
        figure[f] = pt_tally_metric(&tally, METRICS[f]);
    pt_tally_free(&tally);
    pt_labels_free(labels);
    pt_texts_free(&names);
}

static void test_draws__are_copies_of_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 9; seed++) {
        problem q = random_problem(seed, seed % 2 == 0);
        static double value[FIGURES][DRAWS];
        pt_interval found[FIGURES];
        pt_interval slow_ones[FIGURES];
        for (int64_t b = 0; b < DRAWS; b++) {
            double figure[FIGURES];
            figures_of_copy(figure, &q, b);
            for (int f = 0; f < FIGURES; f++)
                value[f][b] = figure[f];
        }
        for (int f = 0; f < FIGURES; f++) {
            qsort(value[f], DRAWS, sizeof(double), pt_ascending);
            const double low = 0.025 * (DRAWS - 1);
            const double high = 0.975 * (DRAWS - 1);
            const int l = (int)low;
            const int h = (int)high;
            slow_ones[f] =
                (pt_interval){value[f][l] + (low - l) * (value[f][l + 1] - value[f][l]),
                              value[f][h] + (high - h) * (value[f][h + 1] - value[f][h])};
        }
        draw(found, &q, false, q.n, DRAWS, 1);
        assert_same(found, slow_ones, 1e-12);
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void test_draws__of_clones_in_groups_are_those_of_the_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 5; seed++) {
        problem q = random_problem(seed, false);
        problem clones = cloned(&q, 4);
        pt_interval of_rows[FIGURES];
        pt_interval of_groups[FIGURES];
        pt_interval of_clones[FIGURES];
        draw(of_rows, &q, false, q.n, 400, 1);
        draw(of_groups, &clones, true, q.n, 400, 2);
        draw(of_clones, &clones, false, clones.n, 400, 2);
        assert_same(of_rows, of_groups, 1e-12);
        for (int f = 0; f < FIGURES; f++) { /* clones look like four times as much: half as wide */
            const double ratio =
                (of_groups[f].high - of_groups[f].low) / (of_clones[f].high - of_clones[f].low);
            assert_true(ratio > 1.4 && ratio < 3);
        }
    }
}

static void test_draws__do_not_depend_on_threads(void **state)
{
    (void)state;
    problem q = random_problem(3, true);
    pt_interval one[FIGURES];
    pt_interval two[FIGURES];
    draw(one, &q, false, q.n, 150, 1);
    draw(two, &q, false, q.n, 150, 2);
    assert_memory_equal(one, two, sizeof one);
}

static void test_draws__need_two_groups(void **state)
{
    (void)state;
    problem q = random_problem(3, true);
    pt_interval found[FIGURES];
    memset(q.group, 0, sizeof q.group);
    draw(found, &q, true, 1, 100, 1);
    for (int f = 0; f < FIGURES; f++)
        assert_true(isnan(found[f].low) && isnan(found[f].high));
}

/* ---- coverage -------------------------------------------------------------------------------- */

/* The mean of 60 squares of normal numbers, which is 1: 95 percent, a little less as they are
 * skewed and few. */
static void test_draws__hold_the_truth_most_of_the_time(void **state)
{
    (void)state;
    enum { ROWS = 60, TRIALS = 400 };
    int held = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        double part[ROWS];
        double whole[ROWS];
        pt_random random;
        pt_random_init(&random, trial, PT_RANDOM_TEST, 1);
        for (int i = 0; i < ROWS; i++) {
            const double x = pt_random_normal(&random);
            part[i] = x * x;
            whole[i] = 1;
        }
        pt_interval found[FIGURES];
        const pt_drawn_rows rows = {
            .n = ROWS, .n_groups = ROWS, .n_ratios = 1, .part = part, .whole = whole};
        assert_int_equal(pt_draw_intervals(found, &rows, 300, trial, NULL, NULL), PT_OK);
        held += found[0].low <= 1 && found[0].high >= 1;
        assert_true(isnan(found[1].low)); /* there are no classes */
    }
    assert_true(held > 0.88 * TRIALS && held < 0.98 * TRIALS);
}

static void test_draws_for__are_a_tenth_of_a_second(void **state)
{
    (void)state;
    const pt_auc auc = {.k = 26};
    pt_drawn_rows rows = {.n = 100, .n_groups = 100, .n_ratios = 3, .k = 3};
    assert_int_equal(pt_draws_for(&rows), 1000);
    rows = (pt_drawn_rows){.n = 4000, .n_groups = 4000, .n_ratios = 3, .k = 26, .auc = &auc};
    assert_true(pt_draws_for(&rows) >= 100 && pt_draws_for(&rows) < 1000);
    rows.n = rows.n_groups = 1000000;
    assert_int_equal(pt_draws_for(&rows), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws__are_copies_of_rows),
        cmocka_unit_test(test_draws__of_clones_in_groups_are_those_of_the_rows),
        cmocka_unit_test(test_draws__do_not_depend_on_threads),
        cmocka_unit_test(test_draws__need_two_groups),
        cmocka_unit_test(test_draws__hold_the_truth_most_of_the_time),
        cmocka_unit_test(test_draws_for__are_a_tenth_of_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
