/* Multinomial logistic regression. */
#ifndef PT_MACHINES_MACHINE_SOFTMAX_H
#define PT_MACHINES_MACHINE_SOFTMAX_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_softmax;

#endif
