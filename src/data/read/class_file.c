/* The cells of a small CSV file: as those of data files, but that lines may differ in length. */
#include "data/read/class_file.h"

#include <string.h>

#include "base/alloc.h"
#include "data/read/csv.h"
#include "data/read/lines.h"
#include "data/read/number.h"
#include "params/param_array.h"

/* One more cell, behind those that are there. */
static pt_status add_cell(pt_cells *c, const pt_csv_cell *cell, int64_t line, pt_error *err)
{
    if (c->n_items == c->items_room) {
        const int64_t room = c->items_room ? 2 * c->items_room : 64;
        PT_TRY(pt_alloc_grow((void **)&c->items, c->n_items, room, sizeof *c->items, "cells", err));
        c->items_room = room;
    }
    pt_cell *item = &c->items[c->n_items++];
    *item = (pt_cell){cell->text, cell->length, line};
    if (!cell->doubled)
        return PT_OK;
    PT_FREED_BY(pt_csv_buffer_free) pt_csv_buffer buffer = {0};
    PT_TRY(pt_csv_cell_text(cell, &buffer, &item->text, &item->length, err));
    PT_TRY(pt_texts_add_n(&c->halved, item->text, item->length, err));
    item->text = c->halved.items[c->halved.count - 1];
    return PT_OK;
}

/* The cells of the line at `p`; *next is behind it. */
static pt_status cut_line(pt_cells *c, const char *p, char separator, const char **next,
                          pt_error *err)
{
    const char *end = c->source.bytes + c->source.size;
    const int64_t line = c->last;
    for (;; p++) {
        pt_csv_cell cell;
        pt_csv_problem problem = {NULL, NULL};
        const char *stop = pt_csv_cell_read(p, end, separator, &cell, &problem);
        if (!stop)
            return pt_fail_at(err, PT_EFORMAT, c->path,
                              line + pt_count_byte(p, (size_t)(problem.at - p), '\n'), 0, "%s",
                              problem.text);
        PT_TRY(add_cell(c, &cell, line, err));
        c->last += pt_count_byte(p, (size_t)(stop - p), '\n');
        p = stop;
        if (p == end || *p == '\n')
            break;
    }
    *next = p < end ? p + 1 : end;
    return PT_OK;
}

static pt_status end_line(pt_cells *c, pt_error *err)
{
    if (c->n_lines + 1 >= c->start_room) {
        const int64_t room = c->start_room ? 2 * c->start_room : 64;
        PT_TRY(
            pt_alloc_grow((void **)&c->start, c->start_room, room, sizeof *c->start, "cells", err));
        c->start_room = room;
    }
    c->start[c->n_lines] = c->n_items;
    return PT_OK;
}

/* Lines of spaces, and of # above the others, are no rows. */
static pt_status cut(pt_cells *c, pt_error *err)
{
    size_t begin = 0;
    if (c->source.size > 0)
        PT_TRY(pt_reader_check_text(c->source.bytes, c->source.size, &begin, c->path, err));
    const char *p = c->source.bytes + begin;
    const char *end = c->source.bytes + c->source.size;
    char separator = 0;
    PT_TRY(end_line(c, err));
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline ? newline : end;
        c->last++;
        if (pt_skip_blank_lines(p, stop) == stop || (c->n_lines == 0 && *p == '#')) {
            p = newline ? newline + 1 : end;
            continue;
        }
        if (!separator)
            separator = pt_csv_separator(p, end, false);
        PT_TRY(cut_line(c, p, separator, &p, err));
        c->n_lines++;
        PT_TRY(end_line(c, err));
    }
    return PT_OK;
}

pt_status pt_cells_read(pt_cells *cells, const char *path, const pt_task *task, pt_error *err)
{
    *cells = (pt_cells){.path = path};
    PT_TRY(pt_source_open(&cells->source, path, task, err));
    return cut(cells, err);
}

pt_status pt_cells_read_memory(pt_cells *cells, const void *bytes, size_t size, const char *name,
                               const pt_task *task, pt_error *err)
{
    *cells = (pt_cells){.path = name};
    PT_TRY(pt_source_memory(&cells->source, bytes, size, name, task, err));
    return cut(cells, err);
}

