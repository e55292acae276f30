/* labels: threads */
/* Searches, comparisons and models of labels of every kind: the metric that chooses, what
 * checkpoints keep of it, who is right on a test set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/from_memory.h"
#include "../support/labelled_rows.h"
#include "../support/reports.h"
#include "data/dataset.h"
#include "metrics/label_judge.h"
#include "metrics/label_metrics.h"
#include "store/container.h"
#include "store/pack.h"
#include "validate/folds.h"

static char file[] = "/tmp/polytomy_label_search_XXXXXX";

static pt_dataset *dataset_of(const labelled *l, pt_labels *labels)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    small_must(dataset_from_f64(&data, l->x, l->n, l->d, l->d, &err), &err, "data");
    data->labels = labels;
    return data;
}

/* The data take the labels of `l`. */
static pt_dataset *random_data(pt_label_kind kind, int64_t n, double noise, uint64_t seed)
{
    labelled l = labelled_rows(kind, n, 3, 4, noise, seed);
    pt_dataset *data = dataset_of(&l, l.labels);
    l.labels = NULL;
    labelled_free(&l);
    return data;
}

enum { CLASSES = 4 };
static const double COSTS[CLASSES * CLASSES] = {0, 1, 2, 3, 1, 0, 5, 1, 0, 1, 0, 1, 9, 1, 1, 0};

static pt_params *params_of(const char *metric)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params("machine=constraint,folds=3,repeat=2");
    small_must(pt_params_set(params, "grid", "C=0.001,0.1,10", &err), &err, "grid");
    if (metric)
        small_must(pt_params_set(params, "metric", metric, &err), &err, metric);
    if (metric && strcmp(metric, "cost") == 0) {
        const pt_dense costs = {PT_F64, COSTS, CLASSES, CLASSES, CLASSES, 1};
        small_must(pt_params_set_array(params, "costs", &costs, &err), &err, "costs");
    }
    return params;
}

static double metric_of(const pt_labels *labels, pt_metric metric, const double *scores)
{
    const int64_t k = pt_labels_n_classes(labels);
    pt_tally tally;
    assert_int_equal(pt_tally_init(&tally, labels, k, ~0u, &(pt_metric_rules){2, COSTS}, NULL),
                     PT_OK);
    for (int64_t i = 0; i < labels->n; i++)
        pt_tally_add(&tally, i, scores + i * k);
    const double value = pt_tally_metric(&tally, metric);
    pt_tally_free(&tally);
    return value;
}

/* With the values of the metric as the held-out scores of the best point have them, and no point
 * better than the best. */
static void check_search(const pt_report *search, const pt_labels *labels, pt_metric metric)
{
    const int64_t best = pt_report_integer(search, "best");
    double mean = 0;
    assert_string_equal(pt_report_text(search, "metric"), pt_metric_name(metric));
    for (int64_t r = 0; r < pt_report_integer(search, "n_repeats"); r++) {
        const double *scores = scores_of(search, r);
        /* those of probabilities are judged in test_probability_metrics.c */
        const bool by_scores = (PT_PROBABILITY_METRICS & 1 << metric) == 0;
        const double found = pt_report_number_at(search, "values", best, r, 0);
        const double value = by_scores ? metric_of(labels, metric, scores) : found;
        assert_true(found == value);
        assert_true(pt_report_number_at(search, "errors", best, r, 0) ==
                    metric_of(labels, PT_METRIC_ERROR, scores));
        mean += value / (double)pt_report_integer(search, "n_repeats");
    }
    assert_true(fabs(pt_report_number_at(search, "value", best, 0, 0) - mean) < 1e-14);
    const double sign = pt_metric_larger_is_better(metric) ? -1 : 1;
    for (int64_t p = 0; p < pt_report_integer(search, "n_points"); p++)
        assert_true(sign * pt_report_number_at(search, "value", p, 0, 0) >=
                    sign * pt_report_number_at(search, "value", best, 0, 0));
}

