/* Figures of decisions in evaluations, against counting row by row; the whole and its parts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/significance.h"
#include "model/model.h"

enum { N = 300, D = 3, K = 4 };

static const char OPTIONS[] = "machine=onelsm,kernel=rbf,sigma=1,ridge=0.1";
static const double COSTS[K * (K + 1)] = {0, 1, 9, 2, .4, 3, 0, 1, 1, .4,
                                          1, 5, 0, 1, .4, 2, 2, 7, 0, .4};

typedef struct setting {
    pt_dataset *all; /* whose cells the two look at */
    pt_dataset *train;
    pt_dataset *test;
    pt_model *model;
    pt_prediction *p;
    double *proba;
} setting;

static setting make(void)
{
    setting s;
    pt_error err = PT_ERROR_INIT;
    small rows = small_clouds(2 * N, D, K, 12);
    s.all = small_dataset(&rows);
    int64_t place[2 * N];
    for (int64_t i = 0; i < 2 * N; i++)
        place[i] = i;
    small_must(pt_dataset_rows(&s.train, s.all, place, N, &err), &err, "train");
    small_must(pt_dataset_rows(&s.test, s.all, place + N, N, &err), &err, "test");
    s.model = small_train(s.train, OPTIONS, 1);
    s.p = small_predict(s.model, s.test, 1);
    s.proba = calloc(N * K, sizeof *s.proba);
    assert_non_null(s.proba);
    small_must(pt_prediction_proba(s.p, s.proba, &err), &err, "probabilities");
    small_free(&rows);
    return s;
}

static void drop(setting *s)
{
    free(s->proba);
    pt_prediction_free(s->p);
    pt_model_free(s->model);
    pt_dataset_free(s->test);
    pt_dataset_free(s->train);
    pt_dataset_free(s->all);
}

static pt_report *evaluated(const setting *s, const pt_params *params)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    small_must(pt_model_evaluate(&report, s->model, s->test, s->p, params, NULL, &err), &err,
               "evaluate");
    return report;
}

static void expect_near(const pt_report *report, const char *name, double expected)
{
    const double value = pt_report_number(report, name);
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%s: %.17g in place of %.17g", name, value, expected);
}

static void expect_interval(const pt_report *report, const char *name, int64_t m, int64_t n)
{
    double low = NAN;
    double high = NAN;
    pt_binomial_interval(m, n, &low, &high);
    assert_true(pt_report_number_at(report, name, 0, 0, 0) == low);
    assert_true(pt_report_number_at(report, name, 1, 0, 0) == high);
    assert_true(low <= (double)m / (double)n && (double)m / (double)n <= high);
}

static int64_t truth_of(const setting *s, int64_t i)
{
    return pt_dataset_class(s->test, i);
}

static void test_evaluate__costs(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    for (int64_t columns = K; columns <= K + 1; columns++) {
        setting s = make();
        pt_params *params = small_params("threads=1");
        const pt_dense array = {PT_F64, COSTS, K, columns, K + 1, 1};
        small_must(pt_params_set_array(params, "costs", &array, &err), &err, "costs");
        pt_report *report = evaluated(&s, params);
        small_must(pt_prediction_decide(s.p, s.model, params, &err), &err, "decide");
        double plain = 0;
        double least = 0;
        double squares = 0;
        int64_t rejected = 0;
        int64_t wrong = 0;
        for (int64_t i = 0; i < N; i++) {
            const int64_t said = s.p->labels[i];
            const double *row = COSTS + truth_of(&s, i) * (K + 1);
            const double saved =
                row[small_argmax(s.p->scores + i * K, K)] - row[said < 0 ? K : said];
            plain += row[small_argmax(s.p->scores + i * K, K)] / N;
            least += row[said < 0 ? K : said] / N;
            squares += saved * saved;
            rejected += said < 0;
            wrong += said >= 0 && said != truth_of(&s, i);
        }
        expect_near(report, "cost", plain);
        expect_near(report, "least_cost", least);
        expect_near(report, "saved_cost", plain - least);
        const double reach =
            1.96 * sqrt((squares / N - (plain - least) * (plain - least)) / (N - 1));
        assert_true(fabs(pt_report_number_at(report, "saved_cost_interval", 1, 0, 0) -
                         (plain - least) - reach) < 1e-9);
        assert_int_equal(pt_report_integer(report, "n_rejected"), rejected);
        assert_true(columns == K ? rejected == 0 : rejected > 0);
        expect_near(report, "accepted_error", (double)wrong / (double)(N - rejected));
        expect_interval(report, "accepted_error_interval", wrong, N - rejected);
        assert_string_equal(pt_report_text(report, "decided"), "costs");
        pt_report_free(report);
        pt_params_free(params);
        drop(&s);
    }
}

