/* SPOC on a working set that grows, as the box QP has it (box_qp.c).
 *
 * Of many examples few become support patterns. So the problem is solved on a working set A only
 * (spoc.c, with the kernel values of A held); then the gradient of all examples is formed, in
 * double, from blocks of kernel values that are used and forgotten; those with most to gain join A,
 * those that are no patterns and want to stay so leave it; until the gap of all is small. Early
 * rounds are solved roughly.
 *
 *   A       m of n   ascending; it begins as a sample of every class
 *   exact   n x k    the gradient, in chunks (spoc_loops.h)
 *
 * Float32 values are not the same to the last bit in a block and in the matrix of A. For a gap so
 * small that this shows, the rows are taken in double.
 *
 * Memory: m^2 kernel values, or a cache where these do not fit into `bytes`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "solvers/dual/dual_end.h"
#include "solvers/dual/kernel_blocks.h"
#include "solvers/dual/spoc_solver.h"

enum {
    CHUNK = PT_KERNEL_BLOCK_ROWS, /* which is PT_SPOC_CHUNK */
    BLOCK = PT_KERNEL_BLOCK_COLUMNS,
    FIRST_SHARE = 8,
    LEAST_ROOM = 1024 /* for examples that join A; half of what is held without growing */
};
_Static_assert((int)PT_KERNEL_BLOCK_ROWS == (int)PT_SPOC_CHUNK, "a block has the rows of a chunk");
static const double ROUGH_GAP = 0.1;    /* to which a working set that will grow is solved */
static const double MANY = 0.5;         /* patterns in a sample: then all examples are taken */
static const double NARROW_GAP = 1e-5;  /* below this float32 is too coarse */
static const double STALL_RISE = 1e-10; /* relative, of the value */
static const double STALL_FALL = 0.9;
static const double OWN_SHARE = 0.5; /* of the gap that is asked for: for A itself, in the end */

typedef struct growing {
    const pt_spoc *p;
    const pt_spoc_loops *loops;
    pt_sparse_rows *eta; /* n rows, the caller's */
    double *diagonal;    /* n */
    double *gain;        /* n */
    double *tau;         /* k */
    int64_t *A;          /* n, of which m count, as of the others */
    int64_t m;
    int64_t *class_of;
    double *bound;
    double *exact;
    double aim;
    bool last; /* all that want to move are in A */
    pt_dual_end end;
    int64_t steps;
    int64_t rounds;

    /* the gradient of all */
    pt_gram *gram;
    int64_t *patterns; /* n */
    int64_t n_patterns;
    int64_t *first;  /* batches x k + 1: entries of a batch of patterns by class */
    int64_t *column; /* of an entry: its pattern in the batch */
    double *coef;    /* of an entry: tau */
} growing;

static bool is_pattern(const growing *w, int64_t i)
{
    return pt_spoc_is_support(w->eta, i, w->p->class_of[i]);
}

/* ---- the gradient of all --------------------------------------------------------------------- */

static int64_t batches_of(const growing *w)
{
    return (w->n_patterns + BLOCK - 1) / BLOCK;
}

/* tau of the patterns, by batch and class. */
static pt_status list_entries(growing *w, pt_error *err)
{
    const int64_t k = w->p->k;
    int64_t entries = 0;
    w->n_patterns = 0;
    for (int64_t i = 0; i < w->p->n; i++)
        if (is_pattern(w, i)) {
            w->patterns[w->n_patterns++] = i;
            entries += w->eta->count[i] + 1;
        }
    w->first = pt_alloc_zero(batches_of(w) * k + 1, sizeof(int64_t), "a gradient", err);
    w->column = pt_alloc(entries, sizeof(int64_t), "a gradient", err);
    w->coef = pt_alloc(entries, sizeof(double), "a gradient", err);
    if (!w->first || !w->column || !w->coef)
        return PT_ENOMEM;
    int64_t at = 0;
    for (int64_t batch = 0; batch < batches_of(w); batch++)
        for (int64_t r = 0; r < k; r++) {
            w->first[batch * k + r] = at;
            for (int64_t b = batch * BLOCK; b < (batch + 1) * BLOCK && b < w->n_patterns; b++) {
                const int64_t i = w->patterns[b];
                const pt_entry *row = pt_sparse_row(w->eta, i);
                double tau = 0;
                for (int64_t c = 0; c < w->eta->count[i]; c++)
                    if (row[c].column == r && r != w->p->class_of[i])
                        tau = -row[c].value;
                    else if (row[c].column != r && r == w->p->class_of[i])
                        tau += row[c].value;
                if (tau != 0) {
                    w->column[at] = b - batch * BLOCK;
                    w->coef[at++] = tau;
                }
            }
        }
    w->first[batches_of(w) * k] = at;
    return PT_OK;
}

