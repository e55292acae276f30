/* Decisions against brute force: least costs, rejection, conformal sets, thresholds of sets; and
 * that they stay the same in a file, in parts, and on any number of threads. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "metrics/label_judge.h"
#include "model/model.h"
#include "validate/probability/conformity.h"
#include "validate/probability/thresholds.h"

enum { N = 240, D = 3, K = 4, MOST = 400 };

/* ---- problems -------------------------------------------------------------------------------- */

static const char OPTIONS[] = "machine=onelsm,kernel=rbf,sigma=1,ridge=0.1";
static const char SETS[] = "machine=rank-ls,kernel=rbf,sigma=1,ridge=0.1";

static pt_dataset *clouds(int64_t n, uint64_t seed)
{
    small s = small_clouds(n, D, K, seed);
    pt_dataset *data = small_dataset(&s);
    small_free(&s);
    return data;
}

/* Sets of classes that lean on hidden linear functions; some rows have none. */
static pt_dataset *sets_of(int64_t n, uint64_t seed)
{
    static const double U[K][D] = {{1, 0, 0.5}, {-1, 1, 0}, {0, -1, 1}, {0.3, 0.3, -1}};
    pt_error err = PT_ERROR_INIT;
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 1);
    double *x = calloc((size_t)(n * D), sizeof *x);
    char(*text)[40] = calloc((size_t)n, sizeof *text);
    const char **cells = calloc((size_t)n, sizeof *cells);
    assert_true(x && text && cells);
    for (int64_t i = 0; i < n; i++) {
        for (int f = 0; f < D; f++)
            x[i * D + f] = pt_random_normal(&random);
        for (int r = 0; r < K; r++) {
            double worth = 0.7 * pt_random_normal(&random) - 0.6;
            for (int f = 0; f < D; f++)
                worth += U[r][f] * x[i * D + f];
            if (worth > 0 || i == r) /* every class is in some set */
                snprintf(text[i] + strlen(text[i]), 8, "%sc%d", text[i][0] ? ";" : "", r);
        }
        cells[i] = text[i];
    }
    pt_dataset *data = NULL;
    small_must(dataset_from_f64(&data, x, n, D, D, &err), &err, "rows");
    small_must(pt_dataset_set_label_cells(data, "set", cells, &err), &err, "sets");
    free(cells);
    free(text);
    free(x);
    return data;
}

static double *proba_of(const pt_prediction *p)
{
    pt_error err = PT_ERROR_INIT;
    double *proba = calloc((size_t)(p->n * p->k) + 1, sizeof *proba);
    assert_non_null(proba);
    small_must(pt_prediction_proba(p, proba, &err), &err, "probabilities");
    return proba;
}

static void decide(pt_prediction *p, const pt_model *model, const pt_params *params)
{
    pt_error err = PT_ERROR_INIT;
    small_must(pt_prediction_decide(p, model, params, &err), &err, "decide");
}

static void set_costs(pt_params *params, const double *costs, int64_t columns)
{
    pt_error err = PT_ERROR_INIT;
    const pt_dense array = {PT_F64, costs, K, columns, 0, 0};
    small_must(pt_params_set_array(params, "costs", &array, &err), &err, "costs");
}

/* ---- costs and rejection --------------------------------------------------------------------- */

/* Costs of whole numbers; a last column where there is rejecting. */
static void draw_costs(pt_random *random, double *costs, int64_t columns)
{
    for (int64_t r = 0; r < K; r++)
        for (int64_t s = 0; s < columns; s++)
            costs[r * columns + s] = s == r   ? 0
                                     : s == K ? 0.25 * (double)pt_random_below(random, 12)
                                              : (double)pt_random_below(random, 20);
}

static void test_decide__costs_are_least(void **state)
{
    (void)state;
    pt_dataset *data = clouds(N, 1);
    pt_model *model = small_train(data, OPTIONS, 1);
    pt_prediction *p = small_predict(model, data, 1);
    double *proba = proba_of(p);
    pt_random random;
    pt_random_init(&random, 5, PT_RANDOM_TEST, 0);
    int64_t rejected = 0;
    int64_t changed = 0;
    for (int round = 0; round < 40; round++) {
        const int64_t columns = K + round % 2;
        double costs[K * (K + 1)];
        draw_costs(&random, costs, columns);
        pt_params *params = small_params("threads=1");
        set_costs(params, costs, columns);
        decide(p, model, params);
        for (int64_t i = 0; i < N; i++) {
            long double expected[K + 1] = {0};
            for (int64_t s = 0; s < columns; s++)
                for (int64_t r = 0; r < K; r++)
                    expected[s] += (long double)proba[i * K + r] * costs[r * columns + s];
            const int64_t label = pt_prediction_labels(p)[i];
            const int64_t said = label < 0 ? K : label;
            assert_true(label >= 0 ? label < K : columns == K + 1);
            for (int64_t s = 0; s < columns; s++)
                assert_true(expected[said] <= expected[s] + 1e-13L);
            rejected += label < 0;
            changed += label >= 0 && label != small_argmax(p->scores + i * K, K);
        }
        pt_params_free(params);
    }
    assert_true(rejected > 100 && changed > 100); /* it was about something */
    free(proba);
    pt_prediction_free(p);
    pt_model_free(model);
    pt_dataset_free(data);
}

