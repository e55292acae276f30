/* Metrics of sets, rankings, pairs and classes against scikit-learn's and scipy's values, and
 * against slow references that are the definitions written down. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/metric_values.h"
#include "base/random.h"
#include "data/labels/label_pairs.h"
#include "data/labels/labels.h"
#include "metrics/label_judge.h"
#include "metrics/label_metrics.h"

enum { MOST_CLASSES = 8, MOST_ROWS = 24, MOST_ITEMS = 2 * MOST_ROWS * MOST_CLASSES * MOST_CLASSES };

static const unsigned ALL = ~0u;

static pt_texts letters(int64_t k)
{
    pt_texts names = {NULL, 0, 0};
    for (int64_t r = 0; r < k; r++)
        assert_int_equal(pt_texts_add(&names, NULL, "%c", (char)('a' + r)), PT_OK);
    return names;
}

static pt_labels *labels_of(pt_label_kind kind, int64_t n, int64_t k, const int64_t *start,
                            const int64_t *item, const int64_t *rank)
{
    pt_labels *labels = NULL;
    pt_texts names = letters(k);
    pt_error err = PT_ERROR_INIT;
    if (pt_labels_from_items(&labels, kind, n, start, item, rank, &names, NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    pt_texts_free(&names);
    return labels;
}

/* Cells that are not 0 are items; of rankings their values are the ranks. */
static pt_labels *labels_of_cells(pt_label_kind kind, int64_t n, int64_t k, const int *cell)
{
    int64_t start[MOST_ROWS + 1] = {0};
    int64_t item[MOST_ITEMS];
    int64_t rank[MOST_ITEMS];
    int64_t used = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t r = 0; r < k; r++)
            if (cell[i * k + r]) {
                rank[used] = cell[i * k + r];
                item[used++] = r;
            }
        start[i + 1] = used;
    }
    return labels_of(kind, n, k, start, item, kind == PT_LABEL_RANKING ? rank : NULL);
}

static pt_tally tally_of(const pt_labels *labels, int64_t n_known, const double *scores)
{
    pt_tally tally;
    assert_int_equal(pt_tally_init(&tally, labels, n_known, ALL, NULL, NULL), PT_OK);
    for (int64_t i = 0; i < labels->n; i++)
        pt_tally_add(&tally, i, scores + i * n_known);
    return tally;
}

static void assert_near(double value, double expected)
{
    if (isnan(value) || !(fabs(value - expected) <= 1e-12))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* ---- what others say ------------------------------------------------------------------------- */

static void test_metrics__of_sets_are_scikit_learns(void **state)
{
    (void)state;
    static const pt_metric METRICS[SET_VALUES] = {
        PT_METRIC_ERROR,    PT_METRIC_HAMMING_LOSS,      PT_METRIC_SUBSET_ACCURACY,
        PT_METRIC_MICRO_F1, PT_METRIC_MACRO_F1,          PT_METRIC_RANKING_LOSS,
        PT_METRIC_COVERAGE, PT_METRIC_AVERAGE_PRECISION, PT_METRIC_ONE_ERROR};
    for (size_t c = 0; c < sizeof SET_CASES / sizeof *SET_CASES; c++) {
        const set_case *given = &SET_CASES[c];
        pt_labels *labels = labels_of_cells(PT_LABEL_SET, given->n, given->k, given->member);
        pt_tally tally = tally_of(labels, given->k, given->score);
        for (int v = 0; v < SET_VALUES; v++)
            assert_near(pt_tally_metric(&tally, METRICS[v]), given->value[v]);
        for (int r = 0; r < given->k; r++) {
            const double precision = pt_tally_precision(&tally, r); /* NaN where theirs are 0 */
            const double recall = pt_tally_recall(&tally, r);
            assert_near(isnan(precision) ? 0 : precision, given->per_class[r]);
            assert_near(isnan(recall) ? 0 : recall, given->per_class[given->k + r]);
            assert_near(pt_tally_f1(&tally, r), given->per_class[2 * given->k + r]);
        }
        pt_tally_free(&tally);
        pt_labels_free(labels);
    }
}

static void test_metrics__of_rankings_are_scipys(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof RANKING_CASES / sizeof *RANKING_CASES; c++) {
        const ranking_case *given = &RANKING_CASES[c];
        pt_labels *labels = labels_of_cells(PT_LABEL_RANKING, given->n, given->k, given->rank);
        double tau = 0;
        double rho = 0;
        int defined = 0;
        for (int i = 0; i < given->n; i++) {
            pt_tally one;
            assert_int_equal(pt_tally_init(&one, labels, given->k, ALL, NULL, NULL), PT_OK);
            pt_tally_add(&one, i, given->score + (ptrdiff_t)i * given->k);
            const double this_tau = pt_tally_metric(&one, PT_METRIC_KENDALL_TAU);
            const double this_rho = pt_tally_metric(&one, PT_METRIC_SPEARMAN_RHO);
            pt_tally_free(&one);
            if (given->tau[i] == 9) {
                assert_true(isnan(this_tau) && isnan(this_rho));
                continue;
            }
            assert_near(this_tau, given->tau[i]);
            assert_near(this_rho, given->rho[i]);
            tau += given->tau[i];
            rho += given->rho[i];
            defined++;
        }
        pt_tally all = tally_of(labels, given->k, given->score);
        assert_near(pt_tally_metric(&all, PT_METRIC_KENDALL_TAU), tau / defined);
        assert_near(pt_tally_metric(&all, PT_METRIC_SPEARMAN_RHO), rho / defined);
        pt_tally_free(&all);
        pt_labels_free(labels);
    }
}

