/* Choosing sigma and ridge by leave-one-out. */
#ifndef PT_MACHINES_LS_AUTO_H
#define PT_MACHINES_LS_AUTO_H

#include "machines/machine.h"

/* Replaces "auto" of kernel, sigma and ridge by what leave-one-out chooses on at most auto-rows of
 * the rows (a stratified sample). Ties go to the smoother point: larger sigma, then larger ridge;
 * but on a sample of the rows, points that it cannot tell apart go to the narrower sigma
 * (ls_auto.c). */
pt_status pt_ls_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                        pt_texts *warnings, pt_error *err);

#endif
