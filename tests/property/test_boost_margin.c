/* Margins of AdaBoost.MO and the bounds on them (ASS section 5): against the definition written
 * out, and on a slow textbook AdaBoost.MO. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "decoders/decoder.h"
#include "model/model.h"
#include "polytomy/experimental.h"
#include "theory/boost_margin.h"
#include "theory/diagnosis.h"

/* ---- by definition ----------------------------------------------------------------------------
 */

static double nu(const pt_code *code, const double *F, double eta, int64_t r)
{
    long double sum = 0;
    for (int64_t s = 0; s < code->ell; s++)
        sum += expl(-(long double)pt_code_entry(code, r, s) * (long double)F[s]);
    return (double)(-logl(sum / (long double)code->ell) / (long double)eta);
}

static double margin_by_definition(const pt_code *code, const double *F, double eta, int64_t y)
{
    double other = -INFINITY;
    for (int64_t r = 0; r < code->k; r++)
        if (r != y)
            other = fmax(other, nu(code, F, eta, r));
    return (nu(code, F, eta, y) - other) / 2;
}

static pt_code code_for(const char *family, int64_t k)
{
    pt_error err = PT_ERROR_INIT;
    pt_code code = {0};
    char text[60];
    snprintf(text, sizeof text, "code=%s,draws=20", family);
    pt_params *params = small_params(text);
    small_must(pt_code_init(&code, params, k, NULL, NULL, NULL, &err), &err, text);
    pt_params_free(params);
    return code;
}

static double rho_of(const pt_code *code)
{
    double rho = INFINITY;
    for (int64_t a = 0; a < code->k; a++)
        for (int64_t b = 0; b < a; b++) {
            double distance = 0;
            for (int64_t s = 0; s < code->ell; s++)
                distance += (1 - pt_code_entry(code, a, s) * pt_code_entry(code, b, s)) / 2.0;
            rho = fmin(rho, distance);
        }
    return rho;
}

/* Outputs of random sums of +1 and -1, small and large. */
static void test_margin__is_that_of_the_definition(void **state)
{
    (void)state;
    static const char *const families[] = {"ova", "ovo", "dense", "sparse", "complete"};
    static const double scales[] = {0.01, 1, 40};
    enum { N = 40, T = 6, K = 5 };
    pt_error err = PT_ERROR_INIT;
    pt_random random;
    pt_random_init(&random, 1, PT_RANDOM_TEST, 0);
    for (int c = 0; c < 5; c++)
        for (int q = 0; q < 3; q++) {
            pt_code code = code_for(families[c], K);
            double alpha[T];
            double error[T];
            for (int t = 0; t < T; t++) {
                alpha[t] = scales[q] * pt_random_uniform(&random);
                error[t] = 0.3;
            }
            const pt_boost_rounds rounds = {T, alpha, error};
            double *F = calloc((size_t)(N * code.ell), sizeof *F);
            int64_t y[N];
            for (int64_t i = 0; i < N; i++) {
                y[i] = (int64_t)pt_random_below(&random, K);
                for (int64_t s = 0; s < code.ell; s++)
                    for (int t = 0; t < T; t++)
                        F[i * code.ell + s] += pt_random_below(&random, 2) ? alpha[t] : -alpha[t];
            }
            pt_boost_margins m = {0};
            small_must(pt_boost_margins_init(&m, &code, rho_of(&code), &rounds, T, N, &err), &err,
                       "margins");
            small_must(pt_boost_margins_add(&m, &code, N, F, y, NULL, &err), &err, "margins");
            const pt_code_decoder by_exp = {pt_decoder_find("exp"), 1};
            double scores[N * K];
            small_must(pt_decode_code(&by_exp, &code, N, F, scores, NULL, &err), &err, "scores");
            assert_int_equal(m.n, N);
            for (int64_t i = 0; i < N; i++) {
                const double expected = margin_by_definition(&code, F + i * code.ell, m.eta, y[i]);
                if (!(fabs(m.margin[i] - expected) < 1e-9))
                    fail_msg("%s: %.17g, by definition %.17g", families[c], m.margin[i], expected);
                assert_true(m.margin[i] >= -1 && m.margin[i] <= 1);
                const bool right = pt_first_largest(scores + i * K, K) == y[i];
                assert_true(right ? m.margin[i] >= 0 : m.margin[i] <= 0);
                if (fabs(m.margin[i]) > 1e-12) /* not a tie, which the first class wins */
                    assert_true(right == (m.margin[i] > 0));
            }
            pt_boost_margins_free(&m);
            free(F);
            pt_code_free(&code);
        }
}

