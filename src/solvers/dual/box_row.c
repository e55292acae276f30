/* The row problem of Weston and Watkins: the reduced problem, in boxes (box_row.h says which, and
 * what D and C are; by kernel values it is solved in spoc_loops_isa.c); and its rules for
 * the solvers by kernel values (spoc.c) and with weights (row_descent.c), with
 *
 *     gap = sum_i sum_{r != y} (C_i max(g_ir - g_iy, 0) - eta_ir (g_ir - g_iy)) .
 *
 * For any s let e_r(s) = min(max(D_r - s, 0), C) and h(s) = sum_r e_r(s) - s, which falls. The root
 * is between 0 and C k. Where it is known to be between two numbers, lo and hi, entries with
 * D_r <= lo are 0 there, those with D_r - C >= hi are C; if the others are free, then
 *
 *     s = (sum of their D + C times those at C) / (1 + how many are free) ,
 *
 * a sum of numbers of the size of the answer: neither a huge A nor a tiny one costs digits.
 *
 * By fixing (Bitran and Hax): as if all that are not yet fixed were free. Where these fall below 0
 * by more than they rise above C, h(s) > 0 and lo is s, so that those below are fixed at 0; else hi
 * is s and those above are fixed at C. Each pass fixes one at least; the end is exact. */
#include "solvers/dual/box_row.h"

#include <math.h>
#include <stdbool.h>

#include "solvers/dual/class_rows.h"

/* The root is in [lo, hi]. */
typedef struct bracket {
    double lo;
    double hi;
} bracket;

static bracket whole(int64_t k, double bound)
{
    return (bracket){0, bound * (double)k};
}

static inline bool is_free(double D, double bound, bracket in)
{
    return D > in.lo && D - bound < in.hi;
}

/* The root if what is free in the bracket is so at the root. */
static double shift_of_free(const double *D, int64_t k, double bound, bracket in)
{
    double sum = 0;
    int64_t some = 0;
    for (int64_t r = 0; r < k; r++)
        if (is_free(D[r], bound, in)) {
            sum += D[r];
            some++;
        } else if (D[r] > in.lo) {
            sum += bound;
        }
    return sum / (double)(1 + some);
}

static double clipped(double e, double bound)
{
    return e > 0 ? e < bound ? e : bound : 0;
}

double pt_box_shift_fixed(const double *D, int64_t k, double bound)
{
    bracket in = whole(k, bound);
    for (;;) {
        const double s = shift_of_free(D, k, bound, in);
        double below = 0;
        double above = 0;
        for (int64_t r = 0; r < k; r++)
            if (is_free(D[r], bound, in)) {
                const double e = D[r] - s;
                below += e < 0 ? -e : 0;
                above += e > bound ? e - bound : 0;
            }
        if (below == above)
            return s;
        if (below > above)
            in.lo = s;
        else
            in.hi = s;
    }
}

/* 1/A of less would not be finite. */
static const double NO_CURVATURE = 1e-300;

/* e <- D = e + sum of e + (g - g_y) / A; nothing of class y. */
static void unclipped(double A, const double *g, int64_t k, int64_t y, double *e)
{
    double sum = 0;
    for (int64_t r = 0; r < k; r++)
        sum += e[r];
    for (int64_t r = 0; r < k; r++)
        e[r] = r == y ? 0 : e[r] + sum + (g[r] - g[y]) / A;
}

int64_t pt_box_row(double A, const double *g, int64_t k, int64_t y, double bound, double *e)
{
    int64_t count = 0;
    double s = 0;
    const bool curved = A > NO_CURVATURE;
    if (curved) {
        unclipped(A, g, k, y, e);
        s = bound > 0 ? pt_box_shift_fixed(e, k, bound) : 0;
    }
    for (int64_t r = 0; r < k; r++) {
        if (r == y)
            e[r] = 0;
        else if (curved)
            e[r] = clipped(e[r] - s, bound);
        else
            e[r] = g[r] > g[y] ? bound : 0;
        count += e[r] != 0;
    }
    return count;
}

/* ---- by kernel values: its bounds and its gap ---------------------------------------------------
 *
 * The step itself, best_boxes(), is in spoc_loops_isa.c, as masks over all classes. */

enum { CHUNK = PT_SPOC_CHUNK };

/* Entries become C_i at most. */
static pt_status begin_row(const pt_spoc *p, int64_t i, pt_sparse_rows *eta, pt_error *err)
{
    (void)err;
    pt_entry *row = eta->entry + eta->at[i];
    if (!(p->bound[i] > 0))
        eta->count[i] = 0;
    for (int64_t c = 0; c < eta->count[i]; c++)
        row[c].value = fmin(row[c].value, p->bound[i]);
    return PT_OK;
}

/* What was at its bound stays there. */
static void carry_row(const pt_spoc *p, int64_t i, double before, pt_sparse_rows *eta)
{
    pt_entry *row = eta->entry + eta->at[i];
    for (int64_t c = 0; c < eta->count[i]; c++)
        if (row[c].value >= before)
            row[c].value = p->bound[i];
}

