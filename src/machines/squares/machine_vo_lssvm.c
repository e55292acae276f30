/* vo-LSSVM: the vector-output least-squares support vector machine (HNR).
 *
 *     (P o K + ridge W^-1) beta = 1 ,   P_ij = y_i . y_j ,   f(x) = sum_j beta_j y_j kappa(x_j, x)
 *
 * One coefficient for each example, where oneLSM has one for each example and output. It minimises
 *
 *     ridge / 2 ||f||^2 + 1/2 sum_i w_i (1 - y_i . f(x_i))^2 ;
 *
 * HNR's gamma is 1 / ridge, which --C names. Only the inner products Q of the label vectors enter,
 * so that a kernel on the labels (HNR 7.2) is no other case.
 *
 *   exact bias      [[0, Y^T], [Y, P o K + ridge W^-1]] [b; beta] = [0; 1] ,   f(x) + b
 *   penalised bias  the kernel K + 1
 *   joint kernel    a matrix J of the user's in place of P o K (HNR 7.2, joint.c)
 *
 * The system is solved in vo_solve.c, held-out scores are in vo_holdout.c, automatic parameters in
 * auto.c; what is done with beta in expansion.c and vector_machine.c. */
#include "machine/machine.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "machines/squares/joint.h"
#include "machines/squares/vector_machine.h"
#include "machines/squares/vo_holdout.h"
#include "machines/squares/vo_solve.h"
#include "solvers/squares/ls_solve.h"
#include "validate/auto.h"
#include "validate/squares/ls_machine.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static pt_status bias_of(pt_bias_rule *rule, const pt_params *params, pt_error *err)
{
    const char *name = pt_params_text(params, PT_P_BIAS_RULE);
    if (!pt_params_flag(params, PT_P_BIAS)) {
        if (pt_params_set_by_user(params, PT_P_BIAS_RULE))
            return pt_fail(err, PT_EINVAL, "--bias-rule is used with --bias only");
        *rule = PT_BIAS_NONE;
        return PT_OK;
    }
    if (strcmp(name, "mean") == 0)
        return pt_fail(err, PT_EINVAL,
                       "--bias-rule mean is of vo-svm: vo-lssvm solves for its bias; use exact or "
                       "penalised");
    *rule = strcmp(name, "exact") == 0 ? PT_BIAS_EXACT : PT_BIAS_PENALISED;
    return PT_OK;
}

/* ---- planning -------------------------------------------------------------------------------- */

static pt_status joint_plan(const pt_problem *problem, const pt_params *params, pt_plan *plan,
                            pt_error *err)
{
    const double n = (double)problem->rows.n;
    plan->bytes = pt_joint_bytes(&problem->rows, pt_labels_n_classes(problem->labels));
    plan->flops = n * n * n / 3;
    snprintf(plan->route, sizeof plan->route, "joint kernel: a %lld x %lld factor",
             (long long)problem->rows.n, (long long)problem->rows.n);
    return pt_joint_check_params(params, err);
}

static pt_status vo_lssvm_plan(const pt_problem *problem, const pt_params *params,
                               const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)task;
    if (pt_kernel_is_joint(params))
        return joint_plan(problem, params, plan, err);
    pt_bias_rule rule = PT_BIAS_NONE;
    PT_FREED_BY(pt_label_space_free) pt_label_space space = {0};
    PT_TRY(bias_of(&rule, params, err));
    PT_TRY(pt_problem_label_space(&space, problem, params, err));
    if (rule == PT_BIAS_EXACT)
        PT_TRY(pt_vo_check_bias(&space, problem->labels, err));
    return pt_vo_solve_plan(problem, &space, rule, plan, err);
}

/* ---- training -------------------------------------------------------------------------------- */

