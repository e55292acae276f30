/* Exact held-out class outputs of vo-LSSVM in closed form.
 *
 * Let H = P o K + gamma W^-1, C = H^-1, beta = C 1, F a held-out fold and R the rest. The machine
 * trained without F has the coefficients (block elimination in H C = I)
 *
 *     v_R = beta_R - C_RF t ,   C_FF t = beta_F ,   v_F = 0 ,
 *
 * and its class outputs on F are g_c(x_i) = sum_{j in R, y_j = c} K_ij v_j. v_F is set to 0, not
 * computed, and K does not know labels: the label of a held-out row has no part in its own scores
 * but through the rounding of v_R.
 *
 * One factorisation of H serves all folds and all partitions of a point, part by part where P falls
 * apart (vo_parts.c); one matrix of base values (distances) serves all points, and gives K again
 * where outputs are summed. With T the n x (partitions folds) matrix that has t of each fold in its
 * column, V = beta 1^T - C T holds all coefficients, and the outputs of class c are columns of
 * K_{., c} V_{c, .}: products of matrices, from which each row takes the columns of its own folds.
 *
 *   factor   few partitions: Z = L^-1, C_FF = Z_F^T Z_F, C T = Z^T (Z T).
 *            Time n^3/3 + n^3/3 + partitions n^3 / folds.
 *   inverse  more of them: C = Z^T Z in place, C_FF is gathered. Time n^3.
 *   both     2 n^2 folds partitions for C T, as much for K V.
 *   leave-one-out   t_i = beta_i / C_ii, g_c(x_i) = sum_{j != i} K_ij (beta_j - C_ij t_i): n^2.
 *
 *   base   n x n lower tiles, rows sorted by class, shared by all points
 *   H      lower tiles of each part: H, then L, then Z, then C
 *   V      n x columns, column-major; a column for each fold of each partition (one for
 *          leave-one-out: beta)
 *
 * Precision: as in ls_holdout.c, points for which float32 is too coarse run in double. */
#include "machines/squares/vo_holdout_point.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "linalg/linalg.h"
#include "machines/squares/vo_parts.h"

/* Blocks that are turned fit into the first-level cache. */
enum { TURN = 32 };

/* One point. */
typedef struct run {
    const pt_vo_pass *p;
    pt_vo_worker *w;
    const pt_vo_point *point;
    pt_label_space space;
    pt_vo_parts parts;      /* of positions */
    pt_tiles *H;            /* of each part */
    void *Q;                /* k x k in the type of the pass */
    int64_t *local;         /* n: position -> row of its part */
    int64_t *place;         /* n, by part: where a row of H begins in its tiles */
    int32_t *class32;       /* n, by part */
    double *inverse_weight; /* n, by part; NULL: all 1 */
} run;

static char *at(const pt_vo_pass *p, char *base, int64_t element)
{
    return base + (size_t)element * p->size;
}

static double element(const pt_vo_pass *p, const void *values, int64_t place)
{
    return p->type == PT_F32 ? (double)((const float *)values)[place]
                             : ((const double *)values)[place];
}

static void set_element(const pt_vo_pass *p, void *values, int64_t place, double value)
{
    if (p->type == PT_F32)
        ((float *)values)[place] = (float)value;
    else
        ((double *)values)[place] = value;
}

/* The tiles of a block row are one column-major matrix: element (i, j), i >= j, lies at
 * place(i) + j nb. */
int64_t pt_vo_place(const pt_tiles *tiles, int64_t i)
{
    const int64_t I = i / tiles->nb;
    return tiles->nb * tiles->nb * (I * (I + 1) / 2) + i % tiles->nb;
}

static int64_t part_size(const run *r, int64_t part)
{
    return r->parts.first[part + 1] - r->parts.first[part];
}

/* ---- loops over elements, in both types -----------------------------------------------------
 *
 * pick     tile (I, J) of a part <- base values of its rows
 * turn     out (m x n) <- rows first .. first+m of a symmetric matrix
 * mirror   the upper triangle of a diagonal tile <- the lower
 * fold     C_FF, lower triangle
 * loo      sum[a] += K_aj (beta_j - t_a C_aj) for the columns of a class */
