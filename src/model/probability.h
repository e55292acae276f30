/* From scores to probabilities that keep their order. */
#ifndef PT_MODEL_PROBABILITY_H
#define PT_MODEL_PROBABILITY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pt_calibration {
    double temperature; /* above 0 */
    double mixing;      /* the share of the uniform distribution, in [0, 1] */
    bool given;         /* scores are probabilities: their logarithms take the place of scores */
} pt_calibration;

/* As the scores are, mixed as little as n rows of training ask for (pt_least_mixing). */
pt_calibration pt_uncalibrated(double n, bool given);

/* The share that n rows cannot rule out: a probability below the k-th part of it, or above 1 minus
 * that, is more than they can support. */
double pt_least_mixing(double n);

/* p (k) <- the probabilities of k classes, of which the first largest is the first largest score.
 */
void pt_class_probabilities(const pt_calibration *calibration, const double *scores, int64_t k,
                            double *p);

/* Of sets: the probability that one class is in it; above 1/2 where the score is above 0. */
double pt_member_probability(const pt_calibration *calibration, double score);

#endif
