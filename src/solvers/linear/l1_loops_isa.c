/* The loops of l1_loops.h for one instruction set (PT_ISA). Sums keep LANES partial sums that are
 * added in a fixed order. */
#include <stdbool.h>

#include "solvers/linear/l1_loops.h"

enum { LANES = 16, SPARSE_LANES = 4 };

static double sum_lanes(const double *part, int lanes)
{
    double sum = 0;
    for (int lane = 0; lane < lanes; lane++)
        sum += part[lane];
    return sum;
}

static double sum_all(const double *v, int64_t n)
{
    double part[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            part[lane] += v[i + lane];
    for (; i < n; i++)
        part[0] += v[i];
    return sum_lanes(part, LANES);
}

static void move_all(int64_t n, double by, const double *restrict curve, double *restrict t,
                     double *restrict v)
{
    for (int64_t i = 0; i < n; i++) {
        t[i] += by;
        v[i] += curve[i] * by;
    }
}

#define ALWAYS static inline __attribute__((always_inline)) /* for what it is called with */

ALWAYS double power(double x, const bool squared)
{
    return squared ? x * x : x;
}

#define T float
#define NAME(f) f##_f32
#include "solvers/linear/l1_loops_body.h"
#undef T
#undef NAME

#define T double
#define NAME(f) f##_f64
#include "solvers/linear/l1_loops_body.h"

const pt_l1_tables PT_ISA_OWN(pt_l1_tables) = {
    {{{dot_dense_f32, square_dense_f32, move_dense_f32},
      {dot_dense_f64, square_dense_f64, move_dense_f64}},
     {{dot_sparse_f32, square_sparse_f32, move_sparse_f32},
      {dot_sparse_f64, square_sparse_f64, move_sparse_f64}}}};
