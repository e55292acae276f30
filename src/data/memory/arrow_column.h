/* A column of an Arrow table: what its cells are as numbers, and as texts. */
#ifndef PT_DATA_MEMORY_ARROW_COLUMN_H
#define PT_DATA_MEMORY_ARROW_COLUMN_H

#include <stdbool.h>

#include "base/error.h"
#include "data/read/intern.h"

typedef enum pt_arrow_kind {
    PT_ARROW_NULL, /* every cell is missing */
    PT_ARROW_BOOL,
    PT_ARROW_I8,
    PT_ARROW_U8,
    PT_ARROW_I16,
    PT_ARROW_U16,
    PT_ARROW_I32,
    PT_ARROW_U32,
    PT_ARROW_I64,
    PT_ARROW_U64,
    PT_ARROW_F16,
    PT_ARROW_F32,
    PT_ARROW_F64,
    PT_ARROW_TEXT,       /* 32-bit offsets */
    PT_ARROW_LARGE_TEXT, /* 64-bit offsets */
    PT_ARROW_TEXT_VIEW
} pt_arrow_kind;

/* An array and its buffers, borrowed. */
typedef struct pt_arrow_values {
    pt_arrow_kind kind;
    int64_t first; /* the element of the buffers for row 0 */
    int64_t n;
    const unsigned char *valid; /* a bit each; NULL: none is null */
    const void *values;         /* of texts: offsets, or views */
    const char *letters;
    const void *const *more; /* of views: further buffers */
    int64_t n_more;
} pt_arrow_values;

/* Zero-initialise. */
typedef struct pt_arrow_column {
    pt_arrow_values cells;
    pt_arrow_values dictionary; /* of what the cells number, where `encoded` */
    bool encoded;
    double units;   /* of a date or a time: in a day; else 0 */
    int64_t number; /* among the columns of the table, for errors */
    const char *name;
} pt_arrow_column;

struct ArrowSchema;
struct ArrowArray;

/* Rows offset .. offset+n-1 of a child of the table. PT_ENOSUPPORT: its type is not read here. */
pt_status pt_arrow_column_open(pt_arrow_column *column, const struct ArrowSchema *schema,
                               const struct ArrowArray *array, int64_t offset, int64_t n,
                               int64_t number, pt_error *err);
/* Whether its cells, or those of its dictionary, are texts. */
bool pt_arrow_is_text(const pt_arrow_column *column);
/* The cell as a number; NaN: null. Of a text PT_EFORMAT. */
pt_status pt_arrow_number(const pt_arrow_column *column, int64_t i, double *x, pt_error *err);
/* *level_of <- of a dictionary, the numbers of its texts among `levels`, which are added in its
 * order, -1: null; NULL for other columns. The caller frees it. */
pt_status pt_arrow_levels(int64_t **level_of, const pt_arrow_column *column, pt_intern *levels,
                          pt_error *err);
/* The cell as the number of a text, added where it is new, -1: null. level_of NULL: the dictionary
 * is not listed, and its texts are met one by one. Numbers are texts in their shortest digits. */
pt_status pt_arrow_level(const pt_arrow_column *column, int64_t i, const int64_t *level_of,
                         pt_intern *levels, int64_t *level, pt_error *err);

#endif
