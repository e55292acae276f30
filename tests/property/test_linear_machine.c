/* labels: threads */
/* The linear SVM under codes: what does not depend on how it is computed, and what the SVM with a
 * linear kernel says of the same problem. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"

enum { N = 90, D = 8, K = 4, TEST = 40 };

static const char *const CODES[] = {"ova", "ovo", "complete", "dense", "sparse"};
enum { N_CODES = sizeof CODES / sizeof *CODES };

static void expect_same_scores(const pt_model *a, const pt_model *b, const pt_dataset *test,
                               double tolerance, const char *what)
{
    pt_prediction *p = small_predict(a, test, 1);
    pt_prediction *q = small_predict(b, test, 2);
    const double apart = small_distance(pt_prediction_scores(p), pt_prediction_scores(q), TEST * K);
    if (!(apart <= tolerance))
        fail_msg("%s: scores differ by %g", what, apart);
    pt_prediction_free(p);
    pt_prediction_free(q);
}

static void clouds(pt_dataset **train, pt_dataset **test, pt_dataset **sparse, double zeros)
{
    small all = small_clouds(N, D, K, 5);
    all.weight = calloc(N, sizeof(double));
    for (int64_t i = 0; i < N; i++)
        all.weight[i] = 0.5 + (double)(i % 3);
    for (int64_t i = 0; i < N * D; i++)
        if (fabs(all.x[i]) < zeros)
            all.x[i] = 0;
    small some = all;
    some.n = TEST;
    *train = small_dataset(&all);
    *sparse = small_sparse_dataset(&all);
    *test = small_dataset(&some);
    small_free(&all);
}

/* Every code: any number of threads, and the file, give the same bytes; sparse data nearly so. */
static void test_linear_machine__threads_file_and_sparse(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *train, *test, *sparse;
    clouds(&train, &test, &sparse, 0.4);
    for (int c = 0; c < N_CODES; c++) {
        char options[160];
        char path[] = "/tmp/polytomy_linear_XXXXXX";
        close(mkstemp(path));
        snprintf(
            options, sizeof options,
            "machine=code,learner=linear-svm,scale=none,gap=1e-9,class-weight=balanced,code=%s",
            CODES[c]);
        pt_model *one = small_train(train, options, 1);
        pt_model *two = small_train(train, options, 2);
        pt_model *thin = small_train(sparse, options, 2);
        pt_model *loaded = NULL;
        small_must(pt_model_save(one, path, &err), &err, options);
        small_must(pt_model_load(&loaded, path, NULL, &err), &err, options);
        expect_same_scores(one, two, test, 0, options);
        expect_same_scores(one, loaded, test, 0, options);
        expect_same_scores(one, thin, test, 1e-3, options);
        pt_model_free(one);
        pt_model_free(two);
        pt_model_free(thin);
        pt_model_free(loaded);
        unlink(path);
    }
    pt_dataset_free(train);
    pt_dataset_free(test);
    pt_dataset_free(sparse);
}

/* Without a bias it is the SVM with a linear kernel; with one, that on rows with one more column
 * of ones. */
static void test_linear_machine__agrees_with_the_kernel_machine(void **state)
{
    (void)state;
    small plain = small_clouds(N, D, K, 7);
    small longer = {N,   D + 1, K, calloc(N * (D + 1), sizeof(double)), calloc(N, sizeof(int64_t)),
                    NULL};
    for (int64_t i = 0; i < N; i++) {
        memcpy(longer.x + i * (D + 1), plain.x + i * D, D * sizeof(double));
        longer.x[i * (D + 1) + D] = 1;
        longer.y[i] = plain.y[i];
    }
    static const char *const KERNEL =
        "machine=code,learner=svm,kernel=linear,bias=no,eps=1e-7,precision=double,scale=none";
    static const char *const LINEAR =
        "machine=code,learner=linear-svm,gap=1e-9,precision=double,scale=none";
    static const char *const C[] = {"0.01", "0.1", "1"};
    for (int c = 0; c < 3 * N_CODES; c++)
        for (int bias = 0; bias < 2; bias++) {
            char a[240];
            char b[240];
            snprintf(a, sizeof a, "%s,C=%s,code=%s", KERNEL, C[c % 3], CODES[c / 3]);
            snprintf(b, sizeof b, "%s,C=%s,code=%s,bias=%s", LINEAR, C[c % 3], CODES[c / 3],
                     bias ? "yes" : "no");
            pt_dataset *of_kernel = small_dataset(bias ? &longer : &plain);
            pt_dataset *of_linear = small_dataset(&plain);
            double *theirs = small_scores(of_kernel, a, of_kernel);
            double *ours = small_scores(of_linear, b, of_linear);
            const double apart = small_distance(theirs, ours, N * K);
            if (!(apart < 1e-2))
                fail_msg("%s: %g", b, apart);
            free(theirs);
            free(ours);
            pt_dataset_free(of_kernel);
            pt_dataset_free(of_linear);
        }
    small_free(&plain);
    small_free(&longer);
}

static void test_linear_machine__refuses_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        const char *says;
    } CASES[] = {{"kernel=rbf", "`kernel"},       {"kernel=precomputed", "`kernel"},
                 {"sigma=2", "`sigma"},           {"rbf-gamma=2", "`rbf-gamma"},
                 {"auto-rows=100", "`auto-rows"}, {"eps=1e-3", "`eps"}};
    pt_dataset *train, *test, *sparse;
    clouds(&train, &test, &sparse, 0);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        pt_error err = {0};
        char options[160];
        pt_model *model = NULL;
        snprintf(options, sizeof options, "machine=code,learner=linear-svm,%s", CASES[i].option);
        assert_int_equal(small_try_train(&model, train, options, 1, &err), PT_EINVAL);
        if (!strstr(err.text, CASES[i].says))
            fail_msg("%s: %s", options, err.text);
    }
    pt_model *model = small_train(train, "machine=code,learner=linear-svm,kernel=linear", 1);
    pt_model_free(model);
    pt_dataset_free(train);
    pt_dataset_free(test);
    pt_dataset_free(sparse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_machine__threads_file_and_sparse),
        cmocka_unit_test(test_linear_machine__agrees_with_the_kernel_machine),
        cmocka_unit_test(test_linear_machine__refuses_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
