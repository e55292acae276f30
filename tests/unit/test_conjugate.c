/* Conjugate gradients: small systems, preconditioners that are right, wrong, and absent. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "solvers/squares/conjugate.h"

enum { N = 24, ELL = 3 };

/* H is diagonal: 1, 4, 9, ...; M takes it times `wrong` in every third place. */
typedef struct diagonal {
    double wrong;
    int products;
} diagonal;

static double element(int64_t i)
{
    return (double)((i + 1) * (i + 1));
}

static pt_status multiply(void *user, const double *X, double *out, const pt_task *task,
                          pt_error *err)
{
    (void)task;
    (void)err;
    ((diagonal *)user)->products++;
    for (int64_t p = 0; p < N * ELL; p++)
        out[p] = element(p % N) * X[p];
    return PT_OK;
}

static pt_status divide(void *user, const double *R, double *out, const pt_task *task,
                        pt_error *err)
{
    (void)task;
    (void)err;
    const diagonal *d = user;
    for (int64_t p = 0; p < N * ELL; p++)
        out[p] = R[p] / (element(p % N) * (p % N % 3 == 0 ? d->wrong : 1));
    return PT_OK;
}

static pt_status refuse(void *user, const double *X, double *out, const pt_task *task,
                        pt_error *err)
{
    (void)user;
    (void)X;
    (void)out;
    (void)task;
    return pt_fail(err, PT_ECANCELLED, "no");
}

/* Right-hand sides: ones, zeros, 0 .. N-1. */
static double solve(diagonal *d, int64_t most, double *X, double *R)
{
    const double norm[ELL] = {sqrt(N), 1, sqrt((N - 1.0) * N * (2.0 * N - 1) / 6)};
    const pt_conjugate_system system = {N, ELL, norm, 1e-12, most, multiply, divide, d};
    double worst = -1;
    memset(X, 0, sizeof(double) * N * ELL);
    for (int64_t i = 0; i < N; i++) {
        R[i] = 1;
        R[N + i] = 0;
        R[2 * N + i] = (double)i;
    }
    assert_int_equal(pt_conjugate_solve(&system, X, R, &worst, NULL, NULL), PT_OK);
    return worst;
}

static void check(const double *X)
{
    for (int64_t i = 0; i < N; i++) {
        assert_true(fabs(X[i] * element(i) - 1) < 1e-9);
        assert_true(X[N + i] == 0);
        assert_true(fabs(X[2 * N + i] * element(i) - (double)i) < 1e-9);
    }
}

static void test_conjugate__as_many_steps_as_eigenvalues(void **state)
{
    (void)state;
    double X[N * ELL];
    double R[N * ELL];
    diagonal right = {1, 0};
    assert_true(solve(&right, 100, X, R) <= 1e-12);
    assert_int_equal(right.products, 1);
    check(X);
    diagonal wrong = {1000, 0}; /* two different eigenvalues, far apart: refinement would diverge */
    assert_true(solve(&wrong, 100, X, R) <= 1e-12);
    assert_in_range(wrong.products, 2, 3);
    check(X);
}

static void test_conjugate__too_few_steps_are_told(void **state)
{
    (void)state;
    double X[N * ELL];
    double R[N * ELL];
    diagonal wrong = {1000, 0};
    const double worst = solve(&wrong, 1, X, R);
    assert_true(worst > 1e-12 && isfinite(worst));
}

static void test_conjugate__errors_of_products_come_through(void **state)
{
    (void)state;
    const double norm[ELL] = {1, 1, 1};
    double X[N * ELL] = {0};
    double R[N * ELL] = {1};
    double worst = 0;
    diagonal d = {1, 0};
    const pt_conjugate_system a = {N, ELL, norm, 1e-12, 9, refuse, divide, &d};
    const pt_conjugate_system b = {N, ELL, norm, 1e-12, 9, multiply, refuse, &d};
    assert_int_equal(pt_conjugate_solve(&a, X, R, &worst, NULL, NULL), PT_ECANCELLED);
    assert_int_equal(pt_conjugate_solve(&b, X, R, &worst, NULL, NULL), PT_ECANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conjugate__as_many_steps_as_eigenvalues),
        cmocka_unit_test(test_conjugate__too_few_steps_are_told),
        cmocka_unit_test(test_conjugate__errors_of_products_come_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
