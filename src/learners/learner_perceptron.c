/* Columns of a code learned online: the perceptron and its kin, and Winnow.
 *
 *   perceptron   w += y x where y w.x <= 0; averaged: the mean of the weights after each example
 *   pa           passive-aggressive: where y w.x < 1, with a step that makes up for it and is at
 *                most C
 *   winnow       balanced: w = w+ - w-, both from 1; where y w.x <= 0, w+ *= alpha^(y x) and
 *                w- *= alpha^(-y x). The number of mistakes grows with the logarithm of the number
 *                of features that do not matter. Features may have any sign: of two classes,
 *                constraint classification by Winnow itself is the same thing, v_1 - v_2 = w+ - w-
 *
 * One-vs-all on the network of HRZ: k linear functions, each learned by itself. All columns learn
 * from an example when its turn comes: their weights for a feature lie side by side
 * (online_update.h), so that a value is read once for all of them. Columns know nothing of each
 * other; with --epochs 0 they go on until none of them errs on any row. Where rows validate, the
 * weights are those after the epoch with the smallest loss on these, and no more than
 * --patience epochs come after it. */
#include "learners/learner.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "solvers/online/online_valid.h"

/* ---- all columns by a rule ------------------------------------------------------------------- */

/* The sides of the group of example i; those of all pairs are not kept anywhere. */
static void sides_of(const void *context, int64_t i, int8_t *sides)
{
    const pt_columns *columns = context;
    const int64_t g = columns->group_of[i];
    if (!columns->pairs) {
        memcpy(sides, columns->sign + g * columns->ell, (size_t)columns->ell);
        return;
    }
    int64_t s = 0;
    for (int64_t p = 0; p < columns->groups; p++)
        for (int64_t q = p + 1; q < columns->groups; q++)
            sides[s++] = (int8_t)((g == p) - (g == q));
}

static pt_status warn(const pt_online_weights *w, const pt_online_epochs *result, bool until,
                      pt_warnings *warnings, pt_error *err)
{
    if (until && result->left > 0)
        PT_TRY(pt_warn(warnings, err, PT_KIND_CONVERGENCE,
                       "%d epochs did not suffice: %lld row%s still wrong; no weights may have "
                       "all of them right",
                       (int)PT_ONLINE_EPOCHS, (long long)result->left,
                       result->left == 1 ? " is" : "s are"));
    if (w->pinned > 0)
        PT_TRY(pt_warn(warnings, err, PT_KIND_NUMERIC,
                       "winnow: weights reached 1e100 or 1e-100; scale the features to 0..1 or "
                       "lower `alpha`, now %g",
                       w->rule.alpha));
    return PT_OK;
}

static pt_status plan_columns(const pt_online_rule *rule, const pt_rows *rows,
                              const pt_columns *columns, const pt_params *params, pt_plan *plan)
{
    const int64_t epochs = pt_params_integer(params, PT_P_EPOCHS);
    plan->bytes = pt_online_bytes(rule, rows->n, rows->d, columns->ell) +
                  16.0 * ((double)rows->d + 1) * (double)columns->ell;
    plan->flops =
        2.0 * (double)(epochs ? epochs : 100) * (double)pt_rows_stored(rows) * (double)columns->ell;
    snprintf(plan->route, sizeof plan->route, "%lld columns, online, %s", (long long)columns->ell,
             pt_update_names[rule->update]);
    return PT_OK;
}

/* Epochs of which the rows that validate choose the best. */
static pt_status train_to_best(pt_online_weights *w, const pt_online_problem *problem,
                               const pt_columns *columns, int64_t patience, double *out,
                               pt_online_epochs *result, const pt_task *task, pt_error *err)
{
    pt_columns asked = *columns;
    asked.n = columns->valid->rows->n;
    asked.group_of = columns->valid->class_of;
    const pt_online_valid valid = {.asked = {.rows = columns->valid->rows,
                                             .weight = columns->valid->weight,
                                             .sides = sides_of,
                                             .context = &asked},
                                   .patience = patience};
    return pt_online_train_to_best(w, problem, &valid, out, result, task, err);
}

static pt_status fit_columns(pt_learner *learner, const pt_online_rule *rule, const pt_rows *rows,
                             const pt_columns *columns, const pt_params *params,
                             const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    pt_expansion_learner *m = (pt_expansion_learner *)learner;
    const int64_t d = rows->d;
    const int64_t ell = columns->ell;
    pt_online_problem problem = {.rows = rows,
                                 .weight = columns->weight,
                                 .epochs = pt_params_integer(params, PT_P_EPOCHS),
                                 .seed = (uint64_t)pt_params_integer(params, PT_P_SEED),
                                 .sides = sides_of,
                                 .context = columns};
    PT_FREED_BY(pt_online_weights_free) pt_online_weights w = {0};
    pt_online_epochs result = {0};
    size_t bytes = 0;
    if (!pt_size_mul((size_t)(d + 1), sizeof(double), &bytes))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    PT_SCRATCH double *out = pt_alloc(ell, bytes, "weights", err);
    if (!out)
        return PT_ENOMEM;
    PT_TRY(pt_online_weights_init(&w, rule, ell, d, err));
    if (columns->start) {
        const pt_expansion_learner *from = (const pt_expansion_learner *)columns->start->learner;
        PT_TRY(pt_expansion_give_linear(&from->outputs, d, ell, 1, out, err));
        PT_TRY(pt_online_weights_set(&w, out, ell, err));
        PT_TRY(pt_online_go_on(&problem, columns->start->params, err));
    }
    const bool by_valid = columns->valid && problem.epochs > 0;
    PT_TRY(by_valid ? train_to_best(&w, &problem, columns, pt_params_integer(params, PT_P_PATIENCE),
                                    out, &result, task, err)
                    : pt_online_train(&w, &problem, &result, task, err));
    PT_TRY(warn(&w, &result, problem.epochs == 0, warnings, err));
    if (!by_valid)
        pt_online_result(&w, NULL, ell, -1, out);
    return pt_expansion_take_linear(&m->outputs, rows->type, d, ell, out, 1, rule->bias, task, err);
}

