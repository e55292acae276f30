/* CSV and TSV: cells between separators, quotes as in RFC 4180.
 *
 * How a file is read
 *   1. The head: the first lines decide the separator, whether there is a header, and what each
 *      column probably holds.
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
#include "data/formats.h"
#include "data/intern.h"
#include "data/lines.h"
#include "data/number.h"
#include "data/reader.h"
#include "data/roles.h"
#include "data/table.h"
#include "data/write.h"

enum {
    NAMES_TRIED = 16,       /* cells of the first line compared with the model's names */
    HEAD_ROWS = 100,        /* rows looked at before a type is guessed */
    MOST_COLUMNS = 1 << 22, /* wider files are refused: they are not tables */
    TYPO_ROWS = 50,         /* from so many rows on, one text in so many numbers is a likely typo */
    WARNED_COLUMNS = 10
};

/* ---- cells ---- */

typedef struct csv_cell {
    const char *text; /* trimmed, without the quotes around it */
    size_t length;
    bool quoted;
    bool doubled;   /* has doubled quotes inside */
    const char *at; /* where it begins in the file */
} csv_cell;

/* A cell cannot be read: where, and what to say. */
typedef struct csv_problem {
    const char *at;
    const char *text;
} csv_problem;

static bool is_space(char c, char separator)
{
    return c == ' ' || (c == '\t' && separator != '\t');
}

