/* See machine_suykens.c. */
#ifndef PT_MACHINES_SQUARES_MACHINE_SUYKENS_H
#define PT_MACHINES_SQUARES_MACHINE_SUYKENS_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_suykens;

#endif
