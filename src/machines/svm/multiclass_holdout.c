/* Held-out scores of spoc and ww, by warm starts along C (c_path.h).
 *
 *   eta   n rows, sparse   as in spoc.h; every fold begins with that of all examples at the
 *                          smallest C, in which those that it holds out lose theirs */
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "kernels/kernel_params.h"
#include "machines/svm/multiclass_svm.h"
#include "solvers/squares/ls_solve.h"
#include "validate/c_path.h"

typedef struct held_chain {
    const pt_problem *problem;
    pt_spoc_kind kind;
    pt_holdout_fn take;
    void *context;
    int64_t k;

    /* the chain */
    double *C;    /* for each link */
    double gap;   /* that is asked for */
    double bytes; /* of a fold, for copies of kernel values */
    pt_sparse_rows first;
} held_chain;

/* One machine on its way along the chain. */
typedef struct walker {
    double *bound;    /* n */
    double *before;   /* n: bounds of the link before */
    double *g;        /* k: outputs */
    int64_t *support; /* n: support patterns */
    int64_t n_support;
    pt_sparse_rows eta;
    pt_c_values values;
    pt_arena arena;
} walker;

static void walker_free(walker *w)
{
    pt_arena_free(&w->arena);
    pt_sparse_rows_free(&w->eta);
    pt_c_values_free(&w->values);
}

static pt_status walker_init(walker *w, const held_chain *h, const pt_c_path *path, pt_error *err)
{
    const int64_t n = h->problem->rows.n;
    PT_TRY(PT_ARENA(&w->arena, "a held-out fold", err, PT_PIECE(w->bound, n),
                    PT_PIECE(w->before, n), PT_PIECE(w->g, h->k), PT_PIECE(w->support, n)));
    memset(w->bound, 0, (size_t)n * sizeof *w->bound);
    PT_TRY(pt_c_values_init(&w->values, path, err));
    return pt_sparse_rows_init(&w->eta, n, err);
}

/* ---- one machine ----------------------------------------------------------------------------- */

static void set_bounds(const held_chain *h, const pt_c_path *path, walker *w, int64_t at,
                       int64_t without)
{
    const double *weight = h->problem->weight;
    const int64_t n = h->problem->rows.n;
    memcpy(w->before, w->bound, (size_t)n * sizeof(double));
    for (int64_t i = 0; i < n; i++) {
        const bool out = without >= 0 && path->partitions->fold[path->partition][i] == without;
        w->bound[i] = out ? 0 : h->C[at] * pt_weight(weight, i);
    }
}

/* Solves for a link without a fold (-1: with all) from where w stands. */
static pt_status solve_link(const held_chain *h, const pt_c_path *path, walker *w, int64_t at,
                            int64_t without, pt_error *err)
{
    pt_spoc_result result;
    set_bounds(h, path, w, at, without);
    const pt_spoc spoc = {.kind = h->kind,
                          .store = path->store,
                          .kernel = &path->kernel,
                          .n = h->problem->rows.n,
                          .k = h->k,
                          .class_of = h->problem->labels->class_of,
                          .bound = w->bound,
                          .costs = h->problem->costs,
                          .gap = h->gap,
                          .bytes = h->bytes};
    if (at > 0)
        pt_spoc_carry(&spoc, w->before, &w->eta);
    return pt_spoc_solve(&spoc, &w->eta, &result, NULL, path->task, err);
}

/* ---- outputs --------------------------------------------------------------------------------- */

static void sum_outputs(const held_chain *h, walker *w)
{
    memset(w->g, 0, (size_t)h->k * sizeof(double));
    for (int64_t s = 0; s < w->n_support; s++) {
        const int64_t j = w->support[s];
        const int64_t y = h->problem->labels->class_of[j];
        const pt_entry *row = pt_sparse_row(&w->eta, j);
        double own = 0; /* tau_jy */
        for (int64_t c = 0; c < w->eta.count[j]; c++)
            if (row[c].column != y) {
                w->g[row[c].column] -= row[c].value * w->values.value[s];
                own += row[c].value;
            }
        w->g[y] += own * w->values.value[s];
    }
}

/* w->g <- outputs of example i. */
static pt_status class_outputs(const held_chain *h, const pt_c_path *path, walker *w, int64_t i,
                               pt_error *err)
{
    PT_TRY(pt_c_values_get(&w->values, path, i, w->support, w->n_support, false, err));
    sum_outputs(h, w);
    if (!pt_c_is_faint(path, w->g, h->k))
        return PT_OK;
    PT_TRY(pt_c_values_get(&w->values, path, i, w->support, w->n_support, true, err));
    sum_outputs(h, w);
    return PT_OK;
}