/* The quoted cell whose opening quote is at p; returns behind the closing quote. */
static const char *quoted_cell(const char *p, const char *end, csv_cell *cell, csv_problem *problem)
{
    const char *open = p++;
    cell->quoted = true;
    cell->text = p;
    for (;;) {
        const char *quote = p < end ? memchr(p, '"', (size_t)(end - p)) : NULL;
        if (!quote) {
            *problem = (csv_problem){open, "a quote is opened here and never closed; close it, or "
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

/* Reads the cell at p and returns where it ends: at a separator, a newline or `end`; NULL with the
 * problem if it cannot be read. */
static const char *cell_read(const char *p, const char *end, char separator, csv_cell *cell,
                             csv_problem *problem)
{
    while (p < end && is_space(*p, separator))
        p++;
    *cell = (csv_cell){p, 0, false, false, p};
    if (p < end && *p == '"') {
        p = quoted_cell(p, end, cell, problem);
        if (!p)
            return NULL;
        while (p < end && (is_space(*p, separator) || *p == '\r'))
            p++;
        if (p < end && *p != separator && *p != '\n') {
            *problem = (csv_problem){p, "text follows a closing quote; quote the whole cell and "
                                        "double the quotes inside"};
            return NULL;
        }
        return p;
    }
    while (p < end && *p != separator && *p != '\n') {
        if (*p == '"') {
            *problem =
                (csv_problem){p, "a quote stands inside a cell that is not quoted; quote the "
                                 "whole cell and double the quotes inside"};
            return NULL;
        }
        p++;
    }
    const char *last = p;
    while (last > cell->text && (is_space(last[-1], separator) || last[-1] == '\r'))
        last--;
    cell->length = (size_t)(last - cell->text);
    return p;
}

/* Room for texts whose doubled quotes are halved. */
typedef struct csv_buffer {
    char *text;
    int64_t capacity;
} csv_buffer;

/* The text of a cell as it is meant; borrowed from the file or from the buffer. */
static pt_status cell_text(const csv_cell *cell, csv_buffer *buffer, const char **text,
                           size_t *length, pt_error *err)
{
    *text = cell->text;
    *length = cell->length;
    if (!cell->doubled)
        return PT_OK;
    if ((int64_t)cell->length > buffer->capacity) {
        const int64_t capacity = 2 * (int64_t)cell->length;
        pt_status status = pt_alloc_grow((void **)&buffer->text, 0, capacity, 1, "a cell", err);
        if (status != PT_OK)
            return status;
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

static bool is_missing(const csv_cell *cell)
{
    const char *t = cell->text;
    size_t length = cell->length;
    while (length > 0 && *t == ' ')
        t++, length--;
    while (length > 0 && t[length - 1] == ' ')
        length--;
    return length == 0 || (length == 1 && *t == '?') ||
           (length == 2 && t[0] == 'N' && t[1] == 'A') ||
           (length == 3 && (memcmp(t, "NaN", 3) == 0 || memcmp(t, "nan", 3) == 0));
}

/* ---- 1. the head ---- */

/* What the first rows show of a column. */
typedef struct csv_guess {
    int64_t numbers;
    int64_t texts;
    int64_t commas;    /* of the texts: numbers with a decimal comma */
    const char *comma; /* the first of them */
} csv_guess;

typedef struct csv_head {
    char separator;
    pt_texts first;       /* cells of the first line */
    csv_guess *first_row; /* of the first line alone */
    csv_guess *rows;      /* of the lines behind it, at most HEAD_ROWS */
    int64_t n_columns;
    size_t first_end; /* offset behind the first line */
    pt_intern ids;    /* cells of the first column behind the first line, as long as these differ */
    bool ids_differ;  /* ... and none is missing or a fraction */
    bool header;
    bool row_names; /* the first column has no name and names the rows */
} csv_head;

static void head_free(csv_head *head)
{
    pt_texts_free(&head->first);
    pt_intern_free(&head->ids);
    pt_free(head->first_row);
    pt_free(head->rows);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* -5,1 without quotes: digits, a comma, digits. */
static bool has_decimal_comma(const csv_cell *cell)
{
    const char *p = cell->text;
    const char *end = p + cell->length;
    if (cell->quoted || p == end)
        return false;
    p += *p == '-' || *p == '+';
    const char *whole = p;
    while (p < end && is_digit(*p))
        p++;
    if (p == whole || p == end || *p != ',')
        return false;
    const char *fraction = ++p;
    while (p < end && is_digit(*p))
        p++;
    return p == end && p > fraction;
}

static void guess_cell(const csv_cell *cell, csv_guess *guess)
{
    double value = 0;
    if (is_missing(cell))
        return;
    if (pt_number_parse(cell->text, cell->length, &value) != PT_NUMBER_NONE) {
        guess->numbers++;
        return;
    }
    guess->texts++;
    if (has_decimal_comma(cell)) {
        if (guess->commas++ == 0)
            guess->comma = cell->at;
    }
}

/* Numbers with decimal commas would silently become levels. */
static pt_status refuse_decimal_commas(const csv_head *head, const pt_lines *text, pt_error *err)
{
    for (int64_t j = 0; j < head->n_columns; j++) {
        const csv_guess *first = &head->first_row[j];
        const csv_guess *rows = &head->rows[j];
        const int64_t cells = first->texts + first->numbers + rows->texts + rows->numbers;
        if (2 * (first->commas + rows->commas) <= cells)
            continue;
        const char *at = first->comma ? first->comma : rows->comma;
        return pt_lines_fail(text, at - text->bytes, err,
                             "decimal commas are not read; convert them to points (a cell in "
                             "quotes is a text)");
    }
    return PT_OK;
}

/* The separator of a file that may not have commas: the first line decides. Where it has
 * semicolons, and commas only between digits and at most one in a cell, these are decimal commas.
 */
static char find_separator(const char *p, const char *end)
{
    const char *begin = p;
    bool inside = false;
    bool semicolon = false;
    bool tab = false;
    bool comma = false;
    bool decimal = true;
    bool cell_has_comma = false;
    for (; p < end && (inside || *p != '\n'); p++) {
        inside = inside != (*p == '"');
        if (inside)
            continue;
        if (*p == ',') {
            decimal = decimal && !cell_has_comma && p > begin && is_digit(p[-1]) && p + 1 < end &&
                      is_digit(p[1]);
            cell_has_comma = true;
            comma = true;
        }
        if (*p == ';')
            cell_has_comma = false;
        semicolon = semicolon || *p == ';';
        tab = tab || *p == '\t';
    }
    if (comma)
        return semicolon && decimal ? ';' : ',';
    return semicolon ? ';' : tab ? '\t' : ',';
}

static pt_status first_line(csv_head *head, const pt_lines *text, const char *p, const char *end,
                            pt_error *err)
{
    csv_buffer buffer = {NULL, 0};
    int64_t room = 0;
    pt_status status = PT_OK;
    for (;;) {
        csv_cell cell;
        csv_problem problem = {NULL, NULL};
        const char *stop = cell_read(p, end, head->separator, &cell, &problem);
        if (!stop) {
            status = pt_lines_fail(text, problem.at - text->bytes, err, "%s", problem.text);
            break;
        }
        if (head->n_columns == MOST_COLUMNS) {
            status = pt_lines_fail(text, p - text->bytes, err,
                                   "the first line has more than %d cells; is this a table?",
                                   MOST_COLUMNS);
            break;
        }
        if (head->n_columns == room) {
            const int64_t larger = room ? 2 * room : 64;
            status = pt_alloc_grow((void **)&head->first_row, room, larger, sizeof(csv_guess),
                                   "columns", err);
            if (status != PT_OK)
                break;
            room = larger;
        }
        const char *words = NULL;
        size_t length = 0;
        status = cell_text(&cell, &buffer, &words, &length, err);
        if (status == PT_OK && length > 0 && memchr(words, '\0', length))
            status = pt_lines_fail(text, cell.at - text->bytes, err,
                                   "the cell has a zero byte; this is not a text file");
        if (status == PT_OK)
            status = pt_texts_add_n(&head->first, words, length, err);
        if (status != PT_OK)
            break;
        head->first_row[head->n_columns] = (csv_guess){0, 0, 0, NULL};
        guess_cell(&cell, &head->first_row[head->n_columns++]);
        p = stop;
        if (p == end || *p == '\n')
            break;
        p++;
    }
    pt_free(buffer.text);
    head->first_end = (size_t)(p - text->bytes) + (p < end);
    return status;
}

/* Notes a cell of the first column: numbers of rows and names of rows differ, and are whole. */
static pt_status note_id(csv_head *head, const csv_cell *cell, pt_error *err)
{
    double value = 0;
    const pt_number kind = pt_number_parse(cell->text, cell->length, &value);
    const bool whole =
        kind == PT_NUMBER_NONE || (kind == PT_NUMBER_FINITE && value == floor(value));
    const int64_t before = head->ids.texts.count;
    int64_t number = 0;
    head->ids_differ = whole && !is_missing(cell) && memchr(cell->text, '\0', cell->length) == NULL;
    if (!head->ids_differ)
        return PT_OK;
    const pt_status status = pt_intern_add(&head->ids, cell->text, cell->length, &number, err);
    head->ids_differ = head->ids.texts.count > before;
    return status;
}

/* Looks at rows until one is not as expected: the passes will say what is wrong with it. */
static pt_status later_lines(csv_head *head, const char *p, const char *end, pt_error *err)
{
    head->ids_differ = *head->first.items[0] == '\0';
    for (int row = 0; row < HEAD_ROWS; row++) {
        p = pt_skip_blank_lines(p, end);
        for (int64_t j = 0; p < end; j++) {
            csv_cell cell;
            csv_problem problem;
            p = cell_read(p, end, head->separator, &cell, &problem);
            if (!p || j == head->n_columns)
                return PT_OK;
            guess_cell(&cell, &head->rows[j]);
            if (j == 0 && head->ids_differ) {
                const pt_status status = note_id(head, &cell, err);
                if (status != PT_OK)
                    return status;
            }
            if (p == end || *p++ == '\n')
                break;
        }
    }
    return PT_OK;
}

/* What speaks for a header in the first line. */
typedef struct csv_signs {
    bool numbers;        /* a cell is a number or says "missing": it speaks against */
    bool named;          /* a label's name, or a name that was asked for */
    bool only_y;         /* that name is y, which may be a yes */
    bool numbers_follow; /* below a text */
    bool distinct;
    bool filled; /* no cell is empty, the first apart */
} csv_signs;

static bool is_asked_for(const char *name, const pt_read_options *options, bool try_features)
{
    if (*name && strcmp(name, options->label) == 0)
        return true;
    for (int64_t i = 0; try_features && options->features && i < options->features->count; i++)
        if (*name && strcmp(name, options->features->items[i]) == 0)
            return true;
    return false;
}

static pt_status read_signs(csv_signs *signs, const csv_head *head, const pt_read_options *options,
                            pt_error *err)
{
    *signs = (csv_signs){.only_y = true, .distinct = true, .filled = true};
    pt_intern seen;
    memset(&seen, 0, sizeof seen);
    pt_status status = PT_OK;
    for (int64_t j = 0; j < head->n_columns && status == PT_OK; j++) {
        const char *name = head->first.items[j];
        if (!*name) {
            signs->filled = signs->filled && j == 0;
            continue;
        }
        const bool asked = is_asked_for(name, options, j < NAMES_TRIED);
        signs->numbers = signs->numbers || head->first_row[j].texts == 0;
        signs->named = signs->named || asked || pt_is_label_name(name);
        if (asked || (pt_is_label_name(name) && !pt_same_name(name, "y")))
            signs->only_y = false;
        if (head->rows[j].numbers > 0 && head->rows[j].texts == 0 && head->first_row[j].texts > 0)
            signs->numbers_follow = true;
        const int64_t before = seen.texts.count;
        int64_t number = 0;
        status = pt_intern_add(&seen, name, strlen(name), &number, err);
        signs->distinct = signs->distinct && seen.texts.count > before;
    }
    pt_intern_free(&seen);
    return status;
}

/* No numbers, and either a label's name (or a name that was asked for) or a column of numbers below
 * a text. Names that are missing or there twice do not make data of it: that is said when names are
 * used. But a row of yes and no is not a header because of its y. */
static bool is_header(const csv_signs *signs)
{
    if (signs->numbers)
        return false;
    const bool tidy = signs->distinct && signs->filled;
    return signs->numbers_follow || (signs->named && (tidy || !signs->only_y));
}

static pt_status find_header(csv_head *head, const pt_read_options *options, pt_texts *warnings,
                             pt_error *err)
{
    csv_signs signs;
    pt_status status = read_signs(&signs, head, options, err);
    if (status != PT_OK)
        return status;
    head->header = is_header(&signs);
    bool rows_follow = false;
    for (int64_t j = 0; j < head->n_columns; j++)
        rows_follow = rows_follow || head->rows[j].texts > 0;
    const bool names_wanted = !options->label_optional || options->features;
    if (head->header || (signs.numbers && !signs.named) || !rows_follow || !names_wanted)
        return PT_OK;
    return pt_texts_add(
        warnings, err,
        "the first line was taken as data; say --header yes if it names the columns, --header no "
        "if not");
}

/* R and pandas write the names or numbers of rows as a first column without a name. */
static pt_status name_first_column(csv_head *head, const pt_read_options *options,
                                   pt_texts *warnings, pt_error *err)
{
    static const char NAME[] = "column 1";
    if (!head->header || *head->first.items[0] || head->n_columns < 2)
        return PT_OK;
    const pt_texts *wanted = options->features;
    head->row_names = head->ids_differ && head->ids.texts.count > 0;
    for (int64_t i = 0; wanted && i < wanted->count; i++)
        if (wanted->items[i] && strcmp(wanted->items[i], NAME) == 0)
            wanted = NULL;
    if (options->features) /* a model knows whether it is a feature */
        head->row_names = wanted != NULL;
    if (head->row_names)
        return pt_texts_add(warnings, err,
                            "the first column has no name and is left out: it seems to name or "
                            "number the rows; give it a name to keep it");
    char *name = pt_alloc_text(NAME, err);
    if (!name)
        return PT_ENOMEM;
    pt_free(head->first.items[0]);
    head->first.items[0] = name;
    return PT_OK;
}

static pt_status read_head(csv_head *head, const pt_lines *text, size_t begin, char separator,
                           const pt_read_options *options, pt_texts *warnings, pt_error *err)
{
    const char *end = text->bytes + text->size;
    const char *p = pt_skip_blank_lines(text->bytes + begin, end);
    if (p == end)
        return pt_lines_fail(text, 0, err, "the file is empty");
    head->separator = separator;
    pt_status status = PT_OK;
    if (separator == ',') {
        head->separator = find_separator(p, end);
        if (head->separator != ',')
            status = pt_texts_add(warnings, err,
                                  "the first line has no comma: cells are taken to be separated by "
                                  "%s; --format says otherwise",
                                  head->separator == ';' ? "semicolons" : "tabs");
    }
    if (status == PT_OK)
        status = first_line(head, text, p, end, err);
    if (status != PT_OK)
        return status;
    head->rows = pt_alloc_zero(head->n_columns, sizeof *head->rows, "columns", err);
    if (!head->rows)
        return PT_ENOMEM;
    status = later_lines(head, text->bytes + head->first_end, end, err);
    head->header = strcmp(options->header, "yes") == 0;
    if (status == PT_OK)
        status = refuse_decimal_commas(head, text, err);
    if (status == PT_OK && !head->header && strcmp(options->header, "no") != 0)
        status = find_header(head, options, warnings, err);
    return status == PT_OK ? name_first_column(head, options, warnings, err) : status;
}

/* ---- 3. a pass over the blocks ---- */

/* What a worker saw in a column of numbers; offsets are INT64_MAX for never. */
typedef struct csv_seen {
    int64_t texts;
    int64_t missing;
    int64_t first_text;
    int64_t first_not_finite;
} csv_seen;

typedef struct csv_work {
    pt_table table;
    const pt_texts *names; /* of all columns, or NULL */
    char separator;
    csv_seen *seen;      /* n_workers x n_columns */
    csv_buffer *buffers; /* n_workers */
    double *scratch;     /* n_workers x d, where the stride is 0 */
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
static pt_status take_cell(csv_cursor *cursor, csv_cell *cell, pt_error *err)
{
    csv_problem problem = {NULL, NULL};
    const char *stop =
        cell_read(cursor->p, cursor->block->end, cursor->work->separator, cell, &problem);
    if (!stop)
        return fail_here(cursor, problem.at, problem.text, err);
    cursor->p = stop;
    return PT_OK;
}

static pt_status add_text(csv_cursor *cursor, const csv_cell *cell, int64_t slot, int64_t *number,
                          pt_error *err)
{
    const csv_work *work = cursor->work;
    const char *text = NULL;
    size_t length = 0;
    pt_status status = cell_text(cell, &work->buffers[cursor->worker], &text, &length, err);
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
    csv_cell cell;
    pt_status status = take_cell(cursor, &cell, err);
    if (status != PT_OK)
        return status;
    csv_seen *seen = &work->seen[cursor->worker * work->table.n_columns + column];
    if (is_missing(&cell)) {
        seen->missing++;
        *value = NAN;
        return PT_OK;
    }
    kind = pt_number_parse(cell.text, cell.length, value);
    if (kind == PT_NUMBER_FINITE)
        return PT_OK;
    const int64_t offset = pt_block_offset(cursor->block, cell.at);
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
    csv_cell cell;
    pt_status status = take_cell(cursor, &cell, err);
    *value = NAN;
    if (status != PT_OK || is_missing(&cell))
        return status;
    int64_t number = 0;
    status = add_text(cursor, &cell, slot, &number, err);
    *value = (double)number;
    return status;
}

static pt_status label_cell(csv_cursor *cursor, int64_t slot, int64_t *code, pt_error *err)
{
    csv_cell cell;
    pt_status status = take_cell(cursor, &cell, err);
    *code = -1;
    if (status != PT_OK)
        return status;
    if (!is_missing(&cell))
        return add_text(cursor, &cell, slot, code, err);
    if (cursor->work->table.options->label_optional)
        return PT_OK;
    return fail_here(cursor, cell.at, "label is missing; fill it in or remove the row", err);
}

static pt_status weight_cell(csv_cursor *cursor, double *weight, pt_error *err)
{
    csv_cell cell;
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
        csv_cell cell;
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
    for (int64_t j = 0; j <= last; j++) {
        const pt_table_column *column = &work->table.columns[j];
        pt_status status = PT_OK;
        csv_cell cell;
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
    return PT_OK;
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
        if (cursor.p == block->end && row == end_row)
            return PT_OK;
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
        work->seen[i] = (csv_seen){0, 0, INT64_MAX, INT64_MAX};
    return pt_table_open(&work->table, err);
}

static pt_status run_pass(csv_work *work, pt_dataset *data, pt_texts *classes, pt_error *err)
{
    const pt_lines *lines = work->table.lines;
    pt_status status = pass_begin(work, err);
    if (status == PT_OK)
        status = pt_parallel_for_stage(work->table.options->task, "read", lines->n_blocks,
                                       read_block, work, err);
    if (status == PT_OK && work->table.stride == 0)
        status = pt_lines_fail(lines, 0, err, "rows do not fit the first line");
    if (status == PT_OK)
        status = pt_table_translate(&work->table, data, classes, err);
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
            if (from->first_not_finite < to->first_not_finite)
                to->first_not_finite = from->first_not_finite;
        }
}

/* The cell at an offset of the file, for a message. */
static const char *show_cell(const csv_work *work, int64_t offset, char shown[PT_CELL_SHOWN])
{
    csv_cell cell;
    csv_problem problem;
    const char *bytes = work->table.lines->bytes;
    if (!cell_read(bytes + offset, bytes + work->table.lines->size, work->separator, &cell,
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

/* Numbers that no machine can use, and texts where the model needs numbers: the first in the file.
 */
static pt_status refuse_cells(const csv_work *work, const pt_roles *roles, pt_error *err)
{
    int64_t bad = -1;
    int64_t offset = INT64_MAX;
    bool text = false;
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        const csv_seen *seen = &work->seen[j];
        const bool must_be_number = roles->role[j] == PT_ROLE_NUMBER;
        if (seen->texts > 0 && must_be_number && seen->first_text < offset) {
            bad = j;
            text = true;
            offset = seen->first_text;
        }
        if ((seen->texts == 0 || must_be_number) && seen->first_not_finite < offset) {
            bad = j;
            text = false;
            offset = seen->first_not_finite;
        }
    }
    if (bad < 0)
        return PT_OK;
    char shown[PT_CELL_SHOWN];
    char title[PT_CELL_SHOWN];
    return pt_lines_fail(
        work->table.lines, offset, err,
        text ? "'%s' is not a number, but column %s was numeric in training; correct it, or "
               "leave the cell empty if it is missing"
             : "'%s' is not a finite number (column %s); correct it, or leave the "
               "cell empty if it is missing",
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
    pt_text_locate(work->table.lines->bytes, work->table.lines->size, seen->first_text, &line,
                   &byte);
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
static void plan_columns(csv_work *work, const csv_head *head, const pt_roles *roles)
{
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        pt_table_column *column = &work->table.columns[j];
        const int64_t texts = head->rows[j].texts + (head->header ? 0 : head->first_row[j].texts);
        const int64_t numbers =
            head->rows[j].numbers + (head->header ? 0 : head->first_row[j].numbers);
        const pt_role role = roles->role[j];
        column->feature = role <= PT_ROLE_NOMINAL ? work->table.d++ : -1;
        column->kind = role == PT_ROLE_LABEL     ? PT_CELL_LABEL
                       : role == PT_ROLE_WEIGHT  ? PT_CELL_WEIGHT
                       : role == PT_ROLE_IGNORED ? PT_CELL_SKIP
                       : role == PT_ROLE_NOMINAL || (role == PT_ROLE_FEATURE && texts > numbers)
                           ? PT_CELL_TEXT
                           : PT_CELL_NUMBER;
    }
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
    data->value = pt_alloc(work->table.stride ? data->n : 0, (size_t)data->d * sizeof(double),
                           "the values of a data set", err);
    work->table.value = data->value;
    return data->value ? PT_OK : PT_ENOMEM;
}

/* Passes 1 and 2 and what lies between them. */
static pt_status read_values(csv_work *work, const pt_roles *roles, pt_dataset *data, pt_error *err)
{
    pt_texts classes = {NULL, 0, 0};
    pt_status status = run_pass(work, data, &classes, err);
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
    if (status == PT_OK && work->table.label)
        status = pt_labels_from_codes(&data->labels, data->n, work->table.label, &classes, err);
    if (status == PT_OK && plan_again(work) > 0)
        status = run_pass(work, data, &classes, err);
    pt_texts_free(&classes);
    return status;
}

static pt_status read_rows(csv_work *work, const csv_head *head, const pt_roles *roles,
                           pt_dataset *data, pt_error *err)
{
    pt_status status = pt_roles_columns(roles, work->names, data, err);
    work->table.n_workers =
        pt_parallel_workers(work->table.options->task, work->table.lines->n_blocks);
    work->table.columns =
        pt_alloc_zero(work->table.n_columns, sizeof *work->table.columns, "columns", err);
    work->seen =
        pt_alloc(work->table.n_workers * work->table.n_columns, sizeof *work->seen, "columns", err);
    if (roles->label >= 0)
        work->table.label = pt_alloc(data->n, sizeof *work->table.label, "labels", err);
    if (roles->weight >= 0)
        data->weights = pt_alloc(data->n, sizeof *data->weights, "weights", err);
    work->table.weights = data->weights;
    if (status == PT_OK &&
        (!work->table.columns || !work->seen || (roles->label >= 0 && !work->table.label) ||
         (roles->weight >= 0 && !data->weights)))
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
    pt_free(work->table.label);
    return status;
}

static pt_status read_table(pt_dataset **out, const csv_head *head, size_t begin,
                            const pt_lines *text, const pt_read_options *options,
                            pt_texts *warnings, pt_error *err)
{
    const pt_texts *names = head->header ? &head->first : NULL;
    pt_lines lines = {0};
    pt_roles roles = {0};
    pt_dataset *data = NULL;
    csv_work work = {.table.lines = &lines,
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
    csv_head head = {0};
    pt_status status = pt_reader_check_text(bytes, size, &begin, options->source, err);
    if (status == PT_OK)
        status = read_head(&head, &text, begin, separator, options, &warnings, err);
    if (status == PT_OK)
        status = read_table(out, &head, begin, &text, options, &warnings, err);
    head_free(&head);
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

/* ---- writing ---- */

static bool needs_quotes(const char *text, size_t length, char separator)
{
    if (length == 0 || text[0] == ' ' || text[length - 1] == ' ' || text[0] == '\t' ||
        text[length - 1] == '\t')
        return true;
    for (size_t i = 0; i < length; i++)
        if (text[i] == separator || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
            return true;
    return false;
}

static pt_status put_text(pt_writer *writer, const char *text, char separator, pt_error *err)
{
    const size_t length = strlen(text);
    if (!needs_quotes(text, length, separator))
        return pt_writer_put(writer, text, length, err);
    pt_status status = pt_writer_put(writer, "\"", 1, err);
    for (size_t i = 0; i < length && status == PT_OK; i++) {
        if (text[i] == '"')
            status = pt_writer_put(writer, "\"", 1, err);
        if (status == PT_OK)
            status = pt_writer_put(writer, text + i, 1, err);
    }
    return status == PT_OK ? pt_writer_put(writer, "\"", 1, err) : status;
}

/* The first text that a reader would take for a missing cell, or -1. */
static int64_t find_missing(const pt_texts *texts)
{
    for (int64_t r = 0; r < texts->count; r++) {
        const csv_cell cell = {.text = texts->items[r], .length = strlen(texts->items[r])};
        if (is_missing(&cell))
            return r;
    }
    return -1;
}

/* Levels and classes that a reader would take for missing cells cannot be written. */
static pt_status check_levels(const pt_dataset *data, pt_error *err)
{
    const int64_t unlabelled = data->labels ? find_missing(&data->labels->classes) : -1;
    if (unlabelled >= 0)
        return pt_fail(err, PT_EFORMAT,
                       "class '%.40s' would be read as a missing label; rename it before writing "
                       "CSV",
                       data->labels->classes.items[unlabelled]);
    for (int64_t j = 0; data->columns && j < data->d; j++) {
        const pt_texts *levels = &data->columns[j].levels;
        const int64_t r = find_missing(levels);
        if (r >= 0)
            return pt_fail(err, PT_EFORMAT,
                           "level '%.40s' of column %lld would be read as a missing cell; "
                           "rename it before writing CSV",
                           levels->items[r], (long long)j + 1);
    }
    if (data->start && data->d > MOST_COLUMNS)
        return pt_fail(err, PT_ELIMIT,
                       "sparse data with %lld columns are too wide for CSV; write libsvm",
                       (long long)data->d);
    return PT_OK;
}

/* A name for the label that no feature has. */
static const char *label_title(const pt_dataset *data)
{
    static const char *const NAMES[] = {"class", "label", "target", "y"};
    if (data->label_name)
        return data->label_name;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        bool taken = false;
        for (int64_t j = 0; data->columns && j < data->d; j++)
            taken =
                taken || (data->columns[j].name && pt_same_name(data->columns[j].name, NAMES[i]));
        if (!taken)
            return NAMES[i];
    }
    return "polytomy_label";
}

static pt_status write_names(const pt_dataset *data, pt_writer *writer, char separator,
                             pt_error *err)
{
    pt_status status = PT_OK;
    for (int64_t j = 0; j < data->d && status == PT_OK; j++) {
        char number[24];
        snprintf(number, sizeof number, "x%lld", (long long)j + 1);
        const char *name = data->columns ? data->columns[j].name : NULL;
        status = put_text(writer, name ? name : number, separator, err);
        if (status == PT_OK && (j + 1 < data->d || data->labels || data->weights))
            status = pt_writer_put(writer, &separator, 1, err);
    }
    if (status == PT_OK && data->weights) {
        status = pt_writer_put(writer, "weight", 6, err);
        if (status == PT_OK && data->labels)
            status = pt_writer_put(writer, &separator, 1, err);
    }
    if (status == PT_OK && data->labels)
        status = put_text(writer, label_title(data), separator, err);
    return status == PT_OK ? pt_writer_put(writer, "\n", 1, err) : status;
}

static pt_status write_row(const pt_dataset *data, int64_t i, pt_writer *writer, char separator,
                           pt_error *err)
{
    pt_status status = PT_OK;
    const bool alone = data->d == 1 && !data->labels && !data->weights;
    int64_t at = data->start ? data->start[i] : i * data->d;
    for (int64_t j = 0; j < data->d && status == PT_OK; j++) {
        double value = 0;
        if (!data->start)
            value = pt_dataset_value(data, at++);
        else if (at < data->start[i + 1] && data->index[at] == j)
            value = pt_dataset_value(data, at++);
        if (isnan(value))
            status = alone ? pt_writer_put(writer, "NA", 2, err) : PT_OK;
        else if (data->columns && data->columns[j].nominal)
            status =
                put_text(writer, data->columns[j].levels.items[(int64_t)value], separator, err);
        else
            status = pt_writer_number(writer, value, err);
        if (status == PT_OK && (j + 1 < data->d || data->labels || data->weights))
            status = pt_writer_put(writer, &separator, 1, err);
    }
    if (status == PT_OK && data->weights) {
        status = pt_writer_number(writer, data->weights[i], err);
        if (status == PT_OK && data->labels)
            status = pt_writer_put(writer, &separator, 1, err);
    }
    if (status == PT_OK && data->labels && data->labels->class_of[i] >= 0)
        status = put_text(writer, data->labels->classes.items[data->labels->class_of[i]], separator,
                          err);
    return status == PT_OK ? pt_writer_put(writer, "\n", 1, err) : status;
}

static pt_status csv_write(const pt_dataset *data, char separator, pt_sink_fn sink, void *context,
                           pt_error *err)
{
    pt_writer writer;
    pt_status status = check_levels(data, err);
    if (status == PT_OK)
        status = pt_writer_init(&writer, sink, context, err);
    if (status != PT_OK)
        return status;
    status = write_names(data, &writer, separator, err);
    for (int64_t i = 0; i < data->n && status == PT_OK; i++)
        status = write_row(data, i, &writer, separator, err);
    if (status == PT_OK)
        status = pt_writer_flush(&writer, err);
    pt_writer_free(&writer);
    return status;
}

static pt_status write_comma(const pt_dataset *data, pt_sink_fn sink, void *context, pt_error *err)
{
    return csv_write(data, ',', sink, context, err);
}

static pt_status write_tab(const pt_dataset *data, pt_sink_fn sink, void *context, pt_error *err)
{
    return csv_write(data, '\t', sink, context, err);
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
