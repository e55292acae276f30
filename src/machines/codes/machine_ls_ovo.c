/* ls-ovo: a binary least-squares machine for each pair of classes; what HNR measures oneLSM against
 * (Tables 5 and 6).
 *
 *     (K_pq + gamma W_pq^-1) a_pq = y_pq ,   f_pq(x) = a_pq . kappa_x ,   p < q
 *
 * on the examples of the classes p and q alone, y = +1 for p and -1 for q. The kernel values of a
 * pair are computed for it.
 *
 * Decision. HNR does not say how the pairs decide. Here they are decoded as the code of all pairs
 * (base/math.h): by default with Hamming distance, that is, every pair votes, an output of
 * exactly 0 gives half a vote to both, and ties go to the class that comes first; --decode inner
 * adds up outputs.
 *
 * The pairs are trained by the learner ls (learners/ls_sets.h); what is kept, and how it is used:
 * learners/pair_expansion.h. */
#include "machine/machine.h"

#include "learners/learner_ls.h"
#include "machine/code_scores.h"
#include "machines/codes/pair_machine.h"
#include "validate/auto.h"
#include "validate/coupling_slope.h"

static pt_columns columns_of(const pt_problem *problem)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    return (pt_columns){.n = problem->rows.n,
                        .group_of = problem->labels->class_of,
                        .groups = k,
                        .ell = pt_pairs_count(k),
                        .pairs = true,
                        .weight = problem->weight,
                        .names = &problem->labels->classes};
}

static pt_status ovo_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                          pt_plan *plan, pt_error *err)
{
    const pt_columns columns = columns_of(problem);
    return pt_learner_ls.plan(&problem->rows, &columns, params, task, plan, err);
}

static pt_status ovo_fit(pt_machine **out, const pt_problem *problem, const pt_params *params,
                         const pt_task *task, pt_texts *warnings, pt_error *err)
{
    const pt_columns columns = columns_of(problem);
    pt_pair_machine *m = NULL;
    pt_status status = pt_pair_machine_new(&m, &pt_machine_ls_ovo, columns.groups, params, err);
    if (status != PT_OK)
        return status;
    status = pt_ls_fit_pairs(&m->pairs, &problem->rows, &columns, params, task, warnings, err);
    if (status != PT_OK) {
        pt_pair_machine_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

/* Sigma and ridge as oneLSM chooses them; pairs vote unless the user says otherwise. */
static pt_status ovo_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                             pt_texts *warnings, pt_error *err)
{
    if (!pt_params_set_by_user(params, PT_P_DECODE))
        PT_TRY(pt_params_set(params, "decode", "hamming", err));
    PT_TRY(pt_auto_as_onelsm(params, problem, task, warnings, err));
    return pt_coupling_resolve(&pt_machine_ls_ovo, params, problem, task, err);
}

static pt_machine_code_parts ovo_code_parts(const pt_machine *machine)
{
    const pt_pair_machine *m = (const pt_pair_machine *)machine;
    return (pt_machine_code_parts){&m->code, &m->decoder, &pt_loss_square};
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_ls_ovo = {
    .name = "ls-ovo",
    .summary = "least squares, a binary machine for each pair of classes (HNR's comparator)",
    .parameters = "ridge,decode,coupling-slope,class-weight,precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE,
    .plan = ovo_plan,
    .fit = ovo_fit,
    .scores = pt_code_scores,
    .code_parts = ovo_code_parts,
    .outputs = pt_pair_machine_outputs,
    .own_columns = pt_pairs_count,
    .free = pt_pair_machine_free,
    .save = pt_pair_machine_save,
    .load = pt_pair_machine_load,
    .resolve = ovo_resolve,
};
