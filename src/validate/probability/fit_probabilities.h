/* Probabilities of a machine, fitted to scores of rows that machines like it have not seen. */
#ifndef PT_VALIDATE_PROBABILITY_FIT_PROBABILITIES_H
#define PT_VALIDATE_PROBABILITY_FIT_PROBABILITIES_H

#include "machine/training.h"
#include "metrics/reliability.h"
#include "validate/probability/conformity.h"
#include "validate/probability/probability.h"

/* How true probabilities are on rows that the machine had not seen. */
typedef struct pt_held_out {
    int64_t rows;      /* 0: there were none */
    char how[32];      /* "leave-one-out", "5 folds", "1 of 10 folds" */
    double wrong;      /* the share of these rows that was predicted wrongly */
    pt_estimate error; /* of calibration */
    pt_estimate log_loss;
    pt_estimate brier;
} pt_held_out;

/* Zero-initialise; free it always. */
typedef struct pt_probabilities {
    pt_calibration calibration;
    double *class_rows;   /* k: effective rows of each class; NULL: labels are no classes */
    double *thresholds;   /* k, of sets: to be taken off scores, the calibration's too; NULL: 0 */
    pt_held_out held_out; /* what it was fitted to, and how true they are there */
    bool for_decisions;   /* asks for conformity: a model does, a search has no use for it */
    pt_conformity conformity;
} pt_probabilities;

/* Refuses `thresholds` that there are no held-out scores for. */
pt_status pt_thresholds_check(const pt_training *t, pt_error *err);
/* Refuses all but 0: for `what` judges scores above 0. */
pt_status pt_thresholds_refuse(const pt_params *params, const char *what, pt_error *err);

/* Whether there is anything to fit: labels and --calibrate ask for it. */
bool pt_probabilities_are_fitted(const pt_training *t);

/* Of the machine that the training makes; its parameters are resolved. Adds to the warnings where
 * there are no held-out scores. */
pt_status pt_probabilities_fit(pt_probabilities *out, const pt_training *t, pt_warnings *warnings,
                               const pt_task *task, pt_error *err);
/* The same of a machine that was fitted, by the rows that validate (t->valid). */
pt_status pt_probabilities_fit_valid(pt_probabilities *out, const pt_training *t,
                                     const pt_machine *machine, const pt_task *task, pt_error *err);
void pt_probabilities_free(pt_probabilities *probabilities);

/* scores (k) of a row <- logarithms of its probabilities; of sets, of the odds of each class. work:
 * k. The order of classes, and what is in the set, stay. */
void pt_probabilities_log(const pt_probabilities *probabilities, double *scores, int64_t k,
                          double *work);

#endif
