/* Linear SPOC: steps, sweeps, and the classes that an example looks at. See spoc_linear.c. */
#include <math.h>

#include "solvers/box_row.h"
#include "solvers/simplex_row.h"
#include "solvers/spoc_linear_solver.h"
#include "solvers/spoc_solver.h"

enum {
    LISTED = PT_SPOC_LISTED,
    LOOK = 1024 /* visits between two looks at the clock */
};
static const double FAR = 0.9;       /* of the bound: more is far from where others have it all */
static const double SETTLED = 1e-12; /* violations that are not worth a step */

/* ---- a step ------------------------------------------------------------------------------------
 */

/* CS, where most of the mass is with the example's own class: without its bound the other entries
 * are the problem of WW. C may be huge, and they would drown in C less their sum. False: the bound
 * counts. */
static bool solve_far_from_bound(pt_spoc_linear_solver *s, double A, int64_t count, int64_t own,
                                 double bound)
{
    double sum = 0;
    s->next[own] = 0;
    (void)pt_box_row(A, s->g, count, own, bound, s->next);
    for (int64_t c = 0; c < count; c++)
        sum += s->next[c];
    s->next[own] = bound - sum;
    return sum < bound;
}

static void solve_row(pt_spoc_linear_solver *s, int64_t i, const pt_entry *list, int64_t count,
                      int64_t own)
{
    const double A = s->weights.rows->square[i];
    const double bound = s->p->bound[i];
    for (int64_t c = 0; c < count; c++)
        s->next[c] = list[c].value;
    if (pt_spoc_linear_is_ww(s)) {
        (void)pt_box_row(A, s->g, count, own, bound, s->next);
        return;
    }
    if (own >= 0 && list[own].value > FAR * bound) {
        if (solve_far_from_bound(s, A, count, own, bound))
            return;
        for (int64_t c = 0; c < count; c++)
            s->next[c] = list[c].value;
    }
    (void)pt_simplex_row(A, s->g, count, bound, s->next, s->work);
}

/* Solves the reduced problem of example i over the classes of a list, from the gradients s->g. Its
 * own class is at `own`, -1: nowhere, which cannot be for WW. */
static void step_row(pt_spoc_linear_solver *s, int64_t i, pt_entry *list, int64_t count,
                     int64_t own)
{
    double others = 0;
    bool moved = false;
    solve_row(s, i, list, count, own);
    for (int64_t c = 0; c < count; c++) {
        s->change[c] = list[c].value - s->next[c];
        list[c].value = s->next[c];
        others += c == own ? 0 : s->change[c];
        moved = moved || s->change[c] != 0;
    }
    if (own >= 0)
        s->change[own] = -others;
    if (moved)
        s->loops->add(&s->weights, i, list, count, s->change);
}

/* ---- the classes of an example -----------------------------------------------------------------
 *
 * From the gradients of its list (s->g): what it adds to the gap, and which classes it looks at
 * from there on. */

typedef struct looked {
    int64_t count;    /* classes that stay in the list */
    int64_t own;      /* where the example's own class is among them; -1: nowhere */
    double violation; /* 0: nothing moves */
    double gap;
} looked;

/* CS: the largest g of all, the smallest of the support. */
static looked look_simplex(pt_spoc_linear_solver *s, int64_t y, pt_entry *list, int64_t count)
{
    double *g = s->g;
    double top = -INFINITY;
    double least = INFINITY;
    looked now = {.own = -1};
    for (int64_t c = 0; c < count; c++) {
        top = g[c] > top ? g[c] : top;
        least = list[c].value > 0 && g[c] < least ? g[c] : least;
    }
    for (int64_t c = 0; c < count; c++) {
        now.gap += list[c].value * (top - g[c]);
        if (list[c].value > 0 || g[c] > least) {
            now.own = list[c].column == y ? now.count : now.own;
            list[now.count] = list[c];
            g[now.count++] = g[c];
        }
    }
    now.violation = top - least;
    return now;
}

