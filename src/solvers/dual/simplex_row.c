/* The row problem of Crammer and Singer: the reduced problem of SPOC (CS section 6), a projection
 * on a simplex; and its rules for the solvers by kernel values (spoc.c) and with weights
 * (row_descent.c), with
 *
 *     gap = sum_i sum_r eta_ir (max_s g_is - g_ir) .
 *
 * With D in descending order and theta_m = (D_(1) + ... + D_(m) - total) / m, theta is theta_m for
 * the largest m with D_(m) > theta_m (CS section 6.1). The largest D is subtracted first: then only
 * entries above -total count, and neither a huge A, for which D hardly differ, nor a tiny one, for
 * which they are huge, costs digits.
 *
 * By selection: entries that are not smaller than a pivot are taken in if the pivot is above the
 * theta that these give; else the pivot and all below it are thrown away. Each round looks at what
 * the last one left: O(k) expected. Of a few entries it is faster to take the theta of those that
 * are left, throw away what is not above it, and so on until nothing is: loops without a branch. */
#include "solvers/dual/simplex_row.h"

#include <math.h>

#include "solvers/dual/box_row.h"
#include "solvers/dual/class_rows.h"

static double largest_of(const double *D, int64_t k)
{
    double largest = D[0];
    for (int64_t r = 1; r < k; r++)
        largest = D[r] > largest ? D[r] : largest;
    return largest;
}

/* work <- D_r - largest where that can be in the support; returns how many. */
static int64_t keep_near(const double *D, int64_t k, double largest, double total, double *work)
{
    int64_t count = 0;
    for (int64_t r = 0; r < k; r++)
        if (D[r] - largest > -total)
            work[count++] = D[r] - largest;
    return count;
}

static void swap(double *a, double *b)
{
    const double x = *a;
    *a = *b;
    *b = x;
}

