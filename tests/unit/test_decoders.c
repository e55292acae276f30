/* Decoders and label spaces against their definitions, computed the slow way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/code_reference.h"
#include "base/random.h"
#include "decoders/decoder.h"

enum { K = 5, ROWS = 200 };

static const double SIZE[K] = {3, 9, 4, 12, 7};

static pt_params *params_of(const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    if (pt_params_parse(params, text, &err) != PT_OK)
        fail_msg("%s: %s", text, err.text);
    return params;
}

static pt_label_space space_of(const pt_params *params)
{
    pt_error err = PT_ERROR_INIT;
    pt_label_space space = {0};
    if (pt_label_space_init(&space, params, K, SIZE, NULL, true, &err) != PT_OK)
        fail_msg("%s", err.text);
    return space;
}

/* The decision by the book: from f = M^T g alone, as HNR section 7.1 says. */
static double slow_score(const char *decoder, const pt_label_space *space, const double *f,
                         int64_t r)
{
    const double *M_r = space->M + r * space->ell;
    double sum = 0;
    double product = 1;
    for (int64_t s = 0; s < space->ell; s++) {
        const double p = 1 / (1 + exp(-2 * f[s]));
        const int agree = (M_r[s] > 0) - (M_r[s] < 0);
        const int sign = (f[s] > 0) - (f[s] < 0);
        if (strcmp(decoder, "inner") == 0)
            sum += M_r[s] * f[s];
        else if (strcmp(decoder, "nearest") == 0)
            sum -= (f[s] - M_r[s]) * (f[s] - M_r[s]);
        else if (strcmp(decoder, "hamming") == 0)
            sum -= (1 - agree * sign) / 2.0;
        else if (strcmp(decoder, "bayes") == 0)
            product *= agree > 0 ? p : agree < 0 ? 1 - p : 1;
    }
    if (strcmp(decoder, "wta") == 0)
        return f[r];
    return strcmp(decoder, "bayes") == 0 ? product : sum;
}

/* Every decoder with every labelbook: what it calls the best class has the best slow score. */
static void test_decoders__decide_as_defined(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 5, PT_RANDOM_TEST, 0);
    for (const pt_labelbook *const *book = pt_labelbooks; *book; book++)
        for (const pt_decoder *const *decoder = pt_decoders; *decoder; decoder++) {
            char text[100];
            snprintf(text, sizeof text, "labelbook=%s,decode=%s", (*book)->name, (*decoder)->name);
            pt_params *params = params_of(text);
            pt_label_space space = space_of(params);
            const pt_decoder *found = NULL;
            const pt_status status = pt_decoder_for(&found, params, &space, NULL);
            const bool of_codes = !(*decoder)->from_outputs && !(*decoder)->from_products;
            assert_int_equal(status, of_codes || ((*decoder)->one_per_class && space.ell != K)
                                         ? PT_EINVAL
                                         : PT_OK);
            for (int i = 0; i < ROWS && status == PT_OK; i++) {
                double g[K];
                double f[K];
                double work[2 * K];
                for (int r = 0; r < K; r++)
                    g[r] = pt_random_normal(&random);
                pt_label_space_outputs(&space, g, f);
                double direct[K];
                reference_decode_outputs(found, &space, 1, f, direct);
                pt_decode_class_outputs(found, &space, 1, g, work);
                const int64_t best = pt_first_largest(g, K);
                double largest = -INFINITY;
                for (int r = 0; r < K; r++)
                    largest = fmax(largest, slow_score((*decoder)->name, &space, f, r));
                const double got = slow_score((*decoder)->name, &space, f, best);
                if (!(got >= largest - 1e-12 * fabs(largest) - 1e-300))
                    fail_msg("%s: %g is not the best, %g", text, got, largest);
                assert_int_equal(pt_first_largest(direct, K), best);
            }
            pt_label_space_free(&space);
            pt_params_free(params);
        }
}

