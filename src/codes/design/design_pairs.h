/* Design by pairs (HRZ section 6): constraint classification on the outputs of a code. */
#ifndef PT_CODES_DESIGN_DESIGN_PAIRS_H
#define PT_CODES_DESIGN_DESIGN_PAIRS_H

#include "codes/design/design.h"

/* For labels of every kind: data->labels, for which class_of may be NULL. The norm that is told is
 * that of all functions, with the threshold's where labels are sets, and with constants. */
pt_status pt_design_pairs(pt_designed *out, const pt_design_data *data, const pt_design_how *how,
                          pt_design_result *result, const pt_task *task, pt_error *err);

/* What the pairs of the labels say to scores (m x k), of sets above 0 for its classes: sums by
 * weight. */
typedef struct pt_pair_sums {
    double wrong; /* shares of the pairs of an example that do not hold; without pairs 0 */
    double slack; /* of all pairs: max(0, 1 - z) */
} pt_pair_sums;
pt_status pt_design_pair_sums(pt_pair_sums *sums, const pt_design_data *data, const double *scores,
                              pt_error *err);

/* How many pairs an example has, as a mean. */
double pt_design_mean_pairs(const pt_design_data *data);

#endif
