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
 * adds up outputs. A decoder's score is a sum over the columns of a code, and in the column of a
 * pair only two classes have entries: so pairs are decoded one by one with the code (+1, -1), and
 * the matrix of the whole code, k x k(k-1)/2, is not needed.
 *
 * What is kept. An example of class c has k-1 coefficients, one for each pair that c is in:
 *
 *   rows      n x d        sorted by class; class c has n_c of them
 *   coef      n x (k-1)    class after class: n_c x (k-1), column-major; column o is the pair of c
 *                          with the o-th of the other classes
 *   of_class  k            kernel expansions over the rows of a class, k-1 outputs; they refer to
 *                          rows and coef. f_pq is the sum of an output of p's and one of q's.
 *
 * so that new rows meet every training row once: O(n (d + k)) for each. A linear kernel has a
 * vector in R^d for each pair instead, and a precomputed kernel no rows.
 *
 * Time sum over pairs of (n_p + n_q)^3 / 3, pairs in parallel; memory (n_p + n_q)^2 / 2 of the
 * factor's type for each worker. */
#include "machines/machine_ls_ovo.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "codes/code_pairs.h"
#include "decoders/decoder.h"
#include "kernels/kernel_params.h"
#include "machines/ls_auto.h"
#include "machines/ls_machine.h"
#include "machines/pack.h"

enum { SIDES = 2 };

typedef struct ls_ovo {
    pt_machine base;
    int64_t k;
    int64_t ell;          /* pairs */
    pt_label_space space; /* of one pair: +1, -1 */
    const pt_decoder *decoder;
    bool linear;        /* the kernel is: f = pairs, the rest is not used */
    pt_expansion pairs; /* ell outputs */
    int64_t *first;     /* k + 1: where the rows of a class begin */
    pt_rows_owned rows; /* none for a precomputed kernel */
    int64_t *order;     /* n: which row a sorted one was; a precomputed kernel's columns */
    double *coef;
    pt_expansion *of_class; /* k; classes without rows have none */
} ls_ovo;

static void ovo_free(pt_machine *machine)
{
    ls_ovo *m = (ls_ovo *)machine;
    if (!m)
        return;
    for (int64_t c = 0; m->of_class && c < m->k; c++)
        pt_expansion_free(&m->of_class[c]);
    pt_free(m->of_class);
    pt_free(m->coef);
    pt_free(m->order);
    pt_rows_owned_free(&m->rows);
    pt_free(m->first);
    pt_expansion_free(&m->pairs);
    pt_label_space_free(&m->space);
    pt_free(m);
}

static pt_status ovo_new(ls_ovo **out, const pt_machine_ops *ops, int64_t k,
                         const pt_params *params, pt_error *err)
{
    static const double both[SIDES] = {1, -1};
    ls_ovo *m = pt_alloc_zero(1, sizeof *m, "a machine", err);
    if (!m)
        return PT_ENOMEM;
    m->base.ops = ops;
    m->k = k;
    m->ell = pt_pairs_count(k);
    pt_status status = pt_label_space_from(&m->space, SIDES, 1, both, NULL, err);
    if (status == PT_OK)
        status = pt_decoder_for(&m->decoder, params, &m->space, err);
    if (status != PT_OK) {
        ovo_free(&m->base);
        return status;
    }
    *out = m;
    return PT_OK;
}

/* The column of class c's coefficients that belongs to its pair with `other`. */
static int64_t column_of(int64_t c, int64_t other)
{
    return other < c ? other : other - 1;
}

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
    pt_status status = pt_ls_plan(&pair, params, SIDES, plan, err);
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
    ls_ovo *m;
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
    const int64_t *first = t->m->first;
    pt_pairs_at(t->m->k, s, &x->p, &x->q);
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
    const int64_t *first = t->m->first;
    const int64_t width = t->m->k - 1;
    const int64_t n_q = x->n - x->n_p;
    double *of_p = t->m->coef + first[x->p] * width + column_of(x->p, x->q) * x->n_p;
    double *of_q = t->m->coef + first[x->q] * width + column_of(x->q, x->p) * n_q;
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
    const pt_ls_problem ls = {&x->rows.rows, x->side, SIDES, t->problem->weight ? x->weight : NULL};
    pt_expansion_parts parts;
    pt_status status =
        pt_ls_train(&parts, &ls, t->params, t->problem->rows.type, t->task, &t->warnings[s], err);
    if (status != PT_OK)
        return status;
    for (int64_t i = 0; i < parts.n_coef; i++) /* y = e_p - e_q */
        parts.coef[i] -= parts.coef[parts.n_coef + i];
    if (t->m->linear)
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
    pt_task_progress_whole(t->task, "training", (double)done, (double)t->m->ell);
    return status;
}

