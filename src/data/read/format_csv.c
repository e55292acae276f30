/* CSV and TSV: cells between separators, quotes as in RFC 4180.
 *
 * How a file is read
 *   1. The head (csv_head.c): the first lines decide the separator, whether there is a header,
 *      and what each column probably holds.
 *   2. The rest is cut into blocks of lines (lines.h) and rows are counted, so that every block
 * knows where its rows go.
 *   3. A pass over the blocks, in parallel: numbers go straight into the matrix, texts are numbered
 * by each worker's dictionary. Texts in a column of numbers are numbered, too.
 *   4. Dictionaries are merged in the order of the file and the numbers of texts are translated.
 *   5. Columns are judged by their texts (csv_judge.c). Those that turned out to be something else
 * than the head said go through 3 to 5 once more, alone.
 *
 * Missing cells: judge_cells.h; quoted or not. Blank lines are skipped. Cells are trimmed, the
 * inside of quotes is not. A quote may stand only at the beginning and the end of a cell. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "data/judge/judge_cells.h"
#include "data/read/csv.h"
#include "data/read/intern.h"
#include "data/read/number.h"
#include "data/read/reader.h"
#include "data/read/write.h"

/* ---- 3. a pass over the blocks --------------------------------------------------------------- */

/* Where in a block a row is being read. */
typedef struct csv_cursor {
    const pt_csv_work *work;
    const pt_block *block;
    int worker;
    const char *p;
} csv_cursor;

static pt_status fail_here(const csv_cursor *cursor, const char *at, const char *text,
                           pt_error *err)
{
    return pt_lines_fail(cursor->work->table.lines, pt_block_offset(cursor->block, at), err, "%-s",
                         text);
}

static const char NOT_TEXT[] =
    "the line has control characters; this is not a text file, or a damaged one";

/* Whether there are bytes that no text has; a file may end with the mark of old systems, and have
 * pages. */
static bool has_controls(const char *p, const char *end)
{
    for (; p < end; p++)
        if (((unsigned char)*p < ' ' && !strchr("\t\r\n\f\v\x1a", *p)) || *p == '\x7f')
            return true;
    return false;
}

/* A cell that cannot be read: where it began, if that is in a line above. */
static pt_status fail_cell(const csv_cursor *cursor, const pt_csv_cell *cell,
                           const pt_csv_problem *problem, pt_error *err)
{
    const pt_lines *lines = cursor->work->table.lines;
    const char *begin = problem->at;
    while (begin > cursor->block->begin && begin[-1] != '\n')
        begin--;
    if (has_controls(begin, problem->at))
        return fail_here(cursor, problem->at, NOT_TEXT, err);
    if (cell->at >= begin)
        return fail_here(cursor, problem->at, problem->text, err);
    int64_t line = 0;
    int64_t column = 0;
    pt_lines_locate(lines, pt_block_offset(cursor->block, cell->at), &line, &column);
    return pt_lines_fail(lines, pt_block_offset(cursor->block, problem->at), err,
                         "%s; the cell began in line %lld", problem->text, (long long)line);
}

/* Moves behind the next cell. */
static pt_status take_cell(csv_cursor *cursor, pt_csv_cell *cell, pt_error *err)
{
    pt_csv_problem problem = {NULL, NULL};
    const char *stop =
        pt_csv_cell_read(cursor->p, cursor->block->end, cursor->work->separator, cell, &problem);
    if (!stop)
        return fail_cell(cursor, cell, &problem, err);
    cursor->p = stop;
    return PT_OK;
}

static pt_status add_text(csv_cursor *cursor, const pt_csv_cell *cell, int64_t slot,
                          int64_t *number, pt_error *err)
{
    const pt_csv_work *work = cursor->work;
    const char *text = NULL;
    size_t length = 0;
    PT_TRY(pt_csv_cell_text(cell, &work->buffers[cursor->worker], &text, &length, err));
    return pt_table_add(&work->table, cursor->worker, cursor->block, slot, cell->at, text, length,
                        number, err);
}

/* A cell that is missing: by a word of --na? */
static void note_word(const csv_cursor *cursor, const pt_csv_cell *cell)
{
    const pt_csv_work *work = cursor->work;
    if (*work->na && cell->length > 0)
        pt_na_note(work->na, cell->text, cell->length, &work->odd_found[cursor->worker].na_seen);
}

static void note_first(int64_t *first, int64_t offset)
{
    if (offset < *first)
        *first = offset;
}

/* (12.30), 5- or a number with the minus sign of typographers: training takes columns of such cells
 * for plain numbers. */
static bool is_bare_number(const char *text, size_t length)
{
    pt_number_signs signs;
    return pt_number_signs_of(text, length, &signs) && !signs.currency && !signs.percent &&
           !signs.unit && !signs.thousands && !signs.comma && !signs.either_comma;
}

