/* The support vector machine over pairs with a kernel: descent over examples on the dual of
 * pair_row.h with the scores of all examples kept,
 *
 *     F_ir = sum_j tau_jr k(x_j, x_i) .
 *
 * A round looks at every pair of every example at one F, which gives the duality gap exactly; then
 * the examples that are furthest from their best, by their share of the gap, are solved one after
 * the other (pair_row.c, many passes), and F follows: O(n) for each class whose tau changed. In the
 * end F is formed anew, and the gap that was reached is the one at that. A large C is reached by
 * way of smaller ones (pair_solvers.c).
 *
 *   alpha   n rows, sparse
 *   F       k x n, row-major, double: one row for each class, so that following is a sum of rows;
 *           without the feature of the bias, whose weights are b
 *
 * Time: O(n) for each class of an example that is solved, and a row of kernel values; memory 8 n k
 * bytes, 16 while F is formed. */
#include "solvers/dual/pair_solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "solvers/dual/dual_parts.h"
#include "solvers/dual/spoc_loops.h"

enum {
    PASSES = 50,  /* over the pairs of an example in one step */
    PIECE = 4096, /* rows of F that a thread takes at a time */
    ROUNDS = 100000,
    PATH_ROUNDS = 200000, /* of all smaller C together */
    STILL = 1000          /* rounds without progress after which it is as good as rounding allows */
};
static const double WORTH = 0.1; /* of the largest share of the gap: less waits */
static const double RISE = 1e-15;
static const double FALL = 0.01;
static const double BELOW_0 = 1e-6; /* of sum alpha: a square that is less is none */

typedef struct share {
    double gap;
    int64_t i;
} share;

typedef struct pair_kernel {
    const pt_pair_problem *p;
    const pt_spoc_loops *loops;
    pt_pair_space *space;
    int64_t n;
    int64_t k;
    pt_sparse_rows alpha;
    double *F;
    double *b;           /* k */
    double *tau;         /* k: the change of one example, 0 between steps */
    double *g;           /* k: its scores */
    pt_label_pair *pair; /* its pairs, where they are asked for */
    pt_entry *list;      /* most */
    share *order;        /* n */
    int64_t n_order;
    double sum; /* of alpha */
    double square;
    pt_dual_end end;
    int64_t rounds;
    int64_t visits;
    pt_arena arena;
    pt_pair_path path; /* whose stage p is while it is gone along */
} pair_kernel;

double pt_pair_kernel_bytes(int64_t n, int64_t k, double pairs)
{
    return (double)n * (24 * (double)k + 120) + 32 * fmin(pairs, 64 * (double)n) +
           pt_pair_path_bytes(n, fmin(pairs, 64 * (double)n));
}

static pt_status fail_indefinite(pt_error *err)
{
    return pt_fail(err, PT_ENUMERIC,
                   "the kernel is not positive semidefinite; choose another `kernel`");
}

static void solver_free(pair_kernel *s)
{
    pt_pair_path_free(&s->path);
    pt_arena_free(&s->arena);
    pt_sparse_rows_free(&s->alpha);
}

static pt_status solver_init(pair_kernel *s, const pt_pair_problem *p, pt_pair_space *space,
                             const pt_task *task, pt_error *err)
{
    const int64_t n = s->n = space->n;
    const int64_t k = s->k = space->k;
    s->p = p;
    s->loops = pt_spoc_loops_chosen();
    s->space = space;
    if (k > 0 && n > INT64_MAX / k)
        return pt_fail_memory(err, "scores", SIZE_MAX);
    PT_TRY(pt_sparse_rows_init(&s->alpha, n, task, err));
    PT_TRY(PT_ARENA(&s->arena, "scores", err, PT_PIECE(s->F, n * k), PT_PIECE(s->b, k),
                    PT_PIECE(s->tau, k), PT_PIECE(s->g, k),
                    PT_PIECE(s->pair, pt_pairs_work(p->pairs)), PT_PIECE(s->list, p->pairs->most),
                    PT_PIECE(s->order, n)));
    memset(s->F, 0, (size_t)(n * k) * sizeof *s->F);
    memset(s->b, 0, (size_t)k * sizeof *s->b);
    memset(s->tau, 0, (size_t)k * sizeof *s->tau);
    for (int64_t i = 0; i < n; i++)
        if (space->square[i] < 0)
            return fail_indefinite(err);
    return pt_pair_path_init(&s->path, p, space->square, 0, n, task, err);
}

