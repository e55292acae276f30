/* The loops of decoders that no library has, compiled for every instruction set. */
#ifndef PT_DECODERS_DECODE_LOOPS_H
#define PT_DECODERS_DECODE_LOOPS_H

#include <stdint.h>

#include "base/isa.h"

typedef struct pt_decode_loops {
    /* u[i] <- log(1 + u[i]), 0 <= u[i] <= 1 */
    void (*log1p)(double *u, int64_t count);
} pt_decode_loops;

PT_ISA_CHOSEN(pt_decode_loops, pt_decode_loops, pt_decode_loops_chosen)

#endif
