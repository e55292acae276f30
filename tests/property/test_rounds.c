/* labels: threads */
/* Learners that work by rounds: what a model says after t of them is what it said then. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/predictions.h"
#include "../support/small_problem.h"
#include "learners/learner.h"
#include "model/model.h"
#include "polytomy/experimental.h"

enum { D = 3, K = 4, T = 9 };

static const char *const CODES[] = {"code=ova", "code=ovo", "code=dense,draws=20"};

typedef struct options {
    char text[300];
} options;

static options options_for(const pt_learner_ops *learner, int code, bool single, int64_t rounds)
{
    options o;
    snprintf(o.text, sizeof o.text, "%s,learner=%s,rounds=%lld,single-call=%s", CODES[code],
             learner->name, (long long)rounds, single ? "yes" : "no");
    return o;
}

static pt_prediction *predict_rounds(const pt_model *model, const pt_dataset *data, int64_t rounds)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *prediction = NULL;
    pt_task *task = small_task(2);
    small_must(pt_model_predict(&prediction, model, data, rounds, task, &err), &err,
               "prediction after some rounds");
    pt_task_free(task);
    return prediction;
}

/* Calls check(model, learner, options, data) for every learner with rounds, under codes. */
typedef void (*check_fn)(const pt_model *model, const pt_learner_ops *learner, int code,
                         bool single, const pt_dataset *train, const pt_dataset *test);

static void for_all(check_fn check)
{
    small s = small_clouds(60, D, K, 1);
    small on = small_clouds(37, D, K, 2);
    pt_dataset *train = small_dataset(&s);
    pt_dataset *test = small_dataset(&on);
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        for (int q = 0; q < 6 && (*learner)->rounds; q++) {
            const options o = options_for(*learner, q / 2, q % 2, T);
            pt_model *model = small_train(train, o.text, 2);
            check(model, *learner, q / 2, q % 2, train, test);
            pt_model_free(model);
        }
    pt_dataset_free(train);
    pt_dataset_free(test);
    small_free(&s);
    small_free(&on);
}

static void expect_all_rounds(const pt_model *model, const pt_learner_ops *learner, int code,
                              bool single, const pt_dataset *train, const pt_dataset *test)
{
    (void)code;
    (void)single;
    (void)train;
    const int64_t n = pt_dataset_n_examples(test);
    const int64_t rounds = pt_model_rounds(model);
    assert_true(rounds >= 1 && rounds <= T);
    pt_prediction *all = small_predict(model, test, 1);
    pt_prediction *last = predict_rounds(model, test, rounds);
    expect_same_bits(all, last, n, K, learner->name);
    expect_sound(last, n, K, learner->name);
    pt_prediction *none = predict_rounds(model, test, 0);
    expect_sound(none, n, K, learner->name);
    pt_prediction_free(none);
    pt_prediction_free(last);
    pt_prediction_free(all);
}

static void test_rounds__all_of_them_are_the_model(void **state)
{
    (void)state;
    for_all(expect_all_rounds);
}

/* A round of boosting does not know how many will follow; BrownBoost's clock may. */
static void expect_as_trained_so(const pt_model *model, const pt_learner_ops *learner, int code,
                                 bool single, const pt_dataset *train, const pt_dataset *test)
{
    const int64_t n = pt_dataset_n_examples(test);
    if (strcmp(learner->name, "brownboost") == 0)
        return;
    for (int64_t t = 1; t <= pt_model_rounds(model); t += 3) {
        const options o = options_for(learner, code, single, t);
        pt_model *shorter = small_train(train, o.text, 1);
        pt_prediction *then = small_predict(shorter, test, 1);
        pt_prediction *after = predict_rounds(model, test, t);
        expect_same_bits(then, after, n, K, o.text);
        pt_prediction_free(after);
        pt_prediction_free(then);
        pt_model_free(shorter);
    }
}

static void test_rounds__some_are_the_model_trained_so_long(void **state)
{
    (void)state;
    for_all(expect_as_trained_so);
}

