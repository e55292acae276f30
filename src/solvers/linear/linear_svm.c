/* The linear support vector machine by dual coordinate descent (Hsieh, Chang, Lin, Keerthi and
 * Sundararajan 2008).
 *
 * w = sum_i a_i y_i x_i is kept, so that the slope of -D along a_i, G_i = y_i w.x_i - 1, takes one
 * inner product, and the best place of a_i alone is known:
 *
 *     a_i <- min(max(a_i - G_i / ||x_i||^2, 0), u_i)
 *
 * A sweep does this to every active variable in a new random order. Variables at a bound whose
 * slope holds them there more firmly than the last sweep moved any other leave the active ones.
 *
 * The duality gap is a sum over variables, each term >= 0:
 *
 *     P(w) - D(a) = sum_i a_i max(G_i, 0) + (u_i - a_i) max(-G_i, 0)
 *
 * A sweep adds up its terms as it meets them, for nothing. Where this says that the gap may be
 * small enough it is measured: all slopes, at one w; and those say which variables are active from
 * there on. */
#include "solvers/linear/linear_svm.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/random.h"
#include "solvers/linear/linear_loops.h"

enum {
    PASSES = 2000,           /* the limit where none is given; where there are few rows, ... */
    MORE_PASSES = 20000,     /* ... this, but no more than ... */
    VISITS = 20000000,       /* ... so many visits; and where there are very few, ... */
    FEWEST_VISITS = 4000000, /* ... so many, a fraction of a second */
    PIECE = 1 << 16          /* visits between two looks at the clock */
};

static const double ROUNDING = 1e-12; /* of outputs, which shall not fall below 1 by it */

typedef struct dual_descent {
    const pt_linear_svm *problem;
    const pt_linear_loops *loops;
    pt_linear_column column;
    pt_random random;
    double *G;        /* n: slopes of the last measurement */
    int64_t n_active; /* in column.active */
    double above;     /* what the next sweep takes for settled */
    double below;
    double left;   /* the smallest slope of a variable that is not active, when it was left */
    double sum;    /* sum_i a_i */
    double square; /* ||w||^2 */
    double gap;    /* INFINITY: not measured since the last sweep */
    double scale;  /* of w, with which it was measured */
    int64_t visits;
} dual_descent;

static double dual_value(const dual_descent *s)
{
    return s->sum - 0.5 * s->square;
}

static void update_square(dual_descent *s)
{
    const double *w = s->column.w;
    s->square = 0;
    for (int64_t f = 0; f <= s->problem->rows->d; f++)
        s->square += w[f] * w[f];
}

/* P - D of the shortest multiple of w that has no loss, where the least margin is this. */
static double gap_without_loss(const dual_descent *s, double margin)
{
    return margin > 0 ? 0.5 * s->square / (margin * margin) - dual_value(s) : INFINITY;
}

/* ---- a sweep --------------------------------------------------------------------------------- */

static pt_status sweep(dual_descent *s, double *seen, const pt_task *task, pt_error *err)
{
    pt_linear_sweep now = {.above = s->above,
                           .below = s->below,
                           .most = -INFINITY,
                           .least = INFINITY,
                           .lowest = INFINITY,
                           .left = INFINITY};
    pt_random_shuffle(&s->random, s->column.active, s->n_active);
    for (int64_t from = 0; from < s->n_active; from += PIECE) {
        s->loops->sweep(&s->column, from, pt_lesser(from + PIECE, s->n_active), &now);
        PT_TRY(pt_task_check(task, err));
    }
    s->visits += s->n_active;
    s->n_active = now.kept;
    s->sum += now.rise;
    s->above = now.most > 0 ? now.most : INFINITY;
    s->below = now.least < 0 ? now.least : -INFINITY;
    update_square(s);
    s->gap = INFINITY;
    s->left = fmin(s->left, now.left);
    *seen = fmin(now.gap, gap_without_loss(s, fmin(now.lowest, s->left) + 1));
    if (!isfinite(dual_value(s)))
        return pt_fail(err, PT_ENUMERIC,
                       "the solution is too large to compute; lower `C` or scale the data");
    return PT_OK;
}

/* ---- the gap --------------------------------------------------------------------------------- */

static pt_status compute_slopes(dual_descent *s, const pt_task *task, pt_error *err)
{
    const int64_t n = s->problem->n;
    for (int64_t from = 0; from < n; from += PIECE) {
        const int64_t to = from + PIECE < n ? from + PIECE : n;
        s->loops->apply(&s->column, NULL, from, to, s->column.w, s->G);
        for (int64_t i = from; i < to; i++)
            s->G[i] -= 1;
        PT_TRY(pt_task_check(task, err));
    }
    return PT_OK;
}

