/* The linear support vector machine over pairs of classes (HRZ section 4): dual coordinate descent
 * on the problem of pair_row.h, with v_r = sum_i tau_ir x_i kept.
 *
 * A visit of an example takes the inner products of x_i with the v of its classes once, goes over
 * its pairs with these scores following in place (pair_row.c), and adds to v once. A stage:
 *
 *   (1) all examples are looked at with all their pairs, and solved on the way. Each gets a list of
 *       the pairs that matter: those with alpha > 0, and those that want it;
 *   (2) sweeps over the examples with such a list, in random order. Pairs at 0 that shall stay
 *       there leave the list and examples of which nothing moves are left out, at once: (1) brings
 *       them back. The gap is added up in passing; when it is RHO of what it was the stage ends;
 *   (3) where SWEEPS do not suffice, all listed pairs go on together (pair_climb.c): where rows are
 *       alike or C is large, sweeps alone need very many visits: enron at C = 1 had a gap of 0.14
 *       after six million, and has one of 1e-3 after fewer. A climb looks at the dual value alone
 *       and may leave v with a primal value many times as large: one more sweep mends that.
 *
 * A large C is reached by way of smaller ones, each of which says where the next begins
 * (pair_path.c): diau, a set of rankings, at C = 10 had a gap of 0.0045 after six million visits,
 * and has one of 1e-3 after 70,000.
 *
 * Where what was added up says that the gap may be small enough it is measured: all scores at one v
 * that is formed anew, shared out among threads. That alone decides the end.
 *
 *   alpha    n rows, sparse: no pair is stored that has no alpha and wants none
 *   V        k x d or d x k (spoc_linear_loops.h), doubles; bias: k
 *
 * Time: O(values) for each class of an example that is visited, and O(1) for each pair of its list.
 * Memory 16 d k bytes, 64 for each pair listed. */
#include "solvers/dual/pair_descent.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/random.h"
#include "solvers/dual/box_descent.h"
#include "solvers/dual/pair_climb.h"
#include "solvers/dual/pair_path.h"
#include "solvers/dual/spoc_linear_loops.h"

enum {
    LANES = PT_CLASS_LANES,
    BATCH = 1 << 16, /* scores that are measured together */
    PIECE = 32,      /* examples that a thread takes at a time */
    PASSES = 4,      /* over the pairs of an example in one visit */
    SWEEPS = 8,      /* of a stage, at most */
    MEASURE = 4,     /* stages between two measurements, at most */
    STILL = 5, /* measurements without progress after which it is as good as rounding allows */
    VISITS = 2000000, /* the limit: so many, and so many more for each example */
    VISITS_EACH = 4000,
    LOOK = 1024, /* visits between two looks at the clock */
    LISTED = 64  /* pairs of an example on its list, at most, as a rule: for the plan */
};
static const double SAID = 0.5; /* a gap is told once it has fallen by this */
static const double RHO = 0.3;
static const double RISE = 1e-10; /* relative: less is no progress */
static const double FALL = 0.1;
static const double ROUNDING = 1e-12; /* of margins, which shall not fall below 1 by it */
static const double SETTLED = 1e-13;  /* violations that are not worth a step */

typedef struct solver {
    const pt_pair_problem *p;
    const pt_class_loops *loops;
    pt_class_weights weights;
    int64_t n;
    int64_t k;
    double one;   /* the feature of the bias: 1 or 0 */
    double *bias; /* k, padded */
    pt_sparse_rows alpha;
    int64_t *listed; /* n: the examples that this stage began with */
    int64_t n_listed;
    int64_t *active; /* n: those of them that still move */
    int64_t m;
    pt_random random;
    double *g;           /* k, padded: scores of one example, by class; */
    double *some;        /* those of its listed classes; */
    double *tau;         /* its change of tau, 0 between visits */
    double *change;      /* k: that of its listed classes */
    int64_t *seen_at;    /* k: the stamp under which a class was last listed */
    pt_entry *classes;   /* k: classes of one example */
    pt_label_pair *pair; /* most: its pairs */
    pt_entry *list;      /* most */
    double *batch;       /* scores of some examples */
    int64_t batch_rows;
    double value;
    double square; /* sum_r ||v_r||^2 */
    double gap;    /* at one v, or added up while it moved */
    double scale;  /* of v: what the primal value belongs to */
    int64_t stamp;
    int64_t visits;
    int64_t limit;
    double best_gap;
    double best_value;
    int still;
    double said;              /* the relative gap that was last told of */
    const pt_pair_path *path; /* of which this C is a stage */
} solver;

