/* The head of a CSV file: what its first lines tell of separator, header and columns. */
#ifndef PT_DATA_READ_CSV_HEAD_H
#define PT_DATA_READ_CSV_HEAD_H

#include "base/text.h"
#include "data/judge/column_tally.h"
#include "data/read/csv_dialect.h"
#include "data/read/intern.h"
#include "data/read/lines.h"
#include "data/read/reader.h"

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
                      const pt_read_options *options, pt_texts *warnings, pt_error *err);
void pt_csv_close(pt_csv_text *csv);

/* The tally of a column in the head, its numbers added. */
pt_column_tally pt_csv_guess_tally(const pt_csv_guess *guess);

#endif
