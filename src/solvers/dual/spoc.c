/* SPOC: the dual of the multiclass support vector machine by blocks of reduced problems (CS
 * sections 5 and 6); and that of Weston and Watkins.
 *
 *     g_ir = b_ir + sum_j K_ij tau_jr       the gradient; eta = C 1_y - tau
 *     gap  = sum_i sum_r eta_ir (max_s g_is - g_ir)      primal less dual value, every term >= 0
 *
 * A round of block_descent.h: an example gains at least what the dual rises by when mass goes from
 * one class of its support to the class of the largest g; a block is solved by sweeps over its
 * examples, each solved exactly (spoc_loops_isa.c); the gradient of all follows class by class, for
 * the few classes whose tau changed, and the chunk of it that is in cache is looked through for the
 * next gains at once.
 *
 *   eta     n rows      sparse
 *   active  m of n      the examples that take part; the others are shrunk: they are at a corner of
 *                       their simplex and g holds them there by more than anything violates now
 *   G       m x k       g in chunks of PT_SPOC_CHUNK examples, class-major in a chunk; float32
 *                       where K is, until that does not reach the gap that is asked for: `wide`
 *   copy    m x m       kernel values of the active ones; NULL: all are active
 *
 * Weston-Watkins goes the same way with other rows: an example has a small problem with boxes
 * (box_row.h), a variable violates where its slope g_ir - g_iy is above 0 and it below C, or the
 * other way round, and
 *
 *     gap = sum_i sum_{r != y} (C_i max(g_ir - g_iy, 0) - eta_ir (g_ir - g_iy)) .
 *
 * Now and then all of them leap (spoc_active.c). Whenever the active ones seem to be solved, g is
 * formed anew for all n, in double (spoc_active.c), and it alone decides the end: a float32
 * gradient drifts.
 *
 * The primal has a second value that needs no slack: f scaled until no constraint is broken. It is
 * used where it is smaller, as for C so large that rounding in g times C is the gap.
 *
 * Time: O(m BLOCK c + m k) for a round, c the classes that change in a row. */
#include "solvers/dual/spoc.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "solvers/dual/dual_parts.h"
#include "solvers/dual/spoc_solver.h"

enum {
    CHUNK = PT_SPOC_CHUNK,
    BLOCK = PT_BLOCK,
    LANES = 8,
    SWEEPS = 5,        /* of a block, at most */
    SHRINK_EVERY = 20, /* rounds between two looks at what could be shrunk, at least */
    LEAP_EVERY = 4,    /* rounds between two leaps, and a quarter of a pass */
    MOST_FORMED = 100, /* times that the gradient is formed anew */
    STEPS = 1000000,   /* the limit: so many, and so many more for each example */
    STEPS_EACH = 1000
};
static const double USUAL_GAP = 1e-3; /* for which those steps are */
static const double MOST_POWERS = 6;
static const double SWEEP_ENOUGH = 0.2;    /* of what the first sweep gained */
static const double OWN_SHARE = 0.8;       /* of the gap that is asked for: for the active ones */
static const double STALL_RISE = 1e-10;    /* relative */
static const double WIDE_GAP = 1e-5;       /* below this float32 is not tried */
static const double NO_CURVATURE = 1e-300; /* K_pp that count as 0 */
static const double BEYOND = -1e300;       /* g of the classes that fill up a vector */

/* ---- set-up ---------------------------------------------------------------------------------- */

double pt_spoc_bytes(int64_t n, int64_t k)
{
    const double cells = (double)(pt_spoc_chunks(n) * CHUNK) * (double)k;
    /* two gradients in double, that of all where the set grows; vectors, eta of the last leap and
     * of the set; the block */
    return 24 * cells + 400 * (double)n +
           (double)BLOCK * (double)pt_round_up(k, LANES) * (3 * sizeof(double) + sizeof(pt_entry));
}

static void solver_free(pt_spoc_solver **owner)
{
    pt_spoc_solver *s = *owner;
    if (!s)
        return;
    pt_free(s->exact);
    pt_free(s->G);
    pt_free(s->loop.copy);
    pt_free(s->past_G);
    pt_sparse_rows_free(&s->past);
    pt_arena_free(&s->arena);
    pt_free(s);
}

