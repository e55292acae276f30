/* A tree of classes with a learned column at each node. */
#ifndef PT_MACHINES_CODES_MACHINE_CLASS_TREE_H
#define PT_MACHINES_CODES_MACHINE_CLASS_TREE_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_class_tree;

#endif
