/* Row problems over classes: what CS and WW share. See class_rows.h.
 *
 * Leaps: as in spoc_active.c all rows go on together along the way that they have come since the
 * last leap,
 *
 *     eta <- eta + t d ,   M <- M + t (M - past_M) ,   t the best along d ,
 *
 * a row whose eta would leave its bounds less far, and its share of M is taken back. Where features
 * are many and alike there are several times fewer sweeps: usps at C = 1 to a gap of 1e-3 1161 in
 * place of 4901.
 *
 * On letter, usps, isolet and news20 a row has 2.5 to 5 classes on its list, of 10 to 26, and on
 * usps one row in seven is active. */
#include "solvers/dual/class_rows.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

enum {
    LISTED = PT_CLASSES_LISTED,
    LEAP_EVERY = 3 /* sweeps between two leaps, at least */
};
static const double LEAST_STEP = 0.01; /* less is not worth the pass */
static const double MOST_STEP = 1;     /* more gained nothing on usps, isolet, letter and news20 */
static const double ALMOST_0 = 1e-13;  /* of what it was: it has met its bound */

/* ---- set-up ---------------------------------------------------------------------------------- */

double pt_class_rows_bytes(int64_t n, int64_t d, int64_t k)
{
    const double listed = (double)(k < LISTED ? k : LISTED);
    return pt_row_descent_bytes(n, d, k) + 8 * pt_class_weights_cells(d, k) + 100 * (double)k +
           (double)n * (100 + 2 * sizeof(pt_entry) * listed);
}

void pt_class_rows_free(pt_class_rows *s)
{
    pt_row_descent_free(&s->loop);
    pt_sparse_rows_free(&s->past);
    pt_free(s->past_M);
    pt_free(s->next);
    pt_free(s->list);
}

pt_status pt_class_rows_init(pt_class_rows *s, const pt_spoc *p, const pt_linear_rows *rows,
                             bool mixed, uint64_t seed, pt_sparse_rows *eta, pt_error *err)
{
    const int64_t ld = pt_class_padded(p->k);
    s->p = p;
    s->loop.rules = p->kind == PT_WESTON_WATKINS ? &pt_box_rules : &pt_simplex_rules;
    s->loop.k = p->k;
    s->loop.bound = p->bound;
    s->loop.class_of = p->class_of;
    s->loop.dual = eta;
    s->loop.end.asked = p->gap;
    PT_TRY(pt_row_descent_init(&s->loop, rows, mixed, p->limit, seed, err));
    PT_TRY(pt_sparse_rows_init(&s->past, p->n, s->loop.task, err));
    s->past_M = pt_alloc(s->loop.weights.cells, sizeof(double), "weights", err);
    s->next = pt_alloc(2 * ld, sizeof(double), "a row", err);
    s->list = pt_alloc(2 * ld, sizeof(pt_entry), "a row", err);
    if (!s->past_M || !s->next || !s->list)
        return PT_ENOMEM;
    s->loop.weights.low = (float *)s->past_M;
    s->past_low = s->loop.weights.low + s->loop.weights.cells;
    s->work = s->next + ld;
    return PT_OK;
}

/* ---- tau and costs --------------------------------------------------------------------------- */

/* sum_r eta_ir b_ir */
static double mass_of(const pt_spoc *p, const pt_sparse_rows *eta, int64_t i)
{
    const pt_entry *row = pt_sparse_row(eta, i);
    const double *b = pt_spoc_costs_of(p, i);
    const int64_t y = p->class_of[i];
    double mass = 0;
    for (int64_t c = 0; c < eta->count[i]; c++)
        mass += row[c].value * (b ? b[row[c].column] : row[c].column != y);
    return mass;
}

double pt_class_rows_mass(const pt_row_descent *loop, int64_t i, double sum)
{
    return sum + mass_of(((const pt_class_rows *)loop)->p, loop->dual, i);
}

