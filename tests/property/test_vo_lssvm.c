/* vo-LSSVM against its printed system, solved densely in long double, and against what HNR says
 * about it. Looked at from outside: scores of new rows.
 *
 * Where all classes are alike the machine leaves out the term of M_r . f(x) that is the same for
 * every class, so that scores are compared less their mean over the classes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "codes/vectors/label_range.h"
#include "codes/vectors/labelbook.h"
#include "machine/subproblem.h"
#include "machine/training.h"
#include "model/model.h"

static const double RIDGE = 0.3;
static const double SIGMA = 1.1;

/* ---- the reference ------------------------------------------------------------------------- */

/* Solves S x = b by elimination with complete pivoting; what is not determined is 0. */
static void reference_solve(long double *S, long double *b, int64_t n)
{
    int64_t *unknown = calloc((size_t)n, sizeof *unknown);
    int64_t rank = n;
    for (int64_t i = 0; i < n; i++)
        unknown[i] = i;
    for (int64_t p = 0; p < n; p++) {
        int64_t row = p;
        int64_t column = p;
        for (int64_t i = p; i < n; i++)
            for (int64_t j = p; j < n; j++)
                if (fabsl(S[i * n + j]) > fabsl(S[row * n + column])) {
                    row = i;
                    column = j;
                }
        if (fabsl(S[row * n + column]) < 1e-14L) {
            rank = p;
            break;
        }
        for (int64_t j = 0; j < n; j++) {
            const long double keep = S[p * n + j];
            S[p * n + j] = S[row * n + j];
            S[row * n + j] = keep;
        }
        const long double right = b[p];
        b[p] = b[row];
        b[row] = right;
        for (int64_t i = 0; i < n; i++) {
            const long double keep = S[i * n + p];
            S[i * n + p] = S[i * n + column];
            S[i * n + column] = keep;
        }
        const int64_t keep = unknown[p];
        unknown[p] = unknown[column];
        unknown[column] = keep;
        for (int64_t i = 0; i < n; i++) {
            const long double factor = i == p ? 0 : S[i * n + p] / S[p * n + p];
            for (int64_t j = p; j < n && factor != 0; j++)
                S[i * n + j] -= factor * S[p * n + j];
            b[i] -= factor * b[p];
        }
    }
    long double *x = calloc((size_t)n, sizeof *x);
    for (int64_t p = 0; p < rank; p++)
        x[unknown[p]] = b[p] / S[p * n + p];
    memcpy(b, x, (size_t)n * sizeof *b);
    free(x);
    free(unknown);
}

typedef double (*kernel_fn)(const double *a, const double *b, int64_t d);

static double dot(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += a[j] * b[j];
    return sum;
}

static double kernel_rbf(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return exp(-sum / (2 * SIGMA * SIGMA));
}

static double kernel_laplacian(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += fabs(a[j] - b[j]);
    return exp(-sum / SIGMA);
}

static double kernel_poly(const double *a, const double *b, int64_t d)
{
    const double v = dot(a, b, d) / (SIGMA * SIGMA) + 0.5;
    return v * v;
}

static const struct {
    const char *options;
    kernel_fn kernel;
} KERNELS[] = {
    {"kernel=linear", dot},
    {"kernel=rbf,sigma=1.1", kernel_rbf},
    {"kernel=laplacian,sigma=1.1", kernel_laplacian},
    {"kernel=poly,sigma=1.1,degree=2,coef0=0.5", kernel_poly},
};
enum { N_KERNELS = sizeof KERNELS / sizeof *KERNELS };

typedef enum bias_kind { NO_BIAS, EXACT, PENALISED } bias_kind;

/* The label vectors of a labelbook for the classes of s: k x ell. */
static double *book_vectors(const small *s, const char *name, int64_t *ell)
{
    const pt_labelbook *book = pt_labelbook_find(name);
    double size[16] = {0};
    for (int64_t i = 0; i < s->n; i++)
        size[s->y[i]] += s->weight ? s->weight[i] : 1;
    *ell = book->ell(s->k);
    double *M = calloc((size_t)(s->k * *ell), sizeof *M);
    book->fill(s->k, size, M);
    return M;
}

static double *products(const double *M, int64_t k, int64_t ell)
{
    double *Q = calloc((size_t)(k * k), sizeof *Q);
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c < k; c++)
            Q[r * k + c] = dot(M + r * ell, M + c * ell, ell);
    return Q;
}

