/* Automatic parameters of vo-SVM. */
#ifndef PT_MACHINES_SVM_VO_SVM_AUTO_H
#define PT_MACHINES_SVM_VO_SVM_AUTO_H

#include "machine/machine.h"

/* Replaces "auto" of kernel and sigma by what oneLSM would choose (pt_ls_resolve). */
pt_status pt_vo_svm_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                            pt_texts *warnings, pt_error *err);

#endif
