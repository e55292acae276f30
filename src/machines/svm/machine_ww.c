/* ww: the multiclass support vector machine of Weston and Watkins (1998), with kernels and without
 * a bias.
 *
 *     min  1/2 sum_r ||M_r||^2 + C sum_i w_i sum_{r != y_i} max(0, z_ir) ,
 *          z_ir = b_{y_i, r} + M_r . x_i - M_{y_i} . x_i
 *
 * spoc counts the worst of the wrong classes, ww all of them. b is 1 for a wrong class, or the
 * matrix of --costs. Not as printed: with the paper's margin of 2 the machine of 2C is 2M. The
 * score of class r is M_r . x = sum_i tau_ir k(x_i, x); sum_r M_r = 0. For two classes it is
 * spoc. */
#include "machine/machine.h"

#include "kernels/kernel_params.h"
#include "machines/svm/multiclass_svm.h"

static pt_status ww_holdout(const pt_problem *problem, const pt_params *const *points,
                            int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                            void *context, const pt_task *task, pt_error *err)
{
    return pt_multiclass_svm_holdout(PT_WESTON_WATKINS, problem, points, n_points, partitions, take,
                                     context, task, err);
}

const pt_machine_ops pt_machine_ww = {
    .name = "ww",
    .summary = "the multiclass support vector machine of Weston and Watkins",
    .parameters = "C,gap,costs,class-weight,precision,auto-rows,kernel",
    .warm = "C,gap,costs,class-weight",
    .check_start = pt_kernel_check_start,
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT | PT_CAN_END_EARLY,
    .size = sizeof(pt_multiclass_svm),
    .plan = pt_multiclass_svm_plan,
    .fit = pt_multiclass_svm_fit,
    .scores = pt_expansion_machine_scores,
    .free = pt_multiclass_svm_free,
    .save = pt_expansion_machine_save,
    .load = pt_multiclass_svm_load,
    .holdout = ww_holdout,
    .holdout_exact = pt_multiclass_svm_path_serves,
    .holdout_method = "warm starts",
    .describe = pt_multiclass_svm_describe,
};
