/* Linear SPOC: the dual of the multiclass support vector machines of Crammer and Singer (CS section
 * 5) and of Weston and Watkins, by descent over examples with M kept.
 *
 *     M_r  = sum_i tau_ir x_i ,     g_ir = b_ir + M_r . x_i      the gradient
 *     CS:  gap = sum_i sum_r eta_ir (max_s g_is - g_ir)
 *     WW:  gap = sum_i sum_{r != y} (C_i max(g_ir - g_iy, 0) - eta_ir (g_ir - g_iy))
 *
 * as in spoc.c; with M a row's gradient costs one inner product a class, and no kernel value is
 * ever needed. A stage:
 *
 *   (1) all examples are looked at with all classes, and solved on the way. Every one gets a list
 *       of the few classes that matter to it: those of its support, and those that could enter it.
 *       Examples with nothing to move are left out;
 *   (2) sweeps over the others in random order (spoc_linear_order.c); each one's reduced problem
 *       over its list is solved exactly (simplex_row.c, box_row.c) and M follows. Classes and
 *       examples that have become settled are left out too, at once: (1) brings them back. The gap
 *       is added up in passing, and when it has become RHO of what it was, the stage ends;
 *   (3) every few sweeps all go on together (spoc_linear_leap.c).
 *
 * Where what was added up says that the gap may be small enough, it is measured: all gradients at
 * one M, shared out among threads. That alone decides the end.
 *
 * Between two measurements M may move in float, where rows are of float: the loops wait for memory,
 * and M in float is half of it. A measurement forms M anew, in double; when it finds a small gap,
 * or none that has become better, M moves in double from there on.
 *
 * On letter, usps, isolet and news20 an example has 2.5 to 5 classes on its list, of 10 to 26, and
 * on usps one example in seven is active.
 *
 *   eta      n rows, sparse
 *   M        k x d or d x k, doubles; and floats (spoc_linear_loops.h)
 *   listed   the examples that a stage begins with; active: those that are left
 *
 * Time: O(values) for each class of an example that is looked at; memory 16 d k bytes. */
#include "solvers/dual/spoc_linear.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "solvers/dual/box_descent.h"
#include "solvers/dual/spoc_linear_solver.h"
#include "solvers/dual/spoc_solver.h"

enum {
    LANES = PT_CLASS_LANES,
    BATCH = 1 << 16,   /* gradients that are measured together */
    PIECE = 32,        /* examples that a thread takes at a time */
    SWEEPS = 20,       /* of a stage, at most; twice as many where that was not enough, ... */
    MOST_SWEEPS = 320, /* ... up to so many */
    LEAP_EVERY = 3,    /* sweeps between two leaps, at least */
    MEASURE = 4,       /* stages between two measurements, at most */
    STILL = 5, /* measurements without progress after which it is as good as rounding allows */
    VISITS = 4000000, /* the limit: so many, and so many more for each example */
    VISITS_EACH = 2000
};
static const double SAID = 0.5; /* a gap is told once it has fallen by this */
static const double RHO = 0.3;
/* Of the gap that is asked for: at this the active ones, which end a sweep below it, are left. */
static const double OWN_SHARE = 1;
static const double LESS_SHARE = 0.7; /* of that, where it was not enough */
static const double RISE = 1e-10;     /* relative: less is no progress */
static const double FALL = 0.1;
static const double LOW_GAP = 1e-4; /* relative: above it M moves in float */
static const double LOW_MOST = 1e30;
static const double ROUNDING = 1e-12; /* of margins, which shall not fall below 1 by it */

/* ---- set-up ------------------------------------------------------------------------------------
 */

static int64_t padded(int64_t k)
{
    return (k + LANES - 1) / LANES * LANES;
}

double pt_spoc_linear_bytes(int64_t n, int64_t d, int64_t k)
{
    const double listed = (double)(k < PT_SPOC_LISTED ? k : PT_SPOC_LISTED);
    return 16 * pt_class_weights_cells(d, k) + 8.0 * BATCH + 200 * (double)k +
           (double)n * (200 + 2 * sizeof(pt_entry) * listed) + pt_spoc_linear_mixed_bytes(n, d);
}

