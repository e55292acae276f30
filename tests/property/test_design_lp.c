/* needs: glpk clp */
/* Codes designed by linear programs (CS section 4): the same value from few rows, from the whole
 * primal, from its dual, and from another simplex method; the value of the code itself, by the
 * formula; a proof of optimality from the dual solution; brute force where it is small. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../support/design_program.h"
#include "../support/other_simplex.h"
#include "base/random.h"
#include "base/task.h"
#include "codes/design/design.h"

enum { MOST_M = 120, MOST_K = 6, MOST_ELL = 12 };

static const pt_design_norm NORMS[] = {PT_NORM_1, PT_NORM_INF};
static const pt_design_form FORMS[] = {PT_DESIGN_SOFT, PT_DESIGN_HARD, PT_DESIGN_SEPARABLE};

/* Outputs that tell the classes apart up to noise; all arrays belong to it. */
typedef struct problem {
    pt_design_data data;
    double H[MOST_M * MOST_ELL];
    int64_t class_of[MOST_M];
    double weight[MOST_M];
    double costs[MOST_K * MOST_K];
    double margin[MOST_M * MOST_K];
} problem;

static void make(problem *p, int64_t m, int64_t k, int64_t ell, double noise, uint64_t seed)
{
    pt_random random;
    double centre[MOST_K * MOST_ELL];
    pt_random_init(&random, seed, PT_RANDOM_TEST, 2);
    for (int64_t j = 0; j < k * ell; j++)
        centre[j] = pt_random_normal(&random);
    for (int64_t i = 0; i < m; i++) {
        p->class_of[i] = pt_random_below(&random, k);
        for (int64_t t = 0; t < ell; t++)
            p->H[i * ell + t] =
                centre[p->class_of[i] * ell + t] + noise * pt_random_normal(&random);
        p->weight[i] = 0.5 + pt_random_uniform(&random);
    }
    for (int64_t r = 0; r < k * k; r++)
        p->costs[r] = r % (k + 1) ? 0.5 + pt_random_uniform(&random) : 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t r = 0; r < k; r++)
            p->margin[i * k + r] = r == p->class_of[i] ? 0 : pt_random_normal(&random);
    p->data = (pt_design_data){.m = m, .k = k, .ell = ell, .H = p->H, .class_of = p->class_of};
}

static double norm_of(const double *M, int64_t n, pt_design_norm norm)
{
    double value = 0;
    for (int64_t j = 0; j < n; j++)
        value = norm == PT_NORM_1 ? value + fabs(M[j]) : fmax(value, fabs(M[j]));
    return value;
}

/* b_ir, told once more. */
static double b_of(const pt_design_data *d, int64_t i, int64_t r)
{
    if (d->margin)
        return d->margin[i * d->k + r];
    return d->costs ? d->costs[d->class_of[i] * d->k + r] : r != d->class_of[i];
}

static double slack_of(const pt_design_data *d, const double *M)
{
    double sum = 0;
    for (int64_t i = 0; i < d->m; i++) {
        double xi = 0;
        for (int64_t r = 0; r < d->k; r++) {
            double need = b_of(d, i, r);
            for (int64_t t = 0; t < d->ell; t++)
                need -= d->H[i * d->ell + t] * (M[d->class_of[i] * d->ell + t] - M[r * d->ell + t]);
            xi = fmax(xi, need);
        }
        sum += xi * (d->weight ? d->weight[i] : 1);
    }
    return sum;
}

static double objective(const pt_design_data *d, const double *M, pt_design_norm norm,
                        pt_design_form form, double strength)
{
    const double length = norm_of(M, d->k * d->ell, norm);
    if (form == PT_DESIGN_SOFT)
        return length + strength * slack_of(d, M);
    return form == PT_DESIGN_HARD ? slack_of(d, M) : length;
}

/* C or A at which both the norm and the slack matter. */
static double strength_of(pt_design_norm norm, pt_design_form form)
{
    if (form == PT_DESIGN_SOFT)
        return norm == PT_NORM_1 ? 0.3 : 0.02;
    return norm == PT_NORM_1 ? 3 : 0.2;
}

