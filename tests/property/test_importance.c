/* Importance of columns: a naive loop that permutes cells and evaluates says the same, for every
 * kind of labels, columns and machines; columns that were planted are found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/from_memory.h"
#include "../support/labelled_rows.h"
#include "../support/small_problem.h"
#include "base/alloc.h"
#include "data/dataset.h"
#include "metrics/label_metrics.h"
#include "model/permuted.h"

static pt_report *importance(const pt_model *model, const pt_dataset *data, const char *options,
                             int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    pt_params *params = small_params(options);
    pt_task *task = small_task(threads);
    small_must(pt_model_importance(&report, model, data, params, task, &err), &err, options);
    pt_task_free(task);
    pt_params_free(params);
    return report;
}

static pt_status refused(const pt_model *model, const pt_dataset *data, const char *options,
                         const char *word)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    pt_params *params = small_params(options);
    const pt_status status = pt_model_importance(&report, model, data, params, NULL, &err);
    assert_null(report);
    if (!strstr(err.text, word))
        fail_msg("'%s' does not say '%s'", err.text, word);
    pt_params_free(params);
    return status;
}

/* ---- the naive loop -------------------------------------------------------------------------- */

enum { PERMUTATIONS = 3, SEED = 11 };

/* Rows that count, in their order; and where the cells of each come from. */
static int64_t permutation(const pt_dataset *data, int64_t which, int64_t *rows, int64_t *from)
{
    pt_random random;
    int64_t n = 0;
    for (int64_t i = 0; i < data->n; i++)
        if (pt_labels_has(data->labels, i) && !(data->weights && !(data->weights[i] > 0)))
            rows[n++] = i;
    memcpy(from, rows, (size_t)n * sizeof *from);
    pt_random_init(&random, SEED, PT_RANDOM_PERMUTED, (uint64_t)which);
    pt_random_shuffle(&random, from, n);
    return n;
}

/* Cell (i, j) of dense or sparse data. */
static double cell_of(const pt_dataset *data, int64_t i, int64_t j)
{
    if (!data->start)
        return pt_dataset_dense_cell(data, i, j);
    for (int64_t c = data->start[i]; c < data->start[i + 1]; c++)
        if (data->index[c] == j)
            return pt_dataset_cell(data, c);
    return 0;
}

/* The data with columns first .. last in another order. */
static pt_dataset *permuted(const pt_dataset *data, int64_t first, int64_t last, int64_t which)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *copy = NULL;
    int64_t *all = calloc((size_t)data->n, sizeof *all);
    int64_t *rows = calloc((size_t)data->n, sizeof *rows);
    int64_t *from = calloc((size_t)data->n, sizeof *from);
    double *cells = calloc((size_t)(data->n * data->d), sizeof *cells);
    for (int64_t i = 0; i < data->n; i++)
        all[i] = i;
    for (int64_t c = 0; c < data->n * data->d; c++)
        cells[c] = cell_of(data, c / data->d, c % data->d);
    const int64_t n = permutation(data, which, rows, from);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = first; j <= last; j++)
            cells[rows[i] * data->d + j] = cell_of(data, from[i], j);
    small_must(pt_dataset_subset(&copy, data, all, data->n, NULL, &err), &err, "copy");
    if (data->start) { /* rows of other lengths */
        small s = {data->n, data->d, 0, cells, NULL, NULL};
        pt_dataset *sparse = small_sparse_dataset(&s);
        sparse->labels = copy->labels;
        copy->labels = NULL;
        sparse->weights = copy->weights;
        copy->weights = NULL;
        sparse->columns = copy->columns;
        copy->columns = NULL;
        pt_dataset_free(copy);
        copy = sparse;
    } else {
        for (int64_t c = 0; c < data->n * data->d; c++)
            if (copy->type == PT_F32)
                ((float *)copy->value)[c] = (float)cells[c];
            else
                ((double *)copy->value)[c] = cells[c];
    }
    free(cells);
    free(all);
    free(rows);
    free(from);
    return copy;
}

