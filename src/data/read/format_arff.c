/* ARFF: a header of @attribute lines that declare the columns, then @data and rows.
 *
 *   @relation NAME
 *   @attribute NAME numeric | real | integer | string | {a, b, 'c d'}
 *   @data
 *   5.1, a, ?             a dense row; ? is missing
 *   {0 5.1, 3 a}          a sparse row: column numbers from 0; what is absent is 0, or the first
 *                         declared value of a nominal attribute
 *
 * Keywords in any case; % begins a comment, at the beginning of a line or behind a space; names and
 * values may be quoted with ' or ", with backslashes. Declared values are the levels, in their
 * order; a string attribute is nominal with the values that occur. Sparse rows stay sparse: there
 * {0, 1} declares numbers, and of other values the first is what is left out. The header is read
 * first, then blocks of lines in parallel, as in CSV.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "data/labels/label_cells.h"
#include "data/read/number.h"
#include "data/read/reader.h"
#include "data/read/roles.h"
#include "data/read/table.h"

enum { MOST_ATTRIBUTES = 1 << 22, LEAST_PAIR = 4, LABEL_ABSENT = -2 };

/* ---- tokens ---------------------------------------------------------------------------------- */

/* A place in a text whose tokens are read; errors are of this text. */
typedef struct arff_text {
    const pt_lines *lines; /* for the places of errors */
    const pt_block *block; /* NULL: p points into lines->bytes */
    const char *p;
    const char *end;
    char *buffer; /* for tokens with backslashes */
    int64_t room;
} arff_text;

typedef struct arff_token {
    const char *text; /* borrowed from the file or from the buffer: valid until the next token */
    size_t length;
    bool quoted;
    const char *at;
} arff_token;

static int64_t offset_of(const arff_text *t, const char *at)
{
    return t->block ? pt_block_offset(t->block, at) : at - t->lines->bytes;
}

static pt_status fail_at(const arff_text *t, const char *at, pt_error *err, const char *what)
{
    return pt_lines_fail(t->lines, offset_of(t, at), err, "%s", what);
}

