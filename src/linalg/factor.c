/* Cholesky factor of a tiled matrix, solves with it, its inverse, and the square of that inverse.
 *
 * Each operation is one parallel loop whose indices are tiles (or block rows), each computed by one
 * worker from beginning to end, in an order fixed by the formula. An index waits for the tiles it
 * reads (base/flow.h), so there are no barriers, and the result does not depend on the number of
 * workers. All are written to read tiles as they become ready, oldest first.
 *
 *   K, L, Z, C   n x n, lower triangle of tiles; I, J, P count tiles; S = side
 *   factor   L_IJ = (K_IJ - sum_{P<J} L_IP L_JP^T) L_JJ^-T            n^3/3 flops, by block columns
 *   invert   Z_IJ = -Z_II (L_IJ Z_JJ + sum_{J<P<I} L_IP Z_PJ)         n^3/3, by block columns
 *   square   C_IJ = sum_{P>=I} Z_PI^T Z_PJ                            n^3/3, by block rows
 *   solve    X_I = L_II^-1 (B_I - sum_{P<I} L_IP X_P), then with L^T  2 n^2 ell
 *
 * In place: `invert` overwrites L_IJ only after (I, J-1) is done, the last to read it; `square`
 * overwrites Z_IJ only after the rows above have read it. */
#include <stdatomic.h>
#include <stdbool.h>

#include "base/flow.h"
#include "base/parallel.h"
#include "linalg/linalg.h"

typedef struct factor_work {
    pt_tiles *tiles;
    const pt_backend *ops;
    pt_flow *flow; /* one counter a tile (or block row): 1 once done */
    const pt_task *task;
    const char *stage;        /* what progress is called */
    double total;             /* flops of the whole, in products of tiles */
    atomic_int_fast64_t done; /* the same, finished */
    int64_t *bad_row;         /* cholesky: where the matrix is not positive definite */
    char *B;                  /* solve: right-hand sides, n x ell */
    int64_t ell;
    int64_t ldb;
} factor_work;

/* ---- small helpers --------------------------------------------------------------------------- */

static void *at(const factor_work *work, int64_t I, int64_t J)
{
    return pt_tile_at(work->tiles, I, J);
}

static int64_t slot(int64_t I, int64_t J)
{
    return I * (I + 1) / 2 + J;
}

static pt_status wait_for(factor_work *work, int64_t index, int64_t I, int64_t J, pt_error *err)
{
    return pt_flow_wait(work->flow, index, slot(I, J), 1, err);
}

/* Between products, where nothing is waited for. */
static pt_status go_on(factor_work *work, int64_t index, pt_error *err)
{
    const pt_status status = pt_task_check(work->task, err);
    return status == PT_OK ? PT_OK : pt_flow_fail(work->flow, index, status);
}

static void finish(factor_work *work, int64_t where, int64_t products)
{
    pt_flow_post(work->flow, where, 1);
    const int64_t done = atomic_fetch_add(&work->done, products) + products;
    if (work->stage)
        pt_task_progress(work->task, work->stage, (double)done, work->total);
}

static pt_status work_run(factor_work *work, int64_t slots, int64_t indices, pt_parallel_fn body,
                          pt_error *err)
{
    pt_status status = pt_flow_new(&work->flow, slots, work->task, err);
    if (status == PT_OK)
        status = pt_parallel_for(work->task, indices, body, work, err);
    pt_flow_free(work->flow);
    work->flow = NULL; /* a second run that finds no memory must not free it again */
    return status;
}

/* Products of tiles in a triangle operation: sum over tiles of the length of their sum. */
static double triangle_products(int64_t side)
{
    const double s = (double)side;
    return s * (s + 1) * (s + 2) / 6;
}

/* ---- K = L L^T ------------------------------------------------------------------------------- */