static void test_evaluate__rejection(void **state)
{
    (void)state;
    static const double SHARES[] = {1, 0.95, 0.9, 0.8, 0.7, 0.5};
    setting s = make();
    pt_params *params = small_params("reject=0.8");
    pt_report *report = evaluated(&s, params);
    int64_t rejected = 0;
    int64_t wrong = 0;
    for (int64_t i = 0; i < N; i++) {
        const int64_t best = small_argmax(s.p->scores + i * K, K);
        rejected += s.proba[i * K + best] < 0.8;
        wrong += s.proba[i * K + best] >= 0.8 && best != truth_of(&s, i);
    }
    assert_true(rejected > 0 && wrong > 0);
    assert_int_equal(pt_report_integer(report, "n_rejected"), rejected);
    expect_near(report, "accepted_error", (double)wrong / (double)(N - rejected));
    expect_interval(report, "accepted_error_interval", wrong, N - rejected);
    assert_int_equal(pt_report_length(report, "accept"), 6);
    for (int t = 0; t < 6; t++) { /* those with at least the probability that the table has */
        const double least = pt_report_number_at(report, "accept_probability", t, 0, 0);
        int64_t m = 0;
        int64_t bad = 0;
        int64_t above = 0;
        for (int64_t i = 0; i < N; i++) {
            const int64_t best = small_argmax(s.p->scores + i * K, K);
            m += s.proba[i * K + best] >= least;
            above += s.proba[i * K + best] > least;
            bad += s.proba[i * K + best] >= least && best != truth_of(&s, i);
        }
        assert_true((double)m >= SHARES[t] * N - 1e-9 && (double)above < SHARES[t] * N);
        assert_true(pt_report_number_at(report, "accept", t, 0, 0) == (double)m / N);
        assert_true(pt_report_number_at(report, "accept_error", t, 0, 0) ==
                    (double)bad / (double)m);
    }
    assert_true(pt_report_number_at(report, "accept_error", 0, 0, 0) ==
                pt_report_number(report, "error"));
    pt_report_free(report);
    pt_params_free(params);
    drop(&s);
}