/* Costs of 1 are the error: least for the most probable class. With rejecting at c a row is
 * rejected where that has less than 1 - c (Chow 1970), which is what `reject` says. */
static void test_decide__costs_of_one_are_the_error(void **state)
{
    (void)state;
    pt_dataset *data = clouds(N, 2);
    pt_model *model = small_train(data, OPTIONS, 1);
    pt_prediction *p = small_predict(model, data, 1);
    pt_prediction *plain = small_predict(model, data, 1);
    double *proba = proba_of(p);
    double equal[K * K];
    double chow[K * (K + 1)];
    const double c = 0.3;
    for (int r = 0; r < K; r++)
        for (int s = 0; s <= K; s++) {
            chow[r * (K + 1) + s] = s == K ? c : s != r;
            if (s < K)
                equal[r * K + s] = s != r;
        }
    pt_params *params = small_params("threads=1");
    set_costs(params, equal, K);
    decide(p, model, params);
    assert_memory_equal(p->labels, plain->labels, N * sizeof *p->labels);

    set_costs(params, chow, K + 1);
    decide(p, model, params);
    pt_params *reject = small_params("reject=0.7");
    decide(plain, model, reject);
    int64_t rejected = 0;
    for (int64_t i = 0; i < N; i++) {
        const int64_t best = small_argmax(p->scores + i * K, K);
        assert_true(fabs(proba[i * K + best] - 0.7) > 1e-9); /* no tie, else choose other clouds */
        const int64_t expected = proba[i * K + best] < 0.7 ? -1 : best;
        assert_int_equal(p->labels[i], expected);
        assert_int_equal(plain->labels[i], expected);
        int64_t one[K];
        assert_int_equal(pt_prediction_set(p, i, one, K), expected >= 0);
        rejected += expected < 0;
    }
    assert_true(rejected > 0 && rejected < N);
    pt_report *report = NULL;
    pt_error err = PT_ERROR_INIT;
    small_must(pt_prediction_report(&report, plain, &err), &err, "report");
    assert_string_equal(pt_report_text(report, "decided"), "reject");
    assert_int_equal(pt_report_integer(report, "n_rejected"), rejected);
    pt_report_free(report);
    pt_params_free(reject);
    pt_params_free(params);
    free(proba);
    pt_prediction_free(plain);
    pt_prediction_free(p);
    pt_model_free(model);
    pt_dataset_free(data);
}

/* ---- conformity ------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The ceil((m + 1) c)-th smallest of those of one class, row by row as often as it weighs. c is
 * `parts` of 1000, for arithmetic without rounding. */
static double naive_cut(const pt_conformity *c, int64_t parts, int64_t class_index)
{
    static double score[MOST * 8];
    int64_t m = 0;
    for (int64_t j = 0; j < c->n; j++)
        for (int copy = 0; copy < (c->weight ? (int)c->weight[j] : 1); copy++)
            if (class_index < 0 || c->class_of[j] == class_index)
                score[m++] = c->score[j];
    qsort(score, (size_t)m, sizeof *score, ascending);
    const int64_t place = ((m + 1) * parts + 999) / 1000;
    return place > m ? INFINITY : score[place - 1];
}

static void test_conformity__cut_is_the_quantile(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 6, PT_RANDOM_TEST, 0);
    double score[MOST];
    double weight[MOST];
    int64_t class_of[MOST];
    int64_t few = 0;
    for (int round = 0; round < 3000; round++) {
        const int64_t n = 1 + pt_random_below(&random, round % 3 ? 60 : MOST);
        for (int64_t j = 0; j < n; j++) {
            score[j] = (double)pt_random_below(&random, 50) / 50;
            class_of[j] = pt_random_below(&random, 3);
            weight[j] = (double)(1 + pt_random_below(&random, 7));
        }
        qsort(score, (size_t)n, sizeof *score, ascending);
        const pt_conformity c = {n, score, class_of, round % 2 ? weight : NULL};
        const int64_t parts = 1 + pt_random_below(&random, 999);
        for (int64_t r = PT_ALL_CLASSES; r < 3; r++) {
            const double naive = naive_cut(&c, parts, r);
            const double cut = pt_conformity_cut(&c, (double)parts / 1000, r);
            if (!(cut == naive))
                fail_msg("n %lld, class %lld, %lld of 1000: %g in place of %g", (long long)n,
                         (long long)r, (long long)parts, cut, naive);
            few += isinf(cut);
        }
    }
    assert_true(few > 10);
}