/* ---- a round --------------------------------------------------------------------------------- */

/* s->g <- the scores of example i; s->list <- its pairs that count, by these. */
static pt_pair_look look_at(pair_kernel *s, int64_t i)
{
    double least = INFINITY;
    for (int64_t r = 0; r < s->k; r++)
        s->g[r] = s->F[r * s->n + i] + s->b[r];
    const pt_label_pair *pairs = NULL;
    const int64_t n_pairs = pt_pairs_of(s->p->pairs, i, s->pair, &pairs);
    return pt_pair_row_list(pairs, n_pairs, pt_sparse_row(&s->alpha, i), s->alpha.count[i], s->g,
                            s->p->bound[i], s->list, &least);
}

static int furthest_first(const void *a, const void *b)
{
    const share *p = a;
    const share *q = b;
    return p->gap != q->gap ? (p->gap < q->gap) - (p->gap > q->gap) : (p->i > q->i) - (p->i < q->i);
}

/* value, gap and the order of the next steps, at one F. */
static void measure(pair_kernel *s)
{
    s->end.gap = s->sum = s->square = 0;
    s->n_order = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->p->bound[i] <= 0)
            continue;
        const pt_pair_look look = look_at(s, i);
        const double *f = s->g;
        s->end.gap += look.gap;
        for (int64_t c = 0; c < s->alpha.count[i]; c++) {
            const pt_entry *entry = pt_sparse_row(&s->alpha, i) + c;
            s->sum += entry->value;
            s->square += entry->value * (f[pt_pair_before(entry)] - f[pt_pair_after(entry)]);
        }
        if (look.violation > 0)
            s->order[s->n_order++] = (share){look.gap, i};
    }
    s->end.value = s->sum - 0.5 * s->square;
    qsort(s->order, (size_t)s->n_order, sizeof *s->order, furthest_first);
}

typedef struct kernel_row {
    const pair_kernel *s;
    const void *row;
} kernel_row;

/* F <- F + tau k(x_i, .), of some examples. */
static pt_status follow_body(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const kernel_row *b = context;
    const pair_kernel *s = b->s;
    const int64_t from = piece * PIECE;
    const int64_t count = s->n - from < PIECE ? s->n - from : PIECE;
    const bool single = pt_kernel_store_type(s->space->store) == PT_F32;
    const void *row = single ? (const void *)((const float *)b->row + from)
                             : (const void *)((const double *)b->row + from);
    for (int64_t r = 0; r < s->k; r++) {
        double *F = s->F + r * s->n + from;
        if (s->tau[r] == 0)
            continue;
        if (single)
            s->loops->update_f32_f64(&row, s->tau + r, 1, count, F);
        else
            s->loops->update_f64_f64(&row, s->tau + r, 1, count, F);
    }
    return PT_OK;
}

static pt_status step(pair_kernel *s, int64_t i, const pt_task *task, pt_error *err)
{
    const pt_pair_look look = look_at(s, i);
    if (look.violation == 0)
        return PT_OK;
    PT_TRY(
        pt_kernel_store_rows(s->space->store, &i, 1, s->space->buffer, s->space->row, task, err));
    (void)pt_pair_row_step(s->list, look.count, s->space->square[i], s->p->bound[i], PASSES, s->g,
                           s->tau);
    for (int64_t r = 0; r < s->k; r++)
        s->b[r] += s->space->one * s->tau[r];
    int64_t kept = 0;
    for (int64_t c = 0; c < look.count; c++)
        if (s->list[c].value > 0)
            s->list[kept++] = s->list[c];
    kernel_row b = {s, s->space->row[0]};
    PT_TRY(pt_sparse_rows_set(&s->alpha, i, s->list, kept, err));
    PT_TRY(pt_parallel_for(task, (s->n + PIECE - 1) / PIECE, follow_body, &b, err));
    memset(s->tau, 0, (size_t)s->k * sizeof *s->tau);
    s->visits++;
    return PT_OK;
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* support and tau from alpha; F and b from these. What is NULL is not wanted. */
static pt_status form(pair_kernel *s, int64_t **support, double **tau, const pt_task *task,
                      pt_error *err)
{
    int64_t count = 0;
    for (int64_t i = 0; i < s->n; i++)
        count += s->alpha.count[i] > 0;
    PT_SCRATCH int64_t *list = pt_alloc(count, sizeof *list, "examples", err);
    PT_SCRATCH double *coef = pt_alloc_zero(count * s->k, sizeof *coef, "coefficients", err);
    PT_SCRATCH double *by_row = pt_alloc(s->n * s->k, sizeof *by_row, "scores", err);
    if (!list || !coef || !by_row)
        return PT_ENOMEM;
    count = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const pt_entry *row = pt_sparse_row(&s->alpha, i);
        for (int64_t c = 0; c < s->alpha.count[i]; c++) {
            coef[count * s->k + pt_pair_before(row + c)] += row[c].value;
            coef[count * s->k + pt_pair_after(row + c)] -= row[c].value;
        }
        if (s->alpha.count[i] > 0)
            list[count++] = i;
    }
    PT_TRY(pt_pair_space_scores(s->space, list, count, coef, by_row, task, err));
    memcpy(s->b, s->space->bias, (size_t)s->k * sizeof *s->b);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t r = 0; r < s->k; r++)
            s->F[r * s->n + i] = by_row[i * s->k + r] - s->b[r];
    if (support) {
        *support = pt_keep(&list);
        *tau = pt_keep(&coef);
    }
    return PT_OK;
}

