/* Bounds on the error of a code (ASS Theorem 1, Corollary 2): what they are, and that nothing
 * breaks them, on random codes and outputs and on machines that were trained. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/random.h"
#include "polytomy/experimental.h"
#include "theory/diagnosis.h"

enum { MOST_K = 9, MOST_ELL = 40, ROWS = 60, TRIALS = 150 };

/* Rounding of sums that have few digits more than the bound. */
static const double SLACK = 1e-12;

static const pt_loss *const LOSSES[] = {&pt_loss_hinge, &pt_loss_exp, &pt_loss_square,
                                        &pt_loss_logistic, &pt_loss_sigmoid};
enum { N_LOSSES = 5, N_KINDS = 3 };

/* Signs without zeros, with zeros, all pairs. Rows may even be equal: then rho is small. */
static pt_code some_code(pt_random *random, int what)
{
    pt_code code = {0};
    pt_error err = PT_ERROR_INIT;
    int8_t M[MOST_K * MOST_ELL];
    const int64_t k = 2 + pt_random_below(random, MOST_K - 1);
    const int64_t ell = 1 + pt_random_below(random, MOST_ELL);
    for (int64_t i = 0; i < k * ell; i++)
        M[i] = (int8_t)(what == 0 ? 2 * pt_random_below(random, 2) - 1
                                  : pt_random_below(random, 3) - 1);
    if (what == 2)
        assert_int_equal(pt_code_init_pairs(&code, k, &err), PT_OK);
    else
        assert_int_equal(pt_code_from(&code, k, ell, M, &err), PT_OK);
    return code;
}

/* Outputs that lean to the side of the class, so that errors are few and bounds are tight. */
static void some_outputs(pt_random *random, const pt_code *code, double scale, double *f,
                         int64_t *class_of)
{
    const double lean = 3 * pt_random_uniform(random);
    for (int64_t i = 0; i < ROWS; i++) {
        class_of[i] = pt_random_below(random, code->k);
        for (int64_t s = 0; s < code->ell; s++)
            f[i * code->ell + s] = pt_random_below(random, 20) == 0
                                       ? 0
                                       : scale * (lean * pt_code_entry(code, class_of[i], s) +
                                                  pt_random_normal(random));
    }
}

static double figure(const pt_diagnosis *d, pt_code_figure which)
{
    return pt_diagnosis_figure(d, which);
}

static void expect_bounds(const pt_diagnosis *d)
{
    const double loss_error = figure(d, PT_CODE_LOSS_DECODING_ERROR) * (1 - SLACK);
    const double hamming_error = figure(d, PT_CODE_HAMMING_ERROR) * (1 - SLACK);
    assert_false(loss_error > figure(d, PT_CODE_LOSS_DECODING_BOUND));
    assert_false(loss_error > figure(d, PT_CODE_LOSS_DECODING_BOUND_Q));
    assert_false(hamming_error > figure(d, PT_CODE_HAMMING_BOUND));
    assert_false(hamming_error > figure(d, PT_CODE_HAMMING_BOUND_SIGNS));
    assert_false(hamming_error > figure(d, PT_CODE_HAMMING_BOUND_Q));
}

static void diagnose(pt_diagnosis *d, const pt_code *code, const pt_loss *loss, const double *f,
                     const int64_t *class_of)
{
    pt_error err = PT_ERROR_INIT;
    *d = (pt_diagnosis){0};
    assert_int_equal(pt_diagnosis_init(d, code, loss, ROWS, NULL, &err), PT_OK);
    assert_int_equal(pt_diagnosis_add(d, 7, f, class_of, NULL, &err), PT_OK); /* in two pieces */
    assert_int_equal(pt_diagnosis_add(d, ROWS - 7, f + 7 * code->ell, class_of + 7, NULL, &err),
                     PT_OK);
    pt_diagnosis_finish(d);
}

static void test_diagnosis__bounds_hold(void **state)
{
    (void)state;
    const double scales[] = {0.1, 1, 20, 400};
    static double f[ROWS * MOST_ELL];
    int64_t class_of[ROWS];
    int64_t tight = 0;
    pt_random random;
    pt_random_init(&random, 31, PT_RANDOM_TEST, 0);
    for (int trial = 0; trial < TRIALS; trial++)
        for (int what = 0; what < N_KINDS; what++) {
            pt_code code = some_code(&random, what);
            for (int q = 0; q < 4; q++) {
                some_outputs(&random, &code, scales[q], f, class_of);
                for (int l = 0; l < N_LOSSES; l++) {
                    pt_diagnosis d;
                    diagnose(&d, &code, LOSSES[l], f, class_of);
                    if (d.rho > 0)
                        expect_bounds(&d);
                    tight += figure(&d, PT_CODE_LOSS_DECODING_ERROR) > 0 &&
                             figure(&d, PT_CODE_LOSS_DECODING_BOUND) < 1;
                    pt_diagnosis_free(&d);
                }
            }
            pt_code_free(&code);
        }
    assert_true(tight > 20); /* bounds below one that had errors to bound */
}

