/* designed: the columns of a discrete code are learned as by the machine `code`, and then the code
 * is designed anew on what they say (CS sections 4 to 6).
 *
 *     class r  --code-->  signs  --learner-->  f(x) in R^ell  --designed M-->  score M_r . f(x)
 *
 * What the code is designed on are outputs of columns that have not seen the example
 * (cross_fit.c): on those that have, a learner that remembers its examples would look as if it knew
 * everything. With a kernel on the outputs the score of r is sum_i tau_ir k(h_i, f(x)). */
#include "machines/machine_designed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "machines/code_scores.h"
#include "machines/design_params.h"
#include "machines/machine_code.h"
#include "params/params_table.h"

typedef struct designed_machine {
    pt_machine base;
    pt_machine *columns; /* the machine `code` */
    pt_designed designed;
    bool signs;              /* of the outputs alone count */
    pt_design_result result; /* primal NAN: it comes from a file */
    double C;
    double cost;     /* held out; NAN: not known */
    double discrete; /* that of the discrete code before; NAN: not known */
} designed_machine;

static void designed_free(pt_machine *machine)
{
    designed_machine *m = (designed_machine *)machine;
    if (!m)
        return;
    if (m->columns)
        m->columns->ops->free(m->columns);
    pt_designed_free(&m->designed);
    pt_free(m);
}

const pt_designed *pt_machine_designed_code(const pt_machine *machine)
{
    return machine->ops == &pt_machine_designed ? &((const designed_machine *)machine)->designed
                                                : NULL;
}

/* ---- parameters --------------------------------------------------------------------------------
 */

static bool designed_uses(const pt_params *params, const char *parameter)
{
    if (strcmp(parameter, "auto-rows") == 0) /* C is chosen on them */
        return true;
    return pt_word_listed(pt_design_parameters, ',', parameter, strlen(parameter))
               ? pt_design_uses(params, parameter)
               : pt_machine_code.uses(params, parameter);
}

static bool designed_raw(const pt_params *params)
{
    return pt_machine_code.raw(params);
}

static pt_status designed_check(const pt_params *params, pt_error *err)
{
    char beside[256];
    snprintf(beside, sizeof beside, "%s,auto-rows", pt_design_parameters);
    const pt_status status = pt_code_check_params(params, beside, err);
    return status == PT_OK ? pt_design_check_params(params, err) : status;
}

/* Scores are inner products with the designed rows. */
static pt_status designed_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                                  pt_texts *warnings, pt_error *err)
{
    const pt_status status = pt_params_set(params, "decode", "inner", err);
    return status == PT_OK ? pt_code_resolve_columns(params, problem, task, warnings, err) : status;
}

/* ---- training ----------------------------------------------------------------------------------
 */

static pt_status designed_plan(const pt_problem *problem, const pt_params *params,
                               const pt_task *task, pt_plan *plan, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    const double folds = (double)pt_params_integer(params, PT_P_DESIGN_FOLDS);
    const double turns = (double)pt_params_integer(params, PT_P_INTERLEAVE) + 1;
    pt_code code = {0};
    pt_status status = pt_code_init(&code, params, k, problem->code, task, NULL, err);
    if (status == PT_OK)
        status = pt_machine_code.plan(problem, params, task, plan, err);
    plan->bytes += pt_design_round_bytes(problem->rows.n, k, code.ell);
    plan->flops *= 1 + folds * turns;
    pt_code_free(&code);
    return status;
}

pt_status pt_machine_designed_take(pt_machine **out, pt_design_round *round, pt_error *err)
{
    designed_machine *m = pt_alloc_zero(1, sizeof *m, "a machine", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = &pt_machine_designed;
    m->columns = round->columns;
    m->designed = round->designed;
    m->result = round->result;
    m->signs = round->signs;
    m->C = round->how.form == PT_DESIGN_SOFT ? round->how.C : NAN;
    m->cost = round->worth.cost;
    m->discrete = round->discrete;
    round->columns = NULL;
    round->designed = (pt_designed){0};
    *out = &m->base;
    return PT_OK;
}

static pt_status designed_fit(pt_machine **out, const pt_problem *problem, const pt_params *params,
                              const pt_task *task, pt_texts *warnings, pt_error *err)
{
    pt_design_round round = {0};
    round.discrete = NAN;
    pt_status status = pt_design_rounds(&round, problem, params, task, warnings, err);
    if (status == PT_OK)
        status = pt_machine_designed_take(out, &round, err);
    pt_design_round_free(&round);
    return status;
}

/* ---- what it says ------------------------------------------------------------------------------
 */

typedef struct scoring {
    const designed_machine *machine;
    double *scores;
    const pt_task *task;
} scoring;

/* Scores of the signs of outputs. */
static pt_status score_signs(const scoring *s, int64_t first, int64_t n, const double *outputs,
                             pt_error *err)
{
    const pt_designed *code = &s->machine->designed;
    double *signs = pt_alloc(n * code->ell, sizeof *signs, "signs of outputs", err);
    if (!signs)
        return PT_ENOMEM;
    memcpy(signs, outputs, (size_t)(n * code->ell) * sizeof *signs);
    pt_design_take_signs(signs, n * code->ell);
    const pt_status status =
        pt_designed_scores(code, n, signs, s->scores + first * code->k, s->task, err);
    pt_free(signs);
    return status;
}

static pt_status score_block(void *context, int64_t first, int64_t n, const double *outputs,
                             pt_error *err)
{
    const scoring *s = context;
    const pt_designed *code = &s->machine->designed;
    if (s->machine->signs)
        return score_signs(s, first, n, outputs, err);
    return pt_designed_scores(code, n, outputs, s->scores + first * code->k, s->task, err);
}

static pt_status designed_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                                 const pt_task *task, pt_error *err)
{
    const designed_machine *m = (const designed_machine *)machine;
    scoring s = {m, scores, task};
    return pt_code_outputs(m->columns, rows, score_block, &s, task, err);
}

