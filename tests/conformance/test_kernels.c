/* Every kernel x instruction set x dense or sparse rows x type against plain double loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/centre_product.h"
#include "base/alloc.h"
#include "base/random.h"
#include "base/task.h"
#include "kernels/gram.h"
#include "kernels/loops.h"
#include "linalg/linalg.h"

static pt_task *alone; /* one thread: the blocks are too small to be worth more */

/* ---- rows ---- */

typedef struct sample {
    pt_rows rows;
    double *plain; /* n x d, the values as the rows hold them */
    void *dense;
    int64_t *start;
    int64_t *index;
    void *value;
} sample;

static void put(pt_type type, void *array, int64_t i, double x)
{
    if (type == PT_F32)
        ((float *)array)[i] = (float)x;
    else
        ((double *)array)[i] = x;
}

static double get(pt_type type, const void *array, int64_t i)
{
    return type == PT_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

/* Values in [-1, 1], about a third of them 0, features `spread` apart in sparse rows; a dense row
 * is followed by a gap of 3. Rows 2 and 5 are the same, row 4 is empty. */
static sample sample_new(int64_t n, int64_t d, int64_t spread, pt_type type, bool sparse,
                         int64_t seed, double offset)
{
    sample s;
    memset(&s, 0, sizeof s);
    const int64_t stride = d + 3;
    const size_t size = pt_type_size(type);
    s.plain = calloc((size_t)(n * d + 1), sizeof(double));
    s.dense = malloc((size_t)(n * stride + 1) * size);
    s.start = calloc((size_t)n + 1, sizeof(int64_t));
    s.index = malloc((size_t)(n * d + 1) * sizeof(int64_t));
    s.value = malloc((size_t)(n * d + 1) * size);
    memset(s.dense, 0xff, (size_t)(n * stride + 1) * size);
    pt_random random;
    pt_random_init(&random, (uint64_t)seed, PT_RANDOM_TEST, n * 1000 + d);
    int64_t entries = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t f = 0; f < d; f++) {
            double x = 2 * pt_random_uniform(&random) - 1;
            if (fabs(x) < 0.3 || i == 4)
                x = 0;
            x = i == 5 ? s.plain[2 * d + f] : x + offset;
            put(type, s.dense, i * stride + f, x);
            s.plain[i * d + f] = get(type, s.dense, i * stride + f);
            if (s.plain[i * d + f] != 0) {
                put(type, s.value, entries, x);
                s.index[entries++] = f * spread;
            }
        }
        s.start[i + 1] = entries;
    }
    s.rows = (pt_rows){.n = n, .d = sparse && d > 0 ? (d - 1) * spread + 1 : d, .type = type};
    if (sparse) {
        s.rows.start = s.start;
        s.rows.index = s.index;
        s.rows.value = s.value;
    } else {
        s.rows.dense = s.dense;
        s.rows.stride = stride;
    }
    return s;
}

static void sample_free(sample *s)
{
    free(s->plain);
    free(s->dense);
    free(s->start);
    free(s->index);
    free(s->value);
}

/* ---- the reference ---- */

static double base_plain(pt_kernel_base base, const sample *a, int64_t i, const sample *b,
                         int64_t j, int64_t d)
{
    const double *x = a->plain + i * d;
    const double *z = b->plain + j * d;
    double sum = 0;
    if (base == PT_BASE_ROW)
        return x[j];
    for (int64_t f = 0; f < d; f++)
        sum += base == PT_BASE_DOT                ? x[f] * z[f]
               : base == PT_BASE_SQUARED_DISTANCE ? (x[f] - z[f]) * (x[f] - z[f])
                                                  : fabs(x[f] - z[f]);
    return sum;
}

static double map_plain(const pt_kernel *kernel, double v)
{
    const char *name = kernel->ops->name;
    const double sigma = kernel->sigma;
    if (strcmp(name, "poly") == 0)
        return pow(v / (sigma * sigma) + kernel->coef0, (double)kernel->degree);
    if (strcmp(name, "rbf") == 0)
        return exp(-v / (2 * sigma * sigma));
    if (strcmp(name, "laplacian") == 0)
        return exp(-v / sigma);
    if (strcmp(name, "sigmoid") == 0)
        return tanh(v / (sigma * sigma) + kernel->coef0);
    assert_true(strcmp(name, "linear") == 0 || kernel->ops->base == PT_BASE_ROW);
    return v;
}

