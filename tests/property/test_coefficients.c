/* Coefficients of linear machines, in the units of the data, and gains of trees. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/labelled_rows.h"
#include "../support/small_problem.h"
#include "data/dataset.h"
#include "model/model.h"

#ifndef PT_SOURCE_DIR
#define PT_SOURCE_DIR "." /* compiled by hand, run in the root of the tree */
#endif

static pt_report *arrays_of(const pt_model *model)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *arrays = NULL;
    small_must(pt_model_arrays(&arrays, model, &err), &err, "arrays");
    return arrays;
}

/* What a term of the arrays is in row i of a table: the number, or 1 where the cell is the level,
 * or is missing. `means` fill missing numbers. */
static double term_value(const pt_dataset *data, const double *means, const char *term, int64_t j,
                         int64_t i)
{
    const double x = pt_dataset_dense_cell(data, i, j);
    const char *equals = strchr(term, '=');
    if (strstr(term, " missing"))
        return isnan(x);
    if (!equals)
        return isnan(x) ? means[j] : x;
    return !isnan(x) && strcmp(data->columns[j].levels.items[(int64_t)x], equals + 1) == 0;
}

/* f(x) by the arrays of the model, against what it says itself. */
static void expect_functions(const pt_report *arrays, const pt_dataset *data, const double *means,
                             const double *said, const char *what)
{
    const int64_t m = pt_report_length(arrays, "function");
    if (m == 0)
        fail_msg("%s has no coefficients", what);
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t f = 0; f < m; f++) {
            double sum = pt_report_number_at(arrays, "intercept", f, 0, 0);
            double size = fabs(sum);
            for (int64_t t = 0; t < pt_report_length(arrays, "term"); t++) {
                const char *term = pt_report_text_at(arrays, "term", t, 0, 0);
                const int64_t j = pt_report_integer_at(arrays, "term_column", t, 0, 0) - 1;
                const double part = pt_report_number_at(arrays, "coefficient", f, t, 0) *
                                    term_value(data, means, term, j, i);
                sum += part;
                size += fabs(part);
            }
            if (!(fabs(sum - said[i * m + f]) <= 1e-10 * (1 + size)))
                fail_msg("%s: row %d, function %d: %.15g is not %.15g", what, (int)i, (int)f, sum,
                         said[i * m + f]);
        }
}

static const double none[40]; /* where nothing is missing */

static const char TABLE[] = "x,color,y,side,class\n"
                            "1,red,20,l,a\n2,blue,,r,b\n3,green,40,l,c\n1.5,red,30,r,b\n"
                            "2.5,blue,15,l,a\n0,green,20,r,c\n1,red,,l,a\n4,red,25,l,b\n"
                            "3,blue,20,r,a\n2,green,0,r,c\n1,blue,10,l,b\n2,red,30,r,c\n";

static void test_coefficients__of_a_table_are_in_its_units(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=softmax", "machine=spoc,kernel=linear", "machine=ww,kernel=linear",
        "machine=constraint,kernel=linear", "machine=constraint,method=online",
        "machine=onelsm,kernel=linear,ridge=0.5",
        "machine=vo-lssvm,kernel=linear,ridge=0.5,bias=yes,labelbook=mincorr",
        "machine=onelsm,kernel=linear,ridge=0.5,labelbook=consistency",
        "machine=vo-lssvm,kernel=linear,ridge=0.5", "machine=vo-svm,kernel=linear,C=2",
        "machine=suykens,kernel=linear,ridge=0.5", "machine=ls-ova,kernel=linear,ridge=0.5",
        "machine=rank-ls,kernel=linear,ridge=0.5",
        /* outputs: */
        "machine=code,code=ova,learner=logistic", "machine=code,code=ovo,learner=linear-svm",
        "machine=code,code=ova,learner=perceptron",
        "machine=code,code=ova,learner=svm,kernel=linear",
        "machine=code,code=ova,learner=ls,kernel=linear,ridge=0.5"};
    static const char *const SCALES[] = {"range", "standard", "none"};
    const double means[] = {0, 0, 210. / 10, 0};
    for (size_t c = 0; c < 3 * (sizeof MACHINES / sizeof *MACHINES); c++) {
        char options[160];
        pt_error err = PT_ERROR_INIT;
        pt_dataset *data = NULL;
        snprintf(options, sizeof options,
                 "%s,precision=double,merge=no,missing=indicator,calibrate=no,scale=%s",
                 MACHINES[c / 3], SCALES[c % 3]);
        small_must(
            pt_dataset_read_memory(&data, TABLE, sizeof TABLE - 1, "t.csv", NULL, NULL, &err), &err,
            "table");
        pt_model *model = small_train(data, options, 1);
        pt_report *arrays = arrays_of(model);
        pt_prediction *scores = small_predict(model, data, 1);
        if (pt_report_integer(arrays, "of_scores")) {
            expect_functions(arrays, data, means, pt_prediction_scores(scores), options);
        } else {
            pt_report *outputs = NULL;
            small_must(pt_model_outputs(&outputs, model, data, NULL, 0, NULL, &err), &err, options);
            expect_functions(arrays, data, means, pt_report_find(outputs, "outputs")->values,
                             options);
            pt_report_free(outputs);
        }
        pt_prediction_free(scores);
        pt_report_free(arrays);
        pt_model_free(model);
        pt_dataset_free(data);
    }
}

