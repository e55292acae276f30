/* Boosting of trees: with one test it is the boosting of stumps, which is another program; the loss
 * falls by what the textbook says; trees are those of the weights that the outputs tell. */
/* labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "learners/boosting/boost.h"
#include "learners/boosting/boosted.h"
#include "learners/learner.h"
#include "trees/grow.h"

enum { N = 150, D = 4, K = 3, ROUNDS = 12 };

/* One against all, all pairs, and a column that leaves a class out. */
static const int8_t OVA[K * K] = {1, -1, -1, -1, 1, -1, -1, -1, 1};
static const int8_t SOME[K * 2] = {1, 0, -1, 1, 0, -1};

static pt_columns columns_of(const small *s, int which)
{
    pt_columns columns = {.n = s->n, .group_of = s->y, .groups = K, .weight = s->weight};
    columns.pairs = which == 1;
    columns.ell = which == 2 ? 2 : 3;
    columns.sign = which == 0 ? OVA : which == 2 ? SOME : NULL;
    return columns;
}

/* No test parts two classes: where several do, any of them is right. */
static small blurred(uint64_t seed)
{
    small s = small_clouds(N, D, K, seed);
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 1);
    for (int64_t i = 0; i < N * D; i++)
        s.x[i] += 2 * pt_random_normal(&random);
    return s;
}

static pt_rows rows_of(const small *s)
{
    return (pt_rows){.n = s->n, .d = s->d, .type = PT_F64, .dense = s->x, .stride = s->d};
}

/* AdaBoost on trees, of one test too. */
static pt_status fit_trees(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                           const pt_params *params, const pt_task *task, pt_warnings *warnings,
                           pt_error *err)
{
    pt_boosted *m = (pt_boosted *)learner;
    PT_FREED_BY(pt_adaboost_free) pt_adaboost a = {0};
    const pt_boost_rule rule = pt_adaboost_rule(&a, params);
    PT_TRY(pt_boosted_init(m, rows, columns->ell, err));
    return pt_boost(&m->forest, rows, columns, &rule, PT_WEAK_TREES, params, NULL, task, warnings,
                    err);
}

static pt_status fit_by_trees(pt_learner **out, const pt_rows *rows, const pt_columns *columns,
                              const pt_params *params, const pt_task *task, pt_error *err)
{
    pt_learner_ops by_trees = pt_learner_adaboost;
    by_trees.fit = fit_trees;
    return pt_learner_fit(out, &by_trees, rows, columns, params, task, NULL, err);
}

static pt_learner *fit(const small *s, const pt_columns *columns, const char *options, bool trees)
{
    pt_learner *learner = NULL;
    pt_error err = PT_ERROR_INIT;
    const pt_rows rows = rows_of(s);
    pt_params *params = small_params(options);
    pt_warnings warnings = {0};
    pt_task *task = small_task(2);
    small_must(trees ? fit_by_trees(&learner, &rows, columns, params, task, &err)
                     : pt_learner_fit(&learner, &pt_learner_adaboost, &rows, columns, params, task,
                                      &warnings, &err),
               &err, options);
    pt_warnings_free(&warnings);
    pt_task_free(task);
    pt_params_free(params);
    return learner;
}

static void weigh(small *s)
{
    s->weight = calloc((size_t)s->n, sizeof *s->weight);
    for (int64_t i = 0; i < s->n; i++)
        s->weight[i] = 1 + (double)(i % 4);
}

/* Outputs of all stages, one after the other. */
typedef struct taking {
    double *stage;
    int64_t cells;
} taking;

static pt_status take(void *context, int64_t which, const double *outputs, pt_error *err)
{
    (void)err;
    const taking *t = context;
    memcpy(t->stage + which * t->cells, outputs, (size_t)t->cells * sizeof(double));
    return PT_OK;
}

static double *stages_of(const pt_learner *learner, const small *s, int64_t ell)
{
    int64_t rounds[ROUNDS + 1];
    pt_error err = PT_ERROR_INIT;
    const pt_rows rows = rows_of(s);
    taking t = {calloc((size_t)((ROUNDS + 1) * s->n * ell), sizeof(double)), s->n * ell};
    assert_int_equal(learner->ops.rounds(learner), ROUNDS);
    for (int r = 0; r <= ROUNDS; r++)
        rounds[r] = r;
    small_must(learner->ops.staged(learner, &rows, rounds, ROUNDS + 1, take, &t, NULL, &err), &err,
               "stages");
    return t.stage;
}

