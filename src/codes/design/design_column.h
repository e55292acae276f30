/* The best first column of a discrete code for a given hypothesis (CS section 3, Theorem 1).
 *
 * A column u of signs and a hypothesis h leave an example to all classes r with u_r = sign(h(x)),
 * among which chance decides; the expected share of examples that are right (CS eq. (3)) is
 *
 *     xi(u) = sum_{u_r = +1} a_r^+ / w + sum_{u_r = -1} a_r^- / (k - w),    w = |{r: u_r = +1}|,
 *
 * a_r^b the weight share of examples of class r with sign(h) = b. An output of 0 is for no side: it
 * leaves the example to all k classes, whatever u is. */
#ifndef PT_CODES_DESIGN_DESIGN_COLUMN_H
#define PT_CODES_DESIGN_DESIGN_COLUMN_H

#include "codes/design/design.h"

/* The column for h = column t of H that has the largest xi: k signs of both kinds into u, 1 - xi
 * into error (may be NULL). Of equal ones that with the fewest classes at +, then the first classes
 * at +. Constant columns, for which xi = 1/k, are never better. Time: O(m + k^2 log k). */
pt_status pt_design_first_column(const pt_design_data *data, int64_t t, int8_t *u, double *error,
                                 pt_error *err);

/* Of all columns of H the one with the smallest such error, the first on ties: *t <- which, and its
 * column and error as above. (CS has no short way to several columns at once: that is the general
 * problem, which is NP-complete; codes/design/design_discrete.h.) */
pt_status pt_design_best_hypothesis(const pt_design_data *data, int64_t *t, int8_t *u,
                                    double *error, pt_error *err);

#endif
