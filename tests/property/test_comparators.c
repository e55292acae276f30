/* The machines that HNR measures against, each against the system that its authors print, solved
 * densely in long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/code_reference.h"
#include "../support/dense_reference.h"
#include "base/math.h"
#include "codes/vectors/label_space.h"
#include "decoders/decoder.h"

/* Weights where k is odd. */
static small clouds(int64_t n, int64_t k, uint64_t seed)
{
    small s = small_clouds(n, 3, k, seed);
    if (k % 2 == 1) {
        s.weight = calloc((size_t)s.n, sizeof *s.weight);
        for (int64_t i = 0; i < s.n; i++)
            s.weight[i] = 0.25 + (double)(i % 5);
    }
    return s;
}

/* The kernels of the reference, and both precisions, for one machine. `want` gives the scores by
 * the book. */
typedef double *(*by_the_book)(const small *s, const small *on, kernel_fn kernel);

static void expect_book(const char *machine, by_the_book book, bool shared_term)
{
    for (int64_t k = 2; k <= 5; k++) {
        small s = clouds(40, k, (uint64_t)k);
        small on = small_clouds(17, 3, k, 77);
        for (int q = 0; q < N_KERNELS; q++) {
            double *want = book(&s, &on, KERNELS[q].kernel);
            if (shared_term)
                centre_rows(want, on.n, k);
            for (int single = 0; single < 2; single++) {
                char options[200];
                snprintf(options, sizeof options, "machine=%s,scale=none,ridge=0.3,precision=%s,%s",
                         machine, single ? "float" : "double", KERNELS[q].options);
                double *got = scores_of(&s, options, &on);
                if (shared_term)
                    centre_rows(got, on.n, k);
                expect_close(got, want, on.n * k, single ? 1e-4 : 1e-10, options);
                free(got);
            }
            free(want);
        }
        small_free(&s);
        small_free(&on);
    }
}

/* ---------------------------------------------------------------------------------- ls-ova */

/* (K + ridge W^-1) a_r = y_r for each class. */
static double *ova_book(const small *s, const small *on, kernel_fn kernel)
{
    double *K = gram(s, s, kernel);
    double *S = regularised(K, s);
    double *kappa = gram(on, s, kernel);
    double *y = calloc((size_t)s->n, sizeof *y);
    double *scores = calloc((size_t)(on->n * s->k), sizeof *scores);
    for (int64_t r = 0; r < s->k; r++) {
        for (int64_t i = 0; i < s->n; i++)
            y[i] = s->y[i] == r ? 1 : -1;
        double *a = reference_solve(S, y, s->n, 1);
        for (int64_t i = 0; i < on->n; i++)
            scores[i * s->k + r] = dot(kappa + i * s->n, a, s->n);
        free(a);
    }
    free(K), free(S), free(kappa), free(y);
    return scores;
}

static void test_ls_ova__equals_a_dense_solve_for_each_class(void **state)
{
    (void)state;
    expect_book("ls-ova", ova_book, false);
}

static void expect_same_decisions(const char *a, const char *b, uint64_t seed)
{
    for (int64_t k = 2; k <= 6; k++) {
        small s = small_clouds(12 * k, 2, k, seed + (uint64_t)k);
        small on = small_clouds(300, 2, k, seed + 50 + (uint64_t)k);
        double *of_a = scores_of(&s, a, &on);
        double *of_b = scores_of(&s, b, &on);
        for (int64_t i = 0; i < on.n; i++)
            assert_int_equal(small_argmax(of_a + i * k, k), small_argmax(of_b + i * k, k));
        free(of_a);
        free(of_b);
        small_free(&s);
        small_free(&on);
    }
}

/* HNR Theorem 5. */
static void test_ls_ova__decides_as_onelsm_does(void **state)
{
    (void)state;
    expect_same_decisions("machine=ls-ova,sigma=0.6,ridge=0.01,precision=double",
                          "machine=onelsm,sigma=0.6,ridge=0.01,labelbook=pm1,precision=double",
                          300);
}

/* ---------------------------------------------------------------------------------- ls-ovo */

/* The examples of classes p and q. */
static small pair_of(const small *s, int64_t p, int64_t q)
{
    small pair = {0,
                  s->d,
                  2,
                  calloc((size_t)(s->n * s->d), sizeof(double)),
                  calloc((size_t)s->n, sizeof(int64_t)),
                  NULL};
    if (s->weight)
        pair.weight = calloc((size_t)s->n, sizeof(double));
    for (int64_t i = 0; i < s->n; i++) {
        if (s->y[i] != p && s->y[i] != q)
            continue;
        memcpy(pair.x + pair.n * s->d, s->x + i * s->d, (size_t)s->d * sizeof(double));
        if (s->weight)
            pair.weight[pair.n] = s->weight[i];
        pair.y[pair.n++] = s->y[i] == q;
    }
    return pair;
}

