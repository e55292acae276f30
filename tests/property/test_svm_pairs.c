/* All pairs of classes: against a plain solution of each pair, the same bytes whatever the threads
 * and the memory, and within the memory. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <cmocka.h>

#include "../support/dense_reference.h"
#include "base/alloc.h"
#include "base/math.h"
#include "base/task.h"
#include "kernels/kernel_segments.h"
#include "learners/learner.h"

static const double C = 3;

/* ---- the plain solution ------------------------------------------------------------------------
 */

/* max sum a - 1/2 sum a_i a_j y_i y_j K_ij, 0 <= a <= u, and y^T a = 0 with a bias: the pair (or
 * the variable) that violates optimality most, until none does. Returns the bias. */
static double plain_svm(const double *K, const double *y, const double *u, int64_t n, bool bias,
                        double *beta)
{
    double *v = calloc((size_t)n, sizeof *v); /* y - K beta */
    double middle = 0;
    for (int64_t i = 0; i < n; i++) {
        v[i] = y[i];
        beta[i] = 0;
    }
    for (int step = 0; step < 1000000; step++) {
        int64_t up = -1;
        int64_t low = -1;
        for (int64_t i = 0; i < n; i++) {
            if (beta[i] < (y[i] > 0 ? u[i] : 0) && (up < 0 || v[i] > v[up]))
                up = i;
            if (beta[i] > (y[i] > 0 ? 0 : -u[i]) && (low < 0 || v[i] < v[low]))
                low = i;
        }
        if (bias && (up < 0 || low < 0 || v[up] - v[low] < 1e-10)) {
            middle = up < 0 ? v[low] : low < 0 ? v[up] : (v[up] + v[low]) / 2;
            break;
        }
        if (!bias) { /* one of them stands still */
            const bool rises = up >= 0 && (low < 0 || v[up] > -v[low]);
            if (fabs(v[rises ? up : low]) < 1e-10 || (rises ? v[up] < 0 : v[low] > 0))
                break;
            if (rises)
                low = -1;
            else
                up = -1;
        }
        double curve = 0;
        double most = INFINITY;
        double slope = 0;
        if (up >= 0) {
            curve += K[up * n + up];
            slope += v[up];
            most = fmin(most, (y[up] > 0 ? u[up] : 0) - beta[up]);
        }
        if (low >= 0) {
            curve += K[low * n + low];
            slope -= v[low];
            most = fmin(most, beta[low] - (y[low] > 0 ? 0 : -u[low]));
        }
        if (up >= 0 && low >= 0)
            curve -= 2 * K[up * n + low];
        const double t = fmin(slope / fmax(curve, 1e-12), most);
        for (int64_t i = 0; i < n; i++)
            v[i] -= t * ((up >= 0 ? K[i * n + up] : 0) - (low >= 0 ? K[i * n + low] : 0));
        if (up >= 0)
            beta[up] += t;
        if (low >= 0)
            beta[low] -= t;
    }
    free(v);
    return middle;
}

/* The outputs of all pairs on the training rows: n x ell. */
static double *plain_pairs(const small *s, const double *K, bool bias)
{
    const int64_t ell = pt_pairs_count(s->k);
    double *f = calloc((size_t)(s->n * ell), sizeof *f);
    double *sub = calloc((size_t)(s->n * s->n), sizeof *sub);
    double *y = calloc((size_t)s->n, sizeof *y);
    double *u = calloc((size_t)s->n, sizeof *u);
    double *beta = calloc((size_t)s->n, sizeof *beta);
    int64_t *row = calloc((size_t)s->n, sizeof *row);
    for (int64_t column = 0; column < ell; column++) {
        int64_t p = 0;
        int64_t q = 0;
        int64_t n = 0;
        pt_pairs_at(s->k, column, &p, &q);
        for (int64_t i = 0; i < s->n; i++)
            if (s->y[i] == p || s->y[i] == q) {
                y[n] = s->y[i] == p ? 1 : -1;
                u[n] = C * (s->weight ? s->weight[i] : 1);
                row[n++] = i;
            }
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                sub[i * n + j] = K[row[i] * s->n + row[j]];
        const double b = plain_svm(sub, y, u, n, bias, beta);
        for (int64_t i = 0; i < s->n; i++) {
            f[i * ell + column] = b;
            for (int64_t j = 0; j < n; j++)
                f[i * ell + column] += beta[j] * K[i * s->n + row[j]];
        }
    }
    free(row);
    free(beta);
    free(u);
    free(y);
    free(sub);
    return f;
}

