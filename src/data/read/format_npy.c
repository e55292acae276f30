/* NPY, numpy's file of one array, and NPZ, a zip file of several.
 *
 * NPY: magic, version 1 to 3, the length of a header, the header (a Python dictionary with descr,
 * fortran_order and shape), the values. A matrix of n rows; its last column is the label unless
 * --label says otherwise. NPZ: X and y; or data, indices, indptr and shape of a scipy.sparse CSR
 * matrix, and y if there are labels.
 *
 * Floats of 32 bits stay so; everything else becomes double. NaN is a missing value; infinities are
 * refused. Labels that are whole numbers are written without a point. The header says how many
 * bytes must follow, so a hostile one is refused before anything is allocated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "data/labels/label_cells.h"
#include "data/read/intern.h"
#include "data/read/number.h"
#include "data/read/reader.h"
#include "data/read/roles.h"
#include "data/read/source.h"
#include "data/read/tie_columns.h"

/* ---- arrays ---------------------------------------------------------------------------------- */

/* An array in a file, of at most two dimensions. */
typedef struct array {
    char kind;   /* f float, i and u integers, b bool, S bytes, U characters of 4 bytes */
    size_t item; /* bytes */
    bool fortran;
    int n_dimensions;
    int64_t shape[2]; /* 1 for dimensions that are not there */
    const char *bytes;
    const char *name; /* for messages */
} array;

static pt_status refuse(const pt_read_options *options, const char *name, const char *what,
                        pt_error *err)
{
    return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0, "%s: %-s", name, what);
}

static int64_t array_count(const array *a)
{
    return a->shape[0] * a->shape[1];
}

/* Element number `at`, in the order of the file. */
static double array_get(const array *a, int64_t at)
{
    const char *p = a->bytes + (size_t)at * a->item;
    union {
        float f4;
        double f8;
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
        uint8_t u1;
        uint16_t u2;
        uint32_t u4;
        uint64_t u8;
    } v;
    memcpy(&v, p, a->item);
    if (a->kind == 'f')
        return a->item == 4 ? (double)v.f4 : v.f8;
    if (a->kind == 'i')
        return a->item == 1 ? v.i1 : a->item == 2 ? v.i2 : a->item == 4 ? v.i4 : (double)v.i8;
    return a->item == 1 ? v.u1 : a->item == 2 ? v.u2 : a->item == 4 ? v.u4 : (double)v.u8;
}

static int64_t array_integer(const array *a, int64_t at)
{
    if (a->item == 8) { /* beyond 2^53 a double would round */
        int64_t v = 0;
        memcpy(&v, a->bytes + (size_t)at * 8, 8);
        return v;
    }
    return (int64_t)array_get(a, at);
}

static double array_cell(const array *a, int64_t i, int64_t j)
{
    return array_get(a, a->fortran ? j * a->shape[0] + i : i * a->shape[1] + j);
}

static bool is_integers(const array *a)
{
    return a->kind == 'i' || a->kind == 'u';
}

static bool is_numbers(const array *a)
{
    return a->kind != 'S' && a->kind != 'U';
}

/* ---- the header ------------------------------------------------------------------------------ */

typedef struct header_text {
    const char *p;
    const char *end;
} header_text;

static void skip_spaces(header_text *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\n' || *t->p == '\t'))
        t->p++;
}

static bool take(header_text *t, char c)
{
    skip_spaces(t);
    if (t->p == t->end || *t->p != c)
        return false;
    t->p++;
    return true;
}

/* 'text', without escapes. */
static bool take_string(header_text *t, const char **text, size_t *length)
{
    skip_spaces(t);
    if (t->p == t->end || (*t->p != '\'' && *t->p != '"'))
        return false;
    const char quote = *t->p++;
    *text = t->p;
    const char *close = memchr(t->p, quote, (size_t)(t->end - t->p));
    if (!close)
        return false;
    *length = (size_t)(close - t->p);
    t->p = close + 1;
    return true;
}

static bool take_word(header_text *t, const char *word)
{
    const size_t length = strlen(word);
    skip_spaces(t);
    if ((size_t)(t->end - t->p) < length || memcmp(t->p, word, length) != 0)
        return false;
    t->p += length;
    return true;
}

static bool take_integer(header_text *t, int64_t *value)
{
    skip_spaces(t);
    const char *first = t->p;
    *value = 0;
    while (t->p < t->end && *t->p >= '0' && *t->p <= '9' && t->p - first < 18)
        *value = 10 * *value + (*t->p++ - '0');
    return t->p > first;
}

