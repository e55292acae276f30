/* Exact held-out outputs of vo-LSSVM without training again. */
#ifndef PT_MACHINES_SQUARES_VO_HOLDOUT_H
#define PT_MACHINES_SQUARES_VO_HOLDOUT_H

#include "machines/squares/vo_solve.h"
#include "validate/squares/ls_holdout.h"

/* One point of a grid: `params` name its label space. */
typedef struct pt_vo_point {
    pt_ls_point ls;
    pt_bias_rule rule; /* none or penalised */
    const pt_params *params;
} pt_vo_point;

/* Hands over the held-out class outputs of every point and partition (pt_holdout_fn), n x k. The
 * label space is that of all rows: it must not depend on them (pt_label_space_is_fixed), or only as
 * a guide. Points for which float32 is too coarse run in double. */
pt_status pt_vo_holdout(const pt_problem *problem, const pt_vo_point *points, int64_t n_points,
                        const pt_partitions *partitions, pt_holdout_fn take, void *context,
                        const pt_task *task, pt_error *err);

#endif
