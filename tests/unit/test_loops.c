/* exp and tanh of our own against long double, on every instruction set; tails of every length. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kernels/loops.h"
#include "polytomy/polytomy.h"

enum { BATCH = 4096, MOST_ISAS = 8 };

static const pt_isa *runnable[MOST_ISAS];
static int n_runnable;

static long double ulp_of(pt_type type, long double x)
{
    const int digits = type == PT_F32 ? FLT_MANT_DIG : DBL_MANT_DIG;
    int exponent = 0;
    frexpl(x, &exponent);
    return ldexpl(1, exponent - digits);
}

/* Distance in units of the last place of the exact result; results that are 0 by promise count as
 * right where the exact one is small enough. */
static double exp_error(pt_type type, double found, long double exact)
{
    const long double tiny = type == PT_F32 ? 0x1p-124L : 0x1p-1020L;
    const long double huge = type == PT_F32 ? (long double)FLT_MAX : (long double)DBL_MAX;
    if (exact < tiny && found == 0)
        return 0;
    if (exact > huge)
        return isinf(found) ? 0 : 1e9;
    if (isinf(found))
        return fabsl(exact - huge) / ulp_of(type, exact) < 2 ? 0 : 1e9;
    return (double)(fabsl((long double)found - exact) / ulp_of(type, exact));
}

/* The largest error of one batch of inputs, on every instruction set. */
static void batch_f32(const float *in, int64_t count, double scale, double worst[])
{
    static float out[MOST_ISAS][BATCH];
    for (int k = 0; k < n_runnable; k++) {
        memcpy(out[k], in, (size_t)count * sizeof *in);
        runnable[k]->f32.exp(out[k], count, scale);
    }
    for (int64_t i = 0; i < count; i++) {
        const long double exact = expl((long double)scale * in[i]);
        for (int k = 0; k < n_runnable; k++)
            worst[k] = fmax(worst[k], exp_error(PT_F32, out[k][i], exact));
    }
}

static void batch_f64(const double *in, int64_t count, double scale, double worst[])
{
    static double out[MOST_ISAS][BATCH];
    for (int k = 0; k < n_runnable; k++) {
        memcpy(out[k], in, (size_t)count * sizeof *in);
        runnable[k]->f64.exp(out[k], count, scale);
    }
    for (int64_t i = 0; i < count; i++) {
        const long double exact = expl((long double)scale * in[i]);
        for (int k = 0; k < n_runnable; k++)
            worst[k] = fmax(worst[k], exp_error(PT_F64, out[k][i], exact));
    }
}

static void assert_at_most(const char *what, const double worst[], double most)
{
    for (int k = 0; k < n_runnable; k++) {
        print_message("%s on %s: %.3f ulp\n", what, runnable[k]->name, worst[k]);
        assert_true(worst[k] <= most);
    }
}

/* Bit patterns over all of float, and densely where exp is neither 0 nor infinite. */
static void test_exp_f32__is_within_2_ulp(void **state)
{
    (void)state;
    static float in[BATCH];
    double worst[MOST_ISAS] = {0};
    int64_t filled = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 6151) {
        const uint32_t pattern = (uint32_t)bits;
        memcpy(&in[filled], &pattern, sizeof pattern);
        filled += isfinite(in[filled]) ? 1 : 0;
        if (filled == BATCH) {
            batch_f32(in, filled, 1, worst);
            filled = 0;
        }
    }
    for (double x = -106; x < 90; x += 3.1e-4) {
        in[filled++] = (float)x;
        if (filled == BATCH) {
            batch_f32(in, filled, 1, worst);
            filled = 0;
        }
    }
    batch_f32(in, filled, 1, worst);
    assert_at_most("exp, float", worst, 2);
}

