/* The running scale of a stream: what it makes of weights when a unit changes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "solvers/online/online_scale.h"

enum { D = 5, K = 3, ROWS = 200 };

static void pairs_of(int64_t class_of, pt_label_pair pairs[K - 1])
{
    int64_t n = 0;
    for (int32_t r = 0; r < K; r++)
        if (r != class_of)
            pairs[n++] = (pt_label_pair){(int32_t)class_of, r};
}

/* Learns from one example in the units of now. */
static void learn(pt_online_scale *scale, pt_online_weights *w, const double *x, bool sparse,
                  int64_t class_of)
{
    pt_error err = PT_ERROR_INIT;
    int64_t index[D];
    int64_t told_index[D];
    double value[D];
    double told_value[D];
    pt_label_pair pairs[K - 1];
    int64_t count = 0;
    for (int64_t j = 0; j < D; j++) {
        index[count] = j;
        value[count] = x[j];
        count += !sparse || x[j] != 0;
    }
    pt_online_row row = {count, index, value};
    assert_int_equal(pt_online_scale_grow(scale, D, &err), PT_OK);
    pt_online_scale_row(scale, w, &row, told_index, told_value);
    for (int64_t p = 0; p < row.count && !scale->standard; p++)
        assert_true(fabs(row.value[p]) <= 1 + 1e-12);
    pairs_of(class_of, pairs);
    pt_online_score(w, &row);
    (void)pt_online_learn_pairs(w, &row, pairs, K - 1, 1);
}

/* Rows whose sizes and offsets differ by columns, and grow. */
static int64_t make_row(pt_random *random, int64_t i, bool sparse, bool positive, double *x)
{
    const int64_t class_of = i % K;
    for (int64_t j = 0; j < D; j++) {
        const double z = pt_random_normal(random) + (j == class_of ? 2 : 0);
        x[j] = z * (1 + (double)i / 20) * (j == 2 ? 1e6 : 1) + (sparse || j != 3 ? 0 : 2000);
        if (positive)
            x[j] = fabs(x[j]);
        if (sparse && (i + j) % 3 == 0)
            x[j] = 0;
    }
    return class_of;
}

/* The weights are those that the same steps would have made of the rows in the last units. */
static void test_scale__weights_are_those_of_the_last_units(void **state)
{
    (void)state;
    for (int update = PT_UPDATE_PERCEPTRON; update <= PT_UPDATE_PA; update++) {
        const pt_online_rule rule = {(pt_update)update, PT_VIOLATED_ALL, 1, 1.5, true};
        pt_online_scale scale = {.on = true, .standard = true, .dense = true};
        pt_online_weights w;
        pt_error err = PT_ERROR_INIT;
        pt_random random;
        double sum[D][K] = {{0}}; /* of steps times raw values */
        double steps[K] = {0};
        assert_int_equal(pt_online_weights_init(&w, &rule, K, D, &err), PT_OK);
        pt_random_init(&random, 3, PT_RANDOM_TEST, (uint64_t)update);
        for (int64_t i = 0; i < ROWS; i++) {
            double x[D];
            double before[K];
            const int64_t class_of = make_row(&random, i, false, false, x);
            memcpy(before, w.V, sizeof before);
            learn(&scale, &w, x, false, class_of);
            for (int64_t r = 0; r < K; r++)
                for (int64_t j = 0; j < D; j++)
                    sum[j][r] += (w.V[r] - before[r]) * x[j];
            for (int64_t r = 0; r < K; r++)
                steps[r] += w.V[r] - before[r];
        }
        assert_true(w.moves > 20);
        for (int64_t j = 0; j < D; j++) {
            const pt_online_unit unit = scale.unit[j];
            assert_true(unit.center != 0 && unit.factor > 0);
            for (int64_t r = 0; r < K; r++) {
                const double want = (sum[j][r] - unit.center * steps[r]) * unit.factor;
                assert_true(fabs(w.V[(j + 1) * w.stride + r] - want) < 1e-8);
            }
        }
        pt_online_scale_free(&scale);
        pt_online_weights_free(&w);
    }
}

