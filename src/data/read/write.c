/* Writing: pieces gather in a buffer, the buffer goes to a compressor or straight to the file. The
 * file appears under its name only when it is whole (base/file.h). */
#include "data/read/write.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "data/read/number.h"
#include "data/read/reader.h"

enum { BUFFER = 1 << 16 };

pt_status pt_writer_init(pt_writer *writer, pt_sink_fn sink, void *context, const pt_task *task,
                         pt_error *err)
{
    *writer = (pt_writer){sink, context, task, NULL, 0};
    writer->buffer = pt_alloc(BUFFER, 1, "a buffer for writing", err);
    return writer->buffer ? PT_OK : PT_ENOMEM;
}

pt_status pt_writer_flush(pt_writer *writer, pt_error *err)
{
    const size_t used = writer->used;
    writer->used = 0;
    PT_TRY(pt_task_check(writer->task, err));
    return used ? writer->sink(writer->context, writer->buffer, used, err) : PT_OK;
}

pt_status pt_writer_put(pt_writer *writer, const char *text, size_t length, pt_error *err)
{
    while (length > 0) {
        if (writer->used == BUFFER)
            PT_TRY(pt_writer_flush(writer, err));
        const size_t room = BUFFER - writer->used;
        const size_t part = length < room ? length : room;
        memcpy(writer->buffer + writer->used, text, part);
        writer->used += part;
        text += part;
        length -= part;
    }
    return PT_OK;
}

pt_status pt_writer_number(pt_writer *writer, double value, pt_error *err)
{
    char text[PT_NUMBER_ROOM];
    const int length = pt_number_format(value, text);
    return pt_writer_put(writer, text, (size_t)length, err);
}

void pt_writer_free(pt_writer *writer)
{
    pt_free(writer->buffer);
    writer->buffer = NULL;
}

/* ---- sinks ----------------------------------------------------------------------------------- */

/* The file: one of them is set. */
typedef struct file_sink {
    const char *path;
    pt_outfile *file; /* NULL: standard output */
} file_sink;

static pt_status sink_file(void *context, const char *bytes, size_t size, pt_error *err)
{
    file_sink *sink = context;
    if (sink->file)
        return pt_outfile_write(sink->file, bytes, size, err);
    while (size > 0) {
        const ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (written < 0 && errno != EINTR)
            return pt_fail_at(err, PT_EIO, sink->path, 0, 0, "cannot write to standard output: %s",
                              strerror(errno));
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return PT_OK;
}

typedef struct packed_sink {
    file_sink *file;
    char *buffer;
    z_stream gzip;
    ZSTD_CCtx *zstd;
} packed_sink;

static pt_status gzip_put(packed_sink *sink, const char *bytes, size_t size, int flush,
                          pt_error *err)
{
    sink->gzip.next_in = (unsigned char *)(uintptr_t)bytes; /* zlib does not write there */
    sink->gzip.avail_in = (unsigned)size;                   /* at most BUFFER */
    do {
        sink->gzip.next_out = (unsigned char *)sink->buffer;
        sink->gzip.avail_out = BUFFER;
        if (deflate(&sink->gzip, flush) == Z_STREAM_ERROR)
            return pt_fail(err, PT_EIO, "gzip: the stream is in disorder");
        PT_TRY(sink_file(sink->file, sink->buffer, BUFFER - sink->gzip.avail_out, err));
    } while (sink->gzip.avail_out == 0);
    return PT_OK;
}

static pt_status sink_gzip(void *context, const char *bytes, size_t size, pt_error *err)
{
    return gzip_put(context, bytes, size, Z_NO_FLUSH, err);
}

static pt_status zstd_put(packed_sink *sink, const char *bytes, size_t size, ZSTD_EndDirective end,
                          pt_error *err)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    for (;;) {
        ZSTD_outBuffer out = {sink->buffer, BUFFER, 0};
        const size_t left = ZSTD_compressStream2(sink->zstd, &out, &in, end);
        if (ZSTD_isError(left))
            return pt_fail(err, PT_EIO, "zstd: %s", ZSTD_getErrorName(left));
        PT_TRY(sink_file(sink->file, sink->buffer, out.pos, err));
        if (end == ZSTD_e_end ? left == 0 : in.pos == in.size)
            return PT_OK;
    }
}

static pt_status sink_zstd(void *context, const char *bytes, size_t size, pt_error *err)
{
    return zstd_put(context, bytes, size, ZSTD_e_continue, err);
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name);
    const size_t own = strlen(ending);
    return length > own && strcmp(name + length - own, ending) == 0;
}