/* Large outputs must not blur: bayes on pm1 is the argmax at any scale (ASS: log loss, +-1). */
static void test_decoders__bayes_is_safe_when_saturated(void **state)
{
    (void)state;
    pt_params *params = params_of("labelbook=pm1,decode=bayes");
    pt_label_space space = space_of(params);
    const pt_decoder *bayes = pt_decoder_find("bayes");
    pt_random random;
    pt_random_init(&random, 6, PT_RANDOM_TEST, 0);
    const double scales[] = {1, 20, 400};
    for (int q = 0; q < 3; q++)
        for (int i = 0; i < ROWS; i++) {
            double f[K];
            double scores[K];
            for (int r = 0; r < K; r++)
                f[r] = scales[q] * pt_random_normal(&random);
            bayes->from_outputs(&space, 1, f, scores);
            assert_int_equal(pt_first_largest(scores, K), pt_first_largest(f, K));
        }
    pt_label_space_free(&space);
    pt_params_free(params);
}

static void expect_products(const char *text, double (*kernel)(double rr, double cc, double rc))
{
    char plain[100];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(text, ","), text);
    pt_params *base_params = params_of(plain);
    pt_params *params = params_of(text);
    pt_label_space base = space_of(base_params);
    pt_label_space space = space_of(params);
    assert_null(space.M);
    assert_int_equal(space.ell, 0);
    for (int r = 0; r < K; r++)
        for (int c = 0; c < K; c++) {
            const double want = kernel(base.Q[r * K + r], base.Q[c * K + c], base.Q[r * K + c]);
            assert_true(fabs(space.Q[r * K + c] - want) < 1e-12 * (1 + fabs(want)));
        }
    if (space.alike)
        assert_true(fabs(space.on - (space.Q[0] - space.Q[1])) < 1e-12);
    const pt_decoder *decoder = NULL;
    pt_params *hamming = params_of("decode=hamming");
    assert_int_equal(pt_decoder_for(&decoder, params, &space, NULL), PT_OK);
    assert_int_equal(pt_decoder_for(&decoder, hamming, &space, NULL), PT_EINVAL);
    pt_params_free(hamming);
    pt_label_space_free(&base);
    pt_label_space_free(&space);
    pt_params_free(base_params);
    pt_params_free(params);
}

static double rbf(double rr, double cc, double rc)
{
    return exp(-(rr + cc - 2 * rc) / (2 * 1.5 * 1.5));
}

static double poly(double rr, double cc, double rc)
{
    (void)rr;
    (void)cc;
    return pow(rc + 0.5, 3);
}

static void test_label_space__kernels_on_the_labels(void **state)
{
    (void)state;
    expect_products("labelbook=mincorr,label-kernel=rbf,label-sigma=1.5", rbf);
    expect_products("labelbook=fisher,label-kernel=rbf,label-sigma=1.5", rbf);
    expect_products("labelbook=pm1,label-kernel=poly,label-degree=3,label-coef0=0.5", poly);
}

static void test_label_space__given_matrix_is_checked(void **state)
{
    (void)state;
    pt_params *params = params_of("label-kernel=q.csv");
    pt_label_space space = {0};
    double Q[K * K] = {0};
    pt_error err = PT_ERROR_INIT;
    for (int r = 0; r < K; r++)
        Q[r * K + r] = 1;
    Q[1] = Q[K] = 0.5;
    assert_int_equal(pt_label_space_init(&space, params, K, SIZE, Q, true, &err), PT_OK);
    int64_t component[K];
    assert_int_equal(pt_label_space_components(&space, component), 4);
    assert_int_equal(component[1], 0);
    assert_int_equal(component[2], 1);
    assert_int_equal(component[4], 3);
    pt_label_space_free(&space);
    Q[1] = Q[K] = 2; /* not positive semidefinite */
    assert_int_equal(pt_label_space_init(&space, params, K, SIZE, Q, true, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "semidefinite"));
    Q[1] = 0.5; /* not symmetric */
    assert_int_equal(pt_label_space_init(&space, params, K, SIZE, Q, true, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "symmetric"));
    pt_params_free(params);
}