static void solver_free(pt_spoc_linear_solver *s)
{
    pt_free(s->weights.M);
    pt_free(s->past_M);
    pt_sparse_rows_free(&s->past);
    pt_free(s->listed);
    pt_free(s->order);
    pt_free(s->stays);
    pt_free(s->g);
    pt_free(s->list);
    pt_free(s->batch);
}

static pt_status solver_init(pt_spoc_linear_solver *s, const pt_spoc *p, const pt_linear_rows *rows,
                             bool mixed, uint64_t seed, pt_sparse_rows *eta, pt_error *err)
{
    const int64_t ld = padded(p->k);
    s->p = p;
    s->eta = eta;
    s->scale = 1;
    s->most_sweeps = SWEEPS;
    s->best_gap = INFINITY;
    s->said = INFINITY;
    s->best_value = -INFINITY;
    s->limit = p->limit > 0 ? p->limit : VISITS + VISITS_EACH * p->n;
    if (!pt_class_weights_plan(&s->weights, rows, p->k))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    s->tables = pt_class_tables_chosen();
    s->exact = pt_class_loops_for(&s->weights, false);
    s->batch_rows = BATCH / ld > PIECE ? BATCH / ld : PIECE;
    pt_random_init(&s->random, seed, PT_RANDOM_DESCENT, 0);
    PT_TRY(pt_sparse_rows_init(&s->past, p->n, err));
    s->weights.M = pt_alloc(s->weights.cells, sizeof(double), "weights", err);
    s->past_M = pt_alloc(s->weights.cells, sizeof(double), "weights", err);
    s->listed = pt_alloc(2 * p->n, sizeof(int64_t), "active examples", err);
    s->stays = pt_alloc(p->n, 1, "active examples", err);
    s->order = mixed ? pt_alloc(p->n + p->n / PT_SPOC_TOGETHER + 1, sizeof(int64_t),
                                "active examples", err)
                     : NULL;
    s->g = pt_alloc(4 * ld, sizeof(double), "a row", err);
    s->list = pt_alloc(2 * ld, sizeof(pt_entry), "a row", err);
    s->batch = pt_alloc(s->batch_rows * ld, sizeof(double), "gradients", err);
    if (!s->weights.M || !s->past_M || !s->listed || !s->stays || (mixed && !s->order) || !s->g ||
        !s->list || !s->batch)
        return PT_ENOMEM;
    s->weights.low = (float *)s->past_M;
    s->past_low = s->weights.low + s->weights.cells;
    s->active = s->listed + p->n;
    s->next = s->g + ld;
    s->change = s->next + ld;
    s->work = s->change + ld;
    return PT_OK;
}

/* M from eta, so that rounding does not add up; returns whether that is not 0. */
static bool form_weights(pt_spoc_linear_solver *s)
{
    const pt_spoc *p = s->p;
    bool some = false;
    memset(s->weights.M, 0, (size_t)s->weights.cells * sizeof(double));
    for (int64_t i = 0; i < p->n; i++) {
        const pt_entry *row = pt_sparse_row(s->eta, i);
        const int64_t count = s->eta->count[i];
        double others = 0;
        int64_t listed = 0;
        for (int64_t c = 0; c < count; c++)
            if (row[c].column != p->class_of[i] && row[c].value != 0) {
                s->list[listed] = row[c];
                s->change[listed++] = -row[c].value;
                others += row[c].value;
            }
        if (listed == 0)
            continue;
        s->list[listed].column = p->class_of[i];
        s->change[listed++] = others;
        s->exact->add(&s->weights, i, s->list, listed, s->change);
        some = true;
    }
    return some;
}

/* ---- the gap -----------------------------------------------------------------------------------
 */

typedef struct some_rows {
    const pt_spoc_linear_solver *s;
    int64_t from;
    int64_t to;
} some_rows;

static pt_status gradients_body(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const some_rows *b = context;
    const pt_spoc *p = b->s->p;
    const int64_t ld = padded(p->k);
    const int64_t begin = b->from + piece * PIECE;
    const int64_t end = begin + PIECE < b->to ? begin + PIECE : b->to;
    for (int64_t i = begin; i < end; i++) {
        double *g = b->s->batch + (i - b->from) * ld;
        b->s->exact->scores(&b->s->weights, i, NULL, p->k, g);
        for (int64_t r = 0; r < p->k; r++)
            g[r] += pt_spoc_cost(p, i, r);
    }
    return PT_OK;
}