#define DEFINE_LOOPS(T, suffix)                                                                    \
    static void pick_##suffix(const T *base, int64_t base_nb, const int64_t *place,                \
                              const int64_t *row_i, int64_t m, const int64_t *row_j, int64_t n,    \
                              bool diagonal, T *tile, int64_t nb)                                  \
    {                                                                                              \
        for (int64_t j = 0; j < n; j++) {                                                          \
            const T *from = base + row_j[j] * base_nb;                                             \
            for (int64_t i = 0; i < (diagonal ? j : 0); i++)                                       \
                tile[j * nb + i] = 0;                                                              \
            for (int64_t i = diagonal ? j : 0; i < m; i++)                                         \
                tile[j * nb + i] = from[place[row_i[i]]];                                          \
        }                                                                                          \
    }                                                                                              \
    static void turn_##suffix(const T *S, int64_t nb, const int64_t *place, int64_t n,             \
                              int64_t first, int64_t m, T *out)                                    \
    {                                                                                              \
        for (int64_t j = 0; j < first; j++)                                                        \
            for (int64_t a = 0; a < m; a++)                                                        \
                out[j * m + a] = S[place[first + a] + j * nb];                                     \
        for (int64_t j = first; j < first + m; j++)                                                \
            for (int64_t i = first; i < first + m; i++)                                            \
                out[j * m + i - first] = j > i ? S[place[j] + i * nb] : S[place[i] + j * nb];      \
        for (int64_t j0 = first + m; j0 < n; j0 += TURN)                                           \
            for (int64_t a0 = 0; a0 < m; a0 += TURN)                                               \
                for (int64_t a = a0; a < m && a < a0 + TURN; a++)                                  \
                    for (int64_t j = j0; j < n && j < j0 + TURN; j++)                              \
                        out[j * m + a] = S[place[j] + (first + a) * nb];                           \
    }                                                                                              \
    static void mirror_##suffix(T *tile, int64_t nb, int64_t n)                                    \
    {                                                                                              \
        for (int64_t j0 = 0; j0 < n; j0 += TURN)                                                   \
            for (int64_t i0 = j0; i0 < n; i0 += TURN)                                              \
                for (int64_t j = j0; j < n && j < j0 + TURN; j++)                                  \
                    for (int64_t i = i0 > j ? i0 : j + 1; i < n && i < i0 + TURN; i++)             \
                        tile[i * nb + j] = tile[j * nb + i];                                       \
    }                                                                                              \
    static void fold_##suffix(const T *C, int64_t nb, const int64_t *place, const int64_t *member, \
                              int64_t m, int64_t b, T *small)                                      \
    {                                                                                              \
        for (int64_t a = b; a < m; a++)                                                            \
            small[b * m + a] = C[place[member[a]] + member[b] * nb];                               \
    }                                                                                              \
    static void loo_##suffix(const T *K, const T *C, const T *t, const T *beta, int64_t m,         \
                             int64_t n, T *sum)                                                    \
    {                                                                                              \
        for (int64_t j = 0; j < n; j++) {                                                          \
            const T b = beta[j];                                                                   \
            if (C)                                                                                 \
                for (int64_t a = 0; a < m; a++)                                                    \
                    sum[a] += K[j * m + a] * (b - t[a] * C[j * m + a]);                            \
            else                                                                                   \
                for (int64_t a = 0; a < m; a++)                                                    \
                    sum[a] += K[j * m + a] * b;                                                    \
        }                                                                                          \
    }

DEFINE_LOOPS(float, f32)
DEFINE_LOOPS(double, f64)

static void turn_rows(const pt_vo_pass *p, const pt_tiles *S, const int64_t *place, int64_t first,
                      int64_t m, void *out)
{
    if (p->type == PT_F32)
        turn_f32(S->value, S->nb, place, S->n, first, m, out);
    else
        turn_f64(S->value, S->nb, place, S->n, first, m, out);
}

/* ---- one part: H, L, Z, C -------------------------------------------------------------------- */

typedef struct tile_builder {
    const run *r;
    int64_t part;
} tile_builder;

