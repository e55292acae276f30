/* Runs over all blocks of a Gram matrix: into tiles, or times a matrix without ever being held.
 *
 *   tiles      tile (I, J) of the lower triangle, one index each
 *   symmetric  K_IJ is computed once and used twice: out_I += K_IJ A_J and out_J += K_IJ^T A_I.
 * Blocks meet as in a round-robin tournament: in a round every block is in one pair at most, and a
 * pair waits until both its blocks have played the round before. So every out_I is summed in the
 * order of the rounds, on any number of threads. */
#include "kernels/gram_rows.h"

#include <string.h>

#include "base/alloc.h"
#include "base/flow.h"
#include "base/math.h"
#include "base/parallel.h"
#include "linalg/linalg.h"

/* A block of values stays in the second-level cache. */
enum { BLOCK_ROWS = 256 };
/* Columns of a tile that are computed together, in a diagonal one from the diagonal down; of very
 * long rows fewer, so that somebody who wants to stop does not wait. */
enum { STRIP = 128, LEAST_STRIP = 16 };

typedef struct gram_work {
    const pt_gram *a;
    const pt_gram *b;
    const pt_kernel *kernel;
    pt_tiles *tiles;
    const void *A;
    int64_t lda;
    int64_t ell;
    void *out;
    const pt_task *task;
    pt_flow *flow;
    int64_t blocks; /* symmetric: blocks of rows */
    int64_t seats;  /* the same, rounded up to even */
    char *scratch;
    size_t scratch_bytes; /* a worker */
    size_t block_bytes;   /* of them: the block of values, first */
} gram_work;

static char *scratch_of(const gram_work *work, int worker)
{
    return work->scratch + (size_t)worker * work->scratch_bytes;
}

/* Scratch for every worker of a loop over `indices`: a block of m x n values, then pt_gram_scratch.
 */
