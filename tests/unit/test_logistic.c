/* labels: threads */
/* Logistic regression's solvers against a slow Newton's method with elimination, in double, and
 * against the conditions of optimality computed here from the definitions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/share.h"
#include "base/alloc.h"
#include "base/isa.h"
#include "base/random.h"
#include "base/task.h"
#include "polytomy/polytomy.h"
#include "solvers/linear/l1_loops.h"
#include "solvers/linear/logistic.h"
#include "solvers/linear/logistic_loops.h"

/* n rows of d features, dense and the same without zeros, in double and in float32; k groups. */
typedef struct instance {
    int64_t n;
    int64_t d;
    int64_t k;
    double *x;
    float *x32;
    int64_t *start;
    int64_t *index;
    double *value;
    int64_t *group;
    double *weight;
} instance;

static instance make(int64_t n, int64_t d, int64_t k, double zeros, uint64_t seed)
{
    instance in = {.n = n, .d = d, .k = k};
    const size_t cells = (size_t)(n * d) + 1;
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 5);
    in.x = calloc(cells, sizeof(double));
    in.x32 = calloc(cells, sizeof(float));
    in.start = calloc((size_t)n + 1, sizeof(int64_t));
    in.index = calloc(cells, sizeof(int64_t));
    in.value = calloc(cells, sizeof(double));
    in.group = calloc((size_t)n, sizeof(int64_t));
    in.weight = calloc((size_t)n, sizeof(double));
    for (int64_t i = 0; i < n; i++) {
        in.group[i] = i < k ? i : pt_random_below(&random, k);
        in.weight[i] = 0.5 + pt_random_uniform(&random);
        in.start[i + 1] = in.start[i];
        for (int64_t f = 0; f < d; f++) {
            const double noise = pt_random_normal(&random);
            if (pt_random_uniform(&random) < zeros)
                continue;
            const double x = (float)(noise + (f % k == in.group[i]));
            in.x[i * d + f] = x;
            in.x32[i * d + f] = (float)x;
            in.index[in.start[i + 1]] = f;
            in.value[in.start[i + 1]++] = x;
        }
    }
    return in;
}

static void drop(instance *in)
{
    free(in->x);
    free(in->x32);
    free(in->start);
    free(in->index);
    free(in->value);
    free(in->group);
    free(in->weight);
}

enum kind { DENSE, SPARSE, DENSE_F32, KINDS };

static pt_rows rows_of(const instance *in, enum kind kind)
{
    pt_rows rows = {.n = in->n, .d = in->d, .type = kind == DENSE_F32 ? PT_F32 : PT_F64};
    rows.stride = in->d;
    if (kind == SPARSE) {
        rows.start = in->start;
        rows.index = in->index;
        rows.value = in->value;
    } else {
        rows.dense = kind == DENSE ? (const void *)in->x : (const void *)in->x32;
    }
    return rows;
}

/* ell columns of signs; zeros where a group takes no part. One-vs-all for the first k. */
static int8_t *make_signs(int64_t k, int64_t ell, uint64_t seed)
{
    pt_random random;
    int8_t *sign = calloc((size_t)(k * ell), 1);
    pt_random_init(&random, seed, PT_RANDOM_TEST, 6);
    for (int64_t s = 0; s < ell; s++)
        for (int64_t g = 0; g < k; g++)
            sign[g * ell + s] =
                s < k ? (int8_t)(g == s ? 1 : -1) : (int8_t)(pt_random_below(&random, 3) - 1);
    for (int64_t s = k; s < ell; s++) { /* both sides */
        sign[s % k * ell + s] = 1;
        sign[(s + 1) % k * ell + s] = -1;
    }
    return sign;
}

