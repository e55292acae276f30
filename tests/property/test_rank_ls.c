/* rank-ls: targets by the definition, coefficients by elimination, held-out scores by training
 * again, for labels of every kind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/dense_reference.h"
#include "../support/held_out_labels.h"
#include "metrics/label_judge.h"
#include "validate/auto.h"
#include "validate/squares/rank_targets.h"

enum { N = 60, D = 4, CLASSES = 5 };
static const pt_label_kind KINDS[] = {PT_LABEL_SET, PT_LABEL_RANKING, PT_LABEL_PAIRS};

/* Whether the label puts class a before class b, directly. */
static bool says(const pt_labels *labels, int64_t i, int64_t a, int64_t b)
{
    int64_t rank_a = INT64_MIN;
    int64_t rank_b = INT64_MIN;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++) {
        if (labels->kind == PT_LABEL_PAIRS) {
            if (labels->item[at] == a && labels->item[at + 1] == b)
                return true;
            at++;
            continue;
        }
        rank_a = labels->item[at] == a ? labels->rank[at] : rank_a;
        rank_b = labels->item[at] == b ? labels->rank[at] : rank_b;
    }
    return rank_a != INT64_MIN && rank_b != INT64_MIN && rank_a < rank_b;
}

/* y (k) <- classes below less classes above, by Warshall's closure; of sets +1 and -1. */
static void slow_targets(const pt_labels *labels, int64_t i, int64_t k, double *y)
{
    bool before[20][20];
    for (int64_t a = 0; a < k && labels->kind != PT_LABEL_SET; a++)
        for (int64_t b = 0; b < k; b++)
            before[a][b] = says(labels, i, a, b);
    for (int64_t c = 0; c < k && labels->kind != PT_LABEL_SET; c++)
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; b < k; b++)
                before[a][b] = before[a][b] || (before[a][c] && before[c][b]);
    for (int64_t r = 0; r < k; r++) {
        y[r] = 0;
        if (labels->kind == PT_LABEL_SET)
            y[r] = other_has(labels, i, r) ? 1 : -1;
        for (int64_t c = 0; c < k && labels->kind != PT_LABEL_SET; c++)
            y[r] += before[r][c] - before[c][r];
    }
}

static void test_rank_targets__are_classes_below_less_classes_above(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 9; k += 7)
        for (int q = 0; q < 3; q++) {
            small s = small_clouds(N, D, 2, 3);
            pt_labels *labels = other_random(KINDS[q], &s, k, 5);
            double Y[N * 9];
            double y[9];
            pt_error err = PT_ERROR_INIT;
            small_must(pt_rank_targets(Y, labels, &err), &err, "targets");
            for (int64_t i = 0; i < N; i++) {
                slow_targets(labels, i, k, y);
                for (int64_t r = 0; r < k; r++)
                    assert_true(Y[r * N + i] == y[r]);
            }
            pt_labels_free(labels);
            small_free(&s);
        }
}

/* scores <- mu + (Y - 1 mu^T)^T (K + ridge W^-1)^-1 kappa_x, by elimination. */
static double *slow_scores(const small *s, const pt_labels *labels, const small *on,
                           kernel_fn kernel)
{
    double *K = gram(s, s, kernel);
    double *S = regularised(K, s);
    double *K_on = gram(on, s, kernel);
    double *Y = calloc(N * CLASSES, sizeof *Y);
    double mu[CLASSES] = {0};
    double weight = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double w = s->weight ? s->weight[i] : 1;
        slow_targets(labels, i, CLASSES, Y + i * CLASSES);
        for (int64_t r = 0; r < CLASSES; r++)
            mu[r] += w * Y[i * CLASSES + r];
        weight += w;
    }
    for (int64_t r = 0; r < CLASSES; r++)
        mu[r] /= weight;
    for (int64_t i = 0; i < s->n * CLASSES; i++)
        Y[i] -= mu[i % CLASSES];
    double *A = reference_solve(S, Y, s->n, CLASSES);
    double *scores = calloc((size_t)(on->n * CLASSES), sizeof *scores);
    for (int64_t i = 0; i < on->n; i++)
        for (int64_t r = 0; r < CLASSES; r++) {
            scores[i * CLASSES + r] = mu[r];
            for (int64_t j = 0; j < s->n; j++)
                scores[i * CLASSES + r] += K_on[i * s->n + j] * A[j * CLASSES + r];
        }
    free(K), free(S), free(K_on), free(Y), free(A);
    return scores;
}

