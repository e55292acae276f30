/* Class sums of a block on every instruction set against plain loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "kernels/loops.h"
#include "validate/squares/class_sums.h"

enum { MOST = 150, CLASSES = 4, LD = MOST + 3 };

static double C[LD * MOST];
static float C32[LD * MOST];
static int32_t fold_row[MOST];
static int32_t fold_column[MOST];
static int32_t class_row[MOST];
static int32_t class_column[MOST];

static void fill(int64_t m, int64_t n)
{
    pt_random random;
    pt_random_init(&random, 1, PT_RANDOM_TEST, m * 1000 + n);
    for (int64_t e = 0; e < LD * MOST; e++) {
        C[e] = (double)pt_random_below(&random, 1000); /* sums are exact in both types */
        C32[e] = (float)C[e];
    }
    for (int64_t i = 0; i < MOST; i++) {
        fold_row[i] = (int32_t)pt_random_below(&random, 5);
        fold_column[i] = (int32_t)pt_random_below(&random, 5);
        class_row[i] = (int32_t)(i * CLASSES / (m > 0 ? m : 1) % CLASSES); /* sorted */
        class_column[i] = (int32_t)pt_random_below(&random, CLASSES);
    }
}

static void check(int64_t m, int64_t n)
{
    static double rows[CLASSES * MOST];
    static double columns[CLASSES * MOST];
    static double found[CLASSES * MOST];
    static float found32[CLASSES * MOST];
    fill(m, n);
    for (int e = 0; e < CLASSES * MOST; e++)
        rows[e] = columns[e] = 1;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            if (fold_row[i] != fold_column[j]) {
                rows[class_column[j] * MOST + i] += C[i + j * LD];
                columns[class_row[i] * MOST + j] += C[i + j * LD];
            }
    for (int by_column = 0; by_column < 2; by_column++) {
        const double *expected = by_column ? columns : rows;
        for (int e = 0; e < CLASSES * MOST; e++)
            found32[e] = (float)(found[e] = 1);
        if (by_column) {
            pt_class_sums_columns(PT_F64, C, LD, m, n, fold_row, fold_column, class_row, found,
                                  MOST);
            pt_class_sums_columns(PT_F32, C32, LD, m, n, fold_row, fold_column, class_row, found32,
                                  MOST);
        } else {
            pt_class_sums_rows(PT_F64, C, LD, m, n, fold_row, fold_column, class_column, found,
                               MOST);
            pt_class_sums_rows(PT_F32, C32, LD, m, n, fold_row, fold_column, class_column, found32,
                               MOST);
        }
        for (int e = 0; e < CLASSES * MOST; e++) {
            assert_true(found[e] == expected[e]);
            assert_true((double)found32[e] == expected[e]);
        }
    }
}

static void test_class_sums__equal_plain_loops(void **state)
{
    (void)state;
    for (int k = 0; pt_isas[k]; k++) {
        if (!pt_isa_runs(pt_isas[k]))
            continue;
        pt_isa_force(pt_isas[k]);
        for (int64_t m = 0; m <= MOST; m += m < 70 ? 1 : 13)
            for (int64_t n = 1; n <= MOST; n += 29)
                check(m, n);
    }
}

/* Sums over the other sets, from the others alone: a set that is NaN leaves its own place clean. */
static void test_class_sums__of_others(void **state)
{
    (void)state;
    enum { SETS = PT_MOST_SETS, COUNT = 130, STRIDE = COUNT + 5 };
    static double found[SETS * STRIDE];
    static float found32[SETS * STRIDE];
    for (int k = 0; pt_isas[k]; k++) {
        if (!pt_isa_runs(pt_isas[k]))
            continue;
        pt_isa_force(pt_isas[k]);
        for (int64_t sets = 0; sets <= SETS; sets += sets < 3 ? 1 : 29)
            for (int64_t count = 0; count <= COUNT; count += 13) {
                for (int e = 0; e < SETS * STRIDE; e++)
                    found32[e] = (float)(found[e] = e % 101);
                pt_class_sums_of_others(PT_F64, found, STRIDE, sets, count);
                pt_class_sums_of_others(PT_F32, found32, STRIDE, sets, count);
                for (int64_t e = 0; e < (int64_t)SETS * STRIDE; e++) {
                    double expected = (double)(e % 101);
                    if (e / STRIDE < sets && e % STRIDE < count) {
                        expected = 0;
                        for (int64_t h = 0; h < sets; h++)
                            if (h != e / STRIDE)
                                expected += (double)((h * STRIDE + e % STRIDE) % 101);
                    }
                    assert_true(found[e] == expected);
                    assert_true((double)found32[e] == expected);
                }
            }
    }
    double sums[] = {NAN, 1, 2};
    pt_class_sums_of_others(PT_F64, sums, 1, 3, 1);
    assert_true(sums[0] == 3);
    assert_true(isnan(sums[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_sums__equal_plain_loops),
        cmocka_unit_test(test_class_sums__of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