/* w: ell x (d + 1), the bias last, from any kind of rows. sign NULL: softmax. */
static void solve(const instance *in, enum kind kind, bool bias, const int8_t *sign, int64_t ell,
                  int width, double C, int threads, double *w, pt_logistic_result *results)
{
    pt_error err = {0};
    pt_task *task = NULL;
    pt_lane_rows lanes = {0};
    const pt_rows rows = rows_of(in, kind);
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_threads(task, threads);
    assert_int_equal(pt_lane_rows_init(&lanes, &rows, bias, task, &err), PT_OK);
    const int64_t size = (lanes.d + 1) * width;
    double *V = pt_alloc(pt_logistic_blocks(ell, width) * size, sizeof *V, "V", &err);
    const pt_logistic problem = {.rows = &lanes,
                                 .ell = ell,
                                 .width = width,
                                 .group_of = in->group,
                                 .groups = in->k,
                                 .sign = sign,
                                 .weight = in->weight,
                                 .C = C,
                                 .eps = 1e-12};
    assert_int_equal(pt_logistic_solve(&problem, V, results, task, &err), PT_OK);
    for (int64_t s = 0; s < ell; s++)
        pt_lane_rows_spread(&lanes, V + s / width * size, width, (int)(s % width),
                            w + s * (in->d + 1));
    pt_free(V);
    pt_lane_rows_free(&lanes);
    pt_task_free(task);
}

/* ---- from the definitions ------------------------------------------------------------------- */

static double output(const instance *in, int64_t i, const double *w)
{
    double z = w[in->d];
    for (int64_t f = 0; f < in->d; f++)
        z += in->x[i * in->d + f] * w[f];
    return z;
}

static double feature(const instance *in, int64_t i, int64_t f)
{
    return f < in->d ? in->x[i * in->d + f] : 1;
}

/* g (d + 1) <- C sum_i c_i L'(z) x_i, and the loss. */
static double loss_gradient(const instance *in, const int8_t *sign, int64_t ell, int64_t s,
                            double C, const double *w, double *g)
{
    double loss = 0;
    memset(g, 0, (size_t)(in->d + 1) * sizeof *g);
    for (int64_t i = 0; i < in->n; i++) {
        const double y = sign[in->group[i] * ell + s];
        const double m = y * output(in, i, w);
        if (y == 0)
            continue;
        loss += C * in->weight[i] * (m > 0 ? log1p(exp(-m)) : -m + log1p(exp(m)));
        for (int64_t f = 0; f <= in->d; f++)
            g[f] -= C * in->weight[i] * y / (1 + exp(m)) * feature(in, i, f);
    }
    return loss;
}

/* a (m x m, destroyed) x = b, in place, by elimination with pivots. */
static void eliminate(double *a, double *b, int64_t m)
{
    for (int64_t c = 0; c < m; c++) {
        int64_t best = c;
        for (int64_t r = c; r < m; r++)
            best = fabs(a[r * m + c]) > fabs(a[best * m + c]) ? r : best;
        for (int64_t q = 0; q < m; q++) {
            const double kept = a[c * m + q];
            a[c * m + q] = a[best * m + q];
            a[best * m + q] = kept;
        }
        const double kept = b[c];
        b[c] = b[best];
        b[best] = kept;
        for (int64_t r = 0; r < m; r++) {
            const double by = r == c ? 0 : a[r * m + c] / a[c * m + c];
            for (int64_t q = 0; q < m && r != c; q++)
                a[r * m + q] -= by * a[c * m + q];
            b[r] -= by * b[c];
        }
    }
    for (int64_t c = 0; c < m; c++)
        b[c] /= a[c * m + c];
}

/* Newton's method with all of the Hessian and short steps first: nothing can go wrong. */
static void reference(const instance *in, const int8_t *sign, int64_t ell, int64_t s, double C,
                      double *w)
{
    const int64_t m = in->d + 1;
    double *g = calloc((size_t)m, sizeof *g);
    double *H = calloc((size_t)(m * m), sizeof *H);
    memset(w, 0, (size_t)m * sizeof *w);
    for (int step = 0; step < 60; step++) {
        (void)loss_gradient(in, sign, ell, s, C, w, g);
        memset(H, 0, (size_t)(m * m) * sizeof *H);
        for (int64_t i = 0; i < in->n; i++) {
            const double y = sign[in->group[i] * ell + s];
            const double p = 1 / (1 + exp(-output(in, i, w)));
            for (int64_t f = 0; f < m; f++)
                for (int64_t q = 0; q < m; q++)
                    H[f * m + q] += C * in->weight[i] * y * y * p * (1 - p) * feature(in, i, f) *
                                    feature(in, i, q);
        }
        for (int64_t f = 0; f < m; f++) {
            g[f] += w[f];
            H[f * m + f] += 1;
        }
        eliminate(H, g, m);
        for (int64_t f = 0; f < m; f++)
            w[f] -= (step < 30 ? 0.5 : 1) * g[f];
    }
    free(H);
    free(g);
}