/* Adds one batch of patterns, whose kernel values are given, to a chunk. */
static void add_batch(void *context, const pt_kernel_block *block)
{
    const growing *w = context;
    const size_t size = pt_type_size(w->p->rows->type);
    const int64_t k = w->p->k;
    const int64_t *first = w->first + block->at / BLOCK * k;
    double *G = w->exact + block->first * k;
    for (int64_t r = 0; r < k; r++, G += CHUNK) {
        const int64_t count = first[r + 1] - first[r];
        const double *coef = w->coef + first[r];
        const void *row[BLOCK];
        for (int64_t c = 0; c < count; c++)
            row[c] = block->values + (size_t)(w->column[first[r] + c] * block->height) * size;
        if (w->p->rows->type == PT_F32)
            w->loops->update_f32_f64(row, coef, count, block->height, G);
        else
            w->loops->update_f64_f64(row, coef, count, block->height, G);
    }
}

static pt_status form_gradient(growing *w, const pt_task *task, pt_error *err)
{
    pt_status status = list_entries(w, err);
    pt_spoc_fill_costs(w->p, w->exact);
    if (status == PT_OK)
        status = pt_kernel_blocks(w->gram, w->p->rows, w->p->kernel, w->patterns, w->n_patterns,
                                  add_batch, w, task, err);
    pt_free(w->first);
    pt_free(w->column);
    pt_free(w->coef);
    w->first = NULL;
    w->column = NULL;
    w->coef = NULL;
    return status;
}

/* What each example has to gain. */
static void find_gains(growing *w)
{
    const pt_spoc_rules *rules = pt_spoc_rules_of(w->p);
    for (int64_t i = 0; i < w->p->n; i++)
        w->gain[i] = rules->gain(
            w->p, w->eta, i, w->exact + (i / CHUNK) * w->p->k * CHUNK + i % CHUNK, w->diagonal[i]);
}

/* ---- the working set ------------------------------------------------------------------------- */

/* Of each class every so manyth that may move at all. */
static pt_status first_set(growing *w, pt_error *err)
{
    int64_t *seen = pt_alloc_zero(w->p->k, sizeof(int64_t), "a working set", err);
    if (!seen)
        return PT_ENOMEM;
    w->m = 0;
    for (int64_t i = 0; i < w->p->n; i++)
        if (w->p->bound[i] > 0 && seen[w->p->class_of[i]]++ % FIRST_SHARE == 0)
            w->A[w->m++] = i;
    pt_free(seen);
    w->aim = ROUGH_GAP;
    return PT_OK;
}

/* The patterns, and the others with most to gain: as many again, at least LEAST_ROOM. Once these
 * are all that want to move, A is solved as far as is asked for; and further if that was not
 * enough. */
static void next_set(growing *w)
{
    int64_t kept = 0;
    int64_t wanting = 0;
    for (int64_t i = 0; i < w->p->n; i++)
        if (is_pattern(w, i)) {
            kept++;
            w->gain[i] = 0;
        } else {
            wanting += w->gain[i] > 0;
        }
    const int64_t room = kept > LEAST_ROOM ? kept : LEAST_ROOM;
    w->m = pt_choose_largest(w->gain, w->p->n, room, w->A);
    for (int64_t i = 0; i < w->p->n; i++)
        if (is_pattern(w, i))
            w->A[w->m++] = i;
    qsort(w->A, (size_t)w->m, sizeof *w->A, pt_ascending_integers);
    w->aim = w->last ? OWN_SHARE * w->aim : wanting <= room ? OWN_SHARE * w->p->gap : ROUGH_GAP;
    w->last = w->last || wanting <= room;
}

