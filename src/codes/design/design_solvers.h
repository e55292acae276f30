/* The solvers of code design, one for each row of the table in design.c, and what they share. */
#ifndef PT_CODES_DESIGN_DESIGN_SOLVERS_H
#define PT_CODES_DESIGN_DESIGN_SOLVERS_H

#include "codes/design/design.h"

/* All have this form: that of pt_design. */
typedef pt_status pt_design_fn(pt_designed *out, const pt_design_data *data,
                               const pt_design_how *how, pt_design_result *result,
                               const pt_task *task, pt_error *err);

/* design_l2.c: the norm 2, and kernels on the outputs: the quadratic program of CS section 5, whose
 * dual is that of the multiclass support vector machine on the outputs (spoc.h). */
pt_design_fn pt_design_l2;

/* design_lp.c: the norms 1 and infinity: the linear programs of CS section 4, solved exactly with
 * Clp from few of their rows. In `result` the primal value is that of M, slack recomputed from it,
 * and the dual value that of a feasible dual solution, so that their difference is a proof; steps
 * are pivots. PT_ENUMERIC where the separable form has no solution. */
pt_design_fn pt_design_lp;

/* design_pairs.c: constraint classification on the outputs (HRZ section 6), for labels of every
 * kind: data->labels, for which class_of may be NULL. The norm in the result is that of all
 * functions, with the threshold's where labels are sets, and with constants. */
pt_design_fn pt_design_pairs;

/* b of example i and class r; those of all classes, where NULL stands for 1 (0 for its own class).
 */
const double *pt_design_margins(const pt_design_data *data, int64_t i);
double pt_design_margin(const pt_design_data *data, int64_t i, int64_t r);

/* Of a linear program, scores h_i . M_r (m x k), and v_rt = sum_i h_it ([y_i = r] sum_s eta_is -
 * eta_ir) (k x ell). The latter leaves [y_i = r] sum_s eta_is - eta_ir in `signs` (m x k). */
void pt_design_scores(double *scores, const pt_design_data *data, const double *M);
void pt_design_pull(double *V, const pt_design_data *data, const double *eta, double *signs);

/* design_start.c: eta (m x k, row-major, 0 at r = y_i) <- dual variables that are roughly optimal:
 * not 0 for the pairs (i, r) that are likely to bind, so that the simplex method begins with the
 * right few hundred rows of many thousand. The largest |H| is about 1. strength: C or A. */
pt_status pt_design_start(double *eta, const pt_design_data *data, pt_design_norm norm,
                          pt_design_form form, double strength, const pt_task *task, pt_error *err);

#endif