static pt_status write_gzip(pt_fill_fn fill, const void *what, packed_sink *sink, pt_error *err)
{
    if (deflateInit2(&sink->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return pt_fail_memory(err, "the compression of a file", BUFFER);
    pt_status status = fill(what, sink_gzip, sink, err);
    if (status == PT_OK)
        status = gzip_put(sink, "", 0, Z_FINISH, err);
    deflateEnd(&sink->gzip);
    return status;
}

static pt_status write_zstd(pt_fill_fn fill, const void *what, packed_sink *sink, pt_error *err)
{
    sink->zstd = ZSTD_createCCtx();
    if (!sink->zstd)
        return pt_fail_memory(err, "the compression of a file", BUFFER);
    (void)ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_checksumFlag, 1); /* this one cannot fail */
    pt_status status = fill(what, sink_zstd, sink, err);
    if (status == PT_OK)
        status = zstd_put(sink, "", 0, ZSTD_e_end, err);
    ZSTD_freeCCtx(sink->zstd);
    return status;
}

static pt_status write_packed(pt_fill_fn fill, const void *what, const char *path, file_sink *file,
                              pt_error *err)
{
    const bool gzip = ends_with(path, ".gz");
    if (!gzip && !ends_with(path, ".zst"))
        return fill(what, sink_file, file, err);
    packed_sink sink;
    memset(&sink, 0, sizeof sink);
    sink.file = file;
    sink.buffer = pt_alloc(BUFFER, 1, "a buffer for writing", err);
    if (!sink.buffer)
        return PT_ENOMEM;
    pt_status status =
        gzip ? write_gzip(fill, what, &sink, err) : write_zstd(fill, what, &sink, err);
    pt_free(sink.buffer);
    return status;
}

pt_status pt_write_with(const char *path, pt_fill_fn fill, const void *what, pt_error *err)
{
    file_sink file = {path, NULL};
    pt_status status = PT_OK;
    if (strcmp(path, "-") != 0) {
        status = pt_outfile_open(&file.file, path, err);
        if (status != PT_OK)
            return status;
    }
    status = write_packed(fill, what, path, &file, err);
    if (!file.file)
        return status;
    if (status == PT_OK)
        return pt_outfile_commit(file.file, err);
    pt_outfile_abandon(file.file);
    return status;
}

pt_status pt_format_write(const pt_format *format, const pt_dataset *data, pt_sink_fn sink,
                          void *context, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_writer_free) pt_writer writer = {0};
    PT_TRY(pt_writer_init(&writer, sink, context, task, err));
    PT_TRY(format->write(data, false, &writer, err));
    return pt_writer_flush(&writer, err);
}

pt_status pt_write_pair(const char *const path[2], pt_fill_fn fill, const void *const what[2],
                        pt_error *err)
{
    file_sink file[2] = {{path[0], NULL}, {path[1], NULL}};
    pt_status status = PT_OK;
    for (int f = 0; f < 2 && status == PT_OK; f++)
        status = pt_outfile_open(&file[f].file, path[f], err);
    for (int f = 0; f < 2 && status == PT_OK; f++)
        status = write_packed(fill, what[f], path[f], &file[f], err);
    for (int f = 0; f < 2 && status == PT_OK; f++)
        status = pt_outfile_settle(file[f].file, err);
    if (status == PT_OK) {
        const bool replaces = access(path[0], F_OK) == 0;
        status = pt_outfile_commit(file[0].file, err);
        file[0].file = NULL;
        if (status == PT_OK) {
            status = pt_outfile_commit(file[1].file, err);
            file[1].file = NULL;
            if (status != PT_OK && !replaces)
                (void)unlink(path[0]);
        }
    }
    for (int f = 0; f < 2; f++)
        pt_outfile_abandon(file[f].file);
    return status;
}

/* A data set and the format it goes into. */
typedef struct formatted {
    const pt_dataset *data;
    const pt_format *format;
    const pt_task *task;
} formatted;

static pt_status fill_formatted(const void *what, pt_sink_fn sink, void *context, pt_error *err)
{
    const formatted *f = what;
    return pt_format_write(f->format, f->data, sink, context, f->task, err);
}

pt_status pt_write_path(const pt_dataset *data, const char *path, const char *format,
                        const pt_task *task, pt_error *err)
{
    formatted f = {data, NULL, task};
    PT_TRY(pt_write_format(path, format, &f.format, err));
    return pt_write_with(path, fill_formatted, &f, err);
}
