/* The reduced problem of SPOC against a general one: for every set of entries that may be at their
 * bound the equations of the others are solved, and of all solutions that are feasible the best is
 * kept. It knows nothing of sorting or thresholds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/sorted_rows.h"
#include "base/random.h"
#include "solvers/dual/simplex_row.h"

enum { MOST = 9, INSTANCES = 10000, LARGE = 3000 };

/* A/2 ||tau||^2 + B . tau */
static long double objective(int64_t k, double A, const double *B, const long double *tau)
{
    long double sum = 0;
    for (int64_t r = 0; r < k; r++)
        sum += ((long double)A / 2 * tau[r] + B[r]) * tau[r];
    return sum;
}

/* The entries in `bound` are at C 1_y, the others share what is left: tau_r = (lambda - B_r) / A,
 * written by differences of B, which do not lose digits where A is tiny. False where that breaks a
 * bound. */
static int solve_free(int64_t k, double A, const double *B, int64_t y, double C, unsigned bound,
                      long double *tau)
{
    long double left = 0; /* what the free ones sum up to */
    int64_t m = 0;
    for (int64_t r = 0; r < k; r++)
        if (bound >> r & 1u) {
            tau[r] = r == y ? C : 0;
            left -= tau[r];
        } else {
            m++;
        }
    if (m == 0)
        return left == 0;
    for (int64_t r = 0; r < k; r++) {
        if (bound >> r & 1u)
            continue;
        long double sum = 0;
        for (int64_t s = 0; s < k; s++)
            if (!(bound >> s & 1u))
                sum += (long double)B[s] - B[r];
        tau[r] = (left + sum / A) / (long double)m;
        if (tau[r] > (r == y ? C : 0))
            return 0;
    }
    return 1;
}

static void reference(int64_t k, double A, const double *B, int64_t y, double C, long double *best)
{
    long double tau[MOST];
    long double least = INFINITY;
    for (unsigned bound = 0; bound < 1u << k; bound++)
        if (solve_free(k, A, B, y, C, bound, tau) && objective(k, A, B, tau) < least) {
            least = objective(k, A, B, tau);
            memcpy(best, tau, (size_t)k * sizeof *best);
        }
    assert_true(isfinite((double)least));
}

/* An instance: ties and zeros in B, A from tiny to huge, C over many powers of ten. */
static void draw(pt_random *random, int64_t *k, double *A, double *B, int64_t *y, double *C)
{
    static const double scales[] = {1e-12, 1e-6, 1e-2, 1, 1, 1, 1e2, 1e6, 1e12};
    *k = 2 + (int64_t)(pt_random_uniform(random) * (MOST - 1));
    *A = scales[(int)(pt_random_uniform(random) * 9)] * (0.5 + pt_random_uniform(random));
    *C = pow(10, 4 * pt_random_uniform(random) - 2);
    *y = (int64_t)(pt_random_uniform(random) * (double)*k);
    const int how = (int)(pt_random_uniform(random) * 4);
    for (int64_t r = 0; r < *k; r++) {
        const double u = pt_random_uniform(random);
        B[r] = how == 0   ? 0
               : how == 1 ? floor(4 * u) / 4
               : how == 2 ? (u < 0.5 ? 0 : 10 * u)
                          : pt_random_normal(random);
    }
}