/* ---- definitions written down ---------------------------------------------------------------- */

/* A class that the scores do not know comes after all others and before nothing. */
static bool slow_before(const double *scores, int64_t n_known, int64_t a, int64_t b)
{
    if (a >= n_known)
        return false;
    return b >= n_known || scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
}

typedef struct slow {
    double wrong, inconsistent, violated, pairs, top1, kendall, spearman, ranked;
    double ranking_loss, coverage, precision, one_error, nonempty;
    double both[MOST_CLASSES], one[MOST_CLASSES];
} slow;

static double score_of(const double *scores, int64_t n_known, int64_t r)
{
    return r < n_known ? scores[r] : -INFINITY;
}

static void slow_pairs(slow *s, const pt_labels *labels, int64_t i, const double *scores,
                       int64_t n_known)
{
    pt_label_pair pairs[MOST_ITEMS];
    const int64_t count = pt_label_pairs_of(labels, i, 0, pairs);
    double violated = 0;
    for (int64_t c = 0; c < count; c++)
        violated += !slow_before(scores, n_known, pairs[c].before, pairs[c].after);
    s->violated += violated;
    s->pairs += (double)count;
    s->inconsistent += violated > 0;
    if (labels->kind != PT_LABEL_SET)
        s->wrong += violated > 0;
}

static void slow_set(slow *s, const pt_labels *labels, int64_t i, const double *scores,
                     int64_t n_known)
{
    const int64_t k = pt_labels_n_classes(labels);
    bool member[MOST_CLASSES] = {false};
    int64_t m = 0;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++, m++)
        member[labels->item[at]] = true;
    bool same = true;
    double reversed = 0;
    double worst = INFINITY;
    double precision = 0;
    int64_t first = 0;
    for (int64_t r = 0; r < k; r++) {
        const bool said = r < n_known && scores[r] > 0;
        same = same && said == member[r];
        s->both[r] += said && member[r];
        s->one[r] += said != member[r];
        if (slow_before(scores, n_known, r, first))
            first = r;
        if (!member[r])
            continue;
        const double score = score_of(scores, n_known, r);
        worst = score < worst ? score : worst;
        double above = 0;
        double members = 0;
        for (int64_t c = 0; c < k; c++) {
            const bool as_good = score_of(scores, n_known, c) >= score;
            reversed += !member[c] && as_good;
            above += as_good;
            members += as_good && member[c];
        }
        precision += members / above;
    }
    s->wrong += !same;
    s->ranking_loss += m > 0 && m < k ? reversed / (double)(m * (k - m)) : 0;
    s->precision += m > 0 && m < k ? precision / (double)m : 1;
    for (int64_t r = 0; r < k && m > 0; r++)
        s->coverage += score_of(scores, n_known, r) >= worst;
    s->nonempty += m > 0;
    s->one_error += m > 0 && !member[first];
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

/* Twice the mean rank of thing c among m, by counting. */
static double slow_rank(const double *value, int64_t m, int64_t c)
{
    double rank = 1;
    for (int64_t e = 0; e < m; e++)
        rank += 2.0 * (value[e] < value[c]) + (value[e] == value[c]);
    return rank;
}

