/* The cells of a small CSV file. */
#include "data/cells.h"

#include <string.h>

#include "base/alloc.h"

static pt_cell trimmed(const char *begin, const char *end, int64_t line)
{
    while (begin < end && (*begin == ' ' || *begin == '\t' || *begin == '"'))
        begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r' || end[-1] == '"'))
        end--;
    return (pt_cell){begin, (size_t)(end - begin), line};
}

static int64_t count_char(const pt_source *source, char c)
{
    int64_t count = 0;
    for (size_t i = 0; i < source->size; i++)
        count += source->bytes[i] == c;
    return count;
}

/* The cells of one line behind those that are there. */
static void cut_line(pt_cells *c, const char *begin, const char *end, int64_t line)
{
    int64_t count = c->start[c->n_lines];
    for (const char *at = begin;; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        c->items[count++] = trimmed(at, comma ? comma : end, line);
        if (!comma)
            break;
        at = comma;
    }
    c->start[++c->n_lines] = count;
}

static void cut_lines(pt_cells *c)
{
    const char *end = c->source.bytes + c->source.size;
    c->start[0] = 0;
    for (const char *at = c->source.bytes; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        c->last++;
        if (trimmed(at, stop, 0).length > 0)
            cut_line(c, at, stop, c->last);
        at = newline ? newline + 1 : end;
    }
}

static pt_status cut(pt_cells *c, pt_error *err)
{
    const int64_t lines = count_char(&c->source, '\n') + 1;
    const int64_t most = count_char(&c->source, ',') + lines;
    c->items = pt_alloc(most, sizeof *c->items, "cells", err);
    c->start = pt_alloc(lines + 1, sizeof *c->start, "cells", err);
    if (!c->items || !c->start)
        return PT_ENOMEM;
    cut_lines(c);
    return PT_OK;
}

pt_status pt_cells_read(pt_cells *cells, const char *path, const pt_task *task, pt_error *err)
{
    *cells = (pt_cells){.path = path};
    const pt_status status = pt_source_open(&cells->source, path, task, err);
    return status == PT_OK ? cut(cells, err) : status;
}

pt_status pt_cells_read_memory(pt_cells *cells, const void *bytes, size_t size, const char *name,
                               const pt_task *task, pt_error *err)
{
    *cells = (pt_cells){.path = name};
    const pt_status status = pt_source_memory(&cells->source, bytes, size, name, task, err);
    return status == PT_OK ? cut(cells, err) : status;
}

void pt_cells_free(pt_cells *cells)
{
    pt_free(cells->start);
    pt_free(cells->items);
    pt_source_close(&cells->source);
    *cells = (pt_cells){0};
}

int64_t pt_cells_width(const pt_cells *cells, int64_t line)
{
    return cells->start[line + 1] - cells->start[line];
}

const pt_cell *pt_cells_at(const pt_cells *cells, int64_t line, int64_t column)
{
    return &cells->items[cells->start[line] + column];
}

int pt_cell_shown(const pt_cell *cell)
{
    enum { MOST = 60 };
    return cell->length < MOST ? (int)cell->length : MOST;
}

bool pt_cell_is(const pt_cell *cell, const char *text)
{
    return strlen(text) == cell->length && memcmp(text, cell->text, cell->length) == 0;
}

pt_status pt_cells_match(const pt_cells *cells, const pt_cell *const *names,
                         const pt_texts *classes, int64_t *place, pt_error *err)
{
    for (int64_t j = 0; j < classes->count; j++) {
        place[j] = -1;
        for (int64_t r = 0; r < classes->count && place[j] < 0; r++)
            if (pt_cell_is(names[j], classes->items[r]))
                place[j] = r;
        if (place[j] < 0)
            return pt_fail_at(err, PT_EFORMAT, cells->path, names[j]->line, 0,
                              "there is no class '%.*s'", pt_cell_shown(names[j]), names[j]->text);
        for (int64_t i = 0; i < j; i++)
            if (place[i] == place[j])
                return pt_fail_at(err, PT_EFORMAT, cells->path, names[j]->line, 0,
                                  "the class '%s' is named twice", classes->items[place[j]]);
    }
    return PT_OK;
}