/* on->n x k(k-1)/2: f_pq of every pair, each solved on its own. */
static double *pair_outputs(const small *s, const small *on, kernel_fn kernel)
{
    const int64_t ell = pt_pairs_count(s->k);
    double *f = calloc((size_t)(on->n * ell), sizeof *f);
    int64_t column = 0;
    for (int64_t p = 0; p < s->k; p++)
        for (int64_t q = p + 1; q < s->k; q++, column++) {
            small pair = pair_of(s, p, q);
            double *scores = ova_book(&pair, on, kernel); /* of 0 against 1: y = +1 for p */
            for (int64_t i = 0; i < on->n; i++)
                f[i * ell + column] = scores[i * 2];
            free(scores);
            small_free(&pair);
        }
    return f;
}

/* Decoded with the matrix of the whole code. */
static double *ovo_book(const small *s, const small *on, kernel_fn kernel, const char *decode)
{
    const int64_t k = s->k;
    const int64_t ell = pt_pairs_count(k);
    pt_error err = PT_ERROR_INIT;
    double *M = calloc((size_t)(k * ell), sizeof *M);
    double *scores = calloc((size_t)(on->n * k), sizeof *scores);
    pt_label_space space = {0};
    reference_pairs(k, M);
    small_must(pt_label_space_from(&space, k, ell, M, NULL, &err), &err, "all pairs");
    double *f = pair_outputs(s, on, kernel);
    reference_decode_outputs(pt_decoder_find(decode), &space, on->n, f, scores);
    pt_label_space_free(&space);
    free(M), free(f);
    return scores;
}

static const char *const DECODERS[] = {"hamming", "inner", "nearest", "bayes"};

/* Every kernel and decoder; Hamming distance counts pairs of other classes as one half, which all
 * classes share. */
static void test_ls_ovo__equals_pairs_decoded_with_the_whole_code(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 5; k++) {
        small s = clouds(40, k, 400 + (uint64_t)k);
        small on = small_clouds(17, 3, k, 79);
        for (int q = 0; q < N_KERNELS; q++)
            for (int t = 0; t < 4; t++) {
                char options[200];
                snprintf(options, sizeof options,
                         "machine=ls-ovo,scale=none,ridge=0.3,precision=double,decode=%s,%s",
                         DECODERS[t], KERNELS[q].options);
                double *want = ovo_book(&s, &on, KERNELS[q].kernel, DECODERS[t]);
                double *got = scores_of(&s, options, &on);
                centre_rows(want, on.n, k);
                centre_rows(got, on.n, k);
                expect_close(got, want, on.n * k, 1e-9, options);
                free(got);
                free(want);
            }
        small_free(&s);
        small_free(&on);
    }
}

/* Votes unless something else is asked for. */
static void test_ls_ovo__votes_by_default(void **state)
{
    (void)state;
    small s = small_clouds(60, 3, 4, 31);
    pt_dataset *data = small_dataset(&s);
    double *standard = small_scores(data, "machine=ls-ovo,sigma=1,ridge=0.1", data);
    double *votes = small_scores(data, "machine=ls-ovo,sigma=1,ridge=0.1,decode=hamming", data);
    double *sums = small_scores(data, "machine=ls-ovo,sigma=1,ridge=0.1,decode=inner", data);
    assert_true(small_distance(standard, votes, s.n * 4) == 0);
    assert_true(small_distance(standard, sums, s.n * 4) > 0.1);
    for (int64_t i = 0; i < s.n * 4; i++) { /* half of won less lost pairs, of three */
        const double won = standard[i] + 1.5;
        assert_true(won == floor(won) && won >= 0 && won <= 3);
    }
    free(standard), free(votes), free(sums);
    pt_dataset_free(data);
    small_free(&s);
}

/* A kernel matrix in place of the rows; new rows may be sparse. */
static void test_comparators__precomputed_kernel_equals_the_kernel(void **state)
{
    (void)state;
    static const char *const machines[] = {"ls-ova", "ls-ovo", "suykens"};
    small s = small_clouds(45, 3, 3, 32);
    small on = small_clouds(12, 3, 3, 33);
    small square = {s.n, s.n, 3, gram(&s, &s, kernel_rbf), s.y, NULL};
    small across = {on.n, s.n, 3, gram(&on, &s, kernel_rbf), NULL, NULL};
    pt_dataset *train = small_dataset(&square);
    pt_dataset *dense = small_dataset(&across);
    pt_dataset *sparse = small_sparse_dataset(&across);
    for (int i = 0; i < 3; i++) {
        char a[200];
        char b[200];
        const char *rule = i == 1 ? ",decode=inner" : "";
        snprintf(a, sizeof a, "machine=%s,kernel=precomputed,ridge=0.3,precision=double%s",
                 machines[i], rule);
        snprintf(b, sizeof b,
                 "machine=%s,kernel=rbf,sigma=1.1,ridge=0.3,scale=none,precision=double%s",
                 machines[i], rule);
        double *want = scores_of(&s, b, &on);
        double *got = small_scores(train, a, dense);
        double *again = small_scores(train, a, sparse);
        expect_close(got, want, on.n * 3, 1e-9, a);
        expect_close(again, want, on.n * 3, 1e-9, a);
        free(want), free(got), free(again);
    }
    pt_dataset_free(train);
    pt_dataset_free(dense);
    pt_dataset_free(sparse);
    free(square.x), free(across.x);
    small_free(&s);
    small_free(&on);
}