/* The correlation of these ranks; 0 where all of y are equal. */
static double slow_spearman(const double *x, const double *y, int64_t m)
{
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (int64_t c = 0; c < m; c++) {
        const double u = slow_rank(x, m, c) - (double)(m + 1);
        const double v = slow_rank(y, m, c) - (double)(m + 1);
        xx += u * u;
        yy += v * v;
        xy += u * v;
    }
    return yy > 0 ? xy / sqrt(xx * yy) : 0;
}

static void slow_ranking(slow *s, const pt_labels *labels, int64_t i, const double *scores,
                         int64_t n_known)
{
    const int64_t begin = labels->start[i];
    const int64_t m = labels->start[i + 1] - begin;
    const int64_t *item = labels->item + begin;
    const int64_t *rank = labels->rank + begin;
    double excess = 0;
    double untied_rank = 0;
    double untied_score = 0;
    double best[MOST_CLASSES];
    double score[MOST_CLASSES];
    int64_t first = 0;
    for (int64_t a = 0; a < m; a++) {
        best[a] = -(double)rank[a];
        score[a] = score_of(scores, n_known, item[a]);
        if (slow_before(scores, n_known, item[a], item[first]))
            first = a;
        for (int64_t b = a + 1; b < m; b++) {
            const double sa = score_of(scores, n_known, item[a]);
            const double sb = score_of(scores, n_known, item[b]);
            const int by_score = sa == sb ? 0 : sign_of(sa > sb ? 1 : -1);
            const int by_rank = sign_of((double)(rank[b] - rank[a]));
            excess += by_score * by_rank;
            untied_rank += by_rank != 0;
            untied_score += by_score != 0;
        }
    }
    s->top1 += rank[first] == rank[0] && item[first] < n_known;
    if (untied_rank == 0)
        return;
    s->ranked++;
    s->spearman += slow_spearman(best, score, m);
    s->kendall += untied_score > 0 ? excess / sqrt(untied_rank * untied_score) : 0;
}

static void assert_share(const pt_tally *tally, pt_metric metric, double part, double whole)
{
    if (whole > 0)
        assert_near(pt_tally_metric(tally, metric), part / whole);
    else
        assert_true(isnan(pt_tally_metric(tally, metric)));
}

static void compare_with_slow(const pt_labels *labels, int64_t n_known, const double *scores)
{
    const int64_t k = pt_labels_n_classes(labels);
    slow s = {0};
    double n = 0;
    for (int64_t i = 0; i < labels->n; i++) {
        const double *row = scores + i * n_known;
        if (!pt_labels_has(labels, i))
            continue;
        n++;
        slow_pairs(&s, labels, i, row, n_known);
        if (labels->kind == PT_LABEL_SET)
            slow_set(&s, labels, i, row, n_known);
        if (labels->kind == PT_LABEL_RANKING)
            slow_ranking(&s, labels, i, row, n_known);
    }
    pt_tally tally = tally_of(labels, n_known, scores);
    assert_share(&tally, PT_METRIC_ERROR, s.wrong, n);
    assert_share(&tally, PT_METRIC_CONSTRAINT_ERROR, s.inconsistent, n);
    assert_share(&tally, PT_METRIC_VIOLATED_PAIRS, s.violated, n > 0 ? s.pairs : 0);
    const bool set = labels->kind == PT_LABEL_SET;
    const bool ranking = labels->kind == PT_LABEL_RANKING;
    assert_share(&tally, PT_METRIC_KENDALL_TAU, s.kendall, ranking ? s.ranked : 0);
    assert_share(&tally, PT_METRIC_SPEARMAN_RHO, s.spearman, ranking ? s.ranked : 0);
    assert_share(&tally, PT_METRIC_TOP1_ACCURACY, s.top1, ranking ? n : 0);
    assert_share(&tally, PT_METRIC_RANKING_LOSS, s.ranking_loss, set ? n : 0);
    assert_share(&tally, PT_METRIC_COVERAGE, s.coverage, set ? n : 0);
    assert_share(&tally, PT_METRIC_AVERAGE_PRECISION, s.precision, set ? n : 0);
    assert_share(&tally, PT_METRIC_ONE_ERROR, s.one_error, set ? s.nonempty : 0);
    double both = 0;
    double one = 0;
    double macro = 0;
    for (int64_t r = 0; r < k; r++) {
        both += s.both[r];
        one += s.one[r];
        macro += s.both[r] > 0 ? 2 * s.both[r] / (2 * s.both[r] + s.one[r]) : 0;
    }
    assert_share(&tally, PT_METRIC_HAMMING_LOSS, one, set ? n * (double)k : 0);
    assert_share(&tally, PT_METRIC_SUBSET_ACCURACY, n - s.wrong, set ? n : 0);
    assert_share(&tally, PT_METRIC_MICRO_F1, both > 0 ? 2 * both : 0,
                 set ? 2 * both + one + (both == 0 && one == 0) : 0);
    assert_share(&tally, PT_METRIC_MACRO_F1, macro, set ? (double)k : 0);
    pt_tally_free(&tally);
}

