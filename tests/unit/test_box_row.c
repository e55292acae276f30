/* The reduced problem of Weston and Watkins against a general quadratic program: for every way to
 * put variables at 0 or at their bound the equations of the others are solved by elimination, and
 * of all solutions that are feasible the best is kept. */
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
#include "solvers/dual/box_row.h"

enum { MOST = 6, INSTANCES = 10000, LARGE = 3000 };

/* 1/2 e' A (I + 1 1') e - V . e */
static long double objective(int64_t m, double A, const double *V, const long double *e)
{
    long double sum = 0;
    long double all = 0;
    for (int64_t r = 0; r < m; r++) {
        sum += ((long double)A / 2 * e[r] - V[r]) * e[r];
        all += e[r];
    }
    return sum + (long double)A / 2 * all * all;
}

/* x <- Q^-1 x, Q m x m positive definite; x has MOST entries at least. */
static void eliminate(int64_t m, long double Q[MOST][MOST], long double *x)
{
    for (int64_t p = 0; p < m; p++)
        for (int64_t r = p + 1; r < m; r++) {
            const long double f = Q[r][p] / Q[p][p];
            for (int64_t c = p; c < m; c++)
                Q[r][c] -= f * Q[p][c];
            x[r] -= f * x[p];
        }
    for (int64_t p = m - 1; p >= 0; p--) {
        for (int64_t c = p + 1; c < m; c++)
            x[p] -= Q[p][c] * x[c];
        x[p] /= Q[p][p];
    }
}

/* state[r]: 0, at 0; 1, at C; 2, free. False where the free ones are not within their bounds. */
static int solve_free(int64_t m, double A, const double *V, double C, const int *state,
                      long double *e)
{
    long double Q[MOST][MOST];
    long double x[MOST];
    int64_t index[MOST];
    int64_t some = 0;
    long double fixed = 0;
    for (int64_t r = 0; r < m; r++) {
        e[r] = state[r] == 1 ? C : 0;
        fixed += e[r];
        if (state[r] == 2)
            index[some++] = r;
    }
    for (int64_t a = 0; a < some; a++) {
        x[a] = V[index[a]] / (long double)A - fixed;
        for (int64_t c = 0; c < some; c++)
            Q[a][c] = 1 + (a == c);
    }
    eliminate(some, Q, x);
    for (int64_t a = 0; a < some; a++) {
        if (!(x[a] >= 0 && x[a] <= C))
            return 0;
        e[index[a]] = x[a];
    }
    return 1;
}

static void reference(int64_t m, double A, const double *V, double C, long double *best)
{
    int state[MOST] = {0};
    long double e[MOST];
    long double least = INFINITY;
    for (int64_t at = 0; at < m;) {
        if (solve_free(m, A, V, C, state, e) && objective(m, A, V, e) < least) {
            least = objective(m, A, V, e);
            memcpy(best, e, (size_t)m * sizeof *best);
        }
        for (at = 0; at < m && ++state[at] == 3; at++)
            state[at] = 0;
    }
    assert_true(isfinite((double)least));
}

/* Ties and zeros in V, A from tiny to huge, C over many powers of ten. */
static void draw(pt_random *random, int64_t *m, double *A, double *V, double *C)
{
    static const double scales[] = {1e-12, 1e-6, 1e-2, 1, 1, 1, 1e2, 1e6, 1e12};
    *m = 1 + (int64_t)(pt_random_uniform(random) * MOST);
    *A = scales[(int)(pt_random_uniform(random) * 9)] * (0.5 + pt_random_uniform(random));
    *C = pow(10, 4 * pt_random_uniform(random) - 2);
    const int how = (int)(pt_random_uniform(random) * 5);
    for (int64_t r = 0; r < *m; r++) {
        const double u = pt_random_uniform(random);
        V[r] = how == 0   ? 0
               : how == 1 ? floor(4 * u) / 4
               : how == 2 ? (u < 0.5 ? 0 : 10 * u)
               : how == 3 ? *A * *C * 4 * u /* of the size of the bounds */
                          : pt_random_normal(random);
    }
}

