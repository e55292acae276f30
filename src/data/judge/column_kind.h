/* What a reader decided about the columns of a file. Most columns are plain numbers or nominal, and
 * pt_column says which; those that are read in another way, and those that are left out, are listed
 * here. A data set carries the list into the model, and prediction reads its file by it. */
#ifndef PT_DATA_JUDGE_COLUMN_KIND_H
#define PT_DATA_JUDGE_COLUMN_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json_t;

typedef enum pt_column_kind {
    PT_COLUMN_NUMBER,
    PT_COLUMN_INTEGER,
    PT_COLUMN_BOOLEAN,  /* yes and no in any of their spellings: 1 and 0 */
    PT_COLUMN_CURRENCY, /* $12.30: the number */
    PT_COLUMN_PERCENT,  /* 45%: 45 */
    PT_COLUMN_DATE,     /* dates, times, or both: a feature for each of its parts */
    PT_COLUMN_NOMINAL,
    PT_COLUMN_TEXT,       /* several words in a cell, nearly all cells different: left out */
    PT_COLUMN_IDENTIFIER, /* names or numbers the rows: left out */
    PT_COLUMN_EMPTY,      /* every cell is missing: left out */
    PT_COLUMN_IGNORED,    /* by request, of weights, groups, folds or times, or written in two ways:
                             left out */
    PT_N_COLUMN_KINDS
} pt_column_kind;

const char *pt_column_kind_name(pt_column_kind kind);
bool pt_column_kind_find(const char *name, pt_column_kind *kind);

/* How the numbers of a date stand: 2024-12-31, 31.12.2024, 12/31/2024; Dec 31, without a year. */
typedef enum pt_date_order {
    PT_DATE_YMD,
    PT_DATE_DMY,
    PT_DATE_MDY,
    PT_DATE_MD,
    PT_N_DATE_ORDERS
} pt_date_order;

const char *pt_date_order_name(pt_date_order order);

/* Features of a date, in this order. */
enum {
    PT_PART_DAYS = 1,    /* since 1970-01-01, the time of day as a fraction */
    PT_PART_WEEKDAY = 2, /* Monday is 1, Sunday 7 */
    PT_PART_HOUR = 4     /* of the day, minutes as a fraction */
};
const char *pt_date_part_name(int part);

/* How numbers are written: decimal is '.' or ',', thousands ',', '.', ' ', '\'' or 0 for none. */
typedef struct pt_number_style {
    char decimal;
    char thousands;
} pt_number_style;

enum { PT_UNIT_ROOM = 16 };

/* A column that is not plain numbers and not nominal. */
typedef struct pt_judged {
    int64_t column; /* of the file, from 1 */
    char *name;     /* NULL: none */
    pt_column_kind kind;
    pt_number_style style;   /* of numbers, currency and percent */
    char unit[PT_UNIT_ROOM]; /* behind each number; "": none */
    pt_date_order order;     /* of a date */
    int parts;               /* of a date: which features it has */
    bool any_order; /* of a date: no order was needed, as where months have names: 4 Jan 2024 */
    bool misfits;   /* training took cells that are no such value for missing; so does prediction */
    int64_t feature; /* the first of its features in the data set; -1: left out, or unknown */
} pt_judged;

/* Zero-initialise; the columns ascend. */
typedef struct pt_judged_columns {
    int64_t n_columns; /* of the file; 0: unknown, and nothing is listed */
    pt_judged *items;
    int64_t count;
    int64_t capacity;
    /* As they were said for the whole file; NULL: they were not. */
    char *na;      /* --na */
    char *sep;     /* --sep */
    char *comment; /* --comment */
} pt_judged_columns;

bool pt_column_is_left_out(pt_column_kind kind);
/* Numbers with nothing about them that a listing would tell. */
bool pt_judged_is_plain(const pt_judged *judged);
/* How many features a listed column becomes. */
int64_t pt_judged_features(const pt_judged *judged);

/* Appends a copy; name may be NULL. */
pt_status pt_judged_add(pt_judged_columns *columns, const pt_judged *judged, const char *name,
                        pt_error *err);
/* The entry of a column of the file, from 1, or of a name; NULL: it is not listed. */
const pt_judged *pt_judged_at(const pt_judged_columns *columns, int64_t column);
const pt_judged *pt_judged_named(const pt_judged_columns *columns, const char *name);
/* Keeps copies of what was said for the whole file, each NULL or a text. */
pt_status pt_judged_say(pt_judged_columns *columns, const char *na, const char *sep,
                        const char *comment, pt_error *err);
pt_status pt_judged_copy(pt_judged_columns *out, const pt_judged_columns *from, pt_error *err);
void pt_judged_free(pt_judged_columns *columns);

/* "number, decimal comma", "date (d/m/y)": what a listed column is, for people. */
enum { PT_JUDGED_WORDS = 80 };
const char *pt_judged_words(const pt_judged *judged, char words[PT_JUDGED_WORDS]);

/* A line for each way in which columns are read, with the first of them: "date (y-m-d): 'day'". */
pt_status pt_judged_notes(const pt_judged_columns *columns, pt_texts *notes, pt_error *err);

/* A new JSON object, or NULL with PT_ENOMEM; and back, hostile ones refused. */
struct json_t *pt_judged_to_json(const pt_judged_columns *columns, pt_error *err);
pt_status pt_judged_from_json(pt_judged_columns *out, const struct json_t *value, pt_error *err);

#endif