/* ---- ours --------------------------------------------------------------------------------------
 */

typedef struct setting {
    const char *options;
    int threads;
    int64_t memory; /* 0: as it comes */
    bool sparse;
    pt_type type;
} setting;

/* Outputs on the training rows (n x ell); rows are x, or n x n values of a kernel. */
static double *our_pairs(const small *s, const double *x, int64_t d, const setting *how)
{
    pt_error err = PT_ERROR_INIT;
    const int64_t ell = pt_pairs_count(s->k);
    const size_t size = pt_type_size(how->type);
    void *value = calloc((size_t)(s->n * d), size);
    int64_t *start = calloc((size_t)s->n + 1, sizeof *start);
    int64_t *index = calloc((size_t)(s->n * d), sizeof *index);
    double *f = calloc((size_t)(s->n * ell), sizeof *f);
    for (int64_t i = 0; i < s->n * d; i++) {
        index[i] = i % d;
        start[i / d + 1] = i + 1;
        if (how->type == PT_F32)
            ((float *)value)[i] = (float)x[i];
        else
            ((double *)value)[i] = x[i];
    }
    pt_rows rows = {.n = s->n, .d = d, .type = how->type, .dense = value, .stride = d};
    if (how->sparse)
        rows = (pt_rows){
            .n = s->n, .d = d, .type = how->type, .start = start, .index = index, .value = value};
    const pt_columns columns = {.n = s->n,
                                .group_of = s->y,
                                .groups = s->k,
                                .ell = ell,
                                .pairs = true,
                                .weight = s->weight};
    pt_params *params = small_params(how->options);
    pt_task *task = small_task(how->threads);
    if (how->memory > 0)
        pt_task_set_memory(task, how->memory);
    pt_warnings warnings = {0};
    pt_learner *learner = NULL;
    small_must(
        pt_learner_fit(&learner, &pt_learner_svm, &rows, &columns, params, task, &warnings, &err),
        &err, how->options);
    small_must(pt_learner_svm.outputs(learner, &rows, f, task, &err), &err, "outputs");
    pt_learner_free(learner);
    pt_warnings_free(&warnings);
    pt_task_free(task);
    pt_params_free(params);
    free(index);
    free(start);
    free(value);
    return f;
}

static small weighted_clouds(int64_t n, int64_t k, uint64_t seed)
{
    small s = small_clouds(n, 4, k, seed);
    s.weight = calloc((size_t)n, sizeof *s.weight);
    for (int64_t i = 0; i < n; i++)
        s.weight[i] = 0.5 + 0.25 * (double)(i % 5);
    return s;
}

/* ---- the tests ---------------------------------------------------------------------------------
 */

