/* Held-out scores of vo-LSSVM: orders, memory, workers and precision. What is computed at a point
 * is in vo_holdout_point.c. */
#include "machines/squares/vo_holdout.h"

#include <math.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "kernels/gram.h"
#include "machines/squares/vector_machine.h"
#include "machines/squares/vo_holdout_point.h"
#include "validate/validate.h"

/* ---- a pass ---------------------------------------------------------------------------------- */

static void worker_free(pt_vo_worker *w)
{
    pt_free(w->H);
    pt_free(w->beta);
    pt_free(w->T);
    pt_free(w->Y);
    pt_free(w->U);
    pt_free(w->V);
    pt_free(w->small);
    pt_free(w->right);
    pt_free(w->panel);
    pt_free(w->member);
    pt_free(w->first);
    pt_free(w->scores);
    pt_free(w->chunks);
}

static pt_status worker_init(const pt_vo_pass *p, pt_vo_worker *w, pt_error *err)
{
    const size_t column = (size_t)p->n * p->size;
    const size_t small = (size_t)p->largest * p->size;
    const int64_t panel = p->factor_route ? p->largest : 0;
    w->beta = pt_alloc(1, column, "held-out coefficients", err);
    w->T = pt_alloc(p->columns, column, "held-out coefficients", err);
    w->Y = pt_alloc(p->factor_route ? p->columns : 0, column, "held-out coefficients", err);
    w->U = pt_alloc(p->columns, column, "held-out coefficients", err);
    w->V = pt_alloc(p->columns, column, "held-out coefficients", err);
    w->small = pt_alloc(p->largest, small, "a fold's matrix", err);
    w->right = pt_alloc(1, small, "a fold's right-hand side", err);
    w->panel = pt_alloc(panel, column, "a fold's columns", err);
    w->member = pt_alloc(p->n, sizeof(int64_t), "a fold's rows", err);
    w->first = pt_alloc(p->partitions->n_folds + 1, sizeof(int64_t), "a fold's rows", err);
    w->scores = pt_alloc_zero(p->partitions->count * p->n, (size_t)p->k * sizeof(double),
                              "held-out scores", err);
    w->chunks = pt_alloc(p->n_rooms, pt_vo_chunk_bytes(p), "kernel values", err);
    return w->beta && w->T && w->Y && w->U && w->V && w->small && w->right && w->panel &&
                   w->member && w->first && w->scores && w->chunks
               ? PT_OK
               : PT_ENOMEM;
}

static double worker_bytes(const pt_vo_pass *p)
{
    const double column = (double)p->n * (double)p->size;
    const double largest = (double)p->largest;
    return (double)pt_tiles_bytes(p->n, p->type) +
           (double)p->columns * column * (p->factor_route ? 4 : 3) +
           largest * largest * (double)p->size + (p->factor_route ? largest * column : 0) +
           8.0 * (double)p->partitions->count * (double)p->n * (double)p->k +
           (double)p->n_rooms * (double)pt_vo_chunk_bytes(p) + 64.0 * (double)p->n;
}

/* Chunks of at most PT_VO_CHUNK rows; those of leave-one-out have one class. */
static void list_chunks(pt_vo_pass *p)
{
    p->n_chunks = 0;
    for (int64_t i = 0; i < p->n;) {
        int64_t end = p->loo ? p->class_first[p->problem->class_of[i] + 1] : p->n;
        end = end < i + PT_VO_CHUNK ? end : i + PT_VO_CHUNK;
        p->chunk_first[p->n_chunks++] = i;
        i = end;
    }
    p->chunk_first[p->n_chunks] = p->n;
}

static pt_status pass_lists(pt_vo_pass *p, pt_error *err)
{
    const int64_t count = p->partitions->count;
    const int64_t n_folds = p->partitions->n_folds;
    p->place = pt_alloc(p->n, sizeof(int64_t), "rows", err);
    p->class_first = pt_alloc_zero(p->k + 1, sizeof(int64_t), "classes", err);
    p->column = pt_alloc(p->n * count, sizeof(int64_t), "folds", err);
    p->chunk_first = pt_alloc(p->n + 1, sizeof(int64_t), "rows", err);
    PT_SCRATCH int64_t *size = pt_alloc_zero(count * n_folds, sizeof *size, "folds", err);
    if (!p->place || !p->class_first || !p->column || !p->chunk_first || !size)
        return PT_ENOMEM;
    p->largest = 1;
    for (int64_t i = 0; i < p->n; i++) {
        p->place[i] = pt_vo_place(p->base, i);
        p->class_first[p->problem->class_of[i] + 1]++;
        for (int64_t q = 0; q < count; q++) {
            const bool held = pt_is_held(p->partitions, q, p->order[i]);
            const int64_t column =
                held ? q * n_folds + p->partitions->fold[q][p->order[i]] : PT_NEVER_HELD;
            p->column[q * p->n + i] = column;
            if (held && ++size[column] > p->largest)
                p->largest = size[column];
        }
    }
    for (int64_t c = 0; c < p->k; c++)
        p->class_first[c + 1] += p->class_first[c];
    list_chunks(p);
    return PT_OK;
}

static void pass_free(pt_vo_pass *p)
{
    for (int i = 0; i < p->n_workers; i++)
        worker_free(&p->workers[i]);
    pt_free(p->workers);
    pt_free(p->chunk_first);
    pt_free(p->column);
    pt_free(p->class_first);
    pt_free(p->place);
}

/* A worker for every thread that the loop over points will have; where there is one point, or
 * memory does not allow more, one: the threads then work inside a point. */
