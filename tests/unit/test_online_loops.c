/* The loops of online learners against loops over one number at a time, for every instruction set
 * and number of classes that has a way of its own. Numbers are small integers: sums are exact in
 * any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/random.h"
#include "solvers/online/online_update.h"

enum { D = 90, MOST_STRIDE = 72, MOST_COUNT = 41 };

typedef struct work {
    double V[D * MOST_STRIDE];
    double expected[D * MOST_STRIDE];
    double scores[MOST_STRIDE];
    double tau[MOST_STRIDE];
    int64_t index[MOST_COUNT];
    double value[MOST_COUNT];
} work;

static double small(pt_random *random)
{
    return (double)pt_random_below(random, 9) - 4;
}

static void fill(work *k, int64_t count, int64_t stride, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int64_t at = 0; at < D * stride; at++)
        k->V[at] = small(&random);
    for (int64_t r = 0; r < stride; r++) {
        k->scores[r] = small(&random);
        k->tau[r] = small(&random);
    }
    for (int64_t p = 0; p < count; p++) {
        k->index[p] = 2 * p + pt_random_below(&random, 2);
        k->value[p] = small(&random);
    }
}

static void check_scores(work *k, const pt_online_row *x, int64_t stride)
{
    double expected[MOST_STRIDE];
    memcpy(expected, k->scores, sizeof expected);
    for (int64_t p = 0; p < x->count; p++)
        for (int64_t r = 0; r < stride; r++)
            expected[r] += x->value[p] * k->V[x->index[p] * stride + r];
    pt_online_loops_chosen()->scores(k->V, stride, x, k->scores);
    for (int64_t r = 0; r < stride; r++)
        assert_true(k->scores[r] == expected[r]);
}

static void check_steps(work *k, const pt_online_row *x, int64_t stride, bool far)
{
    memcpy(k->expected, k->V, sizeof k->V);
    for (int64_t p = 0; p < x->count; p++)
        for (int64_t r = 0; r < stride; r++)
            k->expected[x->index[p] * stride + r] += 3 * x->value[p] * k->tau[r];
    pt_online_loops_chosen()->steps(k->V, stride, x, 3, k->tau, far);
    assert_memory_equal(k->V, k->expected, (size_t)(D * stride) * sizeof(double));
}

static void test_online_loops__equal_plain_sums(void **state)
{
    (void)state;
    static const int64_t COUNTS[] = {0, 1, 2, 3, 17, 18, 40, 41};
    const pt_isa_level chosen = pt_isa_level_chosen();
    work *k = calloc(1, sizeof *k);
    assert_non_null(k);
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        if (!pt_isa_level_runs((pt_isa_level)level))
            continue;
        pt_isa_level_force((pt_isa_level)level);
        for (int64_t stride = PT_ONLINE_LANES; stride <= MOST_STRIDE; stride += PT_ONLINE_LANES)
            for (size_t c = 0; c < sizeof COUNTS / sizeof *COUNTS; c++) {
                const pt_online_row x = {COUNTS[c], k->index, k->value};
                fill(k, COUNTS[c], stride, (uint64_t)stride);
                check_scores(k, &x, stride);
                check_steps(k, &x, stride, c % 2 == 0);
            }
    }
    pt_isa_level_force(chosen);
    free(k);
}

/* ---- many classes, few of which move ---- */

enum { CLASSES = 50, EXAMPLES = 400, FEATURES = 30 };

/* Class labels by the worst pair: two of 50 classes move at a time. The reference adds one number
 * at a time; room for more changes nothing. */
static void learn(pt_update update, int64_t reserved, double *out, double *reference)
{
    const pt_online_rule rule = {.update = update, .violated = PT_VIOLATED_WORST, .bias = true};
    pt_online_weights w = {0};
    pt_random random;
    pt_error err = PT_ERROR_INIT;
    double *mean = calloc(2 * (FEATURES + 1) * CLASSES, sizeof *mean);
    double *V = mean + (FEATURES + 1) * CLASSES;
    assert_non_null(mean);
    pt_random_init(&random, 7, PT_RANDOM_TEST, 1);
    assert_int_equal(pt_online_weights_init(&w, &rule, CLASSES, FEATURES, &err), PT_OK);
    assert_int_equal(pt_online_weights_reserve(&w, reserved, reserved, &err), PT_OK);
    for (int i = 0; i < EXAMPLES; i++) {
        int64_t index[FEATURES];
        double value[FEATURES];
        pt_online_row x = {0, index, value};
        for (int64_t j = 0; j < FEATURES; j++)
            if (pt_random_below(&random, 3) == 0) {
                index[x.count] = j;
                value[x.count++] = small(&random);
            }
        const int32_t own = (int32_t)pt_random_below(&random, CLASSES);
        pt_label_pair pairs[CLASSES];
        int64_t n_pairs = 0;
        int64_t worst = -1;
        double s[CLASSES];
        for (int32_t r = 0; r < CLASSES; r++) {
            s[r] = V[FEATURES * CLASSES + r];
            for (int64_t p = 0; p < x.count; p++)
                s[r] += value[p] * V[index[p] * CLASSES + r];
        }
        for (int32_t r = 0; r < CLASSES; r++) {
            if (r == own)
                continue;
            pairs[n_pairs++] = (pt_label_pair){own, r};
            if (worst < 0 || s[r] > s[worst])
                worst = r;
        }
        if (s[own] <= s[worst])
            for (int64_t p = 0; p <= x.count; p++) {
                const int64_t j = p < x.count ? index[p] : FEATURES;
                V[j * CLASSES + own] += p < x.count ? value[p] : 1;
                V[j * CLASSES + worst] -= p < x.count ? value[p] : 1;
            }
        for (int64_t at = 0; at < (FEATURES + 1) * CLASSES; at++)
            mean[at] += V[at];
        pt_online_score(&w, &x);
        (void)pt_online_learn_pairs(&w, &x, pairs, n_pairs, 1);
    }
    pt_online_result(&w, NULL, CLASSES, -1, out);
    for (int64_t r = 0; r < CLASSES; r++)
        for (int64_t j = 0; j <= FEATURES; j++)
            reference[r * (FEATURES + 1) + j] = update == PT_UPDATE_AVERAGED
                                                    ? mean[j * CLASSES + r] / EXAMPLES
                                                    : V[j * CLASSES + r];
    pt_online_weights_free(&w);
    free(mean);
}

static void test_online_update__few_of_many_classes_move(void **state)
{
    (void)state;
    static double out[(FEATURES + 1) * CLASSES];
    static double wide[(FEATURES + 1) * CLASSES];
    static double reference[(FEATURES + 1) * CLASSES];
    static const pt_update UPDATES[] = {PT_UPDATE_PERCEPTRON, PT_UPDATE_AVERAGED};
    for (int u = 0; u < 2; u++) {
        learn(UPDATES[u], 0, out, reference);
        for (int at = 0; at < (FEATURES + 1) * CLASSES; at++)
            assert_true(out[at] - reference[at] < 1e-9 && reference[at] - out[at] < 1e-9);
        learn(UPDATES[u], 1000, wide, reference);
        assert_memory_equal(out, wide, sizeof out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_online_loops__equal_plain_sums),
        cmocka_unit_test(test_online_update__few_of_many_classes_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
