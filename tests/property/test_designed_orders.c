/* The machine `designed` on sets, rankings and pairs: what the columns of a code are learned from,
 * against the votes counted one by one and each column trained alone; its code against Kesler's
 * construction on the outputs; the file, and no memory taken for knowledge. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/kesler_reference.h"
#include "../support/other_labels.h"
#include "machine/training.h"
#include "machines/codes/code_columns.h"
#include "machines/codes/machine_designed.h"
#include "model/model.h"
#include "params/params_table.h"
#include "polytomy/experimental.h"

enum { N = 80, D = 4, K = 5 };
static const unsigned HOW = PT_PAIRS_THRESHOLD | PT_PAIRS_CLOSED;
static const char *const CODES[] = {"ova", "ovo", "dense,draws=30", "sparse,draws=30"};

static pt_code code_of(const char *name, int64_t k)
{
    char text[100];
    pt_error err = PT_ERROR_INIT;
    pt_code code = {0};
    snprintf(text, sizeof text, "code=%s", name);
    pt_params *params = small_params(text);
    small_must(pt_code_init(&code, params, k, NULL, NULL, NULL, &err), &err, name);
    pt_params_free(params);
    return code;
}

/* ---- votes -------------------------------------------------------------------------------------
 */

/* Whether the label of example i has class a before class b. */
static bool comes_before(const pt_labels *l, int64_t i, int64_t a, int64_t b)
{
    const int64_t nowhere = INT64_MIN;
    int64_t place[2] = {nowhere, nowhere};
    if (l->kind == PT_LABEL_CLASS)
        return l->class_of[i] == a && a != b;
    for (int64_t at = l->start[i]; at < l->start[i + 1]; at++) {
        const int64_t rank = l->kind == PT_LABEL_RANKING ? l->rank[at] : 1;
        if (l->kind == PT_LABEL_PAIRS && (at - l->start[i]) % 2 == 0 && l->item[at] == a &&
            l->item[at + 1] == b)
            return true;
        if (l->item[at] == a)
            place[0] = rank;
        if (l->item[at] == b)
            place[1] = rank;
    }
    if (l->kind == PT_LABEL_SET)
        return place[0] != nowhere && place[1] == nowhere;
    return l->kind == PT_LABEL_RANKING && place[0] != nowhere && place[1] != nowhere &&
           place[0] < place[1];
}

static int side_of(const pt_labels *l, int64_t i, const pt_code *code, int64_t s)
{
    int64_t vote = 0;
    for (int64_t a = 0; a < code->k; a++)
        for (int64_t b = 0; b < code->k; b++)
            if (comes_before(l, i, a, b) &&
                pt_code_entry(code, a, s) * pt_code_entry(code, b, s) < 0)
                vote += pt_code_entry(code, a, s);
    return (vote > 0) - (vote < 0);
}

static void test_order_columns__sides_are_what_pairs_vote_for(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int c = 0; c < 4; c++) {
            labelled l = labelled_rows(LABEL_KINDS[kind], N, D, K, 0.5, 61);
            const pt_problem problem = labelled_problem(&l, false, true);
            const pt_code code = code_of(CODES[c], K);
            pt_code whole = code_of(CODES[c], K);
            pt_order_columns order = {0};
            pt_error err = PT_ERROR_INIT;
            int64_t sides[3] = {0, 0, 0};
            small_must(pt_code_spell_out(&whole, &err), &err, "code");
            small_must(pt_order_columns_init(&order, &whole, &problem, &err), &err, "columns");
            assert_int_equal(order.columns.ell, code.ell);
            assert_ptr_equal(order.columns.weight, l.weight);
            for (int64_t i = 0; i < N; i++)
                for (int64_t s = 0; s < code.ell; s++) {
                    const int side = pt_columns_sign(&order.columns, order.columns.group_of[i], s);
                    assert_int_equal(side, side_of(l.labels, i, &code, s));
                    if (LABEL_KINDS[kind] == PT_LABEL_CLASS)
                        assert_int_equal(side, pt_code_entry(&code, l.labels->class_of[i], s));
                    sides[side + 1]++;
                }
            assert_true(sides[0] > 0 && sides[2] > 0);
            for (int64_t g = 1; g < order.columns.groups; g++) /* no two groups are alike */
                for (int64_t q = 0; q < g; q++)
                    assert_memory_not_equal(order.sign + g * code.ell, order.sign + q * code.ell,
                                            (size_t)code.ell);
            pt_order_columns_free(&order);
            pt_code_free(&whole);
            pt_code_free((pt_code *)&code);
            labelled_free(&l);
        }
}

