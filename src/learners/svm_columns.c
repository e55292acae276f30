/* Support vector machines for the columns of any code, each on most of the rows.
 *
 * All columns read the same kernel values (kernels/kernel_store.h).
 *
 *   beta   n x ell   column-major: a_i y_i of each column */
#include <stdatomic.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "learners/svm_training.h"
#include "solvers/smo_store.h"

typedef struct work {
    const pt_svm_training *t;
    pt_kernel_store *store;
    char *space; /* of each worker, for the solver */
    size_t space_bytes;
    double *beta;
    double *bias;    /* ell */
    bool *converged; /* ell */
    atomic_llong done;
} work;

/* One column: the rows that take part, their sides and bounds. */
typedef struct column {
    int64_t n;
    int64_t *row;
    int8_t *y;
    double *bound;
    double *a;
} column;

double pt_svm_bound(const pt_svm_training *t, int64_t i)
{
    return t->C * (t->columns->weight ? t->columns->weight[i] : 1);
}

/* ---- training ----------------------------------------------------------------------------------
 */

static void free_column(column *c)
{
    pt_free(c->a);
    pt_free(c->bound);
    pt_free(c->y);
    pt_free(c->row);
}

static pt_status make_column(column *c, const pt_svm_training *t, int64_t s, pt_error *err)
{
    const int64_t n = t->columns->n;
    c->row = pt_alloc(n, sizeof *c->row, "a column", err);
    c->y = pt_alloc(n, sizeof *c->y, "a column", err);
    c->bound = pt_alloc(n, sizeof *c->bound, "a column", err);
    c->a = pt_alloc_zero(n, sizeof *c->a, "a column", err);
    if (!c->row || !c->y || !c->bound || !c->a)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        const int sign = pt_columns_sign(t->columns, t->columns->group_of[i], s);
        if (sign == 0)
            continue;
        c->row[c->n] = i;
        c->y[c->n] = (int8_t)sign;
        c->bound[c->n++] = pt_svm_bound(t, i);
    }
    return PT_OK;
}

static pt_status solve_column(work *w, int64_t s, int worker, column *c, pt_error *err)
{
    pt_smo_store rows = {0};
    pt_smo_result result = {0};
    const pt_smo_problem problem = {.kernel = &rows.kernel,
                                    .n = {c->n, 0},
                                    .y = c->y,
                                    .bound = c->bound,
                                    .bias = w->t->bias,
                                    .eps = w->t->eps,
                                    .space = w->space + (size_t)worker * w->space_bytes,
                                    .space_bytes = (double)w->space_bytes};
    const bool all = c->n == w->t->columns->n;
    pt_status status =
        pt_smo_store_open(&rows, w->store, all ? NULL : c->row, c->n, w->t->task, err);
    if (status == PT_OK)
        status = pt_smo_solve(&problem, c->a, &result, w->t->task, err);
    pt_smo_store_close(&rows);
    w->bias[s] = result.bias;
    w->converged[s] = result.converged;
    return status;
}

static pt_status train_column(void *context, int64_t s, int worker, pt_error *err)
{
    work *w = context;
    column c = {0};
    pt_status status = make_column(&c, w->t, s, err);
    if (status == PT_OK)
        status = solve_column(w, s, worker, &c, err);
    for (int64_t i = 0; i < c.n && status == PT_OK; i++)
        w->beta[s * w->t->columns->n + c.row[i]] = c.a[i] * c.y[i];
    free_column(&c);
    const long long done = atomic_fetch_add(&w->done, 1) + 1;
    pt_task_progress_whole(w->t->task, "training", (double)done, (double)w->t->columns->ell);
    return status;
}

/* ---- what is kept ------------------------------------------------------------------------------
 */

pt_status pt_svm_keep_linear(const pt_svm_training *t, double **beta, double **bias,
                             pt_expansion *out, pt_error *err)
{
    pt_expansion_parts parts = {.kernel = t->kernel,
                                .type = t->rows->type,
                                .m = t->columns->ell,
                                .n_coef = t->rows->d,
                                .linear = true};
    if (pt_kernel_is_row(&t->kernel)) {
        parts.coef = *beta;
        *beta = NULL;
    } else {
        pt_status status = pt_expansion_collapse(&parts.coef, t->rows, *beta, NULL, parts.m, err);
        if (status != PT_OK)
            return status;
    }
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
                                .chosen = order};
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
    int64_t *order = pt_alloc(t->columns->n, sizeof *order, "support vectors", err);
    if (!order)
        return PT_ENOMEM;
    outcome->n_support = list_support(w, order);
    for (int64_t s = 0; s < t->columns->ell; s++)
        outcome->unfinished += !w->converged[s];
    pt_status status = PT_OK;
    if (t->kernel.ops->linear || pt_kernel_is_row(&t->kernel)) {
        status = pt_svm_keep_linear(t, &w->beta, &w->bias, out, err);
    } else {
        if (outcome->n_support == 0)
            order[0] = 0; /* an expansion has a row */
        const int64_t count = outcome->n_support > 0 ? outcome->n_support : 1;
        status = keep_rows(w, order, count, out, err);
    }
    pt_free(order);
    return status;
}

/* ---- the door ----------------------------------------------------------------------------------
 */

static double coef_bytes(const pt_columns *columns)
{
    return 8 * (double)columns->n * (double)columns->ell;
}

void pt_svm_columns_plan(const pt_rows *rows, const pt_columns *columns, const pt_task *task,
                         pt_plan *plan)
{
    const double n = (double)rows->n;
    const double whole = pt_kernel_store_bytes(rows->n, rows->type);
    const double least = 64 * n * (double)pt_type_size(rows->type);
    const bool fits = whole + coef_bytes(columns) <= (double)pt_task_memory(task);
    plan->bytes = coef_bytes(columns) + (fits ? whole : least);
    plan->flops = n * n / 2 * (double)rows->d;
    snprintf(plan->route, sizeof plan->route, "%lld columns, %s", (long long)columns->ell,
             fits ? "all kernel values held" : "a cache of kernel rows");
}

pt_status pt_svm_columns_fit(const pt_svm_training *t, pt_expansion *out, pt_svm_outcome *outcome,
                             pt_error *err)
{
    const pt_columns *c = t->columns;
    work w = {.t = t};
    atomic_init(&w.done, 0);
    w.beta = pt_alloc_zero(c->n * c->ell, sizeof(double), "coefficients", err);
    w.bias = pt_alloc_zero(c->ell, sizeof(double), "a bias", err);
    w.converged = pt_alloc_zero(c->ell, sizeof(bool), "a list", err);
    const double bytes = (double)pt_task_memory(t->task) - coef_bytes(c);
    w.space_bytes = (size_t)pt_kernel_store_bytes(c->n * 3 / 5, t->rows->type);
    w.space = pt_alloc(pt_parallel_workers(t->task, c->ell), w.space_bytes, "work space", err);
    pt_status status = w.beta && w.bias && w.converged && w.space ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = pt_kernel_store_open(&w.store, t->rows, &t->kernel, NULL, bytes, t->task, err);
    pt_task_begin_whole(t->task);
    if (status == PT_OK)
        status = pt_parallel_for(t->task, c->ell, train_column, &w, err);
    pt_task_end_whole(t->task);
    if (status == PT_OK)
        status = keep(&w, out, outcome, err);
    pt_kernel_store_close(w.store);
    pt_free(w.space);
    pt_free(w.converged);
    pt_free(w.bias);
    pt_free(w.beta);
    return status;
}
