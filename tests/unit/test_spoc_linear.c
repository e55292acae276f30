/* Linear SPOC and Weston-Watkins by their own certificate, computed here in double from the data:
 * eta is feasible, so that D(eta) is below the optimum, and P(M) is above it. Where the two meet
 * both are the solution. And against the solver with kernel values. Every test runs for both
 * machines. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/random.h"
#include "base/task.h"
#include "solvers/dual/class_weights.h"
#include "solvers/dual/spoc.h"
#include "solvers/linear/linear_svm.h"

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
    int64_t d;
    int64_t k;
    double *x; /* n x d */
    int64_t *y;
    double *C;
    double *b; /* k x k */
    pt_rows rows;
    int64_t *start; /* the same without the zeros */
    int64_t *index;
    double *value;
    pt_rows sparse;
    double *M; /* d x k column-major */
    pt_sparse_rows eta;
    pt_spoc problem;
    pt_spoc_result result;
} instance;

/* A share `zeros` of the values is 0. */
static instance make(int64_t n, int64_t d, int64_t k, double zeros, double C, uint64_t seed)
{
    instance in = {.n = n, .d = d, .k = k};
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 63);
    in.x = calloc((size_t)(n * d), sizeof *in.x);
    in.y = calloc((size_t)n, sizeof *in.y);
    in.C = calloc((size_t)n, sizeof *in.C);
    in.b = calloc((size_t)(k * k), sizeof *in.b);
    in.start = calloc((size_t)n + 1, sizeof *in.start);
    in.index = calloc((size_t)(n * d), sizeof *in.index);
    in.value = calloc((size_t)(n * d), sizeof *in.value);
    in.M = calloc((size_t)(k * d), sizeof *in.M);
    for (int64_t i = 0; i < n; i++) {
        in.y[i] = (i / 2 + i) % k;
        in.C[i] = C * (0.5 + pt_random_uniform(&random));
        in.start[i + 1] = in.start[i];
        for (int64_t f = 0; f < d; f++) {
            const double x = pt_random_normal(&random) + (f % k == in.y[i] ? 1.5 : 0);
            in.x[i * d + f] = pt_random_uniform(&random) < zeros ? 0 : (float)x;
            if (in.x[i * d + f] == 0)
                continue;
            in.index[in.start[i + 1]] = f;
            in.value[in.start[i + 1]++] = in.x[i * d + f];
        }
    }
    for (int64_t r = 0; r < k * k; r++)
        in.b[r] = r % (k + 1) == 0 ? 0 : 0.25 + pt_random_uniform(&random);
    in.rows = (pt_rows){.n = n, .d = d, .type = PT_F64, .dense = in.x, .stride = d};
    in.sparse = (pt_rows){
        .n = n, .d = d, .type = PT_F64, .start = in.start, .index = in.index, .value = in.value};
    in.problem =
        (pt_spoc){.n = n, .k = k, .kind = kind, .class_of = in.y, .bound = in.C, .costs = in.b};
    return in;
}

static void drop(instance *in)
{
    pt_sparse_rows_free(&in->eta);
    free(in->x);
    free(in->y);
    free(in->C);
    free(in->b);
    free(in->start);
    free(in->index);
    free(in->value);
    free(in->M);
}

static pt_status try_solve(instance *in, const pt_rows *rows, double gap, pt_task *task)
{
    pt_linear_rows ready = {0};
    if (!in->eta.at)
        assert_int_equal(pt_sparse_rows_init(&in->eta, in->n, NULL, NULL), PT_OK);
    assert_int_equal(pt_linear_rows_init(&ready, rows, false, NULL, NULL), PT_OK);
    in->problem.gap = gap;
    const pt_status status = pt_spoc_linear_solve(&in->problem, &ready, 1, &in->eta, in->M,
                                                  &in->result, NULL, task, NULL);
    pt_linear_rows_free(&ready);
    return status;
}

static void solve(instance *in, const pt_rows *rows, double gap, int threads)
{
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, threads);
    assert_int_equal(try_solve(in, rows, gap, task), PT_OK);
    pt_task_free(task);
}

/* ---- the certificate ---------------------------------------------------------------------------
 */

static double score(const instance *in, int64_t i, int64_t r)
{
    double sum = 0;
    for (int64_t f = 0; f < in->d; f++)
        sum += in->x[i * in->d + f] * in->M[r * in->d + f];
    return sum;
}

