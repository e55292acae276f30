/* What the machines of regularised least squares share. */
#include "validate/squares/ls_machine.h"

#include "base/alloc.h"

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
