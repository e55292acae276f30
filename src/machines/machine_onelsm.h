/* See machine_onelsm.c. */
#ifndef PT_MACHINES_MACHINE_ONELSM_H
#define PT_MACHINES_MACHINE_ONELSM_H

#include "machines/machine.h"

extern const pt_machine_ops pt_machine_onelsm;

#endif
