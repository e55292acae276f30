/* The box QP solver against a slow reference: cyclic descent on the whole matrix in double until
 * nothing moves, whose solution is checked by its optimality conditions. */
/* labels: threads heavy */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/share.h"
#include "base/random.h"
#include "base/task.h"
#include "solvers/dual/box_qp.h"

enum { MOST = 5000, D = 3, GROUPS = 4 };
static const double MUCH = 1e12;

/* n rows in GROUPS groups of about equal size. */
typedef struct instance {
    int64_t n;
    double *x; /* n x D */
    pt_rows rows;
    pt_kernel kernel;
    int64_t start[GROUPS + 1];
    double Q[GROUPS * GROUPS];
    double *p;
    double *u;
    double *b;
} instance;

static instance make(int64_t n, double bound, uint64_t seed)
{
    instance in = {.n = n, .kernel = {pt_kernel_find("rbf"), 0.7, 0, 1, 0}};
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 1);
    in.x = calloc((size_t)(n * D), sizeof(double));
    in.p = calloc((size_t)n, sizeof(double));
    in.u = calloc((size_t)n, sizeof(double));
    in.b = calloc((size_t)n, sizeof(double));
    for (int64_t g = 0; g <= GROUPS; g++)
        in.start[g] = g * n / GROUPS;
    for (int64_t i = 0; i < n * D; i++)
        in.x[i] = pt_random_normal(&random);
    for (int64_t i = 0; i < n; i++) {
        in.p[i] = 0.5 + pt_random_uniform(&random);
        in.u[i] = bound * (0.5 + pt_random_uniform(&random));
    }
    for (int64_t a = 0; a < GROUPS; a++)
        for (int64_t c = 0; c < GROUPS; c++)
            in.Q[a * GROUPS + c] = a == c ? 1 : -1.0 / (GROUPS - 1);
    in.rows = (pt_rows){.n = n, .d = D, .type = PT_F64, .dense = in.x, .stride = D};
    return in;
}

static void drop(instance *in)
{
    free(in->x);
    free(in->p);
    free(in->u);
    free(in->b);
}

static pt_box_qp problem_of(const instance *in, double gap)
{
    return (pt_box_qp){.rows = &in->rows,
                       .kernel = &in->kernel,
                       .bytes = MUCH,
                       .n = in->n,
                       .groups = GROUPS,
                       .group_start = in->start,
                       .Q = in->Q,
                       .p = in->p,
                       .u = in->u,
                       .gap = gap};
}

static int64_t group_of(const instance *in, int64_t i)
{
    int64_t g = 0;
    while (i >= in->start[g + 1])
        g++;
    return g;
}

static double entry(const instance *in, double shift, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t f = 0; f < D; f++)
        sum += (in->x[i * D + f] - in->x[j * D + f]) * (in->x[i * D + f] - in->x[j * D + f]);
    const double s = in->kernel.sigma;
    return in->Q[group_of(in, i) * GROUPS + group_of(in, j)] * (exp(-sum / (2 * s * s)) + shift);
}

static double *matrix(const instance *in, double shift)
{
    double *H = calloc((size_t)(in->n * in->n), sizeof(double));
    for (int64_t i = 0; i < in->n; i++)
        for (int64_t j = 0; j < in->n; j++)
            H[i * in->n + j] = entry(in, shift, i, j);
    return H;
}

static double slope(const instance *in, const double *H, const double *b, int64_t i)
{
    double g = -in->p[i];
    for (int64_t j = 0; j < in->n; j++)
        g += H[i * in->n + j] * b[j];
    return g;
}

static double value_of(const instance *in, const double *H, const double *b)
{
    double value = 0;
    for (int64_t i = 0; i < in->n; i++)
        value += b[i] * (in->p[i] - 0.5 * (slope(in, H, b, i) + in->p[i]));
    return value;
}

/* The largest violation of the optimality conditions. */
static double violation(const instance *in, const double *H, const double *b)
{
    double worst = 0;
    for (int64_t i = 0; i < in->n; i++) {
        const double g = slope(in, H, b, i);
        if (b[i] > 0)
            worst = fmax(worst, g);
        if (b[i] < in->u[i])
            worst = fmax(worst, -g);
    }
    return worst;
}

