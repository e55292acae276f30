/* Byte sources. Plain files are mapped; pipes are read into a block that doubles; gzip and zstd
 * expand into a block that doubles, never beyond the memory that the task allows. Doubling keeps
 * both the copying and a hostile stream's allocation proportional to what it really holds. */
#include "data/read/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/text.h"

enum { FIRST_BLOCK = 1 << 16 };

/* ---- a block that grows ---------------------------------------------------------------------- */

typedef struct growing_text {
    char *block;
    size_t used;
    size_t capacity;
    size_t limit; /* bytes that may be used */
    const char *name;
} growing_text;

static pt_status growing_text_room(growing_text *g, pt_error *err)
{
    if (g->used < g->capacity)
        return PT_OK;
    size_t capacity = g->capacity ? 2 * g->capacity : FIRST_BLOCK;
    if (capacity > g->limit)
        capacity = g->limit;
    if (capacity <= g->capacity) {
        char may[PT_BYTES_SHOWN];
        return pt_fail_at(err, PT_EMEMORY, g->name, 0, 0,
                          "the data are larger than the memory that may be used (%s); raise "
                          "`memory`, use less data, or learn online, which reads a part at a time",
                          pt_bytes_show((double)g->limit, may));
    }
    PT_TRY(pt_alloc_grow((void **)&g->block, (int64_t)g->used, (int64_t)capacity, 1,
                         "the contents of a file", err));
    g->capacity = capacity;
    return PT_OK;
}

static void growing_text_init(growing_text *g, const char *name, const pt_task *task)
{
    memset(g, 0, sizeof *g);
    g->limit = (size_t)pt_task_memory(task);
    g->name = name;
}

/* ---- compression ----------------------------------------------------------------------------- */

static pt_status ends_early(const char *name, const char *kind, pt_error *err)
{
    return pt_fail_at(err, PT_EFORMAT, name, 0, 0,
                      "the %s stream ends early; the file is cut off, get it again", kind);
}

static pt_status damaged(const char *name, const char *kind, const char *reason, pt_error *err)
{
    return pt_fail_at(err, PT_EFORMAT, name, 0, 0, "the %s stream is damaged (%s); get it again",
                      kind, reason ? reason : "unknown reason");
}

static void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return pt_alloc((int64_t)count, size, "zlib", NULL);
}

static void zlib_free(void *opaque, void *block)
{
    (void)opaque;
    pt_free(block);
}

static unsigned zlib_portion(size_t bytes)
{
    return bytes > UINT_MAX ? UINT_MAX : (unsigned)bytes;
}

static pt_status inflate_begin(z_stream *stream, int window, pt_error *err)
{
    memset(stream, 0, sizeof *stream);
    stream->zalloc = zlib_alloc;
    stream->zfree = zlib_free;
    if (inflateInit2(stream, window) != Z_OK)
        return pt_fail_memory(err, "the expansion of a gzip stream", FIRST_BLOCK);
    return PT_OK;
}

