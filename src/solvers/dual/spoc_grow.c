/* SPOC on a working set that grows (working_set.h): of many examples few become support patterns.
 *
 *   exact   n x k    the gradient of all, in chunks (spoc_loops.h)
 *
 * Float32 values are not the same to the last bit in a block and in the matrix of A. For a gap so
 * small that this shows, the rows are taken in double. */
#include <math.h>

#include "solvers/dual/spoc_solver.h"
#include "solvers/dual/working_set.h"

enum { CHUNK = PT_KERNEL_BLOCK_ROWS, BLOCK = PT_KERNEL_BLOCK_COLUMNS };
_Static_assert((int)PT_KERNEL_BLOCK_ROWS == (int)PT_SPOC_CHUNK, "a block has the rows of a chunk");
static const double MANY = 0.5;        /* patterns in a sample: then all examples are taken */
static const double NARROW_GAP = 1e-5; /* below this float32 is too coarse */

typedef struct spoc_set {
    pt_working_set set; /* first: rules cast from it */
    const pt_spoc *p;
    pt_sparse_rows *eta; /* n rows, the caller's */
    double *tau;         /* k */
    double *exact;
    int64_t steps;
    int64_t rounds;

    /* the problem on A: n, of which m count */
    int64_t *class_of;
    double *bound;

    /* tau of the patterns, by batch of BLOCK and class */
    int64_t *first;   /* batches x k + 1 */
    int64_t *column;  /* of an entry: its pattern in the batch */
    double *coef;     /* of an entry: tau */
    pt_arena entries; /* these three */
    pt_arena arena;   /* and the others */
} spoc_set;

static bool is_pattern(const pt_working_set *set, int64_t i)
{
    const spoc_set *w = (const spoc_set *)set;
    return pt_spoc_is_support(w->eta, i, w->p->class_of[i]);
}

static int64_t class_that_moves(const pt_working_set *set, int64_t i)
{
    const pt_spoc *p = ((const spoc_set *)set)->p;
    return p->bound[i] > 0 ? p->class_of[i] : -1;
}

/* ---- the gradient of all --------------------------------------------------------------------- */

