/* The table of machines, and what is asked of any of them. */
#include "machine/machine.h"

#include <string.h>

#include "base/alloc.h"
#include "base/registry.h"
#include "data/labels/label_cells.h"
#include "kernels/gram.h"
#include "kernels/kernel_params.h"
#include "learners/learner.h"
#include "params/params_table.h"

const pt_machine_ops *const pt_machines[] = {
#define PT_ENTRY(entry, name) &pt_machine_##entry,
#include "registry/machines.def"
#undef PT_ENTRY
    NULL};

PT_REGISTRY_FIND(pt_machine_find, pt_machine_ops, pt_machines)

/* ---- the life of a machine ------------------------------------------------------------------- */

pt_machine *pt_machine_new(const pt_machine_ops *ops, pt_error *err)
{
    pt_machine *machine = pt_alloc_zero(1, ops->size, "a machine", err);
    if (machine)
        machine->ops = ops;
    return machine;
}

void pt_machine_free(pt_machine *machine)
{
    if (!machine)
        return;
    machine->ops->free(machine);
    pt_free(machine);
}

pt_status pt_machine_fit(pt_machine **out, const pt_machine_ops *ops, const pt_problem *problem,
                         const pt_params *params, const pt_task *task, pt_warnings *warnings,
                         pt_error *err)
{
    PT_FREED_BY(pt_warnings_free) pt_warnings dropped = {0};
    PT_FREED_BY(pt_machine_free_at) pt_machine *machine = pt_machine_new(ops, err);
    if (!machine)
        return PT_ENOMEM;
    PT_TRY(ops->fit(machine, problem, params, task, warnings ? warnings : &dropped, err));
    *out = pt_keep(&machine);
    return PT_OK;
}

pt_status pt_machine_load(pt_machine **out, const pt_machine_ops *ops, const pt_pack *pack,
                          int64_t n_inputs, int64_t n_classes, const pt_params *params,
                          const pt_task *task, pt_error *err)
{
    int64_t used = 0;
    PT_FREED_BY(pt_machine_free_at) pt_machine *machine = pt_machine_new(ops, err);
    if (!machine)
        return PT_ENOMEM;
    PT_TRY(ops->load(machine, pack, n_inputs, n_classes, params, &used, task, err));
    if (used != pack->count)
        return pt_fail(err, PT_EFORMAT, "the model has arrays that %s has not", ops->name);
    *out = pt_keep(&machine);
    return PT_OK;
}

/* ---- what is asked of any machine ------------------------------------------------------------ */

pt_status pt_machine_plan(pt_plan *plan, const pt_machine_ops *ops, const pt_problem *problem,
                          const pt_params *params, const pt_task *task, pt_error *err)
{
    const pt_kernel_ops *kernel = pt_machine_kernel(ops, params, !problem->rows.dense);
    *plan = (pt_plan){0};
    if (ops->plan)
        PT_TRY(ops->plan(problem, params, task, plan, err));
    if (kernel && kernel->own) /* its rows in double, whatever the machine holds of them */
        plan->bytes += (double)pt_gram_bytes(&problem->rows, PT_BASE_OWN, problem->rows.type);
    return PT_OK;
}

bool pt_machine_uses(const pt_machine_ops *ops, const pt_params *params, const char *parameter)
{
    return pt_word_listed(ops->parameters, ',', parameter, strlen(parameter)) &&
           (!ops->uses || ops->uses(params, parameter));
}

pt_status pt_machine_check_start(const pt_machine_ops *ops, const pt_params *params, pt_error *err)
{
    if (ops->check_start)
        PT_TRY(ops->check_start(params, err));
    if (!pt_machine_uses(ops, params, "learner"))
        return PT_OK;
    const pt_learner_ops learner = pt_learner_of(params);
    return learner.check_start ? learner.check_start(params, err) : PT_OK;
}