/* ---- one test ----------------------------------------------------------------------------------
 */

/* Of rows that take part: a cut may lie anywhere between those. */
static double distance(const small *s, const pt_columns *columns, const double *a, const double *b)
{
    double largest = 0;
    for (int64_t at = 0; at < (ROUNDS + 1) * s->n * columns->ell; at++) {
        const int64_t i = at / columns->ell % s->n;
        if (pt_columns_sign(columns, s->y[i], at % columns->ell) != 0)
            largest = fmax(largest, fabs(a[at] - b[at]));
    }
    return largest;
}

static void test_boost_trees__one_test_is_a_stump(void **state)
{
    (void)state;
    static const char *const options[] = {
        "learner=adaboost,rounds=12,boost=confidence,bins=0",
        "learner=adaboost,rounds=12,boost=confidence,bins=16,min-leaf=5",
    };
    for (int q = 0; q < 2; q++)
        for (int which = 0; which < 3; which++)
            for (int weighted = 0; weighted < 2; weighted++) {
                small s = blurred((uint64_t)(3 + which));
                if (weighted)
                    weigh(&s);
                const pt_columns columns = columns_of(&s, which);
                pt_learner *stumps = fit(&s, &columns, options[q], false);
                pt_learner *trees = fit(&s, &columns, options[q], true);
                double *a = stages_of(stumps, &s, columns.ell);
                double *b = stages_of(trees, &s, columns.ell);
                const double apart = distance(&s, &columns, a, b);
                if (!(apart < 1e-9))
                    fail_msg("%s, columns %d: %g apart", options[q], which, apart);
                free(a);
                free(b);
                pt_learner_free(stumps);
                pt_learner_free(trees);
                small_free(&s);
            }
}

/* ---- losses ------------------------------------------------------------------------------------
 */

/* The mean of e^(-M f) over the rows of column s, weighted; and the share of weight under these
 * weights times `next` that f_next - f gets wrong. */
static double loss_of(const small *s, const pt_columns *columns, const double *f, int64_t column,
                      const double *next, double *e)
{
    double loss = 0;
    double all = 0;
    double wrong = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const int sign = pt_columns_sign(columns, s->y[i], column);
        const double w = s->weight ? s->weight[i] : 1;
        if (sign == 0)
            continue;
        const double D_i = w * exp(-sign * f[i * columns->ell + column]);
        loss += D_i;
        all += w;
        if (next && sign * (next[i * columns->ell + column] - f[i * columns->ell + column]) < 0)
            wrong += D_i;
    }
    if (e)
        *e = wrong / loss;
    return loss / all;
}

/* The loss falls in every round; of discrete trees by the factor 2 sqrt(e (1 - e)). */
static void test_boost_trees__loss_falls(void **state)
{
    (void)state;
    for (int discrete = 0; discrete < 2; discrete++)
        for (int which = 0; which < 3; which++)
            for (int depth = 2; depth <= 3; depth++) {
                char options[100];
                snprintf(options, sizeof options, "learner=adaboost,rounds=12,depth=%d,boost=%s",
                         depth, discrete ? "discrete" : "confidence");
                small s = blurred(11);
                weigh(&s);
                const pt_columns columns = columns_of(&s, which);
                pt_learner *learner = fit(&s, &columns, options, true);
                double *stage = stages_of(learner, &s, columns.ell);
                for (int64_t c = 0; c < columns.ell; c++)
                    for (int r = 0; r < ROUNDS; r++) {
                        const double *f = stage + r * N * columns.ell;
                        const double *next = f + N * columns.ell;
                        double e = 0;
                        const double before = loss_of(&s, &columns, f, c, next, &e);
                        const double after = loss_of(&s, &columns, next, c, NULL, NULL);
                        assert_true(after < before);
                        if (discrete && e > 1e-9)
                            assert_true(fabs(after / before - 2 * sqrt(e * (1 - e))) < 1e-9);
                    }
                free(stage);
                pt_learner_free(learner);
                small_free(&s);
            }
}

/* ---- the trees of a round ----------------------------------------------------------------------
 */