static pt_status factor_diagonal(factor_work *work, int64_t index, int64_t J, pt_error *err)
{
    pt_tiles *K = work->tiles;
    const int64_t nb = K->nb;
    const int64_t rows = pt_tile_rows(K, J);
    for (int64_t P = 0; P < J; P++) {
        const pt_status status = wait_for(work, index, J, P, err);
        if (status != PT_OK)
            return pt_flow_fail(work->flow, index, status);
        work->ops->syrk(K->type, 'n', rows, nb, -1, at(work, J, P), nb, 1, at(work, J, J), nb);
    }
    const int64_t bad = work->ops->potrf(K->type, rows, at(work, J, J), nb);
    if (bad > 0) {
        pt_flow_fail(work->flow, index, PT_ENUMERIC);
        if (work->bad_row) /* only the lowest index writes: those above wait for this tile */
            *work->bad_row = J * nb + bad - 1;
        return pt_fail(err, PT_ENUMERIC, "the matrix is not positive definite at row %lld",
                       (long long)(J * nb + bad - 1));
    }
    finish(work, slot(J, J), J + 1);
    return PT_OK;
}

static pt_status factor_below(factor_work *work, int64_t index, int64_t I, int64_t J, pt_error *err)
{
    pt_tiles *K = work->tiles;
    const int64_t nb = K->nb;
    const int64_t rows = pt_tile_rows(K, I);
    for (int64_t P = 0; P < J; P++) {
        pt_status status = wait_for(work, index, I, P, err);
        if (status == PT_OK)
            status = wait_for(work, index, J, P, err);
        if (status != PT_OK)
            return pt_flow_fail(work->flow, index, status);
        work->ops->gemm(K->type, 'n', 't', rows, nb, nb, -1, at(work, I, P), nb, at(work, J, P), nb,
                        1, at(work, I, J), nb);
    }
    const pt_status status = wait_for(work, index, J, J, err);
    if (status != PT_OK)
        return pt_flow_fail(work->flow, index, status);
    work->ops->trsm(K->type, 'r', 't', rows, nb, 1, at(work, J, J), nb, at(work, I, J), nb);
    finish(work, slot(I, J), J + 1);
    return PT_OK;
}

static pt_status factor_tile(void *context, int64_t index, int worker, pt_error *err)
{
    (void)worker;
    factor_work *work = context;
    int64_t I = 0;
    int64_t J = 0;
    pt_tiles_place(work->tiles, index, &I, &J);
    return I == J ? factor_diagonal(work, index, J, err) : factor_below(work, index, I, J, err);
}

pt_status pt_la_cholesky(pt_tiles *K, int64_t *bad_row, const pt_task *task, pt_error *err)
{
    factor_work work = {.tiles = K,
                        .ops = pt_la_backend(),
                        .task = task,
                        .stage = "factorising",
                        .total = triangle_products(K->side),
                        .bad_row = bad_row};
    const int64_t count = pt_tiles_count(K);
    return work_run(&work, count, count, factor_tile, err);
}

/* ---- L <- L^-1 ------------------------------------------------------------------------------- */

static pt_status invert_diagonal(void *context, int64_t J, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    factor_work *work = context;
    pt_tiles *L = work->tiles;
    work->ops->trtri(L->type, pt_tile_rows(L, J), at(work, J, J), L->nb);
    return PT_OK;
}

static pt_status invert_below(factor_work *work, int64_t index, int64_t I, int64_t J, pt_error *err)
{
    pt_tiles *L = work->tiles;
    const int64_t nb = L->nb;
    const int64_t rows = pt_tile_rows(L, I);
    if (J > 0) { /* the last that reads L_IJ */
        const pt_status status = wait_for(work, index, I, J - 1, err);
        if (status != PT_OK)
            return pt_flow_fail(work->flow, index, status);
    }
    work->ops->trmm(L->type, 'r', 'n', rows, nb, 1, at(work, J, J), nb, at(work, I, J), nb);
    for (int64_t P = J + 1; P < I; P++) {
        const pt_status status = wait_for(work, index, P, J, err);
        if (status != PT_OK)
            return pt_flow_fail(work->flow, index, status);
        work->ops->gemm(L->type, 'n', 'n', rows, nb, nb, 1, at(work, I, P), nb, at(work, P, J), nb,
                        1, at(work, I, J), nb);
    }
    work->ops->trmm(L->type, 'l', 'n', rows, nb, -1, at(work, I, I), nb, at(work, I, J), nb);
    finish(work, slot(I, J), I - J + 1);
    return PT_OK;
}

static pt_status invert_tile(void *context, int64_t index, int worker, pt_error *err)
{
    (void)worker;
    factor_work *work = context;
    int64_t I = 0;
    int64_t J = 0;
    pt_tiles_place(work->tiles, index, &I, &J);
    if (I > J)
        return invert_below(work, index, I, J, err);
    finish(work, slot(J, J), 1); /* inverted before */
    return PT_OK;
}