static pt_status pass_workers(pt_vo_pass *p, pt_error *err)
{
    const double base = (double)pt_tiles_bytes(p->n, p->type);
    int workers = pt_parallel_workers(p->task, p->n_chosen);
    p->n_rooms = 1;
    if (base + workers * worker_bytes(p) > p->budget)
        workers = 1;
    if (workers == 1)
        p->n_rooms = pt_parallel_workers(p->task, p->n_chunks);
    PT_TRY(pt_ls_check_budget(base + worker_bytes(p), p->budget, err));
    p->workers = pt_alloc_zero(workers, sizeof(pt_vo_worker), "workers", err);
    if (!p->workers)
        return PT_ENOMEM;
    p->n_workers = workers;
    for (int i = 0; i < workers; i++)
        PT_TRY(worker_init(p, &p->workers[i], err));
    return PT_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* What both passes share. */
typedef struct vo_points {
    const pt_vo_pass *shape;
    int64_t n_points;
} vo_points;

/* The largest element of P at a point. */
static pt_status largest_product(const pt_vo_pass *p, int64_t point, double *largest, pt_error *err)
{
    PT_FREED_BY(pt_label_space_free) pt_label_space space = {0};
    PT_TRY(pt_label_space_init(&space, p->points[point].params, p->k, p->size_of,
                               p->source->label_gram, true, err));
    *largest = 0;
    for (int64_t r = 0; r < p->k; r++)
        *largest = fmax(*largest, space.Q[r * p->k + r]);
    return PT_OK;
}

/* P o K + gamma W^-1 is about P's largest element times a matrix K with a ridge as much smaller. */
static pt_status need_double(void *self, const pt_tiles *base, bool *need, pt_error *err)
{
    const vo_points *v = self;
    const pt_vo_pass *p = v->shape;
    PT_SCRATCH pt_ls_point *plain = pt_alloc(v->n_points, sizeof *plain, "grid points", err);
    if (!plain)
        return PT_ENOMEM;
    double heaviest = 0; /* weight */
    for (int64_t i = 0; p->problem->weight && i < p->n; i++)
        heaviest = fmax(heaviest, p->problem->weight[i]);
    for (int64_t i = 0; i < v->n_points; i++) {
        double largest = 0;
        PT_TRY(largest_product(p, i, &largest, err));
        plain[i] = p->points[i].ls;
        plain[i].ridge /= largest > 0 ? largest : 1;
        plain[i].offset = p->points[i].rule == PT_BIAS_PENALISED;
    }
    return pt_ls_need_double(need, base, plain, v->n_points, heaviest > 0 ? 1 / heaviest : 1,
                             p->task, err);
}

static pt_status run_pass(void *self, pt_tiles *base, const int64_t *chosen, int64_t n_chosen,
                          pt_error *err)
{
    PT_FREED_BY(pass_free) pt_vo_pass p = *((const vo_points *)self)->shape;
    p.chosen = chosen;
    p.n_chosen = n_chosen;
    p.base = base;
    p.type = base->type;
    p.size = pt_type_size(base->type);
    PT_TRY(pass_lists(&p, err));
    PT_TRY(pass_workers(&p, err));
    return pt_ls_run_points(n_chosen, p.n_workers, pt_vo_run_point, &p, p.task, err);
}

static pt_status holdout_kernel(const pt_problem *problem, const pt_vo_point *points,
                                int64_t n_points, const pt_partitions *partitions,
                                pt_holdout_fn take, void *context, const pt_task *task,
                                pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const pt_ls_problem plain = {&problem->rows, problem->labels->class_of, k, problem->weight,
                                 NULL};
    const bool loo = partitions->n_folds == n && partitions->count == 1;
    PT_FREED_BY(pt_ls_ordered_free) pt_ls_ordered o = {0};
    PT_SCRATCH double *size_of = pt_alloc(k, sizeof(double), "class sizes", err);
    if (!size_of)
        return PT_ENOMEM;
    PT_TRY(pt_ls_ordered_init(&o, &plain, plain.class_of, k, task, err));
    if (points[0].ls.kernel.ops->base == PT_BASE_ROW)
        PT_TRY(pt_rows_take_columns(&o.rows, o.order, n, task, err));
    pt_class_sizes(problem, NULL, 0, size_of);
    const pt_vo_pass shape = {.source = problem,
                              .problem = &o.problem,
                              .size_of = size_of,
                              .points = points,
                              .partitions = partitions,
                              .take = take,
                              .context = context,
                              .task = task,
                              .budget = (double)pt_task_memory(task),
                              .n = n,
                              .k = k,
                              .loo = loo,
                              .factor_route = !loo && 3 * partitions->count < partitions->n_folds,
                              .columns = loo ? 1 : partitions->count * partitions->n_folds,
                              .order = o.order};
    vo_points v = {&shape, n_points};
    return pt_ls_two_passes(&(pt_ls_passes){points[0].ls.kernel.ops, o.rows.rows.type, shape.budget,
                                            shape.factor_route, need_double, run_pass, &v},
                            &o.rows.rows, n_points, task, err);
}

/* ---- the door -------------------------------------------------------------------------------- */

pt_status pt_vo_holdout(const pt_problem *problem, const pt_vo_point *points, int64_t n_points,
                        const pt_partitions *partitions, pt_holdout_fn take, void *context,
                        const pt_task *task, pt_error *err)
{
    int64_t end = 0;
    for (int64_t first = 0; first < n_points; first = end) {
        const pt_kernel_ops *ops = points[first].ls.kernel.ops;
        while (end < n_points && points[end].ls.kernel.ops == ops)
            end++;
        pt_point_numbers numbered = {take, context, first, NULL};
        PT_TRY(holdout_kernel(problem, points + first, end - first, partitions, pt_take_numbered,
                              &numbered, task, err));
    }
    return PT_OK;
}
