/* Exact held-out outputs of the dual least-squares machine in closed form.
 *
 * Let C = (K + gamma W^-1)^-1, F a held-out fold, R the rest and E the class indicators. The
 * outputs on F of the machine trained without F are
 *
 *     f_F = -(C_FF)^-1 C_FR E_R .
 *
 * (Block elimination in (K + gamma W^-1) C = I gives (K_RR + ..)^-1 K_RF = -C_RF C_FF^-1.) E_F
 * never enters: the textbook form E_F - (C_FF)^-1 (C E)_F is the same in exact arithmetic, but
 * where outputs are tiny its rounding carries a label into its own prediction. For the same reason
 * sums over "the other folds" are formed from the others, never as the total minus the own.
 *
 * One factorisation L L^T = K + gamma W^-1 serves all folds and all partitions of a point; one
 * matrix of base values (distances) serves all points. Two routes:
 *
 *   factor   few folds, one partition. Examples are ordered by fold; Z = L^-1, C_FF = Z_F^T Z_F
 *            for the columns Z_F, C_FR E_R = Z_F^T sum_{F' != F} Z_F' E_F'.
 *            Time n^3/3 + n^3/3 + n^3 / folds.
 *   inverse  several partitions, or leave-one-out. Examples are ordered by class; C = Z^T Z in
 *            place; for each partition C_FR E_R is a sum of C's entries by class, O(n^2), and C_FF
 *            is gathered. Time n^3 + partitions (n^2 + n^3 / folds^2 / 3).
 *
 *   base   n x n lower tiles: distances or inner products, shared by all points
 *   work   n x n lower tiles, one per worker: K, then L, then Z, then C
 *
 * Precision. A point runs in float32 unless its matrix is too ill-conditioned for that, or its
 * kernel so narrow that nearest neighbours underflow; such points run in double in a second
 * pass. */
#include "machines/ls_holdout.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "kernels/gram.h"
#include "linalg/linalg.h"
#include "machines/class_sums.h"

/* Above this estimate of the condition number, float32 (1.2e-7) leaves outputs good to about a
 * percent in the worst case. */
static const double FLOAT_CONDITION = 1e5;
/* float32 exp(-v) is denormal from here on. */
static const double FLOAT_EXPONENT = 85;
/* The factor route holds n x k sums for each fold. */
enum { FACTOR_ROUTE_FOLDS = 32 };

typedef struct pass pass;

/* Scratch of one worker. */
typedef struct worker {
    pt_tiles *work;
    char *panel;    /* n x largest fold: columns of Z (factor route) */
    char *targets;  /* largest fold x k: E_F */
    char *moments;  /* folds x n x k: Z_F E_F (factor route), or k x n class sums */
    char *others;   /* n x k: sum over the other folds */
    char *small;    /* largest fold squared: C_FF */
    char *right;    /* largest fold x k: right-hand sides, then outputs */
    int64_t *place; /* largest fold: where the rows of a fold lie in the tiles */
    double *scores; /* n x k row-major, in the caller's order */
} worker;

/* All points of one precision. */
struct pass {
    const pt_ls_problem *problem; /* rows and classes in our order */
    const pt_ls_point *points;
    const int64_t *chosen; /* which points belong to this pass */
    int64_t n_chosen;
    const pt_partitions *partitions;
    pt_holdout_fn take;
    void *context;
    const pt_task *task;

    double budget; /* bytes that may be used, base included */
    pt_type type;
    size_t size; /* of an element */
    int64_t n;
    int64_t k;
    bool factor_route;
    int64_t largest; /* fold */
    pt_tiles *base;
    double *inverse_weight;
    const int64_t *order; /* our position -> the caller's row */
    int32_t *class32;     /* by our position */
    int32_t *fold32;      /* partitions x n, by our position */
    int64_t *members;     /* partitions x n: positions sorted by fold */
    int64_t *first;       /* partitions x (n_folds + 1): where a fold begins in members */
    worker *workers;
    int n_workers;
};

static char *at(const pass *p, char *base, int64_t element)
{
    return base + (size_t)element * p->size;
}