/* The code is as good as it is said to be, and nothing is better. */
static void check_result(const pt_design_data *d, const double *M, pt_design_norm norm,
                         pt_design_form form, double strength, const pt_design_result *result)
{
    const int64_t n = d->k * d->ell;
    const double size = fmax(fabs(result->primal), 1e-3);
    assert_true(result->converged);
    assert_float_equal(result->norm, norm_of(M, n, norm), 1e-12 * fmax(result->norm, 1));
    assert_float_equal(result->slack, slack_of(d, M), 1e-9 * fmax(result->slack, 1));
    assert_float_equal(result->primal, objective(d, M, norm, form, strength), 1e-9 * size);
    assert_true(result->primal - result->dual <= 1e-8 * size);
    assert_true(result->dual - result->primal <= 1e-8 * size);
    if (form == PT_DESIGN_HARD)
        assert_true(norm_of(M, n, norm) <= strength * (1 + 1e-12));
    if (form == PT_DESIGN_SEPARABLE)
        assert_true(slack_of(d, M) <= 1e-7);
}

/* M <- the code that pt_design finds. */
static pt_status design_lp(double *M, const pt_design_data *d, pt_design_norm norm,
                           pt_design_form form, double strength, pt_design_result *result,
                           const pt_task *task, pt_error *err)
{
    const pt_design_how how = {.norm = norm, .form = form, .C = strength, .A = strength};
    pt_designed code = {0};
    const pt_status status = pt_design(&code, d, &how, result, task, err);
    if (status == PT_OK)
        memcpy(M, pt_designed_rows(&code), (size_t)(d->k * d->ell) * sizeof *M);
    pt_designed_free(&code);
    return status;
}

static pt_status design(double *M, const pt_design_data *d, pt_design_norm norm,
                        pt_design_form form, double strength, pt_design_result *result)
{
    pt_error err = {0};
    const pt_status status = design_lp(M, d, norm, form, strength, result, NULL, &err);
    if (status != PT_OK)
        assert_true(err.text[0] != 0);
    return status;
}

/* Few rows, the primal and the dual by Clp, the primal and the dual by GLPK: one value. */
static void check_all_ways(const pt_design_data *d, pt_design_norm norm, pt_design_form form,
                           double strength)
{
    double M[MOST_K * MOST_ELL];
    pt_design_result result = {0};
    const pt_status status = design(M, d, norm, form, strength, &result);
    if (status == PT_OK)
        check_result(d, M, norm, form, strength, &result);
    else
        assert_int_equal(status, PT_ENUMERIC);
    for (int dual = 0; dual < 2; dual++) {
        pt_error err = {0};
        pt_program program;
        pt_lp *lp = NULL;
        pt_lp_answer answer;
        double other = 0;
        assert_int_equal(
            (dual ? reference_dual : reference_primal)(&program, d, norm, form, strength, &err),
            PT_OK);
        assert_int_equal(pt_lp_new(&lp, &program, &err), PT_OK);
        assert_int_equal(pt_lp_solve(lp, &answer, NULL, &err), PT_OK);
        assert_int_equal(other_simplex(&program, &other, NULL, NULL), status == PT_OK);
        pt_program_free(&program);
        assert_int_equal(answer.end == PT_LP_OPTIMAL, status == PT_OK);
        if (status == PT_OK) {
            const double sign = dual ? -1 : 1;
            const double near = 1e-8 * fmax(fabs(result.primal), 0.1);
            assert_float_equal(sign * answer.value, result.primal, near);
            assert_float_equal(sign * other, result.primal, near);
            if (dual)
                reference_dual_code(M, d, norm, form, answer.price);
            else
                reference_primal_code(M, d, norm, answer.x);
            assert_float_equal(objective(d, M, norm, form, strength), result.primal, 10 * near);
        }
        pt_lp_free(lp);
    }
}

static void check_all_forms(const pt_design_data *d)
{
    for (int p = 0; p < 2; p++)
        for (int f = 0; f < 3; f++)
            check_all_ways(d, NORMS[p], FORMS[f], strength_of(NORMS[p], FORMS[f]));
}

