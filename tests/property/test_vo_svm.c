/* vo-SVM against its quadratic program, solved slowly by cyclic descent on the whole matrix, and
 * against what follows from it. Looked at from outside: scores of new rows. Where all classes are
 * alike the machine leaves out what all of them share, so that scores are compared less their mean
 * over the classes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/dense_reference.h"
#include "../support/validation.h"
#include "codes/vectors/labelbook.h"
#include "machine/training.h"
#include "machines/svm/vo_svm.h"
#include "model/model.h"

static const double REFERENCE_C = 0.7;

/* ---------------------------------------------------------------------------------- reference */

static double *label_products(const small *s, const pt_labelbook *book)
{
    const int64_t ell = book->ell(s->k);
    double *M = calloc((size_t)(s->k * ell), sizeof *M);
    double *size = calloc((size_t)s->k, sizeof *size);
    double *Q = calloc((size_t)(s->k * s->k), sizeof *Q);
    for (int64_t i = 0; i < s->n; i++)
        size[s->y[i]] += s->weight ? s->weight[i] : 1;
    book->fill(s->k, size, M);
    for (int64_t r = 0; r < s->k; r++)
        for (int64_t c = 0; c < s->k; c++)
            Q[r * s->k + c] = dot(M + r * ell, M + c * ell, ell);
    free(M), free(size);
    return Q;
}

/* max 1^T beta - 1/2 beta^T (P o K) beta, 0 <= beta <= C w */
static double *reference_beta(const small *s, const double *K, const double *Q, double C)
{
    double *beta = calloc((size_t)s->n, sizeof *beta);
    double moved = 1;
    for (int sweep = 0; sweep < 200000 && moved > 1e-14; sweep++) {
        moved = 0;
        for (int64_t i = 0; i < s->n; i++) {
            double slope = -1;
            for (int64_t j = 0; j < s->n; j++)
                slope += Q[s->y[i] * s->k + s->y[j]] * K[i * s->n + j] * beta[j];
            const double curve = Q[s->y[i] * s->k + s->y[i]] * K[i * s->n + i];
            const double bound = C * (s->weight ? s->weight[i] : 1);
            const double to = fmin(fmax(beta[i] - slope / curve, 0), bound);
            moved = fmax(moved, fabs(to - beta[i]));
            beta[i] = to;
        }
    }
    return beta;
}

static double *reference_scores(const small *s, const small *on, kernel_fn kernel, const double *Q,
                                double C)
{
    double *K = gram(s, s, kernel);
    double *beta = reference_beta(s, K, Q, C);
    double *kappa = gram(on, s, kernel);
    double *scores = calloc((size_t)(on->n * s->k), sizeof *scores);
    for (int64_t i = 0; i < on->n; i++)
        for (int64_t r = 0; r < s->k; r++)
            for (int64_t j = 0; j < s->n; j++)
                scores[i * s->k + r] += Q[r * s->k + s->y[j]] * beta[j] * kappa[i * s->n + j];
    free(K), free(beta), free(kappa);
    return scores;
}

static void centre(double *scores, int64_t n, int64_t k)
{
    for (int64_t i = 0; i < n; i++) {
        double mean = 0;
        for (int64_t r = 0; r < k; r++)
            mean += scores[i * k + r] / (double)k;
        for (int64_t r = 0; r < k; r++)
            scores[i * k + r] -= mean;
    }
}

/* Centred scores of the machine. */
static double *machine_scores(const small *s, const small *on, const char *options)
{
    pt_dataset *train = small_dataset(s);
    pt_dataset *test = small_dataset(on);
    double *scores = small_scores(train, options, test);
    centre(scores, on->n, s->k);
    pt_dataset_free(train);
    pt_dataset_free(test);
    return scores;
}

/* ---------------------------------------------------------------------------------- tests */

