/* labels: threads heavy */
/* The machine constraint on labels of every kind, against a slow one that makes Kesler's vectors
 * and knows nothing of examples and classes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/kesler_reference.h"
#include "../support/labelled_rows.h"
#include "../support/predictions.h"
#include "../support/share.h"
#include "data/dataset.h"
#include "machines/svm/constraint.h"
#include "metrics/label_judge.h"
#include "polytomy/experimental.h"

/* What the machine learns unless it is told otherwise. */
static const unsigned ALL = PT_PAIRS_THRESHOLD | PT_PAIRS_CLOSED;

/* ---- tests -------------------------------------------------------------------------------------
 */

static void test_constraint__solves_its_problem(void **state)
{
    (void)state;
    for (int c = 0; c < 96; c++) {
        if (!test_in_share())
            continue;
        const char *kernel = c < 48 ? "linear" : "poly,degree=1,coef0=0,sigma=1"; /* the same */
        const pt_label_kind kind = LABEL_KINDS[c % 4];
        const bool bias = c / 4 % 2;
        const bool sparse = c / 8 % 2;
        const bool weighted = c / 16 % 2;
        const double C = (const double[]){0.02, 1, 30}[c / 16 % 3];
        labelled l = labelled_rows(kind, 25, 4, 4, 0.5, (uint64_t)c + 1);
        const pt_problem problem = labelled_problem(&l, sparse, weighted);
        char text[120];
        snprintf(text, sizeof text, "machine=constraint,bias=%s,C=%g,gap=1e-13,kernel=%s",
                 bias ? "yes" : "no", C, kernel);
        kesler q = kesler_new(&l, ALL, bias, weighted, C);
        kesler_solve(&q, 1e-11);
        pt_machine *machine = labelled_train(&problem, text, 1);
        double *scores = labelled_scores(machine, &problem);
        double *slow = calloc((size_t)(l.n * l.k), sizeof *slow);
        kesler_scores(&q, &l, bias, slow);
        const double primal = labelled_figure(machine, "primal");
        const double dual = labelled_figure(machine, "dual");
        if (!(fabs(primal - q.primal) <= 1e-9 * q.primal && fabs(dual - q.dual) <= 1e-9 * q.dual))
            fail_msg("%s, kind %d: %.15g and %.15g, not %.15g", text, kind, primal, dual, q.primal);
        if (!(small_distance(scores, slow, l.n * l.k) < 1e-4))
            fail_msg("%s, kind %d: scores %g apart", text, kind,
                     small_distance(scores, slow, l.n * l.k));
        free(slow);
        free(scores);
        pt_machine_free(machine);
        kesler_free(&q);
        labelled_free(&l);
    }
}

/* --pairs: the machine is the slow one over the pairs that are named, by every solver. */
static void test_constraint__learns_the_pairs_that_it_is_told(void **state)
{
    (void)state;
    for (int c = 0; c < 8; c++) {
        const char *const kernel = c / 2 % 2 ? "poly,degree=1,coef0=0,sigma=1" : "linear";
        const bool hard = c >= 4;
        const bool all = c % 2;
        const unsigned how = PT_PAIRS_THRESHOLD | (all ? PT_PAIRS_CLOSED : 0);
        labelled l = labelled_rows(PT_LABEL_RANKING, hard ? 15 : 25, hard ? 30 : 4, 5,
                                   hard ? 0 : 0.5, (uint64_t)c / 2 + 500);
        const pt_problem problem = labelled_problem(&l, false, false);
        char text[120];
        snprintf(text, sizeof text, "machine=constraint,bias=no,pairs=%s,%s,kernel=%s",
                 all ? "all" : "next", hard ? "method=hard" : "C=1,gap=1e-13", kernel);
        kesler q = kesler_new(&l, how, false, false, hard ? 100 : 1); /* 100: none is bound */
        kesler_solve(&q, hard ? 1e-9 : 1e-11);
        pt_machine *machine = labelled_train(&problem, text, 1);
        double *scores = labelled_scores(machine, &problem);
        double *slow = calloc((size_t)(l.n * l.k), sizeof *slow);
        kesler_scores(&q, &l, false, slow);
        if (!(small_distance(scores, slow, l.n * l.k) < 1e-4))
            fail_msg("%s: scores %g apart", text, small_distance(scores, slow, l.n * l.k));
        pt_description said = {0};
        small_must(pt_machine_describe(&said, machine, NULL, NULL), NULL, text);
        assert_int_equal(said.pair_theory->most_pairs, pt_label_pairs_most(l.labels, how));
        free(slow);
        free(scores);
        pt_machine_free(machine);
        kesler_free(&q);
        labelled_free(&l);
    }
}