/* Random labels of a kind over k classes. */
static pt_labels *random_labels(pt_random *random, pt_label_kind kind, int64_t n, int64_t k)
{
    int cell[MOST_ROWS * MOST_CLASSES];
    if (kind != PT_LABEL_PAIRS) {
        const double share = pt_random_uniform(random);
        for (int64_t c = 0; c < n * k; c++)
            cell[c] =
                pt_random_uniform(random) < share ? 1 + (int)(3 * pt_random_uniform(random)) : 0;
        return labels_of_cells(kind, n, k, cell);
    }
    int64_t start[MOST_ROWS + 1] = {0};
    int64_t item[MOST_ITEMS];
    int64_t used = 0;
    for (int64_t i = 0; i < n; i++) {
        const bool down = pt_random_uniform(random) < 0.5; /* no circles: all pairs one way */
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = a + 1; b < k; b++)
                if (pt_random_uniform(random) < 0.3) {
                    item[used++] = down ? b : a;
                    item[used++] = down ? a : b;
                }
        start[i + 1] = used;
    }
    return labels_of(kind, n, k, start, item, NULL);
}

static void test_metrics__are_their_definitions(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 7, PT_RANDOM_TEST, 0);
    for (int round = 0; round < 3000; round++) {
        const pt_label_kind kind = (pt_label_kind)(1 + round % 3);
        const int64_t k = 1 + (int64_t)(MOST_CLASSES * pt_random_uniform(&random));
        const int64_t n = 1 + (int64_t)(MOST_ROWS * pt_random_uniform(&random));
        const int64_t n_known =
            round % 2 ? k : 1 + (int64_t)((double)k * pt_random_uniform(&random));
        pt_labels *labels = random_labels(&random, kind, n, k);
        double scores[MOST_ROWS * MOST_CLASSES];
        for (int64_t c = 0; c < n * n_known; c++)
            scores[c] = round % 4 < 2 ? floor(4 * pt_random_uniform(&random)) - 2
                                      : pt_random_uniform(&random) - 0.5;
        compare_with_slow(labels, n_known, scores);
        pt_labels_free(labels);
    }
}

/* Right or wrong by the tally is what pt_label_is_right says, which searches counted by before. */
static void test_metrics__agree_with_the_judge(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 8, PT_RANDOM_TEST, 0);
    for (int round = 0; round < 900; round++) {
        const int64_t k = 1 + round % MOST_CLASSES;
        pt_labels *labels = random_labels(&random, (pt_label_kind)(1 + round % 3), 4, k);
        pt_tally tally;
        assert_int_equal(pt_tally_init(&tally, labels, k, 0, NULL, NULL), PT_OK);
        for (int64_t i = 0; i < 4; i++) {
            double scores[MOST_CLASSES];
            for (int64_t r = 0; r < k; r++)
                scores[r] = floor(3 * pt_random_uniform(&random)) - 1;
            if (pt_labels_has(labels, i))
                assert_int_equal(pt_tally_add(&tally, i, scores),
                                 pt_label_is_right(labels, i, scores));
        }
        pt_tally_free(&tally);
        pt_labels_free(labels);
    }
}

/* ---- classes --------------------------------------------------------------------------------- */

