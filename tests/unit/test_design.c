/* Design of codes with the norm 2 and with kernels: against a slow dual that is plainly right,
 * which moves mass between two classes of one example at a time, and against what each form
 * promises. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/task.h"
#include "codes/design/design.h"
#include "machines/codes/machine_designed.h"

typedef struct instance {
    pt_design_data data;
    double *H;
    int64_t *y;
    double *weight;
    double *costs;
} instance;

/* Outputs that know something of the classes, `apart` times their noise. */
static instance make(int64_t m, int64_t k, int64_t ell, double apart, uint64_t seed)
{
    instance in = {.H = calloc((size_t)(m * ell), sizeof(double)),
                   .y = calloc((size_t)m, sizeof(int64_t)),
                   .weight = calloc((size_t)m, sizeof(double)),
                   .costs = calloc((size_t)(k * k), sizeof(double))};
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 63);
    double *centre = calloc((size_t)(k * ell), sizeof(double));
    for (int64_t i = 0; i < k * ell; i++)
        centre[i] = apart * pt_random_normal(&random);
    for (int64_t i = 0; i < m; i++) {
        in.y[i] = i % k;
        in.weight[i] = 0.5 + pt_random_uniform(&random);
        for (int64_t t = 0; t < ell; t++)
            in.H[i * ell + t] = centre[in.y[i] * ell + t] + pt_random_normal(&random);
    }
    for (int64_t r = 0; r < k; r++)
        for (int64_t s = 0; s < k; s++)
            in.costs[r * k + s] = r == s ? 0 : 0.3 + pt_random_uniform(&random);
    in.data = (pt_design_data){.m = m, .k = k, .ell = ell, .H = in.H, .class_of = in.y};
    free(centre);
    return in;
}

static void drop(instance *in)
{
    free(in->H);
    free(in->y);
    free(in->weight);
    free(in->costs);
}

static pt_design_how soft(double C)
{
    return (pt_design_how){.norm = PT_NORM_2, .form = PT_DESIGN_SOFT, .C = C, .gap = 1e-9};
}