static pt_status fail_token(const arff_text *t, const arff_token *token, pt_error *err,
                            const char *what)
{
    char shown[PT_CELL_SHOWN];
    return pt_lines_fail(t->lines, offset_of(t, token->at), err, "'%s' %s",
                         pt_cell_show(token->text, token->length, shown), what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(arff_text *t)
{
    while (t->p < t->end && is_blank(*t->p))
        t->p++;
}

static void skip_line(arff_text *t)
{
    const char *newline = memchr(t->p, '\n', (size_t)(t->end - t->p));
    t->p = newline ? newline + 1 : t->end;
}

/* At the end of a line, or at a comment? */
static bool at_line_end(const arff_text *t)
{
    return t->p == t->end || *t->p == '\n' || *t->p == '%';
}

static char unescaped(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/* The token between quotes, which begins at t->p. */
static pt_status quoted_token(arff_text *t, arff_token *token, pt_error *err)
{
    const char quote = *t->p;
    const char *begin = t->p + 1;
    const char *p = begin;
    bool escapes = false;
    for (; p < t->end && *p != quote && *p != '\n'; p++)
        if (*p == '\\' && p + 1 < t->end && p[1] != '\n') {
            escapes = true;
            p++;
        }
    if (p >= t->end || *p != quote)
        return fail_at(t, t->p, err, "a quote is opened here and not closed in this line");
    token->quoted = true;
    token->text = begin;
    token->length = (size_t)(p - begin);
    t->p = p + 1;
    if (!escapes)
        return PT_OK;
    if ((int64_t)token->length > t->room) {
        const int64_t room = 2 * (int64_t)token->length;
        PT_TRY(pt_alloc_grow((void **)&t->buffer, 0, room, 1, "a cell", err));
        t->room = room;
    }
    size_t used = 0;
    for (const char *q = begin; q < p; q++)
        t->buffer[used++] = *q == '\\' ? unescaped(*++q) : *q;
    token->text = t->buffer;
    token->length = used;
    return PT_OK;
}

/* Whether a byte may end a token: most do not. */
static inline bool may_stop(char c)
{
    return (unsigned char)c <= ',' || c == '}' || c == '{';
}

/* A token up to one of `stops` or the end of the line; trimmed where it is not quoted. */
static pt_status take_token(arff_text *t, const char *stops, arff_token *token, pt_error *err)
{
    skip_blanks(t);
    *token = (arff_token){t->p, 0, false, t->p};
    if (t->p < t->end && (*t->p == '\'' || *t->p == '"'))
        return quoted_token(t, token, err);
    const char *p = t->p;
    while (p < t->end) {
        if (!may_stop(*p)) {
            p++;
            continue;
        }
        if (*p == '\n' || *p == '\0' || strchr(stops, *p))
            break;
        if (*p == '%' && (p == token->at || is_blank(p[-1])))
            break;
        p++;
    }
    if (p < t->end && *p == '\0')
        return fail_at(t, p, err, "there is a zero byte; this is not a text file");
    t->p = p;
    while (p > token->text && is_blank(p[-1]))
        p--;
    token->length = (size_t)(p - token->text);
    return PT_OK;
}

static bool token_is(const arff_token *token, const char *word)
{
    const size_t length = strlen(word);
    if (token->quoted || token->length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((token->text[i] | 0x20) != (word[i] | 0x20))
            return false;
    return true;
}

/* ---- the header ------------------------------------------------------------------------------ */

typedef enum arff_type { ARFF_NUMBER, ARFF_STRING, ARFF_NOMINAL } arff_type;

typedef struct arff_attribute {
    arff_type type;
    pt_intern levels; /* of a nominal one */
} arff_attribute;

typedef struct arff_header {
    pt_texts names;
    arff_attribute *attributes;
    int64_t capacity;
    char *relation;   /* NULL: it has none */
    const char *data; /* behind the @data line; NULL: not seen yet */
} arff_header;

static void header_free(arff_header *header)
{
    for (int64_t j = 0; header->attributes && j < header->names.count; j++)
        pt_intern_free(&header->attributes[j].levels);
    pt_free(header->attributes);
    pt_free(header->relation);
    pt_texts_free(&header->names);
}

/* { a, b, 'c d' }, possibly over several lines; t->p is behind the opening brace. */
static pt_status read_levels(arff_text *t, pt_intern *levels, pt_error *err)
{
    const char *open = t->p - 1;
    for (;;) {
        while (t->p < t->end && (is_blank(*t->p) || *t->p == '\n' || *t->p == ','))
            t->p++;
        if (t->p == t->end)
            return fail_at(t, open, err, "a brace is opened here and never closed");
        if (*t->p == '}') {
            t->p++;
            break;
        }
        arff_token token;
        PT_TRY(take_token(t, ",}", &token, err));
        if (!token.quoted && token.length == 0) {
            /* a comment */
            skip_line(t);
            continue;
        }
        if (token.length > 0 && memchr(token.text, '\0', token.length))
            return fail_token(t, &token, err, "has a zero byte; this is not a text file");
        const int64_t before = levels->texts.count;
        int64_t number = 0;
        PT_TRY(pt_intern_add(levels, token.text, token.length, &number, err));
        if (levels->texts.count == before)
            return fail_token(t, &token, err, "is declared twice; remove one");
    }
    if (levels->texts.count == 0)
        return fail_at(t, open, err, "a nominal attribute declares no values");
    return PT_OK;
}

static pt_status read_type(arff_text *t, arff_attribute *attribute, pt_error *err)
{
    skip_blanks(t);
    if (t->p < t->end && *t->p == '{') {
        t->p++;
        attribute->type = ARFF_NOMINAL;
        return read_levels(t, &attribute->levels, err);
    }
    arff_token token;
    PT_TRY(take_token(t, " \t", &token, err));
    if (token_is(&token, "numeric") || token_is(&token, "real") || token_is(&token, "integer")) {
        attribute->type = ARFF_NUMBER;
        return PT_OK;
    }
    if (token_is(&token, "string")) {
        attribute->type = ARFF_STRING;
        return PT_OK;
    }
    if (token_is(&token, "date"))
        return fail_token(t, &token, err,
                          "attributes are not read; turn dates into numbers, or declare a string");
    if (token_is(&token, "relational"))
        return fail_token(t, &token, err, "attributes are not read");
    return fail_token(t, &token, err,
                      "is not a type; use numeric, real, integer, string or {value, value}");
}

static pt_status read_attribute(arff_text *t, arff_header *header, pt_error *err)
{
    if (header->names.count == MOST_ATTRIBUTES)
        return fail_at(t, t->p, err, "there are more than 4194304 attributes");
    if (header->names.count == header->capacity) {
        const int64_t larger = header->capacity ? 2 * header->capacity : 16;
        PT_TRY(pt_alloc_grow((void **)&header->attributes, header->names.count, larger,
                             sizeof *header->attributes, "attributes", err));
        header->capacity = larger;
    }
    arff_token name;
    PT_TRY(take_token(t, " \t{", &name, err));
    if (name.length == 0)
        return fail_at(t, name.at, err, "the attribute has no name");
    if (memchr(name.text, '\0', name.length))
        return fail_token(t, &name, err, "has a zero byte; this is not a text file");
    memset(&header->attributes[header->names.count], 0, sizeof *header->attributes);
    PT_TRY(pt_texts_add_n(&header->names, name.text, name.length, err));
    PT_TRY(read_type(t, &header->attributes[header->names.count - 1], err));
    skip_blanks(t);
    if (!at_line_end(t))
        return fail_at(t, t->p, err, "something follows the type of the attribute; remove it");
    return PT_OK;
}

/* The name of the whole, which may be anything: a quote that is not closed is part of it. */
static pt_status read_relation(arff_text *t, arff_header *header, pt_error *err)
{
    arff_token name;
    pt_error open = PT_ERROR_INIT;
    const pt_status status = take_token(t, "", &name, &open);
    if (status == PT_ENOMEM)
        return pt_fail(err, status, "%-s", open.text);
    if (status != PT_OK || header->relation)
        return PT_OK;
    header->relation = pt_alloc_text_n(name.text, name.length, err);
    return header->relation ? PT_OK : PT_ENOMEM;
}

static pt_status read_header(arff_text *t, arff_header *header, pt_error *err)
{
    while (!header->data) {
        skip_blanks(t);
        if (t->p == t->end)
            return fail_at(t, t->p, err, "the file ends before @data");
        if (at_line_end(t)) {
            skip_line(t);
            continue;
        }
        arff_token word;
        PT_TRY(take_token(t, " \t", &word, err));
        if (token_is(&word, "@attribute"))
            PT_TRY(read_attribute(t, header, err));
        else if (token_is(&word, "@data"))
            header->data = t->p;
        else if (token_is(&word, "@relation"))
            PT_TRY(read_relation(t, header, err));
        else
            return fail_token(t, &word, err, "stands where @attribute or @data should be");
        skip_line(t);
        if (header->data)
            header->data = t->p;
    }
    if (header->names.count == 0)
        return fail_at(t, t->p, err, "there is no @attribute before @data");
    return PT_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct arff_work {
    pt_table table;
    const arff_header *header;
    int64_t label_column; /* -1: none */
    bool sparse;          /* the first row is, so all must be, and the data set is */
    int32_t *absent_mark; /* per label column, where there are several: what is left out */
    int64_t *begin_pair;  /* per block, where rows are kept sparse */
    int64_t *n_pairs;
    int64_t *start;
    int64_t *index;
    arff_text *texts; /* per worker: its buffer lives from block to block */
} arff_work;

/* The cell of a column, as a text; `out` is the number for the matrix. */
static pt_status put_cell(const arff_work *work, const arff_text *t, int worker, int64_t j,
                          int64_t row, const arff_token *token, double *out, pt_error *err)
{
    const pt_table *table = &work->table;
    const pt_table_column *column = &table->columns[j];
    const arff_attribute *attribute = &work->header->attributes[j];
    const bool missing = !token->quoted && token->length == 1 && token->text[0] == '?';
    if (token->length == 0 && !token->quoted)
        return fail_at(t, token->at, err, "the cell is empty; write ? for a missing value");
    if (!missing && attribute->type == ARFF_NOMINAL &&
        pt_intern_find(&attribute->levels, token->text, token->length) < 0)
        return fail_token(t, token, err, "is not one of the declared values of its attribute");
    int64_t number = 0;
    pt_status status = PT_OK;
    switch (column->kind) {
    case PT_CELL_NUMBER:
        if (missing)
            *out = NAN;
        else if (pt_number_parse(token->text, token->length, out) != PT_NUMBER_FINITE)
            return fail_token(t, token, err,
                              "is not a finite number; correct it, or write ? if it is missing");
        return PT_OK;
    case PT_CELL_LEVEL:
        number = missing ? 0 : pt_intern_find(&attribute->levels, token->text, token->length);
        *out = missing ? NAN : (double)number;
        return PT_OK;
    case PT_CELL_TEXT:
        if (!missing)
            status = pt_table_add(table, worker, t->block, column->slot, token->at, token->text,
                                  token->length, &number, err);
        *out = missing ? NAN : (double)number;
        return status;
    case PT_CELL_LABEL:
        table->label[row] = -1;
        if (!missing && token->length > 0)
            return pt_table_add(table, worker, t->block, column->slot, token->at, token->text,
                                token->length, &table->label[row], err);
        if (table->label_kind == PT_LABEL_SET && !missing) /* '' is the empty set */
            return PT_OK;
        if (table->label_kind == PT_LABEL_SET)
            table->label[row] = PT_LABEL_UNKNOWN;
        if (table->options->label_optional)
            return PT_OK;
        return fail_at(t, token->at, err, "label is missing; fill it in or remove the row");
    case PT_CELL_MARK:
        return pt_table_add_mark(table, t->block, j, row, token->at, token->text, token->length,
                                 missing, err);
    case PT_CELL_WEIGHT:
        if (pt_number_parse(token->text, token->length, &table->weights[row]) != PT_NUMBER_FINITE ||
            table->weights[row] < 0)
            return fail_token(t, token, err, "is not a finite weight of at least 0");
        return PT_OK;
    case PT_CELL_TIE:
        return pt_table_add_tie(table, worker, t->block, j, row, token->at, token->text,
                                token->length, missing, err);
    case PT_CELL_STYLED: /* CSV alone */
    case PT_CELL_SKIP:
        return PT_OK;
    }
    return PT_OK;
}

static bool is_feature(const pt_table_column *column)
{
    return column->feature >= 0;
}

static pt_status dense_row(const arff_work *work, arff_text *t, int worker, int64_t row,
                           double *values, pt_error *err)
{
    const int64_t n_columns = work->table.n_columns;
    for (int64_t j = 0;; j++) {
        arff_token token;
        PT_TRY(take_token(t, ",\t", &token, err));
        if (!token.quoted && token.length > 0 && token.text[0] == '{' && j == n_columns)
            return fail_at(t, token.at, err, "weights of rows are not read; remove the braces");
        if (j == n_columns)
            return pt_lines_fail(work->table.lines, offset_of(t, token.at), err,
                                 "the row has more cells than the %lld attributes; quote a cell "
                                 "that contains a comma",
                                 (long long)n_columns);
        double spare = 0;
        const pt_table_column *column = &work->table.columns[j];
        PT_TRY(put_cell(work, t, worker, j, row, &token,
                        is_feature(column) ? values + column->feature : &spare, err));
        skip_blanks(t);
        if (at_line_end(t) && j + 1 < n_columns)
            return pt_lines_fail(work->table.lines, offset_of(t, t->p), err,
                                 "the row has %lld cell%s, %lld are expected", (long long)j + 1,
                                 j == 0 ? "" : "s", (long long)n_columns);
        if (at_line_end(t))
            return PT_OK;
        if (*t->p == ',')
            t->p++;
        else if (t->p[-1] != '\t')
            return fail_at(t, t->p, err, "text follows a closing quote; quote the whole cell");
    }
}

/* What a sparse row says of an attribute that it does not mention. */
static const char *absent_text(const arff_attribute *attribute)
{
    return attribute->type == ARFF_NOMINAL ? attribute->levels.texts.items[0] : "0";
}

/* Before a sparse row: its labels and weight, if it does not mention them. */
static void fill_absent(const arff_work *work, int64_t row)
{
    const pt_table *table = &work->table;
    if (table->weights)
        table->weights[row] = 0;
    if (table->label)
        table->label[row] = LABEL_ABSENT;
    for (int64_t t = 0; table->ties && t < table->roles->n_ties; t++)
        table->ties[t * table->tie_rows + row] = LABEL_ABSENT;
    for (int64_t c = 0; c < table->n_marks; c++)
        table->marks[row * table->n_marks + c] = work->absent_mark[c];
}

/* Behind a sparse row: what it does not mention of how it is held out. */
static pt_status absent_ties(const arff_work *work, const arff_text *t, int worker, int64_t row,
                             pt_error *err)
{
    const pt_table *table = &work->table;
    for (int64_t tie = 0; table->ties && tie < table->roles->n_ties; tie++) {
        const int64_t column = table->roles->ties[tie].column;
        const char *text = absent_text(&work->header->attributes[column]);
        if (table->ties[tie * table->tie_rows + row] == LABEL_ABSENT)
            PT_TRY(pt_table_add_tie(table, worker, t->block, column, row, t->p, text, strlen(text),
                                    false, err));
    }
    return PT_OK;
}

/* Behind a sparse row that does not mention its label. */
static pt_status absent_label(const arff_work *work, const arff_text *t, int worker, int64_t row,
                              pt_error *err)
{
    const pt_table *table = &work->table;
    if (!table->label || table->label[row] != LABEL_ABSENT)
        return PT_OK;
    const arff_attribute *attribute = &work->header->attributes[work->label_column];
    const char *text = absent_text(attribute);
    return pt_table_add(table, worker, t->block, table->columns[work->label_column].slot, t->p,
                        text, strlen(text), &table->label[row], err);
}

/* {i v, ...} as pairs from *at on. */
static pt_status sparse_row(const arff_work *work, arff_text *t, int worker, int64_t row,
                            int64_t *at, pt_error *err)
{
    const pt_table *table = &work->table;
    if (*t->p != '{')
        return fail_at(t, t->p, err,
                       "the first row is sparse and this one is not; write all alike");
    fill_absent(work, row);
    t->p++;
    int64_t before = -1;
    for (;;) {
        skip_blanks(t);
        if (*t->p == '}')
            break;
        arff_token token;
        double number = 0;
        PT_TRY(take_token(t, " \t,}", &token, err));
        if (token.length == 0)
            return fail_at(t, token.at, err, "the row is not closed by a brace");
        if (pt_number_parse(token.text, token.length, &number) != PT_NUMBER_FINITE ||
            number != floor(number) || number < 0 || number >= (double)table->n_columns)
            return fail_token(t, &token, err, "is not a column number; these count from 0");
        const int64_t j = (int64_t)number;
        if (j <= before)
            return fail_token(t, &token, err, "does not ascend; column numbers must, in a row");
        before = j;
        PT_TRY(take_token(t, ",}", &token, err));
        const int64_t feature = table->columns[j].feature;
        double value = 0;
        PT_TRY(put_cell(work, t, worker, j, row, &token, &value, err));
        if (feature >= 0) {
            work->index[*at] = feature;
            table->value[(*at)++] = value;
        }
        skip_blanks(t);
        if (*t->p == ',')
            t->p++;
        else if (*t->p != '}')
            return fail_at(t, t->p, err, "a comma or a closing brace is expected here");
    }
    t->p++;
    skip_blanks(t);
    if (!at_line_end(t))
        return fail_at(t, t->p, err, "something follows the closing brace; weights are not read");
    PT_TRY(absent_ties(work, t, worker, row, err));
    return absent_label(work, t, worker, row, err);
}

static pt_status read_block(void *context, int64_t b, int worker, pt_error *err)
{
    const arff_work *work = context;
    const pt_table *table = &work->table;
    pt_block *block = &table->lines->blocks[b];
    block->worker = worker;
    arff_text *t = &work->texts[worker];
    t->lines = table->lines;
    t->block = block;
    t->p = block->begin;
    t->end = block->end;
    int64_t row = block->first_row;
    int64_t at = work->sparse ? work->begin_pair[b] : 0;
    while (t->p < t->end) {
        skip_blanks(t);
        if (!at_line_end(t)) {
            const char *begin = t->p;
            if (table->options->places)
                table->options->places->at[row] = pt_block_offset(block, begin);
            if (work->sparse)
                work->start[row] = at;
            PT_TRY(work->sparse
                       ? sparse_row(work, t, worker, row, &at, err)
                       : dense_row(work, t, worker, row, table->value + row * table->stride, err));
            PT_TRY(pt_table_check_marks(table, block, row, begin, err));
            row++;
        }
        skip_line(t);
    }
    if (work->sparse)
        work->n_pairs[b] = at - work->begin_pair[b];
    pt_lines_drop(table->lines, block->begin, block->end);
    return PT_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* What a sparse row that leaves out a label column says of it. */
static pt_status plan_absent(arff_work *work, int64_t j, pt_error *err)
{
    const arff_attribute *attribute = &work->header->attributes[j];
    const char *text = absent_text(attribute);
    if (pt_label_mark(work->table.label_kind, text, strlen(text),
                      &work->absent_mark[work->table.columns[j].mark]))
        return PT_OK;
    return pt_fail_at(err, PT_EFORMAT, work->table.options->source, 0, 0,
                      "attribute '%.60s' is a label column, and a sparse row that leaves it out "
                      "says '%.40s', which is %s; write dense rows",
                      work->header->names.items[j], text,
                      work->table.label_kind == PT_LABEL_RANKING ? "no rank" : "neither 0 nor 1");
}

/* {0, 1}, in this order? */
static bool is_zero_one(const arff_attribute *attribute)
{
    const pt_texts *levels = &attribute->levels.texts;
    return attribute->type == ARFF_NOMINAL && levels->count == 2 &&
           strcmp(levels->items[0], "0") == 0 && strcmp(levels->items[1], "1") == 0;
}

/* What each attribute is for, by its role and its type. */
static pt_status plan_columns(arff_work *work, const pt_roles *roles, pt_dataset *data,
                              pt_error *err)
{
    pt_table *table = &work->table;
    int64_t marks = 0;
    int64_t ties = 0;
    for (int64_t j = 0; j < table->n_columns; j++) {
        const arff_attribute *attribute = &work->header->attributes[j];
        pt_table_column *column = &table->columns[j];
        const pt_role role = roles->role[j];
        column->feature = role <= PT_ROLE_NOMINAL ? table->d++ : -1;
        column->mark = role == PT_ROLE_MARK ? marks++ : role == PT_ROLE_TIE ? ties++ : -1;
        column->kind = role == PT_ROLE_LABEL                                       ? PT_CELL_LABEL
                       : role == PT_ROLE_MARK                                      ? PT_CELL_MARK
                       : role == PT_ROLE_WEIGHT                                    ? PT_CELL_WEIGHT
                       : role == PT_ROLE_TIE                                       ? PT_CELL_TIE
                       : role == PT_ROLE_IGNORED                                   ? PT_CELL_SKIP
                       : attribute->type == ARFF_NOMINAL                           ? PT_CELL_LEVEL
                       : attribute->type == ARFF_STRING || role == PT_ROLE_NOMINAL ? PT_CELL_TEXT
                                                                                   : PT_CELL_NUMBER;
        if (work->sparse &&
            (column->kind == PT_CELL_TEXT ||
             ((role == PT_ROLE_LABEL || role == PT_ROLE_TIE) && attribute->type == ARFF_STRING)))
            return pt_fail_at(err, PT_ENOSUPPORT, table->options->source, 0, 0,
                              "attribute '%.60s' is a string and the rows are sparse, where absent "
                              "strings have no meaning; declare its values, or write dense rows",
                              work->header->names.items[j]);
        if (column->kind == PT_CELL_MARK && work->sparse)
            PT_TRY(plan_absent(work, j, err));
        if (!is_feature(column))
            continue;
        pt_column *out = &data->columns[column->feature];
        /* the level's number is the number itself */
        const bool number = work->sparse && role != PT_ROLE_NOMINAL && is_zero_one(attribute);
        out->nominal = column->kind != PT_CELL_NUMBER && !number;
        if (column->kind == PT_CELL_LEVEL && !number)
            PT_TRY(pt_texts_copy(&out->levels, &attribute->levels.texts, err));
    }
    pt_table_number_slots(table);
    return PT_OK;
}

static pt_status room_for_dense(arff_work *work, pt_dataset *data, pt_error *err)
{
    const pt_lines *lines = work->table.lines;
    /* a dense row takes two bytes a cell: where the file is too small, a row must be ragged */
    if (lines->n_rows > 1 && lines->n_rows > (int64_t)lines->size / work->table.n_columns)
        return pt_lines_fail(lines, lines->blocks[0].offset, err,
                             "the file has %lld rows and %lld attributes, more cells than bytes: "
                             "some rows lack cells",
                             (long long)lines->n_rows, (long long)work->table.n_columns);
    PT_TRY(pt_reader_check_size(data->n, data->d, sizeof(double), work->table.options, err));
    data->value =
        pt_alloc(data->n, (size_t)data->d * sizeof(double), "the values of a data set", err);
    work->table.value = data->value;
    work->table.stride = data->d;
    return data->value ? PT_OK : PT_ENOMEM;
}

static pt_status room_for_sparse(arff_work *work, pt_dataset *data, pt_error *err)
{
    const pt_lines *lines = work->table.lines;
    work->begin_pair = pt_alloc(lines->n_blocks, sizeof(int64_t), "work space of a reader", err);
    work->n_pairs = pt_alloc_zero(lines->n_blocks, sizeof(int64_t), "work space of a reader", err);
    if (!work->begin_pair || !work->n_pairs)
        return PT_ENOMEM;
    int64_t pairs = 0;
    for (int64_t b = 0; b < lines->n_blocks; b++) {
        const pt_block *block = &lines->blocks[b];
        const int64_t by_bytes = (block->end - block->begin) / LEAST_PAIR + 1;
        const int64_t by_commas = block->marks + block->rows;
        work->begin_pair[b] = pairs;
        pairs += by_commas < by_bytes ? by_commas : by_bytes;
    }
    PT_TRY(pt_reader_check_size(pairs + data->n + 1, 2, sizeof(double), work->table.options, err));
    data->start = pt_alloc(data->n + 1, sizeof(int64_t), "sparse rows", err);
    data->index = pt_alloc(pairs, sizeof(int64_t), "sparse rows", err);
    data->value = pt_alloc(pairs, sizeof(double), "sparse rows", err);
    work->start = data->start;
    work->index = data->index;
    work->table.value = data->value;
    return data->start && data->index && data->value ? PT_OK : PT_ENOMEM;
}

/* Pairs of all blocks side by side. */
static void close_up(const arff_work *work, pt_dataset *data)
{
    double *value = data->value;
    int64_t pairs = 0;
    for (int64_t b = 0; b < work->table.lines->n_blocks; b++) {
        const pt_block *block = &work->table.lines->blocks[b];
        const int64_t from = work->begin_pair[b];
        const size_t count = (size_t)work->n_pairs[b];
        for (int64_t r = block->first_row; r < block->first_row + block->rows; r++)
            data->start[r] += pairs - from;
        if (count > 0 && from != pairs) {
            memmove(data->index + pairs, data->index + from, count * sizeof *data->index);
            memmove(value + pairs, value + from, count * sizeof *value);
        }
        pairs += work->n_pairs[b];
    }
    data->start[data->n] = pairs;
}

static void work_free(arff_work *work)
{
    for (int w = 0; work->texts && w < work->table.n_workers; w++)
        pt_free(work->texts[w].buffer);
    pt_free(work->texts);
    pt_free(work->begin_pair);
    pt_free(work->n_pairs);
    pt_free(work->absent_mark);
    pt_free(work->table.columns);
    pt_table_close(&work->table);
    pt_table_labels_free(&work->table);
    pt_table_ties_free(&work->table);
}

static pt_status read_rows(arff_work *work, pt_dataset *data, pt_error *err)
{
    pt_table *table = &work->table;
    const pt_read_options *options = table->options;
    PT_FREED_BY(pt_table_texts_free) pt_table_texts labels = {0};
    PT_TRY(work->sparse ? room_for_sparse(work, data, err) : room_for_dense(work, data, err));
    table->n_workers = pt_parallel_workers(options->task, table->lines->n_blocks);
    PT_TRY(pt_table_open(table, err));
    PT_TRY(PT_NEW_ZERO(work->texts, table->n_workers, "work space", err));
    PT_TRY(pt_parallel_for_stage(options->task, "read", table->lines->n_blocks, read_block, work,
                                 err));
    PT_TRY(pt_table_translate(table, data, &labels, NULL, err));
    if (work->sparse)
        close_up(work, data);
    PT_TRY(pt_table_make_ties(table, data, err));
    return pt_table_make_labels(table, &labels, data, err);
}

static pt_status plan_rows(arff_work *work, const pt_roles *roles, pt_dataset *data, pt_error *err)
{
    pt_table *table = &work->table;
    PT_TRY(pt_roles_columns(roles, &work->header->names, data, err));
    PT_TRY(PT_NEW_ZERO(table->columns, table->n_columns, "columns", err));
    PT_TRY(pt_places_new(data->n, table->options, err));
    PT_TRY(pt_table_labels_new(table, roles, data->n, err));
    PT_TRY(pt_table_ties_new(table, roles, data->n, err));
    PT_TRY(PT_NEW_ZERO(work->absent_mark, table->n_marks, "labels", err));
    if (roles->weight >= 0) {
        data->weights = pt_alloc(data->n, sizeof *data->weights, "weights", err);
        table->weights = data->weights;
        if (!data->weights)
            return PT_ENOMEM;
    }
    work->label_column = roles->label;
    PT_TRY(plan_columns(work, roles, data, err));
    return read_rows(work, data, err);
}

/* Whether the first row is sparse. */
static bool first_row_is_sparse(const pt_lines *lines)
{
    arff_text t = {.lines = lines};
    for (int64_t b = 0; b < lines->n_blocks; b++) {
        t.p = lines->blocks[b].begin;
        t.end = lines->blocks[b].end;
        while (t.p < t.end) {
            skip_blanks(&t);
            if (!at_line_end(&t))
                return *t.p == '{';
            skip_line(&t);
        }
    }
    return false;
}

/* Whether an attribute says 0 and 1 in either order. */
static bool is_mark(const arff_attribute *attribute)
{
    return attribute->type == ARFF_NOMINAL && attribute->levels.texts.count == 2 &&
           pt_intern_find(&attribute->levels, "0", 1) >= 0 &&
           pt_intern_find(&attribute->levels, "1", 1) >= 0;
}

/* The last attribute was taken for the label, and those before it are 0/1 as it is. */
static pt_status doubt_label(const arff_header *header, const pt_roles *roles,
                             const pt_read_options *options, pt_warnings *warnings, pt_error *err)
{
    enum { MANY = 3 };
    const int64_t count = header->names.count;
    int64_t run = 0;
    while (run < count && is_mark(&header->attributes[count - 1 - run]))
        run++;
    if (run < MANY || roles->label != count - 1 || (options->label && *options->label) ||
        options->labels_said || options->label_optional ||
        pt_is_label_name(header->names.items[count - 1]))
        return PT_OK;
    return pt_warn(warnings, err, PT_KIND_DATA,
                   "the last %lld attributes are 0/1, and only '%.60s' is read as the label: if "
                   "they hold the labels of sets, name them with `labels-xml=FILE` (Mulan), -C in "
                   "the relation (MEKA) or `label=PATTERN`; if not, say `label=%.60s`",
                   (long long)run, header->names.items[count - 1], header->names.items[count - 1]);
}

/* The roles of the attributes; labels that the file or Mulan's XML names are sets. */
static pt_status assign_roles(pt_roles *roles, const arff_header *header,
                              const pt_read_options *options, pt_warnings *warnings, pt_error *err)
{
    PT_FREED_BY(pt_label_columns_free) pt_label_columns labels = {0};
    PT_TRY(pt_arff_labels(&labels, header->relation ? header->relation : "", &header->names,
                          options, err));
    pt_read_options own = *options;
    if (labels.count == 1) {
        own.label = labels.names.items[0];
    } else if (labels.count > 1) {
        own.labels = "set";
        own.label_columns = &labels;
    }
    PT_TRY(pt_roles_assign(roles, header->names.count, &header->names, &own, warnings, err));
    if (labels.count == 0)
        PT_TRY(doubt_label(header, roles, options, warnings, err));
    return PT_OK;
}

static pt_status read_table(pt_dataset **out, const arff_header *header, const pt_lines *text,
                            const pt_read_options *options, pt_error *err)
{
    PT_FREED_BY(pt_lines_free) pt_lines lines = {.mapped = options->mapped};
    PT_FREED_BY(pt_roles_free) pt_roles roles = {0};
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_FREED_BY(pt_warnings_free) pt_warnings warnings = {0};
    PT_FREED_BY(work_free)
    arff_work work = {.header = header,
                      .table = {.lines = &lines,
                                .options = options,
                                .names = &header->names,
                                .n_columns = header->names.count}};
    PT_TRY(assign_roles(&roles, header, options, &warnings, err));
    PT_TRY(pt_lines_split(&lines, text->bytes, text->size, (size_t)(header->data - text->bytes), 0,
                          options->source, options->task, err));
    PT_TRY(pt_lines_count(&lines, 0, '%', ',', options->task, err));
    if (lines.n_rows == 0)
        return pt_lines_fail(text, header->data - text->bytes, err, "no row follows @data");
    PT_TRY(pt_dataset_shell(&data, lines.n_rows, roles.n_features, PT_F64, options->source, err));
    data->warnings = warnings;
    warnings = (pt_warnings){0};
    work.sparse = first_row_is_sparse(&lines);
    PT_TRY(plan_rows(&work, &roles, data, err));
    *out = pt_keep(&data);
    return PT_OK;
}

static pt_status arff_read(pt_dataset **out, const char *bytes, size_t size,
                           const pt_read_options *options, pt_error *err)
{
    const pt_lines text = {.bytes = bytes, .size = size, .source = options->source};
    PT_FREED_BY(header_free) arff_header header = {0};
    size_t begin = 0;
    PT_TRY(pt_reader_check_text(bytes, size, &begin, options->source, err));
    arff_text t = {.lines = &text, .p = bytes + begin, .end = bytes + size};
    const pt_status status = read_header(&t, &header, err);
    pt_free(t.buffer);
    PT_TRY(status);
    return read_table(out, &header, &text, options, err);
}

/* Sure where the first line that is no comment begins with @relation or @attribute. */
static int arff_detect(const char *bytes, size_t size)
{
    arff_text t = {.p = bytes, .end = bytes + size};
    while (t.p < t.end) {
        skip_blanks(&t);
        if (!at_line_end(&t))
            break;
        skip_line(&t);
    }
    static const char *const WORDS[] = {"@relation", "@attribute"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        const size_t length = strlen(WORDS[i]);
        const arff_token word = {t.p, length, false, t.p};
        if ((size_t)(t.end - t.p) > length && token_is(&word, WORDS[i]))
            return 95;
    }
    return 0;
}

const pt_format pt_format_arff = {"arff",    "ARFF: declared attributes, dense or sparse rows",
                                  ".arff",   arff_detect,
                                  arff_read, NULL};