/* ---- training ------------------------------------------------------------ */

/* What a pair has to say is said once, with how many others say something. */
static pt_status sum_up_warnings(const training *t, pt_texts *warnings, pt_error *err)
{
    const char *text = NULL;
    int64_t count = 0;
    for (int64_t s = 0; s < t->m->ell; s++)
        if (t->warnings[s].count > 0) {
            text = text ? text : pt_texts_get(&t->warnings[s], 0);
            count++;
        }
    return text ? pt_texts_add(warnings, err, "in %lld of %lld pairs: %s", (long long)count,
                               (long long)t->m->ell, text)
                : PT_OK;
}

/* As many pairs at a time as the memory allows. */
static pt_status count_workers(const training *t, int *workers, pt_error *err)
{
    int64_t largest = 0;
    double cubes = 0;
    pt_plan plan = {0, 0, ""};
    measure_pairs(t->m->first, t->m->k, &largest, &cubes);
    pt_status status = pair_plan(t->problem, t->params, largest, &plan, err);
    const double most = (double)pt_task_memory(t->task) / (plan.bytes + 1);
    *workers = pt_parallel_workers(t->task, t->m->ell);
    if (most < (double)*workers)
        *workers = most < 1 ? 1 : (int)most;
    return status;
}

static pt_status train_pairs(training *t, pt_texts *warnings, pt_error *err)
{
    ls_ovo *m = t->m;
    int workers = 1;
    pt_status status = count_workers(t, &workers, err);
    if (status != PT_OK)
        return status;
    t->warnings = pt_alloc_zero(m->ell, sizeof(pt_texts), "warnings", err);
    if (m->linear)
        t->vectors =
            pt_alloc_zero(m->ell * t->problem->rows.d, sizeof(double), "coefficients", err);
    else
        m->coef =
            pt_alloc_zero(t->problem->rows.n * (m->k - 1), sizeof(double), "coefficients", err);
    status = t->warnings && (m->linear ? t->vectors : m->coef) ? PT_OK : PT_ENOMEM;
    pt_task_begin_whole(t->task);
    if (status == PT_OK)
        status = pt_parallel_for_at_most(t->task, workers, m->ell, train_pair, t, err);
    pt_task_end_whole(t->task);
    if (status == PT_OK)
        status = sum_up_warnings(t, warnings, err);
    for (int64_t s = 0; t->warnings && s < m->ell; s++)
        pt_texts_free(&t->warnings[s]);
    pt_free(t->warnings);
    return status;
}

/* The expansions of all classes over rows and coefficients that are there. */
static pt_status make_expansions(ls_ovo *m, const pt_kernel *kernel, pt_type type, pt_error *err)
{
    const int64_t width = m->k - 1;
    m->of_class = pt_alloc_zero(m->k, sizeof(pt_expansion), "a machine", err);
    pt_status status = m->of_class ? PT_OK : PT_ENOMEM;
    for (int64_t c = 0; c < m->k && status == PT_OK; c++) {
        const int64_t n = m->first[c + 1] - m->first[c];
        if (n == 0)
            continue;
        const bool square = pt_kernel_is_row(kernel);
        const pt_rows rows = square ? (pt_rows){0} : pt_rows_range(&m->rows.rows, m->first[c], n);
        const pt_expansion_parts parts = {.kernel = *kernel,
                                          .type = type,
                                          .m = width,
                                          .n_coef = n,
                                          .linear = square,
                                          .coef = m->coef + m->first[c] * width,
                                          .rows = &rows,
                                          .borrow = true};
        status = pt_expansion_take(&m->of_class[c], &parts, err);
    }
    return status;
}

