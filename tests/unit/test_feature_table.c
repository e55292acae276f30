/* The table of binned features against its definition: every cell between the cuts of its bin,
 * every distinct value a bin of its own where they fit. */
/* labels: threads */
#include <float.h>
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
#include "polytomy/polytomy.h"
#include "trees/feature_table.h"

enum { N = 3000, D = 11 };

static pt_rows doubles(const double *x, int64_t n, int64_t d, const int64_t *levels)
{
    return (pt_rows){.n = n, .d = d, .type = PT_F64, .dense = x, .stride = d, .levels = levels};
}

static pt_feature_table make(const pt_rows *rows, int64_t bins)
{
    pt_feature_table table;
    pt_error err = PT_ERROR_INIT;
    if (pt_feature_table_init(&table, rows, bins, NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    return table;
}

/* Every cell lies in its bin: above the cut below it, at most at the cut above. */
static void expect_inside(const pt_feature *f, const pt_rows *rows, int64_t feature)
{
    int64_t missing = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        const double x = pt_rows_value(rows, rows->dense, i * rows->stride + feature);
        const int64_t bin = pt_feature_bin(f, i);
        if (isnan(x)) {
            missing++;
            assert_int_equal(bin, f->bins);
            continue;
        }
        assert_in_range(bin, 0, f->bins - 1);
        if (f->levels > 0) {
            assert_int_equal(bin, (int64_t)x);
            continue;
        }
        assert_true(bin == 0 || x > f->cut[bin - 1]);
        assert_true(bin == f->bins - 1 || x <= f->cut[bin]);
    }
    assert_int_equal(f->n_missing, missing);
    for (int64_t b = 1; f->levels == 0 && b + 1 < f->bins; b++)
        assert_true(f->cut[b] > f->cut[b - 1]);
    assert_true((f->bin == NULL) != (f->wide == NULL));
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Distinct values that are not missing, ascending; returns how many. */
static int64_t distinct(const pt_rows *rows, int64_t feature, double *value)
{
    int64_t m = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        const double x = pt_rows_value(rows, rows->dense, i * rows->stride + feature);
        if (!isnan(x))
            value[m++] = x;
    }
    qsort(value, (size_t)m, sizeof *value, by_value);
    int64_t kept = 0;
    for (int64_t j = 0; j < m; j++)
        if (kept == 0 || value[j] != value[kept - 1])
            value[kept++] = value[j];
    return kept;
}

/* One bin for each value, cuts in the middle. */
static void expect_exact(const pt_feature *f, const pt_rows *rows, int64_t feature)
{
    static double value[N];
    const int64_t count = distinct(rows, feature, value);
    assert_int_equal(f->bins, count);
    for (int64_t b = 0; b + 1 < count; b++)
        assert_float_equal(f->cut[b], 0.5 * (value[b] + value[b + 1]),
                           1e-15 * (fabs(value[b]) + fabs(value[b + 1])));
}

/* Columns: small whole numbers, negative ones too; continuous; levels; many levels; constant; all
 * missing; a mixture of zeros and a continuous tail. Some cells are missing in each. */
static void fill(double *x, int64_t *levels)
{
    pt_random random;
    pt_random_init(&random, 7, PT_RANDOM_TEST, 1);
    for (int64_t f = 0; f < D; f++)
        levels[f] = f == 3 ? 5 : f == 4 ? 700 : 0;
    for (int64_t i = 0; i < N; i++) {
        double *row = x + i * D;
        row[0] = (double)pt_random_below(&random, 16);
        row[1] = (double)pt_random_below(&random, 9) - 4;
        row[2] = pt_random_normal(&random);
        row[3] = (double)pt_random_below(&random, 5);
        row[4] = (double)pt_random_below(&random, 700);
        row[5] = 3.25;
        row[6] = NAN;
        row[7] = pt_random_below(&random, 3) ? 0 : pt_random_normal(&random);
        row[8] = pt_random_below(&random, 4) ? pt_random_normal(&random) : NAN;
        row[9] = pt_random_below(&random, 4) ? (double)pt_random_below(&random, 256) : NAN;
        row[10] = (double)(float)(1e-3 * (double)pt_random_below(&random, 300));
        if (pt_random_below(&random, 10) == 0)
            row[3] = NAN;
        if (pt_random_below(&random, 2) == 0)
            row[1] = -row[1]; /* 0 and -0 are one value */
    }
}

static void test_feature_table__cells_lie_in_their_bins(void **state)
{
    (void)state;
    static double x[N * D];
    int64_t levels[D];
    fill(x, levels);
    const pt_rows rows = doubles(x, N, D, levels);
    const int64_t sizes[] = {0, 1, 2, 3, 17, 255, 256};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        pt_feature_table table = make(&rows, sizes[s]);
        for (int64_t f = 0; f < D; f++) {
            const pt_feature *feature = &table.feature[f];
            expect_inside(feature, &rows, f);
            if (levels[f] > 0)
                assert_int_equal(feature->bins, levels[f]);
            else if (sizes[s] <= 1)
                expect_exact(feature, &rows, f);
            else
                assert_true(feature->bins + (feature->n_missing > 0) <= sizes[s]);
        }
        pt_feature_table_free(&table);
    }
}

