/* vo-RLS(beta) and vo-RLS(f) against their objective, written down once more, slowly and in long
 * double, and against dense solves of their systems.
 *
 * Machines are trained on a precomputed kernel, where the coefficient of row i is number i of what
 * they keep. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/task.h"
#include "data/labels/labels.h"
#include "machine/machine.h"
#include "machines/squares/vector_machine.h"
#include "model/model.h"

/* ---------------------------------------------------------------------------------- problems */

static double rbf(const double *a, const double *b, int64_t d, double sigma)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return exp(-sum / (2 * sigma * sigma));
}

/* n x n: Gaussian, or inner products where sigma is 0. */
static double *gram(const small *s, double sigma)
{
    double *K = calloc((size_t)(s->n * s->n), sizeof *K);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++) {
            const double *a = s->x + i * s->d;
            const double *b = s->x + j * s->d;
            for (int64_t f = 0; f < s->d && sigma == 0; f++)
                K[i * s->n + j] += a[f] * b[f];
            if (sigma != 0)
                K[i * s->n + j] = rbf(a, b, s->d, sigma);
        }
    return K;
}

/* A trained machine's beta and the Q it was trained with. */
typedef struct solution {
    double *beta;
    double *Q;
    bool one_penalty_of_f;
    double ridge;
} solution;

static void solution_free(solution *s)
{
    free(s->beta);
    free(s->Q);
}

static solution train(const pt_machine_ops *ops, const small *s, const double *K,
                      const double *label_gram, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    pt_texts classes = {NULL, 0, 0};
    for (int64_t r = 0; r < s->k; r++)
        small_must(pt_texts_add(&classes, &err, "%s", names[r]), &err, "classes");
    pt_labels *labels = NULL;
    small_must(pt_labels_from_codes(&labels, s->n, s->y, &classes, &err), &err, "labels");
    const pt_rows rows = {.n = s->n, .d = s->n, .type = PT_F64, .dense = K, .stride = s->n};
    const pt_problem problem = {
        .rows = rows, .labels = labels, .weight = s->weight, .label_gram = label_gram};
    pt_params *params = small_params(options);
    small_must(pt_params_parse(params, "kernel=precomputed", &err), &err, "kernel");
    pt_machine *machine = NULL;
    pt_warnings warnings = {0};
    small_must(pt_machine_fit(&machine, ops, &problem, params, NULL, &warnings, &err), &err,
               options);
    const pt_vector_machine *m = (const pt_vector_machine *)machine;
    assert_int_equal(m->expansion.n_coef, s->n);

    solution got = {.one_penalty_of_f = ops == &pt_machine_vo_rls_f};
    got.ridge = strtod(pt_params_get(params, "ridge"), NULL);
    got.beta = calloc((size_t)s->n, sizeof(double));
    got.Q = calloc((size_t)(s->k * s->k), sizeof(double));
    memcpy(got.beta, m->expansion.coef, (size_t)s->n * sizeof(double));
    memcpy(got.Q, m->space.Q, (size_t)(s->k * s->k) * sizeof(double));
    pt_machine_free(machine);
    pt_warnings_free(&warnings);
    pt_params_free(params);
    pt_labels_free(labels);
    pt_texts_free(&classes);
    return got;
}

static double weight_of(const small *s, int64_t i)
{
    return s->weight ? s->weight[i] : 1;
}

static void give_weights(small *s)
{
    s->weight = calloc((size_t)s->n, sizeof *s->weight);
    for (int64_t i = 0; i < s->n; i++)
        s->weight[i] = 0.25 + (double)(i % 5);
}

/* ---------------------------------------------------------------------------------- references */

/* Half the gradient of the objective, the largest entry, relative to that at beta = 0:
 * g_j = sum_i w_i K_ij y_j . (f(x_i) - y_i) + ridge (beta_j / w_j  or  y_j . f(x_j)). */