static void test_simplex_row__equals_a_general_program(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 1, PT_RANDOM_TEST, 61);
    for (int instance = 0; instance < INSTANCES; instance++) {
        int64_t k = 0;
        int64_t y = 0;
        double A = 0;
        double C = 0;
        double B[MOST];
        double eta[MOST];
        double g[MOST];
        double work[MOST];
        long double best[MOST] = {0};
        long double tau[MOST];
        draw(&random, &k, &A, B, &y, &C);
        reference(k, A, B, y, C, best);
        /* from tau = 0, where the gradient is B, and from all on another class */
        for (int start = 0; start < 2; start++) {
            const int64_t at = start ? (y + 1) % k : y;
            for (int64_t r = 0; r < k; r++) {
                eta[r] = r == at ? C : 0;
                g[r] = B[r] + A * ((r == y ? C : 0) - eta[r]);
            }
            (void)pt_simplex_row(A, g, k, C, eta, work);
            double sum = 0;
            for (int64_t r = 0; r < k; r++) {
                assert_true(eta[r] >= 0);
                sum += eta[r];
                tau[r] = (r == y ? (long double)C : 0) - eta[r];
                /* g carries A C: where A is huge, B is lost in it by rounding */
                const double close = 1e-9 * C + 4 * 2.3e-16 * (C + fabs(B[r]) / A);
                if (!(fabs((double)(tau[r] - best[r])) <= close))
                    fail_msg("instance %d, k %d, A %g, C %g: %g is not %g", instance, (int)k, A, C,
                             (double)tau[r], (double)best[r]);
            }
            assert_true(fabs(sum - C) <= 1e-12 * C);
            const double reached = (double)(objective(k, A, B, tau) - objective(k, A, B, best));
            double size = A * C * C;
            for (int64_t r = 0; r < k; r++)
                size += fabs(B[r]) * C;
            if (!(reached <= 1e-14 * size))
                fail_msg("instance %d, A %g, C %g: the objective is %g above its least", instance,
                         A, C, reached);
        }
    }
}

static void test_simplex_row__sorting_equals_selection(void **state)
{
    (void)state;
    static double D[LARGE];
    static double work[LARGE];
    pt_random random;
    pt_random_init(&random, 2, PT_RANDOM_TEST, 61);
    for (int instance = 0; instance < 2000; instance++) {
        const int64_t k =
            1 + (int64_t)(pt_random_uniform(&random) * (instance % 20 == 0 ? LARGE - 1 : 40));
        const double total = pow(10, 6 * pt_random_uniform(&random) - 3);
        for (int64_t r = 0; r < k; r++) {
            D[r] = instance % 3 == 0 ? floor(5 * pt_random_uniform(&random))
                                     : pt_random_normal(&random);
            if (instance % 7 == 0)
                D[r] = (double)r * 0.01; /* sorted the wrong way round */
        }
        const double sorted = sorted_simplex_theta(D, k, total, work);
        const double selected = pt_simplex_theta_selected(D, k, total, work);
        double sum = 0;
        for (int64_t r = 0; r < k; r++)
            sum += fmax(D[r] - sorted, 0);
        assert_true(fabs(sum - total) <= 1e-11 * (total + (double)k));
        assert_true(fabs(sorted - selected) <= 1e-12 * (total + (double)k));
    }
}

/* The example of CS, and corners. */
static void test_simplex_row__known_answers(void **state)
{
    (void)state;
    const double D[] = {1, .2, .6, .8, .6};
    double eta[5];
    double work[5];
    assert_true(fabs(sorted_simplex_theta(D, 5, 1, work) - 0.5) < 1e-15);
    assert_true(fabs(pt_simplex_theta_selected(D, 5, 1, work) - 0.5) < 1e-15);
    assert_int_equal(pt_simplex_project(D, 5, 1, eta, work), 4);

    const double huge[] = {1e300, 1e300, -1e300};
    assert_int_equal(pt_simplex_project(huge, 3, 2, eta, work), 2);
    assert_true(eta[0] == 1 && eta[1] == 1 && eta[2] == 0);
    const double apart[] = {0, 3, -INFINITY};
    assert_int_equal(pt_simplex_project(apart, 3, 0.1, eta, work), 1);
    assert_true(eta[0] == 0 && eta[1] == 0.1 && eta[2] == 0); /* exactly */

    const double g[] = {1, 5, 5};
    double flat[] = {0.25, 0, 0.75};
    assert_int_equal(pt_simplex_row(0, g, 3, 1, flat, work), 1); /* K_pp = 0 */
    assert_true(flat[0] == 0 && flat[1] == 1 && flat[2] == 0);
    double none[] = {0, 0, 0};
    assert_int_equal(pt_simplex_row(1, g, 3, 0, none, work), 0); /* C_p = 0 */
    assert_true(none[0] == 0 && none[1] == 0 && none[2] == 0);
    double tiny[] = {1, 0, 0};
    assert_int_equal(pt_simplex_row(1e-299, g, 3, 1, tiny, work), 2);
    assert_true(tiny[0] == 0 && tiny[1] == 0.5 && tiny[2] == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simplex_row__equals_a_general_program),
        cmocka_unit_test(test_simplex_row__sorting_equals_selection),
        cmocka_unit_test(test_simplex_row__known_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
