/* AdaBoost.MO (ASS section 5): all columns of a code are boosted at once, with one distribution
 * over pairs (i, s) of an example and a column in which its class takes part.
 *
 *     D_1(i, s) = w_i / sum of w over all such pairs
 *     round t:  one test, shared by all columns; on each of its branches b one vote for each column
 *
 *   discrete     h_t(x, s) = the sign of sum D(i, s) M(y_i, s) over the examples on x's branch;
 *                e_t = D of the pairs that h_t gets wrong, at most 1/2, and the least of all tests;
 *                alpha_t = ln((1 - e_t) / e_t) / 2,   f(x, s) += alpha_t h_t(x, s)
 *                e_t = 0: alpha_t as of e = c, and 0 is kept.   e_t = 1/2: the end
 *   confidence   f(x, s) += ln((W+ + c) / (W- + c)) / 2 with the weights of the pair's branch and
 *                column; the test has the smallest Z = 2 sum sqrt(W+ W-)
 *
 * and D_{t+1}(i, s) = D_t(i, s) e^(-M(y_i, s) (what was added)) / Z_t. c is half the smallest
 * weight of a pair at first: 1 / (2 n ell) where all are equal and the code has no zeros. So the
 * rule is AdaBoost's, of one hypothesis that has a branch for each branch of the test and column
 * (learners/boosting/learner_adaboost.c); the rounds are boosting's (learners/boosting/boost.c).
 * AdaBoost.MH is the case of the code one against all.
 *
 * eta = sum alpha_t and e_t are kept, for the margins and Theorem 6 of that section.
 * Time of a round: that of boosting the columns one by one. */
#include "machine/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "learners/boosting/boost.h"
#include "machine/code_scores.h"
#include "machines/codes/code_columns.h"
#include "params/params_table.h"
#include "validate/coupling_slope.h"

typedef struct mo {
    pt_machine base;
    pt_code code;
    double *signs;
    pt_code_decoder decoder;
    pt_forest forest; /* a tree for each round, of width ell */
    double *alpha;    /* rounds; NULL: confidence-rated */
    double *error;
} mo;

static void mo_free(pt_machine *machine)
{
    mo *m = (mo *)machine;
    pt_free(m->error);
    pt_free(m->alpha);
    pt_forest_free(&m->forest);
    pt_free(m->signs);
    pt_code_free(&m->code);
}

static bool is_discrete(const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_BOOST), "discrete") == 0;
}

/* ---- parameters, the plan, training ---------------------------------------------------------- */

static bool mo_takes(const pt_params *params, pt_param_id id, const char *choice)
{
    return pt_machine_code.takes(params, id, choice);
}

static bool mh_takes(const pt_params *params, pt_param_id id, const char *choice)
{
    (void)params;
    return id != PT_P_DECODE || pt_decoder_suits(choice, false, true);
}

static pt_status mo_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                            pt_warnings *warnings, pt_error *err)
{
    (void)warnings;
    return pt_coupling_resolve(&pt_machine_adaboost_mo, params, problem, task, err);
}

/* Parameters of codes count where the code that is named has them. */
static bool mo_uses(const pt_params *params, const char *parameter)
{
    static const char of_codes[] = "columns,draws,paper";
    const pt_code_family *family = pt_code_family_find(pt_params_text(params, PT_P_CODE));
    const size_t length = strlen(parameter);
    return !pt_word_listed(of_codes, ',', parameter, length) ||
           (family && pt_word_listed(family->parameters, ',', parameter, length));
}

static pt_status mo_check(const pt_params *params, pt_error *err)
{
    static const char *const names[] = {"columns", "draws", "paper"};
    for (int i = 0; i < 3; i++)
        if (pt_params_set_by_user(params, (pt_param_id)pt_param_find(names[i])) &&
            !mo_uses(params, names[i]))
            return pt_fail(err, PT_EINVAL, "`%s` is not used by the code %s", names[i],
                           pt_params_text(params, PT_P_CODE));
    return PT_OK;
}

static pt_status make_code(pt_code *code, const pt_machine_ops *ops, const pt_problem *problem,
                           const pt_params *params, const pt_task *task, pt_warnings *warnings,
                           pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    if (ops == &pt_machine_adaboost_mo)
        return pt_code_init(code, params, k, problem->code, task, warnings, err);
    pt_warnings remarks = {0};
    code->k = k;
    const pt_status status = pt_code_family_find("ova")->make(code, params, task, &remarks, err);
    pt_warnings_free(&remarks);
    return status;
}