static void test_exp_f64__is_within_2_ulp(void **state)
{
    (void)state;
    static double in[BATCH];
    double worst[MOST_ISAS] = {0};
    pt_random random;
    pt_random_init(&random, 3, PT_RANDOM_TEST, 1);
    for (int batch = 0; batch < 120; batch++) {
        for (int i = 0; i < BATCH; i++) {
            const double u = pt_random_uniform(&random);
            in[i] = batch % 3 == 0   ? -750 + 1470 * u
                    : batch % 3 == 1 ? (2 * u - 1) * 2
                                     : ldexp(2 * u - 1, -(i % 1100));
        }
        batch_f64(in, BATCH, 1, worst);
    }
    assert_at_most("exp, double", worst, 2);
}

/* The factor counts as given: e^(s v), not e^(s v as rounded). */
static void test_exp__factor_is_not_rounded(void **state)
{
    (void)state;
    static float in[BATCH];
    static double in64[BATCH];
    double worst[MOST_ISAS] = {0};
    double worst64[MOST_ISAS] = {0};
    pt_random random;
    pt_random_init(&random, 4, PT_RANDOM_TEST, 2);
    for (int batch = 0; batch < 60; batch++) {
        const double scale = -ldexp(0.5 + pt_random_uniform(&random), batch % 40 - 20);
        for (int i = 0; i < BATCH; i++) {
            in[i] = (float)(pt_random_uniform(&random) * 86 / -scale);
            in64[i] = pt_random_uniform(&random) * 700 / -scale;
        }
        batch_f32(in, BATCH, scale, worst);
        batch_f64(in64, BATCH, scale, worst64);
    }
    assert_at_most("exp with factor, float", worst, 2);
    assert_at_most("exp with factor, double", worst64, 2);
}

static void test_exp__ends_of_the_range(void **state)
{
    (void)state;
    for (int k = 0; k < n_runnable; k++) {
        float f[] = {0, -0.0F, INFINITY, -INFINITY, NAN, 1e30F, -1e30F, -88.0F, FLT_MIN, 1e-45F};
        double d[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1e300, -1e300, -709.0, DBL_MIN, 5e-324};
        const int count = sizeof f / sizeof *f;
        runnable[k]->f32.exp(f, count, 1);
        runnable[k]->f64.exp(d, count, 1);
        assert_true(f[0] == 1 && f[1] == 1 && f[8] == 1 && f[9] == 1);
        assert_true(d[0] == 1 && d[1] == 1 && d[8] == 1 && d[9] == 1);
        assert_true(isinf(f[2]) && isinf(d[2]) && isinf(f[5]) && isinf(d[5]));
        assert_true(f[3] == 0 && d[3] == 0 && f[6] == 0 && d[6] == 0);
        assert_true(isnan(f[4]) && isnan(d[4]));
        assert_true(f[7] == 0 || f[7] >= FLT_MIN); /* no denormal numbers */
        assert_true(d[7] == 0 || d[7] >= DBL_MIN);
    }
}

static void test_tanh__is_within_4_ulp(void **state)
{
    (void)state;
    static float f[BATCH];
    static double d[BATCH];
    double worst32[MOST_ISAS] = {0};
    double worst64[MOST_ISAS] = {0};
    pt_random random;
    pt_random_init(&random, 5, PT_RANDOM_TEST, 3);
    for (int batch = 0; batch < 40; batch++) {
        static double x[BATCH];
        for (int i = 0; i < BATCH; i++)
            x[i] = (double)(float)((2 * pt_random_uniform(&random) - 1) * pow(2, 5 - batch));
        for (int k = 0; k < n_runnable; k++) {
            for (int i = 0; i < BATCH; i++) {
                f[i] = (float)x[i];
                d[i] = x[i];
            }
            runnable[k]->f32.tanh(f, BATCH, 1, 0);
            runnable[k]->f64.tanh(d, BATCH, 1, 0);
            for (int i = 0; i < BATCH; i++) {
                const long double exact = tanhl(x[i]);
                assert_true(fabsf(f[i]) <= 1 && fabs(d[i]) <= 1);
                if (exact == 0)
                    continue;
                worst32[k] =
                    fmax(worst32[k], (double)(fabsl(f[i] - exact) / ulp_of(PT_F32, exact)));
                worst64[k] =
                    fmax(worst64[k], (double)(fabsl(d[i] - exact) / ulp_of(PT_F64, exact)));
            }
        }
    }
    assert_at_most("tanh, float", worst32, 4);
    assert_at_most("tanh, double", worst64, 4);
    for (int k = 0; k < n_runnable; k++) {
        double ends[] = {INFINITY, -INFINITY, NAN, 0};
        runnable[k]->f64.tanh(ends, 4, 1, 0);
        assert_true(ends[0] == 1 && ends[1] == -1 && isnan(ends[2]) && ends[3] == 0);
    }
}