static void test_box_row__equals_a_general_program(void **state)
{
    (void)state;
    pt_random random;
    int64_t seen[3] = {0}; /* at 0, at C, between */
    pt_random_init(&random, 1, PT_RANDOM_TEST, 63);
    for (int instance = 0; instance < INSTANCES; instance++) {
        int64_t m = 0;
        double A = 0;
        double C = 0;
        double V[MOST];
        long double best[MOST] = {0};
        draw(&random, &m, &A, V, &C);
        reference(m, A, V, C, best);
        /* class y among the others; from e = 0, and from some other point */
        const int64_t y = instance % (m + 1);
        for (int start = 0; start < 2; start++) {
            double e[MOST + 1];
            double g[MOST + 1];
            double sum = 0;
            for (int64_t r = 0; r <= m; r++) {
                e[r] = r == y || start == 0 ? 0 : C * (double)(r % 3) / 2;
                sum += e[r];
            }
            for (int64_t r = 0; r <= m; r++)
                g[r] = r == y ? 0.5 + A * sum : 0.5 + V[r < y ? r : r - 1] - A * e[r];
            const int64_t count = pt_box_row(A, g, m + 1, y, C, e);
            assert_true(e[y] == 0);
            for (int64_t r = 0, entries = 0; r < m; r++) {
                const double ours = e[r < y ? r : r + 1];
                entries += ours != 0;
                assert_true(ours >= 0 && ours <= C);
                /* g carries A times the sum: where A is huge, V is lost in it by rounding; where it
                 * is tiny, rounding of V is large beside A */
                const double close =
                    1e-9 * C + 2.3e-16 * (20 * C * (double)m + 8 * (1 + fabs(V[r])) / A);
                if (!(fabs((double)(ours - best[r])) <= close))
                    fail_msg("instance %d, start %d, m %d, A %g, C %g: %g is not %g", instance,
                             start, (int)m, A, C, ours, (double)best[r]);
                seen[ours == 0 ? 0 : ours == C ? 1 : 2]++;
                if (r == m - 1)
                    assert_int_equal(entries, count);
            }
        }
    }
    for (int s = 0; s < 3; s++)
        assert_true(seen[s] > INSTANCES / 2);
}

static double excess(const double *D, int64_t k, double bound, double s)
{
    double sum = -s;
    for (int64_t r = 0; r < k; r++)
        sum += fmin(fmax(D[r] - s, 0), bound);
    return sum;
}

static void test_box_row__sorting_equals_fixing(void **state)
{
    (void)state;
    static double D[LARGE];
    static double work[2 * LARGE];
    pt_random random;
    pt_random_init(&random, 2, PT_RANDOM_TEST, 63);
    for (int instance = 0; instance < 2000; instance++) {
        const int64_t k =
            1 + (int64_t)(pt_random_uniform(&random) * (instance % 20 == 0 ? LARGE - 1 : 40));
        const double bound = pow(10, 6 * pt_random_uniform(&random) - 3);
        for (int64_t r = 0; r < k; r++) {
            D[r] = instance % 3 == 0 ? floor(5 * pt_random_uniform(&random))
                                     : pt_random_normal(&random);
            if (instance % 5 == 0)
                D[r] *= 10 * bound * (double)k;
            if (instance % 7 == 0)
                D[r] = (double)r * 0.01;
        }
        const double sorted = sorted_box_shift(D, k, bound, work);
        const double fixed = pt_box_shift_fixed(D, k, bound);
        const double size = bound * (double)k;
        assert_true(sorted >= 0 && fabs(excess(D, k, bound, sorted)) <= 1e-13 * size * (double)k);
        assert_true(fabs(sorted - fixed) <= 1e-13 * size);
    }
}

static void test_box_row__known_answers(void **state)
{
    (void)state;
    double work[6];
    const double one[] = {1};
    assert_true(pt_box_shift_fixed(one, 1, 2) == 0.5); /* e = s = 1 - s */
    assert_true(sorted_box_shift(one, 1, 2, work) == 0.5);
    assert_true(pt_box_shift_fixed(one, 1, 0.25) == 0.25); /* at the bound */
    const double huge[] = {1e300, -1e300, INFINITY};
    assert_true(pt_box_shift_fixed(huge, 3, 2) == 4);
    assert_true(sorted_box_shift(huge, 3, 2, work) == 4);
    const double none[] = {-1, -INFINITY, 0};
    assert_true(pt_box_shift_fixed(none, 3, 1) == 0);
    assert_true(sorted_box_shift(none, 3, 1, work) == 0);

    const double g[] = {1, 5, 3};
    double flat[] = {0.25, 0.5, 0};
    assert_int_equal(pt_box_row(0, g, 3, 2, 1, flat), 1); /* K_pp = 0 */
    assert_true(flat[0] == 0 && flat[1] == 1 && flat[2] == 0);
    double empty[] = {0, 0, 0};
    assert_int_equal(pt_box_row(1, g, 3, 2, 0, empty), 0); /* C_p = 0 */
    assert_true(empty[0] == 0 && empty[1] == 0 && empty[2] == 0);
    double tiny[] = {1, 0, 0};
    assert_int_equal(pt_box_row(1e-299, g, 3, 2, 1, tiny), 1);
    assert_true(tiny[0] == 0 && tiny[1] == 1 && tiny[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_row__equals_a_general_program),
        cmocka_unit_test(test_box_row__sorting_equals_fixing),
        cmocka_unit_test(test_box_row__known_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
