/* A joint kernel of inputs and outputs: with J((x, r), (x', y')) = Q[r, y'] kappa(x, x') it is the
 * machine with these label vectors; held-out scores are those of training again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "../support/validation.h"
#include "codes/vectors/labelbook.h"
#include "machine/training.h"

enum { N = 40, K = 3, D = 3 };

static double rbf(const double *a, const double *b)
{
    double sum = 0;
    for (int j = 0; j < D; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return exp(-sum / 2);
}

/* Rows of `on` against those of s, with the inner products of a labelbook: k n columns. */
static small joint_of(const small *s, const small *on, const char *name)
{
    const pt_labelbook *book = pt_labelbook_find(name);
    const int64_t ell = book->ell(K);
    double M[K * K];
    book->fill(K, NULL, M);
    small joint = {on->n, K * s->n,  K, calloc((size_t)(on->n * K * s->n), sizeof(double)),
                   on->y, on->weight};
    for (int64_t i = 0; i < on->n; i++)
        for (int64_t r = 0; r < K; r++)
            for (int64_t j = 0; j < s->n; j++) {
                double q = 0;
                for (int64_t t = 0; t < ell; t++)
                    q += M[r * ell + t] * M[s->y[j] * ell + t];
                joint.x[i * joint.d + r * s->n + j] = q * rbf(on->x + i * D, s->x + j * D);
            }
    return joint;
}

static void subtract_means(double *scores, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const double mean = (scores[i * K] + scores[i * K + 1] + scores[i * K + 2]) / K;
        for (int r = 0; r < K; r++)
            scores[i * K + r] -= mean;
    }
}

static void expect_product_kernel(const char *machine, double tolerance)
{
    static const char *const books[] = {"pm1", "indicator", "mincorr"};
    for (int weights = 0; weights < 2; weights++)
        for (int b = 0; b < 3; b++) {
            small s = small_clouds(N, D, K, 1);
            small on = small_clouds(11, D, K, 2);
            if (weights) {
                s.weight = calloc(N, sizeof(double));
                for (int i = 0; i < N; i++)
                    s.weight[i] = 0.5 + i % 3;
            }
            small joint = joint_of(&s, &s, books[b]);
            small joint_on = joint_of(&s, &on, books[b]);
            pt_dataset *train = small_dataset(&s);
            pt_dataset *test = small_dataset(&on);
            pt_dataset *joint_train = small_dataset(&joint);
            pt_dataset *joint_test = small_dataset(&joint_on);
            char text[200];
            snprintf(text, sizeof text,
                     "machine=%s,kernel=rbf,sigma=1,precision=double,scale=none,labelbook=%s",
                     machine, books[b]);
            double *plain = small_scores(train, text, test);
            snprintf(text, sizeof text, "machine=%s,kernel=joint,precision=double", machine);
            double *jointly = small_scores(joint_train, text, joint_test);
            subtract_means(plain, on.n);
            subtract_means(jointly, on.n);
            if (!(small_distance(plain, jointly, on.n * K) < tolerance))
                fail_msg("%s, %s: %g apart", machine, books[b],
                         small_distance(plain, jointly, on.n * K));
            free(plain);
            free(jointly);
            pt_dataset_free(train);
            pt_dataset_free(test);
            pt_dataset_free(joint_train);
            pt_dataset_free(joint_test);
            free(joint.x);
            free(joint_on.x);
            small_free(&s);
            small_free(&on);
        }
}

static void test_joint__a_product_kernel_is_the_machine_with_label_vectors(void **state)
{
    (void)state;
    expect_product_kernel("vo-lssvm,ridge=0.3", 1e-9);
    expect_product_kernel("vo-svm,C=2,gap=1e-10", 1e-4); /* the gap bounds values, not scores */
}

/* ---- held out ------------------------------------------------------------------------------- */

typedef struct kept {
    double *scores; /* partitions x N x K */
} kept;

static pt_status keep(void *context, int64_t point, int64_t partition, const double *scores,
                      pt_error *err)
{
    (void)point;
    (void)err;
    assert_non_null(scores);
    memcpy(((kept *)context)->scores + partition * N * K, scores, N * K * sizeof(double));
    return PT_OK;
}