static double element(const pass *p, const void *values, int64_t place)
{
    return p->type == PT_F32 ? (double)((const float *)values)[place]
                             : ((const double *)values)[place];
}

static void set_element(const pass *p, void *values, int64_t place, double value)
{
    if (p->type == PT_F32)
        ((float *)values)[place] = (float)value;
    else
        ((double *)values)[place] = value;
}

/* ---- one point: K, L, Z, C ---------------------------------------------------------------- */

typedef struct mapping {
    const pass *p;
    pt_tiles *work;
    const pt_kernel *kernel;
} mapping;

static pt_status map_tile(void *context, int64_t t, int worker_number, pt_error *err)
{
    (void)worker_number;
    (void)err;
    const mapping *m = context;
    int64_t I = 0;
    int64_t J = 0;
    pt_tiles_place(m->work, t, &I, &J);
    void *tile = pt_tile_at(m->work, I, J);
    const size_t bytes = (size_t)(m->work->nb * pt_tile_rows(m->work, J)) * m->p->size;
    memcpy(tile, pt_tile_at(m->p->base, I, J), bytes);
    pt_kernel_map(m->kernel, m->p->type, pt_tile_rows(m->work, I), pt_tile_rows(m->work, J), tile,
                  m->work->nb);
    return PT_OK;
}

/* work <- L^-1 for the point, or PT_ENUMERIC. */
static pt_status invert_point(const pass *p, const pt_ls_point *point, pt_tiles *work,
                              pt_error *err)
{
    mapping m = {p, work, &point->kernel};
    int64_t bad_row = 0;
    pt_status status = pt_parallel_for(p->task, pt_tiles_count(work), map_tile, &m, err);
    if (status != PT_OK)
        return status;
    pt_tiles_add_diagonal(work, point->ridge, p->inverse_weight);
    status = pt_la_cholesky(work, &bad_row, p->task, err);
    if (status == PT_OK)
        status = pt_la_invert_factor(work, p->task, err);
    return status;
}

/* ---- held-out outputs of one fold, given C_FF and the right-hand sides --------------------- */

/* right <- -(C_FF)^-1 right, into the caller's rows of scores. False if C_FF is not positive
 * definite, which rounding can do where the whole matrix just was. */
static bool finish_fold(const pass *p, worker *w, int64_t partition, int64_t fold)
{
    const int64_t n_folds = p->partitions->n_folds;
    const int64_t *first = p->first + partition * (n_folds + 1);
    const int64_t *members = p->members + partition * p->n + first[fold];
    const int64_t m = first[fold + 1] - first[fold];
    if (!pt_la_dense_cholesky(p->type, m, w->small, m))
        return false;
    pt_la_dense_cholesky_solve(p->type, m, p->k, w->small, m, w->right, m);
    for (int64_t a = 0; a < m; a++) {
        double *row = w->scores + p->order[members[a]] * p->k;
        for (int64_t r = 0; r < p->k; r++)
            row[r] = -element(p, w->right, r * m + a);
    }
    return true;
}

/* ---- the factor route ------------------------------------------------------------------------ */

/* panel <- columns first .. first+m of the lower triangular Z, rows from `first` on (those above
 * are zero); its leading dimension is n. */
static void copy_columns(const pass *p, const pt_tiles *Z, int64_t first, int64_t m, char *panel)
{
    for (int64_t a = 0; a < m; a++) {
        const int64_t column = first + a;
        const int64_t J = column / Z->nb;
        const int64_t inside = column % Z->nb;
        char *to = at(p, panel, a * p->n);
        memset(to, 0, (size_t)a * p->size);
        for (int64_t I = J; I < Z->side; I++) {
            const int64_t skip = I == J ? inside : 0;
            const char *from = pt_tile_at(Z, I, J);
            memcpy(at(p, to, I * Z->nb + skip - first),
                   from + (size_t)(inside * Z->nb + skip) * p->size,
                   (size_t)(pt_tile_rows(Z, I) - skip) * p->size);
        }
    }
}

/* E_F as a matrix of the factor's type. */
static void fill_targets(const pass *p, int64_t first, int64_t m, char *targets)
{
    memset(targets, 0, (size_t)(m * p->k) * p->size);
    for (int64_t a = 0; a < m; a++)
        set_element(p, targets, p->class32[first + a] * m + a, 1);
}

