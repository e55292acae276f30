/* Every backend x instruction set x type: each operation of its table against plain double loops,
 * over sizes around the edges of blocks, with gaps between columns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/random.h"
#include "linalg/linalg.h"

enum { GAP = 3 };

static const pt_backend *ops;
static pt_type type;

static double get(const void *array, int64_t i)
{
    return type == PT_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void put(void *array, int64_t i, double x)
{
    if (type == PT_F32)
        ((float *)array)[i] = (float)x;
    else
        ((double *)array)[i] = x;
}

/* rows x columns, column-major with ld = rows + GAP; NaN in the gap. */
static void *matrix(int64_t rows, int64_t columns, int64_t seed)
{
    void *A = malloc((size_t)((rows + GAP) * columns + 1) * sizeof(double));
    memset(A, 0xff, (size_t)((rows + GAP) * columns + 1) * sizeof(double));
    pt_random random;
    pt_random_init(&random, (uint64_t)seed, PT_RANDOM_TEST, rows * 4096 + columns);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            put(A, i + j * (rows + GAP), 2 * pt_random_uniform(&random) - 1);
    return A;
}

/* Lower triangle with a heavy diagonal, NaN above it: nobody may look there. */
static void *triangle(int64_t n, int64_t seed)
{
    void *L = matrix(n, n, seed);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = i + j * (n + GAP);
            put(L, at, i < j ? NAN : get(L, at) / (double)n + (i == j ? 1.5 : 0));
        }
    return L;
}

static void *copy_of(const void *A, int64_t rows, int64_t columns)
{
    const size_t bytes = (size_t)((rows + GAP) * columns + 1) * sizeof(double);
    void *copy = malloc(bytes);
    memcpy(copy, A, bytes);
    return copy;
}

static void close_to(const char *what, double found, double expected, double size)
{
    const double eps = type == PT_F32 ? 6e-8 : 1.2e-16;
    if (!(fabs(found - expected) <= 30 * eps * (1 + fabs(expected) + size)))
        fail_msg("%s of %s: %.17g, not %.17g", what, ops->name, found, expected);
}

/* Column j of op(L): entry i. */
static double lower(const void *L, int64_t n, int64_t i, int64_t j)
{
    return i >= j ? get(L, i + j * (n + GAP)) : 0;
}

static void gaps_untouched(const void *A, int64_t rows, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = rows; i < rows + GAP; i++)
            assert_true(isnan(get(A, i + j * (rows + GAP))));
}

static void check_gemm(int64_t m, int64_t n, int64_t k, char ta, char tb, double alpha, double beta)
{
    const int64_t rows_a = ta == 't' ? k : m;
    const int64_t rows_b = tb == 't' ? n : k;
    void *A = matrix(rows_a, ta == 't' ? m : k, 1);
    void *B = matrix(rows_b, tb == 't' ? k : n, 2);
    void *C = matrix(m, n, 3);
    void *before = copy_of(C, m, n);
    ops->gemm(type, ta, tb, m, n, k, alpha, A, rows_a + GAP, B, rows_b + GAP, beta, C, m + GAP);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double sum = 0;
            for (int64_t p = 0; p < k; p++)
                sum += get(A, ta == 't' ? p + i * (rows_a + GAP) : i + p * (rows_a + GAP)) *
                       get(B, tb == 't' ? j + p * (rows_b + GAP) : p + j * (rows_b + GAP));
            const int64_t at = i + j * (m + GAP);
            close_to("gemm", get(C, at), alpha * sum + beta * get(before, at), sqrt((double)k));
        }
    gaps_untouched(C, m, n);
    free(A);
    free(B);
    free(C);
    free(before);
}

static void test_backend__gemm(void **state)
{
    (void)state;
    const int64_t sizes[][3] = {{1, 1, 1},  {5, 3, 2},    {64, 33, 17}, {31, 1, 65},
                                {1, 70, 9}, {130, 67, 0}, {97, 128, 40}};
    const char how[] = {'n', 't'};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int form = 0; form < 8; form++)
            check_gemm(sizes[s][0], sizes[s][1], sizes[s][2], how[form & 1], how[form >> 1 & 1],
                       form & 4 ? -1 : 0.5, form & 4 ? 1 : 0.25);
}

