/* The SMO solver: the conditions of optimality, a slow reference, and what must not matter.
 *
 * The reference is cyclic descent over all pairs of variables in double until nothing moves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/random.h"
#include "solvers/smo/smo.h"
#include "solvers/smo/smo_free.h"

/* A problem with its whole matrix, and the matrix as the solver sees it. */
typedef struct instance {
    int64_t n[PT_SMO_PIECES];
    int64_t all;
    double *K; /* all x all */
    void *piece[PT_SMO_PIECES];
    double *diagonal;
    int8_t *y;
    double *bound;
    double *a;
    pt_smo_kernel kernel;
    int64_t asked; /* rows */
} instance;

static double *K_at(const instance *in, int64_t i, int64_t j)
{
    return in->K + i * in->all + j;
}

static pt_status rows_of(void *context, const int64_t *index, int64_t count,
                         const void *(*value)[PT_SMO_PIECES], pt_error *err)
{
    (void)err;
    instance *in = context;
    const size_t size = pt_type_size(in->kernel.type);
    assert_true(count >= 1 && count <= PT_SMO_BLOCK);
    for (int64_t r = 0; r < count; r++)
        for (int p = 0; p < PT_SMO_PIECES; p++)
            value[r][p] = (char *)in->piece[p] + (size_t)(index[r] * in->n[p]) * size;
    in->asked += count;
    return PT_OK;
}

/* Each piece is a block of memory of exactly its size, so that reading beyond it is seen. */
static void cut(instance *in, pt_type type)
{
    const size_t size = pt_type_size(type);
    in->kernel =
        (pt_smo_kernel){.type = type, .diagonal = in->diagonal, .rows = rows_of, .context = in};
    for (int p = 0; p < PT_SMO_PIECES; p++) {
        const int64_t from = p ? in->n[0] : 0;
        free(in->piece[p]);
        in->piece[p] = malloc((size_t)(in->all * in->n[p]) * size + 1);
        for (int64_t i = 0; i < in->all; i++)
            for (int64_t j = 0; j < in->n[p]; j++)
                if (type == PT_F32)
                    ((float *)in->piece[p])[i * in->n[p] + j] = (float)*K_at(in, i, from + j);
                else
                    ((double *)in->piece[p])[i * in->n[p] + j] = *K_at(in, i, from + j);
    }
}

enum { D = 3 };

/* Two clouds that overlap; a Gaussian kernel. y: the first piece +1, the second -1; of a single
 * piece by chance. */
static instance make(int64_t first, int64_t second, double C, uint64_t seed)
{
    instance in = {.n = {first, second}, .all = first + second};
    const size_t n = (size_t)in.all;
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 5);
    double *x = calloc(n * D, sizeof *x);
    in.K = calloc(n * n, sizeof(double));
    in.diagonal = calloc(n, sizeof(double));
    in.y = calloc(n, 1);
    in.bound = calloc(n, sizeof(double));
    in.a = calloc(n, sizeof(double));
    for (int64_t i = 0; i < in.all; i++) {
        in.y[i] = second ? (i < first ? 1 : -1) : pt_random_uniform(&random) < 0.4 ? 1 : -1;
        in.bound[i] = C;
        for (int64_t f = 0; f < D; f++)
            x[i * D + f] = pt_random_normal(&random) + (f == 0 ? 0.8 * in.y[i] : 0);
    }
    for (int64_t i = 0; i < in.all; i++)
        for (int64_t j = 0; j < in.all; j++) {
            double d2 = 0;
            for (int64_t f = 0; f < D; f++)
                d2 += (x[i * D + f] - x[j * D + f]) * (x[i * D + f] - x[j * D + f]);
            *K_at(&in, i, j) = exp(-d2 / 2);
        }
    for (int64_t i = 0; i < in.all; i++)
        in.diagonal[i] = *K_at(&in, i, i);
    free(x);
    return in;
}