static void test_constraint__online_learns_the_pairs_that_it_is_told(void **state)
{
    (void)state;
    labelled l = labelled_rows(PT_LABEL_RANKING, 300, 6, 5, 0.5, 520);
    const pt_problem problem = labelled_problem(&l, false, false);
    double *scores[3];
    static const char *const PAIRS[] = {"", ",pairs=all", ",pairs=next"};
    for (int c = 0; c < 3; c++) {
        char text[80];
        snprintf(text, sizeof text, "machine=constraint,method=online%s", PAIRS[c]);
        pt_machine *machine = labelled_train(&problem, text, 1);
        scores[c] = labelled_scores(machine, &problem);
        pt_machine_free(machine);
    }
    assert_memory_equal(scores[0], scores[1], (size_t)(l.n * l.k) * sizeof(double));
    assert_memory_not_equal(scores[0], scores[2], (size_t)(l.n * l.k) * sizeof(double));
    for (int c = 0; c < 3; c++)
        free(scores[c]);
    labelled_free(&l);
}

/* The scores of the slow machine and of the machine differ by what the gap leaves: for every gap
 * that is asked for, that one is reached. */
static void test_constraint__reaches_the_gap(void **state)
{
    (void)state;
    for (int c = 0; c < 24; c++) {
        if (!test_in_share())
            continue;
        const double gap = (const double[]){1e-2, 1e-4, 1e-6}[c / 8];
        labelled l = labelled_rows(LABEL_KINDS[c % 4], 300, 10, 5, 1, (uint64_t)c + 100);
        const pt_problem problem = labelled_problem(&l, c / 4 % 2, false);
        char text[80];
        snprintf(text, sizeof text, "machine=constraint,C=1,gap=%g", gap);
        pt_machine *machine = labelled_train(&problem, text, 1);
        const double reached = labelled_figure(machine, "relative_gap");
        if (!(reached <= gap && reached > -1e-12))
            fail_msg("%s, kind %d: %g", text, LABEL_KINDS[c % 4], reached);
        pt_machine_free(machine);
        labelled_free(&l);
    }
}

/* Large C, which descent from 0 does not reach in the visits, or rounds, that it has. */
static void test_constraint__reaches_the_gap_of_a_large_C(void **state)
{
    (void)state;
    for (int c = 0; c < 12; c++) {
        if (!test_in_share())
            continue;
        const bool kernel = c >= 8;
        const char *text = kernel ? "machine=constraint,C=1e4,kernel=poly,degree=1,coef0=0,sigma=1"
                                  : "machine=constraint,C=1e4";
        if (c % 4 == 0)
            continue; /* classes are ww's */
        labelled l = labelled_rows(LABEL_KINDS[c % 4], kernel ? 60 : 300, kernel ? 4 : 10, 5, 1,
                                   (uint64_t)c + 120);
        const pt_problem problem = labelled_problem(&l, c / 4 % 2, false);
        pt_machine *machine = labelled_train(&problem, text, 1);
        const double reached = labelled_figure(machine, "relative_gap");
        if (!(reached <= 1e-3 && reached > -1e-12))
            fail_msg("%s, kind %d: %g", text, LABEL_KINDS[c % 4], reached);
        pt_machine_free(machine);
        labelled_free(&l);
    }
}

