/* Rows that are read once, block by block, from LIBSVM text or from a table (CSV, TSV): a file or a
 * pipe. Memory: a block. */
#ifndef PT_DATA_STREAM_ROW_STREAM_H
#define PT_DATA_STREAM_ROW_STREAM_H

#include "data/read/reader.h"
#include "data/rows.h"
#include "data/stream/text_stream.h"

/* Zero-initialise; close it always. */
typedef struct pt_row_stream {
    pt_text_stream text;
    pt_read_room room;
    pt_read_options options;
    const char *asked;       /* the format's name, or "auto" */
    const pt_format *format; /* NULL: nothing was read yet */
    bool head_known;         /* of a table: */
    char separator[2];       /* as a text */
    int64_t header_lines;    /* lines up to the one that names its columns; 0: none does */
    size_t header_end;       /* behind them, in the first block */
    int64_t rows_before;     /* in the blocks before the one that the last call gave out */
    pt_dataset *data;        /* the block that the last call gave out */
} pt_row_stream;

/* `path` and `params` are borrowed; "-" is standard input. */
pt_status pt_row_stream_open(pt_row_stream *stream, const char *path, const pt_params *params,
                             const pt_task *task, pt_error *err);

/* The same for rows that a reader with these options makes, texts and missing cells included; what
 * they point to is borrowed. `block`: bytes of text to be read at a time, for each thread. */
pt_status pt_row_stream_open_with(pt_row_stream *stream, const char *path, const char *format,
                                  const pt_read_options *options, size_t block, pt_error *err);
/* Looks at the first bytes: stream->format. *text: it is one that is read in blocks; *size: 0 where
 * there is nothing at all. */
pt_status pt_row_stream_begin(pt_row_stream *stream, bool *text, size_t *size, pt_error *err);

/* The next rows, without the first *skip of the stream: those of *data from *first on. *skip is
 * what is left to skip. *data is NULL at the end. It stays until the next call. Every block of a
 * table has the same columns. Errors name the line of the stream. */
pt_status pt_row_stream_next(pt_row_stream *stream, int64_t *skip, const pt_dataset **data,
                             int64_t *first, pt_error *err);
void pt_row_stream_close(pt_row_stream *stream);

/* Rows that come in parts of any size and leave, from the first on, in parts of another. */

/* Zero-initialise; free it always. rows is what lies there. */
typedef struct pt_row_pile {
    pt_rows rows;
    char *value; /* of dense rows all cells, of sparse ones those that are stored */
    int64_t value_room;
    int64_t *start;
    int64_t start_room;
    int64_t *index;
    int64_t index_room;
} pt_row_pile;

/* Puts a copy of rows, all of them of one width and type, behind those that are there. */
pt_status pt_row_pile_add(pt_row_pile *pile, const pt_rows *rows, pt_error *err);
/* Takes away the first m. */
void pt_row_pile_drop(pt_row_pile *pile, int64_t m);
void pt_row_pile_free(pt_row_pile *pile);

#endif