static bool is_gzip(const unsigned char *bytes, size_t size)
{
    return size >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

static bool is_zstd(const unsigned char *bytes, size_t size)
{
    static const unsigned char MAGIC[4] = {0x28, 0xb5, 0x2f, 0xfd};
    return size >= 4 && memcmp(bytes, MAGIC, 4) == 0;
}

/* The compressed bytes, which may be a mapped file, and how much of them was expanded. */
typedef struct packed {
    const unsigned char *bytes;
    size_t size;
    size_t taken;
    bool mapped;
    size_t dropped; /* pages of the mapped file before this offset have gone */
} packed;

/* Expands a piece at a time: between two of them a request to stop is heard, and the pages of the
 * file that were read are let go. */
static const size_t PIECE = (size_t)1 << 22;

static pt_status next_piece(growing_text *g, packed *from, const pt_task *task, size_t *room,
                            pt_error *err)
{
    static const size_t DROP = (size_t)1 << 20; /* a multiple of every page */
    PT_TRY(growing_text_room(g, err));
    PT_TRY(pt_task_check(task, err));
    *room = g->capacity - g->used < PIECE ? g->capacity - g->used : PIECE;
    const size_t upto = from->taken / DROP * DROP;
    if (from->mapped && upto > from->dropped) {
        (void)madvise((void *)(uintptr_t)(from->bytes + from->dropped), upto - from->dropped,
                      MADV_DONTNEED);
        from->dropped = upto;
    }
    return PT_OK;
}

/* One or several members; zero bytes behind the last one are padding. */
static pt_status expand_gzip(growing_text *g, packed *from, const pt_task *task, pt_error *err)
{
    z_stream stream;
    pt_status status = inflate_begin(&stream, 15 + 16, err);
    if (status != PT_OK)
        return status;
    const unsigned char *end = from->bytes + from->size;
    for (;;) {
        size_t room = 0;
        status = next_piece(g, from, task, &room, err);
        if (status != PT_OK)
            break;
        const unsigned char *next = from->bytes + from->taken;
        stream.next_in = (unsigned char *)(uintptr_t)next; /* zlib does not write there */
        stream.avail_in = zlib_portion((size_t)(end - next));
        stream.next_out = (unsigned char *)g->block + g->used;
        stream.avail_out = zlib_portion(room);
        const unsigned offered = stream.avail_out;
        const int result = inflate(&stream, Z_NO_FLUSH);
        g->used += offered - stream.avail_out;
        next = stream.next_in;
        if (result == Z_STREAM_END) {
            while (next < end && *next == 0)
                next++;
            if (next == end)
                break;
            if (!is_gzip(next, (size_t)(end - next))) {
                status = damaged(g->name, "gzip", "something else follows it", err);
                break;
            }
            inflateReset(&stream);
        } else if (result == Z_BUF_ERROR || (result == Z_OK && next == end && stream.avail_out)) {
            status = ends_early(g->name, "gzip", err);
            break;
        } else if (result != Z_OK) {
            status = result == Z_MEM_ERROR
                         ? pt_fail_memory(err, "the expansion of a gzip stream", FIRST_BLOCK)
                         : damaged(g->name, "gzip", stream.msg, err);
            break;
        }
        from->taken = (size_t)(next - from->bytes);
    }
    inflateEnd(&stream);
    return status;
}

static pt_status expand_zstd(growing_text *g, packed *from, const pt_task *task, pt_error *err)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (!context)
        return pt_fail_memory(err, "the expansion of a zstd stream", FIRST_BLOCK);
    pt_status status = PT_OK;
    ZSTD_inBuffer in = {from->bytes, from->size, 0};
    size_t hint = 1;
    while (in.pos < in.size || hint != 0) {
        size_t room = 0;
        status = next_piece(g, from, task, &room, err);
        if (status != PT_OK)
            break;
        ZSTD_outBuffer out = {g->block, g->used + room, g->used};
        hint = ZSTD_decompressStream(context, &out, &in);
        if (ZSTD_isError(hint)) {
            status = damaged(g->name, "zstd", ZSTD_getErrorName(hint), err);
            break;
        }
        const bool stands = in.pos == from->taken && out.pos == g->used;
        g->used = out.pos;
        from->taken = in.pos;
        if (hint != 0 && in.pos == in.size && (stands || out.pos < out.size)) {
            status = ends_early(g->name, "zstd", err);
            break;
        }
    }
    ZSTD_freeDCtx(context);
    return status;
}

/* ---- piece by piece -------------------------------------------------------------------------- */

struct pt_expander {
    const char *name;
    bool whole;      /* a member or frame has ended, and none begun behind it */
    bool gzip;       /* else zstd */
    z_stream stream; /* begun where there is no zstd */
    ZSTD_DCtx *context;
};

pt_status pt_expander_new(pt_expander **out, const char *bytes, size_t size, const char *name,
                          pt_error *err)
{
    const bool gzip = is_gzip((const unsigned char *)bytes, size);
    *out = NULL;
    if (!gzip && !is_zstd((const unsigned char *)bytes, size))
        return PT_OK;
    PT_SCRATCH pt_expander *expander = NULL;
    PT_TRY(PT_NEW_ZERO(expander, 1, "the expansion of a stream", err));
    expander->name = name;
    expander->gzip = gzip;
    if (gzip)
        PT_TRY(inflate_begin(&expander->stream, 15 + 16, err));
    else if (!(expander->context = ZSTD_createDCtx()))
        return pt_fail_memory(err, "the expansion of a zstd stream", FIRST_BLOCK);
    *out = pt_keep(&expander);
    return PT_OK;
}

