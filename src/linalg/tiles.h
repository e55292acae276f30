/* A symmetric or lower triangular n x n matrix as the lower triangle of square tiles.
 *
 * Tile (I, J), I >= J, holds rows I*nb .. and columns J*nb .., column-major, leading dimension nb;
 * the last row of tiles uses only its first rows. The tiles of a block row lie side by side: they
 * are one column-major matrix with leading dimension nb. In a diagonal tile only the lower triangle
 * counts. nb does not depend on the number of threads. */
#ifndef PT_LINALG_TILES_H
#define PT_LINALG_TILES_H

#include "base/error.h"
#include "data/rows.h"

typedef struct pt_tiles {
    int64_t n;
    int64_t nb;   /* tile size */
    int64_t side; /* tiles per side: ceil(n / nb) */
    pt_type type;
    void *value;
} pt_tiles;

#define PT_TILE 1008 /* the largest: smaller ones cost speed, larger ones memory */

/* The tile size for a matrix of order n: at most PT_TILE, so that the parts are about equal. */
int64_t pt_tile_size(int64_t n);
int64_t pt_tiles_bytes(int64_t n, pt_type type); /* -1 if it cannot be addressed */
pt_status pt_tiles_new(pt_tiles **out, int64_t n, pt_type type, pt_error *err);
void pt_tiles_free(pt_tiles *tiles);
static inline void pt_tiles_free_at(pt_tiles **address) /* for PT_FREED_BY */
{
    pt_tiles_free(*address);
}

void *pt_tile_at(const pt_tiles *tiles, int64_t I, int64_t J);
int64_t pt_tile_rows(const pt_tiles *tiles, int64_t I); /* rows (or columns) of block I */

/* The number of tiles, and the place of the t-th in block-column order: for loops over all tiles.
 */
int64_t pt_tiles_count(const pt_tiles *tiles);
void pt_tiles_place(const pt_tiles *tiles, int64_t t, int64_t *I, int64_t *J);

/* K_ii += shift, or += shift * scale[i] where scale is given. */
void pt_tiles_add_diagonal(pt_tiles *K, double shift, const double *scale);
double pt_tiles_get(const pt_tiles *tiles, int64_t i, int64_t j); /* any i, j; for tests */

#endif
