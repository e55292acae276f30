/* oneLSM against what HNR proves about it, and against a slow solver in long double.
 *
 * The machine is looked at from outside. With the kernel `precomputed` a row of data is a row of K,
 * so that the scores of the unit vector e_i are M A^T e_i: for the indicator labelbook (M = I) the
 * scores of the identity matrix are the coefficients A themselves. With the linear kernel the
 * scores of e_j are row j of W. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/dense_reference.h"
#include "codes/vectors/labelbook.h"

/* ---------------------------------------------------------------------------------- the reference
 */

/* Label vectors: n x ell, the class's row of M. */
static double *label_vectors(const small *s, const double *M, int64_t ell)
{
    double *Y = calloc((size_t)(s->n * ell), sizeof *Y);
    for (int64_t i = 0; i < s->n; i++)
        memcpy(Y + i * ell, M + s->y[i] * ell, (size_t)ell * sizeof *Y);
    return Y;
}

/* Scores of `on` by the book: f(x) = A^T kappa_x, scores M f(x); on->n x k. */
static double *reference_scores(const small *s, const small *on, kernel_fn kernel,
                                const pt_labelbook *book)
{
    const int64_t ell = book->ell(s->k);
    double *M = calloc((size_t)(s->k * ell), sizeof *M);
    double *size = calloc((size_t)s->k, sizeof *size);
    for (int64_t i = 0; i < s->n; i++)
        size[s->y[i]] += s->weight ? s->weight[i] : 1;
    book->fill(s->k, size, M);
    free(size);
    double *K = gram(s, s, kernel);
    double *S = regularised(K, s);
    double *Y = label_vectors(s, M, ell);
    double *A = reference_solve(S, Y, s->n, ell);
    double *kappa = gram(on, s, kernel);
    double *f = calloc((size_t)ell, sizeof *f);
    double *scores = calloc((size_t)(on->n * s->k), sizeof *scores);
    for (int64_t i = 0; i < on->n; i++) {
        memset(f, 0, (size_t)ell * sizeof *f);
        for (int64_t j = 0; j < s->n; j++)
            for (int64_t t = 0; t < ell; t++)
                f[t] += kappa[i * s->n + j] * A[j * ell + t];
        for (int64_t r = 0; r < s->k; r++)
            scores[i * s->k + r] = dot(M + r * ell, f, ell);
    }
    free(M), free(K), free(S), free(Y), free(A), free(kappa), free(f);
    return scores;
}

/* ---------------------------------------------------------------------------------- helpers */

static small identity(int64_t n)
{
    small s = {n, n, 0, calloc((size_t)(n * n), sizeof(double)), NULL, NULL};
    for (int64_t i = 0; i < n; i++)
        s.x[i * n + i] = 1;
    return s;
}

/* `s` with its kernel matrix in place of its features. */
static small precomputed(const small *s, kernel_fn kernel)
{
    small p = {s->n, s->n, s->k, gram(s, s, kernel), NULL, NULL};
    p.y = calloc((size_t)s->n, sizeof *p.y);
    memcpy(p.y, s->y, (size_t)s->n * sizeof *p.y);
    return p;
}

/* ---------------------------------------------------------------------------------- the tests */

/* Every kernel, every labelbook, k from 2 to 5, both precisions, with and without weights. With
 * indicators the scores are equal, with other labelbooks up to a number that all classes share. */
static void test_onelsm__equals_a_dense_solve(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 5; k++) {
        small s = small_clouds(40, 3, k, (uint64_t)k);
        small on = small_clouds(17, 3, k, 77);
        if (k % 2 == 1) {
            s.weight = calloc((size_t)s.n, sizeof *s.weight);
            for (int64_t i = 0; i < s.n; i++)
                s.weight[i] = 0.25 + (double)(i % 5);
        }
        for (int q = 0; q < N_KERNELS; q++)
            for (const pt_labelbook *const *book = pt_labelbooks; *book; book++)
                for (int single = 0; single < 2; single++) {
                    char options[200];
                    snprintf(options, sizeof options,
                             "machine=onelsm,scale=none,ridge=0.3,labelbook=%s,precision=%s,%s",
                             (*book)->name, single ? "float" : "double", KERNELS[q].options);
                    double *got = scores_of(&s, options, &on);
                    double *want = reference_scores(&s, &on, KERNELS[q].kernel, *book);
                    if (strcmp((*book)->name, "indicator") != 0 && (*book)->on) {
                        centre_rows(got, on.n, k);
                        centre_rows(want, on.n, k);
                    }
                    expect_close(got, want, on.n * k, single ? 1e-4 : 1e-10, options);
                    free(got);
                    free(want);
                }
        small_free(&s);
        small_free(&on);
    }
}

