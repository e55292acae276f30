/* Support vector machines for all pairs of classes, each on the rows of its two.
 *
 * Rows are sorted by class, so that the variables of a pair are two pieces of them. A pair touches
 * few rows of its kernel matrix: of letter's 16000 x 16000 values a fifth is ever read. So values
 * come segment by segment, when they are asked for (kernels/kernel_segments.h); those of a class
 * with itself serve all k-1 pairs that it is in.
 *
 *   coef   n x (k-1)   a_i y_i, as in pair_expansion.h: n_c x (k-1) column-major, class after class
 *   V      d x ell     column-major, of a linear kernel: sum_i a_i y_i x_i of each pair */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "data/row_match.h"
#include "kernels/kernel_segments.h"
#include "learners/svm_training.h"
#include "solvers/smo/smo.h"

/* What a worker needs for one pair: arrays as long as the largest pair. */
typedef struct desk {
    int8_t *y;
    double *bound;
    double *diagonal;
    double *a;
} desk;

typedef struct work {
    const pt_svm_training *t;
    pt_grouped_rows *rows;
    pt_kernel_segments *segments;
    int64_t *order; /* n: which row a sorted one was */
    int64_t *first; /* k + 1: where a class begins among the sorted */
    int workers;
    desk *desk; /* of each */
    pt_arena arena;
    double *coef;
    double *V;
    double *bias;    /* ell */
    bool *converged; /* ell */
    atomic_llong done;
} work;

/* What is read while pairs are trained. */
static void free_values(work *w)
{
    pt_kernel_segments_close(w->segments);
    pt_grouped_rows_free(w->rows);
    pt_arena_free(&w->arena);
    pt_free(w->desk);
    w->segments = NULL;
    w->rows = NULL;
    w->desk = NULL;
}

static void work_free(work *w)
{
    free_values(w);
    pt_free(w->first);
    pt_free(w->order);
    pt_free(w->converged);
    pt_free(w->bias);
    pt_free(w->V);
    pt_free(w->coef);
}

static int64_t class_size(const work *w, int64_t c)
{
    return w->first[c + 1] - w->first[c];
}

/* ---- sorting --------------------------------------------------------------------------------- */

static void count_classes(const pt_columns *c, int64_t *first)
{
    memset(first, 0, (size_t)(c->groups + 1) * sizeof *first);
    for (int64_t i = 0; i < c->n; i++)
        first[c->group_of[i] + 1]++;
    for (int64_t g = 0; g < c->groups; g++)
        first[g + 1] += first[g];
}

static pt_status sort_rows(work *w, pt_error *err)
{
    const pt_columns *c = w->t->columns;
    w->order = pt_alloc(c->n, sizeof *w->order, "classes", err);
    w->first = pt_alloc(c->groups + 1, sizeof *w->first, "classes", err);
    PT_SCRATCH int64_t *next = pt_alloc(c->groups + 1, sizeof *next, "classes", err);
    if (!w->order || !w->first || !next)
        return PT_ENOMEM;
    count_classes(c, w->first);
    memcpy(next, w->first, (size_t)(c->groups + 1) * sizeof *next);
    for (int64_t i = 0; i < c->n; i++)
        w->order[next[c->group_of[i]]++] = i;
    return PT_OK;
}

/* ---- training -------------------------------------------------------------------------------- */

typedef struct pair {
    work *w;
    int worker;
    int64_t s;
    int64_t group[2];
    int64_t n[2];
} pair;

static pt_status pair_rows(void *context, const int64_t *index, int64_t count,
                           const void *(*value)[PT_SMO_PIECES], pt_error *err)
{
    const pair *p = context;
    for (int64_t r = 0; r < count; r++)
        for (int side = 0; side < PT_SMO_PIECES; side++)
            PT_TRY(pt_kernel_segments_get(p->w->segments, p->worker, index[r], side,
                                          &value[r][side], err));
    return PT_OK;
}

static void fill_desk(const pair *p, const desk *d)
{
    const work *w = p->w;
    const double *diagonal = pt_grouped_rows_diagonal(w->rows);
    int64_t v = 0;
    for (int side = 0; side < 2; side++)
        for (int64_t i = w->first[p->group[side]]; i < w->first[p->group[side] + 1]; i++) {
            d->y[v] = side == 0 ? 1 : -1;
            d->bound[v] = pt_svm_bound(w->t, w->order[i]);
            d->diagonal[v] = diagonal[i];
            d->a[v++] = 0;
        }
}