static void drop(instance *in)
{
    free(in->K);
    free(in->piece[0]);
    free(in->piece[1]);
    free(in->diagonal);
    free(in->y);
    free(in->bound);
    free(in->a);
}

static pt_smo_problem problem_of(const instance *in, bool bias, double eps)
{
    return (pt_smo_problem){.kernel = &in->kernel,
                            .n = {in->n[0], in->n[1]},
                            .y = in->y,
                            .bound = in->bound,
                            .bias = bias,
                            .eps = eps};
}

static pt_smo_result solve(instance *in, bool bias, double eps)
{
    pt_error err = PT_ERROR_INIT;
    pt_smo_result result;
    const pt_smo_problem problem = problem_of(in, bias, eps);
    assert_int_equal(pt_smo_solve(&problem, in->a, &result, NULL, &err), PT_OK);
    return result;
}

/* ---------------------------------------------------------------------------------- references */

/* y - K beta, in double. */
static double v_of(const instance *in, const double *a, int64_t i)
{
    double v = in->y[i];
    for (int64_t j = 0; j < in->all; j++)
        v -= *K_at(in, i, j) * a[j] * in->y[j];
    return v;
}

static double objective_of(const instance *in, const double *a)
{
    double sum = 0;
    for (int64_t i = 0; i < in->all; i++)
        sum -= a[i] * (in->y[i] * v_of(in, a, i) + 1) / 2;
    return sum;
}

static double violation_of(const instance *in, const double *a, bool bias)
{
    double up = -INFINITY;
    double low = INFINITY;
    for (int64_t i = 0; i < in->all; i++) {
        const double v = v_of(in, a, i);
        if (in->y[i] > 0 ? a[i] < in->bound[i] : a[i] > 0)
            up = fmax(up, v);
        if (in->y[i] > 0 ? a[i] > 0 : a[i] < in->bound[i])
            low = fmin(low, v);
    }
    return bias ? up - low : fmax(up, -low);
}

static void expect_feasible(const instance *in, const double *a, bool bias)
{
    double sum = 0;
    double total = 0;
    for (int64_t i = 0; i < in->all; i++) {
        assert_true(a[i] >= 0 && a[i] <= in->bound[i]);
        sum += a[i] * in->y[i];
        total += a[i];
    }
    if (bias)
        assert_true(fabs(sum) <= 1e-11 * (1 + total));
}

static double clip(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* The best change of beta_i (and of -beta_j), made; returns its size. */
static double descend(const instance *in, double *a, double *v, int64_t i, int64_t j)
{
    const bool pair = i != j;
    const double curve =
        pair ? *K_at(in, i, i) + *K_at(in, j, j) - 2 * *K_at(in, i, j) : *K_at(in, i, i);
    const double slope = pair ? v[i] - v[j] : v[i];
    double low = in->y[i] > 0 ? -a[i] : a[i] - in->bound[i];
    double high = in->y[i] > 0 ? in->bound[i] - a[i] : a[i];
    if (pair) {
        low = fmax(low, in->y[j] > 0 ? a[j] - in->bound[j] : -a[j]);
        high = fmin(high, in->y[j] > 0 ? a[j] : in->bound[j] - a[j]);
    }
    const double t = clip(slope / fmax(curve, 1e-12), low, high);
    a[i] = clip(a[i] + t * in->y[i], 0, in->bound[i]);
    if (pair)
        a[j] = clip(a[j] - t * in->y[j], 0, in->bound[j]);
    for (int64_t k = 0; k < in->all; k++)
        v[k] -= t * (*K_at(in, i, k) - (pair ? *K_at(in, j, k) : 0));
    return fabs(t);
}

static double reference_objective(const instance *in, bool bias)
{
    double *a = calloc((size_t)in->all, sizeof *a);
    double *v = calloc((size_t)in->all, sizeof *v);
    for (int64_t i = 0; i < in->all; i++)
        v[i] = in->y[i];
    double moved = 1;
    for (int sweep = 0; sweep < 20000 && moved > 1e-13; sweep++) {
        moved = 0;
        for (int64_t i = 0; i < in->all; i++) {
            if (!bias)
                moved = fmax(moved, descend(in, a, v, i, i));
            for (int64_t j = 0; bias && j < i; j++)
                moved = fmax(moved, descend(in, a, v, i, j));
        }
    }
    const double objective = objective_of(in, a);
    free(a);
    free(v);
    return objective;
}

/* ---------------------------------------------------------------------------------- tests */

static void test_smo__reaches_the_reference(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{3, 0}, {2, 1}, {16, 0}, {31, 0}, {20, 13}, {16, 32}};
    for (size_t q = 0; q < sizeof sizes / sizeof *sizes; q++)
        for (int bias = 0; bias < 2; bias++)
            for (int type = 0; type < 2; type++) {
                instance in = make(sizes[q][0], sizes[q][1], 2, 10 + q);
                cut(&in, type ? PT_F32 : PT_F64);
                const pt_smo_result result = solve(&in, bias, 1e-7);
                const double expected = reference_objective(&in, bias);
                assert_true(result.converged);
                expect_feasible(&in, in.a, bias);
                assert_true(fabs(result.objective - objective_of(&in, in.a)) < 1e-5);
                assert_true(fabs(objective_of(&in, in.a) - expected) <= 1e-6 * fabs(expected));
                drop(&in);
            }
}

