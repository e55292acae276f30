/* The table of parameters (params.def), and words of it that are near to what somebody wrote. */
#include "params/params_table.h"

#include <string.h>

/* The names that a parameter may have, each after a bar. */
#define PT_ENTRY(entry, name) "|" name
static const char MACHINES[] =
#include "registry/machines.def"
    ;
static const char LEARNERS[] =
#include "registry/learners.def"
    ;
static const char DECODERS[] = "loss"
#include "registry/decoders.def"
    ;
static const char KERNELS[] = "auto"
#include "registry/kernels.def"
    ;
static const char FORMATS[] = "auto"
#include "registry/formats.def"
    ;
#undef PT_ENTRY

const pt_param_entry pt_param_table[PT_N_PARAMS] = {
#define PT_PARAM(id, name, type, kind, unit, minimum, maximum, standard, allowed, group, help) \
    {name,     PT_PARAM_##type, PT_PARAM_KIND_##kind, unit, minimum, maximum,                  \
     standard, allowed,         PT_GROUP_##group,     help},
#include "params/params.def"
#undef PT_PARAM
};

static char plain_dash(char c)
{
    return c == '_' ? '-' : c;
}

int pt_param_find_n(const char *name, size_t length)
{
    for (int id = 0; id < PT_N_PARAMS; id++) {
        size_t i = 0;
        while (i < length && pt_param_table[id].name[i] &&
               plain_dash(name[i]) == pt_param_table[id].name[i])
            i++;
        if (i == length && pt_param_table[id].name[i] == '\0')
            return id;
    }
    return -1;
}

int pt_param_find(const char *name)
{
    return name ? pt_param_find_n(name, strlen(name)) : -1;
}

bool pt_word_listed(const char *list, char separator, const char *word, size_t length)
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

void pt_nearest_try(pt_nearest *best, const char *written, const char *word, size_t length)
{
    const int distance = edit_distance(written, strlen(written), word, length);
    if (!best->word || distance < best->distance)
        *best = (pt_nearest){word, length, distance};
}

bool pt_nearest_is_near(const pt_nearest *best, const char *written)
{
    const size_t length = strlen(written);
    return best->word && length <= WORD_MAX && best->distance <= 1 + (int)length / 4;
}

pt_status pt_param_fail_unknown(pt_error *err, const char *name)
{
    pt_nearest best = {NULL, 0, 0};
    for (int id = 0; id < PT_N_PARAMS; id++)
        pt_nearest_try(&best, name, pt_param_table[id].name, strlen(pt_param_table[id].name));
    if (pt_nearest_is_near(&best, name))
        return pt_fail(err, PT_EINVAL, "there is no parameter '" PT_SHOWN "'; did you mean `%s`?",
                       name, best.word);
    return pt_fail(err, PT_EINVAL, "there is no parameter '" PT_SHOWN "'", name);
}

/* ---- the table, for those outside ------------------------------------------------------------ */

static const pt_param_entry *entry_at(int64_t param)
{
    return param >= 0 && param < PT_N_PARAMS ? &pt_param_table[param] : NULL;
}

int64_t pt_param_count(void)
{
    return PT_N_PARAMS;
}

const char *pt_param_name(int64_t param)
{
    const pt_param_entry *entry = entry_at(param);
    return entry ? entry->name : NULL;
}

const char *pt_param_type(int64_t param)
{
    static const char *const NAMES[] = {"real", "integer", "choice", "text",
                                        "list", "flag",    "size",   "time"};
    const pt_param_entry *entry = entry_at(param);
    return entry ? NAMES[entry->type] : NULL;
}

const char *pt_param_kind(int64_t param)
{
    static const char *const NAMES[] = {"amount", "share",   "scale",   "number", "seed", "choice",
                                        "matrix", "classes", "columns", "path",   "text"};
    const pt_param_entry *entry = entry_at(param);
    return entry ? NAMES[entry->kind] : NULL;
}

const char *pt_param_unit(int64_t param)
{
    const pt_param_entry *entry = entry_at(param);
    return entry ? entry->unit : NULL;
}

const char *pt_param_default(int64_t param)
{
    const pt_param_entry *entry = entry_at(param);
    return entry ? entry->standard : NULL;
}

const char *pt_param_allowed(int64_t param)
{
    const pt_param_entry *entry = entry_at(param);
    return entry ? entry->allowed : NULL;
}

const char *pt_param_group(int64_t param)
{
    static const char *const NAMES[] = {"machine",  "kernel", "prepare",    "read",
                                        "search",   "run",    "synth",      "model",
                                        "evaluate", "decide", "importance", "explain"};
    const pt_param_entry *entry = entry_at(param);
    return entry ? NAMES[entry->group] : NULL;
}

const char *pt_param_help(int64_t param)
{
    const pt_param_entry *entry = entry_at(param);
    return entry ? entry->help : NULL;
}

pt_param_group_id pt_param_group_of(pt_param_id id)
{
    return pt_param_table[id].group;
}