/* HNR's system as printed: with an exact bias the border Y^T (ell rows) comes first. Scores
 * M_r . (f(x) + b) of the rows of `on`. M may be NULL where there is no exact bias. */
static double *reference_scores(const small *s, const small *on, kernel_fn kernel, const double *Q,
                                const double *M, int64_t ell, bias_kind bias, double ridge)
{
    const int64_t border = bias == EXACT ? ell : 0;
    const int64_t n = s->n + border;
    const double plus = bias == PENALISED ? 1 : 0;
    long double *S = calloc((size_t)(n * n), sizeof *S);
    long double *x = calloc((size_t)n, sizeof *x);
    double *scores = calloc((size_t)(on->n * s->k), sizeof *scores);
    for (int64_t i = 0; i < s->n; i++) {
        x[border + i] = 1;
        for (int64_t t = 0; t < border; t++) {
            S[t * n + border + i] = M[s->y[i] * ell + t];
            S[(border + i) * n + t] = M[s->y[i] * ell + t];
        }
        for (int64_t j = 0; j < s->n; j++)
            S[(border + i) * n + border + j] =
                (long double)Q[s->y[i] * s->k + s->y[j]] *
                (kernel(s->x + i * s->d, s->x + j * s->d, s->d) + plus);
        S[(border + i) * n + border + i] += ridge / (s->weight ? s->weight[i] : 1);
    }
    reference_solve(S, x, n);
    for (int64_t i = 0; i < on->n; i++)
        for (int64_t r = 0; r < s->k; r++) {
            long double sum = 0;
            for (int64_t t = 0; t < border; t++)
                sum += M[r * ell + t] * x[t];
            for (int64_t j = 0; j < s->n; j++)
                sum += Q[r * s->k + s->y[j]] * x[border + j] *
                       (kernel(on->x + i * s->d, s->x + j * s->d, s->d) + plus);
            scores[i * s->k + r] = (double)sum;
        }
    free(S);
    free(x);
    return scores;
}

static void subtract_means(double *scores, int64_t n, int64_t k)
{
    for (int64_t i = 0; i < n; i++) {
        double mean = 0;
        for (int64_t r = 0; r < k; r++)
            mean += scores[i * k + r] / (double)k;
        for (int64_t r = 0; r < k; r++)
            scores[i * k + r] -= mean;
    }
}

static double *machine_scores(const small *s, const small *on, const char *options)
{
    char text[400];
    snprintf(text, sizeof text, "machine=vo-lssvm,scale=none,%s", options);
    pt_dataset *train = small_dataset(s);
    pt_dataset *test = small_dataset(on);
    double *scores = small_scores(train, text, test);
    subtract_means(scores, on->n, s->k);
    pt_dataset_free(train);
    pt_dataset_free(test);
    return scores;
}

static void expect_near(const double *a, const double *b, int64_t count, double tolerance,
                        const char *what)
{
    const double distance = small_distance(a, b, count);
    if (!(distance <= tolerance))
        fail_msg("%s: %g apart", what, distance);
}

static small weighted_clouds(int64_t n, int64_t d, int64_t k, bool weights, uint64_t seed)
{
    small s = small_clouds(n, d, k, seed);
    if (weights) {
        s.weight = calloc((size_t)n, sizeof *s.weight);
        for (int64_t i = 0; i < n; i++)
            s.weight[i] = 0.5 + (double)(i % 4);
    }
    return s;
}

static void compare(const small *s, const small *on, int q, const char *book, bias_kind bias,
                    double tolerance, const char *more)
{
    static const char *const bias_options[] = {"", ",bias=yes", ",bias=yes,bias-rule=penalised"};
    char options[300];
    int64_t ell = 0;
    double *M = book_vectors(s, book, &ell);
    double *Q = products(M, s->k, ell);
    snprintf(options, sizeof options, "%s,labelbook=%s,ridge=%g%s,%s", KERNELS[q].options, book,
             RIDGE, bias_options[bias], more);
    double *want = reference_scores(s, on, KERNELS[q].kernel, Q, M, ell, bias, RIDGE);
    double *have = machine_scores(s, on, options);
    subtract_means(want, on->n, s->k);
    expect_near(want, have, on->n * s->k, tolerance, options);
    free(want);
    free(have);
    free(M);
    free(Q);
}

