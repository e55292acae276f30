/* What must hold for the predictions of every machine. Include after cmocka.h. */
#ifndef PT_TESTS_PREDICTIONS_H
#define PT_TESTS_PREDICTIONS_H

#include <math.h>
#include <unistd.h>

#include "model/model.h"
#include "small_problem.h"

static inline void expect_sound(const pt_prediction *prediction, int64_t n, int64_t k,
                                const char *what)
{
    pt_error err = PT_ERROR_INIT;
    const double *scores = pt_prediction_scores(prediction);
    const int64_t *labels = pt_prediction_labels(prediction);
    double *proba = calloc((size_t)(n * k), sizeof *proba);
    assert_int_equal(pt_prediction_n_examples(prediction), n);
    small_must(pt_prediction_proba(prediction, proba, &err), &err, what);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t r = 0; r < k; r++) {
            if (!isfinite(scores[i * k + r]))
                fail_msg("%s: score of example %lld is %g", what, (long long)i, scores[i * k + r]);
            assert_true(proba[i * k + r] >= 0 && proba[i * k + r] <= 1);
            sum += proba[i * k + r];
        }
        assert_true(fabs(sum - 1) < 1e-9);
        const int64_t best = small_argmax(scores + i * k, k);
        assert_int_equal(labels[i], best);
        /* Scores that differ in their last bits may give equal probabilities, never another order.
         */
        assert_true(proba[i * k + best] == proba[i * k + small_argmax(proba + i * k, k)]);
    }
    free(proba);
}

static inline void expect_same_bits(const pt_prediction *a, const pt_prediction *b, int64_t n,
                                    int64_t k, const char *what)
{
    const size_t bytes = (size_t)(n * k) * sizeof(double);
    if (memcmp(pt_prediction_scores(a), pt_prediction_scores(b), bytes) != 0)
        fail_msg("%s: scores differ by %g", what,
                 small_distance(pt_prediction_scores(a), pt_prediction_scores(b), n * k));
}

/* One thread, two threads and the file agree in every bit. */
static inline void expect_repeatable(const pt_dataset *train, const pt_dataset *test, int64_t n,
                                     int64_t k, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    char path[] = "/tmp/polytomy_repeat_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);

    pt_model *one = small_train(train, text, 1);
    pt_model *two = small_train(train, text, 2);
    pt_prediction *a = small_predict(one, test, 1);
    pt_prediction *b = small_predict(two, test, 2);
    expect_sound(a, n, k, text);
    expect_same_bits(a, b, n, k, text);

    pt_model *loaded = NULL;
    small_must(pt_model_save(one, path, &err), &err, text);
    small_must(pt_model_load(&loaded, path, NULL, &err), &err, text);
    pt_prediction *c = small_predict(loaded, test, 2);
    expect_same_bits(a, c, n, k, text);
    assert_int_equal(pt_model_n_classes(loaded), k);
    for (int64_t r = 0; r < k; r++)
        assert_string_equal(pt_model_class_name(loaded, r), pt_model_class_name(one, r));
    assert_string_equal(pt_model_metadata(loaded), pt_model_metadata(one));

    pt_prediction_free(a);
    pt_prediction_free(b);
    pt_prediction_free(c);
    pt_model_free(one);
    pt_model_free(two);
    pt_model_free(loaded);
    unlink(path);
}

#endif