static void test_constraint__is_ww_on_classes(void **state)
{
    (void)state;
    for (int c = 0; c < 9; c++) {
        if (!test_in_share())
            continue;
        const char *kernel = c < 6 ? "linear" : "rbf,sigma=1.5";
        char text[2][120];
        snprintf(text[0], sizeof text[0],
                 "machine=constraint,bias=no,gap=1e-13,precision=double,kernel=%s", kernel);
        snprintf(text[1], sizeof text[1], "machine=ww,gap=1e-13,precision=double,kernel=%s",
                 kernel);
        small s = small_clouds(150, 5, 2 + 2 * (c % 3), (uint64_t)c + 40);
        pt_dataset *data = c < 3 ? small_dataset(&s) : small_sparse_dataset(&s);
        double *a = small_scores(data, text[0], data);
        double *b = small_scores(data, text[1], data);
        assert_true(small_distance(a, b, s.n * s.k) < 1e-5);
        for (int64_t i = 0; i < s.n; i++)
            assert_int_equal(small_argmax(a + i * s.k, s.k), small_argmax(b + i * s.k, s.k));
        free(a);
        free(b);
        pt_dataset_free(data);
        small_free(&s);
    }
}

/* A bias is a feature that is 1: of rows, and in every kernel value, for few rows and for so many
 * that the solver chooses among them. */
static void test_constraint__has_one_bias_by_rows_and_by_kernel_values(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        if (c > 0 && !test_in_share())
            continue;
        const int64_t n = c < 2 ? 120 : 2300;
        const char *sparse = c % 2 ? "sparse" : "dense";
        small s = small_clouds(n, 3, 4, (uint64_t)c + 60);
        for (int64_t i = 0; i < 3 * n; i++)
            s.x[i] += 2; /* without a bias it would be another machine */
        pt_dataset *data = c % 2 ? small_sparse_dataset(&s) : small_dataset(&s);
        const char *how = "machine=constraint,scale=none,C=0.1,gap=1e-9,precision=double,kernel=";
        char text[3][160];
        snprintf(text[0], sizeof text[0], "%slinear", how);
        snprintf(text[1], sizeof text[1], "%spoly,degree=1,coef0=0,sigma=1", how);
        snprintf(text[2], sizeof text[2], "%slinear,bias=no", how);
        double *a = small_scores(data, text[0], data);
        double *b = small_scores(data, text[1], data);
        double *without = small_scores(data, text[2], data);
        if (!(small_distance(a, b, s.n * s.k) < 1e-3))
            fail_msg("%lld %s rows: %g apart", (long long)n, sparse,
                     small_distance(a, b, s.n * s.k));
        assert_true(small_distance(a, without, s.n * s.k) > 0.1);
        free(a);
        free(b);
        free(without);
        pt_dataset_free(data);
        small_free(&s);
    }
}

static void test_constraint__threads_keep_every_bit(void **state)
{
    (void)state;
    for (int c = 0; c < 8; c++) {
        labelled l = labelled_rows(LABEL_KINDS[c % 4], 700, 6, 5, 1, (uint64_t)c + 200);
        const pt_problem problem = labelled_problem(&l, c % 2, true);
        const char *options =
            c < 4 ? "machine=constraint" : "machine=constraint,kernel=rbf,sigma=1.5";
        pt_machine *one = labelled_train(&problem, options, 1);
        pt_machine *two = labelled_train(&problem, options, 2);
        double *a = labelled_scores(one, &problem);
        double *b = labelled_scores(two, &problem);
        assert_memory_equal(a, b, (size_t)(l.n * l.k) * sizeof *a);
        free(a);
        free(b);
        pt_machine_free(one);
        pt_machine_free(two);
        labelled_free(&l);
    }
}

/* Labels that linear functions made: with a large C every example is right, sets with their ends.
 */
static void test_constraint__learns_what_can_be_told(void **state)
{
    (void)state;
    for (int c = 0; c < 16; c++) {
        if (!test_in_share())
            continue;
        static const char *const OPTIONS[] = {"machine=constraint,C=1e4",
                                              "machine=constraint,method=hard",
                                              "machine=constraint,method=hard,kernel=rbf,sigma=3",
                                              "machine=constraint,kernel=rbf,sigma=3,C=1e4"};
        labelled l = labelled_rows(LABEL_KINDS[c % 4], 40, 30, 4, 0, (uint64_t)c + 300);
        const pt_problem problem = labelled_problem(&l, false, false);
        pt_machine *machine = labelled_train(&problem, OPTIONS[c / 4], 1);
        double *scores = labelled_scores(machine, &problem);
        for (int64_t i = 0; i < l.n; i++)
            assert_true(pt_label_is_right(l.labels, i, scores + i * l.k));
        free(scores);
        pt_machine_free(machine);
        labelled_free(&l);
    }
}

