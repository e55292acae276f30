/* Linear SPOC: steps, sweeps, and the classes that an example looks at. See spoc_linear.c. */
#include <math.h>
#include <string.h>

#include "solvers/dual/box_row.h"
#include "solvers/dual/simplex_row.h"
#include "solvers/dual/spoc_linear_solver.h"
#include "solvers/dual/spoc_solver.h"

enum {
    LISTED = PT_SPOC_LISTED,
    LOOK = 1024, /* visits between two looks at the clock */
    NEAR = 4,    /* visits ahead that an example's list and values are fetched, ... */
    AHEAD = 12   /* ... and what tells where they are */
};
static const double FAR = 0.9;   /* of the bound: more is far from where others have it all */
static const double MUCH = 1e3;  /* times what a step moves: less costs it few digits */
static const double CLOSE = 0.3; /* of the violation: what is further below the largest is far */
/* Of the violation: of the classes that could enter, those that are further below the largest wait
 * for the next pass over all. In the first that is most of them, and each would get a little. */
static const double UPPER = 0.5;
static const double SETTLED = 1e-12; /* violations that are not worth a step */

/* What the gradients of an example's list say. */
typedef struct looked {
    int64_t count;    /* classes that stay in the list */
    int64_t own;      /* where the example's own class is among them; -1: nowhere */
    double top;       /* of all examples and classes, CS: the largest gradient */
    double violation; /* 0: nothing moves */
    double gap;
} looked;

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

static void solve_row(pt_spoc_linear_solver *s, int64_t i, const pt_entry *list, const looked *now)
{
    const double A = s->weights.rows->square[i];
    const double bound = s->p->bound[i];
    for (int64_t c = 0; c < now->count; c++)
        s->next[c] = list[c].value;
    if (pt_spoc_linear_is_ww(s)) {
        (void)pt_box_row(A, s->g, now->count, now->own, bound, s->next);
        return;
    }
    if (now->own >= 0 && list[now->own].value > FAR * bound && A * bound > MUCH * now->violation) {
        if (solve_far_from_bound(s, A, now->count, now->own, bound))
            return;
        for (int64_t c = 0; c < now->count; c++)
            s->next[c] = list[c].value;
    }
    (void)pt_simplex_row(A, s->g, now->count, bound, s->next, s->work);
}

/* Solves the reduced problem of example i over the classes of a list, from the gradients s->g. Its
 * own class is at `own`, -1: nowhere, which cannot be for WW. */
static void step_row(pt_spoc_linear_solver *s, int64_t i, pt_entry *list, const looked *now)
{
    const int64_t own = now->own;
    double others = 0;
    bool moved = false;
    solve_row(s, i, list, now);
    for (int64_t c = 0; c < now->count; c++) {
        const double change = list[c].value - s->next[c];
        s->change[c] = change;
        list[c].value = s->next[c];
        others += c == own ? 0 : change;
        moved |= change != 0;
    }
    if (own >= 0)
        s->change[own] = -others;
    if (moved)
        s->loops->add(&s->weights, i, list, now->count, s->change);
}

/* g <- g + b: of the classes of a list, of all. */
static void add_costs(const pt_spoc *p, int64_t i, const pt_entry *list, int64_t count, double *g)
{
    const int64_t y = p->class_of[i];
    if (p->costs || p->example_costs)
        for (int64_t c = 0; c < count; c++)
            g[c] += pt_spoc_cost(p, i, list[c].column);
    else
        for (int64_t c = 0; c < count; c++)
            g[c] += list[c].column != y;
}

static void add_all_costs(const pt_spoc *p, int64_t i, double *g)
{
    const double own = g[p->class_of[i]];
    const bool plain = !p->costs && !p->example_costs;
    for (int64_t r = 0; r < p->k; r++)
        g[r] += plain ? 1 : pt_spoc_cost(p, i, r);
    g[p->class_of[i]] = plain ? own : g[p->class_of[i]];
}

/* ---- the classes of an example -----------------------------------------------------------------
 *
 * From the gradients of its list (s->g): what it adds to the gap, and which classes it looks at
 * from there on. */

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

static void fetch_values(const pt_linear_rows *rows, int64_t i)
{
    const int64_t size = (int64_t)pt_type_size(rows->type);
    if (rows->dense) {
        __builtin_prefetch((const char *)rows->dense + i * rows->stride * size);
        return;
    }
    __builtin_prefetch(rows->index + rows->start[i]);
    __builtin_prefetch((const char *)rows->value + rows->start[i] * size);
}

