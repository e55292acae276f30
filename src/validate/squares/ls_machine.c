/* What the machines of regularised least squares share. */
#include "validate/squares/ls_machine.h"

#include "base/alloc.h"
#include "validate/squares/rank_targets.h"

pt_ls_problem pt_ls_problem_of(const pt_problem *problem)
{
    return (pt_ls_problem){&problem->rows, problem->labels->class_of,
                           pt_labels_n_classes(problem->labels), problem->weight, NULL};
}

pt_status pt_ls_points(pt_ls_point **out, const pt_problem *problem, const pt_params *const *points,
                       int64_t n_points, pt_error *err)
{
    pt_ls_point *made = pt_alloc_zero(n_points, sizeof *made, "grid points", err);
    pt_status status = made ? PT_OK : PT_ENOMEM;
    for (int64_t i = 0; i < n_points && status == PT_OK; i++) {
        made[i].ridge = pt_params_real(points[i], PT_P_RIDGE);
        made[i].bias = false;
        status = pt_ls_kernel(&made[i].kernel, &problem->rows, points[i], err);
    }
    if (status != PT_OK) {
        pt_free(made);
        return status;
    }
    *out = made;
    return PT_OK;
}

double pt_ls_ridge(const pt_params *params)
{
    return pt_params_set_by_user(params, PT_P_C) ? 1 / pt_params_real(params, PT_P_C)
                                                 : pt_params_real(params, PT_P_RIDGE);
}

pt_status pt_ls_holdout_by(pt_ls_auto_fn holdout, const pt_problem *problem,
                           const pt_params *const *points, int64_t n_points,
                           const pt_partitions *partitions, pt_holdout_fn take, void *context,
                           const pt_task *task, pt_error *err)
{
    pt_ls_point *ls_points = NULL;
    pt_status status = pt_ls_points(&ls_points, problem, points, n_points, err);
    if (status == PT_OK)
        status = holdout(problem, NULL, ls_points, n_points, partitions, take, context, task, err);
    pt_free(ls_points);
    return status;
}

/* A pt_ls_auto_fn: oneLSM with its plainest labels, one indicator a class. */
static pt_status indicators_holdout(const pt_problem *problem, const pt_params *params,
                                    const pt_ls_point *points, int64_t n_points,
                                    const pt_partitions *partitions, pt_holdout_fn take,
                                    void *context, const pt_task *task, pt_error *err)
{
    (void)params;
    const pt_ls_problem ls = pt_ls_problem_of(problem);
    return pt_ls_holdout(&ls, points, n_points, problem->rows.type, partitions, take, context, task,
                         err);
}

pt_ls_auto_fn pt_ls_guide(const pt_problem *problem, const pt_params *params)
{
    (void)params;
    return problem->labels->kind == PT_LABEL_CLASS ? indicators_holdout : pt_rank_holdout;
}