static void test_pairs__each_is_the_plain_solution(void **state)
{
    (void)state;
    small s = weighted_clouds(90, 4, 3);
    const int64_t cells = s.n * pt_pairs_count(s.k);
    for (int kernel = 0; kernel < N_KERNELS; kernel++)
        for (int bias = 0; bias < 2; bias++) {
            double *K = gram(&s, &s, KERNELS[kernel].kernel);
            double *plain = plain_pairs(&s, K, bias);
            char options[160];
            snprintf(options, sizeof options, "C=3,eps=1e-7,bias=%s,%s", bias ? "yes" : "no",
                     KERNELS[kernel].options);
            for (int sparse = 0; sparse < 2; sparse++) {
                const setting how = {options, 1, 0, sparse, PT_F64};
                double *f = our_pairs(&s, s.x, s.d, &how);
                expect_close(f, plain, cells, 1e-5, options);
                free(f);
            }
            snprintf(options, sizeof options, "C=3,eps=1e-7,bias=%s,kernel=precomputed",
                     bias ? "yes" : "no");
            const setting how = {options, 1, 0, false, PT_F64};
            double *f = our_pairs(&s, K, s.n, &how);
            expect_close(f, plain, cells, 1e-5, options);
            free(f);
            free(plain);
            free(K);
        }
    small_free(&s);
}

static void test_pairs__float_is_close_to_the_plain_solution(void **state)
{
    (void)state;
    small s = weighted_clouds(300, 3, 9);
    double *K = gram(&s, &s, kernel_rbf);
    double *plain = plain_pairs(&s, K, true);
    const setting how = {"C=3,eps=1e-4,bias=yes,kernel=rbf,sigma=1.1", 2, 0, false, PT_F32};
    double *f = our_pairs(&s, s.x, s.d, &how);
    expect_close(f, plain, s.n * pt_pairs_count(s.k), 1e-3, how.options);
    free(f);
    free(plain);
    free(K);
    small_free(&s);
}

/* Classes of 1 and of 0 examples are classes too. */
static void test_pairs__small_classes_are_solved(void **state)
{
    (void)state;
    small s = weighted_clouds(40, 2, 5);
    s.k = 4;
    s.y[7] = 2;
    double *K = gram(&s, &s, kernel_rbf);
    double *plain = plain_pairs(&s, K, true);
    const setting how = {"C=3,eps=1e-7,bias=yes,kernel=rbf,sigma=1.1", 1, 0, false, PT_F64};
    double *f = our_pairs(&s, s.x, s.d, &how);
    const int64_t ell = pt_pairs_count(s.k);
    for (int64_t i = 0; i < s.n; i++)
        for (int64_t column = 0; column < ell; column++) {
            int64_t p = 0;
            int64_t q = 0;
            pt_pairs_at(s.k, column, &p, &q);
            if (q < 3) /* both have examples: any bias is right for an empty one */
                assert_float_equal(f[i * ell + column], plain[i * ell + column], 1e-5);
        }
    free(f);
    free(plain);
    free(K);
    small_free(&s);
}

static void test_pairs__bytes_do_not_depend_on_threads_or_memory(void **state)
{
    (void)state;
    small s = weighted_clouds(900, 3, 17);
    const size_t bytes = (size_t)(s.n * pt_pairs_count(s.k)) * sizeof(double);
    for (int sparse = 0; sparse < 2; sparse++) {
        setting how = {"C=3,eps=1e-3,bias=yes,kernel=rbf,sigma=1.1", 1, 0, sparse, PT_F32};
        double *one = our_pairs(&s, s.x, s.d, &how);
        how.threads = 3;
        double *three = our_pairs(&s, s.x, s.d, &how);
        assert_memory_equal(one, three, bytes);
        how.memory = 900000; /* a cache, and rows in panels still */
        double *little = our_pairs(&s, s.x, s.d, &how);
        assert_memory_equal(one, little, bytes);
        free(little);
        free(three);
        free(one);
    }
    small_free(&s);
}

/* ---- the plan ----------------------------------------------------------------------------------
 */

/* Bytes that the program has; 0 where nobody tells. */
static double bytes_now(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
#else
    return 0;
#endif
}

static void keep_most(const char *stage, double done, double total, void *user)
{
    (void)stage;
    (void)done;
    (void)total;
    double *most = user;
    *most = fmax(*most, bytes_now());
}

typedef struct planned {
    pt_rows rows;
    pt_columns columns;
    pt_params *params;
} planned;

