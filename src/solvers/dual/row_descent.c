/* Descent over rows with the weights kept, for any row problem: see row_descent.h.
 *
 * With M a row's gradient costs one inner product a class, and no kernel value is ever needed. A
 * stage:
 *
 *   (1) all rows are looked at with all classes, and solved on the way. Every one gets a list of
 *       the few variables that matter to it: those that are not 0, and those that want to be. Rows
 *       with nothing to move are left out;
 *   (2) sweeps over the others in random order; each one's problem over its list is solved and M
 *       follows. Variables and rows that have become settled are left out too, at once: (1) brings
 *       them back. The gap is added up in passing, and when it has become RHO of what it was, the
 *       stage ends;
 *   (3) between sweeps all rows go on together (class_rows.c: leaps; pair_climb.c: conjugate
 *       gradients).
 *
 * Where what was added up says that the gap may be small enough, it is measured: all gradients at
 * one M that is formed anew, shared out among threads. That alone decides the end.
 *
 * Between two measurements M may move in float, where rows are of float and the row problem allows
 * it: the loops wait for memory, and M in float is half of it. When a measurement finds a small
 * gap, or none that has become better, M moves in double from there on.
 *
 * The primal has a second value that needs no slack: M scaled until no margin is below 1. It is
 * used where it is smaller.
 *
 * The order of visits. A random order is what descent wants. What a row needs then comes from as
 * many places in memory as there are arrays, and for short rows that is what the time goes to, for
 * as long as it is more than the second-level cache has. There the rows themselves are mixed once,
 * before they come here (spoc_linear.c), and visited in blocks of PT_ROWS_TOGETHER neighbours, of
 * which only the order is random: on letter hardly more visits, each a sixth shorter. Neighbours in
 * a file would not do: files are often sorted by class. Long rows are where their own time goes:
 * these are visited one by one in random order.
 *
 *   dual     n rows, sparse: eta or alpha of the row problem
 *   M        k x d or d x k, doubles; and floats (class_weights.h); bias: k
 *   listed   the rows that a stage begins with; active: those that are left
 *
 * Time: O(values) for each class of a row that is looked at. The same bytes for any number of
 * threads. */
#include "solvers/dual/row_descent.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"

enum {
    TOGETHER = PT_ROWS_TOGETHER,
    MANY = 4096,     /* rows: what fewer of them need stays in cache in any order */
    BATCH = 1 << 16, /* gradients that are measured together */
    PIECE = 32,      /* rows that a thread takes at a time */
    MEASURE = 4,     /* stages between two measurements, at most */
    STILL = 5,       /* measurements without progress after which it is enough */
    LOOK = 1024,     /* visits between two looks at the clock */
    NEAR = 4,        /* visits ahead that a row's list and values are fetched, ... */
    AHEAD = 12       /* ... and what tells where they are */
};
static const double RHO = 0.3;
static const double RISE = 1e-10; /* relative: less is no progress */
static const double FALL = 0.1;
static const double LOW_GAP = 1e-4; /* relative: above it M moves in float */
static const double LOW_MOST = 1e30;
static const double ROUNDING = 1e-12; /* of margins, which shall not fall below 1 by it */

/* ---- set-up ---------------------------------------------------------------------------------- */

double pt_row_descent_bytes(int64_t n, int64_t d, int64_t k)
{
    return 8 * pt_class_weights_cells(d, k) + 8.0 * BATCH + 100 * (double)k + 100 * (double)n;
}

void pt_row_descent_free(pt_row_descent *s)
{
    pt_free(s->weights.M);
    pt_free(s->bias);
    pt_free(s->listed);
    pt_free(s->order);
    pt_free(s->stays);
    pt_free(s->classes);
    pt_free(s->batch);
}

pt_status pt_row_descent_init(pt_row_descent *s, const pt_linear_rows *rows, bool mixed,
                              int64_t limit, uint64_t seed, pt_error *err)
{
    const int64_t n = s->n = rows->n;
    const int64_t ld = pt_class_padded(s->k);
    s->scale = 1;
    s->parts = 1;
    s->end.said = INFINITY;
    s->most_sweeps = s->rules->sweeps;
    s->limit = limit > 0 ? limit : s->rules->visits + s->rules->visits_each * n;
    if (!pt_class_weights_plan(&s->weights, rows, s->k))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    s->tables = pt_class_tables_chosen();
    s->exact = s->loops = pt_class_loops_for(&s->weights, false);
    s->batch_rows = BATCH / ld > PIECE ? BATCH / ld : PIECE;
    s->batch_rows = s->batch_rows < n ? s->batch_rows : n;
    pt_random_init(&s->random, seed, PT_RANDOM_DESCENT, 0);
    s->weights.M = pt_alloc_zero(s->weights.cells, sizeof(double), "weights", err);
    s->bias = pt_alloc_zero(3 * ld, sizeof(double), "a row", err);
    s->listed = pt_alloc(2 * n, sizeof(int64_t), "active rows", err);
    s->stays = pt_alloc(n, 1, "active rows", err);
    s->order = mixed ? pt_alloc(n + n / TOGETHER + 1, sizeof(int64_t), "active rows", err) : NULL;
    s->classes = pt_alloc(ld, sizeof(pt_entry), "a row", err);
    s->batch = pt_alloc(s->batch_rows * ld, sizeof(double), "gradients", err);
    if (!s->weights.M || !s->bias || !s->listed || !s->stays || (mixed && !s->order) ||
        !s->classes || !s->batch)
        return PT_ENOMEM;
    s->g = s->bias + ld;
    s->change = s->g + ld;
    s->active = s->listed + n;
    return PT_OK;
}

