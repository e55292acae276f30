/* Label powerset: every distinct set is a class. */
#ifndef PT_MACHINES_SQUARES_MACHINE_POWERSET_H
#define PT_MACHINES_SQUARES_MACHINE_POWERSET_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_powerset;

#endif