int64_t pt_class_rows_tau(pt_row_descent *loop, int64_t i)
{
    const pt_entry *row = pt_sparse_row(loop->dual, i);
    const int64_t y = loop->class_of[i];
    double others = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < loop->dual->count[i]; c++)
        if (row[c].column != y && row[c].value != 0) {
            loop->classes[count] = row[c];
            loop->change[count++] = -row[c].value;
            others += row[c].value;
        }
    if (count == 0)
        return 0;
    loop->classes[count].column = y;
    loop->change[count++] = others;
    return count;
}

void pt_class_rows_offsets(const pt_row_descent *loop, int64_t i, double *g)
{
    const pt_spoc *p = ((const pt_class_rows *)loop)->p;
    const double *b = pt_spoc_costs_of(p, i);
    const int64_t y = p->class_of[i];
    const double own = g[y];
    for (int64_t r = 0; r < p->k; r++)
        g[r] += b ? b[r] : 1;
    g[y] = b ? g[y] : own;
}

/* ---- margins --------------------------------------------------------------------------------- */

void pt_class_rows_begin_measure(pt_row_descent *loop)
{
    const pt_spoc *p = pt_class_rows_of(loop)->p;
    for (int64_t c = 0; c < p->k * p->k && p->margins; c++)
        p->margins->least[c] = INFINITY;
}

/* min_r (f_iy - f_ir) / b_ir, where that is less; negative where a class without cost is ahead. */
static double least_margin(const pt_spoc *p, int64_t i, const double *g, double margin)
{
    const double *b = pt_spoc_costs_of(p, i);
    const int64_t y = p->class_of[i];
    for (int64_t r = 0; r < p->k && margin > 0; r++) {
        const double cost = b ? b[r] : r != y;
        const double ahead = g[y] - (g[r] - cost);
        if (cost > 0)
            margin = fmin(margin, ahead / cost);
        else if (r != y && ahead < 0)
            margin = -1;
    }
    return margin;
}

