/* The loops of decode_loops.h for one instruction set (PT_ISA). */
#include "decoders/decode_loops.h"

/* log(1 + u) = 2 artanh t, t = u / (2 + u) <= 1/3, artanh t = t (1 + t^2/3 + t^4/5 + ...): terms
 * fall by 9 each, and what is left out after t^30 is below 2e-17. */
#define HEAD(x, rest) (1 + x * (1. / 3 + x * (1. / 5 + x * (1. / 7 + x * (1. / 9 + x * (rest))))))
#define MIDDLE(x, rest) \
    (1. / 11 + x * (1. / 13 + x * (1. / 15 + x * (1. / 17 + x * (1. / 19 + x * (rest))))))
#define TAIL(x) \
    (1. / 21 + x * (1. / 23 + x * (1. / 25 + x * (1. / 27 + x * (1. / 29 + x * (1. / 31))))))

static void loop_log1p(double *u, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const double t = u[i] / (2 + u[i]);
        const double square = t * t;
        u[i] = 2 * t * HEAD(square, MIDDLE(square, TAIL(square)));
    }
}

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

extern const pt_decode_loops JOIN(pt_decode_loops_, PT_ISA);
const pt_decode_loops JOIN(pt_decode_loops_, PT_ISA) = {loop_log1p};
