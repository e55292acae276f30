/* Cross-fitting: one machine for each fold, trained on the others. */
#include "validate/cross_fit.h"

#include <string.h>

#include "base/alloc.h"
#include "data/split.h"
#include "kernels/kernel_params.h"
#include "machine/code_scores.h"
#include "machine/subproblem.h"

static const char STAGE[] = "cross-fitting";

static pt_status free_folds(int64_t *fold, int64_t *n_folds, int64_t n, uint64_t seed,
                            pt_error *err)
{
    *n_folds = n < 2 ? 0 : *n_folds < n ? *n_folds : n;
    if (*n_folds > 0)
        return pt_folds(fold, n, NULL, 1, *n_folds, false, seed, 0, err);
    for (int64_t i = 0; i < n; i++)
        fold[i] = -1;
    return PT_OK;
}

pt_status pt_cross_fit_folds(int64_t *fold, int64_t *n_folds, const pt_problem *problem,
                             uint64_t seed, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const int64_t *class_of = problem->labels->class_of;
    int64_t largest = 0;
    if (!class_of)
        return free_folds(fold, n_folds, n, seed, err);
    int64_t *size = pt_alloc_zero(k, sizeof *size, "classes", err);
    if (!size)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        const int64_t now = ++size[class_of[i]];
        largest = now > largest ? now : largest;
    }
    pt_status status = PT_OK;
    *n_folds = largest < 2 ? 0 : *n_folds < largest ? *n_folds : largest;
    if (*n_folds > 0)
        status = pt_folds(fold, n, class_of, k, *n_folds, true, seed, 0, err);
    for (int64_t i = 0; i < n && status == PT_OK; i++)
        if (*n_folds == 0 || size[class_of[i]] < 2)
            fold[i] = -1;
    pt_free(size);
    return status;
}

/* Where outputs of held-out rows go. */
typedef struct placing {
    double *H;
    int64_t ell;
    const int64_t *rows; /* their numbers in the problem */
} placing;

static pt_status place(void *context, int64_t first, int64_t n, const double *outputs,
                       pt_error *err)
{
    (void)err;
    const placing *p = context;
    for (int64_t i = 0; i < n; i++)
        memcpy(p->H + p->rows[first + i] * p->ell, outputs + i * p->ell,
               (size_t)p->ell * sizeof(double));
    return PT_OK;
}

static pt_status fit_fold(double *H, const pt_machine_ops *ops, const pt_problem *problem,
                          const pt_params *params, const int64_t *fold, int64_t number,
                          const pt_task *task, pt_error *err)
{
    pt_fold_problem parts = {0};
    pt_machine *machine = NULL;
    pt_texts warnings = {NULL, 0, 0}; /* the machine of all rows has its own */
    pt_status status =
        pt_fold_problem_init(&parts, problem, fold, number, pt_kernel_is_precomputed(params), err);
    if (status == PT_OK && parts.n_held > 0)
        status = ops->fit(&machine, &parts.train.problem, params, task, &warnings, err);
    if (status == PT_OK && machine) {
        placing p = {H, ops->code_parts(machine).code->ell, parts.rows};
        status = pt_code_outputs(machine, &parts.held_out.rows, place, &p, task, err);
    }
    if (machine)
        ops->free(machine);
    pt_texts_free(&warnings);
    pt_fold_problem_free(&parts);
    return status;
}

pt_status pt_cross_fit(double *H, const pt_machine_ops *ops, const pt_problem *problem,
                       const pt_params *params, const int64_t *fold, int64_t n_folds,
                       const pt_task *task, pt_error *err)
{
    pt_status status = PT_OK;
    pt_task_begin_whole(task);
    pt_task_progress_whole(task, STAGE, 0, (double)n_folds);
    for (int64_t f = 0; f < n_folds && status == PT_OK; f++) {
        status = fit_fold(H, ops, problem, params, fold, f, task, err);
        pt_task_progress_whole(task, STAGE, (double)(f + 1), (double)n_folds);
    }
    pt_task_end_whole(task);
    return status;
}
