/* The composed machine (ASS): a code, a binary learner for its columns, a decoder.
 *
 *     class r  --code-->  signs M(r, s)  --learner-->  f_s(x)  --decoder-->  score of r
 *
 * The learner gets all columns at once (learners/learner.h), with --single-call as one problem
 * (learners/single_call.h). Outputs are decoded by blocks of rows. For the machine `designed`
 * columns are learned from labels of other kinds too (order_columns.h). */
#include "machines/codes/machine_code.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "learners/single_call.h"
#include "machine/code_scores.h"
#include "machine/machine.h"
#include "machines/codes/code_holdout.h"
#include "machines/codes/code_signs.h"
#include "machines/codes/order_columns.h"
#include "params/params_table.h"
#include "validate/auto.h"
#include "validate/coupling_slope.h"

static const int64_t ORDERS = 1; /* what the array `orders` says */

static void code_free(pt_machine *machine)
{
    pt_code_machine *m = (pt_code_machine *)machine;
    if (!m)
        return;
    if (m->learner)
        m->learner->ops->free(m->learner);
    pt_code_votes_free(&m->votes);
    pt_free(m->signs);
    pt_code_free(&m->code);
    pt_free(m);
}

static bool uses(const pt_learner_ops *learner, const char *parameter)
{
    return learner->name && pt_word_listed(learner->parameters, ',', parameter, strlen(parameter));
}

static bool by_class(const pt_problem *problem)
{
    return problem->labels->kind == PT_LABEL_CLASS;
}

/* *code <- that of the parameters; all pairs only where labels are classes, so that what is learned
 * and kept needs no other signs. */
static pt_status make_code(pt_code *code, const pt_problem *problem, const pt_params *params,
                           const pt_task *task, pt_texts *warnings, pt_error *err)
{
    const pt_status status = pt_code_init(code, params, pt_labels_n_classes(problem->labels),
                                          problem->code, task, warnings, err);
    return status == PT_OK && !by_class(problem) ? pt_code_spell_out(code, err) : status;
}

/* *columns <- what the learner is given; `order` (zero) is what it may be made of, freed by the
 * caller. */
static pt_status columns_of(pt_columns *columns, pt_order_columns *order, const pt_code *code,
                            const pt_problem *problem, pt_error *err)
{
    if (by_class(problem)) {
        *columns = pt_class_columns(code, problem);
        return PT_OK;
    }
    const pt_status status = pt_order_columns_init(order, code, problem, err);
    *columns = order->columns;
    return status;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Its own, those of the learner and those of the code. */
static bool code_uses(const pt_params *params, const char *parameter)
{
    static const char own[] = "machine,code,learner,decode,coupling-slope,single-call";
    const pt_learner_ops learner = pt_learner_of(params);
    const pt_code_family *family = pt_code_family_find(pt_params_text(params, PT_P_CODE));
    const size_t length = strlen(parameter);
    if (strcmp(parameter, "auto-rows") == 0) /* a kernel has what is chosen on them */
        return uses(&learner, "kernel");
    return pt_word_listed(own, ',', parameter, length) || uses(&learner, parameter) ||
           (family && pt_word_listed(family->parameters, ',', parameter, length));
}

static bool code_raw(const pt_params *params)
{
    return pt_learner_of(params).capabilities & PT_LEARNS_RAW;
}

static bool is_default(const pt_learner_ops *learner, const char *setting)
{
    return learner->defaults && pt_word_listed(learner->defaults, ',', setting, strlen(setting));
}

/* A learner that is linear by itself may be told so. */
static bool kernel_fits(const pt_learner_ops *learner, const pt_params *params)
{
    return uses(learner, "kernel") || (is_default(learner, "kernel=linear") &&
                                       strcmp(pt_params_text(params, PT_P_KERNEL), "linear") == 0);
}

pt_status pt_code_check_params(const pt_params *params, const char *beside, pt_error *err)
{
    const pt_learner_ops learner = pt_learner_of(params);
    const pt_code_family *family = pt_code_family_find(pt_params_text(params, PT_P_CODE));
    if (!learner.name)
        return pt_fail(err, PT_EINVAL, "there is no learner '%s'",
                       pt_params_text(params, PT_P_LEARNER));
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const char *name = pt_param_table[id].name;
        const pt_param_group_id group = pt_param_table[id].group;
        const bool used = pt_word_listed(beside, ',', name, strlen(name)) ? true
                          : id == PT_P_KERNEL         ? kernel_fits(&learner, params)
                          : group == PT_GROUP_KERNEL  ? code_uses(params, "kernel")
                          : group == PT_GROUP_MACHINE ? code_uses(params, name)
                                                      : true;
        if (pt_params_set_by_user(params, (pt_param_id)id) && !used)
            return pt_fail(err, PT_EINVAL,
                           "--%s is used neither by learner %s, which uses %s, nor by the code%s%s",
                           name, learner.name, *learner.parameters ? learner.parameters : "none",
                           family && *family->parameters ? ", which uses " : "",
                           family ? family->parameters : "");
    }
    if (pt_params_flag(params, PT_P_SINGLE_CALL) && uses(&learner, "kernel") &&
        pt_kernel_is_precomputed(params))
        return pt_fail(err, PT_EINVAL,
                       "--single-call: the column becomes part of the examples, of which a "
                       "precomputed kernel does not know");
    return PT_OK;
}