/* ---- columns -----------------------------------------------------------------------------------
 */

/* Options that make an iterative learner end closely enough to be compared. */
static void learner_options(const pt_learner_ops *learner, char options[200])
{
    const char *const wishes[][2] = {{"eps", ",eps=1e-10"},
                                     {"gap", ",gap=1e-9"},
                                     {"kernel", ",kernel=rbf,sigma=1.5"},
                                     {"ridge", ",ridge=0.3"},
                                     {"rounds", ",rounds=7"}};
    snprintf(options, 200, "learner=%s,scale=none,precision=double,calibrate=no", learner->name);
    for (int w = 0; w < 5; w++)
        if (pt_word_listed(learner->parameters, ',', wishes[w][0], strlen(wishes[w][0])))
            strncat(options, wishes[w][1], 200 - strlen(options) - 1);
}

/* Outputs of a model's columns, n x ell: free() them. */
static double *outputs_of(const pt_model *model, const small *s)
{
    const pt_machine_ops *ops = model->machine->ops;
    const pt_rows rows = {.n = s->n, .d = s->d, .type = PT_F64, .dense = s->x, .stride = s->d};
    pt_error err = PT_ERROR_INIT;
    const int64_t ell = ops->parts(model->machine).code->ell;
    double *H = calloc((size_t)(s->n * ell), sizeof *H);
    small_must(ops->outputs(model->machine, &rows, H, NULL, &err), &err, "outputs");
    return H;
}

/* outputs[i] <- of the learner alone, on the rows that take part; false: one side is empty. */
static bool alone(const small *s, const int *side, const char *options, double *outputs)
{
    double x[N * D];
    int64_t y[N];
    small part = {0, D, 2, x, y, NULL};
    int64_t plus = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (side[i]) {
            memcpy(x + part.n * D, s->x + i * D, D * sizeof *x);
            plus += side[i] > 0;
            y[part.n++] = side[i] > 0;
        }
    if (plus == 0 || plus == part.n)
        return false;
    small asked = *s;
    asked.y = NULL;
    pt_dataset *train = small_dataset(&part);
    pt_dataset *test = small_dataset(&asked);
    char own[300];
    snprintf(own, sizeof own, "machine=code,code=ovo,decode=inner,%s", options);
    double *both = small_scores(train, own, test);
    for (int64_t i = 0; i < s->n; i++) /* the one column of ovo has class 0 on the side of +1 */
        outputs[i] = both[i * 2 + 1];
    free(both);
    pt_dataset_free(train);
    pt_dataset_free(test);
    return true;
}

