/* Streams of rows. Every block is read by the reader of its format as if it were a file: one of
 * LIBSVM text as it is, one of a table behind the line that names the columns, which is kept in
 * front of the block. */
#include "data/stream/row_stream.h"

#include <string.h>

#include "base/alloc.h"
#include "data/read/csv.h"
#include "data/read/lines.h"
#include "data/read/reader.h"

pt_status pt_row_stream_open(pt_row_stream *stream, const char *path, const pt_params *params,
                             const pt_task *task, pt_error *err)
{
    pt_read_options_init(&stream->options, params);
    const pt_status status = pt_text_stream_open(&stream->text, path, task, err);
    stream->options.source = stream->text.name;
    stream->options.task = task;
    stream->options.part = true;
    stream->options.block = true;
    stream->options.room = &stream->room;
    stream->asked = pt_params_text(params, PT_P_FORMAT);
    return status;
}

pt_status pt_row_stream_open_with(pt_row_stream *stream, const char *path, const char *format,
                                  const pt_read_options *options, size_t block, pt_error *err)
{
    stream->options = *options;
    const pt_status status = pt_text_stream_open(&stream->text, path, options->task, err);
    stream->text.least = block;
    stream->options.source = stream->text.name;
    stream->options.block = true;
    stream->options.room = &stream->room;
    stream->asked = format;
    return status;
}

void pt_row_stream_close(pt_row_stream *stream)
{
    pt_dataset_free(stream->data);
    pt_read_room_free(&stream->room);
    pt_text_stream_close(&stream->text);
    memset(stream, 0, sizeof *stream);
}

static bool is_table(const pt_row_stream *stream)
{
    return stream->format != &pt_format_libsvm;
}

/* What the first lines of a table say: whether they name its columns, and where that ends. */
static pt_status read_head(pt_row_stream *stream, const char *begin, const char *end, pt_error *err)
{
    PT_FREED_BY(pt_csv_close) pt_csv_text csv = {0};
    PT_FREED_BY(pt_warnings_free) pt_warnings warnings = {0};
    const char usual = stream->format == &pt_format_tsv ? '\t' : ',';
    PT_TRY(
        pt_csv_open(&csv, begin, (size_t)(end - begin), usual, &stream->options, &warnings, err));
    const bool header = csv.head.header;
    stream->options.header = header ? "yes" : "no";
    stream->separator[0] = csv.head.dialect.separator;
    if (!header) /* which would say it again */
        stream->options.separator = stream->separator;
    stream->header_lines = header ? pt_count_byte(begin, csv.head.data, '\n') : 0;
    stream->header_end = header ? csv.head.data : 0;
    if (header)
        pt_text_stream_keep(&stream->text, csv.head.data);
    return PT_OK;
}

pt_status pt_row_stream_begin(pt_row_stream *stream, bool *text, size_t *size, pt_error *err)
{
    const char *first = NULL;
    const char *end = NULL;
    *text = true;
    *size = 0;
    PT_TRY(pt_text_stream_peek(&stream->text, &first, &end, err));
    if (first == end)
        return PT_OK;
    *size = (size_t)(end - first);
    PT_TRY(pt_refuse_known(first, *size, stream->options.source, err));
    PT_TRY(
        pt_format_find(&stream->format, stream->asked, stream->options.source, first, *size, err));
    *text = stream->format == &pt_format_libsvm || stream->format == &pt_format_csv ||
            stream->format == &pt_format_tsv;
    if (*text && is_table(stream))
        stream->text.quote = '"';
    return PT_OK;
}

/* The format, by the name of the file or its first lines. */
static pt_status begin(pt_row_stream *stream, pt_error *err)
{
    bool text = false;
    size_t size = 0;
    PT_TRY(pt_row_stream_begin(stream, &text, &size, err));
    if (!text)
        return pt_fail_at(err, PT_ENOSUPPORT, stream->options.source, 0, 0,
                          "a stream is LIBSVM text, csv or tsv, and this is %s; convert it on the "
                          "way, or train without --online",
                          stream->format->name);
    return PT_OK;
}

static bool has_row(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p < end && *p != '\n' && *p != '#';
}

/* LIBSVM text: behind the lines of rows to skip and the lines without a row that follow; *lines:
 * how many these are. */
static const char *skip_lines(const char *p, const char *end, int64_t *skip, int64_t *lines)
{
    while (p < end) {
        const bool row = has_row(p, end);
        if (row && *skip == 0)
            break;
        *skip -= row;
        (*lines)++;
        p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    }
    return p;
}

/* Whether a block of a table has no row: the header alone, or blank lines. */
static bool is_blank(const pt_row_stream *stream, const char *p, const char *end)
{
    return pt_skip_blank_lines(p + stream->text.front, end) == end;
}

static pt_status read_block(pt_row_stream *stream, const char *p, const char *end,
                            int64_t lines_before, pt_error *err)
{
    pt_error own = {0};
    const pt_status status =
        stream->format->read(&stream->data, p, (size_t)(end - p), &stream->options, &own);
    if (status == PT_OK)
        return PT_OK;
    if (stream->text.front == 0)
        own.line += own.line > 0 ? lines_before : 0;
    else if (own.line > stream->header_lines)
        own.line += lines_before - stream->header_lines;
    pt_error_copy(err, &own);
    return status;
}

static void drop_block(pt_row_stream *stream)
{
    stream->rows_before += stream->data ? stream->data->n : 0;
    pt_read_room_take(&stream->room, stream->data);
    stream->data = NULL;
}

