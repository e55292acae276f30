/* SPOC: the dual of the multiclass support vector machine by blocks of reduced problems (CS
 * sections 5 and 6); and that of Weston and Watkins.
 *
 *     g_ir = b_ir + sum_j K_ij tau_jr       the gradient; eta = C 1_y - tau
 *     gap  = sum_i sum_r eta_ir (max_s g_is - g_ir)      primal less dual value, every term >= 0
 *
 * One round: (1) for every example, what the dual rises by at least when it alone moves: mass from
 * one class of its support to the class of the largest g; (2) the PT_SPOC_BLOCK examples with most
 * to gain; (3) sweeps over these, each solved exactly (spoc_loops_isa.c), on their own gradients
 * and kernel values, in cache; (4) the gradient of all brought up to date once, class by class, for
 * the few classes whose tau changed, which is where the time goes; the chunk of it that is in cache
 * is looked through for (1) at once.
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
    BLOCK = PT_SPOC_BLOCK,
    LANES = 8,
    SWEEPS = 5,         /* of a block, at most */
    SHRINK_EVERY = 20,  /* rounds between two looks at what could be shrunk, at least */
    LEAP_EVERY = 4,     /* rounds between two leaps, and a quarter of a pass */
    STALL = 200,        /* rounds in which value or gap have to get better */
    MOST_TESTED = 1024, /* support patterns: with more the end is not tested */
    MOST_FORMED = 100,  /* times that the gradient is formed anew */
    STEPS = 1000000,    /* the limit: so many, and so many more for each example */
    STEPS_EACH = 1000
};
static const double USUAL_GAP = 1e-3; /* for which those steps are */
static const double MOST_POWERS = 6;
static const double SWEEP_ENOUGH = 0.2; /* of what the first sweep gained */
static const double OWN_SHARE = 0.8;    /* of the gap that is asked for: for the active ones */
static const double STALL_RISE = 1e-10; /* relative */
static const double STALL_FALL = 0.1;
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
    pt_free(s->copy);
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