/* The median of three: sorted entries do no harm, and nothing is random. */
static double pivot_of(const double *E, int64_t count)
{
    const double a = E[0];
    const double b = E[count / 2];
    const double c = E[count - 1];
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

enum { FEW = 32 };

/* Of 0 < count <= FEW entries above -total, the largest of which is 0. */
static double averaged_theta(const double *E, int64_t count, double total)
{
    int64_t left = count;
    double sum = 0;
    for (int64_t r = 0; r < count; r++)
        sum += E[r];
    double theta = (sum - total) / (double)count;
    for (int64_t before = count + 1; left < before && left > 2;) { /* two stay: E > -total */
        before = left;
        left = 0;
        sum = 0;
        for (int64_t r = 0; r < count; r++) {
            sum += E[r] > theta ? E[r] : 0;
            left += E[r] > theta;
        }
        theta = (sum - total) / (double)left;
    }
    return theta;
}

static double selected_theta(double *E, int64_t count, double total)
{
    if (count > 0 && count <= FEW)
        return averaged_theta(E, count, total);
    double sum = 0; /* of those that are surely in the support */
    int64_t taken = 0;
    while (count > 0) {
        const double pivot = pivot_of(E, count);
        double above = 0;
        int64_t some = 0; /* entries >= pivot come first */
        for (int64_t r = 0; r < count; r++)
            if (E[r] >= pivot) {
                above += E[r];
                swap(&E[r], &E[some++]);
            }
        const double theta = (sum + above - total) / (double)(taken + some);
        if (pivot > theta) { /* all of these are in; go on with the smaller ones */
            sum += above;
            taken += some;
            E += some;
            count -= some;
        } else { /* the pivot and all below it are out */
            int64_t left = 0;
            for (int64_t r = 0; r < some; r++)
                if (E[r] > pivot)
                    E[left++] = E[r];
            count = left;
        }
    }
    return taken ? (sum - total) / (double)taken : -total;
}

double pt_simplex_theta_selected(const double *D, int64_t k, double total, double *work)
{
    const double largest = largest_of(D, k);
    const int64_t count = keep_near(D, k, largest, total, work);
    return largest + selected_theta(work, count, total);
}

int64_t pt_simplex_project(const double *D, int64_t k, double total, double *eta, double *work)
{
    const double largest = largest_of(D, k);
    const int64_t near = keep_near(D, k, largest, total, work);
    const double theta = selected_theta(work, near, total);
    int64_t count = 0;
    int64_t last = 0;
    for (int64_t r = 0; r < k; r++) {
        const double over = D[r] - largest - theta;
        eta[r] = over > 0 ? over : 0;
        if (over > 0) {
            count++;
            last = r;
        }
    }
    if (count == 1) /* rounding must not leave a rest */
        eta[last] = total;
    return count;
}

/* 1/A of less would not be finite. */
static const double NO_CURVATURE = 1e-300;

int64_t pt_simplex_row(double A, const double *g, int64_t k, double total, double *eta,
                       double *work)
{
    int64_t first = 0;
    for (int64_t r = 1; r < k; r++)
        first = g[r] > g[first] ? r : first;
    const double largest = g[first];
    if (!(A > NO_CURVATURE)) { /* the objective is linear */
        for (int64_t r = 0; r < k; r++)
            eta[r] = r == first ? total : 0;
        return total > 0;
    }
    for (int64_t r = 0; r < k; r++)
        eta[r] += (g[r] - largest) / A;
    return pt_simplex_project(eta, k, total, eta, work);
}

/* ---- by kernel values --------------------------------------------------------------------------
 *
 * The step itself is in spoc_loops_isa.c, as masks over all classes. */

enum { CHUNK = PT_SPOC_CHUNK };

/* Its sum becomes C_i; a row of nothing, C_i for its class. */
static pt_status begin_row(const pt_spoc *p, int64_t i, pt_sparse_rows *eta, pt_error *err)
{
    pt_entry *row = eta->entry + eta->at[i];
    const int64_t count = eta->count[i];
    double sum = 0;
    for (int64_t c = 0; c < count; c++)
        sum += row[c].value;
    if (sum > 0 && count > 1 && p->bound[i] > 0) {
        for (int64_t c = 0; c < count; c++)
            row[c].value *= p->bound[i] / sum;
        return PT_OK;
    }
    const bool one = sum > 0 && count == 1;
    const pt_entry only = {one ? row[0].column : p->class_of[i], p->bound[i]};
    return pt_sparse_rows_set(eta, i, &only, p->bound[i] > 0, err);
}

/* With more room, mass goes to the own class and nothing else changes, where there was some; a row
 * that had none was at its bound, and stays there. */
static void carry_row(const pt_spoc *p, int64_t i, double before, pt_sparse_rows *eta)
{
    pt_entry *row = eta->entry + eta->at[i];
    const int64_t count = eta->count[i];
    const double now = p->bound[i];
    for (int64_t c = 0; c < count; c++)
        if (row[c].column == p->class_of[i] && row[c].value + (now - before) > 0) {
            row[c].value += now - before;
            return;
        }
    for (int64_t c = 0; c < count; c++)
        row[c].value *= now / before;
}

static double top_of(const double *g, int64_t k)
{
    double top = g[0];
    for (int64_t r = 1; r < k; r++)
        top = g[r * CHUNK] > top ? g[r * CHUNK] : top;
    return top;
}

static double add_gap(const pt_spoc *p, const pt_sparse_rows *eta, int64_t i, const double *g,
                      double gap)
{
    const double top = top_of(g, p->k);
    const pt_entry *row = pt_sparse_row(eta, i);
    for (int64_t c = 0; c < eta->count[i]; c++)
        gap += row[c].value * (top - g[row[c].column * CHUNK]);
    return gap;
}

static double gain_of(const pt_spoc *p, const pt_sparse_rows *eta, int64_t i, const double *g,
                      double curve)
{
    const double top = top_of(g, p->k);
    const pt_entry *row = pt_sparse_row(eta, i);
    double best = 0;
    for (int64_t c = 0; c < eta->count[i]; c++)
        best = fmax(best, pt_spoc_gain(row[c].value, top - g[row[c].column * CHUNK], curve));
    return best;
}

static void scan(pt_spoc_solver *s, int64_t chunk, double *hidden)
{
    (void)hidden;
    const int64_t k = s->p->k;
    const int64_t from = chunk * CHUNK;
    const int64_t to = s->loop.m - from < CHUNK ? s->loop.m : from + CHUNK;
    double wide[CHUNK];
    float narrow[CHUNK];
    pt_spoc_sums sums = {0, 0};
    if (s->wide)
        s->loops->max_f64((const double *)s->G + chunk * k * CHUNK, k, wide);
    else
        s->loops->max_f32((const float *)s->G + chunk * k * CHUNK, k, narrow);
    for (int64_t a = from; a < to; a++) {
        const int64_t i = s->loop.active[a];
        const pt_entry *row = pt_sparse_row(s->eta, i);
        const double top = s->wide ? wide[a - from] : narrow[a - from];
        double best = 0;
        for (int64_t c = 0; c < s->eta->count[i]; c++) {
            const double behind = top - pt_spoc_g(s, s->G, a, row[c].column);
            const double gain = pt_spoc_gain(row[c].value, behind, s->diagonal[i]);
            sums.gap += row[c].value * behind;
            sums.largest = behind > sums.largest ? behind : sums.largest;
            best = gain > best ? gain : best;
        }
        s->loop.gain[a] = best;
    }
    s->sums[chunk] = sums;
}

static bool is_held(const pt_spoc_solver *s, int64_t a)
{
    const int64_t i = s->loop.active[a];
    if (s->eta->count[i] != 1)
        return s->eta->count[i] == 0;
    const int64_t own = pt_sparse_row(s->eta, i)->column;
    const double least = pt_spoc_g(s, s->G, a, own) - s->largest;
    for (int64_t r = 0; r < s->p->k; r++)
        if (r != own && pt_spoc_g(s, s->G, a, r) >= least)
            return false;
    return true;
}

const pt_spoc_rules pt_simplex_block_rules = {begin_row, carry_row, add_gap,
                                              gain_of,   scan,      is_held};

/* ---- linear descent -------------------------------------------------------------------------- */

static const double FAR = 0.9;   /* of the bound: more is far from where others have it all */
static const double MUCH = 1e3;  /* times what a step moves: less costs it few digits */
static const double CLOSE = 0.3; /* of the violation: what is further below the largest is far */
/* Of the violation: of the classes that could enter, those that are further below the largest wait
 * for the next pass over all. In the first that is most of them, and each would get a little. */
static const double UPPER = 0.5;
static const double SETTLED = 1e-12; /* violations that are not worth a step */

/* What the list of row i says: the largest g of all, the smallest of the support. Classes that have
 * nothing and are below that leave it. */
static pt_class_look look_at_list(pt_class_rows *s, int64_t i, pt_entry *list, int64_t count)
{
    const int64_t y = s->p->class_of[i];
    double *g = s->loop.g;
    double top = -INFINITY;
    double least = INFINITY;
    pt_class_look now = {.own = -1};
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

/* Where most of the mass is with the row's own class: without its bound the other entries are the
 * problem of WW. C may be huge, and they would drown in C less their sum. False: the bound
 * counts. */
static bool solve_far_from_bound(pt_class_rows *s, double A, int64_t count, int64_t own,
                                 double bound)
{
    double sum = 0;
    s->next[own] = 0;
    (void)pt_box_row(A, s->loop.g, count, own, bound, s->next);
    for (int64_t c = 0; c < count; c++)
        sum += s->next[c];
    s->next[own] = bound - sum;
    return sum < bound;
}

/* The reduced problem of row i over a list, from its gradients. */
static void solve(pt_class_rows *s, int64_t i, pt_entry *list, const pt_class_look *now)
{
    const double A = s->loop.weights.rows->square[i];
    const double bound = s->p->bound[i];
    const bool far =
        now->own >= 0 && list[now->own].value > FAR * bound && A * bound > MUCH * now->violation;
    for (int64_t c = 0; c < now->count; c++)
        s->next[c] = list[c].value;
    if (!far || !solve_far_from_bound(s, A, now->count, now->own, bound)) {
        for (int64_t c = 0; c < now->count && far; c++)
            s->next[c] = list[c].value;
        (void)pt_simplex_row(A, s->loop.g, now->count, bound, s->next, s->work);
    }
    pt_class_rows_move(s, i, list, now);
}

/* Two classes, as in most visits: only v = g_a - g_b counts, and what moves from one to the other.
 * Returns whether both are still of interest; else there is one that has it all. */
static bool visit_two(pt_class_rows *s, int64_t i, pt_entry *list, double *seen)
{
    const pt_spoc *p = s->p;
    const pt_row_descent *loop = &s->loop;
    const int64_t a = list[0].column;
    const int64_t b = list[1].column;
    const double v =
        loop->loops->apart(&loop->weights, i, a, b) + pt_spoc_cost(p, i, a) - pt_spoc_cost(p, i, b);
    const int from = v > 0 || (v == 0 && !(list[1].value > 0));
    pt_entry *giver = list + from;
    pt_entry *taker = list + (1 - from);
    *seen += giver->value * fabs(v);
    if (!(giver->value > 0)) {
        list[0] = *taker;
        loop->dual->count[i] = 1;
        return false;
    }
    if (!(fabs(v) > SETTLED))
        return true;
    const double most = 0.5 * fabs(v) / loop->weights.rows->square[i];
    const double moved = most < giver->value ? most : giver->value;
    const double less = giver->value - moved;
    const double more = taker->value + moved;
    giver->value = less < more ? less : p->bound[i] - more; /* the smaller one keeps its digits */
    taker->value = less < more ? p->bound[i] - less : more;
    loop->loops->shift(&loop->weights, i, giver->column, taker->column, moved);
    return true;
}

static bool visit(pt_row_descent *loop, int64_t i, double *seen)
{
    pt_class_rows *s = pt_class_rows_of(loop);
    pt_entry *list = loop->dual->entry + loop->dual->at[i];
    const int64_t count = loop->dual->count[i];
    if (count == 2)
        return visit_two(s, i, list, seen);
    pt_class_rows_gradients(s, i, list, count);
    const pt_class_look now = look_at_list(s, i, list, count);
    loop->dual->count[i] = now.count;
    *seen += now.gap;
    if (now.count <= 1)
        return false;
    if (now.violation > SETTLED)
        solve(s, i, list, &now);
    return true;
}

/* From all gradients of row i: adds its share to the gap, and s->list <- its classes to look at;
 * `upper`: of those that could enter only the upper half by g. Returns how many; 0 where nothing
 * moves and its list has what it needs. */
static int64_t relist(pt_class_rows *s, int64_t i, const double *g, bool upper, double *gap)
{
    const pt_entry *row = pt_sparse_row(s->loop.dual, i);
    const int64_t count = s->loop.dual->count[i];
    const double top = pt_class_rows_largest(g, s->p->k);
    double least = INFINITY;
    for (int64_t c = 0; c < count; c++) {
        const double at = g[row[c].column];
        *gap += row[c].value * (top - at);
        least = row[c].value > 0 && at < least ? at : least;
    }
    if (!(top > least) && count == 1)
        return 0;
    return pt_class_rows_list(s, i, g, upper ? top - UPPER * (top - least) : least, -1);
}

/* After a step over s->list: classes that have nothing and were far below the largest leave it. At
 * first these are most of all classes, and there they would stay for a sweep. Returns how many are
 * left. */
static int64_t trim(pt_class_rows *s, const pt_class_look *now)
{
    const double cut = now->top - CLOSE * now->violation;
    int64_t kept = 0;
    for (int64_t c = 0; c < now->count; c++) {
        const bool stays = (s->list[c].value > 0) | (s->loop.g[c] > cut);
        s->list[kept] = s->list[c];
        kept += stays;
    }
    return kept;
}

static pt_status look_at_all(pt_row_descent *loop, int64_t i, double *g, bool solved,
                             pt_row_look *look, pt_error *err)
{
    pt_class_rows *s = pt_class_rows_of(loop);
    if (!solved && !pt_class_rows_note(s, i, g, look))
        return PT_OK;
    int64_t count = relist(s, i, g, solved, &look->gap);
    if (solved && count > 1) {
        const pt_class_look now = pt_class_rows_gather(s, i, g, count);
        solve(s, i, s->list, &now);
        count = trim(s, &now);
    }
    look->moves = count > 1;
    return count > 0 ? pt_sparse_rows_set(loop->dual, i, s->list, count, err) : PT_OK;
}

const pt_row_rules pt_simplex_rules = {.sweeps = 20,
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
