/* CSV files, from a cell to the work of the passes: what the files csv_*.c, format_csv.c and the
 * judgement of columns (data/judge/csv_judge.c, csv_settle.c) share. */
#ifndef PT_DATA_READ_CSV_H
#define PT_DATA_READ_CSV_H

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/judge/column_tally.h"
#include "data/judge/judge_cells.h"
#include "data/read/intern.h"
#include "data/read/lines.h"
#include "data/read/number.h"
#include "data/read/reader.h"
#include "data/read/table.h"
#include "data/read/write.h"

/* ---- cells ----------------------------------------------------------------------------------- */

/* Cells of CSV files: trimmed, quoted as in RFC 4180. What every cell goes through is inline. */

typedef struct pt_csv_cell {
    const char *text; /* trimmed, without the quotes around it */
    size_t length;
    bool quoted;
    bool doubled;   /* has doubled quotes inside */
    const char *at; /* where it begins in the file */
} pt_csv_cell;

/* A cell cannot be read: where, and what to say. */
typedef struct pt_csv_problem {
    const char *at;
    const char *text;
} pt_csv_problem;

static inline bool pt_csv_is_space(char c, char separator)
{
    return c == ' ' || (c == '\t' && separator != '\t');
}

/* The upper bits of the bytes of x that are 0, of the first of them at least. */
static inline uint64_t pt_zero_bytes(uint64_t x)
{
    return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

/* Behind what is neither a separator nor a newline nor a quote, or near `end`; eight bytes at
 * once. */
static inline const char *pt_csv_skip_text(const char *p, const char *end, char separator)
{
    const uint64_t each = 0x0101010101010101u;
    for (; end - p >= 8; p += 8) {
        const uint64_t bytes = pt_load8(p);
        const uint64_t found = pt_zero_bytes(bytes ^ each * (unsigned char)separator) |
                               pt_zero_bytes(bytes ^ each * '\n') |
                               pt_zero_bytes(bytes ^ each * '"');
        if (found)
            return p + (__builtin_ctzll(found) >> 3);
    }
    return p;
}

/* Behind the mark (U+FEFF) with which some files begin, and which stands in the middle where such
 * files were joined; p where there is none. */
static inline const char *pt_csv_skip_mark(const char *p, const char *end)
{
    return end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? p + 3 : p;
}

/* The quoted cell whose opening quote is at p; returns behind the closing quote. */
const char *pt_csv_quoted_cell(const char *p, const char *end, pt_csv_cell *cell,
                               pt_csv_problem *problem);

/* Reads the cell at p and returns where it ends: at a separator, a newline or `end`; NULL with the
 * problem if it cannot be read. */
static inline const char *pt_csv_cell_read(const char *p, const char *end, char separator,
                                           pt_csv_cell *cell, pt_csv_problem *problem)
{
    while (p < end && pt_csv_is_space(*p, separator))
        p++;
    *cell = (pt_csv_cell){p, 0, false, false, p};
    if (p < end && *p == '"') {
        p = pt_csv_quoted_cell(p, end, cell, problem);
        if (!p)
            return NULL;
        while (p < end && *p != separator && (pt_csv_is_space(*p, separator) || *p == '\r'))
            p++;
        if (p < end && *p != separator && *p != '\n') {
            *problem = (pt_csv_problem){p, "text follows a closing quote; quote the whole cell and "
                                           "double the quotes inside"};
            return NULL;
        }
        return p;
    }
    p = pt_csv_skip_text(p, end, separator);
    while (p < end && *p != separator && *p != '\n') {
        if (*p == '"') {
            *problem =
                (pt_csv_problem){p, "a quote stands inside a cell that is not quoted; quote the "
                                    "whole cell and double the quotes inside"};
            return NULL;
        }
        p++;
    }
    const char *last = p;
    while (last > cell->text && (pt_csv_is_space(last[-1], separator) || last[-1] == '\r'))
        last--;
    cell->length = (size_t)(last - cell->text);
    return p;
}

/* Whether the cell stands for nothing; na: as in --na, "" for the usual words. */
static inline bool pt_csv_is_missing(const pt_csv_cell *cell, const char *na)
{
    const char *t = cell->text;
    size_t length = cell->length;
    while (length > 0 && *t == ' ')
        t++, length--;
    while (length > 0 && t[length - 1] == ' ')
        length--;
    if (length == 0)
        return true;
    if (!*na && *t != 'N' && *t != 'n' && *t != '?' && *t != '<' && *t != '#' && *t != '\\')
        return false; /* what most texts begin with */
    return pt_is_missing_word(na, t, length);
}

/* Room for texts whose doubled quotes are halved. */
typedef struct pt_csv_buffer {
    char *text;
    int64_t capacity;
} pt_csv_buffer;

static inline void pt_csv_buffer_free(pt_csv_buffer *buffer)
{
    pt_free(buffer->text);
}

/* The text of a cell as it is meant; borrowed from the file or from the buffer. */
pt_status pt_csv_cell_text(const pt_csv_cell *cell, pt_csv_buffer *buffer, const char **text,
                           size_t *length, pt_error *err);

/* ---- the dialect (csv_dialect.c) ------------------------------------------------------------- */

/* The dialect of a CSV file: what separates its cells, and where its table begins. */

typedef struct pt_csv_dialect {
    char separator;
    size_t begin;    /* offset of the first line of the table */
    bool rows_named; /* as R's write.table writes: the header lacks a cell for the names of rows */
    bool rows_open; /* the rows end with a separator, the header does not: it lacks the last cell */
} pt_csv_dialect;

/* usual: the separator of the format. Warnings say what was skipped and what was guessed. */
pt_status pt_csv_dialect_find(pt_csv_dialect *dialect, const pt_lines *text, size_t begin,
                              char usual, const pt_read_options *options, pt_warnings *warnings,
                              pt_error *err);

/* A separator by its name, comma to space, or by its one character; false: it is neither. */
bool pt_csv_separator_named(const char *name, char *separator);

/* What separates cells, by the first lines at p: , ; | a tab or a space. `semicolons_in_cells`: of
 * sets and pairs. */
char pt_csv_separator(const char *p, const char *end, bool semicolons_in_cells);

/* Whether lines of dashes stand under the header or around the table, as data bases print tables
 * and Markdown writes them. */
bool pt_csv_is_framed(const char *p, const char *end);

/* Lines of dashes, and where cells are parted by | the lines without one, become blank; so does a |
 * at the beginning and at the end of a line. Every line keeps its number. */
void pt_csv_unframe(char *bytes, size_t size);

/* Lines that begin with `comment` ("": none) become blank; `spaces`: cells are parted by runs of
 * spaces and tabs, which do not end a line any more. Every line keeps its number. */
void pt_csv_blank_out(char *bytes, size_t size, const char *comment, bool spaces);

/* ---- the head (csv_head.c) ------------------------------------------------------------------- */

/* The head of a CSV file: what its first lines tell of separator, header and columns. */

enum { PT_CSV_COLUMNS = 1 << 22 }; /* wider files are refused: they are not tables */

/* What the first rows show of a column. */
typedef struct pt_csv_guess {
    int64_t numbers;
    int64_t points;        /* of the numbers: with a decimal point, surely */
    int64_t either_points; /* 1.234, which may be a thousand */
    int64_t zeros;         /* 007: a code, perhaps */
    int64_t small;         /* from 0 to the number of columns */
    double largest;        /* of their sizes */
    int64_t texts;
    int64_t joined;         /* of the texts: a;b, a set perhaps */
    pt_column_tally *tally; /* of the texts; NULL: there are none */
} pt_csv_guess;

/* Zero-initialise; free it always. */
typedef struct pt_csv_head {
    pt_csv_dialect dialect;
    pt_texts first;          /* cells of the first line */
    pt_csv_guess *first_row; /* of the first line alone */
    pt_csv_guess *rows;      /* of the lines behind it, at most HEAD_ROWS */
    int64_t n_columns;
    size_t first_end; /* offset behind the first line */
    size_t data;      /* offset of the rows: behind header and units, where there are such */
    int unit_rows;    /* between header and rows */
    pt_intern ids;    /* cells of the first column behind the first line, as long as these differ */
    bool ids_differ;  /* ... and none is missing or a fraction */
    bool words_only;  /* no cell of the first line is a number or says "missing" */
    int64_t repeats;  /* lines equal to it among those looked at, which are not in `rows` */
    bool header;
    bool row_names; /* the first column has no name and names the rows */
    int64_t tail;   /* columns from here on have neither a name nor a cell that is not empty; 0: all
                       have */
} pt_csv_head;

/* A text whose head is read: `text` is what is to be read, which may be a copy. */
typedef struct pt_csv_text {
    pt_lines text;
    pt_csv_head head;
    char *copy;
} pt_csv_text;

/* usual: the separator of the format. Zero-initialise; close it always. */
pt_status pt_csv_open(pt_csv_text *csv, const char *bytes, size_t size, char usual,
                      const pt_read_options *options, pt_warnings *warnings, pt_error *err);
void pt_csv_close(pt_csv_text *csv);

/* The tally of a column in the head, its numbers added. */
pt_column_tally pt_csv_guess_tally(const pt_csv_guess *guess);

/* ---- the passes (format_csv.c) --------------------------------------------------------------- */

/* A CSV file while it is read: what the passes (format_csv.c) and the judgement of its columns
 * (csv_judge.c) share. */

/* What a worker saw in a column of numbers; offsets are INT64_MAX for never. */
typedef struct pt_csv_seen {
    int64_t texts;
    int64_t missing; /* gaps included */
    int64_t gaps;    /* words that stand for nothing among numbers */
    int64_t zeros;   /* 007: a code, perhaps */
    int64_t dressed; /* numbers with a percent sign or a unit behind them */
    int64_t first_text;
    int64_t first_other; /* a number of the other decimal sign, where texts are no error */
    int64_t first_missing;
    int64_t first_not_finite;
} pt_csv_seen;

/* How a column is read. */
typedef struct pt_csv_how {
    pt_judged as;          /* kind, style, order, parts */
    bool fixed;            /* by the model or in a stream: cells that do not fit are errors */
    pt_column_kind wanted; /* by --types; PT_N_COLUMN_KINDS: nothing is said */
    int wanted_order;      /* by --types, -1: nothing is said */
    bool told;             /* a warning says what is in it, and what becomes of it */
    int64_t line;          /* of the first text that is no number, 0: not known */
    bool many_levels;      /* nominal, and a level has hardly any rows */
    bool too_long;         /* a number, and has more digits than a machine's numbers */
    bool numbers_rows;     /* a number, and seems to number the few rows that there are */
    bool names_things;     /* a number, and its name says that it names what rows are about */
    int64_t misfits;       /* fixed: cells that cannot be read so, where that is no error */
    int64_t first_misfit;  /* offset of the first of them */
    int64_t zeros;         /* cells such as 007, some of them twice */
    int64_t gaps;          /* cells whose words stand for nothing among numbers */
} pt_csv_how;

/* What a worker met on its way. */
typedef struct pt_csv_odd {
    uint64_t na_seen; /* words of --na, as in pt_na_note() */
    int64_t blank;    /* rows to predict without any cell, */
    int64_t totals;   /*   and with totals */
} pt_csv_odd;

typedef struct pt_csv_work {
    pt_table table;
    const pt_csv_head *head;
    const pt_roles *roles;
    const pt_texts *names; /* of all columns, or NULL */
    const char *na;        /* words for missing cells: --na, or those of the model */
    char separator;
    char weight_decimal;  /* the decimal sign of --weight */
    const char *repeated; /* the header, which concatenated files repeat; "\n": none */
    size_t repeated_length;
    bool drops;             /* some rows are left out */
    bool judging;           /* columns are judged, none of which a model knows */
    bool check_marks;       /* there are several label columns to be read */
    pt_csv_how *how;        /* per column of the file */
    pt_csv_seen *seen;      /* n_workers x n_columns */
    pt_csv_seen *before;    /* the same before a row that may be left out; NULL: none may */
    pt_csv_buffer *buffers; /* n_workers */
    pt_csv_odd *odd_found;  /* n_workers; of all: */
    pt_csv_odd odd_rows;
    double *scratch;    /* n_workers x d, where the stride is 0 */
    pt_table_texts odd; /* texts in columns of numbers */
} pt_csv_work;

/* Before the first pass: how each column is read, by the model, by --types or by the head. */
pt_status pt_csv_plan(pt_csv_work *work, pt_error *err);

/* Behind a pass: which columns must be read once more as texts, before all is known of them; their
 * kind is then PT_CELL_TEXT, that of all others PT_CELL_SKIP. *again: how many. first: it was the
 * first pass. Columns that are settled have their values, and warnings say what was decided. */
pt_status pt_csv_judge(pt_csv_work *work, pt_dataset *data, bool first, int64_t *again,
                       pt_error *err);

/* At the end: columns that are left out go, dates become their parts, rows that are dropped go;
 * data->judged lists what was decided. */
pt_status pt_csv_settle(pt_csv_work *work, pt_dataset *data, pt_error *err);

/* "'name'", or the number of a column without one. */
const char *pt_csv_column_title(const pt_csv_work *work, int64_t column, char title[PT_CELL_SHOWN]);

/* The cell at an offset of the file, for a message. */
const char *pt_csv_show_cell(const pt_csv_work *work, int64_t offset, char shown[PT_CELL_SHOWN]);

/* The name as an option takes it, or the number where the name has signs that mean something. */
const char *pt_csv_option_name(const pt_csv_work *work, int64_t column, char name[PT_CELL_SHOWN]);

/* ---- cells that are kept (csv_keep.c) -------------------------------------------------------- */

/* The cells of the rows that were read, in their columns, which are looked for the first time. */
pt_status pt_csv_keep(struct pt_kept *kept, const pt_csv_text *csv, const pt_places *places,
                      const pt_read_options *options, pt_error *err);

/* ---- writing (csv_write.c) ------------------------------------------------------------------- */

/* Writing of data sets as CSV or TSV. */

/* `continues` leaves out the names of the columns. */
/* A text as a cell, quoted where it must be. */
pt_status pt_csv_put(pt_writer *writer, const char *text, char separator, pt_error *err);
pt_status pt_csv_write(const pt_dataset *data, char separator, bool continues, pt_writer *writer,
                       pt_error *err);

#endif
