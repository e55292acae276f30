/* The best first column (CS Theorem 1) against all columns, and what it tells of formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/hard_designs.h"
#include "../support/slow_design.h"
#include "codes/design/discrete.h"
#include "polytomy/polytomy.h"

static const int8_t SIGNS[] = {-1, 1};

/* Column t of the outputs as a problem of its own. */
static pt_design_data column_of(const slow_outputs *o, int64_t t, double *h)
{
    pt_design_data data = o->data;
    for (int64_t i = 0; i < data.m; i++)
        h[i] = o->H[i * o->data.ell + t];
    data.ell = 1;
    data.H = h;
    return data;
}

static void expect_best(const slow_outputs *o, int64_t t)
{
    double h[512];
    int8_t u[12];
    double error = -1;
    const pt_design_data data = column_of(o, t, h);
    assert_int_equal(pt_design_first_column(&o->data, t, u, &error, NULL), PT_OK);
    const double best = slow_best(&data, NULL, 0, SIGNS, 2);
    assert_float_equal(error, slow_error(&data, u), 1e-12);
    assert_float_equal(error, best, 1e-12);
    int64_t plus = 0;
    for (int64_t r = 0; r < data.k; r++) {
        assert_true(u[r] == 1 || u[r] == -1);
        plus += u[r] == 1;
    }
    assert_true(plus > 0 && plus < data.k);
}

static void test_first_column__is_the_best_of_all(void **state)
{
    (void)state;
    static slow_outputs o;
    pt_random random;
    pt_random_init(&random, 1, PT_RANDOM_TEST, 0);
    for (int64_t k = 2; k <= 12; k++)
        for (int drawn = 0; drawn < (k < 9 ? 60 : 4); drawn++) {
            /* few examples: many ties between columns, and classes without any */
            const int64_t m = 1 + pt_random_below(&random, k < 9 ? 60 : 40);
            slow_draw(&o, m, k, 2, drawn % 3, drawn % 2, &random);
            expect_best(&o, 0);
            expect_best(&o, 1);
        }
}

static void test_first_column__an_output_that_says_nothing_leaves_chance(void **state)
{
    (void)state;
    const double H[] = {1, 1, 1, 0, 0, 0};
    const int64_t class_of[] = {0, 1, 2, 0, 1, 2};
    const pt_design_data data = {.m = 6, .k = 3, .ell = 1, .H = H, .class_of = class_of};
    int8_t u[3];
    double error = 0;
    assert_int_equal(pt_design_first_column(&data, 0, u, &error, NULL), PT_OK);
    assert_float_equal(error, 1 - 1.0 / 3, 1e-15);
    const int8_t first[] = {1, -1, -1}; /* of equal columns the one with the fewest at + */
    assert_memory_equal(u, first, 3);
}

static void test_first_column__one_class_has_none(void **state)
{
    (void)state;
    const double H[] = {1};
    const int64_t class_of[] = {0};
    const pt_design_data data = {.m = 1, .k = 1, .ell = 1, .H = H, .class_of = class_of};
    int8_t u[1];
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_design_first_column(&data, 0, u, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "two classes"));
}

/* Of all columns of H the one with the smallest error, the first on ties. (CS has no short way to
 * several columns at once: that is the general problem, which is NP-complete.) */
static void best_hypothesis(const pt_design_data *data, int64_t *t, int8_t *u, double *error)
{
    int8_t column[4];
    *error = 2; /* no error is as large */
    for (int64_t s = 0; s < data->ell; s++) {
        double now = 0;
        assert_int_equal(pt_design_first_column(data, s, column, &now, NULL), PT_OK);
        if (now >= *error)
            continue;
        *error = now;
        *t = s;
        memcpy(u, column, (size_t)data->k);
    }
}

static void test_best_hypothesis__is_the_first_with_the_smallest_error(void **state)
{
    (void)state;
    static slow_outputs o;
    pt_random random;
    pt_random_init(&random, 2, PT_RANDOM_TEST, 0);
    for (int drawn = 0; drawn < 50; drawn++) {
        slow_draw(&o, 20, 4, 5, 0, drawn % 2, &random);
        int64_t chosen = -1;
        int8_t u[4];
        int8_t v[4];
        double error = 2;
        best_hypothesis(&o.data, &chosen, u, &error);
        for (int64_t t = 0; t < 5; t++) {
            double other = 0;
            assert_int_equal(pt_design_first_column(&o.data, t, v, &other, NULL), PT_OK);
            assert_true(t < chosen ? other > error : other >= error);
            if (t == chosen)
                assert_memory_equal(u, v, 4);
        }
    }
}

/* CS, end of section 3: the least error over columns and what the learner makes of them is
 * 1 - 2/m where the formula can hold, and 1 - 1/m where it cannot. Theorem 1 finds it from the
 * hypotheses alone. */
static void expect_reduction(const hard_formula *formula)
{
    const int64_t m = 2 * formula->n + 1;
    int64_t class_of[2 * HARD_VARIABLES + 1];
    int8_t u[2 * HARD_VARIABLES + 1];
    int8_t best_u[2 * HARD_VARIABLES + 1];
    double h[2 * HARD_VARIABLES + 1];
    double least = 2;
    double least_by_theorem = 2;
    for (int64_t i = 0; i < m; i++) {
        class_of[i] = i;
        u[i] = -1;
    }
    const pt_design_data data = {.m = m, .k = m, .ell = 1, .H = h, .class_of = class_of};
    do {
        double error = 0;
        hard_learner(formula, u, h);
        least = fmin(least, slow_error(&data, u));
        assert_int_equal(pt_design_first_column(&data, 0, best_u, &error, NULL), PT_OK);
        least_by_theorem = fmin(least_by_theorem, error);
    } while (slow_next(u, m, 1, 0, SIGNS, 2));
    const double expected = 1 - (hard_formula_can_hold(formula) ? 2.0 : 1.0) / (double)m;
    assert_float_equal(least, expected, 1e-12);
    assert_float_equal(least_by_theorem, expected, 1e-12);
}

static void test_first_column__tells_which_formulas_can_hold(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 0);
    int64_t seen[2] = {0, 0};
    for (int drawn = 0; drawn < 24; drawn++) {
        const int64_t n = 2 + drawn % 3;
        const hard_formula formula = hard_formula_draw(n, 4 + drawn, &random);
        seen[hard_formula_can_hold(&formula)]++;
        expect_reduction(&formula);
    }
    assert_true(seen[0] > 4 && seen[1] > 4); /* both kinds were there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_column__is_the_best_of_all),
        cmocka_unit_test(test_first_column__an_output_that_says_nothing_leaves_chance),
        cmocka_unit_test(test_first_column__one_class_has_none),
        cmocka_unit_test(test_best_hypothesis__is_the_first_with_the_smallest_error),
        cmocka_unit_test(test_first_column__tells_which_formulas_can_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