/* 1 - p of the class of each row, in order; that of a row of weight w as that of w rows; no more
 * rows than are kept, from all over. */
static void test_conformity__of_held_out_rows(void **state)
{
    (void)state;
    enum { MANY = 3 * PT_CONFORMITY_ROWS };
    static double scores[MANY * 2];
    static int64_t truth[MANY];
    static double weight[MANY];
    pt_error err = PT_ERROR_INIT;
    const pt_calibration calibration = {2, 1, 0, 0, 0.01, false, NULL};
    for (int64_t i = 0; i < MANY; i++) {
        scores[2 * i] = (double)((i * 37) % MANY) / MANY;
        truth[i] = i % 2;
        weight[i] = 1 + i % 3;
    }
    pt_held_out_scores held_out = {.scores = scores, .class_of = truth, .n = 100, .k = 2};
    pt_conformity c = {0};
    small_must(pt_conformity_make(&c, &calibration, &held_out, NULL, &err), &err, "make");
    assert_int_equal(c.n, 100);
    assert_null(c.weight);
    double sum = 0;
    double expected = 0;
    for (int64_t i = 0; i < 100; i++) { /* p by a calibration of the rows of other folds */
        pt_calibration others = pt_uncalibrated(100, false);
        static double kept[200];
        static int64_t kept_truth[100];
        int64_t n = 0;
        double p[2];
        for (int64_t j = 0; j < 100; j++)
            if (j % 5 != i % 5) {
                memcpy(kept + 2 * n, scores + 2 * j, 2 * sizeof *kept);
                kept_truth[n++] = truth[j];
            }
        const pt_held_out_scores rest = {.scores = kept, .class_of = kept_truth, .n = n, .k = 2};
        small_must(pt_calibrate(&others, &rest, &err), &err, "the others");
        others.floor = calibration.floor;
        pt_class_probabilities(&others, NULL, scores + 2 * i, 2, p);
        pt_calibration_free(&others);
        expected += (1 + (double)truth[i]) * (1 - p[truth[i]]);
        sum += (1 + (double)c.class_of[i]) * c.score[i];
        assert_true(i == 0 || c.score[i] >= c.score[i - 1]);
    }
    if (!(fabs(sum - expected) < 1e-4)) /* what searches for the numbers leave open */
        fail_msg("%.17g in place of %.17g", sum, expected);
    pt_conformity_free(&c);

    held_out.weight = weight;
    small_must(pt_conformity_make(&c, &calibration, &held_out, NULL, &err), &err, "weights");
    double all = 0;
    for (int64_t j = 0; j < c.n; j++)
        all += c.weight[j];
    assert_true(fabs(all - 199) < 1e-9); /* 1 + 2 + 3 + 1 + ... of 100 rows */
    pt_conformity_free(&c);

    for (int64_t i = 0; i < MANY; i++)
        weight[i] = 0.1; /* whose unit says nothing: as many rows as there are */
    small_must(pt_conformity_make(&c, &calibration, &held_out, NULL, &err), &err, "equal weights");
    for (int64_t j = 0; j < c.n && c.weight; j++)
        assert_true(fabs(c.weight[j] - 1) < 1e-12);
    pt_conformity_free(&c);

    weight[0] = weight[7] = 0;
    small_must(pt_conformity_make(&c, &calibration, &held_out, NULL, &err), &err, "absent rows");
    assert_int_equal(c.n, 98);
    pt_conformity_free(&c);

    held_out.weight = NULL;
    held_out.n = MANY;
    small_must(pt_conformity_make(&c, &calibration, &held_out, NULL, &err), &err, "many");
    assert_int_equal(c.n, PT_CONFORMITY_ROWS);
    int64_t ones = 0;
    for (int64_t j = 0; j < c.n; j++)
        ones += c.class_of[j];
    assert_true(ones > PT_CONFORMITY_ROWS / 3 && ones < 2 * PT_CONFORMITY_ROWS / 3);
    pt_conformity_free(&c);
}