static problem P;

static void test_design_lp__one_value_on_every_way(void **state)
{
    (void)state;
    static const int64_t SHAPES[][3] = {{12, 3, 2}, {40, 4, 6},  {120, 6, 12},
                                        {90, 5, 1}, {100, 6, 9}, {30, 2, 12}};
    for (uint64_t s = 0; s < 6; s++)
        for (int noisy = 0; noisy < 2; noisy++) {
            make(&P, SHAPES[s][0], SHAPES[s][1], SHAPES[s][2], noisy ? 1 : 0.05, s);
            check_all_forms(&P.data);
        }
}

static void test_design_lp__weights_costs_margins(void **state)
{
    (void)state;
    make(&P, 100, 5, 8, 0.4, 11);
    P.data.weight = P.weight;
    check_all_forms(&P.data);
    P.data.costs = P.costs;
    check_all_forms(&P.data);
    P.data.margin = P.margin; /* some are negative */
    check_all_forms(&P.data);
}

/* An example of weight 2 is two examples. */
static void test_design_lp__weight_counts_examples(void **state)
{
    (void)state;
    double M[MOST_K * MOST_ELL];
    pt_design_result once = {0};
    pt_design_result twice = {0};
    make(&P, 110, 4, 5, 1, 12);
    for (int64_t i = 0; i < 110; i++)
        P.weight[i] = i < 100 ? 1 : 2;
    P.data.m = 105;
    P.data.weight = P.weight;
    assert_int_equal(design(M, &P.data, PT_NORM_1, PT_DESIGN_SOFT, 0.3, &once), PT_OK);
    P.data.weight = NULL;
    P.data.m = 110;
    for (int64_t i = 0; i < 5; i++) {
        P.class_of[105 + i] = P.class_of[100 + i];
        memcpy(P.H + (105 + i) * 5, P.H + (100 + i) * 5, 5 * sizeof(double));
    }
    assert_int_equal(design(M, &P.data, PT_NORM_1, PT_DESIGN_SOFT, 0.3, &twice), PT_OK);
    assert_float_equal(once.primal, twice.primal, 1e-8);
}

static void test_design_lp__degenerate(void **state)
{
    (void)state;
    make(&P, 100, 5, 8, 0.5, 21); /* columns twice, columns of zeros */
    for (int64_t i = 0; i < 100; i++) {
        P.H[i * 8 + 3] = P.H[i * 8 + 2];
        P.H[i * 8 + 5] = 0;
        P.H[i * 8 + 7] = -P.H[i * 8 + 2];
    }
    check_all_forms(&P.data);
    make(&P, 100, 5, 8, 0.5, 22); /* examples twice, and with two classes */
    for (int64_t i = 0; i < 50; i++)
        memcpy(P.H + (50 + i) * 8, P.H + i * 8, 8 * sizeof(double));
    check_all_forms(&P.data);
    make(&P, 100, 5, 8, 0.3, 23); /* classes without examples */
    for (int64_t i = 0; i < 100; i++)
        P.class_of[i] = P.class_of[i] % 2 * 3;
    check_all_forms(&P.data);
    make(&P, 1, 4, 3, 0.3, 24); /* one example */
    check_all_forms(&P.data);
    make(&P, 80, 5, 4, 0.3, 25); /* nothing said */
    memset(P.H, 0, sizeof P.H);
    check_all_forms(&P.data);
    make(&P, 100, 5, 8, 0.5, 26); /* signs, as of Hamming outputs */
    for (int64_t j = 0; j < 800; j++)
        P.H[j] = P.H[j] > 0 ? 1 : -1;
    check_all_forms(&P.data);
}