static void expect_alone(const pt_learner_ops *learner, pt_label_kind kind, const char *name)
{
    small s = small_clouds(N, D, 3, 62);
    pt_labels *labels = other_random(kind, &s, K, 63);
    pt_dataset *data = other_dataset(&s, labels, false);
    const pt_code code = code_of(name, K);
    char options[200];
    char text[400];
    learner_options(learner, options);
    snprintf(text, sizeof text, "machine=designed,design-folds=0,design-C=0.1,code=%s,%s", name,
             options);
    pt_model *model = small_train(data, text, 1);
    double *H = outputs_of(model, &s);
    int64_t learned = 0;
    for (int64_t c = 0; c < code.ell; c++) {
        int side[N];
        double wanted[N];
        for (int64_t i = 0; i < N; i++)
            side[i] = side_of(labels, i, &code, c);
        if (!alone(&s, side, options, wanted))
            continue;
        learned++;
        for (int64_t i = 0; i < N; i++) /* splits lie halfway to rows that take no part */
            if ((side[i] || !(learner->capabilities & PT_LEARNS_RAW)) &&
                !(fabs(H[i * code.ell + c] - wanted[i]) < 1e-4 * fmax(1, fabs(wanted[i]))))
                fail_msg("%s, column %d, row %d: %.9g, not %.9g", text, (int)c, (int)i,
                         H[i * code.ell + c], wanted[i]);
    }
    assert_true(2 * learned > code.ell);
    free(H);
    pt_model_free(model);
    pt_code_free((pt_code *)&code);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_designed_orders__columns_are_those_of_the_learner_alone(void **state)
{
    (void)state;
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++) {
        /* rows that take no part count in the order of rows, and in the gaps by which trees choose
         * among splits that are as good */
        if ((*learner)->capabilities & PT_LEARNS_ONLINE || strcmp((*learner)->name, "tree") == 0)
            continue;
        expect_alone(*learner, PT_LABEL_SET, "ova");
        expect_alone(*learner, PT_LABEL_RANKING, "ovo");
        expect_alone(*learner, PT_LABEL_PAIRS, "ovo");
        expect_alone(*learner, PT_LABEL_RANKING, "dense,draws=30");
    }
}

/* Class 0 is always first, class 1 always last and class 2 never told of: columns with one side or
 * none are learned all the same, and with folds. */
static void test_designed_orders__columns_without_sides(void **state)
{
    (void)state;
    static other_items o;
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int c = 0; c < 4; c++) {
            small s = small_clouds(N, D, 3, 64);
            memset(&o, 0, sizeof o);
            for (int64_t i = 0; i < N; i++) {
                other_put(&o, 0, 1);
                other_put(&o, 3, s.x[i * D] > 0 ? 2 : 3);
                other_put(&o, 4, s.x[i * D] > 0 ? 3 : 2);
                other_put(&o, 1, 9);
                other_end(&o);
            }
            pt_dataset *data = other_dataset(&s, other_labels(&o, PT_LABEL_RANKING, K), false);
            char options[200];
            char text[400];
            learner_options(*learner, options);
            snprintf(text, sizeof text, "machine=designed,code=%s,%s", CODES[c], options);
            double *scores = small_scores(data, text, data);
            int64_t wrong = 0;
            for (int64_t i = 0; i < N; i++) {
                const double *f = scores + i * K;
                for (int64_t r = 0; r < K; r++)
                    assert_true(isfinite(f[r]));
                wrong += !(f[0] > f[3] && f[0] > f[4] && f[3] > f[1] && f[4] > f[1]);
            }
            if (wrong > N / 4)
                fail_msg("%s: %lld wrong", text, (long long)wrong);
            free(scores);
            pt_dataset_free(data);
            small_free(&s);
        }
}

/* ---- the code ----------------------------------------------------------------------------------
 */

