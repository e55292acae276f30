/* The inner loops of BrownBoost's step, compiled for every instruction set. */
#ifndef PT_LEARNERS_BOOSTING_BROWN_LOOPS_H
#define PT_LEARNERS_BOOSTING_BROWN_LOOPS_H

#include <stdint.h>

#include "base/isa.h"

enum {
    PT_BROWN_LANES = 8,  /* partial sums, added in a fixed order */
    PT_BROWN_PIECE = 512 /* examples whose numbers stay in the first-level cache meanwhile */
};

/* Sums over examples, e = exp(-u^2). */
typedef struct pt_brown_sums {
    double potential; /* w erfc(u) */
    double A;         /* w e */
    double B;         /* w b e */
    double C;         /* w u e */
    double D;         /* w b u e */
    double Q;         /* w b^2 u e */
} pt_brown_sums;

typedef struct pt_brown_loops {
    /* u[i] <- rho[i] + add + alpha b[i], e[i] <- its square */
    void (*places)(const double *rho, const double *b, int64_t count, double add, double alpha,
                   double *u, double *e);
    /* sum (6 x LANES) += the terms above, of at most PIECE examples; w NULL: all 1 */
    void (*sums)(const double *u, const double *e, const double *b, const double *w, int64_t count,
                 double *sum);
} pt_brown_loops;

PT_ISA_CHOSEN(pt_brown_loops, pt_brown_loops, pt_brown_loops_chosen)

#endif