static double primal(const instance *in)
{
    double sum = 0;
    for (int64_t c = 0; c < in->k * in->d; c++)
        sum += 0.5 * in->M[c] * in->M[c];
    for (int64_t i = 0; i < in->n; i++) {
        const double own = score(in, i, in->y[i]);
        double loss = 0;
        for (int64_t r = 0; r < in->k; r++) {
            const double z = in->b[in->y[i] * in->k + r] + score(in, i, r) - own;
            if (r != in->y[i])
                loss = kind == PT_CRAMMER_SINGER ? fmax(loss, z) : loss + fmax(z, 0);
        }
        sum += in->C[i] * loss;
    }
    return sum;
}

/* -1/2 ||sum_i tau_i x_i||^2 - sum_i tau_i . b_i; checks that tau is feasible. */
static double dual(const instance *in)
{
    double *tau = calloc((size_t)in->k, sizeof *tau);
    double *M = calloc((size_t)(in->k * in->d), sizeof *M);
    double value = 0;
    for (int64_t i = 0; i < in->n; i++) {
        double sum = 0;
        pt_spoc_tau(&in->problem, &in->eta, i, tau);
        for (int64_t r = 0; r < in->k; r++) {
            const bool own = r == in->y[i];
            assert_true(own || tau[r] <= 0);
            assert_true(kind == PT_CRAMMER_SINGER || own || tau[r] >= -in->C[i]);
            assert_true(kind == PT_WESTON_WATKINS || tau[r] <= in->C[i] * (1 + 1e-13));
            sum += tau[r];
            value -= tau[r] * in->b[in->y[i] * in->k + r];
            for (int64_t f = 0; f < in->d && tau[r] != 0; f++)
                M[r * in->d + f] += tau[r] * in->x[i * in->d + f];
        }
        assert_true(fabs(sum) <= 1e-13 * in->C[i] * (double)in->k);
    }
    for (int64_t c = 0; c < in->k * in->d; c++)
        value -= 0.5 * M[c] * M[c];
    free(M);
    free(tau);
    return value;
}

static void expect_solution(const instance *in, double gap)
{
    const double P = primal(in);
    const double D = dual(in);
    assert_true(in->result.converged);
    assert_true(in->result.gap <= gap * in->result.value);
    assert_true(fabs(in->result.value - D) <= 1e-11 * D);
    assert_true(fabs(in->result.value + in->result.gap - P) <= 1e-11 * D);
    assert_true(P - D <= (gap + 2e-11) * D);
    for (int64_t f = 0; f < in->d; f++) { /* sum_r M_r = 0 */
        double sum = 0;
        double size = 0;
        for (int64_t r = 0; r < in->k; r++) {
            sum += in->M[r * in->d + f];
            size += fabs(in->M[r * in->d + f]);
        }
        assert_true(fabs(sum) <= 1e-12 * size);
    }
}

/* ---- tests -------------------------------------------------------------------------------------
 */

/* The layouts of M: dense and short, dense and long, sparse; with costs, with weights. */
static void test_spoc_linear__finds_the_solution(void **state)
{
    (void)state;
    static const double Cs[] = {0.01, 0.3, 10};
    for (int c = 0; c < 3; c++)
        for (int64_t k = 2; k <= 17; k += 5)
            for (int shape = 0; shape < 4; shape++) {
                static const int64_t ds[] = {7, 75, 40, 75};
                instance in = make(90, ds[shape], k, shape < 2 ? 0.1 : 0.85, Cs[c],
                                   (uint64_t)(100 * c + 10 * k + shape));
                solve(&in, shape == 3 ? &in.sparse : &in.rows, 1e-8, 1);
                expect_solution(&in, 1e-8);
                drop(&in);
            }
}