static void test_joint__held_out_scores_are_those_of_training_again(void **state)
{
    (void)state;
    static const char *const how[] = {"folds=5", "folds=10,repeat=3", "loo=yes"};
    small s = small_clouds(N, D, K, 3);
    s.weight = calloc(N, sizeof(double));
    for (int i = 0; i < N; i++)
        s.weight[i] = 0.5 + i % 3;
    small joint = joint_of(&s, &s, "mincorr");
    pt_dataset *data = small_dataset(&joint);
    for (int h = 0; h < 3; h++) {
        pt_error err = PT_ERROR_INIT;
        char text[200];
        snprintf(text, sizeof text, "machine=vo-lssvm,kernel=joint,ridge=0.1,precision=double,%s",
                 how[h]);
        pt_params *params = small_params(text);
        pt_training t;
        pt_fold_set folds;
        small_must(pt_training_init(&t, data, params, NULL, &err), &err, text);
        small_must(pt_fold_set_init(&folds, &t.problem, t.params, &err), &err, text);
        const size_t cells = (size_t)(folds.partitions.count * N * K);
        kept closed = {calloc(cells, sizeof(double))};
        kept brute = {calloc(cells, sizeof(double))};
        const pt_params *point = t.params;
        assert_true(pt_holdout_is_closed_form(t.ops, &t.problem, point));
        small_must(held_out_scores(t.ops, &t.problem, &point, 1, &folds.partitions, keep, &closed,
                                   NULL, &err),
                   &err, text);
        small_must(held_out_by_training(t.ops, &t.problem, &point, 1, &folds.partitions, keep,
                                        &brute, NULL, &err),
                   &err, text);
        if (!(small_distance(closed.scores, brute.scores, (int64_t)cells) < 1e-8))
            fail_msg("%s: %g apart", text,
                     small_distance(closed.scores, brute.scores, (int64_t)cells));
        free(closed.scores);
        free(brute.scores);
        pt_fold_set_free(&folds);
        pt_training_free(&t);
        pt_params_free(params);
    }
    pt_dataset_free(data);
    free(joint.x);
    small_free(&s);
}

/* ---- the whole way -------------------------------------------------------------------------- */

static void test_joint__trains_with_an_automatic_ridge_and_survives_the_file(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    char path[] = "/tmp/polytomy_joint_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    small s = small_clouds(N, D, K, 4);
    small joint = joint_of(&s, &s, "pm1");
    pt_dataset *data = small_dataset(&joint);
    for (int single = 0; single < 2; single++) {
        pt_model *model = small_train(data,
                                      single ? "machine=vo-lssvm,kernel=joint,auto-rows=30"
                                             : "machine=vo-lssvm,kernel=joint,precision=double",
                                      2);
        pt_model *loaded = NULL;
        small_must(pt_model_save(model, path, &err), &err, "save");
        small_must(pt_model_load(&loaded, path, NULL, &err), &err, "load");
        pt_prediction *a = small_predict(model, data, 1);
        pt_prediction *b = small_predict(loaded, data, 2);
        assert_memory_equal(pt_prediction_scores(a), pt_prediction_scores(b),
                            N * K * sizeof(double));
        pt_prediction_free(a);
        pt_prediction_free(b);
        pt_model_free(model);
        pt_model_free(loaded);
    }
    unlink(path);
    pt_dataset_free(data);
    free(joint.x);
    small_free(&s);
}

static void expect_refused(const pt_dataset *data, const char *options, pt_status want,
                           const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    const pt_status status = small_try_train(&model, data, options, 1, &err);
    if (status != want || !strstr(err.text, text))
        fail_msg("%s: %s: %s", options, pt_status_name(status), err.text);
    pt_model_free(model);
}

static void test_joint__what_cannot_be_is_refused(void **state)
{
    (void)state;
    small s = small_clouds(N, D, K, 5);
    small joint = joint_of(&s, &s, "pm1");
    pt_dataset *data = small_dataset(&joint);
    expect_refused(data, "machine=onelsm,kernel=joint,ridge=1", PT_EINVAL, "vo-lssvm");
    expect_refused(data, "machine=vo-lssvm,kernel=joint,labelbook=pm1,ridge=1", PT_EINVAL,
                   "`labelbook");
    expect_refused(data, "machine=vo-lssvm,kernel=joint,bias=yes,ridge=1", PT_EINVAL, "`bias");
    expect_refused(data, "machine=vo-lssvm,kernel=joint,decode=nearest,ridge=1", PT_EINVAL,
                   "`decode");
    expect_refused(data, "machine=vo-lssvm,kernel=joint,scale=range,ridge=1", PT_EINVAL, "`scale");
    pt_dataset_free(data);
    joint.x[1 * joint.d + s.y[1] * N] += 1;
    data = small_dataset(&joint);
    expect_refused(data, "machine=vo-lssvm,kernel=joint,ridge=1", PT_EFORMAT, "symmetric");
    pt_dataset_free(data);
    data = small_dataset(&s);
    expect_refused(data, "machine=vo-lssvm,kernel=joint", PT_EFORMAT, "columns");
    expect_refused(data, "machine=vo-lssvm,kernel=joint,ridge=1", PT_EFORMAT, "columns");
    pt_dataset_free(data);
    free(joint.x);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joint__a_product_kernel_is_the_machine_with_label_vectors),
        cmocka_unit_test(test_joint__held_out_scores_are_those_of_training_again),
        cmocka_unit_test(test_joint__trains_with_an_automatic_ridge_and_survives_the_file),
        cmocka_unit_test(test_joint__what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
