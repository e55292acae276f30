/* Results as named figures and tables. */
#include "report/report.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/math.h"

/* What an item holds beside its place in the list. */
typedef struct held {
    void *values; /* NULL: lent */
    char *name;
    pt_texts texts; /* letters of copied texts */
} held;

struct pt_report {
    char kind[24];
    pt_item *item;
    held *held;
    int64_t n;
    int64_t room;
    void *object;
    void (*free_object)(void *object);
};

static int64_t count_of(const pt_item *item)
{
    int64_t count = 1;
    for (int a = 0; a < item->n_axes; a++)
        count *= item->length[a];
    return count;
}

/* ---- adding ---------------------------------------------------------------------------------- */

pt_status pt_report_new(pt_report **out, const char *kind, pt_error *err)
{
    pt_report *report = NULL;
    PT_TRY(PT_NEW_ZERO(report, 1, "a report", err));
    strncpy(report->kind, kind, sizeof report->kind - 1);
    *out = report;
    return PT_OK;
}

void pt_report_cut(pt_report *report, int64_t n)
{
    while (report->n > n) {
        held *last = &report->held[--report->n];
        pt_free(last->values);
        pt_free(last->name);
        pt_texts_free(&last->texts);
    }
}

void pt_report_free(pt_report *report)
{
    if (!report)
        return;
    pt_report_cut(report, 0);
    if (report->free_object)
        report->free_object(report->object);
    pt_free(report->item);
    pt_free(report->held);
    pt_free(report);
}

static pt_status grow(pt_report *report, pt_error *err)
{
    const int64_t room = 2 * report->room + 16;
    if (report->n < report->room)
        return PT_OK;
    PT_TRY(pt_alloc_grow((void **)&report->item, report->n, room, sizeof *report->item, "a report",
                         err));
    PT_TRY(pt_alloc_grow((void **)&report->held, report->n, room, sizeof *report->held, "a report",
                         err));
    report->room = room;
    return PT_OK;
}

/* An item with these values, which it holds from now on; they may be NULL: lent ones are there. */
static pt_status append(pt_report *report, const pt_item *item, void *values, pt_error *err)
{
    PT_SCRATCH void *kept = values;
    PT_SCRATCH char *name = pt_alloc_text(item->name, err);
    PT_TRY(name ? PT_OK : PT_ENOMEM);
    PT_TRY(grow(report, err));
    report->item[report->n] = *item;
    report->item[report->n].name = name;
    if (values)
        report->item[report->n].values = values;
    report->held[report->n++] = (held){.values = pt_keep(&kept), .name = pt_keep(&name)};
    return PT_OK;
}

pt_status pt_report_lend(pt_report *report, const pt_item *item, pt_error *err)
{
    return append(report, item, NULL, err);
}

pt_status pt_report_room(pt_report *report, const pt_item *item, void *values, pt_error *err)
{
    void *room = pt_alloc_zero(count_of(item), pt_type_size(item->type), item->name, err);
    PT_TRY(room ? PT_OK : PT_ENOMEM);
    PT_TRY(append(report, item, room, err));
    memcpy(values, &room, sizeof room);
    return PT_OK;
}

/* The letters of texts are taken into the report's last item, which has room for them. */
static pt_status copy_texts(pt_report *report, const char *const *from, int64_t count,
                            const char **into, pt_error *err)
{
    held *h = &report->held[report->n - 1];
    for (int64_t i = 0; i < count; i++)
        PT_TRY(
            pt_texts_add_n(&h->texts, from[i] ? from[i] : "", from[i] ? strlen(from[i]) : 0, err));
    for (int64_t i = 0; i < count; i++)
        into[i] = from[i] ? h->texts.items[i] : NULL;
    return PT_OK;
}

pt_status pt_report_copy(pt_report *report, const pt_item *item, pt_error *err)
{
    void *into = NULL;
    PT_TRY(pt_report_room(report, item, &into, err));
    if (item->type == PT_TEXT)
        return copy_texts(report, item->values, count_of(item), into, err);
    memcpy(into, item->values, (size_t)count_of(item) * pt_type_size(item->type));
    return PT_OK;
}

pt_status pt_report_add_number(pt_report *report, const char *name, double value, pt_error *err)
{
    return pt_report_copy(report, &(pt_item){.name = name, .type = PT_F64, .values = &value}, err);
}

pt_status pt_report_add_integer(pt_report *report, const char *name, int64_t value, pt_error *err)
{
    return pt_report_copy(report, &(pt_item){.name = name, .type = PT_I64, .values = &value}, err);
}

pt_status pt_report_add_text(pt_report *report, const char *name, const char *text, pt_error *err)
{
    if (!text)
        return PT_OK;
    return pt_report_copy(report, &(pt_item){.name = name, .type = PT_TEXT, .values = &text}, err);
}

pt_status pt_report_add_texts(pt_report *report, const char *name, const char *axis,
                              const pt_texts *texts, pt_error *err)
{
    return pt_report_copy(report, PT_LIST(name, PT_TEXT, axis, texts->count, texts->items), err);
}

pt_status pt_report_add_warnings(pt_report *report, const pt_warnings *warnings, pt_error *err)
{
    const int64_t n = warnings->count;
    const char **kinds = NULL;
    PT_TRY(pt_report_copy(report, PT_LIST("warning", PT_TEXT, "warning", n, warnings->items), err));
    PT_TRY(pt_report_room(report, PT_LIST("warning_kind", PT_TEXT, "warning", n, NULL),
                          (void *)&kinds, err));
    for (int64_t i = 0; i < n; i++)
        kinds[i] = pt_kind_name(warnings->kinds[i]);
    return PT_OK;
}

