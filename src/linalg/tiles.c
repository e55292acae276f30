/* Tiles of a lower triangle: where they lie, and how large they are.
 *
 *   n     order of the matrix             nb    order of a tile
 *   side  tiles per side, ceil(n / nb)    t     number of a tile in block-column order
 *
 * The tiles of block row I are stored side by side: together they are one column-major matrix with
 * leading dimension nb and (I+1) nb columns, so that a row of tiles is one operand for BLAS. Block
 * rows follow one another; tile (I, J) is number I(I+1)/2 + J in memory. */
#include "linalg/tiles.h"

#include <math.h>
#include <stdbool.h>

#include "base/alloc.h"

/* Tile sizes are multiples of this: whole cache lines, whole vectors of any instruction set. */
enum { TILE_STEP = 16 };
/* Columns that lie a multiple of this apart (in elements) share the same few places of the cache:
 * products of tiles get up to 5 percent slower. */
enum { TILE_BAD_STEP = 128 };

/* Up to this order tiles are smaller: there must be some for every thread. */
enum { FEW_ROWS = 6144, FEW_ROWS_TILE = 768 };

/* The n rows in as few equal parts as the largest tile allows; one part stays one, with a gap
 * between columns. */
int64_t pt_tile_size(int64_t n)
{
    const int64_t largest = n > FEW_ROWS ? PT_TILE : FEW_ROWS_TILE;
    int64_t parts = n > largest ? (n + largest - 1) / largest : 1;
    for (;; parts++) {
        const int64_t rows = n > 0 ? (n + parts - 1) / parts : 1;
        const int64_t nb = (rows + TILE_STEP - 1) / TILE_STEP * TILE_STEP;
        if (nb % TILE_BAD_STEP != 0)
            return nb;
        if (parts == 1)
            return nb + TILE_STEP;
    }
}

/* nb nb side (side+1)/2 elements; false where bytes would not fit into int64_t. */
static bool tiles_size(int64_t n, pt_type type, int64_t *bytes)
{
    if (n < 0 || n > (int64_t)1 << 30)
        return false;
    const int64_t nb = pt_tile_size(n);
    const int64_t side = (n + nb - 1) / nb;
    *bytes = nb * nb * (side * (side + 1) / 2) * (int64_t)pt_type_size(type);
    return true; /* at most about 2^60 * 8 / 2 = 2^62 */
}

int64_t pt_tiles_bytes(int64_t n, pt_type type)
{
    int64_t bytes = 0;
    return tiles_size(n, type, &bytes) ? bytes : -1;
}

pt_status pt_tiles_new(pt_tiles **out, int64_t n, pt_type type, pt_error *err)
{
    int64_t bytes = 0;
    if (!tiles_size(n, type, &bytes))
        return pt_fail(err, PT_EINVAL, "a matrix of order %lld cannot be addressed", (long long)n);
    pt_tiles *tiles = pt_alloc(1, sizeof *tiles, "a tiled matrix", err);
    if (!tiles)
        return PT_ENOMEM;
    tiles->n = n;
    tiles->nb = pt_tile_size(n);
    tiles->side = (n + tiles->nb - 1) / tiles->nb;
    tiles->type = type;
    tiles->value = pt_alloc(bytes, 1, "the tiles of a matrix", err);
    if (!tiles->value) {
        pt_free(tiles);
        return PT_ENOMEM;
    }
    *out = tiles;
    return PT_OK;
}

void pt_tiles_free(pt_tiles *tiles)
{
    if (tiles)
        pt_free(tiles->value);
    pt_free(tiles);
}

void *pt_tile_at(const pt_tiles *tiles, int64_t I, int64_t J)
{
    const int64_t tile = I * (I + 1) / 2 + J;
    return (char *)tiles->value +
           (size_t)(tile * tiles->nb * tiles->nb) * pt_type_size(tiles->type);
}

int64_t pt_tile_rows(const pt_tiles *tiles, int64_t I)
{
    const int64_t left = tiles->n - I * tiles->nb;
    return left < tiles->nb ? left : tiles->nb;
}

int64_t pt_tiles_count(const pt_tiles *tiles)
{
    return tiles->side * (tiles->side + 1) / 2;
}

/* Block column J begins at number J side - J(J-1)/2: solve for J, then mend what sqrt rounds. */
void pt_tiles_place(const pt_tiles *tiles, int64_t t, int64_t *I, int64_t *J)
{
    const int64_t side = tiles->side;
    const double b = 2.0 * (double)side + 1;
    int64_t column = (int64_t)((b - sqrt(b * b - 8.0 * (double)t)) / 2);
    while (column > 0 && column * side - column * (column - 1) / 2 > t)
        column--;
    while ((column + 1) * side - (column + 1) * column / 2 <= t)
        column++;
    *J = column;
    *I = column + t - (column * side - column * (column - 1) / 2);
}

void pt_tiles_add_diagonal(pt_tiles *K, double shift, const double *scale)
{
    for (int64_t i = 0; i < K->n; i++) {
        const int64_t I = i / K->nb;
        const int64_t at = (i - I * K->nb) * (K->nb + 1);
        const double add = scale ? shift * scale[i] : shift;
        if (K->type == PT_F32) {
            float *tile = pt_tile_at(K, I, I);
            tile[at] = (float)(tile[at] + add);
        } else {
            double *tile = pt_tile_at(K, I, I);
            tile[at] += add;
        }
    }
}

double pt_tiles_get(const pt_tiles *tiles, int64_t i, int64_t j)
{
    const int64_t row = i > j ? i : j;
    const int64_t column = i > j ? j : i;
    const int64_t nb = tiles->nb;
    const void *tile = pt_tile_at(tiles, row / nb, column / nb);
    const int64_t at = row % nb + column % nb * nb;
    return tiles->type == PT_F32 ? (double)((const float *)tile)[at] : ((const double *)tile)[at];
}
