/* CSV and TSV: cells between separators, quotes as in RFC 4180.
 *
 * How a file is read
 *   1. The head (csv_head.h): the first lines decide the separator, whether there is a header,
 *      and what each column probably holds.
 *   2. The rest is cut into blocks of lines (lines.h) and rows are counted, so that every block
 * knows where its rows go.
 *   3. A pass over the blocks, in parallel: numbers go straight into the matrix, texts are numbered
 * by each worker's dictionary. A column of numbers in which a text turns up is noted.
 *   4. Dictionaries are merged in the order of the file and the numbers of texts are translated.
 *   5. Columns that turned out to be nominal go through 3 and 4 once more, alone.
 *
 * Missing cells: empty, ?, NA, NaN, nan; quoted or not. Blank lines are skipped. Cells are trimmed,
 * the inside of quotes is not. A quote may stand only at the beginning and the end of a cell. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "data/csv_cell.h"
#include "data/csv_head.h"
#include "data/csv_write.h"
#include "data/formats.h"
#include "data/intern.h"
#include "data/lines.h"
#include "data/number.h"
#include "data/reader.h"
#include "data/roles.h"
#include "data/table.h"
#include "data/write.h"

enum {
    TYPO_ROWS = 50, /* from so many rows on, one text in so many numbers is a likely typo */
    WARNED_COLUMNS = 10
};

/* ---- 3. a pass over the blocks ---- */

/* What a worker saw in a column of numbers; offsets are INT64_MAX for never. */
typedef struct csv_seen {
    int64_t texts;
    int64_t missing;
    int64_t first_text;
    int64_t first_missing;
    int64_t first_not_finite;
} csv_seen;

typedef struct csv_work {
    pt_table table;
    const pt_texts *names; /* of all columns, or NULL */
    char separator;
    bool check_marks;       /* there are several label columns to be read */
    csv_seen *seen;         /* n_workers x n_columns */
    pt_csv_buffer *buffers; /* n_workers */
    double *scratch;        /* n_workers x d, where the stride is 0 */
} csv_work;

/* Where in a block a row is being read. */
typedef struct csv_cursor {
    const csv_work *work;
    const pt_block *block;
    int worker;
    const char *p;
} csv_cursor;

static pt_status fail_here(const csv_cursor *cursor, const char *at, const char *text,
                           pt_error *err)
{
    return pt_lines_fail(cursor->work->table.lines, pt_block_offset(cursor->block, at), err, "%s",
                         text);
}

/* Moves behind the next cell. */
static pt_status take_cell(csv_cursor *cursor, pt_csv_cell *cell, pt_error *err)
{
    pt_csv_problem problem = {NULL, NULL};
    const char *stop =
        pt_csv_cell_read(cursor->p, cursor->block->end, cursor->work->separator, cell, &problem);
    if (!stop)
        return fail_here(cursor, problem.at, problem.text, err);
    cursor->p = stop;
    return PT_OK;
}

static pt_status add_text(csv_cursor *cursor, const pt_csv_cell *cell, int64_t slot,
                          int64_t *number, pt_error *err)
{
    const csv_work *work = cursor->work;
    const char *text = NULL;
    size_t length = 0;
    pt_status status = pt_csv_cell_text(cell, &work->buffers[cursor->worker], &text, &length, err);
    if (status != PT_OK)
        return status;
    return pt_table_add(&work->table, cursor->worker, cursor->block, slot, cell->at, text, length,
                        number, err);
}

