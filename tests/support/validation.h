/* Held-out scores of the points of a problem, in the machine's own way or by training. */
#ifndef PT_TESTS_VALIDATION_H
#define PT_TESTS_VALIDATION_H

#include "validate/folds.h"
#include "validate/validate.h"

static inline pt_status held_out_scores(const pt_machine_ops *ops, const pt_problem *problem,
                                        const pt_params *const *points, int64_t n_points,
                                        const pt_partitions *partitions, pt_holdout_fn take,
                                        void *context, const pt_task *task, pt_error *err)
{
    const pt_validation asked = {.ops = ops,
                                 .problem = problem,
                                 .points = points,
                                 .n_points = n_points,
                                 .partitions = partitions,
                                 .take = take,
                                 .context = context};
    return pt_validate(&asked, task, err);
}

static inline pt_status held_out_by_training(const pt_machine_ops *ops, const pt_problem *problem,
                                             const pt_params *const *points, int64_t n_points,
                                             const pt_partitions *partitions, pt_holdout_fn take,
                                             void *context, const pt_task *task, pt_error *err)
{
    const pt_validation asked = {.ops = ops,
                                 .problem = problem,
                                 .points = points,
                                 .n_points = n_points,
                                 .partitions = partitions,
                                 .take = take,
                                 .context = context};
    return pt_validate_by_training(&asked, task, err);
}

#endif