/* As many for each power of ten by which the gap is smaller than USUAL_GAP. */
static int64_t usual_limit(const pt_spoc *p)
{
    const double powers = p->gap < USUAL_GAP ? fmin(log10(USUAL_GAP / p->gap), MOST_POWERS) : 0;
    return (int64_t)((1 + powers) * (double)(STEPS + STEPS_EACH * p->n));
}

static const pt_block_rules RULES;

static pt_status solver_init(pt_spoc_solver *s, const pt_spoc *p, pt_sparse_rows *eta,
                             const char *stage, const pt_task *task, pt_error *err)
{
    const int64_t n = p->n;
    const int64_t k = p->k;
    const int64_t ld = pt_round_up(k, LANES);
    const int64_t chunks = pt_spoc_chunks(n);
    s->loop = (pt_block_descent){.rules = &RULES,
                                 .store = p->store,
                                 .type = pt_kernel_store_type(p->store),
                                 .n = n,
                                 .shift = p->shift,
                                 .tested = pt_may_be_indefinite(p->kernel),
                                 .end = {.asked = p->gap, .said = INFINITY},
                                 .limit = p->limit > 0 ? p->limit : usual_limit(p)};
    s->p = p;
    s->rules = pt_spoc_rules_of(p);
    s->loops = pt_spoc_loops_chosen();
    s->stage = stage;
    s->eta = eta;
    s->wide = s->loop.type == PT_F64 || p->gap < WIDE_GAP;
    s->aim = OWN_SHARE * p->gap;

    pt_spoc_block *block = &s->block;
    const bool boxes = p->kind == PT_WESTON_WATKINS;
    const int64_t hidden = boxes ? pt_parallel_workers(task, chunks) * CHUNK : 0;
    const double *diagonal = pt_kernel_store_diagonal(p->store);
    char *buffer = NULL;
    PT_TRY(PT_ARENA(
        &s->arena, "a solver", err, PT_PIECE(s->loop.active, n), PT_PIECE(s->loop.gain, n),
        PT_PIECE(s->ratio, n), PT_PIECE(s->ranked, n), PT_PIECE(s->sums, chunks),
        PT_PIECE(buffer, (int64_t)pt_kernel_store_buffer(p->store, BLOCK)), PT_PIECE(s->entry, k),
        PT_PIECE(s->first, k + 1), PT_PIECE(s->coef, BLOCK * k), PT_PIECE(s->from_row, BLOCK * k),
        PT_PIECE(s->change, BLOCK * ld), PT_PIECE(block->g, BLOCK * ld),
        PT_PIECE(block->eta, BLOCK * ld), PT_PIECE(block->work, 2 * ld),
        PT_PIECE(s->hidden, hidden * k), PT_PIECE(s->diagonal, n)));
    s->loop.buffer = buffer;
    block->k = k;
    block->ld = ld;
    block->K = s->loop.H;
    block->curve = s->loop.curve;
    block->step = s->loop.step;
    block->total = s->total;
    block->own = s->own;
    for (int64_t i = 0; i < n; i++) {
        s->diagonal[i] = diagonal[i] + p->shift;
        PT_TRY(pt_check_own_value(diagonal[i], diagonal[i], err));
    }
    return PT_OK;
}

const pt_spoc_rules *pt_spoc_rules_of(const pt_spoc *p)
{
    return p->kind == PT_WESTON_WATKINS ? &pt_box_block_rules : &pt_simplex_block_rules;
}

pt_status pt_spoc_begin(const pt_spoc *p, pt_sparse_rows *eta, const pt_task *task, pt_error *err)
{
    const pt_spoc_rules *rules = pt_spoc_rules_of(p);
    for (int64_t i = 0; i < p->n; i++) {
        PT_TRY(pt_task_check_at(task, i, err));
        PT_TRY(rules->begin(p, i, eta, err));
    }
    return PT_OK;
}

void pt_spoc_carry(const pt_spoc *problem, const double *before, pt_sparse_rows *eta)
{
    const pt_spoc_rules *rules = pt_spoc_rules_of(problem);
    for (int64_t i = 0; i < problem->n; i++)
        if (before[i] > 0)
            rules->carry(problem, i, before[i], eta);
}

