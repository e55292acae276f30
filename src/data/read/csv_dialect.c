/* The dialect of a CSV file, by options, by Excel's line sep=; or by its first lines. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/judge/judge_cells.h"
#include "data/read/csv.h"
#include "data/read/number.h"

enum { LOOKED = 12 }; /* lines that are compared */

/* ---- the separator --------------------------------------------------------------------------- */

bool pt_csv_separator_named(const char *name, char *separator)
{
    static const struct {
        const char *name;
        char separator;
    } NAMES[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'},
                 {"\\t", '\t'},  {"pipe", '|'},      {"space", ' '}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(name, NAMES[i].name) == 0) {
            *separator = NAMES[i].separator;
            return true;
        }
    *separator = name[0];
    return name[0] && !name[1] && !strchr("\"\n\r", name[0]) && (unsigned char)name[0] < 0x80 &&
           !pt_is_digit(name[0]);
}

static const char *separator_title(char separator, char title[8])
{
    snprintf(title, 8, "'%c'", separator);
    return separator == ';'    ? "semicolons"
           : separator == '\t' ? "tabs"
           : separator == '|'  ? "'|'"
           : separator == ' '  ? "spaces"
           : separator == ','  ? "commas"
                               : title;
}

/* What a line has of each separator, outside quotes. */
typedef struct line_signs {
    int64_t commas;
    int64_t semicolons;
    int64_t tabs;
    int64_t pipes;
    int64_t words; /* parted by spaces */
    bool decimal;  /* every comma stands between digits, at most one in a cell of semicolons */
} line_signs;

static const char *read_signs(const char *p, const char *end, line_signs *signs)
{
    const char *begin = p;
    bool inside = false;
    bool cell_has_comma = false;
    char before = ' ';
    *signs = (line_signs){.decimal = true};
    for (; p < end && (inside || *p != '\n'); p++) {
        inside = inside != (*p == '"');
        signs->words += before == ' ' && *p != ' ' && *p != '\r';
        before = inside ? 'x' : *p;
        if (inside)
            continue;
        if (*p == ',') {
            signs->decimal = signs->decimal && !cell_has_comma && p > begin && pt_is_digit(p[-1]) &&
                             p + 1 < end && pt_is_digit(p[1]);
            cell_has_comma = true;
            signs->commas++;
        }
        if (*p == ';') {
            cell_has_comma = false;
            signs->semicolons++;
        }
        signs->tabs += *p == '\t';
        signs->pipes += *p == '|';
    }
    return p < end ? p + 1 : p;
}

/* Cells of a line, those that are not empty, and whether the last is empty. NULL: the passes will
 * say what is wrong with it. */
static const char *count_cells(const char *p, const char *end, char separator, int64_t *cells,
                               int64_t *filled, bool *open)
{
    *cells = 0;
    *filled = 0;
    *open = false;
    for (;;) {
        pt_csv_cell cell;
        pt_csv_problem problem;
        if (separator == ' ' && *cells > 0) { /* spaces before the end of a line part nothing */
            while (p < end && (*p == ' ' || *p == '\r'))
                p++;
            if (p == end || *p == '\n')
                return p < end ? p + 1 : p;
        }
        p = pt_csv_cell_read(p, end, separator, &cell, &problem);
        if (!p)
            return NULL;
        (*cells)++;
        *filled += cell.length > 0;
        *open = cell.length == 0;
        if (p == end || *p == '\n')
            return p < end ? p + 1 : p;
        p++;
    }
}

/* The first lines, as far as they can be read. */
typedef struct first_lines {
    int count;
    const char *at[LOOKED];
    int64_t cells[LOOKED];
    int64_t filled[LOOKED];
    bool open[LOOKED]; /* the last cell is empty */
} first_lines;

static void look(first_lines *lines, const char *p, const char *end, char separator)
{
    lines->count = 0;
    while (lines->count < LOOKED && (p = pt_skip_blank_lines(p, end)) < end) {
        const int i = lines->count;
        lines->at[i] = p;
        p = count_cells(p, end, separator, &lines->cells[i], &lines->filled[i], &lines->open[i]);
        if (!p)
            return;
        lines->count++;
    }
}

/* Words as many as in the lines that follow, or one less, as R's write.table has it in its header:
 * a table whose cells are parted by spaces. */