static void test_rank_ls__equals_a_dense_solve(void **state)
{
    (void)state;
    for (int q = 0; q < 3; q++)
        for (int c = 0; c < N_KERNELS; c++)
            for (int weighted = 0; weighted < 2; weighted++)
                for (int sparse = 0; sparse < 2; sparse++) {
                    small s = small_clouds(N, D, 2, 11);
                    small on = small_clouds(17, D, 2, 12);
                    if (weighted)
                        s.weight = calloc(N, sizeof *s.weight);
                    for (int64_t i = 0; i < N && weighted; i++)
                        s.weight[i] = 0.5 + (double)(i % 3);
                    pt_labels *labels = other_random(KINDS[q], &s, CLASSES, 13);
                    double *slow = slow_scores(&s, labels, &on, KERNELS[c].kernel);
                    pt_dataset *train = other_dataset(&s, labels, sparse);
                    pt_dataset *test = sparse ? small_sparse_dataset(&on) : small_dataset(&on);
                    char options[200];
                    snprintf(options, sizeof options,
                             "machine=rank-ls,ridge=0.3,scale=none,precision=double,%s",
                             KERNELS[c].options);
                    double *scores = small_scores(train, options, test);
                    expect_close(scores, slow, on.n * CLASSES, 1e-8, options);
                    free(scores), free(slow);
                    pt_dataset_free(train);
                    pt_dataset_free(test);
                    small_free(&s);
                    small_free(&on);
                }
}

static void test_rank_ls__held_out_scores_equal_training_again(void **state)
{
    (void)state;
    static const char *const how[] = {"kernel=rbf,sigma=0.1,ridge=0.1",
                                      "kernel=rbf,sigma=2,ridge=1", "kernel=linear,ridge=0.3"};
    for (int q = 0; q < 3; q++)
        for (int h = 0; h < 3; h++)
            for (int weighted = 0; weighted < 2; weighted++) {
                small s = small_clouds(N, D, 2, 21);
                if (weighted)
                    s.weight = calloc(N, sizeof *s.weight);
                for (int64_t i = 0; i < N && weighted; i++)
                    s.weight[i] = 0.5 + (double)(i % 3);
                pt_dataset *data =
                    other_dataset(&s, other_random(KINDS[q], &s, CLASSES, 22), h == 1);
                char options[200];
                snprintf(options, sizeof options, "machine=rank-ls,precision=double,%s", how[h]);
                expect_held_out(data, options, 5, 1e-9);
                expect_held_out(data, options, N, 1e-9);
                pt_dataset_free(data);
                small_free(&s);
            }
}

/* More rows than a tile has, and several partitions: the blocks that leave the own fold out. */
static void test_rank_ls__held_out_scores_over_several_tiles(void **state)
{
    (void)state;
    small s = small_clouds(1100, D, 2, 23);
    pt_dataset *data = other_dataset(&s, other_random(PT_LABEL_RANKING, &s, 3, 24), false);
    pt_error err = PT_ERROR_INIT;
    pt_training t = {0};
    pt_params *params = small_params("machine=rank-ls,precision=double,kernel=rbf,sigma=1,ridge=1");
    small_must(pt_training_init(&t, data, params, NULL, &err), &err, "training");
    int64_t *fold = calloc((size_t)s.n, sizeof *fold);
    for (int64_t i = 0; i < s.n; i++)
        fold[i] = i * 11 % 3;
    const int64_t *folds[2] = {fold, fold};
    other_taken factor = {calloc((size_t)(s.n * 3), sizeof(double)), s.n * 3};
    other_taken inverse = {calloc((size_t)(s.n * 3), sizeof(double)), s.n * 3};
    const pt_params *points[1] = {t.params};
    const pt_partitions once = {1, 3, folds, false};
    const pt_partitions twice = {2, 3, folds, false};
    small_must(t.ops->holdout(&t.problem, points, 1, &once, other_take, &factor, NULL, &err), &err,
               "factor");
    small_must(t.ops->holdout(&t.problem, points, 1, &twice, other_take, &inverse, NULL, &err),
               &err, "inverse");
    double *slow = held_out_slowly(&t, fold, 3);
    assert_true(small_distance(factor.scores, slow, s.n * 3) < 1e-9);
    assert_true(small_distance(inverse.scores, slow, s.n * 3) < 1e-9);
    free(slow), free(fold), free(factor.scores), free(inverse.scores);
    pt_params_free(params);
    pt_training_free(&t);
    pt_dataset_free(data);
    small_free(&s);
}