/* A number of which the decimal sign is surely another than that of its column. */
static bool has_other_decimal(const pt_judged *as, const char *text, size_t length)
{
    pt_number_signs signs;
    return as->kind != PT_COLUMN_DATE && as->kind != PT_COLUMN_BOOLEAN &&
           pt_number_signs_of(text, length, &signs) &&
           (as->style.decimal == ',' ? signs.point : signs.comma);
}

/* A cell of a column of numbers, dates or truths that the quick scan did not take. */
static pt_status value_cell(csv_cursor *cursor, int64_t column, double *value, pt_error *err)
{
    const pt_csv_work *work = cursor->work;
    pt_csv_cell cell;
    PT_TRY(take_cell(cursor, &cell, err));
    const pt_csv_how *how = &work->how[column];
    const bool plain = work->table.columns[column].kind == PT_CELL_NUMBER;
    pt_csv_seen *seen = &work->seen[cursor->worker * work->table.n_columns + column];
    const int64_t offset = pt_block_offset(cursor->block, cell.at);
    const bool missing = pt_csv_is_missing(&cell, work->na);
    const bool gap = !missing && pt_is_gap_word(work->na, cell.text, cell.length);
    if (gap || missing) {
        note_word(cursor, &cell);
        seen->missing++;
        seen->gaps += gap;
        note_first(&seen->first_missing, offset);
        *value = NAN;
        return PT_OK;
    }
    const pt_number kind = plain ? pt_number_parse(cell.text, cell.length, value) : PT_NUMBER_NONE;
    if (kind == PT_NUMBER_FINITE)
        return PT_OK;
    if (kind == PT_NUMBER_NOT_FINITE) {
        const bool no_number = isnan(*value) && (!*work->na || pt_na_adds(work->na));
        seen->missing += no_number; /* -nan, nan(ind): as C prints NaN */
        note_first(no_number ? &seen->first_missing : &seen->first_not_finite, offset);
        *value = NAN;
        return PT_OK;
    }
    const bool styled = !plain || how->as.style.thousands || *how->as.unit ||
                        how->as.kind > PT_COLUMN_INTEGER ||
                        (how->fixed && is_bare_number(cell.text, cell.length));
    const char last = cell.text[cell.length - 1];
    const bool other = last == '%' && how->as.kind != PT_COLUMN_PERCENT;
    if (styled && !other && pt_judged_value(&how->as, cell.text, cell.length, value)) {
        seen->dressed += last < '0' || last > '9';
        return PT_OK;
    }
    seen->texts++;
    note_first(&seen->first_text, offset);
    if (how->as.misfits && has_other_decimal(&how->as, cell.text, cell.length))
        note_first(&seen->first_other, offset);
    *value = NAN;
    if (work->table.odd_slot < 0 || how->fixed)
        return PT_OK;
    const char *text = NULL;
    size_t length = 0;
    PT_TRY(pt_csv_cell_text(&cell, &work->buffers[cursor->worker], &text, &length, err));
    return pt_table_add_odd(&work->table, cursor->worker, cursor->block, column, cell.at, text,
                            length, value, err);
}

static pt_status number_cell(csv_cursor *cursor, int64_t column, double *value, pt_error *err)
{
    const char *next = NULL;
    const pt_csv_work *work = cursor->work;
    if (*cursor->p == work->separator || *cursor->p == '\n') { /* an empty cell */
        pt_csv_seen *seen = &work->seen[cursor->worker * work->table.n_columns + column];
        seen->missing++;
        note_first(&seen->first_missing, pt_block_offset(cursor->block, cursor->p));
        *value = NAN;
        return PT_OK;
    }
    if (*cursor->p == '0' && cursor->p[1] >= '0' && cursor->p[1] <= '9')
        work->seen[cursor->worker * work->table.n_columns + column].zeros++;
    const pt_number kind = pt_number_scan(cursor->p, cursor->block->end, &next, value);
    if (kind == PT_NUMBER_FINITE && (*next == work->separator || *next == '\n')) {
        cursor->p = next;
        return PT_OK;
    }
    return value_cell(cursor, column, value, err);
}

static pt_status text_cell(csv_cursor *cursor, int64_t slot, double *value, pt_error *err)
{
    pt_csv_cell cell;
    PT_TRY(take_cell(cursor, &cell, err));
    *value = NAN;
    if (pt_csv_is_missing(&cell, cursor->work->na)) {
        note_word(cursor, &cell);
        return PT_OK;
    }
    int64_t number = 0;
    PT_TRY(add_text(cursor, &cell, slot, &number, err));
    *value = (double)number;
    return PT_OK;
}

static bool is_blank(const pt_csv_cell *cell)
{
    return cell->length == 0 || cell->text[0] == ' ';
}

static void drop_row(const csv_cursor *cursor, int64_t row, pt_drop reason)
{
    cursor->work->table.dropped[row] = (unsigned char)reason;
}

/* A class may be called NA: only --na makes words of labels mean nothing. */
static bool is_missing_label(const pt_csv_cell *cell, const char *na)
{
    if (!*na && cell->length > 0 && cell->text[0] != ' ')
        return false;
    return pt_csv_is_missing(cell, PT_LABEL_MISSING) ||
           pt_is_named_missing(na, cell->text, cell->length);
}

