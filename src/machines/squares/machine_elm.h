/* See machine_elm.c. */
#ifndef PT_MACHINES_SQUARES_MACHINE_ELM_H
#define PT_MACHINES_SQUARES_MACHINE_ELM_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_elm;

#endif
