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
#include "base/alloc.h"
#include "decoders/decoder.h"
#include "learners/learner_ls.h"
#include "learners/pair_expansion.h"
#include "machine/code_scores.h"
#include "machine/machine.h"
#include "validate/auto.h"
#include "validate/coupling_slope.h"

typedef struct ls_ovo {
    pt_machine base;
    pt_code code; /* all pairs */
    pt_code_decoder decoder;
    pt_pair_expansion pairs;
} ls_ovo;

static void ovo_free(pt_machine *machine)
{
    ls_ovo *m = (ls_ovo *)machine;
    pt_pair_expansion_free(&m->pairs);
    pt_code_free(&m->code);
}

/* Code and decoder of k classes; coefficients come later. */
static pt_status ovo_init(ls_ovo *m, int64_t k, const pt_params *params, pt_error *err)
{
    PT_TRY(pt_code_init_pairs(&m->code, k, err));
    PT_TRY(pt_decoder_for_code(&m->decoder, params, &m->code, err));
    m->pairs.k = k;
    m->pairs.ell = m->code.ell;
    return PT_OK;
}

static pt_columns columns_of(const pt_problem *problem)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    return (pt_columns){.n = problem->rows.n,
                        .group_of = problem->labels->class_of,
                        .groups = k,
                        .ell = pt_pairs_count(k),
                        .pairs = true,
                        .weight = problem->weight,
                        .names = &problem->labels->classes,
                        .ties = problem->ties};
}

static pt_status ovo_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                          pt_plan *plan, pt_error *err)
{
    const pt_columns columns = columns_of(problem);
    return pt_learner_ls.plan(&problem->rows, &columns, params, task, plan, err);
}

static pt_status ovo_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                         const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    ls_ovo *m = (ls_ovo *)machine;
    const pt_columns columns = columns_of(problem);
    PT_TRY(ovo_init(m, columns.groups, params, err));
    return pt_ls_fit_pairs(&m->pairs, &problem->rows, &columns, params, task, warnings, err);
}

static bool ovo_takes(const pt_params *params, pt_param_id id, const char *choice)
{
    (void)params;
    return id != PT_P_DECODE || pt_decoder_suits(choice, true, false);
}

/* Sigma and ridge as oneLSM chooses them. */
static pt_status ovo_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                             pt_warnings *warnings, pt_error *err)
{
    PT_TRY(pt_auto_as_onelsm(params, problem, task, warnings, err));
    return pt_coupling_resolve(&pt_machine_ls_ovo, params, problem, task, err);
}

static pt_machine_parts ovo_parts(const pt_machine *machine)
{
    const ls_ovo *m = (const ls_ovo *)machine;
    return (pt_machine_parts){.code = &m->code, .decoder = &m->decoder, .loss = &pt_loss_square};
}

static pt_status ovo_outputs(const pt_machine *machine, const pt_rows *rows, double *outputs,
                             const pt_task *task, pt_error *err)
{
    return pt_pair_expansion_outputs(&((const ls_ovo *)machine)->pairs, rows, outputs, task, err);
}

static pt_status ovo_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    PT_TRY(pt_pack_begin(pack, err));
    pt_pair_expansion_save(&((const ls_ovo *)machine)->pairs, pack);
    return PT_OK;
}

static pt_status ovo_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                          int64_t n_classes, const pt_params *params, int64_t *used,
                          const pt_task *task, pt_error *err)
{
    ls_ovo *m = (ls_ovo *)machine;
    PT_TRY(ovo_init(m, n_classes, params, err));
    return pt_pair_expansion_load(&m->pairs, pack, n_inputs, n_classes, params, used, task, err);
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_ls_ovo = {
    .name = "ls-ovo",
    .summary = "least squares, a binary machine for each pair of classes (HNR's comparator)",
    .parameters = "ridge,decode,coupling-slope,class-weight,precision,auto-rows,kernel",
    .defaults = "decode=hamming", /* pairs vote */
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE,
    .takes = ovo_takes,
    .size = sizeof(ls_ovo),
    .plan = ovo_plan,
    .fit = ovo_fit,
    .scores = pt_code_scores,
    .parts = ovo_parts,
    .outputs = ovo_outputs,
    .own_columns = pt_pairs_count,
    .free = ovo_free,
    .save = ovo_save,
    .load = ovo_load,
    .resolve = ovo_resolve,
};
