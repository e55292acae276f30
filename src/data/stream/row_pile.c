/* Piles of rows: arrays that grow, and whose rest moves to the front. */
#include "data/stream/row_pile.h"

#include <string.h>

#include "base/alloc.h"

static pt_status room_for(void **block, int64_t used, int64_t more, size_t size, int64_t *room,
                          pt_error *err)
{
    if (used + more <= *room)
        return PT_OK;
    const int64_t larger = used + more > *room + *room / 2 ? used + more : *room + *room / 2;
    PT_TRY(pt_alloc_grow(block, used, larger, size, "rows to be predicted", err));
    *room = larger;
    return PT_OK;
}

static pt_status add_dense(pt_row_pile *pile, const pt_rows *rows, pt_error *err)
{
    const size_t row_bytes = (size_t)rows->d * pt_type_size(rows->type);
    PT_TRY(
        room_for((void **)&pile->value, pile->rows.n, rows->n, row_bytes, &pile->value_room, err));
    for (int64_t i = 0; i < rows->n; i++)
        memcpy(pile->value + (size_t)(pile->rows.n + i) * row_bytes,
               (const char *)rows->dense + (size_t)(i * rows->stride) * pt_type_size(rows->type),
               row_bytes);
    pile->rows.dense = pile->value;
    return PT_OK;
}

static pt_status add_sparse(pt_row_pile *pile, const pt_rows *rows, pt_error *err)
{
    const size_t size = pt_type_size(rows->type);
    const int64_t n = pile->rows.n;
    const int64_t used = n > 0 ? pile->start[n] : 0;
    const int64_t more = pt_rows_stored(rows);
    PT_TRY(room_for((void **)&pile->start, n + 1, rows->n, sizeof *pile->start, &pile->start_room,
                    err));
    PT_TRY(
        room_for((void **)&pile->index, used, more, sizeof *pile->index, &pile->index_room, err));
    PT_TRY(room_for((void **)&pile->value, used, more, size, &pile->value_room, err));
    const int64_t from = rows->start[0];
    for (int64_t i = 0; i <= rows->n; i++)
        pile->start[n + i] = used + rows->start[i] - from;
    if (more > 0) {
        memcpy(pile->index + used, rows->index + from, (size_t)more * sizeof *pile->index);
        memcpy(pile->value + (size_t)used * size, (const char *)rows->value + (size_t)from * size,
               (size_t)more * size);
    }
    pile->rows.start = pile->start;
    pile->rows.index = pile->index;
    pile->rows.value = pile->value;
    return PT_OK;
}

pt_status pt_row_pile_add(pt_row_pile *pile, const pt_rows *rows, pt_error *err)
{
    if (rows->n == 0)
        return PT_OK;
    PT_TRY(rows->dense ? add_dense(pile, rows, err) : add_sparse(pile, rows, err));
    pile->rows.n += rows->n;
    pile->rows.d = rows->d;
    pile->rows.type = rows->type;
    pile->rows.stride = rows->d;
    pile->rows.levels = rows->levels;
    return PT_OK;
}

void pt_row_pile_drop(pt_row_pile *pile, int64_t m)
{
    const size_t size = pt_type_size(pile->rows.type);
    const int64_t left = pile->rows.n - m;
    if (pile->rows.dense) {
        const size_t row_bytes = (size_t)pile->rows.d * size;
        memmove(pile->value, pile->value + (size_t)m * row_bytes, (size_t)left * row_bytes);
    } else if (pile->start) {
        const int64_t from = pile->start[m];
        const int64_t stored = pile->start[pile->rows.n] - from;
        memmove(pile->index, pile->index + from, (size_t)stored * sizeof *pile->index);
        memmove(pile->value, pile->value + (size_t)from * size, (size_t)stored * size);
        for (int64_t i = 0; i <= left; i++)
            pile->start[i] = pile->start[m + i] - from;
    }
    pile->rows.n = left;
}

void pt_row_pile_free(pt_row_pile *pile)
{
    pt_free(pile->value);
    pt_free(pile->start);
    pt_free(pile->index);
    memset(pile, 0, sizeof *pile);
}