/* ---- the perceptron -------------------------------------------------------------------------- */

/* --epochs 0 asks for weights that make no mistake, which a mean of weights need not be. */
static pt_status perceptron_rule(const pt_params *params, pt_online_rule *rule, pt_error *err)
{
    const char *name = pt_params_text(params, PT_P_UPDATE);
    const bool until = pt_params_integer(params, PT_P_EPOCHS) == 0;
    int update = 0;
    while (update < PT_N_UPDATES && strcmp(pt_update_names[update], name) != 0)
        update++;
    if (update > PT_UPDATE_PA)
        return pt_fail(err, PT_EINVAL,
                       "`learner=perceptron`: `update=%s` is not one of perceptron, averaged and "
                       "pa; Winnow is `learner=winnow`",
                       name);
    if (update == PT_UPDATE_AVERAGED && until) {
        if (pt_params_set_by_user(params, PT_P_UPDATE))
            return pt_fail(err, PT_EINVAL,
                           "`epochs=0` goes on until the weights make no mistake, which their "
                           "average may still make; use `update=perceptron` or a number of epochs");
        update = PT_UPDATE_PERCEPTRON;
    }
    *rule = (pt_online_rule){(pt_update)update, PT_VIOLATED_ALL, pt_params_real(params, PT_P_C), 2,
                             pt_params_flag(params, PT_P_BIAS)};
    return PT_OK;
}

/* Winnow is a learner of its own. */
static bool perceptron_takes(const pt_params *params, pt_param_id id, const char *choice)
{
    (void)params;
    return id != PT_P_UPDATE || !strstr(choice, "winnow");
}

static pt_status perceptron_plan(const pt_rows *rows, const pt_columns *columns,
                                 const pt_params *params, const pt_task *task, pt_plan *plan,
                                 pt_error *err)
{
    (void)task;
    pt_online_rule rule;
    PT_TRY(perceptron_rule(params, &rule, err));
    return plan_columns(&rule, rows, columns, params, plan);
}

static pt_status perceptron_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                                const pt_params *params, const pt_task *task, pt_warnings *warnings,
                                pt_error *err)
{
    pt_online_rule rule;
    PT_TRY(perceptron_rule(params, &rule, err));
    return fit_columns(learner, &rule, rows, columns, params, task, warnings, err);
}

const pt_learner_ops pt_learner_perceptron = {
    .name = "perceptron",
    .summary = "perceptron, averaged or passive-aggressive, in epochs over the rows: hinge loss",
    .parameters = "update,epochs,patience,C,bias,class-weight,precision",
    .warm = "epochs,patience,C,class-weight",
    .loss = &pt_loss_hinge,
    .defaults = "bias=yes,kernel=linear",
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_ONLINE | PT_LEARNS_UNTIL_TOLD,
    .size = sizeof(pt_expansion_learner),
    .takes = perceptron_takes,
    .plan = perceptron_plan,
    .fit = perceptron_fit,
    .outputs = pt_expansion_learner_outputs,
    .free = pt_expansion_learner_free,
    .save = pt_expansion_learner_save,
    .load = pt_expansion_learner_load,
};

/* ---- Winnow ---------------------------------------------------------------------------------- */

static pt_online_rule winnow_rule(const pt_params *params)
{
    return (pt_online_rule){PT_UPDATE_BALANCED, PT_VIOLATED_ALL, 1,
                            pt_params_real(params, PT_P_ALPHA), pt_params_flag(params, PT_P_BIAS)};
}

static pt_status winnow_plan(const pt_rows *rows, const pt_columns *columns,
                             const pt_params *params, const pt_task *task, pt_plan *plan,
                             pt_error *err)
{
    (void)task;
    (void)err;
    const pt_online_rule rule = winnow_rule(params);
    return plan_columns(&rule, rows, columns, params, plan);
}

static pt_status winnow_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                            const pt_params *params, const pt_task *task, pt_warnings *warnings,
                            pt_error *err)
{
    const pt_online_rule rule = winnow_rule(params);
    return fit_columns(learner, &rule, rows, columns, params, task, warnings, err);
}

const pt_learner_ops pt_learner_winnow = {
    .name = "winnow",
    .summary = "balanced Winnow, which multiplies weights, for many features of which few matter",
    .parameters = "alpha,epochs,patience,bias,class-weight,precision",
    .warm = "epochs,patience,alpha,class-weight",
    .loss = &pt_loss_hinge,
    .defaults = "bias=yes,kernel=linear",
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_ONLINE | PT_LEARNS_UNTIL_TOLD,
    .size = sizeof(pt_expansion_learner),
    .plan = winnow_plan,
    .fit = winnow_fit,
    .outputs = pt_expansion_learner_outputs,
    .free = pt_expansion_learner_free,
    .save = pt_expansion_learner_save,
    .load = pt_expansion_learner_load,
};