/* ---- set-up ------------------------------------------------------------------------------------
 */

static int64_t padded(int64_t k)
{
    return (k + LANES - 1) / LANES * LANES;
}

double pt_pair_descent_bytes(int64_t n, int64_t d, int64_t k, double pairs)
{
    const double listed = fmin(pairs, LISTED * (double)n);
    return pt_pair_climb_bytes(d, k, listed) + pt_pair_path_bytes(n, listed) +
           8 * pt_class_weights_cells(d, k) + 8.0 * BATCH + 100 * (double)k + 100 * (double)n +
           2 * (double)sizeof(pt_entry) * listed;
}

static void solver_free(solver *s)
{
    pt_free(s->batch);
    pt_free(s->list);
    pt_free(s->pair);
    pt_free(s->classes);
    pt_free(s->seen_at);
    pt_free(s->bias);
    pt_free(s->listed);
    pt_free(s->weights.M);
    pt_sparse_rows_free(&s->alpha);
}

static pt_status solver_init(solver *s, const pt_pair_problem *p, const pt_linear_rows *rows,
                             bool bias, uint64_t seed, pt_error *err)
{
    const int64_t most = pt_label_pairs_most(p->labels, p->how);
    s->p = p;
    s->n = rows->n;
    s->k = pt_label_pairs_n_classes(p->labels, p->how);
    s->one = bias ? 1 : 0;
    s->scale = 1;
    s->best_gap = INFINITY;
    s->best_value = -INFINITY;
    s->limit = p->limit > 0 ? p->limit : VISITS + VISITS_EACH * s->n;
    if (!pt_class_weights_plan(&s->weights, rows, s->k))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    const int64_t ld = padded(s->k);
    s->loops = pt_class_loops_for(&s->weights, false);
    s->batch_rows = BATCH / ld > PIECE ? BATCH / ld : PIECE;
    pt_random_init(&s->random, seed, PT_RANDOM_DESCENT, 0);
    PT_TRY(pt_sparse_rows_init(&s->alpha, s->n, err));
    s->weights.M = pt_alloc_zero(s->weights.cells, sizeof(double), "weights", err);
    s->listed = pt_alloc(2 * s->n, sizeof(int64_t), "active examples", err);
    s->bias = pt_alloc_zero(5 * ld, sizeof(double), "a row", err);
    s->seen_at = pt_alloc_zero(ld, sizeof(int64_t), "a row", err);
    s->classes = pt_alloc(ld, sizeof(pt_entry), "a row", err);
    s->pair = pt_alloc(most, sizeof(pt_label_pair), "pairs", err);
    s->list = pt_alloc(most, sizeof(pt_entry), "pairs", err);
    s->batch = pt_alloc(s->batch_rows * ld, sizeof(double), "scores", err);
    if (!s->weights.M || !s->listed || !s->bias || !s->seen_at || !s->classes || !s->pair ||
        !s->list || !s->batch)
        return PT_ENOMEM;
    s->active = s->listed + s->n;
    s->g = s->bias + ld;
    s->some = s->g + ld;
    s->tau = s->some + ld;
    s->change = s->tau + ld;
    return PT_OK;
}

/* ---- a visit -----------------------------------------------------------------------------------
 */

static double square_of(const solver *s, int64_t i)
{
    return s->weights.rows->square[i] + s->one;
}