/* Examples come in random order: what the next ones begin with is asked for before it is waited
 * for. In blocks of neighbours what is in short arrays comes by itself. */
static void fetch_ahead(const pt_spoc_linear_solver *s, const int64_t *visited, int64_t a,
                        int64_t m)
{
    if (a + AHEAD < m && visited != s->order) {
        const int64_t i = visited[a + AHEAD];
        __builtin_prefetch(s->eta->at + i);
        __builtin_prefetch(s->eta->count + i);
        __builtin_prefetch(s->p->class_of + i);
        __builtin_prefetch(s->p->bound + i);
        __builtin_prefetch(s->weights.rows->square + i);
    }
    const int64_t near = visited == s->order ? PT_SPOC_TOGETHER : NEAR;
    if (a + near < m) {
        const int64_t i = visited[a + near];
        __builtin_prefetch(pt_sparse_row(s->eta, i));
        __builtin_prefetch(pt_sparse_row(s->eta, i) + 3);
        fetch_values(s->weights.rows, i);
    }
}

/* CS, two classes, as in most visits: only v = g_a - g_b counts, and what moves from one to the
 * other. Returns whether both are still of interest; else there is one that has it all. */
static bool visit_pair(pt_spoc_linear_solver *s, int64_t i, pt_entry *list, double *seen)
{
    const pt_spoc *p = s->p;
    const int64_t a = list[0].column;
    const int64_t b = list[1].column;
    const double v =
        s->loops->apart(&s->weights, i, a, b) + pt_spoc_cost(p, i, a) - pt_spoc_cost(p, i, b);
    const int from = v > 0 || (v == 0 && !(list[1].value > 0));
    pt_entry *giver = list + from;
    pt_entry *taker = list + (1 - from);
    *seen += giver->value * fabs(v);
    if (!(giver->value > 0)) {
        list[0] = *taker;
        s->eta->count[i] = 1;
        return false;
    }
    if (!(fabs(v) > SETTLED))
        return true;
    const double most = 0.5 * fabs(v) / s->weights.rows->square[i];
    const double moved = most < giver->value ? most : giver->value;
    const double less = giver->value - moved;
    const double more = taker->value + moved;
    giver->value = less < more ? less : p->bound[i] - more; /* the smaller one keeps its digits */
    taker->value = less < more ? p->bound[i] - less : more;
    s->loops->shift(&s->weights, i, giver->column, taker->column, moved);
    return true;
}

/* Returns whether there is more to do for example i in this stage. */
static bool visit(pt_spoc_linear_solver *s, int64_t i, double *seen)
{
    pt_entry *list = s->eta->entry + s->eta->at[i];
    const int64_t count = s->eta->count[i];
    if (count == 2 && !pt_spoc_linear_is_ww(s))
        return visit_pair(s, i, list, seen);
    s->loops->scores(&s->weights, i, list, count, s->g);
    add_costs(s->p, i, list, count, s->g);
    const looked now = look(s, i, list, count);
    s->eta->count[i] = now.count;
    *seen += now.gap;
    if (now.count <= 1 || (pt_spoc_linear_is_ww(s) && now.violation == 0))
        return false;
    if (now.violation > SETTLED)
        step_row(s, i, list, &now);
    return true;
}

/* kept <- those of the active examples that stay; returns how many. */
static int64_t keep_staying(const pt_spoc_linear_solver *s, int64_t *kept)
{
    int64_t count = 0;
    for (int64_t a = 0; a < s->m; a++) {
        const int64_t i = s->active[a];
        kept[count] = i;
        count += s->stays[i];
    }
    return count;
}

pt_status pt_spoc_linear_sweep(pt_spoc_linear_solver *s, double *seen, const pt_task *task,
                               pt_error *err)
{
    const int64_t *visited = pt_spoc_linear_arrange(s);
    pt_status status = PT_OK;
    *seen = 0;
    for (int64_t a = 0; a < s->m && status == PT_OK; a++) {
        const int64_t i = visited[a];
        fetch_ahead(s, visited, a, s->m);
        s->stays[i] = visit(s, i, seen);
        if (a % LOOK == LOOK - 1)
            status = pt_task_check(task, err);
    }
    s->visits += s->m;
    s->sweeps++;
    if (status == PT_OK)
        s->m = keep_staying(s, s->active);
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
    memset(s->next, 0, (size_t)s->p->k * sizeof *s->next);
    for (; row < end; row++)
        s->next[row->column] = row->value;
    for (int64_t r = 0; r < s->p->k; r++) { /* without a branch: no two examples are alike */
        const double value = s->next[r];
        const bool has = value > 0;
        const bool enters = !has & (g[r] > cut) & (entering < LISTED);
        entering += enters;
        s->list[count] = (pt_entry){r, value};
        count += has | enters | (r == own);
    }
    return count;
}

