/* The cells of an Arrow column, by its type. */
#include "data/memory/arrow_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/read/number.h"
#include "polytomy/polytomy.h"

/* ---- types ----------------------------------------------------------------------------------- */

typedef struct type_entry {
    const char *format;
    pt_arrow_kind kind;
    bool prefix;  /* what follows, a time zone, does not matter */
    double units; /* in a day */
} type_entry;

static const double DAY = 86400; /* seconds */

static const type_entry TYPES[] = {
    {"n", PT_ARROW_NULL, false, 0},
    {"b", PT_ARROW_BOOL, false, 0},
    {"c", PT_ARROW_I8, false, 0},
    {"C", PT_ARROW_U8, false, 0},
    {"s", PT_ARROW_I16, false, 0},
    {"S", PT_ARROW_U16, false, 0},
    {"i", PT_ARROW_I32, false, 0},
    {"I", PT_ARROW_U32, false, 0},
    {"l", PT_ARROW_I64, false, 0},
    {"L", PT_ARROW_U64, false, 0},
    {"e", PT_ARROW_F16, false, 0},
    {"f", PT_ARROW_F32, false, 0},
    {"g", PT_ARROW_F64, false, 0},
    {"u", PT_ARROW_TEXT, false, 0},
    {"U", PT_ARROW_LARGE_TEXT, false, 0},
    {"vu", PT_ARROW_TEXT_VIEW, false, 0},
    {"tdD", PT_ARROW_I32, false, 1},
    {"tdm", PT_ARROW_I64, false, DAY * 1e3},
    {"tss:", PT_ARROW_I64, true, DAY},
    {"tsm:", PT_ARROW_I64, true, DAY * 1e3},
    {"tsu:", PT_ARROW_I64, true, DAY * 1e6},
    {"tsn:", PT_ARROW_I64, true, DAY * 1e9},
    {"tts", PT_ARROW_I32, false, DAY},
    {"ttm", PT_ARROW_I32, false, DAY * 1e3},
    {"ttu", PT_ARROW_I64, false, DAY * 1e6},
    {"ttn", PT_ARROW_I64, false, DAY * 1e9},
};

static const type_entry *find_type(const char *format)
{
    for (size_t i = 0; format && i < sizeof TYPES / sizeof *TYPES; i++)
        if (TYPES[i].prefix ? strncmp(format, TYPES[i].format, strlen(TYPES[i].format)) == 0
                            : strcmp(format, TYPES[i].format) == 0)
            return &TYPES[i];
    return NULL;
}

static bool is_text(pt_arrow_kind kind)
{
    return kind == PT_ARROW_TEXT || kind == PT_ARROW_LARGE_TEXT || kind == PT_ARROW_TEXT_VIEW;
}

static bool is_whole(pt_arrow_kind kind)
{
    return kind >= PT_ARROW_I8 && kind <= PT_ARROW_U64;
}

bool pt_arrow_is_text(const pt_arrow_column *column)
{
    return is_text(column->encoded ? column->dictionary.kind : column->cells.kind);
}

/* ---- opening --------------------------------------------------------------------------------- */

static pt_status fail(const pt_arrow_column *column, pt_status status, const char *what,
                      pt_error *err)
{
    return pt_fail(err, status, "column %lld%s%.60s%s: %s", (long long)column->number + 1,
                   *column->name ? " ('" : "", column->name, *column->name ? "')" : "", what);
}

static pt_status fail_type(const pt_arrow_column *column, const char *format, pt_error *err)
{
    return pt_fail(
        err, PT_ENOSUPPORT,
        "column %lld%s%.60s%s: the type '%.40s' is not read; cast it to numbers or texts, "
        "or `ignore` it",
        (long long)column->number + 1, *column->name ? " ('" : "", column->name,
        *column->name ? "')" : "", format ? format : "");
}

static pt_status open_values(pt_arrow_values *to, const pt_arrow_column *column, const char *format,
                             const struct ArrowArray *array, int64_t offset, int64_t n,
                             double *units, pt_error *err)
{
    const type_entry *type = find_type(format);
    if (!type)
        return fail_type(column, format, err);
    *units = type->units;
    *to = (pt_arrow_values){.kind = type->kind, .n = n};
    if (array->offset < 0 || array->length < 0 || offset > array->length - n ||
        array->offset > INT64_MAX - offset)
        return fail(column, PT_EINVAL, "it has fewer rows than the table", err);
    to->first = array->offset + offset;
    if (type->kind == PT_ARROW_NULL)
        return PT_OK;
    const int64_t buffers = is_text(type->kind) ? 3 : 2;
    if (array->n_buffers < buffers || !array->buffers)
        return fail(column, PT_EINVAL, "buffers are missing", err);
    to->valid = array->null_count == 0 ? NULL : array->buffers[0];
    to->values = array->buffers[1];
    if (!to->values && n > 0)
        return fail(column, PT_EINVAL, "its values are NULL", err);
    if (type->kind == PT_ARROW_TEXT_VIEW) { /* the last buffer has the lengths of the others */
        to->more = array->buffers + 2;
        to->n_more = array->n_buffers - 3;
    } else if (is_text(type->kind)) {
        to->letters = array->buffers[2];
    }
    return PT_OK;
}