/* The other solver finds the same value, and decides alike. */
static void test_spoc_linear__equals_the_kernel_solver(void **state)
{
    (void)state;
    for (int e = -2; e <= 1; e++) {
        instance in = make(250, 12, 5, 0.2, pow(10, e), 21);
        const pt_kernel linear = {pt_kernel_find("linear"), 1, 0, 1, 0};
        pt_kernel_store *store = NULL;
        pt_sparse_rows eta = {0};
        pt_spoc_result other;
        double *tau = calloc((size_t)in.k, sizeof *tau);
        double *M = calloc((size_t)(in.k * in.d), sizeof *M);
        solve(&in, &in.rows, 1e-7, 1);
        pt_spoc problem = in.problem;
        assert_int_equal(pt_kernel_store_open(&store, &in.rows, &linear, NULL, MUCH, NULL, NULL),
                         PT_OK);
        problem.store = store;
        problem.kernel = &linear;
        problem.bytes = MUCH;
        assert_int_equal(pt_sparse_rows_init(&eta, in.n, NULL, NULL), PT_OK);
        assert_int_equal(pt_spoc_solve(&problem, &eta, &other, NULL, NULL, NULL), PT_OK);
        assert_true(in.result.converged);
        assert_true(other.converged);
        assert_true(fabs(other.value - in.result.value) <= 2e-7 * other.value);
        for (int64_t i = 0; i < in.n; i++) {
            pt_spoc_tau(&problem, &eta, i, tau);
            for (int64_t r = 0; r < in.k; r++)
                for (int64_t f = 0; f < in.d; f++)
                    M[r * in.d + f] += tau[r] * in.x[i * in.d + f];
        }
        double apart = 0;
        double size = 0;
        for (int64_t c = 0; c < in.k * in.d; c++) {
            apart += pow(M[c] - in.M[c], 2);
            size += pow(M[c], 2);
        }
        /* both are within sqrt(2 gap value) of the solution, for P is strongly convex */
        assert_true(sqrt(apart) <= 2 * sqrt(2e-7 * other.value) && size > 0);
        pt_sparse_rows_free(&eta);
        pt_kernel_store_close(store);
        free(tau);
        free(M);
        drop(&in);
    }
}

static void test_spoc_linear__threads_keep_every_bit(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        const int64_t n = sparse ? 3000 : 5000; /* these are mixed */
        instance one = make(n, 30, 6, sparse ? 0.8 : 0, 0.1, 3);
        solve(&one, sparse ? &one.sparse : &one.rows, 1e-3, 1);
        for (int threads = 2; threads <= 5; threads += 3) {
            instance many = make(n, 30, 6, sparse ? 0.8 : 0, 0.1, 3);
            solve(&many, sparse ? &many.sparse : &many.rows, 1e-3, threads);
            assert_memory_equal(one.M, many.M, (size_t)(one.k * one.d) * sizeof(double));
            assert_memory_equal(&one.result.value, &many.result.value, sizeof(double));
            assert_memory_equal(&one.result.gap, &many.result.gap, sizeof(double));
            assert_int_equal(one.result.steps, many.result.steps);
            drop(&many);
        }
        drop(&one);
    }
}

/* Many short rows are mixed: the certificate says that eta comes back in the order of the examples,
 * cold and warm, for rows with room between them; and costs find their example. */
static void test_spoc_linear__many_short_rows(void **state)
{
    (void)state;
    const int64_t n = 5001;
    const int64_t k = 5;
    const int64_t stride = 11;
    instance in = make(n, 8, k, 0, 0.05, 17);
    double *wide = calloc((size_t)(n * stride), sizeof *wide);
    double *costs = calloc((size_t)(n * k), sizeof *costs);
    for (int64_t i = 0; i < n; i++) {
        memcpy(wide + i * stride, in.x + i * in.d, (size_t)in.d * sizeof *wide);
        memcpy(costs + i * k, in.b + in.y[i] * k, (size_t)k * sizeof *costs);
        in.C[i] = i % 7 == 0 ? 0 : in.C[i];
    }
    solve(&in, &in.rows, 1e-2, 1);
    expect_solution(&in, 1e-2);
    const int64_t cold = in.result.steps;
    const double value = in.result.value;
    solve(&in, &in.rows, 1e-2, 1); /* from there: nothing is left to do */
    expect_solution(&in, 1e-2);
    assert_true(in.result.steps < cold / 10);
    solve(&in, &in.rows, 1e-5, 1);
    expect_solution(&in, 1e-5);
    pt_sparse_rows_free(&in.eta);
    in.problem.costs = NULL;
    in.problem.example_costs = costs;
    const pt_rows apart = {.n = n, .d = in.d, .type = PT_F64, .dense = wide, .stride = stride};
    solve(&in, &apart, 1e-2, 1);
    expect_solution(&in, 1e-2);
    assert_memory_equal(&value, &in.result.value, sizeof value);
    assert_int_equal(in.result.steps, cold);
    free(wide);
    free(costs);
    drop(&in);
}