/* The metric of the held-out rows of one fold. */
static double metric_of_fold(const pt_labels *labels, pt_metric metric, const double *scores,
                             const int64_t *fold, int64_t which, double *rows)
{
    const int64_t k = pt_labels_n_classes(labels);
    pt_tally tally;
    assert_int_equal(pt_tally_init(&tally, labels, k, ~0u, &(pt_metric_rules){2, COSTS}, NULL),
                     PT_OK);
    *rows = 0;
    for (int64_t i = 0; i < labels->n; i++)
        if (fold[i] == which) {
            pt_tally_add(&tally, i, scores + i * k);
            (*rows)++;
        }
    const double value = pt_tally_metric(&tally, metric);
    pt_tally_free(&tally);
    return value;
}

/* Of the best point, by the folds of the same parameters: the mean over repetitions of the root of
 * F / (F - 1) sum n_f^2 (m_f - m)^2 / n^2. */
static void check_standard_error(const pt_report *search, const pt_params *params,
                                 const pt_labels *labels, pt_metric metric)
{
    pt_error err = PT_ERROR_INIT;
    pt_fold_set folds = {0};
    const pt_problem problem = {.rows.n = labels->n, .labels = labels};
    const int64_t best = pt_report_integer(search, "best");
    double expected = 0;
    small_must(pt_fold_set_init(&folds, &problem, params, &err), &err, "folds");
    for (int64_t r = 0; r < folds.partitions.count; r++) {
        double value[8];
        double rows[8];
        double n = 0;
        double mean = 0;
        double squares = 0;
        double count = 0;
        for (int64_t f = 0; f < folds.partitions.n_folds; f++) {
            value[f] = metric_of_fold(labels, metric, scores_of(search, r),
                                      folds.partitions.fold[r], f, &rows[f]);
            n += isnan(value[f]) ? 0 : rows[f];
            mean += isnan(value[f]) ? 0 : rows[f] * value[f];
            count += !isnan(value[f]);
        }
        mean /= n;
        for (int64_t f = 0; f < folds.partitions.n_folds; f++)
            squares += isnan(value[f]) ? 0 : pow(rows[f] * (value[f] - mean), 2);
        expected += sqrt(count / (count - 1) * squares) / n / (double)folds.partitions.count;
    }
    const double found = pt_report_number_at(search, "value_standard_error", best, 0, 0);
    assert_true(fabs(found - expected) < 1e-12);
    if (metric == PT_METRIC_ERROR)
        assert_true(found == pt_report_number_at(search, "standard_error", best, 0, 0));
    pt_fold_set_free(&folds);
}

static void test_search__chooses_by_every_metric(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    for (size_t kind = 0; kind < sizeof LABEL_KINDS / sizeof *LABEL_KINDS; kind++) {
        pt_dataset *data = random_data(LABEL_KINDS[kind], 50, 0.4, 3);
        for (int m = 0; pt_metric_name((pt_metric)m); m++) {
            char name[40];
            snprintf(name, sizeof name, "%s", pt_metric_name((pt_metric)m));
            for (char *c = name; *c; c++)
                *c = *c == '_' ? '-' : *c;
            pt_params *params = params_of(name);
            pt_report *search = NULL;
            const pt_status status =
                pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err);
            if (pt_metrics_of(LABEL_KINDS[kind]) & 1u << m) {
                small_must(status, &err, name);
                check_search(search, data->labels, (pt_metric)m);
                if (!(PT_PROBABILITY_METRICS & 1 << m))
                    check_standard_error(search, params, data->labels, (pt_metric)m);
            } else {
                assert_int_equal(status, PT_EINVAL);
                assert_non_null(strstr(err.text, "have error, constraint-error"));
            }
            pt_report_free(search);
            pt_params_free(params);
        }
        pt_dataset_free(data);
    }
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static pt_status search_again(pt_report **search, pt_label_kind kind, const char *metric,
                              uint64_t seed, pt_error *err)
{
    pt_dataset *data = random_data(kind, 40, 0.4, 5);
    if (seed != 5) { /* other labels of the same rows */
        pt_dataset *other = random_data(kind, 40, 0.4, seed);
        pt_labels *swap = data->labels;
        data->labels = other->labels;
        other->labels = swap;
        pt_dataset_free(other);
    }
    pt_params *params = params_of(metric);
    pt_error own = PT_ERROR_INIT;
    small_must(pt_params_set(params, "resume", file, &own), &own, "resume");
    const pt_status status =
        pt_cross_validate(search, NULL, data, &(const pt_params *){params}, 1, NULL, err);
    pt_params_free(params);
    pt_dataset_free(data);
    return status;
}

