/* Support vector machines for all pairs of classes, each on the rows of its two.
 *
 *   beta   n x ell   column-major: a_i y_i of each pair */
#include <stdatomic.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "learners/svm_training.h"
#include "solvers/smo_store.h"

typedef struct work {
    const pt_svm_training *t;
    pt_kernel_store *store;
    double *beta;
    double *bias;    /* ell */
    bool *converged; /* ell */
    atomic_llong done;
} work;

/* ---- training ----------------------------------------------------------------------------------
 */

static pt_status solve_pair(work *w, int64_t s, const int64_t *row, const int8_t *y,
                            const double *bound, int64_t n, double *a, pt_error *err)
{
    pt_smo_store rows = {0};
    pt_smo_result result = {0};
    const pt_smo_problem problem = {.kernel = &rows.kernel,
                                    .n = {n, 0},
                                    .y = y,
                                    .bound = bound,
                                    .bias = w->t->bias,
                                    .eps = w->t->eps};
    pt_status status = pt_smo_store_open(&rows, w->store, row, n, w->t->task, err);
    if (status == PT_OK)
        status = pt_smo_solve(&problem, a, &result, w->t->task, err);
    pt_smo_store_close(&rows);
    w->bias[s] = result.bias;
    w->converged[s] = result.converged;
    for (int64_t i = 0; i < n && status == PT_OK; i++)
        w->beta[s * w->t->columns->n + row[i]] = a[i] * y[i];
    return status;
}

static pt_status train_pair(void *context, int64_t s, int worker, pt_error *err)
{
    (void)worker;
    work *w = context;
    const pt_columns *c = w->t->columns;
    int64_t *row = pt_alloc(c->n, sizeof *row, "a column", err);
    int8_t *y = pt_alloc(c->n, sizeof *y, "a column", err);
    double *bound = pt_alloc(c->n, sizeof *bound, "a column", err);
    double *a = pt_alloc_zero(c->n, sizeof *a, "a column", err);
    pt_status status = row && y && bound && a ? PT_OK : PT_ENOMEM;
    int64_t n = 0;
    for (int64_t i = 0; i < c->n && status == PT_OK; i++) {
        const int sign = pt_columns_sign(c, c->group_of[i], s);
        if (sign == 0)
            continue;
        row[n] = i;
        y[n] = (int8_t)sign;
        bound[n++] = pt_svm_bound(w->t, i);
    }
    if (status == PT_OK)
        status = solve_pair(w, s, row, y, bound, n, a, err);
    pt_free(a);
    pt_free(bound);
    pt_free(y);
    pt_free(row);
    const long long done = atomic_fetch_add(&w->done, 1) + 1;
    pt_task_progress_whole(w->t->task, "training", (double)done, (double)c->ell);
    return status;
}

/* ---- what is kept ------------------------------------------------------------------------------
 */

/* order <- the rows, or those that have a coefficient, by class; first <- where a class begins.
 * Returns how many. */
static int64_t list_rows(const work *w, bool all, int64_t *order, int64_t *first)
{
    const pt_columns *c = w->t->columns;
    int64_t count = 0;
    for (int64_t g = 0; g < c->groups; g++) {
        first[g] = count;
        for (int64_t i = 0; i < c->n; i++) {
            if (c->group_of[i] != g)
                continue;
            bool used = all;
            for (int64_t s = 0; s < c->ell && !used; s++)
                used = w->beta[s * c->n + i] != 0;
            if (used)
                order[count++] = i;
        }
    }
    first[c->groups] = count;
    return count;
}

static pt_status copy_coef(const work *w, const int64_t *order, pt_pair_expansion *e, pt_error *err)
{
    const pt_columns *c = w->t->columns;
    const int64_t width = c->groups - 1;
    e->coef = pt_alloc_zero(e->first[c->groups] * width, sizeof(double), "coefficients", err);
    if (!e->coef)
        return PT_ENOMEM;
    for (int64_t g = 0; g < c->groups; g++) {
        const int64_t n = e->first[g + 1] - e->first[g];
        for (int64_t o = 0; o < width; o++) {
            const int64_t other = o < g ? o : o + 1;
            const int64_t s = other < g ? pt_pairs_column(c->groups, other, g)
                                        : pt_pairs_column(c->groups, g, other);
            for (int64_t i = 0; i < n; i++)
                e->coef[e->first[g] * width + o * n + i] =
                    w->beta[s * c->n + order[e->first[g] + i]];
        }
    }
    return PT_OK;
}

