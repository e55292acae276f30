/* Tail probabilities against published tables, and against integrals of the densities. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/significance.h"

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.15g, not %.15g", value, expected);
}

/* Upper 5 and 1 percent points of F as tables print them. */
static void test_significance__f_agrees_with_tables(void **state)
{
    (void)state;
    static const struct {
        double a, b, tail, point, digit; /* digit: what its last one counts */
    } TABLE[] = {{10, 5, 0.05, 4.74, 0.01},  {10, 5, 0.01, 10.05, 0.01}, {1, 1, 0.05, 161.4, 0.1},
                 {1, 1, 0.01, 4052, 1},      {1, 10, 0.05, 4.96, 0.01},  {2, 3, 0.01, 30.82, 0.01},
                 {5, 2, 0.05, 19.30, 0.01},  {4, 20, 0.05, 2.87, 0.01},  {4, 20, 0.01, 4.43, 0.01},
                 {120, 60, 0.05, 1.47, 0.01}};
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        const double half = TABLE[i].digit / 2;
        assert_true(pt_f_tail(TABLE[i].point + half, TABLE[i].a, TABLE[i].b) < TABLE[i].tail);
        assert_true(pt_f_tail(TABLE[i].point - half, TABLE[i].a, TABLE[i].b) > TABLE[i].tail);
    }
    near(pt_f_tail(4.735, 10, 5), 0.05, 1e-5);
}

static void test_significance__chi_square_agrees_with_tables(void **state)
{
    (void)state;
    near(pt_chi_square_tail(3.841, 1), 0.05, 1e-4);
    near(pt_chi_square_tail(6.635, 1), 0.01, 1e-5);
    near(pt_chi_square_tail(10.828, 1), 0.001, 1e-6);
    near(pt_chi_square_tail(18.307, 10), 0.05, 1e-5);
    near(pt_chi_square_tail(124.342, 100), 0.05, 1e-5);
    for (double x = 0.01; x < 60; x *= 1.3) /* one degree of freedom is a squared normal */
        near(pt_chi_square_tail(x, 1), erfc(sqrt(x / 2)), 1e-14);
    for (double x = 0.01; x < 60; x *= 1.3) /* two are exponential */
        near(pt_chi_square_tail(x, 2), exp(-x / 2), 1e-14);
}

/* Simpson's rule over t in [0, 1) with f = low + t/(1-t): the whole tail. */
static double integrate_f(double low, double a, double b)
{
    enum { STEPS = 20000 };
    const double norm = lgamma((a + b) / 2) - lgamma(a / 2) - lgamma(b / 2) + a / 2 * log(a / b);
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        const double t = (double)i / STEPS;
        const double f = low + t / (1 - t);
        const double density =
            f > 0 ? exp(norm + (a / 2 - 1) * log(f) - (a + b) / 2 * log1p(a * f / b)) : 0;
        sum += (i == 0 ? 1 : i % 2 ? 4 : 2) * density / ((1 - t) * (1 - t));
    }
    return sum / (3.0 * STEPS);
}

static void test_significance__f_is_its_integral(void **state)
{
    (void)state;
    static const double freedom[][2] = {{10, 5}, {4, 6}, {6, 4}, {12, 30}, {7, 9}};
    for (size_t i = 0; i < sizeof freedom / sizeof *freedom; i++)
        for (double f = 0.125; f <= 16; f *= 2)
            near(pt_f_tail(f, freedom[i][0], freedom[i][1]),
                 integrate_f(f, freedom[i][0], freedom[i][1]), 1e-9);
}

static void test_significance__edges(void **state)
{
    (void)state;
    assert_true(pt_f_tail(0, 10, 5) == 1);
    near(pt_t_two_sided(0.05, 1), 12.7062, 1e-4); /* tables of Student's t */
    near(pt_t_two_sided(0.05, 10), 2.2281, 1e-4);
    near(pt_t_two_sided(0.01, 100), 2.6259, 1e-4);
    assert_true(isnan(pt_t_two_sided(0.05, 0)));
    assert_true(pt_f_tail(-1, 10, 5) == 1);
    assert_true(pt_f_tail(INFINITY, 10, 5) == 0);
    assert_true(pt_chi_square_tail(0, 1) == 1);
    assert_true(pt_chi_square_tail(INFINITY, 1) == 0);
    double before = 1;
    for (double f = 1e-6; f < 1e9; f *= 1.5) { /* decreasing, also deep in the tail */
        const double tail = pt_f_tail(f, 10, 5);
        assert_true(tail < before || (tail == 1 && before == 1));
        assert_true(tail > 0);
        before = tail;
    }
}

static void test_significance__binomial_counts_coins(void **state)
{
    (void)state;
    near(pt_binomial_two_sided(0, 0), 1, 0);
    near(pt_binomial_two_sided(5, 10), 1, 0);
    near(pt_binomial_two_sided(0, 10), 2.0 / 1024, 1e-15);
    near(pt_binomial_two_sided(10, 10), 2.0 / 1024, 1e-15);
    near(pt_binomial_two_sided(1, 10), 22.0 / 1024, 1e-15);
    near(pt_binomial_two_sided(9, 10), 22.0 / 1024, 1e-15);
    near(pt_binomial_two_sided(2, 7), 2.0 * (1 + 7 + 21) / 128, 1e-15);
    /* many throws: the chi-square with continuity correction is near */
    near(pt_binomial_two_sided(450, 1000), pt_chi_square_tail(99.0 * 99.0 / 1000, 1), 1e-4);
}

/* scipy 1.17.1: beta.ppf(0.025, m, n - m + 1), beta.ppf(0.975, m + 1, n - m) */
static void test_significance__intervals_of_shares_are_scipys(void **state)
{
    (void)state;
    static const struct {
        int64_t m;
        int64_t n;
        double low;
        double high;
    } KNOWN[] = {{0, 10, 0, 0.308497107818761},
                 {10, 10, 0.691502892181239, 1},
                 {1, 10, 0.00252857854446178, 0.445016117028195},
                 {5, 150, 0.0109101864689113, 0.0760723225373469},
                 {150, 178, 0.780740014037641, 0.892856112289125},
                 {3, 1000000, 6.1867255019064e-07, 8.76724778806768e-06},
                 {12345, 54321, 0.223741560376881, 0.230807954700208},
                 {1, 1000000000, 2.53178079839694e-11, 5.57164342912339e-09}};
    double low = 0;
    double high = 0;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        pt_binomial_interval(KNOWN[i].m, KNOWN[i].n, &low, &high);
        near(low, KNOWN[i].low, 1e-5 * KNOWN[i].low);
        near(high, KNOWN[i].high, 1e-5 * KNOWN[i].high);
        if (KNOWN[i].n < 1000000) { /* what is left is the logarithm of the gamma function */
            near(low, KNOWN[i].low, 1e-10 * KNOWN[i].low);
            near(high, KNOWN[i].high, 1e-10 * KNOWN[i].high);
        }
    }
    pt_binomial_interval(0, 0, &low, &high);
    assert_true(isnan(low) && isnan(high));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_significance__f_agrees_with_tables),
        cmocka_unit_test(test_significance__chi_square_agrees_with_tables),
        cmocka_unit_test(test_significance__f_is_its_integral),
        cmocka_unit_test(test_significance__edges),
        cmocka_unit_test(test_significance__binomial_counts_coins),
        cmocka_unit_test(test_significance__intervals_of_shares_are_scipys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
