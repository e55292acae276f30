/* What the files of this folder share: the table itself, values from texts, words that are near. */
#ifndef PT_PARAMS_PARAMS_TABLE_H
#define PT_PARAMS_PARAMS_TABLE_H

#include "params/params.h"

#define PT_SHOWN "%.80s" /* how much of a user's text an error repeats */

typedef struct pt_param_entry {
    const char *name;
    pt_param_type_t type;
    pt_param_kind_id kind;
    const char *unit;
    double minimum;
    double maximum;
    const char *standard;
    const char *allowed;
    pt_param_group_id group;
    const char *help;
} pt_param_entry;

extern const pt_param_entry pt_param_table[PT_N_PARAMS];

/* The parameter that is called like the `length` bytes at `name`, or -1. */
int pt_param_find_n(const char *name, size_t length);
pt_status pt_param_fail_unknown(pt_error *err, const char *name);

/* What a text stands for; which member counts depends on the type. */
typedef struct pt_param_value {
    double real;     /* NaN: auto or unset */
    int64_t integer; /* integers and sizes */
    bool flag;
    bool is_auto;
} pt_param_value;

pt_status pt_param_parse(const pt_param_entry *entry, const char *text, pt_param_value *value,
                         pt_error *err);
/* The name in the table of a choice that is known by another name, too; else `text`. */
const char *pt_param_other_name(const pt_param_entry *entry, const char *text);
bool pt_param_has_default(const pt_param_entry *entry, const char *word);

/* Is the word of `length` bytes one of "a|b|c" (or another separator)? */
bool pt_word_listed(const char *list, char separator, const char *word, size_t length);

/* The name or choice nearest to what was written; zero-initialise it. */
typedef struct pt_nearest {
    const char *word;
    size_t length;
    int distance;
} pt_nearest;

void pt_nearest_try(pt_nearest *best, const char *written, const char *word, size_t length);
/* Far enough apart, a suggestion would only confuse. */
bool pt_nearest_is_near(const pt_nearest *best, const char *written);

#endif