/* Takes over what was trained. */
static pt_status finish(ls_ovo *m, training *t, pt_ls_ordered *sorted, const pt_kernel *kernel,
                        pt_error *err)
{
    const pt_type type = t->problem->rows.type;
    if (m->linear) {
        const pt_expansion_parts parts = {.kernel = *kernel,
                                          .type = type,
                                          .m = m->ell,
                                          .n_coef = t->problem->rows.d,
                                          .linear = true,
                                          .coef = t->vectors};
        t->vectors = NULL;
        return pt_expansion_take(&m->pairs, &parts, err);
    }
    if (t->square) {
        m->order = sorted->order;
        sorted->order = NULL;
    } else {
        m->rows = sorted->rows;
        sorted->rows = (pt_rows_owned){0};
    }
    return make_expansions(m, kernel, type, err);
}

static pt_status ovo_fit(pt_machine **out, const pt_problem *problem, const pt_params *params,
                         const pt_task *task, pt_texts *warnings, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    const pt_ls_problem ls = pt_ls_problem_of(problem);
    ls_ovo *m = NULL;
    pt_ls_ordered sorted = {0};
    pt_kernel kernel;
    pt_status status = ovo_new(&m, &pt_machine_ls_ovo, k, params, err);
    if (status != PT_OK)
        return status;
    training t = {.m = m, .problem = problem, .params = params, .task = task, .sorted = &sorted};
    atomic_init(&t.done, 0);
    status = pt_ls_kernel(&kernel, &problem->rows, params, err);
    if (status == PT_OK)
        status = class_starts(&m->first, problem, err);
    if (status == PT_OK)
        status = pt_ls_ordered_init(&sorted, &ls, ls.class_of, k, err);
    if (status == PT_OK) {
        m->linear = kernel.ops->linear;
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
        ovo_free(&m->base);
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

/* ---- scores ------------------------------------------------------------ */

/* Outputs of a block of rows, and room to make them. */
typedef struct outputs {
    int64_t n;
    double *f;       /* n x ell, column-major: a pair after the other */
    double *part;    /* n x (k-1), or n x ell if linear: of an expansion, row-major */
    double *of_pair; /* n x 2: decoded */
} outputs;

/* f_pq += the output of class c for its pair with another. */
static void add_outputs(const ls_ovo *m, int64_t c, outputs *o)
{
    for (int64_t other = 0; other < m->k; other++) {
        if (other == c)
            continue;
        const int64_t s = other < c ? pt_pairs_column(m->k, other, c) //
                                    : pt_pairs_column(m->k, c, other);
        for (int64_t i = 0; i < o->n; i++)
            o->f[s * o->n + i] += o->part[i * (m->k - 1) + column_of(c, other)];
    }
}

/* Rows of a precomputed kernel, dense or sparse, with their columns in the order of the classes. */
static pt_status sort_columns(const ls_ovo *m, const pt_rows *rows, pt_rows_owned *sorted,
                              pt_error *err)
{
    const int64_t d = rows->d;
    const size_t size = pt_type_size(rows->type);
    int64_t *place = pt_alloc_zero(d, sizeof *place, "an order", err);
    char *dense = pt_alloc_zero(rows->n, (size_t)d * size, "sorted rows", err);
    for (int64_t j = 0; place && dense && j < d; j++)
        place[m->order[j]] = j;
    for (int64_t i = 0; place && dense && i < rows->n; i++) {
        const char *values = rows->dense ? rows->dense : rows->value;
        const int64_t begin = rows->dense ? i * rows->stride : rows->start[i];
        const int64_t end = rows->dense ? begin + d : rows->start[i + 1];
        for (int64_t p = begin; p < end; p++)
            memcpy(dense + (size_t)(i * d + place[rows->dense ? p - begin : rows->index[p]]) * size,
                   values + (size_t)p * size, size);
    }
    *sorted = (pt_rows_owned){
        .rows = {.n = rows->n, .d = d, .type = rows->type, .dense = dense, .stride = d},
        .value = dense};
    const bool made = place && dense;
    pt_free(place);
    return made ? PT_OK : PT_ENOMEM;
}

static pt_status outputs_by_class(const ls_ovo *m, const pt_rows *rows, outputs *o,
                                  const pt_task *task, pt_error *err)
{
    pt_rows_owned sorted = {0};
    pt_status status = m->order ? sort_columns(m, rows, &sorted, err) : PT_OK;
    memset(o->f, 0, (size_t)(o->n * m->ell) * sizeof *o->f);
    for (int64_t c = 0; c < m->k && status == PT_OK; c++) {
        if (m->of_class[c].n_coef == 0)
            continue;
        pt_rows seen = *rows;
        if (m->order) {
            seen = sorted.rows;
            seen.d = m->of_class[c].n_coef;
            seen.dense = (const char *)seen.dense + (size_t)m->first[c] * pt_type_size(seen.type);
        }
        status = pt_expansion_outputs(&m->of_class[c], &seen, o->part, task, err);
        if (status == PT_OK)
            add_outputs(m, c, o);
    }
    pt_rows_owned_free(&sorted);
    return status;
}

static pt_status outputs_linear(const ls_ovo *m, const pt_rows *rows, outputs *o,
                                const pt_task *task, pt_error *err)
{
    pt_status status = pt_expansion_outputs(&m->pairs, rows, o->part, task, err);
    for (int64_t i = 0; i < o->n && status == PT_OK; i++)
        for (int64_t s = 0; s < m->ell; s++)
            o->f[s * o->n + i] = o->part[i * m->ell + s];
    return status;
}

/* scores (n x k) <- the sum over pairs of what the decoder makes of each. */
static void decode_pairs(const ls_ovo *m, outputs *o, double *scores)
{
    memset(scores, 0, (size_t)(o->n * m->k) * sizeof *scores);
    for (int64_t s = 0; s < m->ell; s++) {
        int64_t p = 0;
        int64_t q = 0;
        pt_pairs_at(m->k, s, &p, &q);
        pt_decode_outputs(m->decoder, &m->space, o->n, o->f + s * o->n, o->of_pair);
        for (int64_t i = 0; i < o->n; i++) {
            scores[i * m->k + p] += o->of_pair[i * SIDES];
            scores[i * m->k + q] += o->of_pair[i * SIDES + 1];
        }
    }
}

/* Rows at a time, so that their outputs stay within some megabytes. */
static int64_t block_rows(const ls_ovo *m)
{
    enum { MOST_ROWS = 4096, MOST_OUTPUTS = 1 << 22 };
    const int64_t rows = MOST_OUTPUTS / m->ell;
    return rows < 1 ? 1 : rows < MOST_ROWS ? rows : MOST_ROWS;
}

static pt_status ovo_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                            const pt_task *task, pt_error *err)
{
    const ls_ovo *m = (const ls_ovo *)machine;
    const int64_t most = block_rows(m) < rows->n ? block_rows(m) : rows->n;
    outputs o = {0};
    o.f = pt_alloc(most * m->ell, sizeof(double), "outputs", err);
    o.part = pt_alloc(most * (m->linear ? m->ell : m->k), sizeof(double), "outputs", err);
    o.of_pair = pt_alloc(most * SIDES, sizeof(double), "outputs", err);
    pt_status status = o.f && o.part && o.of_pair ? PT_OK : PT_ENOMEM;
    for (int64_t first = 0; first < rows->n && status == PT_OK; first += most) {
        o.n = rows->n - first < most ? rows->n - first : most;
        const pt_rows some = pt_rows_range(rows, first, o.n);
        status = m->linear ? outputs_linear(m, &some, &o, task, err)
                           : outputs_by_class(m, &some, &o, task, err);
        if (status == PT_OK)
            decode_pairs(m, &o, scores + first * m->k);
    }
    pt_free(o.of_pair);
    pt_free(o.part);
    pt_free(o.f);
    return status;
}

/* ---- the file ------------------------------------------------------------
 *
 * A linear kernel: an expansion. Otherwise coef, class_size (k) and the rows sorted by class, as an
 * expansion has them, or order (n) for a precomputed kernel. */

static pt_status ovo_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const ls_ovo *m = (const ls_ovo *)machine;
    pt_status status = pt_pack_begin(pack, err);
    if (status != PT_OK)
        return status;
    if (m->linear) {
        pt_expansion_save(&m->pairs, pack);
        return PT_OK;
    }
    pt_pack_add(pack, "coef", PT_F64, m->first[m->k], m->k - 1, m->coef);
    pt_pack_add_integers(pack, "class_first", m->k + 1, m->first);
    if (m->order)
        pt_pack_add_integers(pack, "order", m->first[m->k], m->order);
    else
        pt_pack_add_rows(pack, &m->rows.rows);
    return PT_OK;
}