static void list_class(solver *s, int64_t r, int64_t *count)
{
    if (s->seen_at[r] == s->stamp)
        return;
    s->seen_at[r] = s->stamp;
    s->classes[(*count)++].column = r;
}

/* s->classes <- those that the pairs of a list speak of; returns how many. */
static int64_t list_classes(solver *s, const pt_entry *list, int64_t count)
{
    int64_t classes = 0;
    s->stamp++;
    for (int64_t c = 0; c < count && classes < s->k; c++) {
        list_class(s, pt_pair_before(list + c), &classes);
        list_class(s, pt_pair_after(list + c), &classes);
    }
    return classes;
}

/* s->g <- the scores of the listed classes. */
static void score_classes(solver *s, int64_t i, int64_t classes)
{
    s->loops->scores(&s->weights, i, s->classes, classes, s->some);
    for (int64_t c = 0; c < classes; c++) {
        const int64_t r = s->classes[c].column;
        s->g[r] = s->some[c] + s->bias[r];
    }
}

/* v <- v + tau x_i, tau <- 0, of the listed classes. */
static void add_tau(solver *s, int64_t i, int64_t classes)
{
    bool moved = false;
    for (int64_t c = 0; c < classes; c++) {
        const int64_t r = s->classes[c].column;
        s->change[c] = s->tau[r];
        s->bias[r] += s->one * s->tau[r];
        moved |= s->tau[r] != 0;
        s->tau[r] = 0;
    }
    if (moved)
        s->loops->add(&s->weights, i, s->classes, classes, s->change);
}

/* ---- sweeps ------------------------------------------------------------------------------------
 */

static void visit(solver *s, int64_t i, int64_t *kept, double *seen)
{
    pt_entry *list = s->alpha.entry + s->alpha.at[i];
    const int64_t count = s->alpha.count[i];
    const int64_t classes = list_classes(s, list, count);
    score_classes(s, i, classes);
    const pt_pair_look look = pt_pair_row_look(list, count, s->g, s->p->bound[i]);
    s->alpha.count[i] = look.count;
    *seen += look.gap;
    if (look.violation == 0)
        return;
    s->active[(*kept)++] = i;
    if (look.violation > SETTLED) {
        (void)pt_pair_row_step(list, look.count, square_of(s, i), s->p->bound[i], PASSES, s->g,
                               s->tau);
        add_tau(s, i, classes);
    }
}

/* The active examples in random order, each over its list; seen <- their gap, of each when it was
 * visited. */
static pt_status sweep(solver *s, double *seen, const pt_task *task, pt_error *err)
{
    pt_status status = PT_OK;
    int64_t kept = 0;
    *seen = 0;
    pt_random_shuffle(&s->random, s->active, s->m);
    for (int64_t a = 0; a < s->m && status == PT_OK; a++) {
        visit(s, s->active[a], &kept, seen);
        if (a % LOOK == LOOK - 1)
            status = pt_task_check(task, err);
    }
    s->visits += s->m;
    s->m = kept;
    return status;
}

/* All of an example's pairs: those that matter are solved and listed. */
static pt_status visit_all(solver *s, int64_t i, double *gap, pt_error *err)
{
    const double bound = s->p->bound[i];
    double least = INFINITY;
    const int64_t n_pairs = pt_label_pairs_of(s->p->labels, i, s->p->how, s->pair);
    s->loops->scores(&s->weights, i, NULL, s->k, s->g);
    for (int64_t r = 0; r < s->k; r++)
        s->g[r] += s->bias[r];
    const pt_pair_look look = pt_pair_row_list(s->pair, n_pairs, pt_sparse_row(&s->alpha, i),
                                               s->alpha.count[i], s->g, bound, s->list, &least);
    *gap += look.gap;
    int64_t count = look.count;
    if (look.violation > 0) {
        const int64_t classes = list_classes(s, s->list, count);
        (void)pt_pair_row_step(s->list, count, square_of(s, i), bound, PASSES, s->g, s->tau);
        add_tau(s, i, classes);
        count = pt_pair_row_look(s->list, count, s->g, bound).count;
        s->listed[s->n_listed] = i;
        s->n_listed += count > 0;
    }
    return pt_sparse_rows_set(&s->alpha, i, s->list, count, err);
}