static pt_status plan_machine(const pt_machine_ops *ops, const pt_problem *problem,
                              const pt_params *params, const pt_task *task, pt_plan *plan,
                              pt_error *err)
{
    PT_FREED_BY(pt_code_free) pt_code code = {0};
    const pt_boost_rule rule = pt_adaboost_rule(NULL, params);
    PT_TRY(make_code(&code, ops, problem, params, task, NULL, err));
    const pt_columns columns = pt_class_columns(&code, problem);
    pt_boost_plan(&problem->rows, &columns, &rule, PT_WEAK_SHARED, params, task, plan);
    plan->bytes += pt_code_signs_bytes(&code);
    snprintf(plan->route, sizeof plan->route, "%lld columns at once, %s stumps, %s",
             (long long)code.ell, pt_params_text(params, PT_P_BOOST),
             pt_params_integer(params, PT_P_BINS) > 1 ? "histograms" : "exact");
    return PT_OK;
}

static pt_status mo_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                         pt_plan *plan, pt_error *err)
{
    return plan_machine(&pt_machine_adaboost_mo, problem, params, task, plan, err);
}

static pt_status mh_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                         pt_plan *plan, pt_error *err)
{
    return plan_machine(&pt_machine_adaboost_mh, problem, params, task, plan, err);
}

/* The rounds of another one, of the same code. */
static pt_status take_start(mo *m, const mo *from, pt_error *err)
{
    PT_TRY(pt_code_check_start(&m->code, &from->code, err));
    return pt_forest_take_trees(&m->forest, &from->forest, err);
}

static pt_status mo_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                        const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    mo *m = (mo *)machine;
    const int64_t rounds = pt_params_integer(params, PT_P_ROUNDS);
    PT_TRY(make_code(&m->code, m->base.ops, problem, params, task, warnings, err));
    PT_TRY(pt_code_signs_keep(&m->signs, &m->code, err));
    PT_TRY(pt_decoder_for_code(&m->decoder, params, &m->code, err));
    PT_TRY(pt_forest_init(&m->forest, problem->rows.d, problem->rows.levels, m->code.ell, err));
    if (problem->start)
        PT_TRY(take_start(m, (const mo *)problem->start->machine, err));
    if (is_discrete(params)) {
        m->alpha = pt_alloc(rounds, sizeof *m->alpha, "rounds", err);
        m->error = pt_alloc(rounds, sizeof *m->error, "rounds", err);
        if (!m->alpha || !m->error)
            return PT_ENOMEM;
    }
    PT_FREED_BY(pt_adaboost_free) pt_adaboost a = {.alpha = m->alpha, .error = m->error};
    const pt_boost_rule rule = pt_adaboost_rule(&a, params);
    const pt_columns columns = pt_class_columns(&m->code, problem);
    return pt_boost(&m->forest, &problem->rows, &columns, &rule, PT_WEAK_SHARED, params, NULL, task,
                    warnings, err);
}

/* ---- outputs --------------------------------------------------------------------------------- */

static pt_machine_parts mo_parts(const pt_machine *machine)
{
    const mo *m = (const mo *)machine;
    pt_machine_parts parts = {.code = &m->code,
                              .decoder = &m->decoder,
                              .loss = &pt_loss_exp,
                              .rounds = m->forest.n_trees,
                              .forest = &m->forest};
    if (m->alpha)
        parts.boosting = (pt_boost_rounds){m->forest.n_trees, m->alpha, m->error};
    return parts;
}

static pt_status mo_outputs(const pt_machine *machine, const pt_rows *rows, double *outputs,
                            const pt_task *task, pt_error *err)
{
    const mo *m = (const mo *)machine;
    for (int64_t i = 0; i < rows->n * m->code.ell; i++)
        outputs[i] = 0;
    return pt_forest_add(&m->forest, 0, m->forest.n_trees, 1, rows, m->code.ell, outputs, task,
                         err);
}

static int64_t mh_columns(int64_t k)
{
    return k;
}

static pt_status mo_staged(const pt_machine *machine, const pt_rows *rows, const int64_t *rounds,
                           int64_t n_rounds, pt_staged_fn take, void *context, const pt_task *task,
                           pt_error *err)
{
    const mo *m = (const mo *)machine;
    return pt_forest_staged(&m->forest, rows, m->code.ell, rounds, n_rounds, take, context, task,
                            err);
}

/* ---- the file ----------------------------------------------------------------------------------
 *
 * code (not of all pairs), the forest, and where h is +1 or -1: alpha and error, one a round. */

static pt_status mo_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const mo *m = (const mo *)machine;
    PT_TRY(pt_pack_begin(pack, err));
    pt_code_signs_save(m->signs, &m->code, pack);
    if (m->alpha) {
        pt_pack_add(pack, "alpha", PT_F64, m->forest.n_trees, 1, m->alpha);
        pt_pack_add(pack, "error", PT_F64, m->forest.n_trees, 1, m->error);
    }
    return pt_forest_save(&m->forest, pack, err);
}