static double gradient(const small *s, const double *K, const solution *at)
{
    const int64_t n = s->n;
    const int64_t k = s->k;
    long double *h = calloc((size_t)(n * k), sizeof *h); /* y_r . f(x_i) */
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t r = 0; r < k; r++)
                h[i * k + r] += (long double)at->Q[r * k + s->y[j]] * at->beta[j] * K[i * n + j];
    long double largest = 0;
    long double scale = 0;
    for (int64_t j = 0; j < n; j++) {
        const int64_t r = s->y[j];
        long double g = at->one_penalty_of_f ? at->ridge * h[j * k + r]
                                             : at->ridge * at->beta[j] / weight_of(s, j);
        long double d = 0;
        for (int64_t i = 0; i < n; i++) {
            const long double q = at->Q[s->y[i] * k + r];
            g += (long double)weight_of(s, i) * K[i * n + j] * (h[i * k + r] - q);
            d += (long double)weight_of(s, i) * K[i * n + j] * q;
        }
        largest = fmaxl(largest, fabsl(g));
        scale = fmaxl(scale, fabsl(d));
    }
    free(h);
    return (double)(largest / scale);
}

/* The system of the machine, dense; `square`: with HNR's printed elementwise square in G. */
static double *dense_solve(const small *s, const double *K, const solution *like, bool square)
{
    const int64_t n = s->n;
    long double *T = calloc((size_t)(n * (n + 1)), sizeof *T);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const long double q = like->Q[s->y[i] * s->k + s->y[j]];
            long double sum = 0;
            for (int64_t l = 0; l < n && !square; l++)
                sum += (long double)weight_of(s, l) * K[i * n + l] * K[l * n + j];
            if (square)
                sum = (long double)K[i * n + j] * K[i * n + j];
            if (like->one_penalty_of_f)
                sum += like->ridge * K[i * n + j];
            T[i * (n + 1) + j] = q * sum;
            T[i * (n + 1) + n] += q * weight_of(s, j) * K[i * n + j];
        }
        if (!like->one_penalty_of_f)
            T[i * (n + 1) + i] += like->ridge / weight_of(s, i);
    }
    for (int64_t p = 0; p < n; p++) /* positive definite: no pivoting */
        for (int64_t i = 0; i < n; i++) {
            const long double factor = T[i * (n + 1) + p] / T[p * (n + 1) + p];
            for (int64_t j = p; j <= n && i != p; j++)
                T[i * (n + 1) + j] -= factor * T[p * (n + 1) + j];
        }
    double *beta = calloc((size_t)n, sizeof *beta);
    for (int64_t i = 0; i < n; i++)
        beta[i] = (double)(T[i * (n + 1) + n] / T[i * (n + 1) + i]);
    free(T);
    return beta;
}

static double largest_of(const double *x, int64_t n)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* y_i . f(x_i) for every row: what beta is for. Where a kernel is nearly singular, beta itself is
 * not well determined. */
static double *own_scores(const small *s, const double *K, const solution *like, const double *beta)
{
    double *h = calloc((size_t)s->n, sizeof *h);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++)
            h[i] += like->Q[s->y[i] * s->k + s->y[j]] * beta[j] * K[i * s->n + j];
    return h;
}

static void expect_close(const double *a, const double *b, int64_t n, double tolerance,
                         const char *what)
{
    const double distance = small_distance(a, b, n);
    if (!(distance <= tolerance * largest_of(b, n)))
        fail_msg("%s: %g apart (size %g)", what, distance, largest_of(b, n));
}

static void expect_dense_answer(const small *s, const double *K, const solution *got,
                                const char *what)
{
    double *want = dense_solve(s, K, got, false);
    double *a = own_scores(s, K, got, got->beta);
    double *b = own_scores(s, K, got, want);
    expect_close(got->beta, want, s->n, 1e-6, what);
    expect_close(a, b, s->n, 1e-9, what);
    free(want);
    free(a);
    free(b);
}

/* ---------------------------------------------------------------------------------- the tests */

static const pt_machine_ops *const MACHINES[] = {&pt_machine_vo_rls, &pt_machine_vo_rls_f};

