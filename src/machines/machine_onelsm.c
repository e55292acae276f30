/* oneLSM: the least-squares machine with one matrix for all classes, HNR eq. (24).
 *
 *     (K + gamma W^-1) A = Y ,   f(x) = A^T kappa_x ,   class = argmax_r M_r . f(x)
 *
 * Y has the label vector M_{y_i} of example i in row i (HNR prints the transpose). It is solved
 * once with indicators, Y = E; another labelbook M gives A M, and its decision is the same where
 * all classes are alike (HNR Theorem 5; decoder_inner.c), so what is kept are the indicators'
 * coefficients.
 *
 *   K   n x n   Gram matrix; W = diag(weights), gamma = --ridge
 *   A   n x k   column-major, double; d x k if linear with d < n (HNR Proposition 2)
 *
 * The routes to A are in ls_solve.c, held-out scores in ls_holdout.c, automatic parameters in
 * ls_auto.c; what is done with A in expansion.c and vector_machine.c. */
#include "machines/machine_onelsm.h"

#include <stdio.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "machines/ls_auto.h"
#include "machines/ls_holdout.h"
#include "machines/ls_solve.h"
#include "machines/vector_machine.h"

/* ---- planning ------------------------------------------------------------ */

static pt_status onelsm_plan(const pt_problem *problem, const pt_params *params,
                             const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)task;
    const pt_rows *rows = &problem->rows;
    const pt_kernel kernel = {.ops = pt_kernel_named(params, !rows->dense)};
    if (!kernel.ops)
        return pt_fail(err, PT_EINVAL, "onelsm: unknown kernel");
    const double n = (double)rows->n;
    const double d = (double)rows->d;
    const double k = (double)pt_labels_n_classes(problem->labels);
    const char *type = rows->type == PT_F32 ? "float32" : "double";
    if (pt_ls_is_primal(&kernel, rows)) {
        plan->bytes = pt_ls_primal_bytes(pt_rows_stored(rows), rows->n, rows->d, (int64_t)k);
        plan->flops = n * d * d + d * d * d / 3;
        snprintf(plan->route, sizeof plan->route, "primal: a %lld x %lld system in double",
                 (long long)rows->d, (long long)rows->d);
    } else {
        plan->bytes = pt_ls_dual_bytes(rows->n, rows->dense ? rows->d : 0, (int64_t)k, rows->type);
        plan->flops = n * n * n / 3 + n * n * (d + 4 * k);
        snprintf(plan->route, sizeof plan->route, "dual: a %lld x %lld factor in %s%s",
                 (long long)rows->n, (long long)rows->n, type,
                 rows->type == PT_F32 ? ", refined in double" : "");
    }
    return PT_OK;
}

/* ---- training ------------------------------------------------------------ */

static pt_ls_problem ls_problem(const pt_problem *problem)
{
    return (pt_ls_problem){&problem->rows, problem->labels->class_of,
                           pt_labels_n_classes(problem->labels), problem->weight};
}

static pt_status solve(pt_vector_machine *m, const pt_problem *problem, const pt_params *params,
                       const pt_task *task, pt_texts *warnings, pt_error *err)
{
    const pt_rows *rows = &problem->rows;
    const pt_ls_problem ls = ls_problem(problem);
    const double ridge = pt_params_real(params, PT_P_RIDGE);
    pt_expansion_parts parts = {.type = rows->type, .m = ls.k, .rows = rows};
    pt_status status = pt_kernel_from_params(&parts.kernel, params, err);
    if (status == PT_OK && pt_kernel_is_row(&parts.kernel))
        status = pt_ls_check_precomputed(rows, err);
    if (status != PT_OK)
        return status;

    const bool primal = pt_ls_is_primal(&parts.kernel, rows);
    parts.linear = primal || pt_kernel_is_row(&parts.kernel);
    parts.n_coef = primal ? rows->d : rows->n;
    parts.coef = pt_alloc(ls.k, (size_t)parts.n_coef * sizeof(double), "coefficients", err);
    if (!parts.coef)
        return PT_ENOMEM;
    status = primal ? pt_ls_solve_primal(&ls, ridge, parts.coef, task, err)
                    : pt_ls_solve_dual(&ls, &parts.kernel, ridge, rows->type, parts.coef, task,
                                       warnings, err);
    if (status != PT_OK) {
        pt_free(parts.coef);
        return status;
    }
    return pt_expansion_take(&m->expansion, &parts, err);
}

static pt_status onelsm_fit(pt_machine **out, const pt_problem *problem, const pt_params *params,
                            const pt_task *task, pt_texts *warnings, pt_error *err)
{
    pt_vector_machine *m = NULL;
    pt_status status = pt_vector_machine_new(&m, &pt_machine_onelsm, problem, params, false, err);
    if (status != PT_OK)
        return status;
    status = solve(m, problem, params, task, warnings, err);
    if (status != PT_OK) {
        pt_vector_machine_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

/* ---- held-out scores ------------------------------------------------------------------------ */

static pt_status onelsm_holdout(const pt_problem *problem, const pt_params *const *points,
                                int64_t n_points, const pt_partitions *partitions,
                                pt_holdout_fn take, void *context, const pt_task *task,
                                pt_error *err)
{
    const pt_ls_problem ls = ls_problem(problem);
    pt_ls_point *ls_points = pt_alloc(n_points, sizeof(pt_ls_point), "grid points", err);
    pt_status status = ls_points ? PT_OK : PT_ENOMEM;
    for (int64_t i = 0; i < n_points && status == PT_OK; i++) {
        ls_points[i].ridge = pt_params_real(points[i], PT_P_RIDGE);
        status = pt_kernel_from_params(&ls_points[i].kernel, points[i], err);
        if (status == PT_OK && pt_kernel_is_row(&ls_points[i].kernel))
            status = pt_ls_check_precomputed(&problem->rows, err);
    }
    pt_decoding decoding = {problem, points, partitions, take, context};
    if (status == PT_OK)
        status = pt_ls_holdout(&ls, ls_points, n_points, problem->rows.type, partitions,
                               pt_decode_holdout, &decoding, task, err);
    pt_free(ls_points);
    return status;
}

/* ---- the table entry ------------------------------------------------------------ */

const pt_machine_ops pt_machine_onelsm = {
    .name = "onelsm",
    .summary = "least squares, one matrix for all classes (HNR)",
    .parameters = "ridge,labelbook,label-kernel,label-sigma,label-degree,label-coef0,decode,"
                  "class-weight,precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT,
    .plan = onelsm_plan,
    .fit = onelsm_fit,
    .scores = pt_vector_machine_scores,
    .free = pt_vector_machine_free,
    .save = pt_vector_machine_save,
    .load = pt_vector_machine_load,
    .resolve = pt_ls_resolve,
    .holdout = onelsm_holdout,
};
