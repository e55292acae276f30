/* Cells that are kept of CSV and TSV. Rows were read before, so that their cells are in order and
 * their places are known: this is one more walk over the rows, as far as the last column wanted. */
#include <stdio.h>
#include <string.h>

#include "data/read/csv.h"
#include "data/read/kept.h"
#include "data/read/roles.h"

static const char *name_at(const pt_texts *names, int64_t column, char number[24])
{
    if (names && *names->items[column])
        return names->items[column];
    (void)snprintf(number, 24, "%lld", (long long)column + 1);
    return number;
}

static pt_status find_columns(pt_kept *kept, int64_t n_columns, const pt_texts *names,
                              const pt_read_options *options, pt_error *err)
{
    char number[24];
    PT_TRY(pt_find_columns(&kept->column, &kept->count, "keep", kept->wanted, n_columns, names,
                           options, err));
    for (int64_t c = 0; c < kept->count; c++)
        PT_TRY(pt_texts_add(&kept->names, err, "%s", name_at(names, kept->column[c], number)));
    kept->found = true;
    return PT_OK;
}

/* cell (n_columns) <- those of the row at p, up to `last`; a row may lack cells at its end. */
static void cut_row(pt_csv_cell *cell, const char *p, const char *end, int64_t last, char separator)
{
    pt_csv_problem problem;
    int64_t j = 0;
    p = pt_csv_skip_mark(p, end);
    while (j <= last && p) {
        p = pt_csv_cell_read(p, end, separator, &cell[j++], &problem);
        if (!p || p == end || *p == '\n')
            break;
        p++;
    }
    for (; j <= last; j++)
        cell[j] = (pt_csv_cell){.text = "", .at = ""};
}

pt_status pt_csv_keep(pt_kept *kept, const pt_csv_text *csv, const pt_places *places,
                      const pt_read_options *options, pt_error *err)
{
    const pt_csv_head *head = &csv->head;
    const char *bytes = csv->text.bytes;
    const char *end = bytes + csv->text.size;
    PT_SCRATCH pt_csv_cell *cell = NULL;
    PT_FREED_BY(pt_csv_buffer_free) pt_csv_buffer buffer = {0};
    int64_t last = 0;
    if (!kept->found)
        PT_TRY(
            find_columns(kept, head->n_columns, head->header ? &head->first : NULL, options, err));
    for (int64_t c = 0; c < kept->count; c++)
        last = kept->column[c] > last ? kept->column[c] : last;
    PT_TRY(PT_NEW(cell, last + 1, "cells", err));
    for (int64_t i = 0; i < places->n; i++) {
        cut_row(cell, bytes + places->at[i], end, last, head->dialect.separator);
        for (int64_t c = 0; c < kept->count; c++) {
            const char *text = NULL;
            size_t length = 0;
            PT_TRY(pt_csv_cell_text(&cell[kept->column[c]], &buffer, &text, &length, err));
            PT_TRY(pt_kept_add(kept, c, text, length, err));
        }
    }
    return PT_OK;
}

/* ---- what waits ------------------------------------------------------------------------------ */

static pt_status room_for(void **block, int64_t used, int64_t more, size_t size, int64_t *room,
                          pt_error *err)
{
    if (used + more <= *room)
        return PT_OK;
    const int64_t larger = used + more + *room / 2;
    PT_TRY(pt_alloc_grow(block, used, larger, size, "cells that are kept", err));
    *room = larger;
    return PT_OK;
}

pt_status pt_kept_add(pt_kept *kept, int64_t column, const char *text, size_t length, pt_error *err)
{
    const int64_t at = kept->n * kept->count + column;
    PT_TRY(room_for((void **)&kept->start, at, 1, sizeof *kept->start, &kept->start_room, err));
    PT_TRY(room_for((void **)&kept->text, kept->used, (int64_t)length + 1, 1, &kept->room, err));
    kept->start[at] = kept->used;
    if (length > 0)
        memcpy(kept->text + kept->used, text, length);
    kept->text[kept->used + (int64_t)length] = '\0';
    kept->used += (int64_t)length + 1;
    kept->n += column + 1 == kept->count;
    return PT_OK;
}

const char *pt_kept_cell(const pt_kept *kept, int64_t row, int64_t column)
{
    return kept->text + kept->start[row * kept->count + column];
}

void pt_kept_drop(pt_kept *kept, int64_t m)
{
    if (m == 0 || kept->count == 0)
        return;
    const int64_t left = (kept->n - m) * kept->count;
    const int64_t from = left > 0 ? kept->start[m * kept->count] : kept->used;
    memmove(kept->text, kept->text + from, (size_t)(kept->used - from));
    for (int64_t c = 0; c < left; c++)
        kept->start[c] = kept->start[m * kept->count + c] - from;
    kept->used -= from;
    kept->n -= m;
}

void pt_kept_free(pt_kept *kept)
{
    pt_free(kept->column);
    pt_texts_free(&kept->names);
    pt_free(kept->text);
    pt_free(kept->start);
    *kept = (pt_kept){.wanted = NULL};
}
