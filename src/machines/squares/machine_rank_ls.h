/* rank-ls: least squares on rank targets. */
#ifndef PT_MACHINES_SQUARES_MACHINE_RANK_LS_H
#define PT_MACHINES_SQUARES_MACHINE_RANK_LS_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_rank_ls;

#endif