/* Of many rows, too, a calibration without a fold knows nothing of its classes. */
static void test_calibrations__do_not_know_their_fold(void **state)
{
    (void)state;
    enum { ROWS = 3000, CLASSES = 4, PARTS = 5 };
    static double scores[ROWS * CLASSES];
    static int64_t truth[ROWS];
    pt_error err = PT_ERROR_INIT;
    for (int64_t i = 0; i < ROWS; i++) {
        truth[i] = (i * i) % CLASSES;
        for (int64_t r = 0; r < CLASSES; r++)
            scores[i * CLASSES + r] =
                sin((double)(i * CLASSES + r) * 1.7) + (r == truth[i] ? 0.8 : 0);
    }
    const pt_held_out_scores held_out = {
        .scores = scores, .class_of = truth, .n = ROWS, .k = CLASSES};
    pt_calibration whole = pt_uncalibrated(ROWS, false);
    pt_calibration own[2][PARTS];
    small_must(pt_calibrate(&whole, &held_out, &err), &err, "all");
    for (int changed = 0; changed < 2; changed++) {
        for (int64_t i = 0; changed && i < ROWS; i += PARTS)
            truth[i] = (truth[i] + 1) % CLASSES;
        small_must(pt_calibrate_folds(own[changed], PARTS, &whole, &held_out, NULL, &err), &err,
                   "folds");
    }
    for (int f = 0; f < PARTS; f++)
        for (int64_t r = 0; r < CLASSES; r++) {
            const pt_said a = own[0][f].said[r];
            const pt_said b = own[1][f].said[r];
            const bool same = memcmp(&a, &b, sizeof a) == 0;
            assert_true(same == (f == 0));
            assert_true(f > 0 || own[0][f].temperature == own[1][f].temperature);
        }
    pt_calibration_free(&whole);
    for (int f = 0; f < 2 * PARTS; f++)
        pt_calibration_free(&own[f / PARTS][f % PARTS]);
}

/* ---- sets that cover ------------------------------------------------------------------------- */

static void expect_sets(const pt_model *model, pt_prediction *p, const char *options, double c,
                        bool by_class)
{
    double *proba = proba_of(p);
    pt_params *params = small_params(options);
    decide(p, model, params);
    const int64_t k = p->k;
    const bool classes = p->label_kind == PT_LABEL_CLASS;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t set[K];
        int64_t expected[K];
        int64_t size = 0;
        for (int64_t r = 0; r < k; r++)
            if (1 - proba[i * k + r] <= pt_conformity_cut(&model->conformity, c, by_class ? r : -1))
                expected[size++] = r;
        if (size == 0 && classes)
            expected[size++] = small_argmax(p->scores + i * k, k);
        assert_int_equal(pt_prediction_set(p, i, set, K), size);
        assert_memory_equal(set, expected, (size_t)size * sizeof *set);
        assert_int_equal(p->labels[i], small_argmax(p->scores + i * k, k));
    }
    pt_params_free(params);
    free(proba);
}

static void test_decide__sets_are_those_of_the_cuts(void **state)
{
    (void)state;
    pt_dataset *data = clouds(N, 3);
    pt_model *model = small_train(data, OPTIONS, 1);
    pt_prediction *p = small_predict(model, data, 1);
    assert_int_equal(model->conformity.n, N);
    expect_sets(model, p, "coverage=0.9", 0.9, false);
    expect_sets(model, p, "coverage=0.5", 0.5, false);
    expect_sets(model, p, "coverage=0.2", 0.2, false); /* with sets that would be empty */
    expect_sets(model, p, "coverage=0.9,coverage-by=class", 0.9, true);
    assert_int_equal(pt_prediction_n_warnings(p), 0);
    expect_sets(model, p, "coverage=0.999,coverage-by=class", 0.999, true);
    assert_int_equal(pt_prediction_n_warnings(p), 1);
    expect_sets(model, p, "coverage=0.999", 0.999, false);
    assert_int_equal(pt_prediction_n_warnings(p), 2);
    pt_params *none = small_params("threads=1");
    decide(p, model, none); /* undone */
    int64_t set[K];
    assert_int_equal(pt_prediction_set(p, 0, set, K), 1);
    assert_int_equal(set[0], p->labels[0]);
    pt_params_free(none);
    pt_prediction_free(p);
    pt_model_free(model);
    pt_dataset_free(data);

    data = sets_of(N, 3);
    model = small_train(data, SETS, 1);
    p = small_predict(model, data, 1);
    expect_sets(model, p, "coverage=0.9", 0.9, false);
    expect_sets(model, p, "coverage=0.3", 0.3, false);
    pt_prediction_free(p);
    pt_model_free(model);
    pt_dataset_free(data);
}

/* How many of the rows of other data have all their classes in the set. */
static int64_t covered(const pt_model *model, const pt_dataset *data, const char *options,
                       int64_t *sizes)
{
    pt_prediction *p = small_predict(model, data, 1);
    pt_params *params = small_params(options);
    int64_t count = 0;
    decide(p, model, params);
    for (int64_t i = 0; i < p->n; i++) {
        int64_t set[K];
        bool in[K] = {false};
        const int64_t size = pt_prediction_set(p, i, set, K);
        for (int64_t c = 0; c < size; c++)
            in[set[c]] = true;
        const int64_t *item = NULL;
        const int64_t truth = pt_dataset_class(data, i);
        const bool classes = p->label_kind == PT_LABEL_CLASS;
        const int64_t members = classes ? 1 : pt_dataset_label_items(data, i, &item, NULL);
        bool all = true;
        for (int64_t c = 0; c < members; c++)
            all = all && in[classes ? truth : item[c]];
        count += all;
        *sizes += size;
    }
    pt_params_free(params);
    pt_prediction_free(p);
    return count;
}