static void test_vo_svm__scores_are_those_of_the_quadratic_program(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        kernel_fn kernel;
    } kernels[] = {{"kernel=rbf,sigma=1.1", kernel_rbf},
                   {"kernel=laplacian,sigma=1.1", kernel_laplacian},
                   {"kernel=linear", kernel_linear},
                   {"kernel=poly,sigma=1.1,degree=2,coef0=0.5", kernel_poly}};
    for (int q = 0; q < 4; q++)
        for (int64_t k = 2; k <= 4; k++)
            for (const pt_labelbook *const *book = pt_labelbooks; *book; book++) {
                char options[300];
                small s = small_clouds(33, 3, k, (uint64_t)(10 + k));
                small on = small_clouds(9, 3, k, 4);
                s.weight = calloc((size_t)s.n, sizeof *s.weight);
                for (int64_t i = 0; i < s.n; i++)
                    s.weight[i] = 0.5 + (double)(i % 3);
                snprintf(options, sizeof options,
                         "machine=vo-svm,scale=none,C=0.7,gap=1e-13,precision=double,labelbook=%s,"
                         "%s",
                         (*book)->name, kernels[q].options);
                double *Q = label_products(&s, *book);
                double *exact = reference_scores(&s, &on, kernels[q].kernel, Q, REFERENCE_C);
                double *scores = machine_scores(&s, &on, options);
                centre(exact, on.n, k);
                const double distance = small_distance(scores, exact, on.n * k);
                if (!(distance < 1e-5))
                    fail_msg("%s: %g apart", options, distance);
                free(Q), free(exact), free(scores);
                small_free(&s);
                small_free(&on);
            }
}

/* The same inner products of label vectors; and those times k / (k - 1). */
static void test_vo_svm__mincorr_is_alignment_and_consistency_at_another_C(void **state)
{
    (void)state;
    const char *const options[] = {"labelbook=alignment,C=2", "labelbook=mincorr,C=2",
                                   "labelbook=consistency,C=1.6"}; /* k = 5 */
    small s = small_clouds(80, 3, 5, 51);
    small on = small_clouds(40, 3, 5, 52);
    double *scores[3];
    for (int b = 0; b < 3; b++) {
        char text[200];
        snprintf(text, sizeof text, "machine=vo-svm,kernel=rbf,sigma=0.3,gap=1e-12,%s", options[b]);
        scores[b] = machine_scores(&s, &on, text);
    }
    assert_true(small_distance(scores[0], scores[1], on.n * 5) < 1e-4);
    assert_true(small_distance(scores[0], scores[2], on.n * 5) < 1e-4);
    for (int b = 0; b < 3; b++)
        free(scores[b]);
    small_free(&s);
    small_free(&on);
}

/* ---------------------------------------------------------------------------------- the bias */

static pt_label_space space_of(const small *s, const char *labelbook)
{
    pt_label_space space = {0};
    pt_error err = {0};
    char options[60];
    double size[8] = {0};
    for (int64_t i = 0; i < s->n; i++)
        size[s->y[i]] += 1;
    snprintf(options, sizeof options, "labelbook=%s", labelbook);
    pt_params *params = small_params(options);
    small_must(pt_label_space_init(&space, params, s->k, size, NULL, true, &err), &err, labelbook);
    pt_params_free(params);
    return space;
}

static void test_vo_svm__degenerate_bias_is_told_by_its_condition(void **state)
{
    (void)state;
    const pt_vo_svm svm = {.C = 1, .gap = 1e-3, .bias = PT_VO_EXACT};
    for (int64_t k = 2; k <= 6; k++)
        for (const pt_labelbook *const *book = pt_labelbooks; *book; book++) {
            small s = small_clouds(40, 2, k, 61);
            pt_label_space space = space_of(&s, (*book)->name);
            pt_error err = {0};
            const char *name = (*book)->name;
            /* M^T t = 0 for t = 1 where rows of M sum to 0; for `fisher` t are the class sizes. */
            const bool degenerate =
                strcmp(name, "indicator") == 0 || (strcmp(name, "pm1") == 0 && k != 2);
            const pt_status status = pt_vo_svm_check_bias(&svm, &space, &err);
            if (status != (degenerate ? PT_EINVAL : PT_OK))
                fail_msg("%s, k = %lld: %s", name, (long long)k, pt_status_name(status));
            pt_label_space_free(&space);
            small_free(&s);
        }
}

/* Rows sorted by class, as the solver wants them. */
static small sorted_clouds(int64_t n, int64_t k, int64_t *start)
{
    small s = small_clouds(n, 2, k, 71);
    small sorted = small_clouds(n, 2, k, 71);
    int64_t at = 0;
    for (int64_t r = 0; r < k; r++) {
        start[r] = at;
        for (int64_t i = 0; i < n; i++)
            if (s.y[i] == r) {
                memcpy(sorted.x + at * 2, s.x + i * 2, 2 * sizeof(double));
                sorted.y[at++] = r;
            }
    }
    start[k] = at;
    small_free(&s);
    return sorted;
}

