/* Grids: what is accepted, the order of points, ties. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "select/grid.h"

static void test_grid__range_goes_by_factors_of_two(void **state)
{
    (void)state;
    pt_grid grid;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_grid_parse(&grid, "ridge=2^-4:2^4,sigma=2^-4:2^4", NULL, &err), PT_OK);
    assert_int_equal(grid.n_axes, 2);
    assert_int_equal(grid.n_points, 81);
    assert_string_equal(pt_grid_value(&grid, 0, 0), "0.0625");
    assert_string_equal(pt_grid_value(&grid, 80, 0), "16");
    assert_string_equal(pt_grid_value(&grid, 1, 1), "0.125"); /* the last axis varies fastest */
    pt_grid_free(&grid);
}

static void test_grid__lists_and_choices(void **state)
{
    (void)state;
    pt_grid grid;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_grid_parse(&grid, "sigma=1,2.5,4,labelbook=pm1,mincorr", NULL, &err),
                     PT_OK);
    assert_int_equal(grid.n_points, 6);
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_grid_apply(&grid, 3, params, &err), PT_OK);
    assert_true(pt_params_real(params, PT_P_SIGMA) == 2.5);
    assert_string_equal(pt_params_get(params, "labelbook"), "mincorr");
    pt_params_free(params);
    pt_grid_free(&grid);
}

static void test_grid__empty_is_one_point(void **state)
{
    (void)state;
    pt_grid grid;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_grid_parse(&grid, "", NULL, &err), PT_OK);
    assert_int_equal(grid.n_points, 1);
    assert_int_equal(grid.n_axes, 0);
    pt_grid_free(&grid);
}

static void test_grid__wrong_texts_are_refused(void **state)
{
    (void)state;
    const char *const wrong[] = {"ridge",
                                 "=1",
                                 "nonsense=1",
                                 "ridge=",
                                 "ridge=-1",
                                 "ridge=4:1",
                                 "ridge=0:1",
                                 "ridge=a:b",
                                 "ridge=1,ridge=2",
                                 "scale=none",
                                 "ridge=auto",
                                 "ridge=1,,2",
                                 "kernel=foo",
                                 "machine=onelsm",
                                 "folds=2",
                                 "class-weight=none,balanced",
                                 "precision=float,double",
                                 "auto-rows=10,20"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pt_grid grid;
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(pt_grid_parse(&grid, wrong[i], NULL, &err), PT_EINVAL);
        assert_true(strlen(err.text) > 0);
    }
}

static void test_grid__smoother_is_larger_sigma_then_larger_ridge(void **state)
{
    (void)state;
    pt_grid grid;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_grid_parse(&grid, "ridge=1,2,sigma=1,2", NULL, &err), PT_OK);
    /* points: (1,1) (1,2) (2,1) (2,2) */
    assert_true(pt_grid_smoother(&grid, 1, 2));
    assert_false(pt_grid_smoother(&grid, 2, 1));
    assert_true(pt_grid_smoother(&grid, 3, 1));
    assert_false(pt_grid_smoother(&grid, 0, 0));
    pt_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid__range_goes_by_factors_of_two),
        cmocka_unit_test(test_grid__lists_and_choices),
        cmocka_unit_test(test_grid__empty_is_one_point),
        cmocka_unit_test(test_grid__wrong_texts_are_refused),
        cmocka_unit_test(test_grid__smoother_is_larger_sigma_then_larger_ridge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