/* A cell of a column of numbers that the quick scan did not take. */
static pt_status number_cell(csv_cursor *cursor, int64_t column, double *value, pt_error *err)
{
    const csv_work *work = cursor->work;
    const char *next = NULL;
    pt_number kind = pt_number_scan(cursor->p, cursor->block->end, &next, value);
    if (kind == PT_NUMBER_FINITE && (*next == work->separator || *next == '\n')) {
        cursor->p = next;
        return PT_OK;
    }
    pt_csv_cell cell;
    pt_status status = take_cell(cursor, &cell, err);
    if (status != PT_OK)
        return status;
    csv_seen *seen = &work->seen[cursor->worker * work->table.n_columns + column];
    const int64_t offset = pt_block_offset(cursor->block, cell.at);
    if (pt_csv_is_missing(&cell)) {
        seen->missing++;
        if (offset < seen->first_missing)
            seen->first_missing = offset;
        *value = NAN;
        return PT_OK;
    }
    kind = pt_number_parse(cell.text, cell.length, value);
    if (kind == PT_NUMBER_FINITE)
        return PT_OK;
    if (kind == PT_NUMBER_NOT_FINITE) {
        if (offset < seen->first_not_finite)
            seen->first_not_finite = offset;
    } else {
        seen->texts++;
        if (offset < seen->first_text)
            seen->first_text = offset;
    }
    *value = NAN;
    return PT_OK;
}

static pt_status text_cell(csv_cursor *cursor, int64_t slot, double *value, pt_error *err)
{
    pt_csv_cell cell;
    pt_status status = take_cell(cursor, &cell, err);
    *value = NAN;
    if (status != PT_OK || pt_csv_is_missing(&cell))
        return status;
    int64_t number = 0;
    status = add_text(cursor, &cell, slot, &number, err);
    *value = (double)number;
    return status;
}

static bool is_blank(const pt_csv_cell *cell)
{
    return cell->length == 0 || cell->text[0] == ' ';
}

static pt_status label_cell(csv_cursor *cursor, int64_t slot, int64_t *code, pt_error *err)
{
    pt_csv_cell cell;
    pt_status status = take_cell(cursor, &cell, err);
    *code = -1;
    if (status != PT_OK)
        return status;
    if (!pt_csv_is_missing(&cell))
        return add_text(cursor, &cell, slot, code, err);
    const bool sets = cursor->work->table.label_kind == PT_LABEL_SET;
    if (sets && is_blank(&cell)) /* the empty set */
        return PT_OK;
    if (sets)
        *code = PT_LABEL_UNKNOWN;
    if (cursor->work->table.options->label_optional)
        return PT_OK;
    return fail_here(cursor, cell.at, "label is missing; fill it in or remove the row", err);
}

/* One of several label columns. */
static pt_status mark_cell(csv_cursor *cursor, int64_t column, int64_t row, pt_error *err)
{
    pt_csv_cell cell;
    pt_status status = take_cell(cursor, &cell, err);
    if (status != PT_OK)
        return status;
    return pt_table_add_mark(&cursor->work->table, cursor->block, column, row, cell.at, cell.text,
                             cell.length, pt_csv_is_missing(&cell), err);
}

static pt_status weight_cell(csv_cursor *cursor, double *weight, pt_error *err)
{
    pt_csv_cell cell;
    pt_status status = take_cell(cursor, &cell, err);
    if (status != PT_OK)
        return status;
    if (pt_number_parse(cell.text, cell.length, weight) != PT_NUMBER_FINITE || *weight < 0)
        return fail_here(cursor, cell.at, "the weight is not a finite number of at least 0", err);
    return PT_OK;
}

/* Says how many cells a row has that has too many or too few; the cursor is behind cell `column`.
 */
static pt_status fail_ragged(csv_cursor *cursor, int64_t column, pt_error *err)
{
    const char *at = cursor->p;
    int64_t found = column + 1;
    while (*cursor->p == cursor->work->separator) {
        pt_csv_cell cell;
        cursor->p++;
        pt_status status = take_cell(cursor, &cell, err);
        if (status != PT_OK)
            return status;
        found++;
    }
    return pt_lines_fail(cursor->work->table.lines, pt_block_offset(cursor->block, at), err,
                         "the row has %lld cells, %lld are expected; add or remove cells, or quote "
                         "a cell that contains the separator",
                         (long long)found, (long long)cursor->work->table.n_columns);
}