/* stream->data <- the rows of a block, unless it has none that are wanted. */
static pt_status take_block(pt_row_stream *stream, const char *p, const char *end, int64_t *skip,
                            int64_t *first, pt_error *err)
{
    int64_t lines = stream->text.lines;
    if (!is_table(stream)) {
        p = skip_lines(p, end, skip, &lines);
        return p == end ? PT_OK : read_block(stream, p, end, lines, err);
    }
    if (is_blank(stream, p, end))
        return PT_OK;
    const bool first_block = !stream->head_known;
    if (first_block)
        PT_TRY(read_head(stream, p, end, err));
    stream->head_known = true;
    /* the header alone, before a row that is longer than a block */
    if (first_block && !stream->text.ended && stream->header_end > 0 &&
        pt_skip_blank_lines(p + stream->header_end, end) == end)
        return PT_OK;
    PT_TRY(read_block(stream, p, end, lines, err));
    *first = *skip < stream->data->n ? *skip : stream->data->n; /* skipped as rows */
    *skip -= *first;
    if (*first == stream->data->n)
        drop_block(stream);
    return PT_OK;
}

pt_status pt_row_stream_next(pt_row_stream *stream, int64_t *skip, const pt_dataset **data,
                             int64_t *first, pt_error *err)
{
    *data = NULL;
    *first = 0;
    drop_block(stream);
    pt_status status = stream->format ? PT_OK : begin(stream, err);
    while (status == PT_OK && stream->format && !stream->data) {
        const char *p = NULL;
        const char *end = NULL;
        status = pt_text_stream_next(&stream->text, &p, &end, err);
        if (status == PT_OK && end - p == (ptrdiff_t)stream->text.front)
            break;
        if (status == PT_OK)
            status = take_block(stream, p, end, skip, first, err);
        if (stream->data)
            stream->data->rows_before = stream->rows_before;
    }
    *data = status == PT_OK ? stream->data : NULL;
    return status;
}

/* ---- piles of rows --------------------------------------------------------------------------- */

/* Piles of rows: arrays that grow, and whose rest moves to the front. */

static pt_status room_for(void **block, int64_t used, int64_t more, size_t size, int64_t *room,
                          pt_error *err)
{
    if (used + more <= *room)
        return PT_OK;
    const int64_t larger = used + more > *room + *room / 2 ? used + more : *room + *room / 2;
    PT_TRY(pt_alloc_grow(block, used, larger, size, "rows to be predicted", err));
    *room = larger;
    return PT_OK;
}

static pt_status add_dense(pt_row_pile *pile, const pt_rows *rows, pt_error *err)
{
    const size_t row_bytes = (size_t)rows->d * pt_type_size(rows->type);
    PT_TRY(
        room_for((void **)&pile->value, pile->rows.n, rows->n, row_bytes, &pile->value_room, err));
    for (int64_t i = 0; i < rows->n; i++)
        memcpy(pile->value + (size_t)(pile->rows.n + i) * row_bytes,
               (const char *)rows->dense + (size_t)(i * rows->stride) * pt_type_size(rows->type),
               row_bytes);
    pile->rows.dense = pile->value;
    return PT_OK;
}

static pt_status add_sparse(pt_row_pile *pile, const pt_rows *rows, pt_error *err)
{
    const size_t size = pt_type_size(rows->type);
    const int64_t n = pile->rows.n;
    const int64_t used = n > 0 ? pile->start[n] : 0;
    const int64_t more = pt_rows_stored(rows);
    PT_TRY(room_for((void **)&pile->start, n + 1, rows->n, sizeof *pile->start, &pile->start_room,
                    err));
    PT_TRY(
        room_for((void **)&pile->index, used, more, sizeof *pile->index, &pile->index_room, err));
    PT_TRY(room_for((void **)&pile->value, used, more, size, &pile->value_room, err));
    const int64_t from = rows->start[0];
    for (int64_t i = 0; i <= rows->n; i++)
        pile->start[n + i] = used + rows->start[i] - from;
    if (more > 0) {
        memcpy(pile->index + used, rows->index + from, (size_t)more * sizeof *pile->index);
        memcpy(pile->value + (size_t)used * size, (const char *)rows->value + (size_t)from * size,
               (size_t)more * size);
    }
    pile->rows.start = pile->start;
    pile->rows.index = pile->index;
    pile->rows.value = pile->value;
    return PT_OK;
}

pt_status pt_row_pile_add(pt_row_pile *pile, const pt_rows *rows, pt_error *err)
{
    if (rows->n == 0)
        return PT_OK;
    PT_TRY(rows->dense ? add_dense(pile, rows, err) : add_sparse(pile, rows, err));
    pile->rows.n += rows->n;
    pile->rows.d = rows->d;
    pile->rows.type = rows->type;
    pile->rows.stride = rows->d;
    pile->rows.levels = rows->levels;
    return PT_OK;
}

void pt_row_pile_drop(pt_row_pile *pile, int64_t m)
{
    const size_t size = pt_type_size(pile->rows.type);
    const int64_t left = pile->rows.n - m;
    if (pile->rows.dense) {
        const size_t row_bytes = (size_t)pile->rows.d * size;
        memmove(pile->value, pile->value + (size_t)m * row_bytes, (size_t)left * row_bytes);
    } else if (pile->start) {
        const int64_t from = pile->start[m];
        const int64_t stored = pile->start[pile->rows.n] - from;
        memmove(pile->index, pile->index + from, (size_t)stored * sizeof *pile->index);
        memmove(pile->value, pile->value + (size_t)from * size, (size_t)stored * size);
        for (int64_t i = 0; i <= left; i++)
            pile->start[i] = pile->start[m + i] - from;
    }
    pile->rows.n = left;
}

void pt_row_pile_free(pt_row_pile *pile)
{
    pt_free(pile->value);
    pt_free(pile->start);
    pt_free(pile->index);
    memset(pile, 0, sizeof *pile);
}
