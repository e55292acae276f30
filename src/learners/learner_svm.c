/* The support vector machine with kernels, for all columns of a code at once.
 *
 *     min  1/2 ||w||^2 + sum_i C weight_i (1 - y_i f(x_i))_+ ,   f(x) = w.phi(x) + b
 *
 * All columns read the same kernel values (kernels/kernel_store.h). */
#include "learners/learner_svm.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "kernels/expansion.h"
#include "kernels/kernel_params.h"
#include "learners/pair_expansion.h"
#include "solvers/smo.h"

typedef struct svm {
    pt_learner base;
    bool pairs;
    pt_pair_expansion of_pairs;
    pt_expansion outputs; /* of other codes */
    int64_t n_support;
} svm;

static void svm_free(pt_learner *learner)
{
    svm *m = (svm *)learner;
    if (!m)
        return;
    pt_pair_expansion_free(&m->of_pairs);
    pt_expansion_free(&m->outputs);
    pt_free(m);
}

/* ---- training ---------------------------------------------------------------------------------
 */

typedef struct training {
    const pt_rows *rows;
    const pt_columns *columns;
    const pt_task *task;
    pt_kernel_store *store;
    double C;
    double eps;
    bool bias;
    double *beta;    /* n x ell column-major: a_i y_i */
    double *bias_of; /* ell */
    bool *converged; /* ell */
    atomic_llong done;
} training;

static pt_status train_column(void *context, int64_t s, int worker, pt_error *err)
{
    (void)worker;
    training *t = context;
    const int64_t n = t->columns->n;
    int64_t *row = pt_alloc(n, sizeof *row, "a column", err);
    int8_t *y = pt_alloc(n, sizeof *y, "a column", err);
    double *bound = pt_alloc(n, sizeof *bound, "a column", err);
    double *a = pt_alloc_zero(n, sizeof *a, "a column", err);
    pt_status status = row && y && bound && a ? PT_OK : PT_ENOMEM;
    int64_t m = 0;
    for (int64_t i = 0; i < n && status == PT_OK; i++) {
        const int sign = pt_columns_sign(t->columns, t->columns->group_of[i], s);
        if (sign == 0)
            continue;
        row[m] = i;
        y[m] = (int8_t)sign;
        bound[m++] = t->C * (t->columns->weight ? t->columns->weight[i] : 1);
    }
    pt_smo_result result = {0};
    const pt_smo_problem problem = {t->store, m, row, y, bound, t->bias, t->eps, 0};
    if (status == PT_OK)
        status = pt_smo_solve(&problem, a, &result, t->task, err);
    if (status == PT_OK) {
        t->bias_of[s] = result.bias;
        t->converged[s] = result.converged;
        for (int64_t i = 0; i < m; i++)
            t->beta[s * n + row[i]] = a[i] * y[i];
    }
    pt_free(a);
    pt_free(bound);
    pt_free(y);
    pt_free(row);
    const long long done = atomic_fetch_add(&t->done, 1) + 1;
    pt_task_progress_whole(t->task, "training", (double)done, (double)t->columns->ell);
    return status;
}

/* ---- what is kept ------------------------------------------------------------------------------
 */

/* order <- the rows that have a coefficient, by group where there are pairs; returns how many. */
static int64_t list_support(const training *t, int64_t *order, int64_t *first)
{
    const pt_columns *c = t->columns;
    int64_t count = 0;
    for (int64_t g = 0; g < (c->pairs ? c->groups : 1); g++) {
        if (first)
            first[g] = count;
        for (int64_t i = 0; i < c->n; i++) {
            bool used = !c->pairs || c->group_of[i] == g;
            if (!used)
                continue;
            used = false;
            for (int64_t s = 0; s < c->ell && !used; s++)
                used = t->beta[s * c->n + i] != 0;
            if (used)
                order[count++] = i;
        }
    }
    if (first)
        first[c->groups] = count;
    return count;
}

static pt_status keep_linear(pt_expansion *e, training *t, const pt_kernel *kernel, pt_error *err)
{
    pt_expansion_parts parts = {.kernel = *kernel,
                                .type = t->rows->type,
                                .m = t->columns->ell,
                                .n_coef = t->rows->d,
                                .linear = true,
                                .bias = t->bias_of};
    if (pt_kernel_is_row(kernel)) {
        parts.coef = t->beta;
        t->beta = NULL;
    } else {
        pt_status status = pt_expansion_collapse(&parts.coef, t->rows, t->beta, NULL, parts.m, err);
        if (status != PT_OK)
            return status;
    }
    t->bias_of = NULL;
    return pt_expansion_take(e, &parts, err);
}