static double allowed(pt_type type, const pt_kernel *kernel, double expected)
{
    const double eps = type == PT_F32 ? 6e-8 : 1.2e-16;
    const double power = kernel && kernel->ops->base == PT_BASE_DOT ? (double)kernel->degree : 1;
    return 300 * eps * power * (1 + fabs(expected));
}

/* ---- blocks, over everything ---- */

typedef struct shape {
    int64_t m, n, d, spread;
} shape;

static void check_block(const pt_kernel_ops *ops, const sample *a, const sample *b, int64_t d,
                        pt_type type)
{
    pt_gram *gram_b = NULL;
    pt_gram *gram_a = NULL;
    pt_error err = {0};
    assert_int_equal(pt_gram_new(&gram_b, &b->rows, ops, type, alone, &err), PT_OK);
    assert_int_equal(pt_gram_new_like(&gram_a, &a->rows, gram_b, alone, &err), PT_OK);
    const int64_t m = a->rows.n;
    const int64_t n = b->rows.n;
    const int64_t a0 = m > 3 ? 2 : 0; /* not from the first row */
    const int64_t b0 = n > 3 ? 1 : 0;
    const int64_t ld = m - a0 + 2;
    void *block = malloc((size_t)(ld * (n - b0)) * pt_type_size(type));
    memset(block, 0xff, (size_t)(ld * (n - b0)) * pt_type_size(type));
    pt_error none = PT_ERROR_INIT;
    void *scratch =
        pt_alloc((int64_t)pt_gram_scratch(gram_a, gram_b, m - a0, n - b0), 1, "test", &none);
    assert_int_equal(
        pt_gram_block(gram_a, a0, m - a0, gram_b, b0, n - b0, block, ld, scratch, &err), PT_OK);
    for (int64_t j = 0; j < n - b0; j++) {
        for (int64_t i = 0; i < m - a0; i++) {
            const double expected = base_plain(ops->base, a, a0 + i, b, b0 + j, d);
            const double found = get(type, block, i + j * ld);
            if (!(fabs(found - expected) <= allowed(type, NULL, expected + (double)d / 3)))
                fail_msg("%s: base (%d, %d) is %.9g, not %.9g", ops->name, (int)i, (int)j, found,
                         expected);
        }
        assert_true(isnan(get(type, block, m - a0 + j * ld))); /* the gap is untouched */
    }
    free(block);
    pt_free(scratch);
    pt_gram_free(gram_a);
    pt_gram_free(gram_b);
}

static void test_gram_block__equals_plain_loops(void **state)
{
    (void)state;
    const shape shapes[] = {{1, 1, 1, 1},         {7, 3, 5, 1},    {65, 130, 17, 3},
                            {70, 9, 16, 9000000}, {5, 9, 4100, 1}, {20, 30, 0, 1}};
    for (int k = 0; pt_kernels[k]; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int form = 0; form < 16; form++) {
                const pt_type source = form & 1 ? PT_F64 : PT_F32;
                const pt_type type = form & 2 ? PT_F64 : PT_F32;
                const bool sparse_a = form & 4;
                const bool sparse_b = form & 8;
                shape h = shapes[s];
                const bool precomputed = pt_kernels[k]->base == PT_BASE_ROW;
                if (precomputed) /* the columns are the rows of b */
                    h.d = h.n;
                if (h.spread > 1 && (precomputed || !sparse_a || !sparse_b))
                    h.spread = 1;
                sample b =
                    sample_new(h.n, precomputed ? h.n : h.d, h.spread, source, sparse_b, 1, 0);
                sample a = sample_new(h.m, h.d, h.spread, source, sparse_a, 2, 0);
                check_block(pt_kernels[k], &a, &b, h.d, type);
                sample_free(&a);
                sample_free(&b);
            }
}

/* ---- tiles, apply, symmetric apply ---- */