/* What is chosen is as good, by leave-one-out loss, as every point that was tried nearby. */
static void test_rank_ls__chosen_parameters_have_the_least_loss(void **state)
{
    (void)state;
    for (int q = 0; q < 3; q++) {
        small s = small_clouds(N, D, 2, 31);
        pt_dataset *data = other_dataset(&s, other_random(KINDS[q], &s, CLASSES, 32), false);
        pt_error err = PT_ERROR_INIT;
        pt_training t = {0};
        pt_params *params = small_params("machine=rank-ls,precision=double");
        small_must(pt_training_init(&t, data, params, NULL, &err), &err, "training");
        small_must(pt_training_resolve(&t, NULL, &err), &err, "choice");
        int64_t fold[N];
        for (int64_t i = 0; i < N; i++)
            fold[i] = i;
        double least = INFINITY;
        double chosen = 0;
        const double ridge = pt_params_real(t.params, PT_P_RIDGE);
        for (int step = -2; step <= 2; step++) {
            if (log2(ridge) + step < -10 || log2(ridge) + step > 4)
                continue;
            small_must(pt_params_set_real(t.params, PT_P_RIDGE, ldexp(ridge, step), &err), &err,
                       "ridge");
            double *scores = held_out_slowly(&t, fold, N);
            double loss = 0;
            for (int64_t i = 0; i < N; i++)
                loss += pt_label_loss(t.problem.labels, i, scores + i * CLASSES);
            free(scores);
            least = fmin(least, loss);
            chosen = step == 0 ? loss : chosen;
        }
        assert_true(chosen <= least + 1e-9);
        pt_params_free(params);
        pt_training_free(&t);
        pt_dataset_free(data);
        small_free(&s);
    }
}

/* On classes it is oneLSM but for the mean: with classes of equal size the same decisions. */
static void test_rank_ls__equals_onelsm_on_classes_of_equal_size(void **state)
{
    (void)state;
    small s = small_clouds(60, D, 3, 41);
    pt_dataset *data = small_dataset(&s);
    const char *how = "precision=double,kernel=rbf,sigma=1,ridge=0.3,calibrate=no";
    char rank[200];
    char one[200];
    snprintf(rank, sizeof rank, "machine=rank-ls,%s", how);
    snprintf(one, sizeof one, "machine=onelsm,labelbook=indicator,%s", how);
    double *a = small_scores(data, rank, data);
    double *b = small_scores(data, one, data);
    for (int64_t i = 0; i < 60; i++) /* targets are 3 e_r - 1, whose mean is 0 */
        for (int64_t r = 0; r < 3; r++) {
            const double sum = b[i * 3] + b[i * 3 + 1] + b[i * 3 + 2];
            assert_true(fabs(a[i * 3 + r] - (3 * b[i * 3 + r] - sum)) < 1e-9);
        }
    free(a), free(b);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_targets__are_classes_below_less_classes_above),
        cmocka_unit_test(test_rank_ls__equals_a_dense_solve),
        cmocka_unit_test(test_rank_ls__held_out_scores_equal_training_again),
        cmocka_unit_test(test_rank_ls__held_out_scores_over_several_tiles),
        cmocka_unit_test(test_rank_ls__chosen_parameters_have_the_least_loss),
        cmocka_unit_test(test_rank_ls__equals_onelsm_on_classes_of_equal_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
