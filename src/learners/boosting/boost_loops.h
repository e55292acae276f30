/* The inner loops of LogitBoost and BrownBoost, compiled for every instruction set. */
#ifndef PT_LEARNERS_BOOSTING_BOOST_LOOPS_H
#define PT_LEARNERS_BOOSTING_BOOST_LOOPS_H

#include <stdint.h>

#include "base/isa.h"

enum {
    PT_BOOST_LANES = 8, /* partial sums, added in a fixed order */
    /* Examples of a call at most. LogitBoost: products of as many / LANES factors, none of them
     * above 2, do not overflow. BrownBoost: their numbers stay in the first-level cache. */
    PT_LOGIT_PIECE = 1024,
    PT_BROWN_PIECE = 512
};

typedef struct pt_boost_loops {
    /* LogitBoost: to[i] <- margin[i] + scale y[i] h[i], size[i] <- |to[i]| */
    void (*move)(const double *margin, const double *y, const double *h, int64_t count,
                 double scale, double *to, double *size);
    /* linear (LANES) += max(0, -2z), product (LANES) *= 1 + e, e = exp(-2|z|): the logarithm of
     * the product is the rest of log(1 + exp(-2z)). */
    void (*losses)(const double *margin, const double *e, int64_t count, double *linear,
                   double *product);
    /* The working weights, and they times the responses; weight NULL: all 1. */
    void (*respond)(const double *margin, const double *e, const double *y, const double *weight,
                    int64_t count, double *first, double *second);
    /* BrownBoost: u[i] <- rho[i] + add + alpha b[i], e[i] <- its square */
    void (*places)(const double *rho, const double *b, int64_t count, double add, double alpha,
                   double *u, double *e);
    /* sum (6 x LANES) += the terms of pt_brown_sums (brown_step.h); w NULL: all 1 */
    void (*sums)(const double *u, const double *e, const double *b, const double *w, int64_t count,
                 double *sum);
} pt_boost_loops;

PT_ISA_CHOSEN(pt_boost_loops, pt_boost_loops, pt_boost_loops_chosen)

#endif
