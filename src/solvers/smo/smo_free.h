/* The problem of smo.h among its free variables alone, a small dense one:
 *
 *     min  1/2 d^T K d - v^T d ,   low <= beta + d <= high ,   1^T d = 0 (with a bias)
 *
 * Two at a time, variables that nearly depend on each other creep; together they move at once. */
#ifndef PT_SOLVERS_SMO_SMO_FREE_H
#define PT_SOLVERS_SMO_SMO_FREE_H

#include <stdbool.h>

#include "base/error.h"

typedef struct pt_smo_free {
    int64_t n;
    bool bias;
    const double *K;   /* n x n */
    const double *low; /* n, as high: bounds of beta */
    const double *high;
    double *beta; /* moves to a better place; exactly to a bound where it meets one */
    double *v;    /* and this with it */
} pt_smo_free;

/* Newton steps, each to the best place or to the first bound on the way, which is kept from then
 * on. Nothing happens where K is not positive semidefinite. */
pt_status pt_smo_free_settle(const pt_smo_free *f, pt_error *err);

#endif
