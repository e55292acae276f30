/* Held-out scores of vo-SVM, by warm starts along C (validate/c_path.h).
 *
 * Examples are sorted by class, as the box QP wants them. From one C to the next, coefficients at
 * the old bound begin at the new one. */
#include "machines/svm/vo_svm.h"

#include <string.h>

#include "base/alloc.h"
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

typedef struct held_out {
    const pt_problem *problem;
    int64_t k;
    int64_t *order;       /* n: examples by class */
    int64_t *start;       /* k + 1: where classes begin */
    pt_subproblem sorted; /* the examples in order */
    pt_arena arena;

    /* the chain */
    pt_label_space space;
    pt_vo_svm *svm; /* for each link */
} held_out;

typedef struct beta_walker {
    pt_c_walker base;
    double *beta; /* n, in order */
    double *c;    /* k: where the next C begins */
} beta_walker;

/* ---- a chain --------------------------------------------------------------------------------- */

static pt_status begin_chain(void *self, const pt_c_path *path, pt_error *err)
{
    held_out *h = self;
    h->svm = pt_alloc(path->n_links, sizeof *h->svm, "held-out folds", err);
    if (!h->svm)
        return PT_ENOMEM;
    PT_TRY(pt_problem_label_space(&h->space, h->problem, path->points[path->chain[0]], err));
    for (int64_t at = 0; at < path->n_links; at++)
        PT_TRY(pt_vo_svm_read(&h->svm[at], path->points[path->chain[at]], err));
    return pt_vo_svm_check_bias(&h->svm[0], &h->space, err);
}

static void end_chain(void *self)
{
    held_out *h = self;
    pt_label_space_free(&h->space);
    pt_free(h->svm);
    h->svm = NULL;
}

/* ---- one machine ----------------------------------------------------------------------------- */

static pt_status start_walker(const void *self, pt_c_walker *walker, const pt_c_walker *from,
                              pt_error *err)
{
    const held_out *h = self;
    beta_walker *w = (beta_walker *)walker;
    const int64_t size = h->problem->rows.n + h->k;
    PT_TRY(PT_NEW_ZERO(w->beta, size, "a held-out fold", err));
    w->c = w->beta + h->problem->rows.n;
    if (from)
        memcpy(w->beta, ((const beta_walker *)from)->beta, (size_t)size * sizeof *w->beta);
    return PT_OK;
}

static void stop_walker(pt_c_walker *walker)
{
    pt_free(((beta_walker *)walker)->beta);
}

static pt_status solve_link(const void *self, const pt_c_path *path, pt_c_walker *walker,
                            int64_t at, bool first, pt_error *err)
{
    const held_out *h = self;
    beta_walker *w = (beta_walker *)walker;
    const int64_t n = h->problem->rows.n;
    for (int64_t i = 0; i < n && !first; i++)
        w->beta[i] = pt_vo_svm_carry(w->beta[i], walker->before[i], walker->bound[i]);
    const pt_box_qp qp = {.store = path->store,
                          .kernel = &path->kernel,
                          .n = n,
                          .groups = h->k,
                          .group_start = h->start,
                          .Q = h->space.Q,
                          .u = walker->bound};
    pt_vo_svm_result result;
    PT_TRY(pt_vo_svm_solve(&h->svm[at], qp, w->beta, w->c, &result, NULL, path->task, err));
    if (pt_task_ended_early(path->task))
        return PT_OK;
    return pt_vo_svm_warn(&h->svm[at], result.qp.value, result.qp.gap, result.off, path->rows->type,
                          &walker->said, err);
}

static bool is_support(const void *self, const pt_c_walker *walker, int64_t i)
{
    (void)self;
    return ((const beta_walker *)walker)->beta[i] != 0;
}

static void sum_outputs(const void *self, pt_c_walker *walker)
{
    const held_out *h = self;
    const double *beta = ((const beta_walker *)walker)->beta;
    int64_t r = 0;
    memset(walker->g, 0, (size_t)h->k * sizeof *walker->g);
    for (int64_t s = 0; s < walker->n_support; s++) {
        const int64_t j = walker->support[s];
        while (j >= h->start[r + 1])
            r++;
        walker->g[r] += beta[j] * walker->value[s];
    }
}

/* By the rule of the link. */
static pt_status link_bias(const void *self, const pt_c_path *path, pt_c_walker *walker, int64_t at,
                           pt_error *err)
{
    const held_out *h = self;
    const pt_vo_bias rule = h->svm[at].bias;
    int64_t own = 0;
    if (rule == PT_VO_EXACT || rule == PT_VO_PENALISED)
        memcpy(walker->bias, ((const beta_walker *)walker)->c, (size_t)h->k * sizeof *walker->bias);
    for (int64_t s = 0; s < walker->n_support && rule == PT_VO_MEAN; s++) {
        PT_TRY(pt_c_outputs(path, walker, walker->support[s], err));
        while (walker->support[s] >= h->start[own + 1])
            own++;
        pt_vo_svm_add_to_mean(walker->bias, walker->g, own, h->k, walker->n_support);
    }
    return PT_OK;
}

/* ---- all points ------------------------------------------------------------------------------ */

static void held_out_free(held_out *h)
{
    pt_subproblem_free(&h->sorted);
    pt_arena_free(&h->arena);
}

static const pt_c_walk WALK = {.walker = sizeof(beta_walker),
                               .begin = begin_chain,
                               .end = end_chain,
                               .start = start_walker,
                               .stop = stop_walker,
                               .solve = solve_link,
                               .is_support = is_support,
                               .sum = sum_outputs,
                               .bias = link_bias};

pt_status pt_vo_svm_holdout(const pt_problem *problem, const pt_params *const *points,
                            int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                            void *context, const pt_task *task, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const bool square = n_points > 0 && pt_kernel_is_precomputed(points[0]);
    pt_decoding decoding = {problem, points, partitions, take, context};
    PT_FREED_BY(held_out_free) held_out h = {.problem = problem, .k = k};
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
    PT_TRY(pt_subproblem_init(&h.sorted, problem, h.order, n, square, task, err));
    return pt_c_path_run(&(pt_c_path){.problem = problem,
                                      .rows = &h.sorted.problem.rows,
                                      .order = h.order,
                                      .points = points,
                                      .n_points = n_points,
                                      .partitions = partitions,
                                      .take = pt_decode_holdout,
                                      .context = &decoding,
                                      .walk = &WALK,
                                      .self = &h,
                                      .task = task},
                         err);
}