/* Classes that have no examples, and columns that say nothing, get nothing: p = 1 pays for them. */
static void test_design_lp__what_says_nothing_is_zero(void **state)
{
    (void)state;
    double M[MOST_K * MOST_ELL];
    pt_design_result result = {0};
    make(&P, 100, 5, 8, 0.5, 31);
    for (int64_t i = 0; i < 100; i++)
        P.H[i * 8 + 5] = 0;
    for (int p = 0; p < 2; p++) {
        assert_int_equal(
            design(M, &P.data, NORMS[p], PT_DESIGN_SOFT, strength_of(NORMS[p], 0), &result), PT_OK);
        for (int64_t r = 0; r < 5; r++)
            assert_true(M[r * 8 + 5] == 0);
    }
}

/* With two classes only d = M_0 - M_1 counts; it costs sum |d_t|, or max |d_t| / 2. The objective
 * is linear between the lines h_i . d = +-1, d_t = 0, |d_0| = |d_1|: one of their crossings is the
 * solution. */
static double two_class_value(const pt_design_data *d, pt_design_norm norm, double C, double d0,
                              double d1)
{
    const double length = norm == PT_NORM_1 ? fabs(d0) + fabs(d1) : fmax(fabs(d0), fabs(d1)) / 2;
    double slack = 0;
    for (int64_t i = 0; i < d->m; i++)
        slack += fmax(0, 1 - (d->class_of[i] ? -1 : 1) * (d->H[2 * i] * d0 + d->H[2 * i + 1] * d1));
    return length + C * slack;
}

static void test_design_lp__brute_force(void **state)
{
    (void)state;
    enum { LINES = 16 };
    for (uint64_t seed = 0; seed < 100; seed++) {
        make(&P, 1 + (int64_t)(seed % 12), 2, 2, 1.5, 100 + seed);
        double line[LINES][3] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, -1, 0}}; /* a, b, right */
        int lines = 4;
        for (int64_t i = 0; i < P.data.m; i++, lines++) {
            line[lines][0] = P.H[2 * i];
            line[lines][1] = P.H[2 * i + 1];
            line[lines][2] = P.class_of[i] ? -1 : 1;
        }
        for (int p = 0; p < 2; p++) {
            const double C = 0.05 + 0.1 * (double)(seed % 7);
            double best = HUGE_VAL;
            for (int u = 0; u < lines; u++)
                for (int v = 0; v < u; v++) {
                    const double det = line[u][0] * line[v][1] - line[u][1] * line[v][0];
                    const double d0 = (line[u][2] * line[v][1] - line[u][1] * line[v][2]) / det;
                    const double d1 = (line[u][0] * line[v][2] - line[u][2] * line[v][0]) / det;
                    if (fabs(det) > 1e-12)
                        best = fmin(best, two_class_value(&P.data, NORMS[p], C, d0, d1));
                }
            double M[4];
            pt_design_result result = {0};
            assert_int_equal(design(M, &P.data, NORMS[p], PT_DESIGN_SOFT, C, &result), PT_OK);
            assert_float_equal(result.primal, best, 1e-9 * fmax(1, best));
        }
    }
}

/* s H with C/s: M/s, and the value over s. */
static void test_design_lp__units_do_not_matter(void **state)
{
    (void)state;
    double M[2][MOST_K * MOST_ELL];
    pt_design_result result[2];
    static const double UNITS[] = {1e-7, 1e-3, 1e4, 1e8};
    for (int p = 0; p < 2; p++)
        for (int u = 0; u < 4; u++) {
            make(&P, 100, 5, 8, 0.5, 41);
            const double C = strength_of(NORMS[p], PT_DESIGN_SOFT);
            assert_int_equal(design(M[0], &P.data, NORMS[p], PT_DESIGN_SOFT, C, &result[0]), PT_OK);
            for (int64_t j = 0; j < 800; j++)
                P.H[j] *= UNITS[u];
            assert_int_equal(
                design(M[1], &P.data, NORMS[p], PT_DESIGN_SOFT, C / UNITS[u], &result[1]), PT_OK);
            assert_float_equal(result[1].primal * UNITS[u], result[0].primal, 1e-8);
            assert_float_equal(result[1].dual * UNITS[u], result[0].dual, 1e-8);
            assert_float_equal(result[1].slack, result[0].slack, 1e-6);
        }
}

