/* The linear SVM's solver against a slow reference, cyclic descent on the whole matrix in double
 * until nothing moves; and the duality gap that it claims against one computed here from the
 * definitions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/random.h"
#include "polytomy/polytomy.h"
#include "solvers/linear/linear_svm.h"

/* n rows of d features, dense, and the same without zeros. */
typedef struct instance {
    int64_t n;
    int64_t d;
    double *x;
    pt_rows dense;
    pt_rows sparse;
    int64_t *start;
    int64_t *index;
    double *value;
    int64_t *row;
    int8_t *y;
    double *bound;
    double *a;
    double *w;
} instance;

static void find_sparse(instance *in)
{
    int64_t used = 0;
    for (int64_t i = 0; i < in->n; i++) {
        for (int64_t f = 0; f < in->d; f++)
            if (in->x[i * in->d + f] != 0) {
                in->index[used] = f;
                in->value[used++] = in->x[i * in->d + f];
            }
        in->start[i + 1] = used;
    }
    in->sparse = (pt_rows){.n = in->n,
                           .d = in->d,
                           .type = PT_F64,
                           .start = in->start,
                           .index = in->index,
                           .value = in->value};
}

/* Normal rows, a share of whose values is zero; sides by a noisy linear rule; all rows take part,
 * in another order. */
static instance make(int64_t n, int64_t d, double zeros, double C, uint64_t seed)
{
    instance in = {.n = n, .d = d};
    const size_t cells = (size_t)(n * d) + 1;
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 3);
    in.x = calloc(cells, sizeof(double));
    in.start = calloc((size_t)n + 1, sizeof(int64_t));
    in.index = calloc(cells, sizeof(int64_t));
    in.value = calloc(cells, sizeof(double));
    in.row = calloc((size_t)n, sizeof(int64_t));
    in.y = calloc((size_t)n, sizeof(int8_t));
    in.bound = calloc((size_t)n, sizeof(double));
    in.a = calloc((size_t)n, sizeof(double));
    in.w = calloc((size_t)d + 1, sizeof(double));
    for (int64_t i = 0; i < n; i++) {
        double side = pt_random_normal(&random);
        for (int64_t f = 0; f < d; f++) {
            const double x = pt_random_normal(&random);
            if (pt_random_uniform(&random) < zeros)
                continue;
            in.x[i * d + f] = x;
            side += x;
        }
        in.row[i] = n - 1 - i;
        in.y[n - 1 - i] = side > 0.3 ? 1 : -1;
        in.bound[n - 1 - i] = C * (0.5 + pt_random_uniform(&random));
    }
    in.dense = (pt_rows){.n = n, .d = d, .type = PT_F64, .dense = in.x, .stride = d};
    find_sparse(&in);
    return in;
}

static void drop(instance *in)
{
    free(in->x);
    free(in->start);
    free(in->index);
    free(in->value);
    free(in->row);
    free(in->y);
    free(in->bound);
    free(in->a);
    free(in->w);
}

static pt_linear_svm_result solve_rows(instance *in, const pt_rows *rows, bool bias, double gap,
                                       int64_t limit)
{
    pt_error err = PT_ERROR_INIT;
    pt_linear_rows ready = {0};
    pt_linear_svm_result result;
    assert_int_equal(pt_linear_rows_init(&ready, rows, bias, NULL, &err), PT_OK);
    const pt_linear_svm problem = {.rows = &ready,
                                   .n = in->n,
                                   .row = in->row,
                                   .y = in->y,
                                   .bound = in->bound,
                                   .gap = gap,
                                   .limit = limit,
                                   .seed = 1};
    assert_int_equal(pt_linear_svm_solve(&problem, in->a, in->w, &result, NULL, &err), PT_OK);
    pt_linear_rows_free(&ready);
    return result;
}

/* ---------------------------------------------------------------------------------- reference */

static double entry(const instance *in, bool bias, int64_t i, int64_t j)
{
    double sum = bias ? 1 : 0;
    for (int64_t f = 0; f < in->d; f++)
        sum += in->x[in->row[i] * in->d + f] * in->x[in->row[j] * in->d + f];
    return in->y[i] * in->y[j] * sum;
}

static double reference_value(const instance *in, bool bias)
{
    const int64_t n = in->n;
    double *Q = calloc((size_t)(n * n), sizeof(double));
    double *a = calloc((size_t)n, sizeof(double));
    for (int64_t i = 0; i < n * n; i++)
        Q[i] = entry(in, bias, i / n, i % n);
    double moved = 1;
    for (int sweep = 0; sweep < 100000 && moved > 1e-12; sweep++) {
        moved = 0;
        for (int64_t i = 0; i < n; i++) {
            double G = -1;
            for (int64_t j = 0; j < n; j++)
                G += Q[i * n + j] * a[j];
            const double to = Q[i * n + i] > 0 ? a[i] - G / Q[i * n + i] : in->bound[i];
            const double kept = fmin(fmax(to, 0), in->bound[i]);
            moved = fmax(moved, fabs(kept - a[i]) / fmin(in->bound[i], 1));
            a[i] = kept;
        }
    }
    double value = 0;
    for (int64_t i = 0; i < n; i++) {
        double h = 0;
        for (int64_t j = 0; j < n; j++)
            h += Q[i * n + j] * a[j];
        value += a[i] * (1 - 0.5 * h);
    }
    free(a);
    free(Q);
    return value;
}

