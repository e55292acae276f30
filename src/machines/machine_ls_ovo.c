/* ls-ovo: a binary least-squares machine for each pair of classes; what HNR measures oneLSM against
 * (Tables 5 and 6).
 *
 *     (K_pq + gamma W_pq^-1) a_pq = y_pq ,   f_pq(x) = a_pq . kappa_x ,   p < q
 *
 * on the examples of the classes p and q alone, y = +1 for p and -1 for q. The kernel values of a
 * pair are computed for it.
 *
 * Decision. HNR does not say how the pairs decide. Here they are decoded as the code of all pairs
 * (codes/code_pairs.c): by default with Hamming distance, that is, every pair votes, an output of
 * exactly 0 gives half a vote to both, and ties go to the class that comes first; --decode inner
 * adds up outputs.
 *
 * What is kept, and how it is used: learners/pair_expansion.h.
 *
 * Time sum over pairs of (n_p + n_q)^3 / 3, pairs in parallel; memory (n_p + n_q)^2 / 2 of the
 * factor's type for each worker. */
#include "machines/machine_ls_ovo.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "kernels/kernel_params.h"
#include "machines/ls_auto.h"
#include "machines/ls_machine.h"
#include "machines/pair_machine.h"

/* ---- planning ------------------------------------------------------------ */

/* first[c] <- where class c begins among the rows sorted by class. */
static pt_status class_starts(int64_t **out, const pt_problem *problem, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    int64_t *first = pt_alloc_zero(k + 1, sizeof *first, "class sizes", err);
    if (!first)
        return PT_ENOMEM;
    for (int64_t i = 0; i < problem->rows.n; i++)
        first[problem->labels->class_of[i] + 1]++;
    for (int64_t c = 0; c < k; c++)
        first[c + 1] += first[c];
    *out = first;
    return PT_OK;
}

/* The largest pair, and the multiplications of all. */
static void measure_pairs(const int64_t *first, int64_t k, int64_t *largest, double *cubes)
{
    *largest = 0;
    *cubes = 0;
    for (int64_t p = 0; p < k; p++)
        for (int64_t q = p + 1; q < k; q++) {
            const int64_t m = first[p + 1] - first[p] + first[q + 1] - first[q];
            *largest = m > *largest ? m : *largest;
            *cubes += (double)m * (double)m * (double)m / 3;
        }
}

/* What the largest pair takes, its own copy of the rows included. */
static pt_status pair_plan(const pt_problem *problem, const pt_params *params, int64_t largest,
                           pt_plan *plan, pt_error *err)
{
    pt_problem pair = *problem;
    const pt_rows *rows = &problem->rows;
    pair.rows.n = largest;
    if (rows->d == rows->n && pt_kernel_is_precomputed(params))
        pair.rows.d = largest;
    pt_status status = pt_ls_plan(&pair.rows, params, PT_PAIR_SIDES, plan, err);
    plan->bytes += (double)largest / (double)rows->n * (double)pt_rows_stored(rows) *
                   (double)(pt_type_size(rows->type) + (rows->dense ? 0 : sizeof(int64_t)));
    return status;
}

static pt_status ovo_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                          pt_plan *plan, pt_error *err)
{
    (void)task;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const double n = (double)problem->rows.n;
    int64_t *first = NULL;
    int64_t largest = 0;
    double cubes = 0;
    pt_status status = class_starts(&first, problem, err);
    if (status != PT_OK)
        return status;
    measure_pairs(first, k, &largest, &cubes);
    pt_free(first);
    pt_plan pair = {0, 0, ""};
    status = pair_plan(problem, params, largest, &pair, err);
    if (status != PT_OK)
        return status;
    plan->bytes = pair.bytes + 8 * n * (double)k +
                  (double)pt_rows_stored(&problem->rows) * (double)sizeof(double);
    plan->flops = cubes;
    snprintf(plan->route, sizeof plan->route, "%lld pairs, the largest %.100s",
             (long long)pt_pairs_count(k), pair.route);
    return PT_OK;
}

/* ---- training a pair ------------------------------------------------------------ */

typedef struct training {
    pt_pair_machine *m;
    const pt_problem *problem;
    const pt_params *params;
    const pt_task *task;
    const pt_ls_ordered *sorted; /* by class; a precomputed kernel's columns too */
    bool square;                 /* it is one */
    double *vectors;             /* d x ell, column-major: a linear kernel's */
    pt_texts *warnings;          /* of each pair */
    atomic_llong done;
} training;

/* The examples of one pair. Zero-initialise; free it always. */
typedef struct pair {
    int64_t p;
    int64_t q;
    int64_t n_p;
    int64_t n;
    pt_rows_owned rows;
    int64_t *chosen; /* places among the sorted rows */
    int64_t *side;
    double *weight;
} pair;

static void pair_free(pair *x)
{
    pt_rows_owned_free(&x->rows);
    pt_free(x->chosen);
    pt_free(x->side);
    pt_free(x->weight);
}