/* Replaces the first value whose name has `mark` in the file by `text`; the rest stays as it is. */
static void change_file(const char *mark, const char *text)
{
    static const char *const LISTS[] = {"signature", "names", "values"};
    enum { NAMES = 1, VALUES = 2, N_LISTS = 3 };
    pt_error err = PT_ERROR_INIT;
    pt_container *container = NULL;
    pt_pack old = {0};
    pt_pack pack = {0};
    small_must(pt_container_open(&container, file, &err), &err, "open");
    small_must(pt_pack_read(&old, container, "c.", &err), &err, "read");
    small_must(pt_pack_begin(&pack, &err), &err, "begin");
    int64_t place = -1;
    for (int l = 0; l < N_LISTS; l++) {
        pt_texts given = {0};
        pt_texts list = {0};
        small_must(pt_pack_find_texts(&given, &old, LISTS[l], &err), &err, LISTS[l]);
        for (int64_t i = 0; i < given.count; i++) {
            if (l == NAMES && place < 0 && strstr(given.items[i], mark))
                place = i;
            small_must(
                pt_texts_add(&list, &err, "%s", l == VALUES && i == place ? text : given.items[i]),
                &err, "add");
        }
        small_must(pt_pack_add_texts(&pack, LISTS[l], &list, &err), &err, "add");
        pt_texts_free(&given);
        pt_texts_free(&list);
    }
    assert_true(place >= 0);
    pt_pack_free(&old);
    pt_container_close(container);
    small_must(pt_packs_write(file, &(pt_packed){"c.", &pack}, 1, &err), &err, "write");
    pt_pack_free(&pack);
}

static void test_search__metrics_are_kept(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_report *first = NULL;
    pt_report *again = NULL;
    unlink(file);
    small_must(search_again(&first, PT_LABEL_RANKING, "kendall-tau", 5, &err), &err, "first");
    assert_int_equal(pt_report_integer(first, "n_computed"), 3);
    small_must(search_again(&again, PT_LABEL_RANKING, "kendall-tau", 5, &err), &err, "again");
    assert_int_equal(pt_report_integer(again, "n_computed"), 0);
    assert_int_equal(pt_report_integer(first, "best"), pt_report_integer(again, "best"));
    for (int64_t p = 0; p < 3; p++)
        for (int64_t r = 0; r < 2; r++) {
            assert_true(pt_report_number_at(first, "values", p, r, 0) ==
                        pt_report_number_at(again, "values", p, r, 0));
            assert_true(pt_report_number_at(first, "errors", p, r, 0) ==
                        pt_report_number_at(again, "errors", p, r, 0));
            assert_true(pt_report_number_at(first, "value_standard_error", p, 0, 0) ==
                        pt_report_number_at(again, "value_standard_error", p, 0, 0));
        }
    pt_report_free(first);
    pt_report_free(again);
    /* another metric, other labels */
    assert_int_equal(search_again(&again, PT_LABEL_RANKING, "spearman-rho", 5, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "metric is 'kendall-tau'"));
    assert_int_equal(search_again(&again, PT_LABEL_RANKING, NULL, 5, &err), PT_EINVAL);
    assert_int_equal(search_again(&again, PT_LABEL_RANKING, "kendall-tau", 6, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "other data"));
    /* what is no value of a metric */
    static const char *const BAD[] = {"nan", "inf", "1e9", "-5", "word", "", "0.5 "};
    for (size_t b = 0; b < sizeof BAD / sizeof *BAD; b++) {
        change_file(" metric", BAD[b]);
        assert_int_equal(search_again(&again, PT_LABEL_RANKING, "kendall-tau", 5, &err),
                         PT_EFORMAT);
    }
    change_file(" metric", "1"); /* it is believed */
    small_must(search_again(&again, PT_LABEL_RANKING, "kendall-tau", 5, &err), &err, "changed");
    assert_true(pt_report_number_at(again, "values", 0, 0, 0) == 1);
    pt_report_free(again);
    unlink(file);
}