static double evaluated(const pt_model *model, const pt_dataset *data, const char *metric,
                        const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *report = NULL;
    pt_params *params = small_params(options);
    small_must(pt_model_evaluate(&report, model, data, NULL, params, NULL, &err), &err, "evaluate");
    const double value = pt_report_number(report, metric);
    pt_report_free(report);
    pt_params_free(params);
    return value;
}

static void expect_near(double a, double b, const char *what, int64_t column)
{
    if (!(fabs(a - b) <= 1e-12 * (1 + fabs(b))))
        fail_msg("%s, column %lld: %.17g is not %.17g", what, (long long)column + 1, a, b);
}

/* Every column by itself, and its figures in the report; sorted. */
static void expect_naive(const pt_model *model, const pt_dataset *data, const char *metric)
{
    char options[120];
    snprintf(options, sizeof options, "metric=%s,permutations=%d,seed=%d,intervals=100", metric,
             PERMUTATIONS, SEED);
    for (char *c = options + 7; *c != ','; c++)
        *c = *c == '_' ? '-' : *c;
    pt_report *report = importance(model, data, options, 1);
    const double before = evaluated(model, data, metric, "intervals=0");
    const double sign = pt_report_integer(report, "larger_is_better") ? -1 : 1;
    const int64_t count = pt_report_length(report, "column");
    assert_int_equal(count, data->d);
    expect_near(pt_report_number(report, "value"), before, metric, -1);
    for (int64_t c = 0; c < count; c++) {
        const int64_t j = pt_report_integer_at(report, "number", c, 0, 0) - 1;
        const double mean = pt_report_number_at(report, "importance", c, 0, 0);
        const double low = pt_report_number_at(report, "importance_interval", c, 0, 0);
        const double high = pt_report_number_at(report, "importance_interval", c, 1, 0);
        double sum = 0;
        for (int64_t p = 0; p < PERMUTATIONS; p++) {
            pt_dataset *other = permuted(data, j, j, p);
            const double value = evaluated(model, other, metric, "intervals=0");
            expect_near(pt_report_number_at(report, "values", c, p, 0), value, metric, j);
            sum += sign * (value - before) / PERMUTATIONS;
            pt_dataset_free(other);
        }
        expect_near(mean, sum, metric, j);
        assert_true(low <= high && (low <= mean || mean - low < 0.1));
        assert_true(c == 0 || mean <= pt_report_number_at(report, "importance", c - 1, 0, 0));
    }
    pt_report_free(report);
}

/* Train and test rows of labels of a kind; some cells of the test rows are 0 or missing. */
static pt_dataset *labelled_data(pt_label_kind kind, bool sparse, bool missing)
{
    enum { N = 60, D = 4, K = 3 };
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    labelled l = labelled_rows(kind, N, D, K, 0.5, 3);
    for (int64_t i = 0; i < l.n && missing; i += 4)
        l.x[i * D + i % D] = NAN;
    if (sparse)
        small_must(dataset_from_csr(&data, l.start, l.index, l.value, l.n, l.d, &err), &err,
                   "sparse rows");
    else
        small_must(dataset_from_f64(&data, l.x, l.n, l.d, l.d, &err), &err, "rows");
    data->labels = l.labels;
    l.labels = NULL;
    labelled_free(&l);
    return data;
}