/* At every size of vectors and of what is left of them, with every instruction set. */
static void test_smo__violates_by_less_than_eps(void **state)
{
    (void)state;
    const pt_isa_level chosen = pt_isa_level_chosen();
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        if (!pt_isa_level_runs((pt_isa_level)level))
            continue;
        pt_isa_level_force((pt_isa_level)level);
        for (int64_t first = 1; first < 40; first += 3)
            for (int64_t second = 0; second < 40; second += 13)
                for (int bias = 0; bias < 2; bias++)
                    for (int type = 0; type < 2; type++) {
                        instance in = make(first, second, 10, (uint64_t)(first * 50 + second));
                        cut(&in, type ? PT_F32 : PT_F64);
                        const pt_smo_result result = solve(&in, bias, 1e-3);
                        assert_true(result.converged);
                        expect_feasible(&in, in.a, bias);
                        assert_true(violation_of(&in, in.a, bias) < 1e-3 + 1e-5);
                        drop(&in);
                    }
    }
    pt_isa_level_force(chosen);
}

static void test_smo__bounds_of_their_own(void **state)
{
    (void)state;
    instance in = make(60, 0, 1, 3);
    for (int64_t i = 0; i < in.all; i++)
        in.bound[i] = i % 3 ? 0.1 * (double)(i % 7 + 1) : 1e-6;
    cut(&in, PT_F64);
    const pt_smo_result result = solve(&in, true, 1e-8);
    const double expected = reference_objective(&in, true);
    expect_feasible(&in, in.a, true);
    assert_true(fabs(result.objective - expected) <= 1e-8 * fabs(expected));
    drop(&in);
}

/* A pair of classes: the same whether its variables lie in one piece or in two. */
static void test_smo__pieces_do_not_matter(void **state)
{
    (void)state;
    instance two = make(45, 70, 5, 8);
    instance one = make(45, 70, 5, 8);
    one.n[0] = one.all;
    one.n[1] = 0;
    cut(&two, PT_F32);
    cut(&one, PT_F32);
    const pt_smo_result a = solve(&two, true, 1e-3);
    const pt_smo_result b = solve(&one, true, 1e-3);
    assert_int_equal(a.steps, b.steps);
    assert_true(a.bias == b.bias);
    assert_memory_equal(two.a, one.a, (size_t)one.all * sizeof(double));
    drop(&two);
    drop(&one);
}