/* Solves on A to the relative gap w->aim. */
static pt_status solve_set(growing *w, const pt_task *task, pt_error *err)
{
    pt_rows_owned rows = {0};
    pt_kernel_store *store = NULL;
    pt_sparse_rows eta = {0};
    pt_spoc_result result = {0};
    pt_status status = pt_rows_select(&rows, w->p->rows, w->A, w->m, err);
    if (status == PT_OK)
        status = pt_kernel_store_open(&store, &rows.rows, w->p->kernel, w->gram, w->p->bytes / 2,
                                      task, err);
    if (status == PT_OK)
        status = pt_sparse_rows_init(&eta, w->m, err);
    for (int64_t a = 0; a < w->m && status == PT_OK; a++) {
        const int64_t i = w->A[a];
        w->class_of[a] = w->p->class_of[i];
        w->bound[a] = w->p->bound[i];
        status = pt_sparse_rows_set(&eta, a, pt_sparse_row(w->eta, i), w->eta->count[i], err);
    }
    pt_spoc sub = *w->p;
    sub.store = store;
    sub.n = w->m;
    sub.class_of = w->class_of;
    sub.bound = w->bound;
    sub.number = w->A; /* the whole problem has all rows in order */
    sub.gap = w->aim;
    sub.bytes = w->p->bytes / 2;
    sub.margins = NULL;
    if (status == PT_OK)
        status = pt_spoc_solve(&sub, &eta, &result, NULL, task, err);
    for (int64_t a = 0; a < w->m && status == PT_OK; a++)
        status = pt_sparse_rows_set(w->eta, w->A[a], pt_sparse_row(&eta, a), eta.count[a], err);
    w->steps += result.steps;
    w->rounds += result.rounds;
    pt_sparse_rows_free(&eta);
    pt_kernel_store_close(store);
    pt_rows_owned_free(&rows);
    return status;
}

/* ---- the solver ------------------------------------------------------------------------------ */

static void report(const growing *w, const char *stage, const pt_task *task)
{
    const double now = pt_dual_relative_gap(&w->end);
    if (!stage)
        return;
    pt_task_progress(task, stage, pt_dual_progress(now, w->p->gap), 1);
    pt_task_say(task, PT_INFO,
                "%s: dual %.9g, primal %.9g, relative gap %.2g; %lld of %lld examples are support "
                "patterns",
                stage, w->end.value, w->end.value + w->end.gap, now, (long long)w->n_patterns,
                (long long)w->p->n);
}

/* Whether more than MANY of the examples of A are patterns, so that most of all will be, and the
 * values of all can be held. */
static bool takes_all(const growing *w)
{
    int64_t count = 0;
    for (int64_t a = 0; a < w->m; a++)
        count += is_pattern(w, w->A[a]);
    return (double)count > MANY * (double)w->m &&
           pt_kernel_store_bytes(w->p->n, w->p->rows->type) <= w->p->bytes / 2;
}

static pt_status solve_all(growing *w, const char *stage, const pt_task *task, pt_error *err)
{
    pt_spoc all = *w->p;
    pt_spoc_result result = {0};
    all.bytes = w->p->bytes / 2;
    pt_status status =
        pt_kernel_store_open(&all.store, w->p->rows, w->p->kernel, w->gram, all.bytes, task, err);
    if (status == PT_OK)
        status = pt_spoc_solve(&all, w->eta, &result, stage, task, err);
    pt_kernel_store_close(all.store);
    w->end.value = result.value;
    w->end.gap = result.gap;
    w->steps += result.steps;
    w->rounds += result.rounds;
    w->n_patterns = result.patterns;
    return status;
}

