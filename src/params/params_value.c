/* Values from texts, by the type, range and choices that the table gives. */
#include "params/params_table.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* "a|b|c" as "a, b, c" */
static void spell_choices(char *out, size_t size, const char *choices)
{
    size_t used = 0;
    for (; *choices && used + 3 < size; choices++) {
        out[used++] = *choices == '|' ? ',' : *choices;
        if (*choices == '|')
            out[used++] = ' ';
    }
    out[used] = '\0';
}

static pt_status fail_choice(pt_error *err, const pt_param_entry *entry, const char *text)
{
    char choices[400];
    spell_choices(choices, sizeof choices, entry->allowed);
    pt_nearest best = {NULL, 0, 0};
    for (const char *word = entry->allowed; *word;) {
        const size_t length = strcspn(word, "|");
        pt_nearest_try(&best, text, word, length);
        word += length + (word[length] == '|');
    }
    if (pt_nearest_is_near(&best, text))
        return pt_fail(err, PT_EINVAL,
                       "`%s`: '" PT_SHOWN "' is not allowed; did you mean '%.*s'? (%s)",
                       entry->name, text, (int)best.length, best.word, choices);
    return pt_fail(err, PT_EINVAL, "`%s`: '" PT_SHOWN "' is not allowed; choose %s%s", entry->name,
                   text, strchr(choices, ',') ? "one of " : "", choices);
}

static bool word_of_two(const char *text, const char *a, const char *b)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

bool pt_param_has_default(const pt_param_entry *entry, const char *word)
{
    return strcmp(entry->standard, word) == 0;
}

static pt_status fail_number(pt_error *err, const pt_param_entry *entry, const char *text,
                             const char *kind)
{
    return pt_fail(err, PT_EINVAL, "`%s`: '" PT_SHOWN "' is not allowed; give %s %s%s", entry->name,
                   text, kind, entry->allowed,
                   pt_param_has_default(entry, "auto") ? ", or auto" : "");
}

static pt_status parse_real(const pt_param_entry *entry, const char *text, pt_param_value *value,
                            pt_error *err)
{
    double number = 0;
    if (!pt_text_to_real(text, &number) || !isfinite(number) || number < entry->minimum ||
        number > entry->maximum)
        return fail_number(err, entry, text, "a number");
    value->real = number;
    return PT_OK;
}

/* 2^53: from here on not every integer is a double. */
#define EXACT_INTEGERS 9007199254740992.0

static bool to_integer(const char *text, int64_t *value)
{
    if (pt_text_to_integer(text, value))
        return true;
    double number = 0; /* 1e6, 2^10 */
    if (!pt_text_to_real(text, &number) || !(fabs(number) < EXACT_INTEGERS) ||
        number != floor(number))
        return false;
    *value = (int64_t)number;
    return true;
}

static pt_status parse_integer(const pt_param_entry *entry, const char *text, pt_param_value *value,
                               pt_error *err)
{
    int64_t number = 0;
    if (!to_integer(text, &number) || (double)number < entry->minimum ||
        (double)number > entry->maximum)
        return fail_number(err, entry, text, "a whole number");
    value->integer = number;
    value->real = (double)number;
    return PT_OK;
}

/* Bytes that a suffix stands for: K M G T, then B or iB or nothing; powers of 1024. 0: no suffix.
 */
static double size_unit(const char *suffix)
{
    static const char LETTERS[] = "KMGT";
    if (*suffix == '\0' || strcmp(suffix, "B") == 0)
        return 1;
    const char letter = *suffix >= 'a' ? (char)(*suffix - 'a' + 'A') : *suffix;
    const char *at = strchr(LETTERS, letter);
    if (!at || !*at)
        return 0;
    suffix++;
    if (*suffix != '\0' && strcmp(suffix, "B") != 0 && strcmp(suffix, "iB") != 0)
        return 0;
    return ldexp(1, 10 * (int)(at - LETTERS + 1));
}

