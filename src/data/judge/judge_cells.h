/* What the text of a cell says: nothing, a number as people write them, a date. */
#ifndef PT_DATA_JUDGE_JUDGE_CELLS_H
#define PT_DATA_JUDGE_JUDGE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/judge/column_kind.h"

/* ---- missing cells (missing.c) --------------------------------------------------------------- */

/* Words for cells that are missing: some everywhere, some only among numbers and dates, where a
 * dash cannot be anything else. */

/* na: words separated by commas that take the place of the usual ones, or, with a + before any of
 * them, stand beside these; NULL or "": the usual ones. An empty cell is missing always. The text
 * is trimmed. */
bool pt_is_missing_word(const char *na, const char *text, size_t length);

/* Whether the usual words hold beside those of the list. */
bool pt_na_adds(const char *na);
/* The next word of a list, without its +; *list moves behind it. NULL: there is none. */
const char *pt_na_next(const char **list, size_t *length);
/* *out <- the words of both lists, as one. The usual words hold beside them where they do beside
 * `own`. */
pt_status pt_na_join(char **out, const char *own, const char *more, pt_error *err);
/* Whether a text is one of the words of a list, "" for none. */
bool pt_is_named_missing(const char *na, const char *text, size_t length);

/* Of the first words of a list, which have been met: bit w of *seen. */
enum { PT_NA_NOTED = 64 };
void pt_na_note(const char *na, const char *text, size_t length, uint64_t *seen);

/* In place of a list where only an empty cell is missing, as in a column of labels. */
#define PT_LABEL_MISSING ","

/* Whether a text begins a row of totals or means below a table, in some languages. */
bool pt_is_totals_word(const char *text, size_t length);

/* Whether a word stands for a missing cell where the other cells are numbers or dates. */
bool pt_is_gap_word(const char *na, const char *text, size_t length);

/* ---- yes and no (column_tally.c) ------------------------------------------------------------- */

/* 1: yes, true, on, ...; 0: no; -1: neither. */
int pt_truth_of(const char *text, size_t length);

/* ---- numbers (cell_number.c) ----------------------------------------------------------------- */

/* Numbers as people write them: 1.234,5 and 1,234.5, 1 234 and 1'234, $12.30, 12,30 EUR, (5), 45%,
 * 12.3 kg.
 * Which sign is the decimal one is a matter of the whole column: a text only says what it allows.
 */

/* What a text that is a number says about the signs in it. 1,5 is sure of its comma and 1.5 of its
 * point; 1,234 and 1.234 may be read both ways, and only one of the four is set. None: no sign. */
typedef struct pt_number_signs {
    bool point;        /* the decimal sign is a point */
    bool comma;        /* ... a comma */
    bool either_comma; /* there is one comma, which may part thousands or be the decimal sign */
    bool either_point; /* the same with a point */
    char thousands;    /* what surely parts thousands, 0: nothing */
    bool currency;
    bool percent;
    const char *unit;   /* behind the number, or the name of its currency; borrowed */
    size_t unit_length; /* 0: none */
} pt_number_signs;

/* False: it is no number in any style. */
bool pt_number_signs_of(const char *text, size_t length, pt_number_signs *signs);

/* The number, if `decimal` ('.' or ',') is the decimal sign; the other signs may part thousands.
 * Beside it may stand `unit` and no other; "": none, or any currency. */
bool pt_number_styled(const char *text, size_t length, char decimal, const char *unit,
                      double *value);

/* ---- dates (cell_date.c) --------------------------------------------------------------------- */

/* Dates and times as people write them: 2024-12-31, 31.12.2024, 12/31/24, 31 Dec 2024, December 31,
 * 2024, 31. Dezember 2024, 31 de diciembre de 2024, Dec 2024 and the first day of 2024 Q4, 2024-H2,
 * 2024-W52 and KW 52/2024, Dec-24 and 31-Dec (in the order without a year), each with or without a
 * time behind it (T or a space, 13:45, 1:45 pm, 13:45:10.5, a zone), 20241231T1345,
 * 20241231134510, [31/Dec/2024:13:45:10 +0000], Tue Dec 31 13:45:10 CET 2024, the year, month and
 * day of China, Japan and Korea, or a time alone. Months and days of the week may be English,
 * German, French, Spanish, Italian, Portuguese or Dutch, months northern, too. Whether a day or a
 * month comes first is a matter of the whole column.
 *
 * The time is the one that is written: a zone is read and does not move it. */

/* What a text that is a date may be. */
typedef struct pt_date_forms {
    int orders;      /* bit o: it is one in pt_date_order o; 0: it is a time alone */
    bool time;       /* there is a time */
    bool short_year; /* its year has two digits and may be a day */
    bool late_year;  /* ... and is taken for one from 2040 on */
    char sign;       /* between its numbers, 0: a month has a name */
} pt_date_forms;

/* False: it is neither date nor time. */
bool pt_date_forms_of(const char *text, size_t length, pt_date_forms *forms);

/* Days since 1970-01-01 with the time as a fraction. time_alone: a time without a date is wanted,
 * and its fraction of a day. */
bool pt_date_parse(const char *text, size_t length, pt_date_order order, bool time_alone,
                   double *days);

/* The day of the month. */
int pt_date_day(double days);

/* A part of what was parsed. */
double pt_date_part(double days, int part, bool time_alone);

#endif
