/* Conjugate gradients over pairs: see pair_row.h.
 *
 * The dual of pair_row.h is 1 . alpha - 1/2 alpha . H alpha in a box, H the inner products of
 * Kesler's vectors, so that H p is the z of the functions u_r = sum_i tau(p)_ir x_i: a pass over
 * the examples that makes u, and one that reads it. As in MoreToraldo, for problems in a box, steps
 * of conjugate gradients go over the pairs that their bounds do not hold, as if there were no
 * bounds; here until these would take away much of the way w that comes out. It is then cut off at
 * them: with d = min(max(alpha + t w, 0), C) - alpha the dual is best at
 *
 *     alpha + b d ,   b = min(1, slope / ||u(d)||^2) ,   slope = sum_p d_p (1 - z_p) ,
 *
 * for t of CUTS, the best of which is taken. A gradient is divided by 2 ||x_i||^2, what one pair
 * alone is held by.
 *
 *   e        a place in the list of all entries of alpha, one example after the other
 *   r        1 - z of the pairs that may move, 0 of the others; less H w
 *   u        as v: k x d or d x k; and a bias
 *
 * Time: O(values) for each class of an example, twice for a step. Memory 8 d k, and 48 bytes for
 * each entry. */
#include "solvers/dual/pair_row.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"

enum {
    LANES = PT_CLASS_LANES,
    STEPS = 100, /* of conjugate gradients, at most */
    LOOK = 1024  /* examples between two looks at the clock */
};
static const double FALL = 1e-6; /* of r . r / ||x||^2: w is good enough */
/* Of the slope of w: where bounds leave less, it is time to learn which pairs they hold. On enron
 * (C = 1, a gap of 1e-3) 0.9 was done within the limit of visits, 0.6 and 0.97 were not. */
static const double KEPT = 0.9;
static const double LEAST = 0.5; /* of it: where bounds leave less, the last step is taken back */
static const double CUTS[] = {1, 0.25, 0.0625};
enum { N_CUTS = sizeof CUTS / sizeof *CUTS };

typedef struct climb {
    const pt_pair_state *s;
    int64_t n;
    int64_t k;
    int64_t m;          /* entries */
    int64_t *list;      /* n: the examples that have some */
    int64_t n_list;     /* how many */
    double *slope;      /* m: 1 - z */
    double *r;          /* m */
    double *p;          /* m: the way of this step; then d */
    double *q;          /* m: H p */
    double *w;          /* m */
    double *past;       /* m: w before the last step, exactly: that may be a very long one */
    pt_class_weights u; /* of p */
    double *u_bias;     /* k, padded */
    double *tau;        /* k, padded: of one example, 0 between them */
    double *some;       /* k, padded: of its classes */
    double *g;          /* k, padded: scores by class */
    pt_pair_classes classes;
    pt_arena arena; /* of these arrays, but the list */
} climb;

double pt_pair_climb_bytes(int64_t d, int64_t k, double listed)
{
    return 8 * pt_class_weights_cells(d, k) + 6 * sizeof(double) * listed + 64 * (double)k;
}

static void climb_free(climb *c)
{
    pt_pair_classes_free(&c->classes);
    pt_free(c->list);
    pt_arena_free(&c->arena);
}

static pt_status climb_init(climb *c, const pt_pair_state *s, pt_error *err)
{
    const pt_sparse_rows *alpha = s->alpha;
    *c = (climb){.s = s, .n = alpha->n, .k = s->weights->k, .u = *s->weights};
    const int64_t ld = pt_round_up(c->k, LANES);
    c->u.M = NULL;
    PT_TRY(PT_NEW(c->list, c->n, "examples", err));
    for (int64_t i = 0; i < c->n; i++)
        if (alpha->count[i] > 0 && s->weights->rows->square[i] + s->one > 0) {
            c->list[c->n_list++] = i;
            c->m += alpha->count[i];
        }
    PT_TRY(PT_ARENA(&c->arena, "pairs", err, PT_PIECE(c->slope, c->m), PT_PIECE(c->r, c->m),
                    PT_PIECE(c->p, c->m), PT_PIECE(c->q, c->m), PT_PIECE(c->w, c->m),
                    PT_PIECE(c->past, c->m), PT_PIECE(c->u.M, c->u.cells), PT_PIECE(c->u_bias, ld),
                    PT_PIECE(c->tau, ld), PT_PIECE(c->some, ld), PT_PIECE(c->g, ld)));
    memset(c->arena.base, 0, c->arena.size);
    return pt_pair_classes_init(&c->classes, c->k, err);
}

