/* From the cells of columns that say how rows are held out to the groups, folds and times of a data
 * set: the same for every format. */
#ifndef PT_DATA_READ_TIE_COLUMNS_H
#define PT_DATA_READ_TIE_COLUMNS_H

#include "data/read/lines.h"
#include "data/read/roles.h"

/* A column as it was read. */
typedef struct pt_tie_cells {
    pt_tie_kind kind;
    const char *name;        /* of the column, or its number */
    const int64_t *code;     /* n numbers of texts, below 0: missing */
    const pt_texts *texts;   /* in the order of their first cell */
    const int64_t *first;    /* where each text stands first; NULL: nobody knows */
    const double *number;    /* of times: n of them, and there are no texts; NaN: missing */
    const pt_wanted *wanted; /* of times: by --types; NULL: nothing is said */
} pt_tie_cells;

/* data->group, fold and time <- what `count` columns say of its rows; PT_EFORMAT: they cannot.
 * lines NULL: the data are in no file. */
pt_status pt_tie_columns_take(pt_dataset *data, const pt_tie_cells *columns, int64_t count,
                              const pt_read_options *options, const pt_lines *lines, pt_error *err);

/* "when", or "3" where the column has no name. */
enum { PT_TIE_NAME = 64 };
const char *pt_tie_name(const pt_texts *names, int64_t column, char name[PT_TIE_NAME]);

#endif