static pt_status sweep_all(solver *s, const pt_task *task, pt_error *err)
{
    double gap = 0;
    pt_status status = PT_OK;
    for (int64_t i = 0; i < s->n; i++)
        s->active[i] = i;
    pt_random_shuffle(&s->random, s->active, s->n);
    s->n_listed = 0;
    for (int64_t a = 0; a < s->n && status == PT_OK; a++) {
        if (s->p->bound[s->active[a]] > 0)
            status = visit_all(s, s->active[a], &gap, err);
        if (status == PT_OK && a % LOOK == LOOK - 1)
            status = pt_task_check(task, err);
    }
    s->visits += s->n;
    s->gap = gap;
    return status;
}

/* ---- measurement -------------------------------------------------------------------------------
 */

/* v from alpha, so that rounding does not add up. */
static void form_weights(solver *s)
{
    memset(s->weights.M, 0, (size_t)s->weights.cells * sizeof(double));
    memset(s->bias, 0, (size_t)s->k * sizeof(double));
    for (int64_t i = 0; i < s->n; i++) {
        const pt_entry *row = pt_sparse_row(&s->alpha, i);
        const int64_t count = s->alpha.count[i];
        if (count == 0)
            continue;
        const int64_t classes = list_classes(s, row, count);
        for (int64_t c = 0; c < count; c++) {
            s->tau[pt_pair_before(row + c)] += row[c].value;
            s->tau[pt_pair_after(row + c)] -= row[c].value;
        }
        add_tau(s, i, classes);
    }
}

static pt_status compute_value(solver *s, pt_error *err)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t c = 0; c < s->alpha.count[i]; c++)
            sum += pt_sparse_row(&s->alpha, i)[c].value;
    s->square = pt_class_tables_chosen()->square(s->weights.M, s->weights.cells);
    for (int64_t r = 0; r < s->k; r++)
        s->square += s->bias[r] * s->bias[r];
    s->value = sum - 0.5 * s->square;
    if (isfinite(s->value))
        return PT_OK;
    return pt_fail(err, PT_ENUMERIC,
                   "the solution is too large to compute; lower --C or scale the data");
}

typedef struct some_rows {
    const solver *s;
    int64_t from;
    int64_t to;
} some_rows;

/* Scores of PIECE examples of the batch. */
static pt_status scores_body(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const some_rows *b = context;
    const solver *s = b->s;
    const int64_t ld = padded(s->k);
    const int64_t begin = b->from + piece * PIECE;
    const int64_t end = begin + PIECE < b->to ? begin + PIECE : b->to;
    for (int64_t i = begin; i < end; i++) {
        double *g = s->batch + (i - b->from) * ld;
        s->loops->scores(&s->weights, i, NULL, s->k, g);
        for (int64_t r = 0; r < s->k; r++)
            g[r] += s->bias[r];
    }
    return PT_OK;
}

/* The gap of all pairs of example i, its list, and the smallest margin. */
static pt_status measure_row(solver *s, int64_t i, const double *g, double *gap, double *least,
                             pt_error *err)
{
    if (s->p->bound[i] <= 0)
        return PT_OK;
    const int64_t n_pairs = pt_label_pairs_of(s->p->labels, i, s->p->how, s->pair);
    const pt_pair_look look =
        pt_pair_row_list(s->pair, n_pairs, pt_sparse_row(&s->alpha, i), s->alpha.count[i], g,
                         s->p->bound[i], s->list, least);
    *gap += look.gap;
    s->listed[s->n_listed] = i;
    s->n_listed += look.violation > 0;
    return pt_sparse_rows_set(&s->alpha, i, s->list, look.count, err);
}