static double distance(const double *a, const double *b, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* ---- products ------------------------------------------------------------------------------- */

static void check_products(const pt_lane_rows *lanes, const instance *in, int width)
{
    const pt_lane_loops *loops = pt_lane_loops_for(lanes, width);
    const int32_t *order = lanes->rows.order;
    const int64_t rows = (lanes->d + 1) * width;
    double *V = pt_alloc_zero(rows, sizeof *V, "V", NULL);
    double *G = pt_alloc_zero(rows, sizeof *G, "G", NULL);
    double *U = pt_alloc_zero(in->n * width, sizeof *U, "U", NULL);
    for (int64_t q = 0; q < rows; q++)
        V[q] = sin((double)q);
    loops->forward(lanes, 0, in->n, V, U);
    for (int64_t i = 0; i < in->n; i++)
        for (int l = 0; l < width; l++) {
            double expected = V[lanes->d * width + l];
            for (int64_t f = 0; f < lanes->d; f++)
                expected += in->x[i * in->d + (order ? order[f] : f)] * V[f * width + l];
            assert_true(fabs(U[i * width + l] - expected) < 1e-11);
        }
    for (int64_t q = 0; q < in->n * width; q++)
        U[q] = cos((double)q);
    for (int power = 1; power <= 2; power++) {
        for (int64_t piece = 0; piece < lanes->n_feature_pieces; piece++)
            (power == 1 ? loops->backward : loops->squares)(lanes, lanes->feature_piece[piece],
                                                            lanes->feature_piece[piece + 1], U, G);
        for (int64_t f = 0; f <= lanes->d; f++)
            for (int l = 0; l < width; l++) {
                double expected = 0;
                for (int64_t i = 0; i < in->n; i++) {
                    const double x = f == lanes->d ? 1 : in->x[i * in->d + (order ? order[f] : f)];
                    expected += (power == 1 ? x : x * x) * U[i * width + l];
                }
                assert_true(fabs(G[f * width + l] - expected) < 1e-9);
            }
    }
    pt_free(U);
    pt_free(G);
    pt_free(V);
}

static void check_columns(const pt_lane_rows *lanes, const instance *in)
{
    pt_l1_columns columns = {0};
    assert_int_equal(pt_l1_columns_init(&columns, lanes, NULL, NULL), PT_OK);
    const pt_l1_loops *loops = pt_l1_loops_for(&columns);
    double *v = pt_alloc_zero(4 * in->n, sizeof *v, "v", NULL);
    double *t = v + in->n;
    double *moved = v + 2 * in->n;
    double *curve = v + 3 * in->n;
    for (int64_t i = 0; i < in->n; i++) {
        v[i] = cos((double)i);
        curve[i] = 1 + sin((double)i);
    }
    for (int64_t f = 0; f <= lanes->d; f++) {
        double dot = 0;
        double square = 0;
        memset(t, 0, (size_t)(2 * in->n) * sizeof *t);
        loops->move(&columns, f, 0.7, curve, t, moved);
        for (int64_t i = 0; i < in->n; i++) {
            const int64_t own = lanes->rows.order && f < lanes->d ? lanes->rows.order[f] : f;
            const double x = f == lanes->d ? 1 : in->x[i * in->d + own];
            dot += x * v[i];
            square += x * x * v[i];
            assert_true(fabs(t[i] - 0.7 * x) < 1e-14);
            assert_true(fabs(moved[i] - 0.7 * x * curve[i]) < 1e-14);
        }
        assert_true(fabs(loops->dot(&columns, f, v) - dot) < 1e-10);
        assert_true(fabs(loops->square(&columns, f, v) - square) < 1e-10);
    }
    pt_free(v);
    pt_l1_columns_free(&columns);
}

static void test_lane_rows__products_are_the_definitions(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {7, 9}, {130, 23}, {261, 300}};
    const pt_isa_level before = pt_isa_level_chosen();
    for (int level = 0; level < PT_ISA_LEVELS; level++)
        for (int q = 0; q < 4 && pt_isa_level_runs((pt_isa_level)level); q++)
            for (int kind = 0; kind < KINDS; kind++) {
                pt_isa_level_force((pt_isa_level)level);
                instance in = make(sizes[q][0], sizes[q][1], 1, 0.5, 3);
                const pt_rows rows = rows_of(&in, (enum kind)kind);
                pt_lane_rows lanes = {0};
                assert_int_equal(pt_lane_rows_init(&lanes, &rows, true, NULL, NULL), PT_OK);
                check_products(&lanes, &in, PT_LANES);
                check_products(&lanes, &in, 1);
                check_columns(&lanes, &in);
                pt_lane_rows_free(&lanes);
                drop(&in);
            }
    pt_isa_level_force(before);
}

