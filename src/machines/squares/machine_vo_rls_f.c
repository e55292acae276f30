/* vo-RLS(f): vector-output regularised least squares with a small function, HNR section 4.
 *
 *     minimise  sum_i w_i ||f(x_i) - y_i||^2 + gamma ||f||^2 ,   gamma = --ridge
 *     (G + gamma P o K) beta = d ,   G = P o (K W K) ,   ||f||^2 = beta^T (P o K) beta
 *
 * for f(x) = sum_j beta_j y_j kappa(x_j, x). A labelbook of another scale scales G, P o K and d
 * alike: it leaves beta as it is. The solution is in vo_rls.c. */
#include "machine/machine.h"

#include "machines/squares/vector_machine.h"
#include "machines/squares/vo_rls.h"

static pt_status vo_rls_f_fit(pt_machine **out, const pt_problem *problem, const pt_params *params,
                              const pt_task *task, pt_texts *warnings, pt_error *err)
{
    return pt_vo_rls_fit(out, &pt_machine_vo_rls_f, PT_NORM_F, problem, params, task, warnings,
                         err);
}

const pt_machine_ops pt_machine_vo_rls_f = {
    .name = "vo-rls-f",
    .summary = "least squares on label vectors, a small function (HNR)",
    .parameters = PT_VO_RLS_PARAMETERS,
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE,
    .plan = pt_vo_rls_plan,
    .fit = vo_rls_f_fit,
    .scores = pt_vector_machine_scores,
    .free = pt_vector_machine_free,
    .save = pt_vector_machine_save,
    .load = pt_vector_machine_load,
};
