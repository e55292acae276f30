/* A machine trained on one data set, its parameters chosen there, and asked about another. */
#ifndef PT_SELECT_TRIAL_H
#define PT_SELECT_TRIAL_H

#include "metrics/label_metrics.h"
#include "polytomy/polytomy.h"
#include "report/report.h"
#include "select/checkpoint.h"

/* What a trial says of one row. */
typedef enum pt_verdict { PT_WRONG = 0, PT_RIGHT = 1, PT_UNLABELLED = 2 } pt_verdict;

typedef struct pt_trial {
    const pt_dataset *train;
    const pt_dataset *test;
    const pt_params *params;
    pt_metric metric; /* of `loss`: log loss or Brier score; of `scores`: any */
    /* The search keeps its results in this list of a checkpoint; NULL: nowhere. */
    pt_checkpoint *checkpoint;
    const char *name;

    unsigned char *verdict; /* gets a pt_verdict of each row of `test` */
    /* Gets the loss of each, by probabilities that are calibrated on `train`: NaN where there is no
     * label, or one that `train` has not. NULL: not asked. */
    double *loss;
    /* Gets scores of each row for these classes, -INFINITY for those that `train` has not; where
     * `metric` is one of probabilities, their logarithms, calibrated as for `loss`, and at the
     * floor of these for those. NULL: not asked. */
    double *scores;
    const pt_texts *classes;
    char **chosen;         /* gets "ridge=0.5,sigma=2" or "", to be freed with pt_free */
    pt_warnings *warnings; /* gets remarks, beside those of what was there; NULL: dropped */
    pt_warnings *trained;  /* gets what the training of the machine alone warns of; NULL: dropped */
} pt_trial;

/* Chooses on `train` alone, by cross-validation over the grid of the parameters or automatically
 * without one, trains on all of `train` and asks about `test`. */
pt_status pt_trial_run(const pt_trial *trial, const pt_task *task, pt_error *err);

/* Refuses machines of which one cannot be told from none, data without labels, and a metric that
 * no machine chooses by. *metric <- what they are compared by: log loss or Brier score where the
 * parameter asks for it, else the error. */
pt_status pt_trial_check(pt_metric *metric, const pt_dataset *data,
                         const pt_params *const *machines, int64_t n_machines, pt_error *err);

/* McNemar's test (mcnemar.c): pt_compare with a test set. */
pt_status pt_compare_on(pt_report **out, const pt_dataset *data, const pt_dataset *test,
                        const pt_params *const *params, int64_t n, pt_task *task, pt_error *err);

/* The pairs of machines that are compared: "pair_first" and "pair_second" over "pair". */
pt_status pt_report_add_pairs(pt_report *report, int64_t n_machines, pt_error *err);

#endif
