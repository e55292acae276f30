/* SPOC, and Weston-Watkins by the same solver, against a slow general program: mass goes between
 * two classes of one example at a time (WW: one variable moves), over all of them, on the whole
 * matrix in double, until nothing violates optimality; which is checked. Every test runs for both.
 */
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
#include "solvers/dual/spoc.h"

enum { D = 3, MOST_CLASSES = 12 };
static const double MUCH = 1e12;

static pt_spoc_kind kind; /* of the test that runs */

static int set_cs(void **state)
{
    (void)state;
    kind = PT_CRAMMER_SINGER;
    return 0;
}

static int set_ww(void **state)
{
    (void)state;
    kind = PT_WESTON_WATKINS;
    return 0;
}

typedef struct instance {
    int64_t n;
    int64_t k;
    double *x; /* n x D */
    float *x32;
    pt_rows rows;
    pt_kernel kernel;
    int64_t *y;
    double *C;
    double b[MOST_CLASSES * MOST_CLASSES];
} instance;

static instance make(int64_t n, int64_t k, double C, uint64_t seed)
{
    instance in = {.n = n, .k = k, .kernel = {pt_kernel_find("rbf"), 0.8, 0, 1, 0}};
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 62);
    in.x = calloc((size_t)(n * D), sizeof *in.x);
    in.x32 = calloc((size_t)(n * D), sizeof *in.x32);
    in.y = calloc((size_t)n, sizeof *in.y);
    in.C = calloc((size_t)n, sizeof *in.C);
    for (int64_t i = 0; i < n; i++) {
        in.y[i] = i % k;
        in.C[i] = C * (0.5 + pt_random_uniform(&random));
        for (int64_t f = 0; f < D; f++) {
            in.x[i * D + f] = pt_random_normal(&random) + (double)(in.y[i] >> f & 1) * 1.5;
            in.x32[i * D + f] = (float)in.x[i * D + f];
        }
    }
    for (int64_t r = 0; r < k; r++)
        for (int64_t s = 0; s < k; s++)
            in.b[r * k + s] = r == s ? 0 : 0.25 + pt_random_uniform(&random);
    in.rows = (pt_rows){.n = n, .d = D, .type = PT_F64, .dense = in.x, .stride = D};
    return in;
}

static void narrow(instance *in)
{
    in->rows.type = PT_F32;
    in->rows.dense = in->x32;
}

static void drop(instance *in)
{
    free(in->x);
    free(in->x32);
    free(in->y);
    free(in->C);
}

typedef struct answer {
    pt_spoc problem;
    pt_spoc_result result;
    pt_sparse_rows eta;
    pt_kernel_store *store;
} answer;

/* `held`: bytes for the kernel values; `copies`: for copies of them. */
static pt_status try_solve(answer *a, const instance *in, double gap, double held, double copies,
                           int threads, pt_error *err)
{
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, threads);
    if (!a->store)
        assert_int_equal(
            pt_kernel_store_open(&a->store, &in->rows, &in->kernel, NULL, held, task, NULL), PT_OK);
    if (!a->eta.at)
        assert_int_equal(pt_sparse_rows_init(&a->eta, in->n, NULL, NULL), PT_OK);
    a->problem = (pt_spoc){.kind = kind,
                           .store = a->store,
                           .kernel = &in->kernel,
                           .n = in->n,
                           .k = in->k,
                           .class_of = in->y,
                           .bound = in->C,
                           .costs = in->b,
                           .gap = gap,
                           .bytes = copies};
    const pt_status status = pt_spoc_solve(&a->problem, &a->eta, &a->result, NULL, task, err);
    pt_task_free(task);
    return status;
}

static answer solve(const instance *in, double gap)
{
    answer a = {0};
    assert_int_equal(try_solve(&a, in, gap, MUCH, MUCH, 1, NULL), PT_OK);
    return a;
}

static void forget(answer *a)
{
    pt_sparse_rows_free(&a->eta);
    pt_kernel_store_close(a->store);
}

