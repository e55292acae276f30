/* The machines spoc and ww from outside: scores of new rows against their quadratic programs,
 * solved slowly by moving mass between two classes of one example at a time, or one variable of ww;
 * and what follows from them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/dense_reference.h"
#include "../support/validation.h"
#include "machine/training.h"

static const double REFERENCE_C = 0.7;
#define COSTS_FILE "test_machine_spoc_costs.csv"
static const double COSTS[] = {0, 1, 3, 0.5, 0, 1, 2, 0.25, 0}; /* rows: the true class */

/* ---------------------------------------------------------------------------------- reference */

/* g (n x k) <- b + K tau */
static void gradient(const small *s, const double *K, const double *b, const double *tau, double *g)
{
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t r = 0; r < s->k; r++) {
            g[i * s->k + r] = b[s->y[i] * s->k + r];
            for (int64_t j = 0; j < s->n; j++)
                g[i * s->k + r] += K[i * s->n + j] * tau[j * s->k + r];
        }
}

/* How far tau_r may rise while tau_c falls: as far as `by`, where tau_i <= C_i 1_y; for ww, where
 * -C_i <= tau_ir <= 0 for the wrong classes. */
static double within_bounds(bool ww, int64_t y, int64_t r, int64_t c, double bound, const double *t,
                            double by)
{
    if (ww && r == y)
        return fmin(fmax(by, t[c]), t[c] + bound);
    if (ww && c == y)
        return fmin(fmax(by, -t[r] - bound), -t[r]);
    if (ww)
        return 0;
    by = fmin(by, (r == y ? bound : 0) - t[r]);
    return fmax(by, t[c] - (c == y ? bound : 0));
}

/* tau (n x k) of max -1/2 sum K_ij tau_i.tau_j - sum tau_i.b_i, tau_i.1 = 0, within its bounds */
static double *reference_tau(bool ww, const small *s, const double *K, const double *b, double C)
{
    const int64_t k = s->k;
    double *tau = calloc((size_t)(s->n * k), sizeof *tau);
    double *g = calloc((size_t)(s->n * k), sizeof *g);
    double moved = 1;
    gradient(s, K, b, tau, g);
    for (int sweep = 0; sweep < 200000 && moved > 1e-14; sweep++) {
        moved = 0;
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t r = 0; r < k; r++)
                for (int64_t c = 0; c < r; c++) {
                    const double bound = C * (s->weight ? s->weight[i] : 1);
                    double *t = tau + i * k;
                    double by = (g[i * k + c] - g[i * k + r]) / (2 * K[i * s->n + i]);
                    by = within_bounds(ww, s->y[i], r, c, bound, t, by);
                    t[r] += by;
                    t[c] -= by;
                    moved = fmax(moved, fabs(by));
                    for (int64_t j = 0; j < s->n; j++) {
                        g[j * k + r] += by * K[i * s->n + j];
                        g[j * k + c] -= by * K[i * s->n + j];
                    }
                }
    }
    free(g);
    return tau;
}

static double *reference_scores(bool ww, const small *s, const small *on, kernel_fn kernel,
                                const double *b, double C)
{
    double *K = gram(s, s, kernel);
    double *kappa = gram(on, s, kernel);
    double *tau = reference_tau(ww, s, K, b, C);
    double *scores = calloc((size_t)(on->n * s->k), sizeof *scores);
    for (int64_t i = 0; i < on->n; i++)
        for (int64_t r = 0; r < s->k; r++)
            for (int64_t j = 0; j < s->n; j++)
                scores[i * s->k + r] += tau[j * s->k + r] * kappa[i * s->n + j];
    free(K), free(kappa), free(tau);
    return scores;
}

static double *plain_costs(int64_t k)
{
    double *b = calloc((size_t)(k * k), sizeof *b);
    for (int64_t r = 0; r < k * k; r++)
        b[r] = r % (k + 1) != 0;
    return b;
}

/* ---------------------------------------------------------------------------------- tests */

