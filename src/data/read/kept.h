/* Cells of a table as they stand in its file, for those who want to write them again: beside
 * predictions, say. They come with the rows of each block of a stream, and go with the parts. */
#ifndef PT_DATA_READ_KEPT_H
#define PT_DATA_READ_KEPT_H

#include "base/text.h"

/* Zero-initialise with `wanted`; free it always. */
typedef struct pt_kept {
    const char *wanted; /* names, numbers from 1 or patterns, separated by commas; "all" */
    bool found;         /* the columns are known: */
    int64_t count;
    int64_t *column; /* from 0, in the order that they were asked for */
    pt_texts names;  /* of each; their numbers where the file has no names */
    int64_t n;       /* rows that wait */
    char *text;      /* their cells, each with a 0 behind it */
    int64_t used;
    int64_t room;
    int64_t *start; /* of n x count cells, in `text` */
    int64_t start_room;
} pt_kept;

/* A cell of the row that comes behind the n that are there, column after column. */
pt_status pt_kept_add(pt_kept *kept, int64_t column, const char *text, size_t length,
                      pt_error *err);
const char *pt_kept_cell(const pt_kept *kept, int64_t row, int64_t column);
/* Takes away the first m rows. */
void pt_kept_drop(pt_kept *kept, int64_t m);
void pt_kept_free(pt_kept *kept);

#endif
