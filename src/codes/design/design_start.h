/* Which rows of the linear program of a code design are likely to count: a rough solution by first
 * order steps, so that the simplex method begins with the right few hundred of many thousand. */
#ifndef PT_CODES_DESIGN_DESIGN_START_H
#define PT_CODES_DESIGN_DESIGN_START_H

#include "codes/design/design.h"

/* eta (m x k, row-major, 0 at r = y_i) <- dual variables that are roughly optimal: not 0 for the
 * pairs (i, r) that are likely to bind. The largest |H| is about 1. strength: C or A as there. */
pt_status pt_design_start(double *eta, const pt_design_data *data, pt_design_norm norm,
                          pt_design_form form, double strength, const pt_task *task, pt_error *err);

/* Scores h_i . M_r (m x k), and v_rt = sum_i h_it ([y_i = r] sum_s eta_is - eta_ir) (k x ell). The
 * latter leaves [y_i = r] sum_s eta_is - eta_ir in `signs` (m x k). */
void pt_design_scores(double *scores, const pt_design_data *data, const double *M);
void pt_design_pull(double *V, const pt_design_data *data, const double *eta, double *signs);

#endif