/* One tile of P o K. */
static pt_status build_tile(void *context, int64_t t, int worker_number, pt_error *err)
{
    (void)worker_number;
    (void)err;
    const tile_builder *b = context;
    const run *r = b->r;
    const pt_vo_pass *p = r->p;
    const pt_tiles *H = &r->H[b->part];
    const int64_t first = r->parts.first[b->part];
    int64_t I = 0;
    int64_t J = 0;
    pt_tiles_place(H, t, &I, &J);
    void *tile = pt_tile_at(H, I, J);
    const int64_t rows = pt_tile_rows(H, I);
    const int64_t columns = pt_tile_rows(H, J);
    const int64_t *row_i = r->parts.order + first + I * H->nb;
    const int64_t *row_j = r->parts.order + first + J * H->nb;
    if (p->type == PT_F32)
        pick_f32(p->base->value, p->base->nb, p->place, row_i, rows, row_j, columns, I == J, tile,
                 H->nb);
    else
        pick_f64(p->base->value, p->base->nb, p->place, row_i, rows, row_j, columns, I == J, tile,
                 H->nb);
    pt_kernel_map(&r->point->ls.kernel, p->type, rows, columns, tile, H->nb);
    pt_ls_couple_block(p->type, rows, columns, tile, H->nb, r->class32 + first + I * H->nb,
                       r->class32 + first + J * H->nb, r->Q, p->k,
                       r->point->rule == PT_BIAS_PENALISED);
    return PT_OK;
}

/* H <- Z for the factor route, C for the others; PT_ENUMERIC: not positive definite. */
static pt_status invert_part(const run *r, int64_t part, pt_error *err)
{
    const pt_vo_pass *p = r->p;
    pt_tiles *H = &r->H[part];
    tile_builder b = {r, part};
    int64_t bad_row = 0;
    pt_status status = pt_parallel_for(p->task, pt_tiles_count(H), build_tile, &b, err);
    if (status != PT_OK)
        return status;
    pt_tiles_add_diagonal(H, r->point->ls.ridge,
                          r->inverse_weight ? r->inverse_weight + r->parts.first[part] : NULL);
    status = pt_la_cholesky(H, &bad_row, p->task, err);
    if (status == PT_OK)
        status = pt_la_invert_factor(H, p->task, err);
    if (status != PT_OK || p->factor_route)
        return status;
    status = pt_la_factor_square(H, p->task, err);
    for (int64_t I = 0; I < H->side && status == PT_OK; I++) {
        if (p->type == PT_F32)
            mirror_f32(pt_tile_at(H, I, I), H->nb, pt_tile_rows(H, I));
        else
            mirror_f64(pt_tile_at(H, I, I), H->nb, pt_tile_rows(H, I));
    }
    return status;
}

/* ---- products with C ------------------------------------------------------------------------- */

typedef struct product {
    const pt_vo_pass *p;
    const pt_tiles *H; /* C, or Z */
    char *from;        /* H->n x columns */
    char *to;
    int64_t columns;
} product;

static char *block_of(const product *x, char *matrix, int64_t I)
{
    return at(x->p, matrix, I * x->H->nb);
}

/* to_I += op(tile) from_J. */
static pt_status add_tile(const product *x, char trans, const void *tile, int64_t I, int64_t J,
                          bool first, pt_error *err)
{
    return pt_la_long_gemm(x->p->type, trans, 'n', pt_tile_rows(x->H, I), x->columns,
                           pt_tile_rows(x->H, J), 1, tile, x->H->nb, block_of(x, x->from, J),
                           x->H->n, !first, block_of(x, x->to, I), x->H->n, x->p->task, err);
}

static pt_status inverse_block(void *context, int64_t I, int worker_number, pt_error *err)
{
    (void)worker_number;
    const product *x = context;
    for (int64_t J = 0; J < x->H->side; J++)
        PT_TRY(add_tile(x, J <= I ? 'n' : 't', pt_tile_at(x->H, J <= I ? I : J, J <= I ? J : I), I,
                        J, J == 0, err));
    return PT_OK;
}

/* to_I <- op(Z_II) from_I, a triangle. */
static void start_block(const product *x, char trans, int64_t I)
{
    const int64_t rows = pt_tile_rows(x->H, I);
    for (int64_t s = 0; s < x->columns; s++)
        memcpy(at(x->p, block_of(x, x->to, I), s * x->H->n),
               at(x->p, block_of(x, x->from, I), s * x->H->n), (size_t)rows * x->p->size);
    pt_la_backend()->trmm(x->p->type, 'l', trans, rows, x->columns, 1, pt_tile_at(x->H, I, I),
                          x->H->nb, block_of(x, x->to, I), x->H->n);
}

