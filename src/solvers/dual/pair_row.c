/* The row problem of constraint classification: the pairs of one example (pair_row.h), and its
 * rules for linear descent (row_descent.h).
 *
 * One pair alone, the others as they are: alpha <- min(max(alpha - G / (2 ||x||^2), 0), C), for
 * Kesler's vector has the square 2 ||x||^2. Scores are kept, so that a step costs two additions
 * whatever the number of features; what it does to v is added up in tau and done once. A visit
 * takes the inner products of x_i with the v of its classes once. */
#include "solvers/dual/pair_row.h"

#include <math.h>

#include "base/alloc.h"

/* Of the first pass's largest move of a score: a pass that moves none by more is the last. */
static const double SMALL_MOVE = 0.1;

static inline double slope_of(const pt_entry *entry, const double *g)
{
    return g[pt_pair_before(entry)] - g[pt_pair_after(entry)] - 1;
}

/* Adds what a pair with slope G and alpha says. */
static inline void note(pt_pair_look *look, double G, double alpha, double bound)
{
    const double away = G > 0 ? alpha : bound - alpha;
    look->gap += fabs(G) * away;
    if (away > 0 && fabs(G) > look->violation)
        look->violation = fabs(G);
}

pt_pair_look pt_pair_row_look(pt_entry *list, int64_t count, const double *g, double bound)
{
    pt_pair_look look = {0};
    for (int64_t c = 0; c < count; c++) {
        const double G = slope_of(list + c, g);
        note(&look, G, list[c].value, bound);
        if (list[c].value > 0 || G < 0)
            list[look.count++] = list[c];
    }
    return look;
}

pt_pair_look pt_pair_row_list(const pt_label_pair *pairs, int64_t n_pairs, const pt_entry *row,
                              int64_t n_row, const double *g, double bound, pt_entry *list,
                              double *least)
{
    pt_pair_look look = {0};
    const pt_entry *end = row + n_row;
    for (int64_t p = 0; p < n_pairs; p++) {
        pt_entry entry = {pt_pair_code(pairs[p]), 0};
        const double z = g[pairs[p].before] - g[pairs[p].after];
        if (row < end && row->column == entry.column)
            entry.value = row++->value;
        note(&look, z - 1, entry.value, bound);
        *least = z < *least ? z : *least;
        if (entry.value > 0 || z < 1)
            list[look.count++] = entry;
    }
    return look;
}

/* Returns the largest move of a score. */
static double pass(pt_entry *list, int64_t count, double square, double bound, double *g,
                   double *tau, double *rise)
{
    double most = 0;
    for (int64_t c = 0; c < count; c++) {
        const double G = slope_of(list + c, g);
        const double free = list[c].value - G / (2 * square);
        const double next = free > 0 ? free < bound ? free : bound : 0;
        const double change = next - list[c].value;
        if (change == 0)
            continue;
        list[c].value = next;
        g[pt_pair_before(list + c)] += change * square;
        g[pt_pair_after(list + c)] -= change * square;
        tau[pt_pair_before(list + c)] += change;
        tau[pt_pair_after(list + c)] -= change;
        *rise += change;
        most = fmax(most, fabs(change));
    }
    return most * square;
}

double pt_pair_row_step(pt_entry *list, int64_t count, double square, double bound, int passes,
                        double *g, double *tau)
{
    double rise = 0;
    double first = 0;
    for (int p = 0; p < passes && square > 0; p++) {
        const double most = pass(list, count, square, bound, g, tau, &rise);
        first = p == 0 ? most : first;
        if (most <= SMALL_MOVE * first && p > 0)
            return rise;
    }
    for (int64_t c = 0; c < count && square == 0; c++) { /* nothing holds it: G = -1 */
        const double change = bound - list[c].value;
        tau[pt_pair_before(list + c)] += change;
        tau[pt_pair_after(list + c)] -= change;
        list[c].value = bound;
        rise += change;
    }
    return rise;
}

/* ---- the classes of a row -------------------------------------------------------------------- */

pt_status pt_pair_classes_init(pt_pair_classes *classes, int64_t k, pt_error *err)
{
    classes->k = k;
    classes->seen_at = pt_alloc_zero(k, sizeof *classes->seen_at, "a row", err);
    classes->list = pt_alloc(k, sizeof *classes->list, "a row", err);
    return classes->seen_at && classes->list ? PT_OK : PT_ENOMEM;
}