static pt_status solver_init(pt_spoc_solver *s, const pt_spoc *p, pt_sparse_rows *eta,
                             const pt_task *task, pt_error *err)
{
    const int64_t n = p->n;
    const int64_t k = p->k;
    const int64_t ld = pt_round_up(k, LANES);
    const int64_t chunks = pt_spoc_chunks(n);
    s->p = p;
    s->rules = pt_spoc_rules_of(p);
    s->loops = pt_spoc_loops_chosen();
    s->eta = eta;
    s->type = pt_kernel_store_type(p->store);
    s->wide = s->type == PT_F64 || p->gap < WIDE_GAP;
    s->tested = pt_may_be_indefinite(p->kernel);
    s->limit = p->limit > 0 ? p->limit : usual_limit(p);
    s->end.asked = p->gap;
    s->aim = OWN_SHARE * p->gap;
    s->end.said = INFINITY;

    pt_spoc_block *block = &s->block;
    const bool boxes = p->kind == PT_WESTON_WATKINS;
    const int64_t hidden = boxes ? pt_parallel_workers(task, chunks) * CHUNK : 0;
    const double *diagonal = pt_kernel_store_diagonal(p->store);
    char *buffer = NULL;
    PT_TRY(PT_ARENA(&s->arena, "a solver", err, PT_PIECE(s->active, n), PT_PIECE(s->gain, n),
                    PT_PIECE(s->ratio, n), PT_PIECE(s->ranked, n), PT_PIECE(s->sums, chunks),
                    PT_PIECE(buffer, (int64_t)pt_kernel_store_buffer(p->store, BLOCK)),
                    PT_PIECE(s->entry, k), PT_PIECE(s->first, k + 1), PT_PIECE(s->coef, BLOCK * k),
                    PT_PIECE(s->from_row, BLOCK * k), PT_PIECE(s->change, BLOCK * ld),
                    PT_PIECE(block->g, BLOCK * ld), PT_PIECE(block->eta, BLOCK * ld),
                    PT_PIECE(block->work, 2 * ld), PT_PIECE(s->hidden, hidden * k),
                    PT_PIECE(s->diagonal, n)));
    s->buffer = buffer;
    block->k = k;
    block->ld = ld;
    block->K = s->K;
    block->curve = s->curve;
    block->step = s->step;
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

pt_status pt_spoc_begin(const pt_spoc *p, pt_sparse_rows *eta, pt_error *err)
{
    const pt_spoc_rules *rules = pt_spoc_rules_of(p);
    for (int64_t i = 0; i < p->n; i++)
        PT_TRY(rules->begin(p, i, eta, err));
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

static double kernel_value(const pt_spoc_solver *s, int64_t b, int64_t a)
{
    return s->p->shift + (s->type == PT_F32 ? (double)((const float *)s->row[b])[a]
                                            : ((const double *)s->row[b])[a]);
}

/* Kernel values among the block; every pair must be positive semidefinite. */
static pt_status block_kernel(pt_spoc_solver *s, pt_error *err)
{
    for (int64_t b = 0; b < s->count; b++) {
        for (int64_t c = 0; c < b; c++) {
            const double value = kernel_value(s, b, s->W[c]);
            s->K[b * BLOCK + c] = s->K[c * BLOCK + b] = value;
            PT_TRY(pt_check_pair_value(value, s->curve[b], s->curve[c], err));
        }
        s->K[b * BLOCK + b] = s->curve[b];
    }
    if (!s->tested)
        return PT_OK;
    for (int64_t b = 0; b < s->count; b++)
        memcpy(s->test + b * s->count, s->K + b * BLOCK, (size_t)s->count * sizeof(double));
    return pt_check_semidefinite(s->test, s->count, err);
}

static void load_block(pt_spoc_solver *s)
{
    const int64_t k = s->p->k;
    const int64_t ld = s->block.ld;
    memset(s->block.eta, 0, (size_t)(s->count * ld) * sizeof(double));
    for (int64_t b = 0; b < s->count; b++) {
        const int64_t i = s->active[s->W[b]];
        const pt_entry *row = pt_sparse_row(s->eta, i);
        s->curve[b] = s->diagonal[i];
        s->step[b] = s->curve[b] > NO_CURVATURE ? 1 / s->curve[b] : 0;
        s->total[b] = s->p->bound[i];
        s->own[b] = s->p->class_of[i];
        for (int64_t r = 0; r < ld; r++)
            s->block.g[b * ld + r] = r < k ? pt_spoc_g(s, s->G, s->W[b], r) : BEYOND;
        double sum = 0;
        for (int64_t c = 0; c < s->eta->count[i]; c++) {
            s->block.eta[b * ld + row[c].column] = row[c].value;
            sum += row[c].value;
        }
        if (s->p->kind == PT_WESTON_WATKINS)
            s->block.eta[b * ld + s->own[b]] = -sum;
    }
    s->block.count = s->count;
    memcpy(s->change, s->block.eta, (size_t)(s->count * ld) * sizeof(double));
}

/* The block's examples, one after the other, until little is gained; their eta into its rows, and
 * the changes of tau by class. */
static pt_status solve_block(pt_spoc_solver *s, pt_error *err)
{
    const int64_t ld = s->block.ld;
    load_block(s);
    PT_TRY(block_kernel(s, err));
    const bool boxes = s->p->kind == PT_WESTON_WATKINS;
    double first = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        const double rise = (boxes ? s->loops->sweep_boxes : s->loops->sweep)(&s->block);
        first = sweep == 0 ? rise : first;
        s->end.value += rise;
        s->steps += s->count;
        if (!(rise > SWEEP_ENOUGH * first))
            break;
    }
    for (int64_t b = 0; b < s->count; b++) {
        const double *eta = s->block.eta + b * ld;
        int64_t count = 0;
        for (int64_t r = 0; r < s->p->k; r++) {
            s->change[b * ld + r] -= eta[r];
            if (eta[r] > 0) /* not that of the own class, where WW has the sum */
                s->entry[count++] = (pt_entry){r, eta[r]};
        }
        PT_TRY(pt_sparse_rows_set(s->eta, s->active[s->W[b]], s->entry, count, err));
    }
    pt_spoc_sort_changes(s);
    return PT_OK;
}

/* ---- the solver ------------------------------------------------------------------------------ */

static void report(pt_spoc_solver *s, const char *stage, bool all, const pt_task *task)
{
    const double now = pt_dual_relative_gap(&s->end);
    if (!stage)
        return;
    pt_task_progress(task, stage, pt_dual_progress(now, s->p->gap), 1);
    if (!pt_dual_is_news(&s->end, all))
        return;
    pt_task_say(task, PT_INFO,
                "%s: dual %.9g, primal %.9g, relative gap %.2g%s; %lld of %lld examples active",
                stage, s->end.value, s->end.value + s->end.gap, now,
                all ? "" : " of the active ones", (long long)s->m, (long long)s->p->n);
}

/* The value, and the least gap, of some rounds. */
typedef struct best_of {
    double value;
    double gap;
} best_of;

/* Whether in the last STALL rounds the value has not risen, nor a gap been smaller than all before
 * (leaps raise it for a while). */
static bool stalled(const pt_spoc_solver *s, int64_t round, best_of *now, best_of *before)
{
    now->value = s->end.value;
    now->gap = fmin(now->gap, s->end.gap);
    if (round % (STALL + s->m / BLOCK) != 0)
        return false;
    const bool same = round > 0 && now->value <= before->value * (1 + STALL_RISE) &&
                      now->gap >= before->gap * (1 - STALL_FALL);
    *before = (best_of){now->value, fmin(now->gap, before->gap)};
    now->gap = INFINITY;
    return same;
}

/* Rounds, until the active ones are solved to s->aim, or no longer get better. */
static pt_status descend(pt_spoc_solver *s, const char *stage, const pt_task *task, pt_error *err)
{
    best_of now = {0, INFINITY};
    best_of before = now;
    s->leaping = true;
    memset(s->first, 0, (size_t)(s->p->k + 1) * sizeof *s->first);
    PT_TRY(pt_spoc_update(s, task, err));
    for (int64_t round = 0;; round++) {
        report(s, stage, false, task);
        if (pt_dual_within(&s->end, s->aim) || s->steps >= s->limit ||
            (round > 0 && pt_task_ends_early(task)))
            return PT_OK;
        if (stalled(s, round, &now, &before)) {
            if (!s->leaping)
                return PT_OK;
            s->leaping = false; /* a leap raises the gap for a while: end without */
        }
        if (round % (SHRINK_EVERY + s->m / BLOCK) == 0)
            PT_TRY(pt_spoc_shrink(s, task, err));
        if (s->leaping && round % (LEAP_EVERY + s->m / (4 * BLOCK)) == 0)
            PT_TRY(pt_spoc_leap(s, task, err));
        s->count = pt_choose_largest(s->gain, s->m, BLOCK, s->W);
        if (s->count == 0)
            return PT_OK; /* nothing moves any more: as good as rounding allows */
        PT_TRY(pt_task_check(task, err));
        PT_TRY(pt_spoc_fetch_rows(s, s->W, s->count, task, err));
        PT_TRY(solve_block(s, err));
        PT_TRY(pt_spoc_update(s, task, err));
        s->rounds++;
    }
}

/* Descents, each followed by a look at all examples, in double. */
static pt_status solve(pt_spoc_solver *s, const char *stage, const pt_task *task, pt_error *err)
{
    double gap_before = INFINITY;
    double value_before = -INFINITY;
    for (int formed = 0;; formed++) {
        pt_spoc_forget_past(s);
        s->exact = pt_alloc(pt_spoc_cells(s, s->p->n), sizeof(double), "a gradient", err);
        if (!s->exact)
            return PT_ENOMEM;
        PT_TRY(pt_spoc_form(s, task, err));
        pt_spoc_measure(s->p, s->eta, s->exact, s->change, &s->end.value, &s->end.gap);
        report(s, stage, true, task);
        const bool better = s->end.gap < 0.9 * gap_before ||
                            s->end.value > value_before + STALL_RISE * fabs(value_before);
        if (pt_dual_reached(&s->end) || s->steps >= s->limit || formed > MOST_FORMED ||
            (s->wide && !better) || (formed > 0 && pt_task_ends_early(task)))
            break;
        s->wide = s->wide || s->end.gap > 0.5 * gap_before;
        if (formed > 0)
            s->aim *= 0.5;
        gap_before = s->end.gap;
        value_before = s->end.value;
        PT_TRY(pt_spoc_activate_all(s, err));
        pt_free(s->exact);
        s->exact = NULL;
        PT_TRY(descend(s, stage, task, err));
    }
    if (s->p->margins)
        pt_spoc_note_margins(s->p, s->eta, s->exact, s->diagonal, s->change);
    return PT_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The kernel values among the support patterns, where these are few. */
static pt_status test_patterns(pt_spoc_solver *s, int64_t m, const pt_task *task, pt_error *err)
{
    if (m > MOST_TESTED)
        return PT_OK;
    PT_SCRATCH int64_t *pattern = pt_alloc(m, sizeof(int64_t), "a test of the kernel", err);
    PT_SCRATCH double *A = pt_alloc(m * m, sizeof(double), "a test of the kernel", err);
    if (!pattern || !A)
        return PT_ENOMEM;
    for (int64_t i = 0, at = 0; i < s->p->n; i++)
        if (pt_spoc_is_pattern(s, i))
            pattern[at++] = i;
    for (int64_t from = 0; from < m; from += BLOCK) {
        const int64_t count = pt_lesser(m - from, BLOCK);
        PT_TRY(
            pt_kernel_store_rows(s->p->store, pattern + from, count, s->buffer, s->row, task, err));
        for (int64_t r = 0; r < count; r++)
            for (int64_t c = 0; c < m; c++)
                A[(from + r) * m + c] = kernel_value(s, r, pattern[c]);
    }
    return pt_check_semidefinite(A, m, err);
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
    PT_TRY(solver_init(s, problem, eta, task, err));
    PT_TRY(pt_spoc_begin(problem, eta, err));
    PT_TRY(solve(s, stage, task, err));
    int64_t patterns = 0;
    for (int64_t i = 0; i < problem->n; i++)
        patterns += pt_spoc_is_pattern(s, i);
    if (s->tested)
        PT_TRY(test_patterns(s, patterns, task, err));
    *result = (pt_spoc_result){s->end.value, s->end.gap, s->steps,
                               s->rounds,    patterns,   pt_dual_reached(&s->end)};
    return PT_OK;
}
