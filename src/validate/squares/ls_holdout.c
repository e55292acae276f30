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
 *   factor   few folds, one partition. Examples are ordered by fold, then by class; Z = L^-1,
 *            C_FF = Z_F^T Z_F for the columns Z_F, C_FR E_R = Z_F^T sum_{F' != F} Z_F' E_F'. Z_F
 *            begins at its diagonal: all products do.
 *            Time n^3/3 + n^3/3 + n^3 / (2 folds).
 *   inverse  several partitions, or leave-one-out. Examples are ordered by class; C = Z^T Z in
 *            place; for each partition C_FR E_R is a sum of C's entries by class, O(n^2), and C_FF
 *            is gathered. Time n^3 + partitions (n^2 + n^3 / folds^2 / 3).
 *
 * With a free bias, b = E^T u / s and A = C E - u b^T for u = C 1 and s = 1^T C 1 (see
 * machine_suykens.c), C - u u^T / s takes the place of C in all of the above. So a fold's C_FF
 * loses u_F u_F^T / s, its C_FR E_R loses u_F t^T / s, where t are the sums of u_R by class.
 *
 *   base   n x n lower tiles: distances or inner products, shared by all points
 *   work   n x n lower tiles, one per worker: K, then L, then Z, then C
 *
 * Rows that are never held out are a fold more as far as sums go, of which no outputs are formed.
 *
 * Where the problem has targets in place of classes, they are E in all of this; the sums by class
 * become products with E. The examples then need no order beside that by fold.
 *
 * Precision. Points for which float32 is too coarse (ls_precision.c) run in double, in a second
 * pass. */
#include "validate/squares/ls_holdout.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "base/text.h"
#include "kernels/gram.h"
#include "linalg/linalg.h"
#include "validate/squares/class_sums.h"
#include "validate/validate.h"

/* The factor route holds n x k sums for each fold. */
enum { FACTOR_ROUTE_FOLDS = PT_MOST_SETS };

typedef struct pass pass;

/* Room for one fold. */
typedef struct fold_room {
    char *panel;    /* n x largest fold: columns of Z (factor route) */
    char *small;    /* (largest fold + k) x largest fold: C_FF, below it (C_FR E_R)^T */
    int64_t *place; /* largest fold: where the rows of a fold lie in the tiles */
    double *t;      /* k: sums of u over the other folds by class */
} fold_room;

/* Scratch of one worker on points. */
typedef struct worker {
    pt_tiles *work;
    char *sums;       /* folds x k x n: sums over the other folds; inverse route: k x n */
    double *scores;   /* n x k row-major, in the caller's order */
    bool bias;        /* the point has one: */
    double *u;        /* n: C 1 */
    double *q;        /* n: Z 1 */
    double s;         /* 1^T C 1 */
    fold_room *rooms; /* one for each thread that works on the folds of a point */
    int n_rooms;
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
    int64_t sets;    /* folds, and where there are any the rows that are never held out */
    int64_t largest; /* fold that is held out */
    int n_rooms;     /* of a worker */
    pt_tiles *base;
    double *inverse_weight;
    const int64_t *order; /* our position -> the caller's row */
    int32_t *class32;     /* by our position; NULL with targets */
    char *targets;        /* n x k column-major, by our position; NULL with classes */
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

/* ---- one point: K, L, Z, C ------------------------------------------------------------------- */

typedef struct kernel_mapper {
    const pass *p;
    pt_tiles *work;
    const pt_kernel *kernel;
} kernel_mapper;

static pt_status map_tile(void *context, int64_t t, int worker_number, pt_error *err)
{
    (void)worker_number;
    (void)err;
    const kernel_mapper *m = context;
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
    kernel_mapper m = {p, work, &point->kernel};
    int64_t bad_row = 0;
    PT_TRY(pt_parallel_for(p->task, pt_tiles_count(work), map_tile, &m, err));
    pt_tiles_add_diagonal(work, point->ridge, p->inverse_weight);
    PT_TRY(pt_la_cholesky(work, &bad_row, p->task, err));
    return pt_la_invert_factor(work, p->task, err);
}

/* ---- a free bias ----------------------------------------------------------------------------- */

/* u <- C 1 = Z^T q for q = Z 1, and s <- q . q, from Z in w->work. */
static pt_status measure_bias(const pass *p, worker *w, pt_error *err)
{
    const pt_tiles *Z = w->work;
    memset(w->q, 0, (size_t)p->n * sizeof *w->q);
    for (int64_t j = 0; j < p->n; j++) {
        PT_TRY(pt_task_check_row(p->task, j, p->n, err));
        for (int64_t I = j / Z->nb; I < Z->side; I++) {
            const void *tile = pt_tile_at(Z, I, j / Z->nb);
            for (int64_t i = I * Z->nb > j ? 0 : j - I * Z->nb; i < pt_tile_rows(Z, I); i++)
                w->q[I * Z->nb + i] += element(p, tile, j % Z->nb * Z->nb + i);
        }
    }
    w->s = 0;
    for (int64_t i = 0; i < p->n; i++)
        w->s += w->q[i] * w->q[i];
    for (int64_t j = 0; j < p->n; j++) {
        PT_TRY(pt_task_check_row(p->task, j, p->n, err));
        w->u[j] = 0;
        for (int64_t I = j / Z->nb; I < Z->side; I++) {
            const void *tile = pt_tile_at(Z, I, j / Z->nb);
            for (int64_t i = I * Z->nb > j ? 0 : j - I * Z->nb; i < pt_tile_rows(Z, I); i++)
                w->u[j] += element(p, tile, j % Z->nb * Z->nb + i) * w->q[I * Z->nb + i];
        }
    }
    return PT_OK;
}

/* t <- the sums of u by class, without one fold. */
static void sum_bias(const pass *p, const worker *w, int64_t partition, int64_t fold, double *t)
{
    const int32_t *fold_of = p->fold32 + partition * p->n;
    memset(t, 0, (size_t)p->k * sizeof *t);
    for (int64_t i = 0; i < p->n; i++)
        if (fold_of[i] != fold && p->class32)
            t[p->class32[i]] += w->u[i];
        else if (fold_of[i] != fold)
            for (int64_t r = 0; r < p->k; r++)
                t[r] += w->u[i] * pt_ls_target(p->problem, i, r);
}

static void subtract(const pass *p, void *values, int64_t place, double amount)
{
    if (p->type == PT_F32)
        ((float *)values)[place] = (float)(((float *)values)[place] - amount);
    else
        ((double *)values)[place] -= amount;
}

/* ---- held-out outputs of one fold, given C_FF and the right-hand sides ----------------------- */

/* A partition of a point whose folds run in parallel. */
typedef struct fold_sums {
    const pass *p;
    worker *w;
    int64_t partition;
} fold_sums;

static int64_t fold_first(const fold_sums *f, int64_t fold)
{
    return f->p->first[f->partition * (f->p->sets + 1) + fold];
}

static int64_t fold_size(const fold_sums *f, int64_t fold)
{
    return fold_first(f, fold + 1) - fold_first(f, fold);
}

static const int64_t *fold_members(const fold_sums *f, int64_t fold)
{
    return f->p->members + f->partition * f->p->n + fold_first(f, fold);
}

/* Runs the body for every fold, in parallel where there is room for that. */
static pt_status each_fold(fold_sums *f, pt_parallel_fn body, pt_error *err)
{
    const pass *p = f->p;
    if (f->w->n_rooms > 1)
        return pt_parallel_for(p->task, p->partitions->n_folds, body, f, err);
    for (int64_t fold = 0; fold < p->partitions->n_folds; fold++) {
        PT_TRY(pt_task_check(p->task, err));
        PT_TRY(body(f, fold, 0, err));
    }
    return PT_OK;
}

/* C_FF <- C_FF - u_F u_F^T / s, below it (C_FR E_R)^T <- (C_FR E_R)^T - t u_F^T / s. */
static pt_status free_bias(const fold_sums *f, const fold_room *room, int64_t fold, pt_error *err)
{
    const pass *p = f->p;
    const worker *w = f->w;
    const int64_t *members = fold_members(f, fold);
    const int64_t m = fold_size(f, fold);
    const int64_t ld = m + p->k;
    sum_bias(p, w, f->partition, fold, room->t);
    for (int64_t b = 0; b < m; b++) {
        PT_TRY(pt_task_check_row(p->task, b, ld, err));
        const double share = w->u[members[b]] / w->s;
        for (int64_t a = b; a < m; a++)
            subtract(p, room->small, b * ld + a, w->u[members[a]] * share);
        for (int64_t r = 0; r < p->k; r++)
            subtract(p, room->small, b * ld + m + r, room->t[r] * share);
    }
    return PT_OK;
}

/* The rows below C_FF <- -(C_FR E_R)^T (C_FF)^-1, then into the caller's rows of scores. */
static pt_status finish_fold(const fold_sums *f, const fold_room *room, int64_t fold, pt_error *err)
{
    const pass *p = f->p;
    const int64_t *members = fold_members(f, fold);
    const int64_t m = fold_size(f, fold);
    const int64_t ld = m + p->k;
    if (f->w->bias)
        PT_TRY(free_bias(f, room, fold, err));
    const pt_status factored = pt_la_long_cholesky(p->type, m, room->small, ld, p->task, err);
    if (factored == PT_ENUMERIC) /* rounding, where K just was */
        return pt_fail(err, PT_ENUMERIC, "the matrix of a fold is not positive definite");
    PT_TRY(factored);
    PT_TRY(pt_la_long_solve_rows(p->type, m, p->k, room->small, ld, at(p, room->small, m), ld,
                                 p->task, err));
    for (int64_t a = 0; a < m; a++) {
        double *row = f->w->scores + p->order[members[a]] * p->k;
        for (int64_t r = 0; r < p->k; r++)
            row[r] = -element(p, room->small, a * ld + m + r);
    }
    return PT_OK;
}

/* ---- the factor route ------------------------------------------------------------------------ */

/* panel <- columns first .. first+m of the lower triangular Z, rows from `first` on (those above
 * are zero); its leading dimension is n. */
static pt_status copy_columns(const pass *p, const pt_tiles *Z, int64_t first, int64_t m,
                              char *panel, pt_error *err)
{
    for (int64_t a = 0; a < m; a++) {
        PT_TRY(pt_task_check_row(p->task, a, p->n, err));
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
    return PT_OK;
}

/* For the rows of block I: sums_F <- Z_F E_F, then sums_F <- sum over F' != F of Z_F' E_F'. Folds
 * that begin below these rows have nothing there. */
static pt_status sum_factor_block(void *context, int64_t I, int room, pt_error *err)
{
    (void)room;
    const fold_sums *f = context;
    const pass *p = f->p;
    const pt_tiles *Z = f->w->work;
    const int64_t row = I * Z->nb;
    const int64_t rows = pt_tile_rows(Z, I);
    int64_t folds = 0;
    for (; folds < p->sets && p->first[folds] < row + rows; folds++)
        for (int64_t r = 0; r < p->k; r++)
            memset(at(p, f->w->sums, (folds * p->k + r) * p->n + row), 0, (size_t)rows * p->size);
    for (int64_t j = 0; j < row + rows; j++) {
        PT_TRY(pt_task_check_row(p->task, j, p->targets ? rows * p->k : rows, err));
        const int64_t skip = j > row ? j - row : 0;
        const char *column = at(p, pt_tile_at(Z, I, j / Z->nb), j % Z->nb * Z->nb + skip);
        char *sums = at(p, f->w->sums, p->fold32[j] * p->k * p->n + row + skip);
        if (p->class32)
            pt_la_axpy(p->type, rows - skip, 1, column, at(p, sums, p->class32[j] * p->n));
        for (int64_t r = 0; p->targets && r < p->k; r++)
            pt_la_axpy(p->type, rows - skip, pt_ls_target(p->problem, j, r), column,
                       at(p, sums, r * p->n));
    }
    for (int64_t r = 0; r < p->k; r++)
        pt_class_sums_of_others(p->type, at(p, f->w->sums, r * p->n + row), p->k * p->n, folds,
                                rows);
    return PT_OK;
}

/* small <- C_FF = Z_F^T Z_F, below it (sum_{F' != F} Z_F' E_F')^T Z_F; then the outputs. The
 * examples are ordered by fold: F is positions first[F] .. first[F+1]. */
static pt_status fold_from_factor(void *context, int64_t fold, int room_number, pt_error *err)
{
    const fold_sums *f = context;
    const pass *p = f->p;
    const fold_room *room = &f->w->rooms[room_number];
    const int64_t first = fold_first(f, fold);
    const int64_t m = fold_size(f, fold);
    const int64_t ld = m + p->k;
    if (m == 0)
        return PT_OK;
    PT_TRY(copy_columns(p, f->w->work, first, m, room->panel, err));
    PT_TRY(pt_la_long_syrk(p->type, 't', m, p->n - first, 1, room->panel, p->n, 0, room->small, ld,
                           p->task, err));
    PT_TRY(pt_la_long_gemm(p->type, 't', 'n', p->k, m, p->n - first, 1,
                           at(p, f->w->sums, fold * p->k * p->n + first), p->n, room->panel, p->n,
                           0, at(p, room->small, m), ld, p->task, err));
    return finish_fold(f, room, fold, err);
}

static pt_status folds_from_factor(fold_sums *f, pt_error *err)
{
    const pass *p = f->p;
    pt_status status = pt_parallel_for(p->task, f->w->work->side, sum_factor_block, f, err);
    return status == PT_OK ? each_fold(f, fold_from_factor, err) : status;
}

/* ---- the inverse route ----------------------------------------------------------------------- */

/* T <- block (I, J) of C with 0 where row and column are of the same fold; ld is `rows`. */
static void mask_block(const fold_sums *f, int64_t I, int64_t J, char *T)
{
    const pass *p = f->p;
    const pt_tiles *C = f->w->work;
    const int64_t nb = C->nb;
    const int64_t rows = pt_tile_rows(C, I);
    const int32_t *fold = p->fold32 + f->partition * p->n;
    const void *tile = pt_tile_at(C, J <= I ? I : J, J <= I ? J : I);
    for (int64_t j = 0; j < pt_tile_rows(C, J); j++)
        for (int64_t i = 0; i < rows; i++) {
            const bool same = fold[I * nb + i] == fold[J * nb + j];
            const int64_t place = J <= I ? j * nb + i : i * nb + j;
            if (p->type == PT_F32)
                ((float *)T)[j * rows + i] = same ? 0 : ((const float *)tile)[place];
            else
                ((double *)T)[j * rows + i] = same ? 0 : ((const double *)tile)[place];
        }
}

/* With targets: the rows of block I of C without the own folds, times E. */
static pt_status multiply_inverse_block(const fold_sums *f, int64_t I, pt_error *err)
{
    const pass *p = f->p;
    const pt_tiles *C = f->w->work;
    const int64_t rows = pt_tile_rows(C, I);
    PT_SCRATCH char *T = pt_alloc(C->nb, (size_t)rows * p->size, "a block of held-out sums", err);
    if (!T)
        return PT_ENOMEM;
    for (int64_t J = 0; J < C->side; J++) {
        mask_block(f, I, J, T);
        PT_TRY(pt_la_long_gemm(p->type, 'n', 'n', rows, p->k, pt_tile_rows(C, J), 1, T, rows,
                               at(p, p->targets, J * C->nb), p->n, J > 0,
                               at(p, f->w->sums, I * C->nb), p->n, p->task, err));
    }
    return PT_OK;
}

/* Class sums of the rows of block I, over all columns. */
static pt_status sum_inverse_block(void *context, int64_t I, int room, pt_error *err)
{
    (void)room;
    const fold_sums *f = context;
    const pass *p = f->p;
    const pt_tiles *C = f->w->work;
    if (p->targets)
        return multiply_inverse_block(f, I, err);
    const int64_t nb = C->nb;
    const int64_t rows = pt_tile_rows(C, I);
    const int32_t *fold = p->fold32 + f->partition * p->n;
    char *sums = at(p, f->w->sums, I * nb);
    for (int64_t r = 0; r < p->k; r++)
        memset(at(p, sums, r * p->n), 0, (size_t)rows * p->size);
    for (int64_t J = 0; J < C->side; J++) {
        const int64_t columns = pt_tile_rows(C, J);
        const int32_t *class_J = p->class32 + J * nb;
        PT_TRY(pt_task_check(p->task, err));
        if (J <= I)
            pt_class_sums_rows(p->type, pt_tile_at(C, I, J), nb, rows, columns, fold + I * nb,
                               fold + J * nb, class_J, sums, p->n);
        else
            pt_class_sums_columns(p->type, pt_tile_at(C, J, I), nb, columns, rows, fold + J * nb,
                                  fold + I * nb, class_J, sums, p->n);
    }
    return PT_OK;
}

/* Typed loops over a fold and over a diagonal tile.
 *
 * gather: column b of small <- C_FF (lower triangle), below it (C_FR E_R)^T. A block row of tiles
 * is one column-major matrix, so that place[a] finds row members[a] in it and a column is nb
 * further; members ascend, so that a >= b is the lower triangle.
 * mirror: the upper triangle of a tile <- its lower one, by small blocks that stay in cache. */
#define DEFINE_INVERSE_LOOPS(T, suffix)                                                        \
    static void gather_##suffix(const pass *p, const worker *w, const fold_room *room,         \
                                const int64_t *members, int64_t m, int64_t b)                  \
    {                                                                                          \
        const T *C = w->work->value;                                                           \
        const T *sums = (const T *)w->sums;                                                    \
        T *column = (T *)room->small + b * (m + p->k);                                         \
        for (int64_t a = b; a < m; a++)                                                        \
            column[a] = C[room->place[a] + members[b] * w->work->nb];                          \
        for (int64_t r = 0; r < p->k; r++)                                                     \
            column[m + r] = sums[r * p->n + members[b]];                                       \
    }                                                                                          \
                                                                                               \
    static void mirror_##suffix(T *tile, int64_t ld, int64_t rows)                             \
    {                                                                                          \
        for (int64_t J = 0; J < rows; J += MIRROR_BLOCK)                                       \
            for (int64_t I = J; I < rows; I += MIRROR_BLOCK)                                   \
                for (int64_t j = J; j < J + MIRROR_BLOCK && j < rows; j++)                     \
                    for (int64_t i = I > j ? I : j + 1; i < I + MIRROR_BLOCK && i < rows; i++) \
                        tile[i * ld + j] = tile[j * ld + i];                                   \
    }

enum { MIRROR_BLOCK = 16 };
DEFINE_INVERSE_LOOPS(float, f32)
DEFINE_INVERSE_LOOPS(double, f64)

/* Diagonal tiles get their upper triangle, so that a block of rows can be read whole. */
static pt_status mirror_diagonal_tiles(pt_tiles *C, const pt_task *task, pt_error *err)
{
    for (int64_t I = 0; I < C->side; I++) {
        PT_TRY(pt_task_check(task, err));
        if (C->type == PT_F32)
            mirror_f32(pt_tile_at(C, I, I), C->nb, pt_tile_rows(C, I));
        else
            mirror_f64(pt_tile_at(C, I, I), C->nb, pt_tile_rows(C, I));
    }
    return PT_OK;
}

static pt_status gather_fold(const fold_sums *f, const fold_room *room, int64_t fold, pt_error *err)
{
    const pass *p = f->p;
    const pt_tiles *C = f->w->work;
    const int64_t *members = fold_members(f, fold);
    const int64_t m = fold_size(f, fold);
    for (int64_t a = 0; a < m; a++) {
        const char *row_block = pt_tile_at(C, members[a] / C->nb, 0);
        room->place[a] =
            (row_block - (const char *)C->value) / (int64_t)p->size + members[a] % C->nb;
    }
    for (int64_t b = 0; b < m; b++) {
        PT_TRY(pt_task_check_row(p->task, b, m + p->k, err));
        if (p->type == PT_F32)
            gather_f32(p, f->w, room, members, m, b);
        else
            gather_f64(p, f->w, room, members, m, b);
    }
    return PT_OK;
}

static pt_status fold_from_inverse(void *context, int64_t fold, int room, pt_error *err)
{
    const fold_sums *f = context;
    if (fold_size(f, fold) == 0)
        return PT_OK;
    PT_TRY(gather_fold(f, &f->w->rooms[room], fold, err));
    return finish_fold(f, &f->w->rooms[room], fold, err);
}

static pt_status leave_one_out(const pass *p, worker *w, pt_error *err)
{
    for (int64_t i = 0; i < p->n; i++) {
        PT_TRY(pt_task_check_row(p->task, i, w->bias ? p->n : p->k, err));
        const int64_t I = i / w->work->nb;
        const int64_t inside = i % w->work->nb;
        const double c_ii = element(p, pt_tile_at(w->work, I, I), inside * w->work->nb + inside);
        const double share = w->bias ? w->u[i] / w->s : 0;
        double *t = w->rooms[0].t;
        double *row = w->scores + p->order[i] * p->k;
        if (w->bias)
            sum_bias(p, w, 0, p->fold32[i], t);
        for (int64_t r = 0; r < p->k; r++) {
            const double sum = element(p, w->sums, r * p->n + i);
            row[r] = w->bias ? -(sum - t[r] * share) / (c_ii - w->u[i] * share) : -sum / c_ii;
        }
    }
    return PT_OK;
}

/* One partition, given C in w->work. */
static pt_status folds_from_inverse(fold_sums *f, pt_error *err)
{
    const pass *p = f->p;
    PT_TRY(pt_parallel_for(p->task, f->w->work->side, sum_inverse_block, f, err));
    return p->partitions->n_folds < p->n ? each_fold(f, fold_from_inverse, err)
                                         : leave_one_out(p, f->w, err);
}

/* ---- a point --------------------------------------------------------------------------------- */

/* work <- Z for the factor route, C for the inverse route; PT_ENUMERIC: not positive definite. */
static pt_status prepare_point(const pass *p, const pt_ls_point *point, worker *w, pt_error *err)
{
    PT_TRY(invert_point(p, point, w->work, err));
    w->bias = point->bias;
    if (w->bias)
        PT_TRY(measure_bias(p, w, err));
    if (p->factor_route)
        return PT_OK;
    PT_TRY(pt_la_factor_square(w->work, p->task, err));
    return mirror_diagonal_tiles(w->work, p->task, err);
}

static pt_status run_point(void *context, int64_t index, int worker_number, pt_error *err)
{
    const pass *p = context;
    worker *w = &p->workers[worker_number];
    const int64_t point = p->chosen[index];
    pt_status found = prepare_point(p, &p->points[point], w, err);
    for (int64_t partition = 0; partition < p->partitions->count; partition++) {
        fold_sums f = {p, w, partition};
        if (found == PT_OK)
            found = p->factor_route ? folds_from_factor(&f, err) : folds_from_inverse(&f, err);
        if (found != PT_OK && found != PT_ENUMERIC)
            return found;
        PT_TRY(p->take(p->context, point, partition, found == PT_OK ? w->scores : NULL, err));
    }
    return PT_OK;
}

/* ---- a pass ---------------------------------------------------------------------------------- */

static void worker_free(worker *w)
{
    for (int i = 0; i < w->n_rooms; i++) {
        pt_free(w->rooms[i].panel);
        pt_free(w->rooms[i].small);
        pt_free(w->rooms[i].place);
        pt_free(w->rooms[i].t);
    }
    pt_free(w->rooms);
    pt_tiles_free(w->work);
    pt_free(w->sums);
    pt_free(w->scores);
    pt_free(w->u);
    pt_free(w->q);
}

static pt_status room_init(const pass *p, fold_room *room, pt_error *err)
{
    room->small = pt_alloc(p->largest + p->k, (size_t)p->largest * p->size, "a fold's matrix", err);
    room->place = pt_alloc(p->largest, sizeof(int64_t), "a fold's rows", err);
    room->t = pt_alloc(p->k, sizeof(double), "class sums", err);
    if (p->factor_route)
        room->panel = pt_alloc(p->largest, (size_t)p->n * p->size, "a fold's columns", err);
    return room->small && room->place && room->t && (room->panel || !p->factor_route) ? PT_OK
                                                                                      : PT_ENOMEM;
}

static pt_status worker_init(const pass *p, worker *w, pt_error *err)
{
    const int64_t sets = p->factor_route ? p->sets : 1;
    PT_TRY(pt_tiles_new(&w->work, p->n, p->type, err));
    w->sums = pt_alloc(sets * p->k, (size_t)p->n * p->size, "held-out sums", err);
    w->scores = pt_alloc_zero(p->n, (size_t)p->k * sizeof(double), "held-out scores", err);
    w->u = pt_alloc(p->n, sizeof(double), "a bias", err);
    w->q = pt_alloc(p->n, sizeof(double), "a bias", err);
    w->rooms = pt_alloc_zero(p->n_rooms, sizeof(fold_room), "work space of folds", err);
    if (!w->sums || !w->scores || !w->u || !w->q || !w->rooms)
        return PT_ENOMEM;
    w->n_rooms = p->n_rooms;
    for (int i = 0; i < w->n_rooms; i++)
        PT_TRY(room_init(p, &w->rooms[i], err));
    return PT_OK;
}

static double worker_bytes(const pass *p)
{
    const double sets = p->factor_route ? (double)p->sets : 1;
    const double column = (double)p->n * (double)p->size;
    const double largest = (double)p->largest;
    const double room = largest * (double)(p->largest + p->k) * (double)p->size + 8 * largest +
                        (p->factor_route ? largest * column : 0);
    const double block = (double)pt_tile_size(p->n) * (double)p->size; /* one that is masked */
    return (double)pt_tiles_bytes(p->n, p->type) + sets * (double)p->k * column +
           (p->targets ? block * (double)pt_tile_size(p->n) : 0) + p->n_rooms * room +
           8.0 * (double)p->n * (double)(p->k + 2);
}

/* Positions sorted by fold, for every partition. */
static void list_members(const pass *p)
{
    const int64_t sets = p->sets;
    for (int64_t q = 0; q < p->partitions->count; q++) {
        int64_t *first = p->first + q * (sets + 1);
        const int32_t *fold = p->fold32 + q * p->n;
        memset(first, 0, (size_t)(sets + 1) * sizeof *first);
        for (int64_t i = 0; i < p->n; i++)
            first[fold[i] + 1]++;
        for (int64_t f = 0; f < sets; f++)
            first[f + 1] += first[f];
        int64_t *members = p->members + q * p->n;
        for (int64_t i = 0; i < p->n; i++)
            members[first[fold[i]]++] = i;
        for (int64_t f = sets; f > 0; f--)
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
            const int64_t *first = p->first + q * (p->sets + 1) + f;
            if (first[1] - first[0] > largest)
                largest = first[1] - first[0];
        }
    return largest;
}

/* p->targets <- those of the problem, in the type of the pass. */
static void fill_targets(pass *p)
{
    const double *from = p->problem->targets;
    for (int64_t i = 0; i < p->n * p->k; i++)
        if (p->type == PT_F32)
            ((float *)p->targets)[i] = (float)from[i];
        else
            ((double *)p->targets)[i] = from[i];
}

static int64_t count_sets(const pt_partitions *parts, int64_t n)
{
    int64_t sets = parts->n_folds;
    for (int64_t q = 0; q < parts->count; q++)
        for (int64_t i = 0; i < n; i++)
            sets = pt_greater(sets, pt_fold_or_rest(parts, q, i) + 1);
    return sets;
}

static pt_status pass_lists(pass *p, pt_error *err)
{
    const int64_t count = p->partitions->count;
    const int64_t n_folds = p->partitions->n_folds;
    if (p->problem->targets)
        p->targets = pt_alloc(p->k, (size_t)p->n * p->size, "targets", err);
    else
        p->class32 = pt_alloc(p->n, sizeof(int32_t), "classes", err);
    p->fold32 = pt_alloc(p->n * count, sizeof(int32_t), "folds", err);
    p->members = pt_alloc(p->n * count, sizeof(int64_t), "folds", err);
    p->first = pt_alloc((p->sets + 1) * count, sizeof(int64_t), "folds", err);
    if (!(p->class32 || p->targets) || !p->fold32 || !p->members || !p->first)
        return PT_ENOMEM;
    for (int64_t i = 0; i < p->n && p->class32; i++)
        p->class32[i] = (int32_t)p->problem->class_of[i];
    if (p->problem->targets)
        fill_targets(p);
    for (int64_t q = 0; q < count; q++)
        for (int64_t i = 0; i < p->n; i++)
            p->fold32[q * p->n + i] = (int32_t)pt_fold_or_rest(p->partitions, q, p->order[i]);
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
    pt_free(p->targets);
    pt_free(p->class32);
}

pt_status pt_ls_check_budget(double need, double budget, pt_error *err)
{
    if (need <= budget)
        return PT_OK;
    return pt_fail(err, PT_EMEMORY,
                   "held-out scores need %s and %s may be used; raise `memory` or use fewer rows",
                   PT_SHOW_BYTES(need), PT_SHOW_BYTES(budget));
}

/* A worker for every thread that the loop over points will have; where there is one point, or
 * memory does not allow more, one: the threads then work inside a point, if there is room. */
static pt_status pass_workers(pass *p, pt_error *err)
{
    const double base = (double)pt_tiles_bytes(p->n, p->type);
    int workers = pt_parallel_workers(p->task, p->n_chosen);
    p->n_rooms = 1;
    if (base + workers * worker_bytes(p) > p->budget)
        workers = 1;
    if (workers == 1)
        p->n_rooms = pt_parallel_workers(p->task, p->partitions->n_folds);
    if (base + worker_bytes(p) > p->budget)
        p->n_rooms = 1;
    PT_TRY(pt_ls_check_budget(base + worker_bytes(p), p->budget, err));
    p->workers = pt_alloc_zero(workers, sizeof(worker), "workers", err);
    if (!p->workers)
        return PT_ENOMEM;
    p->n_workers = workers;
    for (int i = 0; i < workers; i++)
        PT_TRY(worker_init(p, &p->workers[i], err));
    return PT_OK;
}

pt_status pt_ls_run_points(int64_t n_points, int n_workers, pt_parallel_fn point, void *context,
                           const pt_task *task, pt_error *err)
{
    if (n_workers > 1)
        return pt_parallel_for_stage(task, "cross-validating", n_points, point, context, err);
    pt_status status = PT_OK;
    pt_task_begin_whole(task);
    for (int64_t i = 0; i < n_points && status == PT_OK; i++) {
        status = point(context, i, 0, err);
        pt_task_progress_whole(task, "cross-validating", (double)(i + 1), (double)n_points);
    }
    pt_task_end_whole(task);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The base values of all rows, refused at once where they and one more matrix of their size, to
 * work in, are too much for the budget (bytes). */
static pt_status base_tiles(pt_tiles **out, const pt_rows *rows, const pt_kernel_ops *of,
                            pt_type type, double budget, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_gram_free_at) pt_gram *gram = NULL;
    PT_TRY(pt_ls_check_budget(2 * (double)pt_tiles_bytes(rows->n, type), budget, err));
    PT_TRY(pt_gram_new(&gram, rows, of, type, task, err));
    PT_TRY(pt_tiles_new(out, rows->n, type, err));
    return pt_gram_tiles(gram, NULL, *out, task, err);
}

pt_status pt_ls_two_passes(const pt_ls_passes *passes, const pt_rows *rows, int64_t n_points,
                           const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_tiles_free_at) pt_tiles *tiles = NULL;
    PT_SCRATCH int64_t *chosen = pt_alloc(n_points, sizeof *chosen, "grid points", err);
    PT_SCRATCH bool *in_double = pt_alloc_zero(n_points, sizeof *in_double, "grid points", err);
    if (!chosen || !in_double)
        return PT_ENOMEM;
    PT_TRY(base_tiles(&tiles, rows, passes->of, passes->type, passes->budget, task, err));
    if (passes->type == PT_F32)
        PT_TRY(passes->need_double(passes->self, tiles, in_double, err));
    for (int in = 0; in < 2; in++) {
        int64_t n_chosen = 0;
        for (int64_t i = 0; i < n_points; i++)
            if (in_double[i] == (in == 1))
                chosen[n_chosen++] = i;
        if (n_chosen == 0)
            continue;
        if (in == 1) {
            pt_tiles_free(tiles);
            tiles = NULL;
            PT_TRY(base_tiles(&tiles, rows, passes->of, PT_F64, passes->budget, task, err));
        }
        pt_task_say(task, PT_INFO, PT_KIND_PROGRESS,
                    "held-out scores of %lld points in %s through the %s", (long long)n_chosen,
                    tiles->type == PT_F32 ? "float32" : "double",
                    passes->factor_route ? "factor" : "inverse");
        PT_TRY(passes->run(passes->self, tiles, chosen, n_chosen, err));
    }
    return PT_OK;
}

static double largest_value(const double *values, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

/* Rows by class; for the factor route (its folds) by fold, then by class. Targets have no classes.
 */
static pt_status order_problem(pt_ls_ordered *o, const pt_ls_problem *problem,
                               const pt_partitions *folds, int64_t sets, const pt_task *task,
                               pt_error *err)
{
    const int64_t n = problem->rows->n;
    if (!folds && problem->class_of)
        return pt_ls_ordered_init(o, problem, problem->class_of, problem->k, task, err);
    PT_SCRATCH int64_t *key = pt_alloc(n, sizeof *key, "an order", err);
    if (!key)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        key[i] = (folds ? pt_fold_or_rest(folds, 0, i) * problem->k : 0) +
                 (problem->class_of ? problem->class_of[i] : 0);
    return pt_ls_ordered_init(o, problem, key, sets * problem->k, task, err);
}

/* What both passes share. */
typedef struct dual_points {
    const pass *shape;
    int64_t n_points;
} dual_points;

static pt_status need_double(void *self, const pt_tiles *base, bool *need, pt_error *err)
{
    const dual_points *d = self;
    const double *weight = d->shape->problem->weight;
    const double shift = weight ? 1 / largest_value(weight, d->shape->n) : 1;
    return pt_ls_need_double(need, base, d->shape->points, d->n_points, shift, d->shape->task, err);
}

static pt_status run_pass(void *self, pt_tiles *base, const int64_t *chosen, int64_t n_chosen,
                          pt_error *err)
{
    PT_FREED_BY(pass_free) pass p = *((const dual_points *)self)->shape;
    p.chosen = chosen;
    p.n_chosen = n_chosen;
    p.base = base;
    p.type = base->type;
    p.size = pt_type_size(base->type);
    PT_TRY(pass_lists(&p, err));
    PT_TRY(pass_workers(&p, err));
    return pt_ls_run_points(n_chosen, p.n_workers, run_point, &p, p.task, err);
}

static pt_status holdout_dual(const pt_ls_problem *problem, const pt_ls_point *points,
                              int64_t n_points, pt_type type, const pt_partitions *partitions,
                              pt_holdout_fn take, void *context, const pt_task *task, pt_error *err)
{
    const int64_t n = problem->rows->n;
    const pt_kernel_ops *of = points[0].kernel.ops;
    const double budget = (double)pt_task_memory(task); /* before we take some of what is free */
    const int64_t sets = count_sets(partitions, n);
    const bool factor_route =
        partitions->count == 1 && sets <= FACTOR_ROUTE_FOLDS && partitions->n_folds < n;
    PT_FREED_BY(pt_ls_ordered_free) pt_ls_ordered o = {0};
    PT_TRY(order_problem(&o, problem, factor_route ? partitions : NULL, sets, task, err));
    if (of->base == PT_BASE_ROW) /* its rows are its columns too */
        PT_TRY(pt_rows_take_columns(&o.rows, o.order, n, task, err));
    const pass shape = {.problem = &o.problem,
                        .points = points,
                        .partitions = partitions,
                        .take = take,
                        .context = context,
                        .task = task,
                        .budget = budget,
                        .n = n,
                        .k = problem->k,
                        .factor_route = factor_route,
                        .sets = sets,
                        .order = o.order};
    dual_points d = {&shape, n_points};
    return pt_ls_two_passes(
        &(pt_ls_passes){of, type, budget, factor_route, need_double, run_pass, &d}, &o.rows.rows,
        n_points, task, err);
}

/* ---- the door -------------------------------------------------------------------------------- */

static pt_status holdout_primal_run(const pt_ls_problem *problem, const pt_ls_point *points,
                                    int64_t n_points, const pt_partitions *partitions,
                                    pt_point_numbers *run, const pt_task *task, pt_error *err)
{
    PT_SCRATCH double *ridges = pt_alloc(n_points, sizeof *ridges, "ridges", err);
    if (!ridges)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n_points; i++)
        ridges[i] = points[i].ridge;
    return pt_ls_holdout_primal(problem, ridges, n_points, partitions, pt_take_numbered, run, task,
                                err);
}

pt_status pt_ls_holdout(const pt_ls_problem *problem, const pt_ls_point *points, int64_t n_points,
                        pt_type type, const pt_partitions *partitions, pt_holdout_fn take,
                        void *context, const pt_task *task, pt_error *err)
{
    int64_t end = 0;
    for (int64_t first = 0; first < n_points; first = end) {
        const pt_kernel_ops *ops = points[first].kernel.ops;
        while (end < n_points && points[end].kernel.ops == ops)
            end++;
        pt_point_numbers run = {take, context, first, NULL};
        PT_TRY(pt_ls_is_primal(&points[first].kernel, problem->rows) && !points[first].bias
                   ? holdout_primal_run(problem, points + first, end - first, partitions, &run,
                                        task, err)
                   : holdout_dual(problem, points + first, end - first, type, partitions,
                                  pt_take_numbered, &run, task, err));
    }
    return PT_OK;
}