static void test_power__equals_repeated_products(void **state)
{
    (void)state;
    for (int k = 0; k < n_runnable; k++)
        for (int64_t degree = 1; degree <= 100; degree += degree < 10 ? 1 : 17) {
            float f[70];
            double d[70];
            for (int i = 0; i < 70; i++)
                f[i] = (float)(d[i] = -1.2 + 0.03125 * i);
            runnable[k]->f32.power(f, 70, 0.5, 0.25, degree);
            runnable[k]->f64.power(d, 70, 0.5, 0.25, degree);
            for (int i = 0; i < 70; i++) {
                long double exact = 1;
                for (int64_t p = 0; p < degree; p++)
                    exact *= 0.5L * (-1.2 + 0.03125 * i) + 0.25L;
                const long double size = fabsl(exact) * (long double)degree;
                assert_true(fabsl(d[i] - exact) <= 20 * DBL_EPSILON * size + 1e-300);
                assert_true(fabsl(f[i] - exact) <= 20 * FLT_EPSILON * size + 1e-35);
            }
        }
}

/* Lengths around the widths of vectors; what lies behind the end stays. */
static void test_loops__tails(void **state)
{
    (void)state;
    for (int k = 0; k < n_runnable; k++)
        for (int count = 0; count < 70; count++) {
            float f[71];
            double d[71];
            float norm[71];
            for (int i = 0; i < 71; i++) {
                f[i] = (float)i / 8;
                d[i] = (double)i / 8;
                norm[i] = (float)i;
            }
            runnable[k]->f32.exp(f, count, -0.5);
            runnable[k]->f64.exp(d, count, -0.5);
            for (int i = 0; i < 71; i++) {
                const double expected = i < count ? exp(-0.5 * i / 8) : (double)i / 8;
                assert_true(fabs(f[i] - expected) < 1e-6 && fabs(d[i] - expected) < 1e-15);
            }
            for (int i = 0; i < 71; i++)
                f[i] = (float)(i % 7);
            runnable[k]->f32.distance(f, count, norm, 3);
            for (int i = 0; i < 71; i++)
                assert_true(f[i] ==
                            (i < count ? fmaxf(0, (float)(i + 3 - 2 * (i % 7))) : (float)(i % 7)));
        }
}

static void test_isa__names_are_known_and_one_is_chosen(void **state)
{
    (void)state;
    assert_string_equal(pt_isas[0]->name, "base");
    assert_true(pt_isa_runs(pt_isas[0]));
    assert_non_null(pt_isa_chosen());
    assert_true(pt_isa_runs(pt_isa_chosen()));
    assert_non_null(strstr(pt_build_info(), "instruction set: "));
    assert_non_null(strstr(pt_build_info(), "blas: "));
}

int main(void)
{
    for (int i = 0; pt_isas[i] && n_runnable < MOST_ISAS; i++)
        if (pt_isa_runs(pt_isas[i]))
            runnable[n_runnable++] = pt_isas[i];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_f32__is_within_2_ulp),
        cmocka_unit_test(test_exp_f64__is_within_2_ulp),
        cmocka_unit_test(test_exp__factor_is_not_rounded),
        cmocka_unit_test(test_exp__ends_of_the_range),
        cmocka_unit_test(test_tanh__is_within_4_ulp),
        cmocka_unit_test(test_power__equals_repeated_products),
        cmocka_unit_test(test_loops__tails),
        cmocka_unit_test(test_isa__names_are_known_and_one_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
