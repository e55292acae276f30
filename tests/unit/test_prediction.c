/* Orders, sets and probabilities of predictions, and evaluations of every kind of labels, from
 * scores that are given. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "data/dataset.h"
#include "decoders/decoder.h"
#include "metrics/label_judge.h"
#include "model/evaluation.h"
#include "model/model.h"
#include "validate/probability/calibrate.h"

enum { MOST = 40 };

static pt_texts names_of(const char *letters)
{
    pt_texts names = {NULL, 0, 0};
    for (; *letters; letters++)
        assert_int_equal(pt_texts_add(&names, NULL, "%c", *letters), PT_OK);
    return names;
}

static pt_prediction prediction_of(pt_label_kind kind, int64_t n, int64_t k, double *scores,
                                   int64_t *labels)
{
    for (int64_t i = 0; i < n; i++)
        labels[i] = pt_first_largest(scores + i * k, k);
    return (pt_prediction){.n = n,
                           .k = k,
                           .calibration = {1, 1, 0, 0, 0, false, NULL},
                           .rounds = -1,
                           .scores = scores,
                           .labels = labels,
                           .label_kind = kind};
}

/* ---- orders and sets ------------------------------------------------------------------------- */

static void test_prediction__rank_is_a_sorted_order(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 0);
    for (int round = 0; round < 2000; round++) {
        const int64_t k = 1 + pt_random_below(&random, MOST);
        const int64_t capacity = 1 + pt_random_below(&random, MOST + 5);
        double scores[MOST];
        int64_t label = 0;
        for (int64_t r = 0; r < k; r++)
            scores[r] = (double)pt_random_below(&random, round % 2 ? 5 : 1000000);
        const pt_prediction p = prediction_of(PT_LABEL_RANKING, 1, k, scores, &label);
        int64_t order[MOST + 6];
        order[capacity] = -7;
        const int64_t count = pt_prediction_rank(&p, 0, order, capacity);
        assert_int_equal(count, capacity < k ? capacity : k);
        assert_int_equal(order[capacity], -7); /* nothing is written behind it */
        assert_int_equal(order[0], label);
        for (int64_t c = 0; c < count; c++) { /* as many are before it as its place says */
            int64_t before = 0;
            for (int64_t r = 0; r < k; r++)
                before += pt_score_before(scores, r, order[c]);
            assert_int_equal(before, c);
        }
    }
}

static void test_prediction__sets(void **state)
{
    (void)state;
    double scores[] = {0, 1e-300, -1, 2, -1, -2, -3, 0};
    int64_t labels[2];
    int64_t set[4] = {9, 9, 9, 9};
    pt_prediction p = prediction_of(PT_LABEL_SET, 2, 4, scores, labels);
    assert_int_equal(pt_prediction_set(&p, 0, set, 4), 2);
    assert_int_equal(set[0], 1);
    assert_int_equal(set[1], 3);
    assert_int_equal(set[2], 9);
    assert_int_equal(pt_prediction_set(&p, 0, set + 3, 1), 2); /* the first, and how many */
    assert_int_equal(set[3], 1);
    assert_int_equal(pt_prediction_set(&p, 1, set, 4), 0);
    assert_int_equal(pt_prediction_set(&p, 2, set, 4), -1);
    assert_int_equal(pt_prediction_set(&p, -1, set, 4), -1);
    assert_int_equal(pt_prediction_rank(&p, 2, set, 4), 0);
    assert_int_equal(pt_prediction_rank(&p, 0, set, 0), 0);
    p.label_kind = PT_LABEL_CLASS;
    assert_int_equal(pt_prediction_set(&p, 1, set, 4), 1);
    assert_int_equal(set[0], 3);
    p.label_kind = PT_LABEL_PAIRS;
    assert_int_equal(pt_prediction_set(&p, 0, set, 4), -1);
}

