/* The head of a CSV file. Header, units and types are guessed from the first lines, unless options
 * tell them. */
#include "data/read/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/judge/judge_cells.h"
#include "data/read/number.h"
#include "data/read/roles.h"

enum {
    NAMES_TRIED = 16, /* cells of the first line compared with the model's names */
    HEAD_ROWS = 100,  /* rows looked at before a type is guessed; of wide tables fewer: */
    WIDE_ROWS = 50,
    WIDE_CELLS = 1 << 14,
    BLOCK_ROWS = 5, /* the same in a block of a larger text whose head is known */
    UNIT_ROWS = 2,  /* at most, behind the header: units, or questions and codes of a survey */
    FIRST_COLUMNS = 64,
    SURE_COUNT = 5 /* a line 1,2,3,4,5 above whole numbers is a header, a shorter one may be data */
};

static void guesses_free(pt_csv_guess *guesses, int64_t count)
{
    for (int64_t j = 0; guesses && j < count; j++)
        pt_free(guesses[j].tally);
    pt_free(guesses);
}

static void head_free(pt_csv_head *head)
{
    pt_texts_free(&head->first);
    pt_intern_free(&head->ids);
    guesses_free(head->first_row, head->n_columns);
    guesses_free(head->rows, head->n_columns);
    memset(head, 0, sizeof *head);
}

/* Whether a number surely has a decimal point, at a glance: not three digits behind it, which may
 * be a thousand. *none: it has no point at all. */
static bool has_sure_point(const pt_csv_cell *cell, bool *none)
{
    const char *point = memchr(cell->text, '.', cell->length);
    const char *end = cell->text + cell->length;
    *none = !point;
    if (!point || point == cell->text || !pt_is_digit(point[-1]) || end - point == 4 ||
        end - point == 1)
        return false;
    for (const char *p = point + 1; p < end; p++)
        if (!pt_is_digit(*p))
            return false;
    return true;
}

static pt_status guess_cell(const pt_csv_cell *cell, const char *na, int64_t n_columns,
                            pt_csv_guess *guess, pt_error *err)
{
    double value = 0;
    if (pt_csv_is_missing(cell, na))
        return PT_OK;
    if (pt_number_parse(cell->text, cell->length, &value) != PT_NUMBER_NONE) {
        pt_number_signs signs;
        bool none = false;
        guess->numbers++;
        if (has_sure_point(cell, &none)) {
            guess->points++;
        } else if (!none && pt_number_signs_of(cell->text, cell->length, &signs)) {
            guess->points += signs.point;
            guess->either_points += signs.either_point;
        }
        guess->small += value >= 0 && value <= (double)n_columns;
        guess->largest = fmax(guess->largest, fabs(value));
        guess->zeros += cell->length > 1 && cell->text[0] == '0' && cell->text[1] >= '0' &&
                        cell->text[1] <= '9';
        return PT_OK;
    }
    guess->texts++;
    guess->joined += cell->length > 0 && memchr(cell->text, ';', cell->length) != NULL;
    if (!guess->tally)
        PT_TRY(PT_NEW_ZERO(guess->tally, 1, "columns", err));
    pt_column_tally_add(guess->tally, na, cell->text, cell->length, 1);
    return PT_OK;
}

pt_column_tally pt_csv_guess_tally(const pt_csv_guess *guess)
{
    pt_column_tally tally = {0};
    if (guess->tally)
        tally = *guess->tally;
    tally.numbers += guess->numbers;
    tally.point += guess->points;
    tally.either_point += guess->either_points;
    return tally;
}

/* Whether what is there are numbers of any style, or dates. */
static bool holds_numbers(const pt_csv_guess *guess)
{
    const pt_column_tally tally = pt_csv_guess_tally(guess);
    return tally.numbers + tally.styled + tally.dates > 0 &&
           tally.others + tally.truths + tally.lies == 0;
}

