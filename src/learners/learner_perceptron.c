/* The perceptron for the columns of a code, and its kin: w += y x where y w.x <= 0 (perceptron; the
 * mean of the weights after each example: averaged), or where y w.x < 1 with a step that makes up
 * for it and is at most C (pa, passive-aggressive). One-vs-all on the network of HRZ: k linear
 * functions, each learned by itself. */
#include "learners/learner.h"

#include <string.h>

#include "learners/online_columns.h"

/* --epochs 0 asks for weights that make no mistake, which a mean of weights need not be. */
static pt_status rule_of(const pt_params *params, pt_online_rule *rule, pt_error *err)
{
    const char *name = pt_params_text(params, PT_P_UPDATE);
    const bool until = pt_params_integer(params, PT_P_EPOCHS) == 0;
    int update = 0;
    while (update < PT_N_UPDATES && strcmp(pt_update_names[update], name) != 0)
        update++;
    if (update > PT_UPDATE_PA)
        return pt_fail(err, PT_EINVAL,
                       "--learner perceptron: --update %s is not one of perceptron, averaged and "
                       "pa; Winnow is --learner winnow",
                       name);
    if (update == PT_UPDATE_AVERAGED && until) {
        if (pt_params_set_by_user(params, PT_P_UPDATE))
            return pt_fail(err, PT_EINVAL,
                           "--epochs 0 goes on until the weights make no mistake, which their "
                           "average may still make; use --update perceptron or a number of epochs");
        update = PT_UPDATE_PERCEPTRON;
    }
    *rule = (pt_online_rule){(pt_update)update, PT_VIOLATED_ALL, pt_params_real(params, PT_P_C), 2,
                             pt_params_flag(params, PT_P_BIAS)};
    return PT_OK;
}

static pt_status perceptron_plan(const pt_rows *rows, const pt_columns *columns,
                                 const pt_params *params, const pt_task *task, pt_plan *plan,
                                 pt_error *err)
{
    (void)task;
    pt_online_rule rule;
    const pt_status status = rule_of(params, &rule, err);
    return status == PT_OK ? pt_online_columns_plan(&rule, rows, columns, params, plan) : status;
}

static pt_status perceptron_fit(pt_learner **out, const pt_rows *rows, const pt_columns *columns,
                                const pt_params *params, const pt_task *task, pt_texts *warnings,
                                pt_error *err)
{
    pt_online_rule rule;
    PT_TRY(rule_of(params, &rule, err));
    return pt_online_columns_fit(out, &pt_learner_perceptron, &rule, rows, columns, params, task,
                                 warnings, err);
}

static pt_status perceptron_load(pt_learner **out, const pt_pack *pack, int64_t n_inputs,
                                 const pt_columns *columns, const pt_params *params, int64_t *used,
                                 pt_error *err)
{
    return pt_online_columns_load(out, &pt_learner_perceptron, pack, n_inputs, columns, params,
                                  used, err);
}

const pt_learner_ops pt_learner_perceptron = {
    .name = "perceptron",
    .summary = "perceptron, averaged or passive-aggressive, in epochs over the rows: hinge loss",
    .parameters = "update,epochs,C,bias,class-weight,precision",
    .loss = &pt_loss_hinge,
    .defaults = "bias=yes,kernel=linear",
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_ONLINE | PT_LEARNS_UNTIL_TOLD,
    .plan = perceptron_plan,
    .fit = perceptron_fit,
    .outputs = pt_online_columns_outputs,
    .free = pt_online_columns_free,
    .save = pt_online_columns_save,
    .load = perceptron_load,
};
