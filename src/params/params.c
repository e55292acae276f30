/* Parameters: one table (params.def), texts that are checked when they are set, typed readers.
 *
 * A parameter keeps the text it was set to, so that pt_params_get gives back what the user wrote,
 * and the value that the text stands for. What was never set is read from the default of the table.
 *
 * How "a=1,b=2" is cut into settings (pt_params_parse)
 *   - A value in braces is taken whole, without them: grid={ridge=1,2,sigma=4}.
 *   - The value of a number, choice, flag or size ends at the next comma: they never hold one.
 *   - The value of a text ends at a comma that is followed by the name of a parameter and '=': in
 *     class-weight=a=1,b=2,ridge=3 the weights are a=1,b=2. Where a class is called like a
 *     parameter, braces say what is meant.
 *   - Blanks around names and values do not count. The last setting of a name wins.
 * Several settings are made together or, if one of them is wrong, not at all. */
#include "params/params.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define SHOWN "%.80s" /* how much of a user's text an error repeats */

typedef struct param_entry {
    const char *name;
    pt_param_type_t type;
    double minimum;
    double maximum;
    const char *standard;
    const char *allowed;
    pt_param_group_id group;
    const char *help;
} param_entry;

static const param_entry TABLE[PT_N_PARAMS] = {
#define PT_PARAM(id, name, type, minimum, maximum, standard, allowed, group, help) \
    {name, PT_PARAM_##type, minimum, maximum, standard, allowed, PT_GROUP_##group, help},
#include "params/params.def"
#undef PT_PARAM
};

/* What a text stands for; which member counts depends on the type. */
typedef struct param_value {
    double real;     /* NaN: auto or unset */
    int64_t integer; /* integers and sizes */
    bool flag;
    bool is_auto;
} param_value;

struct pt_params {
    char *text[PT_N_PARAMS]; /* NULL: the default */
    param_value value[PT_N_PARAMS];
};

/* ---- texts -------------------------------------------------------------------------------------
 */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Narrows [*begin, *end) to what is between its blanks. */
static void trim(const char **begin, const char **end)
{
    while (*begin < *end && is_blank(**begin))
        (*begin)++;
    while (*begin < *end && is_blank((*end)[-1]))
        (*end)--;
}

static char plain_dash(char c)
{
    return c == '_' ? '-' : c;
}

/* The parameter that is called like the `length` bytes at `name`, or -1. */
static int find_n(const char *name, size_t length)
{
    for (int id = 0; id < PT_N_PARAMS; id++) {
        size_t i = 0;
        while (i < length && TABLE[id].name[i] && plain_dash(name[i]) == TABLE[id].name[i])
            i++;
        if (i == length && TABLE[id].name[i] == '\0')
            return id;
    }
    return -1;
}

int pt_param_find(const char *name)
{
    return find_n(name, strlen(name));
}

/* Is the word of `length` bytes one of "a|b|c" (or another separator)? */
static bool listed(const char *list, char separator, const char *word, size_t length)
{
    while (*list) {
        const char *end = strchr(list, separator);
        const size_t size = end ? (size_t)(end - list) : strlen(list);
        if (size == length && memcmp(list, word, size) == 0)
            return true;
        if (!end)
            return false;
        list = end + 1;
    }
    return false;
}

#define WORD_MAX 40

/* Letters to insert, delete, change or swap with their neighbour to get from a to b (of n and m
 * bytes); words longer than WORD_MAX are cut. */
static int edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    int rows[3][WORD_MAX + 1]; /* those of i - 2, i - 1 and i, in turn */
    n = n < WORD_MAX ? n : WORD_MAX;
    m = m < WORD_MAX ? m : WORD_MAX;
    for (size_t i = 0; i <= n; i++) {
        int *now = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *before = rows[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            if (i == 0) {
                now[j] = (int)j;
                continue;
            }
            const char c = plain_dash(a[i - 1]);
            int least = above[j - 1] + (c != b[j - 1]);
            if (above[j] + 1 < least)
                least = above[j] + 1;
            if (now[j - 1] + 1 < least)
                least = now[j - 1] + 1;
            if (i > 1 && j > 1 && c == b[j - 2] && plain_dash(a[i - 2]) == b[j - 1] &&
                before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            now[j] = least;
        }
    }
    return rows[n % 3][m];
}

/* The name or choice nearest to what was written. */
typedef struct nearest {
    const char *word;
    size_t length;
    int distance;
} nearest;

static void nearest_try(nearest *best, const char *written, const char *word, size_t length)
{
    const int distance = edit_distance(written, strlen(written), word, length);
    if (!best->word || distance < best->distance)
        *best = (nearest){word, length, distance};
}

/* Far enough apart, a suggestion would only confuse. */
static bool nearest_is_near(const nearest *best, const char *written)
{
    const size_t length = strlen(written);
    return best->word && length <= WORD_MAX && best->distance <= 1 + (int)length / 4;
}

static pt_status fail_unknown(pt_error *err, const char *name)
{
    nearest best = {NULL, 0, 0};
    for (int id = 0; id < PT_N_PARAMS; id++)
        nearest_try(&best, name, TABLE[id].name, strlen(TABLE[id].name));
    if (nearest_is_near(&best, name))
        return pt_fail(err, PT_EINVAL, "there is no parameter '" SHOWN "'; did you mean '%s'?",
                       name, best.word);
    return pt_fail(err, PT_EINVAL,
                   "there is no parameter '" SHOWN "'; 'polytomy help parameters' lists them",
                   name);
}

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

static pt_status fail_choice(pt_error *err, const param_entry *entry, const char *text)
{
    char choices[256];
    spell_choices(choices, sizeof choices, entry->allowed);
    nearest best = {NULL, 0, 0};
    for (const char *word = entry->allowed; *word;) {
        const size_t length = strcspn(word, "|");
        nearest_try(&best, text, word, length);
        word += length + (word[length] == '|');
    }
    if (nearest_is_near(&best, text))
        return pt_fail(err, PT_EINVAL, "%s: '" SHOWN "' is not allowed; did you mean '%.*s'? (%s)",
                       entry->name, text, (int)best.length, best.word, choices);
    return pt_fail(err, PT_EINVAL, "%s: '" SHOWN "' is not allowed; choose %s%s", entry->name, text,
                   strchr(choices, ',') ? "one of " : "", choices);
}

/* ---- values from texts -------------------------------------------------------------------------
 */

static bool word_of_two(const char *text, const char *a, const char *b)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

static bool has_default(const param_entry *entry, const char *word)
{
    return strcmp(entry->standard, word) == 0;
}

static pt_status fail_number(pt_error *err, const param_entry *entry, const char *text,
                             const char *kind)
{
    return pt_fail(err, PT_EINVAL, "%s: '" SHOWN "' is not allowed; give %s %s%s", entry->name,
                   text, kind, entry->allowed, has_default(entry, "auto") ? ", or auto" : "");
}

static pt_status parse_real(const param_entry *entry, const char *text, param_value *value,
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

static pt_status parse_integer(const param_entry *entry, const char *text, param_value *value,
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

static pt_status parse_size(const param_entry *entry, const char *text, param_value *value,
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

static pt_status parse_flag(const param_entry *entry, const char *text, param_value *value,
                            pt_error *err)
{
    const bool yes = word_of_two(text, "yes", "true") || strcmp(text, "1") == 0;
    const bool no = word_of_two(text, "no", "false") || strcmp(text, "0") == 0;
    if (!yes && !no)
        return pt_fail(err, PT_EINVAL, "%s: '" SHOWN "' is not allowed; give yes or no",
                       entry->name, text);
    value->flag = yes;
    return PT_OK;
}

static pt_status parse_value(const param_entry *entry, const char *text, param_value *value,
                             pt_error *err)
{
    *value = (param_value){NAN, 0, false, false};
    value->is_auto = has_default(entry, "auto") && strcmp(text, "auto") == 0;
    if (value->is_auto || (has_default(entry, "unset") && strcmp(text, "unset") == 0))
        return PT_OK;
    switch (entry->type) {
    case PT_PARAM_REAL:
        return parse_real(entry, text, value, err);
    case PT_PARAM_INTEGER:
        return parse_integer(entry, text, value, err);
    case PT_PARAM_SIZE:
        return parse_size(entry, text, value, err);
    case PT_PARAM_FLAG:
        return parse_flag(entry, text, value, err);
    case PT_PARAM_CHOICE:
        return listed(entry->allowed, '|', text, strlen(text)) ? PT_OK
                                                               : fail_choice(err, entry, text);
    case PT_PARAM_TEXT:
        break;
    }
    return PT_OK;
}

/* ---- the object --------------------------------------------------------------------------------
 */

pt_status pt_params_new(pt_params **out, pt_error *err)
{
    pt_params *params = pt_alloc_zero(1, sizeof *params, "parameters", err);
    if (!params)
        return PT_ENOMEM;
    *out = params;
    return PT_OK;
}

void pt_params_free(pt_params *params)
{
    if (!params)
        return;
    for (int id = 0; id < PT_N_PARAMS; id++)
        pt_free(params->text[id]);
    pt_free(params);
}

pt_status pt_params_copy(pt_params **out, const pt_params *params, pt_error *err)
{
    pt_params *copy = NULL;
    pt_status status = pt_params_new(&copy, err);
    for (int id = 0; status == PT_OK && params && id < PT_N_PARAMS; id++) {
        if (!params->text[id])
            continue;
        copy->value[id] = params->value[id];
        copy->text[id] = pt_alloc_text(params->text[id], err);
        if (!copy->text[id])
            status = PT_ENOMEM;
    }
    if (status != PT_OK) {
        pt_params_free(copy);
        return status;
    }
    *out = copy;
    return PT_OK;
}

/* Sets one parameter to `length` bytes of text, without a machine's own parameters. */
static pt_status set_n(pt_params *params, int id, const char *text, size_t length, pt_error *err)
{
    const param_entry *entry = &TABLE[id];
    char *copy = pt_alloc_text_n(text, length, err);
    if (!copy)
        return PT_ENOMEM;
    param_value value;
    pt_status status = parse_value(entry, copy, &value, err);
    if (status != PT_OK) {
        pt_free(copy);
        return status;
    }
    if (has_default(entry, "unset") && strcmp(copy, "unset") == 0) {
        pt_free(copy); /* back to where it was never set */
        copy = NULL;
    }
    pt_free(params->text[id]);
    params->text[id] = copy;
    params->value[id] = value;
    return PT_OK;
}

static pt_status parse_settings(pt_params *params, const char *text, bool inside_machine,
                                pt_error *err);

/* A setting as the user writes it: the machine may bring parameters. */
static pt_status apply(pt_params *params, int id, const char *text, size_t length,
                       bool inside_machine, pt_error *err)
{
    const char *colon = id == PT_P_MACHINE ? memchr(text, ':', length) : NULL;
    if (id == PT_P_MACHINE && inside_machine)
        return pt_fail(err, PT_EINVAL, "machine: a machine's own parameters cannot name a machine");
    if (!colon)
        return set_n(params, id, text, length, err);
    pt_status status = set_n(params, id, text, (size_t)(colon - text), err);
    if (status != PT_OK)
        return status;
    char *rest = pt_alloc_text_n(colon + 1, length - (size_t)(colon + 1 - text), err);
    if (!rest)
        return PT_ENOMEM;
    status = parse_settings(params, rest, true, err);
    pt_free(rest);
    return status;
}

/* Does a new setting begin at `text`: a known name and '='? */
static bool setting_begins(const char *text)
{
    const size_t length = strcspn(text, "=,");
    const char *begin = text;
    const char *end = text + length;
    trim(&begin, &end);
    return text[length] == '=' && find_n(begin, (size_t)(end - begin)) >= 0;
}

/* The end of the value at `value`: a comma or the end of the text; NULL: a brace is not closed. */
static const char *value_end(const char *value, pt_param_type_t type)
{
    int depth = 0;
    for (const char *at = value; *at; at++) {
        if (*at == '{')
            depth++;
        else if (*at == '}' && depth > 0)
            depth--;
        else if (*at == ',' && depth == 0 && (type != PT_PARAM_TEXT || setting_begins(at + 1)))
            return at;
    }
    return depth == 0 ? value + strlen(value) : NULL;
}

/* One setting at `*text`, which is moved behind it. */
static pt_status parse_setting(pt_params *params, const char **text, bool inside_machine,
                               pt_error *err)
{
    const size_t length = strcspn(*text, "=,");
    if ((*text)[length] != '=')
        return pt_fail(err, PT_EINVAL,
                       "'%.*s' is not NAME=VALUE; put a value that holds commas in braces, as in "
                       "grid={ridge=1,2,sigma=4}",
                       (int)(length < 80 ? length : 80), *text);
    const char *name = *text;
    const char *name_end = name + length;
    trim(&name, &name_end);
    const int id = find_n(name, (size_t)(name_end - name));
    if (id < 0) {
        char unknown[WORD_MAX + 1];
        const size_t size = (size_t)(name_end - name);
        const size_t kept = size < WORD_MAX ? size : WORD_MAX;
        memcpy(unknown, name, kept);
        unknown[kept] = '\0';
        return fail_unknown(err, unknown);
    }
    const char *value = *text + length + 1;
    const char *end = value_end(value, TABLE[id].type);
    if (!end)
        return pt_fail(err, PT_EINVAL, "%s: a brace is not closed", TABLE[id].name);
    *text = end;
    trim(&value, &end);
    if (end - value >= 2 && *value == '{' && end[-1] == '}') {
        value++;
        end--;
    }
    return apply(params, id, value, (size_t)(end - value), inside_machine, err);
}

static pt_status parse_settings(pt_params *params, const char *text, bool inside_machine,
                                pt_error *err)
{
    const char *begin = text;
    const char *end = text + strlen(text);
    trim(&begin, &end);
    if (begin == end)
        return PT_OK;
    for (;;) {
        pt_status status = parse_setting(params, &text, inside_machine, err);
        if (status != PT_OK || *text == '\0')
            return status;
        text++; /* the comma */
    }
}

/* Gives `params` the contents of `from`, which is freed. Texts that stay the same stay in place:
 * somebody may have borrowed them. */
static void replace_take(pt_params *params, pt_params *from)
{
    for (int id = 0; id < PT_N_PARAMS; id++) {
        char *old = params->text[id];
        if (old && from->text[id] && strcmp(old, from->text[id]) == 0)
            continue;
        params->text[id] = from->text[id];
        params->value[id] = from->value[id];
        from->text[id] = old;
    }
    pt_params_free(from);
}

/* Settings that are made together, on a copy first: `text` is a list of them, or a machine's value.
 */
static pt_status change(pt_params *params, const char *text, bool is_machine, pt_error *err)
{
    pt_params *changed = NULL;
    pt_status status = pt_params_copy(&changed, params, err);
    if (status == PT_OK)
        status = is_machine ? apply(changed, PT_P_MACHINE, text, strlen(text), false, err)
                            : parse_settings(changed, text, false, err);
    if (status != PT_OK) {
        pt_params_free(changed);
        return status;
    }
    replace_take(params, changed);
    return PT_OK;
}

pt_status pt_params_set(pt_params *params, const char *name, const char *value, pt_error *err)
{
    if (!name || !value)
        return pt_fail(err, PT_EINVAL, "%s: there is no value", name ? name : "a parameter");
    const int id = pt_param_find(name);
    if (id < 0)
        return fail_unknown(err, name);
    if (id == PT_P_MACHINE)
        return change(params, value, true, err);
    return set_n(params, id, value, strlen(value), err);
}

pt_status pt_params_parse(pt_params *params, const char *text, pt_error *err)
{
    return text ? change(params, text, false, err) : PT_OK;
}

/* The shortest digits that read back as the same bits; the point is a point in every locale. */
static void shortest(char *text, size_t size, double value)
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t previous = c_locale ? uselocale(c_locale) : (locale_t)0;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    if (c_locale) {
        uselocale(previous);
        freelocale(c_locale);
    }
}

pt_status pt_params_set_real(pt_params *params, pt_param_id id, double value, pt_error *err)
{
    char text[40];
    shortest(text, sizeof text, value);
    return set_n(params, (int)id, text, strlen(text), err);
}

/* ---- reading -----------------------------------------------------------------------------------
 */

static param_value value_of(const pt_params *params, pt_param_id id)
{
    if (params && params->text[id])
        return params->value[id];
    param_value value;
    (void)parse_value(&TABLE[id], TABLE[id].standard, &value, NULL); /* defaults are tested */
    return value;
}

bool pt_params_set_by_user(const pt_params *params, pt_param_id id)
{
    return params && params->text[id];
}

bool pt_params_is_auto(const pt_params *params, pt_param_id id)
{
    return value_of(params, id).is_auto;
}

double pt_params_real(const pt_params *params, pt_param_id id)
{
    return value_of(params, id).real;
}

int64_t pt_params_integer(const pt_params *params, pt_param_id id)
{
    return value_of(params, id).integer;
}

bool pt_params_flag(const pt_params *params, pt_param_id id)
{
    return value_of(params, id).flag;
}

const char *pt_params_text(const pt_params *params, pt_param_id id)
{
    return params && params->text[id] ? params->text[id] : TABLE[id].standard;
}

const char *pt_params_get(const pt_params *params, const char *name)
{
    const int id = pt_param_find(name);
    return id < 0 ? NULL : pt_params_text(params, (pt_param_id)id);
}

int pt_params_is_set(const pt_params *params, const char *name)
{
    const int id = pt_param_find(name);
    return id >= 0 && pt_params_set_by_user(params, (pt_param_id)id);
}

static bool is_used(int id, const char *list)
{
    return list && listed(list, ',', TABLE[id].name, strlen(TABLE[id].name));
}

pt_status pt_params_check_used(const pt_params *params, const char *who, const char *machine_list,
                               const char *kernel_list, pt_error *err)
{
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const pt_param_group_id group = TABLE[id].group;
        if (id == PT_P_MACHINE || (group != PT_GROUP_MACHINE && group != PT_GROUP_KERNEL))
            continue;
        if (!pt_params_set_by_user(params, (pt_param_id)id) || is_used(id, machine_list) ||
            is_used(id, kernel_list))
            continue;
        const bool both = kernel_list && *kernel_list;
        return pt_fail(err, PT_EINVAL, "%s does not use --%s; it uses %s%s%s", who, TABLE[id].name,
                       machine_list ? machine_list : "", both ? "," : "", both ? kernel_list : "");
    }
    if (pt_params_set_by_user(params, PT_P_SIGMA) && pt_params_set_by_user(params, PT_P_RBF_GAMMA))
        return pt_fail(
            err, PT_EINVAL,
            "--sigma and --rbf-gamma are both set; rbf-gamma is 1/(2 sigma^2): give one");
    return PT_OK;
}

/* ---- the table, for those outside --------------------------------------------------------------
 */

static const param_entry *entry_at(int64_t param)
{
    return param >= 0 && param < PT_N_PARAMS ? &TABLE[param] : NULL;
}

int64_t pt_param_count(void)
{
    return PT_N_PARAMS;
}

const char *pt_param_name(int64_t param)
{
    const param_entry *entry = entry_at(param);
    return entry ? entry->name : NULL;
}

const char *pt_param_type(int64_t param)
{
    static const char *const NAMES[] = {"real", "integer", "choice", "text", "flag", "size"};
    const param_entry *entry = entry_at(param);
    return entry ? NAMES[entry->type] : NULL;
}

const char *pt_param_default(int64_t param)
{
    const param_entry *entry = entry_at(param);
    return entry ? entry->standard : NULL;
}

const char *pt_param_allowed(int64_t param)
{
    const param_entry *entry = entry_at(param);
    return entry ? entry->allowed : NULL;
}

const char *pt_param_group(int64_t param)
{
    static const char *const NAMES[] = {"machine", "kernel", "prepare", "read",
                                        "search",  "run",    "synth"};
    const param_entry *entry = entry_at(param);
    return entry ? NAMES[entry->group] : NULL;
}

const char *pt_param_help(int64_t param)
{
    const param_entry *entry = entry_at(param);
    return entry ? entry->help : NULL;
}

pt_param_group_id pt_param_group_of(pt_param_id id)
{
    return TABLE[id].group;
}