static double within(double value, double bound)
{
    return value > 0 ? value < bound ? value : bound : 0;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* u <- sum_i tau(way)_i x_i */
static pt_status form_functions(climb *c, const double *way, const pt_task *task, pt_error *err)
{
    memset(c->u.M, 0, (size_t)c->u.cells * sizeof(double));
    memset(c->u_bias, 0, (size_t)c->k * sizeof(double));
    for (int64_t a = 0; a < c->n_list; a++) {
        const int64_t i = c->list[a];
        const int64_t count = c->s->alpha->count[i];
        const pt_entry *row = pt_sparse_row(c->s->alpha, i);
        const int64_t classes = pt_pair_classes_of(&c->classes, row, count);
        for (int64_t e = 0; e < count; e++) {
            c->tau[pt_pair_before(row + e)] += way[e];
            c->tau[pt_pair_after(row + e)] -= way[e];
        }
        way += count;
        for (int64_t t = 0; t < classes; t++) {
            const int64_t r = c->classes.list[t].column;
            c->some[t] = c->tau[r];
            c->u_bias[r] += c->s->one * c->tau[r];
            c->tau[r] = 0;
        }
        c->s->loops->add(&c->u, i, c->classes.list, classes, c->some);
        if (a % LOOK == LOOK - 1)
            PT_TRY(pt_task_check(task, err));
    }
    return PT_OK;
}

/* z <- what the functions say of the pairs. */
static pt_status read_pairs(climb *c, const pt_class_weights *v, const double *bias, double *z,
                            const pt_task *task, pt_error *err)
{
    for (int64_t a = 0; a < c->n_list; a++) {
        const int64_t i = c->list[a];
        const int64_t count = c->s->alpha->count[i];
        const pt_entry *row = pt_sparse_row(c->s->alpha, i);
        const int64_t classes = pt_pair_classes_of(&c->classes, row, count);
        c->s->loops->scores(v, i, c->classes.list, classes, c->some);
        for (int64_t t = 0; t < classes; t++) {
            const int64_t r = c->classes.list[t].column;
            c->g[r] = c->some[t] + bias[r];
        }
        for (int64_t e = 0; e < count; e++)
            *z++ = c->g[pt_pair_before(row + e)] - c->g[pt_pair_after(row + e)];
        if (a % LOOK == LOOK - 1)
            PT_TRY(pt_task_check(task, err));
    }
    return PT_OK;
}

static double square_of(const climb *c)
{
    double square = pt_class_tables_chosen()->square(c->u.M, c->u.cells);
    for (int64_t r = 0; r < c->k; r++)
        square += c->u_bias[r] * c->u_bias[r];
    return square;
}

/* ---- the way --------------------------------------------------------------------------------- */

/* r <- 1 - z, or 0 of a pair that its bound holds. */
static pt_status begin(climb *c, const pt_task *task, pt_error *err)
{
    PT_TRY(read_pairs(c, c->s->weights, c->s->bias, c->slope, task, err));
    int64_t at = 0;
    for (int64_t a = 0; a < c->n_list; a++) {
        const int64_t i = c->list[a];
        const pt_entry *row = pt_sparse_row(c->s->alpha, i);
        const double bound = c->s->problem->bound[i];
        for (int64_t e = 0; e < c->s->alpha->count[i]; e++, at++) {
            const double slope = c->slope[at] = 1 - c->slope[at];
            const bool held = slope > 0 ? row[e].value >= bound : row[e].value <= 0;
            c->r[at] = held ? 0 : slope;
        }
    }
    return PT_OK;
}

/* p <- r / (2 ||x||^2) + beta p where r is of a pair that may move; returns r . r / (2 ||x||^2), by
 * which beta goes: last is that of the step before, 0: none. */
static double turn(climb *c, double last)
{
    double now = 0;
    int64_t at = 0;
    for (int pass = 0; pass < 2; pass++) {
        at = 0;
        for (int64_t a = 0; a < c->n_list; a++) {
            const int64_t i = c->list[a];
            const double hold = 1 / (2 * (c->s->weights->rows->square[i] + c->s->one));
            for (int64_t e = 0; e < c->s->alpha->count[i]; e++, at++)
                if (pass == 0)
                    now += c->r[at] * c->r[at] * hold;
                else
                    c->p[at] = c->r[at] * hold + (last > 0 ? now / last * c->p[at] : 0);
        }
    }
    return now;
}

static double dot(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t e = 0; e < count; e++)
        sum += a[e] * b[e];
    return sum;
}