static pt_status factor_block(void *context, int64_t I, int worker_number, pt_error *err)
{
    (void)worker_number;
    const product *x = context;
    start_block(x, 'n', I);
    for (int64_t J = 0; J < I; J++)
        PT_TRY(add_tile(x, 'n', pt_tile_at(x->H, I, J), I, J, false, err));
    return PT_OK;
}

static pt_status factor_transposed_block(void *context, int64_t I, int worker_number, pt_error *err)
{
    (void)worker_number;
    const product *x = context;
    start_block(x, 't', I);
    for (int64_t J = I + 1; J < x->H->side; J++)
        PT_TRY(add_tile(x, 't', pt_tile_at(x->H, J, I), I, J, false, err));
    return PT_OK;
}

/* U (rows of the part x columns) <- C T. */
static pt_status multiply(const run *r, int64_t part, int64_t columns, pt_error *err)
{
    const pt_vo_pass *p = r->p;
    const pt_tiles *H = &r->H[part];
    product x = {p, H, r->w->T, p->factor_route ? r->w->Y : r->w->U, columns};
    if (!p->factor_route)
        return pt_parallel_for(p->task, H->side, inverse_block, &x, err);
    pt_status status = pt_parallel_for(p->task, H->side, factor_block, &x, err);
    x.from = r->w->Y;
    x.to = r->w->U;
    if (status == PT_OK)
        status = pt_parallel_for(p->task, H->side, factor_transposed_block, &x, err);
    return status;
}

/* ---- folds ----------------------------------------------------------------------------------- */

/* Rows of the part that are held out sorted by fold, ascending within a fold. */
static void list_members(const run *r, int64_t part, int64_t partition)
{
    const pt_vo_pass *p = r->p;
    const int64_t n = part_size(r, part);
    const int64_t n_folds = p->partitions->n_folds;
    const int64_t *position = r->parts.order + r->parts.first[part];
    const int64_t *column = p->column + partition * p->n;
    int64_t *first = r->w->first;
    memset(first, 0, (size_t)(n_folds + 1) * sizeof *first);
    for (int64_t i = 0; i < n; i++)
        if (column[position[i]] != PT_NEVER_HELD)
            first[column[position[i]] - partition * n_folds + 1]++;
    for (int64_t f = 0; f < n_folds; f++)
        first[f + 1] += first[f];
    for (int64_t i = 0; i < n; i++)
        if (column[position[i]] != PT_NEVER_HELD)
            r->w->member[first[column[position[i]] - partition * n_folds]++] = i;
    for (int64_t f = n_folds; f > 0; f--)
        first[f] = first[f - 1];
    first[0] = 0;
}

/* panel <- columns of the lower triangular Z, whole. */
static pt_status copy_columns(const pt_vo_pass *p, const pt_tiles *Z, const int64_t *member,
                              int64_t m, char *panel, pt_error *err)
{
    for (int64_t a = 0; a < m; a++) {
        PT_TRY(pt_task_check_row(p->task, a, Z->n, err));
        const int64_t J = member[a] / Z->nb;
        const int64_t inside = member[a] % Z->nb;
        char *to = at(p, panel, a * Z->n);
        memset(to, 0, (size_t)member[a] * p->size);
        for (int64_t I = J; I < Z->side; I++) {
            const int64_t skip = I == J ? inside : 0;
            memcpy(at(p, to, I * Z->nb + skip),
                   (const char *)pt_tile_at(Z, I, J) + (size_t)(inside * Z->nb + skip) * p->size,
                   (size_t)(pt_tile_rows(Z, I) - skip) * p->size);
        }
    }
    return PT_OK;
}

/* small <- C_FF, lower triangle. Z_F begins at the first of its members. */
static pt_status gather_fold(const run *r, int64_t part, const int64_t *member, int64_t m,
                             pt_error *err)
{
    const pt_vo_pass *p = r->p;
    const pt_vo_worker *w = r->w;
    const pt_tiles *H = &r->H[part];
    const int64_t *place = r->place + r->parts.first[part];
    if (p->factor_route) {
        PT_TRY(copy_columns(p, H, member, m, w->panel, err));
        return pt_la_long_syrk(p->type, 't', m, H->n - member[0], 1, at(p, w->panel, member[0]),
                               H->n, 0, w->small, m, p->task, err);
    }
    for (int64_t b = 0; b < m; b++) {
        PT_TRY(pt_task_check_row(p->task, b, m, err));
        if (p->type == PT_F32)
            fold_f32(H->value, H->nb, place, member, m, b, (float *)(void *)w->small);
        else
            fold_f64(H->value, H->nb, place, member, m, b, (double *)(void *)w->small);
    }
    return PT_OK;
}

