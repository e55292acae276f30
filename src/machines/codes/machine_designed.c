/* designed: the columns of a discrete code are learned by another machine (--design-machine), and
 * then the code is designed anew on what they say (CS sections 4 to 6).
 *
 *     class r  --code-->  signs  --learner-->  f(x) in R^ell  --designed M-->  score M_r . f(x)
 *
 * What the code is designed on are outputs of columns that have not seen the example
 * (cross_fit.c): on those that have, a learner that remembers its examples would look as if it knew
 * everything. With a kernel on the outputs the score of r is sum_i tau_ir k(h_i, f(x)). The form
 * pairs is constraint classification on the outputs (HRZ section 6, design_pairs.c), and
 * takes sets, rankings and pairs of classes too: columns are then learned from what the pairs of a
 * label say of the two sides of a column (order_columns.c). */
#include "machines/codes/machine_designed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "machine/code_scores.h"
#include "machine/subproblem.h"
#include "machines/codes/machine_code.h"
#include "params/params_table.h"
#include "validate/auto.h"

typedef struct designed_machine {
    pt_machine base;
    pt_machine *columns;
    pt_designed designed;
    bool signs;              /* of the outputs alone count */
    bool orders;             /* trained on labels that are no classes */
    pt_design_result result; /* primal NAN: it comes from a file */
    double C;
    double cost;     /* held out; NAN: not known */
    double discrete; /* that of the discrete code before; NAN: not known */
} designed_machine;

static void designed_free(pt_machine *machine)
{
    designed_machine *m = (designed_machine *)machine;
    pt_machine_free(m->columns);
    pt_designed_free(&m->designed);
}

const pt_designed *pt_machine_designed_code(const pt_machine *machine)
{
    return machine->ops == &pt_machine_designed ? &((const designed_machine *)machine)->designed
                                                : NULL;
}

const pt_machine *pt_machine_designed_columns(const pt_machine *machine)
{
    return machine->ops == &pt_machine_designed ? ((const designed_machine *)machine)->columns
                                                : machine;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static bool designed_uses(const pt_params *params, const char *parameter)
{
    const int id = pt_param_find(parameter);
    if (id == PT_P_AUTO_ROWS) /* C is chosen on them */
        return true;
    return id >= 0 && pt_design_owns((pt_param_id)id)
               ? pt_design_uses(params, (pt_param_id)id)
               : pt_machine_uses(pt_design_columns(params), params, parameter);
}

static bool designed_raw(const pt_params *params)
{
    return pt_machine_takes_raw(pt_design_columns(params), params);
}

/* Without its design, which rows of the code stand in for. */
static bool designed_ends_early(const pt_params *params)
{
    return pt_design_kernel_of(params)->linear;
}

/* *own <- what the user has set, without what is the design's alone. */
static pt_status params_of_columns(pt_params **own, const pt_params *params, pt_error *err)
{
    const pt_machine_ops *ops = pt_design_columns(params);
    PT_TRY(pt_params_new(own, err));
    PT_TRY(pt_params_offer(*own, params, err));
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const char *name = pt_param_table[id].name;
        const bool shared =
            id == PT_P_AUTO_ROWS || id == PT_P_MACHINE || pt_design_owns((pt_param_id)id);
        if (pt_params_set_by_user(params, (pt_param_id)id) &&
            (!shared || (id != PT_P_MACHINE && pt_machine_uses(ops, params, name))))
            PT_TRY(pt_params_take(*own, (pt_param_id)id, params, err));
    }
    return PT_OK;
}

/* Refuses what is neither the design's nor of use to the machine of the columns. */
static pt_status check_used(const pt_machine_ops *ops, const pt_params *own, pt_error *err)
{
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const pt_param_group_id group = pt_param_table[id].group;
        const char *name = group == PT_GROUP_KERNEL ? "kernel" : pt_param_table[id].name;
        if ((group == PT_GROUP_KERNEL || group == PT_GROUP_MACHINE) &&
            pt_params_set_by_user(own, (pt_param_id)id) && !pt_machine_uses(ops, own, name))
            return pt_fail(err, PT_EINVAL, "`%s` is not used by `design-machine=%s`, which uses %s",
                           pt_param_table[id].name, ops->name, ops->parameters);
    }
    return PT_OK;
}

static pt_status designed_check(const pt_params *params, pt_error *err)
{
    const pt_machine_ops *ops = pt_design_columns(params);
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_TRY(params_of_columns(&own, params, err));
    if (ops->check)
        PT_TRY(ops->check(own, err));
    if (ops != &pt_machine_code) /* which has refused more, and better */
        PT_TRY(check_used(ops, own, err));
    return pt_design_check_params(params, err);
}