static void expect_coverage(pt_dataset *(*make)(int64_t n, uint64_t seed), const char *options)
{
    enum { ROUNDS = 40, NEW = 400 };
    const double asked[] = {0.8, 0.95};
    for (int a = 0; a < 2; a++) {
        double sum = 0;
        double squares = 0;
        int64_t sizes = 0;
        char text[40];
        snprintf(text, sizeof text, "coverage=%g", asked[a]);
        pt_dataset *all = make(ROUNDS * (N + NEW), 11); /* one source, so that parts are alike */
        for (int round = 0; round < ROUNDS; round++) {
            pt_error err = PT_ERROR_INIT;
            int64_t rows[N + NEW];
            pt_dataset *train = NULL;
            pt_dataset *test = NULL;
            for (int64_t i = 0; i < N + NEW; i++)
                rows[i] = round * (N + NEW) + i;
            small_must(pt_dataset_rows(&train, all, rows, N, &err), &err, "train");
            small_must(pt_dataset_rows(&test, all, rows + N, NEW, &err), &err, "test");
            pt_model *model = small_train(train, options, 1);
            const double share = (double)covered(model, test, text, &sizes) / NEW;
            sum += share;
            squares += share * share;
            pt_model_free(model);
            pt_dataset_free(test);
            pt_dataset_free(train);
        }
        pt_dataset_free(all);
        const double mean = sum / ROUNDS;
        const double error = sqrt((squares / ROUNDS - mean * mean) / (ROUNDS - 1));
        if (fabs(mean - asked[a]) > 3 * error + 1.0 / (N + 1))
            fail_msg("%s: %.4f are covered, standard error %.4f", text, mean, error);
        assert_true(sizes < ROUNDS * NEW * K); /* not by saying everything */
    }
}

