/* The table of machines, and what is asked of any of them. */
#include "machine/machine.h"

#include "base/alloc.h"
#include "base/registry.h"
#include "kernels/kernel_params.h"
#include "learners/learner.h"
#include "params/params_table.h"

const pt_machine_ops *const pt_machines[] = {
#define PT_ENTRY(entry, name) &pt_machine_##entry,
#include "registry/machines.def"
#undef PT_ENTRY
    NULL};

PT_REGISTRY_FIND(pt_machine_find, pt_machine_ops, pt_machines)

pt_status pt_machine_fit(pt_machine **out, const pt_machine_ops *ops, const pt_problem *problem,
                         const pt_params *params, const pt_task *task, pt_texts *warnings,
                         pt_error *err)
{
    PT_FREED_BY(pt_texts_free) pt_texts dropped = {0};
    return ops->fit(out, problem, params, task, warnings ? warnings : &dropped, err);
}

pt_status pt_machine_plan(pt_plan *plan, const pt_machine_ops *ops, const pt_problem *problem,
                          const pt_params *params, const pt_task *task, pt_error *err)
{
    *plan = (pt_plan){0};
    return ops->plan ? ops->plan(problem, params, task, plan, err) : PT_OK;
}

bool pt_machine_uses(const pt_machine_ops *ops, const pt_params *params, const char *parameter)
{
    return pt_word_listed(ops->parameters, ',', parameter, strlen(parameter)) &&
           (!ops->uses || ops->uses(params, parameter));
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
    return pt_kernel_named(params, sparse || ops->capabilities & PT_LINEAR_BY_DEFAULT);
}

bool pt_machine_takes_raw(const pt_machine_ops *ops, const pt_params *params)
{
    return ops->capabilities & PT_CAN_RAW && (!ops->raw || ops->raw(params));
}
