/* Texts: lists that own their strings, patterns, numbers as people write them in options. */
#include "base/text.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static pt_status texts_room(pt_texts *texts, pt_error *err)
{
    if (texts->count < texts->capacity)
        return PT_OK;
    const int64_t capacity = texts->capacity ? 2 * texts->capacity : 8;
    pt_status status = pt_alloc_grow((void **)&texts->items, texts->count, capacity, sizeof(char *),
                                     "a list of texts", err);
    if (status == PT_OK)
        texts->capacity = capacity;
    return status;
}

pt_status pt_texts_add_n(pt_texts *texts, const char *text, size_t length, pt_error *err)
{
    pt_status status = texts_room(texts, err);
    if (status != PT_OK)
        return status;
    char *copy = pt_alloc_text_n(text, length, err);
    if (!copy)
        return PT_ENOMEM;
    texts->items[texts->count++] = copy;
    return PT_OK;
}

pt_status pt_texts_add(pt_texts *texts, pt_error *err, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pt_texts_add_n(texts, text, strlen(text), err);
}

pt_status pt_texts_copy(pt_texts *out, const pt_texts *from, pt_error *err)
{
    pt_texts copy = {NULL, 0, 0};
    for (int64_t i = 0; i < from->count; i++) {
        pt_status status = pt_texts_add_n(&copy, from->items[i], strlen(from->items[i]), err);
        if (status != PT_OK) {
            pt_texts_free(&copy);
            return status;
        }
    }
    *out = copy;
    return PT_OK;
}

const char *pt_texts_get(const pt_texts *texts, int64_t index)
{
    return index >= 0 && index < texts->count ? texts->items[index] : NULL;
}

void pt_texts_free(pt_texts *texts)
{
    for (int64_t i = 0; i < texts->count; i++)
        pt_free(texts->items[i]);
    pt_free(texts->items);
    memset(texts, 0, sizeof *texts);
}

/* One pattern without commas, of `length` bytes; the usual two-finger match of `*` and `?`. */
static bool glob_matches(const char *text, const char *pattern, size_t length)
{
    const char *end = pattern + length;
    const char *star = NULL;
    const char *retry = NULL;
    while (*text) {
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (pattern < end && (*pattern == '?' || *pattern == *text)) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

bool pt_text_matches(const char *text, const char *pattern)
{
    for (;;) {
        const size_t length = strcspn(pattern, ",");
        if (length > 0 && glob_matches(text, pattern, length))
            return true;
        if (pattern[length] == '\0')
            return false;
        pattern += length + 1;
    }
}

/* What strtod and strtoll would skip. */
static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* strtod in the C locale whatever the program has set. */
static bool plain_real(const char *text, size_t length, double *value)
{
    char copy[512];
    if (length == 0 || length >= sizeof copy || is_space(text[0]))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return false;
    char *end = NULL;
    const locale_t previous = uselocale(c_locale);
    *value = strtod(copy, &end);
    uselocale(previous);
    freelocale(c_locale);
    return end == copy + length;
}

bool pt_text_to_real(const char *text, double *value)
{
    const char *power = strchr(text, '^');
    if (!power)
        return plain_real(text, strlen(text), value);
    double base = 0;
    double exponent = 0;
    if (!plain_real(text, (size_t)(power - text), &base) ||
        !plain_real(power + 1, strlen(power + 1), &exponent))
        return false;
    *value = pow(base, exponent);
    return true;
}

bool pt_text_to_integer(const char *text, int64_t *value)
{
    if (text[0] == '\0' || is_space(text[0]))
        return false;
    char *end = NULL;
    errno = 0;
    const long long parsed = strtoll(text, &end, 10);
    if (*end != '\0' || errno == ERANGE)
        return false;
    *value = parsed;
    return true;
}
