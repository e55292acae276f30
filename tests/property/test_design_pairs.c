/* Codes designed by pairs (HRZ section 6): the machine over pairs on outputs of columns, against
 * Kesler's construction written out and against ww, and no memory taken for knowledge. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/kesler_reference.h"
#include "codes/design/design.h"
#include "machines/codes/machine_designed.h"
#include "model/model.h"
#include "polytomy/experimental.h"

static const unsigned HOW = PT_PAIRS_THRESHOLD | PT_PAIRS_CLOSED;

static pt_design_data data_of(const labelled *l, bool weighted)
{
    return (pt_design_data){.m = l->n,
                            .k = l->k,
                            .ell = l->d,
                            .H = l->x,
                            .class_of = l->labels->class_of,
                            .labels = l->labels,
                            .weight = weighted ? l->weight : NULL};
}

static pt_design_how by_pairs(double C)
{
    return (pt_design_how){.norm = PT_NORM_2, .form = PT_DESIGN_PAIRS, .C = C, .gap = 1e-10};
}

static pt_designed must(const pt_design_data *data, const pt_design_how *how,
                        pt_design_result *result, int threads)
{
    pt_designed code = {0};
    pt_error err = PT_ERROR_INIT;
    pt_task *task = small_task(threads);
    small_must(pt_design(&code, data, how, result, task, &err), &err, "a design");
    pt_task_free(task);
    return code;
}

/* n x k: free() them. */
static double *scores_of(const pt_designed *code, const pt_design_data *data)
{
    pt_error err = PT_ERROR_INIT;
    double *scores = calloc((size_t)(data->m * data->k + 1), sizeof *scores);
    small_must(pt_designed_scores(code, data->m, data->H, scores, NULL, &err), &err, "scores");
    return scores;
}

/* The same rows with one feature more, the constant that labels other than classes get: free x. */
static labelled widened(const labelled *l)
{
    labelled wide = *l;
    double sum = 0;
    for (int64_t c = 0; c < l->n * l->d; c++)
        sum += l->x[c] * l->x[c];
    const bool has = l->labels->kind != PT_LABEL_CLASS;
    const double constant = sqrt(sum / (double)(l->n * l->d));
    wide.d = l->d + has;
    wide.x = calloc((size_t)(l->n * wide.d), sizeof *wide.x);
    for (int64_t i = 0; i < l->n; i++) {
        memcpy(wide.x + i * wide.d, l->x + i * l->d, (size_t)l->d * sizeof *l->x);
        if (has)
            wide.x[i * wide.d + l->d] = constant;
    }
    return wide;
}

/* ---- Kesler's construction ---------------------------------------------------------------------
 */

static void expect_kesler(pt_label_kind kind, double C, bool weighted)
{
    enum { N = 26, ELL = 3, K = 4 };
    labelled l = labelled_rows(kind, N, ELL, K, 0.5, 31);
    const pt_design_data data = data_of(&l, weighted);
    const pt_design_how how = by_pairs(C);
    pt_design_result result = {0};
    labelled wide = widened(&l);
    kesler q = kesler_new(&wide, HOW, false, weighted, C);
    kesler_solve(&q, 1e-9);
    double wanted[N * K];
    kesler_scores(&q, &wide, false, wanted);

    pt_designed code = must(&data, &how, &result, 1);
    double *scores = scores_of(&code, &data);
    assert_true(result.converged);
    assert_true(fabs(result.primal - q.primal) < 1e-7 * q.primal);
    assert_true(fabs(result.norm - sqrt(kesler_dot(q.w, q.w, q.size))) < 1e-3);
    if (!(small_distance(scores, wanted, N * K) < 1e-4))
        fail_msg("%s: %g apart", pt_label_kind_name(kind), small_distance(scores, wanted, N * K));
    pt_pair_sums sums = {0};
    pt_error err = PT_ERROR_INIT;
    small_must(pt_design_pair_sums(&sums, &data, scores, &err), &err, "sums");
    assert_true(fabs(sums.slack - result.slack) < 1e-4 * (1 + result.slack));
    assert_true(sums.wrong > 0 && sums.wrong < N);

    pt_designed again = must(&data, &how, &result, 3);
    assert_memory_equal(pt_designed_rows(&code), pt_designed_rows(&again),
                        K * ELL * sizeof(double));
    pt_designed_free(&again);
    pt_designed_free(&code);
    free(scores);
    free(wide.x);
    kesler_free(&q);
    labelled_free(&l);
}