static double least_margin(const pt_spoc *p, int64_t i, const double *g, double margin)
{
    const int64_t y = p->class_of[i];
    for (int64_t r = 0; r < p->k && margin > 0; r++) {
        const double b = pt_spoc_cost(p, i, r);
        const double ahead = g[y] - (g[r] - b);
        if (b > 0)
            margin = fmin(margin, ahead / b);
        else if (r != y && ahead < 0)
            margin = -1;
    }
    return margin;
}

/* mass - 1/2 ||M||^2, of M that is measured, or that moves: there the mass is known. */
static pt_status compute_value(pt_spoc_linear_solver *s, bool measured, pt_error *err)
{
    if (measured)
        s->mass = 0;
    for (int64_t i = 0; i < s->p->n && measured; i++)
        s->mass += pt_spoc_linear_mass(s, s->eta, i);
    s->square = s->low && !measured ? s->tables->square_low(s->weights.low, s->weights.cells)
                                    : s->tables->square(s->weights.M, s->weights.cells);
    s->value = s->mass - 0.5 * s->square;
    if (isfinite(s->value))
        return PT_OK;
    return pt_fail(err, PT_ENUMERIC,
                   "the solution is too large to compute; lower --C or scale the data");
}

/* margins->least of the class of example i, from its gradients. */
static void note_row(const pt_spoc *p, int64_t i, const double *g)
{
    const int64_t y = p->class_of[i];
    double *least = p->margins->least + y * p->k;
    for (int64_t r = 0; r < p->k; r++)
        least[r] = fmin(least[r], g[y] - (g[r] - pt_spoc_cost(p, i, r)));
}

/* value, gap and scale at one M; the classes of every example, and the examples of the next
 * stage. */
static pt_status measure(pt_spoc_linear_solver *s, const pt_task *task, pt_error *err)
{
    const pt_spoc *p = s->p;
    const int64_t ld = padded(p->k);
    double margin = INFINITY; /* min_ir (f_iy - f_ir) / b_ir */
    double gap = 0;
    (void)form_weights(s);
    pt_status status = compute_value(s, true, err);
    s->n_listed = 0;
    for (int64_t c = 0; c < p->k * p->k && p->margins; c++)
        p->margins->least[c] = INFINITY;
    for (int64_t from = 0; from < p->n && status == PT_OK; from += s->batch_rows) {
        const int64_t to = from + s->batch_rows < p->n ? from + s->batch_rows : p->n;
        some_rows batch = {s, from, to};
        status =
            pt_parallel_for(task, (to - from + PIECE - 1) / PIECE, gradients_body, &batch, err);
        for (int64_t i = from; i < to && status == PT_OK; i++) {
            const double *g = s->batch + (i - from) * ld;
            if (p->margins)
                note_row(p, i, g);
            if (p->bound[i] <= 0)
                continue;
            margin = least_margin(p, i, g, margin);
            const int64_t count = pt_spoc_linear_relist(s, i, g, false, &gap);
            if (count > 1)
                s->listed[s->n_listed++] = i;
            if (count > 0)
                status = pt_sparse_rows_set(s->eta, i, s->list, count, err);
        }
    }
    s->gap = gap;
    s->scale = 1;
    const double lossless = 0.5 * s->square / (margin * margin) - s->value;
    if (margin > 0 && isfinite(margin) && s->square > 0 && lossless < s->gap) {
        s->gap = fmax(lossless, 0);
        s->scale = (1 + ROUNDING) / margin;
    }
    return status;
}

/* ---- the solver --------------------------------------------------------------------------------
 */

static bool reached(const pt_spoc_linear_solver *s)
{
    return s->gap <= s->p->gap * s->value || s->gap == 0;
}

/* Progress, and words where the gap has halved since the last. */
static void report(pt_spoc_linear_solver *s, const char *stage, bool measured, const pt_task *task)
{
    const double now = s->value > 0 ? s->gap / s->value : INFINITY;
    if (!stage)
        return;
    pt_task_progress(task, stage, pt_box_progress(now, s->p->gap), 1);
    if (!(now <= SAID * s->said || (measured && reached(s))))
        return;
    s->said = now;
    pt_task_say(task, PT_INFO,
                "%s: dual %.9g, primal %s%.9g, relative gap %.2g; %lld of %lld examples active",
                stage, s->value, measured ? "" : "near ", s->value + s->gap, now,
                (long long)s->n_listed, (long long)s->p->n);
}

