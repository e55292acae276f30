/* The composed machine (ASS): a code, a binary learner for its columns, a decoder.
 *
 *     class r  --code-->  signs M(r, s)  --learner-->  f_s(x)  --decoder-->  score of r
 *
 * The learner gets all columns at once (learners/learner.h), with --single-call as one problem
 * (learners/single_call.h). Outputs are decoded by blocks of rows. For the machine `designed`
 * columns are learned from labels of other kinds too (code_columns.h). */
#include "machines/codes/machine_code.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernels/kernel_params.h"
#include "learners/learner.h"
#include "machine/code_scores.h"
#include "machines/codes/code_columns.h"
#include "params/params_table.h"
#include "validate/auto.h"
#include "validate/coupling_slope.h"

static const int64_t ORDERS = 1; /* what the array `orders` says */

void pt_code_machine_free(pt_machine *machine)
{
    pt_code_machine *m = (pt_code_machine *)machine;
    pt_learner_free(m->learner);
    pt_free(m->alpha);
    pt_free(m->error);
    pt_free(m->signs);
    pt_code_free(&m->code);
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
                           const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    PT_TRY(pt_code_init(code, params, pt_labels_n_classes(problem->labels), problem->code, task,
                        warnings, err));
    return by_class(problem) ? PT_OK : pt_code_spell_out(code, err);
}

/* *columns <- what the learner is given; `order` (zero) is what it may be made of, freed by the
 * caller. */
static pt_status columns_of(pt_columns *columns, pt_order_columns *order, const pt_code *code,
                            const pt_problem *problem, const pt_params *params, pt_error *err)
{
    if (!by_class(problem))
        PT_TRY(pt_order_columns_init(order, code, problem, err));
    *columns = by_class(problem) ? pt_class_columns(code, problem) : order->columns;
    columns->single_call = pt_params_flag(params, PT_P_SINGLE_CALL);
    return PT_OK;
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

bool pt_code_machine_raw(const pt_params *params)
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
                           "`%s` is used neither by learner %s, which uses %s, nor by the code%s%s",
                           name, learner.name, *learner.parameters ? learner.parameters : "none",
                           family && *family->parameters ? ", which uses " : "",
                           family ? family->parameters : "");
    }
    if (pt_params_flag(params, PT_P_SINGLE_CALL) && uses(&learner, "kernel") &&
        pt_kernel_is_precomputed(params))
        return pt_fail(err, PT_EINVAL,
                       "`single-call`: the column becomes part of the examples, of which a "
                       "precomputed kernel does not know");
    return PT_OK;
}

static pt_status code_check(const pt_params *params, pt_error *err)
{
    return pt_code_check_params(params, "", err);
}

/* Some decoders are for all pairs, or for one-vs-all. */
static bool code_takes(const pt_params *params, pt_param_id id, const char *choice)
{
    const pt_code_family *family = pt_code_family_find(pt_params_text(params, PT_P_CODE));
    return id != PT_P_DECODE ||
           pt_decoder_suits(choice, family == &pt_code_ovo, family == &pt_code_ova);
}

pt_status pt_code_resolve_columns(pt_params *params, const pt_problem *problem, const pt_task *task,
                                  pt_warnings *warnings, pt_error *err)
{
    if (code_uses(params, "ridge"))
        return pt_code_ls_resolve(params, problem, task, warnings, err);
    if (!code_uses(params, "kernel"))
        return PT_OK;
    return pt_auto_by_training(problem->labels->kind == PT_LABEL_SET ? &pt_machine_relevance
                                                                     : &pt_machine_code,
                               params, problem, task, err);
}

static pt_status code_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                              pt_warnings *warnings, pt_error *err)
{
    PT_TRY(pt_code_resolve_columns(params, problem, task, warnings, err));
    return pt_coupling_resolve(&pt_machine_code, params, problem, task, err);
}

/* ---- training -------------------------------------------------------------------------------- */

pt_status pt_learner_check_rows(const pt_learner_ops *learner, const pt_problem *problem,
                                pt_error *err)
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
    const pt_learner_ops learner = pt_learner_of(params);
    PT_TRY(pt_learner_check_rows(&learner, problem, err));
    PT_TRY(make_code(&code, problem, params, task, NULL, err));
    PT_TRY(columns_of(&columns, &order, &code, problem, params, err));
    PT_TRY(pt_learner_plan(&learner, &problem->rows, &columns, params, task, plan, err));
    plan->bytes += pt_code_signs_bytes(&code) +
                   (by_class(problem) ? 0 : pt_order_columns_bytes(columns.n, columns.ell));
    return PT_OK;
}

