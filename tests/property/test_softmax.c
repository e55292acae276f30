/* labels: threads */
/* The machine softmax: its scores are logarithms of its probabilities, which solve the problem that
 * it says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "machine/machine.h"
#include "machine/training.h"
#include "validate/auto.h"
#include "validate/probability/calibrate.h"

enum { N = 140, D = 5 };

static small weighted_clouds(int64_t k, uint64_t seed)
{
    small s = small_clouds(N, D, k, seed);
    s.weight = calloc(N, sizeof(double));
    for (int64_t i = 0; i < N; i++)
        s.weight[i] = 0.5 + (double)(i % 3);
    for (int64_t i = 0; i < N * D; i++)
        s.x[i] = fabs(s.x[i]) < 0.3 ? 0 : s.x[i];
    return s;
}

/* W (k x (D + 1), the bias last) of a machine trained on s. */
static void weights(const small *s, bool sparse, const char *options, double *W)
{
    pt_error err = PT_ERROR_INIT;
    pt_training t;
    pt_machine *machine = NULL;
    pt_pack pack = {0};
    pt_dataset *data = sparse ? small_sparse_dataset(s) : small_dataset(s);
    pt_params *params = small_params(options);
    small_must(pt_training_init(&t, data, params, NULL, &err), &err, options);
    small_must(pt_training_resolve(&t, NULL, &err), &err, options);
    small_must(pt_machine_fit(&machine, t.ops, &t.problem, t.params, NULL, &t.warnings, &err), &err,
               options);
    small_must(t.ops->save(machine, &pack, &err), &err, options);
    assert_int_equal(t.warnings.count, 0);
    const pt_array *bias = pt_pack_find(&pack, "bias");
    for (int64_t r = 0; r < s->k; r++) {
        memcpy(W + r * (D + 1), (double *)pt_pack_find(&pack, "coef")->value + r * D,
               D * sizeof(double));
        W[r * (D + 1) + D] = bias ? ((double *)bias->value)[r] : 0;
    }
    pt_pack_free(&pack);
    pt_machine_free(machine);
    pt_training_free(&t);
    pt_params_free(params);
    pt_dataset_free(data);
}

/* g (k x (D + 1)) <- the gradient of C times the loss, from the definitions. */
static void gradient(const small *s, double C, const double *W, double *g)
{
    memset(g, 0, (size_t)(s->k * (D + 1)) * sizeof *g);
    for (int64_t i = 0; i < N; i++) {
        double z[16];
        double sum = 0;
        for (int64_t r = 0; r < s->k; r++) {
            z[r] = W[r * (D + 1) + D];
            for (int64_t f = 0; f < D; f++)
                z[r] += s->x[i * D + f] * W[r * (D + 1) + f];
            sum += exp(z[r]);
        }
        for (int64_t r = 0; r < s->k; r++)
            for (int64_t f = 0; f <= D; f++)
                g[r * (D + 1) + f] += C * s->weight[i] * (exp(z[r]) / sum - (r == s->y[i])) *
                                      (f < D ? s->x[i * D + f] : 1);
    }
}

/* Squares: the gradient is 0. Absolute values: 0 is among the slopes of every weight. */
static void test_softmax__solves_its_problem(void **state)
{
    (void)state;
    double W[10 * (D + 1)];
    double g[10 * (D + 1)];
    static const double costs[] = {0.02, 0.3, 5};
    for (int q = 0; q < 24; q++) {
        const bool l1 = q & 1;
        const bool sparse = q & 2;
        const int64_t k = q & 4 ? 10 : 3;
        const double C = costs[q / 8];
        char options[160];
        int64_t zeros = 0;
        small s = weighted_clouds(k, 21);
        snprintf(options, sizeof options,
                 "machine=softmax,scale=none,precision=double,eps=1e-9,C=%g,penalty=%s", C,
                 l1 ? "l1" : "l2");
        weights(&s, sparse, options, W);
        gradient(&s, C, W, g);
        for (int64_t i = 0; i < k * (D + 1); i++) {
            const double slope = l1 ? (W[i] > 0) - (W[i] < 0) : W[i];
            const double off = fabs(g[i] + slope) - (l1 && W[i] == 0 ? 1 : 0);
            zeros += W[i] == 0;
            if (!(off < 1e-5))
                fail_msg("%s, k %d: weight %g is off by %g", options, (int)k, W[i], off);
        }
        assert_true(!l1 || C > 0.1 || zeros > k); /* few weights where C is small */
        small_free(&s);
    }
}

/* Without calibration the probabilities are those of the weights, but for what the number of rows
 * mixes with them. */
