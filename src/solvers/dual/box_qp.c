/* Box QP on a working set that grows.
 *
 * Most variables of a hinge-loss problem end at 0 and never matter. So the problem is solved on a
 * working set A only (box_descent.c, with the kernel values of A held), then the gradient of all
 * variables is formed by blocks of kernel values that are used and forgotten; those with most to
 * gain join A, those at 0 that want to stay there leave it, and so on until the duality gap of the
 * whole problem is small. Early rounds are solved roughly. This is shrinking turned around: nothing
 * is ever computed for a variable that does not want to move but its gradient, once a round.
 *
 *   A         m of n   the working set, ascending; it begins as a sample of each group
 *   G         n        H b - p, in double, formed anew in each round: n x (non-zeros of b) values
 *   sub       m        the problem on A: its rows, bounds, p and b
 *
 * Memory: m^2 kernel values, or a cache where these do not fit into qp->bytes. */
#include "solvers/dual/box_qp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "solvers/dual/box_loops.h"
#include "solvers/dual/dual_end.h"
#include "solvers/dual/kernel_blocks.h"

enum {
    ALL_ROWS = 2048, /* up to so many variables the working set is all of them */
    FIRST_SHARE = 8  /* else it begins with one of so many */
};
static const double ROUGH_GAP = 0.1; /* to which a working set that will grow is solved */
static const double OWN_SHARE = 0.5; /* of the gap that is asked for: for A itself, in the end */

typedef struct working {
    const pt_box_qp *qp;
    const pt_box_loops *loops;
    double *b; /* n, the caller's */
    double *G; /* n */
    double *gain;
    double *curve;
    double *step;
    int64_t *group; /* n */
    int64_t *A;     /* m */
    int64_t m;
    double aim; /* the relative gap to which A is solved next */
    bool last;  /* all that want to move are in A */
    pt_dual_end end;
    int64_t moves;
    int64_t limit;

    /* sub */
    double *sub_b;
    double *sub_u;
    double *sub_p;
    int64_t *sub_start; /* groups + 1 */

    /* gradients */
    pt_gram *gram;    /* of all rows */
    int64_t *support; /* where b is not 0 */
    int64_t n_support;
} working;

static double p_at(const pt_box_qp *qp, int64_t i)
{
    return qp->p ? qp->p[i] : 1;
}

/* ---- the gradient of all --------------------------------------------------------------------- */

/* G_i += sum_j Q[c_i, c_j] (K_ij + shift) b_j over a block, for its variables of one group. */
static void add_group(const working *w, int64_t group, int64_t from, int64_t to,
                      const pt_kernel_block *block)
{
    const pt_box_qp *qp = w->qp;
    const size_t size = pt_type_size(qp->rows->type);
    const void *column[PT_KERNEL_BLOCK_COLUMNS];
    double coef[PT_KERNEL_BLOCK_COLUMNS];
    double total = 0;
    int64_t count = 0;
    for (int64_t j = 0; j < block->columns; j++) {
        const int64_t s = w->support[block->at + j];
        const double c = w->b[s] * qp->Q[group * qp->groups + w->group[s]];
        if (c == 0)
            continue;
        column[count] = block->values + (size_t)(j * block->height + from - block->first) * size;
        coef[count++] = c;
        total += c;
    }
    if (qp->rows->type == PT_F32)
        w->loops->update_f32((const float *const *)column, coef, count, to - from,
                             total * qp->shift, w->G + from);
    else
        w->loops->update_f64((const double *const *)column, coef, count, to - from,
                             total * qp->shift, w->G + from);
}

static void add_block(void *context, const pt_kernel_block *block)
{
    const working *w = context;
    const int64_t end = block->first + block->height;
    for (int64_t from = block->first; from < end;) {
        const int64_t group = w->group[from];
        const int64_t to = pt_lesser(w->qp->group_start[group + 1], end);
        add_group(w, group, from, to, block);
        from = to;
    }
}

static pt_status form_gradient(working *w, const pt_task *task, pt_error *err)
{
    w->n_support = 0;
    for (int64_t i = 0; i < w->qp->n; i++) {
        w->G[i] = -p_at(w->qp, i);
        if (w->b[i] != 0)
            w->support[w->n_support++] = i;
    }
    return pt_kernel_blocks(w->gram, w->qp->rows, w->qp->kernel, w->support, w->n_support,
                            add_block, w, task, err);
}

