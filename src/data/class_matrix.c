/* A k x k matrix by class names, from a CSV file: kernels on labels, costs of confusion.
 *
 *     k lines of k cells              numbers, in the order of the classes
 *     k+1 lines                       the first one names the columns
 *     k+1 cells in a line             the first one names the row (above it, anything)
 *
 * Without names on one side that side has the order of the other. */
#include "data/class_matrix.h"

#include <string.h>

#include "base/alloc.h"
#include "data/number.h"
#include "data/source.h"

typedef struct cell {
    const char *text;
    size_t length;
    int64_t line;
} cell;

typedef struct cells {
    const char *path;
    cell *items; /* n_lines x width */
    int64_t n_lines;
    int64_t width;
} cells;

static cell trimmed(const char *begin, const char *end, int64_t line)
{
    while (begin < end && (*begin == ' ' || *begin == '\t' || *begin == '"'))
        begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r' || end[-1] == '"'))
        end--;
    return (cell){begin, (size_t)(end - begin), line};
}

static bool is_blank(const char *begin, const char *end)
{
    return trimmed(begin, end, 0).length == 0;
}

/* One line into at most `most` cells; returns how many it has. */
static int64_t cut_line(cell *out, int64_t most, const char *begin, const char *end, int64_t line)
{
    int64_t count = 0;
    for (const char *at = begin;; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (count < most)
            out[count] = trimmed(at, comma ? comma : end, line);
        count++;
        if (!comma)
            return count;
        at = comma;
    }
}

/* All lines that are not blank; each must have as many cells as the first. */
static pt_status cut(cells *c, const pt_source *source, int64_t k, pt_error *err)
{
    const char *end = source->bytes + source->size;
    int64_t number = 0;
    for (const char *at = source->bytes; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        number++;
        if (!is_blank(at, stop)) {
            if (c->n_lines == k + 1)
                return pt_fail_at(err, PT_EFORMAT, c->path, number, 0,
                                  "there are more lines than the %lld classes and a header",
                                  (long long)k);
            const int64_t width =
                cut_line(c->items + c->n_lines * (k + 1), k + 1, at, stop, number);
            if (c->n_lines == 0)
                c->width = width;
            if (width != c->width || width < k || width > k + 1)
                return pt_fail_at(err, PT_EFORMAT, c->path, number, 0,
                                  "there are %lld cells; a matrix for %lld classes needs %lld, or "
                                  "%lld with names in front",
                                  (long long)width, (long long)k, (long long)k, (long long)k + 1);
            c->n_lines++;
        }
        at = newline ? newline + 1 : end;
    }
    if (c->n_lines < k)
        return pt_fail_at(err, PT_EFORMAT, c->path, number, 0,
                          "there are %lld lines for %lld classes", (long long)c->n_lines,
                          (long long)k);
    return PT_OK;
}

/* place[j] <- the class that cell j of a list of names names; each class once. */
static pt_status match_names(const cells *c, const cell *names, int64_t step, int64_t k,
                             const pt_texts *classes, int64_t *place, pt_error *err)
{
    for (int64_t j = 0; j < k; j++) {
        const cell *name = names + j * step;
        place[j] = -1;
        for (int64_t r = 0; r < k && place[j] < 0; r++)
            if (strlen(classes->items[r]) == name->length &&
                memcmp(classes->items[r], name->text, name->length) == 0)
                place[j] = r;
        if (place[j] < 0)
            return pt_fail_at(err, PT_EFORMAT, c->path, name->line, 0, "there is no class '%.*s'",
                              name->length < 60 ? (int)name->length : 60, name->text);
        for (int64_t i = 0; i < j; i++)
            if (place[i] == place[j])
                return pt_fail_at(err, PT_EFORMAT, c->path, name->line, 0,
                                  "the class '%s' is named twice", classes->items[place[j]]);
    }
    return PT_OK;
}

static pt_status find_places(const cells *c, int64_t k, const pt_texts *classes, int64_t *row,
                             int64_t *column, pt_error *err)
{
    const bool header = c->n_lines == k + 1;
    const bool names = c->width == k + 1;
    pt_status status = PT_OK;
    for (int64_t j = 0; j < k; j++)
        row[j] = column[j] = j;
    if (header)
        status = match_names(c, c->items + names, 1, k, classes, column, err);
    if (status == PT_OK && names)
        status = match_names(c, c->items + header * (k + 1), k + 1, k, classes, row, err);
    if (header && !names)
        memcpy(row, column, (size_t)k * sizeof *row);
    if (names && !header)
        memcpy(column, row, (size_t)k * sizeof *row);
    return status;
}

static pt_status fill(const cells *c, int64_t k, const int64_t *row, const int64_t *column,
                      double *out, pt_error *err)
{
    const bool header = c->n_lines == k + 1;
    const bool names = c->width == k + 1;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            const cell *at = c->items + (i + header) * (k + 1) + j + names;
            if (pt_number_parse(at->text, at->length, &out[row[i] * k + column[j]]) !=
                PT_NUMBER_FINITE)
                return pt_fail_at(err, PT_EFORMAT, c->path, at->line, 0, "'%.*s' is not a number",
                                  at->length < 60 ? (int)at->length : 60, at->text);
        }
    return PT_OK;
}

pt_status pt_class_matrix_read(double **out, const char *path, const pt_texts *classes,
                               const pt_task *task, pt_error *err)
{
    const int64_t k = classes->count;
    pt_source source = {0};
    cells c = {.path = path};
    pt_status status = pt_source_open(&source, path, task, err);
    if (status != PT_OK)
        return status;
    c.items = pt_alloc(k + 1, (size_t)(k + 1) * sizeof(cell), "a matrix of classes", err);
    int64_t *place = pt_alloc(2 * k, sizeof(int64_t), "a matrix of classes", err);
    double *value = pt_alloc(k * k, sizeof(double), "a matrix of classes", err);
    status = c.items && place && value ? cut(&c, &source, k, err) : PT_ENOMEM;
    if (status == PT_OK)
        status = find_places(&c, k, classes, place, place + k, err);
    if (status == PT_OK)
        status = fill(&c, k, place, place + k, value, err);
    pt_free(place);
    pt_free(c.items);
    pt_source_close(&source);
    if (status != PT_OK) {
        pt_free(value);
        return status;
    }
    *out = value;
    return PT_OK;
}