static pt_status first_line(pt_csv_head *head, const pt_lines *text, const char *p, const char *end,
                            const char *na, pt_error *err)
{
    PT_FREED_BY(pt_csv_buffer_free) pt_csv_buffer buffer = {0};
    int64_t room = head->first_row ? FIRST_COLUMNS : 0;
    for (;; p++) {
        pt_csv_cell cell;
        pt_csv_problem problem = {NULL, NULL};
        const char *stop = pt_csv_cell_read(p, end, head->dialect.separator, &cell, &problem);
        if (!stop)
            return pt_lines_fail(text, problem.at - text->bytes, err, "%s", problem.text);
        if (head->n_columns == PT_CSV_COLUMNS)
            return pt_lines_fail(text, p - text->bytes, err,
                                 "the first line has more than %d cells; is this a table?",
                                 PT_CSV_COLUMNS);
        if (head->n_columns == room) {
            const int64_t larger = room ? 2 * room : FIRST_COLUMNS;
            PT_TRY(pt_alloc_grow((void **)&head->first_row, room, larger, sizeof(pt_csv_guess),
                                 "columns", err));
            room = larger;
        }
        const char *words = NULL;
        size_t length = 0;
        PT_TRY(pt_csv_cell_text(&cell, &buffer, &words, &length, err));
        if (length > 0 && memchr(words, '\0', length))
            return pt_lines_fail(text, cell.at - text->bytes, err,
                                 "the cell has a zero byte; this is not a text file");
        PT_TRY(pt_texts_add_n(&head->first, words, length, err));
        head->first_row[head->n_columns] = (pt_csv_guess){0};
        PT_TRY(guess_cell(&cell, na, 0, &head->first_row[head->n_columns++], err));
        p = stop;
        if (p == end || *p == '\n')
            break;
    }
    head->first_end = (size_t)(p - text->bytes) + (p < end);
    return PT_OK;
}

/* index:value, as LIBSVM's format has it. */
static bool is_indexed(const char *cell)
{
    const size_t digits = strspn(cell, "0123456789");
    double value = 0;
    return digits > 0 && cell[digits] == ':' &&
           pt_number_parse(cell + digits + 1, strlen(cell + digits + 1), &value) ==
               PT_NUMBER_FINITE;
}

/* First lines whose cells all stand in single quotes, or are those of another format. */
static pt_status doubt_cells(const pt_csv_head *head, const pt_read_options *options,
                             pt_warnings *warnings, pt_error *err)
{
    const bool training = !options->label_optional && head->n_columns > 1;
    bool single = training;
    bool indexed = training && head->dialect.separator == ' ';
    for (int64_t j = head->dialect.rows_named; j < head->n_columns && (single || indexed); j++) {
        const char *cell = head->first.items[j];
        const size_t length = strlen(cell);
        single = single && length > 2 && cell[0] == '\'' && cell[length - 1] == '\'';
        indexed = indexed && (j == 0 || is_indexed(cell));
    }
    if (indexed)
        return pt_warn(warnings, err, PT_KIND_DATA,
                       "cells such as '%.40s' are those of LIBSVM's format: say `format=libsvm`",
                       head->first.items[head->n_columns - 1]);
    if (!single)
        return PT_OK;
    return pt_warn(warnings, err, PT_KIND_DATA,
                   "cells stand in single quotes, which are read as a part of them; write "
                   "double quotes, or none");
}

/* Notes a cell of the first column: numbers of rows and names of rows differ, and are whole. */
static pt_status note_id(pt_csv_head *head, const pt_csv_cell *cell, const char *na, pt_error *err)
{
    double value = 0;
    const pt_number kind = pt_number_parse(cell->text, cell->length, &value);
    const bool whole =
        kind == PT_NUMBER_NONE || (kind == PT_NUMBER_FINITE && value == floor(value));
    const int64_t before = head->ids.texts.count;
    int64_t number = 0;
    head->ids_differ =
        whole && !pt_csv_is_missing(cell, na) && memchr(cell->text, '\0', cell->length) == NULL;
    if (!head->ids_differ)
        return PT_OK;
    const pt_status status = pt_intern_add(&head->ids, cell->text, cell->length, &number, err);
    head->ids_differ = head->ids.texts.count > before;
    return status;
}