/* others <- sum over F' != F of Z_F' E_F', rows from `first` on: Z_F' has no others from its own
 * first row on. */
static void sum_other_folds(const pass *p, worker *w, int64_t fold)
{
    const int64_t n = p->n;
    const int64_t first = p->first[fold];
    memset(w->others, 0, (size_t)(n * p->k) * p->size);
    for (int64_t g = 0; g < p->partitions->n_folds; g++) {
        const int64_t from = p->first[g] > first ? p->first[g] : first;
        for (int64_t r = 0; r < p->k && g != fold; r++)
            pt_la_axpy(p->type, n - from, 1, at(p, w->moments, (g * p->k + r) * n + from),
                       at(p, w->others, r * n + from));
    }
}

/* The examples are ordered by fold, so that fold F is positions first[F] .. first[F+1]. */
static pt_status folds_from_factor(const pass *p, worker *w, bool *fine, pt_error *err)
{
    const int64_t n = p->n;
    const int64_t k = p->k;
    for (int64_t fold = 0; fold < p->partitions->n_folds; fold++) {
        const int64_t first = p->first[fold];
        const int64_t m = p->first[fold + 1] - first;
        copy_columns(p, w->work, first, m, w->panel);
        fill_targets(p, first, m, w->targets);
        pt_la_gemm(p->type, 'n', 'n', n - first, k, m, 1, w->panel, n, w->targets, m, 0,
                   at(p, w->moments, fold * n * k + first), n);
    }
    for (int64_t fold = 0; fold < p->partitions->n_folds; fold++) {
        const int64_t first = p->first[fold];
        const int64_t m = p->first[fold + 1] - first;
        if (m == 0)
            continue;
        pt_status status = pt_task_check(p->task, err);
        if (status != PT_OK)
            return status;
        copy_columns(p, w->work, first, m, w->panel);
        sum_other_folds(p, w, fold);
        pt_la_backend()->syrk(p->type, 't', m, n - first, 1, w->panel, n, 0, w->small, m);
        pt_la_gemm(p->type, 't', 'n', m, k, n - first, 1, w->panel, n, at(p, w->others, first), n,
                   0, w->right, m);
        *fine = *fine && finish_fold(p, w, 0, fold);
    }
    return PT_OK;
}

/* ---- the inverse route ------------------------------------------------------------------------
 */

typedef struct summing {
    const pass *p;
    worker *w;
    const int32_t *fold32;
} summing;

/* Class sums of the rows of block I, over all columns. */
static pt_status sum_block(void *context, int64_t I, int worker_number, pt_error *err)
{
    (void)worker_number;
    (void)err;
    const summing *s = context;
    const pass *p = s->p;
    const pt_tiles *C = s->w->work;
    const int64_t nb = C->nb;
    const int64_t rows = pt_tile_rows(C, I);
    char *sums = at(p, s->w->moments, I * nb);
    for (int64_t J = 0; J < C->side; J++) {
        const int64_t columns = pt_tile_rows(C, J);
        const int32_t *fold_I = s->fold32 + I * nb;
        const int32_t *fold_J = s->fold32 + J * nb;
        const int32_t *class_J = p->class32 + J * nb;
        if (J <= I)
            pt_class_sums_rows(p->type, pt_tile_at(C, I, J), nb, rows, columns, fold_I, fold_J,
                               class_J, sums, p->n);
        else
            pt_class_sums_columns(p->type, pt_tile_at(C, J, I), nb, columns, rows, fold_J, fold_I,
                                  class_J, sums, p->n);
    }
    return PT_OK;
}

/* Diagonal tiles get their upper triangle, so that a block of rows can be read whole. */
static void mirror_diagonal_tiles(const pass *p, pt_tiles *C)
{
    for (int64_t I = 0; I < C->side; I++) {
        char *tile = pt_tile_at(C, I, I);
        const int64_t rows = pt_tile_rows(C, I);
        for (int64_t j = 0; j < rows; j++)
            for (int64_t i = j + 1; i < rows; i++)
                memcpy(at(p, tile, i * C->nb + j), at(p, tile, j * C->nb + i), p->size);
    }
}

