/* Held-out scores of vo-SVM: not in closed form, but from warm starts and one Gram matrix.
 *
 * Examples are sorted by class, and the Gram matrix of all of them is computed once for a kernel:
 * an example that is held out is one whose bound u_i is 0. Points that differ in C alone make a
 * chain. The machine of all examples at the smallest C is where every fold starts; from there a
 * fold walks up the chain, each C beginning with the solution of the one before, where coefficients
 * at the old bound begin at the new one. The outputs of the held-out examples come from the same
 * Gram matrix.
 *
 *   outputs   chain x n x k   class outputs of every example by the machine without its fold
 *
 * Folds run in parallel. Time: that of training at the smallest C, for every fold, and little for
 * each further C; memory: n^2 kernel values. */
#include "machines/vo_svm_holdout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "kernels/kernel_params.h"
#include "machines/machine_vo_svm.h"
#include "machines/subproblem.h"
#include "machines/vector_machine.h"
#include "machines/vo_svm.h"
#include "solvers/ls_solve.h"

/* A Gram matrix beyond this is left to brute force, which needs no more than support vectors. */
static const double MOST_BYTES = 8e9;
/* Outputs of which all are below this come from kernel values close to where float32 ends, as in
 * expansion.c: they are computed again in double. */
static const double FAINT = 1e-30;

bool pt_vo_svm_holdout_serves(const pt_problem *problem, const pt_params *point)
{
    return pt_label_space_is_fixed(point) && !pt_kernel_is_joint(point) &&
           (pt_kernel_is_precomputed(point) ||
            pt_kernel_store_bytes(problem->rows.n, problem->rows.type) <= MOST_BYTES);
}

/* One machine, at its place in the chain. */
typedef struct link {
    int64_t point;
    pt_vo_svm svm;
} link;

typedef struct holding {
    const pt_problem *problem;
    const pt_params *const *points;
    const pt_partitions *partitions;
    const pt_task *task;
    pt_decoding decoding;
    bool *done; /* points */
    int64_t n_done;
    int64_t k;
    int64_t *order;       /* n: examples by class */
    int64_t *start;       /* k + 1: where classes begin */
    pt_subproblem sorted; /* the examples in order */
    pt_kernel kernel;
    pt_kernel_store *store;
    pt_gram *wide; /* the same rows in double; NULL: kernel values do not underflow */

    /* the chain */
    const pt_label_space *space;
    link *links;
    int64_t n_links;
    double *first_beta; /* n, in order: of all examples at the smallest C */
    double *first_c;    /* k */
    double *outputs;    /* links x n x k, rows as in the problem */
    int64_t partition;
} holding;

/* ---- one fold ----------------------------------------------------------------------------------
 */

typedef struct walker {
    double *u;        /* n, in order */
    double *beta;     /* n */
    double *c;        /* k: where the next C begins */
    double *bias;     /* k: on the class outputs */
    double *g;        /* k */
    int64_t *support; /* n: where beta is not 0 */
    int64_t n_support;
    void *scratch; /* of h->wide */
    void *row;     /* a row of the store, where it is not whole */
} walker;

static void walker_free(walker *w)
{
    pt_free(w->u);
    pt_free(w->support);
    pt_free(w->scratch);
    pt_free(w->row);
}

static pt_status walker_init(walker *w, const holding *h, pt_error *err)
{
    const int64_t n = h->problem->rows.n;
    const size_t scratch = h->wide ? pt_gram_scratch(h->wide, h->wide, 1, 1) : 0;
    *w = (walker){
        .u = pt_alloc(2 * n + 3 * h->k, sizeof(double), "a held-out fold", err),
        .support = pt_alloc(n, sizeof(int64_t), "a held-out fold", err),
        .scratch = pt_alloc((int64_t)scratch, 1, "a held-out fold", err),
        .row = pt_alloc((int64_t)pt_kernel_store_buffer(h->store, 1), 1, "a held-out fold", err)};
    if (!w->u || !w->support || !w->scratch || !w->row)
        return PT_ENOMEM;
    w->beta = w->u + n;
    w->c = w->beta + n;
    w->bias = w->c + h->k;
    w->g = w->bias + h->k;
    return PT_OK;
}