/* Labels of two sets differ in one item: a checkpoint tells them apart, for every kind. */
static void test_search__checkpoints_tell_labels_apart(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    for (int kind = PT_LABEL_SET; kind <= PT_LABEL_PAIRS; kind++) {
        pt_report *search = NULL;
        unlink(file);
        small_must(search_again(&search, (pt_label_kind)kind, NULL, 5, &err), &err, "first");
        pt_report_free(search);
        assert_int_equal(search_again(&search, (pt_label_kind)kind, NULL, 8, &err), PT_EINVAL);
        assert_non_null(strstr(err.text, "other data"));
    }
    unlink(file);
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* The test rows with one more class in front of the others' names, so that numbers differ. */
static pt_labels *renamed(const pt_labels *labels)
{
    pt_error err = PT_ERROR_INIT;
    pt_labels *out = NULL;
    pt_texts names = {NULL, 0, 0};
    small_must(pt_texts_copy(&names, &labels->classes, &err), &err, "names");
    small_must(pt_texts_add(&names, &err, "-1"), &err, "names");
    small_must(pt_labels_from_items(&out, labels->kind, labels->n, labels->start, labels->item,
                                    labels->rank, &names, NULL, &err),
               &err, "labels");
    pt_texts_free(&names);
    return out;
}

static void test_mcnemar__counts_who_is_right(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const char *const OPTIONS[] = {"machine=constraint,C=0.001", "machine=constraint,C=1"};
    for (int kind = PT_LABEL_SET; kind <= PT_LABEL_PAIRS; kind++) {
        labelled l = labelled_rows((pt_label_kind)kind, 120, 3, 4, 0.3, 11);
        pt_dataset *all = dataset_of(&l, l.labels);
        l.labels = NULL;
        int64_t rows[120];
        for (int64_t i = 0; i < 120; i++)
            rows[i] = i;
        pt_dataset *train = NULL;
        pt_dataset *test = NULL;
        small_must(pt_dataset_subset(&train, all, rows, 60, NULL, &err), &err, "rows");
        small_must(pt_dataset_subset(&test, all, rows + 60, 60, NULL, &err), &err, "rows");
        pt_labels *original = test->labels;
        test->labels = renamed(original);
        pt_params *params[] = {small_params(OPTIONS[0]), small_params(OPTIONS[1])};
        pt_report *mcnemar = NULL;
        small_must(
            pt_compare(&mcnemar, train, test, (const pt_params *const *)params, 2, NULL, &err),
            &err, "mcnemar");
        for (int64_t m = 0; m < 2; m++) {
            pt_model *model = NULL;
            pt_prediction *p = NULL;
            pt_report *e = NULL;
            small_must(pt_model_train(&model, train, params[m], NULL, &err), &err, "train");
            small_must(pt_model_predict(&p, model, test, -1, NULL, &err), &err, "predict");
            small_must(pt_model_evaluate(&e, model, test, p, NULL, NULL, &err), &err, "evaluate");
            int64_t wrong = 0;
            int64_t asked = 0;
            for (int64_t i = 0; i < 60; i++)
                if (pt_labels_has(original, i)) {
                    asked++;
                    wrong += !pt_label_is_right(original, i, pt_prediction_scores(p) + i * 4);
                }
            assert_true(wrong > 0 && wrong < asked);
            assert_int_equal(pt_report_integer(mcnemar, "n_examples"), asked);
            assert_true(pt_report_number_at(mcnemar, "error", m, 0, 0) ==
                        (double)wrong / (double)asked);
            assert_true(pt_report_number(e, "error") == (double)wrong / (double)asked);
            assert_int_equal(pt_report_length(e, "class"), 4); /* nobody names the fifth */
            pt_report_free(e);
            pt_prediction_free(p);
            pt_model_free(model);
        }
        pt_report_free(mcnemar);
        pt_labels_free(original);
        pt_params_free(params[0]);
        pt_params_free(params[1]);
        pt_dataset_free(test);
        pt_dataset_free(train);
        pt_dataset_free(all);
        labelled_free(&l);
    }
}

static void test_mcnemar__refuses_labels_of_another_kind(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *sets = random_data(PT_LABEL_SET, 30, 0.1, 1);
    pt_dataset *rankings = random_data(PT_LABEL_RANKING, 30, 0.1, 1);
    pt_params *params[] = {small_params("machine=constraint"), small_params("machine=constraint")};
    pt_report *mcnemar = NULL;
    assert_int_equal(
        pt_compare(&mcnemar, sets, rankings, (const pt_params *const *)params, 2, NULL, &err),
        PT_EINVAL);
    assert_non_null(strstr(err.text, "of kind 'ranking'"));
    /* a metric that nothing is chosen by */
    small_must(pt_params_set(params[1], "metric", "hamming-loss", &err), &err, "metric");
    assert_int_equal(
        pt_compare(&mcnemar, sets, sets, (const pt_params *const *)params, 2, NULL, &err),
        PT_EINVAL);
    assert_non_null(strstr(err.text, "`grid"));
    pt_params_free(params[0]);
    pt_params_free(params[1]);
    pt_dataset_free(rankings);
    pt_dataset_free(sets);
}

/* Every row is asked about once in each replication, and a machine does not differ from itself. */
static void test_comparison__takes_every_kind(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    for (int kind = PT_LABEL_SET; kind <= PT_LABEL_PAIRS; kind++) {
        pt_dataset *data = random_data((pt_label_kind)kind, 80, 0.3, 21);
        pt_params *params[] = {small_params("machine=constraint,C=1"),
                               small_params("machine=constraint,C=1"), params_of(NULL)};
        if (kind == PT_LABEL_SET)
            small_must(pt_params_set(params[2], "metric", "micro-f1", &err), &err, "metric");
        pt_report *c = NULL;
        small_must(pt_compare(&c, data, NULL, (const pt_params *const *)params, 3, NULL, &err),
                   &err, "compare");
        assert_true(pt_report_number_at(c, "f", 0, 0, 0) == 0);
        for (int64_t r = 0; r < 5; r++)
            for (int64_t half = 0; half < 2; half++) {
                const double error = pt_report_number_at(c, "errors", 0, r, half);
                assert_true(error > 0 && error < 1);
                assert_true(strncmp(pt_report_text_at(c, "chosen", 2, r, half), "C=", 2) == 0);
            }
        pt_report_free(c);
        for (int m = 0; m < 3; m++)
            pt_params_free(params[m]);
        pt_dataset_free(data);
    }
}

/* ---- models of sets -------------------------------------------------------------------------- */

static void test_model__of_sets_has_true_probabilities(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = random_data(PT_LABEL_SET, 400, 0.8, 31);
    double error[2] = {0, 0};
    for (int calibrated = 0; calibrated < 2; calibrated++) {
        pt_params *params = small_params("machine=constraint,C=0.1");
        small_must(pt_params_set(params, "calibrate", calibrated ? "yes" : "no", &err), &err, "");
        pt_model *model = NULL;
        pt_prediction *p = NULL;
        pt_report *e = NULL;
        small_must(pt_model_train(&model, data, params, NULL, &err), &err, "train");
        small_must(pt_model_predict(&p, model, data, -1, NULL, &err), &err, "predict");
        small_must(pt_model_evaluate(&e, model, data, p, NULL, NULL, &err), &err, "evaluate");
        error[calibrated] = pt_report_number(e, "log_loss");
        double *proba = calloc(400 * 4, sizeof *proba);
        small_must(pt_prediction_proba(p, proba, &err), &err, "proba");
        for (int64_t i = 0; i < 400; i++) {
            int64_t set[4];
            const int64_t count = pt_prediction_set(p, i, set, 4);
            int64_t above = 0;
            for (int64_t r = 0; r < 4; r++)
                above += proba[i * 4 + r] > 0.5;
            assert_int_equal(above, count);
        }
        free(proba);
        pt_report_free(e);
        pt_prediction_free(p);
        pt_model_free(model);
        pt_params_free(params);
    }
    assert_true(error[1] < error[0]);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search__chooses_by_every_metric),
        cmocka_unit_test(test_search__metrics_are_kept),
        cmocka_unit_test(test_search__checkpoints_tell_labels_apart),
        cmocka_unit_test(test_mcnemar__counts_who_is_right),
        cmocka_unit_test(test_mcnemar__refuses_labels_of_another_kind),
        cmocka_unit_test(test_comparison__takes_every_kind),
        cmocka_unit_test(test_model__of_sets_has_true_probabilities),
    };
    const int fd = mkstemp(file);
    if (fd < 0)
        return 1;
    close(fd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
