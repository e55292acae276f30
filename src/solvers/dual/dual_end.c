/* The end of a dual solver: see dual_end.h. */
#include "solvers/dual/dual_end.h"

#include <math.h>

#include "base/error.h"

static const double SAID = 0.5; /* a gap is told once it has fallen by this */

void pt_dual_end_restart(pt_dual_end *end)
{
    end->best_gap = INFINITY;
    end->best_value = -INFINITY;
    end->still = 0;
}

bool pt_dual_within(const pt_dual_end *end, double asked)
{
    return end->gap <= asked * end->value || end->gap == 0;
}

bool pt_dual_reached(const pt_dual_end *end)
{
    return pt_dual_within(end, end->asked);
}

bool pt_dual_stalled(pt_dual_end *end, double fall, double rise, int most)
{
    const bool better = end->gap < (1 - fall) * end->best_gap ||
                        end->value > end->best_value + rise * fabs(end->best_value);
    end->still = better ? 0 : end->still + 1;
    end->best_gap = fmin(end->best_gap, end->gap);
    end->best_value = fmax(end->best_value, end->value);
    return end->still >= most;
}

double pt_dual_relative_gap(const pt_dual_end *end)
{
    return end->value > 0 ? end->gap / end->value : INFINITY;
}

double pt_dual_progress(double now, double asked)
{
    const double way = log(1 / asked); /* from a gap of 1 */
    const double done = now > 0 ? log(1 / now) : way;
    return way > 0 ? fmin(fmax(done / way, 0), 1) : 1;
}

bool pt_dual_is_news(pt_dual_end *end, bool always)
{
    const double now = pt_dual_relative_gap(end);
    if (!always && !(now < SAID * end->said))
        return false;
    end->said = now;
    return true;
}

pt_status pt_dual_check(const pt_dual_end *end, pt_error *err)
{
    if (isfinite(end->value))
        return PT_OK;
    return pt_fail(err, PT_ENUMERIC,
                   "the solution is too large to compute; lower --C or scale the data");
}
