/* rank-ls: oneLSM (HNR eq. 24) on numbers that say where the classes stand in the order that a
 * label is (HRZ): a comparator for constraint classification, as fast as one binary machine.
 *
 *     (K + gamma W^-1) A = Y - 1 mu^T ,   f(x) = mu + A^T kappa_x
 *
 * Row i of Y has the targets of example i (rank_targets.h), mu is their mean by weight. So the mean
 * order is what it says where the kernel says nothing, and the ridge pulls towards that and not
 * towards 0. The classes in descending order of f are the ranking, those above 0 the set, the first
 * one the class.
 *
 *   K   n x n   Gram matrix; W = diag(weights), gamma = --ridge
 *   Y   n x k   column-major, whole numbers from 1 - k to k - 1
 *   A   n x k   column-major, double; d x k if linear with d < n (HNR Proposition 2)
 *
 * Time n^3/3 + O(n^2 k), memory n^2/2 of the factor's type, as oneLSM; the routes to A are in
 * ls_solve.c. Held-out scores have a closed form. */
#include "machine/machine.h"

#include <string.h>

#include "base/alloc.h"
#include "kernels/expansion.h"
#include "validate/squares/ls_machine.h"
#include "validate/squares/rank_targets.h"

/* ---- training -------------------------------------------------------------------------------- */

static pt_status rank_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                           pt_plan *plan, pt_error *err)
{
    (void)task;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const pt_status status = pt_ls_plan(&problem->rows, params, k, plan, err);
    plan->bytes += 8 * (double)k * (double)problem->rows.n; /* Y */
    return status;
}

/* Y <- targets less their means, which are left in mu. */
static pt_status centred_targets(double *Y, double *mu, const pt_problem *problem, pt_error *err)
{
    const int64_t n = problem->rows.n;
    PT_TRY(pt_rank_targets(Y, problem->labels, err));
    pt_rank_means(mu, Y, problem);
    for (int64_t r = 0; r < pt_labels_n_classes(problem->labels); r++)
        for (int64_t i = 0; i < n; i++)
            Y[r * n + i] -= mu[r];
    return PT_OK;
}

/* The bias of the expansion is mu. */
static pt_status rank_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                          const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    PT_SCRATCH double *Y = pt_alloc(k, (size_t)n * sizeof *Y, "targets", err);
    PT_SCRATCH double *mu = pt_alloc(k, sizeof *mu, "a bias", err);
    if (!Y || !mu)
        return PT_ENOMEM;
    const pt_ls_problem ls = {&problem->rows, NULL, k, problem->weight, Y};
    pt_expansion_parts parts = {0};
    PT_TRY(centred_targets(Y, mu, problem, err));
    PT_TRY(pt_ls_train(&parts, &ls, params, problem->rows.type, task, warnings, err));
    parts.bias = pt_keep(&mu);
    return pt_expansion_take(&((pt_expansion_machine *)machine)->expansion, &parts, err);
}

/* ---- held-out scores, automatic parameters --------------------------------------------------- */

static pt_ls_auto_fn rank_guide(const pt_problem *problem, const pt_params *params)
{
    (void)problem;
    (void)params;
    return pt_rank_holdout;
}

static pt_status rank_holdout(const pt_problem *problem, const pt_params *const *points,
                              int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                              void *context, const pt_task *task, pt_error *err)
{
    return pt_ls_holdout_by(pt_rank_holdout, problem, points, n_points, partitions, take, context,
                            task, err);
}

/* ---- the file, the table entry --------------------------------------------------------------- */

static pt_status rank_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                           int64_t n_classes, const pt_params *params, int64_t *used,
                           const pt_task *task, pt_error *err)
{
    PT_TRY(pt_expansion_machine_load(machine, pack, n_inputs, n_classes, params, used, task, err));
    if (!((const pt_expansion_machine *)machine)->expansion.bias)
        return pt_fail(err, PT_EFORMAT, "the model lacks its bias");
    return PT_OK;
}

const pt_machine_ops pt_machine_rank_ls = {
    .name = "rank-ls",
    .summary = "least squares on the places of the classes in the order of a label",
    .parameters = "ridge,class-weight,precision,auto-rows,kernel",
    .label_kinds =
        1u << PT_LABEL_CLASS | 1u << PT_LABEL_SET | 1u << PT_LABEL_RANKING | 1u << PT_LABEL_PAIRS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT,
    .size = sizeof(pt_expansion_machine),
    .plan = rank_plan,
    .fit = rank_fit,
    .scores = pt_expansion_machine_scores,
    .free = pt_expansion_machine_free,
    .save = pt_expansion_machine_save,
    .load = rank_load,
    .guide = rank_guide,
    .holdout = rank_holdout,
};
