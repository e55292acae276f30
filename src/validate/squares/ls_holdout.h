/* Exact held-out outputs of regularised least squares without training again. */
#ifndef PT_VALIDATE_SQUARES_LS_HOLDOUT_H
#define PT_VALIDATE_SQUARES_LS_HOLDOUT_H

#include "machine/machine.h"
#include "solvers/squares/ls_solve.h"

/* One point of a grid. Points with the same kernel function should follow one another. */
typedef struct pt_ls_point {
    pt_kernel kernel;
    double ridge;
    bool bias;     /* the outputs have a free bias (machine_suykens.c) */
    double offset; /* vo-LSSVM: added to kernel values, for a penalised bias; else 0 */
} pt_ls_point;

/* Hands over the held-out indicator outputs of every point and partition (pt_holdout_fn). `type` is
 * that of the factors; points for which float32 is too coarse run in double. */
pt_status pt_ls_holdout(const pt_ls_problem *problem, const pt_ls_point *points, int64_t n_points,
                        pt_type type, const pt_partitions *partitions, pt_holdout_fn take,
                        void *context, const pt_task *task, pt_error *err);

/* need[i]: float32 is too coarse for point i. `base` are the base values that all points share,
 * smallest_shift the smallest 1 / weight (1 without weights). */
pt_status pt_ls_need_double(bool *need, const pt_tiles *base, const pt_ls_point *points,
                            int64_t n_points, double smallest_shift, pt_error *err);

/* Held-out outputs for the linear kernel, through the d x d system: the route for d < n. */
pt_status pt_ls_holdout_primal(const pt_ls_problem *problem, const double *ridges, int64_t n_points,
                               const pt_partitions *partitions, pt_holdout_fn take, void *context,
                               const pt_task *task, pt_error *err);

/* What held-out scores of kernel machines share. The base values of all rows, refused at once where
 * they and one more matrix of their size, to work in, are too much for the budget (bytes). */
pt_status pt_ls_base_tiles(pt_tiles **out, const pt_rows *rows, pt_kernel_base base, pt_type type,
                           double budget, const pt_task *task, pt_error *err);
pt_status pt_ls_check_budget(double need, double budget, pt_error *err);

#endif