/* The kernel values of example i are those of `row`, or computed in double where it is NULL. */
static void sum_outputs(const holding *h, walker *w, int64_t i, const void *row)
{
    const bool narrow = pt_kernel_store_type(h->store) == PT_F32;
    int64_t r = 0;
    memset(w->g, 0, (size_t)h->k * sizeof(double));
    for (int64_t s = 0; s < w->n_support; s++) {
        const int64_t j = w->support[s];
        double value = 0;
        if (!row) {
            pt_gram_block(h->wide, i, 1, h->wide, j, 1, &value, 1, w->scratch);
            pt_kernel_map(&h->kernel, PT_F64, 1, 1, &value, 1);
        } else {
            value = narrow ? (double)((const float *)row)[j] : ((const double *)row)[j];
        }
        while (j >= h->start[r + 1])
            r++;
        w->g[r] += w->beta[j] * value;
    }
}

static bool is_faint(const holding *h, const walker *w)
{
    for (int64_t r = 0; r < h->k; r++)
        if (fabs(w->g[r]) >= FAINT)
            return false;
    return true;
}

/* w->g <- class outputs of the example at place i, without a bias. */
static pt_status class_outputs(const holding *h, walker *w, int64_t i, pt_error *err)
{
    const void *row = NULL;
    const pt_status status = pt_kernel_store_rows(h->store, &i, 1, w->row, &row, h->task, err);
    if (status != PT_OK)
        return status;
    sum_outputs(h, w, i, row);
    if (h->wide && is_faint(h, w))
        sum_outputs(h, w, i, NULL);
    return PT_OK;
}

static pt_status mean_bias(const holding *h, walker *w, pt_error *err)
{
    pt_status status = PT_OK;
    int64_t own = 0;
    for (int64_t s = 0; s < w->n_support && status == PT_OK; s++) {
        status = class_outputs(h, w, w->support[s], err);
        while (w->support[s] >= h->start[own + 1])
            own++;
        if (status == PT_OK)
            pt_vo_svm_add_to_mean(w->bias, w->g, own, h->k, w->n_support);
    }
    return status;
}

/* w->bias <- that of a link, by its rule. */
static pt_status link_bias(const holding *h, walker *w, const pt_vo_svm *svm, pt_error *err)
{
    memset(w->bias, 0, (size_t)h->k * sizeof(double));
    if (svm->bias == PT_VO_MEAN)
        return mean_bias(h, w, err);
    if (svm->bias != PT_VO_NO_BIAS)
        memcpy(w->bias, w->c, (size_t)h->k * sizeof(double));
    return PT_OK;
}

/* Bounds of a link, without fold `without` (-1: with all); beta is moved along. */
static void set_bounds(const holding *h, walker *w, const pt_vo_svm *svm, int64_t without,
                       bool first)
{
    const double *weight = h->sorted.problem.weight;
    for (int64_t i = 0; i < h->problem->rows.n; i++) {
        const bool out = without >= 0 && h->partitions->fold[h->partition][h->order[i]] == without;
        const double u = out ? 0 : svm->C * (weight ? weight[i] : 1);
        if (!first && w->beta[i] >= w->u[i])
            w->beta[i] = u;
        w->u[i] = u;
    }
}

/* Solves for one link from where w stands. */
static pt_status solve_link(const holding *h, walker *w, const pt_vo_svm *svm, pt_error *err)
{
    const pt_box_qp qp = {.store = h->store,
                          .kernel = &h->kernel,
                          .n = h->problem->rows.n,
                          .groups = h->k,
                          .group_start = h->start,
                          .Q = h->space->Q,
                          .u = w->u};
    pt_vo_svm_result result;
    return pt_vo_svm_solve(svm, qp, w->beta, w->c, &result, NULL, h->task, err);
}

static pt_status put_outputs(const holding *h, walker *w, int64_t at, int64_t fold, pt_error *err)
{
    const pt_vo_svm *svm = &h->links[at].svm;
    const int64_t n = h->problem->rows.n;
    const int64_t *fold_of = h->partitions->fold[h->partition];
    double *outputs = h->outputs + at * n * h->k;
    w->n_support = 0;
    for (int64_t i = 0; i < n; i++)
        if (w->beta[i] != 0)
            w->support[w->n_support++] = i;
    pt_status status = link_bias(h, w, svm, err);
    for (int64_t i = 0; i < n && status == PT_OK; i++) {
        if (fold_of[h->order[i]] != fold)
            continue;
        status = class_outputs(h, w, i, err);
        for (int64_t r = 0; r < h->k; r++)
            outputs[h->order[i] * h->k + r] = w->g[r] + w->bias[r];
    }
    return status;
}