/* Whether a row behind the first line holds words where the rows below it hold numbers, in two
 * columns at least, or in one and nothing in another, as where a survey names the kinds of answers:
 * a word beside numbers may be a typing error. */
static bool is_units(const pt_csv_head *head, const pt_csv_guess *row)
{
    int64_t units = 0;
    int64_t nothing = 0;
    for (int64_t j = 0; j < head->n_columns; j++) {
        const bool numbers = holds_numbers(&head->rows[j]);
        if (row[j].numbers > 0 || (numbers && holds_numbers(&row[j])))
            return false;
        units += numbers && row[j].texts > 0 && row[j].tally->gaps == 0;
        nothing += numbers && row[j].texts == 0;
    }
    return units >= 2 || (units == 1 && nothing >= 1);
}

/* An ordinary row, kept apart so far, joins those below it. */
static void add_row(pt_csv_head *head, pt_csv_guess *row)
{
    for (int64_t j = 0; j < head->n_columns; j++) {
        pt_csv_guess *to = &head->rows[j];
        to->numbers += row[j].numbers;
        to->points += row[j].points;
        to->either_points += row[j].either_points;
        to->zeros += row[j].zeros;
        to->small += row[j].small;
        to->largest = fmax(to->largest, row[j].largest);
        to->texts += row[j].texts;
        to->joined += row[j].joined;
        if (row[j].tally && !to->tally) {
            to->tally = row[j].tally;
            row[j].tally = NULL;
        }
    }
}

/* Behind a line that is the first line once more, as where several files were joined or a printout
 * has the header on every page; else p. A first line with numbers may be a row that is there twice.
 */
static const char *behind_repeated(const pt_csv_head *head, const pt_lines *text, const char *p)
{
    const char *end = text->bytes + text->size;
    const char *first = pt_skip_blank_lines(text->bytes + head->dialect.begin, end);
    const char *stop = text->bytes + head->first_end;
    while (stop > first && (stop[-1] == '\n' || stop[-1] == '\r'))
        stop--;
    const size_t length = (size_t)(stop - first);
    const char *line = pt_csv_skip_mark(p, end);
    if (!head->words_only || length == 0 || (size_t)(end - line) < length ||
        memcmp(line, first, length) != 0)
        return p;
    const char *behind = line + length;
    behind += behind < end && *behind == '\r';
    return behind == end ? end : *behind == '\n' ? behind + 1 : p;
}

/* Whether every cell of the first line that is not empty is a text. */
static bool has_words_only(const pt_csv_head *head)
{
    bool any = false;
    for (int64_t j = 0; j < head->n_columns; j++) {
        if (*head->first.items[j] && head->first_row[j].texts == 0)
            return false;
        any = any || *head->first.items[j];
    }
    return any;
}

/* The next row behind p, blank lines and repeated headers skipped. */
static const char *next_row(pt_csv_head *head, const pt_lines *text, const char *p)
{
    const char *end = text->bytes + text->size;
    for (;;) {
        p = pt_skip_blank_lines(p, end);
        const char *next = p < end ? behind_repeated(head, text, p) : p;
        if (next == p)
            return p;
        head->repeats++;
        p = next;
    }
}