static void test_margin__outputs_of_any_size(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_code code = code_for("ova", 3);
    const double alpha[] = {5000};
    const double error[] = {0};
    const pt_boost_rounds rounds = {1, alpha, error};
    const double F[] = {5000, -5000, -5000, -5000, 5000, -5000, 5000, 5000, 5000};
    const int64_t y[] = {0, 0, 0};
    pt_boost_margins m = {0};
    small_must(pt_boost_margins_init(&m, &code, 2, &rounds, 1, 3, &err), &err, "margins");
    small_must(pt_boost_margins_add(&m, &code, 3, F, y, NULL, &err), &err, "margins");
    assert_true(fabs(m.margin[0] - 1) < 1e-3); /* right in every column, the others wrong in two */
    assert_true(fabs(m.margin[1] + 1) < 1e-3);
    assert_true(fabs(m.margin[2]) < 1e-3);
    pt_boost_margins_finish(&m);
    assert_true(pt_boost_margins_share(&m, -1) <= pt_boost_margins_share(&m, 1));
    assert_true(pt_boost_margins_share(&m, 1) == 1);
    assert_true(isfinite(pt_boost_margins_theorem_6(&m, 0)));
    pt_boost_margins_free(&m);
    pt_code_free(&code);
}

static void test_margin__before_the_first_round(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_code code = code_for("dense", 4);
    const pt_boost_rounds rounds = {0, NULL, NULL};
    double *F = calloc((size_t)(2 * code.ell), sizeof *F);
    const int64_t y[] = {1, 9}; /* the second is no class of the code */
    pt_boost_margins m = {0};
    small_must(pt_boost_margins_init(&m, &code, 1, &rounds, 0, 2, &err), &err, "margins");
    small_must(pt_boost_margins_add(&m, &code, 2, F, y, NULL, &err), &err, "margins");
    assert_int_equal(m.n, 1);
    assert_true(m.margin[0] == 0);
    assert_true(pt_boost_margins_share(&m, 0) == 1 && pt_boost_margins_share(&m, -0.01) == 0);
    pt_boost_margins_free(&m);
    free(F);
    pt_code_free(&code);
}

/* ---- bounds -----------------------------------------------------------------------------------
 */

enum { N = 60, K = 4, T = 25, CANDIDATES = 12 };

/* AdaBoost.MO as the paper has it: pairs (i, s), uniform at first; a random test shared by all
 * columns, the sign of each column and branch that of the weight there. */
static int64_t boost(const pt_code *code, const int64_t *y, double *F, double *alpha, double *error,
                     pt_random *random)
{
    const int64_t ell = code->ell;
    double *D = calloc((size_t)(N * ell), sizeof *D);
    signed char *h = calloc((size_t)(N * ell), 1);
    for (int64_t i = 0; i < N * ell; i++)
        D[i] = 1 / (double)(N * ell);
    int64_t rounds = 0;
    for (; rounds < T; rounds++) {
        int side[N];
        for (int64_t i = 0; i < N; i++)
            side[i] = (int)pt_random_below(random, 3) == 0 ? (int)pt_random_below(random, 2)
                                                           : (int)((y[i] + rounds) % 2);
        double wrong = 0;
        for (int64_t s = 0; s < ell; s++)
            for (int b = 0; b < 2; b++) {
                double lean = 0;
                for (int64_t i = 0; i < N; i++)
                    lean += side[i] == b ? D[i * ell + s] * pt_code_entry(code, y[i], s) : 0;
                for (int64_t i = 0; i < N; i++)
                    if (side[i] == b) {
                        h[i * ell + s] = lean > 0 ? 1 : -1;
                        wrong +=
                            h[i * ell + s] != pt_code_entry(code, y[i], s) ? D[i * ell + s] : 0;
                    }
            }
        if (wrong >= 0.5 - 1e-9)
            break;
        const double e = fmax(wrong, 1e-6);
        alpha[rounds] = log((1 - e) / e) / 2;
        error[rounds] = wrong;
        double z = 0;
        for (int64_t i = 0; i < N * ell; i++) {
            const int sign = pt_code_entry(code, y[i / ell], i % ell);
            F[i] += alpha[rounds] * h[i];
            D[i] *= exp(-alpha[rounds] * sign * h[i]);
            z += D[i];
        }
        assert_true(wrong < 1e-6 || fabs(z - 2 * sqrt(e * (1 - e))) < 1e-9); /* eq. (14) */
        for (int64_t i = 0; i < N * ell; i++)
            D[i] /= z;
    }
    free(D);
    free(h);
    return rounds;
}

/* As it is printed, from e_t alone. */
static double theorem_6_as_printed(double ell, double rho, const double *error, int64_t t,
                                   double theta)
{
    double bound = ell / rho;
    for (int64_t r = 0; r < t; r++)
        bound *= 2 * sqrt(pow(error[r], 1 - theta) * pow(1 - error[r], 1 + theta));
    return bound;
}