static void test_spoc_linear__every_instruction_set(void **state)
{
    (void)state;
    const pt_isa_level before = pt_isa_level_chosen();
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        if (!pt_isa_level_runs((pt_isa_level)level))
            continue;
        pt_isa_level_force((pt_isa_level)level);
        for (int64_t k = 3; k <= 75; k += 8) /* vectors of lanes: one to ten */
            for (int shape = 0; shape < 3; shape++) {
                static const int64_t ds[] = {9, 70, 33};
                instance in = make(150, ds[shape], k, shape < 2 ? 0.1 : 0.8, 0.2, 5);
                float *x = calloc((size_t)(in.n * in.d), sizeof(float));
                float *value = calloc((size_t)(in.n * in.d), sizeof(float));
                for (int64_t c = 0; c < in.n * in.d; c++) {
                    x[c] = (float)in.x[c];
                    value[c] = (float)in.value[c];
                }
                pt_rows rows = shape < 2 ? in.rows : in.sparse;
                rows.type = PT_F32;
                rows.dense = shape < 2 ? x : NULL;
                rows.value = shape < 2 ? NULL : value;
                solve(&in, &rows, 1e-6, 1);
                expect_solution(&in, 1e-6);
                free(x);
                free(value);
                drop(&in);
            }
    }
    pt_isa_level_force(before);
}

/* Rows of float, whose M moves in float at first: there numbers may be too small or too large for
 * it, and the solution must not know. */
/* M by random steps of two classes, and (M_a - M_b) . x_i, against loops over all features. */
static void expect_pairs(const instance *in, const pt_rows *from, uint64_t seed)
{
    pt_linear_rows rows = {0};
    pt_class_weights w = {0};
    pt_random random;
    double *M = calloc((size_t)(in->k * in->d), sizeof *M);
    pt_random_init(&random, seed, PT_RANDOM_TEST, 64);
    assert_int_equal(pt_linear_rows_init(&rows, from, false, NULL, NULL), PT_OK);
    assert_true(pt_class_weights_plan(&w, &rows, in->k));
    w.M = calloc((size_t)w.cells, sizeof *w.M);
    const pt_class_loops *loops = pt_class_loops_for(&w, false);
    for (int64_t i = 0; i < in->n; i++) {
        const int64_t a = pt_random_below(&random, in->k);
        const int64_t b = (a + 1 + pt_random_below(&random, in->k - 1)) % in->k;
        const double change = pt_random_normal(&random);
        double expected = 0;
        for (int64_t f = 0; f < in->d; f++) {
            M[a * in->d + f] += change * in->x[i * in->d + f];
            M[b * in->d + f] -= change * in->x[i * in->d + f];
            expected += (M[a * in->d + f] - M[b * in->d + f]) * in->x[i * in->d + f];
        }
        loops->shift(&w, i, a, b, change);
        assert_true(fabs(loops->apart(&w, i, a, b) - expected) <= 1e-10 * (1 + fabs(expected)));
    }
    free(w.M);
    free(M);
    pt_linear_rows_free(&rows);
}

static void test_spoc_linear__pairs_of_classes(void **state)
{
    (void)state;
    const pt_isa_level before = pt_isa_level_chosen();
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        if (!pt_isa_level_runs((pt_isa_level)level))
            continue;
        pt_isa_level_force((pt_isa_level)level);
        for (int64_t d = 1; d <= 141; d += 7) { /* M by features, and from 64 on by classes */
            instance dense = make(40, d, 11, 0.1, 1, 8);
            instance sparse = make(40, d, 11, 0.9, 1, 9);
            expect_pairs(&dense, &dense.rows, 1);
            expect_pairs(&sparse, &sparse.sparse, 2);
            drop(&dense);
            drop(&sparse);
        }
    }
    pt_isa_level_force(before);
}