/* Every figure by its definition, entry by entry. */
static void expect_figures(const pt_diagnosis *d, const double *f, const int64_t *class_of)
{
    const pt_code *code = &d->code;
    const double n = ROWS;
    const double ell = (double)code->ell;
    double loss = 0;
    double taken_loss = 0;
    double taken = 0;
    double wrong = 0;
    double signs = 0;
    double rho = INFINITY;
    for (int i = 0; i < ROWS; i++)
        for (int64_t s = 0; s < code->ell; s++) {
            const int entry = pt_code_entry(code, class_of[i], s);
            const double z = entry * f[i * code->ell + s];
            loss += d->loss->value(z);
            taken += entry != 0;
            taken_loss += entry != 0 ? d->loss->value(z) : 0;
            wrong += entry != 0 ? pt_loss_hamming.value(z) : 0;
            signs += 1 - (z > 0) + (z < 0);
        }
    for (int64_t r = 0; r < code->k; r++)
        for (int64_t q = 0; q < r; q++) {
            double distance = 0;
            for (int64_t s = 0; s < code->ell; s++)
                distance += (1 - pt_code_entry(code, r, s) * pt_code_entry(code, q, s)) / 2.0;
            rho = fmin(rho, distance);
        }
    const double share = 1 - taken / (n * ell);
    const double want[] = {rho,
                           loss / (n * ell),
                           d->loss->value(0),
                           share,
                           taken_loss / taken,
                           wrong / taken,
                           -1,
                           loss / n / (rho * d->loss->value(0)),
                           ell / rho *
                               (share + (1 - share) * taken_loss / taken / d->loss->value(0)),
                           -1,
                           2 * loss / n / (rho * d->loss->value(0)),
                           signs / (rho * n),
                           ell / rho * (share + 2 * (1 - share) * wrong / taken)};
    for (int i = 0; i <= PT_CODE_HAMMING_BOUND_Q; i++)
        if (want[i] != -1 && rho > 0 && taken > 0 &&
            !(fabs(figure(d, (pt_code_figure)i) - want[i]) <= 1e-11 * (1 + fabs(want[i]))))
            fail_msg("figure %d is %.17g, not %.17g", i, figure(d, (pt_code_figure)i), want[i]);
}