/* Whether it says where the rows of k classes begin, n rows in all. */
static bool valid_starts(const pt_array *array, int64_t k, int64_t n)
{
    if (!pt_array_is_index(array, n + 1) || array->rows != k + 1)
        return false;
    const int64_t *first = array->value;
    for (int64_t c = 0; c < k; c++)
        if (first[c] > first[c + 1])
            return false;
    return first[0] == 0 && first[k] == n;
}

static int64_t *copy_integers(const pt_array *array, pt_error *err)
{
    int64_t *copy = pt_alloc(array->rows, sizeof *copy, "a model", err);
    if (copy)
        memcpy(copy, array->value, (size_t)array->rows * sizeof *copy);
    return copy;
}

/* The arrays have been checked. */
static pt_status copy_arrays(ls_ovo *m, const pt_array *coef, const pt_array *starts,
                             const pt_array *order, const pt_rows *rows, pt_error *err)
{
    m->coef = pt_alloc(coef->rows * coef->columns, sizeof(double), "a model", err);
    m->first = copy_integers(starts, err);
    m->order = order ? copy_integers(order, err) : NULL;
    if (!m->coef || !m->first || (order && !m->order))
        return PT_ENOMEM;
    memcpy(m->coef, coef->value, (size_t)(coef->rows * coef->columns) * sizeof(double));
    return order ? PT_OK : pt_rows_select(&m->rows, rows, NULL, rows->n, err);
}

