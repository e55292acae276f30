/* Chains of points along C, for held-out scores: see c_path.h.
 *
 * Time: that of training at the smallest C, for every fold, and little for each further C; memory:
 * n^2 kernel values. */
#include "validate/c_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
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

/* walker->value[s] <- the kernel value of a row with support row s; `in_double`: computed again in
 * double. */
static pt_status take_values(const pt_c_path *path, pt_c_walker *w, int64_t i, bool in_double,
                             pt_error *err)
{
    if (in_double) {
        for (int64_t s = 0; s < w->n_support; s++)
            PT_TRY(pt_gram_block(path->wide, i, 1, path->wide, w->support[s], 1, &w->value[s], 1,
                                 w->scratch, err));
        pt_kernel_map(&path->kernel, PT_F64, w->n_support, 1, w->value, w->n_support);
        return PT_OK;
    }
    const bool narrow = pt_kernel_store_type(path->store) == PT_F32;
    const void *row = NULL;
    PT_TRY(pt_kernel_store_rows(path->store, &i, 1, w->row, &row, path->task, err));
    for (int64_t s = 0; s < w->n_support; s++)
        w->value[s] = narrow ? (double)((const float *)row)[w->support[s]]
                             : ((const double *)row)[w->support[s]];
    return PT_OK;
}

static bool is_faint(const double *outputs, int64_t k)
{
    for (int64_t r = 0; r < k; r++)
        if (fabs(outputs[r]) >= FAINT)
            return false;
    return true;
}

pt_status pt_c_outputs(const pt_c_path *path, pt_c_walker *w, int64_t row, pt_error *err)
{
    PT_TRY(take_values(path, w, row, false, err));
    path->walk->sum(path->self, w);
    if (!path->wide || !is_faint(w->g, pt_labels_n_classes(path->problem->labels)))
        return PT_OK;
    PT_TRY(take_values(path, w, row, true, err));
    path->walk->sum(path->self, w);
    return PT_OK;
}

static int64_t example_of(const pt_c_path *path, int64_t row)
{
    return path->order ? path->order[row] : row;
}

/* path->outputs <- what the walker says of the rows of a fold at a link. */
static pt_status put_outputs(const pt_c_path *path, pt_c_walker *w, int64_t at, int64_t fold,
                             pt_error *err)
{
    const int64_t n = path->problem->rows.n;
    const int64_t k = pt_labels_n_classes(path->problem->labels);
    const int64_t *fold_of = path->partitions->fold[path->partition];
    w->n_support = 0;
    for (int64_t i = 0; i < n; i++)
        if (path->walk->is_support(path->self, w, i))
            w->support[w->n_support++] = i;
    memset(w->bias, 0, (size_t)k * sizeof *w->bias);
    if (path->walk->bias)
        PT_TRY(path->walk->bias(path->self, path, w, at, err));
    for (int64_t i = 0; i < n; i++) {
        const int64_t example = example_of(path, i);
        if (fold_of[example] != fold)
            continue;
        PT_TRY(pt_c_outputs(path, w, i, err));
        for (int64_t r = 0; r < k; r++)
            path->outputs[(at * n + example) * k + r] = w->g[r] + w->bias[r];
    }
    return PT_OK;
}

/* ---- a walker -------------------------------------------------------------------------------- */

static void walker_free(const pt_c_path *path, pt_c_walker *w)
{
    if (!w)
        return;
    path->walk->stop(w);
    pt_warnings_free(&w->said);
    pt_arena_free(&w->arena);
    pt_free(w);
}

