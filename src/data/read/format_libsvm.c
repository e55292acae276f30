/* LIBSVM and svmlight text: `label index:value index:value ... # comment`, one example a line.
 *
 * Blocks of lines are read in parallel, straight into the arrays of compressed rows: every pair has
 * a colon and takes four bytes with what separates it, so colons counted beforehand bound the pairs
 * of a block, and so do its bytes. Comments and qid: have colons too; where they leave gaps, the
 * arrays are closed up afterwards.
 *
 * Lines of a precomputed kernel begin with the number of the row, `0:7`, which is left out. It
 * counts from 1, for the columns of the kernel are its rows; of new rows it means nothing.
 *
 * Labels are texts; of sets and pairs, several with commas between them: `1,3 5:1`. A line without
 * a label has the empty set. Indices ascend strictly within a line and begin at --index-base;
 * nothing is shifted silently. Values must be finite; zeros that are written are kept. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "data/labels/label_cells.h"
#include "data/read/intern.h"
#include "data/read/lines.h"
#include "data/read/number.h"
#include "data/read/reader.h"
#include "data/read/write.h"
#include "data/ties.h"

static const int64_t MOST_FEATURES = (int64_t)1 << 40;
enum { MOST_INDEX_DIGITS = 18, LEAST_PAIR = 4 };

typedef struct svm_worker {
    pt_dictionary labels;
    const char *last_label; /* the label of the line before, and its number */
    size_t last_length;
    int64_t last_number;
    int64_t largest; /* index from 0; -1: none yet */
    int64_t unlabelled;
    int64_t qids;
} svm_worker;

typedef struct svm_work {
    const pt_lines *lines;
    const pt_read_options *options;
    bool label_optional;
    pt_label_kind label_kind;
    int64_t *begin_pair; /* per block: where its pairs go */
    int64_t *n_pairs;    /* per block: how many there are */
    int64_t *n_rows;     /* per block: how many rows there are */
    int64_t *start;
    int64_t *index;
    double *value;
    int64_t *label;
    svm_worker *workers;
    int n_workers;
} svm_work;

/* Where a line is being read. */
typedef struct svm_cursor {
    const svm_work *work;
    const pt_block *block;
    svm_worker *worker;
    const char *p;
    int64_t row;
} svm_cursor;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_token(char c)
{
    return is_blank(c) || c == '\n';
}

static const char *token_end(const char *p)
{
    while (!ends_token(*p))
        p++;
    return p;
}

static pt_status fail_token(const svm_cursor *cursor, const char *at, const char *what,
                            pt_error *err)
{
    char shown[PT_CELL_SHOWN];
    return pt_lines_fail(cursor->work->lines, pt_block_offset(cursor->block, at), err, "'%s' %-s",
                         pt_cell_show(at, (size_t)(token_end(at) - at), shown), what);
}

/* ---- labels ---------------------------------------------------------------------------------- */

static pt_status number_label(svm_cursor *cursor, const char *text, size_t length, int64_t *number,
                              pt_error *err)
{
    svm_worker *worker = cursor->worker;
    if (worker->last_label && worker->last_length == length &&
        memcmp(worker->last_label, text, length) == 0) {
        *number = worker->last_number;
        return PT_OK;
    }
    if (cursor->work->label_kind == PT_LABEL_CLASS && memchr(text, ',', length))
        return fail_token(cursor, text, "names several labels; say `labels=set` if it is meant to",
                          err);
    if (memchr(text, '\0', length))
        return fail_token(cursor, text, "has a zero byte; this is not a text file", err);
    PT_TRY(pt_dictionary_add(&worker->labels, text, length, pt_block_offset(cursor->block, text),
                             number, err));
    worker->last_label = text;
    worker->last_length = length;
    worker->last_number = *number;
    return PT_OK;
}

