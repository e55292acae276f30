/* needs: clp */
/* The machine `designed`: its code is that of spoc on the outputs of its columns, and nothing that
 * it has seen makes it believe in labels that mean nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "data/split.h"
#include "machine/training.h"
#include "machines/codes/machine_designed.h"
#include "model/model.h"
#include "polytomy/experimental.h"
#include "validate/auto.h"
#include "validate/cross_fit.h"

/* ---- help --------------------------------------------------------------------------------------
 */

static double figure_of(const pt_model *model, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(pt_model_metadata(model), key);
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static double error_on(const pt_model *model, const pt_dataset *data, const int64_t *y)
{
    pt_prediction *prediction = small_predict(model, data, 1);
    const int64_t n = pt_prediction_n_examples(prediction);
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "%lld", (long long)y[i]);
        wrong += strcmp(pt_model_class_name(model, pt_prediction_labels(prediction)[i]), name) != 0;
    }
    pt_prediction_free(prediction);
    return (double)wrong / (double)n;
}

static void random_labels(small *s, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 64);
    for (int64_t i = 0; i < s->n; i++)
        s->y[i] = pt_random_below(&random, s->k);
}

/* Outputs of a model's columns on data, n x ell: free() them. */
static double *outputs_of(const pt_model *model, const pt_dataset *data, int64_t *ell)
{
    const pt_machine_ops *ops = model->machine->ops;
    pt_prepared prepared = {0};
    pt_error err = PT_ERROR_INIT;
    small_must(pt_prepare_apply(model->prepare, data, pt_model_type(model), &prepared, NULL, &err),
               &err, "preparation");
    *ell = ops->parts(model->machine).code->ell;
    double *H = calloc((size_t)(prepared.rows.n * *ell), sizeof *H);
    small_must(ops->outputs(model->machine, &prepared.rows, H, NULL, &err), &err, "outputs");
    pt_prepared_free(&prepared);
    return H;
}

/* ---- the code is spoc's ------------------------------------------------------------------------
 */

