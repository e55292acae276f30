/* needs: glpk clp */
/* The door to Clp: programs whose solution is known, programs without one, and random ones against
 * another simplex method. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../support/other_simplex.h"
#include "base/random.h"

/* A matrix by rows, zeros left out. */
static void fill(pt_program *p, const double *A)
{
    int at = 0;
    for (int64_t j = 0; j < p->columns; j++) {
        for (int64_t i = 0; i < p->rows; i++)
            if (A[i * p->columns + j] != 0) {
                p->index[at] = (int)i;
                p->value[at++] = A[i * p->columns + j];
            }
        p->start[j + 1] = at;
    }
}

static pt_program new_program(int64_t columns, int64_t rows, const double *A)
{
    pt_program p;
    pt_error err = {0};
    assert_int_equal(pt_program_init(&p, columns, rows, columns * rows, &err), PT_OK);
    fill(&p, A);
    return p;
}

static pt_lp_answer solve(pt_lp *lp)
{
    pt_lp_answer answer;
    pt_error err = {0};
    assert_int_equal(pt_lp_solve(lp, &answer, NULL, &err), PT_OK);
    return answer;
}

static pt_lp *open_lp(pt_program *p)
{
    pt_lp *lp = NULL;
    pt_error err = {0};
    assert_int_equal(pt_lp_new(&lp, p, &err), PT_OK);
    pt_program_free(p);
    return lp;
}

/* max 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6), prices (0, 3/2, 1). */
static pt_lp *wyndor(void)
{
    pt_program p = new_program(2, 3, (const double[]){1, 0, 0, 2, 3, 2});
    p.cost[0] = -3;
    p.cost[1] = -5;
    memcpy(p.row_upper, (const double[]){4, 12, 18}, 3 * sizeof(double));
    return open_lp(&p);
}

static void test_linear_program__textbook(void **state)
{
    (void)state;
    pt_lp *lp = wyndor();
    const pt_lp_answer answer = solve(lp);
    assert_int_equal(answer.end, PT_LP_OPTIMAL);
    assert_float_equal(answer.value, -36, 1e-12);
    assert_float_equal(answer.x[0], 2, 1e-12);
    assert_float_equal(answer.x[1], 6, 1e-12);
    assert_float_equal(answer.price[0], 0, 1e-12);
    assert_float_equal(answer.price[1], -1.5, 1e-12); /* an upper bound that binds */
    assert_float_equal(answer.price[2], -1, 1e-12);
    assert_float_equal(answer.reduced[0], 0, 1e-12);
    pt_lp_free(lp);
}

static void test_linear_program__rows_are_added(void **state)
{
    (void)state;
    pt_lp *lp = wyndor();
    (void)solve(lp);
    pt_error err = {0};
    /* x + y <= 5, -x <= -1 */
    assert_int_equal(pt_lp_add_rows(lp, 2, (const int[]){0, 2, 3}, (const int[]){0, 1, 0},
                                    (const double[]){1, 1, -1},
                                    (const double[]){-HUGE_VAL, -HUGE_VAL}, (const double[]){5, -1},
                                    &err),
                     PT_OK);
    const pt_lp_answer answer = solve(lp);
    assert_int_equal(answer.end, PT_LP_OPTIMAL);
    assert_float_equal(answer.value, -23, 1e-12); /* at (1, 4) */
    pt_lp_free(lp);
}

static void test_linear_program__no_solution_is_an_answer(void **state)
{
    (void)state;
    pt_program p = new_program(1, 2, (const double[]){1, 1});
    p.row_lower[0] = 2;
    p.row_upper[1] = 1;
    pt_lp *lp = open_lp(&p);
    assert_int_equal(solve(lp).end, PT_LP_INFEASIBLE);
    pt_lp_free(lp);

    p = new_program(2, 1, (const double[]){1, -1});
    p.cost[0] = p.cost[1] = -1;
    p.row_upper[0] = 1;
    lp = open_lp(&p);
    assert_int_equal(solve(lp).end, PT_LP_UNBOUNDED);
    pt_lp_free(lp);
}

static void test_linear_program__without_rows(void **state)
{
    (void)state;
    pt_program p = new_program(2, 0, NULL);
    p.cost[0] = 1;
    p.cost[1] = -1;
    p.upper[1] = 3;
    pt_lp *lp = open_lp(&p);
    const pt_lp_answer answer = solve(lp);
    assert_int_equal(answer.end, PT_LP_OPTIMAL);
    assert_float_equal(answer.value, -3, 0);
    pt_lp_free(lp);
}

