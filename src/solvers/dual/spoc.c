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
 * Now and then all of them leap (spoc_leap.c). Whenever the active ones seem to be solved, g is
 * formed anew for all n, in double (spoc_gradient.c), and it alone decides the end: a float32
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
#include "solvers/dual/dual_end.h"
#include "solvers/dual/kernel_blocks.h"
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

static void solver_free(pt_spoc_solver *s)
{
    if (!s)
        return;
    pt_free(s->active);
    pt_free(s->G);
    pt_free(s->copy);
    pt_free(s->past_G);
    pt_sparse_rows_free(&s->past);
    pt_free(s->gain);
    pt_free(s->ratio);
    pt_free(s->ranked);
    pt_free(s->sums);
    pt_free(s->hidden);
    pt_free(s->buffer);
    pt_free(s->block.g);
    pt_free(s->entry);
    pt_free(s->first);
    pt_free(s->from_row);
    pt_free(s->coef);
    pt_free(s);
}

static pt_status check_diagonal(const pt_spoc *p, const double *diagonal, pt_error *err)
{
    for (int64_t i = 0; i < p->n; i++)
        PT_TRY(pt_check_own_value(diagonal[i], diagonal[i], err));
    return PT_OK;
}

static pt_status new_block(pt_spoc_solver *s, pt_error *err)
{
    const int64_t k = s->p->k;
    const int64_t ld = pt_round_up(k, LANES);
    double *numbers = pt_alloc((3 * BLOCK + 2) * ld, sizeof(double), "a block of examples", err);
    s->entry = pt_alloc(k, sizeof(pt_entry), "a block of examples", err);
    s->first = pt_alloc(k + 1, sizeof(int64_t), "a block of examples", err);
    s->from_row = pt_alloc(BLOCK * k, sizeof(void *), "a block of examples", err);
    s->coef = pt_alloc(BLOCK * k, sizeof(double), "a block of examples", err);
    s->block = (pt_spoc_block){.k = k,
                               .ld = ld,
                               .K = s->K,
                               .curve = s->curve,
                               .step = s->step,
                               .total = s->total,
                               .own = s->own,
                               .g = numbers};
    if (!numbers || !s->entry || !s->first || !s->from_row || !s->coef)
        return PT_ENOMEM;
    s->block.eta = numbers + BLOCK * ld;
    s->before = numbers + 2 * BLOCK * ld;
    s->block.work = numbers + 3 * BLOCK * ld;
    return PT_OK;
}

/* As many for each power of ten by which the gap is smaller than USUAL_GAP. */
static int64_t usual_limit(const pt_spoc *p)
{
    const double powers = p->gap < USUAL_GAP ? fmin(log10(USUAL_GAP / p->gap), MOST_POWERS) : 0;
    return (int64_t)((1 + powers) * (double)(STEPS + STEPS_EACH * p->n));
}

static pt_status new_hidden(pt_spoc_solver *s, const pt_task *task, pt_error *err)
{
    if (s->p->kind != PT_WESTON_WATKINS)
        return PT_OK;
    const int64_t workers = pt_parallel_workers(task, pt_spoc_chunks(s->p->n));
    s->hidden = pt_alloc(workers * CHUNK, (size_t)s->p->k * sizeof(double), "a gradient", err);
    return s->hidden ? PT_OK : PT_ENOMEM;
}