/* a <- what the start has for the pair, made feasible. */
static void begin_desk(const pair *p, const desk *d)
{
    const work *w = p->w;
    const int64_t width = w->t->columns->groups - 1;
    double *a = d->a;
    for (int side = 0; side < 2; side++) {
        const int64_t c = p->group[side];
        const double *coef =
            w->coef + w->first[c] * width + pt_pair_column_of(c, p->group[1 - side]) * p->n[side];
        for (int64_t i = 0; i < p->n[side]; i++)
            *a++ = side == 0 ? coef[i] : -coef[i];
    }
    pt_svm_make_feasible(w->t, p->n[0] + p->n[1], d->y, d->bound, d->a);
}

/* sum_i a_i y_i x_i */
static void add_row(const pt_rows *rows, int64_t i, double by, double *sum)
{
    const void *values = rows->dense ? rows->dense : rows->value;
    const int64_t from = rows->dense ? i * rows->stride : rows->start[i];
    const int64_t to = rows->dense ? from + rows->d : rows->start[i + 1];
    for (int64_t p = from; p < to; p++)
        sum[rows->dense ? p - from : rows->index[p]] += by * pt_rows_value(rows, values, p);
}

static void keep_pair(const pair *p, const desk *d)
{
    const work *w = p->w;
    const int64_t width = w->t->columns->groups - 1;
    const double *a = d->a;
    for (int side = 0; side < 2; side++) {
        const int64_t c = p->group[side];
        const int64_t first = w->first[c];
        double *coef =
            w->coef + first * width + pt_pair_column_of(c, p->group[1 - side]) * p->n[side];
        for (int64_t i = 0; i < p->n[side]; i++) {
            coef[i] = side == 0 ? a[i] : -a[i];
            if (w->V && coef[i] != 0)
                add_row(w->t->rows, w->order[first + i], coef[i], w->V + p->s * w->t->rows->d);
        }
        a += p->n[side];
    }
}