static pt_status begin_gradient(pt_working_set *set, pt_error *err)
{
    spoc_set *w = (spoc_set *)set;
    const int64_t k = w->p->k;
    const int64_t batches = (set->n_support + BLOCK - 1) / BLOCK;
    int64_t entries = 0;
    for (int64_t c = 0; c < set->n_support; c++)
        entries += w->eta->count[set->support[c]] + 1;
    pt_arena_free(&w->entries);
    PT_TRY(PT_ARENA(&w->entries, "a gradient", err, PT_PIECE(w->first, batches * k + 1),
                    PT_PIECE(w->column, entries), PT_PIECE(w->coef, entries)));
    int64_t at = 0;
    for (int64_t batch = 0; batch < batches; batch++)
        for (int64_t r = 0; r < k; r++) {
            w->first[batch * k + r] = at;
            for (int64_t b = batch * BLOCK; b < (batch + 1) * BLOCK && b < set->n_support; b++) {
                const int64_t i = set->support[b];
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
    w->first[batches * k] = at;
    pt_spoc_fill_costs(w->p, w->exact);
    return PT_OK;
}

/* Adds one batch of patterns, whose kernel values are given, to a chunk. */
static void add_block(pt_working_set *set, const pt_kernel_block *block)
{
    const spoc_set *w = (const spoc_set *)set;
    const pt_spoc_loops *loops = pt_spoc_loops_chosen();
    const size_t size = pt_type_size(set->rows->type);
    const int64_t k = w->p->k;
    const int64_t *first = w->first + block->at / BLOCK * k;
    double *G = w->exact + block->first * k;
    for (int64_t r = 0; r < k; r++, G += CHUNK) {
        const int64_t count = first[r + 1] - first[r];
        const double *coef = w->coef + first[r];
        const void *row[BLOCK];
        for (int64_t c = 0; c < count; c++)
            row[c] = block->values + (size_t)(w->column[first[r] + c] * block->height) * size;
        if (set->rows->type == PT_F32)
            loops->update_f32_f64(row, coef, count, block->height, G);
        else
            loops->update_f64_f64(row, coef, count, block->height, G);
    }
}

static void measure(pt_working_set *set)
{
    spoc_set *w = (spoc_set *)set;
    const pt_spoc *p = w->p;
    const pt_spoc_rules *rules = pt_spoc_rules_of(p);
    pt_spoc_measure(p, w->eta, w->exact, w->tau, &set->end.value, &set->end.gap);
    for (int64_t i = 0; i < p->n; i++)
        set->gain[i] = rules->gain(p, w->eta, i, w->exact + (i / CHUNK) * p->k * CHUNK + i % CHUNK,
                                   set->diagonal[i]);
}

/* ---- the working set ------------------------------------------------------------------------- */

static pt_status solve_set(pt_working_set *set, pt_kernel_store *store, const pt_task *task,
                           pt_error *err)
{
    spoc_set *w = (spoc_set *)set;
    PT_FREED_BY(pt_sparse_rows_free) pt_sparse_rows eta = {0};
    pt_spoc_result result = {0};
    PT_TRY(pt_sparse_rows_init(&eta, set->m, task, err));
    for (int64_t a = 0; a < set->m; a++) {
        const int64_t i = set->A[a];
        w->class_of[a] = w->p->class_of[i];
        w->bound[a] = w->p->bound[i];
        PT_TRY(pt_sparse_rows_set(&eta, a, pt_sparse_row(w->eta, i), w->eta->count[i], err));
    }
    pt_spoc sub = *w->p;
    sub.store = store;
    sub.n = set->m;
    sub.class_of = w->class_of;
    sub.bound = w->bound;
    sub.number = set->A; /* the whole problem has all rows in order */
    sub.gap = set->aim;
    sub.bytes = set->bytes;
    sub.margins = NULL;
    PT_TRY(pt_spoc_solve(&sub, &eta, &result, NULL, task, err));
    for (int64_t a = 0; a < set->m; a++)
        PT_TRY(pt_sparse_rows_set(w->eta, set->A[a], pt_sparse_row(&eta, a), eta.count[a], err));
    w->steps += result.steps;
    w->rounds += result.rounds;
    return PT_OK;
}

static bool is_over(const pt_working_set *set, const pt_task *task)
{
    const spoc_set *w = (const spoc_set *)set;
    return (w->p->limit > 0 && w->steps >= w->p->limit) || pt_task_ends_early(task);
}

static const pt_working_rules RULES = {.least_room =
                                           1024, /* half of what is held without growing */
                                       .is_support = is_pattern,
                                       .group_of = class_that_moves,
                                       .begin_gradient = begin_gradient,
                                       .add_block = add_block,
                                       .measure = measure,
                                       .solve = solve_set,
                                       .is_over = is_over};

/* ---- the solver ------------------------------------------------------------------------------ */

/* Whether more than MANY of the examples of A are patterns, so that most of all will be, and the
 * values of all can be held. */
static bool takes_all(const pt_working_set *set)
{
    int64_t count = 0;
    for (int64_t a = 0; a < set->m; a++)
        count += is_pattern(set, set->A[a]);
    return (double)count > MANY * (double)set->m &&
           pt_kernel_store_bytes(set->rows->n, set->rows->type) <= set->bytes;
}

static pt_status solve_all(spoc_set *w, pt_spoc_result *result, const char *stage,
                           const pt_task *task, pt_error *err)
{
    const pt_working_set *set = &w->set;
    pt_spoc all = *w->p;
    all.bytes = set->bytes;
    PT_TRY(
        pt_kernel_store_open(&all.store, set->rows, set->kernel, set->gram, all.bytes, task, err));
    const pt_status status = pt_spoc_solve(&all, w->eta, result, stage, task, err);
    pt_kernel_store_close(all.store);
    result->steps += w->steps;
    result->rounds += w->rounds;
    return status;
}

static void spoc_set_free(spoc_set *w)
{
    pt_arena_free(&w->entries);
    pt_arena_free(&w->arena);
    pt_working_set_free(&w->set);
}

static pt_status solve(const pt_spoc *p, pt_sparse_rows *eta, pt_spoc_result *result,
                       const char *stage, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(spoc_set_free)
    spoc_set w = {.set = {.rules = &RULES,
                          .rows = p->rows,
                          .kernel = p->kernel,
                          .bytes = p->bytes / 2,
                          .groups = p->k,
                          .end = {.asked = p->gap}},
                  .p = p,
                  .eta = eta};
    PT_TRY(PT_ARENA(&w.arena, "a working set", err, PT_PIECE(w.bound, p->n),
                    PT_PIECE(w.class_of, p->n), PT_PIECE(w.tau, p->k),
                    PT_PIECE(w.exact, pt_spoc_chunks(p->n) * CHUNK * p->k)));
    PT_TRY(pt_working_set_init(&w.set, task, err));
    PT_TRY(pt_spoc_begin(p, eta, task, err));
    PT_TRY(pt_working_set_begin(&w.set, task, err));
    if (w.set.m > 0 && takes_all(&w.set))
        return solve_all(&w, result, stage, task, err);
    PT_TRY(pt_working_set_grow(&w.set, stage, task, err));
    if (p->margins)
        pt_spoc_note_margins(p, eta, w.exact, w.set.diagonal, w.tau);
    *result = (pt_spoc_result){w.set.end.value, w.set.end.gap,   w.steps,
                               w.rounds,        w.set.n_support, pt_dual_reached(&w.set.end)};
    return PT_OK;
}

pt_status pt_spoc_grow(const pt_spoc *p, pt_sparse_rows *eta, pt_spoc_result *result,
                       const char *stage, const pt_task *task, pt_error *err)
{
    if (p->rows->type == PT_F64 || p->gap >= NARROW_GAP)
        return solve(p, eta, result, stage, task, err);
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned rows = {0};
    pt_spoc wide = *p;
    PT_TRY(pt_rows_widen(&rows, p->rows, task, err));
    wide.rows = &rows.rows;
    wide.bytes = fmax(p->bytes - (double)pt_rows_stored(p->rows) * sizeof(double), p->bytes / 2);
    return solve(&wide, eta, result, stage, task, err);
}