/* small <- C_FF (lower triangle), right <- C_FR E_R, for elements of type T. A block row of tiles
 * is one column-major matrix, so that place[a] finds row members[a] in it and a column is nb
 * further. */
#define DEFINE_GATHER(T, suffix)                                                             \
    static void gather_##suffix(const pass *p, worker *w, const int64_t *members, int64_t m) \
    {                                                                                        \
        const T *C = w->work->value;                                                         \
        const T *sums = (const T *)w->moments;                                               \
        T *small = (T *)w->small;                                                            \
        T *right = (T *)w->right;                                                            \
        for (int64_t b = 0; b < m; b++) /* members ascend: a >= b is the lower triangle */   \
            for (int64_t a = b; a < m; a++)                                                  \
                small[b * m + a] = C[w->place[a] + members[b] * w->work->nb];                \
        for (int64_t r = 0; r < p->k; r++)                                                   \
            for (int64_t a = 0; a < m; a++)                                                  \
                right[r * m + a] = sums[r * p->n + members[a]];                              \
    }

DEFINE_GATHER(float, f32)
DEFINE_GATHER(double, f64)

static void gather_fold(const pass *p, worker *w, const int64_t *members, int64_t m)
{
    const pt_tiles *C = w->work;
    for (int64_t a = 0; a < m; a++) {
        const char *row_block = pt_tile_at(C, members[a] / C->nb, 0);
        w->place[a] = (row_block - (const char *)C->value) / (int64_t)p->size + members[a] % C->nb;
    }
    if (p->type == PT_F32)
        gather_f32(p, w, members, m);
    else
        gather_f64(p, w, members, m);
}

static void leave_one_out(const pass *p, worker *w)
{
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t I = i / w->work->nb;
        const int64_t inside = i % w->work->nb;
        const double c_ii = element(p, pt_tile_at(w->work, I, I), inside * w->work->nb + inside);
        double *row = w->scores + p->order[i] * p->k;
        for (int64_t r = 0; r < p->k; r++)
            row[r] = -element(p, w->moments, r * p->n + i) / c_ii;
    }
}

/* One partition, given C in w->work. */
static pt_status partition_from_inverse(const pass *p, worker *w, int64_t partition, bool *fine,
                                        pt_error *err)
{
    const int64_t n_folds = p->partitions->n_folds;
    summing s = {p, w, p->fold32 + partition * p->n};
    memset(w->moments, 0, (size_t)(p->n * p->k) * p->size);
    pt_status status = pt_parallel_for(p->task, w->work->side, sum_block, &s, err);
    if (status != PT_OK)
        return status;
    if (n_folds == p->n) {
        leave_one_out(p, w);
        return PT_OK;
    }
    const int64_t *first = p->first + partition * (n_folds + 1);
    for (int64_t fold = 0; fold < n_folds && *fine; fold++) {
        const int64_t m = first[fold + 1] - first[fold];
        if (m == 0)
            continue;
        gather_fold(p, w, p->members + partition * p->n + first[fold], m);
        *fine = finish_fold(p, w, partition, fold);
    }
    return PT_OK;
}

/* ---- a point --------------------------------------------------------------------------------- */

static pt_status run_point(void *context, int64_t index, int worker_number, pt_error *err)
{
    const pass *p = context;
    worker *w = &p->workers[worker_number];
    const int64_t point = p->chosen[index];
    bool fine = true;
    pt_status status = invert_point(p, &p->points[point], w->work, err);
    if (status == PT_OK && !p->factor_route) {
        status = pt_la_factor_square(w->work, p->task, err);
        if (status == PT_OK)
            mirror_diagonal_tiles(p, w->work);
    }
    if (status == PT_ENUMERIC)
        fine = false;
    else if (status != PT_OK)
        return status;

    status = PT_OK;
    for (int64_t partition = 0; partition < p->partitions->count && status == PT_OK; partition++) {
        if (fine && p->factor_route)
            status = folds_from_factor(p, w, &fine, err);
        else if (fine)
            status = partition_from_inverse(p, w, partition, &fine, err);
        if (status == PT_OK)
            status = p->take(p->context, point, partition, fine ? w->scores : NULL, err);
    }
    return status;
}

