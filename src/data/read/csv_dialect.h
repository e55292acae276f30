/* The dialect of a CSV file: what separates its cells, and where its table begins. */
#ifndef PT_DATA_READ_CSV_DIALECT_H
#define PT_DATA_READ_CSV_DIALECT_H

#include "base/text.h"
#include "data/read/lines.h"
#include "data/read/reader.h"

typedef struct pt_csv_dialect {
    char separator;
    size_t begin;    /* offset of the first line of the table */
    bool rows_named; /* as R's write.table writes: the header lacks a cell for the names of rows */
    bool rows_open; /* the rows end with a separator, the header does not: it lacks the last cell */
} pt_csv_dialect;

/* usual: the separator of the format. Warnings say what was skipped and what was guessed. */
pt_status pt_csv_dialect_find(pt_csv_dialect *dialect, const pt_lines *text, size_t begin,
                              char usual, const pt_read_options *options, pt_texts *warnings,
                              pt_error *err);

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

#endif
