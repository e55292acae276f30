/* Parameters: one table (params.def), texts that are checked when they are set, typed readers.
 *
 * A parameter keeps the text it was set to, so that pt_params_get gives back what the user wrote,
 * and the value that the text stands for. What was never set is read from the default of the table.
 *
 * How "a=1,b=2" is cut into settings (pt_params_parse)
 *   - A value in braces is taken whole, without them: grid={ridge=1,2,sigma=4}. What follows is
 *     another setting.
 *   - The value of a number, choice, flag or size ends at the next comma: they never hold one.
 *   - The value of a text ends at a comma that is followed by the name of a parameter and '=': in
 *     class-weight=a=1,b=2,ridge=3 the weights are a=1,b=2. Where a class is called like a
 *     parameter, braces say what is meant.
 *   - A flag may stand alone: bias is bias=yes. Behind a text without braces it is a part of that,
 *     with a warning: columns and classes may be called like a flag.
 *   - Blanks around names and values do not count.
 *   - Of a name that is there twice the last value counts, with a warning; lists add up.
 * Several settings are made together or, if one of them is wrong, not at all. */
#include "params/params.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/task.h"
#include "base/text.h"
#include "params/callbacks.h"
#include "params/param_array.h"
#include "params/params_table.h"

struct pt_params {
    char *text[PT_N_PARAMS]; /* NULL: the default */
    pt_param_value value[PT_N_PARAMS];
    pt_param_array *array[PT_N_PARAMS]; /* that the text stands for; NULL: none */
    pt_learner_callbacks *learner;      /* that a program has brought; NULL: none. Owns its texts */
    pt_brought *kernel;                 /* the same */
    bool validated;                     /* rows beside those of training say when rounds end */
    const pt_model *start;              /* that training begins with, lent; NULL: none, or a file */
    pt_warnings warnings;               /* of texts that set a parameter twice */
};

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

#define NAME_MAX_SHOWN 40

/* ---- the object ------------------------------------------------------------------------------ */

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
    for (int id = 0; id < PT_N_PARAMS; id++) {
        pt_free(params->text[id]);
        pt_param_array_free(params->array[id]);
    }
    pt_callbacks_free(params->learner);
    pt_brought_release(params->kernel);
    pt_warnings_free(&params->warnings);
    pt_free(params);
}

pt_status pt_params_copy(pt_params **out, const pt_params *params, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *copy = NULL;
    PT_TRY(pt_params_new(&copy, err));
    if (params && params->learner)
        PT_TRY(pt_callbacks_copy(&copy->learner, params->learner, err));
    if (params && params->kernel)
        pt_params_offer_kernel(copy, params->kernel);
    if (params)
        PT_TRY(pt_warnings_add(&copy->warnings, &params->warnings, err));
    copy->start = params ? params->start : NULL;
    copy->validated = params && params->validated;
    for (int id = 0; params && id < PT_N_PARAMS; id++) {
        if (!params->text[id])
            continue;
        copy->value[id] = params->value[id];
        copy->array[id] = pt_param_array_share(params->array[id]);
        copy->text[id] = pt_alloc_text(params->text[id], err);
        if (!copy->text[id])
            return PT_ENOMEM;
    }
    *out = pt_keep(&copy);
    return PT_OK;
}

/* Whether a program has brought what has this name. */
static bool is_brought(const pt_params *params, int id, const char *name)
{
    return (id == PT_P_LEARNER && params->learner && strcmp(params->learner->name, name) == 0) ||
           (id == PT_P_KERNEL && params->kernel && strcmp(params->kernel->name, name) == 0);
}

/* Takes the array. */
static void put_array(pt_params *params, int id, pt_param_array *array)
{
    pt_param_array_free(params->array[id]);
    params->array[id] = array;
}