static bool parts_by_spaces(const char *p, const char *end)
{
    line_signs signs;
    int64_t first = 0;
    int64_t words = 0;
    int lines = 0;
    for (; lines < LOOKED && (p = pt_skip_blank_lines(p, end)) < end; lines++) {
        p = read_signs(p, end, &signs);
        if (lines == 0)
            first = signs.words;
        else if (words == 0)
            words = signs.words;
        if ((lines > 0 && signs.words != words) ||
            signs.commas + signs.semicolons + signs.tabs + signs.pipes > 0)
            return false;
    }
    return words > 1 && first > 1 && (first == words || (first + 1 == words && lines > 2));
}

/* Whether every cell with a comma is a number, so that the comma does not part cells. */
static bool commas_are_decimal(const first_lines *lines, const char *end, char separator)
{
    for (int i = 0; i < lines->count; i++)
        for (const char *p = lines->at[i];; p++) {
            pt_csv_cell cell;
            pt_csv_problem problem;
            pt_number_signs signs;
            p = pt_csv_cell_read(p, end, separator, &cell, &problem);
            const char *comma =
                p && !cell.quoted && cell.length > 0 ? memchr(cell.text, ',', cell.length) : NULL;
            if (!p || (comma && (comma + 1 == cell.text + cell.length || !pt_is_digit(comma[1]) ||
                                 !pt_number_signs_of(cell.text, cell.length, &signs))))
                return false;
            if (p == end || *p == '\n')
                break;
        }
    return true;
}

/* Whether all lines behind the first end with the same word: it is no class, but a unit, as in
 * 5,1 kg, and the space before it parts no cells. */
static bool ends_alike(const char *p, const char *end)
{
    const char *first = NULL;
    size_t length = 0;
    for (int64_t line = 0; (p = pt_skip_blank_lines(p, end)) < end; line++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *last = newline ? newline : end;
        while (last > p && (last[-1] == ' ' || last[-1] == '\r'))
            last--;
        const char *word = last;
        while (word > p && word[-1] != ' ' && !pt_is_digit(word[-1]))
            word--;
        if (word == last || (word > p && word[-1] != ' '))
            return false; /* a number */
        if (line == 1) {
            first = word;
            length = (size_t)(last - word);
        } else if (line > 1 &&
                   (length != (size_t)(last - word) || memcmp(first, word, length) != 0)) {
            return false;
        }
        p = newline ? newline + 1 : end;
    }
    return first != NULL;
}

/* How many of the first lines stand above a table all of whose lines have as many cells, two at
 * least; LOOKED: there is no such table. */
static int uneven_lines(const first_lines *lines)
{
    const int last = lines->count - 1;
    if (last < 1 || lines->cells[last] < 2)
        return LOOKED;
    int first = last;
    while (first > 0 && lines->cells[first - 1] == lines->cells[last])
        first--;
    for (int i = 0; i < first; i++)
        if (lines->cells[i] > lines->cells[last])
            return LOOKED;
    return first < last ? first : LOOKED;
}

/* The separator that gives all of the first lines as many cells, or leaves the fewest of them above
 * a table; commas come before others, unless all of them stand in numbers. Where cells are sets,
 * semicolons must leave fewer lines than all others: they stand in no name of a column. 0: there is
 * none. */
static char even_separator(const char *p, const char *end, bool semicolons_in_cells)
{
    const char *const separators = semicolons_in_cells ? ",\t| ;" : ",;\t| ";
    const char *stop = p;
    for (int line = 0; line < LOOKED && stop < end; line++) {
        const char *newline = memchr(stop, '\n', (size_t)(end - stop));
        stop = newline ? pt_skip_blank_lines(newline, end) : end;
    }
    char best = 0;
    int least = LOOKED;
    int present = 0;
    for (const char *s = separators; *s; s++)
        present += memchr(p, *s, (size_t)(stop - p)) != NULL;
    for (const char *s = separators; *s && present > 1; s++) {
        first_lines lines;
        if (!memchr(p, *s, (size_t)(stop - p)))
            continue;
        look(&lines, p, end, *s);
        const int uneven = uneven_lines(&lines);
        const bool may_hold = *s == ' ' || (best == ',' && !(*s == ';' && semicolons_in_cells));
        const bool decimal = may_hold && uneven == 0 && commas_are_decimal(&lines, end, *s);
        if (*s == ' ' && (!decimal || ends_alike(p, end))) /* words of a text have spaces, too */
            continue;
        if (uneven < least || (uneven == least && best == ',' && decimal)) {
            best = *s;
            least = uneven;
        }
    }
    return best;
}