void pt_pair_classes_free(pt_pair_classes *classes)
{
    pt_free(classes->seen_at);
    pt_free(classes->list);
}

static inline void list_class(pt_pair_classes *classes, int64_t r, int64_t *count)
{
    if (classes->seen_at[r] == classes->stamp)
        return;
    classes->seen_at[r] = classes->stamp;
    classes->list[(*count)++].column = r;
}

int64_t pt_pair_classes_of(pt_pair_classes *classes, const pt_entry *row, int64_t count)
{
    int64_t listed = 0;
    classes->stamp++;
    for (int64_t c = 0; c < count && listed < classes->k; c++) {
        list_class(classes, pt_pair_before(row + c), &listed);
        list_class(classes, pt_pair_after(row + c), &listed);
    }
    return listed;
}

/* ---- linear descent -------------------------------------------------------------------------- */

enum { PASSES = 4 };                 /* over the pairs of an example in one visit */
static const double SETTLED = 1e-13; /* violations that are not worth a step */

static inline pt_pair_rows *of(pt_row_descent *loop)
{
    return (pt_pair_rows *)loop;
}

void pt_pair_rows_free(pt_pair_rows *s)
{
    pt_row_descent_free(&s->loop);
    pt_sparse_rows_free(&s->alpha);
    pt_pair_classes_free(&s->classes);
    pt_free(s->tau);
    pt_free(s->pair);
    pt_free(s->list);
}

pt_status pt_pair_rows_init(pt_pair_rows *s, const pt_pair_problem *p, const pt_linear_rows *rows,
                            bool bias, uint64_t seed, pt_error *err)
{
    const int64_t k = p->pairs->k;
    s->p = p;
    s->loop.rules = &pt_pair_rules;
    s->loop.k = k;
    s->loop.bound = p->bound;
    s->loop.dual = &s->alpha;
    s->loop.one = bias ? 1 : 0;
    PT_TRY(pt_sparse_rows_init(&s->alpha, rows->n, s->loop.task, err));
    PT_TRY(pt_pair_classes_init(&s->classes, k, err));
    PT_TRY(pt_row_descent_init(&s->loop, rows, false, p->limit, seed, err));
    s->tau = pt_alloc_zero(k, sizeof *s->tau, "a row", err);
    s->pair = pt_alloc(pt_pairs_work(p->pairs), sizeof *s->pair, "pairs", err);
    s->list = pt_alloc(p->pairs->most, sizeof *s->list, "pairs", err);
    return s->tau && s->pair && s->list ? PT_OK : PT_ENOMEM;
}

static void add_bias(const pt_row_descent *loop, int64_t i, double *g)
{
    (void)i;
    for (int64_t r = 0; r < loop->k; r++)
        g[r] += loop->bias[r];
}

/* loop.classes, loop.change <- tau of the listed classes, tau <- 0; returns of how many, 0: it is
 * 0. */
static int64_t take_tau(pt_pair_rows *s, int64_t classes)
{
    pt_row_descent *loop = &s->loop;
    bool some = false;
    for (int64_t c = 0; c < classes; c++) {
        const int64_t r = s->classes.list[c].column;
        loop->classes[c].column = r;
        loop->change[c] = s->tau[r];
        some |= s->tau[r] != 0;
        s->tau[r] = 0;
    }
    return some ? classes : 0;
}

/* v <- v + tau x_i */
static void move(pt_pair_rows *s, int64_t i, int64_t classes)
{
    const int64_t moved = take_tau(s, classes);
    if (moved > 0)
        pt_row_descent_move(&s->loop, i, moved);
}

