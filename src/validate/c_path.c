/* Chains of points along C, for held-out scores: see c_path.h.
 *
 * Time: that of training at the smallest C, for every fold, and little for each further C; memory:
 * n^2 kernel values. */
#include "validate/c_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "kernels/kernel_params.h"

/* Kernel values beyond this are left to brute force, which needs no more than support vectors. */
static const double MOST_BYTES = 8e9;
/* Outputs of which all are below this come from kernel values close to where float32 ends, as in
 * expansion.c: they are computed again in double. */
static const double FAINT = 1e-30;

bool pt_c_path_serves(const pt_problem *problem, const pt_params *point)
{
    return !pt_kernel_is_joint(point) &&
           (pt_kernel_is_precomputed(point) ||
            pt_kernel_store_bytes(problem->rows.n, problem->rows.type) <= MOST_BYTES);
}

/* ---- outputs of held-out examples ------------------------------------------------------------ */

pt_status pt_c_values_init(pt_c_values *v, const pt_c_path *path, pt_error *err)
{
    const size_t scratch = path->wide ? pt_gram_scratch(path->wide, path->wide, 1, 1) : 0;
    *v = (pt_c_values){
        .scratch = pt_alloc((int64_t)scratch, 1, "a held-out fold", err),
        .row = pt_alloc((int64_t)pt_kernel_store_buffer(path->store, 1), 1, "a held-out fold", err),
        .value = pt_alloc(path->rows->n, sizeof(double), "a held-out fold", err)};
    return v->scratch && v->row && v->value ? PT_OK : PT_ENOMEM;
}

void pt_c_values_free(pt_c_values *v)
{
    pt_free(v->scratch);
    pt_free(v->row);
    pt_free(v->value);
}

pt_status pt_c_values_get(pt_c_values *v, const pt_c_path *path, int64_t i, const int64_t *support,
                          int64_t n_support, bool in_double, pt_error *err)
{
    const bool narrow = pt_kernel_store_type(path->store) == PT_F32;
    const void *row = NULL;
    for (int64_t s = 0; s < n_support && in_double; s++) {
        pt_gram_block(path->wide, i, 1, path->wide, support[s], 1, &v->value[s], 1, v->scratch);
        pt_kernel_map(&path->kernel, PT_F64, 1, 1, &v->value[s], 1);
    }
    if (in_double)
        return PT_OK;
    PT_TRY(pt_kernel_store_rows(path->store, &i, 1, v->row, &row, path->task, err));
    for (int64_t s = 0; s < n_support; s++)
        v->value[s] =
            narrow ? (double)((const float *)row)[support[s]] : ((const double *)row)[support[s]];
    return PT_OK;
}

bool pt_c_is_faint(const pt_c_path *path, const double *outputs, int64_t k)
{
    for (int64_t r = 0; r < k; r++)
        if (fabs(outputs[r]) >= FAINT)
            return false;
    return path->wide;
}

/* ---- a chain --------------------------------------------------------------------------------- */

typedef struct walker {
    pt_c_path path;
    const pt_c_walk *walk;
    void *self;
} walker;

static pt_status fold_body(void *context, int64_t fold, int worker, pt_error *err)
{
    (void)worker;
    const walker *w = context;
    return w->walk->fold(w->self, &w->path, fold, err);
}

/* A kernel that turns out not to be positive semidefinite, say, has no answer at the points of its
 * chain. */
static pt_status hand_over(walker *w, bool answered, pt_error *err)
{
    const pt_c_path *path = &w->path;
    const int64_t cells = path->problem->rows.n * pt_labels_n_classes(path->problem->labels);
    for (int64_t at = 0; at < path->n_links; at++)
        PT_TRY(w->walk->give(w->self, path, path->chain[at],
                             answered ? path->outputs + at * cells : NULL, err));
    return PT_OK;
}

static pt_status walk_partitions(walker *w, pt_error *err)
{
    pt_c_path *path = &w->path;
    const pt_partitions *partitions = path->partitions;
    pt_error own = {0};
    pt_status answer = w->walk->first(w->self, path, &own);
    pt_status status = PT_OK;
    for (int64_t p = 0; p < partitions->count && status == PT_OK; p++) {
        path->partition = p;
        if (answer == PT_OK)
            answer = pt_parallel_for(path->task, partitions->n_folds, fold_body, w, &own);
        if (answer != PT_OK && answer != PT_ENUMERIC) {
            if (err)
                *err = own;
            return answer;
        }
        status = hand_over(w, answer == PT_OK, err);
        pt_task_progress_whole(path->task, "cross-validating",
                               (double)(path->n_done * partitions->count + (p + 1) * path->n_links),
                               (double)(path->n_points * partitions->count));
    }
    return status;
}

