/* Dates and times as people write them: 2024-12-31, 31.12.2024, 12/31/24, 31 Dec 2024, December 31,
 * 2024, 31. Dezember 2024, 31 de diciembre de 2024, each with or without a time behind it (T or a
 * space, 13:45, 1:45 pm, 13:45:10.5, a zone), 20241231T1345, or a time alone. Months and days of
 * the week may be English, German, French, Spanish, Italian or Portuguese. Whether a day or a month
 * comes first is a matter of the whole column.
 *
 * The time is the one that is written: a zone is read and does not move it. */
#ifndef PT_DATA_JUDGE_CELL_DATE_H
#define PT_DATA_JUDGE_CELL_DATE_H

#include <stdbool.h>
#include <stddef.h>

#include "data/judge/column_kind.h"

/* What a text that is a date may be. */
typedef struct pt_date_forms {
    int orders;      /* bit o: it is one in pt_date_order o; 0: it is a time alone */
    bool time;       /* there is a time */
    bool short_year; /* its year has two digits and may be a day */
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
