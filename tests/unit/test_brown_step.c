/* BrownBoost's step: the sums against libm, both equations at the solution, and the path that the
 * differential equation takes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/random.h"
#include "learners/boosting/brown_step.h"

enum { N = 1100 };

typedef struct examples {
    double rho[N];
    double b[N];
    double weight[N];
} examples;

/* Hypotheses that are right in `share` of the cases, margins around `centre`. */
static pt_brown random_problem(examples *x, int64_t n, double share, double centre, double left,
                               bool weighted, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < n; i++) {
        x->rho[i] = centre + 0.6 * pt_random_normal(&random);
        x->b[i] = pt_random_uniform(&random) < share ? 1 : -1;
        if (pt_random_uniform(&random) < 0.05)
            x->b[i] = 0;
        x->weight[i] = 0.1 + 3 * pt_random_uniform(&random);
    }
    return (pt_brown){n, x->rho, x->b, weighted ? x->weight : NULL, left};
}

static void slow_sums(const pt_brown *p, double alpha, double time, pt_brown_sums *sums)
{
    *sums = (pt_brown_sums){0};
    for (int64_t i = 0; i < p->n; i++) {
        const double w = p->weight ? p->weight[i] : 1;
        const double u = p->rho[i] + p->left - time + alpha * p->b[i];
        const double e = w * exp(-u * u);
        sums->potential += w * erfc(u);
        sums->A += e;
        sums->B += p->b[i] * e;
        sums->C += u * e;
        sums->D += p->b[i] * u * e;
        sums->Q += p->b[i] * p->b[i] * u * e;
    }
}

static void expect_near(double a, double b, double scale)
{
    if (!(fabs(a - b) <= 1e-13 * scale))
        fail_msg("%.17g and %.17g", a, b);
}

static void test_brown__sums_are_those_of_libm(void **state)
{
    (void)state;
    static examples x;
    const pt_isa_level chosen = pt_isa_level_chosen();
    for (int level = 0; level < PT_ISA_LEVELS; level++) {
        if (!pt_isa_level_runs((pt_isa_level)level))
            continue;
        pt_isa_level_force((pt_isa_level)level);
        for (int q = 0; q < 6; q++) {
            const pt_brown p =
                random_problem(&x, q ? N - 3 * q : 1, 0.6, q - 2, 1 + 0.5 * q, q % 2, (uint64_t)q);
            pt_brown_sums fast;
            pt_brown_sums slow;
            pt_brown_at(&p, 0.3 * q, 0.2, &fast);
            slow_sums(&p, 0.3 * q, 0.2, &slow);
            const double scale = 4 * (double)N;
            expect_near(fast.potential, slow.potential, scale);
            expect_near(fast.A, slow.A, scale);
            expect_near(fast.B, slow.B, scale);
            expect_near(fast.C, slow.C, scale);
            expect_near(fast.D, slow.D, scale);
            expect_near(fast.Q, slow.Q, scale);
        }
    }
    pt_isa_level_force(chosen);
}

/* One example at a time, so that errors of single values cannot hide in a sum. */
static void test_brown__potential_is_erfc_to_its_last_digits(void **state)
{
    (void)state;
    for (double u = -8; u <= 26; u += 0.0137) {
        const double zero = 0;
        const pt_brown p = {1, &u, &zero, NULL, 0};
        pt_brown_sums sums;
        pt_brown_at(&p, 0, 0, &sums);
        /* exp(-u^2) itself is uncertain by u^2 units of the last digit */
        if (!(fabs(sums.potential - erfc(u)) <= (5 + u * u) * 2.3e-16 * erfc(u)))
            fail_msg("erfc(%g): %.17g, %.17g", u, sums.potential, erfc(u));
    }
}

static void expect_solution(const pt_brown *p, const pt_brown_move *move)
{
    pt_brown_sums before;
    pt_brown_sums after;
    slow_sums(p, 0, 0, &before);
    slow_sums(p, move->alpha, move->time, &after);
    assert_true(move->alpha > 0 && move->time > 0 && move->time <= p->left);
    if (!(fabs(after.potential - before.potential) <= 1e-11 * before.potential))
        fail_msg("potential %.17g, then %.17g", before.potential, after.potential);
    if (move->time < p->left && !(fabs(after.B) <= 1e-9 * after.A))
        fail_msg("edge %g of %g", after.B, after.A);
    assert_true(move->passes < 100); /* some ten but for ends at infinity, which b = 0 allows */
}