/* (), (3,), (3, 4) */
static bool take_shape(header_text *t, array *a)
{
    a->n_dimensions = 0;
    a->shape[0] = a->shape[1] = 1;
    if (!take(t, '('))
        return false;
    while (!take(t, ')')) {
        if (a->n_dimensions == 2 || !take_integer(t, &a->shape[a->n_dimensions++]))
            return false;
        if (!take(t, ',')) {
            if (!take(t, ')'))
                return false;
            break;
        }
    }
    return true;
}

static bool known_type(array *a, const char *text, size_t length)
{
    if (length < 3 || length > 12 || (text[0] != '<' && text[0] != '|' && text[0] != '='))
        return false;
    a->kind = text[1];
    a->item = 0;
    for (size_t i = 2; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        a->item = 10 * a->item + (size_t)(text[i] - '0');
    }
    const size_t s = a->item;
    switch (a->kind) {
    case 'f':
        return s == 4 || s == 8;
    case 'i':
    case 'u':
        return s == 1 || s == 2 || s == 4 || s == 8;
    case 'b':
        return s == 1;
    case 'S':
        return s <= 1 << 20;
    case 'U':
        a->item = 4 * s;
        return s <= 1 << 20;
    default:
        return false;
    }
}

static pt_status read_dictionary(header_text *t, array *a, const pt_read_options *options,
                                 pt_error *err)
{
    const char *broken = "the header cannot be read; is this an NPY file?";
    bool have_type = false;
    bool have_order = false;
    bool have_shape = false;
    if (!take(t, '{'))
        return refuse(options, a->name, broken, err);
    while (!take(t, '}')) {
        const char *key = NULL;
        size_t length = 0;
        if (!take_string(t, &key, &length) || !take(t, ':'))
            return refuse(options, a->name, broken, err);
        if (length == 5 && memcmp(key, "descr", 5) == 0) {
            const char *type = NULL;
            if (!take_string(t, &type, &length))
                return refuse(options, a->name, "records are not read; save plain numbers", err);
            if (!known_type(a, type, length)) {
                char what[160];
                snprintf(what, sizeof what,
                         "the type '%.*s' is not read; save float32, float64, bool or integers, "
                         "little-endian",
                         (int)(length < 24 ? length : 24), type);
                for (char *c = what; *c; c++)
                    *c = (unsigned char)*c < ' ' || *c == '`' ? '?' : *c;
                return refuse(options, a->name, what, err);
            }
            have_type = true;
        } else if (length == 13 && memcmp(key, "fortran_order", 13) == 0) {
            a->fortran = take_word(t, "True");
            have_order = a->fortran || take_word(t, "False");
        } else if (length == 5 && memcmp(key, "shape", 5) == 0) {
            have_shape = take_shape(t, a);
            if (!have_shape)
                return refuse(options, a->name,
                              "the shape cannot be read; one or two dimensions are expected", err);
        } else {
            return refuse(options, a->name, broken, err);
        }
        if (!take(t, ',')) {
            if (!take(t, '}'))
                return refuse(options, a->name, broken, err);
            break;
        }
    }
    if (!have_type || !have_order || !have_shape)
        return refuse(options, a->name, broken, err);
    return PT_OK;
}

