/* Learned columns with a designed code. */
#ifndef PT_MACHINES_CODES_MACHINE_DESIGNED_H
#define PT_MACHINES_CODES_MACHINE_DESIGNED_H

#include "machines/codes/design_round.h"

/* *out <- the machine of a round that has columns and a code, which are taken. */
pt_status pt_machine_designed_take(pt_machine **out, pt_design_round *round, pt_error *err);

/* The code of such a machine, lent by it; NULL: it is another machine. */
const pt_designed *pt_machine_designed_code(const pt_machine *machine);
/* Its columns, lent by it; another machine is its own columns. */
const pt_machine *pt_machine_designed_columns(const pt_machine *machine);

#endif
