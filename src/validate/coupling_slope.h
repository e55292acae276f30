/* See coupling_slope.c. */
#ifndef PT_VALIDATE_COUPLING_SLOPE_H
#define PT_VALIDATE_COUPLING_SLOPE_H

#include "machine/machine.h"

/* Replaces --coupling-slope auto where --decode coupling is asked for, of a machine that learns all
 * pairs. All other parameters are resolved. */
pt_status pt_coupling_resolve(const pt_machine_ops *ops, pt_params *params,
                              const pt_problem *problem, const pt_task *task, pt_error *err);

/* argmin_t sum_i log(1 + e^(-2 t z_i)) over t > 0, with one margin more, of the mean size and on
 * the wrong side: t stays finite where all margins are right. */
double pt_coupling_slope(const double *z, int64_t count);

#endif