/* Looks at rows until one is not as expected: the passes will say what is wrong with it. */
static pt_status later_lines(pt_csv_head *head, const pt_lines *text,
                             const pt_read_options *options, pt_error *err)
{
    const char *na = options->na;
    const int rows = options->block && strcmp(options->header, "auto") != 0 ? BLOCK_ROWS
                     : head->n_columns * HEAD_ROWS > WIDE_CELLS             ? WIDE_ROWS
                                                                            : HEAD_ROWS;
    const char *end = text->bytes + text->size;
    const char *p = text->bytes + head->first_end;
    const char *behind[UNIT_ROWS] = {NULL}; /* the first of them */
    pt_csv_guess *row[UNIT_ROWS] = {NULL};
    pt_status status = PT_OK;
    for (int u = 0; u < UNIT_ROWS && status == PT_OK; u++) {
        row[u] = pt_alloc_zero(head->n_columns, sizeof **row, "columns", err);
        status = row[u] ? PT_OK : PT_ENOMEM;
    }
    head->ids_differ = *head->first.items[0] == '\0';
    head->words_only = has_words_only(head);
    for (int i = 0; i < rows && status == PT_OK && p; i++) {
        pt_csv_guess *into = i < UNIT_ROWS ? row[i] : head->rows;
        p = next_row(head, text, p);
        for (int64_t j = 0; p < end && status == PT_OK; j++) {
            pt_csv_cell cell;
            pt_csv_problem problem;
            p = pt_csv_cell_read(p, end, head->dialect.separator, &cell, &problem);
            if (!p || j == head->n_columns) {
                p = NULL;
                break;
            }
            status = guess_cell(&cell, na, head->n_columns, &into[j], err);
            if (j == 0 && head->ids_differ && status == PT_OK)
                status = note_id(head, &cell, na, err);
            if (p == end || *p++ == '\n')
                break;
        }
        if (i < UNIT_ROWS)
            behind[i] = p;
    }
    int units = 0; /* rows, the last of them first: what is no such row belongs to those below */
    for (int u = UNIT_ROWS - 1; u >= 0 && status == PT_OK; u--) {
        if (behind[u] && is_units(head, row[u])) {
            units = units > 0 ? units : u + 1;
            continue;
        }
        for (int v = units - 1; v > u; v--) /* a row of words alone below an ordinary one */
            add_row(head, row[v]);
        units = 0;
        add_row(head, row[u]);
    }
    head->unit_rows = units;
    head->data = units > 0 ? (size_t)(behind[units - 1] - text->bytes) : head->first_end;
    for (int u = 0; u < UNIT_ROWS; u++)
        guesses_free(row[u], head->n_columns);
    return status;
}

/* What speaks for a header in the first line. */
typedef struct csv_signs {
    bool numbers;        /* a cell is a number or says "missing": it speaks against */
    bool named;          /* a label's name, or a name that was asked for */
    bool asked;          /* a name that was asked for */
    bool only_y;         /* that name is y, which may be a yes */
    bool numbers_follow; /* below a text */
    bool distinct;
    bool filled; /* no cell is empty, the first apart */
} csv_signs;

static bool is_asked_for(const char *name, const pt_read_options *options, bool try_features)
{
    if (*name && (pt_text_matches(name, options->label) ||
                  (options->ranks && pt_text_matches(name, options->ranks))))
        return true;
    for (int64_t c = 0; options->label_columns && c < options->label_columns->count; c++)
        if (*name && strcmp(name, options->label_columns->names.items[c]) == 0)
            return true;
    bool letters = false; /* that other encodings write otherwise */
    for (const char *p = name; *p; p++)
        letters = letters || (unsigned char)*p >= 0x80;
    for (int64_t i = 0; try_features && options->features && i < options->features->count; i++) {
        const char *feature = options->features->items[i];
        if (*name && (strcmp(name, feature) == 0 || (letters && pt_text_recoded(name, feature))))
            return true;
    }
    return false;
}

/* Whether a cell of the first line is one of its column: a number, a date above dates. A date above
 * anything else is a name, as in sales by month: region,Jan-24,Feb-24. */
static bool speaks_of_data(const pt_csv_head *head, int64_t j)
{
    const pt_csv_guess *cell = &head->first_row[j];
    const pt_csv_guess *rows = &head->rows[j];
    if (cell->texts == 0)
        return true;
    const bool date = cell->tally->dates > 0;
    return holds_numbers(cell) &&
           (!date || rows->numbers + rows->texts == 0 || (rows->tally && rows->tally->dates > 0));
}