static void test_decide__sets_cover_what_was_asked(void **state)
{
    (void)state;
    expect_coverage(clouds, OPTIONS);
    expect_coverage(sets_of, SETS);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void expect_refused(const pt_model *model, pt_prediction *p, const pt_params *params,
                           pt_status status, const char *words)
{
    pt_error err = PT_ERROR_INIT;
    const int64_t before = p->labels[0];
    if (pt_prediction_decide(p, model, params, &err) != status || !strstr(err.text, words))
        fail_msg("'%s' is no '%s'", err.text, words);
    assert_null(strchr(err.text, '\n'));
    assert_int_equal(p->labels[0], before);
}

static void expect_text_refused(const pt_model *model, pt_prediction *p, const char *options,
                                pt_status status, const char *words)
{
    pt_params *params = small_params(options);
    expect_refused(model, p, params, status, words);
    pt_params_free(params);
}

static void expect_costs_refused(const pt_model *model, pt_prediction *p, int64_t n, int64_t m,
                                 pt_status status, const char *words)
{
    static const double ZERO[(K + 2) * (K + 2)] = {0};
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params("threads=1");
    const pt_dense array = {PT_F64, ZERO, n, m, 0, 0};
    if (pt_params_set_array(params, "costs", &array, &err) == PT_OK)
        expect_refused(model, p, params, status, words);
    else
        assert_non_null(strstr(err.text, words));
    pt_params_free(params);
}

static void test_decide__refuses_what_means_nothing(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(N, 4);
    pt_model *model = small_train(data, OPTIONS, 1);
    pt_prediction *p = small_predict(model, data, 1);
    expect_text_refused(model, p, "costs=nowhere.csv,reject=0.5", PT_EINVAL, "two rules");
    expect_text_refused(model, p, "coverage=0.9,reject=0.5", PT_EINVAL, "`reject` chooses one");
    expect_text_refused(model, p, "coverage=0.9,costs=a.csv", PT_EINVAL, "`costs` chooses one");
    expect_text_refused(model, p, "coverage-by=class", PT_EINVAL, "with `coverage` only");
    expect_text_refused(model, p, "costs=/nowhere/a.csv", PT_EIO, "cannot open");
    expect_costs_refused(model, p, K - 1, K - 1, PT_EINVAL, "for 3 classes, and there are 4");
    expect_costs_refused(model, p, K, K + 2, PT_EINVAL, "one more column");
    expect_costs_refused(model, p, K, K - 1, PT_EINVAL, "one more column");

    static const char *const SHARES[] = {"0", "1", "-0.5", "1.5", "nan", "x"};
    pt_params *params = small_params("threads=1");
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++) {
        assert_int_equal(pt_params_set(params, "coverage", SHARES[i], &err), PT_EINVAL);
        assert_non_null(strstr(err.text, "above 0 and below 1"));
        assert_int_equal(pt_params_set(params, "reject", SHARES[i], &err), PT_EINVAL);
    }
    pt_params_free(params);

    pt_model *raw =
        small_train(data, "machine=onelsm,kernel=rbf,sigma=1,ridge=0.1,calibrate=no", 1);
    expect_text_refused(raw, p, "coverage=0.9", PT_ENOSUPPORT, "train it again");
    pt_model_free(raw);

    pt_dataset *sets = sets_of(N, 4);
    pt_model *of_sets = small_train(sets, SETS, 1);
    pt_prediction *said = small_predict(of_sets, sets, 1);
    expect_text_refused(of_sets, p, "coverage=0.9", PT_EINVAL, "of another model");
    expect_text_refused(of_sets, said, "reject=0.9", PT_ENOSUPPORT, "are sets");
    expect_costs_refused(of_sets, said, K, K, PT_ENOSUPPORT, "are sets");
    expect_text_refused(of_sets, said, "coverage=0.9,coverage-by=class", PT_ENOSUPPORT, "are sets");
    of_sets->label_kind = said->label_kind = PT_LABEL_RANKING;
    expect_text_refused(of_sets, said, "coverage=0.9", PT_ENOSUPPORT, "no probabilities");
    expect_text_refused(of_sets, said, "reject=0.9", PT_ENOSUPPORT, "no probabilities");
    of_sets->label_kind = said->label_kind = PT_LABEL_SET;

    pt_model *none = NULL;
    assert_int_equal(small_try_train(&none, data, "thresholds=f1", 1, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "labels that are sets"));
    assert_int_equal(small_try_train(&none, sets, "thresholds=f1,calibrate=no", 1, &err),
                     PT_EINVAL);
    assert_non_null(strstr(err.text, "calibrate=no"));
    pt_params *search = small_params("machine=rank-ls,thresholds=f1");
    pt_report *report = NULL;
    assert_int_equal(
        pt_cross_validate(&report, NULL, sets, &(const pt_params *){search}, 1, NULL, &err),
        PT_EINVAL);
    assert_non_null(strstr(err.text, "cross-validation"));
    /* the column of rejecting is for decisions */
    static const double WIDE[K * (K + 1)] = {0};
    pt_params *spoc = small_params("machine=spoc,kernel=linear");
    set_costs(spoc, WIDE, K + 1);
    assert_int_equal(pt_model_train(&none, data, spoc, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "decisions only"));
    pt_params_free(spoc);
    pt_params_free(search);
    pt_prediction_free(said);
    pt_model_free(of_sets);
    pt_dataset_free(sets);
    pt_prediction_free(p);
    pt_model_free(model);
    pt_dataset_free(data);
}

/* ---- thresholds ------------------------------------------------------------------------------ */

static double f1_at(const double *scores, const bool *member, const double *weight, int64_t n,
                    int64_t k, double threshold)
{
    double right = 0;
    double both = 0;
    for (int64_t i = 0; i < n; i++) {
        const bool said = scores[i * k] > threshold;
        const double w = weight ? weight[i] : 1;
        right += said && member[i * k] ? w : 0;
        both += (said ? w : 0) + (member[i * k] ? w : 0);
    }
    return both > 0 ? 2 * right / both : 0;
}

/* No threshold is better, none as good is on the near side of 0, and without members it is 0. */
static void test_thresholds__have_the_largest_f1(void **state)
{
    (void)state;
    enum { LABELS = 3, MOST_ROWS = 40 };
    pt_random random;
    pt_random_init(&random, 8, PT_RANDOM_TEST, 0);
    pt_error err = PT_ERROR_INIT;
    for (int round = 0; round < 2000; round++) {
        const int64_t n = 1 + pt_random_below(&random, MOST_ROWS);
        double scores[MOST_ROWS * LABELS];
        double weight[MOST_ROWS];
        bool member[MOST_ROWS * LABELS];
        int64_t start[MOST_ROWS + 1] = {0};
        int64_t item[MOST_ROWS * LABELS];
        for (int64_t i = 0; i < n; i++) {
            start[i + 1] = start[i];
            weight[i] = (double)(1 + pt_random_below(&random, 3));
            for (int r = 0; r < LABELS; r++) {
                scores[i * LABELS + r] =
                    round % 2 ? pt_random_normal(&random) : (double)pt_random_below(&random, 7) - 3;
                member[i * LABELS + r] = r < 2 && pt_random_below(&random, 1 + round % 5) == 0;
                if (member[i * LABELS + r])
                    item[start[i + 1]++] = r;
            }
        }
        const pt_labels labels = {.kind = PT_LABEL_SET, .n = n, .start = start, .item = item};
        const pt_held_out_scores held_out = {.scores = scores,
                                             .sets = &labels,
                                             .weight = round % 3 ? NULL : weight,
                                             .n = n,
                                             .k = LABELS};
        double thresholds[LABELS];
        small_must(pt_thresholds_fit(thresholds, &held_out, &err), &err, "fit");
        assert_true(thresholds[2] == 0);
        for (int r = 0; r < LABELS; r++) {
            const double *w = held_out.weight;
            const double own = f1_at(scores + r, member + r, w, n, LABELS, thresholds[r]);
            const double zero = f1_at(scores + r, member + r, w, n, LABELS, 0);
            assert_true(zero < own || thresholds[r] == 0);
            for (int64_t i = 0; i < n; i++) {
                const double at = scores[i * LABELS + r];
                assert_true(f1_at(scores + r, member + r, w, n, LABELS, at) <= own);
                assert_true(f1_at(scores + r, member + r, w, n, LABELS, nextafter(at, -9)) <= own);
            }
        }
    }
}

