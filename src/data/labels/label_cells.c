/* Labels from cells. A label cell is first read as the name of a class is: equal texts get one
 * number. Each different text is then taken apart once, checked by pt_labels_from_items, and given
 * to the examples that have it.
 *
 *   set       a;b        the classes of the set; LIBSVM has commas instead
 *   ranking   a>b=c>d    from best to worst, = between classes that tie
 *   pairs     a>b;a>c    a chain a>b>c is a>b;b>c
 *
 * Spaces around a name do not count. */
#include "data/labels/label_cells.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/read/intern.h"
#include "data/read/number.h"

bool pt_label_kind_find(const char *name, pt_label_kind *kind)
{
    for (int found = PT_LABEL_CLASS; found <= PT_LABEL_PAIRS; found++)
        if (strcmp(name, pt_label_kind_name((pt_label_kind)found)) == 0) {
            *kind = (pt_label_kind)found;
            return true;
        }
    return false;
}

/* ---- cells ----------------------------------------------------------------------------------- */

enum { MAX_STOPS = 5 };

/*   names     classes as they are met
 *   start     texts + 2: where the items of a text begin; the last text is an empty one
 *   item      names of classes
 *   rank      of rankings, beside them
 */
typedef struct cell_parser {
    const pt_label_cells *cells;
    char stops[MAX_STOPS]; /* what ends a name */
    pt_intern names;
    int64_t *start;
    int64_t *item;
    int64_t *rank;
    int64_t used;
} cell_parser;