/* The short way to M M^T equals the long one, for every labelbook. */
static void test_label_space__products_are_those_of_the_vectors(void **state)
{
    (void)state;
    for (const pt_labelbook *const *book = pt_labelbooks; *book; book++) {
        char text[60];
        snprintf(text, sizeof text, "labelbook=%s", (*book)->name);
        pt_params *params = params_of(text);
        pt_label_space space = space_of(params);
        for (int r = 0; r < K; r++)
            for (int c = 0; c < K; c++) {
                double sum = 0;
                for (int64_t s = 0; s < space.ell; s++)
                    sum += space.M[r * space.ell + s] * space.M[c * space.ell + s];
                assert_true(fabs(space.Q[r * K + c] - sum) < 1e-11);
            }
        pt_label_space_free(&space);
        pt_params_free(params);
    }
}

/* Two classes of +-1 vectors: (-2)^2 = 2^2, nothing is left to tell them apart. */
static void test_label_space__equal_classes_are_refused(void **state)
{
    (void)state;
    pt_params *params = params_of("label-kernel=poly,label-degree=2,label-coef0=0");
    pt_label_space space = {0};
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_label_space_init(&space, params, 2, SIZE, NULL, false, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "classes 1 and 2"));
    assert_null(space.Q);
    pt_params *file = params_of("label-kernel=q.csv");
    const double equal[4] = {1, 1, 1, 1};
    assert_int_equal(pt_label_space_init(&space, file, 2, SIZE, equal, false, &err), PT_EINVAL);
    assert_null(space.Q);
    pt_params_free(file);
    pt_params_free(params);
}

/* A file of a few bytes may name a million classes: no matrix is made for them. */
static void test_label_space__too_many_classes(void **state)
{
    (void)state;
    pt_params *params = params_of("decode=hamming");
    pt_label_space space = {0};
    pt_error err = PT_ERROR_INIT;
    const int64_t k = 1000000;
    assert_int_equal(pt_label_space_init(&space, params, k, NULL, NULL, true, &err), PT_ELIMIT);
    assert_int_equal(pt_label_space_init(&space, params, k, NULL, NULL, false, &err), PT_OK);
    assert_true(space.alike && space.on == 4);
    pt_label_space_free(&space);
    pt_params_free(params);
}

static void test_label_space__components_follow_zeros(void **state)
{
    (void)state;
    int64_t component[K];
    pt_params *indicator = params_of("labelbook=indicator");
    pt_label_space space = space_of(indicator);
    assert_int_equal(pt_label_space_components(&space, component), K);
    pt_label_space_free(&space);
    pt_params *pm1 = params_of("labelbook=pm1");
    space = space_of(pm1);
    assert_int_equal(pt_label_space_components(&space, component), 1);
    pt_label_space_free(&space);
    pt_error err = PT_ERROR_INIT; /* pm1 with four classes: M_r . M_c = 0 */
    assert_int_equal(pt_label_space_init(&space, pm1, 4, SIZE, NULL, true, &err), PT_OK);
    assert_int_equal(pt_label_space_components(&space, component), 4);
    pt_label_space_free(&space);
    pt_params_free(indicator);
    pt_params_free(pm1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decoders__decide_as_defined),
        cmocka_unit_test(test_decoders__bayes_is_safe_when_saturated),
        cmocka_unit_test(test_label_space__kernels_on_the_labels),
        cmocka_unit_test(test_label_space__given_matrix_is_checked),
        cmocka_unit_test(test_label_space__products_are_those_of_the_vectors),
        cmocka_unit_test(test_label_space__equal_classes_are_refused),
        cmocka_unit_test(test_label_space__too_many_classes),
        cmocka_unit_test(test_label_space__components_follow_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
