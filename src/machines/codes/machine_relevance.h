/* Binary relevance: one binary problem for each class. */
#ifndef PT_MACHINES_CODES_MACHINE_RELEVANCE_H
#define PT_MACHINES_CODES_MACHINE_RELEVANCE_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_relevance;

#endif