pt_status pt_la_invert_factor(pt_tiles *L, const pt_task *task, pt_error *err)
{
    factor_work work = {.tiles = L,
                        .ops = pt_la_backend(),
                        .task = task,
                        .stage = "inverting",
                        .total = triangle_products(L->side)};
    PT_TRY(pt_parallel_for(task, L->side, invert_diagonal, &work, err));
    const int64_t count = pt_tiles_count(L);
    return work_run(&work, count, count, invert_tile, err);
}

/* ---- Z <- Z^T Z ------------------------------------------------------------------------------ */

/* Everything above row I that reads Z_IJ: the tiles of block column J, and block row J. */
static pt_status wait_for_readers(factor_work *work, int64_t index, int64_t I, int64_t J,
                                  pt_error *err)
{
    for (int64_t P = J; P < I; P++)
        PT_TRY(wait_for(work, index, P, J, err));
    for (int64_t P = 0; P < J && J < I; P++)
        PT_TRY(wait_for(work, index, J, P, err));
    return PT_OK;
}

static pt_status square_tile(void *context, int64_t index, int worker, pt_error *err)
{
    (void)worker;
    factor_work *work = context;
    pt_tiles *Z = work->tiles;
    const int64_t nb = Z->nb;
    int64_t I = 0;
    while ((I + 1) * (I + 2) / 2 <= index)
        I++;
    const int64_t J = index - I * (I + 1) / 2;
    const int64_t rows = pt_tile_rows(Z, I);

    pt_status status = wait_for_readers(work, index, I, J, err);
    if (I == J) /* the tiles to the left read Z_II */
        for (int64_t P = 0; P < I && status == PT_OK; P++)
            status = wait_for(work, index, I, P, err);
    if (status != PT_OK)
        return pt_flow_fail(work->flow, index, status);

    if (I == J) {
        work->ops->lauum(Z->type, rows, at(work, I, I), nb);
        for (int64_t P = I + 1; P < Z->side; P++) {
            PT_TRY(go_on(work, index, err));
            work->ops->syrk(Z->type, 't', rows, pt_tile_rows(Z, P), 1, at(work, P, I), nb, 1,
                            at(work, I, I), nb);
        }
    } else {
        work->ops->trmm(Z->type, 'l', 't', rows, nb, 1, at(work, I, I), nb, at(work, I, J), nb);
        for (int64_t P = I + 1; P < Z->side; P++) {
            PT_TRY(go_on(work, index, err));
            work->ops->gemm(Z->type, 't', 'n', rows, nb, pt_tile_rows(Z, P), 1, at(work, P, I), nb,
                            at(work, P, J), nb, 1, at(work, I, J), nb);
        }
    }
    finish(work, slot(I, J), Z->side - I);
    return PT_OK;
}

pt_status pt_la_factor_square(pt_tiles *Z, const pt_task *task, pt_error *err)
{
    factor_work work = {.tiles = Z,
                        .ops = pt_la_backend(),
                        .task = task,
                        .stage = "squaring",
                        .total = triangle_products(Z->side)};
    const int64_t count = pt_tiles_count(Z);
    return work_run(&work, count, count, square_tile, err);
}

/* ---- B <- (L L^T)^-1 B ----------------------------------------------------------------------- */

static char *block_of(const factor_work *work, int64_t I)
{
    return work->B + (size_t)(I * work->tiles->nb) * pt_type_size(work->tiles->type);
}

/* X_I = L_II^-1 (B_I - sum_{P<I} L_IP X_P) */
static pt_status solve_forward(void *context, int64_t I, int worker, pt_error *err)
{
    (void)worker;
    factor_work *work = context;
    const pt_tiles *L = work->tiles;
    const int64_t rows = pt_tile_rows(L, I);
    for (int64_t P = 0; P < I; P++) {
        pt_status status = pt_flow_wait(work->flow, I, P, 1, err);
        if (status == PT_OK)
            status = pt_la_long_gemm(L->type, 'n', 'n', rows, work->ell, L->nb, -1, at(work, I, P),
                                     L->nb, block_of(work, P), work->ldb, 1, block_of(work, I),
                                     work->ldb, work->task, err);
        if (status != PT_OK)
            return pt_flow_fail(work->flow, I, status);
    }
    const pt_status status = pt_la_long_trsm(L->type, false, rows, work->ell, at(work, I, I), L->nb,
                                             block_of(work, I), work->ldb, work->task, err);
    if (status != PT_OK)
        return pt_flow_fail(work->flow, I, status);
    finish(work, I, I + 1);
    return PT_OK;
}

