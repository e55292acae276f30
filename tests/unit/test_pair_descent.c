/* Descent over pairs that its limit stops: what comes out is told truly, and is better than
 * nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/labelled_rows.h"
#include "base/task.h"
#include "data/labels/label_pairs.h"
#include "solvers/dual/pair_solvers.h"

enum { N = 400, D = 6, K = 6, HOW = PT_PAIRS_CLOSED, VISITS_EACH = 400 };

/* 1/2 sum_r ||v_r||^2 + C sum of the losses of all pairs, one after the other. */
static double primal(const labelled *l, const double *V, double C)
{
    double value = 0;
    for (int64_t c = 0; c < K * (D + 1); c++)
        value += 0.5 * V[c] * V[c];
    for (int64_t i = 0; i < N; i++) {
        pt_label_pair pairs[K * K];
        double score[K];
        const int64_t count = pt_label_pairs_of(l->labels, i, HOW, pairs);
        for (int64_t r = 0; r < K; r++) {
            score[r] = V[r * (D + 1) + D];
            for (int64_t f = 0; f < D; f++)
                score[r] += V[r * (D + 1) + f] * l->x[i * D + f];
        }
        for (int64_t p = 0; p < count; p++)
            value += C * fmax(0, 1 - score[pairs[p].before] + score[pairs[p].after]);
    }
    return value;
}

/* Rankings of which hardly anything can be told, few features, a large C: the limit comes first.
 * Functions that are 0 have the loss 1 of every pair; a climb, which looks at the dual value alone,
 * may lead to worse ones. */
static void test_pair_descent__what_the_limit_stops_is_better_than_nothing(void **state)
{
    (void)state;
    const double C = 10;
    const double nothing[K * (D + 1)] = {0};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        pt_error err = PT_ERROR_INIT;
        pt_linear_rows rows;
        pt_pair_result result = {0};
        double V[K * (D + 1)];
        double bound[N];
        labelled l = labelled_rows(PT_LABEL_RANKING, N, D, K, 20, seed);
        const pt_problem problem = labelled_problem(&l, false, false);
        small_must(pt_linear_rows_init(&rows, &problem.rows, false, NULL, &err), &err, "rows");
        for (int64_t i = 0; i < N; i++)
            bound[i] = C;
        pt_label_pair_lists laid;
        /* laid out, or asked for one example at a time: the same */
        small_must(
            pt_label_pairs_lay_out(&laid, l.labels, HOW, seed % 2 ? INFINITY : 0, NULL, &err), &err,
            "pairs");
        const pt_pair_problem pairs = {
            .pairs = &laid.lists, .bound = bound, .gap = 1e-9, .limit = VISITS_EACH * N};
        small_must(pt_pair_descent(&pairs, &rows, true, seed, V, &result, NULL, NULL, &err), &err,
                   "descent");
        assert_false(result.converged);
        const double value = primal(&l, V, C);
        assert_true(fabs(value - result.value - result.gap) <= 1e-6 * result.value);
        if (!(value < primal(&l, nothing, C)))
            fail_msg("seed %d: %g, and %g without a model", (int)seed, value,
                     primal(&l, nothing, C));
        pt_label_pair_lists_free(&laid);
        pt_linear_rows_free(&rows);
        labelled_free(&l);
    }
}

/* What was told of one descent. */
typedef struct heard {
    int reports;
    double least; /* share that was told */
    double most;
    int early; /* reports before the first stage of the path was done */
    int stages;
    int words; /* messages for people */
} heard;

static void hear_progress(const char *stage, double done, double total, void *user)
{
    heard *h = user;
    (void)stage;
    h->reports++;
    h->least = fmin(h->least, done / total);
    h->most = fmax(h->most, done / total);
    h->early += h->stages == 0;
}

static void hear_words(pt_level level, const char *kind, const char *text, void *user)
{
    heard *h = user;
    (void)text;
    assert_string_equal(kind, "progress");
    h->words += level >= PT_INFO;
    h->stages += level == PT_DEBUG;
}

/* A large C goes by way of smaller ones: progress moves in all of them, words are few. */
static void test_pair_descent__progress_moves_and_words_are_few(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_linear_rows rows;
    pt_pair_result result = {0};
    double V[K * (D + 1)];
    double bound[N];
    pt_task *task = NULL;
    heard h = {.least = 1};
    labelled l = labelled_rows(PT_LABEL_RANKING, N, D, K, 20, 3);
    const pt_problem problem = labelled_problem(&l, false, false);
    small_must(pt_linear_rows_init(&rows, &problem.rows, false, NULL, &err), &err, "rows");
    for (int64_t i = 0; i < N; i++)
        bound[i] = 10;
    pt_label_pair_lists laid;
    small_must(pt_label_pairs_lay_out(&laid, l.labels, HOW, INFINITY, NULL, &err), &err, "pairs");
    const pt_pair_problem pairs = {
        .pairs = &laid.lists, .bound = bound, .gap = 1e-6, .limit = 4 * VISITS_EACH * N};
    small_must(pt_task_new(&task, &err), &err, "task");
    pt_task_on_progress(task, hear_progress, &h);
    pt_task_hear_all(task);
    pt_task_on_message(task, hear_words, &h);
    small_must(pt_pair_descent(&pairs, &rows, true, 1, V, &result, "training", task, &err), &err,
               "descent");
    assert_true(h.reports > 10);
    assert_true(h.least < 0.2 && h.most > 0.9);
    assert_true(h.stages > 2 && h.early > 0); /* told from the first stage on */
    assert_in_range(h.words, 1, 25);          /* a gap halves twenty times from 1 to 1e-6 */
    pt_task_free(task);
    pt_label_pair_lists_free(&laid);
    pt_linear_rows_free(&rows);
    labelled_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair_descent__what_the_limit_stops_is_better_than_nothing),
        cmocka_unit_test(test_pair_descent__progress_moves_and_words_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
