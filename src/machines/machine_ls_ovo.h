/* See machine_ls_ovo.c. */
#ifndef PT_MACHINES_MACHINE_LS_OVO_H
#define PT_MACHINES_MACHINE_LS_OVO_H

#include "machines/machine.h"

extern const pt_machine_ops pt_machine_ls_ovo;

#endif