/* The first token is the label, unless it is a pair. */
static pt_status read_label(svm_cursor *cursor, int64_t *number, pt_error *err)
{
    const char *text = cursor->p;
    const char *end = token_end(text);
    *number = -1;
    if (!memchr(text, ':', (size_t)(end - text))) {
        cursor->p = end;
        return number_label(cursor, text, (size_t)(end - text), number, err);
    }
    cursor->worker->unlabelled++;
    if (cursor->work->label_optional || cursor->work->label_kind == PT_LABEL_SET)
        return PT_OK;
    return fail_token(cursor, text, "stands where the label should be; the line has no label", err);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool begins_with_qid(const char *p)
{
    return p[0] == 'q' && p[1] == 'i' && p[2] == 'd' && p[3] == ':';
}

/* The index of the pair at p, from 0, and what follows its colon; NULL with the error. */
static const char *read_index(const svm_cursor *cursor, int64_t before, int64_t *index,
                              pt_error *err)
{
    const char *p = cursor->p;
    int64_t number = 0;
    unsigned digit;
    while ((digit = (unsigned)(unsigned char)*p - '0') <= 9 && p - cursor->p < MOST_INDEX_DIGITS) {
        number = 10 * number + digit;
        p++;
    }
    if (p == cursor->p || *p != ':') {
        fail_token(cursor, cursor->p,
                   digit <= 9 ? "has an index that is too large" : "is not index:value", err);
        return NULL;
    }
    number -= cursor->work->options->index_base;
    if (number < 0) {
        fail_token(cursor, cursor->p,
                   "has index 0, but indices begin at 1; if they begin at 0 in this file, say "
                   "`index-base=0`",
                   err);
        return NULL;
    }
    if (number <= before) {
        fail_token(cursor, cursor->p,
                   number == before ? "has the index of the pair before it; an index may stand "
                                      "only once in a line"
                                    : "has a smaller index than the pair before it; indices must "
                                      "ascend within a line",
                   err);
        return NULL;
    }
    if (number >= MOST_FEATURES) {
        fail_token(cursor, cursor->p, "has an index above 2^40; renumber the features", err);
        return NULL;
    }
    *index = number;
    return p + 1;
}

static pt_status read_value(svm_cursor *cursor, const char *p, double *value, pt_error *err)
{
    if (cursor->block->end - p >= 4 && p[1] != '.') { /* counts and grey values are short */
        const int digits = pt_digits3(p, value);
        if (digits > 0 && (p[digits] == ' ' || p[digits] == '\n')) {
            cursor->p = p + digits;
            return PT_OK;
        }
    }
    const char *next = NULL;
    if (!pt_number_quick(p, cursor->block->end, &next, value)) {
        const pt_number kind = pt_number_scan(p, cursor->block->end, &next, value);
        if (kind == PT_NUMBER_NONE)
            return fail_token(cursor, cursor->p, "has no number behind its colon", err);
        if (kind == PT_NUMBER_NOT_FINITE)
            return fail_token(cursor, cursor->p, "has a value that is not a finite number", err);
    }
    if (!ends_token(*next) && *next != '#')
        return fail_token(cursor, cursor->p, "is not index:value", err);
    cursor->p = next;
    return PT_OK;
}

static bool begins_with_row_number(const svm_cursor *cursor)
{
    const pt_read_options *options = cursor->work->options;
    return options->row_numbers && options->index_base == 1 && cursor->p[0] == '0' &&
           cursor->p[1] == ':';
}

static pt_status skip_row_number(svm_cursor *cursor, pt_error *err)
{
    const char *pair = cursor->p;
    double number = 0;
    PT_TRY(read_value(cursor, pair + 2, &number, err));
    if (!cursor->work->options->label_optional && number != (double)cursor->row + 1)
        return fail_token(
            cursor, pair,
            "is not the number of this row; the rows of a precomputed kernel stand in "
            "the order of its columns, from 0:1 on",
            err);
    return PT_OK;
}

/* The pairs of a line; the cursor ends behind its newline. */
static pt_status read_pairs(svm_cursor *cursor, int64_t *at, pt_error *err)
{
    const svm_work *work = cursor->work;
    int64_t before = -1;
    for (;;) {
        while (is_blank(*cursor->p))
            cursor->p++;
        if (*cursor->p == '\n')
            break;
        if (*cursor->p == '#') {
            cursor->p = memchr(cursor->p, '\n', (size_t)(cursor->block->end - cursor->p));
            break;
        }
        if (begins_with_qid(cursor->p)) {
            cursor->worker->qids++;
            cursor->p = token_end(cursor->p);
            continue;
        }
        if (before < 0 && begins_with_row_number(cursor)) {
            PT_TRY(skip_row_number(cursor, err));
            continue;
        }
        const char *value = read_index(cursor, before, &before, err);
        if (!value)
            return PT_EFORMAT;
        PT_TRY(read_value(cursor, value, &work->value[*at], err));
        work->index[(*at)++] = before;
    }
    cursor->p++;
    if (before > cursor->worker->largest)
        cursor->worker->largest = before;
    return PT_OK;
}

static pt_status read_block(void *context, int64_t b, int worker, pt_error *err)
{
    const svm_work *work = context;
    pt_block *block = &work->lines->blocks[b];
    block->worker = worker;
    svm_cursor cursor = {work, block, &work->workers[worker], block->begin, block->first_row};
    int64_t at = work->begin_pair[b];
    while (cursor.p < block->end) {
        while (is_blank(*cursor.p))
            cursor.p++;
        if (*cursor.p != '\n' && *cursor.p != '#') {
            if (work->options->places)
                work->options->places->at[cursor.row] = pt_block_offset(block, cursor.p);
            PT_TRY(read_label(&cursor, &work->label[cursor.row], err));
            work->start[cursor.row] = at;
            PT_TRY(read_pairs(&cursor, &at, err));
            cursor.row++;
        } else { /* nothing, or a comment */
            cursor.p = (const char *)memchr(cursor.p, '\n', (size_t)(block->end - cursor.p)) + 1;
        }
    }
    work->n_rows[b] = cursor.row - block->first_row;
    work->n_pairs[b] = at - work->begin_pair[b];
    pt_lines_drop(work->lines, block->begin, block->end);
    return PT_OK;
}

/* ---- afterwards ------------------------------------------------------------------------------ */

/* Closes the gaps that comments left between the blocks, and makes labels common. Returns the
 * number of rows. */
static int64_t close_up(svm_work *work, uint32_t *const *map)
{
    pt_places *places = work->options->places;
    int64_t n = 0;
    int64_t pairs = 0;
    for (int64_t b = 0; b < work->lines->n_blocks; b++) {
        const pt_block *block = &work->lines->blocks[b];
        const int64_t from = work->begin_pair[b];
        for (int64_t r = 0; r < work->n_rows[b]; r++, n++) {
            const int64_t code = work->label[block->first_row + r];
            work->start[n] = work->start[block->first_row + r] - from + pairs;
            const uint32_t *own = map[block->worker];
            work->label[n] = code < 0 ? -1 : own ? (int64_t)own[code] : code;
            if (places)
                places->at[n] = places->at[block->first_row + r];
        }
        if (from != pairs && work->n_pairs[b] > 0) {
            const size_t count = (size_t)work->n_pairs[b];
            memmove(work->index + pairs, work->index + from, count * sizeof *work->index);
            memmove(work->value + pairs, work->value + from, count * sizeof *work->value);
        }
        pairs += work->n_pairs[b];
    }
    work->start[n] = pairs;
    if (places)
        places->n = n;
    return n;
}

/* The arrays of the rows: those of the block of a stream before, where they suffice. */
static pt_status make_arrays(pt_dataset *data, int64_t rows, int64_t pairs, pt_read_room *room,
                             pt_error *err)
{
    if (room && room->value && room->rows >= rows && room->cells >= pairs) {
        data->start = room->start;
        data->index = room->index;
        data->value = room->value;
        room->start = NULL;
        room->index = NULL;
        room->value = NULL;
        return PT_OK;
    }
    if (room) { /* the next block will hardly be the same */
        const int64_t memory = room->memory;
        pt_read_room_free(room);
        room->memory = memory;
        room->rows = rows += rows / 2;
        room->cells = pairs += pairs / 4;
    }
    data->start = pt_alloc(rows, sizeof *data->start, "sparse rows", err);
    data->index = pt_alloc(pairs, sizeof *data->index, "sparse rows", err);
    data->value = pt_alloc(pairs, sizeof(double), "sparse rows", err);
    return data->start && data->index && data->value ? PT_OK : PT_ENOMEM;
}

/* Where the pairs of each block go, and room for all of them. */
static pt_status make_room(svm_work *work, pt_dataset *data, pt_error *err)
{
    const pt_lines *lines = work->lines;
    const int64_t n_blocks = lines->n_blocks;
    const char *what = "work space of a reader";
    work->begin_pair = pt_alloc(n_blocks, sizeof *work->begin_pair, what, err);
    work->n_pairs = pt_alloc(n_blocks, sizeof *work->n_pairs, what, err);
    work->n_rows = pt_alloc(n_blocks, sizeof *work->n_rows, what, err);
    PT_TRY(pt_reader_take((size_t)lines->n_rows * sizeof *work->label, work->options, err));
    work->label = pt_alloc(lines->n_rows, sizeof *work->label, "labels", err);
    work->n_workers = pt_parallel_workers(work->options->task, n_blocks);
    work->workers = pt_alloc_zero(work->n_workers, sizeof *work->workers, what, err);
    if (!work->begin_pair || !work->n_pairs || !work->n_rows || !work->label || !work->workers)
        return PT_ENOMEM;
    for (int w = 0; w < work->n_workers; w++)
        work->workers[w] =
            (svm_worker){.largest = -1, .labels.words.budget = work->options->budget};
    int64_t pairs = 0;
    for (int64_t b = 0; b < n_blocks; b++) {
        const pt_block *block = &lines->blocks[b];
        const int64_t by_bytes = (block->end - block->begin) / LEAST_PAIR + 1;
        work->begin_pair[b] = pairs;
        pairs += block->marks < by_bytes ? block->marks : by_bytes;
    }
    PT_TRY(pt_reader_check_size(pairs + lines->n_rows + 1, 2, sizeof(double), work->options, err));
    PT_TRY(make_arrays(data, lines->n_rows + 1, pairs, work->options->room, err));
    work->start = data->start;
    work->index = data->index;
    work->value = data->value;
    return PT_OK;
}

static void work_free(svm_work *work)
{
    for (int w = 0; work->workers && w < work->n_workers; w++)
        pt_dictionary_free(&work->workers[w].labels);
    pt_free(work->workers);
    pt_free(work->label);
    pt_free(work->n_rows);
    pt_free(work->n_pairs);
    pt_free(work->begin_pair);
}

/* The labels of all workers, as one list. */
typedef struct merged_labels {
    int n;                /* workers */
    pt_dictionary *parts; /* of each */
    uint32_t **map;       /* of each: from its numbers to those of the list */
    pt_intern texts;
    int64_t *first; /* where each text stands first */
} merged_labels;

static void merged_free(merged_labels *m)
{
    for (int w = 0; m->map && w < m->n; w++) {
        pt_free(m->map[w]);
        pt_dictionary_free(&m->parts[w]);
    }
    pt_free(m->map);
    pt_free(m->parts);
    pt_free(m->first);
    pt_intern_free(&m->texts);
}

/* Merges the workers' labels, closes up the rows, names the classes. */
static pt_status finish_rows(svm_work *work, pt_dataset *data, pt_error *err)
{
    PT_FREED_BY(merged_free) merged_labels m = {.n = work->n_workers};
    PT_TRY(PT_NEW_ZERO(m.parts, m.n, "labels", err));
    PT_TRY(PT_NEW_ZERO(m.map, m.n, "labels", err));
    for (int w = 0; w < m.n; w++) {
        m.parts[w] = work->workers[w].labels;
        work->workers[w].labels = (pt_dictionary){0};
    }
    PT_TRY(pt_dictionary_merge(&m.texts, m.parts, m.n, 1, m.map, &m.first, err));
    data->n = close_up(work, m.map);
    const pt_label_cells cells = {.kind = work->label_kind,
                                  .separator = ',',
                                  .texts = &m.texts.texts,
                                  .first = m.first,
                                  .lines = work->lines,
                                  .source = work->options->source,
                                  .budget = work->options->budget};
    if (m.texts.texts.count == 0 || strcmp(work->options->label, "none") == 0)
        return PT_OK;
    return pt_labels_from_cells(&data->labels, &cells, data->n, work->label, err);
}

/* The width of the data: the largest index, or the model's. */
static pt_status finish_width(const svm_work *work, pt_dataset *data, pt_error *err)
{
    int64_t largest = -1;
    int64_t qids = 0;
    for (int w = 0; w < work->n_workers; w++) {
        if (work->workers[w].largest > largest)
            largest = work->workers[w].largest;
        qids += work->workers[w].qids;
    }
    data->d = data->row_stride = largest + 1;
    if (work->options->label_optional && data->d < work->options->n_features)
        data->d = data->row_stride = work->options->n_features;
    if (data->n == 0)
        return pt_lines_fail(work->lines, 0, err, "there is no example in the file");
    if (data->d == 0 && !work->options->block)
        return pt_lines_fail(work->lines, 0, err,
                             "no line has a feature (index:value); is this a LIBSVM file?");
    if (qids > 0)
        return pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "qid: stands in %lld lines; query numbers are not used", (long long)qids);
    return PT_OK;
}