/* Few rows and many columns: the model keeps rows. */
static void test_coefficients__of_kept_rows_are_summed_up(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"machine=onelsm,kernel=linear,ridge=0.5",
                                           "machine=vo-svm,kernel=linear,C=2",
                                           "machine=spoc,kernel=linear"};
    small s = small_clouds(12, 40, 3, 6);
    pt_dataset *dense = small_dataset(&s);
    for (int m = 0; m < 6; m++) {
        char options[160];
        pt_dataset *data = m % 2 ? small_sparse_dataset(&s) : small_dataset(&s);
        snprintf(options, sizeof options, "%s,precision=double,calibrate=no", MACHINES[m / 2]);
        pt_model *model = small_train(data, options, 1);
        pt_report *arrays = arrays_of(model);
        pt_prediction *scores = small_predict(model, data, 1);
        assert_true(pt_report_integer(arrays, "of_scores"));
        expect_functions(arrays, dense, none, pt_prediction_scores(scores), options);
        pt_prediction_free(scores);
        pt_report_free(arrays);
        pt_model_free(model);
        pt_dataset_free(data);
    }
    pt_dataset_free(dense);
    small_free(&s);
}

/* Of sets, with thresholds, and of rankings. */
static void test_coefficients__of_other_labels(void **state)
{
    (void)state;
    static const struct {
        pt_label_kind kind;
        const char *options;
    } CASES[] = {{PT_LABEL_SET, "machine=rank-ls,kernel=linear,ridge=0.1,thresholds=f1"},
                 {PT_LABEL_SET, "machine=constraint,kernel=linear"},
                 {PT_LABEL_SET, "machine=relevance,learner=logistic"},
                 {PT_LABEL_RANKING, "machine=constraint,kernel=linear"},
                 {PT_LABEL_PAIRS, "machine=rank-ls,kernel=linear,ridge=0.1"}};
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        enum { N = 60, D = 4, K = 3 };
        pt_error err = PT_ERROR_INIT;
        pt_dataset *data = NULL;
        char options[160];
        labelled l = labelled_rows(CASES[c].kind, N, D, K, 0.5, 3);
        snprintf(options, sizeof options, "%s,precision=double%s", CASES[c].options,
                 c == 0 ? "" : ",calibrate=no");
        small_must(dataset_from_f64(&data, l.x, l.n, l.d, l.d, &err), &err, "rows");
        data->labels = l.labels;
        l.labels = NULL;
        pt_model *model = small_train(data, options, 1);
        pt_report *arrays = arrays_of(model);
        pt_prediction *scores = small_predict(model, data, 1);
        assert_int_equal(pt_report_length(arrays, "function"), K);
        expect_functions(arrays, data, none, pt_prediction_scores(scores), options);
        pt_prediction_free(scores);
        pt_report_free(arrays);
        pt_model_free(model);
        pt_dataset_free(data);
        labelled_free(&l);
    }
}