static pt_status read_row(csv_cursor *cursor, double *values, int64_t row, pt_error *err)
{
    const csv_work *work = cursor->work;
    const char separator = work->separator;
    const int64_t last = work->table.n_columns - 1;
    const char *begin = cursor->p;
    for (int64_t j = 0; j <= last; j++) {
        const pt_table_column *column = &work->table.columns[j];
        pt_status status = PT_OK;
        pt_csv_cell cell;
        switch (column->kind) {
        case PT_CELL_NUMBER: {
            const char *next = NULL;
            double *value = values + column->feature;
            while (*cursor->p == ' ')
                cursor->p++;
            if (pt_number_quick(cursor->p, cursor->block->end, &next, value) &&
                (*next == separator || *next == '\n'))
                cursor->p = next;
            else
                status = number_cell(cursor, j, value, err);
            break;
        }
        case PT_CELL_TEXT:
            status = text_cell(cursor, column->slot, values + column->feature, err);
            break;
        case PT_CELL_LABEL:
            status = label_cell(cursor, column->slot, &work->table.label[row], err);
            break;
        case PT_CELL_MARK:
            status = mark_cell(cursor, j, row, err);
            break;
        case PT_CELL_WEIGHT:
            status = weight_cell(cursor, &work->table.weights[row], err);
            break;
        case PT_CELL_LEVEL: /* CSV declares none */
        case PT_CELL_SKIP:
            status = take_cell(cursor, &cell, err);
            break;
        }
        if (status != PT_OK)
            return status;
        if (*cursor->p != (j < last ? separator : '\n'))
            return fail_ragged(cursor, j, err);
        cursor->p++;
    }
    return work->check_marks ? pt_table_check_marks(&work->table, cursor->block, row, begin, err)
                             : PT_OK;
}

static pt_status read_block(void *context, int64_t b, int worker, pt_error *err)
{
    const csv_work *work = context;
    pt_block *block = &work->table.lines->blocks[b];
    block->worker = worker;
    csv_cursor cursor = {work, block, worker, block->begin};
    const int64_t end_row = block->first_row + block->rows;
    for (int64_t row = block->first_row;; row++) {
        cursor.p = pt_skip_blank_lines(cursor.p, block->end);
        if (cursor.p == block->end && row == end_row) {
            pt_lines_drop(work->table.lines, block->begin, block->end);
            return PT_OK;
        }
        if (cursor.p == block->end || row == end_row) /* only stray quotes can lead here */
            return fail_here(&cursor, cursor.p, "quotes are not in pairs before this place", err);
        double *values = work->table.stride ? work->table.value + row * work->table.stride
                                            : work->scratch + worker * work->table.d;
        pt_status status = read_row(&cursor, values, row, err);
        if (status != PT_OK)
            return status;
    }
}

/* ---- passes ---- */

static void pass_end(csv_work *work)
{
    for (int w = 0; work->buffers && w < work->table.n_workers; w++)
        pt_free(work->buffers[w].text);
    pt_free(work->buffers);
    pt_free(work->scratch);
    work->buffers = NULL;
    work->scratch = NULL;
    pt_table_close(&work->table);
}

static pt_status pass_begin(csv_work *work, pt_error *err)
{
    const char *what = "work space of a reader";
    const int64_t workers = work->table.n_workers;
    work->buffers = pt_alloc_zero(workers, sizeof *work->buffers, what, err);
    work->scratch =
        pt_alloc(work->table.stride ? 0 : workers * work->table.d, sizeof(double), what, err);
    if (!work->buffers || !work->scratch)
        return PT_ENOMEM;
    for (int64_t i = 0; i < workers * work->table.n_columns; i++)
        work->seen[i] = (csv_seen){0, 0, INT64_MAX, INT64_MAX, INT64_MAX};
    return pt_table_open(&work->table, err);
}