static void test_linear_program__too_large_is_refused(void **state)
{
    (void)state;
    pt_program p;
    pt_error err = {0};
    assert_int_equal(pt_program_init(&p, 10, 10, INT_MAX, &err), PT_ELIMIT);
    assert_int_equal(pt_program_init(&p, INT64_MAX / 2, 10, 10, &err), PT_ELIMIT);
}

static void test_linear_program__cancelled(void **state)
{
    (void)state;
    pt_lp *lp = wyndor();
    pt_task *task = NULL;
    pt_error err = {0};
    pt_lp_answer answer;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_cancel(task);
    assert_int_equal(pt_lp_solve(lp, &answer, task, &err), PT_ECANCELLED);
    pt_task_free(task);
    pt_lp_free(lp);
}

enum { INSTANCES = 300, MOST = 30 };

/* Bounds of every kind; x0 keeps most of them feasible. */
static pt_program random_program(pt_random *random)
{
    double A[MOST * MOST];
    double x0[MOST];
    const int64_t columns = 1 + pt_random_below(random, MOST);
    const int64_t rows = 1 + pt_random_below(random, MOST);
    for (int64_t e = 0; e < columns * rows; e++)
        A[e] = pt_random_below(random, 3) ? 0 : (double)(pt_random_below(random, 19) - 9);
    pt_program p = new_program(columns, rows, A);
    for (int64_t j = 0; j < columns; j++) {
        x0[j] = (double)pt_random_below(random, 5);
        p.cost[j] = pt_random_normal(random);
        p.lower[j] = pt_random_below(random, 4) ? 0 : -HUGE_VAL;
        p.upper[j] = pt_random_below(random, 2) ? x0[j] + 3 : HUGE_VAL;
    }
    for (int64_t i = 0; i < rows; i++) {
        double activity = 0;
        for (int64_t j = 0; j < columns; j++)
            activity += A[i * columns + j] * x0[j];
        const int64_t kind = pt_random_below(random, 4);
        const double off = pt_random_below(random, 20) ? pt_random_uniform(random) : -9;
        if (kind != 0)
            p.row_lower[i] = activity - off;
        if (kind == 3)
            p.row_upper[i] = p.row_lower[i] + fabs(off);
        else if (kind != 1)
            p.row_upper[i] = activity + (kind == 2 ? 0 : off);
        if (kind == 2)
            p.row_lower[i] = p.row_upper[i];
    }
    return p;
}

static void test_linear_program__equals_another_simplex_method(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 6, PT_RANDOM_TEST, 1);
    int solved = 0;
    for (int instance = 0; instance < INSTANCES; instance++) {
        pt_program p = random_program(&random);
        double expected = 0;
        const bool has_one = other_simplex(&p, &expected, NULL, NULL);
        pt_lp *lp = NULL;
        pt_error err = {0};
        assert_int_equal(pt_lp_new(&lp, &p, &err), PT_OK);
        const pt_lp_answer answer = solve(lp);
        assert_int_equal(answer.end == PT_LP_OPTIMAL, has_one);
        if (has_one)
            assert_float_equal(answer.value, expected, 1e-8 * fmax(1, fabs(expected)));
        for (int64_t j = 0; j < p.columns && has_one; j++) { /* reduced = c - A^T price */
            double reduced = p.cost[j];
            for (int e = p.start[j]; e < p.start[j + 1]; e++)
                reduced -= p.value[e] * answer.price[p.index[e]];
            assert_float_equal(answer.reduced[j], reduced, 1e-8);
        }
        solved += has_one;
        pt_lp_free(lp);
        pt_program_free(&p);
    }
    assert_in_range(solved, INSTANCES / 5, INSTANCES - 5); /* both kinds are among them */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_program__textbook),
        cmocka_unit_test(test_linear_program__rows_are_added),
        cmocka_unit_test(test_linear_program__no_solution_is_an_answer),
        cmocka_unit_test(test_linear_program__without_rows),
        cmocka_unit_test(test_linear_program__too_large_is_refused),
        cmocka_unit_test(test_linear_program__cancelled),
        cmocka_unit_test(test_linear_program__equals_another_simplex_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
