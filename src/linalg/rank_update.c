/* G <- G + B B^T on the lower triangle of tiles: how a product of a symmetric matrix with itself is
 * formed from panels of its columns.
 *
 *   G   n x n      lower tiles        B   n x width   column-major, leading dimension ldb
 *
 * G_IJ += B_I B_J^T, one index a tile: n^2 width multiplications in all. Panels that follow one
 * another are summed in their order, on any number of threads. */
#include "base/parallel.h"
#include "linalg/linalg.h"

typedef struct update_work {
    pt_tiles *G;
    const char *B;
    int64_t ldb;
    int64_t width;
    const pt_backend *ops;
} update_work;

static const void *rows_of(const update_work *work, int64_t I)
{
    return work->B + (size_t)(I * work->G->nb) * pt_type_size(work->G->type);
}

static pt_status update_tile(void *context, int64_t index, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const update_work *work = context;
    const pt_tiles *G = work->G;
    int64_t I = 0;
    int64_t J = 0;
    pt_tiles_place(G, index, &I, &J);
    const int64_t rows = pt_tile_rows(G, I);
    void *tile = pt_tile_at(G, I, J);
    if (I == J)
        work->ops->syrk(G->type, 'n', rows, work->width, 1, rows_of(work, I), work->ldb, 1, tile,
                        G->nb);
    else
        work->ops->gemm(G->type, 'n', 't', rows, G->nb, work->width, 1, rows_of(work, I), work->ldb,
                        rows_of(work, J), work->ldb, 1, tile, G->nb);
    return PT_OK;
}

pt_status pt_la_rank_update(pt_tiles *G, const void *B, int64_t width, int64_t ldb,
                            const pt_task *task, pt_error *err)
{
    update_work work = {G, B, ldb, width, pt_la_backend()};
    if (width <= 0)
        return PT_OK;
    return pt_parallel_for(task, pt_tiles_count(G), update_tile, &work, err);
}
