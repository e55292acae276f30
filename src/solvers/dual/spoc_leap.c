/* SPOC: leaps. Rounds that each solve a few examples creep towards the solution along much the same
 * way. So now and then all examples go on together, from where they are, along the way that they
 * have come since the last leap began:
 *
 *     eta <- eta + t d ,   d = eta - past ,   t = (d . g) / (d . K d)      the best along d,
 *
 * and K d costs nothing, for -K d = g - past_g, the difference of two gradients that are there. It
 * is the step of conjugate gradients, over some rounds of descent in place of a gradient. At a gap
 * of 1e-3 it halves the rounds on letter; on smooth kernels, at 1e-6, there were six times fewer.
 *
 * An example whose eta would become negative stops at 0, one of WW also at C. At most
 * PT_SPOC_BLOCK do: with more, t is made smaller. Their share of K d is taken back by one update of
 * the gradient. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "solvers/dual/kernel_blocks.h"
#include "solvers/dual/spoc_solver.h"

static const double LEAST_STEP = 0.01; /* less is not worth the pass */
/* Rounding in G does not shrink as d does: it is multiplied by every step, leap after leap. */
static const double MOST_STEP = 1;
static const double ALMOST_0 = 1e-13; /* of what it was: it has met its bound */

/* fmin, which a compiler calls for where NaN could be. */
static inline double smaller(double a, double b)
{
    return b < a ? b : a;
}

static double eta_at(const pt_spoc_solver *s, int64_t i, int64_t r)
{
    const pt_entry *row = pt_sparse_row(s->eta, i);
    for (int64_t c = 0; c < s->eta->count[i]; c++)
        if (row[c].column == r)
            return row[c].value;
    return 0;
}

/* The best step along d; ratio <- how far each example can go. */
static double best_step(pt_spoc_solver *s)
{
    double slope = 0;
    double curve = 0;
    for (int64_t a = 0; a < s->m; a++) {
        const int64_t i = s->active[a];
        const int64_t count = pt_sparse_rows_change(s->eta, &s->past, i, s->entry);
        s->ratio[a] = INFINITY;
        for (int64_t c = 0; c < count; c++) {
            const int64_t r = s->entry[c].column;
            const double d = s->entry[c].value;
            const double v = pt_spoc_slope(s, s->G, a, r);
            slope += d * v;
            curve -= d * (v - pt_spoc_slope(s, s->past_G, a, r));
            if (d < 0)
                s->ratio[a] = smaller(s->ratio[a], eta_at(s, i, r) / -d);
            else if (d > 0 && s->p->kind == PT_WESTON_WATKINS)
                s->ratio[a] = smaller(s->ratio[a], (s->p->bound[i] - eta_at(s, i, r)) / d);
        }
    }
    return curve > 0 ? fmin(slope / curve, MOST_STEP) : 0;
}

/* Chooses the examples that stop early into the block; returns the step, shorter where they would
 * be too many. */
static double limit_step(pt_spoc_solver *s, double step)
{
    for (int64_t a = 0; a < s->m; a++)
        s->ranked[a] = step - s->ratio[a];
    s->count = pt_choose_largest(s->ranked, s->m, PT_SPOC_BLOCK, s->W);
    for (int64_t a = 0, b = 0; a < s->m; a++)
        if (b < s->count && s->W[b] == a)
            b++;
        else
            step = smaller(step, s->ratio[a]);
    return step;
}

/* What those of the block fall short of, as changes of tau. */
static pt_status take_back(pt_spoc_solver *s, double step, const pt_task *task, pt_error *err)
{
    const int64_t ld = s->block.ld;
    memset(s->before, 0, (size_t)(s->count * ld) * sizeof(double));
    for (int64_t b = 0; b < s->count; b++) {
        const int64_t a = s->W[b];
        const int64_t count = pt_sparse_rows_change(s->eta, &s->past, s->active[a], s->entry);
        const double less = fmax(step - s->ratio[a], 0);
        double sum = 0;
        for (int64_t c = 0; c < count; c++) {
            s->before[b * ld + s->entry[c].column] = less * s->entry[c].value;
            sum += less * s->entry[c].value;
        }
        if (s->p->kind == PT_WESTON_WATKINS)
            s->before[b * ld + s->p->class_of[s->active[a]]] = -sum;
    }
    PT_TRY(pt_spoc_fetch_rows(s, s->W, s->count, task, err));
    pt_spoc_sort_changes(s, s->before, ld);
    return PT_OK;
}