static double *reference(const instance *in, const double *H)
{
    double *b = calloc((size_t)in->n, sizeof(double));
    double moved = 1;
    for (int sweep = 0; sweep < 200000 && moved > 1e-14; sweep++) {
        moved = 0;
        for (int64_t i = 0; i < in->n; i++) {
            const double to = b[i] - slope(in, H, b, i) / H[i * in->n + i];
            const double kept = fmin(fmax(to, 0), in->u[i]);
            moved = fmax(moved, fabs(kept - b[i]));
            b[i] = kept;
        }
    }
    assert_true(violation(in, H, b) < 1e-10);
    return b;
}

static pt_box_result solved(const pt_box_qp *qp, double *b, int threads)
{
    pt_task *task = NULL;
    pt_error err = {0};
    pt_box_result result = {0};
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, threads);
    if (pt_box_qp_solve(qp, b, &result, "test", task, &err) != PT_OK)
        fail_msg("%s", err.text);
    pt_task_free(task);
    return result;
}

static void test_box_qp__solution_equals_the_reference(void **state)
{
    (void)state;
    const double bounds[] = {1e-6, 0.1, 1, 1e6};
    for (int c = 0; c < 8; c++) {
        if (!test_in_share())
            continue;
        instance in = make(c % 2 ? 60 : 5, bounds[c / 2], (uint64_t)c);
        const double shift = c % 3 == 0 ? 0.5 : 0;
        double *H = matrix(&in, shift);
        double *exact = reference(&in, H);
        pt_box_qp qp = problem_of(&in, 1e-12);
        qp.shift = shift;
        const pt_box_result result = solved(&qp, in.b, 1);
        const double value = value_of(&in, H, exact);
        assert_true(fabs(result.value - value) <= 1e-9 * value);
        assert_true(fabs(value_of(&in, H, in.b) - result.value) <= 1e-9 * value);
        assert_true(violation(&in, H, in.b) < 1e-4);
        for (int64_t i = 0; i < in.n; i++)
            assert_true(in.b[i] >= 0 && in.b[i] <= in.u[i]);
        free(exact);
        free(H);
        drop(&in);
    }
}

static void test_box_qp__gap_that_is_asked_for_is_reached_and_true(void **state)
{
    (void)state;
    instance in = make(90, 2, 31);
    double *H = matrix(&in, 0);
    double *exact = reference(&in, H);
    const double best = value_of(&in, H, exact);
    for (double gap = 1e-1; gap > 1e-7; gap /= 10) {
        pt_box_qp qp = problem_of(&in, gap);
        memset(in.b, 0, (size_t)in.n * sizeof(double));
        const pt_box_result result = solved(&qp, in.b, 1);
        assert_true(result.converged);
        assert_true(result.gap <= gap * result.value);
        assert_true(best - result.value <= result.gap + 1e-9 * best); /* a bound indeed */
    }
    free(exact);
    free(H);
    drop(&in);
}

/* Enough rows for a working set that grows. */
static void test_box_qp__working_set_gives_what_all_rows_give(void **state)
{
    (void)state;
    for (int type = 0; type < 2; type++) {
        if ((type > 0 || test_share() > 4) && !test_in_share())
            continue;
        instance in = make(MOST, 3, 33);
        float *narrow = calloc((size_t)(in.n * D), sizeof(float));
        for (int64_t i = 0; i < in.n * D; i++)
            narrow[i] = (float)in.x[i];
        if (type == 0) {
            in.rows.type = PT_F32;
            in.rows.dense = narrow;
        }
        in.kernel.sigma = 0.3;
        pt_box_qp qp = problem_of(&in, 1e-4);
        const pt_box_result grown = solved(&qp, in.b, 1);
        assert_true(grown.converged);

        double *threads = calloc((size_t)in.n, sizeof(double));
        solved(&qp, threads, 2); /* the same bytes */
        assert_memory_equal(in.b, threads, (size_t)in.n * sizeof(double));

        pt_kernel_store *store = NULL;
        assert_int_equal(pt_kernel_store_open(&store, &in.rows, &in.kernel, NULL, MUCH, NULL, NULL),
                         PT_OK);
        qp.store = store;
        double *whole = calloc((size_t)in.n, sizeof(double));
        const pt_box_result all = solved(&qp, whole, 2);
        assert_true(all.converged);
        assert_true(fabs(all.value - grown.value) <= 1e-4 * all.value);
        /* a warm start from a solution is a solution */
        const pt_box_result again = solved(&qp, whole, 1);
        assert_int_equal(again.moves, 0);
        assert_true(fabs(again.value - all.value) <= 1e-12 * all.value);
        pt_kernel_store_close(store);

        qp.store = NULL;
        qp.bytes = 60.0 * 8 * MOST; /* a cache of a few rows */
        memset(threads, 0, (size_t)in.n * sizeof(double));
        const pt_box_result cached = solved(&qp, threads, 2);
        assert_true(cached.converged);
        assert_true(fabs(cached.value - grown.value) <= 1e-4 * all.value);
        free(whole);
        free(threads);
        free(narrow);
        drop(&in);
    }
}

