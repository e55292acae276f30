/* The loops of logit_loops.h for one instruction set (PT_ISA). */
#include "learners/boosting/logit_loops.h"

#include <math.h>

/* Responses are at most 4: FHT cut them off at a number between 2 and 4. */
static const double LEAST = 0.25;

static void move(const double *restrict margin, const double *restrict y, const double *restrict h,
                 int64_t count, double scale, double *restrict to, double *restrict size)
{
    for (int64_t i = 0; i < count; i++) {
        const double z = margin[i] + scale * (y[i] * h[i]);
        to[i] = z;
        size[i] = fabs(z);
    }
}

static void losses(const double *restrict margin, const double *restrict e, int64_t count,
                   double *restrict linear, double *restrict product)
{
    int64_t i = 0;
    for (; i + PT_LOGIT_LANES <= count; i += PT_LOGIT_LANES)
        for (int lane = 0; lane < PT_LOGIT_LANES; lane++) {
            const double z = margin[i + lane];
            linear[lane] += z < 0 ? -2 * z : 0;
            product[lane] *= 1 + e[i + lane];
        }
    for (int lane = 0; i < count; i++, lane++) {
        linear[lane] += margin[i] < 0 ? -2 * margin[i] : 0;
        product[lane] *= 1 + e[i];
    }
}

/* With q = 1/(1 + e^2z), the probability of the other side: the slope is y q, the weight q (1 - q),
 * and q/4 where that is larger. */
static inline void respond_one(double z, double e, double y, double w, double *first,
                               double *second)
{
    const double smaller = e / (1 + e);
    const double larger = 1 / (1 + e);
    const double q = w * (z < 0 ? larger : smaller);
    const double right = z < 0 ? smaller : larger; /* 1 - q, of the probability */
    *first = q * (right > LEAST ? right : LEAST);
    *second = y * q;
}

static void respond(const double *restrict margin, const double *restrict e,
                    const double *restrict y, const double *restrict weight, int64_t count,
                    double *restrict first, double *restrict second)
{
    if (weight)
        for (int64_t i = 0; i < count; i++)
            respond_one(margin[i], e[i], y[i], weight[i], &first[i], &second[i]);
    else
        for (int64_t i = 0; i < count; i++)
            respond_one(margin[i], e[i], y[i], 1, &first[i], &second[i]);
}

#define NAME_OF(isa) pt_logit_loops_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_logit_loops NAME(PT_ISA);
const pt_logit_loops NAME(PT_ISA) = {move, losses, respond};
