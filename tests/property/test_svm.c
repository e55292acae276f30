/* Support vector machines through codes: what holds whatever the data. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/task.h"
#include "kernels/kernel_store.h"
#include "learners/learner.h"

/* A code of random signs, 0 among them with this probability. */
static int8_t *random_code(int64_t k, int64_t ell, double zeros, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 2);
    int8_t *sign = calloc((size_t)(k * ell), 1);
    for (int64_t i = 0; i < k * ell; i++)
        sign[i] = pt_random_uniform(&random) < zeros ? 0
                  : pt_random_uniform(&random) < 0.5 ? 1
                                                     : -1;
    return sign;
}

/* Trains the columns of a code; the outputs (n x ell) of the same rows: free() them. */
static double *outputs_of(const pt_rows *rows, const pt_columns *columns, const char *options,
                          int64_t memory, int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_learner *learner = NULL;
    pt_warnings warnings = {0};
    const pt_learner_ops *svm = pt_learner_find("svm");
    pt_params *params = small_params(options);
    pt_task *task = small_task(threads);
    pt_task_set_memory(task, memory);
    double *outputs = calloc((size_t)(rows->n * columns->ell), sizeof *outputs);
    small_must(pt_learner_fit(&learner, svm, rows, columns, params, task, &warnings, &err), &err,
               options);
    small_must(svm->outputs(learner, rows, outputs, task, &err), &err, options);
    assert_int_equal(warnings.count, 0);
    pt_learner_free(learner);
    pt_task_free(task);
    pt_params_free(params);
    return outputs;
}

/* While the memory allows it no kernel value is computed twice, whatever the number of columns and
 * threads: at most 1.05 n^2 / 2 of them. */
static void test_svm__columns_share_their_kernel_values(void **state)
{
    (void)state;
    enum { N = 1500, K = 26, ELL = 47, D = 8 };
    small s = small_clouds(N, D, K, 3);
    int8_t *sign = random_code(K, ELL, 0, 9);
    const pt_rows rows = {.n = N, .d = D, .type = PT_F64, .dense = s.x, .stride = D};
    const pt_columns columns = {.n = N, .group_of = s.y, .groups = K, .ell = ELL, .sign = sign};
    double *first = NULL;
    for (int threads = 1; threads <= 2; threads++) {
        const int64_t before = pt_kernel_stores_computed();
        double *outputs =
            outputs_of(&rows, &columns, "machine=code,kernel=rbf,sigma=1,precision=double,bias=yes",
                       0, threads);
        const double computed = (double)(pt_kernel_stores_computed() - before);
        if (computed <= 0 || computed > 1.05 * N * N / 2)
            fail_msg("%g n^2 kernel values were computed", computed / N / N);
        if (first)
            assert_memory_equal(first, outputs, N * ELL * sizeof(double));
        else
            first = outputs;
        if (first != outputs)
            free(outputs);
    }
    free(first);
    free(sign);
    small_free(&s);
}

/* A cache of rows instead of the whole matrix, also for columns without some of the rows: the same
 * answer, within the violation at which the solver stops. */
static void test_svm__little_memory_same_answer(void **state)
{
    (void)state;
    enum { N = 700, K = 6, ELL = 7, D = 4, LITTLE = 1500000 };
    static const char *const OPTIONS[] = {
        "machine=code,kernel=rbf,sigma=1,C=3,bias=yes",
        "machine=code,kernel=laplacian,sigma=2,C=3,bias=yes",
        "machine=code,kernel=poly,degree=2,sigma=2,C=0.5,bias=yes",
        "machine=code,kernel=linear,C=0.5,bias=yes",
        "machine=code,kernel=rbf,sigma=1,bias=no",
    };
    small s = small_clouds(N, D, K, 5);
    int8_t *sign = random_code(K, ELL, 0.4, 11);
    float *x = calloc(N * D, sizeof *x);
    for (int64_t i = 0; i < N * D; i++)
        x[i] = (float)s.x[i];
    const pt_rows rows[2] = {{.n = N, .d = D, .type = PT_F64, .dense = s.x, .stride = D},
                             {.n = N, .d = D, .type = PT_F32, .dense = x, .stride = D}};
    const pt_columns columns = {.n = N, .group_of = s.y, .groups = K, .ell = ELL, .sign = sign};
    for (size_t q = 0; q < sizeof OPTIONS / sizeof *OPTIONS; q++)
        for (int type = 0; type < 2; type++) {
            double *whole = outputs_of(&rows[type], &columns, OPTIONS[q], 0, 1);
            const int64_t before = pt_kernel_stores_computed();
            double *cached = outputs_of(&rows[type], &columns, OPTIONS[q], LITTLE, 1);
            assert_true(pt_kernel_stores_computed() - before > N * N); /* it was a cache */
            double *threads = outputs_of(&rows[type], &columns, OPTIONS[q], LITTLE, 2);
            assert_true(small_distance(whole, cached, N * ELL) < 5e-3);
            assert_memory_equal(cached, threads, N * ELL * sizeof(double));
            free(whole);
            free(cached);
            free(threads);
        }
    free(x);
    free(sign);
    small_free(&s);
}

/* The weights of examples and copies of them are the same thing. */
static void test_svm__weights_count_copies(void **state)
{
    (void)state;
    enum { N = 90, K = 3 };
    small s = small_clouds(N, 3, K, 7);
    small copies = small_clouds(2 * N, 3, K, 7);
    s.weight = calloc(N, sizeof *s.weight);
    int64_t n = 0;
    for (int64_t i = 0; i < N; i++) {
        s.weight[i] = (double)(1 + i % 2);
        for (int64_t copy = 0; copy <= i % 2; copy++) {
            memcpy(copies.x + n * 3, s.x + i * 3, 3 * sizeof *s.x);
            copies.y[n++] = s.y[i];
        }
    }
    copies.n = n;
    pt_dataset *weighted = small_dataset(&s);
    pt_dataset *longer = small_dataset(&copies);
    const char *options =
        "machine=code,code=ova,kernel=rbf,sigma=1,C=0.7,eps=1e-7,precision=double";
    double *a = small_scores(weighted, options, weighted);
    double *b = small_scores(longer, options, weighted);
    assert_true(small_distance(a, b, N * K) < 1e-5);
    pt_dataset_free(weighted);
    pt_dataset_free(longer);
    free(a);
    free(b);
    small_free(&s);
    small_free(&copies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_svm__columns_share_their_kernel_values),
        cmocka_unit_test(test_svm__little_memory_same_answer),
        cmocka_unit_test(test_svm__weights_count_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
