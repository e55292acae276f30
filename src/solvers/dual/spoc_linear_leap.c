/* Linear SPOC: leaps. As in spoc_leap.c all examples go on together along the way that they have
 * come since the last leap,
 *
 *     eta <- eta + t d ,   M <- M + t (M - past_M) ,   t the best along d ,
 *
 * an example whose eta would become negative less far, and its share of M is taken back. Where
 * features are many and alike there are several times fewer sweeps: usps at C = 1 to a gap of 1e-3
 * 1161 in place of 4901. */
#include <math.h>
#include <string.h>

#include "solvers/dual/spoc_linear_solver.h"
#include "solvers/dual/spoc_solver.h"

static const double LEAST_STEP = 0.01; /* less is not worth the pass */
static const double MOST_STEP = 1;     /* more gained nothing on usps, isolet, letter and news20 */
static const double ALMOST_0 = 1e-13;  /* of what it was: it has met its bound */

pt_status pt_spoc_linear_remember(pt_spoc_linear_solver *s, pt_error *err)
{
    const size_t cells = (size_t)s->weights.cells;
    if (s->low)
        memcpy(s->past_low, s->weights.low, cells * sizeof(float));
    else
        memcpy(s->past_M, s->weights.M, cells * sizeof(double));
    for (int64_t a = 0; a < s->n_listed; a++) {
        const int64_t i = s->listed[a];
        PT_TRY(pt_sparse_rows_set(&s->past, i, pt_sparse_row(s->eta, i), s->eta->count[i], err));
    }
    return PT_OK;
}

/* sum_ir d_ir b_ir: what the linear part of the dual rises by along d. */
static double linear_rise(const pt_spoc_linear_solver *s)
{
    double rise = 0;
    for (int64_t a = 0; a < s->n_listed; a++) {
        const int64_t i = s->listed[a];
        rise += pt_spoc_linear_mass(s, s->eta, i) - pt_spoc_linear_mass(s, &s->past, i);
    }
    return rise;
}

/* How far row i can go along d = s->list, `step` at most; s->next <- where it is. */
static double limit_step(pt_spoc_linear_solver *s, int64_t i, int64_t count, double step)
{
    const pt_entry *row = pt_sparse_row(s->eta, i);
    const pt_entry *end = row + s->eta->count[i];
    for (int64_t c = 0; c < count; c++) {
        const double d = s->list[c].value;
        const bool has = row < end && row->column == s->list[c].column;
        const double now = s->next[c] = has ? row->value : 0;
        row += has;
        if (d < 0)
            step = fmin(step, now / -d);
        else if (d > 0 && pt_spoc_linear_is_ww(s))
            step = fmin(step, (s->p->bound[i] - now) / d);
    }
    return step;
}

/* CS: sums up to C_i, which rounding must not change; WW: none is above it. */
static void mend(const pt_spoc_linear_solver *s, double bound, int64_t count, int64_t own)
{
    double others = 0;
    for (int64_t c = 0; c < count; c++) {
        if (pt_spoc_linear_is_ww(s))
            s->next[c] = fmin(s->next[c], bound);
        others += c == own ? 0 : s->next[c];
    }
    if (pt_spoc_linear_is_ww(s))
        return;
    if (own >= 0 && s->next[own] > 0 && others < bound) {
        s->next[own] = bound - others;
        return;
    }
    for (int64_t c = 0; c < count; c++)
        s->next[c] = c == own ? 0 : s->next[c] == others ? bound : s->next[c] * (bound / others);
}

/* Row i moves by d = s->list, `step` times it where that can be; past <- where it was. */
static pt_status move_row(pt_spoc_linear_solver *s, int64_t i, int64_t count, double step,
                          pt_error *err)
{
    const double most = limit_step(s, i, count, step);
    double others = 0;
    int64_t own = -1;
    for (int64_t c = 0; c < count; c++) {
        const double to = s->next[c] + most * s->list[c].value;
        own = s->list[c].column == s->p->class_of[i] ? c : own;
        s->change[c] = (step - most) * s->list[c].value;
        s->next[c] = to > ALMOST_0 * s->next[c] ? to : 0;
        others += c == own ? 0 : s->change[c];
    }
    if (own >= 0) /* tau_y is the sum of the others */
        s->change[own] = -others;
    if (most < step)
        s->loops->add(&s->weights, i, s->list, count, s->change);
    mend(s, s->p->bound[i], count, own);
    for (int64_t c = 0; c < count; c++)
        s->list[c].value = s->next[c];
    const pt_status status =
        pt_sparse_rows_set(&s->past, i, pt_sparse_row(s->eta, i), s->eta->count[i], err);
    return status == PT_OK ? pt_sparse_rows_set(s->eta, i, s->list, count, err) : status;
}

static bool has_moved(const pt_entry *d, int64_t count)
{
    for (int64_t c = 0; c < count; c++)
        if (d[c].value != 0)
            return true;
    return false;
}

pt_status pt_spoc_linear_leap(pt_spoc_linear_solver *s, pt_error *err)
{
    const pt_class_weights *w = &s->weights;
    double along = 0;
    double length = 0;
    if (s->low)
        s->tables->way_low(w->low, s->past_low, w->cells, &along, &length);
    else
        s->tables->way(w->M, s->past_M, w->cells, &along, &length);
    const double slope = linear_rise(s) - along;
    const double step = length > 0 ? fmin(slope / length, MOST_STEP) : 0;
    if (!(step > LEAST_STEP))
        return pt_spoc_linear_remember(s, err);
    if (s->low)
        s->tables->leap_low(w->low, s->past_low, step, w->cells);
    else
        s->tables->leap(w->M, s->past_M, step, w->cells);
    for (int64_t a = 0; a < s->n_listed; a++) {
        const int64_t i = s->listed[a];
        const int64_t count = pt_sparse_rows_change(s->eta, &s->past, i, s->list);
        if (has_moved(s->list, count))
            PT_TRY(move_row(s, i, count, step, err));
    }
    return PT_OK;
}