static void test_metrics__of_classes(void **state)
{
    (void)state;
    const int64_t code[] = {0, 0, 1, 2, -1, 3};
    const double scores[] = {1, 0, 0,  /* a: right */
                             0, 1, 0,  /* a: b is said */
                             0, 1, 1,  /* b: right, before its equal c */
                             1, 1, 0,  /* c: a is said, three classes are before c */
                             9, 9, 9,  /* no label */
                             0, 0, 1}; /* d, which the scores do not know: c is said */
    pt_texts names = letters(4);
    pt_labels *labels = NULL;
    assert_int_equal(pt_labels_from_codes(&labels, 6, code, &names, NULL), PT_OK);
    pt_tally tally = tally_of(labels, 3, scores);
    assert_near(pt_tally_metric(&tally, PT_METRIC_ERROR), 3 / 5.0);
    assert_near(pt_tally_metric(&tally, PT_METRIC_CONSTRAINT_ERROR), 3 / 5.0);
    assert_near(pt_tally_metric(&tally, PT_METRIC_TOP1_ACCURACY), 2 / 5.0);
    assert_near(pt_tally_metric(&tally, PT_METRIC_VIOLATED_PAIRS), (1 + 2 + 3) / 15.0);
    assert_near(pt_tally_metric(&tally, PT_METRIC_MICRO_F1), 2 / 5.0);
    /* a: 1 of 2 said, 1 of 2 true; b: 1 of 2 said, all true; c and d: never right */
    assert_near(pt_tally_metric(&tally, PT_METRIC_MACRO_F1), (1 / 2.0 + 2 / 3.0) / 4);
    assert_true(isnan(pt_tally_metric(&tally, PT_METRIC_HAMMING_LOSS)));
    assert_true(isnan(pt_tally_precision(&tally, 3)));
    assert_true(isnan(pt_tally_recall(&tally, 4)));
    pt_tally_free(&tally);
    pt_labels_free(labels);
    pt_texts_free(&names);
}

static void test_metrics__without_examples_are_not_numbers(void **state)
{
    (void)state;
    const int64_t start[] = {0, 0, 0};
    pt_labels *labels = labels_of(PT_LABEL_PAIRS, 2, 3, start, start, NULL);
    const double scores[6] = {0};
    pt_tally tally = tally_of(labels, 3, scores);
    for (int m = 0; pt_metric_name((pt_metric)m); m++)
        assert_true(isnan(pt_tally_metric(&tally, (pt_metric)m)));
    pt_tally_free(&tally);
    pt_labels_free(labels);
}

static void test_metrics__have_names(void **state)
{
    (void)state;
    int count = 0;
    for (; pt_metric_name((pt_metric)count); count++)
        assert_int_equal(pt_metric_find(pt_metric_name((pt_metric)count)), count);
    assert_int_equal(count, PT_METRIC_COST + 1);
    assert_int_equal(pt_metric_find("kendall-tau"), PT_METRIC_KENDALL_TAU);
    assert_int_equal(pt_metric_find("kendall"), -1);
    assert_int_equal(pt_metric_find("errors"), -1);
    assert_int_equal(pt_metric_find(""), -1);
    assert_true(pt_metric_larger_is_better(PT_METRIC_MICRO_F1));
    assert_false(pt_metric_larger_is_better(PT_METRIC_COVERAGE));
}

/* ---- classes --------------------------------------------------------------------------------- */

static const pt_metric OF_CLASSES[CLASS_VALUES] = {
    PT_METRIC_ERROR,          PT_METRIC_BALANCED_ERROR, PT_METRIC_MCC,
    PT_METRIC_KAPPA,          PT_METRIC_AUC_OVR,        PT_METRIC_AUC_OVO,
    PT_METRIC_TOP_K_ACCURACY, PT_METRIC_COST,           PT_METRIC_LOG_LOSS,
    PT_METRIC_BRIER};

static void assert_figure(double value, double expected)
{
    if (expected == 9)
        assert_true(isnan(value));
    else
        assert_near(value, expected);
}

static pt_labels *labels_of_classes(int64_t n, int64_t k, const int *truth)
{
    int64_t class_of[MOST_ROWS + CLASS_ROWS];
    pt_labels *labels = NULL;
    pt_texts names = letters(k);
    for (int64_t i = 0; i < n; i++)
        class_of[i] = truth[i];
    assert_int_equal(pt_labels_from_codes(&labels, n, class_of, &names, NULL), PT_OK);
    pt_texts_free(&names);
    return labels;
}