bool pt_class_rows_note(pt_class_rows *s, int64_t i, const double *g, pt_row_look *look)
{
    const pt_spoc *p = s->p;
    const double *b = pt_spoc_costs_of(p, i);
    const int64_t y = p->class_of[i];
    double *least = p->margins ? p->margins->least + y * p->k : NULL;
    for (int64_t r = 0; r < p->k && least; r++) {
        const double ahead = g[y] - (g[r] - (b ? b[r] : r != y));
        least[r] = ahead < least[r] ? ahead : least[r];
    }
    if (p->bound[i] <= 0)
        return false;
    look->margin = least_margin(p, i, g, look->margin);
    return true;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* In four parts that do not wait for each other. */
double pt_class_rows_largest(const double *g, int64_t k)
{
    double top[4] = {g[0], g[0], g[0], g[0]};
    int64_t r = 0;
    for (; r + 4 <= k; r += 4)
        for (int q = 0; q < 4; q++)
            top[q] = g[r + q] > top[q] ? g[r + q] : top[q];
    for (; r < k; r++)
        top[0] = g[r] > top[0] ? g[r] : top[0];
    return fmax(fmax(top[0], top[1]), fmax(top[2], top[3]));
}

/* `cut`, raised until no more than LISTED classes that are not in the support are above it. */
static double raised(const pt_class_rows *s, int64_t i, const double *g, double cut)
{
    const pt_sparse_rows *eta = s->loop.dual;
    const pt_entry *row = pt_sparse_row(eta, i);
    double top = cut;
    for (int64_t r = 0; r < s->p->k; r++)
        top = g[r] > top ? g[r] : top;
    for (;;) {
        int64_t above = 0;
        for (int64_t r = 0; r < s->p->k; r++)
            above += g[r] > cut;
        for (int64_t c = 0; c < eta->count[i]; c++)
            above -= row[c].value > 0 && g[row[c].column] > cut;
        const double middle = 0.5 * (cut + top);
        if (above <= LISTED || !(middle > cut && middle < top))
            return cut;
        cut = middle;
    }
}

int64_t pt_class_rows_list(pt_class_rows *s, int64_t i, const double *g, double cut, int64_t own)
{
    const pt_sparse_rows *eta = s->loop.dual;
    const pt_entry *row = pt_sparse_row(eta, i);
    const pt_entry *end = row + eta->count[i];
    int64_t count = 0;
    int64_t entering = 0;
    cut = s->p->k > LISTED ? raised(s, i, g, cut) : cut;
    memset(s->next, 0, (size_t)s->p->k * sizeof *s->next);
    for (; row < end; row++)
        s->next[row->column] = row->value;
    for (int64_t r = 0; r < s->p->k; r++) { /* without a branch: no two rows are alike */
        const double value = s->next[r];
        const bool has = value > 0;
        const bool enters = !has & (g[r] > cut) & (entering < LISTED);
        entering += enters;
        s->list[count] = (pt_entry){r, value};
        count += has | enters | (r == own);
    }
    return count;
}

pt_class_look pt_class_rows_gather(pt_class_rows *s, int64_t i, const double *all, int64_t count)
{
    const int64_t y = s->p->class_of[i];
    pt_class_look now = {.count = count, .own = -1, .top = -INFINITY};
    double least = INFINITY;
    for (int64_t c = 0; c < count; c++) {
        const double g = s->loop.g[c] = all[s->list[c].column];
        now.own = s->list[c].column == y ? c : now.own;
        now.top = g > now.top ? g : now.top;
        least = s->list[c].value > 0 && g < least ? g : least;
    }
    now.violation = now.top - least;
    return now;
}

/* ---- leaps ----------------------------------------------------------------------------------- */

/* Here the next leap begins. */
static pt_status remember(pt_class_rows *s, pt_error *err)
{
    const pt_row_descent *loop = &s->loop;
    const size_t cells = (size_t)loop->weights.cells;
    if (loop->low)
        memcpy(s->past_low, loop->weights.low, cells * sizeof(float));
    else
        memcpy(s->past_M, loop->weights.M, cells * sizeof(double));
    for (int64_t a = 0; a < loop->n_listed; a++) {
        const int64_t i = loop->listed[a];
        PT_TRY(pt_sparse_rows_set(&s->past, i, pt_sparse_row(loop->dual, i), loop->dual->count[i],
                                  err));
    }
    return PT_OK;
}

/* Leaps come less often where one costs as much as sweeps, as for many features in short rows. */
pt_status pt_class_rows_begin(pt_row_descent *loop, pt_error *err)
{
    pt_class_rows *s = pt_class_rows_of(loop);
    const pt_linear_rows *rows = loop->weights.rows;
    int64_t work = 1;
    for (int64_t a = 0; a < loop->n_listed; a++) {
        const int64_t i = loop->listed[a];
        const int64_t values = rows->dense ? rows->d : rows->start[i + 1] - rows->start[i];
        work += values * loop->dual->count[i];
    }
    s->leap_every = LEAP_EVERY + loop->weights.cells / work;
    return remember(s, err);
}

/* sum_ir d_ir b_ir: what the linear part of the dual rises by along d. */
static double linear_rise(const pt_class_rows *s)
{
    double rise = 0;
    for (int64_t a = 0; a < s->loop.n_listed; a++) {
        const int64_t i = s->loop.listed[a];
        rise += mass_of(s->p, s->loop.dual, i) - mass_of(s->p, &s->past, i);
    }
    return rise;
}

/* How far row i can go along d = s->list, `step` at most; s->next <- where it is. */
static double limit_step(pt_class_rows *s, int64_t i, int64_t count, double step)
{
    const bool boxes = s->p->kind == PT_WESTON_WATKINS;
    const pt_entry *row = pt_sparse_row(s->loop.dual, i);
    const pt_entry *end = row + s->loop.dual->count[i];
    for (int64_t c = 0; c < count; c++) {
        const double d = s->list[c].value;
        const bool has = row < end && row->column == s->list[c].column;
        const double now = s->next[c] = has ? row->value : 0;
        row += has;
        if (d < 0)
            step = fmin(step, now / -d);
        else if (d > 0 && boxes)
            step = fmin(step, (s->p->bound[i] - now) / d);
    }
    return step;
}

/* CS: sums up to C_i, which rounding must not change; WW: none is above it. */
static void mend(const pt_class_rows *s, double bound, int64_t count, int64_t own)
{
    double *next = s->next;
    double others = 0;
    if (s->p->kind == PT_WESTON_WATKINS) {
        for (int64_t c = 0; c < count; c++)
            next[c] = fmin(next[c], bound);
        return;
    }
    for (int64_t c = 0; c < count; c++)
        others += c == own ? 0 : next[c];
    if (own >= 0 && next[own] > 0 && others < bound) {
        next[own] = bound - others;
        return;
    }
    for (int64_t c = 0; c < count; c++)
        next[c] = c == own ? 0 : next[c] == others ? bound : next[c] * (bound / others);
}

/* Row i moves by d = s->list, `step` times it where that can be; past <- where it was. */
static pt_status move_row(pt_class_rows *s, int64_t i, int64_t count, double step, pt_error *err)
{
    pt_row_descent *loop = &s->loop;
    const double most = limit_step(s, i, count, step);
    double others = 0;
    int64_t own = -1;
    for (int64_t c = 0; c < count; c++) {
        const double to = s->next[c] + most * s->list[c].value;
        own = s->list[c].column == s->p->class_of[i] ? c : own;
        loop->change[c] = (step - most) * s->list[c].value;
        s->next[c] = to > ALMOST_0 * s->next[c] ? to : 0;
        others += c == own ? 0 : loop->change[c];
    }
    if (own >= 0) /* tau_y is the sum of the others */
        loop->change[own] = -others;
    if (most < step)
        loop->loops->add(&loop->weights, i, s->list, count, loop->change);
    mend(s, s->p->bound[i], count, own);
    for (int64_t c = 0; c < count; c++)
        s->list[c].value = s->next[c];
    PT_TRY(
        pt_sparse_rows_set(&s->past, i, pt_sparse_row(loop->dual, i), loop->dual->count[i], err));
    return pt_sparse_rows_set(loop->dual, i, s->list, count, err);
}

static bool has_moved(const pt_entry *d, int64_t count)
{
    for (int64_t c = 0; c < count; c++)
        if (d[c].value != 0)
            return true;
    return false;
}

/* Every few sweeps all rows go on along the way since the last leap, as far as that helps. */
pt_status pt_class_rows_together(pt_row_descent *loop, int64_t t, bool last, double *seen,
                                 pt_error *err)
{
    (void)seen;
    pt_class_rows *s = pt_class_rows_of(loop);
    const pt_class_weights *w = &loop->weights;
    double along = 0;
    double length = 0;
    if (last || t % s->leap_every != 0)
        return PT_OK;
    if (loop->low)
        loop->tables->way_low(w->low, s->past_low, w->cells, &along, &length);
    else
        loop->tables->way(w->M, s->past_M, w->cells, &along, &length);
    const double slope = linear_rise(s) - along;
    const double step = length > 0 ? fmin(slope / length, MOST_STEP) : 0;
    if (!(step > LEAST_STEP))
        return remember(s, err);
    if (loop->low)
        loop->tables->leap_low(w->low, s->past_low, step, w->cells);
    else
        loop->tables->leap(w->M, s->past_M, step, w->cells);
    for (int64_t a = 0; a < loop->n_listed; a++) {
        const int64_t i = loop->listed[a];
        const int64_t count = pt_sparse_rows_change(loop->dual, &s->past, i, s->list);
        if (has_moved(s->list, count))
            PT_TRY(move_row(s, i, count, step, err));
    }
    return PT_OK;
}