void pt_expander_free(pt_expander *expander)
{
    if (!expander)
        return;
    if (expander->gzip)
        inflateEnd(&expander->stream);
    ZSTD_freeDCtx(expander->context);
    pt_free(expander);
}

static pt_status run_gzip(pt_expander *expander, const char **next, const char *end, char *to,
                          size_t room, size_t *made, pt_error *err)
{
    z_stream *stream = &expander->stream;
    if (expander->whole) { /* zero bytes behind a member are padding */
        while (*next < end && **next == 0)
            ++*next;
        if (*next == end)
            return PT_OK;
        inflateReset(stream);
        expander->whole = false;
    }
    stream->next_in = (unsigned char *)(uintptr_t)*next; /* zlib does not write there */
    stream->avail_in = zlib_portion((size_t)(end - *next));
    stream->next_out = (unsigned char *)to;
    stream->avail_out = zlib_portion(room);
    const unsigned offered = stream->avail_out;
    const int result = inflate(stream, Z_NO_FLUSH);
    *made = offered - stream->avail_out;
    *next = (const char *)stream->next_in;
    expander->whole = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR)
        return pt_fail_memory(err, "the expansion of a gzip stream", FIRST_BLOCK);
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR
               ? PT_OK
               : damaged(expander->name, "gzip", stream->msg, err);
}

static pt_status run_zstd(pt_expander *expander, const char **next, const char *end, char *to,
                          size_t room, size_t *made, pt_error *err)
{
    ZSTD_inBuffer in = {*next, (size_t)(end - *next), 0};
    ZSTD_outBuffer out = {to, room, 0};
    if (in.size == 0 && expander->whole)
        return PT_OK;
    const size_t hint = ZSTD_decompressStream(expander->context, &out, &in);
    if (ZSTD_isError(hint))
        return damaged(expander->name, "zstd", ZSTD_getErrorName(hint), err);
    *made = out.pos;
    *next += in.pos;
    expander->whole = hint == 0;
    return PT_OK;
}

pt_status pt_expander_run(pt_expander *expander, const char **next, const char *end, bool last,
                          char *to, size_t room, size_t *made, pt_error *err)
{
    *made = 0;
    do { /* a member may hold nothing */
        const char *before = *next;
        PT_TRY(expander->gzip ? run_gzip(expander, next, end, to, room, made, err)
                              : run_zstd(expander, next, end, to, room, made, err));
        if (*next == before)
            break;
    } while (*made == 0);
    if (last && *made == 0 && !expander->whole)
        return ends_early(expander->name, expander->gzip ? "gzip" : "zstd", err);
    return PT_OK;
}

pt_status pt_inflate_raw(const void *bytes, size_t size, void *out, size_t out_size,
                         const char *name, pt_error *err)
{
    z_stream stream;
    PT_TRY(inflate_begin(&stream, -15, err));
    const unsigned char *next = bytes;
    const unsigned char *end = next + size;
    unsigned char *to = out;
    unsigned char spare = 0; /* zlib wants room even to say that nothing follows */
    int result = Z_OK;
    while (result == Z_OK) {
        const size_t left = out_size - (size_t)(to - (unsigned char *)out);
        stream.next_in = (unsigned char *)(uintptr_t)next;
        stream.avail_in = zlib_portion((size_t)(end - next));
        stream.next_out = left ? to : &spare;
        stream.avail_out = left ? zlib_portion(left) : 1;
        result = inflate(&stream, Z_NO_FLUSH);
        next = stream.next_in;
        if (left)
            to = stream.next_out;
        else if (stream.avail_out == 0)
            result = Z_DATA_ERROR; /* longer than it says */
        if (result == Z_OK && next == end && stream.avail_out > 0)
            result = Z_BUF_ERROR;
    }
    inflateEnd(&stream);
    if (result == Z_MEM_ERROR)
        return pt_fail_memory(err, "the expansion of a zip member", FIRST_BLOCK);
    if (result != Z_STREAM_END || to != (unsigned char *)out + out_size)
        return damaged(name, "zip", "its size is not as stated", err);
    return PT_OK;
}