/* ---- a pass ------------------------------------------------------------------------------------
 */

static void worker_free(worker *w)
{
    pt_tiles_free(w->work);
    pt_free(w->panel);
    pt_free(w->targets);
    pt_free(w->moments);
    pt_free(w->others);
    pt_free(w->small);
    pt_free(w->right);
    pt_free(w->place);
    pt_free(w->scores);
}

static pt_status worker_init(const pass *p, worker *w, pt_error *err)
{
    const int64_t sets = p->factor_route ? p->partitions->n_folds : 1;
    const size_t column = (size_t)p->n * p->size;
    const size_t small = (size_t)p->largest * p->size;
    pt_status status = pt_tiles_new(&w->work, p->n, p->type, err);
    if (status != PT_OK)
        return status;
    w->moments = pt_alloc(sets * p->k, column, "held-out sums", err);
    w->small = pt_alloc(p->largest, small, "a fold's matrix", err);
    w->right = pt_alloc(p->k, small, "a fold's right-hand sides", err);
    w->place = pt_alloc(p->largest, sizeof(int64_t), "a fold's rows", err);
    w->scores = pt_alloc(p->n, (size_t)p->k * sizeof(double), "held-out scores", err);
    if (!w->moments || !w->small || !w->right || !w->place || !w->scores)
        return PT_ENOMEM;
    if (p->factor_route) {
        w->panel = pt_alloc(p->largest, column, "a fold's columns", err);
        w->targets = pt_alloc(p->k, small, "a fold's targets", err);
        w->others = pt_alloc(p->k, column, "held-out sums", err);
        if (!w->panel || !w->targets || !w->others)
            return PT_ENOMEM;
    }
    return PT_OK;
}

static double worker_bytes(const pass *p)
{
    const double sets = p->factor_route ? (double)p->partitions->n_folds + 1 : 1;
    const double column = (double)p->n * (double)p->size;
    return (double)pt_tiles_bytes(p->n, p->type) + sets * (double)p->k * column +
           (p->factor_route ? (double)p->largest * column : 0) +
           (double)p->largest * (double)(p->largest + 2 * p->k) * (double)p->size +
           8.0 * (double)p->n * (double)p->k;
}

/* Positions sorted by fold, for every partition. */
static void list_members(const pass *p)
{
    const int64_t n_folds = p->partitions->n_folds;
    for (int64_t q = 0; q < p->partitions->count; q++) {
        int64_t *first = p->first + q * (n_folds + 1);
        const int32_t *fold = p->fold32 + q * p->n;
        memset(first, 0, (size_t)(n_folds + 1) * sizeof *first);
        for (int64_t i = 0; i < p->n; i++)
            first[fold[i] + 1]++;
        for (int64_t f = 0; f < n_folds; f++)
            first[f + 1] += first[f];
        int64_t *members = p->members + q * p->n;
        for (int64_t i = 0; i < p->n; i++)
            members[first[fold[i]]++] = i;
        for (int64_t f = n_folds; f > 0; f--)
            first[f] = first[f - 1];
        first[0] = 0;
    }
}

static int64_t largest_fold(const pass *p)
{
    const int64_t n_folds = p->partitions->n_folds;
    int64_t largest = 1;
    for (int64_t q = 0; q < p->partitions->count; q++)
        for (int64_t f = 0; f < n_folds; f++) {
            const int64_t *first = p->first + q * (n_folds + 1) + f;
            if (first[1] - first[0] > largest)
                largest = first[1] - first[0];
        }
    return largest;
}