static void test_metrics__of_classes_are_scikit_learns(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof CLASS_CASES / sizeof *CLASS_CASES; c++) {
        const class_case *given = &CLASS_CASES[c];
        const pt_metric_rules rules = {2, given->cost};
        pt_labels *labels = labels_of_classes(given->n, given->all, given->truth);
        pt_tally tally;
        assert_int_equal(pt_tally_init(&tally, labels, given->k, ALL, &rules, NULL), PT_OK);
        for (int64_t i = 0; i < given->n; i++)
            pt_tally_add(&tally, i, given->score + i * given->k);
        assert_int_equal(pt_tally_finish(&tally, NULL, NULL), PT_OK);
        for (int v = 0; v < CLASS_VALUES; v++)
            assert_figure(pt_tally_metric(&tally, OF_CLASSES[v]), given->value[v]);
        assert_near(pt_tally_metric(&tally, PT_METRIC_BALANCED_ACCURACY), 1 - given->value[1]);
        pt_tally_free(&tally);
        pt_labels_free(labels);
    }
}

/* The correlation of the columns of indicators, by its definition: cov(X, Y) / sqrt(...). */
static double slow_matthews(const int64_t *counts, int64_t k)
{
    double n = 0;
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (int64_t c = 0; c < k * k; c++)
        n += (double)counts[c];
    for (int64_t r = 0; r < k; r++) {
        double truth = 0;
        double said = 0;
        for (int64_t s = 0; s < k; s++) {
            truth += (double)counts[r * k + s] / n;
            said += (double)counts[s * k + r] / n;
        }
        xy += (double)counts[r * k + r] / n - truth * said;
        xx += truth * (1 - truth);
        yy += said * (1 - said);
    }
    return xx > 1e-15 && yy > 1e-15 ? xy / sqrt(xx * yy) : 0;
}

static double slow_kappa(const int64_t *counts, int64_t k)
{
    double n = 0;
    double agreed = 0;
    double chance = 0;
    for (int64_t c = 0; c < k * k; c++)
        n += (double)counts[c];
    for (int64_t r = 0; r < k; r++) {
        double truth = 0;
        double said = 0;
        for (int64_t s = 0; s < k; s++) {
            truth += (double)counts[r * k + s];
            said += (double)counts[s * k + r];
        }
        agreed += (double)counts[r * k + r] / n;
        chance += truth / n * (said / n);
    }
    return 1 - chance > 1e-12 ? (agreed - chance) / (1 - chance) : 9;
}

static void test_agreement__is_its_definition(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 4, PT_RANDOM_TEST, 1);
    for (int round = 0; round < 300; round++) {
        const int64_t k = 1 + pt_random_below(&random, 5);
        const int64_t known = 1 + pt_random_below(&random, k);
        const int64_t n = 1 + pt_random_below(&random, MOST_ROWS);
        int64_t counts[MOST_CLASSES * MOST_CLASSES] = {0};
        int truth[MOST_ROWS];
        double scores[MOST_ROWS * MOST_CLASSES] = {0};
        for (int64_t i = 0; i < n; i++) {
            truth[i] = (int)pt_random_below(&random, k);
            const int64_t said = pt_random_below(&random, known);
            scores[i * known + said] = 1;
            counts[truth[i] * k + said]++;
        }
        pt_labels *labels = labels_of_classes(n, k, truth);
        pt_tally tally = tally_of(labels, known, scores);
        assert_near(pt_tally_metric(&tally, PT_METRIC_MCC), slow_matthews(counts, k));
        assert_figure(pt_tally_metric(&tally, PT_METRIC_KAPPA), slow_kappa(counts, k));
        assert_true(isnan(pt_tally_metric(&tally, PT_METRIC_COST))); /* there are none */
        pt_tally_free(&tally);
        pt_labels_free(labels);
    }
}

/* Rows of a on one side, of b on the other: how many pairs stand right, by looking at all. */
static double slow_won(const double *p, const int64_t *truth, const int32_t *times, int64_t n,
                       int64_t k, int64_t a, int64_t b)
{
    double won = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (truth[i] == a && truth[j] == b)
                won += (double)times[i] * times[j] *
                       (p[i * k + a] > p[j * k + a]    ? 1
                        : p[i * k + a] == p[j * k + a] ? 0.5
                                                       : 0);
    return won;
}

