/* Problems whose best code says something that is hard to know: whether a graph has a small vertex
 * cover (CS Theorem 2), whether a formula can be true (CS section 3). */
#ifndef PT_TESTS_HARD_DESIGNS_H
#define PT_TESTS_HARD_DESIGNS_H

#include <stdint.h>

#include "base/random.h"
#include "codes/design/design.h"

/* ---- Vertex Cover ---------------------------------------------------------------------------- */

enum { HARD_VERTICES = 10, HARD_EDGES = 45 };

typedef struct hard_graph {
    int64_t n;
    int64_t n_edges;
    int64_t edge[HARD_EDGES][2];
} hard_graph;

/* Each pair is an edge with this probability. */
static inline hard_graph hard_graph_draw(int64_t n, double density, pt_random *random)
{
    hard_graph graph = {.n = n};
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = p + 1; q < n; q++)
            if (pt_random_uniform(random) < density) {
                graph.edge[graph.n_edges][0] = p;
                graph.edge[graph.n_edges++][1] = q;
            }
    return graph;
}

/* The fewest vertices that touch every edge, by trying all sets. */
static inline int64_t hard_vertex_cover(const hard_graph *graph)
{
    int64_t least = graph->n;
    for (int64_t set = 0; set < (int64_t)1 << graph->n; set++) {
        int64_t size = 0;
        int covers = 1;
        for (int64_t v = 0; v < graph->n; v++)
            size += set >> v & 1;
        for (int64_t e = 0; e < graph->n_edges; e++)
            covers &= (int)((set >> graph->edge[e][0] | set >> graph->edge[e][1]) & 1);
        least = covers && size < least ? size : least;
    }
    return least;
}

typedef struct hard_cover {
    double H[(2 * HARD_EDGES + HARD_VERTICES) * (2 * HARD_VERTICES + 1)];
    int64_t class_of[2 * HARD_EDGES + HARD_VERTICES];
    pt_design_data data;
} hard_cover;

/* The two outputs p and q of 0 .. ell-2, and the last one, are 1. */
static inline void hard_cover_add(hard_cover *cover, int64_t p, int64_t q, int64_t y)
{
    double *h = cover->H + cover->data.m * cover->data.ell;
    for (int64_t t = 0; t < cover->data.ell; t++)
        h[t] = t == p || t == q || t == cover->data.ell - 1;
    cover->class_of[cover->data.m++] = y;
}

/* Two classes; with entries 0 and 1 the fewest mistakes are as many as the smallest vertex cover
 * has vertices. It stays so with entries -1 and +1, where only differences of the two rows count,
 * which are twice as large, and where a tie counts half a mistake: if the two examples of an edge
 * have e and e', its vertices v and v' as the differences of their scores, e + e' = v + v', and
 * either e + e' > 0, which makes a vertex a mistake, or the edge's examples cost 1 together. */
static inline void hard_cover_of(hard_cover *cover, const hard_graph *graph)
{
    const int64_t n = graph->n;
    cover->data =
        (pt_design_data){.k = 2, .ell = 2 * n + 1, .H = cover->H, .class_of = cover->class_of};
    for (int64_t e = 0; e < graph->n_edges; e++) {
        hard_cover_add(cover, graph->edge[e][0], graph->edge[e][1], 0);
        hard_cover_add(cover, n + graph->edge[e][0], n + graph->edge[e][1], 0);
    }
    for (int64_t v = 0; v < n; v++)
        hard_cover_add(cover, v, n + v, 1);
}

/* ---- satisfiability -------------------------------------------------------------------------- */

enum { HARD_VARIABLES = 5, HARD_CLAUSES = 40, HARD_LITERALS = 3 };

/* Clauses of three literals: +v or -v for variable v - 1. */
typedef struct hard_formula {
    int64_t n;
    int64_t n_clauses;
    int64_t literal[HARD_CLAUSES][HARD_LITERALS];
} hard_formula;

static inline hard_formula hard_formula_draw(int64_t n, int64_t n_clauses, pt_random *random)
{
    hard_formula formula = {.n = n, .n_clauses = n_clauses};
    for (int64_t c = 0; c < n_clauses; c++)
        for (int64_t j = 0; j < HARD_LITERALS; j++) {
            const int64_t v = 1 + pt_random_below(random, n);
            formula.literal[c][j] = pt_random_below(random, 2) ? v : -v;
        }
    return formula;
}

/* Whether it holds where variable v is bit v of `truth`. */
static inline int hard_formula_holds(const hard_formula *formula, int64_t truth)
{
    int holds = 1;
    for (int64_t c = 0; c < formula->n_clauses; c++) {
        int clause = 0;
        for (int64_t j = 0; j < HARD_LITERALS; j++) {
            const int64_t literal = formula->literal[c][j];
            const int64_t v = (literal > 0 ? literal : -literal) - 1;
            clause |= (truth >> v & 1) == (literal > 0);
        }
        holds &= clause;
    }
    return holds;
}

static inline int hard_formula_can_hold(const hard_formula *formula)
{
    int can = 0;
    for (int64_t truth = 0; truth < (int64_t)1 << formula->n; truth++)
        can |= hard_formula_holds(formula, truth);
    return can;
}

/* The learner of the reduction. There is one example for each of 2n+1 classes: a variable, its
 * negation, and one more. From labels u it makes the hypothesis h that agrees with all of them if
 * they are a truth assignment under which the formula holds, and else what most labels say. */
static inline void hard_learner(const hard_formula *formula, const int8_t *u, double *h)
{
    const int64_t n = formula->n;
    int64_t truth = 0;
    int64_t sum = 0;
    int opposite = 1;
    for (int64_t v = 0; v < n; v++) {
        truth |= (int64_t)(u[v] > 0) << v;
        opposite &= u[v] == -u[n + v];
    }
    for (int64_t i = 0; i < 2 * n + 1; i++)
        sum += u[i];
    for (int64_t i = 0; i < 2 * n + 1; i++)
        h[i] = opposite && hard_formula_holds(formula, truth) ? u[i] : sum > 0 ? 1 : -1;
}

#endif