bool pt_machine_can_start(const pt_machine_ops *ops, const pt_params *params)
{
    return ops->warm && (!pt_machine_uses(ops, params, "learner") || pt_learner_of(params).warm) &&
           pt_machine_check_start(ops, params, NULL) == PT_OK;
}

bool pt_machine_warm(const pt_machine_ops *ops, const pt_params *params, const char *parameter)
{
    const size_t length = strlen(parameter);
    if (!pt_machine_can_start(ops, params))
        return false;
    return pt_word_listed(ops->warm, ',', parameter, length) ||
           (pt_machine_uses(ops, params, "learner") &&
            pt_word_listed(pt_learner_of(params).warm, ',', parameter, length));
}

bool pt_machine_ends_early(const pt_machine_ops *ops, const pt_params *params)
{
    if (ops->ends_early)
        return ops->ends_early(params);
    return ops->capabilities & PT_CAN_END_EARLY &&
           (!pt_machine_uses(ops, params, "learner") ||
            pt_learner_of(params).capabilities & PT_LEARNS_UNTIL_TOLD);
}

const pt_kernel_ops *pt_machine_kernel(const pt_machine_ops *ops, const pt_params *params,
                                       bool sparse)
{
    const bool linear = ops->defaults && pt_word_listed(ops->defaults, ',', "kernel=linear", 13);
    return pt_kernel_named(params, sparse || linear);
}

bool pt_machine_counts(const pt_machine_ops *ops, const pt_params *params, pt_param_id id)
{
    const char *name = pt_param_name(id);
    const pt_kernel_ops *kernel = NULL;
    if (id == PT_P_MACHINE)
        return true;
    if (id == PT_P_START)
        return pt_machine_can_start(ops, params);
    switch (pt_param_group_of(id)) {
    case PT_GROUP_MACHINE:
        return pt_machine_uses(ops, params, name) && pt_params_counts(params, id);
    case PT_GROUP_KERNEL:
        kernel = pt_machine_kernel(ops, params, false);
        return pt_machine_uses(ops, params, "kernel") &&
               (id == PT_P_KERNEL || (kernel && pt_kernel_uses(kernel, name)));
    default:
        return true;
    }
}

/* ---- defaults -------------------------------------------------------------------------------- */

/* What --decode loss stands for; NULL: nothing. */
static const pt_loss *loss_of(const pt_machine_ops *ops, const pt_params *params)
{
    if (!pt_machine_uses(ops, params, "learner"))
        return ops->loss;
    const pt_learner_ops learner = pt_learner_of(params);
    return learner.name ? pt_learner_loss(&learner, params) : NULL;
}

static pt_status name_loss(pt_params *params, const pt_loss *loss, pt_error *err)
{
    return loss && strcmp(pt_params_text(params, PT_P_DECODE), "loss") == 0
               ? pt_params_set(params, "decode", loss->name, err)
               : PT_OK;
}

pt_status pt_machine_defaults(pt_params **out, const pt_machine_ops *ops, const pt_params *params,
                              pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_TRY(pt_params_new(&own, err));
    if (pt_machine_uses(ops, params, "learner"))
        PT_TRY(pt_params_parse(own, pt_learner_of(params).defaults, err));
    PT_TRY(pt_params_parse(own, ops->defaults, err));
    PT_TRY(name_loss(own, loss_of(ops, params), err));
    if (pt_machine_takes_raw(ops, params))
        PT_TRY(pt_params_set(own, "missing", "keep", err));
    *out = pt_keep(&own);
    return PT_OK;
}

pt_status pt_machine_settle(const pt_machine_ops *ops, pt_params *params, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_TRY(pt_machine_defaults(&own, ops, params, err));
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const pt_param_id at = (pt_param_id)id;
        const bool open = !pt_params_set_by_user(params, at) || pt_params_is_auto(params, at);
        if (open && pt_params_set_by_user(own, at))
            PT_TRY(pt_params_set(params, pt_param_name(id), pt_params_text(own, at), err));
    }
    return name_loss(params, loss_of(ops, params), err);
}