static pt_status load_classes(ls_ovo *m, const pt_pack *pack, int64_t n_inputs,
                              const pt_kernel *kernel, pt_type type, int64_t *used, pt_error *err)
{
    const pt_array *coef = pt_pack_find(pack, "coef");
    const pt_array *starts = pt_pack_find(pack, "class_first");
    const bool square = pt_kernel_is_row(kernel);
    const pt_array *order = square ? pt_pack_find(pack, "order") : NULL;
    const int64_t n = coef ? coef->rows : 0;
    pt_rows rows = {.n = n, .d = n_inputs, .type = type};
    if (!pt_array_is_real(coef, PT_F64) || n < 1 || coef->columns != m->k - 1 ||
        !valid_starts(starts, m->k, n))
        return pt_fail(err, PT_EFORMAT, "the model's coefficients do not fit its classes");
    if (square && (n != n_inputs || !pt_array_is_index(order, n) || order->rows != n))
        return pt_fail(err, PT_EFORMAT, "the model's order does not fit its columns");
    pt_status status = square ? PT_OK : pt_pack_find_rows(&rows, pack, err);
    if (status == PT_OK)
        status = copy_arrays(m, coef, starts, order, &rows, err);
    if (status == PT_OK)
        status = make_expansions(m, kernel, type, err);
    *used = 2 + (square || rows.dense ? 1 : 3);
    return status;
}

static pt_status ovo_load(pt_machine **out, const pt_machine_ops *ops, const pt_pack *pack,
                          int64_t n_inputs, int64_t n_classes, const pt_params *params,
                          pt_error *err)
{
    ls_ovo *m = NULL;
    int64_t used = 0;
    pt_kernel kernel;
    const pt_type type =
        strcmp(pt_params_text(params, PT_P_PRECISION), "double") == 0 ? PT_F64 : PT_F32;
    if (n_classes < 2 || n_classes > INT32_MAX)
        return pt_fail(err, PT_EFORMAT, "%s has pairs of classes", ops->name);
    pt_status status = ovo_new(&m, ops, n_classes, params, err);
    if (status != PT_OK)
        return status;
    status = pt_kernel_from_params(&kernel, params, err);
    if (status == PT_OK) {
        m->linear = kernel.ops->linear;
        status = m->linear
                     ? pt_expansion_load(&m->pairs, pack, n_inputs, m->ell, params, &used, err)
                     : load_classes(m, pack, n_inputs, &kernel, type, &used, err);
    }
    if (status == PT_OK && used != pack->count)
        status = pt_fail(err, PT_EFORMAT, "the model has arrays that %s has not", ops->name);
    if (status != PT_OK) {
        ovo_free(&m->base);
        return status;
    }
    *out = &m->base;
    return PT_OK;
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
    .scores = ovo_scores,
    .free = ovo_free,
    .save = ovo_save,
    .load = ovo_load,
    .resolve = ovo_resolve,
};