/* Sets one parameter to `length` bytes of text, without a machine's own parameters. */
static pt_status set_n(pt_params *params, int id, const char *text, size_t length, pt_error *err)
{
    const pt_param_entry *entry = &pt_param_table[id];
    char *written = pt_alloc_text_n(text, length, err);
    char *copy = written ? pt_alloc_text(pt_param_other_name(entry, written), err) : NULL;
    pt_free(written);
    if (!copy)
        return PT_ENOMEM;
    pt_param_value value = {NAN, 0, false, false};
    pt_status status =
        is_brought(params, id, copy) ? PT_OK : pt_param_parse(entry, copy, &value, err);
    if (status != PT_OK) {
        pt_free(copy);
        return status;
    }
    if (pt_param_has_default(entry, "unset") && strcmp(copy, "unset") == 0) {
        pt_free(copy); /* back to where it was never set */
        copy = NULL;
    }
    pt_free(params->text[id]);
    params->text[id] = copy;
    params->value[id] = value;
    if (id == PT_P_START) /* a file, or none */
        params->start = NULL;
    if (params->array[id] && !(copy && strcmp(copy, params->array[id]->text) == 0))
        put_array(params, id, NULL);
    return PT_OK;
}

static pt_status parse_settings(pt_params *params, const char *text, bool inside_machine,
                                pt_error *err);

/* `text` behind what the list has. The + of either list of --na stands before both. */
static pt_status append_n(pt_params *params, int id, const char *text, size_t length, pt_error *err)
{
    const char *first = pt_params_text(params, (pt_param_id)id);
    PT_FREED_BY(pt_texts_free) pt_texts joined = {0};
    const bool first_adds = id == PT_P_NA && *first == '+';
    const bool text_adds = id == PT_P_NA && *first && length > 0 && *text == '+';
    PT_TRY(pt_texts_add(&joined, err, "%s%s%s%.*s", first_adds || text_adds ? "+" : "",
                        first + first_adds, *first ? "," : "", (int)length - text_adds,
                        text + text_adds));
    return set_n(params, id, joined.items[0], strlen(joined.items[0]), err);
}

/* Another value than the one before is said to win. */
static pt_status warn_again(pt_params *params, int id, const char *text, size_t length,
                            pt_error *err)
{
    const char *first = pt_params_text(params, (pt_param_id)id);
    if (strlen(first) == length && memcmp(first, text, length) == 0)
        return PT_OK;
    return pt_warn(&params->warnings, err, PT_KIND_PARAMETERS,
                   "`%s` is there twice: " PT_SHOWN ", then %.*s; the last counts",
                   pt_param_table[id].name, first, (int)(length < 80 ? length : 80), text);
}

/* A setting as the user writes it: the machine may bring parameters. */
static pt_status apply(pt_params *params, int id, const char *text, size_t length,
                       bool inside_machine, pt_error *err)
{
    const char *colon = id == PT_P_MACHINE ? memchr(text, ':', length) : NULL;
    if (id == PT_P_MACHINE && inside_machine)
        return pt_fail(err, PT_EINVAL,
                       "`machine`: a machine's own parameters cannot name a machine");
    if (!colon)
        return set_n(params, id, text, length, err);
    PT_TRY(set_n(params, id, text, (size_t)(colon - text), err));
    PT_SCRATCH char *rest = pt_alloc_text_n(colon + 1, length - (size_t)(colon + 1 - text), err);
    if (!rest)
        return PT_ENOMEM;
    return parse_settings(params, rest, true, err);
}

static bool is_flag(const char *name, size_t length)
{
    const char *end = name + length;
    trim(&name, &end);
    const int id = pt_param_find_n(name, (size_t)(end - name));
    return id >= 0 && pt_param_table[id].type == PT_PARAM_FLAG;
}

/* Does a new setting begin at `text`: a known name and '='? */
static bool setting_begins(const char *text)
{
    const size_t length = strcspn(text, "=,");
    const char *begin = text;
    const char *end = text + length;
    trim(&begin, &end);
    return text[length] == '=' && pt_param_find_n(begin, (size_t)(end - begin)) >= 0;
}

/* The end of the value at `value`: a comma or the end of the text; NULL: a brace is not closed. */
static const char *value_end(const char *value, pt_param_type_t type)
{
    const bool is_text =
        (type == PT_PARAM_TEXT || type == PT_PARAM_LIST) && value[strspn(value, " \t")] != '{';
    int depth = 0;
    for (const char *at = value; *at; at++) {
        if (*at == '{')
            depth++;
        else if (*at == '}' && depth > 0)
            depth--;
        else if (*at == ',' && depth == 0 && (!is_text || setting_begins(at + 1)))
            return at;
    }
    return depth == 0 ? value + strlen(value) : NULL;
}

