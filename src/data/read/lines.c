/* Blocks of lines.
 *
 * The text is cut into chunks of fixed size; the first line that begins in a chunk begins its
 * block. With quotes, whether a chunk begins inside a quoted stretch is the parity of the quotes
 * before it (a doubled quote leaves it alone), so chunks are counted first, in parallel, and then
 * searched. A text with a stray quote gets wrong cuts only behind it, and the reader of the block
 * that has it reports it: the lowest block's error is the one that counts. */
#include "data/read/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/text.h"

enum { CHUNK = 1 << 18 };

int64_t pt_count_byte(const char *bytes, size_t size, char byte)
{
    enum { STRETCH = 192 }; /* counts of a stretch fit a byte, and so vectorise well */
    int64_t total = 0;
    size_t i = 0;
    for (; i + STRETCH <= size; i += STRETCH) {
        unsigned char count = 0;
        for (size_t j = 0; j < STRETCH; j++)
            count = (unsigned char)(count + (bytes[i + j] == byte));
        total += count;
    }
    for (; i < size; i++)
        total += bytes[i] == byte;
    return total;
}

void pt_text_locate(const char *bytes, size_t size, int64_t offset, int64_t *line, int64_t *column)
{
    const pt_lines text = {.bytes = bytes, .size = size};
    pt_lines_locate(&text, offset, line, column);
}

void pt_lines_drop(const pt_lines *lines, const char *begin, const char *end)
{
    if (!lines->mapped || begin < lines->bytes || end > lines->bytes + lines->size)
        return;
    /* whole pages, outwards: what others still read of the first and the last comes back */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t from = (size_t)(begin - lines->bytes) / page * page;
    const size_t to = (size_t)(end - lines->bytes);
    if (to > from) /* a wish; without it only more memory */
        (void)madvise((void *)(uintptr_t)(lines->bytes + from), to - from, MADV_DONTNEED);
}

void pt_lines_locate(const pt_lines *lines, int64_t offset, int64_t *line, int64_t *column)
{
    size_t upto = offset < 0 ? 0 : (size_t)offset < lines->size ? (size_t)offset : lines->size;
    size_t start = upto;
    while (start > 0 && lines->bytes[start - 1] != '\n')
        start--;
    *column = (int64_t)(upto - start) + 1;
    *line = 1;
    for (size_t at = 0; at < upto; at += CHUNK) {
        const size_t length = upto - at < CHUNK ? upto - at : CHUNK;
        *line += pt_count_byte(lines->bytes + at, length, '\n');
        pt_lines_drop(lines, lines->bytes + at, lines->bytes + at + length);
    }
}

pt_status pt_lines_fail(const pt_lines *lines, int64_t offset, pt_error *err, const char *format,
                        ...)
{
    if (!err)
        return PT_EFORMAT;
    char text[PT_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    pt_text_format(text, sizeof text, format, args);
    va_end(args);
    int64_t line = 0;
    int64_t column = 0;
    pt_lines_locate(lines, offset, &line, &column);
    return pt_fail_at(err, PT_EFORMAT, lines->source, line, column, "%-s", text);
}

const char *pt_cell_show(const char *text, size_t length, char out[PT_CELL_SHOWN])
{
    const size_t room = PT_CELL_SHOWN - 4;
    size_t shown = length < room ? length : room;
    /* not in the middle of a UTF-8 character */
    if (shown < length)
        while (shown > room - 4 && ((unsigned char)text[shown] & 0xc0) == 0x80)
            shown--;
    for (size_t i = 0; i < shown; i++) {
        const unsigned char c = (unsigned char)text[i];
        out[i] = c < ' ' || c == 0x7f ? '?' : (char)c;
    }
    snprintf(out + shown, PT_CELL_SHOWN - shown, "%s", shown < length ? "..." : "");
    return out;
}

/* What the chunk loops share. */
typedef struct split_work {
    const pt_lines *lines;
    const char *bytes;
    size_t size;
    size_t begin;
    char quote;
    int64_t *quotes; /* per chunk: quotes in it, then whether it begins inside a quoted stretch */
    int64_t *line_begin; /* per chunk: offset of the first line that begins in it, -1: none */
} split_work;

static void chunk_range(const split_work *work, int64_t chunk, size_t *from, size_t *to)
{
    *from = work->begin + (size_t)chunk * CHUNK;
    *to = work->size - *from < CHUNK ? work->size : *from + CHUNK;
}

static pt_status count_quotes(void *context, int64_t chunk, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    split_work *work = context;
    size_t from = 0;
    size_t to = 0;
    chunk_range(work, chunk, &from, &to);
    work->quotes[chunk] = pt_count_byte(work->bytes + from, to - from, work->quote);
    pt_lines_drop(work->lines, work->bytes + from, work->bytes + to);
    return PT_OK;
}

/* The first newline outside quotes in the chunk, and with it the line behind it. */
static pt_status find_line(void *context, int64_t chunk, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    split_work *work = context;
    size_t from = 0;
    size_t to = 0;
    chunk_range(work, chunk, &from, &to);
    const char *p = work->bytes + from;
    const char *end = work->bytes + to;
    bool inside = work->quote && work->quotes[chunk];
    work->line_begin[chunk] = -1;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline)
            break;
        if (work->quote && pt_count_byte(p, (size_t)(newline - p), work->quote) % 2)
            inside = !inside;
        p = newline + 1;
        if (!inside) {
            work->line_begin[chunk] = p - work->bytes;
            break;
        }
    }
    return PT_OK;
}

