/* Exact held-out outputs of regularised least squares without training again. */
#ifndef PT_VALIDATE_SQUARES_LS_HOLDOUT_H
#define PT_VALIDATE_SQUARES_LS_HOLDOUT_H

#include "base/parallel.h"
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
                            int64_t n_points, double smallest_shift, const pt_task *task,
                            pt_error *err);

/* Held-out outputs for the linear kernel, through the d x d system: the route for d < n. */
pt_status pt_ls_holdout_primal(const pt_ls_problem *problem, const double *ridges, int64_t n_points,
                               const pt_partitions *partitions, pt_holdout_fn take, void *context,
                               const pt_task *task, pt_error *err);

/* ---- what the hold-out of kernel machines shares ------------------------------------------------
 *
 * vo-LSSVM has P o K in place of K (machines/squares/vo_holdout.c) and the same passes. */

/* All points of a kernel function, on one matrix of base values: float32 first, then those that
 * need double, with the base values computed again. */
typedef struct pt_ls_passes {
    const pt_kernel_ops *of; /* whose base values these are */
    pt_type type;            /* of the first pass */
    double budget;           /* bytes that may be used, base included */
    bool factor_route;       /* for people */
    /* need[i] <- whether float32 is too coarse for point i */
    pt_status (*need_double)(void *self, const pt_tiles *base, bool *need, pt_error *err);
    pt_status (*run)(void *self, pt_tiles *base, const int64_t *chosen, int64_t n_chosen,
                     pt_error *err);
    void *self;
} pt_ls_passes;

pt_status pt_ls_two_passes(const pt_ls_passes *passes, const pt_rows *rows, int64_t n_points,
                           const pt_task *task, pt_error *err);

/* The points of a pass, in parallel where there are several workers; else one after another, with
 * all threads inside. */
pt_status pt_ls_run_points(int64_t n_points, int n_workers, pt_parallel_fn point, void *context,
                           const pt_task *task, pt_error *err);
pt_status pt_ls_check_budget(double need, double budget, pt_error *err);

#endif
