/* Outputs of all pairs against a double loop over the centres; the same bytes on any threads. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/task.h"
#include "learners/pair_expansion.h"

enum { K = 5, ELL = K * (K - 1) / 2, CENTRES = 700, NEW = 600, D = 7 };

/* Group 2 has no rows; group 3 lies across blocks of columns. */
static const int64_t FIRST[K + 1] = {0, 3, 240, 240, 600, CENTRES};

static double centre[CENTRES * D];
static double fresh[NEW * D];
static double coef[CENTRES * (K - 1)];
static double bias[ELL];

static void fill(double *value, int64_t count, uint64_t seed, double zeros)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < count; i++) {
        const double x = 2 * pt_random_uniform(&random) - 1;
        value[i] = pt_random_uniform(&random) < zeros ? 0 : (double)(float)x;
    }
}

static int fill_all(void **state)
{
    (void)state;
    fill(centre, CENTRES * D, 1, 0.3);
    fill(fresh, NEW * D, 2, 0.3);
    fill(coef, CENTRES * (K - 1), 3, 0.2);
    fill(bias, ELL, 4, 0);
    return 0;
}

/* n rows of `width` as dense or sparse rows of a type. */
static pt_rows_owned rows_of(const double *value, int64_t n, int64_t width, pt_type type,
                             bool sparse)
{
    pt_rows_owned owned = {.rows = {.n = n, .d = width, .type = type, .stride = width}};
    const size_t size = pt_type_size(type);
    int64_t count = 0;
    owned.value = pt_alloc(n * width, size, "rows", NULL);
    owned.start = pt_alloc_zero(n + 1, sizeof(int64_t), "rows", NULL);
    owned.index = pt_alloc(n * width, sizeof(int64_t), "rows", NULL);
    for (int64_t i = 0; i < n * width; i++) {
        if (sparse && value[i] == 0)
            continue;
        const float narrow = (float)value[i];
        memcpy((char *)owned.value + (size_t)count * size,
               type == PT_F32 ? (const void *)&narrow : (const void *)&value[i], size);
        owned.index[count++] = i % width;
        owned.start[i / width + 1] = count;
    }
    for (int64_t i = 0; i < n; i++) /* rows without values */
        owned.start[i + 1] =
            owned.start[i + 1] < owned.start[i] ? owned.start[i] : owned.start[i + 1];
    owned.rows.dense = sparse ? NULL : owned.value;
    owned.rows.start = owned.start;
    owned.rows.index = owned.index;
    owned.rows.value = owned.value;
    return owned;
}

static double kernel_value(const pt_kernel *kernel, const double *x, const double *z)
{
    double dot = 0;
    double squared = 0;
    double absolute = 0;
    for (int64_t f = 0; f < D; f++) {
        dot += x[f] * z[f];
        squared += (x[f] - z[f]) * (x[f] - z[f]);
        absolute += fabs(x[f] - z[f]);
    }
    const double width = kernel->sigma * kernel->sigma;
    if (strcmp(kernel->ops->name, "rbf") == 0)
        return exp(-squared / (2 * width));
    if (strcmp(kernel->ops->name, "laplacian") == 0)
        return exp(-absolute / kernel->sigma);
    if (strcmp(kernel->ops->name, "poly") == 0)
        return pow(dot / width + kernel->coef0, (double)kernel->degree);
    return tanh(dot / width + kernel->coef0);
}

/* f_pq of one row: the definition. K: the kernel values of the row. */
static void naive(const double *values, const double *b, double *f)
{
    int64_t s = 0;
    for (int64_t p = 0; p < K; p++)
        for (int64_t q = p + 1; q < K; q++, s++) {
            f[s] = b ? b[s] : 0;
            for (int64_t side = 0; side < 2; side++) {
                const int64_t c = side ? q : p;
                const int64_t n_c = FIRST[c + 1] - FIRST[c];
                const int64_t column = side ? p : q - 1;
                for (int64_t i = 0; i < n_c; i++)
                    f[s] += coef[FIRST[c] * (K - 1) + column * n_c + i] * values[FIRST[c] + i];
            }
        }
}

static pt_pair_expansion expansion(const pt_kernel *kernel, pt_type type, bool sparse, bool biased)
{
    pt_pair_expansion e = {.k = K, .ell = ELL};
    e.first = pt_alloc(K + 1, sizeof(int64_t), "groups", NULL);
    memcpy(e.first, FIRST, sizeof FIRST);
    e.coef = pt_alloc(CENTRES * (K - 1), sizeof(double), "coefficients", NULL);
    memcpy(e.coef, coef, sizeof coef);
    if (biased) {
        e.bias = pt_alloc(ELL, sizeof(double), "a bias", NULL);
        memcpy(e.bias, bias, sizeof bias);
    }
    if (pt_kernel_is_row(kernel)) { /* centre i is column i * 3 mod n */
        e.order = pt_alloc(CENTRES, sizeof(int64_t), "an order", NULL);
        for (int64_t i = 0; i < CENTRES; i++)
            e.order[i] = i * 3 % CENTRES;
    } else {
        e.rows = rows_of(centre, CENTRES, D, type, sparse);
    }
    assert_int_equal(pt_pair_expansion_finish(&e, kernel, type, NULL, NULL), PT_OK);
    return e;
}