static pt_status pass_lists(pass *p, pt_error *err)
{
    const int64_t count = p->partitions->count;
    const int64_t n_folds = p->partitions->n_folds;
    p->class32 = pt_alloc(p->n, sizeof(int32_t), "classes", err);
    p->fold32 = pt_alloc(p->n * count, sizeof(int32_t), "folds", err);
    p->members = pt_alloc(p->n * count, sizeof(int64_t), "folds", err);
    p->first = pt_alloc((n_folds + 1) * count, sizeof(int64_t), "folds", err);
    if (!p->class32 || !p->fold32 || !p->members || !p->first)
        return PT_ENOMEM;
    for (int64_t i = 0; i < p->n; i++)
        p->class32[i] = (int32_t)p->problem->class_of[i];
    for (int64_t q = 0; q < count; q++)
        for (int64_t i = 0; i < p->n; i++)
            p->fold32[q * p->n + i] = (int32_t)p->partitions->fold[q][p->order[i]];
    list_members(p);
    p->largest = n_folds == p->n ? 1 : largest_fold(p);
    return pt_ls_inverse_weights(&p->inverse_weight, p->problem->weight, p->n, err);
}

static void pass_free(pass *p)
{
    for (int i = 0; i < p->n_workers; i++)
        worker_free(&p->workers[i]);
    pt_free(p->workers);
    pt_free(p->inverse_weight);
    pt_free(p->first);
    pt_free(p->members);
    pt_free(p->fold32);
    pt_free(p->class32);
}

static pt_status check_budget(double need, double budget, pt_error *err)
{
    if (need <= budget)
        return PT_OK;
    return pt_fail(err, PT_ELIMIT,
                   "held-out scores need %.3g GB and %.3g GB may be used; raise --memory or use "
                   "fewer rows",
                   need / 1e9, budget / 1e9);
}

/* A worker for every thread that the loop over points will have; where memory does not allow that,
 * one: the threads then work inside a point. */
static pt_status pass_workers(pass *p, pt_error *err)
{
    const double base = (double)pt_tiles_bytes(p->n, p->type);
    const double need = worker_bytes(p);
    int workers = pt_parallel_workers(p->task, p->n_chosen);
    if (base + workers * need > p->budget)
        workers = 1;
    const pt_status enough = check_budget(base + need, p->budget, err);
    if (enough != PT_OK)
        return enough;
    p->workers = pt_alloc_zero(workers, sizeof(worker), "workers", err);
    if (!p->workers)
        return PT_ENOMEM;
    p->n_workers = workers;
    for (int i = 0; i < workers; i++) {
        pt_status status = worker_init(p, &p->workers[i], err);
        if (status != PT_OK)
            return status;
    }
    return PT_OK;
}

static pt_status pass_run(pass *p, pt_error *err)
{
    pt_task_say(p->task, PT_INFO, "held-out scores of %lld points in %s through the %s",
                (long long)p->n_chosen, p->type == PT_F32 ? "float32" : "double",
                p->factor_route ? "factor" : "inverse");
    pt_status status = pass_lists(p, err);
    if (status == PT_OK)
        status = pass_workers(p, err);
    if (status == PT_OK && p->n_workers > 1) {
        status = pt_parallel_for_stage(p->task, "cross-validating", p->n_chosen, run_point, p, err);
    } else if (status == PT_OK) {
        pt_task_begin_whole(p->task);
        for (int64_t i = 0; i < p->n_chosen && status == PT_OK; i++) {
            status = run_point(p, i, 0, err);
            pt_task_progress_whole(p->task, "cross-validating", (double)(i + 1),
                                   (double)p->n_chosen);
        }
        pt_task_end_whole(p->task);
    }
    pass_free(p);
    return status;
}

/* ---- which points run in which precision ----------------------------------------------------- */

typedef struct spread {
    double nearest; /* the largest distance to a nearest neighbour, as a base value */
    double *sample; /* some base values off the diagonal */
    int64_t count;
} spread;

enum { SPREAD_SAMPLE = 4096 };