static pt_designed must(const pt_design_data *data, const pt_design_how *how,
                        pt_design_result *result)
{
    pt_designed code = {0};
    pt_error err = PT_ERROR_INIT;
    if (pt_design(&code, data, how, result, NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    return code;
}

/* ---- references --------------------------------------------------------------------------------
 */

static double b_of(const pt_design_data *d, int64_t i, int64_t r)
{
    return d->costs ? d->costs[d->class_of[i] * d->k + r] : d->class_of[i] != r;
}

/* sum_i w_i xi_i, from M alone. */
static double slack_of(const pt_design_data *d, const double *M)
{
    double sum = 0;
    for (int64_t i = 0; i < d->m; i++) {
        double most = -INFINITY;
        for (int64_t r = 0; r < d->k; r++) {
            double ahead = b_of(d, i, r);
            for (int64_t t = 0; t < d->ell; t++)
                ahead +=
                    d->H[i * d->ell + t] * (M[r * d->ell + t] - M[d->class_of[i] * d->ell + t]);
            most = fmax(most, ahead);
        }
        sum += (d->weight ? d->weight[i] : 1) * most;
    }
    return sum;
}

static double square_of(const pt_design_data *d, const double *M)
{
    double sum = 0;
    for (int64_t i = 0; i < d->k * d->ell; i++)
        sum += M[i] * M[i];
    return sum;
}

/* The largest dual value that many moves between two classes of one example reach: a lower bound
 * whatever the moves. M = sum_i tau_i h_i is kept beside tau. */
static double slow_dual(const pt_design_data *d, double C)
{
    const int64_t k = d->k;
    const int64_t ell = d->ell;
    double *tau = calloc((size_t)(d->m * k), sizeof(double));
    double *M = calloc((size_t)(k * ell), sizeof(double));
    for (int sweep = 0; sweep < 4000; sweep++)
        for (int64_t i = 0; i < d->m; i++) {
            const double *h = d->H + i * ell;
            const double most = C * (d->weight ? d->weight[i] : 1);
            double square = 0;
            for (int64_t t = 0; t < ell; t++)
                square += h[t] * h[t];
            for (int64_t r = 0; r < k; r++)
                for (int64_t s = 0; s < r; s++) {
                    double slope = b_of(d, i, s) - b_of(d, i, r); /* of tau_r + by, tau_s - by */
                    for (int64_t t = 0; t < ell; t++)
                        slope += h[t] * (M[s * ell + t] - M[r * ell + t]);
                    const double room_r = (r == d->class_of[i] ? most : 0) - tau[i * k + r];
                    const double room_s = (s == d->class_of[i] ? most : 0) - tau[i * k + s];
                    const double by = fmin(fmax(slope / (2 * square), -room_s), room_r);
                    tau[i * k + r] += by;
                    tau[i * k + s] -= by;
                    for (int64_t t = 0; t < ell; t++) {
                        M[r * ell + t] += by * h[t];
                        M[s * ell + t] -= by * h[t];
                    }
                }
        }
    double value = -0.5 * square_of(d, M);
    for (int64_t i = 0; i < d->m; i++)
        for (int64_t r = 0; r < k; r++)
            value -= tau[i * k + r] * b_of(d, i, r);
    free(tau);
    free(M);
    return value;
}

/* ---- soft --------------------------------------------------------------------------------------
 */

static void expect_optimal(const pt_design_data *d, double C)
{
    pt_design_result result;
    const pt_design_how how = soft(C);
    pt_designed code = must(d, &how, &result);
    const double *M = pt_designed_rows(&code);
    const double primal = 0.5 * square_of(d, M) + C * slack_of(d, M);
    const double least = slow_dual(d, C);
    assert_true(result.converged);
    assert_true(fabs(result.primal - primal) <= 1e-9 * primal);
    assert_true(fabs(result.norm - sqrt(square_of(d, M))) <= 1e-9 * result.norm);
    assert_true(fabs(result.slack - slack_of(d, M)) <= 1e-9 * (1 + result.slack));
    if (!(primal - least <= 1e-6 * primal && primal >= least - 1e-9 * primal))
        fail_msg("primal %.12g, slow dual %.12g", primal, least);
    assert_true(fabs(result.dual - least) <= 1e-6 * primal);
    for (int64_t t = 0; t < d->ell; t++) { /* CS: sum_r M_r = 0 */
        double sum = 0;
        for (int64_t r = 0; r < d->k; r++)
            sum += M[r * d->ell + t];
        assert_true(fabs(sum) <= 1e-10 * result.norm);
    }
    pt_designed_free(&code);
}

static void test_design__soft_form_is_optimal(void **state)
{
    (void)state;
    const double Cs[] = {0.003, 0.1, 5};
    for (int c = 0; c < 3; c++)
        for (int kind = 0; kind < 4; kind++) {
            instance in = make(24, 2 + kind, 1 + kind, 0.7, (uint64_t)(10 * c + kind));
            in.data.weight = kind & 1 ? in.weight : NULL;
            in.data.costs = kind & 2 ? in.costs : NULL;
            expect_optimal(&in.data, Cs[c]);
            drop(&in);
        }
}

/* k(h, g) = h.g + 1 is the inner product of outputs with a constant one. */
static void test_design__kernel_is_a_longer_row(void **state)
{
    (void)state;
    instance in = make(40, 3, 4, 0.6, 5);
    pt_design_data longer = in.data;
    double *with = calloc((size_t)(40 * 5), sizeof *with);
    for (int64_t i = 0; i < 40; i++) {
        memcpy(with + i * 5, in.H + i * 4, 4 * sizeof *with);
        with[i * 5 + 4] = 1;
    }
    longer.ell = 5;
    longer.H = with;
    pt_design_how how = soft(0.4);
    pt_design_result rows;
    pt_design_result kernel;
    pt_designed a = must(&longer, &how, &rows);
    how.kernel = (pt_kernel){pt_kernel_find("poly"), 1, 1, 1, 0};
    pt_designed b = must(&in.data, &how, &kernel);
    assert_null(pt_designed_rows(&b));
    double one[40 * 3];
    double other[40 * 3];
    assert_int_equal(pt_designed_scores(&a, 40, with, one, NULL, NULL), PT_OK);
    assert_int_equal(pt_designed_scores(&b, 40, in.H, other, NULL, NULL), PT_OK);
    for (int i = 0; i < 40 * 3; i++)
        assert_true(fabs(one[i] - other[i]) <= 1e-3);
    assert_true(fabs(rows.primal - kernel.primal) <= 1e-7 * rows.primal);
    assert_true(fabs(rows.norm - kernel.norm) <= 1e-3 * rows.norm);
    pt_designed_free(&a);
    pt_designed_free(&b);
    free(with);
    drop(&in);
}

/* Where a code needs no slack, the gap is what was asked for even if rounding times C is not. */
static void test_design__soft_form_with_huge_C(void **state)
{
    (void)state;
    for (int with_kernel = 0; with_kernel < 2; with_kernel++)
        for (double C = 1; C < 1e9; C *= 100) {
            instance in = make(36, 4, 5, 8, 41);
            pt_design_how how = {.norm = PT_NORM_2, .form = PT_DESIGN_SOFT, .C = C, .gap = 1e-6};
            if (with_kernel)
                how.kernel = (pt_kernel){.ops = pt_kernel_find("rbf"), .sigma = 10};
            pt_design_result result;
            pt_designed code = must(&in.data, &how, &result);
            if (!(result.converged && result.primal - result.dual <= 2e-6 * result.dual))
                fail_msg("C %g: primal %.12g, dual %.12g", C, result.primal, result.dual);
            pt_designed_free(&code);
            drop(&in);
        }
}

/* ---- hard --------------------------------------------------------------------------------------
 */

/* Within the bound, and no soft solution within it is better; its own lower bound says so too. The
 * last bound is not reached, so that C must be huge: less is asked for. */
static void test_design__hard_form_keeps_the_bound(void **state)
{
    (void)state;
    const double bounds[] = {0.01, 0.3, 1, 4};
    for (int a = 0; a < 4; a++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            const double gap = a < 3 ? 1e-5 : 1e-3;
            instance in = make(40, 3, 4, 0.6, 20 + seed);
            in.data.weight = in.weight;
            const pt_design_how how = {
                .norm = PT_NORM_2, .form = PT_DESIGN_HARD, .A = bounds[a], .gap = gap};
            pt_design_result result;
            pt_designed code = must(&in.data, &how, &result);
            const double *M = pt_designed_rows(&code);
            if (!result.converged)
                fail_msg("bound %g: slack %.12g, at least %.12g, norm %.12g", bounds[a],
                         result.primal, result.dual, result.norm);
            assert_true(sqrt(square_of(&in.data, M)) <= bounds[a] * (1 + 1e-9));
            assert_true(fabs(result.slack - slack_of(&in.data, M)) <= 1e-8 * result.slack);
            assert_true(result.dual <= result.primal && result.primal == result.slack);
            for (double C = 1e-4; C < 1e3; C *= 1.5) {
                const pt_design_how other = soft(C);
                pt_design_result at;
                pt_designed tried = must(&in.data, &other, &at);
                if (at.norm <= bounds[a])
                    assert_true(at.slack >= result.slack * (1 - 2 * gap));
                pt_designed_free(&tried);
            }
            pt_designed_free(&code);
            drop(&in);
        }
}

/* Classes far apart need less than the bound: no slack is left. */
static void test_design__hard_form_with_room_has_no_slack(void **state)
{
    (void)state;
    instance in = make(30, 3, 4, 12, 31);
    const pt_design_how how = {.norm = PT_NORM_2, .form = PT_DESIGN_HARD, .A = 100, .gap = 1e-5};
    pt_design_result result;
    pt_designed code = must(&in.data, &how, &result);
    assert_true(result.converged && result.slack <= 1e-12);
    pt_designed_free(&code);
    drop(&in);
}

/* ---- separable ---------------------------------------------------------------------------------
 */

static void test_design__separable_form_has_every_margin(void **state)
{
    (void)state;
    for (int with_costs = 0; with_costs < 2; with_costs++) {
        instance in = make(36, 4, 5, 8, 41);
        in.data.costs = with_costs ? in.costs : NULL;
        const pt_design_how how = {.norm = PT_NORM_2, .form = PT_DESIGN_SEPARABLE, .gap = 1e-6};
        pt_design_result result;
        pt_designed code = must(&in.data, &how, &result);
        const double *M = pt_designed_rows(&code);
        assert_true(result.converged);
        assert_true(slack_of(&in.data, M) <= 1e-9);
        assert_true(fabs(0.5 * square_of(&in.data, M) - result.primal) <= 1e-9 * result.primal);
        /* the soft form with a huge C is the same; its dual bounds ||M||^2 / 2 from below */
        const double least = slow_dual(&in.data, 1e6);
        assert_true(result.primal >= least * (1 - 1e-9) && result.primal <= least * (1 + 1e-4));
        pt_designed_free(&code);
        drop(&in);
    }
}

/* Twenty examples outweigh one: soft solutions take it for one of theirs until C is large, and only
 * then it shows that there is a code. By hand: M = (0, +-5) has both margins, and none is shorter.
 */
static void test_design__separable_form_goes_on_where_soft_ones_err(void **state)
{
    (void)state;
    enum { MANY = 20 };
    double H[2 * (MANY + 1)];
    int64_t y[MANY + 1];
    for (int i = 0; i <= MANY; i++) {
        H[2 * i] = 1;
        H[2 * i + 1] = i < MANY ? 0.1 : -0.1;
        y[i] = i == MANY;
    }
    const pt_design_data data = {.m = MANY + 1, .k = 2, .ell = 2, .H = H, .class_of = y};
    const pt_design_how how = {.norm = PT_NORM_2, .form = PT_DESIGN_SEPARABLE, .gap = 1e-6};
    pt_design_result result;
    pt_designed code = must(&data, &how, &result);
    assert_true(result.converged && slack_of(&data, pt_designed_rows(&code)) <= 1e-9);
    assert_true(fabs(result.norm - sqrt(50)) <= 1e-5);
    pt_designed_free(&code);
}

static void test_design__separable_form_refuses_what_is_not(void **state)
{
    (void)state;
    instance in = make(36, 4, 5, 8, 41);
    memcpy(in.H + 5, in.H, 5 * sizeof *in.H); /* one output, two classes */
    const pt_design_how how = {.norm = PT_NORM_2, .form = PT_DESIGN_SEPARABLE, .gap = 1e-6};
    pt_designed code = {0};
    pt_design_result result;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_design(&code, &in.data, &how, &result, NULL, &err), PT_ENUMERIC);
    assert_non_null(strstr(err.text, "not separable"));
    drop(&in);
}

/* ---- one column after the other ----------------------------------------------------------------
 */

/* The first s columns of a longer design are the design of s columns, and none raises the value
 * (one alone may be 0: a line has two ends for four classes); all of them together are at least as
 * good. */
static void test_design__no_column_raises_the_value(void **state)
{
    (void)state;
    enum { M = 60, K = 4, ELL = 5 };
    instance in = make(M, K, ELL, 0.7, 51);
    in.data.weight = in.weight;
    pt_design_how how = soft(0.3);
    pt_design_result joint;
    pt_designed whole = must(&in.data, &how, &joint);
    how.incremental = true;
    double last = 0;
    for (int64_t i = 0; i < M; i++)
        last += 0.3 * in.weight[i]; /* the value of no code at all */
    const double most = last;
    for (int64_t ell = 1; ell <= ELL; ell++) {
        double *H = calloc((size_t)(M * ell), sizeof *H);
        for (int64_t i = 0; i < M; i++)
            memcpy(H + i * ell, in.H + i * ELL, (size_t)ell * sizeof *H);
        pt_design_data some = in.data;
        some.H = H;
        some.ell = ell;
        pt_design_result result;
        pt_designed code = must(&some, &how, &result);
        const double *rows = pt_designed_rows(&code);
        const double primal = 0.5 * square_of(&some, rows) + 0.3 * slack_of(&some, rows);
        assert_true(fabs(primal - result.primal) <= 1e-8 * primal);

        assert_true(primal <= last * (1 + 1e-8));
        assert_true(primal >= joint.primal * (1 - 1e-8));
        last = primal;
        pt_designed_free(&code);
        free(H);
    }
    assert_true(last < 0.9 * most);
    assert_true(last > joint.primal * (1 + 1e-6)); /* it is another code */
    pt_designed_free(&whole);
    drop(&in);
}

/* A column alone is the whole problem. */
static void test_design__first_column_is_the_design_of_one(void **state)
{
    (void)state;
    instance in = make(50, 3, 1, 1, 52);
    pt_design_how how = soft(0.2);
    pt_design_result a;
    pt_design_result b;
    pt_designed one = must(&in.data, &how, &a);
    how.incremental = true;
    pt_designed other = must(&in.data, &how, &b);
    assert_true(fabs(a.primal - b.primal) <= 1e-8 * a.primal);
    pt_designed_free(&one);
    pt_designed_free(&other);
    drop(&in);
}

/* More examples than SPOC holds all kernel values of: margins go with their examples. */
static void test_design__columns_of_many_examples(void **state)
{
    (void)state;
    instance in = make(2600, 3, 2, 1.5, 53);
    pt_design_how how = soft(0.02);
    how.incremental = true;
    how.gap = 1e-6;
    pt_design_result result;
    pt_designed code = must(&in.data, &how, &result);
    const double *M = pt_designed_rows(&code);
    const double primal = 0.5 * square_of(&in.data, M) + 0.02 * slack_of(&in.data, M);
    assert_true(result.converged);
    assert_true(fabs(primal - result.primal) <= 1e-8 * primal);
    assert_true(primal - result.dual <= 2e-6 * primal);
    assert_true(primal < 0.8 * 0.02 * 2600);
    pt_designed_free(&code);
    drop(&in);
}

/* ---- held out ----------------------------------------------------------------------------------
 */

/* The outputs as a problem; its labels are the caller's. */
static pt_problem problem_of(const instance *in)
{
    const pt_design_data *d = &in->data;
    pt_texts names = {0};
    pt_labels *labels = NULL;
    for (int64_t r = 0; r < d->k; r++)
        assert_int_equal(pt_texts_add(&names, NULL, "%d", (int)r), PT_OK);
    assert_int_equal(pt_labels_from_codes(&labels, d->m, d->class_of, &names, NULL), PT_OK);
    pt_texts_free(&names);
    return (pt_problem){
        .rows = {.n = d->m, .d = d->ell, .type = PT_F64, .dense = d->H, .stride = d->ell},
        .labels = labels,
        .weight = d->weight,
        .costs = d->costs};
}

static void test_design__held_out_cost_is_that_of_the_others_code(void **state)
{
    (void)state;
    enum { M = 45, K = 3, ELL = 4, FOLDS = 3 };
    instance in = make(M, K, ELL, 0.7, 61);
    in.data.weight = in.weight;
    in.data.costs = in.costs;
    int64_t fold[M];
    for (int64_t i = 0; i < M; i++)
        fold[i] = i == 7 ? -1 : (i / 3) % FOLDS;
    const pt_design_how how = soft(0.2);
    double cost = 0;
    double total = 0;
    for (int64_t f = 0; f < FOLDS; f++) {
        instance rest = make(M, K, ELL, 0.7, 61);
        int64_t m = 0;
        for (int64_t i = 0; i < M; i++)
            if (fold[i] >= 0 && fold[i] != f) {
                memcpy(rest.H + m * ELL, in.H + i * ELL, ELL * sizeof(double));
                rest.y[m] = in.y[i];
                rest.weight[m++] = in.weight[i];
            }
        rest.data.m = m;
        rest.data.weight = rest.weight;
        rest.data.costs = in.costs;
        pt_design_result result;
        pt_designed code = must(&rest.data, &how, &result);
        for (int64_t i = 0; i < M; i++) {
            double scores[K];
            if (fold[i] != f)
                continue;
            assert_int_equal(pt_designed_scores(&code, 1, in.H + i * ELL, scores, NULL, NULL),
                             PT_OK);
            int64_t best = 0;
            for (int64_t r = 1; r < K; r++)
                best = scores[r] > scores[best] ? r : best;
            cost += in.weight[i] * in.costs[in.y[i] * K + best];
            total += in.weight[i];
        }
        pt_designed_free(&code);
        drop(&rest);
    }
    pt_design_worth worth;
    const pt_problem outputs = problem_of(&in);
    assert_int_equal(pt_design_held_out(&worth, &outputs, &how, fold, FOLDS, NULL, NULL), PT_OK);
    assert_true(fabs(worth.cost - cost / total) <= 1e-12);
    assert_true(worth.cost > 0);
    pt_labels_free((pt_labels *)outputs.labels);
    drop(&in);
}

/* Chosen by held-out cost, in the unit of the outputs: those in another unit have another C that
 * means the same. */
static void test_design__chosen_C_knows_the_unit(void **state)
{
    (void)state;
    enum { M = 90, K = 3, ELL = 4, FOLDS = 3 };
    instance in = make(M, K, ELL, 0.7, 62);
    int64_t fold[M];
    for (int64_t i = 0; i < M; i++)
        fold[i] = (i / 3) % FOLDS;
    pt_design_how a = soft(NAN);
    pt_design_worth one;
    const pt_problem outputs = problem_of(&in);
    a.gap = 1e-6;
    assert_int_equal(pt_design_choose_C(&a, &one, &outputs, fold, FOLDS, NULL, NULL), PT_OK);
    for (int64_t i = 0; i < M * ELL; i++)
        in.H[i] *= 1024;
    pt_design_how b = soft(NAN);
    pt_design_worth other;
    b.gap = 1e-6;
    assert_int_equal(pt_design_choose_C(&b, &other, &outputs, fold, FOLDS, NULL, NULL), PT_OK);
    assert_true(fabs(a.C / b.C / (1024.0 * 1024) - 1) <= 1e-12);
    assert_true(one.cost == other.cost);
    pt_labels_free((pt_labels *)outputs.labels);
    drop(&in);
}

/* ---- threads ------------------------------------------------------------------------------------
 */

static void test_design__same_bytes_for_any_threads(void **state)
{
    (void)state;
    instance in = make(3000, 5, 6, 0.5, 71); /* more than a store of all takes */
    const pt_design_how how = {.norm = PT_NORM_2, .form = PT_DESIGN_SOFT, .C = 0.05, .gap = 1e-3};
    double *M[2];
    for (int t = 0; t < 2; t++) {
        pt_task *task = NULL;
        assert_int_equal(pt_task_new(&task, NULL), PT_OK);
        pt_task_set_threads(task, t ? 4 : 1);
        pt_designed code = {0};
        pt_design_result result;
        assert_int_equal(pt_design(&code, &in.data, &how, &result, task, NULL), PT_OK);
        M[t] = calloc(5 * 6, sizeof(double));
        memcpy(M[t], pt_designed_rows(&code), 5 * 6 * sizeof(double));
        pt_designed_free(&code);
        pt_task_free(task);
    }
    assert_memory_equal(M[0], M[1], 5 * 6 * sizeof(double));
    free(M[0]);
    free(M[1]);
    drop(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_design__soft_form_is_optimal),
        cmocka_unit_test(test_design__kernel_is_a_longer_row),
        cmocka_unit_test(test_design__soft_form_with_huge_C),
        cmocka_unit_test(test_design__hard_form_keeps_the_bound),
        cmocka_unit_test(test_design__hard_form_with_room_has_no_slack),
        cmocka_unit_test(test_design__separable_form_has_every_margin),
        cmocka_unit_test(test_design__separable_form_goes_on_where_soft_ones_err),
        cmocka_unit_test(test_design__separable_form_refuses_what_is_not),
        cmocka_unit_test(test_design__no_column_raises_the_value),
        cmocka_unit_test(test_design__columns_of_many_examples),
        cmocka_unit_test(test_design__first_column_is_the_design_of_one),
        cmocka_unit_test(test_design__held_out_cost_is_that_of_the_others_code),
        cmocka_unit_test(test_design__chosen_C_knows_the_unit),
        cmocka_unit_test(test_design__same_bytes_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
