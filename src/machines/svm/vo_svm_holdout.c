/* Held-out scores of vo-SVM, by warm starts along C (c_path.h).
 *
 * Examples are sorted by class, as the box QP wants them. From one C to the next, coefficients at
 * the old bound begin at the new one. */
#include "machines/svm/vo_svm.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "kernels/kernel_params.h"
#include "machine/machine.h"
#include "machine/subproblem.h"
#include "machines/squares/vector_machine.h"
#include "solvers/squares/ls_solve.h"
#include "validate/c_path.h"

bool pt_vo_svm_holdout_serves(const pt_problem *problem, const pt_params *point)
{
    return pt_label_space_is_fixed(point) && pt_c_path_serves(problem, point);
}

typedef struct held_chain {
    const pt_problem *problem;
    pt_decoding decoding;
    int64_t k;
    int64_t *order;       /* n: examples by class */
    int64_t *start;       /* k + 1: where classes begin */
    pt_subproblem sorted; /* the examples in order */
    pt_arena arena;

    /* the chain */
    pt_label_space space;
    pt_vo_svm *svm;     /* for each link */
    double *first_beta; /* n, in order: of all examples at the smallest C */
    double *first_c;    /* k */
} held_chain;

/* ---- one fold -------------------------------------------------------------------------------- */

typedef struct walker {
    double *u;        /* n, in order */
    double *beta;     /* n */
    double *c;        /* k: where the next C begins */
    double *bias;     /* k: on the class outputs */
    double *g;        /* k */
    int64_t *support; /* n: where beta is not 0 */
    int64_t n_support;
    pt_c_values values;
    pt_arena arena;
} walker;

static void walker_free(walker *w)
{
    pt_arena_free(&w->arena);
    pt_c_values_free(&w->values);
}

static pt_status walker_init(walker *w, const held_chain *h, const pt_c_path *path, pt_error *err)
{
    const int64_t n = h->problem->rows.n;
    PT_TRY(PT_ARENA(&w->arena, "a held-out fold", err, PT_PIECE(w->u, n), PT_PIECE(w->beta, n),
                    PT_PIECE(w->c, h->k), PT_PIECE(w->bias, h->k), PT_PIECE(w->g, h->k),
                    PT_PIECE(w->support, n)));
    return pt_c_values_init(&w->values, path, err);
}

static void sum_outputs(const held_chain *h, walker *w)
{
    int64_t r = 0;
    memset(w->g, 0, (size_t)h->k * sizeof(double));
    for (int64_t s = 0; s < w->n_support; s++) {
        const int64_t j = w->support[s];
        while (j >= h->start[r + 1])
            r++;
        w->g[r] += w->beta[j] * w->values.value[s];
    }
}

/* w->g <- class outputs of the example at place i, without a bias. */
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

/* w->bias <- that of a link, by its rule. */
static pt_status link_bias(const held_chain *h, const pt_c_path *path, walker *w,
                           const pt_vo_svm *svm, pt_error *err)
{
    int64_t own = 0;
    memset(w->bias, 0, (size_t)h->k * sizeof(double));
    if (svm->bias == PT_VO_EXACT || svm->bias == PT_VO_PENALISED)
        memcpy(w->bias, w->c, (size_t)h->k * sizeof(double));
    for (int64_t s = 0; s < w->n_support && svm->bias == PT_VO_MEAN; s++) {
        PT_TRY(class_outputs(h, path, w, w->support[s], err));
        while (w->support[s] >= h->start[own + 1])
            own++;
        pt_vo_svm_add_to_mean(w->bias, w->g, own, h->k, w->n_support);
    }
    return PT_OK;
}

/* Bounds of a link, without fold `without` (-1: with all); beta is moved along. */
static void set_bounds(const held_chain *h, const pt_c_path *path, walker *w, const pt_vo_svm *svm,
                       int64_t without, bool first)
{
    const double *weight = h->sorted.problem.weight;
    for (int64_t i = 0; i < h->problem->rows.n; i++) {
        const bool out =
            without >= 0 && path->partitions->fold[path->partition][h->order[i]] == without;
        const double u = out ? 0 : svm->C * pt_weight(weight, i);
        if (!first && w->beta[i] >= w->u[i])
            w->beta[i] = u;
        w->u[i] = u;
    }
}

/* Solves for one link from where w stands. */
static pt_status solve_link(const held_chain *h, const pt_c_path *path, walker *w,
                            const pt_vo_svm *svm, pt_error *err)
{
    const pt_box_qp qp = {.store = path->store,
                          .kernel = &path->kernel,
                          .n = h->problem->rows.n,
                          .groups = h->k,
                          .group_start = h->start,
                          .Q = h->space.Q,
                          .u = w->u};
    pt_vo_svm_result result;
    return pt_vo_svm_solve(svm, qp, w->beta, w->c, &result, NULL, path->task, err);
}

