/* Texts as JSON values and back. */
#include "base/json.h"

#include <string.h>

#include "base/alloc.h"

static const char HEX_DIGITS[] = "0123456789abcdef";

static json_t *hex_value(const char *text, pt_error *err)
{
    const size_t length = strlen(text);
    char *hex = pt_alloc((int64_t)length + 1, 2, "a text", err);
    if (!hex)
        return NULL;
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)text[i];
        hex[2 * i] = HEX_DIGITS[byte >> 4];
        hex[2 * i + 1] = HEX_DIGITS[byte & 15];
    }
    json_t *value = json_pack("{s:s#}", "bytes", hex, (int)(2 * length));
    pt_free(hex);
    if (!value)
        pt_fail_memory(err, "a text", 2 * length);
    return value;
}

/* json_string is NULL for what is not UTF-8 and where there is no memory: which it is is asked
 * before. */
json_t *pt_json_text(const char *text, pt_error *err)
{
    if (!pt_text_is_utf8(text))
        return hex_value(text, err);
    json_t *value = json_string_nocheck(text);
    if (!value)
        pt_fail_memory(err, "a text", strlen(text));
    return value;
}

json_t *pt_json_texts(const pt_texts *texts, pt_error *err)
{
    json_t *array = json_array();
    bool good = array != NULL;
    if (!good)
        pt_fail_memory(err, "a list of texts", 0);
    for (int64_t i = 0; i < texts->count && good; i++) {
        json_t *value = pt_json_text(texts->items[i], err);
        good = value != NULL;
        if (good && json_array_append_new(array, value) != 0) { /* has taken value even so */
            pt_fail_memory(err, "a list of texts", 0);
            good = false;
        }
    }
    if (!good) {
        json_decref(array);
        array = NULL;
    }
    return array;
}

/* A text that grows. json_dumps has one of its own, and leaves out what it had no memory for where
 * that was a key: here it is remembered. */
typedef struct growing_json {
    char *text;
    size_t used;
    size_t room;
    pt_error *err;
    pt_status status;
} growing_json;

static int grow(const char *bytes, size_t size, void *context)
{
    growing_json *g = context;
    if (g->status == PT_OK && size >= g->room - g->used) {
        const size_t room = 2 * (g->used + size) + 256;
        g->status = pt_alloc_grow((void **)&g->text, (int64_t)g->used, (int64_t)room, 1,
                                  "a text of JSON", g->err);
        g->room = g->status == PT_OK ? room : g->room;
    }
    if (g->status != PT_OK)
        return -1;
    memcpy(g->text + g->used, bytes, size);
    g->used += size;
    return 0;
}

pt_status pt_json_dump(const json_t *value, size_t flags, char **out, pt_error *err)
{
    growing_json g = {.err = err, .status = PT_OK};
    const int failed = json_dump_callback(value, grow, &g, flags);
    if (failed && g.status == PT_OK)
        g.status = pt_fail_memory(err, "a text of JSON", 0);
    if (g.status == PT_OK)
        (void)grow("", 1, &g); /* the end */
    if (g.status != PT_OK) {
        pt_free(g.text);
        return g.status;
    }
    *out = g.text;
    return PT_OK;
}

/* jansson calls a token that it has no memory for an invalid one. Such a failure does not come
 * twice, unless there is no memory at all: then there is no reason in `where`. */
pt_status pt_json_parse(json_t **out, const char *bytes, size_t size, json_error_t *where,
                        pt_error *err)
{
    json_t *value = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, where);
    if (!value)
        value = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, where);
    if (!value)
        return where->text[0] ? PT_EFORMAT : pt_fail_memory(err, "a text of JSON", size);
    *out = value;
    return PT_OK;
}

/* 0..15, or -1. */
static int hex_digit(char c)
{
    const char *at = c ? strchr(HEX_DIGITS, c) : NULL;
    return at ? (int)(at - HEX_DIGITS) : -1;
}

static pt_status hex_decode(const char *hex, const char *what, char **out, pt_error *err)
{
    const size_t length = strlen(hex) / 2;
    char *text = pt_alloc((int64_t)length + 1, 1, "a text", err);
    if (!text)
        return PT_ENOMEM;
    bool good = strlen(hex) % 2 == 0;
    for (size_t i = 0; i < length && good; i++) {
        const int high = hex_digit(hex[2 * i]);
        const int low = hex_digit(hex[2 * i + 1]);
        good = high >= 0 && low >= 0 && 16 * high + low > 0;
        text[i] = (char)(good ? 16 * high + low : 0);
    }
    text[length] = '\0';
    if (!good) {
        pt_free(text);
        return pt_fail(err, PT_EFORMAT, "%s: bytes that are not hexadecimal", what);
    }
    *out = text;
    return PT_OK;
}

pt_status pt_json_get_text(const json_t *value, const char *what, char **out, pt_error *err)
{
    const char *text = json_string_value(value); /* NULL is allowed, and for what is no string */
    if (text) {
        *out = pt_alloc_text(text, err);
        return *out ? PT_OK : PT_ENOMEM;
    }
    const char *hex = json_string_value(json_object_get(value, "bytes"));
    if (!hex)
        return pt_fail(err, PT_EFORMAT, "%s: a text is expected", what);
    return hex_decode(hex, what, out, err);
}

pt_status pt_json_get_texts(const json_t *array, const char *what, pt_texts *out, pt_error *err)
{
    if (!json_is_array(array))
        return pt_fail(err, PT_EFORMAT, "%s: a list of texts is expected", what);
    pt_texts texts = {NULL, 0, 0};
    pt_status status = PT_OK;
    for (size_t i = 0; i < json_array_size(array) && status == PT_OK; i++) {
        char *text = NULL;
        status = pt_json_get_text(json_array_get(array, i), what, &text, err);
        if (status == PT_OK)
            status = pt_texts_add_n(&texts, text, strlen(text), err);
        pt_free(text);
    }
    if (status != PT_OK) {
        pt_texts_free(&texts);
        return status;
    }
    *out = texts;
    return PT_OK;
}