static pt_status code_check(const pt_params *params, pt_error *err)
{
    return pt_code_check_params(params, "", err);
}

pt_status pt_learner_settle(pt_params *params, pt_error *err)
{
    pt_status status = PT_OK;
    for (const char *at = pt_learner_of(params).defaults; at && *at && status == PT_OK;) {
        char setting[64];
        const size_t length = strcspn(at, ",");
        snprintf(setting, sizeof setting, "%.*s", (int)length, at);
        char *value = strchr(setting, '=');
        *value++ = '\0';
        if (!pt_params_is_set(params, setting))
            status = pt_params_set(params, setting, value, err);
        at += length + (at[length] == ',');
    }
    return status;
}

/* The learner's own loss to decode with. */
static pt_status settle_decoder(pt_params *params, pt_error *err)
{
    const pt_learner_ops learner = pt_learner_of(params);
    if (pt_params_set_by_user(params, PT_P_DECODE) &&
        strcmp(pt_params_text(params, PT_P_DECODE), "loss") != 0)
        return PT_OK;
    return pt_params_set(params, "decode", pt_learner_loss(&learner, params)->name, err);
}

pt_status pt_code_resolve_columns(pt_params *params, const pt_problem *problem, const pt_task *task,
                                  pt_texts *warnings, pt_error *err)
{
    pt_status status = pt_learner_settle(params, err);
    if (status == PT_OK && code_uses(params, "ridge"))
        status = pt_code_ls_resolve(params, problem, task, warnings, err);
    else if (status == PT_OK && code_uses(params, "kernel"))
        status = pt_auto_by_training(problem->labels->kind == PT_LABEL_SET ? &pt_machine_relevance
                                                                           : &pt_machine_code,
                                     params, problem, task, err);
    return status;
}

static pt_status code_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                              pt_texts *warnings, pt_error *err)
{
    PT_TRY(settle_decoder(params, err));
    PT_TRY(pt_code_resolve_columns(params, problem, task, warnings, err));
    return pt_coupling_resolve(&pt_machine_code, params, problem, task, err);
}

/* ---- training -------------------------------------------------------------------------------- */

/* Whether the learner takes what it would be given. */
static pt_status check_rows(const pt_learner_ops *learner, const pt_problem *problem, pt_error *err)
{
    if (problem->weight && !(learner->capabilities & PT_LEARNS_WEIGHTS))
        return pt_fail(err, PT_EINVAL, "learner %s does not take weights", learner->name);
    if (!problem->rows.dense && !(learner->capabilities & PT_LEARNS_SPARSE))
        return pt_fail(err, PT_EINVAL, "learner %s does not take sparse data", learner->name);
    return PT_OK;
}