/* Errors by round are those of predictions after as many, by the loss that is decoded with. */
static void expect_errors(const pt_model *model, const pt_learner_ops *learner, int code,
                          bool single, const pt_dataset *train, const pt_dataset *test)
{
    (void)learner;
    (void)code;
    (void)single;
    (void)train;
    pt_error err = PT_ERROR_INIT;
    const int64_t most = pt_model_rounds(model);
    const int64_t rounds[] = {0, 1, most};
    const int64_t n_stages = most > 1 ? 3 : 2;
    pt_prediction *all = small_predict(model, test, 1);
    pt_report *followed = NULL;
    small_must(pt_model_evaluate(&followed, model, test, all, NULL, NULL, &err), &err,
               "evaluation");
    small_must(pt_evaluate_rounds(followed, model, test, rounds, n_stages, NULL, &err), &err,
               "stages");
    for (int64_t t = 0; t < n_stages; t++) {
        pt_prediction *after = predict_rounds(model, test, rounds[t]);
        pt_report *e = NULL;
        small_must(pt_model_evaluate(&e, model, test, after, NULL, NULL, &err), &err, "evaluation");
        assert_true(pt_report_number(e, "error") ==
                    pt_report_number_at(followed, "stage_loss_decoding_error", t, 0, 0));
        pt_report_free(e);
        pt_prediction_free(after);
    }
    pt_report_free(followed);
    pt_prediction_free(all);
}

static void test_rounds__errors_are_those_of_predictions(void **state)
{
    (void)state;
    for_all(expect_errors);
}

/* ---- margins of boosting in a single call ------------------------------------------------------
 */

/* Those of its own training rows. */
static pt_report *followed(const pt_model *model, const pt_dataset *train, int64_t rounds)
{
    pt_error err = PT_ERROR_INIT;
    pt_report *e = NULL;
    pt_prediction *all = small_predict(model, train, 1);
    small_must(pt_model_evaluate(&e, model, train, all, NULL, NULL, &err), &err, "evaluation");
    small_must(pt_evaluate_rounds(e, model, train, &rounds, 1, NULL, &err), &err, "stages");
    pt_prediction_free(all);
    return e;
}

static void expect_bounds(const pt_model *model, const pt_dataset *train, int64_t rounds,
                          const char *text, int *useful)
{
    pt_report *e = followed(model, train, rounds);
    for (double theta = -0.5; theta <= 1; theta += 0.03) {
        const double share = pt_evaluate_margin_share(e, 0, theta);
        const double theorem = pt_evaluate_margin_bound(e, 0, PT_MARGIN_THEOREM_6, theta);
        const double rows = pt_evaluate_margin_bound(e, 0, PT_MARGIN_ROWS, theta);
        if (!(share <= rows * (1 + 1e-9)) || !(fabs(rows - theorem) <= 1e-6 * theorem))
            fail_msg("%s, %lld rounds, theta %g: share %g, of the rows %g, Theorem 6 %g", text,
                     (long long)rounds, theta, share, rows, theorem);
        *useful += rows < 1 && share > 0;
    }
    assert_true(pt_evaluate_margin_share(e, 0, 1) == 1);
    assert_true(pt_evaluate_margin_share(e, 0, -1.001) == 0);
    pt_report_free(e);
}

/* Theorem 6 after any number of rounds, and the same number from the outputs themselves: so the
 * errors that machines tell are those of the weights that led to their outputs. */
static void test_margins__theorem_6_holds_and_is_what_the_outputs_say(void **state)
{
    (void)state;
    static const char *const MACHINES[] = {
        "machine=adaboost-mh", "machine=adaboost-mo,code=ova", "machine=adaboost-mo,code=dense",
        "machine=adaboost-mo,code=complete", "code=dense,learner=adaboost,single-call=yes"};
    int useful = 0;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (size_t q = 0; q < sizeof MACHINES / sizeof *MACHINES; q++) {
            char text[200];
            small s = small_clouds(80, D, K, seed);
            pt_dataset *train = small_dataset(&s);
            snprintf(text, sizeof text, "%s,boost=discrete,rounds=40,precision=double",
                     MACHINES[q]);
            pt_model *model = small_train(train, text, 2);
            for (int64_t t = 1; t <= pt_model_rounds(model); t += 7)
                expect_bounds(model, train, t, text, &useful);
            pt_model_free(model);
            pt_dataset_free(train);
            small_free(&s);
        }
    assert_true(useful > 0);
}