static const char *const SPACES[] = {"labelbook=pm1",
                                     "labelbook=indicator",
                                     "labelbook=alignment",
                                     "labelbook=consistency",
                                     "labelbook=mincorr",
                                     "labelbook=fisher",
                                     "labelbook=pm1,label-kernel=rbf,label-sigma=2",
                                     "labelbook=fisher,label-kernel=poly,label-degree=2"};
enum { N_SPACES = sizeof SPACES / sizeof *SPACES };

/* Every label space, two to five classes (pm1 with four falls apart into blocks), with and without
 * weights. */
static void test_vo_rls__solves_its_system(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= 5; k++) {
        small s = small_clouds(41, 3, k, (uint64_t)k);
        if (k % 2 == 1)
            give_weights(&s);
        double *K = gram(&s, 1.1);
        for (int m = 0; m < 2; m++)
            for (int q = 0; q < N_SPACES; q++) {
                char options[200];
                snprintf(options, sizeof options, "ridge=0.3,%s", SPACES[q]);
                solution got = train(MACHINES[m], &s, K, NULL, options);
                expect_dense_answer(&s, K, &got, options);
                if (!(gradient(&s, K, &got) < 1e-11))
                    fail_msg("%s: gradient %g", options, gradient(&s, K, &got));
                solution_free(&got);
            }
        free(K);
        small_free(&s);
    }
}

/* Over several tiles and panels, for one system and for several. */
static void test_vo_rls__gradient_vanishes_over_tiles(void **state)
{
    (void)state;
    small s = small_clouds(900, 3, 3, 7);
    give_weights(&s);
    double *K = gram(&s, 1.5);
    for (int m = 0; m < 2; m++)
        for (int q = 0; q < 2; q++) {
            char options[200];
            snprintf(options, sizeof options, "ridge=0.01,%s", SPACES[q]);
            solution got = train(MACHINES[m], &s, K, NULL, options);
            if (!(gradient(&s, K, &got) < (m == 0 ? 1e-12 : 1e-8))) /* vo-rls-f: nearly singular */
                fail_msg("%s: gradient %g", options, gradient(&s, K, &got));
            solution_free(&got);
        }
    free(K);
    small_free(&s);
}

/* A file's Q that connects classes 0 and 2, and 1 and 3, and nothing else. */
static void test_vo_rls__any_blocks_of_the_label_kernel(void **state)
{
    (void)state;
    const double Q[16] = {2, 0, 1, 0, 0, 1, 0, -0.5, 1, 0, 3, 0, 0, -0.5, 0, 1};
    small s = small_clouds(38, 3, 4, 8);
    double *K = gram(&s, 1.1);
    for (int m = 0; m < 2; m++) {
        solution got = train(MACHINES[m], &s, K, Q, "ridge=0.2");
        expect_dense_answer(&s, K, &got, "blocks");
        solution_free(&got);
    }
    free(K);
    small_free(&s);
}

/* A labelbook of another scale leaves vo-RLS(f) as it is; for vo-RLS(beta) it is a rescaled ridge:
 * (c G + gamma I) beta = c d. */
static void test_vo_rls__scale_of_the_labelbook(void **state)
{
    (void)state;
    const double Q[9] = {2, 0.5, 0.1, 0.5, 1, -0.3, 0.1, -0.3, 1.5};
    double scaled[9];
    for (int i = 0; i < 9; i++)
        scaled[i] = 7 * Q[i];
    small s = small_clouds(36, 3, 3, 9);
    double *K = gram(&s, 1.1);
    solution a = train(&pt_machine_vo_rls_f, &s, K, Q, "ridge=0.1");
    solution b = train(&pt_machine_vo_rls_f, &s, K, scaled, "ridge=0.1");
    expect_close(a.beta, b.beta, s.n, 1e-10, "vo-rls-f");
    solution c = train(&pt_machine_vo_rls, &s, K, Q, "ridge=0.1");
    solution d = train(&pt_machine_vo_rls, &s, K, scaled, "ridge=0.7");
    solution e = train(&pt_machine_vo_rls, &s, K, scaled, "ridge=0.1");
    expect_close(c.beta, d.beta, s.n, 1e-10, "vo-rls");
    assert_true(small_distance(c.beta, e.beta, s.n) > 1e-3);
    solution_free(&a);
    solution_free(&b);
    solution_free(&c);
    solution_free(&d);
    solution_free(&e);
    free(K);
    small_free(&s);
}