/* Shrinking leads to the same solution, with any amount of space. */
static void test_smo__shrinking_changes_nothing(void **state)
{
    (void)state;
    enum { N = 900 };
    void *space = malloc(N * N * sizeof(double));
    for (int type = 0; type < 2; type++)
        for (int bias = 0; bias < 2; bias++)
            for (int64_t second = 0; second <= 400; second += 400) {
                instance in = make(N - second, second, 1, 12);
                cut(&in, type ? PT_F32 : PT_F64);
                const pt_smo_result plain = solve(&in, bias, 1e-3);
                const int64_t asked = in.asked;
                in.asked = 0;
                memset(in.a, 0, N * sizeof(double));
                pt_error err = PT_ERROR_INIT;
                pt_smo_result result;
                pt_smo_problem problem = problem_of(&in, bias, 1e-3);
                problem.space = space;
                problem.space_bytes = N * N * sizeof(double);
                assert_int_equal(pt_smo_solve(&problem, in.a, &result, NULL, &err), PT_OK);
                assert_true(result.converged);
                assert_true(in.asked < asked); /* rows were read from the space */
                assert_true(violation_of(&in, in.a, bias) < 1e-3 + 1e-5);
                assert_true(fabs(result.objective - plain.objective) <
                            1e-4 * fabs(plain.objective));
                assert_true(fabs(result.bias - plain.bias) < 2e-3);
                problem.space_bytes = 100; /* too little for anything */
                memset(in.a, 0, N * sizeof(double));
                assert_int_equal(pt_smo_solve(&problem, in.a, &result, NULL, &err), PT_OK);
                assert_true(result.objective == plain.objective);
                drop(&in);
            }
    free(space);
}

static void test_smo__warm_start(void **state)
{
    (void)state;
    instance in = make(300, 0, 4, 21);
    cut(&in, PT_F32);
    const pt_smo_result cold = solve(&in, true, 1e-4);
    const pt_smo_result again = solve(&in, true, 1e-4);
    assert_int_equal(again.steps, 0);
    assert_true(again.objective == cold.objective && again.bias == cold.bias);
    for (int64_t i = 0; i < in.all; i++) /* another C: what was found, scaled, is feasible */
        in.bound[i] = 5;
    for (int64_t i = 0; i < in.all; i++)
        in.a[i] = fmin(in.a[i] * 1.25, 5);
    const pt_smo_result warm = solve(&in, true, 1e-4);
    memset(in.a, 0, (size_t)in.all * sizeof(double));
    const pt_smo_result from_zero = solve(&in, true, 1e-4);
    assert_true(warm.converged && warm.steps < from_zero.steps);
    assert_true(fabs(warm.objective - from_zero.objective) < 1e-5 * fabs(from_zero.objective));
    drop(&in);
}

/* float32 values, and a v that moves in float32, against double: C large enough for drift. */
static void test_smo__float_is_as_good_as_double(void **state)
{
    (void)state;
    instance in = make(200, 150, 1000, 31);
    cut(&in, PT_F64);
    const pt_smo_result exact = solve(&in, true, 1e-3);
    memset(in.a, 0, (size_t)in.all * sizeof(double));
    cut(&in, PT_F32);
    const pt_smo_result single = solve(&in, true, 1e-3);
    assert_true(exact.converged && single.converged);
    assert_true(fabs(exact.objective - single.objective) < 1e-4 * fabs(exact.objective));
    assert_true(fabs(exact.bias - single.bias) < 2e-3);
    drop(&in);
}

static void test_smo__one_side_only(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        instance in = make(20, 0, 1, 4);
        memset(in.y, sign, (size_t)in.all);
        cut(&in, PT_F32);
        const pt_smo_result result = solve(&in, true, 1e-3);
        assert_true(result.converged && result.steps == 0);
        assert_true(result.bias == sign); /* f = sign everywhere: no loss */
        drop(&in);
    }
}