static void test_prediction__probabilities_of_sets(void **state)
{
    (void)state;
    double scores[] = {0, 1e-300, -1e-300, 2, -900, 900};
    double proba[6];
    int64_t label = 0;
    pt_prediction p = prediction_of(PT_LABEL_SET, 1, 6, scores, &label);
    p.calibration.temperature = 1.5;
    assert_int_equal(pt_prediction_proba(&p, proba, NULL), PT_OK);
    for (int r = 0; r < 6; r++)
        assert_int_equal(proba[r] > 0.5, scores[r] > 0);
    assert_true(proba[0] == 0.5);
    assert_true(fabs(proba[3] - 1 / (1 + exp(-3.0))) < 1e-15);
    assert_true(proba[4] == 0 && proba[5] == 1);
    p.calibration.floor = 0.1; /* nothing is certain */
    assert_int_equal(pt_prediction_proba(&p, proba, NULL), PT_OK);
    for (int r = 0; r < 6; r++)
        assert_int_equal(proba[r] > 0.5, scores[r] > 0);
    assert_true(fabs(proba[4] - 0.05) < 1e-15 && fabs(proba[5] - 0.95) < 1e-15);
    pt_error err = PT_ERROR_INIT;
    p.label_kind = PT_LABEL_RANKING;
    assert_int_equal(pt_prediction_proba(&p, proba, &err), PT_ENOSUPPORT);
    assert_non_null(strstr(err.text, "'ranking'"));
}

