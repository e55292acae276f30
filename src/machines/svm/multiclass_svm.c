/* The machines spoc and ww: a vector for each class, learned together. The solver is
 * spoc.c, by kernel values; or spoc_linear.c, by M itself, where the kernel is
 * linear and there is room for M.
 *
 *   eta   n rows, sparse   C_i 1_{y_i} - tau_i
 *   coef  patterns x k     tau of the support patterns, column-major; M itself, d x k, where that
 *                          was solved for, or the kernel is linear and d <= n */
#include "machines/svm/multiclass_svm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "kernels/kernel_params.h"
#include "solvers/dual/spoc.h"
#include "solvers/squares/ls_solve.h"
#include "validate/c_path.h"

enum {
    LEAST_ROWS = 256,   /* kernel rows that there must be room for */
    MOST_CLASSES = 1000 /* for which margins of all pairs are found */
};

void pt_multiclass_svm_free(pt_machine *machine)
{
    pt_multiclass_svm *m = (pt_multiclass_svm *)machine;
    pt_margin_theory_free(m->theory);
    pt_expansion_free(&m->expansion);
}

/* ---- training -------------------------------------------------------------------------------- */

static double margins_bytes(int64_t k)
{
    return k <= MOST_CLASSES ? 16 * (double)k * (double)k : 0;
}

/* Bytes beside the kernel values. */
static double least_bytes(const pt_problem *problem)
{
    const pt_rows *rows = &problem->rows;
    const double size = (double)pt_type_size(rows->type);
    const double n = (double)rows->n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    /* a copy of the rows for the kernel, that of the model, its coefficients, a dozen vectors */
    return margins_bytes(k) + 2 * (double)pt_rows_stored(rows) * (size + (rows->dense ? 0 : 8)) +
           n * (8 * (double)k + 300) + pt_spoc_bytes(rows->n, k);
}

double pt_multiclass_svm_kernel_bytes(const pt_problem *problem)
{
    return least_bytes(problem) +
           LEAST_ROWS * (double)problem->rows.n * (double)pt_type_size(problem->rows.type);
}

/* Few rows, and those that are kernel values themselves, have a store of all: where the whole
 * matrix fits, copies get what it leaves; else it is a cache, and they share. Of many rows the
 * solver holds what it needs. */
pt_status pt_multiclass_svm_give_kernel(pt_spoc *spoc, const pt_problem *problem,
                                        const pt_kernel *kernel, const pt_task *task, pt_error *err)
{
    const pt_rows *rows = &problem->rows;
    const double least = LEAST_ROWS * (double)rows->n * (double)pt_type_size(rows->type);
    const double left = fmax((double)pt_task_memory(task) - least_bytes(problem), least);
    const double whole = pt_kernel_store_bytes(rows->n, rows->type);
    const bool given = pt_kernel_is_row(kernel);
    const double held = given ? 0 : whole <= left ? whole : left / 2;
    spoc->rows = rows;
    spoc->bytes = left;
    if (!given && rows->n > PT_SPOC_ALL)
        return PT_OK;
    spoc->bytes = left - held;
    return pt_kernel_store_open(&spoc->store, rows, kernel, NULL, held, task, err);
}

static pt_status warn_unfinished(const char *machine, const pt_spoc_result *result, double gap,
                                 pt_type type, const pt_task *task, pt_warnings *warnings,
                                 pt_error *err)
{
    return result->converged || pt_task_ended_early(task)
               ? PT_OK
               : pt_warn_gap(warnings, machine, result->gap / result->value, gap, type, err);
}

static pt_status keep_result(pt_multiclass_svm *m, const pt_spoc_result *result, double gap,
                             pt_type type, const pt_task *task, pt_warnings *warnings,
                             pt_error *err)
{
    m->patterns = result->patterns;
    m->dual = result->value;
    m->primal = result->value + result->gap;
    return warn_unfinished(m->base.ops->name, result, gap, type, task, warnings, err);
}

static pt_status solve(const pt_problem *problem, const pt_kernel *kernel, pt_spoc *spoc,
                       pt_sparse_rows *eta, pt_multiclass_svm *m, const pt_task *task,
                       pt_warnings *warnings, pt_error *err)
{
    pt_spoc_result result = {0};
    PT_TRY(pt_multiclass_svm_give_kernel(spoc, problem, kernel, task, err));
    const pt_status status = pt_spoc_solve(spoc, eta, &result, "training", task, err);
    pt_kernel_store_close(spoc->store);
    spoc->store = NULL;
    PT_TRY(status);
    return keep_result(m, &result, spoc->gap, problem->rows.type, task, warnings, err);
}