static pt_status solve(pt_vector_machine *m, const pt_problem *problem, const pt_params *params,
                       const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    pt_kernel kernel;
    pt_bias_rule rule = PT_BIAS_NONE;
    PT_TRY(pt_kernel_from_params(&kernel, params, err));
    if (pt_kernel_is_row(&kernel))
        PT_TRY(pt_ls_check_precomputed(&problem->rows, err));
    PT_TRY(bias_of(&rule, params, err));
    if (rule == PT_BIAS_EXACT)
        PT_TRY(pt_vo_check_bias(&m->space, problem->labels, err));
    if (rule == PT_BIAS_EXACT)
        PT_TRY(pt_vo_check_bias_rows(&m->space, problem->labels, err));
    PT_SCRATCH double *beta = pt_alloc(problem->rows.n, sizeof(double), "coefficients", err);
    PT_SCRATCH double *bias = pt_alloc(m->space.k, sizeof(double), "a bias", err);
    if (!beta || !bias)
        return PT_ENOMEM;
    PT_TRY(pt_vo_solve(problem, &m->space, &kernel, pt_ls_ridge(params), rule, beta, bias, task,
                       warnings, err));
    return pt_vector_machine_set_beta(m, problem, &kernel, beta, rule == PT_BIAS_NONE ? NULL : bias,
                                      task, err);
}

static pt_status solve_joint(pt_vector_machine *m, const pt_problem *problem,
                             const pt_params *params, const pt_task *task, pt_warnings *warnings,
                             pt_error *err)
{
    pt_kernel kernel;
    PT_TRY(pt_joint_check_params(params, err));
    PT_TRY(pt_kernel_from_params(&kernel, params, err));
    PT_SCRATCH double *beta = pt_alloc(problem->rows.n, sizeof(double), "coefficients", err);
    if (!beta)
        return PT_ENOMEM;
    PT_TRY(pt_joint_solve(problem, pt_ls_ridge(params), beta, task, warnings, err));
    return pt_joint_set_beta(m, problem, &kernel, beta, err);
}

static pt_status vo_lssvm_fit(pt_machine *machine, const pt_problem *problem,
                              const pt_params *params, const pt_task *task, pt_warnings *warnings,
                              pt_error *err)
{
    pt_vector_machine *m = (pt_vector_machine *)machine;
    PT_TRY(pt_vector_machine_init(m, problem, params, true, err));
    return pt_kernel_is_joint(params) ? solve_joint(m, problem, params, task, warnings, err)
                                      : solve(m, problem, params, task, warnings, err);
}

/* ---- held-out scores ------------------------------------------------------------------------- */

/* The label space must not depend on the fold; the border of an exact bias would. */
static bool vo_lssvm_holdout_exact(const pt_problem *problem, const pt_params *point)
{
    (void)problem;
    pt_bias_rule rule = PT_BIAS_NONE;
    return pt_kernel_is_joint(point) ||
           (pt_label_space_is_fixed(point) && bias_of(&rule, point, NULL) == PT_OK &&
            rule != PT_BIAS_EXACT);
}

static pt_status joint_holdout(const pt_problem *problem, const pt_params *const *points,
                               int64_t n_points, const pt_partitions *partitions,
                               pt_holdout_fn take, void *context, const pt_task *task,
                               pt_error *err)
{
    PT_SCRATCH pt_ls_point *ls_points = pt_alloc(n_points, sizeof(pt_ls_point), "grid points", err);
    if (!ls_points)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n_points; i++) {
        ls_points[i] = (pt_ls_point){.ridge = pt_ls_ridge(points[i])};
        PT_TRY(pt_joint_check_params(points[i], err));
    }
    pt_decoding decoding = {problem, points, partitions, take, context};
    return pt_joint_holdout(problem, ls_points, n_points, partitions, pt_decode_holdout, &decoding,
                            task, err);
}

