/* See machine_onelsm.c. */
#ifndef PT_MACHINES_SQUARES_MACHINE_ONELSM_H
#define PT_MACHINES_SQUARES_MACHINE_ONELSM_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_onelsm;

#endif
