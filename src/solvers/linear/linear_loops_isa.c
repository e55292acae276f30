/* The loops of linear_loops.h for one instruction set (PT_ISA). Inner products keep LANES partial
 * sums that are added in a fixed order, so that a compiler makes vectors of them; w and all sums
 * are double whatever the type of the rows. */
#include <math.h>

#include "solvers/linear/linear_loops.h"

enum { LANES = 32, SPARSE_LANES = 4 };

/* Moves smaller than this times the bound are not worth an update of w: LIBLINEAR's 1e-12 of G. */
static const double STILL = 1e-12;

/* What rows of one kind and type are to the loops. */
typedef double (*dot_fn)(const pt_linear_rows *rows, int64_t i, const double *restrict w);
typedef void (*add_fn)(const pt_linear_rows *rows, int64_t i, double by, double *restrict w);
typedef void (*fetch_fn)(const pt_linear_rows *rows, int64_t i);

#define ALWAYS static inline __attribute__((always_inline)) /* for the kind it is called with */

static inline bool settled(double a, double u, double G, const pt_linear_sweep *s)
{
    return (a <= 0 && G > s->above) || (a >= u && G < s->below);
}

/* How far a goes, in [0, u] along -G; a row of zeros (square = 0, G = -1) goes to u. */
static inline double best_move(double a, double u, double G, double square)
{
    const double to = square > 0 ? a - G / square : u;
    return (to < 0 ? 0 : to > u ? u : to) - a;
}

ALWAYS void sweep(pt_linear_column *c, int64_t from, int64_t to, pt_linear_sweep *s, dot_fn dot,
                  add_fn add, fetch_fn fetch)
{
    const pt_linear_rows *rows = c->rows;
    int64_t kept = s->kept;
    for (int64_t at = from; at < to; at++) {
        const int64_t i = c->active[at];
        if (at + 1 < to)
            fetch(rows, c->row[c->active[at + 1]]);
        const double a = c->a[i];
        const double u = c->bound[i];
        const double G = c->y[i] * dot(rows, c->row[i], c->w) - 1;
        if (settled(a, u, G, s)) {
            s->left = G < s->left ? G : s->left;
            continue;
        }
        c->active[kept++] = i;
        const double move = best_move(a, u, G, rows->square[c->row[i]]);
        s->gap += G > 0 ? a * G : (a - u) * G;
        s->lowest = G < s->lowest ? G : s->lowest;
        if (move == 0)
            continue;
        s->most = G > s->most ? G : s->most;
        s->least = G < s->least ? G : s->least;
        if (fabs(G) < STILL)
            continue;
        c->a[i] = a + move;
        s->rise += move;
        add(rows, c->row[i], c->y[i] * move, c->w);
    }
    s->kept = kept;
}

ALWAYS void apply(const pt_linear_column *c, const int64_t *list, int64_t from, int64_t to,
                  const double *v, double *out, dot_fn dot, fetch_fn fetch)
{
    for (int64_t j = from; j < to; j++) {
        const int64_t i = list ? list[j] : j;
        if (j + 1 < to)
            fetch(c->rows, c->row[list ? list[j + 1] : j + 1]);
        out[j] = c->y[i] * dot(c->rows, c->row[i], v);
    }
}

ALWAYS void combine(const pt_linear_column *c, const int64_t *list, int64_t from, int64_t to,
                    const double *coef, double *v, add_fn add)
{
    for (int64_t j = from; j < to; j++) {
        const int64_t i = list ? list[j] : j;
        if (coef[j] != 0)
            add(c->rows, c->row[i], c->y[i] * coef[j], v);
    }
}

#define T float
#define NAME(f) f##_f32
#include "solvers/linear/linear_loops_body.h"
#undef T
#undef NAME

#define T double
#define NAME(f) f##_f64
#include "solvers/linear/linear_loops_body.h"

const pt_linear_tables PT_ISA_OWN(pt_linear_tables) = {
    {{{sweep_dense_f32, apply_dense_f32, combine_dense_f32},
      {sweep_dense_f64, apply_dense_f64, combine_dense_f64}},
     {{sweep_sparse_f32, apply_sparse_f32, combine_sparse_f32},
      {sweep_sparse_f64, apply_sparse_f64, combine_sparse_f64}}}};