static pt_status run_pass(csv_work *work, pt_dataset *data, pt_table_texts *labels, pt_error *err)
{
    const pt_lines *lines = work->table.lines;
    pt_status status = pass_begin(work, err);
    if (status == PT_OK)
        status = pt_parallel_for_stage(work->table.options->task,
                                       work->table.options->part ? NULL : "read", lines->n_blocks,
                                       read_block, work, err);
    if (status == PT_OK && work->table.stride == 0)
        status = pt_lines_fail(lines, 0, err, "rows do not fit the first line");
    if (status == PT_OK)
        status = pt_table_translate(&work->table, data, labels, err);
    pass_end(work);
    return status;
}

/* Adds what the workers saw into the first worker's row. */
static void add_up_seen(csv_work *work)
{
    for (int w = 1; w < work->table.n_workers; w++)
        for (int64_t j = 0; j < work->table.n_columns; j++) {
            const csv_seen *from = &work->seen[w * work->table.n_columns + j];
            csv_seen *to = &work->seen[j];
            to->texts += from->texts;
            to->missing += from->missing;
            if (from->first_text < to->first_text)
                to->first_text = from->first_text;
            if (from->first_missing < to->first_missing)
                to->first_missing = from->first_missing;
            if (from->first_not_finite < to->first_not_finite)
                to->first_not_finite = from->first_not_finite;
        }
}

/* The cell at an offset of the file, for a message. */
static const char *show_cell(const csv_work *work, int64_t offset, char shown[PT_CELL_SHOWN])
{
    pt_csv_cell cell;
    pt_csv_problem problem;
    const char *bytes = work->table.lines->bytes;
    if (!pt_csv_cell_read(bytes + offset, bytes + work->table.lines->size, work->separator, &cell,
                          &problem))
        return "";
    return pt_cell_show(cell.text, cell.length, shown);
}

static const char *column_title(const csv_work *work, int64_t column, char title[PT_CELL_SHOWN])
{
    const char *name = work->names ? work->names->items[column] : "";
    if (*name) {
        char shown[PT_CELL_SHOWN];
        snprintf(title, PT_CELL_SHOWN, "'%.40s'", pt_cell_show(name, strlen(name), shown));
    } else {
        snprintf(title, PT_CELL_SHOWN, "%lld", (long long)column + 1);
    }
    return title;
}

/* Numbers that no machine can use, texts where the model needs numbers, and in a stream cells that
 * are missing: the first in the file. */
static pt_status refuse_cells(const csv_work *work, const pt_roles *roles, pt_error *err)
{
    enum { TEXT, STREAM_TEXT, INFINITE, MISSING } problem = TEXT;
    const bool part = work->table.options->part;
    int64_t bad = -1;
    int64_t offset = INT64_MAX;
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        const csv_seen *seen = &work->seen[j];
        const bool must_be_number = roles->role[j] == PT_ROLE_NUMBER;
        if (seen->texts > 0 && must_be_number && seen->first_text < offset) {
            bad = j;
            problem = part ? STREAM_TEXT : TEXT;
            offset = seen->first_text;
        }
        if ((seen->texts == 0 || must_be_number) && seen->first_not_finite < offset) {
            bad = j;
            problem = INFINITE;
            offset = seen->first_not_finite;
        }
        if (part && seen->first_missing < offset) {
            bad = j;
            problem = MISSING;
            offset = seen->first_missing;
        }
    }
    if (bad < 0)
        return PT_OK;
    char shown[PT_CELL_SHOWN];
    char title[PT_CELL_SHOWN];
    return pt_lines_fail(
        work->table.lines, offset, err,
        problem == TEXT ? "'%s' is not a number, but column %s was numeric in training; correct "
                          "it, or leave the cell empty if it is missing"
        : problem == STREAM_TEXT
            ? "'%s' is not a number (column %s), and a stream has numbers only; leave the column "
              "out by --ignore, or train without --online"
        : problem == INFINITE ? "'%s' is not a finite number (column %s); correct it, or leave the "
                                "cell empty if it is missing"
                              : "the cell '%s' is missing (column %s), which a stream does not "
                                "fill in; remove the row or the column (--ignore)",
        show_cell(work, offset, shown), column_title(work, bad, title));
}

