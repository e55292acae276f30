/* Kinds of columns, the list of those that are read in a way of their own, and that list as JSON:
 *
 *   {"columns": 7, "na": "-,none",
 *    "listed": [{"column": 1, "name": "id", "kind": "identifier"},
 *               {"column": 3, "kind": "number", "decimal": ",", "thousands": ".", "unit": "kg",
 *                "misfits": true},
 *               {"column": 4, "name": "day", "kind": "date", "order": "dmy",
 *                "parts": ["days", "weekday"]}, ...]}
 *
 * What is not said is a point, no thousands sign, no unit, y/m/d. */
#include "data/judge/column_kind.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"

enum { MOST_COLUMNS = 1 << 22, ALL_PARTS = PT_PART_DAYS | PT_PART_WEEKDAY | PT_PART_HOUR };

static const char *const KIND_NAMES[PT_N_COLUMN_KINDS] = {
    "number",  "integer", "boolean",    "currency", "percent", "date",
    "nominal", "text",    "identifier", "empty",    "ignored"};

static const char *const ORDER_NAMES[PT_N_DATE_ORDERS] = {"ymd", "dmy", "mdy", "md"};

const char *pt_column_kind_name(pt_column_kind kind)
{
    return KIND_NAMES[kind];
}

bool pt_column_kind_find(const char *name, pt_column_kind *kind)
{
    for (int i = 0; i < PT_N_COLUMN_KINDS; i++)
        if (strcmp(name, KIND_NAMES[i]) == 0) {
            *kind = (pt_column_kind)i;
            return true;
        }
    return false;
}

const char *pt_date_order_name(pt_date_order order)
{
    return ORDER_NAMES[order];
}

const char *pt_date_part_name(int part)
{
    return part == PT_PART_DAYS ? "days" : part == PT_PART_WEEKDAY ? "weekday" : "hour";
}

bool pt_column_is_left_out(pt_column_kind kind)
{
    return kind >= PT_COLUMN_TEXT && kind < PT_N_COLUMN_KINDS;
}

bool pt_judged_is_plain(const pt_judged *judged)
{
    return judged->kind <= PT_COLUMN_INTEGER && judged->style.decimal == '.' &&
           !judged->style.thousands && !*judged->unit;
}

int64_t pt_judged_features(const pt_judged *judged)
{
    if (judged->kind != PT_COLUMN_DATE)
        return pt_column_is_left_out(judged->kind) ? 0 : 1;
    int64_t count = 0;
    for (int part = PT_PART_DAYS; part <= PT_PART_HOUR; part *= 2)
        count += (judged->parts & part) != 0;
    return count;
}

pt_status pt_judged_add(pt_judged_columns *columns, const pt_judged *judged, const char *name,
                        pt_error *err)
{
    if (columns->count == columns->capacity) {
        const int64_t capacity = columns->capacity ? 2 * columns->capacity : 8;
        PT_TRY(pt_alloc_grow((void **)&columns->items, columns->count, capacity,
                             sizeof *columns->items, "what is known of columns", err));
        columns->capacity = capacity;
    }
    pt_judged own = *judged;
    own.name = name ? pt_alloc_text(name, err) : NULL;
    if (name && !own.name)
        return PT_ENOMEM;
    columns->items[columns->count++] = own;
    return PT_OK;
}

