/* A table of cells that workers fill block by block: what formats with columns share. Texts are
 * numbered by each worker and made common afterwards, in the order of the file. */
#ifndef PT_DATA_TABLE_H
#define PT_DATA_TABLE_H

#include "data/dictionary.h"
#include "data/lines.h"
#include "data/reader.h"

typedef enum pt_cell_kind {
    PT_CELL_NUMBER,
    PT_CELL_TEXT,  /* numbered as it is met */
    PT_CELL_LEVEL, /* one of the levels that the file declares */
    PT_CELL_LABEL,
    PT_CELL_WEIGHT,
    PT_CELL_SKIP
} pt_cell_kind;

typedef struct pt_table_column {
    pt_cell_kind kind;
    int64_t slot;    /* of texts and labels: which dictionary, else -1 */
    int64_t feature; /* where it goes in a row of values, -1: nowhere */
} pt_table_column;

/* Pointers are borrowed, the dictionaries apart. */
typedef struct pt_table {
    const pt_lines *lines;
    const pt_read_options *options;
    int64_t n_columns;
    pt_table_column *columns;
    int64_t d;       /* features */
    int64_t stride;  /* of value; 0: rows are only checked */
    double *value;   /* n x d, or NULL where the format keeps its own */
    int64_t *label;  /* n numbers of texts, -1: none; or NULL */
    double *weights; /* n, or NULL */
    int64_t n_slots;
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

/* After a pass: numbers of texts become common, levels go into the columns of `data`, class names
 * into `classes`. */
pt_status pt_table_translate(pt_table *table, pt_dataset *data, pt_texts *classes, pt_error *err);

#endif
