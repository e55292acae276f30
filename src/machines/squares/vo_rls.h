/* Vector-output regularised least squares, HNR section 4: what vo-RLS(beta) and vo-RLS(f) share. */
#ifndef PT_MACHINES_SQUARES_VO_RLS_H
#define PT_MACHINES_SQUARES_VO_RLS_H

#include "machine/machine.h"

/* What is penalised: the size of the coefficients, or that of the function. */
typedef enum pt_vo_rls_norm { PT_NORM_BETA = 0, PT_NORM_F = 1 } pt_vo_rls_norm;

#define PT_VO_RLS_PARAMETERS                                                                 \
    "ridge,labelbook,label-kernel,label-sigma,label-degree,label-coef0,decode,class-weight," \
    "precision,auto-rows,kernel"

pt_status pt_vo_rls_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                         pt_plan *plan, pt_error *err);
pt_status pt_vo_rls_fit(pt_machine **out, const pt_machine_ops *ops, pt_vo_rls_norm norm,
                        const pt_problem *problem, const pt_params *params, const pt_task *task,
                        pt_texts *warnings, pt_error *err);

#endif
