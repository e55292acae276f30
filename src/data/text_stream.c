/* Blocks of whole lines. A block is as large as stays in a processor's own cache together with what
 * is read from it, once for each thread; a line that is longer makes it grow. */
#include "data/text_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "data/lines.h"

static const size_t BLOCK = (size_t)1 << 18;
enum { MOST_BLOCKS = 16 };

pt_status pt_text_stream_open(pt_text_stream *stream, const char *path, const pt_task *task,
                              pt_error *err)
{
    const bool standard = strcmp(path, "-") == 0;
    stream->name = standard ? "standard input" : path;
    stream->task = task;
    stream->file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (stream->file < 0)
        return pt_fail_at(err, PT_EIO, path, 0, 0, "cannot open it: %s", strerror(errno));
    stream->open = !standard;
    return PT_OK;
}

void pt_text_stream_close(pt_text_stream *stream)
{
    if (stream->open)
        close(stream->file);
    pt_free(stream->block);
    memset(stream, 0, sizeof *stream);
}

static pt_status make_room(pt_text_stream *stream, pt_error *err)
{
    if (stream->used + 1 < stream->room)
        return PT_OK;
    const int threads = pt_task_threads(stream->task);
    const size_t first = BLOCK * (size_t)(threads < MOST_BLOCKS ? threads : MOST_BLOCKS);
    const int64_t more = stream->room ? (int64_t)(2 * stream->room) : (int64_t)first;
    if (stream->room && more > pt_task_memory(stream->task))
        return pt_fail_at(err, PT_ELIMIT, stream->name, stream->lines + 1, 0,
                          "the line does not fit the memory that may be used; raise --memory");
    const pt_status status = pt_alloc_grow((void **)&stream->block, (int64_t)stream->used, more, 1,
                                           "a block of a stream", err);
    if (status == PT_OK)
        stream->room = (size_t)more;
    return status;
}

/* As much as there is room for, but a place for the newline that the last line may lack. */
static pt_status fill(pt_text_stream *stream, pt_error *err)
{
    while (!stream->ended && stream->used + 1 < stream->room) {
        const ssize_t got =
            read(stream->file, stream->block + stream->used, stream->room - 1 - stream->used);
        if (got < 0 && errno != EINTR)
            return pt_fail_at(err, PT_EIO, stream->name, 0, 0, "cannot read: %s", strerror(errno));
        stream->ended = got == 0;
        stream->used += got > 0 ? (size_t)got : 0;
    }
    return PT_OK;
}

/* Where the last whole line ends. */
static size_t whole_lines(const pt_text_stream *stream)
{
    size_t whole = stream->used;
    while (whole > 0 && stream->block[whole - 1] != '\n')
        whole--;
    return whole;
}

pt_status pt_text_stream_next(pt_text_stream *stream, const char **begin, const char **end,
                              pt_error *err)
{
    pt_status status = PT_OK;
    if (stream->whole > 0) {
        stream->lines += pt_count_byte(stream->block, stream->whole, '\n');
        memmove(stream->block, stream->block + stream->whole, stream->used - stream->whole);
        stream->used -= stream->whole;
        stream->whole = 0;
    }
    do {
        status = make_room(stream, err);
        if (status == PT_OK)
            status = fill(stream, err);
        if (status != PT_OK)
            return status;
        if (stream->ended && stream->used > 0 && stream->block[stream->used - 1] != '\n')
            stream->block[stream->used++] = '\n';
        stream->whole = whole_lines(stream);
    } while (stream->whole == 0 && !stream->ended);
    *begin = stream->block;
    *end = stream->block + stream->whole;
    return PT_OK;
}