static pt_status read_signs(csv_signs *signs, const pt_csv_head *head,
                            const pt_read_options *options, pt_error *err)
{
    *signs = (csv_signs){.only_y = true, .distinct = true, .filled = true};
    PT_FREED_BY(pt_intern_free) pt_intern seen = {0};
    for (int64_t j = 0; j < head->n_columns; j++) {
        const char *name = head->first.items[j];
        if (!*name) {
            signs->filled = signs->filled && j == 0;
            continue;
        }
        const bool asked = is_asked_for(name, options, j < NAMES_TRIED);
        signs->numbers = signs->numbers || speaks_of_data(head, j);
        signs->asked = signs->asked || asked;
        signs->named = signs->named || asked || pt_is_label_name(name);
        if (asked || (pt_is_label_name(name) && !pt_same_name(name, "y")))
            signs->only_y = false;
        if (holds_numbers(&head->rows[j]) && head->first_row[j].texts > 0)
            signs->numbers_follow = true;
        const int64_t before = seen.texts.count;
        int64_t number = 0;
        PT_TRY(pt_intern_add(&seen, name, strlen(name), &number, err));
        signs->distinct = signs->distinct && seen.texts.count > before;
    }
    return PT_OK;
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

/* 0,1,2 or 1,2,3, as pandas writes for columns without names; a first cell may be empty (the
 * index), the last may have a name. *fractions: numbers or texts below are not whole numbers. */
static bool counts_columns(const pt_csv_head *head, bool *fractions)
{
    int64_t counted = 0;
    int64_t from = -1;
    *fractions = false;
    for (int64_t j = 0; j < head->n_columns; j++) {
        const char *name = head->first.items[j];
        int64_t number = -1;
        if (j == 0 && !*name)
            continue;
        const bool is_number =
            pt_text_to_integer(name, &number) && name[0] >= '0' && name[0] <= '9';
        if (!is_number) {
            if (!*name || head->first_row[j].numbers > 0 || j < head->n_columns - 1)
                return false;
            continue;
        }
        if (from < 0)
            from = number - counted;
        if (from > 1 || from < 0 || number != from + counted)
            return false;
        const pt_csv_guess *rows = &head->rows[j];
        *fractions = *fractions || rows->texts > 0 || rows->points + rows->either_points > 0;
        counted++;
    }
    return counted >= 2;
}

/* A line that counts the columns is a header above texts and fractions; above whole numbers it is
 * if it is long. But it may be a row of ranks, where the cells below count the columns too, or one
 * of a kernel matrix. A model knows its columns. */
static bool is_counted_header(const pt_csv_head *head, const csv_signs *signs,
                              const pt_read_options *options, bool *doubt)
{
    const int64_t last = head->n_columns - 1;
    bool fractions = false;
    bool ranks = true;
    *doubt = false;
    if (!counts_columns(head, &fractions) || options->row_numbers)
        return false;
    if (options->label_optional)
        return signs->asked;
    if (fractions || !*head->first.items[0])
        return true;
    if (head->first_row[last].texts > 0 && !signs->named)
        return false;
    for (int64_t j = 0; j < head->n_columns; j++)
        ranks = ranks && head->rows[j].small >= head->rows[j].numbers;
    *doubt = ranks || head->n_columns < SURE_COUNT;
    return !*doubt;
}

/* 2019,2020,2021 or 400.0,400.5,401.0: columns that are years or wave lengths. The first cell may
 * be empty, the last may have a name; all others are numbers with the same step between them.
 * *beyond: they are larger than all numbers below. */
static int64_t count_even_steps(const pt_csv_head *head, bool *beyond)
{
    int64_t counted = 0;
    double step = 0;
    double before = 0;
    *beyond = true;
    for (int64_t j = !*head->first.items[0]; j < head->n_columns; j++) {
        const char *name = head->first.items[j];
        double number = 0;
        if (pt_number_parse(name, strlen(name), &number) != PT_NUMBER_FINITE) {
            if (!*name || j < head->n_columns - 1)
                return 0;
            continue;
        }
        if (counted == 1)
            step = number - before;
        if (counted > 0 && (step == 0 || fabs(number - before - step) > 1e-6 * fabs(step)))
            return 0;
        *beyond = *beyond && fabs(number) > head->rows[j].largest;
        before = number;
        counted++;
    }
    return counted;
}

/* A line of even steps is a header where the label has its name in it, or where its numbers are
 * beyond all below. */
static bool is_stepped_header(const pt_csv_head *head, const csv_signs *signs,
                              const pt_read_options *options, bool *told)
{
    enum { FEW = 3 };
    bool beyond = false;
    const int64_t counted = count_even_steps(head, &beyond);
    if (counted < 2 || options->row_numbers)
        return false;
    if (options->label_optional)
        return signs->asked;
    if (signs->named && !signs->only_y)
        return true;
    *told = counted >= FEW && beyond;
    return *told;
}

/* Whether no cell of the first line stands again in its column, while the rows have a column whose
 * cells repeat: names above levels. `words`: of a column, empty. */
static pt_status differs_from_rows(pt_csv_head *head, const pt_lines *text, pt_intern *words,
                                   bool *differs, pt_error *err)
{
    enum { FEW_ROWS = 10 };
    const char *end = text->bytes + text->size;
    const char *p = text->bytes + head->first_end;
    int rows = 0;
    *differs = false;
    for (; rows < HEAD_ROWS && (p = next_row(head, text, p)) < end; rows++)
        for (int64_t j = 0; j < head->n_columns; j++) {
            pt_csv_cell cell;
            pt_csv_problem problem;
            int64_t number = 0;
            const char *name = head->first.items[j];
            p = pt_csv_cell_read(p, end, head->dialect.separator, &cell, &problem);
            if (!p || (strlen(name) == cell.length && memcmp(name, cell.text, cell.length) == 0))
                return PT_OK;
            PT_TRY(pt_intern_add(&words[j], cell.text, cell.length, &number, err));
            const bool last = p == end || *p == '\n';
            if (last != (j == head->n_columns - 1))
                return PT_OK;
            p += p < end;
        }
    for (int64_t j = 0; j < head->n_columns; j++)
        *differs = *differs || (rows >= FEW_ROWS && 2 * words[j].texts.count <= rows);
    return PT_OK;
}

static pt_status find_names(pt_csv_head *head, const pt_lines *text, const csv_signs *signs,
                            pt_error *err)
{
    if (signs->numbers || !signs->distinct || !signs->filled || head->n_columns > FIRST_COLUMNS ||
        !*head->first.items[0])
        return PT_OK;
    pt_intern *words = pt_alloc_zero(head->n_columns, sizeof *words, "columns", err);
    if (!words)
        return PT_ENOMEM;
    const pt_status status = differs_from_rows(head, text, words, &head->header, err);
    for (int64_t j = 0; j < head->n_columns; j++)
        pt_intern_free(&words[j]);
    pt_free(words);
    return status;
}

static pt_status find_header(pt_csv_head *head, const pt_lines *text,
                             const pt_read_options *options, pt_warnings *warnings, pt_error *err)
{
    csv_signs signs;
    PT_TRY(read_signs(&signs, head, options, err));
    bool doubt = false;
    head->header = is_header(&signs) || is_counted_header(head, &signs, options, &doubt);
    bool stepped = false;
    if (!head->header && !doubt)
        head->header = is_stepped_header(head, &signs, options, &stepped);
    if (stepped)
        return pt_warn(
            warnings, err, PT_KIND_DATA,
            "the first line is taken to name the columns: its numbers have even steps and are "
            "larger than all below; say `header=no` if it is data, `header=yes` if not");
    if (doubt)
        return pt_warn(warnings, err, PT_KIND_DATA,
                       "the first line counts the columns, and was taken as data all the same; say "
                       "`header=yes` if it names them, `header=no` if not");
    bool rows_follow = head->repeats > 0;
    for (int64_t j = 0; j < head->n_columns; j++)
        rows_follow = rows_follow || head->rows[j].texts > 0;
    const bool names_wanted = !options->label_optional || options->features;
    if (head->header || (signs.numbers && !signs.named) || !rows_follow || !names_wanted)
        return PT_OK;
    if (!options->label_optional)
        PT_TRY(find_names(head, text, &signs, err));
    if (head->header)
        return pt_warn(warnings, err, PT_KIND_DATA,
                       "the first line is taken to name the columns: none of its cells stands in "
                       "the rows below; say `header=no` if it is data, `header=yes` if not");
    return pt_warn(warnings, err, PT_KIND_DATA,
                   "the first line was taken as data; say `header=yes` if it names the columns, "
                   "`header=no` if not");
}

/* R and pandas write the names or numbers of rows as a first column without a name. */
static pt_status name_first_column(pt_csv_head *head, const pt_read_options *options,
                                   pt_warnings *warnings, pt_error *err)
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
        return pt_warn(warnings, err, PT_KIND_DATA,
                       "the first column has no name and is left out: it seems to name or "
                       "number the rows; give it a name to keep it");
    PT_TRY(pt_texts_set(&head->first, 0, NAME, err));
    if (!head->dialect.rows_named || options->features)
        return PT_OK;
    return pt_warn(warnings, err, PT_KIND_DATA,
                   "the header has one name less than the rows have cells, and the first "
                   "cells do not name the rows: they are taken as a feature without a name");
}

