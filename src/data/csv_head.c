/* The head of a CSV file. Separator, header and types are guessed from the first lines, unless
 * options tell them. */
#include "data/csv_head.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/csv_cell.h"
#include "data/number.h"
#include "data/roles.h"

enum {
    NAMES_TRIED = 16, /* cells of the first line compared with the model's names */
    HEAD_ROWS = 100   /* rows looked at before a type is guessed */
};

void pt_csv_head_free(pt_csv_head *head)
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
static bool has_decimal_comma(const pt_csv_cell *cell)
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

static void guess_cell(const pt_csv_cell *cell, pt_csv_guess *guess)
{
    double value = 0;
    if (pt_csv_is_missing(cell))
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
static pt_status refuse_decimal_commas(const pt_csv_head *head, const pt_lines *text, pt_error *err)
{
    for (int64_t j = 0; j < head->n_columns; j++) {
        const pt_csv_guess *first = &head->first_row[j];
        const pt_csv_guess *rows = &head->rows[j];
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
 * But sets and pairs have semicolons within a cell. */
static char find_separator(const char *p, const char *end, bool semicolons_in_cells)
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
        return semicolon && decimal && !semicolons_in_cells ? ';' : ',';
    if (semicolons_in_cells && tab)
        return '\t';
    return semicolon ? ';' : tab ? '\t' : ',';
}

static pt_status first_line(pt_csv_head *head, const pt_lines *text, const char *p, const char *end,
                            pt_error *err)
{
    pt_csv_buffer buffer = {NULL, 0};
    int64_t room = 0;
    pt_status status = PT_OK;
    for (;;) {
        pt_csv_cell cell;
        pt_csv_problem problem = {NULL, NULL};
        const char *stop = pt_csv_cell_read(p, end, head->separator, &cell, &problem);
        if (!stop) {
            status = pt_lines_fail(text, problem.at - text->bytes, err, "%s", problem.text);
            break;
        }
        if (head->n_columns == PT_CSV_COLUMNS) {
            status = pt_lines_fail(text, p - text->bytes, err,
                                   "the first line has more than %d cells; is this a table?",
                                   PT_CSV_COLUMNS);
            break;
        }
        if (head->n_columns == room) {
            const int64_t larger = room ? 2 * room : 64;
            status = pt_alloc_grow((void **)&head->first_row, room, larger, sizeof(pt_csv_guess),
                                   "columns", err);
            if (status != PT_OK)
                break;
            room = larger;
        }
        const char *words = NULL;
        size_t length = 0;
        status = pt_csv_cell_text(&cell, &buffer, &words, &length, err);
        if (status == PT_OK && length > 0 && memchr(words, '\0', length))
            status = pt_lines_fail(text, cell.at - text->bytes, err,
                                   "the cell has a zero byte; this is not a text file");
        if (status == PT_OK)
            status = pt_texts_add_n(&head->first, words, length, err);
        if (status != PT_OK)
            break;
        head->first_row[head->n_columns] = (pt_csv_guess){0, 0, 0, NULL};
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
static pt_status note_id(pt_csv_head *head, const pt_csv_cell *cell, pt_error *err)
{
    double value = 0;
    const pt_number kind = pt_number_parse(cell->text, cell->length, &value);
    const bool whole =
        kind == PT_NUMBER_NONE || (kind == PT_NUMBER_FINITE && value == floor(value));
    const int64_t before = head->ids.texts.count;
    int64_t number = 0;
    head->ids_differ =
        whole && !pt_csv_is_missing(cell) && memchr(cell->text, '\0', cell->length) == NULL;
    if (!head->ids_differ)
        return PT_OK;
    const pt_status status = pt_intern_add(&head->ids, cell->text, cell->length, &number, err);
    head->ids_differ = head->ids.texts.count > before;
    return status;
}

/* Looks at rows until one is not as expected: the passes will say what is wrong with it. */
static pt_status later_lines(pt_csv_head *head, const char *p, const char *end, pt_error *err)
{
    head->ids_differ = *head->first.items[0] == '\0';
    for (int row = 0; row < HEAD_ROWS; row++) {
        p = pt_skip_blank_lines(p, end);
        for (int64_t j = 0; p < end; j++) {
            pt_csv_cell cell;
            pt_csv_problem problem;
            p = pt_csv_cell_read(p, end, head->separator, &cell, &problem);
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
    if (*name && (pt_text_matches(name, options->label) ||
                  (options->ranks && pt_text_matches(name, options->ranks))))
        return true;
    for (int64_t c = 0; options->label_columns && c < options->label_columns->count; c++)
        if (*name && strcmp(name, options->label_columns->names.items[c]) == 0)
            return true;
    for (int64_t i = 0; try_features && options->features && i < options->features->count; i++)
        if (*name && strcmp(name, options->features->items[i]) == 0)
            return true;
    return false;
}

static pt_status read_signs(csv_signs *signs, const pt_csv_head *head,
                            const pt_read_options *options, pt_error *err)
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

static pt_status find_header(pt_csv_head *head, const pt_read_options *options, pt_texts *warnings,
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
static pt_status name_first_column(pt_csv_head *head, const pt_read_options *options,
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
    return pt_texts_set(&head->first, 0, NAME, err);
}

pt_status pt_csv_head_read(pt_csv_head *head, const pt_lines *text, size_t begin, char separator,
                           const pt_read_options *options, pt_texts *warnings, pt_error *err)
{
    const char *end = text->bytes + text->size;
    const char *p = pt_skip_blank_lines(text->bytes + begin, end);
    if (p == end)
        return pt_lines_fail(text, 0, err, "the file is empty");
    head->separator = separator;
    pt_status status = PT_OK;
    if (separator == ',') {
        const bool semicolons_in_cells = options->labels && (strcmp(options->labels, "set") == 0 ||
                                                             strcmp(options->labels, "pairs") == 0);
        head->separator = find_separator(p, end, semicolons_in_cells);
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