/* Sets, rankings and pairs are for the form pairs, which is theirs where no other is named. */
static pt_status settle_form(pt_params *params, pt_label_kind kind, pt_error *err)
{
    const pt_machine_ops *ops = pt_design_columns(params);
    const char *form = pt_params_text(params, PT_P_DESIGN_FORM);
    if (kind == PT_LABEL_CLASS)
        return PT_OK;
    if (ops != &pt_machine_code)
        return pt_fail(err, PT_EINVAL,
                       "`design-machine=%s` learns its columns from classes, not from labels of "
                       "kind '%s'; code does",
                       ops->name, pt_label_kind_name(kind));
    if (!pt_params_set_by_user(params, PT_P_DESIGN_FORM))
        PT_TRY(pt_params_set(params, "design-form", "pairs", err));
    else if (strcmp(form, "pairs") != 0)
        return pt_fail(err, PT_EINVAL,
                       "`design-form=%s` is for classes; labels of kind '%s' are for pairs", form,
                       pt_label_kind_name(kind));
    return pt_design_check_params(params, err);
}

static pt_status designed_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                                  pt_warnings *warnings, pt_error *err)
{
    const pt_machine_ops *ops = pt_design_columns(params);
    pt_problem columns = *problem; /* of the code as it is before it is designed */
    columns.chosen = NULL;
    PT_TRY(settle_form(params, problem->labels->kind, err));
    return pt_machine_resolve(ops, params, &columns, task, warnings, err);
}

/* ---- training -------------------------------------------------------------------------------- */

static pt_status designed_plan(const pt_problem *problem, const pt_params *params,
                               const pt_task *task, pt_plan *plan, pt_error *err)
{
    const pt_machine_ops *ops = pt_design_columns(params);
    const int64_t k = pt_labels_n_classes(problem->labels);
    const double folds = (double)pt_params_integer(params, PT_P_DESIGN_FOLDS);
    const double turns = (double)pt_params_integer(params, PT_P_INTERLEAVE) + 1;
    PT_FREED_BY(pt_code_free) pt_code code = {0};
    if (!ops->own_columns)
        PT_TRY(pt_code_init(&code, params, k, problem->code, task, NULL, err));
    PT_TRY(ops->plan(problem, params, task, plan, err));
    plan->flops *= 1 + folds * turns;
    pt_design_round_plan(problem, params, ops->own_columns ? ops->own_columns(k) : code.ell, task,
                         plan);
    return PT_OK;
}

/* What the round made becomes the machine's. */
static void take_round(designed_machine *m, pt_design_round *round)
{
    m->columns = pt_keep(&round->columns);
    m->designed = round->designed;
    m->result = round->result;
    m->signs = round->signs;
    m->orders = !round->data.class_of;
    m->C = pt_design_weighs(round->how.form) ? round->how.C : NAN;
    m->cost = round->worth.cost;
    m->discrete = round->discrete;
    round->designed = (pt_designed){0};
}

pt_status pt_machine_designed_take(pt_machine **out, pt_design_round *round, pt_error *err)
{
    pt_machine *machine = pt_machine_new(&pt_machine_designed, err);
    if (!machine)
        return PT_ENOMEM;
    take_round((designed_machine *)machine, round);
    *out = machine;
    return PT_OK;
}

static pt_status designed_fit(pt_machine *machine, const pt_problem *problem,
                              const pt_params *params, const pt_task *task, pt_warnings *warnings,
                              pt_error *err)
{
    PT_FREED_BY(pt_design_round_free) pt_design_round round = {.discrete = NAN};
    PT_FREED_BY(pt_subproblem_free) pt_subproblem examples = {0};
    /* parts of a row may be in several folds */
    PT_TRY(pt_subproblem_examples(&examples, problem, PT_FOLDED_EXAMPLES,
                                  pt_kernel_is_precomputed(params), task, err));
    PT_TRY(pt_design_rounds(&round, &examples.problem, params, task, warnings, err));
    take_round((designed_machine *)machine, &round);
    return PT_OK;
}

/* ---- what it says ---------------------------------------------------------------------------- */

typedef struct row_scorer {
    const designed_machine *machine;
    double *scores;
    const pt_task *task;
} row_scorer;

static pt_status score_block(void *context, int64_t first, int64_t n, const double *outputs,
                             pt_error *err)
{
    const row_scorer *s = context;
    const pt_designed *code = &s->machine->designed;
    PT_SCRATCH double *signs = NULL;
    if (s->machine->signs) {
        PT_TRY(PT_NEW(signs, n * code->ell, "signs of outputs", err));
        memcpy(signs, outputs, (size_t)(n * code->ell) * sizeof *signs);
        pt_design_take_signs(signs, n * code->ell);
    }
    return pt_designed_scores(code, n, signs ? signs : outputs, s->scores + first * code->k,
                              s->task, err);
}

static pt_status designed_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                                 const pt_task *task, pt_error *err)
{
    const designed_machine *m = (const designed_machine *)machine;
    row_scorer s = {m, scores, task};
    return pt_code_outputs(m->columns, rows, score_block, &s, task, err);
}

/* The discrete code of the columns, with which nothing decodes, and their trees. */
static pt_machine_parts designed_parts(const pt_machine *machine)
{
    const designed_machine *m = (const designed_machine *)machine;
    const pt_machine_parts columns = m->columns->ops->parts(m->columns);
    return (pt_machine_parts){.code = columns.code,
                              .loss = columns.loss,
                              .forest = columns.forest,
                              .shares = columns.shares};
}