/* n x k */
static double *tau_of(const answer *a)
{
    double *tau = calloc((size_t)(a->problem.n * a->problem.k), sizeof *tau);
    for (int64_t i = 0; i < a->problem.n; i++)
        pt_spoc_tau(&a->problem, &a->eta, i, tau + i * a->problem.k);
    return tau;
}

/* ---- the reference -----------------------------------------------------------------------------
 */

static double *matrix(const instance *in)
{
    double *K = calloc((size_t)(in->n * in->n), sizeof *K);
    for (int64_t i = 0; i < in->n; i++)
        for (int64_t j = 0; j < in->n; j++) {
            double sum = 0;
            double dot = 0;
            for (int64_t f = 0; f < D; f++) {
                const double d = in->x[i * D + f] - in->x[j * D + f];
                sum += d * d;
                dot += in->x[i * D + f] * in->x[j * D + f];
            }
            const double s = in->kernel.sigma;
            K[i * in->n + j] = in->kernel.ops->linear ? dot : exp(-sum / (2 * s * s));
        }
    return K;
}

/* g (n x k) <- b + K tau */
static void gradient(const instance *in, const double *K, const double *tau, double *g)
{
    for (int64_t i = 0; i < in->n; i++)
        for (int64_t r = 0; r < in->k; r++) {
            double sum = in->b[in->y[i] * in->k + r];
            for (int64_t j = 0; j < in->n; j++)
                sum += K[i * in->n + j] * tau[j * in->k + r];
            g[i * in->k + r] = sum;
        }
}

static double dual(const instance *in, const double *tau, const double *g)
{
    double sum = 0;
    for (int64_t i = 0; i < in->n; i++)
        for (int64_t r = 0; r < in->k; r++)
            sum -= 0.5 * tau[i * in->k + r] * (g[i * in->k + r] + in->b[in->y[i] * in->k + r]);
    return sum;
}

static double primal(const instance *in, const double *tau, const double *g)
{
    double sum = 0;
    for (int64_t i = 0; i < in->n; i++) {
        double top = -INFINITY;
        for (int64_t r = 0; r < in->k; r++) {
            const double f = g[i * in->k + r] - in->b[in->y[i] * in->k + r];
            sum += 0.5 * tau[i * in->k + r] * f;
            top = fmax(top, g[i * in->k + r]);
        }
        const double own = g[i * in->k + in->y[i]];
        if (kind == PT_CRAMMER_SINGER)
            sum += in->C[i] * (top - own);
        else
            for (int64_t r = 0; r < in->k; r++)
                sum += r == in->y[i] ? 0 : in->C[i] * fmax(g[i * in->k + r] - own, 0);
    }
    return sum;
}

/* Moves mass between classes r and s of example i as far as it helps; returns how far. */
static double move(const instance *in, const double *K, double *tau, double *g, int64_t i,
                   int64_t r, int64_t s)
{
    const int64_t k = in->k;
    double *t = tau + i * k;
    const double curve = 2 * K[i * in->n + i];
    double by = curve > 0 ? (g[i * k + s] - g[i * k + r]) / curve : 0; /* tau_r + by, tau_s - by */
    const double room_r = (r == in->y[i] ? in->C[i] : 0) - t[r];
    const double room_s = (s == in->y[i] ? in->C[i] : 0) - t[s];
    if (kind == PT_CRAMMER_SINGER)
        by = fmin(fmax(by, -room_s), room_r);
    else if (r == in->y[i]) /* 0 <= -tau_s <= C */
        by = fmin(fmax(by, t[s]), in->C[i] + t[s]);
    else if (s == in->y[i])
        by = fmin(fmax(by, -in->C[i] - t[r]), -t[r]);
    else
        by = 0;
    t[r] += by;
    t[s] -= by;
    for (int64_t j = 0; j < in->n; j++) {
        g[j * k + r] += by * K[i * in->n + j];
        g[j * k + s] -= by * K[i * in->n + j];
    }
    return fabs(by);
}

