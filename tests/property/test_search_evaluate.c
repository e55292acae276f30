/* What held-out scores of a search say: the error that the search counted, each row once in each
 * repetition, the confusion of a count by hand, probabilities as true as the metric says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "polytomy/experimental.h"

enum { N = 90, K = 3 };

/* Some rows have no label, some no weight. */
static pt_dataset *make(void)
{
    small s = small_clouds(N, 2, K, 9);
    pt_error err = PT_ERROR_INIT;
    double weight[N];
    for (int64_t i = 0; i < N; i++) {
        weight[i] = i % 11 != 3;
        s.y[i] = i % 13 == 5 ? -1 : s.y[i];
    }
    static const char *const NAMES[] = {"a", "b", "c"};
    pt_dataset *data = small_dataset(&s);
    small_must(pt_dataset_set_classes(data, PT_I64, s.y, NAMES, K, &err), &err, "classes");
    const pt_dense column = {PT_F64, weight, N, 1, 1, 1};
    small_must(pt_dataset_set_role(data, "weight", &column, &err), &err, "weights");
    small_free(&s);
    return data;
}

static void evaluate(pt_report **search, pt_report **evaluation, const pt_dataset *data,
                     const char *words)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(words);
    const pt_params *one = params;
    small_must(pt_cross_validate(search, NULL, data, &one, 1, NULL, &err), &err, words);
    small_must(pt_search_evaluate(evaluation, *search, data, NULL, NULL, &err), &err, words);
    pt_params_free(params);
}

/* The confusion of the scores by hand, and the rows they belong to. */
static void check(const pt_dataset *data, const char *words, int64_t never)
{
    pt_report *search = NULL;
    pt_report *e = NULL;
    evaluate(&search, &e, data, words);
    const int64_t n = pt_report_integer(search, "n_examples");
    const int64_t repeats = pt_report_integer(search, "n_repeats");
    const int64_t best = pt_report_integer(search, "best");
    int64_t confusion[K][K] = {{0}};
    int64_t rows = 0;
    int64_t wrong = 0;
    for (int64_t t = 0; t < repeats; t++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t row = pt_report_integer_at(search, "row", i, 0, 0);
            const int64_t truth = pt_dataset_class(data, row);
            int64_t said = 0;
            assert_true(truth >= 0);
            assert_true(i == 0 || row > pt_report_integer_at(search, "row", i - 1, 0, 0));
            if (isnan(pt_report_number_at(search, "scores", t, i, 0)))
                continue;
            for (int64_t r = 1; r < K; r++)
                if (pt_report_number_at(search, "scores", t, i, r) >
                    pt_report_number_at(search, "scores", t, i, said))
                    said = r;
            confusion[truth][said]++;
            rows++;
            wrong += truth != said;
        }
    assert_int_equal(rows, repeats * (n - never));
    assert_int_equal(pt_report_integer(e, "n_examples"), rows);
    assert_float_equal(pt_report_number(e, "error"), (double)wrong / (double)rows, 1e-12);
    assert_float_equal(pt_report_number(e, "error"),
                       pt_report_number_at(search, "error", best, 0, 0), 1e-12);
    for (int64_t r = 0; r < K; r++) {
        int64_t all = 0;
        for (int64_t c = 0; c < K; c++) {
            assert_int_equal(pt_report_integer_at(e, "confusion", r, c, 0), confusion[r][c]);
            all += confusion[r][c];
        }
        assert_int_equal(pt_report_integer_at(e, "count", r, 0, 0), all);
        assert_float_equal(pt_report_number_at(e, "recall", r, 0, 0),
                           (double)confusion[r][r] / (double)all, 1e-12);
        assert_string_equal(pt_report_text_at(search, "class", r, 0, 0),
                            pt_dataset_class_name(data, r));
    }
    pt_report_free(e);
    pt_report_free(search);
}

static void test_search_evaluate__counts_each_held_out_row(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = make();
    check(data, "machine=tree,folds=4", 0);
    check(data, "machine=tree,folds=4,repeat=3", 0);
    check(data, "machine=onelsm,loo=yes,grid={sigma=0.5:4},ridge=0.1", 0);
    check(data, "machine=onelsm,folds=5,repeat=2,grid={sigma=0.5:4},ridge=0.1", 0);
    check(data, "machine=onelsm,folds=5,sigma=1,ridge=0.1,metric=brier", 0);
    int64_t fold[N];
    int64_t never = 0;
    for (int64_t i = 0; i < N; i++) {
        fold[i] = i % 4 - 1;
        never += fold[i] < 0 && i % 11 != 3 && i % 13 != 5;
    }
    const pt_dense column = {PT_I64, fold, N, 1, 1, 1};
    small_must(pt_dataset_set_role(data, "fold", &column, &err), &err, "folds");
    check(data, "machine=onelsm,sigma=1,ridge=0.1", never);
    check(data, "machine=tree,metric=log-loss", never);
    pt_dataset_free(data);
}

