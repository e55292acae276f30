/* When a dual solver ends, and what it says until then: shared by all solvers of this folder. */
#ifndef PT_SOLVERS_DUAL_DUAL_END_H
#define PT_SOLVERS_DUAL_DUAL_END_H

#include <stdbool.h>

#include "base/task.h"

/* Value and gap as they were measured last. */
typedef struct pt_dual_end {
    double asked; /* a duality gap of this times the dual value is enough */
    double value; /* of the dual */
    double gap;   /* the primal less the dual value */
    double best_gap;
    double best_value;
    int still;   /* measurements in a row that were no better */
    double said; /* the relative gap that people were last told of */
} pt_dual_end;

/* Nothing has been measured yet. What people were told stays. */
void pt_dual_end_restart(pt_dual_end *end);

/* Whether the gap is `asked` times the value, or what was asked for. */
bool pt_dual_within(const pt_dual_end *end, double asked);
bool pt_dual_reached(const pt_dual_end *end);

/* Called once for each measurement: whether `most` in a row had neither a gap smaller by `fall` nor
 * a value larger by `rise`, both relative. It is then as good as rounding allows. */
bool pt_dual_stalled(pt_dual_end *end, double fall, double rise, int most);

/* gap / value; INFINITY where the value is not above 0. */
double pt_dual_relative_gap(const pt_dual_end *end);

/* How far the way to a relative gap is done, from 0 to 1, by the logarithm. */
double pt_dual_progress(double now, double asked);

/* Whether words are due: the gap has halved since the last ones. */
bool pt_dual_is_news(pt_dual_end *end, bool always);

/* PT_ENUMERIC where the value is not finite. */
pt_status pt_dual_check(const pt_dual_end *end, pt_error *err);

#endif
