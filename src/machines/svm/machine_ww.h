/* Weston-Watkins: see machine_ww.c. */
#ifndef PT_MACHINES_SVM_MACHINE_WW_H
#define PT_MACHINES_SVM_MACHINE_WW_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_ww;

#endif