/* Sweeps between two leaps: more where those cost as much, as for many features in short rows. */
static int64_t leap_every(const pt_spoc_linear_solver *s)
{
    const pt_linear_rows *rows = s->weights.rows;
    int64_t work = 1;
    for (int64_t a = 0; a < s->n_listed; a++) {
        const int64_t i = s->listed[a];
        const int64_t values = rows->dense ? rows->d : rows->start[i + 1] - rows->start[i];
        work += values * s->eta->count[i];
    }
    return LEAP_EVERY + s->weights.cells / work;
}

/* Sweeps, until the gap of the active ones is `aim`; seen <- what it is. */
static pt_status descend(pt_spoc_linear_solver *s, double aim, double *seen, const pt_task *task,
                         pt_error *err)
{
    const int64_t every = leap_every(s);
    memcpy(s->active, s->listed, (size_t)s->n_listed * sizeof *s->active);
    s->m = s->n_listed;
    pt_status status = pt_spoc_linear_remember(s, err);
    for (int64_t t = 1; status == PT_OK; t++) {
        status = pt_spoc_linear_sweep(s, seen, task, err);
        if (*seen <= aim || s->m == 0 || s->visits >= s->limit || pt_task_ends_early(task))
            break;
        if (t >= s->most_sweeps) {
            s->most_sweeps = 2 * t < MOST_SWEEPS ? 2 * t : MOST_SWEEPS;
            break;
        }
        if (status == PT_OK && t % every == 0)
            status = pt_spoc_linear_leap(s, err);
    }
    return status;
}

/* Whether gap and value have not become better for STILL measurements. */
static bool stalled(pt_spoc_linear_solver *s)
{
    const bool better =
        s->gap < (1 - FALL) * s->best_gap || s->value > s->best_value + RISE * fabs(s->best_value);
    s->still = better ? 0 : s->still + 1;
    s->best_gap = fmin(s->best_gap, s->gap);
    s->best_value = fmax(s->best_value, s->value);
    return s->still >= STILL;
}

/* Whether M may move in float at first: rows are of float, and no number comes near what that can
 * hold. |M_r . x_i| <= sum_j C_j ||x_j|| ||x_i|| . */
static bool may_be_low(const pt_spoc_linear_solver *s)
{
    const pt_linear_rows *rows = s->weights.rows;
    double square = 0;
    double mass = 0;
    for (int64_t i = 0; i < s->p->n; i++) {
        square = fmax(square, rows->square[i]);
        mass += s->p->bound[i];
    }
    return rows->type == PT_F32 && mass * (square + 1) < LOW_MOST;
}

/* After a measurement, or at first: M moves in float while the gap is far above what that can tell,
 * and for as long as it falls. */
static void choose_precision(pt_spoc_linear_solver *s, bool low)
{
    s->low = low;
    s->loops = pt_class_loops_for(&s->weights, low);
    if (low)
        s->tables->narrow(s->weights.M, s->weights.cells, s->weights.low);
}

static pt_status solve(pt_spoc_linear_solver *s, const char *stage, const pt_task *task,
                       pt_error *err)
{
    double share = OWN_SHARE;
    bool measured = form_weights(s);
    pt_status status = PT_OK;
    choose_precision(s, may_be_low(s));
    for (int64_t t = 0; status == PT_OK; t++) {
        status = measured ? measure(s, task, err) : pt_spoc_linear_sweep_all(s, task, err);
        if (status == PT_OK && !measured)
            status = compute_value(s, false, err);
        if (status != PT_OK)
            break;
        report(s, stage, measured, task);
        if (measured && (reached(s) || stalled(s) || s->visits >= s->limit || s->n_listed == 0 ||
                         (t > 0 && pt_task_ends_early(task))))
            break;
        if (measured && s->low)
            choose_precision(s, s->still == 0 && s->gap > LOW_GAP * s->value);
        share *= measured && s->gap < 2 * s->p->gap * s->value ? LESS_SHARE : 1;
        double seen = s->gap;
        const double goal = share * s->p->gap * s->value;
        status = descend(s, fmax(RHO * s->gap, goal), &seen, task, err);
        measured = seen <= goal || s->m == 0 || s->visits >= s->limit ||
                   t % MEASURE == MEASURE - 1 || pt_task_ends_early(task);
    }
    return status;
}

