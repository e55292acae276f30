/* sigma of vo-SVM: that of the least-squares machine, whose leave-one-out errors are had in closed
 * form. The ridge that goes with it is thrown away: C is not chosen. */
#include "machines/vo_svm_auto.h"

#include "kernels/kernel_params.h"
#include "machines/joint.h"
#include "machines/ls_auto.h"

/* What the proxy has in common with the machine; its labelbook changes no decision. */
static const pt_param_id SHARED[] = {PT_P_KERNEL,    PT_P_DEGREE, PT_P_COEF0,
                                     PT_P_AUTO_ROWS, PT_P_SEED,   PT_P_PRECISION};

pt_status pt_vo_svm_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                            pt_texts *warnings, pt_error *err)
{
    const pt_kernel_ops *ops = pt_kernel_named(params, !problem->rows.dense);
    pt_status status = pt_kernel_is_joint(params) ? pt_joint_settle(params, err) : PT_OK;
    if (status != PT_OK)
        return status;
    if (pt_params_is_auto(params, PT_P_KERNEL))
        status = pt_params_set(params, "kernel", ops->name, err);
    if (status != PT_OK || !pt_kernel_uses(ops, "sigma") ||
        !pt_params_is_auto(params, PT_P_SIGMA) || pt_params_set_by_user(params, PT_P_RBF_GAMMA))
        return status;
    pt_params *proxy = NULL;
    status = pt_params_new(&proxy, err);
    for (size_t i = 0; i < sizeof SHARED / sizeof *SHARED && status == PT_OK; i++)
        status =
            pt_params_set(proxy, pt_param_name(SHARED[i]), pt_params_text(params, SHARED[i]), err);
    if (status == PT_OK)
        status = pt_ls_resolve(proxy, problem, task, warnings, err);
    if (status == PT_OK)
        status = pt_params_set_real(params, PT_P_SIGMA, pt_params_real(proxy, PT_P_SIGMA), err);
    pt_params_free(proxy);
    return status;
}
