/* Blocks of whole lines. A block is as large as stays in a processor's own cache together with what
 * is read from it, once for each thread; a line that is longer makes it grow. */
#include "data/stream/text_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "data/read/lines.h"

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
    pt_expander_free(stream->expander);
    pt_free(stream->packed);
    pt_free(stream->block);
    memset(stream, 0, sizeof *stream);
}

static pt_status make_room(pt_text_stream *stream, pt_error *err)
{
    enum { FRONT = 8 }; /* what is kept is at most this part of a block */
    const size_t there = stream->front + stream->used;
    if (there + 1 < stream->room && FRONT * stream->front <= stream->room)
        return PT_OK;
    const int threads = pt_task_threads(stream->task);
    const size_t first = (stream->least ? stream->least : BLOCK) *
                         (size_t)(threads < MOST_BLOCKS ? threads : MOST_BLOCKS);
    size_t more = stream->room ? 2 * stream->room : first;
    while (more < FRONT * stream->front)
        more *= 2;
    if (stream->room && (int64_t)more > pt_task_memory(stream->task))
        return pt_fail_at(err, PT_EMEMORY, stream->name, stream->lines + 1, 0,
                          "the line does not fit the memory that may be used; raise `memory`");
    PT_TRY(pt_alloc_grow((void **)&stream->block, (int64_t)there, (int64_t)more, 1,
                         "a block of a stream", err));
    stream->room = more;
    return PT_OK;
}

/* Some bytes of the file; none at its end. */
static pt_status read_some(pt_text_stream *stream, char *to, size_t room, size_t *got,
                           pt_error *err)
{
    ssize_t count;
    do
        count = read(stream->file, to, room);
    while (count < 0 && errno == EINTR);
    *got = count > 0 ? (size_t)count : 0;
    return count >= 0
               ? PT_OK
               : pt_fail_at(err, PT_EIO, stream->name, 0, 0, "cannot read: %s", strerror(errno));
}

/* Some bytes of the text; none at its end. */
static pt_status expand_some(pt_text_stream *stream, char *to, size_t room, size_t *got,
                             pt_error *err)
{
    pt_status status = PT_OK;
    for (*got = 0; status == PT_OK && *got == 0;) {
        const char *next = stream->packed + stream->packed_begin;
        const char *end = stream->packed + stream->packed_end;
        status =
            pt_expander_run(stream->expander, &next, end, stream->packed_ended, to, room, got, err);
        stream->packed_begin = (size_t)(next - stream->packed);
        if (status != PT_OK || *got > 0 || stream->packed_ended)
            break;
        const size_t left = stream->packed_end - stream->packed_begin;
        size_t more = 0;
        memmove(stream->packed, stream->packed + stream->packed_begin, left);
        stream->packed_begin = 0;
        status = read_some(stream, stream->packed + left, stream->packed_room - left, &more, err);
        stream->packed_end = left + more;
        stream->packed_ended = more == 0;
    }
    return status;
}

static pt_status fill_block(pt_text_stream *stream, pt_error *err)
{
    PT_TRY(make_room(stream, err));
    while (!stream->ended && stream->front + stream->used + 1 < stream->room) {
        char *to = stream->block + stream->front + stream->used;
        const size_t room = stream->room - 1 - stream->front - stream->used;
        size_t got = 0;
        PT_TRY(stream->expander ? expand_some(stream, to, room, &got, err)
                                : read_some(stream, to, room, &got, err));
        stream->ended = got == 0;
        stream->used += got;
    }
    return PT_OK;
}

/* The first block was read as it is. If it is compressed, it is what the text comes from. */
static pt_status look(pt_text_stream *stream, pt_error *err)
{
    stream->looked = true;
    pt_status status =
        pt_expander_new(&stream->expander, stream->block, stream->used, stream->name, err);
    if (status != PT_OK || !stream->expander)
        return status;
    stream->packed = stream->block;
    stream->packed_room = stream->room;
    stream->packed_end = stream->used;
    stream->packed_ended = stream->ended;
    stream->block = NULL;
    stream->room = 0;
    stream->used = 0;
    stream->ended = false;
    return fill_block(stream, err);
}

/* As much as there is room for, but a place for the newline that the last line may lack. */
static pt_status fill(pt_text_stream *stream, pt_error *err)
{
    PT_TRY(fill_block(stream, err));
    if (!stream->looked)
        PT_TRY(look(stream, err));
    char *text = stream->block + stream->front;
    if (stream->ended && stream->used > 0 && text[stream->used - 1] != '\n') {
        text[stream->used++] = '\n';
        stream->ends_without = true;
    }
    return PT_OK;
}

/* Where the last whole line ends: behind the last newline that is outside quotes. The block begins
 * outside of them. */
static size_t whole_lines(const pt_text_stream *stream)
{
    const char *text = stream->block + stream->front;
    const char quote = stream->quote;
    bool inside = quote && pt_count_byte(text, stream->used, quote) % 2 != 0;
    if (inside && stream->ended)
        return stream->used; /* an open quote: the reader will say so */
    for (size_t whole = stream->used; whole > 0; whole--) {
        if (text[whole - 1] == '\n' && !inside)
            return whole;
        if (quote && text[whole - 1] == quote)
            inside = !inside;
    }
    return 0;
}

pt_status pt_text_stream_peek(pt_text_stream *stream, const char **begin, const char **end,
                              pt_error *err)
{
    const pt_status status = fill(stream, err);
    stream->peeked = status == PT_OK;
    *begin = stream->block;
    *end = status == PT_OK ? stream->block + stream->used : stream->block;
    return status;
}

pt_status pt_text_stream_all(pt_text_stream *stream, char **bytes, size_t *size, pt_error *err)
{
    while (!stream->ended)
        PT_TRY(fill(stream, err));
    *bytes = stream->block;
    *size = stream->used - (stream->ends_without ? 1 : 0);
    stream->block = NULL;
    stream->room = 0;
    stream->used = 0;
    return PT_OK;
}

double pt_text_stream_share(const pt_text_stream *stream)
{
    struct stat about;
    const off_t at = lseek(stream->file, 0, SEEK_CUR);
    if (at <= 0 || fstat(stream->file, &about) != 0 || about.st_size < at)
        return 0;
    return (double)at / (double)about.st_size;
}

void pt_text_stream_keep(pt_text_stream *stream, size_t size)
{
    stream->kept = size < stream->whole ? size : stream->whole;
}

/* Behind the block that was given out. */
static void move_on(pt_text_stream *stream)
{
    if (stream->whole == 0)
        return;
    const char *given = stream->block + stream->front;
    const size_t front = stream->kept > 0 ? stream->kept : stream->front;
    stream->lines += pt_count_byte(given, stream->whole, '\n');
    memmove(stream->block + front, given + stream->whole, stream->used - stream->whole);
    stream->used -= stream->whole;
    stream->whole = 0;
    stream->front = front;
    stream->kept = 0;
}

pt_status pt_text_stream_next(pt_text_stream *stream, const char **begin, const char **end,
                              pt_error *err)
{
    move_on(stream);
    pt_status status = stream->peeked ? PT_OK : fill(stream, err);
    stream->peeked = false;
    while (status == PT_OK) {
        stream->whole = whole_lines(stream);
        if (stream->whole > 0 || stream->ended)
            break;
        status = fill(stream, err);
    }
    *begin = stream->block;
    *end = status == PT_OK ? stream->block + stream->front + stream->whole : stream->block;
    return status;
}