static pt_status keep_rows(work *w, int64_t **order, pt_pair_expansion *e, pt_svm_outcome *outcome,
                           pt_error *err)
{
    const pt_columns *c = w->t->columns;
    const bool square = pt_kernel_is_row(&w->t->kernel);
    int64_t count = list_rows(w, false, *order, e->first);
    outcome->n_support = count;
    if (square) {
        count = list_rows(w, true, *order, e->first);
    } else if (count == 0) { /* an expansion has a row */
        (*order)[0] = 0;
        for (int64_t g = c->group_of[0]; g < c->groups; g++)
            e->first[g + 1] = 1;
        count = 1;
    }
    pt_status status = copy_coef(w, *order, e, err);
    e->bias = w->bias;
    w->bias = NULL;
    if (status == PT_OK && square) {
        e->order = *order;
        *order = NULL;
    } else if (status == PT_OK) {
        status = pt_rows_select(&e->rows, w->t->rows, *order, count, err);
    }
    return status == PT_OK ? pt_pair_expansion_finish(e, &w->t->kernel, w->t->rows->type, err)
                           : status;
}

static pt_status keep(work *w, pt_pair_expansion *e, pt_svm_outcome *outcome, pt_error *err)
{
    const pt_columns *c = w->t->columns;
    e->k = c->groups;
    e->ell = c->ell;
    e->linear = w->t->kernel.ops->linear;
    for (int64_t s = 0; s < c->ell; s++)
        outcome->unfinished += !w->converged[s];
    int64_t *order = pt_alloc(c->n, sizeof *order, "support vectors", err);
    int64_t *first = pt_alloc(c->groups + 1, sizeof *first, "support vectors", err);
    pt_status status = order && first ? PT_OK : PT_ENOMEM;
    if (status == PT_OK && e->linear) {
        outcome->n_support = list_rows(w, false, order, first);
        status = pt_svm_keep_linear(w->t, &w->beta, &w->bias, &e->pairs, err);
    } else if (status == PT_OK) {
        e->first = first;
        first = NULL;
        status = keep_rows(w, &order, e, outcome, err);
    }
    pt_free(first);
    pt_free(order);
    return status;
}

/* ---- the door ----------------------------------------------------------------------------------
 */

static double coef_bytes(const pt_columns *columns)
{
    return 8 * (double)columns->n * (double)columns->ell;
}

void pt_svm_pairs_plan(const pt_rows *rows, const pt_columns *columns, const pt_task *task,
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

pt_status pt_svm_pairs_fit(const pt_svm_training *t, pt_pair_expansion *out,
                           pt_svm_outcome *outcome, pt_error *err)
{
    const pt_columns *c = t->columns;
    work w = {.t = t};
    atomic_init(&w.done, 0);
    w.beta = pt_alloc_zero(c->n * c->ell, sizeof(double), "coefficients", err);
    w.bias = pt_alloc_zero(c->ell, sizeof(double), "a bias", err);
    w.converged = pt_alloc_zero(c->ell, sizeof(bool), "a list", err);
    pt_status status = w.beta && w.bias && w.converged ? PT_OK : PT_ENOMEM;
    const double bytes = (double)pt_task_memory(t->task) - coef_bytes(c);
    if (status == PT_OK)
        status = pt_kernel_store_open(&w.store, t->rows, &t->kernel, NULL, bytes, t->task, err);
    pt_task_begin_whole(t->task);
    if (status == PT_OK)
        status = pt_parallel_for(t->task, c->ell, train_pair, &w, err);
    pt_task_end_whole(t->task);
    if (status == PT_OK)
        status = keep(&w, out, outcome, err);
    pt_kernel_store_close(w.store);
    pt_free(w.converged);
    pt_free(w.bias);
    pt_free(w.beta);
    return status;
}
