/* Held-out scores: folds, and brute force for machines without a closed form. */
#include "select/holdout.h"

#include <string.h>

#include "base/alloc.h"
#include "data/split.h"
#include "kernels/kernel_params.h"
#include "machines/subproblem.h"

/* ---- folds --------------------------------------------------------------------------------------
 */

void pt_fold_set_free(pt_fold_set *set)
{
    pt_free(set->fold);
    pt_free(set->pointer);
    memset(set, 0, sizeof *set);
}

static pt_status check_folds(int64_t n, int64_t n_folds, int64_t repeats, bool loo, pt_error *err)
{
    if (loo && repeats > 1)
        return pt_fail(err, PT_EINVAL, "leave-one-out is the same every time; leave --repeat out");
    if (n_folds > n)
        return pt_fail(err, PT_EINVAL, "--folds %lld is more than the %lld rows",
                       (long long)n_folds, (long long)n);
    return PT_OK;
}

pt_status pt_fold_set_init(pt_fold_set *set, const pt_labels *labels, const pt_params *params,
                           pt_error *err)
{
    const int64_t n = labels->n;
    const bool loo = pt_params_flag(params, PT_P_LOO);
    const bool stratified = strcmp(pt_params_text(params, PT_P_STRATIFY), "yes") == 0;
    const int64_t n_folds = loo ? n : pt_params_integer(params, PT_P_FOLDS);
    const int64_t repeats = pt_params_integer(params, PT_P_REPEAT);
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    memset(set, 0, sizeof *set);
    pt_status status = check_folds(n, n_folds, repeats, loo, err);
    if (status != PT_OK)
        return status;
    size_t bytes = 0;
    if (!pt_size_mul((size_t)n, sizeof(int64_t), &bytes))
        return pt_fail_memory(err, "folds", SIZE_MAX);
    set->fold = pt_alloc(repeats, bytes, "folds", err);
    set->pointer = pt_alloc(repeats, sizeof(int64_t *), "folds", err);
    status = set->fold && set->pointer ? PT_OK : PT_ENOMEM;
    for (int64_t p = 0; p < repeats && status == PT_OK; p++) {
        int64_t *fold = set->fold + p * n;
        set->pointer[p] = fold;
        for (int64_t i = 0; i < n && loo; i++)
            fold[i] = i;
        if (!loo)
            status = pt_folds(fold, n, labels->class_of, pt_labels_n_classes(labels), n_folds,
                              stratified, seed, p, err);
    }
    if (status != PT_OK) {
        pt_fold_set_free(set);
        return status;
    }
    set->partitions = (pt_partitions){repeats, n_folds, set->pointer};
    return PT_OK;
}

/* ---- brute force --------------------------------------------------------------------------------
 */

/* One machine trained without a fold and asked about it. */
typedef struct fold_run {
    const pt_machine_ops *ops;
    const pt_problem *problem;
    const pt_params *params;
    bool square; /* the rows are a precomputed kernel */
    int64_t *train;
    int64_t *test;
    double *fold_scores; /* n x k */
    double *scores;      /* n x k, all folds */
} fold_run;

static pt_status score_test_rows(fold_run *run, const pt_machine *machine, int64_t n_train,
                                 int64_t n_test, const pt_task *task, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(run->problem->labels);
    pt_rows_owned rows = {0};
    pt_status status = pt_rows_select(&rows, &run->problem->rows, run->test, n_test, err);
    if (status == PT_OK && run->square)
        status = pt_rows_take_columns(&rows, run->train, n_train, err);
    if (status == PT_OK)
        status = run->ops->scores(machine, &rows.rows, run->fold_scores, task, err);
    for (int64_t i = 0; i < n_test && status == PT_OK; i++)
        memcpy(run->scores + run->test[i] * k, run->fold_scores + i * k,
               (size_t)k * sizeof(double));
    pt_rows_owned_free(&rows);
    return status;
}

static pt_status run_fold(fold_run *run, const int64_t *fold, int64_t held_out, const pt_task *task,
                          pt_error *err)
{
    int64_t n_train = 0;
    int64_t n_test = 0;
    for (int64_t i = 0; i < run->problem->rows.n; i++)
        if (fold[i] == held_out)
            run->test[n_test++] = i;
        else
            run->train[n_train++] = i;
    if (n_test == 0)
        return PT_OK;
    pt_subproblem sub = {0};
    pt_machine *machine = NULL;
    pt_texts warnings = {NULL, 0, 0};
    pt_status status =
        pt_subproblem_init(&sub, run->problem, run->train, n_train, run->square, err);
    if (status == PT_OK)
        status = run->ops->fit(&machine, &sub.problem, run->params, task, &warnings, err);
    if (status == PT_OK)
        status = score_test_rows(run, machine, n_train, n_test, task, err);
    if (machine)
        run->ops->free(machine);
    pt_texts_free(&warnings);
    pt_subproblem_free(&sub);
    return status;
}

static pt_status run_partition(fold_run *run, const pt_partitions *partitions, int64_t partition,
                               bool *fine, const pt_task *task, pt_error *err)
{
    *fine = true;
    for (int64_t f = 0; f < partitions->n_folds; f++) {
        pt_status status = pt_task_check(task, err);
        if (status == PT_OK)
            status = run_fold(run, partitions->fold[partition], f, task, err);
        if (status == PT_ENUMERIC) {
            *fine = false;
            return PT_OK;
        }
        if (status != PT_OK)
            return status;
    }
    return PT_OK;
}

pt_status pt_holdout_brute_force(const pt_machine_ops *ops, const pt_problem *problem,
                                 const pt_params *const *points, int64_t n_points,
                                 const pt_partitions *partitions, pt_holdout_fn take, void *context,
                                 const pt_task *task, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    fold_run run = {.ops = ops, .problem = problem};
    run.train = pt_alloc(n, sizeof(int64_t), "a fold", err);
    run.test = pt_alloc(n, sizeof(int64_t), "a fold", err);
    run.fold_scores = pt_alloc(n * k, sizeof(double), "held-out scores", err);
    run.scores = pt_alloc(n * k, sizeof(double), "held-out scores", err);
    pt_status status = run.train && run.test && run.fold_scores && run.scores ? PT_OK : PT_ENOMEM;
    pt_task_begin_whole(task);
    for (int64_t point = 0; point < n_points && status == PT_OK; point++) {
        run.params = points[point];
        run.square = pt_kernel_is_precomputed(points[point]);
        for (int64_t p = 0; p < partitions->count && status == PT_OK; p++) {
            bool fine = true;
            status = run_partition(&run, partitions, p, &fine, task, err);
            if (status == PT_OK)
                status = take(context, point, p, fine ? run.scores : NULL, err);
            pt_task_progress_whole(task, "cross-validating",
                                   (double)(point * partitions->count + p + 1),
                                   (double)(n_points * partitions->count));
        }
    }
    pt_task_end_whole(task);
    pt_free(run.scores);
    pt_free(run.fold_scores);
    pt_free(run.test);
    pt_free(run.train);
    return status;
}

pt_status pt_holdout_scores(const pt_machine_ops *ops, const pt_problem *problem,
                            const pt_params *const *points, int64_t n_points,
                            const pt_partitions *partitions, pt_holdout_fn take, void *context,
                            const pt_task *task, pt_error *err)
{
    return (ops->holdout
                ? ops->holdout(problem, points, n_points, partitions, take, context, task, err)
                : pt_holdout_brute_force(ops, problem, points, n_points, partitions, take, context,
                                         task, err));
}