static void test_backend__gemm_with_beta_0_ignores_what_was_there(void **state)
{
    (void)state;
    void *A = matrix(9, 9, 1);
    void *C = matrix(9, 9, 2);
    memset(C, 0xff, (size_t)(9 + GAP) * 9 * pt_type_size(type));
    ops->gemm(type, 'n', 'n', 9, 9, 9, 1, A, 9 + GAP, A, 9 + GAP, 0, C, 9 + GAP);
    for (int64_t j = 0; j < 9; j++)
        for (int64_t i = 0; i < 9; i++)
            assert_false(isnan(get(C, i + j * (9 + GAP))));
    free(A);
    free(C);
}

/* More columns apart than BLAS can count: there is one column only, so no memory is needed. */
static void test_backend__gemm_takes_huge_leading_dimensions(void **state)
{
    (void)state;
    void *A = matrix(5, 1, 1);
    void *B = matrix(1, 4, 2);
    void *C = matrix(5, 4, 3);
    ops->gemm(type, 'n', 'n', 5, 4, 1, 2, A, (int64_t)1 << 33, B, 1 + GAP, 0, C, 5 + GAP);
    for (int64_t j = 0; j < 4; j++)
        for (int64_t i = 0; i < 5; i++)
            close_to("gemm", get(C, i + j * (5 + GAP)), 2 * get(A, i) * get(B, j * (1 + GAP)), 0);
    gaps_untouched(C, 5, 4);
    free(A);
    free(B);
    free(C);
}

static void test_backend__syrk(void **state)
{
    (void)state;
    const int64_t sizes[][2] = {{1, 1}, {17, 5}, {33, 64}, {100, 31}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int t = 0; t < 2; t++) {
            const int64_t n = sizes[s][0];
            const int64_t k = sizes[s][1];
            const int64_t rows = t ? k : n;
            void *A = matrix(rows, t ? n : k, 4);
            void *C = triangle(n, 5);
            void *before = copy_of(C, n, n);
            ops->syrk(type, t ? 't' : 'n', n, k, -1, A, rows + GAP, 1, C, n + GAP);
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < n; i++) {
                    const int64_t at = i + j * (n + GAP);
                    double sum = 0;
                    for (int64_t p = 0; p < k; p++)
                        sum += get(A, t ? p + i * (rows + GAP) : i + p * (rows + GAP)) *
                               get(A, t ? p + j * (rows + GAP) : j + p * (rows + GAP));
                    if (i < j)
                        assert_true(isnan(get(C, at)));
                    else
                        close_to("syrk", get(C, at), get(before, at) - sum, sqrt((double)k));
                }
            free(A);
            free(C);
            free(before);
        }
}

/* trmm: B <- alpha op(L) B or alpha B op(L); trsm undoes it. */
static void check_triangle_products(int64_t m, int64_t n, char side, char trans, double alpha)
{
    const int64_t order = side == 'l' ? m : n;
    void *L = triangle(order, 6);
    void *B = matrix(m, n, 7);
    void *before = copy_of(B, m, n);
    ops->trmm(type, side, trans, m, n, alpha, L, order + GAP, B, m + GAP);
    for (int64_t j = 0; j<n; j += n> 40 ? 7 : 1)
        for (int64_t i = 0; i<m; i += m> 40 ? 7 : 1) {
            double sum = 0;
            for (int64_t p = 0; p < order; p++)
                if (side == 'l')
                    sum += (trans == 't' ? lower(L, m, p, i) : lower(L, m, i, p)) *
                           get(before, p + j * (m + GAP));
                else
                    sum += get(before, i + p * (m + GAP)) *
                           (trans == 't' ? lower(L, n, j, p) : lower(L, n, p, j));
            close_to("trmm", get(B, i + j * (m + GAP)), alpha * sum, 4);
        }
    gaps_untouched(B, m, n);
    ops->trsm(type, side, trans, m, n, 1 / alpha, L, order + GAP, B, m + GAP);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            close_to("trsm", get(B, i + j * (m + GAP)), get(before, i + j * (m + GAP)), 10);
    gaps_untouched(B, m, n);
    free(L);
    free(B);
    free(before);
}

static void test_backend__trmm_and_trsm(void **state)
{
    (void)state;
    const int64_t sizes[][2] = {{1, 1},     {16, 16}, {17, 15}, {65, 33},
                                {130, 100}, {3, 200}, {300, 5}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int form = 0; form < 8; form++)
            check_triangle_products(sizes[s][0], sizes[s][1], form & 1 ? 'l' : 'r',
                                    form & 2 ? 't' : 'n', form & 4 ? -0.5 : 1);
}