static pt_auc_means slow_areas(const double *p, const int64_t *truth, const int32_t *times,
                               int64_t n, int64_t k)
{
    double rows[MOST_CLASSES] = {0};
    double all = 0;
    double ovr = 0;
    double ovo = 0;
    int64_t classes = 0;
    int64_t pairs = 0;
    for (int64_t i = 0; i < n; i++)
        if (truth[i] < k) {
            rows[truth[i]] += times[i];
            all += times[i];
        }
    for (int64_t a = k == 2; a < k; a++) {
        double won = 0;
        for (int64_t b = 0; b < k; b++)
            won += a == b ? 0 : slow_won(p, truth, times, n, k, a, b);
        if (rows[a] == 0 || rows[a] == all)
            continue;
        ovr += won / (rows[a] * (all - rows[a]));
        classes++;
    }
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = a + 1; b < k; b++)
            if (rows[a] > 0 && rows[b] > 0) {
                ovo += (slow_won(p, truth, times, n, k, a, b) +
                        slow_won(p, truth, times, n, k, b, a)) /
                       (2 * rows[a] * rows[b]);
                pairs++;
            }
    ovr = classes ? ovr / (double)classes : 9;
    return (pt_auc_means){ovr, k == 2 ? ovr : pairs ? ovo / (double)pairs : 9};
}

static void test_areas__are_shares_of_pairs(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 5, PT_RANDOM_TEST, 1);
    for (int round = 0; round < 300; round++) {
        const int64_t k = 1 + pt_random_below(&random, 5);
        const int64_t n = 1 + pt_random_below(&random, MOST_ROWS);
        const bool ties = round % 2 == 0;
        int64_t truth[MOST_ROWS];
        int32_t times[MOST_ROWS];
        double p[MOST_ROWS * MOST_CLASSES];
        double work[MOST_CLASSES * MOST_CLASSES + 3 * MOST_CLASSES];
        for (int64_t i = 0; i < n; i++) {
            truth[i] = pt_random_below(&random, k + 1); /* k: not known */
            times[i] = round % 3 == 0 ? 1 : (int32_t)pt_random_below(&random, 3);
            for (int64_t r = 0; r < k; r++)
                p[i * k + r] =
                    ties ? (double)pt_random_below(&random, 4) : pt_random_uniform(&random);
        }
        pt_auc auc;
        assert_int_equal(pt_auc_init(&auc, p, truth, n, k, NULL, NULL), PT_OK);
        assert_true(pt_auc_work(&auc) <= (int64_t)(sizeof work / sizeof *work));
        const pt_auc_means areas = pt_auc_means_of(&auc, round % 3 == 0 ? NULL : times, work);
        const pt_auc_means expected =
            k < 2 ? (pt_auc_means){9, 9} : slow_areas(p, truth, times, n, k);

        assert_figure(areas.ovo, expected.ovo);
        assert_figure(areas.ovr, expected.ovr);
        pt_auc_free(&auc);
    }
}