static void cut_name(char *shown, const char *name, size_t length)
{
    const size_t kept = length < NAME_MAX_SHOWN ? length : NAME_MAX_SHOWN;
    memcpy(shown, name, kept);
    shown[kept] = '\0';
}

/* Of a piece without '=' that is no flag, and may have been meant for one. */
static pt_status fail_piece(pt_error *err, const char *piece, size_t length)
{
    const char *name = piece;
    const char *end = piece + length;
    char word[NAME_MAX_SHOWN + 1];
    pt_nearest best = {NULL, 0, 0};
    trim(&name, &end);
    cut_name(word, name, (size_t)(end - name));
    for (int id = 0; id < PT_N_PARAMS; id++)
        if (pt_param_table[id].type == PT_PARAM_FLAG)
            pt_nearest_try(&best, word, pt_param_table[id].name, strlen(pt_param_table[id].name));
    if (end - name > 2 && pt_param_find(word) < 0 && pt_nearest_is_near(&best, word))
        return pt_fail(err, PT_EINVAL, "'%s' is not NAME=VALUE; did you mean `%s`?", word,
                       best.word);
    return pt_fail(err, PT_EINVAL,
                   "'%.*s' is not NAME=VALUE; put a value that holds commas in braces, as in "
                   "grid={ridge=1,2,sigma=4}",
                   (int)(length < 80 ? length : 80), piece);
}

/* Of pieces of a value without braces that are called like a flag. */
static pt_status warn_of_flags(pt_params *params, int id, const char *value, const char *end,
                               pt_error *err)
{
    for (const char *at = value; at < end; at++) {
        const char *name = at + 1;
        const char *comma = memchr(name, ',', (size_t)(end - name));
        const char *name_end = comma ? comma : end;
        if (*at != ',' || !is_flag(name, (size_t)(name_end - name)))
            continue;
        trim(&name, &name_end);
        const int flag = pt_param_find_n(name, (size_t)(name_end - name));
        PT_TRY(pt_warn(&params->warnings, err, PT_KIND_PARAMETERS,
                       "`%s`: '%s' is taken for a part of the value; write `%s=yes` for the flag, "
                       "or the value in braces",
                       pt_param_table[id].name, pt_param_table[flag].name,
                       pt_param_table[flag].name));
    }
    return PT_OK;
}

/* One setting at `*text`, which is moved behind it; `seen` tells the parameters of those before. */
static pt_status parse_setting(pt_params *params, const char **text, bool *seen,
                               bool inside_machine, pt_error *err)
{
    const size_t length = strcspn(*text, "=,");
    const bool alone = (*text)[length] != '=' && is_flag(*text, length);
    if ((*text)[length] != '=' && !alone)
        return fail_piece(err, *text, length);
    const char *name = *text;
    const char *name_end = name + length;
    trim(&name, &name_end);
    const int id = pt_param_find_n(name, (size_t)(name_end - name));
    if (id < 0) {
        char unknown[NAME_MAX_SHOWN + 1];
        cut_name(unknown, name, (size_t)(name_end - name));
        return pt_param_fail_unknown(err, unknown);
    }
    const char *value = alone ? "yes" : *text + length + 1;
    const char *end = value_end(value, pt_param_table[id].type);
    if (!end)
        return pt_fail(err, PT_EINVAL, "`%s`: a brace is not closed", pt_param_table[id].name);
    *text = alone ? *text + length : end;
    trim(&value, &end);
    if (end - value >= 2 && *value == '{' && end[-1] == '}') {
        value++;
        end--;
    } else {
        PT_TRY(warn_of_flags(params, id, value, end, err));
    }
    const size_t size = (size_t)(end - value);
    const bool again = seen[id];
    seen[id] = true;
    if (again && pt_param_table[id].type == PT_PARAM_LIST)
        return append_n(params, id, value, size, err);
    const pt_status status = again ? warn_again(params, id, value, size, err) : PT_OK;
    return status == PT_OK ? apply(params, id, value, size, inside_machine, err) : status;
}