static pt_status vo_lssvm_holdout(const pt_problem *problem, const pt_params *const *points,
                                  int64_t n_points, const pt_partitions *partitions,
                                  pt_holdout_fn take, void *context, const pt_task *task,
                                  pt_error *err)
{
    if (pt_kernel_is_joint(points[0]))
        return joint_holdout(problem, points, n_points, partitions, take, context, task, err);
    PT_SCRATCH pt_vo_point *vo_points = NULL;
    PT_TRY(PT_NEW_ZERO(vo_points, n_points, "grid points", err));
    for (int64_t i = 0; i < n_points; i++) {
        vo_points[i].params = points[i];
        vo_points[i].ls.ridge = pt_ls_ridge(points[i]);
        PT_TRY(pt_kernel_from_params(&vo_points[i].ls.kernel, points[i], err));
        PT_TRY(bias_of(&vo_points[i].rule, points[i], err));
        if (pt_kernel_is_row(&vo_points[i].ls.kernel))
            PT_TRY(pt_ls_check_precomputed(&problem->rows, err));
    }
    pt_decoding decoding = {problem, points, partitions, take, context};
    return pt_vo_holdout(problem, vo_points, n_points, partitions, pt_decode_holdout, &decoding,
                         task, err);
}

/* ---- automatic parameters -------------------------------------------------------------------- */

/* Leave-one-out in closed form for any parameters: an exact bias is replaced by a penalised one,
 * and label vectors that depend on the rows are those of all rows. */
static pt_status guide(const pt_problem *problem, const pt_params *params,
                       const pt_ls_point *points, int64_t n_points, const pt_partitions *partitions,
                       pt_holdout_fn take, void *context, const pt_task *task, pt_error *err)
{
    if (pt_kernel_is_joint(params))
        return pt_joint_holdout(problem, points, n_points, partitions, take, context, task, err);
    pt_bias_rule rule = PT_BIAS_NONE;
    PT_SCRATCH pt_vo_point *vo_points = pt_alloc(n_points, sizeof(pt_vo_point), "grid points", err);
    PT_SCRATCH const pt_params **same = pt_alloc(n_points, sizeof(*same), "grid points", err);
    if (!vo_points || !same)
        return PT_ENOMEM;
    PT_TRY(bias_of(&rule, params, err));
    for (int64_t i = 0; i < n_points; i++) {
        same[i] = params;
        vo_points[i] = (pt_vo_point){
            points[i], rule == PT_BIAS_NONE ? PT_BIAS_NONE : PT_BIAS_PENALISED, params};
    }
    pt_decoding decoding = {problem, same, partitions, take, context};
    return pt_vo_holdout(problem, vo_points, n_points, partitions, pt_decode_holdout, &decoding,
                         task, err);
}

static pt_status vo_lssvm_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                                  pt_warnings *warnings, pt_error *err)
{
    (void)warnings;
    PT_TRY(pt_kernel_is_joint(params) ? pt_joint_settle(params, err) : PT_OK);
    return pt_auto_by_guide(guide, params, problem, task, err);
}

static pt_ls_auto_fn vo_lssvm_guide(const pt_problem *problem, const pt_params *params)
{
    (void)problem;
    return pt_kernel_is_joint(params) ? NULL : guide;
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_vo_lssvm = {
    .name = "vo-lssvm",
    .summary = "least-squares SVM with vector outputs, one coefficient a row (HNR)",
    .parameters = "ridge,C,bias,bias-rule,labelbook,label-kernel,label-sigma,label-degree,"
                  "label-coef0,decode,class-weight,precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT | PT_CAN_JOINT,
    .size = sizeof(pt_vector_machine),
    .plan = vo_lssvm_plan,
    .fit = vo_lssvm_fit,
    .scores = pt_vector_machine_scores,
    .free = pt_vector_machine_free,
    .parts = pt_vector_machine_parts,
    .save = pt_vector_machine_save,
    .load = pt_vector_machine_load,
    .resolve = vo_lssvm_resolve,
    .guide = vo_lssvm_guide,
    .holdout = vo_lssvm_holdout,
    .holdout_exact = vo_lssvm_holdout_exact,
};
