/* Support vector machines for the columns of any code, each on most of the rows.
 *
 * All columns read the same kernel values (kernels/kernel_store.h): the whole Gram matrix where the
 * memory allows it, else a cache of rows. Columns are trained in parallel.
 *
 *   beta    n x ell   column-major: a_i y_i of each column
 *   space   workers   for the solver's copies of what it shrinks to */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "learners/svm_training.h"
#include "solvers/smo/smo_store.h"

enum { COLUMN_BYTES = 120 }; /* a column and the solver's vectors, for each row */
/* A space takes at most one part in so many of what is left. */
enum { SPACES = 8 };
/* A cache of fewer rows than this share would compute nearly all of them again and again. */
#define LEAST_CACHE 0.02

typedef struct work {
    const pt_svm_training *t;
    pt_kernel_store *store;
    char *space; /* of each worker, for the solver */
    size_t space_bytes;
    double *beta;
    double *bias;    /* ell */
    bool *converged; /* ell */
    int workers;
    atomic_llong done;
} work;

/* What is read while columns are trained. */
static void free_values(work *w)
{
    pt_kernel_store_close(w->store);
    pt_free(w->space);
    w->store = NULL;
    w->space = NULL;
}

static void work_free(work *w)
{
    free_values(w);
    pt_free(w->converged);
    pt_free(w->bias);
    pt_free(w->beta);
}

/* One column: the rows that take part, their sides and bounds. */
typedef struct column {
    int64_t n;
    int64_t *row;
    int8_t *y;
    double *bound;
    double *a;
    pt_arena arena;
} column;

static void column_free(column *c)
{
    pt_arena_free(&c->arena);
}

double pt_svm_bound(const pt_svm_training *t, int64_t i)
{
    return t->C * (t->columns->weight ? t->columns->weight[i] : 1);
}

/* ---- training -------------------------------------------------------------------------------- */

static pt_status make_column(column *c, const pt_svm_training *t, int64_t s, pt_error *err)
{
    const int64_t n = t->columns->n;
    PT_TRY(PT_ARENA(&c->arena, "a column", err, PT_PIECE(c->row, n), PT_PIECE(c->y, n),
                    PT_PIECE(c->bound, n), PT_PIECE(c->a, n)));
    for (int64_t i = 0; i < n; i++) {
        const int sign = pt_columns_sign(t->columns, t->columns->group_of[i], s);
        if (sign == 0)
            continue;
        c->row[c->n] = i;
        c->y[c->n] = (int8_t)sign;
        c->a[c->n] = 0;
        c->bound[c->n++] = pt_svm_bound(t, i);
    }
    return PT_OK;
}

/* a <- what the start has for the column, made feasible; rows that take no part have nothing. */
static void begin_column(work *w, int64_t s, column *c)
{
    double *beta = w->beta + s * w->t->columns->n;
    for (int64_t v = 0; v < c->n; v++)
        c->a[v] = beta[c->row[v]] * c->y[v];
    memset(beta, 0, (size_t)w->t->columns->n * sizeof *beta);
    pt_svm_make_feasible(w->t, c->n, c->y, c->bound, c->a);
}

static pt_status solve_column(work *w, int64_t s, int worker, column *c, pt_error *err)
{
    PT_FREED_BY(pt_smo_store_close) pt_smo_store rows = {0};
    pt_smo_result result = {0};
    const double turn =
        pt_task_turn(w->t->task, w->workers, w->t->columns->ell - atomic_load(&w->done));
    const pt_smo_problem problem = {.kernel = &rows.kernel,
                                    .n = {c->n, 0},
                                    .y = c->y,
                                    .bound = c->bound,
                                    .bias = w->t->bias,
                                    .eps = w->t->eps,
                                    .turn = turn,
                                    .space = w->space + (size_t)worker * w->space_bytes,
                                    .space_bytes = (double)w->space_bytes};
    const bool all = c->n == w->t->columns->n;
    PT_TRY(pt_smo_store_open(&rows, w->store, all ? NULL : c->row, c->n, w->t->task, err));
    PT_TRY(pt_smo_solve(&problem, c->a, &result, w->t->task, err));
    w->bias[s] = result.bias;
    w->converged[s] = result.converged;
    for (int64_t i = 0; i < c->n; i++)
        w->beta[s * w->t->columns->n + c->row[i]] = c->a[i] * c->y[i];
    return PT_OK;
}