/* Blocks from the line beginnings; the last one gets its newline. */
static pt_status make_blocks(pt_lines *lines, const split_work *work, int64_t n_chunks,
                             pt_error *err)
{
    PT_TRY(PT_NEW_ZERO(lines->blocks, n_chunks + 1, "blocks of lines", err));
    int64_t n = 0;
    for (int64_t chunk = -1; chunk < n_chunks; chunk++) {
        const int64_t offset = chunk < 0 ? (int64_t)work->begin : work->line_begin[chunk];
        if (offset < 0 || offset >= (int64_t)work->size)
            continue;
        if (n > 0)
            lines->blocks[n - 1].end = work->bytes + offset;
        lines->blocks[n].offset = offset;
        lines->blocks[n++].begin = work->bytes + offset;
    }
    lines->n_blocks = n;
    if (n == 0)
        return PT_OK;
    pt_block *last = &lines->blocks[n - 1];
    last->end = work->bytes + work->size;
    if (last->end[-1] == '\n')
        return PT_OK;
    const size_t length = (size_t)(last->end - last->begin);
    lines->tail = pt_alloc((int64_t)length + 1, 1, "the last lines of a file", err);
    if (!lines->tail)
        return PT_ENOMEM;
    memcpy(lines->tail, last->begin, length);
    lines->tail[length] = '\n';
    last->begin = lines->tail;
    last->end = lines->tail + length + 1;
    return PT_OK;
}

pt_status pt_lines_split(pt_lines *lines, const char *bytes, size_t size, size_t begin, char quote,
                         const char *source, const pt_task *task, pt_error *err)
{
    *lines = (pt_lines){.bytes = bytes, .size = size, .source = source, .mapped = lines->mapped};
    if (begin >= size)
        return PT_OK;
    const int64_t n_chunks = (int64_t)((size - begin - 1) / CHUNK) + 1;
    pt_status status = PT_ENOMEM;
    split_work work = {lines, bytes, size, begin, quote, NULL, NULL};
    work.quotes = pt_alloc_zero(n_chunks, sizeof *work.quotes, "blocks of lines", err);
    work.line_begin = pt_alloc(n_chunks, sizeof *work.line_begin, "blocks of lines", err);
    if (!work.quotes || !work.line_begin)
        goto done;

    status = quote ? pt_parallel_for(task, n_chunks, count_quotes, &work, err) : PT_OK;
    if (status != PT_OK)
        goto done;
    int64_t before = 0;
    for (int64_t chunk = 0; chunk < n_chunks; chunk++) {
        const int64_t own = work.quotes[chunk];
        work.quotes[chunk] = before % 2;
        before += own;
    }
    status = pt_parallel_for(task, n_chunks, find_line, &work, err);
    if (status == PT_OK)
        status = make_blocks(lines, &work, n_chunks, err);

done:
    pt_free(work.line_begin);
    pt_free(work.quotes);
    if (status != PT_OK)
        pt_lines_free(lines);
    return status;
}

typedef struct count_work {
    pt_lines *lines;
    char quote;
    char comment;
    char mark;
} count_work;

const char *pt_skip_blank_lines(const char *p, const char *end)
{
    for (;;) {
        const char *s = p;
        while (s < end && (*s == ' ' || *s == '\r'))
            s++;
        if (s == end)
            return end;
        if (*s != '\n')
            return p;
        p = s + 1;
    }
}

/* The newline that ends the record at p. */
static const char *record_end(const char *p, const char *end, char quote)
{
    bool inside = false;
    for (;;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline)
            return end - 1; /* an open quote: the reader will say so */
        if (quote && pt_count_byte(p, (size_t)(newline - p), quote) % 2)
            inside = !inside;
        if (!inside)
            return newline;
        p = newline + 1;
    }
}

/* Rows of a text with comments: lines whose first byte that is not blank begins no comment. */
static int64_t count_with_comments(const pt_block *block, char comment)
{
    int64_t rows = 0;
    const char *p = block->begin;
    while (p < block->end) {
        while (*p == ' ' || *p == '\t' || *p == '\r')
            p++; /* the newline at the end stops it */
        rows += *p != '\n' && *p != comment;
        p = (const char *)memchr(p, '\n', (size_t)(block->end - p)) + 1;
    }
    return rows;
}

static int64_t count_records(const pt_block *block, char quote)
{
    int64_t rows = 0;
    const char *p = block->begin;
    if (quote && !memchr(p, quote, (size_t)(block->end - p)))
        quote = 0;
    while ((p = pt_skip_blank_lines(p, block->end)) < block->end) {
        rows++;
        p = record_end(p, block->end, quote) + 1;
    }
    return rows;
}

static pt_status count_block(void *context, int64_t b, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const count_work *work = context;
    pt_block *block = &work->lines->blocks[b];
    const size_t size = (size_t)(block->end - block->begin);
    block->rows = work->comment ? count_with_comments(block, work->comment)
                                : count_records(block, work->quote);
    block->marks = work->mark ? pt_count_byte(block->begin, size, work->mark) : 0;
    pt_lines_drop(work->lines, block->begin, block->end);
    return PT_OK;
}

pt_status pt_lines_count(pt_lines *lines, char quote, char comment, char mark, const pt_task *task,
                         pt_error *err)
{
    count_work work = {lines, quote, comment, mark};
    PT_TRY(pt_parallel_for(task, lines->n_blocks, count_block, &work, err));
    lines->n_rows = 0;
    lines->n_marks = 0;
    for (int64_t b = 0; b < lines->n_blocks; b++) {
        lines->blocks[b].first_row = lines->n_rows;
        lines->n_rows += lines->blocks[b].rows;
        lines->n_marks += lines->blocks[b].marks;
    }
    return PT_OK;
}

void pt_lines_free(pt_lines *lines)
{
    pt_free(lines->blocks);
    pt_free(lines->tail);
    memset(lines, 0, sizeof *lines);
}
