/* Rows that are among others, by checksums of their cells. Time O(stored cells + n log n). */
#include "data/row_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

/* A row's cells as they lie: of dense rows the values; of sparse ones the features, too. */
typedef struct cells {
    const void *value;
    size_t value_bytes;
    const int64_t *index;
    size_t index_bytes;
} cells;

static cells cells_of(const pt_rows *rows, int64_t i)
{
    const size_t size = pt_type_size(rows->type);
    if (rows->dense)
        return (cells){.value = (const char *)rows->dense + (size_t)(i * rows->stride) * size,
                       .value_bytes = (size_t)rows->d * size};
    const int64_t from = rows->start[i];
    const size_t count = (size_t)(rows->start[i + 1] - from);
    return (cells){(const char *)rows->value + (size_t)from * size, count * size,
                   rows->index + from, count * sizeof *rows->index};
}

static uint64_t checksum_of(const cells *c, int64_t tag)
{
    const uint64_t parts[3] = {pt_checksum(c->value, c->value_bytes),
                               c->index ? pt_checksum(c->index, c->index_bytes) : 0, (uint64_t)tag};
    return pt_checksum(parts, sizeof parts);
}

static bool are_equal(const cells *a, const cells *b)
{
    return a->value_bytes == b->value_bytes && a->index_bytes == b->index_bytes &&
           (a->value_bytes == 0 || memcmp(a->value, b->value, a->value_bytes) == 0) &&
           (a->index_bytes == 0 || memcmp(a->index, b->index, a->index_bytes) == 0);
}

typedef struct listed_row {
    uint64_t checksum;
    int64_t row;
    bool taken;
} listed_row;

static int by_checksum(const void *a, const void *b)
{
    const listed_row *x = a;
    const listed_row *y = b;
    if (x->checksum != y->checksum)
        return x->checksum < y->checksum ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The first of the list with a checksum of at least this one. */
static int64_t first_of(const listed_row *list, int64_t n, uint64_t checksum)
{
    int64_t low = 0;
    int64_t high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (list[middle].checksum < checksum)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

pt_status pt_rows_match(int64_t *place, const pt_rows *rows, const int64_t *tag,
                        const pt_rows *among, const int64_t *tag_among, pt_error *err)
{
    PT_SCRATCH listed_row *list = NULL;
    if (rows->type != among->type || rows->d != among->d || !rows->dense != !among->dense)
        return pt_fail(err, PT_EINVAL, "`start`: its rows are not like those of the data");
    PT_TRY(PT_NEW(list, among->n, "rows to be matched", err));
    for (int64_t i = 0; i < among->n; i++) {
        const cells c = cells_of(among, i);
        list[i] = (listed_row){checksum_of(&c, tag ? tag_among[i] : 0), i, false};
    }
    qsort(list, (size_t)among->n, sizeof *list, by_checksum);
    for (int64_t a = 0; a < rows->n; a++) {
        const cells c = cells_of(rows, a);
        const uint64_t checksum = checksum_of(&c, tag ? tag[a] : 0);
        place[a] = -1;
        for (int64_t at = first_of(list, among->n, checksum);
             at < among->n && list[at].checksum == checksum && place[a] < 0; at++) {
            const cells other = cells_of(among, list[at].row);
            if (list[at].taken || (tag && tag_among[list[at].row] != tag[a]) ||
                !are_equal(&c, &other))
                continue;
            list[at].taken = true;
            place[a] = list[at].row;
        }
    }
    return PT_OK;
}