/* What the matrix of base values says about how narrow and how large the kernel will be. */
static pt_status spread_measure(spread *out, const pt_tiles *base, pt_error *err)
{
    const int64_t n = base->n;
    double *nearest = pt_alloc(n, sizeof(double), "nearest neighbours", err);
    out->sample = pt_alloc(SPREAD_SAMPLE, sizeof(double), "a sample of distances", err);
    if (!nearest || !out->sample) { /* the caller frees the sample */
        pt_free(nearest);
        return PT_ENOMEM;
    }
    for (int64_t i = 0; i < n; i++)
        nearest[i] = INFINITY;
    const int64_t pairs = n * (n - 1) / 2;
    const int64_t every = pairs / SPREAD_SAMPLE + 1;
    int64_t seen = 0;
    out->count = 0;
    for (int64_t t = 0; t < pt_tiles_count(base); t++) {
        int64_t I = 0;
        int64_t J = 0;
        pt_tiles_place(base, t, &I, &J);
        const float *f32 = pt_tile_at(base, I, J);
        const double *f64 = pt_tile_at(base, I, J);
        for (int64_t j = 0; j < pt_tile_rows(base, J); j++)
            for (int64_t i = I == J ? j + 1 : 0; i < pt_tile_rows(base, I); i++) {
                const int64_t place = j * base->nb + i;
                const double v = base->type == PT_F32 ? (double)f32[place] : f64[place];
                double *a = &nearest[I * base->nb + i];
                double *b = &nearest[J * base->nb + j];
                *a = v < *a ? v : *a;
                *b = v < *b ? v : *b;
                if (seen++ % every == 0 && out->count < SPREAD_SAMPLE)
                    out->sample[out->count++] = v;
            }
    }
    out->nearest = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(nearest[i]) && nearest[i] > out->nearest)
            out->nearest = nearest[i];
    pt_free(nearest);
    return PT_OK;
}

/* An estimate of lambda_max / gamma: n times the mean of |k| over pairs. */
static bool needs_double(const spread *s, const pt_ls_point *point, int64_t n,
                         double smallest_shift)
{
    const pt_kernel *kernel = &point->kernel;
    if (kernel->ops->base == PT_BASE_SQUARED_DISTANCE &&
        s->nearest / (2 * kernel->sigma * kernel->sigma) > FLOAT_EXPONENT)
        return true;
    if (kernel->ops->base == PT_BASE_L1_DISTANCE && s->nearest / kernel->sigma > FLOAT_EXPONENT)
        return true;
    double sum = 0;
    for (int64_t i = 0; i < s->count; i++) {
        double v = s->sample[i];
        pt_kernel_map(kernel, PT_F64, 1, 1, &v, 1);
        sum += fabs(v);
    }
    const double mean = s->count > 0 ? sum / (double)s->count : 1;
    return (double)n * mean / (point->ridge * smallest_shift) > FLOAT_CONDITION;
}

/* ---- all of it ---------------------------------------------------------------------------------
 */

/* Refused at once where it and one more matrix of its size, to work in, are too much. */
static pt_status base_tiles(pt_tiles **out, const pt_rows *rows, pt_kernel_base base, pt_type type,
                            double budget, const pt_task *task, pt_error *err)
{
    pt_gram *gram = NULL;
    pt_tiles *tiles = NULL;
    pt_status status = check_budget(2 * (double)pt_tiles_bytes(rows->n, type), budget, err);
    if (status == PT_OK)
        status = pt_gram_new(&gram, rows, base, type, task, err);
    if (status == PT_OK)
        status = pt_tiles_new(&tiles, rows->n, type, err);
    if (status == PT_OK)
        status = pt_gram_tiles(gram, NULL, tiles, task, err);
    pt_gram_free(gram);
    if (status != PT_OK) {
        pt_tiles_free(tiles);
        return status;
    }
    *out = tiles;
    return PT_OK;
}

