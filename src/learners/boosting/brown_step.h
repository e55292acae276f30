/* One round of BrownBoost (Freund 2001): how far the outputs move and how much time that takes. */
#ifndef PT_LEARNERS_BOOSTING_BROWN_STEP_H
#define PT_LEARNERS_BOOSTING_BROWN_STEP_H

#include <stdint.h>

/* Sums over examples, e = exp(-u^2). */
typedef struct pt_brown_sums {
    double potential; /* w erfc(u) */
    double A;         /* w e */
    double B;         /* w b e */
    double C;         /* w u e */
    double D;         /* w b u e */
    double Q;         /* w b^2 u e */
} pt_brown_sums;

/* All in units of sqrt(c). */
typedef struct pt_brown {
    int64_t n;
    const double *rho;    /* n: margins y f(x) so far */
    const double *b;      /* n: y h(x) of the weak hypothesis, -1, 0 or 1 */
    const double *weight; /* n, or NULL: all 1 */
    double left;          /* time that is left, > 0 */
} pt_brown;

typedef struct pt_brown_move {
    double alpha; /* 0: the hypothesis has no edge, and nothing moves */
    double time;  /* `left` where it is used up */
    int64_t passes;
} pt_brown_move;

/* Time: some ten passes over the examples. */
pt_brown_move pt_brown_solve(const pt_brown *problem);

/* The sums at a point, for tests too. */
void pt_brown_at(const pt_brown *problem, double alpha, double time, pt_brown_sums *sums);

/* D[i] <- weight_i exp(-(rho_i + left)^2), the weights of a round. */
void pt_brown_weights(const pt_brown *problem, double *D);

/* sqrt(c) for which 1 - erf(sqrt(c)) = error, 0 < error < 1. */
double pt_brown_width(double error);

#endif