static uint64_t little(const char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

static bool is_npy(const char *bytes, size_t size)
{
    return size >= 10 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

static pt_status array_open(array *a, const char *bytes, size_t size, const char *name,
                            const pt_read_options *options, pt_error *err)
{
    memset(a, 0, sizeof *a);
    a->name = name;
    if (!is_npy(bytes, size))
        return refuse(options, name, "this is not an NPY array", err);
    const int version = (unsigned char)bytes[6];
    if (version < 1 || version > 3)
        return refuse(options, name, "the version of the NPY file is not 1, 2 or 3", err);
    const size_t begin = version == 1 ? 10 : 12;
    if (size < begin)
        return refuse(options, name, "the file is cut off", err);
    const uint64_t length = little(bytes + 8, version == 1 ? 2 : 4);
    if (length > size - begin)
        return refuse(options, name, "the file is cut off in its header", err);
    header_text text = {bytes + begin, bytes + begin + length};
    PT_TRY(read_dictionary(&text, a, options, err));
    a->bytes = bytes + begin + length;
    const size_t have = size - begin - (size_t)length;
    size_t count = 0;
    size_t need = 0;
    if (!pt_size_mul((size_t)a->shape[0], (size_t)a->shape[1], &count) ||
        !pt_size_mul(count, a->item ? a->item : 1, &need) || need > have)
        return refuse(options, name, "the file is shorter than its shape says", err);
    if (need < have && a->item > 0)
        return refuse(options, name, "the file is longer than its shape says", err);
    return PT_OK;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* A code point as UTF-8; returns how many bytes. */
static size_t put_utf8(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | (c >> 18 & 7));
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* A text of the array, without the zeros that fill it up; `out` has room for item bytes. False
 * where it has a zero inside. */
static bool array_text(const array *a, int64_t at, char *out, size_t *length)
{
    const char *p = a->bytes + (size_t)at * a->item;
    const size_t step = a->kind == 'U' ? 4 : 1;
    size_t count = a->item / step;
    while (count > 0 && little(p + (count - 1) * step, (int)step) == 0)
        count--;
    *length = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t c = (uint32_t)little(p + i * step, (int)step);
        if (c == 0)
            return false;
        if (step == 1)
            out[(*length)++] = (char)c;
        else
            *length += put_utf8(c, out + *length);
    }
    return true;
}

/* A number as a label or a level: whole numbers without a point. */
static size_t number_text(double value, char out[PT_NUMBER_ROOM])
{
    return (size_t)pt_number_format(value == 0 ? 0 : value, out);
}

/* Text number i of a column: of an array of texts, or a number; length 0: missing. */
static pt_status cell_text(const array *a, int64_t i, int64_t j, char *room, size_t *length,
                           const pt_read_options *options, pt_error *err)
{
    if (!is_numbers(a)) {
        if (!array_text(a, i, room, length))
            return refuse(options, a->name, "a text has a zero inside", err);
        return PT_OK;
    }
    if (is_integers(a)) { /* all digits, also beyond 2^53 */
        const int64_t at = a->fortran ? j * a->shape[0] + i : i * a->shape[1] + j;
        const int64_t value = array_integer(a, at);
        const bool wide = a->kind == 'u' && a->item == 8;
        *length = (size_t)(wide ? snprintf(room, PT_NUMBER_ROOM, "%llu", (unsigned long long)value)
                                : snprintf(room, PT_NUMBER_ROOM, "%lld", (long long)value));
        return PT_OK;
    }
    const double value = array_cell(a, i, j);
    if (isinf(value))
        return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0,
                          "%s: row %lld, column %lld is infinite", a->name, (long long)i + 1,
                          (long long)j + 1);
    *length = isnan(value) ? 0 : number_text(value, room);
    return PT_OK;
}

/* The texts of a column, numbered in the order of the rows; -1: the cell is empty. What the numbers
 * take is within the budget while they are there. Zero-initialise; free it always. */
typedef struct text_column {
    pt_intern words;
    int64_t *code; /* n */
    size_t bytes;  /* of code, taken from the budget */
} text_column;

static void text_column_free(text_column *column)
{
    pt_budget_give(column->words.budget, column->bytes);
    pt_free(column->code);
    pt_intern_free(&column->words);
}

static pt_status text_column_read(text_column *column, const array *a, int64_t j,
                                  const pt_read_options *options, pt_error *err)
{
    const int64_t n = a->shape[0];
    PT_SCRATCH char *room = NULL;
    const size_t bytes = (size_t)n * sizeof *column->code;
    PT_TRY(pt_reader_take(bytes, options, err));
    column->words.budget = options->budget;
    column->bytes = bytes;
    PT_TRY(PT_NEW(column->code, n, "labels", err));
    PT_TRY(PT_NEW(room, (int64_t)(a->item > PT_NUMBER_ROOM ? a->item : PT_NUMBER_ROOM), "a text",
                  err));
    for (int64_t i = 0; i < n; i++) {
        size_t length = 0;
        PT_TRY(pt_task_check_at(options->task, i, err));
        PT_TRY(cell_text(a, i, j, room, &length, options, err));
        column->code[i] = -1;
        if (length > 0)
            PT_TRY(pt_intern_add(&column->words, room, length, &column->code[i], err));
    }
    return PT_OK;
}

/* Labels in one column. */
static pt_status make_labels(pt_dataset *data, const array *a, int64_t j, pt_label_kind kind,
                             const pt_read_options *options, pt_error *err)
{
    PT_FREED_BY(text_column_free) text_column column = {0};
    PT_TRY(text_column_read(&column, a, j, options, err));
    const bool all_known = !options->label_optional && (kind != PT_LABEL_SET || is_numbers(a));
    for (int64_t i = 0; i < data->n && all_known; i++)
        if (column.code[i] < 0)
            return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0,
                              "%s: the label of row %lld is missing; fill it in or remove the row",
                              a->name, (long long)i + 1);
    const pt_label_cells cells = {.kind = kind,
                                  .separator = ';',
                                  .texts = &column.words.texts,
                                  .source = options->source,
                                  .budget = options->budget};
    if (kind == PT_LABEL_SET && options->label_optional && column.words.texts.count == 0)
        return PT_OK; /* nothing is labelled */
    return pt_labels_from_cells(&data->labels, &cells, data->n, column.code, err);
}