/* What a model of sets with thresholds says: its scores are those without, less the thresholds,
 * wherever they are made. */
static void test_thresholds__are_taken_off_everywhere(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = sets_of(N, 5);
    pt_model *zero = small_train(data, SETS, 1);
    pt_model *f1 =
        small_train(data, "machine=rank-ls,kernel=rbf,sigma=1,ridge=0.1,thresholds=f1", 1);
    assert_null(zero->thresholds);
    assert_non_null(f1->thresholds);
    pt_prediction *before = small_predict(zero, data, 1);
    pt_prediction *after = small_predict(f1, data, 1);
    double moved = 0;
    for (int64_t r = 0; r < K; r++)
        moved += fabs(f1->thresholds[r]);
    assert_true(moved > 0.01);
    for (int64_t i = 0; i < N * K; i++)
        assert_true(after->scores[i] == before->scores[i] - f1->thresholds[i % K]);
    double *proba = proba_of(after);
    for (int64_t i = 0; i < N * K; i++)
        assert_true((proba[i] > 0.5) == (after->scores[i] > 0));
    free(proba);

    pt_scorer *scorer = NULL;
    small_must(pt_scorer_new(&scorer, f1, NULL, &err), &err, "scorer");
    for (int64_t i = 0; i < N; i += 17) {
        double row[D];
        double scores[K];
        small_must(pt_dataset_cells(data, i, 1, row, &err), &err, "cells");
        small_must(pt_scorer_f64(scorer, row, scores, NULL, NULL, &err), &err, "score");
        assert_memory_equal(scores, after->scores + i * K, sizeof scores);
    }
    pt_scorer_free(scorer);

    void *bytes = NULL;
    size_t size = 0;
    pt_model *loaded = NULL;
    small_must(pt_model_save_memory(&bytes, &size, f1, &err), &err, "save");
    small_must(pt_model_load_memory(&loaded, bytes, size, NULL, &err), &err, "load");
    assert_string_equal(pt_model_param(loaded, "thresholds"), "f1");
    pt_prediction *again = small_predict(loaded, data, 2);
    assert_memory_equal(again->scores, after->scores, N * K * sizeof(double));
    pt_prediction_free(again);
    pt_model_free(loaded);
    pt_bytes_free(bytes);
    pt_prediction_free(after);
    pt_prediction_free(before);
    pt_model_free(f1);
    pt_model_free(zero);
    pt_dataset_free(data);
}

/* ---- the same everywhere --------------------------------------------------------------------- */

static void expect_same_sets(const pt_prediction *a, const pt_prediction *b, int64_t first)
{
    for (int64_t i = 0; i < b->n; i++) {
        int64_t one[K] = {0};
        int64_t two[K] = {0};
        assert_int_equal(pt_prediction_set(a, first + i, one, K), pt_prediction_set(b, i, two, K));
        assert_memory_equal(one, two, sizeof one);
        assert_int_equal(a->labels[first + i], b->labels[i]);
    }
}

static const char *const RULES[] = {"reject=0.6", "coverage=0.9", "coverage=0.8,coverage-by=class"};