/* The temperature of sets has the smallest log loss, and is found again. */
static void test_calibrate__sets(void **state)
{
    (void)state;
    enum { N = 4000, K = 3 };
    static double scores[N * K];
    static int64_t item[N * K];
    static int64_t start[N + 1];
    pt_random random;
    pt_random_init(&random, 5, PT_RANDOM_TEST, 0);
    int64_t used = 0;
    for (int i = 0; i < N; i++) {
        for (int r = 0; r < K; r++) {
            scores[i * K + r] = pt_random_normal(&random);
            if (pt_random_uniform(&random) < 1 / (1 + exp(-2.5 * scores[i * K + r])))
                item[used++] = r;
        }
        start[i + 1] = used;
    }
    pt_texts names = names_of("abc");
    pt_labels *sets = NULL;
    assert_int_equal(
        pt_labels_from_items(&sets, PT_LABEL_SET, N, start, item, NULL, &names, NULL, NULL), PT_OK);
    pt_calibration fitted = {1, 1, 0, 0, 0, false, NULL};
    const pt_held_out_scores held_out = {.scores = scores, .sets = sets, .n = N, .k = K};
    assert_int_equal(pt_calibrate(&fitted, &held_out, NULL), PT_OK);
    const double t = fitted.temperature;
    assert_true(fabs(t - 2.5) < 0.15);
    assert_true(fitted.floor == 1 / (N + 2.0));
    double loss[3] = {0, 0, 0};
    for (int other = 0; other < 3; other++) {
        pt_reliability reliability = {0};
        const double temperature = t * (0.9 + 0.1 * other);
        for (int i = 0; i < N; i++)
            for (int r = 0; r < K; r++) {
                bool member = false;
                for (int64_t at = start[i]; at < start[i + 1]; at++)
                    member = member || item[at] == r;
                const pt_calibration at_t = {temperature, 1, 0, 0, 0, false, NULL};
                const double p = pt_member_probability(&at_t, scores[i * K + r]);
                assert_true(fabs(p - 1 / (1 + exp(-temperature * scores[i * K + r]))) < 1e-12);
                pt_reliability_add_member(&reliability, p, member, 1);
                loss[other] -= log(member ? p : 1 - p) / (N * K);
            }
        assert_true(fabs(pt_reliability_log_loss(&reliability).value - loss[other]) < 1e-9);
        if (other == 1)
            assert_true(pt_reliability_error(&reliability).value < 0.02);
    }
    assert_true(loss[1] < loss[0] && loss[1] < loss[2]);
    pt_texts_free(&names);
    pt_labels_free(sets);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

/* Three rows: scores of classes a, b, c that a model of some kind knows. */
typedef struct asked {
    pt_model model;
    pt_dataset data;
    pt_prediction prediction;
    double scores[9];
    int64_t labels[3];
} asked;

static void ask(asked *q, pt_label_kind learned, pt_labels *labels)
{
    static const double SCORES[] = {3, 2, -1, -3, -2, -1, 1, -1, 2};
    memset(q, 0, sizeof *q);
    memcpy(q->scores, SCORES, sizeof SCORES);
    q->model.classes = names_of("abc");
    q->model.label_kind = learned;
    q->data.n = 3;
    q->data.labels = labels;
    q->prediction = prediction_of(learned, 3, 3, q->scores, q->labels);
}

static void ask_end(asked *q)
{
    pt_texts_free(&q->model.classes);
    pt_labels_free(q->data.labels);
}

static pt_labels *items_of(pt_label_kind kind, const int64_t *start, const int64_t *item,
                           const int64_t *rank, const char *letters)
{
    pt_texts names = names_of(letters);
    pt_labels *labels = NULL;
    assert_int_equal(pt_labels_from_items(&labels, kind, 3, start, item, rank, &names, NULL, NULL),
                     PT_OK);
    pt_texts_free(&names);
    return labels;
}

static void assert_metric(const pt_report *e, pt_metric metric, double expected)
{
    const double value = pt_report_number(e, pt_metric_name(metric));
    if (!(fabs(value - expected) < 1e-15))
        fail_msg("%s is %.17g, not %.17g", pt_metric_name(metric), value, expected);
}

static void test_evaluation__of_sets(void **state)
{
    (void)state;
    const int64_t start[] = {0, 2, 2, 5};
    const int64_t item[] = {1, 2, 1, 2, 0}; /* {a, b}, {}, {a, b, z}: said are {a, b}, {}, {a, c} */
    asked q;
    pt_report *e = NULL;
    ask(&q, PT_LABEL_SET, items_of(PT_LABEL_SET, start, item, NULL, "zabc"));
    assert_int_equal(pt_model_evaluate(&e, &q.model, &q.data, &q.prediction, NULL, NULL, NULL),
                     PT_OK);
    assert_string_equal(pt_report_text(e, "labels"), "set");
    assert_int_equal(pt_report_integer(e, "n_examples"), 3); /* the empty set is a label */
    assert_int_equal(pt_report_length(e, "class"), 4);
    assert_string_equal(pt_report_text_at(e, "class", 3, 0, 0), "z");
    assert_int_equal(pt_report_integer(e, "n_unknown"), 1);
    assert_int_equal(pt_report_integer_at(e, "count", 0, 0, 0), 2);
    assert_int_equal(pt_report_integer_at(e, "count", 3, 0, 0), 1);
    assert_int_equal(pt_report_integer_at(e, "count", 4, 0, 0), 0);
    assert_metric(e, PT_METRIC_ERROR, 1 / 3.0);
    assert_metric(e, PT_METRIC_SUBSET_ACCURACY, 2 / 3.0);
    assert_metric(e, PT_METRIC_HAMMING_LOSS, 3 / 12.0);
    assert_metric(e, PT_METRIC_MICRO_F1, 6 / 9.0);
    assert_metric(e, PT_METRIC_MACRO_F1, (1 + 2 / 3.0) / 4);
    assert_metric(e, PT_METRIC_CONSTRAINT_ERROR, 1 / 3.0); /* c before a, b and z */
    assert_metric(e, PT_METRIC_VIOLATED_PAIRS, 3 / 7.0);
    assert_metric(e, PT_METRIC_COVERAGE, (2 + 0 + 4) / 3.0);
    assert_metric(e, PT_METRIC_ONE_ERROR, 1 / 2.0);
    assert_true(pt_report_number_at(e, "recall", 1, 0, 0) == 0.5 &&
                pt_report_number_at(e, "precision", 1, 0, 0) == 1);
    assert_true(pt_report_number_at(e, "recall", 3, 0, 0) == 0 &&
                isnan(pt_report_number_at(e, "precision", 3, 0, 0)));
    assert_true(isnan(pt_report_number_at(e, "recall", 2, 0, 0)) &&
                pt_report_number_at(e, "f1", 2, 0, 0) == 0);
    double low = 0;
    double high = 0; /* z, which has no probability, is not asked about */
    assert_true(isfinite(pt_report_number(e, "log_loss")) &&
                isfinite(pt_report_number(e, "brier")));
    low = pt_report_number_at(e, "log_loss_interval", 0, 0, 0);
    high = pt_report_number_at(e, "log_loss_interval", 1, 0, 0);
    assert_true(low < pt_report_number(e, "log_loss") && pt_report_number(e, "log_loss") < high);
    assert_true(isnan(pt_report_number(e, "expected_error")) &&
                isnan(pt_report_number_at(e, "margin", 3, 0, 0)));
    assert_int_equal(pt_report_integer_at(e, "confusion", 0, 0, 0), 0);
    assert_true(isnan(pt_report_number(e, "kendall_tau")));
    pt_report_free(e);
    ask_end(&q);
}

/* Orders by scores: abc, cba, cab. */
static void test_evaluation__of_rankings_by_any_model(void **state)
{
    (void)state;
    const int64_t start[] = {0, 3, 3, 5};
    const int64_t item[] = {1, 3, 2, 3, 0}; /* a > c > b; nothing; c > z */
    const int64_t rank[] = {1, 2, 3, 1, 2};
    for (int learned = PT_LABEL_CLASS; learned <= PT_LABEL_PAIRS; learned++) {
        asked q;
        pt_report *e = NULL;
        ask(&q, (pt_label_kind)learned, items_of(PT_LABEL_RANKING, start, item, rank, "zabc"));
        assert_int_equal(pt_model_evaluate(&e, &q.model, &q.data, &q.prediction, NULL, NULL, NULL),
                         PT_OK);
        assert_int_equal(pt_report_integer(e, "n_examples"), 2);
        assert_int_equal(pt_report_integer(e, "n_unlabelled"), 1);
        assert_int_equal(pt_report_integer(e, "n_unknown"), 1);
        assert_metric(e, PT_METRIC_ERROR, 1 / 2.0); /* z comes last */
        assert_metric(e, PT_METRIC_VIOLATED_PAIRS, 1 / 3.0);
        assert_metric(e, PT_METRIC_KENDALL_TAU, (1 / 3.0 + 1) / 2);
        assert_metric(e, PT_METRIC_SPEARMAN_RHO, (1 / 2.0 + 1) / 2);
        assert_metric(e, PT_METRIC_TOP1_ACCURACY, 1);
        assert_true(isnan(pt_report_number_at(e, "recall", 0, 0, 0)) &&
                    isnan(pt_report_number_at(e, "f1", 0, 0, 0)));
        assert_true(isnan(pt_report_number(e, "calibration_error")));
        pt_report_free(e);
        ask_end(&q);
    }
}

/* Two unknown classes: neither is before the other. */
static void test_evaluation__unknown_classes_are_before_nothing(void **state)
{
    (void)state;
    const int64_t start[] = {0, 2, 6, 6};
    const int64_t item[] = {0, 1, 2, 0, 1, 0}; /* y > z; a > y, z > y; nothing */
    asked q;
    pt_report *e = NULL;
    ask(&q, PT_LABEL_PAIRS, items_of(PT_LABEL_PAIRS, start, item, NULL, "yza"));
    assert_int_equal(pt_model_evaluate(&e, &q.model, &q.data, &q.prediction, NULL, NULL, NULL),
                     PT_OK);
    assert_int_equal(pt_report_integer(e, "n_unknown"), 2);
    assert_int_equal(pt_report_integer_at(e, "count", 3, 0, 0), 2); /* y, once for each row */
    assert_metric(e, PT_METRIC_ERROR, 1);
    assert_metric(e, PT_METRIC_VIOLATED_PAIRS, 2 / 3.0);
    pt_report_free(e);
    ask_end(&q);
}

static pt_labels *classes_of(void)
{
    const int64_t code[] = {0, 1, 2}; /* said are a, c, c */
    pt_texts names = names_of("abc");
    pt_labels *labels = NULL;
    assert_int_equal(pt_labels_from_codes(&labels, 3, code, &names, NULL), PT_OK);
    pt_texts_free(&names);
    return labels;
}

static void test_evaluation__of_classes_by_a_model_of_rankings(void **state)
{
    (void)state;
    asked q;
    pt_report *e = NULL;
    ask(&q, PT_LABEL_RANKING, classes_of());
    assert_int_equal(pt_model_evaluate(&e, &q.model, &q.data, &q.prediction, NULL, NULL, NULL),
                     PT_OK);
    assert_metric(e, PT_METRIC_ERROR, 1 / 3.0);
    assert_int_equal(pt_report_integer_at(e, "confusion", 1, 2, 0), 1);
    assert_true(pt_report_number_at(e, "margin", 0, 0, 0) == -1);
    assert_true(isnan(pt_report_number(e, "calibration_error"))); /* it has no probabilities */
    pt_report_free(e);
    ask_end(&q);
}

static void test_evaluation__refuses_what_a_model_does_not_say(void **state)
{
    (void)state;
    const int64_t start[] = {0, 1, 2, 3};
    const int64_t item[] = {0, 1, 2};
    asked q;
    pt_error err = PT_ERROR_INIT;
    pt_report *e = NULL;
    ask(&q, PT_LABEL_SET, classes_of());
    assert_int_equal(pt_model_evaluate(&e, &q.model, &q.data, &q.prediction, NULL, NULL, &err),
                     PT_EINVAL);
    assert_non_null(strstr(err.text, "`labels=set`"));
    ask_end(&q);
    for (int learned = PT_LABEL_CLASS; learned <= PT_LABEL_PAIRS; learned++) {
        ask(&q, (pt_label_kind)learned, items_of(PT_LABEL_SET, start, item, NULL, "abc"));
        assert_int_equal(pt_model_evaluate(&e, &q.model, &q.data, &q.prediction, NULL, NULL, &err),
                         learned == PT_LABEL_SET ? PT_OK : PT_EINVAL);
        if (learned == PT_LABEL_SET)
            pt_report_free(e);
        ask_end(&q);
    }
    const int64_t nothing[] = {0, 0, 0, 0};
    ask(&q, PT_LABEL_PAIRS, items_of(PT_LABEL_PAIRS, nothing, item, NULL, "abc"));
    assert_int_equal(pt_model_evaluate(&e, &q.model, &q.data, &q.prediction, NULL, NULL, &err),
                     PT_EFORMAT);
    assert_string_equal(err.text, "no row has a label");
    ask_end(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prediction__rank_is_a_sorted_order),
        cmocka_unit_test(test_prediction__sets),
        cmocka_unit_test(test_prediction__probabilities_of_sets),
        cmocka_unit_test(test_calibrate__sets),
        cmocka_unit_test(test_evaluation__of_sets),
        cmocka_unit_test(test_evaluation__of_rankings_by_any_model),
        cmocka_unit_test(test_evaluation__unknown_classes_are_before_nothing),
        cmocka_unit_test(test_evaluation__of_classes_by_a_model_of_rankings),
        cmocka_unit_test(test_evaluation__refuses_what_a_model_does_not_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