/* ---- AdaBoost in a single call ------------------------------------------------------------------
 *
 * Weights and errors of its rounds, read off its stumps: AdaBoost.MO with a base learner that sees
 * the column as an attribute (ASS section 5). A discrete stump says +alpha_t or -alpha_t (0 on a
 * branch that training never took), and alpha_t = ln((1 - e_t)/e_t)/2, so that
 * e_t = 1/(1 + e^(2 alpha_t)). Where e_t was 0, alpha_t is that of a small e: what comes out of it
 * as Theorem 6 is then a little above the theorem, and holds. */

/* alpha <- what all leaves of a stump say but for signs and zeros; false: it is no such stump. */
static bool vote_of(const pt_forest *forest, int64_t tree, double *alpha)
{
    const int64_t root = forest->root[tree];
    const pt_node *node = root >= 0 ? &forest->node[root] : NULL;
    *alpha = 0;
    for (int b = 0; b < (node ? PT_BRANCHES : 1); b++) {
        const int64_t child = node ? node->child[b] : root;
        if (child >= 0)
            return false; /* deeper than a stump */
        const double size = fabs(forest->value[-1 - child]);
        if (size > 0 && *alpha > 0 && size != *alpha)
            return false;
        *alpha = size > 0 ? size : *alpha;
    }
    return true;
}

/* Only of the exponential loss alpha tells the error. */
static bool is_discrete_adaboost(const pt_learner *learner, const pt_params *params)
{
    const pt_learner_ops *ops = &learner->ops;
    return ops->forest && ops->rounds && pt_learner_loss(ops, params) == &pt_loss_exp &&
           pt_word_listed(ops->parameters, ',', "boost", strlen("boost")) &&
           strcmp(pt_params_text(params, PT_P_BOOST), "discrete") == 0;
}

static pt_status read_rounds(pt_code_machine *m, const pt_params *params, pt_error *err)
{
    if (!pt_params_flag(params, PT_P_SINGLE_CALL) || !is_discrete_adaboost(m->learner, params))
        return PT_OK;
    const pt_forest *forest = m->learner->ops.forest(m->learner);
    const int64_t n = forest->width == 1 ? forest->n_trees : 0;
    PT_TRY(PT_NEW(m->alpha, n, "rounds", err));
    PT_TRY(PT_NEW(m->error, n, "rounds", err));
    for (int64_t t = 0; t < n; t++) {
        if (!vote_of(forest, t, &m->alpha[t]))
            return PT_OK; /* there are none */
        m->error[t] = 1 / (1 + exp(2 * m->alpha[t]));
    }
    m->n_rounds = n;
    return PT_OK;
}

static pt_status code_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                          const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    pt_code_machine *m = (pt_code_machine *)machine;
    const pt_learner_ops learner = pt_learner_of(params);
    pt_columns columns = {0};
    PT_FREED_BY(pt_order_columns_free) pt_order_columns order = {0};
    m->loss = pt_learner_loss(&learner, params);
    m->orders = !by_class(problem);
    PT_TRY(pt_learner_check_rows(&learner, problem, err));
    PT_TRY(make_code(&m->code, problem, params, task, warnings, err));
    PT_TRY(pt_decoder_for_code(&m->decoder, params, &m->code, err));
    PT_TRY(pt_code_signs_keep(&m->signs, &m->code, err));
    PT_TRY(columns_of(&columns, &order, &m->code, problem, params, err));
    pt_started_learner start;
    if (problem->start) {
        const pt_code_machine *from = (const pt_code_machine *)problem->start->machine;
        PT_TRY(pt_code_check_start(&m->code, &from->code, err));
        start = (pt_started_learner){from->learner, problem->start->params};
        columns.start = &start;
    }
    PT_TRY(pt_learner_fit(&m->learner, &learner, &problem->rows, &columns, params, task, warnings,
                          err));
    return read_rounds(m, params, err);
}

void pt_describe_learner(pt_description *description, const pt_learner *learner)
{
    if (learner && learner->ops.figures)
        description->n_figures +=
            learner->ops.figures(learner, description->figure + description->n_figures);
}

/* ---- outputs --------------------------------------------------------------------------------- */

pt_status pt_code_machine_outputs(const pt_machine *machine, const pt_rows *rows, double *outputs,
                                  const pt_task *task, pt_error *err)
{
    const pt_code_machine *m = (const pt_code_machine *)machine;
    return pt_learner_outputs(m->learner, rows, outputs, task, err);
}