/* The first of the last columns that have neither a name nor a cell that is not empty; 0: none. */
static int64_t find_tail(const pt_csv_head *head)
{
    int64_t tail = head->n_columns;
    while (tail > 1 && !*head->first.items[tail - 1] && head->rows[tail - 1].numbers == 0 &&
           head->rows[tail - 1].texts == 0)
        tail--;
    return tail > 1 && tail < head->n_columns ? tail : 0;
}

/* A header that is written, and what follows from it. */
static pt_status take_header(pt_csv_head *head, const pt_lines *text,
                             const pt_read_options *options, pt_warnings *warnings, pt_error *err)
{
    head->header =
        strcmp(options->header, "yes") == 0 || head->dialect.rows_named || head->dialect.rows_open;
    if (!head->header && strcmp(options->header, "no") != 0)
        PT_TRY(find_header(head, text, options, warnings, err));
    PT_TRY(name_first_column(head, options, warnings, err));
    if (head->header || !options->label_optional)
        head->tail = find_tail(head);
    if (!head->header) {
        head->data = head->dialect.begin;
        if (head->tail == 0)
            return PT_OK;
        return pt_warn(warnings, err, PT_KIND_DATA,
                       "lines end with separators: what is behind column %lld is empty and "
                       "left out",
                       (long long)head->tail);
    }
    if (head->data == head->first_end)
        return PT_OK;
    int64_t line = 0;
    int64_t column = 0;
    pt_text_locate(text->bytes, text->size, (int64_t)head->first_end, &line, &column);
    if (head->unit_rows > 1)
        return pt_warn(
            warnings, err, PT_KIND_DATA,
            "lines %lld and %lld are skipped: they have words where the rows below them have "
            "numbers, as the questions of a survey; say `header=no` if they are data",
            (long long)line, (long long)line + 1);
    return pt_warn(warnings, err, PT_KIND_DATA,
                   "line %lld is skipped: it has words where the rows below it have numbers, as a "
                   "row of units; say `header=no` if it is data",
                   (long long)line);
}