static void expect_spoc(const char *columns, double C)
{
    enum { N = 80, D = 4, K = 4 };
    small s = small_clouds(N, D, K, 81);
    pt_dataset *data = small_dataset(&s);
    char text[300];
    snprintf(text, sizeof text, "machine=code,calibrate=no,%s", columns);
    pt_model *discrete = small_train(data, text, 1);
    int64_t ell = 0;
    small h = {N, 0, K, outputs_of(discrete, data, &ell), s.y, NULL};
    h.d = ell;
    pt_dataset *outputs = small_dataset(&h);
    snprintf(text, sizeof text,
             "machine=spoc,kernel=linear,scale=none,precision=double,calibrate=no,gap=1e-12,C=%g",
             C);
    double *wanted = small_scores(outputs, text, outputs);
    snprintf(text, sizeof text,
             "machine=designed,design-folds=0,calibrate=no,gap=1e-12,design-C=%g,%s", C, columns);
    double *scores = small_scores(data, text, data);
    if (!(small_distance(scores, wanted, N * K) < 1e-5))
        fail_msg("%s: %g apart", columns, small_distance(scores, wanted, N * K));
    for (int64_t i = 0; i < N; i++) { /* sum_r M_r = 0 */
        double sum = 0;
        for (int64_t r = 0; r < K; r++)
            sum += scores[i * K + r];
        assert_true(fabs(sum) < 1e-9);
    }
    free(wanted);
    free(scores);
    pt_dataset_free(outputs);
    free(h.x);
    pt_model_free(discrete);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_designed__code_is_that_of_spoc_on_outputs(void **state)
{
    (void)state;
    expect_spoc("code=ova,learner=svm,kernel=rbf,sigma=1", 0.3);
    expect_spoc("code=ovo,learner=tree,depth=2", 0.1);
    expect_spoc("code=dense,columns=5,learner=adaboost,rounds=7", 0.01);
}

/* ---- cross-fitting -----------------------------------------------------------------------------
 */

/* Each row's outputs are those of a model that was trained on the other folds, from data alone. */
static void test_designed__outputs_are_of_columns_that_have_not_seen_the_row(void **state)
{
    (void)state;
    enum { N = 41, D = 3, K = 3, FOLDS = 4 };
    const char *options = "machine=code,code=ovo,learner=svm,kernel=rbf,sigma=1,scale=none,"
                          "precision=double,calibrate=no,eps=1e-10";
    small s = small_clouds(N, D, K, 82);
    pt_dataset *data = small_dataset(&s);
    pt_params *params = small_params(options);
    pt_training training = {0};
    pt_error err = PT_ERROR_INIT;
    small_must(pt_training_init(&training, data, params, NULL, &err), &err, "training");
    small_must(pt_training_resolve(&training, NULL, &err), &err, "training");
    int64_t fold[N];
    int64_t folds = FOLDS;
    small_must(pt_cross_fit_folds(fold, &folds, &training.problem, 1, &err), &err, "folds");
    assert_int_equal(folds, FOLDS);
    double H[N * 3];
    small_must(pt_cross_fit(H, 3, training.ops, &training.problem, training.params, fold, folds,
                            NULL, &err),
               &err, "cross-fitting");
    for (int64_t f = 0; f < FOLDS; f++) {
        small rest = small_clouds(N, D, K, 82);
        rest.n = 0;
        for (int64_t i = 0; i < N; i++)
            if (fold[i] != f) {
                memcpy(rest.x + rest.n * D, s.x + i * D, D * sizeof *s.x);
                rest.y[rest.n++] = s.y[i];
            }
        pt_dataset *others = small_dataset(&rest);
        pt_model *model = small_train(others, options, 1);
        int64_t ell = 0;
        double *all = outputs_of(model, data, &ell);
        for (int64_t i = 0; i < N; i++)
            if (fold[i] == f)
                assert_true(small_distance(H + i * 3, all + i * 3, 3) < 1e-8);
        free(all);
        pt_model_free(model);
        pt_dataset_free(others);
        small_free(&rest);
    }
    pt_training_free(&training);
    pt_params_free(params);
    pt_dataset_free(data);
    small_free(&s);
}

/* Trees without a limit remember every row. On labels that mean nothing the design must not believe
 * them: what it holds for its held-out cost is that of chance, and so is its error on new rows.
 * Without cross-fitting it does believe them, which shows that the probe can tell. */
static void test_designed__random_labels_stay_at_chance(void **state)
{
    (void)state;
    enum { N = 600, D = 5, K = 4 };
    const char *const learners[] = {"learner=tree", "learner=adaboost,rounds=40",
                                    "learner=svm,kernel=rbf,sigma=0.3,C=100"};
    const double chance = 1 - 1.0 / K;
    const double spread = sqrt(chance * (1 - chance) / N);
    small s = small_clouds(N, D, K, 83);
    small on = small_clouds(N, D, K, 84);
    random_labels(&s, 1);
    random_labels(&on, 2);
    pt_dataset *data = small_dataset(&s);
    pt_dataset *fresh = small_dataset(&on);
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "machine=designed,code=ovo,calibrate=no,%s", learners[i]);
        pt_model *model = small_train(data, text, 1);
        const double held_out = figure_of(model, "held_out_cost");
        const double error = error_on(model, fresh, on.y);
        if (!(held_out > chance - 4 * spread)) /* the least of nine values of C */
            fail_msg("%s: held-out cost %g at random labels", text, held_out);
        if (!(fabs(error - chance) < 4 * spread))
            fail_msg("%s: error %g on new rows with random labels", text, error);
        pt_model_free(model);
    }
    pt_model *leaking =
        small_train(data, "machine=designed,code=ovo,calibrate=no,learner=tree,design-folds=0", 1);
    assert_true(figure_of(leaking, "held_out_cost") < 0.1);
    pt_model_free(leaking);
    pt_dataset_free(data);
    pt_dataset_free(fresh);
    small_free(&s);
    small_free(&on);
}