static pt_status train_pair(void *context, int64_t s, int worker, pt_error *err)
{
    work *w = context;
    const desk *d = &w->desk[worker];
    pair p = {.w = w, .worker = worker, .s = s};
    pt_pairs_at(w->t->columns->groups, s, &p.group[0], &p.group[1]);
    p.n[0] = class_size(w, p.group[0]);
    p.n[1] = class_size(w, p.group[1]);
    fill_desk(&p, d);
    if (w->t->start_pairs)
        begin_desk(&p, d);
    pt_kernel_segments_begin(w->segments, worker, p.group[0], p.group[1]);
    const pt_smo_kernel kernel = {.type = pt_grouped_rows_type(w->rows),
                                  .diagonal = d->diagonal,
                                  .rows = pair_rows,
                                  .context = &p,
                                  .padded = true};
    const double turn =
        pt_task_turn(w->t->task, w->workers, w->t->columns->ell - atomic_load(&w->done));
    const pt_smo_problem problem = {.kernel = &kernel,
                                    .n = {p.n[0], p.n[1]},
                                    .y = d->y,
                                    .bound = d->bound,
                                    .bias = w->t->bias,
                                    .eps = w->t->eps,
                                    .turn = turn};
    pt_smo_result result = {0};
    const pt_status status = pt_smo_solve(&problem, d->a, &result, w->t->task, err);
    w->bias[s] = result.bias;
    w->converged[s] = result.converged;
    if (status == PT_OK)
        keep_pair(&p, d);
    const long long done = atomic_fetch_add(&w->done, 1) + 1;
    pt_task_progress_whole(w->t->task, "training", (double)done, (double)w->t->columns->ell);
    return status;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* chosen <- the sorted rows, or those that have a coefficient; first <- where a class begins among
 * them. Returns how many. */
static int64_t list_rows(const work *w, bool all, int64_t *chosen, int64_t *first)
{
    const int64_t k = w->t->columns->groups;
    int64_t count = 0;
    for (int64_t g = 0; g < k; g++) {
        const int64_t n = class_size(w, g);
        const double *coef = w->coef + w->first[g] * (k - 1);
        first[g] = count;
        for (int64_t i = 0; i < n; i++) {
            bool used = all;
            for (int64_t o = 0; o < k - 1 && !used; o++)
                used = coef[o * n + i] != 0;
            if (used)
                chosen[count++] = w->first[g] + i;
        }
    }
    first[k] = count;
    return count;
}

/* The same with one row, which has no coefficient: an expansion is not empty. */
static int64_t list_one(const work *w, int64_t *chosen, int64_t *first)
{
    chosen[0] = 0;
    for (int64_t g = w->t->columns->group_of[w->order[0]]; g < w->t->columns->groups; g++)
        first[g + 1] = 1;
    return 1;
}

static pt_status copy_coef(const work *w, const int64_t *chosen, pt_pair_expansion *e,
                           pt_error *err)
{
    const int64_t k = w->t->columns->groups;
    const int64_t width = k - 1;
    e->coef = pt_alloc(e->first[k] * width, sizeof(double), "coefficients", err);
    for (int64_t g = 0; g < k && e->coef; g++) {
        const int64_t n = e->first[g + 1] - e->first[g];
        const double *from = w->coef + w->first[g] * width;
        double *to = e->coef + e->first[g] * width;
        for (int64_t o = 0; o < width; o++)
            for (int64_t i = 0; i < n; i++)
                to[o * n + i] = from[o * class_size(w, g) + chosen[e->first[g] + i] - w->first[g]];
    }
    return e->coef ? PT_OK : PT_ENOMEM;
}

/* chosen becomes numbers of the data's rows; they are kept where the kernel is precomputed. */
static pt_status keep_rows(work *w, int64_t **chosen, pt_pair_expansion *e, int64_t count,
                           pt_error *err)
{
    PT_TRY(copy_coef(w, *chosen, e, err));
    for (int64_t i = 0; i < count; i++)
        (*chosen)[i] = w->order[(*chosen)[i]];
    e->bias = w->bias;
    w->bias = NULL;
    if (pt_kernel_is_row(&w->t->kernel)) {
        e->order = *chosen;
        *chosen = NULL;
    } else
        PT_TRY(pt_rows_select(&e->rows, w->t->rows, *chosen, count, w->t->task, err));
    return pt_pair_expansion_finish(e, &w->t->kernel, w->t->rows->type, w->t->task, err);
}

static pt_status keep_linear(work *w, pt_pair_expansion *e, pt_error *err)
{
    pt_expansion_parts parts = {.kernel = w->t->kernel,
                                .type = w->t->rows->type,
                                .m = w->t->columns->ell,
                                .n_coef = w->t->rows->d,
                                .linear = true,
                                .coef = w->V,
                                .bias = w->bias,
                                .task = w->t->task};
    w->V = NULL;
    w->bias = NULL;
    return pt_expansion_take(&e->pairs, &parts, err);
}

static pt_status keep(work *w, pt_pair_expansion *e, pt_svm_outcome *outcome, pt_error *err)
{
    const pt_columns *c = w->t->columns;
    e->k = c->groups;
    e->ell = c->ell;
    e->linear = w->t->kernel.ops->linear;
    for (int64_t s = 0; s < c->ell; s++)
        outcome->unfinished += !w->converged[s];
    PT_SCRATCH int64_t *chosen = NULL;
    PT_TRY(PT_NEW(chosen, c->n, "support vectors", err));
    PT_TRY(PT_NEW(e->first, c->groups + 1, "support vectors", err));
    int64_t count = list_rows(w, false, chosen, e->first);
    outcome->n_support = count;
    if (pt_kernel_is_row(&w->t->kernel)) /* its columns are all rows */
        count = list_rows(w, true, chosen, e->first);
    else if (count == 0)
        count = list_one(w, chosen, e->first);
    return e->linear ? keep_linear(w, e, err) : keep_rows(w, &chosen, e, count, err);
}

/* ---- the door -------------------------------------------------------------------------------- */

/* How the memory is used, the same for the plan and for the work. */
typedef struct layout {
    int workers;
    double training; /* beside kernel values */
    double keeping;  /* kernel values have been given back by then */
} layout;

/* Rows of the largest pair: those of the two largest classes. */
static int64_t largest_pair(const int64_t *first, int64_t groups)
{
    int64_t most[2] = {0};
    for (int64_t c = 0; c < groups; c++) {
        const int64_t n = first[c + 1] - first[c];
        most[1] = n > most[1] ? n : most[1];
        if (most[1] > most[0]) {
            const int64_t larger = most[1];
            most[1] = most[0];
            most[0] = larger;
        }
    }
    return most[0] + most[1];
}

static size_t desk_bytes(int64_t n)
{
    return 3 * pt_arena_need(n, sizeof(double)) + pt_arena_need(n, 1);
}

/* What is kept of n rows: coefficients, also in the type of outputs, rows, and what makes them
 * ready to be met. All rows may be support vectors. */
static double kept_bytes(const pt_rows *rows, int64_t groups, const pt_kernel_ops *kernel)
{
    const double coefs = (double)rows->n * (double)(groups - 1);
    if (kernel->linear)
        return 0; /* V becomes the model */
    const double coef =
        coefs * sizeof(double) + pt_coefficients_bytes(rows->n, groups - 1, rows->type);
    if (kernel->base == PT_BASE_ROW)
        return coef;
    const double cell =
        (double)pt_type_size(rows->type) + (rows->dense ? 0 : (double)sizeof(int64_t));
    return coef + (double)pt_rows_stored(rows) * cell +
           pt_centres_bytes(rows, kernel->base, rows->type);
}

static layout lay_out(const pt_rows *rows, const pt_columns *c, const pt_kernel_ops *kernel,
                      const int64_t *first, const pt_task *task)
{
    const int64_t longest = largest_pair(first, c->groups);
    const double coefs = (double)c->n * (double)(c->groups - 1);
    const double V = kernel->linear ? (double)rows->d * (double)c->ell : 0;
    const double lists = (double)(c->n + 2 * c->groups) * sizeof(int64_t) +
                         (double)c->ell * (sizeof(double) + sizeof(bool));
    const double held = (coefs + V) * sizeof(double) + lists;
    layout l = {.workers = pt_parallel_workers(task, c->ell)};
    l.training = held + pt_grouped_rows_bytes(rows, c->groups, kernel) +
                 pt_kernel_segments_lists(first, c->groups, l.workers) +
                 l.workers * ((double)desk_bytes(longest) + pt_smo_bytes(longest));
    l.keeping = held + lists + kept_bytes(rows, c->groups, kernel);
    return l;
}

pt_status pt_svm_pairs_plan(const pt_rows *rows, const pt_columns *columns,
                            const pt_kernel_ops *kernel, const pt_task *task, pt_plan *plan,
                            pt_error *err)
{
    const int64_t k = columns->groups;
    PT_SCRATCH int64_t *first = NULL;
    PT_TRY(PT_NEW(first, k + 1, "classes", err));
    count_classes(columns, first);
    const layout l = lay_out(rows, columns, kernel, first, task);
    const double all = pt_kernel_segments_bytes(first, k, rows->type, l.workers);
    const double least = pt_kernel_segments_least(first, k, rows->type, l.workers);
    const bool fits = l.training + all <= (double)pt_task_memory(task);
    plan->bytes = fmax(l.training + (fits ? all : least), l.keeping);
    plan->flops = (double)rows->n * (double)rows->n / 2 * (double)rows->d;
    snprintf(plan->route, sizeof plan->route, "%lld pairs, %s", (long long)columns->ell,
             fits ? "kernel values held where they are used" : "a cache of kernel values");
    return PT_OK;
}

static pt_status make_desks(work *w, pt_error *err)
{
    const int64_t n = largest_pair(w->first, w->t->columns->groups);
    w->desk = pt_alloc_zero(w->workers, sizeof *w->desk, "pairs of classes", err);
    if (!w->desk || pt_arena_init(&w->arena, (size_t)w->workers * desk_bytes(n), "pairs of classes",
                                  err) != PT_OK)
        return PT_ENOMEM;
    for (int i = 0; i < w->workers; i++) {
        w->desk[i].y = pt_arena_take(&w->arena, n, 1);
        w->desk[i].bound = pt_arena_take(&w->arena, n, sizeof(double));
        w->desk[i].diagonal = pt_arena_take(&w->arena, n, sizeof(double));
        w->desk[i].a = pt_arena_take(&w->arena, n, sizeof(double));
    }
    return PT_OK;
}

static pt_status prepare(work *w, pt_error *err)
{
    const pt_svm_training *t = w->t;
    const pt_columns *c = t->columns;
    const pt_kernel_ops *kernel = t->kernel.ops;
    w->coef = pt_alloc(c->n * (c->groups - 1), sizeof(double), "coefficients", err);
    w->V = kernel->linear ? pt_alloc_zero(t->rows->d * c->ell, sizeof(double), "coefficients", err)
                          : NULL;
    w->bias = pt_alloc_zero(c->ell, sizeof(double), "a bias", err);
    w->converged = pt_alloc_zero(c->ell, sizeof(bool), "a list", err);
    if (!w->coef || !w->bias || !w->converged || (kernel->linear && !w->V))
        return PT_ENOMEM;
    PT_TRY(sort_rows(w, err));
    const layout l = lay_out(t->rows, c, kernel, w->first, t->task);
    w->workers = l.workers;
    PT_TRY(make_desks(w, err));
    PT_TRY(pt_grouped_rows_new(&w->rows, t->rows, w->order, w->first, c->groups, &t->kernel,
                               t->task, err));
    const double bytes = (double)pt_task_memory(t->task) - l.training;
    return pt_kernel_segments_open(&w->segments, w->rows, bytes, w->workers, err);
}

/* place[c] <- which training row the start's row c is, of the same group; -1: none of them. */
static pt_status find_rows(int64_t *place, const work *w, const int64_t *group, int64_t count,
                           pt_error *err)
{
    const pt_svm_training *t = w->t;
    const pt_pair_expansion *from = t->start_pairs;
    const int64_t *group_of = t->columns->group_of;
    if (!from->order)
        return pt_rows_match(place, &from->rows.rows, group, t->rows, group_of, err);
    for (int64_t c = 0; c < count; c++) { /* a precomputed kernel's are known by their numbers */
        const int64_t i = from->order[c];
        place[c] = i < t->columns->n && group_of[i] == group[c] ? i : -1;
    }
    return PT_OK;
}

/* coef <- that of the start. */
static pt_status take_start(work *w, pt_error *err)
{
    const pt_svm_training *t = w->t;
    const pt_pair_expansion *from = t->start_pairs;
    const int64_t k = t->columns->groups;
    if (from->k != k || from->linear)
        return pt_fail(err, PT_EINVAL, "`start` has other columns");
    const int64_t count = from->first[k];
    int64_t *group = NULL;  /* of each row of the start */
    int64_t *place = NULL;  /* which training row it is */
    int64_t *sorted = NULL; /* where that is among the sorted */
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "a start", err, PT_PIECE(group, count), PT_PIECE(place, count),
                    PT_PIECE(sorted, t->columns->n)));
    for (int64_t g = 0; g < k; g++)
        for (int64_t c = from->first[g]; c < from->first[g + 1]; c++)
            group[c] = g;
    for (int64_t q = 0; q < t->columns->n; q++)
        sorted[w->order[q]] = q;
    PT_TRY(find_rows(place, w, group, count, err));
    memset(w->coef, 0, (size_t)(t->columns->n * (k - 1)) * sizeof *w->coef);
    for (int64_t c = 0; c < count; c++) {
        if (place[c] < 0)
            continue;
        const int64_t g = group[c];
        const int64_t n = from->first[g + 1] - from->first[g];
        const double *coef = from->coef + from->first[g] * (k - 1) + c - from->first[g];
        double *to = w->coef + w->first[g] * (k - 1) + sorted[place[c]] - w->first[g];
        for (int64_t o = 0; o < k - 1; o++)
            to[o * class_size(w, g)] = pt_svm_carry(t, place[c], coef[o * n]);
    }
    return PT_OK;
}

pt_status pt_svm_pairs_fit(const pt_svm_training *t, pt_pair_expansion *out,
                           pt_svm_outcome *outcome, pt_error *err)
{
    PT_FREED_BY(work_free) work w = {.t = t};
    atomic_init(&w.done, 0);
    PT_TRY(prepare(&w, err));
    if (t->start_pairs)
        PT_TRY(take_start(&w, err));
    pt_task_begin_whole(t->task);
    const pt_status status = pt_parallel_for(t->task, t->columns->ell, train_pair, &w, err);
    pt_task_end_whole(t->task);
    PT_TRY(status);
    free_values(&w); /* what is kept has their memory */
    return keep(&w, out, outcome, err);
}
