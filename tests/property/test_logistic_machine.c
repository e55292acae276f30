/* labels: threads */
/* Logistic regression under codes: what does not depend on how it is computed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "learners/learner.h"

enum { N = 120, D = 6, K = 4 };

static const char *const CODES[] = {"ova", "ovo", "complete", "dense", "sparse"};
enum { N_CODES = sizeof CODES / sizeof *CODES };

/* Every code and penalty: any number of threads, and the file, give the same bytes; sparse data the
 * same answer. */
static void test_logistic_machine__threads_file_and_sparse(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    small s = small_clouds(N, D, K, 5);
    s.weight = calloc(N, sizeof(double));
    for (int64_t i = 0; i < N; i++)
        s.weight[i] = 0.5 + (double)(i % 3);
    for (int64_t i = 0; i < N * D; i++)
        s.x[i] = fabs(s.x[i]) < 0.4 ? 0 : s.x[i];
    pt_dataset *train = small_dataset(&s);
    pt_dataset *sparse = small_sparse_dataset(&s);
    for (int c = 0; c < 2 * N_CODES; c++) {
        char options[200];
        char path[] = "/tmp/polytomy_logistic_XXXXXX";
        close(mkstemp(path));
        snprintf(options, sizeof options,
                 "machine=code,learner=logistic,scale=none,eps=1e-8,precision=double,"
                 "class-weight=balanced,penalty=%s,code=%s",
                 c % 2 ? "l1" : "l2", CODES[c / 2]);
        pt_model *model[4] = {small_train(train, options, 1), small_train(train, options, 2), NULL,
                              small_train(sparse, options, 2)};
        small_must(pt_model_save(model[0], path, &err), &err, options);
        small_must(pt_model_load(&model[2], path, NULL, &err), &err, options);
        pt_prediction *first = small_predict(model[0], train, 1);
        for (int q = 1; q < 4; q++) {
            pt_prediction *p = small_predict(model[q], q == 3 ? sparse : train, 2);
            const double apart =
                small_distance(pt_prediction_scores(first), pt_prediction_scores(p), N * K);
            if (!(apart <= (q == 3 ? 1e-5 : 0)))
                fail_msg("%s: scores differ by %g", options, apart);
            pt_prediction_free(p);
        }
        pt_prediction_free(first);
        for (int q = 0; q < 4; q++)
            pt_model_free(model[q]);
        unlink(path);
    }
    pt_dataset_free(train);
    pt_dataset_free(sparse);
    small_free(&s);
}

/* ---- the learner alone ---------------------------------------------------------------------- */

/* outputs: n x ell of the training rows. */
static void learn(const small *s, const pt_columns *columns, const char *options, double *outputs)
{
    pt_error err = PT_ERROR_INIT;
    pt_warnings warnings = {0};
    pt_learner *learner = NULL;
    const pt_learner_ops *ops = pt_learner_find("logistic");
    const pt_rows rows = {.n = s->n, .d = s->d, .type = PT_F64, .dense = s->x, .stride = s->d};
    pt_params *params = small_params(options);
    small_must(pt_learner_fit(&learner, ops, &rows, columns, params, NULL, &warnings, &err), &err,
               options);
    small_must(ops->outputs(learner, &rows, outputs, NULL, &err), &err, options);
    assert_int_equal(warnings.count, 0);
    pt_learner_free(learner);
    pt_params_free(params);
    pt_warnings_free(&warnings);
}

/* A feature that says only which of two groups of rows this is: the log-odds are those of the rows
 * there, as nearly as the penalty lets them, and f is half of them. */
