/* Every machine there is. */
#include <string.h>

#include "machine/machine.h"
#include "machines/codes/machine_class_tree.h"
#include "machines/codes/machine_code.h"
#include "machines/codes/machine_designed.h"
#include "machines/codes/machine_ls_ovo.h"
#include "machines/codes/machine_relevance.h"
#include "machines/machine_softmax.h"
#include "machines/squares/machine_elm.h"
#include "machines/squares/machine_ls_ova.h"
#include "machines/squares/machine_onelsm.h"
#include "machines/squares/machine_powerset.h"
#include "machines/squares/machine_rank_ls.h"
#include "machines/squares/machine_suykens.h"
#include "machines/squares/machine_vo_lssvm.h"
#include "machines/squares/machine_vo_rls.h"
#include "machines/squares/machine_vo_rls_f.h"
#include "machines/svm/machine_constraint.h"
#include "machines/svm/machine_spoc.h"
#include "machines/svm/machine_vo_svm.h"
#include "machines/svm/machine_ww.h"
#include "machines/trees/machine_adaboost_mo.h"
#include "machines/trees/machine_tree.h"
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
    return ops->capabilities & PT_CAN_END_EARLY &&
           (!pt_machine_uses(ops, params, "learner") ||
            pt_learner_of(params).capabilities & PT_LEARNS_UNTIL_TOLD);
}

bool pt_machine_takes_raw(const pt_machine_ops *ops, const pt_params *params)
{
    return ops->capabilities & PT_CAN_RAW && (!ops->raw || ops->raw(params));
}