static pt_status work_scratch(gram_work *work, int64_t m, int64_t n, bool with_block,
                              int64_t indices, const pt_task *task, pt_error *err)
{
    const int workers = pt_parallel_workers(task, indices);
    work->block_bytes = with_block ? pt_arena_need(m * n, pt_type_size(work->a->type)) : 0;
    work->scratch_bytes = work->block_bytes + pt_gram_scratch(work->a, work->b, m, n);
    work->scratch = pt_alloc(workers, work->scratch_bytes, "work space for kernel blocks", err);
    return work->scratch ? PT_OK : PT_ENOMEM;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static pt_status diagonal_tile(const gram_work *work, int64_t I, void *scratch, pt_error *err)
{
    const pt_tiles *tiles = work->tiles;
    const int64_t rows = pt_tile_rows(tiles, I);
    void *tile = pt_tile_at(tiles, I, I);
    for (int64_t j = 0; j < rows; j += STRIP) {
        PT_TRY(pt_task_check(work->task, err));
        PT_TRY(pt_gram_block_mapped(work->a, I * tiles->nb + j, rows - j, work->b,
                                    I * tiles->nb + j, pt_lesser(STRIP, rows - j), work->kernel,
                                    pt_real_at(tiles->type, tile, j + j * tiles->nb), tiles->nb,
                                    scratch, err));
    }
    return PT_OK;
}

/* Rows that BLAS takes as they lie meet strip by strip; others all at once, see gram_block.c. */
static pt_status full_tile(const gram_work *work, int64_t I, int64_t J, void *scratch,
                           pt_error *err)
{
    const pt_tiles *tiles = work->tiles;
    const int64_t nb = tiles->nb;
    const int64_t rows = pt_tile_rows(tiles, I);
    const bool ready = !work->a->sparse && work->a->operand && work->b->operand;
    int64_t strip = ready ? STRIP : nb;
    while (ready && strip > LEAST_STRIP &&
           (double)strip * (double)rows * (double)work->a->rows.d > PT_GRAM_PRODUCTS)
        strip /= 2;
    for (int64_t j = 0; j < nb; j += strip) {
        PT_TRY(pt_task_check(work->task, err));
        PT_TRY(pt_gram_block_mapped(
            work->a, I * nb, rows, work->b, J * nb + j, pt_lesser(strip, nb - j), work->kernel,
            pt_real_at(tiles->type, pt_tile_at(tiles, I, J), j * nb), nb, scratch, err));
    }
    return PT_OK;
}

static pt_status tile_body(void *context, int64_t t, int worker, pt_error *err)
{
    const gram_work *work = context;
    const pt_tiles *tiles = work->tiles;
    const int64_t nb = tiles->nb;
    int64_t I = 0;
    int64_t J = 0;
    pt_tiles_place(tiles, t, &I, &J);
    void *tile = pt_tile_at(tiles, I, J);
    const int64_t rows = pt_tile_rows(tiles, I);
    if (I == J || rows < nb) /* what lies outside of the matrix is 0, not leftovers */
        memset(tile, 0, (size_t)(nb * nb) * pt_type_size(tiles->type));
    return I == J ? diagonal_tile(work, I, scratch_of(work, worker), err)
                  : full_tile(work, I, J, scratch_of(work, worker), err);
}

pt_status pt_gram_tiles(const pt_gram *gram, const pt_kernel *kernel, pt_tiles *out,
                        const pt_task *task, pt_error *err)
{
    if (out->n != gram->rows.n || out->type != gram->type)
        return pt_fail(err, PT_EINVAL, "the tiles are not of the order or the type of the rows");
    gram_work work = {.a = gram, .b = gram, .kernel = kernel, .tiles = out, .task = task};
    const int64_t count = pt_tiles_count(out);
    pt_status status = work_scratch(&work, out->nb, out->nb, false, count, task, err);
    if (status == PT_OK)
        status = pt_parallel_for_stage(task, "kernel matrix", count, tile_body, &work, err);
    pt_free(work.scratch);
    return status;
}

/* ---- K A, K symmetric ------------------------------------------------------------------------ */

/* Pair number `index` in the order of play: round 0 is every block with itself; then seats - 1
 * rounds of seats / 2 pairs. In round r the last seat meets r, and r + k meets r - k. */
static void pair_of(const gram_work *work, int64_t index, int64_t *round, int64_t *I, int64_t *J)
{
    if (index < work->blocks) {
        *round = 0;
        *I = index;
        *J = index;
        return;
    }
    const int64_t seats = work->seats;
    const int64_t others = seats - 1;
    const int64_t r = (index - work->blocks) / (seats / 2);
    const int64_t k = (index - work->blocks) % (seats / 2);
    *round = r + 1;
    *I = k == 0 ? others : (r + k) % others;
    *J = k == 0 ? r : (r - k + others) % others;
}

static void *rows_of(const gram_work *work, const void *matrix, int64_t I)
{
    return pt_real_at(work->a->type, matrix, I * BLOCK_ROWS);
}

/* out_I += op(K) A_J; the first to write sets it. */
static pt_status add_product(const gram_work *work, char trans, int64_t m, int64_t n, const void *K,
                             int64_t ld, int64_t I, int64_t J, bool first, pt_error *err)
{
    return pt_la_long_gemm(work->a->type, trans, 'n', m, work->ell, n, 1, K, ld,
                           rows_of(work, work->A, J), work->lda, !first,
                           rows_of(work, work->out, I), work->a->rows.n, work->task, err);
}

/* Waits until both blocks have played the rounds before. */
static pt_status wait_for_pair(const gram_work *work, int64_t index, int64_t round, int64_t I,
                               int64_t J, pt_error *err)
{
    pt_status status = pt_flow_wait(work->flow, index, I, round, err);
    if (status == PT_OK)
        status = pt_flow_wait(work->flow, index, J, round, err);
    return status == PT_OK ? PT_OK : pt_flow_fail(work->flow, index, status);
}

static pt_status symmetric_body(void *context, int64_t index, int worker, pt_error *err)
{
    const gram_work *work = context;
    int64_t round = 0;
    int64_t I = 0;
    int64_t J = 0;
    pair_of(work, index, &round, &I, &J);
    const bool bye = I >= work->blocks; /* an odd number of blocks: one has no partner */
    if (bye)
        I = J;
    const int64_t n = work->a->rows.n;
    const int64_t rows = pt_lesser(BLOCK_ROWS, n - I * BLOCK_ROWS);
    const int64_t columns = pt_lesser(BLOCK_ROWS, n - J * BLOCK_ROWS);
    char *values = scratch_of(work, worker);
    pt_status status = PT_OK;
    if (!bye)
        status =
            pt_gram_block_mapped(work->a, I * BLOCK_ROWS, rows, work->b, J * BLOCK_ROWS, columns,
                                 work->kernel, values, rows, values + work->block_bytes, err);
    if (status != PT_OK)
        return pt_flow_fail(work->flow, index, status);

    PT_TRY(wait_for_pair(work, index, round, I, J, err));
    if (!bye)
        status = add_product(work, 'n', rows, columns, values, rows, I, J, round == 0, err);
    if (!bye && I != J && status == PT_OK)
        status = add_product(work, 't', columns, rows, values, rows, J, I, false, err);
    if (status != PT_OK)
        return pt_flow_fail(work->flow, index, status);
    pt_flow_post(work->flow, I, round + 1);
    pt_flow_post(work->flow, J, round + 1);
    return PT_OK;
}

pt_status pt_gram_apply_symmetric(const pt_gram *gram, const pt_kernel *kernel, const void *A,
                                  int64_t lda, int64_t ell, void *out, const pt_task *task,
                                  pt_error *err)
{
    gram_work work = {.a = gram,
                      .b = gram,
                      .kernel = kernel,
                      .A = A,
                      .lda = lda,
                      .ell = ell,
                      .out = out,
                      .task = task};
    work.blocks = (gram->rows.n + BLOCK_ROWS - 1) / BLOCK_ROWS;
    work.seats = work.blocks + work.blocks % 2;
    const int64_t pairs =
        work.blocks > 1 ? work.blocks + (work.seats - 1) * (work.seats / 2) : work.blocks;
    const int64_t most = pt_lesser(BLOCK_ROWS, gram->rows.n); /* rows of a block */
    pt_status status = pt_flow_new(&work.flow, work.blocks, task, err);
    if (status == PT_OK)
        status = work_scratch(&work, most, most, true, pairs, task, err);
    if (status == PT_OK)
        status = pt_parallel_for_stage(task, "refining", pairs, symmetric_body, &work, err);
    pt_free(work.scratch);
    pt_flow_free(work.flow);
    return status;
}
