/* relevance: binary relevance (Tsoumakas and Katakis 2007). For each class r a binary learner tells
 * the examples whose sets have r, +1, from the others, -1; its margin is the score of r, and the
 * classes above 0 are the set. On labels of kind class that is one-vs-all.
 *
 *     s_r(x) = f_r(x) ,   set = { r : f_r(x) > 0 }
 *
 * Any learner of src/learners serves. It gets all classes at once: rows with the same set are a
 * group, which is on one side in every column (learners/learner.h), so that kernel values, sorted
 * features and factorisations are made once. A class that every set has, or none, has nothing to
 * learn: its score is 1, or -1, everywhere.
 *
 *   ell    columns: classes that some sets have and others have not
 *   side   k: LEARNED, NEVER or ALWAYS
 *   sign   groups x ell: +1 where the set has the class of the column, else -1
 *
 * With the learner ls, held-out scores have a closed form. */
#include "machine/machine.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "data/labels/labels.h"
#include "kernels/kernel_params.h"
#include "learners/learner.h"
#include "learners/learner_ls.h"
#include "machines/codes/machine_code.h"
#include "params/params_table.h"
#include "validate/auto.h"
#include "validate/squares/ls_machine.h"
#include "validate/squares/rank_targets.h"

enum { LEARNED = 0, NEVER = 1, ALWAYS = 2, SIDES = 3 };

typedef struct relevance {
    pt_machine base;
    int64_t k;
    int64_t ell;
    int64_t *side;       /* k */
    pt_learner *learner; /* NULL where ell is 0 */
} relevance;

static void relevance_free(pt_machine *machine)
{
    relevance *m = (relevance *)machine;
    pt_learner_free(m->learner);
    pt_free(m->side);
}

