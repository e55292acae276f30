/* The machine `designed` with discrete codes: entries are what they may be, scores are inner
 * products with outputs or with their signs, and the code is no worse than the one its columns come
 * from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "codes/design/discrete.h"
#include "machine/training.h"
#include "machines/codes/machine_designed.h"
#include "validate/auto.h"

static double sign(double x)
{
    return (double)((x > 0) - (x < 0));
}

typedef struct trained {
    pt_params *params;
    pt_training training;
    pt_design_round round; /* its columns are the machine's */
    pt_machine *machine;
    double *M;      /* k x ell */
    double *f;      /* n x ell: outputs of the columns of all rows */
    double *scores; /* n x k */
    int64_t ell;
} trained;

static trained train(const pt_dataset *data, int64_t k, const char *options)
{
    trained t = {0};
    pt_error err = PT_ERROR_INIT;
    const int64_t n = pt_dataset_n_examples(data);
    small_must(pt_params_new(&t.params, &err), &err, "parameters");
    small_must(pt_params_parse(t.params, options, &err), &err, options);
    small_must(pt_training_init(&t.training, data, t.params, NULL, &err), &err, options);
    small_must(pt_training_resolve(&t.training, NULL, &err), &err, options);
    const pt_problem *problem = &t.training.problem;
    small_must(
        pt_design_rounds(&t.round, problem, t.training.params, NULL, &t.training.warnings, &err),
        &err, options);
    t.ell = t.round.code.ell;
    t.M = calloc((size_t)(k * t.ell), sizeof *t.M);
    t.f = calloc((size_t)(n * t.ell), sizeof *t.f);
    t.scores = calloc((size_t)(n * k), sizeof *t.scores);
    memcpy(t.M, pt_designed_rows(&t.round.designed), (size_t)(k * t.ell) * sizeof *t.M);
    small_must(t.round.columns->ops->outputs(t.round.columns, &problem->rows, t.f, NULL, &err),
               &err, "outputs");
    small_must(pt_machine_designed_take(&t.machine, &t.round, &err), &err, "machine");
    small_must(t.machine->ops->scores(t.machine, &problem->rows, t.scores, NULL, &err), &err,
               "scores");
    return t;
}

static void trained_free(trained *t)
{
    free(t->scores);
    free(t->f);
    free(t->M);
    pt_machine_free(t->machine);
    pt_design_round_free(&t->round);
    pt_training_free(&t->training);
    pt_params_free(t->params);
}

/* The expected error of the code that the columns were learned for, and of the designed one, on
 * what the latter was designed on. */
static void expect_no_worse(const trained *t, double *designed)
{
    const pt_design_data *data = &t->round.data;
    const int64_t cells = data->k * data->ell;
    int8_t *M = calloc((size_t)cells, 1);
    double given = 0;
    for (int64_t c = 0; c < cells; c++)
        M[c] = (int8_t)pt_code_entry(&t->round.code, c / data->ell, c % data->ell);
    assert_int_equal(pt_discrete_error(&given, data, M, NULL), PT_OK);
    for (int64_t c = 0; c < cells; c++)
        M[c] = (int8_t)t->M[c];
    assert_int_equal(pt_discrete_error(designed, data, M, NULL), PT_OK);
    assert_true(*designed <= given + 1e-12);
    free(M);
}

static const char *const SEARCHES[] = {"column", "greedy", "local", "exact"};
enum { N_SEARCHES = 4 };

static void test_discrete__entries_and_scores(void **state)
{
    (void)state;
    for (int q = 0; q < N_SEARCHES; q++)
        for (int signs = 0; signs < 2; signs++)
            for (int ternary = 0; ternary < (q == 0 ? 1 : 2); ternary++) {
                enum { N = 60, K = 3 };
                char options[200];
                snprintf(options, sizeof options,
                         "machine=designed,code=ova,learner=linear-svm,design-form=discrete,"
                         "design-search=%s,design-entries=%s,design-outputs=%s",
                         SEARCHES[q], ternary ? "ternary" : "sign", signs ? "sign" : "real");
                small s = small_clouds(N, 3, K, 8);
                pt_dataset *data = small_dataset(&s);
                trained t = train(data, K, options);
                for (int64_t c = 0; c < K * t.ell; c++)
                    assert_true(fabs(t.M[c]) == 1 || (ternary && t.M[c] == 0));
                for (int64_t i = 0; i < N * K; i++) {
                    double score = 0;
                    for (int64_t u = 0; u < t.ell; u++) {
                        const double f = t.f[i / K * t.ell + u];
                        score += t.M[i % K * t.ell + u] * (signs ? sign(f) : f);
                    }
                    assert_float_equal(t.scores[i], score, 1e-9);
                }
                trained_free(&t);
                pt_dataset_free(data);
                small_free(&s);
            }
}