#define EXACT "C=0.7,gap=1e-13,precision=double,scale=none,calibrate=no"

static void expect_reference(bool ww, const small *s, const small *on, kernel_fn kernel,
                             const double *b, const char *more)
{
    char options[200];
    snprintf(options, sizeof options, "machine=%s," EXACT ",%s", ww ? "ww" : "spoc", more);
    double *right = reference_scores(ww, s, on, kernel, b, REFERENCE_C);
    pt_dataset *train = small_dataset(s);
    pt_dataset *test = small_dataset(on);
    double *scores = small_scores(train, options, test);
    if (!(small_distance(scores, right, on->n * s->k) < 1e-6))
        fail_msg("%s: %g apart", options, small_distance(scores, right, on->n * s->k));
    for (int64_t i = 0; i < on->n; i++) { /* sum_r M_r = 0 */
        double sum = 0;
        for (int64_t r = 0; r < s->k; r++)
            sum += scores[i * s->k + r];
        assert_true(fabs(sum) < 1e-12);
    }
    pt_dataset_free(train);
    pt_dataset_free(test);
    free(scores), free(right);
}

static void test_spoc__scores_are_those_of_the_program(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 5; k++)
        for (int weighted = 0; weighted < 2; weighted++) {
            small s = small_clouds(36, 3, k, 70);
            small on = small_clouds(20, 3, k, 71);
            double *b = plain_costs(k);
            if (weighted) {
                s.weight = calloc((size_t)s.n, sizeof *s.weight);
                for (int64_t i = 0; i < s.n; i++)
                    s.weight[i] = 0.5 + (double)(i % 3);
            }
            for (int ww = 0; ww < 2; ww++) {
                expect_reference(ww, &s, &on, kernel_rbf, b, "kernel=rbf,sigma=1.1");
                expect_reference(ww, &s, &on, kernel_linear, b, "kernel=linear");
            }
            free(b);
            small_free(&s);
            small_free(&on);
        }
}

static void test_spoc__costs_come_from_a_file(void **state)
{
    (void)state;
    FILE *file = fopen(COSTS_FILE, "w");
    assert_non_null(file);
    fputs(",2,0,1\n2,0,2,0.25\n0,3,0,1\n1,1,0.5,0\n", file); /* by names, in another order */
    fclose(file);
    small s = small_clouds(36, 3, 3, 72);
    small on = small_clouds(20, 3, 3, 73);
    for (int ww = 0; ww < 2; ww++)
        expect_reference(ww, &s, &on, kernel_rbf, COSTS, "kernel=rbf,sigma=1.1,costs=" COSTS_FILE);
    file = fopen(COSTS_FILE, "w");
    assert_non_null(file);
    fputs("0,1,1\n1,0,-1\n1,1,0\n", file);
    fclose(file);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(
        small_try_train(&model, data, "machine=ww,kernel=rbf,sigma=1.1,costs=" COSTS_FILE, 1, &err),
        PT_EFORMAT);
    assert_non_null(strstr(err.text, "negative"));
    pt_dataset_free(data);
    small_free(&s);
    small_free(&on);
}

/* For two classes M_0 - M_1 is the machine without a bias at 2 C. */
static void test_spoc__two_classes_are_one_binary_machine(void **state)
{
    (void)state;
    small s = small_clouds(80, 3, 2, 74);
    small on = small_clouds(30, 3, 2, 75);
    pt_dataset *train = small_dataset(&s);
    pt_dataset *test = small_dataset(&on);
    double *ours = small_scores(train, "machine=spoc," EXACT ",kernel=rbf,sigma=1.1", test);
    double *boxes = small_scores(train, "machine=ww," EXACT ",kernel=rbf,sigma=1.1", test);
    double *binary = small_scores(train,
                                  "machine=vo-svm,labelbook=mincorr,C=1.4,gap=1e-13,kernel=rbf,"
                                  "sigma=1.1,precision=double,scale=none,calibrate=no",
                                  test);
    for (int64_t i = 0; i < on.n; i++) /* its scores are +f and -f */
        assert_true(
            fabs(2 * (ours[2 * i] - ours[2 * i + 1]) - (binary[2 * i] - binary[2 * i + 1])) < 1e-5);
    assert_true(small_distance(ours, boxes, 2 * on.n) < 1e-5);
    free(ours), free(binary), free(boxes);
    pt_dataset_free(train);
    pt_dataset_free(test);
    small_free(&s);
    small_free(&on);
}

