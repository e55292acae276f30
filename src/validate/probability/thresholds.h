/* From which score on a class is in a set. */
#ifndef PT_VALIDATE_PROBABILITY_THRESHOLDS_H
#define PT_VALIDATE_PROBABILITY_THRESHOLDS_H

#include "validate/probability/calibrate.h"

/* thresholds (k): of each class the score above which it is said, so that its F1 on held-out rows
 * of sets is largest; of several the nearest to 0. A class that no row has keeps 0. */
pt_status pt_thresholds_fit(double *thresholds, const pt_held_out_scores *held_out, pt_error *err);

/* scores (n x k) <- scores above the thresholds (NULL: 0). */
void pt_thresholds_shift(const double *thresholds, int64_t k, double *scores, int64_t n);

#endif
