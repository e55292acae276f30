/* Where tiles lie and how large they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "linalg/tiles.h"

static const int64_t ORDERS[] = {1, 2, 15, 16, 17, 511, 512, 513, 528, 1025, 2000, 2600};
enum { N_ORDERS = sizeof ORDERS / sizeof *ORDERS };

static void test_tiles__sizes_cover_the_order(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 20000; n += 7) {
        const int64_t nb = pt_tile_size(n);
        const int64_t side = (n + nb - 1) / nb;
        assert_true(nb > 0 && nb % 16 == 0 && nb % 128 != 0 && nb <= PT_TILE);
        assert_true(side * nb >= n && (side - 1) * nb < n);
        assert_true(pt_tiles_bytes(n, PT_F64) == side * (side + 1) / 2 * nb * nb * 8);
    }
    /* Half of a square and little more: DESIGN's bar is 0.6. */
    for (int64_t n = 4000; n < 70000; n += 501)
        assert_true((double)pt_tiles_bytes(n, PT_F32) < 0.6 * 4 * (double)n * (double)n);
    assert_true(pt_tiles_bytes(INT64_MAX, PT_F32) == -1);
    assert_true(pt_tiles_bytes(-1, PT_F32) == -1);
}

static void test_tiles__places_are_the_block_columns_in_order(void **state)
{
    (void)state;
    for (int64_t side = 1; side < 70; side++) {
        const pt_tiles tiles = {.n = 16 * side, .nb = 16, .side = side, .type = PT_F32};
        int64_t t = 0;
        for (int64_t J = 0; J < side; J++)
            for (int64_t I = J; I < side; I++, t++) {
                int64_t i = -1;
                int64_t j = -1;
                pt_tiles_place(&tiles, t, &i, &j);
                assert_true(i == I && j == J);
            }
        assert_true(t == pt_tiles_count(&tiles));
    }
}

static void test_tiles__do_not_overlap_and_get_finds_them(void **state)
{
    (void)state;
    for (int type = PT_F32; type <= PT_F64; type++)
        for (int o = 0; o < N_ORDERS; o++) {
            pt_tiles *tiles = NULL;
            const int64_t n = ORDERS[o];
            assert_int_equal(pt_tiles_new(&tiles, n, (pt_type)type, NULL), PT_OK);
            int64_t rows = 0;
            for (int64_t I = 0; I < tiles->side; I++) {
                rows += pt_tile_rows(tiles, I);
                for (int64_t J = 0; J <= I; J++)
                    for (int64_t e = 0; e < tiles->nb * tiles->nb; e++)
                        if (type == PT_F32)
                            ((float *)pt_tile_at(tiles, I, J))[e] = (float)(I * 100 + J);
                        else
                            ((double *)pt_tile_at(tiles, I, J))[e] = (double)(I * 100 + J);
            }
            assert_true(rows == n);
            for (int64_t i = 0; i < n; i += 13)
                for (int64_t j = 0; j <= i; j += 17) {
                    const double expected = (double)(i / tiles->nb * 100 + j / tiles->nb);
                    assert_true(pt_tiles_get(tiles, i, j) == expected);
                    assert_true(pt_tiles_get(tiles, j, i) == expected);
                }
            pt_tiles_free(tiles);
        }
}

static void test_tiles__diagonal_is_shifted(void **state)
{
    (void)state;
    pt_tiles *tiles = NULL;
    assert_int_equal(pt_tiles_new(&tiles, 1100, PT_F64, NULL), PT_OK);
    for (int64_t I = 0; I < tiles->side; I++)
        for (int64_t J = 0; J <= I; J++)
            for (int64_t e = 0; e < tiles->nb * tiles->nb; e++)
                ((double *)pt_tile_at(tiles, I, J))[e] = 1;
    double *scale = malloc(1100 * sizeof *scale);
    for (int i = 0; i < 1100; i++)
        scale[i] = i;
    pt_tiles_add_diagonal(tiles, 0.5, NULL);
    pt_tiles_add_diagonal(tiles, 2, scale);
    for (int64_t i = 0; i < 1100; i++) {
        assert_true(pt_tiles_get(tiles, i, i) == 1.5 + 2 * (double)i);
        if (i > 0)
            assert_true(pt_tiles_get(tiles, i, i - 1) == 1);
    }
    free(scale);
    pt_tiles_free(tiles);
}

static void test_tiles__failed_allocations_leave_nothing(void **state)
{
    (void)state;
    const int64_t live = pt_alloc_live();
    pt_error err = {0};
    for (int64_t number = 1; number <= 2; number++) {
        pt_tiles *tiles = NULL;
        pt_alloc_fail_from(number);
        assert_int_equal(pt_tiles_new(&tiles, 700, PT_F32, &err), PT_ENOMEM);
        pt_alloc_fail_from(0);
        assert_null(tiles);
        assert_true(pt_alloc_live() == live);
    }
    pt_tiles *tiles = NULL;
    assert_int_equal(pt_tiles_new(&tiles, INT64_MAX / 2, PT_F32, &err), PT_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles__sizes_cover_the_order),
        cmocka_unit_test(test_tiles__places_are_the_block_columns_in_order),
        cmocka_unit_test(test_tiles__do_not_overlap_and_get_finds_them),
        cmocka_unit_test(test_tiles__diagonal_is_shifted),
        cmocka_unit_test(test_tiles__failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