static void test_spoc_linear__float_rows_of_any_scale(void **state)
{
    (void)state;
    static const int powers[] = {-70, -40, -8, 8, 40, 70};
    for (size_t p = 0; p < sizeof powers / sizeof *powers; p++)
        for (int64_t d = 9; d <= 70; d += 61) {
            instance in = make(150, d, 4, 0, 0.5, 8);
            float *x = calloc((size_t)(in.n * d), sizeof(float));
            for (int64_t c = 0; c < in.n * d; c++) {
                in.x[c] = ldexp(in.x[c], powers[p]);
                x[c] = (float)in.x[c];
            }
            for (int64_t i = 0; i < in.n; i++)
                in.C[i] = ldexp(in.C[i], -2 * powers[p]);
            pt_rows rows = in.rows;
            rows.type = PT_F32;
            rows.dense = x;
            solve(&in, &rows, 1e-7, 1);
            expect_solution(&in, 1e-7);
            free(x);
            drop(&in);
        }
}

/* More classes than a list has room for. */
static void test_spoc_linear__many_classes(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        instance in = make(600, 80, 300, sparse ? 0.9 : 0, 0.5, 6);
        solve(&in, sparse ? &in.sparse : &in.rows, 1e-5, 2);
        expect_solution(&in, 1e-5);
        drop(&in);
    }
}

/* From the solution for C, the one for 2 C is near; from a solution nothing is left to do. */
static void test_spoc_linear__warm_start(void **state)
{
    (void)state;
    instance in = make(1200, 10, 6, 0, 1, 5);
    solve(&in, &in.rows, 1e-4, 1);
    const double first = in.result.value;
    solve(&in, &in.rows, 1e-4, 1);
    assert_int_equal(in.result.steps, 0);
    assert_true(fabs(in.result.value - first) <= 1e-11 * first);
    double *before = calloc((size_t)in.n, sizeof *before);
    memcpy(before, in.C, (size_t)in.n * sizeof *before);
    for (int64_t i = 0; i < in.n; i++)
        in.C[i] *= 2;
    pt_spoc_carry(&in.problem, before, &in.eta);
    free(before);
    solve(&in, &in.rows, 1e-4, 1);
    expect_solution(&in, 1e-4);
    const pt_spoc_result warm = in.result;
    pt_sparse_rows_free(&in.eta);
    solve(&in, &in.rows, 1e-4, 1);
    expect_solution(&in, 1e-4);
    assert_true(warm.steps < in.result.steps);
    drop(&in);
}

/* An example with twice the bound counts as two. */
static void test_spoc_linear__weight_is_repetition(void **state)
{
    (void)state;
    instance once = make(120, 8, 4, 0, 0.5, 8);
    instance twice = make(240, 8, 4, 0, 0.5, 8);
    memcpy(twice.b, once.b, 16 * sizeof *once.b);
    for (int64_t i = 0; i < once.n; i++) {
        memcpy(twice.x + 2 * i * 8, once.x + i * 8, 8 * sizeof *once.x);
        memcpy(twice.x + (2 * i + 1) * 8, once.x + i * 8, 8 * sizeof *once.x);
        twice.y[2 * i] = twice.y[2 * i + 1] = once.y[i];
        twice.C[2 * i] = twice.C[2 * i + 1] = once.C[i];
        once.C[i] *= 2;
    }
    solve(&once, &once.rows, 1e-10, 1);
    solve(&twice, &twice.rows, 1e-10, 1);
    assert_true(fabs(once.result.value - twice.result.value) <= 2e-10 * once.result.value);
    for (int64_t c = 0; c < once.k * once.d; c++)
        assert_true(fabs(once.M[c] - twice.M[c]) <= 4 * sqrt(2e-10 * once.result.value));
    drop(&once);
    drop(&twice);
}

/* Two classes: the linear machine without a bias, with 2 C; its dual is twice as large. */
static void test_spoc_linear__two_classes_are_a_binary_machine(void **state)
{
    (void)state;
    for (int e = -2; e <= 1; e++) {
        instance in = make(200, 9, 2, 0, pow(10, e), 9);
        pt_linear_rows ready = {0};
        pt_linear_svm_result binary;
        int64_t *row = calloc((size_t)in.n, sizeof *row);
        int8_t *side = calloc((size_t)in.n, 1);
        double *u = calloc((size_t)in.n, sizeof *u);
        double *a = calloc((size_t)in.n, sizeof *a);
        double *w = calloc((size_t)in.d + 1, sizeof *w);
        in.b[1] = in.b[2] = 1;
        for (int64_t i = 0; i < in.n; i++) {
            row[i] = i;
            side[i] = in.y[i] == 0 ? 1 : -1;
            u[i] = 2 * in.C[i];
        }
        assert_int_equal(pt_linear_rows_init(&ready, &in.rows, false, NULL, NULL), PT_OK);
        const pt_linear_svm problem = {
            .rows = &ready, .n = in.n, .row = row, .y = side, .bound = u, .gap = 1e-9, .seed = 1};
        assert_int_equal(pt_linear_svm_solve(&problem, a, w, &binary, NULL, NULL), PT_OK);
        solve(&in, &in.rows, 1e-9, 1);
        assert_true(binary.converged);
        assert_true(fabs(2 * in.result.value - binary.value) <= 4e-9 * binary.value);
        for (int64_t f = 0; f < in.d; f++)
            assert_true(fabs(in.M[f] - in.M[in.d + f] - w[f]) <= 4 * sqrt(4e-9 * binary.value));
        pt_linear_rows_free(&ready);
        free(row);
        free(side);
        free(u);
        free(a);
        free(w);
        drop(&in);
    }
}