static pt_status code_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                           pt_plan *plan, pt_error *err)
{
    PT_FREED_BY(pt_code_free) pt_code code = {0};
    pt_columns columns = {0};
    PT_FREED_BY(pt_order_columns_free) pt_order_columns order = {0};
    const pt_learner_ops learner = pt_learner_for_code(params);
    PT_TRY(check_rows(&learner, problem, err));
    PT_TRY(make_code(&code, problem, params, task, NULL, err));
    PT_TRY(columns_of(&columns, &order, &code, problem, err));
    PT_TRY(learner.plan(&problem->rows, &columns, params, task, plan, err));
    plan->bytes += pt_code_signs_bytes(&code) +
                   (by_class(problem) ? 0 : pt_order_columns_bytes(columns.n, columns.ell));
    return PT_OK;
}

static pt_status learn_columns(pt_code_machine *m, const pt_learner_ops *learner,
                               const pt_problem *problem, const pt_params *params,
                               const pt_task *task, pt_texts *warnings, pt_error *err)
{
    pt_columns columns = {0};
    PT_FREED_BY(pt_order_columns_free) pt_order_columns order = {0};
    PT_TRY(columns_of(&columns, &order, &m->code, problem, err));
    return learner->fit(&m->learner, &problem->rows, &columns, params, task, warnings, err);
}

