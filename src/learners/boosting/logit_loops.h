/* The inner loops of LogitBoost, compiled for every instruction set. */
#ifndef PT_LEARNERS_BOOSTING_LOGIT_LOOPS_H
#define PT_LEARNERS_BOOSTING_LOGIT_LOOPS_H

#include <stdint.h>

#include "base/isa.h"

enum {
    PT_LOGIT_LANES = 8, /* partial sums, added in a fixed order */
    PT_LOGIT_PIECE =
        1024 /* examples of a call at most: products of as many / LANES factors, none of
                             them above 2, do not overflow */
};

typedef struct pt_logit_loops {
    /* to[i] <- margin[i] + scale y[i] h[i], size[i] <- |to[i]| */
    void (*move)(const double *margin, const double *y, const double *h, int64_t count,
                 double scale, double *to, double *size);
    /* linear (LANES) += max(0, -2z), product (LANES) *= 1 + e, e = exp(-2|z|): the logarithm of
     * the product is the rest of log(1 + exp(-2z)). */
    void (*losses)(const double *margin, const double *e, int64_t count, double *linear,
                   double *product);
    /* The working weights, and they times the responses; weight NULL: all 1. */
    void (*respond)(const double *margin, const double *e, const double *y, const double *weight,
                    int64_t count, double *first, double *second);
} pt_logit_loops;

PT_ISA_CHOSEN(pt_logit_loops, pt_logit_loops, pt_logit_loops_chosen)

#endif