/* From where nothing is worth its price to where only slack counts; for a C far larger still, the
 * value is off by C times the rounding of a slack of 0. */
static void test_design_lp__strength_of_any_size(void **state)
{
    (void)state;
    double M[MOST_K * MOST_ELL];
    pt_design_result result = {0};
    make(&P, 100, 5, 8, 0.5, 51);
    for (int p = 0; p < 2; p++) {
        double before = 0;
        for (double C = 1e-8; C < 1e5; C *= 100) {
            assert_int_equal(design(M, &P.data, NORMS[p], PT_DESIGN_SOFT, C, &result), PT_OK);
            check_result(&P.data, M, NORMS[p], PT_DESIGN_SOFT, C, &result);
            assert_true(result.norm >= before * (1 - 1e-9)); /* it grows with C */
            before = result.norm;
        }
        assert_int_equal(design(M, &P.data, NORMS[p], PT_DESIGN_SOFT, 1e-8, &result), PT_OK);
        assert_true(result.norm == 0);
        for (double A = 1e-6; A < 1e6; A *= 100) {
            assert_int_equal(design(M, &P.data, NORMS[p], PT_DESIGN_HARD, A, &result), PT_OK);
            check_result(&P.data, M, NORMS[p], PT_DESIGN_HARD, A, &result);
        }
    }
}

/* Below some C no code is worth its price. All pairs may have a share in a dual solution then, in a
 * thousand ways that the simplex method would try: first-order steps prove it without. Above it the
 * value stays that of the whole program. */
static void test_design_lp__code_of_zeros_takes_no_pivots(void **state)
{
    (void)state;
    double M[MOST_K * MOST_ELL];
    pt_design_result result = {0};
    make(&P, 100, 5, 8, 0.5, 52);
    for (int priced = 0; priced < 2; priced++) {
        P.data.weight = priced ? P.weight : NULL;
        P.data.costs = priced ? P.costs : NULL;
        for (int p = 0; p < 2; p++) {
            const double C = strength_of(NORMS[p], PT_DESIGN_SOFT) / 100;
            assert_int_equal(design(M, &P.data, NORMS[p], PT_DESIGN_SOFT, C, &result), PT_OK);
            check_result(&P.data, M, NORMS[p], PT_DESIGN_SOFT, C, &result);
            assert_true(result.norm == 0);
            assert_int_equal(result.steps, 0);
            int zeros = 0;
            for (double more = 2; more < 200; more *= 2) {
                check_all_ways(&P.data, NORMS[p], PT_DESIGN_SOFT, more * C);
                design(M, &P.data, NORMS[p], PT_DESIGN_SOFT, more * C, &result);
                zeros += result.norm == 0;
            }
            assert_in_range(zeros, 1, 6); /* both sides were seen */
        }
    }
}

/* With a small A nearly all pairs have a share in a dual solution, but a vertex has at most m + k
 * ell of them: the simplex method begins with the main ones, and is given few more. */
static void test_design_lp__small_bounds_begin_with_few_rows(void **state)
{
    (void)state;
    enum { ROWS = 120, K = 6, ELL = 5 };
    double M[MOST_K * MOST_ELL];
    pt_design_result result = {0};
    make(&P, ROWS, K, ELL, 0.5, 53);
    for (int p = 0; p < 2; p++)
        for (double less = 30; less < 1e6; less *= 60) {
            const double A = strength_of(NORMS[p], PT_DESIGN_HARD) / less;
            assert_int_equal(design(M, &P.data, NORMS[p], PT_DESIGN_HARD, A, &result), PT_OK);
            check_result(&P.data, M, NORMS[p], PT_DESIGN_HARD, A, &result);
            if (3 * result.rows > 4 * (ROWS + K * ELL))
                fail_msg("norm %d: %lld rows of %d; a vertex has %d", p, (long long)result.rows,
                         ROWS * (K - 1), ROWS + K * ELL);
        }
}

