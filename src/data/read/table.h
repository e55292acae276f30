/* A table of cells that workers fill block by block: what formats with columns share. Texts are
 * numbered by each worker and made common afterwards, in the order of the file. */
#ifndef PT_DATA_READ_TABLE_H
#define PT_DATA_READ_TABLE_H

#include "data/read/intern.h"
#include "data/read/lines.h"
#include "data/read/reader.h"
#include "data/read/roles.h"

typedef enum pt_cell_kind {
    PT_CELL_NUMBER,
    PT_CELL_STYLED, /* a number, a date or a truth, as people write them */
    PT_CELL_TEXT,   /* numbered as it is met */
    PT_CELL_LEVEL,  /* one of the levels that the file declares */
    PT_CELL_LABEL,
    PT_CELL_MARK, /* one of several label columns: 0 or 1, or a rank */
    PT_CELL_WEIGHT,
    PT_CELL_TIE, /* of a column that says how rows are held out: a text that is numbered */
    PT_CELL_SKIP
} pt_cell_kind;

typedef struct pt_table_column {
    pt_cell_kind kind;
    bool boxed;      /* numbers, some of whose cells are boxes: pt_table_add_odd */
    int64_t slot;    /* of texts and labels: which dictionary, else -1 */
    int64_t feature; /* where it goes in a row of values, -1: nowhere */
    int64_t mark;    /* which of several label columns, or of the columns of PT_CELL_TIE, it is */
} pt_table_column;

/* A label that is missing where the empty set is another one. */
enum { PT_LABEL_UNKNOWN = -3 };

/* The texts of a column, each once, and where they stand first. Zero-initialise. */
typedef struct pt_table_texts {
    pt_texts texts;
    int64_t *first;
} pt_table_texts;

void pt_table_texts_free(pt_table_texts *texts);

/* Why a row is left out; they are read like others, made blank, and taken away afterwards. */
typedef enum pt_drop {
    PT_DROP_NOT,
    PT_DROP_UNLABELLED,
    PT_DROP_BLANK,
    PT_DROP_HEADER,
    PT_DROP_TOTALS,
    PT_N_DROPS
} pt_drop;

/* Pointers are borrowed, the dictionaries apart. */
typedef struct pt_table {
    const pt_lines *lines;
    const pt_read_options *options;
    const pt_texts *names; /* of the columns, for errors; NULL: none */
    int64_t n_columns;
    pt_table_column *columns;
    int64_t d;      /* features */
    int64_t stride; /* of value; 0: rows are only checked */
    double *value;  /* n x d, or NULL where the format keeps its own */
    int64_t *label; /* n numbers of texts, below 0: none; or NULL */
    pt_label_kind label_kind;
    int32_t *marks; /* n x n_marks, or NULL */
    int64_t n_marks;
    double *weights;       /* n, or NULL */
    const pt_roles *roles; /* where there are PT_CELL_TIE */
    int64_t *ties;         /* roles->n_ties columns of tie_rows numbers of texts, -1: missing */
    int64_t tie_rows;
    pt_table_texts *tie_texts; /* roles->n_ties */
    unsigned char *dropped;    /* n, a pt_drop each; or NULL */
    int64_t n_slots;
    int64_t odd_slot; /* of the texts in columns of numbers, -1: they are only counted */
    int n_workers;
    pt_dictionary *dictionaries; /* n_workers x n_slots */
} pt_table;

/* Gives every column of texts its slot. */
void pt_table_number_slots(pt_table *table);

/* Dictionaries for a pass over the blocks; pt_table_close frees them. */
pt_status pt_table_open(pt_table *table, pt_error *err);
void pt_table_close(pt_table *table);

/* The number of a text at `at` in a block, for its worker. A text with a zero byte is refused. */
pt_status pt_table_add(const pt_table *table, int worker, const pt_block *block, int64_t slot,
                       const char *at, const char *text, size_t length, int64_t *number,
                       pt_error *err);

/* Room for the labels of n rows, in one column or in several; `free` frees it. */
pt_status pt_table_labels_new(pt_table *table, const pt_roles *roles, int64_t n, pt_error *err);
void pt_table_labels_free(pt_table *table);

/* The same for the columns that say how rows are held out. `roles` must live as long. */
pt_status pt_table_ties_new(pt_table *table, const pt_roles *roles, int64_t n, pt_error *err);
void pt_table_ties_free(pt_table *table);
/* What they say goes into the data set, whose rows are the first of the table's. */
pt_status pt_table_make_ties(const pt_table *table, pt_dataset *data, pt_error *err);
/* A cell of one of them. */
pt_status pt_table_add_tie(const pt_table *table, int worker, const pt_block *block, int64_t column,
                           int64_t row, const char *at, const char *text, size_t length,
                           bool missing, pt_error *err);

/* A cell of one of several label columns. */
pt_status pt_table_add_mark(const pt_table *table, const pt_block *block, int64_t column,
                            int64_t row, const char *at, const char *text, size_t length,
                            bool missing, pt_error *err);
/* Behind a row that has such cells and begins at `at`: a ranking of nothing is no label. */
pt_status pt_table_check_marks(const pt_table *table, const pt_block *block, int64_t row,
                               const char *at, pt_error *err);

/* The same for a text in a column of numbers (from 0), which is to be judged later. What stands in
 * the row until then is a box: a NaN that carries the text's number. The texts of all columns are
 * in one dictionary, each behind the number of its column. */
pt_status pt_table_add_odd(const pt_table *table, int worker, const pt_block *block, int64_t column,
                           const char *at, const char *text, size_t length, double *box,
                           pt_error *err);
/* The number in a box, -1: it is a number or just missing. */
int64_t pt_table_unbox(double value);
/* The column of an odd text, and the text itself. */
int64_t pt_table_odd_column(const char *item, const char **text);

/* After a pass: numbers of texts become common, levels go into the columns of `data`, those of the
 * label column into `labels`, those in columns of numbers into `odd` (NULL: there is no slot). */
pt_status pt_table_translate(pt_table *table, pt_dataset *data, pt_table_texts *labels,
                             pt_table_texts *odd, pt_error *err);

/* data->labels from what was read. */
pt_status pt_table_make_labels(const pt_table *table, const pt_table_texts *labels,
                               pt_dataset *data, pt_error *err);

#endif