/* Entries of 0 leave eta; returns how many support patterns there are. */
static int64_t strip(pt_spoc_linear_solver *s)
{
    int64_t patterns = 0;
    for (int64_t i = 0; i < s->p->n; i++) {
        pt_entry *row = s->eta->entry + s->eta->at[i];
        int64_t kept = 0;
        for (int64_t c = 0; c < s->eta->count[i]; c++)
            if (row[c].value != 0)
                row[kept++] = row[c];
        s->eta->count[i] = kept;
        patterns += kept > 1 || (kept == 1 && row->column != s->p->class_of[i]);
    }
    return patterns;
}

/* M in the order of the features, as it was measured. */
static void write_weights(const pt_spoc_linear_solver *s, double *M)
{
    const pt_class_weights *w = &s->weights;
    const int64_t d = w->rows->d;
    for (int64_t r = 0; r < s->p->k; r++)
        for (int64_t f = 0; f < d; f++)
            M[r * d + (w->rows->order ? w->rows->order[f] : f)] =
                s->scale * (w->by_class ? w->M[r * w->ld + f] : w->M[f * w->ld + r]);
}

/* The rest of the margins, of M as it was written. */
static void finish_margins(const pt_spoc_linear_solver *s, const double *M)
{
    const pt_spoc_margins *margins = s->p->margins;
    const int64_t k = s->p->k;
    const int64_t d = s->weights.rows->d;
    double square = 0;
    for (int64_t i = 0; i < s->p->n; i++)
        square = fmax(square, s->weights.rows->square[i]);
    s->p->margins->radius = sqrt(square);
    for (int64_t c = 0; c < k * k; c++)
        margins->least[c] *= s->scale;
    for (int64_t r = 0; r < k; r++)
        for (int64_t q = 0; q <= r; q++) {
            double product = 0;
            for (int64_t f = 0; f < d; f++)
                product += M[r * d + f] * M[q * d + f];
            margins->product[r * k + q] = margins->product[q * k + r] = product;
        }
}

/* `mixed`: the examples are in random order. */
static pt_status solve_problem(const pt_spoc *problem, const pt_linear_rows *rows, bool mixed,
                               uint64_t seed, pt_sparse_rows *eta, double *M,
                               pt_spoc_result *result, const char *stage, const pt_task *task,
                               pt_error *err)
{
    PT_FREED_BY(solver_free) pt_spoc_linear_solver s = {0};
    PT_TRY(solver_init(&s, problem, rows, mixed, seed, eta, err));
    PT_TRY(pt_spoc_begin(problem, eta, err));
    PT_TRY(solve(&s, stage, task, err));
    write_weights(&s, M);
    if (problem->margins)
        finish_margins(&s, M);
    *result = (pt_spoc_result){s.value, s.gap, s.visits, s.sweeps, strip(&s), reached(&s)};
    return PT_OK;
}

pt_status pt_spoc_linear_solve(const pt_spoc *problem, const pt_linear_rows *rows, uint64_t seed,
                               pt_sparse_rows *eta, double *M, pt_spoc_result *result,
                               const char *stage, const pt_task *task, pt_error *err)
{
    if (!pt_spoc_linear_wants_mixing(problem, rows))
        return solve_problem(problem, rows, false, seed, eta, M, result, stage, task, err);
    pt_spoc_mixed mixed = {0};
    pt_status status = pt_spoc_linear_mix(&mixed, problem, rows, seed, err);
    int64_t *work =
        status == PT_OK ? pt_alloc(problem->n, sizeof(int64_t), "mixed examples", err) : NULL;
    if (work) {
        pt_sparse_rows_reorder(eta, mixed.from, false, work);
        status = solve_problem(&mixed.problem, &mixed.rows, true, seed, eta, M, result, stage, task,
                               err);
        pt_sparse_rows_reorder(eta, mixed.from, true, work);
    } else if (status == PT_OK) {
        status = PT_ENOMEM;
    }
    pt_free(work);
    pt_spoc_linear_mixed_free(&mixed);
    return status;
}