/* Within 3 units in the last place of the C library's. */
static void test_logistic_loops__log1p(void **state)
{
    (void)state;
    const pt_isa_level before = pt_isa_level_chosen();
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        if (!pt_isa_level_runs((pt_isa_level)level))
            continue;
        pt_isa_level_force((pt_isa_level)level);
        for (double u = 1; u > 1e-300; u *= 0.37) {
            double result = 0;
            pt_logistic_loops_chosen()->log1p(&u, 1, &result);
            assert_true(fabs(result - log1p(u)) <= 3 * 2.3e-16 * log1p(u));
        }
        const double zero = 0;
        double result = 1;
        pt_logistic_loops_chosen()->log1p(&zero, 1, &result);
        assert_true(result == 0);
    }
    pt_isa_level_force(before);
}

/* ---- squared weights ------------------------------------------------------------------------ */

enum { ELL = 11 };

static void test_logistic__agrees_with_a_slow_newton(void **state)
{
    (void)state;
    static const double costs[] = {0.01, 1, 50};
    const pt_isa_level before = pt_isa_level_chosen();
    instance in = make(90, 7, 4, 0.4, 11);
    int8_t *sign = make_signs(in.k, ELL, 12);
    double w[ELL * 8];
    double expected[8];
    pt_logistic_result results[ELL];
    for (int level = 0; level < PT_ISA_LEVELS; level++)
        for (int q = 0; q < 3 * KINDS && pt_isa_level_runs((pt_isa_level)level); q++) {
            pt_isa_level_force((pt_isa_level)level);
            solve(&in, (enum kind)(q / 3), true, sign, ELL, PT_LANES, costs[q % 3], 1, w, results);
            for (int64_t s = 0; s < ELL; s++) {
                reference(&in, sign, ELL, s, costs[q % 3], expected);
                assert_true(results[s].converged);
                if (!(distance(w + s * 8, expected, 8) < 1e-8))
                    fail_msg("column %d, C %g: %g apart", (int)s, costs[q % 3],
                             distance(w + s * 8, expected, 8));
            }
        }
    pt_isa_level_force(before);
    free(sign);
    drop(&in);
}

/* The gradient is 0 at the solution, and the value is what it says. */
static void test_logistic__gradient_is_zero(void **state)
{
    (void)state;
    instance in = make(300, 40, 5, 0.8, 21);
    int8_t *sign = make_signs(in.k, ELL, 22);
    double *w = calloc(ELL * 41, sizeof *w);
    double g[41];
    pt_logistic_result results[ELL];
    for (int kind = 0; kind < KINDS; kind++)
        for (int bias = 0; bias < 2; bias++) {
            solve(&in, (enum kind)kind, bias, sign, ELL, PT_LANES, 3, 2, w, results);
            for (int64_t s = 0; s < ELL; s++) {
                double value = loss_gradient(&in, sign, ELL, s, 3, w + s * 41, g);
                for (int64_t f = 0; f < 40 + bias; f++) {
                    value += 0.5 * w[s * 41 + f] * w[s * 41 + f];
                    assert_true(fabs(g[f] + w[s * 41 + f]) < 1e-8);
                }
                assert_true(bias || w[s * 41 + 40] == 0);
                assert_true(fabs(value - results[s].value) < 1e-9 * value);
            }
        }
    free(w);
    free(sign);
    drop(&in);
}

/* A column has the same bytes whatever columns are solved with it; a block of width 1 is as near as
 * rounding allows. */
static void test_logistic__columns_do_not_meet(void **state)
{
    (void)state;
    instance in = make(700, 30, 5, 0.5, 31);
    int8_t *sign = make_signs(in.k, ELL, 32);
    double *all = calloc(ELL * 31, sizeof *all);
    double one[31];
    pt_logistic_result results[ELL];
    for (int kind = 0; kind < KINDS; kind++) {
        solve(&in, (enum kind)kind, true, sign, ELL, PT_LANES, 1, 1, all, results);
        for (int64_t s = 0; s < ELL; s++) {
            int8_t own[5];
            for (int64_t g = 0; g < in.k; g++)
                own[g] = sign[g * ELL + s];
            solve(&in, (enum kind)kind, true, own, 1, PT_LANES, 1, 1, one, results);
            assert_memory_equal(one, all + s * 31, sizeof one);
            solve(&in, (enum kind)kind, true, own, 1, 1, 1, 1, one, results);
            assert_true(distance(one, all + s * 31, 31) < 1e-9);
        }
    }
    free(all);
    free(sign);
    drop(&in);
}