/* X_I = L_II^-T (B_I - sum_{P>I} L_PI^T X_P), from the last block row up */
static pt_status solve_backward(void *context, int64_t index, int worker, pt_error *err)
{
    (void)worker;
    factor_work *work = context;
    const pt_tiles *L = work->tiles;
    const int64_t I = L->side - 1 - index;
    const int64_t rows = pt_tile_rows(L, I);
    for (int64_t P = L->side - 1; P > I; P--) {
        pt_status status = pt_flow_wait(work->flow, index, P, 1, err);
        if (status == PT_OK)
            status = pt_la_long_gemm(L->type, 't', 'n', rows, work->ell, pt_tile_rows(L, P), -1,
                                     at(work, P, I), L->nb, block_of(work, P), work->ldb, 1,
                                     block_of(work, I), work->ldb, work->task, err);
        if (status != PT_OK)
            return pt_flow_fail(work->flow, index, status);
    }
    const pt_status status = pt_la_long_trsm(L->type, true, rows, work->ell, at(work, I, I), L->nb,
                                             block_of(work, I), work->ldb, work->task, err);
    if (status != PT_OK)
        return pt_flow_fail(work->flow, index, status);
    finish(work, I, index + 1);
    return PT_OK;
}

pt_status pt_la_cholesky_solve(const pt_tiles *L, void *B, int64_t ell, int64_t ldb,
                               const pt_task *task, pt_error *err)
{
    pt_tiles factor = *L; /* the same values: solving does not change them */
    factor_work work = {
        .tiles = &factor, .ops = pt_la_backend(), .task = task, .B = B, .ell = ell, .ldb = ldb};
    if (ell <= 0)
        return PT_OK;
    PT_TRY(work_run(&work, L->side, L->side, solve_forward, err));
    return work_run(&work, L->side, L->side, solve_backward, err);
}

/* ---- G <- G + B B^T ----------------------------------------------------------------------------
 *
 * On the lower triangle of tiles: how a product of a symmetric matrix with itself is formed from
 * panels of its columns.
 *
 *   G   n x n      lower tiles        B   n x width   column-major, leading dimension ldb
 *
 * G_IJ += B_I B_J^T, one index a tile: n^2 width multiplications in all. Panels that follow one
 * another are summed in their order, on any number of threads. */

typedef struct update_work {
    pt_tiles *G;
    const char *B;
    int64_t ldb;
    int64_t width;
    const pt_task *task;
} update_work;

static const void *rows_of(const update_work *work, int64_t I)
{
    return work->B + (size_t)(I * work->G->nb) * pt_type_size(work->G->type);
}

static pt_status update_tile(void *context, int64_t index, int worker, pt_error *err)
{
    (void)worker;
    const update_work *work = context;
    const pt_tiles *G = work->G;
    int64_t I = 0;
    int64_t J = 0;
    pt_tiles_place(G, index, &I, &J);
    const int64_t rows = pt_tile_rows(G, I);
    void *tile = pt_tile_at(G, I, J);
    return I == J ? pt_la_long_syrk(G->type, 'n', rows, work->width, 1, rows_of(work, I), work->ldb,
                                    1, tile, G->nb, work->task, err)
                  : pt_la_long_gemm(G->type, 'n', 't', rows, G->nb, work->width, 1,
                                    rows_of(work, I), work->ldb, rows_of(work, J), work->ldb, 1,
                                    tile, G->nb, work->task, err);
}

pt_status pt_la_rank_update(pt_tiles *G, const void *B, int64_t width, int64_t ldb,
                            const pt_task *task, pt_error *err)
{
    update_work work = {G, B, ldb, width, task};
    if (width <= 0)
        return PT_OK;
    return pt_parallel_for(task, pt_tiles_count(G), update_tile, &work, err);
}