/* A few texts among many numbers are probably typing errors: say where. */
static pt_status warn_of_typo(const csv_work *work, int64_t column, int64_t n, pt_texts *warnings,
                              pt_error *err)
{
    const csv_seen *seen = &work->seen[column];
    const int64_t numbers = n - seen->missing - seen->texts;
    if (numbers < TYPO_ROWS || seen->texts > numbers / TYPO_ROWS)
        return PT_OK;
    char shown[PT_CELL_SHOWN];
    char title[PT_CELL_SHOWN];
    int64_t line = 0;
    int64_t byte = 0;
    pt_lines_locate(work->table.lines, seen->first_text, &line, &byte);
    return pt_texts_add(warnings, err,
                        "column %s is read as nominal: %lld of its cells are numbers, but %lld are "
                        "not, the first of them '%s' in line %lld, column %lld%s",
                        column_title(work, column, title), (long long)numbers,
                        (long long)seen->texts, show_cell(work, seen->first_text, shown),
                        (long long)line, (long long)byte,
                        line == 1 ? "; if the first line is a header, say --header yes" : "");
}

/* ---- the whole ---- */

/* Sets the kind of every column for the first pass. */
static void plan_columns(csv_work *work, const pt_csv_head *head, const pt_roles *roles)
{
    int64_t marks = 0;
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        pt_table_column *column = &work->table.columns[j];
        const int64_t texts = head->rows[j].texts + (head->header ? 0 : head->first_row[j].texts);
        const int64_t numbers =
            head->rows[j].numbers + (head->header ? 0 : head->first_row[j].numbers);
        const pt_role role = roles->role[j];
        column->feature = role <= PT_ROLE_NOMINAL ? work->table.d++ : -1;
        column->mark = role == PT_ROLE_MARK ? marks++ : -1;
        column->kind = role == PT_ROLE_LABEL     ? PT_CELL_LABEL
                       : role == PT_ROLE_MARK    ? PT_CELL_MARK
                       : role == PT_ROLE_WEIGHT  ? PT_CELL_WEIGHT
                       : role == PT_ROLE_IGNORED ? PT_CELL_SKIP
                       : role == PT_ROLE_NOMINAL || (role == PT_ROLE_FEATURE && texts > numbers)
                           ? PT_CELL_TEXT
                           : PT_CELL_NUMBER;
    }
    work->check_marks = marks > 0;
    pt_table_number_slots(&work->table);
}

/* For the second pass: the columns of numbers in which texts were seen, and only those. */
static int64_t plan_again(csv_work *work)
{
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        pt_table_column *column = &work->table.columns[j];
        const bool again = column->kind == PT_CELL_NUMBER && work->seen[j].texts > 0;
        column->kind = again ? PT_CELL_TEXT : PT_CELL_SKIP;
    }
    work->check_marks = false;
    pt_table_number_slots(&work->table);
    return work->table.n_slots;
}