/* The soft form's own norm as A of the hard form gives the soft form's slack. */
static void test_design_lp__hard_form_is_the_soft_one(void **state)
{
    (void)state;
    double M[MOST_K * MOST_ELL];
    pt_design_result soft = {0};
    pt_design_result hard = {0};
    make(&P, 120, 6, 10, 0.6, 61);
    for (int p = 0; p < 2; p++) {
        const double C = strength_of(NORMS[p], PT_DESIGN_SOFT);
        assert_int_equal(design(M, &P.data, NORMS[p], PT_DESIGN_SOFT, C, &soft), PT_OK);
        assert_int_equal(design(M, &P.data, NORMS[p], PT_DESIGN_HARD, soft.norm, &hard), PT_OK);
        assert_float_equal(hard.slack, soft.slack, 1e-7 * fmax(1, soft.slack));
    }
}

static void test_design_lp__not_separable_is_said(void **state)
{
    (void)state;
    double M[MOST_K * MOST_ELL];
    pt_design_result result = {0};
    pt_error err = {0};
    for (int64_t m = 40; m <= 120; m += 80) { /* all rows at once, and few of them */
        make(&P, m, 5, 8, 0.05, 71);
        for (int p = 0; p < 2; p++) {
            assert_int_equal(design(M, &P.data, NORMS[p], PT_DESIGN_SEPARABLE, 0, &result), PT_OK);
            check_result(&P.data, M, NORMS[p], PT_DESIGN_SEPARABLE, 0, &result);
        }
        memcpy(P.H, P.H + 8, 8 * sizeof(double)); /* the same outputs in two classes */
        P.class_of[0] = (P.class_of[1] + 1) % 5;
        for (int p = 0; p < 2; p++) {
            assert_int_equal(
                design_lp(M, &P.data, NORMS[p], PT_DESIGN_SEPARABLE, 0, &result, NULL, &err),
                PT_ENUMERIC);
            assert_non_null(strstr(err.text, "not separable"));
        }
    }
}

static void test_design_lp__wrong_input_is_refused(void **state)
{
    (void)state;
    double M[MOST_K * MOST_ELL];
    pt_design_result result = {0};
    make(&P, 20, 3, 4, 0.5, 81);
    assert_int_equal(design(M, &P.data, PT_NORM_1, PT_DESIGN_SOFT, 0, &result), PT_EINVAL);
    assert_int_equal(design(M, &P.data, PT_NORM_1, PT_DESIGN_HARD, -1, &result), PT_EINVAL);
    assert_int_equal(design(M, &P.data, PT_NORM_1, PT_DESIGN_SOFT, NAN, &result), PT_EINVAL);
    P.class_of[7] = 3;
    assert_int_equal(design(M, &P.data, PT_NORM_1, PT_DESIGN_SOFT, 1, &result), PT_EINVAL);
    P.class_of[7] = 0;
    P.H[33] = NAN;
    assert_int_equal(design(M, &P.data, PT_NORM_1, PT_DESIGN_SOFT, 1, &result), PT_EINVAL);
}

static void test_design_lp__limits_are_kept(void **state)
{
    (void)state;
    double M[MOST_K * MOST_ELL];
    pt_design_result result = {0};
    pt_error err = {0};
    pt_task *task = NULL;
    make(&P, 120, 6, 10, 0.6, 91);
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_memory(task, 20000);
    assert_int_equal(design_lp(M, &P.data, PT_NORM_1, PT_DESIGN_SOFT, 1, &result, task, &err),
                     PT_EMEMORY);
    pt_task_set_memory(task, 0);
    pt_task_cancel(task);
    assert_int_equal(design_lp(M, &P.data, PT_NORM_1, PT_DESIGN_SOFT, 1, &result, task, &err),
                     PT_ECANCELLED);
    pt_task_free(task);
}

