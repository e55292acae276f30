/* Log loss, Brier score and areas under curves of cross-validation against models that are trained
 * fold by fold, and classes that a fold takes away. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "../support/validation.h"
#include "data/dataset.h"
#include "machine/training.h"
#include "metrics/auc.h"
#include "validate/auto.h"

enum { N = 90, K = 3, FOLDS = 3 };

/* The mean over all rows of a figure of models that never saw the row, trained and calibrated by
 * the public calls. */
static void by_hand(const pt_dataset *data, const pt_params *params, double figure[4])
{
    pt_error err = PT_ERROR_INIT;
    pt_fold_set folds = {0};
    const pt_problem problem = {.rows.n = N, .labels = data->labels};
    small_must(pt_fold_set_init(&folds, &problem, params, &err), &err, "folds");
    double p[N * K];
    int64_t truth[N];
    int64_t n = 0;
    figure[0] = figure[1] = 0;
    for (int64_t fold = 0; fold < FOLDS; fold++) {
        int64_t rows[2][N];
        int64_t count[2] = {0, 0};
        for (int64_t i = 0; i < N; i++) {
            const int held = folds.fold[i] == fold;
            rows[held][count[held]++] = i;
        }
        pt_dataset *part[2] = {NULL, NULL};
        for (int held = 0; held < 2; held++)
            small_must(pt_dataset_subset(&part[held], data, rows[held], count[held], NULL, &err),
                       &err, "part");
        pt_model *model = NULL;
        pt_prediction *prediction = NULL;
        pt_report *evaluation = NULL;
        small_must(pt_model_train(&model, part[0], params, NULL, &err), &err, "train");
        small_must(pt_model_predict(&prediction, model, part[1], -1, NULL, &err), &err, "predict");
        small_must(pt_model_evaluate(&evaluation, model, part[1], prediction, NULL, NULL, &err),
                   &err, "eval");
        figure[0] += (double)count[1] * pt_report_number(evaluation, "log_loss") / N;
        figure[1] += (double)count[1] * pt_report_number(evaluation, "brier") / N;
        double proba[N * K];
        small_must(pt_prediction_proba(prediction, proba, &err), &err, "probabilities");
        for (int64_t i = 0; i < count[1]; i++, n++) {
            truth[n] = part[1]->labels->class_of[i];
            memcpy(p + n * K, proba + i * K, K * sizeof *p);
        }
        pt_report_free(evaluation);
        pt_prediction_free(prediction);
        pt_model_free(model);
        pt_dataset_free(part[0]);
        pt_dataset_free(part[1]);
    }
    pt_fold_set_free(&folds);
    pt_auc auc;
    double work[K * K + 3 * K];
    small_must(pt_auc_init(&auc, p, truth, n, K, NULL, &err), &err, "areas");
    const pt_auc_means areas = pt_auc_means_of(&auc, NULL, work);
    figure[2] = areas.ovr;
    figure[3] = areas.ovo;
    pt_auc_free(&auc);
}

static void test_search__judges_probabilities_of_each_fold(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"machine=tree", "machine=code,learner=adaboost,rounds=5",
                                           "machine=ls-ova,sigma=1,ridge=1,scale=none"};
    small s = small_clouds(N, 3, K, 4);
    s.weight = calloc(N, sizeof *s.weight);
    assert_non_null(s.weight);
    for (int i = 0; i < N; i++)
        s.weight[i] = 1 + i % 2;
    pt_dataset *data = small_dataset(&s);
    for (int m = 0; m < 3; m++)
        for (int calibrate = 0; calibrate < 2; calibrate++) {
            char options[160];
            snprintf(options, sizeof options, "%s,folds=%d,merge=no,calibrate=%s", MACHINES[m],
                     FOLDS, calibrate ? "yes" : "no");
            pt_params *params = small_params(options);
            static const char *const METRICS[] = {"log-loss", "brier", "auc-ovr", "auc-ovo"};
            double expected[4];
            by_hand(data, params, expected);
            for (int q = 0; q < 4; q++) {
                pt_error err = PT_ERROR_INIT;
                pt_report *search = NULL;
                small_must(pt_params_set(params, "metric", METRICS[q], &err), &err, "metric");
                small_must(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1,
                                             NULL, &err),
                           &err, options);
                const double value = pt_report_number_at(search, "values", 0, 0, 0);
                if (!(fabs(value - expected[q]) < 1e-9))
                    fail_msg("%s: %.12g, by hand %.12g", options, value, expected[q]);
                pt_report_free(search);
            }
            pt_params_free(params);
        }
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- classes that a fold takes away ---------------------------------------------------------- */

static pt_status class_is_last(void *context, int64_t point, int64_t partition,
                               const double *scores, pt_error *err)
{
    (void)point;
    (void)partition;
    (void)err;
    const int64_t *fold = context;
    for (int64_t i = 0; i < N; i++)
        for (int64_t r = 0; r < K - 1 && fold[i] == 0; r++)
            assert_true(scores[i * K + K - 1] < scores[i * K + r]);
    return PT_OK;
}

static void test_brute_force__a_class_without_rows_comes_last(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=tree", "machine=code,learner=adaboost,code=ova,rounds=3", "machine=spoc,C=1",
        "machine=code,learner=svm,code=ovo,decode=coupling"};
    small s = small_clouds(N, 3, K, 5);
    pt_dataset *data = small_dataset(&s);
    for (int m = 0; m < 4; m++) {
        pt_error err = PT_ERROR_INIT;
        pt_params *params = small_params(MACHINES[m]);
        pt_training training = {0};
        small_must(pt_training_init(&training, data, params, NULL, &err), &err, MACHINES[m]);
        small_must(pt_training_resolve(&training, NULL, &err), &err, MACHINES[m]);
        int64_t fold[N];
        for (int64_t i = 0; i < N; i++)
            fold[i] = i % K == K - 1 ? 0 : i % 2;
        const int64_t *folds[] = {fold};
        const pt_partitions partitions = {1, 2, folds, false};
        const pt_params *point = training.params;
        small_must(held_out_by_training(training.ops, &training.problem, &point, 1, &partitions,
                                        class_is_last, fold, NULL, &err),
                   &err, MACHINES[m]);
        const pt_validation asked = {.ops = training.ops,
                                     .problem = &training.problem,
                                     .points = &point,
                                     .n_points = 1,
                                     .partitions = &partitions,
                                     .take = class_is_last,
                                     .context = fold,
                                     .what = PT_PROBABILITIES};
        small_must(pt_validate(&asked, NULL, &err), &err, MACHINES[m]);
        pt_training_free(&training);
        pt_params_free(params);
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search__judges_probabilities_of_each_fold),
        cmocka_unit_test(test_brute_force__a_class_without_rows_comes_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