/* Outputs on 1, 2 and 5 threads, which must be the same; those are `want`, nearly. */
static void compare(const pt_pair_expansion *e, const pt_rows *rows, const double *want,
                    double tolerance)
{
    double *f[3];
    for (int t = 0; t < 3; t++) {
        pt_task *task = NULL;
        assert_int_equal(pt_task_new(&task, NULL), PT_OK);
        pt_task_set_threads(task, t == 0 ? 1 : t == 1 ? 2 : 5);
        f[t] = malloc((size_t)(rows->n * ELL) * sizeof(double));
        assert_int_equal(pt_pair_expansion_outputs(e, rows, f[t], task, NULL), PT_OK);
        assert_memory_equal(f[t], f[0], (size_t)(rows->n * ELL) * sizeof(double));
        pt_task_free(task);
    }
    for (int64_t i = 0; i < rows->n * ELL; i++)
        if (!(fabs(f[0][i] - want[i]) <= tolerance * (1 + fabs(want[i]))))
            fail_msg("output %lld of row %lld is %.9g and should be %.9g", (long long)(i % ELL),
                     (long long)(i / ELL), f[0][i], want[i]);
    for (int t = 0; t < 3; t++)
        free(f[t]);
}

/* Both types, dense and sparse centres, dense and sparse new rows. */
static void compare_forms(const pt_kernel *kernel, bool biased, const double *want)
{
    const int64_t counts[] = {1, 70, NEW};
    for (int form = 0; form < 8; form++) {
        const pt_type type = form & 1 ? PT_F64 : PT_F32;
        pt_pair_expansion e = expansion(kernel, type, form & 2, biased);
        for (int c = 0; c < 3; c++) {
            pt_rows_owned rows = rows_of(fresh, counts[c], D, type, form & 4);
            compare(&e, &rows.rows, want, type == PT_F32 ? 1e-4 : 1e-11);
            pt_rows_owned_free(&rows);
        }
        pt_pair_expansion_free(&e);
    }
}

static void test_pairs__outputs_are_sums_over_the_centres(void **state)
{
    (void)state;
    const char *const names[] = {"rbf", "laplacian", "poly", "sigmoid"};
    double *want = malloc(sizeof(double) * NEW * ELL);
    double values[CENTRES];
    for (int which = 0; which < 4; which++) {
        const pt_kernel kernel = {pt_kernel_find(names[which]), 1.25, 0.5, 3, 0};
        const bool biased = which & 1;
        for (int64_t i = 0; i < NEW; i++) {
            for (int64_t j = 0; j < CENTRES; j++)
                values[j] = kernel_value(&kernel, fresh + i * D, centre + j * D);
            naive(values, biased ? bias : NULL, want + i * ELL);
        }
        compare_forms(&kernel, biased, want);
    }
    free(want);
}

/* Mostly zeros: dense rows are used as sparse ones, but not where they lie far from 0, which sparse
 * rows would not bear: there all distances are small differences of large numbers. */
static void test_pairs__rows_with_few_values(void **state)
{
    const pt_kernel kernel = {pt_kernel_find("rbf"), 1.25, 0, 1, 0};
    double *want = malloc(sizeof(double) * NEW * ELL);
    double values[CENTRES];
    for (int far = 0; far < 2; far++) {
        fill(centre, (int64_t)CENTRES * D, 6, 0.9);
        fill(fresh, (int64_t)NEW * D, 7, 0.9);
        for (int64_t i = 0; far && i < CENTRES; i++)
            centre[i * D] = 3000 + (double)(i % 2);
        for (int64_t i = 0; far && i < NEW; i++)
            fresh[i * D] = 3000.5;
        for (int64_t i = 0; i < NEW; i++) {
            for (int64_t j = 0; j < CENTRES; j++)
                values[j] = kernel_value(&kernel, fresh + i * D, centre + j * D);
            naive(values, NULL, want + i * ELL);
        }
        for (int type = 0; type < 2; type++) {
            pt_pair_expansion e = expansion(&kernel, type ? PT_F64 : PT_F32, false, false);
            pt_rows_owned rows = rows_of(fresh, NEW, D, type ? PT_F64 : PT_F32, false);
            compare(&e, &rows.rows, want, type ? 1e-8 : 1e-4);
            pt_rows_owned_free(&rows);
            pt_pair_expansion_free(&e);
        }
    }
    free(want);
    fill_all(state);
}