/* ---------------------------------------------------------------------------------- suykens */

/* Adds the block of output s to the printed system of order ell n + ell: b first, then alpha. */
static void print_block(double *S, int64_t order, int64_t s, int64_t ell, int64_t n,
                        const double *K, const double *y)
{
    const int64_t at = ell + s * n;
    for (int64_t i = 0; i < n; i++) {
        S[s * order + at + i] = y[i];
        S[(at + i) * order + s] = y[i];
        for (int64_t j = 0; j < n; j++)
            S[(at + i) * order + at + j] = y[i] * K[i * n + j] * y[j];
    }
}

/* The whole system at once, for the code +-1; scores are M_r . f(x). */
static double *suykens_book(const small *s, const small *on, kernel_fn kernel)
{
    const int64_t n = s->n;
    const int64_t ell = s->k;
    const int64_t order = ell * n + ell;
    double *K = gram(s, s, kernel);
    double *kappa = gram(on, s, kernel);
    double *S = calloc((size_t)(order * order), sizeof *S);
    double *right = calloc((size_t)order, sizeof *right);
    double *y = calloc((size_t)(ell * n), sizeof *y);
    for (int64_t t = 0; t < ell; t++) {
        for (int64_t i = 0; i < n; i++)
            y[t * n + i] = s->y[i] == t ? 1 : -1;
        print_block(S, order, t, ell, n, K, y + t * n);
    }
    for (int64_t i = ell; i < order; i++) {
        S[i * order + i] += REFERENCE_RIDGE / (s->weight ? s->weight[(i - ell) % n] : 1);
        right[i] = 1;
    }
    double *x = reference_solve(S, right, order, 1);
    double *scores = calloc((size_t)(on->n * s->k), sizeof *scores);
    for (int64_t i = 0; i < on->n; i++)
        for (int64_t t = 0; t < ell; t++) {
            double f = x[t];
            for (int64_t j = 0; j < n; j++)
                f += x[ell + t * n + j] * y[t * n + j] * kappa[i * n + j];
            for (int64_t r = 0; r < s->k; r++)
                scores[i * s->k + r] += (r == t ? 1 : -1) * f;
        }
    free(K), free(kappa), free(S), free(right), free(y), free(x);
    return scores;
}

static void test_suykens__equals_the_printed_system(void **state)
{
    (void)state;
    expect_book("suykens", suykens_book, true);
}

/* The bias makes the outputs of the indicators sum to 1 everywhere, however far away. */
static void test_suykens__class_outputs_sum_to_one(void **state)
{
    (void)state;
    small s = clouds(30, 5, 9);
    small on = small_clouds(20, 3, 5, 10);
    for (int64_t i = 0; i < on.n * on.d; i++)
        on.x[i] *= (double)(1 + i % 40);
    for (int q = 0; q < N_KERNELS; q++) {
        char options[200];
        snprintf(options, sizeof options,
                 "machine=suykens,labelbook=indicator,scale=none,ridge=0.3,precision=double,%s",
                 KERNELS[q].options);
        double *scores = scores_of(&s, options, &on);
        for (int64_t i = 0; i < on.n; i++) {
            double sum = 0;
            for (int64_t r = 0; r < 5; r++)
                sum += scores[i * 5 + r];
            assert_true(fabs(sum - 1) < 1e-7);
        }
        free(scores);
    }
    small_free(&s);
    small_free(&on);
}

/* ---------------------------------------------------------------------------------- elm */

static const char *const ACTIVATIONS[] = {"sigmoid", "sine", "hardlimit", "rbf"};

static double activate(int which, const double *w, double b, const double *x, int64_t d)
{
    double square = 0;
    for (int64_t j = 0; j < d; j++)
        square += (x[j] - w[j]) * (x[j] - w[j]);
    const double v = dot(w, x, d) + b;
    return which == 0   ? 1 / (1 + exp(-v))
           : which == 1 ? sin(v)
           : which == 2 ? (double)(v >= 0)
                        : exp(-(1 + b) / 2 * square);
}

