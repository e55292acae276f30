/* See machine_vo_rls_f.c. */
#ifndef PT_MACHINES_SQUARES_MACHINE_VO_RLS_F_H
#define PT_MACHINES_SQUARES_MACHINE_VO_RLS_F_H

#include "machine/machine.h"

extern const pt_machine_ops pt_machine_vo_rls_f;

#endif