static pt_status fail_cell(const cell_parser *p, int64_t t, const char *at, const char *what,
                           pt_error *err)
{
    const pt_label_cells *cells = p->cells;
    const char *text = cells->texts->items[t];
    char shown[PT_CELL_SHOWN];
    pt_cell_show(text, strlen(text), shown);
    if (!cells->lines || !cells->first)
        return pt_fail_at(err, PT_EFORMAT, cells->source, 0, 0, "label '%s': %-s", shown, what);
    const int64_t first = cells->first[t]; /* of a label that a sparse row leaves out: its end */
    const char opening = first < (int64_t)cells->lines->size ? cells->lines->bytes[first] : '\0';
    const int64_t quote = opening == '"' || opening == '\'';
    return pt_lines_fail(cells->lines, first + quote + (at - text), err, "label '%s': %-s", shown,
                         what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* *number <- the class that is named at `at`, which takes `length` bytes with spaces. */
static pt_status take_name(cell_parser *p, int64_t t, const char *at, size_t length,
                           int64_t *number, pt_error *err)
{
    const char *begin = at;
    const char *end = at + length;
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    if (begin == end)
        return fail_cell(p, t, at, "the name of a class is missing", err);
    return pt_intern_add(&p->names, begin, (size_t)(end - begin), number, err);
}

/* Marks that the kind has no use for: a name that contains one is more likely a mistake. */
static pt_status check_stop(const cell_parser *p, int64_t t, const char *at, pt_error *err)
{
    if (p->cells->kind == PT_LABEL_RANKING && (*at == ';' || *at == ','))
        return fail_cell(p, t, at,
                         "a ranking has > between its classes, and = where they tie; "
                         "`labels=pairs` reads a>b;a>c, `labels=set` reads a;b",
                         err);
    if (*at == ';' && p->cells->separator != ';')
        return fail_cell(p, t, at, "classes of a set, and pairs, have , between them here, not ;",
                         err);
    if (p->cells->kind == PT_LABEL_PAIRS && *at == '=')
        return fail_cell(p, t, at, "pairs have no ties; leave out the pair, or use rankings", err);
    return PT_OK;
}

static pt_status parse_text(cell_parser *p, int64_t t, pt_error *err)
{
    const pt_label_kind kind = p->cells->kind;
    const char *at = p->cells->texts->items[t];
    int64_t group = 1;
    int64_t before = -1; /* of pairs: the class to the left */
    for (;;) {
        const size_t length = strcspn(at, p->stops);
        const char *stop = at + length;
        int64_t number = 0;
        PT_TRY(take_name(p, t, at, length, &number, err));
        PT_TRY(check_stop(p, t, stop, err));
        if (kind != PT_LABEL_PAIRS || before >= 0) {
            if (kind == PT_LABEL_PAIRS)
                p->item[p->used++] = before;
            if (kind == PT_LABEL_RANKING)
                p->rank[p->used] = group;
            p->item[p->used++] = number;
        } else if (*stop != '>') {
            return fail_cell(p, t, at, "a class stands alone; a pair is a>b", err);
        }
        if (*stop == '\0')
            return PT_OK;
        before = *stop == '>' ? number : -1;
        group += *stop == '>';
        at = stop + 1;
    }
}

/* What ends a name in a cell of some kind. A name never has a semicolon, whatever the separator is:
 * it could not be written to a file of another format. */
static void stops_of(pt_label_kind kind, char separator, char stops[MAX_STOPS])
{
    const bool set = kind == PT_LABEL_SET;
    snprintf(stops, MAX_STOPS, "%c%s%s", separator, set ? "" : ">=", separator == ';' ? "" : ";");
}

/* The most items that texts can have: one more than the marks between them, two for a pair. */
static int64_t count_items(const cell_parser *p)
{
    int64_t count = 0;
    for (int64_t t = 0; t < p->cells->texts->count; t++) {
        count += 2;
        for (const char *at = p->cells->texts->items[t]; *at; at++)
            count += strchr(p->stops, *at) ? 2 : 0;
    }
    return count;
}

static pt_status parse_all(cell_parser *p, pt_error *err)
{
    const int64_t n_texts = p->cells->texts->count;
    const int64_t room = count_items(p);
    /* start, item and rank here, and once more in the labels that are made of them */
    const double cells = 4.0 * (double)n_texts + 4.0 * (double)room;
    const pt_status counted =
        pt_budget_take(p->cells->budget, (size_t)(cells * sizeof(int64_t)), "the labels", err);
    if (counted != PT_OK)
        return counted;
    p->start = pt_alloc(n_texts + 2, sizeof *p->start, "labels", err);
    p->item = pt_alloc(room, sizeof *p->item, "labels", err);
    if (p->cells->kind == PT_LABEL_RANKING)
        p->rank = pt_alloc(room, sizeof *p->rank, "labels", err);
    if (!p->start || !p->item || (p->cells->kind == PT_LABEL_RANKING && !p->rank))
        return PT_ENOMEM;
    for (int64_t t = 0; t < n_texts; t++) {
        p->start[t] = p->used;
        PT_TRY(parse_text(p, t, err));
    }
    p->start[n_texts] = p->start[n_texts + 1] = p->used;
    return PT_OK;
}

/* Labels of the texts, and of one more that is empty. */
static pt_status labels_of_texts(pt_labels **out, cell_parser *p, pt_error *err)
{
    pt_status status = parse_all(p, err);
    if (status != PT_OK)
        return status;
    int64_t bad = -1;
    pt_error own = {0};
    const int64_t n_texts = p->cells->texts->count;
    status = pt_labels_from_items(out, p->cells->kind, n_texts + 1, p->start, p->item, p->rank,
                                  &p->names.texts, &bad, &own);
    if (status == PT_EFORMAT && bad >= 0 && bad < n_texts)
        return fail_cell(p, bad, p->cells->texts->items[bad], own.text, err);
    if (status != PT_OK)
        pt_error_copy(err, &own);
    return status;
}

/* What the labels of n examples take. */
static size_t subset_bytes(const pt_labels *of_texts, const int64_t *row, int64_t n)
{
    int64_t items = 0;
    for (int64_t i = 0; i < n; i++)
        items += of_texts->start[row[i] + 1] - of_texts->start[row[i]];
    return ((size_t)n + 1 + (of_texts->rank ? 2 : 1) * (size_t)items) * sizeof(int64_t) +
           pt_texts_bytes(&of_texts->classes);
}

static void parser_free(cell_parser *p)
{
    pt_free(p->rank);
    pt_free(p->item);
    pt_free(p->start);
    pt_intern_free(&p->names);
}

pt_status pt_labels_from_cells(pt_labels **out, const pt_label_cells *cells, int64_t n,
                               const int64_t *code, pt_error *err)
{
    if (cells->kind == PT_LABEL_CLASS) {
        PT_TRY(pt_budget_take(cells->budget, pt_labels_need(n, cells->texts), "the labels", err));
        return pt_labels_from_codes(out, n, code, cells->texts, err);
    }
    PT_FREED_BY(parser_free) cell_parser p = {.cells = cells, .names.budget = cells->budget};
    PT_FREED_BY(pt_labels_free_at) pt_labels *of_texts = NULL;
    PT_SCRATCH int64_t *row = NULL;
    PT_TRY(PT_NEW(row, n, "labels", err));
    stops_of(cells->kind, cells->separator, p.stops);
    PT_TRY(labels_of_texts(&of_texts, &p, err));
    for (int64_t i = 0; i < n; i++)
        row[i] = code[i] < 0 ? cells->texts->count : code[i];
    PT_TRY(pt_budget_take(cells->budget, subset_bytes(of_texts, row, n), "the labels", err));
    return pt_labels_subset(out, of_texts, row, n, err);
}

/* ---- and back -------------------------------------------------------------------------------- */

pt_status pt_label_text_check(const pt_labels *labels, char separator, pt_error *err)
{
    if (labels->kind == PT_LABEL_CLASS)
        return PT_OK;
    char stops[MAX_STOPS];
    stops_of(labels->kind, separator, stops);
    for (int64_t r = 0; r < labels->classes.count; r++) {
        const char *name = labels->classes.items[r];
        const size_t length = strlen(name);
        if (length == 0 || strpbrk(name, stops) || is_blank(name[0]) || is_blank(name[length - 1]))
            return pt_fail(
                err, PT_EFORMAT,
                "class '%.40s' begins or ends with a space or has one of %s in its name, "
                "which separate classes; rename it before writing labels of kind %s",
                name, stops, pt_label_kind_name(labels->kind));
    }
    return PT_OK;
}

static pt_status buffer_put(pt_label_buffer *buffer, const char *text, pt_error *err)
{
    const size_t length = strlen(text);
    const int64_t needed = (int64_t)(buffer->used + length + 1);
    if (needed > buffer->capacity) {
        PT_TRY(
            pt_alloc_grow((void **)&buffer->text, buffer->capacity, 2 * needed, 1, "a label", err));
        buffer->capacity = 2 * needed;
    }
    memcpy(buffer->text + buffer->used, text, length + 1);
    buffer->used += length;
    return PT_OK;
}

pt_status pt_label_text(const pt_labels *labels, int64_t i, char separator, pt_label_buffer *buffer,
                        pt_error *err)
{
    const char *const *names = (const char *const *)labels->classes.items;
    const char between[2] = {separator, '\0'};
    buffer->used = 0;
    PT_TRY(buffer_put(buffer, "", err));
    if (labels->kind == PT_LABEL_CLASS)
        return labels->class_of[i] >= 0 ? buffer_put(buffer, names[labels->class_of[i]], err)
                                        : PT_OK;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++) {
        const bool first = at == labels->start[i];
        const char *mark = between;
        if (labels->kind == PT_LABEL_RANKING)
            mark = !first && labels->rank[at] == labels->rank[at - 1] ? "=" : ">";
        if (labels->kind == PT_LABEL_PAIRS && (at - labels->start[i]) % 2 == 1)
            mark = ">";
        if (!first)
            PT_TRY(buffer_put(buffer, mark, err));
        PT_TRY(buffer_put(buffer, names[labels->item[at]], err));
    }
    return PT_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

bool pt_label_mark_value(pt_label_kind kind, double value, int32_t *mark)
{
    const bool good = kind == PT_LABEL_SET
                          ? value == 0 || value == 1
                          : value >= 1 && value <= INT32_MAX && value == (double)(int32_t)value;
    if (good)
        *mark = (int32_t)value;
    return good;
}

bool pt_label_mark(pt_label_kind kind, const char *text, size_t length, int32_t *mark)
{
    double value = 0;
    return pt_number_parse(text, length, &value) == PT_NUMBER_FINITE &&
           pt_label_mark_value(kind, value, mark);
}

pt_status pt_labels_from_marks(pt_labels **out, pt_label_kind kind, int64_t n, int64_t m,
                               const int32_t *marks, const pt_texts *names, pt_error *err)
{
    int64_t count = 0;
    for (int64_t at = 0; at < n * m; at++)
        count += marks[at] > 0;
    const bool ranks = kind == PT_LABEL_RANKING;
    PT_SCRATCH int64_t *start = pt_alloc(n + 1, sizeof *start, "labels", err);
    PT_SCRATCH int64_t *item = pt_alloc(count, sizeof *item, "labels", err);
    PT_SCRATCH int64_t *rank = ranks ? pt_alloc(count, sizeof *rank, "labels", err) : NULL;
    PT_TRY(start && item && (rank || !ranks) ? PT_OK : PT_ENOMEM);
    int64_t used = 0;
    for (int64_t i = 0; i < n; i++) {
        start[i] = used;
        for (int64_t j = 0; j < m; j++) {
            if (marks[i * m + j] <= 0)
                continue;
            if (ranks)
                rank[used] = marks[i * m + j];
            item[used++] = j;
        }
    }
    start[n] = used;
    return pt_labels_from_items(out, kind, n, start, item, rank, names, NULL, err);
}