/* Other units of a feature that keeps its zeros change nothing, whatever the update. */
static void test_scale__units_do_not_matter(void **state)
{
    (void)state;
    static const double UNIT[D] = {1, 1024, 1.0 / 4096, 1048576, 0.5};
    for (int way = 0; way < 2 * PT_N_UPDATES; way++) {
        const int update = way / 2;
        const bool positive = update == PT_UPDATE_WINNOW;
        const pt_online_rule rule = {(pt_update)update, PT_VIOLATED_ALL, 1, 1.5, true};
        const bool standard = way % 2 == 1;
        pt_online_scale scale[2] = {{.on = true, .standard = standard},
                                    {.on = true, .standard = standard}};
        pt_online_weights w[2];
        pt_error err = PT_ERROR_INIT;
        pt_random random;
        pt_random_init(&random, 5, PT_RANDOM_TEST, (uint64_t)update);
        for (int s = 0; s < 2; s++)
            assert_int_equal(pt_online_weights_init(&w[s], &rule, K, D, &err), PT_OK);
        for (int64_t i = 0; i < ROWS; i++) {
            double x[D];
            const int64_t class_of = make_row(&random, i, true, positive, x);
            learn(&scale[0], &w[0], x, true, class_of);
            for (int64_t j = 0; j < D; j++)
                x[j] *= UNIT[j];
            learn(&scale[1], &w[1], x, true, class_of);
        }
        assert_true(w[0].moves > 20);
        assert_int_equal(w[0].moves, w[1].moves);
        assert_memory_equal(w[0].V, w[1].V, (size_t)((D + 1) * w[0].stride) * sizeof *w[0].V);
        for (int s = 0; s < 2; s++) {
            pt_online_scale_free(&scale[s]);
            pt_online_weights_free(&w[s]);
        }
    }
}

/* A column of a table comes to its mean and deviation; one value that is far out moves neither by
 * much, and the first is told as 1, so that no example is shorter than the others. */
static void test_scale__means_and_deviations(void **state)
{
    (void)state;
    enum { MANY = 1024 };
    const pt_online_rule rule = {PT_UPDATE_PA, PT_VIOLATED_ALL, 1, 1.5, true};
    pt_online_scale scale = {.on = true, .standard = true, .dense = true};
    pt_online_weights w;
    pt_error err = PT_ERROR_INIT;
    pt_random random;
    double sum = 0;
    double squares = 0;
    assert_int_equal(pt_online_weights_init(&w, &rule, K, D, &err), PT_OK);
    pt_random_init(&random, 9, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < MANY; i++) {
        double x[D];
        (void)make_row(&random, i, false, false, x);
        x[0] = 1e6 + 1 + 14 * pt_random_uniform(&random);
        learn(&scale, &w, x, false, i % K);
        sum += x[0] - 1e6;
        squares += (x[0] - 1e6) * (x[0] - 1e6);
        if (i == 0) /* all D told as 1 or -1, and the bias */
            assert_true(fabs(w.V[0]) <= 2.0 / (2 * (D + 1)) + 1e-12);
    }
    const double mean = sum / MANY;
    const pt_online_unit before = scale.unit[0];
    assert_true(fabs(before.center - 1e6 - mean) < 1e-6);
    assert_true(fabs(1 / before.factor - sqrt(squares / MANY - mean * mean)) < 1e-6);
    double x[D] = {1e6};
    learn(&scale, &w, x, false, 0);
    assert_true(scale.unit[0].low == 1e6 && scale.unit[0].center != before.center);
    assert_true(fabs(scale.unit[0].center - before.center) * before.factor < 0.01);
    assert_true(fabs(scale.unit[0].factor / before.factor - 1) < 0.01);
    pt_online_scale_free(&scale);
    pt_online_weights_free(&w);
}

/* Squares that are no numbers any more leave a unit, and so does a value at the end of all. */
static void test_scale__any_size_is_told(void **state)
{
    (void)state;
    static const double SIZES[] = {1.7e308, 1e200, 1e-200, 3e-308};
    for (int dense = 0; dense < 2; dense++) {
        const pt_online_rule rule = {PT_UPDATE_AVERAGED, PT_VIOLATED_ALL, 1, 1.5, true};
        pt_online_scale scale = {.on = true, .standard = true, .dense = dense == 1};
        pt_online_weights w;
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(pt_online_weights_init(&w, &rule, K, D, &err), PT_OK);
        for (int64_t i = 0; i < ROWS; i++) {
            double x[D] = {1};
            for (int64_t j = 0; j < D - 1; j++)
                x[j + 1] = i % 2 == 0 ? SIZES[j] : -SIZES[j];
            learn(&scale, &w, x, dense == 0, i % 2);
        }
        for (int64_t j = 1; j < D; j++) {
            assert_true(scale.unit[j].factor > 0 && isfinite(scale.unit[j].factor));
            for (int64_t r = 0; r < K; r++)
                assert_true(isfinite(w.V[(j + 1) * w.stride + r]));
            assert_true(fabs(w.V[(j + 1) * w.stride]) > 0.5);
        }
        pt_online_scale_free(&scale);
        pt_online_weights_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale__weights_are_those_of_the_last_units),
        cmocka_unit_test(test_scale__units_do_not_matter),
        cmocka_unit_test(test_scale__means_and_deviations),
        cmocka_unit_test(test_scale__any_size_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
