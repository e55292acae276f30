/* The calibration that fits held-out scores. */
#ifndef PT_VALIDATE_PROBABILITY_CALIBRATE_H
#define PT_VALIDATE_PROBABILITY_CALIBRATE_H

#include "base/error.h"
#include "base/task.h"
#include "data/labels/labels.h"
#include "validate/probability/probability.h"

/* Scores of rows by machines that have not seen them. */
typedef struct pt_held_out_scores {
    const double *scores;     /* n x k row-major */
    const int64_t *class_of;  /* n; NULL: labels are sets */
    const pt_labels *sets;    /* n, where they are */
    const double *weight;     /* n, or NULL: all 1 */
    const double *class_rows; /* k: rows of training of each; NULL: unknown */
    int64_t n;
    int64_t k;
    bool given; /* the scores are probabilities */
} pt_held_out_scores;

/* Leaves *out as it is where the scores of no row differ. Time: some hundred passes over them.
 */
pt_status pt_calibrate(pt_calibration *out, const pt_held_out_scores *held_out, pt_error *err);

/* Of classes: own[f] <- the calibration without the rows f, f + n_folds, ...; `whole` is of all
 * rows. Free them all, after a failure, too. Time: of each as much, of many rows a third. */
pt_status pt_calibrate_folds(pt_calibration *own, int64_t n_folds, const pt_calibration *whole,
                             const pt_held_out_scores *held_out, const pt_task *task,
                             pt_error *err);

/* How many rows weights stand for: their sum where all are whole numbers, which count equal rows;
 * of other weights, whose unit says nothing, (sum w)^2 / sum w^2 (Kish). */
double pt_effective_rows(const double *weight, int64_t n);

#endif