/* Y^T beta = 0, and the conditions of optimality for y_i . (f(x_i) + b). */
static void test_vo_svm__bias_meets_its_conditions(void **state)
{
    (void)state;
    enum { N = 70, K = 4 };
    const char *const books[] = {"mincorr", "alignment", "consistency", "fisher"};
    for (int b = 0; b < 4; b++)
        for (double C = 0.05; C < 1000; C *= 20) {
            int64_t start[K + 1];
            small s = sorted_clouds(N, K, start);
            pt_label_space space = space_of(&s, books[b]);
            const pt_rows rows = {.n = N, .d = 2, .type = PT_F64, .dense = s.x, .stride = 2};
            const pt_kernel kernel = {pt_kernel_find("rbf"), REFERENCE_SIGMA, 0, 1, 0};
            const pt_vo_svm svm = {.C = C, .gap = 1e-8, .bias = PT_VO_EXACT};
            double u[N];
            double beta[N] = {0};
            double c[K] = {0};
            double t[K] = {0};
            pt_vo_svm_bounds(&svm, N, NULL, u);
            const pt_box_qp qp = {.rows = &rows,
                                  .kernel = &kernel,
                                  .bytes = 1e9,
                                  .n = N,
                                  .groups = K,
                                  .group_start = start,
                                  .Q = space.Q,
                                  .u = u};
            pt_vo_svm_result result;
            pt_error err = {0};
            small_must(pt_vo_svm_solve(&svm, qp, beta, c, &result, NULL, NULL, &err), &err, "bias");
            assert_true(result.qp.converged);
            double *G = gram(&s, &s, kernel_rbf);
            double whole = 0;
            for (int64_t i = 0; i < N; i++) {
                t[s.y[i]] += beta[i];
                whole += beta[i];
            }
            double off = 0;
            for (int64_t r = 0; r < K; r++)
                for (int64_t q = 0; q < K; q++)
                    off += t[r] * space.Q[r * K + q] * t[q];
            assert_true(sqrt(fabs(off)) < 1e-6 * whole);
            for (int64_t i = 0; i < N; i++) {
                double margin = dot(space.Q + s.y[i] * K, c, K);
                for (int64_t j = 0; j < N; j++)
                    margin += space.Q[s.y[i] * K + s.y[j]] * beta[j] * G[i * N + j];
                if (beta[i] < C && margin < 1 - 2e-3)
                    fail_msg("%s, C %g: margin %g at %g", books[b], C, margin, beta[i]);
                if (beta[i] > 0 && margin > 1 + 2e-3)
                    fail_msg("%s, C %g: margin %g at %g", books[b], C, margin, beta[i]);
            }
            free(G);
            pt_label_space_free(&space);
            small_free(&s);
        }
}

/* From the solution at one C to that at another: fewer moves than from nothing, and none at all
 * from the solution to itself, but for those that settle a bias. */