/* Row i of eta moves by step d; that of past becomes what it was. */
static pt_status move_row(pt_spoc_solver *s, int64_t i, double step, pt_error *err)
{
    const int64_t count = pt_sparse_rows_change(s->eta, &s->past, i, s->entry);
    const double bound = s->p->bound[i];
    const bool boxes = s->p->kind == PT_WESTON_WATKINS;
    int64_t kept = 0;
    double sum = 0;
    for (int64_t c = 0; c < count; c++) {
        const int64_t r = s->entry[c].column;
        const double from = eta_at(s, i, r);
        double to = from + step * s->entry[c].value;
        if (boxes && !(bound - to > ALMOST_0 * bound))
            to = bound;
        if (to > ALMOST_0 * from) {
            s->entry[kept++] = (pt_entry){r, to};
            sum += to;
        }
    }
    for (int64_t c = 0; c < kept && !boxes; c++) /* rounding must not add up */
        s->entry[c].value = kept == 1 ? bound : s->entry[c].value * (bound / sum);
    pt_status status =
        pt_sparse_rows_set(&s->past, i, pt_sparse_row(s->eta, i), s->eta->count[i], err);
    if (status == PT_OK)
        status = pt_sparse_rows_set(s->eta, i, s->entry, kept, err);
    return status;
}

/* What the value rises by between past and now: it is quadratic. */
static double rise_since(const pt_spoc_solver *s)
{
    double rise = 0;
    for (int64_t a = 0; a < s->m; a++) {
        const int64_t count = pt_sparse_rows_change(s->eta, &s->past, s->active[a], s->entry);
        for (int64_t c = 0; c < count; c++) {
            const int64_t r = s->entry[c].column;
            rise += s->entry[c].value *
                    (0.5 * (pt_spoc_slope(s, s->G, a, r) + pt_spoc_slope(s, s->past_G, a, r)));
        }
    }
    return rise;
}

/* Here begins the next leap. */
static pt_status remember(pt_spoc_solver *s, pt_error *err)
{
    const int64_t cells = pt_spoc_cells(s, s->m);
    const size_t size = pt_spoc_g_size(s);
    pt_status status = PT_OK;
    if (!s->past_G)
        s->past_G = pt_alloc(cells, size, "a gradient", err);
    if (!s->past.at)
        status = pt_sparse_rows_init(&s->past, s->p->n, err);
    if (!s->past_G || status != PT_OK)
        return PT_ENOMEM;
    memcpy(s->past_G, s->G, (size_t)cells * size);
    for (int64_t a = 0; a < s->m && status == PT_OK; a++) {
        const int64_t i = s->active[a];
        status = pt_sparse_rows_set(&s->past, i, pt_sparse_row(s->eta, i), s->eta->count[i], err);
    }
    return status;
}

void pt_spoc_forget_past(pt_spoc_solver *s)
{
    pt_free(s->past_G);
    s->past_G = NULL;
}

pt_status pt_spoc_leap(pt_spoc_solver *s, const pt_task *task, pt_error *err)
{
    if (!s->past_G)
        return remember(s, err);
    const double best = best_step(s);
    const double step = best > LEAST_STEP ? limit_step(s, best) : 0;
    if (!(step > LEAST_STEP))
        return remember(s, err);
    pt_status status = take_back(s, step, task, err);
    for (int64_t a = 0; a < s->m && status == PT_OK; a++)
        status = move_row(s, s->active[a], smaller(step, s->ratio[a]), err);
    if (status != PT_OK)
        return status;
    const int64_t cells = pt_spoc_cells(s, s->m);
    if (s->wide)
        s->loops->leap_f64(s->G, s->past_G, step, cells);
    else
        s->loops->leap_f32(s->G, s->past_G, step, cells);
    status = pt_spoc_update(s, task, err);
    s->end.value += rise_since(s);
    return status;
}