/* Rows of zeros and the same row twice, classes without examples, examples without weight, costs
 * of 0, no rows. */
static void test_spoc_linear__corners(void **state)
{
    (void)state;
    instance in = make(60, 5, 4, 0, 1, 10);
    for (int64_t i = 0; i < 10; i++)
        for (int64_t f = 0; f < in.d; f++)
            in.x[i * in.d + f] = i < 5 ? 0 : in.x[20 * in.d + f];
    for (int64_t i = 0; i < in.n; i++)
        if (in.y[i] == 2)
            in.y[i] = 1;
    in.C[7] = in.C[30] = 0;
    solve(&in, &in.rows, 1e-7, 1);
    expect_solution(&in, 1e-7);
    memset(in.b, 0, 16 * sizeof *in.b);
    pt_sparse_rows_free(&in.eta);
    solve(&in, &in.rows, 1e-3, 1);
    assert_true(in.result.value == 0 && in.result.gap == 0 && in.result.patterns == 0);
    in.n = in.rows.n = in.problem.n = 0;
    solve(&in, &in.rows, 1e-3, 1);
    assert_true(in.result.converged && in.result.value == 0);
    for (int64_t c = 0; c < in.k * in.d; c++)
        assert_true(in.M[c] == 0);
    drop(&in);
}

/* A C for which nothing is left of the slack: the hard margin, which M has exactly. */
static void test_spoc_linear__huge_C(void **state)
{
    (void)state;
    instance in = make(60, 80, 3, 0, 1e7, 11);
    solve(&in, &in.rows, 1e-6, 1);
    assert_true(in.result.converged);
    const double P = primal(&in);
    assert_true(fabs(P - (in.result.value + in.result.gap)) <= 1e-9 * P);
    assert_true(P - dual(&in) <= 1.01e-6 * P);
    drop(&in);
}

static void test_spoc_linear__limit_is_told_and_work_stops(void **state)
{
    (void)state;
    pt_task *task = NULL;
    instance in = make(500, 6, 5, 0, 1, 12);
    in.problem.limit = 600;
    solve(&in, &in.rows, 1e-6, 1);
    assert_false(in.result.converged);
    assert_true(in.result.gap > 1e-6 * in.result.value && in.result.steps < 2000);
    assert_true(fabs(in.result.value - dual(&in)) <= 1e-11 * in.result.value);
    drop(&in);
    in = make(3000, 6, 5, 0, 1, 12);
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_cancel(task);
    assert_int_equal(try_solve(&in, &in.rows, 1e-6, task), PT_ECANCELLED);
    pt_task_free(task);
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
        BOTH(test_spoc_linear__finds_the_solution),
        BOTH(test_spoc_linear__equals_the_kernel_solver),
        BOTH(test_spoc_linear__threads_keep_every_bit),
        BOTH(test_spoc_linear__many_short_rows),
        BOTH(test_spoc_linear__every_instruction_set),
        cmocka_unit_test(test_spoc_linear__pairs_of_classes),
        BOTH(test_spoc_linear__float_rows_of_any_scale),
        BOTH(test_spoc_linear__many_classes),
        BOTH(test_spoc_linear__warm_start),
        BOTH(test_spoc_linear__weight_is_repetition),
        BOTH(test_spoc_linear__two_classes_are_a_binary_machine),
        BOTH(test_spoc_linear__corners),
        BOTH(test_spoc_linear__huge_C),
        BOTH(test_spoc_linear__limit_is_told_and_work_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