/* ---- the printed systems ------------------------------------------------------------------- */

static void test_vo_lssvm__scores_are_those_of_the_printed_system(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 4; k++)
        for (int weights = 0; weights < 2; weights++) {
            small s = weighted_clouds(36, 3, k, weights, 3);
            small on = small_clouds(11, 3, k, 4);
            for (int q = 0; q < N_KERNELS; q++)
                for (const pt_labelbook *const *book = pt_labelbooks; *book; book++) {
                    compare(&s, &on, q, (*book)->name, NO_BIAS, 1e-9, "precision=double");
                    compare(&s, &on, q, (*book)->name, PENALISED, 1e-9, "precision=double");
                    compare(&s, &on, q, (*book)->name, NO_BIAS, 1e-3, "precision=float");
                }
            small_free(&s);
            small_free(&on);
        }
}

/* For alignment and consistency the bordered matrix is singular (M 1 = 0); scores are not. */
static void test_vo_lssvm__exact_bias_is_that_of_the_bordered_system(void **state)
{
    (void)state;
    static const char *const books[] = {"mincorr", "alignment", "consistency"};
    for (int64_t k = 2; k <= 5; k++)
        for (int weights = 0; weights < 2; weights++) {
            small s = weighted_clouds(38, 3, k, weights, 5);
            small on = small_clouds(11, 3, k, 6);
            for (int q = 0; q < N_KERNELS; q++)
                for (int b = 0; b < 3; b++) {
                    compare(&s, &on, q, books[b], EXACT, 1e-9, "precision=double");
                    compare(&s, &on, q, books[b], EXACT, 2e-4, "precision=float");
                }
            if (k == 2) /* +-1 has such a bias for two classes only */
                compare(&s, &on, 1, "pm1", EXACT, 1e-9, "precision=double");
            small_free(&s);
            small_free(&on);
        }
}

/* Label vectors sqrt(D) J: the ones are not in their range, lengths and angles all differ. */
static void test_vo_lssvm__kernels_on_labels_have_a_bias_too(void **state)
{
    (void)state;
    enum { K = 4 };
    char path[] = "/tmp/polytomy_labels_XXXXXX";
    double M[K * K];
    for (int r = 0; r < K; r++)
        for (int c = 0; c < K; c++)
            M[r * K + c] = sqrt(1.0 + c) * ((r == c) - 1.0 / K);
    double *Q = products(M, K, K);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    fprintf(out, "class,0,1,2,3\n");
    for (int r = 0; r < K; r++)
        fprintf(out, "%d,%.17g,%.17g,%.17g,%.17g\n", r, Q[r * K], Q[r * K + 1], Q[r * K + 2],
                Q[r * K + 3]);
    fclose(out);
    small s = weighted_clouds(40, 3, K, true, 7);
    small on = small_clouds(9, 3, K, 8);
    static const char *const bias_options[] = {"", ",bias=yes", ",bias=yes,bias-rule=penalised"};
    for (int bias = 0; bias < 3; bias++) {
        char options[300];
        snprintf(options, sizeof options,
                 "kernel=rbf,sigma=1.1,ridge=0.3,precision=double,label-kernel=%s%s", path,
                 bias_options[bias]);
        double *want = reference_scores(&s, &on, kernel_rbf, Q, M, K, (bias_kind)bias, RIDGE);
        double *have = machine_scores(&s, &on, options);
        subtract_means(want, on.n, K);
        expect_near(want, have, on.n * K, 1e-9, options);
        free(want);
        free(have);
    }
    unlink(path);
    free(Q);
    small_free(&s);
    small_free(&on);
}

/* Q falls into two blocks of classes, one with a single class. */
static void test_vo_lssvm__blocks_of_classes_are_solved_apart(void **state)
{
    (void)state;
    enum { K = 4 };
    static const double Q[K * K] = {2, 0, 1, 0, 0, 3, 0, 0, 1, 0, 2, 0.5, 0, 0, 0.5, 1};
    char path[] = "/tmp/polytomy_labels_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    fprintf(out, "class,0,1,2,3\n");
    for (int r = 0; r < K; r++)
        fprintf(out, "%d,%g,%g,%g,%g\n", r, Q[r * K], Q[r * K + 1], Q[r * K + 2], Q[r * K + 3]);
    fclose(out);
    small s = weighted_clouds(41, 3, K, true, 9);
    small on = small_clouds(9, 3, K, 10);
    char options[300];
    snprintf(options, sizeof options,
             "kernel=rbf,sigma=1.1,ridge=0.3,precision=double,label-kernel=%s", path);
    double *want = reference_scores(&s, &on, kernel_rbf, Q, NULL, 0, NO_BIAS, RIDGE);
    double *have = machine_scores(&s, &on, options);
    subtract_means(want, on.n, K);
    expect_near(want, have, on.n * K, 1e-9, options);
    unlink(path);
    free(want);
    free(have);
    small_free(&s);
    small_free(&on);
}