static double add_gap(const pt_spoc *p, const pt_sparse_rows *eta, int64_t i, const double *g,
                      double gap)
{
    const int64_t y = p->class_of[i];
    const pt_entry *entry = pt_sparse_row(eta, i);
    const pt_entry *end = entry + eta->count[i];
    for (int64_t r = 0; r < p->k; r++) {
        const double e = entry < end && entry->column == r ? entry++->value : 0;
        if (r != y)
            gap += pt_spoc_box_gap(e, p->bound[i], g[r * CHUNK] - g[y * CHUNK]);
    }
    return gap;
}

static double gain_of(const pt_spoc *p, const pt_sparse_rows *eta, int64_t i, const double *g,
                      double curve)
{
    const int64_t y = p->class_of[i];
    const pt_entry *entry = pt_sparse_row(eta, i);
    const pt_entry *end = entry + eta->count[i];
    double best = 0;
    for (int64_t r = 0; r < p->k; r++) {
        const double e = entry < end && entry->column == r ? entry++->value : 0;
        const double v = g[r * CHUNK] - g[y * CHUNK];
        if (r != y)
            best = fmax(best, pt_spoc_box_gain(e, p->bound[i], v, curve));
    }
    return best;
}

static void set_g(pt_spoc_solver *s, int64_t a, int64_t r, double g)
{
    if (s->wide)
        ((double *)s->G)[pt_spoc_cell(s, a, r)] = g;
    else
        ((float *)s->G)[pt_spoc_cell(s, a, r)] = (float)g;
}

/* Takes the g of entries that are not 0 out of a chunk, into `hidden`: what is left is at 0. */
static void hide_entries(pt_spoc_solver *s, int64_t from, int64_t to, double *hidden)
{
    for (int64_t a = from; a < to; a++) {
        const int64_t i = s->loop.active[a];
        const pt_entry *row = pt_sparse_row(s->eta, i);
        for (int64_t c = 0; c < s->eta->count[i]; c++) {
            *hidden++ = pt_spoc_g(s, s->G, a, row[c].column);
            set_g(s, a, row[c].column, -INFINITY);
        }
    }
}

/* largest, sum <- of g_ir - g_iy over what is not hidden, where that is positive. */
static void scan_visible(const pt_spoc_solver *s, int64_t chunk, int64_t count, double *largest,
                         double *sum)
{
    const int64_t k = s->p->k;
    const int64_t from = chunk * CHUNK;
    double own[CHUNK] = {0};
    float narrow[3][CHUNK] = {{0}};
    for (int64_t a = 0; a < count; a++) {
        own[a] = pt_spoc_g(s, s->G, from + a, s->p->class_of[s->loop.active[from + a]]);
        narrow[0][a] = (float)own[a];
    }
    if (s->wide)
        s->loops->excess_f64((const double *)s->G + from * k, k, own, largest, sum);
    else
        s->loops->excess_f32((const float *)s->G + from * k, k, narrow[0], narrow[1], narrow[2]);
    for (int64_t a = 0; a < count; a++) {
        largest[a] = (s->wide ? largest[a] : narrow[1][a]) - own[a];
        sum[a] = s->wide ? sum[a] : narrow[2][a];
    }
}

static void scan(pt_spoc_solver *s, int64_t chunk, double *hidden)
{
    const int64_t from = chunk * CHUNK;
    const int64_t to = s->loop.m - from < CHUNK ? s->loop.m : from + CHUNK;
    double largest[CHUNK];
    double sum[CHUNK];
    pt_spoc_sums sums = {0, 0};
    hide_entries(s, from, to, hidden);
    scan_visible(s, chunk, to - from, largest, sum);
    for (int64_t a = from; a < to; a++) {
        const int64_t i = s->loop.active[a];
        const double bound = s->p->bound[i];
        const double curve = s->diagonal[i];
        const pt_entry *row = pt_sparse_row(s->eta, i);
        double best = pt_spoc_gain(bound, largest[a - from], curve);
        double violation = bound > 0 ? largest[a - from] : 0;
        sums.gap += bound * sum[a - from];
        for (int64_t c = 0; c < s->eta->count[i]; c++)
            set_g(s, a, row[c].column, *hidden++);
        for (int64_t c = 0; c < s->eta->count[i]; c++) {
            const double v = pt_spoc_slope(s, s->G, a, row[c].column);
            const double eta = row[c].value;
            best = fmax(best, pt_spoc_box_gain(eta, bound, v, curve));
            sums.gap += pt_spoc_box_gap(eta, bound, v);
            if (v < 0 || eta < bound)
                violation = fmax(violation, fabs(v));
        }
        sums.largest = fmax(sums.largest, violation);
        s->loop.gain[a] = best;
    }
    s->sums[chunk] = sums;
}

