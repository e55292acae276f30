/* Parameters by name, checked when set. The public functions are in polytomy.h; here is how the
 * library reads them. Every reader takes NULL: the defaults. */
#ifndef PT_PARAMS_PARAMS_H
#define PT_PARAMS_PARAMS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/math.h"
#include "base/text.h"
#include "base/warnings.h"

#define PT_TINY 1e-300 /* minimum of a number that must be positive */

typedef enum pt_param_type {
    PT_PARAM_REAL,
    PT_PARAM_INTEGER,
    PT_PARAM_CHOICE,
    PT_PARAM_TEXT,
    PT_PARAM_LIST, /* a text "a,b": where it is given again, both count */
    PT_PARAM_FLAG, /* yes or no */
    PT_PARAM_SIZE, /* bytes: 512M, 4G */
    PT_PARAM_SPAN  /* seconds: 90, 90s, 2m, 1h */
} pt_param_type_t;

typedef enum pt_param_group_id {
    PT_GROUP_MACHINE,
    PT_GROUP_KERNEL,
    PT_GROUP_PREPARE,
    PT_GROUP_READ,
    PT_GROUP_SEARCH,
    PT_GROUP_RUN,
    PT_GROUP_SYNTH,
    PT_GROUP_MODEL
} pt_param_group_id;

typedef enum pt_param_id {
#define PT_PARAM(id, name, type, minimum, maximum, standard, allowed, group, help) PT_P_##id,
#include "params/params.def"
#undef PT_PARAM
    PT_N_PARAMS
} pt_param_id;

/* -1 if there is no parameter of that name; '_' counts as '-'. */
int pt_param_find(const char *name);
pt_param_group_id pt_param_group_of(pt_param_id id);

/* The learner that a program has brought and named; NULL: it is one of the library's. */
const pt_learner_callbacks *pt_params_learner(const pt_params *params);
/* It may be named from now on; pt_params_set_learner names it too. */
pt_status pt_params_offer_learner(pt_params *params, const pt_learner_callbacks *learner,
                                  pt_error *err);
/* What rows are prepared in: double by --precision double, or for a learner of a program. */
pt_type pt_params_type(const pt_params *params);

bool pt_params_set_by_user(const pt_params *params, pt_param_id id);
bool pt_params_is_auto(const pt_params *params, pt_param_id id);
double pt_params_real(const pt_params *params, pt_param_id id);
int64_t pt_params_integer(const pt_params *params, pt_param_id id);  /* and sizes */
const char *pt_params_text(const pt_params *params, pt_param_id id); /* any type */
bool pt_params_flag(const pt_params *params, pt_param_id id);

/* Sets a number with all its digits, so that reading the text gives the same bits. */
pt_status pt_params_set_real(pt_params *params, pt_param_id id, double value, pt_error *err);

/* Whether --label-kernel names a file with a matrix. */
bool pt_label_kernel_is_file(const pt_params *params);

/* Refuses a parameter of the groups machine and kernel that was set and is in neither list ("a,b"):
 * `who` uses machine_list and, if any, kernel_list. */
pt_status pt_params_check_used(const pt_params *params, const char *who, const char *machine_list,
                               const char *kernel_list, pt_error *err);

static inline void pt_params_free_at(pt_params **address) /* for PT_FREED_BY */
{
    pt_params_free(*address);
}

/* What a reader of texts that were parsed should know. */
const pt_warnings *pt_params_warnings(const pt_params *params);

/* The table by number; NULL out of range. */
int64_t pt_param_count(void);
const char *pt_param_name(int64_t param);
const char *pt_param_type(int64_t param); /* real integer choice text list flag size time */
const char *pt_param_default(int64_t param);
const char *pt_param_allowed(int64_t param); /* "pm1|indicator|..." or "> 0" or "" */
const char *pt_param_group(int64_t param); /* machine kernel prepare read search run synth model */
const char *pt_param_help(int64_t param);

#endif
