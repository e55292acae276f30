/* SPOC: see machine_spoc.c. */
#ifndef PT_MACHINES_SVM_MACHINE_SPOC_H
#define PT_MACHINES_SVM_MACHINE_SPOC_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_spoc;

#endif