static void test_evaluate__coverage(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const char *const RULES[] = {"coverage=0.9", "coverage=0.8,coverage-by=class"};
    for (int rule = 0; rule < 2; rule++) {
        setting s = make();
        pt_params *params = small_params(RULES[rule]);
        pt_report *report = evaluated(&s, params);
        small_must(pt_prediction_decide(s.p, s.model, params, &err), &err, "decide");
        int64_t covered = 0;
        int64_t sizes = 0;
        int64_t of_class[K] = {0};
        int64_t of_class_in[K] = {0};
        int64_t first[K + 1] = {0}; /* rows whose class is among the first j */
        for (int64_t i = 0; i < N; i++) {
            int64_t set[K];
            int64_t order[K];
            bool in = false;
            const int64_t truth = truth_of(&s, i);
            const int64_t size = pt_prediction_set(s.p, i, set, K);
            for (int64_t c = 0; c < size; c++)
                in = in || set[c] == truth;
            assert_int_equal(pt_prediction_rank(s.p, i, order, K), K);
            for (int64_t j = 1; j <= K; j++)
                for (int64_t c = 0; c < j; c++)
                    first[j] += order[c] == truth;
            covered += in;
            sizes += size;
            of_class[truth]++;
            of_class_in[truth] += in;
        }
        expect_near(report, "covered", (double)covered / N);
        expect_interval(report, "covered_interval", covered, N);
        expect_near(report, "set_size", (double)sizes / N);
        for (int64_t r = 0; r < K; r++)
            assert_true(pt_report_number_at(report, "class_covered", r, 0, 0) ==
                        (double)of_class_in[r] / (double)of_class[r]);
        const double k = pt_report_number(report, "first_classes");
        const int64_t below = (int64_t)ceil(k) - 1;
        assert_true(first[below] < covered && covered <= first[below + 1]);
        assert_true(fabs((double)(first[below]) +
                         (k - (double)below) * (double)(first[below + 1] - first[below]) -
                         (double)covered) < 1e-9);
        pt_report_free(report);
        pt_params_free(params);
        drop(&s);
    }
}

/* A file in parts has the figures of the whole. */
static void test_evaluate__parts(void **state)
{
    (void)state;
    static const char *const RULES[] = {"reject=0.8", "coverage=0.9"};
    static const char *const ITEMS[] = {
        "n_rejected",    "accepted_error", "covered",           "set_size",
        "first_classes", "error",          "violated_pairs",    "constraint_error",
        "macro_f1",      "micro_f1",       "balanced_accuracy", "balanced_error",
        "mcc",           "kappa",          "top1_accuracy",     "top_k_accuracy"};
    char path[] = "/tmp/polytomy_evaluate_XXXXXX";
    const int file = mkstemp(path);
    pt_error err = PT_ERROR_INIT;
    assert_true(file >= 0);
    close(file);
    setting s = make();
    small_must(pt_dataset_write(s.test, path, "csv", NULL, &err), &err, "write");
    for (int rule = 0; rule < 2; rule++) {
        pt_params *params = small_params(RULES[rule]);
        pt_report *whole = evaluated(&s, params);
        pt_report *parts = NULL;
        pt_prediction_stream *stream = NULL;
        small_must(pt_prediction_stream_open(&stream, s.model, path, params, -1, NULL, &err), &err,
                   "stream");
        small_must(pt_prediction_stream_evaluate(&parts, stream, s.model, params, &err), &err,
                   "parts");
        for (size_t i = 0; i < sizeof ITEMS / sizeof *ITEMS; i++) {
            assert_int_equal(!pt_report_find(whole, ITEMS[i]), !pt_report_find(parts, ITEMS[i]));
            if (pt_report_find(whole, ITEMS[i]))
                expect_near(parts, ITEMS[i], pt_report_number(whole, ITEMS[i]));
        }
        pt_prediction_stream_close(stream);
        pt_report_free(parts);
        pt_report_free(whole);
        pt_params_free(params);
    }
    unlink(path);
    drop(&s);
}

/* Rules are checked before rows are, and without one nothing is said of decisions. */
static void test_evaluate__refuses_and_leaves_out(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    setting s = make();
    pt_params *params = small_params("coverage=0.9,reject=0.5");
    pt_report *report = NULL;
    assert_int_equal(pt_model_evaluate(&report, s.model, s.test, s.p, params, NULL, &err),
                     PT_EINVAL);
    assert_null(report);
    report = evaluated(&s, NULL);
    assert_null(pt_report_find(report, "decided"));
    pt_report_free(report);
    pt_params_free(params);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evaluate__costs),
        cmocka_unit_test(test_evaluate__rejection),
        cmocka_unit_test(test_evaluate__coverage),
        cmocka_unit_test(test_evaluate__parts),
        cmocka_unit_test(test_evaluate__refuses_and_leaves_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
