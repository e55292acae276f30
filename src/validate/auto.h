/* Automatic parameters: what a machine lists, says "auto" and nobody gave. */
#ifndef PT_VALIDATE_AUTO_H
#define PT_VALIDATE_AUTO_H

#include "machine/training.h"
#include "validate/squares/ls_holdout.h"

/* Of a machine without a closed form: rows on which it is trained to choose, at most. */
enum { PT_AUTO_SAMPLE = 500 };

/* Replaces every "auto" of a machine, in its own way (`resolve`), by its guide, or by training. */
pt_status pt_machine_resolve(const pt_machine_ops *ops, pt_params *params,
                             const pt_problem *problem, const pt_task *task, pt_warnings *warnings,
                             pt_error *err);
/* The same of a training, which keeps what was found and how long it took. */
pt_status pt_training_resolve(pt_training *training, const pt_task *task, pt_error *err);

/* Replaces "auto" of kernel, sigma and ridge, as far as the machine uses them, by what has the
 * least held-out loss (metrics/label_judge.h) of the machine itself in five folds of at most
 * PT_AUTO_SAMPLE rows (a stratified sample). Ties go to the larger sigma, then to the larger ridge.
 * What was found goes to problem->chosen. */
pt_status pt_auto_by_training(const pt_machine_ops *ops, pt_params *params,
                              const pt_problem *problem, const pt_task *task, pt_error *err);

/* The same by leave-one-out in closed form, on at most auto-rows of the rows. On a sample of the
 * rows, points that it cannot tell apart go to the narrower sigma. --C, where it was set, stands
 * for 1 / ridge. */
pt_status pt_auto_by_guide(pt_ls_auto_fn guide, pt_params *params, const pt_problem *problem,
                           const pt_task *task, pt_error *err);

/* The same without each fold of each partition, for all of them at little more than the price of
 * one: chosen[p * n_folds + f] <- params with what is chosen without fold f of partition p. In
 * place of leave-one-out it goes by the errors on each other fold of machines that were trained
 * without both (folds.h). Parameters that are wholly given, or folds for which pt_fold_pairs_serve
 * is false, are the caller's mistake. */
pt_status pt_auto_without_folds(pt_ls_auto_fn guide, pt_params **chosen, const pt_params *params,
                                const pt_problem *problem, const pt_partitions *partitions,
                                const pt_task *task, pt_error *err);

/* For others than oneLSM (of labels that are not classes, rank-ls), which choose as that does but
 * have another held-out loss: problem->chosen stays. */
pt_status pt_auto_as_onelsm(pt_params *params, const pt_problem *problem, const pt_task *task,
                            pt_warnings *warnings, pt_error *err);
/* *out, which the caller frees, <- the parameters with the sigma and ridge that oneLSM would
 * choose, whatever their C: where others begin. */
pt_status pt_auto_start(pt_params **out, const pt_params *params, const pt_problem *problem,
                        const pt_task *task, pt_error *err);

/* What choosing parameters costs a machine, roughly, in multiplications as its plan counts them; 0
 * where there is nothing to choose. */
pt_status pt_auto_flops(double *flops, const pt_machine_ops *ops, const pt_params *params,
                        const pt_problem *problem, const pt_task *task, pt_error *err);

/* Whether the losses on n rows are so much more than those of the best point, on the same rows,
 * that chance does not explain it: more than one standard error of the difference, which is the
 * root of the sum of its squares. Where losses are 0 or 1 that is the number of rows on which one
 * errs and the other does not (as in McNemar's test). */
bool pt_auto_is_worse(const float *loss, const float *best, int64_t n);

#endif