static pt_plan plan_of(const planned *p, int threads, double memory)
{
    pt_error err = PT_ERROR_INIT;
    pt_plan plan = {0};
    pt_task *task = small_task(threads);
    pt_task_set_memory(task, (int64_t)memory);
    small_must(pt_learner_svm.plan(&p->rows, &p->columns, p->params, task, &plan, &err), &err,
               "plan");
    pt_task_free(task);
    return plan;
}

/* Trains within the memory given. */
static void train_within(const planned *p, int threads, double memory)
{
    enum { RUNTIME = 1 << 16 }; /* what threads and the allocator take for themselves */
    pt_error err = PT_ERROR_INIT;
    pt_warnings warnings = {0};
    pt_learner *learner = NULL;
    pt_task *task = small_task(threads);
    const double before = bytes_now();
    double most = before;
    pt_task_set_memory(task, (int64_t)memory);
    pt_task_on_progress(task, keep_most, &most);
    pt_task_hear_all(task);
    small_must(pt_learner_fit(&learner, &pt_learner_svm, &p->rows, &p->columns, p->params, task,
                              &warnings, &err),
               &err, "fit");
    const double coef = 8.0 * (double)(p->columns.n * (p->columns.groups - 1));
    assert_true(most - before <= memory + RUNTIME);
    assert_true(bytes_now() - before + coef <= memory + RUNTIME); /* when the model was made */
    pt_learner_free(learner);
    pt_warnings_free(&warnings);
    pt_task_free(task);
}

/* Rows and values; a list of rows and one of their segments; and for each worker y, bound, diagonal
 * and a, four vectors of the solver, and six lists of two rings. Classes are of one size. */
static double beside_coef(const planned *p, int workers)
{
    const int64_t k = p->columns.groups;
    int64_t *first = calloc((size_t)k + 1, sizeof *first);
    for (int64_t c = 0; c <= k; c++)
        first[c] = c * (p->rows.n / k);
    const double pair = (double)(2 * first[1]);
    const double bytes = pt_grouped_rows_bytes(&p->rows, k, pt_kernel_find("rbf")) +
                         pt_kernel_segments_least(first, k, p->rows.type, workers) +
                         2 * 8 * (double)p->rows.n + workers * pair * (1 + 3 * 8 + 4 * 8 + 6 * 8);
    free(first);
    return bytes;
}

static void test_pairs__the_plan_counts_what_is_held(void **state)
{
    (void)state;
    static const int64_t classes[] = {3, 60};
    for (int c = 0; c < 2; c++)
        for (int threads = 1; threads <= 3; threads++) {
            small s = weighted_clouds(900, classes[c], 5);
            const planned p = {
                .rows = {.n = s.n, .d = s.d, .type = PT_F64, .dense = s.x, .stride = s.d},
                .columns = {.n = s.n,
                            .group_of = s.y,
                            .groups = s.k,
                            .ell = pt_pairs_count(s.k),
                            .pairs = true,
                            .weight = s.weight},
                .params = small_params("C=3,eps=1e-3,bias=yes,kernel=rbf,sigma=1.1")};
            const double least = plan_of(&p, threads, 1).bytes;
            const double all = plan_of(&p, threads, 1e12).bytes;
            const double coef = 8 * (double)(s.n * (s.k - 1));
            assert_true(least >= coef + beside_coef(&p, threads));
            assert_true(least >= 2.5 * coef); /* twice in double, once in double or float */
            assert_true(all >= least);
            train_within(&p, threads, least);
            train_within(&p, threads, (least + all) / 2);
            train_within(&p, threads, all);
            pt_params_free(p.params);
            small_free(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs__each_is_the_plain_solution),
        cmocka_unit_test(test_pairs__float_is_close_to_the_plain_solution),
        cmocka_unit_test(test_pairs__small_classes_are_solved),
        cmocka_unit_test(test_pairs__bytes_do_not_depend_on_threads_or_memory),
        cmocka_unit_test(test_pairs__the_plan_counts_what_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
