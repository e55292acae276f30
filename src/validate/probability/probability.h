/* From scores to probabilities that keep the prediction. */
#ifndef PT_VALIDATE_PROBABILITY_PROBABILITY_H
#define PT_VALIDATE_PROBABILITY_PROBABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* What differs with the class that is predicted. */
typedef struct pt_said {
    double worth;  /* above 0: times the temperature */
    double mixing; /* in its place */
} pt_said;

typedef struct pt_calibration {
    double temperature; /* above 0: what a difference of scores is worth */
    double power;       /* above 0: of differences of scores */
    double frequency;   /* in [0, 1]: how much rare classes are held back */
    double mixing;      /* in [0, 1]: the share of what is known without scores */
    double floor;  /* in [0, 1]: the share of the uniform distribution; with mixing at most 1 */
    bool given;    /* scores are probabilities: their logarithms take the place of scores */
    pt_said *said; /* k, its own; NULL: the same for all */
} pt_calibration;

/* Its own copy of `said`, which is freed by pt_calibration_free. */
pt_status pt_calibration_copy(pt_calibration *out, const pt_calibration *calibration, int64_t k,
                              pt_error *err);
void pt_calibration_free(pt_calibration *calibration);

/* As the scores are, with the floor that n rows of training ask for. */
pt_calibration pt_uncalibrated(double n, bool given);

/* The share of the uniform distribution that n rows cannot rule out. */
double pt_least_floor(double n);

/* p (k) <- the probabilities of k classes, of which the first largest is the first largest score.
 * class_rows (k): how many rows of training each class had; NULL where frequency is 0. */
void pt_class_probabilities(const pt_calibration *calibration, const double *class_rows,
                            const double *scores, int64_t k, double *p);

/* Of sets: the probability that one class is in it; above 1/2 where the score is above 0. */
double pt_member_probability(const pt_calibration *calibration, double score);

#endif