/* Labels in several columns, those that `columns` lists. NaN: not ranked. */
static pt_status make_marked_labels(pt_dataset *data, const array *a,
                                    const pt_label_columns *columns, pt_label_kind kind,
                                    const pt_read_options *options, pt_error *err)
{
    const int64_t m = columns->count;
    const bool ranks = kind == PT_LABEL_RANKING;
    PT_TRY(pt_reader_check_size(data->n, m, sizeof(int32_t), options, err));
    PT_SCRATCH int32_t *marks = pt_alloc(data->n, (size_t)m * sizeof *marks, "labels", err);
    if (!marks)
        return PT_ENOMEM;
    for (int64_t i = 0; i < data->n; i++) {
        bool some = false;
        PT_TRY(pt_task_check_at(options->task, i, err));
        for (int64_t c = 0; c < m; c++) {
            const double value = array_cell(a, i, columns->column[c] - 1);
            int32_t *mark = &marks[i * m + c];
            *mark = PT_MARK_NONE;
            if (isnan(value) && ranks)
                continue;
            some = true;
            if (!pt_label_mark_value(kind, value, mark))
                return pt_fail_at(
                    err, PT_EFORMAT, options->source, 0, 0, "%s: row %lld, column %lld is %g, %s",
                    a->name, (long long)i + 1, (long long)columns->column[c], value,
                    ranks ? "not a rank, a whole number from 1 (the best) on" : "neither 0 nor 1");
        }
        if (!some && !options->label_optional)
            return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0,
                              "%s: row %lld ranks no class; fill in a rank or remove the row",
                              a->name, (long long)i + 1);
    }
    return pt_labels_from_marks(&data->labels, kind, data->n, m, marks, &columns->names, err);
}

/* A matrix y: one column for each class, which are numbered from 0, as numpy does. */
static pt_status labels_from_matrix(pt_dataset *data, const array *y, pt_label_kind kind,
                                    const pt_read_options *options, pt_error *err)
{
    if (!is_numbers(y) || y->shape[0] != data->n)
        return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0,
                          "y is a matrix of %lld x %lld%s; there are %lld rows",
                          (long long)y->shape[0], (long long)y->shape[1],
                          is_numbers(y) ? "" : " texts", (long long)data->n);
    if (kind == PT_LABEL_CLASS || kind == PT_LABEL_PAIRS)
        return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0,
                          "y is a matrix of %lld columns; say `labels=set` if they hold 0 and 1, "
                          "`labels=ranking` if they hold ranks",
                          (long long)y->shape[1]);
    PT_FREED_BY(pt_label_columns_free) pt_label_columns columns = {0};
    PT_TRY(PT_NEW(columns.column, y->shape[1], "label columns", err));
    for (int64_t j = 0; j < y->shape[1]; j++) {
        columns.column[columns.count++] = j + 1;
        PT_TRY(pt_texts_add(&columns.names, err, "%lld", (long long)j));
    }
    return make_marked_labels(data, y, &columns, kind, options, err);
}

/* The array y of an NPZ file. */
static pt_status labels_from_y(pt_dataset *data, array *y, const pt_read_options *options,
                               pt_error *err)
{
    if (strcmp(options->label, "none") == 0)
        return PT_OK;
    if (*options->label && !options->label_optional)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`label` does not apply: the file has its labels in y");
    pt_label_kind kind = PT_LABEL_CLASS;
    if (!pt_label_kind_find(options->labels, &kind))
        return pt_fail(err, PT_EINVAL, "there is no kind of labels '%.40s'", options->labels);
    if (*options->ranks && !options->label_optional)
        return pt_fail_at(
            err, PT_EINVAL, options->source, 0, 0,
            "`ranks` does not apply: the file has its labels in y; say `labels=ranking`");
    if (y->n_dimensions == 2 && y->shape[1] > 1 && y->shape[0] != 1)
        return labels_from_matrix(data, y, kind, options, err);
    if (array_count(y) != data->n || y->n_dimensions == 0)
        return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0, "y has %lld values for %lld rows",
                          (long long)array_count(y), (long long)data->n);
    y->shape[0] = data->n; /* also a matrix of one row or column */
    y->shape[1] = 1;
    y->fortran = false;
    return make_labels(data, y, 0, kind, options, err);
}