/* ---- M and the dual value -------------------------------------------------------------------- */

void pt_row_descent_move(pt_row_descent *s, int64_t i, int64_t count)
{
    s->loops->add(&s->weights, i, s->classes, count, s->change);
    for (int64_t c = 0; c < count && s->one != 0; c++)
        s->bias[s->classes[c].column] += s->one * s->change[c];
}

static pt_status move_all(bool *some, pt_row_descent *s, pt_error *err)
{
    for (int64_t i = 0; i < s->n; i++) {
        PT_TRY(pt_task_check_at(s->task, i, err));
        const int64_t count = s->rules->tau(s, i);
        if (count > 0)
            pt_row_descent_move(s, i, count);
        *some |= count > 0;
    }
    return PT_OK;
}

pt_status pt_row_descent_form(bool *some, pt_row_descent *s, pt_error *err)
{
    const pt_class_loops *moving = s->loops;
    *some = false;
    memset(s->weights.M, 0, (size_t)s->weights.cells * sizeof(double));
    memset(s->bias, 0, (size_t)s->k * sizeof(double));
    s->loops = s->exact;
    const pt_status status = move_all(some, s, err);
    s->loops = moving;
    return status;
}

/* mass - 1/2 ||M||^2, of the M that is measured, or of the one that moves. */
static pt_status find_value(pt_row_descent *s, bool measured, pt_error *err)
{
    s->square = s->low && !measured ? s->tables->square_low(s->weights.low, s->weights.cells)
                                    : s->tables->square(s->weights.M, s->weights.cells);
    for (int64_t r = 0; r < s->k && s->one != 0; r++)
        s->square += s->bias[r] * s->bias[r];
    s->end.value = s->mass - 0.5 * s->square;
    return pt_dual_check(&s->end, err);
}

pt_status pt_row_descent_value(pt_row_descent *s, pt_error *err)
{
    s->mass = 0;
    for (int64_t i = 0; i < s->n; i++) {
        PT_TRY(pt_task_check_at(s->task, i, err));
        s->mass = s->rules->add_mass(s, i, s->mass);
    }
    return find_value(s, true, err);
}

/* Whether M may move in float at first: rows are of float, and no number comes near what that can
 * hold. |M_r . x_i| <= sum_j C_j ||x_j|| ||x_i|| . */
static bool may_be_low(const pt_row_descent *s)
{
    const pt_linear_rows *rows = s->weights.rows;
    double square = 0;
    double mass = 0;
    for (int64_t i = 0; i < s->n; i++) {
        square = fmax(square, rows->square[i]);
        mass += s->bound[i];
    }
    return s->weights.low && rows->type == PT_F32 && mass * (square + 1) < LOW_MOST;
}

/* M moves in float while the gap is far above what that can tell, and for as long as it falls. */
static void choose_precision(pt_row_descent *s, bool low)
{
    s->low = low;
    s->loops = pt_class_loops_for(&s->weights, low);
    if (low)
        s->tables->narrow(s->weights.M, s->weights.cells, s->weights.low);
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

bool pt_rows_want_mixing(const pt_linear_rows *rows)
{
    return rows->dense && rows->d < PT_CLASS_LONG && rows->n >= MANY;
}

void pt_row_shuffle(pt_random *random, int64_t *items, int64_t n)
{
    if (n > INT32_MAX) {
        pt_random_shuffle(random, items, n);
        return;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = (int64_t)(((uint64_t)pt_random_u32(random) * (uint64_t)(i + 1)) >> 32);
        const int64_t moved = items[i];
        items[i] = items[j];
        items[j] = moved;
    }
}

/* The active rows in the order in which they are to be visited. */
static const int64_t *arrange(pt_row_descent *s)
{
    const int64_t blocks = (s->m + TOGETHER - 1) / TOGETHER;
    int64_t at = 0;
    if (!s->order || s->m < MANY) {
        s->rules->shuffle(&s->random, s->active, s->m);
        return s->active;
    }
    int64_t *block = s->order + s->n; /* room for all blocks */
    for (int64_t b = 0; b < blocks; b++)
        block[b] = b;
    s->rules->shuffle(&s->random, block, blocks);
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t from = block[b] * TOGETHER;
        const int64_t to = from + TOGETHER < s->m ? from + TOGETHER : s->m;
        for (int64_t a = from; a < to; a++)
            s->order[at++] = s->active[a];
    }
    return s->order;
}

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

