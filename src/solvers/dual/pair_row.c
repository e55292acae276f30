/* The pairs of one example: see pair_row.h.
 *
 * One pair alone, the others as they are: alpha <- min(max(alpha - G / (2 ||x||^2), 0), C), for
 * Kesler's vector has the square 2 ||x||^2. Scores are kept, so that a step costs two additions
 * whatever the number of features; what it does to v is added up in tau and done once. */
#include "solvers/dual/pair_row.h"

#include <math.h>

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