/* ---- dense ----------------------------------------------------------------------------------- */

/* Rows begin .. end-1 of a column of numbers. */
static pt_status put_numbers(pt_dataset *data, const array *a, int64_t j, int64_t feature,
                             int64_t begin, int64_t end, const pt_read_options *options,
                             pt_error *err)
{
    float *value32 = data->value;
    double *value64 = data->value;
    for (int64_t i = begin; i < end; i++) {
        const double value = array_cell(a, i, j);
        if (isinf(value))
            return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0,
                              "%s: row %lld, column %lld is infinite; correct it, or use NaN if it "
                              "is missing",
                              a->name, (long long)i + 1, (long long)j + 1);
        if (data->type == PT_F32)
            value32[i * data->d + feature] = (float)value;
        else
            value64[i * data->d + feature] = value;
    }
    return PT_OK;
}

static pt_status put_levels(pt_dataset *data, const array *a, int64_t j, int64_t feature,
                            const pt_read_options *options, pt_error *err)
{
    PT_FREED_BY(text_column_free) text_column column = {0};
    PT_TRY(text_column_read(&column, a, j, options, err));
    for (int64_t i = 0; i < data->n; i++) {
        PT_TRY(pt_task_check_at(options->task, i, err));
        ((double *)data->value)[i * data->d + feature] =
            column.code[i] < 0 ? NAN : (double)column.code[i];
    }
    data->columns[feature].levels = column.words.texts;
    column.words.texts = (pt_texts){0};
    return PT_OK;
}

static pt_status put_weights(pt_dataset *data, const array *a, int64_t j,
                             const pt_read_options *options, pt_error *err)
{
    PT_TRY(pt_reader_take((size_t)data->n * sizeof *data->weights, options, err));
    PT_TRY(PT_NEW(data->weights, data->n, "weights", err));
    for (int64_t i = 0; i < data->n; i++) {
        data->weights[i] = array_cell(a, i, j);
        if (!(data->weights[i] >= 0) || isinf(data->weights[i]))
            return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0,
                              "%s: the weight of row %lld is not a finite number of at least 0",
                              a->name, (long long)i + 1);
    }
    return PT_OK;
}

/* What a column says of how rows are held out, as numbers or as the texts of numbers. */
static pt_status read_tie(pt_tie_cells *cells, text_column *texts, double **number, const array *a,
                          const pt_tie_column *tie, const pt_read_options *options, pt_error *err)
{
    cells->kind = tie->kind;
    if (tie->kind != PT_TIE_TIME) {
        PT_TRY(text_column_read(texts, a, tie->column, options, err));
        cells->code = texts->code;
        cells->texts = &texts->words.texts;
        return PT_OK;
    }
    PT_TRY(PT_NEW(*number, a->shape[0], "times of rows", err));
    for (int64_t i = 0; i < a->shape[0]; i++)
        (*number)[i] = array_cell(a, i, tie->column);
    cells->number = *number;
    return PT_OK;
}

static pt_status put_ties(pt_dataset *data, const array *a, const pt_roles *roles,
                          const pt_read_options *options, pt_error *err)
{
    const int64_t count = roles->n_ties;
    PT_SCRATCH pt_tie_cells *cells = NULL;
    PT_SCRATCH char(*names)[PT_TIE_NAME] = NULL;
    PT_SCRATCH text_column *texts = NULL;
    PT_SCRATCH double *number = NULL; /* there is one column of times at most */
    PT_TRY(PT_NEW_ZERO(cells, count, "groups of rows", err));
    PT_TRY(PT_NEW(names, count, "groups of rows", err));
    PT_TRY(PT_NEW_ZERO(texts, count, "groups of rows", err));
    pt_status status = PT_OK;
    for (int64_t t = 0; t < count && status == PT_OK; t++) {
        cells[t].name = pt_tie_name(NULL, roles->ties[t].column, names[t]);
        status = read_tie(&cells[t], &texts[t], &number, a, &roles->ties[t], options, err);
    }
    if (status == PT_OK)
        status = pt_tie_columns_take(data, cells, count, options, NULL, err);
    for (int64_t t = 0; t < count; t++)
        text_column_free(&texts[t]);
    return status;
}