static void test_vo_svm__a_start_saves_moves(void **state)
{
    (void)state;
    enum { N = 120, K = 4 };
    static const pt_vo_bias RULES[] = {PT_VO_NO_BIAS, PT_VO_EXACT, PT_VO_PENALISED};
    static const double STEPS[][2] = {{1, 1.5}, {4, 3}, {2, 2}};
    int64_t first[K + 1];
    small s = sorted_clouds(N, K, first);
    pt_label_space space = space_of(&s, "mincorr");
    const pt_rows rows = {.n = N, .d = 2, .type = PT_F64, .dense = s.x, .stride = 2};
    const pt_kernel kernel = {pt_kernel_find("rbf"), REFERENCE_SIGMA, 0, 1, 0};
    for (size_t q = 0; q < 9; q++) {
        pt_error err = {0};
        const double *C = STEPS[q % 3];
        pt_vo_svm svm = {.C = C[0], .gap = 1e-6, .bias = RULES[q / 3]};
        double u[N];
        double before[N];
        double warm[N] = {0};
        double cold[N] = {0};
        double c_warm[K] = {0};
        double c_cold[K] = {0};
        const pt_box_qp qp = {.rows = &rows,
                              .kernel = &kernel,
                              .bytes = 1e9,
                              .n = N,
                              .groups = K,
                              .group_start = first,
                              .Q = space.Q,
                              .u = u};
        pt_vo_svm_result result;
        pt_vo_svm_bounds(&svm, N, NULL, u);
        small_must(pt_vo_svm_solve(&svm, qp, warm, c_warm, &result, NULL, NULL, &err), &err,
                   "first");
        memcpy(before, u, sizeof before);
        svm.C = C[1];
        pt_vo_svm_bounds(&svm, N, NULL, u);
        for (int64_t i = 0; i < N; i++) {
            warm[i] = pt_vo_svm_carry(warm[i], before[i], u[i]);
            assert_true(warm[i] >= 0 && warm[i] <= u[i]);
        }
        small_must(pt_vo_svm_solve(&svm, qp, warm, c_warm, &result, NULL, NULL, &err), &err,
                   "warm");
        const int64_t moves = result.qp.moves;
        const double value = result.qp.value;
        assert_true(result.qp.converged);
        small_must(pt_vo_svm_solve(&svm, qp, cold, c_cold, &result, NULL, NULL, &err), &err,
                   "cold");
        if (!(moves < result.qp.moves))
            fail_msg("rule %d, C %g to %g: %lld moves, %lld from nothing", (int)RULES[q / 3], C[0],
                     C[1], (long long)moves, (long long)result.qp.moves);
        if (C[0] == C[1] && RULES[q / 3] != PT_VO_EXACT)
            assert_int_equal(moves, 0);
        assert_true(fabs(result.qp.value - value) <= 2e-6 * value);
    }
    pt_label_space_free(&space);
    small_free(&s);
}

/* A gap that rounding does not allow: rho is raised round after round, but not without end, and
 * what is off is told. */
static void test_vo_svm__bias_out_of_reach_is_told_and_stays_good(void **state)
{
    (void)state;
    enum { N = 70, K = 4 };
    int64_t start[K + 1];
    small s = sorted_clouds(N, K, start);
    pt_label_space space = space_of(&s, "mincorr");
    const pt_rows rows = {.n = N, .d = 2, .type = PT_F64, .dense = s.x, .stride = 2};
    const pt_kernel kernel = {pt_kernel_find("rbf"), REFERENCE_SIGMA, 0, 1, 0};
    double beta[2][N] = {{0}};
    pt_vo_svm_result result[2];
    for (int way = 0; way < 2; way++) {
        const pt_vo_svm svm = {.C = 20, .gap = way ? 1e-30 : 1e-8, .bias = PT_VO_EXACT};
        double u[N];
        double c[K] = {0};
        pt_vo_svm_bounds(&svm, N, NULL, u);
        const pt_box_qp qp = {.rows = &rows,
                              .kernel = &kernel,
                              .bytes = 1e9,
                              .n = N,
                              .groups = K,
                              .group_start = start,
                              .Q = space.Q,
                              .u = u};
        pt_error err = {0};
        small_must(pt_vo_svm_solve(&svm, qp, beta[way], c, &result[way], NULL, NULL, &err), &err,
                   "bias");
    }
    assert_true(result[0].qp.converged && result[0].off <= 1e-8);
    assert_false(result[1].qp.converged);
    assert_true(result[1].off > 0 && result[1].off < 1e-8);
    assert_true(fabs(result[1].qp.value - result[0].qp.value) < 1e-5 * result[0].qp.value);
    assert_true(small_distance(beta[0], beta[1], N) < 1e-2);
    pt_label_space_free(&space);
    small_free(&s);
}