/* A class of one row is in every fold's training; no other row is. */
static void test_designed__lonely_rows_are_told_of(void **state)
{
    (void)state;
    small s = small_clouds(40, 3, 3, 85);
    for (int64_t i = 0; i < 40; i++)
        s.y[i] = i == 0 ? 2 : i % 2;
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(
        data, "machine=designed,code=ova,learner=svm,kernel=rbf,sigma=1,calibrate=no", 1);
    bool told = false;
    for (int64_t i = 0; i < pt_model_n_warnings(model); i++)
        told = told || strstr(pt_model_warning(model, i), "alone in their class, 1 of them");
    assert_true(told);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- a model that is there ----------------------------------------------------------------------
 */

/* The code that is designed for a trained model is the one that the machine designs by itself, and
 * the columns are the model's. */
static void test_designed__model_gets_the_code_of_the_machine(void **state)
{
    (void)state;
    static const char *const columns[] = {"code=ova,learner=svm,kernel=rbf,sigma=1",
                                          "code=dense,columns=6,learner=adaboost,rounds=5",
                                          "code=ovo,learner=tree,depth=2,class-weight=balanced"};
    static const char *const designs[] = {"design-C=0.1", "norm=1,design-C=1",
                                          "design-kernel=rbf,design-C=1"};
    for (int i = 0; i < 3; i++) {
        small s = small_clouds(90, 4, 4, 86);
        for (int64_t row = 0; row < 20; row++)
            s.y[row] = 0;
        pt_dataset *data = small_dataset(&s);
        char text[300];
        snprintf(text, sizeof text, "machine=designed,calibrate=no,%s,%s", columns[i], designs[i]);
        double *wanted = small_scores(data, text, data);
        snprintf(text, sizeof text, "machine=code,calibrate=no,%s", columns[i]);
        pt_model *model = small_train(data, text, 1);
        pt_params *params = small_params(designs[i]);
        pt_model *designed = NULL;
        pt_error err = PT_ERROR_INIT;
        small_must(pt_model_design(&designed, model, data, params, NULL, &err), &err, columns[i]);
        pt_model_free(model); /* it has copies of all */
        pt_prediction *prediction = small_predict(designed, data, 1);
        assert_memory_equal(pt_prediction_scores(prediction), wanted, 90 * 4 * sizeof(double));
        assert_true(figure_of(designed, "discrete_cost") < 0.75);
        int64_t ell = 0;
        assert_true((pt_model_designed_rows(designed, &ell) != NULL) == (i < 2));
        assert_int_equal(ell, i == 0 ? 4 : i == 1 ? 6 : 0);
        pt_prediction_free(prediction);
        pt_model_free(designed);
        pt_params_free(params);
        free(wanted);
        pt_dataset_free(data);
        small_free(&s);
    }
}

/* What a model says after it was written and read. */
static void expect_same_after_file(const pt_model *model, const pt_dataset *data,
                                   const double *wanted, int64_t cells)
{
    char path[64];
    snprintf(path, sizeof path, "designed_%ld.model", (long)getpid());
    pt_error err = PT_ERROR_INIT;
    pt_model *again = NULL;
    small_must(pt_model_save(model, path, &err), &err, "saving");
    small_must(pt_model_load(&again, path, NULL, &err), &err, "loading");
    remove(path);
    pt_prediction *prediction = small_predict(again, data, 1);
    assert_memory_equal(pt_prediction_scores(prediction), wanted, (size_t)cells * sizeof(double));
    pt_prediction_free(prediction);
    pt_model_free(again);
}

/* A code for every machine that has columns, by way of a model and by way of the parameter; for a
 * designed model anew; the others are refused, and the refusal has the names of those. */
static void test_designed__every_machine_with_columns_gets_a_code(void **state)
{
    (void)state;
    enum { N = 90, K = 4 };
    small s = small_clouds(N, 4, K, 88);
    pt_dataset *data = small_dataset(&s);
    pt_params *params = small_params("design-C=0.1");
    pt_params *other = small_params("design-C=3,norm=1");
    int designed_ones = 0;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        char text[200];
        const char *kernel = pt_machine_uses(*ops, params, "kernel") ? ",kernel=rbf,sigma=1" : "";
        const char *ridge = pt_machine_uses(*ops, params, "ridge") ? ",ridge=0.1" : "";
        if (*ops == &pt_machine_designed)
            continue;
        snprintf(text, sizeof text, "machine=%s,calibrate=no%s%s", (*ops)->name, kernel, ridge);
        pt_model *model = small_train(data, text, 1);
        pt_model *designed = NULL;
        pt_error err = PT_ERROR_INIT;
        const pt_status status = pt_model_design(&designed, model, data, params, NULL, &err);
        pt_model_free(model);
        if (!(*ops)->outputs) {
            assert_int_equal(status, PT_EINVAL);
            assert_non_null(strstr(err.text, "adaboost-mo"));
            continue;
        }
        small_must(status, &err, text);
        designed_ones++;
        snprintf(text, sizeof text,
                 "machine=designed,design-machine=%s,design-C=0.1,calibrate=no%s%s", (*ops)->name,
                 kernel, ridge);
        double *wanted = small_scores(data, text, data);
        pt_prediction *prediction = small_predict(designed, data, 1);
        assert_memory_equal(pt_prediction_scores(prediction), wanted, N * K * sizeof(double));
        expect_same_after_file(designed, data, wanted, N * K);
        pt_prediction_free(prediction);
        /* anew: the columns are the same, so is the code that they had */
        pt_model *anew = NULL;
        small_must(pt_model_design(&anew, designed, data, other, NULL, &err), &err, text);
        snprintf(text, sizeof text,
                 "machine=designed,design-machine=%s,design-C=3,norm=1,calibrate=no%s%s",
                 (*ops)->name, kernel, ridge);
        free(wanted);
        wanted = small_scores(data, text, data);
        expect_same_after_file(anew, data, wanted, N * K);
        free(wanted);
        pt_model_free(anew);
        pt_model_free(designed);
    }
    assert_int_equal(designed_ones, 5);
    pt_params_free(other);
    pt_params_free(params);
    pt_dataset_free(data);
    small_free(&s);
}

