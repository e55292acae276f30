/* Small CSV files that belong to classes: codes, costs, kernels on labels. */
#ifndef PT_DATA_READ_CLASS_FILE_H
#define PT_DATA_READ_CLASS_FILE_H

#include <stdbool.h>

#include "base/task.h"
#include "base/text.h"
#include "data/read/source.h"
#include "params/params.h"

/* The cells of a small CSV file, with the line of each: matrices that belong to classes. */

/* The text without spaces and quotes around it, doubled quotes halved; it is not ended by 0. */
typedef struct pt_cell {
    const char *text;
    size_t length;
    int64_t line;
} pt_cell;

/* Lines that are not blank. Zero-initialise; free it always. */
typedef struct pt_cells {
    const char *path;
    pt_source source;
    pt_cell *items;
    int64_t n_items;
    int64_t items_room;
    pt_texts halved; /* texts of cells that have doubled quotes */
    int64_t *start;  /* n_lines + 1: where a line begins among the items */
    int64_t start_room;
    int64_t n_lines; /* lines may differ in length */
    int64_t last;    /* number of the last line of the file */
} pt_cells;

/* Quotes as in RFC 4180; commas, semicolons or tabs, by the first line; empty lines, and lines of #
 * above the others, do not count. */

pt_status pt_cells_read(pt_cells *cells, const char *path, const pt_task *task, pt_error *err);
/* The same for bytes in memory, which are borrowed; `name` stands for the file in errors. */
pt_status pt_cells_read_memory(pt_cells *cells, const void *bytes, size_t size, const char *name,
                               const pt_task *task, pt_error *err);
void pt_cells_free(pt_cells *cells);

int64_t pt_cells_width(const pt_cells *cells, int64_t line);
const pt_cell *pt_cells_at(const pt_cells *cells, int64_t line, int64_t column);

/* How much of a cell an error repeats: for "%.*s". */
int pt_cell_shown(const pt_cell *cell);
bool pt_cell_is(const pt_cell *cell, const char *text);

/* place[j] <- the class that names[j] names, for as many names as classes; each once. */
pt_status pt_cells_match(const pt_cells *cells, const pt_cell *const *names,
                         const pt_texts *classes, int64_t *place, pt_error *err);

/* A matrix with a row and a column for each class, from a CSV file. */

/* *out <- k x k, row-major, in the order of `classes`; the caller frees it. The file has k lines of
 * k numbers in that order; or, with class names in any order, a first line of them, or a first cell
 * of every line, or both. Every fault is told with its line. */
pt_status pt_class_matrix_read(double **out, const char *path, const pt_texts *classes,
                               const pt_task *task, pt_error *err);
/* *out <- k x *columns costs, of k classes or, beside them, of rejecting: then a last column has
 * these, with a name above it that no class has, where columns have names. Otherwise as above. */
pt_status pt_class_costs_read(double **out, int64_t *columns, const char *path,
                              const pt_texts *classes, const pt_task *task, pt_error *err);
/* The same of a parameter that names such a file, or is an array (params/param_array.h); costs of
 * decisions, which may have a column more. */
pt_status pt_class_costs_of(double **out, int64_t *columns, const pt_params *params,
                            const pt_texts *classes, const pt_task *task, pt_error *err);
/* A matrix of a parameter. */
pt_status pt_class_matrix_of(double **out, const pt_params *params, pt_param_id id,
                             const pt_texts *classes, const pt_task *task, pt_error *err);

#endif