/* Whether the row around a cell is one of totals: a cell of it says so. */
static bool is_totals_row(const csv_cursor *cursor, const char *at)
{
    const char separator = cursor->work->separator;
    const char *end = cursor->block->end;
    const char *p = at;
    while (p > cursor->block->begin && p[-1] != '\n')
        p--;
    while (p < end) {
        pt_csv_cell cell;
        pt_csv_problem problem;
        p = pt_csv_cell_read(p, end, separator, &cell, &problem);
        if (!p)
            return false;
        if (pt_is_totals_word(cell.text, cell.length))
            return true;
        if (p == end || *p++ == '\n')
            return false;
    }
    return false;
}

/* A column that nobody named, nor is its name a sure one: it may be another. */
static bool is_guessed_label(const pt_csv_work *work)
{
    const pt_read_options *options = work->table.options;
    const char *name = work->names ? work->names->items[work->roles->label] : "";
    return !(options->label && *options->label) &&
           (!pt_is_label_name(name) || pt_same_name(name, "y"));
}

static pt_status refuse_no_label(const csv_cursor *cursor, const char *at, pt_error *err)
{
    const pt_csv_work *work = cursor->work;
    const int64_t label = work->roles->label;
    const char *name = work->names ? work->names->items[label] : "";
    char title[PT_CELL_SHOWN];
    if (work->head->rows[label].joined > 0)
        return fail_here(cursor, at,
                         "label is missing; if labels such as a;b are sets, and this is an empty "
                         "one, say `labels=set`",
                         err);
    if (is_guessed_label(work))
        return pt_lines_fail(work->table.lines, pt_block_offset(cursor->block, at), err,
                             "label is missing (column %lld%s%s%s); `label=NAME` names another "
                             "column; else fill it in or remove the row (`skip-unlabelled` leaves "
                             "out all such rows)",
                             (long long)label + 1, *name ? ", " : "",
                             *name ? pt_csv_column_title(work, label, title) : "",
                             label == work->table.n_columns - 1 ? ", the last one" : "");
    return pt_lines_fail(work->table.lines, pt_block_offset(cursor->block, at), err,
                         "label is missing; fill it in or remove the row (`skip-unlabelled` leaves "
                         "out all such rows)");
}

static pt_status label_cell(csv_cursor *cursor, int64_t slot, int64_t row, pt_error *err)
{
    const pt_table *table = &cursor->work->table;
    int64_t *code = &table->label[row];
    pt_csv_cell cell;
    PT_TRY(take_cell(cursor, &cell, err));
    *code = -1;
    if (!is_missing_label(&cell, cursor->work->na))
        return add_text(cursor, &cell, slot, code, err);
    note_word(cursor, &cell);
    const bool sets = table->label_kind == PT_LABEL_SET;
    if (sets && is_blank(&cell)) /* the empty set */
        return PT_OK;
    if (sets)
        *code = PT_LABEL_UNKNOWN;
    if (table->options->label_optional)
        return PT_OK;
    const bool totals = is_totals_row(cursor, cell.at);
    if (!table->options->skip_unlabelled && !totals)
        return refuse_no_label(cursor, cell.at, err);
    drop_row(cursor, row, totals ? PT_DROP_TOTALS : PT_DROP_UNLABELLED);
    return PT_OK;
}

/* One of several label columns. */
static pt_status mark_cell(csv_cursor *cursor, int64_t column, int64_t row, pt_error *err)
{
    pt_csv_cell cell;
    PT_TRY(take_cell(cursor, &cell, err));
    note_word(cursor, &cell);
    return pt_table_add_mark(&cursor->work->table, cursor->block, column, row, cell.at, cell.text,
                             cell.length, pt_csv_is_missing(&cell, cursor->work->na), err);
}

static pt_status weight_cell(csv_cursor *cursor, double *weight, pt_error *err)
{
    pt_csv_cell cell;
    PT_TRY(take_cell(cursor, &cell, err));
    const char decimal = cursor->work->weight_decimal;
    const bool good = decimal == ','
                          ? pt_number_styled(cell.text, cell.length, decimal, "", weight)
                          : pt_number_parse(cell.text, cell.length, weight) == PT_NUMBER_FINITE;
    if (good && *weight >= 0)
        return PT_OK;
    char shown[PT_CELL_SHOWN];
    return pt_lines_fail(cursor->work->table.lines, pt_block_offset(cursor->block, cell.at), err,
                         "the weight '%s' is not a finite number of at least 0",
                         pt_cell_show(cell.text, cell.length, shown));
}

/* A cell of a column that says how rows are held out. */
static pt_status tie_cell(csv_cursor *cursor, int64_t column, int64_t row, pt_error *err)
{
    const pt_csv_work *work = cursor->work;
    pt_csv_cell cell;
    const char *text = NULL;
    size_t length = 0;
    PT_TRY(take_cell(cursor, &cell, err));
    const bool missing = pt_csv_is_missing(&cell, work->na);
    if (missing)
        note_word(cursor, &cell);
    else
        PT_TRY(pt_csv_cell_text(&cell, &work->buffers[cursor->worker], &text, &length, err));
    return pt_table_add_tie(&work->table, cursor->worker, cursor->block, column, row, cell.at, text,
                            length, missing, err);
}