/* tau of the solution, with its gradient in g. */
static double *reference(const instance *in, const double *K, double *g)
{
    double *tau = calloc((size_t)(in->n * in->k), sizeof *tau);
    double largest = 1;
    gradient(in, K, tau, g);
    for (int sweep = 0; sweep < 200000 && largest > 1e-14; sweep++) {
        largest = 0;
        for (int64_t i = 0; i < in->n; i++)
            for (int64_t r = 0; r < in->k; r++)
                for (int64_t s = 0; s < r; s++)
                    largest = fmax(largest, move(in, K, tau, g, i, r, s));
    }
    gradient(in, K, tau, g);
    return tau;
}

static double distance(const double *a, const double *b, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* ---- tests -------------------------------------------------------------------------------------
 */

/* Value and M, which is unique: g is b + M phi. With costs, with weights. */
static void test_spoc__equals_a_slow_general_program(void **state)
{
    (void)state;
    static const double Cs[] = {0.05, 1, 30};
    for (int c = 0; c < 3; c++)
        for (int64_t k = 2; k <= 5; k++) {
            if (!test_in_share())
                continue;
            instance in = make(30, k, Cs[c], (uint64_t)(10 * c + k));
            double *K = matrix(&in);
            double *g = calloc((size_t)(in.n * k), sizeof *g);
            double *g_ours = calloc((size_t)(in.n * k), sizeof *g);
            double *tau = reference(&in, K, g);
            const double best = dual(&in, tau, g);
            assert_true(primal(&in, tau, g) - best < 1e-9 * best); /* it is the solution */
            answer a = solve(&in, 1e-9);
            double *tau_ours = tau_of(&a);
            gradient(&in, K, tau_ours, g_ours);
            assert_true(a.result.converged);
            assert_true(fabs(a.result.value - best) < 1e-8 * best);
            assert_true(fabs(dual(&in, tau_ours, g_ours) - a.result.value) < 1e-12 * best);
            assert_true(distance(g, g_ours, in.n * k) < 1e-3 * (1 + Cs[c]));
            forget(&a);
            free(tau_ours);
            free(tau);
            free(g_ours);
            free(g);
            free(K);
            drop(&in);
        }
}

/* The gap that is asked for is reached, and is the true one; the rows are feasible. */
static void test_spoc__gap_is_true(void **state)
{
    (void)state;
    for (int type = 0; type < 2; type++)
        for (int e = 2; e <= 8; e += 2) {
            if (!test_in_share())
                continue;
            instance in = make(400, 6, 3, 7);
            double *K = matrix(&in);
            if (type == 1)
                narrow(&in);
            answer a = solve(&in, pow(10, -e));
            double *tau = tau_of(&a);
            double *g = calloc((size_t)(in.n * in.k), sizeof *g);
            gradient(&in, K, tau, g);
            const double gap = primal(&in, tau, g) - dual(&in, tau, g);
            const double rounding = type == 1 ? 2e-6 : 1e-12; /* of kernel values */
            assert_true(a.result.converged);
            assert_true(a.result.gap <= pow(10, -e) * a.result.value);
            assert_true(fabs(gap - a.result.gap) <= rounding * a.result.value);
            for (int64_t i = 0; i < in.n; i++) {
                double sum = 0;
                for (int64_t r = 0; r < in.k; r++) {
                    const double t = tau[i * in.k + r];
                    sum += t;
                    if (kind == PT_CRAMMER_SINGER)
                        assert_true(t <= (r == in.y[i] ? in.C[i] * (1 + 1e-14) : 0));
                    else
                        assert_true(r == in.y[i] || (t <= 0 && t >= -in.C[i]));
                }
                assert_true(fabs(sum) <= 1e-14 * in.C[i] * (double)in.k);
            }
            forget(&a);
            free(tau);
            free(g);
            free(K);
            drop(&in);
        }
}

/* Bytes of eta and result. */
static void expect_same(const answer *a, const answer *b)
{
    assert_memory_equal(&a->result.value, &b->result.value, sizeof(double));
    assert_memory_equal(&a->result.gap, &b->result.gap, sizeof(double));
    assert_int_equal(a->result.rounds, b->result.rounds);
    for (int64_t i = 0; i < a->problem.n; i++) {
        assert_int_equal(a->eta.count[i], b->eta.count[i]);
        for (int64_t c = 0; c < a->eta.count[i]; c++) {
            assert_int_equal(pt_sparse_row(&a->eta, i)[c].column,
                             pt_sparse_row(&b->eta, i)[c].column);
            assert_memory_equal(&pt_sparse_row(&a->eta, i)[c].value,
                                &pt_sparse_row(&b->eta, i)[c].value, sizeof(double));
        }
    }
}

/* Fewer of them where sanitizers make it slow: kernel values are n^2. */
static int64_t share_of_rows(int64_t n)
{
    return test_share() > 1 ? n / 3 : n;
}

static void test_spoc__threads_keep_every_bit(void **state)
{
    (void)state;
    instance in = make(share_of_rows(2500), 12, 2, 3);
    narrow(&in);
    answer one = {0};
    assert_int_equal(try_solve(&one, &in, 1e-3, MUCH, MUCH, 1, NULL), PT_OK);
    for (int threads = 2; threads <= 5; threads += 3) {
        answer many = {0};
        assert_int_equal(try_solve(&many, &in, 1e-3, MUCH, MUCH, threads, NULL), PT_OK);
        expect_same(&one, &many);
        forget(&many);
    }
    forget(&one);
    drop(&in);
}

/* Shrinking, and a cache of a few rows, change the way and not the end. */
static void test_spoc__memory_keeps_the_solution(void **state)
{
    (void)state;
    instance in = make(share_of_rows(1500), 5, 5, 4);
    answer whole = solve(&in, 1e-6);
    answer unshrunk = {0};
    answer cached = {0};
    assert_int_equal(try_solve(&unshrunk, &in, 1e-6, MUCH, 0, 1, NULL), PT_OK);
    assert_int_equal(try_solve(&cached, &in, 1e-6, 100.0 * 1500 * 8, MUCH, 2, NULL), PT_OK);
    assert_false(pt_kernel_store_whole(cached.store));
    assert_true(fabs(whole.result.value - unshrunk.result.value) <= 1e-6 * whole.result.value);
    assert_true(fabs(whole.result.value - cached.result.value) <= 1e-6 * whole.result.value);
    assert_true(unshrunk.result.converged && cached.result.converged);
    forget(&whole);
    forget(&unshrunk);
    forget(&cached);
    drop(&in);
}

/* Without a store a working set grows; the gap of all is what was asked for, for any threads. */
static void test_spoc__working_set_grows(void **state)
{
    (void)state;
    instance in = make(test_share() > 1 ? 2200 : 3000, 5, 3, 12);
    answer a = solve(&in, 1e-5);
    for (int threads = test_share() > 1 ? 3 : 1; threads <= 3; threads += 2) {
        pt_task *task = NULL;
        pt_sparse_rows eta = {0};
        pt_spoc_result result;
        pt_spoc problem = a.problem;
        problem.store = NULL;
        problem.rows = &in.rows;
        assert_int_equal(pt_task_new(&task, NULL), PT_OK);
        pt_task_set_threads(task, threads);
        assert_int_equal(pt_sparse_rows_init(&eta, in.n, NULL, NULL), PT_OK);
        assert_int_equal(pt_spoc_solve(&problem, &eta, &result, NULL, task, NULL), PT_OK);
        assert_true(result.converged);
        assert_true(fabs(result.value - a.result.value) <= 1e-5 * a.result.value);
        pt_sparse_rows cold = a.eta; /* the gap by the other way: nothing is left to do */
        a.eta = eta;
        assert_int_equal(try_solve(&a, &in, 1e-5, MUCH, MUCH, 1, NULL), PT_OK);
        assert_int_equal(a.result.steps, 0);
        assert_true(fabs(a.result.gap - result.gap) <= 1e-9 * result.value);
        pt_sparse_rows_free(&a.eta);
        a.eta = cold;
        pt_task_free(task);
    }
    forget(&a);
    drop(&in);
}

/* From the solution for C, the one for 2 C is near; from a solution nothing is left to do. */
static void test_spoc__warm_start(void **state)
{
    (void)state;
    instance in = make(1200, 6, 1, 5);
    answer a = solve(&in, 1e-4);
    const int64_t cold = a.result.steps;
    const double first = a.result.value;
    assert_int_equal(try_solve(&a, &in, 1e-4, MUCH, MUCH, 1, NULL), PT_OK);
    assert_int_equal(a.result.steps, 0);
    assert_true(fabs(a.result.value - first) < 1e-12 * first);
    double *before = calloc((size_t)in.n, sizeof *before);
    memcpy(before, in.C, (size_t)in.n * sizeof *before);
    for (int64_t i = 0; i < in.n; i++)
        in.C[i] *= 2;
    pt_spoc_carry(&a.problem, before, &a.eta);
    free(before);
    assert_int_equal(try_solve(&a, &in, 1e-4, MUCH, MUCH, 1, NULL), PT_OK);
    answer b = solve(&in, 1e-4);
    assert_true(a.result.converged && b.result.converged);
    assert_true(fabs(a.result.value - b.result.value) <= 1e-4 * b.result.value);
    assert_true(a.result.steps < b.result.steps && cold > 0);
    forget(&a);
    forget(&b);
    drop(&in);
}

/* Two classes: the C-SVC without a bias, with 2 C; its dual is twice as large. */
static void test_spoc__two_classes_are_a_binary_machine(void **state)
{
    (void)state;
    for (int e = -1; e <= 2; e++) {
        instance in = make(300, 2, pow(10, e), 6);
        static const double Q[] = {1, -1, -1, 1};
        double *u = calloc((size_t)in.n, sizeof *u);
        double *beta = calloc((size_t)in.n, sizeof *beta);
        double *x = calloc((size_t)(in.n * D), sizeof *x);
        in.b[1] = in.b[2] = 1;
        for (int64_t i = 0; i < in.n; i++) { /* by class */
            const int64_t from = i < in.n / 2 ? 2 * i : 2 * (i - in.n / 2) + 1;
            u[i] = 2 * in.C[from];
            memcpy(x + i * D, in.x + from * D, D * sizeof *x);
        }
        const int64_t start[] = {0, in.n / 2, in.n};
        const pt_rows rows = {.n = in.n, .d = D, .type = PT_F64, .dense = x, .stride = D};
        const pt_box_qp qp = {.rows = &rows,
                              .kernel = &in.kernel,
                              .bytes = MUCH,
                              .n = in.n,
                              .groups = 2,
                              .group_start = start,
                              .Q = Q,
                              .u = u,
                              .gap = 1e-10};
        pt_box_result result;
        assert_int_equal(pt_box_qp_solve(&qp, beta, &result, NULL, NULL, NULL), PT_OK);
        answer a = solve(&in, 1e-10);
        double *tau = tau_of(&a);
        assert_true(fabs(2 * a.result.value - result.value) <= 1e-9 * result.value);
        for (int64_t i = 0; i < in.n; i++) {
            const int64_t from = i < in.n / 2 ? 2 * i : 2 * (i - in.n / 2) + 1;
            assert_true(fabs(2 * tau[from * 2 + in.y[from]] - beta[i]) < 1e-3 * u[i]);
        }
        forget(&a);
        free(tau);
        free(u);
        free(beta);
        free(x);
        drop(&in);
    }
}

/* Rows of zeros and the same row twice, a linear kernel of low rank, classes without examples,
 * examples without weight, costs of 0. */
static void test_spoc__corners(void **state)
{
    (void)state;
    instance in = make(60, 4, 1, 8);
    in.kernel.ops = pt_kernel_find("linear");
    for (int64_t i = 0; i < 10; i++)
        for (int64_t f = 0; f < D; f++)
            in.x[i * D + f] = i < 5 ? 0 : in.x[20 * D + f];
    for (int64_t i = 0; i < in.n; i++)
        if (in.y[i] == 2)
            in.y[i] = 1;
    in.C[7] = in.C[30] = 0;
    double *K = matrix(&in);
    double *g = calloc((size_t)(in.n * in.k), sizeof *g);
    answer a = solve(&in, 1e-7);
    double *tau = tau_of(&a);
    gradient(&in, K, tau, g);
    assert_true(a.result.converged);
    assert_true(primal(&in, tau, g) - dual(&in, tau, g) <= 1.1e-7 * a.result.value);
    for (int64_t r = 0; r < in.k; r++)
        assert_true(tau[7 * in.k + r] == 0 && tau[30 * in.k + r] == 0);
    forget(&a);
    memset(in.b, 0, sizeof in.b);
    a = solve(&in, 1e-3);
    assert_true(a.result.value == 0 && a.result.gap == 0 && a.result.patterns == 0);
    forget(&a);
    free(tau);
    free(g);
    free(K);
    drop(&in);
}

/* A C for which nothing is left of the slack: the hard margin. */
static void test_spoc__huge_C(void **state)
{
    (void)state;
    instance in = make(120, 3, 1e6, 9);
    in.kernel.sigma = 0.2; /* separable */
    answer a = solve(&in, 1e-6);
    assert_true(a.result.converged);
    forget(&a);
    drop(&in);
}

/* Few rows, each of them with every label: what slack there is stays, whatever C. They need many
 * more steps than rows that can be told apart, which the limit has to leave them. */
static void test_spoc__contradictions_at_a_large_C(void **state)
{
    (void)state;
    instance in = make(120, 3, 1e3, 11);
    for (int64_t i = 0; i < in.n; i++) {
        in.y[i] = i % 3;
        for (int64_t f = 0; f < D; f++)
            in.x[i * D + f] = 1;
    }
    answer a = solve(&in, 1e-3);
    assert_true(a.result.converged);
    forget(&a);
    drop(&in);
}

static void test_spoc__indefinite_kernels_are_refused(void **state)
{
    (void)state;
    instance in = make(80, 3, 1, 10);
    double *K = matrix(&in);
    pt_error err = PT_ERROR_INIT;
    for (int64_t i = 0; i < in.n; i++)
        K[i * in.n + i] = 0.6; /* pairs stay within sqrt(K_ii K_jj) or not: both are seen */
    const pt_rows rows = {.n = in.n, .d = in.n, .type = PT_F64, .dense = K, .stride = in.n};
    answer a = {0};
    in.kernel.ops = pt_kernel_find("precomputed");
    assert_int_equal(pt_kernel_store_open(&a.store, &rows, &in.kernel, NULL, 0, NULL, NULL), PT_OK);
    assert_int_equal(try_solve(&a, &in, 1e-3, 0, 0, 1, &err), PT_ENUMERIC);
    assert_non_null(strstr(err.text, "semidefinite"));
    forget(&a);
    free(K);
    drop(&in);
}

/* The limit is a result with a flag. */
static void test_spoc__limit_is_told(void **state)
{
    (void)state;
    instance in = make(500, 5, 1, 11);
    answer a = solve(&in, 1e-3);
    a.problem.limit = 100;
    pt_sparse_rows_free(&a.eta);
    assert_int_equal(pt_sparse_rows_init(&a.eta, in.n, NULL, NULL), PT_OK);
    pt_spoc_result result;
    assert_int_equal(pt_spoc_solve(&a.problem, &a.eta, &result, NULL, NULL, NULL), PT_OK);
    assert_false(result.converged);
    assert_true(result.gap > 1e-3 * result.value && result.steps < 500);
    forget(&a);
    drop(&in);
}

#define BOTH(test)                                         \
    {#test ", Crammer-Singer", test, set_cs, NULL, NULL},  \
    {                                                      \
#test ", Weston-Watkins", test, set_ww, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(test_spoc__equals_a_slow_general_program),
        BOTH(test_spoc__gap_is_true),
        BOTH(test_spoc__threads_keep_every_bit),
        BOTH(test_spoc__memory_keeps_the_solution),
        BOTH(test_spoc__working_set_grows),
        BOTH(test_spoc__warm_start),
        BOTH(test_spoc__two_classes_are_a_binary_machine),
        BOTH(test_spoc__corners),
        BOTH(test_spoc__huge_C),
        BOTH(test_spoc__contradictions_at_a_large_C),
        BOTH(test_spoc__indefinite_kernels_are_refused),
        BOTH(test_spoc__limit_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