static pt_status matrix_new(csv_work *work, pt_dataset *data, pt_error *err)
{
    pt_status status =
        pt_reader_check_size(data->n, data->d, sizeof(double), work->table.options, err);
    /* Every cell takes a byte of the file at least. Where the rows counted cannot be as long as the
     * first line, some row will be refused: the pass finds it without a matrix for them all. */
    work->table.stride = data->n <= (int64_t)work->table.lines->size / data->d ? data->d : 0;
    if (work->table.stride == 0)
        status = PT_OK;
    if (status != PT_OK)
        return status;
    pt_read_room *room = work->table.options->room;
    const int64_t rows = work->table.stride ? data->n : 0;
    if (room && room->value && room->cells >= rows * data->d) { /* of a stream's last block */
        data->value = room->value;
        room->value = NULL;
    } else {
        if (room) {
            pt_free(room->value);
            room->value = NULL;
            room->cells = rows * data->d;
        }
        data->value =
            pt_alloc(rows, (size_t)data->d * sizeof(double), "the values of a data set", err);
    }
    work->table.value = data->value;
    return data->value ? PT_OK : PT_ENOMEM;
}

/* Passes 1 and 2 and what lies between them. */
static pt_status read_values(csv_work *work, const pt_roles *roles, pt_dataset *data, pt_error *err)
{
    pt_table_texts labels = {0};
    pt_status status = run_pass(work, data, &labels, err);
    if (status == PT_OK) {
        add_up_seen(work);
        status = refuse_cells(work, roles, err);
    }
    int64_t warned = 0;
    for (int64_t j = 0; j < work->table.n_columns && status == PT_OK; j++) {
        if (work->seen[j].texts == 0)
            continue;
        data->columns[work->table.columns[j].feature].nominal = true;
        if (warned++ < WARNED_COLUMNS)
            status = warn_of_typo(work, j, data->n, &data->warnings, err);
    }
    if (status == PT_OK)
        status = pt_table_make_labels(&work->table, &labels, data, err);
    if (status == PT_OK && plan_again(work) > 0)
        status = run_pass(work, data, &labels, err);
    pt_table_texts_free(&labels);
    return status;
}

static pt_status read_rows(csv_work *work, const pt_csv_head *head, const pt_roles *roles,
                           pt_dataset *data, pt_error *err)
{
    pt_status status = pt_roles_columns(roles, work->names, data, err);
    work->table.n_workers =
        pt_parallel_workers(work->table.options->task, work->table.lines->n_blocks);
    work->table.columns =
        pt_alloc_zero(work->table.n_columns, sizeof *work->table.columns, "columns", err);
    work->seen =
        pt_alloc(work->table.n_workers * work->table.n_columns, sizeof *work->seen, "columns", err);
    if (status == PT_OK)
        status = pt_table_labels_new(&work->table, roles, data->n, err);
    if (status == PT_OK && roles->weight >= 0)
        status = pt_reader_take((size_t)data->n * sizeof *data->weights, work->table.options, err);
    if (status == PT_OK && roles->weight >= 0)
        data->weights = pt_alloc(data->n, sizeof *data->weights, "weights", err);
    work->table.weights = data->weights;
    if (status == PT_OK &&
        (!work->table.columns || !work->seen || (roles->weight >= 0 && !data->weights)))
        status = PT_ENOMEM;
    if (status == PT_OK)
        status = matrix_new(work, data, err);
    if (status == PT_OK) {
        plan_columns(work, head, roles);
        for (int64_t j = 0; j < work->table.n_columns; j++)
            if (work->table.columns[j].kind == PT_CELL_TEXT)
                data->columns[work->table.columns[j].feature].nominal = true;
        status = read_values(work, roles, data, err);
    }
    pt_free(work->table.columns);
    pt_free(work->seen);
    pt_table_labels_free(&work->table);
    return status;
}

