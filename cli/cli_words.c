/* The library's words in those of the tool. Texts of the library name parameters between
 * backquotes, `ridge` and `calibrate=no`: here they become the options --ridge and --calibrate no.
 * Names of files, classes and cells have no backquotes in them: the library shows theirs as '. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* What a shell would not hand on as it is. */
static const char SPECIAL[] = " \t\n*?[]#~\"'\\$&;|<>()!`";

static bool is_named(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

static bool has_option(const cli_option *options, const char *text, size_t length)
{
    for (; options && options->name; options++)
        if (is_named(options->name, text, length))
            return true;
    return false;
}

/* A parameter, or an option of a command. */
static bool is_option(const char *text, size_t length, bool *is_flag)
{
    *is_flag = false;
    for (int64_t i = 0; i < cli_param_count(); i++)
        if (is_named(cli_param_name(i), text, length)) {
            *is_flag = strcmp(cli_param_type(i), "flag") == 0;
            return true;
        }
    for (int c = 0; cli_commands[c]; c++)
        if (has_option(cli_commands[c]->options, text, length))
            return true;
    return has_option(cli_common_options, text, length);
}

/* `length` bytes, in quotes where a shell needs them. */
static char *put_value(char *out, const char *value, size_t length)
{
    bool plain = length > 0;
    for (size_t i = 0; i < length; i++)
        plain = plain && !strchr(SPECIAL, value[i]);
    const char quote = memchr(value, '\'', length) ? '"' : '\'';
    if (!plain)
        *out++ = quote;
    memcpy(out, value, length);
    out += length;
    if (!plain)
        *out++ = quote;
    return out;
}

/* An option for what stands between the backquotes at `open` and `close`. NULL: it is none. */
static char *put_option(char *out, const char *open, const char *close)
{
    const char *name = open + 1;
    const size_t length = strcspn(name, "=`");
    const char *value = name + length + 1;
    bool is_flag = false;
    if (length == 0 || !is_option(name, length, &is_flag))
        return NULL;
    *out++ = '-';
    *out++ = '-';
    memcpy(out, name, length);
    out += length;
    if (name[length] == '`' || (is_flag && close - value == 3 && memcmp(value, "yes", 3) == 0))
        return out;
    *out++ = ' ';
    return put_value(out, value, (size_t)(close - value));
}

char *cli_words(const char *text)
{
    char *words = cli_alloc(2 * (int64_t)strlen(text) + 1, 1); /* an option: two quotes more */
    char *out = words;
    while (*text) {
        const char *close = *text == '`' ? strchr(text + 1, '`') : NULL;
        char *end = close ? put_option(out, text, close) : NULL;
        if (end) {
            out = end;
            text = close + 1;
        } else {
            *out++ = *text++;
        }
    }
    *out = '\0';
    return words;
}