/* ---- points ---------------------------------------------------------------------------------- */

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

typedef struct place {
    int64_t point;
    double C;
} place;

static int by_C(const void *a, const void *b)
{
    const place *x = a;
    const place *y = b;
    if (x->C != y->C)
        return x->C < y->C ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* path->chain <- all points that differ from `point` in C alone, by ascending C. */
static pt_status make_chain(pt_c_path *path, int64_t point, pt_error *err)
{
    PT_SCRATCH place *places = pt_alloc(path->n_points, sizeof *places, "grid points", err);
    if (!places)
        return PT_ENOMEM;
    path->n_links = 0;
    for (int64_t i = point; i < path->n_points; i++)
        if (!path->done[i] && same(path->points[point], path->points[i], true)) {
            places[path->n_links++] = (place){i, pt_params_real(path->points[i], PT_P_C)};
            path->done[i] = true;
        }
    qsort(places, (size_t)path->n_links, sizeof *places, by_C);
    for (int64_t at = 0; at < path->n_links; at++)
        path->chain[at] = places[at].point;
    return PT_OK;
}

static pt_status run_chain(walker *w, int64_t point, pt_error *err)
{
    pt_c_path *path = &w->path;
    const int64_t k = pt_labels_n_classes(path->problem->labels);
    PT_TRY(make_chain(path, point, err));
    PT_SCRATCH double *outputs = pt_alloc(path->n_links * path->problem->rows.n,
                                          (size_t)k * sizeof *outputs, "held-out outputs", err);
    if (!outputs)
        return PT_ENOMEM;
    path->outputs = outputs;
    pt_status status = w->walk->begin(w->self, path, err);
    if (status == PT_OK)
        status = walk_partitions(w, err);
    path->n_done += path->n_links;
    w->walk->end(w->self);
    path->outputs = NULL;
    return status;
}

static void close_kernel(pt_c_path **path)
{
    pt_gram_free((*path)->wide);
    pt_kernel_store_close((*path)->store);
    (*path)->wide = NULL;
    (*path)->store = NULL;
}

/* The points that share a kernel, with its values. */
static pt_status run_kernel(walker *w, int64_t point, pt_error *err)
{
    PT_FREED_BY(close_kernel) pt_c_path *path = &w->path;
    PT_TRY(pt_kernel_from_params(&path->kernel, path->points[point], err));
    PT_TRY(pt_kernel_store_open(&path->store, path->rows, &path->kernel, NULL,
                                (double)pt_task_memory(path->task), path->task, err));
    const pt_kernel_base base = path->kernel.ops->base;
    if (path->rows->type == PT_F32 &&
        (base == PT_BASE_SQUARED_DISTANCE || base == PT_BASE_L1_DISTANCE))
        PT_TRY(pt_gram_new(&path->wide, path->rows, base, PT_F64, path->task, err));
    for (int64_t i = point; i < path->n_points; i++)
        if (!path->done[i] && same(path->points[point], path->points[i], false))
            PT_TRY(run_chain(w, i, err));
    return PT_OK;
}

pt_status pt_c_path_run(const pt_problem *problem, const pt_rows *rows,
                        const pt_params *const *points, int64_t n_points,
                        const pt_partitions *partitions, const pt_c_walk *walk, void *self,
                        const pt_task *task, pt_error *err)
{
    walker w = {.path = {.problem = problem,
                         .rows = rows,
                         .points = points,
                         .n_points = n_points,
                         .partitions = partitions,
                         .task = task},
                .walk = walk,
                .self = self};
    w.path.done = pt_alloc_zero(n_points, sizeof(bool), "grid points", err);
    w.path.chain = pt_alloc(n_points, sizeof(int64_t), "grid points", err);
    pt_status status = w.path.done && w.path.chain ? PT_OK : PT_ENOMEM;
    pt_task_begin_whole(task);
    for (int64_t i = 0; i < n_points && status == PT_OK; i++)
        if (!w.path.done[i])
            status = run_kernel(&w, i, err);
    pt_task_end_whole(task);
    pt_free(w.path.chain);
    pt_free(w.path.done);
    return status;
}