/* Whether nothing is behind a place of the file but blanks. */
static bool is_at_end(const csv_cursor *cursor, const char *at)
{
    const pt_lines *lines = cursor->work->table.lines;
    const size_t offset = (size_t)pt_block_offset(cursor->block, at);
    size_t left = offset < lines->size ? lines->size - offset : 0;
    while (left > 0 && strchr(" \t\r\n", lines->bytes[lines->size - left]))
        left--;
    return left == 0;
}

/* Whether a row begins as the first one does, which is another: its sign makes it no remark. */
static bool begins_like_first(const csv_cursor *cursor, const char *begin)
{
    const pt_block *first = &cursor->work->table.lines->blocks[0];
    const char *p = pt_skip_blank_lines(first->begin, first->end);
    return p != begin && *p == *begin;
}

/* What to do about a row of too many or too few cells. */
static void advise_ragged(const csv_cursor *cursor, int64_t found, const char *begin,
                          char advice[96])
{
    const pt_csv_work *work = cursor->work;
    const bool few = found < work->table.n_columns;
    const bool sign = *begin == '#' || (few && strchr(found == 1 ? "*%!;/~>@$&=^" : "*%!", *begin));
    if (sign && !begins_like_first(cursor, begin))
        snprintf(advice, 96, "if lines that begin with %c are remarks, say `comment=%c`", *begin,
                 *begin);
    else if (few && !work->table.options->block && is_at_end(cursor, cursor->p))
        snprintf(advice, 96, "it is the last line: the file may be cut off, or this is a remark");
    else if (found == 1 && work->table.n_columns > 2)
        snprintf(advice, 96, "remove the line if it is a remark, or a title");
    else
        snprintf(advice, 96, "add or remove cells, or quote a cell that contains the separator");
}

/* Says how many cells a row has that has too many or too few; the cursor is behind cell `column`.
 */
static pt_status fail_ragged(csv_cursor *cursor, int64_t column, const char *begin, pt_error *err)
{
    const char *at = cursor->p;
    int64_t found = column + 1;
    char advice[96];
    while (*cursor->p == cursor->work->separator) {
        pt_csv_cell cell;
        cursor->p++;
        PT_TRY(take_cell(cursor, &cell, err));
        found++;
    }
    if (has_controls(begin, cursor->p))
        return fail_here(cursor, begin, NOT_TEXT, err);
    advise_ragged(cursor, found, begin, advice);
    return pt_lines_fail(cursor->work->table.lines, pt_block_offset(cursor->block, at), err,
                         "the row has %lld cell%s, %lld %s expected; %-s", (long long)found,
                         found == 1 ? "" : "s", (long long)cursor->work->table.n_columns,
                         cursor->work->table.n_columns == 1 ? "is" : "are", advice);
}

/* A cell that is not of plain numbers. */
static pt_status other_cell(csv_cursor *cursor, int64_t j, double *values, int64_t row,
                            pt_error *err)
{
    const pt_csv_work *work = cursor->work;
    const pt_table_column *column = &work->table.columns[j];
    pt_csv_cell cell;
    switch (column->kind) {
    case PT_CELL_STYLED:
        return value_cell(cursor, j, values + column->feature, err);
    case PT_CELL_TEXT:
        return text_cell(cursor, column->slot, values + column->feature, err);
    case PT_CELL_LABEL:
        return label_cell(cursor, column->slot, row, err);
    case PT_CELL_MARK:
        return mark_cell(cursor, j, row, err);
    case PT_CELL_WEIGHT:
        return weight_cell(cursor, &work->table.weights[row], err);
    case PT_CELL_TIE:
        return tie_cell(cursor, j, row, err);
    case PT_CELL_NUMBER: /* has been read */
    case PT_CELL_LEVEL:  /* CSV declares none */
    case PT_CELL_SKIP:
        break;
    }
    return take_cell(cursor, &cell, err);
}

static pt_status read_row(csv_cursor *cursor, double *values, int64_t row, pt_error *err)
{
    const pt_csv_work *work = cursor->work;
    const char separator = work->separator;
    const char *end = cursor->block->end;
    const int64_t last = work->table.n_columns - 1;
    const char *begin = cursor->p;
    for (int64_t j = 0; j <= last; j++) {
        const pt_table_column *column = &work->table.columns[j];
        if (column->kind == PT_CELL_NUMBER) {
            const char *next = NULL;
            double *value = values + column->feature;
            while (*cursor->p == ' ')
                cursor->p++;
            const bool quick = pt_number_quick(cursor->p, end, &next, value) &&
                               (*next == separator || *next == '\n');
            /* 007 is noted. One test that hardly ever holds, not two: whether a cell begins with 0
             * nobody can foresee. */
            if (quick && !((*cursor->p == '0') & pt_is_digit(cursor->p[1])))
                cursor->p = next;
            else
                PT_TRY(number_cell(cursor, j, value, err));
        } else
            PT_TRY(other_cell(cursor, j, values, row, err));
        if (*cursor->p != (j < last ? separator : '\n'))
            return fail_ragged(cursor, j, begin, err);
        cursor->p++;
    }
    return work->check_marks ? pt_table_check_marks(&work->table, cursor->block, row, begin, err)
                             : PT_OK;
}