static void check_whole(const pt_kernel *kernel, int64_t n, int64_t m, bool sparse, pt_type type)
{
    enum { ELL = 3 };
    const bool precomputed = kernel->ops->base == PT_BASE_ROW;
    const int64_t d = precomputed ? n : 6;
    sample b = sample_new(n, d, 1, type, sparse, 3, 0);
    sample a = sample_new(m, d, 1, type, sparse, 4, 0);
    if (precomputed) /* make it symmetric, as a Gram matrix is */
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < i; j++) {
                b.plain[j * d + i] = b.plain[i * d + j];
                put(type, b.dense, j * (d + 3) + i, b.plain[i * d + j]);
            }
    if (precomputed) {
        b.rows.dense = b.dense;
        b.rows.stride = d + 3;
    }
    pt_gram *gram = NULL;
    pt_gram *new_rows = NULL;
    pt_error err = {0};
    assert_int_equal(pt_gram_new(&gram, &b.rows, kernel->ops, type, alone, &err), PT_OK);
    assert_int_equal(pt_gram_new_like(&new_rows, &a.rows, gram, alone, &err), PT_OK);

    pt_tiles *tiles = NULL;
    assert_int_equal(pt_tiles_new(&tiles, n, type, &err), PT_OK);
    assert_int_equal(pt_gram_tiles(gram, kernel, tiles, alone, &err), PT_OK);
    for (int64_t i = 0; i<n; i += n> 100 && i > 20 && i < n - 3 ? 13 : 1)
        for (int64_t j = 0; j <= i; j++) {
            const double v = base_plain(kernel->ops->base, &b, i, &b, j, d);
            const double expected = map_plain(kernel, v);
            const double found = pt_tiles_get(tiles, i, j);
            if (!(fabs(found - expected) <= allowed(type, kernel, expected)))
                fail_msg("%s: tile (%d, %d) is %.9g, not %.9g", kernel->ops->name, (int)i, (int)j,
                         found, expected);
            if (i == j && (kernel->ops->base == PT_BASE_SQUARED_DISTANCE ||
                           kernel->ops->base == PT_BASE_L1_DISTANCE))
                assert_true(found == 1);
        }

    void *A = malloc((size_t)((n + 1) * ELL) * pt_type_size(type));
    void *out = malloc((size_t)((m + n) * ELL) * pt_type_size(type));
    for (int64_t e = 0; e < (n + 1) * ELL; e++)
        put(type, A, e, (double)(e % 5) - 2);
    assert_int_equal(
        centre_product(&a.rows, &b.rows, kernel, type, A, n + 1, ELL, out, alone, &err), PT_OK);
    for (int64_t i = 0; i<m; i += m> 40 ? 41 : 1)
        for (int64_t s = 0; s < ELL; s++) {
            double sum = 0;
            double size = 0;
            for (int64_t j = 0; j < n; j++) {
                const double v = base_plain(kernel->ops->base, &a, i, &b, j, d);
                sum += map_plain(kernel, v) * get(type, A, j + s * (n + 1));
                size += fabs(map_plain(kernel, v) * get(type, A, j + s * (n + 1)));
            }
            assert_true(fabs(get(type, out, i + s * m) - sum) <= allowed(type, kernel, size));
        }

    assert_int_equal(pt_gram_apply_symmetric(gram, kernel, A, n + 1, ELL, out, alone, &err), PT_OK);
    for (int64_t i = 0; i<n; i += n> 40 ? 41 : 1)
        for (int64_t s = 0; s < ELL; s++) {
            double sum = 0;
            double size = 0;
            for (int64_t j = 0; j < n; j++) {
                const double v = pt_tiles_get(tiles, i, j) * get(type, A, j + s * (n + 1));
                sum += v;
                size += fabs(v);
            }
            assert_true(fabs(get(type, out, i + s * n) - sum) <= allowed(type, kernel, size));
        }
    free(A);
    free(out);
    pt_tiles_free(tiles);
    pt_gram_free(gram);
    pt_gram_free(new_rows);
    sample_free(&a);
    sample_free(&b);
}

static void test_gram__tiles_and_products_equal_plain_loops(void **state)
{
    (void)state;
    const int64_t orders[] = {1, 2, 511, 512, 513, 1025};
    for (int k = 0; pt_kernels[k]; k++)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
            for (int form = 0; form < 4; form++) {
                const pt_kernel kernel = {pt_kernels[k], 0.9, 0.5, 3, 0};
                if (kernel.ops->base == PT_BASE_ROW && orders[o] > 513)
                    continue; /* a million random values for nothing new */
                check_whole(&kernel, orders[o], 600 - orders[o] / 2, form & 1,
                            form & 2 ? PT_F64 : PT_F32);
            }
}

/* ---- far from the origin ---- */

static void test_gram__centring_keeps_distances_of_far_rows(void **state)
{
    (void)state;
    enum { N = 60, D = 8 };
    sample s = sample_new(N, D, 1, PT_F32, false, 6, 1000);
    pt_gram *gram = NULL;
    assert_int_equal(pt_gram_new(&gram, &s.rows, &pt_kernel_rbf, PT_F32, NULL, NULL), PT_OK);
    float block[N * N];
    assert_int_equal(pt_gram_block(gram, 0, N, gram, 0, N, block, N, NULL, NULL), PT_OK);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            const double expected = base_plain(PT_BASE_SQUARED_DISTANCE, &s, i, &s, j, D);
            assert_true(fabs((double)block[i + j * N] - expected) < 1e-4);
        }
    pt_gram_free(gram);
    sample_free(&s);
}