/* Where none is even, the first line with any separator decides. Where it has semicolons, and
 * commas only between digits and at most one in a cell, these are decimal commas. But sets and
 * pairs have semicolons within a cell. */
char pt_csv_separator(const char *p, const char *end, bool semicolons_in_cells)
{
    if (parts_by_spaces(p, end))
        return ' ';
    const char even = even_separator(p, end, semicolons_in_cells);
    if (even)
        return even;
    for (int line = 0; line < LOOKED && (p = pt_skip_blank_lines(p, end)) < end; line++) {
        line_signs signs;
        p = read_signs(p, end, &signs);
        if (signs.commas > 0)
            return signs.semicolons > 0 && signs.decimal && !semicolons_in_cells ? ';' : ',';
        if (semicolons_in_cells && signs.tabs > 0)
            return '\t';
        if (signs.semicolons + signs.tabs + signs.pipes > 0)
            return signs.semicolons > 0 ? ';' : signs.tabs > 0 ? '\t' : '|';
    }
    return ',';
}

/* Excel's first line sep=; says what it says. */
static const char *excel_line(const char *p, const char *end, char *separator)
{
    const bool quoted = end - p > 7 && *p == '"';
    const char *word = p + quoted;
    if (end - word < 6 || (word[0] | 0x20) != 's' || (word[1] | 0x20) != 'e' ||
        (word[2] | 0x20) != 'p' || word[3] != '=')
        return p;
    const char *rest = word + 5;
    rest += quoted && *rest == '"';
    while (rest < end && (*rest == '\r' || *rest == ' '))
        rest++;
    if (rest == end || *rest != '\n')
        return p;
    *separator = word[4];
    return rest + 1;
}

/* ---- where the table begins ------------------------------------------------------------------ */

/* How many of the first lines stand above the table: those with fewer cells than all behind them,
 * two at least, and those that a spreadsheet filled up with empty cells. */
static int titles_above(const first_lines *lines)
{
    if (lines->count < 3)
        return 0;
    const int64_t width = lines->cells[lines->count - 1];
    int first = lines->count;
    while (first > 0 && lines->cells[first - 1] == width)
        first--;
    if (first > lines->count - 2 || width < 2)
        return 0;
    for (int i = 0; i < first; i++)
        if (lines->cells[i] >= width)
            return 0;
    int padded = first;
    while (padded < lines->count - 2 && lines->filled[padded] <= 1 && width > 2)
        padded++;
    return padded < lines->count - 2 && lines->filled[padded] == width ? padded : first;
}

/* Whether a cell of a line is a number. */
static bool has_number(const char *p, const char *end, char separator)
{
    for (;; p++) {
        pt_csv_cell cell;
        pt_csv_problem problem;
        pt_number_signs signs;
        p = pt_csv_cell_read(p, end, separator, &cell, &problem);
        if (!p || pt_number_signs_of(cell.text, cell.length, &signs))
            return p != NULL;
        if (p == end || *p == '\n')
            return false;
    }
}

/* Lines of # above the table, unless one of them may be its header: "# x y class" is, as NumPy's
 * savetxt writes it, and begins behind its sign, unless the line below is one. */
static const char *skip_remarks(const char *p, const char *end, char separator, int64_t *count)
{
    const char *begin = p;
    int64_t remarks = 0;
    int64_t cells = 0;
    int64_t filled = 0;
    int64_t width = 0;
    int64_t named = 0; /* cells behind "# " */
    const char *names = NULL;
    bool open = false;
    while ((p = pt_skip_blank_lines(p, end)) < end && *p == '#') {
        const char *next = memchr(p, '\n', (size_t)(end - p));
        if (!count_cells(p, next ? next : end, separator, &cells, &filled, &open))
            cells = 1; /* a stray quote: it is not a row */
        names = p + 1;
        while (names < end && *names == ' ')
            names++;
        if (names == p + 1 || names == end ||
            !count_cells(names, next ? next : end, separator, &named, &filled, &open))
            named = 0;
        remarks++;
        p = next ? next + 1 : end;
    }
    const char *next =
        p < end && remarks > 0 ? count_cells(p, end, separator, &width, &filled, &open) : NULL;
    if (!next || (named == 0 && cells == width && width > 1))
        return begin;
    if (named == width && width > 1 && !has_number(names, end, separator) &&
        (has_number(p, end, separator) || !has_number(next, end, separator))) {
        *count = remarks - 1;
        return names;
    }
    *count = remarks;
    return p;
}

