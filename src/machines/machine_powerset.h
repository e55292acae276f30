/* Label powerset: every distinct set is a class. */
#ifndef PT_MACHINES_MACHINE_POWERSET_H
#define PT_MACHINES_MACHINE_POWERSET_H

#include "machines/machine.h"

extern const pt_machine_ops pt_machine_powerset;

#endif