/* The same bytes on any number of threads, where there is enough to share. */
static void test_logistic__threads_do_not_matter(void **state)
{
    (void)state;
    enum { WIDE = 60 };
    const int64_t many = test_share() > 4 ? 20000 : 40000; /* sanitizers are slower */
    instance in = make(many, WIDE, 5, 0.4, 36);
    int8_t *sign = make_signs(in.k, ELL, 37);
    double *w = calloc((size_t)(2 * ELL * (WIDE + 1)), sizeof *w);
    double *again = w + ELL * (WIDE + 1);
    pt_logistic_result results[ELL];
    for (int q = 0; q < 4; q++) {
        const enum kind kind = q & 1 ? SPARSE : DENSE_F32;
        const bool joint = q & 2;
        const int64_t ell = joint ? in.k : ELL;
        for (int threads = 1; threads <= 3; threads += 2)
            solve(&in, kind, true, joint ? NULL : sign, ell, PT_LANES, 1e-4, threads,
                  threads == 1 ? w : again, results);
        assert_memory_equal(w, again, (size_t)(ell * (WIDE + 1)) * sizeof *w);
    }
    free(w);
    free(sign);
    drop(&in);
}

/* Any C ends, with finite weights; a column with one side only too. */
static void test_logistic__any_cost(void **state)
{
    (void)state;
    static const double costs[] = {1e-300, 1e-8, 1e8, 1e300};
    instance in = make(40, 3, 2, 0, 41);
    static const int8_t sign[] = {1, 1, 0, -1, 1, 0};
    double w[3 * 4];
    pt_logistic_result results[3];
    for (int q = 0; q < 4; q++) {
        solve(&in, DENSE, true, sign, 3, PT_LANES, costs[q], 1, w, results);
        for (int i = 0; i < 12; i++)
            assert_true(isfinite(w[i]));
        for (int i = 8; i < 12; i++) /* nobody takes part in the last column */
            assert_true(w[i] == 0);
    }
    drop(&in);
}

/* ---- softmax -------------------------------------------------------------------------------- */

/* g (k x (d + 1)) of the loss, and the loss. */
static double softmax_gradient(const instance *in, double C, const double *w, double *g)
{
    const int64_t m = in->d + 1;
    double loss = 0;
    memset(g, 0, (size_t)(in->k * m) * sizeof *g);
    for (int64_t i = 0; i < in->n; i++) {
        double sum = 0;
        for (int64_t r = 0; r < in->k; r++)
            sum += exp(output(in, i, w + r * m));
        loss += C * in->weight[i] * (log(sum) - output(in, i, w + in->group[i] * m));
        for (int64_t r = 0; r < in->k; r++) {
            const double p = exp(output(in, i, w + r * m)) / sum;
            for (int64_t f = 0; f < m; f++)
                g[r * m + f] += C * in->weight[i] * (p - (r == in->group[i])) * feature(in, i, f);
        }
    }
    return loss;
}

static void test_softmax__gradient_is_zero(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 9; k += 7)
        for (int kind = 0; kind < KINDS; kind++) {
            instance in = make(200, 12, k, 0.5, 51);
            double *w = calloc((size_t)(2 * k * 13), sizeof *w);
            double *g = w + k * 13;
            pt_logistic_result result;
            solve(&in, (enum kind)kind, true, NULL, k, PT_LANES, 2, 2, w, &result);
            double value = softmax_gradient(&in, 2, w, g);
            for (int64_t q = 0; q < k * 13; q++) {
                value += 0.5 * w[q] * w[q];
                assert_true(fabs(g[q] + w[q]) < 1e-8);
            }
            assert_true(result.converged && fabs(value - result.value) < 1e-9 * value);
            free(w);
            drop(&in);
        }
}