static void test_importance__is_that_of_a_naive_loop(void **state)
{
    (void)state;
    static const struct {
        pt_label_kind kind;
        const char *machine;
        const char *metrics[6];
    } CASES[] = {
        {PT_LABEL_CLASS,
         "machine=onelsm,kernel=rbf,sigma=1,ridge=0.1",
         {"error", "log_loss", "auc_ovr", "macro_f1", "mcc"}},
        {PT_LABEL_CLASS, "machine=softmax", {"brier", "auc_ovo", "kappa"}},
        {PT_LABEL_CLASS, "machine=tree", {"error", "balanced_error", "balanced_accuracy"}},
        {PT_LABEL_CLASS,
         "machine=code,code=dense,learner=svm,kernel=rbf,sigma=1",
         {"error", "violated_pairs"}},
        {PT_LABEL_CLASS, "machine=code,learner=adaboost,rounds=5", {"error", "top1_accuracy"}},
        {PT_LABEL_SET,
         "machine=relevance,learner=logistic",
         {"error", "hamming_loss", "macro_f1", "micro_f1", "log_loss", "coverage"}},
        {PT_LABEL_RANKING, "machine=rank-ls,kernel=linear,ridge=0.1", {"error", "kendall_tau"}},
        {PT_LABEL_PAIRS, "machine=constraint,kernel=linear", {"error", "violated_pairs"}},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++)
        for (int shape = 0; shape < 3; shape++) {
            pt_dataset *data = labelled_data(CASES[c].kind, shape == 1, shape == 2);
            char machine[120];
            snprintf(machine, sizeof machine, "%s,missing=%s", CASES[c].machine,
                     shape == 2 ? "indicator" : "mean");
            pt_model *model = small_train(data, machine, 1);
            for (int m = 0; m < 6 && CASES[c].metrics[m]; m++)
                expect_naive(model, data, CASES[c].metrics[m]);
            pt_model_free(model);
            pt_dataset_free(data);
        }
}

/* A column of names among numbers: one-hot for one machine, raw for the other. */
static const char TABLE[] = "x,color,y,class\n"
                            "1,red,2,a\n2,blue,1,b\n3,green,4,a\n1.5,red,3,b\n2.5,blue,1.5,a\n"
                            "0,green,2,b\n1,red,1,a\n4,red,2.5,b\n3,blue,2,a\n2,green,0,b\n"
                            "1,blue,1,b\n2,red,3,a\n0.5,red,2,a\n1,green,1,b\n3.5,blue,0,b\n";

static void test_importance__permutes_nominal_columns_whole(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"machine=onelsm,kernel=linear,ridge=0.5",
                                           "machine=tree"};
    pt_error err = PT_ERROR_INIT;
    for (int m = 0; m < 2; m++) {
        pt_dataset *data = NULL;
        small_must(
            pt_dataset_read_memory(&data, TABLE, sizeof TABLE - 1, "t.csv", NULL, NULL, &err), &err,
            "table");
        pt_model *model = small_train(data, MACHINES[m], 1);
        expect_naive(model, data, "error");
        expect_naive(model, data, "log_loss");
        pt_model_free(model);
        pt_dataset_free(data);
    }
}