static void test_design_pairs__is_the_machine_of_written_out_pairs(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        expect_kesler(LABEL_KINDS[kind], 0.05, false);
        expect_kesler(LABEL_KINDS[kind], 1, true);
    }
}

/* A polynomial kernel of degree 1 is h . h' / sigma^2 + 1, and with the constant of labels that are
 * no classes 1 more: pairs in one dimension more. */
static void test_design_pairs__kernel_is_a_design_on_what_it_stands_for(void **state)
{
    (void)state;
    enum { N = 40, ELL = 3, K = 4 };
    for (int kind = 0; kind < 4; kind++) {
        labelled l = labelled_rows(LABEL_KINDS[kind], N, ELL, K, 0.5, 32);
        double wider[N * (ELL + 1)];
        const double one = LABEL_KINDS[kind] == PT_LABEL_CLASS ? 1 : sqrt(2);
        for (int64_t i = 0; i < N; i++)
            for (int64_t t = 0; t <= ELL; t++)
                wider[i * (ELL + 1) + t] = t < ELL ? l.x[i * ELL + t] / 2 : one;
        const pt_design_data data = data_of(&l, true);
        pt_design_how how = by_pairs(0.2);
        pt_design_result result = {0};
        how.kernel =
            (pt_kernel){.ops = pt_kernel_find("poly"), .sigma = 2, .coef0 = 1, .degree = 1};
        pt_designed with = must(&data, &how, &result, 2);
        double *scores = scores_of(&with, &data);
        assert_null(pt_designed_rows(&with));
        labelled wide = l;
        wide.d = ELL + 1;
        wide.x = wider;
        kesler q = kesler_new(&wide, HOW, false, true, how.C);
        kesler_solve(&q, 1e-9);
        double wanted[N * K];
        kesler_scores(&q, &wide, false, wanted);
        assert_true(fabs(result.primal - q.primal) < 1e-6 * q.primal);
        if (!(small_distance(scores, wanted, N * K) < 1e-4))
            fail_msg("%g apart", small_distance(scores, wanted, N * K));
        kesler_free(&q);
        free(scores);
        pt_designed_free(&with);
        labelled_free(&l);
    }
}

/* Outputs in another unit, with the C that goes with it: the same scores. */
static void test_design_pairs__unit_of_outputs_does_not_count(void **state)
{
    (void)state;
    enum { N = 40, ELL = 3, K = 4 };
    const double unit = 1000;
    for (int kind = 0; kind < 4; kind++) {
        labelled l = labelled_rows(LABEL_KINDS[kind], N, ELL, K, 0.5, 39);
        pt_design_data data = data_of(&l, true);
        pt_design_how how = by_pairs(0.2);
        pt_design_result result = {0};
        pt_designed code = must(&data, &how, &result, 1);
        double *wanted = scores_of(&code, &data);
        pt_designed_free(&code);
        for (int64_t c = 0; c < N * ELL; c++)
            l.x[c] *= unit;
        how.C /= unit * unit;
        code = must(&data, &how, &result, 1);
        assert_true(pt_designed_has_bias(&code) == (LABEL_KINDS[kind] != PT_LABEL_CLASS));
        double *scores = scores_of(&code, &data);
        assert_true(small_distance(scores, wanted, N * K) < 1e-4);
        pt_designed_free(&code);
        free(scores);
        free(wanted);
        labelled_free(&l);
    }
}

