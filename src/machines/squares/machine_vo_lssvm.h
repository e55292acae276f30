/* See machine_vo_lssvm.c. */
#ifndef PT_MACHINES_SQUARES_MACHINE_VO_LSSVM_H
#define PT_MACHINES_SQUARES_MACHINE_VO_LSSVM_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_vo_lssvm;

#endif