void pt_report_own(pt_report *report, void *object, void (*free_object)(void *object))
{
    report->object = object;
    report->free_object = free_object;
}

void *pt_report_object(const pt_report *report, const char *kind)
{
    return report && strcmp(report->kind, kind) == 0 ? report->object : NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

const char *pt_report_kind(const pt_report *report)
{
    return report->kind;
}

int64_t pt_report_n_items(const pt_report *report)
{
    return report->n;
}

const pt_item *pt_report_item(const pt_report *report, int64_t index)
{
    return index >= 0 && index < report->n ? &report->item[index] : NULL;
}

const pt_item *pt_report_find(const pt_report *report, const char *name)
{
    for (int64_t i = 0; i < report->n; i++)
        if (strcmp(report->item[i].name, name) == 0)
            return &report->item[i];
    return NULL;
}

static double value_at(const pt_item *item, int64_t at)
{
    switch (item->type) {
    case PT_F64:
        return ((const double *)item->values)[at];
    case PT_F32:
        return (double)((const float *)item->values)[at];
    case PT_I64:
        return (double)((const int64_t *)item->values)[at];
    case PT_I32:
        return (double)((const int32_t *)item->values)[at];
    case PT_I8:
        return (double)((const int8_t *)item->values)[at];
    case PT_TEXT:
        break;
    }
    return NAN;
}

/* The place of an entry, or -1. */
static int64_t place_of(const pt_item *item, int64_t i, int64_t j, int64_t l)
{
    const int64_t at[PT_MOST_AXES] = {i, j, l};
    int64_t place = 0;
    for (int a = 0; item && a < PT_MOST_AXES; a++) {
        const int64_t length = a < item->n_axes ? item->length[a] : 1;
        if (at[a] < 0 || at[a] >= length)
            return -1;
        place = place * length + at[a];
    }
    return item ? place : -1;
}

int64_t pt_report_length(const pt_report *report, const char *name)
{
    const pt_item *item = pt_report_find(report, name);
    return item && item->n_axes > 0 ? item->length[0] : 0;
}

double pt_report_number_at(const pt_report *report, const char *name, int64_t i, int64_t j,
                           int64_t l)
{
    const pt_item *item = pt_report_find(report, name);
    const int64_t place = place_of(item, i, j, l);
    return place < 0 ? NAN : value_at(item, place);
}

double pt_report_number(const pt_report *report, const char *name)
{
    return pt_report_number_at(report, name, 0, 0, 0);
}

int64_t pt_report_integer_at(const pt_report *report, const char *name, int64_t i, int64_t j,
                             int64_t l)
{
    const pt_item *item = pt_report_find(report, name);
    const int64_t place = place_of(item, i, j, l);
    if (place < 0)
        return 0;
    if (item->type == PT_I64)
        return ((const int64_t *)item->values)[place];
    const double value = value_at(item, place);
    return value > -9e18 && value < 9e18 ? (int64_t)value : 0;
}

int64_t pt_report_integer(const pt_report *report, const char *name)
{
    return pt_report_integer_at(report, name, 0, 0, 0);
}

const char *pt_report_text_at(const pt_report *report, const char *name, int64_t i, int64_t j,
                              int64_t l)
{
    const pt_item *item = pt_report_find(report, name);
    const int64_t place = place_of(item, i, j, l);
    return place < 0 || item->type != PT_TEXT ? NULL : ((const char *const *)item->values)[place];
}

const char *pt_report_text(const pt_report *report, const char *name)
{
    return pt_report_text_at(report, name, 0, 0, 0);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* What is not a finite number is null. */
static json_t *json_value(const pt_item *item, int64_t at, pt_error *err)
{
    if (item->type == PT_TEXT) {
        const char *text = ((const char *const *)item->values)[at];
        return text ? pt_json_text(text, err) : json_null();
    }
    const double value = value_at(item, at);
    if (item->type == PT_I64)
        return json_integer(((const int64_t *)item->values)[at]);
    if (item->type == PT_I32 || item->type == PT_I8)
        return json_integer((json_int_t)value);
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_axis(const pt_item *item, int axis, int64_t *at, pt_error *err)
{
    if (axis == item->n_axes || axis == PT_MOST_AXES)
        return json_value(item, (*at)++, err);
    json_t *list = json_array();
    for (int64_t i = 0; list && i < item->length[axis]; i++)
        if (json_array_append_new(list, json_axis(item, axis + 1, at, err)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static void drop_json(json_t **value)
{
    json_decref(*value);
}

pt_status pt_report_json(char **out, const pt_report *report, pt_error *err)
{
    PT_FREED_BY(drop_json) json_t *object = json_object();
    bool put = object != NULL;
    for (int64_t i = 0; i < report->n && put; i++) {
        int64_t at = 0;
        put = pt_json_put(object, report->item[i].name, json_axis(&report->item[i], 0, &at, err));
    }
    if (!put)
        return pt_fail_memory(err, "a report as JSON", 0);
    return pt_json_dump(object, JSON_INDENT(2), out, err);
}

void pt_bytes_free(void *bytes)
{
    pt_free(bytes);
}