void pt_spoc_tau(const pt_spoc *problem, const pt_sparse_rows *eta, int64_t i, double *tau)
{
    const pt_entry *row = pt_sparse_row(eta, i);
    const int64_t y = problem->class_of[i];
    double others = 0; /* so that tau . 1 = 0 */
    memset(tau, 0, (size_t)problem->k * sizeof *tau);
    for (int64_t c = 0; c < eta->count[i]; c++)
        if (row[c].column != y) {
            tau[row[c].column] = -row[c].value;
            others += row[c].value;
        }
    tau[y] = others;
}

pt_status pt_spoc_patterns(const pt_spoc *problem, const pt_sparse_rows *eta, int64_t **support,
                           double **tau, int64_t *patterns, pt_error *err)
{
    const int64_t k = problem->k;
    int64_t count = 0;
    for (int64_t i = 0; i < problem->n; i++)
        count += pt_spoc_is_support(eta, i, problem->class_of[i]);
    PT_SCRATCH int64_t *list = pt_alloc(count, sizeof *list, "examples", err);
    PT_SCRATCH double *coef = pt_alloc(count, (size_t)k * sizeof *coef, "coefficients", err);
    if (!list || !coef)
        return PT_ENOMEM;
    for (int64_t i = 0, at = 0; i < problem->n; i++)
        if (pt_spoc_is_support(eta, i, problem->class_of[i])) {
            pt_spoc_tau(problem, eta, i, coef + at * k);
            list[at++] = i;
        }
    *support = pt_keep(&list);
    *tau = pt_keep(&coef);
    *patterns = count;
    return PT_OK;
}

/* ---- value, gap, margins --------------------------------------------------------------------- */

/* min(margin, min_r (f_iy - f_ir) / b_ir) of example i from its gradients g; -1: no scale makes up
 * for it. */
static double least_margin(const pt_spoc *p, int64_t i, const double *g, double margin)
{
    const int64_t y = p->class_of[i];
    const double own = g[y * CHUNK];
    for (int64_t r = 0; r < p->k && margin > 0; r++) {
        const double b = pt_spoc_cost(p, i, r);
        const double ahead = own - (g[r * CHUNK] - b);
        const double scaled = b == 1 ? ahead : ahead / b;
        if (b > 0)
            margin = scaled < margin ? scaled : margin;
        else if (ahead < 0)
            margin = -1;
    }
    return margin;
}

void pt_spoc_measure(const pt_spoc *p, const pt_sparse_rows *eta, const double *exact, double *tau,
                     double *value, double *gap)
{
    const pt_spoc_rules *rules = pt_spoc_rules_of(p);
    double with_g = 0;
    double with_b = 0;
    double margin = INFINITY; /* min_ir (f_iy - f_ir) / b_ir */
    *gap = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double *g = exact + (i / CHUNK) * p->k * CHUNK + i % CHUNK;
        if (pt_spoc_is_support(eta, i, p->class_of[i])) {
            pt_spoc_tau(p, eta, i, tau);
            for (int64_t r = 0; r < p->k; r++) {
                with_g += tau[r] * g[r * CHUNK];
                with_b += tau[r] * pt_spoc_cost(p, i, r);
            }
        }
        if (p->bound[i] > 0)
            margin = least_margin(p, i, g, margin);
        *gap = rules->add_gap(p, eta, i, g, *gap);
    }
    const double square = with_g - with_b; /* ||M||^2 */
    *value = -0.5 * (with_g + with_b);
    if (margin > 0 && isfinite(margin) && square > 0)
        *gap = fmin(*gap, fmax(0.5 * square / (margin * margin) - *value, 0));
}

void pt_spoc_note_margins(const pt_spoc *p, const pt_sparse_rows *eta, const double *exact,
                          const double *diagonal, double *tau)
{
    const int64_t k = p->k;
    double *least = p->margins->least;
    double *product = p->margins->product;
    double radius = 0;
    memset(product, 0, (size_t)(k * k) * sizeof *product);
    for (int64_t c = 0; c < k * k; c++)
        least[c] = INFINITY;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t y = p->class_of[i];
        const double *g = exact + (i / CHUNK) * k * CHUNK + i % CHUNK;
        const double own = g[y * CHUNK];
        radius = fmax(radius, sqrt(diagonal[i]));
        for (int64_t r = 0; r < k; r++) {
            const double f = g[r * CHUNK] - pt_spoc_cost(p, i, r);
            least[y * k + r] = fmin(least[y * k + r], own - f);
        }
        if (!pt_spoc_is_support(eta, i, y))
            continue;
        pt_spoc_tau(p, eta, i, tau); /* M_r . M_s = sum_i tau_ir f_is */
        for (int64_t r = 0; r < k; r++)
            for (int64_t s = 0; s < k && tau[r] != 0; s++)
                product[r * k + s] += tau[r] * (g[s * CHUNK] - pt_spoc_cost(p, i, s));
    }
    p->margins->radius = radius;
}

