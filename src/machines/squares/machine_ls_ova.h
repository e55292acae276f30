/* See machine_ls_ova.c. */
#ifndef PT_MACHINES_SQUARES_MACHINE_LS_OVA_H
#define PT_MACHINES_SQUARES_MACHINE_LS_OVA_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_ls_ova;

#endif