/* Rows come in random order: what the next ones begin with is asked for before it is waited for. In
 * blocks of neighbours what is in short arrays comes by itself. */
static void fetch_ahead(const pt_row_descent *s, const int64_t *visited, int64_t a, int64_t m)
{
    if (a + AHEAD < m && visited != s->order) {
        const int64_t i = visited[a + AHEAD];
        __builtin_prefetch(s->dual->at + i);
        __builtin_prefetch(s->dual->count + i);
        __builtin_prefetch(s->bound + i);
        __builtin_prefetch(s->weights.rows->square + i);
        if (s->class_of)
            __builtin_prefetch(s->class_of + i);
    }
    const int64_t near = visited == s->order ? TOGETHER : NEAR;
    if (a + near < m) {
        const int64_t i = visited[a + near];
        __builtin_prefetch(pt_sparse_row(s->dual, i));
        __builtin_prefetch(pt_sparse_row(s->dual, i) + 3);
        fetch_values(s->weights.rows, i);
    }
}

/* kept <- those of the active rows that stay; returns how many. */
static int64_t keep_staying(const pt_row_descent *s, int64_t *kept)
{
    int64_t count = 0;
    for (int64_t a = 0; a < s->m; a++) {
        const int64_t i = s->active[a];
        kept[count] = i;
        count += s->stays[i];
    }
    return count;
}

pt_status pt_row_descent_sweep(pt_row_descent *s, double *seen, pt_error *err)
{
    bool (*const visit)(pt_row_descent *, int64_t, double *) = s->rules->visit;
    const int64_t *visited = arrange(s);
    *seen = 0;
    for (int64_t a = 0; a < s->m; a++) {
        const int64_t i = visited[a];
        fetch_ahead(s, visited, a, s->m);
        s->stays[i] = visit(s, i, seen);
        if (a % LOOK == LOOK - 1)
            PT_TRY(pt_task_check(s->task, err));
    }
    s->visits += s->m;
    s->sweeps++;
    s->m = keep_staying(s, s->active);
    return PT_OK;
}

/* Step (1): all rows, all classes. Gap and mass are added up in passing. */
static pt_status sweep_all(pt_row_descent *s, pt_error *err)
{
    pt_row_look look = {0};
    for (int64_t i = 0; i < s->n; i++)
        s->active[i] = i;
    s->m = s->n;
    s->mass = 0;
    const int64_t *visited = arrange(s);
    for (int64_t a = 0; a < s->n; a++) {
        const int64_t i = visited[a];
        fetch_ahead(s, visited, a, s->n);
        s->stays[i] = 0;
        if (s->bound[i] <= 0)
            continue;
        s->loops->scores(&s->weights, i, NULL, s->k, s->batch);
        s->rules->add_offsets(s, i, s->batch);
        look.margin = INFINITY;
        PT_TRY(s->rules->look(s, i, s->batch, true, &look, err));
        s->stays[i] = look.moves;
        s->mass = s->rules->add_mass(s, i, s->mass);
        if (a % LOOK == LOOK - 1)
            PT_TRY(pt_task_check(s->task, err));
    }
    s->visits += s->n;
    s->sweeps++;
    s->end.gap = look.gap;
    s->n_listed = keep_staying(s, s->listed);
    return find_value(s, false, err);
}

/* ---- measurement ----------------------------------------------------------------------------- */

typedef struct some_rows {
    const pt_row_descent *s;
    int64_t from;
    int64_t to;
} some_rows;

/* Gradients of PIECE rows of the batch. */
static pt_status gradients_body(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const some_rows *b = context;
    const pt_row_descent *s = b->s;
    const int64_t ld = pt_class_padded(s->k);
    const int64_t begin = b->from + piece * PIECE;
    const int64_t end = begin + PIECE < b->to ? begin + PIECE : b->to;
    for (int64_t i = begin; i < end; i++) {
        double *g = s->batch + (i - b->from) * ld;
        s->exact->scores(&s->weights, i, NULL, s->k, g);
        s->rules->add_offsets(s, i, g);
    }
    return PT_OK;
}

