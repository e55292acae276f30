/* Balanced Winnow for the columns of a code: w = w+ - w-, both from 1; where y w.x <= 0,
 * w+ *= alpha^(y x) and w- *= alpha^(-y x). The number of mistakes grows with the logarithm of the
 * number of features that do not matter. Features may have any sign: of two classes, constraint
 * classification by Winnow itself is the same thing, v_1 - v_2 = w+ - w-. */
#include "learners/learner.h"

#include "learners/online_columns.h"

static pt_online_rule rule_of(const pt_params *params)
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
    const pt_online_rule rule = rule_of(params);
    return pt_online_columns_plan(&rule, rows, columns, params, plan);
}

static pt_status winnow_fit(pt_learner **out, const pt_rows *rows, const pt_columns *columns,
                            const pt_params *params, const pt_task *task, pt_texts *warnings,
                            pt_error *err)
{
    const pt_online_rule rule = rule_of(params);
    return pt_online_columns_fit(out, &pt_learner_winnow, &rule, rows, columns, params, task,
                                 warnings, err);
}

static pt_status winnow_load(pt_learner **out, const pt_pack *pack, int64_t n_inputs,
                             const pt_columns *columns, const pt_params *params, int64_t *used,
                             pt_error *err)
{
    return pt_online_columns_load(out, &pt_learner_winnow, pack, n_inputs, columns, params, used,
                                  err);
}

const pt_learner_ops pt_learner_winnow = {
    .name = "winnow",
    .summary = "balanced Winnow, which multiplies weights, for many features of which few matter",
    .parameters = "alpha,epochs,bias,class-weight,precision",
    .loss = &pt_loss_hinge,
    .defaults = "bias=yes,kernel=linear",
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_ONLINE | PT_LEARNS_UNTIL_TOLD,
    .plan = winnow_plan,
    .fit = winnow_fit,
    .outputs = pt_online_columns_outputs,
    .free = pt_online_columns_free,
    .save = pt_online_columns_save,
    .load = winnow_load,
};
