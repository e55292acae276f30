/* A text that is read once, in blocks of whole lines, from a file or a pipe. Memory: a block. */
#ifndef PT_DATA_TEXT_STREAM_H
#define PT_DATA_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/task.h"

/* Zero-initialise; close it always. */
typedef struct pt_text_stream {
    const char *name; /* for errors: borrowed, or "standard input" */
    int file;
    bool open;
    bool ended;
    char *block;
    size_t room;
    size_t whole; /* what the last call gave out */
    size_t used;
    int64_t lines; /* before the block that the last call gave out */
    const pt_task *task;
} pt_text_stream;

/* "-" is standard input. */
pt_status pt_text_stream_open(pt_text_stream *stream, const char *path, const pt_task *task,
                              pt_error *err);
/* The next lines, the last of them with a newline even where the text lacks it; *begin == *end:
 * there are no more. They stay until the next call. */
pt_status pt_text_stream_next(pt_text_stream *stream, const char **begin, const char **end,
                              pt_error *err);
void pt_text_stream_close(pt_text_stream *stream);

#endif