static int64_t line_of(const pt_lines *text, const char *at)
{
    int64_t line = 0;
    int64_t column = 0;
    pt_text_locate(text->bytes, text->size, at - text->bytes, &line, &column);
    return line;
}

static pt_status skip_titles(const pt_lines *text, const char **p, const char *end,
                             const pt_read_options *options, pt_csv_dialect *dialect,
                             pt_warnings *warnings, pt_error *err)
{
    first_lines lines;
    look(&lines, *p, end, dialect->separator);
    const int titles = titles_above(&lines);
    const bool lacks_one = (titles == 1 || lines.count == 2) && lines.cells[0] > 1 &&
                           lines.cells[0] + 1 == lines.cells[1] &&
                           lines.filled[0] == lines.cells[0];
    dialect->rows_open = lacks_one;
    for (int i = 1; i < lines.count; i++)
        dialect->rows_open = dialect->rows_open && lines.open[i];
    if (dialect->rows_open)
        return pt_warn(warnings, err, PT_KIND_DATA,
                       "the rows end with a separator and the header does not: the last, "
                       "empty cell of each row is left out");
    const bool one_row = lines.count == 2 && options->features; /* of a model, which knows it */
    dialect->rows_named = (titles == 1 || one_row) && lacks_one;
    if (titles == 0 || dialect->rows_named)
        return PT_OK;
    const bool cut = dialect->separator == ',' && lines.cells[titles - 1] > 1 &&
                     lines.filled[titles - 1] == lines.cells[titles - 1];
    *p = lines.at[titles];
    return pt_warn(warnings, err, PT_KIND_DATA,
                   "the table begins in line %lld: what stands above has fewer cells than the "
                   "%lld of its rows and is skipped%s",
                   (long long)line_of(text, *p), (long long)lines.cells[titles],
                   cut ? "; if it names the columns, decimal commas may have cut their cells: "
                         "quote such cells, or part cells by semicolons"
                       : "");
}

pt_status pt_csv_dialect_find(pt_csv_dialect *dialect, const pt_lines *text, size_t begin,
                              char usual, const pt_read_options *options, pt_warnings *warnings,
                              pt_error *err)
{
    const char *end = text->bytes + text->size;
    const char *p = pt_skip_blank_lines(text->bytes + begin, end);
    const bool asked = strcmp(options->separator, "auto") != 0;
    char separator = usual;
    *dialect = (pt_csv_dialect){.separator = usual, .begin = begin};
    if (asked && !pt_csv_separator_named(options->separator, &separator))
        return pt_fail_at(
            err, PT_EINVAL, options->source, 0, 0,
            "`sep` '%.20s' is neither a character nor comma, semicolon, tab, pipe or space",
            options->separator);
    if (p == end)
        return PT_OK;
    char told = 0;
    p = excel_line(p, end, &told);
    p = pt_skip_blank_lines(p, end);
    int64_t remarks = 0;
    if (!asked && told)
        separator = told;
    else if (!asked && usual == ',') {
        const bool semicolons_in_cells = options->labels && (strcmp(options->labels, "set") == 0 ||
                                                             strcmp(options->labels, "pairs") == 0);
        const char *table = p; /* remarks may have commas of their own */
        while (table < end && *table == '#') {
            const char *next = memchr(table, '\n', (size_t)(end - table));
            table = next ? pt_skip_blank_lines(next + 1, end) : end;
        }
        separator = pt_csv_separator(table < end ? table : p, end, semicolons_in_cells);
        char title[8];
        if (separator != ',')
            PT_TRY(pt_warn(warnings, err, PT_KIND_DATA,
                           "cells are taken to be separated by %s; `sep` says otherwise",
                           separator_title(separator, title)));
    }
    dialect->separator = separator;
    if (!*options->comment) {
        p = skip_remarks(p, end, separator, &remarks);
        if (remarks > 0)
            PT_TRY(pt_warn(warnings, err, PT_KIND_DATA,
                           "%lld line%s above the table begin%s with # and %s skipped",
                           (long long)remarks, remarks == 1 ? "" : "s", remarks == 1 ? "s" : "",
                           remarks == 1 ? "is" : "are"));
    }
    PT_TRY(skip_titles(text, &p, end, options, dialect, warnings, err));
    dialect->begin = (size_t)(p - text->bytes);
    return PT_OK;
}