static void test_feature_table__narrow_and_wide(void **state)
{
    (void)state;
    static double x[N * D];
    int64_t levels[D];
    fill(x, levels);
    const pt_rows rows = doubles(x, N, D, levels);
    pt_feature_table exact = make(&rows, 0);
    pt_feature_table histogram = make(&rows, 256);
    const bool exact_wide[D] = {0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1};
    for (int64_t f = 0; f < D; f++) {
        assert_int_equal(exact.feature[f].wide != NULL, exact_wide[f]);
        assert_int_equal(histogram.feature[f].wide != NULL, f == 4);
    }
    assert_int_equal(exact.feature[5].bins, 1); /* constant */
    assert_int_equal(exact.feature[6].bins, 0); /* all missing */
    pt_feature_table_free(&exact);
    pt_feature_table_free(&histogram);
}

static void expect_same(const pt_feature_table *a, const pt_feature_table *b, int64_t f)
{
    assert_int_equal(a->feature[f].bins, b->feature[f].bins);
    for (int64_t i = 0; i < a->n; i++)
        assert_int_equal(pt_feature_bin(&a->feature[f], i), pt_feature_bin(&b->feature[f], i));
    for (int64_t c = 0; a->feature[f].levels == 0 && c + 1 < a->feature[f].bins; c++)
        assert_true(a->feature[f].cut[c] == b->feature[f].cut[c]);
}

/* Few distinct values: the histogram is the exact table; bins of about as many cells elsewhere. */
static void test_feature_table__histogram(void **state)
{
    (void)state;
    static double x[N * D];
    int64_t levels[D];
    fill(x, levels);
    const pt_rows rows = doubles(x, N, D, levels);
    pt_feature_table exact = make(&rows, 0);
    pt_feature_table histogram = make(&rows, 256);
    const int64_t few[] = {0, 1, 3, 4, 5, 6};
    for (size_t j = 0; j < sizeof few / sizeof *few; j++)
        expect_same(&exact, &histogram, few[j]);
    pt_feature_table_free(&histogram);

    pt_feature_table tens = make(&rows, 10);
    int64_t held[10] = {0};
    for (int64_t i = 0; i < N; i++)
        held[pt_feature_bin(&tens.feature[2], i)]++;
    for (int b = 0; b < 10; b++)
        assert_int_equal(held[b], N / 10); /* all values of column 2 differ */
    /* two thirds of column 7 are 0: one bin is theirs, the others share the rest */
    assert_true(tens.feature[7].bins >= 9);
    pt_feature_table_free(&tens);
    pt_feature_table_free(&exact);
}

static void test_feature_table__floats_and_sparse_rows(void **state)
{
    (void)state;
    static double x[N * D];
    static float y[N * D];
    static double value[N * D];
    static int64_t start[N + 1];
    static int64_t index[N * D];
    int64_t levels[D];
    fill(x, levels);
    int64_t stored = 0;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t f = 0; f < D; f++) {
            y[i * D + f] = (float)x[i * D + f];
            x[i * D + f] = y[i * D + f];
            if (x[i * D + f] != 0) {
                value[stored] = x[i * D + f];
                index[stored++] = f;
            }
        }
        start[i + 1] = stored;
    }
    const pt_rows rows = doubles(x, N, D, levels);
    pt_rows floats = rows;
    floats.type = PT_F32;
    floats.dense = y;
    pt_rows sparse = rows;
    sparse.dense = NULL;
    sparse.start = start;
    sparse.index = index;
    sparse.value = value;
    pt_feature_table a = make(&rows, 32);
    pt_feature_table b = make(&floats, 32);
    pt_feature_table c = make(&sparse, 32);
    for (int64_t f = 0; f < D; f++) {
        expect_same(&a, &b, f);
        expect_same(&a, &c, f);
    }
    pt_feature_table_free(&a);
    pt_feature_table_free(&b);
    pt_feature_table_free(&c);
}

/* A cut separates the values beside it, however close or far they are. */
static void test_feature_table__hard_cuts(void **state)
{
    (void)state;
    const double x[] = {-INFINITY, -DBL_MAX,        -1,      nextafter(-1, 0), -5e-324, 0, 5e-324,
                        1,         nextafter(1, 2), DBL_MAX, INFINITY};
    const int64_t n = sizeof x / sizeof *x;
    const pt_rows rows = doubles(x, n, 1, NULL);
    pt_feature_table table = make(&rows, 0);
    assert_int_equal(table.feature[0].bins, n);
    for (int64_t b = 0; b + 1 < n; b++) {
        assert_true(table.feature[0].cut[b] >= x[b]);
        assert_true(table.feature[0].cut[b] < x[b + 1]);
    }
    pt_feature_table_free(&table);
}

