/* The rounds of a working set: see working_set.h. */
#include "solvers/dual/working_set.h"

#include <math.h>
#include <stdlib.h>

#include "base/math.h"
#include "base/parallel.h"
#include "solvers/dual/dual_parts.h"

enum { ROWS = PT_KERNEL_BLOCK_ROWS, COLUMNS = PT_KERNEL_BLOCK_COLUMNS, FIRST_SHARE = 8 };
static const double ROUGH_GAP = 0.1;    /* to which a working set that will grow is solved */
static const double OWN_SHARE = 0.5;    /* of the gap that is asked for: for A itself, in the end */
static const double STALL_RISE = 1e-10; /* relative, of the value */
static const double STALL_FALL = 0.9;

pt_status pt_working_set_init(pt_working_set *w, const pt_task *task, pt_error *err)
{
    const int64_t n = w->rows->n;
    PT_TRY(PT_ARENA(&w->arena, "a working set", err, PT_PIECE(w->diagonal, n), PT_PIECE(w->gain, n),
                    PT_PIECE(w->A, n), PT_PIECE(w->support, n)));
    PT_TRY(pt_gram_new(&w->gram, w->rows, w->kernel->ops, w->rows->type, task, err));
    return pt_kernel_diagonal(w->gram, w->kernel, w->diagonal, err);
}

void pt_working_set_free(pt_working_set *w)
{
    pt_gram_free(w->gram);
    pt_arena_free(&w->arena);
}

/* ---- the gradient of all --------------------------------------------------------------------- */

typedef struct kernel_blocks {
    pt_working_set *w;
    pt_gram *some; /* of the support */
    char *scratch; /* of every worker */
    size_t scratch_bytes;
    size_t block_bytes;
} kernel_blocks;

/* The blocks of ROWS rows. */
static pt_status rows_body(void *context, int64_t piece, int worker, pt_error *err)
{
    const kernel_blocks *b = context;
    pt_working_set *w = b->w;
    const int64_t first = piece * ROWS;
    const int64_t height = pt_lesser(w->rows->n - first, ROWS);
    char *values = b->scratch + (size_t)worker * b->scratch_bytes;
    for (int64_t at = 0; at < w->n_support; at += COLUMNS) {
        const int64_t columns = pt_lesser(w->n_support - at, COLUMNS);
        PT_TRY(pt_gram_block(w->gram, first, height, b->some, at, columns, values, height,
                             values + b->block_bytes, err));
        pt_kernel_map(w->kernel, w->rows->type, height, columns, values, height);
        w->rules->add_block(w, &(pt_kernel_block){first, height, at, columns, values});
    }
    return PT_OK;
}

static pt_status form_gradient(pt_working_set *w, const pt_task *task, pt_error *err)
{
    const int64_t pieces = (w->rows->n + ROWS - 1) / ROWS;
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned chosen = {0};
    w->n_support = 0;
    for (int64_t i = 0; i < w->rows->n; i++)
        if (w->rules->is_support(w, i))
            w->support[w->n_support++] = i;
    PT_TRY(w->rules->begin_gradient(w, err));
    if (w->n_support == 0)
        return PT_OK;
    PT_TRY(pt_rows_select(&chosen, w->rows, w->support, w->n_support, task, err));
    kernel_blocks b = {.w = w};
    PT_TRY(pt_gram_new_like(&b.some, &chosen.rows, w->gram, task, err));
    b.block_bytes = pt_arena_need(ROWS * COLUMNS, pt_type_size(w->rows->type));
    b.scratch_bytes = b.block_bytes + pt_gram_scratch(w->gram, b.some, ROWS, COLUMNS);
    b.scratch = pt_alloc(pt_parallel_workers(task, pieces), b.scratch_bytes,
                         "work space for a gradient", err);
    const pt_status status =
        b.scratch ? pt_parallel_for(task, pieces, rows_body, &b, err) : PT_ENOMEM;
    pt_free(b.scratch);
    pt_gram_free(b.some);
    return status;
}

/* ---- the working set ------------------------------------------------------------------------- */

