/* sigma of vo-SVM: the one with the fewest held-out errors of the machine itself (ridge_auto.c), at
 * the C that is given. */
#include "machines/svm/vo_svm_auto.h"

#include "kernels/kernel_params.h"
#include "machine/machine.h"
#include "machines/squares/joint.h"
#include "validate/ridge_auto.h"

pt_status pt_vo_svm_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                            pt_texts *warnings, pt_error *err)
{
    const pt_status status = pt_kernel_is_joint(params) ? pt_joint_settle(params, err) : PT_OK;
    return status == PT_OK
               ? pt_sigma_resolve(&pt_machine_vo_svm, params, problem, task, warnings, err)
               : status;
}