/* value, gap and scale at one v; the list of every example, and the examples of the next stage. */
static pt_status measure(solver *s, const pt_task *task, pt_error *err)
{
    const int64_t ld = padded(s->k);
    double margin = INFINITY;
    double gap = 0;
    form_weights(s);
    pt_status status = compute_value(s, err);
    s->n_listed = 0;
    for (int64_t from = 0; from < s->n && status == PT_OK; from += s->batch_rows) {
        const int64_t to = from + s->batch_rows < s->n ? from + s->batch_rows : s->n;
        some_rows batch = {s, from, to};
        status = pt_parallel_for(task, (to - from + PIECE - 1) / PIECE, scores_body, &batch, err);
        for (int64_t i = from; i < to && status == PT_OK; i++)
            status = measure_row(s, i, s->batch + (i - from) * ld, &gap, &margin, err);
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

static bool reached(const solver *s)
{
    return s->gap <= s->p->gap * s->value || s->gap == 0;
}

/* Progress over all stages; words of the last alone, where the gap has halved. */
static void report(solver *s, const char *stage, bool measured, const pt_task *task)
{
    const double now = s->value > 0 ? s->gap / s->value : INFINITY;
    if (!stage)
        return;
    pt_task_progress(task, stage, pt_pair_path_progress(s->path, pt_box_progress(now, s->p->gap)),
                     1);
    if (s->path->share < 1 || !(now <= SAID * s->said || (measured && reached(s))))
        return;
    s->said = now;
    pt_task_say(task, PT_INFO,
                "%s: dual %.9g, primal %s%.9g, relative gap %.2g; %lld of %lld examples active",
                stage, s->value, measured ? "" : "near ", s->value + s->gap, now,
                (long long)s->n_listed, (long long)s->n);
}

static pt_status climb(solver *s, const pt_task *task, pt_error *err)
{
    const pt_pair_state state = {s->p, s->loops, &s->weights, s->bias, s->one, &s->alpha};
    double gain = 0;
    int64_t passes = 0;
    const pt_status status = pt_pair_climb(&state, &gain, &passes, task, err);
    s->visits += passes * s->n_listed;
    return status;
}

/* Sweeps, until the gap of the active ones is `aim`, or a climb; seen <- what it is. */
static pt_status descend(solver *s, double aim, double *seen, const pt_task *task, pt_error *err)
{
    pt_status status = PT_OK;
    memcpy(s->active, s->listed, (size_t)s->n_listed * sizeof *s->active);
    s->m = s->n_listed;
    for (int64_t t = 1; status == PT_OK; t++) {
        status = sweep(s, seen, task, err);
        if (status != PT_OK || *seen <= aim || s->m == 0 || s->visits >= s->limit ||
            pt_task_ends_early(task))
            break;
        if (t >= SWEEPS) {
            status = climb(s, task, err);
            if (status == PT_OK)
                status = sweep(s, seen, task, err);
            break;
        }
    }
    return status;
}

/* Whether gap and value have not become better for STILL measurements. */
static bool stalled(solver *s)
{
    const bool better =
        s->gap < (1 - FALL) * s->best_gap || s->value > s->best_value + RISE * fabs(s->best_value);
    s->still = better ? 0 : s->still + 1;
    s->best_gap = fmin(s->best_gap, s->gap);
    s->best_value = fmax(s->best_value, s->value);
    return s->still >= STILL;
}

/* measured: it begins with that, for alpha is not 0. */
static pt_status solve_stage(solver *s, bool measured, const char *stage, const pt_task *task,
                             pt_error *err)
{
    s->best_gap = INFINITY;
    s->best_value = -INFINITY;
    s->still = 0;
    pt_status status = PT_OK;
    for (int64_t t = 0; status == PT_OK; t++) {
        status = measured ? measure(s, task, err) : sweep_all(s, task, err);
        if (status == PT_OK && !measured)
            status = compute_value(s, err);
        if (status != PT_OK)
            break;
        report(s, stage, measured, task);
        if (measured && (reached(s) || stalled(s) || s->visits >= s->limit || s->n_listed == 0 ||
                         pt_task_ends_early(task)))
            break;
        double seen = s->gap;
        const double goal = s->p->gap * s->value;
        status = descend(s, fmax(RHO * s->gap, goal), &seen, task, err);
        measured = seen <= goal || s->m == 0 || s->visits >= s->limit ||
                   t % MEASURE == MEASURE - 1 || pt_task_ends_early(task);
    }
    return status;
}

/* Takes alpha to the next stage of the path, or to the last where this one was not solved. */
static pt_status go_on(solver *s, pt_pair_path *path, pt_error *err)
{
    const double value = s->value;
    if (!reached(s) || s->visits >= s->limit) {
        pt_pair_path_end(path);
        return PT_OK;
    }
    pt_status status = pt_pair_path_step(path, &s->alpha, err);
    form_weights(s);
    if (status == PT_OK)
        status = compute_value(s, err);
    return status == PT_OK && !(s->value > value) ? pt_pair_path_back(path, &s->alpha, err)
                                                  : status;
}

/* One C after the other, up to that of the problem: the smaller ones in half of the visits. */
static pt_status solve(solver *s, const char *stage, const pt_task *task, pt_error *err)
{
    const pt_pair_problem *problem = s->p;
    const int64_t limit = s->limit;
    pt_pair_path path = {0};
    pt_status status =
        pt_pair_path_init(&path, problem, s->weights.rows->square, s->one, s->n, err);
    s->p = &path.stage;
    s->path = &path; // cppcheck-suppress autoVariables; nobody asks for it after this call
    s->said = INFINITY;
    s->limit = path.share < 1 ? limit / 2 : limit;
    if (status == PT_OK)
        status = solve_stage(s, false, stage, task, err);
    while (status == PT_OK && path.share < 1) {
        status = go_on(s, &path, err);
        s->limit = path.share < 1 ? limit / 2 : limit;
        if (status == PT_OK)
            status = solve_stage(s, true, stage, task, err);
        if (status == PT_OK && path.share < 1 && stage)
            pt_task_say(task, PT_DEBUG, "%s: %.2g of C, dual %.9g, relative gap %.2g", stage,
                        path.share, s->value, s->gap / s->value);
    }
    s->p = problem;
    pt_pair_path_free(&path);
    return status;
}

/* v in the order of the features, as it was measured. */
static void write_weights(const solver *s, double *V)
{
    const pt_class_weights *w = &s->weights;
    const int64_t d = w->rows->d;
    for (int64_t r = 0; r < s->k; r++) {
        double *v = V + r * (d + 1);
        for (int64_t f = 0; f < d; f++)
            v[w->rows->order ? w->rows->order[f] : f] =
                s->scale * (w->by_class ? w->M[r * w->ld + f] : w->M[f * w->ld + r]);
        v[d] = s->scale * s->bias[r];
    }
}

static void write_result(const solver *s, pt_pair_result *result)
{
    *result = (pt_pair_result){.value = s->value,
                               .gap = s->gap,
                               .square = s->square * s->scale * s->scale,
                               .visits = s->visits,
                               .converged = reached(s)};
    for (int64_t i = 0; i < s->n; i++) {
        const pt_entry *row = pt_sparse_row(&s->alpha, i);
        int64_t pairs = 0;
        for (int64_t c = 0; c < s->alpha.count[i]; c++)
            pairs += row[c].value > 0;
        result->pairs += pairs;
        result->patterns += pairs > 0;
    }
}

pt_status pt_pair_descent(const pt_pair_problem *problem, const pt_linear_rows *rows, bool bias,
                          uint64_t seed, double *V, pt_pair_result *result, const char *stage,
                          const pt_task *task, pt_error *err)
{
    PT_FREED_BY(solver_free) solver s = {0};
    PT_TRY(solver_init(&s, problem, rows, bias, seed, err));
    PT_TRY(solve(&s, stage, task, err));
    write_weights(&s, V);
    write_result(&s, result);
    return PT_OK;
}
