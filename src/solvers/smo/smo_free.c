/* Newton steps for the free variables of SMO.
 *
 *   (K + shift I) d = v - b 1 ,   b such that 1^T d = 0 ,
 *
 * over those that have not met a bound yet. The shift makes a K of low rank regular; a direction
 * without curvature then comes out very long, and the bounds end it. The length of the step is the
 * best for K itself.
 *
 *   L     n x n   the factor of those that move
 *   d     n x 2   the direction, and (K + shift I)^-1 1
 *   list  n       those that move */
#include "solvers/smo/smo_free.h"

#include <math.h>

#include "base/alloc.h"
#include "linalg/linalg.h"

enum { MOST_STEPS = 40 };
/* The shift, as a part of the largest K_ii: rounding of K in float32 asks for some 1e-7. */
#define SHIFT_LEAST 1e-12
#define SHIFT_GROWS 100
#define SHIFT_MOST 1e-4

typedef struct work {
    const pt_smo_free *f;
    int64_t count; /* that move */
    int64_t *list;
    double shift;
    double *L;
    double *d;
} work;

/* L <- the factor of those that move; false: K is far from positive semidefinite. */
static bool factor(work *w)
{
    const int64_t n = w->f->n;
    const int64_t m = w->count;
    double most = 0;
    for (int64_t i = 0; i < m; i++)
        most = fmax(most, w->f->K[w->list[i] * n + w->list[i]]);
    for (; w->shift <= SHIFT_MOST; w->shift *= SHIFT_GROWS) {
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < m; j++)
                w->L[i * m + j] = w->f->K[w->list[i] * n + w->list[j]];
        for (int64_t i = 0; i < m; i++)
            w->L[i * m + i] += w->shift * most;
        if (pt_la_dense_cholesky(PT_F64, m, w->L, m))
            return true;
    }
    return false;
}

/* 1^T d = 0, whatever rounding left of it: d may be very long. */
static void centre(const work *w)
{
    for (int pass = 0; pass < 2; pass++) {
        double sum = 0;
        for (int64_t i = 0; i < w->count; i++)
            sum += w->d[i];
        for (int64_t i = 0; i < w->count; i++)
            w->d[i] -= sum / (double)w->count;
    }
}

static bool find_direction(work *w)
{
    const int64_t m = w->count;
    double *const d = w->d;
    double *const one = w->d + m;
    if (!factor(w))
        return false;
    for (int64_t i = 0; i < m; i++) {
        d[i] = w->f->v[w->list[i]];
        one[i] = 1;
    }
    pt_la_dense_cholesky_solve(PT_F64, m, 2, w->L, m, d, m);
    double of_v = 0;
    double of_one = 0;
    for (int64_t i = 0; i < m; i++) {
        of_v += d[i];
        of_one += one[i];
    }
    for (int64_t i = 0; i < m && w->f->bias; i++)
        d[i] -= of_v / of_one * one[i];
    if (w->f->bias)
        centre(w);
    return true;
}

/* d^T v and d^T K d. */
static void measure(const work *w, double *slope, double *curve)
{
    *slope = 0;
    *curve = 0;
    for (int64_t i = 0; i < w->count; i++) {
        double sum = 0;
        for (int64_t j = 0; j < w->count; j++)
            sum += w->f->K[w->list[i] * w->f->n + w->list[j]] * w->d[j];
        *slope += w->d[i] * w->f->v[w->list[i]];
        *curve += w->d[i] * sum;
    }
}

/* How far i can go along d. */
static double room(const work *w, int64_t i)
{
    const int64_t at = w->list[i];
    const double to = w->d[i] > 0 ? w->f->high[at] : w->f->low[at];
    return w->d[i] == 0 ? INFINITY : (to - w->f->beta[at]) / w->d[i];
}

/* beta += t d; what meets its bound is no longer in the list. */
static void move(work *w, double t)
{
    const pt_smo_free *f = w->f;
    for (int64_t k = 0; k < f->n; k++)
        for (int64_t i = 0; i < w->count; i++)
            f->v[k] -= t * f->K[k * f->n + w->list[i]] * w->d[i];
    int64_t kept = 0;
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t at = w->list[i];
        const bool ends = room(w, i) <= t;
        f->beta[at] = !ends ? f->beta[at] + t * w->d[i] : w->d[i] > 0 ? f->high[at] : f->low[at];
        if (!ends)
            w->list[kept++] = at;
    }
    w->count = kept;
}

/* Whether a bound ended it, so that another step is worth while. */
static bool step(work *w)
{
    double slope = 0;
    double curve = 0;
    double most = INFINITY;
    if (!find_direction(w))
        return false;
    measure(w, &slope, &curve);
    for (int64_t i = 0; i < w->count; i++)
        most = fmin(most, room(w, i));
    const double best = curve > 0 ? slope / curve : INFINITY;
    const double t = fmin(best, most);
    if (!(slope > 0) || !(t > 0) || !isfinite(t))
        return false;
    move(w, t);
    return t >= most;
}

pt_status pt_smo_free_settle(const pt_smo_free *f, pt_error *err)
{
    work w = {.f = f, .count = f->n, .shift = SHIFT_LEAST};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    const size_t vector = pt_arena_need(f->n, sizeof(double));
    PT_TRY(pt_arena_init(&arena, pt_arena_need(f->n * f->n, sizeof(double)) + 4 * vector,
                         "a Newton step", err));
    w.L = pt_arena_take(&arena, f->n * f->n, sizeof(double));
    w.d = pt_arena_take(&arena, 2 * f->n, sizeof(double));
    w.list = pt_arena_take(&arena, f->n, sizeof(int64_t));
    for (int64_t i = 0; i < f->n; i++)
        w.list[i] = i;
    const int64_t least = f->bias ? 2 : 1;
    for (int64_t i = 0; i < MOST_STEPS && w.count >= least; i++)
        if (!step(&w))
            break;
    return PT_OK;
}