static void test_softmax__probabilities_are_its_own(void **state)
{
    (void)state;
    enum { K = 4 };
    static const char OPTIONS[] = "machine=softmax,scale=none,precision=double,calibrate=no,C=2";
    double W[K * (D + 1)];
    double proba[N * K];
    pt_error err = PT_ERROR_INIT;
    small s = weighted_clouds(K, 31);
    pt_dataset *data = small_dataset(&s);
    weights(&s, false, OPTIONS, W);
    pt_model *model = small_train(data, OPTIONS, 1);
    pt_prediction *p = small_predict(model, data, 1);
    small_must(pt_prediction_proba(p, proba, &err), &err, OPTIONS);
    const double mixing = 1 / (pt_effective_rows(s.weight, N) + 2);
    for (int64_t i = 0; i < N; i++) {
        double e[K];
        double sum = 0;
        for (int64_t r = 0; r < K; r++) {
            e[r] = W[r * (D + 1) + D];
            for (int64_t f = 0; f < D; f++)
                e[r] += s.x[i * D + f] * W[r * (D + 1) + f];
            e[r] = exp(e[r]);
            sum += e[r];
        }
        for (int64_t r = 0; r < K; r++)
            assert_true(fabs(proba[i * K + r] - ((1 - mixing) * e[r] / sum + mixing / K)) < 1e-12);
    }
    pt_prediction_free(p);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* With two classes softmax at C decides and believes as logistic regression at 2 C: the difference
 * of its scores is the log-odds, twice the output. */
static void test_softmax__two_classes_are_logistic(void **state)
{
    (void)state;
    small s = weighted_clouds(2, 41);
    pt_dataset *data = small_dataset(&s);
    double *both =
        small_scores(data, "machine=softmax,scale=none,precision=double,eps=1e-10,C=1.5", data);
    double *coded = small_scores(data,
                                 "machine=code,code=ovo,learner=logistic,scale=none,decode=inner,"
                                 "precision=double,eps=1e-10,C=3",
                                 data);
    for (int64_t i = 0; i < N; i++)
        assert_true(fabs((both[2 * i] - both[2 * i + 1]) - (coded[2 * i] - coded[2 * i + 1])) <
                    1e-6);
    free(coded);
    free(both);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- hostile arrays -------------------------------------------------------------------------- */

static pt_status load(const pt_pack *pack, const pt_params *params, int64_t d, int64_t k)
{
    pt_error err = PT_ERROR_INIT;
    pt_machine *machine = NULL;
    const pt_status status =
        pt_machine_load(&machine, &pt_machine_softmax, pack, d, k, params, NULL, &err);
    if (status == PT_OK)
        pt_machine_free(machine);
    return status;
}

static void test_softmax__hostile_arrays_are_refused(void **state)
{
    (void)state;
    enum { K = 3 };
    pt_error err = PT_ERROR_INIT;
    double coef[D * K] = {1};
    double bias[K] = {0};
    int64_t steps = 7;
    int64_t column[D] = {0};
    pt_pack pack = {0};
    pt_params *params = small_params("machine=softmax,precision=double");
    small_must(pt_pack_begin(&pack, &err), &err, "a pack");
    pt_pack_add(&pack, "coef", PT_F64, K, D, coef);
    pt_pack_add(&pack, "bias", PT_F64, K, 1, bias);
    pt_pack_add_integers(&pack, "steps", 1, &steps);
    assert_int_equal(load(&pack, params, D, K), PT_OK);
    assert_int_equal(load(&pack, params, D + 1, K), PT_EFORMAT);
    assert_int_equal(load(&pack, params, D, K + 1), PT_EFORMAT);
    coef[3] = NAN;
    assert_int_equal(load(&pack, params, D, K), PT_EFORMAT);
    coef[3] = 0;
    steps = -1;
    assert_int_equal(load(&pack, params, D, K), PT_EFORMAT);
    steps = 0;
    pt_pack_add_integers(&pack, "more", 1, &steps);
    assert_int_equal(load(&pack, params, D, K), PT_EFORMAT);
    pack.count = 0; /* coefficients of one output each */
    pt_pack_add(&pack, "coef", PT_F64, 1, D, coef);
    pt_pack_add(&pack, "bias", PT_F64, K, 1, bias);
    pt_pack_add_integers(&pack, "column", D, column);
    pt_pack_add_integers(&pack, "steps", 1, &steps);
    assert_int_equal(load(&pack, params, D, K), PT_EFORMAT);
    pt_pack_free(&pack);
    pt_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax__solves_its_problem),
        cmocka_unit_test(test_softmax__probabilities_are_its_own),
        cmocka_unit_test(test_softmax__two_classes_are_logistic),
        cmocka_unit_test(test_softmax__hostile_arrays_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