static void test_box_qp__bound_zero_leaves_a_row_out(void **state)
{
    (void)state;
    instance in = make(60, 2, 35);
    instance left = make(60, 2, 35);
    left.n = 0;
    for (int64_t g = 0; g < GROUPS; g++) {
        left.start[g] = left.n;
        for (int64_t i = in.start[g]; i < in.start[g + 1]; i++) {
            if (i % 3 == 0) {
                in.u[i] = 0;
                in.b[i] = 1; /* a start beyond the bound */
                continue;
            }
            memcpy(left.x + left.n * D, in.x + i * D, D * sizeof(double));
            left.p[left.n] = in.p[i];
            left.u[left.n++] = in.u[i];
        }
    }
    left.start[GROUPS] = left.n;
    left.rows.n = left.n;
    const pt_box_qp with = problem_of(&in, 1e-10);
    const pt_box_qp without = problem_of(&left, 1e-10);
    const pt_box_result a = solved(&with, in.b, 1);
    const pt_box_result b = solved(&without, left.b, 1);
    assert_true(fabs(a.value - b.value) <= 1e-9 * b.value);
    for (int64_t i = 0, at = 0; i < in.n; i++)
        if (in.u[i] == 0)
            assert_true(in.b[i] == 0);
        else
            assert_float_equal(in.b[i], left.b[at++], 1e-3);
    drop(&in);
    drop(&left);
}

static void test_box_qp__duplicates_and_warm_starts(void **state)
{
    (void)state;
    instance in = make(60, 4, 37);
    for (int64_t i = in.start[1]; i + 1 < in.start[2]; i += 2)
        memcpy(in.x + (i + 1) * D, in.x + i * D, D * sizeof(double));
    const pt_box_qp qp = problem_of(&in, 1e-8);
    const pt_box_result cold = solved(&qp, in.b, 1);
    assert_true(cold.converged);
    for (int64_t i = 0; i < in.n; i++)
        in.b[i] = in.u[i] * (double)(i % 5) / 4;
    const pt_box_result warm = solved(&qp, in.b, 1);
    assert_true(warm.converged);
    assert_true(fabs(cold.value - warm.value) <= 1e-7 * cold.value);
    drop(&in);
}

static void test_box_qp__move_limit_is_a_result(void **state)
{
    (void)state;
    instance in = make(200, 1e3, 39);
    in.kernel.sigma = 5;
    pt_box_qp qp = problem_of(&in, 1e-9);
    qp.limit = 1;
    const pt_box_result result = solved(&qp, in.b, 1);
    assert_false(result.converged);
    assert_true(result.value > 0 && result.gap > 0);
    drop(&in);
}

static void expect_refusal(const pt_box_qp *qp, double *b)
{
    pt_error err = {0};
    pt_box_result result;
    assert_int_equal(pt_box_qp_solve(qp, b, &result, "test", NULL, &err), PT_ENUMERIC);
    assert_non_null(strstr(err.text, "positive semidefinite"));
}