/* *out, not NULL, is to be freed even after a failure. */
static pt_status walker_new(pt_c_walker **out, const pt_c_path *path, const pt_c_walker *from,
                            pt_error *err)
{
    static const char what[] = "a held-out fold";
    const int64_t n = path->problem->rows.n;
    const int64_t k = pt_labels_n_classes(path->problem->labels);
    const size_t scratch = path->wide ? pt_gram_scratch(path->wide, path->wide, 1, 1) : 0;
    pt_c_walker *w = *out = pt_alloc_zero(1, path->walk->walker, what, err);
    if (!w)
        return PT_ENOMEM;
    PT_TRY(PT_ARENA(&w->arena, what, err, PT_PIECE(w->bound, n), PT_PIECE(w->before, n),
                    PT_PIECE(w->support, n), PT_PIECE(w->value, n), PT_PIECE(w->g, k),
                    PT_PIECE(w->bias, k), {(void *)&w->scratch, (int64_t)scratch, 1},
                    {(void *)&w->row, (int64_t)pt_kernel_store_buffer(path->store, 1), 1}));
    memset(w->bound, 0, (size_t)n * sizeof *w->bound);
    return path->walk->start(path->self, w, from, err);
}

/* To link `at` without a fold (-1: with all examples). */
static pt_status step_to(const pt_c_path *path, pt_c_walker *w, int64_t at, int64_t without,
                         pt_error *err)
{
    const int64_t n = path->problem->rows.n;
    const int64_t *fold_of = path->partitions->fold[path->partition];
    const double C = pt_params_real(path->points[path->chain[at]], PT_P_C);
    memcpy(w->before, w->bound, (size_t)n * sizeof *w->bound);
    for (int64_t i = 0; i < n; i++) {
        const int64_t example = example_of(path, i);
        const bool out = without >= 0 && fold_of[example] == without;
        w->bound[i] = out ? 0 : C * pt_weight(path->problem->weight, example);
    }
    pt_warnings_free(&w->said);
    return path->walk->solve(path->self, path, w, at, at == 0, err);
}

/* ---- a chain --------------------------------------------------------------------------------- */

static pt_status walk_links(const pt_c_path *path, pt_c_walker *w, int64_t fold, int worker,
                            pt_error *err)
{
    const pt_partitions *parts = path->partitions;
    for (int64_t at = 0; at < path->n_links; at++) {
        PT_TRY(step_to(path, w, at, fold, err));
        PT_TRY(put_outputs(path, w, at, fold, err));
        if (!path->said)
            continue;
        const int64_t pair = path->chain[at] * parts->count + path->partition;
        PT_TRY(pt_remarks_note(&path->said[worker], pair * parts->n_folds + fold, &w->said, err));
    }
    return PT_OK;
}

/* Of another repetition, which has more folds, or of none: nothing is asked of it. */
static bool is_empty(const pt_c_path *path, int64_t fold)
{
    const int64_t *fold_of = path->partitions->fold[path->partition];
    for (int64_t i = 0; i < path->problem->rows.n; i++)
        if (fold_of[i] == fold)
            return false;
    return true;
}

static pt_status fold_body(void *context, int64_t fold, int worker, pt_error *err)
{
    const pt_c_path *path = context;
    pt_c_walker *w = NULL;
    if (is_empty(path, fold))
        return PT_OK;
    pt_status status = walker_new(&w, path, path->first, err);
    if (status == PT_OK)
        status = walk_links(path, w, fold, worker, err);
    walker_free(path, w);
    return status;
}

static pt_status hand_over(const pt_c_path *path, bool answered, pt_error *err)
{
    const int64_t cells = path->problem->rows.n * pt_labels_n_classes(path->problem->labels);
    for (int64_t at = 0; at < path->n_links; at++)
        PT_TRY(path->take(path->context, path->chain[at], path->partition,
                          answered ? path->outputs + at * cells : NULL, err));
    return PT_OK;
}

/* What the workers have noted in a partition, also up to a limit of time; of one without an answer
 * nothing, for which of its folds came so far is chance. */
static pt_status gather_remarks(const pt_c_path *path, bool answered, pt_error *err)
{
    pt_status status = PT_OK;
    for (int w = 0; path->said && w < path->workers; w++) {
        if (answered && status == PT_OK)
            status = pt_remarks_take(path->problem->remarks, &path->said[w], err);
        pt_remarks_free(&path->said[w]);
    }
    return status;
}