static pt_status parse_settings(pt_params *params, const char *text, bool inside_machine,
                                pt_error *err)
{
    bool seen[PT_N_PARAMS] = {false};
    const char *begin = text;
    const char *end = text + strlen(text);
    trim(&begin, &end);
    if (begin == end)
        return PT_OK;
    for (;;) {
        pt_status status = parse_setting(params, &text, seen, inside_machine, err);
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
        pt_param_array *array = params->array[id];
        params->array[id] = from->array[id];
        from->array[id] = array;
        if (old && from->text[id] && strcmp(old, from->text[id]) == 0)
            continue;
        params->text[id] = from->text[id];
        params->value[id] = from->value[id];
        from->text[id] = old;
    }
    pt_learner_callbacks *learner = params->learner;
    params->learner = from->learner;
    from->learner = learner;
    pt_brought *kernel = params->kernel;
    params->kernel = from->kernel;
    from->kernel = kernel;
    params->start = from->start;
    const pt_warnings warnings = params->warnings;
    params->warnings = from->warnings;
    from->warnings = warnings;
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

static pt_status fail_name(pt_error *err, const char *name)
{
    return name ? pt_param_fail_unknown(err, name)
                : pt_fail(err, PT_EINVAL, "the parameter has no name");
}

pt_status pt_params_set(pt_params *params, const char *name, const char *value, pt_error *err)
{
    if (name && !value)
        return pt_fail(err, PT_EINVAL, "`%s`: there is no value", name);
    const int id = pt_param_find(name);
    if (id < 0)
        return fail_name(err, name);
    if (id == PT_P_MACHINE)
        return change(params, value, true, err);
    return set_n(params, id, value, strlen(value), err);
}

/* Numbers that an int64_t holds exactly. */
static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) < 0x1p63;
}

pt_status pt_params_set_number(pt_params *params, const char *name, double value, pt_error *err)
{
    const int id = name ? pt_param_find(name) : -1;
    char text[32];
    if (id < 0)
        return fail_name(err, name);
    switch (pt_param_table[id].type) {
    case PT_PARAM_REAL:
        return pt_params_set_real(params, (pt_param_id)id, value, err);
    case PT_PARAM_SPAN:
        snprintf(text, sizeof text, "%.17g", value);
        break;
    case PT_PARAM_INTEGER:
    case PT_PARAM_SIZE:
        if (!is_whole(value))
            return pt_fail(err, PT_EINVAL, "`%s`: %.9g is not a whole number", name, value);
        snprintf(text, sizeof text, "%" PRId64, (int64_t)value);
        break;
    case PT_PARAM_FLAG:
        if (value != 0 && value != 1)
            return pt_fail(err, PT_EINVAL, "`%s`: %.9g is neither 0 nor 1", name, value);
        return pt_params_set(params, name, value != 0 ? "yes" : "no", err);
    default:
        return pt_fail(err, PT_EINVAL, "`%s` is a text, not the number %.9g", name, value);
    }
    return pt_params_set(params, name, text, err);
}

pt_status pt_params_parse(pt_params *params, const char *text, pt_error *err)
{
    return text ? change(params, text, false, err) : PT_OK;
}

const pt_warnings *pt_params_warnings(const pt_params *params)
{
    return &params->warnings;
}

/* ---- arrays in memory ------------------------------------------------------------------------ */

pt_status pt_params_set_array(pt_params *params, const char *name, const pt_dense *array,
                              pt_error *err)
{
    PT_FREED_BY(pt_param_array_free_at) pt_param_array *made = NULL;
    const int id = name ? pt_param_find(name) : -1;
    if (id < 0)
        return fail_name(err, name);
    PT_TRY(pt_param_array_new(&made, (pt_param_id)id, array, err));
    PT_TRY(set_n(params, id, made->text, strlen(made->text), err));
    put_array(params, id, pt_keep(&made));
    return PT_OK;
}

const pt_param_array *pt_params_array(const pt_params *params, pt_param_id id)
{
    return params ? params->array[id] : NULL;
}

pt_status pt_params_take(pt_params *params, pt_param_id id, const pt_params *from, pt_error *err)
{
    const char *text = pt_params_text(from, id);
    PT_TRY(set_n(params, (int)id, text, strlen(text), err));
    put_array(params, (int)id, from ? pt_param_array_share(from->array[id]) : NULL);
    if (id == PT_P_START)
        params->start = pt_params_start(from);
    return PT_OK;
}