/* HNR prints (x_j^T x_k)^2 in G: what that gives is no minimum of the objective. */
static void test_vo_rls__printed_matrix_leaves_a_gradient(void **state)
{
    (void)state;
    small s = small_clouds(40, 3, 3, 10);
    double *K = gram(&s, 1.1);
    for (int m = 0; m < 2; m++) {
        solution got = train(MACHINES[m], &s, K, NULL, "ridge=0.1,labelbook=pm1");
        assert_true(gradient(&s, K, &got) < 1e-11);
        double *printed = dense_solve(&s, K, &got, true);
        memcpy(got.beta, printed, (size_t)s.n * sizeof *printed);
        assert_true(gradient(&s, K, &got) > 0.5);
        free(printed);
        solution_free(&got);
    }
    free(K);
    small_free(&s);
}

/* Equal rows of equal classes make vo-RLS(f) singular, and so does a kernel of low rank; ridges
 * from 1e-12 to 1e12. The gradient vanishes as far as double allows. */
static void test_vo_rls__singular_systems_have_no_gradient(void **state)
{
    (void)state;
    small s = small_clouds(48, 3, 3, 11);
    for (int64_t i = 24; i < 48; i++) {
        memcpy(s.x + i * 3, s.x + (i - 24) * 3, 3 * sizeof *s.x);
        if (i < 40)
            s.y[i] = s.y[i - 24];
    }
    for (int kind = 0; kind < 3; kind++) {
        double *K = gram(&s, kind == 0 ? 1.1 : kind == 1 ? 0 : 1e9);
        for (int m = 0; m < 2; m++)
            for (int power = -12; power <= 12; power += 4)
                for (int q = 0; q < 2; q++) {
                    char options[100];
                    snprintf(options, sizeof options, "ridge=1e%d,%s", power, SPACES[q]);
                    solution got = train(MACHINES[m], &s, K, NULL, options);
                    const double g = gradient(&s, K, &got);
                    if (!(g < (power < -4 ? 1e-6 : 1e-9)))
                        fail_msg("%s, kernel %d, %s: gradient %g", MACHINES[m]->name, kind, options,
                                 g);
                    solution_free(&got);
                }
        free(K);
    }
    small_free(&s);
}

/* An example of weight 2 and the example twice: the two share its coefficient. */
static void test_vo_rls__weight_two_is_the_example_twice(void **state)
{
    (void)state;
    small twice = small_clouds(40, 3, 3, 12);
    for (int64_t i = 30; i < 40; i++) {
        memcpy(twice.x + i * 3, twice.x + (i - 30) * 3, 3 * sizeof *twice.x);
        twice.y[i] = twice.y[i - 30];
    }
    small once = small_clouds(40, 3, 3, 12);
    once.n = 30;
    once.weight = calloc(30, sizeof(double));
    for (int64_t i = 0; i < 30; i++)
        once.weight[i] = i < 10 ? 2 : 1;
    double *K = gram(&twice, 1.1);
    double *K_once = gram(&once, 1.1);
    for (int m = 0; m < 2; m++)
        for (int q = 0; q < N_SPACES; q++) {
            char options[200];
            snprintf(options, sizeof options, "ridge=0.3,%s", SPACES[q]);
            solution a = train(MACHINES[m], &twice, K, NULL, options);
            solution b = train(MACHINES[m], &once, K_once, NULL, options);
            for (int64_t i = 0; i < 10; i++)
                a.beta[i] += a.beta[30 + i];
            expect_close(a.beta, b.beta, 30, 1e-9, options);
            solution_free(&a);
            solution_free(&b);
        }
    free(K);
    free(K_once);
    small_free(&twice);
    small_free(&once);
}

