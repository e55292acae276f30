/* The loops of boost_loops.h for one instruction set (PT_ISA). */
#include "learners/boosting/boost_loops.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- LogitBoost ------------------------------------------------------------------------------ */

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
    for (; i + PT_BOOST_LANES <= count; i += PT_BOOST_LANES)
        for (int lane = 0; lane < PT_BOOST_LANES; lane++) {
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

/* ---- BrownBoost ------------------------------------------------------------------------------ */

/* erfc(u) = exp(-u^2) Q(u) for u >= 0, and 2 - erfc(-u) below. (1 + 2u) Q(u) is smooth from 0 to
 * infinity in y = (u - 3)/(u + 3), between -1 and 1; this is its expansion in 24 Chebyshev
 * polynomials, written in powers of y: within 1e-15 of it. The exponential is there already. Four
 * chains of every fourth power do not wait for each other. */
enum { TERMS = 24 };
static const double SERIES[TERMS] = {
    1.2530080582697296,      -0.13562110612458117,    -0.047562294353420437,
    0.12964515870275911,     -0.11927366341675859,    0.068308027344017724,
    -0.023770514891553983,   0.0025293918155933062,   0.0018886900979493814,
    -0.00077983226893736939, -0.00010515831400132696, 0.00012509933935098052,
    4.9441275097635608e-06,  -2.0100533649841213e-05, -7.1879465867477059e-07,
    3.4723553246339768e-06,  3.3670586908218422e-07,  -6.1658274016354302e-07,
    -1.2054767652579448e-07, 1.0182262242382293e-07,  2.7846650345457304e-08,
    -1.3307218507865495e-08, -3.1818824077905005e-09, 9.8521514496059582e-10,
};

#define CHAIN(c)                                                                   \
    (((((SERIES[20 + (c)] * y4 + SERIES[16 + (c)]) * y4 + SERIES[12 + (c)]) * y4 + \
       SERIES[8 + (c)]) *                                                          \
          y4 +                                                                     \
      SERIES[4 + (c)]) *                                                           \
         y4 +                                                                      \
     SERIES[c])

static inline double erfc_from(double u, double e)
{
    const double size = fabs(u);
    const double y = (size - 3) / (size + 3);
    const double y2 = y * y;
    const double y4 = y2 * y2;
    const double q = (CHAIN(0) + CHAIN(1) * y) + (CHAIN(2) + CHAIN(3) * y) * y2;
    const double tail = e * q / (1 + 2 * size);
    return u < 0 ? 2 - tail : tail;
}

static void places(const double *restrict rho, const double *restrict b, int64_t count, double add,
                   double alpha, double *restrict u, double *restrict e)
{
    for (int64_t i = 0; i < count; i++) {
        const double at = rho[i] + add + alpha * b[i];
        u[i] = at;
        e[i] = at * at;
    }
}

static void potentials(const double *restrict u, const double *restrict e, int64_t count,
                       double *restrict potential)
{
    for (int64_t i = 0; i < count; i++)
        potential[i] = erfc_from(u[i], e[i]);
}

static inline void add_lane(double (*sum)[PT_BOOST_LANES], int lane, double potential, double u,
                            double e, double b, double w)
{
    const double weight = w * e;
    const double signed_weight = weight * b;
    sum[0][lane] += w * potential;
    sum[1][lane] += weight;
    sum[2][lane] += signed_weight;
    sum[3][lane] += weight * u;
    sum[4][lane] += signed_weight * u;
    sum[5][lane] += signed_weight * b * u;
}

/* Written twice: without weights nothing is multiplied by 1. */
static inline void add_lanes(const double *restrict potential, const double *restrict u,
                             const double *restrict e, const double *restrict b,
                             const double *restrict w, bool weighted, int64_t count,
                             double (*restrict sum)[PT_BOOST_LANES])
{
    int64_t i = 0;
    for (; i + PT_BOOST_LANES <= count; i += PT_BOOST_LANES)
        for (int lane = 0; lane < PT_BOOST_LANES; lane++)
            add_lane(sum, lane, potential[i + lane], u[i + lane], e[i + lane], b[i + lane],
                     weighted ? w[i + lane] : 1);
    for (int lane = 0; i < count; i++, lane++)
        add_lane(sum, lane, potential[i], u[i], e[i], b[i], weighted ? w[i] : 1);
}

static void sums(const double *u, const double *e, const double *b, const double *w, int64_t count,
                 double *total)
{
    double potential[PT_BROWN_PIECE];
    double sum[6][PT_BOOST_LANES];
    memcpy(sum, total, sizeof sum);
    potentials(u, e, count, potential);
    if (w)
        add_lanes(potential, u, e, b, w, true, count, sum);
    else
        add_lanes(potential, u, e, b, w, false, count, sum);
    memcpy(total, sum, sizeof sum);
}

#define NAME_OF(isa) pt_boost_loops_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_boost_loops NAME(PT_ISA);
const pt_boost_loops NAME(PT_ISA) = {move, losses, respond, places, sums};
