/* Code design with p = 1 and p = infinity: linear programs, solved exactly with Clp from few of
 * their rows. */
#ifndef PT_CODES_DESIGN_DESIGN_LP_H
#define PT_CODES_DESIGN_DESIGN_LP_H

#include "codes/design/design.h"

/* M (k x ell) <- the code; `strength` is C of the soft form, A of the hard one (both > 0), and not
 * looked at in the separable one. norm: PT_NORM_1 or PT_NORM_INF. In `result` the primal value is
 * that of M, slack recomputed from it, and the dual value that of a feasible dual solution, so that
 * their difference is a proof; steps are pivots. PT_ENUMERIC where the separable form has no
 * solution. The same bytes for any number of threads. */
pt_status pt_design_lp(double *M, const pt_design_data *data, pt_design_norm norm,
                       pt_design_form form, double strength, pt_design_result *result,
                       const pt_task *task, pt_error *err);

#endif