/* All where they are few; else, of each group, every so manyth that may move at all. */
static pt_status first_set(pt_working_set *w, pt_error *err)
{
    const int64_t every = w->rows->n <= w->rules->whole ? 1 : FIRST_SHARE;
    PT_SCRATCH int64_t *seen = pt_alloc_zero(w->groups, sizeof *seen, "a working set", err);
    if (!seen)
        return PT_ENOMEM;
    w->m = 0;
    for (int64_t i = 0; i < w->rows->n; i++) {
        const int64_t group = w->rules->group_of(w, i);
        if (group >= 0 && seen[group]++ % every == 0)
            w->A[w->m++] = i;
    }
    w->aim = every == 1 ? w->end.asked : ROUGH_GAP;
    return PT_OK;
}

/* The support, and the others with most to gain: as many again, at least least_room. Once these are
 * all that want to move, A is solved as far as is asked for; and further if that was not enough. */
static void next_set(pt_working_set *w)
{
    int64_t wanting = 0;
    for (int64_t c = 0; c < w->n_support; c++)
        w->gain[w->support[c]] = 0;
    for (int64_t i = 0; i < w->rows->n; i++)
        wanting += w->gain[i] > 0;
    const int64_t room = pt_greater(w->n_support, w->rules->least_room);
    w->m = pt_choose_largest(w->gain, w->rows->n, room, w->A);
    for (int64_t c = 0; c < w->n_support; c++)
        w->A[w->m++] = w->support[c];
    qsort(w->A, (size_t)w->m, sizeof *w->A, pt_ascending_integers);
    w->aim = w->last ? OWN_SHARE * w->aim : wanting <= room ? OWN_SHARE * w->end.asked : ROUGH_GAP;
    w->last = w->last || wanting <= room;
}

/* Solves on A to the relative gap w->aim. */
static pt_status solve_set(pt_working_set *w, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned rows = {0};
    pt_kernel_store *store = NULL;
    PT_TRY(pt_rows_select(&rows, w->rows, w->A, w->m, task, err));
    PT_TRY(pt_kernel_store_open(&store, &rows.rows, w->kernel, w->gram, w->bytes, task, err));
    const pt_status status = w->rules->solve(w, store, task, err);
    pt_kernel_store_close(store);
    return status;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

pt_status pt_working_set_begin(pt_working_set *w, const pt_task *task, pt_error *err)
{
    for (int64_t i = 0; i < w->rows->n; i++)
        if (w->rules->is_support(w, i))
            return PT_OK;
    PT_TRY(first_set(w, err));
    return solve_set(w, task, err);
}

static void report(const pt_working_set *w, const char *stage, const pt_task *task)
{
    const double now = pt_dual_relative_gap(&w->end);
    if (!stage)
        return;
    pt_task_progress(task, stage, pt_dual_progress(now, w->end.asked), 1);
    pt_task_say(task, PT_INFO, PT_KIND_PROGRESS,
                "%s: dual %.9g, primal %.9g, relative gap %.2g; %lld of %lld examples are support "
                "patterns",
                stage, w->end.value, w->end.value + w->end.gap, now, (long long)w->n_support,
                (long long)w->rows->n);
}

pt_status pt_working_set_grow(pt_working_set *w, const char *stage, const pt_task *task,
                              pt_error *err)
{
    double gap_before = INFINITY;
    double value_before = -INFINITY;
    for (;;) {
        PT_TRY(form_gradient(w, task, err));
        w->rules->measure(w);
        report(w, stage, task);
        /* the gap of all may rise while those outside of A have not been asked */
        const bool better = w->end.gap < STALL_FALL * gap_before ||
                            w->end.value > value_before + STALL_RISE * fabs(value_before);
        if (pt_dual_reached(&w->end) || !better || w->rules->is_over(w, task))
            return PT_OK;
        gap_before = w->end.gap;
        value_before = w->end.value;
        next_set(w);
        if (w->m == 0)
            return PT_OK;
        PT_TRY(solve_set(w, task, err));
    }
}
