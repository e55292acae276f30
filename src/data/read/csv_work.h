/* A CSV file while it is read: what the passes (format_csv.c) and the judgement of its columns
 * (csv_judge.c) share. */
#ifndef PT_DATA_READ_CSV_WORK_H
#define PT_DATA_READ_CSV_WORK_H

#include "data/judge/column_tally.h"
#include "data/read/csv_cell.h"
#include "data/read/csv_head.h"
#include "data/read/table.h"

/* What a worker saw in a column of numbers; offsets are INT64_MAX for never. */
typedef struct pt_csv_seen {
    int64_t texts;
    int64_t missing; /* gaps included */
    int64_t gaps;    /* words that stand for nothing among numbers */
    int64_t zeros;   /* 007: a code, perhaps */
    int64_t dressed; /* numbers with a percent sign or a unit behind them */
    int64_t first_text;
    int64_t first_missing;
    int64_t first_not_finite;
} pt_csv_seen;

/* How a column is read. */
typedef struct pt_csv_how {
    pt_judged as;          /* kind, style, order, parts */
    bool fixed;            /* by the model or in a stream: cells that do not fit are errors */
    pt_column_kind wanted; /* by --types; PT_N_COLUMN_KINDS: nothing is said */
    int wanted_order;      /* by --types, -1: nothing is said */
    bool told;             /* a warning says what is in it, and what becomes of it */
    int64_t line;          /* of the first text that is no number, 0: not known */
    bool many_levels;      /* nominal, and a level has hardly any rows */
    int64_t misfits;       /* fixed: cells that cannot be read so, where that is no error */
    int64_t zeros;         /* cells such as 007, some of them twice */
    int64_t gaps;          /* cells whose words stand for nothing among numbers */
} pt_csv_how;

typedef struct pt_csv_work {
    pt_table table;
    const pt_csv_head *head;
    const pt_roles *roles;
    const pt_texts *names; /* of all columns, or NULL */
    const char *na;        /* words for missing cells: --na, or those of the model */
    char separator;
    char weight_decimal;  /* the decimal sign of --weight */
    const char *repeated; /* the header, which concatenated files repeat; "\n": none */
    size_t repeated_length;
    bool drops;             /* some rows are left out */
    bool judging;           /* columns are judged, none of which a model knows */
    bool check_marks;       /* there are several label columns to be read */
    pt_csv_how *how;        /* per column of the file */
    pt_csv_seen *seen;      /* n_workers x n_columns */
    pt_csv_buffer *buffers; /* n_workers */
    double *scratch;        /* n_workers x d, where the stride is 0 */
    pt_table_texts odd;     /* texts in columns of numbers */
} pt_csv_work;

/* Before the first pass: how each column is read, by the model, by --types or by the head. */
pt_status pt_csv_plan(pt_csv_work *work, pt_error *err);

/* Behind a pass: which columns must be read once more as texts, before all is known of them; their
 * kind is then PT_CELL_TEXT, that of all others PT_CELL_SKIP. *again: how many. first: it was the
 * first pass. Columns that are settled have their values, and warnings say what was decided. */
pt_status pt_csv_judge(pt_csv_work *work, pt_dataset *data, bool first, int64_t *again,
                       pt_error *err);

/* At the end: columns that are left out go, dates become their parts, rows that are dropped go;
 * data->judged lists what was decided. */
pt_status pt_csv_settle(pt_csv_work *work, pt_dataset *data, pt_error *err);

/* "'name'", or the number of a column without one. */
const char *pt_csv_column_title(const pt_csv_work *work, int64_t column, char title[PT_CELL_SHOWN]);

#endif
