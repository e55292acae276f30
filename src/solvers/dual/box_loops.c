/* The loops of the box QP solver: the choice of the instruction set. */
#include "solvers/dual/box_loops.h"

#include <math.h>

/* With w = sum_i b_i phi_i and h = H b = G + p, the primal point t w has the value
 *     P(t) = 1/2 t^2 b^T H b + sum_i u_i max(0, p_i - t h_i) ,
 * which is an upper bound for every t. Two are cheap: t = 1, and the t that leaves no loss, for
 * which rounding in h is not multiplied by bounds u that may be huge. */
void pt_box_measure(const pt_box_vars *v, const double *p, double *value, double *gap)
{
    pt_box_sums sums;
    pt_box_loops_chosen()->sums(v, p, &sums);
    const double square = sums.slope + sums.linear; /* b^T H b */
    *value = sums.linear - 0.5 * square;
    *gap = sums.gap;
    if (sums.margin > 0 && square > 0) {
        const double scaled = 0.5 * square / (sums.margin * sums.margin) - *value;
        *gap = fmin(*gap, fmax(scaled, 0));
    }
}
