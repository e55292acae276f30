/* How true probabilities are, collected row by row. */
#ifndef PT_METRICS_RELIABILITY_H
#define PT_METRICS_RELIABILITY_H

#include <stdbool.h>
#include <stdint.h>

enum { PT_RELIABILITY_BINS = 15 };

/* A mean and what its standard error is made of. */
typedef struct pt_weighted_mean {
    double weight;
    double sum;     /* of weight * value */
    double squares; /* of weight^2 */
    double spread;  /* of weight^2 * value^2 */
    double cross;   /* of weight^2 * value */
} pt_weighted_mean;

/* Zero-initialise. */
typedef struct pt_reliability {
    pt_weighted_mean excess[PT_RELIABILITY_BINS]; /* 1 (right) or 0, minus the probability */
    pt_weighted_mean log_loss;
    pt_weighted_mean brier;
} pt_reliability;

typedef struct pt_estimate {
    double value; /* NaN: there was nothing to estimate it from */
    double low;   /* an interval that has the true value with probability 0.95, roughly */
    double high;
} pt_estimate;

/* A row with probabilities p (k), of which that of `predicted` is the first largest. truth >= k: a
 * class that has no probability; the row is wrong, and no part of log loss and Brier score. */
void pt_reliability_add(pt_reliability *reliability, const double *p, int64_t k, int64_t predicted,
                        int64_t truth, double weight);
/* Of sets: one class of a row. */
void pt_reliability_add_member(pt_reliability *reliability, double p, bool member, double weight);

pt_estimate pt_reliability_error(const pt_reliability *reliability); /* in [0, 1] */
pt_estimate pt_reliability_log_loss(const pt_reliability *reliability);
pt_estimate pt_reliability_brier(const pt_reliability *reliability);

#endif