/* Numbers, some rows at a time, so that either order of the file meets the cache. */
static pt_status fill_numbers(pt_dataset *data, const array *a, const pt_roles *roles,
                              const pt_read_options *options, pt_error *err)
{
    enum { ROWS = 64 };
    for (int64_t begin = 0; begin < data->n; begin += ROWS) {
        PT_TRY(pt_task_check(options->task, err));
        const int64_t end = data->n - begin < ROWS ? data->n : begin + ROWS;
        int64_t feature = 0;
        for (int64_t j = 0; j < roles->n_columns; j++) {
            const pt_role role = roles->role[j];
            if (role == PT_ROLE_FEATURE || role == PT_ROLE_NUMBER)
                PT_TRY(put_numbers(data, a, j, feature, begin, end, options, err));
            feature += role <= PT_ROLE_NOMINAL;
        }
    }
    return PT_OK;
}

static pt_status fill_columns(pt_dataset *data, const array *a, const pt_roles *roles,
                              const pt_read_options *options, pt_error *err)
{
    PT_TRY(fill_numbers(data, a, roles, options, err));
    int64_t feature = 0;
    for (int64_t j = 0; j < roles->n_columns; j++) {
        const pt_role role = roles->role[j];
        if (role == PT_ROLE_NOMINAL)
            PT_TRY(put_levels(data, a, j, feature, options, err));
        else if (role == PT_ROLE_LABEL)
            PT_TRY(make_labels(data, a, j, roles->label_kind, options, err));
        else if (role == PT_ROLE_WEIGHT)
            PT_TRY(put_weights(data, a, j, options, err));
        feature += role <= PT_ROLE_NOMINAL;
    }
    if (roles->n_ties > 0)
        PT_TRY(put_ties(data, a, roles, options, err));
    if (data->label_columns.count > 0)
        PT_TRY(make_marked_labels(data, a, &data->label_columns, roles->label_kind, options, err));
    return PT_OK;
}

/* A matrix, with its labels in y if that is given. */
static pt_status read_dense(pt_dataset **out, const array *a, array *y,
                            const pt_read_options *options, pt_error *err)
{
    if (!is_numbers(a))
        return refuse(options, a->name, "texts are not read as features; save numbers", err);
    if (a->shape[0] == 0 || a->shape[1] == 0 || a->n_dimensions == 0)
        return refuse(options, a->name, "there are no rows", err);
    if (a->shape[1] > 1 << 22)
        return refuse(options, a->name, "there are more than 4194304 columns", err);
    pt_read_options own = *options;
    if (y) {
        own.label = "none";
        own.ranks = "";
    }
    PT_FREED_BY(pt_roles_free) pt_roles roles = {0};
    PT_FREED_BY(pt_warnings_free) pt_warnings warnings = {0};
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_roles_assign(&roles, a->shape[1], NULL, &own, &warnings, err));
    bool nominal = false;
    for (int64_t j = 0; j < roles.n_columns; j++)
        nominal = nominal || roles.role[j] == PT_ROLE_NOMINAL;
    const pt_type type = a->kind == 'f' && a->item == 4 && !nominal ? PT_F32 : PT_F64;
    PT_TRY(pt_reader_check_size(a->shape[0], roles.n_features, pt_type_size(type), options, err));
    PT_TRY(pt_dataset_shell(&data, a->shape[0], roles.n_features, type, options->source, err));
    PT_TRY(pt_roles_columns(&roles, NULL, data, err));
    data->value =
        pt_alloc(data->n, (size_t)data->d * pt_type_size(type), "the values of a data set", err);
    if (!data->value)
        return PT_ENOMEM;
    PT_TRY(fill_columns(data, a, &roles, options, err));
    if (y)
        PT_TRY(labels_from_y(data, y, options, err));
    *out = pt_keep(&data);
    return PT_OK;
}

static pt_status npy_read(pt_dataset **out, const char *bytes, size_t size,
                          const pt_read_options *options, pt_error *err)
{
    array a;
    PT_TRY(array_open(&a, bytes, size, "the array", options, err));
    return read_dense(out, &a, NULL, options, err);
}

/* ---- sparse ---------------------------------------------------------------------------------- */

typedef struct csr {
    array data;
    array indices;
    array indptr;
    array shape;
    array format;
} csr;

typedef struct pair {
    int64_t index;
    double value;
} pair;