static double dual_value(const instance *in, bool bias)
{
    double value = 0;
    double *v = calloc((size_t)in->d + 1, sizeof(double));
    for (int64_t i = 0; i < in->n; i++) {
        assert_true(in->a[i] >= 0 && in->a[i] <= in->bound[i]);
        value += in->a[i];
        for (int64_t f = 0; f < in->d; f++)
            v[f] += in->a[i] * in->y[i] * in->x[in->row[i] * in->d + f];
        v[in->d] += bias ? in->a[i] * in->y[i] : 0;
    }
    for (int64_t f = 0; f <= in->d; f++)
        value -= 0.5 * v[f] * v[f];
    free(v);
    return value;
}

static double primal_value(const instance *in, bool bias)
{
    double value = 0;
    for (int64_t f = 0; f <= in->d; f++)
        value += 0.5 * in->w[f] * in->w[f];
    for (int64_t i = 0; i < in->n; i++) {
        double out = bias ? in->w[in->d] : 0;
        for (int64_t f = 0; f < in->d; f++)
            out += in->w[f] * in->x[in->row[i] * in->d + f];
        value += in->bound[i] * fmax(0, 1 - in->y[i] * out);
    }
    return value;
}

/* What it says of itself is true. */
static void expect_honest(const instance *in, bool bias, double gap,
                          const pt_linear_svm_result *result)
{
    const double dual = dual_value(in, bias);
    const double primal = primal_value(in, bias);
    const double close = 1e-9 * fmax(fabs(dual), fabs(primal));
    assert_true(isfinite(primal) && isfinite(dual));
    assert_true(fabs(result->value - dual) <= close);
    assert_true(fabs(result->gap - (primal - dual)) <= close);
    if (result->converged)
        assert_true(primal - dual <= gap * dual + close);
}

/* ---------------------------------------------------------------------------------- tests */

static void test_linear_svm__finds_the_solution(void **state)
{
    (void)state;
    static const double C[] = {1e-12, 1e-4, 0.1, 1, 30, 1e12};
    for (int bias = 0; bias < 2; bias++)
        for (size_t c = 0; c < sizeof C / sizeof *C; c++)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                const bool separable = C[c] > 100; /* more features than rows */
                instance in = make(40, separable ? 60 : 6, 0.2, C[c], seed);
                const pt_linear_svm_result result = solve_rows(&in, &in.dense, bias, 1e-9, 0);
                if (!result.converged)
                    fail_msg("C %g, seed %d, bias %d: gap %g of %g", C[c], (int)seed, bias,
                             result.gap, result.value);
                expect_honest(&in, bias, 1e-9, &result);
                const double value = reference_value(&in, bias);
                assert_true(fabs(result.value - value) <= 1e-8 * value);
                drop(&in);
            }
}

/* Classes that overlap, and a bound a million million times too large: it may not get there, but
 * ends, and says where it is. */
static void test_linear_svm__tells_where_it_stopped(void **state)
{
    (void)state;
    instance in = make(60, 3, 0, 1e12, 1);
    pt_linear_svm_result result = solve_rows(&in, &in.dense, true, 1e-6, 50);
    assert_false(result.converged);
    assert_true(result.visits <= 52 * in.n);
    drop(&in);
    in = make(200, 20, 0, 10, 2);
    result = solve_rows(&in, &in.dense, true, 1e-12, 2);
    assert_false(result.converged);
    expect_honest(&in, true, 1e-12, &result);
    drop(&in);
}

/* Rows on both sides at once: multipliers creep towards bounds that are far away. It converges
 * where that is near enough, and else gives up after a fraction of a second. */
static void test_linear_svm__contradictions(void **state)
{
    (void)state;
    static const double C[] = {1, 1e3, 1e5, 1e12, 1e300};
    for (size_t c = 0; c < sizeof C / sizeof *C; c++) {
        instance in = make(8, 2, 0, C[c], 3);
        for (int64_t i = 0; i < in.n; i++) {
            memcpy(in.x + i * in.d, in.x + i / 2 * 2 * in.d, 2 * sizeof(double));
            in.y[i] = i % 2 ? 1 : -1;
            in.bound[i] = C[c];
        }
        const pt_linear_svm_result result = solve_rows(&in, &in.dense, true, 1e-3, 0);
        assert_true(result.converged || C[c] > 1e5);
        assert_true(result.visits <= 4000000 + 2 * in.n);
        drop(&in);
    }
}

