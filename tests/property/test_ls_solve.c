/* Least-squares solves: residuals recomputed from scratch, the primal against the dual. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "solvers/squares/ls_solve.h"

enum { N = 300, D = 6, K = 4 };

static float x32[N * D];
static double x64[N * D];
static int64_t class_of[N];
static double weight[N];

static void fill(void)
{
    pt_random random;
    pt_random_init(&random, 11, PT_RANDOM_TEST, 0);
    for (int i = 0; i < N * D; i++) {
        x32[i] = (float)pt_random_normal(&random);
        x64[i] = x32[i];
    }
    for (int i = 0; i < N; i++) {
        class_of[i] = pt_random_below(&random, K);
        weight[i] = 0.5 + pt_random_uniform(&random);
    }
}

static double rbf(int64_t i, int64_t j, double sigma)
{
    double square = 0;
    for (int64_t c = 0; c < D; c++)
        square += (x64[i * D + c] - x64[j * D + c]) * (x64[i * D + c] - x64[j * D + c]);
    return exp(-square / (2 * sigma * sigma));
}

/* The largest ||E_s - (K + ridge W^-1) A_s|| / ||E_s||, by plain loops. */
static double relative_residual(const double *A, double sigma, double ridge, bool weighted)
{
    double worst = 0;
    for (int64_t s = 0; s < K; s++) {
        double residual = 0;
        double norm = 0;
        for (int64_t i = 0; i < N; i++) {
            double r =
                (double)(class_of[i] == s) - ridge / (weighted ? weight[i] : 1) * A[s * N + i];
            for (int64_t j = 0; j < N; j++)
                r -= rbf(i, j, sigma) * A[s * N + j];
            residual += r * r;
            norm += class_of[i] == s;
        }
        worst = fmax(worst, sqrt(residual / norm));
    }
    return worst;
}

static void test_ls_solve__residual_is_small_in_both_precisions(void **state)
{
    (void)state;
    const double sigmas[] = {0.3, 1.5, 6, 40};
    const double ridges[] = {1e-5, 1e-2, 1, 100};
    const pt_rows rows32 = {.n = N, .d = D, .type = PT_F32, .dense = x32, .stride = D};
    const pt_rows rows64 = {.n = N, .d = D, .type = PT_F64, .dense = x64, .stride = D};
    double *A = malloc(sizeof(double) * N * K);
    assert_non_null(A);
    for (size_t s = 0; s < 4; s++)
        for (size_t g = 0; g < 4; g++)
            for (int weighted = 0; weighted < 2; weighted++)
                for (int type = 0; type < 2; type++) {
                    pt_error err = PT_ERROR_INIT;
                    pt_warnings warnings = {0};
                    const pt_kernel kernel = {.ops = pt_kernel_find("rbf"), .sigma = sigmas[s]};
                    const pt_ls_problem problem = {type ? &rows64 : &rows32, class_of, K,
                                                   weighted ? weight : NULL, NULL};
                    if (pt_ls_solve_dual(&problem, &kernel, ridges[g], type ? PT_F64 : PT_F32, A,
                                         NULL, &warnings, &err) != PT_OK)
                        fail_msg("%s", err.text);
                    const double found = relative_residual(A, sigmas[s], ridges[g], weighted);
                    if (!(found <= 1e-9)) /* the loops above round too */
                        fail_msg("sigma %g, ridge %g, type %d: residual %g", sigmas[s], ridges[g],
                                 type, found);
                    pt_warnings_free(&warnings);
                }
    free(A);
}

/* A float32 factor that refinement cannot use is a preconditioner; only where the ridge is next to
 * nothing there is one in double, and it is known before. */
static void test_ls_solve__a_coarse_factor_is_mended_not_thrown_away(void **state)
{
    (void)state;
    const double ridges[] = {1e-3, 1e-4, 1e-5, 1e-9};
    const pt_rows rows = {.n = N, .d = D, .type = PT_F32, .dense = x32, .stride = D};
    const pt_kernel kernel = {.ops = pt_kernel_find("rbf"), .sigma = 6};
    const pt_ls_problem problem = {&rows, class_of, K, NULL, NULL};
    double *A = malloc(sizeof(double) * N * K);
    assert_non_null(A);
    for (size_t g = 0; g < 4; g++) {
        const bool hopeless = ridges[g] < 1e-8;
        pt_warnings warnings = {0};
        assert_int_equal(pt_ls_needs_double(&rows, &kernel, K, ridges[g]), hopeless);
        assert_int_equal(
            pt_ls_solve_dual(&problem, &kernel, ridges[g], PT_F32, A, NULL, &warnings, NULL),
            PT_OK);
        assert_int_equal(warnings.count > 0, hopeless);
        assert_true(relative_residual(A, 6, ridges[g], false) <= (hopeless ? 1e-5 : 1e-9));
        pt_warnings_free(&warnings);
    }
    free(A);
}

/* HNR Proposition 2: V = X^T A. */
static void test_ls_solve__primal_is_the_dual_seen_from_the_columns(void **state)
{
    (void)state;
    const pt_rows rows = {.n = N, .d = D, .type = PT_F64, .dense = x64, .stride = D};
    double *A = malloc(sizeof(double) * N * K);
    double V[D * K];
    assert_non_null(A);
    for (int weighted = 0; weighted < 2; weighted++) {
        pt_warnings warnings = {0};
        const pt_kernel kernel = {.ops = pt_kernel_find("linear"), .sigma = 1};
        const pt_ls_problem problem = {&rows, class_of, K, weighted ? weight : NULL, NULL};
        assert_int_equal(pt_ls_solve_dual(&problem, &kernel, 0.3, PT_F64, A, NULL, &warnings, NULL),
                         PT_OK);
        assert_int_equal(pt_ls_solve_primal(&problem, 0.3, V, NULL, NULL), PT_OK);
        for (int64_t s = 0; s < K; s++)
            for (int64_t c = 0; c < D; c++) {
                double sum = 0;
                for (int64_t i = 0; i < N; i++)
                    sum += x64[i * D + c] * A[s * N + i];
                assert_true(fabs(sum - V[s * D + c]) < 1e-10);
            }
        pt_warnings_free(&warnings);
    }
    free(A);
}

static void test_ls_solve__an_indefinite_matrix_is_an_error_with_the_row(void **state)
{
    (void)state;
    const pt_rows rows = {.n = N, .d = D, .type = PT_F32, .dense = x32, .stride = D};
    const pt_kernel kernel = {.ops = pt_kernel_find("sigmoid"), .sigma = 0.5, .coef0 = -3};
    const pt_ls_problem problem = {&rows, class_of, K, NULL, NULL};
    pt_error err = PT_ERROR_INIT;
    pt_warnings warnings = {0};
    double *A = malloc(sizeof(double) * N * K);
    assert_non_null(A);
    assert_int_equal(pt_ls_solve_dual(&problem, &kernel, 1e-3, PT_F32, A, NULL, &warnings, &err),
                     PT_ENUMERIC);
    assert_non_null(strstr(err.text, "row"));
    assert_non_null(strstr(err.text, "--ridge"));
    pt_warnings_free(&warnings);
    free(A);
}

int main(void)
{
    fill();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ls_solve__residual_is_small_in_both_precisions),
        cmocka_unit_test(test_ls_solve__a_coarse_factor_is_mended_not_thrown_away),
        cmocka_unit_test(test_ls_solve__primal_is_the_dual_seen_from_the_columns),
        cmocka_unit_test(test_ls_solve__an_indefinite_matrix_is_an_error_with_the_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