static void test_logistic__outputs_are_half_the_log_odds(void **state)
{
    (void)state;
    enum { ROWS = 40 };
    double x[ROWS] = {0};
    int64_t group[ROWS];
    double weight[ROWS];
    double outputs[ROWS];
    static const int8_t sign[] = {-1, 1};
    for (int i = 0; i < ROWS; i++) {
        x[i] = i < 20;
        group[i] = i < 20 ? i < 15 : i < 24; /* 15 of 20 and 4 of 20 are positive */
        weight[i] = 1e6;
    }
    const small s = {ROWS, 1, 2, x, group, NULL};
    const pt_columns columns = {
        .n = ROWS, .group_of = group, .groups = 2, .ell = 1, .sign = sign, .weight = weight};
    for (int l1 = 0; l1 < 2; l1++) {
        learn(&s, &columns, l1 ? "penalty=l1,bias=yes,eps=1e-12" : "bias=yes,eps=1e-12", outputs);
        assert_true(fabs(outputs[0] - 0.5 * log(15.0 / 5)) < 1e-5);
        assert_true(fabs(outputs[ROWS - 1] - 0.5 * log(4.0 / 16)) < 1e-5);
    }
}

/* A pair's column is that of its rows alone, and so is any column with few rows. */
static void test_logistic__pairs_see_their_rows_only(void **state)
{
    (void)state;
    enum { GROUPS = 7, PAIRS = 21 }; /* of which a pair is too little to be solved in step */
    static const int8_t both[] = {1, -1};
    small s = small_clouds(N, D, GROUPS, 9);
    double *outputs = calloc(N * PAIRS, sizeof *outputs);
    const pt_columns pairs = {
        .n = N, .group_of = s.y, .groups = GROUPS, .ell = PAIRS, .pairs = true};
    for (int l1 = 0; l1 < 2; l1++) {
        const char *options = l1 ? "penalty=l1,bias=yes,eps=1e-10,C=3" : "bias=yes,eps=1e-10,C=3";
        learn(&s, &pairs, options, outputs);
        for (int64_t p = 0, column = 0; p < GROUPS; p++)
            for (int64_t q = p + 1; q < GROUPS; q++, column++) {
                small two = small_clouds(N, D, GROUPS, 9);
                int64_t place[N];
                double alone[N];
                two.n = 0;
                for (int64_t i = 0; i < N; i++)
                    if (s.y[i] == p || s.y[i] == q) {
                        memcpy(two.x + two.n * D, s.x + i * D, D * sizeof(double));
                        two.y[two.n] = s.y[i] == q;
                        place[two.n++] = i;
                    }
                const pt_columns one = {
                    .n = two.n, .group_of = two.y, .groups = 2, .ell = 1, .sign = both};
                learn(&two, &one, options, alone);
                for (int64_t i = 0; i < two.n; i++)
                    assert_true(fabs(outputs[place[i] * PAIRS + column] - alone[i]) < 1e-6);
                small_free(&two);
            }
    }
    free(outputs);
    small_free(&s);
}

/* Columns in step, with groups that take no part, and the same columns one at a time. */
static void test_logistic__all_columns_are_each_column(void **state)
{
    (void)state;
    enum { ELL = 9 };
    small s = small_clouds(N, D, K, 11);
    int8_t sign[K * ELL];
    double *all = calloc(N * ELL, sizeof *all);
    double alone[N];
    for (int i = 0; i < K * ELL; i++)
        sign[i] = (int8_t)(i * 7 % 11 % 4 == 3 ? 0 : i * 5 % 7 % 2 ? 1 : -1);
    const pt_columns columns = {.n = N, .group_of = s.y, .groups = K, .ell = ELL, .sign = sign};
    for (int l1 = 0; l1 < 2; l1++) {
        const char *options = l1 ? "penalty=l1,bias=yes,eps=1e-10" : "bias=yes,eps=1e-10";
        learn(&s, &columns, options, all);
        for (int column = 0; column < ELL; column++) {
            int8_t own[K];
            for (int g = 0; g < K; g++)
                own[g] = sign[g * ELL + column];
            const pt_columns one = {.n = N, .group_of = s.y, .groups = K, .ell = 1, .sign = own};
            learn(&s, &one, options, alone);
            for (int64_t i = 0; i < N; i++)
                assert_true(fabs(all[i * ELL + column] - alone[i]) < 1e-6);
        }
    }
    free(all);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logistic_machine__threads_file_and_sparse),
        cmocka_unit_test(test_logistic__outputs_are_half_the_log_odds),
        cmocka_unit_test(test_logistic__pairs_see_their_rows_only),
        cmocka_unit_test(test_logistic__all_columns_are_each_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