pt_status pt_code_machine_staged(const pt_machine *machine, const pt_rows *rows,
                                 const int64_t *rounds, int64_t n_rounds, pt_staged_fn take,
                                 void *context, const pt_task *task, pt_error *err)
{
    const pt_code_machine *m = (const pt_code_machine *)machine;
    if (!m->learner->ops.staged)
        return pt_fail(err, PT_ENOSUPPORT, "learner %s does not learn by rounds",
                       m->learner->ops.name);
    return pt_learner_staged(m->learner, rows, rounds, n_rounds, take, context, task, err);
}

pt_machine_parts pt_code_machine_parts(const pt_machine *machine)
{
    const pt_code_machine *m = (const pt_code_machine *)machine;
    const pt_learner_ops *learner = &m->learner->ops;
    pt_machine_parts parts = {.code = &m->code,
                              .decoder = &m->decoder,
                              .loss = m->loss,
                              .rounds = learner->rounds ? learner->rounds(m->learner) : 0,
                              .forest = learner->forest ? learner->forest(m->learner) : NULL};
    if (m->n_rounds > 0)
        parts.boosting = (pt_boost_rounds){m->n_rounds, m->alpha, m->error};
    return parts;
}

/* ---- the file ----------------------------------------------------------------------------------
 *
 * The code (code_columns.h), `orders` where columns were learned from other labels than classes,
 * and the arrays of the learner. */

pt_status pt_code_machine_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const pt_code_machine *m = (const pt_code_machine *)machine;
    PT_TRY(pt_pack_begin(pack, err));
    pt_code_signs_save(m->signs, &m->code, pack);
    if (m->orders)
        pt_pack_add_integers(pack, "orders", 1, &ORDERS);
    return m->learner->ops.save(m->learner, pack, err);
}

static pt_status load_orders(pt_code_machine *m, const pt_pack *pack, pt_error *err)
{
    const pt_array *orders = pt_pack_find(pack, "orders");
    m->orders = orders != NULL;
    if (orders && (!pt_array_is_index(orders, ORDERS + 1) || orders->rows != 1 ||
                   *(const int64_t *)orders->value != ORDERS || m->code.pairs))
        return pt_fail(err, PT_EFORMAT,
                       "the model does not say what its columns were learned from");
    return PT_OK;
}

pt_status pt_code_machine_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                               int64_t n_classes, const pt_params *params, int64_t *used,
                               const pt_task *task, pt_error *err)
{
    pt_code_machine *m = (pt_code_machine *)machine;
    const pt_learner_ops learner = pt_learner_of(params);
    int64_t of_code = 0;
    if (!learner.name)
        return pt_fail(err, PT_EFORMAT, "the model has no learner");
    m->loss = pt_learner_loss(&learner, params);
    PT_TRY(pt_code_signs_load(&m->code, &m->signs, pack, n_classes, &of_code, err));
    PT_TRY(pt_decoder_for_code(&m->decoder, params, &m->code, err));
    PT_TRY(load_orders(m, pack, err));
    const pt_columns columns = {.groups = m->code.k,
                                .ell = m->code.ell,
                                .pairs = m->code.pairs,
                                .passing = m->orders,
                                .single_call = pt_params_flag(params, PT_P_SINGLE_CALL),
                                .sign = m->code.M};
    PT_TRY(
        pt_learner_load(&m->learner, &learner, pack, n_inputs, &columns, params, used, task, err));
    *used += of_code + m->orders;
    return read_rounds(m, params, err);
}

pt_status pt_code_machine_describe(const pt_machine *machine, const pt_texts *classes,
                                   pt_description *description, pt_error *err)
{
    (void)classes;
    (void)err;
    const pt_code_machine *m = (const pt_code_machine *)machine;
    pt_describe_count(description, "columns", m->code.ell);
    pt_describe_learner(description, m->learner);
    return PT_OK;
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
    .warm = "decode,coupling-slope",
    .defaults = "decode=loss",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_RAW | PT_CAN_HOLDOUT |
                    PT_CAN_END_EARLY | PT_CAN_VALID,
    .uses = code_uses,
    .takes = code_takes,
    .raw = pt_code_machine_raw,
    .check = code_check,
    .size = sizeof(pt_code_machine),
    .plan = code_plan,
    .fit = code_fit,
    .scores = pt_code_scores,
    .parts = pt_code_machine_parts,
    .outputs = pt_code_machine_outputs,
    .staged = pt_code_machine_staged,
    .free = pt_code_machine_free,
    .save = pt_code_machine_save,
    .load = pt_code_machine_load,
    .resolve = code_resolve,
    .guide = pt_code_guide,
    .holdout = pt_code_holdout,
    .holdout_exact = pt_code_holdout_exact,
    .describe = pt_code_machine_describe,
};