static void test_brown__both_equations_hold(void **state)
{
    (void)state;
    static examples x;
    int64_t ended = 0;
    int64_t tried = 0;
    for (int q = 0; q < 400; q++) {
        pt_random random;
        pt_random_init(&random, 99, PT_RANDOM_TEST, (uint64_t)q);
        const double share = 0.52 + 0.47 * pt_random_uniform(&random);
        const double left = 0.01 + 3 * pt_random_uniform(&random);
        const pt_brown p =
            random_problem(&x, 50 + pt_random_below(&random, N - 50), share,
                           2 * pt_random_uniform(&random) - 1.5, left, q % 2, (uint64_t)q);
        pt_brown_sums start;
        slow_sums(&p, 0, 0, &start);
        const pt_brown_move move = pt_brown_solve(&p);
        if (start.B <= 0) {
            assert_true(move.alpha == 0 && move.time == 0);
            continue;
        }
        expect_solution(&p, &move);
        tried++;
        ended += move.time == p.left;
    }
    assert_true(tried > 300 && ended > 20 &&
                ended < tried - 20); /* both ends of the path are met */
}

/* dt/dalpha = gamma, by Runge-Kutta of order 4 with small steps until gamma = 0 or t = left. */
static double slow_gamma(const pt_brown *p, double alpha, double time)
{
    pt_brown_sums sums;
    slow_sums(p, alpha, time, &sums);
    return sums.B / sums.A;
}

static pt_brown_move integrate(const pt_brown *p)
{
    const double h = 1e-3;
    double alpha = 0;
    double time = 0;
    while (alpha < 100) {
        const double k1 = slow_gamma(p, alpha, time);
        const double k2 = slow_gamma(p, alpha + h / 2, time + h / 2 * k1);
        const double k3 = slow_gamma(p, alpha + h / 2, time + h / 2 * k2);
        const double k4 = slow_gamma(p, alpha + h, time + h * k3);
        const double next = time + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        if (next >= p->left) /* the rest of the last step, along a straight line */
            return (pt_brown_move){alpha + h * (p->left - time) / (next - time), p->left, 0};
        if (slow_gamma(p, alpha + h, next) <= 0)
            return (pt_brown_move){alpha + h / 2, next, 0};
        alpha += h;
        time = next;
    }
    return (pt_brown_move){0, 0, 0};
}

static void test_brown__follows_the_differential_equation(void **state)
{
    (void)state;
    static examples x;
    for (int q = 0; q < 12; q++) {
        const double left = q % 3 == 0 ? 0.3 : 2.5;
        const pt_brown p =
            random_problem(&x, 150, 0.61 + 0.03 * q, -0.5 + 0.1 * q, left, q % 2, (uint64_t)q);
        const pt_brown_move slow = integrate(&p);
        const pt_brown_move fast = pt_brown_solve(&p);
        if (!(fabs(slow.alpha - fast.alpha) < 2e-3 && fabs(slow.time - fast.time) < 1e-5))
            fail_msg("%d: alpha %g %g, time %g %g", q, slow.alpha, fast.alpha, slow.time,
                     fast.time);
    }
}

/* A hypothesis that is always right moves everything by the time that is left, and uses it up. */
static void test_brown__perfect_hypothesis_uses_up_the_time(void **state)
{
    (void)state;
    static examples x;
    pt_brown p = random_problem(&x, 40, 1, 0, 1.7, false, 3);
    for (int i = 0; i < 40; i++)
        x.b[i] = 1;
    const pt_brown_move move = pt_brown_solve(&p);
    assert_true(move.time == 1.7 && fabs(move.alpha - 1.7) < 1e-12);
    for (int i = 0; i < 40; i++)
        x.b[i] = -1; /* and one that is always wrong does not move at all */
    assert_true(pt_brown_solve(&p).alpha == 0);
}

static void test_brown__width_of_an_error(void **state)
{
    (void)state;
    for (double e = 1e-12; e < 1; e *= 1.7)
        assert_true(fabs(erfc(pt_brown_width(e)) / e - 1) < 1e-12);
}

static void test_brown__weights(void **state)
{
    (void)state;
    static examples x;
    double D[N];
    for (int weighted = 0; weighted < 2; weighted++) {
        const pt_brown p = random_problem(&x, N, 0.6, 0, 0.4, weighted, 3);
        pt_brown_weights(&p, D);
        for (int64_t i = 0; i < N; i++) {
            const double u = x.rho[i] + 0.4;
            assert_true(fabs(D[i] - (weighted ? x.weight[i] : 1) * exp(-u * u)) < 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brown__sums_are_those_of_libm),
        cmocka_unit_test(test_brown__potential_is_erfc_to_its_last_digits),
        cmocka_unit_test(test_brown__both_equations_hold),
        cmocka_unit_test(test_brown__follows_the_differential_equation),
        cmocka_unit_test(test_brown__perfect_hypothesis_uses_up_the_time),
        cmocka_unit_test(test_brown__width_of_an_error),
        cmocka_unit_test(test_brown__weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