static pt_machine_trees designed_trees(const pt_machine *machine)
{
    const designed_machine *m = (const designed_machine *)machine;
    return m->columns->ops->trees(m->columns);
}

static int64_t designed_figures(const pt_machine *machine, pt_figure *figures)
{
    const designed_machine *m = (const designed_machine *)machine;
    return m->columns->ops->figures(m->columns, figures);
}

static int64_t designed_real_figures(const pt_machine *machine, pt_real_figure *figures)
{
    const designed_machine *m = (const designed_machine *)machine;
    if (isnan(m->result.primal))
        return 0;
    if (isnan(m->result.norm)) { /* discrete */
        figures[0] = (pt_real_figure){"design_error", m->result.primal};
        figures[1] = (pt_real_figure){"design_error_bound", m->result.dual};
        figures[2] = (pt_real_figure){"held_out_cost", m->cost};
        figures[3] = (pt_real_figure){"discrete_cost", m->discrete};
        return 4;
    }
    figures[0] = (pt_real_figure){"design_C", m->C};
    figures[1] = (pt_real_figure){"design_norm", m->result.norm};
    figures[2] = (pt_real_figure){"design_slack", m->result.slack};
    figures[3] = (pt_real_figure){"primal", m->result.primal};
    figures[4] = (pt_real_figure){"dual", m->result.dual};
    figures[5] = (pt_real_figure){"held_out_cost", m->cost};
    figures[6] = (pt_real_figure){"discrete_cost", m->discrete};
    return 7;
}

/* ---- the file ----------------------------------------------------------------------------------
 */

static pt_status designed_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const designed_machine *m = (const designed_machine *)machine;
    const pt_status status = m->columns->ops->save(m->columns, pack, err);
    if (status == PT_OK)
        pt_designed_save(&m->designed, pack);
    return status;
}

/* What is left for the columns; values are those of the pack. */
static pt_status without_design(pt_pack *rest, const pt_pack *pack, pt_error *err)
{
    rest->arrays = pt_alloc_zero(pack->count, sizeof *rest->arrays, "a list of arrays", err);
    if (!rest->arrays)
        return PT_ENOMEM;
    for (int64_t i = 0; i < pack->count; i++)
        if (!pt_designed_owns(pack->arrays[i].name))
            rest->arrays[rest->count++] = pack->arrays[i];
    return PT_OK;
}

static pt_status load_parts(designed_machine *m, const pt_pack *pack, int64_t n_inputs,
                            int64_t n_classes, const pt_params *params, pt_error *err)
{
    pt_pack rest = {0};
    pt_status status = without_design(&rest, pack, err);
    if (status == PT_OK)
        status = pt_machine_code.load(&m->columns, &pt_machine_code, &rest, n_inputs, n_classes,
                                      params, err);
    pt_pack_free(&rest);
    if (status != PT_OK)
        return status;
    const int64_t ell = pt_machine_code.code_parts(m->columns).code->ell;
    return pt_designed_load(&m->designed, pack, n_classes, ell, pt_design_kernel_of(params), err);
}

static pt_status designed_load(pt_machine **out, const pt_machine_ops *ops, const pt_pack *pack,
                               int64_t n_inputs, int64_t n_classes, const pt_params *params,
                               pt_error *err)
{
    designed_machine *m = pt_alloc_zero(1, sizeof *m, "a machine", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = ops;
    m->result.primal = NAN;
    m->signs = pt_design_on_signs(params);
    const pt_status status = load_parts(m, pack, n_inputs, n_classes, params, err);
    if (status != PT_OK) {
        designed_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

/* ---- the table entry ---------------------------------------------------------------------------
 */

const pt_machine_ops pt_machine_designed = {
    .name = "designed",
    .summary = "columns learned for a code, and a continuous code designed on their outputs (CS)",
    .parameters =
        "code,columns,draws,paper,learner,single-call,ridge,C,eps,gap,bias,penalty,rounds,boost,"
        "polarity,stop-share,patience,noise,criterion,depth,min-leaf,bins,prune,norm,design-form,"
        "design-C,design-bound,design-folds,design-kernel,design-sigma,design-degree,interleave,"
        "incremental,design-entries,design-search,design-outputs,costs,class-weight,precision,auto-"
        "rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_RAW,
    .uses = designed_uses,
    .raw = designed_raw,
    .check = designed_check,
    .plan = designed_plan,
    .fit = designed_fit,
    .scores = designed_scores,
    .free = designed_free,
    .save = designed_save,
    .load = designed_load,
    .resolve = designed_resolve,
    .trees = designed_trees,
    .figures = designed_figures,
    .real_figures = designed_real_figures,
};