/* The margin of the slow machine, and the theorems as HRZ has them. */
static void test_constraint__theory_is_that_of_the_functions(void **state)
{
    (void)state;
    int bounded = 0;
    for (int c = 0; c < 16; c++) {
        const bool bias = c / 4 % 2;
        const bool told = c >= 8; /* far apart and many: Theorem 4.4 applies */
        labelled l = labelled_rows(LABEL_KINDS[c % 4], told ? 3000 : 25, told ? 1 : 6, told ? 2 : 4,
                                   0.5, (uint64_t)c + 400);
        for (int64_t i = 0; i < l.n && told; i++) {
            l.x[i] = i % 2 ? 1 : -1;
            if (l.labels->kind == PT_LABEL_CLASS)
                l.labels->class_of[i] = i % 2;
        }
        const pt_problem problem = labelled_problem(&l, false, false);
        char text[80];
        snprintf(text, sizeof text, "machine=constraint,gap=1e-13,bias=%s", bias ? "yes" : "no");
        pt_machine *machine = labelled_train(&problem, text, 1);
        pt_description said = {0};
        small_must(pt_machine_describe(&said, machine, NULL, NULL), NULL, text);
        const pt_pair_theory *theory = said.pair_theory;
        assert_non_null(theory);
        kesler q = kesler_new(&l, ALL, bias, false, 1);
        kesler_solve(&q, 1e-11);
        const double norm = sqrt(kesler_dot(q.w, q.w, q.size));
        double least = INFINITY;
        double R = 0;
        for (int64_t p = 0; p < q.m; p++)
            least = fmin(least, kesler_dot(q.vector + p * q.size, q.w, q.size));
        for (int64_t i = 0; i < l.n; i++)
            R = fmax(R, sqrt(kesler_dot(l.x + i * l.d, l.x + i * l.d, l.d) + bias));
        const double g = least / norm;
        const double m = (double)theory->m;
        const double k = (double)q.k;
        const double d = (double)l.d + bias;
        const double pairs = (double)pt_label_pairs_most(l.labels, ALL);
        assert_true(fabs(theory->norm - norm) < 1e-5 * norm);
        assert_true(fabs(theory->radius - R) < 1e-12);
        assert_true(fabs(theory->margin - g) < 1e-5);
        assert_int_equal(theory->most_pairs, (int64_t)pairs);
        assert_true(fabs(theory->vc_bound - (double)theory->wrong / m -
                         sqrt(4 * (k * d * log(2 * exp(1) * m * k / d) - log(0.05 / 4)) / m) -
                         1 / m) < 1e-9);
        const bool applies = g > 0 && 256 * R * R / (g * g) < m;
        assert_int_equal(isfinite(theory->margin_bound), applies);
        assert_int_equal(isfinite(theory->mistake_bound), g > 0);
        if (applies) {
            const double u = g / R; /* the margin of the examples in the unit ball */
            const double bound =
                2 * pairs / m *
                (256 / (u * u) * log(exp(1) * m * u / 32) * log(32 * m / (u * u)) + log(4 / 0.05));
            assert_true(fabs(theory->margin_bound - bound) < 1e-4 * bound);
            bounded++;
        }
        if (g > 0) {
            assert_int_equal(theory->wrong, 0);
            assert_true(fabs(theory->mistake_bound * g * g / (2 * R * R) - 1) < 1e-4);
        }
        pt_machine_free(machine);
        kesler_free(&q);
        labelled_free(&l);
    }
    assert_true(bounded > 0);
}

