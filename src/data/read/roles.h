/* What each column of a file is: a feature, the label, the weight, what says how rows are held out
 * (data/ties.h), or left out. One set of rules
 * for every format with columns (DESIGN: classes, CSV). */
#ifndef PT_DATA_READ_ROLES_H
#define PT_DATA_READ_ROLES_H

#include "data/read/reader.h"
#include "params/params_table.h"

typedef enum pt_role {
    PT_ROLE_FEATURE, /* numbers, or texts if the format finds any */
    PT_ROLE_NUMBER,  /* a feature that must be a number: the model's is */
    PT_ROLE_NOMINAL, /* a feature whose cells are texts */
    PT_ROLE_LABEL,
    PT_ROLE_MARK, /* one of several label columns */
    PT_ROLE_WEIGHT,
    PT_ROLE_TIE, /* says how rows are held out */
    PT_ROLE_IGNORED
} pt_role;

/* What a column says of how rows are held out. */
typedef enum pt_tie_kind { PT_TIE_GROUP, PT_TIE_FOLD, PT_TIE_TIME } pt_tie_kind;

typedef struct pt_tie_column {
    pt_tie_kind kind;
    int64_t column;
} pt_tie_column;

/* What --types says of a column. */
typedef struct pt_wanted {
    pt_column_kind kind; /* PT_N_COLUMN_KINDS: nothing */
    int order;           /* of a date, -1: nothing */
} pt_wanted;

typedef struct pt_roles {
    pt_role *role;           /* per column of the file */
    pt_wanted *wanted;       /* per column; NULL: nothing is said */
    const pt_judged **known; /* per column: how the model's training file was read, NULL where it
                                was plain; NULL: nothing is known. Borrowed */
    int64_t n_columns;
    int64_t n_features;
    int64_t label; /* column of the label, -1: none, or several */
    pt_label_kind label_kind;
    pt_label_columns label_columns; /* where there are several */
    bool labels_cut;                /* ... which lack some of the model's, and are left out */
    int64_t weight;                 /* column of the weights, -1: none */
    pt_tie_column *ties;            /* of PT_ROLE_TIE, ascending */
    int64_t n_ties;
} pt_roles;

/* names: one per column ("": no name), or NULL. Warnings are added. */
pt_status pt_roles_assign(pt_roles *roles, int64_t n_columns, const pt_texts *names,
                          const pt_read_options *options, pt_warnings *warnings, pt_error *err);
void pt_roles_free(pt_roles *roles);

/* Whether a text is one of the names a label column usually has: class, label, target, y. */
bool pt_is_label_name(const char *text);
bool pt_same_name(const char *a, const char *b); /* ASCII case does not matter */

/* Which of some names is meant by one that is none of them. Zero-initialise. */
typedef struct pt_near_name {
    const char *alike;  /* but for capitals and blanks */
    pt_nearest typed;   /* with a letter more, less or another */
    const char *longer; /* begins with it, */
    int64_t n_longer;   /*   as so many do */
} pt_near_name;

void pt_near_name_try(pt_near_name *near, const char *wanted, const char *name);
/* NULL: none is near. */
const char *pt_near_name_of(const pt_near_name *near, const char *wanted);

/* PT_EFORMAT: a file lacks a column of the model. meant: one that is nearly its name, or NULL. */
pt_status pt_column_absent(const char *name, const char *meant, const char *source, pt_error *err);

/* Columns of a list of names, numbers from 1 and patterns, in its order and each once; "all": all
 * of them. The caller frees *out. One that means no column is refused, for `option`, with what is
 * near. */
pt_status pt_find_columns(int64_t **out, int64_t *count, const char *option, const char *wanted,
                          int64_t n_columns, const pt_texts *names, const pt_read_options *options,
                          pt_error *err);

/* The columns of a data set: a name for every feature, where there are names. */
pt_status pt_roles_columns(const pt_roles *roles, const pt_texts *names, pt_dataset *data,
                           pt_error *err);

/* Which attributes of a multilabel ARFF file are its labels: Mulan names them in an XML file, MEKA
 * says in the relation how many there are. */

/* The label columns that are said: by options->labels_xml, by an XML file of Mulan beside the data
 * (same name, or without what follows the last '-': emotions-train.arff, emotions.xml), by "-C 6"
 * in the relation (the first six; -6: the last six). None are said (count 0) where the options name
 * labels themselves. `names`: all attributes. Zero-initialise *out. */
pt_status pt_arff_labels(pt_label_columns *out, const char *relation, const pt_texts *names,
                         const pt_read_options *options, pt_error *err);

#endif