static void test_design_lp__memory_that_fails(void **state)
{
    (void)state;
    double M[MOST_K * MOST_ELL];
    pt_design_result result = {0};
    make(&P, 100, 5, 6, 0.5, 95);
    const int64_t live = pt_alloc_live();
    int64_t failed = 0;
    for (;; failed++) {
        pt_error err = {0};
        pt_alloc_fail_from(failed + 1);
        const pt_status status =
            design_lp(M, &P.data, PT_NORM_INF, PT_DESIGN_SOFT, 0.1, &result, NULL, &err);
        pt_alloc_fail_from(0);
        assert_int_equal(pt_alloc_live(), live);
        if (status == PT_OK)
            break;
        assert_int_equal(status, PT_ENOMEM);
    }
    assert_in_range(failed, 10, 100); /* the work space is one of them */
}

static void test_design_lp__same_bytes_with_any_threads(void **state)
{
    (void)state;
    double M[2][MOST_K * MOST_ELL];
    pt_design_result result = {0};
    pt_error err = {0};
    make(&P, 120, 6, 10, 0.6, 97);
    for (int threads = 1; threads <= 2; threads++) {
        pt_task *task = NULL;
        assert_int_equal(pt_task_new(&task, &err), PT_OK);
        pt_task_set_threads(task, threads);
        assert_int_equal(design_lp(M[threads - 1], &P.data, PT_NORM_INF, PT_DESIGN_SOFT, 0.02,
                                   &result, task, &err),
                         PT_OK);
        pt_task_free(task);
    }
    assert_memory_equal(M[0], M[1], 60 * sizeof(double));
}

/* CS Table 1, and what ours have. */
static void test_design_lp__sizes(void **state)
{
    (void)state;
    const reference_sizes one = reference_table1(PT_NORM_1, 1000, 10, 45);
    const reference_sizes two = reference_table1(PT_NORM_2, 1000, 10, 45);
    const reference_sizes inf = reference_table1(PT_NORM_INF, 1000, 10, 45);
    assert_true(one.primal_variables == 1900 && one.primal_constraints == 10900);
    assert_true(one.dual_variables == 10900 && one.dual_constraints == 1900);
    assert_true(two.primal_variables == 1450 && two.primal_constraints == 10000);
    assert_true(two.dual_variables == 10000 && two.dual_constraints == 1000);
    assert_true(inf.primal_variables == 1451 && inf.primal_constraints == 10900);
    assert_true(inf.dual_variables == 10900 && inf.dual_constraints == 1451);
    make(&P, 100, 5, 8, 0.5, 99);
    for (int p = 0; p < 2; p++)
        for (int dual = 0; dual < 2; dual++) {
            const reference_sizes sizes = reference_table1(NORMS[p], 100, 5, 8);
            pt_program program;
            pt_error err = {0};
            assert_int_equal((dual ? reference_dual : reference_primal)(&program, &P.data, NORMS[p],
                                                                        PT_DESIGN_SOFT, 1, &err),
                             PT_OK);
            assert_true((double)program.columns <=
                        (dual ? sizes.dual_variables : sizes.primal_variables));
            assert_true((double)program.rows <=
                        (dual ? sizes.dual_constraints : sizes.primal_constraints));
            pt_program_free(&program);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_design_lp__one_value_on_every_way),
        cmocka_unit_test(test_design_lp__weights_costs_margins),
        cmocka_unit_test(test_design_lp__weight_counts_examples),
        cmocka_unit_test(test_design_lp__degenerate),
        cmocka_unit_test(test_design_lp__what_says_nothing_is_zero),
        cmocka_unit_test(test_design_lp__brute_force),
        cmocka_unit_test(test_design_lp__units_do_not_matter),
        cmocka_unit_test(test_design_lp__strength_of_any_size),
        cmocka_unit_test(test_design_lp__code_of_zeros_takes_no_pivots),
        cmocka_unit_test(test_design_lp__small_bounds_begin_with_few_rows),
        cmocka_unit_test(test_design_lp__hard_form_is_the_soft_one),
        cmocka_unit_test(test_design_lp__not_separable_is_said),
        cmocka_unit_test(test_design_lp__wrong_input_is_refused),
        cmocka_unit_test(test_design_lp__limits_are_kept),
        cmocka_unit_test(test_design_lp__memory_that_fails),
        cmocka_unit_test(test_design_lp__same_bytes_with_any_threads),
        cmocka_unit_test(test_design_lp__sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