static double constant_score(int64_t side)
{
    return side == ALWAYS ? 1 : -1;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static bool learner_uses(const pt_learner_ops *learner, const char *parameter)
{
    return learner->name && pt_word_listed(learner->parameters, ',', parameter, strlen(parameter));
}

static bool relevance_uses(const pt_params *params, const char *parameter)
{
    const pt_learner_ops learner = pt_learner_of(params);
    if (strcmp(parameter, "auto-rows") == 0) /* a kernel has what is chosen on them */
        return learner_uses(&learner, "kernel");
    return pt_word_listed("machine,learner", ',', parameter, strlen(parameter)) ||
           learner_uses(&learner, parameter);
}

/* What the learner does not use is refused; one that is linear by itself may be told so. */
static pt_status relevance_check(const pt_params *params, pt_error *err)
{
    const pt_learner_ops learner = pt_learner_of(params);
    if (!learner.name)
        return pt_fail(err, PT_EINVAL, "there is no learner '%s'",
                       pt_params_text(params, PT_P_LEARNER));
    const char *defaults = learner.defaults ? learner.defaults : "";
    const bool told_linear = strcmp(pt_params_text(params, PT_P_KERNEL), "linear") == 0 &&
                             pt_word_listed(defaults, ',', "kernel=linear", 13);
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const char *name = pt_param_table[id].name;
        const pt_param_group_id group = pt_param_table[id].group;
        const bool used = group == PT_GROUP_MACHINE ? relevance_uses(params, name)
                          : id == PT_P_KERNEL ? told_linear || learner_uses(&learner, "kernel")
                          : group == PT_GROUP_KERNEL ? learner_uses(&learner, "kernel")
                                                     : true;
        if (pt_params_set_by_user(params, (pt_param_id)id) && !used)
            return pt_fail(err, PT_EINVAL, "`%s` is not used by learner %s, which uses %s", name,
                           learner.name, *learner.parameters ? learner.parameters : "none");
    }
    return PT_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* What the learner is given. Free it always. */
typedef struct columns_room {
    pt_label_groups groups;
    int64_t *side;
    int8_t *sign;
    pt_columns columns;
} columns_room;

static void columns_free(columns_room *c)
{
    pt_free(c->sign);
    pt_free(c->side);
    pt_label_groups_free(&c->groups);
}

/* side (k) <- where each class stands; returns how many there are to learn. */
static int64_t find_sides(const pt_label_groups *g, int64_t *side)
{
    int64_t ell = 0;
    memset(side, 0, (size_t)g->k * sizeof *side);
    for (int64_t at = 0; at < g->start[g->count]; at++) /* in how many of the sets is it? */
        side[g->item[at]]++;
    for (int64_t r = 0; r < g->k; r++) {
        side[r] = side[r] == 0 ? NEVER : side[r] == g->count ? ALWAYS : LEARNED;
        ell += side[r] == LEARNED;
    }
    return ell;
}

/* c->sign <- the sides of the groups in the columns. There are at least as many groups as columns,
 * some of them perhaps without rows: what a learner keeps then does not depend on the groups. */
static pt_status make_signs(columns_room *c, int64_t ell, int64_t rows_of_sign, pt_error *err)
{
    const pt_label_groups *g = &c->groups;
    PT_SCRATCH int64_t *column = NULL;
    PT_TRY(PT_NEW(column, g->k, "columns", err));
    PT_TRY(PT_NEW(c->sign, rows_of_sign * ell, "a code", err));
    memset(c->sign, -1, (size_t)(rows_of_sign * ell));
    for (int64_t r = 0, s = 0; r < g->k; r++)
        column[r] = c->side[r] == LEARNED ? s++ : -1;
    for (int64_t q = 0; q < g->count; q++)
        for (int64_t at = g->start[q]; at < g->start[q + 1]; at++)
            if (column[g->item[at]] >= 0)
                c->sign[q * ell + column[g->item[at]]] = 1;
    return PT_OK;
}

static pt_status columns_init(columns_room *c, const pt_problem *problem, pt_error *err)
{
    *c = (columns_room){0};
    PT_TRY(pt_label_groups_init(&c->groups, problem->labels, err));
    PT_TRY(PT_NEW(c->side, c->groups.k, "classes", err));
    const int64_t ell = find_sides(&c->groups, c->side);
    const int64_t groups = pt_greater(c->groups.count, ell);
    PT_TRY(make_signs(c, ell, groups, err));
    c->columns = (pt_columns){.n = problem->rows.n,
                              .group_of = c->groups.group_of,
                              .groups = groups,
                              .ell = ell,
                              .sign = c->sign,
                              .weight = problem->weight,
                              .ties = problem->ties};
    return PT_OK;
}

/* ---- training -------------------------------------------------------------------------------- */

static pt_status relevance_plan(const pt_problem *problem, const pt_params *params,
                                const pt_task *task, pt_plan *plan, pt_error *err)
{
    const pt_learner_ops learner = pt_learner_of(params);
    PT_FREED_BY(columns_free) columns_room c = {0};
    PT_TRY(pt_learner_check_rows(&learner, problem, err));
    PT_TRY(columns_init(&c, problem, err));
    if (c.columns.ell > 0)
        PT_TRY(pt_learner_plan(&learner, &problem->rows, &c.columns, params, task, plan, err));
    plan->bytes += (double)c.columns.groups * (double)c.columns.ell + 8 * (double)problem->rows.n;
    return PT_OK;
}

static pt_status relevance_fit(pt_machine *machine, const pt_problem *problem,
                               const pt_params *params, const pt_task *task, pt_warnings *warnings,
                               pt_error *err)
{
    relevance *m = (relevance *)machine;
    const pt_learner_ops learner = pt_learner_of(params);
    PT_FREED_BY(columns_free) columns_room c = {0};
    PT_TRY(pt_learner_check_rows(&learner, problem, err));
    PT_TRY(columns_init(&c, problem, err));
    if (c.columns.ell > 0)
        PT_TRY(pt_learner_fit(&m->learner, &learner, &problem->rows, &c.columns, params, task,
                              warnings, err));
    m->k = c.groups.k;
    m->ell = c.columns.ell;
    m->side = pt_keep(&c.side);
    return PT_OK;
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* Outputs and the constants. */
static pt_status relevance_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                                  const pt_task *task, pt_error *err)
{
    const relevance *m = (const relevance *)machine;
    if (m->ell == m->k)
        return pt_learner_outputs(m->learner, rows, scores, task, err);
    PT_SCRATCH double *outputs = NULL;
    PT_TRY(PT_NEW(outputs, rows->n * m->ell, "outputs", err));
    if (m->learner)
        PT_TRY(pt_learner_outputs(m->learner, rows, outputs, task, err));
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t r = 0, s = 0; r < m->k; r++)
            scores[i * m->k + r] =
                m->side[r] == LEARNED ? outputs[i * m->ell + s++] : constant_score(m->side[r]);
    return PT_OK;
}