/* ---- choices --------------------------------------------------------------------------------- */

bool pt_machine_takes(const pt_machine_ops *ops, const pt_params *params, pt_param_id id,
                      const char *choice)
{
    const pt_kernel_ops *kernel = id == PT_P_KERNEL ? pt_kernel_find(choice) : NULL;
    const pt_learner_ops learner = pt_learner_of(params);
    pt_label_kind labels = PT_LABEL_CLASS;
    if (kernel && kernel->joint && !(ops->capabilities & PT_CAN_JOINT))
        return false;
    if (id == PT_P_LABELS)
        return pt_label_kind_find(choice, &labels) && ops->label_kinds & 1u << labels;
    if (id == PT_P_THRESHOLDS && strcmp(choice, "f1") == 0)
        return ops->label_kinds & 1u << PT_LABEL_SET;
    if (id == PT_P_MISSING && strcmp(choice, "keep") == 0)
        return pt_machine_takes_raw(ops, params);
    if (id == PT_P_DECODE && strcmp(choice, "loss") == 0)
        return loss_of(ops, params) != NULL;
    if (learner.takes && pt_machine_uses(ops, params, "learner") &&
        !learner.takes(params, id, choice))
        return false;
    return !ops->takes || ops->takes(params, id, choice);
}

bool pt_machine_takes_raw(const pt_machine_ops *ops, const pt_params *params)
{
    return ops->capabilities & PT_CAN_RAW && (!ops->raw || ops->raw(params));
}

pt_machine_parts pt_machine_parts_of(const pt_machine *machine)
{
    return machine->ops->parts ? machine->ops->parts(machine) : (pt_machine_parts){0};
}

pt_status pt_machine_describe(pt_description *description, const pt_machine *machine,
                              const pt_texts *classes, pt_error *err)
{
    return machine->ops->describe ? machine->ops->describe(machine, classes, description, err)
                                  : PT_OK;
}

void pt_describe_count(pt_description *description, const char *name, int64_t value)
{
    description->figure[description->n_figures++] = (pt_figure){name, value};
}

void pt_describe_real(pt_description *description, const char *name, double value)
{
    description->real[description->n_reals++] = (pt_real_figure){name, value};
}

pt_status pt_warn_gap(pt_warnings *warnings, const char *machine, double reached, double gap,
                      pt_type type, pt_error *err)
{
    return pt_warn(warnings, err, PT_KIND_CONVERGENCE,
                   "%s: a relative gap of %.2g was reached, not the %g of `gap`; use %-sa larger "
                   "`gap` or a smaller `C`",
                   machine, reached, gap, type == PT_F32 ? "`precision=double`, " : "");
}

/* ---- machines that are an expansion ---------------------------------------------------------- */

void pt_expansion_machine_free(pt_machine *machine)
{
    pt_expansion_free(&((pt_expansion_machine *)machine)->expansion);
}

pt_status pt_expansion_machine_scores(const pt_machine *machine, const pt_rows *rows,
                                      double *scores, const pt_task *task, pt_error *err)
{
    const pt_expansion_machine *m = (const pt_expansion_machine *)machine;
    return pt_expansion_outputs(&m->expansion, rows, scores, task, err);
}

pt_status pt_expansion_machine_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    PT_TRY(pt_pack_begin(pack, err));
    pt_expansion_save(&((const pt_expansion_machine *)machine)->expansion, pack);
    return PT_OK;
}

pt_status pt_expansion_machine_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                                    int64_t n_classes, const pt_params *params, int64_t *used,
                                    const pt_task *task, pt_error *err)
{
    pt_expansion_machine *m = (pt_expansion_machine *)machine;
    return pt_expansion_load(&m->expansion, pack, n_inputs, n_classes, params, used, task, err);
}