pt_status pt_params_name_arrays(pt_params *params, const pt_texts *classes, pt_error *err)
{
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const pt_param_array *array = params->array[id];
        pt_param_array *named = NULL;
        PT_SCRATCH int64_t *rows = NULL;
        if (!array || array->classes.count > 0)
            continue;
        PT_TRY(pt_params_array_rows(params, (pt_param_id)id, classes, &rows, err));
        PT_TRY(pt_param_array_named(&named, array, classes, err));
        put_array(params, id, named);
    }
    return PT_OK;
}

/* ---- a learner that a program brings --------------------------------------------------------- */

pt_status pt_params_offer_learner(pt_params *params, const pt_learner_callbacks *learner,
                                  pt_error *err)
{
    const char *known = pt_param_table[PT_P_LEARNER].allowed;
    pt_learner_callbacks own;
    pt_learner_callbacks *copy = NULL;
    PT_TRY(pt_callbacks_check(&own, learner, known, err));
    PT_TRY(pt_callbacks_copy(&copy, &own, err));
    pt_callbacks_free(params->learner);
    params->learner = copy;
    return PT_OK;
}

pt_status pt_params_set_learner(pt_params *params, const pt_learner_callbacks *learner,
                                pt_error *err)
{
    PT_TRY(pt_params_offer_learner(params, learner, err));
    return set_n(params, PT_P_LEARNER, params->learner->name, strlen(params->learner->name), err);
}

const pt_learner_callbacks *pt_params_learner(const pt_params *params)
{
    const bool named = params && params->text[PT_P_LEARNER] &&
                       is_brought(params, PT_P_LEARNER, params->text[PT_P_LEARNER]);
    return named ? params->learner : NULL;
}

/* ---- a kernel that a program brings ---------------------------------------------------------- */

void pt_brought_begin(pt_brought *brought, const char *name, void (*free)(pt_brought *brought))
{
    brought->name = name;
    brought->free = free;
    atomic_init(&brought->holders, 1);
}

void pt_brought_release(pt_brought *brought)
{
    if (brought && atomic_fetch_sub(&brought->holders, 1) == 1)
        brought->free(brought);
}

void pt_params_offer_kernel(pt_params *params, pt_brought *kernel)
{
    atomic_fetch_add(&kernel->holders, 1);
    pt_brought_release(params->kernel);
    params->kernel = kernel;
}

pt_status pt_params_offer(pt_params *params, const pt_params *from, pt_error *err)
{
    if (pt_params_offered_kernel(from))
        pt_params_offer_kernel(params, from->kernel);
    return from && from->learner ? pt_params_offer_learner(params, from->learner, err) : PT_OK;
}

pt_brought *pt_params_offered_kernel(const pt_params *params)
{
    return params ? params->kernel : NULL;
}

pt_brought *pt_params_kernel(const pt_params *params)
{
    const bool named = params && params->text[PT_P_KERNEL] &&
                       is_brought(params, PT_P_KERNEL, params->text[PT_P_KERNEL]);
    return named ? params->kernel : NULL;
}

/* ---- a model to begin with ------------------------------------------------------------------- */

pt_status pt_params_set_start(pt_params *params, const pt_model *start, pt_error *err)
{
    if (start) {
        PT_TRY(set_n(params, PT_P_START, "model", strlen("model"), err));
    } else {
        pt_free(params->text[PT_P_START]);
        params->text[PT_P_START] = NULL;
    }
    params->start = start;
    return PT_OK;
}

const pt_model *pt_params_start(const pt_params *params)
{
    return params ? params->start : NULL;
}

bool pt_params_starts(const pt_params *params)
{
    return pt_params_start(params) || strcmp(pt_params_text(params, PT_P_START), "none") != 0;
}

pt_status pt_params_refuse_start(const pt_params *params, const char *what, pt_error *err)
{
    if (!pt_params_starts(params))
        return PT_OK;
    return pt_fail(err, PT_EINVAL,
                   "`start` is of training alone: %s tells how good a machine is on rows that it "
                   "has not seen, and the model may have seen them",
                   what);
}