static pt_status read_table(pt_dataset **out, const pt_csv_head *head, size_t begin,
                            const pt_lines *text, const pt_read_options *options,
                            pt_texts *warnings, pt_error *err)
{
    const pt_texts *names = head->header ? &head->first : NULL;
    pt_lines lines = {.mapped = options->mapped};
    pt_roles roles = {0};
    pt_dataset *data = NULL;
    csv_work work = {.table.lines = &lines,
                     .table.names = names,
                     .table.options = options,
                     .names = names,
                     .separator = head->separator,
                     .table.n_columns = head->n_columns};
    pt_read_options own = *options;
    own.row_names = head->row_names;
    pt_status status = pt_roles_assign(&roles, head->n_columns, names, &own, warnings, err);
    if (status == PT_OK)
        status =
            pt_lines_split(&lines, text->bytes, text->size, head->header ? head->first_end : begin,
                           '"', options->source, options->task, err);
    if (status == PT_OK)
        status = pt_lines_count(&lines, '"', 0, 0, options->task, err);
    if (status == PT_OK && lines.n_rows == 0)
        status = pt_lines_fail(text, (int64_t)text->size, err,
                               "there is a header and no row behind it; add data, or say --header "
                               "no if the first line holds data");
    if (status == PT_OK)
        status =
            pt_dataset_shell(&data, lines.n_rows, roles.n_features, PT_F64, options->source, err);
    if (status == PT_OK) {
        data->warnings = *warnings;
        memset(warnings, 0, sizeof *warnings);
        status = read_rows(&work, head, &roles, data, err);
    }
    pt_lines_free(&lines);
    pt_roles_free(&roles);
    if (status != PT_OK) {
        pt_dataset_free(data);
        return status;
    }
    *out = data;
    return PT_OK;
}

static pt_status csv_read(pt_dataset **out, const char *bytes, size_t size, char separator,
                          const pt_read_options *options, pt_error *err)
{
    size_t begin = 0;
    pt_lines text = {.bytes = bytes, .size = size, .source = options->source};
    pt_texts warnings = {NULL, 0, 0};
    pt_csv_head head = {0};
    pt_status status = pt_reader_check_text(bytes, size, &begin, options->source, err);
    if (status == PT_OK)
        status = pt_csv_head_read(&head, &text, begin, separator, options, &warnings, err);
    if (status == PT_OK)
        status = read_table(out, &head, begin, &text, options, &warnings, err);
    pt_csv_head_free(&head);
    pt_texts_free(&warnings);
    return status;
}

static pt_status read_comma(pt_dataset **out, const char *bytes, size_t size,
                            const pt_read_options *options, pt_error *err)
{
    return csv_read(out, bytes, size, ',', options, err);
}

static pt_status read_tab(pt_dataset **out, const char *bytes, size_t size,
                          const pt_read_options *options, pt_error *err)
{
    return csv_read(out, bytes, size, '\t', options, err);
}

static pt_status write_comma(const pt_dataset *data, bool continues, pt_writer *writer,
                             pt_error *err)
{
    return pt_csv_write(data, ',', continues, writer, err);
}

static pt_status write_tab(const pt_dataset *data, bool continues, pt_writer *writer, pt_error *err)
{
    return pt_csv_write(data, '\t', continues, writer, err);
}

/* ---- which files these are ---- */

/* Separators outside quotes in the first line that is not blank. */
static int64_t count_separators(const char *bytes, size_t size, char separator)
{
    const char *end = bytes + size;
    bool inside = false;
    int64_t count = 0;
    for (const char *p = pt_skip_blank_lines(bytes, end); p < end && (inside || *p != '\n'); p++) {
        inside = inside != (*p == '"');
        count += !inside && *p == separator;
    }
    return count;
}

/* Nearly anything is a CSV file, so it is sure of little. */
static int detect_comma(const char *bytes, size_t size)
{
    return count_separators(bytes, size, ',') > 0 ? 40 : 10;
}

static int detect_tab(const char *bytes, size_t size)
{
    return count_separators(bytes, size, '\t') > 0 && count_separators(bytes, size, ',') == 0 ? 45
                                                                                              : 0;
}

const pt_format pt_format_csv = {"csv",      "comma-separated values, quotes as in RFC 4180",
                                 ".csv",     detect_comma,
                                 read_comma, write_comma};

const pt_format pt_format_tsv = {
    "tsv", "tab-separated values", ".tsv,.tab", detect_tab, read_tab, write_tab};