static pt_status keep_pairs(svm *m, training *t, const pt_kernel *kernel, pt_error *err)
{
    const pt_columns *c = t->columns;
    pt_pair_expansion *e = &m->of_pairs;
    const int64_t width = c->groups - 1;
    e->k = c->groups;
    e->ell = c->ell;
    e->linear = kernel->ops->linear;
    if (e->linear)
        return keep_linear(&e->pairs, t, kernel, err);
    int64_t *order = pt_alloc(c->n, sizeof *order, "support vectors", err);
    e->first = pt_alloc(c->groups + 1, sizeof(int64_t), "support vectors", err);
    if (!order || !e->first) {
        pt_free(order);
        return PT_ENOMEM;
    }
    int64_t count = list_support(t, order, e->first);
    m->n_support = count;
    if (pt_kernel_is_row(kernel)) { /* all rows, by group */
        count = 0;
        for (int64_t g = 0; g < c->groups; g++) {
            e->first[g] = count;
            for (int64_t i = 0; i < c->n; i++)
                if (c->group_of[i] == g)
                    order[count++] = i;
        }
        e->first[c->groups] = count;
    } else if (count == 0) {
        order[0] = 0;
        for (int64_t g = c->group_of[0]; g < c->groups; g++)
            e->first[g + 1] = 1;
        count = 1;
    }
    e->coef = pt_alloc_zero(count * width, sizeof(double), "coefficients", err);
    pt_status status = e->coef ? PT_OK : PT_ENOMEM;
    for (int64_t g = 0; g < c->groups && status == PT_OK; g++) {
        const int64_t n_g = e->first[g + 1] - e->first[g];
        for (int64_t o = 0; o < width; o++) {
            const int64_t other = o < g ? o : o + 1;
            const int64_t s = other < g ? pt_pairs_column(c->groups, other, g)
                                        : pt_pairs_column(c->groups, g, other);
            for (int64_t i = 0; i < n_g; i++)
                e->coef[e->first[g] * width + o * n_g + i] =
                    t->beta[s * c->n + order[e->first[g] + i]];
        }
    }
    e->bias = t->bias_of;
    t->bias_of = NULL;
    if (status == PT_OK && pt_kernel_is_row(kernel)) {
        e->order = order;
        order = NULL;
    } else if (status == PT_OK) {
        status = pt_rows_select(&e->rows, t->rows, order, count, err);
    }
    if (status == PT_OK)
        status = pt_pair_expansion_finish(e, kernel, t->rows->type, err);
    pt_free(order);
    return status;
}

static pt_status keep_columns(svm *m, training *t, const pt_kernel *kernel, pt_error *err)
{
    const pt_columns *c = t->columns;
    int64_t *order = pt_alloc(c->n, sizeof *order, "support vectors", err);
    if (!order)
        return PT_ENOMEM;
    int64_t count = list_support(t, order, NULL);
    m->n_support = count;
    if (kernel->ops->linear || pt_kernel_is_row(kernel)) {
        pt_free(order);
        return keep_linear(&m->outputs, t, kernel, err);
    }
    if (count == 0)
        order[count++] = 0;
    pt_expansion_parts parts = {.kernel = *kernel,
                                .type = t->rows->type,
                                .m = c->ell,
                                .n_coef = count,
                                .bias = t->bias_of,
                                .rows = t->rows,
                                .chosen = order};
    parts.coef = pt_alloc(count * c->ell, sizeof(double), "coefficients", err);
    pt_status status = parts.coef ? PT_OK : PT_ENOMEM;
    for (int64_t s = 0; s < c->ell && status == PT_OK; s++)
        for (int64_t i = 0; i < count; i++)
            parts.coef[s * count + i] = t->beta[s * c->n + order[i]];
    if (status == PT_OK) {
        t->bias_of = NULL;
        status = pt_expansion_take(&m->outputs, &parts, err);
    }
    pt_free(order);
    return status;
}

static pt_status warn_unfinished(const training *t, pt_texts *warnings, pt_error *err)
{
    int64_t count = 0;
    for (int64_t s = 0; s < t->columns->ell; s++)
        count += !t->converged[s];
    return count ? pt_texts_add(warnings, err,
                                "%lld of %lld columns reached the limit of steps before --eps",
                                (long long)count, (long long)t->columns->ell)
                 : PT_OK;
}

static pt_status svm_plan(const pt_rows *rows, const pt_columns *columns, const pt_params *params,
                          const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)params;
    (void)task;
    (void)err;
    const double n = (double)rows->n;
    const double whole = pt_kernel_store_bytes(rows->n, rows->type);
    const double least = 64 * n * (double)pt_type_size(rows->type);
    const double coef = 8 * n * (double)columns->ell;
    const bool fits = whole + coef <= (double)pt_task_memory(task);
    plan->bytes = coef + (fits ? whole : least);
    plan->flops = n * n / 2 * (double)rows->d;
    snprintf(plan->route, sizeof plan->route, "%lld columns, %s", (long long)columns->ell,
             fits ? "all kernel values held" : "a cache of kernel rows");
    return PT_OK;
}