/* (K + gamma I) A = Y, the residual relative to Y (largest entry 1). */
static void test_onelsm__residual_is_small(void **state)
{
    (void)state;
    small s = small_clouds(60, 4, 4, 5);
    small unit = identity(s.n);
    for (int q = 0; q < N_KERNELS; q++) {
        small p = precomputed(&s, KERNELS[q].kernel);
        double *A = scores_of(&p,
                              "machine=onelsm,kernel=precomputed,ridge=0.3,labelbook=indicator,"
                              "precision=double",
                              &unit);
        for (int64_t i = 0; i < s.n; i++)
            for (int64_t r = 0; r < s.k; r++) {
                long double sum = REFERENCE_RIDGE * A[i * s.k + r] - (s.y[i] == r);
                for (int64_t j = 0; j < s.n; j++)
                    sum += (long double)p.x[i * s.n + j] * A[j * s.k + r];
                assert_true(fabsl(sum) < 1e-10L);
            }
        free(A);
        small_free(&p);
    }
    small_free(&unit);
    small_free(&s);
}

/* HNR Proposition 1: A^T Y is symmetric. */
static void test_onelsm__a_transposed_y_is_symmetric(void **state)
{
    (void)state;
    small s = small_clouds(50, 3, 5, 6);
    small unit = identity(s.n);
    small p = precomputed(&s, kernel_rbf);
    double *A = scores_of(
        &p, "machine=onelsm,kernel=precomputed,ridge=0.3,labelbook=indicator,precision=double",
        &unit);
    double B[5][5] = {{0}};
    for (int64_t i = 0; i < s.n; i++)
        for (int64_t r = 0; r < s.k; r++)
            B[r][s.y[i]] += A[i * s.k + r];
    double size = 0;
    for (int r = 0; r < 5; r++)
        for (int t = 0; t < 5; t++) {
            assert_true(fabs(B[r][t] - B[t][r]) < 1e-11);
            size = fmax(size, fabs(B[r][t]));
        }
    assert_true(size > 0.1);
    free(A);
    small_free(&p);
    small_free(&unit);
    small_free(&s);
}

/* HNR Theorem 5: the decision does not depend on the labelbook; nor do the bits of the order. */
static void test_onelsm__labelbook_leaves_decision(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 6; k++) {
        small s = small_clouds(12 * k, 2, k, 100 + (uint64_t)k);
        small on = small_clouds(300, 2, k, 200 + (uint64_t)k);
        pt_dataset *train = small_dataset(&s);
        pt_dataset *test = small_dataset(&on);
        int64_t *first = calloc((size_t)on.n, sizeof *first);
        for (const pt_labelbook *const *book = pt_labelbooks; *book; book++) {
            if (!(*book)->on)
                continue; /* not all classes alike: the theorem does not apply */
            char options[120];
            snprintf(options, sizeof options, "machine=onelsm,sigma=0.6,ridge=0.01,labelbook=%s",
                     (*book)->name);
            pt_model *model = small_train(train, options, 1);
            pt_prediction *prediction = small_predict(model, test, 1);
            const int64_t *labels = pt_prediction_labels(prediction);
            if (book == pt_labelbooks)
                memcpy(first, labels, (size_t)on.n * sizeof *first);
            else
                assert_memory_equal(first, labels, (size_t)on.n * sizeof *first);
            pt_prediction_free(prediction);
            pt_model_free(model);
        }
        free(first);
        pt_dataset_free(train);
        pt_dataset_free(test);
        small_free(&s);
        small_free(&on);
    }
}

/* HNR Proposition 2: with a linear kernel the primal (d < n) and the dual give the same scores. The
 * dual is asked for by handing over X X^T as a precomputed kernel. */
static void test_onelsm__primal_equals_dual(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        small s = small_clouds(45, 4, 3, 8);
        small on = small_clouds(20, 4, 3, 9);
        if (weighted) {
            s.weight = calloc((size_t)s.n, sizeof *s.weight);
            for (int64_t i = 0; i < s.n; i++)
                s.weight[i] = 0.5 + (double)(i % 4);
        }
        small p = precomputed(&s, kernel_linear);
        p.weight = s.weight;
        small kappa = {on.n, s.n, s.k, gram(&on, &s, kernel_linear), NULL, NULL};
        double *primal = scores_of(
            &s, "machine=onelsm,kernel=linear,scale=none,ridge=0.3,precision=double", &on);
        double *dual = scores_of(
            &p, "machine=onelsm,kernel=precomputed,scale=none,ridge=0.3,precision=double", &kappa);
        expect_close(primal, dual, on.n * s.k, 1e-10, "primal and dual");
        free(primal);
        free(dual);
        p.weight = NULL;
        small_free(&p);
        small_free(&kappa);
        small_free(&s);
        small_free(&on);
    }
}

/* X^T (X W - Y) + gamma W = 0 for the linear machine: the gradient of its objective. */
static void test_onelsm__gradient_vanishes(void **state)
{
    (void)state;
    for (int64_t d = 3; d <= 60; d += 57) { /* primal, then dual */
        small s = small_clouds(40, d, 4, 11);
        small unit = identity(d);
        double *W =
            scores_of(&s,
                      "machine=onelsm,kernel=linear,scale=none,ridge=0.3,labelbook=indicator,"
                      "precision=double",
                      &unit);
        for (int64_t j = 0; j < d; j++)
            for (int64_t r = 0; r < s.k; r++) {
                double gradient = REFERENCE_RIDGE * W[j * s.k + r];
                for (int64_t i = 0; i < s.n; i++) {
                    double residual = -(double)(s.y[i] == r);
                    for (int64_t q = 0; q < d; q++)
                        residual += s.x[i * d + q] * W[q * s.k + r];
                    gradient += s.x[i * d + j] * residual;
                }
                assert_true(fabs(gradient) < 1e-10);
            }
        free(W);
        small_free(&unit);
        small_free(&s);
    }
}

