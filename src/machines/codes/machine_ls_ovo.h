/* See machine_ls_ovo.c. */
#ifndef PT_MACHINES_CODES_MACHINE_LS_OVO_H
#define PT_MACHINES_CODES_MACHINE_LS_OVO_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_ls_ovo;

#endif