static void test_box_qp__indefinite_kernels_are_refused(void **state)
{
    (void)state;
    instance in = make(40, 1, 41);
    in.kernel = (pt_kernel){pt_kernel_find("sigmoid"), 1, -3, 1, 0};
    const pt_box_qp qp = problem_of(&in, 1e-3);
    expect_refusal(&qp, in.b); /* k(x, x) < 0 */

    double K[16] = {1, 3, 0, 0, 3, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const pt_rows rows = {.n = 4, .d = 4, .type = PT_F64, .dense = K, .stride = 4};
    const pt_kernel kernel = {.ops = pt_kernel_find("precomputed")};
    pt_kernel_store *store = NULL;
    assert_int_equal(pt_kernel_store_open(&store, &rows, &kernel, NULL, 0, NULL, NULL), PT_OK);
    const int64_t start[2] = {0, 4};
    const double one = 1;
    const double u[4] = {1, 1, 1, 1};
    double b[4] = {0};
    const pt_box_qp pair = {
        .store = store, .n = 4, .groups = 1, .group_start = start, .Q = &one, .u = u, .gap = 1e-3};
    expect_refusal(&pair, b);
    pt_kernel_store_close(store);
    drop(&in);
}

/* 1 on the diagonal, `off` elsewhere: every pair is positive semidefinite, and all of them are
 * where off >= -1 / (n - 1). */
static pt_status solve_given(int64_t n, double off, double C, pt_type type)
{
    double *K = calloc((size_t)(n * n), sizeof *K);
    float *narrow = calloc((size_t)(n * n), sizeof *narrow);
    double *u = calloc((size_t)n, sizeof *u);
    double *b = calloc((size_t)n, sizeof *b);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            K[i * n + j] = i == j ? 1 : off;
            narrow[i * n + j] = (float)K[i * n + j];
        }
        u[i] = C;
    }
    const void *dense = type == PT_F32 ? (const void *)narrow : K;
    const pt_rows rows = {.n = n, .d = n, .type = type, .dense = dense, .stride = n};
    const pt_kernel kernel = {.ops = pt_kernel_find("precomputed")};
    pt_kernel_store *store = NULL;
    assert_int_equal(pt_kernel_store_open(&store, &rows, &kernel, NULL, 0, NULL, NULL), PT_OK);
    const int64_t start[2] = {0, n};
    const double one = 1;
    const pt_box_qp qp = {.store = store,
                          .kernel = &kernel,
                          .n = n,
                          .groups = 1,
                          .group_start = start,
                          .Q = &one,
                          .u = u,
                          .gap = 1e-3};
    pt_box_result result;
    pt_error err = {0};
    const pt_status status = pt_box_qp_solve(&qp, b, &result, "test", NULL, &err);
    assert_true(status == PT_OK || strstr(err.text, "positive semidefinite"));
    pt_kernel_store_close(store);
    free(b), free(u), free(narrow), free(K);
    return status;
}

static void test_box_qp__indefinite_matrices_of_definite_pairs_are_refused(void **state)
{
    (void)state;
    const pt_type types[] = {PT_F32, PT_F64};
    for (int t = 0; t < 2; t++)
        for (double C = 0.01; C < 1000; C *= 100) {
            if (!test_in_share())
                continue;
            assert_int_equal(solve_given(30, -0.3, C, types[t]), PT_ENUMERIC);   /* in one block */
            assert_int_equal(solve_given(200, -0.01, C, types[t]), PT_ENUMERIC); /* in the end */
            assert_int_equal(solve_given(30, -1.0 / 29, C, types[t]), PT_OK);    /* 0: the least */
            assert_int_equal(solve_given(200, 1, C, types[t]), PT_OK);           /* rank 1 */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_qp__indefinite_matrices_of_definite_pairs_are_refused),
        cmocka_unit_test(test_box_qp__solution_equals_the_reference),
        cmocka_unit_test(test_box_qp__gap_that_is_asked_for_is_reached_and_true),
        cmocka_unit_test(test_box_qp__working_set_gives_what_all_rows_give),
        cmocka_unit_test(test_box_qp__bound_zero_leaves_a_row_out),
        cmocka_unit_test(test_box_qp__duplicates_and_warm_starts),
        cmocka_unit_test(test_box_qp__move_limit_is_a_result),
        cmocka_unit_test(test_box_qp__indefinite_kernels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