/* With a precomputed kernel the scores of the unit vector e_j are Q[., y_j] beta_j: of indicators,
 * beta itself. The gradient of ridge/2 ||f||^2 + 1/2 sum_i w_i (1 - y_i . f(x_i))^2 in beta is
 * (P o K) (ridge beta - W (1 - (P o K) beta)). */
static void test_vo_lssvm__the_gradient_of_the_objective_vanishes(void **state)
{
    (void)state;
    enum { N = 30 };
    small s = weighted_clouds(N, 3, 3, true, 11);
    small K = {N, N, 3, calloc(N * N, sizeof(double)), s.y, s.weight};
    small unit = {N, N, 3, calloc(N * N, sizeof(double)), s.y, NULL};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            K.x[i * N + j] = kernel_rbf(s.x + i * 3, s.x + j * 3, 3);
            unit.x[i * N + j] = i == j;
        }
    pt_dataset *train = small_dataset(&K);
    pt_dataset *test = small_dataset(&unit);
    double *scores = small_scores(train,
                                  "machine=vo-lssvm,kernel=precomputed,labelbook=indicator,"
                                  "ridge=0.3,precision=double",
                                  test);
    double left[N];
    for (int i = 0; i < N; i++) {
        double f = 0;
        for (int j = 0; j < N; j++)
            f += (s.y[i] == s.y[j]) * K.x[i * N + j] * scores[j * 3 + s.y[j]];
        left[i] = RIDGE * scores[i * 3 + s.y[i]] - s.weight[i] * (1 - f);
    }
    for (int i = 0; i < N; i++) {
        double gradient = 0;
        for (int j = 0; j < N; j++)
            gradient += (s.y[i] == s.y[j]) * K.x[i * N + j] * left[j];
        assert_true(fabs(gradient) < 1e-9);
    }
    free(scores);
    free(K.x);
    free(unit.x);
    pt_dataset_free(train);
    pt_dataset_free(test);
    small_free(&s);
}

/* ---- what HNR says about labelbooks --------------------------------------------------------- */

static void test_vo_lssvm__mincorr_is_alignment_is_consistency_rescaled(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 6; k += 2) {
        small s = small_clouds(60, 3, k, 12);
        small on = small_clouds(20, 3, k, 13);
        for (int bias = 0; bias < 2; bias++) {
            char options[3][200];
            const char *const more = bias ? ",bias=yes" : "";
            const double k_over = (double)k / (double)(k - 1);
            const char *const base = "kernel=rbf,sigma=1,precision=double";
            snprintf(options[0], 200, "%s,ridge=0.5,labelbook=alignment%s", base, more);
            snprintf(options[1], 200, "%s,ridge=0.5,labelbook=mincorr%s", base, more);
            snprintf(options[2], 200, "%s,ridge=%.17g,labelbook=consistency%s", base, 0.5 * k_over,
                     more);
            double *scores[3];
            for (int i = 0; i < 3; i++)
                scores[i] = machine_scores(&s, &on, options[i]);
            expect_near(scores[0], scores[1], on.n * k, 1e-10, "mincorr");
            expect_near(scores[0], scores[2], on.n * k, 1e-10, "consistency");
            for (int i = 0; i < 3; i++)
                free(scores[i]);
        }
        small_free(&s);
        small_free(&on);
    }
}

/* ---- parameters ----------------------------------------------------------------------------- */

static void test_vo_lssvm__C_is_one_over_the_ridge(void **state)
{
    (void)state;
    small s = small_clouds(50, 3, 3, 14);
    double *a = machine_scores(&s, &s, "kernel=rbf,sigma=1,ridge=0.25");
    double *b = machine_scores(&s, &s, "kernel=rbf,sigma=1,C=4");
    assert_memory_equal(a, b, (size_t)(s.n * 3) * sizeof *a);
    free(a);
    free(b);
    small_free(&s);
}

