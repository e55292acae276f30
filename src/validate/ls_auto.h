/* Choosing sigma and ridge by leave-one-out. */
#ifndef PT_VALIDATE_LS_AUTO_H
#define PT_VALIDATE_LS_AUTO_H

#include "validate/squares/ls_holdout.h"

/* Replaces "auto" of kernel, sigma and ridge by what leave-one-out chooses on at most auto-rows of
 * the rows (a stratified sample), by the mean loss of its scores (metrics/label_loss.h). Ties go
 * to the smoother point: larger sigma, then larger ridge; but on a sample of the rows, points that
 * it cannot tell apart go to the narrower sigma (ls_auto.c). --C, where it was set, stands for 1 /
 * ridge. */
pt_status pt_ls_resolve_by(pt_ls_auto_fn holdout, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_error *err);

/* The same without each fold of each partition, for all of them at little more than the price of
 * one: chosen[p * n_folds + f] <- params with what is chosen without fold f of partition p. In
 * place of leave-one-out it goes by the errors on each other fold of machines that were trained
 * without both (fold_pairs.h). Parameters that are wholly given, or folds for which
 * pt_fold_pairs_serve is false, are the caller's mistake. */
pt_status pt_ls_resolve_folds(pt_ls_auto_fn holdout, pt_params **chosen, const pt_params *params,
                              const pt_problem *problem, const pt_partitions *partitions,
                              const pt_task *task, pt_error *err);

/* What pt_ls_resolve_by costs: factorisations of n rows count n^3. */
double pt_ls_auto_flops(const pt_params *params, const pt_rows *rows);

/* The guide (machine.h) of oneLSM and others with its outputs. */
pt_ls_auto_fn pt_ls_guide(const pt_problem *problem, const pt_params *params);

/* The `holdout` of a machine whose held-out scores are these: the points' kernels and ridges are
 * made of their parameters. */
pt_status pt_ls_holdout_by(pt_ls_auto_fn holdout, const pt_problem *problem,
                           const pt_params *const *points, int64_t n_points,
                           const pt_partitions *partitions, pt_holdout_fn take, void *context,
                           const pt_task *task, pt_error *err);

/* For oneLSM and others with its decisions; where labels are not classes, by rank-ls
 * (rank_targets.h). */
pt_status pt_ls_resolve_own(pt_params *params, const pt_problem *problem, const pt_task *task,
                            pt_texts *warnings, pt_error *err);
/* The same for others, whose own held-out loss is another: problem->chosen stays. */
pt_status pt_ls_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                        pt_texts *warnings, pt_error *err);

/* The ridge that resolved parameters name: --ridge, or 1 / --C. */
double pt_ls_ridge(const pt_params *params);

/* Whether the losses on n rows are so much more than those of the best point, on the same rows,
 * that chance does not explain it: more than one standard error of the difference, which is the
 * root of the sum of its squares. Where losses are 0 or 1 that is the number of rows on which one
 * errs and the other does not (as in McNemar's test). */
bool pt_ls_worse(const float *loss, const float *best, int64_t n);

#endif
