/* When a sample tells two points apart: the errors of both are on the same rows. Which ridge is
 * chosen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/labelled_rows.h"
#include "validate/auto.h"
#include "validate/squares/ls_machine.h"

enum { N = 1000 };

/* `shared` rows wrong for both, then `more` for the point alone, `fewer` for the best alone. */
static bool worse(int shared, int more, int fewer)
{
    float point[N] = {0};
    float best[N] = {0};
    for (int i = 0; i < shared + more; i++)
        point[i] = 1;
    for (int i = 0; i < shared; i++)
        best[i] = 1;
    for (int i = shared + more; i < shared + more + fewer; i++)
        best[i] = 1;
    return pt_auto_is_worse(point, best, N);
}

static void test_ls_auto__differences_are_judged_by_disagreements(void **state)
{
    (void)state;
    assert_false(worse(0, 0, 0));
    assert_false(worse(100, 0, 0));
    assert_false(worse(100, 1, 0)); /* 1 <= sqrt(1) */
    assert_true(worse(100, 2, 0));
    assert_false(worse(100, 15, 10)); /* 5 <= sqrt(25) */
    assert_true(worse(100, 16, 10));  /* 6 > sqrt(26) */
    assert_true(worse(500, 16, 10));  /* errors that both make do not count */
    assert_false(worse(100, 10, 16)); /* fewer errors */
}

/* Losses of half the size: the difference and its standard error shrink alike. */
static void test_ls_auto__losses_count_by_their_size(void **state)
{
    (void)state;
    float point[N] = {0};
    float best[N] = {0};
    for (int i = 0; i < 26; i++)
        (i < 16 ? point : best)[i] = 0.5F;
    assert_true(pt_auto_is_worse(point, best, N)); /* 3 > sqrt(26 / 4) */
    best[30] = 0.5F;
    assert_false(pt_auto_is_worse(point, best, N)); /* 2.5 <= sqrt(27 / 4) */
}

/* ---- the ridge ---------------------------------------------------------------------------------
 */

/* The ridge of the fewest errors, a power of two; INFINITY: all have equally many. */
static double best_power;

/* As many rows wrong as there are powers of two between a point's ridge and the best. */
static pt_status errors_by_ridge(const pt_problem *problem, const pt_params *params,
                                 const pt_ls_point *points, int64_t n_points,
                                 const pt_partitions *partitions, pt_holdout_fn take, void *context,
                                 const pt_task *task, pt_error *err)
{
    (void)params;
    (void)partitions;
    (void)task;
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    double *scores = calloc((size_t)(n * k), sizeof *scores);
    pt_status status = scores ? PT_OK : PT_ENOMEM;
    for (int64_t p = 0; p < n_points && status == PT_OK; p++) {
        const double off = fabs(log2(points[p].ridge) - best_power);
        const double wrong = isfinite(off) ? off : 7;
        for (int64_t i = 0; i < n; i++)
            for (int64_t r = 0; r < k; r++)
                scores[i * k + r] =
                    ((double)i < wrong) != (r == problem->labels->class_of[i]) ? 1 : 0;
        status = take(context, p, 0, scores, err);
    }
    free(scores);
    return status;
}

static double ridge_for(double power)
{
    pt_error err = PT_ERROR_INIT;
    labelled l = labelled_rows(PT_LABEL_CLASS, 60, 3, 3, 0, 5);
    const pt_problem problem = labelled_problem(&l, false, false);
    pt_params *params = small_params("machine=onelsm,kernel=linear");
    best_power = power;
    small_must(pt_auto_by_guide(errors_by_ridge, params, &problem, NULL, &err), &err, "auto");
    const double ridge = pt_ls_ridge(params);
    pt_params_free(params);
    labelled_free(&l);
    return ridge;
}

/* Within the grid, and beyond its upper end to 2^24; equals do not lead there. */
static void test_ls_auto__the_best_ridge_is_found_beyond_the_grid(void **state)
{
    (void)state;
    for (int power = -10; power <= 24; power++)
        assert_true(ridge_for(power) == ldexp(1, power));
    assert_true(ridge_for(-20) == ldexp(1, -10));
    assert_true(ridge_for(40) == ldexp(1, 24));
    assert_true(ridge_for(INFINITY) == ldexp(1, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ls_auto__differences_are_judged_by_disagreements),
        cmocka_unit_test(test_ls_auto__losses_count_by_their_size),
        cmocka_unit_test(test_ls_auto__the_best_ridge_is_found_beyond_the_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