/* The columns of boosting in a single call and of a tree of classes forget labels that mean
 * nothing, as those of the machine code do. */
static void test_designed__other_machines_stay_at_chance(void **state)
{
    (void)state;
    enum { N = 600, D = 5, K = 4 };
    static const char *const machines[] = {"adaboost-mo,rounds=60", "ls-ovo,sigma=0.2,ridge=0.01",
                                           "class-tree,learner=tree"};
    const double chance = 1 - 1.0 / K;
    const double spread = sqrt(chance * (1 - chance) / N);
    small s = small_clouds(N, D, K, 83);
    random_labels(&s, 3);
    pt_dataset *data = small_dataset(&s);
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "machine=designed,calibrate=no,design-machine=%s", machines[i]);
        pt_model *model = small_train(data, text, 1);
        const double held_out = figure_of(model, "held_out_cost");
        if (!(held_out > chance - 4 * spread))
            fail_msg("%s: held-out cost %g at random labels", text, held_out);
        pt_model_free(model);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* The columns are told of as those of the machine that learned them; the code does not decide. */
static void test_designed__evaluation_has_the_columns(void **state)
{
    (void)state;
    enum { N = 90, K = 4 };
    small s = small_clouds(N, 2, K, 89);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=adaboost-mh,rounds=5,calibrate=no", 1);
    pt_model *designed = NULL;
    pt_error err = PT_ERROR_INIT;
    small_must(pt_model_design(&designed, model, data, NULL, NULL, &err), &err, "a design");
    pt_model *const models[2] = {model, designed};
    pt_report *evaluation[2] = {NULL};
    for (int i = 0; i < 2; i++) {
        pt_prediction *prediction = small_predict(models[i], data, 1);
        small_must(pt_model_evaluate(&evaluation[i], models[i], data, prediction, NULL, NULL, &err),
                   &err, "evaluation");
        assert_false(pt_report_integer(evaluation[i], "code_decides"));
        small_must(pt_evaluate_columns(evaluation[i], models[i], data, NULL, &err), &err,
                   "diagnosis");
        assert_int_equal(pt_report_integer(evaluation[i], "n_columns"), K);
        assert_true((pt_report_integer(evaluation[i], "code_decides") != 0) == (i == 0));
        pt_prediction_free(prediction);
    }
    for (int64_t c = 0; c < K; c++) {
        assert_true(pt_report_number_at(evaluation[0], "column_error", c, 0, 0) ==
                    pt_report_number_at(evaluation[1], "column_error", c, 0, 0));
        assert_true(pt_report_number_at(evaluation[0], "column_loss", c, 0, 0) ==
                    pt_report_number_at(evaluation[1], "column_loss", c, 0, 0));
    }
    for (int i = 0; i < 2; i++) {
        pt_report_free(evaluation[i]);
        pt_model_free(models[i]);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* With a kernel on the outputs: how many patterns there are, and of which classes. */
static void test_designed__patterns_are_counted(void **state)
{
    (void)state;
    enum { N = 60, K = 3 };
    small s = small_clouds(N, 3, K, 90);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data,
                                  "machine=designed,learner=tree,depth=2,design-kernel=rbf,"
                                  "design-C=1,calibrate=no",
                                  1);
    const double patterns = figure_of(model, "design_patterns");
    assert_true(patterns > 0 && patterns <= N);
    const char *at = strstr(pt_model_metadata(model), "\"design_patterns_of\": \"");
    assert_non_null(at);
    long long count[K] = {0};
    assert_int_equal(sscanf(at, "\"design_patterns_of\": \"0 %lld, 1 %lld, 2 %lld", &count[0],
                            &count[1], &count[2]),
                     K);
    assert_true((double)(count[0] + count[1] + count[2]) == patterns);
    for (int r = 0; r < K; r++) {
        int64_t rows = 0;
        for (int64_t i = 0; i < N; i++)
            rows += s.y[i] == r;
        assert_true(count[r] >= 0 && count[r] <= rows);
    }
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* What the code said before its design does not depend on what of the outputs the design looks at;
 * the design itself depends on the seed, which makes the folds. */
static void test_designed__outputs_and_seed_are_the_design_s_alone(void **state)
{
    (void)state;
    static const char *const designs[] = {"design-form=discrete", "seed=1,design-C=1",
                                          "design-form=discrete,design-outputs=sign",
                                          "seed=2,design-C=1"};
    small s = small_clouds(90, 2, 5, 87);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(
        data, "machine=code,calibrate=no,code=dense,columns=7,learner=linear-svm,seed=1", 1);
    pt_model *designed[4] = {NULL};
    for (int i = 0; i < 4; i++) {
        pt_params *params = small_params(designs[i]);
        pt_error err = PT_ERROR_INIT;
        small_must(pt_model_design(&designed[i], model, data, params, NULL, &err), &err,
                   designs[i]);
        pt_params_free(params);
    }
    assert_true(figure_of(designed[0], "discrete_cost") == figure_of(designed[2], "discrete_cost"));
    assert_true(figure_of(designed[1], "design_slack") != figure_of(designed[3], "design_slack"));
    for (int i = 0; i < 4; i++)
        pt_model_free(designed[i]);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- in turns ----------------------------------------------------------------------------------
 */

/* More rounds never have a larger held-out cost, for the best is kept; and somewhere they help. */
static void test_designed__interleaving_keeps_the_best(void **state)
{
    (void)state;
    double gained = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        small s = small_clouds(200, 3, 6, 90 + seed);
        pt_dataset *data = small_dataset(&s);
        double last = INFINITY;
        for (int rounds = 0; rounds <= 3; rounds++) {
            char text[200];
            snprintf(text, sizeof text,
                     "machine=designed,code=ordinal,learner=adaboost,rounds=4,calibrate=no,"
                     "interleave=%d",
                     rounds);
            pt_model *model = small_train(data, text, 1);
            const double cost = figure_of(model, "held_out_cost");
            /* the first has no need to be judged by rounds, but C is automatic */
            assert_true(cost <= last);
            if (rounds > 0)
                gained += last - cost;
            last = cost;
            pt_model_free(model);
        }
        pt_dataset_free(data);
        small_free(&s);
    }
    assert_true(gained > 0);
}

static pt_plan plan_of(int64_t n, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_training t = {0};
    pt_plan plan = {0};
    small s = small_clouds(n, 6, 8, 3);
    pt_dataset *data = small_dataset(&s);
    pt_params *params = small_params(options);
    pt_task *task = small_task(1);
    small_must(pt_training_init(&t, data, params, task, &err), &err, options);
    small_must(t.ops->plan(&t.problem, t.params, task, &plan, &err), &err, options);
    pt_training_free(&t);
    pt_task_free(task);
    pt_params_free(params);
    pt_dataset_free(data);
    small_free(&s);
    return plan;
}

/* C is chosen on some hundred rows, and a linear program has as many variables whatever the rows:
 * plans do not say that eight times the rows take 64 times as long. The kernel on outputs has its
 * memory in them. */
static void test_designed__plans_know_linear_programs_and_kernels(void **state)
{
    (void)state;
    static const char *const LINEAR = "machine=designed,learner=ls,sigma=1,ridge=1,norm=inf";
    static const char *const SQUARES = "machine=designed,learner=ls,sigma=1,ridge=1";
    static const char *const KERNEL =
        "machine=designed,learner=ls,sigma=1,ridge=1,design-kernel=rbf,design-sigma=1";
    const double growth = plan_of(800, LINEAR).flops / plan_of(100, LINEAR).flops;
    if (!(growth < 10))
        fail_msg("linear programs of eight times the rows: %g times as long", growth);
    assert_true(plan_of(800, SQUARES).cache == 0);
    assert_true(plan_of(800, KERNEL).cache >= 800.0 * 800 * sizeof(double));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_designed__code_is_that_of_spoc_on_outputs),
        cmocka_unit_test(test_designed__outputs_are_of_columns_that_have_not_seen_the_row),
        cmocka_unit_test(test_designed__random_labels_stay_at_chance),
        cmocka_unit_test(test_designed__lonely_rows_are_told_of),
        cmocka_unit_test(test_designed__model_gets_the_code_of_the_machine),
        cmocka_unit_test(test_designed__every_machine_with_columns_gets_a_code),
        cmocka_unit_test(test_designed__other_machines_stay_at_chance),
        cmocka_unit_test(test_designed__evaluation_has_the_columns),
        cmocka_unit_test(test_designed__patterns_are_counted),
        cmocka_unit_test(test_designed__outputs_and_seed_are_the_design_s_alone),
        cmocka_unit_test(test_designed__interleaving_keeps_the_best),
        cmocka_unit_test(test_designed__plans_know_linear_programs_and_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