static pt_status solver_new(pt_spoc_solver **out, const pt_spoc *p, pt_sparse_rows *eta,
                            const pt_task *task, pt_error *err)
{
    pt_spoc_solver *s = pt_alloc_zero(1, sizeof *s, "a solver", err);
    if (!s)
        return PT_ENOMEM;
    s->p = p;
    s->rules = pt_spoc_rules_of(p);
    s->loops = pt_spoc_loops_chosen();
    s->diagonal = pt_kernel_store_diagonal(p->store);
    s->eta = eta;
    s->type = pt_kernel_store_type(p->store);
    s->wide = s->type == PT_F64 || p->gap < WIDE_GAP;
    s->tested = pt_may_be_indefinite(p->kernel);
    s->limit = p->limit > 0 ? p->limit : usual_limit(p);
    s->end.asked = p->gap;
    s->aim = OWN_SHARE * p->gap;
    s->end.said = INFINITY;
    s->active = pt_alloc(p->n, sizeof(int64_t), "active examples", err);
    s->gain = pt_alloc(p->n, sizeof(double), "gains", err);
    s->ratio = pt_alloc(p->n, sizeof(double), "leaps", err);
    s->ranked = pt_alloc(p->n, sizeof(double), "leaps", err);
    s->sums = pt_alloc(pt_spoc_chunks(p->n), sizeof *s->sums, "sums", err);
    s->buffer = pt_alloc((int64_t)pt_kernel_store_buffer(p->store, BLOCK), 1, "kernel rows", err);
    pt_status status =
        s->active && s->gain && s->ratio && s->ranked && s->sums && s->buffer ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = new_block(s, err);
    if (status == PT_OK)
        status = new_hidden(s, task, err);
    if (status == PT_OK)
        status = check_diagonal(p, s->diagonal, err);
    if (status != PT_OK) {
        solver_free(s);
        return status;
    }
    *out = s;
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

/* ---- a round --------------------------------------------------------------------------------- */

static double kernel_value(const pt_spoc_solver *s, int64_t b, int64_t a)
{
    return s->type == PT_F32 ? (double)((const float *)s->row[b])[a]
                             : ((const double *)s->row[b])[a];
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
    memcpy(s->before, s->block.eta, (size_t)(s->count * ld) * sizeof(double));
}

/* The block's eta into its rows; `before` <- the change of tau. */
static pt_status store_block(pt_spoc_solver *s, pt_error *err)
{
    const int64_t ld = s->block.ld;
    pt_status status = PT_OK;
    for (int64_t b = 0; b < s->count && status == PT_OK; b++) {
        const double *eta = s->block.eta + b * ld;
        int64_t count = 0;
        for (int64_t r = 0; r < s->p->k; r++) {
            s->before[b * ld + r] -= eta[r];
            if (eta[r] > 0) /* not that of the own class, where WW has the sum */
                s->entry[count++] = (pt_entry){r, eta[r]};
        }
        status = pt_sparse_rows_set(s->eta, s->active[s->W[b]], s->entry, count, err);
    }
    return status;
}

static pt_status solve_block(pt_spoc_solver *s, pt_error *err)
{
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
    PT_TRY(store_block(s, err));
    pt_spoc_sort_changes(s, s->before, s->block.ld);
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
    pt_status status = pt_spoc_update(s, task, err);
    for (int64_t round = 0; status == PT_OK; round++) {
        report(s, stage, false, task);
        if (pt_dual_within(&s->end, s->aim) || s->steps >= s->limit ||
            (round > 0 && pt_task_ends_early(task)))
            break;
        if (stalled(s, round, &now, &before)) {
            if (!s->leaping)
                break;
            s->leaping = false; /* a leap raises the gap for a while: end without */
        }
        if (round % (SHRINK_EVERY + s->m / BLOCK) == 0)
            status = pt_spoc_shrink(s, task, err);
        if (status == PT_OK && s->leaping && round % (LEAP_EVERY + s->m / (4 * BLOCK)) == 0)
            status = pt_spoc_leap(s, task, err);
        s->count = pt_choose_largest(s->gain, s->m, BLOCK, s->W);
        if (s->count == 0)
            break; /* nothing moves any more: as good as rounding allows */
        if (status == PT_OK)
            status = pt_task_check(task, err);
        if (status == PT_OK)
            status = pt_spoc_fetch_rows(s, s->W, s->count, task, err);
        if (status == PT_OK)
            status = solve_block(s, err);
        if (status == PT_OK)
            status = pt_spoc_update(s, task, err);
        s->rounds++;
    }
    return status;
}

/* Descents, each followed by a look at all examples, in double. */
static pt_status solve(pt_spoc_solver *s, const char *stage, const pt_task *task, pt_error *err)
{
    const int64_t cells = pt_spoc_cells(s, s->p->n);
    double gap_before = INFINITY;
    double value_before = -INFINITY;
    for (int formed = 0;; formed++) {
        pt_spoc_forget_past(s);
        double *exact = pt_alloc(cells, sizeof(double), "a gradient", err);
        pt_status status = exact ? pt_spoc_form(s, exact, task, err) : PT_ENOMEM;
        bool done = true;
        if (status == PT_OK) {
            pt_spoc_measure(s->p, s->eta, exact, s->before, &s->end.value, &s->end.gap);
            report(s, stage, true, task);
            const bool better = s->end.gap < 0.9 * gap_before ||
                                s->end.value > value_before + STALL_RISE * fabs(value_before);
            done = pt_dual_reached(&s->end) || s->steps >= s->limit || formed > MOST_FORMED ||
                   (s->wide && !better) || (formed > 0 && pt_task_ends_early(task));
            s->wide = s->wide || s->end.gap > 0.5 * gap_before;
        }
        if (status == PT_OK && done && s->p->margins)
            pt_spoc_note_margins(s->p, s->eta, exact, s->diagonal, s->before);
        if (formed > 0)
            s->aim *= 0.5;
        gap_before = s->end.gap;
        value_before = s->end.value;
        if (status == PT_OK && !done)
            status = pt_spoc_activate_all(s, &exact, err);
        pt_free(exact);
        if (status == PT_OK && !done)
            status = descend(s, stage, task, err);
        if (status != PT_OK || done)
            return status;
    }
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
        const int64_t count = m - from < BLOCK ? m - from : BLOCK;
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
    pt_spoc_solver *s = NULL;
    if (!problem->store)
        return pt_spoc_grow(problem, eta, result, stage, task, err);
    pt_status status = solver_new(&s, problem, eta, task, err);
    if (status != PT_OK)
        return status;
    status = pt_spoc_begin(problem, eta, err);
    if (status == PT_OK)
        status = solve(s, stage, task, err);
    int64_t patterns = 0;
    for (int64_t i = 0; i < problem->n && status == PT_OK; i++)
        patterns += pt_spoc_is_pattern(s, i);
    if (status == PT_OK && s->tested)
        status = test_patterns(s, patterns, task, err);
    if (status == PT_OK)
        *result = (pt_spoc_result){s->end.value, s->end.gap, s->steps,
                                   s->rounds,    patterns,   pt_dual_reached(&s->end)};
    solver_free(s);
    return status;
}