/* An indefinite kernel: vo-rls takes it, vo-rls-f says what is wrong. */
static void test_vo_rls__indefinite_kernel(void **state)
{
    (void)state;
    small s = small_clouds(20, 3, 3, 13);
    double *K = gram(&s, 1.1);
    for (int64_t i = 0; i < s.n; i++)
        K[i * s.n + i] -= 1.5;
    solution got = train(&pt_machine_vo_rls, &s, K, NULL, "ridge=0.3");
    assert_true(gradient(&s, K, &got) < 1e-11);
    solution_free(&got);

    small p = {s.n, s.n, s.k, K, s.y, NULL};
    pt_dataset *data = small_dataset(&p);
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    assert_int_equal(small_try_train(&model, data,
                                     "machine=vo-rls-f,kernel=precomputed,ridge=1,precision=double",
                                     1, &err),
                     PT_ENUMERIC);
    assert_non_null(strstr(err.text, "not positive semidefinite"));
    assert_non_null(strstr(err.text, "vo-rls"));
    pt_dataset_free(data);
    free(K);
    small_free(&s);
}

/* What does not fit is refused before anything is computed, with the number. */
static void test_vo_rls__memory_is_planned(void **state)
{
    (void)state;
    small s = small_clouds(600, 3, 4, 14);
    pt_dataset *data = small_dataset(&s);
    for (int m = 0; m < 2; m++) {
        pt_error err = PT_ERROR_INIT;
        pt_model *model = NULL;
        char options[100];
        snprintf(options, sizeof options, "machine=%s,kernel=rbf,sigma=1,ridge=1,labelbook=%s",
                 MACHINES[m]->name, "mincorr");
        pt_params *params = small_params(options);
        pt_task *task = small_task(1);
        pt_task_set_memory(task, 3 << 20);
        assert_int_equal(pt_model_train(&model, data, params, task, &err), PT_EMEMORY);
        assert_non_null(strstr(err.text, "1 system of order 600"));
        pt_task_free(task);
        pt_params_free(params);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* ridge auto is what a search over the same five folds finds, ties to the larger ridge included:
 * rows are in the order of the data there. */
static void test_vo_rls__automatic_ridge_has_the_fewest_errors(void **state)
{
    (void)state;
    small s = small_clouds(90, 2, 3, 15);
    pt_dataset *data = small_dataset(&s);
    for (int m = 0; m < 2; m++) {
        pt_error err = PT_ERROR_INIT;
        char options[100];
        snprintf(options, sizeof options, "machine=%s,kernel=rbf,sigma=0.3,merge=no",
                 MACHINES[m]->name);
        pt_model *model = small_train(data, options, 1);
        pt_params *params = small_params(options);
        small_must(pt_params_set(params, "grid", "ridge=2^-9:2^9", &err), &err, "grid");
        small_must(pt_params_set(params, "folds", "5", &err), &err, "folds");
        pt_report *search = NULL;
        pt_params *best = NULL;
        small_must(
            pt_cross_validate(&search, &best, data, &(const pt_params *){params}, 1, NULL, &err),
            &err, "search");
        char want[60];
        snprintf(want, sizeof want, "\"ridge\": \"%s\"", pt_params_get(best, "ridge"));
        if (!strstr(pt_model_metadata(model), want))
            fail_msg("%s: %s is not in %s", options, want, pt_model_metadata(model));
        pt_params_free(best);
        pt_report_free(search);
        pt_params_free(params);
        pt_model_free(model);
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vo_rls__solves_its_system),
        cmocka_unit_test(test_vo_rls__gradient_vanishes_over_tiles),
        cmocka_unit_test(test_vo_rls__any_blocks_of_the_label_kernel),
        cmocka_unit_test(test_vo_rls__scale_of_the_labelbook),
        cmocka_unit_test(test_vo_rls__printed_matrix_leaves_a_gradient),
        cmocka_unit_test(test_vo_rls__singular_systems_have_no_gradient),
        cmocka_unit_test(test_vo_rls__weight_two_is_the_example_twice),
        cmocka_unit_test(test_vo_rls__indefinite_kernel),
        cmocka_unit_test(test_vo_rls__memory_is_planned),
        cmocka_unit_test(test_vo_rls__automatic_ridge_has_the_fewest_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