static pt_status put_outputs(const held_chain *h, const pt_c_path *path, walker *w, int64_t at,
                             int64_t fold, pt_error *err)
{
    const int64_t n = h->problem->rows.n;
    const int64_t *fold_of = path->partitions->fold[path->partition];
    const int64_t *class_of = h->problem->labels->class_of;
    w->n_support = 0;
    for (int64_t i = 0; i < n; i++)
        if (pt_spoc_is_support(&w->eta, i, class_of[i]))
            w->support[w->n_support++] = i;
    for (int64_t i = 0; i < n; i++) {
        if (fold_of[i] != fold)
            continue;
        PT_TRY(class_outputs(h, path, w, i, err));
        memcpy(path->outputs + (at * n + i) * h->k, w->g, (size_t)h->k * sizeof(double));
    }
    return PT_OK;
}

/* ---- the chain ------------------------------------------------------------------------------- */

static pt_status begin_chain(void *self, const pt_c_path *path, pt_error *err)
{
    held_chain *h = self;
    const int64_t n = h->problem->rows.n;
    const int workers = pt_parallel_workers(path->task, path->partitions->n_folds);
    const double held = pt_kernel_store_whole(path->store)
                            ? pt_kernel_store_bytes(n, path->rows->type)
                            : (double)pt_task_memory(path->task);
    const double left = (double)pt_task_memory(path->task) - held;
    h->bytes = left > 0 ? left / (double)workers : 0;
    h->C = pt_alloc(path->n_links, sizeof(double), "held-out folds", err);
    if (!h->C)
        return PT_ENOMEM;
    for (int64_t at = 0; at < path->n_links; at++)
        h->C[at] = pt_params_real(path->points[path->chain[at]], PT_P_C);
    h->gap = pt_params_real(path->points[path->chain[0]], PT_P_GAP);
    return pt_sparse_rows_init(&h->first, n, err);
}

static void end_chain(void *self)
{
    held_chain *h = self;
    pt_sparse_rows_free(&h->first);
    pt_free(h->C);
    h->first = (pt_sparse_rows){0};
    h->C = NULL;
}

static pt_status copy_rows(pt_sparse_rows *to, const pt_sparse_rows *from, pt_error *err)
{
    for (int64_t i = 0; i < from->n; i++)
        PT_TRY(pt_sparse_rows_set(to, i, pt_sparse_row(from, i), from->count[i], err));
    return PT_OK;
}

static pt_status first_solution(void *self, const pt_c_path *path, pt_error *err)
{
    held_chain *h = self;
    PT_FREED_BY(walker_free) walker w = {0};
    PT_TRY(walker_init(&w, h, path, err));
    PT_TRY(solve_link(h, path, &w, 0, -1, err));
    return copy_rows(&h->first, &w.eta, err);
}

static pt_status walk_fold(void *self, const pt_c_path *path, int64_t fold, pt_error *err)
{
    const held_chain *h = self;
    PT_FREED_BY(walker_free) walker w = {0};
    PT_TRY(walker_init(&w, h, path, err));
    PT_TRY(copy_rows(&w.eta, &h->first, err));
    for (int64_t at = 0; at < path->n_links; at++) {
        PT_TRY(solve_link(h, path, &w, at, fold, err));
        PT_TRY(put_outputs(h, path, &w, at, fold, err));
    }
    return PT_OK;
}

static pt_status give_scores(void *self, const pt_c_path *path, int64_t point,
                             const double *outputs, pt_error *err)
{
    const held_chain *h = self;
    return h->take(h->context, point, path->partition, outputs, err);
}

static const pt_c_walk WALK = {begin_chain, first_solution, walk_fold, give_scores, end_chain};

pt_status pt_multiclass_svm_holdout(pt_spoc_kind kind, const pt_problem *problem,
                                    const pt_params *const *points, int64_t n_points,
                                    const pt_partitions *partitions, pt_holdout_fn take,
                                    void *context, const pt_task *task, pt_error *err)
{
    held_chain h = {.problem = problem,
                    .kind = kind,
                    .take = take,
                    .context = context,
                    .k = pt_labels_n_classes(problem->labels)};
    if (n_points > 0 && pt_kernel_is_precomputed(points[0]))
        PT_TRY(pt_ls_check_precomputed(&problem->rows, err));
    return pt_c_path_run(problem, &problem->rows, points, n_points, partitions, &WALK, &h, task,
                         err);
}

bool pt_multiclass_svm_path_serves(const pt_problem *problem, const pt_params *point)
{
    const pt_kernel_ops *kernel = pt_kernel_named(point, !problem->rows.dense);
    return pt_c_path_serves(problem, point) && kernel && !kernel->linear;
}