/* A kernel matrix to train on is dense, whatever its file leaves out. */
static pt_status make_dense(pt_dataset *data, const pt_read_options *options, pt_error *err)
{
    PT_TRY(pt_reader_check_size(data->n, data->d, sizeof(double), options, err));
    double *dense = pt_alloc_zero(data->n, (size_t)data->d * sizeof *dense, "kernel values", err);
    if (!dense)
        return PT_ENOMEM;
    const double *value = data->value;
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t p = data->start[i]; p < data->start[i + 1]; p++)
            dense[i * data->d + data->index[p]] = value[p];
    pt_free(data->start);
    pt_free(data->index);
    pt_free(data->value);
    data->start = NULL;
    data->index = NULL;
    data->value = dense;
    return PT_OK;
}

/* Options that are about columns with names have no meaning here. */
static pt_status check_options(const pt_read_options *options, pt_error *err)
{
    if (options->label_optional)
        return PT_OK;
    const char *set = *options->label && strcmp(options->label, "none") != 0 ? "label"
                      : *options->ranks                                      ? "ranks"
                      : *options->weight                                     ? "weight"
                      : *options->group                                      ? "group"
                      : *options->fold                                       ? "fold"
                      : *options->time                                       ? "time-column"
                      : *options->nominal                                    ? "nominal"
                      : *options->ignore                                     ? "ignore"
                                                                             : NULL;
    if (!set)
        return PT_OK;
    return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                      "`%s` does not apply to LIBSVM files, whose columns have no names", set);
}