static void expect_refused(const small *s, const char *options, pt_status want, const char *a,
                           const char *b)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_dataset *data = small_dataset(s);
    char text[300];
    snprintf(text, sizeof text, "machine=vo-lssvm,%s", options);
    const pt_status status = small_try_train(&model, data, text, 1, &err);
    if (status != want || !strstr(err.text, a) || !strstr(err.text, b))
        fail_msg("%s: %s: %s", options, pt_status_name(status), err.text);
    pt_model_free(model);
    pt_dataset_free(data);
}

static void test_vo_lssvm__contradictions_are_refused(void **state)
{
    (void)state;
    small s = small_clouds(30, 3, 3, 15);
    expect_refused(&s, "ridge=1,C=1", PT_EINVAL, "`ridge", "`C");
    expect_refused(&s, "bias-rule=penalised", PT_EINVAL, "`bias-rule", "`bias");
    expect_refused(&s, "bias=yes,bias-rule=mean,labelbook=mincorr", PT_EINVAL, "mean", "vo-svm");
    expect_refused(&s, "kernel=sigmoid,sigma=0.5,coef0=-3,ridge=1e-3", PT_ENUMERIC, "P o K",
                   "`ridge");
    small_free(&s);
}

/* Some b has M b = 1: indicators (b = 1), +-1 but for two classes, any invertible label kernel, and
 * each block of one that falls apart. */
static void test_vo_lssvm__a_bias_that_does_everything_is_refused(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 5; k++) {
        small s = small_clouds(30, 3, k, 16);
        expect_refused(&s, "bias=yes,labelbook=indicator,sigma=1,ridge=1", PT_EINVAL, "`bias",
                       "penalised");
        expect_refused(&s, "bias=yes,labelbook=mincorr,label-kernel=rbf,sigma=1,ridge=1", PT_EINVAL,
                       "`bias", "mincorr");
        if (k > 2)
            expect_refused(&s, "bias=yes,sigma=1,ridge=1", PT_EINVAL, "`bias", "penalised");
        small_free(&s);
    }
}

/* Without the rows of one class k - 1 vectors of a simplex are left, which are independent. */
static void test_vo_lssvm__a_bias_that_does_everything_without_a_class_is_refused(void **state)
{
    (void)state;
    for (int64_t k = 3; k <= 5; k++) {
        small s = small_clouds(30, 3, k, 18);
        pt_dataset *data = small_dataset(&s);
        pt_params *params = small_params("machine=vo-lssvm,kernel=rbf,bias=yes,labelbook=mincorr,"
                                         "sigma=1,ridge=1");
        pt_training training = {0};
        pt_subproblem without = {0};
        pt_machine *machine = NULL;
        pt_warnings warnings = {0};
        pt_error err = {0};
        int64_t chosen[30];
        int64_t m = 0;
        for (int64_t i = 0; i < s.n; i++)
            if (s.y[i] != k - 1)
                chosen[m++] = i;
        small_must(pt_training_init(&training, data, params, NULL, &err), &err, "training");
        small_must(pt_subproblem_init(&without, &training.problem, chosen, m, false, NULL, &err),
                   &err, "rows");
        assert_int_equal(pt_machine_fit(&machine, training.ops, &without.problem, training.params,
                                        NULL, &warnings, &err),
                         PT_ENUMERIC);
        assert_null(machine);
        assert_non_null(strstr(err.text, "no training row"));
        assert_non_null(strstr(err.text, "penalised"));
        pt_warnings_free(&warnings);
        pt_subproblem_free(&without);
        pt_training_free(&training);
        pt_params_free(params);
        pt_dataset_free(data);
        small_free(&s);
    }
}

