/* What the texts of a column look like, counted, and what the column is taken for by these counts.
 * The order of the texts does not matter, so that threads and blocks leave no trace. */
#ifndef PT_DATA_JUDGE_COLUMN_TALLY_H
#define PT_DATA_JUDGE_COLUMN_TALLY_H

#include "data/judge/column_kind.h"

enum {
    PT_FEW_UNITS = 6,
    PT_IDENTIFIER_ROWS = 50 /* fewer rows may differ, or be counted, by chance */
};

/* The units of a column, as long as they are few. */
typedef struct pt_tally_units {
    int count; /* PT_FEW_UNITS + 1: more than are kept */
    char name[PT_FEW_UNITS][PT_UNIT_ROOM];
} pt_tally_units;

/* Zero-initialise. All but words and units count cells. */
typedef struct pt_column_tally {
    int64_t words;   /* different texts */
    int64_t numbers; /* as programs write them */
    int64_t styled;  /* as people write them: cell_number.c */
    int64_t point;   /* of both: with a decimal point, surely */
    int64_t comma;
    int64_t either_comma; /* 1,234 */
    int64_t either_point; /* 1.234 */
    int64_t currency;
    pt_tally_units currencies;
    int64_t percent;
    int64_t bits; /* of the numbers: 0 and 1 alone */
    char thousands;
    int64_t measures; /* with a unit behind them; they are not among the numbers above */
    int64_t measure_words;
    pt_tally_units units;
    int wanted_orders; /* set before: the only ones that make a date; 0: every one does */
    int64_t compact;   /* of the numbers: 20241231, a date among dates */
    int compact_orders;
    int64_t dates;
    int64_t day_less;    /* of them: a time alone */
    int orders;          /* of the others: those that every one of them is a date in */
    int64_t short_years; /* with a year of two digits */
    int64_t late_years;  /* ... which is taken for one from 2040 on */
    char date_sign;
    int64_t truths;     /* true, yes, t, y */
    int64_t lies;       /* false, no, f, n */
    int64_t letters_tf; /* of both: the letters t and f, */
    int64_t letters_yn; /*   y and n: with both pairs, N, F and Y are three levels */
    int64_t gaps;       /* words for missing among numbers */
    int64_t others;
    int64_t other_words;
    int64_t numbered; /* of the others: 5 or more, 1 - never, answers rather than gaps */
    int64_t phrases;  /* three words or more */
} pt_column_tally;

/* Adds a text (trimmed, not missing) that stands in `count` cells and was not added before. na: as
 * in --na. */
void pt_column_tally_add(pt_column_tally *tally, const char *na, const char *text, size_t length,
                         int64_t count);

/* What the file says outside of the column. */
typedef struct pt_habits {
    char decimal;         /* '.' or ','; 0: unknown */
    bool decimal_said;    /* by an option: it holds, whatever the cells look like */
    bool decimal_guessed; /* since semicolons part the cells */
    int order;            /* a pt_date_order, -1: unknown */
} pt_habits;

/* What a column is taken for. */
typedef struct pt_verdict {
    pt_judged as;         /* kind, style, order */
    bool mixed;           /* most cells are numbers (dates), some are not */
    bool drops;           /* ... and these become missing */
    bool decimal_doubt;   /* nothing says whether 1,234 is a thousand */
    bool order_doubt;     /* nothing says whether 3/4 is in March or in April */
    bool year_doubt;      /* ... or whether the year of 03.04.05 comes last */
    bool century_doubt;   /* ... or whether the year 45 is 2045 */
    bool lone_doubt;      /* ... or whether the number of Jul-23 is a year */
    bool percent_doubt;   /* some have a percent sign, some have none */
    bool unit_doubt;      /* ... or a unit, or several currencies */
    bool units_differ;    /* nominal, since its numbers have several units */
    bool decimals_differ; /* ... or decimal points and decimal commas */
    bool times_differ;    /* some cells are dates, some are times alone */
    bool orders_differ;   /* all are dates, and no order makes dates of all */
    bool nothing_fits;    /* --types asks for what no cell is, */
    bool few_fit;         /*   or hardly any */
    bool many_levels;     /* nominal, and a level has hardly any rows */
} pt_verdict;

/* A unit that stands in a column. */
void pt_tally_units_add(pt_tally_units *units, const char *name, size_t length);

/* `wanted`: the kind that --types asks for, or PT_N_COLUMN_KINDS. */
pt_verdict pt_column_tally_judge(const pt_column_tally *counted, const pt_habits *habits,
                                 pt_column_kind wanted);

/* The value of a text in a column that is so judged; false: it has none. */
bool pt_judged_value(const pt_judged *judged, const char *text, size_t length, double *value);

#endif