static double largest_value(const double *values, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

static pt_status holdout_dual(const pt_ls_problem *problem, const pt_ls_point *points,
                              int64_t n_points, pt_type type, const pt_partitions *partitions,
                              pt_holdout_fn take, void *context, const pt_task *task, pt_error *err)
{
    const int64_t n = problem->rows->n;
    const pt_kernel_base base = points[0].kernel.ops->base;
    const double budget = (double)pt_task_memory(task); /* before we take some of what is free */
    const bool factor_route = partitions->count == 1 && partitions->n_folds <= FACTOR_ROUTE_FOLDS &&
                              partitions->n_folds < n;
    pt_ls_ordered o = {0};
    spread s = {0, NULL, 0};
    pt_tiles *tiles = NULL;
    int64_t *chosen = pt_alloc(n_points, sizeof(int64_t), "grid points", err);
    bool *in_double = pt_alloc_zero(n_points, sizeof(bool), "grid points", err);
    pt_status status = chosen && in_double ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = factor_route ? pt_ls_ordered_init(&o, problem, partitions->fold[0],
                                                   partitions->n_folds, err)
                              : pt_ls_ordered_init(&o, problem, problem->class_of, problem->k, err);
    if (status == PT_OK && base == PT_BASE_ROW) /* its rows are its columns too */
        status = pt_rows_take_columns(&o.rows, o.order, n, err);
    if (status == PT_OK)
        status = base_tiles(&tiles, &o.rows.rows, base, type, budget, task, err);
    if (status == PT_OK && type == PT_F32) {
        status = spread_measure(&s, tiles, err);
        const double shift = problem->weight ? 1 / largest_value(problem->weight, n) : 1;
        for (int64_t i = 0; status == PT_OK && i < n_points; i++)
            in_double[i] = needs_double(&s, &points[i], n, shift);
    }
    for (int in = 0; in < 2 && status == PT_OK; in++) {
        int64_t n_chosen = 0;
        for (int64_t i = 0; i < n_points; i++)
            if (in_double[i] == (in == 1))
                chosen[n_chosen++] = i;
        if (n_chosen == 0)
            continue;
        if (in == 1) {
            pt_tiles_free(tiles);
            tiles = NULL;
            status = base_tiles(&tiles, &o.rows.rows, base, PT_F64, budget, task, err);
            if (status != PT_OK)
                break;
        }
        pass p = {.problem = &o.problem,
                  .points = points,
                  .chosen = chosen,
                  .n_chosen = n_chosen,
                  .partitions = partitions,
                  .take = take,
                  .context = context,
                  .task = task,
                  .budget = budget,
                  .type = tiles->type,
                  .size = pt_type_size(tiles->type),
                  .n = n,
                  .k = problem->k,
                  .factor_route = factor_route,
                  .base = tiles,
                  .order = o.order};
        status = pass_run(&p, err);
    }
    pt_tiles_free(tiles);
    pt_free(s.sample);
    pt_ls_ordered_free(&o);
    pt_free(in_double);
    pt_free(chosen);
    return status;
}

/* ---- the door ----------------------------------------------------------------------------------
 */

/* A run of points among all: their numbers are those of the whole. */
typedef struct shifted {
    pt_holdout_fn take;
    void *context;
    int64_t first;
} shifted;

static pt_status take_shifted(void *context, int64_t point, int64_t partition, const double *scores,
                              pt_error *err)
{
    const shifted *s = context;
    return s->take(s->context, s->first + point, partition, scores, err);
}

static pt_status holdout_primal_run(const pt_ls_problem *problem, const pt_ls_point *points,
                                    int64_t n_points, const pt_partitions *partitions, shifted *run,
                                    const pt_task *task, pt_error *err)
{
    double *ridges = pt_alloc(n_points, sizeof(double), "ridges", err);
    if (!ridges)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n_points; i++)
        ridges[i] = points[i].ridge;
    pt_status status =
        pt_ls_holdout_primal(problem, ridges, n_points, partitions, take_shifted, run, task, err);
    pt_free(ridges);
    return status;
}

pt_status pt_ls_holdout(const pt_ls_problem *problem, const pt_ls_point *points, int64_t n_points,
                        pt_type type, const pt_partitions *partitions, pt_holdout_fn take,
                        void *context, const pt_task *task, pt_error *err)
{
    pt_status status = PT_OK;
    int64_t end = 0;
    for (int64_t first = 0; first < n_points && status == PT_OK; first = end) {
        const pt_kernel_ops *ops = points[first].kernel.ops;
        while (end < n_points && points[end].kernel.ops == ops)
            end++;
        shifted run = {take, context, first};
        status = pt_ls_is_primal(&points[first].kernel, problem->rows)
                     ? holdout_primal_run(problem, points + first, end - first, partitions, &run,
                                          task, err)
                     : holdout_dual(problem, points + first, end - first, type, partitions,
                                    take_shifted, &run, task, err);
    }
    return status;
}