/* Behind a row that is no data: the header once more, or a line of separators alone (with labels to
 * be read, or else it might be meant). NULL: it is data. */
static const char *behind_no_row(csv_cursor *cursor, int64_t row)
{
    const pt_csv_work *work = cursor->work;
    const char *end = cursor->block->end;
    const char *p = pt_csv_skip_mark(cursor->p, end);
    pt_drop reason = PT_DROP_NOT;
    if (*p == work->separator && *p != ' ' && !work->table.options->label_optional) {
        while (*p == work->separator || *p == ' ' || *p == '\r')
            p++;
        reason = PT_DROP_BLANK;
    } else if (work->repeated_length > 0 && (size_t)(end - p) > work->repeated_length &&
               memcmp(p, work->repeated, work->repeated_length) == 0) {
        p += work->repeated_length;
        p += *p == '\r';
        reason = PT_DROP_HEADER;
    }
    if (reason == PT_DROP_NOT || *p != '\n' || !work->table.dropped)
        return NULL;
    drop_row(cursor, row, reason);
    return p + 1;
}

/* A dropped row holds nothing that could be taken for the number of a text. */
static void blank_row(const pt_csv_work *work, double *values, int64_t row)
{
    for (int64_t j = 0; j < work->table.d; j++)
        values[j] = NAN;
    if (work->table.label)
        work->table.label[row] = -1;
    if (work->table.weights)
        work->table.weights[row] = 0;
    for (int64_t t = 0; work->table.ties && t < work->table.roles->n_ties; t++)
        work->table.ties[t * work->table.tie_rows + row] = -1;
    for (int64_t c = 0; work->table.marks && c < work->table.n_marks; c++)
        work->table.marks[row * work->table.n_marks + c] = 0;
}

/* Whether the letters at p may begin a word of pt_is_totals_word(): nearly no row gets further. */
static bool may_be_totals(const char *p)
{
    static const char *const LETTERS[] = {"tgsamdp", "orueiv", "tabmesryo"}; /* first to third */
    for (int l = 0; l < 3; l++)
        if (p[l] == '\n' || !strchr(LETTERS[l], p[l] | 0x20))
            return false;
    return true;
}

/* Rows to predict that are no rows for a person: without any cell, or with totals, whose name
 * stands first and of whose cells a third is empty. */
static void note_no_row(const csv_cursor *cursor)
{
    const pt_csv_work *work = cursor->work;
    const char separator = work->separator;
    const char *end = cursor->block->end;
    int64_t cells = 0;
    int64_t empty = 0;
    bool totals = false;
    const char *first = cursor->p + (*cursor->p == '"');
    if (*first != separator && !may_be_totals(first))
        return;
    for (const char *p = cursor->p;; p++) {
        pt_csv_cell cell;
        pt_csv_problem problem;
        p = pt_csv_cell_read(p, end, separator, &cell, &problem);
        if (!p)
            return;
        if (cell.length > 0 && cells == empty) {
            totals = pt_is_totals_word(cell.text, cell.length);
            if (!totals)
                return;
        }
        empty += cell.length == 0;
        cells++;
        if (p == end || *p == '\n')
            break;
    }
    work->odd_found[cursor->worker].blank += empty == cells && cells > 1;
    work->odd_found[cursor->worker].totals += totals && 3 * empty >= cells;
}

static pt_status read_block(void *context, int64_t b, int worker, pt_error *err)
{
    const pt_csv_work *work = context;
    pt_block *block = &work->table.lines->blocks[b];
    block->worker = worker;
    csv_cursor cursor = {work, block, worker, block->begin};
    const int64_t end_row = block->first_row + block->rows;
    const pt_read_options *options = work->table.options;
    const bool predicts =
        options->label_optional && (options->features || options->n_features >= 0);
    const int64_t n_columns = work->table.n_columns;
    pt_csv_seen *seen = work->seen + worker * n_columns;
    pt_csv_seen *before = work->before ? work->before + worker * n_columns : NULL;
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
        const bool odd =
            *cursor.p == work->separator || *cursor.p == work->repeated[0] || *cursor.p == '\xef';
        const char *next = odd ? behind_no_row(&cursor, row) : NULL;
        if (next) {
            blank_row(work, values, row);
            cursor.p = next;
            continue;
        }
        if (predicts)
            note_no_row(&cursor);
        if (options->places)
            options->places->at[row] = pt_block_offset(block, cursor.p);
        if (before)
            memcpy(before, seen, (size_t)n_columns * sizeof *seen);
        PT_TRY(read_row(&cursor, values, row, err));
        if (work->table.dropped[row] == PT_DROP_NOT)
            continue;
        blank_row(work, values, row);
        if (before) /* nor was anything seen of it */
            memcpy(seen, before, (size_t)n_columns * sizeof *seen);
    }
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void pass_end(pt_csv_work *work)
{
    for (int w = 0; work->buffers && w < work->table.n_workers; w++)
        pt_free(work->buffers[w].text);
    pt_free(work->buffers);
    pt_free(work->scratch);
    pt_free(work->odd_found);
    work->odd_found = NULL;
    work->buffers = NULL;
    work->scratch = NULL;
    pt_table_close(&work->table);
}