/* rows.n x hidden; the nodes are those of the seed 1. */
static double *hidden_outputs(const small *s, int64_t hidden, int which)
{
    double *H = calloc((size_t)(s->n * hidden), sizeof *H);
    for (int64_t j = 0; j < hidden; j++) {
        double w[3];
        pt_random random;
        pt_random_init(&random, 1, PT_RANDOM_HIDDEN, (uint64_t)j);
        const double b = 1 - 2 * pt_random_uniform(&random);
        for (int64_t t = 0; t < 3; t++)
            w[t] = 1 - 2 * pt_random_uniform(&random);
        for (int64_t i = 0; i < s->n; i++)
            H[i * hidden + j] = activate(which, w, b, s->x + i * 3, 3);
    }
    return H;
}

/* (H^T W H + ridge I) B = H^T W E, scores B^T h(x). */
static double *elm_book(const small *s, const small *on, int64_t hidden, int which)
{
    double *H = hidden_outputs(s, hidden, which);
    double *h = hidden_outputs(on, hidden, which);
    double *S = calloc((size_t)(hidden * hidden), sizeof *S);
    double *R = calloc((size_t)(hidden * s->k), sizeof *R);
    for (int64_t a = 0; a < hidden; a++) {
        S[a * hidden + a] = REFERENCE_RIDGE;
        for (int64_t i = 0; i < s->n; i++) {
            const double w = s->weight ? s->weight[i] : 1;
            R[a * s->k + s->y[i]] += w * H[i * hidden + a];
            for (int64_t b = 0; b < hidden; b++)
                S[a * hidden + b] += w * H[i * hidden + a] * H[i * hidden + b];
        }
    }
    double *B = reference_solve(S, R, hidden, s->k);
    double *scores = calloc((size_t)on->n * (size_t)s->k, sizeof *scores);
    for (int64_t i = 0; i < on->n; i++)
        for (int64_t r = 0; r < s->k; r++)
            for (int64_t a = 0; a < hidden; a++)
                scores[i * s->k + r] += h[i * hidden + a] * B[a * s->k + r];
    free(H), free(h), free(S), free(R), free(B);
    return scores;
}

/* Fewer nodes than rows (the primal) and more (the dual), every activation, dense and sparse. */
static void test_elm__equals_ridge_regression_on_the_nodes(void **state)
{
    (void)state;
    for (int64_t hidden = 12; hidden <= 72; hidden += 60)
        for (int64_t k = 2; k <= 3; k++)
            for (int which = 0; which < 4; which++) {
                small s = clouds(40, k, 20 + (uint64_t)k);
                small on = small_clouds(17, 3, k, 78);
                char options[200];
                snprintf(options, sizeof options,
                         "machine=elm,scale=none,ridge=0.3,labelbook=indicator,precision=double,"
                         "hidden=%lld,activation=%s",
                         (long long)hidden, ACTIVATIONS[which]);
                double *want = elm_book(&s, &on, hidden, which);
                double *got = scores_of(&s, options, &on);
                expect_close(got, want, on.n * k, 1e-9, options);
                pt_dataset *train = small_sparse_dataset(&s);
                pt_dataset *test = small_sparse_dataset(&on);
                double *sparse = small_scores(train, options, test);
                expect_close(sparse, want, on.n * k, 1e-9, options);
                pt_dataset_free(train);
                pt_dataset_free(test);
                free(sparse);
                free(got);
                free(want);
                small_free(&s);
                small_free(&on);
            }
}

/* One thread's nodes are another's; another seed has others. */
static void test_elm__nodes_depend_on_the_seed_alone(void **state)
{
    (void)state;
    small s = small_clouds(40, 3, 3, 5);
    pt_dataset *data = small_dataset(&s);
    double *one = small_scores(data, "machine=elm,hidden=30,ridge=0.1,seed=1", data);
    double *again = small_scores(data, "machine=elm,hidden=30,ridge=0.1,seed=1", data);
    double *two = small_scores(data, "machine=elm,hidden=30,ridge=0.1,seed=2", data);
    assert_true(small_distance(one, again, s.n * 3) == 0);
    assert_true(small_distance(one, two, s.n * 3) > 1e-3);
    free(one), free(again), free(two);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ls_ova__equals_a_dense_solve_for_each_class),
        cmocka_unit_test(test_ls_ova__decides_as_onelsm_does),
        cmocka_unit_test(test_ls_ovo__equals_pairs_decoded_with_the_whole_code),
        cmocka_unit_test(test_ls_ovo__votes_by_default),
        cmocka_unit_test(test_comparators__precomputed_kernel_equals_the_kernel),
        cmocka_unit_test(test_suykens__equals_the_printed_system),
        cmocka_unit_test(test_suykens__class_outputs_sum_to_one),
        cmocka_unit_test(test_elm__equals_ridge_regression_on_the_nodes),
        cmocka_unit_test(test_elm__nodes_depend_on_the_seed_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