/* Active are those that move, and those at a bound that hold no firmer than the others move. */
static void activate(dual_descent *s)
{
    const pt_linear_column *c = &s->column;
    double most = 0;
    double least = 0;
    for (int64_t i = 0; i < s->problem->n; i++) {
        if (c->a[i] > 0 && s->G[i] > most)
            most = s->G[i];
        if (c->a[i] < c->bound[i] && s->G[i] < least)
            least = s->G[i];
    }
    s->n_active = 0;
    s->left = INFINITY;
    for (int64_t i = 0; i < s->problem->n; i++)
        if (!(c->a[i] <= 0 && s->G[i] > most) && !(c->a[i] >= c->bound[i] && s->G[i] < least))
            c->active[s->n_active++] = i;
        else
            s->left = fmin(s->left, s->G[i]);
    s->above = most > 0 ? most : INFINITY;
    s->below = least < 0 ? least : -INFINITY;
}

/* gap <- P(scale w) - D(a) for the better of two scales: 1, and the one that leaves no loss, which
 * bounds that are huge would multiply. The active variables by their slopes. */
static pt_status measure(dual_descent *s, const pt_task *task, pt_error *err)
{
    const pt_linear_column *c = &s->column;
    PT_TRY(compute_slopes(s, task, err));
    double margin = INFINITY;
    s->gap = 0;
    s->sum = 0;
    for (int64_t i = 0; i < s->problem->n; i++) {
        s->sum += c->a[i];
        s->gap += s->G[i] > 0 ? c->a[i] * s->G[i] : (c->a[i] - c->bound[i]) * s->G[i];
        margin = s->G[i] + 1 < margin ? s->G[i] + 1 : margin;
    }
    s->scale = 1;
    if (gap_without_loss(s, margin) < s->gap) {
        s->gap = fmax(gap_without_loss(s, margin), 0);
        s->scale = (1 + ROUNDING) / margin;
    }
    s->visits += s->problem->n;
    activate(s);
    return PT_OK;
}

/* ---- the solver ------------------------------------------------------------------------------ */

static bool finished(const dual_descent *s)
{
    return s->gap <= s->problem->gap * dual_value(s) || s->gap == 0;
}

static double limit_of_visits(const pt_linear_svm *p)
{
    const double n = (double)p->n;
    const double more = fmin(fmax(MORE_PASSES * n, FEWEST_VISITS), VISITS);
    return p->limit > 0 ? (double)p->limit * n : fmax(PASSES * n, more);
}

static pt_status descend(dual_descent *s, const pt_task *task, pt_error *err)
{
    const pt_linear_svm *p = s->problem;
    const double limit = limit_of_visits(p);
    for (;;) {
        double seen = 0;
        PT_TRY(sweep(s, &seen, task, err));
        const bool last = (double)s->visits >= limit || pt_task_turn_ends(task, p->turn);
        if (last || seen <= p->gap * dual_value(s))
            PT_TRY(measure(s, task, err));
        if (last || finished(s))
            return PT_OK;
    }
}

/* w in the order of the features, as it was measured. */
static void write_weights(const dual_descent *s, double *w)
{
    const pt_linear_rows *rows = s->problem->rows;
    for (int64_t f = 0; f < rows->d; f++)
        w[rows->order ? rows->order[f] : f] = s->scale * s->column.w[f];
    w[rows->d] = s->scale * s->column.w[rows->d];
}

pt_status pt_linear_svm_solve(const pt_linear_svm *problem, double *a, double *w,
                              pt_linear_svm_result *result, const pt_task *task, pt_error *err)
{
    const int64_t n = problem->n;
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    double *placed = NULL;
    int64_t *active = NULL;
    double *G = NULL;
    PT_TRY(PT_ARENA(&arena, "weights", err, PT_PIECE(placed, problem->rows->d + 1),
                    PT_PIECE(active, n), PT_PIECE(G, n)));
    memset(placed, 0, (size_t)(problem->rows->d + 1) * sizeof *placed);
    dual_descent s = {.problem = problem,
                      .loops = pt_linear_loops_for(problem->rows),
                      .column = {.rows = problem->rows,
                                 .row = problem->row,
                                 .y = problem->y,
                                 .bound = problem->bound,
                                 .a = a,
                                 .w = placed,
                                 .active = active},
                      .G = G,
                      .n_active = n,
                      .above = INFINITY,
                      .below = -INFINITY,
                      .left = INFINITY,
                      .scale = 1};
    pt_random_init(&s.random, problem->seed, PT_RANDOM_DESCENT, problem->column);
    for (int64_t i = 0; i < n; i++) {
        active[i] = i;
        a[i] = 0;
    }
    if (n > 0)
        PT_TRY(descend(&s, task, err));
    write_weights(&s, w);
    *result = (pt_linear_svm_result){dual_value(&s), s.gap, s.visits, finished(&s)};
    return PT_OK;
}