static void test_diagnosis__figures_are_as_defined(void **state)
{
    (void)state;
    static double f[ROWS * MOST_ELL];
    int64_t class_of[ROWS];
    pt_random random;
    pt_random_init(&random, 32, PT_RANDOM_TEST, 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        pt_code code = some_code(&random, trial % N_KINDS);
        some_outputs(&random, &code, 1, f, class_of);
        pt_diagnosis d;
        diagnose(&d, &code, LOSSES[trial % N_LOSSES], f, class_of);
        expect_figures(&d, f, class_of);
        pt_diagnosis_free(&d);
        pt_code_free(&code);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_diagnosis__margins_are_as_defined(void **state)
{
    (void)state;
    static double f[ROWS * MOST_ELL];
    int64_t class_of[ROWS];
    pt_random random;
    pt_random_init(&random, 33, PT_RANDOM_TEST, 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        pt_code code = some_code(&random, trial % N_KINDS);
        const pt_loss *loss = LOSSES[trial % N_LOSSES];
        double want[ROWS];
        some_outputs(&random, &code, 1, f, class_of);
        for (int i = 0; i < ROWS; i++) {
            double other = INFINITY;
            double own = 0;
            for (int64_t r = 0; r < code.k; r++) {
                double sum = 0;
                for (int64_t s = 0; s < code.ell; s++)
                    sum += loss->value(pt_code_entry(&code, r, s) * f[i * code.ell + s]);
                if (r == class_of[i])
                    own = sum;
                else
                    other = fmin(other, sum);
            }
            want[i] = (other - own) / (double)code.ell;
        }
        qsort(want, ROWS, sizeof *want, ascending);
        pt_diagnosis d;
        diagnose(&d, &code, loss, f, class_of);
        assert_int_equal(d.n, ROWS);
        for (int i = 0; i < ROWS; i++)
            assert_true(fabs(d.margin[i] - want[i]) < 1e-10 * (1 + fabs(want[i])));
        pt_diagnosis_free(&d);
        pt_code_free(&code);
    }
}

/* ---- machines ------------------------------------------------------------------------------- */

static pt_report *evaluate(const pt_model *model, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    small_must(pt_model_predict(&prediction, model, data, -1, NULL, &err), &err, "predict");
    small_must(pt_model_evaluate(&evaluation, model, data, prediction, NULL, NULL, &err), &err,
               "evaluate");
    small_must(pt_evaluate_columns(evaluation, model, data, NULL, &err), &err, "diagnose");
    pt_prediction_free(prediction);
    return evaluation;
}

static void test_diagnosis__bounds_hold_for_machines(void **state)
{
    (void)state;
    static const char *const codes[] = {"ova", "ovo", "dense", "sparse", "complete"};
    static const char *const learners[] = {"svm", "ls"};
    small s = small_clouds(90, 3, 4, 41);
    small other = small_clouds(70, 3, 4, 42);
    pt_dataset *train = small_dataset(&s);
    pt_dataset *test = small_dataset(&other);
    for (int c = 0; c < 5; c++)
        for (int m = 0; m < 2; m++)
            for (int l = 0; l < N_LOSSES; l++) {
                char options[160];
                snprintf(options, sizeof options,
                         "machine=code,code=%s,learner=%s,kernel=rbf,sigma=2,decode=%s%s", codes[c],
                         learners[m], LOSSES[l]->name, m ? ",ridge=0.1" : "");
                pt_model *model = small_train(train, options, 1);
                for (int on = 0; on < 2; on++) {
                    pt_report *e = evaluate(model, on ? test : train);
                    assert_string_equal(pt_report_text(e, "code_loss"), LOSSES[l]->name);
                    /* the model decodes with this loss */
                    assert_true(pt_report_number(e, "loss_decoding_error") ==
                                pt_report_number(e, "error"));
                    assert_false(pt_report_number(e, "loss_decoding_error") * (1 - SLACK) >
                                 pt_report_number(e, "loss_decoding_bound"));
                    assert_false(pt_report_number(e, "hamming_error") * (1 - SLACK) >
                                 pt_report_number(e, "hamming_bound_q"));
                    assert_false(pt_report_number(e, "hamming_error") * (1 - SLACK) >
                                 pt_report_number(e, "hamming_bound"));
                    pt_report_free(e);
                }
                pt_model_free(model);
            }
    pt_dataset_free(train);
    pt_dataset_free(test);
    small_free(&s);
    small_free(&other);
}

static void test_diagnosis__columns_of_a_machine(void **state)
{
    (void)state;
    small s = small_clouds(90, 3, 3, 43);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=ls-ovo,sigma=2,ridge=0.1", 1);
    pt_report *e = evaluate(model, data);
    assert_int_equal(pt_report_integer(e, "n_columns"), 3);
    assert_string_equal(pt_report_text(e, "code_loss"),
                        "square"); /* it votes: the learner's loss */
    assert_true(pt_report_number(e, "hamming_error") == pt_report_number(e, "error"));
    assert_true(pt_report_number(e, "rho") == 2 && pt_report_number(e, "loss_at_zero") == 1);
    int64_t rows = 0;
    for (int64_t c = 0; c < 3; c++) {
        rows += pt_report_integer_at(e, "column_rows", c, 0, 0);
        assert_true(pt_report_number_at(e, "column_error", c, 0, 0) >= 0 &&
                    pt_report_number_at(e, "column_error", c, 0, 0) < 1);
        assert_true(pt_report_number_at(e, "column_loss", c, 0, 0) > 0);
        assert_true(fabs(pt_report_number_at(e, "column_balance", c, 0, 0) - 0.5) < 0.1);
    }
    assert_int_equal(rows, 2 * 90);
    assert_int_equal(pt_report_integer_at(e, "code", 0, 1, 0), 1);
    assert_int_equal(pt_report_integer_at(e, "code", 1, 1, 0), 0);
    assert_int_equal(pt_report_integer_at(e, "code", 2, 1, 0), -1);
    assert_int_equal(pt_report_integer_at(e, "code", 0, 3, 0), 0);
    assert_int_equal(pt_report_integer_at(e, "column_rows", -1, 0, 0), 0);
    assert_true(isnan(pt_report_number_at(e, "column_error", 3, 0, 0)));
    assert_true(pt_report_number_at(e, "decoding_margin", 0, 0, 0) <=
                pt_report_number_at(e, "decoding_margin", 6, 0, 0));
    pt_report_free(e);
    pt_model_free(model);
    model = small_train(data, "machine=onelsm,sigma=2,ridge=0.1", 1); /* no code */
    e = evaluate(model, data);
    assert_int_equal(pt_report_integer(e, "n_columns"), 0);
    assert_null(pt_report_text(e, "code_loss"));
    assert_true(isnan(pt_report_number(e, "rho")) &&
                isnan(pt_report_number_at(e, "decoding_margin", 3, 0, 0)));
    pt_report_free(e);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagnosis__bounds_hold),
        cmocka_unit_test(test_diagnosis__figures_are_as_defined),
        cmocka_unit_test(test_diagnosis__margins_are_as_defined),
        cmocka_unit_test(test_diagnosis__bounds_hold_for_machines),
        cmocka_unit_test(test_diagnosis__columns_of_a_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