void pt_cells_free(pt_cells *cells)
{
    pt_free(cells->start);
    pt_free(cells->items);
    pt_texts_free(&cells->halved);
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

/* ---- a matrix by class names ----------------------------------------------------------------- */

/* A k x k matrix by class names, from a CSV file: kernels on labels, costs of confusion.
 *
 *     k lines of k cells              numbers, in the order of the classes
 *     k+1 lines                       the first one names the columns
 *     k+1 cells in a line             the first one names the row (above it, anything)
 *
 * Without names on one side that side has the order of the other.
 *
 * Costs of decisions may have a column more, the last, of rejecting. In a line of k + 2 cells there
 * are names and that column. In one of k + 1 cells there is one of them: of a file with a first
 * line of names the column, if the last of these is "reject" and no class; of one without, if the
 * first cells are not the classes. */

typedef struct layout {
    int64_t k;
    bool header; /* a first line of names */
    bool names;  /* a first cell of every line */
    bool beside; /* a last column */
} layout;

/* A number with a point or, where commas do not part cells, with a comma: 2,5. */
static bool cell_number(const pt_cell *cell, double *value)
{
    enum { LONGEST = 64 };
    char text[LONGEST];
    const char *comma = memchr(cell->text, ',', cell->length);
    if (!comma || cell->length > LONGEST)
        return pt_number_parse(cell->text, cell->length, value) == PT_NUMBER_FINITE;
    memcpy(text, cell->text, cell->length);
    text[comma - cell->text] = '.';
    return pt_number_parse(text, cell->length, value) == PT_NUMBER_FINITE;
}

/* Whether the first cells of k lines name each class once. */
static bool names_in_front(const pt_cells *c, const pt_texts *classes)
{
    for (int64_t r = 0; r < classes->count; r++) {
        int64_t lines = 0;
        for (int64_t i = 0; i < c->n_lines; i++)
            lines += pt_cell_is(pt_cells_at(c, i, 0), classes->items[r]);
        if (lines != 1)
            return false;
    }
    return true;
}

static bool is_class(const pt_cell *cell, const pt_texts *classes)
{
    for (int64_t r = 0; r < classes->count; r++)
        if (pt_cell_is(cell, classes->items[r]))
            return true;
    return false;
}

static bool is_beside(const pt_cells *c, const pt_texts *classes, bool header)
{
    const int64_t width = pt_cells_width(c, 0);
    const pt_cell *last = pt_cells_at(c, 0, width - 1);
    if (width < classes->count + 1)
        return false;
    if (!header)
        return width == classes->count + 2 || !names_in_front(c, classes);
    return pt_cell_is(last, "reject") && (width == classes->count + 2 || !is_class(last, classes));
}

/* may_beside: whether there may be a last column. */
static layout layout_of(const pt_cells *c, const pt_texts *classes, bool may_beside)
{
    const int64_t k = classes->count;
    layout l = {.k = k, .header = c->n_lines == k + 1};
    l.beside = may_beside && is_beside(c, classes, l.header);
    l.names = pt_cells_width(c, 0) == k + 1 + l.beside;
    return l;
}

/* A column behind those of all classes that is not of rejecting. */
static pt_status check_beside(const pt_cells *c, const layout *l, const pt_texts *classes,
                              pt_error *err)
{
    const int64_t width = pt_cells_width(c, 0);
    const pt_cell *last = pt_cells_at(c, 0, width - 1);
    int64_t known = 0;
    if (!l->header || l->beside || width < l->k + 1 ||
        (width == l->k + 1 && is_class(last, classes)))
        return PT_OK;
    for (int64_t j = 0; j < l->k; j++)
        known += is_class(pt_cells_at(c, 0, width - 1 - l->k + j), classes);
    if (width == l->k + 1 && known < l->k)
        return PT_OK; /* a misspelt class, and the line has a corner */
    return pt_fail_at(err, PT_EFORMAT, c->path, last->line, 0,
                      "there is no class '%.*s'; if the column is the cost of rejecting, name it "
                      "'reject'",
                      pt_cell_shown(last), last->text);
}

/* The first class that none of the cells names, if each of these names one and there are too few:
 * one was left out. -1: none. */
static int64_t missing_class(const pt_cell *const *cell, int64_t count, const pt_texts *classes)
{
    int64_t missing = -1;
    for (int64_t i = 0; i < count; i++)
        if (!is_class(cell[i], classes))
            return -1;
    for (int64_t r = classes->count - 1; r >= 0 && count > 0 && count < classes->count; r--) {
        bool found = false;
        for (int64_t i = 0; i < count && !found; i++)
            found = pt_cell_is(cell[i], classes->items[r]);
        missing = found ? missing : r;
    }
    return missing;
}

/* A class without a row or a column, where names say so. */
static pt_status check_missing(const pt_cells *c, const pt_texts *classes, const pt_cell **cell,
                               pt_error *err)
{
    double number = 0;
    const int64_t width = c->n_lines > 0 ? pt_cells_width(c, 0) : 0;
    const bool header = width > 1 && is_class(pt_cells_at(c, 0, 1), classes) &&
                        !cell_number(pt_cells_at(c, 0, 1), &number);
    const int64_t rows = c->n_lines - header;
    for (int64_t i = 0; i < rows && rows < classes->count; i++)
        cell[i] = pt_cells_at(c, i + header, 0);
    const int64_t row = rows < classes->count ? missing_class(cell, rows, classes) : -1;
    if (row >= 0)
        return pt_fail_at(err, PT_EFORMAT, c->path, 0, 0,
                          "class '%.80s' is missing: no line begins with it", classes->items[row]);
    if (!header)
        return PT_OK;
    if (rows < classes->count)
        return pt_fail_at(err, PT_EFORMAT, c->path, c->last, 0,
                          "there are %lld lines below the names, for %lld classes", (long long)rows,
                          (long long)classes->count);
    const int64_t front = c->n_lines > 1 && !cell_number(pt_cells_at(c, 1, 0), &number);
    const pt_cell *last = pt_cells_at(c, 0, width - 1);
    const bool beside = pt_cell_is(last, "reject") && !is_class(last, classes);
    const int64_t columns = width - front - beside;
    for (int64_t j = 0; j < columns && columns < classes->count; j++)
        cell[j] = pt_cells_at(c, 0, j + front);
    const int64_t column = columns < classes->count ? missing_class(cell, columns, classes) : -1;
    if (column < 0)
        return PT_OK;
    return pt_fail_at(err, PT_EFORMAT, c->path, pt_cells_at(c, 0, 0)->line, 0,
                      "class '%.80s' is missing: no column has its name", classes->items[column]);
}

/* Every line has as many cells as the first, and there are as many lines as there should be. */
static pt_status check_shape(const pt_cells *c, int64_t k, bool may_beside, pt_error *err)
{
    for (int64_t i = 0; i < c->n_lines; i++) {
        const int64_t line = pt_cells_at(c, i, 0)->line;
        const int64_t width = pt_cells_width(c, i);
        if (i == k + 1)
            return pt_fail_at(err, PT_EFORMAT, c->path, line, 0,
                              "there are more lines than the %lld classes and a header",
                              (long long)k);
        if (width != pt_cells_width(c, 0) || width < k || width > k + 1 + may_beside)
            return pt_fail_at(err, PT_EFORMAT, c->path, line, 0,
                              "there are %lld cells; a matrix for %lld classes needs %lld, or "
                              "%lld with names in front%s",
                              (long long)width, (long long)k, (long long)k, (long long)k + 1,
                              may_beside ? "; a column for rejecting may follow" : "");
    }
    if (c->n_lines < k)
        return pt_fail_at(err, PT_EFORMAT, c->path, c->last, 0,
                          "there are %lld lines for %lld classes", (long long)c->n_lines,
                          (long long)k);
    return PT_OK;
}

/* row[i], column[j] <- the classes of line i and of cell j. */
static pt_status find_places(const pt_cells *c, const layout *l, const pt_texts *classes,
                             const pt_cell **name, int64_t *row, int64_t *column, pt_error *err)
{
    const int64_t k = l->k;
    for (int64_t j = 0; j < k; j++)
        row[j] = column[j] = j;
    for (int64_t j = 0; j < k && l->header; j++)
        name[j] = pt_cells_at(c, 0, j + l->names);
    if (l->header)
        PT_TRY(pt_cells_match(c, name, classes, column, err));
    for (int64_t i = 0; i < k && l->names; i++)
        name[i] = pt_cells_at(c, i + l->header, 0);
    if (l->names)
        PT_TRY(pt_cells_match(c, name, classes, row, err));
    if (l->header && !l->names)
        memcpy(row, column, (size_t)k * sizeof *row);
    if (l->names && !l->header)
        memcpy(column, row, (size_t)k * sizeof *row);
    column[k] = k;
    return PT_OK;
}

static pt_status fill(const pt_cells *c, const layout *l, const int64_t *row, const int64_t *column,
                      double *out, pt_error *err)
{
    const int64_t columns = l->k + l->beside;
    for (int64_t i = 0; i < l->k; i++)
        for (int64_t j = 0; j < columns; j++) {
            const pt_cell *at = pt_cells_at(c, i + l->header, j + l->names);
            if (!cell_number(at, &out[row[i] * columns + column[j]]))
                return pt_fail_at(err, PT_EFORMAT, c->path, at->line, 0, "'%.*s' is not a number",
                                  pt_cell_shown(at), at->text);
        }
    return PT_OK;
}

/* columns NULL: as many as there are classes. */
static pt_status read_matrix(double **out, int64_t *columns, const char *path,
                             const pt_texts *classes, const pt_task *task, pt_error *err)
{
    const int64_t k = classes->count;
    PT_FREED_BY(pt_cells_free) pt_cells c = {0};
    PT_SCRATCH int64_t *place = NULL;
    PT_SCRATCH const pt_cell **name = NULL;
    PT_SCRATCH double *value = NULL;
    PT_TRY(PT_NEW(place, 2 * k + 1, "a matrix of classes", err));
    PT_TRY(PT_NEW(name, k, "a matrix of classes", err));
    PT_TRY(PT_NEW(value, k * (k + 1), "a matrix of classes", err));
    PT_TRY(pt_cells_read(&c, path, task, err));
    PT_TRY(check_missing(&c, classes, name, err));
    PT_TRY(check_shape(&c, k, columns != NULL, err));
    const layout l = layout_of(&c, classes, columns != NULL);
    PT_TRY(check_beside(&c, &l, classes, err));
    PT_TRY(find_places(&c, &l, classes, name, place, place + k, err));
    PT_TRY(fill(&c, &l, place, place + k, value, err));
    if (columns)
        *columns = k + l.beside;
    *out = pt_keep(&value);
    return PT_OK;
}

pt_status pt_class_matrix_read(double **out, const char *path, const pt_texts *classes,
                               const pt_task *task, pt_error *err)
{
    return read_matrix(out, NULL, path, classes, task, err);
}

/* What costs are, wherever they come from: as params/param_array.c has it. */
static pt_status check_costs(const double *costs, int64_t columns, const char *path,
                             const pt_texts *classes, pt_error *err)
{
    for (int64_t r = 0; r < classes->count; r++)
        for (int64_t s = 0; s < columns; s++) {
            const double cost = costs[r * columns + s];
            const char *said = s < classes->count ? classes->items[s] : "(rejected)";
            if (cost < 0 || (r == s && cost != 0))
                return pt_fail_at(err, PT_EFORMAT, path, 0, 0,
                                  "the cost of taking class '%.80s' for '%.80s' is %g; costs are 0 "
                                  "on the diagonal and nowhere negative",
                                  classes->items[r], said, cost);
        }
    return PT_OK;
}

pt_status pt_class_costs_read(double **out, int64_t *columns, const char *path,
                              const pt_texts *classes, const pt_task *task, pt_error *err)
{
    PT_SCRATCH double *costs = NULL;
    PT_TRY(read_matrix(&costs, columns, path, classes, task, err));
    PT_TRY(check_costs(costs, *columns, path, classes, err));
    *out = pt_keep(&costs);
    return PT_OK;
}

/* Rows and columns of the array, each where its class is. */
static pt_status matrix_of_array(double **out, int64_t *columns, const pt_params *params,
                                 pt_param_id id, const pt_texts *classes, pt_error *err)
{
    const pt_param_array *array = pt_params_array(params, id);
    const int64_t k = classes->count;
    const int64_t beside = array->columns - array->rows; /* of rejecting: 1 */
    PT_SCRATCH int64_t *place = NULL;
    PT_SCRATCH double *value = NULL;
    PT_TRY(pt_params_array_rows(params, id, classes, &place, err));
    if (beside > 0 && !columns)
        return pt_fail(err, PT_EINVAL,
                       "`%s`: an array of %lld x %lld; the last column, of rejecting, is for "
                       "decisions only",
                       pt_param_name(id), (long long)array->rows, (long long)array->columns);
    PT_TRY(PT_NEW(value, k * (k + beside), "a matrix of classes", err));
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c < k + beside; c++)
            value[r * (k + beside) + c] =
                array->value[place[r] * array->columns + (c < k ? place[c] : array->rows)];
    if (columns)
        *columns = k + beside;
    *out = pt_keep(&value);
    return PT_OK;
}

pt_status pt_class_matrix_of(double **out, const pt_params *params, pt_param_id id,
                             const pt_texts *classes, const pt_task *task, pt_error *err)
{
    if (pt_params_array(params, id))
        return matrix_of_array(out, NULL, params, id, classes, err);
    PT_TRY(pt_params_array_is_here(params, id, err));
    return pt_class_matrix_read(out, pt_params_text(params, id), classes, task, err);
}

pt_status pt_class_costs_of(double **out, int64_t *columns, const pt_params *params,
                            const pt_texts *classes, const pt_task *task, pt_error *err)
{
    if (pt_params_array(params, PT_P_COSTS))
        return matrix_of_array(out, columns, params, PT_P_COSTS, classes, err);
    PT_TRY(pt_params_array_is_here(params, PT_P_COSTS, err));
    return pt_class_costs_read(out, columns, pt_params_text(params, PT_P_COSTS), classes, task,
                               err);
}