/* A cell that the header lacks; there is room for `room` cells, and shall be for `larger`. */
static pt_status add_empty_name(pt_csv_head *head, int64_t room, int64_t larger, pt_error *err)
{
    PT_TRY(pt_texts_add_n(&head->first, "", 0, err));
    PT_TRY(pt_alloc_grow((void **)&head->first_row, room, larger, sizeof(pt_csv_guess), "columns",
                         err));
    head->first_row[head->n_columns++] = (pt_csv_guess){0};
    return PT_OK;
}

static pt_status head_read(pt_csv_head *head, const pt_lines *text, const pt_read_options *options,
                           pt_warnings *warnings, pt_error *err)
{
    const char *end = text->bytes + text->size;
    const char *p = pt_skip_blank_lines(text->bytes + head->dialect.begin, end);
    if (p == end)
        return pt_lines_fail(text, 0, err, "the file is empty");
    if (head->dialect.rows_named) /* the cell that the header lacks */
        PT_TRY(add_empty_name(head, 0, FIRST_COLUMNS, err));
    PT_TRY(first_line(head, text, p, end, options->na, err));
    PT_TRY(doubt_cells(head, options, warnings, err));
    if (head->dialect.rows_open)
        PT_TRY(add_empty_name(head, head->n_columns, head->n_columns + 1, err));
    PT_TRY(PT_NEW_ZERO(head->rows, head->n_columns, "columns", err));
    PT_TRY(later_lines(head, text, options, err));
    return take_header(head, text, options, warnings, err);
}

