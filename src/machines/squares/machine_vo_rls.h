/* See machine_vo_rls.c. */
#ifndef PT_MACHINES_SQUARES_MACHINE_VO_RLS_H
#define PT_MACHINES_SQUARES_MACHINE_VO_RLS_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_vo_rls;

#endif