static pt_status fold_body(void *context, int64_t fold, int worker, pt_error *err)
{
    (void)worker;
    const holding *h = context;
    walker w;
    pt_status status = walker_init(&w, h, err);
    if (status == PT_OK) {
        memcpy(w.beta, h->first_beta, (size_t)h->problem->rows.n * sizeof(double));
        memcpy(w.c, h->first_c, (size_t)h->k * sizeof(double));
    }
    for (int64_t at = 0; at < h->n_links && status == PT_OK; at++) {
        set_bounds(h, &w, &h->links[at].svm, fold, at == 0);
        status = solve_link(h, &w, &h->links[at].svm, err);
        if (status == PT_OK)
            status = put_outputs(h, &w, at, fold, err);
    }
    walker_free(&w);
    return status;
}

/* ---- a chain -----------------------------------------------------------------------------------
 */

static pt_status first_solution(holding *h, pt_error *err)
{
    walker w;
    pt_status status = walker_init(&w, h, err);
    if (status == PT_OK) {
        memset(w.beta, 0, (size_t)h->problem->rows.n * sizeof(double));
        memset(w.c, 0, (size_t)h->k * sizeof(double));
        set_bounds(h, &w, &h->links[0].svm, -1, true);
        status = solve_link(h, &w, &h->links[0].svm, err);
    }
    if (status == PT_OK) {
        memcpy(h->first_beta, w.beta, (size_t)h->problem->rows.n * sizeof(double));
        memcpy(h->first_c, w.c, (size_t)h->k * sizeof(double));
    }
    walker_free(&w);
    return status;
}

/* A kernel that turns out not to be positive semidefinite, or a bias that does all in a fold
 * without some class, has no answer at the points of its chain. */
static pt_status hand_over(holding *h, int64_t partition, bool answered, pt_error *err)
{
    const int64_t cells = h->problem->rows.n * h->k;
    pt_status status = PT_OK;
    for (int64_t at = 0; at < h->n_links && status == PT_OK; at++)
        status = pt_decode_holdout(&h->decoding, h->links[at].point, partition,
                                   answered ? h->outputs + at * cells : NULL, err);
    return status;
}

static pt_status walk_chain(holding *h, int64_t n_points, pt_error *err)
{
    const int64_t n = h->problem->rows.n;
    const pt_partitions *partitions = h->partitions;
    h->first_beta = pt_alloc(n + h->k, sizeof(double), "held-out folds", err);
    h->outputs = pt_alloc(h->n_links * n, (size_t)h->k * sizeof(double), "held-out outputs", err);
    pt_status status = h->first_beta && h->outputs ? PT_OK : PT_ENOMEM;
    h->first_c = h->first_beta ? h->first_beta + n : NULL;
    pt_error own = {0};
    pt_status answer = status == PT_OK ? first_solution(h, &own) : status;
    for (int64_t p = 0; p < partitions->count && status == PT_OK; p++) {
        h->partition = p;
        if (answer == PT_OK)
            answer = pt_parallel_for(h->task, partitions->n_folds, fold_body, h, &own);
        if (answer != PT_OK && answer != PT_ENUMERIC) {
            status = answer;
            if (err)
                *err = own;
            break;
        }
        status = hand_over(h, p, answer == PT_OK, err);
        pt_task_progress_whole(h->task, "cross-validating",
                               (double)(h->n_done * partitions->count + (p + 1) * h->n_links),
                               (double)(n_points * partitions->count));
    }
    pt_free(h->outputs);
    pt_free(h->first_beta);
    h->outputs = NULL;
    h->first_beta = NULL;
    return status;
}

static int by_C(const void *a, const void *b)
{
    const link *x = a;
    const link *y = b;
    if (x->svm.C != y->svm.C)
        return x->svm.C < y->svm.C ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* Whether two points agree in all parameters of the kernel or, with `machine`, in all but C. */
static bool same(const pt_params *a, const pt_params *b, bool machine)
{
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const pt_param_group_id group = pt_param_group_of((pt_param_id)id);
        const bool counts = group == PT_GROUP_KERNEL || (machine && group == PT_GROUP_MACHINE);
        if (counts && id != PT_P_C &&
            strcmp(pt_params_text(a, (pt_param_id)id), pt_params_text(b, (pt_param_id)id)) != 0)
            return false;
    }
    return true;
}