static const int64_t ORDERS[] = {1, 2, 15, 16, 17, 33, 64, 100, 257};
enum { N_ORDERS = sizeof ORDERS / sizeof *ORDERS };

static void test_backend__potrf_finds_the_factor(void **state)
{
    (void)state;
    for (int o = 0; o < N_ORDERS; o++) {
        const int64_t n = ORDERS[o];
        void *L = triangle(n, 8);
        void *A = copy_of(L, n, n);
        for (int64_t j = 0; j < n; j++) /* A = L L^T */
            for (int64_t i = j; i < n; i++) {
                double sum = 0;
                for (int64_t p = 0; p <= j; p++)
                    sum += lower(L, n, i, p) * lower(L, n, j, p);
                put(A, i + j * (n + GAP), sum);
            }
        assert_true(ops->potrf(type, n, A, n + GAP) == 0);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                if (i < j)
                    assert_true(isnan(get(A, i + j * (n + GAP))));
                else
                    close_to("potrf", get(A, i + j * (n + GAP)), lower(L, n, i, j), 10);
        free(L);
        free(A);
    }
}

static void test_backend__potrf_names_the_first_bad_row(void **state)
{
    (void)state;
    for (int o = 0; o < N_ORDERS; o++)
        for (int64_t bad = 0; bad < ORDERS[o]; bad += 1 + ORDERS[o] / 5) {
            const int64_t n = ORDERS[o];
            void *A = triangle(n, 9);
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = j; i < n; i++)
                    put(A, i + j * (n + GAP), i == j ? (i == bad ? -1 : 1) : 0);
            assert_true(ops->potrf(type, n, A, n + GAP) == bad + 1);
            free(A);
        }
}

static void test_backend__trtri_and_lauum(void **state)
{
    (void)state;
    for (int o = 0; o < N_ORDERS; o++) {
        const int64_t n = ORDERS[o];
        void *L = triangle(n, 10);
        void *Z = copy_of(L, n, n);
        ops->trtri(type, n, Z, n + GAP);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = j; i < n; i++) {
                double sum = 0;
                for (int64_t p = j; p <= i; p++)
                    sum += lower(L, n, i, p) * lower(Z, n, p, j);
                close_to("trtri", sum, i == j, 3);
            }
        void *C = copy_of(Z, n, n);
        ops->lauum(type, n, C, n + GAP);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                double sum = 0;
                for (int64_t p = i; p < n; p++)
                    sum += lower(Z, n, p, i) * lower(Z, n, p, j);
                if (i < j)
                    assert_true(isnan(get(C, i + j * (n + GAP))));
                else
                    close_to("lauum", get(C, i + j * (n + GAP)), sum, 3);
            }
        free(L);
        free(Z);
        free(C);
    }
}

static void test_backend__describes_itself(void **state)
{
    (void)state;
    char text[200];
    assert_non_null(ops->name);
    assert_non_null(ops->summary);
    ops->describe(text, sizeof text);
    assert_true(strlen(text) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backend__gemm),
        cmocka_unit_test(test_backend__gemm_with_beta_0_ignores_what_was_there),
        cmocka_unit_test(test_backend__gemm_takes_huge_leading_dimensions),
        cmocka_unit_test(test_backend__syrk),
        cmocka_unit_test(test_backend__trmm_and_trsm),
        cmocka_unit_test(test_backend__potrf_finds_the_factor),
        cmocka_unit_test(test_backend__potrf_names_the_first_bad_row),
        cmocka_unit_test(test_backend__trtri_and_lauum),
        cmocka_unit_test(test_backend__describes_itself),
    };
    int failed = 0;
    for (int b = 0; pt_backends[b]; b++)
        for (int level = 0; level < PT_ISA_LEVELS; level++)
            for (int t = PT_F32; t <= PT_F64; t++) {
                if (!pt_isa_level_runs((pt_isa_level)level))
                    continue;
                char name[80];
                ops = pt_backends[b];
                type = (pt_type)t;
                pt_isa_level_force((pt_isa_level)level);
                snprintf(name, sizeof name, "%s, %s, %s", ops->name,
                         pt_isa_level_name((pt_isa_level)level), t == PT_F32 ? "float" : "double");
                failed += cmocka_run_group_tests_name(name, tests, NULL, NULL);
            }
    return failed;
}