static void measure(working *w)
{
    const pt_box_vars all = {w->qp->n, w->b, w->G, w->qp->u, w->curve, w->step};
    pt_box_measure(&all, w->qp->p, &w->end.value, &w->end.gap);
    w->loops->gains(&all, w->gain);
}

/* ---- the working set ------------------------------------------------------------------------- */

/* All where they are few; else, of each group, every so manyth that may move at all. */
static void first_set(working *w)
{
    const pt_box_qp *qp = w->qp;
    const int64_t every = qp->n <= ALL_ROWS ? 1 : FIRST_SHARE;
    w->m = 0;
    for (int64_t g = 0; g < qp->groups; g++) {
        int64_t seen = 0;
        for (int64_t i = qp->group_start[g]; i < qp->group_start[g + 1]; i++)
            if (qp->u[i] > 0 && seen++ % every == 0)
                w->A[w->m++] = i;
    }
    w->aim = every == 1 ? w->qp->gap : ROUGH_GAP;
}

typedef struct ranked {
    double gain;
    int64_t at;
} ranked;

static int by_gain(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* What is not 0, and the others with most to gain: as many again, at least ALL_ROWS. Once these are
 * all that want to move, A is solved as far as is asked for; and further if that was not enough. */
static pt_status next_set(working *w, pt_error *err)
{
    const int64_t n = w->qp->n;
    ranked *others = pt_alloc(n, sizeof *others, "a working set", err);
    if (!others)
        return PT_ENOMEM;
    int64_t count = 0;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (w->b[i] != 0)
            kept++;
        else if (w->gain[i] > 0)
            others[count++] = (ranked){w->gain[i], i};
    qsort(others, (size_t)count, sizeof *others, by_gain);
    const int64_t room = kept > ALL_ROWS ? kept : ALL_ROWS;
    const int64_t joining = pt_lesser(count, room);
    for (int64_t c = 0; c < joining; c++)
        w->A[c] = others[c].at;
    w->m = joining;
    for (int64_t i = 0; i < n; i++)
        if (w->b[i] != 0)
            w->A[w->m++] = i;
    qsort(w->A, (size_t)w->m, sizeof *w->A, pt_ascending_integers);
    pt_free(others);
    w->aim = w->last ? OWN_SHARE * w->aim : count <= room ? OWN_SHARE * w->qp->gap : ROUGH_GAP;
    w->last = w->last || count <= room;
    return PT_OK;
}

static void take_sub(working *w)
{
    const pt_box_qp *qp = w->qp;
    int64_t group = 0;
    w->sub_start[0] = 0;
    for (int64_t a = 0; a < w->m; a++) {
        const int64_t i = w->A[a];
        while (group < w->group[i])
            w->sub_start[++group] = a;
        w->sub_b[a] = w->b[i];
        w->sub_u[a] = qp->u[i];
        w->sub_p[a] = p_at(qp, i);
    }
    while (group < qp->groups)
        w->sub_start[++group] = w->m;
}

/* Solves on A to the relative gap w->aim. */
static pt_status solve_set(working *w, const pt_task *task, pt_error *err)
{
    pt_rows_owned rows = {0};
    pt_kernel_store *store = NULL;
    take_sub(w);
    pt_status status = pt_rows_select(&rows, w->qp->rows, w->A, w->m, err);
    if (status == PT_OK)
        status = pt_kernel_store_open(&store, &rows.rows, w->qp->kernel, w->gram, w->qp->bytes,
                                      task, err);
    pt_box_qp sub = *w->qp;
    sub.store = store;
    sub.first = 0;
    sub.n = w->m;
    sub.group_start = w->sub_start;
    sub.p = w->sub_p;
    sub.u = w->sub_u;
    sub.gap = w->aim;
    sub.limit = w->limit - w->moves;
    pt_box_result result = {0};
    if (status == PT_OK)
        status = pt_box_descent(&sub, w->sub_b, &result, NULL, task, err);
    if (status == PT_OK)
        for (int64_t a = 0; a < w->m; a++)
            w->b[w->A[a]] = w->sub_b[a];
    w->moves += result.moves;
    pt_kernel_store_close(store);
    pt_rows_owned_free(&rows);
    return status;
}

/* ---- the solver ------------------------------------------------------------------------------ */

static void working_free(working *w)
{
    pt_free(w->G);
    pt_free(w->gain);
    pt_free(w->curve);
    pt_free(w->step);
    pt_free(w->group);
    pt_free(w->A);
    pt_free(w->sub_b);
    pt_free(w->sub_u);
    pt_free(w->sub_p);
    pt_free(w->sub_start);
    pt_free(w->support);
    pt_gram_free(w->gram);
}

static pt_status working_init(working *w, const pt_box_qp *qp, double *b, const pt_task *task,
                              pt_error *err)
{
    const int64_t n = qp->n;
    *w = (working){.qp = qp,
                   .loops = pt_box_loops_chosen(),
                   .b = b,
                   .end = {.asked = qp->gap},
                   .limit = pt_box_limit(qp)};
    double **const reals[] = {&w->G,     &w->gain,  &w->curve, &w->step,
                              &w->sub_b, &w->sub_u, &w->sub_p};
    int64_t **const integers[] = {&w->group, &w->A, &w->support};
    for (size_t a = 0; a < sizeof reals / sizeof *reals; a++)
        if (!(*reals[a] = pt_alloc(n, sizeof(double), "a working set", err)))
            return PT_ENOMEM;
    for (size_t a = 0; a < sizeof integers / sizeof *integers; a++)
        if (!(*integers[a] = pt_alloc(n, sizeof(int64_t), "a working set", err)))
            return PT_ENOMEM;
    w->sub_start = pt_alloc(qp->groups + 1, sizeof(int64_t), "a working set", err);
    if (!w->sub_start)
        return PT_ENOMEM;
    pt_status status =
        pt_gram_new(&w->gram, qp->rows, qp->kernel->ops->base, qp->rows->type, task, err);
    if (status == PT_OK) /* k(x, x), in the place of gains */
        status = pt_kernel_diagonal(w->gram, qp->kernel, w->gain, err);
    if (status == PT_OK)
        status = pt_box_curves(qp, w->gain, w->group, w->curve, w->step, err);
    return status;
}

static void report(const working *w, const char *stage, const pt_task *task)
{
    const double now = pt_dual_relative_gap(&w->end);
    if (!stage)
        return;
    pt_task_progress(task, stage, pt_dual_progress(now, w->qp->gap), 1);
    pt_task_say(task, PT_INFO, "%s: %lld of %lld coefficients are not 0, relative gap %.2g", stage,
                (long long)w->n_support, (long long)w->qp->n, now);
}

/* Rounds, until the gap is small, or no longer falls. */
static pt_status grow(working *w, const char *stage, const pt_task *task, pt_error *err)
{
    bool warm = false;
    for (int64_t i = 0; i < w->qp->n && !warm; i++)
        warm = w->b[i] != 0;
    pt_status status = PT_OK;
    if (!warm) {
        first_set(w);
        status = solve_set(w, task, err);
    }
    while (status == PT_OK) {
        const double gap_before = w->last ? w->end.gap : INFINITY;
        status = form_gradient(w, task, err);
        if (status != PT_OK)
            break;
        measure(w);
        report(w, stage, task);
        if (pt_dual_reached(&w->end) || w->moves >= w->limit || !(w->end.gap < gap_before) ||
            pt_task_turn_ends(task, w->qp->turn))
            break;
        status = next_set(w, err);
        if (status == PT_OK)
            status = solve_set(w, task, err);
    }
    return status;
}

pt_status pt_box_qp_solve(const pt_box_qp *qp, double *b, pt_box_result *result, const char *stage,
                          const pt_task *task, pt_error *err)
{
    for (int64_t i = 0; i < qp->n; i++)
        b[i] = fmin(fmax(b[i], 0), qp->u[i]);
    if (qp->store)
        return pt_box_descent(qp, b, result, stage, task, err);
    working w;
    pt_status status = working_init(&w, qp, b, task, err);
    if (status == PT_OK)
        status = grow(&w, stage, task, err);
    if (status == PT_OK)
        *result = (pt_box_result){w.end.value, w.end.gap, w.moves, pt_dual_reached(&w.end)};
    working_free(&w);
    return status;
}