static pt_status pair_init(pair *x, const training *t, int64_t s, pt_error *err)
{
    const int64_t *first = t->m->pairs.first;
    pt_pairs_at(t->m->code.k, s, &x->p, &x->q);
    x->n_p = first[x->p + 1] - first[x->p];
    x->n = x->n_p + first[x->q + 1] - first[x->q];
    if (x->n == 0)
        return PT_OK;
    x->chosen = pt_alloc(x->n, sizeof(int64_t), "a pair", err);
    x->side = pt_alloc(x->n, sizeof(int64_t), "a pair", err);
    x->weight = pt_alloc(x->n, sizeof(double), "a pair", err);
    if (!x->chosen || !x->side || !x->weight)
        return PT_ENOMEM;
    for (int64_t i = 0; i < x->n; i++) {
        const bool of_p = i < x->n_p;
        x->chosen[i] = of_p ? first[x->p] + i : first[x->q] + i - x->n_p;
        x->side[i] = of_p ? 0 : 1;
        x->weight[i] = t->sorted->weight ? t->sorted->weight[x->chosen[i]] : 1;
    }
    pt_status status = pt_rows_select(&x->rows, &t->sorted->rows.rows, x->chosen, x->n, err);
    if (status == PT_OK && t->square)
        status = pt_rows_take_columns(&x->rows, x->chosen, x->n, err);
    return status;
}

/* The coefficients of both classes' examples to where they belong. */
static void keep_coefficients(const training *t, const pair *x, const double *a)
{
    const int64_t *first = t->m->pairs.first;
    const int64_t width = t->m->code.k - 1;
    const int64_t n_q = x->n - x->n_p;
    double *of_p = t->m->pairs.coef + first[x->p] * width + pt_pair_column_of(x->p, x->q) * x->n_p;
    double *of_q = t->m->pairs.coef + first[x->q] * width + pt_pair_column_of(x->q, x->p) * n_q;
    memcpy(of_p, a, (size_t)x->n_p * sizeof *a);
    memcpy(of_q, a + x->n_p, (size_t)n_q * sizeof *a);
}

/* The one vector that a linear machine is. */
static pt_status keep_vector(const training *t, const pair *x, int64_t s,
                             const pt_expansion_parts *parts, pt_error *err)
{
    const int64_t d = t->problem->rows.d;
    double *v = NULL;
    if (!parts->linear) {
        pt_status status = pt_expansion_collapse(&v, &x->rows.rows, parts->coef, NULL, 1, err);
        if (status != PT_OK)
            return status;
    }
    memcpy(t->vectors + s * d, v ? v : parts->coef, (size_t)d * sizeof *v);
    pt_free(v);
    return PT_OK;
}

static pt_status solve_pair(const training *t, const pair *x, int64_t s, pt_error *err)
{
    const pt_ls_problem ls = {&x->rows.rows, x->side, PT_PAIR_SIDES,
                              t->problem->weight ? x->weight : NULL};
    pt_expansion_parts parts;
    pt_status status =
        pt_ls_train(&parts, &ls, t->params, t->problem->rows.type, t->task, &t->warnings[s], err);
    if (status != PT_OK)
        return status;
    for (int64_t i = 0; i < parts.n_coef; i++) /* y = e_p - e_q */
        parts.coef[i] -= parts.coef[parts.n_coef + i];
    if (t->m->pairs.linear)
        status = keep_vector(t, x, s, &parts, err);
    else
        keep_coefficients(t, x, parts.coef);
    pt_free(parts.coef);
    return status;
}

static pt_status train_pair(void *context, int64_t s, int worker, pt_error *err)
{
    (void)worker;
    training *t = context;
    pair x = {0};
    pt_status status = pair_init(&x, t, s, err);
    if (status == PT_OK && x.n > 0) /* a fold may lack both classes: the output is 0 */
        status = solve_pair(t, &x, s, err);
    if (status == PT_ENUMERIC && err) {
        pt_error own = *err; /* its row is one of the pair */
        const pt_texts *names = &t->problem->labels->classes;
        status = pt_fail(err, status, "classes '%.60s' and '%.60s': %.300s",
                         pt_texts_get(names, x.p), pt_texts_get(names, x.q), own.text);
    }
    pair_free(&x);
    const long long done = atomic_fetch_add(&t->done, 1) + 1;
    pt_task_progress_whole(t->task, "training", (double)done, (double)t->m->code.ell);
    return status;
}

/* ---- training ------------------------------------------------------------ */

/* What a pair has to say is said once, with how many others say something. */
static pt_status sum_up_warnings(const training *t, pt_texts *warnings, pt_error *err)
{
    const char *text = NULL;
    int64_t count = 0;
    for (int64_t s = 0; s < t->m->code.ell; s++)
        if (t->warnings[s].count > 0) {
            text = text ? text : pt_texts_get(&t->warnings[s], 0);
            count++;
        }
    return text ? pt_texts_add(warnings, err, "in %lld of %lld pairs: %s", (long long)count,
                               (long long)t->m->code.ell, text)
                : PT_OK;
}