/* Weights from the outputs so far, as the definition has them, and a tree grown under them. */
static void test_boost_trees__trees_are_those_of_the_weights(void **state)
{
    (void)state;
    small s = blurred(17);
    const pt_columns columns = columns_of(&s, 0);
    pt_learner *learner = fit(&s, &columns, "learner=adaboost,rounds=12,depth=3,bins=0", true);
    double *stage = stages_of(learner, &s, K);
    const pt_rows rows = rows_of(&s);
    pt_feature_table table;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_feature_table_init(&table, &rows, 0, NULL, &err), PT_OK);
    for (int r = 0; r < ROUNDS; r++)
        for (int64_t c = 0; c < K; c++) {
            const double half = 1.0 / (2 * N);
            const double *f = stage + r * N * K;
            const int64_t class_of_group[K] = {c == 0, c == 1, c == 2};
            double weight[N];
            double grown[N] = {0};
            double sum = 0;
            for (int64_t i = 0; i < N; i++)
                sum += weight[i] = exp(-pt_columns_sign(&columns, s.y[i], c) * f[i * K + c]);
            for (int64_t i = 0; i < N; i++)
                weight[i] /= sum;
            const pt_grow_problem problem = {.table = &table,
                                             .group_of = s.y,
                                             .class_of_group = class_of_group,
                                             .k = 2,
                                             .weight = weight,
                                             .criterion = PT_CRITERION_SQRT,
                                             .depth = 3,
                                             .min_leaf = 1};
            pt_grown tree = {0};
            assert_int_equal(pt_grow(&tree, &problem, NULL, &err), PT_OK);
            pt_grown_add(&tree, pt_leaf_half_log, &half, 1, grown, 1);
            for (int64_t i = 0; i < N; i++)
                assert_true(fabs(f[N * K + i * K + c] - f[i * K + c] - grown[i]) < 1e-6);
            pt_grown_free(&tree);
        }
    pt_feature_table_free(&table);
    free(stage);
    pt_learner_free(learner);
    small_free(&s);
}

/* ---- threads and memory ------------------------------------------------------------------------
 */

static void test_boost_trees__same_on_any_number_of_threads(void **state)
{
    (void)state;
    small s = blurred(23);
    weigh(&s);
    pt_dataset *data = small_dataset(&s);
    for (int discrete = 0; discrete < 2; discrete++)
        for (int pairs = 0; pairs < 2; pairs++) {
            char options[120];
            snprintf(options, sizeof options,
                     "code=%s,learner=adaboost,rounds=8,depth=4,boost=%s,calibrate=no,decode=inner",
                     pairs ? "ovo" : "ova", discrete ? "discrete" : "confidence");
            pt_model *one = small_train(data, options, 1);
            pt_model *three = small_train(data, options, 3);
            pt_prediction *a = small_predict(one, data, 1);
            pt_prediction *b = small_predict(three, data, 3);
            assert_memory_equal(pt_prediction_scores(a), pt_prediction_scores(b),
                                N * K * sizeof(double));
            pt_prediction_free(a);
            pt_prediction_free(b);
            pt_model_free(one);
            pt_model_free(three);
        }
    pt_dataset_free(data);
    small_free(&s);
}

static void test_boost_trees__out_of_memory_is_an_error(void **state)
{
    (void)state;
    small s = blurred(29);
    const pt_columns columns = columns_of(&s, 1);
    const pt_rows rows = rows_of(&s);
    pt_params *params = small_params("learner=adaboost,rounds=3,depth=2,stop-share=0.2");
    const int64_t live = pt_alloc_live();
    pt_status status = PT_ENOMEM;
    for (int64_t number = 1; status != PT_OK; number += 1 + number / 30) {
        pt_learner *learner = NULL;
        pt_error err = PT_ERROR_INIT;
        pt_alloc_fail_from(number);
        status = fit_by_trees(&learner, &rows, &columns, params, NULL, &err);
        pt_alloc_fail_from(0);
        assert_true(status == PT_OK || status == PT_ENOMEM);
        assert_true((status == PT_OK) == (learner != NULL));
        if (learner)
            pt_learner_free(learner);
        assert_int_equal(pt_alloc_live(), live);
    }
    pt_params_free(params);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boost_trees__one_test_is_a_stump),
        cmocka_unit_test(test_boost_trees__loss_falls),
        cmocka_unit_test(test_boost_trees__trees_are_those_of_the_weights),
        cmocka_unit_test(test_boost_trees__same_on_any_number_of_threads),
        cmocka_unit_test(test_boost_trees__out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
