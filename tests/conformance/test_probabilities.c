/* What the probabilities of every machine, learner and decoder keep: the prediction is the first
 * class of largest probability, ties included; nothing is certain; they add up to 1. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/random.h"
#include "decoders/decoder.h"
#include "learners/learner.h"
#include "machine/machine.h"
#include "model/model.h"

/* ---- the form -------------------------------------------------------------------------------- */

/* Scores with many ties, some of them broken by the last bit, some far apart. */
static double hard_score(pt_random *random)
{
    const double few = (double)pt_random_below(random, 3);
    switch (pt_random_below(random, 5)) {
    case 0:
        return few;
    case 1:
        return nextafter(few, 5);
    case 2:
        return nextafter(few, -5);
    case 3:
        return 1e12 * pt_random_normal(random);
    default:
        return 1e-12 * pt_random_normal(random);
    }
}

static void expect_probabilities(const double *scores, const double *p, int64_t k, bool certain,
                                 const char *what)
{
    double sum = 0;
    for (int64_t r = 0; r < k; r++) {
        sum += p[r];
        if (certain ? !(p[r] >= 0 && p[r] <= 1) : !(p[r] > 0 && p[r] < 1))
            fail_msg("%s: probability %.17g", what, p[r]);
    }
    if (fabs(sum - 1) > 1e-12)
        fail_msg("%s: probabilities add up to %.17g", what, sum);
    if (pt_first_largest(p, k) != pt_first_largest(scores, k))
        fail_msg("%s: the prediction is not the class of largest probability", what);
}

static void test_probabilities__of_any_scores_keep_the_first_largest(void **state)
{
    (void)state;
    pt_random random;
    pt_random_init(&random, 11, PT_RANDOM_TEST, 0);
    for (int round = 0; round < 20000; round++) {
        double scores[8];
        double p[8];
        const int64_t k = 2 + pt_random_below(&random, 7);
        const bool given = round % 3 == 0;
        double sum = 0;
        for (int64_t r = 0; r < k; r++) {
            scores[r] = hard_score(&random);
            if (given) /* tiny ones and zeros among them */
                sum += scores[r] = exp(fmin(fabs(scores[r]), 700) - 700);
        }
        for (int64_t r = 0; r < k && given; r++)
            scores[r] /= sum;
        const double share = round % 2 ? pt_random_uniform(&random) / 2 : 0;
        const double floor_share = round % 2 ? share : 1e-9;
        const bool whole = round % 13 == 0; /* nothing is left to the scores */
        const double mixing = whole ? 1 - floor_share : share;
        pt_said said[8];
        for (int64_t r = 0; r < k; r++)
            said[r] = (pt_said){exp(pt_random_normal(&random)),
                                whole ? mixing : share * pt_random_uniform(&random)};
        const pt_calibration c = {exp(8 * pt_random_normal(&random)),
                                  round % 5 ? exp(pt_random_normal(&random)) : 1,
                                  round % 7 ? pt_random_uniform(&random) : 0,
                                  mixing,
                                  floor_share,
                                  given,
                                  round % 11 < 6 ? said : NULL};
        double rows[8];
        for (int64_t r = 0; r < k; r++)
            rows[r] = (double)pt_random_below(&random, round % 4 ? 1000 : 2);
        pt_class_probabilities(&c, rows, scores, k, p);
        expect_probabilities(scores, p, k, false, "any scores");
    }
}

/* ---- every machine --------------------------------------------------------------------------- */

/* Few values in few columns: rows that are equal with different labels, votes that are equal. */
static small tied_problem(int64_t n, uint64_t seed)
{
    small s = small_clouds(n, 2, 4, seed);
    for (int64_t c = 0; c < 2 * n; c++)
        s.x[c] = floor(s.x[c]);
    return s;
}

static void expect_of(const char *options, const pt_dataset *data, const pt_dataset *on)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    const pt_status status = small_try_train(&model, data, options, 1, &err);
    if (status == PT_EINVAL || status == PT_ENOSUPPORT)
        return; /* parts that do not go together */
    small_must(status, &err, options);
    small_must(pt_model_predict(&prediction, model, on, -1, NULL, &err), &err, options);
    const int64_t n = pt_prediction_n_examples(prediction);
    const int64_t k = pt_model_n_classes(model);
    double *p = calloc((size_t)(n * k), sizeof *p);
    small_must(pt_prediction_proba(prediction, p, &err), &err, options);
    for (int64_t i = 0; i < n; i++) {
        const double *scores = pt_prediction_scores(prediction) + i * k;
        expect_probabilities(scores, p + i * k, k, false, options);
        assert_int_equal(pt_first_largest(p + i * k, k), pt_prediction_labels(prediction)[i]);
    }
    free(p);
    pt_prediction_free(prediction);
    pt_model_free(model);
}

static void test_probabilities__of_every_machine(void **state)
{
    (void)state;
    small s = tied_problem(70, 5);
    small other = tied_problem(200, 6);
    pt_dataset *data = small_dataset(&s);
    pt_dataset *on = small_dataset(&other);
    for (int calibrated = 0; calibrated < 2; calibrated++) {
        const char *flag = calibrated ? "yes" : "no";
        char options[200];
        for (int m = 0; pt_machines[m]; m++) {
            snprintf(options, sizeof options, "machine=%s,calibrate=%s", pt_machines[m]->name,
                     flag);
            expect_of(options, data, on);
        }
        for (int d = 0; pt_decoders[d]; d++) {
            snprintf(options, sizeof options, "learner=svm,decode=%s,calibrate=%s",
                     pt_decoders[d]->name, flag);
            expect_of(options, data, on);
            snprintf(options, sizeof options, "learner=adaboost,code=ova,decode=%s,calibrate=%s",
                     pt_decoders[d]->name, flag);
            expect_of(options, data, on);
        }
        for (int l = 0; pt_learners[l]; l++) {
            snprintf(options, sizeof options, "learner=%s,code=dense,calibrate=%s",
                     pt_learners[l]->name, flag);
            expect_of(options, data, on);
        }
    }
    pt_dataset_free(data);
    pt_dataset_free(on);
    small_free(&s);
    small_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probabilities__of_any_scores_keep_the_first_largest),
        cmocka_unit_test(test_probabilities__of_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