/* A kernel that turns out not to be positive semidefinite, say, has no answer at the points of its
 * chain. */
static pt_status walk_partitions(pt_c_path *path, pt_error *err)
{
    const pt_partitions *partitions = path->partitions;
    pt_error own = {0};
    path->partition = 0;
    pt_status answer = walker_new(&path->first, path, NULL, &own);
    if (answer == PT_OK)
        answer = step_to(path, path->first, 0, -1, &own);
    for (int64_t p = 0; p < partitions->count; p++) {
        path->partition = p;
        if (answer == PT_OK)
            answer = pt_parallel_for_at_most(path->task, path->workers, partitions->n_folds,
                                             fold_body, path, &own);
        PT_TRY(gather_remarks(path, answer != PT_ENUMERIC, err));
        if (answer != PT_OK && answer != PT_ENUMERIC) {
            pt_error_copy(err, &own);
            return answer;
        }
        PT_TRY(hand_over(path, answer == PT_OK, err));
        pt_task_progress_whole(path->task, "cross-validating",
                               (double)(path->n_done * partitions->count + (p + 1) * path->n_links),
                               (double)(path->n_points * partitions->count));
    }
    return PT_OK;
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

static pt_status run_chain(pt_c_path *path, int64_t point, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(path->problem->labels);
    PT_TRY(make_chain(path, point, err));
    PT_SCRATCH double *outputs =
        pt_alloc_zero(path->n_links * path->problem->rows.n, (size_t)k * sizeof *outputs,
                      "held-out outputs", err);
    if (!outputs)
        return PT_ENOMEM;
    path->outputs = outputs;
    pt_status status = path->walk->begin ? path->walk->begin(path->self, path, err) : PT_OK;
    if (status == PT_OK)
        status = walk_partitions(path, err);
    path->n_done += path->n_links;
    walker_free(path, path->first);
    path->first = NULL;
    if (path->walk->end)
        path->walk->end(path->self);
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
static pt_status run_kernel(pt_c_path *asked, int64_t point, pt_error *err)
{
    PT_FREED_BY(close_kernel) pt_c_path *path = asked;
    PT_TRY(pt_kernel_from_params(&path->kernel, path->points[point], err));
    PT_TRY(pt_kernel_store_open(&path->store, path->rows, &path->kernel, NULL,
                                (double)pt_task_memory(path->task), path->task, err));
    const pt_kernel_base base = path->kernel.ops->base;
    if (path->rows->type == PT_F32 &&
        (base == PT_BASE_SQUARED_DISTANCE || base == PT_BASE_L1_DISTANCE))
        PT_TRY(pt_gram_new(&path->wide, path->rows, path->kernel.ops, PT_F64, path->task, err));
    for (int64_t i = point; i < path->n_points; i++)
        if (!path->done[i] && same(path->points[point], path->points[i], false))
            PT_TRY(run_chain(path, i, err));
    return PT_OK;
}

static pt_status run_kernels(pt_c_path *path, pt_error *err)
{
    for (int64_t i = 0; i < path->n_points; i++)
        if (!path->done[i])
            PT_TRY(run_kernel(path, i, err));
    return PT_OK;
}

pt_status pt_c_path_run(pt_c_path *path, pt_error *err)
{
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    path->workers = pt_parallel_workers(path->task, path->partitions->n_folds);
    PT_TRY(PT_ARENA(&arena, "grid points", err, PT_PIECE(path->done, path->n_points),
                    PT_PIECE(path->chain, path->n_points), PT_PIECE(path->said, path->workers)));
    memset(path->done, 0, (size_t)path->n_points * sizeof *path->done);
    memset(path->said, 0, (size_t)path->workers * sizeof *path->said);
    if (!path->problem->remarks)
        path->said = NULL;
    pt_task_begin_whole(path->task);
    const pt_status status = run_kernels(path, err);
    pt_task_end_whole(path->task);
    return status;
}