/* A Gaussian so narrow that its values underflow in float32: the labels are those of double. */
static void test_onelsm__narrow_kernel_in_float(void **state)
{
    (void)state;
    small s = small_clouds(60, 3, 4, 13);
    small on = small_clouds(90, 3, 4, 14);
    for (int sparse = 0; sparse < 2; sparse++) {
        pt_dataset *train = sparse ? small_sparse_dataset(&s) : small_dataset(&s);
        pt_dataset *test = sparse ? small_sparse_dataset(&on) : small_dataset(&on);
        double *single =
            small_scores(train, "scale=none,kernel=rbf,sigma=0.03,ridge=0.1,precision=float", test);
        double *wide = small_scores(
            train, "scale=none,kernel=rbf,sigma=0.03,ridge=0.1,precision=double", test);
        int64_t faint = 0;
        for (int64_t i = 0; i < on.n; i++) {
            const int64_t best = small_argmax(wide + i * s.k, s.k);
            assert_int_equal(small_argmax(single + i * s.k, s.k), best);
            faint += fabs(wide[i * s.k + best]) < 1e-38 && wide[i * s.k + best] != 0;
        }
        assert_true(faint > 10); /* the test meets what it is about */
        free(single);
        free(wide);
        pt_dataset_free(train);
        pt_dataset_free(test);
    }
    small_free(&s);
    small_free(&on);
}

/* Sparse rows give what dense rows give. */
static void test_onelsm__sparse_equals_dense(void **state)
{
    (void)state;
    small s = small_clouds(40, 9, 3, 12);
    for (int64_t i = 0; i < s.n * s.d; i++)
        if (i * 7 % 5 < 3)
            s.x[i] = 0;
    pt_dataset *dense = small_dataset(&s);
    pt_dataset *sparse = small_sparse_dataset(&s);
    static const char *const options[] = {
        "scale=none,precision=double,ridge=0.3,kernel=linear",
        "scale=none,precision=double,ridge=0.3,kernel=rbf,sigma=1.1",
        "scale=none,precision=double,ridge=0.3,kernel=laplacian,sigma=1.1",
        "scale=none,precision=double,ridge=0.3,kernel=poly,sigma=1,degree=2",
    };
    for (int i = 0; i < 4; i++) {
        double *a = small_scores(dense, options[i], dense);
        double *b = small_scores(sparse, options[i], sparse);
        expect_close(a, b, s.n * s.k, 1e-10, options[i]);
        free(a);
        free(b);
    }
    pt_dataset_free(dense);
    pt_dataset_free(sparse);
    small_free(&s);
}

/* Large coefficients of both signs: scores of a float32 machine stay what they are in double. The
 * data are multiples of 1/8, which float32 holds exactly. */
static void test_onelsm__cancelling_coefficients_do_not_blur_scores(void **state)
{
    (void)state;
    const char *const kernels[] = {"kernel=rbf,sigma=40", "kernel=poly,sigma=4,degree=2",
                                   "kernel=linear"};
    small s = small_clouds(120, 4, 3, 31);
    for (int64_t i = 0; i < s.n * s.d; i++)
        s.x[i] = round(8 * s.x[i]) / 8;
    for (int64_t i = 0; i < s.n; i++) /* nearly the first column: the linear machine cancels too */
        s.x[i * s.d + 3] = s.x[i * s.d] + (double)(i % 3) / 4096;
    pt_dataset *data = small_dataset(&s);
    for (size_t c = 0; c < sizeof kernels / sizeof *kernels; c++) {
        char options[160];
        snprintf(options, sizeof options, "%s,ridge=1e-7,scale=none,labelbook=indicator",
                 kernels[c]);
        double *single = small_scores(data, options, data);
        snprintf(options, sizeof options,
                 "%s,ridge=1e-7,scale=none,labelbook=indicator,precision=double", kernels[c]);
        double *exact = small_scores(data, options, data);
        if (!(small_distance(single, exact, s.n * s.k) < 1e-3))
            fail_msg("%s: scores differ by %g", kernels[c],
                     small_distance(single, exact, s.n * s.k));
        free(single);
        free(exact);
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_onelsm__equals_a_dense_solve),
        cmocka_unit_test(test_onelsm__residual_is_small),
        cmocka_unit_test(test_onelsm__a_transposed_y_is_symmetric),
        cmocka_unit_test(test_onelsm__labelbook_leaves_decision),
        cmocka_unit_test(test_onelsm__primal_equals_dual),
        cmocka_unit_test(test_onelsm__gradient_vanishes),
        cmocka_unit_test(test_onelsm__narrow_kernel_in_float),
        cmocka_unit_test(test_onelsm__sparse_equals_dense),
        cmocka_unit_test(test_onelsm__cancelling_coefficients_do_not_blur_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
