/* AdaBoost.MO, and AdaBoost.MH as its one-against-all case: see machine_adaboost_mo.c. Their
 * weights and errors by round are told by pt_machine_ops.boosting. */
#ifndef PT_MACHINES_TREES_MACHINE_ADABOOST_MO_H
#define PT_MACHINES_TREES_MACHINE_ADABOOST_MO_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_adaboost_mo;
extern const pt_machine_ops pt_machine_adaboost_mh;

#endif