static pt_status put_outputs(const held_chain *h, const pt_c_path *path, walker *w, int64_t at,
                             int64_t fold, pt_error *err)
{
    const pt_vo_svm *svm = &h->svm[at];
    const int64_t n = h->problem->rows.n;
    const int64_t *fold_of = path->partitions->fold[path->partition];
    double *outputs = path->outputs + at * n * h->k;
    w->n_support = 0;
    for (int64_t i = 0; i < n; i++)
        if (w->beta[i] != 0)
            w->support[w->n_support++] = i;
    PT_TRY(link_bias(h, path, w, svm, err));
    for (int64_t i = 0; i < n; i++) {
        if (fold_of[h->order[i]] != fold)
            continue;
        PT_TRY(class_outputs(h, path, w, i, err));
        for (int64_t r = 0; r < h->k; r++)
            outputs[h->order[i] * h->k + r] = w->g[r] + w->bias[r];
    }
    return PT_OK;
}

static pt_status walk_fold(void *self, const pt_c_path *path, int64_t fold, pt_error *err)
{
    const held_chain *h = self;
    PT_FREED_BY(walker_free) walker w = {0};
    PT_TRY(walker_init(&w, h, path, err));
    memcpy(w.beta, h->first_beta, (size_t)h->problem->rows.n * sizeof(double));
    memcpy(w.c, h->first_c, (size_t)h->k * sizeof(double));
    for (int64_t at = 0; at < path->n_links; at++) {
        set_bounds(h, path, &w, &h->svm[at], fold, at == 0);
        PT_TRY(solve_link(h, path, &w, &h->svm[at], err));
        PT_TRY(put_outputs(h, path, &w, at, fold, err));
    }
    return PT_OK;
}

/* ---- a chain --------------------------------------------------------------------------------- */

static pt_status begin_chain(void *self, const pt_c_path *path, pt_error *err)
{
    held_chain *h = self;
    const int64_t n = h->problem->rows.n;
    h->first_beta = pt_alloc(n + h->k, sizeof(double), "held-out folds", err);
    h->svm = pt_alloc(path->n_links, sizeof *h->svm, "held-out folds", err);
    if (!h->first_beta || !h->svm)
        return PT_ENOMEM;
    h->first_c = h->first_beta + n;
    PT_TRY(pt_problem_label_space(&h->space, h->problem, path->points[path->chain[0]], err));
    for (int64_t at = 0; at < path->n_links; at++)
        PT_TRY(pt_vo_svm_read(&h->svm[at], path->points[path->chain[at]], err));
    return pt_vo_svm_check_bias(&h->svm[0], &h->space, err);
}

static void end_chain(void *self)
{
    held_chain *h = self;
    pt_label_space_free(&h->space);
    pt_free(h->svm);
    pt_free(h->first_beta);
    h->svm = NULL;
    h->first_beta = NULL;
}

static pt_status first_solution(void *self, const pt_c_path *path, pt_error *err)
{
    held_chain *h = self;
    const size_t n = (size_t)h->problem->rows.n;
    PT_FREED_BY(walker_free) walker w = {0};
    PT_TRY(walker_init(&w, h, path, err));
    memset(w.beta, 0, n * sizeof(double));
    memset(w.c, 0, (size_t)h->k * sizeof(double));
    set_bounds(h, path, &w, &h->svm[0], -1, true);
    PT_TRY(solve_link(h, path, &w, &h->svm[0], err));
    memcpy(h->first_beta, w.beta, n * sizeof(double));
    memcpy(h->first_c, w.c, (size_t)h->k * sizeof(double));
    return PT_OK;
}

static pt_status give_scores(void *self, const pt_c_path *path, int64_t point,
                             const double *outputs, pt_error *err)
{
    held_chain *h = self;
    return pt_decode_holdout(&h->decoding, point, path->partition, outputs, err);
}

/* ---- all points ------------------------------------------------------------------------------ */

static void held_chain_free(held_chain *h)
{
    pt_subproblem_free(&h->sorted);
    pt_arena_free(&h->arena);
}

static const pt_c_walk WALK = {begin_chain, first_solution, walk_fold, give_scores, end_chain};

pt_status pt_vo_svm_holdout(const pt_problem *problem, const pt_params *const *points,
                            int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                            void *context, const pt_task *task, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const bool square = n_points > 0 && pt_kernel_is_precomputed(points[0]);
    PT_FREED_BY(held_chain_free)
    held_chain h = {
        .problem = problem, .decoding = {problem, points, partitions, take, context}, .k = k};
    PT_TRY(PT_ARENA(&h.arena, "an order of examples", err, PT_PIECE(h.order, n),
                    PT_PIECE(h.start, k + 1)));
    if (square)
        PT_TRY(pt_ls_check_precomputed(&problem->rows, err));
    int64_t at = 0;
    for (int64_t r = 0; r < k; r++) {
        h.start[r] = at;
        for (int64_t i = 0; i < n; i++)
            if (problem->labels->class_of[i] == r)
                h.order[at++] = i;
    }
    h.start[k] = at;
    PT_TRY(pt_subproblem_init(&h.sorted, problem, h.order, n, square, err));
    return pt_c_path_run(problem, &h.sorted.problem.rows, points, n_points, partitions, &WALK, &h,
                         task, err);
}