static void test_bounds__are_never_violated_and_equal_on_training_examples(void **state)
{
    (void)state;
    static const char *const families[] = {"ova", "dense", "complete"};
    int useful = 0;
    for (uint64_t seed = 0; seed < 30; seed++)
        for (int c = 0; c < 3; c++) {
            pt_error err = PT_ERROR_INIT;
            pt_random random;
            pt_random_init(&random, seed, PT_RANDOM_TEST, 7);
            pt_code code = code_for(families[c], K);
            const double rho = rho_of(&code);
            int64_t y[N];
            for (int64_t i = 0; i < N; i++)
                y[i] = i % K;
            double alpha[T];
            double error[T];
            double *F = calloc((size_t)(N * code.ell), sizeof *F);
            const int64_t t = boost(&code, y, F, alpha, error, &random);
            const pt_boost_rounds rounds = {t, alpha, error};
            pt_boost_margins m = {0};
            small_must(pt_boost_margins_init(&m, &code, rho, &rounds, t, N, &err), &err, "margins");
            small_must(pt_boost_margins_add(&m, &code, N, F, y, NULL, &err), &err, "margins");
            pt_boost_margins_finish(&m);
            for (double theta = -0.2; theta <= 1; theta += 0.02) {
                const double share = pt_boost_margins_share(&m, theta);
                const double bound = pt_boost_margins_theorem_6(&m, theta);
                assert_true(share <= bound + 1e-12);
                assert_true(fabs(bound - pt_boost_margins_bound(&m, theta)) <= 1e-9 * bound);
                assert_true(fabs(bound - theorem_6_as_printed(m.ell, rho, error, t, theta)) <=
                            1e-9 * bound);
                useful += bound < 1;
            }
            pt_boost_margins_free(&m);
            free(F);
            pt_code_free(&code);
        }
    assert_true(useful > 0); /* else nothing was tested */
}

/* Models as anybody trains them. Three clouds that overlap; or three classes that one stump tells
 * apart, since the cells of one are missing: there e_t = 0. On the rows of training Theorem 6 and
 * what its proof says of the rows are one. */
static pt_dataset *clouds(bool apart, uint64_t seed)
{
    enum { ROWS = 90, FEATURES = 3, CLASSES = 3 };
    small x = small_clouds(ROWS, FEATURES, CLASSES, seed);
    for (int64_t i = 0; apart && i < ROWS; i++)
        x.x[i * FEATURES] = x.y[i] == 2 ? NAN : (double)x.y[i];
    pt_dataset *data = small_dataset(&x);
    small_free(&x);
    return data;
}

static void test_bounds__of_trained_models(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "machine=adaboost-mo,code=dense,draws=20,boost=discrete,rounds=15",
        "machine=adaboost-mh,boost=discrete,rounds=15",
        "machine=adaboost-mo,code=dense,draws=20,boost=discrete,rounds=2"};
    int useful = 0;
    for (int j = 0; j < 3; j++)
        for (int apart = 0; apart < 2; apart++)
            for (uint64_t seed = 0; seed < 5; seed++) {
                pt_error err = PT_ERROR_INIT;
                pt_report *e = NULL;
                pt_dataset *data = clouds(apart, seed);
                pt_model *model = small_train(data, settings[j], 1);
                const int64_t rounds[] = {1, pt_model_rounds(model)};
                pt_prediction *all = small_predict(model, data, 1);
                small_must(pt_model_evaluate(&e, model, data, all, NULL, NULL, &err), &err,
                           settings[j]);
                small_must(pt_evaluate_rounds(e, model, data, rounds, 2, NULL, &err), &err,
                           settings[j]);
                for (int stage = 0; stage < 2; stage++)
                    for (double theta = -0.2; theta <= 1; theta += 0.05) {
                        const double share = pt_evaluate_margin_share(e, stage, theta);
                        const double bound =
                            pt_evaluate_margin_bound(e, stage, PT_MARGIN_THEOREM_6, theta);
                        const double rows =
                            pt_evaluate_margin_bound(e, stage, PT_MARGIN_ROWS, theta);
                        assert_true(share <= bound * (1 + 1e-9));
                        assert_true(fabs(bound - rows) <= 1e-9 * bound);
                        useful += bound < 1;
                    }
                pt_report_free(e);
                pt_prediction_free(all);
                pt_model_free(model);
                pt_dataset_free(data);
            }
    assert_true(useful > 0); /* else nothing was tested */
}