static void test_designed_orders__code_is_that_of_pairs_on_outputs(void **state)
{
    (void)state;
    const char *const columns[] = {"code=ova,learner=svm,kernel=rbf,sigma=1",
                                   "code=ovo,learner=tree,depth=2"};
    for (int kind = 1; kind < 4; kind++)
        for (int c = 0; c < 2; c++) {
            small s = small_clouds(N, D, 3, 65);
            pt_labels *labels = other_random(LABEL_KINDS[kind], &s, K, 66);
            pt_dataset *data = other_dataset(&s, labels, false);
            char text[300];
            snprintf(text, sizeof text,
                     "machine=designed,design-folds=0,design-C=0.02,gap=1e-10,calibrate=no,"
                     "scale=none,precision=double,%s",
                     columns[c]);
            pt_model *model = small_train(data, text, 1);
            pt_prediction *prediction = small_predict(model, data, 1);
            const int64_t ell = model->machine->ops->parts(model->machine).code->ell;
            double *H = outputs_of(model, &s);
            double sum = 0;
            for (int64_t i = 0; i < N * ell; i++)
                sum += H[i] * H[i];
            labelled wide = {.n = N, .d = ell + 1, .k = K, .labels = labels};
            wide.x = calloc((size_t)(N * (ell + 1)), sizeof *wide.x);
            for (int64_t i = 0; i < N; i++) {
                memcpy(wide.x + i * (ell + 1), H + i * ell, (size_t)ell * sizeof *H);
                wide.x[i * (ell + 1) + ell] = sqrt(sum / (double)(N * ell));
            }
            kesler q = kesler_new(&wide, HOW, false, false, 0.02);
            kesler_solve(&q, 1e-9);
            double wanted[N * K];
            kesler_scores(&q, &wide, false, wanted);
            const double apart = small_distance(pt_prediction_scores(prediction), wanted, N * K);
            if (!(apart < 1e-3))
                fail_msg("%s, kind %d: %g apart", text, kind, apart);
            kesler_free(&q);
            free(wide.x);
            free(H);
            pt_prediction_free(prediction);
            pt_model_free(model);
            pt_dataset_free(data);
            small_free(&s);
        }
}

/* ---- the model ---------------------------------------------------------------------------------
 */

static void test_designed_orders__threads_and_files_keep_every_bit(void **state)
{
    (void)state;
    static const char *const options[] = {"code=ova,learner=svm,kernel=rbf,sigma=1",
                                          "code=ovo,learner=linear-svm,interleave=2",
                                          "code=dense,columns=6,learner=adaboost,rounds=5,"
                                          "design-kernel=rbf,design-C=1",
                                          "code=dense,columns=9,learner=ls,ridge=0.1,kernel=rbf,"
                                          "sigma=1,design-outputs=sign",
                                          "code=sparse,draws=30,learner=tree,single-call=yes"};
    for (int kind = 1; kind < 4; kind++)
        for (int o = 0; o < 5; o++) {
            small s = small_clouds(N, D, 3, 67);
            pt_dataset *data =
                other_dataset(&s, other_random(LABEL_KINDS[kind], &s, K, 68), o == 1);
            char text[300];
            char path[64];
            pt_error err = PT_ERROR_INIT;
            pt_model *again = NULL;
            snprintf(text, sizeof text, "machine=designed,%s%s", options[o],
                     kind == 1 ? "" /* C and probabilities, too, chosen by rows held out */
                     : o == 2  ? ",calibrate=no"
                               : ",calibrate=no,design-C=1");
            pt_model *model = small_train(data, text, 1);
            pt_model *other = small_train(data, text, 3);
            pt_prediction *wanted = small_predict(model, data, 1);
            pt_prediction *found = small_predict(other, data, 2);
            assert_memory_equal(pt_prediction_scores(wanted), pt_prediction_scores(found),
                                N * K * sizeof(double));
            pt_prediction_free(found);
            snprintf(path, sizeof path, "orders_%d_%d.model", kind, o);
            small_must(pt_model_save(model, path, &err), &err, "saving");
            small_must(pt_model_load(&again, path, NULL, &err), &err, text);
            remove(path);
            found = small_predict(again, data, 1);
            assert_memory_equal(pt_prediction_scores(wanted), pt_prediction_scores(found),
                                N * K * sizeof(double));
            pt_prediction_free(found);
            pt_prediction_free(wanted);
            pt_model_free(again);
            pt_model_free(other);
            pt_model_free(model);
            pt_dataset_free(data);
            small_free(&s);
        }
}

static pt_status load(const pt_pack *pack, const pt_params *params, pt_error *err)
{
    pt_machine *machine = NULL;
    const pt_status status =
        pt_machine_load(&machine, &pt_machine_designed, pack, D, K, params, NULL, err);
    if (status == PT_OK)
        pt_machine_free(machine);
    return status;
}