/* Where a working set grows, too, and the gap of all rows rises on the way (3 columns); where
 * values in float32 are rounded one way here and another way there (16 columns, a large C). */
static void test_spoc__a_gap_of_a_millionth_is_reached(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        small s = which < 2 ? small_clouds(2400, 3, 4, 79) : small_clouds(2400, 16, 8, 79);
        pt_dataset *data = small_dataset(&s);
        char options[200];
        snprintf(options, sizeof options, "machine=%s,kernel=rbf,gap=1e-6,%s",
                 which % 2 ? "ww" : "spoc", which < 2 ? "sigma=0.5,C=10" : "sigma=1,C=1000");
        pt_error err = {0};
        pt_training training = {0};
        pt_machine *machine = NULL;
        pt_params *params = small_params(options);
        pt_description said = {0};
        small_must(pt_training_init(&training, data, params, NULL, &err), &err, "training");
        assert_int_equal(training.problem.rows.type, PT_F32);
        small_must(pt_machine_fit(&machine, training.ops, &training.problem, training.params, NULL,
                                  &training.warnings, &err),
                   &err, "training");
        small_must(pt_machine_describe(&said, machine, NULL, &err), &err, "figures");
        assert_int_equal(said.n_reals, 3);
        assert_string_equal(said.real[2].name, "relative_gap");
        if (!(said.real[2].value <= 1e-6))
            fail_msg("%s: a gap of %g", training.ops->name, said.real[2].value);
        pt_machine_free(machine);
        pt_training_free(&training);
        pt_params_free(params);
        pt_dataset_free(data);
        small_free(&s);
    }
}

/* ---------------------------------------------------------------------------------- theory */

/* CS (Theorem 4 and its corollaries) as printed, with `weight` for D' and K nodes. */
static double printed_bound(double R, double m, double weight, double K)
{
    const double delta = 0.05;
    return 130 * R * R / m *
           (weight * log(4 * exp(1) * m) * log(4 * m) + log(2 * pow(2 * m, K) / delta));
}

/* What a machine says of itself against sums over all rows and pairs; returns whether all rows are
 * right. */
