/* The head of a CSV file: what its first lines tell of separator, header and columns. */
#ifndef PT_DATA_CSV_HEAD_H
#define PT_DATA_CSV_HEAD_H

#include "base/text.h"
#include "data/intern.h"
#include "data/lines.h"
#include "data/reader.h"

enum { PT_CSV_COLUMNS = 1 << 22 }; /* wider files are refused: they are not tables */

/* What the first rows show of a column. */
typedef struct pt_csv_guess {
    int64_t numbers;
    int64_t texts;
    int64_t commas;    /* of the texts: numbers with a decimal comma */
    const char *comma; /* the first of them */
} pt_csv_guess;

/* Zero-initialise; free it always. */
typedef struct pt_csv_head {
    char separator;
    pt_texts first;          /* cells of the first line */
    pt_csv_guess *first_row; /* of the first line alone */
    pt_csv_guess *rows;      /* of the lines behind it, at most HEAD_ROWS */
    int64_t n_columns;
    size_t first_end; /* offset behind the first line */
    pt_intern ids;    /* cells of the first column behind the first line, as long as these differ */
    bool ids_differ;  /* ... and none is missing or a fraction */
    bool header;
    bool row_names; /* the first column has no name and names the rows */
} pt_csv_head;

pt_status pt_csv_head_read(pt_csv_head *head, const pt_lines *text, size_t begin, char separator,
                           const pt_read_options *options, pt_texts *warnings, pt_error *err);
void pt_csv_head_free(pt_csv_head *head);

#endif