/* Two classes with weights w and -w: ||w||^2 in place of 1/2 ||2 w||^2, so that C counts twice. */
static void test_softmax__two_classes_are_logistic(void **state)
{
    (void)state;
    static const int8_t sign[] = {1, -1};
    instance in = make(150, 9, 2, 0.3, 61);
    double both[20];
    double one[10];
    pt_logistic_result result;
    solve(&in, DENSE, true, NULL, 2, PT_LANES, 1.5, 1, both, &result);
    solve(&in, DENSE, true, sign, 1, 1, 3, 1, one, &result);
    for (int f = 0; f < 10; f++) {
        assert_true(fabs(both[f] - both[10 + f] - one[f]) < 1e-8);
        assert_true(fabs(both[f] + both[10 + f]) < 1e-8);
    }
    drop(&in);
}

/* ---- absolute weights ----------------------------------------------------------------------- */

/* 0 is among the slopes along every feature: g = -reg sign w, or |g| <= reg where w is 0. */
static void test_logistic_l1__slopes_hold_the_solution(void **state)
{
    (void)state;
    static const double costs[] = {0.02, 0.5, 20};
    instance in = make(250, 30, 3, 0.6, 71);
    int8_t *sign = make_signs(in.k, 5, 72);
    const pt_isa_level before = pt_isa_level_chosen();
    int64_t zeros[3] = {0};
    for (int level = 0; level < PT_ISA_LEVELS; level++)
        for (int q = 0; q < 3 * KINDS * 5 && pt_isa_level_runs((pt_isa_level)level); q++) {
            const double C = costs[q % 3];
            const int64_t s = q / 3 % 5;
            pt_isa_level_force((pt_isa_level)level);
            const pt_rows rows = rows_of(&in, (enum kind)(q / 15));
            pt_lane_rows lanes = {0};
            pt_l1_columns columns = {0};
            pt_logistic_l1_result result;
            double y[250];
            double cost[250];
            double z[250] = {0};
            double V[31] = {0};
            double w[31];
            double g[31];
            assert_int_equal(pt_lane_rows_init(&lanes, &rows, true, NULL, NULL), PT_OK);
            assert_int_equal(pt_l1_columns_init(&columns, &lanes, NULL, NULL), PT_OK);
            for (int64_t i = 0; i < in.n; i++) {
                y[i] = sign[in.group[i] * 5 + s];
                cost[i] = C * in.weight[i];
            }
            const pt_logistic_l1 problem = {.columns = &columns,
                                            .y = y,
                                            .cost = cost,
                                            .reg = 1,
                                            .eps = 1e-11,
                                            .limit = 200,
                                            .seed = 1};
            assert_int_equal(pt_logistic_l1_descend(&problem, V, z, &result, NULL, NULL), PT_OK);
            assert_true(result.converged);
            pt_lane_rows_spread(&lanes, V, 1, 0, w);
            double value = loss_gradient(&in, sign, 5, s, C, w, g);
            for (int64_t f = 0; f < 31; f++) {
                value += fabs(w[f]);
                zeros[q % 3] += w[f] == 0;
                if (w[f] != 0)
                    assert_true(fabs(g[f] + (w[f] > 0 ? 1 : -1)) < 1e-6);
                else
                    assert_true(fabs(g[f]) <= 1 + 1e-6);
            }
            for (int64_t i = 0; i < in.n; i++)
                assert_true(fabs(z[i] - output(&in, i, w)) < 1e-9);
            assert_true(fabs(value - result.value) < 1e-9 * value);
            pt_l1_columns_free(&columns);
            pt_lane_rows_free(&lanes);
        }
    assert_true(zeros[0] > zeros[1] && zeros[1] > zeros[2]); /* smaller C: fewer weights */
    pt_isa_level_force(before);
    free(sign);
    drop(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lane_rows__products_are_the_definitions),
        cmocka_unit_test(test_logistic_loops__log1p),
        cmocka_unit_test(test_logistic__agrees_with_a_slow_newton),
        cmocka_unit_test(test_logistic__gradient_is_zero),
        cmocka_unit_test(test_logistic__columns_do_not_meet),
        cmocka_unit_test(test_logistic__threads_do_not_matter),
        cmocka_unit_test(test_logistic__any_cost),
        cmocka_unit_test(test_softmax__gradient_is_zero),
        cmocka_unit_test(test_softmax__two_classes_are_logistic),
        cmocka_unit_test(test_logistic_l1__slopes_hold_the_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