static bool expect_theory(const pt_margin_theory *t, const small *s, const double *K,
                          const double *tau)
{
    const int64_t k = s->k;
    const double near = 1e-5;
    double *f = calloc((size_t)(s->n * k), sizeof *f);
    double dot[25] = {0}; /* M_r . M_s */
    double mu = INFINITY;
    double D = 0;
    double square = 0;
    int64_t patterns[5] = {0};
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t r = 0; r < k; r++)
            for (int64_t j = 0; j < s->n; j++)
                f[i * k + r] += K[i * s->n + j] * tau[j * k + r];
    for (int64_t i = 0; i < s->n; i++) {
        patterns[s->y[i]] += fabs(tau[i * k + s->y[i]]) > 1e-9;
        for (int64_t r = 0; r < k; r++)
            for (int64_t c = 0; c < k; c++)
                dot[r * k + c] += tau[i * k + r] * f[i * k + c];
    }
    for (int64_t r = 0; r < k; r++) {
        square += dot[r * k + r];
        assert_int_equal(t->patterns[r], patterns[r]);
        assert_true(fabs(t->class_norm[r] - sqrt(dot[r * k + r])) < near);
    }
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c < r; c++) {
            double gamma = INFINITY;
            for (int64_t i = 0; i < s->n; i++)
                if (s->y[i] == r || s->y[i] == c) {
                    const int64_t other = s->y[i] == r ? c : r;
                    const double margin = f[i * k + s->y[i]] - f[i * k + other];
                    gamma = fmin(gamma, margin);
                }
            mu = fmin(mu, gamma);
            gamma /= sqrt(dot[r * k + r] + dot[c * k + c] - 2 * dot[r * k + c]);
            D += 1 / (gamma * gamma);
            assert_true(t->least_gamma < gamma + near);
            if (t->closest[0] == c && t->closest[1] == r)
                assert_true(fabs(t->least_gamma - gamma) < near);
        }
    const double m = (double)s->n;
    const double weight = (double)k * square / (mu * mu);
    assert_true(fabs(t->norm - sqrt(square)) < near && fabs(t->radius - 1) < near);
    assert_true(fabs(t->least_margin - mu) < near);
    if (mu > 0) {
        assert_true(fabs(t->gamma_sum - D) < near * D && t->gamma_sum <= weight * (1 + near));
        const double bound = printed_bound(1, m, weight, (double)(k * (k - 1) / 2));
        assert_true(fabs(t->bound - bound) < near * bound);
        for (int64_t r = 0; r < k; r++) {
            const double own = ((double)k * dot[r * k + r] + square) / (mu * mu);
            const double right = printed_bound(1, m, own, (double)(k - 1));
            assert_true(fabs(t->class_bound[r] - right) < near * right);
        }
    } else {
        assert_true(isnan(t->gamma_sum) && isnan(t->bound) && isnan(t->class_bound[0]));
    }
    free(f);
    return mu > 0;
}

/* Norms, margins, bounds: of a machine that has all rows right, and of one that has not. */
static void test_spoc__theory_is_that_of_the_program(void **state)
{
    (void)state;
    int right = 0;
    for (int ww = 0; ww < 2; ww++)
        for (int narrow = 0; narrow < 2; narrow++)
            for (int64_t k = 2; k <= 5; k++) {
                small s = small_clouds(36, 3, k, 76);
                for (int64_t i = 0; i < s.n * 3; i++)
                    s.x[i] *= narrow ? 4 : 0.4; /* the clouds lie apart, or over each other */
                char options[200];
                snprintf(options, sizeof options, "machine=%s," EXACT ",kernel=rbf,sigma=1.1",
                         ww ? "ww" : "spoc");
                pt_error err = {0};
                pt_training training = {0};
                pt_machine *machine = NULL;
                pt_params *params = small_params(options);
                pt_dataset *data = small_dataset(&s);
                small_must(pt_training_init(&training, data, params, NULL, &err), &err, "training");
                small_must(pt_machine_fit(&machine, training.ops, &training.problem,
                                          training.params, NULL, &training.warnings, &err),
                           &err, "training");
                double *b = plain_costs(k);
                double *K = gram(&s, &s, kernel_rbf);
                double *tau = reference_tau(ww, &s, K, b, REFERENCE_C);
                pt_description said = {0};
                small_must(pt_machine_describe(&said, machine, NULL, &err), &err, "theory");
                right += expect_theory(said.theory, &s, K, tau);
                free(tau), free(K), free(b);
                pt_machine_free(machine);
                pt_training_free(&training);
                pt_dataset_free(data);
                pt_params_free(params);
                small_free(&s);
            }
    assert_in_range(right, 1, 15); /* both were seen */
}

/* CS section 7: of a list of all classes the first and the last are compared, and the one with the
 * smaller score goes, until one is left. */
