/* Warnings: few of them, so that each is a text of its own. */
#include "base/warnings.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

const char *pt_kind_name(pt_kind kind)
{
    static const char *const WORDS[] = {
#define PT_KIND_WORD(name, word) [name] = (word),
        PT_KIND_LIST(PT_KIND_WORD)
#undef PT_KIND_WORD
    };
    return WORDS[kind];
}

/* The lists grow to a power of 2, when the number in them is one. */
static pt_status room(pt_warnings *w, pt_error *err)
{
    if ((w->count & (w->count - 1)) != 0)
        return PT_OK;
    const int64_t capacity = w->count ? 2 * w->count : 1;
    PT_TRY(
        pt_alloc_grow((void **)&w->items, w->count, capacity, sizeof *w->items, "warnings", err));
    PT_TRY(
        pt_alloc_grow((void **)&w->kinds, w->count, capacity, sizeof *w->kinds, "warnings", err));
    return pt_alloc_grow((void **)&w->sentences, w->count, capacity, sizeof *w->sentences,
                         "warnings", err);
}

static pt_status add(pt_warnings *w, pt_kind kind, const char *sentence, const char *text,
                     pt_error *err)
{
    PT_TRY(room(w, err));
    char *copy = pt_alloc_text(text, err);
    if (!copy)
        return PT_ENOMEM;
    w->items[w->count] = copy;
    w->sentences[w->count] = sentence;
    w->kinds[w->count++] = kind;
    return PT_OK;
}

pt_status pt_warn(pt_warnings *warnings, pt_error *err, pt_kind kind, const char *format, ...)
{
    char text[PT_WARNING_ROOM];
    char shown[PT_WARNING_ROOM];
    va_list args;
    va_start(args, format);
    pt_text_format(text, sizeof text, format, args);
    va_end(args);
    pt_text_to_utf8(shown, sizeof shown, text);
    return add(warnings, kind, format, shown, err);
}

pt_status pt_warnings_add(pt_warnings *warnings, const pt_warnings *more, pt_error *err)
{
    for (int64_t i = 0; i < more->count; i++)
        PT_TRY(add(warnings, more->kinds[i], more->sentences[i], more->items[i], err));
    return PT_OK;
}

static bool is_there(const pt_warnings *warnings, const char *text)
{
    for (int64_t i = 0; i < warnings->count; i++)
        if (strcmp(warnings->items[i], text) == 0)
            return true;
    return false;
}

pt_status pt_warnings_add_new(pt_warnings *warnings, const pt_warnings *more, pt_error *err)
{
    for (int64_t i = 0; i < more->count; i++)
        if (!is_there(warnings, more->items[i]))
            PT_TRY(add(warnings, more->kinds[i], more->sentences[i], more->items[i], err));
    return PT_OK;
}

const char *pt_warnings_get(const pt_warnings *warnings, int64_t index)
{
    return index >= 0 && index < warnings->count ? warnings->items[index] : NULL;
}

void pt_warnings_free(pt_warnings *warnings)
{
    for (int64_t i = 0; i < warnings->count; i++)
        pt_free(warnings->items[i]);
    pt_free(warnings->items);
    pt_free(warnings->kinds);
    pt_free(warnings->sentences);
    memset(warnings, 0, sizeof *warnings);
}