/* Rounds, until the gap is small, or neither falls any more nor does the value rise. */
static pt_status grow(growing *w, const char *stage, const pt_task *task, pt_error *err)
{
    bool warm = false;
    for (int64_t i = 0; i < w->p->n && !warm; i++)
        warm = is_pattern(w, i);
    pt_status status = warm ? PT_OK : first_set(w, err);
    if (status == PT_OK && !warm)
        status = solve_set(w, task, err);
    if (status == PT_OK && !warm && takes_all(w))
        return solve_all(w, stage, task, err);
    double gap_before = INFINITY;
    double value_before = -INFINITY;
    while (status == PT_OK) {
        status = form_gradient(w, task, err);
        if (status != PT_OK)
            break;
        pt_spoc_measure(w->p, w->eta, w->exact, w->tau, &w->end.value, &w->end.gap);
        report(w, stage, task);
        /* the gap of all may rise while those outside of A have not been asked */
        const bool better = w->end.gap < STALL_FALL * gap_before ||
                            w->end.value > value_before + STALL_RISE * fabs(value_before);
        if (pt_dual_reached(&w->end) || !better || (w->p->limit > 0 && w->steps >= w->p->limit) ||
            pt_task_ends_early(task))
            break;
        gap_before = w->end.gap;
        value_before = w->end.value;
        find_gains(w);
        next_set(w);
        status = w->m > 0 ? solve_set(w, task, err) : PT_OK;
        if (w->m == 0)
            break;
    }
    if (status == PT_OK && w->p->margins)
        pt_spoc_note_margins(w->p, w->eta, w->exact, w->diagonal, w->tau);
    return status;
}

static void growing_free(growing *w)
{
    pt_free(w->diagonal);
    pt_free(w->gain);
    pt_free(w->tau);
    pt_free(w->A);
    pt_free(w->class_of);
    pt_free(w->bound);
    pt_free(w->exact);
    pt_free(w->patterns);
    pt_gram_free(w->gram);
}

static pt_status growing_init(growing *w, const pt_spoc *p, pt_sparse_rows *eta,
                              const pt_task *task, pt_error *err)
{
    const int64_t n = p->n;
    *w = (growing){.p = p, .loops = pt_spoc_loops_chosen(), .eta = eta, .end = {.asked = p->gap}};
    w->diagonal = pt_alloc(n, sizeof(double), "a working set", err);
    w->gain = pt_alloc(n, sizeof(double), "a working set", err);
    w->bound = pt_alloc(n, sizeof(double), "a working set", err);
    w->tau = pt_alloc(p->k, sizeof(double), "a working set", err);
    w->A = pt_alloc(n, sizeof(int64_t), "a working set", err);
    w->class_of = pt_alloc(n, sizeof(int64_t), "a working set", err);
    w->patterns = pt_alloc(n, sizeof(int64_t), "a working set", err);
    w->exact = pt_alloc(pt_spoc_chunks(n) * CHUNK * p->k, sizeof(double), "a gradient", err);
    if (!w->diagonal || !w->gain || !w->bound || !w->tau || !w->A || !w->class_of || !w->patterns ||
        !w->exact)
        return PT_ENOMEM;
    PT_TRY(pt_gram_new(&w->gram, p->rows, p->kernel->ops->base, p->rows->type, task, err));
    PT_TRY(pt_kernel_diagonal(w->gram, p->kernel, w->diagonal, err));
    return pt_spoc_begin(p, eta, err);
}

static pt_status solve(const pt_spoc *p, pt_sparse_rows *eta, pt_spoc_result *result,
                       const char *stage, const pt_task *task, pt_error *err)
{
    growing w;
    pt_status status = growing_init(&w, p, eta, task, err);
    if (status == PT_OK)
        status = grow(&w, stage, task, err);
    if (status == PT_OK)
        *result = (pt_spoc_result){w.end.value, w.end.gap,    w.steps,
                                   w.rounds,    w.n_patterns, pt_dual_reached(&w.end)};
    growing_free(&w);
    return status;
}

pt_status pt_spoc_grow(const pt_spoc *p, pt_sparse_rows *eta, pt_spoc_result *result,
                       const char *stage, const pt_task *task, pt_error *err)
{
    if (p->rows->type == PT_F64 || p->gap >= NARROW_GAP)
        return solve(p, eta, result, stage, task, err);
    pt_rows_owned rows = {0};
    pt_spoc wide = *p;
    pt_status status = pt_rows_widen(&rows, p->rows, err);
    wide.rows = &rows.rows;
    wide.bytes = fmax(p->bytes - (double)pt_rows_stored(p->rows) * sizeof(double), p->bytes / 2);
    if (status == PT_OK)
        status = solve(&wide, eta, result, stage, task, err);
    pt_rows_owned_free(&rows);
    return status;
}