static int compare_pairs(const void *a, const void *b)
{
    const int64_t x = ((const pair *)a)->index;
    const int64_t y = ((const pair *)b)->index;
    return (x > y) - (x < y);
}

/* scipy allows any order within a row; ours ascends. */
static pt_status sort_row(pt_dataset *data, int64_t i, pt_error *err)
{
    const int64_t begin = data->start[i];
    const int64_t count = data->start[i + 1] - begin;
    double *value = data->value;
    pair *pairs = pt_alloc(count, sizeof *pairs, "a sparse row", err);
    if (!pairs)
        return PT_ENOMEM;
    for (int64_t c = 0; c < count; c++)
        pairs[c] = (pair){data->index[begin + c], value[begin + c]};
    qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
    for (int64_t c = 0; c < count; c++) {
        data->index[begin + c] = pairs[c].index;
        value[begin + c] = pairs[c].value;
    }
    pt_free(pairs);
    return PT_OK;
}

static pt_status fill_row(pt_dataset *data, const csr *m, int64_t i, const pt_read_options *options,
                          pt_error *err)
{
    bool ascends = true;
    const int64_t begin = data->start[i];
    const int64_t end = data->start[i + 1];
    double *value = data->value;
    for (int64_t at = begin; at < end; at++) {
        data->index[at] = array_integer(&m->indices, at);
        value[at] = array_get(&m->data, at);
        if (data->index[at] < 0 || data->index[at] >= data->d)
            return refuse(options, "indices", "a column lies outside the shape", err);
        if (!isfinite(value[at]))
            return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0,
                              "data: row %lld has a value that is not a finite number",
                              (long long)i + 1);
        ascends = ascends && (at == begin || data->index[at - 1] < data->index[at]);
    }
    if (ascends)
        return PT_OK;
    PT_TRY(sort_row(data, i, err));
    for (int64_t at = begin + 1; at < end; at++)
        if (data->index[at - 1] == data->index[at])
            PT_TRY(refuse(options, "indices",
                          "a column stands twice in a row; call sum_duplicates() before saving",
                          err));
    return PT_OK;
}

static pt_status check_csr(const csr *m, const pt_read_options *options, pt_error *err)
{
    if (m->format.bytes &&
        (m->format.kind != 'S' || m->format.item < 3 || memcmp(m->format.bytes, "csr", 3) != 0))
        return refuse(options, "format", "only CSR matrices are read; call tocsr() before saving",
                      err);
    if (!is_integers(&m->indices) || !is_integers(&m->indptr) || !is_integers(&m->shape) ||
        !is_numbers(&m->data))
        return refuse(options, "the sparse matrix", "an array has the wrong type", err);
    if (array_count(&m->shape) != 2)
        return refuse(options, "shape", "two numbers are expected", err);
    const int64_t n = array_integer(&m->shape, 0);
    const int64_t d = array_integer(&m->shape, 1);
    if (n <= 0 || d <= 0 || d > (int64_t)1 << 40)
        return refuse(options, "shape", "the matrix is empty or too wide", err);
    if (array_count(&m->indptr) - 1 != n || array_count(&m->data) != array_count(&m->indices))
        return refuse(options, "the sparse matrix", "its arrays do not fit each other", err);
    return PT_OK;
}

static pt_status read_csr(pt_dataset **out, const csr *m, array *y, const pt_read_options *options,
                          pt_error *err)
{
    const char *beside = *options->weight  ? "weight"
                         : *options->group ? "group"
                         : *options->fold  ? "fold"
                         : *options->time  ? "time-column"
                                           : NULL;
    PT_TRY(check_csr(m, options, err));
    if (beside && !options->label_optional)
        return pt_fail_at(err, PT_EINVAL, options->source, 0, 0,
                          "`%s` does not apply to a sparse matrix, all of whose columns are "
                          "features",
                          beside);
    const int64_t n = array_integer(&m->shape, 0);
    const int64_t pairs = array_count(&m->data);
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(pt_reader_check_size(pairs + n + 1, 2, sizeof(double), options, err));
    PT_TRY(pt_dataset_shell(&data, n, array_integer(&m->shape, 1), PT_F64, options->source, err));
    data->start = pt_alloc(n + 1, sizeof *data->start, "sparse rows", err);
    data->index = pt_alloc(pairs, sizeof *data->index, "sparse rows", err);
    data->value = pt_alloc(pairs, sizeof(double), "sparse rows", err);
    if (!data->start || !data->index || !data->value)
        return PT_ENOMEM;
    for (int64_t i = 0; i <= n; i++) {
        data->start[i] = array_integer(&m->indptr, i);
        if (data->start[i] < (i ? data->start[i - 1] : 0) || data->start[i] > pairs ||
            (i == 0 && data->start[0] != 0) || (i == n && data->start[n] != pairs))
            return refuse(options, "indptr", "it does not ascend from 0 to the number of values",
                          err);
    }
    for (int64_t i = 0; i < n; i++) {
        PT_TRY(pt_task_check_at(options->task, i, err));
        PT_TRY(fill_row(data, m, i, options, err));
    }
    if (y)
        PT_TRY(labels_from_y(data, y, options, err));
    if (!y && !options->label_optional && strcmp(options->label, "none") != 0)
        return refuse(options, "y",
                      "a sparse matrix needs an array y of labels beside it; save it too, or say "
                      "`label=none`",
                      err);
    *out = pt_keep(&data);
    return PT_OK;
}