/* One number for each round, above `low` or equal to it, and below `high`. */
static pt_status load_rounds(double **to, const pt_pack *pack, const char *name, int64_t rounds,
                             double low, double high, pt_error *err)
{
    const pt_array *array = pt_pack_find(pack, name);
    if (!pt_array_is_real(array, PT_F64) || array->rows != rounds || array->columns != 1)
        return pt_fail(err, PT_EFORMAT, "the model's array %s is not one number a round", name);
    *to = pt_alloc(rounds, sizeof **to, "rounds", err);
    if (!*to)
        return PT_ENOMEM;
    memcpy(*to, array->value, (size_t)rounds * sizeof **to);
    for (int64_t t = 0; t < rounds; t++)
        if (!((*to)[t] >= low && (*to)[t] < high))
            return pt_fail(err, PT_EFORMAT, "the model's array %s has %g", name, (*to)[t]);
    return PT_OK;
}

static pt_status mo_load(pt_machine *machine, const pt_pack *pack, int64_t d, int64_t k,
                         const pt_params *params, int64_t *used, const pt_task *task, pt_error *err)
{
    mo *m = (mo *)machine;
    int64_t of_code = 0;
    int64_t of_forest = 0;
    const int64_t of_rounds = is_discrete(params) ? 2 : 0;
    PT_TRY(pt_code_signs_load(&m->code, &m->signs, pack, k, &of_code, err));
    if (m->code.pairs && m->base.ops == &pt_machine_adaboost_mh)
        return pt_fail(err, PT_EFORMAT, "the model lacks its code");
    PT_TRY(pt_decoder_for_code(&m->decoder, params, &m->code, err));
    PT_TRY(pt_forest_load(&m->forest, pack, d, m->code.ell, &of_forest, task, err));
    if (of_rounds)
        PT_TRY(load_rounds(&m->alpha, pack, "alpha", m->forest.n_trees, 0, INFINITY, err));
    if (of_rounds)
        PT_TRY(load_rounds(&m->error, pack, "error", m->forest.n_trees, 0, 0.5, err));
    *used = of_code + of_forest + of_rounds;
    return PT_OK;
}

static pt_status mo_describe(const pt_machine *machine, const pt_texts *classes,
                             pt_description *description, pt_error *err)
{
    (void)classes;
    (void)err;
    const mo *m = (const mo *)machine;
    pt_describe_count(description, "columns", m->code.ell);
    pt_describe_count(description, "rounds", m->forest.n_trees);
    return PT_OK;
}

/* ---- the table entries ----------------------------------------------------------------------- */

const pt_machine_ops pt_machine_adaboost_mo = {
    .name = "adaboost-mo",
    .summary =
        "AdaBoost.MO: all columns of a code boosted at once, by stumps that they share (ASS)",
    .parameters =
        "code,columns,draws,paper,decode,coupling-slope,rounds,boost,bins,min-leaf,min-leaf-weight,"
        "stop-share,patience,class-weight,precision",
    .warm = "rounds,patience,decode,coupling-slope",
    .defaults = "decode=loss",
    .loss = &pt_loss_exp,
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_RAW | PT_CAN_END_EARLY | PT_CAN_VALID,
    .uses = mo_uses,
    .takes = mo_takes,
    .check = mo_check,
    .size = sizeof(mo),
    .plan = mo_plan,
    .fit = mo_fit,
    .scores = pt_code_scores,
    .parts = mo_parts,
    .outputs = mo_outputs,
    .staged = mo_staged,
    .free = mo_free,
    .save = mo_save,
    .load = mo_load,
    .resolve = mo_resolve,
    .describe = mo_describe,
};

const pt_machine_ops pt_machine_adaboost_mh = {
    .name = "adaboost-mh",
    .summary = "AdaBoost.MH: one output for each class, boosted at once by stumps that they share",
    .parameters = "decode,rounds,boost,bins,min-leaf,min-leaf-weight,stop-share,patience,class-"
                  "weight,precision",
    .warm = "rounds,patience,decode",
    .defaults = "decode=loss",
    .loss = &pt_loss_exp,
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_RAW | PT_CAN_END_EARLY | PT_CAN_VALID,
    .takes = mh_takes,
    .size = sizeof(mo),
    .plan = mh_plan,
    .fit = mo_fit,
    .scores = pt_code_scores,
    .parts = mo_parts,
    .outputs = mo_outputs,
    .own_columns = mh_columns,
    .staged = mo_staged,
    .free = mo_free,
    .save = mo_save,
    .load = mo_load,
    .resolve = mo_resolve,
    .describe = mo_describe,
};