/* Equal rows on both sides: no curvature at all between them. */
static void test_smo__equal_rows_and_any_bound(void **state)
{
    (void)state;
    for (int power = -12; power <= 12; power += 3) {
        instance in = make(24, 0, pow(10, power), 6);
        for (int64_t i = 0; i < in.all; i++) {
            in.y[i] = i % 2 ? 1 : -1;
            for (int64_t j = 0; j < in.all; j++)
                *K_at(&in, i, j) = i / 4 == j / 4 ? 1 : 0.1;
        }
        for (int type = 0; type < 2; type++) {
            memset(in.a, 0, (size_t)in.all * sizeof(double));
            cut(&in, type ? PT_F32 : PT_F64);
            const pt_smo_result result = solve(&in, true, 1e-3);
            assert_true(result.converged);
            assert_true(result.steps < 1000);
            expect_feasible(&in, in.a, true);
            assert_true(isfinite(result.bias) && isfinite(result.objective));
        }
        drop(&in);
    }
}

/* Few features and large bounds: pairs alone would need some 10 million steps. */
static void test_smo__large_bounds_do_not_creep(void **state)
{
    (void)state;
    for (int bias = 0; bias < 2; bias++)
        for (int type = 0; type < 2; type++)
            for (double C = 1e3; C < 1e10; C *= 1e3) {
                instance in = make(60, 0, C, 17);
                pt_random random;
                pt_random_init(&random, 4, PT_RANDOM_TEST, 7);
                float x[60][2];
                for (int64_t i = 0; i < in.all; i++)
                    for (int f = 0; f < 2; f++)
                        x[i][f] = (float)(pt_random_normal(&random) + 0.3 * in.y[i]);
                for (int64_t i = 0; i < in.all; i++)
                    for (int64_t j = 0; j < in.all; j++)
                        *K_at(&in, i, j) = (double)(x[i][0] * x[j][0] + x[i][1] * x[j][1]);
                for (int64_t i = 0; i < in.all; i++)
                    in.diagonal[i] = *K_at(&in, i, i);
                cut(&in, type ? PT_F32 : PT_F64);
                const pt_smo_result result = solve(&in, bias, 1e-3);
                assert_true(result.converged && result.steps < 100000);
                expect_feasible(&in, in.a, bias);
                assert_true(violation_of(&in, in.a, bias) < 2e-3 + 1e-9 * C);
                drop(&in);
            }
}

/* Free variables together: feasible, never worse, and at the best place where no bound is met. */
static void test_smo_free__descends_within_bounds(void **state)
{
    (void)state;
    for (int bias = 0; bias < 2; bias++)
        for (double C = 0.1; C < 1e4; C *= 10) {
            instance in = make(30, 0, C, 23);
            double low[30];
            double high[30];
            double beta[30];
            double v[30];
            for (int64_t i = 0; i < in.all; i++) {
                in.a[i] = 0.05;
                in.y[i] = i % 2 ? 1 : -1;
                low[i] = in.y[i] > 0 ? 0 : -C;
                high[i] = in.y[i] > 0 ? C : 0;
                beta[i] = in.a[i] * in.y[i];
            }
            for (int64_t i = 0; i < in.all; i++)
                v[i] = v_of(&in, in.a, i);
            const double before = objective_of(&in, in.a);
            pt_error err = PT_ERROR_INIT;
            const pt_smo_free f = {in.all, bias, in.K, low, high, beta, v};
            assert_int_equal(pt_smo_free_settle(&f, &err), PT_OK);
            double sum = 0;
            for (int64_t i = 0; i < in.all; i++) {
                assert_true(beta[i] >= low[i] && beta[i] <= high[i]);
                in.a[i] = fabs(beta[i]);
                sum += beta[i];
            }
            assert_true(!bias || fabs(sum) < 1e-9 * (1 + C));
            assert_true(objective_of(&in, in.a) < before);
            double up = -INFINITY; /* free ones agree where the step was not cut short */
            double down = INFINITY;
            for (int64_t i = 0; i < in.all; i++) {
                assert_true(fabs(v[i] - v_of(&in, in.a, i)) < 1e-6 * (1 + C));
                if (beta[i] > low[i] && beta[i] < high[i]) {
                    up = fmax(up, v[i]);
                    down = fmin(down, v[i]);
                }
            }
            assert_true(!bias || up - down < 1e-3);
            drop(&in);
        }
}