static pt_status pass_begin(pt_csv_work *work, pt_error *err)
{
    const char *what = "work space of a reader";
    const int64_t workers = work->table.n_workers;
    work->buffers = pt_alloc_zero(workers, sizeof *work->buffers, what, err);
    work->scratch =
        pt_alloc(work->table.stride ? 0 : workers * work->table.d, sizeof(double), what, err);
    work->odd_found = pt_alloc_zero(workers, sizeof *work->odd_found, what, err);
    if (!work->buffers || !work->scratch || !work->odd_found)
        return PT_ENOMEM;
    for (int64_t i = 0; i < workers * work->table.n_columns; i++)
        work->seen[i] = (pt_csv_seen){.first_text = INT64_MAX,
                                      .first_other = INT64_MAX,
                                      .first_missing = INT64_MAX,
                                      .first_not_finite = INT64_MAX};
    return pt_table_open(&work->table, err);
}

/* Adds what the workers saw into the first worker's row. */
static void add_up_seen(pt_csv_work *work)
{
    work->odd_rows = (pt_csv_odd){.na_seen = work->odd_rows.na_seen};
    for (int w = 0; w < work->table.n_workers; w++) {
        const pt_csv_odd *from = &work->odd_found[w];
        work->odd_rows.na_seen |= from->na_seen;
        work->odd_rows.blank += from->blank;
        work->odd_rows.totals += from->totals;
    }
    for (int w = 1; w < work->table.n_workers; w++)
        for (int64_t j = 0; j < work->table.n_columns; j++) {
            const pt_csv_seen *from = &work->seen[w * work->table.n_columns + j];
            pt_csv_seen *to = &work->seen[j];
            to->texts += from->texts;
            to->missing += from->missing;
            to->gaps += from->gaps;
            to->zeros += from->zeros;
            to->dressed += from->dressed;
            note_first(&to->first_text, from->first_text);
            note_first(&to->first_other, from->first_other);
            note_first(&to->first_missing, from->first_missing);
            note_first(&to->first_not_finite, from->first_not_finite);
        }
}

static pt_status run_pass(pt_csv_work *work, pt_dataset *data, pt_table_texts *labels,
                          pt_error *err)
{
    const pt_lines *lines = work->table.lines;
    pt_status status = pass_begin(work, err);
    if (status == PT_OK)
        status = pt_parallel_for_stage(work->table.options->task,
                                       work->table.options->block ? NULL : "read", lines->n_blocks,
                                       read_block, work, err);
    if (status == PT_OK && work->table.stride == 0)
        status = pt_lines_fail(lines, 0, err, "rows do not fit the first line");
    if (status == PT_OK) {
        add_up_seen(work);
        for (int64_t j = 0; j < work->table.n_columns; j++)
            work->table.columns[j].boxed =
                work->table.odd_slot >= 0 && work->seen[j].texts > 0 && !work->how[j].fixed;
        pt_table_texts_free(&work->odd);
        status = pt_table_translate(&work->table, data, labels, &work->odd, err);
    }
    pass_end(work);
    return status;
}

const char *pt_csv_show_cell(const pt_csv_work *work, int64_t offset, char shown[PT_CELL_SHOWN])
{
    pt_csv_cell cell;
    pt_csv_problem problem;
    const char *bytes = work->table.lines->bytes;
    if (!pt_csv_cell_read(bytes + offset, bytes + work->table.lines->size, work->separator, &cell,
                          &problem))
        return "";
    return pt_cell_show(cell.text, cell.length, shown);
}

const char *pt_csv_column_title(const pt_csv_work *work, int64_t column, char title[PT_CELL_SHOWN])
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

const char *pt_csv_option_name(const pt_csv_work *work, int64_t column, char name[PT_CELL_SHOWN])
{
    char shown[PT_CELL_SHOWN];
    const char *own = work->names ? work->names->items[column] : "";
    if (*own && !strpbrk(own, ",= '\"*?"))
        snprintf(name, PT_CELL_SHOWN, "%s", pt_cell_show(own, strlen(own), shown));
    else
        snprintf(name, PT_CELL_SHOWN, "%lld", (long long)column + 1);
    return name;
}

/* Numbers that no machine can use, texts where the model needs numbers, and in a stream cells that
 * are missing: the first in the file. */