static void test_decide__same_bytes_on_any_threads_and_in_a_file(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    for (int sets = 0; sets < 2; sets++) {
        pt_dataset *data = sets ? sets_of(N, 7) : clouds(N, 7);
        const char *options =
            sets ? "machine=rank-ls,kernel=rbf,sigma=1,ridge=0.1,thresholds=f1" : OPTIONS;
        void *first = NULL;
        size_t size = 0;
        for (int threads = 1; threads <= 3; threads++) {
            void *bytes = NULL;
            size_t more = 0;
            pt_model *model = small_train(data, options, threads);
            pt_model *loaded = NULL;
            small_must(pt_model_save_memory(&bytes, &more, model, &err), &err, "save");
            small_must(pt_model_load_memory(&loaded, bytes, more, NULL, &err), &err, "load");
            assert_int_equal(loaded->conformity.n, N);
            for (int rule = sets; rule < (sets ? 2 : 3); rule++) {
                pt_params *params = small_params(RULES[rule]);
                pt_prediction *a = small_predict(model, data, 1);
                pt_prediction *b = small_predict(loaded, data, threads);
                decide(a, model, params);
                decide(b, loaded, params);
                expect_same_sets(a, b, 0);
                pt_prediction_free(b);
                pt_prediction_free(a);
                pt_params_free(params);
            }
            if (!first) {
                first = bytes;
                size = more;
            } else {
                assert_int_equal(more, size);
                assert_memory_equal(bytes, first, size);
                pt_bytes_free(bytes);
            }
            pt_model_free(loaded);
            pt_model_free(model);
        }
        pt_bytes_free(first);
        pt_dataset_free(data);
    }
}

/* A stream decides its parts as the whole is decided; its rows are those of a file. */
static void test_decide__streams_decide_their_parts(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    char path[] = "/tmp/polytomy_decide_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    pt_dataset *data = clouds(N, 9);
    pt_dataset *many = clouds(20000, 9);
    small_must(pt_dataset_write(many, path, "csv", NULL, &err), &err, "write");
    pt_dataset_free(many);
    pt_model *model = small_train(data, OPTIONS, 1);
    for (size_t rule = 0; rule < sizeof RULES / sizeof *RULES; rule++) {
        pt_params *params = small_params(RULES[rule]);
        pt_dataset *whole = NULL;
        pt_prediction_stream *stream = NULL;
        const pt_prediction *part = NULL;
        small_must(pt_model_read(&whole, model, path, params, NULL, &err), &err, "read");
        pt_prediction *p = small_predict(model, whole, 1);
        decide(p, model, params);
        small_must(pt_prediction_stream_open(&stream, model, path, params, -1, NULL, &err), &err,
                   "stream");
        int64_t seen = 0;
        int64_t parts = 0;
        for (;;) {
            small_must(pt_prediction_stream_next(stream, &part, &err), &err, "next");
            if (!part)
                break;
            expect_same_sets(p, part, seen);
            seen += part->n;
            parts++;
        }
        assert_int_equal(seen, p->n);
        assert_true(parts > 1);
        pt_prediction_stream_close(stream);
        pt_prediction_free(p);
        pt_dataset_free(whole);
        pt_params_free(params);
    }
    unlink(path);
    pt_model_free(model);
    pt_dataset_free(data);
}

/* Figures of evaluations are those of the scores, whatever was decided. */
static void test_decide__leaves_evaluations_alone(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = clouds(N, 10);
    pt_model *model = small_train(data, OPTIONS, 1);
    pt_prediction *p = small_predict(model, data, 1);
    pt_report *before = NULL;
    pt_report *after = NULL;
    char *texts[2] = {NULL, NULL};
    small_must(pt_model_evaluate(&before, model, data, p, NULL, NULL, &err), &err, "evaluate");
    pt_params *params = small_params("reject=0.9");
    decide(p, model, params);
    small_must(pt_model_evaluate(&after, model, data, p, NULL, NULL, &err), &err, "evaluate");
    small_must(pt_report_json(&texts[0], before, &err), &err, "json");
    small_must(pt_report_json(&texts[1], after, &err), &err, "json");
    assert_string_equal(texts[0], texts[1]);
    pt_bytes_free(texts[0]);
    pt_bytes_free(texts[1]);
    pt_report_free(after);
    pt_report_free(before);
    pt_params_free(params);
    pt_prediction_free(p);
    pt_model_free(model);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decide__costs_are_least),
        cmocka_unit_test(test_decide__costs_of_one_are_the_error),
        cmocka_unit_test(test_conformity__cut_is_the_quantile),
        cmocka_unit_test(test_calibrations__do_not_know_their_fold),
        cmocka_unit_test(test_conformity__of_held_out_rows),
        cmocka_unit_test(test_decide__sets_are_those_of_the_cuts),
        cmocka_unit_test(test_decide__sets_cover_what_was_asked),
        cmocka_unit_test(test_decide__refuses_what_means_nothing),
        cmocka_unit_test(test_thresholds__have_the_largest_f1),
        cmocka_unit_test(test_thresholds__are_taken_off_everywhere),
        cmocka_unit_test(test_decide__same_bytes_on_any_threads_and_in_a_file),
        cmocka_unit_test(test_decide__streams_decide_their_parts),
        cmocka_unit_test(test_decide__leaves_evaluations_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