static bool visit(pt_row_descent *loop, int64_t i, double *seen)
{
    pt_pair_rows *s = of(loop);
    pt_entry *list = s->alpha.entry + s->alpha.at[i];
    const double bound = loop->bound[i];
    const int64_t classes = pt_pair_classes_of(&s->classes, list, s->alpha.count[i]);
    loop->loops->scores(&loop->weights, i, s->classes.list, classes, loop->change);
    for (int64_t c = 0; c < classes; c++) {
        const int64_t r = s->classes.list[c].column;
        loop->g[r] = loop->change[c] + loop->bias[r];
    }
    const pt_pair_look look = pt_pair_row_look(list, s->alpha.count[i], loop->g, bound);
    s->alpha.count[i] = look.count;
    *seen += look.gap;
    if (look.violation > SETTLED) {
        (void)pt_pair_row_step(list, look.count, pt_row_square(loop, i), bound, PASSES, loop->g,
                               s->tau);
        move(s, i, classes);
    }
    return look.violation > 0;
}

/* All pairs of an example: those that matter are listed and, where `solved`, solved. */
static pt_status look_at_all(pt_row_descent *loop, int64_t i, double *g, bool solved,
                             pt_row_look *look, pt_error *err)
{
    pt_pair_rows *s = of(loop);
    const double bound = loop->bound[i];
    const pt_label_pair *pairs = NULL;
    if (bound <= 0)
        return PT_OK;
    const int64_t n_pairs = pt_pairs_of(s->p->pairs, i, s->pair, &pairs);
    const pt_pair_look now = pt_pair_row_list(pairs, n_pairs, pt_sparse_row(&s->alpha, i),
                                              s->alpha.count[i], g, bound, s->list, &look->margin);
    int64_t count = now.count;
    look->gap += now.gap;
    look->moves = now.violation > 0;
    if (solved && now.violation > 0) {
        const int64_t classes = pt_pair_classes_of(&s->classes, s->list, count);
        (void)pt_pair_row_step(s->list, count, pt_row_square(loop, i), bound, PASSES, g, s->tau);
        move(s, i, classes);
        count = pt_pair_row_look(s->list, count, g, bound).count;
        look->moves = count > 0;
    }
    return pt_sparse_rows_set(&s->alpha, i, s->list, count, err);
}

static int64_t tau_of(pt_row_descent *loop, int64_t i)
{
    pt_pair_rows *s = of(loop);
    const pt_entry *row = pt_sparse_row(&s->alpha, i);
    const int64_t count = s->alpha.count[i];
    const int64_t classes = pt_pair_classes_of(&s->classes, row, count);
    for (int64_t c = 0; c < count; c++) {
        s->tau[pt_pair_before(row + c)] += row[c].value;
        s->tau[pt_pair_after(row + c)] -= row[c].value;
    }
    return take_tau(s, classes);
}

static double add_mass(const pt_row_descent *loop, int64_t i, double sum)
{
    const pt_entry *row = pt_sparse_row(loop->dual, i);
    for (int64_t c = 0; c < loop->dual->count[i]; c++)
        sum += row[c].value;
    return sum;
}

static pt_status begin(pt_row_descent *loop, pt_error *err)
{
    (void)loop;
    (void)err;
    return PT_OK;
}

/* Where the sweeps of a stage did not suffice, all listed pairs go on together (pair_climb.c): if
 * rows are alike or C is large, sweeps alone need very many visits: enron at C = 1 had a gap of
 * 0.14 after six million, and has one of 1e-3 after fewer. A climb looks at the dual value alone
 * and may leave v with a primal value many times as large: one more sweep mends that. */
static pt_status climb(pt_row_descent *loop, int64_t t, bool last, double *seen, pt_error *err)
{
    (void)t;
    pt_pair_rows *s = of(loop);
    double gain = 0;
    int64_t passes = 0;
    if (!last)
        return PT_OK;
    const pt_pair_state state = {s->p,       loop->loops, &loop->weights,
                                 loop->bias, loop->one,   &s->alpha};
    PT_TRY(pt_pair_climb(&state, &gain, &passes, loop->task, err));
    loop->visits += passes * loop->n_listed;
    return pt_row_descent_sweep(loop, seen, err);
}

const pt_row_rules pt_pair_rules = {.sweeps = 8,
                                    .most_sweeps = 8,
                                    .visits = 2000000,
                                    .visits_each = 4000,
                                    .less_share = 1,
                                    .shuffle = pt_random_shuffle,
                                    .add_offsets = add_bias,
                                    .visit = visit,
                                    .look = look_at_all,
                                    .tau = tau_of,
                                    .add_mass = add_mass,
                                    .begin = begin,
                                    .together = climb};
