/* Closed-form held-out scores against training without each fold, for labels of any kind. Include
 * after cmocka.h. */
#ifndef PT_TESTS_HELD_OUT_LABELS_H
#define PT_TESTS_HELD_OUT_LABELS_H

#include "machine/subproblem.h"
#include "machine/training.h"
#include "other_labels.h"
#include "validate/auto.h"

/* Scores (n x k) of each row by a machine trained without its fold. */
static inline double *held_out_slowly(const pt_training *t, const int64_t *fold, int64_t n_folds)
{
    const int64_t n = t->problem.rows.n;
    const int64_t k = pt_labels_n_classes(t->problem.labels);
    double *scores = calloc((size_t)(n * k), sizeof *scores);
    pt_error err = PT_ERROR_INIT;
    for (int64_t f = 0; f < n_folds; f++) {
        pt_fold_problem part = {0};
        pt_machine *machine = NULL;
        pt_warnings warnings = {0};
        small_must(pt_fold_problem_init(&part, &t->problem, fold, f, false, false, NULL, &err),
                   &err, "fold");
        small_must(
            pt_machine_fit(&machine, t->ops, &part.train.problem, t->params, NULL, &warnings, &err),
            &err, "fit");
        double *own = calloc((size_t)(part.n_held * k + 1), sizeof *own);
        small_must(t->ops->scores(machine, &part.held_out.rows, own, NULL, &err), &err, "scores");
        for (int64_t i = 0; i < part.n_held; i++)
            memcpy(scores + part.rows[i] * k, own + i * k, (size_t)k * sizeof *own);
        free(own);
        pt_machine_free(machine);
        pt_warnings_free(&warnings);
        pt_fold_problem_free(&part);
    }
    return scores;
}

/* Both ways, for some folds in several partitions, and for leave-one-out. */
static inline void expect_held_out(const pt_dataset *data, const char *options, int64_t n_folds,
                                   double tolerance)
{
    pt_error err = PT_ERROR_INIT;
    pt_training t = {0};
    pt_params *params = small_params(options);
    small_must(pt_training_init(&t, data, params, NULL, &err), &err, options);
    small_must(pt_training_resolve(&t, NULL, &err), &err, options);
    const int64_t n = t.problem.rows.n;
    const int64_t k = pt_labels_n_classes(t.problem.labels);
    int64_t *fold = calloc((size_t)n, sizeof *fold);
    for (int64_t i = 0; i < n; i++)
        fold[i] = n_folds == n ? i : i * 7 % n_folds;
    const int64_t *folds[1] = {fold};
    const pt_partitions partitions = {1, n_folds, folds, false};
    other_taken taken = {calloc((size_t)(n * k), sizeof(double)), n * k};
    const pt_params *points[1] = {t.params};
    small_must(t.ops->holdout(&t.problem, points, 1, &partitions, other_take, &taken, NULL, &err),
               &err, options);
    double *slow = held_out_slowly(&t, fold, n_folds);
    const double distance = small_distance(taken.scores, slow, n * k);
    if (!(distance <= tolerance))
        fail_msg("%s, %lld folds: %g apart", options, (long long)n_folds, distance);
    free(slow);
    free(taken.scores);
    free(fold);
    pt_params_free(params);
    pt_training_free(&t);
}

#endif