pt_type pt_params_type(const pt_params *params)
{
    const bool wide =
        pt_params_learner(params) || strcmp(pt_params_text(params, PT_P_PRECISION), "double") == 0;
    return wide ? PT_F64 : PT_F32;
}

pt_status pt_params_set_real(pt_params *params, pt_param_id id, double value, pt_error *err)
{
    char text[PT_REAL_ROOM];
    pt_real_to_text(value, text);
    return set_n(params, (int)id, text, strlen(text), err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static pt_param_value value_of(const pt_params *params, pt_param_id id)
{
    if (params && params->text[id])
        return params->value[id];
    pt_param_value value;
    (void)pt_param_parse(&pt_param_table[id], pt_param_table[id].standard, &value,
                         NULL); /* defaults are tested */
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

/* Whether it is set, or searched: an item NAME=... of the grid. */
static bool is_named(const pt_params *params, pt_param_id id)
{
    const char *name = pt_param_table[id].name;
    const size_t length = strlen(name);
    const char *item = params->text[PT_P_GRID];
    while (item && !(strncmp(item, name, length) == 0 && item[length] == '=')) {
        const char *comma = strchr(item, ',');
        item = comma ? comma + 1 : NULL;
    }
    return params->text[id] || item;
}

const char *pt_params_text(const pt_params *params, pt_param_id id)
{
    if (params && id == PT_P_MACHINE && !params->text[id] &&
        (is_named(params, PT_P_CODE) || is_named(params, PT_P_LEARNER)))
        return "code"; /* who names a code or a learner means the composed machine */
    return params && params->text[id] ? params->text[id] : pt_param_table[id].standard;
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
    return list &&
           pt_word_listed(list, ',', pt_param_table[id].name, strlen(pt_param_table[id].name));
}

/* text <- "ridge,kernel,sigma" of two lists; what does not fit is counted: "ridge and 2 more". */
static void join_lists(char *text, size_t size, const char *first, const char *second)
{
    static const size_t COUNT = sizeof " and 999 more";
    const char *lists[] = {first ? first : "", second ? second : ""};
    size_t used = 0;
    int more = 0;
    for (int l = 0; l < 2; l++)
        for (const char *word = lists[l]; *word;) {
            const size_t length = strcspn(word, ",");
            if (more > 0 || used + length + 1 + COUNT > size)
                more++;
            else
                used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? "," : "",
                                         (int)length, word);
            word += length + (word[length] == ',');
        }
    text[used] = '\0';
    if (more > 0)
        snprintf(text + used, size - used, " and %d more", more);
}

bool pt_label_kernel_is_file(const pt_params *params)
{
    const char *kernel = pt_params_text(params, PT_P_LABEL_KERNEL);
    return strcmp(kernel, "none") != 0 && strcmp(kernel, "rbf") != 0 && strcmp(kernel, "poly") != 0;
}

/* Parameters that count beside one value of another; of the kernel on labels they are refused here,
 * of the others where that is read. */
static const struct {
    pt_param_id id;
    pt_param_id beside;
    const char *value;
} only_beside[] = {{PT_P_LABEL_SIGMA, PT_P_LABEL_KERNEL, "rbf"},
                   {PT_P_LABEL_DEGREE, PT_P_LABEL_KERNEL, "poly"},
                   {PT_P_LABEL_COEF0, PT_P_LABEL_KERNEL, "poly"},
                   {PT_P_COUPLING_SLOPE, PT_P_DECODE, "coupling"},
                   {PT_P_BIAS_RULE, PT_P_BIAS, "yes"}};

static bool stands_beside(const pt_params *params, size_t i)
{
    const pt_param_id id = only_beside[i].beside;
    return pt_param_table[id].type == PT_PARAM_FLAG
               ? pt_params_flag(params, id)
               : strcmp(pt_params_text(params, id), only_beside[i].value) == 0;
}

void pt_params_validate(pt_params *params)
{
    params->validated = true;
}

bool pt_params_counts(const pt_params *params, pt_param_id id)
{
    if (id == PT_P_PATIENCE)
        return (params && params->validated) || pt_params_real(params, PT_P_STOP_SHARE) > 0;
    if (id == PT_P_LABELBOOK)
        return !pt_label_kernel_is_file(params);
    for (size_t i = 0; i < sizeof only_beside / sizeof *only_beside; i++)
        if (only_beside[i].id == id)
            return stands_beside(params, i);
    return true;
}

/* Options that say the same, and those that say nothing without another. */
static pt_status check_together(const pt_params *params, pt_error *err)
{
    const char *kernel = pt_params_text(params, PT_P_LABEL_KERNEL);
    if (pt_params_set_by_user(params, PT_P_SIGMA) && pt_params_set_by_user(params, PT_P_RBF_GAMMA))
        return pt_fail(
            err, PT_EINVAL,
            "`sigma` and `rbf-gamma` are both set; rbf-gamma is 1/(2 sigma^2): give one");
    if (pt_params_set_by_user(params, PT_P_RIDGE) && pt_params_set_by_user(params, PT_P_C))
        return pt_fail(err, PT_EINVAL, "`ridge` and `C` are both set; C is 1/ridge: give one");
    for (size_t i = 0; i < sizeof only_beside / sizeof *only_beside; i++)
        if (only_beside[i].beside == PT_P_LABEL_KERNEL && !stands_beside(params, i) &&
            pt_params_set_by_user(params, only_beside[i].id))
            return pt_fail(err, PT_EINVAL, "`%s` is used with `label-kernel=%s` only",
                           pt_param_name(only_beside[i].id), only_beside[i].value);
    if (pt_label_kernel_is_file(params) && pt_params_set_by_user(params, PT_P_LABELBOOK))
        return pt_fail(err, PT_EINVAL,
                       "`labelbook` is not used with the matrix of `label-kernel=%s`", kernel);
    if (pt_params_set_by_user(params, PT_P_PATIENCE) && !pt_params_counts(params, PT_P_PATIENCE))
        return pt_fail(
            err, PT_EINVAL,
            "`patience` is used with `stop-share` above 0, or with rows to validate by, only");
    return PT_OK;
}

bool pt_params_choose_by_costs(const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_METRIC), "cost") == 0;
}