/* ---- sources --------------------------------------------------------------------------------- */

/* Replaces compressed bytes by what is in them. */
static pt_status source_expand(pt_source *source, const char *name, const pt_task *task,
                               pt_error *err)
{
    const unsigned char *bytes = (const unsigned char *)source->bytes;
    const bool gzip = is_gzip(bytes, source->size);
    if (!gzip && !is_zstd(bytes, source->size))
        return PT_OK;
    growing_text g;
    growing_text_init(&g, name, task);
    packed from = {.bytes = bytes, .size = source->size, .mapped = source->bytes == source->map};
    pt_status status = gzip ? expand_gzip(&g, &from, task, err) : expand_zstd(&g, &from, task, err);
    if (status != PT_OK) {
        pt_free(g.block);
        return status;
    }
    pt_source_close(source);
    source->block = g.block;
    source->bytes = g.block;
    source->size = g.used;
    return PT_OK;
}

pt_status pt_source_memory(pt_source *source, const void *bytes, size_t size, const char *name,
                           const pt_task *task, pt_error *err)
{
    memset(source, 0, sizeof *source);
    source->bytes = bytes;
    source->size = size;
    return source_expand(source, name, task, err);
}

static pt_status fail_read(const char *path, const char *what, pt_error *err)
{
    return pt_fail_at(err, PT_EIO, path, 0, 0, "cannot %s: %s", what, strerror(errno));
}

static pt_status read_all(pt_source *source, int descriptor, const char *path, const pt_task *task,
                          pt_error *err)
{
    growing_text g;
    growing_text_init(&g, path, task);
    pt_status status = PT_OK;
    for (;;) {
        status = growing_text_room(&g, err);
        if (status == PT_OK)
            status = pt_task_check(task, err);
        if (status != PT_OK)
            break;
        const ssize_t got = read(descriptor, g.block + g.used, g.capacity - g.used);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR) {
            status = fail_read(path, "read it", err);
            break;
        }
        g.used += got > 0 ? (size_t)got : 0;
    }
    if (status != PT_OK) {
        pt_free(g.block);
        return status;
    }
    source->block = g.block;
    source->bytes = g.block;
    source->size = g.used;
    return PT_OK;
}

static pt_status source_load(pt_source *source, int descriptor, const char *path,
                             const pt_task *task, pt_error *err)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return fail_read(path, "read it", err);
    if (S_ISDIR(about.st_mode))
        return pt_fail_at(err, PT_EIO, path, 0, 0, "it is a folder; name a file in it");
    if (S_ISREG(about.st_mode) && about.st_size > 0) {
        const size_t size = (size_t)about.st_size;
        void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (map != MAP_FAILED) {
            (void)madvise(map, size, MADV_WILLNEED); /* a wish; without it only slower */
            source->map = map;
            source->map_size = size;
            source->bytes = map;
            source->size = size;
            return PT_OK;
        }
    }
    return read_all(source, descriptor, path, task, err); /* a pipe, a device, /proc */
}

pt_status pt_source_open(pt_source *source, const char *path, const pt_task *task, pt_error *err)
{
    memset(source, 0, sizeof *source);
    const bool standard_input = strcmp(path, "-") == 0;
    const int descriptor = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_read(path, "open it", err);
    pt_status status = source_load(source, descriptor, path, task, err);
    if (!standard_input)
        close(descriptor);
    if (status == PT_OK)
        status = source_expand(source, path, task, err);
    if (status != PT_OK)
        pt_source_close(source);
    return status;
}

void pt_source_close(pt_source *source)
{
    if (source->map)
        munmap(source->map, source->map_size);
    pt_free(source->block);
    memset(source, 0, sizeof *source);
}
