/* spoc: the multiclass support vector machine of Crammer and Singer, with kernels. CS sections 5
 * and 6 with h(x) = x; SPOC is their name for the algorithm. The solver is solvers/dual/spoc.c.
 *
 *     min  1/2 sum_r ||M_r||^2 + C sum_i w_i max_r (b_{y_i, r} + M_r . x_i - M_{y_i} . x_i)
 *
 * C is 1/beta of the paper. b is 1 for a wrong class and 0 for the right one, or the matrix of
 * --costs. The score of class r is M_r . x = sum_i tau_ir k(x_i, x), with no bias; sum_r M_r = 0,
 * so that the scores of a row sum up to 0. For two classes it is the C-SVC without a bias, with
 * 2C. */
#include "machine/machine.h"

#include "kernels/kernel_params.h"
#include "machines/svm/multiclass_svm.h"

static pt_status spoc_holdout(const pt_problem *problem, const pt_params *const *points,
                              int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                              void *context, const pt_task *task, pt_error *err)
{
    return pt_multiclass_svm_holdout(PT_CRAMMER_SINGER, problem, points, n_points, partitions, take,
                                     context, task, err);
}

const pt_machine_ops pt_machine_spoc = {
    .name = "spoc",
    .summary = "the multiclass support vector machine of Crammer and Singer (CS)",
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
    .holdout = spoc_holdout,
    .holdout_exact = pt_multiclass_svm_path_serves,
    .holdout_method = "warm starts",
    .describe = pt_multiclass_svm_describe,
};
