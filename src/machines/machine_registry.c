/* Every machine there is. */
#include <string.h>

#include "machines/machine.h"
#include "machines/machine_adaboost_mo.h"
#include "machines/machine_class_tree.h"
#include "machines/machine_code.h"
#include "machines/machine_constraint.h"
#include "machines/machine_designed.h"
#include "machines/machine_elm.h"
#include "machines/machine_ls_ova.h"
#include "machines/machine_ls_ovo.h"
#include "machines/machine_onelsm.h"
#include "machines/machine_powerset.h"
#include "machines/machine_rank_ls.h"
#include "machines/machine_relevance.h"
#include "machines/machine_softmax.h"
#include "machines/machine_spoc.h"
#include "machines/machine_suykens.h"
#include "machines/machine_tree.h"
#include "machines/machine_vo_lssvm.h"
#include "machines/machine_vo_rls.h"
#include "machines/machine_vo_rls_f.h"
#include "machines/machine_vo_svm.h"
#include "machines/machine_ww.h"
#include "params/params_table.h"

const pt_machine_ops *const pt_machines[] = {
    &pt_machine_onelsm,
    &pt_machine_vo_lssvm,
    &pt_machine_vo_rls,
    &pt_machine_vo_rls_f,
    &pt_machine_vo_svm,
    &pt_machine_spoc,
    &pt_machine_ww,
    &pt_machine_ls_ova,
    &pt_machine_ls_ovo,
    &pt_machine_suykens,
    &pt_machine_elm,
    &pt_machine_softmax,
    &pt_machine_tree,
    &pt_machine_adaboost_mo,
    &pt_machine_adaboost_mh,
    &pt_machine_class_tree,
    &pt_machine_constraint,
    &pt_machine_rank_ls,
    &pt_machine_relevance,
    &pt_machine_powerset,
    &pt_machine_code,
    &pt_machine_designed,
    NULL,
};

const pt_machine_ops *pt_machine_find(const char *name)
{
    for (int64_t i = 0; pt_machines[i]; i++)
        if (strcmp(pt_machines[i]->name, name) == 0)
            return pt_machines[i];
    return NULL;
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

bool pt_machine_takes_raw(const pt_machine_ops *ops, const pt_params *params)
{
    return ops->capabilities & PT_CAN_RAW && (!ops->raw || ops->raw(params));
}