const pt_judged *pt_judged_at(const pt_judged_columns *columns, int64_t column)
{
    int64_t low = 0;
    int64_t high = columns->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (columns->items[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < columns->count && columns->items[low].column == column ? &columns->items[low]
                                                                        : NULL;
}

const pt_judged *pt_judged_named(const pt_judged_columns *columns, const char *name)
{
    for (int64_t i = 0; i < columns->count; i++)
        if (columns->items[i].name && strcmp(columns->items[i].name, name) == 0)
            return &columns->items[i];
    return NULL;
}

/* What was said for the whole file, and its names in JSON. */
enum { N_SAID = 3 };

static const char *const SAID[N_SAID] = {"na", "sep", "comment"};

static char **said(pt_judged_columns *columns, int which)
{
    return which == 0 ? &columns->na : which == 1 ? &columns->sep : &columns->comment;
}

void pt_judged_free(pt_judged_columns *columns)
{
    for (int64_t i = 0; i < columns->count; i++)
        pt_free(columns->items[i].name);
    pt_free(columns->items);
    for (int s = 0; s < N_SAID; s++)
        pt_free(*said(columns, s));
    memset(columns, 0, sizeof *columns);
}

pt_status pt_judged_say(pt_judged_columns *columns, const char *na, const char *sep,
                        const char *comment, pt_error *err)
{
    const char *const text[N_SAID] = {na, sep, comment};
    for (int s = 0; s < N_SAID; s++)
        if (text[s] && !(*said(columns, s) = pt_alloc_text(text[s], err)))
            return PT_ENOMEM;
    return PT_OK;
}

pt_status pt_judged_copy(pt_judged_columns *out, const pt_judged_columns *from, pt_error *err)
{
    memset(out, 0, sizeof *out);
    PT_FREED_BY(pt_judged_free) pt_judged_columns copy = {.n_columns = from->n_columns};
    for (int64_t i = 0; i < from->count; i++)
        PT_TRY(pt_judged_add(&copy, &from->items[i], from->items[i].name, err));
    PT_TRY(pt_judged_say(&copy, from->na, from->sep, from->comment, err));
    *out = copy;
    copy = (pt_judged_columns){0};
    return PT_OK;
}

const char *pt_judged_words(const pt_judged *judged, char words[PT_JUDGED_WORDS])
{
    static const char *const ORDERS[PT_N_DATE_ORDERS] = {"y-m-d", "d/m/y", "m/d/y",
                                                         "month and day"};
    const pt_number_style *style = &judged->style;
    if (judged->kind == PT_COLUMN_DATE && !(judged->parts & PT_PART_DAYS))
        snprintf(words, PT_JUDGED_WORDS, "time");
    else if (judged->kind == PT_COLUMN_DATE)
        snprintf(words, PT_JUDGED_WORDS, "date%s%s%s%s%s", judged->any_order ? "" : " (",
                 judged->any_order ? "" : ORDERS[judged->order], judged->any_order ? "" : ")",
                 judged->parts & PT_PART_WEEKDAY ? ", weekday" : "",
                 judged->parts & PT_PART_HOUR ? ", hour" : "");
    else if (judged->kind <= PT_COLUMN_PERCENT)
        snprintf(words, PT_JUDGED_WORDS, "%s%s%s%s%s", KIND_NAMES[judged->kind],
                 *judged->unit ? " in " : "", judged->unit,
                 style->decimal == ',' ? ", decimal comma" : "",
                 style->thousands == ','    ? ", commas between thousands"
                 : style->thousands == '.'  ? ", points between thousands"
                 : style->thousands == ' '  ? ", spaces between thousands"
                 : style->thousands == '\'' ? ", apostrophes between thousands"
                                            : "");
    else
        snprintf(words, PT_JUDGED_WORDS, "%s", KIND_NAMES[judged->kind]);
    return words;
}

enum { NOTE_ROOM = 512 }; /* of the line that add_note writes */

/* "date (y-m-d): 'day', 'born', ..." from entry `first` on. */
static pt_status add_note(const pt_judged_columns *columns, int64_t first, const char *words,
                          pt_texts *notes, pt_error *err)
{
    enum { NAMED = 5, NAME_ROOM = 48 };
    char names[NAMED * NAME_ROOM + 24] = "";
    char own[PT_JUDGED_WORDS];
    size_t used = 0;
    int64_t count = 0;
    for (int64_t i = first; i < columns->count; i++) {
        const pt_judged *judged = &columns->items[i];
        if (strcmp(pt_judged_words(judged, own), words) != 0)
            continue;
        if (count < NAMED && judged->name)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.40s'",
                                     count ? ", " : "", judged->name);
        else if (count < NAMED)
            used += (size_t)snprintf(names + used, sizeof names - used, "%scolumn %lld",
                                     count ? ", " : "", (long long)judged->column);
        count++;
    }
    if (count > NAMED)
        snprintf(names + used, sizeof names - used, " and %lld more", (long long)(count - NAMED));
    return pt_texts_add(notes, err, "%s: %s", words, names);
}

pt_status pt_judged_notes(const pt_judged_columns *columns, pt_texts *notes, pt_error *err)
{
    for (int64_t i = 0; i < columns->count; i++) {
        char words[PT_JUDGED_WORDS];
        const pt_judged *judged = &columns->items[i];
        pt_judged_words(judged, words);
        bool told = pt_column_is_left_out(judged->kind) || /* a warning has said it */
                    pt_judged_is_plain(judged);
        const size_t length = strlen(words);
        for (int64_t l = 0; l < notes->count && !told; l++)
            told = strncmp(notes->items[l], words, length) == 0 && notes->items[l][length] == ':';
        if (!told)
            PT_TRY(add_note(columns, i, words, notes, err));
    }
    for (int64_t l = 0; l < notes->count; l++) { /* names and units are those of the file, cut */
        char shown[NOTE_ROOM];
        if (pt_text_is_utf8(notes->items[l]))
            continue;
        pt_text_to_utf8(shown, sizeof shown, notes->items[l]);
        PT_TRY(pt_texts_set(notes, l, shown, err));
    }
    return PT_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *sign_to_json(char sign)
{
    return json_stringn(&sign, 1);
}

static json_t *parts_to_json(int parts)
{
    json_t *list = json_array();
    for (int part = PT_PART_DAYS; list && part <= PT_PART_HOUR; part *= 2)
        if (parts & part &&
            json_array_append_new(list, json_string(pt_date_part_name(part))) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *entry_to_json(const pt_judged *judged, pt_error *err)
{
    json_t *entry = json_object();
    const bool date = judged->kind == PT_COLUMN_DATE;
    const bool good =
        entry && pt_json_put(entry, "column", json_integer(judged->column)) &&
        (!judged->name || pt_json_put(entry, "name", pt_json_text(judged->name, err))) &&
        pt_json_put(entry, "kind", json_string(KIND_NAMES[judged->kind])) &&
        (judged->style.decimal != ',' || pt_json_put(entry, "decimal", sign_to_json(','))) &&
        (!judged->style.thousands ||
         pt_json_put(entry, "thousands", sign_to_json(judged->style.thousands))) &&
        (!judged->misfits || pt_json_put(entry, "misfits", json_true())) &&
        (!*judged->unit || pt_json_put(entry, "unit", pt_json_text(judged->unit, err))) &&
        (!date || pt_json_put(entry, "order", json_string(ORDER_NAMES[judged->order]))) &&
        (!date || pt_json_put(entry, "parts", parts_to_json(judged->parts))) &&
        (!judged->any_order || pt_json_put(entry, "any_order", json_true()));
    if (good)
        return entry;
    json_decref(entry);
    return NULL;
}

json_t *pt_judged_to_json(const pt_judged_columns *columns, pt_error *err)
{
    json_t *object = json_object();
    json_t *listed = json_array();
    bool good =
        object && listed && pt_json_put(object, "columns", json_integer(columns->n_columns));
    const char *const text[N_SAID] = {columns->na, columns->sep, columns->comment};
    for (int s = 0; s < N_SAID && good; s++)
        good = !text[s] || pt_json_put(object, SAID[s], pt_json_text(text[s], err));
    for (int64_t i = 0; i < columns->count && good; i++) {
        json_t *entry = entry_to_json(&columns->items[i], err);
        good = entry && json_array_append_new(listed, entry) == 0;
    }
    if (good && json_object_set(object, "listed", listed) == 0) {
        json_decref(listed);
        return object;
    }
    json_decref(object);
    json_decref(listed);
    pt_fail_memory(err, "what is known of columns", 0);
    return NULL;
}

static pt_status damaged(pt_error *err)
{
    return pt_fail(err, PT_EFORMAT, "the model is damaged: what it says of its columns");
}

/* One of the letters of `allowed`, or `usual` where nothing is said; 0: neither. */
static bool sign_from_json(const json_t *value, const char *allowed, char usual, char *sign)
{
    const char *text = json_string_value(value);
    *sign = text ? text[0] : usual;
    return !value || (text && text[0] && !text[1] && strchr(allowed, text[0]));
}

static bool order_from_json(const json_t *value, pt_date_order *order)
{
    const char *name = json_string_value(value);
    for (int i = 0; name && i < PT_N_DATE_ORDERS; i++)
        if (strcmp(name, ORDER_NAMES[i]) == 0) {
            *order = (pt_date_order)i;
            return true;
        }
    return false;
}

/* The first files have a number in place of the list. */
static bool parts_from_json(const json_t *value, int *parts)
{
    const json_int_t bits = json_integer_value(value);
    *parts = bits > 0 && bits <= ALL_PARTS ? (int)bits : 0;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *name = json_string_value(json_array_get(value, i));
        int part = PT_PART_DAYS;
        while (name && part <= PT_PART_HOUR && strcmp(name, pt_date_part_name(part)) != 0)
            part *= 2;
        if (!name || part > PT_PART_HOUR)
            return false;
        *parts |= part;
    }
    return *parts != 0;
}

static pt_status entry_from_json(pt_judged_columns *out, const json_t *entry, pt_error *err)
{
    pt_judged judged = {.misfits = json_is_true(json_object_get(entry, "misfits")),
                        .any_order = json_is_true(json_object_get(entry, "any_order")),
                        .feature = -1};
    const int64_t before = out->count ? out->items[out->count - 1].column : 0;
    const char *kind = json_string_value(json_object_get(entry, "kind"));
    judged.column = json_integer_value(json_object_get(entry, "column"));
    if (!kind || !pt_column_kind_find(kind, &judged.kind) || judged.column <= before ||
        judged.column > out->n_columns ||
        !sign_from_json(json_object_get(entry, "decimal"), ".,", '.', &judged.style.decimal) ||
        !sign_from_json(json_object_get(entry, "thousands"), ",. '", 0, &judged.style.thousands) ||
        judged.style.decimal == judged.style.thousands)
        return damaged(err);
    if (judged.kind == PT_COLUMN_DATE) {
        if (!order_from_json(json_object_get(entry, "order"), &judged.order) ||
            !parts_from_json(json_object_get(entry, "parts"), &judged.parts))
            return damaged(err);
    }
    const json_t *name = json_object_get(entry, "name");
    const json_t *unit = json_object_get(entry, "unit");
    PT_SCRATCH char *unit_text = NULL;
    PT_SCRATCH char *name_text = NULL;
    if (unit) {
        PT_TRY(pt_json_get_text(unit, "the unit of a column", &unit_text, err));
        if (strlen(unit_text) >= sizeof judged.unit)
            return damaged(err);
        memcpy(judged.unit, unit_text, strlen(unit_text) + 1);
    }
    if (name)
        PT_TRY(pt_json_get_text(name, "the name of a column", &name_text, err));
    return pt_judged_add(out, &judged, name_text, err);
}

pt_status pt_judged_from_json(pt_judged_columns *out, const json_t *value, pt_error *err)
{
    memset(out, 0, sizeof *out);
    if (!value) /* files of earlier versions */
        return PT_OK;
    const json_t *listed = json_object_get(value, "listed");
    PT_FREED_BY(pt_judged_free)
    pt_judged_columns read = {.n_columns = json_integer_value(json_object_get(value, "columns"))};
    if (read.n_columns < 1 || read.n_columns > MOST_COLUMNS || !json_is_array(listed))
        return damaged(err);
    for (int s = 0; s < N_SAID; s++) {
        const json_t *text = json_object_get(value, SAID[s]);
        if (text)
            PT_TRY(pt_json_get_text(text, "what was said of the file", said(&read, s), err));
    }
    for (size_t i = 0; i < json_array_size(listed); i++)
        PT_TRY(entry_from_json(&read, json_array_get(listed, i), err));
    *out = read;
    read = (pt_judged_columns){0};
    return PT_OK;
}