/* The rules differ in the bias alone (exact, mean), or are the machine with the kernel K + 1. */
static void test_vo_svm__penalised_bias_is_the_kernel_plus_one(void **state)
{
    (void)state;
    small s = small_clouds(60, 3, 3, 81);
    small on = small_clouds(30, 3, 3, 82);
    small K = {s.n, s.n, 3, gram(&s, &s, kernel_linear), s.y, NULL};
    small kappa = {on.n, s.n, 3, gram(&on, &s, kernel_linear), on.y, NULL};
    for (int64_t i = 0; i < s.n * s.n; i++)
        K.x[i] += 1;
    for (int64_t i = 0; i < on.n * s.n; i++)
        kappa.x[i] += 1;
    const char *base = "machine=vo-svm,scale=none,precision=double,labelbook=pm1,gap=1e-12";
    char options[200];
    snprintf(options, sizeof options, "%s,kernel=linear,bias=yes,bias-rule=penalised", base);
    double *a = machine_scores(&s, &on, options);
    snprintf(options, sizeof options, "%s,kernel=precomputed", base);
    double *b = machine_scores(&K, &kappa, options);
    assert_true(small_distance(a, b, on.n * 3) < 1e-4);
    free(a), free(b), free(K.x), free(kappa.x);
    small_free(&s);
    small_free(&on);
}

/* ---------------------------------------------------------------------------------- folds */

typedef struct taken {
    int64_t cells;
    double *scores; /* points x cells */
} taken;

static pt_status take(void *context, int64_t point, int64_t partition, const double *scores,
                      pt_error *err)
{
    (void)partition;
    (void)err;
    const taken *t = context;
    assert_non_null(scores);
    memcpy(t->scores + point * t->cells, scores, (size_t)t->cells * sizeof(double));
    return PT_OK;
}

/* One Gram matrix, bounds of 0 and warm starts along C, against training without the fold: with
 * every bias, and points in no order. */
