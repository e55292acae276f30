/* See machine_tree.c. */
#ifndef PT_MACHINES_TREES_MACHINE_TREE_H
#define PT_MACHINES_TREES_MACHINE_TREE_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_tree;

#endif
