/* labels: threads */
/* Trees of classes: what is grown is a tree, predictions go down it, and splits are such that the
 * learner can learn them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "decoders/decoder.h"
#include "machine/machine.h"
#include "machine/training.h"
#include "machines/codes/class_tree.h"
#include "validate/auto.h"

enum { MOST_K = 16 };

/* ---- trees ----------------------------------------------------------------------------------- */

/* The column whose classes are those of `set`; -1: there is none. */
static int64_t node_of(const pt_code *code, uint64_t set)
{
    int64_t found = -1;
    for (int64_t s = 0; s < code->ell; s++) {
        uint64_t classes = 0;
        for (int64_t r = 0; r < code->k; r++)
            if (pt_code_entry(code, r, s) != 0)
                classes |= (uint64_t)1 << r;
        if (classes == set) {
            assert_int_equal(found, -1);
            found = s;
        }
    }
    return found;
}

static uint64_t side_of(const pt_code *code, int64_t s, int sign)
{
    uint64_t set = 0;
    for (int64_t r = 0; r < code->k; r++)
        if (pt_code_entry(code, r, s) == sign)
            set |= (uint64_t)1 << r;
    return set;
}

/* From the root on every set of two classes or more has a column of its own with two sides; returns
 * how many columns that are. */
static int64_t expect_tree(const pt_code *code, uint64_t set)
{
    if ((set & (set - 1)) == 0)
        return 0;
    const int64_t s = node_of(code, set);
    assert_true(s >= 0);
    const uint64_t plus = side_of(code, s, 1);
    const uint64_t minus = side_of(code, s, -1);
    assert_true(plus != 0 && minus != 0 && (plus | minus) == set && (plus & minus) == 0);
    return 1 + expect_tree(code, plus) + expect_tree(code, minus);
}

/* The class that is reached by going to the side of each output. */
static int64_t go_down(const pt_code *code, const double *f)
{
    uint64_t set = ((uint64_t)1 << code->k) - 1;
    while (set & (set - 1)) {
        const int64_t s = node_of(code, set);
        set = side_of(code, s, f[s] > 0 ? 1 : -1);
    }
    int64_t r = 0;
    while (set >> r != 1)
        r++;
    return r;
}

static void expect_class_tree(const small *s, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_training training = {0};
    pt_machine *machine = NULL;
    pt_dataset *data = small_dataset(s);
    small_must(pt_params_new(&params, &err), &err, "parameters");
    small_must(pt_params_parse(params, options, &err), &err, options);
    small_must(pt_training_init(&training, data, params, NULL, &err), &err, options);
    small_must(pt_training_resolve(&training, NULL, &err), &err, options);
    small_must(pt_machine_fit(&machine, training.ops, &training.problem, training.params, NULL,
                              &training.warnings, &err),
               &err, options);
    assert_ptr_equal(machine->ops, &pt_machine_class_tree);
    const pt_code *code = machine->ops->parts(machine).code;
    assert_int_equal(code->ell, s->k - 1);
    assert_int_equal(expect_tree(code, ((uint64_t)1 << s->k) - 1), s->k - 1);

    const pt_rows *rows = &training.problem.rows;
    double *f = calloc((size_t)(s->n * code->ell), sizeof *f);
    double *scores = calloc((size_t)(s->n * s->k), sizeof *scores);
    small_must(machine->ops->outputs(machine, rows, f, NULL, &err), &err, "outputs");
    small_must(machine->ops->scores(machine, rows, scores, NULL, &err), &err, "scores");
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t leaf = go_down(code, f + i * code->ell);
        const int64_t winner = pt_first_largest(scores + i * s->k, s->k);
        double weakest = INFINITY;
        for (int64_t t = 0; t < code->ell; t++)
            if (pt_code_entry(code, leaf, t) != 0)
                weakest = fmin(weakest, pt_code_entry(code, leaf, t) * f[i * code->ell + t]);
        if (weakest > 0)
            assert_int_equal(winner, leaf);
        assert_true(scores[i * s->k + winner] == weakest); /* at 0 both sides are as good */
    }
    free(scores);
    free(f);
    pt_machine_free(machine);
    pt_training_free(&training);
    pt_params_free(params);
    pt_dataset_free(data);
}