static pt_status refuse_cells(const pt_csv_work *work, const pt_roles *roles, pt_error *err)
{
    enum { TEXT, STREAM_TEXT, INFINITE, MISSING } problem = TEXT;
    const bool part = work->table.options->part;
    int64_t bad = -1;
    int64_t offset = INT64_MAX;
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        const pt_csv_seen *seen = &work->seen[j];
        const pt_column_kind kind = work->how[j].as.kind;
        const bool soft =
            kind == PT_COLUMN_DATE || kind == PT_COLUMN_BOOLEAN || work->how[j].as.misfits;
        const bool must_be_number = roles->role[j] == PT_ROLE_NUMBER && !soft;
        if (seen->texts > 0 && must_be_number && seen->first_text < offset) {
            bad = j;
            problem = part ? STREAM_TEXT : TEXT;
            offset = seen->first_text;
        } else if (work->how[j].fixed && seen->first_other < offset) {
            bad = j;
            problem = TEXT;
            offset = seen->first_other;
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
    char room[PT_CELL_SHOWN];
    char title[PT_CELL_SHOWN];
    pt_number_signs signs;
    const char *shown = pt_csv_show_cell(work, offset, room);
    const bool number = pt_number_signs_of(shown, strlen(shown), &signs);
    const bool comma = number && (signs.comma || signs.either_comma);
    const bool decimal = number && work->how[bad].as.style.decimal == ',';
    const char *unit = work->how[bad].as.unit;
    const bool dressed = number && signs.unit_length > 0;
    const bool own = dressed && signs.unit_length == strlen(unit) &&
                     memcmp(signs.unit, unit, signs.unit_length) == 0;
    if (problem == TEXT && !number)
        return pt_lines_fail(work->table.lines, offset, err,
                             "'%s' is not a number, but column %s was numeric in training; "
                             "correct it, or if it is missing leave the cell empty or say "
                             "`na=+WORD`",
                             shown, pt_csv_column_title(work, bad, title));
    if (problem == TEXT && *unit && ((dressed && !own) || (!decimal && !comma)))
        return pt_lines_fail(work->table.lines, offset, err,
                             "'%s' is not a number with the unit '%s', which column %s had in "
                             "training; convert it, or leave the cell empty if it is missing",
                             shown, unit, pt_csv_column_title(work, bad, title));
    return pt_lines_fail(
        work->table.lines, offset, err,
        problem == TEXT && decimal
            ? "'%s' is not a number with a decimal comma, as column %s had in training; correct "
              "it, or say `decimal=point` if the file has points"
        : problem == TEXT && comma
            ? "'%s' has a comma, and the numbers of column %s had points in training; say "
              "`decimal=comma` if the file has decimal commas"
        : problem == TEXT ? "'%s' is not a number, but column %s was numeric in training; correct "
                            "it, or leave the cell empty if it is missing"
        : problem == STREAM_TEXT ? "'%s' is not a number (column %s), and a stream has numbers "
                                   "only; leave the column out by `ignore`, or do not learn online"
        : problem == INFINITE ? "'%s' is not a finite number (column %s); correct it, or leave the "
                                "cell empty if it is missing"
                              : "the cell '%s' is missing (column %s), which a stream does not "
                                "fill in; remove the row or the column (`ignore`)",
        shown, pt_csv_column_title(work, bad, title));
}

/* ---- the whole ------------------------------------------------------------------------------- */

static pt_status matrix_new(pt_csv_work *work, pt_dataset *data, pt_error *err)
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

/* The passes and what lies between them. */
static pt_status read_values(pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    PT_FREED_BY(pt_table_texts_free) pt_table_texts labels = {0};
    int64_t again = 0;
    PT_TRY(run_pass(work, data, &labels, err));
    unsigned char dropped = 0;
    for (int64_t i = 0; i < data->n; i++)
        dropped |= work->table.dropped[i];
    work->drops = dropped != 0;
    PT_TRY(refuse_cells(work, work->roles, err));
    for (int64_t j = 0; j < work->table.n_columns; j++) {
        work->how[j].misfits = work->how[j].fixed ? work->seen[j].texts : 0;
        work->how[j].first_misfit = work->seen[j].first_text;
        work->how[j].zeros = work->seen[j].zeros + work->head->rows[j].zeros;
    }
    PT_TRY(pt_csv_judge(work, data, true, &again, err));
    if (again > 0) {
        work->check_marks = false;
        PT_TRY(run_pass(work, data, &labels, err));
        PT_TRY(pt_csv_judge(work, data, false, &again, err));
    }
    PT_TRY(pt_csv_settle(work, data, err));
    PT_TRY(pt_table_make_ties(&work->table, data, err));
    return pt_table_make_labels(&work->table, &labels, data, err);
}

static void work_free(pt_csv_work *work)
{
    pt_free(work->table.columns);
    pt_free(work->table.dropped);
    pt_free(work->how);
    pt_free(work->seen);
    pt_free(work->before);
    pt_table_labels_free(&work->table);
    pt_table_ties_free(&work->table);
    pt_table_texts_free(&work->odd);
}

static pt_status read_rows(pt_csv_work *work, pt_dataset *data, pt_error *err)
{
    const pt_roles *roles = work->roles;
    pt_table *table = &work->table;
    PT_TRY(pt_roles_columns(roles, work->names, data, err));
    table->n_workers = pt_parallel_workers(table->options->task, table->lines->n_blocks);
    PT_TRY(PT_NEW_ZERO(table->columns, table->n_columns, "columns", err));
    PT_TRY(PT_NEW_ZERO(work->how, table->n_columns, "columns", err));
    PT_TRY(PT_NEW(work->seen, table->n_workers * table->n_columns, "columns", err));
    if (table->options->skip_unlabelled && !table->options->label_optional)
        PT_TRY(PT_NEW(work->before, table->n_workers * table->n_columns, "columns", err));
    PT_TRY(PT_NEW_ZERO(table->dropped, data->n, "rows", err));
    PT_TRY(pt_places_new(data->n, table->options, err));
    PT_TRY(pt_table_labels_new(table, roles, data->n, err));
    PT_TRY(pt_table_ties_new(table, roles, data->n, err));
    if (roles->weight >= 0) {
        PT_TRY(pt_reader_take((size_t)data->n * sizeof *data->weights, table->options, err));
        PT_TRY(PT_NEW(data->weights, data->n, "weights", err));
    }
    table->weights = data->weights;
    PT_TRY(matrix_new(work, data, err));
    PT_TRY(pt_csv_plan(work, err));
    return read_values(work, data, err);
}

/* The header as it stands in the file, unless it holds numbers and may be a row, too. */
static void note_header(pt_csv_work *work, const pt_lines *text)
{
    const pt_csv_head *head = work->head;
    if (!head->header || head->first_row[0].numbers > 0)
        return;
    const char *begin =
        pt_skip_blank_lines(text->bytes + head->dialect.begin, text->bytes + head->first_end);
    const char *end = text->bytes + head->first_end;
    while (end > begin && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    if (begin == end)
        return;
    work->repeated = begin;
    work->repeated_length = (size_t)(end - begin);
}

static pt_status read_table(pt_dataset **out, const pt_csv_text *csv,
                            const pt_read_options *options, pt_warnings *warnings, pt_error *err)
{
    const pt_csv_head *head = &csv->head;
    const pt_lines *text = &csv->text;
    const pt_texts *names = head->header ? &head->first : NULL;
    PT_FREED_BY(pt_lines_free) pt_lines lines = {.mapped = options->mapped && !csv->copy};
    PT_FREED_BY(pt_roles_free) pt_roles roles = {0};
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_FREED_BY(work_free)
    pt_csv_work work = {.table.lines = &lines,
                        .table.names = names,
                        .table.options = options,
                        .head = head,
                        .roles = &roles,
                        .names = names,
                        .na = options->na,
                        .repeated = "\n",
                        .separator = head->dialect.separator,
                        .table.n_columns = head->n_columns};
    pt_read_options own = *options;
    own.row_names = head->row_names;
    own.tail = head->tail;
    PT_SCRATCH char *joined = NULL; /* --na +WORD beside the words of the model */
    const char *known = options->judged && options->judged->na ? options->judged->na : "";
    if (!*work.na)
        work.na = known;
    else if (*known && pt_na_adds(work.na)) {
        PT_TRY(pt_na_join(&joined, known, work.na, err));
        work.na = joined;
    }
    note_header(&work, text);
    PT_TRY(pt_roles_assign(&roles, head->n_columns, names, &own, warnings, err));
    PT_TRY(pt_lines_split(&lines, text->bytes, text->size, head->data, '"', options->source,
                          options->task, err));
    PT_TRY(pt_lines_count(&lines, '"', 0, 0, options->task, err));
    if (lines.n_rows == 0)
        return pt_lines_fail(text, (int64_t)text->size, err,
                             "there is a header and no row behind it; add data, or say `header=no` "
                             "if the first line holds data");
    PT_TRY(pt_dataset_shell(&data, lines.n_rows, roles.n_features, PT_F64, options->source, err));
    data->warnings = *warnings;
    memset(warnings, 0, sizeof *warnings);
    PT_TRY(read_rows(&work, data, err));
    if (options->kept)
        PT_TRY(pt_csv_keep(options->kept, csv, options->places, options, err));
    *out = pt_keep(&data);
    return PT_OK;
}

static pt_status csv_read(pt_dataset **out, const char *bytes, size_t size, char separator,
                          const pt_read_options *options, pt_error *err)
{
    PT_FREED_BY(pt_warnings_free) pt_warnings warnings = {0};
    PT_FREED_BY(pt_csv_close) pt_csv_text csv = {0};
    PT_TRY(pt_csv_open(&csv, bytes, size, separator, options, &warnings, err));
    return read_table(out, &csv, options, &warnings, err);
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

/* ---- which files these are ------------------------------------------------------------------- */

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