/* Units of the features are no evidence, nor are features that outnumber the examples. */
static void test_constraint__bounds_do_not_depend_on_units(void **state)
{
    (void)state;
    pt_pair_theory one = {.m = 1000, .k = 2, .d = 1, .most_pairs = 1, .norm = 1, .radius = 1};
    pt_pair_theory_complete(&one, sqrt(2));
    assert_true(isfinite(one.margin_bound) && one.margin_bound > 1);
    for (double unit = 1e-3; unit < 1e4; unit *= 1.5) {
        pt_pair_theory other = one;
        other.radius = unit;
        pt_pair_theory_complete(&other, sqrt(2) * unit);
        assert_true(fabs(other.margin_bound / one.margin_bound - 1) < 1e-12);
        assert_true(fabs(other.mistake_bound / one.mistake_bound - 1) < 1e-12);
    }
    double before = 0;
    for (one.d = 1; one.d <= 20000; one.d++) { /* more features never make a smaller bound */
        pt_pair_theory_complete(&one, 1);
        assert_int_equal(isfinite(one.vc_bound), one.d <= 4000);
        assert_true(one.d > 4000 || one.vc_bound > before);
        before = one.vc_bound;
    }
}

static int64_t errors_of(const char *name, int64_t n, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_params *params = small_params("seed=1");
    small_must(pt_dataset_synth(&data, name, n, params, &err), &err, name);
    const int64_t k = pt_dataset_n_classes(data);
    const int64_t rows = pt_dataset_n_examples(data);
    double *scores = small_scores(data, options, data);
    int64_t errors = 0;
    for (int64_t i = 0; i < rows; i++)
        errors += small_argmax(scores + i * k, k) != data->labels->class_of[i];
    free(scores);
    pt_params_free(params);
    pt_dataset_free(data);
    return errors;
}

/* HRZ Figure 2, where one-vs-all must fail, and the problem in R^100 that linear functions made. */
static void test_constraint__hrz_has_no_errors(void **state)
{
    (void)state;
    assert_int_equal(errors_of("hrz-ova", 0, "machine=constraint,C=1000,calibrate=no"), 0);
    assert_int_equal(errors_of("hrz-ova", 0, "machine=constraint,method=hard,calibrate=no"), 0);
    assert_true(errors_of("hrz-ova", 0,
                          "machine=code,code=ova,learner=linear-svm,C=1000,calibrate=no") > 0);
    assert_int_equal(errors_of("hrz", 5000, "machine=constraint,method=hard,calibrate=no"), 0);
}

static void test_constraint__hard_refuses_what_it_must(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        pt_status status;
        const char *text;
    } CASES[] = {
        {"machine=constraint,method=hard", PT_ENUMERIC, "not separable"},
        {"machine=constraint,method=hard,C=2", PT_EINVAL, "`C"},
        {"machine=constraint,method=hard,gap=0.1", PT_EINVAL, "`gap"},
        {"machine=constraint,sigma=2", PT_EINVAL, "`sigma"},
        {"machine=constraint,pairs=next", PT_EINVAL, "`pairs"}, /* labels are classes */
    };
    small s = small_clouds(200, 2, 3, 71);
    pt_dataset *data = small_dataset(&s);
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        pt_error err = PT_ERROR_INIT;
        pt_model *model = NULL;
        assert_int_equal(small_try_train(&model, data, CASES[c].options, 1, &err), CASES[c].status);
        assert_non_null(strstr(err.text, CASES[c].text));
        assert_null(model);
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constraint__solves_its_problem),
        cmocka_unit_test(test_constraint__learns_the_pairs_that_it_is_told),
        cmocka_unit_test(test_constraint__online_learns_the_pairs_that_it_is_told),
        cmocka_unit_test(test_constraint__reaches_the_gap),
        cmocka_unit_test(test_constraint__reaches_the_gap_of_a_large_C),
        cmocka_unit_test(test_constraint__is_ww_on_classes),
        cmocka_unit_test(test_constraint__has_one_bias_by_rows_and_by_kernel_values),
        cmocka_unit_test(test_constraint__threads_keep_every_bit),
        cmocka_unit_test(test_constraint__learns_what_can_be_told),
        cmocka_unit_test(test_constraint__theory_is_that_of_the_functions),
        cmocka_unit_test(test_constraint__bounds_do_not_depend_on_units),
        cmocka_unit_test(test_constraint__hrz_has_no_errors),
        cmocka_unit_test(test_constraint__hard_refuses_what_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