/* As many pairs at a time as the memory allows. */
static pt_status count_workers(const training *t, int *workers, pt_error *err)
{
    int64_t largest = 0;
    double cubes = 0;
    pt_plan plan = {0, 0, ""};
    measure_pairs(t->m->pairs.first, t->m->code.k, &largest, &cubes);
    pt_status status = pair_plan(t->problem, t->params, largest, &plan, err);
    const double most = (double)pt_task_memory(t->task) / (plan.bytes + 1);
    *workers = pt_parallel_workers(t->task, t->m->code.ell);
    if (most < (double)*workers)
        *workers = most < 1 ? 1 : (int)most;
    return status;
}

static pt_status train_pairs(training *t, pt_texts *warnings, pt_error *err)
{
    pt_pair_machine *m = t->m;
    int workers = 1;
    pt_status status = count_workers(t, &workers, err);
    if (status != PT_OK)
        return status;
    t->warnings = pt_alloc_zero(m->code.ell, sizeof(pt_texts), "warnings", err);
    if (m->pairs.linear)
        t->vectors =
            pt_alloc_zero(m->code.ell * t->problem->rows.d, sizeof(double), "coefficients", err);
    else
        m->pairs.coef = pt_alloc_zero(t->problem->rows.n * (m->code.k - 1), sizeof(double),
                                      "coefficients", err);
    status = t->warnings && (m->pairs.linear ? t->vectors : m->pairs.coef) ? PT_OK : PT_ENOMEM;
    pt_task_begin_whole(t->task);
    if (status == PT_OK)
        status = pt_parallel_for_at_most(t->task, workers, m->code.ell, train_pair, t, err);
    pt_task_end_whole(t->task);
    if (status == PT_OK)
        status = sum_up_warnings(t, warnings, err);
    for (int64_t s = 0; t->warnings && s < m->code.ell; s++)
        pt_texts_free(&t->warnings[s]);
    pt_free(t->warnings);
    return status;
}

/* Takes over what was trained. */
static pt_status finish(pt_pair_machine *m, training *t, pt_ls_ordered *sorted,
                        const pt_kernel *kernel, pt_error *err)
{
    const pt_type type = t->problem->rows.type;
    if (m->pairs.linear) {
        const pt_expansion_parts parts = {.kernel = *kernel,
                                          .type = type,
                                          .m = m->code.ell,
                                          .n_coef = t->problem->rows.d,
                                          .linear = true,
                                          .coef = t->vectors};
        t->vectors = NULL;
        return pt_expansion_take(&m->pairs.pairs, &parts, err);
    }
    if (t->square) {
        m->pairs.order = sorted->order;
        sorted->order = NULL;
    } else {
        m->pairs.rows = sorted->rows;
        sorted->rows = (pt_rows_owned){0};
    }
    return pt_pair_expansion_finish(&m->pairs, kernel, type, err);
}

static pt_status ovo_fit(pt_machine **out, const pt_problem *problem, const pt_params *params,
                         const pt_task *task, pt_texts *warnings, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    const pt_ls_problem ls = pt_ls_problem_of(problem);
    pt_pair_machine *m = NULL;
    pt_ls_ordered sorted = {0};
    pt_kernel kernel;
    pt_status status = pt_pair_machine_new(&m, &pt_machine_ls_ovo, k, params, err);
    if (status != PT_OK)
        return status;
    training t = {.m = m, .problem = problem, .params = params, .task = task, .sorted = &sorted};
    atomic_init(&t.done, 0);
    status = pt_ls_kernel(&kernel, &problem->rows, params, err);
    if (status == PT_OK)
        status = class_starts(&m->pairs.first, problem, err);
    if (status == PT_OK)
        status = pt_ls_ordered_init(&sorted, &ls, ls.class_of, k, err);
    if (status == PT_OK) {
        m->pairs.linear = kernel.ops->linear;
        t.square = pt_kernel_is_row(&kernel);
        if (t.square)
            status = pt_rows_take_columns(&sorted.rows, sorted.order, problem->rows.n, err);
    }
    if (status == PT_OK)
        status = train_pairs(&t, warnings, err);
    if (status == PT_OK)
        status = finish(m, &t, &sorted, &kernel, err);
    pt_free(t.vectors);
    pt_ls_ordered_free(&sorted);
    if (status != PT_OK) {
        pt_pair_machine_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
}

/* Sigma and ridge as oneLSM chooses them; pairs vote unless the user says otherwise. */
static pt_status ovo_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                             pt_texts *warnings, pt_error *err)
{
    if (!pt_params_set_by_user(params, PT_P_DECODE)) {
        pt_status status = pt_params_set(params, "decode", "hamming", err);
        if (status != PT_OK)
            return status;
    }
    return pt_ls_resolve(params, problem, task, warnings, err);
}

/* ---- the table entry ------------------------------------------------------------ */

const pt_machine_ops pt_machine_ls_ovo = {
    .name = "ls-ovo",
    .summary = "least squares, a binary machine for each pair of classes (HNR's comparator)",
    .parameters = "ridge,decode,class-weight,precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE,
    .plan = ovo_plan,
    .fit = ovo_fit,
    .scores = pt_pair_machine_scores,
    .free = pt_pair_machine_free,
    .save = pt_pair_machine_save,
    .load = pt_pair_machine_load,
    .resolve = ovo_resolve,
};