static void test_importance__leaves_out_rows_without_label_or_weight(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(50, 3, 3, 5);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=softmax", 1);
    for (int64_t i = 0; i < 50; i += 6)
        data->labels->class_of[i] = -1;
    expect_naive(model, data, "error");
    double weight[50];
    for (int64_t i = 0; i < 50; i++)
        weight[i] = i % 5 == 1 ? 0 : 2;
    small_must(dataset_set_weights(data, weight, &err), &err, "weights");
    expect_naive(model, data, "macro_f1");
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- columns that go together ---------------------------------------------------------------- */

static void test_importance__of_columns_together(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const char *const NAMES[] = {"a1", "a2", "b", "c"};
    small s = small_clouds(60, 4, 3, 8);
    pt_dataset *data = small_dataset(&s);
    data->columns = pt_alloc_zero(4, sizeof *data->columns, "columns", &err);
    for (int64_t j = 0; j < 4; j++)
        data->columns[j].name = pt_alloc_text(NAMES[j], &err);
    pt_model *model = small_train(data, "machine=softmax", 1);
    pt_report *report = NULL;
    pt_params *params = small_params("permutations=2,seed=11");
    small_must(pt_params_set(params, "together", "a*,4", &err), &err, "together");
    small_must(pt_model_importance(&report, model, data, params, NULL, &err), &err, "importance");
    assert_int_equal(pt_report_length(report, "column"), 3);
    bool found[3] = {false, false, false};
    for (int64_t c = 0; c < 3; c++) {
        const char *name = pt_report_text_at(report, "column", c, 0, 0);
        const int64_t number = pt_report_integer_at(report, "number", c, 0, 0);
        const int64_t columns = pt_report_integer_at(report, "columns", c, 0, 0);
        const int64_t first = strcmp(name, "a*") == 0 ? 0 : strcmp(name, "b") == 0 ? 2 : 3;
        const int64_t last = first == 0 ? 1 : first;
        found[first == 0 ? 0 : first - 1] = true;
        assert_int_equal(number, first == 2 ? 3 : 0);
        assert_int_equal(columns, first == 0 ? 2 : 1);
        for (int64_t p = 0; p < 2; p++) {
            pt_dataset *other = permuted(data, first, last, p);
            expect_near(pt_report_number_at(report, "values", c, p, 0),
                        evaluated(model, other, "error", "intervals=0"), name, c);
            pt_dataset_free(other);
        }
    }
    assert_true(found[0] && found[1] && found[2]);
    pt_report_free(report);
    pt_params_free(params);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- planted columns ------------------------------------------------------------------------- */

enum { COLUMNS = 10, INFORMATIVE = 3, ROWS = 600 };

/* Classes by the sectors of two columns and the sign of a third, which are `at`, `at` + 3, `at` + 6
 * (mod 10); the rest is noise. */
static small planted(uint64_t problem, uint64_t half)
{
    pt_random random;
    small s = {ROWS, COLUMNS, 4, NULL, NULL, NULL};
    s.x = calloc((size_t)ROWS * COLUMNS, sizeof *s.x);
    s.y = calloc(ROWS, sizeof *s.y);
    pt_random_init(&random, problem, PT_RANDOM_TEST, half);
    for (int64_t i = 0; i < ROWS; i++) {
        double *x = s.x + i * COLUMNS;
        for (int64_t j = 0; j < COLUMNS; j++)
            x[j] = pt_random_normal(&random);
        const double a = x[problem % COLUMNS];
        const double b = x[(problem + 3) % COLUMNS];
        const double c = x[(problem + 6) % COLUMNS];
        s.y[i] = (a + 0.5 * c > 0 ? 2 : 0) + (b - 0.5 * c > 0 ? 1 : 0);
    }
    return s;
}

static bool is_planted(uint64_t problem, int64_t column)
{
    const int64_t away = (column - (int64_t)(problem % COLUMNS) + COLUMNS) % COLUMNS;
    return away == 0 || away == 3 || away == 6;
}

static void test_importance__finds_planted_columns(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=onelsm,kernel=rbf,sigma=2,ridge=0.1,calibrate=no", "machine=softmax,calibrate=no",
        "machine=code,code=dense,learner=svm,kernel=rbf,sigma=2,calibrate=no",
        "machine=tree,min-leaf=10,calibrate=no",
        "machine=code,learner=adaboost,rounds=40,calibrate=no"};
    for (uint64_t problem = 0; problem < 10; problem++) {
        small train = planted(problem, 0);
        small test = planted(problem, 1);
        pt_dataset *from = small_dataset(&train);
        pt_dataset *on = small_dataset(&test);
        pt_model *model = small_train(from, MACHINES[problem % 5], 1);
        pt_report *report = importance(model, on, "permutations=5", 1);
        for (int64_t c = 0; c < COLUMNS; c++) {
            const int64_t j = pt_report_integer_at(report, "number", c, 0, 0) - 1;
            const double low = pt_report_number_at(report, "importance_interval", c, 0, 0);
            if ((c < INFORMATIVE) != is_planted(problem, j))
                fail_msg("problem %d: column %d has place %d", (int)problem, (int)j, (int)c);
            if (c < INFORMATIVE && !(low > 0))
                fail_msg("problem %d: the interval of column %d begins at %g", (int)problem, (int)j,
                         low);
        }
        pt_report_free(report);
        pt_model_free(model);
        pt_dataset_free(from);
        pt_dataset_free(on);
        small_free(&train);
        small_free(&test);
    }
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* Of the error: the rows' differences, one by one, are a sample. */
static void test_importance__interval_is_that_of_rows(void **state)
{
    (void)state;
    enum { N = 80 };
    small s = small_clouds(N, 3, 3, 4);
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=softmax", 1);
    int64_t group[N];
    for (int64_t i = 0; i < N; i++)
        group[i] = -7 * (i / 4);
    for (int grouped = 0; grouped < 2; grouped++) {
        if (grouped)
            small_must(dataset_set_ties(data, "group", group, 1, &err), &err, "groups");
        pt_report *report = importance(model, data, "permutations=3,seed=11", 1);
        pt_prediction *before = small_predict(model, data, 1);
        for (int64_t c = 0; c < 3; c++) {
            const int64_t j = pt_report_integer_at(report, "number", c, 0, 0) - 1;
            double change[N] = {0};
            double mean = 0;
            double squares = 0;
            for (int64_t p = 0; p < PERMUTATIONS; p++) {
                pt_dataset *other = permuted(data, j, j, p);
                pt_prediction *after = small_predict(model, other, 1);
                for (int64_t i = 0; i < N; i++) {
                    const int64_t y = data->labels->class_of[i];
                    change[i] += ((pt_prediction_labels(after)[i] != y) -
                                  (pt_prediction_labels(before)[i] != y)) /
                                 (double)PERMUTATIONS;
                }
                pt_prediction_free(after);
                pt_dataset_free(other);
            }
            for (int64_t i = 0; i < N; i++)
                mean += change[i] / N;
            for (int64_t g = 0; g < (grouped ? N / 4 : N); g++) {
                double sum = 0;
                for (int64_t i = 0; i < N; i++)
                    sum += (grouped ? i / 4 : i) == g ? (change[i] - mean) / N : 0;
                squares += sum * sum;
            }
            const double m = grouped ? N / 4. : N;
            const double half = 1.959964 * sqrt(squares * m / (m - 1));
            expect_near(pt_report_number_at(report, "importance", c, 0, 0), mean, "mean", j);
            expect_near(pt_report_number_at(report, "importance_interval", c, 0, 0), mean - half,
                        "low", j);
            expect_near(pt_report_number_at(report, "importance_interval", c, 1, 0), mean + half,
                        "high", j);
        }
        pt_prediction_free(before);
        pt_report_free(report);
    }
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* Draws of the same rows: an interval of draws is about that of the sums, where both are possible.
 * Balanced accuracy of classes of equal size is the accuracy. */
static void test_importance__draws_agree_with_sums(void **state)
{
    (void)state;
    small s = small_clouds(900, 3, 3, 4);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=softmax,calibrate=no", 1);
    pt_report *error = importance(model, data, "permutations=4", 1);
    pt_report *drawn =
        importance(model, data, "permutations=4,metric=balanced-error,intervals=1000", 1);
    for (int64_t c = 0; c < 3; c++) {
        assert_int_equal(pt_report_integer_at(error, "number", c, 0, 0),
                         pt_report_integer_at(drawn, "number", c, 0, 0));
        for (int bound = 0; bound < 2; bound++) {
            const double a = pt_report_number_at(error, "importance_interval", c, bound, 0);
            const double b = pt_report_number_at(drawn, "importance_interval", c, bound, 0);
            const double mean = pt_report_number_at(drawn, "importance", c, 0, 0);
            assert_true(fabs(a - b) < 0.25 * fabs(a - mean));
        }
    }
    pt_report_free(error);
    pt_report_free(drawn);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- how it runs ----------------------------------------------------------------------------- */

static void expect_same_report(const pt_report *a, const pt_report *b)
{
    pt_error err = PT_ERROR_INIT;
    char *one = NULL;
    char *two = NULL;
    small_must(pt_report_json(&one, a, &err), &err, "json");
    small_must(pt_report_json(&two, b, &err), &err, "json");
    assert_string_equal(one, two);
    pt_bytes_free(one);
    pt_bytes_free(two);
}

static void test_importance__threads_change_nothing(void **state)
{
    (void)state;
    small s = small_clouds(200, 5, 4, 9);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=onelsm,sigma=1,ridge=0.1", 1);
    static const char *const OPTIONS[] = {"metric=error", "metric=macro-f1", "metric=auc-ovr"};
    for (int o = 0; o < 3; o++) {
        pt_report *one = importance(model, data, OPTIONS[o], 1);
        pt_report *two = importance(model, data, OPTIONS[o], 2);
        expect_same_report(one, two);
        pt_report_free(one);
        pt_report_free(two);
    }
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* Where prepared rows do not fit they are prepared part by part. */
static void test_importance__parts_change_nothing(void **state)
{
    (void)state;
    enum { N = 120000, D = 24 };
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, D, 2, 9);
    small few = s;
    few.n = 300;
    pt_dataset *data = small_dataset(&s);
    pt_dataset *from = small_dataset(&few);
    pt_model *model = small_train(from, "machine=tree,precision=double,calibrate=no", 1);
    pt_params *params = small_params("permutations=1");
    pt_report *whole = NULL;
    pt_report *parts = NULL;
    small_must(pt_params_set(params, "together", "2,1?,2?,3,4,5,6,7,8,9", &err), &err, "together");
    small_must(pt_model_importance(&whole, model, data, params, NULL, &err), &err, "whole");
    pt_task *task = small_task(1);
    pt_task_set_memory(task, (int64_t)(pt_dataset_bytes(data)) + (12 << 20));
    PT_FREED_BY(pt_prepared_data_free) pt_prepared_data rows = {0};
    PT_FREED_BY(pt_warnings_free) pt_warnings said = {0};
    small_must(pt_prepared_data_init(&rows, model, data, 0, &said, task, &err), &err, "rows");
    assert_false(rows.held);
    small_must(pt_model_importance(&parts, model, data, params, task, &err), &err, "parts");
    expect_same_report(whole, parts);
    pt_task_set_memory(task, (int64_t)pt_dataset_bytes(data));
    pt_report_free(parts);
    parts = NULL;
    assert_int_equal(pt_model_importance(&parts, model, data, params, task, &err), PT_EMEMORY);
    assert_null(parts);
    pt_report_free(whole);
    pt_task_free(task);
    pt_params_free(params);
    pt_model_free(model);
    pt_dataset_free(from);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void test_importance__refuses(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(30, 2, 3, 5);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=softmax", 1);
    pt_model *sets = NULL;
    pt_dataset *of_sets = labelled_data(PT_LABEL_SET, false, false);
    assert_int_equal(refused(model, data, "together=zebra", "zebra"), PT_EINVAL);
    assert_int_equal(refused(model, data, "metric=kendall-tau", "kendall-tau"), PT_EINVAL);
    assert_int_equal(refused(model, data, "metric=cost", "costs"), PT_EINVAL);
    assert_int_equal(refused(model, data, "metric=top-k-accuracy,top-k=3", "top-k"), PT_EINVAL);
    assert_int_equal(refused(model, of_sets, "metric=error", "kind 'set'"), PT_EINVAL);
    sets = small_train(of_sets, "machine=relevance,learner=logistic", 1);
    assert_int_equal(refused(sets, of_sets, "metric=auc-ovr", "auc-ovr"), PT_EINVAL);
    for (int64_t i = 0; i < 30; i++)
        data->labels->class_of[i] = -1;
    assert_int_equal(refused(model, data, "seed=1", "no row has a label"), PT_EFORMAT);
    small none = s;
    none.y = NULL;
    pt_dataset *unlabelled = small_dataset(&none);
    assert_int_equal(refused(model, unlabelled, "seed=1", "no labels"), PT_EFORMAT);
    pt_task *task = small_task(1);
    pt_report *report = NULL;
    pt_task_cancel(task);
    assert_int_equal(pt_model_importance(&report, sets, of_sets, NULL, task, &err), PT_ECANCELLED);
    assert_null(report);
    pt_task_free(task);
    pt_dataset_free(unlabelled);
    pt_model_free(model);
    pt_model_free(sets);
    pt_dataset_free(data);
    pt_dataset_free(of_sets);
    small_free(&s);
}

/* Of a stream whose columns were hashed nobody knows which is which. */
static void test_importance__refuses_hashed_columns(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_online *online = NULL;
    pt_model *model = NULL;
    small s = small_clouds(30, 5, 3, 5);
    pt_dataset *data = small_sparse_dataset(&s);
    pt_params *params = small_params("hash-bits=3");
    small_must(pt_online_new(&online, params, &err), &err, "online");
    small_must(pt_online_learn(online, data, NULL, &err), &err, "learn");
    small_must(pt_online_model(&model, online, &err), &err, "model");
    assert_int_equal(refused(model, data, "seed=1", "hash"), PT_ENOSUPPORT);
    pt_model_free(model);
    pt_online_free(online);
    pt_params_free(params);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_importance__of_one_row_and_constant_columns_is_nothing(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(30, 3, 3, 5);
    for (int64_t i = 0; i < s.n; i++)
        s.x[i * 3 + 1] = 4;
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=softmax", 1);
    pt_report *report = importance(model, data, "permutations=2", 1);
    for (int64_t c = 0; c < 3; c++)
        if (pt_report_integer_at(report, "number", c, 0, 0) == 2) {
            assert_true(pt_report_number_at(report, "importance", c, 0, 0) == 0);
            assert_true(pt_report_number_at(report, "importance_interval", c, 0, 0) == 0);
            assert_true(pt_report_number_at(report, "importance_interval", c, 1, 0) == 0);
        }
    /* The rows are those of training. */
    assert_int_equal(pt_report_length(report, "warning"), 1);
    assert_string_equal(pt_report_text_at(report, "warning_kind", 0, 0, 0), "optimism");
    pt_report_free(report);
    const int64_t first[] = {0};
    pt_dataset *one = NULL;
    small_must(pt_dataset_subset(&one, data, first, 1, NULL, &err), &err, "one row");
    report = importance(model, one, "permutations=2", 1);
    for (int64_t c = 0; c < 3; c++) {
        assert_true(pt_report_number_at(report, "importance", c, 0, 0) == 0);
        assert_true(isnan(pt_report_number_at(report, "importance_interval", c, 0, 0)));
    }
    assert_int_equal(pt_report_length(report, "warning"), 0);
    pt_report_free(report);
    pt_dataset_free(one);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_importance__is_that_of_a_naive_loop),
        cmocka_unit_test(test_importance__permutes_nominal_columns_whole),
        cmocka_unit_test(test_importance__leaves_out_rows_without_label_or_weight),
        cmocka_unit_test(test_importance__of_columns_together),
        cmocka_unit_test(test_importance__finds_planted_columns),
        cmocka_unit_test(test_importance__interval_is_that_of_rows),
        cmocka_unit_test(test_importance__draws_agree_with_sums),
        cmocka_unit_test(test_importance__threads_change_nothing),
        cmocka_unit_test(test_importance__parts_change_nothing),
        cmocka_unit_test(test_importance__refuses),
        cmocka_unit_test(test_importance__refuses_hashed_columns),
        cmocka_unit_test(test_importance__of_one_row_and_constant_columns_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
