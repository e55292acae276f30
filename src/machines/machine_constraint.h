/* Constraint classification (HRZ). */
#ifndef PT_MACHINES_MACHINE_CONSTRAINT_H
#define PT_MACHINES_MACHINE_CONSTRAINT_H

#include "machines/machine.h"

extern const pt_machine_ops pt_machine_constraint;

#endif