/* ---- a round --------------------------------------------------------------------------------- */

static void load_block(pt_spoc_solver *s)
{
    const int64_t k = s->p->k;
    const int64_t ld = s->block.ld;
    memset(s->block.eta, 0, (size_t)(s->loop.count * ld) * sizeof(double));
    for (int64_t b = 0; b < s->loop.count; b++) {
        const int64_t i = s->loop.active[s->loop.W[b]];
        const pt_entry *row = pt_sparse_row(s->eta, i);
        s->loop.curve[b] = s->diagonal[i];
        s->loop.step[b] = s->loop.curve[b] > NO_CURVATURE ? 1 / s->loop.curve[b] : 0;
        s->total[b] = s->p->bound[i];
        s->own[b] = s->p->class_of[i];
        for (int64_t r = 0; r < ld; r++)
            s->block.g[b * ld + r] = r < k ? pt_spoc_g(s, s->G, s->loop.W[b], r) : BEYOND;
        double sum = 0;
        for (int64_t c = 0; c < s->eta->count[i]; c++) {
            s->block.eta[b * ld + row[c].column] = row[c].value;
            sum += row[c].value;
        }
        if (s->p->kind == PT_WESTON_WATKINS)
            s->block.eta[b * ld + s->own[b]] = -sum;
    }
    s->block.count = s->loop.count;
    memcpy(s->change, s->block.eta, (size_t)(s->loop.count * ld) * sizeof(double));
}

/* The block's examples, one after the other, until little is gained; their eta into its rows, and
 * the changes of tau by class. */
static pt_status solve_block(pt_block_descent *loop, pt_error *err)
{
    pt_spoc_solver *s = (pt_spoc_solver *)loop;
    const int64_t ld = s->block.ld;
    load_block(s);
    PT_TRY(pt_block_matrix(loop, BLOCK, err));
    const bool boxes = s->p->kind == PT_WESTON_WATKINS;
    double first = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        const double rise = (boxes ? s->loops->sweep_boxes : s->loops->sweep)(&s->block);
        first = sweep == 0 ? rise : first;
        s->loop.end.value += rise;
        s->loop.steps += s->loop.count;
        if (!(rise > SWEEP_ENOUGH * first))
            break;
    }
    for (int64_t b = 0; b < s->loop.count; b++) {
        const double *eta = s->block.eta + b * ld;
        int64_t count = 0;
        for (int64_t r = 0; r < s->p->k; r++) {
            s->change[b * ld + r] -= eta[r];
            if (eta[r] > 0) /* not that of the own class, where WW has the sum */
                s->entry[count++] = (pt_entry){r, eta[r]};
        }
        PT_TRY(pt_sparse_rows_set(s->eta, s->loop.active[s->loop.W[b]], s->entry, count, err));
    }
    pt_spoc_sort_changes(s);
    return PT_OK;
}

/* ---- the solver ------------------------------------------------------------------------------ */

static void report(pt_spoc_solver *s, bool all, const pt_task *task)
{
    const pt_dual_end *end = &s->loop.end;
    const double now = pt_dual_relative_gap(end);
    if (!s->stage)
        return;
    pt_task_progress(task, s->stage, pt_dual_progress(now, s->p->gap), 1);
    if (!pt_dual_is_news(&s->loop.end, all))
        return;
    pt_task_say(task, PT_INFO, PT_KIND_PROGRESS,
                "%s: dual %.9g, primal %.9g, relative gap %.2g%s; %lld of %lld examples active",
                s->stage, end->value, end->value + end->gap, now, all ? "" : " of the active ones",
                (long long)s->loop.m, (long long)s->p->n);
}

static void look(pt_block_descent *loop, const pt_task *task)
{
    report((pt_spoc_solver *)loop, false, task);
}

