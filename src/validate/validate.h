/* The engine of validation: what machines say of rows that they have not seen.
 *
 * Cross-validation, automatic parameters, calibration, cross-fitting and the slope of coupling all
 * ask it; nothing else trains a machine without some of its rows. */
#ifndef PT_VALIDATE_VALIDATE_H
#define PT_VALIDATE_VALIDATE_H

#include "data/dataset.h"
#include "machine/machine.h"
#include "validate/remarks.h"

typedef enum pt_held_out_kind {
    PT_SCORES,       /* of classes; one that the machine has not seen has the lowest */
    PT_OUTPUTS,      /* of the columns of a code, before decoding */
    PT_PROBABILITIES /* their logarithms, calibrated on the training rows of the fold alone; of
                        sets, of the odds of each class */
} pt_held_out_kind;

typedef struct pt_validation {
    const pt_machine_ops *ops;
    const pt_problem *problem;
    const pt_params *const *points; /* resolved */
    int64_t n_points;
    const pt_partitions *partitions;
    pt_holdout_fn take; /* gets what is held out, for every point and partition */
    void *context;

    pt_held_out_kind what;
    int64_t n_outputs;        /* of PT_OUTPUTS: how many columns there are */
    const pt_dataset *data;   /* the rows before they were prepared: each fold has a preparation of
                                 its own (levels, missing values, scaling); NULL: they stay */
    const double *row_weight; /* of PT_PROBABILITIES: n, or NULL, as in pt_training */
    bool one_at_a_time;       /* a machine has all threads for itself */
    const char *stage;        /* what progress calls it; NULL: "cross-validating" */
    pt_remarks *remarks;      /* gets what trained machines warn of; NULL: it is lost */
    /* A race, in one partition, for the least loss (metrics/label_judge.h), summed over all rows:
     * a point that has more than `least` after some of its folds cannot win, and what is trained
     * leaves it, with NULL for its scores. `least` is that of a point which is known already, or
     * INFINITY. */
    bool race;
    double least;
} pt_validation;

/* Scores in closed form, or in the machine's own way, at the points that have one; all else by
 * training. */
pt_status pt_validate(const pt_validation *asked, const pt_task *task, pt_error *err);

/* By training without each fold, whatever the machine has: in parallel over points, partitions and
 * folds, on as many workers as the memory of the task allows. */
pt_status pt_validate_by_training(const pt_validation *asked, const pt_task *task, pt_error *err);

/* How pt_validate computes scores: "closed form", "brute force", what the machine calls its own
 * way, or how many of each. */
void pt_holdout_method(char *text, size_t size, const pt_machine_ops *ops,
                       const pt_problem *problem, const pt_params *const *points, int64_t n_points);

/* Whether this point costs no more than training it once. */
bool pt_holdout_is_closed_form(const pt_machine_ops *ops, const pt_problem *problem,
                               const pt_params *point);

/* A class that none of the labels has comes last in all n rows of scores (n x k) by a machine that
 * was trained on them. given: scores are probabilities. */
pt_status pt_lower_unseen(double *scores, int64_t n, const pt_labels *trained_on, bool given,
                          pt_error *err);

/* Held-out scores of some points of a search, under the numbers they have in the whole. */
typedef struct pt_point_numbers {
    pt_holdout_fn take;
    void *context;
    int64_t first;         /* the number of point 0 where they follow one another */
    const int64_t *number; /* or the number of each; NULL: first, first + 1, ... */
} pt_point_numbers;

/* A pt_holdout_fn; its context is a pt_point_numbers. */
pt_status pt_take_numbered(void *context, int64_t point, int64_t partition, const double *scores,
                           pt_error *err);

#endif
