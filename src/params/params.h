/* Parameters by name, checked when set. The public functions are in polytomy.h; here is how the
 * library reads them. Every reader takes NULL: the defaults. */
#ifndef PT_PARAMS_PARAMS_H
#define PT_PARAMS_PARAMS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/math.h"
#include "base/text.h"
#include "base/warnings.h"

#define PT_TINY 1e-300           /* minimum of a number that must be positive */
#define PT_BELOW_ONE 0.999999999 /* maximum of one that must be below 1 */
#define PT_NO_LIMIT 1e300 /* maximum of one that may be as large as you like, - of a minimum */

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

/* What a value is, for programs; params.def says what each means. */
typedef enum pt_param_kind_id {
    PT_PARAM_KIND_AMOUNT,
    PT_PARAM_KIND_SHARE,
    PT_PARAM_KIND_SCALE,
    PT_PARAM_KIND_NUMBER,
    PT_PARAM_KIND_SEED,
    PT_PARAM_KIND_CHOICE,
    PT_PARAM_KIND_MATRIX,
    PT_PARAM_KIND_CLASSES,
    PT_PARAM_KIND_COLUMNS,
    PT_PARAM_KIND_PATH,
    PT_PARAM_KIND_TEXT
} pt_param_kind_id;

typedef enum pt_param_group_id {
    PT_GROUP_MACHINE,
    PT_GROUP_KERNEL,
    PT_GROUP_PREPARE,
    PT_GROUP_READ,
    PT_GROUP_SEARCH,
    PT_GROUP_RUN,
    PT_GROUP_SYNTH,
    PT_GROUP_MODEL,
    PT_GROUP_EVALUATE,
    PT_GROUP_DECIDE,
    PT_GROUP_IMPORTANCE,
    PT_GROUP_EXPLAIN
} pt_param_group_id;

typedef enum pt_param_id {
#define PT_PARAM(id, name, type, kind, unit, minimum, maximum, standard, allowed, group, help) \
    PT_P_##id,
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

/* What a program has brought under a name, the first member of what it is: a kernel
 * (kernels/own_kernel.h). Copies of the parameters share it and it lives as long as any of them, so
 * that what is made by them may point into it. */
typedef struct pt_brought {
    const char *name;
    void (*free)(struct pt_brought *brought); /* by the last that lets go */
    atomic_int holders;
} pt_brought;

/* Held by the caller alone. */
void pt_brought_begin(pt_brought *brought, const char *name, void (*free)(pt_brought *brought));
void pt_brought_release(pt_brought *brought); /* NULL is fine */

/* It may be named from now on, and the parameters hold it, too. */
void pt_params_offer_kernel(pt_params *params, pt_brought *kernel);
/* The kernel that a program has brought and named; NULL: it is one of the library's. */
pt_brought *pt_params_kernel(const pt_params *params);
/* The one that it has brought, whether it is named or not; NULL: none. */
pt_brought *pt_params_offered_kernel(const pt_params *params);

/* What a program has brought to `from` (NULL: nothing) may be named in `params`, too. */
pt_status pt_params_offer(pt_params *params, const pt_params *from, pt_error *err);

/* The model that training begins with, which a program has set; NULL: there is none, or `start`
 * names its file. Whether there is either. */
const pt_model *pt_params_start(const pt_params *params);
bool pt_params_starts(const pt_params *params);
/* Rows beside those of training say when rounds end: `patience` counts. Copies are so, too. */
void pt_params_validate(pt_params *params);
/* Refuses either: for `what` holds rows out. */
pt_status pt_params_refuse_start(const pt_params *params, const char *what, pt_error *err);
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

/* `id` <- what `from` has, set or not; an array too, and a model that is lent. */
pt_status pt_params_take(pt_params *params, pt_param_id id, const pt_params *from, pt_error *err);

/* The array that a parameter was set to (params/param_array.h); NULL: a text. */
typedef struct pt_param_array pt_param_array;
const pt_param_array *pt_params_array(const pt_params *params, pt_param_id id);
/* *place <- the row of the array for each class, to be freed by pt_free; classes NULL: as many as
 * it has. Refuses an array of other classes, or of another number. */
pt_status pt_params_array_rows(const pt_params *params, pt_param_id id, const pt_texts *classes,
                               int64_t **place, pt_error *err);
/* Arrays that do not know their classes yet are for these. */
pt_status pt_params_name_arrays(pt_params *params, const pt_texts *classes, pt_error *err);
/* Refuses a text that says that there was an array, as models have it. */
pt_status pt_params_array_is_here(const pt_params *params, pt_param_id id, pt_error *err);

/* Whether another parameter, where it needs one, has the value that makes it count: a width of
 * label vectors counts with their kernel rbf only. */
bool pt_params_counts(const pt_params *params, pt_param_id id);

/* Whether `costs` count whatever the machine is: what is chosen by them. */
bool pt_params_choose_by_costs(const pt_params *params);

/* Whether `label-kernel` is a matrix: a file or an array. */
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
const char *pt_param_kind(int64_t param); /* amount share scale number seed choice matrix ... */
const char *pt_param_unit(int64_t param); /* of amounts and shares; else "" */
const char *pt_param_default(int64_t param);
const char *pt_param_allowed(int64_t param); /* "pm1|indicator|..." or "> 0" or "" */
const char *pt_param_group(int64_t param);   /* machine kernel ... model decide */
const char *pt_param_help(int64_t param);

#endif