/* Not positive semidefinite: it ends, at a point where no pair violates. */
static void test_smo__indefinite_matrix(void **state)
{
    (void)state;
    for (int bias = 0; bias < 2; bias++)
        for (int type = 0; type < 2; type++) {
            instance in = make(80, 0, 10, 7);
            pt_random random;
            pt_random_init(&random, 1, PT_RANDOM_TEST, 6);
            for (int64_t i = 0; i < in.all; i++)
                for (int64_t j = 0; j <= i; j++)
                    *K_at(&in, i, j) = *K_at(&in, j, i) = pt_random_normal(&random);
            for (int64_t i = 0; i < in.all; i++)
                in.diagonal[i] = *K_at(&in, i, i);
            cut(&in, type ? PT_F32 : PT_F64);
            const pt_smo_result result = solve(&in, bias, 1e-3);
            assert_true(result.converged && result.steps < 100000);
            expect_feasible(&in, in.a, bias);
            assert_true(violation_of(&in, in.a, bias) < 2e-3);
            drop(&in);
        }
}

static void test_smo__limit_is_told(void **state)
{
    (void)state;
    instance in = make(200, 0, 100, 9);
    cut(&in, PT_F32);
    pt_error err = PT_ERROR_INIT;
    pt_smo_result result;
    pt_smo_problem problem = problem_of(&in, true, 1e-6);
    problem.limit = 50;
    assert_int_equal(pt_smo_solve(&problem, in.a, &result, NULL, &err), PT_OK);
    assert_false(result.converged);
    assert_int_equal(result.steps, 50);
    expect_feasible(&in, in.a, true);
    drop(&in);
}

static void test_smo__cancellation_and_bad_values(void **state)
{
    (void)state;
    instance in = make(400, 0, 1e6, 9);
    cut(&in, PT_F32);
    pt_error err = PT_ERROR_INIT;
    pt_smo_result result;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_cancel(task);
    const pt_smo_problem problem = problem_of(&in, true, 1e-9);
    assert_int_equal(pt_smo_solve(&problem, in.a, &result, task, &err), PT_ECANCELLED);
    pt_task_free(task);
    memset(in.a, 0, (size_t)in.all * sizeof(double));
    for (int64_t i = 0; i < in.all * in.all; i++)
        in.K[i] = NAN;
    cut(&in, PT_F32);
    assert_int_equal(pt_smo_solve(&problem, in.a, &result, NULL, &err), PT_ENUMERIC);
    drop(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smo__reaches_the_reference),
        cmocka_unit_test(test_smo__violates_by_less_than_eps),
        cmocka_unit_test(test_smo__bounds_of_their_own),
        cmocka_unit_test(test_smo__pieces_do_not_matter),
        cmocka_unit_test(test_smo__shrinking_changes_nothing),
        cmocka_unit_test(test_smo__warm_start),
        cmocka_unit_test(test_smo__float_is_as_good_as_double),
        cmocka_unit_test(test_smo__one_side_only),
        cmocka_unit_test(test_smo__equal_rows_and_any_bound),
        cmocka_unit_test(test_smo__large_bounds_do_not_creep),
        cmocka_unit_test(test_smo_free__descends_within_bounds),
        cmocka_unit_test(test_smo__indefinite_matrix),
        cmocka_unit_test(test_smo__limit_is_told),
        cmocka_unit_test(test_smo__cancellation_and_bad_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