static void test_search_evaluate__probabilities_are_those_of_the_metric(void **state)
{
    (void)state;
    static const char *const WORDS[] = {
        "machine=onelsm,folds=4,sigma=1,ridge=0.1,metric=",
        "machine=onelsm,folds=4,repeat=2,grid={sigma=0.5:2},ridge=0.1,metric=",
        "machine=tree,folds=3,metric="};
    static const char *const METRICS[][2] = {
        {"log-loss", "log_loss"}, {"brier", "brier"}, {"auc-ovr", "auc_ovr"}};
    pt_dataset *data = make();
    for (size_t w = 0; w < sizeof WORDS / sizeof *WORDS; w++)
        for (size_t m = 0; m < sizeof METRICS / sizeof *METRICS; m++) {
            char words[200];
            pt_report *search = NULL;
            pt_report *e = NULL;
            snprintf(words, sizeof words, "%s%s", WORDS[w], METRICS[m][0]);
            evaluate(&search, &e, data, words);
            const int64_t n = pt_report_integer(search, "n_examples");
            for (int64_t i = 0; i < n; i++) {
                double sum = 0;
                for (int64_t r = 0; r < K; r++)
                    sum += pt_report_number_at(search, "probabilities", 0, i, r);
                assert_float_equal(sum, 1, 1e-9);
            }
            /* areas of two repetitions together are no mean of theirs */
            const bool same = m < 2 || pt_report_integer(search, "n_repeats") == 1;
            if (same)
                assert_float_equal(
                    pt_report_number(e, METRICS[m][1]),
                    pt_report_number_at(search, "value", pt_report_integer(search, "best"), 0, 0),
                    1e-9);
            assert_false(isnan(pt_report_number(e, "calibration_error")));
            pt_report_free(e);
            pt_report_free(search);
        }
    pt_report *search = NULL;
    pt_report *e = NULL;
    evaluate(&search, &e, data, "machine=tree,folds=3");
    assert_null(pt_report_find(search, "probabilities"));
    assert_null(pt_report_find(e, "calibration_error"));
    pt_report_free(e);
    pt_report_free(search);
    pt_dataset_free(data);
}

static void test_search_evaluate__of_sets_and_rankings(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    static const char *const KINDS[] = {"set", "ranking"};
    static const char *const CELLS[][3] = {{"a;b", "b", "c;a"}, {"a>b>c", "b>c>a", "c>a>b"}};
    for (int kind = 0; kind < 2; kind++) {
        small s = small_clouds(N, 2, K, 9);
        const char *cells[N];
        pt_dataset *data = small_dataset(&s);
        pt_report *search = NULL;
        pt_report *e = NULL;
        for (int64_t i = 0; i < N; i++)
            cells[i] = CELLS[kind][i % K];
        small_must(pt_dataset_set_label_cells(data, KINDS[kind], cells, &err), &err, "labels");
        evaluate(&search, &e, data, "machine=rank-ls,folds=4,sigma=1,ridge=0.1");
        assert_float_equal(pt_report_number(e, "error"),
                           pt_report_number_at(search, "error", 0, 0, 0), 1e-12);
        assert_string_equal(pt_report_text(e, "labels"), KINDS[kind]);
        assert_int_equal(pt_report_find(e, "recall") != NULL, kind == 0);
        pt_report_free(e);
        pt_report_free(search);
        pt_dataset_free(data);
        small_free(&s);
    }
}

static void test_search_evaluate__refuses_what_is_no_search(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = make();
    pt_dataset *few = NULL;
    pt_report *search = NULL;
    pt_report *e = NULL;
    static const int64_t ROWS[] = {0, 1, 2};
    evaluate(&search, &e, data, "machine=tree,folds=3");
    small_must(pt_dataset_rows(&few, data, ROWS, 3, &err), &err, "rows");
    pt_report *none = NULL;
    assert_int_equal(pt_search_evaluate(&none, e, data, NULL, NULL, &err), PT_EINVAL);
    assert_int_equal(pt_search_evaluate(&none, search, few, NULL, NULL, &err), PT_EINVAL);
    assert_null(none);
    pt_report_free(e);
    pt_report_free(search);
    pt_dataset_free(few);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search_evaluate__counts_each_held_out_row),
        cmocka_unit_test(test_search_evaluate__probabilities_are_those_of_the_metric),
        cmocka_unit_test(test_search_evaluate__of_sets_and_rankings),
        cmocka_unit_test(test_search_evaluate__refuses_what_is_no_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