static pt_status code_fit(pt_machine **out, const pt_problem *problem, const pt_params *params,
                          const pt_task *task, pt_texts *warnings, pt_error *err)
{
    pt_code_machine *m = pt_alloc_zero(1, sizeof *m, "a machine", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = &pt_machine_code;
    const pt_learner_ops learner = pt_learner_for_code(params);
    m->loss = pt_learner_loss(&learner, params);
    m->orders = !by_class(problem);
    pt_status status = check_rows(&learner, problem, err);
    if (status == PT_OK)
        status = make_code(&m->code, problem, params, task, warnings, err);
    if (status == PT_OK)
        status = pt_decoder_for_code(&m->decoder, params, &m->code, err);
    if (status == PT_OK)
        status = pt_code_signs_keep(&m->signs, &m->code, err);
    if (status == PT_OK)
        status = learn_columns(m, &learner, problem, params, task, warnings, err);
    if (status == PT_OK)
        status = pt_code_votes_init(&m->votes, m->learner, params, err);
    if (status != PT_OK) {
        code_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

/* ---- outputs --------------------------------------------------------------------------------- */

static pt_status code_outputs(const pt_machine *machine, const pt_rows *rows, double *outputs,
                              const pt_task *task, pt_error *err)
{
    const pt_code_machine *m = (const pt_code_machine *)machine;
    return m->learner->ops->outputs(m->learner, rows, outputs, task, err);
}

/* Learners that work by rounds have both of these. */
static int64_t code_rounds(const pt_machine *machine)
{
    const pt_code_machine *m = (const pt_code_machine *)machine;
    return m->learner->ops->rounds ? m->learner->ops->rounds(m->learner) : 0;
}

static pt_status code_staged(const pt_machine *machine, const pt_rows *rows, const int64_t *rounds,
                             int64_t n_rounds, pt_staged_fn take, void *context,
                             const pt_task *task, pt_error *err)
{
    const pt_code_machine *m = (const pt_code_machine *)machine;
    if (!m->learner->ops->staged)
        return pt_fail(err, PT_ENOSUPPORT, "learner %s does not learn by rounds",
                       m->learner->ops->name);
    return m->learner->ops->staged(m->learner, rows, rounds, n_rounds, take, context, task, err);
}

static bool code_boosting(const pt_machine *machine, pt_boost_rounds *rounds)
{
    const pt_code_votes *votes = &((const pt_code_machine *)machine)->votes;
    *rounds = (pt_boost_rounds){votes->n, votes->alpha, votes->error};
    return votes->n > 0;
}

static pt_machine_trees code_trees(const pt_machine *machine)
{
    const pt_learner *learner = ((const pt_code_machine *)machine)->learner;
    return (pt_machine_trees){learner->ops->forest ? learner->ops->forest(learner) : NULL, false};
}

static pt_machine_code_parts code_parts(const pt_machine *machine)
{
    const pt_code_machine *m = (const pt_code_machine *)machine;
    return (pt_machine_code_parts){&m->code, &m->decoder, m->loss};
}

/* ---- the file ----------------------------------------------------------------------------------
 *
 * The code (code_signs.h), `orders` where columns were learned from other labels than classes, and
 * the arrays of the learner. */

static pt_status code_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const pt_code_machine *m = (const pt_code_machine *)machine;
    PT_TRY(pt_pack_begin(pack, err));
    pt_code_signs_save(m->signs, &m->code, pack);
    if (m->orders)
        pt_pack_add_integers(pack, "orders", 1, &ORDERS);
    return m->learner->ops->save(m->learner, pack, err);
}

static pt_status load_orders(pt_code_machine *m, const pt_pack *pack, pt_error *err)
{
    const pt_array *orders = pt_pack_find(pack, "orders");
    m->orders = orders != NULL;
    if (orders && (!pt_array_is_index(orders, ORDERS + 1) || orders->rows != 1 ||
                   *(const int64_t *)orders->value != ORDERS || m->code.pairs))
        return pt_fail(err, PT_EFORMAT,
                       "the model does not tell what its columns are learned from");
    return PT_OK;
}

static pt_status code_load(pt_machine **out, const pt_machine_ops *ops, const pt_pack *pack,
                           int64_t n_inputs, int64_t n_classes, const pt_params *params,
                           pt_error *err)
{
    const pt_learner_ops learner = pt_learner_for_code(params);
    pt_code_machine *m = pt_alloc_zero(1, sizeof *m, "a machine", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = ops;
    m->loss = pt_learner_loss(&learner, params);
    int64_t of_code = 0;
    int64_t used = 0;
    pt_status status = learner.name ? PT_OK : pt_fail(err, PT_EFORMAT, "the model has no learner");
    if (status == PT_OK)
        status = pt_code_signs_load(&m->code, &m->signs, pack, n_classes, &of_code, err);
    if (status == PT_OK)
        status = pt_decoder_for_code(&m->decoder, params, &m->code, err);
    if (status == PT_OK)
        status = load_orders(m, pack, err);
    const pt_columns columns = {.groups = m->code.k,
                                .ell = m->code.ell,
                                .pairs = m->code.pairs,
                                .passing = m->orders,
                                .sign = m->code.M};
    if (status == PT_OK)
        status = learner.load(&m->learner, pack, n_inputs, &columns, params, &used, err);
    if (status == PT_OK && used + of_code + m->orders != pack->count)
        status = pt_fail(err, PT_EFORMAT, "the model has arrays that %s has not", learner.name);
    if (status == PT_OK)
        status = pt_code_votes_init(&m->votes, m->learner, params, err);
    if (status != PT_OK) {
        code_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

static int64_t code_figures(const pt_machine *machine, pt_figure *figures)
{
    const pt_code_machine *m = (const pt_code_machine *)machine;
    figures[0] = (pt_figure){"columns", m->code.ell};
    const pt_learner_ops *learner = m->learner->ops;
    return 1 + (learner->figures ? learner->figures(m->learner, figures + 1) : 0);
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_code = {
    .name = "code",
    .summary = "a code, a binary learner for each of its columns, a decoder (ASS)",
    .parameters =
        "code,columns,draws,paper,learner,decode,coupling-slope,single-call,ridge,C,eps,gap,bias,"
        "penalty,update,epochs,alpha,rounds,boost,polarity,stop-share,patience,noise,criterion,"
        "depth,min-leaf,min-leaf-weight,bins,"
        "prune,"
        "class-weight,"
        "precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_RAW | PT_CAN_HOLDOUT | PT_CAN_END_EARLY,
    .uses = code_uses,
    .raw = code_raw,
    .check = code_check,
    .plan = code_plan,
    .fit = code_fit,
    .scores = pt_code_scores,
    .code_parts = code_parts,
    .outputs = code_outputs,
    .rounds = code_rounds,
    .staged = code_staged,
    .boosting = code_boosting,
    .free = code_free,
    .save = code_save,
    .load = code_load,
    .resolve = code_resolve,
    .guide = pt_code_guide,
    .holdout = pt_code_holdout,
    .holdout_exact = pt_code_holdout_exact,
    .trees = code_trees,
    .figures = code_figures,
};
