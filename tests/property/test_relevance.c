/* relevance: each class as the binary machine that was trained for it alone, with every learner;
 * classes that all sets have, or none; the file; held-out scores. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/held_out_labels.h"
#include "learners/learner.h"
#include "params/params_table.h"

enum { N = 80, D = 4, CLASSES = 6 };
enum { NOBODY = 2, EVERYBODY = 5 }; /* classes that no set has, and that all have */

static pt_labels *sets_with_constants(const small *s, uint64_t seed)
{
    static other_items o;
    pt_labels *random = other_random(PT_LABEL_SET, s, CLASSES, seed);
    memset(&o, 0, sizeof o);
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t r = 0; r < CLASSES; r++)
            if (r == EVERYBODY || (r != NOBODY && other_has(random, i, r)))
                other_put(&o, r, 0);
        other_end(&o);
    }
    pt_labels_free(random);
    return other_labels(&o, PT_LABEL_SET, CLASSES);
}

/* Options that make an iterative learner end closely enough to be compared. */
static void learner_options(const pt_learner_ops *learner, char options[200])
{
    const char *used = learner->parameters;
    snprintf(options, 200, "learner=%s,scale=none,precision=double", learner->name);
    const char *const wishes[][2] = {{"eps", ",eps=1e-10"},
                                     {"gap", ",gap=1e-12"},
                                     {"kernel", ",kernel=rbf,sigma=1.5"},
                                     {"ridge", ",ridge=0.3"},
                                     {"rounds", ",rounds=7"}};
    for (int w = 0; w < 5; w++)
        if (pt_word_listed(used, ',', wishes[w][0], strlen(wishes[w][0])))
            strncat(options, wishes[w][1], 200 - strlen(options) - 1);
}

/* scores[i] <- the output of the learner alone that tells sets with class r from the others. */
static void binary_scores(const small *s, const small *on, const pt_labels *labels, int64_t r,
                          const char *options, double *scores)
{
    int64_t side[N];
    small binary = *s;
    small asked = *on;
    for (int64_t i = 0; i < s->n; i++)
        side[i] = other_has(labels, i, r);
    binary.y = side;
    asked.y = NULL;
    pt_dataset *train = small_dataset(&binary);
    pt_dataset *test = small_dataset(&asked);
    char own[300];
    snprintf(own, sizeof own, "machine=code,code=ovo,decode=inner,calibrate=no,merge=no,%s",
             options);
    double *both = small_scores(train, own, test);
    for (int64_t i = 0; i < on->n; i++) /* the one column of ovo has class 0 on the side of +1 */
        scores[i] = both[i * 2 + 1];
    free(both);
    pt_dataset_free(train);
    pt_dataset_free(test);
}

static void test_relevance__equals_separate_trainings(void **state)
{
    (void)state;
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++) {
        char options[200];
        char all[300];
        small s = small_clouds(N, D, 3, 51);
        small on = small_clouds(25, D, 3, 52);
        learner_options(*learner, options);
        snprintf(all, sizeof all, "machine=relevance,merge=no,%s", options);
        pt_labels *labels = sets_with_constants(&s, 53);
        pt_dataset *train = other_dataset(&s, labels, false);
        pt_dataset *test = small_dataset(&on);
        double *scores = small_scores(train, all, test);
        for (int64_t r = 0; r < CLASSES; r++) {
            double alone[25];
            if (r != NOBODY && r != EVERYBODY)
                binary_scores(&s, &on, labels, r, options, alone);
            for (int64_t i = 0; i < on.n; i++) {
                const double score = scores[i * CLASSES + r];
                if (r == NOBODY || r == EVERYBODY)
                    assert_true(score == (r == EVERYBODY ? 1 : -1));
                else if (!(fabs(score - alone[i]) < 1e-5 * fmax(1, fabs(score))))
                    fail_msg("%s, class %lld, row %lld: %.9g and %.9g", (*learner)->name,
                             (long long)r, (long long)i, score, alone[i]);
            }
        }
        free(scores);
        pt_dataset_free(train);
        pt_dataset_free(test);
        small_free(&s);
        small_free(&on);
    }
}