static pt_status svm_read(pt_dataset **out, const char *bytes, size_t size,
                          const pt_read_options *options, pt_error *err)
{
    PT_FREED_BY(pt_lines_free) pt_lines lines = {.mapped = options->mapped};
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_FREED_BY(work_free) svm_work work = {.lines = &lines, .options = options};
    work.label_optional = options->label_optional || strcmp(options->label, "none") == 0;
    size_t begin = 0;
    PT_TRY(check_options(options, err));
    if (!pt_label_kind_find(options->labels, &work.label_kind))
        return pt_fail(err, PT_EINVAL, "there is no kind of labels '%.40s'", options->labels);
    PT_TRY(pt_reader_check_text(bytes, size, &begin, options->source, err));
    PT_TRY(pt_lines_split(&lines, bytes, size, begin, 0, options->source, options->task, err));
    PT_TRY(pt_lines_count(&lines, 0, '#', ':', options->task, err));
    PT_TRY(pt_dataset_shell(&data, 0, 0, PT_F64, options->source, err));
    PT_TRY(make_room(&work, data, err));
    PT_TRY(pt_places_new(lines.n_rows, options, err));
    PT_TRY(pt_parallel_for_stage(options->task, options->block ? NULL : "read", lines.n_blocks,
                                 read_block, &work, err));
    PT_TRY(finish_rows(&work, data, err));
    PT_TRY(finish_width(&work, data, err));
    if (options->row_numbers && !options->label_optional)
        PT_TRY(make_dense(data, options, err));
    *out = pt_keep(&data);
    return PT_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* LIBSVM files hold numbers only: a nominal column becomes one of 0 and 1 for each level, as it
 * does for machines. (*place)[j] <- where column j begins; NULL: every column is where it was.
 * *width <- how many columns are written. */
static pt_status place_columns(int64_t **place, int64_t *width, const pt_dataset *data,
                               pt_error *err)
{
    bool nominal = false;
    for (int64_t j = 0; data->columns && j < data->d; j++)
        nominal = nominal || data->columns[j].nominal;
    *width = data->d;
    if (!nominal)
        return PT_OK;
    *place = pt_alloc(data->d, sizeof **place, "columns", err);
    if (!*place)
        return PT_ENOMEM;
    *width = 0;
    for (int64_t j = 0; j < data->d; j++) {
        (*place)[j] = *width;
        *width += data->columns[j].nominal ? data->columns[j].levels.count : 1;
    }
    return PT_OK;
}

/* Cell number `at`, row by row. */
static double stored_cell(const pt_dataset *data, int64_t at)
{
    return data->start ? pt_dataset_cell(data, at)
                       : pt_dataset_dense_cell(data, at / data->d, at % data->d);
}

/* The first missing cell by the name of its column. */
static pt_status fail_missing(const pt_dataset *data, pt_error *err)
{
    const int64_t stored = pt_dataset_stored(data);
    int64_t at = 0;
    while (at < stored && !isnan(stored_cell(data, at)))
        at++;
    const int64_t j = at == stored ? 0 : data->start ? data->index[at] : at % data->d;
    const char *name = data->columns ? data->columns[j].name : NULL;
    return pt_fail(err, PT_EFORMAT,
                   "LIBSVM files cannot hold missing cells, and column %lld%s%s%s has some; write "
                   "csv",
                   (long long)j + 1, name ? " ('" : "", name ? name : "", name ? "')" : "");
}

static pt_status check_writable(const pt_dataset *data, pt_error *err)
{
    const pt_ties ties = pt_ties_of(data);
    if (data->weights || pt_ties_any(&ties))
        return pt_fail(err, PT_EFORMAT, "LIBSVM files cannot hold %s; write csv",
                       data->weights ? "weights"
                       : ties.group  ? "groups"
                       : ties.fold   ? "folds"
                                     : "times");
    for (int64_t r = 0; data->labels && r < data->labels->classes.count; r++) {
        const char *name = data->labels->classes.items[r];
        if (name[0] == '\0' || name[0] == '#' || strpbrk(name, " \t\r\n:,"))
            return pt_fail(err, PT_EFORMAT,
                           "class '%.40s' has a space, a colon or a comma, which LIBSVM files "
                           "cannot hold; write csv",
                           name);
    }
    if (data->labels)
        PT_TRY(pt_label_text_check(data->labels, ',', err));
    if (pt_dataset_has_missing(data))
        return fail_missing(data, err);
    return PT_OK;
}

static pt_status put_pair(pt_writer *writer, bool first, int64_t index, double value, pt_error *err)
{
    char text[2 * PT_NUMBER_ROOM];
    int used = 0;
    if (!first)
        text[used++] = ' ';
    used += pt_number_format((double)(index + 1), text + used); /* at most 2^40: exact */
    text[used++] = ':';
    used += pt_number_format(value, text + used);
    return pt_writer_put(writer, text, (size_t)used, err);
}

static bool is_written(double value)
{
    return value != 0 || signbit(value);
}

/* The last column is written in the first line of a file even if it is zero, so that the width
 * survives; so is the first column of a line that would be blank. */
static pt_status write_row(const pt_dataset *data, const int64_t *place, int64_t width, int64_t i,
                           bool continues, pt_writer *writer, pt_label_buffer *label, pt_error *err)
{
    bool first = true;
    if (data->labels) {
        PT_TRY(pt_label_text(data->labels, i, ',', label, err));
        PT_TRY(pt_writer_put(writer, label->text, label->used, err));
        first = label->used == 0;
    }
    const int64_t cells = data->start ? data->start[i + 1] - data->start[i] : data->d;
    int64_t last = -1;
    for (int64_t c = 0; c < cells; c++) {
        const int64_t at = data->start ? data->start[i] + c : pt_dataset_place(data, i, c);
        const int64_t column = data->start ? data->index[at] : c;
        const bool nominal = place && data->columns[column].nominal;
        const int64_t level = nominal ? (int64_t)pt_dataset_cell(data, at) : 0;
        const double value = nominal ? 1 : pt_dataset_cell(data, at);
        const int64_t j = place ? place[column] + level : column;
        if (!data->start && !is_written(value))
            continue;
        PT_TRY(put_pair(writer, first, j, value, err));
        first = false;
        last = j;
    }
    if (i == 0 && !continues && last < width - 1)
        PT_TRY(put_pair(writer, first, width - 1, 0, err));
    else if (first)
        PT_TRY(put_pair(writer, true, 0, 0, err));
    return pt_writer_put(writer, "\n", 1, err);
}

static pt_status svm_write(const pt_dataset *data, bool continues, pt_writer *writer, pt_error *err)
{
    pt_label_buffer label = {NULL, 0, 0};
    int64_t *place = NULL;
    int64_t width = 0;
    pt_status status = check_writable(data, err);
    if (status == PT_OK)
        status = place_columns(&place, &width, data, err);
    for (int64_t i = 0; i < data->n && status == PT_OK; i++)
        status = write_row(data, place, width, i, continues, writer, &label, err);
    pt_free(place);
    pt_free(label.text);
    return status;
}

/* ---- which files these are ------------------------------------------------------------------- */

/* index:number, up to the end of the token; false too where the bytes end in it. */
static bool is_pair(const char *p, const char *end)
{
    const char *colon = p;
    while (colon < end && *colon >= '0' && *colon <= '9')
        colon++;
    if (colon == p || colon >= end || *colon != ':')
        return false;
    double value = 0;
    return pt_number_parse(colon + 1, (size_t)(end - colon - 1), &value) != PT_NUMBER_NONE;
}

/* Sure where the first line with anything in it is a label and pairs. */
static int svm_detect(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    const char *p = bytes;
    for (;;) {
        p = pt_skip_blank_lines(p, end);
        if (p == end || *p != '#')
            break;
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            return 0;
    }
    int64_t pairs = 0;
    for (int64_t token = 0; p < end && *p != '\n' && *p != '#'; token++) {
        const char *stop = p;
        while (stop < end && !ends_token(*stop))
            stop++;
        if (stop == end && size >= 4096)
            break; /* the token may be cut */
        const bool pair = is_pair(p, stop);
        const bool qid = stop - p > 4 && memcmp(p, "qid:", 4) == 0;
        if (!pair && !qid && token > 0)
            return 0;
        pairs += pair;
        for (p = stop; p < end && is_blank(*p);)
            p++;
    }
    return pairs > 0 ? 80 : 0;
}

const pt_format pt_format_libsvm = {"libsvm",
                                    "LIBSVM and svmlight text: label index:value ...",
                                    ".svm,.libsvm,.svmlight,.light",
                                    svm_detect,
                                    svm_read,
                                    svm_write};