/* value, gap and scale at one M; the list of every row, and the rows of the next stage. */
static pt_status measure(pt_row_descent *s, pt_error *err)
{
    const int64_t ld = pt_class_padded(s->k);
    pt_row_look look = {.margin = INFINITY};
    bool some = false;
    PT_TRY(pt_row_descent_form(&some, s, err));
    PT_TRY(pt_row_descent_value(s, err));
    s->n_listed = 0;
    if (s->rules->begin_measure)
        s->rules->begin_measure(s);
    for (int64_t from = 0; from < s->n; from += s->batch_rows) {
        const int64_t to = from + s->batch_rows < s->n ? from + s->batch_rows : s->n;
        some_rows batch = {s, from, to};
        PT_TRY(
            pt_parallel_for(s->task, (to - from + PIECE - 1) / PIECE, gradients_body, &batch, err));
        for (int64_t i = from; i < to; i++) {
            look.moves = false;
            PT_TRY(pt_task_check_at(s->task, i, err));
            PT_TRY(s->rules->look(s, i, s->batch + (i - from) * ld, false, &look, err));
            s->listed[s->n_listed] = i;
            s->n_listed += look.moves;
        }
    }
    s->end.gap = look.gap;
    s->scale = 1;
    const double margin = look.margin;
    const double lossless = 0.5 * s->square / (margin * margin) - s->end.value;
    if (margin > 0 && isfinite(margin) && s->square > 0 && lossless < s->end.gap) {
        s->end.gap = fmax(lossless, 0);
        s->scale = (1 + ROUNDING) / margin;
    }
    return PT_OK;
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* Progress over all parts; words where the gap has halved since the last. */
static void report(pt_row_descent *s, bool measured)
{
    const double now = pt_dual_relative_gap(&s->end);
    if (!s->stage)
        return;
    const double done = (double)s->part + pt_dual_progress(now, s->end.asked);
    pt_task_progress(s->task, s->stage, fmin(done / (double)s->parts, 1), 1);
    if (s->quiet || !pt_dual_is_news(&s->end, measured && pt_dual_reached(&s->end)))
        return;
    pt_task_say(s->task, PT_INFO, PT_KIND_PROGRESS,
                "%s: dual %.9g, primal %s%.9g, relative gap %.2g; %lld of %lld examples active",
                s->stage, s->end.value, measured ? "" : "near ", s->end.value + s->end.gap, now,
                (long long)s->n_listed, (long long)s->n);
}

/* Steps (2) and (3): sweeps, until the gap of the active ones is `aim`; *seen <- what it is. */
static pt_status descend(pt_row_descent *s, double aim, double *seen, pt_error *err)
{
    memcpy(s->active, s->listed, (size_t)s->n_listed * sizeof *s->active);
    s->m = s->n_listed;
    PT_TRY(s->rules->begin(s, err));
    for (int64_t t = 1;; t++) {
        const bool last = t >= s->most_sweeps;
        PT_TRY(pt_row_descent_sweep(s, seen, err));
        if (*seen <= aim || s->m == 0 || s->visits >= s->limit || pt_task_ends_early(s->task))
            return PT_OK;
        PT_TRY(s->rules->together(s, t, last, seen, err));
        if (last) {
            s->most_sweeps = 2 * t < s->rules->most_sweeps ? 2 * t : s->rules->most_sweeps;
            return PT_OK;
        }
    }
}

pt_status pt_row_descent_solve(pt_row_descent *s, bool measured, pt_error *err)
{
    double share = 1; /* of the gap that is asked for: at this the active ones are left */
    pt_dual_end_restart(&s->end);
    choose_precision(s, may_be_low(s));
    for (int64_t t = 0;; t++) {
        PT_TRY(measured ? measure(s, err) : sweep_all(s, err));
        report(s, measured);
        if (measured && (pt_dual_reached(&s->end) || pt_dual_stalled(&s->end, FALL, RISE, STILL) ||
                         s->visits >= s->limit || s->n_listed == 0 ||
                         (s->visits > 0 && pt_task_ends_early(s->task))))
            return PT_OK;
        if (measured && s->low)
            choose_precision(s, s->end.still == 0 && s->end.gap > LOW_GAP * s->end.value);
        if (measured && s->end.gap < 2 * s->end.asked * s->end.value)
            share *= s->rules->less_share;
        double seen = s->end.gap;
        const double goal = share * s->end.asked * s->end.value;
        PT_TRY(descend(s, fmax(RHO * s->end.gap, goal), &seen, err));
        measured = seen <= goal || s->m == 0 || s->visits >= s->limit ||
                   t % MEASURE == MEASURE - 1 || pt_task_ends_early(s->task);
    }
}