static void test_vo_svm__held_out_scores_are_those_of_training_again(void **state)
{
    (void)state;
    enum { N = 60, K = 3, POINTS = 4 };
    const char *const rules[] = {"bias=no", "bias=yes", "bias=yes,bias-rule=mean",
                                 "bias=yes,bias-rule=penalised"};
    const char *const C[POINTS] = {"C=4", "C=0.05", "C=100", "C=0.5"};
    small s = small_clouds(N, 3, K, 101);
    int64_t fold[N];
    for (int64_t i = 0; i < N; i++)
        fold[i] = i / K % 5;
    const int64_t *const folds[] = {fold};
    const pt_partitions partitions = {1, 5, folds, false};
    pt_dataset *data = small_dataset(&s);
    for (int r = 0; r < 4; r++) {
        pt_error err = {0};
        pt_training training = {0};
        pt_params *points[POINTS];
        for (int p = 0; p < POINTS; p++) {
            char options[200];
            snprintf(options, sizeof options,
                     "machine=vo-svm,kernel=rbf,sigma=1,labelbook=mincorr,precision=double,"
                     "gap=1e-10,%s,%s",
                     rules[r], C[p]);
            points[p] = small_params(options);
        }
        small_must(pt_training_init(&training, data, points[0], NULL, &err), &err, "training");
        double *scores[2];
        for (int way = 0; way < 2; way++) {
            scores[way] = calloc((size_t)POINTS * N * K, sizeof(double));
            taken t = {(int64_t)N * K, scores[way]};
            small_must((way ? held_out_by_training : held_out_scores)(
                           training.ops, &training.problem, (const pt_params *const *)points,
                           POINTS, &partitions, take, &t, NULL, &err),
                       &err, "held-out scores");
        }
        const double distance = small_distance(scores[0], scores[1], (int64_t)POINTS * N * K);
        if (!(distance < 1e-3))
            fail_msg("%s: %g apart", rules[r], distance);
        free(scores[0]), free(scores[1]);
        for (int p = 0; p < POINTS; p++)
            pt_params_free(points[p]);
        pt_training_free(&training);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* The points of one grid: C of `POINTS` values, with a gap at which another start shows. */
static double *chain_scores(const small *s, const pt_partitions *partitions, const char *rule)
{
    enum { POINTS = 3 };
    const char *const C[POINTS] = {"C=0.1", "C=1", "C=10"};
    pt_params *points[POINTS];
    pt_error err = {0};
    pt_training training = {0};
    pt_dataset *data = small_dataset(s);
    for (int p = 0; p < POINTS; p++) {
        char options[200];
        snprintf(options, sizeof options,
                 "machine=vo-svm,kernel=rbf,sigma=1,labelbook=mincorr,precision=double,gap=0.01,"
                 "bias=yes,bias-rule=%s,%s",
                 rule, C[p]);
        points[p] = small_params(options);
    }
    small_must(pt_training_init(&training, data, points[0], NULL, &err), &err, "training");
    double *scores = calloc((size_t)(POINTS * s->n * s->k), sizeof(double));
    taken t = {s->n * s->k, scores};
    small_must(held_out_scores(training.ops, &training.problem, (const pt_params *const *)points,
                               POINTS, partitions, take, &t, NULL, &err),
               &err, "held-out scores");
    for (int p = 0; p < POINTS; p++)
        pt_params_free(points[p]);
    pt_training_free(&training);
    pt_dataset_free(data);
    return scores;
}

/* beta does not depend on the rule, along the whole chain of C: scores by the exact and by the mean
 * bias differ by the same vector for all rows of a fold. */
static void test_vo_svm__mean_bias_leaves_the_chain_as_it_is(void **state)
{
    (void)state;
    enum { N = 60, K = 3, POINTS = 3, FOLDS = 2 };
    small s = small_clouds(N, 3, K, 103);
    int64_t fold[N];
    for (int64_t i = 0; i < N; i++)
        fold[i] = i / K % FOLDS;
    const int64_t *const folds[] = {fold};
    const pt_partitions partitions = {1, FOLDS, folds, false};
    double *exact = chain_scores(&s, &partitions, "exact");
    double *mean = chain_scores(&s, &partitions, "mean");
    for (int64_t p = 0; p < POINTS; p++)
        for (int64_t i = 0; i < N; i++)
            for (int64_t r = 0; r < K; r++) {
                const int64_t at = (p * N + i) * K + r;
                const int64_t first = (p * N + fold[i] * K) * K + r;
                assert_true(fabs(mean[at] - exact[at] - (mean[first] - exact[first])) < 1e-9);
            }
    free(exact), free(mean);
    small_free(&s);
}

static pt_status take_nothing(void *context, int64_t point, int64_t partition, const double *scores,
                              pt_error *err)
{
    (void)point;
    (void)partition;
    (void)err;
    *(bool *)context = scores == NULL;
    return PT_OK;
}

/* A fold that lacks a class has no biased machine: no scores, by either way. */
static void test_vo_svm__folds_without_a_class_have_no_answer(void **state)
{
    (void)state;
    enum { N = 41, FOLDS = 2 };
    const char *const rules[] = {"exact", "mean", "penalised"};
    small s = small_clouds(N, 3, 3, 105);
    int64_t fold[N];
    for (int64_t i = 0; i < N; i++)
        fold[i] = i / 3 % FOLDS;
    s.y[N - 1] = 3;
    const int64_t *const folds[] = {fold};
    const pt_partitions partitions = {1, FOLDS, folds, false};
    pt_dataset *data = small_dataset(&s);
    for (int r = 0; r < 3; r++)
        for (int way = 0; way < 2; way++) {
            char options[200];
            pt_error err = {0};
            pt_training training = {0};
            bool nothing = false;
            snprintf(options, sizeof options,
                     "machine=vo-svm,kernel=rbf,sigma=1,C=1,labelbook=mincorr,bias=yes,"
                     "bias-rule=%s",
                     rules[r]);
            pt_params *point = small_params(options);
            small_must(pt_training_init(&training, data, point, NULL, &err), &err, "training");
            small_must((way ? held_out_by_training : held_out_scores)(
                           training.ops, &training.problem, (const pt_params *const *)&point, 1,
                           &partitions, take_nothing, &nothing, NULL, &err),
                       &err, "held-out scores");
            assert_int_equal(nothing, r < 2);
            pt_training_free(&training);
            pt_params_free(point);
        }
    pt_dataset_free(data);
    small_free(&s);
}

/* ---------------------------------------------------------------------------------- corners */

static void expect_refusal(const small *s, const char *options, pt_status status, const char *text)
{
    pt_error err = {0};
    pt_model *model = NULL;
    pt_dataset *data = small_dataset(s);
    assert_int_equal(small_try_train(&model, data, options, 1, &err), status);
    if (!strstr(err.text, text))
        fail_msg("%s: %s", options, err.text);
    pt_dataset_free(data);
}

static void test_vo_svm__refusals_give_the_reason(void **state)
{
    (void)state;
    small s = small_clouds(40, 3, 3, 91);
    expect_refusal(&s, "machine=vo-svm,kernel=sigmoid,sigma=1,coef0=-4", PT_ENUMERIC,
                   "positive semidefinite");
    expect_refusal(&s, "machine=vo-svm,kernel=rbf,sigma=1,bias=yes", PT_EINVAL, "M b > 0");
    expect_refusal(&s, "machine=vo-svm,kernel=rbf,sigma=1,bias-rule=mean", PT_EINVAL, "`bias");
    small_free(&s);
}

/* 1 on the diagonal, -0.3 elsewhere: each pair of rows is fine, all of them are not. Wide kernels
 * and rows that come twice have eigenvalues of 0, and rounding does not make that a refusal. */
static void test_vo_svm__indefinite_is_refused_and_rounding_is_not(void **state)
{
    (void)state;
    small s = small_clouds(30, 30, 3, 92);
    for (int64_t i = 0; i < s.n; i++)
        for (int64_t j = 0; j < s.n; j++)
            s.x[i * s.n + j] = i == j ? 1 : -0.3;
    expect_refusal(&s, "machine=vo-svm,kernel=precomputed,labelbook=mincorr", PT_ENUMERIC,
                   "positive semidefinite");
    small_free(&s);
    s = small_clouds(90, 3, 3, 93);
    memcpy(s.x + 45 * 3, s.x, 45 * 3 * sizeof *s.x); /* twice, and of the same class */
    small wide = {s.n, s.n, 3, gram(&s, &s, kernel_linear), s.y, NULL};
    pt_dataset *data[] = {small_dataset(&s), small_dataset(&wide)};
    const char *const kernels[] = {"kernel=rbf,sigma=1", "kernel=rbf,sigma=1e4",
                                   "kernel=poly,degree=3,sigma=1", "kernel=precomputed"};
    for (int which = 0; which < 8; which++) {
        char options[200];
        snprintf(options, sizeof options,
                 "machine=vo-svm,labelbook=mincorr,scale=none,C=100,precision=%s,%s",
                 which % 2 ? "double" : "float", kernels[which / 2]);
        pt_model_free(small_train(data[which / 2 == 3], options, 1));
    }
    pt_dataset_free(data[0]);
    pt_dataset_free(data[1]);
    free(wide.x);
    small_free(&s);
}

/* Bounds from nothing to no bound at all: few or all coefficients at C, always an answer. */
static void test_vo_svm__any_C_has_an_answer_and_info_counts_support_vectors(void **state)
{
    (void)state;
    small s = small_clouds(60, 3, 3, 95);
    pt_dataset *data = small_dataset(&s);
    for (double C = 1e-6; C < 1e7; C *= 1e3) {
        char options[120];
        snprintf(options, sizeof options,
                 "machine=vo-svm,kernel=rbf,sigma=1,labelbook=mincorr,C=%g", C);
        pt_model *model = small_train(data, options, 2);
        assert_non_null(strstr(pt_model_metadata(model), "support_vectors"));
        assert_int_equal(pt_model_n_warnings(model), 0);
        pt_prediction *prediction = small_predict(model, data, 1);
        for (int64_t i = 0; i < s.n * 3; i++)
            assert_true(isfinite(pt_prediction_scores(prediction)[i]));
        pt_prediction_free(prediction);
        pt_model_free(model);
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vo_svm__scores_are_those_of_the_quadratic_program),
        cmocka_unit_test(test_vo_svm__mincorr_is_alignment_and_consistency_at_another_C),
        cmocka_unit_test(test_vo_svm__degenerate_bias_is_told_by_its_condition),
        cmocka_unit_test(test_vo_svm__bias_meets_its_conditions),
        cmocka_unit_test(test_vo_svm__a_start_saves_moves),
        cmocka_unit_test(test_vo_svm__penalised_bias_is_the_kernel_plus_one),
        cmocka_unit_test(test_vo_svm__held_out_scores_are_those_of_training_again),
        cmocka_unit_test(test_vo_svm__bias_out_of_reach_is_told_and_stays_good),
        cmocka_unit_test(test_vo_svm__mean_bias_leaves_the_chain_as_it_is),
        cmocka_unit_test(test_vo_svm__folds_without_a_class_have_no_answer),
        cmocka_unit_test(test_vo_svm__indefinite_is_refused_and_rounding_is_not),
        cmocka_unit_test(test_vo_svm__refusals_give_the_reason),
        cmocka_unit_test(test_vo_svm__any_C_has_an_answer_and_info_counts_support_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