/* ---- held-out scores of least squares -------------------------------------------------------- */

static bool learner_is_ls(const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_LEARNER), pt_learner_ls.name) == 0;
}

static bool relevance_holdout_exact(const pt_problem *problem, const pt_params *point)
{
    (void)problem;
    return learner_is_ls(point);
}

typedef struct threshold_search {
    const double *Y; /* n x k, column-major: +1 and -1 */
    int64_t n;
    int64_t k;
    const pt_partitions *partitions;
    pt_holdout_fn take;
    void *context;
} threshold_search;

/* A pt_holdout_fn: a class that all rows outside a fold have, or none, is constant there. */
static pt_status settle_point(void *context, int64_t point, int64_t partition,
                              const double *outputs, pt_error *err)
{
    const threshold_search *s = context;
    const int64_t n_folds = s->partitions->n_folds;
    const int64_t *fold = s->partitions->fold[partition];
    if (!outputs)
        return s->take(s->context, point, partition, NULL, err);
    PT_SCRATCH double *scores = NULL;
    PT_SCRATCH int64_t *with = NULL;
    PT_SCRATCH int64_t *size = NULL;
    PT_TRY(PT_NEW(scores, s->n * s->k, "held-out scores", err));
    PT_TRY(PT_NEW(with, n_folds, "folds", err));
    PT_TRY(PT_NEW_ZERO(size, n_folds, "folds", err));
    for (int64_t i = 0; i < s->n; i++)
        if (pt_is_held(s->partitions, partition, i))
            size[fold[i]]++;
    for (int64_t r = 0; r < s->k; r++) {
        int64_t total = 0;
        memset(with, 0, (size_t)n_folds * sizeof *with);
        for (int64_t i = 0; i < s->n; i++) {
            if (pt_is_held(s->partitions, partition, i))
                with[fold[i]] += s->Y[r * s->n + i] > 0;
            total += s->Y[r * s->n + i] > 0;
        }
        for (int64_t i = 0; i < s->n; i++) {
            if (!pt_is_held(s->partitions, partition, i)) {
                scores[i * s->k + r] = outputs[i * s->k + r];
                continue;
            }
            const int64_t rest = total - with[fold[i]];
            scores[i * s->k + r] = rest == 0                      ? constant_score(NEVER)
                                   : rest == s->n - size[fold[i]] ? constant_score(ALWAYS)
                                                                  : outputs[i * s->k + r];
        }
    }
    return s->take(s->context, point, partition, scores, err);
}

/* A pt_ls_auto_fn. A set's targets are +1 and -1; so are those of the set that a class is. */
static pt_status ls_holdout(const pt_problem *problem, const pt_params *params,
                            const pt_ls_point *points, int64_t n_points,
                            const pt_partitions *partitions, pt_holdout_fn take, void *context,
                            const pt_task *task, pt_error *err)
{
    (void)params;
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    PT_SCRATCH double *Y = NULL;
    PT_TRY(PT_NEW(Y, k * n, "targets", err));
    PT_TRY(pt_rank_targets(Y, problem->labels, err));
    for (int64_t i = 0; i < n * k; i++)
        Y[i] = Y[i] > 0 ? 1 : -1;
    const pt_ls_problem ls = {&problem->rows, NULL, k, problem->weight, Y};
    threshold_search s = {Y, n, k, partitions, take, context};
    return pt_ls_holdout(&ls, points, n_points, problem->rows.type, partitions, settle_point, &s,
                         task, err);
}

static pt_status relevance_holdout(const pt_problem *problem, const pt_params *const *points,
                                   int64_t n_points, const pt_partitions *partitions,
                                   pt_holdout_fn take, void *context, const pt_task *task,
                                   pt_error *err)
{
    return pt_ls_holdout_by(ls_holdout, problem, points, n_points, partitions, take, context, task,
                            err);
}

