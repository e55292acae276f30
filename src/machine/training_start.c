/* Training that begins with a model: what must be as it was there.
 *
 * A machine's numbers mean something only beside the columns they were learned from: so rows are
 * prepared as the model does, with its fills and scales, even where the data would ask for others.
 * Parameters that nobody sets are the model's, automatic ones with the values chosen then.
 * Held-out rows never meet the model: what holds rows out trains without it. */
#include <string.h>

#include "kernels/kernel_params.h"
#include "learners/learner.h"
#include "machine/training.h"
#include "params/params_table.h"

/* Two names of the same: who sets one has said all. */
static bool is_set(const pt_params *params, pt_param_id id)
{
    const pt_param_id twin = id == PT_P_SIGMA       ? PT_P_RBF_GAMMA
                             : id == PT_P_RBF_GAMMA ? PT_P_SIGMA
                                                    : id;
    return pt_params_set_by_user(params, id) || pt_params_set_by_user(params, twin);
}

/* "softmax, code with logistic, ...": all that can begin with a model. */
static pt_status fail_machine(const char *who, const char *name, pt_error *err)
{
    char can[300] = "";
    for (int64_t i = 0; pt_machines[i]; i++) {
        if (!pt_machines[i]->warm)
            continue;
        (void)strncat(can, can[0] ? ", " : "", sizeof can - strlen(can) - 1);
        (void)strncat(can, pt_machines[i]->name, sizeof can - strlen(can) - 1);
        if (!pt_word_listed(pt_machines[i]->parameters, ',', "learner", strlen("learner")))
            continue;
        const char *join = " with ";
        for (int64_t q = 0; pt_learners[q]; q++) {
            if (!pt_learners[q]->warm)
                continue;
            (void)strncat(can, join, sizeof can - strlen(can) - 1);
            (void)strncat(can, pt_learners[q]->name, sizeof can - strlen(can) - 1);
            join = " or ";
        }
    }
    return pt_fail(err, PT_EINVAL, "`start`: %s%s cannot begin with a model; those that can: %s",
                   who, name, can);
}

/* Whether the model was made by it: a model from a file has a value for every parameter. A slope
 * belongs to the outputs, which will be others: it is chosen again. */
static bool counted(const pt_training_start *start, pt_param_id id)
{
    const pt_started *from = &start->started;
    const char *name = pt_param_name((int64_t)id);
    const pt_params *params = from->params;
    const pt_kernel_ops *kernel = pt_kernel_find(pt_params_text(params, PT_P_KERNEL));
    switch (pt_param_group_of(id)) {
    case PT_GROUP_PREPARE:
        return true;
    case PT_GROUP_KERNEL:
        return pt_machine_uses(from->machine->ops, params, "kernel") &&
               (id == PT_P_KERNEL || (kernel && pt_kernel_uses(kernel, name)));
    case PT_GROUP_MACHINE:
        return id != PT_P_COUPLING_SLOPE && pt_machine_uses(from->machine->ops, params, name) &&
               pt_params_counts(params, id) &&
               (id != PT_P_PAIRS || start->label_kind == PT_LABEL_RANKING);
    default:
        return id == PT_P_SEED || id == PT_P_CALIBRATE || id == PT_P_THRESHOLDS;
    }
}

pt_status pt_start_inherit(pt_params *params, const pt_training_start *start, pt_error *err)
{
    const pt_params *from = start->started.params;
    if (pt_params_learner(from)) /* a program's own */
        return fail_machine("learner ", pt_params_text(from, PT_P_LEARNER), err);
    if (pt_params_kernel(from) && !is_set(params, PT_P_KERNEL))
        pt_params_offer_kernel(params, pt_params_kernel(from));
    if (!pt_params_set_by_user(params, PT_P_MACHINE))
        PT_TRY(pt_params_set(params, "machine", start->started.machine->ops->name, err));
    for (int i = 0; i < PT_N_PARAMS; i++) {
        const pt_param_id id = (pt_param_id)i;
        if (pt_params_set_by_user(from, id) && !is_set(params, id) && counted(start, id))
            PT_TRY(pt_params_take(params, id, from, err));
    }
    return PT_OK;
}

