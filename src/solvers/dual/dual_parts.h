/* What the dual solvers share: when one ends and what it says until then, which variables a block
 * has, and whether a kernel is seen not to be positive semidefinite: a quadratic program with one
 * that is not has no single best answer. */
#ifndef PT_SOLVERS_DUAL_DUAL_PARTS_H
#define PT_SOLVERS_DUAL_DUAL_PARTS_H

#include <stdbool.h>

#include "base/task.h"
#include "kernels/kernel.h"

/* Variables, or examples with all of theirs, that are solved together. */
enum { PT_BLOCK = 64 };

/* ---- the end --------------------------------------------------------------------------------- */

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

/* ---- the largest ----------------------------------------------------------------------------- */

/* chosen <- the places of the largest values among those above 0, at most `most` (> 0), ascending;
 * which of equals is the same each time, not always the first. Returns how many. */
int64_t pt_choose_largest(const double *value, int64_t n, int64_t most, int64_t *chosen);

/* ---- positive semidefinite ---------------------------------------------------------------------
 *
 * The checks return PT_ENUMERIC, with a text that says what to do. */

/* Whether a kernel (NULL: one that is not known) may turn out not to be, but for rounding. */
bool pt_may_be_indefinite(const pt_kernel *kernel);

/* k(x, x) of a row, `curve` of it as the solver has it. */
pt_status pt_check_own_value(double own, double curve, pt_error *err);
/* k(x, z) of two rows, own: k(x, x), other: k(z, z). */
pt_status pt_refuse_pair_value(pt_error *err);
static inline pt_status pt_check_pair_value(double value, double own, double other, pt_error *err)
{
    static const double ROUNDING = 1e-4; /* of kernel values in float32 */
    return value * value <= own * other * (1 + ROUNDING) ? PT_OK : pt_refuse_pair_value(err);
}
/* A symmetric m x m matrix, but for rounding, which is relative to sqrt(A_ii A_jj). Overwrites
 * it. */
pt_status pt_check_semidefinite(double *A, int64_t m, pt_error *err);

#endif
