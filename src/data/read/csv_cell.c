/* Cells of CSV files: what few of them need. */
#include "data/read/csv_cell.h"

#include "base/alloc.h"

const char *pt_csv_quoted_cell(const char *p, const char *end, pt_csv_cell *cell,
                               pt_csv_problem *problem)
{
    const char *open = p++;
    cell->quoted = true;
    cell->text = p;
    for (;;) {
        const char *quote = p < end ? memchr(p, '"', (size_t)(end - p)) : NULL;
        if (!quote) {
            *problem =
                (pt_csv_problem){open, "a quote is opened here and never closed; close it, or "
                                       "double it if it belongs to the text"};
            return NULL;
        }
        if (quote + 1 < end && quote[1] == '"') {
            cell->doubled = true;
            p = quote + 2;
            continue;
        }
        cell->length = (size_t)(quote - cell->text);
        return quote + 1;
    }
}

pt_status pt_csv_cell_text(const pt_csv_cell *cell, pt_csv_buffer *buffer, const char **text,
                           size_t *length, pt_error *err)
{
    *text = cell->text;
    *length = cell->length;
    if (!cell->doubled)
        return PT_OK;
    if ((int64_t)cell->length > buffer->capacity) {
        const int64_t capacity = 2 * (int64_t)cell->length;
        PT_TRY(pt_alloc_grow((void **)&buffer->text, 0, capacity, 1, "a cell", err));
        buffer->capacity = capacity;
    }
    size_t used = 0;
    for (size_t i = 0; i < cell->length; i++) {
        buffer->text[used++] = cell->text[i];
        i += cell->text[i] == '"';
    }
    *text = buffer->text;
    *length = used;
    return PT_OK;
}