pt_status pt_start_check_machine(const pt_training *t, pt_error *err)
{
    const pt_machine_ops *from = t->start->started.machine->ops;
    if (t->ops != from)
        return pt_fail(err, PT_EINVAL, "`machine` is %s, and `start` is a model of %s",
                       t->ops->name, from->name);
    if (!t->ops->warm)
        return fail_machine("machine ", t->ops->name, err);
    if (pt_machine_uses(t->ops, t->params, "learner") && !pt_learner_of(t->params).warm)
        return fail_machine("learner ", pt_params_text(t->params, PT_P_LEARNER), err);
    return pt_machine_check_start(t->ops, t->params, err);
}

pt_status pt_start_check_data(const pt_training *t, const pt_dataset *data, pt_error *err)
{
    if (data->labels->kind != t->start->label_kind)
        return pt_fail(err, PT_EINVAL, "`start` was trained on labels of kind '%s', not '%s'",
                       pt_label_kind_name(t->start->label_kind),
                       pt_label_kind_name(data->labels->kind));
    return pt_prepare_check_same(t->start->prepare, data, pt_machine_takes_raw(t->ops, t->params),
                                 err);
}

pt_status pt_start_check_classes(const pt_training *t, const pt_labels *labels, pt_error *err)
{
    const pt_texts *was = t->start->classes;
    const pt_texts *is = &labels->classes;
    if (was->count != is->count)
        return pt_fail(err, PT_EINVAL, "`start` has %lld classes, the data have %lld",
                       (long long)was->count, (long long)is->count);
    for (int64_t r = 0; r < is->count; r++)
        if (strcmp(was->items[r], is->items[r]) != 0)
            return pt_fail(err, PT_EINVAL,
                           "`start` has the class '" PT_SHOWN "' where the data have '" PT_SHOWN
                           "'",
                           was->items[r], is->items[r]);
    return PT_OK;
}

static bool same_value(const pt_params *a, const pt_params *b, pt_param_id id)
{
    const pt_param_type_t type = pt_param_table[id].type;
    const bool number = type == PT_PARAM_REAL || type == PT_PARAM_INTEGER;
    return strcmp(pt_params_text(a, id), pt_params_text(b, id)) == 0 ||
           (number && !pt_params_is_auto(a, id) && !pt_params_is_auto(b, id) &&
            pt_params_real(a, id) == pt_params_real(b, id));
}

/* On how many rows parameters were chosen says nothing of what was chosen. */
pt_status pt_start_check_params(const pt_training *t, pt_error *err)
{
    const pt_params *from = t->start->started.params;
    for (int i = 0; i < PT_N_PARAMS; i++) {
        const pt_param_id id = (pt_param_id)i;
        const char *name = pt_param_name(i);
        const bool counts = pt_param_group_of(id) == PT_GROUP_MACHINE
                                ? pt_machine_uses(t->ops, t->params, name)
                                : id != PT_P_SEED && id != PT_P_CALIBRATE &&
                                      id != PT_P_THRESHOLDS && counted(t->start, id);
        if (!counts || id == PT_P_AUTO_ROWS || same_value(t->params, from, id) ||
            pt_machine_warm(t->ops, t->params, name))
            continue;
        const bool learns = pt_machine_uses(t->ops, t->params, "learner");
        return pt_fail(
            err, PT_EINVAL, "`%s` is %s, and that of `start` is %s; of %s it may differ in %s%s%s",
            name, pt_params_text(t->params, id), pt_params_text(from, id), t->ops->name,
            t->ops->warm, learns ? "," : "", learns ? pt_learner_of(t->params).warm : "");
    }
    return PT_OK;
}