static void test_feature_table__same_on_any_number_of_threads(void **state)
{
    (void)state;
    static double x[N * D];
    int64_t levels[D];
    fill(x, levels);
    const pt_rows rows = doubles(x, N, D, levels);
    pt_feature_table alone = make(&rows, 64);
    pt_task *task = NULL;
    pt_feature_table many;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_threads(task, 4);
    assert_int_equal(pt_feature_table_init(&many, &rows, 64, task, &err), PT_OK);
    for (int64_t f = 0; f < D; f++)
        expect_same(&alone, &many, f);
    pt_feature_table_free(&alone);
    pt_feature_table_free(&many);
    pt_task_free(task);
}

/* What a plan is told is not less than what is held. */
static void test_feature_table__bytes(void **state)
{
    (void)state;
    static double x[N * D];
    int64_t levels[D];
    fill(x, levels);
    const pt_rows rows = doubles(x, N, D, levels);
    for (int64_t bins = 0; bins <= 256; bins += 128) {
        pt_feature_table table = make(&rows, bins);
        double held = D * (double)sizeof(pt_feature);
        for (int64_t f = 0; f < D; f++)
            held += N * (table.feature[f].bin ? 1.0 : 4.0) +
                    (levels[f] == 0 && table.feature[f].bins > 1
                         ? 8.0 * (double)(table.feature[f].bins - 1)
                         : 0);
        assert_true(pt_feature_table_bytes(&rows, bins) >= held);
        pt_feature_table_free(&table);
    }
}

/* Of sparse rows only the cells that there are: row i has a number in feature 3 i. */
static void test_feature_table__lists_cost_what_is_stored(void **state)
{
    (void)state;
    enum { ROWS = 1000, FEATURES = 5000 };
    static int64_t start[ROWS + 1];
    static int64_t index[ROWS];
    static double value[ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        start[i + 1] = i + 1;
        index[i] = 3 * i;
        value[i] = i % 2 ? -1 : 1;
    }
    const pt_rows rows = {
        .n = ROWS, .d = FEATURES, .type = PT_F64, .start = start, .index = index, .value = value};
    pt_feature_table table;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_feature_table_init_listed(&table, &rows, 256, NULL, &err), PT_OK);
    double held = FEATURES * (double)(sizeof(pt_feature) + sizeof(void *));
    for (int64_t f = 0; f < FEATURES; f++) {
        const pt_feature *feature = &table.feature[f];
        const bool some = f % 3 == 0 && f / 3 < ROWS;
        assert_non_null(feature->row);
        assert_int_equal(feature->listed, some);
        assert_int_equal(feature->bins, some ? 2 : 1);
        assert_int_equal(feature->common, some && f / 3 % 2); /* the bin of 0 is above that of -1 */
        assert_int_equal(pt_feature_bin(feature, f / 3 % ROWS), some && f / 3 % 2 == 0);
        held += 5.0 * (double)feature->listed + 8.0 * (double)(feature->bins - 1);
    }
    assert_true(pt_feature_table_listed_bytes(&rows, 256) >= held);
    assert_true(pt_feature_table_listed_bytes(&rows, 256) < (double)ROWS * FEATURES / 4);
    pt_feature_table_free(&table);
}

static void test_feature_table__survives_failing_allocations(void **state)
{
    (void)state;
    static double x[N * D];
    int64_t levels[D];
    fill(x, levels);
    const pt_rows rows = doubles(x, N, D, levels);
    const int64_t live = pt_alloc_live();
    for (int64_t at = 1; at < 40; at++) {
        pt_feature_table table;
        pt_error err = PT_ERROR_INIT;
        pt_alloc_fail_from(at);
        const pt_status status = pt_feature_table_init(&table, &rows, 16, NULL, &err);
        pt_alloc_fail_from(0);
        assert_true(status == PT_OK || status == PT_ENOMEM);
        if (status == PT_OK)
            pt_feature_table_free(&table);
        assert_int_equal(pt_alloc_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feature_table__cells_lie_in_their_bins),
        cmocka_unit_test(test_feature_table__narrow_and_wide),
        cmocka_unit_test(test_feature_table__histogram),
        cmocka_unit_test(test_feature_table__floats_and_sparse_rows),
        cmocka_unit_test(test_feature_table__hard_cuts),
        cmocka_unit_test(test_feature_table__same_on_any_number_of_threads),
        cmocka_unit_test(test_feature_table__bytes),
        cmocka_unit_test(test_feature_table__lists_cost_what_is_stored),
        cmocka_unit_test(test_feature_table__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