/* ---- what is changed before cells are read --------------------------------------------------- */

/* Spaces of any kind before a newline go behind it, where they begin the next line. */
static void unpad_line(char *begin, char *end, bool newline)
{
    char *last = end;
    while (last > begin && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r'))
        last--;
    if (last == end)
        return;
    memset(last, ' ', (size_t)(end - last) + newline);
    *last = '\n';
}

/* Dashes or equal signs, three of them together at least, and what frames are made of. */
static bool is_rule(const char *p, const char *end)
{
    int together = 0;
    int longest = 0;
    for (; p < end; p++) {
        if (*p == '\0' || !strchr("-=+|: \t\r", *p))
            return false;
        together = *p == '-' || *p == '=' ? together + 1 : 0;
        longest = together > longest ? together : longest;
    }
    return longest >= 3;
}

static const char *line_end(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline ? newline : end;
}

bool pt_csv_is_framed(const char *p, const char *end)
{
    enum { RULES_TRIED = 4 };
    for (int line = 0; line < RULES_TRIED && (p = pt_skip_blank_lines(p, end)) < end; line++) {
        const char *stop = line_end(p, end);
        if (is_rule(p, stop))
            return pt_skip_blank_lines(stop, end) < end; /* and a table follows */
        p = stop;
    }
    return false;
}

void pt_csv_unframe(char *bytes, size_t size)
{
    const char *end = bytes + size;
    const bool pipes = memchr(bytes, '|', size) != NULL;
    for (char *p = bytes; p < end;) {
        char *stop = p + (line_end(p, end) - p);
        char *last = stop;
        char *next = stop + (stop < end);
        while (last > p && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r'))
            last--;
        if (is_rule(p, stop) || (pipes && !memchr(p, '|', (size_t)(stop - p)))) {
            memset(p, ' ', (size_t)(stop - p));
        } else if (last - p > 1 && last[-1] == '|') {
            last[-1] = ' ';
            while (*p == ' ' || *p == '\t')
                p++;
            if (*p == '|')
                *p = ' ';
        }
        p = next;
    }
}

void pt_csv_blank_out(char *bytes, size_t size, const char *comment, bool spaces)
{
    const size_t length = strlen(comment);
    char *end = bytes + size;
    bool inside = false;
    for (char *p = bytes; p < end;) {
        char *newline = memchr(p, '\n', (size_t)(end - p));
        char *stop = newline ? newline : end;
        if (!inside && length > 0 && (size_t)(stop - p) >= length &&
            memcmp(p, comment, length) == 0) {
            memset(p, ' ', (size_t)(stop - p));
        } else {
            for (char *q = p; q < stop; q++) {
                inside = inside != (*q == '"');
                if (spaces && !inside && *q == '\t')
                    *q = ' ';
            }
            if (spaces && !inside)
                unpad_line(p, stop, newline != NULL);
        }
        p = newline ? newline + 1 : end;
    }
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Cells of CSV files: what few of them need. */

const char *pt_csv_quoted_cell(const char *p, const char *end, pt_csv_cell *cell,
                               pt_csv_problem *problem)
{
    const char *open = p++;
    cell->quoted = true;
    cell->text = p;
    for (;;) {
        const char *quote = p < end ? memchr(p, '"', (size_t)(end - p)) : NULL;
        if (!quote) {
            *problem =
                (pt_csv_problem){open, "a quote is opened here and never closed; close it, or "
                                       "double it if it belongs to the text, unless the file was "
                                       "cut off"};
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

pt_status pt_csv_cell_text(const pt_csv_cell *cell, pt_csv_buffer *buffer, const char **text,
                           size_t *length, pt_error *err)
{
    *text = cell->text;
    *length = cell->length;
    if (!cell->doubled)
        return PT_OK;
    if ((int64_t)cell->length > buffer->capacity) {
        const int64_t capacity = 2 * (int64_t)cell->length;
        PT_TRY(pt_alloc_grow((void **)&buffer->text, 0, capacity, 1, "a cell", err));
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
