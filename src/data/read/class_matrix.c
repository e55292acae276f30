/* A k x k matrix by class names, from a CSV file: kernels on labels, costs of confusion.
 *
 *     k lines of k cells              numbers, in the order of the classes
 *     k+1 lines                       the first one names the columns
 *     k+1 cells in a line             the first one names the row (above it, anything)
 *
 * Without names on one side that side has the order of the other. */
#include "data/read/class_matrix.h"

#include <string.h>

#include "base/alloc.h"
#include "data/read/cells.h"
#include "data/read/number.h"

static bool has_header(const pt_cells *c, int64_t k)
{
    return c->n_lines == k + 1;
}

static bool has_names(const pt_cells *c, int64_t k)
{
    return pt_cells_width(c, 0) == k + 1;
}

/* Every line has as many cells as the first, and there are as many lines as there should be. */
static pt_status check_shape(const pt_cells *c, int64_t k, pt_error *err)
{
    for (int64_t i = 0; i < c->n_lines; i++) {
        const int64_t line = pt_cells_at(c, i, 0)->line;
        const int64_t width = pt_cells_width(c, i);
        if (i == k + 1)
            return pt_fail_at(err, PT_EFORMAT, c->path, line, 0,
                              "there are more lines than the %lld classes and a header",
                              (long long)k);
        if (width != pt_cells_width(c, 0) || width < k || width > k + 1)
            return pt_fail_at(err, PT_EFORMAT, c->path, line, 0,
                              "there are %lld cells; a matrix for %lld classes needs %lld, or "
                              "%lld with names in front",
                              (long long)width, (long long)k, (long long)k, (long long)k + 1);
    }
    if (c->n_lines < k)
        return pt_fail_at(err, PT_EFORMAT, c->path, c->last, 0,
                          "there are %lld lines for %lld classes", (long long)c->n_lines,
                          (long long)k);
    return PT_OK;
}

/* row[i], column[j] <- the classes of line i and of cell j. */
static pt_status find_places(const pt_cells *c, const pt_texts *classes, const pt_cell **name,
                             int64_t *row, int64_t *column, pt_error *err)
{
    const int64_t k = classes->count;
    const bool header = has_header(c, k);
    const bool names = has_names(c, k);
    for (int64_t j = 0; j < k; j++)
        row[j] = column[j] = j;
    for (int64_t j = 0; j < k && header; j++)
        name[j] = pt_cells_at(c, 0, j + names);
    if (header)
        PT_TRY(pt_cells_match(c, name, classes, column, err));
    for (int64_t i = 0; i < k && names; i++)
        name[i] = pt_cells_at(c, i + header, 0);
    if (names)
        PT_TRY(pt_cells_match(c, name, classes, row, err));
    if (header && !names)
        memcpy(row, column, (size_t)k * sizeof *row);
    if (names && !header)
        memcpy(column, row, (size_t)k * sizeof *row);
    return PT_OK;
}

static pt_status fill(const pt_cells *c, int64_t k, const int64_t *row, const int64_t *column,
                      double *out, pt_error *err)
{
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            const pt_cell *at = pt_cells_at(c, i + has_header(c, k), j + has_names(c, k));
            if (pt_number_parse(at->text, at->length, &out[row[i] * k + column[j]]) !=
                PT_NUMBER_FINITE)
                return pt_fail_at(err, PT_EFORMAT, c->path, at->line, 0, "'%.*s' is not a number",
                                  pt_cell_shown(at), at->text);
        }
    return PT_OK;
}

pt_status pt_class_matrix_read(double **out, const char *path, const pt_texts *classes,
                               const pt_task *task, pt_error *err)
{
    const int64_t k = classes->count;
    PT_FREED_BY(pt_cells_free) pt_cells c = {0};
    PT_SCRATCH int64_t *place = pt_alloc(2 * k, sizeof(int64_t), "a matrix of classes", err);
    PT_SCRATCH const pt_cell **name = pt_alloc(k, sizeof(pt_cell *), "a matrix of classes", err);
    PT_SCRATCH double *value = pt_alloc(k * k, sizeof(double), "a matrix of classes", err);
    if (!place || !name || !value)
        return PT_ENOMEM;
    PT_TRY(pt_cells_read(&c, path, task, err));
    PT_TRY(check_shape(&c, k, err));
    PT_TRY(find_places(&c, classes, name, place, place + k, err));
    PT_TRY(fill(&c, k, place, place + k, value, err));
    *out = pt_keep(&value);
    return PT_OK;
}
