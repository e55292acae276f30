/* The descent inside of pt_box_qp_solve. */
#ifndef PT_SOLVERS_DUAL_BOX_DESCENT_H
#define PT_SOLVERS_DUAL_BOX_DESCENT_H

#include "solvers/dual/box_qp.h"

/* pt_box_qp_solve for a problem with a store, from a b within the bounds. Where stage is NULL it
 * reports no progress. */
pt_status pt_box_descent(const pt_box_qp *qp, double *b, pt_box_result *result, const char *stage,
                         const pt_task *task, pt_error *err);

/* The group of each variable, H_ii and 1 / H_ii from k(x_i, x_i). */
pt_status pt_box_curves(const pt_box_qp *qp, const double *diagonal, int64_t *group, double *curve,
                        double *step, pt_error *err);

/* Moves of a variable after which it is enough. */
int64_t pt_box_limit(const pt_box_qp *qp);

#endif