static pt_status begin_round(pt_block_descent *loop, int64_t round, bool stalled, bool *over,
                             const pt_task *task, pt_error *err)
{
    pt_spoc_solver *s = (pt_spoc_solver *)loop;
    *over = stalled && !s->leaping;
    if (*over)
        return PT_OK;
    s->leaping = s->leaping && !stalled; /* a leap raises the gap for a while: end without */
    if (round % (SHRINK_EVERY + loop->m / BLOCK) == 0)
        PT_TRY(pt_spoc_shrink(s, task, err));
    if (s->leaping && round % (LEAP_EVERY + loop->m / (4 * BLOCK)) == 0)
        PT_TRY(pt_spoc_leap(s, task, err));
    return PT_OK;
}

static bool is_pattern(const pt_block_descent *loop, int64_t i)
{
    return pt_spoc_is_pattern((const pt_spoc_solver *)loop, i);
}

static void take_tau(pt_block_descent *loop, int64_t r, int64_t i)
{
    const pt_spoc_solver *s = (const pt_spoc_solver *)loop;
    pt_spoc_tau(s->p, s->eta, i, s->change + r * s->block.ld);
}

static pt_status follow(pt_block_descent *loop, const pt_task *task, pt_error *err)
{
    return pt_spoc_update((pt_spoc_solver *)loop, task, err);
}

static const pt_block_rules RULES = {.is_support = is_pattern,
                                     .take = take_tau,
                                     .add = pt_spoc_add,
                                     .look = look,
                                     .begin_round = begin_round,
                                     .solve = solve_block,
                                     .follow = follow};

/* Descents, each followed by a look at all examples, in double. */
static pt_status solve(pt_spoc_solver *s, const pt_task *task, pt_error *err)
{
    double gap_before = INFINITY;
    double value_before = -INFINITY;
    for (int formed = 0;; formed++) {
        pt_spoc_forget_past(s);
        s->exact = pt_alloc(pt_spoc_cells(s, s->p->n), sizeof(double), "a gradient", err);
        if (!s->exact)
            return PT_ENOMEM;
        pt_spoc_fill_costs(s->p, s->exact);
        PT_TRY(pt_block_form(&s->loop, task, err));
        pt_spoc_measure(s->p, s->eta, s->exact, s->change, &s->loop.end.value, &s->loop.end.gap);
        report(s, true, task);
        const bool better = s->loop.end.gap < 0.9 * gap_before ||
                            s->loop.end.value > value_before + STALL_RISE * fabs(value_before);
        if (pt_dual_reached(&s->loop.end) || s->loop.steps >= s->loop.limit ||
            formed > MOST_FORMED || (s->wide && !better) ||
            (formed > 0 && pt_task_ends_early(task)))
            break;
        s->wide = s->wide || s->loop.end.gap > 0.5 * gap_before;
        if (formed > 0)
            s->aim *= 0.5;
        gap_before = s->loop.end.gap;
        value_before = s->loop.end.value;
        PT_TRY(pt_spoc_activate_all(s, err));
        pt_free(s->exact);
        s->exact = NULL;
        s->leaping = true;
        memset(s->first, 0, (size_t)(s->p->k + 1) * sizeof *s->first);
        PT_TRY(pt_spoc_update(s, task, err));
        PT_TRY(pt_block_descend(&s->loop, s->aim, task, err));
    }
    if (s->p->margins)
        pt_spoc_note_margins(s->p, s->eta, s->exact, s->diagonal, s->change);
    return PT_OK;
}

pt_status pt_spoc_solve(const pt_spoc *problem, pt_sparse_rows *eta, pt_spoc_result *result,
                        const char *stage, const pt_task *task, pt_error *err)
{
    if (!problem->store)
        return pt_spoc_grow(problem, eta, result, stage, task, err);
    PT_FREED_BY(solver_free)
    pt_spoc_solver *s = pt_alloc_zero(1, sizeof *s, "a solver", err);
    if (!s)
        return PT_ENOMEM;
    PT_TRY(solver_init(s, problem, eta, stage, task, err));
    PT_TRY(pt_spoc_begin(problem, eta, task, err));
    PT_TRY(solve(s, task, err));
    int64_t patterns = 0;
    for (int64_t i = 0; i < problem->n; i++)
        patterns += pt_spoc_is_pattern(s, i);
    PT_TRY(pt_block_test_support(&s->loop, task, err));
    *result = (pt_spoc_result){s->loop.end.value, s->loop.end.gap, s->loop.steps,
                               s->loop.rounds,    patterns,        pt_dual_reached(&s->loop.end)};
    return PT_OK;
}