static void test_spoc__a_graph_of_pairs_gives_the_largest_score(void **state)
{
    (void)state;
    enum { K = 5 };
    small s = small_clouds(60, 3, K, 77);
    small on = small_clouds(200, 3, K, 78);
    pt_dataset *train = small_dataset(&s);
    pt_dataset *test = small_dataset(&on);
    for (int ww = 0; ww < 2; ww++) {
        double *scores = small_scores(
            train, ww ? "machine=ww,sigma=1,calibrate=no" : "machine=spoc,sigma=1,calibrate=no",
            test);
        for (int64_t i = 0; i < on.n; i++) {
            const double *f = scores + i * K;
            int64_t first = 0;
            int64_t last = K - 1;
            int64_t best = 0;
            while (first < last)
                if (f[first] < f[last])
                    first++;
                else
                    last--;
            for (int64_t r = 1; r < K; r++)
                best = f[r] > f[best] ? r : best;
            assert_int_equal(first, best);
        }
        free(scores);
    }
    pt_dataset_free(train);
    pt_dataset_free(test);
    small_free(&s);
    small_free(&on);
}

/* ---------------------------------------------------------------------------------- held out */

typedef struct taken {
    int64_t cells;
    double *scores; /* points x cells */
} taken;

static pt_status take(void *context, int64_t point, int64_t partition, const double *scores,
                      pt_error *err)
{
    (void)partition;
    (void)err;
    const taken *t = context;
    assert_non_null(scores);
    memcpy(t->scores + point * t->cells, scores, (size_t)t->cells * sizeof(double));
    return PT_OK;
}

/* One matrix of kernel values, bounds of 0 and warm starts along C, points in no order, against
 * training without the fold. Rows of overlapping clouds have weights. */
static void test_spoc__held_out_scores_are_those_of_training_again(void **state)
{
    (void)state;
    enum { N = 90, K = 3, POINTS = 6 };
    static const char *const at[POINTS] = {"sigma=1,C=4",    "sigma=0.4,C=0.05", "sigma=1,C=0.05",
                                           "sigma=0.4,C=30", "sigma=1,C=15",     "sigma=1,C=0.5"};
    small s = small_clouds(N, 3, K, 102);
    int64_t fold[N];
    s.weight = calloc(N, sizeof *s.weight);
    for (int64_t i = 0; i < N; i++) {
        fold[i] = i / K % 5;
        s.weight[i] = 0.5 + (double)(i % 4);
    }
    const int64_t *const folds[] = {fold};
    const pt_partitions partitions = {1, 5, folds, false};
    pt_dataset *data = small_dataset(&s);
    for (int ww = 0; ww < 2; ww++) {
        pt_error err = {0};
        pt_training training = {0};
        pt_params *points[POINTS];
        for (int p = 0; p < POINTS; p++) {
            char options[200];
            snprintf(options, sizeof options, "machine=%s,kernel=rbf,precision=double,gap=1e-10,%s",
                     ww ? "ww" : "spoc", at[p]);
            points[p] = small_params(options);
        }
        small_must(pt_training_init(&training, data, points[0], NULL, &err), &err, "training");
        double *scores[2];
        for (int way = 0; way < 2; way++) {
            scores[way] = calloc((size_t)POINTS * N * K, sizeof(double));
            taken t = {(int64_t)N * K, scores[way]};
            small_must((way ? held_out_by_training : held_out_scores)(
                           training.ops, &training.problem, (const pt_params *const *)points,
                           POINTS, &partitions, take, &t, NULL, &err),
                       &err, "held-out scores");
        }
        const double distance = small_distance(scores[0], scores[1], (int64_t)POINTS * N * K);
        if (!(distance < 1e-3))
            fail_msg("%s: %g apart", training.ops->name, distance);
        free(scores[0]), free(scores[1]);
        for (int p = 0; p < POINTS; p++)
            pt_params_free(points[p]);
        pt_training_free(&training);
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spoc__scores_are_those_of_the_program),
        cmocka_unit_test(test_spoc__costs_come_from_a_file),
        cmocka_unit_test(test_spoc__two_classes_are_one_binary_machine),
        cmocka_unit_test(test_spoc__a_gap_of_a_millionth_is_reached),
        cmocka_unit_test(test_spoc__theory_is_that_of_the_program),
        cmocka_unit_test(test_spoc__a_graph_of_pairs_gives_the_largest_score),
        cmocka_unit_test(test_spoc__held_out_scores_are_those_of_training_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