/* ---- properties ---- */

static void test_kernel__psd_ones_have_a_factor(void **state)
{
    (void)state;
    const double sigmas[] = {0.3, 1, 5};
    for (int k = 0; pt_kernels[k]; k++) {
        if (!pt_kernels[k]->psd)
            continue;
        for (int s = 0; s < 3; s++) {
            const pt_kernel kernel = {pt_kernels[k], sigmas[s], 1, 2, 0};
            sample rows = sample_new(300, 7, 1, PT_F64, false, 8 + s, 0);
            pt_gram *gram = NULL;
            pt_tiles *K = NULL;
            pt_error err = {0};
            assert_int_equal(pt_gram_new(&gram, &rows.rows, kernel.ops, PT_F64, NULL, &err), PT_OK);
            assert_int_equal(pt_tiles_new(&K, 300, PT_F64, &err), PT_OK);
            assert_int_equal(pt_gram_tiles(gram, &kernel, K, NULL, &err), PT_OK);
            double largest = 0;
            for (int64_t i = 0; i < 300; i++)
                largest = fmax(largest, pt_tiles_get(K, i, i));
            pt_tiles_add_diagonal(K, 1e-11 * largest * 300, NULL);
            assert_int_equal(pt_la_cholesky(K, NULL, NULL, &err), PT_OK);
            pt_tiles_free(K);
            pt_gram_free(gram);
            sample_free(&rows);
        }
    }
}

static void test_kernel__extreme_parameters_give_numbers(void **state)
{
    (void)state;
    for (int type = PT_F32; type <= PT_F64; type++)
        for (int k = 0; pt_kernels[k]; k++) {
            const pt_kernel kernel = {pt_kernels[k], 1e-300, 0, 1, 0};
            double value[2] = {0, 0};
            put((pt_type)type, value, 1, 1);
            pt_kernel_map(&kernel, (pt_type)type, 2, 1, value, 2);
            assert_false(isnan(get((pt_type)type, value, 0)));
            assert_false(isnan(get((pt_type)type, value, 1)));
            if (strcmp(pt_kernels[k]->name, "rbf") == 0) {
                assert_true(get((pt_type)type, value, 0) == 1);
                assert_true(get((pt_type)type, value, 1) == 0);
            }
        }
}

static void test_kernel__found_by_name(void **state)
{
    (void)state;
    const char *names[] = {"linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed", "joint"};
    for (int i = 0; i < 7; i++) {
        const pt_kernel_ops *ops = pt_kernel_find(names[i]);
        assert_non_null(ops);
        assert_string_equal(ops->name, names[i]);
        assert_non_null(ops->summary);
        assert_non_null(ops->parameters);
    }
    assert_null(pt_kernel_find("gauss"));
}

/* ---- failures ---- */

static void test_gram__failed_allocations_leave_nothing(void **state)
{
    (void)state;
    for (int form = 0; form < 8; form++) {
        const pt_kernel_ops *of = form & 2 ? &pt_kernel_laplacian : &pt_kernel_rbf;
        sample s = sample_new(40, 5, form & 4 ? 9000000 : 1, PT_F32, form & 5, 11, 0);
        const int64_t live = pt_alloc_live();
        for (int64_t number = 1;; number++) {
            pt_gram *gram = NULL;
            pt_gram *other = NULL;
            pt_error err = {0};
            pt_alloc_fail_from(number);
            pt_status status = pt_gram_new(&gram, &s.rows, of, PT_F64, NULL, &err);
            if (status == PT_OK)
                status = pt_gram_new_like(&other, &s.rows, gram, NULL, &err);
            pt_alloc_fail_from(0);
            assert_true(status == PT_OK || status == PT_ENOMEM);
            pt_gram_free(gram);
            pt_gram_free(other);
            assert_true(pt_alloc_live() == live);
            if (status == PT_OK)
                break;
            assert_true(number < 100);
        }
        sample_free(&s);
    }
}