/* Sparse rows and weights: an example of weight 2 is the example twice. */
static void test_relevance__weight_two_is_the_example_twice(void **state)
{
    (void)state;
    small s = small_clouds(N, D, 3, 61);
    small once = small_clouds(N, D, 3, 61);
    once.n = N - 10;
    once.weight = calloc(N, sizeof *once.weight);
    for (int64_t i = 0; i < N; i++)
        once.weight[i] = i < 10 ? 2 : 1;
    memcpy(s.x + (N - 10) * D, s.x, 10 * D * sizeof *s.x); /* the last ten rows are the first */
    pt_labels *whole = sets_with_constants(&s, 62);
    int64_t rows[N];
    for (int64_t i = 0; i < N; i++)
        rows[i] = i < N - 10 ? i : i - (N - 10);
    pt_labels *doubled = NULL;
    pt_labels *single = NULL;
    pt_error err = PT_ERROR_INIT;
    small_must(pt_labels_subset(&doubled, whole, rows, N, &err), &err, "labels");
    small_must(pt_labels_subset(&single, whole, rows, N - 10, &err), &err, "labels");
    pt_labels_free(whole);
    pt_dataset *a = other_dataset(&s, doubled, true);
    pt_dataset *b = other_dataset(&once, single, true);
    static const char *const how[] = {
        "machine=relevance,learner=ls,kernel=rbf,sigma=1,ridge=0.2,precision=double",
        "machine=relevance,learner=logistic,eps=1e-10,precision=double",
        "machine=relevance,learner=svm,kernel=linear,eps=1e-12,precision=double",
    };
    for (int h = 0; h < 3; h++) {
        double *x = small_scores(a, how[h], a);
        double *y = small_scores(b, how[h], a);
        const double distance = small_distance(x, y, N * CLASSES);
        if (!(distance < 1e-6))
            fail_msg("%s: %g apart", how[h], distance);
        free(x), free(y);
    }
    pt_dataset_free(a);
    pt_dataset_free(b);
    small_free(&s);
    small_free(&once);
}

/* All sets empty, all full, or all the same: nothing is learned, and every learner says so. */
static void test_relevance__nothing_to_learn(void **state)
{
    (void)state;
    small s = small_clouds(12, D, 2, 71);
    for (int which = 0; which < 3; which++) {
        static other_items o;
        memset(&o, 0, sizeof o);
        for (int64_t i = 0; i < s.n; i++) {
            for (int64_t r = 0; r < 3; r++)
                if (which == 1 || (which == 2 && r == 1))
                    other_put(&o, r, 0);
            other_end(&o);
        }
        pt_dataset *data = other_dataset(&s, other_labels(&o, PT_LABEL_SET, 3), false);
        for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++) {
            char options[100];
            snprintf(options, sizeof options, "machine=relevance,learner=%s", (*learner)->name);
            double *scores = small_scores(data, options, data);
            for (int64_t i = 0; i < s.n * 3; i++)
                assert_true(scores[i] == (which == 1 || (which == 2 && i % 3 == 1) ? 1 : -1));
            free(scores);
        }
        pt_dataset_free(data);
    }
    small_free(&s);
}

