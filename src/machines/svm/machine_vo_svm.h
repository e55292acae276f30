/* vo-SVM: see machine_vo_svm.c. */
#ifndef PT_MACHINES_SVM_MACHINE_VO_SVM_H
#define PT_MACHINES_SVM_MACHINE_VO_SVM_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_vo_svm;

#endif