/* What is read from here on is a copy, in which comments and runs of spaces are made harmless. */
static pt_status take_copy(pt_csv_text *csv, const char *bytes, size_t begin, const char *comment,
                           bool spaces, pt_error *err)
{
    const bool copied = bytes == csv->copy;
    if (!csv->copy)
        csv->copy = pt_alloc((int64_t)csv->text.size, 1, "a copy of the file", err);
    if (!csv->copy)
        return PT_ENOMEM;
    if (!copied)
        memcpy(csv->copy, bytes, csv->text.size);
    pt_csv_blank_out(csv->copy + begin, csv->text.size - begin, comment, spaces);
    csv->text.bytes = csv->copy;
    return PT_OK;
}

/* The options, and where they are silent what was said when the model was trained: its comments,
 * and its separator where the first lines have it. */
static pt_read_options options_of_model(const pt_read_options *options, const char *bytes,
                                        size_t size)
{
    pt_read_options own = *options;
    const pt_judged_columns *judged = options->judged;
    if (judged && judged->comment && !*own.comment)
        own.comment = judged->comment;
    enum { FIRST_BYTES = 4096 };
    const size_t length = size < FIRST_BYTES ? size : FIRST_BYTES;
    char separator = 0;
    if (judged && judged->sep && strcmp(own.separator, "auto") == 0 &&
        pt_csv_separator_named(judged->sep, &separator) && length > 0 &&
        memchr(bytes, separator, length))
        own.separator = judged->sep;
    return own;
}

pt_status pt_csv_open(pt_csv_text *csv, const char *bytes, size_t size, char usual,
                      const pt_read_options *options, pt_warnings *warnings, pt_error *err)
{
    size_t begin = 0;
    const pt_read_options own = options_of_model(options, bytes, size);
    options = &own;
    pt_csv_dialect *dialect = &csv->head.dialect;
    csv->text = (pt_lines){.bytes = bytes, .size = size, .source = options->source};
    PT_TRY(pt_reader_check_text(bytes, size, &begin, options->source, err));
    const bool framed = pt_csv_is_framed(bytes + begin, bytes + size);
    if (*options->comment || framed)
        PT_TRY(take_copy(csv, bytes, begin, options->comment, false, err));
    if (framed) {
        pt_csv_unframe(csv->copy + begin, size - begin);
        PT_TRY(pt_warn(warnings, err, PT_KIND_DATA,
                       "lines of dashes frame the table: they and what stands around it are "
                       "skipped"));
    }
    PT_TRY(pt_csv_dialect_find(dialect, &csv->text, begin, usual, options, warnings, err));
    if (dialect->separator == ' ')
        PT_TRY(take_copy(csv, csv->text.bytes, begin, options->comment, true, err));
    PT_TRY(head_read(&csv->head, &csv->text, options, warnings, err));
    if (framed) { /* a stream keeps the frame with the header */
        const char *end = csv->text.bytes + size;
        csv->head.data =
            (size_t)(pt_skip_blank_lines(csv->text.bytes + csv->head.data, end) - csv->text.bytes);
    }
    return PT_OK;
}

void pt_csv_close(pt_csv_text *csv)
{
    head_free(&csv->head);
    pt_free(csv->copy);
    memset(csv, 0, sizeof *csv);
}