static pt_status designed_outputs(const pt_machine *machine, const pt_rows *rows, double *outputs,
                                  const pt_task *task, pt_error *err)
{
    const designed_machine *m = (const designed_machine *)machine;
    return m->columns->ops->outputs(m->columns, rows, outputs, task, err);
}

/* What the columns say of themselves; with a kernel on the outputs in place of their words the
 * support patterns of each class; and how the design went. */
static pt_status designed_describe(const pt_machine *machine, const pt_texts *classes,
                                   pt_description *description, pt_error *err)
{
    enum { MOST_CLASSES = 1000 }; /* more are nothing to read */
    const designed_machine *m = (const designed_machine *)machine;
    PT_TRY(pt_machine_describe(description, m->columns, classes, err));
    if (!pt_designed_rows(&m->designed)) {
        pt_describe_count(description, "design_patterns", m->designed.expansion.n_coef);
        pt_free(description->words);
        description->words = NULL;
        description->words_name = "design_patterns_of";
        if (classes && classes->count <= MOST_CLASSES && !m->orders)
            PT_TRY(pt_designed_pattern_words(&description->words, &m->designed, classes, err));
    }
    if (isnan(m->result.primal))
        return PT_OK;
    const bool discrete = isnan(m->result.norm);
    if (!discrete) {
        pt_describe_real(description, "design_C", m->C);
        pt_describe_real(description, "design_norm", m->result.norm);
        pt_describe_real(description, "design_slack", m->result.slack);
    }
    pt_describe_real(description, discrete ? "design_error" : "primal", m->result.primal);
    pt_describe_real(description, discrete ? "design_error_bound" : "dual", m->result.dual);
    pt_describe_real(description, "held_out_cost", m->cost);
    pt_describe_real(description, "discrete_cost", m->discrete);
    return PT_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static pt_status designed_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const designed_machine *m = (const designed_machine *)machine;
    PT_TRY(m->columns->ops->save(m->columns, pack, err));
    pt_designed_save(&m->designed, pack);
    return PT_OK;
}

static pt_status designed_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                               int64_t n_classes, const pt_params *params, int64_t *used,
                               const pt_task *task, pt_error *err)
{
    designed_machine *m = (designed_machine *)machine;
    const pt_machine_ops *columns = pt_design_columns(params);
    PT_FREED_BY(pt_pack_free)
    pt_pack rest = {0}; /* for the columns; values are those of the pack */
    m->result.primal = NAN;
    m->signs = pt_design_on_signs(params);
    PT_TRY(PT_NEW_ZERO(rest.arrays, pack->count, "a list of arrays", err));
    for (int64_t i = 0; i < pack->count; i++)
        if (!pt_designed_owns(pack->arrays[i].name))
            rest.arrays[rest.count++] = pack->arrays[i];
    PT_TRY(pt_machine_load(&m->columns, columns, &rest, n_inputs, n_classes, params, task, err));
    const int64_t ell = columns->parts(m->columns).code->ell;
    m->orders = columns == &pt_machine_code && ((const pt_code_machine *)m->columns)->orders;
    PT_TRY(pt_designed_load(&m->designed, pack, n_classes, ell, pt_design_kernel_of(params), err));
    if (pt_designed_has_bias(&m->designed) != m->orders)
        return pt_fail(err, PT_EFORMAT, "the model's designed code does not fit its columns");
    *used = pack->count; /* the others are the designed code's own, which has checked them */
    return PT_OK;
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_designed = {
    .name = "designed",
    .summary = "columns learned for a code, and a continuous code designed on their outputs (CS)",
    .parameters =
        "code,columns,draws,paper,learner,single-call,ridge,C,eps,gap,bias,penalty,update,epochs,"
        "alpha,rounds,boost,"
        "polarity,stop-share,patience,noise,criterion,depth,min-leaf,min-leaf-weight,bins,prune,"
        "norm,design-form,"
        "design-C,design-bound,design-folds,design-kernel,design-sigma,design-degree,interleave,"
        "incremental,design-entries,design-search,design-outputs,design-machine,costs,class-weight,"
        "precision,auto-"
        "rows,kernel",
    .defaults = "decode=inner", /* with the designed rows */
    .label_kinds =
        1u << PT_LABEL_CLASS | 1u << PT_LABEL_SET | 1u << PT_LABEL_RANKING | 1u << PT_LABEL_PAIRS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_RAW | PT_CAN_END_EARLY,
    .uses = designed_uses,
    .raw = designed_raw,
    .ends_early = designed_ends_early,
    .check = designed_check,
    .size = sizeof(designed_machine),
    .plan = designed_plan,
    .fit = designed_fit,
    .scores = designed_scores,
    .parts = designed_parts,
    .outputs = designed_outputs,
    .free = designed_free,
    .save = designed_save,
    .load = designed_load,
    .resolve = designed_resolve,
    .describe = designed_describe,
};