static void test_bounds__of_other_examples_hold_too(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 8);
    pt_code code = code_for("dense", K);
    const double alpha[] = {0.5, 0.3, 0.2};
    const double error[] = {0.2, 0.3, 0.4};
    const pt_boost_rounds rounds = {3, alpha, error};
    for (int trial = 0; trial < 200; trial++) {
        double *F = calloc((size_t)(20 * code.ell), sizeof *F);
        int64_t y[20];
        for (int64_t i = 0; i < 20; i++) {
            y[i] = (int64_t)pt_random_below(&random, K);
            for (int64_t s = 0; s < code.ell; s++)
                for (int t = 0; t < 3; t++)
                    F[i * code.ell + s] += alpha[t] * (pt_random_below(&random, 5) ? 1 : -1) *
                                           pt_code_entry(&code, y[i], s);
        }
        pt_boost_margins m = {0};
        small_must(pt_boost_margins_init(&m, &code, rho_of(&code), &rounds, 3, 20, &err), &err,
                   "margins");
        small_must(pt_boost_margins_add(&m, &code, 20, F, y, NULL, &err), &err, "margins");
        pt_boost_margins_finish(&m);
        for (double theta = -1; theta <= 1; theta += 0.05)
            assert_true(pt_boost_margins_share(&m, theta) <=
                        pt_boost_margins_bound(&m, theta) + 1e-12);
        pt_boost_margins_free(&m);
        free(F);
    }
    pt_code_free(&code);
}

static void test_bounds__codes_with_zeros_have_none(void **state)
{
    (void)state;
    static const char *const families[] = {"ovo", "sparse"};
    for (int c = 0; c < 2; c++) {
        pt_error err = PT_ERROR_INIT;
        pt_code code = code_for(families[c], K);
        const double alpha[] = {0.5};
        const double error[] = {0.2};
        const pt_boost_rounds rounds = {1, alpha, error};
        pt_boost_margins m = {0};
        small_must(pt_boost_margins_init(&m, &code, 1, &rounds, 1, 1, &err), &err, "margins");
        assert_true(isnan(pt_boost_margins_theorem_6(&m, 0.1)));
        assert_true(isnan(pt_boost_margins_bound(&m, 0.1)));
        pt_boost_margins_free(&m);
        pt_code_free(&code);
    }
}

/* ---- Theorem 3 --------------------------------------------------------------------------------
 */

static void test_theorem_3__as_it_is_printed(void **state)
{
    (void)state;
    const double l = log(10.0 * 5000 / 7);
    const double expected = sqrt((7 * l * l / 0.04 + log(1 / 0.05)) / 5000);
    assert_true(fabs(pt_boost_theorem_3(7, 10, 5000, 0.2, 0.05) - expected) < 1e-12);
    assert_true(isnan(pt_boost_theorem_3(7, 10, 69, 0.2, 0.05))); /* m < vc ell */
    assert_false(isnan(pt_boost_theorem_3(7, 10, 70, 0.2, 0.05)));
    assert_true(isnan(pt_boost_theorem_3(7, 10, 5000, 0, 0.05)));
    assert_true(isnan(pt_boost_theorem_3(7, 10, 5000, 0.2, 0)));
}

/* The largest N with 2^N <= tests(N) 2^(branches ell), by trying them all. */
static void test_theorem_3__dimension_of_stumps(void **state)
{
    (void)state;
    const int64_t levels[] = {0, 3, 0, 5};
    for (int64_t d = 1; d <= 4; d++)
        for (int64_t ell = 1; ell < 6; ell++)
            for (int branches = 2; branches <= 3; branches++) {
                double largest = 0;
                for (double n = 0; n < 60; n++) {
                    double tests = 0;
                    for (int64_t j = 0; j < d; j++)
                        tests += levels[j] > 0 ? pow(2, (double)levels[j]) : n + 1;
                    if (n <= log2(tests) + branches * (double)ell + 1e-9)
                        largest = n;
                }
                assert_true(pt_boost_stump_vc(d, levels, ell, branches) == largest);
            }
    assert_true(pt_boost_stump_vc(1, NULL, 1, 2) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_margin__is_that_of_the_definition),
        cmocka_unit_test(test_margin__outputs_of_any_size),
        cmocka_unit_test(test_margin__before_the_first_round),
        cmocka_unit_test(test_bounds__are_never_violated_and_equal_on_training_examples),
        cmocka_unit_test(test_bounds__of_trained_models),
        cmocka_unit_test(test_bounds__of_other_examples_hold_too),
        cmocka_unit_test(test_bounds__codes_with_zeros_have_none),
        cmocka_unit_test(test_theorem_3__as_it_is_printed),
        cmocka_unit_test(test_theorem_3__dimension_of_stumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