static void test_class_tree__is_a_tree_and_predictions_go_down(void **state)
{
    (void)state;
    static const char *const learners[] = {"svm,kernel=rbf,sigma=1",     "linear-svm",
                                           "ls,ridge=0.1,kernel=linear", "logistic",
                                           "adaboost,rounds=5",          "tree,depth=2"};
    for (int l = 0; l < 6; l++)
        for (int64_t k = 2; k <= 12; k += k < 7 ? 1 : 5)
            for (int folds = 0; folds <= 3; folds += 3) {
                char options[120];
                small s = small_clouds(9 * k, 3, k, 5);
                snprintf(options, sizeof options, "machine=class-tree,design-folds=%d,learner=%s",
                         folds, learners[l]);
                expect_class_tree(&s, options);
                small_free(&s);
            }
}

/* Classes with one example each have no folds. */
static void test_class_tree__single_examples(void **state)
{
    (void)state;
    small s = small_clouds(7, 3, 7, 6);
    expect_class_tree(&s, "machine=class-tree,learner=linear-svm");
    for (int64_t i = 0; i < 3; i++)
        s.y[i] = 0;
    s.y[3] = 1;
    s.y[4] = s.y[5] = s.y[6] = 2;
    s.k = 3;
    expect_class_tree(&s, "machine=class-tree,learner=linear-svm");
    small_free(&s);
}

/* ---- splits ---------------------------------------------------------------------------------- */

/* Classes along a line, in an order of their own. A threshold tells only a beginning of the line
 * from the rest, which hardly any first split is: a tree that kept these would err on most rows. */
static void test_class_tree__splits_are_those_that_can_be_learned(void **state)
{
    (void)state;
    static const int64_t place[10] = {4, 9, 0, 6, 2, 8, 1, 5, 3, 7};
    for (int64_t k = 3; k <= 10; k++)
        for (int folds = 0; folds <= 5; folds += 5) {
            pt_error err = PT_ERROR_INIT;
            char options[120];
            small s = small_clouds(20 * k, 1, k, 7);
            for (int64_t i = 0; i < s.n; i++)
                s.x[i] = (double)place[s.y[i]] + 0.03 * (double)(i % 11);
            snprintf(options, sizeof options,
                     "machine=class-tree,learner=adaboost,rounds=1,seed=3,design-folds=%d", folds);
            pt_dataset *data = small_dataset(&s);
            pt_model *model = NULL;
            small_must(small_try_train(&model, data, options, 1, &err), &err, options);
            double *scores = small_scores(data, options, data);
            int64_t errors = 0;
            for (int64_t i = 0; i < s.n; i++)
                errors += pt_first_largest(scores + i * k, k) != s.y[i];
            assert_int_equal(errors, 0);
            free(scores);
            pt_model_free(model);
            pt_dataset_free(data);
            small_free(&s);
        }
}

static void test_halves__are_a_tree(void **state)
{
    (void)state;
    for (int64_t k = 2; k <= MOST_K; k++) {
        pt_code code = {0};
        assert_int_equal(pt_class_tree_halves(&code, k, NULL), PT_OK);
        assert_int_equal(code.ell, k - 1);
        assert_int_equal(expect_tree(&code, ((uint64_t)1 << k) - 1), k - 1);
        pt_code_free(&code);
    }
    pt_code none = {0};
    assert_int_equal(pt_class_tree_halves(&none, 1, NULL), PT_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class_tree__is_a_tree_and_predictions_go_down),
        cmocka_unit_test(test_class_tree__single_examples),
        cmocka_unit_test(test_class_tree__splits_are_those_that_can_be_learned),
        cmocka_unit_test(test_halves__are_a_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
