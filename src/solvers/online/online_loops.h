/* The inner loops of online learners, compiled for every instruction set. */
#ifndef PT_SOLVERS_ONLINE_ONLINE_LOOPS_H
#define PT_SOLVERS_ONLINE_ONLINE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/isa.h"

/* An example: its features that are not 0. A view. */
typedef struct pt_online_row {
    int64_t count;
    const int64_t *index; /* from 0 */
    const double *value;
} pt_online_row;

enum { PT_ONLINE_LANES = 4 }; /* strides are multiples of it */

typedef struct pt_online_loops {
    /* scores[r] += sum_p x_p V[index_p * stride + r], r < stride */
    void (*scores)(const double *V, int64_t stride, const pt_online_row *x, double *scores);
    /* V[index_p * stride + r] += by x_p tau[r], r < stride; far: V was not used just before */
    void (*steps)(double *V, int64_t stride, const pt_online_row *x, double by, const double *tau,
                  bool far);
} pt_online_loops;

PT_ISA_CHOSEN(pt_online_loops, pt_online_loops, pt_online_loops_chosen)

#endif