static void test_pairs__rows_of_a_precomputed_kernel(void **state)
{
    (void)state;
    enum { ROWS = 90 };
    const pt_kernel kernel = {pt_kernel_find("precomputed"), 1, 0, 1, 0};
    double *given = malloc(sizeof(double) * ROWS * CENTRES);
    double *want = malloc(sizeof(double) * ROWS * ELL);
    double values[CENTRES];
    fill(given, (int64_t)ROWS * CENTRES, 5, 0.3);
    for (int form = 0; form < 4; form++) {
        const pt_type type = form & 1 ? PT_F64 : PT_F32;
        pt_pair_expansion e = expansion(&kernel, type, false, true);
        for (int64_t i = 0; i < ROWS; i++) {
            for (int64_t j = 0; j < CENTRES; j++)
                values[j] = given[i * CENTRES + e.order[j]];
            naive(values, bias, want + i * ELL);
        }
        pt_rows_owned rows = rows_of(given, ROWS, CENTRES, type, form & 2);
        compare(&e, &rows.rows, want, type == PT_F32 ? 1e-4 : 1e-11);
        pt_rows_owned_free(&rows);
        pt_pair_expansion_free(&e);
    }
    free(want);
    free(given);
}

/* Far from all centres float32 has nothing left, double has. */
static void test_pairs__faint_rows_are_computed_in_double(void **state)
{
    (void)state;
    const pt_kernel kernel = {pt_kernel_find("rbf"), 0.1, 0, 1, 0};
    double far[3 * D];
    double want[3 * ELL];
    double values[CENTRES];
    for (int64_t i = 0; i < (int64_t)3 * D; i++)
        far[i] = i < D ? 1.2 : i < (int64_t)2 * D ? centre[i] : -1.25;
    for (int64_t i = 0; i < (int64_t)3 * D; i++)
        far[i] = (double)(float)far[i];
    for (int64_t i = 0; i < 3; i++) {
        for (int64_t j = 0; j < CENTRES; j++)
            values[j] = kernel_value(&kernel, far + i * D, centre + j * D);
        naive(values, NULL, want + i * ELL);
    }
    pt_pair_expansion e = expansion(&kernel, PT_F32, false, false);
    assert_int_equal(e.score_type, PT_F32);
    pt_rows_owned rows = rows_of(far, 3, D, PT_F32, false);
    double f[3 * ELL];
    assert_int_equal(pt_pair_expansion_outputs(&e, &rows.rows, f, NULL, NULL), PT_OK);
    for (int64_t i = 0; i < (int64_t)3 * ELL; i++)
        assert_true(fabs(f[i] - want[i]) <= 1e-4 * fabs(want[i]) + 1e-300);
    assert_true(fabs(f[0]) > 0 && fabs(f[0]) < PT_FAINT);
    pt_rows_owned_free(&rows);
    pt_pair_expansion_free(&e);
}

/* Large coefficients of both signs: float32 would be too coarse. */
static void test_pairs__large_coefficients_are_used_in_double(void **state)
{
    (void)state;
    const pt_kernel kernel = {pt_kernel_find("rbf"), 1.25, 0, 1, 0};
    pt_pair_expansion e = {.k = K, .ell = ELL};
    e.first = pt_alloc(K + 1, sizeof(int64_t), "groups", NULL);
    memcpy(e.first, FIRST, sizeof FIRST);
    e.coef = pt_alloc(CENTRES * (K - 1), sizeof(double), "coefficients", NULL);
    for (int64_t i = 0; i < (int64_t)CENTRES * (K - 1); i++)
        e.coef[i] = 1e4 * coef[i];
    e.rows = rows_of(centre, CENTRES, D, PT_F32, false);
    assert_int_equal(pt_pair_expansion_finish(&e, &kernel, PT_F32, NULL, NULL), PT_OK);
    assert_int_equal(e.score_type, PT_F64);
    double want[ELL];
    double f[ELL];
    double values[CENTRES];
    for (int64_t j = 0; j < CENTRES; j++)
        values[j] = kernel_value(&kernel, fresh, centre + j * D);
    naive(values, NULL, want);
    pt_rows_owned rows = rows_of(fresh, 1, D, PT_F32, false);
    assert_int_equal(pt_pair_expansion_outputs(&e, &rows.rows, f, NULL, NULL), PT_OK);
    for (int64_t s = 0; s < ELL; s++)
        assert_true(fabs(f[s] - 1e4 * want[s]) <= 1e-7 * (1 + fabs(1e4 * want[s])));
    pt_rows_owned_free(&rows);
    pt_pair_expansion_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs__outputs_are_sums_over_the_centres),
        cmocka_unit_test(test_pairs__rows_with_few_values),
        cmocka_unit_test(test_pairs__rows_of_a_precomputed_kernel),
        cmocka_unit_test(test_pairs__faint_rows_are_computed_in_double),
        cmocka_unit_test(test_pairs__large_coefficients_are_used_in_double),
    };
    return cmocka_run_group_tests(tests, fill_all, NULL);
}