static looked look_box(pt_spoc_linear_solver *s, int64_t y, double bound, pt_entry *list,
                       int64_t count)
{
    double *g = s->g;
    double own = 0;
    looked now = {.own = -1};
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

static looked look(pt_spoc_linear_solver *s, int64_t i, pt_entry *list, int64_t count)
{
    return pt_spoc_linear_is_ww(s) ? look_box(s, s->p->class_of[i], s->p->bound[i], list, count)
                                   : look_simplex(s, s->p->class_of[i], list, count);
}

/* ---- a sweep -----------------------------------------------------------------------------------
 */

static void visit(pt_spoc_linear_solver *s, int64_t i, int64_t *kept, double *seen)
{
    pt_entry *list = s->eta->entry + s->eta->at[i];
    const int64_t count = s->eta->count[i];
    s->loops->scores(&s->weights, i, list, count, s->g);
    for (int64_t c = 0; c < count; c++)
        s->g[c] += pt_spoc_cost(s->p, i, list[c].column);
    const looked now = look(s, i, list, count);
    s->eta->count[i] = now.count;
    *seen += now.gap;
    if (now.count <= 1 || (pt_spoc_linear_is_ww(s) && now.violation == 0))
        return;
    s->active[(*kept)++] = i;
    if (now.violation > SETTLED)
        step_row(s, i, list, now.count, now.own);
}

pt_status pt_spoc_linear_sweep(pt_spoc_linear_solver *s, double *seen, const pt_task *task,
                               pt_error *err)
{
    pt_status status = PT_OK;
    int64_t kept = 0;
    *seen = 0;
    pt_random_shuffle(&s->random, s->active, s->m);
    for (int64_t a = 0; a < s->m && status == PT_OK; a++) {
        visit(s, s->active[a], &kept, seen);
        if (a % LOOK == LOOK - 1)
            status = pt_task_check(task, err);
    }
    s->visits += s->m;
    s->sweeps++;
    s->m = kept;
    return status;
}

/* The gradient above which a class may enter the support, raised until no more than LISTED do. */
static double cut_of(const pt_spoc_linear_solver *s, int64_t i, const double *g, double cut)
{
    const pt_entry *row = pt_sparse_row(s->eta, i);
    double top = cut;
    for (int64_t r = 0; r < s->p->k; r++)
        top = g[r] > top ? g[r] : top;
    for (;;) {
        int64_t above = 0;
        for (int64_t r = 0; r < s->p->k; r++)
            above += g[r] > cut;
        for (int64_t c = 0; c < s->eta->count[i]; c++)
            above -= row[c].value > 0 && g[row[c].column] > cut;
        const double middle = 0.5 * (cut + top);
        if (above <= LISTED || !(middle > cut && middle < top))
            return cut;
        cut = middle;
    }
}

/* s->list <- the classes of example i to look at, with their eta; returns how many. */
static int64_t list_classes(pt_spoc_linear_solver *s, int64_t i, const double *g, double above)
{
    const pt_entry *row = pt_sparse_row(s->eta, i);
    const pt_entry *end = row + s->eta->count[i];
    const int64_t own = pt_spoc_linear_is_ww(s) ? s->p->class_of[i] : -1;
    const double cut = s->p->k > LISTED ? cut_of(s, i, g, above) : above;
    int64_t count = 0;
    int64_t entering = 0;
    for (int64_t r = 0; r < s->p->k; r++) {
        const double value = row < end && row->column == r ? row->value : 0;
        row += row < end && row->column == r;
        const bool enters = !(value > 0) && g[r] > cut && entering < LISTED;
        entering += enters;
        if (value > 0 || enters || r == own)
            s->list[count++] = (pt_entry){r, value};
    }
    return count;
}

int64_t pt_spoc_linear_relist(pt_spoc_linear_solver *s, int64_t i, const double *g, double *gap)
{
    const pt_spoc *p = s->p;
    const int64_t y = p->class_of[i];
    const pt_entry *row = pt_sparse_row(s->eta, i);
    const int64_t count = s->eta->count[i];
    double top = g[0];
    double least = pt_spoc_linear_is_ww(s) ? g[y] : INFINITY;
    for (int64_t r = 1; r < p->k; r++)
        top = g[r] > top ? g[r] : top;
    for (int64_t c = 0; c < count; c++) {
        const double at = g[row[c].column];
        *gap += row[c].value * ((pt_spoc_linear_is_ww(s) ? g[y] : top) - at);
        least = row[c].value > 0 && at < least ? at : least;
    }
    for (int64_t r = 0; r < p->k && pt_spoc_linear_is_ww(s); r++)
        *gap += g[r] > g[y] ? p->bound[i] * (g[r] - g[y]) : 0;
    if (!(top > least) && (pt_spoc_linear_is_ww(s) || count == 1))
        return 0;
    return list_classes(s, i, g, pt_spoc_linear_is_ww(s) ? g[y] : least);
}

/* ---- all examples, all classes -----------------------------------------------------------------
 */

/* s->g <- the gradients of the classes of s->list; returns where the example's own is, -1: nowhere.
 */
static int64_t gather(pt_spoc_linear_solver *s, const double *all, int64_t y, int64_t count)
{
    int64_t own = -1;
    for (int64_t c = 0; c < count; c++) {
        own = s->list[c].column == y ? c : own;
        s->g[c] = all[s->list[c].column];
    }
    return own;
}

pt_status pt_spoc_linear_sweep_all(pt_spoc_linear_solver *s, const pt_task *task, pt_error *err)
{
    const pt_spoc *p = s->p;
    double gap = 0;
    pt_status status = PT_OK;
    for (int64_t i = 0; i < p->n; i++)
        s->active[i] = i;
    pt_random_shuffle(&s->random, s->active, p->n);
    s->n_listed = 0;
    for (int64_t a = 0; a < p->n && status == PT_OK; a++) {
        const int64_t i = s->active[a];
        const int64_t y = p->class_of[i];
        if (p->bound[i] <= 0)
            continue;
        s->loops->scores(&s->weights, i, NULL, p->k, s->batch);
        for (int64_t r = 0; r < p->k; r++)
            s->batch[r] += pt_spoc_cost(p, i, r);
        const int64_t count = pt_spoc_linear_relist(s, i, s->batch, &gap);
        if (count > 1) {
            s->listed[s->n_listed++] = i;
            step_row(s, i, s->list, count, gather(s, s->batch, y, count));
        }
        if (count > 0)
            status = pt_sparse_rows_set(s->eta, i, s->list, count, err);
        if (status == PT_OK && a % LOOK == LOOK - 1)
            status = pt_task_check(task, err);
    }
    s->visits += p->n;
    s->sweeps++;
    s->gap = gap;
    return status;
}
