/* Errors are values: the text goes where the caller wants it, and nowhere else. */
#include "base/error.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef pt_fail /* what static analysis sees elsewhere: error.h */
#undef pt_fail_at

const char *pt_status_name(pt_status status)
{
    switch (status) {
#define PT_STATUS_CASE(name, value, text) \
    case name:                            \
        return #name;
        PT_STATUS_LIST(PT_STATUS_CASE)
#undef PT_STATUS_CASE
    }
    return "PT_UNKNOWN";
}

/* param <- the first name between backquotes: texts name parameters so. */
static void find_param(pt_error *err)
{
    const char *begin = strchr(err->text, '`');
    const size_t length = begin ? strspn(begin + 1, "abcdefghijklmnopqrstuvwxyzC-0123456789") : 0;
    err->param[0] = '\0';
    if (length > 0 && length < sizeof err->param &&
        (begin[1 + length] == '`' || begin[1 + length] == '='))
        snprintf(err->param, sizeof err->param, "%.*s", (int)length, begin + 1);
}

static void error_fill(pt_error *err, pt_status status, const char *file, int64_t line,
                       int64_t column, const char *format, va_list args)
{
    char text[PT_ERROR_TEXT]; /* `args` may point into err->text */
    pt_text_format(text, sizeof text, format, args);
    pt_text_to_utf8(err->text, sizeof err->text, text);
    find_param(err);
    err->code = status;
    if (file != err->file) /* an error passed on keeps its place */
        pt_text_to_utf8(err->file, sizeof err->file, file ? file : "");
    err->line = line;
    err->column = column;
}

pt_status pt_fail(pt_error *err, pt_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        error_fill(err, status, "", 0, 0, format, args);
        va_end(args);
    }
    return status;
}

pt_status pt_fail_at(pt_error *err, pt_status status, const char *file, int64_t line,
                     int64_t column, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        error_fill(err, status, file, line, column, format, args);
        va_end(args);
    }
    return status;
}

const char *pt_error_message(const pt_error *err, char *message, size_t size)
{
    char place[48] = "";
    char whole[PT_ERROR_MESSAGE];
    if (err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, ":%lld:%lld", (long long)err->line, (long long)err->column);
    else if (err->line > 0)
        snprintf(place, sizeof place, ":%lld", (long long)err->line);
    snprintf(whole, sizeof whole, "%s%s: %s", err->file[0] ? err->file : "polytomy", place,
             err->text);
    if (size > 0)
        pt_text_to_utf8(message, size, whole);
    return message;
}

pt_status pt_fail_memory(pt_error *err, const char *what, size_t bytes)
{
    return pt_fail(err, PT_ENOMEM, "no memory for %s (%s)", what, PT_SHOW_BYTES(bytes));
}

void pt_error_copy(pt_error *err, const pt_error *from)
{
    if (!err)
        return;
    const size_t size = err->size;
    *err = *from;
    err->size = size;
}