/* What is not linear has none: a report without the items. */
static void test_coefficients__others_have_none(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {"machine=onelsm,kernel=rbf,sigma=1,ridge=0.5",
                                           "machine=elm,hidden=3,ridge=0.5",
                                           "machine=tree",
                                           "machine=onelsm,kernel=linear,ridge=1,decode=hamming",
                                           "machine=code,code=ovo,learner=svm,kernel=rbf,sigma=1",
                                           "machine=adaboost-mh,rounds=3"};
    small s = small_clouds(30, 3, 3, 6);
    pt_dataset *data = small_dataset(&s);
    for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
        pt_model *model = small_train(data, MACHINES[m], 1);
        pt_report *arrays = arrays_of(model);
        assert_null(pt_report_find(arrays, "coefficient"));
        assert_null(pt_report_find(arrays, "term"));
        pt_report_free(arrays);
        pt_model_free(model);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- gains ----------------------------------------------------------------------------------- */

enum { ROWS = 90, COLUMNS = 3, CLASSES = 3 };

static double impurity(const char *criterion, const double *w)
{
    double all = 0;
    double value = 0;
    for (int c = 0; c < CLASSES; c++)
        all += w[c];
    for (int c = 0; c < CLASSES; c++)
        value += strcmp(criterion, "gini") == 0   ? w[c] - w[c] * w[c] / fmax(all, 1)
                 : strcmp(criterion, "sqrt") == 0 ? sqrt(w[c] * (all - w[c]))
                 : w[c] > 0                       ? -w[c] * log(w[c] / all)
                                                  : 0;
    return value;
}

/* Follows the rows down from a node, and adds what its splits gain. */
static void add_gains(const pt_forest *forest, int64_t at, const small *s, const bool *here,
                      const char *criterion, double *gain)
{
    double w[3][CLASSES] = {{0}};
    bool side[2][ROWS] = {{false}};
    if (at < 0)
        return;
    const pt_node *node = &forest->node[at];
    for (int64_t i = 0; i < ROWS; i++) {
        const bool in = s->x[i * COLUMNS + node->split.feature] <= node->split.cut;
        w[0][s->y[i]] += here[i];
        w[in ? 1 : 2][s->y[i]] += here[i];
        side[in ? 0 : 1][i] = here[i];
    }
    gain[node->split.feature] +=
        impurity(criterion, w[0]) - impurity(criterion, w[1]) - impurity(criterion, w[2]);
    add_gains(forest, node->child[PT_BRANCH_IN], s, side[0], criterion, gain);
    add_gains(forest, node->child[PT_BRANCH_OUT], s, side[1], criterion, gain);
}

static void expect_gains(const pt_model *model, const double *gain, const char *what)
{
    pt_report *arrays = arrays_of(model);
    double all = 0;
    for (int64_t j = 0; j < COLUMNS; j++)
        all += gain[j];
    assert_int_equal(pt_report_length(arrays, "gain"), COLUMNS);
    for (int64_t j = 0; j < COLUMNS; j++) {
        const double found = pt_report_number_at(arrays, "gain", j, 0, 0);
        if (!(fabs(found - gain[j] / all) < 1e-9))
            fail_msg("%s: column %d gained %.12g, not %.12g", what, (int)j, found, gain[j] / all);
        assert_true((pt_report_integer_at(arrays, "splits", j, 0, 0) > 0) == (gain[j] > 0));
    }
    pt_report_free(arrays);
}

static void test_gains__of_a_tree(void **state)
{
    (void)state;
    static const char *const CRITERIA[] = {"entropy", "gini", "sqrt"};
    small s = small_clouds(ROWS, COLUMNS, CLASSES, 12);
    pt_dataset *data = small_dataset(&s);
    for (int c = 0; c < 3; c++) {
        char options[120];
        snprintf(options, sizeof options, "machine=tree,precision=double,prune=%g,criterion=%s",
                 c == 1 ? 0.02 : 0, CRITERIA[c]);
        pt_model *model = small_train(data, options, 1);
        const pt_forest *forest = pt_machine_parts_of(model->machine).forest;
        double gain[COLUMNS] = {0};
        bool all[ROWS];
        for (int64_t i = 0; i < ROWS; i++)
            all[i] = true;
        add_gains(forest, forest->root[0], &s, all, CRITERIA[c], gain);
        expect_gains(model, gain, options);
        pt_model_free(model);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* In the first round all rows weigh the same: a column of one-vs-all at a time, or all together. */
static void test_gains__of_the_first_stumps(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=code,code=ova,learner=adaboost,boost=confidence,rounds=1,precision=double",
        "machine=code,code=ova,learner=adaboost,boost=discrete,rounds=1,precision=double",
        "machine=code,code=ova,learner=logitboost,rounds=1,precision=double",
        "machine=adaboost-mo,code=ova,boost=confidence,rounds=1,precision=double",
        "machine=adaboost-mo,code=ova,boost=discrete,rounds=1,precision=double"};
    small s = small_clouds(ROWS, COLUMNS, CLASSES, 12);
    pt_dataset *data = small_dataset(&s);
    for (int m = 0; m < 5; m++) {
        pt_model *model = small_train(data, MACHINES[m], 1);
        const pt_forest *forest = pt_machine_parts_of(model->machine).forest;
        double gain[COLUMNS] = {0};
        for (int64_t r = 0; r < CLASSES; r++) {
            const int64_t root = forest->root[m < 3 ? r : 0];
            double w[3][2] = {{0}};
            if (root < 0)
                continue;
            const pt_split *split = &forest->node[root].split;
            for (int64_t i = 0; i < ROWS; i++) {
                const bool in = s.x[i * COLUMNS + split->feature] <= split->cut;
                w[0][s.y[i] == r]++;
                w[in ? 1 : 2][s.y[i] == r]++;
            }
            for (int side = 0; side < 3; side++) {
                const double z = w[side][1] - w[side][0];
                const double value = m % 3 == 0   ? -sqrt(w[side][0] * w[side][1])
                                     : m % 3 == 1 ? fabs(z)
                                                  : z * z / (w[side][0] + w[side][1]);
                gain[split->feature] += side == 0 ? -value : value;
            }
        }
        expect_gains(model, gain, MACHINES[m]);
        pt_model_free(model);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* They are kept in files; those of before have none, and neither has what begins with one. */
static void test_gains__are_in_new_files(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    void *bytes = NULL;
    size_t size = 0;
    pt_model *copy = NULL;
    small s = small_clouds(ROWS, COLUMNS, CLASSES, 12);
    pt_dataset *data = small_dataset(&s);
    pt_model *model = small_train(data, "machine=adaboost-mh,rounds=20", 1);
    small_must(pt_model_save_memory(&bytes, &size, model, &err), &err, "save");
    small_must(pt_model_load_memory(&copy, bytes, size, NULL, &err), &err, "load");
    pt_report *a = arrays_of(model);
    pt_report *b = arrays_of(copy);
    for (int64_t j = 0; j < COLUMNS; j++)
        assert_true(pt_report_number_at(a, "gain", j, 0, 0) ==
                    pt_report_number_at(b, "gain", j, 0, 0));
    pt_report_free(a);
    pt_report_free(b);
    pt_model_free(copy);
    pt_bytes_free(bytes);
    copy = NULL;
    small_must(pt_model_load(&copy, PT_SOURCE_DIR "/tests/golden/v2-forest.model", NULL, &err),
               &err, "an old file");
    a = arrays_of(copy);
    assert_null(pt_report_find(a, "gain"));
    assert_true(pt_report_length(a, "splits") > 0);
    pt_report_free(a);
    pt_model_free(copy);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coefficients__of_a_table_are_in_its_units),
        cmocka_unit_test(test_coefficients__of_kept_rows_are_summed_up),
        cmocka_unit_test(test_coefficients__of_other_labels),
        cmocka_unit_test(test_coefficients__others_have_none),
        cmocka_unit_test(test_gains__of_a_tree),
        cmocka_unit_test(test_gains__of_the_first_stumps),
        cmocka_unit_test(test_gains__are_in_new_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