/* Labels without a pair, of which nothing can be learned. */
static void test_design_pairs__without_pairs_the_code_says_nothing(void **state)
{
    (void)state;
    labelled l = labelled_rows(PT_LABEL_RANKING, 8, 2, 3, 0.5, 33);
    for (int64_t at = 0; at < l.labels->start[8]; at++)
        l.labels->rank[at] = 1; /* all tie */
    const pt_design_data data = data_of(&l, false);
    pt_design_result result = {0};
    for (int kernel = 0; kernel < 2; kernel++) {
        pt_design_how how = by_pairs(1);
        if (kernel)
            how.kernel = (pt_kernel){.ops = pt_kernel_find("rbf"), .sigma = 1};
        pt_designed code = must(&data, &how, &result, 1);
        double *scores = scores_of(&code, &data);
        for (int64_t i = 0; i < 24; i++)
            assert_true(scores[i] == 0);
        assert_true(result.primal == 0 && result.norm == 0 && result.slack == 0);
        free(scores);
        pt_designed_free(&code);
    }
    labelled_free(&l);
}

/* ---- held out ----------------------------------------------------------------------------------
 */

/* The share of pairs that the code of the other folds gets wrong, by hand: between that without and
 * that with those that are ties but for rounding. */
static void test_design_pairs__held_out_cost_is_of_codes_without_the_fold(void **state)
{
    (void)state;
    enum { N = 30, ELL = 3, K = 4, FOLDS = 3 };
    const pt_label_kind kinds[] = {PT_LABEL_SET, PT_LABEL_RANKING, PT_LABEL_PAIRS};
    for (int kind = 0; kind < 3; kind++) {
        labelled l = labelled_rows(kinds[kind], N, ELL, K, 0.5, 34);
        const pt_design_data data = data_of(&l, true);
        const pt_design_how how = by_pairs(3);
        pt_label_pair *pairs =
            calloc((size_t)pt_label_pairs_most(l.labels, HOW) + 1, sizeof *pairs);
        int64_t fold[N];
        double least = 0;
        double most = 0;
        double total = 0;
        for (int64_t i = 0; i < N; i++)
            fold[i] = i == 7 ? -1 : (i * i + i / 4) % FOLDS;
        for (int64_t f = 0; f < FOLDS; f++) {
            int64_t chosen[N];
            double H[N * ELL];
            double weight[N];
            pt_error err = PT_ERROR_INIT;
            pt_labels *labels = NULL;
            pt_design_data rest = data;
            pt_design_result result = {0};
            rest.m = 0;
            for (int64_t i = 0; i < N; i++)
                if (fold[i] >= 0 && fold[i] != f) {
                    memcpy(H + rest.m * ELL, l.x + i * ELL, ELL * sizeof *H);
                    weight[rest.m] = l.weight[i];
                    chosen[rest.m++] = i;
                }
            small_must(pt_labels_subset(&labels, l.labels, chosen, rest.m, &err), &err, "labels");
            rest.H = H;
            rest.labels = labels;
            rest.weight = weight;
            pt_designed code = must(&rest, &how, &result, 1);
            pt_labels_free(labels);
            double *scores = scores_of(&code, &data);
            for (int64_t i = 0; i < N; i++) {
                const int64_t count = pt_label_pairs_of(l.labels, i, HOW, pairs);
                double one[K + 1] = {0};
                int64_t wrong = 0;
                int64_t not_right = 0;
                memcpy(one, scores + i * K, K * sizeof *one);
                for (int64_t p = 0; p < count; p++) {
                    const double margin = one[pairs[p].before] - one[pairs[p].after];
                    wrong += margin < -1e-9;
                    not_right += margin < 1e-9;
                }
                if (fold[i] != f)
                    continue;
                least += count ? l.weight[i] * (double)wrong / (double)count : 0;
                most += count ? l.weight[i] * (double)not_right / (double)count : 0;
                total += l.weight[i];
            }
            free(scores);
            pt_designed_free(&code);
        }
        pt_design_worth worth = {0};
        pt_error err = PT_ERROR_INIT;
        const pt_problem outputs = {
            .rows = {.n = N, .d = ELL, .type = PT_F64, .dense = data.H, .stride = ELL},
            .labels = l.labels,
            .weight = data.weight};
        small_must(pt_design_held_out(&worth, &outputs, &how, fold, FOLDS, NULL, &err), &err,
                   "worth");
        if (!(worth.cost >= least / total - 1e-9 && worth.cost <= most / total + 1e-9))
            fail_msg("%s: %g, not %g to %g", pt_label_kind_name(kinds[kind]), worth.cost,
                     least / total, most / total);
        pt_design_how chosen = by_pairs(NAN);
        small_must(pt_design_choose_C(&chosen, &worth, &outputs, fold, FOLDS, NULL, &err), &err,
                   "C");
        assert_true(isfinite(chosen.C) && worth.cost >= 0 && worth.cost < 0.5);
        free(pairs);
        labelled_free(&l);
    }
}

