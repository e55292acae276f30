/* Design with the norm 2, and with a kernel on the outputs: the quadratic program of CS section 5,
 * whose dual is that of the multiclass support vector machine on the outputs (spoc.h). */
#ifndef PT_CODES_DESIGN_DESIGN_L2_H
#define PT_CODES_DESIGN_DESIGN_L2_H

#include "codes/design/design.h"

pt_status pt_design_l2(pt_designed *out, const pt_design_data *data, const pt_design_how *how,
                       pt_design_result *result, const pt_task *task, pt_error *err);

/* The soft form for several C, each from the solution of the one before. */
typedef struct pt_l2_path pt_l2_path;

/* `data` and `how` must stay; how->C is not used. */
pt_status pt_l2_path_open(pt_l2_path **out, const pt_design_data *data, const pt_design_how *how,
                          const pt_task *task, pt_error *err);
/* *out (zero) <- the code for this C. */
pt_status pt_l2_path_solve(pt_l2_path *path, double C, pt_designed *out, pt_design_result *result,
                           const pt_task *task, pt_error *err);
void pt_l2_path_close(pt_l2_path *path);

#endif
