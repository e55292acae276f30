/* Writing data files: a buffered writer over a sink, and sinks that compress. */
#ifndef PT_DATA_READ_WRITE_H
#define PT_DATA_READ_WRITE_H

#include "data/read/reader.h"

/* Gathers small pieces and hands large ones to a sink. */
typedef struct pt_writer {
    pt_sink_fn sink;
    void *context;
    const pt_task *task; /* is asked with every piece that is handed on */
    char *buffer;
    size_t used;
} pt_writer;

pt_status pt_writer_init(pt_writer *writer, pt_sink_fn sink, void *context, const pt_task *task,
                         pt_error *err);
pt_status pt_writer_put(pt_writer *writer, const char *text, size_t length, pt_error *err);
/* The shortest text that reads as the same bits. */
pt_status pt_writer_number(pt_writer *writer, double value, pt_error *err);
pt_status pt_writer_flush(pt_writer *writer, pt_error *err);
void pt_writer_free(pt_writer *writer);

/* Writes all of `what` to a sink. */
typedef pt_status (*pt_fill_fn)(const void *what, pt_sink_fn sink, void *context, pt_error *err);
/* To a file, which appears whole or not at all, or standard output for "-"; gzip or zstd by the
 * ending of the name. */
pt_status pt_write_with(const char *path, pt_fill_fn fill, const void *what, pt_error *err);

/* The same for two files, which appear both or not at all: only when both are safe on the disk do
 * they get their names, one right after the other. No "-". */
pt_status pt_write_pair(const char *const path[2], pt_fill_fn fill, const void *const what[2],
                        pt_error *err);

/* All of a data set, and nothing else, to a sink. */
pt_status pt_format_write(const pt_format *format, const pt_dataset *data, pt_sink_fn sink,
                          void *context, const pt_task *task, pt_error *err);

#endif