/* One C. limit: of s->rounds. */
static pt_status solve_stage(pair_kernel *s, int64_t limit, const char *stage, const pt_task *task,
                             pt_error *err)
{
    pt_dual_end_restart(&s->end);
    s->end.asked = s->p->gap;
    for (;; s->rounds++) {
        measure(s);
        if (s->square < -BELOW_0 * s->sum)
            return fail_indefinite(err);
        PT_TRY(pt_dual_check(&s->end, err));
        if (stage)
            pt_task_progress(
                task, stage,
                pt_pair_path_progress(
                    &s->path, pt_dual_progress(pt_dual_relative_gap(&s->end), s->end.asked)),
                1);
        if (pt_dual_reached(&s->end) || pt_dual_stalled(&s->end, FALL, RISE, STILL) ||
            s->rounds >= limit || (s->p->limit > 0 && s->visits >= s->p->limit) ||
            (s->rounds > 0 && pt_task_ends_early(task)))
            break;
        for (int64_t c = 0; c < s->n_order; c++) {
            if (s->order[c].gap < WORTH * s->order[0].gap || (c > 0 && pt_task_ends_early(task)))
                break;
            PT_TRY(step(s, s->order[c].i, task, err));
            PT_TRY(pt_task_check(task, err));
        }
    }
    return PT_OK;
}

/* Takes alpha to the next stage of the path, or to the last where this one was not solved. */
static pt_status go_on(pair_kernel *s, const pt_task *task, pt_error *err)
{
    const double value = s->end.value;
    if (!pt_dual_reached(&s->end)) {
        pt_pair_path_end(&s->path);
        return PT_OK;
    }
    PT_TRY(pt_pair_path_step(&s->path, &s->alpha, err));
    PT_TRY(form(s, NULL, NULL, task, err));
    measure(s);
    if (s->end.value > value)
        return PT_OK;
    PT_TRY(pt_pair_path_back(&s->path, &s->alpha, err));
    return form(s, NULL, NULL, task, err);
}

pt_status pt_pair_kernel(const pt_pair_problem *problem, pt_pair_space *space, int64_t **support,
                         double **tau, pt_pair_result *result, const char *stage,
                         const pt_task *task, pt_error *err)
{
    PT_FREED_BY(solver_free) pair_kernel s = {0};
    PT_TRY(solver_init(&s, problem, space, task, err));
    s.p = &s.path.stage;
    while (s.path.share < 1) { /* one C after the other, up to that of the problem */
        PT_TRY(solve_stage(&s, PATH_ROUNDS, stage, task, err));
        if (stage)
            pt_task_say(task, PT_DEBUG, PT_KIND_PROGRESS,
                        "%s: %.2g of C, dual %.9g, relative gap %.2g", stage, s.path.share,
                        s.end.value, s.end.gap / s.end.value);
        PT_TRY(go_on(&s, task, err));
    }
    PT_TRY(solve_stage(&s, s.rounds + ROUNDS, stage, task, err));
    PT_TRY(form(&s, support, tau, task, err));
    measure(&s);
    *result = (pt_pair_result){.value = s.end.value,
                               .gap = s.end.gap,
                               .square = fmax(s.square, 0),
                               .visits = s.visits,
                               .converged = pt_dual_reached(&s.end)};
    (void)pt_pair_count(&s.alpha, result);
    return PT_OK;
}