static void test_top_k__takes_the_last_of_equals(void **state)
{
    (void)state;
    static const int truth[] = {0, 1, 2, 3};
    static const double scores[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    pt_labels *labels = labels_of_classes(4, 4, truth);
    for (int64_t top = 1; top < 5; top++) {
        pt_tally tally;
        assert_int_equal(pt_tally_init(&tally, labels, 4, ALL, &(pt_metric_rules){top, NULL}, NULL),
                         PT_OK);
        for (int64_t i = 0; i < 4; i++)
            pt_tally_add(&tally, i, scores + 4 * i);
        assert_figure(pt_tally_metric(&tally, PT_METRIC_TOP_K_ACCURACY),
                      top < 4 ? (double)top / 4 : 9);
        pt_tally_free(&tally);
    }
    pt_labels_free(labels);
}

/* ---- labels in the classes of another data set ----------------------------------------------- */

static void test_label_match__renumbers_by_name(void **state)
{
    (void)state;
    const int64_t start[] = {0, 3, 3, 5};
    const int64_t item[] = {0, 1, 3, 2, 3};
    const int64_t rank[] = {1, 1, 2, 1, 2};
    pt_labels *labels = labels_of(PT_LABEL_RANKING, 3, 5, start, item, rank); /* a=b>d, c>d */
    pt_texts known = {NULL, 0, 0};
    const char *const names[] = {"d", "b", "x", "a"};
    for (int c = 0; c < 4; c++)
        assert_int_equal(pt_texts_add(&known, NULL, "%s", names[c]), PT_OK);
    pt_labels *matched = NULL;
    assert_int_equal(pt_labels_match(&matched, labels, &known, NULL, NULL), PT_OK);
    const int64_t expected[] = {1, 3, 0, 4, 0};
    assert_memory_equal(matched->item, expected, sizeof expected);
    assert_memory_equal(matched->start, start, sizeof start);
    assert_memory_equal(matched->rank, rank, sizeof rank);
    assert_int_equal(matched->classes.count, 5); /* c is new; e is named by nobody */
    assert_string_equal(matched->classes.items[4], "c");
    pt_labels_free(matched);
    pt_labels_free(labels);

    const int64_t code[] = {4, -1, 0};
    pt_texts all = letters(5);
    assert_int_equal(pt_labels_from_codes(&labels, 3, code, &all, NULL), PT_OK);
    assert_int_equal(pt_labels_match(&matched, labels, &known, NULL, NULL), PT_OK);
    const int64_t classes[] = {4, -1, 3};
    assert_memory_equal(matched->class_of, classes, sizeof classes);
    assert_string_equal(matched->classes.items[4], "e");
    pt_labels_free(matched);
    pt_labels_free(labels);
    pt_texts_free(&all);
    pt_texts_free(&known);
}

/* number_labels("0.0,1") in the classes 0 and 1: how they are numbered, and how many remarks. */
static void assert_matched(const char *const *names, int64_t n, const int64_t *expected,
                           int64_t n_classes, int64_t n_remarks)
{
    pt_texts known = {NULL, 0, 0};
    pt_texts all = {NULL, 0, 0};
    pt_warnings remarks = {0};
    pt_labels *labels = NULL;
    pt_labels *matched = NULL;
    const int64_t code[] = {0, 1, 2};
    assert_int_equal(pt_texts_add(&known, NULL, "1"), PT_OK);
    assert_int_equal(pt_texts_add(&known, NULL, "0"), PT_OK);
    for (int64_t c = 0; c < n; c++)
        assert_int_equal(pt_texts_add(&all, NULL, "%s", names[c]), PT_OK);
    assert_int_equal(pt_labels_from_codes(&labels, n, code, &all, NULL), PT_OK);
    assert_int_equal(pt_labels_match(&matched, labels, &known, &remarks, NULL), PT_OK);
    assert_memory_equal(matched->class_of, expected, (size_t)n * sizeof *expected);
    assert_int_equal(matched->classes.count, n_classes);
    assert_int_equal(remarks.count, n_remarks);
    pt_labels_free(matched);
    pt_labels_free(labels);
    pt_warnings_free(&remarks);
    pt_texts_free(&all);
    pt_texts_free(&known);
}

static void test_match__the_same_number_in_other_digits(void **state)
{
    (void)state;
    const char *const reals[] = {"0.0", "1.00"};
    assert_matched(reals, 2, (const int64_t[]){1, 0}, 2, 1);
    const char *const others[] = {"0.5", "01"};
    assert_matched(others, 2, (const int64_t[]){2, 0}, 3, 1);
    const char *const both[] = {"0", "0.0", "1"}; /* each by itself: parts of a file agree */
    assert_matched(both, 3, (const int64_t[]){1, 1, 0}, 2, 1);
    const char *const twice[] = {"0.0", "00", "1"};
    assert_matched(twice, 3, (const int64_t[]){1, 1, 0}, 2, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metrics__of_sets_are_scikit_learns),
        cmocka_unit_test(test_metrics__of_rankings_are_scipys),
        cmocka_unit_test(test_metrics__are_their_definitions),
        cmocka_unit_test(test_metrics__agree_with_the_judge),
        cmocka_unit_test(test_metrics__of_classes),
        cmocka_unit_test(test_metrics__of_classes_are_scikit_learns),
        cmocka_unit_test(test_agreement__is_its_definition),
        cmocka_unit_test(test_areas__are_shares_of_pairs),
        cmocka_unit_test(test_top_k__takes_the_last_of_equals),
        cmocka_unit_test(test_metrics__without_examples_are_not_numbers),
        cmocka_unit_test(test_metrics__have_names),
        cmocka_unit_test(test_label_match__renumbers_by_name),
        cmocka_unit_test(test_match__the_same_number_in_other_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