/* ---- theory ---------------------------------------------------------------------------------- */

static pt_status take_theory(pt_multiclass_svm *m, const pt_spoc *spoc, const pt_sparse_rows *eta,
                             pt_error *err)
{
    const pt_spoc_margins *margins = spoc->margins;
    if (!margins)
        return PT_OK;
    PT_TRY(pt_margin_theory_new(&m->theory, spoc->k, spoc->n, margins->product, margins->least,
                                margins->radius, err));
    for (int64_t i = 0; i < spoc->n; i++)
        m->theory->patterns[spoc->class_of[i]] += pt_spoc_is_support(eta, i, spoc->class_of[i]);
    return PT_OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

static pt_status finish(pt_multiclass_svm *m, const pt_problem *problem, const pt_kernel *kernel,
                        const pt_spoc *spoc, const pt_sparse_rows *eta, const pt_task *task,
                        pt_error *err)
{
    const pt_rows *rows = &problem->rows;
    const int64_t k = spoc->k;
    const bool collapse = kernel->ops->linear && rows->d <= rows->n;
    const bool all = collapse || pt_kernel_is_row(kernel);
    int64_t count = 0;
    PT_SCRATCH int64_t *chosen = pt_alloc(rows->n, sizeof(int64_t), "a list of rows", err);
    PT_SCRATCH double *tau = pt_alloc(k, sizeof(double), "coefficients", err);
    if (!chosen || !tau)
        return PT_ENOMEM;
    for (int64_t i = 0; i < rows->n; i++)
        if (all || pt_spoc_is_support(eta, i, spoc->class_of[i]))
            chosen[count++] = i;
    if (count == 0) /* one at least, for a machine that says nothing */
        chosen[count++] = 0;
    PT_SCRATCH double *coef = pt_alloc(count, (size_t)k * sizeof(double), "coefficients", err);
    PT_SCRATCH double *M = NULL;
    if (!coef)
        return PT_ENOMEM;
    for (int64_t a = 0; a < count; a++) {
        pt_spoc_tau(spoc, eta, chosen[a], tau);
        for (int64_t r = 0; r < k; r++)
            coef[r * count + a] = tau[r];
    }
    if (collapse)
        PT_TRY(pt_expansion_collapse(&M, rows, coef, NULL, k, task, err));
    const pt_expansion_parts parts = {.kernel = *kernel,
                                      .type = rows->type,
                                      .m = k,
                                      .n_coef = collapse ? rows->d : count,
                                      .linear = all,
                                      .coef = collapse ? pt_keep(&M) : pt_keep(&coef),
                                      .rows = rows,
                                      .chosen = all ? NULL : chosen,
                                      .task = task};
    return pt_expansion_take(&m->expansion, &parts, err);
}

/* Bytes of the linear solver: the rows, M in three places (its own, where a leap begins, the
 * model's) and once more as scores are computed from it. */
static double linear_bytes(const pt_problem *problem)
{
    const pt_rows *rows = &problem->rows;
    const int64_t k = pt_labels_n_classes(problem->labels);
    return margins_bytes(k) + pt_linear_rows_bytes(rows) +
           pt_spoc_linear_bytes(rows->n, rows->d, k) + 16 * (double)rows->d * (double)k;
}

static bool is_solved_for_M(const pt_problem *problem, const pt_params *params, const pt_task *task)
{
    const pt_kernel_ops *kernel = pt_kernel_named(params, !problem->rows.dense);
    return kernel && kernel->linear && linear_bytes(problem) <= (double)pt_task_memory(task);
}

static pt_status train_linear(pt_multiclass_svm *m, const pt_problem *problem,
                              const pt_kernel *kernel, const pt_spoc *spoc, pt_sparse_rows *eta,
                              uint64_t seed, const pt_task *task, pt_warnings *warnings,
                              pt_error *err)
{
    const pt_rows *rows = &problem->rows;
    PT_FREED_BY(pt_linear_rows_free) pt_linear_rows linear = {0};
    pt_spoc_result result = {0};
    size_t bytes = 0;
    if (!pt_size_mul((size_t)rows->d, sizeof(double), &bytes))
        return pt_fail_memory(err, "coefficients", SIZE_MAX);
    PT_SCRATCH double *M = pt_alloc(spoc->k, bytes, "coefficients", err);
    if (!M)
        return PT_ENOMEM;
    PT_TRY(pt_linear_rows_init(&linear, rows, false, task, err));
    PT_TRY(pt_spoc_linear_solve(spoc, &linear, seed, eta, M, &result, "training", task, err));
    PT_TRY(keep_result(m, &result, spoc->gap, rows->type, task, warnings, err));
    const pt_expansion_parts parts = {.kernel = *kernel,
                                      .type = rows->type,
                                      .m = spoc->k,
                                      .n_coef = rows->d,
                                      .linear = true,
                                      .coef = pt_keep(&M),
                                      .task = task};
    return pt_expansion_take(&m->expansion, &parts, err);
}

/* ---- where training begins ------------------------------------------------------------------- */

/* The class of each row of a machine: tau is above 0 there alone. */
static void classes_of(const pt_expansion *from, int64_t *class_of)
{
    for (int64_t a = 0; a < from->n_coef; a++) {
        class_of[a] = 0;
        for (int64_t r = 1; r < from->m; r++)
            if (from->coef[r * from->n_coef + a] > from->coef[class_of[a] * from->n_coef + a])
                class_of[a] = r;
    }
}

/* eta of row a of the machine; CS: its own class has what is left of the bound. */
static int64_t entries_of(const pt_expansion *from, int64_t a, int64_t y, bool own, double bound,
                          pt_entry *entry)
{
    int64_t count = 0;
    double sum = 0;
    for (int64_t r = 0; r < from->m; r++)
        sum += r != y ? fmax(-from->coef[r * from->n_coef + a], 0) : 0;
    for (int64_t r = 0; r < from->m; r++) {
        const double value = r != y           ? -from->coef[r * from->n_coef + a]
                             : own && sum > 0 ? bound - sum
                                              : 0;
        if (value > 0)
            entry[count++] = (pt_entry){r, value};
    }
    return count;
}

pt_status pt_multiclass_svm_begin_at(pt_sparse_rows *eta, const pt_spoc *spoc,
                                     const pt_expansion *from, double C_before,
                                     const pt_problem *problem, pt_error *err)
{
    const pt_rows *rows = &problem->rows;
    if (from->m != spoc->k || from->column)
        return pt_fail(err, PT_EINVAL, "`start`: its classes are not those of the data");
    int64_t *class_of = NULL;
    int64_t *place = NULL;
    pt_entry *entry = NULL;
    double *before = NULL;
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "a start", err, PT_PIECE(class_of, from->n_coef),
                    PT_PIECE(place, from->n_coef), PT_PIECE(entry, from->m),
                    PT_PIECE(before, rows->n)));
    classes_of(from, class_of);
    PT_TRY(pt_expansion_find_rows(place, from, class_of, rows, spoc->class_of, err));
    for (int64_t i = 0; i < rows->n; i++)
        before[i] = C_before * pt_weight(problem->weight, i);
    for (int64_t a = 0; a < from->n_coef; a++) {
        const int64_t i = place[a];
        if (i < 0)
            continue;
        const int64_t count =
            entries_of(from, a, class_of[a], spoc->kind == PT_CRAMMER_SINGER, before[i], entry);
        PT_TRY(pt_sparse_rows_set(eta, i, entry, count, err));
    }
    pt_spoc_carry(spoc, before, eta);
    return PT_OK;
}

