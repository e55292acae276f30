/* oneLSM: the least-squares machine with one matrix for all classes, HNR eq. (24).
 *
 *     (K + gamma W^-1) A = Y ,   f(x) = A^T kappa_x ,   class = argmax_r M_r . f(x)
 *
 * Y has the label vector M_{y_i} of example i in row i (HNR prints the transpose). It is solved
 * once with indicators, Y = E; another labelbook M gives A M, and its decision is the same where
 * all classes are alike (HNR Theorem 5; decode_vectors.c), so what is kept are the indicators'
 * coefficients.
 *
 *   K   n x n   Gram matrix; W = diag(weights), gamma = --ridge
 *   A   n x k   column-major, double; d x k if linear with d < n (HNR Proposition 2)
 *
 * The routes to A are in ls_solve.c, held-out scores in ls_holdout.c, automatic parameters in
 * auto.c; what is done with A in expansion.c and vector_machine.c. */
#include "machine/machine.h"

#include "base/alloc.h"
#include "machines/squares/vector_machine.h"
#include "validate/squares/ls_machine.h"

/* ---- planning -------------------------------------------------------------------------------- */

static pt_status onelsm_plan(const pt_problem *problem, const pt_params *params,
                             const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)task;
    return pt_ls_plan(&problem->rows, params, pt_labels_n_classes(problem->labels), plan, err);
}

/* ---- training -------------------------------------------------------------------------------- */

static pt_status onelsm_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                            const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    pt_vector_machine *m = (pt_vector_machine *)machine;
    const pt_ls_problem ls = pt_ls_problem_of(problem);
    pt_expansion_parts parts;
    PT_TRY(pt_vector_machine_init(m, problem, params, false, err));
    PT_TRY(pt_ls_train(&parts, &ls, params, problem->rows.type, task, warnings, err));
    return pt_expansion_take(&m->expansion, &parts, err);
}

/* ---- held-out scores ------------------------------------------------------------------------- */

static pt_status onelsm_holdout(const pt_problem *problem, const pt_params *const *points,
                                int64_t n_points, const pt_partitions *partitions,
                                pt_holdout_fn take, void *context, const pt_task *task,
                                pt_error *err)
{
    const pt_ls_problem ls = pt_ls_problem_of(problem);
    pt_decoding decoding = {problem, points, partitions, take, context};
    PT_SCRATCH pt_ls_point *ls_points = NULL;
    PT_TRY(pt_ls_points(&ls_points, problem, points, n_points, err));
    return pt_ls_holdout(&ls, ls_points, n_points, problem->rows.type, partitions,
                         pt_decode_holdout, &decoding, task, err);
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_onelsm = {
    .name = "onelsm",
    .summary = "least squares, one matrix for all classes (HNR)",
    .parameters = "ridge,labelbook,label-kernel,label-sigma,label-degree,label-coef0,decode,"
                  "class-weight,precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT,
    .size = sizeof(pt_vector_machine),
    .plan = onelsm_plan,
    .fit = onelsm_fit,
    .scores = pt_vector_machine_scores,
    .free = pt_vector_machine_free,
    .parts = pt_vector_machine_parts,
    .save = pt_vector_machine_save,
    .load = pt_vector_machine_load,
    .guide = pt_ls_guide,
    .holdout = onelsm_holdout,
};