/* ---- the machine -------------------------------------------------------------------------------
 */

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

static void expect_ww(const char *columns, const char *kernel, const char *design_kernel, double C)
{
    enum { N = 80, D = 4, K = 4 };
    small s = small_clouds(N, D, K, 35);
    s.weight = calloc(N, sizeof *s.weight);
    for (int64_t i = 0; i < N; i++)
        s.weight[i] = 0.5 + (double)(i % 3);
    pt_dataset *data = small_dataset(&s);
    char text[400];
    snprintf(text, sizeof text, "machine=code,calibrate=no,%s", columns);
    pt_model *discrete = small_train(data, text, 1);
    int64_t ell = 0;
    small h = {N, 0, K, outputs_of(discrete, data, &ell), s.y, s.weight};
    h.d = ell;
    pt_dataset *outputs = small_dataset(&h);
    snprintf(text, sizeof text,
             "machine=ww,%s,scale=none,precision=double,calibrate=no,gap=1e-10,C=%g", kernel, C);
    double *wanted = small_scores(outputs, text, outputs);
    snprintf(text, sizeof text,
             "machine=designed,design-form=pairs,design-folds=0,calibrate=no,gap=1e-10,design-C=%g,"
             "%s,%s",
             C, design_kernel, columns);
    double *scores = small_scores(data, text, data);
    if (!(small_distance(scores, wanted, N * K) < 1e-4))
        fail_msg("%s: %g apart", text, small_distance(scores, wanted, N * K));
    free(wanted);
    free(scores);
    pt_dataset_free(outputs);
    free(h.x);
    pt_model_free(discrete);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_design_pairs__of_classes_is_ww_on_outputs(void **state)
{
    (void)state;
    expect_ww("code=ova,learner=svm,kernel=rbf,sigma=1", "kernel=linear", "design-kernel=linear",
              0.3);
    expect_ww("code=ovo,learner=tree,depth=2", "kernel=linear", "design-kernel=linear", 0.1);
    expect_ww("code=dense,columns=5,learner=adaboost,rounds=7", "kernel=rbf,sigma=1.5",
              "design-kernel=rbf,design-sigma=1.5", 0.05);
    expect_ww("code=ova,learner=logistic", "kernel=poly,degree=2,sigma=2,coef0=1",
              "design-kernel=poly,design-degree=2,design-sigma=2", 0.1);
}

static double figure_of(const pt_model *model, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(pt_model_metadata(model), key);
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

/* A model that is there gets the code that the machine designs by itself. */
static void test_design_pairs__model_gets_the_code_of_the_machine(void **state)
{
    (void)state;
    enum { N = 90, K = 4 };
    small s = small_clouds(N, 4, K, 36);
    pt_dataset *data = small_dataset(&s);
    const char *const columns = "code=ova,learner=svm,kernel=rbf,sigma=1";
    char text[300];
    snprintf(text, sizeof text, "machine=designed,calibrate=no,design-form=pairs,%s", columns);
    double *wanted = small_scores(data, text, data);
    snprintf(text, sizeof text, "machine=code,calibrate=no,%s", columns);
    pt_model *model = small_train(data, text, 1);
    pt_params *params = small_params("design-form=pairs");
    pt_model *designed = NULL;
    pt_error err = PT_ERROR_INIT;
    small_must(pt_model_design(&designed, model, data, params, NULL, &err), &err, columns);
    pt_prediction *prediction = small_predict(designed, data, 1);
    assert_memory_equal(pt_prediction_scores(prediction), wanted, N * K * sizeof(double));
    assert_true(figure_of(designed, "held_out_cost") < 0.5);
    assert_true(figure_of(designed, "design_C") > 0);
    pt_prediction_free(prediction);
    pt_model_free(designed);
    pt_params_free(params);
    pt_model_free(model);
    free(wanted);
    pt_dataset_free(data);
    small_free(&s);
}

/* Trees remember every row; labels that mean nothing stay at chance on new rows. Without folds the
 * design believes its columns, which shows that the probe can tell. */
static void test_design_pairs__random_labels_stay_at_chance(void **state)
{
    (void)state;
    enum { N = 500, D = 5, K = 4 };
    const double chance = 1 - 1.0 / K;
    const double spread = sqrt(chance * (1 - chance) / N);
    small s = small_clouds(N, D, K, 37);
    pt_random random;
    pt_random_init(&random, 1, PT_RANDOM_TEST, 64);
    for (int64_t i = 0; i < N; i++)
        s.y[i] = pt_random_below(&random, K);
    pt_dataset *data = small_dataset(&s);
    const char *const options = "machine=designed,design-form=pairs,code=ovo,calibrate=no,"
                                "learner=tree";
    pt_model *model = small_train(data, options, 1);
    if (!(figure_of(model, "held_out_cost") > chance - 4 * spread)) /* the least of nine C */
        fail_msg("held-out cost %g at random labels", figure_of(model, "held_out_cost"));
    pt_model_free(model);
    char text[200];
    snprintf(text, sizeof text, "%s,design-folds=0", options);
    model = small_train(data, text, 1);
    assert_true(figure_of(model, "held_out_cost") < 0.1);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* What another form uses is refused. */
static void test_design_pairs__parameters_of_other_forms_are_refused(void **state)
{
    (void)state;
    static const char *const others[] = {"norm=1", "incremental=yes", "design-bound=2",
                                         "design-entries=ternary", "costs=costs.csv"};
    small s = small_clouds(20, 3, 3, 38);
    pt_dataset *data = small_dataset(&s);
    for (int i = 0; i < 5; i++) {
        char text[200];
        pt_error err = PT_ERROR_INIT;
        pt_model *model = NULL;
        snprintf(text, sizeof text,
                 "machine=designed,design-form=pairs,learner=linear-svm,calibrate=no,%s",
                 others[i]);
        assert_int_equal(small_try_train(&model, data, text, 1, &err), PT_EINVAL);
        assert_non_null(strstr(err.text, "`design-form"));
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_design_pairs__is_the_machine_of_written_out_pairs),
        cmocka_unit_test(test_design_pairs__kernel_is_a_design_on_what_it_stands_for),
        cmocka_unit_test(test_design_pairs__unit_of_outputs_does_not_count),
        cmocka_unit_test(test_design_pairs__without_pairs_the_code_says_nothing),
        cmocka_unit_test(test_design_pairs__held_out_cost_is_of_codes_without_the_fold),
        cmocka_unit_test(test_design_pairs__of_classes_is_ww_on_outputs),
        cmocka_unit_test(test_design_pairs__model_gets_the_code_of_the_machine),
        cmocka_unit_test(test_design_pairs__random_labels_stay_at_chance),
        cmocka_unit_test(test_design_pairs__parameters_of_other_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