/* ---- NPZ ------------------------------------------------------------------------------------- */

/* Arrays by name, and the memory of those that were compressed. */
enum { NPZ_X, NPZ_Y, NPZ_DATA, NPZ_INDICES, NPZ_INDPTR, NPZ_SHAPE, NPZ_FORMAT, NPZ_ARRAYS };
static const char *const NPZ_NAMES[NPZ_ARRAYS] = {"X",      "y",     "data",  "indices",
                                                  "indptr", "shape", "format"};

typedef struct npz {
    array arrays[NPZ_ARRAYS];
    bool found[NPZ_ARRAYS];
    char *copies[NPZ_ARRAYS];
} npz;

static pt_status npz_open(npz *file, const char *bytes, size_t size, const pt_read_options *options,
                          pt_error *err)
{
    for (int i = 0; i < NPZ_ARRAYS; i++) {
        char name[24];
        snprintf(name, sizeof name, "%s.npy", NPZ_NAMES[i]);
        pt_zip_member member;
        const char *contents = NULL;
        PT_TRY(pt_zip_find(bytes, size, name, options->source, &member, &file->found[i], err));
        if (!file->found[i])
            continue;
        PT_TRY(pt_zip_expand(&member, options->source, options->task, &contents, &file->copies[i],
                             err));
        PT_TRY(array_open(&file->arrays[i], contents, member.size, NPZ_NAMES[i], options, err));
    }
    return PT_OK;
}

static void npz_close(npz *file)
{
    for (int i = 0; i < NPZ_ARRAYS; i++)
        pt_free(file->copies[i]);
}

static pt_status npz_read(pt_dataset **out, const char *bytes, size_t size,
                          const pt_read_options *options, pt_error *err)
{
    PT_FREED_BY(npz_close) npz file = {0};
    PT_TRY(npz_open(&file, bytes, size, options, err));
    array *y = file.found[NPZ_Y] ? &file.arrays[NPZ_Y] : NULL;
    if (file.found[NPZ_X] && !y && !options->label_optional && !*options->label)
        return refuse(options, "y",
                      "there is X and no array y of labels; save it too, or say `label=none`, or "
                      "`label` with the number of a column of X",
                      err);
    if (file.found[NPZ_X])
        return read_dense(out, &file.arrays[NPZ_X], y, options, err);
    if (file.found[NPZ_DATA] && file.found[NPZ_INDICES] && file.found[NPZ_INDPTR] &&
        file.found[NPZ_SHAPE]) {
        const csr m = {file.arrays[NPZ_DATA], file.arrays[NPZ_INDICES], file.arrays[NPZ_INDPTR],
                       file.arrays[NPZ_SHAPE], file.arrays[NPZ_FORMAT]};
        return read_csr(out, &m, y, options, err);
    }
    return pt_fail_at(err, PT_EFORMAT, options->source, 0, 0,
                      "the file has neither X (and y) nor data, indices, indptr and shape of a "
                      "sparse matrix; save it with numpy.savez(file, X=X, y=y)");
}

static int npy_detect(const char *bytes, size_t size)
{
    return is_npy(bytes, size) ? 100 : 0;
}

static int npz_detect(const char *bytes, size_t size)
{
    return pt_zip_is(bytes, size) ? 95 : 0;
}

const pt_format pt_format_npy = {"npy",    "NPY: one numpy array, the last column is the label",
                                 ".npy",   npy_detect,
                                 npy_read, NULL};

const pt_format pt_format_npz = {
    "npz",    "NPZ: numpy arrays X and y, or a scipy.sparse matrix and y",
    ".npz",   npz_detect,
    npz_read, NULL};