pt_status pt_arrow_column_open(pt_arrow_column *column, const struct ArrowSchema *schema,
                               const struct ArrowArray *array, int64_t offset, int64_t n,
                               int64_t number, pt_error *err)
{
    double units = 0;
    *column = (pt_arrow_column){.number = number, .name = ""};
    if (!schema || !array)
        return fail(column, PT_EINVAL, "it is NULL", err);
    column->name = schema->name ? schema->name : "";
    PT_TRY(
        open_values(&column->cells, column, schema->format, array, offset, n, &column->units, err));
    if (!schema->dictionary)
        return PT_OK;
    if (!array->dictionary)
        return fail(column, PT_EINVAL, "its dictionary is NULL", err);
    if (!is_whole(column->cells.kind) || column->units != 0)
        return fail(column, PT_EINVAL, "its dictionary is not numbered by integers", err);
    if (schema->dictionary->dictionary)
        return fail(column, PT_ENOSUPPORT, "a dictionary of dictionaries is not read", err);
    column->encoded = true;
    PT_TRY(open_values(&column->dictionary, column, schema->dictionary->format, array->dictionary,
                       0, array->dictionary->length, &units, err));
    column->units = units;
    return PT_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is_there(const pt_arrow_values *v, int64_t i)
{
    const int64_t bit = v->first + i;
    return v->kind != PT_ARROW_NULL && (!v->valid || (v->valid[bit / 8] >> (bit % 8) & 1));
}

/* IEEE 754 with 16 bits: sign, 5 of the exponent, 10 of the fraction. */
static double half(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}

static int64_t whole_at(const pt_arrow_values *v, int64_t at)
{
    switch (v->kind) {
    case PT_ARROW_I8:
        return ((const int8_t *)v->values)[at];
    case PT_ARROW_U8:
        return ((const uint8_t *)v->values)[at];
    case PT_ARROW_I16:
        return ((const int16_t *)v->values)[at];
    case PT_ARROW_U16:
        return ((const uint16_t *)v->values)[at];
    case PT_ARROW_I32:
        return ((const int32_t *)v->values)[at];
    case PT_ARROW_U32:
        return ((const uint32_t *)v->values)[at];
    case PT_ARROW_I64:
        return ((const int64_t *)v->values)[at];
    default:
        return 0;
    }
}

/* A value that is there and no text. */
static double number_at(const pt_arrow_values *v, int64_t i)
{
    const int64_t at = v->first + i;
    switch (v->kind) {
    case PT_ARROW_BOOL:
        return ((const unsigned char *)v->values)[at / 8] >> (at % 8) & 1;
    case PT_ARROW_U64:
        return (double)((const uint64_t *)v->values)[at];
    case PT_ARROW_F16:
        return half(((const uint16_t *)v->values)[at]);
    case PT_ARROW_F32:
        return (double)((const float *)v->values)[at];
    case PT_ARROW_F64:
        return ((const double *)v->values)[at];
    default:
        return (double)whole_at(v, at);
    }
}

/* *entry <- the element of the dictionary that cell i, which is there, names. */
static pt_status entry_of(const pt_arrow_column *column, int64_t i, int64_t *entry, pt_error *err)
{
    const pt_arrow_values *v = &column->cells;
    const int64_t at = v->first + i;
    const bool huge = v->kind == PT_ARROW_U64 && ((const uint64_t *)v->values)[at] > INT64_MAX;
    *entry = v->kind == PT_ARROW_U64 && !huge ? (int64_t)((const uint64_t *)v->values)[at]
                                              : whole_at(v, at);
    if (!huge && *entry >= 0 && *entry < column->dictionary.n)
        return PT_OK;
    char text[120];
    snprintf(text, sizeof text, "row %lld names element %lld of a dictionary of %lld",
             (long long)i + 1, (long long)*entry, (long long)column->dictionary.n);
    return fail(column, PT_EINVAL, text, err);
}

pt_status pt_arrow_number(const pt_arrow_column *column, int64_t i, double *x, pt_error *err)
{
    const pt_arrow_values *v = &column->cells;
    *x = NAN;
    if (!is_there(v, i))
        return PT_OK;
    if (column->encoded) {
        PT_TRY(entry_of(column, i, &i, err));
        v = &column->dictionary;
        if (!is_there(v, i))
            return PT_OK;
    }
    if (is_text(v->kind))
        return fail(column, PT_EFORMAT, "it holds texts, and numbers are needed", err);
    *x = number_at(v, i);
    if (column->units > 0)
        *x /= column->units;
    return PT_OK;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A text of at most 12 bytes lies in its view; of others there are four letters, the buffer and the
 * place in it. */
static bool view_at(const pt_arrow_values *v, int64_t at, const char **text, int64_t *length)
{
    enum { VIEW = 16, INLINE = 12 };
    const char *view = (const char *)v->values + at * VIEW;
    int32_t field[4];
    memcpy(field, view, sizeof field);
    *length = field[0];
    *text = view + 4;
    if (field[0] <= INLINE)
        return field[0] >= 0;
    if (field[2] < 0 || field[2] >= v->n_more || field[3] < 0 || !v->more[field[2]])
        return false;
    *text = (const char *)v->more[field[2]] + field[3];
    return true;
}

/* A text that is there; false: its offsets are no offsets. */
static bool text_at(const pt_arrow_values *v, int64_t i, const char **text, int64_t *length)
{
    const int64_t at = v->first + i;
    if (v->kind == PT_ARROW_TEXT_VIEW)
        return view_at(v, at, text, length);
    const bool large = v->kind == PT_ARROW_LARGE_TEXT;
    const int64_t begin =
        large ? ((const int64_t *)v->values)[at] : ((const int32_t *)v->values)[at];
    const int64_t end =
        large ? ((const int64_t *)v->values)[at + 1] : ((const int32_t *)v->values)[at + 1];
    *length = end - begin;
    *text = begin == end ? "" : v->letters + begin;
    return begin >= 0 && end >= begin && (begin == end || v->letters);
}

/* The number of a value that is there, as a text. */
static pt_status add_value(const pt_arrow_column *column, const pt_arrow_values *v, int64_t i,
                           pt_intern *levels, int64_t *level, pt_error *err)
{
    char number[PT_NUMBER_ROOM];
    const char *text = number;
    int64_t length = 0;
    if (is_text(v->kind)) {
        if (!text_at(v, i, &text, &length))
            return fail(column, PT_EINVAL, "the offsets of its texts do not ascend", err);
        if (length > 0 && memchr(text, '\0', (size_t)length))
            return fail(column, PT_EFORMAT, "a text has a zero in it", err);
    } else if (v->kind == PT_ARROW_BOOL) {
        text = number_at(v, i) != 0 ? "true" : "false";
        length = (int64_t)strlen(text);
    } else if (is_whole(v->kind) && column->units == 0) {
        length = v->kind == PT_ARROW_U64
                     ? snprintf(number, sizeof number, "%" PRIu64,
                                ((const uint64_t *)v->values)[v->first + i])
                     : snprintf(number, sizeof number, "%" PRId64, whole_at(v, v->first + i));
    } else {
        const double x = number_at(v, i) / (column->units > 0 ? column->units : 1);
        if (isnan(x))
            return PT_OK;
        length = pt_number_format(x, number);
    }
    return pt_intern_add(levels, text, (size_t)length, level, err);
}

pt_status pt_arrow_levels(int64_t **level_of, const pt_arrow_column *column, pt_intern *levels,
                          pt_error *err)
{
    const pt_arrow_values *v = &column->dictionary;
    *level_of = NULL;
    if (!column->encoded)
        return PT_OK;
    PT_TRY(PT_NEW(*level_of, v->n, "levels", err));
    for (int64_t l = 0; l < v->n; l++) {
        (*level_of)[l] = -1;
        if (is_there(v, l))
            PT_TRY(add_value(column, v, l, levels, &(*level_of)[l], err));
    }
    return PT_OK;
}

pt_status pt_arrow_level(const pt_arrow_column *column, int64_t i, const int64_t *level_of,
                         pt_intern *levels, int64_t *level, pt_error *err)
{
    *level = -1;
    if (!is_there(&column->cells, i))
        return PT_OK;
    if (!column->encoded)
        return add_value(column, &column->cells, i, levels, level, err);
    int64_t entry = 0;
    PT_TRY(entry_of(column, i, &entry, err));
    if (level_of) {
        *level = level_of[entry];
        return PT_OK;
    }
    return is_there(&column->dictionary, entry)
               ? add_value(column, &column->dictionary, entry, levels, level, err)
               : PT_OK;
}