static pt_status parse_size(const pt_param_entry *entry, const char *text, pt_param_value *value,
                            pt_error *err)
{
    static const char KIND[] = "bytes as in 512M, 4G or 1.5G,";
    char number_text[64];
    const size_t length = strspn(text, "0123456789.+-^");
    const double unit = size_unit(text + length);
    if (unit == 0 || length == 0 || length >= sizeof number_text)
        return fail_number(err, entry, text, KIND);
    memcpy(number_text, text, length);
    number_text[length] = '\0';
    double number = 0;
    if (!pt_text_to_real(number_text, &number) || !isfinite(number) ||
        number * unit < entry->minimum || number * unit > entry->maximum)
        return fail_number(err, entry, text, KIND);
    value->integer = (int64_t)(number * unit);
    value->real = (double)value->integer;
    return PT_OK;
}

/* Seconds that a suffix stands for; 0: it is none. */
static double span_unit(const char *suffix)
{
    static const struct {
        const char *name;
        double seconds;
    } UNITS[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++)
        if (strcmp(suffix, UNITS[i].name) == 0)
            return UNITS[i].seconds;
    return 0;
}

static pt_status parse_span(const pt_param_entry *entry, const char *text, pt_param_value *value,
                            pt_error *err)
{
    static const char KIND[] = "seconds, or a time as in 90s, 2m or 1h,";
    char number_text[64];
    const size_t length = strcspn(text, "smh");
    const double unit = span_unit(text + length);
    double number = 0;
    if (unit == 0 || length == 0 || length >= sizeof number_text)
        return fail_number(err, entry, text, KIND);
    memcpy(number_text, text, length);
    number_text[length] = '\0';
    if (!pt_text_to_real(number_text, &number) || !isfinite(number) ||
        number * unit < entry->minimum || number * unit > entry->maximum)
        return fail_number(err, entry, text, KIND);
    value->real = number * unit;
    return PT_OK;
}

static pt_status parse_flag(const pt_param_entry *entry, const char *text, pt_param_value *value,
                            pt_error *err)
{
    const bool yes = word_of_two(text, "yes", "true") || strcmp(text, "1") == 0;
    const bool no = word_of_two(text, "no", "false") || strcmp(text, "0") == 0;
    if (!yes && !no)
        return pt_fail(err, PT_EINVAL, "`%s`: '" PT_SHOWN "' is not allowed; give yes or no",
                       entry->name, text);
    value->flag = yes;
    return PT_OK;
}

const char *pt_param_other_name(const pt_param_entry *entry, const char *text)
{
    static const struct {
        const char *param;
        const char *other;
        const char *name;
    } NAMES[] = {{"metric", "accuracy", "top1-accuracy"},
                 {"metric", "f1", "macro-f1"},
                 {"metric", "f1-macro", "macro-f1"},
                 {"metric", "f1-micro", "micro-f1"}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(NAMES[i].param, entry->name) == 0 && strcmp(NAMES[i].other, text) == 0)
            return NAMES[i].name;
    return text;
}

pt_status pt_param_parse(const pt_param_entry *entry, const char *text, pt_param_value *value,
                         pt_error *err)
{
    *value = (pt_param_value){NAN, 0, false, false};
    value->is_auto = pt_param_has_default(entry, "auto") && strcmp(text, "auto") == 0;
    if (value->is_auto || (pt_param_has_default(entry, "unset") && strcmp(text, "unset") == 0))
        return PT_OK;
    switch (entry->type) {
    case PT_PARAM_REAL:
        return parse_real(entry, text, value, err);
    case PT_PARAM_INTEGER:
        return parse_integer(entry, text, value, err);
    case PT_PARAM_SIZE:
        return parse_size(entry, text, value, err);
    case PT_PARAM_SPAN:
        return parse_span(entry, text, value, err);
    case PT_PARAM_FLAG:
        return parse_flag(entry, text, value, err);
    case PT_PARAM_CHOICE:
        return pt_word_listed(entry->allowed, '|', text, strlen(text))
                   ? PT_OK
                   : fail_choice(err, entry, text);
    case PT_PARAM_TEXT:
    case PT_PARAM_LIST:
        break;
    }
    return PT_OK;
}
