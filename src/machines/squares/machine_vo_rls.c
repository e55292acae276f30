/* vo-RLS(beta): vector-output regularised least squares with small coefficients, HNR section 4.
 *
 *     minimise  sum_i w_i ||f(x_i) - y_i||^2 + gamma sum_j beta_j^2 / w_j ,   gamma = --ridge
 *     (G + gamma W^-1) beta = d ,   G = P o (K W K)
 *
 * for f(x) = sum_j beta_j y_j kappa(x_j, x). G is positive semidefinite for every symmetric K, so
 * that kernels which are not (sigmoid) do no harm here. The solution is in vo_rls.c. */
#include "machine/machine.h"

#include "machines/squares/vector_machine.h"
#include "machines/squares/vo_rls.h"

static pt_status vo_rls_fit(pt_machine **out, const pt_problem *problem, const pt_params *params,
                            const pt_task *task, pt_texts *warnings, pt_error *err)
{
    return pt_vo_rls_fit(out, &pt_machine_vo_rls, PT_NORM_BETA, problem, params, task, warnings,
                         err);
}

const pt_machine_ops pt_machine_vo_rls = {
    .name = "vo-rls",
    .summary = "least squares on label vectors, small coefficients (HNR)",
    .parameters = PT_VO_RLS_PARAMETERS,
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE,
    .plan = pt_vo_rls_plan,
    .fit = vo_rls_fit,
    .scores = pt_vector_machine_scores,
    .free = pt_vector_machine_free,
    .save = pt_vector_machine_save,
    .load = pt_vector_machine_load,
};