/* Calibration holds out the one row of a class: no scores, a warning, and a model all the same. */
static void test_vo_lssvm__a_class_of_one_row_leaves_probabilities_uncalibrated(void **state)
{
    (void)state;
    small s = small_clouds(31, 3, 3, 19);
    for (int64_t i = 0; i < s.n; i++)
        s.y[i] = i == 30 ? 3 : s.y[i];
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(
        data, "machine=vo-lssvm,kernel=rbf,bias=yes,labelbook=mincorr,sigma=1,ridge=0.1", 1);
    assert_int_equal(pt_model_n_warnings(model), 1);
    assert_non_null(strstr(pt_model_warning(model, 0), "not calibrated"));
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_label_range__finds_rank_and_ones(void **state)
{
    (void)state;
    for (const pt_labelbook *const *book = pt_labelbooks; *book; book++)
        for (int64_t k = 2; k <= 9; k++) {
            small s = small_clouds(3 * k, 1, k, 17);
            int64_t ell = 0;
            double *M = book_vectors(&s, (*book)->name, &ell);
            double *Q = products(M, k, ell);
            pt_label_range range = {0};
            assert_int_equal(pt_label_range_init(&range, Q, k, NULL), PT_OK);
            const bool whole = strcmp((*book)->name, "indicator") == 0 ||
                               (strcmp((*book)->name, "pm1") == 0 && k > 2);
            assert_int_equal(range.rank, whole ? k : k - 1); /* fisher: classes of equal size */
            assert_int_equal(pt_label_range_has_ones(&range), whole);
            double z[9] = {1, -2, 0.5, 3, -1, 2, 0.25, 1, 4};
            double c[9];
            assert_int_equal(pt_label_range_preimage(&range, Q, z, c, NULL), PT_OK);
            for (int64_t r = 0; r < k; r++) {
                double left = dot(Q + r * k, c, k);
                for (int64_t t = 0; t < range.rank; t++)
                    left -= range.V[t * k + r] * z[t];
                assert_true(fabs(left) < 1e-9);
            }
            pt_label_range_free(&range);
            free(M);
            free(Q);
            small_free(&s);
        }
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* One part of several tiles, one small: the same bits on any number of threads, and the solution of
 * the system in float and in double. */
static void test_vo_lssvm__parts_of_all_sizes(void **state)
{
    (void)state;
    small s = small_clouds(2200, 3, 3, 18);
    for (int64_t i = 0; i < s.n; i++)
        s.y[i] = i < 2100 ? 0 : 1 + i % 2;
    pt_dataset *data = small_dataset(&s);
    static const char *const how[] = {"labelbook=indicator", "labelbook=mincorr",
                                      "labelbook=mincorr,bias=yes"};
    for (int h = 0; h < 3; h++) {
        char options[2][200];
        for (int i = 0; i < 2; i++)
            snprintf(options[i], 200, "machine=vo-lssvm,kernel=rbf,sigma=1,ridge=0.5,%s,%s", how[h],
                     i ? "precision=double" : "precision=float");
        pt_model *one = small_train(data, options[0], 1);
        pt_model *two = small_train(data, options[0], 2);
        pt_model *exact = small_train(data, options[1], 2);
        pt_prediction *a = small_predict(one, data, 1);
        pt_prediction *b = small_predict(two, data, 2);
        pt_prediction *c = small_predict(exact, data, 2);
        assert_memory_equal(pt_prediction_scores(a), pt_prediction_scores(b),
                            (size_t)(s.n * 3) * sizeof(double));
        expect_near(pt_prediction_scores(a), pt_prediction_scores(c), s.n * 3, 1e-3, how[h]);
        pt_prediction_free(a);
        pt_prediction_free(b);
        pt_prediction_free(c);
        pt_model_free(one);
        pt_model_free(two);
        pt_model_free(exact);
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vo_lssvm__scores_are_those_of_the_printed_system),
        cmocka_unit_test(test_vo_lssvm__exact_bias_is_that_of_the_bordered_system),
        cmocka_unit_test(test_vo_lssvm__kernels_on_labels_have_a_bias_too),
        cmocka_unit_test(test_vo_lssvm__blocks_of_classes_are_solved_apart),
        cmocka_unit_test(test_vo_lssvm__the_gradient_of_the_objective_vanishes),
        cmocka_unit_test(test_vo_lssvm__mincorr_is_alignment_is_consistency_rescaled),
        cmocka_unit_test(test_vo_lssvm__C_is_one_over_the_ridge),
        cmocka_unit_test(test_vo_lssvm__contradictions_are_refused),
        cmocka_unit_test(test_vo_lssvm__a_bias_that_does_everything_is_refused),
        cmocka_unit_test(test_vo_lssvm__a_bias_that_does_everything_without_a_class_is_refused),
        cmocka_unit_test(test_vo_lssvm__a_class_of_one_row_leaves_probabilities_uncalibrated),
        cmocka_unit_test(test_label_range__finds_rank_and_ones),
        cmocka_unit_test(test_vo_lssvm__parts_of_all_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