static pt_status relevance_resolve(pt_params *params, const pt_problem *problem,
                                   const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    (void)warnings;
    if (learner_is_ls(params))
        return pt_auto_by_guide(ls_holdout, params, problem, task, err);
    return relevance_uses(params, "kernel")
               ? pt_auto_by_training(&pt_machine_relevance, params, problem, task, err)
               : PT_OK;
}

static pt_ls_auto_fn relevance_guide(const pt_problem *problem, const pt_params *params)
{
    (void)problem;
    return learner_is_ls(params) ? ls_holdout : NULL;
}

/* ---- the file -----------------------------------------------------------------------------------
 *
 * side (k integers) and the arrays of the learner, where there is one. */

static pt_status relevance_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const relevance *m = (const relevance *)machine;
    PT_TRY(pt_pack_begin(pack, err));
    pt_pack_add_integers(pack, "side", m->k, m->side);
    return m->learner ? m->learner->ops.save(m->learner, pack, err) : PT_OK;
}

static pt_status load_sides(relevance *m, const pt_pack *pack, int64_t k, pt_error *err)
{
    const pt_array *side = pt_pack_find(pack, "side");
    if (!side || !pt_array_is_index(side, SIDES) || side->rows != k)
        return pt_fail(err, PT_EFORMAT, "the model does not say which classes were learned");
    PT_TRY(PT_NEW(m->side, k, "classes", err));
    memcpy(m->side, side->value, (size_t)k * sizeof(int64_t));
    m->k = k;
    for (int64_t r = 0; r < k; r++)
        m->ell += m->side[r] == LEARNED;
    return PT_OK;
}

/* The groups are not kept: what was learned does not depend on them (make_signs). */
static pt_status load_learner(relevance *m, const pt_learner_ops *learner, const pt_pack *pack,
                              int64_t n_inputs, const pt_params *params, int64_t *used,
                              const pt_task *task, pt_error *err)
{
    PT_SCRATCH int8_t *sign = NULL;
    PT_TRY(PT_NEW(sign, m->ell * m->ell, "a code", err));
    memset(sign, 1, (size_t)(m->ell * m->ell));
    const pt_columns columns = {.groups = m->ell, .ell = m->ell, .sign = sign};
    return pt_learner_load(&m->learner, learner, pack, n_inputs, &columns, params, used, task, err);
}

static pt_status relevance_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                                int64_t n_classes, const pt_params *params, int64_t *used,
                                const pt_task *task, pt_error *err)
{
    relevance *m = (relevance *)machine;
    const pt_learner_ops learner = pt_learner_of(params);
    if (!learner.name)
        return pt_fail(err, PT_EFORMAT, "the model has no learner");
    PT_TRY(load_sides(m, pack, n_classes, err));
    if (m->ell > 0)
        PT_TRY(load_learner(m, &learner, pack, n_inputs, params, used, task, err));
    ++*used;
    return PT_OK;
}

static pt_status relevance_describe(const pt_machine *machine, const pt_texts *classes,
                                    pt_description *description, pt_error *err)
{
    (void)classes;
    (void)err;
    const relevance *m = (const relevance *)machine;
    pt_describe_count(description, "columns", m->ell);
    pt_describe_learner(description, m->learner);
    return PT_OK;
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_relevance = {
    .name = "relevance",
    .summary = "binary relevance: a binary learner tells for each class whether the set has it",
    .parameters = "learner,ridge,C,eps,gap,bias,penalty,update,epochs,alpha,rounds,boost,polarity,"
                  "stop-share,patience,"
                  "noise,criterion,depth,min-leaf,min-leaf-weight,bins,prune,class-weight,"
                  "precision,auto-rows,"
                  "kernel",
    .label_kinds = 1u << PT_LABEL_CLASS | 1u << PT_LABEL_SET,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_RAW | PT_CAN_HOLDOUT | PT_CAN_END_EARLY,
    .uses = relevance_uses,
    .raw = pt_code_machine_raw,
    .check = relevance_check,
    .size = sizeof(relevance),
    .plan = relevance_plan,
    .fit = relevance_fit,
    .scores = relevance_scores,
    .free = relevance_free,
    .save = relevance_save,
    .load = relevance_load,
    .resolve = relevance_resolve,
    .guide = relevance_guide,
    .holdout = relevance_holdout,
    .holdout_exact = relevance_holdout_exact,
    .describe = relevance_describe,
};
