/* Held-out scores by time from ways that know folds alone. */
#ifndef PT_VALIDATE_PAST_H
#define PT_VALIDATE_PAST_H

#include "machine/machine.h"

/* Held-out scores of `n` points from the first on, by a way of its own: as `holdout` of a machine,
 * or as its guide. */
typedef pt_status (*pt_past_fn)(void *how, const pt_problem *problem, int64_t first, int64_t n,
                                const pt_partitions *partitions, pt_holdout_fn take, void *context,
                                const pt_task *task, pt_error *err);

typedef struct pt_past {
    const pt_problem *problem;
    const pt_partitions *partitions; /* whose folds are in the order of time */
    int64_t n_points;
    bool square; /* the rows are those of a precomputed kernel */
    bool given;  /* scores are probabilities */
    pt_past_fn run;
    void *how;
} pt_past;

/* Hands over the scores of each fold by a machine that was trained on what is before it. */
pt_status pt_past_validate(const pt_past *asked, pt_holdout_fn take, void *context,
                           const pt_task *task, pt_error *err);

#endif