/* d <- what the bounds leave of t w (d NULL: not kept); returns its slope. */
static double cut(const climb *c, double t, double *d)
{
    double slope = 0;
    int64_t at = 0;
    for (int64_t a = 0; a < c->n_list; a++) {
        const int64_t i = c->list[a];
        const pt_entry *row = pt_sparse_row(c->s->alpha, i);
        const double bound = c->s->problem->bound[i];
        for (int64_t e = 0; e < c->s->alpha->count[i]; e++, at++) {
            const double change = within(row[e].value + t * c->w[at], bound) - row[e].value;
            slope += change * c->slope[at];
            if (d)
                d[at] = change;
        }
    }
    return slope;
}

/* w <- w + step p, r <- r - step H p; what is held stays 0. */
static void go_along(climb *c, double step)
{
    for (int64_t e = 0; e < c->m; e++) {
        c->w[e] += step * c->p[e];
        c->r[e] -= c->r[e] != 0 ? step * c->q[e] : 0;
    }
}

/* w <- the best way without bounds, as far as they leave most of its slope: so that it leads up
 * when it is cut off. One step does so in any case, for each pair goes where its own slope says. */
static pt_status find_way(climb *c, int64_t *passes, const pt_task *task, pt_error *err)
{
    double first = 0;
    double square = 0;
    PT_TRY(begin(c, task, err));
    for (int t = 0; t < STEPS; t++) {
        square = turn(c, square);
        first = t == 0 ? square : first;
        if (square <= FALL * first)
            break;
        PT_TRY(form_functions(c, c->p, task, err));
        PT_TRY(read_pairs(c, &c->u, c->u_bias, c->q, task, err));
        ++*passes;
        const double curve = dot(c->p, c->q, c->m);
        if (!(curve > 0))
            break;
        memcpy(c->past, c->w, (size_t)c->m * sizeof *c->w);
        go_along(c, square / curve);
        const double kept = cut(c, 1, NULL) / dot(c->w, c->slope, c->m);
        if (kept >= KEPT)
            continue;
        if (!(kept > LEAST) && t > 0)
            memcpy(c->w, c->past, (size_t)c->m * sizeof *c->w);
        break;
    }
    return PT_OK;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* Along d; length: ||u(d)||^2. */
static double best_step(double slope, double length)
{
    return slope <= 0 ? 0 : slope < length ? slope / length : 1;
}

/* alpha <- alpha + step d, v <- v + step u */
static void move(climb *c, double step)
{
    int64_t at = 0;
    for (int64_t a = 0; a < c->n_list; a++) {
        const int64_t i = c->list[a];
        pt_entry *row = c->s->alpha->entry + c->s->alpha->at[i];
        const double bound = c->s->problem->bound[i];
        for (int64_t e = 0; e < c->s->alpha->count[i]; e++, at++) {
            row[e].value = within(row[e].value + step * c->p[at], bound);
        }
    }
    for (int64_t cell = 0; cell < c->u.cells; cell++)
        c->s->weights->M[cell] += step * c->u.M[cell];
    for (int64_t r = 0; r < c->k; r++)
        c->s->bias[r] += step * c->u_bias[r];
}

/* The best of CUTS, and its gain. */
static pt_status climb_along(climb *c, double *gain, const pt_task *task, pt_error *err)
{
    double best = 0;
    *gain = 0;
    for (int t = 0; t < N_CUTS; t++) {
        const double slope = cut(c, CUTS[t], c->p);
        PT_TRY(form_functions(c, c->p, task, err));
        const double length = square_of(c);
        const double step = best_step(slope, length);
        const double rise = step * (slope - 0.5 * step * length);
        if (rise > *gain) {
            *gain = rise;
            best = CUTS[t];
        }
    }
    if (best == 0)
        return PT_OK;
    const double slope = cut(c, best, c->p);
    PT_TRY(form_functions(c, c->p, task, err));
    move(c, best_step(slope, square_of(c)));
    return PT_OK;
}

pt_status pt_pair_climb(const pt_pair_state *state, double *gain, int64_t *passes,
                        const pt_task *task, pt_error *err)
{
    PT_FREED_BY(climb_free) climb c = {0};
    *gain = 0;
    *passes = 0;
    PT_TRY(climb_init(&c, state, err));
    if (c.m == 0)
        return PT_OK;
    PT_TRY(find_way(&c, passes, task, err));
    return climb_along(&c, gain, task, err);
}