/* T_F <- (C_FF)^-1 beta_F in the column of every fold. */
static pt_status solve_folds(const run *r, int64_t part, int64_t partition, pt_error *err)
{
    const pt_vo_pass *p = r->p;
    const pt_vo_worker *w = r->w;
    const int64_t n = part_size(r, part);
    const int64_t n_folds = p->partitions->n_folds;
    const char *beta = at(p, w->beta, r->parts.first[part]);
    list_members(r, part, partition);
    for (int64_t f = 0; f < n_folds; f++) {
        const int64_t *member = w->member + w->first[f];
        const int64_t m = w->first[f + 1] - w->first[f];
        if (m == 0)
            continue;
        pt_status status = pt_task_check(p->task, err);
        if (status != PT_OK)
            return status;
        PT_TRY(gather_fold(r, part, member, m, err));
        for (int64_t a = 0; a < m; a++)
            set_element(p, w->right, a, element(p, beta, member[a]));
        const pt_status factored = pt_la_long_cholesky(p->type, m, w->small, m, p->task, err);
        if (factored == PT_ENUMERIC) /* rounding, where H just was */
            return pt_fail(err, PT_ENUMERIC, "the matrix of a fold is not positive definite");
        PT_TRY(factored);
        PT_TRY(pt_la_long_solve(p->type, m, 1, w->small, m, w->right, m, p->task, err));
        for (int64_t a = 0; a < m; a++)
            set_element(p, w->T, (partition * n_folds + f) * n + member[a],
                        element(p, w->right, a));
    }
    return PT_OK;
}

/* V = beta 1^T - C T for the positions of a part, 0 in a row's own folds. */
static void fill_coefficients(const run *r, int64_t part)
{
    const pt_vo_pass *p = r->p;
    const pt_vo_worker *w = r->w;
    const int64_t n = part_size(r, part);
    const int64_t *position = r->parts.order + r->parts.first[part];
    const char *beta = at(p, w->beta, r->parts.first[part]);
    for (int64_t s = 0; s < p->columns; s++)
        for (int64_t i = 0; i < n; i++) {
            const double out = p->loo ? 0 : element(p, w->U, s * n + i);
            set_element(p, w->V, s * p->n + position[i], element(p, beta, i) - out);
        }
    for (int64_t q = 0; q < p->partitions->count && !p->loo; q++)
        for (int64_t i = 0; i < n; i++)
            if (p->column[q * p->n + position[i]] != PT_NEVER_HELD)
                set_element(p, w->V, p->column[q * p->n + position[i]] * p->n + position[i], 0);
}