static bool is_held(const pt_spoc_solver *s, int64_t a)
{
    const int64_t i = s->loop.active[a];
    const double bound = s->p->bound[i];
    const pt_entry *entry = pt_sparse_row(s->eta, i);
    const pt_entry *end = entry + s->eta->count[i];
    for (int64_t r = 0; r < s->p->k && bound > 0; r++) {
        const double v = pt_spoc_slope(s, s->G, a, r);
        const double eta = entry < end && entry->column == r ? entry++->value : 0;
        if (r == s->p->class_of[i])
            continue;
        if (!(eta == 0 ? v < -s->largest : eta >= bound && v > s->largest))
            return false;
    }
    return true;
}

const pt_spoc_rules pt_box_block_rules = {begin_row, carry_row, add_gap, gain_of, scan, is_held};

/* ---- linear descent -------------------------------------------------------------------------- */

static const double SETTLED = 1e-12; /* violations that are not worth a step */

/* What the list of row i says, by v = g_r - g_y. Classes at 0 that shall stay there leave it. */
static pt_class_look look_at_list(pt_class_rows *s, int64_t i, pt_entry *list, int64_t count)
{
    const int64_t y = s->p->class_of[i];
    const double bound = s->p->bound[i];
    double *g = s->loop.g;
    double own = 0;
    pt_class_look now = {.own = -1};
    for (int64_t c = 0; c < count; c++)
        own = list[c].column == y ? g[c] : own;
    for (int64_t c = 0; c < count; c++) {
        const double v = g[c] - own;
        const double eta = list[c].value;
        const bool moves = v > 0 ? eta < bound : v < 0 && eta > 0;
        now.gap += pt_spoc_box_gap(eta, list[c].column == y ? 0 : bound, v);
        now.violation = moves && fabs(v) > now.violation ? fabs(v) : now.violation;
        if (eta > 0 || v > 0 || list[c].column == y) {
            now.own = list[c].column == y ? now.count : now.own;
            list[now.count] = list[c];
            g[now.count++] = g[c];
        }
    }
    return now;
}

/* The reduced problem of row i over a list, from its gradients. */
static void solve(pt_class_rows *s, int64_t i, pt_entry *list, const pt_class_look *now)
{
    for (int64_t c = 0; c < now->count; c++)
        s->next[c] = list[c].value;
    (void)pt_box_row(s->loop.weights.rows->square[i], s->loop.g, now->count, now->own,
                     s->p->bound[i], s->next);
    pt_class_rows_move(s, i, list, now);
}

static bool visit(pt_row_descent *loop, int64_t i, double *seen)
{
    pt_class_rows *s = pt_class_rows_of(loop);
    pt_entry *list = loop->dual->entry + loop->dual->at[i];
    const int64_t count = loop->dual->count[i];
    pt_class_rows_gradients(s, i, list, count);
    const pt_class_look now = look_at_list(s, i, list, count);
    loop->dual->count[i] = now.count;
    *seen += now.gap;
    if (now.count <= 1 || now.violation == 0)
        return false;
    if (now.violation > SETTLED)
        solve(s, i, list, &now);
    return true;
}

/* From all gradients of row i: adds its share to the gap, and s->list <- its classes to look at.
 * Returns how many; 0 where nothing moves and its list has what it needs. */
static int64_t relist(pt_class_rows *s, int64_t i, const double *g, double *gap)
{
    const pt_entry *row = pt_sparse_row(s->loop.dual, i);
    const int64_t y = s->p->class_of[i];
    double least = g[y];
    for (int64_t c = 0; c < s->loop.dual->count[i]; c++) {
        const double at = g[row[c].column];
        *gap += row[c].value * (g[y] - at);
        least = row[c].value > 0 && at < least ? at : least;
    }
    for (int64_t r = 0; r < s->p->k; r++)
        *gap += g[r] > g[y] ? s->p->bound[i] * (g[r] - g[y]) : 0;
    return pt_class_rows_largest(g, s->p->k) > least ? pt_class_rows_list(s, i, g, g[y], y) : 0;
}

static pt_status look_at_all(pt_row_descent *loop, int64_t i, double *g, bool solved,
                             pt_row_look *look, pt_error *err)
{
    pt_class_rows *s = pt_class_rows_of(loop);
    if (!solved && !pt_class_rows_note(s, i, g, look))
        return PT_OK;
    const int64_t count = relist(s, i, g, &look->gap);
    if (solved && count > 1) {
        const pt_class_look now = pt_class_rows_gather(s, i, g, count);
        solve(s, i, s->list, &now);
    }
    look->moves = count > 1;
    return count > 0 ? pt_sparse_rows_set(loop->dual, i, s->list, count, err) : PT_OK;
}

const pt_row_rules pt_box_rules = {.sweeps = 20,
                                   .most_sweeps = 320,
                                   .visits = 4000000,
                                   .visits_each = 2000,
                                   .less_share = 0.7,
                                   .shuffle = pt_row_shuffle,
                                   .add_offsets = pt_class_rows_offsets,
                                   .visit = visit,
                                   .begin_measure = pt_class_rows_begin_measure,
                                   .look = look_at_all,
                                   .tau = pt_class_rows_tau,
                                   .add_mass = pt_class_rows_mass,
                                   .begin = pt_class_rows_begin,
                                   .together = pt_class_rows_together};