pt_status pt_params_check_used(const pt_params *params, const char *who, const char *machine_list,
                               const char *kernel_list, pt_error *err)
{
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const pt_param_group_id group = pt_param_table[id].group;
        if (id == PT_P_MACHINE || (group != PT_GROUP_MACHINE && group != PT_GROUP_KERNEL))
            continue;
        if (!pt_params_set_by_user(params, (pt_param_id)id) || is_used(id, machine_list) ||
            is_used(id, kernel_list) || (id == PT_P_COSTS && pt_params_choose_by_costs(params)))
            continue;
        char used[PT_ERROR_TEXT * 3 / 4];
        join_lists(used, sizeof used, machine_list, kernel_list);
        return pt_fail(err, PT_EINVAL, "%s does not use `%s`; it uses %s", who,
                       pt_param_table[id].name, used);
    }
    return check_together(params, err);
}

/* ---- how a task works: the group "run" ------------------------------------------------------- */

pt_status pt_task_set(pt_task *task, const char *name, double value, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *checked = NULL;
    const int id = name ? pt_param_find(name) : -1;
    if (id != PT_P_THREADS && id != PT_P_MEMORY && id != PT_P_TIME)
        return pt_fail(err, PT_EINVAL,
                       "a task has `threads`, `memory` and `time`, no '" PT_SHOWN "'",
                       name ? name : "");
    PT_TRY(pt_params_new(&checked, err));
    PT_TRY(pt_params_set_number(checked, name, value, err));
    if (id == PT_P_THREADS)
        pt_task_set_threads(task, (int)pt_params_integer(checked, PT_P_THREADS));
    else if (id == PT_P_MEMORY)
        pt_task_set_memory(task, pt_params_integer(checked, PT_P_MEMORY));
    else
        pt_task_set_time_limit(task, pt_params_real(checked, PT_P_TIME));
    return PT_OK;
}

void pt_task_set_params(pt_task *task, const pt_params *params)
{
    if (!task)
        return;
    pt_task_set_threads(task, (int)pt_params_integer(params, PT_P_THREADS));
    pt_task_set_memory(task, pt_params_integer(params, PT_P_MEMORY));
    pt_task_set_time_limit(task, pt_params_real(params, PT_P_TIME));
}
