/* Held-out scores of any machine: closed form where it has one, else by training again. */
#ifndef PT_VALIDATE_HOLDOUT_H
#define PT_VALIDATE_HOLDOUT_H

#include "data/dataset.h"
#include "machine/machine.h"

/* Hands over the scores of every point and partition (pt_holdout_fn): in closed form at the points
 * that have one, by brute force at the others. A class all of whose rows are in the fold of a row
 * has the lowest score there. */
pt_status pt_holdout_scores(const pt_machine_ops *ops, const pt_problem *problem,
                            const pt_params *const *points, int64_t n_points,
                            const pt_partitions *partitions, pt_holdout_fn take, void *context,
                            const pt_task *task, pt_error *err);

/* How pt_holdout_scores computes them: "closed form", "brute force", what the machine calls its own
 * way, or how many of each. */
void pt_holdout_method(char *text, size_t size, const pt_machine_ops *ops,
                       const pt_problem *problem, const pt_params *const *points, int64_t n_points);

/* Whether this point costs no more than training it once. */
bool pt_holdout_is_closed_form(const pt_machine_ops *ops, const pt_problem *problem,
                               const pt_params *point);

/* The same by brute force, whatever the machine has: in parallel over points, partitions and folds,
 * on as many workers as the memory of the task allows. */
pt_status pt_holdout_brute_force(const pt_machine_ops *ops, const pt_problem *problem,
                                 const pt_params *const *points, int64_t n_points,
                                 const pt_partitions *partitions, pt_holdout_fn take, void *context,
                                 const pt_task *task, pt_error *err);

/* By brute force with a preparation (levels, missing values, scaling) that is fitted anew on the
 * training rows of every fold. `data` are the rows of `problem` before they were prepared. */
pt_status pt_holdout_per_fold(const pt_machine_ops *ops, const pt_problem *problem,
                              const pt_dataset *data, const pt_params *const *points,
                              int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                              void *context, const pt_task *task, pt_error *err);

/* As pt_holdout_per_fold (data NULL: rows are prepared already), with the logarithms of calibrated
 * probabilities in place of scores; of sets, of the odds of each class. What is held out takes no
 * part in the calibration. row_weight: n, or NULL, as in pt_training. */
pt_status pt_holdout_probabilities(const pt_machine_ops *ops, const pt_problem *problem,
                                   const double *row_weight, const pt_dataset *data,
                                   const pt_params *const *points, int64_t n_points,
                                   const pt_partitions *partitions, pt_holdout_fn take,
                                   void *context, const pt_task *task, pt_error *err);

/* A class that none of the labels has comes last in all n rows of scores (n x k) by a machine that
 * was trained on them. given: scores are probabilities. */
pt_status pt_lower_unseen(double *scores, int64_t n, const pt_labels *trained_on, bool given,
                          pt_error *err);

/* Random partitions: owned folds for pt_partitions. Zero-initialise; free it always. */
typedef struct pt_fold_set {
    pt_partitions partitions;
    int64_t *fold;           /* count x n */
    const int64_t **pointer; /* count */
} pt_fold_set;

/* From the parameters folds, repeat, loo, stratify, seed. */
pt_status pt_fold_set_init(pt_fold_set *set, const pt_labels *labels, const pt_params *params,
                           pt_error *err);
void pt_fold_set_free(pt_fold_set *set);

#endif