static void test_linear_svm__odd_rows(void **state)
{
    (void)state;
    for (int bias = 0; bias < 2; bias++)
        for (int kind = 0; kind < 5; kind++) {
            instance in = make(50, 4, 0.3, 2, 9);
            for (int64_t i = 0; i < in.n; i++) {
                if (kind == 0) /* one side */
                    in.y[i] = 1;
                if (kind == 1 && i % 2) /* each row twice, sides may differ */
                    memcpy(in.x + i * in.d, in.x + (i - 1) * in.d, 4 * sizeof(double));
                if (kind == 2 && i % 3 == 0) /* zeros */
                    memset(in.x + i * in.d, 0, 4 * sizeof(double));
                if (kind == 3) /* nothing but zeros */
                    memset(in.x + i * in.d, 0, 4 * sizeof(double));
            }
            if (kind == 4)
                in.n = 1;
            const pt_linear_svm_result result = solve_rows(&in, &in.dense, bias, 1e-8, 0);
            assert_true(result.converged);
            expect_honest(&in, bias, 1e-8, &result);
            const double value = reference_value(&in, bias);
            assert_true(fabs(result.value - value) <= 1e-7 * value);
            drop(&in);
        }
}

/* Dense rows that are mostly zeros are read as sparse ones: nothing differs. Others are added up
 * in another order. */
static void test_linear_svm__sparse_equals_dense(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        instance in = make(120, 70, dense ? 0.3 : 0.9, 1, 4);
        instance other = make(120, 70, dense ? 0.3 : 0.9, 1, 4);
        const pt_linear_svm_result a = solve_rows(&in, &in.dense, true, 1e-10, 0);
        const pt_linear_svm_result b = solve_rows(&other, &other.sparse, true, 1e-10, 0);
        assert_true(a.converged && b.converged);
        for (int64_t f = 0; f <= in.d; f++)
            assert_true(fabs(in.w[f] - other.w[f]) <= (dense ? 1e-4 : 0));
        drop(&in);
        drop(&other);
    }
}

static void test_linear_svm__every_instruction_set(void **state)
{
    (void)state;
    const pt_isa_level before = pt_isa_level_chosen();
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        if (!pt_isa_level_runs((pt_isa_level)level))
            continue;
        pt_isa_level_force((pt_isa_level)level);
        for (int sparse = 0; sparse < 2; sparse++) {
            instance in = make(300, 75, 0.3, 0.5, 5);
            float *x = calloc((size_t)(in.n * in.d), sizeof(float));
            float *value = calloc((size_t)(in.n * in.d), sizeof(float));
            for (int64_t i = 0; i < in.n * in.d; i++) {
                in.x[i] = x[i] = (float)in.x[i];
                value[i] = (float)in.value[i];
            }
            pt_rows rows = sparse ? in.sparse : in.dense;
            rows.type = PT_F32;
            rows.dense = sparse ? NULL : x;
            rows.value = value;
            const pt_linear_svm_result single = solve_rows(&in, &rows, true, 1e-7, 0);
            assert_true(single.converged);
            expect_honest(&in, true, 1e-7, &single);
            free(value);
            free(x);
            drop(&in);
        }
    }
    pt_isa_level_force(before);
}

static void test_linear_svm__no_rows(void **state)
{
    (void)state;
    instance in = make(5, 3, 0, 1, 1);
    in.n = 0;
    const pt_linear_svm_result result = solve_rows(&in, &in.dense, true, 1e-3, 0);
    assert_true(result.converged && result.value == 0 && result.gap == 0);
    for (int64_t f = 0; f <= in.d; f++)
        assert_true(in.w[f] == 0);
    drop(&in);
}

static void test_linear_svm__refuses_and_stops(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    pt_linear_rows ready = {0};
    pt_linear_svm_result result;
    instance in = make(30, 3, 0, 1, 1);
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    assert_int_equal(pt_linear_rows_init(&ready, &in.dense, true, task, &err), PT_OK);
    const pt_linear_svm problem = {
        .rows = &ready, .n = in.n, .row = in.row, .y = in.y, .bound = in.bound, .gap = 1e-9};
    pt_task_cancel(task);
    assert_int_equal(pt_linear_svm_solve(&problem, in.a, in.w, &result, task, &err), PT_ECANCELLED);
    pt_linear_rows_free(&ready);
    pt_task_free(task);
    in.x[4] = 1e200;
    assert_int_equal(pt_linear_rows_init(&ready, &in.dense, true, NULL, &err), PT_ENUMERIC);
    assert_non_null(strstr(err.text, "too large to add"));
    drop(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_svm__finds_the_solution),
        cmocka_unit_test(test_linear_svm__tells_where_it_stopped),
        cmocka_unit_test(test_linear_svm__contradictions),
        cmocka_unit_test(test_linear_svm__odd_rows),
        cmocka_unit_test(test_linear_svm__sparse_equals_dense),
        cmocka_unit_test(test_linear_svm__every_instruction_set),
        cmocka_unit_test(test_linear_svm__no_rows),
        cmocka_unit_test(test_linear_svm__refuses_and_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