static pt_status train_column(void *context, int64_t s, int worker, pt_error *err)
{
    work *w = context;
    PT_FREED_BY(column_free) column c = {0};
    PT_TRY(make_column(&c, w->t, s, err));
    if (w->t->start_columns)
        begin_column(w, s, &c);
    PT_TRY(solve_column(w, s, worker, &c, err));
    const long long done = atomic_fetch_add(&w->done, 1) + 1;
    pt_task_progress_whole(w->t->task, "training", (double)done, (double)w->t->columns->ell);
    return PT_OK;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

pt_status pt_svm_keep_linear(const pt_svm_training *t, double **beta, double **bias,
                             pt_expansion *out, pt_error *err)
{
    pt_expansion_parts parts = {.kernel = t->kernel,
                                .type = t->rows->type,
                                .m = t->columns->ell,
                                .n_coef = t->rows->d,
                                .linear = true,
                                .task = t->task};
    if (pt_kernel_is_row(&t->kernel)) {
        parts.coef = *beta;
        *beta = NULL;
    } else
        PT_TRY(pt_expansion_collapse(&parts.coef, t->rows, *beta, NULL, parts.m, t->task, err));
    parts.bias = *bias;
    *bias = NULL;
    return pt_expansion_take(out, &parts, err);
}

/* order <- the rows that have a coefficient; returns how many. */
static int64_t list_support(const work *w, int64_t *order)
{
    const pt_columns *c = w->t->columns;
    int64_t count = 0;
    for (int64_t i = 0; i < c->n; i++) {
        bool used = false;
        for (int64_t s = 0; s < c->ell && !used; s++)
            used = w->beta[s * c->n + i] != 0;
        if (used)
            order[count++] = i;
    }
    return count;
}

/* The coefficients of `count` rows, at least 1. */
static pt_status keep_rows(work *w, const int64_t *order, int64_t count, pt_expansion *out,
                           pt_error *err)
{
    const pt_columns *c = w->t->columns;
    pt_expansion_parts parts = {.kernel = w->t->kernel,
                                .type = w->t->rows->type,
                                .m = c->ell,
                                .n_coef = count,
                                .bias = w->bias,
                                .rows = w->t->rows,
                                .chosen = order,
                                .task = w->t->task};
    parts.coef = pt_alloc(count * c->ell, sizeof(double), "coefficients", err);
    if (!parts.coef)
        return PT_ENOMEM;
    for (int64_t s = 0; s < c->ell; s++)
        for (int64_t i = 0; i < count; i++)
            parts.coef[s * count + i] = w->beta[s * c->n + order[i]];
    w->bias = NULL;
    return pt_expansion_take(out, &parts, err);
}

static pt_status keep(work *w, pt_expansion *out, pt_svm_outcome *outcome, pt_error *err)
{
    const pt_svm_training *t = w->t;
    PT_SCRATCH int64_t *order = NULL;
    PT_TRY(PT_NEW(order, t->columns->n, "support vectors", err));
    outcome->n_support = list_support(w, order);
    for (int64_t s = 0; s < t->columns->ell; s++)
        outcome->unfinished += !w->converged[s];
    if (t->kernel.ops->linear || pt_kernel_is_row(&t->kernel))
        return pt_svm_keep_linear(t, &w->beta, &w->bias, out, err);
    if (outcome->n_support == 0)
        order[0] = 0; /* an expansion has a row */
    return keep_rows(w, order, outcome->n_support > 0 ? outcome->n_support : 1, out, err);
}

/* ---- the door -------------------------------------------------------------------------------- */

/* How the memory is used, the same for the plan and for the work. */
typedef struct layout {
    bool whole;     /* the store holds the Gram matrix */
    double held;    /* coefficients, rows made ready */
    double vectors; /* of a worker */
    double space;   /* of a worker */
    double store;
    int workers; /* as many as fit */
} layout;

static double vectors_bytes(int64_t n, pt_type type, bool whole)
{
    const double rows = PT_SMO_STORE_ROWS * pt_kernel_store_bytes(n, type) / (double)n;
    return (double)n * COLUMN_BYTES + (whole ? 0 : rows);
}

/* What decides about the solution, the store's kind and the solver's space, does not depend on the
 * number of threads. A whole matrix if there is room; then spaces, as large as is of use; a cache
 * takes what they leave. kernel: NULL, not chosen yet. */
static layout lay_out(const pt_rows *rows, const pt_columns *c, const pt_kernel_ops *kernel,
                      const pt_task *task)
{
    const double budget = (double)pt_task_memory(task);
    const bool given = kernel && kernel->base == PT_BASE_ROW;
    const double whole = given ? 0 : pt_kernel_store_bytes(rows->n, rows->type);
    const pt_kernel_base base = kernel ? kernel->base : PT_BASE_SQUARED_DISTANCE;
    const double useful =
        pt_kernel_store_bytes((int64_t)(PT_SMO_SHRINK_TO * (double)c->n), rows->type);
    const int threads = pt_parallel_workers(task, c->ell);
    layout l = {.held = 2 * 8 * (double)c->n * (double)c->ell +
                        (given ? 0 : (double)pt_gram_bytes(rows, base, rows->type))};
    l.whole = l.held + vectors_bytes(c->n, rows->type, true) + whole <= budget;
    l.vectors = vectors_bytes(c->n, rows->type, l.whole);
    l.store = l.whole ? whole : LEAST_CACHE * whole;
    const double left = fmax(budget - l.held - l.store, 0);
    l.space = fmin(left / SPACES, useful);
    const double fit = fmax(floor(left / (l.vectors + l.space)), 1);
    l.workers = fit < threads ? (int)fit : threads;
    if (!l.whole)
        l.store += fmax(left - l.workers * (l.vectors + l.space), 0);
    return l;
}

void pt_svm_columns_plan(const pt_rows *rows, const pt_columns *columns,
                         const pt_kernel_ops *kernel, const pt_task *task, pt_plan *plan)
{
    const layout l = lay_out(rows, columns, kernel, task);
    const double n = (double)rows->n;
    const double least = LEAST_CACHE * pt_kernel_store_bytes(rows->n, rows->type);
    /* What must be there: a cache, spaces and workers adapt to what is. */
    plan->bytes = l.held + l.vectors + (l.whole ? l.store : least);
    plan->flops = n * n * (double)rows->d;
    snprintf(plan->route, sizeof plan->route, "%lld columns, %s", (long long)columns->ell,
             l.whole ? "all kernel values held" : "a cache of kernel rows");
}

static pt_status take_memory(work *w, const layout *l, pt_error *err)
{
    const pt_columns *c = w->t->columns;
    w->space_bytes = (size_t)l->space / 64 * 64;
    w->beta = pt_alloc_zero(c->n * c->ell, sizeof(double), "coefficients", err);
    w->bias = pt_alloc_zero(c->ell, sizeof(double), "a bias", err);
    w->converged = pt_alloc_zero(c->ell, sizeof(bool), "a list", err);
    w->space = pt_alloc(l->workers, w->space_bytes, "copies of kernel values", err);
    return w->beta && w->bias && w->converged && w->space ? PT_OK : PT_ENOMEM;
}

/* beta <- that of the start. */
static pt_status take_start(work *w, pt_error *err)
{
    const pt_svm_training *t = w->t;
    const pt_expansion *from = t->start_columns;
    const int64_t ell = t->columns->ell;
    if (from->m != ell || from->column)
        return pt_fail(err, PT_EINVAL, "`start` has other columns");
    PT_SCRATCH int64_t *place = NULL;
    PT_TRY(PT_NEW(place, from->n_coef, "a start", err));
    PT_TRY(pt_expansion_find_rows(place, from, NULL, t->rows, NULL, err));
    for (int64_t c = 0; c < from->n_coef; c++)
        for (int64_t s = 0; s < ell && place[c] >= 0; s++)
            w->beta[s * t->columns->n + place[c]] =
                pt_svm_carry(t, place[c], from->coef[s * from->n_coef + c]);
    return PT_OK;
}

pt_status pt_svm_columns_fit(const pt_svm_training *t, pt_expansion *out, pt_svm_outcome *outcome,
                             pt_error *err)
{
    const layout l = lay_out(t->rows, t->columns, t->kernel.ops, t->task);
    PT_FREED_BY(work_free) work w = {.t = t, .workers = l.workers};
    atomic_init(&w.done, 0);
    PT_TRY(take_memory(&w, &l, err));
    if (t->start_columns)
        PT_TRY(take_start(&w, err));
    PT_TRY(pt_kernel_store_open(&w.store, t->rows, &t->kernel, NULL, l.store, t->task, err));
    pt_task_begin_whole(t->task);
    const pt_status status =
        pt_parallel_for_at_most(t->task, l.workers, t->columns->ell, train_column, &w, err);
    pt_task_end_whole(t->task);
    PT_TRY(status);
    free_values(&w); /* what is kept has their memory */
    return keep(&w, out, outcome, err);
}
