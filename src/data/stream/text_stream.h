/* A text that is read once, in blocks of whole lines, from a file or a pipe, plain or compressed.
 * Memory: a block. */
#ifndef PT_DATA_STREAM_TEXT_STREAM_H
#define PT_DATA_STREAM_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/task.h"
#include "data/read/source.h"

/* Zero-initialise; close it always. */
typedef struct pt_text_stream {
    const char *name; /* for errors: borrowed, or "standard input" */
    int file;
    bool open;
    bool ended;
    char quote;  /* a byte that opens and closes stretches in which newlines end no line; 0: none */
    bool peeked; /* the first bytes were shown, and not given out */
    size_t least; /* bytes of a block for each thread; 0: what stays in a processor's cache */
    char *block;
    size_t room;
    size_t kept;           /* bytes of the next block's front */
    size_t front;          /* bytes in front of the block that are kept */
    size_t whole;          /* what the last call gave out behind them */
    size_t used;           /* what there is behind them */
    int64_t lines;         /* before the block that the last call gave out */
    bool looked;           /* whether it is compressed: */
    pt_expander *expander; /* NULL: it is not */
    char *packed;          /* compressed bytes, */
    size_t packed_room;
    size_t packed_begin; /* of which these were not expanded yet */
    size_t packed_end;
    bool packed_ended; /* and no more will come */
    bool ends_without; /* a newline: it was added */
    const pt_task *task;
} pt_text_stream;

/* "-" is standard input. */
pt_status pt_text_stream_open(pt_text_stream *stream, const char *path, const pt_task *task,
                              pt_error *err);
/* The first bytes, before anything is given out. */
pt_status pt_text_stream_peek(pt_text_stream *stream, const char **begin, const char **end,
                              pt_error *err);
/* From the first block, which was given out: its first bytes stand in front of the others too. */
void pt_text_stream_keep(pt_text_stream *stream, size_t size);
/* The next lines, the last of them with a newline even where the text lacks it; *begin == *end,
 * apart from what is kept: there are no more. They stay until the next call. */
pt_status pt_text_stream_next(pt_text_stream *stream, const char **begin, const char **end,
                              pt_error *err);
/* All bytes as they are, behind a peek and before anything is given out; to be freed with pt_free.
 * PT_EMEMORY where they do not fit the task's memory. */
pt_status pt_text_stream_all(pt_text_stream *stream, char **bytes, size_t *size, pt_error *err);
/* How much of a file was read, of 1; 0: unknown. */
double pt_text_stream_share(const pt_text_stream *stream);
void pt_text_stream_close(pt_text_stream *stream);

#endif
