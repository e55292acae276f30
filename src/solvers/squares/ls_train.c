/* Training by regularised least squares: which route, what it takes (HNR eq. 24, Proposition 2). */
#include "solvers/squares/ls_train.h"

#include <stdio.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"

/* The type of the factor, as far as the parameters tell: what is still to be chosen (2^-10 and
 * more for a ridge) leaves float32. Rows of a linear kernel may be only sizes here (elm). */
static pt_type factor_type(const pt_rows *rows, const pt_kernel_ops *ops, const pt_params *params,
                           int64_t m)
{
    const bool C = pt_params_set_by_user(params, PT_P_C);
    const bool shaped = ops->base == PT_BASE_DOT && !ops->linear; /* k(x, x) needs parameters */
    pt_kernel kernel = {.ops = ops, .sigma = 1};
    if (rows->type == PT_F64 || ops->linear || (pt_params_is_auto(params, PT_P_RIDGE) && !C) ||
        (shaped && pt_params_is_auto(params, PT_P_SIGMA)))
        return rows->type;
    if (shaped && pt_kernel_from_params(&kernel, params, NULL) != PT_OK)
        return rows->type; /* training will say what is wrong */
    const double ridge =
        C ? 1 / pt_params_real(params, PT_P_C) : pt_params_real(params, PT_P_RIDGE);
    return pt_ls_needs_double(rows, &kernel, m, ridge) ? PT_F64 : PT_F32;
}

pt_status pt_ls_plan(const pt_rows *rows, const pt_params *params, int64_t m, pt_plan *plan,
                     pt_error *err)
{
    const pt_kernel kernel = {.ops = pt_kernel_named(params, !rows->dense)};
    if (!kernel.ops)
        return pt_fail(err, PT_EINVAL, "unknown kernel");
    const double n = (double)rows->n;
    const double d = (double)rows->d;
    if (pt_ls_is_primal(&kernel, rows)) {
        plan->bytes = pt_ls_primal_bytes(pt_rows_stored(rows), rows->n, rows->d, m);
        plan->flops = n * d * d + d * d * d / 3;
        snprintf(plan->route, sizeof plan->route, "primal: a %lld x %lld system in double",
                 (long long)rows->d, (long long)rows->d);
    } else {
        const pt_type type = factor_type(rows, kernel.ops, params, m);
        plan->bytes = pt_ls_dual_bytes(rows->n, rows->dense ? rows->d : 0, m, type);
        plan->flops = n * n * n / 3 + n * n * (d + 4 * (double)m);
        snprintf(plan->route, sizeof plan->route, "dual: a %lld x %lld factor in %s",
                 (long long)rows->n, (long long)rows->n,
                 type == PT_F32 ? "float32, refined in double" : "double");
    }
    return PT_OK;
}

pt_status pt_ls_kernel(pt_kernel *kernel, const pt_rows *rows, const pt_params *params,
                       pt_error *err)
{
    PT_TRY(pt_kernel_from_params(kernel, params, err));
    return pt_kernel_is_row(kernel) ? pt_ls_check_precomputed(rows, err) : PT_OK;
}

pt_status pt_ls_train(pt_expansion_parts *parts, const pt_ls_problem *ls, const pt_params *params,
                      pt_type type, const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    const pt_rows *rows = ls->rows;
    const double ridge = pt_params_real(params, PT_P_RIDGE);
    pt_expansion_parts made = {.type = type, .m = ls->k, .rows = rows, .task = task};
    PT_TRY(pt_ls_kernel(&made.kernel, rows, params, err));
    const bool primal = pt_ls_is_primal(&made.kernel, rows);
    made.linear = primal || pt_kernel_is_row(&made.kernel);
    made.n_coef = primal ? rows->d : rows->n;
    PT_SCRATCH double *coef =
        pt_alloc(ls->k, (size_t)made.n_coef * sizeof(double), "coefficients", err);
    if (!coef)
        return PT_ENOMEM;
    PT_TRY(primal ? pt_ls_solve_primal(ls, ridge, coef, task, err)
                  : pt_ls_solve_dual(ls, &made.kernel, ridge, type, coef, task, warnings, err));
    made.coef = pt_keep(&coef);
    *parts = made;
    return PT_OK;
}