static void expect_refused(const pt_pack *pack, const pt_params *params, const char *array,
                           const char *what)
{
    pt_error err = PT_ERROR_INIT;
    const pt_status status = load(pack, params, &err);
    if (status != PT_EFORMAT)
        fail_msg("array %s, %s: %s: %s", array, what, pt_status_name(status), err.text);
}

/* Each array left out, a row less, of another type, with a number that is none. */
static void break_arrays(pt_pack *pack, const pt_params *params)
{
    for (int64_t a = 0; a < pack->count; a++) {
        pt_array *array = &pack->arrays[a];
        const pt_array good = *array;
        double kept = 0;
        array->name[0] = '?';
        expect_refused(pack, params, good.name, "left out");
        *array = good;
        array->rows--;
        expect_refused(pack, params, good.name, "a row less");
        *array = good;
        array->integer = !good.integer;
        expect_refused(pack, params, good.name, "another type");
        *array = good;
        memcpy(&kept, good.value, sizeof kept);
        double bad = NAN;
        if (good.integer)
            memcpy(&bad, &(int64_t){-1}, sizeof bad);
        array->value = malloc((size_t)(good.rows * good.columns) * sizeof bad);
        memcpy(array->value, good.value, (size_t)(good.rows * good.columns) * sizeof bad);
        memcpy(array->value, &bad, sizeof bad);
        expect_refused(pack, params, good.name, "a number that is none");
        free(array->value);
        *array = good;
    }
}

static void test_designed_orders__hostile_arrays_are_refused(void **state)
{
    (void)state;
    static const char *const options[] = {
        "code=ova,learner=linear-svm", "code=ovo,learner=linear-svm,design-kernel=rbf,design-C=1"};
    for (int o = 0; o < 2; o++) {
        labelled l = labelled_rows(PT_LABEL_SET, 40, D, K, 0.5, 69);
        const pt_problem problem = labelled_problem(&l, false, false);
        char text[200];
        pt_error err = PT_ERROR_INIT;
        pt_pack pack = {0};
        snprintf(text, sizeof text, "machine=designed,precision=double,design-form=pairs,%s",
                 options[o]);
        pt_machine *machine = labelled_train(&problem, text, 1);
        pt_params *params = small_params(text);
        small_must(pt_params_set(params, "kernel", "linear", &err), &err, "parameters");
        small_must(pt_params_set(params, "bias", "yes", &err), &err, "parameters");
        small_must(pt_params_set(params, "decode", "inner", &err), &err, "parameters");
        small_must(machine->ops->save(machine, &pack, &err), &err, "saving");
        small_must(load(&pack, params, &err), &err, text);
        assert_non_null(pt_pack_find(&pack, "orders"));
        assert_non_null(pt_pack_find(&pack, "d.bias"));
        break_arrays(&pack, params);
        for (int64_t a = 0; a < pack.count; a++) /* 1 is what it says */
            if (strcmp(pack.arrays[a].name, "orders") == 0) {
                pt_array *orders = &pack.arrays[a];
                void *good = orders->value;
                orders->value = &(int64_t){0};
                expect_refused(&pack, params, "orders", "0");
                orders->value = good;
            }
        small_must(load(&pack, params, &err), &err, text);
        pt_pack_free(&pack);
        pt_params_free(params);
        pt_machine_free(machine);
        labelled_free(&l);
    }
}

/* ---- what it learns ----------------------------------------------------------------------------
 */