/* Confidence-rated hypotheses and columns boosted apart have none; codes with zeros no bound. */
static void test_margins__are_of_discrete_boosting_in_a_single_call(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool margins;
        bool bounds;
    } CASES[] = {{"machine=adaboost-mh,boost=confidence", false, false},
                 {"code=ova,learner=adaboost,boost=discrete", false, false},
                 {"machine=adaboost-mo,code=ovo,boost=discrete", true, false},
                 {"machine=adaboost-mo,code=sparse,draws=20,boost=discrete", true, false},
                 {"machine=adaboost-mo,code=ova,boost=discrete", true, true}};
    small s = small_clouds(60, D, K, 3);
    pt_dataset *train = small_dataset(&s);
    for (size_t q = 0; q < sizeof CASES / sizeof *CASES; q++) {
        pt_model *model = small_train(train, CASES[q].text, 1);
        pt_report *e = followed(model, train, pt_model_rounds(model));
        assert_int_equal(!isnan(pt_evaluate_margin_share(e, 0, 0.1)), CASES[q].margins);
        assert_int_equal(!isnan(pt_evaluate_margin_bound(e, 0, PT_MARGIN_ROWS, 0.1)),
                         CASES[q].bounds);
        assert_int_equal(!isnan(pt_evaluate_margin_bound(e, 0, PT_MARGIN_THEOREM_6, 0.1)),
                         CASES[q].bounds);
        pt_report_free(e);
        pt_model_free(model);
    }
    pt_dataset_free(train);
    small_free(&s);
}

/* Theorem 3 takes the share of the rows of training: told on those, known by their loss, and on no
 * others; not where weights or held-out rows make it another loss. */
static void test_margins__theorem_3_is_told_on_the_rows_of_training(void **state)
{
    (void)state;
    enum { MANY = 1500, CLASSES = 3 };
    static const struct {
        const char *text;
        bool weighted;
        bool told;
    } CASES[] = {{"machine=adaboost-mh", false, true},
                 {"machine=adaboost-mo,code=ovo", false, true},
                 {"machine=adaboost-mo,code=sparse,draws=20", false, true},
                 {"code=ova,learner=adaboost,single-call=yes", false, true},
                 {"machine=adaboost-mh,stop-share=0.2", false, false},
                 {"machine=adaboost-mh", true, false}};
    small s = small_clouds(MANY, D, CLASSES, 3);
    small on = small_clouds(MANY, D, CLASSES, 4);
    s.weight = calloc(MANY, sizeof *s.weight);
    for (int64_t i = 0; i < MANY; i++)
        s.weight[i] = 1 + (double)(i % 5);
    pt_dataset *weighted = small_dataset(&s);
    free(s.weight);
    s.weight = NULL;
    pt_dataset *train = small_dataset(&s);
    pt_dataset *other = small_dataset(&on);
    for (size_t q = 0; q < sizeof CASES / sizeof *CASES; q++) {
        char text[200];
        snprintf(text, sizeof text, "%s,boost=discrete,rounds=30", CASES[q].text);
        pt_model *model = small_train(CASES[q].weighted ? weighted : train, text, 1);
        for (int64_t t = 1; t <= pt_model_rounds(model); t += 4) {
            pt_report *own = followed(model, train, t);
            pt_report *new = followed(model, other, t);
            const bool told = !isnan(pt_evaluate_margin_bound(own, 0, PT_MARGIN_THEOREM_3, 0.5));
            if (told != CASES[q].told)
                fail_msg("%s, %d: Theorem 3 %s", text, (int)t, told ? "told" : "not told");
            /* stumps on the column alone leave all rows with the same loss and margin */
            if (!strstr(text, "single-call"))
                assert_true(isnan(pt_evaluate_margin_bound(new, 0, PT_MARGIN_THEOREM_3, 0.5)));
            assert_false(isnan(pt_evaluate_margin_share(new, 0, 0.5)));
            pt_report_free(own);
            pt_report_free(new);
        }
        pt_model_free(model);
    }
    pt_dataset_free(weighted);
    pt_dataset_free(train);
    pt_dataset_free(other);
    small_free(&s);
    small_free(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds__all_of_them_are_the_model),
        cmocka_unit_test(test_rounds__some_are_the_model_trained_so_long),
        cmocka_unit_test(test_rounds__errors_are_those_of_predictions),
        cmocka_unit_test(test_margins__theorem_6_holds_and_is_what_the_outputs_say),
        cmocka_unit_test(test_margins__are_of_discrete_boosting_in_a_single_call),
        cmocka_unit_test(test_margins__theorem_3_is_told_on_the_rows_of_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