static void test_discrete__no_worse_than_the_code_of_the_columns(void **state)
{
    (void)state;
    static const char *const codes[] = {"ova", "ovo", "dense"};
    for (int c = 0; c < 3; c++)
        for (int signs = 0; signs < 2; signs++) {
            char options[200];
            double error = 0;
            /* the zeros of all pairs are kept where they may be */
            snprintf(options, sizeof options,
                     "machine=designed,code=%s,learner=tree,depth=2,design-form=discrete,"
                     "design-entries=%s,design-outputs=%s",
                     codes[c], c == 1 ? "ternary" : "sign", signs ? "sign" : "real");
            small s = small_clouds(150, 3, 6, 9);
            pt_dataset *data = small_dataset(&s);
            trained t = train(data, 6, options);
            expect_no_worse(&t, &error);
            pt_description said = {0};
            small_must(pt_machine_describe(&said, t.machine, NULL, NULL), NULL, options);
            assert_true(said.n_reals >= 2);
            assert_string_equal(said.real[0].name, "design_error");
            assert_float_equal(said.real[0].value, error, 1e-12);
            trained_free(&t);
            pt_dataset_free(data);
            small_free(&s);
        }
}

/* Where the exact search ends, no code is better; the model says so by its bound. */
static void test_discrete__exact_is_the_best(void **state)
{
    (void)state;
    small s = small_clouds(60, 2, 3, 10);
    pt_dataset *data = small_dataset(&s);
    double error[2] = {0, 0};
    for (int exact = 0; exact < 2; exact++) {
        char options[200];
        snprintf(options, sizeof options,
                 "machine=designed,code=ova,learner=linear-svm,design-form=discrete,"
                 "design-outputs=sign,design-search=%s",
                 exact ? "exact" : "greedy");
        trained t = train(data, 3, options);
        expect_no_worse(&t, &error[exact]);
        pt_description said = {0};
        small_must(pt_machine_describe(&said, t.machine, NULL, NULL), NULL, options);
        if (exact)
            assert_float_equal(said.real[1].value, error[1], 1e-12);
        trained_free(&t);
    }
    assert_true(error[1] <= error[0] + 1e-12);
    pt_dataset_free(data);
    small_free(&s);
}

/* Saved and loaded, the same scores to the last bit, with signs too. */
static void test_discrete__files_keep_every_bit(void **state)
{
    (void)state;
    static const char path[] = "test_designed_discrete.model";
    small s = small_clouds(80, 3, 4, 11);
    pt_dataset *data = small_dataset(&s);
    for (int signs = 0; signs < 2; signs++) {
        char options[200];
        pt_error err = PT_ERROR_INIT;
        pt_model *model = NULL;
        pt_model *loaded = NULL;
        snprintf(options, sizeof options,
                 "machine=designed,code=dense,learner=linear-svm,design-form=discrete,"
                 "design-outputs=%s",
                 signs ? "sign" : "real");
        small_must(small_try_train(&model, data, options, 1, &err), &err, options);
        small_must(pt_model_save(model, path, &err), &err, "saving");
        small_must(pt_model_load(&loaded, path, NULL, &err), &err, "loading");
        pt_prediction *a = small_predict(model, data, 1);
        pt_prediction *b = small_predict(loaded, data, 1);
        assert_memory_equal(pt_prediction_scores(a), pt_prediction_scores(b),
                            80 * 4 * sizeof(double));
        pt_prediction_free(a);
        pt_prediction_free(b);
        pt_model_free(model);
        pt_model_free(loaded);
    }
    remove(path);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_discrete__entries_and_scores),
        cmocka_unit_test(test_discrete__no_worse_than_the_code_of_the_columns),
        cmocka_unit_test(test_discrete__exact_is_the_best),
        cmocka_unit_test(test_discrete__files_keep_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