static double figure_of(const pt_model *model, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(pt_model_metadata(model), key);
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

/* Trees remember every row. Rankings that mean nothing have half of their pairs wrong on rows that
 * no column has seen; rankings by the rows have few. */
static void test_designed_orders__random_rankings_stay_at_chance(void **state)
{
    (void)state;
    enum { MANY = 300 };
    static other_items o;
    const char *const options = "machine=designed,code=ovo,learner=tree,calibrate=no";
    small s = small_clouds(MANY, D, 3, 70);
    pt_random random;
    pt_random_init(&random, 71, PT_RANDOM_TEST, 7);
    memset(&o, 0, sizeof o);
    for (int64_t i = 0; i < MANY; i++) {
        int64_t order[K] = {0, 1, 2, 3, 4};
        pt_random_shuffle(&random, order, K);
        for (int64_t r = 0; r < K; r++)
            other_put(&o, r, order[r]);
        other_end(&o);
    }
    pt_dataset *data = other_dataset(&s, other_labels(&o, PT_LABEL_RANKING, K), false);
    pt_model *model = small_train(data, options, 1);
    /* pairs of one ranking are no more than 10 draws, and less */
    if (!(fabs(figure_of(model, "held_out_cost") - 0.5) < 4 * 0.5 / sqrt(MANY)))
        fail_msg("held-out cost %g at random rankings", figure_of(model, "held_out_cost"));
    pt_model_free(model);
    char text[200];
    snprintf(text, sizeof text, "%s,design-folds=0", options);
    model = small_train(data, text, 1);
    assert_true(figure_of(model, "held_out_cost") < 0.1); /* the probe can tell */
    pt_model_free(model);
    pt_dataset_free(data);
    data = other_dataset(&s, other_random(PT_LABEL_RANKING, &s, K, 72), false);
    model = small_train(data, options, 1);
    assert_true(figure_of(model, "held_out_cost") < 0.35);
    pt_model_free(model);
    pt_dataset_free(data);
    small_free(&s);
}

/* ---- refusals ----------------------------------------------------------------------------------
 */

static void test_designed_orders__what_is_for_classes_is_refused(void **state)
{
    (void)state;
    static const char *const options[][2] = {{"design-form=soft", "`design-form=soft`"},
                                             {"design-form=discrete", "`design-form=discrete`"},
                                             {"norm=1", "`norm"},
                                             {"incremental=yes", "`incremental"},
                                             {"design-machine=adaboost-mo", "adaboost-mo"}};
    small s = small_clouds(30, D, 3, 73);
    pt_dataset *data = other_dataset(&s, other_random(PT_LABEL_SET, &s, K, 74), false);
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    for (int o = 0; o < 5; o++) {
        char text[200];
        snprintf(text, sizeof text, "machine=designed,calibrate=no,%s", options[o][0]);
        assert_int_equal(small_try_train(&model, data, text, 1, &err), PT_EINVAL);
        if (!strstr(err.text, options[o][1]))
            fail_msg("%s: %s", text, err.text);
    }
    /* a code for a model that is there: of classes and by classes */
    pt_model *again = NULL;
    pt_params *params = small_params("design-form=pairs");
    model = small_train(data, "machine=designed,learner=linear-svm,calibrate=no", 1);
    assert_int_equal(pt_model_design(&again, model, data, params, NULL, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "'set'"));
    pt_dataset *classes = small_dataset(&s);
    assert_int_equal(pt_model_design(&again, model, classes, params, NULL, &err), PT_EINVAL);
    pt_model_free(model);
    model = small_train(classes, "code=ova,learner=linear-svm,calibrate=no", 1);
    assert_int_equal(pt_model_design(&again, model, data, params, NULL, &err), PT_EINVAL);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(classes);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_columns__sides_are_what_pairs_vote_for),
        cmocka_unit_test(test_designed_orders__columns_are_those_of_the_learner_alone),
        cmocka_unit_test(test_designed_orders__columns_without_sides),
        cmocka_unit_test(test_designed_orders__code_is_that_of_pairs_on_outputs),
        cmocka_unit_test(test_designed_orders__threads_and_files_keep_every_bit),
        cmocka_unit_test(test_designed_orders__hostile_arrays_are_refused),
        cmocka_unit_test(test_designed_orders__random_rankings_stay_at_chance),
        cmocka_unit_test(test_designed_orders__what_is_for_classes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