/* All points that differ from `point` in C alone, by ascending C. */
static pt_status run_chain(holding *h, int64_t point, int64_t n_points, pt_error *err)
{
    pt_vector_machine *m = NULL;
    pt_status status =
        pt_vector_machine_new(&m, &pt_machine_vo_svm, h->problem, h->points[point], true, err);
    h->n_links = 0;
    for (int64_t i = point; i < n_points && status == PT_OK; i++)
        if (!h->done[i] && same(h->points[point], h->points[i], true)) {
            h->links[h->n_links].point = i;
            status = pt_vo_svm_read(&h->links[h->n_links++].svm, h->points[i], err);
            h->done[i] = true;
        }
    if (status == PT_OK) {
        qsort(h->links, (size_t)h->n_links, sizeof *h->links, by_C);
        h->space = &m->space;
        status = pt_vo_svm_check_bias(&h->links[0].svm, h->space, err);
    }
    if (status == PT_OK)
        status = walk_chain(h, n_points, err);
    h->n_done += h->n_links;
    if (m)
        pt_vector_machine_free(&m->base);
    return status;
}

/* ---- all points --------------------------------------------------------------------------------
 */

static void sort_by_class(holding *h)
{
    const int64_t n = h->problem->rows.n;
    const int64_t *class_of = h->problem->labels->class_of;
    int64_t at = 0;
    for (int64_t r = 0; r < h->k; r++) {
        h->start[r] = at;
        for (int64_t i = 0; i < n; i++)
            if (class_of[i] == r)
                h->order[at++] = i;
    }
    h->start[h->k] = at;
}

/* The points that share a kernel, with its Gram matrix. */
static pt_status run_kernel(holding *h, int64_t point, int64_t n_points, pt_error *err)
{
    const pt_rows *rows = &h->sorted.problem.rows;
    pt_status status = pt_kernel_from_params(&h->kernel, h->points[point], err);
    if (status == PT_OK)
        status = pt_kernel_store_open(&h->store, rows, &h->kernel, NULL,
                                      (double)pt_task_memory(h->task), h->task, err);
    const pt_kernel_base base = status == PT_OK ? h->kernel.ops->base : PT_BASE_DOT;
    if (status == PT_OK && rows->type == PT_F32 &&
        (base == PT_BASE_SQUARED_DISTANCE || base == PT_BASE_L1_DISTANCE))
        status = pt_gram_new(&h->wide, rows, base, PT_F64, h->task, err);
    for (int64_t i = point; i < n_points && status == PT_OK; i++)
        if (!h->done[i] && same(h->points[point], h->points[i], false))
            status = run_chain(h, i, n_points, err);
    pt_gram_free(h->wide);
    pt_kernel_store_close(h->store);
    h->wide = NULL;
    h->store = NULL;
    return status;
}

pt_status pt_vo_svm_holdout(const pt_problem *problem, const pt_params *const *points,
                            int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                            void *context, const pt_task *task, pt_error *err)
{
    const int64_t n = problem->rows.n;
    holding h = {.problem = problem,
                 .points = points,
                 .partitions = partitions,
                 .task = task,
                 .decoding = {problem, points, partitions, take, context},
                 .k = pt_labels_n_classes(problem->labels)};
    h.done = pt_alloc_zero(n_points, sizeof(bool), "grid points", err);
    h.links = pt_alloc(n_points, sizeof(link), "grid points", err);
    h.order = pt_alloc(n, sizeof(int64_t), "an order of examples", err);
    h.start = pt_alloc(h.k + 1, sizeof(int64_t), "an order of examples", err);
    pt_status status = h.done && h.links && h.order && h.start ? PT_OK : PT_ENOMEM;
    const bool square = n_points > 0 && pt_kernel_is_precomputed(points[0]);
    if (status == PT_OK && square)
        status = pt_ls_check_precomputed(&problem->rows, err);
    if (status == PT_OK) {
        sort_by_class(&h);
        status = pt_subproblem_init(&h.sorted, problem, h.order, n, square, err);
    }
    pt_task_begin_whole(task);
    for (int64_t i = 0; i < n_points && status == PT_OK; i++)
        if (!h.done[i])
            status = run_kernel(&h, i, n_points, err);
    pt_task_end_whole(task);
    pt_subproblem_free(&h.sorted);
    pt_free(h.start);
    pt_free(h.order);
    pt_free(h.links);
    pt_free(h.done);
    return status;
}