static pt_status take_start(pt_sparse_rows *eta, const pt_spoc *spoc, const pt_problem *problem,
                            pt_error *err)
{
    const pt_started *start = problem->start;
    return pt_multiclass_svm_begin_at(eta, spoc,
                                      &((const pt_multiclass_svm *)start->machine)->expansion,
                                      pt_params_real(start->params, PT_P_C), problem, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static pt_status train(pt_multiclass_svm *m, pt_spoc_kind kind, const pt_problem *problem,
                       const pt_params *params, const pt_task *task, pt_warnings *warnings,
                       pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const int64_t margins = k <= MOST_CLASSES ? k * k : 0; /* with more there is no theory */
    const double C = pt_params_real(params, PT_P_C);
    const bool by_M = is_solved_for_M(problem, params, task);
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    PT_FREED_BY(pt_sparse_rows_free) pt_sparse_rows eta = {0};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    pt_spoc_margins theory = {0};
    double *bound = NULL;
    pt_kernel kernel;
    PT_TRY(pt_kernel_from_params(&kernel, params, err));
    if (pt_kernel_is_row(&kernel))
        PT_TRY(pt_ls_check_precomputed(&problem->rows, err));
    PT_TRY(pt_sparse_rows_init(&eta, n, task, err));
    PT_TRY(PT_ARENA(&arena, "bounds and margins", err, PT_PIECE(bound, n),
                    PT_PIECE(theory.least, margins), PT_PIECE(theory.product, margins)));
    for (int64_t i = 0; i < n; i++)
        bound[i] = C * pt_weight(problem->weight, i);
    pt_spoc spoc = {.kind = kind,
                    .kernel = &kernel,
                    .n = n,
                    .k = k,
                    .class_of = problem->labels->class_of,
                    .bound = bound,
                    .costs = problem->costs,
                    .gap = pt_params_real(params, PT_P_GAP),
                    .margins = margins > 0 ? &theory : NULL};
    if (problem->start)
        PT_TRY(take_start(&eta, &spoc, problem, err));
    PT_TRY(by_M ? train_linear(m, problem, &kernel, &spoc, &eta, seed, task, warnings, err)
                : solve(problem, &kernel, &spoc, &eta, m, task, warnings, err));
    PT_TRY(take_theory(m, &spoc, &eta, err));
    return by_M ? PT_OK : finish(m, problem, &kernel, &spoc, &eta, task, err);
}

pt_status pt_multiclass_svm_fit(pt_machine *machine, const pt_problem *problem,
                                const pt_params *params, const pt_task *task, pt_warnings *warnings,
                                pt_error *err)
{
    return train((pt_multiclass_svm *)machine,
                 machine->ops == &pt_machine_ww ? PT_WESTON_WATKINS : PT_CRAMMER_SINGER, problem,
                 params, task, warnings, err);
}

pt_status pt_multiclass_svm_plan(const pt_problem *problem, const pt_params *params,
                                 const pt_task *task, pt_plan *plan, pt_error *err)
{
    const double n = (double)problem->rows.n;
    (void)err;
    if (is_solved_for_M(problem, params, task)) {
        plan->bytes = linear_bytes(problem);
        plan->flops = 400.0 * (double)pt_rows_stored(&problem->rows); /* a guess: 50 passes */
        snprintf(plan->route, sizeof plan->route, "dual of all classes, linear; no kernel values");
        return PT_OK;
    }
    const double row = n * (double)pt_type_size(problem->rows.type);
    const double held = fmax((double)pt_task_memory(task) - least_bytes(problem), 0);
    plan->bytes = pt_multiclass_svm_kernel_bytes(problem);
    /* of the examples that matter, and a copy of those that still move */
    plan->cache = fmin(held, 2 * pt_kernel_store_bytes(problem->rows.n, problem->rows.type));
    plan->flops = n * n * (double)problem->rows.d; /* a guess: every kernel value once */
    snprintf(plan->route, sizeof plan->route,
             "dual of all classes; the kernel values of up to %.0f rows in memory beside that",
             fmin(held / row, n));
    return PT_OK;
}

/* ---- held-out scores: warm starts along C ---------------------------------------------------- */

typedef struct held_out {
    const pt_problem *problem;
    pt_spoc_kind kind;
    int64_t k;
    double gap;   /* that is asked for, of this chain */
    double bytes; /* of a fold, for copies of kernel values */
    const pt_task *task;
} held_out;

typedef struct eta_walker {
    pt_c_walker base;
    pt_sparse_rows eta; /* n */
} eta_walker;

static pt_status begin_chain(void *self, const pt_c_path *path, pt_error *err)
{
    (void)err;
    held_out *h = self;
    const int workers = pt_parallel_workers(path->task, path->partitions->n_folds);
    const double held = pt_kernel_store_whole(path->store)
                            ? pt_kernel_store_bytes(path->rows->n, path->rows->type)
                            : (double)pt_task_memory(path->task);
    const double left = (double)pt_task_memory(path->task) - held;
    h->bytes = left > 0 ? left / (double)workers : 0;
    h->gap = pt_params_real(path->points[path->chain[0]], PT_P_GAP);
    h->task = path->task;
    return PT_OK;
}

static pt_status start_walker(const void *self, pt_c_walker *walker, const pt_c_walker *from,
                              pt_error *err)
{
    const held_out *h = self;
    pt_sparse_rows *eta = &((eta_walker *)walker)->eta;
    const pt_sparse_rows *past = from ? &((const eta_walker *)from)->eta : NULL;
    PT_TRY(pt_sparse_rows_init(eta, h->problem->rows.n, h->task, err));
    for (int64_t i = 0; past && i < past->n; i++)
        PT_TRY(pt_sparse_rows_set(eta, i, pt_sparse_row(past, i), past->count[i], err));
    return PT_OK;
}

static void stop_walker(pt_c_walker *walker)
{
    pt_sparse_rows_free(&((eta_walker *)walker)->eta);
}

/* Examples that are held out lose their eta. */
static pt_status solve_link(const void *self, const pt_c_path *path, pt_c_walker *walker,
                            int64_t at, bool first, pt_error *err)
{
    (void)at;
    const held_out *h = self;
    pt_sparse_rows *eta = &((eta_walker *)walker)->eta;
    pt_spoc_result result;
    const pt_spoc spoc = {.kind = h->kind,
                          .store = path->store,
                          .kernel = &path->kernel,
                          .n = h->problem->rows.n,
                          .k = h->k,
                          .class_of = h->problem->labels->class_of,
                          .bound = walker->bound,
                          .costs = h->problem->costs,
                          .gap = h->gap,
                          .bytes = h->bytes};
    if (!first)
        pt_spoc_carry(&spoc, walker->before, eta);
    PT_TRY(pt_spoc_solve(&spoc, eta, &result, NULL, path->task, err));
    return warn_unfinished(h->kind == PT_WESTON_WATKINS ? "ww" : "spoc", &result, h->gap,
                           path->rows->type, path->task, &walker->said, err);
}

static bool is_support(const void *self, const pt_c_walker *walker, int64_t i)
{
    const held_out *h = self;
    return pt_spoc_is_support(&((const eta_walker *)walker)->eta, i,
                              h->problem->labels->class_of[i]);
}

static void sum_outputs(const void *self, pt_c_walker *walker)
{
    const held_out *h = self;
    const pt_sparse_rows *eta = &((const eta_walker *)walker)->eta;
    double *g = walker->g;
    memset(g, 0, (size_t)h->k * sizeof *g);
    for (int64_t s = 0; s < walker->n_support; s++) {
        const int64_t j = walker->support[s];
        const int64_t y = h->problem->labels->class_of[j];
        const pt_entry *row = pt_sparse_row(eta, j);
        double own = 0; /* tau_jy */
        for (int64_t c = 0; c < eta->count[j]; c++)
            if (row[c].column != y) {
                g[row[c].column] -= row[c].value * walker->value[s];
                own += row[c].value;
            }
        g[y] += own * walker->value[s];
    }
}

static const pt_c_walk WALK = {.walker = sizeof(eta_walker),
                               .begin = begin_chain,
                               .start = start_walker,
                               .stop = stop_walker,
                               .solve = solve_link,
                               .is_support = is_support,
                               .sum = sum_outputs};

pt_status pt_multiclass_svm_holdout(pt_spoc_kind kind, const pt_problem *problem,
                                    const pt_params *const *points, int64_t n_points,
                                    const pt_partitions *partitions, pt_holdout_fn take,
                                    void *context, const pt_task *task, pt_error *err)
{
    held_out h = {.problem = problem, .kind = kind, .k = pt_labels_n_classes(problem->labels)};
    if (n_points > 0 && pt_kernel_is_precomputed(points[0]))
        PT_TRY(pt_ls_check_precomputed(&problem->rows, err));
    return pt_c_path_run(&(pt_c_path){.problem = problem,
                                      .rows = &problem->rows,
                                      .points = points,
                                      .n_points = n_points,
                                      .partitions = partitions,
                                      .take = take,
                                      .context = context,
                                      .walk = &WALK,
                                      .self = &h,
                                      .task = task},
                         err);
}

bool pt_multiclass_svm_path_serves(const pt_problem *problem, const pt_params *point)
{
    const pt_kernel_ops *kernel = pt_kernel_named(point, !problem->rows.dense);
    return pt_c_path_serves(problem, point) && kernel && !kernel->linear;
}

/* ---- what it says ---------------------------------------------------------------------------- */

pt_status pt_multiclass_svm_describe(const pt_machine *machine, const pt_texts *classes,
                                     pt_description *description, pt_error *err)
{
    (void)classes;
    (void)err;
    const pt_multiclass_svm *m = (const pt_multiclass_svm *)machine;
    const double gap = m->primal - m->dual;
    if (!isnan(m->dual))
        pt_describe_count(description, "support_patterns", m->patterns);
    pt_describe_real(description, "primal", m->primal);
    pt_describe_real(description, "dual", m->dual);
    pt_describe_real(description, "relative_gap", gap > 0 ? gap / m->dual : gap);
    description->theory = m->theory;
    return PT_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

pt_status pt_multiclass_svm_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                                 int64_t n_classes, const pt_params *params, int64_t *used,
                                 const pt_task *task, pt_error *err)
{
    pt_multiclass_svm *m = (pt_multiclass_svm *)machine;
    m->primal = m->dual = NAN;
    PT_TRY(pt_expansion_load(&m->expansion, pack, n_inputs, n_classes, params, used, task, err));
    if (m->expansion.bias || m->expansion.column)
        *used = 0; /* it has none of these */
    return PT_OK;
}