static void test_gram__products_survive_failed_allocations(void **state)
{
    (void)state;
    sample s = sample_new(300, 5, 1, PT_F32, false, 14, 0);
    const pt_kernel kernel = {pt_kernel_find("rbf"), 1, 0, 1, 0};
    static float A[300];
    static float out[300];
    pt_gram *gram = NULL;
    pt_tiles *tiles = NULL;
    assert_int_equal(pt_gram_new(&gram, &s.rows, kernel.ops, PT_F32, alone, NULL), PT_OK);
    assert_int_equal(pt_tiles_new(&tiles, 300, PT_F32, NULL), PT_OK);
    const int64_t live = pt_alloc_live();
    int finished = 0;
    for (int64_t number = 1; finished < 3; number++) {
        pt_error err = {0};
        pt_status status[3];
        pt_alloc_fail_from(number);
        status[0] = pt_gram_tiles(gram, &kernel, tiles, alone, &err);
        pt_alloc_fail_from(number);
        status[1] = centre_product(&s.rows, &s.rows, &kernel, PT_F32, A, 300, 1, out, alone, &err);
        pt_alloc_fail_from(number);
        status[2] = pt_gram_apply_symmetric(gram, &kernel, A, 300, 1, out, alone, &err);
        pt_alloc_fail_from(0);
        finished = 0;
        for (int i = 0; i < 3; i++) {
            assert_true(status[i] == PT_OK || status[i] == PT_ENOMEM);
            finished += status[i] == PT_OK;
        }
        assert_true(number > 1 || finished == 0);
        assert_true(number < 20);
        assert_true(pt_alloc_live() == live);
    }
    pt_tiles_free(tiles);
    pt_gram_free(gram);
    sample_free(&s);
}

static void test_gram__bytes_count_the_copy(void **state)
{
    (void)state;
    sample s = sample_new(50, 40, 1, PT_F32, false, 15, 0);
    sample sparse = sample_new(50, 40, 1, PT_F32, true, 15, 0);
    const pt_kernel_base distance = PT_BASE_SQUARED_DISTANCE;
    assert_true(pt_gram_bytes(&s.rows, distance, PT_F32) >= 50 * 40 * 4);
    assert_true(pt_gram_bytes(&s.rows, PT_BASE_DOT, PT_F32) < 50 * 40 * 4); /* used as they are */
    assert_true(pt_gram_bytes(&s.rows, PT_BASE_DOT, PT_F64) >= 50 * 40 * 8);
    assert_true(pt_gram_bytes(&sparse.rows, distance, PT_F32) >= sparse.start[50] * 8);
    sample_free(&s);
    sample_free(&sparse);
}

static void test_gram__wrong_shapes_are_refused(void **state)
{
    (void)state;
    sample s = sample_new(4, 5, 1, PT_F32, false, 12, 0);
    sample wider = sample_new(4, 6, 1, PT_F32, false, 12, 0);
    pt_gram *gram = NULL;
    pt_gram *other = NULL;
    pt_error err = {0};
    assert_int_equal(pt_gram_new(&gram, &s.rows, &pt_kernel_precomputed, PT_F32, NULL, &err),
                     PT_EINVAL);
    assert_int_equal(pt_gram_new(&gram, &s.rows, &pt_kernel_linear, PT_F32, NULL, &err), PT_OK);
    assert_int_equal(pt_gram_new_like(&other, &wider.rows, gram, NULL, &err), PT_EINVAL);
    assert_null(other);
    pt_gram_free(gram);
    sample_free(&s);
    sample_free(&wider);
}

/* ---- one program, every instruction set ---- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gram_block__equals_plain_loops),
        cmocka_unit_test(test_gram__tiles_and_products_equal_plain_loops),
        cmocka_unit_test(test_gram__centring_keeps_distances_of_far_rows),
        cmocka_unit_test(test_kernel__psd_ones_have_a_factor),
        cmocka_unit_test(test_kernel__extreme_parameters_give_numbers),
        cmocka_unit_test(test_kernel__found_by_name),
        cmocka_unit_test(test_gram__failed_allocations_leave_nothing),
        cmocka_unit_test(test_gram__products_survive_failed_allocations),
        cmocka_unit_test(test_gram__bytes_count_the_copy),
        cmocka_unit_test(test_gram__wrong_shapes_are_refused),
    };
    int failed = 0;
    if (pt_task_new(&alone, NULL) != PT_OK)
        return 1;
    pt_task_set_threads(alone, 1);
    for (int i = 0; pt_isas[i]; i++) {
        char name[40];
        if (!pt_isa_runs(pt_isas[i])) {
            fprintf(stderr, "instruction set %s: not on this processor\n", pt_isas[i]->name);
            continue;
        }
        pt_isa_force(pt_isas[i]);
        snprintf(name, sizeof name, "kernels on %s", pt_isas[i]->name);
        failed += cmocka_run_group_tests_name(name, tests, NULL, NULL);
    }
    pt_task_free(alone);
    return failed;
}