/* Everything about a part but the outputs. */
static pt_status run_part(const run *r, int64_t part, pt_error *err)
{
    const pt_vo_pass *p = r->p;
    const pt_vo_worker *w = r->w;
    const int64_t n = part_size(r, part);
    PT_TRY(invert_part(r, part, err));
    for (int64_t i = 0; i < n; i++)
        set_element(p, w->T, i, 1);
    PT_TRY(multiply(r, part, 1, err)); /* beta = C 1 */
    memcpy(at(p, w->beta, r->parts.first[part]), w->U, (size_t)n * p->size);
    if (!p->loo) {
        memset(w->T, 0, (size_t)(n * p->columns) * p->size);
        for (int64_t q = 0; q < p->partitions->count; q++)
            PT_TRY(solve_folds(r, part, q, err));
        PT_TRY(multiply(r, part, p->columns, err));
    }
    fill_coefficients(r, part);
    return PT_OK;
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* The scratch of a thread: K and, for leave-one-out, C of a chunk; outputs; t. */
size_t pt_vo_chunk_bytes(const pt_vo_pass *p)
{
    const int64_t wide = p->loo ? 2 * p->n + 2 : p->n + p->columns;
    return pt_arena_need(PT_VO_CHUNK * wide, p->size);
}

/* outputs (m x columns) -> the scores of the chunk for class c, in every partition. */
static void take_own_columns(const pt_vo_pass *p, const pt_vo_worker *w, int64_t first, int64_t m,
                             int64_t c, const char *outputs)
{
    for (int64_t q = 0; q < p->partitions->count; q++)
        for (int64_t a = 0; a < m; a++) {
            const int64_t column = p->loo ? 0 : p->column[q * p->n + first + a];
            if (column == PT_NEVER_HELD)
                continue;
            w->scores[(q * p->n + p->order[first + a]) * p->k + c] =
                element(p, outputs, column * m + a);
        }
}

/* K of a chunk against all positions. */
static void chunk_kernel(const run *r, int64_t first, int64_t m, char *K)
{
    const pt_vo_pass *p = r->p;
    turn_rows(p, p->base, p->place, first, m, K);
    pt_kernel_map(&r->point->ls.kernel, p->type, m, p->n, K, m);
    for (int64_t i = 0; r->point->rule == PT_BIAS_PENALISED && i < m * p->n; i++)
        set_element(p, K, i, element(p, K, i) + 1);
}

static pt_status chunk_of_folds(void *context, int64_t chunk, int room, pt_error *err)
{
    const run *r = context;
    const pt_vo_pass *p = r->p;
    const int64_t first = p->chunk_first[chunk];
    const int64_t m = p->chunk_first[chunk + 1] - first;
    char *K = r->w->chunks + (size_t)room * pt_vo_chunk_bytes(p);
    char *outputs = at(p, K, m * p->n);
    chunk_kernel(r, first, m, K);
    for (int64_t c = 0; c < p->k; c++) {
        const int64_t from = p->class_first[c];
        PT_TRY(pt_la_long_gemm(p->type, 'n', 'n', m, p->columns, p->class_first[c + 1] - from, 1,
                               at(p, K, from * m), m, at(p, r->w->V, from), p->n, 0, outputs, m,
                               p->task, err));
        take_own_columns(p, r->w, first, m, c, outputs);
    }
    return PT_OK;
}

/* A chunk of one class: its rows lie in one part, side by side. */
static pt_status chunk_of_ones(void *context, int64_t chunk, int room, pt_error *err)
{
    (void)err;
    const run *r = context;
    const pt_vo_pass *p = r->p;
    const int64_t first = p->chunk_first[chunk];
    const int64_t m = p->chunk_first[chunk + 1] - first;
    const int64_t part = r->parts.part_of[p->problem->class_of[first]];
    const pt_tiles *C = &r->H[part];
    const int64_t *place = r->place + r->parts.first[part];
    char *K = r->w->chunks + (size_t)room * pt_vo_chunk_bytes(p);
    char *C_rows = at(p, K, m * p->n);
    char *sum = at(p, C_rows, m * p->n);
    char *t = at(p, sum, m);
    chunk_kernel(r, first, m, K);
    turn_rows(p, C, place, r->local[first], m, C_rows);
    for (int64_t a = 0; a < m; a++) {
        const double own = element(p, C_rows, (r->local[first] + a) * m + a); /* C_aa */
        set_element(p, t, a, element(p, r->w->V, first + a) / own);
        set_element(p, K, (first + a) * m + a, 0);
    }
    for (int64_t c = 0; c < p->k; c++) {
        const int64_t from = p->class_first[c];
        const int64_t count = p->class_first[c + 1] - from;
        const bool same = count > 0 && r->parts.part_of[c] == part;
        const void *C_c = same ? at(p, C_rows, r->local[from] * m) : NULL;
        memset(sum, 0, (size_t)m * p->size);
        if (p->type == PT_F32)
            loo_f32((const float *)(const void *)at(p, K, from * m), C_c,
                    (const float *)(const void *)t,
                    (const float *)(const void *)at(p, r->w->V, from), m, count,
                    (float *)(void *)sum);
        else
            loo_f64((const double *)(const void *)at(p, K, from * m), C_c,
                    (const double *)(const void *)t,
                    (const double *)(const void *)at(p, r->w->V, from), m, count,
                    (double *)(void *)sum);
        take_own_columns(p, r->w, first, m, c, sum);
    }
    return PT_OK;
}

/* In parallel where there is room for that. */
static pt_status all_chunks(const run *r, pt_error *err)
{
    const pt_vo_pass *p = r->p;
    const pt_parallel_fn body = p->loo ? chunk_of_ones : chunk_of_folds;
    if (p->n_rooms > 1)
        return pt_parallel_for(p->task, p->n_chunks, body, (void *)r, err);
    for (int64_t i = 0; i < p->n_chunks; i++) {
        PT_TRY(pt_task_check(p->task, err));
        PT_TRY(body((void *)r, i, 0, err));
    }
    return PT_OK;
}

/* ---- a point --------------------------------------------------------------------------------- */

static void run_free(run *r)
{
    pt_label_space_free(&r->space);
    pt_vo_parts_free(&r->parts);
    pt_free(r->H);
    pt_free(r->Q);
    pt_free(r->local);
    pt_free(r->place);
    pt_free(r->class32);
    pt_free(r->inverse_weight);
}

/* The matrices of all parts, in the worker's memory. */
static pt_status lay_out_parts(run *r, pt_error *err)
{
    const pt_vo_pass *p = r->p;
    size_t bytes = 0;
    for (int64_t q = 0; q < r->parts.count; q++)
        bytes += pt_arena_need(pt_tiles_bytes(part_size(r, q), p->type), 1);
    if (bytes > r->w->H_bytes) {
        pt_free(r->w->H);
        r->w->H_bytes = 0;
        r->w->H = pt_alloc((int64_t)bytes, 1, "the tiles of a matrix", err);
        if (!r->w->H)
            return PT_ENOMEM;
        r->w->H_bytes = bytes;
    }
    char *next = r->w->H;
    for (int64_t q = 0; q < r->parts.count; q++) {
        const int64_t n = part_size(r, q);
        const int64_t nb = pt_tile_size(n);
        r->H[q] = (pt_tiles){n, nb, (n + nb - 1) / nb, p->type, next};
        next += pt_arena_need(pt_tiles_bytes(n, p->type), 1);
        for (int64_t i = 0; i < n; i++)
            r->place[r->parts.first[q] + i] = pt_vo_place(&r->H[q], i);
    }
    return PT_OK;
}

static pt_status run_init(run *r, pt_error *err)
{
    const pt_vo_pass *p = r->p;
    const double *weight = p->problem->weight;
    PT_TRY(pt_label_space_init(&r->space, r->point->params, p->k, p->size_of, p->source->label_gram,
                               true, err));
    PT_TRY(pt_vo_parts_init(&r->parts, &r->space, p->problem->class_of, p->n, err));
    PT_TRY(pt_ls_narrow_products(&r->Q, p->type, r->space.Q, p->k, err));
    r->H = pt_alloc(r->parts.count, sizeof(pt_tiles), "the parts of a matrix", err);
    r->local = pt_alloc(p->n, sizeof(int64_t), "the parts of a matrix", err);
    r->place = pt_alloc(p->n, sizeof(int64_t), "the parts of a matrix", err);
    r->class32 = pt_alloc(p->n, sizeof(int32_t), "classes", err);
    r->inverse_weight = weight ? pt_alloc(p->n, sizeof(double), "weights", err) : NULL;
    if (!r->H || !r->local || !r->place || !r->class32 || (weight && !r->inverse_weight))
        return PT_ENOMEM;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t position = r->parts.order[i];
        const int64_t class = p->problem->class_of[position];
        r->local[position] = i - r->parts.first[r->parts.part_of[class]];
        r->class32[i] = (int32_t) class;
        if (weight)
            r->inverse_weight[i] = 1 / weight[position];
    }
    return lay_out_parts(r, err);
}

static pt_status hand_over(const run *r, int64_t point, bool found, pt_error *err)
{
    const pt_vo_pass *p = r->p;
    for (int64_t q = 0; q < p->partitions->count; q++)
        PT_TRY(p->take(p->context, point, q, found ? r->w->scores + q * p->n * p->k : NULL, err));
    return PT_OK;
}

pt_status pt_vo_run_point(void *context, int64_t index, int worker_number, pt_error *err)
{
    const pt_vo_pass *p = context;
    const int64_t point = p->chosen[index];
    run r = {.p = p, .w = &p->workers[worker_number], .point = &p->points[point]};
    pt_status status = run_init(&r, err);
    for (int64_t q = 0; status == PT_OK && q < r.parts.count; q++)
        status = run_part(&r, q, err);
    if (status == PT_OK)
        status = all_chunks(&r, err);
    if (status == PT_OK || status == PT_ENUMERIC)
        status = hand_over(&r, point, status == PT_OK, err);
    run_free(&r);
    return status;
}