static pt_status svm_fit(pt_learner **out, const pt_rows *rows, const pt_columns *columns,
                         const pt_params *params, const pt_task *task, pt_texts *warnings,
                         pt_error *err)
{
    pt_kernel kernel;
    svm *m = pt_alloc_zero(1, sizeof *m, "a learner", err);
    pt_status status = m ? pt_kernel_from_params(&kernel, params, err) : PT_ENOMEM;
    if (status != PT_OK) {
        pt_free(m);
        return status;
    }
    m->base.ops = &pt_learner_svm;
    m->pairs = columns->pairs;
    training t = {.rows = rows,
                  .columns = columns,
                  .task = task,
                  .C = pt_params_real(params, PT_P_C),
                  .eps = pt_params_real(params, PT_P_EPS),
                  .bias = pt_params_flag(params, PT_P_BIAS)};
    atomic_init(&t.done, 0);
    const double bytes = (double)pt_task_memory(task) - 8 * (double)rows->n * (double)columns->ell;
    t.beta = pt_alloc_zero(rows->n * columns->ell, sizeof(double), "coefficients", err);
    t.bias_of = pt_alloc_zero(columns->ell, sizeof(double), "a bias", err);
    t.converged = pt_alloc_zero(columns->ell, sizeof(bool), "a list", err);
    if (!t.beta || !t.bias_of || !t.converged)
        status = PT_ENOMEM;
    if (status == PT_OK)
        status = pt_kernel_store_open(&t.store, rows, &kernel, NULL, bytes, task, err);
    pt_task_begin_whole(task);
    if (status == PT_OK)
        status = pt_parallel_for(task, columns->ell, train_column, &t, err);
    pt_task_end_whole(task);
    if (status == PT_OK)
        status = warn_unfinished(&t, warnings, err);
    if (status == PT_OK)
        status = m->pairs ? keep_pairs(m, &t, &kernel, err) : keep_columns(m, &t, &kernel, err);
    pt_kernel_store_close(t.store);
    pt_free(t.converged);
    pt_free(t.bias_of);
    pt_free(t.beta);
    if (status != PT_OK) {
        svm_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

/* ---- outputs, the file, the table entry --------------------------------------------------------
 */

static pt_status svm_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                             const pt_task *task, pt_error *err)
{
    const svm *m = (const svm *)learner;
    return m->pairs ? pt_pair_expansion_outputs(&m->of_pairs, rows, outputs, task, err)
                    : pt_expansion_outputs(&m->outputs, rows, outputs, task, err);
}

static pt_status svm_save(const pt_learner *learner, pt_pack *pack, pt_error *err)
{
    (void)err;
    const svm *m = (const svm *)learner;
    if (m->pairs)
        pt_pair_expansion_save(&m->of_pairs, pack);
    else
        pt_expansion_save(&m->outputs, pack);
    pt_pack_add_integers(pack, "n_support", 1, &m->n_support);
    return PT_OK;
}

static pt_status svm_load(pt_learner **out, const pt_pack *pack, int64_t n_inputs,
                          const pt_columns *columns, const pt_params *params, int64_t *used,
                          pt_error *err)
{
    const pt_array *support = pt_pack_find(pack, "n_support");
    if (!pt_array_is_index(support, INT64_MAX) || support->rows != 1)
        return pt_fail(err, PT_EFORMAT, "the model lacks the number of its support vectors");
    svm *m = pt_alloc_zero(1, sizeof *m, "a learner", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = &pt_learner_svm;
    m->pairs = columns->pairs;
    m->n_support = *(const int64_t *)support->value;
    pt_status status =
        m->pairs ? pt_pair_expansion_load(&m->of_pairs, pack, n_inputs, columns->groups, params,
                                          used, err)
                 : pt_expansion_load(&m->outputs, pack, n_inputs, columns->ell, params, used, err);
    *used += 1;
    if (status != PT_OK) {
        svm_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

static int64_t svm_figures(const pt_learner *learner, pt_figure *figures)
{
    figures[0] = (pt_figure){"support_vectors", ((const svm *)learner)->n_support};
    return 1;
}

const pt_learner_ops pt_learner_svm = {
    .name = "svm",
    .summary = "support vector machine with kernels: hinge loss",
    .parameters = "C,eps,bias,class-weight,precision,kernel",
    .loss = &pt_loss_hinge,
    .defaults = "bias=yes",
    .capabilities = PT_LEARNS_WEIGHTS | PT_LEARNS_SPARSE | PT_LEARNS_KERNELS,
    .plan = svm_plan,
    .fit = svm_fit,
    .outputs = svm_outputs,
    .free = svm_free,
    .save = svm_save,
    .load = svm_load,
    .figures = svm_figures,
};