/* Few distinct sets of many classes: fewer groups than columns. */
static void test_relevance__few_sets_of_many_classes(void **state)
{
    (void)state;
    enum { MANY = 30 };
    small s = small_clouds(40, D, 2, 81);
    static other_items o;
    memset(&o, 0, sizeof o);
    for (int64_t i = 0; i < s.n; i++) {
        for (int64_t r = 0; r < MANY; r++)
            if ((s.y[i] == 0) == (r % 2 == 0))
                other_put(&o, r, 0);
        other_end(&o);
    }
    pt_dataset *data = other_dataset(&s, other_labels(&o, PT_LABEL_SET, MANY), false);
    const char *options = "machine=relevance,learner=ls,kernel=rbf,sigma=1,ridge=0.1";
    pt_model *model = small_train(data, options, 1);
    pt_model *loaded = NULL;
    pt_error err = PT_ERROR_INIT;
    small_must(pt_model_save(model, "test_relevance.model", &err), &err, "save");
    small_must(pt_model_load(&loaded, "test_relevance.model", NULL, &err), &err, "load");
    pt_prediction *a = small_predict(model, data, 1);
    pt_prediction *b = small_predict(loaded, data, 2);
    assert_true(memcmp(pt_prediction_scores(a), pt_prediction_scores(b),
                       (size_t)(s.n * MANY) * sizeof(double)) == 0);
    for (int64_t i = 0; i < s.n; i++) /* classes that are always together have the same score */
        for (int64_t r = 2; r < MANY; r++)
            assert_true(fabs(pt_prediction_scores(a)[i * MANY + r] -
                             pt_prediction_scores(a)[i * MANY + r % 2]) < 1e-5);
    pt_prediction_free(a);
    pt_prediction_free(b);
    pt_model_free(model);
    pt_model_free(loaded);
    remove("test_relevance.model");
    pt_dataset_free(data);
    small_free(&s);
}

static void test_relevance__held_out_scores_equal_training_again(void **state)
{
    (void)state;
    small s = small_clouds(N, D, 3, 91);
    pt_labels *labels = sets_with_constants(&s, 92);
    static other_items o; /* class 2 is in one set only: constant where that is held out */
    memset(&o, 0, sizeof o);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t r = 0; r < CLASSES; r++)
            if (other_has(labels, i, r) || (r == NOBODY && i == 17))
                other_put(&o, r, 0);
        other_end(&o);
    }
    pt_labels_free(labels);
    pt_dataset *data = other_dataset(&s, other_labels(&o, PT_LABEL_SET, CLASSES), false);
    static const char *const how[] = {
        "machine=relevance,learner=ls,precision=double,kernel=rbf,sigma=1,ridge=0.2",
        "machine=relevance,learner=ls,precision=double,kernel=linear,ridge=0.2",
        "machine=relevance,learner=ls,precision=double", /* chosen */
    };
    for (int h = 0; h < 3; h++) {
        expect_held_out(data, how[h], 7, 1e-8);
        expect_held_out(data, how[h], N, 1e-8);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* A class is the set of that class: one-vs-all. */
static void test_relevance__of_classes_is_one_vs_all(void **state)
{
    (void)state;
    small s = small_clouds(60, D, 3, 95);
    pt_dataset *data = small_dataset(&s);
    double *a = small_scores(data,
                             "machine=relevance,learner=svm,kernel=rbf,sigma=1,eps=1e-10,"
                             "precision=double,calibrate=no",
                             data);
    double *b = small_scores(data,
                             "machine=code,code=ova,decode=inner,learner=svm,kernel=rbf,sigma=1,"
                             "eps=1e-10,precision=double,calibrate=no",
                             data);
    for (int64_t i = 0; i < 60 * 3; i++) /* M_r . f = 2 f_r - sum f, of which the sum is left out */
        assert_true(fabs(2 * a[i] - b[i]) < 1e-6);
    free(a), free(b);
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relevance__equals_separate_trainings),
        cmocka_unit_test(test_relevance__weight_two_is_the_example_twice),
        cmocka_unit_test(test_relevance__nothing_to_learn),
        cmocka_unit_test(test_relevance__few_sets_of_many_classes),
        cmocka_unit_test(test_relevance__held_out_scores_equal_training_again),
        cmocka_unit_test(test_relevance__of_classes_is_one_vs_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