/* In four parts that do not wait for each other. */
static double largest(const double *g, int64_t k)
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

int64_t pt_spoc_linear_relist(pt_spoc_linear_solver *s, int64_t i, const double *g, bool upper,
                              double *gap)
{
    const pt_spoc *p = s->p;
    const int64_t y = p->class_of[i];
    const pt_entry *row = pt_sparse_row(s->eta, i);
    const int64_t count = s->eta->count[i];
    const double top = largest(g, p->k);
    double least = pt_spoc_linear_is_ww(s) ? g[y] : INFINITY;
    for (int64_t c = 0; c < count; c++) {
        const double at = g[row[c].column];
        *gap += row[c].value * ((pt_spoc_linear_is_ww(s) ? g[y] : top) - at);
        least = row[c].value > 0 && at < least ? at : least;
    }
    for (int64_t r = 0; r < p->k && pt_spoc_linear_is_ww(s); r++)
        *gap += g[r] > g[y] ? p->bound[i] * (g[r] - g[y]) : 0;
    if (!(top > least) && (pt_spoc_linear_is_ww(s) || count == 1))
        return 0;
    const double above = upper ? top - UPPER * (top - least) : least;
    return list_classes(s, i, g, pt_spoc_linear_is_ww(s) ? g[y] : above);
}

/* ---- all examples, all classes -----------------------------------------------------------------
 */

/* s->g <- the gradients of the classes of s->list, which is what has to be looked at; the gap is
 * not added up here. */
static looked gather(pt_spoc_linear_solver *s, const double *all, int64_t y, int64_t count)
{
    looked now = {.count = count, .own = -1, .top = -INFINITY};
    double least = INFINITY;
    for (int64_t c = 0; c < count; c++) {
        const double g = s->g[c] = all[s->list[c].column];
        now.own = s->list[c].column == y ? c : now.own;
        now.top = g > now.top ? g : now.top;
        least = s->list[c].value > 0 && g < least ? g : least;
    }
    now.violation = now.top - least;
    return now;
}

/* After the step, CS: classes that have nothing and were far below the largest leave s->list. At
 * first these are most of all classes, and there they would stay for a sweep. Returns how many are
 * left. */
static int64_t trim(pt_spoc_linear_solver *s, const looked *now)
{
    const double cut = now->top - CLOSE * now->violation;
    int64_t kept = 0;
    if (pt_spoc_linear_is_ww(s))
        return now->count;
    for (int64_t c = 0; c < now->count; c++) {
        const bool stays = (s->list[c].value > 0) | (s->g[c] > cut);
        s->list[kept] = s->list[c];
        kept += stays;
    }
    return kept;
}

pt_status pt_spoc_linear_sweep_all(pt_spoc_linear_solver *s, const pt_task *task, pt_error *err)
{
    const pt_spoc *p = s->p;
    double gap = 0;
    pt_status status = PT_OK;
    for (int64_t i = 0; i < p->n; i++)
        s->active[i] = i;
    s->m = p->n;
    const int64_t *visited = pt_spoc_linear_arrange(s);
    s->mass = 0;
    for (int64_t a = 0; a < p->n && status == PT_OK; a++) {
        const int64_t i = visited[a];
        const int64_t y = p->class_of[i];
        fetch_ahead(s, visited, a, p->n);
        s->stays[i] = 0;
        if (p->bound[i] <= 0)
            continue;
        s->loops->scores(&s->weights, i, NULL, p->k, s->batch);
        add_all_costs(p, i, s->batch);
        int64_t count = pt_spoc_linear_relist(s, i, s->batch, true, &gap);
        if (count > 1) {
            const looked now = gather(s, s->batch, y, count);
            step_row(s, i, s->list, &now);
            count = trim(s, &now);
            s->stays[i] = count > 1;
        }
        if (count > 0)
            status = pt_sparse_rows_set(s->eta, i, s->list, count, err);
        s->mass += pt_spoc_linear_mass(s, s->eta, i);
        if (status == PT_OK && a % LOOK == LOOK - 1)
            status = pt_task_check(task, err);
    }
    s->visits += p->n;
    s->sweeps++;
    s->gap = gap;
    if (status == PT_OK)
        s->n_listed = keep_staying(s, s->listed);
    return status;
}
